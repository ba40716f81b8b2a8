--- The command `luatensor advise`: recommends a device for a network or for a Lua expression, and says why.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"
local code = require "luatensor.cli.code"
local core = require "luatensor.core"

local advise = {
  summary = "recommends a device for some work, and says why",
  description = "Recommends a device by the cost of the work on each device. The work is a network (--parameters to " ..
    "--calls), or a Lua expression of the inputs x, y and z, the size n, and lt. Without work, the command shows " ..
    "the table \"When to choose CPU, GPU, TPU\" with this machine's figures. Figures that were not measured here " ..
    "are marked.",
  example = "luatensor advise --parameters 1000000 --batch 64 --training",
}

local of_network = {"parameters", "batch", "layers", "training"}
local of_code = {"inputs", "first", "last"}

function advise.define(parser)
  parser:argument("code", "the work, such as 'x:matmul(y)'"):argname("<code>"):args("?")
  arguments.add_all(parser, {
    {name = "parameters", kind = "count", help = "number of parameters of the network (1000000)"},
    {name = "batch", kind = "count", help = "number of samples in a call (64)"},
    {name = "layers", kind = "count", help = "number of layers of the network (4)"},
    {name = "training", kind = "flag", help = "measures a training step instead of a forward pass"},
    {name = "calls", kind = "count", help = "number of calls with the same data (1)"},
  })
  code.add_options(parser, 64, 1024)
  arguments.add_all(parser, {
    {name = "device", kind = "device", help = "compares only the CPU and this device"},
    "dtype", "threads", "seconds", "json", "latency", "bandwidth",
  })
end

local function given(options, names)
  for _, name in ipairs(names) do
    if options[name] ~= nil then return name end
  end
end

-- Returns the advice and the exit code, which is 1 if nothing could be measured.
local function outcome(made) return made, #made.points == 0 and 1 or 0 end

local function for_network(options, settings)
  for _, name in ipairs(of_network) do settings[name] = options[name] end
  settings.dtype = options.dtype
  return outcome(lt.advise.network(settings))
end

local function for_code(options, settings)
  settings.name, settings.sizes = options.code, code.sizes(options, 64, 1024)
  local fn
  fn, settings.inputs = code.work(options.code, options.inputs)
  return outcome(lt.advise(fn, settings))
end

function advise.run(options)
  local network, work = given(options, of_network), given(options, of_code)
  local settings = {
    calls = options.calls, seconds = options.seconds, devices = options.device and {core.host_device, options.device},
  }
  local between = given(options, {"latency", "bandwidth"})
  if between and (options.code or network or work or options.calls) then
    arguments.fail("--%s is of the table of all models: without other options of the work", between)
  end
  if options.code and network then arguments.fail("--%s is of a network: without code", network) end
  if options.code then return for_code(options, settings) end
  if work then arguments.fail("--%s is of code: give some", work) end
  if network or options.calls then return for_network(options, settings) end
  settings.latency, settings.bandwidth = options.latency, options.bandwidth
  return lt.advise.choices(settings)
end

return advise
