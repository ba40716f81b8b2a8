--- What schedulers share.

local args = require "luatensor.args"
local blame = require "luatensor.autograd.blame"
local Optimizer = require "luatensor.optim.optimizer"
local options = require "luatensor.optim.options"

--- Schedulers set the learning rates of an optimiser's groups, by how often they were stepped:
--
--     local schedule = optim.scheduler.CosineAnnealingLR(opt, epochs)
--     for epoch = 1, epochs do
--       train(model, opt)
--       schedule:step()
--     end
--
-- The rate after t steps is a function of t and of `base`, the group's rate when it got its first scheduler
-- (`initial_lr`), as PyTorch's closed forms are: what a script sets in between, or another scheduler, is overwritten by
-- the next step. One after the other: SequentialLR.
-- @type Scheduler
local Scheduler = {}
Scheduler.__index = Scheduler

function Scheduler:fail(message, ...) blame.fail(self.name, message, ...) end

-- A number for each group: of a list, or the same for all.
function Scheduler:each_group(what, value, check)
  local groups, list = self.optimizer.param_groups, {}
  if type(value) == "table" and #value ~= #groups then
    self:fail("%s: %d groups, but %d values", what, #groups, #value)
  end
  for k = 1, #groups do
    list[k] = blame.call(check, self.name .. ": " .. what, type(value) == "table" and value[k] or value)
  end
  return list
end

local function new(class, optimizer, ...)
  local self = setmetatable({optimizer = optimizer, last_epoch = 0, base_lrs = {}}, class)
  if not Optimizer.is(optimizer) then self:fail("optimiser expected, got %s", type(optimizer)) end
  for k, group in ipairs(optimizer.param_groups) do
    group.initial_lr = group.initial_lr or group.lr
    self.base_lrs[k] = group.initial_lr
  end
  self:init(...)
  self:apply(0)
  return self
end

--- A class of schedulers: `rows` are its options, {default, check} by name, which become fields. Its functions:
-- `init(self, …, options)`, which checks what the constructor gets and calls `self:read(options)`; `rate(self, base, t,
-- k)`, the learning rate of group k after t steps.
function Scheduler.class(name, rows)
  local class = {name = name, rows = rows or {}}
  class.__index = class
  return setmetatable(class, {__index = Scheduler, __call = new})
end

-- Options into fields.
function Scheduler:read(given)
  blame.call(args.options, self.name, given, self.rows)
  for key, value in pairs(blame.call(options.read, self.name, given or {}, self.rows)) do self[key] = value end
end

-- A constructor's argument.
function Scheduler:argument(what, value, check)
  return blame.call(check, self.name .. ": " .. what, value)
end

Scheduler.init = Scheduler.read

-- Sets the rates after t steps.
function Scheduler:apply(t)
  for k, group in ipairs(self.optimizer.param_groups) do
    local base = self.base_lrs[k]
    if base == nil then                                   -- a group that was added since
      group.initial_lr = group.initial_lr or group.lr
      base = group.initial_lr
      self.base_lrs[k] = base
    end
    group.lr = self:rate(base, t, k)
  end
end

--- Goes on to the next learning rate: after an epoch, or (OneCycleLR, CyclicLR) after a batch.
function Scheduler:step()
  self.last_epoch = self.last_epoch + 1
  self:apply(self.last_epoch)
end

--- The learning rates of the groups.
-- @treturn table a list
function Scheduler:get_last_lr()
  local list = {}
  for k, group in ipairs(self.optimizer.param_groups) do list[k] = group.lr end
  return list
end

local function is_saved(value)
  local kind = type(value)
  return kind == "number" or kind == "string" or kind == "boolean" or kind == "table" and type(value[1]) == "number"
end

--- What the scheduler is and how far it is, without the optimiser and without functions.
-- @treturn table
function Scheduler:state_dict()
  local dict = {}
  for name, value in pairs(self) do
    if is_saved(value) then dict[name] = type(value) == "table" and table.move(value, 1, #value, 1, {}) or value end
  end
  return dict
end

--- Takes over what state_dict gave. The rates themselves are in the optimiser's state.
-- @tab dict
function Scheduler:load_state_dict(dict)
  if type(dict) ~= "table" or math.type(dict.last_epoch) ~= "integer" then
    self:fail("load_state_dict: this is not the state of a scheduler")
  end
  for name, value in pairs(dict) do
    if is_saved(value) then self[name] = type(value) == "table" and table.move(value, 1, #value, 1, {}) or value end
  end
end

return Scheduler
