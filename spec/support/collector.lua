--- The pace of Lua's incremental collector, which Lua 5.4 and 5.5 set by other words.
local collector = {}

--- Sets the pause and the multiplier of steps, in percent. Returns what they were.
function collector.set_pace(pause, multiplier)
  if _VERSION == "Lua 5.4" then return collectgarbage("setpause", pause), collectgarbage("setstepmul", multiplier) end
  return collectgarbage("param", "pause", pause), collectgarbage("param", "stepmul", multiplier)
end

return collector
