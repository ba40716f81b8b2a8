-- A fake machine for luatensor.bench.crossover.grid. The spec chooses its devices, costs and memory. Its tensors are
-- tables with a device. To measure a function, the machine calls it once and reports a time that the spec chose.

local fake = {}

local tensor = {__name = "fake tensor"}

--- Makes a tensor of `bytes` bytes on a device.
function fake.tensor(bytes, device, value)
  return setmetatable({bytes = bytes, device = device or "cpu", value = value or 1}, tensor)
end

local function quartiles(seconds, spread)
  return {min = seconds * (1 - 2 * spread), q1 = seconds * (1 - spread), median = seconds,
    q3 = seconds * (1 + spread), max = seconds * (1 + 2 * spread), samples = {seconds}, dtype = "float32"}
end

--- Makes a fake machine (a place). The fields of `want`:
--
--     devices    {{device =, emulated =}, …}
--     cost       cost(device, n, mode) returns the seconds of a call at size n; mode: "in_place" or "with_transfers"
--     spread     relative distance of the quartiles from the median (default: 1 %)
--     others     the share of the processor that other processes used
--     available  {device = bytes}: the free memory
--     agree      agree(a, b, n) compares the results of two devices at size n; default: returns "agree"
--     work       work(n) returns the rows of counted work at size n
--     no_gpu     the reason why there is no GPU
--     fails      {device = n}: out of memory from size n on
function fake.place(want)
  local place = {log = {}, now = "cpu"}
  local size, peaks = nil, {}

  function place.keep() return nil end
  function place.is_tensor(x) return getmetatable(x) == tensor end
  function place.devices() return want.devices end
  function place.bytes(x) return x.bytes end
  function place.available(device) return want.available and want.available[device] end
  function place.reset_peak(device) peaks[device] = 0 end
  function place.peak(device) return peaks[device] end
  function place.release() place.log[#place.log + 1] = "release" end
  function place.agree(a, b) return (want.agree or function() return "agree" end)(a, b, size) end

  function place.move(x, device)
    if x.device == device then return x end
    peaks[device] = (peaks[device] or 0) + x.bytes
    return fake.tensor(x.bytes, device, x.value)
  end

  function place.copy(x) return fake.tensor(x.bytes, "cpu", x.value) end

  function place.made(inputs, n)
    size = n
    local values = table.pack(inputs(n))
    for _, x in ipairs(values) do
      if place.is_tensor(x) then peaks.cpu = (peaks.cpu or 0) + x.bytes end
    end
    return values
  end

  local function on(device, call)
    local limit = want.fails and want.fails[device]
    if limit and size >= limit then error(("out of memory on %s: asked for much"):format(device), 0) end
    place.now = device
    local results = table.pack(call())
    place.now = "cpu"
    return results
  end

  function place.seeded(_, device, call) return on(device, call) end

  function place.measure(entries)
    local figures = {}
    for i, entry in ipairs(entries) do
      on(entry.device, entry.call)
      place.log[#place.log + 1] = ("%s %s %d"):format(entry.device, entry.mode, size)
      figures[i] = quartiles(want.cost(entry.device, size, entry.mode), want.spread or 0.01)
      figures[i].others = want.others
    end
    return figures
  end

  function place.no_gpu() return want.no_gpu end
  function place.count() return want.work and {rows = want.work(size)} or nil end

  return place
end

return fake
