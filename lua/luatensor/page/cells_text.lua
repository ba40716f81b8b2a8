--- Draws panels of cells (luatensor.page.cells_svg) with characters. With colours, a character has two cells, one above
-- the other. Without colours, a character shows the brightness of a cell.

local colormap = require "luatensor.page.colormap"
local plain = require "luatensor.page.plain"

local cells_text = {}

local RAMPS <const> = {unicode = {" ", "░", "▒", "▓", "█"}, ascii = {" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"}}

-- Returns the character for the number of a cell, or for the brightness of its colour. The eye sees steps of
-- luminance^(1/2.2) as equal.
local function shade(cells, r, c, ramp)
  local color = cells.colors[r][c]
  if not color then return "?" end
  local at = cells.shares and cells.shares[r][c] or colormap.luminance(color) ^ (1 / 2.2)
  return ramp[math.min(#ramp, at * #ramp // 1 + 1 | 0)]
end

-- Returns the row and the column in the middle of cell (r, c) of a picture of rows × columns cells.
local function sample(cells, r, c, rows, columns)
  return ((r - 0.5) / rows * cells.rows) // 1 + 1 | 0, ((c - 0.5) / columns * cells.columns) // 1 + 1 | 0
end

local function color_at(cells, r, c) return cells.colors[r][c] end

-- Draws the cells as a picture of at most width × height characters.
local function draw_picture(cells, width, height, style)
  local columns = math.min(width, cells.columns * 2)
  local rows = math.max(1, columns * cells.rows / cells.columns / 2 + 0.5) // 1 | 0
  if rows > height then
    columns = math.max(1, columns * height // rows)
    rows = height
  end
  local ramp, lines = style.ascii and RAMPS.ascii or RAMPS.unicode, {}
  for r = 1, rows do
    local parts = {}
    for c = 1, columns do
      if style.cell and not style.ascii then
        parts[c] = style.cell("▀", color_at(cells, sample(cells, 2 * r - 1, c, 2 * rows, columns)),
          color_at(cells, sample(cells, 2 * r, c, 2 * rows, columns)))
      else
        local row, column = sample(cells, r, c, rows, columns)
        parts[c] = shade(cells, row, column, ramp)
      end
    end
    lines[r] = table.concat(parts)
  end
  return table.concat(lines, "\n")
end

local function widest(labels, least)
  local width = least
  for _, label in ipairs(labels or {}) do width = math.max(width, plain.width(plain.line(label))) end
  return width
end

-- Draws the cells as a table with labels and texts. Returns nil if the table is wider than `width`.
local function draw_table(cells, width, style)
  local first, size = widest(cells.row_labels, 0), widest(cells.column_labels, 2)
  for _, row in ipairs(cells.texts or {}) do size = widest(row, size) end
  local margin = first > 0 and first + 1 or 0
  if margin + cells.columns * (size + 1) > width or cells.rows > 100 then return nil end
  local ramp, lines = style.ascii and RAMPS.ascii or RAMPS.unicode, {}
  if cells.column_labels then
    local parts = {(" "):rep(margin)}
    for c = 1, cells.columns do parts[c + 1] = plain.pad(plain.line(cells.column_labels[c]), size + 1, true) end
    lines[1] = table.concat(parts)
  end
  for r = 1, cells.rows do
    local parts = {plain.pad(cells.row_labels and plain.line(cells.row_labels[r]) or "", margin)}
    for c = 1, cells.columns do
      local color = cells.colors[r][c]
      local shown = cells.texts and cells.texts[r][c] or style.cell and "" or shade(cells, r, c, ramp):rep(size)
      local text = plain.pad(shown, size + 1, true)
      parts[c + 1] = style.cell and style.cell(text, nil, color) or text
    end
    lines[#lines + 1] = table.concat(parts)
  end
  return table.concat(lines, "\n")
end

--- Draws a panel of cells.
-- @tab drawn the panel
-- @int width in characters
-- @int height of a picture, in lines
-- @tab style ascii, and cell(text, color, background), which colours a text, or nil
-- @treturn string
function cells_text.draw(drawn, width, height, style)
  local cells = drawn.cells
  local body = not cells.square and draw_table(cells, width, style) or draw_picture(cells, width, height, style)
  local parts = {drawn.y.name or false, body, drawn.x.name or false}
  local lines = {}
  for _, part in ipairs(parts) do lines[#lines + 1] = part or nil end
  return table.concat(lines, "\n")
end

return cells_text
