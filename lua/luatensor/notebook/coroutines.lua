--- Replaces coroutine.resume and coroutine.wrap by functions that tell the core which coroutine runs, so that an
-- interrupt stops a coroutine that never ends. A debug hook, which interrupts a cell, belongs to one coroutine.

local core = require "luatensor.core"

local coroutines = {}

local create, resume, close = coroutine.create, coroutine.resume, coroutine.close

local function leave(before, ...)
  core.notebook_enter(before)
  return ...
end

-- Returns the results of a coroutine, or raises its error.
local function unwrap(co, ok, ...)
  if ok then return ... end
  local problem = ...
  if coroutine.status(co) == "dead" then close(co) end
  error(problem, 0)
end

local function resume_noted(co, ...)
  if type(co) ~= "thread" then error("bad argument #1 to 'resume' (coroutine expected)", 2) end
  return leave(core.notebook_enter(co), resume(co, ...))
end

local function wrap(f)
  local co = create(f)
  return function(...) return unwrap(co, resume_noted(co, ...)) end
end

--- Replaces the functions.
function coroutines.install()
  rawset(coroutine, "resume", resume_noted)
  rawset(coroutine, "wrap", wrap)
end

return coroutines
