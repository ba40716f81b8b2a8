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
---@field [any] luatensor.Tensor|number # x[3], x[{ {1, 3}, {} }] …
local Tensor = {}

---absolute value; the least integer wraps to itself.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
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
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:acos(options) end

---In place: arc cosine, in [0, pi].
---@return luatensor.Tensor # x
function Tensor:acos_() end

---inverse hyperbolic cosine; NaN below 1.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:acosh(options) end

---In place: inverse hyperbolic cosine; NaN below 1.
---@return luatensor.Tensor # x
function Tensor:acosh_() end

---x + y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:add(y, options) end

---In place: x + y.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:add_(y) end

---beta * x + alpha * a @ b, in one pass.
---@param a luatensor.Tensor [m, k]
---@param b luatensor.Tensor [k, n]
---@param options? table `alpha`, `beta` (default 1; if beta is 0, x is not read), `out`
---@return luatensor.Tensor # [m, n]
function Tensor:addmm(a, b, options) end

---In place: beta * x + alpha * a @ b, in one pass.
---@param a luatensor.Tensor [m, k]
---@param b luatensor.Tensor [k, n]
---@return luatensor.Tensor # x
function Tensor:addmm_(a, b) end

---is every element not 0? true of no elements.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function Tensor:all(dim, options) end

---True if all elements of x and y are close as defined by `isclose`. Waits for the result.
---@param y number|luatensor.Tensor broadcast with x
---@param rtol? number|luatensor.Tensor relative tolerance
---@param atol? number|luatensor.Tensor absolute tolerance
---@param options? table `rtol`, `atol`, `equal_nan` (false)
---@return boolean #
function Tensor:allclose(y, rtol, atol, options) end

---The same as max.
Tensor["amax"] = Tensor["max"]

---The same as min.
Tensor["amin"] = Tensor["min"]

---angle of the complex number x in radians: atan2(imag, real); of a real one 0 or pi.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:angle(options) end

---In place: angle of the complex number x in radians: atan2(imag, real); of a real one 0 or pi.
---@return luatensor.Tensor # x
function Tensor:angle_() end

---is any element not 0? false of no elements.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
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
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function Tensor:argmax(dim, options) end

---1-based position of the first smallest element, or of the first NaN.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function Tensor:argmin(dim, options) end

---@param dim? integer
---@param options? table `dim`, `descending` (false), `stable` (accepted; sorting is always stable)
---@return luatensor.Tensor # int64, of x's shape
function Tensor:argsort(dim, options) end

---Positions of the elements that are not 0 (or are true), one row each. Waits for their number.
---@return luatensor.Tensor # int64, [count, ndim]
function Tensor:argwhere() end

---arc sine, in [-pi/2, pi/2].
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:asin(options) end

---In place: arc sine, in [-pi/2, pi/2].
---@return luatensor.Tensor # x
function Tensor:asin_() end

---inverse hyperbolic sine.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:asinh(options) end

---In place: inverse hyperbolic sine.
---@return luatensor.Tensor # x
function Tensor:asinh_() end

---@param dtype string
---@param options? table `copy`: false returns x itself if it has the dtype (default true); `device`
---@return luatensor.Tensor #
function Tensor:astype(dtype, options) end

---arc tangent, in [-pi/2, pi/2].
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:atan(options) end

---angle of the point (y, x) in radians: atan(x / y) in the right quadrant.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
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
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:atanh(options) end

---In place: inverse hyperbolic tangent; NaN outside [-1, 1].
---@return luatensor.Tensor # x
function Tensor:atanh_() end

---Computes the gradients of y with respect to all leaves from which y was computed, and adds them to each leaf's
---`x.grad`. The graph is released during the pass.
---@param gradient? luatensor.Tensor the gradient of y, in y's shape; 1 unless given
---@param options? table `retain_graph` (default create_graph): keeps the graph for another backward; `create_graph` (false): the gradients can be differentiated, too
function Tensor:backward(gradient, options) end

---Draws 1 with probability p, else 0.
---@param p any a number in [0, 1], followed by a shape; or a tensor of probabilities, whose shape the result has
---@param ... any the shape: numbers or one table
---, then options: `dtype` (any dtype; by default that of p, or float32), `device`, `generator`
---@return luatensor.Tensor #
function Tensor:bernoulli(p, ...) end

---Sets x to 1 with probability p, else 0.
---@param p? number
---@param options? table `generator`
---@return luatensor.Tensor # x
function Tensor:bernoulli_(p, options) end

---Counts how often each value occurs: element i of the result is the number of elements equal to i. Waits for the
---smallest and the largest value. Counting starts at 1, like positions in Lua; a value below 1 is an error.
---@param options? table `weights`: a tensor with a weight for each element, added up instead of 1; `minlength`: minimum length of the result
---@return luatensor.Tensor # 1-d, as long as the largest value; int64, or the dtype of float weights
function Tensor:bincount(options) end

---bits set in both.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:bitwise_and(y, options) end

---In place: bits set in both.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:bitwise_and_(y) end

---every bit inverted; on bool, not.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:bitwise_invert(options) end

---In place: every bit inverted; on bool, not.
---@return luatensor.Tensor # x
function Tensor:bitwise_invert_() end

---x << y; 0 from the width on; a negative y shifts right.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64.
---@param y luatensor.Tensor|number
---@param options? table `out`
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
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:bitwise_or(y, options) end

---In place: bits set in either.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:bitwise_or_(y) end

---x >> y, filled with the sign; a negative y shifts left.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:bitwise_right_shift(y, options) end

---In place: x >> y, filled with the sign; a negative y shifts left.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:bitwise_right_shift_(y) end

---bits set in one of them.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:bitwise_xor(y, options) end

---In place: bits set in one of them.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:bitwise_xor_(y) end

---matmul of 3-d tensors only.
---@param y luatensor.Tensor [batch, k, n]
---@param options? table `out`
---@return luatensor.Tensor # [batch, m, n]
function Tensor:bmm(y, options) end

---The same as x:to("bool").
---@return luatensor.Tensor #
function Tensor:bool() end

---Broadcasts all tensors to their common shape.
---@return luatensor.Tensor # ... as many views
function Tensor:broadcast_arrays() end

---The same as broadcast_arrays.
Tensor["broadcast_tensors"] = Tensor["broadcast_arrays"]

---@param ... any sizes, or one table of them
---@return luatensor.Tensor # a view, which cannot be written if it is stretched
function Tensor:broadcast_to(...) end

---The same as x:to("uint8").
---@return luatensor.Tensor #
function Tensor:byte() end

---least integral value >= x.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:ceil(options) end

---In place: least integral value >= x.
---@return luatensor.Tensor # x
function Tensor:ceil_() end

---The same as x:to("int8").
---@return luatensor.Tensor #
function Tensor:char() end

---At most n parts of one size along a dim; the last may be shorter.
---@param n integer
---@param dim? integer also option `dim`
---@return table # views
function Tensor:chunk(n, dim) end

---The same as clip.
Tensor["clamp"] = Tensor["clip"]

---The same as clip_.
Tensor["clamp_"] = Tensor["clip_"]

---@param min? number|luatensor.Tensor|nil broadcast with x; nil: no limit below; also an option
---@param max? number|luatensor.Tensor|nil broadcast with x; nil: no limit above; also an option
---@param options? table `min`, `max`; `out`: the tensor to write to
---@return luatensor.Tensor # of the dtype that x, min and max promote to
function Tensor:clip(min, max, options) end

---In place:
---@param min? number|luatensor.Tensor|nil broadcast with x; nil: no limit below; also an option
---@param max? number|luatensor.Tensor|nil broadcast with x; nil: no limit above; also an option
---@return luatensor.Tensor # x
function Tensor:clip_(min, max) end

---A copy that shares no memory with x, row-major.
---@return luatensor.Tensor #
function Tensor:clone() end

---complex conjugate; real numbers stay as they are.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:conj(options) end

---In place: complex conjugate; real numbers stay as they are.
---@return luatensor.Tensor # x
function Tensor:conj_() end

---x itself when its elements lie row-major without gaps, else a copy that does.
---@return luatensor.Tensor #
function Tensor:contiguous() end

---Overwrites x with the elements of y, converted to x's dtype.
---@param y luatensor.Tensor|number broadcast to x's shape, on any device; must not overlap x unless it is the same view
---@return luatensor.Tensor # x
function Tensor:copy_(y) end

---magnitude of x with the sign of y.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:copysign(y, options) end

---In place: magnitude of x with the sign of y.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:copysign_(y) end

---cosine of x radians.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:cos(options) end

---In place: cosine of x radians.
---@return luatensor.Tensor # x
function Tensor:cos_() end

---hyperbolic cosine.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:cosh(options) end

---In place: hyperbolic cosine.
---@return luatensor.Tensor # x
function Tensor:cosh_() end

---how many elements are not 0.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
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

---Largest element so far along a dim; NaN from the first NaN on.
---@param dim? integer not needed for 1-d tensors
---@param options? table `dim`, `include_initial`: starts with the least value of the dtype, so that there is one more element; `dtype`, `out`
---@return luatensor.Tensor #
function Tensor:cumulative_max(dim, options) end

---Smallest element so far along a dim; NaN from the first NaN on.
---@param dim? integer not needed for 1-d tensors
---@param options? table `dim`, `include_initial`: starts with the greatest value of the dtype, so that there is one more element; `dtype`, `out`
---@return luatensor.Tensor #
function Tensor:cumulative_min(dim, options) end

---Running product along a dim. Bool and integers multiply in int64 or uint64.
---@param dim? integer not needed for 1-d tensors
---@param options? table `dim`, `include_initial`: starts with 1, so that there is one more element; `dtype`, `out`
---@return luatensor.Tensor #
function Tensor:cumulative_prod(dim, options) end

---Running sum along a dim. Bool and integers add up in int64 or uint64.
---@param dim? integer not needed for 1-d tensors
---@param options? table `dim`, `include_initial`: starts with 0, so that there is one more element; `dtype`, `out`
---@return luatensor.Tensor #
function Tensor:cumulative_sum(dim, options) end

---The address of the first element as an integer, for FFI. It is an address on the tensor's device.
---@return any # integer
function Tensor:data_ptr() end

---A tensor with the same elements in the same memory, through which no gradient flows.
---@return luatensor.Tensor #
function Tensor:detach() end

---Removes x from its graph: x becomes a leaf that needs no gradient.
---@return luatensor.Tensor # x
function Tensor:detach_() end

---A matrix with x on diagonal k (x 1-d), or a copy of diagonal k (x 2-d).
---@param k? integer
---@return luatensor.Tensor #
function Tensor:diag(k) end

---@param offset? integer above the main diagonal if positive
---@param options? table `offset`, `dim1` (-2), `dim2` (-1)
---@return luatensor.Tensor # a view
function Tensor:diagonal(offset, options) end

---Differences of neighbours along a dim, taken n times.
---@param dim? integer
---@param options? table `dim`, `n` (1; 0 gives x itself), `prepend` and `append`: tensors that are first joined to the ends of x
---@return luatensor.Tensor # the shape of x, with dim shorter by n
function Tensor:diff(dim, options) end

---The same as x.ndim.
---@return integer #
function Tensor:dim() end

---The same as divide.
Tensor["div"] = Tensor["divide"]

---The same as divide_.
Tensor["div_"] = Tensor["divide_"]

---x / y, in floating point.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:divide(y, options) end

---In place: x / y, in floating point.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:divide_(y) end

---Dot product: the sum of the products of two vectors' elements.
---@param y luatensor.Tensor [k]
---@param options? table `out`
---@return luatensor.Tensor # 0-d
function Tensor:dot(y, options) end

---The same as x:to("float64").
---@return luatensor.Tensor #
function Tensor:double() end

---A tensor in the shape of x with uninitialised elements.
---@param options? table `dtype` (x's), `device` (x's), `requires_grad` (false)
---@return luatensor.Tensor # a new tensor
function Tensor:empty_like(options) end

---The same as equal.
Tensor["eq"] = Tensor["equal"]

---x == y.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:equal(y, options) end

---True if x and y have the same shape and equal elements, whatever their dtypes. NaN equals nothing. Waits for the
---result.
---@param y luatensor.Tensor
---@return boolean #
function Tensor:equal_all(y) end

---error function 2/sqrt(pi) * integral of exp(-t^2) from 0 to x.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:erf(options) end

---In place: error function 2/sqrt(pi) * integral of exp(-t^2) from 0 to x.
---@return luatensor.Tensor # x
function Tensor:erf_() end

---1 - erf(x), exact for large x.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:erfc(options) end

---In place: 1 - erf(x), exact for large x.
---@return luatensor.Tensor # x
function Tensor:erfc_() end

---e^x.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:exp(options) end

---In place: e^x.
---@return luatensor.Tensor # x
function Tensor:exp_() end

---The same as broadcast_to.
Tensor["expand"] = Tensor["broadcast_to"]

---@param dim integer|table the positions of the new dims in the result; also option `dim`
---@return luatensor.Tensor # a view
function Tensor:expand_dims(dim) end

---e^x - 1, exact near 0.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:expm1(options) end

---In place: e^x - 1, exact near 0.
---@return luatensor.Tensor # x
function Tensor:expm1_() end

---Overwrites each element of x.
---@param value number|boolean|luatensor.Tensor that x's dtype can hold, or a 0-d tensor
---@return luatensor.Tensor # x
function Tensor:fill_(value) end

---@param first? integer
---@param last? integer
---@return luatensor.Tensor # a view if the layout allows
function Tensor:flatten(first, last) end

---@param dim? integer|table without it, all dims; also option `dim`
---@return luatensor.Tensor # a view
function Tensor:flip(dim) end

---The same as x:to("float32").
---@return luatensor.Tensor #
function Tensor:float() end

---greatest integral value <= x.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:floor(options) end

---In place: greatest integral value <= x.
---@return luatensor.Tensor # x
function Tensor:floor_() end

---floor(x / y), toward minus infinity; integers by 0 give 0.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:floor_divide(y, options) end

---In place: floor(x / y), toward minus infinity; integers by 0 give 0.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:floor_divide_(y) end

---Frees this tensor at once. Its memory is freed with the last tensor that shares it. Freeing twice is harmless. Inside of
---a finalizer or debug hook that interrupted an operation, possibly on this very tensor, `free` does nothing; the
---collector then frees the tensor when nothing refers to it any more.
function Tensor:free() end

---A tensor in the shape of x, filled with one value.
---@param value any number or boolean that fits the dtype
---@param options? table `dtype` (x's), `device` (x's), `requires_grad` (false)
---@return luatensor.Tensor # a new tensor
function Tensor:full_like(value, options) end

---@param dim integer
---@param index luatensor.Tensor as many dims as x; only dim may be longer
---@param options? table `out`
---@return luatensor.Tensor # of index's shape
function Tensor:gather(dim, index, options) end

---The same as greater_equal.
Tensor["ge"] = Tensor["greater_equal"]

---x * (1 + erf(x / sqrt(2))) / 2.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:gelu(options) end

---In place: x * (1 + erf(x / sqrt(2))) / 2.
---@return luatensor.Tensor # x
function Tensor:gelu_() end

---x > y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:greater(y, options) end

---x >= y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:greater_equal(y, options) end

---The same as greater.
Tensor["gt"] = Tensor["greater"]

---The same as x:to("float16").
---@return luatensor.Tensor #
function Tensor:half() end

---Counts the elements in each bin. A bin includes its lower edge; only the last bin includes its upper edge. Elements
---outside of all bins and NaN are not counted. Waits for the edges, to check or to compute them.
---@param bins? any the number of bins of equal width, or the edges: a 1-d tensor or a table
---@param options? table `range`: {lowest, highest} edge of bins of equal width, by default the smallest and largest element; `weights`: a tensor of x's shape, added up instead of 1; `density` (false): divides the counts so that counts times widths add up to 1
---@return luatensor.Tensor # counts, one for each bin: int64, the dtype of float weights, or (density) a float
---@return luatensor.Tensor # edges, one more than counts
function Tensor:histogram(bins, options) end

---sqrt(x^2 + y^2) without overflow on the way.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:hypot(y, options) end

---In place: sqrt(x^2 + y^2) without overflow on the way.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:hypot_(y) end

---Imaginary parts: for complex numbers a view that shares their memory, for real numbers new zeros.
---@return luatensor.Tensor # float32 for complex64, float64 for complex128, in x's shape
function Tensor:imag() end

---A copy of x with slices of src added along a dim: `out[index[i]] += src[i]` for dim 1. `index_add_` adds into x.
---@param dim integer
---@param index luatensor.Tensor 1-d
---@param src luatensor.Tensor|number broadcasts to x's shape with index's length for dim
---@return luatensor.Tensor #
function Tensor:index_add(dim, index, src) end

---In place: A copy of x with slices of src added along a dim: `out[index[i]] += src[i]` for dim 1. `index_add_` adds into x.
---@param dim integer
---@param index luatensor.Tensor 1-d
---@param src luatensor.Tensor|number broadcasts to x's shape with index's length for dim
---@return luatensor.Tensor # x
function Tensor:index_add_(dim, index, src) end

---The same as x:to("int32").
---@return luatensor.Tensor #
function Tensor:int() end

---True if the elements lie row-major without gaps.
---@return boolean #
function Tensor:is_contiguous() end

---True if x lies in page-locked memory.
---@return boolean #
function Tensor:is_pinned() end

---@param y number|luatensor.Tensor broadcast with x
---@param rtol? number|luatensor.Tensor relative tolerance
---@param atol? number|luatensor.Tensor absolute tolerance
---@param options? table `rtol`, `atol`; `equal_nan` (false): NaN is close to NaN; `out`
---@return luatensor.Tensor # bool
function Tensor:isclose(y, rtol, atol, options) end

---is x neither infinite nor NaN?.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:isfinite(options) end

---For each element of x1: true if it equals an element of x2. NaN equals nothing, -0 equals 0. If x2 is complex and
---long, the call waits for a GPU: the number of distinct elements must be known.
---@param x2 luatensor.Tensor|number of any shape; dtypes promote
---@param options? table `invert` (false): true if no element of x2 is equal; `assume_unique` (accepted, without effect)
---@return luatensor.Tensor # bool, of x1's shape
function Tensor:isin(x2, options) end

---is x infinite?.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:isinf(options) end

---is x NaN?.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:isnan(options) end

---The value of a tensor of one element, as a Lua number or boolean. Waits for the device.
---uint64 gives the Lua integer with the same 64 bits.
---@return any # number or boolean; of complex numbers two: the real and the imaginary part
function Tensor:item() end

---The same as less_equal.
Tensor["le"] = Tensor["less_equal"]

---The same as bitwise_left_shift.
Tensor["left_shift"] = Tensor["bitwise_left_shift"]

---The same as bitwise_left_shift_.
Tensor["left_shift_"] = Tensor["bitwise_left_shift_"]

---x + weight * (y - x).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param y luatensor.Tensor|number
---@param z luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:lerp(y, z, options) end

---In place: x + weight * (y - x).
---@param y luatensor.Tensor|number
---@param z luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:lerp_(y, z) end

---x < y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:less(y, options) end

---x <= y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:less_equal(y, options) end

---natural logarithm.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:log(options) end

---logarithm to base 10.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:log10(options) end

---In place: logarithm to base 10.
---@return luatensor.Tensor # x
function Tensor:log10_() end

---log(1 + x), exact near 0.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:log1p(options) end

---In place: log(1 + x), exact near 0.
---@return luatensor.Tensor # x
function Tensor:log1p_() end

---logarithm to base 2.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:log2(options) end

---In place: logarithm to base 2.
---@return luatensor.Tensor # x
function Tensor:log2_() end

---In place: natural logarithm.
---@return luatensor.Tensor # x
function Tensor:log_() end

---The logarithm of softmax, exact even if softmax is nearly 0 or 1.
---@param dim? integer
---@param options? table `dim`, `dtype`, `out`
---@return luatensor.Tensor #
function Tensor:log_softmax(dim, options) end

---log(exp(x) + exp(y)) without overflow on the way.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:logaddexp(y, options) end

---In place: log(exp(x) + exp(y)) without overflow on the way.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:logaddexp_(y) end

---x and y; everything but 0 is true.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:logical_and(y, options) end

---not x; everything but 0 is true.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:logical_not(options) end

---x or y; everything but 0 is true.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:logical_or(y, options) end

---one of x and y, not both; everything but 0 is true.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:logical_xor(y, options) end

---log of the sum of exponentials, without overflow on the way.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function Tensor:logsumexp(dim, options) end

---The same as x:to("int64").
---@return luatensor.Tensor #
function Tensor:long() end

---The same as less.
Tensor["lt"] = Tensor["less"]

---x with the elements replaced where the mask is true.
---@param mask luatensor.Tensor bool, broadcast with x
---@param value number|boolean|luatensor.Tensor broadcast with x; x's dtype must hold it
---@param options? table `out`: the tensor to write to
---@return luatensor.Tensor # of x's dtype
function Tensor:masked_fill(mask, value, options) end

---In place: x with the elements replaced where the mask is true.
---@param mask luatensor.Tensor bool, broadcast with x
---@param value number|boolean|luatensor.Tensor broadcast with x; x's dtype must hold it
---@return luatensor.Tensor # x
function Tensor:masked_fill_(mask, value) end

---A copy of x in which the elements at which a mask is true are replaced by the first elements of src, in order. Waits
---for their number.
---@param mask luatensor.Tensor bool; broadcasts to x's shape
---@param src luatensor.Tensor
---@return luatensor.Tensor #
function Tensor:masked_scatter(mask, src) end

---The elements at which a mask is true; x and mask broadcast. Waits for the number of elements.
---@param mask luatensor.Tensor bool
---@return luatensor.Tensor # 1-d
function Tensor:masked_select(mask) end

---Matrix product. A 1-d tensor is a row (left) or a column (right), whose dim the result lacks; dims before the last two
---are a batch, and broadcast.
---@param y luatensor.Tensor shape [..., k, n]; not bool
---@param options? table `out`: the tensor to write to
---@return luatensor.Tensor # shape [..., m, n]
function Tensor:matmul(y, options) end

---Swaps the last two dims: a view, like x.mT.
---@return luatensor.Tensor #
function Tensor:matrix_transpose() end

---largest element; NaN if there is one.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function Tensor:max(dim, options) end

---the larger; NaN if either is NaN.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:maximum(y, options) end

---In place: the larger; NaN if either is NaN.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:maximum_(y) end

---arithmetic mean; NaN of no elements.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`, `dtype` (of the result, in which it is added up)
---@return luatensor.Tensor #
function Tensor:mean(dim, options) end

---Median: the middle element in sorted order, or the mean of the two middle elements of an even number. The result is
---NaN if there is a NaN or no element.
---@param dim? any a dim or a list of dims; all unless given
---@param options? table `dim`, `keepdim`
---@return luatensor.Tensor # shape without these dims
function Tensor:median(dim, options) end

---smallest element; NaN if there is one.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function Tensor:min(dim, options) end

---the smaller; NaN if either is NaN.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:minimum(y, options) end

---In place: the smaller; NaN if either is NaN.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:minimum_(y) end

---matmul of 2-d tensors only.
---@param y luatensor.Tensor [k, n]
---@param options? table `out`
---@return luatensor.Tensor # [m, n]
function Tensor:mm(y, options) end

---Moves dims; the others keep their order.
---@param source integer|table
---@param destination integer|table
---@return luatensor.Tensor # a view
function Tensor:moveaxis(source, destination) end

---The same as moveaxis.
Tensor["movedim"] = Tensor["moveaxis"]

---The same as multiply.
Tensor["mul"] = Tensor["multiply"]

---The same as multiply_.
Tensor["mul_"] = Tensor["multiply_"]

---Draws n positions, each with a probability proportional to its weight. Waits for the weights, to check them.
---@param n integer the number of draws from each row
---@param options? table `replacement` (default false: no position twice in a row), `generator`
---@return luatensor.Tensor # int64, 1-based, shape [n] or [rows, n]
function Tensor:multinomial(n, options) end

---x * y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:multiply(y, options) end

---In place: x * y.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:multiply_(y) end

---matmul of a matrix and a vector.
---@param y luatensor.Tensor [k]
---@param options? table `out`
---@return luatensor.Tensor # [m]
function Tensor:mv(y, options) end

---The same as x.ndim.
---@return integer #
function Tensor:nDimension() end

---The same as x.size.
---@return integer #
function Tensor:nElement() end

---`length` elements of a dim from `start` on.
---@param dim integer
---@param start integer negative: from the end
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
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:negative(options) end

---In place: -x; integers wrap.
---@return luatensor.Tensor # x
function Tensor:negative_() end

---The same as x.size.
---@return integer #
function Tensor:nelement() end

---the next value of the dtype after x toward y.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:nextafter(y, options) end

---In place: the next value of the dtype after x toward y.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:nextafter_(y) end

---@return luatensor.Tensor # ... one int64 tensor for each dim; together they index x
function Tensor:nonzero() end

---Norm of the elements as a vector: the root of order p of the sum of |x|^p.
---@param p? number order; math.huge and -math.huge: the largest and the smallest |x|; 0: the number of elements that are not 0
---@param dim? any a dim or a list of dims; all unless given
---@param options? table `p`, `dim`, `keepdim`, `dtype` (of the result), `out`
---@return luatensor.Tensor # shape without these dims
function Tensor:norm(p, dim, options) end

---Fills x from the normal distribution.
---@param mean? number
---@param std? number
---@param options? table `generator`
---@return luatensor.Tensor # x
function Tensor:normal_(mean, std, options) end

---x ~= y.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:not_equal(y, options) end

---The same as x.size.
---@return integer #
function Tensor:numel() end

---Ones in the shape of x.
---@param options? table `dtype` (x's), `device` (x's), `requires_grad` (false)
---@return luatensor.Tensor # a new tensor
function Tensor:ones_like(options) end

---Every element of x times every element of y.
---@param y luatensor.Tensor 1-d
---@return luatensor.Tensor # shape [#x, #y]
function Tensor:outer(y) end

---Adds elements around a tensor.
---@param widths table before and after the last dim, then before and after the second-last dim, and so on; negative widths cut elements off
---@param options? table `mode`: "constant" (default), "reflect" (the edge is not repeated), "replicate", "circular"; `value` (0) for "constant"
---@return luatensor.Tensor #
function Tensor:pad(widths, options) end

---The same as permute_dims.
Tensor["permute"] = Tensor["permute_dims"]

---Dims in another order.
---@param ... any every dim once, or one table of them: dim d of the result is dim order[d] of x
---@return luatensor.Tensor # a view
function Tensor:permute_dims(...) end

---Copies a CPU tensor to page-locked memory, from and to which a GPU copies directly. Returns x itself if it is in such
---memory.
---@return luatensor.Tensor #
function Tensor:pin_memory() end

---x itself.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:positive(options) end

---In place: x itself.
---@return luatensor.Tensor # x
function Tensor:positive_() end

---x to the power y; integers wrap, a negative integer exponent gives 0 unless x is 1 or -1.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param y luatensor.Tensor|number
---@param options? table `out`
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
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`, `dtype` (of the result, in which it is multiplied)
---@return luatensor.Tensor #
function Tensor:prod(dim, options) end

