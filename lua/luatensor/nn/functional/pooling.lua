--- Pooling as functions of lt.nn.functional, and helpers that nn/pooling.lua calls, too.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local window = require "luatensor.nn.window"

local ag = core.autograd

local functional = {}

-- ---- functions that layers and functions share ----

local pooling = {}

pooling.max_options = {stride = true, padding = true, dilation = true, ceil_mode = "boolean",
                       return_indices = "boolean"}
pooling.average_options = {stride = true, padding = true, ceil_mode = "boolean", count_include_pad = "boolean",
                           divisor_override = true}

--- Converts a kernel's lengths and the options to the list of numbers that describes the windows to core.max_pool and
-- core.average_pool.
function pooling.windows(name, kernel_size, options, dims)
  local kernel = window.lengths(name, "kernel_size", kernel_size, dims, 1)
  local stride = window.lengths(name, "stride", options.stride, dims, 1, kernel_size)
  local pad = window.lengths(name, "padding", options.padding, dims, 0, 0)
  local dilation = window.lengths(name, "dilation", options.dilation, dims, 1, 1)
  for d = 1, 2 do
    if 2 * pad[d] > kernel[d] then
      args.fail(name, "padding must be at most half the kernel_size, got %d and %d", pad[d], kernel[d])
    end
  end
  local divisor = options.divisor_override and args.integer(name, "divisor_override", options.divisor_override, 1) or 0
  return {kernel[1], kernel[2], stride[1], stride[2], pad[1], pad[2], dilation[1], dilation[2],
          options.ceil_mode and 1 or 0, options.count_include_pad ~= false and 1 or 0, divisor}
end

