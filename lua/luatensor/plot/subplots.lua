--- plot.subplots.
-- @submodule luatensor.plot

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local figure = require "luatensor.plot.figure"
local read = require "luatensor.plot.read"

local subplots = {}

local TITLE <const> = 34             -- pixels of the title above all panels
local MOST <const> = 100             -- figures

local function is_figure(value) return getmetatable(value) == figure end

-- Returns the rows of figures: those that are given, or rows of `columns` figures.
local function rows_of(fn, given, columns)
  local rows = {}
  for i, item in ipairs(given) do
    if is_figure(item) then
      local row = (i - 1) // columns + 1
      rows[row] = rows[row] or {}
      table.insert(rows[row], item)
    else
      if core.type_name(item) ~= "table" then
        blame.fail(fn, "entry %d: figure or row of figures expected, got %s", i, core.type_name(item))
      end
      rows[#rows + 1] = item
    end
  end
  return rows
end

local function check_rows(fn, rows)
  local most, count = 0, 0
  for r, row in ipairs(rows) do
    for c, item in ipairs(row) do
      if not is_figure(item) then
        blame.fail(fn, "row %d, figure %d: figure expected, got %s", r, c, core.type_name(item))
      elseif #item.panels ~= 1 then
        blame.fail(fn, "row %d, figure %d: subplots cannot contain subplots; give their figures", r, c)
      end
    end
    most, count = math.max(most, #row), count + #row
  end
  if count == 0 then blame.fail(fn, "figures expected, got none") end
  if count > MOST then blame.fail(fn, "%d figures; at most %d can be drawn", count, MOST) end
  return most
end

local known <const> = read.known(false, {columns = {"integer", 1, MOST}})

--- Draws several figures in one, in rows and columns: `plot.subplots {a, b, c}` or `plot.subplots {{a, b}, {c, d}}`.
-- In text, the figures are one below the other.
-- @function plot.subplots
-- @tab figures a list of figures, or a list of rows of figures
-- @tparam[opt] table options `columns` (2): figures in a row, for a list of figures; `title`: above all figures;
--   `width`: of the picture in pixels (default: 480 for each column); `height`: (default: 320 for each row); `theme`
--   ("auto"): or "light" or "dark"
-- @treturn Figure
function subplots.subplots(figures, options)
  local fn = "plot.subplots"
  options = args.options(fn, options, known)
  if core.type_name(figures) ~= "table" then
    blame.fail(fn, "argument 1: list of figures expected, got %s", core.type_name(figures))
  end
  local rows = rows_of(fn, figures, options.columns or math.min(2, math.max(1, #figures)))
  local columns = check_rows(fn, rows)
  local width, height = options.width or 480 * columns, options.height or 320 * #rows
  local top, panels = options.title and TITLE or 0, {}
  local across, down = width / columns, (height - top) / #rows
  for r, row in ipairs(rows) do
    for c, item in ipairs(row) do
      panels[#panels + 1] = {item.panels[1][1], (c - 1) * across, top + (r - 1) * down, across, down}
    end
  end
  return figure.new(panels, {width = width, height = height, title = options.title, theme = options.theme})
end

return subplots
