--- Computes the drawing of a panel, a coordinate system with its series: the axes, and the positions of lines and
-- marks. The renderers chart_svg and chart_text draw them.
--
-- A panel has the fields title, x, y, from_zero, margin and series. x and y describe the axes, as in a chart's block,
-- with the optional fields low, high and ticks of axis.new. from_zero and margin are options of the y axis. A series
-- has the fields xs and ys (lists), name (nil if the legend leaves it out), emulated, kind and color. The kinds are
--
--     line     a line through the points, with a mark at each point if `marks` is true, in dashes if `dashes` is true
--     points   a mark at each point
--     columns  a rectangle between 0 and y for each point, from lefts[i] to rights[i]
--     bars     bars with names: field `bars` of the panel has them, as axis.bars returns them
--
-- A value that is no finite number has no position. A logarithmic axis has no positions for values up to 0, either.

local axis = require "luatensor.page.axis"

local panel = {}

-- ---- axes ---------------------------------------------------------------------------------------

-- Returns the function that tells whether an axis has a position for a value.
local function check_of(spec)
  local least = spec.log and 0 or -math.huge
  return function(value) return value > least and value < math.huge end
end

-- Returns true if series i has a position for point i.
local function places(self, series)
  local fits_x, fits_y, xs, ys = check_of(self.x), check_of(self.y), series.xs, series.ys
  return function(i) return fits_x(xs[i]) and fits_y(ys[i]) end
end

local FEW <const> = 1000           -- longer series pass only their ends on to the axis

