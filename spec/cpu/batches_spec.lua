-- tags: host uncollected kernels
-- Small real matrices of a batch are factored many at once, each in a lane of the vectors. The oracle of LU, solutions,
-- inverses, determinants and Cholesky is the kernel of single matrices, whose bits are the same. The oracle of QR is
-- LAPACK, which factors complex matrices.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local la = lt.linalg
local names = {"float32", "float64"}
local sizes = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17}

local function bytes(results)
  local list = {}
  for i, x in ipairs(results) do list[i] = x:to_bytes() end
  return list
end

-- Calls f(x) for the whole batch x and f(x[i]) for each matrix, and compares the bits of all results.
local function same_alone(x, f, what, other)
  local all = {f(x, other)}
  for i = 1, #x do
    local want, got = bytes {f(x[i], other and other[i])}, {}
    for k, result in ipairs(all) do got[k] = result[i]:to_bytes() end
    assert.same(want, got, ("%s: matrix %d"):format(what, i))
  end
end

local functions = {
  lu = la.lu_factor, inv = la.inv, det = la.det, slogdet = la.slogdet, qr = la.qr, solve = la.solve,
  transposed = function(x, y) return la.solve(x.mT, y) end,
}

-- Returns matrices that are far from singular: 19 of them, so that the last vector is not full.
local function regular(name, n, columns)
  local x = lt.randn({19, n, columns or n}, {dtype = name})
  if not columns then x = x + 3 * lt.eye(n, {dtype = name}) end
  return x
end

describe("batches of small matrices", function()
  before_each(function() lt.manual_seed(1) end)

  it("have the bits of single matrices", function()
    for _, name in ipairs(names) do
      for _, n in ipairs {1, 2, 3, 4, 7, 8, 9, 15, 16} do
        local x, y = regular(name, n), lt.randn({19, n, n % 3 == 0 and 9 or 1}, {dtype = name})
        for what, f in pairs(functions) do
          same_alone(x, f, what, (what == "solve" or what == "transposed") and y or nil)
        end
        same_alone(x:matmul(x.mT), la.cholesky, "cholesky")
        same_alone(x:matmul(x.mT), function(s) return la.cholesky(s, {upper = true}) end, "upper cholesky")
        same_alone(x.mT, la.inv, "inv of transposed matrices")
        same_alone(x[{{1, -1, 2}}], la.det, "det of every second matrix")
      end
    end
  end)

  it("of other shapes have the bits of single matrices", function()
    for _, name in ipairs(names) do
      for _, shape in ipairs {{1, 5}, {5, 1}, {3, 16}, {16, 3}} do
        local x = lt.randn({19, shape[1], shape[2]}, {dtype = name})
        same_alone(x, la.lu_factor, "lu")
        same_alone(x, la.lu, "lu with its permutation")
        same_alone(x, function(a) return la.qr(a, {mode = "complete"}) end, "qr")
      end
    end
  end)

  it("with zeros, NaN and infinities have the bits of single matrices", function()
    for _, name in ipairs(names) do
      for _, n in ipairs {2, 5, 8} do
        local x = lt.randint(-1, 2, {40, n, n}):to(name)             -- most of them have pivots of 0
        x[{3, n, 1}], x[{4, 1, 1}], x[{5, 1, n}] = 0.0 / 0.0, math.huge, 0.0 / 0.0
        x[6] = 0
        for _, what in ipairs {"lu", "det", "slogdet"} do
          same_alone(x, function(a)
            local results = {functions[what](a)}
            -- the sign and the payload of NaN are not compared
            for k, r in ipairs(results) do results[k] = r.dtype:find "float" and lt.where(r:isnan(), 0.0 / 0.0, r) or r end
            return table.unpack(results)
          end, what)
        end
      end
    end
  end)

  it("that cannot be inverted or factored are named", function()
    for _, name in ipairs(names) do
      local x = regular(name, 4)
      x[{18, 2}] = x[{18, 3}]
      helpers.fails("inv: matrix 18 of 19 is singular", la.inv, x)
      helpers.fails("solve: matrix 18 of 19 is singular", la.solve, x, lt.ones({19, 4, 1}, {dtype = name}))
      assert.equal(0, la.det(x)[18]:item())
      local s = x:matmul(x.mT) + lt.eye(4, {dtype = name})
      s[{7, 3, 3}] = -1
      helpers.fails("cholesky: matrix 7 of 19 is not positive definite (leading minor 3)", la.cholesky, s)
      s[{7, 3, 3}] = 0.0 / 0.0
      helpers.fails("cholesky: matrix 7 of 19 is not positive definite (leading minor 3)", la.cholesky, s)
    end
  end)
end)

