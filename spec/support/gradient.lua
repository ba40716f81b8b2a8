-- The oracle of gradients: approximates each derivative by central differences in float64, in plain Lua, and compares
-- it with the gradient of the backward pass.
local lt = require "luatensor"
require "spec.support.helpers"               -- selects the device under test

local gradient = {}

local function size_of(shape)
  local n = 1
  for _, length in ipairs(shape) do n = n * length end
  return n
end

local function is_complex(x) return x.dtype:find("^complex") ~= nil end

-- Returns n pseudo-random numbers in low … high, the same in every call with the same seed.
function gradient.values(n, low, high, seed)
  local list, state = {}, (seed or 1) * 2654435761 % 2 ^ 32 // 1 | 0
  for i = 1, n do
    state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
    list[i] = low + (high - low) * (state >> 8) / 2 ^ 24
  end
  return list
end

-- Returns a float64 tensor of pseudo-random numbers, or a complex128 tensor if `complex` is true.
function gradient.tensor(shape, low, high, seed, complex)
  local n = size_of(shape)
  local re = lt.tensor(gradient.values(n, low or -2, high or 2, seed), {dtype = "float64"}):reshape(shape)
  if not complex then return re end
  local im = lt.tensor(gradient.values(n, low or -2, high or 2, (seed or 1) + 77), {dtype = "float64"}):reshape(shape)
  return lt.complex(re, im)
end

-- ---- layouts ----
-- Functions that return the same elements in another memory layout.

gradient.layouts = {
  contiguous = function(x) return x:clone() end,
  transposed = function(x) return x.ndim >= 2 and x.mT:contiguous().mT or x:clone() end,
  reversed = function(x) return x:flip():contiguous():flip() end,
  sliced = function(x)
    if x.ndim == 0 then return lt.stack({x, x})[2] end
    local twice = lt.stack({x, lt.full_like(x, 0.5)}, x.ndim + 1):flatten(x.ndim, x.ndim + 1)
    local key = {}
    for d = 1, x.ndim - 1 do key[d] = {} end
    key[x.ndim] = {1, -1, 2}
    return x.size == 0 and x:clone() or twice[key]
  end,
}

-- ---- the oracle ----

-- Returns the elements of x as a flat list. A complex element becomes two numbers.
local function numbers(x)
  local list = {}
  local flat = is_complex(x) and lt.view_as_real(x:contiguous()):flatten() or x:flatten()
  for i, v in ipairs(flat:totable()) do list[i] = v end
  return list
end

