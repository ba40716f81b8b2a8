--- Updates of one parameter in Lua, until C has them.

local core = require "luatensor.core"
local engine = require "luatensor.autograd.engine"

local updates = {}

local function wrap(f)
  return function(p, state, sign, decay, ...)
    local g = p.grad
    if not g then return false end
    local _ <close> = engine.recording(false)
    g = g:detach() * sign + p * decay
    f(p, g, state, ...)
  end
end

updates.sgd = wrap(function(p, g, _, lr) p:sub_(g * lr) end)
updates.sgd_momentum = wrap(function(p, g, s, lr, mu, damp)
  s.momentum_buffer:mul_(mu):add_(g * damp)
  p:sub_(s.momentum_buffer * lr)
end)
updates.sgd_nesterov = wrap(function(p, g, s, lr, mu, damp)
  s.momentum_buffer:mul_(mu):add_(g * damp)
  p:sub_((g + s.momentum_buffer * mu) * lr)
end)
local function adam(p, g, s, shrink, c1, b2, c2, lr, scale, eps)
  p:mul_(shrink)
  s.exp_avg:add_((g - s.exp_avg) * c1)
  s.exp_avg_sq:mul_(b2):add_(g * g * c2)
  local v = s.exp_avg_sq
  if s.max_exp_avg_sq then
    s.max_exp_avg_sq:copy_(s.max_exp_avg_sq:maximum(v))
    v = s.max_exp_avg_sq
  end
  p:sub_(s.exp_avg / (v:sqrt() * scale + eps) * lr)
end
updates.adam = wrap(adam)
updates.adam_amsgrad = wrap(adam)
core.updates = updates
return updates
