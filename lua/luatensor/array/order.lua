--- Statistics that sort or count: median, quantile, histogram, bincount.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local ends_of = require "luatensor.array.ends"
local lt = require "luatensor.base.public"
local ranges = require "luatensor.base.ranges"

local methods = core.methods

local fail = args.fail

local median_options = {dim = true, keepdim = true}
local quantile_options = {dim = true, keepdim = true, method = true}
local histogram_options = {range = true, weights = true, density = true}
local bincount_options = {weights = true, minlength = true}

local function add(name, f) lt[name], methods[name] = f, f end

--- Raises an error if x is no tensor or has a complex dtype.
local function check_ordered(fn, x)
  local dtype = args.tensor(fn, 1, x).dtype
  if not core.floats[dtype] and lt.isdtype(dtype, "complex floating") then
    fail(fn, "not for %s: complex numbers have no order", dtype)
  end
end

local function is_float(x) return core.floats[x.dtype] ~= nil end

--- Returns the set of dims (dim → true) that `dim` selects: all dims if it is nil, else a number or a list of
-- numbers.
local function dims_of(fn, x, dim)
  local list, set = type(dim) == "table" and dim or {dim}, {}
  if dim == nil then for d = 1, x.ndim do list[d] = d end end
  for _, d in ipairs(list) do
    d = args.line_dim(fn, d, x.ndim)
    if set[d] then fail(fn, "dim %d is given twice", d) end
    set[d] = true
  end
  return set
end