---Quantiles along a dim, by NumPy's rules: quantile q is q * (n - 1) places after the first element of a sorted line
---of n elements.
---@param q number|luatensor.Tensor in [0, 1]; the dims of a tensor come first in the result
---@param dim? any a dim or a list of dims; all unless given
---@param options? table `dim`, `keepdim`, `method`: the value at a place between two elements: "linear" (default), "lower", "higher", "midpoint", "nearest" (between two equally near elements, the one whose position, counted from 0, is even)
---@return luatensor.Tensor # NaN if the line has a NaN
function Tensor:quantile(q, dim, options) end

---Draws from the uniform distribution in [0, 1), with x's shape, dtype and device.
---@param options? table `dtype`, `device`, `generator`, `requires_grad`
---@return luatensor.Tensor #
function Tensor:rand_like(options) end

---Draws from the normal distribution with mean 0 and standard deviation 1, with x's shape, dtype and device.
---@param options? table `dtype`, `device`, `generator`, `requires_grad`
---@return luatensor.Tensor #
function Tensor:randn_like(options) end

---Fills x with integers from low to high, both included.
---@param low? integer
---@param high? integer default: the greatest of the dtype (floats: up to which all integers are exact)
---@param options? table `generator`
---@return luatensor.Tensor # x
function Tensor:random_(low, high, options) end

---The same as flatten.
Tensor["ravel"] = Tensor["flatten"]

---Real parts: for complex numbers a view that shares their memory, for real numbers x itself.
---@return luatensor.Tensor # float32 for complex64, float64 for complex128, in x's shape
function Tensor:real() end

---1 / x.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:reciprocal(options) end

---In place: 1 / x.
---@return luatensor.Tensor # x
function Tensor:reciprocal_() end

---max(x, 0).
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:relu(options) end

---In place: max(x, 0).
---@return luatensor.Tensor # x
function Tensor:relu_() end

---x - y * floor(x / y), with the sign of y; integers by 0 give 0.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:remainder(y, options) end

---In place: x - y * floor(x / y), with the sign of y; integers by 0 give 0.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:remainder_(y) end

---Repeats each element; `repeat` is a word of Lua, so scripts write `x:repeat_interleave(2)` or `x["repeat"](x, 2)`.
---If the repeats are not a single number, the call waits for a GPU, because the length of the result is their sum.
---@param repeats integer|table|luatensor.Tensor one number, or a number for each element of dim
---@param dim? integer if missing, x is flattened; also option `dim`
---@return luatensor.Tensor #
Tensor["repeat"] = function(self, repeats, dim) end

---The same as repeat.
Tensor["repeat_interleave"] = Tensor["repeat"]

---Requests gradients for x: ops on x are recorded, and `y:backward()` adds gradients to `x.grad`.
---@param flag? boolean
---@return luatensor.Tensor # x
function Tensor:requires_grad_(flag) end

---@param ... any sizes, or one table of them; one may be -1, for the remaining size
---, then options: `copy`: true always copies, false never copies (an error if a copy is needed)
---@return luatensor.Tensor #
function Tensor:reshape(...) end

---Makes backward keep the gradient of a tensor that is no leaf, in `x.grad`.
function Tensor:retain_grad() end

---The same as bitwise_right_shift.
Tensor["right_shift"] = Tensor["bitwise_right_shift"]

---The same as bitwise_right_shift_.
Tensor["right_shift_"] = Tensor["bitwise_right_shift_"]

---Moves elements along dims. Elements that leave at the end come back at the front.
---@param shift integer|table
---@param dim? integer|table if missing, the elements move in row-major order; also option `dim`
---@return luatensor.Tensor #
function Tensor:roll(shift, dim) end

---nearest integral value, halves to even.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:round(options) end

---In place: nearest integral value, halves to even.
---@return luatensor.Tensor # x
function Tensor:round_() end

---For the generic for: `for i, row in x:rows() do`. `pairs(x)` is the same.
function Tensor:rows() end

---1 / sqrt(x).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:rsqrt(options) end

---In place: 1 / sqrt(x).
---@return luatensor.Tensor # x
function Tensor:rsqrt_() end

---values go to one place, the last stays. `scatter_` writes into x.
---@param dim integer
---@param index luatensor.Tensor as many dims as x; only dim may be longer
---@param src luatensor.Tensor|number
---@return luatensor.Tensor #
function Tensor:scatter(dim, index, src) end

---In place: values go to one place, the last stays. `scatter_` writes into x.
---@param dim integer
---@param index luatensor.Tensor as many dims as x; only dim may be longer
---@param src luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:scatter_(dim, index, src) end

---As scatter, but src is added to what is there.
---@param dim integer
---@param index luatensor.Tensor
---@param src luatensor.Tensor|number
---@return luatensor.Tensor #
function Tensor:scatter_add(dim, index, src) end

---In place: As scatter, but src is added to what is there.
---@param dim integer
---@param index luatensor.Tensor
---@param src luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:scatter_add_(dim, index, src) end

---@param values luatensor.Tensor|number
---@param options? table `side`: "left" (default) before equal elements, "right" after them; `right`: true for the latter; `sorter`: positions that sort the first argument, of its shape (a result of argsort)
---@return luatensor.Tensor # int64, of values' shape
function Tensor:searchsorted(values, options) end

---The same as x:to("int16").
---@return luatensor.Tensor #
function Tensor:short() end

---Returns a copy of x with its rows (along dim 1) in random order.
---@param options? table `generator`
---@return luatensor.Tensor #
function Tensor:shuffle(options) end

---Puts the rows of x into random order.
---@param options? table `generator`
---@return luatensor.Tensor # x
function Tensor:shuffle_(options) end

---1 / (1 + exp(-x)).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:sigmoid(options) end

---In place: 1 / (1 + exp(-x)).
---@return luatensor.Tensor # x
function Tensor:sigmoid_() end

----1, 0 or 1, x / abs(x) of complex numbers; NaN stays NaN.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:sign(options) end

---In place: -1, 0 or 1, x / abs(x) of complex numbers; NaN stays NaN.
---@return luatensor.Tensor # x
function Tensor:sign_() end

---is the sign bit set? (true for -0).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:signbit(options) end

---x * sigmoid(x).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:silu(options) end

---In place: x * sigmoid(x).
---@return luatensor.Tensor # x
function Tensor:silu_() end

---sine of x radians.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:sin(options) end

---In place: sine of x radians.
---@return luatensor.Tensor # x
function Tensor:sin_() end

---hyperbolic sine.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:sinh(options) end

---In place: hyperbolic sine.
---@return luatensor.Tensor # x
function Tensor:sinh_() end

---exp(x) / sum(exp(x)) along a dim, without overflow.
---@param dim? integer
---@param options? table `dim`, `dtype`, `out`
---@return luatensor.Tensor #
function Tensor:softmax(dim, options) end

---log(1 + exp(x)).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:softplus(options) end

---In place: log(1 + exp(x)).
---@return luatensor.Tensor # x
function Tensor:softplus_() end

---stay in their order (in descending order, too).
---@param dim? integer
---@param options? table `dim`, `descending` (false), `stable` (accepted; sorting is always stable)
---@return luatensor.Tensor # of x's shape and dtype
function Tensor:sort(dim, options) end

---Parts along a dim, of one size (the last may be shorter) or of the sizes in a table.
---@param sizes integer|table
---@param dim? integer also option `dim`
---@return table # views
function Tensor:split(sizes, dim) end

---square root; NaN below 0.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:sqrt(options) end

---In place: square root; NaN below 0.
---@return luatensor.Tensor # x
function Tensor:sqrt_() end

---x * x.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:square(options) end

---In place: x * x.
---@return luatensor.Tensor # x
function Tensor:square_() end

---@param dim? integer|table the dims to drop; without it, all dims of length 1; also option `dim`
---@return luatensor.Tensor # a view
function Tensor:squeeze(dim) end

---standard deviation: the root of var.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`, `correction` (0): what is divided by is the number of elements less this; 1 as in PyTorch
---@return luatensor.Tensor #
function Tensor:std(dim, options) end

---The same as subtract.
Tensor["sub"] = Tensor["subtract"]

---The same as subtract_.
Tensor["sub_"] = Tensor["subtract_"]

---x - y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:subtract(y, options) end

---In place: x - y.
---@param y luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:subtract_(y) end

---sum; bool and integers add up in int64 or uint64.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`, `dtype` (of the result, in which it is added up)
---@return luatensor.Tensor #
function Tensor:sum(dim, options) end

---Exchanges two dims.
---@param a integer
---@param b integer
---@return luatensor.Tensor # a view
function Tensor:swapaxes(a, b) end

---The same as swapaxes.
Tensor["swapdims"] = Tensor["swapaxes"]

---The same as matrix_transpose.
Tensor["t"] = Tensor["matrix_transpose"]

---@param indices luatensor.Tensor integers, of any shape; negative from the end
---@param dim? integer may be left out if x is 1-d
---@param options? table `dim`, `out`
---@return luatensor.Tensor # shape of x, with that of indices for dim
function Tensor:take(indices, dim, options) end

---Elements along a dim, as gather; the other dims broadcast.
---@param indices luatensor.Tensor as many dims as x
---@param dim? integer
---@param options? table `dim`, `out`
---@return luatensor.Tensor #
function Tensor:take_along_axis(indices, dim, options) end

---The same as take_along_axis.
Tensor["take_along_dim"] = Tensor["take_along_axis"]

---tangent of x radians.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:tan(options) end

---In place: tangent of x radians.
---@return luatensor.Tensor # x
function Tensor:tan_() end

---hyperbolic tangent.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:tanh(options) end

---In place: hyperbolic tangent.
---@return luatensor.Tensor # x
function Tensor:tanh_() end

---Sums products over pairs of dims. The result has the remaining dims, first those of x, then those of y.
---@param y luatensor.Tensor
---@param dims? any n: the last n dims of x with the first n dims of y; or {dims of x, dims of y}; also option `dims`
---@return luatensor.Tensor #
function Tensor:tensordot(y, dims) end

---Repeats the whole tensor.
---@param ... integer repetitions along each dim, or one table of them; fewer numbers than dims apply to the last dims
---@return luatensor.Tensor #
function Tensor:tile(...) end

---Integers wrap; floats become integers toward 0, limits outside the range, 0 for NaN.
---@param ... string a dtype, a device, or both in any order
---, then options: `dtype`, `device`, `copy` (default false: x itself if nothing changes)
---@return luatensor.Tensor #
function Tensor:to(...) end

---The elements as a string: row-major, in native byte order. `string.unpack` can read it.
---@return any # string of x.size elements
function Tensor:to_bytes() end

---Hands the tensor to other libraries in this process, without a copy. On a GPU it first waits for queued work; the
---consumer may delete the struct only when its own work on the memory is done. The userdata owns a
---DLManagedTensorVersioned, and begins with its address. To take the struct over, set that address to NULL; otherwise the
---struct is deleted with the userdata.
---@param options? table `versioned` (true): false gives the older struct, DLManagedTensor
---@return any # userdata
function Tensor:to_dlpack(options) end

---The same as totable.
Tensor["tolist"] = Tensor["totable"]

---of equal elements the first ones are taken.
---@param k integer 0 to the length of dim
---@param dim? integer
---@param options? table `dim`, `largest` (true; false: the k smallest, the smallest first), `sorted` (accepted; the results are always sorted)
---@return luatensor.Tensor # of x's shape, with k elements in dim
---@return luatensor.Tensor # int64, of the same shape: positions in x
function Tensor:topk(k, dim, options) end

---All elements as nested tables, complex elements as {re, im}. A 0-d tensor gives the number or boolean itself. Waits for
---the device.
---@return any # table, number or boolean
function Tensor:totable() end

---The same as swapaxes.
Tensor["transpose"] = Tensor["swapaxes"]

---The lower triangle of matrices: elements above diagonal k become 0.
---@param options? table `k` (0): positive is above the main diagonal
---@return luatensor.Tensor #
function Tensor:tril(options) end

---The upper triangle of matrices: elements below diagonal k become 0.
---@param options? table `k` (0): positive is above the main diagonal
---@return luatensor.Tensor #
function Tensor:triu(options) end

---The same as divide.
Tensor["true_divide"] = Tensor["divide"]

---The same as divide_.
Tensor["true_divide_"] = Tensor["divide_"]

---x without its fraction.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:trunc(options) end

---In place: x without its fraction.
---@return luatensor.Tensor # x
function Tensor:trunc_() end

---The same as unstack.
Tensor["unbind"] = Tensor["unstack"]

---One dim as several.
---@param dim integer
---@param sizes table one may be -1
---@return luatensor.Tensor # a view
function Tensor:unflatten(dim, sizes) end

---Fills x from the uniform distribution in [low, high).
---@param low? number
---@param high? number
---@param options? table `generator`
---@return luatensor.Tensor # x
function Tensor:uniform_(low, high, options) end

---The same as unique_values.
Tensor["unique"] = Tensor["unique_values"]

---The distinct elements, sorted, with first positions, inverse and counts. Waits for a GPU.
---@return luatensor.Tensor # values, as of unique_values
---@return luatensor.Tensor # indices of their first occurrences in x:flatten(), int64
---@return luatensor.Tensor # inverse: positions in values, int64, of x's shape
---@return luatensor.Tensor # counts, int64
function Tensor:unique_all() end

---The distinct elements, sorted, and the number of occurrences of each. Waits for a GPU.
---@return luatensor.Tensor # values, as of unique_values
---@return luatensor.Tensor # counts, int64
function Tensor:unique_counts() end

---The distinct elements, sorted, and the position of each element among them. Waits for a GPU.
---@return luatensor.Tensor # values, as of unique_values
---@return luatensor.Tensor # inverse: positions in values, int64, of x's shape: `values[inverse]` is x
function Tensor:unique_inverse() end

---The distinct elements, sorted. Every NaN is distinct, and NaNs come last; -0 and 0 are equal. Complex numbers are
---sorted by their real parts, then by their imaginary parts, with NaN as the largest value. Waits for a GPU.
---@return luatensor.Tensor # 1-d, of x's dtype
function Tensor:unique_values() end

---The same as expand_dims.
Tensor["unsqueeze"] = Tensor["expand_dims"]

---The slices along a dim, without that dim.
---@param dim? integer also option `dim`
---@return table # views
function Tensor:unstack(dim) end

