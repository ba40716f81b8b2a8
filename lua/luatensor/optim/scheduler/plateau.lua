--- ReduceLROnPlateau, a scheduler that depends on a measured metric.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local Scheduler = require "luatensor.optim.scheduler.base"

--- Makes a scheduler that multiplies the rates by factor if a metric has not improved for more than patience steps:
-- `schedule:step(loss)`. An improvement is a metric below best · (1 − threshold), or with mode "max" above
-- best · (1 + threshold), where `best` is the best metric so far. With threshold_mode "abs" the limits are
-- best − threshold and best + threshold.
-- @function optim.scheduler.ReduceLROnPlateau
-- @tparam Optimizer optimizer
-- @tparam[opt] table options `mode` ("min"), `factor` (0.1), `patience` (10), `threshold` (1e-4), `threshold_mode`
--   ("rel"), `cooldown` (0): the number of steps after a change that are not counted, `min_lr` (0), `eps` (1e-8):
--   smaller changes are not made
-- @treturn Scheduler
local ReduceLROnPlateau = Scheduler.class("ReduceLROnPlateau", {
  mode = {"choice", "min", "max", default = "min"}, factor = {"fraction", default = 0.1},
  patience = {"nonnegative", default = 10},
  threshold = {"nonnegative", default = 1e-4}, threshold_mode = {"choice", "rel", "abs", default = "rel"},
  cooldown = {"nonnegative", default = 0}, min_lr = {"nonnegative", default = 0}, eps = {"nonnegative", default = 1e-8},
}, {best = "real", cooldown_counter = "nonnegative", num_bad_epochs = "nonnegative"})

function ReduceLROnPlateau:init(options)
  self:read(options)
  self.best = self.mode == "min" and math.huge or -math.huge
  self.cooldown_counter, self.num_bad_epochs = 0, 0
end

function ReduceLROnPlateau:apply() end                                    -- luacheck: ignore 212

-- True if metric x is an improvement. `best` is initially infinite, so the level is a product: best − best ·
-- threshold would be NaN.
local function is_better(self, x)
  local sign = self.mode == "min" and -1 or 1
  local level = self.threshold_mode == "rel" and self.best * (1 + sign * self.threshold)
                or self.best + sign * self.threshold
  return sign * x > sign * level
end

local function reduce(self)
  for _, group in ipairs(self.optimizer.param_groups) do
    local rate = math.max(group.lr * self.factor, self.min_lr)
    if group.lr - rate > self.eps then group.lr = rate end
  end
end

--- Compares the next value of the metric with the best value, and reduces the rates if patience is exceeded.
-- @function ReduceLROnPlateau:step
-- @param metric a number, or a tensor of one element
function ReduceLROnPlateau:step(metric)
  Scheduler.check_self(self, "step")
  local x = core.is_tensor(metric) and metric.size == 1 and metric:item() or metric
  if core.is_tensor(x) then self:fail("step: one number expected, its shape is %s", args.shape_text(x.shape)) end
  if type(x) ~= "number" then self:fail("step: a number expected, got %s", core.type_name(x)) end
  self.last_epoch = self.last_epoch + 1
  local better = is_better(self, x)
  if better then self.best = x end
  self.num_bad_epochs = better and 0 or self.num_bad_epochs + 1
  if self.cooldown_counter > 0 then
    self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
  end
  if self.num_bad_epochs > self.patience then
    reduce(self)
    self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
  end
end

return {ReduceLROnPlateau = ReduceLROnPlateau}
