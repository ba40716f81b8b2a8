-- Special cases of functions of complex numbers, as the array API standard 2025.12 words them; see special_real.lua.
--
--   a , b -> c , d      of a + ib the result is c + id; a second operand comes after ";"
--
-- In a result, a and b are the parts of the first operand. "±" before a result means that either sign is right, and so
-- is either sign of "0". If the standard names only the upper half plane, f(conj z) = conj f(z) gives the lower one.
-- For the odd and even functions below, f(-z) = -f(z) or f(z) gives the left half plane.

local cases = {}

cases.exp = [[
  ±0 , +0 -> 1 , +0
  finite , +inf -> NaN , NaN
  finite , NaN -> NaN , NaN
  +inf , +0 -> +inf , +0
  -inf , finite -> 0*cos b , 0*sin b
  +inf , nonzero -> inf*cos b , inf*sin b
  -inf , +inf -> 0 , 0
  +inf , +inf -> ±inf , NaN
  -inf , NaN -> 0 , 0
  +inf , NaN -> ±inf , NaN
  NaN , +0 -> NaN , +0
  NaN , not 0 -> NaN , NaN
  NaN , NaN -> NaN , NaN
]]

cases.expm1 = [[
  ±0 , +0 -> 0 , +0
  finite , +inf -> NaN , NaN
  finite , NaN -> NaN , NaN
  +inf , +0 -> +inf , +0
  -inf , finite -> -1 , 0*sin b
  +inf , nonzero -> inf*cos b , inf*sin b
  -inf , +inf -> -1 , 0
  +inf , +inf -> ±inf , NaN
  -inf , NaN -> -1 , 0
  +inf , NaN -> ±inf , NaN
  NaN , +0 -> NaN , +0
  NaN , not 0 -> NaN , NaN
  NaN , NaN -> NaN , NaN
]]

cases.log = [[
  -0 , +0 -> -inf , pi
  +0 , +0 -> -inf , +0
  finite , +inf -> +inf , pi/2
  finite , NaN -> NaN , NaN
  -inf , positive -> +inf , pi
  +inf , positive -> +inf , +0
  -inf , +inf -> +inf , 3pi/4
  +inf , +inf -> +inf , pi/4
  ±inf , NaN -> +inf , NaN
  NaN , finite -> NaN , NaN
  NaN , +inf -> +inf , NaN
  NaN , NaN -> NaN , NaN
]]

cases.log1p = [[
  -1 , +0 -> -inf , +0
  finite , +inf -> +inf , pi/2
  finite , NaN -> NaN , NaN
  -inf , positive -> +inf , pi
  +inf , positive -> +inf , +0
  -inf , +inf -> +inf , 3pi/4
  +inf , +inf -> +inf , pi/4
  ±inf , NaN -> +inf , NaN
  NaN , finite -> NaN , NaN
  NaN , +inf -> +inf , NaN
  NaN , NaN -> NaN , NaN
]]

cases.sqrt = [[
  ±0 , +0 -> +0 , +0
  any , +inf -> +inf , +inf
  finite , NaN -> NaN , NaN
  -inf , positive -> +0 , +inf
  +inf , positive -> +inf , +0
  -inf , NaN -> NaN , ±inf
  +inf , NaN -> +inf , NaN
  NaN , finite -> NaN , NaN
  NaN , NaN -> NaN , NaN
]]

cases.sinh = [[
  +0 , +0 -> +0 , +0
  +0 , +inf -> 0 , NaN
  +0 , NaN -> 0 , NaN
  positive , +inf -> NaN , NaN
  positive , NaN -> NaN , NaN
  +inf , +0 -> +inf , +0
  +inf , positive -> inf*cos b , inf*sin b
  +inf , +inf -> ±inf , NaN
  +inf , NaN -> ±inf , NaN
  NaN , +0 -> NaN , +0
  NaN , nonzero -> NaN , NaN
  NaN , NaN -> NaN , NaN
]]

cases.cosh = [[
  +0 , +0 -> 1 , +0
  +0 , +inf -> NaN , 0
  +0 , NaN -> NaN , 0
  nonzero , +inf -> NaN , NaN
  nonzero , NaN -> NaN , NaN
  +inf , +0 -> +inf , +0
  +inf , nonzero -> inf*cos b , inf*sin b
  +inf , +inf -> ±inf , NaN
  +inf , NaN -> +inf , NaN
  NaN , ±0 -> NaN , 0
  NaN , nonzero -> NaN , NaN
  NaN , NaN -> NaN , NaN
]]

cases.tanh = [[
  +0 , +0 -> +0 , +0
  nonzero , +inf -> NaN , NaN
  +0 , +inf -> +0 , NaN
  nonzero , NaN -> NaN , NaN
  +0 , NaN -> +0 , NaN
  +inf , positive -> 1 , 0
  +inf , +inf -> 1 , 0
  +inf , NaN -> 1 , 0
  NaN , +0 -> NaN , +0
  NaN , nonzero -> NaN , NaN
  NaN , NaN -> NaN , NaN
]]

