--- plot.line and plot.scatter.
-- @submodule luatensor.plot

local figure = require "luatensor.plot.figure"
local read = require "luatensor.plot.read"

local xy = {}

local FEW <const> = 30             -- a line of more points has no marks, which would cover the line

local STYLE <const> = {"choice", "solid", "dashed", "dotted"}
local line_options <const> = read.known(true, {style = STYLE, marks = "boolean", color = true})
local line_fields <const> = {label = "string", style = STYLE, marks = "boolean", color = true}

local function first_given(first, second)
  if first == nil then return second end
  return first
end

-- Returns the panel of series of one kind.
local function panel_of(fn, options, all, kind)
  for _, series in ipairs(all) do
    series.kind = kind
    series.color = read.color(fn, series.color or options.color)
    series.style = series.style or options.style
    series.marks = first_given(first_given(series.marks, options.marks), #series.xs <= FEW)
  end
  return {x = read.axis(fn, options, "x"), y = read.axis(fn, options, "y"), margin = 0.05, series = all}
end

--- Draws lines. `plot.line(y)` draws y against 1, 2, 3, …, and `plot.line(x, y)` draws y against x. A table of series
-- draws several lines: `plot.line {{x, y, label = "train"}, {x2, y2, label = "test"}, title = "Loss"}`. Data are
-- tensors of one dim, or lists. A tensor y of two dims has a line for each column. NaN and infinities are gaps.
-- @function plot.line
-- @tparam tensor|table x positions, or y if it is the only argument, or a table of series. A series is a tensor, a
--   list of numbers, or a table {y} or {x, y} with the optional fields label, color, style and marks.
-- @tparam[opt] tensor|table y values
-- @tparam[opt] table options `title`; `xlabel`; `ylabel`; `xscale` ("linear"): or "log"; `yscale` ("linear"): or
--   "log"; `xlim`: {low, high}; `ylim`: {low, high}; `label`: name of the only series; `labels`: names of the series;
--   `legend`: false for none, true for a legend of one series, too; `color`: "#rrggbb"; `style` ("solid"): or
--   "dashed" or "dotted"; `marks`: a mark at each point. By default lines of at most 30 points have marks. `width`
--   (720): of the picture in pixels; `height` (420); `theme` ("auto"): "light" or "dark", or "auto", which follows
--   the viewer
-- @treturn Figure
function xy.line(...)
  local given, options = read.split("plot.line", line_options, ...)
  return figure.of_panel(panel_of("plot.line", options, read.series("plot.line", given, options, line_fields), "line"),
    options)
end

local point_options <const> = read.known(true, {color = true})
local point_fields <const> = {label = "string", color = true}

--- Draws points. The arguments are those of plot.line, without the options style and marks.
-- @function plot.scatter
-- @tparam tensor|table x positions, or y if it is the only argument, or a table of series
-- @tparam[opt] tensor|table y values
-- @tparam[opt] table options `title`; `xlabel`; `ylabel`; `xscale` ("linear"): or "log"; `yscale` ("linear"): or
--   "log"; `xlim`: {low, high}; `ylim`: {low, high}; `label`: name of the only series; `labels`: names of the series;
--   `legend`: false for none, true for a legend of one series, too; `color`: "#rrggbb"; `width` (720): of the picture
--   in pixels; `height` (420); `theme` ("auto"): or "light" or "dark"
-- @treturn Figure
function xy.scatter(...)
  local fn = "plot.scatter"
  local given, options = read.split(fn, point_options, ...)
  local panel = panel_of(fn, options, read.series(fn, given, options, point_fields), "points")
  panel.x_margin = 0.03
  return figure.of_panel(panel, options)
end

return xy
