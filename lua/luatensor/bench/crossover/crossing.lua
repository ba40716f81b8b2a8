--- Finds the crossover of two devices: the size above which one device is faster than the other. The functions are
-- pure: they derive verdicts from quartiles, and an interval and a sentence from verdicts.

local noise = require "luatensor.bench.noise"

local crossing = {}

--- Compares `other` with `base` by their quartiles. The result is "undecided" if the quartiles are closer than the
-- floor of luatensor.bench.noise, or if a time is an outlier among the times of all sizes (out_of_line).
-- @tab base {q1 =, q3 =, others =, out_of_line =}
-- @tab other the same
-- @treturn string "faster", "slower" or "undecided"
function crossing.verdict(base, other)
  if base.out_of_line or other.out_of_line then return "undecided" end
  if noise.faster(other, base) then return "faster" end
  if noise.faster(base, other) then return "slower" end
  return "undecided"
end

--- Finds every change of the verdict along ascending sizes.
-- @tab points {{n =, verdict =}, …}, n ascending, at least one
-- @treturn table first and last: the verdicts at the smallest and the largest decided size, or nil; changes: {{from
--   =, to =, becomes =}, …}, each an interval of sizes in which the verdict changes; least, most: the smallest and
--   the largest size; decided_from, decided_to: the smallest and the largest decided size; undecided: the number of
--   undecided sizes
function crossing.find(points)
  local found = {changes = {}, undecided = 0, least = points[1].n, most = points[#points].n}
  for _, point in ipairs(points) do
    if point.verdict == "undecided" then
      found.undecided = found.undecided + 1
    else
      if found.last and found.last ~= point.verdict then
        found.changes[#found.changes + 1] = {from = found.decided_to, to = point.n, becomes = point.verdict}
      end
      found.first, found.decided_from = found.first or point.verdict, found.decided_from or point.n
      found.last, found.decided_to = point.verdict, point.n
    end
  end
  return found
end

local CLOSE <const> = 1.1        -- a gap between two sizes with a smaller ratio gets no further size

--- Returns the next size to measure: the geometric mean of the widest gap between measured sizes where the verdict
-- changes.
-- @tab found a result of crossing.find
-- @tab sizes measured so far, ascending
-- @treturn[1] int
-- @treturn[1] number the width of the gap, as a ratio
-- @treturn[2] nil if all gaps are narrow enough
function crossing.next_size(found, sizes)
  local best, widest = nil, CLOSE
  for _, change in ipairs(found.changes) do
    for i = 2, #sizes do
      local low, high = sizes[i - 1], sizes[i]
      if low >= change.from and high <= change.to and high - low > 1 and high / low > widest then
        best, widest = math.max(low + 1, math.min(high - 1, (math.sqrt(low * high) + 0.5) // 1 | 0)), high / low
      end
    end
  end
  return best, best and widest
end

-- ---- sentences ----------------------------------------------------------------------------------

local function say_nothing_decided(found)
  if found.least == found.most then return "is neither faster nor slower than {base} at n = {most}" end
  return "is neither faster nor slower than {base} beyond doubt at any size from n = {least} to {most}"
end

local function say_no_change(found)
  if found.first == "slower" then
    return "is faster than {base} at none of the sizes measured, n = {least} to {most}"
  elseif found.decided_from > found.least then
    return "is faster than {base} from n = {decided_from} on"
  end
  return "is faster than {base} from the smallest size measured on, n = {least}"
end

-- Returns the end of a sentence that names the sizes at both ends with the verdict "undecided"; "" if there are none.
local function say_undecided(found)
  local ends = {}
  if found.decided_from > found.least then ends[1] = "below n = {decided_from}" end
  if found.decided_to < found.most then ends[#ends + 1] = "above n = {decided_to}" end
  return #ends > 0 and "; " .. table.concat(ends, " and ") .. " it is undecided" or ""
end

local function say_changes(found, values)
  local parts = {}
  for i, change in ipairs(found.changes) do
    values["from" .. i], values["to" .. i] = {change.from, "count"}, {change.to, "count"}
    local verb = change.becomes == "faster" and "overtakes {base}" or "falls behind {base}"
    parts[i] = ("%s between n = {from%d} and n = {to%d}"):format(verb, i, i)
  end
  return table.concat(parts, ", ")
end

--- Returns a sentence that says at which sizes a device is faster than the base.
-- @tab found a result of crossing.find for at least one point
-- @string device
-- @string base
-- @string mode "in_place" or "with_transfers"
-- @treturn string the sentence, with names of values in braces
-- @treturn table the values by name
function crossing.sentence(found, device, base, mode)
  local values = {device = {device, "text"}, base = {base, "text"}}
  for _, name in ipairs{"least", "most", "decided_from", "decided_to"} do
    values[name] = {found[name] or false, "count"}
  end
  local where = mode == "in_place" and "With the data in place" or "With transfers"
  local text
  if not found.first then
    text = say_nothing_decided(found)
  else
    text = (#found.changes == 0 and say_no_change(found) or say_changes(found, values)) .. say_undecided(found)
  end
  return where .. ", {device} " .. text .. ".", values
end

return crossing
