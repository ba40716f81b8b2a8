--- nn.parallel.Replicas, a model on several devices of this process.

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local distributed = require "luatensor.distributed"
local engine = require "luatensor.autograd.engine"
local lt = require "luatensor"
local Module = require "luatensor.nn.module"

-- gradient(p) returns p.grad, but does not mark this tensor as seen by scripts, so that zero_grad can free it.
local gradient = core.autograd.gradient

local Replicas = Module:extend "Replicas"

local function fail(...) blame.fail("Replicas", ...) end

-- Returns all parameters and buffers of a model.
local function state_of(model)
  local list = model:parameters()
  for _, x in model:named_buffers() do list[#list + 1] = x end
  return list
end

-- Gives a model the numbers of another model.
local function copy_state(to, from)
  local _ <close> = engine.recording(false)
  local there, here = state_of(to), state_of(from)
  for i = 1, math.max(#there, #here) do
    local x, y = there[i], here[i]
    if not (x and y and x.dtype == y.dtype and args.shape_text(x.shape) == args.shape_text(y.shape)) then
      fail("the models that the function returns have different parameters")
    end
    x:copy_(y:to(x.device))
  end
end

-- Random numbers after this function do not depend on the number of devices.
function Replicas:init(make, devices)
  blame.check_function("Replicas", make)
  local kind = core.type_name(devices)
  if kind ~= "table" or #devices == 0 then
    fail("list of devices expected, got %s", kind == "table" and "an empty list" or kind)
  end
  local generator, state = lt.default_generator(), nil
  for k = 1, #devices do
    local model = make()
    if not Module.is(model) then fail("the function must return a module, got %s", core.type_name(model)) end
    if k > 1 and rawequal(model, self[1]) then fail("the function must make a new model in each call") end
    state = state or generator:state()
    if k > 1 then copy_state(model, self[1]) end             -- before the move, which makes all devices' work the same
    self[k] = model:to(devices[k])
  end
  generator:set_state(state)
  rawset(self, "devices", table.move(devices, 1, #devices, 1, {}))
end

-- Returns part k of each tensor in a list of arguments, on the device of replica k. Other arguments stay.
local function part(self, k, arguments)
  local parts = {n = arguments.n}
  for i = 1, arguments.n do
    local x = arguments[i]
    if core.is_tensor(x) then
      local length, count = x.shape[1], #self.devices
      if not length or length % count ~= 0 then
        blame.fail("backward", "dim 1 of shape %s cannot be divided among %d devices", args.shape_text(x.shape), count)
      end
      x = x:narrow(1, (k - 1) * (length // count) + 1, length // count):to(self.devices[k])
    end
    parts[i] = x
  end
  return parts
end

-- Replaces the gradients of all replicas by their means. A missing gradient counts as 0, unless it is missing in all
-- replicas. Returns the mean of the losses.
local function average(self, losses)
  local _ <close> = engine.recording(false)
  local parameters, lists, trained = {}, {}, {}
  for k in ipairs(losses) do
    parameters[k] = self[k]:parameters()
    for i, p in ipairs(parameters[k]) do trained[i] = trained[i] or gradient(p) ~= nil end
  end
  for k, loss in ipairs(losses) do
    lists[k] = {loss / #losses}
    for i, p in ipairs(parameters[k]) do
      if trained[i] then lists[k][#lists[k] + 1] = (gradient(p) or core.zeros_like(p)) / #losses end
    end
  end
  for k, sums in ipairs(distributed.all_sum_devices(lists)) do
    local at = 1
    for i, p in ipairs(parameters[k]) do
      if trained[i] then
        at = at + 1
        p.grad = sums[at]
      end
    end
    losses[k] = sums[1]
  end
  return losses[1]
end

--- Computes the gradients of all replicas. Each replica gets a part of the samples: every tensor among the arguments is
-- divided along dim 1 into as many equal parts as there are devices. Other arguments are passed on. Then the gradients
-- of all replicas are replaced by their means, so that equal steps follow.
-- @function Replicas:backward
-- @tparam function loss is called with a replica and its parts, and returns the mean loss of these samples
-- @param ... arguments, such as inputs and classes
-- @treturn tensor the mean of the losses, on the first device
-- @raise if dim 1 of a tensor cannot be divided; if a loss has no gradient
function Replicas:backward(loss, ...)
  blame.check_function("backward", loss)
  local arguments, parts, losses = table.pack(...), {}, {}
  for k in ipairs(self.devices) do parts[k] = part(self, k, arguments) end
  for k, mine in ipairs(parts) do
    local of_part = loss(self[k], table.unpack(mine, 1, mine.n))
    if not core.is_tensor(of_part) then
      blame.fail("backward", "the function must return a tensor, got %s", core.type_name(of_part))
    end
    of_part:backward()
    losses[k] = of_part:detach()
  end
  return average(self, losses)
end

return Replicas
