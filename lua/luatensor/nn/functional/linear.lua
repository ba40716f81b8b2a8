--- Products with a matrix.

local core = require "luatensor.core"
local blame = require "luatensor.autograd.blame"
local autocast = require "luatensor.nn.autocast"

local cast = autocast.cast

local functional = {}

--- x Wᵀ + b, in one op.
-- @function nn.functional.linear
-- @tparam tensor x [..., inputs]
-- @tparam tensor weight [outputs, inputs]
-- @tparam[opt] tensor bias [outputs]; nil or false: none
-- @treturn tensor [..., outputs]
-- @raise shapes that do not fit; tensors on several devices; bool tensors
function functional.linear(x, weight, bias)
  local y, fault = core.linear(cast(x), cast(weight), cast(bias))
  return y or blame.fail("linear", fault)
end

return functional
