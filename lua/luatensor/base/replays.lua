--- Why a call of a compiled function cannot be replayed (compile.lua).

local blame = require "luatensor.base.blame"
local core = require "luatensor.core"

local replays = {}

local reason

--- Called by functions of the library that read values and decide by them: the running call cannot be replayed.
-- @string why a clause that the explanation of the compiled function contains
function replays.refuse(why) reason = reason or why end

--- Called by functions that exchange tensors between processes. The running call cannot be replayed, and a capture of
-- a graph raises an error.
-- @string name of the function in the error
function replays.refuse_exchange(name)
  replays.refuse(name .. " exchanges tensors between processes")
  if core.capturing() then blame.fail(name, "a step of several processes cannot be captured in a graph") end
end

--- Calls f(...). Returns a list of the results, and the reason of the first call of `refuse`, or nil.
function replays.watch(f, ...)
  reason = nil
  local results = table.pack(f(...))
  local why = reason
  reason = nil
  return results, why
end

return replays
