-- tags: host uncollected kernels
-- Tests the CPU's transforms of all lengths up to 300 and of some large lengths. The layouts are one line, lines one
-- after the other, and lines side by side. The oracle is the definition, summed in plain Lua. array/fft_spec.lua tests
-- the arguments of lt.fft.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local it = helpers.drawn_it(it)

local LINES = 9                       -- odd, and more than the 8 complex numbers of the widest vector
local EPSILON = {float32 = 2.0 ^ -24, float64 = 2.0 ^ -53}
local COMPLEX = {float32 = "complex64", float64 = "complex128"}

-- Returns random real and imaginary parts: integers of at most 20 bits, so that float32 represents the sum of two of
-- them exactly.
local function random_parts(n, seed)
  local g = lt.generator{seed = seed}
  local most = 1 << 19
  local function draw() return lt.randint(-most, most, n, {generator = g}):to("float64"):totable() end
  return draw(), draw()
end

-- Returns cos and sin of 2 pi j / n at [j + 1]. The angles are reduced to an eighth of a turn, so that their rounding
-- is negligible.
local function circle(n)
  local c, s = {}, {}
  for j = 0, n - 1 do
    local quarter = (8 * j + n) // (2 * n)
    local angle = (4 * j - quarter * n) * (math.pi / (2 * n))
    local x, y = math.cos(angle), math.sin(angle)
    local turned = {{x, y}, {-y, x}, {-x, -y}, {y, -x}}
    c[j + 1], s[j + 1] = table.unpack(turned[quarter % 4 + 1])
  end
  return c, s
end

-- Adds to a compensated sum (Neumaier), which corrects its rounding errors.
local function add(sum, x)
  local t = sum[1] + x
  sum[2] = sum[2] + (math.abs(sum[1]) >= math.abs(x) and (sum[1] - t) + x or (x - t) + sum[1])
  sum[1] = t
end

-- Returns result k (0-based) of the transform by its definition. Groups of 16 terms are added directly, and the sums of
-- the groups are added with compensation.
local function result(re, im, n, k, c, s)
  local sum_re, sum_im, at = {0.0, 0.0}, {0.0, 0.0}, 0
  for first = 1, n, 16 do
    local a, b = 0.0, 0.0
    for j = first, math.min(first + 15, n) do
      local x, y, cosine, sine = re[j], im[j], c[at + 1], s[at + 1]
      a, b = a + (x * cosine + y * sine), b + (y * cosine - x * sine)
      at = at + k
      if at >= n then at = at - n end
    end
    add(sum_re, a)
    add(sum_im, b)
  end
  return {sum_re[1] + sum_re[2], sum_im[1] + sum_im[2]}
end

local function complex(list, dtype) return lt.tensor(list, {dtype = dtype or "complex128"}) end

local function pairs_of(re, im)
  local list = {}
  for k = 1, #re do list[k] = {re[k], im[k]} end
  return list
end

-- Returns the root mean square of t, for every dtype.
local function size_of(t)
  if t.dtype:find "complex" then
    local wide = t:to("complex128")
    return math.sqrt(lt.mean(lt.real(wide) ^ 2 + lt.imag(wide) ^ 2):item())
  end
  return math.sqrt(lt.mean(t:to("float64") ^ 2):item())
end

-- Returns a message if the error of `got` exceeds the limit, else nil. The error of a good transform grows like the
-- square root of the number of its passes.
local function problem(name, got, want, dtype, n)
  local limit = EPSILON[dtype] * (3 + 2 * math.sqrt(math.log(n, 2)))
  local wide = want.dtype:find "complex" and "complex128" or "float64"
  local e = size_of(got:to(wide) - want) / math.max(size_of(want), 1e-300)
  if e > limit or e ~= e then return ("%s of %s, n = %d: error %g, %g at most"):format(name, dtype, n, e, limit) end
end

-- Applies f to `line` alone, and to LINES multiples of it as rows and as columns. Line k is line * 2^k, so its result
-- is `want` * 2^k.
local function problem_of_layouts(name, f, line, want, dtype, n)
  local scale = 2.0 ^ lt.arange(0, LINES, 1, {dtype = "float64"})
  local rows = (scale:to(dtype):reshape(LINES, 1) * line):contiguous()
  local all = scale:reshape(LINES, 1) * want
  local columns = rows.T:contiguous()
  return problem(name .. ", alone", f(line, 1), want, dtype, n)
    or problem(name .. ", rows", f(rows, 2), all, dtype, n)
    or problem(name .. ", columns", f(columns, 1).T, all, dtype, n)
    or problem(name .. ", rows far apart", f(rows:unsqueeze(2):expand(LINES, 2, line.shape[1]), 3)[{{}, 2}], all, dtype, n)
    or problem(name .. ", columns, strided", f(columns.T, 2), all, dtype, n)
end

-- Derives all expected results from one forward transform z of x, with k counted from 0. The backward transform of x is
-- z[-k mod n] / n. The forward transform of the real parts of x is (z[k] + conj z[-k mod n]) / 2. In the same way,
-- `irfft` of (x[k] + conj x[-k mod n]) / 2 gives the real parts of the backward transform.
local function try(n)
  local re, im = random_parts(n, n)
  local c, s = circle(n)
  local z, backward, of_real, half_of_x, real_again = {}, {}, {}, {}, {}
  for k = 0, n - 1 do z[k + 1] = result(re, im, n, k, c, s) end
  for k = 1, n do
    local m = (n - k + 1) % n + 1
    backward[k] = {z[m][1] / n, z[m][2] / n}
    real_again[k] = backward[k][1]
    if k <= n // 2 + 1 then
      of_real[k] = {(z[k][1] + z[m][1]) / 2, (z[k][2] - z[m][2]) / 2}
      half_of_x[k] = {(re[k] + re[m]) / 2, (im[k] - im[m]) / 2}
    end
  end
  local line = pairs_of(re, im)
  local cases = {
    {"fft", line, complex(z)}, {"ifft", line, complex(backward)}, {"rfft", re, complex(of_real), true},
    {"irfft", half_of_x, lt.tensor(real_again, {dtype = "float64"})}}
  for dtype, complex_dtype in pairs(COMPLEX) do
    for _, case in ipairs(cases) do
      local name, x, want, is_real = table.unpack(case, 1, 4)
      local length = name == "irfft" and n or nil
      local wrong = problem_of_layouts(name, function(t, d) return lt.fft[name](t, length, d) end,
        lt.tensor(x, {dtype = is_real and dtype or complex_dtype}), want, dtype, n)
      if wrong then return wrong end
    end
  end
