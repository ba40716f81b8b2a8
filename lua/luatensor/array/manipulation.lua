--- Functions that rearrange, repeat, pad and select elements. They are composed of core's views, concat and indexing.

local args = require "luatensor.base.args"
local embed = require("luatensor.gradients.help").embed
local core = require "luatensor.core"
local lt = require "luatensor.base.public"

local methods = core.methods

local fail, options_of, integer_of = args.fail, args.options, args.integer

--- The upper bound of widths, of numbers of diagonals, and of numbers of repeated elements. No memory holds so many
-- elements, and the sum of a few numbers below the bound does not overflow an integer.
local MOST = 1 << 60

--- The maximum number of dims of a tensor (MAX_DIMS in src/base/calls.h).
local MOST_DIMS = 16

--- Returns a list that is given as positional numbers or as one table.
local function list_of(first, ...)
  if type(first) == "table" then return first end
  return {first, ...}
end

--- Returns a copy of a shape, with length n in dim d.
local function with_dim(shape, d, n)
  local s = table.move(shape, 1, #shape, 1, {})
  s[d] = n
  return s
end

local function add(name, f) lt[name], methods[name] = f, f end

local function copy_of(x) return x:reshape(x.shape, {copy = true}) end

-- ---- splitting ----

--- Returns the slices of x along a dim. The slices do not have this dim.
-- @tparam Tensor x
-- @int[opt=1] dim also option `dim`
-- @treturn {Tensor,...} views
add("unstack", function(x, dim)
  args.tensor("unstack", 1, x)
  dim = args.dim("unstack", args.dim_option("unstack", dim) or 1, x.ndim)
  local rows, list = x:moveaxis(dim, 1), {}
  for i = 1, #rows do list[i] = rows[i] end
  return list
end)

--- Splits x along a dim into parts of one size (the last part may be shorter), or of the sizes in a table.
-- @tparam Tensor x
-- @tparam int|{int,...} sizes the length of each part along the dim, or a list of lengths that add up to the dim's
--   length
-- @int[opt=1] dim also option `dim`
-- @treturn {Tensor,...} views
add("split", function(x, sizes, dim)
  args.tensor("split", 1, x)
  dim = args.dim("split", args.dim_option("split", dim) or 1, x.ndim)
  local n, list, start = x.shape[dim], {}, 1
  if type(sizes) ~= "table" then
    local size = integer_of("split", "size", sizes, 1)
    sizes = {}
    for first = 1, math.max(n, 1), size do sizes[#sizes + 1] = math.min(size, n - first + 1) end
  end
  for i = 1, #sizes do integer_of("split", "size", sizes[i], 0) end
  for i, size in ipairs(sizes) do
    if start - 1 + size > n then break end
    list[i] = x:narrow(dim, start, size)
    start = start + size
  end
  if start ~= n + 1 or #list ~= #sizes then
    fail("split", "sizes %s do not add up to %d, the length of dim %d", args.shape_text(sizes), n, dim)
  end
  return list
end)

--- Splits x along a dim into at most n parts of one size; the last part may be shorter.
-- @tparam Tensor x
-- @int n the largest number of parts
-- @int[opt=1] dim also option `dim`
-- @treturn {Tensor,...} views
add("chunk", function(x, n, dim)
  args.tensor("chunk", 1, x)
  dim = args.dim("chunk", args.dim_option("chunk", dim) or 1, x.ndim)
  integer_of("chunk", "number of parts", n, 1)
  return x:split(math.max(1, (x.shape[dim] + n - 1) // n), dim)
end)

--- Broadcasts all tensors to their common shape.
-- @tparam Tensor ... tensors
-- @treturn Tensor ... a view of each tensor
function lt.broadcast_arrays(...)
  local list, shapes = table.pack(...), {}
  for i = 1, list.n do shapes[i] = args.tensor("broadcast_arrays", i, list[i]).shape end
  local shape = lt.broadcast_shapes(table.unpack(shapes, 1, list.n))
  for i = 1, list.n do list[i] = list[i]:broadcast_to(shape) end
  return table.unpack(list, 1, list.n)
end
methods.broadcast_arrays = lt.broadcast_arrays

-- ---- repeating ----

--- Returns the numbers of repeats of n elements as a tensor of length n. `repeats` is a table or a tensor with one
-- element or with n elements.
local function repeats_of(repeats, n, device)
  if not lt.is_tensor(repeats) then
    for i = 1, #repeats do integer_of("repeat", "repeats", repeats[i], 0) end
    repeats = lt.tensor(repeats, {dtype = "int64", device = device})
  elseif not lt.isdtype(repeats, "integral") then
    fail("repeat", "repeats: integers expected, got %s", repeats.dtype)
  elseif repeats.ndim > 1 then
    fail("repeat", "repeats: 1 dim expected, the shape is %s", repeats.shape)
  end
  if repeats.size == 1 then repeats = repeats:reshape(1):broadcast_to(n) end
  if #repeats ~= n then fail("repeat", "%d repeats for a dim of length %d", #repeats, n) end
  if n > 0 then
    integer_of("repeat", "repeats", repeats:min():item(), 0)
    integer_of("repeat", "repeats", repeats:max():item(), 0, MOST // n)
  end
  return repeats
end

--- Repeats each element. `repeat` is a reserved word of Lua, so scripts write `x:repeat_interleave(2)` or
-- `x["repeat"](x, 2)`. If the repeats are not a single number, the call waits for a GPU, because the length of the
-- result is their sum.
-- @function repeat
-- @tparam Tensor x
-- @tparam int|{int,...}|Tensor repeats one number, or a number for each element of dim
-- @int[opt] dim if missing, x is flattened; also option `dim`
-- @treturn Tensor
local function repeat_(x, repeats, dim)
  args.tensor("repeat", 1, x)
  dim = args.dim_option("repeat", dim)
  if dim == nil then x, dim = x:flatten(), 1 end
  dim = args.dim("repeat", dim, x.ndim)
  if type(repeats) ~= "table" and not lt.is_tensor(repeats) then
    integer_of("repeat", "repeats", repeats, 0)
    local wide = x:expand_dims(dim + 1)
    wide = wide:broadcast_to(with_dim(wide.shape, dim + 1, repeats))
    return copy_of(wide):flatten(dim, dim + 1)
  end
  local n = x.shape[dim]
  local last = lt.cumulative_sum(repeats_of(repeats, n, x.device), {dtype = "int64"})
  local total = n > 0 and last[n]:item() or 0
  return x:take(last:searchsorted(lt.arange(1, total + 1, 1, {dtype = "int64", device = x.device})), dim)
end
add("repeat", repeat_)

--- Repeats the whole tensor along each dim.
-- @tparam Tensor x
-- @int ... repetitions along each dim, or one table of them; fewer numbers than dims apply to the last dims
-- @treturn Tensor
add("tile", function(x, ...)
  args.tensor("tile", 1, x)
  local times = list_of(...)
  for i = 1, #times do integer_of("tile", "repetitions", times[i], 0) end
  local shape, ndim = x.shape, math.max(#times, x.ndim)
  local inner, wide, result = {}, {}, {}
  for d = 1, ndim do
    local n, r = shape[d - ndim + x.ndim] or 1, times[d - ndim + #times] or 1
    if r ~= 1 then inner[#inner + 1], wide[#wide + 1] = 1, r end
    inner[#inner + 1], wide[#wide + 1], result[d] = n, n, n * r
  end
  return copy_of(x:reshape(inner):broadcast_to(wide)):reshape(result)
end)

-- Copies `from` to `to`, and shifts the elements cyclically along the dims d, d + 1, …; `shifts` maps a dim to the
-- number of positions by which elements move along it. A cyclic shift exchanges the first n - shift slices of a dim of
-- length n with the other slices.
local function roll_into(to, from, shifts, d)
  while d <= from.ndim and (shifts[d] or 0) % math.max(from.shape[d], 1) == 0 do d = d + 1 end
  if d > from.ndim then return to:copy_(from) end
  local n = from.shape[d]
  local back = shifts[d] % n
  roll_into(to:narrow(d, back + 1, n - back), from:narrow(d, 1, n - back), shifts, d + 1)
  roll_into(to:narrow(d, 1, back), from:narrow(d, n - back + 1, back), shifts, d + 1)
  return to
end

-- Divides each dim of x that is shifted by half of its length into two halves. Returns the shape after the division, a
-- list of its dims that number the halves, and the shifts of the other dims.
local function halves_of(x, shifts)
  local shape, halved, others = {}, {}, {}
  for d = 1, x.ndim do
    local n = x.shape[d]
    local shift = (shifts[d] or 0) % math.max(n, 1)
    if 2 * shift == n and n > 0 and x.ndim + #halved < MOST_DIMS then
      shape[#shape + 1], shape[#shape + 2] = 2, shift
      halved[#halved + 1] = #shape - 1
    else
      shape[#shape + 1] = n
      others[#shape] = shift
    end
  end
  return shape, halved, others
end

--- Returns the only dim that is shifted, and the shift as a number of places backwards. Returns nil if there is none,
-- or if there are several. On a GPU, returns nil if the shift is half of the dim.
local function one_shift(x, shifts)
  local only, back
  local shape, host = x.shape, core.is_on_host(x)
  for d, shift in next, shifts do
    local n = shape[d]
    shift = shift % math.max(n, 1)
    if shift ~= 0 then
      if only or 2 * shift == n and not host then return nil end
      only, back = d, shift
    end
  end
  return only, back
end

--- A shift along one dim joins two parts of x. Otherwise the parts are copied to their places. A shift by half of a
-- dim exchanges the two halves of the dim. To do so is to flip a dim of length 2, so that one copy shifts any number
-- of such dims.
local function roll_tensor(x, shifts)
  local only, back = one_shift(x, shifts)
  if only then return core.roll_dim(x, only, back) end
  local result = lt.empty_like(x)
  local shape, halved, others = halves_of(x, shifts)
  if #halved == 0 then return roll_into(result, x, shifts, 1) end
  roll_into(result:reshape(shape), x:reshape(shape):flip(halved), others, 1)
  return result
end

local function rolled(x, shifts)
  if not x.requires_grad then return roll_tensor(x, shifts) end
  local function roll(_, t) return roll_tensor(t, shifts) end
  local back = {}
  for d, n in pairs(shifts) do back[d] = -(n % math.max(x.shape[d], 1)) end
  return lt.autograd_function {name = "roll", forward = roll, backward = function(_, g) return rolled(g, back) end}(x)
end

--- Shifts elements along dims. Elements that are shifted beyond the end are inserted at the front.
-- @tparam Tensor x
-- @tparam int|{int,...} shift the number of places for each dim in `dim`; negative shifts move elements to the front
-- @tparam[opt] int|{int,...} dim if missing, x is shifted as one row in row-major order; also option `dim`
-- @treturn Tensor
add("roll", function(x, shift, dim)
  args.tensor("roll", 1, x)
  dim = args.dim_option("roll", dim)
  if dim == nil then
    return rolled(x:flatten(), {integer_of("roll", "shift", shift)}):reshape(x.shape)
  end
  if type(dim) == "number" and type(shift) == "number" then
    return rolled(x, {[args.dim("roll", dim, x.ndim)] = integer_of("roll", "shift", shift)})
  end
  local dims, shifts, sum = list_of(dim), list_of(shift), {}
  if type(shift) ~= "table" then for i = 1, #dims do shifts[i] = shift end end
  if #shifts ~= #dims then fail("roll", "%d shifts for %d dims", #shifts, #dims) end
  for i, d in ipairs(dims) do
    local n = integer_of("roll", "shift", shifts[i])
    d = args.dim("roll", d, x.ndim)
    sum[d] = (sum[d] or 0) + n % math.max(x.shape[d], 1)
  end
  return rolled(x, sum)
end)

-- ---- padding ----

-- Returns the shape of x with another length of the dim.
local function with_length(x, dim, length)
  local shape = x.shape
  shape[dim] = length
  return shape
end

-- Maps a mode of padding to two functions of x, a dim, its length n and a width. They return the elements that are put
-- before the first and behind the last element of the dim, as views of x. A compiled function need not copy the views.
local edges = {
  replicate = {
    function(x, dim, _, width) return x:narrow(dim, 1, 1):broadcast_to(with_length(x, dim, width)) end,
    function(x, dim, n, width) return x:narrow(dim, n, 1):broadcast_to(with_length(x, dim, width)) end,
  },
  reflect = {
    function(x, dim, _, width) return x:narrow(dim, 2, width):flip(dim) end,
    function(x, dim, n, width) return x:narrow(dim, n - width, width):flip(dim) end,
  },
  circular = {
    function(x, dim, n, width) return x:narrow(dim, n - width + 1, width) end,
    function(x, dim, _, width) return x:narrow(dim, 1, width) end,
  },
}

local function pad_dim(x, dim, before, after, mode)
  local n = x.shape[dim]
  local most = mode == "reflect" and n - 1 or mode == "circular" and n or n > 0 and math.maxinteger or 0
  if math.max(before, after) > most then
    fail("pad", "%d elements around dim %d of length %d are too many for mode %s",
         math.max(before, after), dim, n, mode)
  end
  local parts = {x}
  if before > 0 then table.insert(parts, 1, edges[mode][1](x, dim, n, before)) end
  if after > 0 then parts[#parts + 1] = edges[mode][2](x, dim, n, after) end
  return lt.concat(parts, dim)
end

-- Cuts off the elements at the ends of dims for which `before` or `after` is negative.
local function crop(x, before, after)
  local shape, key = x.shape, {}
  for d = 1, #shape do key[d] = {1 + math.max(0, -before[d]), shape[d] - math.max(0, -after[d])} end
  return x[key]
end

local function pad_constant(x, before, after, value)
  local shape, key = x.shape, {}
  for d = 1, #shape do
    local n, front = shape[d], math.max(before[d], 0)
    shape[d] = n + front + math.max(after[d], 0)
    key[d] = {front + 1, front + n}
  end
  local y = lt.full(shape, value, {dtype = x.dtype, device = x.device})
  y[key] = x
  return y
end

--- Adds elements at the ends of dims.
-- @tparam Tensor x
-- @tparam {int,...} widths the numbers of elements before and after the last dim, then before and after the
--   second-last dim, and so on; negative widths cut elements off
-- @tparam[opt] table options `mode`: "constant" (default), "reflect" (the edge is not repeated), "replicate",
--   "circular"; `value` (0) for "constant"
-- @treturn Tensor
add("pad", function(x, widths, options)
  args.tensor("pad", 1, x)
  options = options_of("pad", options, {mode = true, value = true})
  local mode = options.mode or "constant"
  if mode ~= "constant" and not edges[mode] then
    fail("pad", "unknown mode %q; known: constant, reflect, replicate, circular", tostring(mode))
  end
  if type(widths) ~= "table" or #widths % 2 ~= 0 or #widths > 2 * x.ndim then
    fail("pad", "table of at most %d widths, two a dim, expected", 2 * x.ndim)
  end
  local shape, before, after, crops = x.shape, {}, {}, false
  for d = #shape, 1, -1 do
    local k = 2 * (#shape - d)
    local front = integer_of("pad", "width", widths[k + 1] or 0, -MOST, MOST)
    local back = integer_of("pad", "width", widths[k + 2] or 0, -MOST, MOST)
    if shape[d] + math.min(front, 0) + math.min(back, 0) < 0 then
      fail("pad", "widths %d and %d cut off more than dim %d of length %d has", front, back, d, shape[d])
    end
    before[d], after[d], crops = front, back, crops or front < 0 or back < 0
  end
  if crops then x = crop(x, before, after) end
  if mode == "constant" then return pad_constant(x, before, after, options.value or 0) end
  local y = x
  for d = 1, x.ndim do
    local front, back = math.max(before[d], 0), math.max(after[d], 0)
    if front + back > 0 then y = pad_dim(y, d, front, back, mode) end
  end
  return rawequal(x, y) and copy_of(x) or y
end)

-- ---- triangles and diagonals ----

local function triangle(fn, x, options, upper)
  if type(options) == "number" then options = {k = options} end
  if x.ndim < 2 then fail(fn, "at least 2 dims expected, the shape is %s", x.shape) end
  local k = options == nil and 0 or integer_of(fn, "k", options_of(fn, options, {k = true}).k or 0)
  return core.triangle(fn, x, k, upper)
end

--- Returns the lower triangles of matrices: copies in which all elements above diagonal k are 0.
-- @tparam Tensor x
-- @tparam[opt] table options `k` (0): the number of the diagonal, above the main diagonal when positive
-- @treturn Tensor
add("tril", function(x, options)
  return triangle("tril", args.tensor("tril", 1, x), options, false)
end)

--- Returns the upper triangles of matrices: copies in which all elements below diagonal k are 0.
-- @tparam Tensor x
-- @tparam[opt] table options `k` (0): the number of the diagonal, above the main diagonal when positive
-- @treturn Tensor
add("triu", function(x, options)
  return triangle("triu", args.tensor("triu", 1, x), options, true)
end)

--- Makes a matrix with ones on diagonal k and zeros elsewhere.
-- @int rows
-- @int[opt=rows] columns
-- @tparam[opt] table options `k` (0): the number of the diagonal, above the main diagonal when positive; `dtype`,
--   `device`
-- @treturn Tensor
function lt.eye(rows, columns, options)
  if type(columns) == "table" then columns, options = nil, columns end
  options = options_of("eye", options, {k = true, dtype = true, device = true})
  integer_of("eye", "rows", rows, 0)
  columns = integer_of("eye", "columns", columns or rows, 0)
  local x = lt.zeros({rows, columns}, {dtype = options.dtype, device = options.device or lt.get_default_device()})
  x:diagonal(integer_of("eye", "k", options.k or 0))[{}] = 1
  return x
end

--- Makes a matrix with a 1-d tensor x on diagonal k, or copies diagonal k of a 2-d tensor x.
-- @tparam Tensor x
-- @int[opt=0] k number of the diagonal, above the main diagonal when positive
-- @treturn Tensor
add("diag", function(x, k)
  args.tensor("diag", 1, x)
  k = integer_of("diag", "k", k or 0, -MOST, MOST)
  if x.ndim == 2 then return copy_of(x:diagonal(k)) end
  if x.ndim ~= 1 then fail("diag", "1 or 2 dims expected, the shape is %s", x.shape) end
  local n = #x + math.abs(k)
  return embed(x, {n, n}, function(y) return y:diagonal(k) end, function(y, value) y:diagonal(k):copy_(value) end)
end)

--- Returns the coordinates of all points of a grid. Argument i lists the values of coordinate i. Result i contains
-- coordinate i of each point.
-- @tparam Tensor ... 1-d tensors
-- @tparam[opt] table options `indexing`: "xy" (default: the first two dims are swapped) or "ij"
-- @treturn Tensor ... a view of each tensor
function lt.meshgrid(...)
  local list, options = args.split("meshgrid", {indexing = true}, ...)
  local indexing, shape = options.indexing or "xy", {}
  if indexing ~= "xy" and indexing ~= "ij" then fail("meshgrid", "option indexing: \"xy\" or \"ij\" expected") end
  for i = 1, list.n do
    local x = args.tensor("meshgrid", i, list[i])
    if x.ndim > 1 then fail("meshgrid", "argument %d: 1 dim expected, got %d", i, x.ndim) end
    shape[i] = x.size
  end
  for i = 1, list.n do
    local key = with_dim(shape, 1, 1)
    for d = 1, list.n do key[d] = d == i and -1 or 1 end
    list[i] = list[i]:reshape(key):broadcast_to(shape)
    if indexing == "xy" and list.n > 1 then list[i] = list[i]:swapaxes(1, 2) end
  end
  return table.unpack(list, 1, list.n)
end

-- ---- masks ----

local function mask_of(fn, i, mask)
  if not lt.is_tensor(mask) or mask.dtype ~= "bool" then
    fail(fn, "argument %d: bool mask expected", i)
  end
  return mask
end

--- Returns the elements at which a mask is true; x and mask broadcast. The call waits for a GPU, because the result's
-- length is the number of these elements.
-- @tparam Tensor x
-- @tparam Tensor mask bool
-- @treturn Tensor 1-d
add("masked_select", function(x, mask)
  args.tensor("masked_select", 1, x)
  mask_of("masked_select", 2, mask)
  local shape = lt.broadcast_shapes(x.shape, mask.shape)
  return x:broadcast_to(shape)[mask:broadcast_to(shape)]:flatten()
end)

--- Returns a copy of x in which the elements at which a mask is true are replaced by the first elements of src, in
-- order. The call waits for a GPU to count these elements.
-- @tparam Tensor x
-- @tparam Tensor mask bool; broadcasts to x's shape
-- @tparam Tensor src has at least as many elements as the mask has true elements
-- @treturn Tensor
add("masked_scatter", function(x, mask, src)
  args.tensor("masked_scatter", 1, x)
  args.tensor("masked_scatter", 3, src)
  local y = x:reshape(-1):clone()
  mask_of("masked_scatter", 2, mask)
  local places = mask:broadcast_to(x.shape):flatten():nonzero()
  if #places > src.size then fail("masked_scatter", "%d places, but src has %d elements", #places, src.size) end
  y[places] = src:flatten()[{{1, #places}}]
  return y:reshape(x.shape)
end)
