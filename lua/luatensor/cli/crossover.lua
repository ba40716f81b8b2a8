--- The command `luatensor crossover`: finds the size from which on one device is faster than another.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"
local code = require "luatensor.cli.code"
local core = require "luatensor.core"
local plot = require "luatensor.page.chart_svg"

local crossover = {
  summary = "from which size on one device overtakes another",
  description = "Measures work at growing sizes on every device, with its data in place and with transfers, and " ..
    "says from which size on which device is faster. The work is a Lua expression of x, y, z (the inputs), n (the " ..
    "size) and lt.",
  example = "luatensor crossover 'x:matmul(y):sum()' --inputs 'lt.rand(n, n), lt.rand(n, n)' --last 2048",
}

function crossover.define(parser)
  parser:argument("code", "the work (x:matmul(y))"):argname("<code>"):args("?")
  code.add_options(parser, 16, 2048)
  arguments.add_all(parser, {
    {name = "device", kind = "device", help = "only the CPU and this one"},
    "dtype", "threads", "seconds", "json", "svg",
  })
end

function crossover.run(options)
  local sizes = code.sizes(options, 16, 2048)
  local missing = options.svg and plot.missing()
  if missing then error(missing, 0) end
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
