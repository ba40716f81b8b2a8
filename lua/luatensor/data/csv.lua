--- data.read_csv and data.write_csv: files of separated values with columns of any kind.
-- @submodule luatensor.data

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local calendar = require "luatensor.data.calendar"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local lt = require "luatensor"
local outside = require "luatensor.base.outside"
local tables = require "luatensor.data.table"

-- Returns option `delimiter` of function `fn`, by default a comma.
local function check_delimiter(fn, delimiter)
  if delimiter == nil then return "," end
  if type(delimiter) ~= "string" or #delimiter ~= 1 or delimiter:find '[A-Za-z0-9"\r\n.+-]' then
    blame.fail(fn, "delimiter: one character that is in no number expected, got %s", type(delimiter) == "string"
               and ("%q"):format(delimiter) or core.type_name(delimiter))
  end
  return delimiter
end

-- Returns option `decimal` of function `fn`, by default a point.
local function check_decimal(fn, decimal, delimiter)
  if decimal == nil or decimal == "." then return "." end
  if decimal ~= "," then blame.fail(fn, 'decimal: "." or "," expected, got %s', tostring(blame.plain(decimal))) end
  if delimiter == "," then blame.fail(fn, 'decimal: "," is the delimiter, too; delimiter = ";"?') end
  return decimal
end

-- ---- reading: options ----

local read_options = {header = "boolean", names = true, columns = true, types = true, na_values = true,
                      keep_default_na = "boolean", delimiter = true, decimal = true, comment = true, skip = true,
                      quote = "boolean"}

--- Texts that mean a missing value unless option keep_default_na is false.
local DEFAULT_NA <const> = {"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A"}
local IS_NA <const> = {}
for _, text in ipairs(DEFAULT_NA) do IS_NA[text] = true end

-- The kind that core.csv_table reads for each type of option `types`.
local KINDS <const> = {boolean = "boolean", integer = "integer", float = "float", date = "date", time = "time",
                       category = "text", text = "text"}

local function fail(message, ...) blame.fail("read_csv", message, ...) end

-- Raises an error if an option of function `fn` is neither nil nor a table.
local function check_list(fn, what, value)
  if value ~= nil and (type(value) ~= "table" or core.type_name(value) ~= "table") then
    blame.fail(fn, "%s: list expected, got %s", what, core.type_name(value))
  end
end

-- Returns the set of texts that mean a missing value.
local function missing_texts(options)
  local set, given = {}, options.na_values or {}
  if type(given) == "string" then given = {given} end
  if type(given) ~= "table" then fail("na_values: list of strings expected, got %s", core.type_name(given)) end
  for _, text in ipairs(given) do
    if type(text) ~= "string" then
      fail('na_values: strings as the file has them expected, such as "-1", got %s', core.type_name(text))
    end
    set[text] = true
  end
  if options.keep_default_na ~= false then
    for _, text in ipairs(DEFAULT_NA) do set[text] = true end
  end
  return set
end

local function check_comment(comment)
  if comment == nil then return nil end
  if type(comment) ~= "string" or #comment ~= 1 or comment:find '[%w%s"]' then
    fail("comment: one character expected that begins no other line, got %s", tostring(blame.plain(comment)))
  end
  return comment
end

-- ---- reading: names ----

-- Returns how many of the fields are numbers without quotes, and how many are texts that do not mean a missing value.
-- Numbers in quotes are not counted.
local function count_kinds(fields, quoted, missing, decimal)
  local numbers, texts = 0, 0
  for i, field in ipairs(fields) do
    local text = decimal == "," and field:gsub(",", ".") or field
    if tonumber(text) then
      if not quoted[i] then numbers = numbers + 1 end
    elseif not missing[field] then
      texts = texts + 1
    end
  end
  return numbers, texts
end

-- Returns true if the first row names the columns, false if it has only numbers and missing values. A row whose numbers
-- are all in quotes has names. Raises an error if the row has both texts and numbers.
local function is_header(path, fields, quoted, missing, decimal)
  local numbers, texts = clocale.call(count_kinds, fields, quoted, missing, decimal)
  if numbers > 0 and texts > 0 then
    fail("%s: the first row has names and numbers; header = true if it names the columns, else header = false", path)
  end
  return numbers == 0
end

