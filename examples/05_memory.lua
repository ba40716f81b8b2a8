-- Shows whether memory or arithmetic limits an operation. In float32, x + y does one addition for every 12 bytes and a
-- sum does one addition for every 4 bytes, so memory limits both. A matrix product does thousands of operations for
-- each element, so the arithmetic units limit it. lt.bench.machine measures the machine's limits with loops that only
-- move memory or only compute, so 100 % is the best that this machine can do.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"
local machine = require "luatensor.bench.machine"

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
local limits = machine.known(device) or lt.bench.machine{devices = {device}, seconds = options.seconds}.devices[1]
local emulated = experiment.is_emulated(device)
local mark = emulated and ", emulated" or ""

local x, y = lt.rand(rows, cols, kind), lt.rand(rows, cols, kind)
local size, width = rows * cols, lt.finfo(options.dtype).bits // 8
local out, product = lt.empty(rows, cols, kind), lt.empty(rows, rows, kind)

-- Each operation has six fields: the prefix of its values' names in the result, its name in the table, its function,
-- the bytes that it reads and writes, and its number of additions and multiplications. The last field is the
-- machine's limit for its memory traffic: "copy" (reads and writes) or "read".
local operations = {
  {"add",     "add",     function() return lt.add(x, y, {out = out}) end, 3 * size * width, size, "copy"},
  {"sum",     "sum",     function() return x:sum() end,                   size * width,     size, "read"},
  {"product", "x @ y.T", function() return lt.matmul(x, y.T, {out = product}) end,
    (2 * size + rows * rows) * width, 2 * rows * rows * cols, "copy"},
}

-- Records `rate` (bytes or operations in a second) under the name `key`, as a share of the machine's limit `limit`.
-- Returns a value for the table, or {reason, "text"} if there is no share, such as "in cache" for data that fit into
-- the caches. `bytes` is the size of the data, or nil for arithmetic.
local function share_of(key, rate, limit, bytes)
  local share, why, note = machine.share(rate, limit, device, options.dtype, bytes)
  if note then run:note(note.text, note.values) end
  return share and run:value(key, share, "share") or {why, "text"}
end

local lines, points = {}, {}
run:expect(#operations)
for i, operation in ipairs(operations) do
  local key, name, work, bytes, flops, traffic = table.unpack(operation)
  local seconds = run:time(name, work).min                  -- the minimum, because other processes can only add time
  lines[i] = {
    name, flops / bytes, seconds, bytes / seconds, share_of(key .. "_memory", bytes / seconds, traffic, bytes),
    flops / seconds, share_of(key .. "_arithmetic", flops / seconds, "flops"),
  }
  points[i] = {name = name, points = {{flops / bytes, flops / seconds}}, emulated = emulated}
end
run:table{
  title = ("%d × %d %s%s"):format(rows, cols, options.dtype, mark),
  columns = {
    {name = "op", unit = "text"}, {name = "FLOP a byte", unit = "FLOP/B"}, {name = "a call, the least", unit = "s"},
    {name = "bytes moved", unit = "B/s"}, {name = "of the memory's limit", unit = "share"},
    {name = "computed", unit = "FLOP/s"}, {name = "of the arithmetic's limit", unit = "share"},
  },
  rows = lines,
}

-- The roofline: the best possible rate of an operation with a given number of arithmetic operations for each byte
-- moved.
local one, of_what = machine.share(1, "flops", device, options.dtype)
if one and limits.copy then
  local peak, least, most = 1 / one, lines[1][2] / 2, 2 * lines[#lines][2]
  local ridge = peak / limits.copy                          -- FLOP per byte above which arithmetic is the limit
  run:text("Measured limits: {copy} copied, {read} read, {peak} ({what}). From {ridge} FLOP a byte on arithmetic "
    .. "limits.", {
    what = {of_what, "text"},
    copy = {limits.copy, "B/s"}, read = {limits.read, "B/s"}, peak = {peak, "FLOP/s"}, ridge = {ridge, "FLOP/B"},
  })
  table.insert(points, 1, {name = "the roof: memory, then arithmetic", emulated = emulated, points = {
    {least, least * limits.copy}, {ridge, peak}, {math.max(most, 2 * ridge), peak},
  }})
end
run:chart{
  title = "The roofline" .. mark, series = points,
  x = {name = "FLOP a byte", unit = "FLOP/B", log = true}, y = {name = "computed", unit = "FLOP/s", log = true},
}
return run:finish()
