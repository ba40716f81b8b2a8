-- What limits an operation: fetching its data or computing? Adding and summing do one addition for
-- every 4 to 12 bytes and run at the memory's speed. A matrix product does thousands for each
-- element and runs at the arithmetic units' speed. The limits are measured here, by loops that do nothing else
-- (lt.limits), so a share of 100 % is the best this machine can do.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local options = experiment.options({...}, "Add, sum and matmul as a share of this machine's measured limits.", {
  "device", {"iterations", 5}, {"rows", 7000}, {"cols", 3000}, "dtype", "threads",
})
local device, rows, cols = options.device, options.rows, options.cols
local kind = {device = device, dtype = options.dtype}
local limits = lt.limits(device, options.dtype)

local x, y = lt.rand(rows, cols, kind), lt.rand(rows, cols, kind)
local size, width = rows * cols, lt.finfo(options.dtype).bits // 8
local out = lt.empty(rows, cols, kind)
local product = lt.empty(rows, rows, kind)

-- what, how, bytes moved, additions and multiplications, the limit of its traffic
local operations = {
  {"add",    function() lt.add(x, y, {out = out}) end,            3 * size * width,                size, limits.copy},
  {"sum",    function() x:sum() end,                              size * width,                    size, limits.read},
  {"matmul", function() lt.matmul(x, y.T, {out = product}) end,
             (2 * size + rows * rows) * width,                    2 * rows * rows * cols,          limits.copy},
}

print(("measured limits on %s: read %.1f GB/s, copy %.1f GB/s, %.0f GFLOP/s; and shares of them:"):format(
  device == "cpu" and lt.get_num_threads() .. " threads" or device,
  limits.read / 1e9, limits.copy / 1e9, limits.flops / 1e9))

local lines = {{"op", "FLOP/byte", "time", "GB/s", "bandwidth", "GFLOP/s", "arithmetic", "bound by"}}
for _, operation in ipairs(operations) do
  local name, work, bytes, flops, bandwidth = table.unpack(operation)
  local seconds = experiment.seconds(work, device, options.iterations)
  local memory_share, compute_share = bytes / seconds / bandwidth, flops / seconds / limits.flops
  lines[#lines + 1] = {
    name, ("%.2f"):format(flops / bytes), experiment.show_time(seconds),
    ("%.1f"):format(bytes / seconds / 1e9), ("%.0f %%"):format(100 * memory_share),
    ("%.1f"):format(flops / seconds / 1e9), ("%.1f %%"):format(100 * compute_share),
    memory_share > compute_share and "memory" or "arithmetic",
  }
end
experiment.print_table(lines)
if 3 * size * width < 2 ^ 26 then
  print("Matrices this small stay in the caches, faster than memory: shares may exceed 100 %.")
end
experiment.print_caveats(device)
