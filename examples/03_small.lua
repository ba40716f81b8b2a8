-- The small loop of the notebook (docs/notebook.md): the work of 02_large.lua on 70 × 30 matrices, for which starting
-- the work costs more than the work itself. The notebook's GPU took 16 times as long as its CPU.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local run <close> = experiment.start({...}, {
  name = "03_small", title = "The small loop", claims = {8, 13},
  question = "100 times {two random 70 × 30 matrices, x @ y.T, its sum}: what does starting the work cost?",
  options = {"device", {"iterations", 100}, {"rows", 70}, {"cols", 30}, "dtype", "threads"},
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

loop(1)                         -- the first round starts threads and compiles kernels; it is not measured
lt.synchronize(device)

local start = lt.clock()
loop(run.options.iterations)
local queued = lt.clock() - start
lt.synchronize(device)          -- calls only queue a GPU's work, so wait for the work before the clock is read
local elapsed = lt.clock() - start

run:value("seconds", elapsed, "s")
run:value("queue_seconds", queued, "s")
run:value("round_seconds", elapsed / run.options.iterations, "s")
run:text("{iterations} × {rows} × {cols} {dtype} on {device}: elapsed time {seconds} (read after a synchronisation)")
run:text("Without the synchronisation, as the notebook reads it, the clock would have shown {queue_seconds}.")
run:text("A round takes {round_seconds}: four calls from Lua to the kernels and back.")
run:beside_notebook(13)
return run:finish()
