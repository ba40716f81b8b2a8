--- Stores and restores settings of the process that measuring changes: the collector, the threads, the default
-- device, the precision of products and the random generator.

local core = require "luatensor.core"
local interrupt = require "luatensor.bench.interrupt"

local state = {}

local kept = {}
kept.__index = kept

-- Returns the collector's mode, "incremental" or "generational". collectgarbage returns the mode only when it changes
-- the mode, so this function changes it and changes it back.
local function collector_mode()
  local mode = collectgarbage("incremental")
  collectgarbage(mode)
  return mode
end

--- Restores the collector's mode, and whether it runs.
function kept:restore_collector()
  if self.collector_mode then collectgarbage(self.collector_mode) end
  collectgarbage(self.collector_runs and "restart" or "stop")
end

function kept:__close()
  self:restore_collector()
  if core.get_num_threads() ~= self.threads then core.set_num_threads(self.threads) end
  core.set_default_device(self.device)
  core.set_matmul_precision(self.precision)
  core.default_generator():set_state(self.generator)
end

--- Stores all settings. They are restored when the `<close>` variable with the result goes out of scope. Call this
-- function before the changes.
function state.keep()
  return setmetatable({
    collector_runs = collectgarbage("isrunning"), collector_mode = collector_mode(), threads = core.get_num_threads(),
    device = core.get_default_device(), precision = core.get_matmul_precision(),
    generator = core.default_generator():state(),
  }, kept)
end

--- Stops the collector until the `<close>` variable with the result goes out of scope.
function state.stop_collector()
  local guard = setmetatable({collector_runs = collectgarbage("isrunning")}, {__close = kept.restore_collector})
  collectgarbage("stop")
  return guard
end

local device_guard = {__close = function(self) core.set_default_device(self.before) end}

--- Makes a device the default device until the `<close>` variable with the result goes out of scope. nil changes
-- nothing.
function state.use_device(device)
  local guard = setmetatable({before = core.get_default_device()}, device_guard)
  if device then core.set_default_device(device) end
  return guard
end

local profile_guard = {__close = function(self)
  if not self.running then core.profile_stop() end
end}

--- Returns a value for a `<close>` variable, which ends a profile that is started after this call. This function is
-- called before the start, because a Ctrl-C between the start and a later call would leave the profile running. A
-- profile that already runs is not ended.
function state.profile_end() return setmetatable({running = core.profile_running()}, profile_guard) end

--- Starts a profile.
-- @string mode
-- @treturn[1] boolean true
-- @treturn[2] boolean false if a profile already runs, or if the device fails
-- @treturn[2] string the reason
function state.start_profile(mode)
  local ok, problem = pcall(core.profile_start, mode)
  if interrupt.is(problem) then error(problem, 0) end
  return ok, problem
end

return state
