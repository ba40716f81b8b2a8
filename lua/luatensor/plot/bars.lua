--- plot.bar and plot.hist.
-- @submodule luatensor.plot

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local chart_svg = require "luatensor.page.chart_svg"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local figure = require "luatensor.plot.figure"
local plain = require "luatensor.page.plain"
local read = require "luatensor.plot.read"

local bars = {}

-- ---- bars with names ----------------------------------------------------------------------------

local MOST <const> = 1000            -- bars of a chart
local FILLED <const> = 0.8           -- the share of the x axis that bars cover
local CHARACTER <const> = 8          -- pixels of a character of a name

-- Returns a number as a name: integers are written whole.
local function number_text(x)
  return clocale.format(x == math.floor(x) and math.abs(x) < 1e15 and "%.0f" or "%.14g", x)
end

-- Returns the names of the bars, as strings.
local function names_of(fn, given, count)
  if given == nil then given = {} end
  local list = core.is_tensor(given) and read.list(fn, "names", given) or args.check(fn, "names", given, "list")
  local names, seen = {}, {}
  for i = 1, #list > 0 and #list or count do
    local name = list[i] == nil and i or list[i]
    if type(name) ~= "string" and type(name) ~= "number" then
      blame.fail(fn, "names[%d]: string or number expected, got %s", i, core.type_name(name))
    end
    names[i] = type(name) == "number" and number_text(name) or name
    if seen[names[i]] then blame.fail(fn, "names: %q is twice in the list", names[i]) end
    seen[names[i]] = true
  end
  if #names ~= count then blame.fail(fn, "%d names for %d bars", #names, count) end
  return names
end

