-- Special cases of element-wise functions of real floats, as the array API standard 2025.12 words them. For functions
-- that the standard lacks, or specifies only by "as if", the cases are our own.
-- spec/support/special.lua reads this notation:
--
--   operands -> result        operands are separated by ";"
--
-- An operand is a number, or the name of a set of values. Each value of a set makes one case. The second operand may
-- also be "x" or "-x", with x the first operand. x and y in a result are the first two operands. For "pi/2" and similar
-- words, a result may be 2 ULPs off. "0" is a zero of either sign. "sign x*y" is any number with this sign bit.

local cases = {}

-- ---- arithmetic ----

cases.add = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  +inf ; -inf -> NaN
  -inf ; +inf -> NaN
  +inf ; +inf -> +inf
  -inf ; -inf -> -inf
  +inf ; finite -> +inf
  -inf ; finite -> -inf
  finite ; +inf -> +inf
  finite ; -inf -> -inf
  -0 ; -0 -> -0
  -0 ; +0 -> +0
  +0 ; -0 -> +0
  +0 ; +0 -> +0
  ±0 ; nonzero -> y
  nonzero ; ±0 -> x
  nonzero ; -x -> +0
  largest ; largest -> +inf
]]

cases.subtract = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  +inf ; +inf -> NaN
  -inf ; -inf -> NaN
  +inf ; -inf -> +inf
  -inf ; +inf -> -inf
  +inf ; finite -> +inf
  -inf ; finite -> -inf
  finite ; -inf -> +inf
  finite ; +inf -> -inf
  -0 ; +0 -> -0
  -0 ; -0 -> +0
  +0 ; +0 -> +0
  +0 ; -0 -> +0
  ±0 ; nonzero -> -y
  nonzero ; ±0 -> x
  nonzero ; x -> +0
]]

cases.multiply = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  ±inf ; ±0 -> NaN
  ±0 ; ±inf -> NaN
  finite ; finite -> sign x*y
  ±inf ; ±inf -> inf, sign x*y
  ±inf ; nonzero -> inf, sign x*y
  nonzero ; ±inf -> inf, sign x*y
  ±0 ; finite -> 0, sign x*y
  finite ; ±0 -> 0, sign x*y
  largest ; 2 -> +inf
  largest ; -2 -> -inf
  least ; 0.25 -> +0
  least ; -0.25 -> -0
]]

cases.square = [[
  NaN -> NaN
  ±inf -> +inf
  ±0 -> +0
]]

cases.divide = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  ±inf ; ±inf -> NaN
  ±0 ; ±0 -> NaN
  +0 ; > 0 -> +0
  -0 ; > 0 -> -0
  +0 ; < 0 -> -0
  -0 ; < 0 -> +0
  > 0 ; +0 -> +inf
  > 0 ; -0 -> -inf
  < 0 ; +0 -> -inf
  < 0 ; -0 -> +inf
  +inf ; positive -> +inf
  +inf ; negative -> -inf
  -inf ; positive -> -inf
  -inf ; negative -> +inf
  positive ; +inf -> +0
  positive ; -inf -> -0
  negative ; +inf -> -0
  negative ; -inf -> +0
  nonzero ; nonzero -> sign x*y
  largest ; 0.5 -> +inf
  least ; 4 -> +0
]]

cases.reciprocal = [[
  NaN -> NaN
  +0 -> +inf
  -0 -> -inf
  +inf -> +0
  -inf -> -0
]]

-- floor(x / y); Python's // gives NaN for an infinite x, and -1 for an infinite y of the other sign
cases.floor_divide = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  ±inf ; ±inf -> NaN
  ±0 ; ±0 -> NaN
  +0 ; > 0 -> +0
  -0 ; > 0 -> -0
  +0 ; < 0 -> -0
  -0 ; < 0 -> +0
  > 0 ; +0 -> +inf
  > 0 ; -0 -> -inf
  < 0 ; +0 -> -inf
  < 0 ; -0 -> +inf
  +inf ; positive -> +inf
  +inf ; negative -> -inf
  -inf ; positive -> -inf
  -inf ; negative -> +inf
  positive ; +inf -> +0
  positive ; -inf -> -0
  negative ; +inf -> -0
  negative ; -inf -> +0
  nonzero ; nonzero -> sign x*y
  7 ; 2 -> 3
  -7 ; 2 -> -4
  7 ; -2 -> -4
  -7 ; -2 -> 3
  0.5 ; 2 -> +0
  -0.5 ; 2 -> -1
]]

