--- The functions of lt.linalg that are composed of other operations: of LAPACK's factorizations
-- (src/lua/array/linalg.c), products, norms and views.

local args = require "luatensor.base.args"
local lists = require "luatensor.base.lists"
local constant = require("luatensor.gradients.help").constant
local of_pseudo_inverse = require "luatensor.gradients.pseudo_inverse"
local core = require "luatensor.core"
local lt = require "luatensor.base.public"

local inf = math.huge

--- Returns the numbers of rows and columns of x, which is argument i of function `fn`. Raises an error if x has fewer
-- than two dims.
local function check_matrix(fn, i, x)
  if args.tensor(fn, i, x).ndim < 2 then
    args.fail(fn, "a matrix or a batch of them expected, got shape %s", args.shape_text(x.shape))
  end
  return x.shape[x.ndim - 1], x.shape[x.ndim]
end

local function is_complex(x) return x.dtype:find("^complex") ~= nil end

--- Returns the transposes of matrices, with complex elements conjugated.
local function adjoint(x) return is_complex(x) and x.mT:conj() or x.mT end

--- Returns the lengths of the batch dims: all dims but the last two.
local function batch_of(x) return table.move(x.shape, 1, x.ndim - 2, 1, {}) end

--- Returns a value that is given by position or as option `name`. Raises an error if both are given.
local function either(fn, name, positional, options)
  if positional ~= nil and options[name] ~= nil then args.fail(fn, "%s is given twice", name) end
  if positional ~= nil then return positional end
  return options[name]
end

local linalg, parts = lt.linalg, core.linalg_parts

-- ---- the same functions as in lt ----

--- The same as lt.diagonal.
-- @function linalg.diagonal
linalg.diagonal = lt.diagonal

--- The same as lt.matmul.
-- @function linalg.matmul
linalg.matmul = lt.matmul

--- The same as lt.matrix_transpose.
-- @function linalg.matrix_transpose
linalg.matrix_transpose = lt.matrix_transpose

--- The same as lt.outer.
-- @function linalg.outer
linalg.outer = lt.outer

--- The same as lt.tensordot.
-- @function linalg.tensordot
linalg.tensordot = lt.tensordot

--- The same as lt.vecdot.
-- @function linalg.vecdot
linalg.vecdot = lt.vecdot

-- ---- elements ----

--- Sums the elements on a diagonal of each matrix.
-- @function linalg.trace
-- @tparam Tensor x [..., m, n], any numbers
-- @tab[opt] options `offset` (0): the diagonal, above the main diagonal when positive; `dtype` as in sum
-- @treturn Tensor [...]
function linalg.trace(x, options)
  check_matrix("trace", 1, x)
  options = args.options("trace", options, {offset = true, dtype = true})
  local offset = args.integer("trace", "offset", options.offset or 0)
  return x:diagonal({offset = offset}):sum(-1, {dtype = options.dtype, keepdim = false})
end

--- Computes cross products of vectors of length 3 along a dim. The remaining dims broadcast.
-- @function linalg.cross
-- @tparam Tensor x of length 3 along the dim
-- @tparam Tensor y of length 3 along the dim
-- @tab[opt] options `dim` (-1)
-- @treturn Tensor
function linalg.cross(x, y, options)
  args.tensor("cross", 1, x)
  args.tensor("cross", 2, y)
  local dim = args.options("cross", options, {dim = true}).dim or -1
  for i, t in ipairs {x, y} do
    local d = args.dim("cross", dim, t.ndim)
    if t.shape[d] ~= 3 then
      args.fail("cross", "argument %d: a length of 3 expected in dim %d, got shape %s", i, d,
                args.shape_text(t.shape))
    end
  end
  x, y = lt.broadcast_arrays(x, y)
  dim = args.dim("cross", dim, x.ndim)
  local function part(i, j)
    local left = x:narrow(dim, i, 1):multiply(y:narrow(dim, j, 1))
    return left:subtract(x:narrow(dim, j, 1):multiply(y:narrow(dim, i, 1)))
  end
  return lt.concat({part(2, 3), part(3, 1), part(1, 2)}, dim)
end

