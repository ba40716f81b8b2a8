--- Implements lt.advise: measures the work at several sizes, chooses a device for each size, and explains the choice.

local args = require "luatensor.base.args"
local crossover = require "luatensor.bench.crossover"
local decision = require "luatensor.advise.decision"
local described = require "luatensor.bench.fields"
local grid = require "luatensor.bench.crossover.grid"
local interrupt = require "luatensor.bench.interrupt"
local measured = require "luatensor.bench.crossover.measured"
local page = require "luatensor.advise.page"
local result = require "luatensor.bench.result"

local advice = {}

local of_grid = crossover.options
local known = {
  sizes = true, calls = {"number", 1, 1e15}, inputs = of_grid.inputs, devices = true, seconds = of_grid.seconds,
  name = of_grid.name, patience = of_grid.patience,
}

local cost = described.with(described.quartiles, {transfers = "number"})

advice.class = result.class("advice", {blocks = page.blocks, timings = measured.timings},
  described.with(described.grid, {
    calls = "number", wanted = {"number"}, device = "string?", either = described.optional{"string"},
    no_gpu = "string?",
    why = described.phrase,
    sizes = {{
      n = "number", device = "string", cost = cost, either = described.optional{"string"},
      second = described.optional(cost), second_device = "string?",
    }},
    predictions = {{n = "number", device = "string", why = "string", seconds = "number?", bytes = "number?"}},
    bounds = {{
      id = "string", name = "string", kind = "string", source = "string",
      points = {{n = "number", seconds = "number", takes = "string", needed = "number?"}},
    }},
  }))

-- Makes an advice of `found`, which holds the measurements at all sizes and on all devices. Adds the advice's fields to
-- this table and returns it. `calls` is the number of calls with the same data. `place` has the functions that query
-- this machine.
local function follow(found, settings, sizes, calls, place)
  found.name, found.devices, found.calls, found.wanted = settings.name, settings.devices, calls, sizes
  found.options = {seconds = settings.seconds, patience = settings.patience, calls = calls}
  found.sizes = decision.all(found.points, calls)
  local largest = found.sizes[#found.sizes]
  found.device = largest and largest.device
  found.either = largest and largest.either
  found.predictions = decision.predictions(found, sizes, calls)
  found.bounds = decision.bounds(found, sizes, calls)
  found.no_gpu = place.no_gpu()
  for _, device in ipairs(found.devices) do found.emulated = found.emulated or device.emulated end
  found.why = page.why(found)
  return result.new(advice.class, found)
end

--- Implements lt.advise. `place` has the functions that query and time this machine; specs pass simulated ones.
function advice.run(fn, options, place)
  args.check("advise", "argument 1", fn, "callable")
  options = args.read("advise", options, known)
  local sizes = options.sizes == nil and crossover.sizes(64, 1024) or crossover.check_sizes("advise", options.sizes)
  local calls = options.calls or 1
  local settings = crossover.settings("advise", options, place)
  local made = follow(grid.run(fn, sizes, settings, place), settings, sizes, calls, place)
  if made.incomplete then interrupt.raise(made) end
  return made
end

return advice
