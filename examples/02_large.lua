-- The notebook's large loop: two random matrices, the product of one with the other's transpose,
-- and the product's sum. 100 times 7000 × 3000: 29 400 000 000 000 additions and multiplications.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local options = experiment.options({...}, "100 × {two random 7000 × 3000 matrices, x @ y.T, sum}", {
  "device", {"iterations", 100}, {"rows", 7000}, {"cols", 3000}, "dtype", "threads",
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

if device ~= "cpu" then loop(1, function() end) end     -- a GPU's kernels are compiled in the first round: not measured
local show = experiment.progress(options.iterations)
local start = lt.clock()
loop(options.iterations, show)
local seconds = lt.clock() - start

print(("%d × %d × %d %s on %s: elapsed time %.2f seconds (read after a synchronisation)"):format(
  options.iterations, rows, cols, options.dtype, device, seconds))
experiment.print_caveats(device)
return seconds
