--- Names that are not there: each is a slip, not a nil, and its error tells what to write instead.

local core = require "luatensor.core"
local foreign = require "luatensor.foreign"

local names = {}

-- Tables of functions that are guarded, by what scripts write before the name: "nn.", "" for luatensor's own.
local guarded = {}
local prefixes = {}

-- ---- help --------------------------------------------------------------------------------------

local function did_you_mean(name) return ("; did you mean %q?"):format(name) end

-- The cure for a name of another library; "" where there is none, and no other name would help.
local function foreign_help(kind, name, known)
  local cure = foreign.find(kind, name)
  if cure == nil then return nil end
  for _, target in ipairs(type(cure) == "table" and cure or {}) do
    if known[target] ~= nil then return did_you_mean((guarded[kind] and kind or "") .. target) end
  end
  return type(cure) == "string" and "; " .. cure or ""
end

-- The same name in another table, or as a method.
local function find_elsewhere(kind, name)
  for _, prefix in ipairs(prefixes) do
    if prefix ~= kind and rawget(guarded[prefix], name) ~= nil then return did_you_mean("lt." .. prefix .. name) end
  end
  if kind == "" and core.methods[name] then return ("; it is a method: x:%s(…)"):format(name) end
end

-- Kinds of names that are in no table of functions.
local kinds = {option = true, module = true, optimiser = true}

--- What to write instead of a name that is not there.
-- @string kind "tensor", "option", "module", "optimiser", or the prefix of a guarded table
-- @param name
-- @tab known its keys are the names that are there
-- @treturn string "; did you mean …?", or ""
function names.help(kind, name, known)
  if type(name) ~= "string" then return "" end
  local help, nearest = foreign_help(kind, name, known), core.nearest(known, name)
  if help then return help end
  local only_case = nearest and nearest:lower() == name:lower()
  help = not only_case and kinds[kind] == nil and find_elsewhere(kind, name)
  return help or nearest and did_you_mean((guarded[kind] and kind or "") .. nearest) or ""
end

-- ---- tables -------------------------------------------------------------------------------------

local function union(...)
  local all = {}
  for _, set in ipairs {...} do for name in next, set do all[name] = true end end
  return all
end

--- Makes names that are not there an error, which tells what to write instead.
-- @tab functions
-- @string prefix what scripts write before the name: "nn."
-- @tparam[opt] function load is asked for such a name first
-- @tparam[opt] table late its keys are the names that `load` knows
-- @treturn table functions
function names.guard(functions, prefix, load, late)
  if not guarded[prefix] then prefixes[#prefixes + 1] = prefix end
  guarded[prefix] = functions
  local meta = getmetatable(functions) or {}
  return setmetatable(functions, {
    __call = meta.__call,                              -- lt.advise is a function, too
    __index = function(_, name)
      local loaded = load and load(name)
      if loaded ~= nil then return loaded end
      local known = union(functions, late or {})
      error(("luatensor has no \"%s%s\"%s"):format(prefix, tostring(name), names.help(prefix, name, known)), 2)
    end,
  })
end

return names