--- Converts option output_size of adaptive pooling to the list {height, width} of the result. For signals, height is 1.
-- false in the list stands for the length of x in the same dim.
function pooling.adaptive(name, size, dims)
  if core.type_name(size) ~= "table" then size = dims == 1 and {size} or {size, size} end
  if #size ~= dims then args.fail(name, "output_size: %d numbers expected, got %d", dims, #size) end
  local list = dims == 1 and {1} or {}
  for i = 1, dims do
    list[#list + 1] = size[i] ~= false and args.integer(name, "output_size", size[i], 1)
  end
  return list
end

-- Returns the output lengths of adaptive pooling. In `windows`, false stands for the length of x in the same dim.
local function settled(windows, x, dims)
  if windows[1] and windows[2] then return windows end
  local shape, ndim = x.shape, x.ndim
  return {windows[1] or shape[ndim - 1], dims and (windows[2] or shape[ndim])}
end

local function check(owner, x, windows, dims)
  local batch, lone = window.batched(owner, x, dims)
  if #windows == 2 then
    local shape, ndim = x.shape, x.ndim
    for d = ndim - dims + 1, ndim do
      if shape[d] == 0 then owner:fail("the input has no elements along dim %d: %s", d, tostring(shape)) end
    end
    return batch, lone, settled(windows, x, dims)
  end
  window.check_fits(owner, x, dims, windows, {windows[7], windows[8]}, {windows[5], windows[6]},
                    {windows[5], windows[6]}, windows[9] == 1 and {windows[3] - 1, windows[4] - 1})
  return batch, lone, windows
end

--- Returns the maxima and, if with_places is true, their positions.
function pooling.max(owner, x, windows, dims, with_places)
  local batch, lone
  batch, lone, windows = check(owner, x, windows, dims)
  if not with_places and not (ag.mode() and x.requires_grad) then
    return window.unbatched(core.max_pool(batch, windows), lone)
  end
  local y, position = core.max_pool(batch, windows, true)
  local places = with_places and window.unbatched(position:to("int64"), lone) or nil
  position:free()
  y = window.unbatched(y, lone)
  if places then return y, places end
  return y
end

function pooling.average(owner, x, windows, dims)
  local batch, lone
  batch, lone, windows = check(owner, x, windows, dims)
  return window.unbatched(core.average_pool(batch, windows), lone)
end

-- ---- public functions ----

local function prepare(name, kernel_size, options, known, dims)
  options = args.options(name, options, known)
  return pooling.windows(name, kernel_size, options, dims), options
end

local function make_max(name, dims)
  local owner = window.owner(name)
  return function(x, kernel_size, options)
    local windows, given = blame.call(prepare, name, kernel_size, options, pooling.max_options, dims)
    return pooling.max(owner, x, windows, dims, given.return_indices)
  end
end

local function make_average(name, dims)
  local owner = window.owner(name)
  return function(x, kernel_size, options)
    local windows = blame.call(prepare, name, kernel_size, options, pooling.average_options, dims)
    return pooling.average(owner, x, windows, dims)
  end
end

local function make_adaptive_max(name, dims)
  local owner = window.owner(name)
  return function(x, output_size, options)
    local given = args.options(name, options, {return_indices = "boolean"})
    return pooling.max(owner, x, blame.call(pooling.adaptive, name, output_size, dims), dims, given.return_indices)
  end
end

local function make_adaptive_average(name, dims)
  local owner = window.owner(name)
  return function(x, output_size)
    return pooling.average(owner, x, blame.call(pooling.adaptive, name, output_size, dims), dims)
  end
end

--- Returns the maximum of each window of signals.
-- @function nn.functional.max_pool1d
-- @tparam tensor x [batch, channels, length] or [channels, length]
-- @param kernel_size the number of elements of a window
-- @tparam[opt] table options `stride` (kernel_size), `padding` (0; at most half of the kernel; padding is never the
--   maximum), `dilation` (1), `ceil_mode` (false; true: windows may extend beyond the padding), `return_indices`
--   (false)
-- @treturn tensor [batch, channels, ⌊(length + 2 padding - dilation (kernel_size - 1) - 1) / stride⌋ + 1]
-- @treturn ?tensor with return_indices: the positions of the maxima in x, int64, counted from 1
functional.max_pool1d = make_max("max_pool1d", 1)

--- Returns the maximum of each window of images. Options are numbers, or lists {height, width}. Indices count row by
-- row in each channel of an image.
-- @function nn.functional.max_pool2d
-- @tparam tensor x [batch, channels, height, width] or [channels, height, width]
-- @param kernel_size a number, or a list {height, width}
-- @tparam[opt] table options those of nn.functional.max_pool1d
-- @treturn tensor [batch, channels, height, width]; height and width follow the formula of max_pool1d
-- @treturn ?tensor with return_indices: the positions of the maxima in a channel, int64, counted from 1
functional.max_pool2d = make_max("max_pool2d", 2)

--- Returns the mean of each window of signals.
-- @function nn.functional.avg_pool1d
-- @tparam tensor x [batch, channels, length] or [channels, length]
-- @param kernel_size the number of elements of a window
-- @tparam[opt] table options `stride` (kernel_size), `padding` (0), `ceil_mode` (false), `count_include_pad` (true:
--   the padding's zeros count), `divisor_override`: divides the sums in place of the window's size
-- @treturn tensor [batch, channels, length]; the length follows the formula of max_pool1d
functional.avg_pool1d = make_average("avg_pool1d", 1)

--- Returns the mean of each window of images.
-- @function nn.functional.avg_pool2d
-- @tparam tensor x [batch, channels, height, width] or [channels, height, width]
-- @param kernel_size a number, or a list {height, width}
-- @tparam[opt] table options those of nn.functional.avg_pool1d
-- @treturn tensor [batch, channels, height, width]; height and width follow the formula of max_pool1d
functional.avg_pool2d = make_average("avg_pool2d", 2)

--- Returns the means of output_size windows of signals. Window p, counted from 0, contains x's elements ⌊p · length /
-- output_size⌋ + 1 to ⌈(p + 1) · length / output_size⌉.
-- @function nn.functional.adaptive_avg_pool1d
-- @tparam tensor x [batch, channels, length] or [channels, length]
-- @int output_size the length of the result
-- @treturn tensor [batch, channels, output_size]
functional.adaptive_avg_pool1d = make_adaptive_average("adaptive_avg_pool1d", 1)

--- Returns the means of windows of images, as adaptive_avg_pool1d along height and width.
-- @function nn.functional.adaptive_avg_pool2d
-- @tparam tensor x [batch, channels, height, width] or [channels, height, width]
-- @param output_size a number, or a list {height, width}, in which false keeps the length of x
-- @treturn tensor [batch, channels, height, width]
functional.adaptive_avg_pool2d = make_adaptive_average("adaptive_avg_pool2d", 2)

--- Returns the maxima of output_size windows of signals. The windows are those of adaptive_avg_pool1d.
-- @function nn.functional.adaptive_max_pool1d
-- @tparam tensor x [batch, channels, length] or [channels, length]
-- @int output_size the length of the result
-- @tparam[opt] table options `return_indices` (false)
-- @treturn tensor [batch, channels, output_size]
-- @treturn ?tensor with return_indices: the positions of the maxima in x, int64, counted from 1
functional.adaptive_max_pool1d = make_adaptive_max("adaptive_max_pool1d", 1)

--- Returns the maxima of windows of images, as adaptive_max_pool1d along height and width.
-- @function nn.functional.adaptive_max_pool2d
-- @tparam tensor x [batch, channels, height, width] or [channels, height, width]
-- @param output_size a number, or a list {height, width}, in which false keeps the length of x
-- @tparam[opt] table options `return_indices` (false)
-- @treturn tensor [batch, channels, height, width]
-- @treturn ?tensor with return_indices: the positions of the maxima in a channel, int64, counted from 1
functional.adaptive_max_pool2d = make_adaptive_max("adaptive_max_pool2d", 2)

window.pooling = pooling

return functional