cases.remainder = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  ±inf ; ±inf -> NaN
  ±0 ; ±0 -> NaN
  ±0 ; > 0 -> +0
  ±0 ; < 0 -> -0
  > 0 ; ±0 -> NaN
  < 0 ; ±0 -> NaN
  ±inf ; nonzero -> NaN
  positive ; +inf -> x
  positive ; -inf -> y
  negative ; +inf -> y
  negative ; -inf -> x
  7 ; 2 -> 1
  -7 ; 2 -> 1
  7 ; -2 -> -1
  -7 ; -2 -> -1
  6 ; 2 -> +0
  -6 ; 2 -> +0
  6 ; -2 -> -0
  -6 ; -2 -> -0
  0.5 ; 2 -> 0.5
  -0.5 ; 2 -> 1.5
  largest ; 0.5 -> +0
]]

cases.pow = [[
  not 1 ; NaN -> NaN
  any ; +0 -> 1
  any ; -0 -> 1
  NaN ; not 0 -> NaN
  abs > 1 ; +inf -> +inf
  abs > 1 ; -inf -> +0
  abs 1 ; ±inf -> 1
  1 ; any -> 1
  abs < 1 ; +inf -> +0
  abs < 1 ; -inf -> +inf
  +inf ; > 0 -> +inf
  +inf ; < 0 -> +0
  -inf ; odd > 0 -> -inf
  -inf ; not odd > 0 -> +inf
  -inf ; odd < 0 -> -0
  -inf ; not odd < 0 -> +0
  +0 ; > 0 -> +0
  +0 ; < 0 -> +inf
  -0 ; odd > 0 -> -0
  -0 ; not odd > 0 -> +0
  -0 ; odd < 0 -> -inf
  -0 ; not odd < 0 -> +inf
  negative ; fraction -> NaN
  -2 ; 3 -> -8
  -2 ; 2 -> 4
  -2 ; -1 -> -0.5
  largest ; 2 -> +inf
  -largest ; 3 -> -inf
  largest ; -3 -> +0
  -largest ; -3 -> -0
]]

cases.positive = [[
  any -> x
]]

cases.negative = [[
  any -> -x
]]

cases.abs = [[
  NaN -> NaN
  -0 -> +0
  ±inf -> +inf
  finite -> |x|
]]

-- for real numbers, the result is x
cases.conj = cases.positive

-- not in the standard: the angle of a real number is 0 or pi
cases.angle = [[
  NaN -> NaN
  > 0 -> +0
  < 0 -> pi
  +0 -> +0
]]

cases.sign = [[
  < 0 -> -1
  ±0 -> +0
  > 0 -> 1
  NaN -> NaN
]]

cases.maximum = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  +inf ; not NaN -> +inf
  not NaN ; +inf -> +inf
  -inf ; not NaN -> y
  not NaN ; -inf -> x
  ±0 ; ±0 -> 0
  negative ; ±0 -> 0
  ±0 ; positive -> y
]]

cases.minimum = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  -inf ; not NaN -> -inf
  not NaN ; -inf -> -inf
  +inf ; not NaN -> y
  not NaN ; +inf -> x
  ±0 ; ±0 -> 0
  positive ; ±0 -> 0
  ±0 ; negative -> y
]]

cases.clip = [[
  NaN ; any ; any -> NaN
  any ; NaN ; any -> NaN
  any ; any ; NaN -> NaN
  finite ; -inf ; +inf -> x
  ±inf ; -inf ; +inf -> x
  +inf ; -1 ; 1 -> 1
  -inf ; -1 ; 1 -> -1
  +inf ; 1 ; +inf -> +inf
  -inf ; 1 ; +inf -> 1
  ±0 ; -1 ; 1 -> x
]]

