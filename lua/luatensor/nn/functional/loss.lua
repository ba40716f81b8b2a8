--- Losses that measure the distance of an input from a target, element by element. cross_entropy.lua has the losses
-- of classes.

local lt = require "luatensor"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local ranges = require "luatensor.base.ranges"
local reduction = require "luatensor.nn.functional.reduction"

local ag = core.autograd
local where = core.where
local functional = {}

-- ---- losses as expressions of x, y and one number a ----

local function compile(f, dtype)
  local names = ("%s x, %s y, %s a"):format(dtype, dtype, core.floats[dtype])
  local with_g = ("%s g, %s"):format(dtype, names)
  return {lt.elementwise(names, f.forward, dtype), lt.elementwise(with_g, f.x, dtype),
          lt.elementwise(with_g, f.y, dtype)}
end

--- Returns a function that computes a loss from tensors x and y and a number a. The graph's node keeps only these
-- arguments. `f` has expressions for lt.elementwise: `forward` is the loss, `x` and `y` are the gradients with
-- respect to x and y, with g as the gradient of the loss. Function `f.plain(x, y, a)` returns these gradients
-- without the factor g, as tensors that can be differentiated.
local function define(name, f)
  local by_dtype = {}
  local function compiled(dtype)
    by_dtype[dtype] = by_dtype[dtype] or compile(f, dtype)
    return by_dtype[dtype]
  end
  local function gradient(k)
    return function(g, x, y, a)
      if ag.mode() or g.dtype ~= x.dtype then
        local dx, dy = f.plain(x, y, a)
        return g * (k == 1 and dx or dy)
      end
      return compiled(x.dtype)[k + 1](g, x, y, a)
    end
  end
  local rule = ag.new_rule {name = name, {"xyz", gradient(1)}, {"xyz", gradient(2)}, false}
  return function(x, y, a)
    local losses = compiled(x.dtype)[1](x:detach(), y:detach(), a)
    if ag.mode() and (x.requires_grad or y.requires_grad) then ag.new_node(name, rule, {x, y, a}, {losses}) end
    return losses
  end
end

local function opposite(dx) return dx, -dx end

local mse = define("mse_loss", {
  forward = "(x - y) * (x - y)", x = "2 * (x - y) * g", y = "2 * (y - x) * g",
  plain = function(x, y) return opposite((x - y) * 2) end,
})

local l1 = define("l1_loss", {
  forward = "abs(x - y)", x = "g * sign(x - y)", y = "-g * sign(x - y)",
  plain = function(x, y) return opposite((x - y):sign()) end,
})

local smooth_l1 = define("smooth_l1_loss", {
  forward = "abs(x - y) < a ? 0.5 * (x - y) * (x - y) / a : abs(x - y) - 0.5 * a",
  x = "abs(x - y) < a ? g * (x - y) / a : g * sign(x - y)", y = "abs(x - y) < a ? g * (y - x) / a : g * sign(y - x)",
  plain = function(x, y, a)
    local d = x - y
    return opposite(where(d:abs():less(a), d / (a > 0 and a or 1), d:sign()))
  end,
})

local huber = define("huber_loss", {
  forward = "abs(x - y) <= a ? 0.5 * (x - y) * (x - y) : a * (abs(x - y) - 0.5 * a)",
  x = "abs(x - y) <= a ? g * (x - y) : g * a * sign(x - y)", y = "abs(x - y) <= a ? g * (y - x) : g * a * sign(y - x)",
  plain = function(x, y, a) return opposite((x - y):clip(-a, a)) end,
})

local bce = define("binary_cross_entropy", {
  forward = "-(y * maximum(log(x), -100) + (1 - y) * maximum(log1p(-x), -100))",
  x = "g * (x - y) / maximum(x * (1 - x), 1e-12)", y = "g * (maximum(log1p(-x), -100) - maximum(log(x), -100))",
  plain = function(x, y)
    return (x - y) / (x * (1 - x)):maximum(1e-12), (-x):log1p():maximum(-100) - x:log():maximum(-100)
  end,
})

local bce_with_logits = define("binary_cross_entropy_with_logits", {
  forward = "(1 - y) * x + softplus(-x)", x = "g * (sigmoid(x) - y)", y = "-g * x",
  plain = function(x, y) return x:sigmoid() - y, -x end,
})

local kl = define("kl_div", {
  forward = "(y == 0 ? y : y * log(y)) - y * x",           -- NaN for negative y
  x = "-g * y", y = "g * (log(y) + 1 - x)",
  plain = function(x, y) return -y, y:log() + 1 - x end,
})

local kl_of_logs = define("kl_div", {
  forward = "exp(y) * (y - x)", x = "-g * exp(y)", y = "g * exp(y) * (y - x + 1)",
  plain = function(x, y) return -y:exp(), y:exp() * (y - x + 1) end,
})

-- ---- public functions ----

--- Computes the squared difference (x - y)² of each pair of elements, and reduces the results.
-- @function nn.functional.mse_loss
-- @tparam tensor x
-- @tparam tensor y of the same shape
-- @tparam[opt] table options `reduction` ("mean"): "mean", "sum", "none"
-- @treturn tensor 0-d; with "none" in x's shape
function functional.mse_loss(x, y, options)
  x, y = reduction.pair("mse_loss", x, y)
  options = reduction.options("mse_loss", options, {reduction = true})
  return reduction.reduce(mse(x, y, 0), options.reduction)
end

