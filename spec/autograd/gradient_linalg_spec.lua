-- tags: uncollected many-kernels
-- Compares gradients of lt.linalg with central differences, for real and complex matrices, batches and two layouts.
-- Functions that read one triangle get Hermitian matrices. Vectors that are unique up to a factor are compared by
-- quantities that do not depend on this factor.
local lt = require "luatensor"
local gpu = require "spec.support.gpu"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"

local it = helpers.drawn_it(it)

local linalg, make = lt.linalg, gradient.tensor

local function adjoint(x) return x.dtype:find("^complex") and x.mT:conj() or x.mT end
local function hermitian(x) return (x + adjoint(x)) / 2 end
local function positive(x) return x:matmul(adjoint(x)) + lt.eye(x.shape[x.ndim], {dtype = x.dtype}) end

-- Returns |x|² of each element, which does not change if x is multiplied by a number of magnitude 1.
local function lengths(x)
  if not x.dtype:find "^complex" then return x:square() end
  return x:real():square() + x:imag():square()
end

local all_layouts = {"contiguous", "transposed"}

-- Checks the gradients of fn for real and complex matrices of each shape. Also checks the gradients of the gradients
-- unless options.once is set.
local function each_matrix(name, shapes, fn, options)
  options = options or {}
  for _, shape in ipairs(shapes) do
    for _, complex in ipairs {false, true} do
      local x = make(shape, -2, 2, options.seed or 3, complex)
      local title = ("%s of %s %s"):format(name, x.dtype, tostring(x.shape))
      it(title, function()
        for _, label in ipairs(all_layouts) do
          gradient.check(name, fn, {x}, {layout = gradient.layouts[label], tolerance = 1e-6})
        end
      end)
      if not options.once then
        it(title .. ", twice", function() gradient.check(name, gradient.of(fn), {x}, {tolerance = 1e-4}) end)
      end
    end
  end
end

local square, tall, wide = {{3, 3}, {2, 2, 2}, {1, 1}}, {{4, 3}, {2, 3, 2}}, {{2, 4}, {2, 2, 3}}
local function all_shapes() return {square[1], square[2], tall[1], tall[2], wide[1], wide[2]} end

