--- Gradients of factorizations. Sources: M. Giles 2008 (see linalg.lua); I. Murray, "Differentiation of the Cholesky
-- decomposition" (2016); S. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra functions with
-- application in optimum experimental design" (2010), for qr; PyTorch's FunctionsManual.cpp for complex matrices.
-- PyTorch's documentation says which gradients are defined. A vector of eigh, eig or svd is unique up to a factor of
-- absolute value 1. If a loss depends on this factor, the gradient of the loss is meaningless. The vectors of a
-- repeated eigenvalue or singular value are not unique, and the gradient of these vectors is not finite.

local core = require "luatensor.core"
local help = require "luatensor.gradients.help"

local conj = help.conj
local rules = {}

local function adjoint(x) return conj(x.mT) end
local function rows(x) return x.shape[x.ndim - 1] end
local function columns(x) return x.shape[x.ndim] end
local function left(x, n) return x:narrow(-1, 1, n) end
local function top(x, n) return x:narrow(-2, 1, n) end

local function on_diagonal(x, n) return help.on_diagonal(n, n, x.device) end

--- Returns diagonal matrices [..., n, n], whose diagonals are the rows of values [..., n].
local function diagonal(values) return core.where(on_diagonal(values, columns(values)), values:expand_dims(-2), 0) end

--- Returns matrices with the diagonals of the matrices x, and 0 elsewhere.
local function only_diagonal(x) return core.where(on_diagonal(x, rows(x)), x, 0) end

--- Returns matrices with the elements x[i][j] / (values[j] - values[i]), and 0 on the diagonal.
local function over_differences(x, values)
  local diagonals = on_diagonal(x, rows(x))
  local differences = values:expand_dims(-2) - values:expand_dims(-1)
  return core.where(diagonals, 0, x) / conj(core.where(diagonals, 1, differences))
end

local function skew(x) return x - adjoint(x) end

-- ---- Cholesky ----

--- For x = L Lᴴ and the gradient g of L, the gradient of x is inverse(L)ᴴ S inverse(L). S is the Hermitian part of
-- the lower triangle of Lᴴ g with half its diagonal. Each triangle of x gets half of the gradient, though the op
-- reads only one triangle.
rules.cholesky = {{"op", function(g, o, p)
  if p.flag then g, o = adjoint(g), adjoint(o) end
  local m = adjoint(o):matmul(g):tril()
  local half = m - only_diagonal(m) * 0.5
  local inverse = core.linalg.inv(o)
  return adjoint(inverse):matmul((half + adjoint(half)) * 0.5):matmul(inverse)
end}}

-- ---- eigenvalues ----

--- The gradient of x = V diag(values) Vᴴ is V (diag(gv) + M) Vᴴ. gv is the gradient of the values. M is the skew part
-- of Vᴴ gV, where gV is the gradient of V, divided by the differences of the values.
rules.eigh = {{"12", function(g, values, v)
  local inner = g[1] and diagonal(g[1])
  if g[2] then
    local turned = over_differences(skew(adjoint(v):matmul(g[2])) * 0.5, values)
    inner = inner and turned + inner or turned
  end
  return inner and v:matmul(inner:to(v.dtype)):matmul(adjoint(v))
end}}

rules.eigvalsh = {{"xp", function(g, x, p)
  local _, v = core.linalg.eigh(x, {upper = p.flag or false})
  return (v * g:expand_dims(-2)):matmul(adjoint(v))
end}}

--- Returns inverse(Vᴴ) inner Vᴴ, the last step in the gradient of eig.
local function by_vectors(inner, v) return core.linalg.solve(adjoint(v), inner:matmul(adjoint(v))) end

--- The gradient of x = V diag(values) inverse(V) is inverse(Vᴴ) (diag(gv) + M) Vᴴ. gv is the gradient of the values and
-- gV is the gradient of V. M is Vᴴ gV without the part that would change the lengths of V's columns, divided by the
-- differences of the values.
rules.eig = {{"12", function(g, values, v)
  local inner = g[1] and diagonal(g[1])
  if g[2] then
    local vg = adjoint(v):matmul(g[2])
    local lengths = vg:diagonal({dim1 = -2, dim2 = -1}):real()
    local turned = over_differences(vg - adjoint(v):matmul(v * lengths:expand_dims(-2)), values)
    inner = inner and turned + inner or turned
  end
  return inner and by_vectors(inner, v)
end}}

