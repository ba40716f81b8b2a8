--- nn.Linear, the layer that multiplies by a weight matrix.

local core = require "luatensor.core"
local Module = require "luatensor.nn.module"
local autocast = require "luatensor.nn.autocast"
local layer = require "luatensor.nn.layer"

--- Makes a layer that computes x Wᵀ + b. Weight [outputs, inputs] and bias [outputs] are drawn uniformly between
-- -1/√inputs and 1/√inputs.
-- @function nn.Linear
-- @int inputs length of x's last dim
-- @int outputs length of the result's last dim
-- @tparam[opt] table options `bias` (true), `dtype`, `device`, `generator`
-- @treturn Module takes x [..., inputs] and returns [..., outputs]
local Linear = Module:extend "Linear"

local linear, cast, is_on = core.linear, autocast.cast, autocast.is_on

function Linear:init(inputs, outputs, options)
  options = layer.options("Linear", options, {bias = "boolean"})
  self.inputs = layer.count("Linear", "inputs", inputs)
  self.outputs = layer.count("Linear", "outputs", outputs)
  local bound = 1 / math.sqrt(inputs)
  self.weight = layer.uniform({outputs, inputs}, bound, options)
  self:register_parameter("bias", options.bias ~= false and layer.uniform({outputs}, bound, options) or nil)
end

function Linear:forward(x)
  local weight, bias = self.weight, self.bias
  if is_on() then x, weight, bias = cast(x), cast(weight), cast(bias) end
  local y, fault = linear(x, weight, bias)
  if not y then self:fail("%s", fault) end
  return y
end

function Linear:extra() return ("%d, %d"):format(self.inputs, self.outputs) end

return {Linear = Linear}
