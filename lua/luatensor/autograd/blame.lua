--- Whose line an error is: of functions that call functions of the script, whose own errors pass untouched (so that
-- they are no compositions).

local clocale = require "luatensor.clocale"
local core = require "luatensor.core"

local blame = {}

--- What the names of the library's chunks begin with; nil where its files are bundled under other names.
local home = core.chunk():match("^(.*)autograd[/\\]blame%.lua$")

--- "train.lua:12", the line of the script that runs.
function blame.script_line() return core.script_line(home) end

--- Raises "train.lua:12: grad: message".
function blame.fail(fn, message, ...)
  error(clocale.format("%s: %s: " .. message, blame.script_line(), fn, ...), 0)
end

--- Raises where fn is no function, and nothing that can be called like one: a module, a kernel.
function blame.check_function(name, fn)
  if core.is_callable(fn) then return end
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
