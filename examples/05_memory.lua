-- What limits an operation: fetching its data or computing? Adding and summing do one addition for
-- every 4 to 12 bytes and run at the memory's speed. A matrix product does thousands for each
-- element and runs at the arithmetic units' speed. The limits are measured, by loops that do nothing else,
-- so a share of 100 % is the best this machine can do.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local run <close> = experiment.start({...}, {
  name = "05_memory", title = "Memory or arithmetic", claims = {4},
  question = "Which share of this machine's limits do add, sum and a matrix product reach, and what limits them?",
  options = {
    "device", {"rows", 7000}, {"cols", 3000}, {"seconds", 0.2},
    {"rounds", 3, kind = "count", help = "of each measurement, at least"}, "dtype", "threads",
  },
})
local options = run.options
local device, rows, cols = options.device, options.rows, options.cols
local kind = {device = device, dtype = options.dtype}
local limits = lt.limits(device, options.dtype)
local emulated = experiment.is_emulated(device)
local mark = emulated and ", emulated" or ""

local x, y = lt.rand(rows, cols, kind), lt.rand(rows, cols, kind)
local size, width = rows * cols, lt.finfo(options.dtype).bits // 8
local out, product = lt.empty(rows, cols, kind), lt.empty(rows, rows, kind)

-- key in the result's values, what, how, bytes moved, additions and multiplications, the limit of its traffic
local operations = {
  {"add",     "add",     function() return lt.add(x, y, {out = out}) end, 3 * size * width, size, limits.copy},
  {"sum",     "sum",     function() return x:sum() end,                   size * width,     size, limits.read},
  {"product", "x @ y.T", function() return lt.matmul(x, y.T, {out = product}) end,
    (2 * size + rows * rows) * width, 2 * rows * rows * cols, limits.copy},
}

run:text("Measured limits: {read} read, {copy} copied, {flops}.", {
  read = {limits.read, "B/s"}, copy = {limits.copy, "B/s"}, flops = {limits.flops, "FLOP/s"},
})

local lines, points = {}, {}
for i, operation in ipairs(operations) do
  local key, name, work, bytes, flops, bandwidth = table.unpack(operation)
  local seconds = run:time(name, work).median
  local memory = run:value(key .. "_memory", bytes / seconds / bandwidth, "share")
  local arithmetic = run:value(key .. "_arithmetic", flops / seconds / limits.flops, "share")
  lines[i] = {
    name, flops / bytes, seconds, bytes / seconds, memory, flops / seconds, arithmetic,
    memory > arithmetic and "memory" or "arithmetic",
  }
  points[i] = {name = name, points = {{flops / bytes, flops / seconds}}, emulated = emulated}
end
run:table{
  title = ("%d × %d %s%s"):format(rows, cols, options.dtype, mark),
  columns = {
    {name = "op", unit = "text"}, {name = "FLOP a byte", unit = "FLOP/B"}, {name = "a call", unit = "s"},
    {name = "bytes moved", unit = "B/s"}, {name = "of the limit", unit = "share"},
    {name = "computed", unit = "FLOP/s"}, {name = "of the limit", unit = "share"}, {name = "bound by", unit = "text"},
  },
  rows = lines,
}

-- The roof: what an operation can reach at most, with so many additions and multiplications for each byte it moves.
local least, most, ridge = lines[1][2] / 2, 2 * lines[#lines][2], limits.flops / limits.copy
table.insert(points, 1, {name = "the roof: memory, then arithmetic", emulated = emulated, points = {
  {least, least * limits.copy}, {ridge, limits.flops}, {math.max(most, 2 * ridge), limits.flops},
}})
run:chart{
  title = "The roofline" .. mark, series = points,
  x = {name = "FLOP a byte", unit = "FLOP/B", log = true}, y = {name = "computed", unit = "FLOP/s", log = true},
}
if 3 * size * width < 2 ^ 26 then
  run:note("Matrices this small stay in the caches, faster than memory: shares may exceed 100 %.")
end
return run:finish()
