-- tags: process
-- Tests AMD's libraries on the emulated GPU: rocBLAS, hipFFT and rocSOLVER give what the CPU gives, and luatensor says what
-- it does if a library or one of its functions is missing. The specs of products, of transforms and of lt.linalg run on the
-- device, too (make test-emulated).
local shell = require "spec.support.shell"

local build = os.getenv "BUILD" or "build"
local folder = build .. "/spec/emulator"
local there = shell.exists(folder .. "/librocblas.so")

-- Runs code in a process with the emulated libraries. Returns the output without white space at its end.
local function run(code, settings, more)
  local command = "LUATENSOR_CUDA_PATH=/nowhere LUATENSOR_ROCM_PATH=%s LUATENSOR_CACHE=%s LUATENSOR_EMULATOR=%s %s "
    .. "tools/lua -e 'lt = require [[luatensor]] emulator = package.loadlib([[%s/emulator_hip.so]], [[luaopen_emulator]])() %s'"
  local status, output = shell.run(command:format(folder, build .. "/spec/kernels", settings or "", more or "", folder, code))
  assert.equal(0, status, output)
  return (output:gsub("%s+$", ""))
end

-- Calls body(path) with a copy of the emulated libraries in which the given functions have other names.
local function without(symbols, body)
  local path = shell.folder()
  shell.passes(("LD_PRELOAD= EMULATOR=%s spec/support/emulator/without %s %s"):format(folder, path, symbols))
  body(path)
  shell.passes("LD_PRELOAD= rm -r " .. path)
end

-- Compares products on the GPU and on the CPU. Prints how many of them are wrong, and whether rocBLAS was called.
local products = [[
  lt.manual_seed(1)
  local eps = {float16 = 2^-10, bfloat16 = 2^-7, float32 = 2^-22, complex64 = 2^-22, float64 = 2^-50, complex128 = 2^-50}
  local wrong = 0
  local function compare(a, b)
    local want, got = a:matmul(b), a:to("rocm"):matmul(b:to("rocm")):to("cpu")
    local scale = a:abs():to("float64"):matmul(b:abs():to("float64")) + 1e-6
    local far = ((got - want):abs():to("float64") / scale):max():item()
    if not (far <= 4 * eps[a.dtype]) then wrong = wrong + 1 end
  end
  for dtype in pairs(eps) do
    local function make(...)
      local x = lt.randn(...):to(dtype)
      return dtype:find("complex") and lt.complex(x:real(), lt.randn(...):to(x:real().dtype)) or x
    end
    compare(make(9, 13), make(13, 6))
    compare(make(13, 9).T, make(13, 6))
    compare(make(9, 13), make(6, 13).T)
    compare(make(13, 9).T, make(6, 13).T)
    compare(make(5, 9, 13), make(5, 13, 6))
    compare(make(5, 13, 9).mT, make(13, 6))
    compare(make(2, 1, 9, 13), make(3, 6, 13).mT)
    compare(make(9, 26)[{{}, {1, 26, 2}}], make(13))
  end
  print(wrong, emulator.counts().products > 0)
]]

describe("rocBLAS", function()
  if not there then return pending("make emulator builds what stands in for AMD's libraries") end

  it("multiplies matrices of every dtype, in every order and in batches", function()
    assert.equal("0\ttrue", run(products, "lanes=64"))
  end)

  it("adds to a gradient, in a product without a copy of the sum", function()
    assert.equal("0", run([[
      local function gradient(device)
        local w, x = lt.arange(12):view(3, 4):to("float32"):to(device), lt.arange(8):view(2, 4):to("float32"):to(device)
        w.requires_grad = true
        for _ = 1, 2 do (x:matmul(w.T)):sum():backward() end
        return w.grad:to("cpu")
      end
      print(string.format("%d", (gradient("rocm") - gradient("cpu")):abs():max():item()))]]))
  end)

  it("computes in float32 if TF32 is allowed", function()
    assert.equal("16785408.0", run([[
      lt.set_matmul_precision("tf32")
      local x = lt.tensor({{4097}}, {device = "rocm"}):to("float32")
      print(x:matmul(x):item())]]))
  end)

  it("fails with its own words", function()
    assert.truthy(run([[print(pcall(lt.matmul, lt.ones(2, 2, {device = "rocm"}), lt.ones(2, 2, {device = "rocm"})))]],
      "fail_blas=1"):find("rocBLAS: rocblas_status_internal_error", 1, true))
  end)

  it("is not asked on a processor for which it has no kernels, at which it would end the process", function()
    assert.equal("0\tfalse", run(products, "gcn=gfx906,lanes=64"))
    local path = shell.folder()
    shell.write(path .. "/Kernels.so-000-gfx906.hsaco", "")
    shell.write(path .. "/TensileLibrary_lazy_gfx906.dat", "")
    assert.equal("0\ttrue", run(products, "gcn=gfx906,lanes=64", "ROCBLAS_TENSILE_LIBPATH=" .. path))
    shell.passes("LD_PRELOAD= rm -r " .. path)
  end)

  it("lacks a function, and luatensor's own kernels multiply", function()
    for _, symbol in ipairs {"rocblas_set_atomics_mode", "rocblas_set_workspace"} do
      without(symbol, function(path)
        local output = run([[print(lt.config())]] .. products, "lanes=64", "LUATENSOR_ROCM_PATH=" .. path)
        assert.truthy(output:find("librocblas.so has no function " .. symbol .. "; a newer ROCm does", 1, true), output)
        assert.truthy(output:find "0\tfalse$", output)
      end)
    end
  end)

  it("is not installed, and luatensor's own kernels multiply", function()
    without("", function(path)
      shell.passes("LD_PRELOAD= rm " .. path .. "/librocblas.so")
      local output = run([[print(lt.config())]] .. products, "lanes=64", "LUATENSOR_ROCM_PATH=" .. path)
      assert.truthy(output:find "librocblas%S*: cannot open shared object file %(matrix products take luatensor's own kernels: "
        .. "install rocBLAS, or name its folder in LUATENSOR_ROCM_PATH%)", output)
      assert.truthy(output:find "0\tfalse$", output)
    end)
  end)
end)

