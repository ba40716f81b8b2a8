--- Gradients of losses that a single C function computes.

local core = require "luatensor.core"

local ag = core.autograd
local rules = {}

--- Returns the gradient of x in the cross entropy: (softmax(x) - e) · g · scale for each row, and 0 for ignored rows. e
-- is 1 at the row's class and 0 elsewhere, and g is the gradient of the loss. scale is the last element of sums. For
-- the reduction "mean", scale is 1 / the number of rows that are not ignored. For other reductions, scale is 1. Unlike
-- the C function, these ops can be differentiated.
local function composed(g, x, sums, classes, ignored)
  local scale = sums:detach()[sums.size]
  local kept = ignored and classes:not_equal(ignored):to(g.dtype) or 1
  local places = core.arange(1, x.shape[2] + 1, {dtype = "int64", device = x.device})
  local chosen = classes:expand_dims(-1):equal(places):to(x.dtype)
  return (x:softmax(2) - chosen) * (g * scale * kept):expand_dims(-1)
end

local reductions = {"none", "mean", "sum"}   -- the order of enum cross_entropy_reduction

rules.cross_entropy = {{"xy2p", function(g, x, classes, sums, p)
  g = g[1]
  local ignored = p.flag and ((p[1] // 1 | 0) << 32 | (p[2] // 1 | 0)) or nil
  if ag.mode() then return composed(g, x, sums, classes, ignored) end
  return core.cross_entropy_gradient(g, sums, x, classes, reductions[p.dim], ignored)
end}, false}

return rules
