--- The functions with which luatensor.bench.crossover.grid queries and times this machine. Specs pass a table of
-- simulated functions to the grid instead.

local core = require "luatensor.core"
local lt = require "luatensor"
local agree = require "luatensor.bench.comparison.agree"
local idle = require "luatensor.bench.idle"
local sample = require "luatensor.bench.sample"
local state = require "luatensor.bench.state"

local place = {}

--- Stores the process's settings. They are restored when the `<close>` variable with the result goes out of scope.
place.keep = state.keep

place.is_tensor = lt.is_tensor

--- Returns the devices of this machine, the CPU first: {{device =, name =, kind =, memory =, emulated =}, …}.
place.devices = lt.devices

local function check_there(x)
  if core.gone(x) then error("the function freed a tensor that inputs(n) returned: it is called more than once", 0) end
end

--- Moves a tensor to a device; returns the tensor itself if it is already there.
function place.move(x, device)
  check_there(x)
  return x:to(device)
end

--- Returns a copy of the tensor on the CPU.
function place.copy(x)
  local copy = x:to(core.host_device)
  return rawequal(copy, x) and x:clone() or copy
end

local function width(dtype)
  if dtype == "bool" then return 1 end
  return (lt.isdtype(dtype, "integral") and lt.iinfo or lt.finfo)(dtype).bits // 8
end

--- Returns the number of bytes of a tensor's elements.
function place.bytes(x)
  check_there(x)
  local parts = lt.isdtype(x.dtype, "complex floating") and 2 or 1     -- finfo returns the bits of a part
  return x.size * width(x.dtype) * parts
end

--- Calls inputs(n) with the CPU as default device, and returns the packed results.
function place.made(inputs, n)
  local _ <close> = state.use_device(core.host_device)
  return table.pack(inputs(n))
end

--- Calls a function on a device with a freshly seeded default generator, and returns the packed results.
function place.seeded(seed, device, call)
  local _ <close> = state.use_device(device)
  lt.manual_seed(seed)
  return table.pack(call())
end

--- Compares two packed lists of results. Returns "agree", "differ" or "not checked", and a text that says how
-- they differ.
place.agree = agree.results

--- Returns the bytes that tensors can still take on a device, or nil if they are unknown.
place.available = core.available_memory

local before = {}

--- Starts to measure the peak memory of a device.
function place.reset_peak(device)
  lt.reset_peak_memory(device)
  before[device] = lt.memory(device).live
end

--- Returns the peak of a device's memory since the last call of reset_peak, in bytes. The memory that was in use at
-- that call does not count.
function place.peak(device) return lt.memory(device).peak - (before[device] or 0) end

--- Frees the memory of a measured size: collects garbage, and returns the memory that the allocators keep to the
-- system.
function place.release()
  collectgarbage()
  collectgarbage()
  lt.empty_cache()
end

local function sampler_of(entry, settings)
  return sample.new(entry.call, {
    what = settings.what, device = entry.device, seconds = settings.seconds, rounds = 5,
    warmup = math.min(0.1, settings.seconds), gc = "count", clock = lt.clock,
  })
end

local function all_done(samplers)
  for _, sampler in ipairs(samplers) do
    if not sampler:done() then return false end
  end
  return true
end

--- Times several calls in turn, one round each: A B A B.
-- @tab entries {{device =, call =}, …}
-- @tab settings what, seconds
-- @treturn table the figures of each entry, from luatensor.bench.sample
function place.measure(entries, settings)
  local samplers, figures = {}, {}
  for i, entry in ipairs(entries) do
    idle.pause()
    samplers[i] = sampler_of(entry, settings)
    samplers[i]:warm_up()
  end
  while not all_done(samplers) do
    for _, sampler in ipairs(samplers) do
      if #samplers > 1 then idle.pause() end
      if not sampler:done() then sampler:round() end
    end
  end
  for i, sampler in ipairs(samplers) do figures[i] = sampler:finish(true) end
  return figures
end

-- Families of device calls that only move data or wait, without other work on the device.
local no_work = {copy_in = true, copy_out = true, copy_across = true, wait = true}

-- Returns the dtype whose peak rate bounds a row. Float32 products that may be made in TF32 are bounded by the rate
-- of TF32.
local function dtype_of(row)
  local faster = row.family == "gemm" and row.dtype == "float32" and lt.get_matmul_precision() == "tf32"
  return faster and "tf32" or row.dtype
end

-- Converts the rows of a profile to the form that luatensor.bench.public_figures.bound takes.
local function work_of(rows)
  local work = {}
  for _, row in ipairs(rows) do
    if not no_work[row.family] then
      work[#work + 1] = {family = row.family, dtype = dtype_of(row), calls = row.calls, flops = row.flops,
        bytes = row.read + row.written}
    end
  end
  return {rows = work}
end

--- Counts the work of one call.
-- @func call
-- @string device on which the call runs
-- @treturn ?table {rows = {{family =, dtype =, calls =, flops =, bytes =}, …}}; nil if the script itself runs a
--   profile
function place.count(call, device)
  local _ <close> = state.use_device(device)
  local _ <close> = state.profile_end()
  if not state.start_profile("counting") then return nil end
  call()
  return work_of(core.profile_stop().rows)
end

--- Returns the reason why there is no accelerator, or nil if there is one.
function place.no_gpu()
  local missing, reasons = core.no_accelerator()
  return missing and reasons
end

return place
