--- SequentialLR, a scheduler that runs several schedulers one after another.

local Scheduler = require "luatensor.optim.scheduler.base"

--- Makes a scheduler that runs the first scheduler up to the first milestone, then the second scheduler from its step
-- 0, and so on. An example is LinearLR to warm up, followed by CosineAnnealingLR.
-- @function optim.scheduler.SequentialLR
-- @tparam Optimizer optimizer
-- @tparam table schedulers a list of schedulers of this optimiser
-- @tparam table milestones the steps at which the next scheduler begins, one milestone fewer than schedulers
-- @treturn Scheduler
local SequentialLR = Scheduler.class("SequentialLR", nil, {milestones = "count"})

function SequentialLR:init(schedulers, milestones)
  if type(schedulers) ~= "table" or type(milestones) ~= "table" or #milestones ~= #schedulers - 1 then
    self:fail("a list of schedulers and one of milestones expected, one milestone less than schedulers")
  end
  self:argument("schedulers", schedulers, "list")
  self:argument("milestones", milestones, "list")
  self.schedulers, self.milestones = {}, {}
  for i, s in ipairs(schedulers) do
    if type(s) ~= "table" or s.optimizer ~= self.optimizer or not s.rate then
      self:fail("schedulers[%d] is not one of this optimiser that goes by the number of steps", i)
    end
    self.schedulers[i] = s
  end
  for i, m in ipairs(milestones) do
    self.milestones[i] = self:argument(("milestones[%d]"):format(i), m, "count")
    if i > 1 and m <= milestones[i - 1] then self:fail("milestones must rise") end
  end
end

function SequentialLR:apply(t)
  local i, first = 1, 0
  while self.milestones[i] and t >= self.milestones[i] do first, i = self.milestones[i], i + 1 end
  self.schedulers[i].last_epoch = t - first
  self.schedulers[i]:apply(t - first)
end

function SequentialLR:state_dict()
  local dict = Scheduler.state_dict(self)
  dict.schedulers = {}
  for i, s in ipairs(self.schedulers) do dict.schedulers[i] = s:state_dict() end
  return dict
end

function SequentialLR:checked_state(dict)
  local made, parts = Scheduler.checked_state(self, dict), {}
  local states = type(dict.schedulers) == "table" and dict.schedulers or {}
  if #states ~= #self.schedulers or #(made.milestones or {}) ~= #self.milestones then
    self:fail("load_state_dict: the state has %d schedulers, this %d", #states, #self.schedulers)
  end
  for i, s in ipairs(self.schedulers) do parts[i] = s:checked_state(states[i]) end
  made.schedulers = parts
  return made
end

function SequentialLR:take(made)
  for i, s in ipairs(self.schedulers) do s:take(made.schedulers[i]) end
  made.schedulers = nil
  Scheduler.take(self, made)
end

return {SequentialLR = SequentialLR}