describe("QR of small matrices", function()
  before_each(function() lt.manual_seed(2) end)

  -- Compares both factors with LAPACK's factors of complex matrices, which have the same signs.
  local function check(x, mode)
    local eps = x.dtype == "float32" and 2.0 ^ -24 or 2.0 ^ -53
    local q, r = la.qr(x, {mode = mode})
    local wide_q, wide_r = la.qr(x:to("complex128"), {mode = mode})
    local bound, size = 60 * eps * x.shape[3], x:abs():max():item()
    local text = tostring(x.shape) .. " " .. mode
    assert.is_true(r:equal(r:triu()):all():item(), text)
    assert.is_true((wide_r:real() - r):abs():max():item() <= bound * size, text)
    if mode == "reduced" and x.shape[2] >= x.shape[3] then
      assert.is_true((wide_q:real() - q):abs():max():item() <= bound, text)
    end
    assert.is_true((q:matmul(r) - x):abs():max():item() <= bound * size, text)
    assert.is_true((q.mT:matmul(q) - lt.eye(q.shape[3], {dtype = x.dtype})):abs():max():item() <= bound, text)
  end

  it("has LAPACK's factors", function()
    for _, name in ipairs(names) do
      for _, n in ipairs(sizes) do
        check(regular(name, n), "reduced")
        check(regular(name, n, 32), "complete")
      end
      check(regular(name, 32), "reduced")
      check(regular(name, 30, 5), "complete")
      check(regular(name, 20, 17), "complete")
    end
  end)

  it("neither overflows nor underflows", function()
    for name, exponents in pairs {float32 = {-140, -70, 0, 70, 120}, float64 = {-1060, -600, 0, 600, 1000}} do
      for _, e in ipairs(exponents) do
        local scaled = regular(name, 6) * 2.0 ^ e
        local plain = scaled * 2.0 ^ -(e // 2) * 2.0 ^ -(e - e // 2)
        local q, r = la.qr(scaled)
        local want_q, want_r = la.qr(plain)
        local back = r * 2.0 ^ -(e // 2) * 2.0 ^ -(e - e // 2)
        local near = e < -100 and 2e-2 or 1e-5                     -- subnormal numbers have fewer digits
        assert.is_true((q - want_q):abs():max():item() < near, name .. " " .. e)
        assert.is_true((back - want_r):abs():max():item() < 10 * near, name .. " " .. e)
      end
    end
  end)

  it("of zeros is the identity and zeros, beside matrices of other values", function()
    for _, name in ipairs(names) do
      local x = regular(name, 5)
      local q_alone, r_alone = la.qr(x:narrow(1, 1, 18))
      x[19] = 0
      local q, r = la.qr(x)
      assert.is_true(q[19]:equal(lt.eye(5)):all():item() and r[19]:equal(0):all():item())
      assert.is_true(q:narrow(1, 1, 18):equal(q_alone):all():item() and r:narrow(1, 1, 18):equal(r_alone):all():item())
      x[{3, 2, 2}] = 0.0 / 0.0
      q, r = la.qr(x)
      assert.is_true(q[3]:isnan():any():item())
      assert.is_true(la.qr(lt.tensor({{math.huge, 2}, {1, 3}}, {dtype = name})):isnan():any():item())
      assert.is_true(r[4]:equal(r_alone[4]):all():item() and q[4]:equal(q_alone[4]):all():item())
    end
  end)
end)

describe("eigenvalues and singular values of small matrices", function()
  before_each(function() lt.manual_seed(3) end)

  local function eps(x) return x.dtype == "float32" and 2.0 ^ -23 or 2.0 ^ -52 end

  -- Compares eigenvalues with LAPACK's of the same complex matrices, and checks the vectors by their definition.
  local function check_eigh(x, text)
    local values, v = la.eigh(x)
    local want = la.eigvalsh(x:to("complex128"))
    local bound = 20 * eps(x) * x.shape[2] * math.max(want:abs():max():item(), 1e-300)
    assert.is_true((values:to("float64") - want):abs():max():item() <= bound, text)
    assert.is_true((la.eigvalsh(x) - values):abs():max():item() <= bound, text)
    assert.is_true((v.mT:matmul(v) - lt.eye(x.shape[2], {dtype = x.dtype})):abs():max():item() <= 20 * eps(x) * x.shape[2], text)
    assert.is_true((x:matmul(v) - v * values:unsqueeze(2)):abs():max():item() <= bound, text)
    assert.is_true(values:equal(values:sort(2)):all():item(), text)
  end

  it("eigh has LAPACK's values and orthogonal vectors, of the triangle that it reads", function()
    for _, name in ipairs(names) do
      for _, n in ipairs {1, 2, 3, 4, 5, 8, 15, 16} do
        local x = regular(name, n)
        local s = x + x.mT
        check_eigh(s, ("%s %d"):format(name, n))
        check_eigh(x:matmul(x.mT), ("%s %d, positive"):format(name, n))
        check_eigh(lt.round(s), ("%s %d, integers"):format(name, n))
        local lower, upper = la.eigvalsh(s:tril() + 7 * lt.ones(n, n, {dtype = name}):triu(1)),
          la.eigvalsh(s:triu() + 7 * lt.ones(n, n, {dtype = name}):tril(-1), {upper = true})
        local want = la.eigvalsh(s:to("complex128"))
        assert.is_true((lower - want):abs():max():item() <= 100 * eps(x) * n, name)
        assert.is_true((upper - want):abs():max():item() <= 100 * eps(x) * n, name)
      end
    end
  end)

  it("eigh of diagonal, equal, zero and scaled matrices is exact or scaled", function()
    for _, name in ipairs(names) do
      local x = lt.zeros(20, 4, 4, {dtype = name})
      x[1] = lt.eye(4, {dtype = name}) * lt.tensor {3, -1, 2, 0}
      x[2] = 5 * lt.eye(4, {dtype = name})
      x[3] = lt.ones(4, 4, {dtype = name})
      local values, v = la.eigh(x)
      assert.same({-1, 0, 2, 3}, values[1]:totable())
      assert.same({5, 5, 5, 5}, values[2]:totable())
      assert.is_true(math.abs(values[{3, 4}]:item() - 4) < 1e-6 and values[4]:equal(0):all():item())
      assert.is_true(v[2]:equal(lt.eye(4)):all():item())
      local s = regular(name, 6)
      s = s + s.mT
      for _, e in ipairs(name == "float32" and {-70, 70, 110} or {-600, 600, 1000}) do
        local want = la.eigvalsh(s)
        local back = la.eigvalsh(s * 2.0 ^ e) * 2.0 ^ -e
        assert.is_true((back - want):abs():max():item() <= 100 * eps(s), name .. " " .. e)
      end
    end
  end)

  it("svdvals has the singular values of svd, in every shape", function()
    for _, name in ipairs(names) do
      for _, shape in ipairs {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {8, 8}, {16, 16}, {16, 3}, {3, 16}, {1, 5}, {7, 9}} do
        local x = lt.randn({19, shape[1], shape[2]}, {dtype = name})
        x[2] = 0
        x[{3, 1}] = x[{3, -1}]
        local _, want = la.svd(x:to("float64"))
        local got = la.svdvals(x)
        local bound = 20 * eps(x) * math.max(shape[1], shape[2])
        assert.is_true((got - want):abs():max():item() <= bound * want:max():item(), name .. tostring(x.shape))
        assert.is_true(got:equal(got:sort(2, {descending = true})):all():item())
        local scaled = la.svdvals(x * 2.0 ^ 100) * 2.0 ^ -100
        assert.is_true((scaled - want):abs():max():item() <= bound * want:max():item())
      end
    end
  end)

  it("svdvals of singular matrices, of small columns and of all magnitudes converges", function()
    local function check(x, text)
      local big = x:to("float64")
      local size = big:abs():max():item()
      local _, want = la.svd(big / size)
      local bound = 40 * eps(x) * x.shape[2]
      for _, given in ipairs {x, x.mT, x[1], x[2]} do
        local n = given.ndim == 3 and #x or 1
        local got = la.svdvals(given):to("float64"):reshape(n, -1) / size
        local expected = n > 1 and want or want:narrow(1, given:equal(x[1]):all():item() and 1 or 2, 1)
        assert.is_true((got - expected):abs():max():item() <= bound, text)
      end
    end
    for _, name in ipairs(names) do
      for _, n in ipairs {2, 3, 4, 5, 8, 16} do
        local x = lt.randn({40, n, n}, {dtype = name})
        x[{{}, {}, n}] = x[{{}, {}, 1}]
        check(x, ("%s %d, equal columns"):format(name, n))
        check(lt.randint(-3, 4, {40, n, 1}):to(name):matmul(lt.randint(-3, 4, {40, 1, n}):to(name)) + 0, ("%s %d, rank 1"):format(name, n))
        local small = lt.randn({40, n, n}, {dtype = name})
        small[{{}, {}, 2}] = small[{{}, {}, 2}] * (name == "float32" and 1e-30 or 1e-165)
        check(small, ("%s %d, a small column"):format(name, n))
        for _, e in ipairs(name == "float32" and {-13, -12, -11, 9, 10, 14, 17, 18} or {-120, -100, -85, 77, 100, 150}) do
          check(lt.randn({40, n, n}, {dtype = name}) * 10.0 ^ e, ("%s %d, times 10^%d"):format(name, n, e))
        end
      end
      assert.equal(2, la.matrix_rank(lt.tensor({{1, 1, 1}, {1, 1, 3}, {1, 1, 3}}, {dtype = name})):item())
    end
  end)

  it("eigh of large elements is exact up to the rounding of the largest value", function()
    for name, element in pairs {float32 = 0.99 * 2.0 ^ 60, float64 = 0.99 * 2.0 ^ 500} do
      local j = lt.ones(8, 8, {dtype = name}) * element
      local x = lt.concat({lt.concat({j, j}, 2), lt.concat({j, -j}, 2)}, 1):unsqueeze(1):tile({16, 1, 1})
      local values = la.eigvalsh(x) / element
      local want = lt.zeros({16}, {dtype = "float64"})
      want[1], want[16] = -8 * math.sqrt(2), 8 * math.sqrt(2)
      assert.is_true((values - want):abs():max():item() <= 100 * eps(x), name)
    end
  end)

  it("do not depend on the other matrices of the batch", function()
    for _, name in ipairs(names) do
      for _, n in ipairs {2, 3, 4, 9, 16} do
        local x = regular(name, n)
        x[{{1, 9}}] = x[{{1, 9}}] + x[{{1, 9}}].mT
        for i = 10, 19 do x[i] = lt.diag(lt.arange(n):to(name)) * i end             -- these need no rotation
        for _, f in ipairs {la.eigvalsh, la.svdvals, function(a) return (select(2, la.eigh(a))) end} do
          local all = f(x)
          assert.is_true(f(x:flip(1)):flip(1):equal(all):all():item(), name .. n)
          for i = 1, n <= 4 and 19 or 0 do assert.is_true(f(x[i]):equal(all[i]):all():item(), name .. n) end
        end
      end
    end
  end)

  it("refuse NaN and infinities, and name the matrix", function()
    for _, name in ipairs(names) do
      local x = regular(name, 5)
      x[{9, 4, 2}] = 0.0 / 0.0
      helpers.fails("eigvalsh: matrix 9 of 19 has NaN or infinite elements", la.eigvalsh, x)
      helpers.fails("eigh: matrix 9 of 19 has NaN or infinite elements", la.eigh, x)
      helpers.fails("svdvals: matrix 9 of 19 has NaN or infinite elements", la.svdvals, x)
      assert.is_true(la.eigvalsh(x, {upper = true}):isfinite():all():item())
      x[{9, 4, 2}] = math.huge
      helpers.fails("eigh: matrix 9 of 19 has NaN or infinite elements", la.eigh, x)
    end
  end)
end)
