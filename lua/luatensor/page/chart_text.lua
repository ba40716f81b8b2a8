--- Draws charts with text characters, for terminals and Markdown.

local axis = require "luatensor.page.axis"
local cells_text = require "luatensor.page.cells_text"
local canvas = require "luatensor.page.text_canvas"
local clocale = require "luatensor.base.clocale"
local format = require "luatensor.page.format"
local panel = require "luatensor.page.panel"
local plain = require "luatensor.page.plain"

local chart = {}

local HEIGHT <const> = 14

--- The characters of drawings, for terminals with UTF-8 and for all others.
local UNICODE <const> = {
  marks = {"●", "○", "▲", "△", "■", "□", "◆", "◇"}, dot = "·", braille = true, vertical = " │", tick = " ┤",
  corner = "└", rule = "─", under = "┬", full = "█", eighths = {"▏", "▎", "▍", "▌", "▋", "▊", "▉"},
  heights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇"},
}
local ASCII <const> = {
  marks = {"*", "o", "x", "+", "#", "@", "%", "&"}, dot = ".", vertical = " |", tick = " +", corner = "+", rule = "-",
  under = "+", full = "#", eighths = {}, heights = {},
}

local function mark_of(style, s) return style.marks[(s - 1) % #style.marks + 1] end

-- Returns the legend of entries {name, s, series}, at most `width` characters wide, or nil.
local function legend(drawn, style, width)
  local words = {}
  for i, entry in ipairs(panel.legend(drawn)) do        -- no-break spaces keep a mark beside its name
    words[i] = style.paint(mark_of(style, entry[2]), entry[2], entry[3]) .. "\u{A0}"
      .. plain.line(entry[1]):gsub(" ", "\u{A0}")
  end
  if #words == 0 then return nil end
  local text = table.concat(plain.wrap(table.concat(words, "  "), width), "\n")
  return style.ascii and text:gsub("\u{A0}", " ") or text
end

-- ---- lines --------------------------------------------------------------------------------------

-- Returns the cell, from 0 on, of a position from 0 to 1 among `count` cells. Each cell has `dots` dots.
local function cell_of(at, count, dots) return (at * (count * dots - 1) + 0.5) // dots | 0 end

-- Returns the number of dots of a cell, across and down.
local function dots_of(drawn, style)
  if style.braille and not drawn.coarse then return 2, 4 end
  return 1, 1
end

-- Returns a table that maps the row of each tick to the tick's text, and the width of the longest text in characters.
local function row_labels(y, height, dots)
  local labels, widest = {}, 0
  for _, tick in ipairs(y.ticks) do
    labels[cell_of(1 - y:at(tick[1]), height, dots)] = tick[2]
    widest = math.max(widest, plain.width(tick[2]))
  end
  return labels, widest
end

-- Returns two lines: the line below the grid, and the texts of the ticks. A tick is left out if its text would
-- overlap the text of the previous tick.
local function bottom(x, width, indent, style, dots)
  local rule, text, room = {}, "", -1
  for column = 1, width do rule[column] = style.rule end
  for _, tick in ipairs(x.ticks) do
    local column = cell_of(x:at(tick[1]), width, dots)
    local label = plain.line(tick[2])
    local start = math.max(0, math.min(column - plain.width(label) // 2, width - plain.width(label)))
    if start > room and column >= 0 and column < width then
      rule[column + 1] = style.under
      text = plain.pad(text, start) .. label
      room = plain.width(text)
    end
  end
  return (" "):rep(indent) .. style.corner .. table.concat(rule) .. "\n" .. (" "):rep(indent + 1) .. text
end

-- Draws the series on the canvas.
local function draw_series(grid, drawn, x, y, style)
  local across, down = dots_of(drawn, style)
  local width, height = across * grid.width - 1, down * grid.height - 1
  for s, series in ipairs(drawn.series) do
    if series.kind == "line" then
      for _, line in ipairs(panel.lines(drawn, series, x, y, width, height)) do
        if across > 1 then grid:braille(line, s) else grid:dotted(line, style.dot, s) end
      end
    elseif series.kind == "columns" then
      for _, column in ipairs(panel.columns(drawn, series, x, y, grid.width, grid.height)) do
        grid:column(column, s, style)
      end
    end
  end
  for s, series in ipairs(drawn.series) do
    if series.kind == "points" or series.kind == "line" and (across == 1 or series.marks) then
      local places = panel.places(drawn, series, x, y, width, height)
      for i = 1, #places, 2 do
        grid:set((places[i] + 0.5) // across | 0, (places[i + 1] + 0.5) // down | 0, mark_of(style, s), s)
      end
    end
  end
end

-- Draws a panel of lines, points and columns. `height` is the number of rows of the grid.
local function draw_plane(drawn, width, height, style)
  local values = panel.values(drawn)
  local y = panel.y_axis(drawn, values, math.max(2, math.min(6, height // 2)))
  local across, down = dots_of(drawn, style)
  local labels, indent = row_labels(y, height, down)
  indent = indent + 1
  width = math.max(2, width - indent - 1)
  local x = panel.x_axis(drawn, values, math.max(2, width // 9))
  local grid, lines = canvas.new(width, height), {}
  draw_series(grid, drawn, x, y, style)
  lines[1] = drawn.y.name and drawn.y.name ~= "" and plain.line(drawn.y.name) or nil
  for row = 0, height - 1 do
    local label = plain.pad(labels[row] or "", indent - 1, true)
    lines[#lines + 1] = label .. (labels[row] and style.tick or style.vertical) .. grid:row(row, function(text, s)
      return style.paint(text, s, drawn.series[s])
    end)
  end
  lines[#lines + 1] = bottom(x, width, indent, style, across)
  if drawn.x.name and drawn.x.name ~= "" then
    lines[#lines + 1] = plain.pad(plain.line(drawn.x.name), indent + width + 1, true)
  end
  lines[#lines + 1] = legend(drawn, style, width)
  return table.concat(lines, "\n")
end

-- ---- bars ---------------------------------------------------------------------------------------

local function bar(length, style)
  local whole = length // 1 | 0
  local rest = (length - whole) * 8 // 1 | 0
  return style.full:rep(whole) .. (style.eighths[rest] or "")
end

local function draw_bars(drawn, width, style)
  local bars, values, names, lines = drawn.bars, {}, 0, {}
  for i, item in ipairs(bars) do
    values[i] = item[3]
    names = math.max(names, plain.width(plain.line(item[1])))
  end
  local scale = axis.new(drawn.y, values, {from_zero = true})
  local several = #drawn.series > 1
  local room, zero = math.max(8, width - names - 14), scale.log and 0 or scale:at(0)
  for i, item in ipairs(bars) do
    local name = bars[i - 1] and bars[i - 1][1] == item[1] and "" or plain.line(item[1])
    local length = math.max(0.13, math.abs(scale:at(item[3]) - zero) * room)
    lines[i] = ("%s  %s%s %s"):format(plain.pad(name, names), several and mark_of(style, item[2]) .. " " or "",
      bar(length, style), format.show(item[3], drawn.y.unit))
  end
  lines[#lines + 1] = legend(drawn, style, width)
  return table.concat(lines, "\n")
end

-- ---- entry points -------------------------------------------------------------------------------

local function no_paint(text) return text end

--- Draws a panel as text, without its title.
-- @tab drawn a panel
-- @tab options width (in characters), height (rows of the grid), ascii (true for a terminal without UTF-8), paint
--   (adds the colour of series number s to a text; by default there are no colours), cell (adds colours 0xrrggbb of
--   the text and of its background to a text)
-- @treturn string
function chart.panel(drawn, options)
  local style = setmetatable({paint = options.paint or no_paint, ascii = options.ascii, cell = options.cell},
    {__index = options.ascii and ASCII or UNICODE})
  return clocale.call(function()
    if drawn.cells then return cells_text.draw(drawn, options.width, options.height or 24, style) end
    if drawn.bars then return draw_bars(drawn, options.width, style) end
    return draw_plane(drawn, options.width, options.height or HEIGHT, style)
  end)
end

--- Draws a chart as text, without its title.
-- @tab block a chart
-- @int width in characters
-- @treturn string
function chart.draw(block, width)
  local _, _, ys = axis.points(block)
  if #ys == 0 then return "(nothing to show)" end
  return chart.panel(panel.of_block(block), {width = math.max(30, width)})
end

return chart
