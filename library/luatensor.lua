---@meta luatensor
-- Made by `make annotations` from the sources' comments and the op table. Do not edit.

---@class luatensor.Tensor
---@field T luatensor.Tensor transpose of a 2-d tensor, a view
---@field device string "cpu" …
---@field dtype string "float32" …
---@field grad luatensor.Tensor? gradient
---@field mT luatensor.Tensor the last two dims swapped, a view
---@field ndim integer number of dims
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

---Stretches dims of length 1, and adds dims in front.
---@param ... any sizes, or one table of them
---@return luatensor.Tensor # a view, which cannot be written to where it is stretched
function Tensor:broadcast_to(...) end

---Address of the first element as an integer, for FFI; on the tensor's device.
---@return any # integer
function Tensor:data_ptr() end

---The diagonals of the matrices in two dims, as the last dim.
---@param options? table `offset` (0; above the main diagonal when positive), `dim1` (-2), `dim2` (-1)
---@return luatensor.Tensor # a view
function Tensor:diagonal(options) end

---A tensor in the shape of x whose elements are whatever was in memory.
---@param options? any {dtype = x.dtype, device = x.device}
---@return luatensor.Tensor # a new tensor
function Tensor:empty_like(options) end

---New dims of length 1.
---@param dim integer|table where the new dims stand in the result
---@return luatensor.Tensor # a view
function Tensor:expand_dims(dim) end

---Dims first … last as one. A 0-d tensor becomes 1-d.
---@param first? integer
---@param last? integer
---@return luatensor.Tensor # a view where the layout allows
function Tensor:flatten(first, last) end

---Reversed along dims.
---@param dim? integer|table without it, all
---@return luatensor.Tensor # a view
function Tensor:flip(dim) end

---Ends this tensor at once; its memory goes with the last tensor that shares it. Freeing twice is harmless.
function Tensor:free() end

---One value in the shape of x.
---@param value any number or boolean that fits the dtype
---@param options? any {dtype = x.dtype, device = x.device}
---@return luatensor.Tensor # a new tensor
function Tensor:full_like(value, options) end

---The value of a tensor of one element, as a Lua number or boolean. Waits for the device.
---uint64 gives the Lua integer with the same 64 bits.
---@return any # number or boolean
function Tensor:item() end

---Moves dims; the others keep their order.
---@param source integer|table
---@param destination integer|table
---@return luatensor.Tensor # a view
function Tensor:moveaxis(source, destination) end

---`length` elements of a dim from `start` on.
---@param dim integer
---@param start integer negative: from the end
---@param length integer
---@return luatensor.Tensor # a view
function Tensor:narrow(dim, start, length) end

---Ones in the shape of x.
---@param options? any {dtype = x.dtype, device = x.device}
---@return luatensor.Tensor # a new tensor
function Tensor:ones_like(options) end

---Dims in another order.
---@param ... any every dim once, or one table of them: dim d of the result is dim order[d] of x
---@return luatensor.Tensor # a view
function Tensor:permute_dims(...) end

---The same elements, row-major, in another shape: a view where the layout allows, else a copy.
---@param ... any sizes, or one table of them; one may be -1: whatever is left
---, then options: `copy`: true always copies, false never (an error where a copy is needed)
---@return luatensor.Tensor #
function Tensor:reshape(...) end

---For the generic for: `for i, row in x:rows() do`. `pairs(x)` is the same.
function Tensor:rows() end

---Without dims of length 1.
---@param dim? integer|table those to drop; without it, all of length 1
---@return luatensor.Tensor # a view
function Tensor:squeeze(dim) end

---Exchanges two dims.
---@param a integer
---@param b integer
---@return luatensor.Tensor # a view
function Tensor:swapaxes(a, b) end

---The elements as a string: row-major, native byte order; `string.unpack` reads it.
---@return any # string of x.size elements
function Tensor:to_bytes() end

---All elements as nested tables; of a 0-d tensor, the number or boolean itself. Waits for the device.
---@return any # table, number or boolean
function Tensor:totable() end

---One dim as several.
---@param dim integer
---@param sizes table one may be -1
---@return luatensor.Tensor # a view
function Tensor:unflatten(dim, sizes) end

