--- Gradients of reductions.

local rules = {}

--- What was reduced away is back, with length 1. Of a single element broadcasting does that.
local function restored(g, p)
  if p.keepdim or #p.dims == #p.shape then return g end
  return g:reshape(p.kept)
end

local function count(p)
  local n = 1
  for _, d in ipairs(p.dims) do n = n * p.shape[d] end
  return n
end

rules.sum = {{"p", function(g, p) return restored(g, p):broadcast_to(p.shape) end}}
rules.mean = {{"p", function(g, p) return (restored(g, p) / count(p)):broadcast_to(p.shape) end}}

--- Equal elements share.
local extreme = {{"xop", function(g, x, o, p)
  local chosen = x:equal(restored(o, p)):to(g.dtype)
  return chosen * (restored(g, p) / chosen:sum(p.dims, {keepdim = true}))
end}}
rules.max, rules.min = extreme, extreme

return rules
