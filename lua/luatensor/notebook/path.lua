--- Follows paths such as `model.layers[1].weight` in the text of a cell, without calling functions of the script.

local core = require "luatensor.core"

local path = {}

-- The characters of a path.
local PATH <const> = "[%w_%.:%[%]\"]*$"

local LONGEST <const> = 100           -- tables that __index leads to; a class may be its own metatable

--- Returns the field of a value, or nil. Functions __index of the script are not called.
-- @param value
-- @param key
-- @int[opt=0] depth the number of tables that led to the value
function path.field(value, key, depth)
  depth = depth or 0
  if core.is_tensor(value) then
    local found, field = pcall(function() return value[key] end)
    return found and field or nil
  end
  local meta = getmetatable(value)
  if type(value) == "table" then
    local field = rawget(value, key)
    if field ~= nil then return field end
    if type(meta) == "table" and rawget(meta, "__name") == "library" then
      local found, loaded = pcall(function() return value[key] end)     -- loads parts of luatensor such as lt.bench
      return found and loaded or nil
    end
  end
  local index = type(meta) == "table" and rawget(meta, "__index")
  return type(index) == "table" and depth < LONGEST and path.field(index, key, depth + 1) or nil
end

-- Splits a path into its first name and the steps after it: {key, separator}.
local function split(text)
  local name, rest = text:match "^([%a_][%w_]*)(.*)$"
  local steps = {}
  while name and rest ~= "" do
    local separator, key, after = rest:match "^([.:])([%a_][%w_]*)(.*)$"
    if not key then
      key, after = rest:match "^%[(%d+)%](.*)$"
      key = key and math.tointeger(key)
    end
    if not key then key, after = rest:match '^%["([^"]*)"%](.*)$' end
    if not key then return nil end
    steps[#steps + 1] = {key, separator or "["}
    rest = after
  end
  return name, steps
end

--- Returns the value of a complete path, such as "lt.nn.Linear".
-- @string text
-- @return value, or nil if there is none
-- @return the value before the last step
-- @treturn string the name in the last step
function path.value(text)
  local name, steps = split(text)
  if not name then return nil end
  local value, owner, last = rawget(_G, name), nil, name
  for _, step in ipairs(steps) do
    if value == nil then return nil end
    owner, last = value, step[1]
    value = path.field(value, last)
  end
  return value, owner, last
end

--- Returns the path that ends at a position, and the path's first position.
-- @string code
-- @int stop the position of the last byte
function path.before(code, stop)
  local text = code:sub(1, stop):match(PATH)
  -- an opening bracket or quote before the path does not belong to the path
  while text:find "^[^%a_]" or text:find "^[^%[]*[\"%]]" do text = text:sub(2) end
  local opening = text:match ".*%[()[^%]]*$"
  if opening and not text:find('%["[^"]*$', 1) then text = text:sub(opening) end
  return text, stop - #text + 1
end

return path
