---@meta luatensor
-- Made by `make annotations` from the sources' comments and the op table. Do not edit.

---@class luatensor.Tensor
---@field T luatensor.Tensor transpose of a 2-d tensor, a view
---@field device string "cpu" …
---@field dtype string "float32" …
---@field grad luatensor.Tensor? what backward added up for a leaf; can be set
---@field grad_fn string? the op that a gradient passes next
---@field is_leaf boolean was it made by the script, not computed from what requires gradients?
---@field mT luatensor.Tensor the last two dims swapped, a view
---@field ndim integer number of dims
---@field requires_grad boolean are gradients for it wanted? Can be set
---@field shape integer[] sizes; can be indexed, compared with == and printed
---@field size integer number of elements
---@field strides integer[] distance of neighbours in each dim, in elements
---@operator add(luatensor.Tensor|number): luatensor.Tensor
---@operator sub(luatensor.Tensor|number): luatensor.Tensor
---@operator mul(luatensor.Tensor|number): luatensor.Tensor
---@operator div(luatensor.Tensor|number): luatensor.Tensor
---@operator idiv(luatensor.Tensor|number): luatensor.Tensor
---@operator mod(luatensor.Tensor|number): luatensor.Tensor
---@operator pow(luatensor.Tensor|number): luatensor.Tensor
---@operator band(luatensor.Tensor|number): luatensor.Tensor
---@operator bor(luatensor.Tensor|number): luatensor.Tensor
---@operator bxor(luatensor.Tensor|number): luatensor.Tensor
---@operator shl(luatensor.Tensor|number): luatensor.Tensor
---@operator shr(luatensor.Tensor|number): luatensor.Tensor
---@operator unm: luatensor.Tensor
---@operator bnot: luatensor.Tensor
---@operator len: integer
---@field [any] luatensor.Tensor|number x[3], x[{ {1, 3}, {} }] …
local Tensor = {}

---absolute value; the least integer wraps to itself.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{-1, 2}:abs()  --> [1, 2]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:abs(options) end

---In place: absolute value; the least integer wraps to itself.
---@return luatensor.Tensor # x
function Tensor:abs_() end

---The same as abs.
Tensor["absolute"] = Tensor["abs"]

---The same as abs_.
Tensor["absolute_"] = Tensor["abs_"]

---arc cosine, in [0, pi].
---For bool, integers, floats and complex numbers.
---```lua
---lt.acos(1.0)  --> 0.0
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:acos(options) end

---In place: arc cosine, in [0, pi].
---@return luatensor.Tensor # x
function Tensor:acos_() end

---inverse hyperbolic cosine; NaN below 1.
---For bool, integers, floats and complex numbers.
---```lua
---lt.acosh(1.0)  --> 0.0
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:acosh(options) end

---In place: inverse hyperbolic cosine; NaN below 1.
---@return luatensor.Tensor # x
function Tensor:acosh_() end

---x + y.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{1, 2}:add(10)              --> [11, 12]
---lt.tensor{1, 2} + lt.tensor{10, 20}  --> [11, 22]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:add(y, options) end

---In place: x + y.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:add_(y) end

---Computes beta * x + alpha * a @ b in one pass.
---```lua
---lt.addmm(lt.ones(2, 2), lt.eye(2), lt.eye(2))  --> [[2.0, 1.0], [1.0, 2.0]]
---```
---@param a luatensor.Tensor [m, k]
---@param b luatensor.Tensor [k, n]
---@param options? luatensor.addmm.options
---@return luatensor.Tensor # [m, n]
function Tensor:addmm(a, b, options) end

---In place: Computes beta * x + alpha * a @ b in one pass.
---@param a luatensor.Tensor [m, k]
---@param b luatensor.Tensor [k, n]
---@return luatensor.Tensor # x
function Tensor:addmm_(a, b) end

---is every element not 0? true of no elements.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{true, false}:all()  --> false
---```
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out all dims unless given
---@param options? luatensor.options.dim_keepdim_out
---@return luatensor.Tensor #
function Tensor:all(dim, options) end

---True if all elements of x and y are close as defined by `isclose`. The call waits for a GPU.
---```lua
---lt.tensor{1.0}:allclose(lt.tensor{1 + 1e-9})  --> true
---```
---@param y number|luatensor.Tensor broadcast with x
---@param rtol? number|luatensor.Tensor|luatensor.allclose.options relative tolerance; default 1e-5
---@param atol? number|luatensor.Tensor|luatensor.allclose.options absolute tolerance; default 1e-8
---@param options? luatensor.allclose.options
---@return boolean #
function Tensor:allclose(y, rtol, atol, options) end

---The same as max.
Tensor["amax"] = Tensor["max"]

---The same as min.
Tensor["amin"] = Tensor["min"]

---angle of the complex number x in radians: atan2(imag, real); of a real one 0 or pi.
---For bool, integers, floats and complex numbers.
---```lua
---lt.angle(lt.complex(0.0, 1.0))  --> 1.5708
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:angle(options) end

---In place: angle of the complex number x in radians: atan2(imag, real); of a real one 0 or pi.
---@return luatensor.Tensor # x
function Tensor:angle_() end

---is any element not 0? false of no elements.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{true, false}:any()  --> true
---```
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out all dims unless given
---@param options? luatensor.options.dim_keepdim_out
---@return luatensor.Tensor #
function Tensor:any(dim, options) end

---The same as acos.
Tensor["arccos"] = Tensor["acos"]

---The same as acos_.
Tensor["arccos_"] = Tensor["acos_"]

---The same as acosh.
Tensor["arccosh"] = Tensor["acosh"]

---The same as acosh_.
Tensor["arccosh_"] = Tensor["acosh_"]

---The same as asin.
Tensor["arcsin"] = Tensor["asin"]

---The same as asin_.
Tensor["arcsin_"] = Tensor["asin_"]

---The same as asinh.
Tensor["arcsinh"] = Tensor["asinh"]

---The same as asinh_.
Tensor["arcsinh_"] = Tensor["asinh_"]

---The same as atan.
Tensor["arctan"] = Tensor["atan"]

---The same as atan2.
Tensor["arctan2"] = Tensor["atan2"]

---The same as atan2_.
Tensor["arctan2_"] = Tensor["atan2_"]

---The same as atan_.
Tensor["arctan_"] = Tensor["atan_"]

---The same as atanh.
Tensor["arctanh"] = Tensor["atanh"]

---The same as atanh_.
Tensor["arctanh_"] = Tensor["atanh_"]

---1-based position of the first largest element, or of the first NaN.
---For integers and floats.
---```lua
---lt.tensor{3, 9, 4}:argmax()  --> 2
---```
---@param dim? integer|luatensor.argmax.options unless given, the position is that in the flattened x
---@param options? luatensor.argmax.options
---@return luatensor.Tensor #
function Tensor:argmax(dim, options) end

---1-based position of the first smallest element, or of the first NaN.
---For integers and floats.
---```lua
---lt.tensor{3, 9, 1}:argmin()  --> 3
---```
---@param dim? integer|luatensor.argmax.options unless given, the position is that in the flattened x
---@param options? luatensor.argmax.options
---@return luatensor.Tensor #
function Tensor:argmin(dim, options) end

---Returns the positions that sort each line along a dim: `x:take_along_axis(x:argsort())` is `x:sort()`.
---```lua
---lt.tensor{3, 1, 2}:argsort()  --> [2, 3, 1]
---```
---@param dim? integer|luatensor.options.dim_descending_stable default -1
---@param options? luatensor.options.dim_descending_stable
---@return luatensor.Tensor # int64, of x's shape
function Tensor:argsort(dim, options) end

---Returns the positions of the elements that are not 0 (or are true), one row for each such element. Waits for the
---device, because the result's length depends on the elements.
---```lua
---lt.tensor{0, 5, 7}:argwhere()  --> [[2], [3]]
---```
---@return luatensor.Tensor # int64, [count, ndim]
function Tensor:argwhere() end

---arc sine, in [-pi/2, pi/2].
---For bool, integers, floats and complex numbers.
---```lua
---lt.asin(lt.tensor{0.0, 1.0})  --> [0.0000, 1.5708]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:asin(options) end

---In place: arc sine, in [-pi/2, pi/2].
---@return luatensor.Tensor # x
function Tensor:asin_() end

---inverse hyperbolic sine.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, 1.0}:asinh()  --> [0.0000, 0.8814]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:asinh(options) end

---In place: inverse hyperbolic sine.
---@return luatensor.Tensor # x
function Tensor:asinh_() end

---Returns a copy of x with another dtype.
---```lua
---lt.tensor{1.5, 2.5}:astype("int64")  --> [1, 2]
---```
---@param dtype string
---@param options? luatensor.astype.options
---@return luatensor.Tensor #
function Tensor:astype(dtype, options) end

---arc tangent, in [-pi/2, pi/2].
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, 1.0}:atan()  --> [0.0000, 0.7854]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:atan(options) end

---angle of the point (y, x) in radians: atan(x / y) in the right quadrant.
---For bool, integers and floats.
---```lua
---lt.atan2(lt.tensor{1.0, -1.0}, lt.tensor{0.0, 0.0})  --> [1.5708, -1.5708]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:atan2(y, options) end

---In place: angle of the point (y, x) in radians: atan(x / y) in the right quadrant.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:atan2_(y) end

---In place: arc tangent, in [-pi/2, pi/2].
---@return luatensor.Tensor # x
function Tensor:atan_() end

---inverse hyperbolic tangent; NaN outside [-1, 1].
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, 0.5}:atanh()  --> [0.0000, 0.5493]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:atanh(options) end

---In place: inverse hyperbolic tangent; NaN outside [-1, 1].
---@return luatensor.Tensor # x
function Tensor:atanh_() end

---Computes the gradients of y with respect to all leaves from which y was computed, and adds them to each leaf's
---`x.grad`. The pass releases the graph unless it is retained. Errors of a script's functions that the pass calls, such
---as hooks, keep their lines.
---Errors: if y needs no gradient, if an op has no gradient, or if a tensor that a gradient needs was changed in place.
---```lua
---local x = lt.tensor({1.0, 2.0}, {requires_grad = true})
---x:square():sum():backward()
---x.grad  --> [2.0, 4.0]
---```
---@param gradient? luatensor.Tensor|luatensor.backward.options the gradient of y, in y's shape; 1 unless given
---@param options? luatensor.backward.options
function Tensor:backward(gradient, options) end

---Draws 1 with probability p, otherwise 0.
---```lua
---lt.bernoulli(lt.tensor{0.0, 1.0})  --> [0.0, 1.0]
---```
---@param p any a number in [0, 1], followed by a shape; or a tensor of probabilities, whose shape is the result's shape
---@param ... luatensor.bernoulli.options the shape as numbers or as one table; no shape after a tensor p
---@return luatensor.Tensor #
function Tensor:bernoulli(p, ...) end

---Sets each element of x to 1 with probability p, otherwise to 0.
---```lua
---lt.zeros(100):bernoulli_(1.0):sum()  --> 100.0
---```
---@param p? number|luatensor.options.generator a number in [0, 1], or a tensor of probabilities in x's shape; default 0.5
---@param options? luatensor.options.generator
---@return luatensor.Tensor # x
function Tensor:bernoulli_(p, options) end

---Counts how often each value occurs: element i of the result is the number of elements equal to i. Counting starts
---at 1, like positions in Lua; a value below 1 is an error. The call waits for a GPU to read the smallest and the
---largest value.
---```lua
---lt.tensor{1, 3, 3}:bincount()  --> [1, 0, 2]
---```
---@param options? luatensor.bincount.options
---@return luatensor.Tensor # 1-d, of the length max(the largest value, minlength); int64, or the dtype of float weights
function Tensor:bincount(options) end

---bits set in both.
---For bool and integers.
---```lua
---lt.bitwise_and(lt.tensor{12, 10}, 6)  --> [4, 2]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:bitwise_and(y, options) end

---In place: bits set in both.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:bitwise_and_(y) end

---every bit inverted; on bool, not.
---For bool and integers.
---```lua
---lt.bitwise_invert(lt.tensor{0, 5})  --> [-1, -6]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:bitwise_invert(options) end

---In place: every bit inverted; on bool, not.
---@return luatensor.Tensor # x
function Tensor:bitwise_invert_() end

---x << y; 0 from the width on; a negative y shifts right.
---For integers.
---```lua
---lt.bitwise_left_shift(lt.tensor{1, 3}, 2)  --> [4, 12]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:bitwise_left_shift(y, options) end

---In place: x << y; 0 from the width on; a negative y shifts right.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:bitwise_left_shift_(y) end

---The same as bitwise_invert.
Tensor["bitwise_not"] = Tensor["bitwise_invert"]

---The same as bitwise_invert_.
Tensor["bitwise_not_"] = Tensor["bitwise_invert_"]

---bits set in either.
---For bool and integers.
---```lua
---lt.bitwise_or(lt.tensor{12, 10}, 6)  --> [14, 14]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:bitwise_or(y, options) end

---In place: bits set in either.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:bitwise_or_(y) end

---x >> y, filled with the sign; a negative y shifts left.
---For integers.
---```lua
---lt.bitwise_right_shift(lt.tensor{8, -8}, 2)  --> [2, -2]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:bitwise_right_shift(y, options) end

---In place: x >> y, filled with the sign; a negative y shifts left.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:bitwise_right_shift_(y) end

---bits set in one of them.
---For bool and integers.
---```lua
---lt.bitwise_xor(lt.tensor{12, 10}, 6)  --> [10, 12]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:bitwise_xor(y, options) end

---In place: bits set in one of them.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:bitwise_xor_(y) end

---Like matmul, for 3-d tensors only.
---```lua
---lt.bmm(lt.ones(5, 2, 3), lt.ones(5, 3, 4)).shape  --> [5, 2, 4]
---```
---@param y luatensor.Tensor [batch, k, n]
---@param options? luatensor.mm.options
---@return luatensor.Tensor # [batch, m, n]
function Tensor:bmm(y, options) end

---The same as x:to("bool").
---@return luatensor.Tensor #
function Tensor:bool() end

---Broadcasts all tensors to their common shape.
---```lua
---local a, b = lt.broadcast_arrays(lt.ones(3, 1), lt.ones(4))
---a.shape  --> [3, 4]
---```
---@return luatensor.Tensor # ... a view of each tensor
function Tensor:broadcast_arrays() end

---The same as broadcast_arrays.
Tensor["broadcast_tensors"] = Tensor["broadcast_arrays"]

---Stretches dims of length 1, and adds dims in front.
---```lua
---lt.tensor{1, 2}:broadcast_to(2, 2)  --> [[1, 2], [1, 2]]
---```
---@param ... integer|integer[] sizes, or one table of sizes
---@return luatensor.Tensor # a view, which cannot be written if it is stretched
function Tensor:broadcast_to(...) end

---The same as x:to("uint8").
---@return luatensor.Tensor #
function Tensor:byte() end

---least integral value >= x.
---For integers and floats.
---```lua
---lt.tensor{1.2, -1.7}:ceil()  --> [2.0, -1.0]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:ceil(options) end

---In place: least integral value >= x.
---@return luatensor.Tensor # x
function Tensor:ceil_() end

---The same as x:to("int8").
---@return luatensor.Tensor #
function Tensor:char() end

---Splits x along a dim into at most n parts of one size; the last part may be shorter.
---```lua
---lt.chunk(lt.arange(4), 2)[2]  --> [2, 3]
---```
---@param n integer the largest number of parts
---@param dim? integer|luatensor.unstack.options also option `dim`; default 1
---@return table # views
function Tensor:chunk(n, dim) end

---The same as clip.
Tensor["clamp"] = Tensor["clip"]

---The same as clip_.
Tensor["clamp_"] = Tensor["clip_"]

---Limits elements to the range from min to max. Elements outside of the range become the nearer limit; NaN stays NaN.
---Errors: if neither min nor max is given; nil given for both means no limit, as in the array API standard.
---```lua
---lt.tensor{-5, 0, 5}:clip(-1, 1)  --> [-1, 0, 1]
---```
---@param min? number|luatensor.Tensor|nil|luatensor.clip.options broadcast with x; nil: no limit below; also an option
---@param max? number|luatensor.Tensor|nil|luatensor.clip.options broadcast with x; nil: no limit above; also an option
---@param options? luatensor.clip.options
---@return luatensor.Tensor # of the dtype that x, min and max promote to
function Tensor:clip(min, max, options) end

---In place: Limits elements to the range from min to max. Elements outside of the range become the nearer limit; NaN stays NaN.
---@param min? number|luatensor.Tensor|nil broadcast with x; nil: no limit below; also an option
---@param max? number|luatensor.Tensor|nil broadcast with x; nil: no limit above; also an option
---@return luatensor.Tensor # x
function Tensor:clip_(min, max) end

---Returns a row-major copy that shares no memory with x.
---```lua
---local x = lt.tensor{1, 2}
---local y = x:clone()
---y[1] = 9
---x  --> [1, 2]
---```
---@return luatensor.Tensor #
function Tensor:clone() end

---complex conjugate; real numbers stay as they are.
---For integers, floats and complex numbers.
---```lua
---lt.tensor({{1, 2}}, {dtype = "complex64"}):conj()  --> [1.0-2.0i]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:conj(options) end

---In place: complex conjugate; real numbers stay as they are.
---@return luatensor.Tensor # x
function Tensor:conj_() end

---Returns x itself if its elements are row-major without gaps, else a copy with this layout.
---```lua
---lt.zeros(2, 3).T:contiguous():is_contiguous()  --> true
---```
---@return luatensor.Tensor #
function Tensor:contiguous() end

---Overwrites x with the elements of y, converted to x's dtype.
---```lua
---lt.zeros(2):copy_(lt.tensor{1, 2})  --> [1.0, 2.0]
---```
---@param y luatensor.Tensor|number broadcast to x's shape, on any device; must not overlap x unless it is the same view
---@return luatensor.Tensor # x
function Tensor:copy_(y) end

---magnitude of x with the sign of y.
---For bool, integers and floats.
---```lua
---lt.copysign(lt.tensor{1.0, -2.0}, -1.0)  --> [-1.0, -2.0]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:copysign(y, options) end

---In place: magnitude of x with the sign of y.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:copysign_(y) end

---cosine of x radians.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, lt.pi}:cos()  --> [1.0, -1.0]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:cos(options) end

---In place: cosine of x radians.
---@return luatensor.Tensor # x
function Tensor:cos_() end

---hyperbolic cosine.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, 1.0}:cosh()  --> [1.0000, 1.5431]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:cosh(options) end

---In place: hyperbolic cosine.
---@return luatensor.Tensor # x
function Tensor:cosh_() end

---how many elements are not 0.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0, 2, 3}:count_nonzero()  --> 2
---```
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out all dims unless given
---@param options? luatensor.options.dim_keepdim_out
---@return luatensor.Tensor #
function Tensor:count_nonzero(dim, options) end

---The same as x:to("cpu").
---@return luatensor.Tensor #
function Tensor:cpu() end

---The same as x:to("cuda").
---@return luatensor.Tensor #
function Tensor:cuda() end

---The same as cumulative_prod.
Tensor["cumprod"] = Tensor["cumulative_prod"]

---The same as cumulative_sum.
Tensor["cumsum"] = Tensor["cumulative_sum"]

---Computes the running maximum along a dim. From the first NaN on, results are NaN.
---```lua
---lt.cumulative_max(lt.tensor{1, 3, 2})  --> [1, 3, 3]
---```
---@param dim? integer|luatensor.cumulative_max.options required unless x has at most one dim
---@param options? luatensor.cumulative_max.options
---@return luatensor.Tensor #
function Tensor:cumulative_max(dim, options) end

---Computes the running minimum along a dim. From the first NaN on, results are NaN.
---```lua
---lt.cumulative_min(lt.tensor{3, 1, 2})  --> [3, 1, 1]
---```
---@param dim? integer|luatensor.cumulative_min.options required unless x has at most one dim
---@param options? luatensor.cumulative_min.options
---@return luatensor.Tensor #
function Tensor:cumulative_min(dim, options) end

---Computes the running product along a dim. Bool and integers are multiplied in int64 or uint64.
---```lua
---lt.tensor{1, 2, 3}:cumulative_prod()  --> [1, 2, 6]
---```
---@param dim? integer|luatensor.cumulative_prod.options required unless x has at most one dim
---@param options? luatensor.cumulative_prod.options
---@return luatensor.Tensor #
function Tensor:cumulative_prod(dim, options) end

---Computes the running sum along a dim. Bool and integers are added in int64 or uint64.
---```lua
---lt.tensor{1, 2, 3}:cumulative_sum()  --> [1, 3, 6]
---```
---@param dim? integer|luatensor.cumulative_sum.options required unless x has at most one dim
---@param options? luatensor.cumulative_sum.options
---@return luatensor.Tensor #
function Tensor:cumulative_sum(dim, options) end

---Returns the address of the first element, on the tensor's device, as an integer for FFI.
---```lua
---type(lt.ones(3):data_ptr())  --> number
---```
---@return any # integer
function Tensor:data_ptr() end

---Returns a tensor that shares x's memory. No gradient flows through the result.
---```lua
---local x = lt.ones(1, {requires_grad = true})
---x:multiply(2):detach().requires_grad  --> false
---```
---@return luatensor.Tensor #
function Tensor:detach() end

---Removes x from its graph: x becomes a leaf that needs no gradient.
---```lua
---lt.ones(1, {requires_grad = true}):multiply(2):detach_().requires_grad  --> false
---```
---@return luatensor.Tensor # x
function Tensor:detach_() end

---Makes a matrix with a 1-d tensor x on diagonal k, or copies diagonal k of a 2-d tensor x.
---```lua
---lt.diag(lt.tensor{1, 2})          --> [[1, 0], [0, 2]]
---lt.tensor{{1, 2}, {3, 4}}:diag()  --> [1, 4]
---```
---@param k? integer number of the diagonal, above the main diagonal when positive; default 0
---@return luatensor.Tensor #
function Tensor:diag(k) end

---Returns the diagonals of the matrices in dims `dim1` and `dim2`, as the last dim of the result.
---```lua
---lt.tensor{{1, 2}, {3, 4}}:diagonal()  --> [1, 4]
---```
---@param offset? integer|luatensor.options.offset_dim1_dim2 the number of diagonals above the main diagonal, or below it if negative; default 0
---@param options? luatensor.options.offset_dim1_dim2
---@return luatensor.Tensor # a view
function Tensor:diagonal(offset, options) end

---Computes the differences between neighbouring elements along a dim, n times.
---```lua
---lt.tensor{1, 4, 9}:diff()  --> [3, 5]
---```
---@param dim? integer|luatensor.diff.options default -1
---@param options? luatensor.diff.options
---@return luatensor.Tensor # of x's shape, with dim shorter by n after joining
function Tensor:diff(dim, options) end

---The same as x.ndim.
---@return integer #
function Tensor:dim() end

---The same as divide.
Tensor["div"] = Tensor["divide"]

---The same as divide_.
Tensor["div_"] = Tensor["divide_"]

---x / y, in floating point.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1, 2} / 4        --> [0.25, 0.50]
---lt.tensor{1, 2}:divide(4)  --> [0.25, 0.50]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:divide(y, options) end

---In place: x / y, in floating point.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:divide_(y) end

---Computes the dot product: the sum of the products of two vectors' elements.
---```lua
---lt.tensor{1, 2}:dot(lt.tensor{3, 4})  --> 11
---```
---@param y luatensor.Tensor [k]
---@param options? luatensor.mm.options
---@return luatensor.Tensor # 0-d
function Tensor:dot(y, options) end

---The same as x:to("float64").
---@return luatensor.Tensor #
function Tensor:double() end

---Makes a tensor in the shape of x with uninitialised elements.
---```lua
---lt.empty_like(lt.ones(2, 3)).shape  --> [2, 3]
---```
---@param options? luatensor.zeros_like.options
---@return luatensor.Tensor # a new tensor
function Tensor:empty_like(options) end

---The same as equal.
Tensor["eq"] = Tensor["equal"]

---x == y.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1, 2}:equal(lt.tensor{1, 3})  --> [true, false]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:equal(y, options) end

---True if x and y have the same shape and equal elements; their dtypes may differ. NaN equals no element, not even
---NaN. The call waits for a GPU.
---```lua
---lt.equal_all(lt.ones(2), lt.tensor{1.0, 1.0})  --> true
---```
---@param y luatensor.Tensor
---@return boolean #
function Tensor:equal_all(y) end

---error function 2/sqrt(pi) * integral of exp(-t^2) from 0 to x.
---For bool, integers and floats.
---```lua
---lt.tensor{0.0, 1.0}:erf()  --> [0.0000, 0.8427]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:erf(options) end

---In place: error function 2/sqrt(pi) * integral of exp(-t^2) from 0 to x.
---@return luatensor.Tensor # x
function Tensor:erf_() end

---1 - erf(x), exact for large x.
---For bool, integers and floats.
---```lua
---lt.tensor{0.0, 1.0}:erfc()  --> [1.0000, 0.1573]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:erfc(options) end

---In place: 1 - erf(x), exact for large x.
---@return luatensor.Tensor # x
function Tensor:erfc_() end

---e^x.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0, 1}:exp()  --> [1.0000, 2.7183]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:exp(options) end

---In place: e^x.
---@return luatensor.Tensor # x
function Tensor:exp_() end

---The same as broadcast_to.
Tensor["expand"] = Tensor["broadcast_to"]

---Adds dims of length 1.
---```lua
---lt.tensor{1, 2}:expand_dims(1).shape  --> [1, 2]
---```
---@param dim integer|table|luatensor.expand_dims.options the positions of the new dims in the result; also option `dim`
---@return luatensor.Tensor # a view
function Tensor:expand_dims(dim) end

---e^x - 1, exact near 0.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor({1e-10}, {dtype = "float64"}):expm1()  --> [1.0e-10]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:expm1(options) end

---In place: e^x - 1, exact near 0.
---@return luatensor.Tensor # x
function Tensor:expm1_() end

---Sets every element of x to one value.
---```lua
---lt.zeros(2):fill_(5)  --> [5.0, 5.0]
---```
---@param value number|boolean|luatensor.Tensor that x's dtype can represent, or a 0-d tensor
---@return luatensor.Tensor # x
function Tensor:fill_(value) end

---Merges dims first … last into one. A 0-d tensor becomes 1-d.
---```lua
---lt.ones(2, 3):flatten().shape  --> [6]
---```
---@param first? integer default 1
---@param last? integer default -1
---@return luatensor.Tensor # a view if the layout allows
function Tensor:flatten(first, last) end

---Reverses the order of elements along dims.
---```lua
---lt.tensor{1, 2, 3}:flip()  --> [3, 2, 1]
---```
---@param dim? integer|table|luatensor.flip.options by default all dims; also option `dim`
---@return luatensor.Tensor # a view
function Tensor:flip(dim) end

---The same as x:to("float32").
---@return luatensor.Tensor #
function Tensor:float() end

---greatest integral value <= x.
---For integers and floats.
---```lua
---lt.tensor{1.7, -1.2}:floor()  --> [1.0, -2.0]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:floor(options) end

---In place: greatest integral value <= x.
---@return luatensor.Tensor # x
function Tensor:floor_() end

