--- Gradients of losses that are one function in C.

local core = require "luatensor.core"

local ag = core.autograd
local rules = {}

--- (softmax(x) - 1 at the class) · g · scale of each row that is not ignored, as functions that can be differentiated.
local function composed(g, x, sums, classes, ignored)
  local scale = sums:detach()[sums.size]
  local kept = ignored and classes:not_equal(ignored):to(g.dtype) or 1
  local places = core.arange(1, x.shape[2] + 1, {dtype = "int64", device = x.device})
  local chosen = classes:expand_dims(-1):equal(places):to(x.dtype)
  return (x:softmax(2) - chosen) * (g * scale * kept):expand_dims(-1)
end

rules.cross_entropy = {{"x2p", function(g, x, sums, p)
  g = g[1]
  local classes, reduction, ignored = p.args[1], p.args[2], p.args[3]
  if ag.mode() then return composed(g, x, sums, classes, ignored) end
  return core.cross_entropy_gradient(g, sums, x, classes, reduction, ignored)
end}}

return rules
