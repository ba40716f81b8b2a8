--- Sets: the distinct elements of tensors, and membership. Sorting puts equal elements next to each other. NaN equals
-- nothing, not even NaN, so each NaN counts as a distinct element.

local args = require "luatensor.base.args"
local colon = require("luatensor.base.names").colon
local core = require "luatensor.core"
local ends_of = require "luatensor.array.ends"
local lt = require "luatensor.base.public"

local methods = core.methods

local isin_options = {invert = "boolean", assume_unique = "boolean"}

--- The number of values that one expression compares. lt.elementwise takes 8 parameters, of which x and the result of
-- the previous expression take two.
local AT_ONCE = 6

--- Up to FEW values are compared with all elements on every device. On the CPU, up to MANY values are compared with
-- all elements if there are at least 50 elements for each value.
local FEW, MANY = 2 * AT_ONCE, 120

--- On the CPU, up to this number of elements are searched for in up to 32 values, and a quarter of this number in up to
-- MANY values.
local SEARCHED = 1 << 12

--- On a GPU, the unique functions use a table of integers if x has at least this number of elements. To find the range
-- of the integers costs a wait, which takes as long as to sort about so many elements.
local LEAST_ON_GPU = 100000

--- isin uses a table of integers if the table has at most this number of bytes for each element of both arguments.
local TABLE = 6

local function add(name, f) lt[name], methods[name] = f, f end

--- ---- runs of equal elements ----

local function is_complex(x) return lt.isdtype(x.dtype, "complex floating") end

--- Sorts a 1-d tensor stably, and returns the elements and their positions. Complex numbers are sorted by their real
-- parts, then by their imaginary parts.
local function order_of(x)
  if not is_complex(x) then return x:topk(x.size, {largest = false}) end
  local order = x:imag():argsort()
  order = order:take(x:real():take(order):argsort())
  return x:take(order), order
end

local function sorted(x) return is_complex(x) and order_of(x) or x:sort() end

--- Returns a bool tensor with one element more than the sorted tensor s. The tensor is true where a run of equal
-- elements begins, and in the last element, which marks the end of the last run.
local function starts_of(s)
  local n = s.size
  local starts = lt.ones({n + 1}, {dtype = "bool", device = s.device})
  if n > 1 then s:narrow(1, 2, n - 1):not_equal(s:narrow(1, 1, n - 1), {out = starts:narrow(1, 2, n - 1)}) end
  return starts
end

--- Returns the positions of the first elements of the runs, and the lengths of the runs.
local function runs_of(starts)
  local places = starts:nonzero()
  local n = places.size - 1
  local first = places:narrow(1, 1, n)
  return first, places:narrow(1, 2, n):subtract(first)
end

--- Returns, in x's shape, the number of the run to which each element of x belongs, counted from 1. `starts` comes
-- from starts_of; element i of `order` is the position in x of the i-th sorted element.
local function numbers_of(x, starts, order)
  local numbers = starts:narrow(1, 1, x.size):cumulative_sum()
  return lt.empty_like(order):scatter_(1, order, numbers):reshape(x.shape)
end

--- ---- tables of integers ----

-- Integers from a small range are counted in a table with a place for each integer of the range. The table's order
-- replaces sorting. A GPU call waits for the smallest and the largest integer, so isin uses tables only on the CPU.

--- Returns the place of integer x in a table whose first place is for the integer `low`.
local place_of = lt.elementwise("int64 x, int64 low", "x - low + 1")

local function has_table(x)
  return x.size > 0 and x.dtype ~= "uint64" and lt.isdtype(x.dtype, "integral")
end

--- Returns the smallest integer of the given tensors, and the length of the range from this integer to the largest.
-- Returns nil if the range is longer than `most`, or if a tensor cannot use a table.
local function range_of(most, ...)
  local low, high = math.maxinteger, math.mininteger
  for _, x in ipairs {...} do
    if not has_table(x) then return nil end
    local least, greatest = ends_of(x)
    low, high = math.min(low, least), math.max(high, greatest)
  end
  local range = high - low + 1                          -- not positive if the range overflows
  if range > 0 and range <= most then return low, range end
end

--- Returns a bool tensor of length `range` that is true at the given places and false elsewhere.
local function is_there(range, places)
  local there = lt.zeros({range}, {dtype = "bool", device = places.device})
  there[places] = true
  return there
end

local function counts_of(range, places)
  return lt.zeros({range}, {dtype = "int64", device = places.device}):scatter_add_(1, places, 1)
end