-- Compares transforms on the GPU and on the CPU. Prints how many of them are wrong, and whether hipFFT was called.
local transforms = [[
  lt.manual_seed(1)
  local wrong = 0
  local function compare(name, x, ...)
    local want, got = lt.fft[name](x, ...), lt.fft[name](x:to("rocm"), ...):to("cpu")
    local eps = want.dtype:find "64$" and not want.dtype:find "complex" and 1e-13 or want.dtype:find "128" and 1e-13 or 1e-5
    local far = (got - want):abs():max():item()
    if not (far <= eps * x:abs():sum():item() and got.dtype == want.dtype) then wrong = wrong + 1 end
  end
  for _, dtype in ipairs {"float32", "float64"} do
    local function complex(...) return lt.complex(lt.randn(...):to(dtype), lt.randn(...):to(dtype)) end
    for _, n in ipairs {1, 2, 7, 15, 16, 31, 60} do
      local real, z = lt.randn(3, n):to(dtype), complex(3, n)
      for _, name in ipairs {"fft", "ifft"} do compare(name, real) compare(name, z) compare(name, z, {dim = 1}) end
      compare("rfft", real)
      compare("ihfft", real)
      for _, name in ipairs {"irfft", "hfft"} do compare(name, z, {n = 2 * n}) compare(name, z, {n = 2 * n - 1}) end
    end
    for _, name in ipairs {"fft2", "ifft2", "rfft2", "fftn", "ifftn", "rfftn"} do compare(name, lt.randn(5, 3, 7):to(dtype)) end
    for _, name in ipairs {"fft2", "ifft2", "irfft2", "fftn", "ifftn", "irfftn"} do compare(name, complex(4, 5, 6)) end
    compare("fftn", complex(3, 4, 5):transpose(1, 3), {norm = "ortho"})
    compare("rfft", lt.randn(4, 18):to(dtype)[{{}, {1, 18, 2}}], {norm = "forward"})
  end
  print(wrong, emulator.counts().transforms > 0)
]]

describe("hipFFT", function()
  if not there then return pending("make emulator builds what stands in for AMD's libraries") end
  local one = [[print(pcall(lt.fft.fft, lt.ones(3, {device = "rocm"})))]]

  it("transforms real and complex numbers of both precisions, along one and several dims", function()
    assert.equal("0\ttrue", run(transforms, "lanes=64"))
  end)

  it("fails with its own words", function()
    assert.truthy(run(one, "fail_fft=1"):find("hipFFT: setup failed (7)", 1, true))
  end)

  it("is too old", function()
    without("hipfftXtExec", function(path)
      local output = run(one, "", "LUATENSOR_ROCM_PATH=" .. path)
      assert.truthy(output:find("fft: not available on rocm:0: libhipfft.so has no function hipfftXtExec; "
        .. "that of ROCm 5.6 does", 1, true), output)
    end)
  end)

  it("is not installed", function()
    without("", function(path)
      shell.passes("LD_PRELOAD= rm " .. path .. "/libhipfft.so")
      local output = run(one, "", "LUATENSOR_ROCM_PATH=" .. path)
      assert.truthy(output:find "fft: not available on rocm:0: %S*libhipfft%S*: cannot open shared object file %(install "
        .. "ROCm's hipfft, or name its folder in LUATENSOR_ROCM_PATH%)", output)
    end)
  end)
end)

