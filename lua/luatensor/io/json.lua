--- JSON for files of tensors. The reader limits the depth, refuses repeated names, and keeps integers and floats
-- apart.

local clocale = require "luatensor.base.clocale"

local json = {}

local MOST_DEPTH = 100

--- Upper bound of the memory for a text and its decoded value, in bytes for each byte of the text. Measurements gave 49
-- for nested lists, 28 for empty lists and objects, and 5 to 26 for other texts.
json.TAKES = 50

--- The metatable of arrays that json.decode returns. The metatable distinguishes an empty array from an empty object.
json.array = {}

--- The value that stands for null in the results of json.decode.
json.null = setmetatable({}, {__tostring = function() return "null" end})

-- ---- writing ----

local escapes = {['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r",
                 ["\t"] = "\\t"}

--- Returns a UTF-8 string in quotes, with JSON's escapes.
function json.quote(text)
  return '"' .. text:gsub('[\0-\31"\\]', function(c) return escapes[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

--- Returns the text of a finite number. Reading the text gives the same number; the text of a float never looks like
-- an integer.
function json.number(n)
  if math.type(n) == "integer" then return ("%d"):format(n) end
  local digits = clocale.format("%.15g", n)
  if clocale.number(digits) ~= n then digits = clocale.format("%.17g", n) end
  return digits:find "[.e]" and digits or digits .. ".0"
end

-- Returns a text as valid UTF-8: each invalid byte becomes U+FFFD.
local function make_valid(text)
  local parts, at = {}, 1
  local _, bad = utf8.len(text)
  while bad do
    parts[#parts + 1] = text:sub(at, bad - 1)
    at = bad + 1
    _, bad = utf8.len(text, at)
  end
  parts[#parts + 1] = text:sub(at)
  return table.concat(parts, "\u{fffd}")
end

local write_value

-- Appends the text of `count` items to parts, each item in a line of its own, indented by two spaces for each level.
-- write(i) appends item i.
local function write_items(parts, indent, brackets, count, write)
  for i = 1, count do
    parts[#parts + 1] = (i == 1 and brackets:sub(1, 1) or ",") .. indent .. "  "
    write(i)
  end
  parts[#parts + 1] = count == 0 and brackets or indent .. brackets:sub(2)
end

local function write_table(parts, value, indent)
  local names = {}
  for name in next, value do names[#names + 1] = name end
  clocale.sort(names)
  local last, inner = names[#names] or 0, indent .. "  "
  if type(last) == "number" then
    return write_items(parts, indent, "[]", last, function(i) write_value(parts, rawget(value, i), inner) end)
  end
  write_items(parts, indent, "{}", #names, function(i)
    parts[#parts + 1] = json.quote(make_valid(names[i])) .. ":"
    write_value(parts, rawget(value, names[i]), inner)
  end)
end

function write_value(parts, value, indent)
  if type(value) == "table" then return write_table(parts, value, indent) end
  parts[#parts + 1] = type(value) == "string" and json.quote(make_valid(value)) or value == nil and "null"
                      or clocale.tostring(value)
end

--- Returns the text of a value. A float has 14 significant digits. nil and the holes of a list become null. Other
-- values may be strings, finite numbers, booleans, lists, and tables with strings as keys. The keys are sorted.
-- Metatables are ignored.
-- @treturn string
function json.encode(value)
  local parts = {}
  write_value(parts, value, "\n")
  return table.concat(parts)
end

-- ---- reading ----

-- Raises an error about the text that is being read. `state` has the fields text, and at (the position of the next
-- byte). The error value is a table, from which json.decode makes its second result.
local function fail(state, message) error({("%s at byte %d"):format(message, state.at)}, 0) end

local function skip(state) state.at = state.text:find("[^ \t\n\r]", state.at) or #state.text + 1 end

-- Returns the next byte after white space, as a string; "" at the end of the text.
local function peek(state)
  skip(state)
  return state.text:sub(state.at, state.at)
end

local function take(state, c)
  if peek(state) ~= c then return false end
  state.at = state.at + 1
  return true
end

local unescape = {['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t"}

-- Reads \u and four digits at position `at`, or two such escapes for a character beyond U+FFFF. Returns the character
-- and the position after the escapes.
local function unicode(state, at)
  local high = tonumber(state.text:match("^\\u(%x%x%x%x)", at) or "", 16)
  if not high then fail(state, "a bad escape") end
  if high < 0xd800 or high > 0xdfff then return utf8.char(high), at + 6 end
  local low = tonumber(state.text:match("^\\u(%x%x%x%x)", at + 6) or "", 16)
  if high > 0xdbff or not low or low < 0xdc00 or low > 0xdfff then fail(state, "half a character") end
  return utf8.char(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)), at + 12
end

local function read_escape(state, at)
  local c = state.text:sub(at + 1, at + 1)
  if c == "u" then return unicode(state, at) end
  if not unescape[c] then fail(state, "a bad escape") end
  return unescape[c], at + 2
end

-- Reads the string whose first byte is at state.at, after the opening quote. Returns the string without escapes.
local function read_string(state)
  local parts, at = {}, state.at
  while true do
    local stop = state.text:find('[\0-\31"\\]', at)
    local c = stop and state.text:sub(stop, stop)
    if c ~= '"' and c ~= "\\" then fail(state, "a string that does not end") end
    parts[#parts + 1] = state.text:sub(at, stop - 1)
    if c == '"' then
      state.at = stop + 1
      return table.concat(parts)
    end
    parts[#parts + 1], at = read_escape(state, stop)
  end
end

local function read_number(state)
  local digits = state.text:match("^-?%d[%d.eE+-]*", state.at)
  local whole, rest = (digits or ""):match("^-?(%d+)(.*)$")
  local plain = whole and (whole == "0" or whole:sub(1, 1) ~= "0")
                and (rest:gsub("^%.%d+", ""):gsub("^[eE][+-]?%d+", "")) == ""
  if not plain then fail(state, "no value") end
  state.at = state.at + #digits
  return clocale.number(digits)
end

local words = {["true"] = true, ["false"] = false, null = json.null}

local function read_word(state)
  local word = state.text:match("^[a-z]+", state.at)
  local value = words[word or ""]
  if value == nil then return read_number(state) end
  state.at = state.at + #word
  return value
end

local read_value

local function read_array(state, depth)
  local list = setmetatable({}, json.array)
  if take(state, "]") then return list end
  repeat list[#list + 1] = read_value(state, depth) until not take(state, ",")
  if not take(state, "]") then fail(state, "a list that does not end") end
  return list
end

local function read_object(state, depth)
  local object = {}
  if take(state, "}") then return object end
  repeat
    if not take(state, '"') then fail(state, "no name") end
    local name = read_string(state)
    if object[name] ~= nil then fail(state, ("the name %q twice"):format(name)) end
    if not take(state, ":") then fail(state, "no colon") end
    object[name] = read_value(state, depth)
  until not take(state, ",")
  if not take(state, "}") then fail(state, "an object that does not end") end
  return object
end

function read_value(state, depth)
  if depth > MOST_DEPTH then fail(state, "more than " .. MOST_DEPTH .. " levels") end
  if take(state, "{") then return read_object(state, depth + 1) end
  if take(state, "[") then return read_array(state, depth + 1) end
  if take(state, '"') then return read_string(state) end
  return read_word(state)
end

--- Returns the value of a JSON text. Arrays become tables with the metatable json.array, and null becomes json.null.
-- @string text
-- @return the value; or nil and the error message
function json.decode(text)
  local valid, bad = utf8.len(text)
  if not valid then return nil, "no UTF-8 at byte " .. bad end
  local state = {text = text, at = 1}
  local ok, value = pcall(read_value, state, 1)
  if ok and peek(state) ~= "" then ok, value = pcall(fail, state, "more than one value") end
  if ok then return value end
  if type(value) ~= "table" then error(value, 0) end
  return nil, value[1]
end

return json
