--- Convolutions as functions of lt.nn.functional, and helpers that nn/convolution.lua calls, too.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local autocast = require "luatensor.nn.autocast"
local window = require "luatensor.nn.window"

local cast = autocast.cast
-- Upper bound of the lengths of results, so that sums of several lengths do not overflow integers.
local MOST = 2 ^ 53

local functional = {}

-- ---- functions that layers and functions share ----

local convolution = {}

-- Returns the kernel's height and width from a weight's shape. The kernel of a signal (dims = 1) has height 1.
local function kernel_of(weight, dims)
  local shape = weight.shape
  return dims == 1 and {1, shape[3]} or {shape[3], shape[4]}
end

local function check_parameters(owner, x, weight, bias)
  window.check_kin(owner, x, weight, "the weight")
  if bias then window.check_kin(owner, x, bias, "the bias") end
end

-- Calls f, a function of core. If f raises an error, the message names the owner, a layer or a function, instead of f.
local function run(owner, f, ...)
  local ok, y = pcall(f, ...)
  if ok then return y end
  local words = type(y) == "string" and y:gsub("^[^\n]-:%d+: ", "")
  if not words then error(y, 0) end
  local own = words:match "^conv[_%a]*: (.*)" or words:match "^out of memory.*"
  if own then owner:fail("%s", own) end
  blame.call(error, y, 0)
end

-- Returns the tensor that core writes to if option `out` was given. core requires a batch dim. If lone is true, the
-- input has no batch dim, and the function returns a view of `out` with a batch dim. Otherwise the function returns
-- `out` itself. Core refuses a value that is no tensor. dims: 1 for signals, 2 for images.
local function target(owner, out, lone, dims)
  if not lone or not core.is_tensor(out) or core.gone(out) then return out end
  if out.ndim ~= dims + 1 then
    owner:fail("the target has shape %s, the result %d dims as the input", tostring(out.shape), dims + 1)
  end
  return out:expand_dims(1)
end

--- Computes a convolution with a weight and a bias whose shapes were checked.
-- @param owner a layer, or a result of window.owner; the subject of errors
-- @tab geometry a result of window.geometry
-- @int dims 1 for signals, 2 for images
-- @tparam[opt] tensor out receives the result
function convolution.forward(owner, x, weight, bias, geometry, dims, out)
  x, weight, bias = cast(x), cast(weight), bias and cast(bias)
  local batch, lone = window.batched(owner, x, dims, weight.shape[2] * geometry[9])
  check_parameters(owner, x, weight, bias)
  window.check_fits(owner, x, dims, kernel_of(weight, dims), {geometry[7], geometry[8]}, {geometry[3], geometry[4]},
                    {geometry[5], geometry[6]})
  local y = run(owner, core.conv, batch, weight, bias or nil, geometry, target(owner, out, lone, dims))
  return out or window.unbatched(y, lone)
end

