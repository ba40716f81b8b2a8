-- Serial against parallel: the parts of the large loop on 1, 2, … all of the CPU's threads, and on a GPU's cores.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local options = experiment.options({...}, "The large loop's parts on 1, 2, … threads of the CPU, and on a GPU.", {
  "device", {"iterations", 2}, {"rows", 7000}, {"cols", 3000}, "dtype", "threads",
})
local rows, cols = options.rows, options.cols

-- The parts, with their data on `device`.
local function parts_on(device)
  local kind = {device = device, dtype = options.dtype}
  local x, y = lt.rand(rows, cols, kind), lt.rand(rows, cols, kind)
  local r = x:matmul(y.T)
  return {
    {"rand", function() lt.rand(rows, cols, kind) end},
    {"x + y", function() return x + y end},
    {"exp", function() return x:exp() end},
    {"x @ y.T", function() return x:matmul(y.T) end},
    {"sum", function() return r:sum() end},
  }
end

-- 1, 2, 3 … or, from 8 threads on, 1, 2, 4, 8 … and all of them.
local function thread_counts(most)
  local counts, n = {}, 1
  while n < most do
    counts[#counts + 1] = n
    n = most > 8 and 2 * n or n + 1
  end
  counts[#counts + 1] = most
  return counts
end

local parts, alone = parts_on("cpu"), {}
local lines = {{"threads"}}
for i, part in ipairs(parts) do lines[1][i + 1] = part[1] end

-- One line of the table: each part's time on a device, and how many times as fast that is as on one thread.
local function add_line(name, device, list)
  local line = {name}
  for i, part in ipairs(list) do
    local seconds = experiment.seconds(part[2], device, options.iterations)
    alone[i] = alone[i] or seconds
    line[i + 1] = ("%s %.1f×"):format(experiment.show_time(seconds), alone[i] / seconds)
  end
  lines[#lines + 1] = line
end

for _, threads in ipairs(thread_counts(options.threads)) do
  lt.set_num_threads(threads)
  add_line(tostring(threads), "cpu", parts)
end
lt.set_num_threads(options.threads)
if options.device ~= "cpu" then add_line(options.device, options.device, parts_on(options.device)) end

print(("%d × %d %s, least of %d, and how many times as fast as on one thread:"):format(
  rows, cols, options.dtype, options.iterations))
experiment.print_table(lines)
experiment.print_caveats(options.device)
