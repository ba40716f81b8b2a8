--- Schedulers that raise and lower the rate from batch to batch, and change the momentum in the opposite direction.

local Scheduler = require "luatensor.optim.scheduler.base"

-- Raises an error if cycle_momentum is set, but the optimiser has neither the option momentum, as SGD has, nor the
-- option betas, whose first number acts as momentum in Adam.
local function check_momentum(self)
  local group = self.optimizer.param_groups[1]
  if self.cycle_momentum and group.momentum == nil and group.betas == nil then
    self:fail("%s has no momentum; use cycle_momentum = false", self.optimizer.name)
  end
end

local function set_momentum(group, momentum)
  if group.betas then group.betas = {momentum, group.betas[2]} else group.momentum = momentum end
end

--- Makes a scheduler for one cycle. The rate rises from max_lr / div_factor to max_lr in the first share pct_start of
-- all steps, then falls to max_lr / div_factor / final_div_factor. With three_phase, the rate first falls to the
-- initial rate, in as many steps as it rose, and then to the final rate. The momentum goes from max_momentum to
-- base_momentum and back. Smith, Topin: Super-Convergence (2018).
-- @function optim.scheduler.OneCycleLR
-- @tparam Optimizer optimizer
-- @param max_lr a number, or a list with a number for each group
-- @tparam table options `total_steps`, or `epochs` and `steps_per_epoch`; `pct_start` (0.3), `anneal_strategy` ("cos"
--   or "linear"), `cycle_momentum` (true), `base_momentum` (0.85), `max_momentum` (0.95), `div_factor` (25),
--   `final_div_factor` (1e4), `three_phase` (false)
-- @treturn Scheduler
local OneCycleLR = Scheduler.class("OneCycleLR", {
  total_steps = "count", epochs = "count", steps_per_epoch = "count",
  pct_start = {"share", default = 0.3}, anneal_strategy = {"choice", "cos", "linear", default = "cos"},
  cycle_momentum = {"boolean", default = true}, base_momentum = {"share", default = 0.85},
  max_momentum = {"share", default = 0.95},
  div_factor = {"positive", default = 25}, final_div_factor = {"positive", default = 1e4},
  three_phase = {"boolean", default = false},
})

-- Returns a list of phases, each {last step, first rate, last rate}. The rates are names: "initial", "max" or "min",
-- for which OneCycleLR:rate computes the numbers.
local function phases_of(self)
  local last, up = self.total_steps - 1, self.pct_start * self.total_steps - 1
  if not self.three_phase then return {{up, "initial", "max"}, {last, "max", "min"}} end
  return {{up, "initial", "max"}, {2 * self.pct_start * self.total_steps - 2, "max", "initial"},
          {last, "initial", "min"}}
end

function OneCycleLR:follow() self.phases = phases_of(self) end

function OneCycleLR:init(max_lr, options)
  self.max_lrs = self:each_group("max_lr", max_lr, "nonnegative")
  self:read(options)
  if not self.total_steps then
    if not self.epochs or not self.steps_per_epoch then
      self:fail("option total_steps expected, or epochs and steps_per_epoch")
    end
    self.total_steps = self.epochs * self.steps_per_epoch
  end
  check_momentum(self)
  self:follow()
  for k, group in ipairs(self.optimizer.param_groups) do
    group.initial_lr = self.max_lrs[k] / self.div_factor
    self.base_lrs[k] = group.initial_lr
  end
end

-- Interpolates between a, for part = 0, and b, for part = 1. `part` is the completed share of a phase. Option
-- anneal_strategy selects linear interpolation or half a cosine.
function OneCycleLR:between(a, b, part)
  if self.anneal_strategy == "linear" then return a + (b - a) * part end
  return b + (a - b) / 2 * (1 + math.cos(math.pi * part))
end

-- Returns the phase of step t, and the completed share of the phase. A phase of length 0 counts as complete: if
-- pct_start · total_steps is 1, the rate begins at max_lr.
function OneCycleLR:place(t)
  local first = 0
  for i, phase in ipairs(self.phases) do
    local length = phase[1] - first
    if t <= phase[1] or i == #self.phases then return phase, length == 0 and 1 or (t - first) / length end
    first = phase[1]
  end
end

function OneCycleLR:rate(base, t, k)
  if t > self.total_steps then self:fail("this is step %d, there are %d in all", t, self.total_steps) end
  local phase, part = self:place(t)
  local max = self.max_lrs[k] or self.max_lrs[1]
  local levels = {initial = base, max = max, min = base / self.final_div_factor}
  if self.cycle_momentum then
    local momenta = {initial = self.max_momentum, max = self.base_momentum, min = self.max_momentum}
    set_momentum(self.optimizer.param_groups[k], self:between(momenta[phase[2]], momenta[phase[3]], part))
  end
  return self:between(levels[phase[2]], levels[phase[3]], part)
end

--- Makes a scheduler that repeats cycles. The rate rises from base_lr to max_lr in step_size_up steps, then falls to
-- base_lr in step_size_down steps. The height of cycles is constant ("triangular"), halved in each cycle
-- ("triangular2"), or multiplied by gammaᵗ ("exp_range"). The momentum goes from max_momentum to base_momentum and
-- back. Smith: Cyclical Learning Rates for Training Neural Networks (2017).
-- @function optim.scheduler.CyclicLR
-- @tparam Optimizer optimizer
-- @param base_lr a number, or a list with a number for each group
-- @param max_lr a number, or a list with a number for each group
-- @tparam[opt] table options `step_size_up` (2000), `step_size_down` (step_size_up), `mode` ("triangular"), `gamma`
--   (1), `cycle_momentum` (true), `base_momentum` (0.8), `max_momentum` (0.9)
-- @treturn Scheduler
local CyclicLR = Scheduler.class("CyclicLR", {
  step_size_up = {"count", default = 2000}, step_size_down = "count",
  mode = {"choice", "triangular", "triangular2", "exp_range", default = "triangular"},
  gamma = {"nonnegative", default = 1},
  cycle_momentum = {"boolean", default = true}, base_momentum = {"share", default = 0.8},
  max_momentum = {"share", default = 0.9},
})

function CyclicLR:init(base_lr, max_lr, options)
  self.base_lrs = self:each_group("base_lr", base_lr, "nonnegative")
  self.max_lrs = self:each_group("max_lr", max_lr, "nonnegative")
  self:read(options)
  self.step_size_down = self.step_size_down or self.step_size_up
  check_momentum(self)
  for k, group in ipairs(self.optimizer.param_groups) do group.initial_lr = self.base_lrs[k] end
end

-- Returns the position of the rate after t steps: 0 is base_lr, 1 is max_lr.
function CyclicLR:height(t)
  local length, up = self.step_size_up + self.step_size_down, self.step_size_up
  local cycle, at = t // length, t % length
  local height = at <= up and at / up or (length - at) / self.step_size_down
  if self.mode == "triangular2" then return height / 2 ^ cycle end
  return self.mode == "exp_range" and height * self.gamma ^ t or height
end

function CyclicLR:rate(base, t, k)
  local height = self:height(t)
  if self.cycle_momentum then
    local momentum = self.max_momentum - (self.max_momentum - self.base_momentum) * height
    set_momentum(self.optimizer.param_groups[k], momentum)
  end
  return base + ((self.max_lrs[k] or self.max_lrs[1]) - base) * height
end

return {OneCycleLR = OneCycleLR, CyclicLR = CyclicLR}