-- Returns the lengths of a transposed convolution's result: {height, width}, or {length} for a signal. shape: the
-- input's shape; kernel: a result of kernel_of; g: a result of window.geometry; extra: option output_padding.
local function transposed_lengths(owner, shape, kernel, g, extra, dims)
  local lengths = {}
  for d = 3 - dims, 2 do
    local stride, pad, dilation = g[d], g[2 + d], g[6 + d]
    local n = (shape[#shape - 2 + d] - 1) * stride - 2 * pad + dilation * (kernel[d] - 1) + extra[d] + 1
    if (shape[#shape - 2 + d] - 1.0) * stride + dilation * (kernel[d] - 1.0) > MOST then
      owner:fail("the result would be too long: the input's shape is %s, the stride %d, the dilation %d",
                 tostring(shape), stride, dilation)
    end
    if n < 1 then owner:fail("the result would have no elements: the input's shape is %s", tostring(shape)) end
    lengths[#lengths + 1] = n
  end
  return lengths
end

--- Computes the transposed convolution: the gradient of a convolution with respect to its input, where x is the
-- gradient of the convolution's result. `extra` is a result of convolution.output_padding.
function convolution.transposed(owner, x, weight, bias, geometry, extra, dims, out)
  x, weight, bias = cast(x), cast(weight), bias and cast(bias)
  local batch, lone = window.batched(owner, x, dims, weight.shape[1])
  check_parameters(owner, x, weight, bias)
  local lengths = transposed_lengths(owner, x.shape, kernel_of(weight, dims), geometry, extra, dims)
  local to = target(owner, out, lone, dims)
  local y = run(owner, core.conv_input, batch, weight, geometry, lengths[1], lengths[2], to, bias or nil)
  if bias then
    local plain, column = y, bias:reshape(dims == 1 and {-1, 1} or {-1, 1, 1})
    y = core.add(plain, column, to and {out = to})
    if not to then plain:free() end
  end
  return out or window.unbatched(y, lone)
end

--- Returns option output_padding as {height, width}: the numbers of elements that a transposed convolution appends at
-- the end of its result. Both must be less than the stride.
function convolution.output_padding(name, value, dims, geometry)
  local extra = window.lengths(name, "output_padding", value, dims, 0, 0)
  for d = 1, 2 do
    if extra[d] >= geometry[d] then
      args.fail(name, "output_padding must be smaller than the stride, got %d and %d", extra[d], geometry[d])
    end
  end
  return extra
end

-- ---- public functions ----

local known = {stride = true, padding = true, dilation = true, groups = true, out = true}
local known_transposed = {
  stride = true, padding = true, output_padding = true, dilation = true, groups = true, out = true
}

local function check_weight(name, weight, bias, dims, groups, transposed)
  args.tensor(name, 2, weight)
  if weight.ndim ~= dims + 2 then
    args.fail(name, "the weight must have %d dims, its shape is %s", dims + 2, tostring(weight.shape))
  end
  local first, channels = weight.shape[1], transposed and weight.shape[2] * groups or weight.shape[1]
  if first % groups ~= 0 then args.fail(name, "%d channels cannot be divided into %d groups", first, groups) end
  if bias == nil then return end
  args.tensor(name, 3, bias)
  if bias.ndim ~= 1 or bias.shape[1] ~= channels then
    args.fail(name, "the bias must have shape [%d], it has %s", channels, tostring(bias.shape))
  end
end

local function prepare(name, weight, bias, options, dims, transposed)
  options = args.options(name, options, transposed and known_transposed or known)
  local groups = args.integer(name, "groups", options.groups or 1, 1)
  check_weight(name, weight, bias, dims, groups, transposed)
  if transposed and type(options.padding) == "string" then
    args.fail(name, "padding: numbers expected, got %q", options.padding)
  end
  local geometry = window.geometry(name, options, dims, kernel_of(weight, dims))
  return geometry, transposed and convolution.output_padding(name, options.output_padding, dims, geometry)
end

local function make(name, dims, transposed)
  local owner = window.owner(name)
  return function(x, weight, bias, options)
    if options == nil and not core.is_tensor(bias) then bias, options = nil, bias end
    local geometry, extra = blame.call(prepare, name, weight, bias, options, dims, transposed)
    local out = options and options.out
    if transposed then return convolution.transposed(owner, x, weight, bias, geometry, extra, dims, out) end
    return convolution.forward(owner, x, weight, bias, geometry, dims, out)
  end
end

--- Computes a convolution of signals, as a cross-correlation like PyTorch's:
--
--     y[b, o, p] = bias[o] + Σ x[b, c, p · stride + k · dilation - padding] · weight[o, c, k]
--
-- The sum is over the channels c of o's group and the places k of the kernel. Places p and k count from 0 here.
-- @function nn.functional.conv1d
-- @tparam tensor x [batch, channels, length] or [channels, length]
-- @tparam tensor weight [outputs, channels / groups, kernel]
-- @tparam[opt] tensor bias [outputs]
-- @tparam[opt] table options `stride` (1), `padding` (0; a number, "same" or "valid"), `dilation` (1), `groups` (1),
--   `out`
-- @treturn tensor [batch, outputs, ⌊(length + 2 padding - dilation (kernel - 1) - 1) / stride⌋ + 1]
functional.conv1d = make("conv1d", 1)

--- Computes a convolution of images: conv1d with two dims, so the kernel is not flipped (a cross-correlation, as in
-- PyTorch). Options are numbers, or lists {height, width}. The padding "same" preserves height and width. It needs
-- stride 1; if the total padding is odd, the end gets one element more than the beginning.
-- @function nn.functional.conv2d
-- @tparam tensor x [batch, channels, height, width] or [channels, height, width]
-- @tparam tensor weight [outputs, channels / groups, kernel height, kernel width]
-- @tparam[opt] tensor bias [outputs]
-- @tparam[opt] table options `stride` (1), `padding` (0; numbers, "same" or "valid"), `dilation` (1), `groups` (1),
--   `out`
-- @treturn tensor [batch, outputs, height, width]; height and width follow the formula of conv1d
functional.conv2d = make("conv2d", 2)

--- Computes a transposed convolution of signals, the gradient of conv1d: each element of x adds a multiple of a
-- kernel to y.
-- @function nn.functional.conv_transpose1d
-- @tparam tensor x [batch, channels, length] or [channels, length]
-- @tparam tensor weight [channels, outputs / groups, kernel]
-- @tparam[opt] tensor bias [outputs]
-- @tparam[opt] table options `stride` (1), `padding` (0), `output_padding` (0), `dilation` (1), `groups` (1),
--   `out`
-- @treturn tensor [batch, outputs, (length - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1]
functional.conv_transpose1d = make("conv_transpose1d", 1, true)

--- Computes a transposed convolution of images: conv_transpose1d with two dims.
-- @function nn.functional.conv_transpose2d
-- @tparam tensor x [batch, channels, height, width] or [channels, height, width]
-- @tparam tensor weight [channels, outputs / groups, kernel height, kernel width]
-- @tparam[opt] tensor bias [outputs]
-- @tparam[opt] table options `stride` (1), `padding` (0), `output_padding` (0), `dilation` (1), `groups` (1),
--   `out`
-- @treturn tensor [batch, outputs, height, width]; height and width follow the formula of conv_transpose1d
functional.conv_transpose2d = make("conv_transpose2d", 2, true)

window.convolution = convolution

return functional
