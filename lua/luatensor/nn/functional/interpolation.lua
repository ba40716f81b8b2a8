--- Changes of the size of signals, images and volumes, for nn.functional.interpolate and nn.Upsample. All modes treat
-- the dims one after the other. An element of the result is a weighted sum of elements along the dim, its taps.

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local lt = require "luatensor"

-- ---- taps ----
--
-- A function of taps returns, for element i of the result (from 0), the first element of the input (from 0, maybe
-- outside of it) and the list of weights from there on. Fields of g: the lengths `input` and `output`; `scale`, the
-- distance of two elements of the result in the input; `align`, true with option align_corners.

-- Rounds a number to float32, in which PyTorch computes positions of mode nearest.
local function float32(value) return (("f"):unpack(("f"):pack(value))) end

-- Returns the position of element i in the input.
local function position(g, i) return g.align and g.scale * i or g.scale * (i + 0.5) - 0.5 end

local function nearest(g, i)
  if g.output == g.input then return i, {1} end
  if g.output == 2 * g.input then return i // 2, {1} end
  return math.min(math.floor(float32(i * float32(g.scale))), g.input - 1), {1}
end

local function nearest_exact(g, i)
  return math.min(math.floor(float32((i + 0.5) * float32(g.scale))), g.input - 1), {1}
end

local function linear(g, i)
  local at = math.max(position(g, i), 0)
  local first = math.min(math.floor(at), g.input - 1)
  local t = math.min(at - first, 1)
  return first, {1 - t, t}
end

-- Returns the cubic filter of Keys at a distance. a: the slope at distance 1.
local function cubic_filter(a, distance)
  local d = math.abs(distance)
  if d < 1 then return ((a + 2) * d - (a + 3)) * d * d + 1 end
  return d < 2 and ((d - 5) * d + 8) * d * a - 4 * a or 0
end

local function cubic(g, i)
  local at = position(g, i)
  local first = math.floor(at) - 1
  local weights = {}
  for k = 1, 4 do weights[k] = cubic_filter(-0.75, at - (first + k - 1)) end
  return first, weights
end

