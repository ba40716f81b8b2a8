--- Layers that are a matrix.

local core = require "luatensor.core"
local Module = require "luatensor.nn.module"
local functional = require "luatensor.nn.functional"
local layer = require "luatensor.nn.layer"

--- y = x Wᵀ + b. Weight [outputs, inputs] and bias [outputs] are drawn from ±1/√inputs, uniformly.
-- @function nn.Linear
-- @int inputs length of x's last dim
-- @int outputs length of y's last dim
-- @tparam[opt] table options `bias` (true), `dtype`, `device`, `generator`
-- @treturn Module takes x [..., inputs], gives [..., outputs]
local Linear = Module:extend "Linear"

function Linear:init(inputs, outputs, options)
  options = layer.options("Linear", options, {bias = true})
  self.inputs = layer.count("Linear", "inputs", inputs)
  self.outputs = layer.count("Linear", "outputs", outputs)
  local bound = 1 / math.sqrt(inputs)
  self.weight = layer.uniform({outputs, inputs}, bound, options)
  self:register_parameter("bias", options.bias ~= false and layer.uniform({outputs}, bound, options) or nil)
end

function Linear:forward(x)
  if not core.is_tensor(x) then self:fail("tensor expected, got %s", type(x)) end
  local shape = x.shape
  if shape[#shape] ~= self.inputs then
    self:fail("the input's last dim must be %d, its shape is %s", self.inputs, tostring(shape))
  end
  return functional.linear(x, self.weight, self.bias)
end

function Linear:extra() return ("%d, %d"):format(self.inputs, self.outputs) end

return {Linear = Linear}
