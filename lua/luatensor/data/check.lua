--- Checks arguments of functions on data sets.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"

--- Checks that value is a data set: of a class of luatensor or of a script's own class. The error says which field or
-- method is missing.
return function(name, value)
  local kind = core.type_name(value)
  if type(value) ~= "table" or kind == "library" then blame.fail(name, "data set expected, got %s", kind) end
  if type(value.get) ~= "function" then blame.fail(name, "the data set has no function get(self, indices)") end
  local n = value.size
  if math.type(n) ~= "integer" or n < 0 then
    blame.fail(name, "the data set's size is %s, not a number of samples", n == nil and "missing" or tostring(n))
  end
  return value
end
