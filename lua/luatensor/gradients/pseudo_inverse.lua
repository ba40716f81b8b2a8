--- The gradient of pseudo-inverses, for pinv and for lstsq: G. Golub and V. Pereyra, "The differentiation of
-- pseudo-inverses and nonlinear least squares problems whose variables separate" (1973), (4.12). The gradient is
-- defined if the rank does not change. Unlike the gradient of svd, this gradient is finite for repeated singular
-- values.

local conj = require("luatensor.gradients.help").conj

local function adjoint(x) return conj(x.mT) end

--- Returns the gradient of a.
-- @tparam tensor g the gradient of y
-- @tparam tensor a matrices
-- @tparam tensor y the pseudo-inverse of a
-- @treturn tensor
return function(g, a, y)
  local gh, yh = adjoint(g), adjoint(y)
  local k = gh:matmul(y)
  local kyh = k:matmul(yh)
  return kyh - adjoint(y:matmul(k)) - a:matmul(y:matmul(kyh)) + yh:matmul(y:matmul(gh - k:matmul(a)))
end