-- Returns the names of the file's columns, each once: a column without a name is called "column3", the second column
-- "a" is called "a.2".
local function names_of(path, options, fields, header)
  local names, seen = {}, {}
  if options.names and #options.names ~= #fields then
    fail("names: %s has %d columns, %d names are given", path, #fields, #options.names)
  end
  for i, field in ipairs(fields) do
    local name = options.names and options.names[i] or header and field or ""
    if type(name) ~= "string" then fail("names: strings expected, got %s", core.type_name(name)) end
    if name == "" then name = "column" .. i end
    local unique, n = name, 1
    while seen[unique] do
      n = n + 1
      unique = name .. "." .. n
    end
    seen[unique], names[i] = true, unique
  end
  return names
end

-- Returns the number of the column with this name or number; negative numbers count from the end.
local function find_column(path, what, names, column)
  if math.type(column) == "integer" then
    if column == 0 or column > #names or column < -#names then
      fail("%s: %s has no column %d of %d", what, path, column, #names)
    end
    return column < 0 and column + #names + 1 or column
  end
  for i, name in ipairs(names) do if name == column then return i end end
  fail("%s: %s has no column %s; its columns: %s", what, path, type(column) == "string" and ("%q"):format(column)
       or tostring(blame.plain(column)), tables.list_text(names))
end

local function check_type(kind)
  if KINDS[kind] then return kind end
  fail("types: %s is no type; known: boolean, category, date, float, integer, text, time", tostring(blame.plain(kind)))
end

-- Returns the type that option `types` gives each column, by number. `types` is one type, or types by name or number.
local function given_types(path, types, names)
  local by_number = {}
  if type(types) ~= "table" then
    check_type(types)
    for i in ipairs(names) do by_number[i] = types end
    return by_number
  end
  for column, kind in pairs(types) do by_number[find_column(path, "types", names, column)] = check_type(kind) end
  return by_number
end

-- Returns the numbers of the wanted columns, and the type that option `types` gives each, or false.
local function wanted_columns(path, options, names)
  local list, types, by_number = {}, {}, given_types(path, options.types or {}, names)
  if options.columns then
    for i, column in ipairs(options.columns) do list[i] = find_column(path, "columns", names, column) end
  else
    for i in ipairs(names) do list[i] = i end
  end
  local seen = {}
  for i, number in ipairs(list) do
    if seen[number] then fail("columns: %q is given twice", names[number]) end
    seen[number], types[i] = true, by_number[number] or false
  end
  return list, types
end

-- ---- reading: columns ----

-- Returns a bool tensor [rows] that is true at these positions.
local function mask_at(gaps, rows)
  return lt.zeros({rows}, {dtype = "int64", device = core.host_device}):index_add_(1, gaps, 1):to("bool")
end

-- Returns the list of a column's texts; a missing text is "".
local function texts_of(values, names)
  local texts = values:totable()
  for i, number in ipairs(texts) do texts[i] = names[number] or "" end
  return texts
end

-- Returns texts in order: by value if all texts are numbers, else as strings.
local function in_order(texts)
  local sorted, numbers, all = table.move(texts, 1, #texts, 1, {}), {}, true
  for _, text in ipairs(texts) do
    numbers[text] = clocale.number(text)
    all = all and numbers[text] ~= nil
  end
  clocale.sort(sorted, all and function(a, b) return numbers[a] < numbers[b] end or nil)
  return sorted
end

-- Returns a category. `values` numbers the names by first appearance, and a missing value has 0; the category's codes
-- number the sorted names.
local function category_of(values, names, missing)
  local levels, rank, ranks = in_order(names), {}, {0}
  for i, name in ipairs(levels) do rank[name] = i end
  for i, name in ipairs(names) do ranks[i + 1] = rank[name] end
  local codes = lt.tensor(ranks, {dtype = "int64", device = core.host_device}):take(values + 1)
  return {kind = "category", values = codes, levels = levels, missing = missing}
end

-- Returns a column of a table. read: what core.csv_table returned for it; wanted: its type, or false.
local function column_of(read, wanted)
  local kind, values, rows = read.kind, read.values, read.values.shape[1]
  local missing = read.gaps and mask_at(read.gaps, rows)
  if kind == "text" and wanted == "text" then
    return {kind = "text", values = texts_of(values, read.names), missing = missing}
  elseif kind == "text" then
    return category_of(values, read.names, missing)
  elseif kind == "float" or kind == "date" or kind == "time" then
    return {kind = kind, values = values}
  elseif not wanted and (not read.begun or kind == "integer" and missing) then
    values = values:to "float64"
    return {kind = "float", values = missing and lt.where(missing, lt.nan, values) or values}
  end
  return {kind = kind, values = kind == "boolean" and values:to("bool") or values, missing = missing}
end

-- Returns what core.csv_table returns. A column of texts whose first fields looked like numbers is found at the end of
-- the first reading; then the file is read again.
local function read_columns(kinds, read)
  local list, rows = read(kinds)
  local again = false
  for i, column in ipairs(list) do
    if column.again then kinds[i], again = "text", true end
  end
  if again then return read(kinds) end
  return list, rows
end

-- Reads the first row. Returns its fields, a list that is true at the fields in quotes, the delimiter, and the number
-- of lines to skip, which counts a first line "sep=;" as Excel writes it.
local function first_row(path, delimiter, skip, comment, quote)
  local fields, quoted = blame.call(core.csv_fields, path, delimiter, skip, comment, quote)
  if not fields then fail("%s: no rows", path) end
  local alone = skip == 0 and not quoted[1] and #fields <= 2 and (fields[2] or "") == ""
  local named = alone and fields[1]:match "^sep=([;|:\t,]?)$"
  if not named or named ~= "" and #fields == 2 then return fields, quoted, delimiter, skip end
  if named == "" then named = #fields == 2 and delimiter or "\t" end          -- a tab at the end is white space
  return first_row(path, named, 1, comment, quote)
end

-- Returns the number of times that a character is in each of the texts, or nil if the numbers differ or are 0.
local function common_count(texts, character)
  local first
  for _, text in ipairs(texts) do
    local _, count = text:gsub(character, "")
    if count == 0 or first and count ~= first then return nil end
    first = count
  end
  return first
end

-- Raises an error if the header and all rows of the only column have the same number of semicolons or tabs.
local function check_one_column(path, name, column)
  local texts = column.kind == "category" and column.levels or column.kind == "text" and column.values or {}
  texts = table.move(texts, 1, #texts, 2, {name})
  for character, shown in pairs {[";"] = ";", ["\t"] = "\\t"} do
    local count = common_count(texts, character)
    if count then
      fail('%s: one column, but each row has %d "%s"; delimiter = "%s"? With delimiter = "," it is one column', path,
           count, shown, shown)
    end
  end
end

--- Reads a file of separated values into a table with named columns. The first row names the columns, unless it has
-- only numbers. The type of a column is the first of these that all of its values have: boolean (true, false), integer,
-- float, category (any text). Missing values become NaN; integers with missing values become floats. A file that begins
-- like a gzip file is unpacked. A field may be in double quotes, also with line ends; "" in it means one quote. In a
-- column of texts a field in quotes is never missing. Numbers with leading zeros, such as 01234, are texts unless a
-- type is given. White space around fields and empty lines are ignored. A first line "sep=;" gives the delimiter.
--
--     local t = data.read_csv("penguins.csv", {na_values = {"?"}})
--     print(t.names[1], #t, t.species.levels[1], t.body_mass_g:nanmean())
--     local x = data.read_csv("numbers.csv", {types = "float"}):tensor()
--
-- @function data.read_csv
-- @string path of the file
-- @tparam[opt] table options `header` (true unless the first row has only numbers, or names are given): if true, the
--   first row names the columns; `names`: a list of the columns' names; `columns`: a list of names or numbers, negative
--   from the end, in the wanted order; `types`: the type of all columns, or types by name: "integer", "float",
--   "boolean", "category", "text" (a list of strings), "date" (ISO 8601, in days since 1970-01-01) or "time" (the same
--   in seconds, in UTC); `na_values`: a list of texts that mean a missing value; `keep_default_na` (true): also the
--   empty text, NA, N/A, NaN, NULL and None mean a missing value; `delimiter` (","); `decimal` ("."): the decimal
--   point, "." or ","; `quote` (true): double quotes enclose fields; `comment`: the first character of lines to skip;
--   `skip` (0): the number of lines before the header or the first row
-- @treturn Table see data.Table
-- @raise if a field is not of the given type, rows have different lengths, a quote does not end, the first row has
--   names and numbers, or gzip data are damaged; the message names the line, the column and an option that helps
local function read_csv(path, options)
  outside.check "read_csv"
  options = args.options("read_csv", options, read_options)
  for _, name in ipairs {"names", "columns"} do check_list("read_csv", name, options[name]) end
  local delimiter = check_delimiter("read_csv", options.delimiter)
  local decimal, comment = check_decimal("read_csv", options.decimal, delimiter), check_comment(options.comment)
  local quote = options.quote ~= false
  local skip, missing = args.integer("read_csv", "skip", options.skip or 0, 0), missing_texts(options)
  local fields, quoted
  fields, quoted, delimiter, skip = first_row(path, delimiter, skip, comment, quote)
  local header = options.header
  if header == nil then header = options.names == nil and is_header(path, fields, quoted, missing, decimal) end
  local names = names_of(path, options, fields, header)
  local numbers, types = wanted_columns(path, options, names)
  local kinds = {}
  for i, wanted in ipairs(types) do kinds[i] = wanted and KINDS[wanted] end
  local list, rows = read_columns(kinds, function(given)
    return blame.call(core.csv_table, path, delimiter, skip, comment, quote, header, #fields, numbers, given, missing,
                      decimal)
  end)
  local columns, chosen = {}, {}
  for i, read in ipairs(list) do
    chosen[i] = names[numbers[i]]
    columns[chosen[i]] = column_of(read, types[i])
  end
  if #fields == 1 and not options.delimiter and skip == (options.skip or 0) and chosen[1] then
    check_one_column(path, fields[1], columns[chosen[1]])
  end
  return tables.make(chosen, columns, rows)
end

-- ---- writing ----

local write_options = {delimiter = true, names = true, na_rep = "string", decimal = true}

-- Returns the shortest decimal text that is read back as the same number of a dtype with `format` in string.pack and
-- between least and most digits.
local function shortest(value, format, least, most)
  for digits = least, most - 1 do
    local text = ("%%.%dg"):format(digits):format(value)
    if format:unpack(format:pack(tonumber(text))) == value then return text end
  end
  return ("%%.%dg"):format(most):format(value)
end

local function float_text(dtype)
  local format, least, most = "d", 15, 17
  if dtype == "float32" then format, least, most = "f", 6, 9 end
  if dtype:find "16" then format, least, most = "f", 3, 9 end
  return function(value)
    if value - value ~= 0 then return value > 0 and "inf" or "-inf" end
    return shortest(value, format, least, most)
  end
end

-- Returns the decimal text of an integer. A uint64 is given as the int64 with the same bits.
local function integer_text(dtype)
  if dtype ~= "uint64" then return tostring end
  return function(value)
    if value >= 0 then return tostring(value) end
    local tenth = (value >> 1) // 5
    return ("%d%d"):format(tenth, value - tenth * 10)
  end
end

-- Returns a function that gives the text of a value of a column with numbers, dates or truth values.
local function formatter(column, decimal)
  local kind = column.kind
  if calendar[kind] then return calendar[kind] end
  if kind == "float" then
    local text = float_text(column.values.dtype)
    return decimal == "." and text or function(value) return (text(value):gsub("%.", decimal)) end
  end
  return kind == "integer" and integer_text(column.values.dtype) or tostring
end

-- True if a text needs quotes, because it has the delimiter, quotes, line ends or white space at its ends.
local function is_special(text, delimiter)
  return text:find('["\r\n%' .. delimiter .. "]") or text:find "^%s" or text:find "%s$"
end

local function quote(text) return '"' .. text:gsub('"', '""') .. '"' end

-- Returns a function that puts a text in quotes if a reader would split it or take it for a missing value.
local function quoter(delimiter, na)
  return function(text)
    return (is_special(text, delimiter) or IS_NA[text] or text == na) and quote(text) or text
  end
end

-- Returns a function that gives the text of row i of a column.
local function writer(t, name, options)
  local column = t.columns[name]
  local kind, values = column.kind, column.kind == "text" and column.values or column.values:totable()
  local gaps, na, quoted = t:missing(name):totable(), options.na, quoter(options.delimiter, options.na)
  if kind == "text" or kind == "category" then
    return function(i)
      if gaps[i] then return na end
      return quoted(kind == "text" and values[i] or column.levels[values[i]])
    end
  end
  local format = formatter(column, options.decimal)
  return function(i) return gaps[i] and na or format(values[i]) end
end

local function lines_of(t, names, options)
  local columns, lines = {}, {}
  for k, name in ipairs(names) do columns[k] = writer(t, name, options) end
  for i = 1, #t do
    local row = {}
    for k, text in ipairs(columns) do row[k] = text(i) end
    lines[i] = table.concat(row, options.delimiter)
    if lines[i] == "" then lines[i] = "NA" end          -- readers skip empty lines
  end
  return lines
end

-- Returns the header. A name that is a number is in quotes, because an unquoted row of numbers is no header.
local function header_of(names, options)
  local quoted, texts = quoter(options.delimiter, options.na), {}
  for i, name in ipairs(names) do texts[i] = tonumber((name:gsub(",", "."))) and quote(name) or quoted(name) end
  return table.concat(texts, options.delimiter)
end

-- Returns option `na_rep`, which cannot be in quotes, because a text in quotes is not missing.
local function check_na(na, delimiter)
  if na and is_special(na, delimiter) then
    blame.fail("write_csv", "na_rep: text without delimiter, quotes, line ends and outer white space expected, got %q",
               na)
  end
  return na or ""
end

-- Returns a table of the columns of a tensor [rows, columns] or [rows], and whether the columns have names.
local function from_tensor(x, names)
  if x.ndim == 1 then x = x:reshape({x.shape[1], 1}) end
  if x.ndim ~= 2 then
    blame.fail("write_csv", "a table or a tensor [rows, columns] expected, got %s", args.shape_text(x.shape))
  end
  if names and #names ~= x.shape[2] then
    blame.fail("write_csv", "names: the tensor has %d columns, %d names are given", x.shape[2], #names)
  end
  local list, columns = names or {}, {}
  for k = 1, x.shape[2] do
    list[k] = list[k] or "column" .. k
    columns[list[k]] = x:narrow(2, k, 1):squeeze(2)
  end
  return blame.call(tables.Table, columns, list), names ~= nil
end

--- Writes a table or a tensor as a file of separated values, completely or not at all. Each number has the fewest
-- digits with which it is read back exactly. Dates and times are written as in ISO 8601. A text is in quotes if it
-- contains the delimiter, a quote or a line end, or if read_csv would take it for a missing value. A name that is a
-- number is in quotes.
--
--     data.write_csv("result.csv", lt.stack({x, y}, {dim = 2}), {names = {"x", "y"}})
--
-- @function data.write_csv
-- @string path of the file
-- @tparam Table|tensor x a table, or a real tensor [rows, columns] or [rows]
-- @tparam[opt] table options `names`: the names of a tensor's columns, for a header; or the names of the table's
--   columns to write, in their order; `delimiter` (","); `decimal` ("."): the decimal point, "." or ",";
--   `na_rep` (""): the text of missing values and NaN, without the delimiter and quotes
-- @raise if the disk is full or permission is missing; if a tensor is complex or has other dims
local function write_csv(path, x, options)
  outside.check "write_csv"
  options = args.options("write_csv", options, write_options)
  check_list("write_csv", "names", options.names)
  local delimiter, header = check_delimiter("write_csv", options.delimiter), true
  if core.is_tensor(x) then
    x, header = from_tensor(args.tensor("write_csv", 2, x), options.names)
  elseif getmetatable(x) ~= tables.metatable then
    blame.fail("write_csv", "a table of data.Table or a tensor [rows, columns] expected, got %s", core.type_name(x))
  end
  local names = options.names or x.names
  for _, name in ipairs(names) do x:column(name) end
  local shape = {delimiter = delimiter, na = check_na(options.na_rep, delimiter),
                 decimal = check_decimal("write_csv", options.decimal, delimiter)}
  local lines = clocale.call(lines_of, x, names, shape)
  if header then table.insert(lines, 1, clocale.call(header_of, names, shape)) end
  lines[#lines + 1] = ""
  local ok, why = blame.call(core.write_file, path, table.concat(lines, "\n"))
  if not ok then blame.fail("write_csv", "%s: %s", path, why) end
end

return {Table = tables.Table, read_csv = read_csv, write_csv = write_csv}
