--- Gradients of sorting. Each element of the gradient moves to the position in x of the element that was sorted.

local core = require "luatensor.core"

local rules = {}

--- Returns zeros of a shape, the shape of x, with g, the gradient of the sorted elements, at their positions in x
-- along dim d. No position may occur twice.
local function put_back(g, shape, d, positions)
  return core.zeros(shape, {dtype = g.dtype, device = g.device}):scatter(d, positions, g)
end

--- The positions of the sorted elements in x are computed again in the backward pass, so that the graph need not keep
-- them until then.
rules.sort = {{"xp", function(g, x, p)
  if #p.shape == 0 then return g end
  return put_back(g, p.shape, p.dim, x:argsort(p.dim, {descending = p.flag or false}))
end}}

rules.topk = {{"2p", function(g, positions, p) return put_back(g[1], p.shape, p.dim, positions) end}}

return rules
