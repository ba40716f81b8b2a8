--- Writes tensors, tables and models as HTML for notebooks.

local args = require "luatensor.base.args"
local describe = require "luatensor.nn.module.describe"
local excerpt = require "luatensor.array.excerpt"
local core = require "luatensor.core"
local literal = require "luatensor.notebook.literal"

local html = {}

local LONGEST <const> = 20            -- elements that are shown along a dim
local MOST_SLICES <const> = 4         -- matrices that are shown of a tensor with more than two dims
local MOST_ROWS <const> = 20          -- rows that are shown of a Lua table
local MOST_TEXT <const> = 200         -- bytes that are shown of a value within a table

local entities = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;"}

--- Escapes a text.
function html.escape(text) return (text:gsub("[&<>\"']", entities)) end

-- Returns a table element. `head` is a list of texts, or nil. The first cell of each row is a heading if `has_names`.
local function table_of(head, rows, has_names)
  local parts = {"<table>"}
  local function add_row(cells, first, other)
    parts[#parts + 1] = "<tr>"
    for i, text in ipairs(cells) do
      local tag = i == 1 and first or other
      parts[#parts + 1] = ("<%s>%s</%s>"):format(tag, html.escape(text), tag)
    end
    parts[#parts + 1] = "</tr>"
  end
  if head then
    parts[#parts + 1] = "<thead>"
    add_row(head, "th", "th")
    parts[#parts + 1] = "</thead>"
  end
  parts[#parts + 1] = "<tbody>"
  for _, cells in ipairs(rows) do add_row(cells, has_names and "th" or "td", "td") end
  parts[#parts + 1] = "</tbody></table>"
  return table.concat(parts)
end

-- Returns an element that scrolls where the content is too wide, with a line of text below.
local function frame(content, caption)
  return ('<div style="overflow-x: auto">%s</div><div>%s</div>'):format(content, html.escape(caption))
end

-- ---- tensors ------------------------------------------------------------------------------------

-- Returns the shown positions of a dim. False stands for the positions that are left out.
local function positions(length, edge)
  local list = {}
  for i = 1, math.min(length, edge) do list[i] = i end
  if length > 2 * edge then list[#list + 1] = false end
  for i = math.max(edge, length - edge) + 1, length do list[#list + 1] = i end
  return list
end

local function headings(list)
  local texts = {}
  for i, position in ipairs(list) do texts[i] = position and tostring(position) or "…" end
  return texts
end

-- Returns a matrix. next_text() returns the text of the next element.
local function matrix(rows, columns, next_text)
  local lines = {}
  for i, name in ipairs(headings(rows)) do
    lines[i] = {name}
    for j, column in ipairs(columns) do
      lines[i][j + 1] = rows[i] and column and next_text() or "…"
    end
  end
  return table_of({"", table.unpack(headings(columns))}, lines, true)
end

-- Returns the shown positions of all dims but the last two, as a list of lists.
local function slices(shape, edge, dim)
  if dim > #shape - 2 then return {{}} end
  local list = {}
  for _, position in ipairs(positions(shape[dim], edge)) do
    for _, rest in ipairs(position and slices(shape, edge, dim + 1) or {}) do
      list[#list + 1] = {position, table.unpack(rest)}
    end
  end
  return list
end

local function elements(x)
  local shape, texts, edge = x.shape, excerpt.of(x, LONGEST)
  local at, n = 0, #shape
  local function next_text()
    at = at + 1
    return texts[at]
  end
  local columns = positions(shape[n], edge)
  if n == 1 then
    local row = {}
    for i, column in ipairs(columns) do row[i] = column and next_text() or "…" end
    return table_of(headings(columns), {row})
  end
  local rows, parts, list = positions(shape[n - 1], edge), {}, slices(shape, edge, 1)
  for i = 1, math.min(#list, MOST_SLICES) do
    if n > 2 then parts[#parts + 1] = ("<div>[%s, :, :]</div>"):format(table.concat(list[i], ", ")) end
    parts[#parts + 1] = matrix(rows, columns, next_text)
  end
  if #list > MOST_SLICES then parts[#parts + 1] = "<div>…</div>" end
  return table.concat(parts)
end

--- Returns a tensor as a table with the positions of the elements, and the text of dtype, shape and device; nil if the
-- tensor has no dims, no elements, or was freed.
function html.tensor(x)
  if core.gone(x) or #x.shape == 0 or x.size == 0 then return nil end
  return frame(elements(x), excerpt.description(x))
end

-- ---- Lua tables ---------------------------------------------------------------------------------

-- Returns the text of a value within a table.
local function short_text(value)
  if core.is_tensor(value) and not core.gone(value) and value.size > 1 then return excerpt.description(value) end
  local text = literal.text(value)
  if #text <= MOST_TEXT then return text end
  return text:sub(1, utf8.offset(text, 0, MOST_TEXT) - 1) .. "…"
end

-- Returns the names of the fields of records: a list of tables with strings as keys. Returns nil for other tables.
local function fields_of(list, length)
  local names, seen = {}, {}
  for i = 1, length do
    local record = rawget(list, i)
    if type(record) ~= "table" or literal.has_text(record) then return nil end
    local keys, items = literal.keys(record)
    if items > 0 then return nil end
    for _, key in ipairs(keys) do
      if type(key) ~= "string" then return nil end
      if not seen[key] then names[#names + 1] = key end
      seen[key] = true
    end
  end
  return #names > 0 and #names <= LONGEST and names or nil
end

local function records(list, length, names)
  local rows = {}
  for i = 1, math.min(length, MOST_ROWS) do
    rows[i] = {tostring(i)}
    for j, name in ipairs(names) do
      local value = rawget(rawget(list, i), name)
      rows[i][j + 1] = value == nil and "" or short_text(value)
    end
  end
  return table_of({"", table.unpack(names)}, rows, true)
end

local function pairs_of(value, keys, length)
  local rows = {}
  for i = 1, math.min(length, MOST_ROWS) do rows[i] = {tostring(i), short_text(rawget(value, i))} end
  for i = 1, math.min(#keys, MOST_ROWS - #rows) do
    rows[#rows + 1] = {short_text(keys[i]), short_text(rawget(value, keys[i]))}
  end
  return table_of(nil, rows, true)
end

--- Returns a Lua table as HTML: a list of records with a column for each field, other tables with a row for each key.
-- Returns nil for an empty table.
function html.table(value)
  local keys, length = literal.keys(value)
  local n = length + #keys
  if n == 0 then return nil end
  local names = #keys == 0 and fields_of(value, length)
  local content = names and records(value, length, names) or pairs_of(value, keys, length)
  local shown = n > MOST_ROWS and (", the first %d shown"):format(MOST_ROWS) or ""
  return frame(content, ("table with %d item%s%s"):format(n, n == 1 and "" or "s", shown))
end

-- ---- models -------------------------------------------------------------------------------------

-- Returns a row for a module: name, class with options, shapes of the parameters, number of parameters.
local function module_row(name, module)
  local shapes, count = {}, 0
  for path, x in module:named_parameters() do
    if not path:find(".", 1, true) then
      shapes[#shapes + 1] = path .. " " .. args.shape_text(x.shape)
      count = count + x.size
    end
  end
  local class = ("%s(%s)"):format(module.class_name, module:extra())
  return {name, class, table.concat(shapes, ", "), count > 0 and describe.count(count) or ""}
end

--- Returns a model as a table with a row for each module.
function html.module(model)
  local problem = describe.problem(model)
  if problem then return frame(table_of(nil, {{model.class_name, problem}}, true), "") end
  local rows, count, trained, places = {}, 0, 0, {}
  for name, module in model:named_modules() do rows[#rows + 1] = module_row(name, module) end
  for _, x in ipairs(model:parameters()) do
    count = count + x.size
    if x.requires_grad then trained = trained + x.size end
    local place = x.dtype .. " " .. x.device
    if not places[place] then places[#places + 1] = place end
    places[place] = true
  end
  local frozen = trained < count and (", %s of them trained"):format(describe.count(trained)) or ""
  local caption = ("%s: %s parameter%s%s, %s"):format(model.class_name, describe.count(count), count == 1 and "" or "s",
    frozen, #places > 0 and table.concat(places, ", ") or "no tensors")
  return frame(table_of({"module", "class", "parameters", "number"}, rows, true), caption)
end

return html
