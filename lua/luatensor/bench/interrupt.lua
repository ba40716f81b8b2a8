--- Handles Ctrl-C. The interpreter (lua.c) raises "interrupted!" in the running function. A long measurement catches
-- this error, completes its result with the figures so far, and raises the error again. Scripts therefore end as
-- usual, and callers can read the partial result from the error.

local interrupt = {}

local class = {__tostring = function() return "interrupted!" end}

--- True if this error value is a Ctrl-C. The interpreter appends a traceback to the message before a `<close>` variable
-- sees it.
function interrupt.is(problem)
  if type(problem) ~= "string" then return getmetatable(problem) == class end
  return problem:find("interrupted!$") ~= nil or problem:find("interrupted!\nstack traceback:\n", 1, true) ~= nil
end

-- The partial result of the latest interrupt.raise. interrupt.partial needs it, because the interpreter converts the
-- error to the text "interrupted!" before a `<close>` variable of the script sees the error.
local latest

--- Raises Ctrl-C again, with the figures so far.
-- @tab[opt] partial a result; its field `incomplete` says how much is done
function interrupt.raise(partial)
  latest = partial
  error(setmetatable({partial = partial}, class), 0)
end

--- Returns the partial result that a Ctrl-C error contains, or nil.
function interrupt.partial(problem)
  if problem == "interrupted!" then return latest end
  return getmetatable(problem) == class and problem.partial or nil
end

return interrupt
