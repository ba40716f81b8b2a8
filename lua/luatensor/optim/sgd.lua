local core = require "luatensor.core"
local Optimizer = require "luatensor.optim.optimizer"

local updates = core.updates

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

function SGD:update(p, state, group)                                    -- luacheck: ignore 212
  local sign, mu = group.maximize and -1 or 1, group.momentum
  if mu == 0 then return updates.sgd(p, state, sign, group.weight_decay, group.lr) end
  local fresh = not state.momentum_buffer
  if fresh then state.momentum_buffer = core.zeros_like(p) end
  local update = group.nesterov and updates.sgd_nesterov or updates.sgd_momentum
  local problem = update(p, state, sign, group.weight_decay, group.lr, mu, fresh and 1 or 1 - group.dampening)
  -- the update failed, so the buffer contains no gradient yet
  if fresh and problem ~= nil then state.momentum_buffer = nil end
  return problem
end

return {SGD = SGD}
