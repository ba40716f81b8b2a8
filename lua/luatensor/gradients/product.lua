--- Gradients of matrix products: matmul, linear, vecdot and addmm.

local help = require "luatensor.gradients.help"

local conj = help.conj

--- Returns the conjugate transpose of a matrix, or of each matrix of a batch.
local function turned(x) return conj(x.mT) end

--- Returns g, the gradient of matmul's result, as matrices [.., m, n], with dims of length 1 in place of the dims
-- that a 1-d input lacks.
local function as_matrices(g, x_ndim, y_ndim)
  if x_ndim == 1 then g = g:expand_dims(y_ndim == 1 and 1 or -2) end
  if y_ndim == 1 then g = g:expand_dims(-1) end
  return g
end

local function matmul_x(g, y, p)
  local x_ndim, y_ndim = #p.shapes[1], #p.shapes[2]
  if y_ndim == 2 and x_ndim >= 2 then return g:matmul(turned(y)) end
  g = as_matrices(g, x_ndim, y_ndim)
  if y_ndim == 1 then y = y:expand_dims(-1) end
  local d = g:matmul(turned(y))
  return x_ndim == 1 and d:squeeze(-2) or d
end

--- Returns the gradient of one matrix y that all matrices of batch x share. The rows of the batch are stacked, so
-- that one product suffices and no sum over the batch is needed.
local function for_one_matrix(g, x)
  local rows = x:reshape(-1, x.shape[x.ndim])
  return turned(rows):matmul(g:reshape(-1, g.shape[g.ndim]))
end

local function matmul_y(g, x, p)
  local x_ndim, y_ndim = #p.shapes[1], #p.shapes[2]
  if y_ndim == 2 and x_ndim > 2 and x.size > 0 and g.size > 0 then return for_one_matrix(g, x) end
  g = as_matrices(g, x_ndim, y_ndim)
  if x_ndim == 1 then x = x:expand_dims(1) end
  local d = turned(x):matmul(g)
  return y_ndim == 1 and d:squeeze(-1) or d
end

--- Returns x as a matrix: all dims except the last are merged into one dim.
local function as_rows(x)
  local shape, rows = x.shape, 1
  if #shape == 2 then return x end
  for d = 1, #shape - 1 do rows = rows * shape[d] end
  return x:reshape(rows, shape[#shape])
end

local function linear_bias(g)
  local dims = {}
  for d = 1, g.ndim - 1 do dims[d] = d end
  return #dims > 0 and g:sum(dims) or g
end

--- Returns g * factor, without a multiplication if the factor is 1, as by default.
local function times(g, factor) return factor == 1 and g or g * factor end

return {
  linear = {
    {"y", function(g, weight) return g:matmul(conj(weight)) end},
    {"x", function(g, x) return as_rows(g).mT:matmul(conj(as_rows(x))) end},
    {"", linear_bias},
  },
  matmul = {{"yp", matmul_x}, {"xp", matmul_y}},
  vecdot = {
    {"yp", function(g, y, p) return conj(g):expand_dims(p.dim) * y end},      -- the op multiplies by conj(x)
    {"xp", function(g, x, p) return g:expand_dims(p.dim) * x end},
  },
  addmm = {
    {"p", function(g, p) return times(g, p[1]) end},
    {"zp", function(g, b, p) return times(g:matmul(turned(b)), p[2]) end},
    {"yp", function(g, a, p) return times(turned(a):matmul(g), p[2]) end},
  },
}
