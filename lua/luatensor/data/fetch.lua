--- Fetches a batch from a data set, in the script's process or in a worker.

local blame = require "luatensor.base.blame"
local engine = require "luatensor.autograd.engine"
local lt = require "luatensor"

local fetch = {}

--- Returns the values of a batch. Raises an error if the first value is nil, because nil would end the loop over
-- batches.
-- @string who the name of what returned the batch, for the error
-- @param ... the values
function fetch.check(who, value, ...)
  if value == nil then blame.fail("Loader", "%s gave nothing for a batch", who) end
  return value, ...
end

-- Seeds the default generator until the returned guard is closed, which restores the generator's state.
local function seeded(seed)
  local generator = lt.default_generator()
  local state = generator:state()
  generator:manual_seed(seed)
  return setmetatable({}, {__close = function() generator:set_state(state) end})
end

--- Returns a batch, fetched without recording, because no gradient flows back into a data set.
-- @tparam Dataset ds
-- @tparam tensor indices the numbers of the samples
-- @tparam[opt] integer seed from which ds draws random numbers
-- @tparam function call calls the method `get`: call(ds.get, ds, indices)
function fetch.batch(ds, indices, seed, call)
  local _ <close> = engine.recording(false)
  local _ <close> = seed and seeded(seed) or nil
  return fetch.check("the data set", call(ds.get, ds, indices))
end

return fetch
