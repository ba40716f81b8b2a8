--- plot.image and plot.heatmap.
-- @submodule luatensor.plot

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local clocale = require "luatensor.base.clocale"
local colormap = require "luatensor.page.colormap"
local core = require "luatensor.core"
local figure = require "luatensor.plot.figure"
local images = require "luatensor.io.images"
local lt = require "luatensor"
local read = require "luatensor.plot.read"

local cells = {}

local MOST <const> = 1 << 22         -- cells of a picture

local SHARP <const> = 512            -- pixels of the longer side of a PNG, at least

-- Returns one channel of rows of colours as bytes, with `times` × `times` bytes for each cell.
local function plane_of(colors, columns, times, value)
  local rows = {}
  for r, row in ipairs(colors) do
    local bytes = {}
    for c = 1, columns do bytes[c] = string.char(value(row[c])):rep(times) end
    rows[r] = table.concat(bytes):rep(times)
  end
  return table.concat(rows)
end

-- Returns the PNG of rows of colours. Cells without a colour are transparent. Small pictures are enlarged, because some
-- programs, such as librsvg, blur the edges of enlarged pixels.
local function png_of(colors, columns, times)
  local planes = {}
  for i, shift in ipairs {16, 8, 0} do
    planes[i] = plane_of(colors, columns, times, function(color) return color and color >> shift & 255 or 0 end)
  end
  planes[4] = plane_of(colors, columns, times, function(color) return color and 255 or 0 end)
  return images.to_png(lt.from_bytes(table.concat(planes), {4, #colors * times, columns * times},
    {dtype = "uint8", device = core.host_device}))
end

-- Returns the least and the largest finite number of rows.
local function range_of(rows)
  local low, high = math.huge, -math.huge
  for _, row in ipairs(rows) do
    for _, value in ipairs(row) do
      if value > -math.huge and value < math.huge then low, high = math.min(low, value), math.max(high, value) end
    end
  end
  if low > high then return 0, 1 end
  return low, high
end

-- Returns the colours of rows of numbers, and the positions of the numbers from 0 to 1 in the range. NaN has neither.
local function color_rows(rows, low, high, map)
  local palette, colors, shares, span = colormap.colors(map), {}, {}, high / 2 - low / 2
  for r, row in ipairs(rows) do
    colors[r], shares[r] = {}, {}
    for c, value in ipairs(row) do
      local at = math.max(0, math.min(1, span == 0 and 0.5 or (value / 2 - low / 2) / span))
      colors[r][c] = value == value and palette[(at * 255 + 0.5) // 1 + 1 | 0]
      shares[r][c] = value == value and at
    end
  end
  return colors, shares
end

-- Returns the colour bar of a range.
local function bar_of(low, high, map)
  local palette, rows = colormap.colors(map), {}
  for i = 1, 256 do rows[i] = {palette[257 - i]} end
  return low < high and {low = low, high = high, png = png_of(rows, 1, 1)} or nil
end

local function check_size(fn, rows, columns)
  if rows == 0 or columns == 0 then blame.fail(fn, "a picture of %d × %d cells has nothing to show", rows, columns) end
  if rows * columns > MOST then
    blame.fail(fn, "%d × %d cells; at most %d can be drawn", rows, columns, MOST)
  end
end

local function limits_of(fn, options, low, high)
  low = options.vmin and args.check(fn, "vmin", options.vmin, "real") or low
  high = options.vmax and args.check(fn, "vmax", options.vmax, "real") or high
  if low > high or math.abs(low) == math.huge or math.abs(high) == math.huge then
    blame.fail(fn, "vmin %s is above vmax %s, or one of them is infinite", low, high)
  end
  return low, high
end

local MAP <const> = {"choice", table.unpack(colormap.names)}

local function panel_of(options, rows, columns, colors, more)
  local made = {rows = rows, columns = columns, colors = colors}
  made.png = png_of(colors, columns, math.ceil(SHARP / math.max(rows, columns)))
  for name, value in pairs(more) do made[name] = value end
  return {x = {name = options.xlabel}, y = {name = options.ylabel}, series = {}, cells = made}
end

-- ---- images -------------------------------------------------------------------------------------

-- Returns the channels of an image, as lists of rows: one for gray, three for colours. An image of four channels has
-- opacity, which is not shown.
local function channels_of(fn, image)
  if not core.is_tensor(image) then return {read.rows(fn, "argument 1", image)} end
  image = args.tensor(fn, 1, image)
  if image.ndim == 2 then return {read.rows(fn, "argument 1", image)} end
  local channels_first = image.ndim == 3 and (image.shape[1] == 1 or image.shape[1] == 3 or image.shape[1] == 4)
  local channels_last = image.ndim == 3 and (image.shape[3] == 1 or image.shape[3] == 3 or image.shape[3] == 4)
  if not channels_first and not channels_last then
    blame.fail(fn, "[height, width], [channels, height, width] or [height, width, channels] with 1, 3 or 4 channels "
      .. "expected, got shape %s", args.shape_text(image.shape))
  end
  local list = {}
  for i = 1, math.min(3, image.shape[channels_first and 1 or 3]) do
    list[i] = read.rows(fn, "argument 1", channels_first and image[i] or image[{{}, {}, i}])
  end
  return list
end

-- Returns the range of an image's numbers: 0 … 255 for uint8, 0 … 65535 for uint16, 0 … 1 for other colours, and
-- the range of the values for other gray images.
local function image_range(image, channels)
  local dtype = core.is_tensor(image) and image.dtype
  if dtype == "uint8" then return 0, 255 end
  if dtype == "uint16" then return 0, 65535 end
  if dtype == "bool" or #channels > 1 then return 0, 1 end
  return range_of(channels[1])
end

local function mix(channels, low, high)
  local colors = {}
  local planes = {}
  for i, rows in ipairs(channels) do planes[i] = color_rows(rows, low, high, "gray") end
  for r, row in ipairs(planes[1]) do
    local list = {}
    for c, red in ipairs(row) do
      local green, blue = planes[2][r][c], planes[3][r][c]
      list[c] = red and green and blue and (red & 0xff0000 | green & 0xff00 | blue & 0xff)
    end
    colors[r] = list
  end
  return colors
end

local image_options <const> = read.known(false, {colormap = MAP, vmin = true, vmax = true, colorbar = "boolean",
  xlabel = "string", ylabel = "string"})

--- Shows an image: a tensor [height, width] for gray, or [channels, height, width], or [height, width, channels], with
-- 1, 3 or 4 channels. If the shape fits both, the channels are first. uint8 has the range 0 … 255, other dtypes 0 … 1
-- for colours. Gray images of other dtypes have the range of their values. NaN is transparent.
-- @function plot.image
-- @tparam tensor|table image a tensor, or a list of rows
-- @tparam[opt] table options `colormap` ("gray"): or "viridis", "magma", "cividis" or "coolwarm" for an image of one
--   channel; `vmin`: the number of the first colour; `vmax`: the number of the last colour; `colorbar` (false): draws
--   the colours with their numbers; `title`; `xlabel`; `ylabel`; `width` (480): in pixels; `height` (480); `theme`
--   ("auto"): or "light" or "dark"
-- @treturn Figure
function cells.image(image, options)
  local fn = "plot.image"
  options = args.options(fn, options, image_options)
  local channels = channels_of(fn, image)
  local rows, columns = #channels[1], channels[1][1] and #channels[1][1] or 0
  check_size(fn, rows, columns)
  local low, high = limits_of(fn, options, image_range(image, channels))
  local map = options.colormap or "gray"
  local colors = #channels == 3 and mix(channels, low, high) or color_rows(channels[1], low, high, map)
  local bar = options.colorbar and #channels < 3 and bar_of(low, high, map) or nil
  local panel = panel_of(options, rows, columns, colors, {square = true, bar = bar})
  return figure.of_panel(panel, options, options.height or 480, options.width or 480)
end

-- ---- heat maps ----------------------------------------------------------------------------------

local function check_labels(fn, name, labels, count)
  if labels == nil then return nil end
  args.check(fn, name, labels, "list")
  if #labels ~= count then blame.fail(fn, "%s: %d names for %d", name, #labels, count) end
  local list = {}
  for i, label in ipairs(labels) do
    if type(label) ~= "string" and type(label) ~= "number" then
      blame.fail(fn, "%s[%d]: string or number expected, got %s", name, i, core.type_name(label))
    end
    list[i] = clocale.tostring(label)
  end
  return list
end

-- Returns the texts of the cells for the option annotate: true, or a format such as "%.2f".
local function texts_of(fn, rows, annotate)
  if not annotate then return nil end
  local pattern = annotate == true and "%.4g" or annotate
  if type(pattern) ~= "string" or not pattern:find "^[^%%]*%%[-+ 0#]*%d*%.?%d*[aefgAEFG][^%%]*$" then
    blame.fail(fn, "annotate: true or a format such as \"%%.2f\" expected, got %s", tostring(annotate))
  end
  local texts = {}
  for r, row in ipairs(rows) do
    texts[r] = {}
    for c, value in ipairs(row) do
      texts[r][c] = value == value and clocale.format(pattern, value) or "nan"
    end
  end
  return texts
end

local heatmap_options <const> = read.known(false, {colormap = MAP, vmin = true, vmax = true, colorbar = "boolean",
  xlabel = "string", ylabel = "string", row_labels = true, column_labels = true, annotate = true})

--- Draws a matrix as cells whose colours show the numbers, such as a confusion matrix. The first row is at the top.
-- NaN has no colour.
-- @function plot.heatmap
-- @tparam tensor|table matrix a tensor of two dims, or a list of rows
-- @tparam[opt] table options `row_labels`: names of the rows; `column_labels`: names of the columns; `annotate`: true
--   writes the numbers into the cells, and a string such as "%.2f" is their format; `colormap` ("viridis"): or "magma",
--   "cividis", "coolwarm" or "gray"; `vmin`: the number of the first colour; `vmax`: the number of the last colour;
--   `colorbar` (true): draws the colours with their numbers; `title`; `xlabel`; `ylabel`; `width` (560): in pixels;
--   `height` (440); `theme` ("auto"): or "light" or "dark"
-- @treturn Figure
function cells.heatmap(matrix, options)
  local fn = "plot.heatmap"
  options = args.options(fn, options, heatmap_options)
  local rows = read.rows(fn, "argument 1", matrix)
  local columns = rows[1] and #rows[1] or 0
  check_size(fn, #rows, columns)
  local low, high = limits_of(fn, options, range_of(rows))
  local map = options.colormap or "viridis"
  local colors, shares = color_rows(rows, low, high, map)
  local panel = panel_of(options, #rows, columns, colors, {
    shares = shares, texts = texts_of(fn, rows, options.annotate),
    bar = options.colorbar ~= false and bar_of(low, high, map) or nil,
    row_labels = check_labels(fn, "row_labels", options.row_labels, #rows),
    column_labels = check_labels(fn, "column_labels", options.column_labels, columns),
  })
  return figure.of_panel(panel, options, options.height or 440, options.width or 560)
end

return cells