---variance, divided by n - correction (0 unless given).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`, `correction` (0): what is divided by is the number of elements less this; 1 as in PyTorch
---@return luatensor.Tensor #
function Tensor:var(dim, options) end

---Sums of products along a dim; the other dims broadcast.
---@param y luatensor.Tensor as long as x in that dim; not bool
---@param dim? integer counted from the end if negative, as when the tensors have different numbers of dims
---@param options? table `dim`
---@return luatensor.Tensor # without that dim
function Tensor:vecdot(y, dim, options) end

---The same as reshape.
Tensor["view"] = Tensor["reshape"]

---Pairs of numbers as complex numbers: the inverse of view_as_real.
---@return luatensor.Tensor # complex64 or complex128, without the last dim, sharing x's memory
function Tensor:view_as_complex() end

---A view of complex numbers as real numbers, with an additional last dim of length 2: real part, imaginary part.
---@return luatensor.Tensor # float32 or float64, of shape [..., 2], sharing x's memory
function Tensor:view_as_real() end

---y where x is true, else z.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param y luatensor.Tensor|number
---@param z luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function Tensor:where(y, z, options) end

---In place: y where x is true, else z.
---@param y luatensor.Tensor|number
---@param z luatensor.Tensor|number
---@return luatensor.Tensor # x
function Tensor:where_(y, z) end

---Overwrites each element of x with 0.
---@return luatensor.Tensor # x
function Tensor:zero_() end

---Zeros in the shape of x.
---@param options? table `dtype` (x's), `device` (x's), `requires_grad` (false)
---@return luatensor.Tensor # a new tensor
function Tensor:zeros_like(options) end

---@class luatensor.Module
---@overload fun(...): any
local Module = {}

---Makes a subclass, whose functions may be replaced: `init(self, …)`, the constructor; `forward(self, …)`, called when
---the module is called; `extra(self)`, the text that printing shows between parentheses.
---@param name string
---@return table # the class; a call of it makes a module
function Module:extend(name) end

---Makes x a parameter, even if it does not (yet) require gradients.
---@param name string
---@param x any nil: no parameter, as in a layer without bias; the field is then false
function Module:register_parameter(name, x) end

---Makes x part of the state: it is moved, saved and loaded with the module, but not trained.
---@param name string
---@param x any nil: no buffer; the field is then false
---@param options? table `persistent` (true): x is saved
function Module:register_buffer(name, x, options) end

---Iterates over this module and all modules inside of it, each once: `for name, module in model:named_modules() do`.
---@return function # an iterator of names ("" for this module; for the others the name of a parameter, such as "1.weight", without its last part) and modules
function Module:named_modules() end

---Iterates over the modules that are fields of this module, with their names.
---@return function # an iterator
function Module:named_children() end

---Iterates over the parameters with their names, each once: `for name, p in model:named_parameters() do`.
---@return function # an iterator
function Module:named_parameters() end

---Iterates over the buffers with their names.
---@return function # an iterator
function Module:named_buffers() end

---All parameters, each once, in the order in which the fields were assigned.
---@return table # a list of tensors
function Module:parameters() end

---Calls fn with every module inside of this one, the innermost first, and then with this one.
---@param fn function
---@return luatensor.Module # this one
function Module:apply(fn) end

---Switches between training and evaluation, in which layers such as dropout differ.
---@param flag? boolean
---@return luatensor.Module # this one
function Module:train(flag) end

---The same as train(false).
---@return luatensor.Module # this one
function Module:eval() end

---Sets whether gradients of the parameters are computed. Parameters without gradients are not trained.
---@param flag? boolean
---@return luatensor.Module # this one
function Module:requires_grad_(flag) end

---Forgets the gradients of all parameters.
function Module:zero_grad() end

---The constructor. Classes override it.
function Module:init() end

---The function that a call of the module runs. Classes override it.
function Module:forward() end

---The text that printing shows between parentheses. Classes override it.
---@return string #
function Module:extra() end

---Raises "train.lua:12: Linear(64, 128): message": for a layer's unsuitable input. Inside of another module, the
---layer's name in the outermost module precedes: "2.2 (Linear(64, 128)): message".
---@param message string for string.format
function Module:fail(message) end

---Moves parameters and buffers to a device, or converts those of floats to a dtype, or both. Their gradients follow.
---The tensors stay the same objects, so that optimisers still refer to them. If an error is raised, nothing has
---changed.
---@param where string "cuda", "cpu", "float64" …
---@param also? string a dtype after a device, or a device after a dtype
---@return luatensor.Module # this one
function Module:to(where, also) end

---The tensors of the network's state, by name, such as "1.weight". They share the module's memory.
---@return table #
function Module:state_dict() end

---Copies the values of a state_dict into this module. If something does not fit, nothing changes.
---@param state table tensors by name; dtypes and devices are converted
---@param options? table `strict` (true): every name must be on both sides
---@return table # names that were missing in state
---@return table # names in state that were not expected
function Module:load_state_dict(state, options) end

---@class luatensor.Optimizer
---@field param_groups table[]
---@field state table
local Optimizer = {}

---Adds a group: its parameters, and the options that differ from the optimiser's.
---@param group table `params`: a list of tensors; options by name
function Optimizer:add_param_group(group) end

---Clears the gradients of all parameters.
---@param given? table `set_to_none` (true); false: they become 0
function Optimizer:zero_grad(given) end

---Updates all parameters that have a gradient. If a parameter was freed or does not fit its gradient, an error is
---raised and none is updated.
---@param closure? function computes the loss and its gradients again, and returns the loss
---@return any # what closure returns
function Optimizer:step(closure) end

---The state of the optimiser, without parameters and gradients. `class`: the optimiser's name. `state`: for each
---parameter's number a table of tensors (which share the optimiser's memory) and numbers; empty before the first step.
---`param_groups`: the options, the numbers of the parameters as `params`, and their shapes as `shapes`.
---@return table #
function Optimizer:state_dict() end

---Restores a copy of the state from state_dict. If something does not fit, nothing changes.
---@param dict table
function Optimizer:load_state_dict(dict) end

---The optimiser as text: its groups' options.
function Optimizer:__tostring() end

---@class luatensor.Scheduler
---@field last_epoch integer
local Scheduler = {}

---Proceeds to the next learning rate: after an epoch, or (OneCycleLR, CyclicLR) after a batch.
function Scheduler:step() end

---The learning rates of the groups.
---@return table # a list
function Scheduler:get_last_lr() end

---The state of the scheduler, without the optimiser and without functions. `class`: the scheduler's name.
---@return table #
function Scheduler:state_dict() end

---Restores the state from state_dict. If something does not fit, nothing changes. The rates themselves are in the
---optimiser's state.
---@param dict table
function Scheduler:load_state_dict(dict) end

---@class luatensor.GradScaler
local GradScaler = {}

---Multiplies the loss, or each of several losses, by the scale.
---@param loss any a tensor, or a list of tensors
---@return any # the scaled loss, or a list of them
function GradScaler:scale(loss) end

---Divides the gradients of an optimiser's parameters by the scale, so that scripts can read or clip the gradients.
---Without this call, `step` divides them.
---@param opt luatensor.Optimizer
function GradScaler:unscale_(opt) end

---Runs the optimiser's step, unless a gradient is infinite or NaN. Divides the gradients by the scale first, unless
---unscale_ has. Waits for the device, to check the gradients.
---@param opt luatensor.Optimizer
---@return any # what opt:step() returns; nothing if the step was skipped
function GradScaler:step(opt) end

---Adapts the scale. Call it after the steps of all optimisers.
---@param scale? number the new scale, instead of the adapted one
function GradScaler:update(scale) end

---The scale, or 1 if the scaler is disabled.
---@return number #
function GradScaler:get_scale() end

---The scaler's numbers, and `class`, "GradScaler".
---@return table #
function GradScaler:state_dict() end

---Restores the state from state_dict. If something does not fit, nothing changes.
---@param dict table
function GradScaler:load_state_dict(dict) end

---@class luatensor.Loader
local Loader = {}

---One epoch: an iterator of batches, each what the data set gives for its samples. The order is drawn at once, with
---`shuffle`: one permutation, from the loader's generator, which goes on from there in the next epoch; without one,
---from a generator whose seed is one number of the default generator. Loops may be left early and stand within each
---other.
---@return function # an iterator
function Loader:batches() end

---Where the last loop over batches is, for lt.save: a run that is loaded goes on with the batch after the last that
---was given. The loader's generator has a state of its own, which is to be saved, too.
---@return table # empty between two epochs
function Loader:state_dict() end

---The next `batches` goes on where state_dict was called.
---@param state table
function Loader:load_state_dict(state) end

---@class luatensor.Dataset
---@field size integer
local Dataset = {}

---All samples, as `get` gives them.
---@return luatensor.Tensor # ... or what get returns
function Dataset:all() end

---@class luatensor
local lt = {}

lt.advise = {}

lt.autograd = {}

lt.bench = {}

lt.cuda = {}

lt.data = {}

lt.fft = {}

lt.info = {}

lt.linalg = {}

lt.nn = {}

lt.optim = {}

lt.nn.functional = {}

lt.nn.init = {}

lt.nn.utils = {}

lt.optim.scheduler = {}

---Real parts: for complex numbers a view that shares their memory, for real numbers x itself.
---@param x luatensor.Tensor
---@return luatensor.Tensor # float32 for complex64, float64 for complex128, in x's shape
function lt.real(x) end

---Imaginary parts: for complex numbers a view that shares their memory, for real numbers new zeros.
---@param x luatensor.Tensor
---@return luatensor.Tensor # float32 for complex64, float64 for complex128, in x's shape
function lt.imag(x) end

---A view of complex numbers as real numbers, with an additional last dim of length 2: real part, imaginary part.
---@param x luatensor.Tensor complex
---@return luatensor.Tensor # float32 or float64, of shape [..., 2], sharing x's memory
function lt.view_as_real(x) end

---Pairs of numbers as complex numbers: the inverse of view_as_real.
---@param x luatensor.Tensor float32 or float64, of shape [..., 2], with the two numbers of each pair adjacent in memory
---@return luatensor.Tensor # complex64 or complex128, without the last dim, sharing x's memory
function lt.view_as_complex(x) end

---Makes complex numbers from real and imaginary parts. Two numbers give a 0-d tensor that promotes like a Lua number: it
---makes other operands complex, but never wider (`lt.complex(0, 1) * x` is complex64 if x is float32). Tensors give a
---tensor.
---@param re number|luatensor.Tensor real parts
---@param im? number|luatensor.Tensor imaginary parts; broadcast with re
---@return luatensor.Tensor # complex128 if a part is float64 or both are numbers, else complex64
function lt.complex(re, im) end

---Makes a tensor from data: `lt.tensor{{1, 2}, {3, 4}}`. Integers make int64, floats (or a mix of both) float32, booleans
---bool.
---@param data any nested tables, a number, a boolean, or a tensor (which is copied); for a complex dtype pairs {re, im}
---@param options? table `dtype`, `device`, `requires_grad`; data that does not fit the dtype is an error
---@return luatensor.Tensor # a new tensor
function lt.tensor(data, options) end

---Converts the data to a tensor. A tensor of that dtype and device is returned without a copy.
---@param data any nested tables, a number, a boolean, or a tensor
---@param options? table `dtype`, `device`, `requires_grad`, `copy`: true always copies, false raises an error if a copy is needed
---@return luatensor.Tensor #
function lt.asarray(data, options) end

---The value of a tensor of one element, as a Lua number or boolean. Waits for the device.
---uint64 gives the Lua integer with the same 64 bits.
---@param x luatensor.Tensor
---@return any # number or boolean; of complex numbers two: the real and the imaginary part
function lt.item(x) end

---All elements as nested tables, complex elements as {re, im}. A 0-d tensor gives the number or boolean itself. Waits for
---the device.
---@param x luatensor.Tensor
---@return any # table, number or boolean
function lt.totable(x) end

---The elements as a string: row-major, in native byte order. `string.unpack` can read it.
---@param x luatensor.Tensor
---@return any # string of x.size elements
function lt.to_bytes(x) end

---Makes a tensor from the bytes of its elements: row-major, in native byte order.
---@param s string
---@param shape any table of sizes, or one size
---@param options? table `dtype` (the default float), `device` (the default device), `requires_grad` (false)
---@return luatensor.Tensor # a new tensor
function lt.from_bytes(s, shape, options) end

---The address of the first element as an integer, for FFI. It is an address on the tensor's device.
---@param x luatensor.Tensor
---@return any # integer
function lt.data_ptr(x) end

---Integers wrap; floats become integers toward 0, limits outside the range, 0 for NaN.
---@param x luatensor.Tensor
---@param ... string a dtype, a device, or both in any order
---, then options: `dtype`, `device`, `copy` (default false: x itself if nothing changes)
---@return luatensor.Tensor #
function lt.to(x, ...) end

---@param x luatensor.Tensor
---@param dtype string
---@param options? table `copy`: false returns x itself if it has the dtype (default true); `device`
---@return luatensor.Tensor #
function lt.astype(x, dtype, options) end

---A copy that shares no memory with x, row-major.
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.clone(x) end

---x itself when its elements lie row-major without gaps, else a copy that does.
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.contiguous(x) end

---True if the elements lie row-major without gaps.
---@param x luatensor.Tensor
---@return boolean #
function lt.is_contiguous(x) end

---Copies a CPU tensor to page-locked memory, from and to which a GPU copies directly. Returns x itself if it is in such
---memory.
---@param x luatensor.Tensor on the CPU
---@return luatensor.Tensor #
function lt.pin_memory(x) end

---True if x lies in page-locked memory.
---@param x luatensor.Tensor
---@return boolean #
function lt.is_pinned(x) end

---Zeros.
---@param ... any sizes, or one table of sizes; none: a 0-d tensor
---, then options: `dtype` (the default float), `device` (the default device), `requires_grad` (false)
---@return luatensor.Tensor # of that shape
function lt.zeros(...) end

---Ones.
---@param ... any sizes, or one table of sizes
---, then options: `dtype` (the default float), `device` (the default device), `requires_grad` (false)
---@return luatensor.Tensor # of that shape
function lt.ones(...) end

---A tensor with uninitialised elements.
---@param ... any sizes, or one table of sizes
---, then options: `dtype` (the default float), `device` (the default device), `requires_grad` (false)
---@return luatensor.Tensor # of that shape
function lt.empty(...) end

---Zeros in the shape of x.
---@param x luatensor.Tensor
---@param options? table `dtype` (x's), `device` (x's), `requires_grad` (false)
---@return luatensor.Tensor # a new tensor
function lt.zeros_like(x, options) end

---Ones in the shape of x.
---@param x luatensor.Tensor
---@param options? table `dtype` (x's), `device` (x's), `requires_grad` (false)
---@return luatensor.Tensor # a new tensor
function lt.ones_like(x, options) end

---A tensor in the shape of x with uninitialised elements.
---@param x luatensor.Tensor
---@param options? table `dtype` (x's), `device` (x's), `requires_grad` (false)
---@return luatensor.Tensor # a new tensor
function lt.empty_like(x, options) end

---A tensor filled with one value: `lt.full({2, 3}, 7)`.
---@param shape any table of sizes, or one size
---@param value any number or boolean; an integer makes int64, a float the default float, a boolean bool
---@param options? table `dtype`, `device`, `requires_grad`; a value that does not fit the dtype is an error
---@return luatensor.Tensor # of that shape
function lt.full(shape, value, options) end

---A tensor in the shape of x, filled with one value.
---@param x luatensor.Tensor
---@param value any number or boolean that fits the dtype
---@param options? table `dtype` (x's), `device` (x's), `requires_grad` (false)
---@return luatensor.Tensor # a new tensor
function lt.full_like(x, value, options) end

---Values from start up to, but not including, stop: `lt.arange(5)` is 0, 1, 2, 3, 4.
---@param start? number
---@param stop number
---@param step? number not 0; negative counts down
---@param options? table `dtype`, `device`, `requires_grad`; integers make int64, floats the default float
---@return luatensor.Tensor # 1-d
function lt.arange(start, stop, step, options) end

---Values from first to last, both included, like Lua's `for`: `lt.range(1, 5)` is 1, 2, 3, 4, 5.
---@param first number
---@param last number
---@param step? number not 0; negative counts down
---@param options? table `dtype`, `device`, `requires_grad`; integers make int64, floats the default float
---@return luatensor.Tensor # 1-d
function lt.range(first, last, step, options) end

---n values from start to stop, evenly spaced.
---@param start number|luatensor.Tensor a number, or a complex one: lt.complex(re, im)
---@param stop number|luatensor.Tensor the same
---@param n integer the number of values
---@param options? table `endpoint` (true; false: without stop), `dtype` (the default float), `device` (the default device), `requires_grad` (false)
---@return luatensor.Tensor # 1-d of a floating dtype
function lt.linspace(start, stop, n, options) end

---Checks and completes a device's name: "cuda" gives "cuda:0", "auto" the best accelerator of this machine or else "cpu".
---All functions that take a device accept these names.
---@param name? string by default the default device
---@return string # the full name; an error if there is no such device
function lt.device(name) end

---Sets the device of tensors that are made without option `device`, in this Lua state. Initially "cpu".
---@param name string
function lt.set_default_device(name) end

---@return string # the device of tensors that are made without option `device`
function lt.get_default_device() end

---The devices of this machine.
---@return table # a list of {device = "cpu", name =, kind = "cpu" or "gpu", cores =, memory = bytes, bandwidth = bytes per second, isa =, software = versions of a GPU's driver and libraries, emulated = true for a GPU that is emulated on the CPU}. For a GPU, cores are its multiprocessors and isa is its compute capability; unknown fields are nil
function lt.devices() end

---The best accelerator of this machine. Without one, the error is "GPU not found: " with the reason.
---@return string # its name, such as "cuda:0"
function lt.accelerator() end

---True if there is a GPU that can be used.
---@return boolean #
---@return string # the reason why not
function lt.cuda.is_available() end

---Reopens a device, after a fatal error or at any time. Its contents are lost: using an older tensor raises "this tensor
---was lost when cuda:0 was reopened"; freeing it is harmless. Other devices are not affected.
---@param device string
function lt.cuda.reopen(device) end

---Waits until all work queued on a device is done.
---@param device? string by default all devices that have been used
function lt.synchronize(device) end

---The seconds of a monotonic clock, whose differences are meaningful. (os.clock adds up the time of all threads.)
---@return number #
function lt.clock() end

---Hands the tensor to other libraries in this process, without a copy. On a GPU it first waits for queued work; the
---consumer may delete the struct only when its own work on the memory is done. The userdata owns a
---DLManagedTensorVersioned, and begins with its address. To take the struct over, set that address to NULL; otherwise the
---struct is deleted with the userdata.
---@param x luatensor.Tensor
---@param options? table `versioned` (true): false gives the older struct, DLManagedTensor
---@return any # userdata
function lt.to_dlpack(x, options) end

---Makes a tensor on another library's memory, without a copy; the tensor owns the memory from now on, and stays on its
---device. The other library's queued work on a GPU must be done. Read-only memory is copied. After an error the struct
---still belongs to the caller.
---@param p any userdata of to_dlpack, a tensor, or light userdata: the address of a DLManagedTensorVersioned
---@param options? table `versioned` (true): false for light userdata to the older DLManagedTensor; `copy`: true always copies, false is an error if a copy is needed; `device`: the device to which it is copied. An address is not checked, so a sandbox (docs/embedding.md) accepts only userdata
---@return luatensor.Tensor #
function lt.from_dlpack(p, options) end

---The dtype that arguments promote to, as in an op of all of them.
---@param ... string|luatensor.Tensor|number|boolean dtype names, tensors, Lua values (weak: they only raise the kind)
---@return string #
function lt.result_type(...) end

---True if values of one dtype can become another without loss, by the promotion table.
---@param from string|luatensor.Tensor
---@param to string
---@return boolean #
function lt.can_cast(from, to) end

---True if a dtype is of a kind.
---@param dtype string|luatensor.Tensor
---@param kind string|table "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric", a dtype, or a list of these
---@return boolean #
function lt.isdtype(dtype, kind) end

---@param dtype string|luatensor.Tensor
---@return table # bits, eps (1 to the next value), max, min, smallest_normal, dtype; for a complex dtype those of its parts
function lt.finfo(dtype) end

---Limits of an integer dtype.
---@param dtype string|luatensor.Tensor
---@return table # bits, max, min, dtype; uint64's max is the Lua integer with the same bits, -1
function lt.iinfo(dtype) end

---Sets the dtype of floats that are made from no float: float data, zeros, 1 / 2 of integers.
---@param dtype string a float dtype; "float32" at the start
function lt.set_default_dtype(dtype) end

---The dtype of floats that are made from no float.
---@return string #
function lt.get_default_dtype() end

---@return table # by name: {name, kind ("unary" … "quaternary", "reduction", "scan", "softmax"), arity, dtypes (list), result ("same", "bool", "real", "accumulated", "int64"), in_place (true if there is a method with a trailing underscore), doc}
function lt.ops() end

---Discrete Fourier transform of each line along a dim: y[k] = sum over j of x[j] exp(-2 pi i j k / n), j and k from 0.
---@param x luatensor.Tensor any shape, real or complex; not bool, not half floats; integers become the default float
---@param n? integer elements to transform: x is cut, or zeros follow it; those of dim unless given
---@param dim? integer
---@param options? table `n`, `dim`, `norm`: "backward" (as it is), "ortho" (divided by the root of n) or "forward" (by n)
---@return luatensor.Tensor # complex64 or complex128, n long in dim
function lt.fft.fft(x, n, dim, options) end

---The inverse of fft: y[k] = 1 / n * sum over j of x[j] exp(2 pi i j k / n).
---@param x luatensor.Tensor any shape, real or complex; not bool, not half floats; integers become the default float
---@param n? integer elements to transform: x is cut, or zeros follow it; those of dim unless given
---@param dim? integer
---@param options? table `n`, `dim`, `norm`: "backward" (divided by n), "ortho" (by its root) or "forward" (as it is)
---@return luatensor.Tensor # complex64 or complex128, n long in dim
function lt.fft.ifft(x, n, dim, options) end

---fft of real numbers. Elements n - k and k of the transform are conjugates, so only the first n // 2 + 1 are returned.
---@param x luatensor.Tensor any shape, real; not bool, not half floats; integers become the default float
---@param n? integer elements to transform: x is cut, or zeros follow it; those of dim unless given
---@param dim? integer
---@param options? table `n`, `dim`, `norm`: "backward" (as it is), "ortho" (divided by the root of n) or "forward" (by n)
---@return luatensor.Tensor # complex64 or complex128, n // 2 + 1 long in dim
function lt.fft.rfft(x, n, dim, options) end

---The inverse of rfft: real numbers from the first n // 2 + 1 elements of their transform. Imaginary parts that would make
---the result complex (of the first element, or of element n // 2 for even n) are ignored.
---@param x luatensor.Tensor any shape; not bool, not half floats; integers become the default float
---@param n? integer length of the result; 2 (m - 1) unless given, m being the length of x. x is cut, or zeros follow it, to n // 2 + 1
---@param dim? integer
---@param options? table `n`, `dim`, `norm`: "backward" (divided by n), "ortho" (by its root) or "forward" (as it is)
---@return luatensor.Tensor # float32 or float64, n long in dim
function lt.fft.irfft(x, n, dim, options) end

---fft of numbers whose elements n - k and k are conjugates, of which x has the first n // 2 + 1: the result is real.
---@param x luatensor.Tensor any shape; not bool, not half floats; integers become the default float
---@param n? integer length of the result; 2 (m - 1) unless given, m being the length of x. x is cut, or zeros follow it, to n // 2 + 1
---@param dim? integer
---@param options? table `n`, `dim`, `norm`: "backward" (as it is), "ortho" (divided by the root of n) or "forward" (by n)
---@return luatensor.Tensor # float32 or float64, n long in dim
function lt.fft.hfft(x, n, dim, options) end

---The inverse of hfft: the first n // 2 + 1 elements of ifft of real numbers.
---@param x luatensor.Tensor any shape, real; not bool, not half floats; integers become the default float
---@param n? integer elements to transform: x is cut, or zeros follow it; those of dim unless given
---@param dim? integer
---@param options? table `n`, `dim`, `norm`: "backward" (divided by n), "ortho" (by its root) or "forward" (as it is)
---@return luatensor.Tensor # complex64 or complex128, n // 2 + 1 long in dim
function lt.fft.ihfft(x, n, dim, options) end

---fft along two dims, one after the other.
---@param x luatensor.Tensor 2 dims or more; not bool, not half floats; integers become the default float
---@param s? table length along each dim; -1: as it is
---@param dim? integer|table the last two unless given
---@param options? table `s`, `dim`, `norm`: "backward" (as it is), "ortho" (divided by the root of the product of s) or "forward" (by the product)
---@return luatensor.Tensor # complex64 or complex128
function lt.fft.fft2(x, s, dim, options) end

---The inverse of fft2.
---@param x luatensor.Tensor 2 dims or more; not bool, not half floats; integers become the default float
---@param s? table length along each dim; -1: as it is
---@param dim? integer|table the last two unless given
---@param options? table `s`, `dim`, `norm`: "backward" (divided by the product of s), "ortho" (by its root) or "forward" (as it is)
---@return luatensor.Tensor # complex64 or complex128
function lt.fft.ifft2(x, s, dim, options) end

---fft2 of real numbers: rfft along the last dim named, fft along the other.
---@param x luatensor.Tensor 2 dims or more, real; not bool, not half floats; integers become the default float
---@param s? table length along each dim; -1: as it is
---@param dim? integer|table the last two unless given
---@param options? table `s`, `dim`, `norm`: "backward" (as it is), "ortho" (divided by the root of the product of s) or "forward" (by the product)
---@return luatensor.Tensor # complex64 or complex128, s // 2 + 1 long in the last dim named
function lt.fft.rfft2(x, s, dim, options) end

---The inverse of rfft2.
---@param x luatensor.Tensor 2 dims or more; not bool, not half floats; integers become the default float
---@param s? table length of the result along each dim; -1: as it is
---@param dim? integer|table the last two unless given
---@param options? table `s`, `dim`, `norm`: "backward" (divided by the product of s), "ortho" (by its root) or "forward" (as it is)
---@return luatensor.Tensor # float32 or float64
function lt.fft.irfft2(x, s, dim, options) end

---fft along several dims, one after the other.
---@param x luatensor.Tensor any shape, real or complex; not bool, not half floats; integers become the default float
---@param s? table length along each dim; -1: as it is; needs dim
---@param dim? integer|table all dims unless given
---@param options? table `s`, `dim`, `norm`: "backward" (as it is), "ortho" (divided by the root of the product of s) or "forward" (by the product)
---@return luatensor.Tensor # complex64 or complex128
function lt.fft.fftn(x, s, dim, options) end

---The inverse of fftn.
---@param x luatensor.Tensor any shape, real or complex; not bool, not half floats; integers become the default float
---@param s? table length along each dim; -1: as it is; needs dim
---@param dim? integer|table all dims unless given
---@param options? table `s`, `dim`, `norm`: "backward" (divided by the product of s), "ortho" (by its root) or "forward" (as it is)
---@return luatensor.Tensor # complex64 or complex128
function lt.fft.ifftn(x, s, dim, options) end

---fftn of real numbers: rfft along the last dim named, fft along the others.
---@param x luatensor.Tensor any shape, real; not bool, not half floats; integers become the default float
---@param s? table length along each dim; -1: as it is; needs dim
---@param dim? integer|table all dims unless given
---@param options? table `s`, `dim`, `norm`: "backward" (as it is), "ortho" (divided by the root of the product of s) or "forward" (by the product)
---@return luatensor.Tensor # complex64 or complex128, s // 2 + 1 long in the last dim named
function lt.fft.rfftn(x, s, dim, options) end

---The inverse of rfftn.
---@param x luatensor.Tensor any shape; not bool, not half floats; integers become the default float
---@param s? table length of the result along each dim; -1: as it is; needs dim
---@param dim? integer|table all dims unless given
---@param options? table `s`, `dim`, `norm`: "backward" (divided by the product of s), "ortho" (by its root) or "forward" (as it is)
---@return luatensor.Tensor # float32 or float64
function lt.fft.irfftn(x, s, dim, options) end

---A tensor with the same elements in the same memory, through which no gradient flows.
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.detach(x) end

---Captures a function's work on a GPU, so that a repeated sequence of small ops costs only one launch. The function is
---called twice, without arguments: first normally (kernels are compiled, its effects happen), then for the capture, which
---computes nothing. The results have no values before the first replay. Each replay runs the same ops on the same tensors:
---to change the inputs, write into them (`x:copy_(y)`). Random numbers advance at each replay as if the function had been
---called. Shapes and Lua's own decisions are those of the capture. Inside the function, reading values, copies from and to
---the CPU, waiting, streams, events and work on another GPU are errors. Work on CPU tensors is not part of the graph: it
---runs only in the two calls.
---@param f function
---@param options? table `device` (default: the default device, or the first GPU)
---@return any # with the methods below; its memory is kept until the graph is freed, including that of temporary tensors
function lt.graph(f, options) end

---Takes about a second, and needs an idle device. The arithmetic is that of the ordinary units; a GPU's tensor cores are
---faster.
---@param device? string by default the default device
---@param dtype? string whose arithmetic is measured
---@return table # `flops`: additions and multiplications per second; `read` and `copy`: bytes per second, a copy counts the bytes that it reads and those that it writes
function lt.limits(device, dtype) end

---The inverses of square matrices.
---@param x luatensor.Tensor [..., n, n], float32 or float64; integers give the default float
---@return luatensor.Tensor # [..., n, n]
function lt.linalg.inv(x) end

---The determinants of square matrices.
---@param x luatensor.Tensor [..., n, n]
---@return luatensor.Tensor # [...]; 1 for matrices of shape [0, 0], 0 for singular ones
function lt.linalg.det(x) end

---Sign and logarithm of determinants, even if the determinants overflow or underflow.
---@param x luatensor.Tensor [..., n, n]
---@return luatensor.Tensor # [...]: -1, 0 or 1; for complex matrices det / |det|
---@return luatensor.Tensor # [...]: log(|det|), -inf for singular matrices
function lt.linalg.slogdet(x) end

---Singular values, in descending order.
---@param x luatensor.Tensor [..., m, n]
---@return luatensor.Tensor # [..., min(m, n)], real
function lt.linalg.svdvals(x) end

---Eigenvalues and eigenvectors of square matrices that need not be symmetric. The gradient is defined for functions of the
---vectors that do not change if a vector is multiplied by a factor of length 1, and if no two values are equal.
---@param x luatensor.Tensor [..., n, n]
---@return luatensor.Tensor # eigenvalues [..., n], complex, in no particular order
---@return luatensor.Tensor # eigenvectors [..., n, n], complex: columns of length 1
function lt.linalg.eig(x) end

---Eigenvalues of square matrices that need not be symmetric.
---@param x luatensor.Tensor [..., n, n]
---@return luatensor.Tensor # [..., n], complex, in no particular order
function lt.linalg.eigvals(x) end

---LU factorization in the form that lu_solve takes.
---@param x luatensor.Tensor [..., m, n]
---@return luatensor.Tensor # [..., m, n]: U, and below its diagonal L without its diagonal of ones
---@return luatensor.Tensor # pivots [..., min(m, n)], int32: row i was swapped with row pivots[i], one after the other
function lt.linalg.lu_factor(x) end

---Cholesky factors of symmetric (complex: Hermitian) matrices that are positive definite. Only one triangle is read; the
---gradient goes to both.
---@param x luatensor.Tensor [..., n, n]
---@param options? table `upper`: reads the upper triangle and gives U with x = Uᴴ U
---@return luatensor.Tensor # [..., n, n]: L with x = L Lᴴ
function lt.linalg.cholesky(x, options) end

---Eigenvalues and eigenvectors of symmetric (complex: Hermitian) matrices. Only one triangle is read; the gradient goes to
---both. The gradient is defined for functions of the vectors that do not change if a vector is multiplied by a factor of
---length 1, and if no two values are equal.
---@param x luatensor.Tensor [..., n, n]
---@param options? table `upper`: reads the upper triangle instead of the lower one
---@return luatensor.Tensor # eigenvalues [..., n], real, ascending
---@return luatensor.Tensor # eigenvectors [..., n, n]: orthonormal columns
function lt.linalg.eigh(x, options) end

---Eigenvalues of symmetric (complex: Hermitian) matrices. Only one triangle is read; the gradient goes to both.
---@param x luatensor.Tensor [..., n, n]
---@param options? table `upper`: reads the upper triangle instead of the lower one
---@return luatensor.Tensor # [..., n], real, ascending
function lt.linalg.eigvalsh(x, options) end

---QR factorization, x = Q R: Q has orthonormal columns, R is upper triangular. "complete" has no gradient if x has more
---rows than columns, and the gradient is not finite if the first min(m, n) columns are not independent.
---@param x luatensor.Tensor [..., m, n]
---@param options? table `mode`: "reduced" (default; Q [..., m, k], R [..., k, n], k = min(m, n)) or "complete" (Q [..., m, m], R [..., m, n])
---@return luatensor.Tensor # Q
---@return luatensor.Tensor # R
function lt.linalg.qr(x, options) end

---Singular value decomposition: x = U diag(S) Vh, where U has orthonormal columns and Vh orthonormal rows. The gradient is
---defined without full_matrices, for functions of the vectors that do not change if a vector is multiplied by a factor of
---length 1, and if no two values are equal.
---@param x luatensor.Tensor [..., m, n]
---@param options? table `full_matrices` (default true): U [..., m, m] and Vh [..., n, n]; else [..., m, k] and [..., k, n], k = min(m, n)
---@return luatensor.Tensor # U
---@return luatensor.Tensor # S [..., k], real, descending
---@return luatensor.Tensor # Vh
function lt.linalg.svd(x, options) end

---Solves a x = b for x, by LU factorization.
---@param a luatensor.Tensor [..., n, n]
---@param b luatensor.Tensor [n], one vector, or [..., n, k]; batch dims broadcast
---@return luatensor.Tensor # [..., n] or [..., n, k]
function lt.linalg.solve(a, b) end

---@param x luatensor.Tensor real numbers of any shape
---@param min? number|luatensor.Tensor|nil broadcast with x; nil: no limit below; also an option
---@param max? number|luatensor.Tensor|nil broadcast with x; nil: no limit above; also an option
---@param options? table `min`, `max`; `out`: the tensor to write to
---@return luatensor.Tensor # of the dtype that x, min and max promote to
function lt.clip(x, min, max, options) end

---x with the elements replaced where the mask is true.
---@param x luatensor.Tensor
---@param mask luatensor.Tensor bool, broadcast with x
---@param value number|boolean|luatensor.Tensor broadcast with x; x's dtype must hold it
---@param options? table `out`: the tensor to write to
---@return luatensor.Tensor # of x's dtype
function lt.masked_fill(x, mask, value, options) end

---@param x number|luatensor.Tensor
---@param y number|luatensor.Tensor broadcast with x
---@param rtol? number|luatensor.Tensor relative tolerance
---@param atol? number|luatensor.Tensor absolute tolerance
---@param options? table `rtol`, `atol`; `equal_nan` (false): NaN is close to NaN; `out`
---@return luatensor.Tensor # bool
function lt.isclose(x, y, rtol, atol, options) end

---Matrix product. A 1-d tensor is a row (left) or a column (right), whose dim the result lacks; dims before the last two
---are a batch, and broadcast.
---@param x luatensor.Tensor shape [..., m, k]
---@param y luatensor.Tensor shape [..., k, n]; not bool
---@param options? table `out`: the tensor to write to
---@return luatensor.Tensor # shape [..., m, n]
function lt.matmul(x, y, options) end

---matmul of 2-d tensors only.
---@param x luatensor.Tensor [m, k]
---@param y luatensor.Tensor [k, n]
---@param options? table `out`
---@return luatensor.Tensor # [m, n]
function lt.mm(x, y, options) end

---matmul of 3-d tensors only.
---@param x luatensor.Tensor [batch, m, k]
---@param y luatensor.Tensor [batch, k, n]
---@param options? table `out`
---@return luatensor.Tensor # [batch, m, n]
function lt.bmm(x, y, options) end

---matmul of a matrix and a vector.
---@param x luatensor.Tensor [m, k]
---@param y luatensor.Tensor [k]
---@param options? table `out`
---@return luatensor.Tensor # [m]
function lt.mv(x, y, options) end

---Dot product: the sum of the products of two vectors' elements.
---@param x luatensor.Tensor [k]
---@param y luatensor.Tensor [k]
---@param options? table `out`
---@return luatensor.Tensor # 0-d
function lt.dot(x, y, options) end

---Sums of products along a dim; the other dims broadcast.
---@param x luatensor.Tensor
---@param y luatensor.Tensor as long as x in that dim; not bool
---@param dim? integer counted from the end if negative, as when the tensors have different numbers of dims
---@param options? table `dim`
---@return luatensor.Tensor # without that dim
function lt.vecdot(x, y, dim, options) end

---beta * x + alpha * a @ b, in one pass.
---@param x luatensor.Tensor broadcasts to [m, n]
---@param a luatensor.Tensor [m, k]
---@param b luatensor.Tensor [k, n]
---@param options? table `alpha`, `beta` (default 1; if beta is 0, x is not read), `out`
---@return luatensor.Tensor # [m, n]
function lt.addmm(x, a, b, options) end

---Sets the precision of float32 products, for the whole process. "ieee": every product and sum is rounded to float32.
---"tf32": a GPU may round the inputs to 10 bits of mantissa (errors of about 1e-3 of the magnitudes), which its tensor
---cores multiply several times faster. On the CPU, and for other dtypes, both are the same.
---@param precision string "ieee" (at first) or "tf32"
function lt.set_matmul_precision(precision) end

---@return string # the precision of float32 products: "ieee" or "tf32"
function lt.get_matmul_precision() end

---so far), cached (freed, kept for reuse). Of the tensors of this Lua state: state_live, state_peak, and state_limit where
---`set_memory_limit` has set one.
---@param device? string by default the default device
---@return table # {live = …, peak = …, cached = …, state_live = …, state_peak = …, state_limit = …}
function lt.memory(device) end

---@param device? string by default the default device
function lt.reset_peak_memory(device) end

---and then is an error, `out of memory on cpu: …`. Scratch memory of operations does not count. The process has a limit of
---its own, the environment variable LUATENSOR_MEMORY_LIMIT. In a sandbox a script can lower the limit, not raise it.
---@param bytes integer|nil nil: no limit
---@param device? string by default the default device
function lt.set_memory_limit(bytes, device) end

---@param device? string by default the default device
function lt.empty_cache(device) end

---Makes a new generator. Functions that draw random numbers take it as option `generator`.
---@param options? table `seed`: an integer; default: from the system
---@return any # with the methods below
function lt.generator(options) end

---Seeds the default generator.
---@param seed integer
---@return any # the default generator
function lt.manual_seed(seed) end

---The generator for draws without option `generator`. Setting a saved state of it continues a run exactly.
---@return any #
function lt.default_generator() end

---Draws from the uniform distribution in [0, 1). The same seed gives the same numbers on every device, with any number of
---threads.
---@param ... any the shape: numbers or one table
---, then options: `dtype` (a float; default float32), `device`, `generator`, `requires_grad`
---@return luatensor.Tensor # with 24 random bits in each element (float64: 53, float16: 11, bfloat16: 8)
function lt.rand(...) end

---Draws from the normal distribution with mean 0 and standard deviation 1.
---@param ... any the shape: numbers or one table
---, then options: `dtype` (a float; default float32), `device`, `generator`, `requires_grad`
---@return luatensor.Tensor #
function lt.randn(...) end

---Draws integers from low to high, both included, like math.random. Each is the high half of 64 random bits times the
---number of values, so probabilities differ by at most that number / 2^64.
---@param low integer
---@param high integer
---@param ... any the shape: numbers or one table
---, then options: `dtype` (default int64), `device`, `generator`, `requires_grad` (of floats)
---@return luatensor.Tensor #
function lt.randint(low, high, ...) end

---Draws from the uniform distribution in [low, high).
---@param low number
---@param high number
---@param ... any the shape: numbers or one table
---, then options: `dtype` (a float), `device`, `generator`, `requires_grad`
---@return luatensor.Tensor #
function lt.uniform(low, high, ...) end

---Draws from the normal distribution.
---@param mean number
---@param std number the standard deviation, not negative
---@param ... any the shape: numbers or one table
---, then options: `dtype` (a float), `device`, `generator`, `requires_grad`
---@return luatensor.Tensor #
function lt.normal(mean, std, ...) end

---The integers 1 … n in random order.
---@param n integer
---@param options? table `device`, `generator`
---@return luatensor.Tensor # int64, shape [n]
function lt.permutation(n, options) end

---Draws from the uniform distribution in [0, 1), with x's shape, dtype and device.
---@param x luatensor.Tensor
---@param options? table `dtype`, `device`, `generator`, `requires_grad`
---@return luatensor.Tensor #
function lt.rand_like(x, options) end

---Draws from the normal distribution with mean 0 and standard deviation 1, with x's shape, dtype and device.
---@param x luatensor.Tensor
---@param options? table `dtype`, `device`, `generator`, `requires_grad`
---@return luatensor.Tensor #
function lt.randn_like(x, options) end

---Running sum along a dim. Bool and integers add up in int64 or uint64.
---@param x luatensor.Tensor
---@param dim? integer not needed for 1-d tensors
---@param options? table `dim`, `include_initial`: starts with 0, so that there is one more element; `dtype`, `out`
---@return luatensor.Tensor #
function lt.cumulative_sum(x, dim, options) end

---Running product along a dim. Bool and integers multiply in int64 or uint64.
---@param x luatensor.Tensor
---@param dim? integer not needed for 1-d tensors
---@param options? table `dim`, `include_initial`: starts with 1, so that there is one more element; `dtype`, `out`
---@return luatensor.Tensor #
function lt.cumulative_prod(x, dim, options) end

---Largest element so far along a dim; NaN from the first NaN on.
---@param x luatensor.Tensor
---@param dim? integer not needed for 1-d tensors
---@param options? table `dim`, `include_initial`: starts with the least value of the dtype, so that there is one more element; `dtype`, `out`
---@return luatensor.Tensor #
function lt.cumulative_max(x, dim, options) end

---Smallest element so far along a dim; NaN from the first NaN on.
---@param x luatensor.Tensor
---@param dim? integer not needed for 1-d tensors
---@param options? table `dim`, `include_initial`: starts with the greatest value of the dtype, so that there is one more element; `dtype`, `out`
---@return luatensor.Tensor #
function lt.cumulative_min(x, dim, options) end

---exp(x) / sum(exp(x)) along a dim, without overflow.
---@param x luatensor.Tensor
---@param dim? integer
---@param options? table `dim`, `dtype`, `out`
---@return luatensor.Tensor #
function lt.softmax(x, dim, options) end

---The logarithm of softmax, exact even if softmax is nearly 0 or 1.
---@param x luatensor.Tensor
---@param dim? integer
---@param options? table `dim`, `dtype`, `out`
---@return luatensor.Tensor #
function lt.log_softmax(x, dim, options) end

---stay in their order (in descending order, too).
---@param x luatensor.Tensor any dtype but complex
---@param dim? integer
---@param options? table `dim`, `descending` (false), `stable` (accepted; sorting is always stable)
---@return luatensor.Tensor # of x's shape and dtype
function lt.sort(x, dim, options) end

---@param x luatensor.Tensor any dtype but complex
---@param dim? integer
---@param options? table `dim`, `descending` (false), `stable` (accepted; sorting is always stable)
---@return luatensor.Tensor # int64, of x's shape
function lt.argsort(x, dim, options) end

---of equal elements the first ones are taken.
---@param x luatensor.Tensor any dtype but complex, at least 1-d
---@param k integer 0 to the length of dim
---@param dim? integer
---@param options? table `dim`, `largest` (true; false: the k smallest, the smallest first), `sorted` (accepted; the results are always sorted)
---@return luatensor.Tensor # of x's shape, with k elements in dim
---@return luatensor.Tensor # int64, of the same shape: positions in x
function lt.topk(x, k, dim, options) end

---Makes a stream: a separate queue of work on a device. A script's work goes to the device's current stream;
---`lt.with_stream` makes another stream current. Streams run concurrently; if several streams use a tensor, they wait for
---each other where necessary. On the CPU a stream does nothing. A stream ends with its last reference, or with its
---`<close>` variable; queued work is still finished.
---@param device? string by default the default device
---@return any # with the field `device` and the methods below
function lt.stream(device) end

---The stream on which work for a device is currently queued.
---@param device? string by default the default device
---@return any #
function lt.current_stream(device) end

---Calls a function while a stream is its device's current stream. Afterwards, even after an error, the previous stream is
---current again. The function cannot yield.
---@param stream any
---@param f function
---@param ... any its arguments
---@return any # what f returns
function lt.with_stream(stream, f, ...) end

---Makes an event: a mark in a stream's queue. Scripts can wait for it, query it, and measure the time between two events.
---@param options? table `device` (default: the default device), `timing` (default true)
---@return any # with the field `device` and the methods below
function lt.event(options) end

---@param x luatensor.Tensor
---@param indices luatensor.Tensor integers, of any shape; negative from the end
---@param dim? integer may be left out if x is 1-d
---@param options? table `dim`, `out`
---@return luatensor.Tensor # shape of x, with that of indices for dim
function lt.take(x, indices, dim, options) end

---@param x luatensor.Tensor
---@param dim integer
---@param index luatensor.Tensor as many dims as x; only dim may be longer
---@param options? table `out`
---@return luatensor.Tensor # of index's shape
function lt.gather(x, dim, index, options) end

---Elements along a dim, as gather; the other dims broadcast.
---@param x luatensor.Tensor
---@param indices luatensor.Tensor as many dims as x
---@param dim? integer
---@param options? table `dim`, `out`
---@return luatensor.Tensor #
function lt.take_along_axis(x, indices, dim, options) end

---values go to one place, the last stays. `scatter_` writes into x.
---@param x luatensor.Tensor
---@param dim integer
---@param index luatensor.Tensor as many dims as x; only dim may be longer
---@param src luatensor.Tensor|number
---@return luatensor.Tensor #
function lt.scatter(x, dim, index, src) end

---As scatter, but src is added to what is there.
---@param x luatensor.Tensor
---@param dim integer
---@param index luatensor.Tensor
---@param src luatensor.Tensor|number
---@return luatensor.Tensor #
function lt.scatter_add(x, dim, index, src) end

---A copy of x with slices of src added along a dim: `out[index[i]] += src[i]` for dim 1. `index_add_` adds into x.
---@param x luatensor.Tensor
---@param dim integer
---@param index luatensor.Tensor 1-d
---@param src luatensor.Tensor|number broadcasts to x's shape with index's length for dim
---@return luatensor.Tensor #
function lt.index_add(x, dim, index, src) end

---@param x luatensor.Tensor at least 1-d
---@return luatensor.Tensor # ... one int64 tensor for each dim; together they index x
function lt.nonzero(x) end

---Positions of the elements that are not 0 (or are true), one row each. Waits for their number.
---@param x luatensor.Tensor
---@return luatensor.Tensor # int64, [count, ndim]
function lt.argwhere(x) end

---@param sorted luatensor.Tensor 1-d, or rows that match those of values; any dtype but complex
---@param values luatensor.Tensor|number
---@param options? table `side`: "left" (default) before equal elements, "right" after them; `right`: true for the latter; `sorter`: positions that sort the first argument, of its shape (a result of argsort)
---@return luatensor.Tensor # int64, of values' shape
function lt.searchsorted(sorted, values, options) end

---@param tensors table of one shape, except along dim; dtypes promote
---@param dim? integer
---@param options? table `dim`, `out`
---@return luatensor.Tensor #
function lt.concat(tensors, dim, options) end

---@param tensors table dtypes promote
---@param dim? integer the new dim of the result
---@param options? table `dim`, `out`
---@return luatensor.Tensor #
function lt.stack(tensors, dim, options) end

---Frees this tensor at once. Its memory is freed with the last tensor that shares it. Freeing twice is harmless. Inside of
---a finalizer or debug hook that interrupted an operation, possibly on this very tensor, `free` does nothing; the
---collector then frees the tensor when nothing refers to it any more.
---@param x luatensor.Tensor
function lt.free(x) end

---True if v is a tensor.
---@param v any anything
---@return boolean #
function lt.is_tensor(v) end

---Sets how many threads an operation may use, in all states of the process. Small operations use fewer threads, and so do
---all operations if the system refuses to start as many. The default is `OMP_NUM_THREADS` (at most `OMP_THREAD_LIMIT`),
---else the number of processors that the process may use: those on which it may run, or its container's share of them. The
---number never exceeds the limit of `n`.
---@param n integer from 1 to 4 times the number of processors, or to 64 if that is more
function lt.set_num_threads(n) end

---@return integer # the number of threads that an operation may use: the number that was set, or fewer if the system refused to start as many
function lt.get_num_threads() end

---Describes what computes: kernels, threads, BLAS with its processor type and threading, and the driver and libraries of a
---GPU. For people and bug reports.
---@return string #
function lt.config() end

---@param x luatensor.Tensor
---@param ... any sizes, or one table of them; one may be -1, for the remaining size
---, then options: `copy`: true always copies, false never copies (an error if a copy is needed)
---@return luatensor.Tensor #
function lt.reshape(x, ...) end

---@param x luatensor.Tensor
---@param first? integer
---@param last? integer
---@return luatensor.Tensor # a view if the layout allows
function lt.flatten(x, first, last) end

---One dim as several.
---@param x luatensor.Tensor
---@param dim integer
---@param sizes table one may be -1
---@return luatensor.Tensor # a view
function lt.unflatten(x, dim, sizes) end

---@param x luatensor.Tensor
---@param ... any sizes, or one table of them
---@return luatensor.Tensor # a view, which cannot be written if it is stretched
function lt.broadcast_to(x, ...) end

---@param x luatensor.Tensor
---@param dim integer|table the positions of the new dims in the result; also option `dim`
---@return luatensor.Tensor # a view
function lt.expand_dims(x, dim) end

---@param x luatensor.Tensor
---@param dim? integer|table the dims to drop; without it, all dims of length 1; also option `dim`
---@return luatensor.Tensor # a view
function lt.squeeze(x, dim) end

---Dims in another order.
---@param x luatensor.Tensor
---@param ... any every dim once, or one table of them: dim d of the result is dim order[d] of x
---@return luatensor.Tensor # a view
function lt.permute_dims(x, ...) end

---Moves dims; the others keep their order.
---@param x luatensor.Tensor
---@param source integer|table
---@param destination integer|table
---@return luatensor.Tensor # a view
function lt.moveaxis(x, source, destination) end

---Exchanges two dims.
---@param x luatensor.Tensor
---@param a integer
---@param b integer
---@return luatensor.Tensor # a view
function lt.swapaxes(x, a, b) end

---`length` elements of a dim from `start` on.
---@param x luatensor.Tensor
---@param dim integer
---@param start integer negative: from the end
---@param length integer
---@return luatensor.Tensor # a view
function lt.narrow(x, dim, start, length) end

---@param x luatensor.Tensor
---@param dim? integer|table without it, all dims; also option `dim`
---@return luatensor.Tensor # a view
function lt.flip(x, dim) end

---@param x luatensor.Tensor
---@param offset? integer above the main diagonal if positive
---@param options? table `offset`, `dim1` (-2), `dim2` (-1)
---@return luatensor.Tensor # a view
function lt.diagonal(x, offset, options) end

---For the generic for: `for i, row in x:rows() do`. `pairs(x)` is the same.
---@param x luatensor.Tensor
function lt.rows(x) end

---The shape that shapes broadcast to.
---@param ... table shapes
---@return table #
function lt.broadcast_shapes(...) end

---The notebook's "when to choose CPU, GPU, TPU" with this machine's figures: models from 100 000 to 70 thousand
---million parameters, a step of training each: measured up to `largest` parameters, carried on by the products beyond,
---and bounded by published figures for devices that are not here.
---@param options? table `largest` network that is measured (10000000 parameters); `seconds`, `devices`, `patience` as lt.advise has them
---@return table # a result of kind "choices"
function lt.advise.choices(options) end

---Recommends a device for fn by what its calls cost on each device of this machine, with a paragraph that says why.
---
---    local r = lt.advise(function(x, y) return x:matmul(y.T) end, {sizes = {256, 1024}, calls = 100})
---    print(r)
---    local x = lt.rand(1024, 1024, {device = r.device})
---
---Costs are measured as by bench.crossover. Where measuring ends it says so: sizes that do not fit or take too long
---are carried on by the trend; devices that are not here are bounded by the counted work and published figures ("at
---least"). An emulated device shows that the work runs there and is never recommended.
---@param fn function gets what inputs(n) returned, its tensors moved to the device
---@param options? table  `sizes` (64 to 1024, doubling); `inputs`: function(n) that returns every tensor that fn uses (two n × n matrices of random numbers); `calls`: how often fn is called with the same data, which are sent once (1: they are sent, and results fetched, each time); `devices`: names (all of this machine); `seconds` a measurement (0.2); `name` of the work; `patience`: seconds that a size may take on a device (60)
---@return table # a result of kind "advice": `device`, the recommendation for the largest size that was measured (nil: there is none), `either` where others are as fast as far as can be told, `why`, `sizes` (the choice at each size), `points` (all figures), `predictions`, `bounds`, `skipped`
function lt.advise(fn, options) end

---Recommends a device for a multilayer perceptron: square layers, biases, ReLU; its weights stay on the device.
---@param options? table  `parameters` (1000000; smaller networks are measured, too, for the trend); `batch`: samples a call (64); `calls` with the same batch (1); `training`: a step of gradient descent instead of a forward pass (false); `layers` (4); `dtype` ("float32"); `devices`, `seconds`, `patience` as lt.advise has them
---@return table # a result of kind "advice"; its sizes n are parameters
function lt.advise.network(options) end

---True if all elements of x and y are close as defined by `isclose`. Waits for the result.
---@param x number|luatensor.Tensor
---@param y number|luatensor.Tensor broadcast with x
---@param rtol? number|luatensor.Tensor relative tolerance
---@param atol? number|luatensor.Tensor absolute tolerance
---@param options? table `rtol`, `atol`, `equal_nan` (false)
---@return boolean #
function lt.allclose(x, y, rtol, atol, options) end

---True if x and y have the same shape and equal elements, whatever their dtypes. NaN equals nothing. Waits for the
---result.
---@param x luatensor.Tensor
---@param y luatensor.Tensor
---@return boolean #
function lt.equal_all(x, y) end

---Sums products of tensors over indices, in Einstein's notation. Each operand has a letter for each dim, as in
---`"ij,jk->ik"`. Indices that the result lacks are summed over. Without "->", the result has the indices that occur
---once, in alphabetical order. `...` stands for any number of dims, which broadcast; if the result lacks `...`, these
---dims are summed over. An index that occurs twice in one operand takes its diagonal. Length 1 stretches. Up to five
---operands are multiplied in the order that takes the fewest multiplications; for more operands the order is found
---greedily.
---@param spec string
---@param ... luatensor.Tensor as many as the string has operands; not bool
---@return luatensor.Tensor # of the dtype to which the operands promote; a view of the operand if nothing is multiplied or summed
function lt.einsum(spec, ...) end

---Makes a function of tensors from an expression. The function broadcasts, runs on every device, and reads and writes
---memory once, however many operations the expression has. Operators: + - * / // % == != < <= > >= && || ! & | ~ << >>
---and c ? a : b; functions: those of the op table (exp(x), maximum(x, y), where(c, a, b)), and dtypes, which convert
---(float64(x)). Operations promote and compute as on tensors, but half floats are rounded only once, at the end.
---@param parameters string "float32 x, float32 y": the dtypes in which it computes; at most 8
---@param expression string "x * y + 1"
---@param dtype? string of the result; the expression's when left out
---@return function # of as many tensors or numbers, and an options table with `out`; arguments must promote to the dtypes of their parameters
function lt.elementwise(parameters, expression, dtype) end

---Frequencies of the n results of lt.fft.fft: [0, 1, …, (n - 1) // 2, -(n // 2), …, -1] / (n d).
---@param n integer number of samples
---@param d? number distance of the samples
---@param options? table `d`, `dtype` (a real float, the default float unless given), `device`
---@return luatensor.Tensor # shape [n], cycles per unit of d
function lt.fft.fftfreq(n, d, options) end

---Frequencies of the n // 2 + 1 results of lt.fft.rfft: [0, 1, …, n // 2] / (n d).
---@param n integer number of samples
---@param d? number distance of the samples
---@param options? table `d`, `dtype` (a real float, the default float unless given), `device`
---@return luatensor.Tensor # shape [n // 2 + 1], cycles per unit of d
function lt.fft.rfftfreq(n, d, options) end

---Moves the frequency 0 from the front to the middle: rolls each dim by length // 2.
---@param x luatensor.Tensor any dtype and shape
---@param dim? integer|table all dims unless given; option `dim` too
---@return luatensor.Tensor #
function lt.fft.fftshift(x, dim) end

---The inverse of fftshift: rolls each dim by -(length // 2).
---@param x luatensor.Tensor any dtype and shape
---@param dim? integer|table all dims unless given; option `dim` too
---@return luatensor.Tensor #
function lt.fft.ifftshift(x, dim) end

---pi, 3.14159…
function lt.pi() end

---Euler's number, 2.71828…
function lt.e() end

---Infinity.
function lt.inf() end

---Not a number.
function lt.nan() end

---The abilities of the library, under the standard's names.
---@return table # {["boolean indexing"] =, ["data-dependent shapes"] =, ["max dimensions"] =}
function lt.info.capabilities() end

---@return string # the device of tensors that are made without option `device`
function lt.info.default_device() end

---The names of the devices of this machine; lt.devices returns more details.
---@return table #
function lt.info.devices() end

---The dtypes of tensors that are made without option `dtype`: the same on every device.
---@param options? table `device`
---@return table # {["real floating"] =, ["complex floating"] =, integral =, indexing =}
function lt.info.default_dtypes(options) end

---All dtypes, or the dtypes of a kind: the same on every device.
---@param options? table `device`; `kind`: as isdtype takes it
---@return table # each name by itself: {float32 = "float32", …}
function lt.info.dtypes(options) end

---The same as lt.diagonal.
---@param x luatensor.Tensor
---@param offset? integer above the main diagonal if positive
---@param options? table `offset`, `dim1` (-2), `dim2` (-1)
---@return luatensor.Tensor # a view
function lt.linalg.diagonal(x, offset, options) end

---The same as lt.matmul.
---@param x luatensor.Tensor shape [..., m, k]
---@param y luatensor.Tensor shape [..., k, n]; not bool
---@param options? table `out`: the tensor to write to
---@return luatensor.Tensor # shape [..., m, n]
function lt.linalg.matmul(x, y, options) end

---The same as lt.matrix_transpose.
---@param x luatensor.Tensor 2-d or more
---@return luatensor.Tensor #
function lt.linalg.matrix_transpose(x) end

---The same as lt.outer.
---@param x luatensor.Tensor 1-d
---@param y luatensor.Tensor 1-d
---@return luatensor.Tensor # shape [#x, #y]
function lt.linalg.outer(x, y) end

---The same as lt.tensordot.
---@param x luatensor.Tensor
---@param y luatensor.Tensor
---@param dims? any n: the last n dims of x with the first n dims of y; or {dims of x, dims of y}; also option `dims`
---@return luatensor.Tensor #
function lt.linalg.tensordot(x, y, dims) end

---The same as lt.vecdot.
---@param x luatensor.Tensor
---@param y luatensor.Tensor as long as x in that dim; not bool
---@param dim? integer counted from the end if negative, as when the tensors have different numbers of dims
---@param options? table `dim`
---@return luatensor.Tensor # without that dim
function lt.linalg.vecdot(x, y, dim, options) end

---Sums of the diagonals of matrices.
---@param x luatensor.Tensor [..., m, n], any numbers
---@param options? table `offset` (0; above the main diagonal when positive), `dtype` as in sum
---@return luatensor.Tensor # [...]
function lt.linalg.trace(x, options) end

---Cross products of vectors of length 3 along a dim; the other dims broadcast.
---@param x luatensor.Tensor
---@param y luatensor.Tensor
---@param options? table `dim` (-1)
---@return luatensor.Tensor #
function lt.linalg.cross(x, y, options) end

---Powers of square matrices: the product of n factors x, or of -n factors inverse(x) if n is negative. Power 0 is the
---identity.
---@param x luatensor.Tensor [..., n, n]
---@param n integer
---@return luatensor.Tensor # [..., n, n]
function lt.linalg.matrix_power(x, n) end

---Norm of the elements as a vector: the root of order ord of the sum of |x|^ord.
---@param x luatensor.Tensor any shape; integers give the default float
---@param ord? number math.huge and -math.huge: the largest and the smallest |x|; 0: how many are not 0
---@param dim? any a dim or a list of dims; all unless given
---@param options? table `ord`, `dim`, `keepdim`, `dtype` (of the result)
---@return luatensor.Tensor # without these dims
function lt.linalg.vector_norm(x, ord, dim, options) end

---Norms of matrices.
---@param x luatensor.Tensor [..., m, n]
---@param ord? any "fro": root of the sum of squares; "nuc": sum of the singular values; 2, -2: the largest, the smallest of them; 1, -1: the largest, the smallest sum of |x| in a column; math.huge, -math.huge: in a row
---@param options? table `ord`, `keepdim`
---@return luatensor.Tensor # [...]
function lt.linalg.matrix_norm(x, ord, options) end

---Condition number, norm(x) * norm(inverse of x): the factor by which the relative error of a solution of x a = b may
---exceed that of x or b.
---@param x luatensor.Tensor [..., m, n]; square, except for the orders 2 and -2
---@param ord? any as in matrix_norm
---@return luatensor.Tensor # [...]
function lt.linalg.cond(x, ord) end

---The number of singular values that are greater than rtol times the largest.
---@param x luatensor.Tensor [..., m, n]
---@param options? table `rtol`: a number, or a tensor with a number for each matrix; default max(m, n) * eps
---@return luatensor.Tensor # [...], int64
function lt.linalg.matrix_rank(x, options) end

---Moore–Penrose pseudo-inverses, from singular values.
---@param x luatensor.Tensor [..., m, n]
---@param options? table `rtol`: singular values up to rtol times the largest count as 0; a number, or a tensor with a number for each matrix; default max(m, n) * eps
---@return luatensor.Tensor # [..., n, m]
function lt.linalg.pinv(x, options) end

---The x that minimises the sum of |b - a x|²; if several do, the shortest of them.
---@param a luatensor.Tensor [..., m, n]
---@param b luatensor.Tensor [m], one vector, or [..., m, k]; batch dims broadcast
---@param options? table `rtol`: singular values up to rtol times the largest count as 0; default max(m, n) * eps
---@return luatensor.Tensor # x, [n] or [..., n, k]
---@return luatensor.Tensor # residuals: the sums, [..., k]; shape [0] unless m > n and every rank is n
---@return luatensor.Tensor # rank [...], int64
---@return luatensor.Tensor # singular values of a [..., min(m, n)]
function lt.linalg.lstsq(a, b, options) end

---x = P L U: P permutes rows, L is lower triangular with ones on its diagonal, U is upper triangular.
---@param x luatensor.Tensor [..., m, n], k = min(m, n)
---@return luatensor.Tensor # P [..., m, m]
---@return luatensor.Tensor # L [..., m, k]
---@return luatensor.Tensor # U [..., k, n]
function lt.linalg.lu(x) end

---Solves a x = b for x, with a as factored by lu_factor.
---@param lu luatensor.Tensor [..., n, n]
---@param pivots luatensor.Tensor [..., n]
---@param b luatensor.Tensor [n], one vector, or [..., n, k]; batch dims broadcast
---@return luatensor.Tensor # [..., n] or [..., n, k]; inf or NaN if a is singular
function lt.linalg.lu_solve(lu, pivots, b) end

---The slices along a dim, without that dim.
---@param x luatensor.Tensor
---@param dim? integer also option `dim`
---@return table # views
function lt.unstack(x, dim) end

---Parts along a dim, of one size (the last may be shorter) or of the sizes in a table.
---@param x luatensor.Tensor
---@param sizes integer|table
---@param dim? integer also option `dim`
---@return table # views
function lt.split(x, sizes, dim) end

---At most n parts of one size along a dim; the last may be shorter.
---@param x luatensor.Tensor
---@param n integer
---@param dim? integer also option `dim`
---@return table # views
function lt.chunk(x, n, dim) end

---Broadcasts all tensors to their common shape.
---@param ... luatensor.Tensor tensors
---@return luatensor.Tensor # ... as many views
function lt.broadcast_arrays(...) end

---Repeats each element; `repeat` is a word of Lua, so scripts write `x:repeat_interleave(2)` or `x["repeat"](x, 2)`.
---If the repeats are not a single number, the call waits for a GPU, because the length of the result is their sum.
---@param x luatensor.Tensor
---@param repeats integer|table|luatensor.Tensor one number, or a number for each element of dim
---@param dim? integer if missing, x is flattened; also option `dim`
---@return luatensor.Tensor #
lt["repeat"] = function(x, repeats, dim) end

---Repeats the whole tensor.
---@param x luatensor.Tensor
---@param ... integer repetitions along each dim, or one table of them; fewer numbers than dims apply to the last dims
---@return luatensor.Tensor #
function lt.tile(x, ...) end

---Moves elements along dims. Elements that leave at the end come back at the front.
---@param x luatensor.Tensor
---@param shift integer|table
---@param dim? integer|table if missing, the elements move in row-major order; also option `dim`
---@return luatensor.Tensor #
function lt.roll(x, shift, dim) end

---Adds elements around a tensor.
---@param x luatensor.Tensor
---@param widths table before and after the last dim, then before and after the second-last dim, and so on; negative widths cut elements off
---@param options? table `mode`: "constant" (default), "reflect" (the edge is not repeated), "replicate", "circular"; `value` (0) for "constant"
---@return luatensor.Tensor #
function lt.pad(x, widths, options) end

---The lower triangle of matrices: elements above diagonal k become 0.
---@param x luatensor.Tensor
---@param options? table `k` (0): positive is above the main diagonal
---@return luatensor.Tensor #
function lt.tril(x, options) end

---The upper triangle of matrices: elements below diagonal k become 0.
---@param x luatensor.Tensor
---@param options? table `k` (0): positive is above the main diagonal
---@return luatensor.Tensor #
function lt.triu(x, options) end

---A matrix with ones on diagonal k and zeros elsewhere.
---@param rows integer
---@param columns? integer
---@param options? table `k` (0), `dtype`, `device`
---@return luatensor.Tensor #
function lt.eye(rows, columns, options) end

---A matrix with x on diagonal k (x 1-d), or a copy of diagonal k (x 2-d).
---@param x luatensor.Tensor
---@param k? integer
---@return luatensor.Tensor #
function lt.diag(x, k) end

---Coordinates of a grid: tensor i runs along dim i.
---@param ... luatensor.Tensor 1-d tensors
---, then options: `indexing`: "xy" (default: the first two dims are swapped) or "ij"
---@return luatensor.Tensor # ... as many views
function lt.meshgrid(...) end

---The elements at which a mask is true; x and mask broadcast. Waits for the number of elements.
---@param x luatensor.Tensor
---@param mask luatensor.Tensor bool
---@return luatensor.Tensor # 1-d
function lt.masked_select(x, mask) end

---A copy of x in which the elements at which a mask is true are replaced by the first elements of src, in order. Waits
---for their number.
---@param x luatensor.Tensor
---@param mask luatensor.Tensor bool; broadcasts to x's shape
---@param src luatensor.Tensor
---@return luatensor.Tensor #
function lt.masked_scatter(x, mask, src) end

---Median: the middle element in sorted order, or the mean of the two middle elements of an even number. The result is
---NaN if there is a NaN or no element.
---@param x luatensor.Tensor any dtype but complex; integers and bool give the default float
---@param dim? any a dim or a list of dims; all unless given
---@param options? table `dim`, `keepdim`
---@return luatensor.Tensor # shape without these dims
function lt.median(x, dim, options) end

---Quantiles along a dim, by NumPy's rules: quantile q is q * (n - 1) places after the first element of a sorted line
---of n elements.
---@param x luatensor.Tensor any dtype but complex; integers and bool give the default float
---@param q number|luatensor.Tensor in [0, 1]; the dims of a tensor come first in the result
---@param dim? any a dim or a list of dims; all unless given
---@param options? table `dim`, `keepdim`, `method`: the value at a place between two elements: "linear" (default), "lower", "higher", "midpoint", "nearest" (between two equally near elements, the one whose position, counted from 0, is even)
---@return luatensor.Tensor # NaN if the line has a NaN
function lt.quantile(x, q, dim, options) end

---Counts how often each value occurs: element i of the result is the number of elements equal to i. Waits for the
---smallest and the largest value. Counting starts at 1, like positions in Lua; a value below 1 is an error.
---@param x luatensor.Tensor 1-d, positive integers
---@param options? table `weights`: a tensor with a weight for each element, added up instead of 1; `minlength`: minimum length of the result
---@return luatensor.Tensor # 1-d, as long as the largest value; int64, or the dtype of float weights
function lt.bincount(x, options) end

---Counts the elements in each bin. A bin includes its lower edge; only the last bin includes its upper edge. Elements
---outside of all bins and NaN are not counted. Waits for the edges, to check or to compute them.
---@param x luatensor.Tensor any dtype but complex, any shape
---@param bins? any the number of bins of equal width, or the edges: a 1-d tensor or a table
---@param options? table `range`: {lowest, highest} edge of bins of equal width, by default the smallest and largest element; `weights`: a tensor of x's shape, added up instead of 1; `density` (false): divides the counts so that counts times widths add up to 1
---@return luatensor.Tensor # counts, one for each bin: int64, the dtype of float weights, or (density) a float
---@return luatensor.Tensor # edges, one more than counts
function lt.histogram(x, bins, options) end

---Sets how tensors print. Options that are not given stay as they are.
---@param options table `precision` (4), `threshold` (1000), `edgeitems` (3), `linewidth` (80), `sci` ("auto")
function lt.set_printoptions(options) end

---Sums products over pairs of dims. The result has the remaining dims, first those of x, then those of y.
---@param x luatensor.Tensor
---@param y luatensor.Tensor
---@param dims? any n: the last n dims of x with the first n dims of y; or {dims of x, dims of y}; also option `dims`
---@return luatensor.Tensor #
function lt.tensordot(x, y, dims) end

---Every element of x times every element of y.
---@param x luatensor.Tensor 1-d
---@param y luatensor.Tensor 1-d
---@return luatensor.Tensor # shape [#x, #y]
function lt.outer(x, y) end

---Swaps the last two dims: a view, like x.mT.
---@param x luatensor.Tensor 2-d or more
---@return luatensor.Tensor #
function lt.matrix_transpose(x) end

---Draws 1 with probability p, else 0.
---@param p any a number in [0, 1], followed by a shape; or a tensor of probabilities, whose shape the result has
---@param ... any the shape: numbers or one table
---, then options: `dtype` (any dtype; by default that of p, or float32), `device`, `generator`
---@return luatensor.Tensor #
function lt.bernoulli(p, ...) end

---Draws n positions, each with a probability proportional to its weight. Waits for the weights, to check them.
---@param w luatensor.Tensor weights, shape [k] or [rows, k]: finite, not negative, not all 0 in a row
---@param n integer the number of draws from each row
---@param options? table `replacement` (default false: no position twice in a row), `generator`
---@return luatensor.Tensor # int64, 1-based, shape [n] or [rows, n]
function lt.multinomial(w, n, options) end

---Returns a copy of x with its rows (along dim 1) in random order.
---@param x luatensor.Tensor
---@param options? table `generator`
---@return luatensor.Tensor #
function lt.shuffle(x, options) end

---The distinct elements, sorted. Every NaN is distinct, and NaNs come last; -0 and 0 are equal. Complex numbers are
---sorted by their real parts, then by their imaginary parts, with NaN as the largest value. Waits for a GPU.
---@param x luatensor.Tensor any shape and dtype
---@return luatensor.Tensor # 1-d, of x's dtype
function lt.unique_values(x) end

---The distinct elements, sorted, and the number of occurrences of each. Waits for a GPU.
---@param x luatensor.Tensor any shape and dtype
---@return luatensor.Tensor # values, as of unique_values
---@return luatensor.Tensor # counts, int64
function lt.unique_counts(x) end

---The distinct elements, sorted, and the position of each element among them. Waits for a GPU.
---@param x luatensor.Tensor any shape and dtype
---@return luatensor.Tensor # values, as of unique_values
---@return luatensor.Tensor # inverse: positions in values, int64, of x's shape: `values[inverse]` is x
function lt.unique_inverse(x) end

---The distinct elements, sorted, with first positions, inverse and counts. Waits for a GPU.
---@param x luatensor.Tensor any shape and dtype
---@return luatensor.Tensor # values, as of unique_values
---@return luatensor.Tensor # indices of their first occurrences in x:flatten(), int64
---@return luatensor.Tensor # inverse: positions in values, int64, of x's shape
---@return luatensor.Tensor # counts, int64
function lt.unique_all(x) end

---For each element of x1: true if it equals an element of x2. NaN equals nothing, -0 equals 0. If x2 is complex and
---long, the call waits for a GPU: the number of distinct elements must be known.
---@param x1 luatensor.Tensor|number
---@param x2 luatensor.Tensor|number of any shape; dtypes promote
---@param options? table `invert` (false): true if no element of x2 is equal; `assume_unique` (accepted, without effect)
---@return luatensor.Tensor # bool, of x1's shape
function lt.isin(x1, x2, options) end

---Norm of the elements as a vector: the root of order p of the sum of |x|^p.
---@param x luatensor.Tensor any shape; integers give the default float, complex numbers the dtype of their parts
---@param p? number order; math.huge and -math.huge: the largest and the smallest |x|; 0: the number of elements that are not 0
---@param dim? any a dim or a list of dims; all unless given
---@param options? table `p`, `dim`, `keepdim`, `dtype` (of the result), `out`
---@return luatensor.Tensor # shape without these dims
function lt.norm(x, p, dim, options) end

---Differences of neighbours along a dim, taken n times.
---@param x luatensor.Tensor any dtype but bool
---@param dim? integer
---@param options? table `dim`, `n` (1; 0 gives x itself), `prepend` and `append`: tensors that are first joined to the ends of x
---@return luatensor.Tensor # the shape of x, with dim shorter by n
function lt.diff(x, dim, options) end

---Makes a function that returns the gradients of fn's first result, a tensor of one element, with respect to fn's
---arguments. The new function can be differentiated itself, by lt.grad or by backward, with respect to everything
---that fn uses. Examples are `lt.grad(lt.grad(f))`, or a penalty on the gradient of a network whose parameters
---require gradients. Inside lt.no_grad the gradients cannot be differentiated, which is faster.
---@param fn function
---@param options? table `argnums`: the number of an argument, or a list of them; all float and complex tensors unless given. `retain_graph` (false): keeps the graph that fn recorded, for a backward from tensors that fn handed out
---@return function # that takes fn's arguments and returns one tensor for each differentiated argument, then fn's further results
function lt.grad(fn, options) end

---Like lt.grad, but the new function returns fn's first result before the gradients.
---@param fn function
---@param options? table those of lt.grad
---@return function # that takes fn's arguments and returns fn's first result, one gradient for each differentiated argument, then fn's further results
function lt.value_and_grad(fn, options) end

---The gradients of outputs with respect to inputs. Inputs are leaves, or results from which the outputs were
---computed. `x.grad` of leaves stays as it is. With several outputs, their gradients are summed.
---@param outputs luatensor.Tensor|table of one element each, unless grad_outputs is given
---@param inputs luatensor.Tensor|table
---@param options? table `grad_outputs`: the gradients of the outputs, a tensor or a list (false: 1); 1 unless given. `create_graph` (false): the gradients can be differentiated, too. `retain_graph` (default create_graph): keeps the graph for another backward. `allow_unused` (false): returns nil for inputs on which the outputs do not depend, instead of an error
---@return luatensor.Tensor # ... one for each input
function lt.autograd.grad(outputs, inputs, options) end

---Calls a function without recording: its results need no gradients. Without a function, the result is a guard:
---nothing is recorded until the block of the variable that holds the guard ends.
---
---    local y = lt.no_grad(model, x)
---    local _ <close> = lt.no_grad()
---
---Both apply to the coroutine that calls `lt.no_grad`, and to coroutines that it resumes meanwhile. If the coroutine
---yields, other coroutines are not affected.
---@param fn? function
---@param ... any its arguments
---@return any # what fn returns, or the guard
function lt.no_grad(fn, ...) end

---Calls a function with recording, even inside of lt.no_grad. Without a function the result is a guard, as for
---lt.no_grad.
---@param fn? function
---@param ... any its arguments
---@return any # what fn returns, or the guard
function lt.enable_grad(fn, ...) end

---True while ops on tensors that need gradients are recorded.
---@return boolean #
function lt.is_grad_enabled() end

---Makes a function with its own gradient, for results that can be computed faster or more exactly than by existing
---ops.
---@param f table `forward(ctx, …)`: returns one or more tensors; nothing in it is recorded. `backward(ctx, g, …)`: takes the gradients of the results and returns those of the arguments, in order (nil: none). `ctx:save(x, …)` keeps tensors for backward, where `ctx:saved()` returns them; `ctx.needs[i]`: true if the gradient of argument i is wanted; `name`: the name in messages
---@return function #
function lt.autograd_function(f) end

---Calls a function, and raises an error at the first NaN in a result of an op, or in a gradient of a backward inside
---of the function. The error names the op and the line of the script. Slow: every result is waited for and checked.
---Without a function the result is a guard, as for lt.no_grad.
---@param fn? function
---@param ... any its arguments
---@return any # what fn returns, or the guard
function lt.detect_anomaly(fn, ...) end

---Times functions that should do the same, a round of each in turn (A B B A), and shows how much faster each is than
---the first. A ratio is only shown if the results agree: with the same seed before each call, floats may differ by the
---tolerance of their dtype, relative to the largest magnitude.
---@param entries table `{{"name", function, device = "cuda"}, …}`: the first is the base; while a function with a device runs, that is the default device
---@param options? table those of bench.time (`seconds`, `rounds`, here 12, `warmup` are of each entry), and `check` = false: results are not compared; `same`, a function that takes the first result of the base and that of another entry, and returns true if they agree
---@return table # a result of kind "compare": `entries` with the figures of time and `pairs` (of the base's round with the one beside it: `count`, in how many it was `faster`, quartiles of their ratios), `ratio` (their median), `verdict` (see below), `agreement` ("agree", "differ", "not checked", "does not repeat"), `difference` (why), `error` of an entry that failed, which does not stop the others. The verdict is "faster" or "slower" if so many pairs agree that chance has a probability of 1/1000, and if the quartiles of the ratios differ from 1 by at least 5 %. On a machine where other processes used more than a tenth of the processor, 25 % are required. Otherwise the verdict is "undecided". There is no ratio if results differ, nor between emulated and real devices
function lt.bench.compare(entries, options) end

---Sizes from first to last, evenly spaced by ratio.
---@param first integer smallest
---@param last integer largest
---@param per_doubling? integer sizes for each doubling
---@return table # ascending; the first and the last are among them
function lt.bench.sizes(first, last, per_doubling) end

---Measures fn at each size on each device, and finds the size from which on one device is faster than the other.
---
---    local r = lt.bench.crossover(function(x, y) return x:matmul(y.T) end, lt.bench.sizes(16, 4096))
---    print(r)
---
---The answer is an interval between two sizes, measured with the data in place (the inputs are on the device) and with
---transfers (they start on the CPU, and the results go back there). One device is faster if the quartiles of the two
---are 5 % apart, or 25 % if other processes used more than a tenth of the processor; otherwise the verdict is
---"undecided". A crossing is only reported if the results agree. Emulated devices are measured but not compared. With
---only one device, published figures give bounds for other devices.
---@param fn function takes the results of inputs(n), with tensors moved to the device, which is the default device meanwhile
---@param sizes table
---@param options? table `inputs`: function(n) that returns every tensor that fn uses, also in tables (two n × n matrices of random numbers); `devices`: names (all of this machine); `seconds` of a measurement (0.2); `name` of the measured work; `transfers` (true); `refine`: the number of additional sizes inside the interval (2; 0 if fn takes only the given sizes); `patience`: the seconds that a size may take on a device (60)
---@return table # a result of kind "crossover": `points` with all figures, `crossings`, `skipped` sizes, `bounds`
function lt.bench.crossover(fn, sizes, options) end

---Compares two results, row by row of the same name. A difference counts as a change if the quartile ranges do not
---touch and the medians differ by more than 5 %; otherwise it may be noise. Nothing is decided if other processes used
---more than a tenth of the processor in one of the runs, or if the quartiles are half a median apart. Results of two
---machines stand side by side without ratios and verdicts. Emulated figures are not compared with real ones. Figures
---of experiments are compared if their options are equal, apart from the time of a measurement.
---@param before table a result of time, compare, crossover, machine, a suite of these, an experiment or a report
---@param after table another
---@return table # a result of kind "diff": `rows` of {name, unit, before and after {median, q1, q3}, ratio (more than 1: faster now), verdict: "faster", "slower", "small" (below the `floor`), "noise", "undecided" with `why`: "single" (no quartiles), "busy", "spread"}; `only_before`, `only_after`: names; `mixed`: names of figures that are emulated on one side only; `other_work`: names of figures of experiments whose options differ; `differences` {{what, before, after}, …}: between the runs; `same_machine`
function lt.bench.diff(before, after) end

---What this machine can do at most, by loops that do nothing else and by what a script would call. Measured once and
---kept in the user's cache for this machine, these threads and these versions; half a minute the first time.
---@param options? table `fresh`: true measures again; `seconds` a figure (0.25; less is not kept); `devices`: names (all of this machine)
---@return table # a result of kind "machine": `devices`, each with `arithmetic` and `products` (FLOP/s by dtype), `read` and `copy` (bytes per second), `levels` (reading working sets), `call` (seconds of the smallest one), for a GPU `wait` and `transfers`
function lt.bench.machine(options) end

---Loads a saved result.
---@param path string
---@return table # with the methods of its kind
function lt.bench.load(path) end

---Splits the time of a function into parts.
---@param fn function called without arguments, many times
---@param options? table those of bench.time (its `clock` times normal runs; the parts have a clock of their own), and `limits`: a function that takes a row and its device's name, and returns the share of a limit and the limit's name; false: no shares; by default shares of the limits that `bench.machine` measured before, if any
---@return table # a result of kind "split". Figures are those of one call of fn. `parts`: seconds of `lua` (Lua, dispatch, memory, and everything else), `to_device` (transfers), `kernels`, `to_host`, `waiting` (the script's additional waiting), `measuring` (reading the clock), whose sum is `wall`, the time of a run in which each device call is waited for; on the CPU a call's time is its kernel's. `normal`: the figures of `bench.time` for normal runs of fn. `rows`: for each device, family and dtype `calls`, `seconds`, `elements`, `read`, `written`, `bytes` (both), `flops` (matrix products only, else 0), `bandwidth` (bytes/s), `rate` (FLOP/s), `share` (of the limit named in `limit`), `part`, `emulated`
function lt.bench.split(fn, options) end

---Times calls of a function. Before each reading of the clock, the call waits for the devices.
---@param fn function called without arguments; its results are only read once, for their dtype and device
---@param options? table `name` of the work (by default the place of the function's definition); `seconds` to measure (0.5) and least number of `rounds` (5). A round is a sequence of as many calls as fit into its share of the seconds; if calls take many seconds, two rounds suffice. `warmup`: the seconds before (0.1), with at least one call, and until two rounds agree; `device`: waited for, and the default device meanwhile (by default the call waits for all devices in use); `gc`: "count" (default) lets collections happen, "out" stops the collector within a round; garbage is always collected before a round; `threads`; `seed` of the default generator (0), whose state comes back afterwards; `clock`, a function that returns seconds (lt.clock)
---@return table # a result of kind "time". All times are seconds per call: `samples` (one for each round), `min`, `q1`, `median`, `q3`, `max` of them; `single`: a call with a wait; `queue_seconds`: the time that a clock without waiting shows for it; `device_seconds`: from the first to the last call on the device's queue, with gaps (not on the CPU); `first`: the very first call. Also `calls` (per round), `device`, `dtype` of the result, `threads`, `gc`, `emulated`, `others` (share of the processor that others used) and `notes`
function lt.bench.time(fn, options) end

---Reads a file of separated values, by its first bytes gunzipped: rows of numbers, fields in double quotes or not (""
---in quotes stands for one), white space around them left out, empty lines too.
---
---    local x, y, classes = data.read_csv("iris.csv", {header = true, labels = "species"})
---@param path string
---@param options? table `delimiter` (","); `header` (false): the first row names the columns; `skip` (0): lines before it; `columns`: a list of names or numbers, negative from the end (default: all but the labels); `labels`: the column of classes, any strings; `missing`: a number for empty fields, such as 0/0 (default: an error); `dtype` (default: the default float; integers are read exactly), `device`
---@return luatensor.Tensor # [rows, columns]
---@return luatensor.Tensor # y, int64 [rows], with option labels: classes from 1 on
---@return table # the classes' names, sorted: numbers by size, else strings
function lt.data.read_csv(path, options) end

---Samples that lie in tensors, along their first dim: `data.TensorDataset(x, y)`. `tensors` are these.
---@param ... luatensor.Tensor one or more, of as many rows each, on one device
---@return luatensor.Dataset # `get` gives rows of each, copied
function lt.data.TensorDataset(...) end

---Some samples of another data set.
---@param base luatensor.Dataset
---@param indices luatensor.Tensor|table of samples, 1-based, in the order wanted; repeated ones are taken repeatedly
---@return luatensor.Dataset # with fields `base` and `indices`
function lt.data.Subset(base, indices) end

---Several data sets of tensors, one after the other.
---@param list table of data sets on one device, whose batches have the same dtypes and shapes but for the first dim
---@return luatensor.Dataset #
function lt.data.ConcatDataset(list) end

---1797 handwritten digits of 8 × 8 pixels: the test part of *Optical Recognition of Handwritten Digits*, E. Alpaydin
---and C. Kaynak, 1998, UCI Machine Learning Repository, https://doi.org/10.24432/C50P49, CC BY 4.0.
---@param options? table `dtype` (of x, a float; default: the default float), `device`, `image` (true: x is [1797, 1, 8, 8], as convolutions want it)
---@return luatensor.Dataset # x [1797, 64], from 0 (paper) to 1 (ink), and y int64 [1797], digit + 1: classes are 1 … 10
function lt.data.digits(options) end

---Reads an IDX file, by its first bytes gunzipped: integers of 8 (either sign), 16 and 32 bits, floats of 32 and 64.
---@param path string
---@param options? table `dtype` (default: the file's), `device`
---@return luatensor.Tensor #
function lt.data.read_idx(path, options) end

---MNIST, or what comes in its form, from a folder with the four files (`train-images-idx3-ubyte` …, as they are or
---with `.gz`): `local train, test = data.mnist "mnist"`. Nothing is downloaded.
---@param folder string
---@param options? table `dtype` (of x, a float; default: the default float), `device`, `image` (true: x is [n, 1, 28, 28], as convolutions want it)
---@return luatensor.Dataset # to train with: x [60000, 784] from 0 to 1, y int64 [60000], digit + 1: classes are 1 … 10
---@return luatensor.Dataset # to test with: 10000
function lt.data.mnist(folder, options) end

---Gives a data set in batches: `for x, y in data.Loader(ds, {batch_size = 64, shuffle = true}):batches() do`.
---`#loader` is the number of batches.
---@param ds luatensor.Dataset
---@param options? table `batch_size` (1); `shuffle` (false): another order each time; `generator` of the orders (default: the default generator); `drop_last` (false): no last batch that is smaller; `device`: where the batches' tensors go; `map`: a function of what the data set gives for a batch, on that device, whose results are given instead
---@return luatensor.Loader #
function lt.data.Loader(ds, options) end

