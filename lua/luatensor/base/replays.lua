--- Why a call of a compiled function cannot be replayed (compile.lua).

local replays = {}

local reason

--- Called by functions of the library that read values and decide by them: the running call cannot be replayed.
-- @string why a clause that the explanation of the compiled function contains
function replays.refuse(why) reason = reason or why end

--- Calls f(...). Returns a list of the results, and the reason of the first call of `refuse`, or nil.
function replays.watch(f, ...)
  reason = nil
  local results = table.pack(f(...))
  local why = reason
  reason = nil
  return results, why
end

return replays
