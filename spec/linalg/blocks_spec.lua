-- tags: host kernels unemulated
-- Tests lt.linalg for sizes around the limits at which its algorithms divide matrices into blocks and among threads.
-- The product of the computed factors is compared with the matrix.

local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local la = lt.linalg
local fails = helpers.fails

local dtypes = {"float32", "float64", "complex64", "complex128"}
local sizes = {15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 97, 150}
local shared = 260          -- rows of a matrix that is divided among threads; matrices from 161 × 161 on are

local function is_complex(name) return name:find "^complex" ~= nil end
local function real_of(name) return ({complex64 = "float32", complex128 = "float64"})[name] or name end
local function H(x) return is_complex(x.dtype) and x.mT:conj() or x.mT end
local function eye(n, x) return lt.eye(n, {dtype = x.dtype}) end

local function random(shape, name)
  local real = lt.randn(shape, {dtype = real_of(name)})
  return is_complex(name) and lt.complex(real, lt.randn(shape, {dtype = real_of(name)})) or real
end

-- Checks that |want - got| is at most 8 eps · n · max(1, size). n is the number of rows of `got`, and `size` is the
-- magnitude of the products that were summed.
local function near(want, got, size, what)
  local bound = 8 * lt.finfo(real_of(got.dtype)).eps * got.shape[got.ndim - 1] * math.max(1, size)
  local off = (want - got):abs():max():item()
  assert(off <= bound, ("%s: off by %g, more than %g"):format(what, off, bound))
end

local function largest(x) return x:abs():max():item() end

-- Calls f(n, dtype, what) for each size n in the list and each dtype, with a generator that is seeded for each size.
local function each(list, f)
  for seed, n in ipairs(list) do
    for _, name in ipairs(dtypes) do
      lt.manual_seed(seed)
      f(n, name, ("%s of %d"):format(name, n))
    end
  end
end

local function positive(n, name)
  local x = random({n, n}, name)
  return x:matmul(H(x)) / n + eye(n, x)
end

local function check_lu(m, n, name, what)
  local x = random({m, n}, name)
  local p, l, u = la.lu(x)
  near(x, p:matmul(l):matmul(u), largest(l) * largest(u), what)
  -- Each pivot is the largest number of its column. LAPACK measures complex numbers by |re| + |im|, so |l| is at most √2.
  assert(largest(l) <= 1.5, what)
end

local function check_solutions(n, name, what)
  local a, b = random({n, n}, name), random({n, 37}, name)
  local x, inverse = la.solve(a, b), la.inv(a)
  near(b, a:matmul(x), largest(a) * largest(x), what .. ": solve")
  near(eye(n, a), a:matmul(inverse), largest(a) * largest(inverse), what .. ": inv")
  local lu, pivots = la.lu_factor(a)
  local y = la.lu_solve(lu, pivots, b)
  near(b, a:matmul(y), largest(a) * largest(y), what .. ": lu_solve")
  near(b[{{}, {1}}], a:matmul(la.solve(a, b[{{}, 1}])):expand_dims(-1), largest(a) * largest(x), what .. ": one side")
end

local function check_cholesky(n, name, what)
  local x = positive(n, name)
  for _, upper in ipairs {false, true} do
    local factor = la.cholesky(x, {upper = upper})
    near(x, upper and H(factor):matmul(factor) or factor:matmul(H(factor)), 8, what)
    assert(lt.equal_all(factor, upper and factor:triu() or factor:tril()), what)
  end
end

local function check_qr(m, n, name, what)
  local x = random({m, n}, name)
  for _, mode in ipairs {"reduced", "complete"} do
    local q, r = la.qr(x, {mode = mode})
    near(eye(q.shape[2], q), H(q):matmul(q), 1, what .. mode)
    near(x, q:matmul(r), largest(r), what .. mode)
    assert(lt.equal_all(r, r:triu()), what)
  end
end

local function check_values(n, name, what)
  local x, p = random({n, n}, name), positive(n, name)
  local u, values, vh = la.svd(x)
  near(eye(n, x), H(u):matmul(u), 1, what .. ": U")
  near(eye(n, x), vh:matmul(H(vh)), 1, what .. ": Vh")
  near(x, (u * values:to(name)):matmul(vh), values:max():item(), what .. ": svd")
  near(la.svdvals(x):expand_dims(-1), values:expand_dims(-1), values:max():item(), what .. ": svdvals")
  for _, upper in ipairs {false, true} do
    local triangle = upper and p:triu() or p:tril()
    local e, v = la.eigh(triangle, {upper = upper})
    near(eye(n, x), H(v):matmul(v), 1, what .. ": V")
    near(p, (v * e:to(name)):matmul(H(v)), e:max():item(), what .. ": eigh")
  end