---floor(x / y), toward minus infinity; integers by 0 give 0.
---For integers and floats.
---```lua
---lt.tensor{7, 8}:floor_divide(3)  --> [2, 2]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:floor_divide(y, options) end

---In place: floor(x / y), toward minus infinity; integers by 0 give 0.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:floor_divide_(y) end

---Frees this tensor at once. Its memory is freed with the last tensor that shares it. Freeing twice is harmless. `free`
---does nothing in a finalizer or debug hook that interrupted an operation, because the operation may use this tensor. The
---collector then frees the tensor when nothing refers to it any more.
---```lua
---local x = lt.ones(1000)
---x:free()
---pcall(lt.sum, x)  --> false
---```
function Tensor:free() end

---Makes a tensor in the shape of x that is filled with one value.
---```lua
---lt.full_like(lt.tensor{1, 2}, 9)  --> [9, 9]
---```
---@param value any number or boolean that fits the dtype
---@param options? luatensor.zeros_like.options
---@return luatensor.Tensor # a new tensor
function Tensor:full_like(value, options) end

---Returns elements along a dim, where each position has its own index: `out[i][j] = x[index[i][j]][j]` for dim 1.
---```lua
---lt.tensor{{1, 2}, {3, 4}}:gather(2, lt.tensor{{2}, {1}})  --> [[2], [3]]
---```
---@param dim integer
---@param index luatensor.Tensor integers, with as many dims as x; only in dim may it be longer than x
---@param options? luatensor.mm.options
---@return luatensor.Tensor # of index's shape
function Tensor:gather(dim, index, options) end

---The same as greater_equal.
Tensor["ge"] = Tensor["greater_equal"]

---x * (1 + erf(x / sqrt(2))) / 2.
---For bool, integers and floats.
---```lua
---lt.tensor{-1.0, 0.0, 1.0}:gelu()  --> [-0.1587, 0.0000, 0.8413]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:gelu(options) end

---In place: x * (1 + erf(x / sqrt(2))) / 2.
---@return luatensor.Tensor # x
function Tensor:gelu_() end

---x > y.
---For integers and floats.
---```lua
---lt.tensor{1, 2, 3}:greater(2)  --> [false, false, true]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:greater(y, options) end

---x >= y.
---For integers and floats.
---```lua
---lt.tensor{1, 2, 3}:greater_equal(2)  --> [false, true, true]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:greater_equal(y, options) end

---The same as greater.
Tensor["gt"] = Tensor["greater"]

---The same as x:to("float16").
---@return luatensor.Tensor #
function Tensor:half() end

---Counts the elements in each bin. A bin includes its lower edge; only the last bin includes its upper edge.
---Elements outside of all bins and NaN are not counted. The call waits for a GPU to check given edges, or, without
---option `range`, to find the smallest and the largest element.
---```lua
---local counts, edges = lt.histogram(lt.tensor{0.0, 0.1, 0.6, 1.0}, 2)
---counts  --> [2, 2]
---edges   --> [0.0, 0.5, 1.0]
---```
---@param bins? luatensor.histogram.options the number of bins of equal width, or the edges: a 1-d tensor or a table; default 10
---@param options? luatensor.histogram.options
---@return luatensor.Tensor # counts, one for each bin: int64, the dtype of float weights, or a float dtype if option density is true
---@return luatensor.Tensor # the edges of the bins: bin i is between edges i and i + 1
function Tensor:histogram(bins, options) end

---sqrt(x^2 + y^2) without overflow on the way.
---For bool, integers and floats.
---```lua
---lt.hypot(lt.tensor{3.0, 5.0}, lt.tensor{4.0, 12.0})  --> [5.0, 13.0]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:hypot(y, options) end

---In place: sqrt(x^2 + y^2) without overflow on the way.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:hypot_(y) end

---Returns the imaginary parts of x: a view that shares x's memory if x is complex, otherwise new zeros.
---```lua
---lt.tensor({{1, 2}}, {dtype = "complex64"}):imag()  --> [2.0]
---```
---@return luatensor.Tensor # float32 for complex64, float64 for complex128, otherwise x's dtype; in x's shape
function Tensor:imag() end

---Returns a copy of x with slices of src added along a dim: `out[index[i]] += src[i]` for dim 1. `index_add_` adds
---into x.
---```lua
---lt.zeros(3):index_add(1, lt.tensor{1, 3, 1}, lt.tensor{1.0, 2.0, 3.0})  --> [4.0, 0.0, 2.0]
---```
---@param dim integer
---@param index luatensor.Tensor 1-d
---@param src luatensor.Tensor|number broadcasts to the shape of x, in which dim has the length of index
---@return luatensor.Tensor #
function Tensor:index_add(dim, index, src) end

---In place: Returns a copy of x with slices of src added along a dim: `out[index[i]] += src[i]` for dim 1. `index_add_` adds
---@param dim integer
---@param index luatensor.Tensor 1-d
---@param src luatensor.Tensor|number broadcasts to the shape of x, in which dim has the length of index
---@return luatensor.Tensor # x
function Tensor:index_add_(dim, index, src) end

---The same as x:to("int32").
---@return luatensor.Tensor #
function Tensor:int() end

---True if the elements are row-major without gaps.
---```lua
---lt.zeros(2, 3).T:is_contiguous()  --> false
---```
---@return boolean #
function Tensor:is_contiguous() end

---True if x is in page-locked memory.
---```lua
---lt.ones(2):is_pinned()  --> false
---```
---@return boolean #
function Tensor:is_pinned() end

---Tests each pair of elements for closeness: true if abs(x - y) <= atol + rtol * abs(y) or if x equals y.
---```lua
---lt.tensor{1.0, 1.1}:isclose(1 + 1e-9)  --> [true, false]
---```
---@param y number|luatensor.Tensor broadcast with x
---@param rtol? number|luatensor.Tensor|luatensor.isclose.options relative tolerance; default 1e-5
---@param atol? number|luatensor.Tensor|luatensor.isclose.options absolute tolerance; default 1e-8
---@param options? luatensor.isclose.options
---@return luatensor.Tensor # bool
function Tensor:isclose(y, rtol, atol, options) end

---is x neither infinite nor NaN?.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1.0, lt.inf}:isfinite()  --> [true, false]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:isfinite(options) end

---Returns, for each element of x1, true if an element of x2 is equal. NaN equals nothing, -0 equals 0. If x2 is
---complex with more than 12 elements, the call waits for a GPU to count distinct elements.
---```lua
---lt.tensor{1, 2, 3}:isin(lt.tensor{2, 5})  --> [false, true, false]
---```
---@param x2 luatensor.Tensor|number of any shape; the dtypes of x1 and x2 promote
---@param options? luatensor.isin.options
---@return luatensor.Tensor # bool, of x1's shape
function Tensor:isin(x2, options) end

---is x infinite?.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1.0, -1 / 0}:isinf()  --> [false, true]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:isinf(options) end

---is x NaN?.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1.0, lt.nan}:isnan()  --> [false, true]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:isnan(options) end

---Returns the value of a tensor of one element, as a Lua number or boolean. Waits for the device. A uint64 becomes the Lua
---integer with the same 64 bits.
---```lua
---lt.tensor(3.5):item()  --> 3.5
---```
---@return any # number or boolean; for complex numbers two values: the real and the imaginary part
function Tensor:item() end

---The same as less_equal.
Tensor["le"] = Tensor["less_equal"]

---The same as bitwise_left_shift.
Tensor["left_shift"] = Tensor["bitwise_left_shift"]

---The same as bitwise_left_shift_.
Tensor["left_shift_"] = Tensor["bitwise_left_shift_"]

---x + weight * (y - x).
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, 10.0}:lerp(1, 0.5)  --> [0.5, 5.5]
---```
---@param y luatensor.Tensor|number
---@param z luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:lerp(y, z, options) end

---In place: x + weight * (y - x).
---@param y luatensor.Tensor|number
---@param z luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:lerp_(y, z) end

---x < y.
---For integers and floats.
---```lua
---lt.tensor{1, 2, 3}:less(2)  --> [true, false, false]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:less(y, options) end

---x <= y.
---For integers and floats.
---```lua
---lt.tensor{1, 2, 3}:less_equal(2)  --> [true, true, false]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:less_equal(y, options) end

---natural logarithm.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1, 10}:log()  --> [0.0000, 2.3026]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:log(options) end

---logarithm to base 10.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1.0, 1000.0}:log10()  --> [0.0, 3.0]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:log10(options) end

---In place: logarithm to base 10.
---@return luatensor.Tensor # x
function Tensor:log10_() end

---log(1 + x), exact near 0.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor({1e-10}, {dtype = "float64"}):log1p()  --> [1.0e-10]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:log1p(options) end

---In place: log(1 + x), exact near 0.
---@return luatensor.Tensor # x
function Tensor:log1p_() end

---logarithm to base 2.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1.0, 8.0}:log2()  --> [0.0, 3.0]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:log2(options) end

---In place: logarithm to base 2.
---@return luatensor.Tensor # x
function Tensor:log2_() end

---In place: natural logarithm.
---@return luatensor.Tensor # x
function Tensor:log_() end

---Computes log(softmax(x)) along a dim. The result is accurate even if softmax(x) is nearly 0 or 1.
---```lua
---lt.tensor{0.0, 0.0}:log_softmax(1)  --> [-0.6931, -0.6931]
---```
---@param dim? integer|luatensor.options.dim_dtype_out default -1
---@param options? luatensor.options.dim_dtype_out
---@return luatensor.Tensor #
function Tensor:log_softmax(dim, options) end

---log(exp(x) + exp(y)) without overflow on the way.
---For bool, integers and floats.
---```lua
---lt.logaddexp(lt.tensor{0.0, 1000.0}, lt.tensor{0.0, 1000.0})  --> [0.6931, 1000.6932]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:logaddexp(y, options) end

---In place: log(exp(x) + exp(y)) without overflow on the way.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:logaddexp_(y) end

---x and y; everything but 0 is true.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{true, true}:logical_and(lt.tensor{true, false})  --> [true, false]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:logical_and(y, options) end

---not x; everything but 0 is true.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{true, false}:logical_not()  --> [false, true]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:logical_not(options) end

---x or y; everything but 0 is true.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{false, true}:logical_or(lt.tensor{false, false})  --> [false, true]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:logical_or(y, options) end

---one of x and y, not both; everything but 0 is true.
---For bool, integers, floats and complex numbers.
---```lua
---lt.logical_xor(lt.tensor{true, true}, lt.tensor{true, false})  --> [false, true]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:logical_xor(y, options) end

---log of the sum of exponentials, without overflow on the way.
---For bool, integers and floats.
---```lua
---lt.tensor{0.0, 0.0}:logsumexp()  --> 0.6931
---```
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out all dims unless given
---@param options? luatensor.options.dim_keepdim_out
---@return luatensor.Tensor #
function Tensor:logsumexp(dim, options) end

---The same as x:to("int64").
---@return luatensor.Tensor #
function Tensor:long() end

---The same as less.
Tensor["lt"] = Tensor["less"]

---Returns a copy of x in which elements are replaced by value where the mask is true.
---```lua
---local x = lt.tensor{-1, 2, -3}
---x:masked_fill(x:less(0), 0)  --> [0, 2, 0]
---```
---@param mask luatensor.Tensor bool, broadcast with x
---@param value number|boolean|luatensor.Tensor broadcast with x; x's dtype must be able to represent the value
---@param options? luatensor.options.out
---@return luatensor.Tensor # of x's dtype
function Tensor:masked_fill(mask, value, options) end

---In place: Returns a copy of x in which elements are replaced by value where the mask is true.
---@param mask luatensor.Tensor bool, broadcast with x
---@param value number|boolean|luatensor.Tensor broadcast with x; x's dtype must be able to represent the value
---@return luatensor.Tensor # x
function Tensor:masked_fill_(mask, value) end

---Returns a copy of x in which the elements at which a mask is true are replaced by the first elements of src, in
---order. The call waits for a GPU to count these elements.
---```lua
---lt.zeros(3):masked_scatter(lt.tensor{true, false, true}, lt.tensor{5.0, 6.0})  --> [5.0, 0.0, 6.0]
---```
---@param mask luatensor.Tensor bool; broadcasts to x's shape
---@param src luatensor.Tensor has at least as many elements as the mask has true elements
---@return luatensor.Tensor #
function Tensor:masked_scatter(mask, src) end

---Returns the elements at which a mask is true; x and mask broadcast. The call waits for a GPU, because the result's
---length is the number of these elements.
---```lua
---lt.tensor{1, 2, 3}:masked_select(lt.tensor{true, false, true})  --> [1, 3]
---```
---@param mask luatensor.Tensor bool
---@return luatensor.Tensor # 1-d
function Tensor:masked_select(mask) end

---Computes the matrix product (matrix multiplication). A 1-d x counts as a matrix with one row, and a 1-d y as a matrix
---with one column; the result does not have the added dim. Dims before the last two are batch dims, which broadcast.
---Errors: if inner dims differ, if batch dims do not broadcast, or for 0-d or bool tensors.
---```lua
---local x = lt.tensor{{1, 2}, {3, 4}}
---x:matmul(x)                --> [[7, 10], [15, 22]]
---x:matmul(lt.tensor{1, 1})  --> [3, 7]
---```
---@param y luatensor.Tensor shape [..., k, n]; not bool
---@param options? luatensor.options.out
---@return luatensor.Tensor # shape [..., m, n]
function Tensor:matmul(y, options) end

---Swaps the last two dims, and returns a view, like x.mT.
---```lua
---lt.tensor{{1, 2}, {3, 4}}:matrix_transpose()  --> [[1, 3], [2, 4]]
---```
---@return luatensor.Tensor #
function Tensor:matrix_transpose() end

---largest element; NaN if there is one.
---For integers and floats.
---```lua
---lt.tensor{{1, 5}, {7, 2}}:max(2)  --> [5, 7]
---```
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out all dims unless given
---@param options? luatensor.options.dim_keepdim_out
---@return luatensor.Tensor #
function Tensor:max(dim, options) end

---the larger; NaN if either is NaN.
---For integers and floats.
---```lua
---lt.tensor{1, 5}:maximum(3)  --> [3, 5]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:maximum(y, options) end

---In place: the larger; NaN if either is NaN.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:maximum_(y) end

---arithmetic mean; NaN of no elements.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{{1, 2}, {3, 5}}:mean(1)  --> [2.0, 3.5]
---```
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out_dtype all dims unless given
---@param options? luatensor.options.dim_keepdim_out_dtype
---@return luatensor.Tensor #
function Tensor:mean(dim, options) end

---Computes the median, the middle element in sorted order. If the number of elements is even, the median is the mean
---of the two middle elements. The result is NaN if an element is NaN, or if there is no element.
---```lua
---lt.tensor{1, 9, 2}:median()  --> 2.0
---```
---@param dim? luatensor.options.dim_keepdim a dim or a list of dims; by default all dims
---@param options? luatensor.options.dim_keepdim
---@return luatensor.Tensor # of x's shape without these dims
function Tensor:median(dim, options) end

---smallest element; NaN if there is one.
---For integers and floats.
---```lua
---lt.tensor{{1, 5}, {7, 2}}:min(2)  --> [1, 2]
---```
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out all dims unless given
---@param options? luatensor.options.dim_keepdim_out
---@return luatensor.Tensor #
function Tensor:min(dim, options) end

---the smaller; NaN if either is NaN.
---For integers and floats.
---```lua
---lt.tensor{1, 5}:minimum(3)  --> [1, 3]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:minimum(y, options) end

---In place: the smaller; NaN if either is NaN.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:minimum_(y) end

---Like matmul, for 2-d tensors only.
---```lua
---lt.mm(lt.tensor{{1, 2}}, lt.tensor{{3}, {4}})  --> [[11]]
---```
---@param y luatensor.Tensor [k, n]
---@param options? luatensor.mm.options
---@return luatensor.Tensor # [m, n]
function Tensor:mm(y, options) end

---Moves dims to new positions. The other dims keep their order.
---```lua
---lt.ones(2, 3, 4):moveaxis(1, 3).shape  --> [3, 4, 2]
---```
---@param source integer|table the dims to move
---@param destination integer|table the positions of these dims in the result
---@return luatensor.Tensor # a view
function Tensor:moveaxis(source, destination) end

---The same as moveaxis.
Tensor["movedim"] = Tensor["moveaxis"]

---The same as multiply.
Tensor["mul"] = Tensor["multiply"]

---The same as multiply_.
Tensor["mul_"] = Tensor["multiply_"]

---Draws n positions, each with a probability proportional to its weight. The call waits for a GPU to check the
---weights.
---```lua
---lt.multinomial(lt.tensor{0.0, 1.0}, 1)  --> [2]
---```
---@param n integer the number of draws from each row
---@param options? luatensor.multinomial.options
---@return luatensor.Tensor # int64, 1-based, shape [n] or [rows, n]
function Tensor:multinomial(n, options) end

---x * y.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{1, 2} * 3          --> [3, 6]
---lt.tensor{1, 2}:multiply(3)  --> [3, 6]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:multiply(y, options) end

---In place: x * y.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:multiply_(y) end

---Like matmul, for a matrix and a vector only.
---```lua
---lt.mv(lt.tensor{{1, 2}, {3, 4}}, lt.tensor{1, 1})  --> [3, 7]
---```
---@param y luatensor.Tensor [k]
---@param options? luatensor.mm.options
---@return luatensor.Tensor # [m]
function Tensor:mv(y, options) end

---The same as x.ndim.
---@return integer #
function Tensor:nDimension() end

---The same as x.size.
---@return integer #
function Tensor:nElement() end

---Computes the largest element that is not NaN; NaN where all elements are NaN.
---```lua
---lt.tensor{1, lt.nan, 3}:nanmax()  --> 3.0
---```
---@param dim? luatensor.options.dim_keepdim a dim or a list of dims; by default all dims
---@param options? luatensor.options.dim_keepdim
---@return luatensor.Tensor # of x's shape without these dims
function Tensor:nanmax(dim, options) end

---Computes the mean of the elements that are not NaN. The mean of no elements is NaN.
---```lua
---lt.tensor{1, lt.nan, 3}:nanmean()  --> 2.0
---```
---@param dim? luatensor.options.dim_keepdim_dtype a dim or a list of dims; by default all dims
---@param options? luatensor.options.dim_keepdim_dtype
---@return luatensor.Tensor # of x's shape without these dims
function Tensor:nanmean(dim, options) end

---Computes the median of the elements that are not NaN. If their number is even, the median is the mean of the two
---middle elements. The median of no elements is NaN.
---```lua
---lt.tensor{1, lt.nan, 3, 7}:nanmedian()  --> 3.0
---```
---@param dim? luatensor.options.dim_keepdim a dim or a list of dims; by default all dims
---@param options? luatensor.options.dim_keepdim
---@return luatensor.Tensor # of x's shape without these dims
function Tensor:nanmedian(dim, options) end

---Computes the smallest element that is not NaN; NaN where all elements are NaN.
---```lua
---lt.tensor{1, lt.nan, 3}:nanmin()  --> 1.0
---```
---@param dim? luatensor.options.dim_keepdim a dim or a list of dims; by default all dims
---@param options? luatensor.options.dim_keepdim
---@return luatensor.Tensor # of x's shape without these dims
function Tensor:nanmin(dim, options) end

---Computes quantiles of the elements that are not NaN, by the rules of lt.quantile.
---```lua
---lt.tensor{1, lt.nan, 3}:nanquantile(0.25)  --> 1.5
---```
---@param q number|luatensor.Tensor quantiles in [0, 1]; the dims of a tensor come first in the result
---@param dim? luatensor.nanquantile.options a dim or a list of dims; by default all dims
---@param options? luatensor.nanquantile.options
---@return luatensor.Tensor # NaN for lines in which all elements are NaN
function Tensor:nanquantile(q, dim, options) end

---Computes the standard deviation of the elements that are not NaN, the square root of their variance. Its gradient is
---0 where all elements are equal.
---```lua
---lt.tensor{1, lt.nan, 3}:nanstd({correction = 1})  --> 1.4142
---```
---@param dim? luatensor.nanstd.options a dim or a list of dims; by default all dims
---@param options? luatensor.nanstd.options
---@return luatensor.Tensor # of x's shape without these dims
function Tensor:nanstd(dim, options) end

---Computes the sum of the elements that are not NaN. The sum of no elements is 0.
---```lua
---lt.tensor{1, lt.nan, 3}:nansum()  --> 4.0
---```
---@param dim? luatensor.options.dim_keepdim_dtype a dim or a list of dims; by default all dims
---@param options? luatensor.options.dim_keepdim_dtype
---@return luatensor.Tensor # of x's shape without these dims
function Tensor:nansum(dim, options) end

---Computes the variance of the elements that are not NaN: the mean of the squared distances from their mean.
---```lua
---lt.tensor{1, lt.nan, 3}:nanvar()  --> 1.0
---```
---@param dim? luatensor.nanvar.options a dim or a list of dims; by default all dims
---@param options? luatensor.nanvar.options
---@return luatensor.Tensor # of x's shape without these dims; NaN where no more elements than the correction are left
function Tensor:nanvar(dim, options) end

---Selects `length` elements of a dim, from `start` on.
---```lua
---lt.arange(10):narrow(1, 3, 4)  --> [2, 3, 4, 5]
---```
---@param dim integer
---@param start integer the position of the first element; a negative number counts from the end
---@param length integer
---@return luatensor.Tensor # a view
function Tensor:narrow(dim, start, length) end

---The same as not_equal.
Tensor["ne"] = Tensor["not_equal"]

---The same as negative.
Tensor["neg"] = Tensor["negative"]

---The same as negative_.
Tensor["neg_"] = Tensor["negative_"]

----x; integers wrap.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{1, -2}:negative()  --> [-1, 2]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:negative(options) end

---In place: -x; integers wrap.
---@return luatensor.Tensor # x
function Tensor:negative_() end

---The same as x.size.
---@return integer #
function Tensor:nelement() end

---the next value of the dtype after x toward y.
---For bool, integers and floats.
---```lua
---lt.nextafter(lt.tensor({1.0}, {dtype = "float64"}), 2.0):subtract(1.0)  --> [2.2204e-16]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:nextafter(y, options) end

---In place: the next value of the dtype after x toward y.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:nextafter_(y) end

---Returns the positions of the elements that are not 0 (or are true), in row-major order. Waits for the device,
---because the result's length depends on the elements.
---```lua
---lt.nonzero(lt.tensor{0, 5, 0, 7})[1]  --> 2
---```
---@return luatensor.Tensor # ... one int64 tensor for each dim; together they index x
function Tensor:nonzero() end

---Computes the vector norm of order p of the elements: (sum of |x|^p)^(1/p).
---```lua
---lt.tensor{3.0, 4.0}:norm()  --> 5.0
---```
---@param p? number|luatensor.norm.options math.huge: the largest |x|; -math.huge: the smallest |x|; 0: the number of elements other than 0; default 2
---@param dim? luatensor.norm.options a dim or a list of dims; by default all dims
---@param options? luatensor.norm.options
---@return luatensor.Tensor # of x's shape without these dims
function Tensor:norm(p, dim, options) end

---Fills x from the normal distribution.
---```lua
---lt.zeros(2, 3):normal_(0, 1).shape  --> [2, 3]
---```
---@param mean? number|luatensor.options.generator default 0
---@param std? number|luatensor.options.generator default 1
---@param options? luatensor.options.generator
---@return luatensor.Tensor # x
function Tensor:normal_(mean, std, options) end

---x ~= y.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1, 2}:not_equal(2)  --> [true, false]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:not_equal(y, options) end

---The same as x.size.
---@return integer #
function Tensor:numel() end

---Makes a tensor of ones in the shape of x.
---```lua
---lt.ones_like(lt.tensor{1, 2})  --> [1, 1]
---```
---@param options? luatensor.zeros_like.options
---@return luatensor.Tensor # a new tensor
function Tensor:ones_like(options) end

---Multiplies every element of x by every element of y.
---```lua
---lt.tensor{1, 2}:outer(lt.tensor{3, 4})  --> [[3, 4], [6, 8]]
---```
---@param y luatensor.Tensor 1-d
---@return luatensor.Tensor # shape [#x, #y]
function Tensor:outer(y) end

---Adds elements at the ends of dims.
---```lua
---lt.tensor{1, 2}:pad{1, 1}  --> [0, 1, 2, 0]
---```
---@param widths table the numbers of elements before and after the last dim, then before and after the second-last dim, and so on; negative widths cut elements off
---@param options? luatensor.pad.options
---@return luatensor.Tensor #
function Tensor:pad(widths, options) end

---The same as permute_dims.
Tensor["permute"] = Tensor["permute_dims"]

---Reorders the dims.
---```lua
---lt.ones(2, 3, 4):permute_dims(3, 1, 2).shape  --> [4, 2, 3]
---```
---@param ... integer|integer[] every dim once, or one table of all dims: dim d of the result is dim order[d] of x
---@return luatensor.Tensor # a view
function Tensor:permute_dims(...) end

---Copies a CPU tensor to page-locked memory, which a GPU can read and write directly. Returns x itself if x is in
---page-locked memory already. Copies from page-locked memory to a GPU return at once; the next use of the tensor on the CPU
---waits for them.
---Errors: if there is no GPU, or if the system's limit for page-locked memory is reached.
---```lua
---if lt.cuda.is_available() then
---  local x = lt.ones(4):pin_memory():to("cuda")
---end
---```
---@return luatensor.Tensor #
function Tensor:pin_memory() end

---x itself.
---For bool, integers, floats and complex numbers.
---```lua
---lt.positive(lt.tensor{-1, 2})  --> [-1, 2]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:positive(options) end

---In place: x itself.
---@return luatensor.Tensor # x
function Tensor:positive_() end

---x to the power y; integers wrap, a negative integer exponent gives 0 unless x is 1 or -1.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{1, 2, 3}:pow(2)  --> [1, 4, 9]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:pow(y, options) end

---In place: x to the power y; integers wrap, a negative integer exponent gives 0 unless x is 1 or -1.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:pow_(y) end

---The same as pow.
Tensor["power"] = Tensor["pow"]

---The same as pow_.
Tensor["power_"] = Tensor["pow_"]

---product; bool and integers multiply in int64 or uint64.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{2, 3, 4}:prod()  --> 24
---```
---@param dim? integer|integer[]|luatensor.prod.options all dims unless given
---@param options? luatensor.prod.options
---@return luatensor.Tensor #
function Tensor:prod(dim, options) end

---Computes quantiles along a dim by NumPy's rules. In a sorted line of n elements, quantile q is at position q * (n
---1), counted from 0.
---```lua
---lt.tensor{1, 2, 3, 4, 5}:quantile(0.25)  --> 2.0
---```
---@param q number|luatensor.Tensor quantiles in [0, 1]; the dims of a tensor come first in the result
---@param dim? luatensor.quantile.options a dim or a list of dims; by default all dims
---@param options? luatensor.quantile.options
---@return luatensor.Tensor # NaN for lines that contain a NaN
function Tensor:quantile(q, dim, options) end

---Draws from the uniform distribution in [0, 1), with x's shape, dtype and device.
---```lua
---lt.rand_like(lt.ones(2, 3)).shape  --> [2, 3]
---```
---@param options? luatensor.rand_like.options
---@return luatensor.Tensor #
function Tensor:rand_like(options) end

---Draws from the normal distribution with mean 0 and standard deviation 1, with x's shape, dtype and device.
---```lua
---lt.randn_like(lt.ones(2, 3)).shape  --> [2, 3]
---```
---@param options? luatensor.rand_like.options
---@return luatensor.Tensor #
function Tensor:randn_like(options) end

---Fills x with integers from low to high, both included.
---```lua
---lt.zeros(100):random_(1, 6):max():item() <= 6  --> true
---```
---@param low? integer|luatensor.options.generator default 0
---@param high? integer|luatensor.options.generator by default the greatest integer of the dtype; for floats the end of the range in which all integers are exact
---@param options? luatensor.options.generator
---@return luatensor.Tensor # x
function Tensor:random_(low, high, options) end

---The same as flatten.
Tensor["ravel"] = Tensor["flatten"]

