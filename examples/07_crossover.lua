-- Finds the crossover for two operations on n × n matrices: the size n above which the GPU is faster than the CPU. The
-- operations are the matrix product, whose arithmetic for each element grows with n, and the sum x + y, which has one
-- addition for each element.
-- The product and the sum are timed twice: with the matrices already on the GPU, and with sending the matrices and
-- fetching the result. Without a GPU, the example shows the times of the CPU, which a GPU would have to beat.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local run <close> = experiment.start({...}, {
  name = "07_crossover", title = "Where the GPU overtakes the CPU", claims = {8, 9, 10},
  question = "From which size on is the GPU faster than the CPU?",
  options = {
    "device", {"least", 16, kind = "count", help = "smallest n"}, {"most", 4096, kind = "count", help = "largest n"},
    {"seconds", 0.2}, "dtype", "threads",
  },
})
local options = run.options
local sizes = lt.bench.sizes(options.least, options.most)

local function matrices(n)
  local kind = {device = "cpu", dtype = options.dtype}
  return lt.rand(n, n, kind), lt.rand(n, n, kind)
end

local function crossover(name, work)
  run:show(lt.bench.crossover(work, sizes, {
    name = name, inputs = matrices, seconds = options.seconds,
    devices = options.device == "cpu" and {"cpu"} or {"cpu", options.device},
  }))
end

crossover("x @ y.T", function(x, y) return x:matmul(y.T) end)
crossover("x + y", function(x, y) return x + y end)
return run:finish()
