--- Implements `luatensor bench --distributed`: measures all_sum by size, and the parts of a training step, between the
-- processes of a group. From these figures it predicts the speed of training on more hosts.

local core = require "luatensor.core"
local lt = require "luatensor"
local crossover = require "luatensor.bench.crossover"
local described = require "luatensor.bench.fields"
local engine = require "luatensor.distributed"
local engines = require "luatensor.distributed.engines"
local nn = require "luatensor.nn"
local optim = require "luatensor.optim"
local page = require "luatensor.bench.distributed.page"
local prediction = require "luatensor.bench.distributed.prediction"
local progress = require "luatensor.bench.progress"
local result = require "luatensor.bench.result"
local statistics = require "luatensor.bench.statistics"

local distributed = {}

-- The numbers of calls of osu_allreduce in the OSU micro-benchmarks: calls to warm up, and timed calls.
local SHORT <const> = {bytes = 8192, warm = 200, calls = 1000}
local LONG <const> = {warm = 10, calls = 100}

-- The network whose training step is measured, and the numbers of steps.
local LAYERS <const>, WIDTH <const>, BATCH <const>, WARM <const>, STEPS <const> = 4, 512, 64, 5, 30

--- The least largest size: below it, the time of a message says nothing about the bandwidth.
distributed.LEAST = 1 << 20

-- Calls fn, and returns the seconds until the default device has finished its work.
local function seconds_of(fn, ...)
  local start = core.clock()
  fn(...)
  lt.synchronize(lt.get_default_device())
  return core.clock() - start
end

-- Returns the values that each process of the group passed, as a list by rank.
local function from_all(group, value)
  local slots = lt.zeros(group:size(), {dtype = "float64", device = core.host_device})
  slots[group:rank() + 1] = value
  return group:all_sum(slots):totable()
end

local function mean(list)
  local sum = 0
  for _, value in ipairs(list) do sum = sum + value end
  return sum / #list
end

-- ---- all_sum by size ----------------------------------------------------------------------------

