--- The command `luatensor crossover`: finds the crossover of two devices, the size above which one is faster.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"
local code = require "luatensor.cli.code"
local core = require "luatensor.core"

local crossover = {
  summary = "finds the size from which on one device is faster than another",
  description = "Measures work at growing sizes on every device, with its data in place and with transfers. The " ..
    "command finds the sizes from which on one device is faster than another. The work is a Lua expression of the " ..
    "inputs x, y and z, the size n, and lt.",
  example = "luatensor crossover 'x:matmul(y):sum()' --inputs 'lt.rand(n, n), lt.rand(n, n)' --last 2048",
}

function crossover.define(parser)
  parser:argument("code", "the work to measure (x:matmul(y))"):argname("<code>"):args("?")
  code.add_options(parser, 16, 2048)
  arguments.add_all(parser, {
    {name = "device", kind = "device", help = "measures only the CPU and this device"},
    "dtype", "threads", "seconds", "json", "svg",
  })
end

function crossover.run(options)
  local sizes = code.sizes(options, 16, 2048)
  local work = options.code or "x:matmul(y)"
  local fn, inputs = code.work(work, options.inputs)
  return lt.bench.crossover(fn, sizes, {
    name = work, inputs = inputs, seconds = options.seconds,
    devices = options.device and {core.host_device, options.device},
  })
end

function crossover.save(result, options)
  if not options.svg then return end
  local ok, problem = result:svg(options.svg)
  if not ok then error(problem, 0) end
end

return crossover
