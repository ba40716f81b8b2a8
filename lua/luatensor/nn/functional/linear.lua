--- Products with a matrix.

local lt = require "luatensor"
local autocast = require "luatensor.nn.autocast"

local cast = autocast.cast

local functional = {}

--- x Wᵀ + b.
-- @function nn.functional.linear
-- @tparam tensor x [..., inputs]
-- @tparam tensor weight [outputs, inputs]
-- @tparam[opt] tensor bias [outputs]
-- @treturn tensor [..., outputs]
function functional.linear(x, weight, bias)
  x, weight, bias = cast(x), cast(weight), cast(bias)
  if not bias then return x:matmul(weight.mT) end
  if x.ndim == 2 then return lt.addmm(bias, x, weight.mT) end
  return x:matmul(weight.mT) + bias
end

return functional
