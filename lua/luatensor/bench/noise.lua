--- Decides which figures of a measurement can be trusted on a busy machine. The functions are pure.

local measured = require "luatensor.bench.crossover.measured"
local notes = require "luatensor.bench.notes"
local statistics = require "luatensor.bench.statistics"

local noise = {}

--- If the quartiles are further apart than this share of the median, the figure is marked.
noise.WIDE = 0.5

--- If other processes used more than this share of the processor during a measurement, no verdict follows from its
-- times.
noise.MOST = 0.25

--- The least difference, as a share, for the verdict that one function or device is faster than another.
noise.FLOOR = 0.05
--- The least difference for this verdict on a busy machine, on which other processes used more than a tenth of the
-- processor. It is larger than FLOOR, because a disturbance may hit only one of the two measurements.
noise.BUSY_FLOOR = 0.25

-- The largest credible power of the size n with which the seconds of some work grow. The largest credible power of
-- the bytes is half of this power, because the bytes of square matrices grow with n².
local STEEPEST <const> = 4
local MARGIN <const> = 2           -- allowed jump of the time between sizes (more threads, another cache), as a factor

--- True if others used more than the share notes.OTHERS of the processor during the measurement.
function noise.busy(figures) return (figures.others or 0) > notes.OTHERS end

--- Returns FLOOR, or BUSY_FLOOR if others used more than the share notes.OTHERS of the processor.
function noise.floor(others) return (others or 0) > notes.OTHERS and noise.BUSY_FLOOR or noise.FLOOR end

--- True if `one` is faster beyond doubt: the quartiles do not touch, and more than the floor is between them.
-- @tab one {q3 =, others =}
-- @tab other {q1 =, others =}
function noise.faster(one, other)
  return other.q1 > one.q3 * (1 + noise.floor(math.max(one.others or 0, other.others or 0)))
end

--- True if the quartiles are further apart than the share WIDE of the median.
function noise.wide(figures) return statistics.spread(figures) > noise.WIDE end

--- Returns the seconds to rely on: the median, or on a busy machine the minimum, because other processes can only add
-- time.
function noise.seconds(figures) return noise.busy(figures) and figures.min or figures.median end

--- True if other processes used more than the share MOST of the processor. Even the fastest round may then be
-- disturbed, because threads that wait for each other wait for busy cores in every round.
function noise.drowns(others) return (others or 0) > noise.MOST end

--- True if the figure is too uncertain for a verdict. There are three reasons: its time is an outlier among the times
-- of all sizes; its quartiles are far apart on a busy machine; other processes used more than the share MOST of the
-- processor.
function noise.hides(figures)
  if figures.out_of_line or noise.drowns(figures.others) then return true end
  return noise.busy(figures) and noise.wide(figures)
end

-- Returns the largest credible ratio of the time of `item` to that of a smaller size. Both are {n, seconds, bytes or
-- nil}.
local function most_growth(item, smaller)
  local n = item[1] / smaller[1]
  local bytes = item[3] and smaller[3] and item[3] / smaller[3] or n * n
  return MARGIN * math.min(n ^ STEEPEST, math.max(n, bytes) ^ (STEEPEST / 2))
end

-- True if the seconds of size list[i] are an outlier: they are more than MARGIN times the seconds of a larger size, or
-- their ratio to the seconds of a smaller size exceeds most_growth.
local function is_out(list, i)
  local seconds = list[i][2]
  for later = i + 1, #list do
    if seconds > MARGIN * list[later][2] then return true end
  end
  for before = 1, i - 1 do
    if seconds > list[before][2] * most_growth(list[i], list[before]) then return true end
  end
  return false
end

--- Finds the sizes whose seconds are outliers.
-- @tab list {{n, seconds, its bytes or nil}, …}, n ascending
-- @treturn table {[n] = true, …}
function noise.out_of_line(list)
  local out = {}
  for i, item in ipairs(list) do
    if is_out(list, i) then out[item[1]] = true end
  end
  return out
end

--- Calls f(figures, point, out) for the doubtful figures of each device: figures for which other processes used the
-- processor, or whose rounds differ much. out: true if the time is an outlier among the times of all sizes.
-- @tab points of a grid
-- @tab devices {{device =}, …}
-- @func f
function noise.each(points, devices, f)
  for _, device in ipairs(devices) do
    for _, mode in ipairs(measured.MODES) do
      local list, at = {}, {}
      for _, point in ipairs(points) do
        local entry = measured.entry_of(point, device.device)
        local figures = entry and entry[mode]
        if figures then
          list[#list + 1], at[point] = {point.n, noise.seconds(figures), entry.bytes}, figures
        end
      end
      local out = noise.out_of_line(list)
      for point, figures in pairs(at) do
        if noise.busy(figures) or noise.wide(figures) then f(figures, point, out[point.n]) end
      end
    end
  end
end

--- `point` and `again` are two measurements of the same size. For each device and mode (measured.MODES), stores the
-- less disturbed figures, which have the lower time, in `point`.
function noise.take_better(point, again)
  for _, entry in ipairs(point.measured) do
    local other = measured.entry_of(again, entry.device)
    for _, mode in ipairs(measured.MODES) do
      local before, after = entry[mode], other and other[mode]
      if before and after and noise.seconds(after) < noise.seconds(before) then entry[mode] = after end
    end
  end
end

--- Describes the noise in the points of a grid on a device.
-- @tab points
-- @string device
-- @treturn table sizes: the sizes whose times are too uncertain (noise.hides), ascending; most: the largest share of
--   the processor that others used, or nil if it is negligible
function noise.of_points(points, device)
  local found = {sizes = {}}
  for _, point in ipairs(points) do
    local entry = measured.entry_of(point, device)
    local hidden = false
    for _, mode in ipairs(entry and measured.MODES or {}) do
      local figures = entry[mode]
      if figures and noise.busy(figures) then found.most = math.max(found.most or 0, figures.others) end
      hidden = hidden or figures and noise.hides(figures)
    end
    if hidden then table.insert(found.sizes, point.n) end
  end
  return found
end

return noise
