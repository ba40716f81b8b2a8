--- Exchanges of tensors that are not recorded for gradients. luatensor/distributed/group.lua has the functions for
-- scripts, and checks their arguments.

local core = require "luatensor.core"

local exchange = {}

local sums = {all_sum = true, all_max = true, reduce_scatter = true}

--- Returns x as the engine can take it: contiguous, in memory that the engine reaches and, for sums, of a dtype that it
-- can add.
local function prepare(group, kind, x)
  local reaches, adds = core.distributed_native(group.handle, x)
  if not reaches then x = x:to(core.host_device) end
  if sums[kind] and not adds then x = x:to("float32") end
  return x:contiguous()
end

--- Starts an exchange.
-- @tab group
-- @string kind "all_sum", "all_max", "all_gather", "reduce_scatter", "broadcast", "send", "recv" or "barrier"
-- @tparam tensor x the elements of this process, or for recv a tensor like the result; nil for barrier
-- @tab shape of the result; nil for send and barrier
-- @int peer the root of a broadcast, the receiver or the sender
-- @bool in_place the result is written to x if the engine can take x as it is
-- @bool later this process computes while the exchange runs
-- @treturn table with fields work, and to, the tensor that receives the result
function exchange.begin(group, kind, x, shape, peer, in_place, later)
  local from, to = x and prepare(group, kind, x), nil
  if kind == "broadcast" then
    to = (in_place or not rawequal(from, x)) and from or from:clone()
    from = nil
  elseif shape and in_place and rawequal(from, x) then
    to = x
  elseif shape then
    to = core.empty(shape, {dtype = from.dtype, device = from.device})
  end
  if kind == "recv" then from = nil end
  return {work = core.distributed_begin(group.handle, kind, from, to, peer, later), to = to, like = x}
end

--- Waits until an exchange is complete. Returns the result on the device and in the dtype of x.
-- @tab started the result of exchange.begin
-- @string kind the name of the function in errors
function exchange.finish(started, kind)
  core.distributed_wait(started.work, kind)
  local to, like = started.to, started.like
  return to and to:to(like.device):to(like.dtype)
end

-- ---- sums that run while the process computes ---------------------------------------------------

local Started = {}
Started.__index = Started

-- True if the sum is complete. Calls advance the exchange, because MPI has no thread of its own.
function Started:test() return not self.work or core.distributed_test(self.work) end

-- Waits until the sum is complete, and writes it to the tensor.
function Started:wait()
  if not self.work then return end
  local result = exchange.finish(self, "all_sum")
  if not rawequal(result, self.like) then self.like:copy_(result) end
  self.work = nil
end

--- Starts the sum of x over all processes of the group. Until `wait` returns, x must not be read or changed. The
-- processes must start their sums in the same order, and may wait for them in any order.
-- @treturn table with the methods wait and test
function exchange.start_sum(group, x)
  local started = group.engine and exchange.begin(group, "all_sum", x, x.shape, 0, true, true) or {like = x}
  return setmetatable(started, Started)
end

-- ---- other exchanges ----------------------------------------------------------------------------

--- Runs an exchange and returns its result. If `out` is a tensor, the result is written to it.
function exchange.run(group, kind, x, shape, peer, out)
  local result
  if not group.engine then
    result = shape and x:reshape(shape):clone()
  else
    result = exchange.finish(exchange.begin(group, kind, x, shape, peer, out ~= nil and rawequal(out, x)), kind)
  end
  if out == nil or rawequal(out, result) then return result end
  return out:copy_(result)
end

return exchange
