--- What constructors of layers share.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local autocast = require "luatensor.nn.autocast"

local layer = {}

-- ---- options ----

local common = {dtype = "dtype", device = "device"}

--- Options of a layer with parameters: dtype, device and more.
-- @string name the layer's
-- @param options table or nil
-- @tab more by name: the kind of those besides, as args.options has it
function layer.made_options(name, options, more)
  local known = {}
  for _, set in ipairs {common, more} do for key, kind in pairs(set) do known[key] = kind end end
  return args.options(name, options, known)
end

--- Options of a layer whose first weights are drawn: generator, too.
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

--- A number, or its default where it is nil.
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

--- Options of the layer for functions that make tensors, of random numbers too.
function layer.made(options)
  return {dtype = options.dtype or lt.get_default_dtype(), device = options.device, generator = options.generator}
end

--- A parameter from -bound to bound.
function layer.uniform(shape, bound, options)
  return lt.uniform(-bound, bound, shape, layer.made(options)):requires_grad_()
end

--- What a layer is given: a tensor that was not freed; of the dtype and on the device of `like`, a parameter.
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

--- Methods forward of layers that keep neither what they are given nor what they give.
layer.keeps_nothing = {}

--- Methods forward that call the modules 1 … n of theirs, and no others.
layer.is_chain = {}

return layer