--- Returns an int64 tensor of length `range`: element p is the first position at which p occurs in `places`; it is
-- uninitialised if p does not occur. The positions are written in reverse order, because the last write to an element
-- stays.
local function first_of(range, places)
  local options = {dtype = "int64", device = places.device}
  local backwards = lt.arange(places.size, 0, -1, options)
  return lt.empty({range}, options):scatter_(1, places:flip(1), backwards)
end

--- Computes the results of unique_all that `wants` names, for integers from a small range. Returns the results by
-- name, or nil if a table would have more places than x has elements.
local function unique_table(x, wants)
  if not core.is_on_host(x) and x.size < LEAST_ON_GPU then return nil end
  local low, range = range_of(x.size, x)
  if not low then return nil end
  local places = place_of(x:flatten(), low)
  local counts = wants.counts and counts_of(range, places)
  local there = counts and counts:not_equal(0) or is_there(range, places)
  local found = there:nonzero()
  return {
    values = found:add(low - 1):to(x.dtype),
    indices = wants.indices and first_of(range, places):take(found),
    inverse = wants.inverse and there:cumulative_sum():take(places):reshape(x.shape),
    counts = counts and counts:take(found),
  }
end

--- ---- distinct elements ----

--- Computes results of unique_all by sorting. `wants` is the set of the wanted results: "values", "indices",
-- "inverse", "counts". Returns the results by name.
local function unique_sorted(x, wants)
  local ordered = wants.indices or wants.inverse
  local s, order = (ordered and order_of or sorted)(x:flatten())
  local starts, first, counts = starts_of(s), nil, nil
  if wants.counts then first, counts = runs_of(starts) end
  return {
    values = first and s:take(first) or s[starts:narrow(1, 1, s.size)],
    indices = wants.indices and order:take(first),
    inverse = wants.inverse and numbers_of(x, starts, order),
    counts = counts,
  }
end

--- Adds the function `name`, which returns the listed results of unique_all.
local function add_unique(name, ...)
  local results, wants = {...}, {}
  for _, result in ipairs(results) do wants[result] = true end
  add(name, function(x)
    args.tensor(name, 1, x)
    local found, list = unique_table(x, wants) or unique_sorted(x, wants), {}
    for i, result in ipairs(results) do list[i] = found[result] end
    return table.unpack(list)
  end)
end

--- Returns the distinct elements, sorted. Every NaN is distinct, and NaNs come last; -0 and 0 are equal. Complex
-- numbers are sorted by their real parts, then by their imaginary parts, with NaN as the largest value. The call
-- waits for a GPU.
-- @function unique_values
-- @tparam Tensor x any shape and dtype
-- @treturn Tensor 1-d, of x's dtype
add_unique("unique_values", "values")

--- Returns the distinct elements, sorted, and the number of occurrences of each. The call waits for a GPU.
-- @function unique_counts
-- @tparam Tensor x any shape and dtype
-- @treturn Tensor values, as from unique_values
-- @treturn Tensor counts, int64
add_unique("unique_counts", "values", "counts")

--- Returns the distinct elements, sorted, and the position of each element of x among them. The call waits for a GPU.
-- @function unique_inverse
-- @tparam Tensor x any shape and dtype
-- @treturn Tensor values, as from unique_values
-- @treturn Tensor inverse: positions in values, int64, of x's shape: `values[inverse]` is x
add_unique("unique_inverse", "values", "inverse")

--- Returns all results of the other unique functions: the distinct elements, sorted, the positions of their first
-- occurrences, the inverse, and the counts. The call waits for a GPU.
-- @function unique_all
-- @tparam Tensor x any shape and dtype
-- @treturn Tensor values, as from unique_values
-- @treturn Tensor indices of the first occurrence of each value in x:flatten(), int64
-- @treturn Tensor inverse: positions in values, int64, of x's shape
-- @treturn Tensor counts: the number of occurrences of each value, int64
add_unique("unique_all", "values", "indices", "inverse", "counts")

--- ---- membership ----

