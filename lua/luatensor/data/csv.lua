--- data.read_csv, which reads files of separated values.
-- @submodule luatensor.data

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local blame = require "luatensor.base.blame"
local csv_parts = require "luatensor.data.csv_parts"
local outside = require "luatensor.base.outside"

local known = {delimiter = true, header = "boolean", skip = true, columns = true, labels = true, missing = "number",
               dtype = true, device = true}

local function fail(message, ...) blame.fail("read_csv", message, ...) end

-- ---- options ----

local function check_dtype(dtype)
  dtype = dtype or lt.get_default_dtype()
  if type(dtype) ~= "string" or not (dtype:find "^u?int" or dtype:find "float") then
    fail("dtype: a float or integer dtype expected, got %s", tostring(dtype))
  end
  return dtype
end

-- ---- columns ----

-- Returns the number of the column with this name, or nil if there is none. Raises an error if two columns have the
-- name.
local function find_name(path, what, column, fields)
  local found
  for i, name in ipairs(fields) do
    if name == column and found then
      fail("%s: columns %d and %d of %s are named %q; give the number of one", what, found, i, path, column)
    end
    if name == column then found = i end
  end
  return found
end

-- Returns the number of a column. `column` is the number (negative numbers count from the end) or, in a file with a
-- header, the column's name.
local function find_column(path, what, column, fields, header)
  if type(column) == "string" then
    if not header then fail("%s: %q is a name, the file's columns have none: header = true?", what, column) end
    local i = find_name(path, what, column, fields)
    if i then return i end
    fail("%s: %s has no column %q; its columns: %s", what, path, column, table.concat(fields, ", "))
  end
  local i = args.integer("read_csv", what, column)
  if i == 0 or i > #fields or i < -#fields then fail("%s: %s has no column %d of %d", what, path, i, #fields) end
  return i < 0 and i + #fields + 1 or i
end

local function chosen_columns(path, options, fields, labels)
  local list = {}
  if options.columns == nil then
    for i = 1, #fields do if i ~= labels then list[#list + 1] = i end end
    return list
  end
  if type(options.columns) ~= "table" then
    fail("columns: list of names or numbers expected, got %s", core.type_name(options.columns))
  end
  for i, column in ipairs(options.columns) do list[i] = find_column(path, "columns", column, fields, options.header) end
  return list
end

-- ---- read_csv ----

--- Reads a file of separated values. Rows contain numbers, and at most one column of classes; data.read_table reads any
-- columns. A file that begins like a gzip file is unpacked. A field may be in double quotes, in which "" means one
-- quote. White space around fields and empty lines are ignored.
--
--     local x, y, classes = data.read_csv("iris.csv", {header = true, labels = "species"})
--
-- @function data.read_csv
-- @string path of the file
-- @tparam[opt] table options `delimiter` (","); `header` (false): the first row names the columns; `skip` (0): the
--   number of lines before the header or the first row; `columns`: a list of names or numbers, negative from the end
--   (default: all but the labels); `labels`: the column of classes, any strings; `missing`: the value of empty
--   fields, such as 0/0 (default: an error); `dtype` (default: the default float; int64 reads integers exactly),
--   `device`
-- @treturn tensor [rows, columns]
-- @treturn[opt] tensor y, the number of each row's class, int64 [rows]; only with option labels
-- @treturn[opt] table the names of the classes, sorted by size if all names are numbers, else as strings
-- @raise if two columns have the wanted name, a field is no number, rows have different lengths, a quote does not end,
--   or gzip data are damaged; the message names the line and the column of a wrong field
local function read_csv(path, options)
  outside.check "read_csv"
  options = args.options("read_csv", options, known)
  local delimiter = csv_parts.check_delimiter("read_csv", options.delimiter)
  local dtype = check_dtype(options.dtype)
  local skip = args.integer("read_csv", "skip", options.skip or 0, 0)
  local missing = options.missing
  local fields = blame.call(core.csv_fields, path, delimiter, skip, nil, "read_csv")
  if not fields then fail("%s: no rows", path) end
  local labels = options.labels and find_column(path, "labels", options.labels, fields, options.header)
  local columns = chosen_columns(path, options, fields, labels)
  local x, y, names = blame.call(core.csv_numbers, path, delimiter, skip, options.header, #fields, columns, labels,
                                 dtype, options.device, missing)
  if not y then return x end
  return x, csv_parts.order(y, names)
end

return {read_csv = read_csv}