-- Compares lt.linalg on the GPU and on the CPU. Prints how many results are wrong, how many were compared, and whether
-- rocSOLVER was called. Vectors that are unique up to factors are compared by the products that they make.
local factors = [[
  lt.manual_seed(1)
  local la = lt.linalg
  local eps = {float32 = 1e-4, complex64 = 1e-4, float64 = 1e-11, complex128 = 1e-11}
  local wrong, total = 0, 0
  local function near(got, want)
    local far = (got:to("cpu") - want):abs():max():item()
    total = total + 1
    if not (far <= eps[want.dtype] * (1 + want:abs():max():item()) and got.dtype == want.dtype) then wrong = wrong + 1 end
  end
  local function adjoint(x) return x.mT:conj() end
  for dtype in pairs(eps) do
    local real = dtype:find "64$" and not dtype:find "complex" and "float64" or dtype:find "128" and "float64" or "float32"
    local function make(...)
      local x = lt.randn(...):to(real)
      return dtype:find "complex" and lt.complex(x, lt.randn(...):to(real)) or x
    end
    for _, shape in ipairs {{1, 1}, {5, 5}, {2, 3, 4, 4}, {3, 5, 5}} do
      local x, n = make(table.unpack(shape)), shape[#shape]
      local b, y = make(n, 3), x:to "rocm"
      for _, name in ipairs {"inv", "det"} do near(la[name](y), la[name](x)) end
      for k = 1, 2 do near(select(k, la.slogdet(y)), (select(k, la.slogdet(x)))) end
      near(la.solve(y, b:to "rocm"), la.solve(x, b))
      near(la.solve(y.mT, b:to("rocm")[{{}, 1}]), la.solve(x.mT, b[{{}, 1}]))
      local lu, pivots = la.lu_factor(y)
      near(lu, (la.lu_factor(x)))
      if not pivots:to("cpu"):equal((select(2, la.lu_factor(x)))):all():item() then wrong = wrong + 1 end
      near(la.lu_solve(lu, pivots, b:to "rocm"), la.solve(x, b))
      local positive = x:matmul(adjoint(x)) + lt.eye(n, {dtype = dtype})
      for _, upper in ipairs {false, true} do
        near(la.cholesky(positive:to "rocm", {upper = upper}), la.cholesky(positive, {upper = upper}))
        near(la.eigvalsh(positive:to "rocm", {upper = upper}), la.eigvalsh(positive, {upper = upper}))
      end
      local w, v = la.eigh(positive:to "rocm")
      near((v * w:expand_dims(-2)):matmul(adjoint(v)), positive)
    end
    for _, shape in ipairs {{1, 4}, {4, 1}, {7, 4}, {4, 7}, {2, 6, 3}, {2, 3, 6}} do
      local x = make(table.unpack(shape))
      local y, m = x:to "rocm", shape[#shape - 1]
      for _, mode in ipairs {"reduced", "complete"} do
        local q, r = la.qr(y, {mode = mode})
        near(q:matmul(r), x)
        near(adjoint(q):matmul(q), adjoint(q):matmul(q):to("cpu") * 0 + lt.eye(q.shape[q.ndim], {dtype = dtype}))
      end
      near(la.svdvals(y), la.svdvals(x))
      local u, s, vh = la.svd(y, {full_matrices = false})
      near((u * s:expand_dims(-2)):matmul(vh), x)
      u, s, vh = la.svd(y)
      near(s, la.svdvals(x))
      near(u:matmul(adjoint(u)), u:to("cpu") * 0 + lt.eye(m, {dtype = dtype}))
      near(vh:matmul(adjoint(vh)), vh:to("cpu") * 0 + lt.eye(shape[#shape], {dtype = dtype}))
      local p, l, upper = la.lu(y)
      near(p:matmul(l):matmul(upper), x)
      near(la.pinv(y), la.pinv(x))
      if #shape == 2 then
        local b = make(m, 3)
        near((la.lstsq(y, b:to "rocm")), (la.lstsq(x, b)))
      end
    end
  end
  print(wrong, total, emulator.counts().factorizations > 0)
]]

describe("rocSOLVER", function()
  if not there then return pending("make emulator builds what stands in for AMD's libraries") end
  local one = [[print(pcall(lt.linalg.det, lt.eye(3, {device = "rocm"})))]]

  it("factors and solves, for every dtype, in batches", function()
    assert.equal("0\t488\ttrue", run(factors, "lanes=64"))
    assert.equal("0\t488\ttrue", run(factors, "order=lazy,threads=reverse,guard=1"))
  end)

  it("names the matrix that has no result, also if it contains NaN", function()
    assert.equal("inv: matrix 2 of 3 is singular\ncholesky: matrix 2 of 2 is not positive definite (leading minor 1)\n"
      .. "cholesky: matrix 2 of 2 is not positive definite (leading minor 3)\nsvd: matrix has NaN or infinite elements\n"
      .. "eigh: matrix has NaN or infinite elements\n0.0", run([[
      local la, one = lt.linalg, lt.eye(4, {device = "rocm"})
      local nan = one:clone()
      nan[{3, 3} ] = 0 / 0
      print(select(2, pcall(la.inv, lt.stack{one, one * 0, one})))
      print(select(2, pcall(la.cholesky, lt.stack{one, -one})))
      print(select(2, pcall(la.cholesky, lt.stack{one, nan})))
      print(select(2, pcall(la.svd, nan)))
      print(select(2, pcall(la.eigh, nan)))
      print(la.det(one * 0):item())]]))
  end)

  it("computes no eigenvalues of general matrices", function()
    for _, name in ipairs {"eig", "eigvals"} do
      assert.equal(name .. ": not available on rocm:0: rocSOLVER does not compute eigenvalues of general matrices",
        run(("print(select(2, pcall(lt.linalg.%s, lt.eye(2, {device = [[rocm]]}))))"):format(name)))
    end
  end)

  it("fails with its own words, and the next call works", function()
    assert.equal("false\tdet: rocSOLVER: rocblas_status_internal_error (6)\ntrue\t1.0  float32 rocm:0",
      run(one .. one, "fail_solver=1"))
  end)

  it("is not asked on a processor for which rocBLAS has no kernels, at which it would end the process", function()
    assert.equal("false\tdet: not available on rocm:0: rocSOLVER needs kernels of rocBLAS for gfx906, and they are missing",
      run(one, "gcn=gfx906,lanes=64"))
  end)

  it("lacks a function", function()
    for _, symbol in ipairs {"rocsolver_zungqr", "rocblas_set_workspace"} do
      without(symbol, function(path)
        assert.equal(("false\tdet: not available on rocm:0: librocsolver.so has no function %s; a newer ROCm does"):format(symbol),
          run(one, "", "LUATENSOR_ROCM_PATH=" .. path))
      end)
    end
  end)

  it("is not installed", function()
    without("", function(path)
      shell.passes("LD_PRELOAD= rm " .. path .. "/librocsolver.so")
      local output = run(one, "", "LUATENSOR_ROCM_PATH=" .. path)
      assert.truthy(output:find "det: not available on rocm:0: %S*librocsolver%S*: cannot open shared object file %(install "
        .. "ROCm's rocsolver, or name its folder in LUATENSOR_ROCM_PATH%)", output)
    end)
  end)

  it("is installed without rocBLAS", function()
    without("", function(path)
      shell.passes("LD_PRELOAD= rm " .. path .. "/librocblas.so")
      local output = run(one, "", "LUATENSOR_ROCM_PATH=" .. path)
      assert.truthy(output:find("det: not available on rocm:0: librocblas.so: cannot open shared object file", 1, true), output)
    end)
  end)
end)

describe("AMD's Python packages", function()
  if not there then return pending("make emulator builds what stands in for AMD's libraries") end

  it("are found in the active virtual environment", function()
    without("", function(path)
      local packages = path .. "/venv/lib/python3.12/site-packages"
      shell.passes(("LD_PRELOAD= mkdir -p %s/_rocm_sdk_core/lib %s/_rocm_sdk_libraries_gfx90a/lib"):format(packages, packages))
      shell.passes(("LD_PRELOAD= mv %s/*.h %s/_rocm_sdk_core/lib"):format(path, packages))
      shell.passes(("LD_PRELOAD= mv %s/libamdhip64.so %s/_rocm_sdk_core/lib/libamdhip64.so.7"):format(path, packages))
      shell.passes(("LD_PRELOAD= mv %s/rocblas %s/_rocm_sdk_libraries_gfx90a/lib"):format(path, packages))
      for _, name in ipairs {"librocblas.so 5", "libhipfft.so 0"} do
        local file, version = name:match "(%S+) (%S+)"
        shell.passes(("LD_PRELOAD= mv %s/%s %s/_rocm_sdk_libraries_gfx90a/lib/%s.%s"):format(path, file, packages, file, version))
      end
      local status, output = shell.run(("env -u LUATENSOR_ROCM_PATH LUATENSOR_CUDA_PATH=/nowhere LUATENSOR_CACHE=%s "
        .. "LUATENSOR_EMULATOR=lanes=64 VIRTUAL_ENV=%s/venv tools/lua -e '%s'"):format(build .. "/spec/kernels", path, [[
        lt = require "luatensor"
        local x = lt.ones(3, 3, {device = "rocm"})
        print(x:matmul(x):sum():item(), lt.fft.fft(x).dtype, lt.config():match "rocm: ([^;:]*)")]]))
      assert.equal("27.0\tcomplex64\tHIP 5.2, hipRTC 9.0, rocBLAS 2.44, no MIOpen\n", output)
      assert.equal(0, status)
    end)
  end)
end)