end

describe("transforms of every length,", function()
  for first = 1, 300, 50 do
    it(("%d to %d"):format(first, first + 49), function()
      for n = first, first + 49 do
        local wrong = try(n)
        assert(not wrong, wrong)
      end
    end)
  end

  it("and of powers, products and primes beyond", function()
    for _, n in ipairs {343, 384, 509, 512, 640, 729, 1000, 1009, 1139} do
      local wrong = try(n)
      assert(not wrong, wrong)
    end
  end)
end)

-- Short contiguous lines are transposed in vectors that extend into the next line. The oracle transforms columns, which
-- are not transposed.
describe("transforms of many short lines", function()
  for dtype, complex_dtype in pairs(COMPLEX) do
    it("of " .. dtype, function()
      for n = 1, 16 do
        for _, lines in ipairs {17, 40, 3001} do
          local real = lt.randn({lines, n}, {dtype = dtype})
          local x = lt.complex(real, lt.randn({lines, n}, {dtype = dtype}))
          assert.equal(complex_dtype, x.dtype)
          for name, input in pairs {fft = x, ifft = x, rfft = real} do
            local got = lt.fft[name](input, nil, 2)
            local want = lt.fft[name](input.T:contiguous(), nil, 1).T
            local off = (got - want):abs():max():item()
            assert(off <= 20 * lt.finfo(dtype).eps * n, ("%s of %d lines of %d: off by %g"):format(name, lines, n, off))
          end
        end
      end
    end)
  end
end)

-- For large lengths, some results are checked by the definition, and all of them by the inverse transform.
local function try_great(n)
  local re, im = random_parts(n, n)
  local c, s = circle(n)
  local g = lt.generator{seed = n}
  local picked = lt.randint(1, n, 4, {generator = g}):totable()
  picked[5], picked[6] = 1, n
  local want = {}
  for i, k in ipairs(picked) do want[i] = result(re, im, n, k - 1, c, s) end
  for dtype, complex_dtype in pairs(COMPLEX) do
    local x = complex(pairs_of(re, im), complex_dtype)
    local y = lt.fft.fft(x)
    local wrong = problem("fft", lt.take(y, lt.tensor(picked, {dtype = "int64"}), 1), complex(want), dtype, n)
      or problem("ifft of fft", lt.fft.ifft(y), x:to("complex128"), dtype, n)
    local r = lt.tensor(re, {dtype = dtype})
    local h = lt.fft.rfft(r)
    local full = lt.fft.fft(r:to(complex_dtype))[{{1, n // 2 + 1}}]
    wrong = wrong or problem("rfft", h, full:to("complex128"), dtype, n)
      or problem("irfft of rfft", lt.fft.irfft(h, n), r:to("float64"), dtype, n)
    if wrong then return wrong end
  end
end

describe("transforms of great lengths:", function()
  for _, n in ipairs {4096, 10007, 12000, 19683, 65536, 131074, 100003, 262144} do
    it(tostring(n), function()
      local wrong = try_great(n)
      assert(not wrong, wrong)
    end)
  end
end)

describe("whatever the number of threads", function()
  local threads = lt.get_num_threads()
  teardown(function() lt.set_num_threads(threads) end)

  it("results are the same", function()
    local g = lt.generator{seed = 1}
    local line, rows = lt.randn(262144, {generator = g}), lt.randn(300, 300, {generator = g})
    local function results()
      return lt.fft.rfft(line):to_bytes() .. lt.fft.fft(line):to_bytes() .. lt.fft.fft2(rows):to_bytes()
    end
    lt.set_num_threads(1)
    local one = results()
    lt.set_num_threads(3)
    assert.is_true(one == results())
  end)
end)

describe("tables of transforms", function()
  it("count as cached memory, and go with it", function()
    lt.empty_cache()
    local before = lt.memory().cached
    lt.fft.fft(lt.ones(1009))
    assert.is_true(lt.memory().cached > before + 2 * 1009 * 8)
    lt.empty_cache()
    assert.is_true(lt.memory().cached <= before)
  end)
end)

describe("lines next to", function()
  it("each other do not mix: NaN stays in its own", function()
    for _, shape in ipairs {{6, 30}, {12, 30}, {3, 1024}, {5, 67}, {5, 15}} do
      local x = lt.ones(shape)
      x[3] = 0 / 0
      for _, f in ipairs {"fft", "rfft"} do
        local bad = lt.isnan(lt.real(lt.fft[f](x)))
        assert.equal(bad.shape[2], lt.count_nonzero(bad):item())
        assert.equal(bad.shape[2], lt.count_nonzero(bad[3]):item())
        local columns = lt.isnan(lt.real(lt.fft[f](x.T:contiguous(), nil, 1)))
        assert.equal(bad.shape[2], lt.count_nonzero(columns):item())
      end
    end
  end)
end)
