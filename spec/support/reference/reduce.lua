-- Computes reductions, cumulative sums and softmax. Floats are added by Neumaier's compensated summation, so that sums
-- are exact to double precision or better.
local array = require "spec.support.reference.array"
local dtype = require "spec.support.reference.dtype"
local map = require "spec.support.reference.map"
local promotion = require "spec.support.reference.promotion"

local inf, nan = math.huge, 0.0 / 0.0

-- Returns the sum of a list by Neumaier's compensated summation, or the plain sum if the plain sum is infinite or NaN.
local function float_sum(list)
  local sum, rest, plain = 0.0, 0.0, 0.0
  if #list > 0 then sum, plain = -0.0, -0.0 end
  for _, x in ipairs(list) do
    local t = sum + x
    if math.abs(sum) >= math.abs(x) then rest = rest + ((sum - t) + x) else rest = rest + ((x - t) + sum) end
    sum, plain = t, plain + x
  end
  if plain ~= plain or math.abs(plain) == inf then return plain end
  return rest == 0 and sum or sum + rest
end

local function numbers(list)
  local out = {}
  for i, x in ipairs(list) do
    if x == true then x = 1 elseif x == false then x = 0 end
    out[i] = x
  end
  return out
end

local function as_doubles(list, name)
  local out = {}
  for i, x in ipairs(list) do out[i] = dtype.convert(x, name, "float64") end
  return out
end

local function truth(x) return x ~= 0 and x ~= false end

local function variance(list, name, correction)
  local values = as_doubles(list, name)
  local n = #values
  local mean = float_sum(values) / n
  local squares = {}
  for i, x in ipairs(values) do squares[i] = (x - mean) ^ 2 end
  local divisor = n - correction
  if divisor <= 0 then return nan end
  return float_sum(squares) / divisor
end

local function extreme(pick)
  return function(list, name)
    local t, best = dtype.info[name], list[1]
    if t.is_bool then
      local any, all = false, true
      for _, x in ipairs(list) do any, all = any or x, all and x end
      if pick == "maximum" then return any end
      return all
    end
    for i = 2, #list do best = map[pick].f(best, list[i], t) end
    return best
  end
end

-- Returns argmax (pick = "maximum") or argmin (pick = "minimum") of a list: a function that returns the 1-based
-- position of the first NaN, or else of the first extreme element.
local function position_of(pick)
  return function(list, name)
    local t, best = dtype.info[name], 1
    for i = 1, #list do
      local x, b = list[i], list[best]
      if t.is_bool then x, b = x and 1 or 0, b and 1 or 0 end
      if b ~= b then return best end
      local less = t.less or function(p, q) return p < q end
      if x ~= x or (pick == "maximum" and less(b, x)) or (pick == "minimum" and less(x, b)) then best = i end
    end
    return best
  end
end

local function logsumexp(list, name)
  local values, high = as_doubles(list, name), -inf
  for _, x in ipairs(values) do
    if x ~= x then return nan end
    high = math.max(high, x)
  end
  if high == inf or high == -inf then return high end
  local terms = {}
  for i, x in ipairs(values) do terms[i] = math.exp(x - high) end
  return high + math.log(float_sum(terms))
end

local function float_of(name)
  return dtype.info[name].is_float and name or promotion.default_float
end

