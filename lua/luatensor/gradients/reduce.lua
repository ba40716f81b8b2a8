--- Gradients of reductions: sums, means, extremes, products, statistics and norms.

local core = require "luatensor.core"
local conj = require("luatensor.gradients.help").conj

local where = core.where
local rules = {}

--- Returns g, the gradient of a reduction's result, with the reduced dims restored, each of length 1. If all dims
-- were reduced, g is returned unchanged, because a tensor with one element broadcasts.
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

--- Returns the gradient of x for max and min. If several elements of x equal the result o, the gradient g of the
-- result is divided equally among these elements.
local function extreme(g, x, o, p)
  local chosen = x:equal(restored(o, p)):to(g.dtype)
  return chosen * (restored(g, p) / chosen:sum(p.dims, {keepdim = true}))
end
rules.max = {{"xop", extreme}}
rules.min = rules.max

-- ---- products ----

--- Returns the permutation that moves `dims` to the end, and the inverse permutation.
local function to_the_end(ndim, dims)
  local reduced, order, back = {}, {}, {}
  for _, d in ipairs(dims) do reduced[d] = true end
  for d = 1, ndim do if not reduced[d] then order[#order + 1] = d end end
  table.move(dims, 1, #dims, #order + 1, order)
  for i, d in ipairs(order) do back[d] = i end
  return order, back
end

--- Returns the exclusive prefix products of each row: element k of the result is the product of the row's elements
-- before element k.
local function before(lines)
  return lines:cumulative_prod(2, {include_initial = true}):narrow(2, 1, lines.shape[2])
end

--- The gradient of an element is g times the product of all other elements. This product is the exclusive prefix
-- product times the exclusive suffix product, so that zeros need no special case.
rules.prod = {{"xp", function(g, x, p)
  if x.size == 0 then return x:zeros_like() end
  local order, back = to_the_end(#p.shape, p.dims)
  local moved = x:permute_dims(order)
  local lines = moved:reshape(-1, count(p))
  local others = before(lines) * before(lines:flip(2)):flip(2)
  return restored(g, p) * conj(others:reshape(moved.shape):permute_dims(back))
end}}

-- ---- statistics ----

local function centred(x, p) return x - x:mean(p.dims, {keepdim = true}) end

rules.var = {{"xp", function(g, x, p) return restored(g, p) * centred(x, p) * (2 / (count(p) - p[1])) end}}

--- If all elements are equal, the standard deviation o is 0 and not differentiable. The gradient is then 0 instead of
-- NaN.
rules.std = {{"xop", function(g, x, o, p)
  local scale = where(o:equal(0), 0, g / o)
  return restored(scale, p) * centred(x, p) / (count(p) - p[1])
end}}

--- The gradient is g, the gradient of the result, times softmax(x), the share of each exp(x) in the sum. The
-- gradient is 0 if all elements are -inf.
rules.logsumexp = {{"xop", function(g, x, o, p)
  local finite = where(o:equal(-math.huge), 0, o)
  return restored(g, p) * (x - restored(finite, p)):exp()
end}}

-- ---- norms of real tensors ----

-- At 0, where norms are not differentiable, the gradient is 0.

rules.norm_1_ = {{"xp", function(g, x, p) return restored(g, p) * x:sign() end}}
rules.norm_2_ = {{"xop", function(g, x, o, p) return x * restored(where(o:equal(0), 0, g / o), p) end}}
rules.norm_max_ = {{"xop", function(g, x, o, p) return extreme(g, x:abs(), o, p) * x:sign() end}}
rules.norm_min_ = rules.norm_max_

return rules