---Returns the real parts of x: a view that shares x's memory if x is complex, otherwise x itself.
---```lua
---lt.tensor({{1, 2}}, {dtype = "complex64"}):real()  --> [1.0]
---```
---@return luatensor.Tensor # float32 for complex64, float64 for complex128, otherwise x's dtype; in x's shape
function Tensor:real() end

---1 / x.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{2.0, 4.0}:reciprocal()  --> [0.50, 0.25]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:reciprocal(options) end

---In place: 1 / x.
---@return luatensor.Tensor # x
function Tensor:reciprocal_() end

---max(x, 0).
---For integers and floats.
---```lua
---lt.tensor{-1, 2}:relu()  --> [0, 2]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:relu(options) end

---In place: max(x, 0).
---@return luatensor.Tensor # x
function Tensor:relu_() end

---x - y * floor(x / y), with the sign of y; integers by 0 give 0.
---For integers and floats.
---```lua
---lt.tensor{-1, 7}:remainder(3)  --> [2, 1]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:remainder(y, options) end

---In place: x - y * floor(x / y), with the sign of y; integers by 0 give 0.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:remainder_(y) end

---Repeats each element. `repeat` is a reserved word of Lua, so scripts write `x:repeat_interleave(2)` or
---`x["repeat"](x, 2)`. If the repeats are not a single number, the call waits for a GPU, because the length of the
---result is their sum.
---```lua
---lt["repeat"](lt.tensor{1, 2}, 2)  --> [1, 1, 2, 2]
---```
---@param repeats integer|table|luatensor.Tensor one number, or a number for each element of dim
---@param dim? integer|luatensor.repeat.options if missing, x is flattened; also option `dim`
---@return luatensor.Tensor #
Tensor["repeat"] = function(self, repeats, dim) end

---The same as repeat.
Tensor["repeat_interleave"] = Tensor["repeat"]

---Requests gradients for x: ops on x are recorded, and `y:backward()` adds gradients to `x.grad`.
---```lua
---lt.ones(1):requires_grad_().requires_grad  --> true
---```
---@param flag? boolean default true
---@return luatensor.Tensor # x
function Tensor:requires_grad_(flag) end

---Returns the same elements, in row-major order, in another shape. The result is a view if the layout allows, else a
---copy.
---```lua
---lt.arange(6):reshape(2, 3)         --> [[0, 1, 2], [3, 4, 5]]
---lt.arange(6):reshape(3, -1).shape  --> [3, 2]
---```
---@param ... integer|integer[]|luatensor.reshape.options sizes, or one table of sizes; one size may be -1, which is computed from the others
---@return luatensor.Tensor #
function Tensor:reshape(...) end

---Makes backward store the gradient of x in `x.grad`, although x is no leaf.
---```lua
---local x = lt.ones(1, {requires_grad = true})
---local y = x * 2
---y:retain_grad()
---y:square():sum():backward()
---y.grad  --> [4.0]
---```
function Tensor:retain_grad() end

---The same as bitwise_right_shift.
Tensor["right_shift"] = Tensor["bitwise_right_shift"]

---The same as bitwise_right_shift_.
Tensor["right_shift_"] = Tensor["bitwise_right_shift_"]

---The same as x:to("rocm").
---@return luatensor.Tensor #
function Tensor:rocm() end

---Shifts elements along dims. Elements that are shifted beyond the end are inserted at the front.
---```lua
---lt.tensor{1, 2, 3}:roll(1)  --> [3, 1, 2]
---```
---@param shift integer|table the number of places for each dim in `dim`; negative shifts move elements to the front
---@param dim? integer|table|luatensor.roll.options if missing, x is shifted as one row in row-major order; also option `dim`
---@return luatensor.Tensor #
function Tensor:roll(shift, dim) end

---nearest integral value, halves to even.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{0.5, 1.5, 2.4}:round()  --> [0.0, 2.0, 2.0]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:round(options) end

---In place: nearest integral value, halves to even.
---@return luatensor.Tensor # x
function Tensor:round_() end

---Returns an iterator for the generic for: `for i, row in x:rows() do`. `pairs(x)` is the same.
---```lua
---local sums = {}
---for i, row in lt.rows(lt.tensor{{1, 2}, {3, 4}}) do sums[i] = row:sum():item() end
---sums[2]  --> 7
---```
function Tensor:rows() end

---1 / sqrt(x).
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1.0, 4.0}:rsqrt()  --> [1.0, 0.5]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:rsqrt(options) end

---In place: 1 / sqrt(x).
---@return luatensor.Tensor # x
function Tensor:rsqrt_() end

---Returns a copy of x with src written along a dim: `out[index[i][j]][j] = src[i][j]` for dim 1. If several values go
---to one place, the last one stays. `scatter_` writes into x.
---```lua
---lt.zeros(3):scatter(1, lt.tensor{3, 1}, lt.tensor{7.0, 8.0})  --> [8.0, 0.0, 7.0]
---```
---@param dim integer
---@param index luatensor.Tensor integers, with as many dims as x; only in dim may it be longer than x
---@param src luatensor.Tensor|number
---@return luatensor.Tensor #
function Tensor:scatter(dim, index, src) end

---In place: Returns a copy of x with src written along a dim: `out[index[i][j]][j] = src[i][j]` for dim 1. If several values go
---@param dim integer
---@param index luatensor.Tensor integers, with as many dims as x; only in dim may it be longer than x
---@param src luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:scatter_(dim, index, src) end

---Like scatter, but src is added to the elements of x.
---```lua
---lt.zeros(2):scatter_add(1, lt.tensor{1, 2, 1}, lt.ones(3))  --> [2.0, 1.0]
---```
---@param dim integer
---@param index luatensor.Tensor
---@param src luatensor.Tensor|number
---@return luatensor.Tensor #
function Tensor:scatter_add(dim, index, src) end

---In place: Like scatter, but src is added to the elements of x.
---@param dim integer
---@param index luatensor.Tensor
---@param src luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:scatter_add_(dim, index, src) end

---Returns the positions, from 1 to n + 1, at which values can be inserted into a sorted row so that the row stays
---sorted.
---```lua
---lt.tensor{10, 20, 30}:searchsorted(lt.tensor{20, 25})  --> [2, 3]
---```
---@param values luatensor.Tensor|number
---@param options? luatensor.searchsorted.options
---@return luatensor.Tensor # int64, of values' shape
function Tensor:searchsorted(values, options) end

---The same as x:to("int16").
---@return luatensor.Tensor #
function Tensor:short() end

---Returns a copy of x with its rows (slices along dim 1) in random order.
---```lua
---lt.shuffle(lt.arange(5)):sort()  --> [0, 1, 2, 3, 4]
---```
---@param options? luatensor.options.generator
---@return luatensor.Tensor #
function Tensor:shuffle(options) end

---Puts the rows of x (slices along dim 1) into random order, in place.
---```lua
---lt.arange(5):shuffle_():sort()  --> [0, 1, 2, 3, 4]
---```
---@param options? luatensor.options.generator
---@return luatensor.Tensor # x
function Tensor:shuffle_(options) end

---1 / (1 + exp(-x)).
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0, 100}:sigmoid()  --> [0.5, 1.0]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:sigmoid(options) end

---In place: 1 / (1 + exp(-x)).
---@return luatensor.Tensor # x
function Tensor:sigmoid_() end

----1, 0 or 1, x / abs(x) of complex numbers; NaN stays NaN.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{-3, 0, 5}:sign()  --> [-1, 0, 1]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:sign(options) end

---In place: -1, 0 or 1, x / abs(x) of complex numbers; NaN stays NaN.
---@return luatensor.Tensor # x
function Tensor:sign_() end

---is the sign bit set? (true for -0).
---For bool, integers and floats.
---```lua
---lt.tensor{1.0, -0.0}:signbit()  --> [false, true]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:signbit(options) end

---x * sigmoid(x).
---For bool, integers and floats.
---```lua
---lt.tensor{-1.0, 0.0, 1.0}:silu()  --> [-0.2689, 0.0000, 0.7311]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:silu(options) end

---In place: x * sigmoid(x).
---@return luatensor.Tensor # x
function Tensor:silu_() end

---sine of x radians.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0, lt.pi / 2}:sin()  --> [0.0, 1.0]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:sin(options) end

---In place: sine of x radians.
---@return luatensor.Tensor # x
function Tensor:sin_() end

---hyperbolic sine.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, 1.0}:sinh()  --> [0.0000, 1.1752]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:sinh(options) end

---In place: hyperbolic sine.
---@return luatensor.Tensor # x
function Tensor:sinh_() end

---Computes exp(x) / sum(exp(x)) along a dim, without overflow.
---```lua
---lt.tensor{0.0, 0.0}:softmax(1)  --> [0.5, 0.5]
---```
---@param dim? integer|luatensor.options.dim_dtype_out default -1
---@param options? luatensor.options.dim_dtype_out
---@return luatensor.Tensor #
function Tensor:softmax(dim, options) end

---log(1 + exp(x)).
---For bool, integers and floats.
---```lua
---lt.tensor{-1.0, 0.0, 1.0}:softplus()  --> [0.3133, 0.6931, 1.3133]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:softplus(options) end

---In place: log(1 + exp(x)).
---@return luatensor.Tensor # x
function Tensor:softplus_() end

---Sorts the elements of each line along a dim. NaN counts as the greatest element. Equal elements, such as -0 and 0,
---keep their order, even with `descending`.
---```lua
---lt.tensor{3, 1, 2}:sort()                   --> [1, 2, 3]
---lt.tensor{3, 1, 2}:sort{descending = true}  --> [3, 2, 1]
---```
---@param dim? integer|luatensor.options.dim_descending_stable default -1
---@param options? luatensor.options.dim_descending_stable
---@return luatensor.Tensor # of x's shape and dtype
function Tensor:sort(dim, options) end

---Splits x along a dim into parts of one size (the last part may be shorter), or of the sizes in a table.
---```lua
---local a, b = table.unpack(lt.arange(5):split(3))
---b  --> [3, 4]
---```
---@param sizes integer|table the length of each part along the dim, or a list of lengths that add up to the dim's length
---@param dim? integer|luatensor.unstack.options also option `dim`; default 1
---@return table # views
function Tensor:split(sizes, dim) end

---square root; NaN below 0.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{4, 9}:sqrt()  --> [2.0, 3.0]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:sqrt(options) end

---In place: square root; NaN below 0.
---@return luatensor.Tensor # x
function Tensor:sqrt_() end

---x * x.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{2, 3}:square()  --> [4, 9]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:square(options) end

---In place: x * x.
---@return luatensor.Tensor # x
function Tensor:square_() end

---Removes dims of length 1.
---```lua
---lt.ones(1, 3, 1):squeeze().shape  --> [3]
---```
---@param dim? integer|table|luatensor.squeeze.options the dims to remove, by default all dims of length 1; also option `dim`
---@return luatensor.Tensor # a view
function Tensor:squeeze(dim) end

---standard deviation: the root of var.
---For bool, integers and floats.
---```lua
---lt.tensor{1, 2, 3, 4}:std()                --> 1.118
---lt.tensor{1, 2, 3, 4}:std{correction = 1}  --> 1.291
---```
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out_correction all dims unless given
---@param options? luatensor.options.dim_keepdim_out_correction
---@return luatensor.Tensor #
function Tensor:std(dim, options) end

---The same as subtract.
Tensor["sub"] = Tensor["subtract"]

---The same as subtract_.
Tensor["sub_"] = Tensor["subtract_"]

---x - y.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{5, 7} - 1          --> [4, 6]
---lt.tensor{5, 7}:subtract(1)  --> [4, 6]
---```
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:subtract(y, options) end

---In place: x - y.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:subtract_(y) end

---sum; bool and integers add up in int64 or uint64.
---For bool, integers, floats and complex numbers.
---```lua
---local x = lt.tensor{{1, 2}, {3, 4}}
---x:sum()                         --> 10
---x:sum(1)                        --> [4, 6]
---x:sum{dim = 2, keepdim = true}  --> [[3], [7]]
---```
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out_dtype all dims unless given
---@param options? luatensor.options.dim_keepdim_out_dtype
---@return luatensor.Tensor #
function Tensor:sum(dim, options) end

---Exchanges two dims.
---```lua
---lt.ones(2, 3, 4):swapaxes(1, 3).shape  --> [4, 3, 2]
---```
---@param a integer
---@param b integer
---@return luatensor.Tensor # a view
function Tensor:swapaxes(a, b) end

---The same as swapaxes.
Tensor["swapdims"] = Tensor["swapaxes"]

---The same as matrix_transpose.
Tensor["t"] = Tensor["matrix_transpose"]

---Returns the elements of x at positions along a dim: `x[{…, indices, …}]`.
---```lua
---lt.tensor{10, 20, 30}:take(lt.tensor{3, 1})  --> [30, 10]
---```
---@param indices luatensor.Tensor integers of any shape; negative numbers count from the end
---@param dim? integer|luatensor.take.options required unless x is 1-d
---@param options? luatensor.take.options
---@return luatensor.Tensor # of the shape of x, with dim replaced by the dims of indices
function Tensor:take(indices, dim, options) end

---Returns elements along a dim, like gather, but x and indices broadcast in all other dims.
---```lua
---local x = lt.tensor{30, 10, 20}
---x:take_along_axis(x:argsort())  --> [10, 20, 30]
---```
---@param indices luatensor.Tensor integers, with as many dims as x
---@param dim? integer|luatensor.take_along_axis.options default -1
---@param options? luatensor.take_along_axis.options
---@return luatensor.Tensor #
function Tensor:take_along_axis(indices, dim, options) end

---The same as take_along_axis.
Tensor["take_along_dim"] = Tensor["take_along_axis"]

---tangent of x radians.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, lt.pi / 4}:tan()  --> [0.0, 1.0]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:tan(options) end

---In place: tangent of x radians.
---@return luatensor.Tensor # x
function Tensor:tan_() end

---hyperbolic tangent.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0, 100}:tanh()  --> [0.0, 1.0]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:tanh(options) end

---In place: hyperbolic tangent.
---@return luatensor.Tensor # x
function Tensor:tanh_() end

---Multiplies x by y and sums over pairs of dims. The result has the remaining dims, first those of x, then those of
---y.
---```lua
---lt.tensordot(lt.ones(2, 3), lt.ones(3, 4), 1).shape  --> [2, 4]
---```
---@param y luatensor.Tensor
---@param dims? luatensor.options.dims n: the last n dims of x, the first n of y; or {dims of x, dims of y}; also option `dims`; default 2
---@return luatensor.Tensor #
function Tensor:tensordot(y, dims) end

---Repeats the whole tensor along each dim.
---```lua
---lt.tensor{1, 2}:tile(2)  --> [1, 2, 1, 2]
---```
---@param ... integer repetitions along each dim, or one table of them; fewer numbers than dims apply to the last dims
---@return luatensor.Tensor #
function Tensor:tile(...) end

---Converts x to another dtype, moves it to another device, or both. Returns x itself if it already has the dtype and
---the device. Integers wrap. Floats are rounded toward 0 to integers; floats out of range become the nearest integer of
---the dtype, and NaN becomes 0.
---```lua
---lt.tensor{1, 2}:to("float64").dtype  --> float64
---```
---@param ... string|luatensor.to.options a dtype, a device, or both in any order
---@return luatensor.Tensor #
function Tensor:to(...) end

---Returns the elements as a string: row-major, in native byte order. `string.unpack` can read it.
---```lua
---#lt.ones(3):to_bytes()  --> 12
---```
---@return any # string of x.size elements
function Tensor:to_bytes() end

---Exports the tensor to other libraries in this process, without a copy. On a GPU the function first waits for queued
---work. The userdata owns a DLManagedTensorVersioned struct, and begins with the struct's address. To take over the
---struct, set this address to NULL; otherwise the struct is deleted with the userdata. A consumer may delete the struct
---only when the consumer's own work on the memory is done.
---```lua
---lt.from_dlpack(lt.tensor{1, 2}:to_dlpack())  --> [1, 2]
---```
---@param options? luatensor.to_dlpack.options
---@return any # userdata
function Tensor:to_dlpack(options) end

---The same as totable.
Tensor["tolist"] = Tensor["totable"]

---Returns the k largest elements of each line along a dim, the largest first, and their positions. NaN counts as the
---largest element. Of equal elements the first ones are taken.
---```lua
---local values, positions = lt.tensor{3, 9, 5}:topk(2)
---values     --> [9, 5]
---positions  --> [2, 3]
---```
---@param k integer the number of elements, from 0 to the length of dim
---@param dim? integer|luatensor.topk.options default -1
---@param options? luatensor.topk.options
---@return luatensor.Tensor # of x's shape, with k elements in dim
---@return luatensor.Tensor # int64, of the same shape: positions in x
function Tensor:topk(k, dim, options) end

---Returns all elements as nested tables, complex elements as {re, im}. A 0-d tensor becomes a number or boolean. Waits for
---the device.
---```lua
---lt.tensor{1, 2, 3}:totable()[2]  --> 2
---```
---@return any # table, number or boolean
function Tensor:totable() end

---The same as swapaxes.
Tensor["transpose"] = Tensor["swapaxes"]

---Returns the lower triangles of matrices: copies in which all elements above diagonal k are 0.
---```lua
---lt.ones(3, 3):tril()  --> [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
---```
---@param options? luatensor.options.k
---@return luatensor.Tensor #
function Tensor:tril(options) end

---Returns the upper triangles of matrices: copies in which all elements below diagonal k are 0.
---```lua
---lt.ones(3, 3):triu()  --> [[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]
---```
---@param options? luatensor.options.k
---@return luatensor.Tensor #
function Tensor:triu(options) end

---The same as divide.
Tensor["true_divide"] = Tensor["divide"]

---The same as divide_.
Tensor["true_divide_"] = Tensor["divide_"]

---x without its fraction.
---For integers and floats.
---```lua
---lt.tensor{1.7, -1.7}:trunc()  --> [1.0, -1.0]
---```
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:trunc(options) end

---In place: x without its fraction.
---@return luatensor.Tensor # x
function Tensor:trunc_() end

---The same as unstack.
Tensor["unbind"] = Tensor["unstack"]

---Splits one dim into several.
---```lua
---lt.arange(6):unflatten(1, {2, 3}).shape  --> [2, 3]
---```
---@param dim integer
---@param sizes table the lengths of the new dims; one may be -1, which is computed from the others
---@return luatensor.Tensor # a view
function Tensor:unflatten(dim, sizes) end

---Fills x from the uniform distribution in [low, high).
---```lua
---lt.zeros(100):uniform_(2, 3):min():item() >= 2  --> true
---```
---@param low? number|luatensor.options.generator default 0
---@param high? number|luatensor.options.generator default 1
---@param options? luatensor.options.generator
---@return luatensor.Tensor # x
function Tensor:uniform_(low, high, options) end

---The same as unique_values.
Tensor["unique"] = Tensor["unique_values"]

---Returns all results of the other unique functions: the distinct elements, sorted, the positions of their first
---occurrences, the inverse, and the counts. The call waits for a GPU.
---```lua
---local values, positions, inverse, counts = lt.unique_all(lt.tensor{3, 1, 3})
---values     --> [1, 3]
---positions  --> [2, 1]
---inverse    --> [2, 1, 2]
---counts     --> [1, 2]
---```
---@return luatensor.Tensor # values, as from unique_values
---@return luatensor.Tensor # indices of the first occurrence of each value in x:flatten(), int64
---@return luatensor.Tensor # inverse: positions in values, int64, of x's shape
---@return luatensor.Tensor # counts: the number of occurrences of each value, int64
function Tensor:unique_all() end

---Returns the distinct elements, sorted, and the number of occurrences of each. The call waits for a GPU.
---```lua
---local values, counts = lt.unique_counts(lt.tensor{3, 1, 3})
---values  --> [1, 3]
---counts  --> [1, 2]
---```
---@return luatensor.Tensor # values, as from unique_values
---@return luatensor.Tensor # counts, int64
function Tensor:unique_counts() end

---Returns the distinct elements, sorted, and the position of each element of x among them. The call waits for a GPU.
---```lua
---local values, inverse = lt.unique_inverse(lt.tensor{3, 1, 3})
---inverse  --> [2, 1, 2]
---```
---@return luatensor.Tensor # values, as from unique_values
---@return luatensor.Tensor # inverse: positions in values, int64, of x's shape: `values[inverse]` is x
function Tensor:unique_inverse() end

---Returns the distinct elements, sorted. Every NaN is distinct, and NaNs come last; -0 and 0 are equal. Complex
---numbers are sorted by their real parts, then by their imaginary parts, with NaN as the largest value. The call
---waits for a GPU.
---```lua
---lt.tensor{3, 1, 3}:unique_values():sort()  --> [1, 3]
---```
---@return luatensor.Tensor # 1-d, of x's dtype
function Tensor:unique_values() end

---The same as expand_dims.
Tensor["unsqueeze"] = Tensor["expand_dims"]

---Returns the slices of x along a dim. The slices do not have this dim.
---```lua
---lt.unstack(lt.tensor{{1, 2}, {3, 4}})[2]  --> [3, 4]
---```
---@param dim? integer|luatensor.unstack.options also option `dim`; default 1
---@return table # views
function Tensor:unstack(dim) end

---variance, divided by n - correction (0 unless given).
---For bool, integers and floats.
---```lua
---lt.tensor{1, 2, 3, 4}:var()                --> 1.25
---lt.tensor{1, 2, 3, 4}:var{correction = 1}  --> 1.6667
---```
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out_correction all dims unless given
---@param options? luatensor.options.dim_keepdim_out_correction
---@return luatensor.Tensor #
function Tensor:var(dim, options) end

---Sums the products of the elements of x and y along a dim. If x is complex, its elements are conjugated first. The other
---dims broadcast.
---```lua
---lt.vecdot(lt.tensor{{1, 2}, {3, 4}}, lt.tensor{1, 1})  --> [3, 7]
---```
---@param y luatensor.Tensor with the same length as x in that dim; not bool
---@param dim? integer|luatensor.options.dim as numbered in the tensor with more dims; a negative dim counts from the end of both tensors; default -1
---@param options? luatensor.options.dim
---@return luatensor.Tensor # without that dim
function Tensor:vecdot(y, dim, options) end

---The same as reshape.
Tensor["view"] = Tensor["reshape"]

---Returns a view of pairs of numbers as complex numbers: the inverse of view_as_real.
---```lua
---lt.tensor{{1.0, 2.0}, {3.0, 4.0}}:view_as_complex()  --> [1.0+2.0i, 3.0+4.0i]
---```
---@return luatensor.Tensor # complex64 or complex128, without the last dim, sharing x's memory
function Tensor:view_as_complex() end

---Returns a view of complex numbers as real numbers, with an additional last dim of length 2: real part, imaginary part.
---```lua
---lt.tensor({{1, 2}, {3, 4}}, {dtype = "complex64"}):view_as_real()  --> [[1.0, 2.0], [3.0, 4.0]]
---```
---@return luatensor.Tensor # float32 or float64, of shape [..., 2], sharing x's memory
function Tensor:view_as_real() end

---y where x is true, else z.
---For bool, integers, floats and complex numbers.
---```lua
---local x = lt.tensor{-1, 2, -3}
---x:greater(0):where(x, 0)  --> [0, 2, 0]
---```
---@param y luatensor.Tensor|number
---@param z luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function Tensor:where(y, z, options) end

---In place: y where x is true, else z.
---@param y luatensor.Tensor|number
---@param z luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:where_(y, z) end

---Sets every element of x to 0.
---```lua
---lt.ones(2):zero_()  --> [0.0, 0.0]
---```
---@return luatensor.Tensor # x
function Tensor:zero_() end

---Makes a tensor of zeros in the shape of x.
---```lua
---lt.zeros_like(lt.tensor{1, 2})  --> [0, 0]
---```
---@param options? luatensor.zeros_like.options
---@return luatensor.Tensor # a new tensor
function Tensor:zeros_like(options) end

---@class luatensor.compiled
local compiled = {}

---Calls the function once, and returns a text that says what the call did: how many operations waited, how many passes over
---memory computed them, how many of its lists reused the schedule of an earlier list, how many bytes temporary results took at
---most, and the lines of the script before which the list had to run.
---```lua
---local scaled = lt.compile(function(x) return x * 2 / x:sum() + 1 end, {replay = true})
---for _ = 1, 5 do scaled(lt.ones(4)) end
---scaled(lt.ones(4))  --> [1.5, 1.5, 1.5, 1.5]
---tostring(scaled):match "; (.*)"  --> 4 of 6 calls replayed
---scaled:reset()
---scaled:explain(lt.ones(4)):match "(%d+) operations"  --> 4
---```
---@param ... any arguments of the function
---@return string #
function compiled:explain(...) end

---Forgets what was captured, so that the following calls run Lua again. Call it after a change that a replay cannot
---see. Only functions that were compiled with the option `replay` have this method.
---```lua
---local scaled = lt.compile(function(x) return x * 2 / x:sum() + 1 end, {replay = true})
---for _ = 1, 5 do scaled(lt.ones(4)) end
---scaled(lt.ones(4))  --> [1.5, 1.5, 1.5, 1.5]
---tostring(scaled):match "; (.*)"  --> 4 of 6 calls replayed
---scaled:reset()
---scaled:explain(lt.ones(4)):match "(%d+) operations"  --> 4
---```
function compiled:reset() end

---@class luatensor.generator
local generator = {}

---Seeds this generator.
---```lua
---lt.generator():manual_seed(3):seed()  --> 3
---```
---@param seed integer
---@return luatensor.generator # itself
function generator:manual_seed(seed) end

---Returns the seed with which the generator began.
---```lua
---lt.generator{seed = 7}:seed()  --> 7
---```
---@return integer # the generator's seed
function generator:seed() end

---Returns the state of the generator, for `set_state`.
---```lua
---local g = lt.generator{seed = 1}
---local state = g:state()
---local first = lt.rand(2, {generator = g})
---g:set_state(state)
---lt.rand(2, {generator = g}):equal(first):all()  --> true
---```
---@return table # {seed = …, offset = …}
function generator:state() end

---Restores a state. Afterwards the same numbers are drawn again.
---```lua
---local g = lt.generator{seed = 1}
---local state = g:state()
---local first = lt.rand(2, {generator = g})
---g:set_state(state)
---lt.rand(2, {generator = g}):equal(first):all()  --> true
---```
---@param state table a result of `state`
---@return luatensor.generator # itself
function generator:set_state(state) end

---@class luatensor.graph
local graph = {}

---Runs the captured work again, on the current stream.
---Errors: if the graph was freed, or while a graph is captured.
---```lua
---if lt.cuda.is_available() then
---  local x = lt.ones(3, {device = "cuda"})
---  local add = lt.graph(function() x:add_(1) end)
---  add:replay()
---  add:free()
---end
---```
---@return luatensor.Tensor # the results of the captured call: the same tensors, with new values
function graph:replay() end

---Frees the graph. Its results and their views stay valid. Freeing twice is harmless.
---```lua
---if lt.cuda.is_available() then
---  local x = lt.ones(3, {device = "cuda"})
---  local add = lt.graph(function() x:add_(1) end)
---  add:replay()
---  add:free()
---end
---```
function graph:free() end

---@class luatensor.stream
local stream = {}

---Waits until the work queued on this stream is done.
---```lua
---local s = lt.stream("cpu")
---local y = lt.with_stream(s, function() return lt.ones(2) + 1 end)
---s:synchronize()
---y  --> [2.0, 2.0]
---```
function stream:synchronize() end

---Makes work that is queued on this stream from now on wait for an event, or for the work that is queued on another stream
---now. The script does not wait.
---```lua
---local e = lt.event{device = "cpu"}
---e:record()
---lt.stream("cpu"):wait(e)
---```
---@param what any an event or a stream, of any device; an event that was never recorded counts as happened
function stream:wait(what) end

