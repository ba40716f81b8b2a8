--- data.Table: columns of training data by name. data.read_csv makes such tables from files.
-- @submodule luatensor.data

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local calendar = require "luatensor.data.calendar"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local lt = require "luatensor"

local MOST_ROWS <const>, ENDS <const> = 20, 5        -- tables of more rows are printed without their middle
local WIDTH <const>, MOST_CELL <const> = 80, 24      -- columns of the terminal that a printed table and a cell may have

--- Numeric kinds of columns. The other kinds are "category" and "text".
local NUMERIC <const> = {integer = true, float = true, boolean = true, date = true, time = true}

local methods = {}

-- Returns a text of names for errors. A file may have a million columns, so only the first names are in the text.
local function list_text(names)
  local MOST <const> = 20
  return table.concat(names, ", ", 1, math.min(#names, MOST)) .. (#names > MOST and (" … (%d)"):format(#names) or "")
end

-- ---- columns ----

-- A table has the fields `names`, `kinds` (by name) and `columns`: {kind =, values =, missing =, levels =} by name.
-- `values` is a tensor on the CPU, of codes if the kind is "category", or a list of strings if it is "text". `missing`
-- is a bool tensor, or nil if no value is missing, or if NaN stands for missing values.

-- Returns the column with this name or number. `fn` is the name of the function in errors.
local function find(fn, self, name)
  if math.type(name) == "integer" then name = self.names[name < 0 and name + #self.names + 1 or name] or name end
  local column = self.columns[name]
  if column then return column, name end
  blame.fail(fn, "the table has no column %s; its columns: %s", type(name) == "string" and ("%q"):format(name)
             or tostring(blame.plain(name)), list_text(self.names))
end

-- Returns what a script sees of a column.
local function public(column)
  if column.kind == "category" then return {codes = column.values, levels = column.levels} end
  return column.values
end

local metatable = {__name = "table of data", __len = function(self) return self.rows_count end}

function metatable.__index(self, key)
  if methods[key] then return methods[key] end
  local column = rawget(self, "columns")[key]
  if column then return public(column) end
  blame.fail("table", "no column and no method %s; columns: %s; methods: column, drop, missing, one_hot, rows, tensor",
             type(key) == "string" and ("%q"):format(key) or tostring(blame.plain(key)), list_text(self.names))
end

function metatable.__newindex()
  blame.fail("table", "a table is not changed; data.Table(columns, names) makes a new one")
end

local function make(names, columns, rows)
  local kinds = {}
  for _, name in ipairs(names) do kinds[name] = columns[name].kind end
  return setmetatable({names = names, kinds = kinds, columns = columns, rows_count = rows}, metatable)
end

-- Returns the column with this name or number: a tensor, {codes =, levels =}, or a list of strings.
function methods:column(name) return public((find("column", self, name))) end

-- Returns a bool tensor [rows]: true where the column has no value.
function methods:missing(name)
  local column = find("missing", self, name)
  if column.missing then return column.missing end
  if column.kind ~= "text" and core.is_tensor(column.values) and column.values.dtype:find "float" then
    return column.values:isnan()
  end
  return lt.zeros({self.rows_count}, {dtype = "bool", device = core.host_device})
end

-- Raises the error of a column without numbers. For a category the message has a text that is no number, if any.
local function raise_no_numbers(name, column)
  if column.kind == "text" then
    blame.fail("tensor", "column %q is a list of texts; t:drop(%q):tensor() has the other columns", name, name)
  end
  local text = column.levels[1] or ""
  for _, level in ipairs(column.levels) do
    if not clocale.number(level) then text = level break end
  end
  blame.fail("tensor", "column %q is a category with the text %q; t:one_hot(%q) gives numbers, t:drop(%q):tensor() has "
             .. "the other columns", name, text, name, name)
end

local function check_dtype(dtype)
  dtype = dtype or lt.get_default_dtype()
  if type(dtype) == "string" and (dtype:find "^u?int" or dtype:find "float") then return dtype end
  blame.fail("tensor", "dtype: a float or integer dtype expected, got %s", tostring(blame.plain(dtype)))
end

-- Returns the values of a numeric column, with NaN for missing values. Raises an error if the dtype cannot have them.
local function numbers_of(name, column, dtype)
  if not NUMERIC[column.kind] then raise_no_numbers(name, column) end
  local values, gaps = column.values, column.missing
  if dtype:find "float" then return gaps and lt.where(gaps, lt.nan, values:to(dtype)) or values end
  if values.dtype:find "float" then gaps = values:isnan() end
  if gaps and gaps:any():item() then
    blame.fail("tensor", "column %q has missing values, for which %s has no number", name, dtype)
  end
  return values
end

-- Returns the columns with these names as a tensor [rows, columns], by default all columns. All must be numeric, so
-- that none is left out unnoticed. Missing values are NaN.
function methods:tensor(names, options)
  options = args.options("tensor", options, {dtype = true, device = "device"})
  if type(names) ~= "table" then names = names == nil and self.names or {names} end
  local dtype = check_dtype(options.dtype)
  local x = lt.empty({self.rows_count, #names}, {dtype = dtype, device = core.host_device})
  for i, name in ipairs(names) do
    local column, found = find("tensor", self, name)
    x[{{}, i}]:copy_(numbers_of(found, column, dtype))
  end
  return x:to(options.device or lt.get_default_device())
end

-- Returns the levels of a category as a tensor [rows, levels] of 0 and 1. The row of a missing value has only zeros.
function methods:one_hot(name, options)
  options = args.options("one_hot", options, {dtype = "dtype", device = "device"})
  local column, found = find("one_hot", self, name)
  if column.kind ~= "category" then blame.fail("one_hot", "column %q is no category, it is %s", found, column.kind) end
  local levels = lt.range(1, #column.levels, {dtype = "int64", device = core.host_device})
  local hot = column.values:reshape({self.rows_count, 1}):equal(levels)
  return hot:to(options.dtype or lt.get_default_dtype()):to(options.device or lt.get_default_device())
end

local function take(column, indices, list)
  local values = column.values
  if column.kind == "text" then
    local texts = {}
    for i, row in ipairs(list) do texts[i] = values[row] end
    values = texts
  else
    values = values:take(indices, 1)
  end
  return {kind = column.kind, values = values, levels = column.levels, missing = column.missing
          and column.missing:take(indices, 1)}
end

-- Returns a table of some rows. `selection` is a mask (a bool tensor), a tensor of row numbers, or a list of them.
function methods:rows(selection)
  if type(selection) == "table" then
    selection = #selection > 0 and lt.tensor(selection) or lt.empty({0}, {dtype = "int64"})
  end
  args.tensor("rows", 2, selection)
  local mask = selection.dtype == "bool"
  local fits = selection.ndim == 1
               and (mask and selection.shape[1] == self.rows_count or not mask and selection.dtype:find "int")
  if not fits then
    blame.fail("rows", "a mask [%d], row numbers or a list of them expected, got %s %s", self.rows_count,
               selection.dtype, args.shape_text(selection.shape))
  end
  selection = selection:to(core.host_device)
  if mask then selection = lt.range(1, self.rows_count, {dtype = "int64", device = core.host_device})[selection] end
  local list, columns = selection:totable(), {}
  for _, row in ipairs(list) do
    if row < 1 or row > self.rows_count then blame.fail("rows", "row %d is none of %d", row, self.rows_count) end
  end
  for name, column in pairs(self.columns) do columns[name] = take(column, selection:to("int64"), list) end
  return make(self.names, columns, #list)
end

-- Returns a table of the columns except those with these names.
function methods:drop(names)
  local dropped, kept = {}, {}
  for _, name in ipairs(type(names) == "table" and names or {names}) do
    local _, found = find("drop", self, name)
    dropped[found] = true
  end
  for _, name in ipairs(self.names) do
    if not dropped[name] then kept[#kept + 1] = name end
  end
  return make(kept, self.columns, self.rows_count)
end

-- ---- printing ----

-- Returns a string of a number with up to 6 digits, in which the C library's locale has no effect.
local function number_text(value)
  if value ~= value then return "NA" end
  return math.type(value) == "integer" and tostring(value) or clocale.format("%.6g", value)
end

-- Returns the texts of the cells of a column in these rows.
local function cells(self, name, shown)
  local column, texts = self.columns[name], {}
  local missing = self:missing(name)
  local indices = lt.tensor(shown, {dtype = "int64", device = core.host_device})
  local values = column.kind ~= "text" and column.values:take(indices):totable()
  local gaps = missing:take(indices):totable()
  for i, row in ipairs(shown) do
    local value = values and values[i] or not values and column.values[row]
    if gaps[i] then texts[i] = "NA"
    elseif calendar[column.kind] then texts[i] = clocale.call(calendar[column.kind], value)
    elseif column.kind == "category" then texts[i] = column.levels[value]
    else texts[i] = type(value) == "number" and number_text(value) or tostring(value) end
  end
  return texts
end

-- Returns the numbers of the rows that a printed table shows, and the number of them before the gap, or nil.
local function shown_rows(self)
  local n, list = self.rows_count, {}
  if n <= MOST_ROWS then
    for i = 1, n do list[i] = i end
    return list
  end
  for i = 1, ENDS do list[i], list[ENDS + i] = i, n - ENDS + i end
  return list, ENDS
end

local function footer(self)
  return ("%d row%s, %d column%s"):format(self.rows_count, self.rows_count == 1 and "" or "s", #self.names,
                                          #self.names == 1 and "" or "s")
end

local function length(text) return utf8.len(text) or #text end

-- Returns a text in one line of at most MOST_CELL letters.
local function short(text)
  text = text:gsub("%c", " ")
  if length(text) <= MOST_CELL then return text end
  local stop = utf8.len(text) and utf8.offset(text, MOST_CELL) or MOST_CELL    -- in bytes if the text is no UTF-8
  return text:sub(1, stop - 1) .. "…"
end

-- Returns a column of a printed table: its texts, padded to one width, and the width. Numbers are aligned to the right.
local function padded(name, texts, right)
  local column, width = {short(name)}, 0
  for i, text in ipairs(texts) do column[i + 1] = short(text) end
  for _, text in ipairs(column) do width = math.max(width, length(text)) end
  for i, text in ipairs(column) do
    local blanks = (" "):rep(width - length(text))
    column[i] = right and blanks .. text or text .. blanks
  end
  return column, width
end

function metatable.__tostring(self)
  local shown, gap = shown_rows(self)
  local lines, used, cut = {}, 0, false
  for i = 0, #shown do lines[i + 1] = {} end
  for _, name in ipairs(self.names) do
    local column, width = padded(name, #shown > 0 and cells(self, name, shown) or {}, NUMERIC[self.kinds[name]])
    cut = cut or used > 0 and used + width > WIDTH
    if cut then break end
    used = used + width + 2
    for i, text in ipairs(column) do table.insert(lines[i], text) end
  end
  for i, line in ipairs(lines) do
    lines[i] = table.concat(line, "  "):gsub(" +$", "") .. (cut and "  …" or "")
  end
  if gap then table.insert(lines, gap + 2, "…") end
  lines[#lines + 1] = footer(self)
  return table.concat(lines, "\n")
end

local ESCAPES <const> = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;"}

local function row_html(tag, row)
  for i, text in ipairs(row) do row[i] = ("<%s>%s</%s>"):format(tag, (text:gsub("[&<>]", ESCAPES)), tag) end
  return "<tr>" .. table.concat(row) .. "</tr>"
end

-- Returns the row that stands for the rows that are left out.
local function gap_row(self)
  local row = {}
  for k in ipairs(self.names) do row[k] = "…" end
  return row
end

--- Returns what a notebook shows: the table as HTML and as text.
function metatable.__mime(self)
  local shown, gap = shown_rows(self)
  local columns, lines = {}, {row_html("th", table.move(self.names, 1, #self.names, 1, {}))}
  for k, name in ipairs(self.names) do columns[k] = #shown > 0 and cells(self, name, shown) or {} end
  for i = 1, #shown do
    local row = {}
    for k, texts in ipairs(columns) do row[k] = texts[i] end
    lines[#lines + 1] = row_html("td", row)
    if i == gap then lines[#lines + 1] = row_html("td", gap_row(self)) end
  end
  return {
    ["text/html"] = "<table>" .. table.concat(lines, "\n") .. "</table><p>" .. footer(self) .. "</p>",
    ["text/plain"] = tostring(self),
  }
end

-- ---- making tables ----

-- Returns a column for a value that a script gave: a tensor of 1 dim, a list of strings, or {codes =, levels =}.
local function column_of(name, value)
  if type(value) == "table" and core.is_tensor(value.codes) and type(value.levels) == "table" then
    local codes = value.codes:detach():to("int64", core.host_device)
    local least, most = 0, 0
    if codes.size > 0 then least, most = codes:min():item(), codes:max():item() end
    if codes.ndim ~= 1 or least < 0 or most > #value.levels then
      blame.fail("Table", "column %q: codes of 1 dim from 0 to %d expected", name, #value.levels)
    end
    local missing = least == 0 and codes:equal(0) or nil
    return {kind = "category", values = codes, levels = value.levels, missing = missing}, codes.size
  elseif type(value) == "table" then
    for i, text in ipairs(value) do
      if type(text) ~= "string" then
        blame.fail("Table", "column %q: strings expected, item %d is a %s; lt.tensor makes a column of numbers", name,
                   i, core.type_name(text))
      end
    end
    return {kind = "text", values = value}, #value
  end
  if not core.is_tensor(value) or value.ndim ~= 1 or value.dtype:find "complex" then
    local got = core.is_tensor(value) and value.dtype .. " " .. args.shape_text(value.shape) or core.type_name(value)
    blame.fail("Table", "column %q: a real tensor of 1 dim, a list of strings, or {codes =, levels =} expected, got %s",
               name, got)
  end
  local kind = value.dtype == "bool" and "boolean" or value.dtype:find "int" and "integer" or "float"
  return {kind = kind, values = value:detach():to(core.host_device)}, value.shape[1]
end

--- Makes a table of data from columns. It has the fields `names` (a list), `kinds` ("integer", "float", "boolean",
-- "date", "time", "category" or "text", by name) and each column by its name. `#t` is the number of rows. Methods:
--
--     t:column(name)            the column, also one with the name of a method: a tensor, a list of strings, or
--                               {codes =, levels =} for a category
--     t:tensor{"a", "b"}        numeric columns as a tensor [rows, columns]; options `dtype`, `device`
--     t:tensor()                all columns, which must be numeric
--     t:drop "c"                a table without this column, or without the columns of a list
--     t:one_hot "c"             a category as a tensor [rows, levels] of 0 and 1
--     t:missing "a"             bool [rows]: where the value is missing
--     t:rows(selection)         a table of the rows of a mask, of a tensor of row numbers, or of a list
--
-- @function data.Table
-- @tparam table columns by name: a tensor [rows], a list of strings, or {codes =, levels =}: code i is level i, and
--   code 0 is a missing value
-- @tparam table names the names of the columns in their order
-- @treturn Table
-- @raise if columns have different numbers of rows, or a column is none of these
local function Table(columns, names)
  if type(columns) ~= "table" or type(names) ~= "table" then
    blame.fail("Table", "columns by name, and a list of names expected")
  end
  local made, rows = {}, nil
  for i, name in ipairs(names) do
    if type(name) ~= "string" or made[name] then
      blame.fail("Table", "name %d is %s", i, made[name] and ("%q again"):format(name) or "a " .. core.type_name(name))
    end
    local n
    made[name], n = column_of(name, columns[name])
    rows = rows or n
    if n ~= rows then blame.fail("Table", "column %q has %d rows, %q has %d", name, n, names[1], rows) end
  end
  return make(table.move(names, 1, #names, 1, {}), made, rows or 0)
end

return {Table = Table, make = make, metatable = metatable, list_text = list_text}