end

local function with_threads(n, f)
  local before = lt.get_num_threads()
  lt.set_num_threads(n)
  local ok, message = pcall(f)
  lt.set_num_threads(before)
  if not ok then error(message, 0) end
end

describe("linear algebra in blocks", function()
  it("factors into P L U", function()
    each(sizes, function(n, name, what) check_lu(n, n, name, what) end)
    each({40, 70}, function(n, name, what)
      check_lu(n, 33, name, what)
      check_lu(33, n, name, what)
    end)
  end)

  it("solves and inverts", function() each(sizes, check_solutions) end)

  it("factors into L Lᴴ and Uᴴ U", function() each(sizes, check_cholesky) end)

  it("factors into Q R", function()
    each(sizes, function(n, name, what) check_qr(n, n, name, what) end)
    each({40, 70}, function(n, name, what)
      check_qr(n, 33, name, what)
      check_qr(33, n, name, what)
      check_qr(n, 1, name, what)
    end)
  end)

  it("finds singular values, eigenvalues and their vectors", function()
    each({33, 63, 64, 65, 66, 97, 130}, check_values)
  end)

  -- A matrix is scaled first if the squares of its elements would overflow or underflow.
  it("scales with the matrix", function()
    with_threads(2, function()
      for _, exponent in ipairs {-1000, -450, -390, 0, 390, 450, 1000} do
        lt.manual_seed(3)
        local x, scale = positive(170, "float64"), 2.0 ^ exponent
        local e, v = la.eigh(x * scale)
        local u, values, vh = la.svd(x * scale)
        near(x, (v * (e / scale)):matmul(v.mT), 8, "eigh " .. exponent)
        near(x, (u * (values / scale)):matmul(vh), 8, "svd " .. exponent)
      end
    end)
  end)
end)

describe("linear algebra in blocks, on threads", function()
  it("shares a matrix out among threads", function()
    for _, threads in ipairs {2, 3} do
      with_threads(threads, function()
        each({shared}, function(n, name, what)
          check_lu(n, n + 40, name, what)
          check_solutions(n, name, what)
          check_cholesky(n, name, what)
          check_qr(n + 40, n, name, what)
          if not is_complex(name) then check_values(n, name, what) end
        end)
      end)
    end
  end)

  -- From 256 columns on, one thread factors the next panel of 64 columns while the other threads compute.
  it("factors the next panel ahead", function()
    for _, threads in ipairs {2, 3} do
      with_threads(threads, function()
        each({256, 257, 321}, function(n, name, what)
          check_lu(n, n, name, what)
          check_lu(n, n + 70, name, what)
          check_lu(n + 70, n, name, what)
        end)
        each({300}, check_solutions)
      end)
    end
  end)

  it("notices singular matrices that threads share", function()
    with_threads(2, function()
      for _, name in ipairs(dtypes) do
        for _, at in ipairs {1, 64, 65, 130, 300} do
          lt.manual_seed(at)
          local x = random({300, 300}, name)
          x[{{}, at}] = 0
          fails("inv: matrix is singular", function() la.inv(x) end)
          assert.equal(0, largest(la.det(x)))
        end
      end
    end)
  end)

  it("gives the same bits in every run", function()
    with_threads(2, function()
      each({shared}, function(n, name, what)
        local a, p = random({n, n}, name), positive(n, name)
        local functions = {function() return la.inv(a) end, function() return la.solve(a, p) end,
                           function() return la.cholesky(p) end, function() return la.qr(a) end,
                           function() return la.svd(a) end, function() return select(2, la.eigh(p)) end}
        for _, f in ipairs(functions) do
          local first = (f())
          for _ = 1, 3 do assert(lt.equal_all(first, (f())), what) end
        end
      end)
    end)
  end)

  it("gives every matrix of a batch what it gives that matrix alone", function()
    for _, name in ipairs(dtypes) do
      lt.manual_seed(7)
      local batch, b = random({3, 50, 50}, name), random({3, 50, 20}, name)
      local inverse, x = la.inv(batch), la.solve(batch, b)
      for i = 1, 3 do
        assert(lt.equal_all(inverse[i], la.inv(batch[i])), name)
        assert(lt.equal_all(x[i], la.solve(batch[i], b[i])), name)
      end
    end
  end)
end)