cases.acos = [[
  ±0 , +0 -> pi/2 , -0
  ±0 , NaN -> pi/2 , NaN
  finite , +inf -> pi/2 , -inf
  nonzero , NaN -> NaN , NaN
  -inf , positive -> pi , -inf
  +inf , positive -> +0 , -inf
  -inf , +inf -> 3pi/4 , -inf
  +inf , +inf -> pi/4 , -inf
  ±inf , NaN -> NaN , ±inf
  NaN , finite -> NaN , NaN
  NaN , +inf -> NaN , -inf
  NaN , NaN -> NaN , NaN
]]

cases.acosh = [[
  ±0 , +0 -> +0 , pi/2
  finite , +inf -> +inf , pi/2
  nonzero , NaN -> NaN , NaN
  +0 , NaN -> NaN , ±pi/2
  -inf , positive -> +inf , pi
  +inf , positive -> +inf , +0
  -inf , +inf -> +inf , 3pi/4
  +inf , +inf -> +inf , pi/4
  ±inf , NaN -> +inf , NaN
  NaN , finite -> NaN , NaN
  NaN , +inf -> +inf , NaN
  NaN , NaN -> NaN , NaN
]]

cases.asinh = [[
  +0 , +0 -> +0 , +0
  positive , +inf -> +inf , pi/2
  finite , NaN -> NaN , NaN
  +inf , positive -> +inf , +0
  +inf , +inf -> +inf , pi/4
  +inf , NaN -> +inf , NaN
  NaN , +0 -> NaN , +0
  NaN , nonzero -> NaN , NaN
  NaN , +inf -> ±inf , NaN
  NaN , NaN -> NaN , NaN
]]

cases.atanh = [[
  +0 , +0 -> +0 , +0
  +0 , NaN -> +0 , NaN
  1 , +0 -> +inf , +0
  positive , +inf -> +0 , pi/2
  nonzero , NaN -> NaN , NaN
  +inf , positive -> +0 , pi/2
  +inf , +inf -> +0 , pi/2
  +inf , NaN -> +0 , NaN
  NaN , finite -> NaN , NaN
  NaN , +inf -> 0 , pi/2
  NaN , NaN -> NaN , NaN
]]

cases.abs = [[
  ±inf , any -> +inf
  any , ±inf -> +inf
  ±0 , any -> |b|
  any , ±0 -> |a|
  NaN , finite -> NaN
  finite , NaN -> NaN
  NaN , NaN -> NaN
  3 , 4 -> 5
  half largest , half largest -> largest/sqrt(2)
  least , least -> least
]]

-- not in the standard: the angle is atan2(b, a)
cases.angle = [[
  NaN , any -> NaN
  any , NaN -> NaN
  > 0 , +0 -> +0
  +0 , +0 -> +0
  -0 , +0 -> pi
  < 0 , +0 -> pi
  finite , +inf -> pi/2
  +inf , +inf -> pi/4
  -inf , +inf -> 3pi/4
]]

cases.positive = "any , any -> a , b\n"
cases.negative = "any , any -> -a , -b\n"
cases.conj = "any , any -> a , -b\n"

cases.round = [[
  NaN , NaN -> NaN , NaN
  ±inf , ±inf -> a , b
  integral , integral -> a , b
  0.5 , 1.5 -> +0 , 2
  -0.5 , 2.5 -> -0 , 2
  below 0.5 , above 0.5 -> +0 , 1
]]

cases.sign = [[
  ±0 , ±0 -> 0 , 0
  NaN , any -> NaN , NaN
  any , NaN -> NaN , NaN
  positive , +0 -> 1 , +0
  negative , +0 -> -1 , +0
  +0 , positive -> +0 , 1
]]

cases.reciprocal = [[
  NaN , NaN -> NaN , NaN
  1 , +0 -> 1 , 0
  +0 , 1 -> 0 , -1
  2 , +0 -> 0.5 , 0
]]

-- The standard leaves most results of these functions open. Only NaN in both parts, and finite numbers, are tested.
cases.multiply = [[
  NaN , NaN ; NaN , NaN -> NaN , NaN
  1 , 2 ; 3 , 4 -> -5 , 10
]]
cases.square = [[
  NaN , NaN -> NaN , NaN
  3 , 4 -> -7 , 24
]]
cases.divide = [[
  NaN , NaN ; NaN , NaN -> NaN , NaN
  -5 , 10 ; 3 , 4 -> 1 , 2
  largest , largest ; largest , largest -> 1 , 0
  least , least ; least , least -> 1 , 0
]]

-- each part of the result is the result of the real function for the same parts of the operands
cases.add = [[
  NaN , finite ; finite , +inf -> NaN , +inf
  +inf , -inf ; -inf , -inf -> NaN , -inf
  -0 , +0 ; -0 , -0 -> -0 , +0
  -0 , -0 ; -0 , -0 -> -0 , -0
  +0 , -0 ; -0 , +0 -> +0 , +0
  nonzero , nonzero ; ±0 , ±0 -> a , b
]]
cases.subtract = [[
  NaN , finite ; finite , +inf -> NaN , -inf
  +inf , -inf ; +inf , +inf -> NaN , -inf
  -0 , +0 ; +0 , +0 -> -0 , +0
  +0 , -0 ; +0 , +0 -> +0 , -0
  nonzero , nonzero ; ±0 , ±0 -> a , b
]]