-- Adds the values of a list at the positions that `fits` accepts to `all`, or only the least and the largest of them.
local function add_values(all, values, fits)
  if #values <= FEW then
    for i = 1, #values do if fits(i) then all[#all + 1] = values[i] end end
    return
  end
  local low, high = math.huge, -math.huge
  for i = 1, #values do
    if fits(i) then low, high = math.min(low, values[i]), math.max(high, values[i]) end
  end
  if low <= high then all[#all + 1], all[#all + 2] = low, high end
end

--- Returns the values that determine the axes of a panel, for panel.x_axis and panel.y_axis: {xs, ys}. Both lists are
-- empty if no point has a position.
-- @tab self
-- @treturn table
function panel.values(self)
  local xs, ys = {}, {}
  for _, series in ipairs(self.series) do
    local fits = places(self, series)
    add_values(xs, series.lefts or series.xs, fits)
    add_values(xs, series.rights or {}, fits)
    add_values(ys, series.ys, fits)
  end
  return {xs, ys}
end

--- Makes the x axis of a panel.
-- @tab self
-- @tab values of panel.values
-- @int most the largest number of ticks
function panel.x_axis(self, values, most)
  return axis.new(self.x, values[1], {most = most, margin = self.x_margin})
end

--- Makes the y axis of a panel.
function panel.y_axis(self, values, most)
  return axis.new(self.y, values[2], {most = most, from_zero = self.from_zero, margin = self.margin})
end

-- ---- lines --------------------------------------------------------------------------------------

-- Cuts a segment at the edges of the rectangle from (0, 0) to (width, height) by the algorithm of Liang and Barsky.
-- Returns nothing if the segment is outside.
local function cut(x1, y1, x2, y2, width, height)
  local dx, dy, from, to = x2 - x1, y2 - y1, 0, 1
  local function edge(p, q)
    if p == 0 then return q >= 0 end
    local t = q / p
    if p < 0 then from = math.max(from, t) else to = math.min(to, t) end
    return from <= to
  end
  if edge(-dx, x1) and edge(dx, width - x1) and edge(-dy, y1) and edge(dy, height - y1) then
    return x1 + from * dx, y1 + from * dy, x1 + to * dx, y1 + to * dy
  end
end

-- Makes an object that collects the lines of a series: {x, y, x, y, …} each, inside of width × height.
local function collector(width, height)
  local lines, line, before_x, before_y = {}, nil, nil, nil
  local function inside(x, y) return x >= 0 and x <= width and y >= 0 and y <= height end
  local function start(x, y)
    line = {x, y}
    lines[#lines + 1] = line
  end
  local function add(x, y)
    if not before_x then
      if inside(x, y) then start(x, y) end
    elseif inside(before_x, before_y) and inside(x, y) then
      line[#line + 1], line[#line + 2] = x, y
    else
      local x1, y1, x2, y2 = cut(before_x, before_y, x, y, width, height)
      if x1 and not inside(before_x, before_y) then start(x1, y1) end
      if x1 then line[#line + 1], line[#line + 2] = x2, y2 end
    end
    before_x, before_y = x, y
  end
  local function gap() before_x, before_y = nil, nil end
  return add, gap, lines
end

-- Returns a function that passes points on to `add`. Of neighbours in the same column of one unit, the function
-- passes only the first point, the lowest, the highest and the last, in their order. A line through these points
-- covers the same pixels as a line through all points.
local function thinned(add)
  local column, run = nil, {}
  local function flush()
    local order = {}
    for _, point in pairs(run) do order[#order + 1] = point end
    table.sort(order, function(a, b) return a[3] < b[3] end)
    for i, point in ipairs(order) do
      if i == 1 or point ~= order[i - 1] then add(point[1], point[2]) end
    end
    run, column = {}, nil
  end
  local function take(x, y, i)
    if x // 1 ~= column then
      flush()
      column = x // 1
    end
    local point = {x, y, i}
    run.first, run.last = run.first or point, point
    if not run.low or y < run.low[2] then run.low = point end
    if not run.high or y > run.high[2] then run.high = point end
  end
  return take, flush
end

--- Returns the lines of a series, in units of the renderer: {x, y, x, y, …} for each part without gaps. A part of one
-- point has two numbers. y is 0 at the top.
-- @tab self
-- @tab series
-- @tab x the x axis
-- @tab y the y axis
-- @number width of the panel
-- @number height
-- @treturn table
function panel.lines(self, series, x, y, width, height)
  local fits, xs, ys = places(self, series), series.xs, series.ys
  local add, gap, lines = collector(width, height)
  local take, flush = add, function() end
  if #xs > 4 * width then take, flush = thinned(add) end
  for i = 1, #xs do
    if fits(i) then
      take(x:at(xs[i]) * width, (1 - y:at(ys[i])) * height, i)
    else
      flush()
      gap()
    end
  end
  flush()
  return lines
end

--- Returns the positions of the points of a series as a list {x, y, x, y, …}. A long series leaves out points that
-- are less than a quarter of a unit from another one.
function panel.places(self, series, x, y, width, height)
  local fits, xs, ys, list, taken = places(self, series), series.xs, series.ys, {}, {}
  local many = #xs > 4 * width
  for i = 1, #xs do
    local px, py = 0, 0
    if fits(i) then px, py = x:at(xs[i]) * width, (1 - y:at(ys[i])) * height end
    local key = many and (px * 4 // 1 << 24 | py * 4 // 1)
    local shown = fits(i) and px >= 0 and px <= width and py >= 0 and py <= height
    if shown and not (key and taken[key]) then
      list[#list + 1], list[#list + 2] = px, py
      if key then taken[key] = true end
    end
  end
  return list
end

--- Returns the rectangles of a series of columns: {left, top, right, bottom} each, cut at the panel's edges.
function panel.columns(self, series, x, y, width, height)
  local fits, list = places(self, series), {}
  local zero = y.log and height or math.max(0, math.min(height, (1 - y:at(0)) * height))
  for i, value in ipairs(series.ys) do
    if fits(i) then
      local left = math.max(0, x:at(series.lefts[i]) * width)
      local right = math.min(width, x:at(series.rights[i]) * width)
      local edge = math.max(0, math.min(height, (1 - y:at(value)) * height))
      if left < right then list[#list + 1] = {left, math.min(edge, zero), right, math.max(edge, zero)} end
    end
  end
  return list
end

-- ---- charts of pages ----------------------------------------------------------------------------

--- Returns the entries {name, s, series} of a panel's legend: the series with names, if there are several of them, or
-- if the only one is emulated or the legend is wanted.
function panel.legend(self)
  local entries = {}
  for s, series in ipairs(self.legend ~= false and self.series or {}) do
    if series.name then entries[#entries + 1] = {axis.name(series), s, series} end
  end
  if #entries == 1 and not entries[1][3].emulated and not self.legend then return {} end
  return entries
end

--- Makes the panel of a chart's block (luatensor.page.document).
-- @tab block
-- @treturn table
function panel.of_block(block)
  local list = {}
  for s, points in ipairs((axis.points(block))) do
    local xs, ys = {}, {}
    for i, point in ipairs(points) do xs[i], ys[i] = point[1], point[2] end
    list[s] = {kind = block.bars and "bars" or "line", marks = true, dashes = true, name = block.series[s].name,
      emulated = block.series[s].emulated, xs = xs, ys = ys}
  end
  return {x = block.x, y = block.y, from_zero = true, coarse = true, series = list,
    bars = block.bars and axis.bars(block), horizontal = true}
end

return panel
