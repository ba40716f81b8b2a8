--- nn.init: functions that initialise parameters. Each function except calculate_gain fills a tensor in place,
-- without recording, and returns the tensor. With a given generator, a function draws the same numbers on every
-- device.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local names = require "luatensor.base.names"
local blame = require "luatensor.base.blame"
local engine = require "luatensor.autograd.engine"

local init = {}

-- ---- arguments ----

local function check_tensor(name, x)
  if not core.is_tensor(x) then blame.fail(name, "tensor expected, got %s", core.type_name(x)) end
  if core.gone(x) then blame.fail(name, "%s", core.gone(x)) end
  if not x.dtype:find("float") then blame.fail(name, "a tensor of floats expected, got %s", x.dtype) end
end

local function number(name, what, value, default)
  if value == nil then value = default end
  if type(value) ~= "number" then blame.fail(name, "%s: number expected, got %s", what, core.type_name(value)) end
  return value
end

local function options_of(name, options, known)
  known.generator = "generator"
  return args.options(name, options, known)
end

-- Returns options for lt.uniform and similar functions that draw numbers for x: dtype, device and generator. Numbers
-- for half floats are drawn as float32, and then rounded.
local function like(x, options)
  local dtype = x.dtype
  return {dtype = dtype:find("16") and "float32" or dtype, device = x.device, generator = options.generator}
end

local function fill(x, values)
  local _ <close> = engine.recording(false)
  x:copy_(values)
  values:free()
  return x
end

-- Returns fan_in and fan_out of a weight [outputs, inputs, kernel …]. fan_in is the number of inputs of each output.
-- fan_out is the number of outputs that each input affects.
local function fans(name, x)
  local shape = x.shape
  if #shape < 2 then blame.fail(name, "at least 2 dims expected, the shape is %s", args.shape_text(shape)) end
  local field = 1
  for d = 3, #shape do field = field * shape[d] end
  return shape[2] * field, shape[1] * field
end

-- ---- distributions and patterns ----

--- Fills x with numbers from the uniform distribution between a and b.
-- @function nn.init.uniform_
-- @tparam tensor x
-- @number[opt=0] a the lower limit
-- @number[opt=1] b the upper limit
-- @tparam[opt] table options `generator`
-- @treturn tensor x
function init.uniform_(x, a, b, options)
  check_tensor("uniform_", x)
  if args.is_options(a) then a, options = nil, a end
  options = options_of("uniform_", options, {})
  return fill(x, lt.uniform(number("uniform_", "a", a, 0), number("uniform_", "b", b, 1), x.shape, like(x, options)))
end

local function normal(x, mean, std, options)
  local values = lt.randn(x.shape, like(x, options))
  if std ~= 1 then values:multiply_(std) end
  if mean ~= 0 then values:add_(mean) end
  return fill(x, values)
end

--- Fills x with numbers from the normal distribution.
-- @function nn.init.normal_
-- @tparam tensor x
-- @number[opt=0] mean of the distribution
-- @number[opt=1] std standard deviation of the distribution
-- @tparam[opt] table options `generator`
-- @treturn tensor x
function init.normal_(x, mean, std, options)
  check_tensor("normal_", x)
  if args.is_options(mean) then mean, options = nil, mean end
  options = options_of("normal_", options, {})
  std = number("normal_", "std", std, 1)
  if std < 0 then blame.fail("normal_", "std: %s is negative", std) end
  return normal(x, number("normal_", "mean", mean, 0), std, options)
end

--- Sets all elements to one number.
-- @function nn.init.constant_
-- @tparam tensor x
-- @number value the number
-- @treturn tensor x
function init.constant_(x, value)
  check_tensor("constant_", x)
  number("constant_", "value", value)
  return fill(x, lt.full({}, value, {dtype = x.dtype, device = x.device}))
end

--- Sets all elements to 0.
-- @function nn.init.zeros_
-- @tparam tensor x
-- @treturn tensor x
function init.zeros_(x) check_tensor("zeros_", x) return init.constant_(x, 0) end

--- Sets all elements to 1.
-- @function nn.init.ones_
-- @tparam tensor x
-- @treturn tensor x
function init.ones_(x) check_tensor("ones_", x) return init.constant_(x, 1) end

--- Makes x the identity matrix: ones on the main diagonal, zeros elsewhere.
-- @function nn.init.eye_
-- @tparam tensor x of 2 dims
-- @treturn tensor x
function init.eye_(x)
  check_tensor("eye_", x)
  if x.ndim ~= 2 then blame.fail("eye_", "2 dims expected, the shape is %s", args.shape_text(x.shape)) end
  return fill(x, lt.eye(x.shape[1], x.shape[2], {dtype = x.dtype, device = x.device}))
end

