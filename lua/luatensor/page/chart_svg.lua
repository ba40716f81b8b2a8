--- Draws charts as SVG. Colours are CSS variables of the page, or of the file for a chart in a file of its own. The
-- colours of a light page are the fallback for programs without CSS variables.

local axis = require "luatensor.page.axis"
local cells_svg = require "luatensor.page.cells_svg"
local clocale = require "luatensor.base.clocale"
local format = require "luatensor.page.format"
local palette = require "luatensor.page.palette"
local panel = require "luatensor.page.panel"
local plain = require "luatensor.page.plain"

local chart = {}

-- ---- text and colours ---------------------------------------------------------------------------

local ENTITIES <const> = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;"}

-- Escapes a text for XML. U+FFFE and U+FFFF are no characters of XML.
local function escape(text)
  return (plain.line(text):gsub("\u{FFFE}", "?"):gsub("\u{FFFF}", "?"):gsub("[&<>]", ENTITIES))
end

local NARROW <const>, WIDE <const> = "[ !'(),.:;Iijl|%[%]]", "[%%@MWmw]"

-- Estimates the width of a text in pixels. The font of the reader is not known, so the estimate is for a wide one,
-- DejaVu Sans.
local function text_width(text, size)
  text = plain.line(text)
  local narrow, wide = select(2, text:gsub(NARROW, "")), select(2, text:gsub(WIDE, ""))
  local units = 0.62 * (plain.width(text) - narrow - wide) + 0.37 * narrow + 0.95 * wide
  for _, code in utf8.codes(text) do
    if code >= 0x1100 and not (code >= 0x2000 and code < 0x2E80) then units = units + 0.4 end        -- East Asian
  end
  return units * size
end

-- Returns a style with a colour: a name of luatensor.page.palette or "#rrggbb". theme: 1 (light), 2 (dark), or nil for
-- a variable after the fallback, as in "stroke:#1f5fd0;stroke:var(--series-1)".
local function ink(property, name, theme)
  local pair = palette.colours[name]
  if not pair then return ("%s:%s"):format(property, name) end
  if theme then return ("%s:%s"):format(property, pair[theme]) end
  return ("%s:%s;%s:var(--%s)"):format(property, pair[1], property, name)
end

-- A canvas collects the elements of a drawing.
local canvas = {}
canvas.__index = canvas

local function new_canvas(options) return setmetatable({font = options.font or 13, theme = options.theme}, canvas) end