describe("linear algebra in blocks, of matrices near singular ones", function()
  it("says which minor is not positive", function()
    for _, name in ipairs(dtypes) do
      for _, minor in ipairs {1, 16, 17, 32, 33, 50, 64, 100} do
        local x = lt.eye(100, {dtype = name})
        x[{minor, minor}] = -1
        fails(("cholesky: matrix is not positive definite (leading minor %d)"):format(minor), function() la.cholesky(x) end)
        fails(("cholesky: matrix is not positive definite (leading minor %d)"):format(minor), function() la.cholesky(x, {upper = true}) end)
      end
    end
  end)

  it("notices singular matrices", function()
    for _, name in ipairs(dtypes) do
      for _, at in ipairs {1, 17, 33, 64, 100} do
        lt.manual_seed(at)
        local x = random({100, 100}, name)
        x[{{}, at}] = 0
        fails("inv: matrix is singular", function() la.inv(x) end)
        fails("solve: matrix is singular", function() la.solve(x, x) end)
        assert.equal(0, largest(la.det(x)))
      end
    end
  end)

  -- The Hilbert matrix of size 64. Its condition number exceeds 1 / eps of float64.
  it("leaves a small residual where the matrix is nearly singular", function()
    local i = lt.arange(1, 65, 1, {dtype = "float64"})
    local x = lt.ones({64, 64}, {dtype = "float64"}) / (i:expand_dims(-1) + i - 1)
    local b = lt.randn({64, 20}, {dtype = "float64"})
    local y = la.solve(x, b)
    near(b, x:matmul(y), largest(y), "hilbert")
  end)

  -- 2 I with ones beside the diagonal, which has the determinant n + 1.
  it("knows a determinant", function()
    for _, n in ipairs {33, 64, 100, 300} do
      for _, name in ipairs {"float64", "complex128"} do
        local x = lt.eye(n, {dtype = name}) * 2
        for k = 1, n - 1 do
          x[{k, k + 1}] = 1
          x[{k + 1, k}] = 1
        end
        local det = la.det(x)
        local value = is_complex(name) and det:real():item() or det:item()
        assert(math.abs(value / (n + 1) - 1) < 1e-12, name .. n .. ": " .. value)
      end
    end
  end)
end)