local function from_numbers(list, like)
  local flat = lt.tensor(#list > 0 and list or {}, {dtype = "float64"})
  if is_complex(like) then flat = flat:reshape(-1, 2):view_as_complex() end
  return flat:reshape(like.shape)
end

-- Returns the weighted sum of fn's results, computed in plain Lua.
local function weighed(fn, inputs, weights)
  local results, total = {fn(table.unpack(inputs))}, 0.0
  for k, y in ipairs(results) do
    if weights[k] then
      for i, v in ipairs(numbers(y)) do total = total + v * weights[k][i] end
    end
  end
  return total
end

-- Returns the derivatives of `weighed` with respect to each number of input k. The derivatives are extrapolated from
-- the step lengths h and 2h (Richardson), so that their error is of order h^4.
local function differences(fn, inputs, k, weights)
  local list, derivatives = numbers(inputs[k]), {}
  local function at(i, step)
    local moved, others = {table.unpack(list)}, {table.unpack(inputs)}
    moved[i] = moved[i] + step
    others[k] = from_numbers(moved, inputs[k])
    return weighed(fn, others, weights)
  end
  for i = 1, #list do
    local h = 1e-3 * math.max(1, math.abs(list[i]))
    local wide = (at(i, 2 * h) - at(i, -2 * h)) / (4 * h)
    local narrow = (at(i, h) - at(i, -h)) / (2 * h)
    derivatives[i] = (4 * narrow - wide) / 3
  end
  return derivatives
end

local function is_differentiable(x) return lt.is_tensor(x) and (x.dtype == "float64" or x.dtype == "complex128") end

-- Returns pseudo-random weights for the results that can have a gradient: as lists of numbers, and as tensors. Both
-- tables are indexed by the number of the result.
local function choose_weights(results)
  local weights, tensors = {}, {}
  for k, y in ipairs(results) do
    if is_differentiable(y) then
      weights[k] = gradient.values(is_complex(y) and 2 * y.size or y.size, -1, 1, 40 + k)
      tensors[k] = from_numbers(weights[k], y)
    end
  end
  return weights, tensors
end

local function backward(results, tensors)
  for k, y in pairs(tensors) do
    if results[k].requires_grad then results[k]:backward(y, {retain_graph = true}) end
  end
end

local function leaves(inputs, layout)
  local made = {}
  for k, x in ipairs(inputs) do
    made[k] = is_differentiable(x) and layout(x):detach():requires_grad_() or x
  end
  return made
end

local function compare(name, k, expected, x, tolerance)
  local got = x.grad and numbers(x.grad) or {}
  for i, v in ipairs(expected) do
    local difference = math.abs((got[i] or 0) - v)
    if difference ~= difference or difference > tolerance * math.max(1, math.abs(v)) then
      error(("%s: argument %d, number %d: the gradient is %s, differences say %.9g"):format(name, k, i, tostring(got[i]), v), 3)
    end
  end
end

-- Runs fn and backward. Returns the arguments with their gradients, the weights of the results in the sum that
-- backward differentiated, and the results.
local function went_back(fn, inputs, options)
  local made = leaves(inputs, options.layout or gradient.layouts.contiguous)
  local results = {fn(table.unpack(made))}
  local weights, tensors = choose_weights(results)
  backward(results, tensors)
  return made, weights, results
end

-- Fails if the gradient of fn for one of its float64 and complex128 arguments differs from central differences.
-- options: layout, a function of gradient.layouts that is applied to each argument; tolerance (default 1e-7), absolute
-- for derivatives of magnitude up to 1, relative to greater derivatives.
function gradient.check(name, fn, inputs, options)
  options = options or {}
  local made, weights = went_back(fn, inputs, options)
  for k, x in ipairs(inputs) do
    if is_differentiable(x) then
      compare(name, k, differences(fn, inputs, k, weights), made[k], options.tolerance or 1e-7)
    end
  end
end

-- ---- derivatives along one direction ----
-- They need few calls of fn, whatever the number of elements is.

-- Returns a pseudo-random direction, a list of numbers, for each differentiated input.
local function directions(inputs)
  local list = {}
  for k, x in ipairs(inputs) do
    if is_differentiable(x) then list[k] = gradient.values(is_complex(x) and 2 * x.size or x.size, -1, 1, 90 + k) end
  end
  return list
end

-- Returns the inputs, moved by a step along the directions.
local function move(inputs, along, step)
  local moved = {table.unpack(inputs)}
  for k, direction in pairs(along) do
    local list = numbers(inputs[k])
    for i, v in ipairs(direction) do list[i] = list[i] + step * v end
    moved[k] = from_numbers(list, inputs[k])
  end
  return moved
end

-- Returns the derivative of fn along the directions, by the same extrapolation as `differences`.
local function difference_along(fn, inputs, along, weights)
  local h = 1e-3
  local function slope(step)
    return (weighed(fn, move(inputs, along, step), weights) - weighed(fn, move(inputs, along, -step), weights)) / (2 * step)
  end
  return (4 * slope(h) - slope(2 * h)) / 3
end

-- Returns the derivative along the directions from the gradients of the leaves `made`, and the sum of the magnitudes
-- of its terms.
local function gradient_along(made, along)
  local total, size = 0.0, 0.0
  for k, direction in pairs(along) do
    local got = made[k].grad and numbers(made[k].grad) or {}
    for i, v in ipairs(direction) do
      total = total + (got[i] or 0) * v
      size = size + math.abs((got[i] or 0) * v)
    end
  end
  return total, size
end

-- Fails if the derivative of fn along a direction of all float64 and complex128 arguments differs from central
-- differences. options: layout, as in gradient.check; tolerance (default 1e-7), relative to the sum of the magnitudes
-- of the derivative's terms if this sum is greater than 1. Returns the results of fn.
function gradient.check_along(name, fn, inputs, options)
  options = options or {}
  local made, weights, results = went_back(fn, inputs, options)
  local along = directions(inputs)
  local got, size = gradient_along(made, along)
  local expected = difference_along(fn, inputs, along, weights)
  local difference = math.abs(got - expected)
  if difference ~= difference or difference > (options.tolerance or 1e-7) * math.max(1, size, math.abs(expected)) then
    error(("%s: along a direction the gradient is %.9g, differences say %.9g"):format(name, got, expected), 2)
  end
  return results
end

-- Rounds the inputs to another dtype. Returns the rounded inputs, and the same numbers in the inputs' own dtypes.
local function rounded(inputs, dtype)
  local low, high = {}, {}
  for k, x in ipairs(inputs) do
    low[k], high[k] = x, x
    if is_differentiable(x) then
      low[k] = x:to(dtype)
      high[k] = low[k]:to(x.dtype)
    end
  end
  return low, high
end

-- Returns the gradients of fn in float64 and in a less precise dtype, for the same numbers. Each is a list of lists of
-- numbers. Returns nil if fn refuses the dtype.
local function gradients_in(fn, inputs, dtype)
  local low, high = rounded(inputs, dtype)
  if not pcall(fn, table.unpack(low)) then return nil end
  local lists = {}
  for n, side in ipairs {high, low} do
    local made, results = {}, nil
    for k, x in ipairs(side) do made[k] = is_differentiable(inputs[k]) and x:clone():requires_grad_() or x end
    results = {fn(table.unpack(made))}
    for k, y in ipairs(results) do
      if lt.is_tensor(y) and y.requires_grad then
        local values = gradient.values(is_complex(y) and 2 * y.size or y.size, -1, 1, 40 + k)
        local like = lt.zeros(y.shape, {dtype = is_complex(y) and "complex128" or "float64"})
        y:backward(from_numbers(values, like):to(dtype:find "complex" and not is_complex(y) and "float32" or
                                                 (is_complex(y) and "complex64" or dtype)):to(y.dtype), {retain_graph = true})
      end
    end
    lists[n] = {}
    for k, x in ipairs(made) do
      if is_differentiable(inputs[k]) then lists[n][k] = x.grad and numbers(x.grad:to(inputs[k].dtype)) or {} end
    end
  end
  return lists[1], lists[2]
end

-- Fails if a gradient in a dtype differs from the gradient in float64 by more than tolerance · max(1, the largest
-- magnitude of all gradients). Returns false if fn refuses the dtype, else true.
function gradient.check_dtype(name, fn, inputs, dtype, tolerance)
  local want, got = gradients_in(fn, inputs, dtype)
  if not want then return false end
  local largest = 1
  for _, list in pairs(want) do
    for _, v in ipairs(list) do largest = math.max(largest, math.abs(v)) end
  end
  for k, list in pairs(want) do
    for i, v in ipairs(list) do
      local difference = math.abs((got[k][i] or 0) - v)
      if difference ~= difference or difference > tolerance * largest then
        error(("%s in %s: argument %d, number %d: the gradient is %s, in float64 %.9g"):format(name, dtype, k, i,
              tostring(got[k][i]), v), 2)
      end
    end
  end
  return true
end

-- Returns the gradients of fn as a function of the same arguments, for checks of gradients of gradients.
function gradient.of(fn)
  return lt.grad(function(...)
    local results, total = {fn(...)}, 0
    local _, tensors = choose_weights(results)
    for k, weights in pairs(tensors) do
      total = total + (results[k] * (is_complex(weights) and weights:conj() or weights)):sum():real()
    end
    return total
  end)
end

return gradient
