-- The large loop of the notebook (docs/notebook.md): two random matrices, the product of one matrix with the transpose
-- of the other, and the product's sum. 100 rounds of 7000 × 3000 take 29 400 000 000 000 additions and
-- multiplications.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local run <close> = experiment.start({...}, {
  name = "02_large", title = "The large loop", claims = {5, 12},
  question = "100 times {two random 7000 × 3000 matrices, x @ y.T, its sum}: how long does it take?",
  options = {"device", {"iterations", 100}, {"rows", 7000}, {"cols", 3000}, "dtype", "threads"},
})
local device, rows, cols = run.options.device, run.options.rows, run.options.cols
local kind = {device = device, dtype = run.options.dtype}

local function loop(iterations)
  for _ in run:rounds(iterations) do
    local x = lt.rand(rows, cols, kind)
    local y = lt.rand(rows, cols, kind)
    local r = x:matmul(y.T)
    r:sum()
  end
end

if device ~= "cpu" then         -- a GPU's first round compiles kernels, so this round is not measured
  loop(1)
  lt.synchronize(device)
end

local start = lt.clock()
loop(run.options.iterations)
local queued = lt.clock() - start
lt.synchronize(device)          -- calls only queue a GPU's work, so wait for the work before the clock is read
local elapsed = lt.clock() - start

run:value("seconds", elapsed, "s")
run:value("queue_seconds", queued, "s")
run:text("{iterations} × {rows} × {cols} {dtype} on {device}: elapsed time {seconds} (read after a synchronisation)")
run:text("Without the synchronisation, as the notebook reads it, the clock would have shown {queue_seconds}.")
run:beside_notebook(12)
return run:finish()
