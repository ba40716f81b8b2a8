--- Activations as functions of lt.nn.functional.

local clocale = require "luatensor.base.clocale"
local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local pointwise = require "luatensor.nn.functional.pointwise"

local functional = {}
local where = core.where

-- ---- functions of the op table ----

local dtype_of = core.dtype_of

local function op(name, refused)
  local f, accepted = core[name], pointwise.accepted(refused)
  functional[name] = function(x)
    if not accepted[dtype_of(x)] then pointwise.check(name, x) end
    return f(x)
  end
end

--- Returns max(x, 0) for each element x.
-- @function nn.functional.relu
-- @tparam tensor x
-- @treturn tensor
op("relu", "bool, complex")

--- Returns x · sigmoid(x) for each element x.
-- @function nn.functional.silu
-- @tparam tensor x
-- @treturn tensor
op("silu", "complex")

--- Returns 1 / (1 + exp(-x)) for each element x.
-- @function nn.functional.sigmoid
-- @tparam tensor x
-- @treturn tensor
op("sigmoid", "")

--- Returns the hyperbolic tangent of each element.
-- @function nn.functional.tanh
-- @tparam tensor x
-- @treturn tensor
op("tanh", "")

-- ---- expressions ----

--- Returns a numeric option, or its default if the option is missing.
local function number(name, options, key, default)
  local value = options[key]
  if value == nil then return default end
  if type(value) ~= "number" then blame.fail(name, "option %s: number expected, got %s", key, core.type_name(value)) end
  return value
end

--- Adds function nn.functional.<name> of x and of options, computed by f(x, option, …). `keys` lists the one or two
-- options, each as {name, default}. If are_limits is true, the first option must not exceed the second.
local function with_options(name, keys, f, are_limits)
  local known = {}
  for _, key in ipairs(keys) do known[key[1]] = true end
  local first, second = keys[1], keys[2]
  local function check(caller, a, b)
    if are_limits and a > b then
      blame.fail(caller, "%s is above %s: %.14g and %.14g", first[1], second[1], a, b)
    end
  end
  pointwise.with_options[name] = {keys = keys, f = f, check = check}
  functional[name] = function(x, options)
    if options == nil then return f(x, first[2], second and second[2]) end
    args.options(name, options, known)
    local a = number(name, options, table.unpack(first))
    local b = second and number(name, options, table.unpack(second))
    check(name, a, b)
    return f(x, a, b)
  end
end

--- Returns x for elements of at least 0, and negative_slope · x for negative elements.
-- @function nn.functional.leaky_relu
-- @tparam tensor x
-- @tparam[opt] table options `negative_slope` (0.01)
-- @treturn tensor
with_options("leaky_relu", {{"negative_slope", 0.01}}, pointwise.define("leaky_relu", {
  numbers = {"a"}, rows = {core.hidden.leaky_relu_, core.hidden.leaky_relu_back_},
  plain = function(g, x, a) return where(x:greater(0), g, g * a) end,
}))

local clamp = {
  numbers = {"a", "b"}, rows = {core.clip, core.hidden.clip_back_},
  plain = function(g, x, a, b) return where(x:less_equal(a):logical_or(x:greater_equal(b)), 0, g) end,
}

--- Returns each element limited to at least min_val and at most max_val.
-- @function nn.functional.hardtanh
-- @tparam tensor x
-- @tparam[opt] table options `min_val` (-1), `max_val` (1; at least `min_val`)
-- @treturn tensor
with_options("hardtanh", {{"min_val", -1}, {"max_val", 1}}, pointwise.define("hardtanh", clamp), true)

local relu6 = pointwise.define("relu6", clamp)

--- Returns min(max(x, 0), 6) for each element x.
-- @function nn.functional.relu6
-- @tparam tensor x
-- @treturn tensor
function functional.relu6(x) return relu6(x, 0, 6) end

--- Returns x for elements of at least 0, and alpha (exp(x) - 1) for negative elements.
-- @function nn.functional.elu
-- @tparam tensor x
-- @tparam[opt] table options `alpha` (1)
-- @treturn tensor
with_options("elu", {{"alpha", 1}}, pointwise.define("elu", {
  numbers = {"a"}, forward = "x > 0 ? x : a * expm1(x)", backward = "x > 0 ? g : g * a * exp(x)",
  plain = function(g, x, a) return where(x:greater(0), g, g * a * x:minimum(0):exp()) end,
}))

--- Returns x for elements of at least 0, and alpha (exp(x / alpha) - 1) for negative elements.
-- @function nn.functional.celu
-- @tparam tensor x
-- @tparam[opt] table options `alpha` (1)
-- @treturn tensor
with_options("celu", {{"alpha", 1}}, pointwise.define("celu", {
  numbers = {"a"}, forward = "x > 0 ? x : a * expm1(x / a)", backward = "x > 0 ? g : g * exp(x / a)",
  plain = function(g, x, a) return where(x:greater(0), g, g * (x:minimum(0) / a):exp()) end,
}))

