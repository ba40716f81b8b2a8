-- tags: unplugged
-- Fourier transforms, linear algebra, searches, complex numbers from parts, and reductions with option `out` wait in compiled
-- functions, and give the same bits as outside. So do checks of classes, probabilities and matrices, whose errors name their
-- lines.
local lt = require "luatensor"
local compiling = require "spec.support.compiled"
local helpers = require "spec.support.helpers"

local check, with_gradients = compiling.check, compiling.with_gradients
local on_cpu = helpers.device == "cpu"
local functional, linalg = lt.nn.functional, lt.linalg

local function random(shape, dtype) return (lt.randn(shape) * 2):to(dtype) end
local function numbers(list) return lt.tensor(list, {device = helpers.device, dtype = "int64"}) end

-- Returns matrices that are symmetric and positive definite.
local function definite(x) return x:matmul(x.mT) + lt.eye(x.shape[x.ndim], {dtype = x.dtype, device = x.device}) end

describe("compiled functions run as one list with", function()
  for _, dtype in ipairs {"float32", "complex64", "int32"} do
    it("Fourier transforms of " .. dtype, function()
      check(function(x)
        local y = lt.fft.fftn(x + 1)
        local out = y * 0
        lt.fft.ifft2(y[1] * 2, {out = out[1]})
        return y + 1, lt.fft.fft(x * 2, 7, 1, {norm = "ortho"}), lt.fft.hfft(x - 1), out, lt.fft.ifftn(y)
      end, {random({2, 3, 4}, dtype)})
    end)
  end

  it("Fourier transforms of real numbers, with gradients", function()
    check(with_gradients(function(x) return lt.fft.irfft(lt.fft.rfft(x) * 2) + lt.fft.rfft2(x):abs():sum() end),
          {random({3, 4}, "float64")})
  end)

  local linear = {
    solve = function(a, b) return linalg.solve(a, b) end,
    inv = function(a) return linalg.inv(a) end,
    ["det and slogdet"] = function(a)
      local sign, log = linalg.slogdet(a)
      return linalg.det(a) + sign * log
    end,
    cholesky = function(a) return linalg.cholesky(definite(a)) + linalg.cholesky(definite(a), {upper = true}) end,
    ["eigh and eigvalsh"] = function(a)
      local values, vectors = linalg.eigh(definite(a))
      return vectors:abs() * values:expand_dims(-2) + linalg.eigvalsh(a):sum()
    end,
    ["svd, svdvals and pinv"] = function(a, b)
      local u, s, v = linalg.svd(b, {full_matrices = false})
      return u:abs() * s:expand_dims(-2) + linalg.svdvals(a):sum() + v:abs():sum() + linalg.pinv(b):sum()
    end,
    qr = function(a, b)
      local q, r = linalg.qr(a)
      return q:matmul(r) + linalg.qr(b, {mode = "complete"}):sum()
    end,
    ["lu and lu_solve"] = function(a, b)
      local lu, pivots = linalg.lu_factor(a)
      local _, l, u = linalg.lu(a)
      return linalg.lu_solve(lu, pivots, b) + l:sum() + u:sum()
    end,
    lstsq = function(a) return (linalg.lstsq(a, a * 2)) end,
    eig = function(a)
      local values, vectors = linalg.eig(a)
      return values:abs() + vectors:abs():sum() + linalg.eigvals(a):real():sum()
    end,
  }
  if not on_cpu then linear = {solve = linear.solve, cholesky = linear.cholesky} end

  for name, f in pairs(linear) do
    it(name, function()
      check(function(a, b)
        local y = f(a * 2, b + 1)
        return y + 1, a + b
      end, {random({2, 3, 3}, "float32"), random({2, 3, 3}, "float32")})
    end)
  end

  it("solutions and inverses, with gradients", function()
    check(with_gradients(function(a, b) return linalg.solve(definite(a), b) + linalg.inv(definite(b)) end),
          {random({3, 3}, "float64"), random({3, 3}, "float64")})
  end)

  it("matrices of another default dtype than that at the end of the call", function()
    local default = lt.get_default_dtype()
    check(function(x)
      lt.set_default_dtype "float64"
      local y, z = linalg.inv(x + 2), lt.fft.fft(x * 2)
      lt.set_default_dtype(default)
      return y, z
    end, {numbers {{1, 2}, {3, 5}}})
  end)

  it("searches in sorted rows", function()
    check(function(x, values)
      local row = (x * 2):sort(2)
      return lt.searchsorted(row, values + 1) * 2, lt.searchsorted(row[1] + 1, 0, {side = "right"}),
             lt.searchsorted(x[1], values, {sorter = x[1]:argsort()})
    end, {random({2, 5}, "float32"), random({2, 3}, "float64")})
  end)

  it("complex numbers from parts, and their parts", function()
    check(function(x, y)
      local z = lt.complex(x * 2, y) + lt.complex(0, 1)
      local pairs_of_z, w = z:view_as_real(), lt.complex(x, 1) * 1
      w:real():add_(y)
      w:imag():copy_(pairs_of_z[{{}, {}, 1}])
      return z:real() + z:imag(), pairs_of_z * 2, w, (pairs_of_z + 1):view_as_complex() * z, x:imag() + x:real()
    end, {random({2, 3}, "float32"), random({2, 3}, "float32")})
  end)

  it("parts of complex tensors that are joined from pieces", function()
    local function join(x, y)
      local z = lt.concat({lt.complex(x, y), lt.complex(y, x)}, 1)
      return z[{{3, 3}, {2, 2}}]:real() + 1, z * 3, lt.stack({x, y}, 3):view_as_complex() * 2
    end
    check(function(x, y)
      local a, b, c = join(x, y)
      collectgarbage()
      return a, b, c
    end, {random({2, 2}, "float32"), random({2, 2}, "float32")})
  end)

  for _, dtype in ipairs(on_cpu and {"float32", "float16", "int32"} or {"float32"}) do
    it("reductions, scans and softmax with option out, of " .. dtype, function()
      check(function(x, out, total)
        local y = x * 2 + 1
        y:sum(1, {out = out[{1, 1}]})
        y:argmax(2, {out = total})
        y:mean({dtype = "float64", out = out[{2, 3, 1}]})
        lt.cumulative_sum(x, 1, {out = out[{2}]})
        y:to("float32"):softmax(2, {out = out[{1}]})
        y:max(2, {keepdim = true, out = x[{{}, {2, 2}}]})            -- the chain before the reduction reads x
        lt.cumulative_max(x, 1, {out = x})
        return y + out[{1}], out:sum(), total + 1
      end, {random({4, 300}, dtype), lt.zeros({2, 4, 300}, {dtype = "float64"}), numbers {0, 0, 0, 0}})
    end)
  end

  it("a reduction that writes to what its long chain reads", function()
    check(function(x)
      local y = x * 2 + 1
      y:sum(2, {out = x[{9, {11, 19}}]})
      return x:sum()
    end, {random({9, 5000}, "float32")})
  end)

  it("tensors without elements", function()
    check(function(x)
      local y, none = x + 1, x[{{1, 0}}] * 2
      none:add_(1)
      return y * 2, none:sum(1), none:cumulative_sum(1), lt.concat {none, y}
    end, {random({3, 2}, "float32")})
  end)

  it("checks of classes and probabilities", function()
    check(function(x)
      local classes, p = numbers {1, 3, 2}, lt.sigmoid(x * 2)
      return functional.binary_cross_entropy(p, p * 0.5), functional.nll_loss(x + 1, classes * 1), functional.one_hot(classes, 3),
             functional.nll_loss(x, numbers {1, -100, 2} * 1),
             functional.embedding(classes + 0, x * 2)
    end, {random({3, 3}, "float32")})
  end)
end)