-- Singular values, eigenvalues and least squares of real matrices of 128 columns or more.
describe("reductions to tridiagonal and bidiagonal form", function()
  local real = {"float32", "float64"}
  -- Sizes around 128, 160 and 192, at which the number of panels of 32 columns grows. LAPACK reduces the last 96
  -- columns.
  local edges = {127, 128, 129, 159, 160, 193}

  -- Calls f(n, dtype, what) for each size n in the list and each real dtype, with one thread and with two.
  local function both(list, f)
    for seed, n in ipairs(list) do
      for _, name in ipairs(real) do
        for threads = 1, 2 do
          lt.manual_seed(seed)
          with_threads(threads, function() f(n, name, ("%s of %d, %d threads"):format(name, n, threads)) end)
        end
      end
    end
  end

  local function orthogonal(n) return (la.qr(lt.randn({n, n}, {dtype = "float64"}))) end

  -- Makes a symmetric matrix of dtype `name` with the eigenvalues `spectrum`. Checks eigh for its lower and its upper
  -- triangle, eigvalsh, svd and svdvals.
  local function check_spectrum(spectrum, name, what)
    local n, q = spectrum.shape[1], orthogonal(spectrum.shape[1])
    local x = (q * spectrum):matmul(q.mT):to(name)
    local size = largest(spectrum)
    local ascending, magnitudes = spectrum:sort(), spectrum:abs():sort(1, {descending = true})
    for _, upper in ipairs {false, true} do
      local e, v = la.eigh(upper and x:triu() or x:tril(), {upper = upper})
      near(ascending:expand_dims(-1), e:to("float64"):expand_dims(-1):to(name), size, what .. ": eigenvalues")
      near(x, (v * e):matmul(v.mT), size, what .. ": eigh")
      near(eye(n, x), v.mT:matmul(v), 1, what .. ": V")
    end
    near(ascending:expand_dims(-1), la.eigvalsh(x):expand_dims(-1), size, what .. ": eigvalsh")
    local u, values, vh = la.svd(x)
    near(magnitudes:expand_dims(-1), values:expand_dims(-1), size, what .. ": singular values")
    near(magnitudes:expand_dims(-1), la.svdvals(x):expand_dims(-1), size, what .. ": svdvals")
    near(x, (u * values):matmul(vh), size, what .. ": svd")
    near(eye(n, x), u.mT:matmul(u), 1, what .. ": U")
    near(eye(n, x), vh:matmul(vh.mT), 1, what .. ": Vh")
  end

  it("keeps the matrix at the panels' edges", function() both(edges, check_values) end)

  -- The matrix min(i, j) has the eigenvalues 1 / (2 sin((2 k - 1) π / (4 n + 2)))².
  it("finds eigenvalues that are known", function()
    both({130, 200}, function(n, name, what)
      local i, k = lt.arange(1, n + 1, 1, {dtype = "float64"}), lt.arange(n, 0, -1, {dtype = "float64"})
      local x = lt.minimum(i:expand_dims(-1), i):to(name)
      local known = (1 / (2 * ((2 * k - 1) * (math.pi / (4 * n + 2))):sin()) ^ 2):expand_dims(-1)
      near(known, la.eigvalsh(x):expand_dims(-1), largest(known), what)
      near(known, (la.eigh(x)):expand_dims(-1), largest(known), what)
      near(known, la.svdvals(x):flip(1):expand_dims(-1), largest(known), what)
    end)
  end)

  it("finds spectra of all kinds", function()
    both({161}, function(n, name, what)
      local k = lt.arange(0, n, 1, {dtype = "float64"})
      check_spectrum(2.0 ^ (-k / 4), name, what .. ", graded")
      check_spectrum(1 + (k / 40):floor() + k * 1e-13, name, what .. ", clustered")
      check_spectrum(lt.where(k:less(3), k + 1, 0.0), name, what .. ", rank 3")
      check_spectrum(k - 80, name, what .. ", of both signs")
    end)
  end)

  -- From 256 columns on, two threads solve a half each; from 512 on, four threads solve a quarter each.
  it("divides tridiagonal matrices among threads", function()
    for n, threads in pairs {[256] = 2, [257] = 3, [513] = 4} do
      with_threads(threads, function()
        lt.manual_seed(n)
        local k, q = lt.arange(0, n, 1, {dtype = "float64"}), orthogonal(n)
        for kind, spectrum in pairs {random = lt.randn({n}, {dtype = "float64"}), graded = 2.0 ^ (-k / 7), equal = k * 0 + 3,
                                     clustered = (k / 40):floor() + k * 1e-13} do
          for _, name in ipairs(real) do
            local what = ("%s %s of %d"):format(kind, name, n)
            local x = (q * spectrum):matmul(q.mT):to(name)
            local e, v = la.eigh(x)
            assert(lt.equal_all(e, (e:sort())), what)
            near(spectrum:sort():expand_dims(-1), e:expand_dims(-1), largest(spectrum), what)
            near(x, (v * e):matmul(v.mT), largest(spectrum), what)
            near(eye(n, x), v.mT:matmul(v), 1, what)
          end
        end
      end)
    end
  end)

  it("leaves zeros and diagonals", function()
    both({150}, function(n, name, what)
      local zero, one = lt.zeros({n, n}, {dtype = name}), lt.eye(n, {dtype = name})
      assert.equal(0, largest(la.svdvals(zero)), what)
      assert.equal(0, largest((la.eigh(zero))), what)
      assert.equal(0, largest(la.eigvalsh(zero)), what)
      assert(lt.equal_all(la.svdvals(one), lt.ones({n}, {dtype = name})), what)
      assert(lt.equal_all((la.eigh(one * 3)), lt.full({n}, 3, {dtype = name})), what)
      local x = random({n, n}, name)
      x[{{1, 40}}] = 0
      x[{{}, {60, 70}}] = 0
      local u, values, vh = la.svd(x)
      near(x, (u * values):matmul(vh), values:max():item(), what)
      near(eye(n, x), u.mT:matmul(u), 1, what)
    end)
  end)

  -- The scale of the rows is multiplied by 2^-200 (float32: 2^-30) after every 38 rows.
  it("takes rows of very different sizes", function()
    both({150}, function(n, name, what)
      local exponent = name == "float64" and -200 or -30
      local scale = lt.ones({n, 1}, {dtype = name})
      for i = 2, n do scale[{i, 1}] = 2.0 ^ (exponent * ((i - 1) // 38)) end
      local x = random({n, n}, name) * scale
      for _, y in ipairs {x, x.mT, x:flip(1), x:flip(2)} do
        local u, values, vh = la.svd(y)
        near(y, (u * values):matmul(vh), values:max():item(), what)
        near(eye(n, y), u.mT:matmul(u), 1, what)
        near(eye(n, y), vh:matmul(vh.mT), 1, what)
      end
      local e, v = la.eigh(x:matmul(x.mT))
      near(x:matmul(x.mT), (v * e):matmul(v.mT), largest(e), what)
    end)
  end)

  it("scales with the matrix", function()
    both({150}, function(n, name, what)
      local x, b = random({n, n}, name) / n + lt.eye(n, {dtype = name}), random({n, 2}, name)
      local want = la.solve(x, b)
      for _, exponent in ipairs(name == "float64" and {-1000, -110, -90, 0, 110, 900} or {-120, -30, 0, 30, 100}) do
        local scale = lt.tensor(2.0 ^ exponent, {dtype = name})
        local e = la.eigvalsh((x + x.mT) * scale) / scale
        near(la.eigvalsh(x + x.mT):expand_dims(-1), e:expand_dims(-1), largest(e), what .. exponent)
        near(want, (la.lstsq(x * scale, b * scale)), 8 * largest(want), what .. exponent)
        near(want, (la.lstsq(x, b * scale)) / scale, 8 * largest(want), what .. exponent)
        near(want, (la.lstsq(x * scale, b)) * scale, 8 * largest(want), what .. exponent)
      end
    end)
  end)

  -- x = l r has rank 20. Its shortest solution is rᵀ (r rᵀ)⁻¹ (lᵀ l)⁻¹ lᵀ b.
  it("finds the shortest solution of least squares", function()
    both({130, 160}, function(n, name, what)
      for _, m in ipairs {n, n + 1, n + 100} do
        local l, r, b = random({m, 20}, name), random({20, n}, name), random({m, 3}, name)
        local x = l:matmul(r)
        local got, rest, rank, values = la.lstsq(x, b, {rtol = 1e-4})
        local L, R, B = l:to("float64"), r:to("float64"), b:to("float64")
        local want = R.mT:matmul(la.solve(R:matmul(R.mT), la.solve(L.mT:matmul(L), L.mT:matmul(B))))
        near(want, got, 8 * largest(want), what)
        assert.equal(20, rank:item(), what)
        assert.equal("[0]", tostring(rest.shape), what)
        near(la.svdvals(x):expand_dims(-1), values:expand_dims(-1), largest(values), what)
      end
    end)
  end)

  it("gives the rest of least squares", function()
    both({130}, function(n, name, what)
      local x, b = random({n + 60, n}, name), random({n + 60, 3}, name)
      local got, rest, rank = la.lstsq(x, b)
      local off = x:to("float64"):matmul(got:to("float64")) - b:to("float64")
      near(lt.zeros({n, 3}, {dtype = "float64"}), x:to("float64").mT:matmul(off):to(name), largest(x) * largest(off), what)
      near((off ^ 2):sum(1):expand_dims(-1), rest:expand_dims(-1), largest(rest), what)
      assert.equal(n, rank:item(), what)
    end)
  end)

  it("refuses NaN", function()
    for _, at in ipairs {{1, 1}, {150, 1}, {150, 150}, {75, 70}} do
      local x = lt.eye(150)
      x[at] = 0 / 0
      fails("svd: matrix has NaN or infinite elements", function() la.svd(x) end)
      fails("svdvals: matrix has NaN or infinite elements", function() la.svdvals(x) end)
      fails("eigh: matrix has NaN or infinite elements", function() la.eigh(x) end)
      fails("eigvalsh: matrix has NaN or infinite elements", function() la.eigvalsh(x) end)
      fails("lstsq: matrix has NaN or infinite elements", function() la.lstsq(x, lt.ones(150)) end)
    end
  end)
end)
