--- The parts of a report: this machine, every experiment, the advice. A part has id, title, weight (approximate
-- seconds) and measure(settings, section), which stores its results in the fields of `section`.

local core = require "luatensor.core"
local experiment = require "luatensor.experiment"
local interrupt = require "luatensor.bench.interrupt"

local parts = {}

--- The values of the experiments' options for each choice of sizes. "full" uses the scripts' defaults, which are the
-- notebook's sizes. Options that a script lacks are left out.
local sizes = {
  full = {},
  quick = {iterations = 3, most = 1024, seconds = 0.05, epochs = 10, seeds = 2, steps = 20},
  tiny = {
    iterations = 2, rows = 40, cols = 30, least = 8, most = 32, seconds = 0.001, rounds = 5, epochs = 1, seeds = 1,
    batch = 64, steps = 2, images = 100, width = 8, times = 8, letters = 4,
  },
}

-- Options for the advice and for the machine's limits: `seconds` of a measurement, and `largest`, the number of
-- parameters of the largest network.
local other_sizes = {
  full = {},
  quick = {seconds = 0.05, largest = 1000000},
  tiny = {seconds = 0.001, largest = 10000},
}

--- The names of the sizes that a report can have.
parts.sizes = {"full", "quick", "tiny"}

-- Experiment 03_small takes about a millisecond at full size, so the quick report runs it at full size.
local kept = {["03_small"] = {quick = true}}

-- Experiments that show the CPU and the accelerator in one run.
local both_in_one = {["01_device"] = true, ["04_cores"] = true, ["06_transfer"] = true, ["07_crossover"] = true,
                     ["09_speedup"] = true}

-- The approximate seconds of the longer experiments at full size on a laptop. The weight of all other experiments is
-- 5. Only the progress line uses the weights.
local weights = {["02_large"] = 150, ["04_cores"] = 40, ["05_memory"] = 20, ["06_transfer"] = 20, ["07_crossover"] = 60,
                 ["08_training"] = 60, ["09_speedup"] = 20, ["10_transformer"] = 60}

-- ---- one experiment -----------------------------------------------------------------------------

local function option_names(spec)
  local names = {}
  for _, option in ipairs(spec.options or {}) do names[type(option) == "table" and option[1] or option] = true end
  return names
end

-- Returns the command line of an experiment, such as {"--device=cpu", "--iterations=3"}.
local function arguments_of(spec, settings, device)
  local known, arguments = option_names(spec), {}
  local wanted = kept[spec.name] and kept[spec.name][settings.sizes] and {} or sizes[settings.sizes]
  for name, value in pairs(wanted) do
    if known[name] then arguments[#arguments + 1] = ("--%s=%s"):format(name, value) end
  end
  if known.device and device then arguments[#arguments + 1] = "--device=" .. device end
  table.sort(arguments)
  return arguments
end

local function devices_of(spec, settings)
  if not option_names(spec).device then return {false} end
  if both_in_one[spec.name] then return {settings.accelerator or core.host_device} end
  return settings.accelerator and {core.host_device, settings.accelerator} or {core.host_device}
end

-- Runs an experiment on each device, and adds the results to section.runs and the errors to section.problems. After
-- Ctrl-C the function adds the partial result and raises the error again.
local function run_on(spec, settings, section)
  for _, device in ipairs(devices_of(spec, settings)) do
    local ok, value, problem = pcall(experiment.run, spec.name, arguments_of(spec, settings, device or nil), true)
    if not ok and interrupt.is(value) then
      section.runs[#section.runs + 1] = interrupt.partial(value)
      error(value, 0)
    elseif not ok or type(value) ~= "table" then
      section.problems[#section.problems + 1] = ("%s%s"):format(device and device .. ": " or "",
        tostring(ok and (problem or "the script returned no result") or value))
    else
      section.runs[#section.runs + 1] = value
    end
  end
end

local function experiment_part(spec)
  return {
    id = spec.name, title = spec.title, weight = weights[spec.name] or 5,
    measure = function(settings, section)
      section.question, section.claims = spec.question, spec.claims or {}
      run_on(spec, settings, section)
    end,
  }
end

-- ---- the machine, the advice --------------------------------------------------------------------

local function machine_part()
  return {
    id = "machine", title = "This machine", weight = 10,
    measure = function(settings, section)
      local devices = {core.host_device, settings.accelerator}
      section.result = require("luatensor.bench").machine{
        seconds = other_sizes[settings.sizes].seconds, devices = devices,
      }
      section.blocks = section.result:blocks()
    end,
  }
end

local function choices_part()
  return {
    id = "choices", title = "When to choose CPU, GPU, TPU", weight = 15,
    measure = function(settings, section)
      section.claims = {10, 15, 16}
      local wanted = other_sizes[settings.sizes]
      local devices = {core.host_device, settings.accelerator}
      section.result = require("luatensor.advise").choices{
        seconds = wanted.seconds, largest = wanted.largest, devices = devices,
      }
      section.blocks = section.result:blocks()
    end,
  }
end

--- Returns the parts in the order of the page.
-- @treturn {table,...}
function parts.all()
  local list = {machine_part()}
  for _, spec in ipairs(experiment.list()) do list[#list + 1] = experiment_part(spec) end
  list[#list + 1] = choices_part()
  return list
end

return parts
