--- Reads the arguments of lt.plot's functions: data as tensors or lists, series, and options.

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"

local read = {}

local NUMBER <const> = {[true] = 1, [false] = 0}

-- Returns the numbers of a real tensor, as a list that is nested as deeply as the tensor.
local function numbers_of(fn, what, x)
  local gone = core.gone(x)
  if gone then blame.fail(fn, "%s: %s", what, gone) end
  if x.dtype:find "^complex" then
    blame.fail(fn, "%s: real numbers expected, got %s; take x:abs() or x:real()", what, x.dtype)
  end
  return blame.call(core.methods.totable, x)
end

-- Returns an entry of a list as a number: a number, a boolean, or a tensor with one element.
local function entry(fn, what, i, value)
  if type(value) == "number" then return value end
  if type(value) == "boolean" then return NUMBER[value] end
  if core.is_tensor(value) and not core.gone(value) and value.size == 1 and not value.dtype:find "^complex" then
    local number = value:item()
    return NUMBER[number] or number
  end
  blame.fail(fn, "%s[%d]: number expected, got %s", what, i, core.type_name(value))
end

--- True if a value is data: a tensor, or a list of numbers.
function read.is_data(value)
  if core.is_tensor(value) then return true end
  if core.type_name(value) ~= "table" then return false end
  local first = value[1]
  return first == nil and next(value) == nil or type(first) == "number" or type(first) == "boolean"
    or core.is_tensor(first) and not core.gone(first) and first.size == 1
end

--- Returns the numbers of a 1-d tensor or of a list, as a new list.
-- @string fn name of the function, for errors
-- @string what name of the value, for errors
-- @param value
-- @treturn table
function read.list(fn, what, value)
  if core.is_tensor(value) then
    local numbers = numbers_of(fn, what, value)
    if value.ndim > 1 then
      blame.fail(fn, "%s: a tensor of one dim expected, got shape %s", what, args.shape_text(value.shape))
    end
    if value.ndim == 0 then numbers = {numbers} end
    if value.dtype == "bool" then
      for i, flag in ipairs(numbers) do numbers[i] = NUMBER[flag] end
    end
    return numbers
  end
  if core.type_name(value) ~= "table" then
    blame.fail(fn, "%s: tensor or list of numbers expected, got %s", what, core.type_name(value))
  end
  local list = {}
  for i = 1, #value do list[i] = entry(fn, what, i, value[i]) end
  return list
end

