--- Makes blocks: paragraphs, notes, tables and charts as plain data, from which renderers (luatensor.page.*) make
-- pages. A block contains raw values with their units. Blocks are stored as JSON without conversion, so false stands
-- for "no value", and lists have no holes.

local format = require "luatensor.page.format"

local document = {}

local function check(condition, message, ...)
  if not condition then error(("document: " .. message):format(...), 3) end
end

local function check_text(text, values)
  check(type(text) == "string", "text expected, got %s", type(text))
  format.fill(text, values)
  return text, values
end

--- Makes a paragraph. `{name}` in the text stands for the value of this name.
-- @string text
-- @tab[opt] values by name, each {value, unit}
-- @treturn table block
function document.text(text, values)
  check_text(text, values)
  return {kind = "text", text = text, values = values}
end

--- Makes a note: a caveat or a warning, shown apart from the text.
function document.note(text, values)
  check_text(text, values)
  return {kind = "note", text = text, values = values}
end

--- Returns the value and the unit of a table's cell. A cell is {value, unit}, or a number, string or false in the
-- column's unit.
function document.cell(cell, column)
  if type(cell) == "table" then return cell[1], cell[2] end
  return cell, column.unit
end

local function check_cell(cell, column, row)
  local value, unit = document.cell(cell, column)
  check(value ~= nil, "row %d has no cell %q; false: no value", row, column.name)
  check(format.is_unit(unit), "column %q: unknown unit %q", column.name, tostring(unit))
  check(value == false or type(value) == "string" or type(value) == "number",
    "row %d, cell %q: number, string or false expected, got %s", row, column.name, type(value))
  check(type(value) ~= "number" or value == value and math.abs(value) < math.huge,
    "row %d, cell %q: %s is no figure", row, column.name, tostring(value))
end

--- Makes a table.
-- @tab fields title (optional), columns {{name =, unit =}, …}, rows {{cell, …}, …}: a cell is a number, a string,
--   false (no value), or {value, unit} if its unit differs from the column's
-- @treturn table block
function document.table(fields)
  check(type(fields.columns) == "table" and #fields.columns > 0, "a table needs columns")
  for _, column in ipairs(fields.columns) do
    check(type(column.name) == "string", "a column needs a name")
    check(format.is_unit(column.unit), "column %q: unknown unit %q", column.name, tostring(column.unit))
  end
  for r, row in ipairs(fields.rows) do
    for c, column in ipairs(fields.columns) do check_cell(row[c], column, r) end
  end
  return {kind = "table", title = fields.title, columns = fields.columns, rows = fields.rows}
end

local function check_point(point, bars, name)
  check(type(point) == "table" and type(point[2]) == "number" and type(point[1]) == (bars and "string" or "number"),
    "series %q: points {x, y} expected", name)
end

local function check_axis(axis, name)
  local named = type(axis) == "table" and type(axis.name) == "string"
  check(named and format.is_unit(axis.unit), "a chart needs %s = {name =, unit =}", name)
end

--- Makes a chart of lines, or a chart of bars, in which each x is a name.
-- @tab fields title, x and y {name =, unit =, log = boolean}, series {{name =, points = {{x, y}, …}, emulated =}, …},
--   bars (boolean: one bar for each point; x is text)
-- @treturn table block
function document.chart(fields)
  check_axis(fields.x, "x")
  check_axis(fields.y, "y")
  check(type(fields.series) == "table" and #fields.series > 0, "a chart needs series")
  for _, series in ipairs(fields.series) do
    check(type(series.name) == "string" and type(series.points) == "table", "a series needs a name and points")
    for _, point in ipairs(series.points) do check_point(point, fields.bars, series.name) end
  end
  return {kind = "chart", title = fields.title, x = fields.x, y = fields.y, series = fields.series, bars = fields.bars}
end

local makers = {
  text = function(block) return document.text(block.text, block.values) end,
  note = function(block) return document.note(block.text, block.values) end,
  table = document.table,
  chart = document.chart,
}

--- True if the value is a block. A value that was read from a file may be anything.
-- @param block
-- @treturn boolean
function document.check(block)
  local maker = type(block) == "table" and makers[block.kind]
  if not maker or (block.title ~= nil and type(block.title) ~= "string") then return false end
  return (pcall(maker, block))
end

return document