local selu_scale, selu_alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
local selu = pointwise.define("selu", {
  numbers = {"s", "a"}, forward = "x > 0 ? s * x : a * expm1(x)", backward = "x > 0 ? s * g : g * a * exp(x)",
  plain = function(g, x, s, a) return where(x:greater(0), g * s, g * a * x:minimum(0):exp()) end,
})

--- Returns scale · x for elements of at least 0, and scale · alpha (exp(x) - 1) for negative elements, with the
-- constants of self-normalising networks (Klambauer et al.).
-- @function nn.functional.selu
-- @tparam tensor x
-- @treturn tensor
function functional.selu(x) return selu(x, selu_scale, selu_scale * selu_alpha) end

local root = math.sqrt(2 / math.pi)
local tanh_gelu = clocale.format("tanh(%.17g * (x + 0.044715 * x * x * x))", root)
local gelu_by_tanh = pointwise.define("gelu", {
  forward = ("0.5 * x * (1 + %s)"):format(tanh_gelu),
  backward = clocale.format("g * 0.5 * (1 + %s) * (1 + x * (1 - %s) * (%.17g + %.17g * x * x))",
                            tanh_gelu, tanh_gelu, root, 3 * 0.044715 * root),
  plain = function(g, x)
    local t = ((x + x * x * x * 0.044715) * root):tanh()
    return g * 0.5 * (t + 1) * (x * (1 - t) * (x * x * (3 * 0.044715 * root) + root) + 1)
  end,
})

local gelu_accepted = pointwise.accepted "complex"

--- Returns x Φ(x) for each element x, where Φ is the cumulative normal distribution: x (1 + erf(x / √2)) / 2.
-- @function nn.functional.gelu
-- @tparam tensor x
-- @tparam[opt] table options `approximate` ("none"): "tanh" approximates erf by tanh(√(2/π) (x + 0.044715 x³))
-- @treturn tensor
function functional.gelu(x, options)
  if options == nil then
    if not gelu_accepted[dtype_of(x)] then pointwise.check("gelu", x) end
    return core.gelu(x)
  end
  local how = args.options("gelu", options, {approximate = true}).approximate or "none"
  if how == "tanh" then return gelu_by_tanh(x) end
  if how ~= "none" then blame.fail("gelu", "approximate: \"none\" or \"tanh\" expected, got %q", tostring(how)) end
  return functional.gelu(x)
end

--- Returns x · tanh(softplus(x)) for each element x.
-- @function nn.functional.mish
-- @tparam tensor x
-- @treturn tensor
functional.mish = pointwise.define("mish", {
  forward = "x * tanh(softplus(x))",
  backward = "g * (tanh(softplus(x)) + x * sigmoid(x) * (1 - tanh(softplus(x)) * tanh(softplus(x))))",
  plain = function(g, x)
    local t = x:softplus():tanh()
    return g * (t + x * x:sigmoid() * (1 - t * t))
  end,
})

--- Returns relu6(x + 3) / 6 for each element x, a piecewise linear sigmoid.
-- @function nn.functional.hardsigmoid
-- @tparam tensor x
-- @treturn tensor
functional.hardsigmoid = pointwise.define("hardsigmoid", {
  rows = {core.hidden.hardsigmoid_, core.hidden.hardsigmoid_back_},
  plain = function(g, x) return where(x:abs():less(3), g / 6, 0) end,
})

--- Returns x · hardsigmoid(x) for each element x.
-- @function nn.functional.hardswish
-- @tparam tensor x
-- @treturn tensor
functional.hardswish = pointwise.define("hardswish", {
  rows = {core.hidden.hardswish_, core.hidden.hardswish_back_},
  plain = function(g, x)
    return where(x:less_equal(-3), 0, where(x:less(3), g * (x / 3 + 0.5), g))
  end,
})

local scaled_softplus = pointwise.define("softplus", {
  numbers = {"a", "b"},
  forward = "x * a > b ? x : softplus(x * a) / a", backward = "x * a > b ? g : g * sigmoid(x * a)",
  plain = function(g, x, a, b) return where((x * a):greater(b), g, g * (x * a):sigmoid()) end,
})

-- Above 20, softplus(x) is x and its derivative is 1 for all floats of up to 32 bits, so the threshold changes nothing.
local function softplus(x, a, b)
  if a == 1 and b >= 20 and core.floats[dtype_of(x)] == "float32" then return core.softplus(x) end
  return scaled_softplus(x, a, b)
end

--- Returns log(1 + exp(beta x)) / beta for each element x, and x itself if beta x is above `threshold`.
-- @function nn.functional.softplus
-- @tparam tensor x
-- @tparam[opt] table options `beta` (1), `threshold` (20): the result is x if beta x is greater than this number
-- @treturn tensor
with_options("softplus", {{"beta", 1}, {"threshold", 20}}, softplus)

--- Returns x / (1 + |x|) for each element x.
-- @function nn.functional.softsign
-- @tparam tensor x
-- @treturn tensor
functional.softsign = pointwise.define("softsign", {
  forward = "x / (1 + abs(x))", backward = "g / ((1 + abs(x)) * (1 + abs(x)))",
  plain = function(g, x) return g / (x:abs() + 1):square() end,
})

