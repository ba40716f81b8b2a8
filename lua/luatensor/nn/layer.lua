--- What constructors of layers share.

local args = require "luatensor.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local blame = require "luatensor.autograd.blame"
local fields = require "luatensor.nn.module.fields"

local layer = {}

-- ---- options ----

local floats = {float16 = true, bfloat16 = true, float32 = true, float64 = true}
local generator_class = debug.getmetatable(core.default_generator())

-- What options may be, by kind: each raises where a value is not of its kind. The kind `true` is not looked at here.
local kinds = {}

kinds["true"] = function() end

function kinds.boolean(name, what, value)
  if type(value) ~= "boolean" then blame.fail(name, "%s: true or false expected, got %s", what, type(value)) end
end

function kinds.number(name, what, value)
  if type(value) ~= "number" then blame.fail(name, "%s: number expected, got %s", what, type(value)) end
end

function kinds.dtype(name, what, value)
  if not floats[value] then
    blame.fail(name, "%s: float16, bfloat16, float32 or float64 expected, got %s", what,
               type(value) == "string" and value or type(value))
  end
end

function kinds.device(name, what, value)
  local ok, why = pcall(core.device, value)
  if not ok then
    blame.fail(name, "%s: %s", what, (tostring(why):gsub("^[^\n]-:%d+: ", ""):gsub("^device: ", "")))
  end
end

function kinds.generator(name, what, value)
  if debug.getmetatable(value) ~= generator_class then
    blame.fail(name, "%s: generator expected, got %s", what, type(value))
  end
end

function kinds.callable(name, what, value)
  local meta = debug.getmetatable(value)
  if type(value) ~= "function" and not (type(meta) == "table" and meta.__call) or core.is_tensor(value) then
    blame.fail(name, "%s: a module or a function expected, got %s", what, type(value))
  end
end

local common = {dtype = "dtype", device = "device", generator = "generator"}

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

--- Options of a layer's constructor; dtype, device and generator are known to all.
-- @string name the layer's
-- @param options table or nil
-- @tab more by name: the kind of those besides
function layer.options(name, options, more)
  local known = {}
  for _, set in ipairs {common, more} do for key, kind in pairs(set) do known[key] = kind end end
  return layer.known(name, options, known)
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

--- Called where forward got no input: was it called with a dot?
function layer.check_colon(name, self)
  if fields.is_module(self) then return end
  blame.fail(name, "forward: module expected, got %s; is there a colon, as in layer:forward(x)?",
             core.is_tensor(self) and "a tensor" or type(self))
end

--- Methods forward of layers that keep neither what they are given nor what they give.
layer.keeps_nothing = {}

return layer
