-- One row for each element-wise op of ops.def, with these fields:
-- - class: the class of dtypes for which the op is defined
-- - f: the function
-- - ulp: the allowed error of a device in ULPs of the result's dtype (0: exactly this value)
-- - tiny: an additional allowed error (see `row`)
-- - result: "BOOL", or "SAME" if the result has the dtype of the computation
-- - cancels: true if the error is relative to the larger operand (logaddexp)
--
-- f gets Lua numbers (bool: booleans), and the dtype info t as the last argument. Integers compute in int64, and the
-- caller wraps them. Floats compute in double, and the caller rounds them, so rows do not round. An op that is
-- defined by several rounded steps uses t.step(x), which rounds to the compute type.
local special = require "spec.support.reference.special"

local inf, nan = math.huge, 0.0 / 0.0
local rows = {}

-- The allowed error of functions whose zero results may have either sign: any number above 0 allows both signs.
local any_zero = 0.001

-- Defines op `name`. `ulp` is the allowed error (default 0: exact). `tiny` is an additional allowed error, as a
-- multiple of the least subnormal number, for ops of two steps whose first step may have a subnormal result.
local function row(name, class, f, ulp, tiny)
  rows[name] = {class = class, f = f, ulp = ulp or 0, tiny = tiny or 0, result = "SAME"}
end

local function test(name, class, f)
  rows[name] = {class = class, f = f, ulp = 0, tiny = 0, result = "BOOL"}
end

local function truth(x) return x ~= 0 and x ~= false end
local function is_negative(x) return x < 0 or (x == 0 and 1 / x < 0) end

-- Returns a function that calls on_integer for integer dtypes and on_float for all others. The dtype info is the last
-- argument.
local function either(on_integer, on_float)
  return function(...)
    local t = select(select("#", ...), ...)
    return (t.is_integer and on_integer or on_float)(...)
  end
end

