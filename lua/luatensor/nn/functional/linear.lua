--- functional.linear, the product with a weight matrix.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local autocast = require "luatensor.nn.autocast"

local linear, cast, is_on = core.linear, autocast.cast, autocast.is_on

local functional = {}

--- Computes x Wᵀ + b in one op.
-- @function nn.functional.linear
-- @tparam tensor x [..., inputs]
-- @tparam tensor weight [outputs, inputs]
-- @tparam[opt] tensor bias [outputs]; nil or false for no bias
-- @treturn tensor [..., outputs]
-- @raise if shapes do not fit, or if devices or dtypes differ
function functional.linear(x, weight, bias)
  if is_on() then x, weight, bias = cast(x), cast(weight), cast(bias) end
  local y, fault = linear(x, weight, bias)
  return y or blame.fail("linear", "%s", fault)
end

return functional