local reductions = {
  sum = {of = promotion.accumulate, f = function(list, name)
    if dtype.info[name].is_float then return float_sum(list) end
    local sum = 0
    for _, x in ipairs(numbers(list)) do sum = sum + x end
    return sum
  end},
  prod = {of = promotion.accumulate, f = function(list, name)
    local product = dtype.info[name].is_float and 1.0 or 1
    for _, x in ipairs(numbers(list)) do product = product * x end
    return product
  end},
  max = {of = function(name) return name end, f = extreme "maximum", nonempty = true},
  min = {of = function(name) return name end, f = extreme "minimum", nonempty = true},
  mean = {of = float_of, f = function(list, name)
    return float_sum(as_doubles(list, name)) / #list
  end},
  var = {of = float_of, f = variance},
  std = {of = float_of, f = function(list, name, correction) return math.sqrt(variance(list, name, correction)) end},
  any = {of = function() return "bool" end, f = function(list)
    for _, x in ipairs(list) do if truth(x) then return true end end
    return false
  end},
  all = {of = function() return "bool" end, f = function(list)
    for _, x in ipairs(list) do if not truth(x) then return false end end
    return true
  end},
  count_nonzero = {of = function() return "int64" end, f = function(list)
    local n = 0
    for _, x in ipairs(list) do if truth(x) then n = n + 1 end end
    return n
  end},
  argmax = {of = function() return "int64" end, f = position_of "maximum", nonempty = true},
  argmin = {of = function() return "int64" end, f = position_of "minimum", nonempty = true},
  logsumexp = {of = float_of, f = logsumexp},
}

local reduce = {names = reductions}

-- True if reduction `name` raises an error for an empty list.
function reduce.needs_elements(name) return reductions[name].nonempty == true end

-- Reduces a over `dims` (list of 1-based dims; nil: all of them).
function reduce.reduce(name, a, dims, keepdim, correction)
  local rule, reduced, shape, outer = reductions[name], {}, {}, {}
  for d = 1, #a.shape do reduced[d] = dims == nil end
  for _, d in ipairs(dims or {}) do reduced[d < 0 and d + #a.shape + 1 or d] = true end
  for d, n in ipairs(a.shape) do
    outer[d] = reduced[d] and 1 or n
    if not reduced[d] then shape[#shape + 1] = n elseif keepdim then shape[#shape + 1] = 1 end
  end
  local lists, strides, n = {}, array.strides(outer), array.count(outer)
  for i = 1, n do lists[i] = {} end
  for position, index in array.indices(a.shape) do
    local at = 1
    for d = 1, #outer do if not reduced[d] then at = at + (index[d] - 1) * strides[d] end end
    local list = lists[at]
    list[#list + 1] = a.data[position]
  end
  local result, data = rule.of(a.dtype), {}
  for i = 1, n do data[i] = dtype.store(rule.f(lists[i], a.dtype, correction or 0), result) end
  return array.new(shape, result, data)
end

-- Returns an array of dtype `result` in which each fibre of a (the list of the elements along dim) is replaced by
-- f(fibre), a list of the same length.
local function along(a, dim, result, f)
  if dim < 0 then dim = dim + #a.shape + 1 end
  local order, back = {}, {}
  for d = 1, #a.shape do if d ~= dim then order[#order + 1] = d end end
  order[#order + 1] = dim
  for to, from in ipairs(order) do back[from] = to end
  local moved, n, data = array.permute(a, order), a.shape[dim], {}
  for start = 1, #moved.data, math.max(n, 1) do
    local out = f(table.move(moved.data, start, start + n - 1, 1, {}))
    for i = 1, n do data[start + i - 1] = dtype.store(out[i], result) end
  end
  return array.permute(array.new(moved.shape, result, data), back)
end

local function running(step)
  return function(a, dim)
    local result = promotion.accumulate(a.dtype)
    return along(a, dim, result, function(list)
      local out = numbers(list)
      for i = 2, #out do out[i] = step(out[i - 1], out[i]) end
      return out
    end)
  end
end

reduce.cumulative_sum = running(function(x, y) return x + y end)
reduce.cumulative_prod = running(function(x, y) return x * y end)

function reduce.log_softmax(a, dim)
  return along(a, dim, float_of(a.dtype), function(list)
    local total, out = logsumexp(list, a.dtype), as_doubles(list, a.dtype)
    for i, x in ipairs(out) do out[i] = x - total end
    return out
  end)
end

function reduce.softmax(a, dim)
  return along(a, dim, float_of(a.dtype), function(list)
    local total, out = logsumexp(list, a.dtype), as_doubles(list, a.dtype)
    for i, x in ipairs(out) do out[i] = math.exp(x - total) end
    return out
  end)
end

return reduce