--- Returns powers of square matrices: the product of n factors x, or of -n factors inverse(x) if n is negative. Power
-- 0 is the identity.
-- @function linalg.matrix_power
-- @tparam Tensor x [..., n, n]
-- @int n
-- @treturn Tensor [..., n, n]
function linalg.matrix_power(x, n)
  local rows, columns = check_matrix("matrix_power", 1, x)
  if rows ~= columns then
    args.fail("matrix_power", "square matrices expected, got shape %s", args.shape_text(x.shape))
  end
  n = args.integer("matrix_power", "n", n, -math.maxinteger)
  if n < 0 then x, n = linalg.inv(x), -n end
  if n == 0 then
    local unit = lt.eye(rows, {dtype = x.dtype, device = x.device}):broadcast_to(x.shape):clone()
    return constant("matrix_power", x, unit)
  end
  local result
  while true do
    if n & 1 == 1 then result = result and result:matmul(x) or x end
    n = n >> 1
    if n == 0 then return rawequal(result, x) and x:clone() or result end
    x = x:matmul(x)
  end
end

-- ---- norms ----

local vector_options = {ord = true, dim = true, keepdim = true, dtype = true}

--- Computes the vector norm of order ord of the elements: (sum of |x|^ord)^(1/ord).
-- @function linalg.vector_norm
-- @tparam Tensor x any shape; integers give the default float
-- @number[opt=2] ord math.huge: the largest |x|; -math.huge: the smallest |x|; 0: the number of elements other than 0
-- @param[opt] dim a dim or a list of dims; by default all dims
-- @tab[opt] options `ord`, `dim`, `keepdim`, `dtype` (of the result)
-- @treturn Tensor of x's shape without the reduced dims
function linalg.vector_norm(x, ...)
  args.tensor("vector_norm", 1, x)
  local given, options = args.split("vector_norm", vector_options, ...)
  args.at_most("vector_norm", 2, given)
  local ord = either("vector_norm", "ord", given[1], options) or 2
  if type(ord) ~= "number" or ord ~= ord then
    args.fail("vector_norm", "ord: number expected, got %s", type(ord) == "number" and "nan" or core.type_name(ord))
  end
  local dim = either("vector_norm", "dim", given[2], options)
  return lt.norm(x, ord, dim, {keepdim = options.keepdim or false, dtype = options.dtype})
end

--- Returns a function that computes a norm of each matrix: it sums |x| along `dim`, which is -2 or -1, and takes the
-- largest sum (`pick` = "max") or the smallest sum ("min").
local function sums(dim, pick)
  return function(x)
    local norms = lt.norm(x, 1, dim, {keepdim = true})
    return norms[pick](norms, {-2, -1}, {keepdim = true})
  end
end

--- Returns a function that reduces the singular values of each matrix by the method `reduce`.
local function values(reduce)
  return function(x)
    local s = linalg.svdvals(x)
    return s[reduce](s, -1, {keepdim = true}):expand_dims(-1)
  end
end

--- Maps the order of a matrix norm to a function that returns the norms of a batch of matrices. In the results the
-- last two dims have length 1.
local matrix_norms = {
  fro = function(x) return lt.norm(x, 2, {-2, -1}, {keepdim = true}) end,
  nuc = values "sum", [2] = values "max", [-2] = values "min",
  [1] = sums(-2, "max"), [-1] = sums(-2, "min"), [inf] = sums(-1, "max"), [-inf] = sums(-1, "min"),
}

local function matrix_norm_of(fn, ord)
  local norm = matrix_norms[ord]
  if not norm then
    local got = (type(ord) == "number" or type(ord) == "string") and tostring(ord) or core.type_name(ord)
    args.fail(fn, 'ord: "fro", "nuc", 1, -1, 2, -2, math.huge or -math.huge expected, got %s', got)
  end
  return norm
end

--- Computes a norm of each matrix. Order "fro" gives the root of the sum of squares, and "nuc" the sum of the
-- singular values. Orders 2 and -2 give the largest and the smallest singular value. Orders 1 and -1 give the largest
-- and the smallest sum of |x| in a column. Orders math.huge and -math.huge give the same for rows.
-- @function linalg.matrix_norm
-- @tparam Tensor x [..., m, n]
-- @param[opt="fro"] ord "fro", "nuc", 2, -2, 1, -1, math.huge or -math.huge
-- @tab[opt] options `ord`, `keepdim`
-- @treturn Tensor [...]
function linalg.matrix_norm(x, ...)
  check_matrix("matrix_norm", 1, x)
  local given, options = args.split("matrix_norm", {ord = true, keepdim = true}, ...)
  args.at_most("matrix_norm", 1, given)
  local ord = either("matrix_norm", "ord", given[1], options)
  if ord == nil then ord = "fro" end
  local norm = matrix_norm_of("matrix_norm", ord)(x)
  return options.keepdim and norm or norm:squeeze({-2, -1})
end

