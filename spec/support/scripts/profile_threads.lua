-- States in several threads: only one state has a profile at a time, and the profile counts only calls of this state.
local lt = require "luatensor"
local core = require "luatensor.core"
for _ = 1, 20 do
  local started, problem = pcall(core.profile_start, "counting")
  assert(started or problem:find("a profile is running", 1, true), problem)
  local x = lt.rand(10)
  for _ = 1, 10 do x = x + 1 end
  local profile, calls = core.profile_stop(), 0
  assert((profile ~= nil) == started)
  for _, row in ipairs(profile and profile.rows or {}) do calls = calls + row.calls end
  assert(not started or calls == 11, calls .. " calls were counted")
end