-- The cases of pow are not in the standard. The standard also allows exp(w log z), which gives NaN for powers of 0.
cases.pow = [[
  finite , finite ; +0 , +0 -> 1 , 0
  +0 , +0 ; positive , +0 -> 0 , 0
  NaN , NaN ; 1 , 1 -> NaN , NaN
  1 , 1 ; NaN , NaN -> NaN , NaN
]]

-- not in the standard: x + z (y - x)
cases.lerp = [[
  NaN , NaN ; 1 , 1 ; 1 , 1 -> NaN , NaN
  1 , 1 ; NaN , NaN ; 1 , 1 -> NaN , NaN
  1 , 1 ; 1 , 1 ; NaN , NaN -> NaN , NaN
  1 , 2 ; 3 , 6 ; 0.5 , +0 -> 2 , 4
  1 , 2 ; 3 , 6 ; +0 , 0.5 -> -1 , 3
]]

cases.equal = [[
  NaN , any ; 1 , 1 -> false
  1 , 1 ; any , NaN -> false
  ±0 , ±0 ; ±0 , ±0 -> true
  +inf , -inf ; +inf , -inf -> true
  +inf , -inf ; +inf , +inf -> false
  1 , 2 ; 1 , 2 -> true
  1 , 2 ; 1 , 3 -> false
  2 , 1 ; 3 , 1 -> false
]]
cases.not_equal = cases.equal:gsub("true", "_"):gsub("false", "true"):gsub("_", "false")

cases.isnan = [[
  NaN , any -> true
  any , NaN -> true
  not NaN , not NaN -> false
]]
cases.isinf = [[
  ±inf , any -> true
  any , ±inf -> true
  finite , finite -> false
  finite , NaN -> false
  NaN , finite -> false
  NaN , NaN -> false
]]
cases.isfinite = [[
  NaN , any -> false
  any , NaN -> false
  ±inf , any -> false
  any , ±inf -> false
  finite , finite -> true
]]

cases.logical_not = [[
  ±0 , ±0 -> true
  not 0 , any -> false
  any , not 0 -> false
]]
cases.logical_and = [[
  ±0 , ±0 ; 1 , 1 -> false
  +0 , not 0 ; not 0 , +0 -> true
]]
cases.logical_or = [[
  ±0 , ±0 ; ±0 , ±0 -> false
  ±0 , ±0 ; +0 , not 0 -> true
  not 0 , +0 ; ±0 , ±0 -> true
]]
cases.logical_xor = [[
  ±0 , ±0 ; ±0 , ±0 -> false
  +0 , not 0 ; not 0 , +0 -> false
  ±0 , ±0 ; not 0 , +0 -> true
]]

-- the operands are x, y, rtol and atol
cases.isclose = [[
  NaN , any ; 1 , 1 ; 1 , 0 ; 1 , 0 -> false
  1 , 1 ; any , NaN ; 1 , 0 ; 1 , 0 -> false
  +inf , 1 ; +inf , 1 ; +0 , +0 ; +0 , +0 -> true
  +inf , 1 ; -inf , 1 ; 1 , +0 ; 1 , +0 -> false
  1 , 1 ; 1 , 1 ; +0 , +0 ; +0 , +0 -> true
]]

-- not in the standard: limits of 1 / (1 + exp(-z)), and of 1 / sqrt(z)
cases.sigmoid = [[
  ±0 , +0 -> 0.5 , +0
  +inf , finite -> 1 , 0
  -inf , finite -> 0 , 0
  NaN , NaN -> NaN , NaN
]]
cases.rsqrt = [[
  4 , +0 -> 0.5 , 0
  NaN , NaN -> NaN , NaN
]]

-- ---- functions that the standard defines by another function ----
-- f(z) = i^k g(iz)

--- turned[f] = {g, result}: if g has the case a, b -> c, d, then f has the case b, -a -> result(c, d).
local turned = {}
local function by_minus_i(c, d, negate) return d, negate(c) end
turned.sin, turned.asin, turned.tan, turned.atan =
  {"sinh", by_minus_i}, {"asinh", by_minus_i}, {"tanh", by_minus_i}, {"atanh", by_minus_i}
turned.cos = {"cosh", function(c, d) return c, d end}

--- scaled[f] = {g, factor}: f is factor times g.
local scaled = {log2 = {"log", 1 / math.log(2)}, log10 = {"log", 1 / math.log(10)}}

--- Odd functions, f(-z) = -f(z), and even functions, f(-z) = f(z).
local odd = {sinh = true, tanh = true, asinh = true, atanh = true, negative = true, positive = true}
local even = {cosh = true}

return {cases = cases, turned = turned, scaled = scaled, odd = odd, even = even}
