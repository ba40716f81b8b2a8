--- Optimisers that divide steps by the magnitude of earlier gradients: optim.RMSprop, optim.Adagrad and
-- optim.Adadelta.

local core = require "luatensor.core"
local Optimizer = require "luatensor.optim.optimizer"

local rules = core.updates.rules

local function sign(group) return group.maximize and -1 or 1 end

--- Makes an optimiser whose steps are divided by the root of a running mean of squared gradients. g is the gradient
-- plus weight_decay · p.
--
--     v ← alpha · v + (1 − alpha) · g²
--     s = √v + eps;  centered: a ← alpha · a + (1 − alpha) · g,  s = √(v − a²) + eps
--     p ← p − lr · g / s;  with momentum: b ← momentum · b + g / s,  p ← p − lr · b
--
-- Hinton: Neural Networks for Machine Learning, lecture 6 (2012); centered: Graves: Generating Sequences With
-- Recurrent Neural Networks (2013).
-- @function optim.RMSprop
-- @param params a list of tensors, or of groups
-- @tparam[opt] table options `lr` (0.01), `alpha` (0.99), `eps` (1e-8), `weight_decay` (0), `momentum` (0),
--   `centered` (false), `maximize` (false)
-- @treturn Optimizer
local RMSprop = Optimizer.class("RMSprop", {
  lr = {"nonnegative", default = 1e-2}, alpha = {"nonnegative", default = 0.99}, eps = {"nonnegative", default = 1e-8},
  weight_decay = {"nonnegative", default = 0}, momentum = {"nonnegative", default = 0},
  centered = {"boolean", default = false},
  maximize = {"boolean", default = false},
})

function RMSprop:start(p, group)                                        -- luacheck: ignore 212
  return {step = 0, square_avg = core.zeros_like(p), grad_avg = group.centered and core.zeros_like(p) or nil,
          momentum_buffer = group.momentum ~= 0 and core.zeros_like(p) or nil}
end

function RMSprop:update(_, _, group)                                -- luacheck: ignore 212
  local name = group.centered and "rmsprop_centered" or "rmsprop"
  if group.momentum ~= 0 then name = name .. "_momentum" end
  return rules[name], sign(group), group.weight_decay, group.lr, group.alpha, 1 - group.alpha, group.eps, group.momentum
end

--- Makes an optimiser whose steps are divided by the root of the sum of all squared gradients. g is the gradient plus
-- weight_decay · p. At step t
--
--     s ← s + g²
--     p ← p − lr / (1 + (t − 1) · lr_decay) · g / (√s + eps)
--
-- Duchi, Hazan, Singer: Adaptive Subgradient Methods for Online Learning and Stochastic Optimization (2011).
-- @function optim.Adagrad
-- @param params a list of tensors, or of groups
-- @tparam[opt] table options `lr` (0.01), `lr_decay` (0), `weight_decay` (0), `initial_accumulator_value` (0), `eps`
--   (1e-10), `maximize` (false)
-- @treturn Optimizer
local Adagrad = Optimizer.class("Adagrad", {
  lr = {"nonnegative", default = 1e-2}, lr_decay = {"nonnegative", default = 0},
  weight_decay = {"nonnegative", default = 0},
  initial_accumulator_value = {"nonnegative", default = 0}, eps = {"nonnegative", default = 1e-10},
  maximize = {"boolean", default = false},
})

function Adagrad:start(p, group)                                        -- luacheck: ignore 212
  return {step = 0, sum = core.full_like(p, group.initial_accumulator_value)}
end

function Adagrad:update(_, state, group)                                -- luacheck: ignore 212
  return rules.adagrad, sign(group), group.weight_decay, group.lr / (1 + state.step * group.lr_decay), group.eps
end

--- Makes an optimiser whose steps are scaled by two root mean squares: the earlier changes of the parameter, divided by
-- the earlier gradients. g is the gradient plus weight_decay · p.
--
--     v ← rho · v + (1 − rho) · g²
--     d = √(u + eps) / √(v + eps) · g
--     u ← rho · u + (1 − rho) · d²
--     p ← p − lr · d
--
-- Zeiler: ADADELTA: An Adaptive Learning Rate Method (2012).
-- @function optim.Adadelta
-- @param params a list of tensors, or of groups
-- @tparam[opt] table options `lr` (1), `rho` (0.9), `eps` (1e-6), `weight_decay` (0), `maximize` (false)
-- @treturn Optimizer
local Adadelta = Optimizer.class("Adadelta", {
  lr = {"nonnegative", default = 1}, rho = {"share", default = 0.9}, eps = {"nonnegative", default = 1e-6},
  weight_decay = {"nonnegative", default = 0},
  maximize = {"boolean", default = false},
})

function Adadelta:start(p)                                              -- luacheck: ignore 212
  return {step = 0, square_avg = core.zeros_like(p), acc_delta = core.zeros_like(p)}
end

function Adadelta:update(_, _, group)                               -- luacheck: ignore 212
  return rules.adadelta, sign(group), group.weight_decay, group.lr, group.rho, 1 - group.rho, group.eps
end

return {RMSprop = RMSprop, Adagrad = Adagrad, Adadelta = Adadelta}
