-- lt.linalg: matrices on both sides of the lengths at which its algorithms cut them into blocks and share them out among
-- threads. The oracle is the product of the factors, on one thread.

local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local la = lt.linalg
local fails = helpers.fails

local dtypes = {"float32", "float64", "complex64", "complex128"}
local sizes = {15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 97, 150}
local shared = 260          -- threads share a matrix from 161 on, and its larger halves

local function is_complex(name) return name:find "^complex" ~= nil end
local function real_of(name) return ({complex64 = "float32", complex128 = "float64"})[name] or name end
local function H(x) return is_complex(x.dtype) and x.mT:conj() or x.mT end
local function eye(n, x) return lt.eye(n, {dtype = x.dtype}) end

local function random(shape, name)
  local real = lt.randn(shape, {dtype = real_of(name)})
  return is_complex(name) and lt.complex(real, lt.randn(shape, {dtype = real_of(name)})) or real
end

-- |want - got| within some roundings of a sum of n products of this size.
local function near(want, got, size, what)
  local bound = 8 * lt.finfo(real_of(got.dtype)).eps * got.shape[got.ndim - 1] * math.max(1, size)
  local off = (want - got):abs():max():item()
  assert(off <= bound, ("%s: off by %g, more than %g"):format(what, off, bound))
end

local function largest(x) return x:abs():max():item() end

-- f(n, dtype, what), seeded.
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
  assert(largest(l) <= 1.5, what)                         -- pivots are the greatest of their columns
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

  -- Matrices whose squares would overflow or underflow take another way than others.
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

  -- Hilbert's matrix of 64, whose condition is beyond a double's digits.
  it("leaves a small residual where the matrix is nearly singular", function()
    local i = lt.arange(1, 65, 1, {dtype = "float64"})
    local x = lt.ones({64, 64}, {dtype = "float64"}) / (i:expand_dims(-1) + i - 1)
    local b = lt.randn({64, 20}, {dtype = "float64"})
    local y = la.solve(x, b)
    near(b, x:matmul(y), largest(y), "hilbert")
  end)

  -- 2 I with ones beside the diagonal: its determinants are n + 1.
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