--- Makes x the kernels of a convolution that copies the first input channels to the output channels.
-- @function nn.init.dirac_
-- @tparam tensor x [outputs, inputs, …] of 3 to 5 dims
-- @tparam[opt] table options `groups` (1): the outputs of each group copy the first input channels
-- @treturn tensor x
function init.dirac_(x, options)
  check_tensor("dirac_", x)
  if x.ndim < 3 or x.ndim > 5 then
    blame.fail("dirac_", "3 to 5 dims expected, the shape is %s", args.shape_text(x.shape))
  end
  options = args.options("dirac_", options, {groups = true})
  local shape, groups = x.shape, options.groups or 1
  if math.type(groups) ~= "integer" or groups < 1 or shape[1] % groups ~= 0 then
    blame.fail("dirac_", "groups: %s does not divide %d outputs", tostring(groups), shape[1])
  end
  if x.size == 0 then return x end
  local each, values = shape[1] // groups, lt.zeros(shape, {dtype = x.dtype, device = core.host_device})
  for g = 0, groups - 1 do
    for c = 1, math.min(each, shape[2]) do
      local place = {g * each + c, c}
      for d = 3, #shape do place[d] = shape[d] // 2 + 1 end
      values[place] = 1
    end
  end
  return fill(x, values)
end

-- ---- weights scaled by the numbers of inputs and outputs ----

local gains = {linear = 1, sigmoid = 1, tanh = 5 / 3, relu = math.sqrt(2), selu = 0.75}
for d = 1, 3 do gains[("conv%dd"):format(d)], gains[("conv_transpose%dd"):format(d)] = 1, 1 end

--- Returns the gain of an activation: the factor by which the standard deviation of weights is multiplied, because
-- the activation shrinks its input.
-- @function nn.init.calculate_gain
-- @string nonlinearity "linear", "sigmoid", "tanh", "relu", "leaky_relu", "selu", "conv1d" …
-- @number[opt=0.01] slope of leaky_relu for negative numbers
-- @treturn number the gain
function init.calculate_gain(nonlinearity, slope)
  if nonlinearity == "leaky_relu" then
    return math.sqrt(2 / (1 + number("calculate_gain", "slope", slope, 0.01) ^ 2))
  end
  local gain = gains[nonlinearity]
  if not gain then blame.fail("calculate_gain", "unknown nonlinearity %q", tostring(nonlinearity)) end
  return gain
end

local function kaiming_std(name, x, options)
  local fan_in, fan_out = fans(name, x)
  local mode = options.mode or "fan_in"
  if mode ~= "fan_in" and mode ~= "fan_out" then
    blame.fail(name, "mode: \"fan_in\" or \"fan_out\" expected, got %q", tostring(mode))
  end
  local gain = init.calculate_gain(options.nonlinearity or "leaky_relu", number(name, "a", options.a, 0))
  return gain / math.sqrt(mode == "fan_in" and fan_in or fan_out)
end

local function xavier_std(name, x, options)
  local fan_in, fan_out = fans(name, x)
  return number(name, "gain", options.gain, 1) * math.sqrt(2 / (fan_in + fan_out))
end

local function scaled(name, std_of, draw, known)
  init[name] = function(x, options)
    check_tensor(name, x)
    options = options_of(name, options, known)
    if x.size == 0 then return x end
    return draw(name, x, std_of(name, x, options), options)
  end
end

-- Fills x from the uniform distribution around 0 with the given standard deviation.
local function uniform(_, x, std, options)
  local bound = math.sqrt(3) * std
  return fill(x, lt.uniform(-bound, bound, x.shape, like(x, options)))
end

local function centred(_, x, std, options) return normal(x, 0, std, options) end

local kaiming, xavier = {a = true, mode = true, nonlinearity = true}, {gain = true}

--- Fills x from the uniform distribution between -b and b, where b = √3 gain / √fan. This bound preserves variances
-- through layers of rectifiers (He et al.). fan is the number of inputs of each output, or for mode "fan_out" the
-- number of outputs of each input.
-- @function nn.init.kaiming_uniform_
-- @tparam tensor x of at least 2 dims
-- @tparam[opt] table options `a` (0): the slope of leaky_relu; `mode` ("fan_in", "fan_out"), `nonlinearity`
--   ("leaky_relu"), `generator`
-- @treturn tensor x
scaled("kaiming_uniform_", kaiming_std, uniform, kaiming)

--- Fills x from the normal distribution with mean 0 and the standard deviation gain / √fan (He et al.).
-- @function nn.init.kaiming_normal_
-- @tparam tensor x of at least 2 dims
-- @tparam[opt] table options those of nn.init.kaiming_uniform_
-- @treturn tensor x
scaled("kaiming_normal_", kaiming_std, centred, kaiming)

--- Fills x from the uniform distribution between -b and b, where b = gain √(6 / (fan_in + fan_out)) (Glorot and
-- Bengio).
-- @function nn.init.xavier_uniform_
-- @tparam tensor x of at least 2 dims
-- @tparam[opt] table options `gain` (1), `generator`
-- @treturn tensor x
scaled("xavier_uniform_", xavier_std, uniform, xavier)