-- Returns the panel of grouped bars, which has named bars for text and columns for SVG.
local function bar_panel(fn, options, all, names)
  local list, ticks = {}, {}
  for i, name in ipairs(names) do
    ticks[i] = {i, name}
    for s, series in ipairs(all) do
      local value = series.ys[i]
      if value == value and math.abs(value) < math.huge then list[#list + 1] = {name, s, value} end
    end
  end
  if #list > MOST then
    blame.fail(fn, "%d bars; at most %d can be drawn, but plot.line draws any number of points", #list, MOST)
  end
  for s, series in ipairs(all) do
    series.kind, series.lefts, series.rights = "columns", {}, {}
    for i = 1, #names do
      series.lefts[i] = i - FILLED / 2 + (s - 1) * FILLED / #all
      series.rights[i] = series.lefts[i] + FILLED / #all
    end
  end
  local x = {name = options.xlabel, unit = "number", low = 0.5, high = math.max(1, #names) + 0.5, ticks = ticks}
  local y = read.axis(fn, options, "y")
  y.name = y.name or ""
  return {x = x, y = y, from_zero = true, margin = 0.05, series = all, bars = list}
end

-- True if the names need more width than the columns have.
local function is_crowded(names, width)
  local longest = 0
  for _, name in ipairs(names) do longest = math.max(longest, plain.width(name)) end
  return #names > 0 and longest * CHARACTER + 10 > (width - 60) / #names
end

local bar_options <const> = read.known(false, {
  names = true, xlabel = "string", ylabel = "string", yscale = {"choice", "linear", "log"}, ylim = true,
  label = "string", labels = "list", legend = "boolean", color = true, horizontal = "boolean",
})
local bar_fields <const> = {label = "string", color = true}

--- Draws bars with names: `plot.bar(heights)`, `plot.bar(names, heights)`, or a table of series, whose bars stand side
-- by side. In text, bars are horizontal. NaN and infinities have no bar.
-- @function plot.bar
-- @tparam tensor|table names of the bars, or heights if it is the only argument, or a table of series
-- @tparam[opt] tensor|table heights
-- @tparam[opt] table options `names`: of the bars, if the heights are a table of series; `horizontal`: draws the bars
--   from left to right. By default the bars are horizontal if their names are too long for columns. `title`; `xlabel`;
--   `ylabel`; `yscale` ("linear"): or "log"; `ylim`: {low, high}; `label`: name of the only series; `labels`: names of
--   the series; `legend`: false for none; `color`: "#rrggbb"; `width` (720): of the picture in pixels; `height` (420):
--   of the picture with columns; `theme` ("auto"): or "light" or "dark"
-- @treturn Figure
function bars.bar(...)
  local fn = "plot.bar"
  local given, options = read.split(fn, bar_options, ...)
  local names = options.names
  if given.n == 2 then given, names = {given[2], n = 1}, given[1] end
  local all = read.series(fn, given, options, bar_fields)
  local count = all[1] and #all[1].ys or 0
  for s, series in ipairs(all) do
    if #series.ys ~= count then
      blame.fail(fn, "series %d has %d heights, but series 1 has %d", s, #series.ys, count)
    end
    series.color = read.color(fn, series.color or options.color)
  end
  names = names_of(fn, names, count)
  local panel = bar_panel(fn, options, all, names)
  panel.horizontal = options.horizontal
  if panel.horizontal == nil then panel.horizontal = is_crowded(names, options.width or figure.WIDTH) end
  local height = panel.horizontal and chart_svg.bars_height(panel) + 60 or options.height
  return figure.of_panel(panel, options, height)
end

-- ---- histograms ---------------------------------------------------------------------------------

local LEAST <const>, LARGEST <const> = 10, 50            -- the default number of bins

-- Returns the finite values of a list, their least and their largest.
local function finite(list)
  local values, low, high = {}, math.huge, -math.huge
  for i = 1, #list do
    local value = list[i]
    if value == value and math.abs(value) < math.huge then
      values[#values + 1] = value
      low, high = math.min(low, value), math.max(high, value)
    end
  end
  return values, low, high
end

-- Returns the edges of `count` bins of the same width.
local function even_edges(low, high, count)
  if low == high then low, high = low - 0.5 * math.max(1, math.abs(low)), high + 0.5 * math.max(1, math.abs(high)) end
  local edges = {}
  for i = 0, count do edges[i + 1] = low * (1 - i / count) + high * (i / count) end
  return edges
end

-- Returns the edges of the bins that the option `bins` describes.
local function edges_of(fn, options, values, low, high)
  if type(options.bins) == "table" or core.is_tensor(options.bins) then
    local edges = read.list(fn, "bins", options.bins)
    if #edges < 2 then blame.fail(fn, "bins: two edges or more expected, got %d", #edges) end
    for i = 1, #edges do
      local before = edges[i - 1] or -math.huge
      if edges[i] <= before or edges[i] ~= edges[i] then blame.fail(fn, "bins: edge %d is not above the last", i) end
    end
    return edges
  end
  local count = options.bins and args.integer(fn, "bins", options.bins, 1, 10000)
    or math.max(LEAST, math.min(LARGEST, math.ceil(math.sqrt(#values))))
  local range = read.limits(fn, "range", options.range)
  if range then low, high = range[1], range[2] end
  if low > high then low, high = 0, 1 end
  return even_edges(low, high, count)
end

-- Returns the number of the last edge that is not above the value, by bisection.
local function bin_of(edges, value)
  local low, high = 1, #edges
  while high - low > 1 do
    local middle = (low + high) // 2
    if edges[middle] <= value then low = middle else high = middle end
  end
  return low
end

-- Counts the values between edges. The last bin contains its upper edge.
local function count_values(values, edges)
  local counts = {}
  for i = 1, #edges - 1 do counts[i] = 0 end
  for _, value in ipairs(values) do
    if value >= edges[1] and value <= edges[#edges] then
      local bin = bin_of(edges, value)
      counts[bin] = counts[bin] + 1
    end
  end
  return counts
end

-- Divides counts by the number of values and the widths of the bins, so that the columns have the area 1.
local function as_density(counts, edges)
  local total = 0
  for _, count in ipairs(counts) do total = total + count end
  for i, count in ipairs(counts) do counts[i] = total == 0 and 0 or count / total / (edges[i + 1] - edges[i]) end
end

local hist_options <const> = read.known(true, {bins = true, range = true, density = "boolean", color = true})
local hist_fields <const> = {label = "string", color = true}

--- Draws a histogram of values: the number of values in each bin. A table of several series has a histogram of each,
-- with the same bins. NaN and infinities are not counted.
-- @function plot.hist
-- @tparam tensor|table values a tensor of any shape, a list of numbers, or a table of series
-- @tparam[opt] table options `bins`: their number, or the list of their edges. By default the number is the square
--   root of the number of values, but at least 10 and at most 50. `range`: {low, high} of the bins; `density` (false):
--   divides by the number of values and by the width of the bin; `title`; `xlabel`; `ylabel`; `xscale` ("linear"): or
--   "log"; `yscale` ("linear"): or "log"; `xlim`: {low, high}; `ylim`: {low, high}; `label`: name of the only series;
--   `labels`: names of the series; `legend`: false for none; `color`: "#rrggbb"; `width` (720): in pixels; `height`
--   (420); `theme` ("auto"): or "light" or "dark"
-- @treturn Figure
function bars.hist(...)
  local fn = "plot.hist"
  local given, options = read.split(fn, hist_options, ...)
  if given.n > 1 then blame.fail(fn, "1 argument and options expected, got %d", given.n) end
  if core.is_tensor(given[1]) and not core.gone(given[1]) then given[1] = given[1]:flatten() end
  local all = read.series(fn, given, options, hist_fields)
  local everything = {}
  for _, series in ipairs(all) do table.move(series.ys, 1, #series.ys, #everything + 1, everything) end
  local edges = edges_of(fn, options, finite(everything))
  for _, series in ipairs(all) do
    series.kind, series.xs = "columns", table.move(edges, 1, #edges - 1, 1, {})
    series.lefts, series.rights = series.xs, table.move(edges, 2, #edges, 1, {})
    series.color = read.color(fn, series.color or options.color)
    series.opacity = #all > 1 and 0.6 or nil
    series.ys = count_values((finite(series.ys)), edges)
    if options.density then as_density(series.ys, edges) end
  end
  return figure.of_panel({x = read.axis(fn, options, "x"), y = read.axis(fn, options, "y"), from_zero = true,
    margin = 0.05, series = all}, options)
end

return bars
