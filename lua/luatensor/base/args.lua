--- Arguments of the functions written in Lua: the same checks and words as lua/args.c.

local args = {}

local core = require "luatensor.core"
local clocale = require "luatensor.base.clocale"
local names = require "luatensor.base.names"

--- A value for a message: C writes the sign of a NaN, which says nothing.
function args.plain(value) return value ~= value and "nan" or value end

--- Raises "fn: message"; the composition that the script called (lua/compose.c) puts the script's line before it.
function args.fail(fn, message, ...)
  local words = table.pack(...)
  for i = 1, words.n do words[i] = args.plain(words[i]) end
  error(clocale.format("%s: " .. message, fn, table.unpack(words, 1, words.n)), 0)
end

--- Is v an options table: string keys only, not empty? Modules, optimizers and the like are none.
function args.is_options(v)
  return type(v) == "table" and type(next(v)) == "string" and (getmetatable(v) == nil or core.type_name(v) == "table")
end

local function list_names(known)
  local list = {}
  for name in pairs(known) do list[#list + 1] = name end
  clocale.sort(list)
  return table.concat(list, ", ")
end

local function check_names(fn, options, known)
  for name in pairs(options) do
    if type(name) ~= "string" then
      args.fail(fn, "a table is either options (names) or a list, not both")
    elseif not known[name] then
      args.fail(fn, "unknown option %q; known: %s%s", name, list_names(known), names.help("option", name, known))
    end
  end
end

--- Checks the names in an options table; nil gives an empty one.
-- @string fn name for messages
-- @param options table or nil
-- @tab known set of names: {dim = true, keepdim = true}
function args.options(fn, options, known)
  if options == nil then return {} end
  if core.type_name(options) ~= "table" then
    local help = names.position(fn, known, options)
    if help == "" then help = "; known: " .. list_names(known) end
    args.fail(fn, "options expected, got %s%s", core.type_name(options), help)
  end
  check_names(fn, options, known)
  return options
end

--- Splits arguments into positional ones and checked options (the last table with names, or an empty one). Nils at the
-- end do not count: a script may forward options that it was not given.
-- @return a list of the positional arguments with their number in n, and the options
function args.split(fn, known, ...)
  local list = table.pack(...)
  while list.n > 0 and list[list.n] == nil do list.n = list.n - 1 end
  local options = list[list.n]
  if not args.is_options(options) then return list, {} end
  list[list.n] = nil
  list.n = list.n - 1
  check_names(fn, options, known)
  return list, options
end

--- Raises where there are more than `most` positional arguments, of a list that args.split made; x is not in it.
function args.at_most(fn, most, given)
  if given.n <= most then return end
  args.fail(fn, "at most %d arguments and options expected, got %d%s", most + 1, given.n + 1,
            names.positions(fn, table.unpack(given, most + 1, given.n)))
end

--- Argument i must be a tensor that was not freed.
function args.tensor(fn, i, x)
  if not core.is_tensor(x) then
    local kind = core.type_name(x)
    args.fail(fn, "argument %d: tensor expected, got %s%s", i, kind, i == 1 and names.colon(fn, kind) or "")
  end
  local gone = core.gone(x)
  if gone then args.fail(fn, "argument %d: %s", i, gone) end
  return x
end

--- An integer (an integral float will do) in low … high, either bound may be nil.
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

--- A dim, 1-based or negative, as 1 … ndim.
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

--- The same where a 0-d tensor is a line of one element: it has dim 1, which is -1, too.
function args.line_dim(fn, d, ndim)
  return args.dim(fn, d, ndim == 0 and (d == 1 or d == -1) and 1 or ndim)
end

--- The last argument of functions that take a dim: itself, or option `dim`.
function args.dim_option(fn, dim)
  if not args.is_options(dim) then return dim end
  return args.options(fn, dim, {dim = true}).dim
end

--- "[2, 3]"
function args.shape_text(shape)
  return "[" .. table.concat(shape, ", ") .. "]"
end

return args