cases.hypot = [[
  ±inf ; any -> +inf
  any ; ±inf -> +inf
  ±0 ; any -> |y|
  any ; ±0 -> |x|
  finite ; NaN -> NaN
  NaN ; finite -> NaN
  NaN ; NaN -> NaN
  3 ; 4 -> 5
  -3 ; 4 -> 5
  3 ; -4 -> 5
  least ; least -> least
  largest ; largest -> +inf
  half largest ; half largest -> largest/sqrt(2)
]]

cases.copysign = [[
  not NaN ; < 0 -> -|x|
  not NaN ; -0 -> -|x|
  not NaN ; +0 -> |x|
  not NaN ; > 0 -> |x|
  not NaN ; -NaN -> -|x|
  not NaN ; +NaN -> |x|
  NaN ; < 0 -> -NaN
  NaN ; -0 -> -NaN
  NaN ; +0 -> +NaN
  NaN ; > 0 -> +NaN
  NaN ; -NaN -> -NaN
  NaN ; +NaN -> +NaN
]]

cases.nextafter = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  -0 ; +0 -> +0
  +0 ; -0 -> -0
  ±0 ; > 0 -> least
  ±0 ; < 0 -> -least
  least ; ±0 -> +0
  -least ; ±0 -> -0
  largest ; +inf -> +inf
  -largest ; -inf -> -inf
  +inf ; +inf -> +inf
  -inf ; -inf -> -inf
  +inf ; finite -> largest
  -inf ; finite -> -largest
  +inf ; -inf -> largest
  1 ; > 1 -> 1 + epsilon
  finite ; x -> x
]]

cases.logaddexp = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  +inf ; not NaN -> +inf
  not NaN ; +inf -> +inf
  -inf ; -inf -> -inf
  -inf ; nonzero -> y
  nonzero ; -inf -> x
  -inf ; ±0 -> 0
  ±0 ; -inf -> 0
  largest ; ±0 -> largest
  ±0 ; -largest -> +0
]]

cases.atan2 = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  > 0 ; ±0 -> pi/2
  +0 ; > 0 -> +0
  +0 ; +0 -> +0
  +0 ; -0 -> pi
  +0 ; < 0 -> pi
  -0 ; > 0 -> -0
  -0 ; +0 -> -0
  -0 ; -0 -> -pi
  -0 ; < 0 -> -pi
  < 0 ; ±0 -> -pi/2
  positive ; +inf -> +0
  positive ; -inf -> pi
  negative ; +inf -> -0
  negative ; -inf -> -pi
  +inf ; finite -> pi/2
  -inf ; finite -> -pi/2
  +inf ; +inf -> pi/4
  +inf ; -inf -> 3pi/4
  -inf ; +inf -> -pi/4
  -inf ; -inf -> -3pi/4
]]

-- not in the standard: x + z (y - x)
cases.lerp = [[
  NaN ; any ; any -> NaN
  any ; NaN ; any -> NaN
  any ; any ; NaN -> NaN
  1 ; 3 ; ±0 -> x
  1 ; 3 ; 1 -> y
  1 ; 3 ; 0.5 -> 2
]]

-- ---- rounding ----

cases.ceil = [[
  NaN -> NaN
  +inf -> +inf
  -inf -> -inf
  integral -> x
  -0.5 -> -0
  0.5 -> 1
  -1.5 -> -1
  least -> 1
  -least -> -0
]]

cases.floor = [[
  NaN -> NaN
  +inf -> +inf
  -inf -> -inf
  integral -> x
  -0.5 -> -1
  0.5 -> +0
  1.5 -> 1
  least -> +0
  -least -> -1
]]

cases.trunc = [[
  NaN -> NaN
  +inf -> +inf
  -inf -> -inf
  integral -> x
  -0.5 -> -0
  0.5 -> +0
  1.5 -> 1
  -1.5 -> -1
  least -> +0
  -least -> -0
]]

cases.round = [[
  NaN -> NaN
  +inf -> +inf
  -inf -> -inf
  integral -> x
  0.5 -> +0
  -0.5 -> -0
  1.5 -> 2
  -1.5 -> -2
  2.5 -> 2
  -2.5 -> -2
  3.5 -> 4
  0.25 -> +0
  -0.75 -> -1
  below 0.5 -> +0
  above 0.5 -> 1
]]

