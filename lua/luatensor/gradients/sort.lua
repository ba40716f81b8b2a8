--- Gradients of sorting. The gradient of each sorted element is written to the position in x from which the element
-- came.

local core = require "luatensor.core"

local rules = {}

--- Scatters g, the gradient of the sorted elements, into zeros of the given shape, the shape of x. `positions` are the
-- positions of the sorted elements in x along dim d. No position may occur twice.
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
