--- Schedulers whose rate follows a cosine: CosineAnnealingLR and CosineAnnealingWarmRestarts.

local Scheduler = require "luatensor.optim.scheduler.base"

local function between(low, high, part) return low + (high - low) * (1 + math.cos(math.pi * part)) / 2 end

--- Makes a scheduler with the rate eta_min + (base − eta_min) · (1 + cos(π t / T_max)) / 2 after t steps, where
-- `base` is a group's initial rate. Loshchilov, Hutter: SGDR: Stochastic Gradient Descent with Warm Restarts (2017),
-- without the restarts.
-- @function optim.scheduler.CosineAnnealingLR
-- @tparam Optimizer optimizer
-- @int T_max the number of steps from base to eta_min
-- @tparam[opt] table options `eta_min` (0)
-- @treturn Scheduler
local CosineAnnealingLR = Scheduler.class("CosineAnnealingLR", {eta_min = {"nonnegative", default = 0}},
                                          {T_max = "count"})

function CosineAnnealingLR:init(T_max, options)
  self.T_max = self:argument("T_max", T_max, "count")
  self:read(options)
end

function CosineAnnealingLR:rate(base, t) return between(self.eta_min, base, t / self.T_max) end

--- Makes a scheduler whose rate follows half a cosine from a group's initial rate to eta_min over T_0 steps, then
-- again from the initial rate over T_mult times as many steps, and so on. Loshchilov, Hutter: SGDR: Stochastic
-- Gradient Descent with Warm Restarts (2017).
-- @function optim.scheduler.CosineAnnealingWarmRestarts
-- @tparam Optimizer optimizer
-- @int T_0 the number of steps before the first restart
-- @tparam[opt] table options `T_mult` (1), `eta_min` (0)
-- @treturn Scheduler
local CosineAnnealingWarmRestarts = Scheduler.class("CosineAnnealingWarmRestarts", {
  T_mult = {"count", default = 1}, eta_min = {"nonnegative", default = 0},
}, {T_0 = "count"})

function CosineAnnealingWarmRestarts:init(T_0, options)
  self.T_0 = self:argument("T_0", T_0, "count")
  self:read(options)
end

function CosineAnnealingWarmRestarts:rate(base, t)
  local length = self.T_0
  if self.T_mult == 1 then t = t % length end
  while t >= length do
    t = t - length
    length = length * self.T_mult
  end
  return between(self.eta_min, base, t / length)
end

return {CosineAnnealingLR = CosineAnnealingLR, CosineAnnealingWarmRestarts = CosineAnnealingWarmRestarts}