rules.eigvals = {{"x", function(g, x)
  local _, v = core.linalg.eig(x)
  return by_vectors(diagonal(g), v)
end}}

-- ---- singular values ----

--- The gradient of x = U S Vh, with S = diag(s), contains U M Vh. Returns M = F(Uᴴ gU) S + S F(Vh gVhᴴ) + diag(gs),
-- where F(y) is y - yᴴ divided by the differences of the squares of s. For complex x, M has another diagonal term for
-- the phases of U. Returns nil if all gradients are nil. g is the list of the gradients gU, gs and gVh.
local function between(g, u, s, vh)
  local squares, across = s * s, s:expand_dims(-2)
  local inner = g[2] and diagonal(g[2])
  local function add(x) inner = inner and x + inner or x end
  if g[1] then
    local m = skew(adjoint(u):matmul(g[1]))
    add(over_differences(m, squares) * across)
    if m.dtype:find "^complex" then add(only_diagonal(m) / (across * 2)) end
  end
  if g[3] then add(over_differences(skew(vh:matmul(adjoint(g[3]))), squares) * s:expand_dims(-1)) end
  return inner
end

--- If full_matrices adds vectors to U or Vh, only the gradient of the singular values is defined, because the added
-- vectors may be any vectors that complete a basis.
rules.svd = {{"123", function(g, u, s, vh)
  local k = columns(s)
  if columns(u) ~= rows(vh) then
    if g[1] or g[3] then
      error("backward: svd: no gradient of full_matrices, whose last vectors are not determined; use "
            .. "{full_matrices = false}", 0)
    end
    u, vh = left(u, k), top(vh, k)
  end
  local inner = between(g, u, s, vh)
  local result = inner and u:matmul(inner:to(u.dtype)):matmul(vh)
  local function add(x) result = result and result + x or x end
  if g[1] and rows(u) > k then
    local scaled = g[1] / s:expand_dims(-2)
    add((scaled - u:matmul(adjoint(u):matmul(scaled))):matmul(vh))
  end
  if g[3] and columns(vh) > k then
    local scaled = g[3] / s:expand_dims(-1)
    add(u:matmul(scaled - scaled:matmul(adjoint(vh)):matmul(vh)))
  end
  return result
end}}

rules.svdvals = {{"x", function(g, x)
  local u, _, vh = core.linalg.svd(x, {full_matrices = false})
  return (u * g:expand_dims(-2)):matmul(vh)
end}}

-- ---- QR ----

--- Returns the gradient of x = Q R with square R: (gQ + Q W) inverse(R)ᴴ, where W is Hermitian with the upper
-- triangle of gR Rᴴ - Qᴴ gQ. gq and gr are the gradients of Q and R; one may be nil.
local function of_square_r(gq, gr, q, r)
  local m = gr and gr:matmul(adjoint(r))
  if gq then m = (m or 0) - adjoint(q):matmul(gq) end
  m = m:triu()
  local w = m + adjoint(m)
  w = w - only_diagonal(w) * 0.5
  local right = q:matmul(w)
  if gq then right = right + gq end
  return adjoint(core.linalg.solve(r, adjoint(right)))
end

--- If x has more columns than rows, the surplus columns x2 affect only R2 = Qᴴ x2, the last columns of R. The first
-- columns of x must be linearly independent.
rules.qr = {{"12", function(g, q, r)
  local gq, gr = g[1], g[2]
  local m, n = rows(q), columns(r)
  if rows(r) > n then
    error('backward: qr: no gradient of mode "complete" with more rows than columns, whose last columns of Q are not '
          .. "determined", 0)
  end
  if m >= n then return of_square_r(gq, gr, q, r) end
  gr = gr or r:zeros_like()
  local r2, gr2 = r:narrow(-1, m + 1, n - m), gr:narrow(-1, m + 1, n - m)
  local more = q:matmul(r2):matmul(adjoint(gr2))
  return core.concat({of_square_r(gq and gq + more or more, left(gr, m), q, left(r, m)), q:matmul(gr2)}, -1)
end}}

-- ---- LU ----

--- Splits the packed factorization lu into L, with its diagonal of ones, and U.
local function split(lu)
  local k = math.min(rows(lu), columns(lu))
  return left(lu, k):tril(-1) + help.on_diagonal(rows(lu), k, lu.device):to(lu.dtype), top(lu, k):triu()
