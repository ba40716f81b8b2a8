--- Functions that find entries, devices and figures in the points of a grid (luatensor.bench.crossover.grid).

local measured = {}

--- The names of the two measurements of a call. In "in_place", the inputs are on the device. In "with_transfers", the
-- inputs start on the CPU, and the results are copied to the CPU.
measured.MODES = {"in_place", "with_transfers"}

--- Returns the entry of a device at a point, or nil if the device was not measured at this point.
function measured.entry_of(point, device)
  for _, entry in ipairs(point.measured) do
    if entry.device == device then return entry end
  end
end

--- Returns the emulated devices, or the real devices if `emulated` is false. Both kinds never share a table or a
-- chart.
-- @tab devices {{device =, emulated =}, …}
-- @bool emulated
function measured.devices(devices, emulated)
  local list = {}
  for _, device in ipairs(devices) do
    if (device.emulated or false) == emulated then list[#list + 1] = device end
  end
  return list
end

-- Implements the method `timings` of results with points. Returns the figures of all points; bench.diff compares
-- figures with the same name.
function measured.timings(self)
  local list = {}
  for _, point in ipairs(self.points) do
    for _, entry in ipairs(point.measured) do
      for _, mode in ipairs(measured.MODES) do
        local times = entry[mode]
        list[#list + 1] = times and {
          name = ("%s on %s, n = %d, %s"):format(self.name, entry.device, point.n, (mode:gsub("_", " "))),
          device = entry.device, dtype = point.dtype, emulated = entry.emulated,
          q1 = times.q1, median = times.median, q3 = times.q3, others = times.others,
        } or nil
      end
    end
  end
  return list
end

return measured