--- Fills x from the normal distribution with mean 0 and the standard deviation gain √(2 / (fan_in + fan_out)) (Glorot
-- and Bengio).
-- @function nn.init.xavier_normal_
-- @tparam tensor x of at least 2 dims
-- @tparam[opt] table options `gain` (1), `generator`
-- @treturn tensor x
scaled("xavier_normal_", xavier_std, centred, xavier)

-- ---- truncated, orthogonal and sparse ----

-- Returns the inverse of erf. Winitzki's approximation is the start of three steps of Newton's method, which make the
-- result exact to the last digits except for y close to 1 or -1.
local function inverse_erf(y)
  local l = ((1 - y) * (1 + y)):log()
  local t = l * 0.5 + 2 / (math.pi * 0.147)
  local x = ((t * t - l / 0.147):sqrt() - t):maximum(0):sqrt() * y:sign()
  for _ = 1, 3 do x = x - (x:erf() - y) * (x * x):exp() * (math.sqrt(math.pi) / 2) end
  return x
end

-- Returns the cumulative normal distribution at x. Lua's math library lacks erf, so a tensor of one element is used.
local function below(x)
  return lt.erf(lt.tensor(x / math.sqrt(2), {dtype = "float64", device = core.host_device})):item()
end

--- Fills x from the normal distribution truncated to the limits a and b.
-- @function nn.init.trunc_normal_
-- @tparam tensor x
-- @number[opt=0] mean of the distribution
-- @number[opt=1] std standard deviation of the distribution
-- @tparam[opt] table options `a` (-2) and `b` (2): the limits; `generator`
-- @treturn tensor x
function init.trunc_normal_(x, mean, std, options)
  check_tensor("trunc_normal_", x)
  if args.is_options(mean) then mean, options = nil, mean end
  options = options_of("trunc_normal_", options, {a = true, b = true})
  mean, std = number("trunc_normal_", "mean", mean, 0), number("trunc_normal_", "std", std, 1)
  local a, b = number("trunc_normal_", "a", options.a, -2), number("trunc_normal_", "b", options.b, 2)
  if a >= b or std <= 0 then blame.fail("trunc_normal_", "a below b and a positive std expected") end
  local _ <close> = engine.recording(false)
  local draw = {dtype = "float64", device = x.device, generator = options.generator}
  local y = lt.uniform(below((a - mean) / std), below((b - mean) / std), x.shape, draw)
  return fill(x, (inverse_erf(y) * (std * math.sqrt(2)) + mean):clip(a, b))
end

--- Makes x a matrix whose rows are orthogonal and of length gain (Saxe et al.). If x has fewer columns than rows, the
-- columns are orthogonal instead.
-- @function nn.init.orthogonal_
-- @tparam tensor x of at least 2 dims; the dims from the second on count as one dim
-- @tparam[opt] table options `gain` (1), `generator`
-- @treturn tensor x
function init.orthogonal_(x, options)
  check_tensor("orthogonal_", x)
  fans("orthogonal_", x)
  options = options_of("orthogonal_", options, {gain = true})
  local gain = number("orthogonal_", "gain", options.gain, 1)
  if x.size == 0 then return x end
  local _ <close> = engine.recording(false)
  local rows, columns = x.shape[1], x.size // x.shape[1]
  local draw = {dtype = x.dtype == "float64" and "float64" or "float32", device = core.host_device,
                generator = options.generator}
  local a = lt.randn({rows, columns}, draw)
  if rows < columns then a = a.mT end
  local q, r = lt.linalg.qr(a)
  q = q * r:diagonal():sign()
  if rows < columns then q = q.mT end
  return fill(x, (q * gain):reshape(x.shape))
end

--- Fills x from the normal distribution with mean 0, then sets a share of each column to 0 (Martens).
-- @function nn.init.sparse_
-- @tparam tensor x of 2 dims
-- @number sparsity the share of zeros, from 0 to 1
-- @tparam[opt] table options `std` (0.01), `generator`
-- @treturn tensor x
function init.sparse_(x, sparsity, options)
  check_tensor("sparse_", x)
  if x.ndim ~= 2 then blame.fail("sparse_", "2 dims expected, the shape is %s", args.shape_text(x.shape)) end
  options = options_of("sparse_", options, {std = true})
  number("sparse_", "sparsity", sparsity)
  if sparsity < 0 or sparsity > 1 then blame.fail("sparse_", "sparsity: %s is not from 0 to 1", sparsity) end
  local _ <close> = engine.recording(false)
  local rows, zeros = x.shape[1], math.ceil(sparsity * x.shape[1])
  local generator = options.generator
  local std = number("sparse_", "std", options.std, 0.01)
  local values = lt.randn(x.shape, {device = core.host_device, generator = generator}) * std
  -- Draws a random number for each element. In each column, the elements with the smallest numbers become 0.
  local order = lt.rand(x.shape, {device = core.host_device, generator = generator}):argsort(1):argsort(1)
  if rows > 0 then values = values:masked_fill(order:less_equal(zeros), 0) end
  return fill(x, values)
end

return names.guard(init, "nn.init.")
