--- abs
lt.tensor{-1, 2}:abs()  --> [1, 2]

--- add
lt.tensor{1, 2}:add(10)              --> [11, 12]
lt.tensor{1, 2} + lt.tensor{10, 20}  --> [11, 22]

--- subtract
lt.tensor{5, 7} - 1          --> [4, 6]
lt.tensor{5, 7}:subtract(1)  --> [4, 6]

--- multiply
lt.tensor{1, 2} * 3          --> [3, 6]
lt.tensor{1, 2}:multiply(3)  --> [3, 6]

--- divide
lt.tensor{1, 2} / 4        --> [0.25, 0.50]
lt.tensor{1, 2}:divide(4)  --> [0.25, 0.50]

--- floor_divide
lt.tensor{7, 8}:floor_divide(3)  --> [2, 2]

--- remainder
lt.tensor{-1, 7}:remainder(3)  --> [2, 1]

--- pow
lt.tensor{1, 2, 3}:pow(2)  --> [1, 4, 9]

--- negative
lt.tensor{1, -2}:negative()  --> [-1, 2]

--- sqrt
lt.tensor{4, 9}:sqrt()  --> [2.0, 3.0]

--- square
lt.tensor{2, 3}:square()  --> [4, 9]

--- exp
lt.tensor{0, 1}:exp()  --> [1.0000, 2.7183]

--- log
lt.tensor{1, 10}:log()  --> [0.0000, 2.3026]

--- sin
lt.tensor{0, lt.pi / 2}:sin()  --> [0.0, 1.0]

--- tanh
lt.tensor{0, 100}:tanh()  --> [0.0, 1.0]

--- sigmoid
lt.tensor{0, 100}:sigmoid()  --> [0.5, 1.0]

--- relu
lt.tensor{-1, 2}:relu()  --> [0, 2]

--- floor
lt.tensor{1.7, -1.2}:floor()  --> [1.0, -2.0]

--- ceil
lt.tensor{1.2, -1.7}:ceil()  --> [2.0, -1.0]

--- round
lt.tensor{0.5, 1.5, 2.4}:round()  --> [0.0, 2.0, 2.0]

--- trunc
lt.tensor{1.7, -1.7}:trunc()  --> [1.0, -1.0]

--- sign
lt.tensor{-3, 0, 5}:sign()  --> [-1, 0, 1]

--- clip
lt.tensor{-5, 0, 5}:clip(-1, 1)  --> [-1, 0, 1]

--- maximum
lt.tensor{1, 5}:maximum(3)  --> [3, 5]

--- minimum
lt.tensor{1, 5}:minimum(3)  --> [1, 3]

--- equal
lt.tensor{1, 2}:equal(lt.tensor{1, 3})  --> [true, false]

--- not_equal
lt.tensor{1, 2}:not_equal(2)  --> [true, false]

--- less
lt.tensor{1, 2, 3}:less(2)  --> [true, false, false]

--- less_equal
lt.tensor{1, 2, 3}:less_equal(2)  --> [true, true, false]

--- greater
lt.tensor{1, 2, 3}:greater(2)  --> [false, false, true]

--- greater_equal
lt.tensor{1, 2, 3}:greater_equal(2)  --> [false, true, true]

--- logical_and
lt.tensor{true, true}:logical_and(lt.tensor{true, false})  --> [true, false]

--- logical_or
lt.tensor{false, true}:logical_or(lt.tensor{false, false})  --> [false, true]

--- logical_not
lt.tensor{true, false}:logical_not()  --> [false, true]

--- isnan
lt.tensor{1.0, lt.nan}:isnan()  --> [false, true]

--- isfinite
lt.tensor{1.0, lt.inf}:isfinite()  --> [true, false]

--- isclose
lt.tensor{1.0, 1.1}:isclose(1 + 1e-9)  --> [true, false]

--- allclose
lt.tensor{1.0}:allclose(lt.tensor{1 + 1e-9})  --> true

--- where
local x = lt.tensor{-1, 2, -3}
x:greater(0):where(x, 0)  --> [0, 2, 0]

--- masked_fill
local x = lt.tensor{-1, 2, -3}
x:masked_fill(x:less(0), 0)  --> [0, 2, 0]

--- softmax
lt.tensor{0.0, 0.0}:softmax(1)  --> [0.5, 0.5]

--- lerp
lt.tensor{0.0, 10.0}:lerp(1, 0.5)  --> [0.5, 5.5]

--- acos
lt.acos(1.0)  --> 0.0

--- acosh
lt.acosh(1.0)  --> 0.0

--- asin
lt.asin(lt.tensor{0.0, 1.0})  --> [0.0000, 1.5708]

--- asinh
lt.tensor{0.0, 1.0}:asinh()  --> [0.0000, 0.8814]

--- atan
lt.tensor{0.0, 1.0}:atan()  --> [0.0000, 0.7854]

--- atan2
lt.atan2(lt.tensor{1.0, -1.0}, lt.tensor{0.0, 0.0})  --> [1.5708, -1.5708]

--- atanh
lt.tensor{0.0, 0.5}:atanh()  --> [0.0000, 0.5493]

