--- Statistics that skip NaN, for data with gaps. They are compositions of reductions and element-wise ops. Integers and
-- bool have no NaN, so the plain function computes their result.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor.base.public"
local order = require "luatensor.array.order"

local methods = core.methods

local sum_options = {dim = true, keepdim = true, dtype = true}
local plain_options = {dim = true, keepdim = true}
local var_options = {dim = true, keepdim = true, correction = true}
local quantile_options = {dim = true, keepdim = true, method = true}

local function add(name, f) lt[name], methods[name] = f, f end

--- True if x has a dtype that has NaN.
local function has_nan(x) return lt.isdtype(x.dtype, "real floating") or lt.isdtype(x.dtype, "complex floating") end

--- Returns lt.name(x, options). Empty options are left out, because an empty table would mean an empty list of dims.
local function reduce(name, x, options)
  if next(options) == nil then return lt[name](x) end
  return lt[name](x, options)
end

--- Checks the arguments of a call fn(x, dim, options). Returns the options, with the dim.
local function options_of(fn, known, x, ...)
  args.tensor(fn, 1, x)
  local given, options = args.split(fn, known, ...)
  local all = {dim = order.dim_of(fn, given, 1, options)}
  for name, value in pairs(options) do all[name] = value end
  return all
end

--- Returns the number of elements of each sum that are not NaN, as int64.
local function count(missing, options)
  return reduce("sum", missing:logical_not(), {dim = options.dim, keepdim = options.keepdim})
end

--- Returns x with NaN replaced by a number.
local function filled(x, missing, number) return lt.where(missing, number, x) end

--- Computes the sum of the elements that are not NaN. The sum of no elements is 0.
-- @tparam Tensor x any dtype but bool
-- @param[opt] dim a dim or a list of dims; by default all dims
-- @tab[opt] options `dim`, `keepdim`, `dtype` (of the result)
-- @treturn Tensor of x's shape without these dims
-- @usage x:nansum()   x:nansum(2)   x:nansum({dim = -1, keepdim = true})
add("nansum", function(x, ...)
  local options = options_of("nansum", sum_options, x, ...)
  if not has_nan(x) then return reduce("sum", x, options) end
  return reduce("sum", filled(x, x:isnan(), 0), options)
end)

--- Returns the mean without NaN, in at least float32. `missing` is x:isnan().
local function mean(x, missing, options)
  local wide = lt.result_type(options.dtype or x.dtype, "float32")
  local total = reduce("sum", filled(x, missing, 0), {dim = options.dim, keepdim = options.keepdim, dtype = wide})
  return total / count(missing, options):to(wide)
end

--- Computes the mean of the elements that are not NaN. The mean of no elements is NaN.
-- @tparam Tensor x any dtype; integers and bool give the default float
-- @param[opt] dim a dim or a list of dims; by default all dims
-- @tab[opt] options `dim`, `keepdim`, `dtype` (of the result)
-- @treturn Tensor of x's shape without these dims
-- @usage x:nanmean()   x:nanmean(1, {keepdim = true})
add("nanmean", function(x, ...)
  local options = options_of("nanmean", sum_options, x, ...)
  if not has_nan(x) then return reduce("mean", x, options) end
  return mean(x, x:isnan(), options):to(options.dtype or x.dtype)
end)

--- Returns the variance without NaN, in at least float32. It is NaN where `correction` is not less than the number of
-- elements.
local function variance(x, options)
  local missing, wide = x:isnan(), x:to(lt.result_type(x.dtype, "float32"))
  local centre = mean(wide, missing, {dim = options.dim, keepdim = true})
  local squares = filled(wide - centre, missing, 0):square()
  local n = count(missing, options):to(wide.dtype) - (options.correction or 0)
  local total = reduce("sum", squares, {dim = options.dim, keepdim = options.keepdim})
  return total / lt.where(n:greater(0), n, lt.nan)
end

local function check_correction(fn, correction)
  if correction ~= nil and type(correction) ~= "number" then
    args.fail(fn, "correction: number expected, got %s", core.type_name(correction))
  end
end

--- Computes the variance of the elements that are not NaN: the mean of the squared distances from their mean.
-- @tparam Tensor x any dtype but complex; integers and bool give the default float
-- @param[opt] dim a dim or a list of dims; by default all dims
-- @tab[opt] options `dim`, `keepdim`, `correction` (0): the sum of squares is divided by the number of elements minus
--   the correction
-- @treturn Tensor of x's shape without these dims; NaN where no more elements than the correction are left
-- @usage x:nanvar()   x:nanvar(1, {correction = 1})
add("nanvar", function(x, ...)
  local options = options_of("nanvar", var_options, x, ...)
  order.check_ordered("nanvar", x)
  check_correction("nanvar", options.correction)
  if not has_nan(x) then return reduce("var", x, options) end
  return variance(x, options):to(x.dtype)
end)

--- Computes the standard deviation of the elements that are not NaN, the square root of their variance. Its gradient is
-- 0 where all elements are equal.
-- @tparam Tensor x any dtype but complex; integers and bool give the default float
-- @param[opt] dim a dim or a list of dims; by default all dims
-- @tab[opt] options `dim`, `keepdim`, `correction` (0), as for lt.nanvar
-- @treturn Tensor of x's shape without these dims
-- @usage x:nanstd()   x:nanstd(1, {correction = 1})
add("nanstd", function(x, ...)
  local options = options_of("nanstd", var_options, x, ...)
  order.check_ordered("nanstd", x)
  check_correction("nanstd", options.correction)
  if not has_nan(x) then return reduce("std", x, options) end
  local v = variance(x, options)
  if not v.requires_grad then return v:sqrt():to(x.dtype) end
  local zero = v:equal(0)
  return lt.where(zero, 0, lt.where(zero, 1, v):sqrt()):to(x.dtype)
end)