end

--- Returns inverse(x)ᴴ y.
local function solve_turned(x, y) return core.linalg.solve(adjoint(x), y) end

--- Returns y inverse(x)ᴴ.
local function solve_right(y, x) return adjoint(core.linalg.solve(x, adjoint(y))) end

--- Returns the gradient of the product L U from g, the gradient of the packed factors lu. gL and gU are the parts of
-- g for L and U. For square factors the gradient is inverse(L)ᴴ m inverse(U)ᴴ with
-- m = tril(Lᴴ gL, -1) + triu(gU Uᴴ). The rows of L below the square part, or the columns of U to the right of the
-- square part, solve a triangular system. Their gradients solve a triangular system, too.
local function of_lu(g, lu)
  local m, n = rows(lu), columns(lu)
  local k = math.min(m, n)
  local l, u = split(lu)
  local gl, gu = left(g, k):tril(-1), top(g, k):triu()
  local below, beside
  local l1, u1, gl1, gu1 = top(l, k), left(u, k), top(gl, k), left(gu, k)
  if m > k then
    below = solve_right(gl:narrow(-2, k + 1, m - k), u1)
    gu1 = gu1 - adjoint(l:narrow(-2, k + 1, m - k)):matmul(below)
  end
  if n > k then
    beside = solve_turned(l1, gu:narrow(-1, k + 1, n - k))
    gl1 = gl1 - beside:matmul(adjoint(u:narrow(-1, k + 1, n - k)))
  end
  local inner = adjoint(l1):matmul(gl1):tril(-1) + gu1:matmul(adjoint(u1)):triu()
  local result = solve_right(solve_turned(l1, inner), u1)
  if below then result = core.concat({result, below}, -2) end
  return beside and core.concat({result, beside}, -1) or result
end

--- The gradient of core's lu. The op's second result `order` describes the row exchanges: row i of L U is row order[i]
-- of x.
rules.lu = {{"12", function(g, lu, order)
  local places = order:argsort(-1):expand_dims(-1)
  return of_lu(g[1], lu):take_along_axis(places, -2)
end}}

--- Returns a copy of a shape whose last length is replaced by n.
local function with_last(shape, n)
  local list = {table.unpack(shape)}
  list[#list] = n
  return list
end

--- Returns the matrices P with x = P L U, from the pivots of lu_factor. `like` has the dtype of the result.
local function permutation(pivots, like)
  local shape = {table.unpack(pivots.shape)}
  shape[#shape + 1] = columns(pivots)
  local unit = on_diagonal(pivots, columns(pivots)):to(like.dtype):broadcast_to(shape)
  return core.linalg.lu_solve(unit, pivots, unit).mT
end

rules.lu_factor = {{"12", function(g, lu, pivots)
  local m = rows(lu)
  local k = columns(pivots)
  if m > k then                                  -- pivots has k entries; rows k + 1 to m are not exchanged
    local rest = core.arange(k + 1, m + 1, {dtype = pivots.dtype, device = lu.device})
    pivots = core.concat({pivots, rest:broadcast_to(with_last(pivots.shape, m - k))}, -1)
  end
  return permutation(pivots, lu):matmul(of_lu(g[1], lu))
end}}

--- The result is X = inverse(P L U) B, with gradient g. As for linalg.solve, the gradient of B is
-- H = P inverse(L)ᴴ inverse(U)ᴴ g. The gradient of A = P L U is -H Xᴴ, from which the gradients of L and U follow.
rules.lu_solve = {all = {"xyop", function(g, lu, pivots, x, p)
  local vector = #p.shapes[3] == 1
  if vector then g, x = g:expand_dims(-1), x:expand_dims(-1) end
  local l, u = split(lu)
  local turned = solve_turned(l, solve_turned(u, g))                  -- Pᵀ H, where H is the gradient of B
  local list = {}
  if p.needs[1] then
    local s = -turned:matmul(adjoint(x))                              -- the gradient of L U
    list[1] = s:matmul(adjoint(u)):tril(-1) + adjoint(l):matmul(s):triu()
  end
  if p.needs[3] then
    local h = permutation(pivots, lu):matmul(turned)
    list[3] = vector and h:squeeze(-1) or h
  end
  return list
end}}

return rules