-- The functions isin_… are implementations of isin. They take x and `values` (1-d, of x's dtype), and return a tensor
-- that is true for each element of x that equals one of `values`.

--- A cache of the functions that compute "found || x == v1 || x == v2 || … || x == vn". The key is x's dtype followed
-- by n.
local comparisons = {}

local function comparison(dtype, n)
  local key = dtype .. n
  if not comparisons[key] then
    local names, terms = {dtype .. " x", "bool found"}, {"found"}
    for i = 1, n do
      names[i + 2] = ("%s v%d"):format(dtype, i)
      terms[i + 1] = ("x == v%d"):format(i)
    end
    comparisons[key] = lt.elementwise(table.concat(names, ", "), table.concat(terms, " || "))
  end
  return comparisons[key]
end

--- Implements isin for few values: compares each value with all elements.
local function isin_few(x, values)
  local list, found = values:unstack(), false
  for first = 1, #list, AT_ONCE do
    local last = math.min(first + AT_ONCE - 1, #list)
    found = comparison(x.dtype, last - first + 1)(x, found, table.unpack(list, first, last))
  end
  return found
end

--- Implements isin for many values: sorts the values, and searches for each element in them.
local function isin_sorted(x, values)
  local s = values:sort()
  return s:take(s:searchsorted(x):minimum(s.size)):equal(x)
end

--- Implements isin for many integers from a small range: looks up each element in a table of the integers in `values`.
-- Returns nil if the table would be too long, or if x or `values` cannot use a table (has_table).
local function isin_table(x, values)
  if not core.is_on_host(x) then return nil end
  local low, range = range_of(TABLE * (x.size + values.size), x, values)
  if not low then return nil end
  return is_there(range, place_of(values, low))[place_of(x, low)]
end

--- Implements isin for complex numbers: numbers the distinct elements of x and `values` together, and compares the
-- numbers.
local function isin_numbered(x, values)
  local n = x.size
  local distinct, number = lt.unique_inverse(lt.concat {x:flatten(), values})
  local there = lt.zeros({distinct.size}, {dtype = "bool", device = x.device})
  there[number:narrow(1, n + 1, values.size)] = true
  return there:take(number:narrow(1, 1, n)):reshape(x.shape)
end

--- Returns the largest number of values that isin compares one by one with all elements of x. The alternatives sort
-- and then search for each element, which costs more the more elements x has, so on the CPU the limit grows with x.
local function few_for(x)
  return core.is_on_host(x) and math.max(FEW, math.min(MANY, x.size // 50)) or FEW
end

--- True if the elements of x are searched for in n values, because x has few elements. A search takes fewer calls than
-- the other methods. Vectors of up to 32 values are compared; more values need a binary search.
local function is_searched(x, n)
  if n > MANY or not core.is_on_host(x) or is_complex(x) then return false end
  return x.size <= (n <= 32 and SEARCHED or SEARCHED // 4)
end

local function is_member(x, values)
  local n = values.size
  if n == 0 then return lt.zeros(x.shape, {dtype = "bool", device = x.device}) end
  if is_searched(x, n) then return isin_sorted(x, values) end
  if n <= FEW then return isin_few(x, values) end
  local found = isin_table(x, values)
  if found then return found end
  if n <= few_for(x) then return isin_few(x, values) end
  return (is_complex(x) and isin_numbered or isin_sorted)(x, values)
end

local function check_isin(i, x)
  if lt.is_tensor(x) then args.tensor("isin", i, x)
  elseif type(x) ~= "number" and type(x) ~= "boolean" then
    local kind = core.type_name(x)
    local help = i == 1 and colon("isin", kind) or ""
    args.fail("isin", "argument %d: tensor or number expected, got %s%s", i, kind, help)
  end
end

--- Returns both arguments as tensors of one dtype on one device; one argument may be a number. Adding a tensor of
-- zeros moves a number made by lt.complex, which is on the CPU, to the device. If two other tensors are on different
-- devices, the addition raises the error message of an op.
local function together(x1, x2)
  check_isin(1, x1)
  check_isin(2, x2)
  local both = lt.is_tensor(x1) and lt.is_tensor(x2)
  if both and x1.dtype == x2.dtype and x1.device == x2.device then return x1, x2:flatten() end
  if not lt.is_tensor(x1) and not lt.is_tensor(x2) then args.fail("isin", "one of the two must be a tensor") end
  local device = lt.is_tensor(x1) and x1.device or x2.device
  if device == core.host_device and lt.is_tensor(x2) then device = x2.device end
  local options = {dtype = lt.result_type(x1, x2), device = device}
  local function at_home(x)
    if not lt.is_tensor(x) then return lt.full({}, x, options) end
    return (x.device == device and x or lt.zeros({}, options):add(x)):to(options.dtype)
  end
  return at_home(x1), at_home(x2):flatten()
end

--- Returns, for each element of x1, true if an element of x2 is equal. NaN equals nothing, -0 equals 0. If x2 is
-- complex with more than 12 elements, the call waits for a GPU to count distinct elements.
-- @tparam Tensor|number x1
-- @tparam Tensor|number x2 of any shape; the dtypes of x1 and x2 promote
-- @tab[opt] options `invert` (false): true if no element of x2 is equal; `assume_unique` (accepted, without effect)
-- @treturn Tensor bool, of x1's shape
function lt.isin(x1, x2, options)
  args.options("isin", options, isin_options)
  local x, values = together(x1, x2)
  local found = is_member(x, values)
  return options and options.invert and found:logical_not() or found
end
methods.isin = lt.isin
