--- Helpers of the layers in lt.nn: their options, the checks of their arguments, and their parameters.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local autocast = require "luatensor.nn.autocast"

local layer = {}

-- ---- options ----

local common = {dtype = "dtype", device = "device"}

--- Checks and returns the options of a layer with parameters: dtype, device and the options in `more`.
-- @string name name of the layer, for messages
-- @param options table or nil
-- @tab more the layer's own options: the kind of each by its name, as for args.options
function layer.made_options(name, options, more)
  local known = {}
  for _, set in ipairs {common, more} do for key, kind in pairs(set) do known[key] = kind end end
  return args.options(name, options, known)
end

--- Checks and returns the options of a layer whose initial weights are drawn: dtype, device, generator and the
-- options in `more`, as for layer.made_options.
function layer.options(name, options, more)
  local known = {generator = "generator"}
  for key, kind in pairs(more) do known[key] = kind end
  return layer.made_options(name, options, known)
end

-- ---- arguments ----

--- Returns n as an integer. Raises an error unless n is a positive integer.
function layer.count(name, what, n)
  return args.integer(name, what, n, 1)
end

--- Returns a number, or the default if the value is nil. Raises an error for other values.
function layer.number(name, what, value, default)
  if value == nil then value = default end
  return args.check(name, what, value, "number")
end

--- Returns value. Raises an error unless value is a number from low to high.
function layer.between(name, what, value, low, high)
  layer.number(name, what, value)
  if not (value >= low and value <= high) then
    args.fail(name, "%s: %s is not from %s to %s", what, value, low, high)
  end
  return value
end

--- Returns the options for functions that make the layer's tensors, including random tensors.
function layer.made(options)
  return {dtype = options.dtype or lt.get_default_dtype(), device = options.device, generator = options.generator}
end

--- Returns a new parameter drawn uniformly from -bound to bound.
function layer.uniform(shape, bound, options)
  return lt.uniform(-bound, bound, shape, layer.made(options)):requires_grad_()
end

--- Raises an error unless x is a tensor that was not freed. If the parameter `like` is given, x must have the dtype and
-- the device of `like`. While autocast is on, the dtype may differ.
-- @tparam Module self
-- @string what name of x in messages, such as "the input"
-- @param x the input
-- @tparam[opt] tensor like a parameter of the layer
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

--- The set of the methods `forward` of layers that keep neither their inputs nor their results, so that Sequential
-- may free a result between two such layers.
layer.keeps_nothing = {}

--- The set of the methods `forward` that call only the modules in fields 1 … n, in sequence. If a module has one of
-- these methods, a module in any other field is an error, because it would never be called.
layer.is_chain = {}

return layer
