--- The check of an argument that must be a data set, for the functions of lt.data.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"

--- Raises an error in the name of function `name` unless value is a data set: a table with a number of samples in
-- `size`, and a function `get`. The class may be one of luatensor's or the script's own. Returns value.
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
