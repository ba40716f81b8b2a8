local core = require "luatensor.core"
local Optimizer = require "luatensor.optim.optimizer"

local rules, version = core.updates.rules, core.autograd.version

--- Makes an optimiser for gradient descent. g is the gradient plus weight_decay · p. Each step is
--
--     p ← p − lr · g                                    without momentum
--     b ← momentum · b + (1 − dampening) · g            b is g at the first step
--     p ← p − lr · b;  with nesterov  p ← p − lr · (g + momentum · b)
--
-- Sutskever, Martens, Dahl, Hinton: On the importance of initialization and momentum in deep learning (2013), in the
-- form of PyTorch's SGD.
-- @function optim.SGD
-- @param params a list of tensors, or of groups
-- @tparam[opt] table options `lr` (0.001), `momentum` (0), `dampening` (0), `weight_decay` (0), `nesterov` (false),
--   `maximize` (false): ascends instead of descending
-- @treturn Optimizer
local SGD = Optimizer.class("SGD", {
  lr = {"nonnegative", default = 1e-3}, momentum = {"nonnegative", default = 0}, dampening = {"real", default = 0},
  weight_decay = {"nonnegative", default = 0}, nesterov = {"boolean", default = false},
  maximize = {"boolean", default = false},
})

function SGD:check(group)
  if group.nesterov and (group.momentum == 0 or group.dampening ~= 0) then
    self:fail("nesterov needs a momentum, and no dampening")
  end
end

-- The states whose momentum_buffer had no gradient when it was made. Its version is 0 until an update writes it.
local fresh = setmetatable({}, {__mode = "k"})

function SGD:update(p, state, group)
  local sign, mu, factor = group.maximize and -1 or 1, group.momentum, 1 - group.dampening
  if mu == 0 then return rules.sgd, sign, group.weight_decay, group.lr end
  if not state.momentum_buffer then
    self:check_lasting()
    state.momentum_buffer = core.zeros_like(p)
    fresh[state] = true
  end
  if fresh[state] then
    fresh[state] = version(state.momentum_buffer) == 0 or nil
    factor = fresh[state] and 1 or factor
  end
  return group.nesterov and rules.sgd_nesterov or rules.sgd_momentum, sign, group.weight_decay, group.lr, mu, factor
end

return {SGD = SGD}
