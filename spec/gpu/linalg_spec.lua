-- tags: unplugged
-- Tests linear algebra on a GPU: products of the factors, for shapes, batches and dtypes; failures, streams and
-- graphs of cuSOLVER or rocSOLVER.
local lt = require "luatensor"
local gpu = require "spec.support.gpu"
require "spec.support.helpers"

local linalg = lt.linalg

gpu.describe("linalg", {{}, {LUATENSOR_EMULATOR = "order=lazy,threads=reverse,guard=1"}, {LUATENSOR_EMULATOR = "devices=2"}},
function()
  local device = lt.devices()[3] and gpu.kind .. ":1" or gpu.kind .. ":0"
  local shapes = {{5, 5}, {7, 4}, {4, 7}, {1, 1}, {1, 4}, {2, 6, 3}, {3, 3, 6}, {2, 3, 4, 4}}
  local library = gpu.kind == "cuda" and "cuSOLVER" or "rocSOLVER"
  local failure = gpu.kind == "cuda" and "cuSOLVER: execution failed (6)" or "rocSOLVER: rocblas_status_internal_error (6)"
  local bounds = {float32 = 2e-4, float64 = 1e-11, complex64 = 2e-4, complex128 = 1e-11}

  local function random(shape, dtype)
    local generator = lt.generator{seed = #shape + shape[1]}
    local function part() return lt.randn(shape, {generator = generator, device = "cpu", dtype = "float64"}) end
    local x = part()
    if dtype:find "complex" then x = lt.complex(x, part()) end
    return x:to(dtype):to(device)
  end

  -- Compares two tensors on the CPU in double precision.
  local function near(what, got, want)
    assert.equal(tostring(want.shape), tostring(got.shape), what)
    local wide = got.dtype:find "complex" and "complex128" or "float64"
    local off = (got:to("cpu"):to(wide) - want:to("cpu"):to(wide)):abs()
    local worst = off.size > 0 and off:max():item() or 0
    local size = want.size > 0 and want:to("cpu"):to(wide):abs():max():item() or 0
    local fits = worst <= bounds[got.dtype] * math.max(1, size)        -- NaN gives false
    if not fits then
      error(("%s of %s: off by %g of %g"):format(what, got.dtype, worst, size), 2)
    end
  end

  local function adjoint(x) return x.mT:conj() end
  local function eye(x, n) return lt.eye(n, {dtype = x.dtype, device = device}) end
  local function identity(x) return lt.broadcast_to(eye(x, x.shape[x.ndim]), table.unpack(x.shape)) end

  for dtype in pairs(bounds) do
    it("factors " .. dtype, function()
      for _, shape in ipairs(shapes) do
        local a, n = random(shape, dtype), shape[#shape]
        for _, mode in ipairs{"reduced", "complete"} do
          local q, r = linalg.qr(a, {mode = mode})
          near("Q R", q:matmul(r), a)
          near("adjoint of Q times Q", adjoint(q):matmul(q), identity(adjoint(q):matmul(q)))
          near("R above the diagonal", r:triu(), r)
        end
        local u, s, vh = linalg.svd(a, {full_matrices = false})
        near("U S V", (u * s:expand_dims(-2)):matmul(vh), a)
        local full_u, full_s, full_vh = linalg.svd(a)
        near("values", full_s, s)
        near("values alone", linalg.svdvals(a), s)
        near("U", adjoint(full_u):matmul(full_u), identity(adjoint(full_u):matmul(full_u)))
        near("V", full_vh:matmul(adjoint(full_vh)), identity(full_vh:matmul(adjoint(full_vh))))
        local p, l, upper = linalg.lu(a)
        near("P L U", p:to(dtype):matmul(l:matmul(upper)), a)
        assert.equal(n, upper.shape[upper.ndim])
      end
    end)

    it("solves and inverts " .. dtype, function()
      for _, shape in ipairs(shapes) do
        local m, n = shape[#shape - 1], shape[#shape]
        local a, b = random(shape, dtype), random({m, 3}, dtype)
        if m == n then
          near("inverse", linalg.inv(a):matmul(a), identity(a))
          near("solution", a:matmul(linalg.solve(a, b)), lt.broadcast_to(b, table.unpack(a:matmul(b).shape)))
          local vector = b[{ {}, 1 }]
          near("of a vector", a:matmul(linalg.solve(a, vector):expand_dims(-1)),
               lt.broadcast_to(vector:expand_dims(-1), table.unpack(a:matmul(vector:expand_dims(-1)).shape)))
          near("determinant", linalg.det(a), linalg.det(a:to("cpu")))
          local sign, logarithm = linalg.slogdet(a)
          near("sign and logarithm", sign * logarithm:exp(), linalg.det(a:to("cpu")))
          local positive = a:matmul(adjoint(a)) + eye(a, n)
          near("L L", linalg.cholesky(positive):matmul(adjoint(linalg.cholesky(positive))), positive)
          local upper = linalg.cholesky(positive, {upper = true})
          near("U U", adjoint(upper):matmul(upper), positive)
          local w, v = linalg.eigh(positive)
          near("V w", positive:matmul(v), v * w:expand_dims(-2))
          near("values alone", linalg.eigvalsh(positive), w)
          if not gpu.lacks["linalg.eig"] then
            local values, vectors = linalg.eig(a)
            near("eigenvectors", a:to(vectors.dtype):matmul(vectors), vectors * values:expand_dims(-2))
            near("sum of eigenvalues", linalg.eigvals(a):sum(-1), values:sum(-1))
          end
        end
        if #shape == 2 then
          local x, rest, rank, values = linalg.lstsq(a, b)
          near("least squares", x, linalg.pinv(a):matmul(b))
          assert.equal(math.min(m, n), rank:item())
          near("its values", values, linalg.svdvals(a))
          if m > n then near("what is left over", rest, ((a:matmul(x) - b):abs() ^ 2):sum(1)) end
        end
      end
    end)
  end

  it("keeps the determinant of what is beyond the dtype in between", function()
    local x = lt.tensor({{{1e30, 0, 0}, {0, 1e30, 0}, {0, 0, 1e-30}}, {{1e-30, 0, 0}, {0, 1e-30, 0}, {0, 0, 1e30}}})
    near("determinants", linalg.det(x:to("float32"):to(device)), lt.tensor({1e30, 1e-30}, {dtype = "float32"}))
    local sign, logarithm = linalg.slogdet(lt.zeros(2, 2, {device = device}))
    assert.same({0.0, -math.huge}, {sign:item(), logarithm:item()})
    assert.equal(0.0, linalg.det(lt.ones(3, 3, {device = device})):item())
  end)

  it("finds the rank that rtol says", function()
    local x = lt.tensor({{1.0, 0, 0}, {0, 1e-3, 0}, {0, 0, 1e-9}, {0, 0, 0}}, {dtype = "float64"}):to(device)
    local b = lt.tensor({1.0, 1.0, 1.0, 2.0}, {dtype = "float64"}):to(device)
    local solution, _, rank = linalg.lstsq(x, b, {rtol = 1e-6})
    assert.equal(2, rank:item())
    near("solution", solution, lt.tensor({1.0, 1e3, 0.0}, {dtype = "float64"}))
  end)

  it("names the matrix that has no result", function()
    local one = lt.eye(2, {device = device})
    local fails = assert.raises
    fails("inv: matrix is singular", linalg.inv, one * 0)
    fails("inv: matrix 2 of 3 is singular", linalg.inv, lt.stack{one, one * 0, one})
    fails("cholesky: matrix 2 of 2 is not positive definite (leading minor 1)", linalg.cholesky, lt.stack{one, -one})
    fails("svd: matrix has NaN or infinite elements", linalg.svd, one / 0)
    fails("eigh: matrix 2 of 2 has NaN or infinite elements", linalg.eigh, lt.stack{one, one / 0})
    local lu, pivots = linalg.lu_factor(one)
    local away = ('lu_solve: tensors on different devices: %s and cpu; move one with :to("%s")'):format(device, device)
    fails(away, linalg.lu_solve, lu, pivots:to("cpu"), one)
    fails(away, linalg.lu_solve, lu, pivots, one:to("cpu"))
  end)

  it("works on any stream, in order", function()
    local x = random({40, 40}, "float64")
    local stream = lt.stream(device)
    local made
    lt.with_stream(stream, function() made = linalg.inv(x * 2) end)
    near("inverse", made:matmul(x * 2), identity(x))
  end)

  it("cannot be part of a graph, and says so", function()
    local x = lt.eye(3, {device = gpu.kind .. ":0"})
    assert.raises(("qr: %s's work cannot be captured into a graph: do it outside"):format(library), lt.graph, function()
      return linalg.qr(x)
    end)
    near("afterwards", linalg.qr(x):abs(), x)
  end)

  gpu.it_emulated("that fails is an error, and the next call works", function()
    local x = lt.eye(3, {device = device})
    linalg.det(x)
    gpu.emulator.configure "fail_solver=1"
    assert.raises("det: " .. failure, linalg.det, x)
    assert.equal(1.0, linalg.det(x):item())
    local y = lt.ones(3, {device = device})
    gpu.emulator.configure "fail_solver=2"
    assert.raises("solve: " .. failure, linalg.solve, x, y)
    assert.same({1.0, 1.0, 1.0}, linalg.solve(x, y):totable())
  end)
end)
