--- Sets the pace of Lua's incremental collector, for which Lua 5.4 and Lua 5.5 have different calls.
local collector = {}

--- Sets the pause and the multiplier of steps, in percent. Returns their previous values.
function collector.set_pace(pause, multiplier)
  if _VERSION == "Lua 5.4" then return collectgarbage("setpause", pause), collectgarbage("setstepmul", multiplier) end
  return collectgarbage("param", "pause", pause), collectgarbage("param", "stepmul", multiplier)
end

return collector
