--- Stages of `luatensor doctor` that test the order of queued work: races, errors that are raised late, graphs.

local core = require "luatensor.core"
local lt = require "luatensor"
local meters = require "luatensor.bench.machine.meters"
local cases = require "luatensor.doctor.cases"

local queues = {}

-- ---- races ----

local TIMES <const> = 200                           -- calls of each row
local SIZES <const> = {33, 1023, 4097, 100003}      -- of their inputs; large inputs have blocks whose order varies

-- Returns a function that queues work on a second stream of the device. Each call reads and writes memory, and
-- multiplies matrices.
local function busy_stream(device)
  local side = lt.stream(device)
  local x, y = lt.rand(256, 256, {device = device}), lt.rand(1 << 16, {device = device})
  return function()
    lt.with_stream(side, function()
      x:matmul(x)
      y:exp()
    end)
  end
end

-- Returns a function that calls the row's function on inputs of size n.
local function bind(device, row, n) return cases.bind(row, cases.inputs(row, n), n, device, 1) end

-- Returns the largest of SIZES for which a call may be predicted to take at most `seconds`, or the smallest size.
local function size_for(device, row, seconds)
  local call = bind(device, row, SIZES[1])
  call()                                                   -- loads the kernels
  local took = meters.seconds_of(call, device)
  for i = #SIZES, 2, -1 do
    if SIZES[i] <= (row.most or math.huge) and took * SIZES[i] / SIZES[1] <= seconds then return SIZES[i] end
  end
  return SIZES[1]
end

-- Calls a row's function repeatedly until `seconds` are over. The calls are queued, and the function waits only after
-- several calls, so that it knows the time. Returns true if all results have the bits of the first result, and the
-- number of calls.
local function repeat_call(device, row, seconds, disturb)
  local stop, call = lt.clock() + seconds, bind(device, row, size_for(device, row, seconds / 20))
  local first, unequal = call(), lt.zeros({}, {dtype = "int64", device = device})
  local function again()
    disturb()
    local result = call()
    if result.size ~= first.size then error(("%d elements, then %d"):format(first.size, result.size), 0) end
    unequal:add_(lt.ne(result, first):sum())
  end
  local queued = math.max(1, math.min(TIMES, seconds / 10 // meters.seconds_of(again, device)))
  local count = 2
  while count < TIMES and lt.clock() < stop do
    again()
    count = count + 1
    if count % queued == 0 then lt.synchronize(device) end
  end
  local found = unequal:item()
  return found == 0 or ("%d elements differ in %d calls"):format(found, count), count
end

--- Makes the same call of each family many times beside a busy second stream. All functions give the same bits at each
-- call, so that a difference is a race.
function queues.races(r)
  local disturb, rows, fewest = busy_stream(r.device), cases.of(r.device), TIMES
  for i, row in ipairs(rows) do
    r:check(row.name, function()
      local ok, count = repeat_call(r.device, row, r:left() / (#rows - i + 1), disturb)
      fewest = math.min(fewest, count)
      return ok
    end)
  end
  if r.device == core.host_device then r:leave_out "the second stream: the CPU has none" end
  if fewest < TIMES then r:leave_out(("some of the %d calls: at least %d were made"):format(TIMES, fewest)) end
end

-- ---- late errors ----

local WRONG <const> = {100, 1000, 10000, 100000}

-- Takes elements by `count` indices that are all out of range. Returns true if the error is right, and the device goes
-- on.
local function raise_late(device, count)
  local x = lt.zeros(3, {device = device})
  local wrong = lt.full({count}, 7, {dtype = "int64", device = device})
  local ok, problem = pcall(function()
    x:take(wrong)
    lt.synchronize(device)
  end)
  if ok then return "no error" end
  if not tostring(problem):find("index 7 in dim 1: out of range for length 3", 1, true) then return problem end
  x:add_(2)
  return x:sum():item() == 6 or "the device does not compute after the error"
end

--- Tests that indices out of range become one error, however many there are.
function queues.late_errors(r)
  for _, count in ipairs(WRONG) do
    r:check(count .. " indices out of range", function() return raise_late(r.device, count) end)
  end
end

-- ---- graphs ----

local REPLAYS <const> = 1000

-- Replays a graph that adds 1 to a number of counters.
local function count_replays(r)
  local x = lt.zeros(33, {dtype = "int64", device = r.device})
  local graph = lt.graph(function() x:add_(1) end, {device = r.device})
  local before, done, start = x[1]:item(), 0, lt.clock()
  while done < REPLAYS and (done < 10 or lt.clock() - start < r.seconds / 2) do
    graph:replay()
    done = done + 1
  end
  local found = x:to(core.host_device)
  graph:free()
  if done < REPLAYS then r:leave_out(("%d of %d replays"):format(REPLAYS - done, REPLAYS)) end
  return found:eq(before + done):all():item() or ("%d replays added %d"):format(done, found[1]:item() - before)
end

-- Replays a graph of several families, each time with a new input, and compares the results with eager calls.
local function replay_chain(r)
  local function chain(x, weight) return x:matmul(weight.T):softmax(2):cumsum(2) * 2 end
  local weight, input = lt.rand(10, 33, {device = r.device}), lt.rand(31, 33, {device = r.device})
  local graph = lt.graph(function() return chain(input, weight) end, {device = r.device})
  local unequal, done = lt.zeros({}, {dtype = "int64", device = r.device}), 0
  while done < 100 and (done < 2 or r:left() > 0) do
    input:copy_(lt.rand(31, 33, {device = r.device}))
    unequal:add_(lt.ne(graph:replay(), chain(input, weight)):sum())
    done = done + 1
  end
  graph:free()
  local found = unequal:item()
  return found == 0 or ("%d elements differ from eager calls"):format(found)
end

--- Replays graphs.
function queues.graphs(r)
  r:check("counters", function() return count_replays(r) end)
  r:check("a chain of functions with new inputs", function() return replay_chain(r) end)
end

return queues
