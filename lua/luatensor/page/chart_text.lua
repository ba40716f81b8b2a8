--- Draws charts with text characters, for terminals and Markdown.

local axis = require "luatensor.page.axis"
local format = require "luatensor.page.format"
local plain = require "luatensor.page.plain"

local chart = {}

local HEIGHT = 14
local MARKS = {"●", "○", "▲", "△", "■", "□", "◆", "◇"}
local EIGHTHS = {"▏", "▎", "▍", "▌", "▋", "▊", "▉"}

local function mark_of(s) return MARKS[(s - 1) % #MARKS + 1] end

local function legend(block, width)
  if #block.series == 1 and not block.series[1].emulated then return nil end
  local words = {}
  for s, series in ipairs(block.series) do        -- no-break spaces keep a mark beside its name
    words[s] = mark_of(s) .. "\u{A0}" .. plain.line(axis.name(series)):gsub(" ", "\u{A0}")
  end
  return table.concat(plain.wrap(table.concat(words, "  "), width), "\n")
end

-- ---- lines --------------------------------------------------------------------------------------

-- Draws dots between two cells {column, row} of the grid. The two cells themselves, and cells that are already drawn,
-- stay unchanged.
local function draw_line(grid, from, to)
  local steps = math.max(math.abs(to[1] - from[1]), math.abs(to[2] - from[2]))
  for i = 1, steps - 1 do
    local column = (from[1] + (to[1] - from[1]) * i / steps + 0.5) // 1 | 0
    local row = (from[2] + (to[2] - from[2]) * i / steps + 0.5) // 1 | 0
    grid[row][column] = grid[row][column] or "·"
  end
end

local function empty_grid()
  local grid = {}
  for row = 0, HEIGHT - 1 do grid[row] = {} end
  return grid
end

-- Returns {column, row}, the 0-based cell of a point in the grid. Row 0 is the top.
local function place(point, x, y, width)
  return {(x:at(point[1]) * (width - 1) + 0.5) // 1 | 0, ((1 - y:at(point[2])) * (HEIGHT - 1) + 0.5) // 1 | 0}
end

local function draw_grid(series, x, y, width)
  local grid, places = empty_grid(), {}
  for s, points in ipairs(series) do
    places[s] = {}
    for i, point in ipairs(points) do places[s][i] = place(point, x, y, width) end
    for i = 2, #points do draw_line(grid, places[s][i - 1], places[s][i]) end
  end
  for s, list in ipairs(places) do
    for _, at in ipairs(list) do grid[at[2]][at[1]] = mark_of(s) end
  end
  return grid
end

-- Returns a table that maps the row of each tick to the tick's text, and the width of the longest text in characters.
local function row_labels(y)
  local labels, widest = {}, 0
  for _, tick in ipairs(y.ticks) do
    labels[((1 - y:at(tick[1])) * (HEIGHT - 1) + 0.5) // 1 | 0] = tick[2]
    widest = math.max(widest, plain.width(tick[2]))
  end
  return labels, widest
end

-- Returns two lines: the line below the grid, and the texts of the ticks. A tick is left out if its text would
-- overlap the text of the previous tick.
local function bottom(x, width, indent)
  local rule, text, room = {}, "", -1
  for column = 1, width do rule[column] = "─" end
  for _, tick in ipairs(x.ticks) do
    local column = (x:at(tick[1]) * (width - 1) + 0.5) // 1 | 0
    local start = math.max(0, math.min(column - plain.width(tick[2]) // 2, width - plain.width(tick[2])))
    if start > room then
      rule[column + 1] = "┬"
      text = plain.pad(text, start) .. tick[2]
      room = plain.width(text)
    end
  end
  return (" "):rep(indent) .. "└" .. table.concat(rule) .. "\n" .. (" "):rep(indent + 1) .. text
end

local function draw_lines(block, width)
  local series, xs, ys = axis.points(block)
  local y = axis.new(block.y, ys, {most = 6, from_zero = true})
  local labels, indent = row_labels(y)
  indent = indent + 1
  width = width - indent - 1
  local x = axis.new(block.x, xs, {most = math.max(2, width // 9)})
  local grid, lines = draw_grid(series, x, y, width), {plain.line(block.y.name)}
  for row = 0, HEIGHT - 1 do
    for column = 0, width - 1 do grid[row][column] = grid[row][column] or " " end
    local label = plain.pad(labels[row] or "", indent - 1, true)
    lines[#lines + 1] = (label .. (labels[row] and " ┤" or " │") .. table.concat(grid[row], "", 0, width - 1))
      :gsub("%s+$", "")
  end
  lines[#lines + 1] = bottom(x, width, indent)
  lines[#lines + 1] = plain.pad(plain.line(block.x.name), indent + width + 1, true)
  lines[#lines + 1] = legend(block, width)
  return table.concat(lines, "\n")
end

-- ---- bars ---------------------------------------------------------------------------------------

local function bar(length)
  local whole = length // 1 | 0
  local rest = (length - whole) * 8 // 1 | 0
  return ("█"):rep(whole) .. (EIGHTHS[rest] or "")
end

local function draw_bars(block, width)
  local bars, values, names, lines = axis.bars(block), {}, 0, {}
  for i, item in ipairs(bars) do
    values[i] = item[3]
    names = math.max(names, plain.width(plain.line(item[1])))
  end
  local scale = axis.new(block.y, values, {from_zero = true})
  local several = #block.series > 1
  local room = math.max(8, width - names - 14)
  for i, item in ipairs(bars) do
    local name = bars[i - 1] and bars[i - 1][1] == item[1] and "" or plain.line(item[1])
    local length = math.max(0.13, scale:at(item[3]) * room)
    lines[i] = ("%s  %s%s %s"):format(plain.pad(name, names), several and mark_of(item[2]) .. " " or "", bar(length),
      format.show(item[3], block.y.unit))
  end
  lines[#lines + 1] = legend(block, width)
  return table.concat(lines, "\n")
end

--- Draws a chart as text, without its title.
-- @tab block a chart
-- @int width in characters
-- @treturn string
function chart.draw(block, width)
  local _, _, ys = axis.points(block)
  if #ys == 0 then return "(nothing to show)" end
  return (block.bars and draw_bars or draw_lines)(block, math.max(30, width))
end

return chart