---@class luatensor.event
local event = {}

---Records this event after the work that is queued on a stream now. An earlier record no longer counts.
---```lua
---local e = lt.event{device = "cpu"}
---e:record()
---e:query()  --> true
---```
---@param stream? luatensor.stream by default the current stream of the event's device
---@return luatensor.event # itself
function event:record(stream) end

---Waits until the event has happened. Returns at once if the event was never recorded.
---```lua
---local a, b = lt.event{device = "cpu"}, lt.event{device = "cpu"}
---a:record()
---b:record()
---b:synchronize()
---a:elapsed(b) >= 0  --> true
---```
function event:synchronize() end

---True if the work before the event is done. Does not wait.
---```lua
---local e = lt.event{device = "cpu"}
---e:record()
---e:query()  --> true
---```
---@return boolean # also true if the event was never recorded
function event:query() end

---Returns the milliseconds from this event to a later one. Waits for the later event.
---Errors: if an event was not recorded or was made with `timing = false`, or if the events are on different devices.
---```lua
---local a, b = lt.event{device = "cpu"}, lt.event{device = "cpu"}
---a:record()
---b:record()
---b:synchronize()
---a:elapsed(b) >= 0  --> true
---```
---@param to luatensor.event an event of the same device
---@return number #
function event:elapsed(to) end

---@class luatensor
---@field nn luatensor.nn
---@field optim luatensor.optim
---@field data luatensor.data
---@field train luatensor.train
---@field distributed luatensor.distributed
---@field bench luatensor.bench
---@field plot luatensor.plot
local lt = {}

lt.advise = {}

lt.autograd = {}

lt.cuda = {}

lt.fft = {}

lt.info = {}

lt.linalg = {}

lt.metal = {}

lt.rocm = {}

lt.tpu = {}

lt.xla = {}

lt.xpu = {}

---Returns the real parts of x: a view that shares x's memory if x is complex, otherwise x itself.
---```lua
---lt.tensor({{1, 2}}, {dtype = "complex64"}):real()  --> [1.0]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor # float32 for complex64, float64 for complex128, otherwise x's dtype; in x's shape
function lt.real(x) end

---Returns the imaginary parts of x: a view that shares x's memory if x is complex, otherwise new zeros.
---```lua
---lt.tensor({{1, 2}}, {dtype = "complex64"}):imag()  --> [2.0]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor # float32 for complex64, float64 for complex128, otherwise x's dtype; in x's shape
function lt.imag(x) end

---Returns a view of complex numbers as real numbers, with an additional last dim of length 2: real part, imaginary part.
---```lua
---lt.tensor({{1, 2}, {3, 4}}, {dtype = "complex64"}):view_as_real()  --> [[1.0, 2.0], [3.0, 4.0]]
---```
---@param x luatensor.Tensor complex
---@return luatensor.Tensor # float32 or float64, of shape [..., 2], sharing x's memory
function lt.view_as_real(x) end

---Returns a view of pairs of numbers as complex numbers: the inverse of view_as_real.
---```lua
---lt.tensor{{1.0, 2.0}, {3.0, 4.0}}:view_as_complex()  --> [1.0+2.0i, 3.0+4.0i]
---```
---@param x luatensor.Tensor float32 or float64, of shape [..., 2], with the two numbers of each pair adjacent in memory
---@return luatensor.Tensor # complex64 or complex128, without the last dim, sharing x's memory
function lt.view_as_complex(x) end

---Makes complex numbers from real and imaginary parts. Two numbers give a 0-d tensor that promotes like a Lua number: it
---makes other operands complex, but never wider (`lt.complex(0, 1) * x` is complex64 if x is float32). Tensors give a
---tensor.
---```lua
---lt.complex(lt.tensor{1.0, 2.0}, lt.tensor{0.0, -1.0})  --> [1.0+0.0i, 2.0-1.0i]
---```
---@param re number|luatensor.Tensor real parts
---@param im? number|luatensor.Tensor imaginary parts; broadcast with re; default 0
---@return luatensor.Tensor # complex128 if a part is float64 or both are numbers, else complex64
function lt.complex(re, im) end

---Makes a tensor from data: `lt.tensor{{1, 2}, {3, 4}}`. Integers become int64, and booleans become bool. Floats, or a
---mix of floats and integers, become the default float.
---Note: data that does not fit the dtype is an error.
---```lua
---lt.tensor{{1, 2}, {3, 4}}                     --> [[1, 2], [3, 4]]
---lt.tensor({1, 2}, {dtype = "float64"}).dtype  --> float64
---```
---@param data any nested tables, a number, a boolean, or a tensor (which is copied); for a complex dtype pairs {re, im}
---@param options? luatensor.options.dtype_device_requires_grad
---@return luatensor.Tensor # a new tensor
function lt.tensor(data, options) end

---Converts the data to a tensor. A tensor that already has the requested dtype and device is returned without a copy.
---```lua
---lt.asarray{1, 2, 3}  --> [1, 2, 3]
---```
---@param data any nested tables, a number, a boolean, or a tensor
---@param options? luatensor.asarray.options
---@return luatensor.Tensor #
function lt.asarray(data, options) end

---Returns the value of a tensor of one element, as a Lua number or boolean. Waits for the device. A uint64 becomes the Lua
---integer with the same 64 bits.
---```lua
---lt.tensor(3.5):item()  --> 3.5
---```
---@param x luatensor.Tensor
---@return any # number or boolean; for complex numbers two values: the real and the imaginary part
function lt.item(x) end

---Returns all elements as nested tables, complex elements as {re, im}. A 0-d tensor becomes a number or boolean. Waits for
---the device.
---```lua
---lt.tensor{1, 2, 3}:totable()[2]  --> 2
---```
---@param x luatensor.Tensor
---@return any # table, number or boolean
function lt.totable(x) end

---Returns the elements as a string: row-major, in native byte order. `string.unpack` can read it.
---```lua
---#lt.ones(3):to_bytes()  --> 12
---```
---@param x luatensor.Tensor
---@return any # string of x.size elements
function lt.to_bytes(x) end

---Makes a tensor from the bytes of its elements: row-major, in native byte order.
---```lua
---lt.from_bytes("\1\2\3", {3}, {dtype = "uint8"})  --> [1, 2, 3]
---```
---@param s string
---@param shape any table of sizes, or one size
---@param options? luatensor.from_bytes.options
---@return luatensor.Tensor # a new tensor
function lt.from_bytes(s, shape, options) end

---Returns the address of the first element, on the tensor's device, as an integer for FFI.
---```lua
---type(lt.ones(3):data_ptr())  --> number
---```
---@param x luatensor.Tensor
---@return any # integer
function lt.data_ptr(x) end

---Converts x to another dtype, moves it to another device, or both. Returns x itself if it already has the dtype and
---the device. Integers wrap. Floats are rounded toward 0 to integers; floats out of range become the nearest integer of
---the dtype, and NaN becomes 0.
---```lua
---lt.tensor{1, 2}:to("float64").dtype  --> float64
---```
---@param x luatensor.Tensor
---@param ... string|luatensor.to.options a dtype, a device, or both in any order
---@return luatensor.Tensor #
function lt.to(x, ...) end

---Returns a copy of x with another dtype.
---```lua
---lt.tensor{1.5, 2.5}:astype("int64")  --> [1, 2]
---```
---@param x luatensor.Tensor
---@param dtype string
---@param options? luatensor.astype.options
---@return luatensor.Tensor #
function lt.astype(x, dtype, options) end

---Returns a row-major copy that shares no memory with x.
---```lua
---local x = lt.tensor{1, 2}
---local y = x:clone()
---y[1] = 9
---x  --> [1, 2]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.clone(x) end

---Returns x itself if its elements are row-major without gaps, else a copy with this layout.
---```lua
---lt.zeros(2, 3).T:contiguous():is_contiguous()  --> true
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.contiguous(x) end

---True if the elements are row-major without gaps.
---```lua
---lt.zeros(2, 3).T:is_contiguous()  --> false
---```
---@param x luatensor.Tensor
---@return boolean #
function lt.is_contiguous(x) end

---Copies a CPU tensor to page-locked memory, which a GPU can read and write directly. Returns x itself if x is in
---page-locked memory already. Copies from page-locked memory to a GPU return at once; the next use of the tensor on the CPU
---waits for them.
---Errors: if there is no GPU, or if the system's limit for page-locked memory is reached.
---```lua
---if lt.cuda.is_available() then
---  local x = lt.ones(4):pin_memory():to("cuda")
---end
---```
---@param x luatensor.Tensor on the CPU
---@return luatensor.Tensor #
function lt.pin_memory(x) end

---True if x is in page-locked memory.
---```lua
---lt.ones(2):is_pinned()  --> false
---```
---@param x luatensor.Tensor
---@return boolean #
function lt.is_pinned(x) end

---Makes a tensor of zeros.
---```lua
---lt.zeros(2, 3)  --> [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
---```
---@param ... integer|integer[]|luatensor.from_bytes.options sizes, or one table of sizes; none: a 0-d tensor
---@return luatensor.Tensor # of that shape
function lt.zeros(...) end

---Makes a tensor of ones.
---```lua
---lt.ones({2}, {dtype = "int64"})  --> [1, 1]
---```
---@param ... integer|integer[]|luatensor.from_bytes.options sizes, or one table of sizes
---@return luatensor.Tensor # of that shape
function lt.ones(...) end

---Makes a tensor with uninitialised elements.
---```lua
---lt.empty(2, 3).shape  --> [2, 3]
---```
---@param ... integer|integer[]|luatensor.from_bytes.options sizes, or one table of sizes
---@return luatensor.Tensor # of that shape
function lt.empty(...) end

---Makes a tensor of zeros in the shape of x.
---```lua
---lt.zeros_like(lt.tensor{1, 2})  --> [0, 0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.zeros_like.options
---@return luatensor.Tensor # a new tensor
function lt.zeros_like(x, options) end

---Makes a tensor of ones in the shape of x.
---```lua
---lt.ones_like(lt.tensor{1, 2})  --> [1, 1]
---```
---@param x luatensor.Tensor
---@param options? luatensor.zeros_like.options
---@return luatensor.Tensor # a new tensor
function lt.ones_like(x, options) end

---Makes a tensor in the shape of x with uninitialised elements.
---```lua
---lt.empty_like(lt.ones(2, 3)).shape  --> [2, 3]
---```
---@param x luatensor.Tensor
---@param options? luatensor.zeros_like.options
---@return luatensor.Tensor # a new tensor
function lt.empty_like(x, options) end

---Makes a tensor that is filled with one value: `lt.full({2, 3}, 7)`.
---Note: a value that does not fit the dtype is an error.
---```lua
---lt.full({2, 2}, 7)  --> [[7, 7], [7, 7]]
---```
---@param shape any table of sizes, or one size
---@param value any number or boolean; an integer gives int64, a float the default float, a boolean bool
---@param options? luatensor.options.dtype_device_requires_grad
---@return luatensor.Tensor # of that shape
function lt.full(shape, value, options) end

---Makes a tensor in the shape of x that is filled with one value.
---```lua
---lt.full_like(lt.tensor{1, 2}, 9)  --> [9, 9]
---```
---@param x luatensor.Tensor
---@param value any number or boolean that fits the dtype
---@param options? luatensor.zeros_like.options
---@return luatensor.Tensor # a new tensor
function lt.full_like(x, value, options) end

---Makes values from start up to, but not including, stop: `lt.arange(5)` is 0, 1, 2, 3, 4.
---Note: integers give int64, floats the default float.
---```lua
---lt.arange(5)           --> [0, 1, 2, 3, 4]
---lt.arange(1, 2, 0.25)  --> [1.00, 1.25, 1.50, 1.75]
---```
---@param start? number|luatensor.options.dtype_device_requires_grad default 0
---@param stop number
---@param step? number|luatensor.options.dtype_device_requires_grad the difference of neighbouring values, not 0; a negative step counts down; default 1
---@param options? luatensor.options.dtype_device_requires_grad
---@return luatensor.Tensor # 1-d
function lt.arange(start, stop, step, options) end

---Makes values from first to last, both included, like Lua's `for`: `lt.range(1, 5)` is 1, 2, 3, 4, 5.
---Note: integers give int64, floats the default float.
---```lua
---lt.range(1, 3)  --> [1, 2, 3]
---```
---@param first number
---@param last number
---@param step? number|luatensor.options.dtype_device_requires_grad the difference of neighbouring values, not 0; a negative step counts down; default 1
---@param options? luatensor.options.dtype_device_requires_grad
---@return luatensor.Tensor # 1-d
function lt.range(first, last, step, options) end

---Makes n evenly spaced values from start to stop.
---```lua
---lt.linspace(0, 1, 5)  --> [0.00, 0.25, 0.50, 0.75, 1.00]
---```
---@param start number|luatensor.Tensor a number, or a complex one: lt.complex(re, im)
---@param stop number|luatensor.Tensor a number, or a complex one
---@param n integer the number of values
---@param options? luatensor.linspace.options
---@return luatensor.Tensor # 1-d of a floating dtype
function lt.linspace(start, stop, n, options) end

---Checks and completes a device's name: "cuda" becomes "cuda:0"; "auto" becomes the best accelerator of this machine, or
---"cpu" if there is none. All functions that take a device accept these names.
---```lua
---tostring(lt.device("cpu"))  --> cpu
---```
---@param name? string by default the default device
---@return string # the full name; an error if there is no such device
function lt.device(name) end

---Sets the device of tensors that are made without option `device`, in this Lua state. The initial default device is
---"cpu".
---```lua
---lt.set_default_device("cpu")
---lt.ones(1).device  --> cpu
---```
---@param name string
function lt.set_default_device(name) end

---Returns the default device.
---```lua
---lt.get_default_device()  --> cpu
---```
---@return string # the device of tensors that are made without option `device`
function lt.get_default_device() end

---Lists the devices of this machine.
---```lua
---lt.devices()[1].kind  --> cpu
---```
---@return table # a list of {device = "cpu", name =, kind = "cpu", "gpu" or "pjrt", cores =, memory = bytes, bandwidth = bytes per second, isa =, software = versions of a GPU's driver and libraries, or of a plugin, emulated = true for a GPU that is emulated on the CPU}. For a GPU, cores are its multiprocessors, and isa is its compute capability or AMD's name of its processor; unknown fields are nil
function lt.devices() end

---Returns the best accelerator of this machine: a GPU, or a device of a plugin that does not compute on the CPU. If there is
---none, raises the error "GPU not found: " with the reason. If a plugin is unusable, too, the error begins with "accelerator
---not found: ".
---```lua
---pcall(lt.accelerator) == (lt.cuda.is_available() or lt.rocm.is_available())  --> true
---```
---@return string # the accelerator's name, such as "cuda:0"
function lt.accelerator() end

---True if there is a GPU of NVIDIA that can be used.
---```lua
---type(lt.cuda.is_available())  --> boolean
---```
---@return boolean #
---@return string # if the first result is false: the reason
function lt.cuda.is_available() end

---True if there is a GPU of AMD that can be used.
---```lua
---type(lt.rocm.is_available())  --> boolean
---```
---@return boolean #
---@return string # if the first result is false: the reason
function lt.rocm.is_available() end

---Closes a device, and opens it again at its next use. Its contents are lost: using an older tensor raises "this tensor
---was lost when cuda:0 was reopened"; freeing such a tensor is harmless. Other devices are not affected.
---Errors: after a kernel has failed, if the driver does not open the device again in this process, as NVIDIA's does.
---```lua
---pcall(lt.cuda.reopen, "cuda:99")  --> false
---```
---@param device string
function lt.cuda.reopen(device) end

---Reopens a device, like `cuda.reopen`.
---```lua
---pcall(lt.rocm.reopen, "rocm:99")  --> false
---```
---@param device string
function lt.rocm.reopen(device) end

---Waits until all work queued on a device is done.
---```lua
---lt.synchronize()
---```
---@param device? string by default all devices that have been used
function lt.synchronize(device) end

---Returns the seconds of a monotonic clock. Only differences are meaningful. (os.clock adds up the processor time of all
---threads.)
---```lua
---local began = lt.clock()
---lt.clock() >= began  --> true
---```
---@return number #
function lt.clock() end

---True if a plugin of PJRT makes a TPU a device of this process, as with Python's package `libtpu`.
---```lua
---type(lt.tpu.is_available())  --> boolean
---```
---@return boolean #
---@return string # if the first result is false: the reason
function lt.tpu.is_available() end

---True if a plugin of PJRT makes Apple's GPU a device of this process, as with Python's package `jax-metal`.
---```lua
---type(lt.metal.is_available())  --> boolean
---```
---@return boolean #
---@return string # if the first result is false: the reason
function lt.metal.is_available() end

---True if a plugin of PJRT makes Intel's GPU a device of this process, as with `intel-extension-for-openxla`.
---```lua
---type(lt.xpu.is_available())  --> boolean
---```
---@return boolean #
---@return string # if the first result is false: the reason
function lt.xpu.is_available() end

---True if a plugin of PJRT makes XLA on the CPU a device of this process, as with Python's package `xla-cpu-pjrt`.
---```lua
---type(lt.xla.is_available())  --> boolean
---```
---@return boolean #
---@return string # if the first result is false: the reason
function lt.xla.is_available() end

---Exports the tensor to other libraries in this process, without a copy. On a GPU the function first waits for queued
---work. The userdata owns a DLManagedTensorVersioned struct, and begins with the struct's address. To take over the
---struct, set this address to NULL; otherwise the struct is deleted with the userdata. A consumer may delete the struct
---only when the consumer's own work on the memory is done.
---```lua
---lt.from_dlpack(lt.tensor{1, 2}:to_dlpack())  --> [1, 2]
---```
---@param x luatensor.Tensor
---@param options? luatensor.to_dlpack.options
---@return any # userdata
function lt.to_dlpack(x, options) end

---Makes a tensor on another library's memory, without a copy. From then on the tensor owns the memory, which stays on its
---device. The other library's queued work on a GPU must be done before the call. Read-only memory is copied. After an
---error the struct still belongs to the caller.
---```lua
---lt.from_dlpack(lt.tensor{1, 2}:to_dlpack())  --> [1, 2]
---```
---@param p any userdata of to_dlpack, a tensor, or light userdata: the address of a DLManagedTensorVersioned
---@param options? luatensor.from_dlpack.options
---@return luatensor.Tensor #
function lt.from_dlpack(p, options) end

---Returns the dtype to which the arguments promote: the common dtype in which an op would compute them.
---```lua
---lt.result_type(lt.ones(1), lt.ones(1, {dtype = "float64"}))  --> float64
---```
---@param ... string|luatensor.Tensor|number|boolean dtype names, tensors, Lua values (weak: they only raise the kind)
---@return string #
function lt.result_type(...) end

---True if `from` promotes to `to`: an op on a tensor of each dtype gives a result of dtype `to`.
---```lua
---lt.can_cast("int32", "float64")  --> true
---```
---@param from string|luatensor.Tensor
---@param to string
---@return boolean #
function lt.can_cast(from, to) end

---True if a dtype belongs to a kind of the Python array API standard, or equals another dtype.
---```lua
---lt.isdtype("float32", "real floating")  --> true
---```
---@param dtype string|luatensor.Tensor
---@param kind string|table "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric", a dtype, or a list of these
---@return boolean #
function lt.isdtype(dtype, kind) end

---Returns the limits of a float dtype.
---```lua
---lt.finfo("float32").eps  --> 1.1920928955078e-07
---```
---@param dtype string|luatensor.Tensor
---@return table # bits, eps (distance from 1 to the next value), max, min, smallest_normal, dtype; for a complex dtype the limits of the dtype of its real part
function lt.finfo(dtype) end

---Returns the limits of an integer dtype.
---```lua
---lt.iinfo("int8").max  --> 127
---```
---@param dtype string|luatensor.Tensor
---@return table # bits, max, min, dtype; uint64's max is the Lua integer with the same bits, -1
function lt.iinfo(dtype) end

---Sets the default float: the dtype of float data, zeros, and quotients of integers.
---```lua
---lt.set_default_dtype("float64")
---lt.zeros(1).dtype  --> float64
---lt.set_default_dtype("float32")
---```
---@param dtype string a float dtype; initially "float32"
function lt.set_default_dtype(dtype) end

---Returns the default float: the dtype of float data, zeros, and quotients of integers.
---```lua
---lt.get_default_dtype()  --> float32
---```
---@return string #
function lt.get_default_dtype() end

---Returns the op table: every element-wise op, reduction, scan and softmax.
---```lua
---lt.ops().add.kind  --> binary
---```
---@return table # by name: {name, kind ("unary" … "quaternary", "reduction", "scan", "softmax"), arity, dtypes (list), result ("same", "bool", "real", "accumulated", "int64"), in_place (true if there is a method with a trailing underscore), doc}
function lt.ops() end

---Discrete Fourier transform of each line along a dim: y[k] = sum over j of x[j] exp(-2 pi i j k / n), j and k from 0.
---Errors: if the dtype has no transform, if n is below 1, or if dim has no elements and n is not given.
---```lua
---lt.fft.fft(lt.tensor{1.0, 0.0}):real()  --> [1.0, 1.0]
---```
---@param x luatensor.Tensor any shape, real or complex; not bool, not half floats; integers become the default float
---@param n? integer|luatensor.options.n_dim_out_norm number of elements to transform; by default the length of dim. A longer x is cut, a shorter one is padded with zeros
---@param dim? integer|luatensor.options.n_dim_out_norm default -1
---@param options? luatensor.options.n_dim_out_norm
---@return luatensor.Tensor # complex64 or complex128, n long in dim
function lt.fft.fft(x, n, dim, options) end

---The inverse of fft: y[k] = 1 / n * sum over j of x[j] exp(2 pi i j k / n).
---Errors: if the dtype has no transform, if n is below 1, or if dim has no elements and n is not given.
---```lua
---lt.fft.ifft(lt.fft.fft(lt.tensor{1.0, 2.0})):real()  --> [1.0, 2.0]
---```
---@param x luatensor.Tensor any shape, real or complex; not bool, not half floats; integers become the default float
---@param n? integer|luatensor.fft.ifft.options number of elements to transform; by default the length of dim. A longer x is cut, a shorter one is padded with zeros
---@param dim? integer|luatensor.fft.ifft.options default -1
---@param options? luatensor.fft.ifft.options
---@return luatensor.Tensor # complex64 or complex128, n long in dim
function lt.fft.ifft(x, n, dim, options) end

---Computes fft of real numbers. Elements n - k and k of the transform are conjugates, so only the first n // 2 + 1 of them
---are returned.
---Errors: if the dtype has no transform, if n is below 1, or if dim has no elements and n is not given.
---```lua
---lt.fft.rfft(lt.ones(4))  --> [4.0+0.0i, 0.0-0.0i, 0.0+0.0i]
---```
---@param x luatensor.Tensor any shape, real; not bool, not half floats; integers become the default float
---@param n? integer|luatensor.options.n_dim_out_norm number of elements to transform; by default the length of dim. A longer x is cut, a shorter one is padded with zeros
---@param dim? integer|luatensor.options.n_dim_out_norm default -1
---@param options? luatensor.options.n_dim_out_norm
---@return luatensor.Tensor # complex64 or complex128, n // 2 + 1 long in dim
function lt.fft.rfft(x, n, dim, options) end

---The inverse of rfft: computes real numbers from the first n // 2 + 1 elements of their transform. The imaginary parts of
---the first element, and of element n // 2 for even n, are ignored, because they would make the result complex.
---Errors: if the dtype has no transform, if n is below 1, or if dim has fewer than 2 elements and n is not given.
---```lua
---lt.fft.irfft(lt.fft.rfft(lt.tensor{1.0, 2.0, 3.0, 4.0}))  --> [1.0, 2.0, 3.0, 4.0]
---```
---@param x luatensor.Tensor any shape; not bool, not half floats; integers become the default float
---@param n? integer|luatensor.fft.irfft.options length of the result; by default 2 (m - 1), where m is the length of x. A longer x than n // 2 + 1 is cut, a shorter one is padded with zeros
---@param dim? integer|luatensor.fft.irfft.options default -1
---@param options? luatensor.fft.irfft.options
---@return luatensor.Tensor # float32 or float64, n long in dim
function lt.fft.irfft(x, n, dim, options) end

---Computes fft of n numbers with a real result: numbers n - k and k are conjugates. x contains only the first n // 2 + 1
---of these numbers.
---Errors: if the dtype has no transform, if n is below 1, or if dim has fewer than 2 elements and n is not given.
---```lua
---lt.fft.hfft(lt.fft.ihfft(lt.tensor{1.0, 2.0, 3.0, 4.0}))  --> [1.0, 2.0, 3.0, 4.0]
---```
---@param x luatensor.Tensor any shape; not bool, not half floats; integers become the default float
---@param n? integer|luatensor.fft.hfft.options length of the result; by default 2 (m - 1), where m is the length of x. A longer x than n // 2 + 1 is cut, a shorter one is padded with zeros
---@param dim? integer|luatensor.fft.hfft.options default -1
---@param options? luatensor.fft.hfft.options
---@return luatensor.Tensor # float32 or float64, n long in dim
function lt.fft.hfft(x, n, dim, options) end

---The inverse of hfft: the first n // 2 + 1 elements of ifft of real numbers.
---Errors: if the dtype has no transform, if n is below 1, or if dim has no elements and n is not given.
---```lua
---lt.fft.ihfft(lt.ones(4)).shape  --> [3]
---```
---@param x luatensor.Tensor any shape, real; not bool, not half floats; integers become the default float
---@param n? integer|luatensor.fft.ifft.options number of elements to transform; by default the length of dim. A longer x is cut, a shorter one is padded with zeros
---@param dim? integer|luatensor.fft.ifft.options default -1
---@param options? luatensor.fft.ifft.options
---@return luatensor.Tensor # complex64 or complex128, n // 2 + 1 long in dim
function lt.fft.ihfft(x, n, dim, options) end

---fft along two dims, one after the other.
---```lua
---lt.fft.fft2(lt.ones(2, 2)):real()  --> [[4.0, 0.0], [0.0, 0.0]]
---```
---@param x luatensor.Tensor 2 dims or more; not bool, not half floats; integers become the default float
---@param s? table|luatensor.options.s_dim_out_norm the length along each dim, where -1 keeps the length
---@param dim? integer|table|luatensor.options.s_dim_out_norm by default the last two
---@param options? luatensor.options.s_dim_out_norm
---@return luatensor.Tensor # complex64 or complex128
function lt.fft.fft2(x, s, dim, options) end

---The inverse of fft2.
---```lua
---lt.fft.ifft2(lt.fft.fft2(lt.ones(2, 2))):real()  --> [[1.0, 1.0], [1.0, 1.0]]
---```
---@param x luatensor.Tensor 2 dims or more; not bool, not half floats; integers become the default float
---@param s? table|luatensor.fft.ifft2.options the length along each dim, where -1 keeps the length
---@param dim? integer|table|luatensor.fft.ifft2.options by default the last two
---@param options? luatensor.fft.ifft2.options
---@return luatensor.Tensor # complex64 or complex128
function lt.fft.ifft2(x, s, dim, options) end

---fft2 of real numbers: rfft along the last dim of `dim`, fft along the other.
---```lua
---lt.fft.rfft2(lt.ones(4, 4)).shape  --> [4, 3]
---```
---@param x luatensor.Tensor 2 dims or more, real; not bool, not half floats; integers become the default float
---@param s? table|luatensor.options.s_dim_out_norm the length along each dim, where -1 keeps the length
---@param dim? integer|table|luatensor.options.s_dim_out_norm by default the last two
---@param options? luatensor.options.s_dim_out_norm
---@return luatensor.Tensor # complex64 or complex128, n // 2 + 1 long in the last dim of `dim`, where n is the last length of s
function lt.fft.rfft2(x, s, dim, options) end

---The inverse of rfft2.
---```lua
---lt.fft.irfft2(lt.fft.rfft2(lt.ones(4, 4))).shape  --> [4, 4]
---```
---@param x luatensor.Tensor 2 dims or more; not bool, not half floats; integers become the default float
---@param s? table|luatensor.fft.irfft2.options the length of the result along each dim; -1 gives the length of x or, for m elements along the last dim of `dim`, 2 (m - 1)
---@param dim? integer|table|luatensor.fft.irfft2.options by default the last two
---@param options? luatensor.fft.irfft2.options
---@return luatensor.Tensor # float32 or float64
function lt.fft.irfft2(x, s, dim, options) end

---fft along several dims, one after the other.
---```lua
---lt.fft.fftn(lt.ones(2, 3, 4)).shape  --> [2, 3, 4]
---```
---@param x luatensor.Tensor any shape, real or complex; not bool, not half floats; integers become the default float
---@param s? table|luatensor.fft.fftn.options the length along each dim, where -1 keeps the length; requires `dim`
---@param dim? integer|table|luatensor.fft.fftn.options by default all dims
---@param options? luatensor.fft.fftn.options
---@return luatensor.Tensor # complex64 or complex128
function lt.fft.fftn(x, s, dim, options) end

---The inverse of fftn.
---```lua
---lt.fft.ifftn(lt.ones(2, 3, 4)).shape  --> [2, 3, 4]
---```
---@param x luatensor.Tensor any shape, real or complex; not bool, not half floats; integers become the default float
---@param s? table|luatensor.fft.ifftn.options the length along each dim, where -1 keeps the length; requires `dim`
---@param dim? integer|table|luatensor.fft.ifftn.options by default all dims
---@param options? luatensor.fft.ifftn.options
---@return luatensor.Tensor # complex64 or complex128
function lt.fft.ifftn(x, s, dim, options) end

---fftn of real numbers: rfft along the last dim of `dim`, fft along the others.
---```lua
---lt.fft.rfftn(lt.ones(2, 3, 4)).shape  --> [2, 3, 3]
---```
---@param x luatensor.Tensor any shape, real; not bool, not half floats; integers become the default float
---@param s? table|luatensor.fft.fftn.options the length along each dim, where -1 keeps the length; requires `dim`
---@param dim? integer|table|luatensor.fft.fftn.options by default all dims
---@param options? luatensor.fft.fftn.options
---@return luatensor.Tensor # complex64 or complex128, n // 2 + 1 long in the last dim of `dim`, where n is the last length of s
function lt.fft.rfftn(x, s, dim, options) end

---The inverse of rfftn.
---```lua
---lt.fft.irfftn(lt.ones(2, 3, 3)).shape  --> [2, 3, 4]
---```
---@param x luatensor.Tensor any shape; not bool, not half floats; integers become the default float
---@param s? table|luatensor.fft.irfftn.options the length of the result along each dim; -1 gives the length of x or, for m elements along the last dim of `dim`, 2 (m - 1); requires `dim`
---@param dim? integer|table|luatensor.fft.irfftn.options by default all dims
---@param options? luatensor.fft.irfftn.options
---@return luatensor.Tensor # float32 or float64
function lt.fft.irfftn(x, s, dim, options) end

---Returns a tensor that shares x's memory. No gradient flows through the result.
---```lua
---local x = lt.ones(1, {requires_grad = true})
---x:multiply(2):detach().requires_grad  --> false
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.detach(x) end

