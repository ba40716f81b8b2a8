--- Stages of `luatensor doctor` that measure speeds, beside what the properties of the device let us expect.

local core = require "luatensor.core"
local lt = require "luatensor"
local idle = require "luatensor.bench.idle"
local meters = require "luatensor.bench.machine.meters"
local projected = require "luatensor.doctor.projected"

local speed = {}

-- Returns the least seconds of f in several calls, which take about `seconds`.
local function fastest(device, f, seconds)
  f()
  local best, stop = math.huge, lt.clock() + seconds
  repeat best = math.min(best, meters.seconds_of(f, device)) until lt.clock() >= stop
  return best
end

-- ---- memory ----

local LARGEST <const> = 1 << 26      -- elements of float32: 256 MiB, more than any cache

-- Returns two tensors that are as large as the time and the free memory allow.
local function large_pair(r, seconds)
  local most = (core.available_memory(r.device) or math.huge) / 16
  local n = 1 << 16
  while true do
    local x, y = lt.rand(n, {device = r.device}), lt.zeros(n, {device = r.device})
    local took = meters.seconds_of(function() y:copy_(x) end, r.device)
    if 2 * n > math.min(LARGEST, most) or 20 * took > seconds then return x, y end
    n = 2 * n
  end
end

local function measure_memory(r, hopes, seconds)
  local x, y = large_pair(r, seconds)
  local bytes = 4 * x.size
  local read = bytes / fastest(r.device, function() x:sum() end, seconds)
  local copy = 2 * bytes / fastest(r.device, function() y:copy_(x) end, seconds)
  local large = x.size == LARGEST            -- smaller tensors may be in a cache
  r:figure{name = "read", value = read, unit = "B/s", projected = large and hopes:bytes "read" or nil}
  r:figure{name = "copy", value = copy, unit = "B/s", projected = large and hopes:bytes "copy" or nil}
  if not large then r:leave_out(("memory beyond %d MiB"):format(bytes >> 20)) end
  return true
end

-- ---- the notebook's loops ----

local ITERATIONS <const> = 100
local loops = {{70, 30}, {700, 300}, {7000, 3000}}

-- Makes iterations of the notebook's loop on matrices of this shape. Returns the seconds of an iteration.
local function run_loop(device, rows, columns, iterations)
  return meters.seconds_of(function()
    for _ = 1, iterations do
      local x, y = lt.rand(rows, columns, {device = device}), lt.rand(rows, columns, {device = device})
      local product = x:matmul(y.T)
      product:sum()
    end
  end, device) / iterations
end

-- Measures a loop: the fastest of up to five runs.
local function measure_loop(r, hopes, rows, columns)
  run_loop(r.device, rows, columns, 1)                     -- compiles kernels
  local each, stop = run_loop(r.device, rows, columns, 1), lt.clock() + r:left() / 3
  local done = math.max(1, math.min(ITERATIONS, r:left() / 4 // each))
  for _ = 1, 5 do
    each = math.min(each, run_loop(r.device, rows, columns, done))
    if lt.clock() > stop then break end
  end
  r:figure{name = ("%d × %d, an iteration"):format(rows, columns), value = each, unit = "s",
    projected = hopes:iteration(rows, columns)}
  if done < ITERATIONS then
    r:leave_out(("%.0f of %d iterations of %d × %d"):format(ITERATIONS - done, ITERATIONS, rows, columns))
  end
  return each
end

-- Measures the notebook's two loops, and one of a size between them, which predicts the time of the large loop.
local function measure_loops(r, hopes)
  local each, elements = 0, 0
  for _, shape in ipairs(loops) do
    local rows, columns = shape[1], shape[2]
    local predicted = elements > 0 and each * (rows / elements) ^ 3 or 0
    local bytes = 4 * (2 * rows * columns + rows * rows)
    if 2 * predicted > r:left() then
      r:leave_out(("%d × %d: an iteration may take %.2g s"):format(rows, columns, predicted))
    elseif 3 * bytes > (core.available_memory(r.device) or math.huge) then
      r:leave_out(("%d × %d: too little memory"):format(rows, columns))
    else
      r:check(("loop of %d × %d"):format(rows, columns), function()
        each, elements = measure_loop(r, hopes, rows, columns), rows
        return true
      end)
    end
  end
end

-- ---- the stage ----

--- Measures a launch, reading, copying, a product and the notebook's loops.
function speed.all(r)
  local hopes, seconds, watch = projected.of(r), r.seconds / 30, idle.watch()
  r:check("launch", function()
    local call = meters.call(r.device, math.min(seconds, 0.25)).call
    r:figure{name = "launch", value = call, unit = "s", projected = hopes:call()}
    return true
  end)
  r:check("memory", function() return measure_memory(r, hopes, math.min(seconds, 0.5)) end)
  r:check("product", function()
    local row = meters.gemm(r.device, "float32", math.min(seconds, 0.5))
    r:figure{name = ("product of %d × %d"):format(row.n, row.n), value = row.flops, unit = "FLOP/s",
      projected = hopes:product()}
    return true
  end)
  measure_loops(r, hopes)
  local others = watch:others()
  if others then r:figure{name = "processor used by other programs", value = others, unit = "share"} end
end

return speed
