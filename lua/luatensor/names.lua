--- Tables of functions in which a name that is not there is a slip, not a nil.

local core = require "luatensor.core"

local names = {}

--- Makes names that are not there an error, which tells the nearest one.
-- @tab functions
-- @string prefix what scripts write before the name: "nn."
-- @tparam[opt] function load is asked for such a name first
-- @treturn table functions
function names.guard(functions, prefix, load)
  local meta = getmetatable(functions) or {}
  return setmetatable(functions, {
    __call = meta.__call,                              -- lt.advise is a function, too
    __index = function(_, name)
      local loaded = load and load(name)
      if loaded ~= nil then return loaded end
      local nearest = type(name) == "string" and core.nearest(functions, name)
      local help = nearest and ("; did you mean %q?"):format(prefix .. nearest) or ""
      error(("luatensor has no \"%s%s\"%s"):format(prefix, tostring(name), help), 2)
    end,
  })
end

return names
