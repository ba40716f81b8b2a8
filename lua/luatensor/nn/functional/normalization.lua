--- Normalisation as functions of lt.nn.functional. functional/normed.lua calls the C functions.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local blame = require "luatensor.base.blame"
local normed = require "luatensor.nn.functional.normed"
local pointwise = require "luatensor.nn.functional.pointwise"

local functional = {}

local function checked(name, options, known)
  if options == nil then return {} end
  return args.options(name, options, known)
end

local function number(name, options, key, default)
  local value = options[key]
  if value == nil then return default end
  if type(value) ~= "number" then blame.fail(name, "option %s: number expected, got %s", key, core.type_name(value)) end
  return value
end

--- Converts the lengths of the normalised dims, a number or a list, to a list of positive integers.
local function shape_list(name, shape)
  local list = type(shape) == "table" and shape or {shape}
  if #list == 0 then blame.fail(name, "the shape that is normalised is empty") end
  local checked_list = {}
  for i, n in ipairs(list) do checked_list[i] = args.integer(name, "shape", n, 1) end
  return checked_list
end

local affine = {weight = true, bias = true, eps = true}

--- Returns (x - mean) / √(variance + eps) · weight + bias over the last dims (Ba, Kiros, Hinton, "Layer
-- normalization", 2016). The variance is the sum of squares divided by the number of elements.
-- @function nn.functional.layer_norm
-- @tparam tensor x [..., shape]
-- @param shape the lengths of the last dims: a list, or a number for the last dim
-- @tparam[opt] table options `weight` and `bias`: of that shape; `eps` (1e-5)
-- @treturn tensor of x's shape
-- @raise if shapes do not fit
function functional.layer_norm(x, shape, options)
  local name = "layer_norm"
  options = checked(name, options, affine)
  local eps = number(name, options, "eps", 1e-5)
  return normed.layer(name, x, shape_list(name, shape), options.weight, options.bias, eps, false)
end

local rms_known = {weight = true, eps = true}

--- Returns x / √(mean of x² + eps) · weight over the last dims (Zhang, Sennrich, "Root mean square layer
-- normalization", 2019).
-- @function nn.functional.rms_norm
-- @tparam tensor x [..., shape]
-- @param shape the lengths of the last dims: a list, or a number for the last dim
-- @tparam[opt] table options `weight` of that shape; `eps` (the eps of x's dtype)
-- @treturn tensor of x's shape
-- @raise if shapes do not fit
function functional.rms_norm(x, shape, options)
  local name = "rms_norm"
  options = checked(name, options, rms_known)
  pointwise.check(name, x)
  local eps = number(name, options, "eps", nil) or core.finfo(x.dtype).eps
  return normed.layer(name, x, shape_list(name, shape), options.weight, nil, eps, true)
end

--- Normalises each group of channels of each row by its mean and variance (Wu, He, "Group normalization", 2018).
-- @function nn.functional.group_norm
-- @tparam tensor x [N, C, …]
-- @int groups the number of groups, a divisor of C
-- @tparam[opt] table options `weight` and `bias`: [C]; `eps` (1e-5)
-- @treturn tensor of x's shape
-- @raise if shapes do not fit
function functional.group_norm(x, groups, options)
  local name = "group_norm"
  options = checked(name, options, affine)
  groups = args.integer(name, "groups", groups, 1)
  return normed.group(name, x, groups, options.weight, options.bias, number(name, options, "eps", 1e-5))
end

--- Normalises each channel of each row by its mean and variance (Ulyanov, Vedaldi, Lempitsky, "Instance
-- normalization", 2016).
-- @function nn.functional.instance_norm
-- @tparam tensor x [N, C, …]
-- @tparam[opt] table options `weight` and `bias`: [C]; `eps` (1e-5)
-- @treturn tensor of x's shape
-- @raise if shapes do not fit, or if channels have only one element
function functional.instance_norm(x, options)
  local name = "instance_norm"
  options = checked(name, options, affine)
  return normed.instance(name, x, options.weight, options.bias, number(name, options, "eps", 1e-5))
end

local batch_known = {weight = true, bias = true, training = true, momentum = true, eps = true}

--- Normalises each channel (Ioffe, Szegedy, "Batch normalization", 2015): in training by mean and variance of this
-- batch, otherwise by running_mean and running_var. Training also updates the running statistics, if given, to
-- running + momentum · (batch - running). For this update the variance of a batch with n elements in each channel is
-- the sum of squared deviations, divided by n - 1.
-- @function nn.functional.batch_norm
-- @tparam tensor x [N, C, …]
-- @tparam ?tensor running_mean [C]; changed in training
-- @tparam ?tensor running_var [C]; changed in training
-- @tparam[opt] table options `weight` and `bias`: [C]; `training` (false); `momentum` (0.1); `eps` (1e-5)
-- @treturn tensor of x's shape
-- @raise if shapes do not fit, or, in training, if channels have only one element
function functional.batch_norm(x, running_mean, running_var, options)
  local name = "batch_norm"
  options = checked(name, options, batch_known)
  local momentum, eps = number(name, options, "momentum", 0.1), number(name, options, "eps", 1e-5)
  return normed.batch(name, x, running_mean, running_var, options.weight, options.bias, options.training or false,
                      momentum, eps)
end

local normalize_known = {p = true, dim = true, eps = true}

--- Returns x / max(p-norm of x along a dim, eps).
-- @function nn.functional.normalize
-- @tparam tensor x
-- @tparam[opt] table options `p` (2), `dim` (2), `eps` (1e-12)
-- @treturn tensor of x's shape
function functional.normalize(x, options)
  local name = "normalize"
  options = checked(name, options, normalize_known)
  pointwise.check(name, x)
  local dim = args.dim(name, options.dim == nil and 2 or options.dim, x.ndim)
  local length = lt.linalg.vector_norm(x, {ord = number(name, options, "p", 2), dim = dim, keepdim = true})
  return x / core.maximum(length, number(name, options, "eps", 1e-12))
end

local response_known = {alpha = true, beta = true, k = true}

--- Returns x / (k + alpha · mean of x² over `size` neighbouring channels)^beta (Krizhevsky, Sutskever, Hinton,
-- "ImageNet classification with deep convolutional neural networks", 2012).
-- @function nn.functional.local_response_norm
-- @tparam tensor x [N, C, …]
-- @int size the number of neighbouring channels, including the channel itself
-- @tparam[opt] table options `alpha` (1e-4), `beta` (0.75), `k` (1)
-- @treturn tensor of x's shape
function functional.local_response_norm(x, size, options)
  local name = "local_response_norm"
  options = checked(name, options, response_known)
  pointwise.check(name, x)
  size = args.integer(name, "size", size, 1)
  if x.ndim < 3 then
    blame.fail(name, "an input of shape [N, C, …] expected, its shape is %s", args.shape_text(x.shape))
  end
  local channels, shape = x.shape[2], x.shape
  local squares, sum = x * x, nil
  local function zeros(n)
    shape[2] = n
    return core.zeros(shape, {dtype = x.dtype, device = x.device})
  end
  squares = lt.concat({zeros(size // 2), squares, zeros((size - 1) // 2)}, 2)
  for i = 1, size do
    local part = squares:narrow(2, i, channels)
    sum = sum and sum + part or part
  end
  local alpha, beta = number(name, options, "alpha", 1e-4), number(name, options, "beta", 0.75)
  return x / (sum * (alpha / size) + number(name, options, "k", 1)) ^ beta
end

return functional
