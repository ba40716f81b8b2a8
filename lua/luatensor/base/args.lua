--- Checks the arguments of functions that are written in Lua, by the same rules and with the same error texts as
-- src/lua/args.c.

local args = {}

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local clocale = require "luatensor.base.clocale"
local names = require "luatensor.base.names"

args.fail = blame.fail

--- True if v is an options table: a table with at least one entry whose first key is a string. Modules, optimizers
-- and other objects are not options tables.
function args.is_options(v)
  return type(v) == "table" and type(next(v)) == "string" and (getmetatable(v) == nil or core.type_name(v) == "table")
end

local function list_names(known)
  local list = {}
  for name in pairs(known) do list[#list + 1] = name end
  clocale.sort(list)
  return table.concat(list, ", ")
end

-- ---- kinds of values ----

-- kinds.name(fn, what, value, …) raises an error if the value is not of the kind `name`, and otherwise returns the
-- value in its normal form (see args.check). fn is the function's name and `what` the value's name in the message.
local kinds = {}

function kinds.boolean(fn, what, value)
  if type(value) ~= "boolean" then args.fail(fn, "%s: boolean expected, got %s", what, core.type_name(value)) end
  return value
end

--- The kind "number". If low and high are given, the number must be within low … high.
function kinds.number(fn, what, value, low, high)
  if type(value) ~= "number" then args.fail(fn, "%s: number expected, got %s", what, core.type_name(value)) end
  if low and not (value >= low and value <= high) then
    args.fail(fn, "%s: %s is not in %s … %s", what, value, low, high)
  end
  return value
end

function kinds.string(fn, what, value)
  if type(value) ~= "string" then args.fail(fn, "%s: string expected, got %s", what, core.type_name(value)) end
  return value
end

function kinds.dtype(fn, what, value)
  if not core.floats[value] then
    local known = {}
    for _, name in ipairs(core.dtypes) do known[#known + 1] = core.floats[name] and name end
    known = table.concat(known, ", "):gsub(", (%w+)$", " or %1")
    args.fail(fn, "%s: %s expected, got %s", what, known, type(value) == "string" and value or core.type_name(value))
  end
  return value
end

--- The kind "device": the name of a device or the beginning of its name. Returns the whole name.
function kinds.device(fn, what, value)
  local ok, name = pcall(core.device, value)
  if ok then return name end
  args.fail(fn, "%s: %s", what, (tostring(name):gsub("^[^\n]-:%d+: ", ""):gsub("^device: ", "")))
end

function kinds.generator(fn, what, value)
  if not core.is_generator(value) then
    args.fail(fn, "%s: generator expected, got %s", what, core.type_name(value))
  end
  return value
end

--- The kind "group": a group of processes (luatensor.distributed).
function kinds.group(fn, what, value)
  if core.type_name(value) ~= "group" then args.fail(fn, "%s: group expected, got %s", what, core.type_name(value)) end
  return value
end

-- Returns the check of a function, or of a value that can be called like a function, such as a module or a kernel.
-- `words` says in the error what is expected.
local function check_callable(words)
  return function(fn, what, value)
    if not core.is_callable(value) or core.is_tensor(value) then
      args.fail(fn, "%s: %s expected, got %s", what, words, core.type_name(value))
    end
    return value
  end
end
kinds.callable = check_callable "function"
kinds.module = check_callable "a module or a function"

--- The kind "choice": one of the words after the parameter `value`.
function kinds.choice(fn, what, value, ...)
  for _, word in ipairs {...} do if value == word then return value end end
  args.fail(fn, "%s: one of %s expected, got %s", what, table.concat({...}, ", "), tostring(value))
end

--- The kind "real": a number other than NaN.
function kinds.real(fn, what, value)
  if kinds.number(fn, what, value) ~= value then args.fail(fn, "%s: a number expected, got nan", what) end
  return value
end

function kinds.nonnegative(fn, what, value)
  if kinds.real(fn, what, value) < 0 then args.fail(fn, "%s: %s is below 0", what, value) end
  return value
end

--- The kind "positive": a finite number above 0.
function kinds.positive(fn, what, value)
  if not (kinds.real(fn, what, value) > 0 and value < math.huge) then
    args.fail(fn, "%s: a number above 0 expected, got %s", what, value)
  end
  return value
end

--- The kind "fraction": a number of at least 0 and less than 1.
function kinds.fraction(fn, what, value)
  if not (kinds.real(fn, what, value) >= 0 and value < 1) then
    args.fail(fn, "%s: %s is not in 0 … 1 (without 1)", what, value)
  end
  return value
end

--- The kind "share": a number from 0 to 1, both included.
function kinds.share(fn, what, value)
  if not (kinds.real(fn, what, value) >= 0 and value <= 1) then
    args.fail(fn, "%s: %s is not in 0 … 1", what, value)
  end
  return value
end

--- The kind "count": a positive integer, or a float such as 2.0 whose value is a positive integer. Returns an integer.
function kinds.count(fn, what, value)
  local n = math.tointeger(kinds.real(fn, what, value))
  if not n or n < 1 then args.fail(fn, "%s: an integer above 0 expected, got %s", what, value) end
  return n
end

--- The kind "natural": an integer from 0 on. A float such as 2.0 is refused.
function kinds.natural(fn, what, value)
  if math.type(value) ~= "integer" or value < 0 then
    args.fail(fn, "%s: an integer from 0 on expected, got %s", what, tostring(value))
  end
  return value
end

--- The kind "list": a table that is a list and has no other keys.
function kinds.list(fn, what, value)
  if type(value) ~= "table" then args.fail(fn, "%s: a list expected, got %s", what, core.type_name(value)) end
  for key in pairs(value) do
    if math.type(key) ~= "integer" or key < 1 or key > #value then
      args.fail(fn, "%s: a list expected, but it has %s", what, tostring(key))
    end
  end
  return value
end

--- The kind "fractions": a list of two numbers of at least 0 and less than 1. Returns a new list.
function kinds.fractions(fn, what, value)
  if type(value) ~= "table" or #value ~= 2 then args.fail(fn, "%s: a list of two numbers expected", what) end
  kinds.list(fn, what, value)
  return {kinds.fraction(fn, what .. "[1]", value[1]), kinds.fraction(fn, what .. "[2]", value[2])}
end

--- Checks a value and returns its normal form: an integral float becomes an integer, a device gets its whole name.
-- @string fn name of the function, for messages
-- @string what name of the value, for messages
-- @param value
-- @param kind the name of one of the functions above, or {name, …, default =} with that function's parameters; true
--   accepts any value
-- @param ... the bounds for "number" and "integer", the words for "choice"
function args.check(fn, what, value, kind, ...)
  if kind == true then return value end
  if type(kind) == "table" then return kinds[kind[1]](fn, what, value, table.unpack(kind, 2)) end
  return kinds[kind](fn, what, value, ...)
end

-- ---- options ----

-- Checks the names and values of an options table. If `all` is a table, the checked values are stored in it by name.
local function check_options(fn, options, known, all)
  for name, value in next, options do
    if type(name) ~= "string" then
      args.fail(fn, "a table is either options (names) or a list, not both")
    elseif not known[name] then
      args.fail(fn, "unknown option %q; known: %s%s", name, list_names(known), names.help("option", name, known))
    end
    if known[name] ~= true then value = args.check(fn, name, value, known[name]) end
    if all then all[name] = value end
  end
end

local function check_table(fn, options, known)
  if core.type_name(options) == "table" then return end
  local help = names.position(fn, known, options)
  if help == "" then help = "; known: " .. list_names(known) end
  args.fail(fn, "options expected, got %s%s", core.type_name(options), help)
end

--- Checks an options table, and returns it. nil counts as an empty table.
-- @string fn name of the function, for messages
-- @param options table or nil
-- @tab known the kind of each option, as for args.check: {dim = true, keepdim = "boolean", seconds = {"number", 0,
--   60}}
function args.options(fn, options, known)
  if options == nil then return {} end
  check_table(fn, options, known)
  check_options(fn, options, known)
  return options
end

--- Returns the default of an option of this kind (see args.check), or nil if the kind has none.
function args.default(kind)
  if type(kind) == "table" then return kind.default end
end

--- Like args.options, but returns a new table with the normal forms of the values, and with the defaults of options
-- that are not given, as in {lr = {"nonnegative", default = 0.001}}.
function args.read(fn, options, known)
  local all = {}
  if options ~= nil then
    check_table(fn, options, known)
    check_options(fn, options, known, all)
  end
  for name, kind in next, known do
    local default = args.default(kind)
    if all[name] == nil and default ~= nil then all[name] = args.check(fn, name, default, kind) end
  end
  return all
end

--- Splits arguments into positional arguments and an options table: the last argument if it is an options table,
-- otherwise an empty table. Nils at the end do not count, so that scripts can forward an options argument that is
-- nil.
-- @return the positional arguments, as a list with their number in n, and the options
function args.split(fn, known, ...)
  local list = table.pack(...)
  while list.n > 0 and list[list.n] == nil do list.n = list.n - 1 end
  local options = list[list.n]
  if not args.is_options(options) then return list, {} end
  list[list.n] = nil
  list.n = list.n - 1
  check_options(fn, options, known)
  return list, options
end

--- Raises an error if the list from args.split has more than `most` positional arguments. The message counts x, the
-- first argument, which is not in the list.
function args.at_most(fn, most, given)
  if given.n <= most then return end
  args.fail(fn, "at most %d arguments and options expected, got %d%s", most + 1, given.n + 1,
            names.positions(fn, table.unpack(given, most + 1, given.n)))
end

--- Raises an error unless x, argument i of function fn, is a tensor that was not freed. Returns x.
function args.tensor(fn, i, x)
  if not core.is_tensor(x) then
    local kind = core.type_name(x)
    args.fail(fn, "argument %d: tensor expected, got %s%s", i, kind, i == 1 and names.colon(fn, kind) or "")
  end
  local gone = core.gone(x)
  if gone then args.fail(fn, "argument %d: %s", i, gone) end
  return x
end

--- Checks that v is an integer or an integral float within low … high, either of which may be nil. Returns an
-- integer.
function args.integer(fn, what, v, low, high)
  local n = type(v) == "number" and math.tointeger(v)
  if not n then
    args.fail(fn, "%s: integer expected, got %s", what, type(v) == "number" and v or core.type_name(v))
  end
  if low and n < low or high and n > high then
    args.fail(fn, "%s: %d is out of range", what, n)
  end
  return n
end

kinds.integer = args.integer

--- Checks a dim, which is 1-based or negative (counted from the last dim), and converts it to 1 … ndim.
function args.dim(fn, d, ndim)
  local n = type(d) == "number" and math.tointeger(d)
  if not n then
    args.fail(fn, "dim: integer expected, got %s", type(d) == "number" and d or core.type_name(d))
  elseif n == 0 then
    args.fail(fn, "dim 0: Lua tensors start at 1")
  elseif n < -ndim or n > ndim then
    args.fail(fn, "dim %d is out of range for %d dims", n, ndim)
  end
  return n > 0 and n or n + ndim + 1
end

--- Like args.dim, but a 0-d tensor counts as a 1-d tensor of one element: dims 1 and -1 are allowed and give 1.
function args.line_dim(fn, d, ndim)
  return args.dim(fn, d, ndim == 0 and (d == 1 or d == -1) and 1 or ndim)
end

--- Returns the dim from the last argument of a function: the argument itself, or its option `dim`.
function args.dim_option(fn, dim)
  if not args.is_options(dim) then return dim end
  return args.options(fn, dim, {dim = true}).dim
end

--- Returns the text of a shape, such as "[2, 3]".
function args.shape_text(shape)
  return "[" .. table.concat(shape, ", ") .. "]"
end

return args