--- Returns x with the dims in `set` (dim → true) merged into one dim, the number of the merged dim, and the shape
-- that a reduction of x over these dims has.
local function as_lines(x, set, keepdim)
  local from, rest, inner, reduced, outer, n = x.shape, {}, {}, {}, {}, 1
  for d, length in ipairs(from) do
    if set[d] then
      inner[#inner + 1], n = d, n * length
      if keepdim then reduced[#reduced + 1] = 1 end
    else
      rest[#rest + 1], outer[#outer + 1], reduced[#reduced + 1] = d, length, length
    end
  end
  if #inner == 1 then return x, inner[1], reduced end
  table.move(inner, 1, #inner, #rest + 1, rest)
  outer[#outer + 1] = n
  return x:permute_dims(rest):reshape(outer), #outer, reduced
end

--- Like as_lines, for a dim or a list of dims as an argument gives them. The shape is nil if the reduction of the lines
-- without their dim already has it.
local function lines_of(fn, x, dim, keepdim)
  if keepdim or type(dim) == "table" or x.ndim == 0 or dim == nil and x.ndim > 1 then
    return as_lines(x, dims_of(fn, x, dim), keepdim)
  end
  return x, dim == nil and 1 or args.line_dim(fn, dim, x.ndim)
end

--- Returns the dim of a call, given as the i-th and last positional argument or as option `dim`.
local function dim_of(fn, given, i, options)
  args.at_most(fn, i, given)
  if given[i] ~= nil and options.dim ~= nil then fail(fn, "dim is given twice") end
  if given[i] ~= nil then return given[i] end
  return options.dim
end

--- Returns `result`, a reduction of the tensor `sorted` along dim d, with NaN where a NaN was among the reduced
-- elements. `sorted` is sorted along d, so a NaN is the last element along d.
local function with_nan(result, sorted, d)
  if not is_float(sorted) or sorted.size == 0 then return result end
  local last = sorted:narrow(d, sorted.shape[d], 1)
  return lt.where(last:isnan(), last, result)
end

--- Returns the elements with the ranks `first` to `last` of each line along dim d, in ascending order; x has elements
-- along d. Lines that contain NaN give NaN. Only the CPU can select elements; a GPU and a sort with gradients sort all.
local function ranks(x, d, first, last)
  if core.is_on_host(x) and not x.requires_grad then
    return core.select_ranks(x, d, first, last - first + 1)
  end
  local sorted = x:sort(d)
  return with_nan(sorted:narrow(d, first, last - first + 1), sorted, d)
end

--- Computes the median, the middle element in sorted order. If the number of elements is even, the median is the mean
-- of the two middle elements. The result is NaN if an element is NaN, or if there is no element.
-- @tparam Tensor x any dtype but complex; integers and bool give the default float
-- @param[opt] dim a dim or a list of dims; by default all dims
-- @tab[opt] options `dim`, `keepdim`
-- @treturn Tensor of x's shape without these dims
-- @usage x:median()   x:median(2)   x:median({dim = -1, keepdim = true})
add("median", function(x, ...)
  check_ordered("median", x)
  local given, options = args.split("median", median_options, ...)
  local y, d, shape = lines_of("median", x, dim_of("median", given, 1, options), options.keepdim)
  local n = y.shape[d]
  local middle = n == 0 and y or ranks(y, d, (n + 1) // 2, n // 2 + 1)
  local result = n % 2 == 1 and is_float(x) and middle:squeeze(d) or middle:mean(d)
  return shape and result:reshape(shape) or result
end)

-- The positions of quantiles among sorted elements are counted from 0. They are a float64 tensor, or a number if q is a
-- number. The host computes the number, so that a GPU computes no positions.

local function floor(at) return type(at) == "number" and math.floor(at) or at:floor() end
local function ceil(at) return type(at) == "number" and math.ceil(at) or at:ceil() end

--- Maps a method of lt.quantile to a function that rounds the exact positions of quantiles. At a fractional position,
-- the two nearest elements are interpolated. The sum of a position and 2^52 has no fraction, and is rounded to even.
local places = {
  lower = floor,
  higher = ceil,
  nearest = function(at) return at + 0x1p52 - 0x1p52 end,
  midpoint = function(at) return (floor(at) + ceil(at)) * 0.5 end,
  linear = function(at) return at end,
}

--- Returns the function of `places` for option `method`.
local function check_method(fn, method)
  return places[method or "linear"]
         or fail(fn, "method %s is none of linear, lower, higher, midpoint, nearest", tostring(method))
end

--- Returns the quantiles as a float, or as a float64 tensor if q is a tensor. Raises an error if a quantile is outside
-- [0, 1]. For a tensor the call waits for a GPU.
local function check_quantiles(fn, q)
  if type(q) == "number" then
    if not (q >= 0 and q <= 1) then fail(fn, "q: %s is outside [0, 1]", tostring(q)) end
    return q + 0.0
  end
  if not lt.is_tensor(q) then fail(fn, "q: number or tensor expected, got %s", core.type_name(q)) end
  args.tensor(fn, 2, q)
  if lt.isdtype(q.dtype, "complex floating") then fail(fn, "q: not for %s", q.dtype) end
  q = q:to("float64")
  ranges.check(fn, q, {low = 0, high = 1, waits = true, "q: a value is outside [0, 1]"})
  return q
end

--- Returns a + (b - a) * t for t in [0, 1], or NaN where `last` is NaN. For finite a and b the result is exactly a if t
-- is 0, and exactly b if t is 1. If one of them is infinite and 0 < t < 1, the result is infinite; the plain formula
-- would give NaN (inf - inf). If one is -inf and the other inf, the result is NaN.
local function between(a, b, t, last)
  local step = b - a
  local y = lt.where(t:less(0.5), a + step * t, b - step * (1 - t))
  y = lt.where(step:isfinite(), y, a * (1 - t) + b * t)
  return lt.where(last:isnan(), last, lt.where(t:equal(0):logical_or(a:equal(b)), a, y))
end

--- The same as one kernel, without gradients. A cache of the functions that give results of a dtype.
local kernels = {}

local function kernel_between(dtype)
  kernels[dtype] = kernels[dtype] or lt.elementwise("float64 a, float64 b, float64 t, float64 last", [[
    last != last ? last : t == 0 || a == b ? a : !isfinite(b - a) ? a * (1 - t) + b * t :
    t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t)]], dtype)
  return kernels[dtype]
end

--- Like `between`, for numbers of any dtype, with a result of the given dtype. t is a tensor or a number.
local function interpolate(dtype, a, b, t, last)
  if not (a.requires_grad or lt.is_tensor(t) and t.requires_grad) then return kernel_between(dtype)(a, b, t, last) end
  if type(t) == "number" then t = lt.full({}, t, {dtype = "float64", device = a.device}) end
  return between(a:to("float64"), b:to("float64"), t, last:to("float64")):to(dtype)
end

--- Returns the view of x at position k of dim d, without this dim.
local function slice(x, d, k) return x:narrow(d, k, 1):squeeze(d) end

--- Reads the sorted lines of x along dim d at the position `at`, a number. Returns the elements just below, the
-- elements just above, and the fraction by which `at` exceeds the position just below. Lines that contain NaN give NaN.
local function read_at(x, d, at)
  local below, above = floor(at), ceil(at)
  local both = ranks(x, d, below + 1, above + 1)
  return slice(both, d, 1), slice(both, d, above - below + 1), at - below
end

--- Like read_at, for a tensor of positions of any shape. In the results the dims of `at` come first. Where a line
-- contains NaN, the elements may be numbers, but the fourth result is NaN.
local function read_lines(x, d, at)
  local sorted = x:sort(d)
  local below, above = floor(at), ceil(at)
  local order, nq = {}, at.ndim
  for k = 1, nq do order[k] = d + k - 1 end
  for k = 1, sorted.ndim - 1 + nq do
    if k < d or k >= d + nq then order[#order + 1] = k end
  end
  local function read(index) return sorted:take(index:to("int64") + 1, d):permute_dims(order) end
  local shape = {}
  for k = 1, sorted.ndim - 1 + nq do shape[k] = k <= nq and at.shape[k] or 1 end
  return read(below), read(above), (at - below):reshape(shape), slice(sorted, d, x.shape[d])
end

--- Computes quantiles along a dim by NumPy's rules. In a sorted line of n elements, quantile q is at position q * (n
-- - 1), counted from 0.
-- @tparam Tensor x any dtype but complex; integers and bool give the default float
-- @tparam number|Tensor q quantiles in [0, 1]; the dims of a tensor come first in the result
-- @param[opt] dim a dim or a list of dims; by default all dims
-- @tab[opt] options `dim`, `keepdim`, `method`: the value at a position between two elements: "linear" (default),
--   "lower", "higher", "midpoint", "nearest" (of two equally near elements, the one with the even position, counted
--   from 0)
-- @treturn Tensor NaN for lines that contain a NaN
-- @usage x:quantile(0.9)   x:quantile(lt.tensor {0.25, 0.75}, 2)
add("quantile", function(x, q, ...)
  check_ordered("quantile", x)
  local given, options = args.split("quantile", quantile_options, ...)
  local method = check_method("quantile", options.method)
  local set = dims_of("quantile", x, dim_of("quantile", given, 1, options))
  local y, d, shape = as_lines(x, set, options.keepdim)
  if y.shape[d] == 0 then fail("quantile", "shape %s has no elements", tostring(x.shape)) end
  q = check_quantiles("quantile", q)
  local read = lt.is_tensor(q) and read_lines or read_at
  local a, b, t, last = read(y, d, method(q * (y.shape[d] - 1)))
  local result = interpolate(is_float(x) and x.dtype or lt.result_type(x, 1.0), a, b, t, last or a)
  local outer = lt.is_tensor(q) and table.move(q.shape, 1, q.ndim, 1, {}) or {}
  return result:reshape(table.move(shape, 1, #shape, #outer + 1, outer))
end)

-- ---- counting ----

--- Counts how often each of the numbers 1 … n occurs in the tensor places_of. If `weights` is given, element i of the
-- result is the sum of the weights of the elements that equal i.
local function count(places_of, n, weights)
  if not weights then return lt.zeros(n, {dtype = "int64", device = places_of.device}):index_add_(1, places_of, 1) end
  local float = is_float(weights)
  local sums = lt.zeros(n, {dtype = float and "float64" or "int64", device = places_of.device})
  sums:index_add_(1, places_of, weights:to(sums.dtype))
  return float and sums:to(weights.dtype) or sums
end

--- Returns option `weights`, a tensor of x's shape, flattened to 1-d; nil if the option is missing.
local function check_weights(fn, weights, x)
  if weights == nil then return nil end
  if not lt.is_tensor(weights) then fail(fn, "option weights: tensor expected, got %s", core.type_name(weights)) end
  if lt.isdtype(weights.dtype, "complex floating") then fail(fn, "option weights: not for %s", weights.dtype) end
  if tostring(weights.shape) ~= tostring(x.shape) then
    fail(fn, "weights of shape %s do not fit %s", tostring(weights.shape), tostring(x.shape))
  end
  return weights:reshape({weights.size})
end

--- Counts how often each value occurs: element i of the result is the number of elements equal to i. Counting starts
-- at 1, like positions in Lua; a value below 1 is an error. The call waits for a GPU to read the smallest and the
-- largest value.
-- @tparam Tensor x 1-d, positive integers
-- @tab[opt] options `weights`: a tensor with a weight for each element, added up instead of 1; `minlength`: minimum
--   length of the result
-- @treturn Tensor 1-d, of the length max(the largest value, minlength); int64, or the dtype of float weights
-- @usage lt.tensor({1, 3, 3}):bincount()   --> 1 0 2
add("bincount", function(x, options)
  args.tensor("bincount", 1, x)
  options = args.options("bincount", options, bincount_options)
  if x.ndim ~= 1 then fail("bincount", "1 dim expected, got shape %s", tostring(x.shape)) end
  if not lt.isdtype(x.dtype, "integral") then fail("bincount", "integers expected, got %s", x.dtype) end
  local length = args.integer("bincount", "option minlength", options.minlength or 0, 0)
  local weights = check_weights("bincount", options.weights, x)
  if x.size > 0 then
    local least, most = ends_of(x)
    if least < 1 and x.dtype ~= "uint64" or least == 0 then
      fail("bincount", "value %d: Lua tensors start at 1", least)
    end
    length = math.max(length, most < 0 and math.maxinteger or most)  -- a uint64 value of 2^63 or more is negative here
  end
  return count(x, length, weights)
end)

--- Returns the lowest and the highest edge of the bins: option `range`, or the smallest and the largest element, or 0
-- and 1 if x has no elements. If both edges are equal, each is moved outwards by 0.5.
local function range_of(x, range)
  local low, high = 0.0, 1.0
  if range ~= nil then
    if type(range) ~= "table" or #range ~= 2 then fail("histogram", "option range: {least, greatest} expected") end
    low, high = range[1], range[2]
    for k = 1, 2 do
      local kind = type(range[k])
      if kind ~= "number" then fail("histogram", "option range: numbers expected, got %s", kind) end
    end
    if low > high then fail("histogram", "range {%s, %s}: the first is greater", low, high) end
  elseif x.size > 0 then
    low, high = ends_of(is_float(x) and x or x:to("float64"))
  end
  if low - low ~= 0 or high - high ~= 0 then fail("histogram", "range {%s, %s} is not finite", low, high) end
  if low == high then low, high = low - 0.5, high + 0.5 end
  return low, high
end

--- Returns the edges of n bins of equal width, or checks and returns the given edges.
local function edges_of(x, bins, range)
  if lt.is_tensor(bins) or type(bins) == "table" then
    local exact = x.dtype == "float64" and x.dtype or nil          -- float32 would round an edge such as 0.1
    local edges = lt.is_tensor(bins) and args.tensor("histogram", 2, bins)
      or lt.tensor(bins, {device = x.device, dtype = exact})
    if edges.ndim ~= 1 or edges.size < 2 then
      fail("histogram", "edges: 1 dim of 2 elements or more expected, got shape %s", tostring(edges.shape))
    end
    if range ~= nil then fail("histogram", "option range goes with a number of bins, not with edges") end
    local ascend = edges:narrow(1, 1, edges.size - 1):less_equal(edges:narrow(1, 2, edges.size - 1)):all():item()
    if not ascend then fail("histogram", "edges: each must be the one before or greater") end
    return edges
  end
  local n = args.integer("histogram", "bins", bins or 10, 1, 1 << 60)
  local low, high = range_of(x, range)
  return lt.linspace(low, high, n + 1, {dtype = is_float(x) and x.dtype or "float64", device = x.device})
end

--- Returns the place of each element of `flat` among the edges of n bins: 1 is below the first edge, i + 1 is bin i,
-- and n + 2 is beyond the last edge. An element at the last edge is in bin n. If `open` is true, bin n has no upper
-- edge, so that the search needs only the lower edges of the bins.
local function places_of(edges, flat, open)
  local n = edges.size - 1
  if open then return lt.searchsorted(edges:narrow(1, 1, n), flat, {side = "right"}) end
  local place = lt.searchsorted(edges, flat, {side = "right"})
  return lt.where(flat:equal(edges:narrow(1, n + 1, 1)), n + 1, place)
end

--- Subtracts the number of elements beyond the last edge, and of NaN, from the count of the last bin.
local function take_back(counts, edges, flat)
  local n = edges.size - 1
  local within = flat:less_equal(edges:narrow(1, n + 1, 1))
  counts:narrow(1, n, 1):subtract_(flat.size - lt.count_nonzero(within))
end

--- Counts the elements in each bin, or adds their weights, if all elements are between the first and the last edge.
local function count_within(edges, flat, weights)
  local n = edges.size - 1
  return count(lt.searchsorted(edges:narrow(1, 2, n - 1), flat, {side = "right"}), n, weights)
end

--- Counts the elements in each bin, or adds their weights. Elements outside of all bins and NaN are not counted.
local function count_any(edges, flat, weights)
  local n = edges.size - 1
  local counts = count(places_of(edges, flat, not weights), n + 2, weights):narrow(1, 2, n)
  if not weights then take_back(counts, edges, flat) end
  return counts:clone()
end

--- Counts the elements in each bin. A bin includes its lower edge; only the last bin includes its upper edge.
-- Elements outside of all bins and NaN are not counted. The call waits for a GPU to check given edges, or, without
-- option `range`, to find the smallest and the largest element.
-- @tparam Tensor x any dtype but complex, any shape
-- @param[opt=10] bins the number of bins of equal width, or the edges: a 1-d tensor or a table
-- @tab[opt] options `range`: {lowest, highest} edge of bins of equal width, by default the smallest and largest
--   element; `weights`: a tensor of x's shape, whose elements are added up instead of 1; `density` (false): divides
--   the counts so that the sum of count times width is 1
-- @treturn Tensor counts, one for each bin: int64, the dtype of float weights, or a float dtype if option density is
--   true
-- @treturn Tensor the edges of the bins: bin i is between edges i and i + 1
-- @usage local counts, edges = x:histogram(20, {range = {0, 1}})
add("histogram", function(x, ...)
  check_ordered("histogram", x)
  local given, options = args.split("histogram", histogram_options, ...)
  args.at_most("histogram", 1, given)
  local weights = check_weights("histogram", options.weights, x)
  if x.dtype == "bool" then x = x:to("uint8") end
  local edges = edges_of(x, given[1], options.range)
  local derived = not (lt.is_tensor(given[1]) or type(given[1]) == "table" or options.range)
  local counts = (derived and count_within or count_any)(edges, x:reshape({x.size}), weights)
  if not options.density then return counts, edges end
  local float = lt.result_type(edges, counts, 1.0)
  return counts:to(float) / (counts:sum():to(float) * edges:to(float):diff()), edges
end)

--- Functions that array/nan.lua uses, too.
return {
  check_ordered = check_ordered, dims_of = dims_of, as_lines = as_lines, dim_of = dim_of, check_method = check_method,
  check_quantiles = check_quantiles, interpolate = interpolate,
}