---Captures a function's work on a device, so that a repeated sequence of small ops costs only one launch on a GPU, and no Lua
---on the CPU. The function is called twice, without arguments: first normally (kernels are compiled, its effects happen), then
---for the capture, which computes nothing. The results have no values before the first replay. Each replay runs the same ops
---on the same tensors: to change the inputs, write into them (`x:copy_(y)`). Random numbers advance at each replay as if the
---function had been called, and so do the steps of optimisers, with their current rates. Shapes, and branches that Lua took at
---the capture, stay the same. Inside the function, reading values, copies between devices, waiting, streams, events and work on
---another GPU are errors. Work on CPU tensors is not part of a graph of a GPU: it runs only in the two calls.
---Errors: errors of f.
---```lua
---if lt.cuda.is_available() then
---  local x = lt.ones(3, {device = "cuda"})
---  local add = lt.graph(function() x:add_(1) end)
---  add:replay()
---  add:free()
---end
---```
---@param f function
---@param options? luatensor.graph.options
---@return luatensor.graph # with the methods below; its memory, including the memory of temporary tensors, is kept until the graph is freed
function lt.graph(f, options) end

---Measures the limits of a device with loops that only compute or only access memory. On the CPU the loops run on all
---threads in use. This takes about a second and needs an idle device. The arithmetic uses the ordinary units; a GPU's
---tensor cores are faster.
---```lua
---local function reads_faster(a, b)      -- takes about a second for each device
---  return lt.limits(a).read > lt.limits(b).read
---end
---```
---@param device? string by default the default device
---@param dtype? string whose arithmetic is measured; default "float32"
---@return table # `flops`: additions and multiplications per second; `read` and `copy`: bytes per second; a copy counts the bytes read and the bytes written
function lt.limits(device, dtype) end

---Computes the inverses of square matrices.
---Errors: if a matrix is singular.
---```lua
---lt.linalg.inv(lt.tensor{{2.0, 0.0}, {0.0, 4.0}})  --> [[0.50, 0.00], [0.00, 0.25]]
---```
---@param x luatensor.Tensor [..., n, n], float32, float64 or complex; integers become the default float
---@return luatensor.Tensor # [..., n, n]
function lt.linalg.inv(x) end

---Computes the determinants of square matrices.
---```lua
---lt.linalg.det(lt.tensor{{2.0, 0.0}, {0.0, 4.0}})  --> 8.0
---```
---@param x luatensor.Tensor [..., n, n]
---@return luatensor.Tensor # [...]; 1 for matrices of shape [0, 0], 0 for singular ones
function lt.linalg.det(x) end

---Computes the sign and the logarithm of determinants, even if the determinants overflow or underflow.
---```lua
---local sign, logarithm = lt.linalg.slogdet(lt.tensor{{0.0, 1.0}, {1.0, 0.0}})
---sign  --> -1.0
---```
---@param x luatensor.Tensor [..., n, n]
---@return luatensor.Tensor # [...]: -1, 0 or 1; for complex matrices det / |det|
---@return luatensor.Tensor # [...]: log(|det|), -inf for singular matrices
function lt.linalg.slogdet(x) end

---Computes the singular values in descending order.
---```lua
---lt.linalg.svdvals(lt.tensor{{3.0, 0.0}, {0.0, 2.0}})  --> [3.0, 2.0]
---```
---@param x luatensor.Tensor [..., m, n]
---@return luatensor.Tensor # [..., min(m, n)], real
function lt.linalg.svdvals(x) end

---Computes eigenvalues and eigenvectors of square matrices that need not be symmetric: x V = V diag(values), where V has the
---eigenvectors as columns.
---
---Gradients require that all eigenvalues differ, and that the loss does not change if an eigenvector is multiplied by a
---factor of absolute value 1.
---```lua
---local values, vectors = lt.linalg.eig(lt.tensor{{0.0, 1.0}, {-1.0, 0.0}})
---values.shape  --> [2]
---```
---@param x luatensor.Tensor [..., n, n]
---@return luatensor.Tensor # eigenvalues [..., n], complex, in no particular order
---@return luatensor.Tensor # eigenvectors [..., n, n], complex: columns of length 1
function lt.linalg.eig(x) end

---Computes the eigenvalues of square matrices that need not be symmetric.
---```lua
---lt.linalg.eigvals(lt.tensor{{0.0, 1.0}, {-1.0, 0.0}}):abs()  --> [1.0, 1.0]
---```
---@param x luatensor.Tensor [..., n, n]
---@return luatensor.Tensor # [..., n], complex, in no particular order
function lt.linalg.eigvals(x) end

---Computes an LU factorization in the form that lu_solve takes.
---```lua
---local lu, pivots = lt.linalg.lu_factor(lt.tensor{{2.0, 0.0}, {0.0, 4.0}})
---lt.linalg.lu_solve(lu, pivots, lt.tensor{{2.0}, {4.0}})  --> [[1.0], [1.0]]
---```
---@param x luatensor.Tensor [..., m, n]
---@return luatensor.Tensor # [..., m, n]: U on and above the diagonal, L below it; the ones on L's diagonal are not stored
---@return luatensor.Tensor # pivots [..., min(m, n)], int32: row i was swapped with row pivots[i], for i = 1, 2, …
function lt.linalg.lu_factor(x) end

---Computes the Cholesky factors of symmetric (complex: Hermitian) matrices that are positive definite. Only one triangle
---is read; the gradient goes to both triangles.
---Errors: if a matrix is not positive definite.
---```lua
---lt.linalg.cholesky(lt.tensor{{4.0, 2.0}, {2.0, 5.0}})  --> [[2.0, 0.0], [1.0, 2.0]]
---```
---@param x luatensor.Tensor [..., n, n]
---@param options? luatensor.linalg.cholesky.options
---@return luatensor.Tensor # [..., n, n]: L with x = L Lᴴ
function lt.linalg.cholesky(x, options) end

---Computes eigenvalues and eigenvectors of symmetric (complex: Hermitian) matrices: x = V diag(values) Vᴴ, where V has the
---eigenvectors as columns. Only one triangle of x is read.
---
---Gradients go to both triangles. They require that all eigenvalues differ, and that the loss does not change if an
---eigenvector is multiplied by a factor of absolute value 1.
---```lua
---local values, vectors = lt.linalg.eigh(lt.tensor{{2.0, 0.0}, {0.0, 1.0}})
---values  --> [1.0, 2.0]
---```
---@param x luatensor.Tensor [..., n, n]
---@param options? luatensor.options.upper
---@return luatensor.Tensor # eigenvalues [..., n], real, ascending
---@return luatensor.Tensor # eigenvectors [..., n, n]: orthonormal columns
function lt.linalg.eigh(x, options) end

---Computes the eigenvalues of symmetric (complex: Hermitian) matrices. Only one triangle is read; the gradient goes to
---both triangles.
---```lua
---lt.linalg.eigvalsh(lt.tensor{{2.0, 1.0}, {1.0, 2.0}})  --> [1.0, 3.0]
---```
---@param x luatensor.Tensor [..., n, n]
---@param options? luatensor.options.upper
---@return luatensor.Tensor # [..., n], real, ascending
function lt.linalg.eigvalsh(x, options) end

---Computes the QR factorization x = Q R: Q has orthonormal columns, R is upper triangular. Mode "complete" has no gradient
---if x has more rows than columns. The gradient is not finite if the first min(m, n) columns are linearly dependent.
---```lua
---local q, r = lt.linalg.qr(lt.rand(5, 3))
---q.shape  --> [5, 3]
---r.shape  --> [3, 3]
---```
---@param x luatensor.Tensor [..., m, n]
---@param options? luatensor.linalg.qr.options
---@return luatensor.Tensor # Q
---@return luatensor.Tensor # R
function lt.linalg.qr(x, options) end

---Computes the singular value decomposition x = U diag(S) Vh, where U has orthonormal columns and Vh orthonormal rows.
---
---Gradients require `full_matrices` = false, and that all singular values differ. The loss must not change if a column
---of U and the corresponding column of the conjugate transpose of Vh are multiplied by the same factor of absolute value
---1.
---```lua
---local u, s, vh = lt.linalg.svd(lt.tensor{{3.0, 0.0}, {0.0, 2.0}})
---s  --> [3.0, 2.0]
---```
---@param x luatensor.Tensor [..., m, n]
---@param options? luatensor.linalg.svd.options
---@return luatensor.Tensor # U
---@return luatensor.Tensor # S [..., k], real, descending
---@return luatensor.Tensor # Vh
function lt.linalg.svd(x, options) end

---Solves a x = b for x, by LU factorization.
---Errors: if a matrix is singular.
---```lua
---lt.linalg.solve(lt.tensor{{2.0, 0.0}, {0.0, 4.0}}, lt.tensor{2.0, 8.0})  --> [1.0, 2.0]
---```
---@param a luatensor.Tensor [..., n, n]
---@param b luatensor.Tensor [n], one vector, or [..., n, k]; batch dims broadcast
---@return luatensor.Tensor # [..., n] or [..., n, k]
function lt.linalg.solve(a, b) end

---Limits elements to the range from min to max. Elements outside of the range become the nearer limit; NaN stays NaN.
---Errors: if neither min nor max is given; nil given for both means no limit, as in the array API standard.
---```lua
---lt.tensor{-5, 0, 5}:clip(-1, 1)  --> [-1, 0, 1]
---```
---@param x luatensor.Tensor real numbers of any shape
---@param min? number|luatensor.Tensor|nil|luatensor.clip.options broadcast with x; nil: no limit below; also an option
---@param max? number|luatensor.Tensor|nil|luatensor.clip.options broadcast with x; nil: no limit above; also an option
---@param options? luatensor.clip.options
---@return luatensor.Tensor # of the dtype that x, min and max promote to
function lt.clip(x, min, max, options) end

---Returns a copy of x in which elements are replaced by value where the mask is true.
---```lua
---local x = lt.tensor{-1, 2, -3}
---x:masked_fill(x:less(0), 0)  --> [0, 2, 0]
---```
---@param x luatensor.Tensor
---@param mask luatensor.Tensor bool, broadcast with x
---@param value number|boolean|luatensor.Tensor broadcast with x; x's dtype must be able to represent the value
---@param options? luatensor.options.out
---@return luatensor.Tensor # of x's dtype
function lt.masked_fill(x, mask, value, options) end

---Tests each pair of elements for closeness: true if abs(x - y) <= atol + rtol * abs(y) or if x equals y.
---```lua
---lt.tensor{1.0, 1.1}:isclose(1 + 1e-9)  --> [true, false]
---```
---@param x number|luatensor.Tensor
---@param y number|luatensor.Tensor broadcast with x
---@param rtol? number|luatensor.Tensor|luatensor.isclose.options relative tolerance; default 1e-5
---@param atol? number|luatensor.Tensor|luatensor.isclose.options absolute tolerance; default 1e-8
---@param options? luatensor.isclose.options
---@return luatensor.Tensor # bool
function lt.isclose(x, y, rtol, atol, options) end

---Computes the matrix product (matrix multiplication). A 1-d x counts as a matrix with one row, and a 1-d y as a matrix
---with one column; the result does not have the added dim. Dims before the last two are batch dims, which broadcast.
---Errors: if inner dims differ, if batch dims do not broadcast, or for 0-d or bool tensors.
---```lua
---local x = lt.tensor{{1, 2}, {3, 4}}
---x:matmul(x)                --> [[7, 10], [15, 22]]
---x:matmul(lt.tensor{1, 1})  --> [3, 7]
---```
---@param x luatensor.Tensor shape [..., m, k]
---@param y luatensor.Tensor shape [..., k, n]; not bool
---@param options? luatensor.options.out
---@return luatensor.Tensor # shape [..., m, n]
function lt.matmul(x, y, options) end

---Like matmul, for 2-d tensors only.
---```lua
---lt.mm(lt.tensor{{1, 2}}, lt.tensor{{3}, {4}})  --> [[11]]
---```
---@param x luatensor.Tensor [m, k]
---@param y luatensor.Tensor [k, n]
---@param options? luatensor.mm.options
---@return luatensor.Tensor # [m, n]
function lt.mm(x, y, options) end

---Like matmul, for 3-d tensors only.
---```lua
---lt.bmm(lt.ones(5, 2, 3), lt.ones(5, 3, 4)).shape  --> [5, 2, 4]
---```
---@param x luatensor.Tensor [batch, m, k]
---@param y luatensor.Tensor [batch, k, n]
---@param options? luatensor.mm.options
---@return luatensor.Tensor # [batch, m, n]
function lt.bmm(x, y, options) end

---Like matmul, for a matrix and a vector only.
---```lua
---lt.mv(lt.tensor{{1, 2}, {3, 4}}, lt.tensor{1, 1})  --> [3, 7]
---```
---@param x luatensor.Tensor [m, k]
---@param y luatensor.Tensor [k]
---@param options? luatensor.mm.options
---@return luatensor.Tensor # [m]
function lt.mv(x, y, options) end

---Computes the dot product: the sum of the products of two vectors' elements.
---```lua
---lt.tensor{1, 2}:dot(lt.tensor{3, 4})  --> 11
---```
---@param x luatensor.Tensor [k]
---@param y luatensor.Tensor [k]
---@param options? luatensor.mm.options
---@return luatensor.Tensor # 0-d
function lt.dot(x, y, options) end

---Sums the products of the elements of x and y along a dim. If x is complex, its elements are conjugated first. The other
---dims broadcast.
---```lua
---lt.vecdot(lt.tensor{{1, 2}, {3, 4}}, lt.tensor{1, 1})  --> [3, 7]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor with the same length as x in that dim; not bool
---@param dim? integer|luatensor.options.dim as numbered in the tensor with more dims; a negative dim counts from the end of both tensors; default -1
---@param options? luatensor.options.dim
---@return luatensor.Tensor # without that dim
function lt.vecdot(x, y, dim, options) end

---Computes beta * x + alpha * a @ b in one pass.
---```lua
---lt.addmm(lt.ones(2, 2), lt.eye(2), lt.eye(2))  --> [[2.0, 1.0], [1.0, 2.0]]
---```
---@param x luatensor.Tensor broadcasts to [m, n]
---@param a luatensor.Tensor [m, k]
---@param b luatensor.Tensor [k, n]
---@param options? luatensor.addmm.options
---@return luatensor.Tensor # [m, n]
function lt.addmm(x, a, b, options) end

---Sets the precision of float32 products, for the whole process. "ieee": every product and sum is rounded to float32.
---"tf32": a GPU may round the inputs to 10 bits of mantissa, because its tensor cores multiply such numbers several times
---faster. The errors are about 1e-3 of the magnitudes. "bf16x9": cuBLAS may split each input into three bfloat16 numbers and
---add their nine products in float32, on GPUs of compute capability 10.x. The errors are about those of float32. On the CPU,
---and for other dtypes, all are the same.
---Errors: if the precision is "bf16x9" and there is no cuBLAS 12.9 or newer.
---```lua
---lt.set_matmul_precision("ieee")
---```
---@param precision string "ieee" (initially), "tf32" or "bf16x9"
function lt.set_matmul_precision(precision) end

---Returns the precision of float32 matrix products on GPUs.
---```lua
---lt.get_matmul_precision()  --> ieee
---```
---@return string # the precision of float32 products: "ieee", "tf32" or "bf16x9"
function lt.get_matmul_precision() end

---Returns the memory on a device in bytes. For the whole process: live (used by tensors and running operations), peak
---(the maximum of live so far), cached (freed and kept for reuse). For the tensors of this Lua state: state_live,
---state_peak, and state_limit if `set_memory_limit` has set one.
---```lua
---lt.memory("cpu").live >= 0  --> true
---```
---@param device? string by default the default device
---@return table # {live = …, peak = …, cached = …, state_live = …, state_peak = …, state_limit = …}
function lt.memory(device) end

---Resets the peaks of the process and of this Lua state to the bytes that are live now.
---```lua
---lt.reset_peak_memory("cpu")
---lt.memory("cpu").peak == lt.memory("cpu").live  --> true
---```
---@param device? string by default the default device
function lt.reset_peak_memory(device) end

---Limits the memory that the tensors of this Lua state may take on a device. An allocation beyond the limit collects
---garbage; if that does not suffice, it raises `out of memory on cpu: …`. Scratch memory of operations is not counted. The
---environment variable LUATENSOR_MEMORY_LIMIT limits the whole process. In a sandbox a script can lower the limit but not
---raise it.
---```lua
---lt.set_memory_limit(1 << 20)
---pcall(lt.ones, 1 << 20)  --> false
---lt.set_memory_limit(nil)
---```
---@param bytes integer|nil nil: no limit
---@param device? string by default the default device
function lt.set_memory_limit(bytes, device) end

---Gives freed memory that was kept for reuse back to the system.
---```lua
---lt.empty_cache()
---```
---@param device? string by default the default device
function lt.empty_cache(device) end

---Makes a new generator. Functions that draw random numbers take a generator as option `generator`.
---```lua
---local g = lt.generator{seed = 7}
---lt.rand(2, {generator = g}).shape  --> [2]
---```
---@param options? luatensor.generator.options
---@return luatensor.generator # with the methods below
function lt.generator(options) end

---Seeds the default generator.
---```lua
---lt.manual_seed(1)
---local a = lt.rand(3)
---lt.manual_seed(1)
---lt.rand(3):equal(a):all()  --> true
---```
---@param seed integer
---@return luatensor.generator # the default generator
function lt.manual_seed(seed) end

---Returns the generator for draws without option `generator`. A script that saves and later restores the state of this
---generator continues its run exactly.
---```lua
---lt.manual_seed(5)
---lt.default_generator():seed()  --> 5
---```
---@return luatensor.generator #
function lt.default_generator() end

---Draws from the uniform distribution in [0, 1). The same seed gives the same numbers on every device, with any number of
---threads.
---```lua
---lt.manual_seed(1)
---lt.rand(2, 3).shape  --> [2, 3]
---```
---@param ... luatensor.options.dtype_device_generator_requires_grad the shape: numbers or one table
---@return luatensor.Tensor # with 24 random bits in each element (float64: 53, float16: 11, bfloat16: 8)
function lt.rand(...) end

---Draws from the normal distribution with mean 0 and standard deviation 1.
---```lua
---lt.randn(1000):mean():item() < 0.2  --> true
---```
---@param ... luatensor.options.dtype_device_generator_requires_grad the shape: numbers or one table
---@return luatensor.Tensor #
function lt.randn(...) end

---Draws integers from low to high, both included, like math.random. Let n be the number of possible values. Each number is
---low plus the upper 64 bits of the 128-bit product of n and a random 64-bit integer. So probabilities differ by at most
---n / 2^64.
---Errors: if a bound does not fit the dtype, or if low > high.
---```lua
---lt.randint(1, 6, {100}):max():item() <= 6  --> true
---```
---@param low integer
---@param high integer
---@param ... luatensor.randint.options the shape: numbers or one table
---@return luatensor.Tensor #
function lt.randint(low, high, ...) end

---Draws from the uniform distribution in [low, high).
---```lua
---lt.uniform(2, 3, {100}):max():item() < 3  --> true
---```
---@param low number
---@param high number
---@param ... luatensor.uniform.options the shape: numbers or one table
---@return luatensor.Tensor #
function lt.uniform(low, high, ...) end

---Draws from the normal distribution.
---```lua
---lt.normal(0, 1, {2, 3}).shape  --> [2, 3]
---```
---@param mean number
---@param std number the standard deviation, not negative
---@param ... luatensor.uniform.options the shape: numbers or one table
---@return luatensor.Tensor #
function lt.normal(mean, std, ...) end

---Returns the integers 1 … n in random order.
---```lua
---lt.permutation(5):sort()  --> [1, 2, 3, 4, 5]
---```
---@param n integer
---@param options? luatensor.permutation.options
---@return luatensor.Tensor # int64, shape [n]
function lt.permutation(n, options) end

---Draws from the uniform distribution in [0, 1), with x's shape, dtype and device.
---```lua
---lt.rand_like(lt.ones(2, 3)).shape  --> [2, 3]
---```
---@param x luatensor.Tensor
---@param options? luatensor.rand_like.options
---@return luatensor.Tensor #
function lt.rand_like(x, options) end

---Draws from the normal distribution with mean 0 and standard deviation 1, with x's shape, dtype and device.
---```lua
---lt.randn_like(lt.ones(2, 3)).shape  --> [2, 3]
---```
---@param x luatensor.Tensor
---@param options? luatensor.rand_like.options
---@return luatensor.Tensor #
function lt.randn_like(x, options) end

---Computes the running sum along a dim. Bool and integers are added in int64 or uint64.
---```lua
---lt.tensor{1, 2, 3}:cumulative_sum()  --> [1, 3, 6]
---```
---@param x luatensor.Tensor
---@param dim? integer|luatensor.cumulative_sum.options required unless x has at most one dim
---@param options? luatensor.cumulative_sum.options
---@return luatensor.Tensor #
function lt.cumulative_sum(x, dim, options) end

---Computes the running product along a dim. Bool and integers are multiplied in int64 or uint64.
---```lua
---lt.tensor{1, 2, 3}:cumulative_prod()  --> [1, 2, 6]
---```
---@param x luatensor.Tensor
---@param dim? integer|luatensor.cumulative_prod.options required unless x has at most one dim
---@param options? luatensor.cumulative_prod.options
---@return luatensor.Tensor #
function lt.cumulative_prod(x, dim, options) end

---Computes the running maximum along a dim. From the first NaN on, results are NaN.
---```lua
---lt.cumulative_max(lt.tensor{1, 3, 2})  --> [1, 3, 3]
---```
---@param x luatensor.Tensor
---@param dim? integer|luatensor.cumulative_max.options required unless x has at most one dim
---@param options? luatensor.cumulative_max.options
---@return luatensor.Tensor #
function lt.cumulative_max(x, dim, options) end

---Computes the running minimum along a dim. From the first NaN on, results are NaN.
---```lua
---lt.cumulative_min(lt.tensor{3, 1, 2})  --> [3, 1, 1]
---```
---@param x luatensor.Tensor
---@param dim? integer|luatensor.cumulative_min.options required unless x has at most one dim
---@param options? luatensor.cumulative_min.options
---@return luatensor.Tensor #
function lt.cumulative_min(x, dim, options) end

---Computes exp(x) / sum(exp(x)) along a dim, without overflow.
---```lua
---lt.tensor{0.0, 0.0}:softmax(1)  --> [0.5, 0.5]
---```
---@param x luatensor.Tensor
---@param dim? integer|luatensor.options.dim_dtype_out default -1
---@param options? luatensor.options.dim_dtype_out
---@return luatensor.Tensor #
function lt.softmax(x, dim, options) end

---Computes log(softmax(x)) along a dim. The result is accurate even if softmax(x) is nearly 0 or 1.
---```lua
---lt.tensor{0.0, 0.0}:log_softmax(1)  --> [-0.6931, -0.6931]
---```
---@param x luatensor.Tensor
---@param dim? integer|luatensor.options.dim_dtype_out default -1
---@param options? luatensor.options.dim_dtype_out
---@return luatensor.Tensor #
function lt.log_softmax(x, dim, options) end

---Sorts the elements of each line along a dim. NaN counts as the greatest element. Equal elements, such as -0 and 0,
---keep their order, even with `descending`.
---```lua
---lt.tensor{3, 1, 2}:sort()                   --> [1, 2, 3]
---lt.tensor{3, 1, 2}:sort{descending = true}  --> [3, 2, 1]
---```
---@param x luatensor.Tensor any dtype but complex
---@param dim? integer|luatensor.options.dim_descending_stable default -1
---@param options? luatensor.options.dim_descending_stable
---@return luatensor.Tensor # of x's shape and dtype
function lt.sort(x, dim, options) end

---Returns the positions that sort each line along a dim: `x:take_along_axis(x:argsort())` is `x:sort()`.
---```lua
---lt.tensor{3, 1, 2}:argsort()  --> [2, 3, 1]
---```
---@param x luatensor.Tensor any dtype but complex
---@param dim? integer|luatensor.options.dim_descending_stable default -1
---@param options? luatensor.options.dim_descending_stable
---@return luatensor.Tensor # int64, of x's shape
function lt.argsort(x, dim, options) end

---Returns the k largest elements of each line along a dim, the largest first, and their positions. NaN counts as the
---largest element. Of equal elements the first ones are taken.
---```lua
---local values, positions = lt.tensor{3, 9, 5}:topk(2)
---values     --> [9, 5]
---positions  --> [2, 3]
---```
---@param x luatensor.Tensor any dtype but complex, at least 1-d
---@param k integer the number of elements, from 0 to the length of dim
---@param dim? integer|luatensor.topk.options default -1
---@param options? luatensor.topk.options
---@return luatensor.Tensor # of x's shape, with k elements in dim
---@return luatensor.Tensor # int64, of the same shape: positions in x
function lt.topk(x, k, dim, options) end

---Makes a stream: a separate queue of work on a device. A script's work goes to the device's current stream;
---`lt.with_stream` makes another stream current. Streams run concurrently; streams that use the same tensor wait for each
---other if necessary. On the CPU a stream does nothing. A stream ends with its last reference, or with its `<close>`
---variable; queued work is still finished.
---Errors: if a device would have more than 31 streams at a time.
---```lua
---local s = lt.stream("cpu")
---local y = lt.with_stream(s, function() return lt.ones(2) + 1 end)
---s:synchronize()
---y  --> [2.0, 2.0]
---```
---@param device? string by default the default device
---@return luatensor.stream # with the field `device` and the methods below
function lt.stream(device) end

---Returns the stream on which work for a device is currently queued.
---```lua
---lt.current_stream("cpu").device  --> cpu
---```
---@param device? string by default the default device
---@return luatensor.stream #
function lt.current_stream(device) end

---Calls a function while a stream is its device's current stream. Afterwards, even after an error, the previous stream is
---current again. The function cannot yield.
---```lua
---local s = lt.stream("cpu")
---local y = lt.with_stream(s, function() return lt.ones(2) + 1 end)
---s:synchronize()
---y  --> [2.0, 2.0]
---```
---@param stream luatensor.stream
---@param f function
---@param ... any arguments of f
---@return any # the results of f
function lt.with_stream(stream, f, ...) end

---Makes an event: a mark in a stream's queue. Scripts can wait for it, query it, and measure the time between two events.
---```lua
---local e = lt.event{device = "cpu"}
---e:record()
---e:query()  --> true
---```
---@param options? luatensor.event.options
---@return luatensor.event # with the field `device` and the methods below
function lt.event(options) end

---Returns the elements of x at positions along a dim: `x[{…, indices, …}]`.
---```lua
---lt.tensor{10, 20, 30}:take(lt.tensor{3, 1})  --> [30, 10]
---```
---@param x luatensor.Tensor
---@param indices luatensor.Tensor integers of any shape; negative numbers count from the end
---@param dim? integer|luatensor.take.options required unless x is 1-d
---@param options? luatensor.take.options
---@return luatensor.Tensor # of the shape of x, with dim replaced by the dims of indices
function lt.take(x, indices, dim, options) end

---Returns elements along a dim, where each position has its own index: `out[i][j] = x[index[i][j]][j]` for dim 1.
---```lua
---lt.tensor{{1, 2}, {3, 4}}:gather(2, lt.tensor{{2}, {1}})  --> [[2], [3]]
---```
---@param x luatensor.Tensor
---@param dim integer
---@param index luatensor.Tensor integers, with as many dims as x; only in dim may it be longer than x
---@param options? luatensor.mm.options
---@return luatensor.Tensor # of index's shape
function lt.gather(x, dim, index, options) end

---Returns elements along a dim, like gather, but x and indices broadcast in all other dims.
---```lua
---local x = lt.tensor{30, 10, 20}
---x:take_along_axis(x:argsort())  --> [10, 20, 30]
---```
---@param x luatensor.Tensor
---@param indices luatensor.Tensor integers, with as many dims as x
---@param dim? integer|luatensor.take_along_axis.options default -1
---@param options? luatensor.take_along_axis.options
---@return luatensor.Tensor #
function lt.take_along_axis(x, indices, dim, options) end

---Returns a copy of x with src written along a dim: `out[index[i][j]][j] = src[i][j]` for dim 1. If several values go
---to one place, the last one stays. `scatter_` writes into x.
---```lua
---lt.zeros(3):scatter(1, lt.tensor{3, 1}, lt.tensor{7.0, 8.0})  --> [8.0, 0.0, 7.0]
---```
---@param x luatensor.Tensor
---@param dim integer
---@param index luatensor.Tensor integers, with as many dims as x; only in dim may it be longer than x
---@param src luatensor.Tensor|number
---@return luatensor.Tensor #
function lt.scatter(x, dim, index, src) end

---Like scatter, but src is added to the elements of x.
---```lua
---lt.zeros(2):scatter_add(1, lt.tensor{1, 2, 1}, lt.ones(3))  --> [2.0, 1.0]
---```
---@param x luatensor.Tensor
---@param dim integer
---@param index luatensor.Tensor
---@param src luatensor.Tensor|number
---@return luatensor.Tensor #
function lt.scatter_add(x, dim, index, src) end

---Returns a copy of x with slices of src added along a dim: `out[index[i]] += src[i]` for dim 1. `index_add_` adds
---into x.
---```lua
---lt.zeros(3):index_add(1, lt.tensor{1, 3, 1}, lt.tensor{1.0, 2.0, 3.0})  --> [4.0, 0.0, 2.0]
---```
---@param x luatensor.Tensor
---@param dim integer
---@param index luatensor.Tensor 1-d
---@param src luatensor.Tensor|number broadcasts to the shape of x, in which dim has the length of index
---@return luatensor.Tensor #
function lt.index_add(x, dim, index, src) end

---Returns the positions of the elements that are not 0 (or are true), in row-major order. Waits for the device,
---because the result's length depends on the elements.
---```lua
---lt.nonzero(lt.tensor{0, 5, 0, 7})[1]  --> 2
---```
---@param x luatensor.Tensor at least 1-d
---@return luatensor.Tensor # ... one int64 tensor for each dim; together they index x
function lt.nonzero(x) end

---Returns the positions of the elements that are not 0 (or are true), one row for each such element. Waits for the
---device, because the result's length depends on the elements.
---```lua
---lt.tensor{0, 5, 7}:argwhere()  --> [[2], [3]]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor # int64, [count, ndim]
function lt.argwhere(x) end

