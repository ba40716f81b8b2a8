--- Arguments of the functions that measure. They call functions of the script, so their own errors are raised here,
-- with the line of the script that called; what the script's functions raise passes through as it is.

local args = require "luatensor.base.args"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"

local arguments = {}

-- Where this library's Lua files are: "…/luatensor/".
local home = debug.getinfo(1, "S").source:gsub("bench/arguments%.lua$", "")

-- "script.lua:12: " of the function nearest to here that is not the library's.
local function caller()
  local level = 3
  while true do
    local info = debug.getinfo(level, "Sl")
    if not info then return "" end
    if info.what ~= "C" and info.source:sub(1, #home) ~= home then
      return ("%s:%d: "):format(info.short_src, info.currentline)
    end
    level = level + 1
  end
end

--- Raises "script.lua:12: bench.time: message".
-- @string fn
-- @string message for string.format
function arguments.fail(fn, message, ...)
  local words = table.pack(...)
  for i = 1, words.n do words[i] = args.plain(words[i]) end
  error(clocale.format("%s%s: " .. message, caller(), fn, table.unpack(words, 1, words.n)), 0)
end

-- What args.lua raises is "fn: message".
local function relay(ok, ...)
  if ok then return ... end
  error(caller() .. tostring((...)), 0)
end

--- Checks the names in an options table; nil gives an empty one.
-- @string fn
-- @param options
-- @tab known set of names
function arguments.options(fn, options, known)
  return relay(pcall(args.options, fn, options, known))
end

--- An integer in low … high, either bound may be nil.
function arguments.integer(fn, what, value, low, high)
  return relay(pcall(args.integer, fn, what, value, low, high))
end

--- A number in low … high, finite; nil gives the default.
function arguments.number(fn, what, value, low, high, default)
  if value == nil then return default end
  if type(value) ~= "number" then arguments.fail(fn, "%s: number expected, got %s", what, core.type_name(value)) end
  if value ~= value or value < low or value > high then
    arguments.fail(fn, "%s: %s is not in %s … %s", what, value, low, high)
  end
  return value
end

--- true or false; nil gives the default.
function arguments.boolean(fn, what, value, default)
  if value == nil then return default end
  if type(value) ~= "boolean" then arguments.fail(fn, "%s: boolean expected, got %s", what, core.type_name(value)) end
  return value
end

--- A function.
function arguments.callable(fn, what, value)
  local meta = getmetatable(value)
  if type(value) ~= "function" and not (type(meta) == "table" and meta.__call) then
    arguments.fail(fn, "%s: function expected, got %s", what, core.type_name(value))
  end
  return value
end

--- A device's whole name; nil stays nil.
-- @string fn
-- @param value
-- @string[opt] what the option's name, before the reason that there is no such device
function arguments.device(fn, value, what)
  if value == nil then return nil end
  local ok, name = pcall(require("luatensor").device, value)
  if not ok then arguments.fail(fn, "%s%s", what and what .. ": " or "", name) end
  return name
end

--- One of the words; nil gives the first.
function arguments.choice(fn, what, value, words)
  if value == nil then return words[1] end
  for _, word in ipairs(words) do
    if value == word then return value end
  end
  arguments.fail(fn, "%s: one of %s expected, got %s", what, table.concat(words, ", "), tostring(value))
end

return arguments