function canvas:add(...) self[#self + 1] = string.format(...) end

function canvas:ink(property, name) return ink(property, name, self.theme) end

function canvas:width(text) return text_width(text, self.font) end

-- Writes a text. anchor: "start", "middle" or "end"; color: "#rrggbb" or a name of luatensor.page.palette.
function canvas:text(x, y, text, anchor, size, weight, color)
  self:add('<text x="%.2f" y="%.2f" font-family="sans-serif" font-size="%g"%s%s style="%s">%s</text>', x, y,
    size or self.font, anchor == "start" and "" or (' text-anchor="%s"'):format(anchor),
    weight and (' font-weight="%s"'):format(weight) or "", self:ink("fill", color or "text"), escape(text))
end

-- ---- series -------------------------------------------------------------------------------------

-- The dash patterns of the series, and their marks: SVG paths around the origin, with a size of about 6 pixels.
local DASHES <const> = {"none", "6,4", "2,3", "10,3,2,3"}
local MARKS <const> = {
  "M-2.7 0a2.7 2.7 0 1 0 5.4 0a2.7 2.7 0 1 0 -5.4 0z", "M-2.5 -2.5h5v5h-5z", "M0 -3l3 5.5h-6z",
  "M0 -3.5l3.2 3.5l-3.2 3.5l-3.2 -3.5z",
}

local function pattern(list, s) return list[(s - 1) % #list + 1] end

local function color_of(series, s) return series.color or palette.series(s) end

-- Returns the dashes of a line: those of its style, or those of the series' number if the series has `dashes`.
local function dashes_of(series, s)
  if series.style then return ({solid = "none", dashed = DASHES[2], dotted = DASHES[3]})[series.style] end
  return series.dashes and pattern(DASHES, s) or "none"
end

-- Returns the example of a series in a legend, 30 × 10 pixels, at a position.
local function example(series, s, theme)
  local color = color_of(series, s)
  if series.kind == "columns" or series.kind == "bars" then
    return ('<path d="M4 0h22v10h-22z" style="%s"/>'):format(ink("fill", color, theme))
  end
  local line = series.kind == "line" and ('<path d="M0 5h30" style="%s;stroke-width:2" stroke-dasharray="%s"/>')
    :format(ink("stroke", color, theme), dashes_of(series, s)) or ""
  local mark = (series.marks or series.kind == "points") and ('<path transform="translate(15 5)" d="%s" style="%s"/>')
    :format(pattern(MARKS, s), ink("fill", color, theme)) or ""
  return line .. mark
end

--- Returns the line and mark before a series' name in the legend of a page: a small SVG element that uses the page's
-- CSS variables.
-- @tab block a chart
-- @int s number of the series
-- @treturn string
function chart.swatch(block, s)
  local series = block.bars and {kind = "bars"} or {kind = "line", marks = true, dashes = true}
  return ('<svg class="swatch" viewBox="0 0 30 10" aria-hidden="true">%s</svg>'):format(example(series, s))
end

local PATH <const> = 20000           -- marks of a path, about 1.5 MB; readers of XML refuse attributes above 10 MB

local function draw_marks(self, places, s, color)
  local mark = pattern(MARKS, s):gsub("^M", "m")
  for first = 1, #places, 2 * PATH do
    local steps = {}
    for i = first, math.min(#places, first + 2 * PATH - 1), 2 do
      steps[#steps + 1] = ("M%.2f %.2f"):format(places[i], places[i + 1]) .. mark
    end
    self:add('<path class="marks" d="%s" style="%s"/>', table.concat(steps), self:ink("fill", color))
  end
end

local function draw_line(self, lines, series, s)
  local steps = {}
  for _, line in ipairs(lines) do
    local words = {("M%.2f %.2f"):format(line[1], line[2])}
    for i = 3, #line, 2 do words[#words + 1] = ("L%.2f %.2f"):format(line[i], line[i + 1]) end
    if #line == 2 then words[2] = "h0" end                             -- a round end shows a point between two gaps
    steps[#steps + 1] = table.concat(words)
  end
  if #steps == 0 then return end
  self:add('<path class="line" d="%s" style="fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round;%s" '
    .. 'stroke-dasharray="%s"/>', table.concat(steps), self:ink("stroke", color_of(series, s)), dashes_of(series, s))
end

local function draw_columns(self, columns, series, s)
  for _, column in ipairs(columns) do
    self:add('<rect class="column" x="%.2f" y="%.2f" width="%.2f" height="%.2f" style="%s%s"/>', column[1], column[2],
      column[3] - column[1], column[4] - column[2], self:ink("fill", color_of(series, s)),
      series.opacity and (";opacity:%g"):format(series.opacity) or "")
  end
end

local function draw_series(self, drawn, x, y, width, height)
  for s, series in ipairs(drawn.series) do
    if series.kind == "columns" then
      draw_columns(self, panel.columns(drawn, series, x, y, width, height), series, s)
    else
      if series.kind == "line" then draw_line(self, panel.lines(drawn, series, x, y, width, height), series, s) end
      if series.marks or series.kind == "points" then
        draw_marks(self, panel.places(drawn, series, x, y, width, height), s, color_of(series, s))
      end
    end
  end
end

-- ---- axes ---------------------------------------------------------------------------------------

-- True if the texts of the ticks are at least 8 pixels apart.
local function is_apart(ax, width, font)
  local free = -math.huge
  for _, tick in ipairs(ax.ticks) do
    local half = text_width(tick[2], font) / 2
    if ax:at(tick[1]) * width - half < free then return false end
    free = ax:at(tick[1]) * width + half + 8
  end
  return true
end

local function x_axis(drawn, values, width, font)
  for most = math.max(2, width // 75), 2, -1 do
    local x = panel.x_axis(drawn, values, most)
    if most == 2 or is_apart(x, width, font) then return x end
  end
end

local function widest_tick(ax, font)
  local widest = 0
  for _, tick in ipairs(ax.ticks) do widest = math.max(widest, text_width(tick[2], font)) end
  return widest
end

local function draw_axes(self, x, y, width, height)
  for _, tick in ipairs(y.ticks) do
    local at = (1 - y:at(tick[1])) * height
    self:add('<path d="M0 %.2fh%.2f" style="%s"/>', at, width, self:ink("stroke", "grid"))
    self:text(-8, at + 0.35 * self.font, tick[2], "end")
  end
  self:add('<path d="M0 %.2fh%.2f" style="%s"/>', height, width, self:ink("stroke", "axis"))
  for _, tick in ipairs(x.ticks) do
    local at = x:at(tick[1]) * width
    if at >= -0.5 and at <= width + 0.5 then self:text(at, height + 1.5 * self.font, tick[2], "middle") end
  end
end

-- Draws lines, points and columns with their axes.
local function draw_plane(self, drawn, width, height)
  local font, values = self.font, panel.values(drawn)
  local named = drawn.y.name and drawn.y.name ~= ""
  local top = font * (named and 2.2 or 1)
  local bottom = font * (drawn.x.name and drawn.x.name ~= "" and 3.6 or 2.2)
  local inner = math.max(1, height - top - bottom)
  local y = panel.y_axis(drawn, values, math.max(2, math.min(7, inner // (2.5 * font))))
  local left = math.min(width / 2, widest_tick(y, font) + 16)
  local across = math.max(1, width - left - 24)
  local x = x_axis(drawn, values, across, font)
  if named then self:text(8, font * 1.2, drawn.y.name, "start") end
  if bottom > 3 * font then self:text(left + across / 2, height - 0.5 * font, drawn.x.name, "middle") end
  self:add('<g transform="translate(%.2f %.2f)">', left, top)
  draw_axes(self, x, y, across, inner)
  draw_series(self, drawn, x, y, across, inner)
  if #values[1] == 0 then self:text(across / 2, inner / 2, "nothing to show", "middle") end
  self:add("</g>")
end

-- ---- bars ---------------------------------------------------------------------------------------

local ROW <const> = 24               -- pixels of a bar with its distance to the next bar

--- Returns the height of a chart of horizontal bars, in pixels.
-- @tab drawn a panel
-- @treturn number
function chart.bars_height(drawn)
  local height = 64
  for i, bar in ipairs(drawn.bars) do
    height = height + ROW + (i > 1 and drawn.bars[i - 1][1] ~= bar[1] and ROW / 2 or 0)
  end
  return height
end

-- Draws horizontal bars, because long names can be read beside them. The value is written at the end of its bar.
local function draw_bars(self, drawn, width)
  local font, values, names, texts = self.font, {}, 0, {}
  for i, bar in ipairs(drawn.bars) do
    values[i], texts[i] = bar[3], format.show(bar[3], drawn.y.unit)
    names = math.max(names, text_width(bar[1], font))
  end
  local scale = axis.new(drawn.y, values, {from_zero = true})
  local left, room = math.min(width / 2, names + 16), 16
  for _, text in ipairs(texts) do room = math.max(room, text_width(text, font) + 16) end
  local across, y = math.max(1, width - left - room), 3 * font
  self:text(8, font * 1.2, drawn.y.name or "", "start")
  local zero, first = scale.log and 0 or scale:at(0) * across, y
  for i, bar in ipairs(drawn.bars) do
    local new = i == 1 or drawn.bars[i - 1][1] ~= bar[1]
    if new and i > 1 then y = y + ROW / 2 end
    local last = i
    while drawn.bars[last + 1] and drawn.bars[last + 1][1] == bar[1] do last = last + 1 end
    if new then self:text(left - 8, y + (last - i + 1) * ROW / 2 + 0.35 * font, bar[1], "end") end
    local at = scale:at(bar[3]) * across
    self:add('<rect class="bar" x="%.2f" y="%.2f" width="%.2f" height="%d" style="%s"/>', left + math.min(at, zero),
      y + 2, math.max(1, math.abs(at - zero)), ROW - 4, self:ink("fill", color_of(drawn.series[bar[2]], bar[2])))
    self:text(left + math.max(at, zero) + 6, y + ROW / 2 + 0.35 * font, texts[i], "start")
    y = y + ROW
  end
  self:add('<path d="M%.2f %.2fV%.2f" style="%s"/>', left + zero, first - 4, y + 4, self:ink("stroke", "axis"))
end

-- ---- elements and files -------------------------------------------------------------------------

local function element(self, width, height, attributes)
  return ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d"%s>\n%s\n</svg>'):format(
    width, height, width, height, attributes or "", table.concat(self, "\n"))
end

-- Draws a panel without its title and legend.
local function draw_panel(self, drawn, width, height)
  if drawn.cells then
    cells_svg.draw(self, drawn, width, height)
  elseif drawn.bars and drawn.horizontal then
    draw_bars(self, drawn, width)
  else
    draw_plane(self, drawn, width, height)
  end
end

--- Draws a chart's block as an SVG element for a page that defines the variables of luatensor.page.palette.
-- @tab block
-- @tab options width (in pixels, default 720), height (in pixels, default 360; a chart of bars ignores it)
-- @treturn string
function chart.element(block, options)
  return clocale.call(function()
    local drawn, self = panel.of_block(block), new_canvas(options)
    local width, height = options.width or 720, drawn.bars and chart.bars_height(drawn) or options.height or 360
    draw_panel(self, drawn, width, height)
    return element(self, width, height)
  end)
end

-- Draws the legend in rows of at most `width` pixels, from `top` down. Returns its height.
local function draw_legend(self, drawn, left, top, width)
  local x, y, entries = left, top, panel.legend(drawn)
  for _, entry in ipairs(entries) do
    local size = 38 + text_width(entry[1], self.font)
    if x > left and x + size > left + width then x, y = left, y + 1.6 * self.font end
    self:add('<g transform="translate(%.2f %.2f)">%s</g>', x, y + 0.6 * self.font - 5, example(entry[3], entry[2],
      self.theme))
    self:text(x + 38, y + self.font, entry[1], "start")
    x = x + size + 20
  end
  return #entries == 0 and 0 or y - top + 1.8 * self.font
end

-- Draws a panel with its title and its legend into a box.
local function draw_box(self, drawn, left, top, width, height)
  local used = 6
  if drawn.title then
    self:text(left + 8, top + 1.6 * self.font, drawn.title, "start", 1.2 * self.font, "600")
    used = 2.4 * self.font
  end
  used = used + draw_legend(self, drawn, left + 8, top + used, width - 16)
  self:add('<g transform="translate(%.2f %.2f)">', left, top + used)
  draw_panel(self, drawn, width, height - used)
  self:add("</g>")
end

local THEMES <const> = {light = 1, dark = 2}

local function style_sheet()
  return ("<style>.luatensor-chart{%s}@media(prefers-color-scheme:dark){.luatensor-chart{%s}}</style>"):format(
    palette.variables(1, ""), palette.variables(2, ""))
end

--- Draws a figure as a self-contained SVG file.
-- @tab figure width, height (in pixels), title (optional), and panels: a list of {panel, left, top, width, height}
-- @string theme "light", "dark", or "auto" for a file that follows the viewer's theme
-- @treturn string
function chart.file(figure, theme)
  return clocale.call(function()
    local self = new_canvas{theme = THEMES[theme]}
    if not self.theme then self:add("%s", style_sheet()) end
    self:add('<rect width="%d" height="%d" style="%s"/>', figure.width, figure.height, self:ink("fill", "paper"))
    if figure.title then self:text(8, 24, figure.title, "start", 17, "600") end
    for _, place in ipairs(figure.panels) do draw_box(self, table.unpack(place, 1, 5)) end
    return '<?xml version="1.0" encoding="utf-8"?>\n' .. element(self, figure.width, figure.height,
      ' class="luatensor-chart"') .. "\n"
  end)
end

return chart
