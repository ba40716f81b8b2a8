--- Whose line an error is: of functions that call functions of the script, whose own errors pass untouched (so that
-- they are no compositions).

local core = require "luatensor.core"

local blame = {}

local here = debug.getinfo(1, "S").source:match("^(.*)autograd[/\\]blame%.lua$")

--- "train.lua:12", the line of the script that runs.
function blame.script_line()
  for level = 2, 60 do
    local info = debug.getinfo(level, "Sl")
    if not info then return "?" end
    if info.currentline > 0 and info.source:sub(1, #here) ~= here then
      return info.short_src .. ":" .. info.currentline
    end
  end
  return "?"
end

--- Raises "train.lua:12: grad: message".
function blame.fail(fn, message, ...)
  error(("%s: %s: " .. message):format(blame.script_line(), fn, ...), 0)
end

--- True for a function, and for what can be called like one: a module, a kernel.
function blame.is_callable(fn)
  local meta = debug.getmetatable(fn)
  return type(fn) == "function" or type(meta) == "table" and meta.__call ~= nil
end

function blame.check_function(name, fn)
  if blame.is_callable(fn) then return end
  blame.fail(name, "function expected, got %s", core.type_name(fn))
end

local function relay(ok, ...)
  if ok then return ... end
  local message = ...
  if type(message) == "string" then
    local at, rest = message:match("^([^\n:]*):%d+: (.*)$")
    if at and not at:find("luatensor[/\\]") then error(message, 0) end     -- a function of the script's
    message = blame.script_line() .. ": " .. (rest or message)
  end
  error(message, 0)
end

--- Calls a function of the library; what it raises gets the script's line.
function blame.call(f, ...) return relay(pcall(f, ...)) end

return blame
