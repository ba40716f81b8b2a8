--- Explains calls of methods that an object lacks. Reading an unknown field gives nil, as in every table. But if the
-- script's line calls the field as a method, the error says what to write instead of Lua's "attempt to call a nil
-- value".

local core = require "luatensor.core"
local names = require "luatensor.base.names"

local missing = {}

local getinfo, can_read = debug and debug.getinfo, io and io.open      -- nil if the host left out debug or io

local MOST_NAMES <const>, MOST_LINES <const> = 1000, 1000        -- the numbers of kept helps and of kept lines

-- Line n of a text or of a regular file; "" if there is none. Pipes are not read, because reading could block.
local function find_line(source, n)
  local text = source
  if source:sub(1, 1) == "@" then text = can_read and core.read_file(source:sub(2), 1) or "" end
  for line in text:gmatch "([^\n]*)\n?" do
    n = n - 1
    if n == 0 then return line end
  end
  return ""
end

local lines, kept = {}, 0              -- lines by "n source", because a loop asks for the same line again and again

local function line_of(source, n)
  local key = n .. source
  if not lines[key] then
    if kept == MOST_LINES then lines, kept = {}, 0 end
    lines[key], kept = find_line(source, n), kept + 1
  end
  return lines[key]
end

-- True if a line contains ":name(", also with a text or a table in place of the parenthesis, and neither ".name" nor
-- the quoted name. `self.mean or x:mean(1)` reads a field.
local function calls(line, name)
  local word = "%f[%w_]" .. name .. "%f[^%w_]"
  return line:find(":%s*" .. word .. "%s*[%({\"'%[]") and not line:find("[.\"']%s*" .. word)
end

-- True if the running line of the script calls a method of this name. The text of a line typed at the prompt is lost;
-- for such a line the result is `otherwise`.
local function is_call(name, otherwise)
  local info = getinfo and getinfo(3, "Sl")
  if not info or info.currentline < 1 then return false end
  if info.source:sub(1, 1) == "=" then return info.source == "=stdin" and otherwise end
  local line = line_of(info.source, info.currentline)
  return calls(line, name)
end

--- Returns the metamethod __index for a base class.
-- @string kind as for names.help: "module"
-- @tab known its keys are the names of the methods
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
      -- A name without help is looked up only once, so that optional fields stay cheap.
      helps[name] = help ~= "" and help
    end
    if is_call(name, help ~= "") then error(("%s has no method %q%s"):format(kind, name, help), 2) end
  end
end

return missing
