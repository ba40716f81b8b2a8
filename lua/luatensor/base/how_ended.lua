--- Says how a child process ended.

-- The names of the signals that end a child most often.
local SIGNALS <const> = {[4] = "SIGILL", [6] = "SIGABRT", [7] = "SIGBUS", [8] = "SIGFPE", [9] = "SIGKILL",
  [11] = "SIGSEGV", [15] = "SIGTERM"}

--- Returns a text such as "crashed (signal 11, SIGSEGV)" or "ended with exit code 1".
-- @string how the first result of child:finish (src/lua/device/system.c)
-- @int[opt] code the second one
-- @treturn string
return function(how, code)
  if how == "signal" then
    return ("crashed (signal %d%s)"):format(code, SIGNALS[code] and ", " .. SIGNALS[code] or "")
  end
  return how == "exit" and ("ended with exit code %d"):format(code) or "ended"
end
