--- Arguments of the functions written in Lua: the same checks and words as lua_args.c.

local args = {}

local core = require "luatensor.core"

--- Raises "fn: message", blamed on the script that called the library function.
function args.fail(fn, message, ...)
  error(("%s: " .. message):format(fn, ...), 3)
end

--- Is v an options table: string keys only, not empty?
function args.is_options(v)
  return type(v) == "table" and type(next(v)) == "string"
end

local function list_names(known)
  local names = {}
  for name in pairs(known) do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, ", ")
end

--- Checks the names in an options table; nil gives an empty one.
-- @string fn name for messages
-- @param options table or nil
-- @tab known set of names: {dim = true, keepdim = true}
function args.options(fn, options, known)
  if options == nil then return {} end
  if type(options) ~= "table" then
    error(("%s: options expected, got %s"):format(fn, type(options)), 3)
  end
  for name in pairs(options) do
    if type(name) ~= "string" then
      error(("%s: a table is either options (names) or a list, not both"):format(fn), 3)
    elseif not known[name] then
      error(("%s: unknown option %q; known: %s"):format(fn, name, list_names(known)), 3)
    end
  end
  return options
end

--- Splits arguments into positional ones and checked options (the last table with names, or an empty one).
-- @return a list of the positional arguments with their number in n, and the options
function args.split(fn, known, ...)
  local list = table.pack(...)
  local options = list[list.n]
  if not args.is_options(options) then return list, {} end
  list[list.n] = nil
  list.n = list.n - 1
  for name in pairs(options) do
    if type(name) ~= "string" then
      error(("%s: a table is either options (names) or a list, not both"):format(fn), 3)
    elseif not known[name] then
      error(("%s: unknown option %q; known: %s"):format(fn, name, list_names(known)), 3)
    end
  end
  return list, options
end

--- Argument i must be a tensor.
function args.tensor(fn, i, x)
  if not core.is_tensor(x) then
    error(("%s: argument %d: tensor expected, got %s"):format(fn, i, type(x)), 3)
  end
  return x
end

--- An integer (an integral float will do) in low … high, either bound may be nil.
function args.integer(fn, what, v, low, high)
  local n = type(v) == "number" and math.tointeger(v)
  if not n then
    error(("%s: %s: integer expected, got %s"):format(fn, what, type(v) == "number" and tostring(v) or type(v)), 3)
  end
  if low and n < low or high and n > high then
    error(("%s: %s: %d is out of range"):format(fn, what, n), 3)
  end
  return n
end

--- A dim, 1-based or negative, as 1 … ndim.
function args.dim(fn, d, ndim)
  local n = type(d) == "number" and math.tointeger(d)
  if not n then
    error(("%s: dim: integer expected, got %s"):format(fn, type(d) == "number" and tostring(d) or type(d)), 3)
  elseif n == 0 then
    error(("%s: dim 0: Lua tensors start at 1"):format(fn), 3)
  elseif n < -ndim or n > ndim then
    error(("%s: dim %d is out of range for %d dims"):format(fn, n, ndim), 3)
  end
  return n > 0 and n or n + ndim + 1
end

--- "[2, 3]"
function args.shape_text(shape)
  return "[" .. table.concat(shape, ", ") .. "]"
end

return args