--- Computes condition numbers, norm(x) * norm(inverse of x). The relative error of a solution a of x a = b may exceed
-- the relative error of x or b by this factor.
-- @function linalg.cond
-- @tparam Tensor x [..., m, n]; square, except for the orders 2 and -2
-- @param[opt=2] ord as in matrix_norm
-- @treturn Tensor [...]
-- @raise if a matrix is singular, except for the orders 2 and -2, which give inf
function linalg.cond(x, ord)
  check_matrix("cond", 1, x)
  ord = ord or 2
  local norm = matrix_norm_of("cond", ord)
  local inverse = ord == 2 and matrix_norms[-2](x) or ord == -2 and matrix_norms[2](x)
  local result = inverse and norm(x):divide(inverse) or norm(x):multiply(norm(linalg.inv(x)))
  return result:squeeze({-2, -1})
end

-- ---- rank ----

--- Returns a bool tensor that is true for significant singular values: values greater than rtol times the largest
-- value in s.
local function significant(fn, x, s, rtol)
  if rtol == nil then
    rtol = math.max(x.shape[x.ndim - 1], x.shape[x.ndim]) * lt.finfo(s.dtype).eps
  elseif lt.is_tensor(rtol) then
    rtol = rtol:expand_dims(-1)
  elseif type(rtol) ~= "number" then
    args.fail(fn, "rtol: number or tensor expected, got %s", core.type_name(rtol))
  elseif rtol ~= rtol or rtol < 0 then
    args.fail(fn, "rtol: 0 or more expected, got %s", rtol)
  end
  return s:greater(s:narrow(-1, 1, 1):multiply(rtol))
end

--- Counts the singular values that are greater than rtol times the largest one.
-- @function linalg.matrix_rank
-- @tparam Tensor x [..., m, n]
-- @tab[opt] options `rtol`: a number, or a tensor with a number for each matrix; default max(m, n) * eps
-- @treturn Tensor [...], int64
function linalg.matrix_rank(x, options)
  check_matrix("matrix_rank", 1, x)
  options = args.options("matrix_rank", options, {rtol = true})
  local s = linalg.svdvals(x)
  if s.shape[s.ndim] == 0 then return s:count_nonzero(-1) end
  return significant("matrix_rank", x, s, options.rtol):count_nonzero(-1)
end

--- Multiplies b by the pseudo-inverse of the matrix whose singular value decomposition is u diag(s) vh: returns vhᴴ
-- diag(1 / s) uᴴ b, or the pseudo-inverse itself if b is nil. 1 / s is 0 where the bool tensor `counts` is false.
local function apply_inverse(u, s, vh, counts, b)
  local inverse = lt.where(counts, s:reciprocal(), 0):expand_dims(-1)
  local right = b and adjoint(u):matmul(b) or adjoint(u)
  return adjoint(vh):matmul(right:multiply(inverse))
end

--- Calls invert(x), which returns the pseudo-inverse of x, and records the gradient rule of the pseudo-inverse. The
-- gradient of svd is not used, because it is not finite for repeated singular values.
local function with_gradient(invert, x)
  return lt.autograd_function {
    name = "pinv",
    forward = function(ctx, a)
      local y = invert(a)
      ctx:save(a, y)
      return y
    end,
    backward = function(ctx, g) return of_pseudo_inverse(g, ctx:saved()) end,
  }(x)
end

--- Computes Moore–Penrose pseudo-inverses from singular values.
-- @function linalg.pinv
-- @tparam Tensor x [..., m, n]
-- @tab[opt] options `rtol`: singular values up to rtol times the largest count as 0; a number, or a tensor with a
--   number for each matrix; default max(m, n) * eps
-- @treturn Tensor [..., n, m]
function linalg.pinv(x, options)
  local m, n = check_matrix("pinv", 1, x)
  options = args.options("pinv", options, {rtol = true})
  if m == 0 or n == 0 then
    local y = lt.zeros(lists.join(batch_of(x), {n, m}), {dtype = lt.result_type(x, 1.0), device = x.device})
    return constant("pinv", x, y)
  end
  local function invert(a)
    local u, s, vh = linalg.svd(a, {full_matrices = false})
    return apply_inverse(u, s, vh, significant("pinv", a, s, options.rtol))
  end
  return x.requires_grad and with_gradient(invert, x) or invert(x)
end

-- ---- least squares ----

--- Returns the sums of |x|² along dim d.
local function squares(x, d)
  if is_complex(x) then return x:real():square():add(x:imag():square()):sum(d) end
  return x:square():sum(d)
end

--- Solves a x = b for x by least squares, for matrices a of m rows and n columns. Returns four tensors: x, the last
-- m - n rows of LAPACK's result, the ranks of a, and the singular values of a. Summing the squares of the elements in
-- these rows gives the residuals. If m <= n, the second result is nil.
local function solve_least_squares(a, b, rtol)
  local m, n = a.shape[a.ndim - 1], a.shape[a.ndim]
  local work, rank, s = parts.lstsq(a, b, rtol or -1)
  if m <= n then return work, nil, rank, s end
  return work:narrow(-2, 1, n):clone(), work:narrow(-2, n + 1, m - n), rank, s
