--- Pooling layers of lt.nn: the maximum or the mean of each window. The functions are in functional/pooling.lua.

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local Module = require "luatensor.nn.module"
local window = require "luatensor.nn.window"
require "luatensor.nn.functional"

local pooling = window.pooling

local function extra(self) return self.shown end

-- Makes a class of layers. dims: 1 for signals, 2 for images; run: the function that forward calls; known: the
-- options, as for args.options; shown: the names of the options that printing shows.
local function class(name, dims, run, known, shown)
  local new = Module:extend(name)
  function new:init(kernel_size, options)
    options = args.options(name, options, known)
    self.windows = blame.call(pooling.windows, name, kernel_size, options, dims)
    self.return_indices = options.return_indices or false
    self.shown = window.shown(kernel_size, options, shown)
  end
  function new:forward(x) return run(self, x, self.windows, dims, self.return_indices) end
  new.extra = extra
  return new
end

local function adaptive_average(name, dims)
  local new = Module:extend(name)
  function new:init(output_size)
    self.windows = blame.call(pooling.adaptive, name, output_size, dims)
    self.shown = window.shown(output_size, {}, {})
  end
  function new:forward(x) return pooling.average(self, x, self.windows, dims) end
  new.extra = extra
  return new
end

local function adaptive_max(name, dims)
  local new = Module:extend(name)
  function new:init(output_size, options)
    options = args.options(name, options, {return_indices = "boolean"})
    self.windows = blame.call(pooling.adaptive, name, output_size, dims)
    self.return_indices = options.return_indices or false
    self.shown = window.shown(output_size, options, {"return_indices"})
  end
  function new:forward(x) return pooling.max(self, x, self.windows, dims, self.return_indices) end
  new.extra = extra
  return new
end

local classes = {}

local max_shown = {"stride", "padding", "dilation", "ceil_mode", "return_indices"}
local average_shown = {"stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"}

--- Makes a layer that calls nn.functional.max_pool1d: it returns the maximum of each window of a signal.
-- @function nn.MaxPool1d
-- @int kernel_size the number of elements of a window
-- @tparam[opt] table options `stride` (kernel_size), `padding` (0), `dilation` (1), `ceil_mode` (false),
--   `return_indices` (false)
-- @treturn Module takes x [batch, channels, length] or [channels, length]
classes.MaxPool1d = class("MaxPool1d", 1, pooling.max, pooling.max_options, max_shown)

--- Makes a layer that calls nn.functional.max_pool2d: it returns the maximum of each window of an image. The kernel
-- size and the options of sizes are numbers, or lists {height, width}.
-- @function nn.MaxPool2d
-- @param kernel_size a number, or a list {height, width}
-- @tparam[opt] table options those of nn.MaxPool1d
-- @treturn Module takes x [batch, channels, height, width] or [channels, height, width]
classes.MaxPool2d = class("MaxPool2d", 2, pooling.max, pooling.max_options, max_shown)

--- Makes a layer that calls nn.functional.avg_pool1d: it returns the mean of each window of a signal.
-- @function nn.AvgPool1d
-- @int kernel_size the number of elements of a window
-- @tparam[opt] table options `stride` (kernel_size), `padding` (0), `ceil_mode` (false), `count_include_pad` (true),
--   `divisor_override`
-- @treturn Module takes x [batch, channels, length] or [channels, length]
classes.AvgPool1d = class("AvgPool1d", 1, pooling.average, pooling.average_options, average_shown)

--- Makes a layer that calls nn.functional.avg_pool2d: it returns the mean of each window of an image.
-- @function nn.AvgPool2d
-- @param kernel_size a number, or a list {height, width}
-- @tparam[opt] table options those of nn.AvgPool1d
-- @treturn Module takes x [batch, channels, height, width] or [channels, height, width]
classes.AvgPool2d = class("AvgPool2d", 2, pooling.average, pooling.average_options, average_shown)

--- Makes a layer that calls nn.functional.adaptive_avg_pool1d: it divides a signal of any length into `output_size`
-- windows, and returns their means.
-- @function nn.AdaptiveAvgPool1d
-- @int output_size the length of the result
-- @treturn Module takes x [batch, channels, length] or [channels, length]
classes.AdaptiveAvgPool1d = adaptive_average("AdaptiveAvgPool1d", 1)

--- Makes a layer that calls nn.functional.adaptive_avg_pool2d: it divides images of any size into as many windows as
-- the result has elements, and returns the means of the windows.
-- @function nn.AdaptiveAvgPool2d
-- @param output_size a number, or a list {height, width}, in which false keeps the length of x
-- @treturn Module takes x [batch, channels, height, width] or [channels, height, width]
classes.AdaptiveAvgPool2d = adaptive_average("AdaptiveAvgPool2d", 2)

--- Makes a layer that calls nn.functional.adaptive_max_pool1d: it divides a signal of any length into `output_size`
-- windows, and returns their maxima.
-- @function nn.AdaptiveMaxPool1d
-- @int output_size the length of the result
-- @tparam[opt] table options `return_indices` (false)
-- @treturn Module takes x [batch, channels, length] or [channels, length]
classes.AdaptiveMaxPool1d = adaptive_max("AdaptiveMaxPool1d", 1)

--- Makes a layer that calls nn.functional.adaptive_max_pool2d: it divides images of any size into as many windows as
-- the result has elements, and returns the maxima of the windows.
-- @function nn.AdaptiveMaxPool2d
-- @param output_size a number, or a list {height, width}, in which false keeps the length of x
-- @tparam[opt] table options `return_indices` (false)
-- @treturn Module takes x [batch, channels, height, width] or [channels, height, width]
classes.AdaptiveMaxPool2d = adaptive_max("AdaptiveMaxPool2d", 2)

return classes
