--- Gradients of scans (cumulative sums, products and extremes) and of softmax, along one dim.

local core = require "luatensor.core"
local conj = require("luatensor.gradients.help").conj

local ag, where = core.autograd, core.where
local rules = {}

--- Returns g, the gradient of a scan's result, without the first element along the dim if option include_initial
-- added this element.
local function of_elements(g, p) return p.flag and g:narrow(p.dim, 2, p.shape[p.dim]) or g end

--- Returns the suffix sums of g along dim d: element k of the result is the sum of the elements k and later.
local function sum_from(g, d) return g:flip(d):cumulative_sum(d):flip(d) end

rules.cumulative_sum = {{"p", function(g, p) return sum_from(of_elements(g, p), p.dim) end}}

--- Returns t shifted along dim d: element k of the result is element k + step of t, or 0 beyond the end of t.
local function ahead(t, step, d)
  local rest = t:narrow(d, step + 1, t.shape[d] - step)
  return core.concat({rest, t:narrow(d, 1, step):zeros_like()}, d)
end

--- Returns the solution s of s[k] = g[k] + x[k + 1] s[k + 1] along dim d, where s is 0 beyond the end. Each pass
-- doubles the number of terms of the sums in s. So n elements need log2(n) passes, rounded up, and no divisions.
local function backward_recurrence(g, x, d)
  local s, factor, step = g, ahead(x, 1, d), 1
  while step < g.shape[d] do
    s = s + factor * ahead(s, step, d)
    factor, step = factor * ahead(factor, step, d), step * 2
  end
  return s
end

--- Returns the gradient of a cumulative product along dim d. The function does not divide, so that the gradient of this
-- gradient is correct even if x contains zeros. The gradient of an element is the product of the elements before it,
-- times the sum that backward_recurrence returns.
local function of_products(g, x, d)
  x = conj(x)
  local before = x:cumulative_prod(d, {include_initial = true}):narrow(d, 1, x.shape[d])
  return before * backward_recurrence(g, x, d)
end

--- From the first zero along the dim on, all products are 0, so elements after this zero have gradient 0. The
-- gradient of the first zero itself is computed from products with 1 in place of this zero.
rules.cumulative_prod = {{"xp", function(g, x, p)
  g = of_elements(g, p)
  if ag.mode() and x.size > 0 then return of_products(g, x, p.dim) end
  local is_zero = x:equal(0)
  local zeros = is_zero:to("int64"):cumulative_sum(p.dim)
  local first = is_zero:logical_and(zeros:equal(1))
  local before = zeros:equal(0)
  local with_first = sum_from(g * conj(where(first, 1, x):cumulative_prod(p.dim)), p.dim)
  local without = sum_from(g * conj(x:cumulative_prod(p.dim)), p.dim) / conj(where(before, x, 1))
  return where(before, without, where(first, with_first, 0))
end}}

--- The gradient of cumulative_max and cumulative_min. If several elements equal a result, the last of these elements
-- gets the whole gradient of the result.
local extreme = {{"xop", function(g, x, o, p)
  local shape = {}
  for d = 1, #p.shape do shape[d] = d == p.dim and p.shape[d] or 1 end
  local places = core.arange(1, shape[p.dim] + 1, {dtype = "int64", device = g.device}):reshape(shape)
  local chosen = where(x:equal(of_elements(o, p)), places, 1):cumulative_max(p.dim)
  return g:zeros_like():narrow(p.dim, 1, shape[p.dim]):scatter_add(p.dim, chosen, of_elements(g, p))
end}}
rules.cumulative_max, rules.cumulative_min = extreme, extreme

--- Returns the rule of a softmax. The rule computes the gradient in one fused pass if create_graph is not set, dim is
-- the last dim and both dtypes are equal. Otherwise the rule calls plain(g, o, dim).
local function of_softmax(logarithm, plain)
  return {{"op", function(g, o, p)
    if ag.mode() or p.dim ~= #p.shape or g.dtype ~= o.dtype then return plain(g, o, p.dim) end
    return core.softmax_back(g, o, logarithm)
  end}}
end

rules.softmax = of_softmax(false, function(g, o, dim)
  local product = g * o
  return product - o * product:sum(dim, {keepdim = true})
end)
rules.log_softmax = of_softmax(true, function(g, o, dim) return g - o:exp() * g:sum(dim, {keepdim = true}) end)

return rules