---Returns the positions, from 1 to n + 1, at which values can be inserted into a sorted row so that the row stays
---sorted.
---```lua
---lt.tensor{10, 20, 30}:searchsorted(lt.tensor{20, 25})  --> [2, 3]
---```
---@param sorted luatensor.Tensor 1-d, or of values' shape except in the last dim; any dtype but complex
---@param values luatensor.Tensor|number
---@param options? luatensor.searchsorted.options
---@return luatensor.Tensor # int64, of values' shape
function lt.searchsorted(sorted, values, options) end

---Joins tensors one after the other along a dim.
---```lua
---lt.concat{lt.tensor{1, 2}, lt.tensor{3}}  --> [1, 2, 3]
---```
---@param tensors table of one shape, except along dim; dtypes promote
---@param dim? integer|luatensor.concat.options default 1
---@param options? luatensor.concat.options
---@return luatensor.Tensor #
function lt.concat(tensors, dim, options) end

---Joins tensors of one shape along a new dim.
---```lua
---lt.stack{lt.tensor{1, 2}, lt.tensor{3, 4}}  --> [[1, 2], [3, 4]]
---```
---@param tensors table dtypes promote
---@param dim? integer|luatensor.stack.options the new dim of the result; default 1
---@param options? luatensor.stack.options
---@return luatensor.Tensor #
function lt.stack(tensors, dim, options) end

---Frees this tensor at once. Its memory is freed with the last tensor that shares it. Freeing twice is harmless. `free`
---does nothing in a finalizer or debug hook that interrupted an operation, because the operation may use this tensor. The
---collector then frees the tensor when nothing refers to it any more.
---```lua
---local x = lt.ones(1000)
---x:free()
---pcall(lt.sum, x)  --> false
---```
---@param x luatensor.Tensor
function lt.free(x) end

---True if v is a tensor.
---```lua
---lt.is_tensor(lt.ones(1))  --> true
---lt.is_tensor(1)           --> false
---```
---@param v any anything
---@return boolean #
function lt.is_tensor(v) end

---Sets how many threads an operation may use, in all states of the process. Small operations use fewer threads. All
---operations use fewer threads if the system refuses to start that many. The default is `OMP_NUM_THREADS` (at most
---`OMP_THREAD_LIMIT`), else the number of processors that the process may use: the processors on which it may run, or its
---container's share of them. The default is at most the greatest `n` that this function accepts.
---```lua
---local n = lt.get_num_threads()
---lt.set_num_threads(1)
---lt.get_num_threads()  --> 1
---lt.set_num_threads(n)
---```
---@param n integer at least 1, at most the greater of 64 and 4 × the number of processors
function lt.set_num_threads(n) end

---Returns the number of threads.
---```lua
---local n = lt.get_num_threads()
---lt.set_num_threads(1)
---lt.get_num_threads()  --> 1
---lt.set_num_threads(n)
---```
---@return integer # the number of threads that an operation may use: the number that was set, or fewer if the system refused to start that many
function lt.get_num_threads() end

---Describes the software that computes: kernels, threads, BLAS with its processor type and threading, and the driver and
---libraries of a GPU. The text is for people and bug reports.
---```lua
---type(lt.config())  --> string
---```
---@return string #
function lt.config() end

---Returns the same elements, in row-major order, in another shape. The result is a view if the layout allows, else a
---copy.
---```lua
---lt.arange(6):reshape(2, 3)         --> [[0, 1, 2], [3, 4, 5]]
---lt.arange(6):reshape(3, -1).shape  --> [3, 2]
---```
---@param x luatensor.Tensor
---@param ... integer|integer[]|luatensor.reshape.options sizes, or one table of sizes; one size may be -1, which is computed from the others
---@return luatensor.Tensor #
function lt.reshape(x, ...) end

---Merges dims first … last into one. A 0-d tensor becomes 1-d.
---```lua
---lt.ones(2, 3):flatten().shape  --> [6]
---```
---@param x luatensor.Tensor
---@param first? integer default 1
---@param last? integer default -1
---@return luatensor.Tensor # a view if the layout allows
function lt.flatten(x, first, last) end

---Splits one dim into several.
---```lua
---lt.arange(6):unflatten(1, {2, 3}).shape  --> [2, 3]
---```
---@param x luatensor.Tensor
---@param dim integer
---@param sizes table the lengths of the new dims; one may be -1, which is computed from the others
---@return luatensor.Tensor # a view
function lt.unflatten(x, dim, sizes) end

---Stretches dims of length 1, and adds dims in front.
---```lua
---lt.tensor{1, 2}:broadcast_to(2, 2)  --> [[1, 2], [1, 2]]
---```
---@param x luatensor.Tensor
---@param ... integer|integer[] sizes, or one table of sizes
---@return luatensor.Tensor # a view, which cannot be written if it is stretched
function lt.broadcast_to(x, ...) end

---Adds dims of length 1.
---```lua
---lt.tensor{1, 2}:expand_dims(1).shape  --> [1, 2]
---```
---@param x luatensor.Tensor
---@param dim integer|table|luatensor.expand_dims.options the positions of the new dims in the result; also option `dim`
---@return luatensor.Tensor # a view
function lt.expand_dims(x, dim) end

---Removes dims of length 1.
---```lua
---lt.ones(1, 3, 1):squeeze().shape  --> [3]
---```
---@param x luatensor.Tensor
---@param dim? integer|table|luatensor.squeeze.options the dims to remove, by default all dims of length 1; also option `dim`
---@return luatensor.Tensor # a view
function lt.squeeze(x, dim) end

---Reorders the dims.
---```lua
---lt.ones(2, 3, 4):permute_dims(3, 1, 2).shape  --> [4, 2, 3]
---```
---@param x luatensor.Tensor
---@param ... integer|integer[] every dim once, or one table of all dims: dim d of the result is dim order[d] of x
---@return luatensor.Tensor # a view
function lt.permute_dims(x, ...) end

---Moves dims to new positions. The other dims keep their order.
---```lua
---lt.ones(2, 3, 4):moveaxis(1, 3).shape  --> [3, 4, 2]
---```
---@param x luatensor.Tensor
---@param source integer|table the dims to move
---@param destination integer|table the positions of these dims in the result
---@return luatensor.Tensor # a view
function lt.moveaxis(x, source, destination) end

---Exchanges two dims.
---```lua
---lt.ones(2, 3, 4):swapaxes(1, 3).shape  --> [4, 3, 2]
---```
---@param x luatensor.Tensor
---@param a integer
---@param b integer
---@return luatensor.Tensor # a view
function lt.swapaxes(x, a, b) end

---Selects `length` elements of a dim, from `start` on.
---```lua
---lt.arange(10):narrow(1, 3, 4)  --> [2, 3, 4, 5]
---```
---@param x luatensor.Tensor
---@param dim integer
---@param start integer the position of the first element; a negative number counts from the end
---@param length integer
---@return luatensor.Tensor # a view
function lt.narrow(x, dim, start, length) end

---Reverses the order of elements along dims.
---```lua
---lt.tensor{1, 2, 3}:flip()  --> [3, 2, 1]
---```
---@param x luatensor.Tensor
---@param dim? integer|table|luatensor.flip.options by default all dims; also option `dim`
---@return luatensor.Tensor # a view
function lt.flip(x, dim) end

---Returns the diagonals of the matrices in dims `dim1` and `dim2`, as the last dim of the result.
---```lua
---lt.tensor{{1, 2}, {3, 4}}:diagonal()  --> [1, 4]
---```
---@param x luatensor.Tensor
---@param offset? integer|luatensor.options.offset_dim1_dim2 the number of diagonals above the main diagonal, or below it if negative; default 0
---@param options? luatensor.options.offset_dim1_dim2
---@return luatensor.Tensor # a view
function lt.diagonal(x, offset, options) end

---Returns an iterator for the generic for: `for i, row in x:rows() do`. `pairs(x)` is the same.
---```lua
---local sums = {}
---for i, row in lt.rows(lt.tensor{{1, 2}, {3, 4}}) do sums[i] = row:sum():item() end
---sums[2]  --> 7
---```
---@param x luatensor.Tensor
function lt.rows(x) end

---Returns the shape to which shapes broadcast.
---```lua
---table.concat(lt.broadcast_shapes({3, 1}, {4}), " ")  --> 3 4
---```
---@param ... table shapes
---@return table #
function lt.broadcast_shapes(...) end

---Makes the notebook's table "When to choose CPU, GPU, TPU" for this machine. The table shows the time of a training
---step of models with 100 000 to 70 thousand million parameters. Models with up to `largest` parameters are measured.
---The times of larger models are extrapolated from their matrix products. Devices that are not in this machine get
---lower bounds from published figures.
---```lua
---local function print_choices() print(lt.advise.choices {largest = 100000}) end      -- takes some seconds
---```
---@param options? luatensor.advise.choices.options
---@return table # a result of kind "choices"
function lt.advise.choices(options) end

---Recommends a device for fn: measures the time of its calls on each device of this machine, and explains the choice.
---
---    local r = lt.advise(function(x, y) return x:matmul(y.T) end, {sizes = {256, 1024}, calls = 100})
---    print(r)
---    local x = lt.rand(1024, 1024, {device = r.device})
---
---The times are measured as in bench.crossover. The result names the largest measured size. Larger sizes that do not
---fit into memory or take too long are extrapolated from the trend. Devices that are not in this machine get lower
---bounds ("at least") from the counted work and published figures. An emulated device only shows that the work runs on
---it; it is never recommended.
---Errors: errors of fn, unchanged.
---```lua
---local advice = lt.advise(function(x) return x:sqrt() end, {sizes = {16, 64}, calls = 10})
---type(advice.device)  --> string
---```
---@param fn function gets what inputs(n) returned, its tensors moved to the device
---@param options? luatensor.advise.options
---@return table # a result of kind "advice": `device`, the recommendation for the largest measured size (nil: there is none); `either`, the devices that the measurements cannot tell apart; `why`, `sizes` (the choice at each size), `points` (all figures), `predictions`, `bounds`, `skipped`
function lt.advise(fn, options) end

---Recommends a device for a multilayer perceptron: square layers, biases, ReLU. The weights stay on the device.
---```lua
---local advice = lt.advise.network {parameters = 1000, batch = 8}
---type(advice.device)  --> string
---```
---@param options? luatensor.advise.network.options
---@return table # a result of kind "advice"; its sizes n are parameters
function lt.advise.network(options) end

---True if all elements of x and y are close as defined by `isclose`. The call waits for a GPU.
---```lua
---lt.tensor{1.0}:allclose(lt.tensor{1 + 1e-9})  --> true
---```
---@param x number|luatensor.Tensor
---@param y number|luatensor.Tensor broadcast with x
---@param rtol? number|luatensor.Tensor|luatensor.allclose.options relative tolerance; default 1e-5
---@param atol? number|luatensor.Tensor|luatensor.allclose.options absolute tolerance; default 1e-8
---@param options? luatensor.allclose.options
---@return boolean #
function lt.allclose(x, y, rtol, atol, options) end