-- Measures all_sum in place by OSU's method: each call is timed on its own and followed by a barrier, and all sizes use
-- the beginning of one buffer. Returns the mean over the processes of their mean seconds, the least and the largest of
-- these means, and this process's quartiles.
local function time_size(group, buffer, bytes)
  local x, plan, times = buffer:narrow(1, 1, bytes // 4), bytes <= SHORT.bytes and SHORT or LONG, {}
  local in_place = {out = x}
  for i = 1 - plan.warm, plan.calls do
    local seconds = seconds_of(group.all_sum, group, x, in_place)
    if i > 0 then times[i] = seconds end
    group:barrier()
  end
  local means = from_all(group, mean(times))
  return described.with(statistics.summary(times), {
    name = ("all_sum, %d bytes"):format(bytes), bytes = bytes, mean = mean(means),
    low = math.min(table.unpack(means)), high = math.max(table.unpack(means)),
  })
end

-- ---- a training step ----------------------------------------------------------------------------

-- Returns a network, its input and its target.
local function perceptron()
  local layers = {}
  for i = 1, LAYERS do
    layers[2 * i - 1] = nn.Linear(WIDTH, WIDTH)
    layers[2 * i] = i < LAYERS and nn.ReLU() or nil
  end
  return nn.Sequential(table.unpack(layers)), lt.randn(BATCH, WIDTH), lt.randn(BATCH, WIDTH)
end

-- Returns functions that make the parts of a training step, in order, and the bytes of each gradient.
local function parts_of(group)
  local model, x, target = perceptron()
  local parameters, loss, bytes = model:parameters(), nil, {}
  local optimizer = optim.SGD(parameters, {lr = 1e-3})
  for i, parameter in ipairs(parameters) do bytes[i] = 4 * parameter.size end
  return {
    {"forward", function() loss = nn.functional.mse_loss(model(x), target) end},
    {"backward", function()
      optimizer:zero_grad()
      loss:backward()
    end},
    {"wait", function() group:barrier() end},
    {"reduce", function()
      for _, parameter in ipairs(parameters) do group:all_sum(parameter.grad, {out = parameter.grad}) end
    end},
    {"update", function() optimizer:step() end},
  }, bytes
end

-- Measures the parts of a training step without overlap. Returns the mean over the processes of the median seconds of
-- each part, by name, and the bytes of each gradient.
local function time_step(group)
  local parts, bytes = parts_of(group)
  local times, step = {}, {}
  for i = 1 - WARM, STEPS do
    for _, part in ipairs(parts) do
      local name, seconds = part[1], seconds_of(part[2])
      times[name] = times[name] or {}
      if i > 0 then times[name][i] = seconds end
    end
  end
  for _, part in ipairs(parts) do step[part[1]] = mean(from_all(group, statistics.median(times[part[1]]))) end
  return step, bytes
end

-- ---- the result ---------------------------------------------------------------------------------

local methods = {blocks = page.blocks}

-- Returns the named figures that bench.diff compares.
function methods:timings() return self.sizes end

local seconds <const> = "number"
distributed.class = result.class("distributed", methods, {
  name = "string", processes = "number", engine = "string", device = "string",
  sizes = {described.with(described.quartiles, {name = "string", bytes = "number", mean = seconds, low = seconds,
    high = seconds})},
  step = {forward = seconds, backward = seconds, wait = seconds, reduce = seconds, update = seconds},
  work = {compute = seconds, backward = seconds, bytes = "number", messages = "number"},
  network = prediction.fields,
  predicted = {{hosts = "number", ring = seconds, tree = seconds, ring_overlap = seconds, tree_overlap = seconds}},
  from = "number?", to = "number?", modelled = "number?",
})

-- Returns the least median seconds of the messages of up to 1 KiB, whose bytes take no relevant time.
local function short_seconds(sizes)
  local least = math.huge
  for _, row in ipairs(sizes) do least = row.bytes <= 1024 and math.min(least, row.median) or least end
  return least
end

-- Adds the prediction to the measured figures. The network between the hosts has the given figures, or else the
-- measured or the assumed ones.
local function predict(made, options)
  local network, sizes, work = prediction.ETHERNET, made.sizes, made.work
  if made.processes > 1 then
    network = prediction.network(made.processes, short_seconds(sizes), sizes[#sizes].median, sizes[#sizes].bytes)
    network.source = "measured between these processes"
    made.modelled = prediction.reduce("tree", made.processes, work, network)
  end
  made.network = prediction.given(options, network)
  made.predicted = prediction.rows(work, made.network)
  made.from, made.to = prediction.range(work, made.network)
end

--- Measures the group of all processes. Every process has to call this function.
-- @tab options `largest`: bytes of the largest message (16 MiB); `latency`, `bandwidth` between the hosts of the
--   prediction (default: the measured ones; for one process those of an assumed network)
-- @treturn ?table in the process of rank 0, a result of kind "distributed"
function distributed.run(options)
  local group = engine.init{backend = "any"}
  local sizes = crossover.sizes(8, options.largest or 16 << 20)
  local task <close> = progress.task("bench", #sizes + 1)
  local made = {name = "bench --distributed", processes = group:size(), device = lt.get_default_device(), sizes = {},
    engine = group:size() > 1 and table.concat(engines.lines(), "; ") or "none"}
  local buffer = lt.zeros(sizes[#sizes] // 4)
  for i, bytes in ipairs(sizes) do
    task:step(("all_sum, %d bytes"):format(bytes))
    made.sizes[i] = time_size(group, buffer, bytes)
  end
  task:step("a training step")
  local bytes
  made.step, bytes = time_step(group)
  if group:rank() > 0 then return nil end
  local step = made.step
  made.work = {compute = step.forward + step.backward + step.update, backward = step.backward,
    bytes = #bytes * mean(bytes), messages = #bytes}
  predict(made, options)
  return result.new(distributed.class, made)
end

return distributed
