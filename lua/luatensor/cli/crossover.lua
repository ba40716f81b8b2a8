--- luatensor crossover: from which size on one device overtakes another.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"
local code = require "luatensor.cli.code"
local plot = require "luatensor.render.plot"

local crossover = {
  summary = "from which size on one device overtakes another",
  description = "Measures work at growing sizes on every device, with its data in place and with transfers, and " ..
    "says from which size on which device is faster. The work is a Lua expression of x, y, z (the inputs), n (the " ..
    "size) and lt.",
  example = "luatensor crossover 'x:matmul(y):sum()' --inputs 'lt.rand(n, n), lt.rand(n, n)' --last 2048",
}

function crossover.define(parser)
  parser:argument("code", "the work (x:matmul(y))"):argname("<code>"):args("?")
  arguments.add_all(parser, {
    {name = "inputs", kind = "text", help = "the inputs of size n (lt.rand(n, n), lt.rand(n, n))"},
    {name = "first", kind = "count", help = "the smallest size (16)"},
    {name = "last", kind = "count", help = "the largest size (2048)"},
    {name = "device", kind = "device", help = "only the CPU and this one"},
    "dtype", "threads", "seconds", "json", "svg",
  })
end

-- The work and its inputs as functions. n is a name in both.
local function compile(work, inputs)
  local environment = code.environment()
  local of_size = code.compile(inputs, environment, "n")
  return code.compile(work, environment, "x, y, z"), function(n)
    environment.n = n
    return of_size(n)
  end
end

function crossover.run(options)
  local first, last = options.first or 16, options.last or 2048
  if last < first then arguments.fail("--last %d is less than --first %d", last, first) end
  local missing = options.svg and plot.missing()
  if missing then error(missing, 0) end
  local work = options.code or "x:matmul(y)"
  local fn, inputs = compile(work, options.inputs or "lt.rand(n, n), lt.rand(n, n)")
  return lt.bench.crossover(fn, lt.bench.sizes(first, last), {
    name = work, inputs = inputs, seconds = options.seconds, devices = options.device and {"cpu", options.device},
  })
end

function crossover.save(result, options)
  if not options.svg then return end
  local ok, problem = result:svg(options.svg)
  if not ok then error(problem, 0) end
end

return crossover
