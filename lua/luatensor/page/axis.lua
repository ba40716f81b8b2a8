--- Makes the axes of charts: computes their range, their ticks, and the positions of values.

local format = require "luatensor.page.format"

local axis = {}
axis.__index = axis

local LARGEST <const> = 0x1.fffffffffffffp+1023

-- Numbers that differ by less than this share of their size count as equal, because ticks between them would have
-- too many digits.
local RESOLUTION <const> = 1e-12
local LEAST <const> = 1e-300            -- a shorter range has too few digits for ticks

local function range_of(values)
  local low, high = math.huge, -math.huge
  for _, value in ipairs(values) do low, high = math.min(low, value), math.max(high, value) end
  return low, high
end

local function all_powers_of_two(values)
  for _, value in ipairs(values) do
    if math.log(value, 2) % 1 ~= 0 then return false end
  end
  return true
end

-- Adds a tick without its text.
local function add_tick(self, value)
  if value >= self.low - 1e-9 * math.abs(self.low) and value <= self.high + 1e-9 * math.abs(self.high)
      or value == 0 and self.low <= 0 then
    self.ticks[#self.ticks + 1] = {value}
  end
end

-- Adds a tick at every k-th power of the base, where k is the smallest number that gives at most `most` ticks.
-- Returns false if fewer than two ticks are in the range.
local function power_ticks(self, base, most)
  local first = math.ceil(math.log(self.low, base) - 1e-9)
  local last = math.floor(math.log(self.high, base) + 1e-9)
  local step = math.max(1, math.ceil((last - first + 1) / most))
  for power = first, last, step do add_tick(self, base ^ power) end
  return #self.ticks >= 2
end

-- Replaces the ticks by ticks at 1, 2 and 5 times each power of ten. Returns false if fewer than two ticks are in the
-- range.
local function fine_ticks(self)
  self.ticks = {}
  for power = math.floor(math.log(self.low, 10)), math.ceil(math.log(self.high, 10)) do
    for _, digit in ipairs{1, 2, 5} do add_tick(self, digit * 10.0 ^ power) end
  end
  return #self.ticks >= 2
end

-- Rounds a step up to 1, 2 or 5 × 10^k, or to 2^k for the unit "B".
local function round_step(step, unit)
  if unit == "B" then return 2 ^ math.ceil(math.log(step, 2)) end
  local scale = 10 ^ math.floor(math.log(step, 10))
  for _, digit in ipairs{1, 2, 5} do
    if step <= digit * scale * (1 + 1e-9) then return digit * scale end
  end
  return 10 * scale
end

local function even_ticks(self, most)
  self.ticks = {}
  local step = (self.high / 2 - self.low / 2) / most * 2                             -- halves cannot overflow
  if step < LEAST / 1000 then return end
  step = round_step(step, self.unit)
  if self.unit == "count" then step = math.max(1, step) end
  for i = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) do add_tick(self, i * step) end
end

-- Widens a linear range. A range of one value is extended by half of the value, or by 1 if the value is 0.
local function widen_linear(self, options, fixed)
  if options.from_zero then self.low, self.high = math.min(0, self.low), math.max(0, self.high) end
  local size = math.max(math.abs(self.low), math.abs(self.high))
  if self.high / 2 - self.low / 2 <= math.max(size * RESOLUTION, LEAST) then
    local room = size == 0 and 1 or math.max(size / 2, LEAST)
    self.low, self.high = math.max(self.low - room, -LARGEST), math.min(self.high + room, LARGEST)
    return
  end
  local room = (options.margin or 0) * (self.high / 2 - self.low / 2) * 2
  if not fixed.low and not (options.from_zero and self.low == 0) then self.low = math.max(self.low - room, -LARGEST) end
  if not fixed.high and not (options.from_zero and self.high == 0) then
    self.high = math.min(self.high + room, LARGEST)
  end
end

-- Widens a logarithmic range. The range is extended by the factor 2 at both ends if their ratio is less than 1.05.
-- Other ranges grow by 3 % of their length at both ends if there is a margin, so that marks there are not cut.
local function widen_log(self, options, fixed)
  local margin, length = options.margin or options.from_zero, math.log(self.high) - math.log(self.low)
  local room = self.high / self.low < 1.05 and 2 or margin and math.exp(0.03 * length) or 1
  if self.low / room == 0 or self.high * room == math.huge then room = 1 end
  if not fixed.low or room == 2 then self.low = self.low / room end
  if not fixed.high or room == 2 then self.high = self.high * room end