local function area(g, i)
  local first = i * g.input // g.output
  local count = -(-(i + 1) * g.input // g.output) - first
  local weights = {}
  for k = 1, count do weights[k] = 1 / count end
  return first, weights
end

-- Returns the taps of a filter that becomes wider if the result is smaller than the input, as Pillow does. reach: the
-- filter is 0 from this distance on.
local function wide(filter, reach)
  return function(g, i)
    local stretch = math.max(g.scale, 1)
    local centre = g.scale * (i + 0.5)
    local first = math.max(math.floor(centre - reach * stretch + 0.5), 0)
    local last = math.min(math.floor(centre + reach * stretch + 0.5), g.input)
    local weights, sum = {}, 0
    for k = first, last - 1 do
      local weight = filter((k - centre + 0.5) / stretch)
      weights[#weights + 1], sum = weight, sum + weight
    end
    for k = 1, #weights do weights[k] = weights[k] / sum end
    return first, weights
  end
end

local wide_linear = wide(function(d) return math.max(1 - math.abs(d), 0) end, 1)
local wide_cubic = wide(function(d) return cubic_filter(-0.5, d) end, 2)

-- For each mode: its taps, its taps with option antialias, and the numbers of dims that it has (all: nil).
local modes = {
  nearest = {nearest}, ["nearest-exact"] = {nearest_exact}, area = {area},
  linear = {linear, nil, 1}, bilinear = {linear, wide_linear, 2}, trilinear = {linear, nil, 3},
  bicubic = {cubic, wide_cubic, 2},
}

-- ---- kept weights ----
--
-- Tensors of weights are kept from call to call. So later calls copy nothing from the host, and can be captured.

local MOST <const> = 1 << 22                 -- most elements of the kept tensors: 16 MiB of float32
local ENTRY <const> = 1 << 8                 -- elements that count for the tables of an entry
local kept, elements = {}, 0

-- Returns the tensors that are kept for a key. If there are none, calls make(...), which returns a list, and keeps it.
local function keep(key, make, ...)
  local list = kept[key]
  if list then return list end
  list = make(...)
  local count = ENTRY
  for _, x in ipairs(list) do count = count + x.size end
  if elements + count > MOST then kept, elements = {}, 0 end
  kept[key], elements = list, elements + count
  return list
end

-- ---- resampling ----

-- Returns a list for each tap: {positions, from 1; weights}. Taps outside of the input count for its first or last
-- element, and rows with fewer taps end with weights of 0.
local function list_taps(taps, g)
  local rows, most = {}, 0
  for i = 0, g.output - 1 do
    local first, weights = taps(g, i)
    rows[i + 1] = {first, weights}
    most = math.max(most, #weights)
  end
  local lists = {}
  for k = 1, most do
    local positions, weights = {}, {}
    for i, row in ipairs(rows) do
      positions[i] = math.max(math.min(row[1] + k - 1, g.input - 1), 0) + 1
      weights[i] = row[2][k] or 0
    end
    lists[k] = {positions, weights}
  end
  return lists
end

-- Returns the matrix [output, input] of the weights, as a list of rows.
local function matrix_of(lists, g)
  local rows = {}
  for i = 1, g.output do
    local row = {}
    for k = 1, g.input do row[k] = 0 end
    for _, list in ipairs(lists) do
      local at = list[1][i]
      row[at] = row[at] + list[2][i]
    end
    rows[i] = row
  end
  return rows
end

local FEW <const> = 4                        -- most taps that are summed one after the other, without a matrix

-- Returns the tensors for taps: their positions and their weights, tap by tap, or only a matrix [output, input].
local function make_tensors(taps, g, dtype, device)
  local lists, list = list_taps(taps, g), {}
  if #lists > FEW then
    return {lt.tensor(matrix_of(lists, g), {dtype = dtype, device = device})}
  end
  for _, pair in ipairs(lists) do
    list[#list + 1] = lt.tensor(pair[1], {dtype = "int64", device = device})
    if #lists > 1 then list[#list + 1] = lt.tensor(pair[2], {dtype = dtype, device = device}) end
  end
  return list
end

-- Returns x resampled along a dim by checked options.
local function resample(x, dim, options, g)
  local mode, dtype, device = modes[options.mode], x.dtype, x.device
  local key = ("%s %s %s %d %d %a %s %s"):format(options.mode, options.antialias, g.align, g.input, g.output, g.scale,
                                                 dtype, device)
  local list = keep(key, make_tensors, options.antialias and mode[2] or mode[1], g, dtype, device)
  if list[1].ndim == 2 then
    if dim == x.ndim - 1 then return list[1]:matmul(x) end
    return x:swapaxes(dim, -1):matmul(list[1].T):swapaxes(dim, -1)
  elseif #list == 1 then
    return lt.take(x, list[1], dim)
  end
  local shape, sum = {}, nil
  for d = 1, x.ndim do shape[d] = d == dim and g.output or 1 end
  for k = 1, #list, 2 do
    local part = lt.take(x, list[k], dim) * list[k + 1]:reshape(shape)
    sum = sum and sum + part or part
  end
  return sum
end

-- ---- arguments ----

local NAMES <const> = {"nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"}

local known = {
  size = true, scale_factor = true, mode = {"choice", table.unpack(NAMES)},
  align_corners = "boolean", antialias = "boolean",
}

--- Returns the options of interpolate in their normal form. Raises an error, in the name of function `name`, if they do
-- not fit together.
local function read_options(name, options)
  options = args.read(name, options, known)
  options.mode = options.mode or "nearest"
  local mode = modes[options.mode]
  if (options.size == nil) == (options.scale_factor == nil) then
    blame.fail(name, "either size or scale_factor must be given")
  elseif options.align_corners and mode[1] ~= linear and mode[1] ~= cubic then
    blame.fail(name, "align_corners is not for mode %q", options.mode)
  elseif options.antialias and not mode[2] then
    blame.fail(name, "antialias is for the modes bilinear and bicubic, not for %q", options.mode)
  end
  return options
end

-- Returns number d of `value`, a number for all dims or a list of one for each of n dims.
local function of_dim(name, what, value, d, n)
  if core.type_name(value) ~= "table" then return value end
  if #value ~= n then args.fail(name, "%s: %d numbers expected, got %d", what, n, #value) end
  return value[d]
end

-- Returns the lengths and the scale of dim d of n.
local function geometry(name, options, input, d, n)
  local factor = options.scale_factor and
                 args.check(name, "scale_factor", of_dim(name, "scale_factor", options.scale_factor, d, n), "positive")
  local size = factor and math.floor(input * factor) or of_dim(name, "size", options.size, d, n)
  local output = args.integer(name, factor and "the length that scale_factor gives" or "size", size, 1, 1 << 30)
  local scale = factor and 1 / factor or input / output
  if options.align_corners then scale = output > 1 and (input - 1) / (output - 1) or 0 end
  return {input = input, output = output, scale = scale, align = options.align_corners}
end

local function check_input(name, x, options)
  args.tensor(name, 1, x)
  local n, wanted = x.ndim - 2, modes[options.mode][3]
  if n < 1 or n > 3 or wanted and n ~= wanted then
    local form = {"length", "height, width", "depth, height, width"}
    blame.fail(name, "mode %q takes [batch, channels, %s], the shape of x is %s", options.mode,
               form[wanted] or "…", args.shape_text(x.shape))
  end
  local copies = options.mode:find "^nearest"
  if not copies and not x.dtype:find "^b?float" then
    blame.fail(name, "a float expected for mode %q, got %s; use data.transforms.to_float", options.mode, x.dtype)
  end
  for d = 3, x.ndim do
    if x.shape[d] == 0 then blame.fail(name, "x has no elements along dim %d: %s", d, args.shape_text(x.shape)) end
  end
  return n, copies
end

-- Resamples x by checked options. Half floats are computed in float32 and rounded at the end.
local function run(name, x, options)
  local n, copies = check_input(name, x, options)
  local dtype = x.dtype
  local y = (copies or not core.floats[dtype] or core.floats[dtype] == dtype) and x or x:to "float32"
  for d = n, 1, -1 do
    local g = geometry(name, options, x.shape[d + 2], d, n)
    local same = g.input == g.output and (g.scale == 1 or copies or options.mode == "area")
    if not same then y = resample(y, d + 2, options, g) end
  end
  y = y:to(dtype)
  return rawequal(y, x) and x:clone() or y
end

return {read_options = read_options, run = run}
