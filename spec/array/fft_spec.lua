-- tags: lanes
-- Compares lt.fft with the definition (a plain sum in this file), with NumPy (spec/data/make_fft.py), and with
-- identities.
local helpers = require "spec.support.helpers"
local lt = require "luatensor"

local fails = helpers.fails
local device = helpers.device

-- ---- arrays: {shape, re = {…}, im = {…}} in row-major order --------------------------------------

local function count_of(shape)
  local n = 1
  for _, d in ipairs(shape) do n = n * d end
  return n
end

local function copy_shape(shape) return table.move(shape, 1, #shape, 1, {}) end

-- Returns a tensor as an array {shape =, re =, im =}, with the elements in row-major order.
local function array_of(t)
  local a = {shape = {}, re = {}, im = {}}
  for d = 1, t.ndim do a.shape[d] = t.shape[d] end
  local wide = t:to("complex128")
  if t.size > 0 then
    for i, z in ipairs(wide:reshape(t.size):totable()) do a.re[i], a.im[i] = z[1], z[2] end
  end
  return a
end

-- Applies f(re, im), which takes and returns lists of elements, to each line along dim d.
local function along(a, d, f)
  local shape, inner = a.shape, 1
  for k = d + 1, #shape do inner = inner * shape[k] end
  local n, result = shape[d], {shape = copy_shape(shape), re = {}, im = {}}
  for line = 0, count_of(shape) // math.max(n, 1) - 1 do
    local at, re, im = line // inner * n * inner + line % inner, {}, {}
    for i = 1, n do re[i], im[i] = a.re[at + (i - 1) * inner + 1], a.im[at + (i - 1) * inner + 1] end
    local to_re, to_im = f(re, im)
    at, result.shape[d] = line // inner * #to_re * inner + line % inner, #to_re
    for i = 1, #to_re do
      result.re[at + (i - 1) * inner + 1], result.im[at + (i - 1) * inner + 1] = to_re[i], to_im[i]
    end
  end
  return result
end

-- Returns the first n elements, or all elements and zeros if there are fewer than n.
local function fit(re, im, n)
  local to_re, to_im = {}, {}
  for i = 1, n do to_re[i], to_im[i] = re[i] or 0.0, im[i] or 0.0 end
  return to_re, to_im
end

-- Returns the list of y[k] = Σⱼ x[j] exp(sign · 2 π i j k / n), for 0 ≤ j, k < n, where x = re + i im has n elements.
local function sums(re, im, sign)
  local n, to_re, to_im = #re, {}, {}
  for k = 0, n - 1 do
    local sum_re, sum_im = 0.0, 0.0
    for j = 0, n - 1 do
      local angle = 2 * math.pi * (j * k % n) / n
      local c, s = math.cos(angle), sign * math.sin(angle)
      sum_re = sum_re + re[j + 1] * c - im[j + 1] * s
      sum_im = sum_im + re[j + 1] * s + im[j + 1] * c
    end
    to_re[k + 1], to_im[k + 1] = sum_re, sum_im
  end
  return to_re, to_im
end

local function complex_line(n, sign)
  return function(re, im)
    re, im = fit(re, im, n)
    return sums(re, im, sign)
  end
end

local function real_line(n, sign)
  return function(re, im)
    re, im = complex_line(n, sign)(re, im)
    return fit(re, im, n // 2 + 1)
  end
end

-- Returns a function that computes n real elements from the first n // 2 + 1 elements of their transform. The other
-- elements of the transform are the conjugates of these.
local function hermitian_line(n, sign)
  return function(re, im)
    re, im = fit(re, im, n // 2 + 1)
    im[1] = 0.0
    if n % 2 == 0 then im[n // 2 + 1] = 0.0 end
    for k = 1, (n - 1) // 2 do re[n - k + 1], im[n - k + 1] = re[k + 1], -im[k + 1] end
    re = sums(re, im, sign)
    return fit(re, {}, n)
  end
end

-- For each function of lt.fft: the transform of the last dim, the sign of the exponent, and the value of option norm
-- for which the result is divided by the number of elements. real_in and real_out are true if the input or the result
-- is real, half_in if the input is half of a spectrum, and many if the function takes several dims.
local functions = {
  fft = {complex_line, -1, "forward"}, ifft = {complex_line, 1, "backward"},
  rfft = {real_line, -1, "forward", real_in = true}, irfft = {hermitian_line, 1, "backward", half_in = true, real_out = true},
  hfft = {hermitian_line, -1, "forward", half_in = true, real_out = true}, ihfft = {real_line, 1, "backward", real_in = true},
  fftn = {complex_line, -1, "forward", many = true}, ifftn = {complex_line, 1, "backward", many = true},
  rfftn = {real_line, -1, "forward", many = true, real_in = true},
  irfftn = {hermitian_line, 1, "backward", many = true, half_in = true, real_out = true},
}

-- Returns the expected result for array a, with lengths n along dims d, and the product of these lengths.
local function expected(name, a, n, d, norm)
  local f, total = functions[name], 1
  local steps = {}
  for i = 1, #d do
    total = total * n[i]
    steps[i] = i == #d and {d[i], f[1](n[i], f[2])} or {d[i], complex_line(n[i], f[2])}
  end
  -- The step that keeps half of real lines comes first; the step that makes real lines comes last.
  if f.real_in then table.insert(steps, 1, table.remove(steps)) end
  for _, step in ipairs(steps) do a = along(a, step[1], step[2]) end
  local scale = norm == "ortho" and total ^ -0.5 or norm == f[3] and 1 / total or 1
  for i = 1, #a.re do a.re[i], a.im[i] = a.re[i] * scale, a.im[i] * scale end
  return a, total
end

local part = {complex64 = "float32", complex128 = "float64", float32 = "float32", float64 = "float64"}
local whole = {float32 = "complex64", float64 = "complex128", complex64 = "complex64", complex128 = "complex128"}

-- Returns the tolerance, relative to the largest element. The error grows with the logarithm of `total`, the number
-- of elements of one transform.
local function tolerance(dtype, total)
  return (part[dtype] == "float32" and 2e-7 or 4e-16) * (3 + math.log(total + 1, 2))
end

-- Returns a text on the difference between tensor t and array a, or nil if they agree.
local function difference(a, t, dtype, total)
  if t.dtype ~= dtype then return ("dtype %s, not %s"):format(t.dtype, dtype) end
  local got, most = array_of(t), 0
  if table.concat(got.shape, " ") ~= table.concat(a.shape, " ") then
    return ("shape %s, not [%s]"):format(t.shape, table.concat(a.shape, ", "))
  end
  for i = 1, #a.re do most = math.max(most, math.abs(a.re[i]), math.abs(a.im[i])) end
  local bound = most * tolerance(dtype, total)
  for i = 1, #a.re do
    local off = math.max(math.abs(got.re[i] - a.re[i]), math.abs(got.im[i] - a.im[i]))
    if off > bound or off ~= off then
      return ("element %d is %.17g + %.17gi, not %.17g + %.17gi; %.3g off, allowed %.3g"):format(
        i, got.re[i], got.im[i], a.re[i], a.im[i], off, bound)
    end
  end
end

-- ---- NumPy's answers ------------------------------------------------------------------------------

local function tensor_of(v) return lt.tensor(v.data, {dtype = v.dtype}):reshape(v.shape) end

describe("NumPy's answers:", function()
  local by_name = {}
  for _, case in ipairs(require("spec.support.data").read "fft") do
    by_name[case.name] = by_name[case.name] or {}
    table.insert(by_name[case.name], case)
  end

  for name, cases in pairs(by_name) do
    it(name, function()
      for i, case in ipairs(cases) do
        local y = case.n and lt.fft[name](case.n, case.d, {dtype = "float64"})
          or next(case.options) and lt.fft[name](tensor_of(case.x), case.options) or lt.fft[name](tensor_of(case.x))
        local problem = difference(array_of(tensor_of(case.y)), y, case.y.dtype, 16)
        assert(not problem, ("case %d of %s: %s"):format(i, name, problem))
        assert.is_true(y:is_contiguous())
      end
    end)
  end
end)

-- ---- the definition -------------------------------------------------------------------------------

local lengths = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 25, 30, 32, 49, 60, 64, 101, 128, 210}

-- Returns a tensor of multiples of 1/64, which are exact in every dtype of this spec.
local function made(random, shape, dtype)
  local list = {}
  for i = 1, count_of(shape) do
    local function number() return random(513) / 64 - 4 end
    list[i] = whole[dtype] == dtype and {number(), number()} or number()
  end
  if #list == 0 then return lt.zeros(shape, {dtype = dtype}) end
  return lt.tensor(list, {dtype = dtype}):reshape(shape)
end

-- Returns a random tensor of this shape in one of five layouts that scripts may pass, and the name of the layout.
local function laid_out(random, shape, dtype)
  local kind, ndim = random(5), #shape
  local d = ndim - random(ndim)
  if kind == 1 then return made(random, shape, dtype), "contiguous" end
  local other = copy_shape(shape)
  if kind == 2 then
    other[d] = 2 * shape[d]
    local range = {}
    for k = 1, ndim do range[k] = {} end
    range[d] = {1, 2 * shape[d] - 1, 2}
    return made(random, other, dtype)[range], "every second of dim " .. d
  elseif kind == 3 then
    return made(random, shape, dtype):flip(d), "flipped in dim " .. d
  elseif kind == 4 and ndim > 1 then
    other[1], other[ndim] = other[ndim], other[1]
    return made(random, other, dtype):moveaxis(1, -1):moveaxis(-2, 1), "transposed"
  end
  other[d] = 1
  return made(random, other, dtype):broadcast_to(shape), "broadcast along dim " .. d
end

local norms = {"backward", "ortho", "forward"}

-- Compares one random call of a function with the definition.
local function try(name, random)
  local f = functions[name]
  local real = f.real_in or random(3) == 0
  local dtype = ({"float32", "float64"})[random(2) + 1]
  if not real then dtype = whole[dtype] end
  local ndim = f.many and 1 + random(3) or 1 + random(2) * random(2)
  local shape, n, d, free = {}, {}, {}, {}
  for k = 1, ndim do shape[k], free[k] = 1 + random(f.many and 6 or 4), k end
  for k = 1, f.many and 1 + random(ndim) or 1 do d[k] = table.remove(free, 1 + random(#free)) end
  if not f.many then shape[d[1]] = lengths[1 + random(#lengths)] end
  local options = {norm = norms[1 + random(3)], dim = f.many and d or d[1] - (random(2) == 0 and ndim + 1 or 0)}
  for k = 1, #d do
    local have = shape[d[k]]
    n[k] = f.half_in and k == #d and 2 * (have - 1) or have
    if random(2) == 0 or n[k] == 0 then n[k] = math.max(1, n[k] + random(9) - 4) end
  end
  options[f.many and "s" or "n"] = f.many and n or n[1]
  local x, layout = laid_out(random, shape, dtype)
  local before = x:to_bytes()
  local a = array_of(x)
  local want, total = expected(name, a, n, d, options.norm)
  local y = lt.fft[name](x, options)
  local problem = difference(want, y, f.real_out and part[dtype] or whole[dtype], total)
    or x:to_bytes() ~= before and "the input changed" or not y:is_contiguous() and "the result is not row-major"
  return problem and ("%s of %s %s, %s, n %s, dim %s, norm %s: %s"):format(
    name, dtype, x.shape, layout, table.concat(n, " "), table.concat(d, " "), options.norm, problem)
end

-- Returns Knuth's MMIX generator: a function that returns an integer from 0 to n - 1.
local function generator(seed)
  local state = seed
  return function(n)
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 33) % n
  end
end

local TRIES = device == "cpu" and 60 or 25
local first_seed = tonumber(os.getenv "LUATENSOR_SEED") or 1

describe("the definition:", function()
  for name in pairs(functions) do
    it(name .. " of random shapes, strides, lengths, norms", function()
      for seed = first_seed, first_seed + TRIES - 1 do
        local problem = try(name, generator(seed))
        assert(not problem, ("seed %d: %s"):format(seed, problem))
      end
    end)
  end

  it("complex transforms of real numbers, where both halves are seen", function()
    for _, n in ipairs(lengths) do
      for _, name in ipairs {"fft", "ifft"} do
        local x = made(generator(n), {n}, "float64")
        local want = expected(name, array_of(x), {n}, {1}, "backward")
        local problem = difference(want, lt.fft[name](x), "complex128", n)
        assert(not problem, ("%s, n = %d: %s"):format(name, n, problem))
      end
    end
  end)

  it("integers are the default float", function()
    local x = lt.tensor({1, 2, 3}, {dtype = "int32"})
    assert.equal("complex64", lt.fft.fft(x).dtype)
    assert.equal(lt.fft.fft(x:to("float32")):to_bytes(), lt.fft.fft(x):to_bytes())
    assert.equal("float32", lt.fft.irfft(x).dtype)
    lt.set_default_dtype("float64")
    local wider = lt.fft.rfft(x).dtype
    lt.set_default_dtype("float16")
    local half = lt.fft.rfft(x).dtype
    lt.set_default_dtype("float32")
    assert.same({"complex128", "complex64"}, {wider, half})
  end)

  it("of no lines is empty; of a line of none, zeros where n is said", function()
    assert.equal("[0, 4]", tostring(lt.fft.fft(lt.zeros(0, 4)).shape))
    assert.equal("[0, 3]", tostring(lt.fft.rfft(lt.zeros(0, 4)).shape))
    assert.equal("[4, 0, 3]", tostring(lt.fft.fftn(lt.zeros(4, 0, 3), {dim = {1, 3}}).shape))
    helpers.holds(lt.fft.rfft(lt.zeros(0), 2), "[2]", {{0.0, 0.0}, {0.0, 0.0}})
    helpers.holds(lt.fft.irfft(lt.zeros(2, 0), 3), "[2, 3]", {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}})
  end)

  it("positions and options are the same arguments", function()
    local x = made(generator(7), {3, 4, 5}, "complex128")
    local function same(a, b) assert.equal(a:to_bytes(), b:to_bytes()) end
    same(lt.fft.fft(x, 6, 2), lt.fft.fft(x, {n = 6, dim = 2}))
    same(lt.fft.fft(x, nil, 2), lt.fft.fft(x, {dim = -2}))
    same(lt.fft.fft(x, 6), lt.fft.fft(x, 6, -1, {norm = "backward"}))
    same(lt.fft.fftn(x, {2, 6}, {1, 2}), lt.fft.fftn(x, {s = {2, 6}, dim = {1, 2}}))
    same(lt.fft.fftn(x, nil, 2), lt.fft.fftn(x, {dim = {2}}))
    same(lt.fft.fftn(x, 6, 2), lt.fft.fft(x, 6, 2))
    same(lt.fft.fftn(x), lt.fft.fftn(x, {dim = {1, 2, 3}}))
    same(lt.fft.fft2(x), lt.fft.fftn(x, {dim = {2, 3}}))
    same(lt.fft.ifft2(x, {2, 7}), lt.fft.ifftn(x, {s = {2, 7}, dim = {2, 3}}))
    same(lt.fft.irfft2(x), lt.fft.irfftn(x, {dim = {2, 3}}))
    same(lt.fft.rfft2(x:real()), lt.fft.rfftn(x:real(), {dim = {2, 3}}))
  end)

  it("real numbers are complex ones without imaginary parts", function()
    for _, dtype in ipairs {"int64", "float32", "float64"} do
      local x = lt.arange(1, 13, {dtype = dtype}):reshape(4, 3)
      local z = lt.complex(dtype == "int64" and x:to("float32") or x, 0)
      for _, name in ipairs {"irfftn", "irfft2", "fftn", "ifftn", "fft2", "ifft2"} do
        local near = lt.fft[name](x):subtract(lt.fft[name](z)):abs():max():item()
        assert.is_true(near <= 1e-5, name .. " of " .. dtype)
      end
    end
  end)
end)

-- ---- identities -----------------------------------------------------------------------------------

local function near(a, b, dtype, total)
  local problem = difference(array_of(b), a, dtype, total)
  assert(not problem, problem)
end

describe("identities of transforms:", function()
  local sizes = {1, 2, 7, 12, 97, 100, 1000, 1024}

  it("there and back, in each norm", function()
    for _, n in ipairs(sizes) do
      for _, norm in ipairs(norms) do
        local o, z, x = {norm = norm}, made(generator(n), {2, n}, "complex64"), made(generator(n), {2, n}, "float64")
        near(lt.fft.ifft(lt.fft.fft(z, o), o), z, "complex64", n)
        near(lt.fft.irfft(lt.fft.rfft(x, o), n, -1, o), x, "float64", n)
        near(lt.fft.hfft(lt.fft.ihfft(x, o), n, -1, o), x, "float64", n)
        near(lt.fft.ifftn(lt.fft.fftn(z, o), o), z, "complex64", 2 * n)
        near(lt.fft.irfftn(lt.fft.rfftn(x, o), {s = {2, n}, dim = {1, 2}, norm = norm}), x, "float64", 2 * n)
      end
    end
  end)

  it("Parseval's: the ortho norm keeps the sum of squares", function()
    for _, n in ipairs(sizes) do
      local z = made(generator(n), {n}, "complex128")
      local y = lt.fft.fft(z, {norm = "ortho"})
      local before, after = z:abs():square():sum():item(), y:abs():square():sum():item()
      assert.near(before, after, 1e-13 * before)
    end
  end)

  it("linear", function()
    local x, y = made(generator(3), {90}, "complex128"), made(generator(4), {90}, "complex128")
    near(lt.fft.fft(x * 2 - y), lt.fft.fft(x) * 2 - lt.fft.fft(y), "complex128", 90)
  end)

  it("a shift turns the phases", function()
    local n, shift = 30, 7
    local x = made(generator(5), {n}, "complex128")
    local phase = lt.fft.fftfreq(n, {dtype = "float64"}) * (-2 * math.pi * shift)
    local turned = lt.fft.fft(x) * (phase:cos() + phase:sin() * lt.complex(0, 1))
    near(lt.fft.fft(x:roll(shift)), turned, "complex128", n)
  end)

  it("real numbers have a hermitian spectrum, of which rfft is the first half", function()
    for _, n in ipairs(sizes) do
      local x = made(generator(n), {n}, "float64")
      local y = lt.fft.fft(x)
      near(lt.fft.rfft(x), y:narrow(1, 1, n // 2 + 1), "complex128", n)
      near(y:narrow(1, 2, n - 1):flip(1), y:narrow(1, 2, n - 1):conj(), "complex128", n)
    end
  end)

  it("imaginary parts that a real result cannot have are not read", function()
    local nan = 0 / 0
    for n = 6, 7 do
      local plain = lt.tensor({{1, 0}, {2, 3}, {4, 5}, {6, n % 2}}, {dtype = "complex128"})
      local odd = lt.tensor({{1, nan}, {2, 3}, {4, 5}, {6, n % 2 == 0 and nan or 1}}, {dtype = "complex128"})
      assert.equal(lt.fft.irfft(plain, n):to_bytes(), lt.fft.irfft(odd, n):to_bytes())
      assert.equal(lt.fft.hfft(plain, n):to_bytes(), lt.fft.hfft(odd, n):to_bytes())
    end
  end)

  it("shifts undo each other", function()
    for _, shape in ipairs {{1}, {4}, {5}, {3, 4}, {2, 3, 5}} do
      local x = made(generator(1), shape, "float32")
      assert.equal(x:to_bytes(), lt.fft.ifftshift(lt.fft.fftshift(x)):to_bytes())
      assert.equal(x:to_bytes(), lt.fft.fftshift(lt.fft.ifftshift(x, {dim = 1}), 1):to_bytes())
    end
    local f = lt.fft.fftshift(lt.fft.fftfreq(7, {dtype = "float64"}))
    assert.is_true(f:diff():greater(0):all():item())
    assert.equal(2.0, lt.fft.fftshift(lt.tensor(2.0)):item())
    assert.equal("[0, 2]", tostring(lt.fft.fftshift(lt.zeros(0, 2)).shape))
  end)
end)

describe("frequencies", function()
  it("are of the dtype and on the device that is said", function()
    assert.equal("float32", lt.fft.fftfreq(4).dtype)
    assert.equal("float16", lt.fft.rfftfreq(4, {dtype = "float16"}).dtype)
    assert.equal("cpu", lt.fft.fftfreq(4, {device = "cpu"}).device)
    assert.equal(lt.device(device), lt.fft.fftfreq(4).device)
    helpers.holds(lt.fft.fftfreq(5, 0.5), "[5]", lt.tensor({0.0, 0.4, 0.8, -0.8, -0.4}):totable())
    helpers.holds(lt.fft.rfftfreq(4, {d = 2}), "[3]", {0.0, 0.125, 0.25})
  end)
end)

-- ---- bad input ------------------------------------------------------------------------------------

describe("bad input:", function()
  local x = lt.ones(3, 4)
  local z = x:to("complex64")

  it("dtypes", function()
    for _, name in ipairs {"fft", "ihfft", "irfftn"} do
      fails(name .. ": not for bool; use x:to(\"float32\")", lt.fft[name], x:to("bool"))
      fails(name .. ": not for float16; use x:to(\"float32\")", lt.fft[name], x:to("float16"))
      fails(name .. ": not for bfloat16; use x:to(\"float32\")", lt.fft[name], x:to("bfloat16"))
    end
    fails("rfft: not for complex64; its input is real, lt.fft.fft takes complex numbers", lt.fft.rfft, z)
    fails("rfftn: not for complex64; its input is real, lt.fft.fftn takes complex numbers", lt.fft.rfftn, z)
    fails("rfft2: not for complex64; its input is real, lt.fft.fft2 takes complex numbers", lt.fft.rfft2, z)
    fails("ihfft: not for complex64; its input is real, lt.fft.ifft takes complex numbers", lt.fft.ihfft, z)
  end)

  it("arguments", function()
    fails("fft: argument 1: tensor expected, got number", lt.fft.fft, 1)
    fails("fft: argument 1: tensor expected, got no value", lt.fft.fft)
    fails("fft: at most 3 arguments and options expected, got 4", lt.fft.fft, x, 1, 1, 1)
    fails('fft: unknown option "axis"; known: n, dim, norm, out; did you mean "dim"?', lt.fft.fft, x, {axis = 1})
    fails('fftn: unknown option "n"; known: s, dim, norm, out', lt.fft.fftn, x, {n = 1})
    fails("fft: n is given twice", lt.fft.fft, x, 1, {n = 1})
    fails("fft: dim is given twice", lt.fft.fft, x, 1, 1, {dim = 1})
    fails("fft: n: 2.5 is not an integer", lt.fft.fft, x, 2.5)
    fails("fft: n: number or list expected, got string", lt.fft.fft, x, "4")
    fails("fft: n: one number expected, got a table", lt.fft.fft, x, {4})
    fails("fft: dim: one number expected, got a table", lt.fft.fft, x, {dim = {1}})
    fails("fft: dim: number or list expected, got boolean", lt.fft.fft, x, {dim = true})
    local freed = lt.ones(3)
    freed:free()
    fails("fft: argument 1: this tensor was freed", lt.fft.fft, freed)
  end)

  it("norms", function()
    fails('fft: option norm: "backward", "ortho" or "forward" expected, got "unitary"', lt.fft.fft, x, {norm = "unitary"})
    fails('irfftn: option norm: "backward", "ortho" or "forward" expected, got number', lt.fft.irfftn, x, {norm = 1})
  end)

  it("lengths", function()
    fails("fft: n: a length of 1 or more expected, got 0", lt.fft.fft, x, 0)
    fails("irfft: n: a length of 1 or more expected, got -1", lt.fft.irfft, x, -1)
    fails("fftn: s: a length of 1 or more expected, got 0", lt.fft.fftn, x, {s = {3, 0}, dim = {1, 2}})
    fails("fftn: s: a length of 1 or more expected, got -2", lt.fft.fftn, x, {s = {3, -2}, dim = {1, 2}})
    fails("fft: dim 2 of shape [3, 0] gives a transform of length 0; say n", lt.fft.fft, lt.zeros(3, 0))
    fails("irfft: dim 1 of shape [1] gives a transform of length 0; say n", lt.fft.irfft, lt.ones(1))
    fails("hfft: dim 1 of shape [0] gives a transform of length -2; say n", lt.fft.hfft, lt.zeros(0))
    fails("irfftn: dim 2 of shape [3, 1] gives a transform of length 0; say s", lt.fft.irfftn, lt.ones(3, 1))
    fails("fft: the size in bytes does not fit", lt.fft.fft, x, math.maxinteger)
    fails("irfft: the size in bytes does not fit", lt.fft.irfft, x, math.maxinteger // 2)
  end)

  it("dims", function()
    fails("fft: not for a 0-d tensor", lt.fft.fft, lt.tensor(1.0))
    fails("fftn: not for a 0-d tensor", lt.fft.fftn, lt.tensor(1.0))
    fails("fft: dim 3 is out of range for shape [3, 4]", lt.fft.fft, x, {dim = 3})
    fails("fft: dim 0: Lua tensors start at 1", lt.fft.fft, x, {dim = 0})
    fails("fftn: dim -1 is named twice", lt.fft.fftn, x, {dim = {2, -1}})
    fails("fftn: dim: an empty list", lt.fft.fftn, x, {dim = {}})
    fails("fftn: dim: a list of numbers expected, got a table with other keys", lt.fft.fftn, x, {dim = {1, x = 2}})
    fails("fftn: dim: number expected, got string", lt.fft.fftn, x, {dim = {1, "2"}})
    fails("fftn: s: an empty list", lt.fft.fftn, x, {dim = {1}, s = {}})
    fails("fftn: 1 lengths in s for 2 dims", lt.fft.fftn, x, {dim = {1, 2}, s = {4}})
    fails("fftn: s needs dim: the dims that its lengths are of", lt.fft.fftn, x, {s = {4}})
    fails("fft2: 2 dims at least expected, got shape [3]", lt.fft.fft2, lt.ones(3))
    fails("fft2: 3 lengths in s for 2 dims", lt.fft.fft2, x, {s = {1, 2, 3}})
  end)

  it("frequencies and shifts", function()
    fails("fftfreq: n: 0 is out of range", lt.fft.fftfreq, 0)
    fails("rfftfreq: n: -1 is out of range", lt.fft.rfftfreq, -1)
    fails("fftfreq: n: integer expected, got nil", lt.fft.fftfreq)
    fails("fftfreq: d: number expected, got string", lt.fft.fftfreq, 3, "1")
    fails("fftfreq: d: a distance other than 0 expected, got 0", lt.fft.fftfreq, 3, 0)
    fails("fftfreq: d is given twice", lt.fft.fftfreq, 3, 1, {d = 2})
    fails("rfftfreq: not for int32; a real float dtype expected", lt.fft.rfftfreq, 3, {dtype = "int32"})
    fails("fftfreq: not for complex64; a real float dtype expected", lt.fft.fftfreq, 3, {dtype = "complex64"})
    fails("fftshift: argument 1: tensor expected, got nil", lt.fft.fftshift)
    fails("fftshift: dim 3 is out of range for 2 dims", lt.fft.fftshift, x, 3)
    fails("ifftshift: dim 2 is named twice", lt.fft.ifftshift, x, {-1, 2})
    fails("ifftshift: dim: number or list expected, got string", lt.fft.ifftshift, x, "1")
    fails('fftshift: unknown option "axes"; known: dim; did you mean "dim"?', lt.fft.fftshift, x, {axes = 1})
  end)
end)

-- ---- memory -----------------------------------------------------------------------------------------

describe("without memory", function()
  -- These calls allocate more memory than their result needs, such as scratch memory between the transforms of two
  -- dims, or the zero padding before a transform.
  local calls = {
    fftn = function(x) return lt.fft.fftn(x, {5, 6, 7}, {1, 2, 3}) end,
    irfftn = function(x) return lt.fft.irfftn(x, {5, 6, 7}, {1, 2, 3}) end,
    ["fftn of real numbers"] = function(x) return lt.fft.fftn(x:real(), {5, 6, 7}, {1, 2, 3}) end,
    hfft = function(x) return lt.fft.hfft(x) end,
  }
  for name, call in pairs(calls) do
    it(name .. " is an error that leaves nothing behind", function()
      local x = made(generator(1), {4, 3, 5}, "complex64")
      local want, bytes = call(x):to_bytes(), x:to_bytes()
      local before, failures = helpers.live(device), 0
      for n = 1, 8 do
        lt._fail_after(n, 2)                  -- the allocation fails, and fails again after a collection
        local ok, got = pcall(call, x)
        lt._fail_after(0)
        if not ok then
          failures = failures + 1
          assert.truthy(got:find "out of memory on", got)
        else
          assert.equal(want, got:to_bytes())
        end
        got = nil
        assert.equal(before, helpers.live(device))
        assert.equal(bytes, x:to_bytes())
      end
      assert.is_true(failures >= 2 and failures < 8, failures .. " failures")
    end)
  end
end)

describe("transforms of several dims", function()
  it("of every layout are the CPU's", function()
    local z = lt.complex(lt.randn(4, 5, 6, 3, {device = "cpu"}), lt.randn(4, 5, 6, 3, {device = "cpu"}))
    local layouts = {
      plain = function(x) return x end,
      transposed = function(x) return x:permute_dims(4, 2, 1, 3) end,
      part = function(x) return x[{{2, 4}, {1, -1, 2}, {}, {2, 3}}] end,
      backwards = function(x) return x[{{-1, 1, -1}, {}, {-1, 1, -2}, {}}] end,
      broadcast = function(x) return x[{{1, 1}}]:broadcast_to(4, 5, 6, 3) end,
      ["one element"] = function(x) return x[{{}, {2, 2}, {}, {1, 1}}] end,
    }
    for name, layout in pairs(layouts) do
      for _, dims in ipairs {{1, 2, 3, 4}, {4, 3, 2, 1}, {1, 3}, {3, 1}, {2, 3}, {1, 2, 4}, {4, 1, 3}, {1, 2, 3}} do
        for f in pairs {fftn = 1, ifftn = 1, rfftn = 1, irfftn = 1} do
          local x = f == "rfftn" and z:real() or z
          if not (name == "one element" and f == "irfftn") then
            local want = lt.fft[f](layout(x), {dim = dims})
            local got = lt.fft[f](layout(x:to(device)), {dim = dims}):to "cpu"
            assert.same(want.shape, got.shape)
            local far = want:subtract(got):abs():max():item()
            assert.is_true(far <= 1e-6 * (1 + want:abs():max():item()), ("%s %s: off by %g"):format(f, name, far))
          end
        end
      end
    end
  end)
end)

-- ---- on the emulated GPU ----------------------------------------------------------------------------

local folder = os.getenv "LUATENSOR_CUDA_PATH"
local load_emulator = folder and package.loadlib(folder .. "/emulator.so", "luaopen_emulator")

if load_emulator and device ~= "cpu" then
  describe("cuFFT", function()
    local emulator = load_emulator()

    -- Returns the number of cuFFT plans and transforms that f asks for.
    local function asked(f)
      local before = emulator.counts().transforms
      f()
      return emulator.counts().transforms - before
    end

    it("that fails is an error, and the next call works", function()
      local x = lt.ones(5)
      emulator.configure "fail_fft=1"
      fails("fft: cuFFT: setup failed (7)", lt.fft.fft, x)
      lt.fft.fft(x)
      emulator.configure "fail_fft=1"
      fails("fft: cuFFT: execution failed (6)", lt.fft.fft, x)
      assert.equal(5.0, (lt.fft.fft(x)[1]:item()))
    end)

    it("makes a plan once", function()
      local x = lt.ones(3, 22)
      assert.equal(2, asked(function() lt.fft.rfft(x) end))
      assert.equal(1, asked(function() lt.fft.rfft(x) end))
      assert.equal(1, asked(function() lt.fft.rfft(x * 2) end))
    end)

    it("transforms up to three dims together, without copies if the layout allows it", function()
      local z, launches = made(generator(3), {3, 4, 5, 6}, "complex64"), nil
      local function counted(n, f)
        f()
        local before = emulator.counts()
        f()
        local after = emulator.counts()
        assert.equal(n, after.transforms - before.transforms)
        launches = after.launches - before.launches
      end
      counted(1, function() lt.fft.fft2(z) end)
      assert.equal(0, launches)
      counted(1, function() lt.fft.fftn(z[1]) end)
      assert.equal(0, launches)
      local x = z[1]:real():clone()
      counted(1, function() lt.fft.rfftn(x) end)
      assert.equal(0, launches)
      counted(1, function() lt.fft.fftn(z[{{}, {}, {1, -1, 2}, {2, 4}}], {dim = {3, 4}}) end)
      counted(2, function() lt.fft.fftn(z) end)
      counted(2, function() lt.fft.irfftn(z[1]) end)
      counted(2, function() lt.fft.fft2(z, {8, 8}) end)
      counted(1, function() lt.fft.fft2(z, {5, 8}) end)
    end)

    it("keeps the plans that were used last", function()
      local function transform(n) lt.fft.rfft(lt.ones(n)) end
      for n = 1, 40 do transform(n) end
      assert.equal(1, asked(function() transform(40) end))
      assert.equal(2, asked(function() transform(1) end))
      assert.equal(1, asked(function() transform(12) end))
    end)

    it("transforms in a graph what it has transformed before", function()
      local x = made(generator(2), {4, 10}, "float32")
      local first = true
      local graph = lt.graph(function() return lt.fft.irfft(lt.fft.rfft(x)) end)
      local y = graph:replay()
      near(y, x, "float32", 10)
      x:copy_(x * 3)
      for n = 50, 90 do lt.fft.fft(lt.ones(n)) end          -- many new plans; the graph keeps its own
      graph:replay()
      near(y, x, "float32", 10)
      graph:free()
      fails("fft: cuFFT makes no plan while a graph is captured: run the same transform once before", lt.graph, function()
        if not first then return lt.fft.fft(lt.ones(47)) end
        first = false
      end)
    end)
  end)
end

describe("option out", function()
  local f = lt.fft
  local function begins(text, ...) assert.raises("^" .. text:gsub("%p", "%%%0"), ...) end

  it("takes the result: the transform of 1, 2, 3, 4 is 10, -2 + 2i, -2, -2 - 2i", function()
    local y = lt.zeros(4, {dtype = "complex128", device = device})
    assert.equal(y, f.fft(lt.tensor({1, 2, 3, 4}, {dtype = "float64", device = device}), {out = y}))
    assert.is_true(lt.allclose(y, lt.complex(lt.tensor({10.0, -2, -2, -2}, {device = device}), lt.tensor({0.0, 2, 0, -2}, {device = device}))))
    local x = lt.zeros(4, {dtype = "float64", device = device})
    f.irfft(y[{{1, 3}}], {out = x, n = 4})
    assert.is_true(lt.allclose(x, lt.tensor({1.0, 2, 3, 4}, {device = device})))
  end)

  for name, call in pairs {
    fft = f.fft, ifft = f.ifft, rfft = f.rfft, irfft = f.irfft, hfft = f.hfft, ihfft = f.ihfft, fft2 = f.fft2, ifft2 = f.ifft2,
    rfft2 = f.rfft2, irfft2 = f.irfft2, fftn = f.fftn, ifftn = f.ifftn, rfftn = f.rfftn, irfftn = f.irfftn
  } do
    it("is what " .. name .. " gives, in rows, columns, every second element and a wider dtype", function()
      local x = lt.rand(3, 6, 4, {device = device, generator = lt.generator{seed = 5}})
      local want = call(x)
      local wide = want.dtype:find "complex" and "complex128" or "float64"
      local a, b, c = want.shape[1], want.shape[2], want.shape[3]
      local function like(...) return lt.ones(..., {dtype = want.dtype, device = device}) end
      for _, out in ipairs {
        like {a, b, c}, like({c, b, a}):permute(3, 2, 1), like({a, b, 2 * c})[{{}, {}, {1, 2 * c, 2}}],
        lt.ones({a, b, c}, {dtype = wide, device = device}), lt.flip(like {a, b, c}, 2)
      } do
        assert.equal(out, call(x, {out = out}))
        assert.is_true(lt.equal_all(want, out:to(want.dtype)))
      end
    end)
  end

  it("makes Lua allocate nothing, but for the call's own options", function()
    local x = lt.rand(256, {device = device})
    local y, z = f.rfft(x), lt.empty(256, {device = device})
    local to_y, to_z = {out = y}, {out = z}
    local function round() f.rfft(x, to_y) f.irfft(y, to_z) end
    round()
    collectgarbage "stop"
    local before = collectgarbage "count"
    for _ = 1, 100 do round() end
    local grown = collectgarbage "count" - before
    collectgarbage "restart"
    assert.equal(0, grown)
    assert.is_true(lt.allclose(x, z, 0, 1e-6))
  end)

  it("refuses targets that do not fit, share memory, or would lose gradients", function()
    local x = lt.ones(4, {dtype = "complex64", device = device})
    local function out(...) return {out = lt.zeros(...)} end
    begins("fft: the target has shape [3], the result [4]", f.fft, x, out(3, {dtype = "complex64", device = device}))
    begins("fft: result complex64 does not fit float32", f.fft, x, out(4, {device = device}))
    begins("fft: the target shares memory with an input", f.fft, x, {out = x})
    begins("fft: the target shares memory with an input", f.fft, x, {out = lt.flip(x)})
    begins("fft: the target is a broadcast view", f.fft, x, {out = lt.zeros(1, {dtype = "complex64", device = device}):expand(4)})
    begins("fft: option out: tensor expected, got number", f.fft, x, {out = 4})
    begins("fft: option out: gradients do not pass through it", f.fft, lt.ones(4, {device = device, requires_grad = true}),
          out(4, {dtype = "complex64", device = device}))
    local gone = lt.zeros(4, {dtype = "complex64", device = device})
    gone:free()
    begins("fft: option out: this tensor was freed", f.fft, x, {out = gone})
  end)

  it("is a change in place: a gradient that needs the old elements is an error", function()
    local y = lt.ones(4, {dtype = "complex64", device = device})
    local w = lt.ones(4, {device = device, requires_grad = true})
    local sum = (w * y):real():sum()
    f.fft(lt.ones(4, {device = device}), {out = y})
    begins("backward: multiply needs a tensor that was changed in place", sum.backward, sum)
  end)
end)