-- ---- exponentials and logarithms ----

cases.exp = [[
  NaN -> NaN
  ±0 -> 1
  +inf -> +inf
  -inf -> +0
  largest -> +inf
  -largest -> +0
]]

cases.expm1 = [[
  NaN -> NaN
  +0 -> +0
  -0 -> -0
  +inf -> +inf
  -inf -> -1
  least -> least
  -least -> -least
  largest -> +inf
  -largest -> -1
]]

cases.log = [[
  NaN -> NaN
  < 0 -> NaN
  ±0 -> -inf
  1 -> +0
  +inf -> +inf
]]
cases.log2, cases.log10 = cases.log .. "  2 -> 1\n  0.5 -> -1\n  4 -> 2\n", cases.log .. "  10 -> 1\n  1000 -> 3\n"

cases.log1p = [[
  NaN -> NaN
  < -1 -> NaN
  -1 -> -inf
  -0 -> -0
  +0 -> +0
  +inf -> +inf
  least -> least
  -least -> -least
]]

cases.sqrt = [[
  NaN -> NaN
  < 0 -> NaN
  +0 -> +0
  -0 -> -0
  +inf -> +inf
  4 -> 2
]]

-- not in the standard: 1 / sqrt(x)
cases.rsqrt = [[
  NaN -> NaN
  < 0 -> NaN
  +0 -> +inf
  -0 -> -inf
  +inf -> +0
  4 -> 0.5
]]

-- ---- trigonometric and hyperbolic ----

cases.sin = [[
  NaN -> NaN
  +0 -> +0
  -0 -> -0
  ±inf -> NaN
  least -> least
  -least -> -least
]]
cases.tan = cases.sin

cases.cos = [[
  NaN -> NaN
  ±0 -> 1
  ±inf -> NaN
]]

cases.asin = [[
  NaN -> NaN
  > 1 -> NaN
  < -1 -> NaN
  +0 -> +0
  -0 -> -0
  1 -> pi/2
  -1 -> -pi/2
]]

cases.acos = [[
  NaN -> NaN
  > 1 -> NaN
  < -1 -> NaN
  1 -> +0
  -1 -> pi
  ±0 -> pi/2
]]

cases.atan = [[
  NaN -> NaN
  +0 -> +0
  -0 -> -0
  +inf -> pi/2
  -inf -> -pi/2
  1 -> pi/4
  -1 -> -pi/4
]]

cases.sinh = [[
  NaN -> NaN
  +0 -> +0
  -0 -> -0
  +inf -> +inf
  -inf -> -inf
  largest -> +inf
  -largest -> -inf
]]

cases.cosh = [[
  NaN -> NaN
  ±0 -> 1
  ±inf -> +inf
  largest -> +inf
  -largest -> +inf
]]

cases.tanh = [[
  NaN -> NaN
  +0 -> +0
  -0 -> -0
  +inf -> 1
  -inf -> -1
  largest -> 1
  -largest -> -1
]]

cases.asinh = [[
  NaN -> NaN
  +0 -> +0
  -0 -> -0
  +inf -> +inf
  -inf -> -inf
]]

cases.acosh = [[
  NaN -> NaN
  < 1 -> NaN
  1 -> +0
  +inf -> +inf
]]

cases.atanh = [[
  NaN -> NaN
  < -1 -> NaN
  > 1 -> NaN
  -1 -> -inf
  1 -> +inf
  +0 -> +0
  -0 -> -0
]]

-- ---- special functions and activations ----
-- The standard lacks them, so the cases are their limits.

cases.erf = [[
  NaN -> NaN
  +0 -> +0
  -0 -> -0
  +inf -> 1
  -inf -> -1
]]

cases.erfc = [[
  NaN -> NaN
  ±0 -> 1
  +inf -> +0
  -inf -> 2
]]

cases.sigmoid = [[
  NaN -> NaN
  ±0 -> 0.5
  +inf -> 1
  -inf -> +0
  largest -> 1
  -largest -> +0
]]

