--- The optimisers optim.Adam and optim.AdamW.

local core = require "luatensor.core"
local Optimizer = require "luatensor.optim.optimizer"

local rules = core.updates.rules

local function rows(decay)
  return {lr = {"nonnegative", default = 1e-3}, betas = {"fractions", default = {0.9, 0.999}},
          eps = {"nonnegative", default = 1e-8},
          weight_decay = {"nonnegative", default = decay}, amsgrad = {"boolean", default = false},
          maximize = {"boolean", default = false}}
end

local function start(_, p, group)
  return {step = 0, exp_avg = core.zeros_like(p), exp_avg_sq = core.zeros_like(p),
          max_exp_avg_sq = group.amsgrad and core.zeros_like(p) or nil}
end

-- Returns the rule and the numbers of a step. decay: the weight decay that is added to the gradient; shrink: the factor
-- by which the parameter is multiplied before the step.
local function update(state, group, decay, shrink)
  local t, beta1, beta2 = state.step + 1, group.betas[1], group.betas[2]
  return group.amsgrad and rules.adam_amsgrad or rules.adam, group.maximize and -1 or 1, decay, shrink, 1 - beta1,
         beta2, 1 - beta2, group.lr / (1 - beta1 ^ t), 1 / math.sqrt(1 - beta2 ^ t), group.eps
end

--- Makes an optimiser that steps by running means of the gradient and of its square. g is the gradient plus
-- weight_decay · p; β₁ and β₂ are the betas. At step t, counted from 1,
--
--     m ← β₁ · m + (1 − β₁) · g
--     v ← β₂ · v + (1 − β₂) · g²
--     p ← p − lr / (1 − β₁ᵗ) · m / (√v / √(1 − β₂ᵗ) + eps)
--
-- With amsgrad, the greatest v so far takes the place of v in the last line. Kingma, Ba: Adam: A Method for
-- Stochastic Optimization (2015); Reddi, Kale, Kumar: On the Convergence of Adam and Beyond (2018).
-- @function optim.Adam
-- @param params a list of tensors, or of groups
-- @tparam[opt] table options `lr` (0.001), `betas` ({0.9, 0.999}), `eps` (1e-8), `weight_decay` (0), `amsgrad`
--   (false), `maximize` (false): ascends instead of descending
-- @treturn Optimizer
local Adam = Optimizer.class("Adam", rows(0))
Adam.start = start

function Adam:update(_, state, group)                                   -- luacheck: ignore 212
  return update(state, group, group.weight_decay, 1)
end

--- Makes an optimiser like Adam with decoupled weight decay: first p ← p · (1 − lr · weight_decay), then Adam's step.
-- Loshchilov, Hutter: Decoupled Weight Decay Regularization (2019).
-- @function optim.AdamW
-- @param params a list of tensors, or of groups
-- @tparam[opt] table options those of optim.Adam; `weight_decay` (0.01)
-- @treturn Optimizer
local AdamW = Optimizer.class("AdamW", rows(0.01))
AdamW.start = start

function AdamW:update(_, state, group)                                  -- luacheck: ignore 212
  return update(state, group, 0, 1 - group.lr * group.weight_decay)
end

return {Adam = Adam, AdamW = AdamW}
