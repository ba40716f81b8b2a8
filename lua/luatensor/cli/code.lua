--- Lua on the command line: expressions in which `lt` is luatensor.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"

local code = {}

--- A name that is nowhere is a slip of the command line.
local globals = {
  __index = function(_, name)
    local value = _G[name]
    if value == nil then error(("%s is nothing here"):format(name), 2) end
    return value
  end,
}

--- Where code runs: it sees Lua's names and lt, and keeps what it assigns.
-- @treturn table
function code.environment() return setmetatable({lt = lt}, globals) end

--- Compiles an expression, or statements.
-- @string text
-- @tab environment
-- @string[opt] names of its arguments: "x, y"
-- @treturn function
-- @raise wrong usage, when it is no Lua
function code.compile(text, environment, names)
  local head = names and ("local %s = ...; "):format(names) or ""
  local f, problem = load(("%sreturn %s"):format(head, text), "=" .. text, "t", environment)
  f = f or load(head .. text, "=" .. text, "t", environment)
  if not f then arguments.fail("%s: not Lua: %s", text, (problem:gsub("^.-:%d+: ", ""))) end
  return f
end

--- Runs --setup.
function code.run(text, environment)
  if text then code.compile(text, environment)() end
end

return code
