--- data.transforms: functions that make functions of images, for option `transform` of data.ImageFolder and for option
-- `map` of data.Loader:
--
--     local transforms = data.transforms
--     local augment = transforms.compose {
--       transforms.random_crop(32, {padding = 4}), transforms.random_flip(), transforms.to_float(),
--       transforms.normalise({0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}),
--     }
--
-- The made functions take an image [channels, height, width] or a batch [n, channels, height, width]. Random choices
-- are the same for a whole batch.
-- @module luatensor.data.transforms

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local lt = require "luatensor"

local transforms = {}

local SCALE <const> = {uint8 = 255, uint16 = 65535}          -- the greatest samples

local function check_image(name, x)
  args.tensor(name, 1, x)
  if x.ndim < 2 then
    blame.fail(name, "an image [channels, height, width] or a batch of them expected, got %s", args.shape_text(x.shape))
  end
end

-- Returns a size as height and width.
local function read_size(name, size)
  local list = type(size) == "table" and size or {size, size}
  if #list ~= 2 then blame.fail(name, "size: a number or {height, width} expected") end
  return args.integer(name, "size", list[1], 1), args.integer(name, "size", list[2], 1)
end

-- Returns the part of x with this height and width that begins below `top` rows and after `left` columns.
local function crop(x, top, left, height, width)
  return x:narrow(-2, top + 1, height):narrow(-1, left + 1, width)
end

local function check_fits(name, x, height, width)
  check_image(name, x)
  if x.shape[x.ndim - 1] < height or x.shape[x.ndim] < width then
    blame.fail(name, "%d × %d is more than the image has: %s", height, width, args.shape_text(x.shape))
  end
end

-- Returns a random integer of low … high.
local function draw(low, high, generator)
  return lt.randint(low, high, {1}, {dtype = "int64", device = core.host_device, generator = generator}):item()
end

--- Makes a function that calls functions one after the other, each with the result of the one before it.
-- @function data.transforms.compose
-- @tparam table list of functions
-- @treturn function
function transforms.compose(list)
  args.check("compose", "list", list, "list")
  for i, f in ipairs(list) do args.check("compose", "list[" .. i .. "]", f, "callable") end
  list = table.move(list, 1, #list, 1, {})
  return function(x)
    for _, f in ipairs(list) do x = f(x) end
    return x
  end
end

--- Makes a function that returns the middle of an image.
-- @function data.transforms.center_crop
-- @param size a number, or {height, width}
-- @treturn function raises an error for smaller images
function transforms.center_crop(size)
  local height, width = read_size("center_crop", size)
  return function(x)
    check_fits("center_crop", x, height, width)
    return crop(x, (x.shape[x.ndim - 1] - height) // 2, (x.shape[x.ndim] - width) // 2, height, width)
  end
end

--- Makes a function that returns a random part of an image.
-- @function data.transforms.random_crop
-- @param size a number, or {height, width}
-- @tparam[opt] table options `padding` (0): the number of zeros that are first put around the image; `generator`
-- @treturn function raises an error for smaller images
function transforms.random_crop(size, options)
  local height, width = read_size("random_crop", size)
  options = args.read("random_crop", options, {padding = {"integer", 0, default = 0}, generator = "generator"})
  return function(x)
    local n = options.padding
    check_image("random_crop", x)
    if n > 0 then x = x:pad {n, n, n, n} end
    check_fits("random_crop", x, height, width)
    local top = draw(0, x.shape[x.ndim - 1] - height, options.generator)
    return crop(x, top, draw(0, x.shape[x.ndim] - width, options.generator), height, width)
  end
end

--- Makes a function that changes the size of an image by nn.functional.interpolate. Images of uint8 and uint16 are
-- rounded.
-- @function data.transforms.resize
-- @param size a number, or {height, width}
-- @tparam[opt] table options `mode` ("bilinear"), `antialias` (true for bilinear and bicubic)
-- @treturn function
function transforms.resize(size, options)
  local height, width = read_size("resize", size)
  options = args.read("resize", options, {mode = {"choice", "nearest", "nearest-exact", "bilinear", "bicubic", "area"},
                                          antialias = "boolean"})
  local mode, antialias = options.mode or "bilinear", options.antialias
  if antialias == nil then antialias = mode == "bilinear" or mode == "bicubic" end
  local how = {size = {height, width}, mode = mode, antialias = antialias}
  return function(x)
    check_image("resize", x)
    local shape, ndim, most = x.shape, x.ndim, SCALE[x.dtype]
    local y = most and not mode:find "^nearest" and x:to "float32" or x
    y = lt.nn.functional.interpolate(y:reshape(1, -1, shape[ndim - 1], shape[ndim]), how)
    if y.dtype ~= x.dtype then y = y:round():clip(0, most):to(x.dtype) end
    local result = {}
    for d = 1, ndim - 2 do result[d] = shape[d] end
    return y:reshape(table.move({height, width}, 1, 2, ndim - 1, result))
  end
end

--- Makes a function that mirrors an image with a probability, so that left and right are exchanged.
-- @function data.transforms.random_flip
-- @tparam[opt] table options `p` (0.5): the probability; `generator`
-- @treturn function
function transforms.random_flip(options)
  options = args.read("random_flip", options, {p = {"share", default = 0.5}, generator = "generator"})
  return function(x)
    check_image("random_flip", x)
    local u = lt.rand({1}, {dtype = "float64", device = core.host_device, generator = options.generator}):item()
    return u < options.p and x:flip(x.ndim) or x
  end
end

--- Makes a function that converts an image of uint8 or uint16 to a float from 0 to 1. Floats stay what they are.
-- @function data.transforms.to_float
-- @tparam[opt] table options `dtype` (default: the default float)
-- @treturn function
function transforms.to_float(options)
  options = args.read("to_float", options, {dtype = "dtype"})
  return function(x)
    check_image("to_float", x)
    local dtype = options.dtype or lt.get_default_dtype()
    if x.dtype:find "float" then return x:to(dtype) end
    local scale = SCALE[x.dtype] or blame.fail("to_float", "uint8, uint16 or a float expected, got %s", x.dtype)
    return x:to(dtype) / scale
  end
end

--- Makes a function that subtracts a mean from each channel, and divides it by a deviation.
-- @function data.transforms.normalise
-- @param mean a number, or a list of one for each channel
-- @param std a number other than 0, or a list
-- @treturn function of float images
function transforms.normalise(mean, std)
  local function numbers(what, value)
    local list = type(value) == "table" and value or {value}
    for i, x in ipairs(list) do args.check("normalise", ("%s[%d]"):format(what, i), x, "number") end
    if #list == 0 then blame.fail("normalise", "%s: a number or a list expected", what) end
    return table.move(list, 1, #list, 1, {})
  end
  local means, deviations = numbers("mean", mean), numbers("std", std)
  for _, deviation in ipairs(deviations) do
    if deviation == 0 then blame.fail("normalise", "std: a deviation is 0") end
  end
  local function column(list, x)
    local n = x.ndim >= 3 and x.shape[x.ndim - 2] or 1
    if #list ~= 1 and #list ~= n then
      blame.fail("normalise", "%d numbers do not fit %d channels: %s", #list, n, args.shape_text(x.shape))
    end
    return lt.tensor(list, {dtype = x.dtype, device = x.device}):reshape(#list, 1, 1)
  end
  return function(x)
    check_image("normalise", x)
    if not x.dtype:find "float" then
      blame.fail("normalise", "a float image expected, got %s; call to_float before", x.dtype)
    end
    return (x - column(means, x)) / column(deviations, x)
  end
end

return transforms
