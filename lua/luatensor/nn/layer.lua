--- Helpers of the constructors of layers.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local autocast = require "luatensor.nn.autocast"

local layer = {}

-- ---- options ----

local common = {dtype = "dtype", device = "device"}

--- Options of a layer with parameters: dtype, device and more.
-- @string name the name of the layer
-- @param options table or nil
-- @tab more further options: name and kind of each, as for args.options
function layer.made_options(name, options, more)
  local known = {}
  for _, set in ipairs {common, more} do for key, kind in pairs(set) do known[key] = kind end end
  return args.options(name, options, known)
end

--- Options of a layer whose initial weights are drawn: those of made_options and `generator`.
function layer.options(name, options, more)
  local known = {generator = "generator"}
  for key, kind in pairs(more) do known[key] = kind end
  return layer.made_options(name, options, known)
end

-- ---- arguments ----

--- A positive integer.
function layer.count(name, what, n)
  return args.integer(name, what, n, 1)
end

--- A number, or the default if the value is nil.
function layer.number(name, what, value, default)
  if value == nil then value = default end
  return args.check(name, what, value, "number")
end

--- A number from low to high.
function layer.between(name, what, value, low, high)
  layer.number(name, what, value)
  if not (value >= low and value <= high) then
    args.fail(name, "%s: %s is not from %s to %s", what, value, low, high)
  end
  return value
end

--- The options that the layer passes to functions that make tensors, including random tensors.
function layer.made(options)
  return {dtype = options.dtype or lt.get_default_dtype(), device = options.device, generator = options.generator}
end

--- A parameter drawn uniformly from -bound to bound.
function layer.uniform(shape, bound, options)
  return lt.uniform(-bound, bound, shape, layer.made(options)):requires_grad_()
end

--- Checks the input of a layer: a tensor that was not freed, with the dtype and device of the parameter `like`.
-- @tparam Module self
-- @string what "the input"
-- @param x
-- @tparam[opt] tensor like
function layer.input(self, what, x, like)
  local dtype = core.dtype_of(x)
  if not dtype then
    if core.is_tensor(x) then self:fail("%s: %s", what, core.gone(x)) end
    self:fail("%s: tensor expected, got %s", what, core.type_name(x))
  end
  if not like then return end
  local wanted = core.dtype_of(like)
  if not wanted then self:fail("a parameter: %s", core.gone(like)) end
  if dtype ~= wanted and not autocast.is_on() then
    self:fail("%s is %s, the parameters are %s; use :to(%q)", what, dtype, wanted, wanted)
  end
  if x.device ~= like.device then
    self:fail("%s is on %s, the parameters are on %s; use :to(%q)", what, x.device, like.device, like.device)
  end
end

--- The methods `forward` of layers that keep neither their inputs nor their results.
layer.keeps_nothing = {}

--- The methods `forward` that only call the module's modules 1 … n.
layer.is_chain = {}

return layer
