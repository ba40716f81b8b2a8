--- Convolutional layers of lt.nn. The convolutions are in functional/convolution.lua, their geometry in window.lua.

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local Module = require "luatensor.nn.module"
local layer = require "luatensor.nn.layer"
local window = require "luatensor.nn.window"
require "luatensor.nn.functional"

local convolution = window.convolution

-- ---- common functions ----

local function check_groups(name, groups, inputs, outputs)
  args.integer(name, "groups", groups, 1)
  for what, n in pairs {inputs = inputs, outputs = outputs} do
    if n % groups ~= 0 then args.fail(name, "%s: %d channels cannot be divided into %d groups", what, n, groups) end
  end
end

-- Makes the weight [first, second, kernel …] and the bias [outputs]. As in PyTorch, both are drawn uniformly between -b
-- and b, where b = 1/√(second · kernel size).
local function make_parameters(self, first, second, kernel, options)
  local shape, fan = {first, second}, second + 0.0
  for d = 3 - self.dims, 2 do
    shape[#shape + 1] = kernel[d]
    fan = fan * kernel[d]
  end
  local bound = 1 / math.sqrt(fan)
  self.weight = layer.uniform(shape, bound, options)
  self:register_parameter("bias", options.bias ~= false and layer.uniform({self.outputs}, bound, options) or nil)
end

local known = {stride = true, padding = true, dilation = true, groups = true, bias = "boolean"}

local function init(self, inputs, outputs, kernel_size, options, transposed)
  local name = self.class_name
  local names = {output_padding = transposed or nil}
  for option, kind in pairs(known) do names[option] = kind end
  options = layer.options(name, options, names)
  self.inputs = layer.count(name, "inputs", inputs)
  self.outputs = layer.count(name, "outputs", outputs)
  local groups = options.groups or 1
  blame.call(check_groups, name, groups, inputs, outputs)
  local kernel = blame.call(window.lengths, name, "kernel_size", kernel_size, self.dims, 1)
  self.geometry = blame.call(window.geometry, name, options, self.dims, kernel)
  self.shown = window.shown(kernel_size, options,
                            {"stride", "padding", "output_padding", "dilation", "groups", "bias"})
  if transposed then
    if type(options.padding) == "string" then
      blame.fail(name, "padding: numbers expected, got %q", options.padding)
    end
    self.extra_padding = blame.call(convolution.output_padding, name, options.output_padding, self.dims, self.geometry)
    make_parameters(self, inputs, outputs // groups, kernel, options)
  else
    make_parameters(self, outputs, inputs // groups, kernel, options)
  end
end

local function forward(self, x)
  return (convolution.forward(self, x, self.weight, self.bias, self.geometry, self.dims))
end

local function forward_transposed(self, x)
  return (convolution.transposed(self, x, self.weight, self.bias, self.geometry, self.extra_padding, self.dims))
end

local function extra(self) return ("%d, %d, %s"):format(self.inputs, self.outputs, self.shown) end

local function class(name, dims, transposed)
  local new = Module:extend(name)
  new.dims = dims
  function new:init(inputs, outputs, kernel_size, options)
    init(self, inputs, outputs, kernel_size, options, transposed)
  end
  new.forward = transposed and forward_transposed or forward
  new.extra = extra
  return new
end

-- ---- classes ----

local classes = {}

--- Makes a layer that slides `outputs` kernels over a signal, as nn.functional.conv1d. Weight [outputs, inputs /
-- groups, kernel_size] and bias [outputs] are drawn uniformly between -b and b, where b = 1/√(inputs / groups ·
-- kernel_size).
-- @function nn.Conv1d
-- @int inputs the number of channels of x
-- @int outputs the number of channels of the result
-- @int kernel_size the number of elements of a kernel in a channel
-- @tparam[opt] table options `stride` (1), `padding` (0; a number, "same" or "valid"), `dilation` (1), `groups` (1),
--   `bias` (true), `dtype`, `device`, `generator`
-- @treturn Module takes x [batch, inputs, length] or [inputs, length]
classes.Conv1d = class("Conv1d", 1)

--- Makes a layer that slides `outputs` kernels over images, as nn.functional.conv2d. Kernel size and options are
-- numbers, or lists {height, width}.
-- @function nn.Conv2d
-- @int inputs the number of channels of x
-- @int outputs the number of channels of the result
-- @param kernel_size a number, or a list {height, width}
-- @tparam[opt] table options those of nn.Conv1d
-- @treturn Module takes x [batch, inputs, height, width] or [inputs, height, width]
classes.Conv2d = class("Conv2d", 2)

--- Makes a layer that calls nn.functional.conv_transpose1d, a transposed convolution of signals. The layer undoes the
-- change of length by a Conv1d with the same options. The weight has shape [inputs, outputs / groups, kernel_size].
-- @function nn.ConvTranspose1d
-- @int inputs the number of channels of x
-- @int outputs the number of channels of the result
-- @int kernel_size the number of elements of a kernel in a channel
-- @tparam[opt] table options `stride` (1), `padding` (0), `output_padding` (0, less than the stride), `dilation` (1),
--   `groups` (1), `bias` (true), `dtype`, `device`, `generator`
-- @treturn Module takes x [batch, inputs, length] or [inputs, length]
classes.ConvTranspose1d = class("ConvTranspose1d", 1, true)

--- Makes a layer that calls nn.functional.conv_transpose2d, a transposed convolution of images.
-- @function nn.ConvTranspose2d
-- @int inputs the number of channels of x
-- @int outputs the number of channels of the result
-- @param kernel_size a number, or a list {height, width}
-- @tparam[opt] table options those of nn.ConvTranspose1d
-- @treturn Module takes x [batch, inputs, height, width] or [inputs, height, width]
classes.ConvTranspose2d = class("ConvTranspose2d", 2, true)

return classes