cases.relu = [[
  NaN -> NaN
  > 0 -> x
  < 0 -> 0
  ±0 -> 0
]]

cases.softplus = [[
  NaN -> NaN
  +inf -> +inf
  -inf -> +0
  largest -> largest
  -largest -> +0
]]

-- silu(-inf) is NaN, as in PyTorch, because the formula x * sigmoid(x) gives -inf * 0
cases.silu = [[
  NaN -> NaN
  +inf -> +inf
  -inf -> NaN
  ±0 -> 0
  largest -> largest
]]

cases.gelu = [[
  NaN -> NaN
  +inf -> +inf
  -inf -> 0
  ±0 -> 0
  largest -> largest
]]

-- ---- comparisons and logic ----

cases.equal = [[
  NaN ; any -> false
  any ; NaN -> false
  +inf ; +inf -> true
  -inf ; -inf -> true
  ±0 ; ±0 -> true
  finite ; x -> true
  +inf ; -inf -> false
  ±inf ; finite -> false
  finite ; ±inf -> false
  ±0 ; nonzero -> false
]]

cases.not_equal = cases.equal:gsub("true", "_"):gsub("false", "true"):gsub("_", "false")

cases.less = [[
  NaN ; any -> false
  any ; NaN -> false
  ±0 ; ±0 -> false
  -inf ; > 0 -> true
  -inf ; finite -> true
  finite ; +inf -> true
  +inf ; any -> false
  any ; -inf -> false
  ±0 ; positive -> true
  negative ; ±0 -> true
  not NaN ; x -> false
]]

cases.greater = [[
  NaN ; any -> false
  any ; NaN -> false
  ±0 ; ±0 -> false
  +inf ; < 0 -> true
  +inf ; finite -> true
  finite ; -inf -> true
  -inf ; any -> false
  any ; +inf -> false
  positive ; ±0 -> true
  ±0 ; negative -> true
  not NaN ; x -> false
]]

cases.less_equal = [[
  NaN ; any -> false
  any ; NaN -> false
  ±0 ; ±0 -> true
  -inf ; not NaN -> true
  not NaN ; +inf -> true
  +inf ; finite -> false
  finite ; -inf -> false
  not NaN ; x -> true
]]

cases.greater_equal = [[
  NaN ; any -> false
  any ; NaN -> false
  ±0 ; ±0 -> true
  +inf ; not NaN -> true
  not NaN ; -inf -> true
  -inf ; finite -> false
  finite ; +inf -> false
  not NaN ; x -> true
]]

-- NaN and infinities are true, like all numbers except 0
cases.logical_not = [[
  ±0 -> true
  not 0 -> false
  NaN -> false
]]

cases.logical_and = [[
  ±0 ; any -> false
  any ; ±0 -> false
  not 0 ; not 0 -> true
]]

cases.logical_or = [[
  ±0 ; ±0 -> false
  not 0 ; any -> true
  any ; not 0 -> true
]]

cases.logical_xor = [[
  ±0 ; ±0 -> false
  not 0 ; not 0 -> false
  not 0 ; ±0 -> true
  ±0 ; not 0 -> true
]]

cases.isnan = [[
  NaN -> true
  -NaN -> true
  not NaN -> false
]]

cases.isinf = [[
  ±inf -> true
  finite -> false
  NaN -> false
]]

cases.isfinite = [[
  ±inf -> false
  finite -> true
  NaN -> false
]]

cases.signbit = [[
  +0 -> false
  -0 -> true
  +inf -> false
  -inf -> true
  positive -> false
  negative -> true
  +NaN -> false
  -NaN -> true
]]

-- not in the standard; operands: x, y, rtol, atol
cases.isclose = [[
  NaN ; any ; 0.5 ; 0.5 -> false
  any ; NaN ; 0.5 ; 0.5 -> false
  +inf ; +inf ; ±0 ; ±0 -> true
  -inf ; -inf ; ±0 ; ±0 -> true
  +inf ; -inf ; 1 ; largest -> false
  ±inf ; finite ; 1 ; largest -> false
  finite ; ±inf ; 1 ; largest -> false
  ±0 ; ±0 ; ±0 ; ±0 -> true
]]

return cases
