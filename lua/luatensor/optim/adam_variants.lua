--- Optimisers that are variants of Adam: optim.Adamax, optim.NAdam and optim.RAdam.

local core = require "luatensor.core"
local Optimizer = require "luatensor.optim.optimizer"

local rules = core.updates.rules

local function rows(lr, more)
  local all = {lr = {"nonnegative", default = lr}, betas = {"fractions", default = {0.9, 0.999}},
               eps = {"nonnegative", default = 1e-8},
               weight_decay = {"nonnegative", default = 0}, maximize = {"boolean", default = false}}
  for name, row in pairs(more or {}) do all[name] = row end
  return all
end

local function sign(group) return group.maximize and -1 or 1 end

-- Returns the weight decay that is added to the gradient, and the factor by which the parameter is multiplied before
-- the step. The factor is 1 unless the weight decay is decoupled.
local function decay(group)
  if group.decoupled_weight_decay then return 0, 1 - group.lr * group.weight_decay end
  return group.weight_decay, 1
end

--- Makes an optimiser like Adam, but with a decaying maximum of the gradient's magnitude instead of the mean of
-- squares. g is the gradient plus weight_decay · p; β₁ and β₂ are the betas. At step t, counted from 1,
--
--     m ← β₁ · m + (1 − β₁) · g
--     u ← max(β₂ · u, |g| + eps)
--     p ← p − lr / (1 − β₁ᵗ) · m / u
--
-- Kingma, Ba: Adam: A Method for Stochastic Optimization (2015), section 7.1.
-- @function optim.Adamax
-- @param params a list of tensors, or of groups
-- @tparam[opt] table options `lr` (0.002), `betas` ({0.9, 0.999}), `eps` (1e-8), `weight_decay` (0), `maximize`
--   (false)
-- @treturn Optimizer
local Adamax = Optimizer.class("Adamax", rows(2e-3))

function Adamax:start(p)                                                -- luacheck: ignore 212
  return {step = 0, exp_avg = core.zeros_like(p), exp_inf = core.zeros_like(p)}
end

function Adamax:update(_, state, group)                                 -- luacheck: ignore 212
  local t, beta1, beta2 = state.step + 1, group.betas[1], group.betas[2]
  return rules.adamax, sign(group), group.weight_decay, group.lr / (1 - beta1 ^ t), 1 - beta1, beta2, group.eps
end

--- Makes an optimiser like Adam with Nesterov's momentum. g, m, v, β₁ and β₂ are as in optim.Adam, and μ₁ … μₜ is a
-- product. At step t, with d = √(v / (1 − β₂ᵗ)) + eps and μₜ = β₁ · (1 − 0.96^(t · momentum_decay) / 2),
--
--     p ← p − lr · (1 − μₜ) / (1 − μ₁ … μₜ) · g / d − lr · μₜ₊₁ / (1 − μ₁ … μₜ₊₁) · m / d
--
-- Dozat: Incorporating Nesterov Momentum into Adam (2016).
-- @function optim.NAdam
-- @param params a list of tensors, or of groups
-- @tparam[opt] table options `lr` (0.002), `betas` ({0.9, 0.999}), `eps` (1e-8), `weight_decay` (0), `momentum_decay`
--   (0.004), `decoupled_weight_decay` (false): as in AdamW, `maximize` (false)
-- @treturn Optimizer
local NAdam = Optimizer.class("NAdam", rows(2e-3, {
  momentum_decay = {"nonnegative", default = 4e-3}, decoupled_weight_decay = {"boolean", default = false},
}))

function NAdam:start(p)                                                 -- luacheck: ignore 212
  return {step = 0, mu_product = 1, exp_avg = core.zeros_like(p), exp_avg_sq = core.zeros_like(p)}
end

-- For each state: μ₁ … μₜ of the step t that is not made yet.
local products = setmetatable({}, {__mode = "k"})

function NAdam:update(_, state, group)                                  -- luacheck: ignore 212
  local t, beta1, beta2 = state.step + 1, group.betas[1], group.betas[2]
  local mu = beta1 * (1 - 0.5 * 0.96 ^ (t * group.momentum_decay))
  local next_mu = beta1 * (1 - 0.5 * 0.96 ^ ((t + 1) * group.momentum_decay))
  local product = state.mu_product * mu
  local by_gradient, shrink = decay(group)
  products[state] = product
  return rules.nadam, sign(group), by_gradient, shrink, 1 - beta1, beta2, 1 - beta2,
         group.lr * next_mu / (1 - product * next_mu), 1 / math.sqrt(1 - beta2 ^ t), group.eps,
         group.lr * (1 - mu) / (1 - product)
end

function NAdam.advance(state) state.mu_product = products[state] end

--- Makes an optimiser like Adam that ignores the second moment v as long as v is the mean of too few gradients. ρₜ
-- and r are the names of the paper below: ρₜ is the length of a simple moving average that corresponds to v, and r
-- corrects the variance. m, v and β₂ are as in optim.Adam. At step t, with ρ = 2 / (1 − β₂) − 1 and
-- ρₜ = ρ − 2 t β₂ᵗ / (1 − β₂ᵗ),
--
--     p ← p − lr · m / (1 − β₁ᵗ) · r · √(1 − β₂ᵗ) / (√v + eps)    ρₜ > 5, r² = (ρₜ−4)(ρₜ−2)ρ / ((ρ−4)(ρ−2)ρₜ)
--     p ← p − lr · m / (1 − β₁ᵗ)                                   else
--
-- Liu and others: On the Variance of the Adaptive Learning Rate and Beyond (2020).
-- @function optim.RAdam
-- @param params a list of tensors, or of groups
-- @tparam[opt] table options `lr` (0.001), `betas` ({0.9, 0.999}), `eps` (1e-8), `weight_decay` (0),
--   `decoupled_weight_decay` (false): as in AdamW, `maximize` (false)
-- @treturn Optimizer
local RAdam = Optimizer.class("RAdam", rows(1e-3, {decoupled_weight_decay = {"boolean", default = false}}))

function RAdam:start(p)                                                 -- luacheck: ignore 212
  return {step = 0, exp_avg = core.zeros_like(p), exp_avg_sq = core.zeros_like(p)}
end

-- Returns r √(1 − β₂ᵗ), with the names in the comment of optim.RAdam. Returns nil if ρₜ ≤ 5, because the second
-- moment is then not used.
local function rectified(beta2, t)
  local known, limit = 1 - beta2 ^ t, 2 / (1 - beta2) - 1
  local length = limit - 2 * t * beta2 ^ t / known
  if length <= 5 then return nil end
  return math.sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length) * known)
end

function RAdam:update(_, state, group)                                  -- luacheck: ignore 212
  local t, beta1, beta2 = state.step + 1, group.betas[1], group.betas[2]
  local rate, factor = group.lr / (1 - beta1 ^ t), rectified(beta2, t)
  local by_gradient, shrink = decay(group)
  return rules.radam, sign(group), by_gradient, shrink, 1 - beta1, beta2, 1 - beta2, factor and rate * factor or 0, 1,
         factor and group.eps or 1, factor and 0 or rate
end

return {Adamax = Adamax, NAdam = NAdam, RAdam = RAdam}