end

--- Makes an axis for values.
-- @tab spec {unit =, log =, low =, high =, ticks =} of a chart's block. `low` and `high` fix the ends of the axis.
--   `ticks` replaces the computed ticks.
-- @tab values all values on the axis, which must be finite
-- @tab options `most` is the largest number of ticks (default 6). With `from_zero`, a linear axis contains 0. `margin`
--   is the share of the length by which a linear range grows at both ends.
-- @treturn table low, high, log (the base of a logarithmic axis; false or nil for a linear axis, also if a value is
--   not positive), ticks {{value, text}, …}
function axis.new(spec, values, options)
  local low, high = range_of(values)
  if #values == 0 then low, high = 0, 1 end
  if #values == 0 and spec.log then low, high = 1, 10 end
  low, high = spec.low or low, spec.high or high
  if low > high then                                                  -- all values are beyond the fixed end
    if spec.low then high = low + math.abs(low) + 1 else low = high - math.abs(high) - 1 end
  end
  local self = setmetatable({unit = spec.unit, low = low, high = high, ticks = {}}, axis)
  self.log = spec.log and low > 0 and high < math.huge and (all_powers_of_two(values) and 2 or 10);
  (self.log and widen_log or widen_linear)(self, options, spec)
  local most = options.most or 6
  if not self.log or not power_ticks(self, self.log, most) and not fine_ticks(self) then even_ticks(self, most) end
  local texts = format.ticks(self.ticks, spec.unit, self.log)
  for i, tick in ipairs(self.ticks) do tick[2] = texts[i] end
  self.ticks = spec.ticks or self.ticks
  return self
end

--- Returns the position of a value: from 0 at the low end to 1 at the high end.
function axis:at(value)
  if self.log then                                                    -- quotients could overflow
    local low = math.log(self.low)
    return (math.log(value) - low) / (math.log(self.high) - low)
  end
  return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)             -- halves cannot overflow
end

--- Returns the points of a chart's series that can be shown. Both coordinates are numbers, which are positive on a
-- logarithmic axis. In a chart of bars, x is a name.
-- @tab block a chart
-- @treturn table a list of points for each series
-- @treturn table the x of all points
-- @treturn table the y of all points
function axis.points(block)
  local shown, xs, ys = {}, {}, {}
  local function fits(value, spec) return type(value) == "number" and (not spec.log or value > 0) end
  for s, series in ipairs(block.series) do
    shown[s] = {}
    for _, point in ipairs(series.points) do
      if (block.bars or fits(point[1], block.x)) and fits(point[2], block.y) then
        table.insert(shown[s], point)
        xs[#xs + 1], ys[#ys + 1] = point[1], point[2]
      end
    end
  end
  return shown, xs, ys
end

--- Lists a chart's bars from top to bottom, each as {name, number of the series, value}. Bars with the same name are
-- neighbours.
function axis.bars(block)
  local names, at, bars = {}, {}, {}
  for s, points in ipairs((axis.points(block))) do
    for _, point in ipairs(points) do
      local name = format.show(point[1], block.x.unit)
      if not at[name] then
        names[#names + 1] = name
        at[name] = {}
      end
      table.insert(at[name], {name, s, point[2]})
    end
  end
  for _, name in ipairs(names) do table.move(at[name], 1, #at[name], #bars + 1, bars) end
  return bars
end

--- Makes a table block of a chart's figures, with a column for each series.
function axis.table(block)
  local columns, rows, at = {{name = block.x.name, unit = block.x.unit}}, {}, {}
  for s, series in ipairs(block.series) do
    columns[s + 1] = {name = axis.name(series), unit = block.y.unit}
    for _, point in ipairs(series.points) do
      local row = at[point[1]]
      if not row then
        row = {point[1]}
        for c = 1, #block.series do row[c + 1] = false end
        rows[#rows + 1], at[point[1]] = row, row
      end
      row[s + 1] = point[2]
    end
  end
  if not block.bars then table.sort(rows, function(a, b) return a[1] < b[1] end) end
  return {kind = "table", columns = columns, rows = rows}
end

--- Returns the name of a series, followed by "(emulated)" if the series is emulated.
function axis.name(series) return format.marked(series.name, series.emulated) end

return axis