local function unsigned_division(x, y)
  if y < 0 then return math.ult(x, y) and 0 or 1 end
  if x >= 0 then return x // y end
  local q = ((x >> 1) // y) << 1
  if not math.ult(x - q * y, y) then q = q + 1 end
  return q
end

-- arithmetic
row("positive", "ANY", function(x) return x end)
row("negative", "NUMERIC", function(x) return -x end)
row("abs", "NUMERIC", either(
  function(x, t) return (t.kind == "int" and x < 0) and -x or x end,
  function(x) return math.abs(x) end))
row("sign", "NUMERIC", function(x, t)
  if t.is_integer then return x == 0 and 0 or (t.kind == "int" and x < 0) and -1 or 1 end
  if x ~= x then return x end
  return x > 0 and 1.0 or x < 0 and -1.0 or 0.0
end)
row("square", "NUMERIC", function(x) return x * x end)
row("conj", "NUMERIC", function(x) return x end)
row("angle", "FLOAT", function(x) return x ~= x and x or x < 0 and math.pi or 0.0 end, 1)
row("reciprocal", "FLOAT", function(x) return 1 / x end)
row("add", "NUMERIC", function(x, y) return x + y end)
row("subtract", "NUMERIC", function(x, y) return x - y end)
row("multiply", "NUMERIC", function(x, y) return x * y end)
row("divide", "FLOAT", function(x, y) return x / y end)

row("floor_divide", "REALS", either(
  function(x, y, t)
    if y == 0 then return 0 end
    if t.name == "uint64" then return unsigned_division(x, y) end
    return x // y
  end,
  function(x, y)                       -- floor of the exact quotient: 1 // 0.1 is 9, and -1 // inf is -0
    if y == 0 or x ~= x or y ~= y or math.abs(x) == inf or math.abs(y) == inf then return x / y end
    if math.abs(x / y) >= 2.0 ^ 53 then return x / y end
    local m = math.fmod(x, y)
    local q = (x - m) / y                        -- an integer except for rounding
    local whole = math.abs(q) < 2.0 ^ 52 and math.floor(q + 0.5) + 0.0 or q
    if m ~= 0 and (m < 0) ~= (y < 0) then whole = whole - 1 end
    return whole == 0 and x / y * 0.0 or whole
  end))

row("remainder", "REALS", either(
  function(x, y, t)
    if y == 0 then return 0 end
    if t.name == "uint64" then return x - unsigned_division(x, y) * y end
    return x % y
  end,
  function(x, y)
    if y == 0 or x ~= x or y ~= y or x == inf or x == -inf then return nan end
    local m = math.fmod(x, y)
    if m == 0 then return is_negative(y) and -0.0 or 0.0 end
    if (m < 0) ~= (y < 0) then m = m + y end
    return m
  end))

row("pow", "NUMERIC", either(
  function(x, y, t)
    if t.kind == "int" and y < 0 then
      if x == 1 then return 1 elseif x == -1 then return y & 1 == 0 and 1 or -1 end
      return 0
    end
    local result = 1
    while y ~= 0 do
      if y & 1 == 1 then result = result * x end
      x, y = x * x, y >> 1
    end
    return result
  end,
  function(x, y) return x ^ y end), 2)

local function larger(x, y, t)
  if t.is_float then
    if x ~= x or y ~= y then return nan end
    if x == 0 and y == 0 then return is_negative(x) and y or x end
  end
  return t.less(x, y) and y or x
end

local function smaller(x, y, t)
  if t.is_float then
    if x ~= x or y ~= y then return nan end
    if x == 0 and y == 0 then return is_negative(x) and x or y end
  end
  return t.less(y, x) and y or x
end

row("maximum", "REALS", larger, any_zero)
row("minimum", "REALS", smaller, any_zero)
row("atan2", "REALFLOAT", function(x, y) return math.atan(x, y) end, 2)
row("hypot", "REALFLOAT", special.hypot, 2)
row("copysign", "REALFLOAT", function(x, y)
  local s = string.unpack("<i8", string.pack("<d", y)) < 0
  return s and -math.abs(x) or math.abs(x)
end)
row("nextafter", "REALFLOAT", function(x, y, t)
  if x ~= x or y ~= y then return nan end
  if x == y then return y end
  if x == 0 then return y > 0 and t.smallest or -t.smallest end
  local size = math.abs(x)
  if size == inf then size = t.max
  elseif (x < y) == (x > 0) then size = size + t.ulp(x)
  else size = size - t.ulp(size - t.ulp(x)) end
  return x < 0 and -size or size
end)
row("logaddexp", "REALFLOAT", special.logaddexp, 3)
rows.logaddexp.cancels = true         -- max + log1p(…) may cancel, so the error is relative to the larger operand
row("clip", "REALS", function(x, low, high, t) return smaller(larger(x, low, t), high, t) end, any_zero)
row("lerp", "REALFLOAT", function(x, y, z, t) return x + t.step(z * t.step(y - x)) end)
row("where", "ANY", function(x, y, z) if truth(x) then return y end return z end)

-- rounding
local function rounding(name, f)
  row(name, "REALS", either(function(x) return x end, function(x)
    if x ~= x or math.abs(x) >= 2.0 ^ 52 then return x end
    local y = f(x) + 0.0
    if y == 0 then return is_negative(x) and -0.0 or 0.0 end
    return y
  end))
end

rounding("ceil", math.ceil)
rounding("floor", math.floor)
rounding("trunc", function(x) return x < 0 and math.ceil(x) or math.floor(x) end)
rounding("round", function(x)
  local low = math.floor(x)
  local part = x - low
  if part > 0.5 or (part == 0.5 and low % 2 == 1) then return low + 1 end
  return low
end)

-- exponentials and logarithms
local function log(f)
  return function(x) if x < 0 then return nan end return f(x) end
end

row("exp", "FLOAT", math.exp, 2)
row("expm1", "FLOAT", special.expm1, 2)
row("log", "FLOAT", log(function(x) return math.log(x) end), 2)
row("log1p", "FLOAT", special.log1p, 2)
row("log2", "FLOAT", log(function(x) return math.log(x, 2) end), 2)
row("log10", "FLOAT", log(function(x) return math.log(x, 10) end), 2)
row("sqrt", "FLOAT", function(x) if x < 0 then return nan end return math.sqrt(x) end)
row("rsqrt", "FLOAT", function(x) if x < 0 then return nan end return 1 / math.sqrt(x) end, 2)

-- trigonometric and hyperbolic
for _, name in ipairs {"sin", "cos", "tan", "asin", "acos"} do
  row(name, "FLOAT", function(x) return math[name](x) end, 2)
end
row("atan", "FLOAT", function(x) return math.atan(x) end, 2)
for _, name in ipairs {"sinh", "cosh", "tanh", "asinh", "acosh", "atanh"} do
  row(name, "FLOAT", special[name], 2)
end

-- special functions and activations
row("erf", "REALFLOAT", special.erf, 2)
row("erfc", "REALFLOAT", special.erfc, 3)
row("sigmoid", "FLOAT", special.sigmoid, 3)
row("relu", "REALS", function(x, t) return larger(x, t.is_integer and 0 or 0.0, t) end, any_zero)
row("gelu", "REALFLOAT", special.gelu, 4)
row("silu", "REALFLOAT", function(x) return x * special.sigmoid(x) end, 4, 1000)
row("softplus", "REALFLOAT", function(x) return special.logaddexp(x, 0.0) end, 3)

-- operations on bits, which are logical operations for bool
row("bitwise_invert", "BITS", function(x, t) if t.is_bool then return not x end return ~x end)
row("bitwise_and", "BITS", function(x, y, t) if t.is_bool then return x and y end return x & y end)
row("bitwise_or", "BITS", function(x, y, t) if t.is_bool then return x or y end return x | y end)
row("bitwise_xor", "BITS", function(x, y, t) if t.is_bool then return x ~= y end return x ~ y end)

-- x << y for any y. x is already wrapped to its dtype, so that >> shifts in copies of the sign bit, or zeros.
local function shift_left(x, y, t)
  if t.name == "uint64" and y < 0 then return 0 end
  if y < 0 then
    if t.kind == "uint" then return y <= -t.bits and 0 or x >> -y end
    if y <= -63 then return x < 0 and -1 or 0 end
    return x // (1 << -y)
  end
  return y >= t.bits and 0 or x << y
end

row("bitwise_left_shift", "INTEGER", shift_left)
row("bitwise_right_shift", "INTEGER", function(x, y, t)
  if t.kind == "uint" then return (y < 0 or y >= t.bits) and 0 or x >> y end
  if y == math.mininteger then return 0 end
  return shift_left(x, -y, t)
end)

-- comparisons and logic
test("equal", "ANY", function(x, y) return x == y end)
test("not_equal", "ANY", function(x, y) return x ~= y end)
test("less", "REALS", function(x, y, t) return t.less(x, y) end)
test("less_equal", "REALS", function(x, y, t) return x == y or t.less(x, y) end)
test("greater", "REALS", function(x, y, t) return t.less(y, x) end)
test("greater_equal", "REALS", function(x, y, t) return x == y or t.less(y, x) end)
test("logical_not", "ANY", function(x) return not truth(x) end)
test("logical_and", "ANY", function(x, y) return truth(x) and truth(y) end)
test("logical_or", "ANY", function(x, y) return truth(x) or truth(y) end)
test("logical_xor", "ANY", function(x, y) return truth(x) ~= truth(y) end)
test("isnan", "ANY", function(x) return x ~= x end)
test("isinf", "ANY", function(x) return x == inf or x == -inf end)
test("isfinite", "ANY", function(x) return x == x and x ~= inf and x ~= -inf end)
test("signbit", "REALFLOAT", function(x) return string.unpack("<i8", string.pack("<d", x)) < 0 end)
test("isclose", "REALFLOAT", function(x, y, rtol, atol, t)
  local off = t.step(math.abs(x - y))
  return x == y or (off < inf and math.abs(y) < inf and off <= t.step(atol + t.step(rtol * math.abs(y))))
end)

return rows
