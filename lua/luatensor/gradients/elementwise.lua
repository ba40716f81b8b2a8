--- Gradients of element-wise ops, by name. docs/adding-a-gradient.md says what the letters of a rule mean.

local core = require "luatensor.core"
local help = require "luatensor.gradients.help"

local ag = core.autograd
local conj, zero, same, where = help.conj, help.zero, help.same, core.where
local rules = {}

--- Adds a rule for an op of one input. df(value) returns the derivative. The letter selects the value: "x" is the op's
-- input, "o" is the op's result. `fused` is nil or a string: an expression of lt.elementwise for real numbers, which
-- multiplies g, the gradient of the result, by the derivative.
local function of(letter, name, df, fused)
  local function plain(g, x) return g * conj(df(x)) end
  rules[name] = {{letter, fused and help.fused(letter, fused, plain) or plain}}
end

--- Adds a rule for an op of one input. If all numbers are real and gradients are not recorded, the op <name>_back_ of
-- ops.def computes the gradient. Otherwise plain(g, x) computes the gradient.
local function by_row(letter, name, plain)
  local row = core.hidden[name .. "_back_"]
  rules[name] = {{letter, function(g, x)
    if ag.mode() or ag.is_complex(x) or ag.is_complex(g) then return plain(g, x) end
    return row(g, x)
  end}}
end

local function of_x(...) of("x", ...) end      -- df takes the op's input
local function of_o(...) of("o", ...) end      -- df takes the op's result

-- ---- arithmetic ----

rules.positive = {same}
rules.negative = {{"", function(g) return -g end}}
rules.add = {same, same}
rules.subtract = {same, {"", function(g) return -g end}}
rules.multiply = {{"y", function(g, y) return g * conj(y) end}, {"x", function(g, x) return g * conj(x) end}}
rules.divide = {{"y", function(g, y) return g / conj(y) end},
                {"xy", function(g, x, y) return -g * conj(x / y / y) end}}
rules.reciprocal = {{"o", function(g, o) return -g * conj(o * o) end}}
rules.square = {{"x", function(g, x) return 2 * g * conj(x) end}}
rules.conj = {{"", function(g) return g:conj() end}}
rules.abs = {{"x", function(g, x) return g * x:sign() end}}

--- Returns the gradient of x in x^y: g, the gradient of the result, times y x^(y - 1). The gradient is 0 if y is 0,
-- even if x^(y - 1) is not finite.
local function pow_x(g, x, y)
  if type(y) == "number" then return y == 0 and g:zeros_like() or g * conj(y * x ^ (y - 1)) end
  return where(y:equal(0), 0, g * conj(y * x ^ (y - 1)))
end

--- Returns the gradient of y in x^y: g, the gradient of the result o, times x^y log(x). The gradient is 0 if x is 0
-- and y is complex or not negative.
local function pow_y(g, x, y, o)
  local complex = type(y) ~= "number" and y.dtype:find "^complex"
  if type(x) == "number" then
    if x == 0 and not complex then return where(y:greater_equal(0), 0, g * -math.huge) end
    if x > 0 then return g * conj(o * math.log(x)) end
    x = core.full_like(y, x)
  end
  local known = x:equal(0)
  if type(y) == "number" then known = y >= 0 and known or known:zeros_like()
  elseif not complex then known = known:logical_and(y:greater_equal(0)) end
  return where(known, 0, g * conj(o * x:log()))
end
rules.pow = {{"xy", pow_x}, {"xyo", pow_y}}

local less, less_equal, equal = core.less, core.less_equal, core.equal
local both, either = core.logical_and, core.logical_or

local function is_number(x) return type(x) == "number" end

--- Returns the gradient of a in maximum(a, b). If elements of two tensors are equal, each gets half of the gradient.
-- If a or b is a Lua number, an equal element of the tensor gets gradient 0, as relu's input does at 0.
local function larger(g, a, b)
  local above = where(less(b, a), g, 0)
  return (is_number(a) or is_number(b)) and above or where(equal(a, b), g / 2, above)
end
local of_first = {"xy", larger}
local of_second = {"xy", function(g, x, y) return larger(g, y, x) end}
rules.maximum = {of_first, of_second}
rules.minimum = {of_second, of_first}

--- The gradient of x in clip(x, low, high). If x equals a limit that is a tensor, x and the limit get half of g each.
-- If low is greater than high, the result is high, so the gradient of x is 0.
local function clip_x(g, x, low, high)
  local on_limit = 0
  if not is_number(high) then on_limit = where(both(less(low, x), equal(x, high)), g / 2, 0) end
  if not is_number(low) then on_limit = where(both(equal(low, x), less(x, high)), g / 2, on_limit) end
  return where(both(less(low, x), less(x, high)), g, on_limit)
end
local function clip_low(g, x, low, high)
  local below = both(less(x, low), less_equal(low, high))
  return where(below, g, where(both(equal(x, low), less(low, high)), g / 2, 0))
end
local function clip_high(g, x, low, high)
  local above = either(less(high, x), less(high, low))
  return where(above, g, where(both(equal(x, high), less(low, high)), g / 2, 0))
