-- The notebook's small loop: the same work as 02_large.lua on 70 × 30 matrices, where starting the
-- work costs more than the work. The notebook's GPU took 16 times as long for it as its CPU.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local options = experiment.options({...}, "100 × {two random 70 × 30 matrices, x @ y.T, sum}", {
  "device", {"iterations", 100}, {"rows", 70}, {"cols", 30}, "dtype", "threads",
})
local device, rows, cols = options.device, options.rows, options.cols
local kind = {device = device, dtype = options.dtype}

local function loop(iterations, show)
  for i = 1, iterations do
    local x = lt.rand(rows, cols, kind)
    local y = lt.rand(rows, cols, kind)
    local r = x:matmul(y.T)
    r:sum()
    show(i)
  end
  lt.synchronize(device)        -- a GPU only queues the work: read the clock when it is done
end

loop(1, function() end)         -- the first round starts threads, on a GPU compiles kernels: not measured
local show = experiment.progress(options.iterations)
local start = lt.clock()
loop(options.iterations, show)
local seconds = lt.clock() - start

print(("%d × %d × %d %s on %s: elapsed time %.6f seconds (read after a synchronisation)"):format(
  options.iterations, rows, cols, options.dtype, device, seconds))
experiment.print_caveats(device)
return seconds
