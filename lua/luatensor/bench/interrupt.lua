--- Ctrl-C. The interpreter (lua.c) raises "interrupted!" in whatever runs. A long measurement catches it, completes its
-- result with what it has, and raises again: scripts end as they would, and who wants the partial result has it.

local interrupt = {}

local class = {__tostring = function() return "interrupted!" end}

--- True if this error value is a Ctrl-C. The interpreter appends a traceback to the message before a `<close>` variable
-- sees it.
function interrupt.is(problem)
  if type(problem) ~= "string" then return getmetatable(problem) == class end
  return problem:find("interrupted!$") ~= nil or problem:find("interrupted!\nstack traceback:\n", 1, true) ~= nil
end

-- The interpreter makes a text of an error before a `<close>` variable of the script sees it: the text of `class`.
local latest

--- Raises Ctrl-C again, with what was measured so far.
-- @tab[opt] partial a result; its field `incomplete` says how far it got
function interrupt.raise(partial)
  latest = partial
  error(setmetatable({partial = partial}, class), 0)
end

--- The partial result that a Ctrl-C carries; nil: none.
function interrupt.partial(problem)
  if problem == "interrupted!" then return latest end
  return getmetatable(problem) == class and problem.partial or nil
end

return interrupt
