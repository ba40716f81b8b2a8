--- What constructors of layers share.

local args = require "luatensor.args"
local lt = require "luatensor"
local blame = require "luatensor.autograd.blame"

local layer = {}

local common = {dtype = true, device = true, generator = true}

--- Options of a layer's constructor; dtype, device and generator are known to all.
-- @string name the layer's
-- @param options table or nil
-- @tab known set of names besides
function layer.options(name, options, known)
  return blame.call(args.options, name, options, setmetatable(known, {__index = common, __pairs = function()
    local all = {}
    for each in pairs(common) do all[each] = true end
    for each in next, known do all[each] = true end
    return next, all
  end}))
end

--- A positive integer.
function layer.count(name, what, n)
  return blame.call(args.integer, name, what, n, 1)
end

--- Options of a constructor that makes no tensors.
function layer.known(name, options, known) return blame.call(args.options, name, options, known) end

--- A number, or its default where it is nil.
function layer.number(name, what, value, default)
  if value == nil then value = default end
  if type(value) ~= "number" then blame.fail(name, "%s: number expected, got %s", what, type(value)) end
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

--- Methods forward of layers that keep neither what they are given nor what they give.
layer.keeps_nothing = {}

return layer