--- Returns the rows of a tensor of two dims, or of a list of lists of the same length, as new lists.
function read.rows(fn, what, value)
  if core.is_tensor(value) then
    if value.ndim ~= 2 then
      blame.fail(fn, "%s: a tensor of two dims expected, got shape %s", what, args.shape_text(value.shape))
    end
    local rows = numbers_of(fn, what, value)
    for _, row in ipairs(value.dtype == "bool" and rows or {}) do
      for i, flag in ipairs(row) do row[i] = NUMBER[flag] end
    end
    return rows
  end
  if core.type_name(value) ~= "table" then
    blame.fail(fn, "%s: tensor of two dims or list of rows expected, got %s", what, core.type_name(value))
  end
  local rows = {}
  for i = 1, #value do
    rows[i] = read.list(fn, ("%s[%d]"):format(what, i), value[i])
    if #rows[i] ~= #rows[1] then
      blame.fail(fn, "%s: row %d has %d numbers, but row 1 has %d", what, i, #rows[i], #rows[1])
    end
  end
  return rows
end

-- ---- options ------------------------------------------------------------------------------------

--- Checks a colour, which is "#rrggbb" or nil, and returns it.
function read.color(fn, color)
  if color == nil then return nil end
  if type(color) ~= "string" or not color:find "^#%x%x%x%x%x%x$" then
    blame.fail(fn, "color: \"#rrggbb\" expected, got %s", tostring(color))
  end
  return color
end

--- Checks the ends of a range, {low, high}, or nil, and returns them. The ends of a logarithmic range are above 0.
function read.limits(fn, name, value, is_log)
  if value == nil then return nil end
  if core.type_name(value) ~= "table" or #value ~= 2 then blame.fail(fn, "%s: {low, high} expected", name) end
  local low = args.check(fn, name .. "[1]", value[1], "real")
  local high = args.check(fn, name .. "[2]", value[2], "real")
  if math.abs(low) == math.huge or math.abs(high) == math.huge then
    blame.fail(fn, "%s: two finite numbers expected, got %s … %s", name, low, high)
  end
  if low >= high then blame.fail(fn, "%s: %s is not below %s", name, low, high) end
  if is_log and low <= 0 then blame.fail(fn, "%s: %s is not above 0, as a logarithmic axis needs", name, low) end
  return value
end

local SCALE <const> = {"choice", "linear", "log"}

--- The options of a figure's appearance, which all functions take.
local figure_options <const> = {
  title = "string", width = {"integer", 100, 10000}, height = {"integer", 100, 10000},
  theme = {"choice", "auto", "light", "dark"},
}

--- The options of the axes.
local axis_options <const> = {
  xlabel = "string", ylabel = "string", xscale = SCALE, yscale = SCALE, xlim = true, ylim = true,
  label = "string", labels = "list", legend = "boolean",
}

--- Returns a table with the options of figures, of axes if `axes` is true, and with more options.
function read.known(axes, more)
  local known = {}
  for _, list in ipairs{figure_options, axes and axis_options or {}, more or {}} do
    for name, kind in pairs(list) do known[name] = kind end
  end
  return known
end

--- Returns the specification of an axis for luatensor.page.axis from options.
-- @string fn
-- @tab options
-- @string name "x" or "y"
function read.axis(fn, options, name)
  local is_log = options[name .. "scale"] == "log"
  local limits = read.limits(fn, name .. "lim", options[name .. "lim"], is_log) or {}
  return {name = options[name .. "label"], unit = "number", log = is_log, low = limits[1], high = limits[2]}
end

-- ---- series -------------------------------------------------------------------------------------

-- Splits a table such as {y, label = "a", title = "t"} into its list and its fields.
local function split(value)
  local list, fields = {}, {}
  for key, item in next, value do
    if math.type(key) == "integer" then list[key] = item else fields[key] = item end
  end
  return list, fields
end

local function has_fields(value)
  for key in next, value do if type(key) == "string" then return true end end
  return false
end

--- Splits the arguments of a function into data and options. The last argument is options if it is a table with names
-- and no list, or an empty table after the first argument. If the only argument is a table of series, its names are
-- options.
-- @string fn
-- @tab known the options
-- @param ... the arguments
-- @treturn table the arguments that are data, with their number in n
-- @treturn table the options
function read.split(fn, known, ...)
  local list = table.pack(...)
  while list.n > 0 and list[list.n] == nil do list.n = list.n - 1 end
  local last, options = list[list.n], nil
  local is_empty = core.type_name(last) == "table" and next(last) == nil
  if args.is_options(last) and last[1] == nil or list.n > 1 and is_empty then
    options = last
    list[list.n] = nil
    list.n = list.n - 1
  elseif list.n == 1 and core.type_name(last) == "table" and has_fields(last) then
    list[1], options = split(last)
  end
  return list, args.options(fn, options, known)
end

-- Reads one series of a list: data, or {y, label = …} or {x, y, label = …}.
local function read_item(fn, what, item, known)
  if core.is_tensor(item) then return {y = item} end
  if core.type_name(item) ~= "table" then
    blame.fail(fn, "%s: tensor, list of numbers or {x, y, label = …} expected, got %s", what, core.type_name(item))
  end
  local list, fields = split(item)
  args.options(fn, fields, known)
  local series = {}
  for name, value in pairs(fields) do series[name] = value end
  if read.is_data(list) then
    series.y = list
  elseif #list > 2 then
    blame.fail(fn, "%s: {x, y, label = …} expected, got %d lists", what, #list)
  else
    series.x, series.y = list[2] ~= nil and list[1] or nil, list[2] ~= nil and list[2] or list[1]
  end
  return series
end

-- Adds a series to the list `all`. A tensor y of two dims gives a series for each column, with the same x.
local function add_columns(fn, all, series)
  local y = series.y
  if not (core.is_tensor(y) and not core.gone(y) and y.ndim == 2) then
    all[#all + 1] = series
    return
  end
  for column = 1, y.shape[2] do
    local one = {}
    for name, value in pairs(series) do one[name] = value end
    one.y = y[{{}, column}]
    all[#all + 1] = one
  end
  if series.label and y.shape[2] > 1 then
    blame.fail(fn, "label: one name for %d series; labels = {…} names several", y.shape[2])
  end
end

-- Returns the numbers from `first` on.
local function positions(count)
  local list = {}
  for i = 1, count do list[i] = i end
  return list
end

local MOST <const> = 1000            -- series; a chart of more has no colours for them

-- Gives the series their names from the options label and labels.
local function add_labels(fn, all, options)
  if options.label and #all > 1 then
    blame.fail(fn, "label: one name for %d series; labels = {…} names several", #all)
  end
  if options.labels and #options.labels ~= #all then
    blame.fail(fn, "labels: %d names for %d series", #options.labels, #all)
  end
  for s, series in ipairs(all) do
    local label = options.labels and options.labels[s] or series.label or options.label
    series.name = label and args.check(fn, ("label of series %d"):format(s), label, "string")
  end
end

--- Reads the series of plot.line, plot.scatter and plot.bar from the arguments (y), (x, y) or {series, …}.
-- @string fn
-- @tab given the arguments, from read.split
-- @tab options
-- @tab known the fields of a series
-- @treturn table the series: each has xs and ys, name, and the fields that were given
function read.series(fn, given, options, known)
  if given.n == 0 then blame.fail(fn, "argument 1: tensor, list of numbers or list of series expected, got nothing") end
  if given.n > 2 then blame.fail(fn, "at most 2 arguments and options expected, got %d", given.n) end
  local all = {}
  if given.n == 2 then
    add_columns(fn, all, {x = given[1], y = given[2]})
  elseif read.is_data(given[1]) then
    add_columns(fn, all, {y = given[1]})
  else
    if core.type_name(given[1]) ~= "table" then
      blame.fail(fn, "argument 1: tensor, list of numbers or list of series expected, got %s",
        core.type_name(given[1]))
    end
    for i, item in ipairs(given[1]) do add_columns(fn, all, read_item(fn, ("series %d"):format(i), item, known)) end
  end
  if #all > MOST then blame.fail(fn, "%d series; at most %d can be drawn", #all, MOST) end
  add_labels(fn, all, options)
  for s, series in ipairs(all) do
    local what = #all == 1 and "" or (" of series %d"):format(s)
    series.ys = read.list(fn, "y" .. what, series.y)
    series.xs = series.x == nil and positions(#series.ys) or read.list(fn, "x" .. what, series.x)
    if #series.xs ~= #series.ys then
      blame.fail(fn, "x%s has %d numbers, but y has %d", what, #series.xs, #series.ys)
    end
    series.x, series.y, series.label = nil, nil, nil
  end
  return all
end

return read