--- cos
lt.tensor{0.0, lt.pi}:cos()  --> [1.0, -1.0]

--- cosh
lt.tensor{0.0, 1.0}:cosh()  --> [1.0000, 1.5431]

--- sinh
lt.tensor{0.0, 1.0}:sinh()  --> [0.0000, 1.1752]

--- tan
lt.tensor{0.0, lt.pi / 4}:tan()  --> [0.0, 1.0]

--- angle
lt.angle(lt.complex(0.0, 1.0))  --> 1.5708

--- complex
lt.complex(lt.tensor{1.0, 2.0}, lt.tensor{0.0, -1.0})  --> [1.0+0.0i, 2.0-1.0i]

--- real
lt.tensor({{1, 2}}, {dtype = "complex64"}):real()  --> [1.0]

--- imag
lt.tensor({{1, 2}}, {dtype = "complex64"}):imag()  --> [2.0]

--- conj
lt.tensor({{1, 2}}, {dtype = "complex64"}):conj()  --> [1.0-2.0i]

--- view_as_real
lt.tensor({{1, 2}, {3, 4}}, {dtype = "complex64"}):view_as_real()  --> [[1.0, 2.0], [3.0, 4.0]]

--- view_as_complex
lt.tensor{{1.0, 2.0}, {3.0, 4.0}}:view_as_complex()  --> [1.0+2.0i, 3.0+4.0i]

--- bitwise_and
lt.bitwise_and(lt.tensor{12, 10}, 6)  --> [4, 2]

--- bitwise_or
lt.bitwise_or(lt.tensor{12, 10}, 6)  --> [14, 14]

--- bitwise_xor
lt.bitwise_xor(lt.tensor{12, 10}, 6)  --> [10, 12]

--- bitwise_invert
lt.bitwise_invert(lt.tensor{0, 5})  --> [-1, -6]

--- bitwise_left_shift
lt.bitwise_left_shift(lt.tensor{1, 3}, 2)  --> [4, 12]

--- bitwise_right_shift
lt.bitwise_right_shift(lt.tensor{8, -8}, 2)  --> [2, -2]

--- copysign
lt.copysign(lt.tensor{1.0, -2.0}, -1.0)  --> [-1.0, -2.0]

--- erf
lt.tensor{0.0, 1.0}:erf()  --> [0.0000, 0.8427]

--- erfc
lt.tensor{0.0, 1.0}:erfc()  --> [1.0000, 0.1573]

--- expm1
lt.tensor({1e-10}, {dtype = "float64"}):expm1()  --> [1.0e-10]

--- log1p
lt.tensor({1e-10}, {dtype = "float64"}):log1p()  --> [1.0e-10]

--- log10
lt.tensor{1.0, 1000.0}:log10()  --> [0.0, 3.0]

--- log2
lt.tensor{1.0, 8.0}:log2()  --> [0.0, 3.0]

--- logaddexp
lt.logaddexp(lt.tensor{0.0, 1000.0}, lt.tensor{0.0, 1000.0})  --> [0.6931, 1000.6932]

--- logical_xor
lt.logical_xor(lt.tensor{true, true}, lt.tensor{true, false})  --> [false, true]

--- gelu
lt.tensor{-1.0, 0.0, 1.0}:gelu()  --> [-0.1587, 0.0000, 0.8413]

--- silu
lt.tensor{-1.0, 0.0, 1.0}:silu()  --> [-0.2689, 0.0000, 0.7311]

--- softplus
lt.tensor{-1.0, 0.0, 1.0}:softplus()  --> [0.3133, 0.6931, 1.3133]

--- hypot
lt.hypot(lt.tensor{3.0, 5.0}, lt.tensor{4.0, 12.0})  --> [5.0, 13.0]

--- isinf
lt.tensor{1.0, -1 / 0}:isinf()  --> [false, true]

--- nextafter
lt.nextafter(lt.tensor({1.0}, {dtype = "float64"}), 2.0):subtract(1.0)  --> [2.2204e-16]

--- positive
lt.positive(lt.tensor{-1, 2})  --> [-1, 2]

--- reciprocal
lt.tensor{2.0, 4.0}:reciprocal()  --> [0.50, 0.25]

--- rsqrt
lt.tensor{1.0, 4.0}:rsqrt()  --> [1.0, 0.5]

--- signbit
lt.tensor{1.0, -0.0}:signbit()  --> [false, true]

--- equal_all
lt.equal_all(lt.ones(2), lt.tensor{1.0, 1.0})  --> true

--- elementwise
local scale = lt.elementwise("float32 x, float32 a", "a * x + 1")
scale(lt.tensor{1.0, 2.0}, 3)  --> [4.0, 7.0]

--- compile, compiled:explain, compiled:reset
local scaled = lt.compile(function(x) return x * 2 / x:sum() + 1 end, {replay = true})
for _ = 1, 5 do scaled(lt.ones(4)) end
scaled(lt.ones(4))  --> [1.5, 1.5, 1.5, 1.5]
tostring(scaled):match "; (.*)"  --> 4 of 6 calls replayed
scaled:reset()
scaled:explain(lt.ones(4)):match "(%d+) operations"  --> 4
