--- Draws panels of cells, images and heat maps, as SVG. The cells are one embedded PNG image.
--
-- A panel of cells has a table `cells` with these fields. All fields after `colors` may be nil.
--
--     rows, columns               the number of cells
--     png                         the bytes of the image
--     colors                      rows of integers 0xrrggbb; false for a cell without a colour
--     shares                      rows of the numbers from 0 to 1 for which the colours stand
--     texts                       rows of texts
--     row_labels, column_labels   lists of texts
--     square                      true if cells are as high as wide
--     bar                         {low =, high =, png =} for a colour bar

local axis = require "luatensor.page.axis"
local colormap = require "luatensor.page.colormap"

local cells_svg = {}

local ALPHABET <const> = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local BAR <const> = 14               -- pixels of the width of a colour bar

local function base64(bytes)
  local parts = {}
  for at = 1, #bytes, 3 do
    local a, b, c = bytes:byte(at, at + 2)
    local bits = a << 16 | (b or 0) << 8 | (c or 0)
    for i = 1, 4 do
      local place = (bits >> (24 - 6 * i) & 63) + 1
      parts[#parts + 1] = (i == 3 and not b or i == 4 and not c) and "=" or ALPHABET:sub(place, place)
    end
  end
  return table.concat(parts)
end

local function add_image(canvas, png, x, y, width, height)
  canvas:add('<image x="%.2f" y="%.2f" width="%.2f" height="%.2f" preserveAspectRatio="none" '
    .. 'style="image-rendering:pixelated" href="data:image/png;base64,%s"/>', x, y, width, height, base64(png))
end

local function widest(canvas, labels)
  local width = 0
  for _, label in ipairs(labels or {}) do width = math.max(width, canvas:width(label)) end
  return width
end

-- Writes the labels of the rows and the columns. Labels that would overlap are left out.
local function draw_labels(canvas, cells, left, top, width, height)
  local down, across, font = height / cells.rows, width / cells.columns, canvas.font
  local step = math.max(1, math.ceil(1.3 * font / down))
  for r = 1, cells.row_labels and cells.rows or 0, step do
    canvas:text(left - 8, top + (r - 0.5) * down + 0.35 * font, cells.row_labels[r], "end")
  end
  step = math.max(1, math.ceil((widest(canvas, cells.column_labels) + 8) / across))
  for c = 1, cells.column_labels and cells.columns or 0, step do
    canvas:text(left + (c - 0.5) * across, top + height + 1.4 * font, cells.column_labels[c], "middle")
  end
end

-- Writes the texts of the cells, in black or white, whichever has more contrast with the cell.
local function draw_texts(canvas, cells, left, top, width, height)
  local down, across = height / cells.rows, width / cells.columns
  local longest = 1
  for _, row in ipairs(cells.texts) do longest = math.max(longest, widest(canvas, row)) end
  local size = math.min(canvas.font, 0.8 * down, canvas.font * 0.9 * across / longest)
  if size < 5 then return end                                          -- nobody could read the texts
  for r, row in ipairs(cells.texts) do
    for c, text in ipairs(row) do
      local color = cells.colors[r][c]
      local ink = not color and "text" or colormap.luminance(color) > 0.18 and "#000000" or "#ffffff"
      canvas:text(left + (c - 0.5) * across, top + (r - 0.5) * down + 0.35 * size, text, "middle", size, nil, ink)
    end
  end
end

-- Draws the colour bar with its ticks.
local function draw_bar(canvas, bar, left, top, height)
  local scale = axis.new({unit = "number", low = bar.low, high = bar.high}, {bar.low, bar.high},
    {most = math.max(2, height // 40)})
  add_image(canvas, bar.png, left, top, BAR, height)
  for _, tick in ipairs(scale.ticks) do
    canvas:text(left + BAR + 6, top + (1 - scale:at(tick[1])) * height + 0.35 * canvas.font, tick[2], "start")
  end
end

--- Draws a panel of cells.
-- @tab canvas of luatensor.page.chart_svg
-- @tab drawn the panel
-- @number width
-- @number height
function cells_svg.draw(canvas, drawn, width, height)
  local cells, font = drawn.cells, canvas.font
  local top = drawn.y.name and 2.2 * font or 8
  local bottom = (cells.column_labels and 1.8 * font or 8) + (drawn.x.name and 1.6 * font or 0)
  local left = cells.row_labels and widest(canvas, cells.row_labels) + 16 or 8
  local right = cells.bar and BAR + 76 or 8
  local across, down = math.max(1, width - left - right), math.max(1, height - top - bottom)
  if cells.square then
    local size = math.min(across / cells.columns, down / cells.rows)
    across, down = size * cells.columns, size * cells.rows
  end
  if drawn.y.name then canvas:text(8, 1.2 * font, drawn.y.name, "start") end
  add_image(canvas, cells.png, left, top, across, down)
  draw_labels(canvas, cells, left, top, across, down)
  if cells.texts then draw_texts(canvas, cells, left, top, across, down) end
  if drawn.x.name then canvas:text(left + across / 2, top + down + bottom - 0.4 * font, drawn.x.name, "middle") end
  if cells.bar then draw_bar(canvas, cells.bar, left + across + 16, top, down) end
end

return cells_svg