---Zeros in the shape of x.
---@param options? any {dtype = x.dtype, device = x.device}
---@return luatensor.Tensor # a new tensor
function Tensor:zeros_like(options) end

---@class luatensor
local lt = {}

---A tensor from data: `lt.tensor{{1, 2}, {3, 4}}`.
---Integers make int64, floats (or a mix of both) float32, booleans bool.
---@param data any nested tables, a number, a boolean, or a tensor (which is copied)
---@param options? any {dtype =, device =}; data that does not fit the dtype is an error
---@return luatensor.Tensor # a new tensor
function lt.tensor(data, options) end

---The data as a tensor, without a copy where it already is one of that dtype and device.
---@param data any nested tables, a number, a boolean, or a tensor
---@param options? any {dtype =, device =, copy =}; copy true always copies, false is an error where a copy is needed
---@return luatensor.Tensor # a tensor
function lt.asarray(data, options) end

---The value of a tensor of one element, as a Lua number or boolean. Waits for the device.
---uint64 gives the Lua integer with the same 64 bits.
---@param x luatensor.Tensor
---@return any # number or boolean
function lt.item(x) end

---All elements as nested tables; of a 0-d tensor, the number or boolean itself. Waits for the device.
---@param x luatensor.Tensor
---@return any # table, number or boolean
function lt.totable(x) end

---The elements as a string: row-major, native byte order; `string.unpack` reads it.
---@param x luatensor.Tensor
---@return any # string of x.size elements
function lt.to_bytes(x) end

---A tensor from the bytes of its elements, row-major, native byte order.
---@param s string
---@param shape any table of sizes, or one size
---@param options? any {dtype = "float32", device = "cpu"}
---@return luatensor.Tensor # a new tensor
function lt.from_bytes(s, shape, options) end

---Address of the first element as an integer, for FFI; on the tensor's device.
---@param x luatensor.Tensor
---@return any # integer
function lt.data_ptr(x) end

---Zeros.
---@param ... any sizes, or one table of sizes; none: a 0-d tensor
---, then options: {dtype = "float32", device = "cpu"}
---@return luatensor.Tensor # a new tensor of that shape
function lt.zeros(...) end

---Ones.
---@param ... any sizes, or one table of sizes
---, then options: {dtype = "float32", device = "cpu"}
---@return luatensor.Tensor # a new tensor of that shape
function lt.ones(...) end

---A tensor whose elements are whatever was in memory.
---@param ... any sizes, or one table of sizes
---, then options: {dtype = "float32", device = "cpu"}
---@return luatensor.Tensor # a new tensor of that shape
function lt.empty(...) end

---Zeros in the shape of x.
---@param x luatensor.Tensor
---@param options? any {dtype = x.dtype, device = x.device}
---@return luatensor.Tensor # a new tensor
function lt.zeros_like(x, options) end

---Ones in the shape of x.
---@param x luatensor.Tensor
---@param options? any {dtype = x.dtype, device = x.device}
---@return luatensor.Tensor # a new tensor
function lt.ones_like(x, options) end

---A tensor in the shape of x whose elements are whatever was in memory.
---@param x luatensor.Tensor
---@param options? any {dtype = x.dtype, device = x.device}
---@return luatensor.Tensor # a new tensor
function lt.empty_like(x, options) end

---One value everywhere: `lt.full({2, 3}, 7)`.
---@param shape any table of sizes, or one size
---@param value any number or boolean; an integer makes int64, a float the default float, a boolean bool
---@param options? any {dtype =, device =}; a value that does not fit the dtype is an error
---@return luatensor.Tensor # a new tensor of that shape
function lt.full(shape, value, options) end

---One value in the shape of x.
---@param x luatensor.Tensor
---@param value any number or boolean that fits the dtype
---@param options? any {dtype = x.dtype, device = x.device}
---@return luatensor.Tensor # a new tensor
function lt.full_like(x, value, options) end

---Values from start up to, but not including, stop: `lt.arange(5)` is 0, 1, 2, 3, 4.
---@param start? number
---@param stop number
---@param step? number not 0; negative counts down
---@param options? any {dtype =, device =}; integers make int64, floats the default float
---@return luatensor.Tensor # a new 1-d tensor
function lt.arange(start, stop, step, options) end

