--- What measuring changes in the process, and puts back.

local core = require "luatensor.core"

local state = {}

local kept = {}
kept.__index = kept

--- The collector runs or stands still as it did.
function kept:restore_collector()
  collectgarbage(self.collector_runs and "restart" or "stop")
end

function kept:__close()
  self:restore_collector()
  if core.get_num_threads() ~= self.threads then core.set_num_threads(self.threads) end
  core.set_default_device(self.device)
  core.set_matmul_precision(self.precision)
  core.default_generator():set_state(self.generator)
end

--- Everything as it is now: comes back when the `<close>` variable that holds the result ends. Made before the change.
function state.keep()
  return setmetatable({
    collector_runs = collectgarbage("isrunning"), threads = core.get_num_threads(),
    device = core.get_default_device(), precision = core.get_matmul_precision(),
    generator = core.default_generator():state(),
  }, kept)
end

--- Stops the collector until the `<close>` variable that holds the result ends.
function state.stop_collector()
  local guard = setmetatable({collector_runs = collectgarbage("isrunning")}, {__close = kept.restore_collector})
  collectgarbage("stop")
  return guard
end

local device_guard = {__close = function(self) core.set_default_device(self.before) end}

--- Makes a device the default one (nil: leaves it) until the `<close>` variable that holds the result ends.
function state.use_device(device)
  local guard = setmetatable({before = core.get_default_device()}, device_guard)
  if device then core.set_default_device(device) end
  return guard
end

local profile_guard = setmetatable({}, {__close = function() core.profile_stop() end})

--- Ends a profile that runs then when the `<close>` variable that holds the result ends.
function state.profile_end() return profile_guard end

return state