--- Returns log(sigmoid(x)) for each element x. The result is accurate even if the sigmoid is nearly 0.
-- @function nn.functional.logsigmoid
-- @tparam tensor x
-- @treturn tensor
functional.logsigmoid = pointwise.define("logsigmoid", {
  forward = "-softplus(-x)", backward = "g * sigmoid(-x)",
  plain = function(g, x) return g * (-x):sigmoid() end,
})

local threshold = pointwise.define("threshold", {
  numbers = {"a", "b"}, forward = "x <= a ? b : x", backward = "x <= a ? 0 : g",
  plain = function(g, x, a) return where(x:less_equal(a), 0, g) end,
})

--- Returns a copy of x in which `value` replaces each element that is at most `limit`. NaN stays unchanged.
-- @function nn.functional.threshold
-- @tparam tensor x
-- @number limit elements above this number are unchanged
-- @number value the result for all other elements
-- @treturn tensor
function functional.threshold(x, limit, value)
  for i, v in ipairs {limit or false, value or false} do
    if type(v) ~= "number" then
      blame.fail("threshold", "argument %d: number expected, got %s", i + 1, v and core.type_name(v) or "nil")
    end
  end
  return threshold(x, limit, value)
end

--- Returns x for elements of at least 0, and weight · x for negative elements. The weight is learned.
-- @function nn.functional.prelu
-- @tparam tensor x [rows, channels, …]
-- @tparam tensor weight with one element, or with one element for each channel (dim 2)
-- @treturn tensor
function functional.prelu(x, weight)
  pointwise.check("prelu", x)
  pointwise.check("prelu", weight)
  if weight.size ~= 1 then
    local channels = x.ndim >= 2 and x.shape[2] or x.shape[1] or 1
    if weight.ndim ~= 1 or weight.size ~= channels then
      blame.fail("prelu", "one weight expected, or one for each of %d channels, got shape %s", channels,
                 args.shape_text(weight.shape))
    end
    local shape = {1, channels}
    for d = 3, x.ndim do shape[d] = 1 end
    weight = x.ndim >= 2 and weight:reshape(shape) or weight
  elseif weight.ndim > 0 then
    weight = weight:reshape({})
  end
  return where(x:greater(0), x, x * weight)
end

-- ---- along a dim ----

local along_options = {dim = true, dtype = true}

-- Returns the dim of a call, given by position or as an option, and the options for core's function. Checks x.
local function along(name, x, dim, options)
  pointwise.check(name, x)
  if args.is_options(dim) and options == nil then dim, options = nil, dim end
  options = args.options(name, options, along_options)
  if dim ~= nil and options.dim ~= nil then blame.fail(name, "dim is given twice") end
  dim = dim or options.dim or -1
  return args.line_dim(name, dim, x.ndim), options.dtype and {dtype = options.dtype}
end

--- Returns exp(x) / Σ exp(x) along a dim, without overflow.
-- @function nn.functional.softmax
-- @tparam tensor x
-- @tparam[opt=-1] int dim the dim of the sum
-- @tparam[opt] table options `dim`, `dtype` (x's) of the computation and the result
-- @treturn tensor
function functional.softmax(x, dim, options)
  dim, options = along("softmax", x, dim, options)
  return x:softmax(dim, options)
end

--- Returns log(softmax(x)) along a dim. The result is accurate even if softmax is nearly 0 or 1.
-- @function nn.functional.log_softmax
-- @tparam tensor x
-- @tparam[opt=-1] int dim the dim of the sum
-- @tparam[opt] table options `dim`, `dtype` (x's) of the result
-- @treturn tensor
function functional.log_softmax(x, dim, options)
  dim, options = along("log_softmax", x, dim, options)
  return x:log_softmax(dim, options)
end

--- Returns softmax(-x) along a dim.
-- @function nn.functional.softmin
-- @tparam tensor x
-- @tparam[opt=-1] int dim the dim of the sum
-- @tparam[opt] table options `dim`, `dtype` (x's) of the result
-- @treturn tensor
function functional.softmin(x, dim, options)
  dim, options = along("softmin", x, dim, options)
  return (-x):softmax(dim, options)
end

--- Returns a · sigmoid(b), where a and b are the two halves of x along a dim.
-- @function nn.functional.glu
-- @tparam tensor x has an even length in that dim
-- @tparam[opt=-1] int dim also option `dim`
-- @treturn tensor half as long as x in that dim
function functional.glu(x, dim)
  pointwise.check("glu", x)
  if x.ndim == 0 then blame.fail("glu", "a 0-d tensor has no halves") end
  dim = args.dim("glu", args.dim_option("glu", dim) or -1, x.ndim)
  local length = x.shape[dim]
  if length % 2 ~= 0 then blame.fail("glu", "dim %d has length %d, an even one expected", dim, length) end
  return x:narrow(dim, 1, length // 2) * x:narrow(dim, length // 2 + 1, length // 2):sigmoid()
end

return functional