--- Returns the smallest or largest element that is not NaN. `unit` is a number that no element exceeds.
local function extreme(fn, plain, unit, x, ...)
  local options = options_of(fn, plain_options, x, ...)
  order.check_ordered(fn, x)
  if not has_nan(x) then return reduce(plain, x, options) end
  local missing = x:isnan()
  return lt.where(reduce("all", missing, options), lt.nan, reduce(plain, filled(x, missing, unit), options))
end

--- Computes the smallest element that is not NaN; NaN where all elements are NaN.
-- @tparam Tensor x any dtype but complex
-- @param[opt] dim a dim or a list of dims; by default all dims
-- @tab[opt] options `dim`, `keepdim`
-- @treturn Tensor of x's shape without these dims
-- @usage x:nanmin()   x:nanmin(1)
add("nanmin", function(x, ...) return extreme("nanmin", "min", lt.inf, x, ...) end)

--- Computes the largest element that is not NaN; NaN where all elements are NaN.
-- @tparam Tensor x any dtype but complex
-- @param[opt] dim a dim or a list of dims; by default all dims
-- @tab[opt] options `dim`, `keepdim`
-- @treturn Tensor of x's shape without these dims
-- @usage x:nanmax()   x:nanmax(1)
add("nanmax", function(x, ...) return extreme("nanmax", "max", -lt.inf, x, ...) end)

--- Returns the elements of `sorted` along dim d at positions that a tensor has, counted from 1. Position 0, of a line
-- without numbers, is taken as 1, where the line has NaN.
local function at_positions(sorted, positions, d)
  return lt.take_along_axis(sorted, positions:clip({min = 1}):to("int64"), d)
end

--- Computes the median of the elements that are not NaN. If their number is even, the median is the mean of the two
-- middle elements. The median of no elements is NaN.
-- @tparam Tensor x any dtype but complex; integers and bool give the default float
-- @param[opt] dim a dim or a list of dims; by default all dims
-- @tab[opt] options `dim`, `keepdim`
-- @treturn Tensor of x's shape without these dims
-- @usage x:nanmedian()   x:nanmedian(2)
add("nanmedian", function(x, ...)
  local options = options_of("nanmedian", plain_options, x, ...)
  order.check_ordered("nanmedian", x)
  local y, d, shape = order.as_lines(x, order.dims_of("nanmedian", x, options.dim), options.keepdim)
  if not has_nan(x) or y.shape[d] == 0 then return reduce("median", x, options) end
  local sorted, n = y:sort(d), count(y:isnan(), {dim = d, keepdim = true})
  local low, high = (n + 1):floor_divide(2), n:floor_divide(2) + 1
  local a, b = at_positions(sorted, low, d), at_positions(sorted, high, d)
  return lt.where(low:equal(high), a, lt.concat({a, b}, d):mean(d, {keepdim = true})):reshape(shape)
end)

--- Computes quantiles of the elements that are not NaN, by the rules of lt.quantile.
-- @tparam Tensor x any dtype but complex; integers and bool give the default float
-- @tparam number|Tensor q quantiles in [0, 1]; the dims of a tensor come first in the result
-- @param[opt] dim a dim or a list of dims; by default all dims
-- @tab[opt] options `dim`, `keepdim`, `method` ("linear"): "linear", "lower", "higher", "midpoint" or
--   "nearest", as for lt.quantile
-- @treturn Tensor NaN for lines in which all elements are NaN
-- @usage x:nanquantile(0.9)   x:nanquantile(lt.tensor {0.25, 0.75}, 2)
add("nanquantile", function(x, q, ...)
  local options = options_of("nanquantile", quantile_options, x, ...)
  order.check_ordered("nanquantile", x)
  local method = order.check_method("nanquantile", options.method)
  local y, d, shape = order.as_lines(x, order.dims_of("nanquantile", x, options.dim), options.keepdim)
  if y.shape[d] == 0 then args.fail("nanquantile", "shape %s has no elements", tostring(x.shape)) end
  q = order.check_quantiles("nanquantile", q)
  if not has_nan(x) then return lt.quantile(x, q, next(options) and options) end
  local outer = lt.is_tensor(q) and table.move(q.shape, 1, q.ndim, 1, {}) or {}
  if type(q) == "number" then q = lt.full({}, q, {dtype = "float64", device = x.device}) end
  -- the quantiles along dim d, beside the lines in the other dims
  local along, to_front = {}, {d}
  for k = 1, y.ndim do
    along[k] = k == d and q.size or 1
    if k ~= d then to_front[#to_front + 1] = k end
  end
  local sorted, n = y:sort(d), count(y:isnan(), {dim = d, keepdim = true})
  local at = method(q:reshape(along) * (n - 1):to("float64")):clip({min = 0})
  local below = at:floor()
  local a, b = at_positions(sorted, below + 1, d), at_positions(sorted, at:ceil() + 1, d)
  local result = order.interpolate(x.dtype, a, b, at - below, a):permute_dims(to_front)
  return result:reshape(table.move(shape, 1, #shape, #outer + 1, outer))
end)
