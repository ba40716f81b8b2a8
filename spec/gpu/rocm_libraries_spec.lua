-- tags: process divided
-- Tests AMD's libraries on the emulated GPU: rocBLAS, hipFFT, rocSOLVER and MIOpen give what the CPU gives.
-- Tests what happens if a library or one of its functions is missing. The specs of products, of transforms, of lt.linalg and of
-- convolutions run on the device, too (make test-emulated).
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local without, without_library = gpu.without, gpu.without_library

-- Runs code with the emulated libraries in the folder `path`. In the code, global emulator has the functions of
-- gpu.emulator. Returns the output.
local function run(code, settings, path, more)
  local module = "emulator = package.loadlib([[%s/emulator_hip.so]], [[luaopen_emulator]])() %s"
  local status, output = gpu.run_on_amd(module:format(path or gpu.folder, code), settings, path, more)
  assert.equal(0, status, output)
  return output
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
  if not gpu.amd_is_emulated then return pending("make emulator builds what stands in for AMD's libraries") end

  it("multiplies matrices of every dtype, in every order and in batches", function()
    assert.equal("0\ttrue", run(products))
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
    local output = run("print(lt.devices()[2].software, lt.config())" .. products, "gcn=gfx906,lanes=64")
    assert.truthy(output:find("HIP 5.2, hipRTC 9.0, no rocBLAS, no MIOpen\t", 1, true), output)
    assert.truthy(output:find("rocBLAS has no kernels for gfx906: matrix products take luatensor's own kernels", 1, true), output)
    assert.truthy(output:find "0\tfalse$", output)
    local path = shell.folder()
    shell.write(path .. "/Kernels.so-000-gfx906.hsaco", "")
    shell.write(path .. "/TensileLibrary_lazy_gfx906.dat", "")
    assert.equal("0\ttrue", run(products, "gcn=gfx906,lanes=64", nil, "ROCBLAS_TENSILE_LIBPATH=" .. path))
    shell.passes("LD_PRELOAD= rm -r " .. path)
  end)

  it("is used in a folder whose name has characters of patterns", function()
    without("", function(path)
      local strange = path .. "/a[b]*?"
      shell.passes(([[LD_PRELOAD= mkdir '%s' && cd %s && mv *.h lib* rocblas emulator* '%s']]):format(strange, path, strange))
      shell.passes(([[ROCM_PATH=/nowhere LUATENSOR_BLAS=always LUATENSOR_CUDA_PATH=/nowhere LUATENSOR_EMULATOR=lanes=64 \
        LUATENSOR_ROCM_PATH='%s' tools/lua -e 'local lt = require "luatensor"
        assert(lt.config():find("rocm: HIP 5.2, hipRTC 9.0, rocBLAS 2.44", 1, true))']]):format(strange))
    end)
  end)

  it("is not used if its file is incomplete, at which the loader would end the process", function()
    without("", function(path)
      shell.passes(("LD_PRELOAD= truncate -s -5000 %s/librocblas.so"):format(path))
      local output = run("print(lt.config())", nil, path)
      assert.truthy(output:find(path .. "/librocblas.so: the file is not whole", 1, true), output)
    end)
  end)

  it("is not used if it is of another ROCm than HIP", function()
    without("", function(path)
      shell.passes(("LD_PRELOAD= mv %s/librocblas.so %s/librocblas.so.3"):format(path, path))
      local code = [[print(lt.devices()[2].software:match "HIP.*BLAS")]]
      assert.equal("HIP 5.7, hipRTC 9.0, rocBLAS", run(code, "hip=50700000", path))
      assert.equal("HIP 7.0, hipRTC 9.0, no rocBLAS", run(code, "hip=70000000", path))
    end)
  end)

  it("lacks a function, and luatensor's own kernels multiply", function()
    for _, symbol in ipairs {"rocblas_set_atomics_mode", "rocblas_set_workspace"} do
      without(symbol, function(path)
        local output = run([[print(lt.config())]] .. products, nil, path)
        assert.truthy(output:find("librocblas.so has no function " .. symbol .. "; a newer ROCm does", 1, true), output)
        assert.truthy(output:find "0\tfalse$", output)
      end)
    end
  end)

  it("is not installed, and luatensor's own kernels multiply", function()
    without_library("librocblas.so", function(path)
      local output = run([[print(lt.config())]] .. products, nil, path)
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
  if not gpu.amd_is_emulated then return pending("make emulator builds what stands in for AMD's libraries") end
  local one = [[print(pcall(lt.fft.fft, lt.ones(3, {device = "rocm"})))]]

  it("transforms real and complex numbers of both precisions, along one and several dims", function()
    assert.equal("0\ttrue", run(transforms))
  end)

  it("fails with its own words", function()
    assert.truthy(run(one, "fail_fft=1"):find("hipFFT: setup failed (7)", 1, true))
  end)

  it("is too old", function()
    without("hipfftXtExec", function(path)
      local output = run(one, nil, path)
      assert.truthy(output:find("fft: not available on rocm:0: libhipfft.so has no function hipfftXtExec; "
        .. "that of ROCm 5.6 does", 1, true), output)
    end)
  end)

  it("is not installed", function()
    without_library("libhipfft.so", function(path)
      local output = run(one, nil, path)
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
  if not gpu.amd_is_emulated then return pending("make emulator builds what stands in for AMD's libraries") end
  local one = [[print(pcall(lt.linalg.det, lt.eye(3, {device = "rocm"})))]]

  it("factors and solves, for every dtype, in batches", function()
    for _, settings in ipairs(helpers.in_turn {"lanes=64", "order=lazy,threads=reverse,guard=1"}) do
      assert.equal("0\t488\ttrue", run(factors, settings))
    end
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

  it("does not start, because rocBLAS does not, and the next call works", function()
    assert.equal("false\tdet: rocSOLVER: rocblas_status_internal_error (6)\ntrue\t1.0  float32 rocm:0",
      run(one .. one, "fail_handle=1"))
  end)

  it("lacks a function", function()
    for _, symbol in ipairs {"rocsolver_zungqr", "rocblas_set_workspace"} do
      without(symbol, function(path)
        assert.equal(("false\tdet: not available on rocm:0: librocsolver.so has no function %s; a newer ROCm does"):format(symbol),
          run(one, nil, path))
      end)
    end
  end)

  it("is not installed", function()
    without_library("librocsolver.so", function(path)
      local output = run(one, nil, path)
      assert.truthy(output:find "det: not available on rocm:0: %S*librocsolver%S*: cannot open shared object file %(install "
        .. "ROCm's rocsolver, or name its folder in LUATENSOR_ROCM_PATH%)", output)
    end)
  end)

  it("is installed without rocBLAS", function()
    without_library("librocblas.so", function(path)
      local output = run(one, nil, path)
      assert.truthy(output:find("det: not available on rocm:0: librocblas.so: cannot open shared object file", 1, true), output)
    end)
  end)
end)

-- Compares convolutions of one and two dims and their gradients on the GPU with float64 on the CPU. Prints how many
-- results are wrong, how many were compared, and how many convolutions MIOpen computed.
local convolutions = [[
  lt.manual_seed(1)
  local F = require("luatensor.nn").functional
  local eps = {float16 = 2^-9, bfloat16 = 2^-6, float32 = 2^-20, float64 = 2^-48}
  local wrong, total = 0, 0
  local function near(got, want, scale, dtype)
    local far = ((got:to("cpu"):to("float64") - want):abs() / scale):max():item()
    total = total + 1
    if not (far <= eps[dtype] and got.dtype == dtype) then wrong = wrong + 1 end
  end
  -- Returns y and the gradients of x, w and the bias.
  local function all(name, leaves, g, options)
    for i, leaf in ipairs(leaves) do leaves[i] = leaf:detach():requires_grad_() end
    local y = F[name](leaves[1], leaves[2], leaves[3], options)
    y:backward(g)
    return {y:detach(), leaves[1].grad, leaves[2].grad, leaves[3].grad}
  end
  local function compare(name, x, w, options)
    local before = emulator.counts().convolutions
    local bias = lt.randn(name:find "transpose" and w[2] * (options.groups or 1) or w[1])
    for _, dtype in ipairs(dtypes) do
      local leaves, theirs, sizes = {lt.randn(x), lt.randn(w), bias}, {}, {}
      for i, leaf in ipairs(leaves) do
        theirs[i] = leaf:to(dtype):to "rocm"
        leaves[i] = leaf:to(dtype):to "float64"
        sizes[i] = leaves[i]:abs()
      end
      local g = lt.randn(F[name](leaves[1], leaves[2], leaves[3], options).shape):to(dtype)
      local got = all(name, theirs, g:to "rocm", options)
      local want, scale = all(name, leaves, g:to "float64", options), all(name, sizes, g:to("float64"):abs(), options)
      for i in ipairs(want) do near(got[i], want[i], scale[i] + 1e-3, dtype) end
    end
  end
  compare("conv1d", {2, 5, 9}, {6, 5, 3}, {padding = 1})
  compare("conv1d", {3, 10, 11}, {10, 5, 4}, {stride = 2, dilation = 2, groups = 2})
  compare("conv2d", {2, 5, 6, 7}, {6, 5, 3, 3}, {padding = 1})
  compare("conv2d", {3, 6, 9, 8}, {7, 6, 3, 2}, {stride = {2, 3}, dilation = {2, 1}, padding = {2, 0}})
  compare("conv2d", {2, 12, 5, 6}, {10, 6, 3, 3}, {groups = 2, padding = 1, dilation = 2})
  compare("conv2d", {1, 5, 4, 6}, {7, 5, 1, 1}, {})
  compare("conv_transpose1d", {2, 6, 7}, {6, 5, 3}, {stride = 2, padding = 1})
  compare("conv_transpose2d", {2, 10, 5, 4}, {10, 5, 3, 3}, {groups = 2, padding = 1})
  print(wrong, total, emulator.counts().convolutions)
]]
local floats = [[local dtypes = {"float16", "bfloat16", "float32"} ]] .. convolutions

describe("MIOpen", function()
  if not gpu.amd_is_emulated then return pending("make emulator builds what stands in for AMD's libraries") end
  local once = [[
    local F = require("luatensor.nn").functional
    local x, w = lt.ones({1, 5, 3, 3}, {device = "rocm"}), lt.ones({1, 5, 2, 2}, {device = "rocm"})
    print(pcall(function() return F.conv2d(x, w)[{1, 1, 1, 1} ]:item() end)) ]]
  local asked = "print(emulator.counts().convolutions, lt.config()) "

  it("computes y and all gradients, for every dtype but float64, with strides, dilations and groups", function()
    assert.equal("0\t96\t72", run(floats))
    assert.equal("0\t96\t72", run(floats, "order=lazy,threads=reverse,guard=1"))
    assert.equal("0\t96\t72", run(floats, nil, nil, "MIOPEN_DEBUG_CONVOLUTION_DETERMINISTIC=1"))
  end)

  it("leaves float64 to luatensor's own kernels", function()
    assert.equal("0\t32\t0", run([[local dtypes = {"float64"} ]] .. convolutions))
  end)

  it("leaves convolutions for which it has no solution to luatensor's own kernels", function()
    assert.equal("0\t96\t0", run(floats, "dnn=unsupported,lanes=64"))
  end)

  it("gives the same bits in every run, also for gradients", function()
    local code = [[
      local F = require("luatensor.nn").functional
      local x, w = lt.arange(160):to("%s"):view(1, 10, 4, 4):to("rocm"), lt.arange(360):to("%s"):view(4, 10, 3, 3):to("rocm")
      x, w = (x / 7):requires_grad_(), (w / 3 - 50):requires_grad_()
      local first
      for _ = 1, 3 do
        x.grad, w.grad = nil, nil
        local y = F.conv2d(x, w)
        y:backward(y:detach())
        local bits = y:detach():to_bytes() .. x.grad:to_bytes() .. w.grad:to_bytes()
        first = first or bits
        print(bits == first)
      end]]
    for _, dtype in ipairs {"float16", "float32"} do assert.equal("true\ntrue\ntrue", run((code:gsub("%%s", dtype)))) end
  end)

  it("multiplies float32 as float32 if TF32 is allowed", function()
    assert.equal(tostring(5 * (1 + 2^-20)), run([[
      lt.set_matmul_precision("tf32")
      local F = require("luatensor.nn").functional
      local x = lt.full({1, 5, 2, 2}, 1 + 2^-20, {device = "rocm"})
      print(F.conv2d(x, lt.ones({5, 5, 1, 1}, {device = "rocm"}))[{1, 1, 1, 1} ]:item())]]))
  end)

  it("stays within LUATENSOR_CONV_MEMORY, or luatensor's own kernels compute", function()
    assert.truthy(run(once .. asked, nil, nil, "LUATENSOR_CONV_MEMORY=4000"):find "^true\t20.0\n1\t")
    assert.truthy(run(once .. asked, nil, nil, "LUATENSOR_CONV_MEMORY=3999"):find "^true\t20.0\n0\t")
  end)

  it("cannot compile a solution, and luatensor's own kernels compute", function()
    local output = run(once .. asked, nil, nil, "LUATENSOR_CONV_MEMORY=3999")      -- leaves one solution, which does not compile
    assert.truthy(output:find("MIOpen does not compile a convolution on rocm:0: miopenStatusInternalError: it takes "
      .. "luatensor's own kernels", 1, true), output)
  end)

  it("gets no memory for its workspace", function()
    local function with(memory) return run(once, "memory=" .. memory, nil, "LUATENSOR_GPU_CACHE=off") end
    assert.truthy(with("16K"):find "^false\tout of memory on rocm:0: scratch of conv; 276 bytes live in 3 tensors")
    assert.equal("true\t20.0", with "20K")
  end)

  it("fails with its own words, and the next call works", function()
    assert.truthy(run(once .. once, "fail_dnn=1"):find "^false\t.*conv2d: MIOpen: miopenStatusUnknownError %(7%)\ntrue\t20.0$")
  end)

  it("does not start, and luatensor's own kernels compute", function()
    local output = run(once .. asked, "dnn=broken")
    assert.truthy(output:find "^true\t20.0\n0\t", output)
    assert.truthy(output:find("MIOpen does not start on rocm:0: miopenStatusNotInitialized: convolutions take luatensor's own kernels",
      1, true), output)
  end)

  it("is not asked on a processor for which rocBLAS has no kernels, at which it would end the process", function()
    local output = run(once .. asked, "gcn=gfx906,lanes=64")
    assert.truthy(output:find "^true\t20.0\n0\t", output)
    assert.truthy(output:find("no MIOpen", 1, true), output)
    assert.truthy(output:find("MIOpen needs kernels of rocBLAS for gfx906, and they are missing: convolutions take "
      .. "luatensor's own kernels", 1, true), output)
  end)

  it("is turned off, too old or not complete, and luatensor's own kernels compute", function()
    local function says(words, ...)
      local output = run(once .. asked, ...)
      assert.truthy(output:find "^true\t20.0\n0\t", output)
      assert.truthy(output:find("no MIOpen", 1, true), output)
      assert.truthy(output:find(words, 1, true), output)
    end
    says("LUATENSOR_MIOPEN=off: convolutions take luatensor's own kernels", nil, nil, "LUATENSOR_MIOPEN=off")
    says("MIOpen 2.17 may give other bits in every run; that of ROCm 5.3 does not: convolutions take luatensor's own kernels",
      "dnn=old")
    for _, symbol in ipairs {"miopenSetConvolutionAttribute", "miopenConvolutionBackwardWeightsImmediate"} do
      without(symbol, function(path) says("libMIOpen.so has no function " .. symbol .. "; a newer ROCm does", nil, path) end)
    end
    without_library("libMIOpen.so", function(path)
      says("(convolutions take luatensor's own kernels: install MIOpen, or name its folder in LUATENSOR_ROCM_PATH)", nil, path)
    end)
    without_library("librocblas.so", function(path) says("librocblas.so: cannot open shared object file", nil, path) end)
  end)
end)

describe("AMD's Python packages", function()
  if not gpu.amd_is_emulated then return pending("make emulator builds what stands in for AMD's libraries") end

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
      local status, output = shell.run((gpu.only("rocm", "hip=70000000,lanes=64") .. " env -u LUATENSOR_ROCM_PATH "
        .. "VIRTUAL_ENV=%s/venv tools/lua -e '%s'"):format(path, [[
        lt = require "luatensor"
        local x = lt.ones(3, 3, {device = "rocm"})
        print(x:matmul(x):sum():item(), lt.fft.fft(x).dtype, lt.config():match "rocm: ([^;:]*)")]]))
      assert.equal("27.0\tcomplex64\tHIP 7.0, hipRTC 9.0, rocBLAS 2.44, no MIOpen\n", output)
      assert.equal(0, status)
    end)
  end)
end)