end
rules.clip = {{"xyz", clip_x}, {"xyz", clip_low}, {"xyz", clip_high}}
rules.lerp = {
  {"z", function(g, z) return g * conj(1 - z) end},
  {"z", function(g, z) return g * conj(z) end},
  {"xy", function(g, x, y) return g * conj(y - x) end},
}
rules.where = {
  zero,
  {"x", function(g, x) return where(x, g, 0) end},
  {"x", function(g, x) return where(x, 0, g) end},
}

--- The sign of a complex x, x / |x|, does not depend on |x|, so the gradient has only the component perpendicular to
-- x. The rule does not keep the op's result, because scripts may change the result in place.
rules.sign = {{"x", function(g, x)
  if rawequal(conj(x), x) then return g:zeros_like() end
  local o = x:sign()
  return where(x:equal(0), 0, (g - o * (o:conj() * g):real()) / x:abs())
end}}
for name in ("floor ceil round trunc"):gmatch "%S+" do rules[name] = {zero} end

--- The remainder is x - floor(x / y) * y. The derivative of floor is 0 except at the steps of floor, so the gradient of
-- y is -g * floor(x / y).
rules.remainder = {same, {"xy", function(g, x, y) return -g * core.floor_divide(x, y) end}}
rules.floor_divide = {zero, zero}
rules.nextafter = {same, zero}                   -- the step from x to the result counts as a constant
rules.copysign = {{"xo", function(g, x, o) return where(core.equal(x, 0), 0, g * (o / x)) end}, zero}

-- ---- exponentials and logarithms ----

of_o("exp", function(o) return o end)
of_o("expm1", function(o) return o + 1 end)
of_x("log", function(x) return x:reciprocal() end, "g / x")
of_x("log1p", function(x) return (x + 1):reciprocal() end, "g / (1 + x)")
of_x("log2", function(x) return (x * math.log(2)):reciprocal() end)
of_x("log10", function(x) return (x * math.log(10)):reciprocal() end)
of_o("sqrt", function(o) return (o * 2):reciprocal() end, "g / (2 * o)")
of_o("rsqrt", function(o) return o ^ 3 * -0.5 end, "g * o * o * o * -0.5")

--- Returns the gradient of a in logaddexp(a, b): g, the gradient of the result, times exp(a) / (exp(a) + exp(b)). The
-- quotient is computed as sigmoid(a - b), which does not overflow.
local function share(g, a, b) return g * core.subtract(a, b):sigmoid() end
rules.fill_ = {help.zero}
rules.logaddexp = {{"xy", share}, {"xy", function(g, x, y) return share(g, y, x) end}}

-- ---- trigonometric and hyperbolic ----

--- Returns a / b, and 0 for elements of b that are 0.
local function ratio(a, b) return where(core.equal(b, 0), 0, core.divide(a, b)) end
local function of_hypot(g, x, o) return g * ratio(x, o) end
rules.hypot = {{"xo", of_hypot}, {"yo", of_hypot}}
rules.atan2 = {
  {"xy", function(g, x, y) return g * ratio(y, core.add(core.square(x), core.square(y))) end},
  {"xy", function(g, x, y) return -g * ratio(x, core.add(core.square(x), core.square(y))) end},
}

--- The gradient of a complex number's angle is perpendicular to the number, and 0 at the origin. The angle of real
-- numbers is piecewise constant, so its gradient is 0.
rules.angle = {{"x", function(g, x)
  if rawequal(conj(x), x) then return g:zeros_like() end
  local size = x:abs()
  local scale = ratio(g, size * size)
  return core.complex(-scale * x:imag(), scale * x:real())
end}}

of_x("sin", function(x) return x:cos() end)
of_x("cos", function(x) return -x:sin() end)
of_o("tan", function(o) return o * o + 1 end)
of_x("asin", function(x) return (1 - x * x):rsqrt() end)
of_x("acos", function(x) return -(1 - x * x):rsqrt() end)
of_x("atan", function(x) return (x * x + 1):reciprocal() end)
of_x("sinh", function(x) return x:cosh() end)
of_x("cosh", function(x) return x:sinh() end)
by_row("o", "tanh", function(g, o) return g * conj(1 - o * o) end)
of_x("asinh", function(x) return (x * x + 1):rsqrt() end)
of_x("acosh", function(x) return (x - 1):rsqrt() * (x + 1):rsqrt() end)
of_x("atanh", function(x) return (1 - x * x):reciprocal() end)

-- ---- special functions and activations ----

local root_2, root_pi, root_2pi = math.sqrt(2), math.sqrt(math.pi), math.sqrt(2 * math.pi)

of_x("erf", function(x) return (-x * x):exp() * (2 / root_pi) end)
of_x("erfc", function(x) return (-x * x):exp() * (-2 / root_pi) end)
by_row("o", "sigmoid", function(g, o) return g * conj(o * (1 - o)) end)
of_x("softplus", function(x) return x:sigmoid() end, "g * sigmoid(x)")
by_row("x", "silu", function(g, x)
  local s = x:sigmoid()
  return g * (s * (x * (1 - s) + 1))
end)
by_row("x", "gelu", function(g, x) return g * (((x / root_2):erf() + 1) / 2 + x * (x * x / -2):exp() / root_2pi) end)
by_row("o", "relu", function(g, o) return where(o:greater(0), g, 0) end)

return rules
