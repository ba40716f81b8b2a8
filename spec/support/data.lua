-- Reads results of other libraries from spec/data/NAME.json, which the scripts in spec/data write. dkjson parses the
-- files, because it shares no code with the module under test.
local json = require "dkjson"

local data = {}

-- JSON has no infinities and no NaN. The files contain these strings instead.
local unusual = {Infinity = math.huge, ["-Infinity"] = -math.huge, NaN = 0 / 0}

local function with_numbers(value)
  if type(value) ~= "table" then return unusual[value] or value end
  for key, v in pairs(value) do value[key] = with_numbers(v) end
  return value
end

--- Returns the tables of a file, without metatables.
-- @string name such as "fft", or "pytorch/linear"
function data.read(name)
  local file <close> = assert(io.open("spec/data/" .. name .. ".json"))
  local value, _, problem = json.decode(file:read "a", 1, nil, nil)
  return with_numbers(assert(value, problem))
end

return data
