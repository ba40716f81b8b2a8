--- The network that lt.advise.network measures: a multilayer perceptron of square layers. Its forward pass and its
-- training step consist of explicit tensor operations.

local lt = require "luatensor"
local advice = require "luatensor.advise.advice"
local args = require "luatensor.base.args"
local core = require "luatensor.core"

local network = {}

local SIZES <const> = 4             -- the number of measured sizes: 1/64, 1/16, 1/4 and all of the parameters

--- Returns the width of `layers` square layers with biases that together have about `parameters` parameters, by
-- solving layers · (width² + width) = parameters.
function network.width(parameters, layers)
  local each = parameters / layers
  return math.max(1, (math.sqrt(each + 0.25) - 0.5 + 0.5) // 1 | 0)
end

--- Returns the exact number of parameters of `layers` square layers with biases.
function network.parameters(width, layers) return layers * (width * width + width) end

--- Returns the number of multiplications and additions of one call, counted for the matrix products alone. A product
-- takes 2 · batch · width². The forward pass has one product for each layer. Training adds one for the gradients of the
-- weights of each layer, and one for the gradients of the inputs of each layer but the first.
function network.flops(width, layers, batch, training)
  return 2 * batch * width * width * (training and 3 * layers - 1 or layers)
end

local function random_layers(width, layers, dtype)
  local list = {}
  for i = 1, layers do
    list[i] = {
      weights = lt.randn(width, width, {dtype = dtype, device = core.host_device}) * math.sqrt(2 / width),
      bias = lt.zeros(1, width, {dtype = dtype, device = core.host_device}),
    }
  end
  return list
end

local function on_device(layers, device)
  local list = {}
  for i, layer in ipairs(layers) do list[i] = {weights = layer.weights:to(device), bias = layer.bias:to(device)} end
  return list
end

-- Returns the activations: the input, and the output of each layer.
local function forward(layers, x)
  local all = {x}
  for i, layer in ipairs(layers) do
    local out = all[i]:matmul(layer.weights):add_(layer.bias)
    all[i + 1] = i < #layers and out:relu() or out
  end
  return all
end

-- The learning rate. With 0, a call does the work of a training step but leaves the weights unchanged, so that all
-- calls do the same work.
local STEP <const> = 0

-- Computes the gradients of the mean squared error and updates the weights and biases, layer by layer from the last
-- one. `all` has the activations (see forward), `grad` is the gradient of the last one. Returns the gradient of the
-- first bias.
local function backward(layers, all, grad)
  local first
  for i = #layers, 1, -1 do
    local layer, input = layers[i], all[i]
    local weights, bias = input.T:matmul(grad), grad:sum(1, {keepdim = true})
    if i > 1 then grad = grad:matmul(layer.weights.T) * input:greater(0):to(input.dtype) end
    layer.weights:subtract_(weights * STEP)
    layer.bias:subtract_(bias * STEP)
    first = bias
  end
  return first
end

--- Makes a training step: computes the loss and the gradients, and updates the weights.
-- @tab layers {{weights =, bias =}, …}
-- @treturn tensor the loss, the mean squared error
-- @treturn tensor the gradient of the first layer's bias
function network.train(layers, x, target)
  local all = forward(layers, x)
  local off = all[#all] - target
  local first = backward(layers, all, off * (2 / off.size))
  return off:square():mean(), first
end

--- Returns the function to measure, and the function that makes its inputs. The weights stay on each device. Only the
-- batch is sent.
-- @tab spec layers, batch, training, dtype
-- @treturn function fn(x, target): the output, or the loss and the first layer's bias gradient
-- @treturn function inputs(n) of a network with about n parameters
function network.work(spec)
  local weights = {}                                  -- copies of the weights by device; "cpu" has the original
  local function inputs(n)
    local width = network.width(n, spec.layers)
    weights = {cpu = random_layers(width, spec.layers, spec.dtype)}
    local x = lt.rand(spec.batch, width, {dtype = spec.dtype})
    if spec.training then return x, lt.rand(spec.batch, width, {dtype = spec.dtype}) end
    return x
  end
  local function fn(x, target)
    weights[x.device] = weights[x.device] or on_device(weights.cpu, x.device)
    if spec.training then return network.train(weights[x.device], x, target) end
    local all = forward(weights[x.device], x)
    return all[#all]
  end
  return fn, inputs
end

--- Returns the numbers of parameters to measure: `parameters`, and smaller numbers from which a trend can be derived.
function network.sizes(parameters)
  local sizes = {}
  for i = SIZES - 1, 0, -1 do
    local n = parameters // 4 ^ i | 0
    if n >= 16 and n ~= sizes[#sizes] then sizes[#sizes + 1] = n end
  end
  if #sizes == 0 then sizes[1] = parameters end
  return sizes
end

local COUNT <const> = {"integer", 1}
local known = {
  parameters = COUNT, batch = COUNT, calls = true, training = "boolean", layers = COUNT, dtype = true, seconds = true,
  devices = true, patience = true,
}

local function float_dtype(dtype)
  if dtype == nil then return "float32" end
  if not pcall(lt.finfo, dtype) then
    args.fail("advise.network", "dtype: a floating-point dtype such as float32 expected, got %s", tostring(dtype))
  end
  return dtype
end

local function check(options)
  options = args.read("advise.network", options, known)
  return {
    parameters = options.parameters or 1000000, batch = options.batch or 64, calls = options.calls,
    layers = options.layers or 4, training = options.training or false,
    dtype = float_dtype(options.dtype),
  }, options
end

local function name_of(spec)
  return ("%s of a network with %d layers, batch %d, %s; n: parameters"):format(
    spec.training and "training step" or "forward pass", spec.layers, spec.batch, spec.dtype)
end

--- Implements advise.network. `place` has the functions that query and time this machine; specs pass simulated ones.
-- `sizes` replaces the result of network.sizes if it is not nil.
function network.run(options, place, sizes)
  local spec
  spec, options = check(options)
  local fn, inputs = network.work(spec)
  return advice.run(fn, {
    sizes = sizes or network.sizes(spec.parameters), inputs = inputs, calls = spec.calls, name = name_of(spec),
    devices = options.devices, seconds = options.seconds, patience = options.patience,
  }, place)
end

--- Recommends a device for a multilayer perceptron: square layers, biases, ReLU. The weights stay on the device.
-- @function advise.network
-- @tparam[opt] table options
--   `parameters` (1000000; smaller networks are measured, too, for the trend); `batch`: samples a call (64); `calls`
--   with the same batch (1); `training`: a step of gradient descent instead of a forward pass (false); `layers` (4);
--   `dtype` ("float32"); `devices`, `seconds`, `patience` as lt.advise has them
-- @treturn table a result of kind "advice"; its sizes n are parameters
function network.network(options)
  return network.run(options, (require "luatensor.bench.crossover.place"))
end

return network
