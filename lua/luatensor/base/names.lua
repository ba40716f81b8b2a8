--- Makes unknown names in the library's tables an error, because such a name is a typing error. The error says what
-- to write instead.

local core = require "luatensor.core"
local foreign = require "luatensor.base.foreign_names"
local positions = require "luatensor.base.positions"

local names = {}

-- The guarded tables of functions, by the prefix that scripts write before the name: "nn.", or "" for luatensor's own
-- functions.
local guarded = {}
local prefixes = {}

-- ---- help --------------------------------------------------------------------------------------

local function did_you_mean(name) return ("; did you mean %q?"):format(name) end

-- Returns the help for a name of another library; "" if there is no help and no similar name would help; nil if the
-- name is in no other library.
local function foreign_help(kind, name, known)
  local cure = foreign.find(kind, name)
  if cure == nil then return nil end
  for _, target in ipairs(type(cure) == "table" and cure or {}) do
    if known[target] ~= nil then return did_you_mean((guarded[kind] and kind or "") .. target) end
  end
  local text = type(cure) == "table" and cure.otherwise or cure
  return type(text) == "string" and "; " .. text or ""
end

-- Returns the help for a function of this name in another guarded table, or for a method; nil if there is none.
local function find_elsewhere(kind, name)
  for _, prefix in ipairs(prefixes) do
    if prefix ~= kind and rawget(guarded[prefix], name) ~= nil then return did_you_mean("lt." .. prefix .. name) end
  end
  if kind == "" and core.methods[name] then return ("; it is a method: x:%s(…)"):format(name) end
end

-- The set of the kinds of names that are never in a guarded table. names.help does not search the guarded tables for a
-- name of such a kind.
local kinds = {option = true, module = true, optimiser = true, dtype = true}

--- Says what to write instead of an unknown name.
-- @string kind "tensor", "option", "module", "optimiser", "dtype", or the prefix of a guarded table
-- @param name the unknown name; only strings get help
-- @tab known its keys are the known names
-- @treturn string a continuation of the error, such as "; did you mean …?", or ""
function names.help(kind, name, known)
  if type(name) ~= "string" then return "" end
  local help, nearest = foreign_help(kind, name, known), core.nearest(known, name)
  if help then return help end
  local only_case = nearest and nearest:lower() == name:lower()
  help = not only_case and kinds[kind] == nil and find_elsewhere(kind, name)
  return help or nearest and did_you_mean((guarded[kind] and kind or "") .. nearest) or ""
end

-- ---- calls --------------------------------------------------------------------------------------

--- Says how to name options that a script gave by position.
-- @string fn
-- @param ... the values that the script gave
-- @treturn string "; options have names: {keepdim = true}", or ""
function names.positions(fn, ...) return positions.help(positions.options[fn], table.pack(...), core.type_name) end

--- Like names.positions, for one value that was given in place of the options table.
-- @string fn
-- @tab known the names that the table may have
-- @param value the value that the script gave
-- @treturn string as from names.positions
function names.position(fn, known, value)
  return positions.help(positions.of(fn, known), {n = 1, value}, core.type_name)
end

--- Like names.positions, for the values with which a module was called.
-- @string class name of the module's class
-- @param ... the values that the script gave
-- @treturn string as from names.positions
function names.call_positions(class, ...)
  return positions.help(positions.calls[class], table.pack(...), core.type_name)
end

-- The set of types of a first argument that suggest a dot in place of a colon, as in x.sum(1). The type table is not
-- in the set, because a table is more likely data from which the script has not made a tensor yet.
local shifted = {number = true, string = true, boolean = true, ["no value"] = true}

--- Suggests a colon if the first argument of a method is no tensor, as in x.sum(1).
-- @string fn
-- @string kind the type of the first argument
-- @treturn string "; is there a colon? x:sum(…)", or ""
function names.colon(fn, kind)
  return core.methods[fn] and shifted[kind] and ("; is there a colon? x:%s(…)"):format(fn) or ""
end

-- ---- tables -------------------------------------------------------------------------------------

local function union(...)
  local all = {}
  for _, set in ipairs {...} do for name in next, set do all[name] = true end end
  return all
end

-- Returns the function __tostring of a table of functions, so that print says how to list its names.
local function describe(functions, prefix)
  local name = "lt." .. prefix:sub(1, -2)
  return function()
    if prefix ~= "" then return ("%s: lt.help(%s) lists its names"):format(name, name) end
    return ('%s: lt.help "conv2d" explains a name, lt.help(lt) lists them all'):format(functions._VERSION)
  end
end

--- Makes reading an unknown name in a table of functions an error that says what to write instead.
-- @tab functions
-- @string prefix the text that scripts write before the name, such as "nn."
-- @tparam[opt] function load is called first with an unknown name; if load(name) is not nil, it is the name's value
-- @tparam[opt] table late a table whose keys are the names that `load` can load
-- @treturn table functions
function names.guard(functions, prefix, load, late)
  if not guarded[prefix] then prefixes[#prefixes + 1] = prefix end
  guarded[prefix] = functions
  local meta = getmetatable(functions) or {}
  return setmetatable(functions, {
    __tostring = describe(functions, prefix),
    __call = meta.__call,                              -- keeps lt.advise callable
    __name = "library",
    __index = function(_, name)
      local loaded = load and load(name)
      if loaded ~= nil then return loaded end
      local known = union(functions, late or {})
      error(("luatensor has no \"%s%s\"%s"):format(prefix, tostring(name), names.help(prefix, name, known)), 2)
    end,
  })
end

return names
