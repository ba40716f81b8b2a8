-- states_host runs this script in several Lua states of a process, and in a process and then in its child. A child that is
-- forked after the device was used gets an error of each use, and can use the CPU.
local lt = require "luatensor"
local function pid() return io.open("/proc/self/stat"):read "n" end
local function value(x) return (x * 2 + 1):sum():item() end

owner = owner or {}
if not owner.x then owner.x, owner.pid = lt.arange(1, 5):to "xla", pid() end
if pid() == owner.pid then
  for _ = 1, 3 do assert(value(owner.x) == value(owner.x:to "cpu")) end
  queued = owner.x + 1
else
  for _, use in ipairs {
    function() return queued:totable() end,
    function() return value(owner.x) end,
    function() return value(lt.ones(3, {device = "xla"})) end,
  } do
    local ok, message = pcall(use)
    assert(not ok and message:find("xla cannot be used in a child process that was forked", 1, true), message)
  end
  assert(#lt.devices() > 1 and value(lt.ones(3)) == 9)
end
