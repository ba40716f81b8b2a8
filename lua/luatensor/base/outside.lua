--- Checks with which functions and modules begin that use files, processes or the clock.

require "luatensor.base.requirements"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"

local outside = {}

--- Raises an error in a sandbox, and in a state without one of the named libraries of Lua.
-- @string name of the function or the module, for the error
-- @param ... names of Lua's libraries
function outside.check(name, ...)
  if core.sandbox then blame.raise(name, "not in a sandbox") end
  outside.check_libraries(name, ...)
end

--- Raises an error in a state without one of the named libraries of Lua.
function outside.check_libraries(name, ...)
  for _, library in ipairs {...} do
    if not rawget(_G, library) then blame.raise(name, "needs Lua's library %s, which this state lacks", library) end
  end
end

--- Like outside.check for a module that measures.
-- @string name
function outside.check_measuring(name) outside.check(name, "debug", "io", "os", "utf8") end

return outside
