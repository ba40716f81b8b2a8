--- Exchanges of tensors that are not recorded for gradients. luatensor/distributed/group.lua has the functions for
-- scripts, and checks their arguments.

local args = require "luatensor.base.args"
local core = require "luatensor.core"

local exchange = {}

local sums = {all_sum = true, all_max = true, reduce_scatter = true}

--- Returns x as the engine can take it: contiguous, in memory that the engine reaches and, for sums, of a dtype that it
-- can add: half floats become float32, and short integers int32.
local function prepare(group, kind, x)
  local device, adds = core.distributed_native(group.handle, x)
  if device then x = x:to(device) end
  if sums[kind] and not adds then x = x:to(core.floats[x.dtype] and "float32" or "int32") end
  return x:contiguous()
end

-- ---- the checking mode --------------------------------------------------------------------------

local WIDTH <const> = 160         -- bytes of the description of a call: longer than the shape of a tensor of 8 dims

-- Returns the descriptions of the calls of all processes. The elements of the tensors are bytes of text.
local function gather(group, words)
  local text = core.tensor({(words .. (" "):rep(WIDTH - #words)):byte(1, WIDTH)}, {dtype = "uint8"})
  local bytes = prepare(group, "all_gather", text)
  local all = core.empty({group.count * WIDTH}, {dtype = "uint8", device = bytes.device})
  core.distributed_wait(core.distributed_begin(group.handle, "all_gather", bytes, all), "all_gather")
  local list, numbers = {}, all:totable()
  for rank = 0, group.count - 1 do
    list[rank + 1] = string.char(table.unpack(numbers, rank * WIDTH + 1, (rank + 1) * WIDTH)):gsub(" +$", "")
  end
  return list
end

-- Raises an error in all processes if they call different functions, or the same function with different arguments.
local function check(group, kind, x, peer)
  local words = kind
  if x then words = ("%s of %s %s"):format(kind, x.dtype, args.shape_text(x.shape)) end
  if kind == "broadcast" then words = ("%s from root %d"):format(words, peer) end
  local list, parts, same = gather(group, words), {}, true
  for i, text in ipairs(list) do
    same = same and text == list[1]
    parts[i] = ("rank %d: %s"):format(i - 1, text)
  end
  if not same then args.fail(kind, "the calls of the processes differ: %s", table.concat(parts, "; ")) end
end

-- ---- exchanges ----------------------------------------------------------------------------------

--- Starts an exchange.
-- @tab group
-- @string kind "all_sum", "all_max", "all_gather", "reduce_scatter", "broadcast", "send", "recv", "barrier" or "split"
-- @tparam tensor x the elements of this process, or for recv a tensor like the result; nil for barrier and split
-- @tab shape of the result; nil for send, barrier and split
-- @int peer the root of a broadcast, the receiver or the sender
-- @bool in_place the result is written to x if the engine can take x as it is
-- @bool later this process computes while the exchange runs
-- @treturn table with fields work, and to, the tensor that receives the result
function exchange.begin(group, kind, x, shape, peer, in_place, later)
  if group.checked and kind ~= "send" and kind ~= "recv" then check(group, kind, x, peer) end
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
  return {work = core.distributed_begin(group.handle, kind, from, to, peer, later, x), to = to, like = x}
end

--- Advances an exchange that was started for later. MPI moves elements only while its functions run, so that a process
-- that computes must call this function now and then.
-- @treturn boolean true if the exchange is complete
function exchange.advance(started) return core.distributed_test(started.work) end

--- Waits until an exchange is complete. Returns the result on the device and in the dtype of x.
-- @tab started the result of exchange.begin
-- @string kind the name of the function in errors
function exchange.finish(started, kind)
  core.distributed_wait(started.work, kind)
  local to, like = started.to, started.like
  return to and to:to(like.device):to(like.dtype)
end

local function check_out(kind, out, shape)
  if not core.is_tensor(out) then args.fail(kind, "out: tensor expected, got %s", core.type_name(out)) end
  if args.shape_text(out.shape) ~= args.shape_text(shape) then
    args.fail(kind, "out has shape %s, the result has %s", args.shape_text(out.shape), args.shape_text(shape))
  end
end

--- Runs an exchange and returns its result. If `out` is a tensor, the result is written to it.
function exchange.run(group, kind, x, shape, peer, out)
  local result
  if out ~= nil then check_out(kind, out, shape) end
  if not group.engine then
    result = shape and x:reshape(shape):clone()
  else
    result = exchange.finish(exchange.begin(group, kind, x, shape, peer, out ~= nil and rawequal(out, x)), kind)
  end
  if out == nil or rawequal(out, result) then return result end
  return out:copy_(result)
end

return exchange
