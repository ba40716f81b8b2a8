--- Gradients of linear algebra. If a result X with gradient g changes by dX, the loss changes by the real part of
-- trace(gᴴ dX). The formulas follow M. Giles, "Collected matrix derivative results for forward and reverse mode
-- algorithmic differentiation" (2008), with conjugates for complex matrices as in PyTorch's FunctionsManual.cpp.
-- factor.lua has the gradients of factorizations.

local core = require "luatensor.core"
local help = require "luatensor.gradients.help"
local of_values = require("luatensor.gradients.factor").svdvals[1][2]
local of_pseudo_inverse = require "luatensor.gradients.pseudo_inverse"

local conj = help.conj
local rules = {}

local function adjoint(x) return conj(x.mT) end

--- Reshapes a tensor [...] with one number for each matrix of a batch to [..., 1, 1], for products with the matrices.
local function each(g) return g:expand_dims({-1, -2}) end

-- ---- inverse and solutions ----

rules.inv = {{"o", function(g, o)
  local turned = adjoint(o)
  return -turned:matmul(g):matmul(turned)
end}}

--- The result is X = inverse(A) B, with gradient g. The gradient of B is H = inverse(Aᴴ) g, and the gradient of A is
-- -H Xᴴ.
rules.solve = {all = {"xop", function(g, a, x, p)
  local vector = #p.shapes[2] == 1
  if vector then g, x = g:expand_dims(-1), x:expand_dims(-1) end
  local h = core.linalg.solve(adjoint(a), g)
  local of_a = p.needs[1] and -h:matmul(adjoint(x)) or nil
  return {of_a, vector and h:squeeze(-1) or h}
end}}

-- ---- determinants ----

--- Returns the conjugate of the matrix of cofactors of A, which for regular matrices is conj(det(A)) inverse(A)ᴴ but
-- also exists for singular matrices. With A = U S Vh the result is conj(det(U) det(Vh)) U diag(p) Vh, where p[i] is
-- the product of all singular values except number i.
local function conj_cofactors(x)
  local u, s, vh = core.linalg.svd(x)
  local n = s.shape[s.ndim]
  local others = core.where(help.on_diagonal(n, n, x.device), 1, s:expand_dims(-2)):prod(-1)
  local product = (u * others:expand_dims(-2)):matmul(vh)
  return product * each(conj(core.linalg.det(u) * core.linalg.det(vh)))
end

--- The gradient is g, the gradient of the result, times conj_cofactors(A), which for a regular A is computed by inv.
-- For gradients of gradients, the rules of inv and svd are used.
rules.det = {{"xo", function(g, x, o)
  local regular, inverse = pcall(core.linalg.inv, x)
  if regular then return each(g * conj(o)) * adjoint(inverse) end
  return each(g) * conj_cofactors(x)
end}}

--- For a change dA of a complex A, the imaginary part of trace(inverse(A) dA) is the change of the angle of the
-- determinant's sign. The real part is the change of log |det|. The sign of a real A is piecewise constant.
rules.slogdet = {{"x1", function(g, x, sign)
  local of_sign, scale = g[1], g[2]
  if sign.dtype:find "^complex" then
    local turn = of_sign and (of_sign * sign:conj()):imag()
    scale = scale and turn and core.complex(scale, turn) or turn and core.complex(turn:zeros_like(), turn) or scale
  end
  return scale and each(scale) * adjoint(core.linalg.inv(x))
end}}

-- ---- least squares ----

--- The solution is X = pinv(A) B. If A has more rows than columns, the op's result has additional rows below X. The
-- gradient of these rows in g[1] is ignored. pinv's default tolerance decides which singular values are not 0.
rules.lstsq = {all = {"xyp", function(g, a, b, p)
  local of_a = p.needs[1] and g[3] and of_values(g[3], a)
  if not g[1] then return {of_a or nil} end
  local gx, y = g[1]:narrow(-2, 1, a.shape[a.ndim]), core.linalg.pinv(a)
  if p.needs[1] then
    local of_x = of_pseudo_inverse(gx:matmul(adjoint(b)), a, y)
    of_a = of_a and of_a + of_x or of_x
  end
  return {of_a or nil, adjoint(y):matmul(gx)}
end}}

return rules
