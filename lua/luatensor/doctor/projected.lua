--- Projects the speeds of a device from its properties, for `luatensor doctor`. nil means that nothing is projected. An
-- emulated device has no projected speeds.

local lt = require "luatensor"
local public = require "luatensor.bench.public_figures"

local projected = {}

-- Seconds of a call on few elements: a launch on an H100 took 3.9 µs, and an addition of 1000 numbers on a CPU 0.4 µs
-- (docs/measurements.md).
local CALL <const> = {gpu = 4e-6, cpu = 0.4e-6}
local REACHED <const> = 0.9          -- the share of a memory's or a link's speed that large copies reach
local OF_FMA <const> = 0.85          -- the share of the speed of multiply-adds that large products reach

-- The seconds of a stage from which on the limits of the device are measured, which takes a second or more.
local ENOUGH <const> = 5

local methods = {}
methods.__index = methods

--- Makes the projections for the device of a stage.
-- @tab r its report
function projected.of(r)
  local real = not r.info.emulated
  local limits = real and r.seconds >= ENOUGH and lt.limits(r.device) or {}
  return setmetatable({info = real and r.info or {}, limits = limits}, methods)
end

--- Returns the seconds of a launch, or of the smallest call of the CPU.
function methods:call() return CALL[self.info.kind] end

--- Returns the bytes per second of reading ("read") or of copying ("copy", which counts both ways) large tensors.
function methods:bytes(kind) return self.info.bandwidth and REACHED * self.info.bandwidth or self.limits[kind] end

--- Returns the additions and multiplications per second of large products of float32.
function methods:product() return self.limits.flops and OF_FMA * self.limits.flops end

-- Bytes that an iteration of the notebook's loop writes and reads: x, y and the product are each written and read.
local function bytes_of(rows, columns) return 4 * (4 * rows * columns + 2 * rows * rows) end

--- Returns the seconds of an iteration of the notebook's loop: two random matrices, a product and a sum.
function methods:iteration(rows, columns)
  local call, memory, product = self:call(), self:bytes "read", self:product()
  if not (call and memory and product) then return nil end
  return 4 * call + bytes_of(rows, columns) / memory + 2 * rows * rows * columns / product
end

--- Returns the bytes per second of the link between a GPU and the CPU, if it is published.
function projected.link(info)
  for _, figure in ipairs(public.devices()) do
    if public.is_here(figure, {info}) and math.type(figure.link) then return REACHED * figure.link end
  end
end

return projected
