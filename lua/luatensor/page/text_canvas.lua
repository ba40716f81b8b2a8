--- A grid of characters on which charts are drawn. Each cell has a character and the number of its series. Column 0
-- and row 0 are at the top left.

local canvas = {}
canvas.__index = canvas

--- Makes an empty canvas.
-- @int width in characters
-- @int height
function canvas.new(width, height)
  local self = setmetatable({width = width, height = height, cells = {}, owners = {}, dots = {}}, canvas)
  for row = 0, height - 1 do self.cells[row], self.owners[row], self.dots[row] = {}, {}, {} end
  return self
end

-- Rounds to the nearest integer, and a half up, also if rounding errors made it a little smaller.
local function round(value) return (value + 0.5 + 1e-9) // 1 | 0 end

--- Sets the character of a cell.
function canvas:set(column, row, character, s)
  self.cells[row][column], self.owners[row][column] = character, s
end

-- Calls visit(column, row) for the cells between two points, by steps of one cell along the longer side. Both ends
-- are visited, too.
local function walk(x1, y1, x2, y2, visit)
  local steps = math.max(math.abs(round(x2) - round(x1)), math.abs(round(y2) - round(y1)))
  visit(round(x1), round(y1))
  for i = 1, steps do visit(round(x1 + (x2 - x1) * i / steps), round(y1 + (y2 - y1) * i / steps)) end
end

local function walk_line(line, visit)
  if #line == 2 then visit(round(line[1]), round(line[2])) end
  for i = 3, #line, 2 do walk(line[i - 2], line[i - 1], line[i], line[i + 1], visit) end
end

--- Draws a line {x, y, x, y, …} with a character. Cells that are already drawn stay unchanged.
function canvas:dotted(line, character, s)
  walk_line(line, function(column, row)
    if not self.cells[row][column] then self.cells[row][column], self.owners[row][column] = character, s end
  end)
end

-- The bits of the dots of a braille character: DOTS[row][column].
local DOTS <const> = {[0] = {[0] = 0x01, 0x08}, {[0] = 0x02, 0x10}, {[0] = 0x04, 0x20}, {[0] = 0x40, 0x80}}

--- Draws a line {x, y, x, y, …} with the dots of braille characters, 2 × 4 in each cell. The coordinates count dots.
function canvas:braille(line, s)
  walk_line(line, function(x, y)
    local column, row = x // 2, y // 4
    self.dots[row][column] = (self.dots[row][column] or 0) | DOTS[y % 4][x % 2]
    self.owners[row][column] = s
  end)
end

--- Draws a column {left, top, right, bottom}, in cells, with full blocks and blocks of eighths of a cell's height.
-- @tab column
-- @int s number of the series
-- @tab style its fields `full` and `heights` have the characters
function canvas:column(column, s, style)
  local first = round(column[1])
  for at = first, math.max(first, round(column[3]) - 1) do
    for row = column[2] // 1 | 0, math.min(self.height, math.ceil(column[4])) - 1 do
      local covered = math.min(row + 1, column[4]) - math.max(row, column[2])
      local eighths = round(covered * 8)
      local text = eighths == 8 and style.full or style.heights[eighths] or covered >= 0.5 and style.full
      if text and at < self.width then self.cells[row][at], self.owners[row][at] = text, s end
    end
  end
end

--- Returns a row as text without spaces at its end.
-- @int row
-- @func paint adds the colour of series number s to a text
function canvas:row(row, paint)
  local parts, last = {}, -1
  for column = 0, self.width - 1 do
    local text, dots = self.cells[row][column], self.dots[row][column]
    text = text or dots and utf8.char(0x2800 + dots)
    if text then last = column end
    parts[column + 1] = text and paint(text, self.owners[row][column]) or " "
  end
  return table.concat(parts, "", 1, last + 1)
end

return canvas