if on_cpu then
  describe("compiled functions find late that", function()
    local logits = "probabilities from 0 to 1 expected; of numbers without limits take binary_cross_entropy_with_logits"

    -- Each case: the message behind the line, and a function that makes the wrong call.
    local cases = {
      {"solve: matrix is singular", function(z, mark)
        mark()
        linalg.solve(z[{{1, 3}}] * 0, z[1])
      end},
      {"inv: matrix 2 of 3 is singular", function(z, mark)
        local matrices = lt.stack {z[{{1, 3}}] + 4 * lt.eye(3), z[{{1, 3}}] * 0, lt.eye(3)}
        mark()
        linalg.inv(matrices)
      end},
      {"cholesky: matrix is not positive definite (leading minor 2)", function(z, mark)
        local m = lt.eye(3) * (z[1] + 1):less(2)
        m[{1, 1}] = 1
        mark()
        linalg.cholesky(m)
      end},
      {"svdvals: matrix has NaN or infinite elements", function(z, mark)
        mark()
        linalg.svdvals(z / 0)
      end},
      {"binary_cross_entropy: " .. logits, function(z, mark)
        mark()
        functional.binary_cross_entropy(z, z)
      end},
      {"cross_entropy: class 4 is out of range: classes are 1 … 3", function(z, mark)
        mark()
        functional.cross_entropy(z, numbers {1, 1, 3, 4}, {label_smoothing = 0.1})
      end},
      {"nll_loss: class -1 is out of range: classes are 1 … 3", function(z, mark)
        mark()
        functional.nll_loss(z, numbers {1, -100, -1, 4})
      end},
      {"embedding: index -1 is out of range: 1 … 4", function(z, mark)
        mark()
        functional.embedding(numbers {2, -1}, z)
      end},
      {"one_hot: class 4 is out of range: 1 … 3", function(_, mark)
        mark()
        functional.one_hot(numbers {2, 4}, 3)
      end},
      {"quantile: q: a value is outside [0, 1]", function(z, mark)
        mark()
        z:quantile(z[1] + 0.5)
      end},
      {"multinomial: 2 of 1 positions with a weight asked for; use replacement = true", function(z, mark)
        mark()
        z[{1, {1, 2}}]:multinomial(2)
      end},
    }
    local x = lt.arange(12, {dtype = "float32"}):reshape(4, 3)

    for _, case in ipairs(cases) do
      it(case[1], function() compiling.check_late(x, case[1], case[2]) end)
    end

    it("a module's index is out of range", function()
      local model = lt.nn.Sequential(lt.nn.Embedding(3, 4))
      local ok, why = pcall(lt.compile(function(i) return model(i + 1) end), numbers {1, 3})
      assert.falsy(ok)
      assert.truthy(why:find("libraries_spec.lua:%d+: 1 %(Embedding%(3, 4%)%): index 4 is out of range: 1 … 3$"), why)
    end)

    it("no probability is wrong if some are NaN", function()
      local f = lt.compile(function(p) return functional.binary_cross_entropy(p * 1, p, {reduction = "none"}) end)
      assert.truthy(f(lt.tensor {0.5, 0 / 0}):isnan():equal(lt.tensor {false, true}):all():item())
    end)
  end)
end
