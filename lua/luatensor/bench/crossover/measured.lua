--- Reads the measurements of luatensor.bench.grid.

local measured = {}

--- The modes: inputs that are on the device, and inputs that start on the CPU, where the results return.
measured.MODES = {"in_place", "with_transfers"}

--- The entry of a device at a point, or nil if it was not measured there.
function measured.entry_of(point, device)
  for _, entry in ipairs(point.measured) do
    if entry.device == device then return entry end
  end
end

--- The devices that are emulated, or those that are not. They never share a table or a chart.
-- @tab devices {{device =, emulated =}, …}
-- @bool emulated
function measured.devices(devices, emulated)
  local list = {}
  for _, device in ipairs(devices) do
    if (device.emulated or false) == emulated then list[#list + 1] = device end
  end
  return list
end

-- The named figures of a result with points, for diff: its method `timings`.
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