--- Computes the absolute difference |x - y| of each pair of elements, and reduces the results.
-- @function nn.functional.l1_loss
-- @tparam tensor x
-- @tparam tensor y of the same shape
-- @tparam[opt] table options `reduction` ("mean"): "mean", "sum", "none"
-- @treturn tensor 0-d; with "none" in x's shape
function functional.l1_loss(x, y, options)
  x, y = reduction.pair("l1_loss", x, y)
  options = reduction.options("l1_loss", options, {reduction = true})
  return reduction.reduce(l1(x, y, 0), options.reduction)
end

local function not_negative(name, what, value, default)
  if value == nil then return default end
  if type(value) ~= "number" or value < 0 or value ~= value then
    blame.fail(name, "%s: a number that is not negative expected, got %s", what, value)
  end
  return value
end

--- Computes (x - y)² / (2 beta) if |x - y| < beta, else |x - y| - beta / 2, and reduces the results.
-- @function nn.functional.smooth_l1_loss
-- @tparam tensor x
-- @tparam tensor y of the same shape
-- @tparam[opt] table options `beta` (1), `reduction` ("mean")
-- @treturn tensor 0-d; with "none" in x's shape
function functional.smooth_l1_loss(x, y, options)
  x, y = reduction.pair("smooth_l1_loss", x, y)
  options = reduction.options("smooth_l1_loss", options, {reduction = true, beta = true})
  local beta = not_negative("smooth_l1_loss", "beta", options.beta, 1)
  return reduction.reduce(smooth_l1(x, y, beta), options.reduction)
end

--- Computes (x - y)² / 2 if |x - y| ≤ delta, else delta (|x - y| - delta / 2), and reduces the results.
-- @function nn.functional.huber_loss
-- @tparam tensor x
-- @tparam tensor y of the same shape
-- @tparam[opt] table options `delta` (1), `reduction` ("mean")
-- @treturn tensor 0-d; with "none" in x's shape
function functional.huber_loss(x, y, options)
  x, y = reduction.pair("huber_loss", x, y)
  options = reduction.options("huber_loss", options, {reduction = true, delta = true})
  local delta = not_negative("huber_loss", "delta", options.delta, 1)
  if delta == 0 then blame.fail("huber_loss", "delta: a positive number expected, got %s", delta) end
  return reduction.reduce(huber(x, y, delta), options.reduction)
end

local function weighed(name, losses, weight)
  if weight == nil then return losses end
  reduction.weight(name, "weight", weight, losses)
  return losses * weight
end

local probabilities = {
  low = 0, high = 1, except = 0 / 0,
  "probabilities from 0 to 1 expected; of numbers without limits take binary_cross_entropy_with_logits",
}

--- Computes -(y log x + (1 - y) log(1 - x)), with logarithms limited to at least -100, and reduces the results.
-- @function nn.functional.binary_cross_entropy
-- @tparam tensor x probabilities, from 0 to 1
-- @tparam tensor y numbers from 0 to 1, of the same shape
-- @tparam[opt] table options `weight`: the factors of the elements' losses, a tensor that broadcasts; `reduction`
--   ("mean")
-- @treturn tensor 0-d; with "none" in x's shape
-- @raise on the CPU, if an element of x is outside of [0, 1]
function functional.binary_cross_entropy(x, y, options)
  x, y = reduction.pair("binary_cross_entropy", x, y)
  options = reduction.options("binary_cross_entropy", options, {reduction = true, weight = true})
  ranges.check("binary_cross_entropy", x, probabilities)
  return reduction.reduce(weighed("binary_cross_entropy", bce(x, y, 0), options.weight), options.reduction)
end

--- Computes binary_cross_entropy of sigmoid(x), accurate for all x and without overflow.
-- @function nn.functional.binary_cross_entropy_with_logits
-- @tparam tensor x logits
-- @tparam tensor y numbers from 0 to 1, of the same shape
-- @tparam[opt] table options `weight` of each element and `pos_weight`, a factor of y: tensors that broadcast;
--   `reduction` ("mean")
-- @treturn tensor 0-d; with "none" in x's shape
function functional.binary_cross_entropy_with_logits(x, y, options)
  local name = "binary_cross_entropy_with_logits"
  x, y = reduction.pair(name, x, y)
  options = reduction.options(name, options, {reduction = true, weight = true, pos_weight = true})
  local losses
  if options.pos_weight ~= nil then
    reduction.weight(name, "pos_weight", options.pos_weight, x)
    losses = (1 - y) * x + (-x):softplus() * ((options.pos_weight - 1) * y + 1)
  else
    losses = bce_with_logits(x, y, 0)
  end
  return reduction.reduce(weighed(name, losses, options.weight), options.reduction)
end

--- Computes the Kullback–Leibler divergence y (log y - x) of each pair of elements, and reduces the results.
-- @function nn.functional.kl_div
-- @tparam tensor x log-probabilities
-- @tparam tensor y probabilities, of the same shape
-- @tparam[opt] table options `log_target` (false): y are log-probabilities, too; `reduction` ("mean"; "batchmean",
--   the sum divided by the length of dim 1, is the divergence itself)
-- @treturn tensor 0-d; with "none" in x's shape
function functional.kl_div(x, y, options)
  x, y = reduction.pair("kl_div", x, y)
  options = reduction.options("kl_div", options, {reduction = true, log_target = true}, "batchmean")
  local losses = (options.log_target and kl_of_logs or kl)(x, y, 0)
  if options.reduction ~= "batchmean" then return reduction.reduce(losses, options.reduction) end
  return reduction.reduce(losses, "sum") / (x.shape[1] or 1)
end

return functional
