--- Writes Lua values as text, tables like Lua's table constructors.

local clocale = require "luatensor.base.clocale"

local literal = {}

local MOST_ITEMS <const> = 20         -- items of a table that are shown
local MOST_DEPTH <const> = 3          -- levels of tables within tables that are shown
local WIDTH <const> = 80              -- a table whose text is longer takes a line for each item

local function is_name(key) return type(key) == "string" and key:find "^[%a_][%w_]*$" ~= nil end

--- True if tostring shows a value better than its fields would.
function literal.has_text(value)
  local meta = getmetatable(value)
  return type(meta) == "table" and meta.__tostring ~= nil
end

-- The order of keys: numbers, then strings, then other keys.
local function precedes(a, b)
  local first, second = type(a), type(b)
  if first ~= second then
    local ranks = {number = 1, string = 2}
    return (ranks[first] or 3) < (ranks[second] or 3)
  end
  if first == "number" or first == "string" then return a < b end
  return false
end

--- Returns the keys of a table that are not part of its list, sorted, and the length of the list. Metamethods are
-- ignored.
function literal.keys(value)
  local length, keys = 0, {}
  while rawget(value, length + 1) ~= nil do length = length + 1 end
  for key in next, value do
    if not (math.type(key) == "integer" and key >= 1 and key <= length) then keys[#keys + 1] = key end
  end
  table.sort(keys, precedes)
  return keys, length
end

local write

local function write_key(key, above)
  if is_name(key) then return key .. " = " end
  return ("[%s] = "):format(write(key, "", above))
end

local function write_items(value, indent, above)
  local keys, length = literal.keys(value)
  local items = {}
  for i = 1, math.min(length, MOST_ITEMS) do items[i] = write(rawget(value, i), indent, above) end
  for i = 1, math.min(#keys, MOST_ITEMS - #items) do
    items[#items + 1] = write_key(keys[i], above) .. write(rawget(value, keys[i]), indent, above)
  end
  local left = length + #keys - #items
  if left > 0 then items[#items + 1] = ("… %d more"):format(left) end
  return items
end

local function write_table(value, indent, above)
  if above[value] then return "{… a table above}" end
  if #above == MOST_DEPTH then return next(value) == nil and "{}" or "{…}" end
  above[value], above[#above + 1] = true, value
  local inner = indent .. "  "
  local items = write_items(value, inner, above)
  above[value], above[#above] = nil, nil
  local short = "{" .. table.concat(items, ", ") .. "}"
  if #indent + #short <= WIDTH and not short:find "\n" then return short end
  return ("{\n%s%s\n%s}"):format(inner, table.concat(items, ",\n" .. inner), indent)
end

function write(value, indent, above)
  local kind = type(value)
  if kind == "string" then return (("%q"):format(value):gsub("\\\n", "\\n")) end
  if kind == "table" and not literal.has_text(value) then return write_table(value, indent, above) end
  if kind == "number" then return clocale.tostring(value) end
  return (tostring(value):gsub("\n", "\n" .. indent))
end

--- Returns the text of any value. Strings within tables have quotes.
-- @param value
-- @treturn string
function literal.text(value)
  if type(value) == "string" then return value end
  return write(value, "", {})
end

return literal
