-- tags: kernels blas lanes
-- Tests lt.linalg: properties of its results for matrices in every layout, known results, errors.
-- spec/array/numpy_spec.lua compares every function with NumPy's results.

local lt = require "luatensor"
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"

local la = lt.linalg
local fails = helpers.fails

local has_eig = not gpu.lacks["linalg.eig"]
local dtypes = {"float32", "float64", "complex64", "complex128"}
local shapes = {{1, 1}, {2, 2}, {3, 3}, {5, 5}, {17, 17}, {40, 40}, {4, 3}, {3, 4}, {9, 2}, {2, 9}, {33, 20}, {1, 6},
                {6, 1}}
local batches = {{}, {1}, {3}, {2, 3}}

local function is_complex(name) return name:find "^complex" ~= nil end
local function real_of(name) return ({complex64 = "float32", complex128 = "float64"})[name] or name end
local function eps(name) return lt.finfo(name).eps end
local function H(x) return is_complex(x.dtype) and x.mT:conj() or x.mT end
local function join(a, b) return table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {})) end
local function text(list) return "[" .. table.concat(list, ", ") .. "]" end

-- Returns the elements, or their real parts, as a table of integers.
local function whole(x) return (is_complex(x.dtype) and x:real() or x):to("int64"):totable() end

local function random(shape, name)
  local real = lt.randn(shape, {dtype = real_of(name)})
  return is_complex(name) and lt.complex(real, lt.randn(shape, {dtype = real_of(name)})) or real
end

-- Functions that return the same matrices in other memory layouts.
local layouts = {
  function(x) return x end,
  function(x) return x.mT:clone().mT end,
  function(x)
    local rows, columns = x.shape[x.ndim - 1], x.shape[x.ndim]
    local wide = lt.zeros(join(table.move(x.shape, 1, x.ndim - 2, 1, {}), {2 * rows, 2 * columns}), {dtype = x.dtype})
    local view = wide:narrow(-2, 1, 2 * rows):narrow(-1, 1, 2 * columns)
    view = view[{lt.ellipsis, {1, -1, 2}, {1, -1, 2}}]
    return view:copy_(x)
  end,
  function(x) return x:flip({-2, -1}):clone():flip({-2, -1}) end,
}

-- Checks that |want - got| is at most 20 eps · n · size. n is the longest dim, and `size` the largest magnitude in the
-- computation (at least 1).
local function near(want, got, size, what)
  assert.equal(tostring(want.shape), tostring(got.shape), what)
  if want.size == 0 then return end
  local bound = 20 * eps(real_of(got.dtype)) * math.max(1, table.unpack(want.shape)) * math.max(1, size or 1)
  local off = (want - got):abs():max():item()
  assert(off <= bound, ("%s: off by %g, more than %g"):format(what, off, bound))
end

local function size_of(x) return x.size == 0 and 1 or x:abs():max():item() end

local function eye(n, x) return lt.eye(n, {dtype = x.dtype}) end

local function orthonormal_columns(q, what)
  local n = q.shape[q.ndim]
  near(eye(n, q):broadcast_to(join(table.move(q.shape, 1, q.ndim - 2, 1, {}), {n, n})), H(q):matmul(q), 1, what)
end

