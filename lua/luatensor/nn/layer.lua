--- What constructors of layers share.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local floats = require "luatensor.base.floats"
local lt = require "luatensor"
local autocast = require "luatensor.nn.autocast"
local blame = require "luatensor.base.blame"

local layer = {}

-- ---- options ----

-- What options may be, by kind: each raises where a value is not of its kind. The kind `true` is not looked at here.
local kinds = {}

kinds["true"] = function() end

function kinds.boolean(name, what, value)
  if type(value) ~= "boolean" then
    blame.fail(name, "%s: true or false expected, got %s", what, core.type_name(value))
  end
end

function kinds.number(name, what, value)
  if type(value) ~= "number" then blame.fail(name, "%s: number expected, got %s", what, core.type_name(value)) end
end

function kinds.dtype(name, what, value)
  if not floats[value] then
    blame.fail(name, "%s: float16, bfloat16, float32 or float64 expected, got %s", what,
               type(value) == "string" and value or core.type_name(value))
  end
end

function kinds.device(name, what, value)
  local ok, why = pcall(core.device, value)
  if not ok then
    blame.fail(name, "%s: %s", what, (tostring(why):gsub("^[^\n]-:%d+: ", ""):gsub("^device: ", "")))
  end
end

function kinds.generator(name, what, value)
  if not core.is_generator(value) then
    blame.fail(name, "%s: generator expected, got %s", what, core.type_name(value))
  end
end

function kinds.callable(name, what, value)
  if not core.is_callable(value) or core.is_tensor(value) then
    blame.fail(name, "%s: a module or a function expected, got %s", what, core.type_name(value))
  end
end

local common = {dtype = "dtype", device = "device"}

--- Options of a constructor that makes no tensors, or of a call.
-- @string name the layer's
-- @param options table or nil
-- @tab known by name: the kind, such as "boolean", or true: any
function layer.known(name, options, known)
  if options == nil then return {} end
  options = blame.call(args.options, name, options, known)
  for key, value in next, options do kinds[tostring(known[key])](name, key, value) end
  return options
end

--- Options of a layer with parameters: dtype, device and more.
-- @string name the layer's
-- @param options table or nil
-- @tab more by name: the kind of those besides
function layer.made_options(name, options, more)
  local known = {}
  for _, set in ipairs {common, more} do for key, kind in pairs(set) do known[key] = kind end end
  return layer.known(name, options, known)
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
  return blame.call(args.integer, name, what, n, 1)
end

--- A number, or its default where it is nil.
function layer.number(name, what, value, default)
  if value == nil then value = default end
  kinds.number(name, what, value)
  return value
end

--- A number from low to high.
function layer.between(name, what, value, low, high)
  layer.number(name, what, value)
  if not (value >= low and value <= high) then
    blame.fail(name, "%s: %s is not from %s to %s", what, args.plain(value), low, high)
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
