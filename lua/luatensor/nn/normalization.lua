--- Normalisation as layers of lt.nn. functional/normed.lua calls the C functions.

local clocale = require "luatensor.base.clocale"
local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local blame = require "luatensor.base.blame"
local layer = require "luatensor.nn.layer"
local Module = require "luatensor.nn.module"
local functional = require "luatensor.nn.functional"
local normed = require "luatensor.nn.functional.normed"

local classes = {}

local function plain(options) return {dtype = options.dtype or lt.get_default_dtype(), device = options.device} end
local function ones(shape, options) return core.ones(shape, plain(options)) end
local function zeros(shape, options) return core.zeros(shape, plain(options)) end

--- Registers the parameters weight (ones) and bias (zeros), or false in place of a parameter that the layer lacks. If
-- has_bias is nil, no field `bias` is registered.
local function add_affine(self, shape, options, has_weight, has_bias)
  self:register_parameter("weight", has_weight and ones(shape, options):requires_grad_() or nil)
  if has_bias ~= nil then
    self:register_parameter("bias", has_bias and zeros(shape, options):requires_grad_() or nil)
  end
end

local function eps_of(name, options) return layer.number(name, "eps", options.eps, 1e-5) end

-- Returns the text of options that differ from their defaults, such as ", eps = 0.001". Each row is {name, default}.
local function words_of(self, rows)
  local words = {}
  for _, row in ipairs(rows) do
    local value = self[row[1]]
    if value ~= row[2] then
      value = type(value) == "number" and clocale.format("%.14g", value) or value
      words[#words + 1] = (", %s = %s"):format(row[1], value)
    end
  end
  return table.concat(words)
end

-- ---- normalisation over the last dims ----

--- Converts option normalized_shape, a number or a list, to a list of positive integers.
local function check_shape(name, shape)
  local list = {}
  for i, n in ipairs(type(shape) == "table" and shape or {shape}) do
    list[i] = args.integer(name, "normalized_shape", n, 1)
  end
  if #list == 0 then
    blame.fail(name, "normalized_shape: a number or a list expected, got %s", core.type_name(shape))
  end
  return list
end

local function shape_words(shape) return #shape == 1 and ("%d"):format(shape[1]) or args.shape_text(shape) end

--- Makes a layer that calls `functional.layer_norm`: it normalises x over its last dims. Weight and bias have the
-- shape of these dims, and are initially 1 and 0.
-- @function nn.LayerNorm
-- @param normalized_shape the lengths of the last dims: a list, or a number for the last dim
-- @tparam[opt] table options `eps` (1e-5), `elementwise_affine` (true): the layer has weight and bias; `bias` (true);
--   `dtype`, `device`
-- @treturn Module takes x [..., shape], and returns a tensor of x's shape
local LayerNorm = Module:extend "LayerNorm"

function LayerNorm:init(normalized_shape, options)
  options = layer.made_options("LayerNorm", options, {eps = "number", elementwise_affine = "boolean", bias = "boolean"})
  self.normalized_shape = check_shape("LayerNorm", normalized_shape)
  self.eps = eps_of("LayerNorm", options)
  local affine = options.elementwise_affine ~= false
  self.elementwise_affine = affine
  add_affine(self, self.normalized_shape, options, affine, affine and options.bias ~= false)
end

function LayerNorm:forward(x)
  return (normed.layer(self, x, self.normalized_shape, self.weight or nil, self.bias or nil, self.eps, false))
end

function LayerNorm:extra()
  return shape_words(self.normalized_shape) .. words_of(self, {{"eps", 1e-5}, {"elementwise_affine", true}})
end

--- Makes a layer that calls `functional.rms_norm`: it divides x by the root of the mean of its squares over the last
-- dims. The weight is initially 1.
-- @function nn.RMSNorm
-- @param normalized_shape the lengths of the last dims: a list, or a number for the last dim
-- @tparam[opt] table options `eps` (the eps of the input's dtype), `elementwise_affine` (true); `dtype`, `device`
-- @treturn Module takes x [..., shape], and returns a tensor of x's shape
local RMSNorm = Module:extend "RMSNorm"

function RMSNorm:init(normalized_shape, options)
  options = layer.made_options("RMSNorm", options, {eps = "number", elementwise_affine = "boolean"})
  self.normalized_shape = check_shape("RMSNorm", normalized_shape)
  self.eps = options.eps and layer.number("RMSNorm", "eps", options.eps) or false
  add_affine(self, self.normalized_shape, options, options.elementwise_affine ~= false, nil)
end

local least = {}

function RMSNorm:forward(x)
  local eps = self.eps
  if not eps then
    layer.input(self, "the input", x)
    local dtype = x.dtype
    eps = least[dtype]
    if not eps then
      eps = dtype:find("float") and core.finfo(dtype).eps or 0
      least[dtype] = eps
    end
  end
  return (normed.layer(self, x, self.normalized_shape, self.weight or nil, nil, eps, true))
end

function RMSNorm:extra() return shape_words(self.normalized_shape) end

--- Makes a layer that calls `functional.group_norm`: it normalises groups of channels. Weight and bias, [channels],
-- are initially 1 and 0.
-- @function nn.GroupNorm
-- @int num_groups the number of groups
-- @int num_channels a multiple of num_groups
-- @tparam[opt] table options `eps` (1e-5), `affine` (true); `dtype`, `device`
-- @treturn Module takes x [N, channels, …], and returns a tensor of x's shape
local GroupNorm = Module:extend "GroupNorm"

function GroupNorm:init(num_groups, num_channels, options)
  options = layer.made_options("GroupNorm", options, {eps = "number", affine = "boolean"})
  self.num_groups = layer.count("GroupNorm", "num_groups", num_groups)
  self.num_channels = layer.count("GroupNorm", "num_channels", num_channels)
  if num_channels % num_groups ~= 0 then
    blame.fail("GroupNorm", "%d channels are no multiple of %d groups", num_channels, num_groups)
  end
  self.eps = eps_of("GroupNorm", options)
  local affine = options.affine ~= false
  self.affine = affine
  add_affine(self, {num_channels}, options, affine, affine)
end

function GroupNorm:forward(x)
  layer.input(self, "the input", x)
  if x.ndim > 1 and x.shape[2] ~= self.num_channels then
    self:fail("the input must have %d channels, its shape is %s", self.num_channels, args.shape_text(x.shape))
  end
  return (normed.group(self, x, self.num_groups, self.weight or nil, self.bias or nil, self.eps))
end

function GroupNorm:extra()
  return ("%d, %d"):format(self.num_groups, self.num_channels) .. words_of(self, {{"eps", 1e-5}, {"affine", true}})
end

-- ---- normalisation of channels ----

--- Raises an error unless x is a tensor with a suitable number of dims and num_features channels.
local function check_input(self, x, least_dims, most_dims)
  layer.input(self, "the input", x)
  local shape = x.shape
  if #shape < least_dims or #shape > most_dims then
    self:fail("an input of %s dims expected, its shape is %s",
              least_dims == most_dims and ("%d"):format(most_dims) or ("%d or %d"):format(least_dims, most_dims),
              args.shape_text(shape))
  end
  if shape[2] ~= self.num_features then
    self:fail("the input must have %d channels, its shape is %s", self.num_features, args.shape_text(shape))
  end
end

--- Makes a layer that calls `functional.batch_norm`: it normalises each channel of [N, channels] or [N, channels,
-- length]. Weight and bias are initially 1 and 0. In evaluation the layer uses its buffers running_mean (initially 0)
-- and running_var (initially 1). Buffer num_batches_tracked counts the batches in training.
-- @function nn.BatchNorm1d
-- @int num_features the number of channels
-- @tparam[opt] table options `eps` (1e-5); `momentum` (0.1; false: running statistics are means over all batches; the
--   number of batches is read each time, which waits for a GPU); `affine` (true); `track_running_stats` (true; false:
--   always uses the batch's own statistics); `dtype`, `device`
-- @treturn Module takes x, and returns a tensor of x's shape

--- Makes a layer for batch normalisation of [N, channels, height, width].
-- @function nn.BatchNorm2d
-- @int num_features the number of channels
-- @tparam[opt] table options those of nn.BatchNorm1d
-- @treturn Module takes x, and returns a tensor of x's shape

--- Makes a layer for batch normalisation of [N, channels, depth, height, width].
-- @function nn.BatchNorm3d
-- @int num_features the number of channels
-- @tparam[opt] table options those of nn.BatchNorm1d
-- @treturn Module takes x, and returns a tensor of x's shape
local function init_batch(self, num_features, options)
  local name = self.class_name
  local known = {eps = "number", momentum = true, affine = "boolean", track_running_stats = "boolean"}
  options = layer.made_options(name, options, known)
  self.num_features = layer.count(name, "num_features", num_features)
  self.eps = eps_of(name, options)
  self.momentum = options.momentum ~= false and layer.number(name, "momentum", options.momentum, 0.1)
  local affine, shape = options.affine ~= false, {num_features}
  local tracks = options.track_running_stats ~= false
  self.affine, self.track_running_stats = affine, tracks
  add_affine(self, shape, options, affine, affine)
  self:register_buffer("running_mean", tracks and zeros(shape, options) or nil)
  self:register_buffer("running_var", tracks and ones(shape, options) or nil)
  local batches = tracks and core.zeros({}, {dtype = "int64", device = options.device}) or nil
  self:register_buffer("num_batches_tracked", batches)
end

local function forward_batch(self, x, least_dims, most_dims)
  check_input(self, x, least_dims, most_dims)
  local mean, var, momentum = self.running_mean or nil, self.running_var or nil, self.momentum
  local training = self.training or not mean
  local counts = training and mean
  if counts and not momentum then momentum = 1 / (self.num_batches_tracked:item() + 1) end
  local y = normed.batch(self, x, mean, var, self.weight or nil, self.bias or nil, training, momentum or 0, self.eps)
  if counts then self.num_batches_tracked:add_(1) end
  return y
end

--- Makes a layer that calls `functional.instance_norm`: it normalises each channel of each row of [N, channels,
-- length].
-- @function nn.InstanceNorm1d
-- @int num_features the number of channels
-- @tparam[opt] table options `eps` (1e-5), `affine` (false); `dtype`, `device`
-- @treturn Module takes x, and returns a tensor of x's shape

--- Makes a layer that normalises each channel of each row of [N, channels, height, width].
-- @function nn.InstanceNorm2d
-- @int num_features the number of channels
-- @tparam[opt] table options those of nn.InstanceNorm1d
-- @treturn Module takes x, and returns a tensor of x's shape

--- Makes a layer that normalises each channel of each row of [N, channels, depth, height, width].
-- @function nn.InstanceNorm3d
-- @int num_features the number of channels
-- @tparam[opt] table options those of nn.InstanceNorm1d
-- @treturn Module takes x, and returns a tensor of x's shape
local function init_instance(self, num_features, options)
  local name = self.class_name
  options = layer.made_options(name, options, {eps = "number", affine = "boolean"})
  self.num_features = layer.count(name, "num_features", num_features)
  self.eps = eps_of(name, options)
  local affine = options.affine or false
  self.affine = affine
  add_affine(self, {num_features}, options, affine, affine)
end

local function words_of_batch(self)
  return ("%d"):format(self.num_features)
         .. words_of(self, {{"eps", 1e-5}, {"momentum", 0.1}, {"affine", true}, {"track_running_stats", true}})
end

local function words_of_instance(self)
  return ("%d"):format(self.num_features) .. words_of(self, {{"eps", 1e-5}, {"affine", false}})
end

for dims = 1, 3 do
  local least_dims = dims == 1 and 2 or dims + 2
  local Batch, Instance = Module:extend(("BatchNorm%dd"):format(dims)), Module:extend(("InstanceNorm%dd"):format(dims))
  Batch.init, Batch.extra = init_batch, words_of_batch
  Instance.init, Instance.extra = init_instance, words_of_instance

  function Batch:forward(x) return (forward_batch(self, x, least_dims, dims + 2)) end

  function Instance:forward(x)
    check_input(self, x, dims + 2, dims + 2)
    return (normed.instance(self, x, self.weight or nil, self.bias or nil, self.eps))
  end

  classes[Batch.class_name], classes[Instance.class_name] = Batch, Instance
end

--- Makes a layer that computes functional.local_response_norm.
-- @function nn.LocalResponseNorm
-- @int size the number of neighbouring channels, including the channel itself
-- @tparam[opt] table options `alpha` (1e-4), `beta` (0.75), `k` (1)
-- @treturn Module takes x [N, channels, …], and returns a tensor of x's shape
local LocalResponseNorm = Module:extend "LocalResponseNorm"

function LocalResponseNorm:init(size, options)
  self.size = layer.count("LocalResponseNorm", "size", size)
  self.options = args.options("LocalResponseNorm", options, {alpha = "number", beta = "number", k = "number"})
end

function LocalResponseNorm:forward(x) return (functional.local_response_norm(x, self.size, self.options)) end

function LocalResponseNorm:extra() return ("%d"):format(self.size) end

classes.LayerNorm, classes.RMSNorm, classes.GroupNorm = LayerNorm, RMSNorm, GroupNorm
classes.LocalResponseNorm = LocalResponseNorm
return classes
