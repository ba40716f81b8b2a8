--- Measures a machine's limits. Loops in C (lt.limits, core.working_set) measure arithmetic and memory. This module
-- times functions that scripts call. A limit is the rate of the fastest round. A cost is a median.

local core = require "luatensor.core"
local lt = require "luatensor"
local sample = require "luatensor.bench.sample"

local meters = {}

local KIB <const>, MIB <const> = 1 << 10, 1 << 20

-- Times fn with a sampler, and returns the sampler's figures.
local function figures_of(fn, device, seconds)
  local sampler = sample.new(fn, {
    what = "bench.machine", device = device, seconds = seconds, rounds = 5, warmup = seconds / 4, gc = "count",
    clock = lt.clock, part = true,
  })
  sampler:warm_up()
  repeat sampler:round() until sampler:done()
  return sampler:finish()
end

--- Measures additions and multiplications per second, and bytes per second read and copied.
-- @treturn table flops, read, copy
function meters.limits(device, dtype) return lt.limits(device, dtype) end

--- Measures the speed of reading the same bytes repeatedly, by each CPU thread or by the whole GPU.
-- @treturn table read (bytes per second), latency (seconds; nil: not measured)
function meters.working_set(device, bytes) return core.working_set(device, bytes) end

-- ---- matrix products ----------------------------------------------------------------------------

local LARGEST <const> = 8192            -- the maximum number of rows; a square float32 matrix then has 256 MiB
local WIDEST <const> = 8                -- bytes of an element of the widest dtype

local function fits(device, n)
  return 3 * n * n * WIDEST <= (core.available_memory(device) or math.huge) / 4
end

local function square(n, device, dtype) return lt.rand(n, n, {device = device}):to(dtype) end

--- Returns the seconds of one call of fn, including the work that it queues on the device.
function meters.seconds_of(fn, device)
  lt.synchronize(device)
  local start = lt.clock()
  fn()
  lt.synchronize(device)
  return lt.clock() - start
end

-- Returns a function that multiplies two n × n matrices into a third one. It has been called twice: the first call
-- loads a GPU's library, and the second one compiles the program of a device of PJRT, without the random numbers.
local function product(n, device, dtype)
  local x, y, out = square(n, device, dtype), square(n, device, dtype), square(n, device, dtype)
  local function multiply() lt.matmul(x, y, {out = out}) end
  for _ = 1, 2 do meters.seconds_of(multiply, device) end
  return multiply
end

--- Measures the rate of products of two square matrices for about `seconds`. The number of rows is the smallest power
-- of two, from 128 on, whose product takes at least a fifth of `seconds`. LARGEST and the free memory limit n.
-- @treturn table n, flops (per second), and min, q1, median, q3: seconds of a product
function meters.gemm(device, dtype, seconds)
  local n, multiply = 128, product(128, device, dtype)
  while n < LARGEST and fits(device, 2 * n) and meters.seconds_of(multiply, device) < seconds / 5 do
    n = 2 * n
    multiply = product(n, device, dtype)
  end
  local f = figures_of(multiply, device, seconds)
  return {n = n, flops = 2 * n ^ 3 / f.min, min = f.min, q1 = f.q1, median = f.median, q3 = f.q3}
end

-- ---- calls and transfers ------------------------------------------------------------------------

--- Measures the cost of the smallest call: adding a number to a number, in place.
-- @treturn table call: seconds of a call in a sequence of calls (on a GPU: of a launch); single: seconds of a call
--   until its work is done; wait: seconds of waiting for an idle device
function meters.call(device, seconds)
  local x, y = lt.zeros(1, {device = device}), lt.ones(1, {device = device})
  local f = figures_of(function() x:add_(y) end, device, seconds)
  return {call = f.median, single = f.single, wait = f.wait_seconds}
end

-- Returns n bytes in host memory, which is page-locked if `pinned` is true.
local function host_bytes(n, pinned)
  local x = lt.zeros(n, {dtype = "uint8", device = core.host_device})
  return pinned and x:pin_memory() or x
end

local function copy_seconds(to, from, device, seconds)
  local f = figures_of(function()
    to:copy_(from)
    lt.synchronize(device)
  end, device, seconds)
  return f.min
end

--- Measures copies between ordinary or page-locked memory and a device.
-- @string device
-- @bool pinned true for page-locked memory
-- @bool out true copies from the device to the host
-- @number seconds
-- @treturn table latency: seconds for four bytes; bandwidth: bytes per second of a large copy; bytes: its size
function meters.transfer(device, pinned, out, seconds)
  local bytes = (core.available_memory(device) or math.huge) >= 1 << 30 and 64 * MIB or 4 * MIB
  local function time(n)
    local host, there = host_bytes(n, pinned), lt.zeros(n, {dtype = "uint8", device = device})
    return copy_seconds(out and host or there, out and there or host, device, seconds)
  end
  return {latency = time(4), bandwidth = bytes / time(bytes), bytes = bytes}
end

-- ---- the levels of the memory -------------------------------------------------------------------

--- Returns the working sets to measure, from one that fits into the first cache to one that fits into no cache.
-- @string device
-- @number seconds a short time allows only few sizes
-- @treturn {int,...} bytes, of each CPU thread, or of the whole GPU
function meters.sizes(device, seconds)
  local cpu, hurry = device == core.host_device, seconds < 0.05
  local most = (core.available_memory(device) or math.huge) / 4 / (cpu and lt.get_num_threads() or 2)
  local sizes, bytes = {}, cpu and 8 * KIB or MIB
  while bytes <= (hurry and 4 or 256) * MIB and bytes <= most do
    sizes[#sizes + 1] = bytes
    bytes = (hurry and 8 or 2) * bytes
  end
  return sizes
end

return meters