-- Calls f(x, what) for each dtype (on slow devices, for some dtypes), shape and batch of x. The layouts of x take
-- turns. If `square` is true, x is square in its last two dims.
local function each(square, f)
  local seed, wanted = 0, {}
  local line = tostring(debug.getinfo(2, "l").currentline)
  for _, name in ipairs(helpers.drawn(dtypes, line)) do wanted[name] = true end
  for _, name in ipairs(dtypes) do
    for _, shape in ipairs(shapes) do
      for _, batch in ipairs(batches) do
        seed = seed + 1
        if wanted[name] and (not square or shape[1] == shape[2]) then
          local layout = (seed + seed // #batches) % #layouts + 1
          lt.manual_seed(seed)
          f(layouts[layout](random(join(batch, shape), name)),
            ("%s %s, layout %d, seed %d"):format(name, text(join(batch, shape)), layout, seed))
        end
      end
    end
  end
end

-- Returns x + 2 n I, which is far from singular.
local function dominant(x)
  local n = x.shape[x.ndim]
  return x:add(eye(n, x):multiply(2 * n))
end

describe("linalg", function()
  it("cholesky", function()
    each(true, function(x, what)
      local n = x.shape[x.ndim]
      local a = x:matmul(H(x)):add(eye(n, x))
      local l, u = la.cholesky(a), la.cholesky(a, {upper = true})
      near(a, l:matmul(H(l)), size_of(a), what)
      near(a, H(u):matmul(u), size_of(a), what)
      assert(l:triu(1):count_nonzero():item() == 0 and u:tril(-1):count_nonzero():item() == 0, what)
      -- the functions read only one triangle, so the other triangle is filled with 99
      near(l, la.cholesky(a:tril():add(lt.full({n, n}, 99, {dtype = a.dtype}):triu(1))), size_of(l), what)
      local junk = lt.full({n, n}, 99, {dtype = a.dtype}):tril(-1)
      near(u, la.cholesky(a:triu():add(junk), {upper = true}), size_of(u), what)
    end)
  end)

  it("inv", function()
    each(true, function(x, what)
      local a = dominant(x)
      near(eye(a.shape[a.ndim], a):broadcast_to(a.shape), la.inv(a):matmul(a), 1, what)
    end)
  end)

  it("solve, with one vector, matrices and batches", function()
    each(true, function(x, what)
      local n, a = x.shape[x.ndim], dominant(x)
      local batch = table.move(a.shape, 1, a.ndim - 2, 1, {})
      for _, shape in ipairs {{n}, {n, 1}, {n, 3}, join(batch, {n, 2}), {4, 1, 1, n, 2}} do
        local b = random(shape, x.dtype)
        local got = la.solve(a, b)
        if #shape == 1 then
          assert.equal(text(join(batch, {n})), tostring(got.shape))
          near(b:broadcast_to(got.shape), a:matmul(got:expand_dims(-1)):squeeze(-1), size_of(b), what)
        else
          local back = a:matmul(got)
          near(b:broadcast_to(back.shape), back, size_of(b), what)
        end
      end
    end)
  end)

  it("solve broadcasts a, too", function()
    local a, b = dominant(random({4, 4}, "float64")), random({5, 4, 2}, "float64")
    near(b, a:matmul(la.solve(a, b)), size_of(b))
  end)

  it("det and slogdet", function()
    each(true, function(x, what)
      local y = lt.randn(x.shape, {dtype = real_of(x.dtype)}):to(x.dtype)
      local scale = 1 / math.sqrt(x.shape[x.ndim])
      x, y = x:multiply(scale), y:multiply(scale)
      local product = la.det(x):multiply(la.det(y))
      near(product, la.det(x:matmul(y)), math.max(1, size_of(product)), what)
      local sign, log = la.slogdet(x)
      near(la.det(x), sign:multiply(log:exp()), math.max(1, size_of(la.det(x))), what)
      assert.equal(real_of(x.dtype), log.dtype)
    end)
    assert.equal(-2, la.det(lt.tensor {{1.0, 2.0}, {3.0, 4.0}}):item())
    assert.equal(-1, la.det(lt.tensor {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}):item())
    assert.equal(1, la.det(lt.tensor {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}):item())
  end)

  it("det of what is beyond a float on the way; slogdet of what stays there", function()
    local d = lt.tensor {1e30, 1e30, 1e-30, 1e-30, 2}
    local x = lt.eye(5):multiply(d)
    assert.is_true(math.abs(la.det(x):item() - 2) < 1e-5)
    local sign, log = la.slogdet(lt.eye(100):multiply(-1e20))
    assert.equal(1, sign:item())
    assert.is_true(math.abs(log:item() - 100 * math.log(1e20)) < 0.01)
    sign, log = la.slogdet(lt.ones(2, 3, 3))
    assert.same({{0, 0}, {-math.huge, -math.huge}}, {sign:totable(), log:totable()})
    assert.same({0, 0}, la.det(lt.ones(2, 3, 3)):totable())
  end)
end)

describe("linalg, decompositions:", function()
  it("qr", function()
    each(false, function(x, what)
      local m, n = x.shape[x.ndim - 1], x.shape[x.ndim]
      for mode, p in pairs {reduced = math.min(m, n), complete = m} do
        local q, r = la.qr(x, {mode = mode})
        assert.equal(p, q.shape[q.ndim], what)
        near(x, q:matmul(r), size_of(x), what)
        orthonormal_columns(q, what)
        assert(r:tril(-1):count_nonzero():item() == 0, what)
      end
    end)
  end)

  it("svd and svdvals", function()
    each(false, function(x, what)
      local m, n = x.shape[x.ndim - 1], x.shape[x.ndim]
      local p = math.min(m, n)
      for _, full in ipairs {false, true} do
        local u, s, vh = la.svd(x, {full_matrices = full})
        assert.equal(text {full and m or p, full and n or p}, text {u.shape[u.ndim], vh.shape[vh.ndim - 1]}, what)
        local left = u:narrow(-1, 1, p):multiply(s:expand_dims(-2))
        near(x, left:matmul(vh:narrow(-2, 1, p)), size_of(x) * p, what)
        orthonormal_columns(u, what)
        orthonormal_columns(H(vh), what)
        assert.equal(real_of(x.dtype), s.dtype)
        assert(s:less(0):count_nonzero():item() == 0 and s:diff():greater(0):count_nonzero():item() == 0, what)
        near(s, la.svdvals(x), size_of(s), what)
      end
    end)
    assert.same({3, 2, 1}, la.svdvals(lt.tensor {{0, 0, 2}, {1, 0, 0}, {0, -3, 0}}):totable())
  end)

  it("eigh and eigvalsh", function()
    each(true, function(x, what)
      local n, a = x.shape[x.ndim], x:add(H(x))
      local w, v = la.eigh(a)
      near(a:matmul(v), v:multiply(w:expand_dims(-2)), size_of(a) * n, what)
      orthonormal_columns(v, what)
      assert.equal(real_of(x.dtype), w.dtype)
      assert(w:diff():less(0):count_nonzero():item() == 0, what)
      local junk = lt.full({n, n}, 99, {dtype = a.dtype})
      for _, upper in ipairs {false, true} do
        local half = upper and a:triu():add(junk:tril(-1)) or a:tril():add(junk:triu(1))
        near(w, la.eigvalsh(half, {upper = upper}), size_of(a) * n, what)
        local w2, v2 = la.eigh(half, {upper = upper})
        near(w, w2, size_of(a) * n, what)
        near(a:matmul(v2), v2:multiply(w2:expand_dims(-2)), size_of(a) * n, what)
      end
    end)
    near(lt.tensor {-1.0, 3.0}, la.eigvalsh(lt.tensor {{1, 2}, {2, 1}}, {upper = true}), 3, "eigvalsh")
  end)

  it("eig and eigvals", function()
    if not has_eig then return pending "the device has no eigenvalues of general matrices" end
    each(true, function(x, what)
      local n = x.shape[x.ndim]
      local w, v = la.eig(x)
      assert.is_true(is_complex(w.dtype) and is_complex(v.dtype))
      assert.equal(real_of(x.dtype), real_of(w.dtype))
      near(x:matmul(v), v:multiply(w:expand_dims(-2)), size_of(x) * n, what)
      near(lt.ones(w.shape, {dtype = real_of(x.dtype)}), lt.norm(v, 2, -2), 1, what)
      local trace = la.trace(x)
      near(trace:to(w.dtype), la.eigvals(x):sum(-1), size_of(x) * n, what)
      near(trace:to(w.dtype), w:sum(-1), size_of(x) * n, what)
    end)
  end)

  it("lu, lu_factor and lu_solve", function()
    each(false, function(x, what)
      local m, n = x.shape[x.ndim - 1], x.shape[x.ndim]
      local p, l, u = la.lu(x)
      near(x, p:matmul(l):matmul(u), size_of(x), what)
      assert(l:triu(1):count_nonzero():item() == 0 and u:tril(-1):count_nonzero():item() == 0, what)
      near(lt.ones({m}, {dtype = real_of(x.dtype)}):broadcast_to(p:real():sum(-1).shape), p:real():sum(-1), 1, what)
      if m == n then
        local a, b = dominant(x), random({n, 2}, x.dtype)
        local lu, pivots = la.lu_factor(a)
        assert.equal("int32", pivots.dtype)
        local back = a:matmul(la.lu_solve(lu, pivots, b))
        near(b:broadcast_to(back.shape), back, size_of(b), what)
        near(la.solve(a, b[{{}, 1}]), la.lu_solve(lu, pivots, b[{{}, 1}]), 1, what)
      end
    end)
  end)
end)

describe("linalg, ranks and least squares:", function()
  it("pinv and matrix_rank", function()
    each(false, function(x, what)
      local m, n = x.shape[x.ndim - 1], x.shape[x.ndim]
      local y, k = la.pinv(x), size_of(la.pinv(x)) * math.max(m, n)
      near(x, x:matmul(y):matmul(x), size_of(x) * k, what)
      near(y, y:matmul(x):matmul(y), size_of(y) * k, what)
      local rank = la.matrix_rank(x)
      assert.equal("int64", rank.dtype)
      assert(rank:equal(math.min(m, n)):all():item(), what)
      local low = x:narrow(-1, 1, 1):matmul(x:narrow(-2, 1, 1))
      assert(la.matrix_rank(low):equal(1):all():item(), what)
    end)
    local d = lt.eye(3):multiply(lt.tensor {1, 0.1, 0.001})
    assert.equal(3, la.matrix_rank(d):item())
    assert.equal(1, la.matrix_rank(d, {rtol = 0.5}):item())
    assert.same({1, 2}, la.matrix_rank(d:broadcast_to(2, 3, 3), {rtol = lt.tensor {0.5, 0.01}}):totable())
    assert.same({{1, 0, 0}, {0, 0, 0}, {0, 0, 0}}, la.pinv(d, {rtol = 0.5}):totable())
  end)

  it("lstsq", function()
    each(false, function(x, what)
      local m, n = x.shape[x.ndim - 1], x.shape[x.ndim]
      local batch, p = table.move(x.shape, 1, x.ndim - 2, 1, {}), math.min(m, n)
      local b = random(join(batch, {m, 3}), x.dtype)
      local got, residuals, rank, s = la.lstsq(x, b)
      local k = size_of(la.pinv(x)) * size_of(x) * math.max(m, n) ^ 2
      near(la.pinv(x):matmul(b), got, size_of(got) * k, what)
      assert(rank:equal(p):all():item(), what)
      near(la.svdvals(x), s, size_of(s), what)
      if m > n then
        local rest = x:matmul(got) - b
        near(rest:multiply(rest:conj()):real():sum(-2), residuals, size_of(residuals) * k, what)
      else
        assert.equal("[0]", tostring(residuals.shape))
      end
    end)
    local x, residuals, rank = la.lstsq(lt.tensor {{1, 0}, {1, 1}, {1, 2}}, lt.tensor {1, 2, 6})
    assert.is_true(lt.allclose(x, lt.tensor {0.5, 2.5}, {atol = 1e-5}))
    assert.is_true(math.abs(residuals:item() - 1.5) < 1e-4)
    assert.equal(2, rank:item())
    x, residuals, rank = la.lstsq(lt.ones(3, 2), lt.tensor {1, 2, 3})      -- the shortest of many solutions
    assert.is_true(lt.allclose(x, lt.tensor {1.0, 1.0}, {atol = 1e-5}))
    assert.same({"[0]", 1}, {tostring(residuals.shape), rank:item()})
    rank = select(3, la.lstsq(lt.tensor {{1, 0}, {0, 0.01}}, lt.ones(2), {rtol = 0.1}))
    assert.equal(1, rank:item())
    x = la.lstsq(lt.eye(3), lt.ones(3, 0))
    rank = select(3, la.lstsq(lt.eye(3), lt.ones(3, 0)))
    assert.same({"[3, 0]", 3}, {tostring(x.shape), rank:item()})
  end)
end)

describe("linalg, norms and products:", function()
  it("matrix_norm and cond", function()
    each(false, function(x, what)
      local s = la.svdvals(x)
      local size = size_of(s) * s.shape[s.ndim]
      near(s:square():sum(-1):sqrt(), la.matrix_norm(x), size, what)
      near(s:sum(-1), la.matrix_norm(x, "nuc"), size, what)
      near(s:max(-1), la.matrix_norm(x, 2), size, what)
      near(s:min(-1), la.matrix_norm(x, {ord = -2}), size, what)
      local columns, rows = x:abs():sum(-2), x:abs():sum(-1)
      near(columns:max(-1), la.matrix_norm(x, 1), size_of(columns), what)
      near(columns:min(-1), la.matrix_norm(x, -1), size_of(columns), what)
      local kept = rows:max(-1, {keepdim = true}):expand_dims(-1)
      near(kept, la.matrix_norm(x, math.huge, {keepdim = true}), size_of(rows), what)
      near(rows:min(-1), la.matrix_norm(x, -math.huge), size_of(rows), what)
      near(lt.ones(s:max(-1).shape, {dtype = s.dtype}), la.cond(x):multiply(la.cond(x, -2)), 1, what)
    end)
    assert.same({6, 2}, {la.cond(lt.tensor {{2, 0}, {0, 3}}, 1):item() * 4, la.cond(lt.tensor {{2, 0}, {0, 1}}):item()})
    assert.equal(math.huge, la.cond(lt.tensor {{1, 0}, {0, 0}}):item())
  end)

  it("vector_norm", function()
    local x = lt.tensor {{3, -4}, {0, 12}}
    assert.equal(13, la.vector_norm(x):item())
    assert.same({7, 12}, la.vector_norm(x, 1, 2):totable())
    assert.same({{3, 12}}, la.vector_norm(x, {ord = math.huge, dim = 1, keepdim = true}):totable())
    assert.equal(3, la.vector_norm(x, 0):item())
    assert.equal(0, la.vector_norm(x, -math.huge):item())
    assert.is_true(math.abs(la.vector_norm(x, 3, {1, 2}):item() - (27 + 64 + 12 ^ 3) ^ (1 / 3)) < 1e-4)
    assert.equal("float64", la.vector_norm(x, {dtype = "float64"}).dtype)
    assert.equal(5, la.vector_norm(lt.complex(lt.tensor {3.0}, lt.tensor {4.0})):item())
  end)

  it("matrix_power", function()
    local x = lt.tensor {{1, 1}, {1, 0}}
    assert.same({{89, 55}, {55, 34}}, la.matrix_power(x, 10):totable())
    assert.same({{1, 0}, {0, 1}}, la.matrix_power(x, 0):totable())
    local same = la.matrix_power(x, 1)
    assert.same({{1, 1}, {1, 0}}, same:totable())
    same:zero_()
    assert.equal(1, x[{1, 1}]:item())
    assert.same({{0, 1}, {1, -1}}, la.matrix_power(x:to("float64"), -1):totable())
    each(true, function(y, what)
      local a = dominant(y):multiply(1 / (2 * y.shape[y.ndim]))
      near(a:matmul(a):matmul(a), la.matrix_power(a, 3), size_of(a) ^ 3, what)
      near(eye(a.shape[a.ndim], a):broadcast_to(a.shape), la.matrix_power(a, -2):matmul(a):matmul(a), 100, what)
    end)
  end)

  it("cross, trace, diagonal, outer of every dtype", function()
    for _, name in ipairs {"int8", "uint16", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
                           "complex128"} do
      local a, b = lt.tensor({1, 2, 3}):to(name), lt.tensor({{4, 9, 6}, {2, 4, 6}}):to(name)
      local c = la.cross(a, b)
      assert.equal(name, c.dtype)
      assert.same({{name == "uint16" and 65536 - 15 or -15, 6, 1}, {0, 0, 0}}, whole(c))
      local m = lt.arange(6):reshape(2, 3):to(name)
      assert.equal(4, whole(la.trace(m)))
      assert.equal(6, whole(la.trace(m, {offset = 1})))
      assert.equal(0, whole(la.trace(m, {offset = 5})))
      assert.same({0, 4}, whole(la.diagonal(m)))
      assert.same({{4, 9, 6}, {8, 18, 12}, {12, 27, 18}}, whole(la.outer(a, b[1])))
    end
    assert.equal("int64", la.trace(lt.ones(2, 2, {dtype = "int8"})).dtype)
    assert.equal("float64", la.trace(lt.ones(2, 2), {dtype = "float64"}).dtype)
    local x = lt.zeros(3, 3)
    la.diagonal(x, {offset = 1}):fill_(7)
    assert.equal(7, x[{2, 3}]:item())
    assert.same({{0, 0}, {0, 0}, {0, 0}}, la.cross(lt.ones(3, 2), lt.ones(3, 1), {dim = 1}):totable())
  end)
end)

describe("linalg as a whole", function()
  it("gives each matrix the same result on any number of threads", function()
    if helpers.device ~= "cpu" then return end
    local before = lt.get_num_threads()
    local x = dominant(lt.randn(3000, 3, 3))
    local a = x:matmul(x.mT)
    local functions = {la.inv, la.det, la.cholesky, la.svdvals, la.qr, function(y) return (la.eigh(y)) end}
    for _, f in ipairs(functions) do
      lt.set_num_threads(1)
      local want = f(a)
      lt.set_num_threads(3)
      assert.is_true(f(a):equal(want):all():item())
      assert.is_true(f(a[{{1500, 1501}}]):equal(want[{{1500, 1501}}]):all():item())
    end
    lt.set_num_threads(before)
    helpers.fails("inv: matrix 2999 of 3000 is singular", la.inv, lt.where(
      lt.arange(1, 3001):equal(2999):reshape(3000, 1, 1), 0, x))
  end)

  it("takes matrices that OpenBLAS's threads share", function()
    local x = dominant(lt.randn({230, 230}, {dtype = "float64"}))
    near(eye(230, x), la.inv(x):matmul(x), 1)
    local w, v = la.eigh(x:add(x.mT))
    near(x:add(x.mT):matmul(v), v:multiply(w:expand_dims(-2)), 1000)
  end)

  it("takes integers and bool as the default float, and promotes", function()
    local x = lt.tensor {{2, 1}, {1, 3}}
    assert.equal("float32", la.inv(x).dtype)
    assert.equal("float32", la.det(lt.tensor {{true, false}, {true, true}}).dtype)
    assert.equal("float64", la.solve(x, lt.ones({2}, {dtype = "float64"})).dtype)
    assert.equal("complex128", la.solve(x:to("float64"), lt.ones({2}, {dtype = "complex64"})).dtype)
    if has_eig then assert.equal("complex64", la.eigvals(x).dtype) end
  end)

  it("leaves its arguments alone", function()
    for _, f in pairs {la.inv, la.cholesky, la.det, la.slogdet, la.qr, la.svd, la.svdvals, la.eigh, la.eigvalsh,
                       has_eig and la.eig, has_eig and la.eigvals, la.lu, la.lu_factor, la.pinv,
                       function(x) la.solve(x, x) end, function(x) la.lstsq(x, x) end} do
      local x = lt.tensor {{4.0, 1.0}, {1.0, 3.0}}
      for _, view in ipairs {x, x.T} do if f then f(view) end end
      assert.same({{4, 1}, {1, 3}}, x:totable())
    end
  end)

  it("gives the results of matrices without elements", function()
    assert.equal(1, la.det(lt.zeros(0, 0)):item())
    assert.same({1, 1}, la.det(lt.zeros(2, 0, 0)):totable())
    local sign, log = la.slogdet(lt.zeros(3, 0, 0))
    assert.same({{1, 1, 1}, {0, 0, 0}}, {sign:totable(), log:totable()})
    local function shapes_of(...)
      local list = table.pack(...)
      for i = 1, list.n do list[i] = tostring(list[i].shape) end
      return table.concat(list, " ")
    end
    assert.equal("[0, 0]", shapes_of(la.inv(lt.zeros(0, 0))))
    assert.equal("[3, 0, 0]", shapes_of(la.cholesky(lt.zeros(3, 0, 0))))
    assert.equal("[0, 3, 3]", shapes_of(la.inv(lt.zeros(0, 3, 3))))
    assert.equal("[3, 0] [0, 0]", shapes_of(la.qr(lt.zeros(3, 0))))
    assert.equal("[0, 0] [0, 3]", shapes_of(la.qr(lt.zeros(0, 3))))
    assert.equal("[3, 3] [0] [0, 0]", shapes_of(la.svd(lt.zeros(3, 0))))
    assert.same({{1, 0}, {0, 1}}, (la.svd(lt.zeros(2, 0))):totable())
    assert.same({{1, 0}, {0, 1}}, (la.qr(lt.zeros(2, 0), {mode = "complete"})):totable())
    assert.equal("[2, 0]", shapes_of(la.svdvals(lt.zeros(2, 0, 4))))
    assert.equal("[0] [0, 0]", shapes_of(la.eigh(lt.zeros(0, 0))))
    assert.equal("[0] [0, 0]", shapes_of(la.eig(lt.zeros(0, 0))))
    assert.equal("[0, 2] [0, 2, 2]", shapes_of(la.eig(lt.zeros(0, 2, 2))))
    assert.equal("[3, 0]", shapes_of(la.pinv(lt.zeros(0, 3))))
    assert.same({0, 0}, la.matrix_rank(lt.zeros(2, 0, 3)):totable())
    assert.equal("[0, 2]", shapes_of(la.solve(lt.zeros(0, 0), lt.zeros(0, 2))))
    assert.equal("[3, 0]", shapes_of(la.solve(lt.eye(3), lt.zeros(3, 0))))
    assert.equal("[2] [0] [] [0]", shapes_of(la.lstsq(lt.zeros(0, 2), lt.zeros(0))))
    assert.same({"[0, 1] [1] [] [0]", 2},
                {shapes_of(la.lstsq(lt.zeros(2, 0), lt.ones(2, 1))),
                 select(2, la.lstsq(lt.zeros(2, 0), lt.ones(2))):item()})
    assert.equal("[3, 3] [3, 0] [0, 0]", shapes_of(la.lu(lt.zeros(3, 0))))
    assert.same({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, (la.lu(lt.zeros(3, 0))):totable())
    assert.equal(0, la.matrix_norm(lt.zeros(0, 3)):item())
    assert.equal(0, la.matrix_norm(lt.zeros(0, 3), "nuc"):item())
    assert.equal("[0, 0]", shapes_of(la.matrix_power(lt.zeros(0, 0), 3)))
    assert.equal(0, la.trace(lt.zeros(0, 3)):item())
  end)
end)

describe("linalg says", function()
  local singular = lt.tensor {{1.0, 2.0}, {2.0, 4.0}}
  local second = lt.stack({lt.eye(2), singular, lt.eye(2)})
  local nan = lt.tensor {{1.0, 0 / 0}, {0.0, 1.0}}

  it("the first minor whose root is NaN, of small and large matrices", function()
    for _, n in ipairs {1, 16, 17, 200} do
      for _, dtype in ipairs {"float32", "float64", "complex64", "complex128"} do
        local x = lt.eye(n, {dtype = dtype, device = "cpu"})
        x[{n, n}] = 0 / 0
        fails(("cholesky: matrix is not positive definite (leading minor %d)"):format(n), la.cholesky, x)
      end
    end
  end)
  it("which matrix is singular, or not positive definite", function()
    fails("inv: matrix is singular", la.inv, singular)
    fails("inv: matrix 2 of 3 is singular", la.inv, second)
    fails("solve: matrix is singular", la.solve, singular, lt.ones(2))
    fails("solve: matrix 2 of 3 is singular", la.solve, second, lt.ones(2))
    fails("matrix_power: matrix is singular", la.matrix_power, singular, -2)
    fails("cholesky: matrix is not positive definite (leading minor 2)", la.cholesky, lt.tensor {{1, 2}, {2, 1}})
    fails("cholesky: matrix 2 of 3 is not positive definite (leading minor 2)", la.cholesky, second)
    fails("cond: matrix is singular", la.cond, singular, 1)
  end)

  it("which matrix is not finite", function()
    for _, name in ipairs {"svdvals", "eigvalsh", "svd", has_eig and "eigvals" or nil, has_eig and "eig" or nil} do
      fails(name .. ": matrix has NaN or infinite elements", la[name], nan.mT)     -- the NaN is in the lower triangle
      fails(name .. ": matrix has NaN or infinite elements", la[name], lt.full({3, 3}, math.huge, {dtype = "float64"}))
    end
    fails("eigh: matrix 2 of 2 has NaN or infinite elements", la.eigh, lt.stack({lt.eye(2), nan.mT}))
    fails("lstsq: matrix has NaN or infinite elements", la.lstsq, nan, lt.ones(2))
    fails("lstsq: matrix has NaN or infinite elements", la.lstsq, lt.eye(2), lt.tensor {1.0, 0 / 0})
    fails("matrix_norm: matrix has NaN or infinite elements", la.matrix_norm, nan, 2)
    fails("pinv: matrix has NaN or infinite elements", la.pinv, nan)
  end)

  it("nothing of NaN in the triangle that is not read", function()
    local upper = lt.tensor {{2.0, 0 / 0}, {0.0, 1.0}}
    assert.same({1, 2}, la.eigvalsh(upper):totable())
    fails("eigvalsh: matrix has NaN or infinite elements", la.eigvalsh, upper, {upper = true})
    assert.same({1, 2}, la.eigvalsh(upper.T, {upper = true}):totable())
    assert.same({{1, 0}, {0, 1}}, la.cholesky(lt.tensor {{1.0, 0 / 0}, {0.0, 1.0}}):totable())
  end)

  it("infinity in the determinant of an infinite diagonal", function()
    for _, dtype in ipairs {"float32", "float64"} do
      assert.equal(math.huge, la.det(lt.tensor({{math.huge, 0}, {0, 4}}, {dtype = dtype})):item())
    end
  end)

  it("NaN in what is only solved", function()
    for _, dtype in ipairs {"float32", "float64", "complex64", "complex128"} do
      for _, n in ipairs {2, 3, 40} do
        local x = lt.eye(n, {dtype = dtype})
        x[{1, -1}], x[{-1, 1}], x[{1, 1}] = 1, 1, 0 / 0
        local what = dtype .. " " .. n
        assert(la.inv(x):isnan():any():item(), what)
        assert(la.det(x):isnan():item(), what)
        assert(select(2, la.slogdet(x)):isnan():item(), what)
        assert(la.solve(x, lt.ones(n, {dtype = dtype})):isnan():any():item(), what)
        assert(select(3, la.lu(x)):isnan():any():item(), what)
        assert(la.lu_solve(select(1, la.lu_factor(x)), select(2, la.lu_factor(x)), lt.ones(n, 1, {dtype = dtype})):isnan():any():item(), what)
        local both = la.det(lt.stack({x, lt.eye(n, {dtype = dtype}) * 2}))
        assert(both[1]:isnan():item(), what)
        assert.equal(2.0 ^ n, (both[2]:item()), what)
      end
    end
  end)

  it("what does not fit", function()
    local f16 = lt.ones(2, 2, {dtype = "float16"})
    for _, name in ipairs {"inv", "det", "slogdet", "cholesky", "eig", "eigvals", "eigh", "eigvalsh"} do
      fails(name .. ": square matrices expected, got shape [2, 3]", la[name], lt.ones(2, 3))
      fails(name .. ": a matrix or a batch of them expected, got shape [3]", la[name], lt.ones(3))
      fails(name .. ': not for float16; use x:to("float32")', la[name], f16)
    end
    for _, name in ipairs {"qr", "svd", "svdvals", "lu", "lu_factor", "pinv", "matrix_rank", "matrix_norm", "trace",
                           "cond"} do
      fails(name .. ": a matrix or a batch of them expected, got shape []", la[name], lt.tensor(2.0))
      fails(name .. ": argument 1: tensor expected, got number", la[name], 3)
    end
    local half = lt.ones(2, 2, {dtype = "bfloat16"})
    fails('solve: not for bfloat16; use x:to("float32")', la.solve, half, half)
    fails("solve: the numbers of rows differ: [2, 2] and [3]", la.solve, lt.eye(2), lt.ones(3))
    fails("solve: square matrices expected, got shape [2, 3]", la.solve, lt.ones(2, 3), lt.ones(2))
    fails("solve: a vector, a matrix or a batch of them expected on the right, got shape []", la.solve, lt.eye(2),
          lt.tensor(1.0))
    fails("solve: the batch dims do not broadcast: [2, 3, 3] and [4, 3, 1]", la.solve, lt.ones(2, 3, 3),
          lt.ones(4, 3, 1))
    fails("solve: at most 2 arguments expected, got 3", la.solve, lt.eye(2), lt.ones(2), 1)
    fails("inv: at most 1 argument expected, got 2", la.inv, lt.eye(2), lt.eye(2))
    fails("lstsq: the numbers of rows differ: [2, 2] and [3]", la.lstsq, lt.eye(2), lt.ones(3))
    fails("lstsq: rtol: number expected, got boolean", la.lstsq, lt.eye(2), lt.ones(2), {rtol = true})
    fails('lstsq: unknown option "rcond"; known: rtol', la.lstsq, lt.eye(2), lt.ones(2), {rcond = 1})
    fails("lu_solve: pivots as lu_factor gives them expected, got int64 [2]", la.lu_solve, lt.eye(2), lt.tensor {1, 2},
          lt.ones(2))
    fails("lu_solve: pivots as lu_factor gives them expected, got int32 [3]", la.lu_solve, lt.eye(2),
          lt.ones({3}, {dtype = "int32"}), lt.ones(2))
    fails("cross: argument 2: a length of 3 expected in dim 1, got shape [2]", la.cross, lt.ones(3), lt.ones(2))
    fails("matrix_power: square matrices expected, got shape [2, 3]", la.matrix_power, lt.ones(2, 3), 2)
    fails("matrix_power: n: integer expected, got 1.5", la.matrix_power, lt.eye(2), 1.5)
  end)

  it("which options there are", function()
    fails('cholesky: unknown option "lower"; known: upper', la.cholesky, lt.eye(2), {lower = true})
    fails("cholesky: option upper: boolean expected, got number", la.cholesky, lt.eye(2), {upper = 1})
    fails('qr: option mode: "reduced" or "complete" expected, got raw', la.qr, lt.eye(2), {mode = "raw"})
    fails('qr: option mode: "reduced" or "complete" expected, got number', la.qr, lt.eye(2), {mode = 1})
    fails('matrix_norm: ord: "fro", "nuc", 1, -1, 2, -2, math.huge or -math.huge expected, got 3', la.matrix_norm,
          lt.eye(2), 3)
    fails('cond: ord: "fro", "nuc", 1, -1, 2, -2, math.huge or -math.huge expected, got table', la.cond, lt.eye(2), {})
    fails("matrix_power: n: -9223372036854775808 is out of range", la.matrix_power, lt.eye(2), math.mininteger)
    fails("lstsq: rtol: 0 or more and less than 1 expected, got -1", la.lstsq, lt.eye(2), lt.eye(2), {rtol = -1})
    fails("matrix_norm: ord is given twice", la.matrix_norm, lt.eye(2), 1, {ord = 2})
    fails("vector_norm: ord: number expected, got string", la.vector_norm, lt.eye(2), "fro")
    fails("matrix_rank: rtol: number or tensor expected, got string", la.matrix_rank, lt.eye(2), {rtol = "x"})
    fails("matrix_rank: rtol: 0 or more expected, got -1", la.matrix_rank, lt.eye(2), {rtol = -1})
    fails("pinv: rtol: 0 or more expected, got nan", la.pinv, lt.eye(2), {rtol = math.abs(0 / 0)})
  end)

  it("nothing of pivots that are out of range: it stays in its memory", function()
    local x = la.lu_solve(lt.eye(3), lt.tensor({1000000, -5, 0}, {dtype = "int32"}), lt.ones(3))
    assert.equal("[3]", tostring(x.shape))
  end)
end)
