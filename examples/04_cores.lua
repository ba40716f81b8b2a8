-- Compares serial and parallel work. The operations are those of the large loop (02_large.lua), x + y, and exp. Each
-- operation is timed with 1, 2, …, all threads of the CPU, and on a GPU if there is one.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"
local noise = require "luatensor.bench.noise"

local run <close> = experiment.start({...}, {
  name = "04_cores", title = "Serial against parallel", claims = {4, 5, 8},
  question = "How many times as fast are the parts of the large loop on more cores?",
  options = {
    "device", {"rows", 7000}, {"cols", 3000}, {"seconds", 0.2},
    {"rounds", 3, kind = "count", help = "of each measurement, at least"}, "dtype", "threads",
  },
})
local options = run.options
local rows, cols = options.rows, options.cols

local names = {"rand", "x + y", "exp", "x @ y.T", "sum"}
local keys = {"rand", "add", "exp", "product", "sum"}        -- prefixes of the results' names: "rand_seconds"

-- Returns a list of functions, one for each operation in `names`. The operands are on `device`.
local function parts_on(device)
  local kind = {device = device, dtype = options.dtype}
  local x, y = lt.rand(rows, cols, kind), lt.rand(rows, cols, kind)
  local r = x:matmul(y.T)
  return {
    function() return lt.rand(rows, cols, kind) end,
    function() return x + y end,
    function() return x:exp() end,
    function() return x:matmul(y.T) end,
    function() return r:sum() end,
  }
end

local disturbed = false              -- true if other processes used the processor during a measurement

-- Returns the seconds of a call of each function in `parts`: the minimum of the rounds, because other processes can
-- only add to the time. Sets `disturbed` if other processes did so.
local function measure(parts, device, threads)
  local seconds = {}
  for i, part in ipairs(parts) do
    local timed = run:time(names[i], part, {device = device, threads = threads})
    seconds[i], disturbed = timed.min, disturbed or noise.busy(timed)
  end
  return seconds
end

-- Returns the list of thread counts to measure. If `most` is at most 8, the list has all counts from 1 to `most`.
-- Otherwise, the list has the powers of two below `most`, and then `most`.
local function thread_counts(most)
  local counts, n = {}, 1
  while n < most do
    counts[#counts + 1] = n
    n = most > 8 and 2 * n or n + 1
  end
  counts[#counts + 1] = most
  return counts
end

-- Returns the columns of a table: column "on" names the device and the threads; each operation has one more column.
local function columns(unit)
  local list = {{name = "on", unit = "text"}}
  for i, name in ipairs(names) do list[i + 1] = {name = name, unit = unit} end
  return list
end

local parts, alone = parts_on("cpu"), nil
local times, ratios, series, gained = {}, {}, {}, {}           -- gained[i]: the speed-up of parts[i] by all threads
for i, name in ipairs(names) do series[i] = {name = name, points = {}} end

local function add(on, seconds)
  local row = {on}
  for i, one in ipairs(seconds) do row[i + 1] = alone[i] / one end
  times[#times + 1], ratios[#ratios + 1] = {on, table.unpack(seconds)}, row
end

local counts = thread_counts(options.threads)
run:expect(#names * (options.device == "cpu" and #counts or #counts + 1))
for _, threads in ipairs(counts) do
  local seconds = measure(parts, "cpu", threads)
  alone = alone or seconds
  add(threads == 1 and "1 thread" or threads .. " threads", seconds)
  for i, one in ipairs(seconds) do
    table.insert(series[i].points, {threads, alone[i] / one})
    run:value(keys[i] .. "_seconds", one, "s", "cpu")          -- overwrites the value for fewer threads
    gained[i] = run:value(keys[i] .. "_ratio", alone[i] / one, "ratio", "cpu")
  end
end

local gpu = options.device ~= "cpu" and measure(parts_on(options.device), options.device)
local emulated = experiment.is_emulated(options.device)
if gpu and not emulated then add(options.device, gpu) end

local size = ("%d × %d %s, a call, the least of its rounds"):format(rows, cols, options.dtype)
run:table{title = size, columns = columns("s"), rows = times}
if gpu and emulated then
  run:table{
    title = size .. ", emulated", columns = columns("s"),
    rows = {{experiment.name_of(options.device), table.unpack(gpu)}},
  }
end
if #ratios > 1 then
  run:table{title = "times as fast as on one thread", columns = columns("ratio"), rows = ratios}
end
if options.threads > 1 then
  run:chart{
    title = "times as fast as on one thread", series = series,
    x = {name = "threads", unit = "count"}, y = {name = "times as fast", unit = "ratio"},
  }
  local shared = gained[2] < 0.9 * gained[4] and not disturbed
  run:text("On {threads} threads the product is {product_ratio} as fast as on one, x + y {add_ratio}."
    .. (shared and " What waits for memory gains less than what computes: the threads share the memory." or ""))
  if disturbed or math.max(table.unpack(gained)) > 1.05 * options.threads then
    run:note("Others used the processor, so that threads waited for a core: these ratios say little.")
  end
end
return run:finish()
