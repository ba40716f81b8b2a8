--- Normalisation for layers and functions: checks the arguments and calls the C function. Argument `who` is the
-- subject of errors: a function's name, or a layer.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lists = require "luatensor.base.lists"
local autocast = require "luatensor.nn.autocast"
local blame = require "luatensor.base.blame"

local normed = {}

local shape_text, wide = args.shape_text, autocast.wide

local function fail(who, ...)
  if type(who) == "table" then who:fail(...) end
  blame.fail(who, ...)
end
normed.fail = fail

--- Raises an error unless x is a tensor of floats that was not freed. `what` is x's name in the error.
local function check(who, what, x)
  if not core.is_tensor(x) then fail(who, "%s: tensor expected, got %s", what, core.type_name(x)) end
  if core.gone(x) then fail(who, "%s: %s", what, core.gone(x)) end
  if not core.floats[x.dtype] then fail(who, "%s: a tensor of floats expected, got %s", what, x.dtype) end
end

--- Raises an error unless t is nil, or a tensor of floats that has the given shape and is on x's device.
local function check_beside(who, what, x, t, shape)
  if t == nil then return end
  check(who, what, t)
  if not lists.same(t.shape, shape) then
    fail(who, "%s has shape %s, %s expected", what, shape_text(t.shape), shape_text(shape))
  end
  if t.device ~= x.device then
    fail(who, "%s is on %s, the input on %s; use :to(%q)", what, t.device, x.device, x.device)
  end
end

--- Normalises each slice of x over the last dims, whose lengths are `shape`.
-- @param who a function's name, or a layer
-- @tparam tensor x
-- @tab shape a list of lengths
-- @tparam ?tensor weight of that shape
-- @tparam ?tensor bias of that shape
-- @number eps
-- @bool rms true for RMS normalisation, which uses 0 as mean
function normed.layer(who, x, shape, weight, bias, eps, rms)
  check(who, "the input", x)
  x = wide(x)
  local own, count = x.shape, 1
  for k, n in ipairs(shape) do
    if own[#own - #shape + k] ~= n then
      fail(who, "the input's last dims must be %s, its shape is %s", shape_text(shape), shape_text(own))
    end
    count = count * n
  end
  check_beside(who, "weight", x, weight, shape)
  check_beside(who, "bias", x, bias, shape)
  return core.norm_rows(x, weight, bias, count, 1, 1, eps, rms)
end

--- Returns the number of elements of each channel of each row: the product of the lengths after the second.
local function run_of(shape)
  local n = 1
  for d = 3, #shape do n = n * shape[d] end
  return n
end

--- Normalises each of `groups` groups of channels of [N, C, …], separately in each row. weight and bias are [C] or
-- nil.
function normed.group(who, x, groups, weight, bias, eps)
  check(who, "the input", x)
  x = wide(x)
  local shape = x.shape
  if #shape < 2 then fail(who, "an input of shape [N, C, …] expected, its shape is %s", shape_text(shape)) end
  local channels = shape[2]
  if channels % groups ~= 0 then
    fail(who, "%d channels are no multiple of %d groups, the input's shape is %s", channels, groups, shape_text(shape))
  end
  check_beside(who, "weight", x, weight, {channels})
  check_beside(who, "bias", x, bias, {channels})
  return core.norm_rows(x, weight, bias, channels // groups, run_of(shape), groups, eps, false)
end

--- Normalises each channel of each row of [N, C, …]. weight and bias are [C] or nil.
function normed.instance(who, x, weight, bias, eps)
  check(who, "the input", x)
  if x.ndim < 3 then fail(who, "an input of shape [N, C, …] expected, its shape is %s", shape_text(x.shape)) end
  if run_of(x.shape) == 1 then
    fail(who, "expected more than 1 value of each channel and row, the input's shape is %s", shape_text(x.shape))
  end
  return normed.group(who, x, math.max(1, x.shape[2]), weight, bias, eps)
end

--- Normalises each channel of [N, C, …] over all rows: if `training` is true, by mean and variance of x, otherwise by
-- the tensors mean and var [C]. Training also updates mean and var, if given, with the factor `momentum`.
function normed.batch(who, x, mean, var, weight, bias, training, momentum, eps)
  check(who, "the input", x)
  x = wide(x)
  local shape = x.shape
  if #shape < 2 then fail(who, "an input of shape [N, C, …] expected, its shape is %s", shape_text(shape)) end
  local parameters = {shape[2]}
  check_beside(who, "running_mean", x, mean, parameters)
  check_beside(who, "running_var", x, var, parameters)
  check_beside(who, "weight", x, weight, parameters)
  check_beside(who, "bias", x, bias, parameters)
  if not training and not (mean and var) then fail(who, "without training running_mean and running_var are needed") end
  if training and shape[1] * run_of(shape) == 1 then
    fail(who, "expected more than 1 value per channel when training, the input's shape is %s", shape_text(shape))
  end
  return core.norm_channels(x, weight, bias, mean, var, training, momentum, eps)
end

return normed
