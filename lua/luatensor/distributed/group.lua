--- Groups of processes, and the functions that exchange tensors between the processes of a group.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local custom = require "luatensor.autograd.custom"
local exchange = require "luatensor.distributed.exchange"

local ag = core.autograd

local Group = {class_name = "Group", __name = "group"}
Group.__index = Group

local groups = {Group = Group}

--- Makes a group.
-- @param handle of the engine
-- @int rank
-- @int size
-- @bool engine false if the group has no engine, and only one process
-- @bool checked true for the checking mode
function groups.new(handle, rank, size, engine, checked)
  return setmetatable({handle = handle, place = rank, count = size, engine = engine, checked = checked}, Group)
end

--- True if value is a group.
function groups.is(value) return type(value) == "table" and getmetatable(value) == Group end

--- Returns the number of this process in the group.
-- @function Group:rank
-- @treturn integer from 0
function Group:rank() return self.place end

--- Returns the number of processes in the group.
-- @function Group:size
-- @treturn integer
function Group:size() return self.count end

function Group:__tostring() return ("Group: rank %d of %d"):format(self.place, self.count) end

--- Divides the group. All processes of the group must call this function. Those that give the same colour form a new
-- group.
-- @function Group:split
-- @tparam ?integer colour from 0 on; nil: the process belongs to no new group
-- @tparam[opt] integer key the ranks in the new group have the order of the keys (default: the rank in this group)
-- @treturn ?Group
function Group:split(colour, key)
  if colour ~= nil then args.check("split", "colour", colour, {"integer", 0, 2^31 - 1}) end
  if key ~= nil then args.check("split", "key", key, {"integer", -2^31, 2^31 - 1}) end
  exchange.run(self, "split")                       -- the engine's call may wait for ever if the processes differ
  local handle, rank, size = core.distributed_split(self.handle, colour or -1, key or self.place)
  return handle and groups.new(handle, rank, size, self.engine, self.checked)
end

-- ---- operations ---------------------------------------------------------------------------------

-- operations[name](group, x, options) computes an operation without recording it.
-- gradients[name](group, g, x, o, options) returns the gradient of x, from the result o and its gradient g.
local operations, gradients = {}, {}

function operations.all_sum(group, x, options) return exchange.run(group, "all_sum", x, x.shape, 0, options.out) end

function gradients.all_sum(group, g) return group:all_sum(g) end

function operations.all_max(group, x, options)
  if ag.is_complex(x) then args.fail("all_max", "not for %s", x.dtype) end
  return exchange.run(group, "all_max", x, x.shape, 0, options.out)
end

-- The gradient of an element is divided equally among the processes that have the maximum, as in gradients/reduce.lua.
function gradients.all_max(group, g, x, o)
  local chosen = x:equal(o):to(g.dtype)
  return chosen * (group:all_sum(g) / group:all_sum(chosen))
end

function operations.all_gather(group, x, options)
  local shape = x.shape
  shape[1] = (shape[1] or 1) * group.count
  return exchange.run(group, "all_gather", x, shape, 0, options.out)
end

function gradients.all_gather(group, g, x) return group:reduce_scatter(g):reshape(x.shape) end

function operations.reduce_scatter(group, x, options)
  local shape = x.shape
  if not shape[1] or shape[1] % group.count ~= 0 then
    args.fail("reduce_scatter", "dim 1 of shape %s cannot be divided among %d processes", args.shape_text(shape),
              group.count)
  end
  shape[1] = shape[1] // group.count
  return exchange.run(group, "reduce_scatter", x, shape, 0, options.out)
end

function gradients.reduce_scatter(group, g) return group:all_gather(g) end

function operations.broadcast(group, x, options)
  local root = options.root or 0
  if root >= group.count then args.fail("broadcast", "root %d is not in 0 … %d", root, group.count - 1) end
  return exchange.run(group, "broadcast", x, x.shape, root, options.out)
end

function gradients.broadcast(group, g, _, _, options)
  local sum = group:all_sum(g)
  return group.place == (options.root or 0) and sum or sum:zeros_like()
end

-- Calls an operation and records its gradient.
local function record(group, x, options, name)
  if options.out ~= nil then args.fail(name, "option out has no gradient; use x:detach()") end
  local row = {name = name}
  function row.forward(ctx, y)
    local o = operations[name](group, y:detach(), options)
    if name == "all_max" then ctx:save(y, o) else ctx:save(y) end
    return o
  end
  function row.backward(ctx, g)
    local y, o = ctx:saved()
    return gradients[name](group, g, y, o, options)
  end
  return custom(row, x)
end

-- The options of functions that have a result, and of the others.
local with_result, without_result = {group = true, out = true}, {group = true}
local with_root = {group = true, out = true, root = "natural"}

-- Checks options. Returns option group, or self, and the options.
local function read_options(name, self, options, known)
  options = args.options(name, options, known)
  local group = options.group or self
  if not groups.is(group) then args.fail(name, "group: group expected, got %s", core.type_name(group)) end
  return group, options
end

for name, operation in pairs(operations) do
  local known = name == "broadcast" and with_root or with_result
  Group[name] = function(self, x, options)
    args.tensor(name, 1, x)
    local group, read = read_options(name, self, options, known)
    return (ag.mode() and x.requires_grad and record or operation)(group, x, read, name)
  end
end

-- ---- pairs of processes and barriers ------------------------------------------------------------

local function check_peer(name, group, rank)
  args.check(name, "rank", rank, "natural")
  if rank < group.count and rank ~= group.place then return rank end
  args.fail(name, "rank %d is not another process of a group of %d", rank, group.count)
end

-- The method of distributed.send.
function Group:send(x, rank, options)
  args.tensor("send", 1, x)
  local group = read_options("send", self, options, without_result)
  if ag.mode() and x.requires_grad then
    args.fail("send", "gradients do not pass to another process; use x:detach()")
  end
  exchange.run(group, "send", x, nil, check_peer("send", group, rank))
end

-- The method of distributed.recv.
function Group:recv(like, rank, options)
  args.tensor("recv", 1, like)
  local group, read = read_options("recv", self, options, with_result)
  return exchange.run(group, "recv", like, like.shape, check_peer("recv", group, rank), read.out)
end

-- The method of distributed.barrier.
function Group:barrier(options)
  exchange.run(read_options("barrier", self, options, without_result), "barrier")
end

-- Errors of these functions name the line of the script.
for _, name in ipairs {"split", "all_sum", "all_max", "all_gather", "reduce_scatter", "broadcast", "send", "recv",
                       "barrier"} do
  Group[name] = core.composition(name, Group[name])
end

return groups