---Divides a data set at random: `local train, test = data.split(ds, {0.8, 0.2})`. Within each part samples keep the
---data set's order.
---@param ds luatensor.Dataset
---@param parts table fractions (floats, which add up to 1) or numbers of samples (integers, as many as there are). Of n samples a fraction f gets floor(f n); those that are left go to the first parts, one each.
---@param options? table `generator`; `stratify`: labels, a tensor [n] (true: the data set's last tensor). Then each part has, of every label, its share of the samples with that label, rounded up or down
---@return any # ... one a part
function lt.data.split(ds, parts, options) end

---Compiles CUDA C++ for a GPU. The parameters of the kernel are read from the source: pointers take contiguous tensors
---of the type to which they point, and a const pointer only reads its tensor; other parameters take numbers.
---docs/user-kernels.md lists the headers that may be included.
---@param source string the text, with a `__global__ void name(…)`
---@param name string the kernel's name in it
---@param options? table `device` (default: the default device if it is a GPU, else the accelerator); `parameters`: the list of parameters as text, if the source has types that cannot be read
---@return any # the kernel: k({grid = n or {x, y, z}, block = n or {x, y, z}, shared = bytes}, …) queues it with these arguments; {count = n} stands for the number of blocks that n threads need, of 256 threads unless `block` is given
function lt.kernel(source, name, options) end

---Writes a file: a new one in full, or none; a file that was there stays until the new one is on the disk.
---
---A tensor alone goes into NumPy's .npy format. All else goes into the .safetensors format, which Python's package of
---that name reads, too: a network (the tensors of its state_dict, by name), an optimiser, a generator, or a table of
---these, of tensors, numbers, strings, booleans and such tables:
---
---    lt.save("run.safetensors", {model = model, optimizer = optimizer, generator = lt.default_generator()})
---@param path string with the ending `.npy` or `.safetensors`, or one that no known format has
---@param value any what has functions state_dict and load_state_dict is saved as what state_dict gives
---@param options? table `metadata`: strings by name for other programs to read (.safetensors)
function lt.save(path, value, options) end

---Reads what lt.save wrote, or NumPy or safetensors in Python. What kind of file it is its first bytes tell.
---
---    local run = lt.load "run.safetensors"
---    model:load_state_dict(run.model)
---    optimizer:load_state_dict(run.optimizer)
---    lt.default_generator():set_state(run.generator)
---    local weights, metadata = lt.load("model.safetensors", {metadata = true})
---@param path string
---@param options? table `device` (default: the default device); `metadata` (false): also return what the file says of itself
---@return luatensor.Tensor # the tensor; or the table that was saved, modules and others as what their state_dict gave; of another program's .safetensors file the tensors by name
---@return table # with option metadata, of a .safetensors file: strings by name, as PyTorch's {format = "pt"}
function lt.load(path, options) end

---max(x, 0).
---@return luatensor.Module #
function lt.nn.ReLU() end

---min(max(x, 0), 6).
---@return luatensor.Module #
function lt.nn.ReLU6() end

---functional.selu.
---@return luatensor.Module #
function lt.nn.SELU() end

---x · sigmoid(x).
---@return luatensor.Module #
function lt.nn.SiLU() end

---x · tanh(softplus(x)).
---@return luatensor.Module #
function lt.nn.Mish() end

---1 / (1 + exp(-x)).
---@return luatensor.Module #
function lt.nn.Sigmoid() end

---The hyperbolic tangent.
---@return luatensor.Module #
function lt.nn.Tanh() end

---relu6(x + 3) / 6.
---@return luatensor.Module #
function lt.nn.Hardsigmoid() end

---x · hardsigmoid(x).
---@return luatensor.Module #
function lt.nn.Hardswish() end

---x / (1 + |x|).
---@return luatensor.Module #
function lt.nn.Softsign() end

---log(sigmoid(x)).
---@return luatensor.Module #
function lt.nn.LogSigmoid() end

---x, or slope · x if x < 0.
---@param options? table `negative_slope` (0.01)
---@return luatensor.Module #
function lt.nn.LeakyReLU(options) end

---x between two limits.
---@param options? table `min_val` (-1), `max_val` (1)
---@return luatensor.Module #
function lt.nn.Hardtanh(options) end

---x, or alpha (exp(x) - 1) if x < 0.
---@param options? table `alpha` (1)
---@return luatensor.Module #
function lt.nn.ELU(options) end

---x, or alpha (exp(x / alpha) - 1) if x < 0.
---@param options? table `alpha` (1)
---@return luatensor.Module #
function lt.nn.CELU(options) end

---log(1 + exp(beta x)) / beta.
---@param options? table `beta` (1), `threshold` (20)
---@return luatensor.Module #
function lt.nn.Softplus(options) end

---exp(x) / Σ exp(x) along a dim.
---@param dim? integer|table also option `dim`
---@return luatensor.Module #
function lt.nn.Softmax(dim) end

---log(softmax(x)).
---@param dim? integer|table also option `dim`
---@return luatensor.Module #
function lt.nn.LogSoftmax(dim) end

---softmax(-x).
---@param dim? integer|table also option `dim`
---@return luatensor.Module #
function lt.nn.Softmin(dim) end

---a · sigmoid(b), where a and b are the two halves of x along a dim.
---@param dim? integer|table also option `dim`
---@return luatensor.Module #
function lt.nn.GLU(dim) end

---x Φ(x), where Φ is the cumulative normal distribution.
---@param options? table `approximate` ("none", "tanh")
---@return luatensor.Module #
function lt.nn.GELU(options) end

---x if it is above a limit, else a value.
---@param limit number
---@param value number
---@return luatensor.Module #
function lt.nn.Threshold(limit, value) end

---x, or weight · x if x < 0, with learned weights. Weight [count], initialised to `init`.
---@param options? table `num_parameters` (1: one weight for all channels; else one for each channel, dim 2), `init` (0.25), `dtype`, `device`
---@return luatensor.Module #
function lt.nn.PReLU(options) end

---Attention of queries to keys and values, which are projected for every head ("Attention is all you need", Vaswani et
---al.).
---
---    local y, weights = attention(query, key, value, {attn_mask = …})
---    local y = attention(x, {need_weights = false})          -- of x to itself
---
---As in PyTorch, tensors are [times, batch, width] unless `batch_first`; without a batch they are 2-d. Options of a
---call: `key_padding_mask` [batch, keys] and `attn_mask` [queries, keys] or [batch heads, queries, keys]: bool, where
---true is a key that is NOT seen (the other way round than in scaled_dot_product_attention), or float, added to the
---scores; `is_causal` (false): query i sees keys 1 … i; `need_weights` (true), which has all scores in memory;
---`average_attn_weights` (true): over the heads. Weights are those that the values were multiplied by: in training some
---are dropped. Queries that see no key give 0 before the last projection (NaN in
---PyTorch where weights are needed). State: in_proj_weight [3 width, width], in_proj_bias, out_proj.weight,
---out_proj.bias; where keys or values have another width, q_proj_weight, k_proj_weight, v_proj_weight.
---@param embed_dim integer width of queries and results
---@param num_heads integer divides it
---@param options? table `dropout` (0), of weights; `bias` (true); `kdim`, `vdim` (embed_dim): widths of keys and values; `batch_first` (false); `dtype`, `device`, `generator`
---@return luatensor.Module #
function lt.nn.MultiheadAttention(embed_dim, num_heads, options) end

---Calls fn with mixed precision. Inside, linear and convolutional layers, recurrent cells and the products of
---attention convert their inputs to a half float and compute in it. Norms, softmax and losses compute in float32.
---Parameters stay float32, and optimisers update them; gradients flow back through the recorded conversions. Recurrent
---layers convert only the products with inputs; the products with the state stay float32. Call `loss:backward()`
---outside of fn. Functions such as lt.matmul convert nothing; float64 stays float64.
---
---    opt:zero_grad()
---    local loss = nn.autocast(function() return nn.functional.cross_entropy(model(x), y) end, {dtype = "bfloat16"})
---    loss:backward()
---    opt:step()
---
---Without a function the result is a guard, for the block whose variable holds it:
---`local _ <close> = nn.autocast{dtype = "bfloat16"}`.
---
---GPUs whose tensor cores multiply half floats gain from it (NVIDIA's since compute capability 7.0; bfloat16 since
---8.0), and activations take half the memory. Processors gain nothing: their products of half floats compute in
---float32 and convert on the way. float16 reaches 65504 only: use optim.GradScaler with it; bfloat16 has float32's
---range.
---@param fn? function
---@param options? table `dtype` ("bfloat16"), `device`: "cuda" or "cpu", tensors elsewhere stay as they are (all), `enabled` (true); false: not in here
---@param ... any fn's arguments
---@return any # what fn returns, or the guard
function lt.nn.autocast(fn, options, ...) end

---Modules in sequence: each takes the result of the one before. `model[2]` is the second, `#model` their number.
---@param ... luatensor.Module or one list of them
---@return luatensor.Module #
function lt.nn.Sequential(...) end

---Modules in a list, for a forward of your own to call: `for i, layer in ipairs(self.layers) do`.
---@param list? table of modules
---@return luatensor.Module #
function lt.nn.ModuleList(list) end

---Modules by name: `self.heads.left`, or `self.heads["left"]`.
---@param modules? table by name; in alphabetical order of the names
---@return luatensor.Module #
function lt.nn.ModuleDict(modules) end

---Parameters in a list: `self.scales[i]`.
---@param list? table of tensors of floats
---@return luatensor.Module #
function lt.nn.ParameterList(list) end

---x + f(x), where f is a sequence of modules: a residual connection (He et al.).
---@param ... luatensor.Module their result has x's shape
---@return luatensor.Module #
function lt.nn.Residual(...) end

---A function as a layer: `nn.Lambda(function(x) return x:square() end)`.
---@param fn function
---@param name? string for printing
---@return luatensor.Module #
function lt.nn.Lambda(fn, name) end

---Returns its arguments unchanged.
---@param ... any ignored
---@return luatensor.Module #
function lt.nn.Identity(...) end

---Merges the dims from `start_dim` to `end_dim` into one.
---@param options? table `start_dim` (2), `end_dim` (-1)
---@return luatensor.Module #
function lt.nn.Flatten(options) end

---Splits a dim into several.
---@param dim integer
---@param sizes table their lengths; one of them may be -1, which stands for the remaining length
---@return luatensor.Module #
function lt.nn.Unflatten(dim, sizes) end

---Slides `outputs` kernels over a signal: nn.functional.conv1d. Weight [outputs, inputs / groups, kernel_size] and
---bias [outputs] are drawn uniformly from ±1/√(inputs / groups · kernel_size).
---@param inputs integer channels of x
---@param outputs integer channels of the result
---@param kernel_size integer
---@param options? table `stride` (1), `padding` (0; a number, "same" or "valid"), `dilation` (1), `groups` (1), `bias` (true), `dtype`, `device`, `generator`
---@return luatensor.Module # takes x [batch, inputs, length] or [inputs, length]
function lt.nn.Conv1d(inputs, outputs, kernel_size, options) end

---Slides `outputs` kernels over images: nn.functional.conv2d. Lengths are numbers, or lists for height and width.
---@param inputs integer channels of x
---@param outputs integer channels of the result
---@param kernel_size any a number or a list
---@param options? table those of nn.Conv1d
---@return luatensor.Module # takes x [batch, inputs, height, width] or [inputs, height, width]
function lt.nn.Conv2d(inputs, outputs, kernel_size, options) end

---Transposed convolution of signals, which restores the lengths from before a Conv1d: nn.functional.conv_transpose1d.
---Weight [inputs, outputs / groups, kernel_size].
---@param inputs integer channels of x
---@param outputs integer channels of the result
---@param kernel_size integer
---@param options? table `stride` (1), `padding` (0), `output_padding` (0, less than the stride), `dilation` (1), `groups` (1), `bias` (true), `dtype`, `device`, `generator`
---@return luatensor.Module # takes x [batch, inputs, length] or [inputs, length]
function lt.nn.ConvTranspose1d(inputs, outputs, kernel_size, options) end

---Transposed convolution of images: nn.functional.conv_transpose2d.
---@param inputs integer channels of x
---@param outputs integer channels of the result
---@param kernel_size any a number or a list
---@param options? table those of nn.ConvTranspose1d
---@return luatensor.Module # takes x [batch, inputs, height, width] or [inputs, height, width]
function lt.nn.ConvTranspose2d(inputs, outputs, kernel_size, options) end

---In training, each element becomes 0 with probability p; the other elements are divided by 1 - p.
---@param p? number
---@param options? table `p`, `generator`
---@return luatensor.Module #
function lt.nn.Dropout(p, options) end

---Dropout of whole channels of [rows, channels, length].
---@param p? number
---@param options? table `p`, `generator`
---@return luatensor.Module #
function lt.nn.Dropout1d(p, options) end

---Dropout of whole channels of [rows, channels, height, width].
---@param p? number
---@param options? table `p`, `generator`
---@return luatensor.Module #
function lt.nn.Dropout2d(p, options) end

---Dropout of whole channels of [rows, channels, depth, height, width].
---@param p? number
---@param options? table `p`, `generator`
---@return luatensor.Module #
function lt.nn.Dropout3d(p, options) end

---Dropout for selu, which preserves mean and variance.
---@param p? number
---@param options? table `p`, `generator`
---@return luatensor.Module #
function lt.nn.AlphaDropout(p, options) end

---A row of `width` numbers for each of `count` words. Weight [count, width], drawn from the normal distribution.
---@param count integer
---@param width integer
---@param options? table `padding_idx`: a row of zeros that gets no gradient; `dtype`, `device`, `generator`
---@return luatensor.Module # takes integers from 1 of any shape, gives [..., width]
function lt.nn.Embedding(count, width, options) end

---An Embedding with these rows.
---@param weight luatensor.Tensor [count, width]
---@param options? table `freeze` (true): the weight is not trained; `padding_idx`
---@return luatensor.Module #
function lt.nn.Embedding.from_pretrained(weight, options) end

---max(x, 0).
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.nn.functional.relu(x) end

---x · sigmoid(x).
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.nn.functional.silu(x) end

---1 / (1 + exp(-x)).
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.nn.functional.sigmoid(x) end

---The hyperbolic tangent.
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.nn.functional.tanh(x) end

---x, or slope · x if x < 0.
---@param x luatensor.Tensor
---@param options? table `negative_slope` (0.01)
---@return luatensor.Tensor #
function lt.nn.functional.leaky_relu(x, options) end

---x between two limits.
---@param x luatensor.Tensor
---@param options? table `min_val` (-1), `max_val` (1), at least `min_val`
---@return luatensor.Tensor #
function lt.nn.functional.hardtanh(x, options) end

---min(max(x, 0), 6).
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.nn.functional.relu6(x) end

---x, or alpha (exp(x) - 1) if x < 0.
---@param x luatensor.Tensor
---@param options? table `alpha` (1)
---@return luatensor.Tensor #
function lt.nn.functional.elu(x, options) end

---x, or alpha (exp(x / alpha) - 1) if x < 0.
---@param x luatensor.Tensor
---@param options? table `alpha` (1)
---@return luatensor.Tensor #
function lt.nn.functional.celu(x, options) end

---scale · x, or scale · alpha (exp(x) - 1) if x < 0, with the constants of self-normalising networks (Klambauer et
---al.).
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.nn.functional.selu(x) end

---x Φ(x), where Φ is the cumulative normal distribution: x (1 + erf(x / √2)) / 2.
---@param x luatensor.Tensor
---@param options? table `approximate` ("none"): "tanh" approximates the erf by tanh(√(2/π) (x + 0.044715 x³))
---@return luatensor.Tensor #
function lt.nn.functional.gelu(x, options) end

---x · tanh(softplus(x)).
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.nn.functional.mish(x) end

---relu6(x + 3) / 6: a piecewise linear sigmoid.
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.nn.functional.hardsigmoid(x) end

---x · hardsigmoid(x).
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.nn.functional.hardswish(x) end

---log(1 + exp(beta x)) / beta; x itself if beta x is above a threshold.
---@param x luatensor.Tensor
---@param options? table `beta` (1), `threshold` (20)
---@return luatensor.Tensor #
function lt.nn.functional.softplus(x, options) end

---x / (1 + |x|).
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.nn.functional.softsign(x) end

---log(sigmoid(x)), exact even if the sigmoid is nearly 0.
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.nn.functional.logsigmoid(x) end

---x if it is above a threshold or NaN, else a value.
---@param x luatensor.Tensor
---@param limit number
---@param value number
---@return luatensor.Tensor #
function lt.nn.functional.threshold(x, limit, value) end

---x, or weight · x if x < 0; the weight is learned.
---@param x luatensor.Tensor [rows, channels, …]
---@param weight luatensor.Tensor with one element, or with one for each channel (dim 2)
---@return luatensor.Tensor #
function lt.nn.functional.prelu(x, weight) end

---exp(x) / Σ exp(x) along a dim, without overflow.
---@param x luatensor.Tensor
---@param dim? integer
---@param options? table `dim`, `dtype` (x's) of the computation and the result
---@return luatensor.Tensor #
function lt.nn.functional.softmax(x, dim, options) end

---log(softmax(x)), exact even if softmax is nearly 0 or 1.
---@param x luatensor.Tensor
---@param dim? integer
---@param options? table `dim`, `dtype` (x's) of the result
---@return luatensor.Tensor #
function lt.nn.functional.log_softmax(x, dim, options) end

---softmax(-x).
---@param x luatensor.Tensor
---@param dim? integer
---@param options? table `dim`, `dtype` (x's) of the result
---@return luatensor.Tensor #
function lt.nn.functional.softmin(x, dim, options) end

---a · sigmoid(b), where a and b are the two halves of x along a dim.
---@param x luatensor.Tensor of an even length in that dim
---@param dim? integer also option `dim`
---@return luatensor.Tensor # half as long
function lt.nn.functional.glu(x, dim) end

---softmax(scale q kᵀ + mask) v, by rows ("Attention is all you need", Vaswani et al., eq. 1). Rows that see no key are
---0. On the CPU, in float32 and float64 and without dropout, the scores are never all in memory at once (as in
---"FlashAttention", Dao et al.).
---@param q luatensor.Tensor [..., queries, width]
---@param k luatensor.Tensor [..., keys, width]
---@param v luatensor.Tensor [..., keys, values]
---@param options? table `attn_mask`: broadcasts to [..., queries, keys]; bool: true where a key is seen; float: is added to the scores; `is_causal` (false): query i sees keys 1 … i; `dropout_p` (0): of the weights, applied even in evaluation; `scale` (1 / √width); `generator`
---@return luatensor.Tensor # [..., queries, values]
function lt.nn.functional.scaled_dot_product_attention(q, k, v, options) end

---Convolution of signals: y[b, o, p] = bias[o] + Σ x[b, c, p · stride + k · dilation - padding] · weight[o, c, k] over
---the channels c of o's group and the places k of the kernel (a cross-correlation, as in PyTorch).
---@param x luatensor.Tensor [batch, channels, length] or [channels, length]
---@param weight luatensor.Tensor [outputs, channels / groups, kernel]
---@param bias? luatensor.Tensor [outputs]
---@param options? table `stride` (1), `padding` (0; a number, "same" or "valid"), `dilation` (1), `groups` (1)
---@return luatensor.Tensor # [batch, outputs, ⌊(length + 2 padding - dilation (kernel - 1) - 1) / stride⌋ + 1]
function lt.nn.functional.conv1d(x, weight, bias, options) end

---Convolution of images: conv1d with two dims. Options are numbers or lists for height and width.
---@param x luatensor.Tensor [batch, channels, height, width] or [channels, height, width]
---@param weight luatensor.Tensor [outputs, channels / groups, kernel height, kernel width]
---@param bias? luatensor.Tensor [outputs]
---@param options? table `stride` (1), `padding` (0; numbers, "same" or "valid"), `dilation` (1), `groups` (1)
---@return luatensor.Tensor # [batch, outputs, height, width], shorter as in conv1d
function lt.nn.functional.conv2d(x, weight, bias, options) end

---Transposed convolution of signals, the gradient of conv1d: each element of x adds a multiple of a kernel to y.
---@param x luatensor.Tensor [batch, channels, length] or [channels, length]
---@param weight luatensor.Tensor [channels, outputs / groups, kernel]
---@param bias? luatensor.Tensor [outputs]
---@param options? table `stride` (1), `padding` (0), `output_padding` (0), `dilation` (1), `groups` (1)
---@return luatensor.Tensor # [batch, outputs, (length - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1]
function lt.nn.functional.conv_transpose1d(x, weight, bias, options) end

---Transposed convolution of images: conv_transpose1d with two dims.
---@param x luatensor.Tensor [batch, channels, height, width] or [channels, height, width]
---@param weight luatensor.Tensor [channels, outputs / groups, kernel height, kernel width]
---@param bias? luatensor.Tensor [outputs]
---@param options? table `stride` (1), `padding` (0), `output_padding` (0), `dilation` (1), `groups` (1)
---@return luatensor.Tensor # [batch, outputs, height, width], longer as in conv_transpose1d
function lt.nn.functional.conv_transpose2d(x, weight, bias, options) end

--- -weight[class] · x[class], where x are log-probabilities. The mean is the sum divided by the sum of the weights.
---@param x luatensor.Tensor [N, C], [N, C, …] or [C]
---@param classes luatensor.Tensor integers 1 … C of shape [N], [N, …] or []
---@param options? table `weight`: [C]; `ignore_index` (-100): rows of this class are ignored; `reduction` ("mean"): "mean", "sum", "none"
---@return luatensor.Tensor #
function lt.nn.functional.nll_loss(x, classes, options) end

--- -log softmax(x)[class], from logits x, without overflow.
---@param x luatensor.Tensor [N, C], [N, C, …] or [C]
---@param target luatensor.Tensor classes: integers 1 … C of shape [N], [N, …] or []; or their probabilities, of x's shape
---@param options? table `weight`: of each class, [C]; the mean is then the sum divided by the sum of the weights; `ignore_index` (-100): rows of this class are ignored; `label_smoothing` (0): the share of the target that is spread over all classes (Szegedy et al.); `reduction` ("mean"): "mean", "sum", "none"
---@return luatensor.Tensor # 0-d, or with "none" the losses in the shape of classes
function lt.nn.functional.cross_entropy(x, target, options) end

---Each element becomes 0 with probability p; the other elements are divided by 1 - p (Srivastava et al.).
---@param x luatensor.Tensor
---@param options? table `p` (0.5), `training` (true; else x itself is returned), `generator`
---@return luatensor.Tensor #
function lt.nn.functional.dropout(x, options) end

---Dropout that preserves the mean and the variance of selu's results: dropped elements become -1.758…, then all are
---scaled and shifted (Klambauer et al.).
---@param x luatensor.Tensor
---@param options? table `p` (0.5), `training` (true), `generator`
---@return luatensor.Tensor #
function lt.nn.functional.alpha_dropout(x, options) end

---Dropout of whole channels of signals (Tompson et al.).
---@param x luatensor.Tensor [rows, channels, length] or [channels, length]
---@param options? table `p` (0.5), `training` (true), `generator`
---@return luatensor.Tensor #
function lt.nn.functional.dropout1d(x, options) end

---Dropout of whole channels of images.
---@param x luatensor.Tensor [rows, channels, height, width] or without rows
---@param options? table `p` (0.5), `training` (true), `generator`
---@return luatensor.Tensor #
function lt.nn.functional.dropout2d(x, options) end

---Dropout of whole channels of volumes.
---@param x luatensor.Tensor [rows, channels, depth, height, width] or without rows
---@param options? table `p` (0.5), `training` (true), `generator`
---@return luatensor.Tensor #
function lt.nn.functional.dropout3d(x, options) end

---weight[indices]: rows of a weight. The gradient of a row is the sum over its uses.
---@param indices luatensor.Tensor of integers from 1, of any shape
---@param weight luatensor.Tensor [count, width]
---@param options? table `padding_idx`: this row gets no gradient
---@return luatensor.Tensor # [..., width]
function lt.nn.functional.embedding(indices, weight, options) end

---Converts each class to a row of zeros with a 1 at the number of the class.
---@param classes luatensor.Tensor of integers from 1, of any shape
---@param count? integer the number of classes; unless given, the largest class, for which the call waits
---@return luatensor.Tensor # int64 [..., count]
function lt.nn.functional.one_hot(classes, count) end

---x Wᵀ + b, in one op.
---@param x luatensor.Tensor [..., inputs]
---@param weight luatensor.Tensor [outputs, inputs]
---@param bias? luatensor.Tensor [outputs]; nil or false: none
---@return luatensor.Tensor # [..., outputs]
function lt.nn.functional.linear(x, weight, bias) end

---The square of the difference: (x - y)².
---@param x luatensor.Tensor
---@param y luatensor.Tensor of the same shape
---@param options? table `reduction` ("mean"): "mean", "sum", "none"
---@return luatensor.Tensor # 0-d; with "none" of x's shape
function lt.nn.functional.mse_loss(x, y, options) end

---The difference: |x - y|.
---@param x luatensor.Tensor
---@param y luatensor.Tensor of the same shape
---@param options? table `reduction` ("mean")
---@return luatensor.Tensor #
function lt.nn.functional.l1_loss(x, y, options) end

---(x - y)² / (2 beta) if |x - y| < beta, else |x - y| - beta / 2.
---@param x luatensor.Tensor
---@param y luatensor.Tensor of the same shape
---@param options? table `beta` (1), `reduction` ("mean")
---@return luatensor.Tensor #
function lt.nn.functional.smooth_l1_loss(x, y, options) end

---(x - y)² / 2 if |x - y| ≤ delta, else delta (|x - y| - delta / 2).
---@param x luatensor.Tensor
---@param y luatensor.Tensor of the same shape
---@param options? table `delta` (1), `reduction` ("mean")
---@return luatensor.Tensor #
function lt.nn.functional.huber_loss(x, y, options) end

--- -(y log x + (1 - y) log(1 - x)), with logarithms limited to at least -100.
---@param x luatensor.Tensor probabilities
---@param y luatensor.Tensor 0 … 1, of the same shape
---@param options? table `weight`: of each element, a tensor that broadcasts; `reduction` ("mean")
---@return luatensor.Tensor #
function lt.nn.functional.binary_cross_entropy(x, y, options) end

---binary_cross_entropy of sigmoid(x), exact for all x and without overflow.
---@param x luatensor.Tensor
---@param y luatensor.Tensor 0 … 1, of the same shape
---@param options? table `weight` of each element and `pos_weight`, a factor of y: tensors that broadcast; `reduction` ("mean")
---@return luatensor.Tensor #
function lt.nn.functional.binary_cross_entropy_with_logits(x, y, options) end

---Kullback–Leibler divergence: y (log y - x), where x is a log-probability.
---@param x luatensor.Tensor log-probabilities
---@param y luatensor.Tensor probabilities, of the same shape
---@param options? table `log_target` (false): y are log-probabilities, too; `reduction` ("mean"; "batchmean", the sum divided by the length of dim 1, is the divergence itself)
---@return luatensor.Tensor #
function lt.nn.functional.kl_div(x, y, options) end

---(x - mean) / √(variance + eps) · weight + bias over the last dims (Ba, Kiros, Hinton, "Layer normalization", 2016).
---The variance divides by the number of elements.
---@param x luatensor.Tensor [..., shape]
---@param shape any the lengths of the last dims: a list, or a number for the last dim
---@param options? table `weight`, `bias` of that shape; `eps` (1e-5)
---@return luatensor.Tensor # of x's shape
function lt.nn.functional.layer_norm(x, shape, options) end

---x / √(mean of x² + eps) · weight over the last dims (Zhang, Sennrich, "Root mean square layer normalization", 2019).
---@param x luatensor.Tensor [..., shape]
---@param shape any the lengths of the last dims: a list, or a number for the last dim
---@param options? table `weight` of that shape; `eps` (that of x's dtype)
---@return luatensor.Tensor # of x's shape
function lt.nn.functional.rms_norm(x, shape, options) end

---Layer normalisation of groups of channels of each row (Wu, He, "Group normalization", 2018).
---@param x luatensor.Tensor [N, C, …]
---@param groups integer the number of groups, a divisor of C
---@param options? table `weight`, `bias` [C]; `eps` (1e-5)
---@return luatensor.Tensor # of x's shape
function lt.nn.functional.group_norm(x, groups, options) end

---Normalisation of each channel of each row (Ulyanov, Vedaldi, Lempitsky, "Instance normalization", 2016).
---@param x luatensor.Tensor [N, C, …]
---@param options? table `weight`, `bias` [C]; `eps` (1e-5)
---@return luatensor.Tensor # of x's shape
function lt.nn.functional.instance_norm(x, options) end

---Normalisation of each channel (Ioffe, Szegedy, "Batch normalization", 2015): in training by mean and variance of
---this batch, else by running_mean and running_var. Training also updates the running statistics, if given: running =
---running + momentum · (batch - running), where the variance of the batch is divided by n - 1.
---@param x luatensor.Tensor [N, C, …]
---@param running_mean any [C]; changed in training
---@param running_var any [C]; changed in training
---@param options? table `weight`, `bias` [C]; `training` (false); `momentum` (0.1); `eps` (1e-5)
---@return luatensor.Tensor # of x's shape
function lt.nn.functional.batch_norm(x, running_mean, running_var, options) end

---x / max(p-norm of x along a dim, eps).
---@param x luatensor.Tensor
---@param options? table `p` (2), `dim` (2), `eps` (1e-12)
---@return luatensor.Tensor # of x's shape
function lt.nn.functional.normalize(x, options) end

---x / (k + alpha · mean of x² over `size` neighbouring channels)^beta (Krizhevsky, Sutskever, Hinton, "ImageNet
---classification with deep convolutional neural networks", 2012).
---@param x luatensor.Tensor [N, C, …]
---@param size integer number of channels
---@param options? table `alpha` (1e-4), `beta` (0.75), `k` (1)
---@return luatensor.Tensor # of x's shape
function lt.nn.functional.local_response_norm(x, size, options) end

---The maximum of each window.
---@param x luatensor.Tensor [batch, channels, length] or [channels, length]
---@param kernel_size any the window's length
---@param options? table `stride` (kernel_size), `padding` (0; at most half of the kernel; padding is never the maximum), `dilation` (1), `ceil_mode` (false; true: windows may extend beyond the padding), `return_indices` (false)
---@return luatensor.Tensor # [batch, channels, ⌊(length + 2 padding - dilation (kernel_size - 1) - 1) / stride⌋ + 1]
---@return any # with return_indices: the positions of the maxima, int64, counted from 1
function lt.nn.functional.max_pool1d(x, kernel_size, options) end

---The maximum of each window of images. Options are numbers or lists for height and width; indices count row by row in
---each image.
---@param x luatensor.Tensor [batch, channels, height, width] or [channels, height, width]
---@param kernel_size any a number or a list
---@param options? table those of nn.functional.max_pool1d
---@return luatensor.Tensor # [batch, channels, height, width], shorter as in max_pool1d
---@return any # with return_indices: the positions of the maxima, int64
function lt.nn.functional.max_pool2d(x, kernel_size, options) end

---The mean of each window.
---@param x luatensor.Tensor [batch, channels, length] or [channels, length]
---@param kernel_size any the window's length
---@param options? table `stride` (kernel_size), `padding` (0), `ceil_mode` (false), `count_include_pad` (true: the padding's zeros count), `divisor_override`: a divisor of sums in place of the window's size
---@return luatensor.Tensor # [batch, channels, length], shorter as in max_pool1d
function lt.nn.functional.avg_pool1d(x, kernel_size, options) end

---The mean of each window of images.
---@param x luatensor.Tensor [batch, channels, height, width] or [channels, height, width]
---@param kernel_size any a number or a list
---@param options? table those of nn.functional.avg_pool1d
---@return luatensor.Tensor # [batch, channels, height, width]
function lt.nn.functional.avg_pool2d(x, kernel_size, options) end

---Means of output_size windows. Window p, counted from 0, has x's elements ⌊p · length / output_size⌋ + 1 to ⌈(p + 1)
---· length / output_size⌉.
---@param x luatensor.Tensor [batch, channels, length] or [channels, length]
---@param output_size integer
---@return luatensor.Tensor # [batch, channels, output_size]
function lt.nn.functional.adaptive_avg_pool1d(x, output_size) end

---Means of output_size windows of images.
---@param x luatensor.Tensor [batch, channels, height, width] or [channels, height, width]
---@param output_size any a number, or a list for height and width; false in the list: as long as x
---@return luatensor.Tensor # [batch, channels, height, width]
function lt.nn.functional.adaptive_avg_pool2d(x, output_size) end

---Maxima of output_size windows.
---@param x luatensor.Tensor [batch, channels, length] or [channels, length]
---@param output_size integer
---@param options? table `return_indices` (false)
---@return luatensor.Tensor # [batch, channels, output_size]
---@return any # with return_indices: the positions of the maxima, int64
function lt.nn.functional.adaptive_max_pool1d(x, output_size, options) end

---Maxima of output_size windows of images.
---@param x luatensor.Tensor [batch, channels, height, width] or [channels, height, width]
---@param output_size any a number, or a list for height and width; false in the list: as long as x
---@param options? table `return_indices` (false)
---@return luatensor.Tensor # [batch, channels, height, width]
---@return any # with return_indices: the positions of the maxima, int64
function lt.nn.functional.adaptive_max_pool2d(x, output_size, options) end

---Draws from the uniform distribution from a to b.
---@param x luatensor.Tensor
---@param a? number
---@param b? number
---@param options? table `generator`
---@return luatensor.Tensor # x
function lt.nn.init.uniform_(x, a, b, options) end

---Draws from the normal distribution.
---@param x luatensor.Tensor
---@param mean? number
---@param std? number
---@param options? table `generator`
---@return luatensor.Tensor # x
function lt.nn.init.normal_(x, mean, std, options) end

---Sets all elements to one number.
---@param x luatensor.Tensor
---@param value number
---@return luatensor.Tensor # x
function lt.nn.init.constant_(x, value) end

---Sets all elements to 0.
---@param x luatensor.Tensor
---@return luatensor.Tensor # x
function lt.nn.init.zeros_(x) end

---Sets all elements to 1.
---@param x luatensor.Tensor
---@return luatensor.Tensor # x
function lt.nn.init.ones_(x) end

---Makes x the identity matrix.
---@param x luatensor.Tensor of 2 dims
---@return luatensor.Tensor # x
function lt.nn.init.eye_(x) end

---Makes x the kernels of a convolution that copies input channels to output channels, as many as both have.
---@param x luatensor.Tensor [outputs, inputs, …] of 3 to 5 dims
---@param options? table `groups` (1)
---@return luatensor.Tensor # x
function lt.nn.init.dirac_(x, options) end

---The gain of an activation: the factor that compensates for the activation's shrinking of its input.
---@param nonlinearity string "linear", "sigmoid", "tanh", "relu", "leaky_relu", "selu", "conv1d" …
---@param slope? number of leaky_relu
---@return number #
function lt.nn.init.calculate_gain(nonlinearity, slope) end

---Draws uniformly from ±√3 gain / √fan, which preserves variances through layers of rectifiers (He et al.).
---@param x luatensor.Tensor of at least 2 dims
---@param options? table `a` (0): the slope of leaky_relu; `mode` ("fan_in", "fan_out"), `nonlinearity` ("leaky_relu"), `generator`
---@return luatensor.Tensor # x
function lt.nn.init.kaiming_uniform_(x, options) end

---Draws from the normal distribution with the standard deviation gain / √fan (He et al.).
---@param x luatensor.Tensor of at least 2 dims
---@param options? table `a`, `mode`, `nonlinearity`, `generator`
---@return luatensor.Tensor # x
function lt.nn.init.kaiming_normal_(x, options) end

---Draws uniformly from ±gain √(6 / (fan_in + fan_out)) (Glorot and Bengio).
---@param x luatensor.Tensor of at least 2 dims
---@param options? table `gain` (1), `generator`
---@return luatensor.Tensor # x
function lt.nn.init.xavier_uniform_(x, options) end

---Draws from the normal distribution with the standard deviation gain √(2 / (fan_in + fan_out)) (Glorot and Bengio).
---@param x luatensor.Tensor of at least 2 dims
---@param options? table `gain` (1), `generator`
---@return luatensor.Tensor # x
function lt.nn.init.xavier_normal_(x, options) end

---Draws from the normal distribution, truncated to two limits.
---@param x luatensor.Tensor
---@param mean? number
---@param std? number
---@param options? table the limits `a` (-2), `b` (2); `generator`
---@return luatensor.Tensor # x
function lt.nn.init.trunc_normal_(x, mean, std, options) end

---Makes x a matrix whose rows, or columns if there are fewer columns, are orthogonal and of length gain (Saxe et al.).
---@param x luatensor.Tensor of at least 2 dims; the dims from the second on count as one
---@param options? table `gain` (1), `generator`
---@return luatensor.Tensor # x
function lt.nn.init.orthogonal_(x, options) end

---Draws from the normal distribution, then sets a share of each column to 0 (Martens).
---@param x luatensor.Tensor of 2 dims
---@param sparsity number 0 … 1
---@param options? table `std` (0.01), `generator`
---@return luatensor.Tensor # x
function lt.nn.init.sparse_(x, sparsity, options) end

---y = x Wᵀ + b. Weight [outputs, inputs] and bias [outputs] are drawn uniformly from ±1/√inputs.
---@param inputs integer length of x's last dim
---@param outputs integer length of y's last dim
---@param options? table `bias` (true), `dtype`, `device`, `generator`
---@return luatensor.Module # takes x [..., inputs], gives [..., outputs]
function lt.nn.Linear(inputs, outputs, options) end

---(x - y)².
---@param options? table `reduction` ("mean"): "mean", "sum", "none"
---@return luatensor.Module # takes the input and the target
function lt.nn.MSELoss(options) end

---|x - y|.
---@param options? table `reduction`
---@return luatensor.Module #
function lt.nn.L1Loss(options) end

---A square near 0, else linear: nn.functional.smooth_l1_loss.
---@param options? table `beta` (1), `reduction`
---@return luatensor.Module #
function lt.nn.SmoothL1Loss(options) end

---A square near 0, else linear with slope delta: nn.functional.huber_loss.
---@param options? table `delta` (1), `reduction`
---@return luatensor.Module #
function lt.nn.HuberLoss(options) end

---Binary cross entropy of probabilities.
---@param options? table `weight`, `reduction`
---@return luatensor.Module #
function lt.nn.BCELoss(options) end

---Binary cross entropy of logits.
---@param options? table `weight`, `pos_weight`, `reduction`
---@return luatensor.Module #
function lt.nn.BCEWithLogitsLoss(options) end

---The Kullback–Leibler divergence of log-probabilities.
---@param options? table `log_target` (false), `reduction`
---@return luatensor.Module #
function lt.nn.KLDivLoss(options) end

---Negative log-likelihood: minus the log-probability of the target class.
---@param options? table `weight`, `ignore_index` (-100), `reduction`
---@return luatensor.Module #
function lt.nn.NLLLoss(options) end

---Cross entropy of logits and a target, which is a class counted from 1, or the probabilities of all classes.
---@param options? table `weight`, `ignore_index` (-100), `label_smoothing` (0), `reduction`
---@return luatensor.Module #
function lt.nn.CrossEntropyLoss(options) end

---The base class of all layers. To make a class of your own, write a constructor and a forward:
---
---    local Residual = nn.Module:extend "Residual"
---
---    function Residual:init(width)
---      self.first = nn.Linear(width, width)
---    end
---
---    function Residual:forward(x) return x + self.first(x):relu() end
---
---    local layer = Residual(64)
---    local y = layer(x)
---
---A module that is assigned to a field becomes a child; a tensor that requires gradients becomes a parameter. Other
---tensors become part of the state by `register_buffer`.
---@return luatensor.Module # without anything in it
function lt.nn.Module() end

---A parameter: a leaf tensor that requires gradients, with the numbers of x.
---@param x luatensor.Tensor of floats
---@return luatensor.Tensor # shares x's memory
function lt.nn.Parameter(x) end

---True if value is a module.
---@param value any
---@return boolean #
function lt.nn.is_module(value) end

---Layer normalisation over the last dims: `functional.layer_norm`. Weight and bias have that shape and are initially 1
---and 0.
---@param normalized_shape any the lengths of the last dims: a list, or a number for the last dim
---@param options? table `eps` (1e-5), `elementwise_affine` (true): the layer has weight and bias; `bias` (true); `dtype`, `device`
---@return luatensor.Module # takes x [..., shape], returns the same shape
function lt.nn.LayerNorm(normalized_shape, options) end

---RMS normalisation over the last dims: `functional.rms_norm`. The weight is initially 1.
---@param normalized_shape any the lengths of the last dims: a list, or a number for the last dim
---@param options? table `eps` (that of the input's dtype), `elementwise_affine` (true); `dtype`, `device`
---@return luatensor.Module # takes x [..., shape], returns the same shape
function lt.nn.RMSNorm(normalized_shape, options) end

---Layer normalisation of groups of channels: `functional.group_norm`. Weight and bias, [channels], are initially 1 and
---0.
---@param num_groups integer
---@param num_channels integer a multiple of num_groups
---@param options? table `eps` (1e-5), `affine` (true); `dtype`, `device`
---@return luatensor.Module # takes x [N, channels, …], returns the same shape
function lt.nn.GroupNorm(num_groups, num_channels, options) end

---Batch normalisation of [N, channels] or [N, channels, length]: `functional.batch_norm`. Weight and bias are
---initially 1 and 0. In evaluation the layer uses its buffers running_mean (initially 0), running_var (initially 1)
---and num_batches_tracked.
---@param num_features integer channels
---@param options? table `eps` (1e-5); `momentum` (0.1; false: running statistics are means over all batches; the number of batches is read each time, which waits for a GPU); `affine` (true); `track_running_stats` (true; false: always uses the batch's own statistics); `dtype`, `device`
---@return luatensor.Module #
function lt.nn.BatchNorm1d(num_features, options) end

---Batch normalisation of [N, channels, height, width].
---@param num_features integer channels
---@param options? table those of nn.BatchNorm1d
---@return luatensor.Module #
function lt.nn.BatchNorm2d(num_features, options) end

---Batch normalisation of [N, channels, depth, height, width].
---@param num_features integer channels
---@param options? table those of nn.BatchNorm1d
---@return luatensor.Module #
function lt.nn.BatchNorm3d(num_features, options) end

---Normalisation of each channel of each row of [N, channels, length]: `functional.instance_norm`.
---@param num_features integer channels
---@param options? table `eps` (1e-5), `affine` (false); `dtype`, `device`
---@return luatensor.Module #
function lt.nn.InstanceNorm1d(num_features, options) end

---Normalisation of each channel of each row of [N, channels, height, width].
---@param num_features integer channels
---@param options? table those of nn.InstanceNorm1d
---@return luatensor.Module #
function lt.nn.InstanceNorm2d(num_features, options) end

---Normalisation of each channel of each row of [N, channels, depth, height, width].
---@param num_features integer channels
---@param options? table those of nn.InstanceNorm1d
---@return luatensor.Module #
function lt.nn.InstanceNorm3d(num_features, options) end

---functional.local_response_norm as a layer.
---@param size integer number of channels
---@param options? table `alpha` (1e-4), `beta` (0.75), `k` (1)
---@return luatensor.Module # takes x [N, channels, …], returns the same shape
function lt.nn.LocalResponseNorm(size, options) end

---The maximum of each window of a signal: nn.functional.max_pool1d.
---@param kernel_size integer
---@param options? table `stride` (kernel_size), `padding` (0), `dilation` (1), `ceil_mode` (false), `return_indices` (false)
---@return luatensor.Module # takes x [batch, channels, length] or [channels, length]
function lt.nn.MaxPool1d(kernel_size, options) end

---The maximum of each window of an image: nn.functional.max_pool2d. Lengths are numbers, or lists for height and
---width.
---@param kernel_size any a number or a list
---@param options? table those of nn.MaxPool1d
---@return luatensor.Module # takes x [batch, channels, height, width] or [channels, height, width]
function lt.nn.MaxPool2d(kernel_size, options) end

---The mean of each window of a signal: nn.functional.avg_pool1d.
---@param kernel_size integer
---@param options? table `stride` (kernel_size), `padding` (0), `ceil_mode` (false), `count_include_pad` (true), `divisor_override`
---@return luatensor.Module # takes x [batch, channels, length] or [channels, length]
function lt.nn.AvgPool1d(kernel_size, options) end

---The mean of each window of an image: nn.functional.avg_pool2d.
---@param kernel_size any a number or a list
---@param options? table those of nn.AvgPool1d
---@return luatensor.Module # takes x [batch, channels, height, width] or [channels, height, width]
function lt.nn.AvgPool2d(kernel_size, options) end

---Means of `output_size` windows, whatever x's length: nn.functional.adaptive_avg_pool1d.
---@param output_size integer
---@return luatensor.Module # takes x [batch, channels, length] or [channels, length]
function lt.nn.AdaptiveAvgPool1d(output_size) end

---Means of `output_size` windows of images: nn.functional.adaptive_avg_pool2d.
---@param output_size any a number, or a list for height and width; false in the list: as long as x
---@return luatensor.Module # takes x [batch, channels, height, width] or [channels, height, width]
function lt.nn.AdaptiveAvgPool2d(output_size) end

---Maxima of `output_size` windows, whatever x's length: nn.functional.adaptive_max_pool1d.
---@param output_size integer
---@param options? table `return_indices` (false)
---@return luatensor.Module # takes x [batch, channels, length] or [channels, length]
function lt.nn.AdaptiveMaxPool1d(output_size, options) end

---Maxima of `output_size` windows of images: nn.functional.adaptive_max_pool2d.
---@param output_size any a number, or a list for height and width; false in the list: as long as x
---@param options? table `return_indices` (false)
---@return luatensor.Module # takes x [batch, channels, height, width] or [channels, height, width]
function lt.nn.AdaptiveMaxPool2d(output_size, options) end

---Renames the state of a PyTorch network: layers in a Sequential and layers of recurrent networks count from
---1. `model:load_state_dict(nn.rename_pytorch(lt.load "model.safetensors"))`.
---@param state table tensors by PyTorch's names
---@return table # the same tensors by luatensor's names
function lt.nn.rename_pytorch(state) end

---h = tanh(W x + b + U h + d), step by step. State names count layers from 1: weight_ih_l1, weight_hh_l1, bias_ih_l1,
---bias_hh_l1, …; the parameters of the other direction end in "_reverse".
---
---    local y, h = rnn(x, h0)
---
---x [times, batch, inputs], y [times, batch, hidden]; h0 and h [layers, batch, hidden]: the state before (zeros
---unless given) and after. Where `bidirectional`, y has both directions' outputs side by side, and h a row each.
---Without a batch x is 2-d, and so are the others. Under nn.autocast the products with inputs compute in half floats,
---those with the state, and the gates, in float32.
---@param inputs integer length of x's last dim
---@param hidden integer
---@param options? table `num_layers` (1); `nonlinearity` ("tanh"; "relu"); `bias` (true); `batch_first` (false): x and y are [batch, times, …]; `dropout` (0): on what layers but the last give, in training; `bidirectional` (false); `fused` (true): all steps are one op; false: step by step, which gradients of gradients need; `dtype`, `device`, `generator`
---@return luatensor.Module #
function lt.nn.RNN(inputs, hidden, options) end

---Long short-term memory. Weights and biases stack the gates i, f, g, o: c = σ(f) c + σ(i) tanh(g), h = σ(o) tanh(c).
---
---    local y, h, c = lstm(x, h0, c0)
---
---Shapes, options and names of the state are as in nn.RNN; c has the shape of h.
---@param inputs integer length of x's last dim
---@param hidden integer
---@param options? table those of nn.RNN but `nonlinearity`; `proj_size` (0): h is projected to that length, by weight_hr_l1 …
---@return luatensor.Module #
function lt.nn.LSTM(inputs, hidden, options) end

---Gated recurrent unit. Weights and biases stack the gates r, z, n: n = tanh(W x + b + r (U h + d)), h = (1 - z) n + z
---h.
---
---    local y, h = gru(x, h0)
---
---Shapes, options and names of the state are as in nn.RNN.
---@param inputs integer length of x's last dim
---@param hidden integer
---@param options? table those of nn.RNN but `nonlinearity`
---@return luatensor.Module #
function lt.nn.GRU(inputs, hidden, options) end

---One step of nn.RNN: `h = cell(x, h)`, x [batch, inputs], h [batch, hidden]; for a single row both lack the batch
---dim. State: weight_ih, weight_hh, bias_ih, bias_hh.
---@param inputs integer
---@param hidden integer
---@param options? table `bias` (true), `nonlinearity` ("tanh"), `fused`, `dtype`, `device`, `generator`
---@return luatensor.Module #
function lt.nn.RNNCell(inputs, hidden, options) end

---One step of nn.LSTM: `h, c = cell(x, h, c)`.
---@param inputs integer
---@param hidden integer
---@param options? table `bias` (true), `fused`, `dtype`, `device`, `generator`
---@return luatensor.Module #
function lt.nn.LSTMCell(inputs, hidden, options) end

---One step of nn.GRU: `h = cell(x, h)`.
---@param inputs integer
---@param hidden integer
---@param options? table `bias` (true), `fused`, `dtype`, `device`, `generator`
---@return luatensor.Module #
function lt.nn.GRUCell(inputs, hidden, options) end

---A layer of an encoder: self-attention, then two linear layers. Each of the two parts is added to its input and
---normalised. `y = layer(x, {src_mask =, src_key_padding_mask =, is_causal =})`; the options are those of
---nn.MultiheadAttention's attn_mask, key_padding_mask and is_causal. State: self_attn, linear1, linear2, norm1, norm2.
---@param d_model integer width
---@param nhead integer heads of attention
---@param options? table `dim_feedforward` (2048), `dropout` (0.1), `activation` ("relu"; "gelu"; a function), `layer_norm_eps` (1e-5), `batch_first` (false: x is [times, batch, width]), `norm_first` (false), `bias` (true), `dtype`, `device`, `generator`
---@return luatensor.Module #
function lt.nn.TransformerEncoderLayer(d_model, nhead, options) end

---A layer of a decoder: self-attention, then attention to the encoder's results, then two linear layers. `y = layer(x,
---memory, {tgt_mask =, memory_mask =, tgt_key_padding_mask =, memory_key_padding_mask =, tgt_is_causal =,
---memory_is_causal =})`. State: self_attn, multihead_attn, linear1, linear2, norm1 to norm3.
---@param d_model integer width
---@param nhead integer heads of attention
---@param options? table those of nn.TransformerEncoderLayer
---@return luatensor.Module #
function lt.nn.TransformerDecoderLayer(d_model, nhead, options) end

---A sequence of copies of an encoder layer: `y = encoder(x, {mask =, src_key_padding_mask =, is_causal =})`. All
---copies start with the same parameters, as in PyTorch. State: layers.1.self_attn.in_proj_weight …
---@param encoder_layer luatensor.Module
---@param num_layers integer
---@param options? table `norm`: a module for the last result
---@return luatensor.Module #
function lt.nn.TransformerEncoder(encoder_layer, num_layers, options) end

---A sequence of copies of a decoder layer: `y = decoder(x, memory, options of the layer)`.
---@param decoder_layer luatensor.Module
---@param num_layers integer
---@param options? table `norm`: a module for the last result
---@return luatensor.Module #
function lt.nn.TransformerDecoder(decoder_layer, num_layers, options) end

---Multiplies all gradients by min(max_norm / (norm + 1e-6), 1), where norm is the norm of all gradients as one vector.
---Does not wait for a GPU, except with error_if_nonfinite.
---@param params any a list of tensors, such as model:parameters(), or one tensor
---@param max_norm number
---@param options? table `norm_type` (2), math.huge: the largest magnitude; `error_if_nonfinite` (false)
---@return luatensor.Tensor # the norm before clipping, 0-d
function lt.nn.utils.clip_grad_norm_(params, max_norm, options) end

---Limits each element of all gradients to -clip_value … clip_value.
---@param params any a list of tensors, such as model:parameters(), or one tensor
---@param clip_value number
function lt.nn.utils.clip_grad_value_(params, clip_value) end

---Steps by running means of the gradient and of its square. With the gradient g, to which weight_decay · p is added,
---at step t
---
---    m ← β₁ · m + (1 − β₁) · g
---    v ← β₂ · v + (1 − β₂) · g²
---    p ← p − lr / (1 − β₁ᵗ) · m / (√v / √(1 − β₂ᵗ) + eps)
---
---where amsgrad takes the greatest v so far instead of v. Kingma, Ba: Adam: A Method for Stochastic Optimization
---(2015); Reddi, Kale, Kumar: On the Convergence of Adam and Beyond (2018).
---@param params any a list of tensors, or of groups
---@param options? table `lr` (0.001), `betas` ({0.9, 0.999}), `eps` (1e-8), `weight_decay` (0), `amsgrad` (false), `maximize` (false): ascends instead of descending
---@return luatensor.Optimizer #
function lt.optim.Adam(params, options) end

---Adam with decoupled weight decay: first p ← p · (1 − lr · weight_decay), then Adam's step. Loshchilov, Hutter:
---Decoupled Weight Decay Regularization (2019).
---@param params any a list of tensors, or of groups
---@param options? table those of optim.Adam; `weight_decay` is 0.01 by default
---@return luatensor.Optimizer #
function lt.optim.AdamW(params, options) end

---Adam with the largest gradient instead of the mean of squares. With the gradient g, to which weight_decay · p is
---added, at step t
---
---    m ← β₁ · m + (1 − β₁) · g
---    u ← max(β₂ · u, |g| + eps)
---    p ← p − lr / (1 − β₁ᵗ) · m / u
---
---Kingma, Ba: Adam: A Method for Stochastic Optimization (2015), section 7.1.
---@param params any a list of tensors, or of groups
---@param options? table `lr` (0.002), `betas` ({0.9, 0.999}), `eps` (1e-8), `weight_decay` (0), `maximize` (false)
---@return luatensor.Optimizer #
function lt.optim.Adamax(params, options) end

---Adam with Nesterov's momentum. With Adam's m and v, at step t, d = √(v / (1 − β₂ᵗ)) + eps and
---μₜ = β₁ · (1 − 0.96^(t · momentum_decay) / 2)
---
---    p ← p − lr · (1 − μₜ) / (1 − μ₁ … μₜ) · g / d − lr · μₜ₊₁ / (1 − μ₁ … μₜ₊₁) · m / d
---
---Dozat: Incorporating Nesterov Momentum into Adam (2016).
---@param params any a list of tensors, or of groups
---@param options? table `lr` (0.002), `betas` ({0.9, 0.999}), `eps` (1e-8), `weight_decay` (0), `momentum_decay` (0.004), `decoupled_weight_decay` (false): as in AdamW, `maximize` (false)
---@return luatensor.Optimizer #
function lt.optim.NAdam(params, options) end

---Adam that ignores the second moment until the estimate of that moment is good enough. With Adam's m and v, at step
---t, ρ = 2 / (1 − β₂) − 1 and ρₜ = ρ − 2 t β₂ᵗ / (1 − β₂ᵗ)
---
---    p ← p − lr · m / (1 − β₁ᵗ) · r · √(1 − β₂ᵗ) / (√v + eps)    ρₜ > 5, r² = (ρₜ−4)(ρₜ−2)ρ / ((ρ−4)(ρ−2)ρₜ)
---    p ← p − lr · m / (1 − β₁ᵗ)                                   else
---
---Liu and others: On the Variance of the Adaptive Learning Rate and Beyond (2020).
---@param params any a list of tensors, or of groups
---@param options? table `lr` (0.001), `betas` ({0.9, 0.999}), `eps` (1e-8), `weight_decay` (0), `decoupled_weight_decay` (false): as in AdamW, `maximize` (false)
---@return luatensor.Optimizer #
function lt.optim.RAdam(params, options) end

---Steps divided by the root of a running mean of squares. With the gradient g, to which weight_decay · p is added,
---
---    v ← alpha · v + (1 − alpha) · g²
---    s = √v + eps;  centered: a ← alpha · a + (1 − alpha) · g,  s = √(v − a²) + eps
---    p ← p − lr · g / s;  with momentum: b ← momentum · b + g / s,  p ← p − lr · b
---
---Hinton: Neural Networks for Machine Learning, lecture 6 (2012); centered: Graves: Generating Sequences With Recurrent
---Neural Networks (2013).
---@param params any a list of tensors, or of groups
---@param options? table `lr` (0.01), `alpha` (0.99), `eps` (1e-8), `weight_decay` (0), `momentum` (0), `centered` (false), `maximize` (false)
---@return luatensor.Optimizer #
function lt.optim.RMSprop(params, options) end

---Steps divided by the root of the sum of all squares. With the gradient g, to which weight_decay · p is added, at
---step t
---
---    s ← s + g²
---    p ← p − lr / (1 + (t − 1) · lr_decay) · g / (√s + eps)
---
---Duchi, Hazan, Singer: Adaptive Subgradient Methods for Online Learning and Stochastic Optimization (2011).
---@param params any a list of tensors, or of groups
---@param options? table `lr` (0.01), `lr_decay` (0), `weight_decay` (0), `initial_accumulator_value` (0), `eps` (1e-10), `maximize` (false)
---@return luatensor.Optimizer #
function lt.optim.Adagrad(params, options) end

---Steps as large as the earlier changes of the parameter. With the gradient g, to which weight_decay · p is added,
---
---    v ← rho · v + (1 − rho) · g²
---    d = √(u + eps) / √(v + eps) · g
---    u ← rho · u + (1 − rho) · d²
---    p ← p − lr · d
---
---Zeiler: ADADELTA: An Adaptive Learning Rate Method (2012).
---@param params any a list of tensors, or of groups
---@param options? table `lr` (1), `rho` (0.9), `eps` (1e-6), `weight_decay` (0), `maximize` (false)
---@return luatensor.Optimizer #
function lt.optim.Adadelta(params, options) end

---Makes a scaler.
---@param options? table `init_scale` (65536); `backoff_factor` (0.5): the factor of the scale after a skipped step; `growth_factor` (2): the factor after `growth_interval` (2000) steps without a skipped one; `enabled` (true)
---@return luatensor.GradScaler #
function lt.optim.GradScaler(options) end

---Steps along −H g, where H approximates the inverse of the second derivatives by the last changes of parameters and
---gradients. A step calls the closure several times, and waits for the device before each decision. All parameters
---form one long vector on the first parameter's device. For small problems without noise.
---
---    opt:step(function()
---      opt:zero_grad()
---      local loss = model(x):sub(y):square():mean()
---      loss:backward()
---      return loss
---    end)
---
---Liu, Nocedal: On the Limited Memory BFGS Method for Large Scale Optimization (1989), like PyTorch's LBFGS.
---@param params any a list of tensors; one group only
---@param options? table `lr` (1), `max_iter` (20): iterations per step, `max_eval` (max_iter · 5/4): calls of the closure per step, `tolerance_grad` (1e-7), `tolerance_change` (1e-9), `history_size` (100), `line_search_fn`: "strong_wolfe", or nil for steps of length lr, `maximize` (false)
---@return luatensor.Optimizer #
function lt.optim.LBFGS(params, options) end

---True if value is an optimiser.
---@param value any
---@return boolean #
function lt.optim.is_optimizer(value) end

---eta_min + (base − eta_min) · (1 + cos(π t / T_max)) / 2. Loshchilov, Hutter: SGDR: Stochastic Gradient Descent with
---Warm Restarts (2017), without the restarts.
---@param optimizer luatensor.Optimizer
---@param T_max integer steps from base to eta_min
---@param options? table `eta_min` (0)
---@return luatensor.Scheduler #
function lt.optim.scheduler.CosineAnnealingLR(optimizer, T_max, options) end

---Half a cosine from base to eta_min over T_0 steps, then from base again over T_mult times as many steps, and so on.
---Loshchilov, Hutter: SGDR: Stochastic Gradient Descent with Warm Restarts (2017).
---@param optimizer luatensor.Optimizer
---@param T_0 integer
---@param options? table `T_mult` (1), `eta_min` (0)
---@return luatensor.Scheduler #
function lt.optim.scheduler.CosineAnnealingWarmRestarts(optimizer, T_0, options) end

---One cycle: from max_lr / div_factor up to max_lr in the first pct_start of all steps, then down to max_lr /
---div_factor / final_div_factor; with three_phase first back to the initial rate, as fast as it went up. The momentum
---goes from max_momentum to base_momentum and back. Smith, Topin: Super-Convergence (2018).
---@param optimizer luatensor.Optimizer
---@param max_lr any a number, or a list, one for each group
---@param options table `total_steps`, or `epochs` and `steps_per_epoch`; `pct_start` (0.3), `anneal_strategy` ("cos" or "linear"), `cycle_momentum` (true), `base_momentum` (0.85), `max_momentum` (0.95), `div_factor` (25), `final_div_factor` (1e4), `three_phase` (false)
---@return luatensor.Scheduler #
function lt.optim.scheduler.OneCycleLR(optimizer, max_lr, options) end

---Repeats cycles: up from base_lr to max_lr in step_size_up steps, then down in step_size_down steps. The height is
---constant ("triangular"), halved in each cycle ("triangular2"), or multiplied by gammaᵗ ("exp_range"). The momentum
---goes from max_momentum to base_momentum and back. Smith: Cyclical Learning Rates for Training Neural Networks
---(2017).
---@param optimizer luatensor.Optimizer
---@param base_lr any a number, or a list, one for each group
---@param max_lr any a number, or a list, one for each group
---@param options? table `step_size_up` (2000), `step_size_down` (step_size_up), `mode` ("triangular"), `gamma` (1), `cycle_momentum` (true), `base_momentum` (0.8), `max_momentum` (0.9)
---@return luatensor.Scheduler #
function lt.optim.scheduler.CyclicLR(optimizer, base_lr, max_lr, options) end

---base · gamma^⌊t / step_size⌋
---@param optimizer luatensor.Optimizer
---@param step_size integer
---@param options? table `gamma` (0.1)
---@return luatensor.Scheduler #
function lt.optim.scheduler.StepLR(optimizer, step_size, options) end

---base · gamma^(the number of milestones that t has reached)
---@param optimizer luatensor.Optimizer
---@param milestones table a list of numbers of steps
---@param options? table `gamma` (0.1)
---@return luatensor.Scheduler #
function lt.optim.scheduler.MultiStepLR(optimizer, milestones, options) end

---base · gammaᵗ
---@param optimizer luatensor.Optimizer
---@param gamma number
---@return luatensor.Scheduler #
function lt.optim.scheduler.ExponentialLR(optimizer, gamma) end

---base · factor for the first total_iters steps, then base.
---@param optimizer luatensor.Optimizer
---@param options? table `factor` (1/3), `total_iters` (5)
---@return luatensor.Scheduler #
function lt.optim.scheduler.ConstantLR(optimizer, options) end

---From base · start_factor to base · end_factor in total_iters equal steps: warm-up.
---@param optimizer luatensor.Optimizer
---@param options? table `start_factor` (1/3), `end_factor` (1), `total_iters` (5)
---@return luatensor.Scheduler #
function lt.optim.scheduler.LinearLR(optimizer, options) end

---base · (1 − min(t, total_iters) / total_iters)^power
---@param optimizer luatensor.Optimizer
---@param options? table `total_iters` (5), `power` (1)
---@return luatensor.Scheduler #
function lt.optim.scheduler.PolynomialLR(optimizer, options) end

---base · fn(t)
---@param optimizer luatensor.Optimizer
---@param fn any a function of the number of steps, from 0 on, or a list of functions, one for each group. The function is not part of the state
---@return luatensor.Scheduler #
function lt.optim.scheduler.LambdaLR(optimizer, fn) end

---Multiplies the rates by factor if a metric has not improved for more than patience steps: `schedule:step(loss)`. An
---improvement is a metric below best · (1 − threshold), or with mode "max" above best · (1 + threshold). With
---threshold_mode "abs" the limits are best − threshold and best + threshold.
---@param optimizer luatensor.Optimizer
---@param options? table `mode` ("min"), `factor` (0.1), `patience` (10), `threshold` (1e-4), `threshold_mode` ("rel"), `cooldown` (0): steps after a change that do not count, `min_lr` (0), `eps` (1e-8): smaller changes are not made
---@return luatensor.Scheduler #
function lt.optim.scheduler.ReduceLROnPlateau(optimizer, options) end

---Runs the first scheduler up to the first milestone, then the second one from its step 0, and so on. An example is
---LinearLR to warm up, followed by CosineAnnealingLR.
---@param optimizer luatensor.Optimizer
---@param schedulers table a list, all of this optimiser
---@param milestones table the steps at which the next scheduler begins: one fewer than schedulers
---@return luatensor.Scheduler #
function lt.optim.scheduler.SequentialLR(optimizer, schedulers, milestones) end

---Gradient descent. With the gradient g, to which weight_decay · p is added, each step is
---
---    p ← p − lr · g                                    without momentum
---    b ← momentum · b + (1 − dampening) · g            b is g at the first step
---    p ← p − lr · b;  with nesterov  p ← p − lr · (g + momentum · b)
---
---Sutskever, Martens, Dahl, Hinton: On the importance of initialization and momentum in deep learning (2013), in the
---form of PyTorch's SGD.
---@param params any a list of tensors, or of groups
---@param options? table `lr` (0.001), `momentum` (0), `dampening` (0), `weight_decay` (0), `nesterov` (false), `maximize` (false): ascends instead of descending
---@return luatensor.Optimizer #
function lt.optim.SGD(params, options) end

---absolute value; the least integer wraps to itself.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.abs(x, options) end

---arc cosine, in [0, pi].
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.acos(x, options) end

---inverse hyperbolic cosine; NaN below 1.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.acosh(x, options) end

---x + y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.add(x, y, options) end

---is every element not 0? true of no elements.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function lt.all(x, dim, options) end

---angle of the complex number x in radians: atan2(imag, real); of a real one 0 or pi.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.angle(x, options) end

---is any element not 0? false of no elements.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function lt.any(x, dim, options) end

---1-based position of the first largest element, or of the first NaN.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function lt.argmax(x, dim, options) end

---1-based position of the first smallest element, or of the first NaN.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function lt.argmin(x, dim, options) end

---arc sine, in [-pi/2, pi/2].
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.asin(x, options) end

---inverse hyperbolic sine.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.asinh(x, options) end

---arc tangent, in [-pi/2, pi/2].
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.atan(x, options) end

---angle of the point (y, x) in radians: atan(x / y) in the right quadrant.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.atan2(x, y, options) end

---inverse hyperbolic tangent; NaN outside [-1, 1].
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.atanh(x, options) end

---bits set in both.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.bitwise_and(x, y, options) end

---every bit inverted; on bool, not.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.bitwise_invert(x, options) end

---x << y; 0 from the width on; a negative y shifts right.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.bitwise_left_shift(x, y, options) end

---bits set in either.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.bitwise_or(x, y, options) end

---x >> y, filled with the sign; a negative y shifts left.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.bitwise_right_shift(x, y, options) end

---bits set in one of them.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.bitwise_xor(x, y, options) end

---least integral value >= x.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.ceil(x, options) end

---complex conjugate; real numbers stay as they are.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.conj(x, options) end

---magnitude of x with the sign of y.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.copysign(x, y, options) end

---cosine of x radians.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.cos(x, options) end

---hyperbolic cosine.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.cosh(x, options) end

---how many elements are not 0.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function lt.count_nonzero(x, dim, options) end

---x / y, in floating point.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.divide(x, y, options) end

---x == y.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.equal(x, y, options) end

---error function 2/sqrt(pi) * integral of exp(-t^2) from 0 to x.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.erf(x, options) end

---1 - erf(x), exact for large x.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.erfc(x, options) end

---e^x.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.exp(x, options) end

---e^x - 1, exact near 0.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.expm1(x, options) end

---greatest integral value <= x.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.floor(x, options) end

---floor(x / y), toward minus infinity; integers by 0 give 0.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.floor_divide(x, y, options) end

---x * (1 + erf(x / sqrt(2))) / 2.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.gelu(x, options) end

---x > y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.greater(x, y, options) end

---x >= y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.greater_equal(x, y, options) end

---sqrt(x^2 + y^2) without overflow on the way.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.hypot(x, y, options) end

---is x neither infinite nor NaN?.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.isfinite(x, options) end

---is x infinite?.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.isinf(x, options) end

---is x NaN?.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.isnan(x, options) end

---x + weight * (y - x).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param z luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.lerp(x, y, z, options) end

---x < y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.less(x, y, options) end

---x <= y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.less_equal(x, y, options) end

---natural logarithm.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.log(x, options) end

---logarithm to base 10.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.log10(x, options) end

---log(1 + x), exact near 0.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.log1p(x, options) end

---logarithm to base 2.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.log2(x, options) end

---log(exp(x) + exp(y)) without overflow on the way.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.logaddexp(x, y, options) end

---x and y; everything but 0 is true.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.logical_and(x, y, options) end

---not x; everything but 0 is true.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.logical_not(x, options) end

---x or y; everything but 0 is true.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.logical_or(x, y, options) end

---one of x and y, not both; everything but 0 is true.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.logical_xor(x, y, options) end

---log of the sum of exponentials, without overflow on the way.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function lt.logsumexp(x, dim, options) end

---largest element; NaN if there is one.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function lt.max(x, dim, options) end

---the larger; NaN if either is NaN.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.maximum(x, y, options) end

---arithmetic mean; NaN of no elements.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`, `dtype` (of the result, in which it is added up)
---@return luatensor.Tensor #
function lt.mean(x, dim, options) end

---smallest element; NaN if there is one.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`
---@return luatensor.Tensor #
function lt.min(x, dim, options) end

---the smaller; NaN if either is NaN.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.minimum(x, y, options) end

---x * y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.multiply(x, y, options) end

----x; integers wrap.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.negative(x, options) end

---the next value of the dtype after x toward y.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.nextafter(x, y, options) end

---x ~= y.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.not_equal(x, y, options) end

---x itself.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.positive(x, options) end

---x to the power y; integers wrap, a negative integer exponent gives 0 unless x is 1 or -1.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.pow(x, y, options) end

---product; bool and integers multiply in int64 or uint64.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`, `dtype` (of the result, in which it is multiplied)
---@return luatensor.Tensor #
function lt.prod(x, dim, options) end

---1 / x.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.reciprocal(x, options) end

---max(x, 0).
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.relu(x, options) end

---x - y * floor(x / y), with the sign of y; integers by 0 give 0.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.remainder(x, y, options) end

---nearest integral value, halves to even.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.round(x, options) end

---1 / sqrt(x).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.rsqrt(x, options) end

---1 / (1 + exp(-x)).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.sigmoid(x, options) end

----1, 0 or 1, x / abs(x) of complex numbers; NaN stays NaN.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.sign(x, options) end

---is the sign bit set? (true for -0).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.signbit(x, options) end

---x * sigmoid(x).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.silu(x, options) end

---sine of x radians.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.sin(x, options) end

---hyperbolic sine.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.sinh(x, options) end

---log(1 + exp(x)).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.softplus(x, options) end

---square root; NaN below 0.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.sqrt(x, options) end

---x * x.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.square(x, options) end

---standard deviation: the root of var.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`, `correction` (0): what is divided by is the number of elements less this; 1 as in PyTorch
---@return luatensor.Tensor #
function lt.std(x, dim, options) end

---x - y.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.subtract(x, y, options) end

---sum; bool and integers add up in int64 or uint64.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`, `dtype` (of the result, in which it is added up)
---@return luatensor.Tensor #
function lt.sum(x, dim, options) end

---tangent of x radians.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.tan(x, options) end

---hyperbolic tangent.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.tanh(x, options) end

---x without its fraction.
---For uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param options? table `out`
---@return luatensor.Tensor #
function lt.trunc(x, options) end

---variance, divided by n - correction (0 unless given).
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64.
---@param x luatensor.Tensor
---@param dim? integer|integer[] all dims unless given
---@param options? table `dim`, `keepdim`, `out`, `correction` (0): what is divided by is the number of elements less this; 1 as in PyTorch
---@return luatensor.Tensor #
function lt.var(x, dim, options) end

---y where x is true, else z.
---For bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128.
---@param x luatensor.Tensor
---@param y luatensor.Tensor|number
---@param z luatensor.Tensor|number
---@param options? table `out`
---@return luatensor.Tensor #
function lt.where(x, y, z, options) end

---The same as x:to("bool").
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function lt.bool(x) end

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