---True if x and y have the same shape and equal elements; their dtypes may differ. NaN equals no element, not even
---NaN. The call waits for a GPU.
---```lua
---lt.equal_all(lt.ones(2), lt.tensor{1.0, 1.0})  --> true
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor
---@return boolean #
function lt.equal_all(x, y) end

---Sums products of tensors over indices, in Einstein's notation. Each operand has a letter for each dim, as in
---`"ij,jk->ik"`. Indices that the result lacks are summed over. Without "->", the result has the indices that occur
---once, in alphabetical order. `...` stands for any number of dims, which broadcast; if the result lacks `...`, these
---dims are summed over. An index that occurs twice in one operand selects the diagonal. A dim of length 1 broadcasts.
---Up to five operands are multiplied in the order that takes the fewest multiplications. For more operands a greedy
---search chooses the order.
---Errors: if the string does not parse (the message names the character), or if lengths differ (the message names the index and the operands).
---```lua
---lt.einsum("ij,j->i", lt.tensor{{1, 2}, {3, 4}}, lt.tensor{1, 1})  --> [3, 7]
---```
---@param spec string
---@param ... luatensor.Tensor one tensor for each operand of the string, of any dtype but bool
---@return luatensor.Tensor # of the dtype to which the operands promote; a view of the operand if nothing is multiplied or summed
function lt.einsum(spec, ...) end

---Makes a function of tensors from an expression. The function broadcasts, runs on every device, and reads and
---writes memory once, however many operations the expression has. The operators are + - * / // % == != < <= > >= &&
---|| ! & | ~ << >> and c ? a : b; Lua's ~=, `and`, `or` and `not` work, too. The functions are the ops of the op
---table, such as exp(x), maximum(x, y) and where(c, a, b), and dtypes, which convert: float64(x). Operations promote
---and compute as on tensors, but half floats are rounded only once, at the end.
---Errors: if the expression does not parse (the message names the character), or if an op does not support a dtype.
---```lua
---local scale = lt.elementwise("float32 x, float32 a", "a * x + 1")
---scale(lt.tensor{1.0, 2.0}, 3)  --> [4.0, 7.0]
---```
---@param parameters string the dtype and the name of each parameter, such as "float32 x, float32 y"; at most 8 parameters
---@param expression string of the parameters, such as "x * y + 1"
---@param dtype? string of the result; by default the dtype of the expression
---@return function # that takes a tensor or a number for each parameter, and then, if wanted, a table with option `out`; each argument must promote to the dtype of its parameter
function lt.elementwise(parameters, expression, dtype) end

---Returns the frequencies of the n results of lt.fft.fft: [0, 1, …, (n - 1) // 2, -(n // 2), …, -1] / (n d).
---```lua
---lt.fft.fftfreq(4)  --> [0.00, 0.25, -0.50, -0.25]
---```
---@param n integer number of samples, 1 or more
---@param d? number|luatensor.options.d_dtype_device distance between two samples; default 1
---@param options? luatensor.options.d_dtype_device
---@return luatensor.Tensor # shape [n], cycles per unit of d
function lt.fft.fftfreq(n, d, options) end

---Returns the frequencies of the n // 2 + 1 results of lt.fft.rfft: [0, 1, …, n // 2] / (n d).
---```lua
---lt.fft.rfftfreq(4)  --> [0.00, 0.25, 0.50]
---```
---@param n integer number of samples, 1 or more
---@param d? number|luatensor.options.d_dtype_device distance between two samples; default 1
---@param options? luatensor.options.d_dtype_device
---@return luatensor.Tensor # shape [n // 2 + 1], cycles per unit of d
function lt.fft.rfftfreq(n, d, options) end

---Moves the frequency 0 from the front to the middle by rolling each dim by length // 2.
---```lua
---lt.fft.fftshift(lt.fft.fftfreq(4))  --> [-0.50, -0.25, 0.00, 0.25]
---```
---@param x luatensor.Tensor any dtype and shape
---@param dim? integer|table|luatensor.fft.fftshift.options also option `dim`; by default all dims
---@return luatensor.Tensor #
function lt.fft.fftshift(x, dim) end

---Undoes fftshift by rolling each dim by -(length // 2).
---```lua
---lt.fft.ifftshift(lt.tensor{-2, -1, 0, 1})  --> [0, 1, -2, -1]
---```
---@param x luatensor.Tensor any dtype and shape
---@param dim? integer|table|luatensor.fft.fftshift.options also option `dim`; by default all dims
---@return luatensor.Tensor #
function lt.fft.ifftshift(x, dim) end

---Returns what the library supports, under the names of the Python array API standard.
---```lua
---lt.info.capabilities()["max dimensions"]  --> 16
---```
---@return table # {["boolean indexing"] =, ["data-dependent shapes"] =, ["max dimensions"] =}
function lt.info.capabilities() end

---Returns the default device.
---```lua
---lt.info.default_device()  --> cpu
---```
---@return string # the device of tensors that are made without option `device`
function lt.info.default_device() end

---Returns the names of the devices of this machine. lt.devices returns more details.
---```lua
---lt.info.devices()[1]  --> cpu
---```
---@return table #
function lt.info.devices() end

---Returns the dtypes of tensors that are made without option `dtype`. They are the same on every device.
---```lua
---lt.info.default_dtypes()["real floating"]  --> float32
---```
---@param options? luatensor.info.default_dtypes.options
---@return table # {["real floating"] =, ["complex floating"] =, integral =, indexing =}
function lt.info.default_dtypes(options) end

---Returns all dtypes, or the dtypes of a kind. They are the same on every device.
---```lua
---type(lt.info.dtypes())  --> table
---```
---@param options? luatensor.info.dtypes.options
---@return table # that maps each dtype's name to the same name: {float32 = "float32", …}
function lt.info.dtypes(options) end

---The same as lt.diagonal.
---@param x luatensor.Tensor
---@param offset? integer|luatensor.options.offset_dim1_dim2 the number of diagonals above the main diagonal, or below it if negative; default 0
---@param options? luatensor.options.offset_dim1_dim2
---@return luatensor.Tensor # a view
function lt.linalg.diagonal(x, offset, options) end

---The same as lt.matmul.
---@param x luatensor.Tensor shape [..., m, k]
---@param y luatensor.Tensor shape [..., k, n]; not bool
---@param options? luatensor.options.out
---@return luatensor.Tensor # shape [..., m, n]
function lt.linalg.matmul(x, y, options) end

---The same as lt.matrix_transpose.
---@param x luatensor.Tensor 2-d or more
---@return luatensor.Tensor #
function lt.linalg.matrix_transpose(x) end

---The same as lt.outer.
---```lua
---lt.tensor{1, 2}:outer(lt.tensor{3, 4})  --> [[3, 4], [6, 8]]
---```
---@param x luatensor.Tensor 1-d
---@param y luatensor.Tensor 1-d
---@return luatensor.Tensor # shape [#x, #y]
function lt.linalg.outer(x, y) end

---The same as lt.tensordot.
---@param x luatensor.Tensor
---@param y luatensor.Tensor
---@param dims? luatensor.options.dims n: the last n dims of x, the first n of y; or {dims of x, dims of y}; also option `dims`; default 2
---@return luatensor.Tensor #
function lt.linalg.tensordot(x, y, dims) end

---The same as lt.vecdot.
---@param x luatensor.Tensor
---@param y luatensor.Tensor with the same length as x in that dim; not bool
---@param dim? integer|luatensor.options.dim as numbered in the tensor with more dims; a negative dim counts from the end of both tensors; default -1
---@param options? luatensor.options.dim
---@return luatensor.Tensor # without that dim
function lt.linalg.vecdot(x, y, dim, options) end

---Sums the elements on a diagonal of each matrix.
---```lua
---lt.linalg.trace(lt.tensor{{1, 2}, {3, 4}})  --> 5
---```
---@param x luatensor.Tensor [..., m, n], any numbers
---@param options? luatensor.linalg.trace.options
---@return luatensor.Tensor # [...]
function lt.linalg.trace(x, options) end

---Computes cross products of vectors of length 3 along a dim. The remaining dims broadcast.
---```lua
---lt.linalg.cross(lt.tensor{1, 0, 0}, lt.tensor{0, 1, 0})  --> [0, 0, 1]
---```
---@param x luatensor.Tensor of length 3 along the dim
---@param y luatensor.Tensor of length 3 along the dim
---@param options? luatensor.linalg.cross.options
---@return luatensor.Tensor #
function lt.linalg.cross(x, y, options) end

---Returns powers of square matrices: the product of n factors x, or of -n factors inverse(x) if n is negative. Power
---0 is the identity.
---```lua
---lt.linalg.matrix_power(lt.tensor{{1, 1}, {0, 1}}, 5)  --> [[1, 5], [0, 1]]
---```
---@param x luatensor.Tensor [..., n, n]
---@param n integer
---@return luatensor.Tensor # [..., n, n]
function lt.linalg.matrix_power(x, n) end

---Computes the vector norm of order ord of the elements: (sum of |x|^ord)^(1/ord).
---```lua
---lt.linalg.vector_norm(lt.tensor{3.0, 4.0})  --> 5.0
---```
---@param x luatensor.Tensor any shape; integers give the default float
---@param ord? number|luatensor.linalg.vector_norm.options math.huge: the largest |x|; -math.huge: the smallest |x|; 0: the number of elements other than 0; default 2
---@param dim? luatensor.linalg.vector_norm.options a dim or a list of dims; by default all dims
---@param options? luatensor.linalg.vector_norm.options
---@return luatensor.Tensor # of x's shape without the reduced dims
function lt.linalg.vector_norm(x, ord, dim, options) end

---Computes a norm of each matrix. Order "fro" gives the root of the sum of squares, and "nuc" the sum of the
---singular values. Orders 2 and -2 give the largest and the smallest singular value. Orders 1 and -1 give the largest
---and the smallest sum of |x| in a column. Orders math.huge and -math.huge give the same for rows.
---```lua
---lt.linalg.matrix_norm(lt.tensor{{3.0, 0.0}, {0.0, 4.0}})  --> 5.0
---```
---@param x luatensor.Tensor [..., m, n]
---@param ord? luatensor.linalg.matrix_norm.options "fro", "nuc", 2, -2, 1, -1, math.huge or -math.huge; default "fro"
---@param options? luatensor.linalg.matrix_norm.options
---@return luatensor.Tensor # [...]
function lt.linalg.matrix_norm(x, ord, options) end

---Computes condition numbers, norm(x) * norm(inverse of x). The relative error of a solution a of x a = b may exceed
---the relative error of x or b by this factor.
---Errors: if a matrix is singular, except for the orders 2 and -2, which give inf.
---```lua
---lt.linalg.cond(lt.tensor{{2.0, 0.0}, {0.0, 1.0}})  --> 2.0
---```
---@param x luatensor.Tensor [..., m, n]; square, except for the orders 2 and -2
---@param ord? any as in matrix_norm; default 2
---@return luatensor.Tensor # [...]
function lt.linalg.cond(x, ord) end

---Counts the singular values that are greater than rtol times the largest one.
---```lua
---lt.linalg.matrix_rank(lt.ones(3, 3))  --> 1
---```
---@param x luatensor.Tensor [..., m, n]
---@param options? luatensor.linalg.matrix_rank.options
---@return luatensor.Tensor # [...], int64
function lt.linalg.matrix_rank(x, options) end

---Computes Moore–Penrose pseudo-inverses from singular values.
---```lua
---lt.linalg.pinv(lt.tensor{{2.0, 0.0}, {0.0, 4.0}})  --> [[0.50, 0.00], [0.00, 0.25]]
---```
---@param x luatensor.Tensor [..., m, n]
---@param options? luatensor.linalg.pinv.options
---@return luatensor.Tensor # [..., n, m]
function lt.linalg.pinv(x, options) end

---Solves least squares problems, such as linear regression: finds the x that minimises the sum of |b - a x|². If
---several x minimise this sum, the result is the x with the smallest norm.
---```lua
---local a = lt.tensor{{1.0, 1.0}, {1.0, 2.0}, {1.0, 3.0}}
---lt.linalg.lstsq(a, lt.tensor{{3.0}, {5.0}, {7.0}}):flatten():round()  --> [1.0, 2.0]
---```
---@param a luatensor.Tensor [..., m, n]
---@param b luatensor.Tensor [m], one vector, or [..., m, k]; batch dims broadcast
---@param options? luatensor.linalg.lstsq.options
---@return luatensor.Tensor # x, [n] or [..., n, k]
---@return luatensor.Tensor # residuals: the minimised sums, [..., k]; shape [0] unless m > n and every rank is n
---@return luatensor.Tensor # rank [...], int64
---@return luatensor.Tensor # singular values of a [..., min(m, n)]
function lt.linalg.lstsq(a, b, options) end

---Factors matrices as x = P L U. P permutes rows, L is lower triangular with ones on its diagonal, and U is upper
---triangular.
---```lua
---local p, l, u = lt.linalg.lu(lt.tensor{{0.0, 1.0}, {2.0, 3.0}})
---p:matmul(l):matmul(u)  --> [[0.0, 1.0], [2.0, 3.0]]
---```
---@param x luatensor.Tensor [..., m, n]; k is min(m, n) in the shapes of the results
---@return luatensor.Tensor # P [..., m, m]
---@return luatensor.Tensor # L [..., m, k]
---@return luatensor.Tensor # U [..., k, n]
function lt.linalg.lu(x) end

---Solves a x = b for x. lu_factor(a) returns the first two arguments.
---```lua
---local lu, pivots = lt.linalg.lu_factor(lt.tensor{{2.0, 0.0}, {0.0, 4.0}})
---lt.linalg.lu_solve(lu, pivots, lt.tensor{{2.0}, {4.0}})  --> [[1.0], [1.0]]
---```
---@param lu luatensor.Tensor [..., n, n]
---@param pivots luatensor.Tensor [..., n]
---@param b luatensor.Tensor [n], one vector, or [..., n, k]; batch dims broadcast
---@return luatensor.Tensor # [..., n] or [..., n, k]; inf or NaN if a is singular
function lt.linalg.lu_solve(lu, pivots, b) end

---Returns the slices of x along a dim. The slices do not have this dim.
---```lua
---lt.unstack(lt.tensor{{1, 2}, {3, 4}})[2]  --> [3, 4]
---```
---@param x luatensor.Tensor
---@param dim? integer|luatensor.unstack.options also option `dim`; default 1
---@return table # views
function lt.unstack(x, dim) end

---Splits x along a dim into parts of one size (the last part may be shorter), or of the sizes in a table.
---```lua
---local a, b = table.unpack(lt.arange(5):split(3))
---b  --> [3, 4]
---```
---@param x luatensor.Tensor
---@param sizes integer|table the length of each part along the dim, or a list of lengths that add up to the dim's length
---@param dim? integer|luatensor.unstack.options also option `dim`; default 1
---@return table # views
function lt.split(x, sizes, dim) end

---Splits x along a dim into at most n parts of one size; the last part may be shorter.
---```lua
---lt.chunk(lt.arange(4), 2)[2]  --> [2, 3]
---```
---@param x luatensor.Tensor
---@param n integer the largest number of parts
---@param dim? integer|luatensor.unstack.options also option `dim`; default 1
---@return table # views
function lt.chunk(x, n, dim) end

---Broadcasts all tensors to their common shape.
---```lua
---local a, b = lt.broadcast_arrays(lt.ones(3, 1), lt.ones(4))
---a.shape  --> [3, 4]
---```
---@param ... luatensor.Tensor tensors
---@return luatensor.Tensor # ... a view of each tensor
function lt.broadcast_arrays(...) end

---Repeats each element. `repeat` is a reserved word of Lua, so scripts write `x:repeat_interleave(2)` or
---`x["repeat"](x, 2)`. If the repeats are not a single number, the call waits for a GPU, because the length of the
---result is their sum.
---```lua
---lt["repeat"](lt.tensor{1, 2}, 2)  --> [1, 1, 2, 2]
---```
---@param x luatensor.Tensor
---@param repeats integer|table|luatensor.Tensor one number, or a number for each element of dim
---@param dim? integer|luatensor.repeat.options if missing, x is flattened; also option `dim`
---@return luatensor.Tensor #
lt["repeat"] = function(x, repeats, dim) end

---Repeats the whole tensor along each dim.
---```lua
---lt.tensor{1, 2}:tile(2)  --> [1, 2, 1, 2]
---```
---@param x luatensor.Tensor
---@param ... integer repetitions along each dim, or one table of them; fewer numbers than dims apply to the last dims
---@return luatensor.Tensor #
function lt.tile(x, ...) end

---Shifts elements along dims. Elements that are shifted beyond the end are inserted at the front.
---```lua
---lt.tensor{1, 2, 3}:roll(1)  --> [3, 1, 2]
---```
---@param x luatensor.Tensor
---@param shift integer|table the number of places for each dim in `dim`; negative shifts move elements to the front
---@param dim? integer|table|luatensor.roll.options if missing, x is shifted as one row in row-major order; also option `dim`
---@return luatensor.Tensor #
function lt.roll(x, shift, dim) end

---Adds elements at the ends of dims.
---```lua
---lt.tensor{1, 2}:pad{1, 1}  --> [0, 1, 2, 0]
---```
---@param x luatensor.Tensor
---@param widths table the numbers of elements before and after the last dim, then before and after the second-last dim, and so on; negative widths cut elements off
---@param options? luatensor.pad.options
---@return luatensor.Tensor #
function lt.pad(x, widths, options) end

---Returns the lower triangles of matrices: copies in which all elements above diagonal k are 0.
---```lua
---lt.ones(3, 3):tril()  --> [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
---```
---@param x luatensor.Tensor
---@param options? luatensor.options.k
---@return luatensor.Tensor #
function lt.tril(x, options) end

---Returns the upper triangles of matrices: copies in which all elements below diagonal k are 0.
---```lua
---lt.ones(3, 3):triu()  --> [[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]
---```
---@param x luatensor.Tensor
---@param options? luatensor.options.k
---@return luatensor.Tensor #
function lt.triu(x, options) end

---Makes a matrix with ones on diagonal k and zeros elsewhere.
---```lua
---lt.eye(2)  --> [[1.0, 0.0], [0.0, 1.0]]
---```
---@param rows integer
---@param columns? integer|luatensor.eye.options default rows
---@param options? luatensor.eye.options
---@return luatensor.Tensor #
function lt.eye(rows, columns, options) end

---Makes a matrix with a 1-d tensor x on diagonal k, or copies diagonal k of a 2-d tensor x.
---```lua
---lt.diag(lt.tensor{1, 2})          --> [[1, 0], [0, 2]]
---lt.tensor{{1, 2}, {3, 4}}:diag()  --> [1, 4]
---```
---@param x luatensor.Tensor
---@param k? integer number of the diagonal, above the main diagonal when positive; default 0
---@return luatensor.Tensor #
function lt.diag(x, k) end

---Returns the coordinates of all points of a grid. Argument i lists the values of coordinate i. Result i contains
---coordinate i of each point.
---```lua
---local x, y = lt.meshgrid(lt.arange(2), lt.arange(3))
---x.shape  --> [3, 2]
---```
---@param ... luatensor.Tensor|luatensor.meshgrid.options 1-d tensors
---@return luatensor.Tensor # ... a view of each tensor
function lt.meshgrid(...) end

---Returns the elements at which a mask is true; x and mask broadcast. The call waits for a GPU, because the result's
---length is the number of these elements.
---```lua
---lt.tensor{1, 2, 3}:masked_select(lt.tensor{true, false, true})  --> [1, 3]
---```
---@param x luatensor.Tensor
---@param mask luatensor.Tensor bool
---@return luatensor.Tensor # 1-d
function lt.masked_select(x, mask) end

---Returns a copy of x in which the elements at which a mask is true are replaced by the first elements of src, in
---order. The call waits for a GPU to count these elements.
---```lua
---lt.zeros(3):masked_scatter(lt.tensor{true, false, true}, lt.tensor{5.0, 6.0})  --> [5.0, 0.0, 6.0]
---```
---@param x luatensor.Tensor
---@param mask luatensor.Tensor bool; broadcasts to x's shape
---@param src luatensor.Tensor has at least as many elements as the mask has true elements
---@return luatensor.Tensor #
function lt.masked_scatter(x, mask, src) end

---Computes the sum of the elements that are not NaN. The sum of no elements is 0.
---```lua
---lt.tensor{1, lt.nan, 3}:nansum()  --> 4.0
---```
---@param x luatensor.Tensor any dtype but bool
---@param dim? luatensor.options.dim_keepdim_dtype a dim or a list of dims; by default all dims
---@param options? luatensor.options.dim_keepdim_dtype
---@return luatensor.Tensor # of x's shape without these dims
function lt.nansum(x, dim, options) end

---Computes the mean of the elements that are not NaN. The mean of no elements is NaN.
---```lua
---lt.tensor{1, lt.nan, 3}:nanmean()  --> 2.0
---```
---@param x luatensor.Tensor any dtype; integers and bool give the default float
---@param dim? luatensor.options.dim_keepdim_dtype a dim or a list of dims; by default all dims
---@param options? luatensor.options.dim_keepdim_dtype
---@return luatensor.Tensor # of x's shape without these dims
function lt.nanmean(x, dim, options) end

---Computes the variance of the elements that are not NaN: the mean of the squared distances from their mean.
---```lua
---lt.tensor{1, lt.nan, 3}:nanvar()  --> 1.0
---```
---@param x luatensor.Tensor any dtype but complex; integers and bool give the default float
---@param dim? luatensor.nanvar.options a dim or a list of dims; by default all dims
---@param options? luatensor.nanvar.options
---@return luatensor.Tensor # of x's shape without these dims; NaN where no more elements than the correction are left
function lt.nanvar(x, dim, options) end

---Computes the standard deviation of the elements that are not NaN, the square root of their variance. Its gradient is
---0 where all elements are equal.
---```lua
---lt.tensor{1, lt.nan, 3}:nanstd({correction = 1})  --> 1.4142
---```
---@param x luatensor.Tensor any dtype but complex; integers and bool give the default float
---@param dim? luatensor.nanstd.options a dim or a list of dims; by default all dims
---@param options? luatensor.nanstd.options
---@return luatensor.Tensor # of x's shape without these dims
function lt.nanstd(x, dim, options) end

---Computes the smallest element that is not NaN; NaN where all elements are NaN.
---```lua
---lt.tensor{1, lt.nan, 3}:nanmin()  --> 1.0
---```
---@param x luatensor.Tensor any dtype but complex
---@param dim? luatensor.options.dim_keepdim a dim or a list of dims; by default all dims
---@param options? luatensor.options.dim_keepdim
---@return luatensor.Tensor # of x's shape without these dims
function lt.nanmin(x, dim, options) end

---Computes the largest element that is not NaN; NaN where all elements are NaN.
---```lua
---lt.tensor{1, lt.nan, 3}:nanmax()  --> 3.0
---```
---@param x luatensor.Tensor any dtype but complex
---@param dim? luatensor.options.dim_keepdim a dim or a list of dims; by default all dims
---@param options? luatensor.options.dim_keepdim
---@return luatensor.Tensor # of x's shape without these dims
function lt.nanmax(x, dim, options) end

---Computes the median of the elements that are not NaN. If their number is even, the median is the mean of the two
---middle elements. The median of no elements is NaN.
---```lua
---lt.tensor{1, lt.nan, 3, 7}:nanmedian()  --> 3.0
---```
---@param x luatensor.Tensor any dtype but complex; integers and bool give the default float
---@param dim? luatensor.options.dim_keepdim a dim or a list of dims; by default all dims
---@param options? luatensor.options.dim_keepdim
---@return luatensor.Tensor # of x's shape without these dims
function lt.nanmedian(x, dim, options) end

---Computes quantiles of the elements that are not NaN, by the rules of lt.quantile.
---```lua
---lt.tensor{1, lt.nan, 3}:nanquantile(0.25)  --> 1.5
---```
---@param x luatensor.Tensor any dtype but complex; integers and bool give the default float
---@param q number|luatensor.Tensor quantiles in [0, 1]; the dims of a tensor come first in the result
---@param dim? luatensor.nanquantile.options a dim or a list of dims; by default all dims
---@param options? luatensor.nanquantile.options
---@return luatensor.Tensor # NaN for lines in which all elements are NaN
function lt.nanquantile(x, q, dim, options) end

---Computes the median, the middle element in sorted order. If the number of elements is even, the median is the mean
---of the two middle elements. The result is NaN if an element is NaN, or if there is no element.
---```lua
---lt.tensor{1, 9, 2}:median()  --> 2.0
---```
---@param x luatensor.Tensor any dtype but complex; integers and bool give the default float
---@param dim? luatensor.options.dim_keepdim a dim or a list of dims; by default all dims
---@param options? luatensor.options.dim_keepdim
---@return luatensor.Tensor # of x's shape without these dims
function lt.median(x, dim, options) end

---Computes quantiles along a dim by NumPy's rules. In a sorted line of n elements, quantile q is at position q * (n
---1), counted from 0.
---```lua
---lt.tensor{1, 2, 3, 4, 5}:quantile(0.25)  --> 2.0
---```
---@param x luatensor.Tensor any dtype but complex; integers and bool give the default float
---@param q number|luatensor.Tensor quantiles in [0, 1]; the dims of a tensor come first in the result
---@param dim? luatensor.quantile.options a dim or a list of dims; by default all dims
---@param options? luatensor.quantile.options
---@return luatensor.Tensor # NaN for lines that contain a NaN
function lt.quantile(x, q, dim, options) end

---Counts how often each value occurs: element i of the result is the number of elements equal to i. Counting starts
---at 1, like positions in Lua; a value below 1 is an error. The call waits for a GPU to read the smallest and the
---largest value.
---```lua
---lt.tensor{1, 3, 3}:bincount()  --> [1, 0, 2]
---```
---@param x luatensor.Tensor 1-d, positive integers
---@param options? luatensor.bincount.options
---@return luatensor.Tensor # 1-d, of the length max(the largest value, minlength); int64, or the dtype of float weights
function lt.bincount(x, options) end

---Counts the elements in each bin. A bin includes its lower edge; only the last bin includes its upper edge.
---Elements outside of all bins and NaN are not counted. The call waits for a GPU to check given edges, or, without
---option `range`, to find the smallest and the largest element.
---```lua
---local counts, edges = lt.histogram(lt.tensor{0.0, 0.1, 0.6, 1.0}, 2)
---counts  --> [2, 2]
---edges   --> [0.0, 0.5, 1.0]
---```
---@param x luatensor.Tensor any dtype but complex, any shape
---@param bins? luatensor.histogram.options the number of bins of equal width, or the edges: a 1-d tensor or a table; default 10
---@param options? luatensor.histogram.options
---@return luatensor.Tensor # counts, one for each bin: int64, the dtype of float weights, or a float dtype if option density is true
---@return luatensor.Tensor # the edges of the bins: bin i is between edges i and i + 1
function lt.histogram(x, bins, options) end

---Sets how tostring prints tensors. Options that are not given keep their values.
---```lua
---lt.set_printoptions{precision = 2}
---lt.tensor{1 / 3}  --> [0.33]
---lt.set_printoptions{precision = 4}
---```
---@param options luatensor.set_printoptions.options
function lt.set_printoptions(options) end

---Multiplies x by y and sums over pairs of dims. The result has the remaining dims, first those of x, then those of
---y.
---```lua
---lt.tensordot(lt.ones(2, 3), lt.ones(3, 4), 1).shape  --> [2, 4]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor
---@param dims? luatensor.options.dims n: the last n dims of x, the first n of y; or {dims of x, dims of y}; also option `dims`; default 2
---@return luatensor.Tensor #
function lt.tensordot(x, y, dims) end

---Multiplies every element of x by every element of y.
---```lua
---lt.tensor{1, 2}:outer(lt.tensor{3, 4})  --> [[3, 4], [6, 8]]
---```
---@param x luatensor.Tensor 1-d
---@param y luatensor.Tensor 1-d
---@return luatensor.Tensor # shape [#x, #y]
function lt.outer(x, y) end

---Swaps the last two dims, and returns a view, like x.mT.
---```lua
---lt.tensor{{1, 2}, {3, 4}}:matrix_transpose()  --> [[1, 3], [2, 4]]
---```
---@param x luatensor.Tensor 2-d or more
---@return luatensor.Tensor #
function lt.matrix_transpose(x) end

---Draws 1 with probability p, otherwise 0.
---```lua
---lt.bernoulli(lt.tensor{0.0, 1.0})  --> [0.0, 1.0]
---```
---@param p any a number in [0, 1], followed by a shape; or a tensor of probabilities, whose shape is the result's shape
---@param ... luatensor.bernoulli.options the shape as numbers or as one table; no shape after a tensor p
---@return luatensor.Tensor #
function lt.bernoulli(p, ...) end

---Draws n positions, each with a probability proportional to its weight. The call waits for a GPU to check the
---weights.
---```lua
---lt.multinomial(lt.tensor{0.0, 1.0}, 1)  --> [2]
---```
---@param w luatensor.Tensor weights, shape [k] or [rows, k]: finite, not negative, not all 0 in a row
---@param n integer the number of draws from each row
---@param options? luatensor.multinomial.options
---@return luatensor.Tensor # int64, 1-based, shape [n] or [rows, n]
function lt.multinomial(w, n, options) end

---Returns a copy of x with its rows (slices along dim 1) in random order.
---```lua
---lt.shuffle(lt.arange(5)):sort()  --> [0, 1, 2, 3, 4]
---```
---@param x luatensor.Tensor
---@param options? luatensor.options.generator
---@return luatensor.Tensor #
function lt.shuffle(x, options) end

---Returns the distinct elements, sorted. Every NaN is distinct, and NaNs come last; -0 and 0 are equal. Complex
---numbers are sorted by their real parts, then by their imaginary parts, with NaN as the largest value. The call
---waits for a GPU.
---```lua
---lt.tensor{3, 1, 3}:unique_values():sort()  --> [1, 3]
---```
---@param x luatensor.Tensor any shape and dtype
---@return luatensor.Tensor # 1-d, of x's dtype
function lt.unique_values(x) end

---Returns the distinct elements, sorted, and the number of occurrences of each. The call waits for a GPU.
---```lua
---local values, counts = lt.unique_counts(lt.tensor{3, 1, 3})
---values  --> [1, 3]
---counts  --> [1, 2]
---```
---@param x luatensor.Tensor any shape and dtype
---@return luatensor.Tensor # values, as from unique_values
---@return luatensor.Tensor # counts, int64
function lt.unique_counts(x) end

---Returns the distinct elements, sorted, and the position of each element of x among them. The call waits for a GPU.
---```lua
---local values, inverse = lt.unique_inverse(lt.tensor{3, 1, 3})
---inverse  --> [2, 1, 2]
---```
---@param x luatensor.Tensor any shape and dtype
---@return luatensor.Tensor # values, as from unique_values
---@return luatensor.Tensor # inverse: positions in values, int64, of x's shape: `values[inverse]` is x
function lt.unique_inverse(x) end

---Returns all results of the other unique functions: the distinct elements, sorted, the positions of their first
---occurrences, the inverse, and the counts. The call waits for a GPU.
---```lua
---local values, positions, inverse, counts = lt.unique_all(lt.tensor{3, 1, 3})
---values     --> [1, 3]
---positions  --> [2, 1]
---inverse    --> [2, 1, 2]
---counts     --> [1, 2]
---```
---@param x luatensor.Tensor any shape and dtype
---@return luatensor.Tensor # values, as from unique_values
---@return luatensor.Tensor # indices of the first occurrence of each value in x:flatten(), int64
---@return luatensor.Tensor # inverse: positions in values, int64, of x's shape
---@return luatensor.Tensor # counts: the number of occurrences of each value, int64
function lt.unique_all(x) end

---Returns, for each element of x1, true if an element of x2 is equal. NaN equals nothing, -0 equals 0. If x2 is
---complex with more than 12 elements, the call waits for a GPU to count distinct elements.
---```lua
---lt.tensor{1, 2, 3}:isin(lt.tensor{2, 5})  --> [false, true, false]
---```
---@param x1 luatensor.Tensor|number
---@param x2 luatensor.Tensor|number of any shape; the dtypes of x1 and x2 promote
---@param options? luatensor.isin.options
---@return luatensor.Tensor # bool, of x1's shape
function lt.isin(x1, x2, options) end

---Computes the vector norm of order p of the elements: (sum of |x|^p)^(1/p).
---```lua
---lt.tensor{3.0, 4.0}:norm()  --> 5.0
---```
---@param x luatensor.Tensor any shape; integers give the default float, complex numbers the dtype of their parts
---@param p? number|luatensor.norm.options math.huge: the largest |x|; -math.huge: the smallest |x|; 0: the number of elements other than 0; default 2
---@param dim? luatensor.norm.options a dim or a list of dims; by default all dims
---@param options? luatensor.norm.options
---@return luatensor.Tensor # of x's shape without these dims
function lt.norm(x, p, dim, options) end

---Computes the differences between neighbouring elements along a dim, n times.
---```lua
---lt.tensor{1, 4, 9}:diff()  --> [3, 5]
---```
---@param x luatensor.Tensor any dtype but bool
---@param dim? integer|luatensor.diff.options default -1
---@param options? luatensor.diff.options
---@return luatensor.Tensor # of x's shape, with dim shorter by n after joining
function lt.diff(x, dim, options) end

---Makes a function that returns the gradients of fn's first result, a tensor of one element, with respect to fn's
---arguments. The new function can be differentiated itself, by lt.grad or by backward, with respect to everything
---that fn uses. Examples are `lt.grad(lt.grad(f))`, or a penalty on the gradient of a network whose parameters
---require gradients. Inside lt.no_grad the gradients cannot be differentiated, which is faster.
---Errors: if there is no such argument, or if a table among the arguments contains tensors.
---```lua
---local slope = lt.grad(function(x) return (x * x):sum() end)
---slope(lt.tensor{3.0})  --> [6.0]
---```
---@param fn function
---@param options? luatensor.options.argnums_retain_graph
---@return function # that takes fn's arguments and returns one tensor for each differentiated argument, then fn's further results
function lt.grad(fn, options) end

---Like lt.grad, but the new function returns fn's first result before the gradients.
---```lua
---local value, gradient = lt.value_and_grad(function(x) return (x * x):sum() end)(lt.tensor{3.0})
---value     --> 9.0
---gradient  --> [6.0]
---```
---@param fn function
---@param options? luatensor.options.argnums_retain_graph
---@return function # that takes fn's arguments and returns fn's first result, one gradient for each differentiated argument, then fn's further results
function lt.value_and_grad(fn, options) end

---Computes the gradients of outputs with respect to inputs. Inputs are leaves, or results from which the outputs
---were computed. `x.grad` of leaves stays as it is. With several outputs, their gradients are summed.
---```lua
---local x = lt.tensor({3.0}, {requires_grad = true})
---lt.autograd.grad((x * x):sum(), x)  --> [6.0]
---```
---@param outputs luatensor.Tensor|table of one element each, unless grad_outputs is given
---@param inputs luatensor.Tensor|table
---@param options? luatensor.autograd.grad.options
---@return luatensor.Tensor # ... the gradient of each input
function lt.autograd.grad(outputs, inputs, options) end

---Calls a function without recording, so that its results require no gradients. Without a function, the result is a
---guard: nothing is recorded until the block of the variable that holds the guard ends.
---
---    local y = lt.no_grad(model, x)
---    local _ <close> = lt.no_grad()
---
---The call and the guard affect the coroutine that calls `lt.no_grad`, and coroutines that it resumes meanwhile. If
---the coroutine yields, other coroutines are not affected.
---```lua
---local x = lt.ones(2, {requires_grad = true})
---lt.no_grad(function() return (x * 2).requires_grad end)  --> false
---```
---@param fn? function
---@param ... any the arguments of fn
---@return any # what fn returns, or the guard
function lt.no_grad(fn, ...) end

---Calls a function with recording, even inside of lt.no_grad. Without a function, the result is a guard: ops are
---recorded until the block of the variable that holds the guard ends.
---```lua
---local x = lt.ones(1, {requires_grad = true})
---lt.no_grad(function() return lt.enable_grad(function() return x * 2 end) end).requires_grad  --> true
---```
---@param fn? function
---@param ... any the arguments of fn
---@return any # what fn returns, or the guard
function lt.enable_grad(fn, ...) end

---True while ops on tensors that require gradients are recorded.
---```lua
---lt.no_grad(lt.is_grad_enabled)  --> false
---```
---@return boolean #
function lt.is_grad_enabled() end

---Makes a function with its own gradient, for results that can be computed faster or more exactly than by existing
---ops.
---```lua
---local double = lt.autograd_function{
---  forward = function(ctx, x) return x * 2 end,
---  backward = function(ctx, gradient) return gradient * 2 end,
---}
---double(lt.tensor{3.0})  --> [6.0]
---```
---@param f table `forward(ctx, …)`: returns one or more tensors; its ops are not recorded. `backward(ctx, g, …)`: takes the gradients of the results and returns the gradients of the arguments, in order (nil for an argument without gradient). `name`: the name in messages. In forward, `ctx:save(x, …)` keeps tensors; in backward, `ctx:saved()` returns them. `ctx.needs[i]` is true if the gradient of argument i is wanted
---@return function #
function lt.autograd_function(f) end

---Calls a function, and raises an error at the first NaN in a result of an op, or in a gradient of a backward pass
---inside of the function. The error names the op and the line of the script. This mode is slow, because it waits for
---every result and checks it. Without a function, the result is a guard, as for lt.no_grad.
---```lua
---local x = lt.zeros(1, {requires_grad = true})
---pcall(lt.detect_anomaly, function() (x / x):sum():backward() end)  --> false
---```
---@param fn? function
---@param ... any the arguments of fn
---@return any # what fn returns, or the guard
function lt.detect_anomaly(fn, ...) end

---Returns the chart of seconds by size as a figure of lt.plot.
---```lua
---print(plot.line({1, 4, 9, 16}, {title = "Squares"}):text {width = 40, height = 8})
---```
---@return luatensor.Figure #
---@return nil #
---@return string # the reason: nothing was measured
function lt.plot() end

---Returns a function that does the same as f, whose element-wise operations, reductions, scans and softmax wait and
---then run together.
---
---While f runs, operations such as `x * y + 1` or `x:sum(2)` are written on a list. The list is computed when f
---returns, or before something else needs one of its results: a product of matrices, `x:item()`, printing. Operations
---of equal shape become one pass over memory, and results that nobody can read any more are neither computed nor
---stored. The values are those of f itself, bit for bit. All of Lua works in f as usual: branches, counters, closures,
---`backward`, errors. A coroutine in which f runs cannot yield from f.
---
---With `replay`, calls with arguments of equal dtype, shape and device repeat the work of an earlier call without
---running f. `docs/compile.md` says what a replay cannot see.
---Errors: errors of f; errors of a waiting operation, such as exhausted memory, where the list runs; with `replay`, if f reads a value or returns other values than tensors, numbers, strings, booleans and nil.
---```lua
---local scaled = lt.compile(function(x) return x * 2 / x:sum() + 1 end, {replay = true})
---for _ = 1, 5 do scaled(lt.ones(4)) end
---scaled(lt.ones(4))  --> [1.5, 1.5, 1.5, 1.5]
---tostring(scaled):match "; (.*)"  --> 4 of 6 calls replayed
---scaled:reset()
---scaled:explain(lt.ones(4)):match "(%d+) operations"  --> 4
---```
---@param f function any arguments and results
---@param options? luatensor.compile.options
---@return luatensor.compiled # call it like f. `print(compiled)` shows what its calls did so far, and `compiled:explain(…)` what one call does; with `replay`, `compiled:reset()` forgets what was captured
function lt.compile(f, options) end

---Compiles CUDA C++ for a GPU. The parameters of the kernel are read from the source: pointers take contiguous
---tensors of the type to which they point, and a const pointer only reads its tensor; other parameters take numbers.
---docs/user-kernels.md lists the headers that may be included.
---Errors: the compiler's errors, with the line numbers of the source; also if there is no such kernel or no GPU.
---```lua
---if lt.cuda.is_available() then
---  local twice = lt.kernel("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }", "twice")
---  twice({grid = 1, block = 4}, lt.ones(4, {device = "cuda"}))
---end
---```
---@param source string the text of the program, with a `__global__ void name(…)`
---@param name string the kernel's name in the source
---@param options? luatensor.kernel.options
---@return any # the kernel: k({grid = n or {x, y, z}, block = n or {x, y, z}, shared = bytes}, …) queues the kernel with these arguments; {count = n} makes a grid of at least n threads, in blocks of 256 threads unless `block` is given
function lt.kernel(source, name, options) end

---Prints the reference's entry for a name: the calls, the options with their defaults, the results, and an example.
---Other words are searched for in all names and texts. If there is no help, lt.help raises no error, but prints one
---sentence that says so.
---```lua
---lt.help "conv2d"
---```
---@param subject? any a name ("conv2d", "nn.Linear", "x:sum"), a function, a class, a table of functions, or words
function lt.help(subject) end

---Writes a file completely or not at all. An existing file stays until the new file is on the disk.
---
---A tensor is written in NumPy's .npy format. Any other value is written in the .safetensors format, which Python's
---package safetensors can read. The value may be a network (saved as the tensors of its state_dict, by name), an
---optimiser, a generator, a tensor, a number, a string, a boolean, or a table of such values:
---
---    lt.save("run.safetensors", {model = model, optimizer = optimizer, generator = lt.default_generator()})
---
---A path that ends in `.npz` gives an archive of NumPy, from a table of tensors by name:
---
---    lt.save("set.npz", {x = lt.ones(2, 3), y = lt.zeros(2)})
---
---A path that ends in `.png`, `.jpg`, `.jpeg`, `.pgm`, `.ppm`, `.pnm` or `.pam` gives an image. The image is a uint8
---or uint16 tensor [channels, height, width], or a gray image [height, width]. One channel is gray, two are gray and
---alpha, three are RGB, four are RGB and alpha:
---
---    lt.save("noise.png", lt.randint(0, 255, {3, 32, 32}, {dtype = "uint8"}))
---Errors: if the ending belongs to another format, such as `.pt` or `.csv`; if a value cannot be saved (the message names the value); if the disk is full or permission is missing; if the format lacks the dtype: bfloat16 (.npy, .npz), complex128 (.safetensors); if an image is not of uint8 or uint16, or JPEG's library is missing.
---```lua
---local path = os.tmpname() .. ".npy"
---lt.save(path, lt.tensor{1, 2})
---lt.load(path)  --> [1, 2]
---os.remove(path)
---```
---@param path string of the file, with the ending `.npy`, `.npz` or `.safetensors`, with the ending of an image, or with an ending that no known format has
---@param value any an object with functions state_dict and load_state_dict is saved as the result of state_dict
---@param options? luatensor.save.options
function lt.save(path, value, options) end

---Reads a file that lt.save, NumPy or Python's safetensors wrote. The first bytes of a file identify its format.
---
---    local run = lt.load "run.safetensors"
---    model:load_state_dict(run.model)
---    optimizer:load_state_dict(run.optimizer)
---    lt.default_generator():set_state(run.generator)
---    local weights, metadata = lt.load("model.safetensors", {metadata = true})
---
---An image (PNG, JPEG or Netpbm) is a tensor [channels, height, width] of uint8, or of uint16 if the file has 16 bits a
---sample. JPEG files need the library libturbojpeg.
---Errors: if the file is damaged, truncated, or of another format; all sizes are checked before memory is allocated.
---```lua
---local path = os.tmpname() .. ".npy"
---lt.save(path, lt.tensor{1, 2})
---lt.load(path)  --> [1, 2]
---os.remove(path)
---```
---@param path string of the file
---@param options? luatensor.load.options
---@return luatensor.Tensor # the tensor; or the saved table, in which modules and other objects are the results of their state_dict; or, from an .npz file or a .safetensors file of another program, the tensors by name
---@return table # with option metadata, for a .safetensors file: strings by name, such as PyTorch's {format = "pt"}
function lt.load(path, options) end

---absolute value; the least integer wraps to itself.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{-1, 2}:abs()  --> [1, 2]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.abs(x, options) end

---arc cosine, in [0, pi].
---For bool, integers, floats and complex numbers.
---```lua
---lt.acos(1.0)  --> 0.0
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.acos(x, options) end

---inverse hyperbolic cosine; NaN below 1.
---For bool, integers, floats and complex numbers.
---```lua
---lt.acosh(1.0)  --> 0.0
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.acosh(x, options) end

---x + y.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{1, 2}:add(10)              --> [11, 12]
---lt.tensor{1, 2} + lt.tensor{10, 20}  --> [11, 22]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.add(x, y, options) end

---is every element not 0? true of no elements.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{true, false}:all()  --> false
---```
---@param x luatensor.Tensor
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out all dims unless given
---@param options? luatensor.options.dim_keepdim_out
---@return luatensor.Tensor #
function lt.all(x, dim, options) end

---angle of the complex number x in radians: atan2(imag, real); of a real one 0 or pi.
---For bool, integers, floats and complex numbers.
---```lua
---lt.angle(lt.complex(0.0, 1.0))  --> 1.5708
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.angle(x, options) end

---is any element not 0? false of no elements.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{true, false}:any()  --> true
---```
---@param x luatensor.Tensor
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out all dims unless given
---@param options? luatensor.options.dim_keepdim_out
---@return luatensor.Tensor #
function lt.any(x, dim, options) end

---1-based position of the first largest element, or of the first NaN.
---For integers and floats.
---```lua
---lt.tensor{3, 9, 4}:argmax()  --> 2
---```
---@param x luatensor.Tensor
---@param dim? integer|luatensor.argmax.options unless given, the position is that in the flattened x
---@param options? luatensor.argmax.options
---@return luatensor.Tensor #
function lt.argmax(x, dim, options) end

---1-based position of the first smallest element, or of the first NaN.
---For integers and floats.
---```lua
---lt.tensor{3, 9, 1}:argmin()  --> 3
---```
---@param x luatensor.Tensor
---@param dim? integer|luatensor.argmax.options unless given, the position is that in the flattened x
---@param options? luatensor.argmax.options
---@return luatensor.Tensor #
function lt.argmin(x, dim, options) end

---arc sine, in [-pi/2, pi/2].
---For bool, integers, floats and complex numbers.
---```lua
---lt.asin(lt.tensor{0.0, 1.0})  --> [0.0000, 1.5708]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.asin(x, options) end

---inverse hyperbolic sine.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, 1.0}:asinh()  --> [0.0000, 0.8814]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.asinh(x, options) end

---arc tangent, in [-pi/2, pi/2].
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, 1.0}:atan()  --> [0.0000, 0.7854]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.atan(x, options) end

