--- Computes the shares of a device's measured limits that the rows of a split reach.

local machine = require "luatensor.bench.machine"

local share = {}

-- The set of the families of kernels whose speed the memory limits, because they read their operands once and do
-- little arithmetic.
local streams <const> = {map = true, elementwise = true, reduce = true, scan = true, softmax = true,
                           cross_entropy = true, norm = true}

--- Returns a row's share of the limit that bench.machine measured before.
-- @tab row
-- @string device the whole name of the row's device
-- @treturn ?number the share, or nil if it is unknown or this family has no such limit
-- @treturn ?string the name of the limit, or the reason why the share is unknown
-- @treturn ?table a note
function share.known(row, device)
  if row.rate then return machine.share(row.rate, "flops", device, row.dtype) end
  if not (streams[row.family] and row.bandwidth) then return nil end
  if row.read < row.written / 8 then return nil end              -- no share: the write-only bandwidth is not measured
  local kind = row.written < row.read / 8 and "read" or "copy"
  return machine.share(row.bandwidth, kind, device, nil, math.ceil(row.bytes / row.calls))
end

--- Sets the fields `share` (of a limit) and `limit` (the limit's name) of rows. Rows of emulated devices get neither,
-- because limits of an emulator are meaningless.
-- @tab rows
-- @func limits like share.known
-- @func name_of returns the whole name of a kind of device, or nil if several devices of this kind share the rows;
--   such rows get no share
-- @treturn table notes
function share.add(rows, limits, name_of)
  local notes = {}
  for _, row in ipairs(rows) do
    local name = name_of(row.device)
    if name and not row.emulated then
      local value, limit, note = limits(row, name)
      row.share, row.limit = value, limit
      notes[#notes + 1] = note
    end
  end
  return notes
end

return share