describe("the gradient of", function()
  each_matrix("inv", square, linalg.inv)
  each_matrix("det", square, linalg.det)
  each_matrix("slogdet", square, linalg.slogdet)
  each_matrix("matrix_power", {{3, 3}}, function(x) return linalg.matrix_power(x, 3) end, {once = true})
  each_matrix("matrix_power -2", {{3, 3}}, function(x) return linalg.matrix_power(x, -2) end, {once = true})
  each_matrix("trace", square, linalg.trace)
  each_matrix("pinv", all_shapes(), linalg.pinv)
  each_matrix("cholesky", square, function(x) return linalg.cholesky(positive(x)) end)
  each_matrix("upper cholesky", square, function(x) return linalg.cholesky(positive(x), {upper = true}) end)
  each_matrix("eigvalsh", square, function(x) return linalg.eigvalsh(hermitian(x)) end)
  each_matrix("upper eigvalsh", square, function(x) return linalg.eigvalsh(hermitian(x), {upper = true}) end)
  each_matrix("eigh", square, function(x)
    local values, v = linalg.eigh(hermitian(x))
    return values, lengths(v)
  end)
  if not gpu.lacks["linalg.eig"] then
    each_matrix("eigvals", square, function(x) return linalg.eigvals(x) end)
    each_matrix("eig", square, function(x)
      local values, v = linalg.eig(x)
      return values, lengths(v)
    end)
  end
  each_matrix("svdvals", all_shapes(), linalg.svdvals)
  each_matrix("the values of svd", all_shapes(), function(x) return (select(2, linalg.svd(x))) end, {once = true})
  each_matrix("svd", all_shapes(), function(x)
    local u, s, vh = linalg.svd(x, {full_matrices = false})
    return lengths(u), s, lengths(vh), u:matmul(vh)
  end)
  each_matrix("Q", all_shapes(), function(x) return (linalg.qr(x)) end)
  each_matrix("R", all_shapes(), function(x) return (select(2, linalg.qr(x))) end)
  each_matrix("qr", all_shapes(), function(x) return linalg.qr(x) end)
  each_matrix("lu", all_shapes(), function(x) return select(2, linalg.lu(x)) end)
  each_matrix("lu_factor", all_shapes(), function(x) return (linalg.lu_factor(x)) end)

  for _, ord in ipairs {"fro", "nuc", 2, -2, 1, -1, math.huge, -math.huge} do
    each_matrix("matrix_norm " .. ord, {{3, 3}, {2, 3, 2}}, function(x) return linalg.matrix_norm(x, ord) end, {once = true})
    each_matrix("cond " .. ord, {{3, 3}}, function(x) return linalg.cond(x, ord) end, {once = true})
  end

  local pairs_of_shapes = {{{3, 3}, {3}}, {{3, 3}, {3, 2}}, {{2, 3, 3}, {3}}, {{2, 3, 3}, {3, 2}}, {{3, 3}, {2, 3, 2}},
                           {{2, 1, 2, 2}, {3, 2, 2}}}
  for _, shapes in ipairs(pairs_of_shapes) do
    for _, complex in ipairs {false, true} do
      local a, b = make(shapes[1], -2, 2, 3, complex), make(shapes[2], -2, 2, 4, complex)
      local title = ("%s %s and %s"):format(a.dtype, tostring(a.shape), tostring(b.shape))
      it("solve of " .. title, function()
        for _, label in ipairs(all_layouts) do
          gradient.check("solve", linalg.solve, {a, b}, {layout = gradient.layouts[label]})
        end
        gradient.check("solve", function(x) return linalg.solve(a, x) end, {b})
        gradient.check("solve", function(x) return linalg.solve(x, b) end, {a})
        gradient.check("solve", gradient.of(linalg.solve), {a, b}, {tolerance = 1e-4})
      end)
      it("lu_solve of " .. title, function()
        local lu, pivots = linalg.lu_factor(a)
        local function solve(x, y) return linalg.lu_solve(x, pivots, y) end
        for _, label in ipairs(all_layouts) do
          gradient.check("lu_solve", solve, {lu, b}, {layout = gradient.layouts[label]})
        end
        gradient.check("lu_solve", function(y) return solve(lu, y) end, {b})
        gradient.check("lu_solve", function(x) return solve(x, b) end, {lu})
        gradient.check("lu_solve", function(x, y)
          local factors, places = linalg.lu_factor(x)
          return linalg.lu_solve(factors, places, y)
        end, {a, b})
      end)
    end
  end

  for _, shapes in ipairs {{{4, 2}, {4}}, {{4, 2}, {4, 3}}, {{2, 4, 2}, {4, 3}}, {{3, 3}, {3, 2}}, {{2, 4}, {2, 2}}} do
    for _, complex in ipairs {false, true} do
      local a, b = make(shapes[1], -2, 2, 3, complex), make(shapes[2], -2, 2, 4, complex)
      it(("lstsq of %s %s and %s"):format(a.dtype, tostring(a.shape), tostring(b.shape)), function()
        local function solve(x, y)
          local result, residuals, _, values = linalg.lstsq(x, y)
          return result, residuals, values
        end
        for _, label in ipairs(all_layouts) do
          gradient.check("lstsq", solve, {a, b}, {layout = gradient.layouts[label], tolerance = 1e-6})
        end
        gradient.check("lstsq", gradient.of(solve), {a, b}, {tolerance = 1e-4})
      end)
    end
  end

  it("det of singular matrices", function()
    for _, rows in ipairs {{{1, 2}, {2, 4}}, {{0, 0}, {0, 0}}, {{1, 2, 3}, {4, 5, 6}, {5, 7, 9}}, {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}} do
      gradient.check("det", linalg.det, {lt.tensor(rows, {dtype = "float64"})})
      gradient.check("det", linalg.det, {lt.tensor(rows, {dtype = "float64"}):to("complex128")})
    end
    local batch = lt.tensor({{{1, 2}, {2, 4}}, {{1, 2}, {3, 4}}}, {dtype = "float64"})
    gradient.check("det", linalg.det, {batch})
  end)

  it("det of a complex singular matrix, which is the conjugate of its cofactors", function()
    local float64 = {dtype = "float64"}
    local a = lt.complex(lt.tensor({{1, 3}, {-4, 2}}, float64), lt.tensor({{2, -1}, {2, 6}}, float64)):requires_grad_()
    linalg.det(a):real():backward()
    local expected = lt.complex(lt.tensor({{2, 4}, {-3, 1}}, float64), lt.tensor({{-6, 2}, {-1, -2}}, float64))
    assert.is_true((a.grad - expected):abs():max():item() < 1e-14)
  end)

  it("pinv and the nuclear norm of an orthogonal matrix, whose singular values are all 1", function()
    local x = lt.tensor({{0, 1}, {-1, 0}}, {dtype = "float64"})
    gradient.check("pinv", linalg.pinv, {x})
    gradient.check("nuc", function(t) return linalg.matrix_norm(t, "nuc") end, {x})
  end)
end)

describe("a gradient that is not defined is refused:", function()
  local x = make({4, 2}):requires_grad_()
  it("vectors of svd with full_matrices", function()
    local u = linalg.svd(x)
    assert.error_matches(function() u:sum():backward() end, "svd: no gradient of full_matrices")
  end)
  it("qr with more rows than columns, complete", function()
    local q = linalg.qr(x, {mode = "complete"})
    assert.error_matches(function() q:sum():backward() end, 'qr: no gradient of mode "complete"')
  end)
end)