---angle of the point (y, x) in radians: atan(x / y) in the right quadrant.
---For bool, integers and floats.
---```lua
---lt.atan2(lt.tensor{1.0, -1.0}, lt.tensor{0.0, 0.0})  --> [1.5708, -1.5708]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.atan2(x, y, options) end

---inverse hyperbolic tangent; NaN outside [-1, 1].
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, 0.5}:atanh()  --> [0.0000, 0.5493]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.atanh(x, options) end

---bits set in both.
---For bool and integers.
---```lua
---lt.bitwise_and(lt.tensor{12, 10}, 6)  --> [4, 2]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.bitwise_and(x, y, options) end

---every bit inverted; on bool, not.
---For bool and integers.
---```lua
---lt.bitwise_invert(lt.tensor{0, 5})  --> [-1, -6]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.bitwise_invert(x, options) end

---x << y; 0 from the width on; a negative y shifts right.
---For integers.
---```lua
---lt.bitwise_left_shift(lt.tensor{1, 3}, 2)  --> [4, 12]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.bitwise_left_shift(x, y, options) end

---bits set in either.
---For bool and integers.
---```lua
---lt.bitwise_or(lt.tensor{12, 10}, 6)  --> [14, 14]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.bitwise_or(x, y, options) end

---x >> y, filled with the sign; a negative y shifts left.
---For integers.
---```lua
---lt.bitwise_right_shift(lt.tensor{8, -8}, 2)  --> [2, -2]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.bitwise_right_shift(x, y, options) end

---bits set in one of them.
---For bool and integers.
---```lua
---lt.bitwise_xor(lt.tensor{12, 10}, 6)  --> [10, 12]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.bitwise_xor(x, y, options) end

---least integral value >= x.
---For integers and floats.
---```lua
---lt.tensor{1.2, -1.7}:ceil()  --> [2.0, -1.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.ceil(x, options) end

---complex conjugate; real numbers stay as they are.
---For integers, floats and complex numbers.
---```lua
---lt.tensor({{1, 2}}, {dtype = "complex64"}):conj()  --> [1.0-2.0i]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.conj(x, options) end

---magnitude of x with the sign of y.
---For bool, integers and floats.
---```lua
---lt.copysign(lt.tensor{1.0, -2.0}, -1.0)  --> [-1.0, -2.0]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.copysign(x, y, options) end

---cosine of x radians.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, lt.pi}:cos()  --> [1.0, -1.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.cos(x, options) end

---hyperbolic cosine.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, 1.0}:cosh()  --> [1.0000, 1.5431]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.cosh(x, options) end

---how many elements are not 0.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0, 2, 3}:count_nonzero()  --> 2
---```
---@param x luatensor.Tensor
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out all dims unless given
---@param options? luatensor.options.dim_keepdim_out
---@return luatensor.Tensor #
function lt.count_nonzero(x, dim, options) end

---x / y, in floating point.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1, 2} / 4        --> [0.25, 0.50]
---lt.tensor{1, 2}:divide(4)  --> [0.25, 0.50]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.divide(x, y, options) end

---x == y.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1, 2}:equal(lt.tensor{1, 3})  --> [true, false]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.equal(x, y, options) end

---error function 2/sqrt(pi) * integral of exp(-t^2) from 0 to x.
---For bool, integers and floats.
---```lua
---lt.tensor{0.0, 1.0}:erf()  --> [0.0000, 0.8427]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.erf(x, options) end

---1 - erf(x), exact for large x.
---For bool, integers and floats.
---```lua
---lt.tensor{0.0, 1.0}:erfc()  --> [1.0000, 0.1573]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.erfc(x, options) end

---e^x.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0, 1}:exp()  --> [1.0000, 2.7183]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.exp(x, options) end

---e^x - 1, exact near 0.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor({1e-10}, {dtype = "float64"}):expm1()  --> [1.0e-10]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.expm1(x, options) end

---greatest integral value <= x.
---For integers and floats.
---```lua
---lt.tensor{1.7, -1.2}:floor()  --> [1.0, -2.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.floor(x, options) end

---floor(x / y), toward minus infinity; integers by 0 give 0.
---For integers and floats.
---```lua
---lt.tensor{7, 8}:floor_divide(3)  --> [2, 2]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.floor_divide(x, y, options) end

---x * (1 + erf(x / sqrt(2))) / 2.
---For bool, integers and floats.
---```lua
---lt.tensor{-1.0, 0.0, 1.0}:gelu()  --> [-0.1587, 0.0000, 0.8413]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.gelu(x, options) end

---x > y.
---For integers and floats.
---```lua
---lt.tensor{1, 2, 3}:greater(2)  --> [false, false, true]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.greater(x, y, options) end

---x >= y.
---For integers and floats.
---```lua
---lt.tensor{1, 2, 3}:greater_equal(2)  --> [false, true, true]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.greater_equal(x, y, options) end

---sqrt(x^2 + y^2) without overflow on the way.
---For bool, integers and floats.
---```lua
---lt.hypot(lt.tensor{3.0, 5.0}, lt.tensor{4.0, 12.0})  --> [5.0, 13.0]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.hypot(x, y, options) end

---is x neither infinite nor NaN?.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1.0, lt.inf}:isfinite()  --> [true, false]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.isfinite(x, options) end

---is x infinite?.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1.0, -1 / 0}:isinf()  --> [false, true]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.isinf(x, options) end

---is x NaN?.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1.0, lt.nan}:isnan()  --> [false, true]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.isnan(x, options) end

---x + weight * (y - x).
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, 10.0}:lerp(1, 0.5)  --> [0.5, 5.5]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param z luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.lerp(x, y, z, options) end

---x < y.
---For integers and floats.
---```lua
---lt.tensor{1, 2, 3}:less(2)  --> [true, false, false]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.less(x, y, options) end

---x <= y.
---For integers and floats.
---```lua
---lt.tensor{1, 2, 3}:less_equal(2)  --> [true, true, false]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.less_equal(x, y, options) end

---natural logarithm.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1, 10}:log()  --> [0.0000, 2.3026]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.log(x, options) end

---logarithm to base 10.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1.0, 1000.0}:log10()  --> [0.0, 3.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.log10(x, options) end

---log(1 + x), exact near 0.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor({1e-10}, {dtype = "float64"}):log1p()  --> [1.0e-10]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.log1p(x, options) end

---logarithm to base 2.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1.0, 8.0}:log2()  --> [0.0, 3.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.log2(x, options) end

---log(exp(x) + exp(y)) without overflow on the way.
---For bool, integers and floats.
---```lua
---lt.logaddexp(lt.tensor{0.0, 1000.0}, lt.tensor{0.0, 1000.0})  --> [0.6931, 1000.6932]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.logaddexp(x, y, options) end

---x and y; everything but 0 is true.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{true, true}:logical_and(lt.tensor{true, false})  --> [true, false]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.logical_and(x, y, options) end

---not x; everything but 0 is true.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{true, false}:logical_not()  --> [false, true]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.logical_not(x, options) end

---x or y; everything but 0 is true.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{false, true}:logical_or(lt.tensor{false, false})  --> [false, true]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.logical_or(x, y, options) end

---one of x and y, not both; everything but 0 is true.
---For bool, integers, floats and complex numbers.
---```lua
---lt.logical_xor(lt.tensor{true, true}, lt.tensor{true, false})  --> [false, true]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.logical_xor(x, y, options) end

---log of the sum of exponentials, without overflow on the way.
---For bool, integers and floats.
---```lua
---lt.tensor{0.0, 0.0}:logsumexp()  --> 0.6931
---```
---@param x luatensor.Tensor
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out all dims unless given
---@param options? luatensor.options.dim_keepdim_out
---@return luatensor.Tensor #
function lt.logsumexp(x, dim, options) end

---largest element; NaN if there is one.
---For integers and floats.
---```lua
---lt.tensor{{1, 5}, {7, 2}}:max(2)  --> [5, 7]
---```
---@param x luatensor.Tensor
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out all dims unless given
---@param options? luatensor.options.dim_keepdim_out
---@return luatensor.Tensor #
function lt.max(x, dim, options) end

---the larger; NaN if either is NaN.
---For integers and floats.
---```lua
---lt.tensor{1, 5}:maximum(3)  --> [3, 5]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.maximum(x, y, options) end

---arithmetic mean; NaN of no elements.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{{1, 2}, {3, 5}}:mean(1)  --> [2.0, 3.5]
---```
---@param x luatensor.Tensor
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out_dtype all dims unless given
---@param options? luatensor.options.dim_keepdim_out_dtype
---@return luatensor.Tensor #
function lt.mean(x, dim, options) end

---smallest element; NaN if there is one.
---For integers and floats.
---```lua
---lt.tensor{{1, 5}, {7, 2}}:min(2)  --> [1, 2]
---```
---@param x luatensor.Tensor
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out all dims unless given
---@param options? luatensor.options.dim_keepdim_out
---@return luatensor.Tensor #
function lt.min(x, dim, options) end

---the smaller; NaN if either is NaN.
---For integers and floats.
---```lua
---lt.tensor{1, 5}:minimum(3)  --> [1, 3]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.minimum(x, y, options) end

---x * y.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{1, 2} * 3          --> [3, 6]
---lt.tensor{1, 2}:multiply(3)  --> [3, 6]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.multiply(x, y, options) end

----x; integers wrap.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{1, -2}:negative()  --> [-1, 2]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.negative(x, options) end

---the next value of the dtype after x toward y.
---For bool, integers and floats.
---```lua
---lt.nextafter(lt.tensor({1.0}, {dtype = "float64"}), 2.0):subtract(1.0)  --> [2.2204e-16]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.nextafter(x, y, options) end

---x ~= y.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1, 2}:not_equal(2)  --> [true, false]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.not_equal(x, y, options) end

---x itself.
---For bool, integers, floats and complex numbers.
---```lua
---lt.positive(lt.tensor{-1, 2})  --> [-1, 2]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.positive(x, options) end

---x to the power y; integers wrap, a negative integer exponent gives 0 unless x is 1 or -1.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{1, 2, 3}:pow(2)  --> [1, 4, 9]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.pow(x, y, options) end

---product; bool and integers multiply in int64 or uint64.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{2, 3, 4}:prod()  --> 24
---```
---@param x luatensor.Tensor
---@param dim? integer|integer[]|luatensor.prod.options all dims unless given
---@param options? luatensor.prod.options
---@return luatensor.Tensor #
function lt.prod(x, dim, options) end

---1 / x.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{2.0, 4.0}:reciprocal()  --> [0.50, 0.25]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.reciprocal(x, options) end

---max(x, 0).
---For integers and floats.
---```lua
---lt.tensor{-1, 2}:relu()  --> [0, 2]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.relu(x, options) end

---x - y * floor(x / y), with the sign of y; integers by 0 give 0.
---For integers and floats.
---```lua
---lt.tensor{-1, 7}:remainder(3)  --> [2, 1]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.remainder(x, y, options) end

---nearest integral value, halves to even.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{0.5, 1.5, 2.4}:round()  --> [0.0, 2.0, 2.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.round(x, options) end

---1 / sqrt(x).
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{1.0, 4.0}:rsqrt()  --> [1.0, 0.5]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.rsqrt(x, options) end

---1 / (1 + exp(-x)).
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0, 100}:sigmoid()  --> [0.5, 1.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.sigmoid(x, options) end

----1, 0 or 1, x / abs(x) of complex numbers; NaN stays NaN.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{-3, 0, 5}:sign()  --> [-1, 0, 1]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.sign(x, options) end

---is the sign bit set? (true for -0).
---For bool, integers and floats.
---```lua
---lt.tensor{1.0, -0.0}:signbit()  --> [false, true]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.signbit(x, options) end

---x * sigmoid(x).
---For bool, integers and floats.
---```lua
---lt.tensor{-1.0, 0.0, 1.0}:silu()  --> [-0.2689, 0.0000, 0.7311]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.silu(x, options) end

---sine of x radians.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0, lt.pi / 2}:sin()  --> [0.0, 1.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.sin(x, options) end

---hyperbolic sine.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, 1.0}:sinh()  --> [0.0000, 1.1752]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.sinh(x, options) end

---log(1 + exp(x)).
---For bool, integers and floats.
---```lua
---lt.tensor{-1.0, 0.0, 1.0}:softplus()  --> [0.3133, 0.6931, 1.3133]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.softplus(x, options) end

---square root; NaN below 0.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{4, 9}:sqrt()  --> [2.0, 3.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.sqrt(x, options) end

---x * x.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{2, 3}:square()  --> [4, 9]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.square(x, options) end

---standard deviation: the root of var.
---For bool, integers and floats.
---```lua
---lt.tensor{1, 2, 3, 4}:std()                --> 1.118
---lt.tensor{1, 2, 3, 4}:std{correction = 1}  --> 1.291
---```
---@param x luatensor.Tensor
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out_correction all dims unless given
---@param options? luatensor.options.dim_keepdim_out_correction
---@return luatensor.Tensor #
function lt.std(x, dim, options) end

---x - y.
---For integers, floats and complex numbers.
---```lua
---lt.tensor{5, 7} - 1          --> [4, 6]
---lt.tensor{5, 7}:subtract(1)  --> [4, 6]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.subtract(x, y, options) end

---sum; bool and integers add up in int64 or uint64.
---For bool, integers, floats and complex numbers.
---```lua
---local x = lt.tensor{{1, 2}, {3, 4}}
---x:sum()                         --> 10
---x:sum(1)                        --> [4, 6]
---x:sum{dim = 2, keepdim = true}  --> [[3], [7]]
---```
---@param x luatensor.Tensor
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out_dtype all dims unless given
---@param options? luatensor.options.dim_keepdim_out_dtype
---@return luatensor.Tensor #
function lt.sum(x, dim, options) end

---tangent of x radians.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0.0, lt.pi / 4}:tan()  --> [0.0, 1.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.tan(x, options) end

---hyperbolic tangent.
---For bool, integers, floats and complex numbers.
---```lua
---lt.tensor{0, 100}:tanh()  --> [0.0, 1.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.tanh(x, options) end

---x without its fraction.
---For integers and floats.
---```lua
---lt.tensor{1.7, -1.7}:trunc()  --> [1.0, -1.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.trunc(x, options) end

---variance, divided by n - correction (0 unless given).
---For bool, integers and floats.
---```lua
---lt.tensor{1, 2, 3, 4}:var()                --> 1.25
---lt.tensor{1, 2, 3, 4}:var{correction = 1}  --> 1.6667
---```
---@param x luatensor.Tensor
---@param dim? integer|integer[]|luatensor.options.dim_keepdim_out_correction all dims unless given
---@param options? luatensor.options.dim_keepdim_out_correction
---@return luatensor.Tensor #
function lt.var(x, dim, options) end

---y where x is true, else z.
---For bool, integers, floats and complex numbers.
---```lua
---local x = lt.tensor{-1, 2, -3}
---x:greater(0):where(x, 0)  --> [0, 2, 0]
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param z luatensor.Tensor|number
---@param options? luatensor.mm.options
---@return luatensor.Tensor #
function lt.where(x, y, z, options) end

---The same as abs.
lt["absolute"] = lt["abs"]

---The same as max.
lt["amax"] = lt["max"]

---The same as min.
lt["amin"] = lt["min"]

---The same as acos.
lt["arccos"] = lt["acos"]

---The same as acosh.
lt["arccosh"] = lt["acosh"]

---The same as asin.
lt["arcsin"] = lt["asin"]

---The same as asinh.
lt["arcsinh"] = lt["asinh"]

---The same as atan.
lt["arctan"] = lt["atan"]

---The same as atan2.
lt["arctan2"] = lt["atan2"]

---The same as atanh.
lt["arctanh"] = lt["atanh"]

---@type string
lt.bfloat16 = nil

---The same as bitwise_invert.
lt["bitwise_not"] = lt["bitwise_invert"]

---The same as x:to("bool").
---@type string
lt.bool = nil

---The same as broadcast_arrays.
lt["broadcast_tensors"] = lt["broadcast_arrays"]

---The same as concat.
lt["cat"] = lt["concat"]

---The same as clip.
lt["clamp"] = lt["clip"]

---@type string
lt.complex128 = nil

---@type string
lt.complex64 = nil

---The same as concat.
lt["concatenate"] = lt["concat"]

---The same as cumulative_prod.
lt["cumprod"] = lt["cumulative_prod"]

---The same as cumulative_sum.
lt["cumsum"] = lt["cumulative_sum"]

---The same as divide.
lt["div"] = lt["divide"]

---Euler's number, 2.71828…
---@type number
lt.e = nil

---@type lightuserdata
lt.ellipsis = nil

---The same as equal.
lt["eq"] = lt["equal"]

---The same as broadcast_to.
lt["expand"] = lt["broadcast_to"]

---@type string
lt.float16 = nil

---@type string
lt.float32 = nil

---@type string
lt.float64 = nil

---The same as greater_equal.
lt["ge"] = lt["greater_equal"]

---The same as greater.
lt["gt"] = lt["greater"]

---Infinity.
---@type number
lt.inf = nil

---@type string
lt.int16 = nil

---@type string
lt.int32 = nil

---@type string
lt.int64 = nil

---@type string
lt.int8 = nil

---The same as less_equal.
lt["le"] = lt["less_equal"]

---The same as bitwise_left_shift.
lt["left_shift"] = lt["bitwise_left_shift"]

---The same as less.
lt["lt"] = lt["less"]

---The same as moveaxis.
lt["movedim"] = lt["moveaxis"]

---The same as multiply.
lt["mul"] = lt["multiply"]

---NaN, the result of 0 / 0. NaN equals nothing, not even NaN.
---@type number
lt.nan = nil

---The same as not_equal.
lt["ne"] = lt["not_equal"]

---The same as negative.
lt["neg"] = lt["negative"]

---@type lightuserdata
lt.newaxis = nil

---The same as permute_dims.
lt["permute"] = lt["permute_dims"]

---The ratio of a circle's circumference to its diameter, 3.14159…
---@type number
lt.pi = nil

---The same as pow.
lt["power"] = lt["pow"]

---The same as flatten.
lt["ravel"] = lt["flatten"]

---The same as repeat.
lt["repeat_interleave"] = lt["repeat"]

---The same as bitwise_right_shift.
lt["right_shift"] = lt["bitwise_right_shift"]

---The same as subtract.
lt["sub"] = lt["subtract"]

---The same as swapaxes.
lt["swapdims"] = lt["swapaxes"]

---The same as matrix_transpose.
lt["t"] = lt["matrix_transpose"]

---The same as take_along_axis.
lt["take_along_dim"] = lt["take_along_axis"]

---The same as totable.
lt["tolist"] = lt["totable"]

---The same as swapaxes.
lt["transpose"] = lt["swapaxes"]

---The same as divide.
lt["true_divide"] = lt["divide"]

---@type string
lt.uint16 = nil

---@type string
lt.uint32 = nil

---@type string
lt.uint64 = nil

---@type string
lt.uint8 = nil

---The same as unstack.
lt["unbind"] = lt["unstack"]

---The same as unique_values.
lt["unique"] = lt["unique_values"]

---The same as expand_dims.
lt["unsqueeze"] = lt["expand_dims"]

---The same as reshape.
lt["view"] = lt["reshape"]

return lt