end

--- Solves least squares problems, such as linear regression: finds the x that minimises the sum of |b - a x|². If
-- several x minimise this sum, the result is the x with the smallest norm.
-- @function linalg.lstsq
-- @tparam Tensor a [..., m, n]
-- @tparam Tensor b [m], one vector, or [..., m, k]; batch dims broadcast
-- @tab[opt] options `rtol`: singular values up to rtol times the largest count as 0; default max(m, n) * eps
-- @treturn Tensor x, [n] or [..., n, k]
-- @treturn Tensor residuals: the minimised sums, [..., k]; shape [0] unless m > n and every rank is n
-- @treturn Tensor rank [...], int64
-- @treturn Tensor singular values of a [..., min(m, n)]
function linalg.lstsq(a, b, options)
  local m, n = check_matrix("lstsq", 1, a)
  local vector = args.tensor("lstsq", 2, b).ndim == 1
  local rtol = args.options("lstsq", options, {rtol = true}).rtol
  if rtol ~= nil and type(rtol) ~= "number" then
    args.fail("lstsq", "rtol: number expected, got %s", core.type_name(rtol))
  end
  if rtol and not (rtol >= 0 and rtol < 1) then        -- LAPACK replaces any other rtol by its default
    args.fail("lstsq", "rtol: 0 or more and less than 1 expected, got %s", rtol)
  end
  if b.ndim > 0 and b.shape[vector and 1 or b.ndim - 1] ~= m then
    args.fail("lstsq", "the numbers of rows differ: %s and %s", args.shape_text(a.shape), args.shape_text(b.shape))
  end
  if vector then b = b:expand_dims(-1) end
  local x, rest, rank, s = solve_least_squares(a, b, rtol)
  local full = m > n and rank.size > 0 and rank:min():item() == n
  if full and x.requires_grad then rest = b:subtract(a:matmul(x)) end
  local residuals = full and squares(rest, -2) or lt.zeros({0}, {dtype = s.dtype, device = s.device})
  if vector then
    x = x:squeeze(-1)
    if full then residuals = residuals:squeeze(-1) end
  end
  return x, residuals, rank, s
end

-- ---- LU ----

--- Factors matrices as x = P L U. P permutes rows, L is lower triangular with ones on its diagonal, and U is upper
-- triangular.
-- @function linalg.lu
-- @tparam Tensor x [..., m, n]; k is min(m, n) in the shapes of the results
-- @treturn Tensor P [..., m, m]
-- @treturn Tensor L [..., m, k]
-- @treturn Tensor U [..., k, n]
function linalg.lu(x)
  local m, n = check_matrix("lu", 1, x)
  local k, lu, order = math.min(m, n), parts.lu(x)
  local positions = lt.arange(1, m + 1, 1, {dtype = "int64", device = x.device}):expand_dims(-1)
  if k == 0 then order = order:add(positions:squeeze(-1)) end      -- parts.lu returned zeros: the order is 1 … m
  local p = order:expand_dims(-2):equal(positions):to(lu.dtype)
  local l = lu:narrow(-1, 1, k):tril(-1):add(lt.eye(m, k, {dtype = lu.dtype, device = x.device}))
  return p, l, lu:narrow(-2, 1, k):triu()
end

--- Solves a x = b for x. lu_factor(a) returns the first two arguments.
-- @function linalg.lu_solve
-- @tparam Tensor lu [..., n, n]
-- @tparam Tensor pivots [..., n]
-- @tparam Tensor b [n], one vector, or [..., n, k]; batch dims broadcast
-- @treturn Tensor [..., n] or [..., n, k]; inf or NaN if a is singular
function linalg.lu_solve(lu, pivots, b)
  local n = check_matrix("lu_solve", 1, lu)
  args.tensor("lu_solve", 2, pivots)
  args.tensor("lu_solve", 3, b)
  local batch = batch_of(lu)
  if pivots.dtype ~= "int32" or not lists.same(pivots.shape, lists.join(batch, {n})) then
    args.fail("lu_solve", "pivots as lu_factor gives them expected, got %s %s", pivots.dtype,
              args.shape_text(pivots.shape))
  end
  if b.ndim > 2 then batch = lt.broadcast_shapes(batch, batch_of(b)) end
  return parts.lu_solve(lu, pivots:clip(1, n):broadcast_to(lists.join(batch, {n})):contiguous(), b)
end
