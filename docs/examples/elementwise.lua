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
