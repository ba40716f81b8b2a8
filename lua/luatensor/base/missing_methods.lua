--- Explains calls of methods that an object lacks. Reading an unknown field gives nil, as in every table. If the
-- script's line calls the field as a method, an error says what to write instead, in place of Lua's "attempt to call
-- a nil value".

local core = require "luatensor.core"
local names = require "luatensor.base.names"

local missing = {}

local getinfo, can_read = debug and debug.getinfo, io and io.open      -- nil without debug or io in the host

local MOST_NAMES <const>, MOST_LINES <const> = 1000, 1000        -- limits of the two caches (help texts, lines)

-- Returns line n of a text, or of a regular file if source is "@path"; "" if there is no such line. Pipes are not
-- read, because reading could block.
local function find_line(source, n)
  local text = source
  if source:sub(1, 1) == "@" then text = can_read and core.read_file(source:sub(2), 1) or "" end
  for line in text:gmatch "([^\n]*)\n?" do
    n = n - 1
    if n == 0 then return line end
  end
  return ""
end

local lines, kept = {}, 0              -- a cache: the key "12@a.lua" has line 12 of a.lua; kept counts its lines

local function line_of(source, n)
  local key = n .. source
  if not lines[key] then
    if kept == MOST_LINES then lines, kept = {}, 0 end
    lines[key], kept = find_line(source, n), kept + 1
  end
  return lines[key]
end

-- True if a line contains ":name(", or ":name" before a quote, a brace or "[", and contains neither ".name" nor the
-- quoted name. In `self.mean or x:mean(1)`, the line reads a field, so the result is false.
local function calls(line, name)
  local word = "%f[%w_]" .. name .. "%f[^%w_]"
  return line:find(":%s*" .. word .. "%s*[%({\"'%[]") and not line:find("[.\"']%s*" .. word)
end

-- True if the script's current line calls a method of this name. A line that was typed at the prompt of the
-- interpreter cannot be read; for such a line the result is `otherwise`.
local function is_call(name, otherwise)
  local info = getinfo and getinfo(3, "Sl")
  if not info or info.currentline < 1 then return false end
  if info.source:sub(1, 1) == "=" then return info.source == "=stdin" and otherwise end
  local line = line_of(info.source, info.currentline)
  return calls(line, name)
end

--- Returns a function for the field __index of a base class's metatable. The function returns nil, or raises the
-- error of a missing method.
-- @string kind as for names.help: "module"
-- @tab known a table whose keys are the names of the methods
-- @treturn function
function missing.finder(kind, known)
  local helps, count = {}, 0
  return function(_, name)
    local help = helps[name]
    if help == false or type(name) ~= "string" or not name:find "^[%a_][%w_]*$" then return nil end
    if not help then
      count = count + 1
      if count > MOST_NAMES then helps, count = {}, 0 end
      help = names.help(kind, name, known)
      -- A name without help is looked up only once, because scripts may read optional fields of modules often.
      helps[name] = help ~= "" and help
    end
    if is_call(name, help ~= "") then error(("%s has no method %q%s"):format(kind, name, help), 2) end
  end
end

return missing
