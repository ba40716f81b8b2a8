--- Schedulers whose rate is the base rate times a factor. The factor depends on the number of steps t.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local Scheduler = require "luatensor.optim.scheduler.base"

--- Makes a scheduler with the rate base · gamma^⌊t / step_size⌋ after t steps, where `base` is a group's initial
-- rate.
-- @function optim.scheduler.StepLR
-- @tparam Optimizer optimizer
-- @int step_size the number of steps between two changes
-- @tparam[opt] table options `gamma` (0.1)
-- @treturn Scheduler
local StepLR = Scheduler.class("StepLR", {gamma = {"nonnegative", default = 0.1}}, {step_size = "count"})

function StepLR:init(step_size, options)
  self.step_size = self:argument("step_size", step_size, "count")
  self:read(options)
end

function StepLR:rate(base, t) return base * self.gamma ^ (t // self.step_size) end

--- Makes a scheduler with the rate base · gamma^n, where `base` is a group's initial rate, and n the number of
-- milestones that the number of steps has reached.
-- @function optim.scheduler.MultiStepLR
-- @tparam Optimizer optimizer
-- @tparam table milestones a list of step numbers
-- @tparam[opt] table options `gamma` (0.1)
-- @treturn Scheduler
local MultiStepLR = Scheduler.class("MultiStepLR", {gamma = {"nonnegative", default = 0.1}}, {milestones = "count"})

local function check_milestones(self, milestones)
  local list = {}
  self:argument("milestones", milestones, "list")
  for i, m in ipairs(milestones) do list[i] = self:argument(("milestones[%d]"):format(i), m, "count") end
  return list
end

function MultiStepLR:init(milestones, options)
  self.milestones = check_milestones(self, milestones)
  self:read(options)
end

function MultiStepLR:rate(base, t)
  local reached = 0
  for _, m in ipairs(self.milestones) do if t >= m then reached = reached + 1 end end
  return base * self.gamma ^ reached
end

--- Makes a scheduler with the rate base · gammaᵗ after t steps, where `base` is a group's initial rate.
-- @function optim.scheduler.ExponentialLR
-- @tparam Optimizer optimizer
-- @number gamma the factor of each step
-- @treturn Scheduler
local ExponentialLR = Scheduler.class("ExponentialLR", nil, {gamma = "nonnegative"})

function ExponentialLR:init(gamma)
  self.gamma = self:argument("gamma", gamma, "nonnegative")
end

function ExponentialLR:rate(base, t) return base * self.gamma ^ t end

--- Makes a scheduler with the rate base · factor for the first total_iters steps, and then `base`, a group's initial
-- rate.
-- @function optim.scheduler.ConstantLR
-- @tparam Optimizer optimizer
-- @tparam[opt] table options `factor` (1/3), `total_iters` (5)
-- @treturn Scheduler
local ConstantLR = Scheduler.class("ConstantLR", {factor = {"share", default = 1 / 3},
total_iters = {"count", default = 5}})

function ConstantLR:rate(base, t) return t < self.total_iters and base * self.factor or base end

--- Makes a scheduler for warm-up: the rate goes from base · start_factor to base · end_factor in total_iters equal
-- steps, where `base` is a group's initial rate.
-- @function optim.scheduler.LinearLR
-- @tparam Optimizer optimizer
-- @tparam[opt] table options `start_factor` (1/3), `end_factor` (1), `total_iters` (5)
-- @treturn Scheduler
local LinearLR = Scheduler.class("LinearLR", {
  start_factor = {"share", default = 1 / 3}, end_factor = {"share", default = 1}, total_iters = {"count", default = 5},
})

function LinearLR:rate(base, t)
  local part = math.min(t, self.total_iters) / self.total_iters
  return base * (self.start_factor + (self.end_factor - self.start_factor) * part)
end

--- Makes a scheduler with the rate base · (1 − min(t, total_iters) / total_iters)^power after t steps, where `base`
-- is a group's initial rate.
-- @function optim.scheduler.PolynomialLR
-- @tparam Optimizer optimizer
-- @tparam[opt] table options `total_iters` (5), `power` (1)
-- @treturn Scheduler
local PolynomialLR = Scheduler.class("PolynomialLR", {total_iters = {"count", default = 5},
power = {"nonnegative", default = 1}})

function PolynomialLR:rate(base, t)
  return base * (1 - math.min(t, self.total_iters) / self.total_iters) ^ self.power
end

--- Makes a scheduler with the rate base · fn(t) after t steps, where `base` is a group's initial rate.
-- @function optim.scheduler.LambdaLR
-- @tparam Optimizer optimizer
-- @param fn a function of the number of steps, from 0 on, or a list with a function for each group. The functions are
--   not part of the state
-- @treturn Scheduler
local LambdaLR = Scheduler.class("LambdaLR")

function LambdaLR:init(fn) self.functions = self:each_group("fn", fn, "callable") end

function LambdaLR:rate(base, t, k)
  local factor = blame.call_back(self.functions[k] or self.functions[1], t)
  if type(factor) ~= "number" or factor ~= factor then
    self:fail("fn(%d): a number expected, got %s", t, type(factor) == "number" and "nan" or core.type_name(factor))
  end
  return base * factor
end

return {StepLR = StepLR, MultiStepLR = MultiStepLR, ExponentialLR = ExponentialLR, ConstantLR = ConstantLR,
        LinearLR = LinearLR, PolynomialLR = PolynomialLR, LambdaLR = LambdaLR}