---Values from first to last, both included, like Lua's `for`: `lt.range(1, 5)` is 1, 2, 3, 4, 5.
---@param first number
---@param last number
---@param step? number not 0; negative counts down
---@param options? any {dtype =, device =}; integers make int64, floats the default float
---@return luatensor.Tensor # a new 1-d tensor
function lt.range(first, last, step, options) end

---n values from start to stop, evenly spaced.
---@param start number
---@param stop number
---@param n integer how many
---@param options? any {endpoint = true, dtype = "float32", device = "cpu"}; endpoint false leaves stop out
---@return luatensor.Tensor # a new 1-d tensor of a floating dtype
function lt.linspace(start, stop, n, options) end

---What a device can do at most, measured now by loops that do nothing else, on all threads in use.
---Takes about a second. Not for a CPU that is busy with something else.
---@param device? string
---@param dtype? string whose arithmetic is measured
---@return table # `flops`: additions and multiplications per second; `read` and `copy`: bytes per second, a copy counts what it reads and what it writes
function lt.limits(device, dtype) end

---Memory of tensors on a device, in bytes: live (in use), peak (the most so far), cached (freed, kept
---for reuse).
---@param device? string
---@return table # {live = …, peak = …, cached = …}
function lt.memory(device) end

---Starts a new measurement of the peak: it becomes what is live now.
---@param device? string
function lt.reset_peak_memory(device) end

---Gives memory that was freed and kept for reuse back to the system.
---@param device? string
function lt.empty_cache(device) end

---Ends this tensor at once; its memory goes with the last tensor that shares it. Freeing twice is harmless.
---@param x luatensor.Tensor
function lt.free(x) end

---Is v a tensor?
---@param v any anything
---@return boolean #
function lt.is_tensor(v) end

---The same elements, row-major, in another shape: a view where the layout allows, else a copy.
---@param x luatensor.Tensor
---@param ... any sizes, or one table of them; one may be -1: whatever is left
---, then options: `copy`: true always copies, false never (an error where a copy is needed)
---@return luatensor.Tensor #
function lt.reshape(x, ...) end

---Dims first … last as one. A 0-d tensor becomes 1-d.
---@param x luatensor.Tensor
---@param first? integer
---@param last? integer
---@return luatensor.Tensor # a view where the layout allows
function lt.flatten(x, first, last) end

---One dim as several.
---@param x luatensor.Tensor
---@param dim integer
---@param sizes table one may be -1
---@return luatensor.Tensor # a view
function lt.unflatten(x, dim, sizes) end

---Stretches dims of length 1, and adds dims in front.
---@param x luatensor.Tensor
---@param ... any sizes, or one table of them
---@return luatensor.Tensor # a view, which cannot be written to where it is stretched
function lt.broadcast_to(x, ...) end

---New dims of length 1.
---@param x luatensor.Tensor
---@param dim integer|table where the new dims stand in the result
---@return luatensor.Tensor # a view
function lt.expand_dims(x, dim) end

---Without dims of length 1.
---@param x luatensor.Tensor
---@param dim? integer|table those to drop; without it, all of length 1
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

---Reversed along dims.
---@param x luatensor.Tensor
---@param dim? integer|table without it, all
---@return luatensor.Tensor # a view
function lt.flip(x, dim) end

---The diagonals of the matrices in two dims, as the last dim.
---@param x luatensor.Tensor
---@param options? table `offset` (0; above the main diagonal when positive), `dim1` (-2), `dim2` (-1)
---@return luatensor.Tensor # a view
function lt.diagonal(x, options) end

---For the generic for: `for i, row in x:rows() do`. `pairs(x)` is the same.
---@param x luatensor.Tensor
function lt.rows(x) end

---The shape that shapes broadcast to.
---@param ... table shapes
---@return table #
function lt.broadcast_shapes(...) end

---Argument i must be a tensor.
function lt.tensor() end

---How tensors print. Options not named stay as they are.
---@param new table {precision = 4, threshold = 1000, edgeitems = 3, linewidth = 80, sci = "auto"}
function lt.set_printoptions(new) end

---@type lightuserdata
lt.ellipsis = nil

---@type lightuserdata
lt.newaxis = nil

return lt
