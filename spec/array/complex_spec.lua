-- tags: kernels
-- Tests complex numbers: making, reading and printing them, their parts, promotion, ops and reductions over layouts.
-- The oracle is complex arithmetic of pairs in plain Lua. Accuracy and special cases of the functions have specs of
-- their own.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local cases = require "spec.support.cases"

local raises = assert.raises
local dtypes = {"complex64", "complex128"}
local eps = {complex64 = 2.0 ^ -23, complex128 = 2.0 ^ -52}
local part = {complex64 = "float32", complex128 = "float64"}

-- ---- the oracle ----

local function pair(re, im) return {re, im} end
local function times(x, y) return pair(x[1] * y[1] - x[2] * y[2], x[1] * y[2] + x[2] * y[1]) end
local function over(x, y)
  local n = y[1] * y[1] + y[2] * y[2]
  return pair((x[1] * y[1] + x[2] * y[2]) / n, (x[2] * y[1] - x[1] * y[2]) / n)
end
local function size(x) return math.sqrt(x[1] * x[1] + x[2] * x[2]) end
local function same(x, y) return x[1] == y[1] and x[2] == y[2] end
local function truth(x) return x[1] ~= 0 or x[2] ~= 0 end

local ops = {
  positive = function(x) return x end,
  negative = function(x) return pair(-x[1], -x[2]) end,
  conj = function(x) return pair(x[1], -x[2]) end,
  abs = size,
  angle = function(x) return math.atan(x[2], x[1]) end,
  sign = function(x) return truth(x) and pair(x[1] / size(x), x[2] / size(x)) or x end,
  square = function(x) return times(x, x) end,
  reciprocal = function(x) return over(pair(1, 0), x) end,
  exp = function(x) return pair(math.exp(x[1]) * math.cos(x[2]), math.exp(x[1]) * math.sin(x[2])) end,
  log = function(x) return pair(math.log(size(x)), math.atan(x[2], x[1])) end,
  logical_not = function(x) return not truth(x) end,
  isnan = function(x) return x[1] ~= x[1] or x[2] ~= x[2] end,
  isfinite = function() return true end,
  add = function(x, y) return pair(x[1] + y[1], x[2] + y[2]) end,
  subtract = function(x, y) return pair(x[1] - y[1], x[2] - y[2]) end,
  multiply = times,
  divide = over,
  equal = same,
  not_equal = function(x, y) return not same(x, y) end,
  logical_and = function(x, y) return truth(x) and truth(y) end,
  logical_or = function(x, y) return truth(x) or truth(y) end,
  logical_xor = function(x, y) return truth(x) ~= truth(y) end,
}
local binary = {}
for _, name in ipairs{"add", "subtract", "multiply", "divide", "equal", "not_equal", "logical_and", "logical_or",
                      "logical_xor"} do binary[name] = true end

-- Returns n pairs of multiples of 1/8, which float32 represents exactly. Some pairs are equal.
local function values(n, seed)
  local random, list = cases.random(seed), {}
  for i = 1, n do list[i] = pair((random(33) - 16) / 8, (random(33) - 16) / 8) end
  return list
end

local function tensor(list, dtype) return lt.tensor(list, {dtype = dtype}) end

-- Returns all elements of t as a list in row-major order.
local function flat(t)
  local list = {}
  for _, v in ipairs(t:reshape(-1):totable()) do list[#list + 1] = v end
  return list
end

local function close(got, want, bound)
  if type(want) == "boolean" then return got == want end
  if type(want) == "number" then return math.abs(got - want) <= bound * math.max(1, math.abs(want)) end
  return math.abs(got[1] - want[1]) + math.abs(got[2] - want[2]) <= bound * math.max(1, size(want))
end

local function show(v)
  return type(v) == "table" and ("%.17g%+.17gi"):format(v[1], v[2]) or tostring(v)
end

local function check(label, got, want, bound)
  assert.equal(#want, #got, label)
  for i, w in ipairs(want) do
    if not close(got[i], w, bound) then
      error(("%s: element %d is %s, not %s"):format(label, i, show(got[i]), show(w)), 2)
    end
  end
end

-- ---- layouts ----

-- Each function returns a view of a 1-d tensor of 24 values. A view has all values, some of the values or none.

local layouts = {
  contiguous = function(t) return t:reshape(4, 6) end,
  transposed = function(t) return t:reshape(4, 6).T end,
  stepped = function(t) return t:reshape(4, 6)[{ {1, -1, 2}, {2, -1, 3} }] end,
  reversed = function(t) return t:reshape(4, 6):flip(2) end,
  broadcast = function(t) return t[{ {1, 4} }]:reshape(4, 1):broadcast_to(4, 5) end,
  one = function(t) return t[3] end,
  empty = function(t) return t:reshape(4, 6)[{ {1, 0} }] end,
}

describe("complex tensors", function()
  it("come from pairs and go back to pairs", function()
    for _, d in ipairs(dtypes) do
      local t = tensor({{{1, 2}, {3, -4.5}}, {{0, 0}, {-1, 0.25}}}, d)
      assert.equal(d, t.dtype)
      assert.equal("[2, 2]", tostring(t.shape))
      assert.same({{{1.0, 2.0}, {3.0, -4.5}}, {{0.0, 0.0}, {-1.0, 0.25}}}, t:totable())
      assert.same({3.0, -4.5}, {t[{1, 2}]:item()})
      assert.same({7.0, 0.0}, {tensor(7, d):item()})
      assert.same({1.0, 2.0}, tensor({1, 2}, d):totable())
      assert.equal("[0]", tostring(tensor({}, d).shape))
    end
    raises("tensor: complex64 data are pairs {re, im}, got lists of 3 numbers", lt.tensor, {1, 2, 3}, {dtype = "complex64"})
    raises("tensor: ragged table: row [2] has 1 elements, the first has 2", lt.tensor, {{1, 2}, {3}}, {dtype = "complex64"})
  end)

  it("come from other tensors, and real ones keep the real part", function()
    local t = lt.tensor({1.5, -2.0}):to("complex128")
    assert.same({{1.5, 0.0}, {-2.0, 0.0}}, t:totable())
    local z = tensor({{1.75, 9}, {-300, 1}}, "complex64")
    assert.same({1.75, -300.0}, z:to("float64"):totable())
    assert.same({1, -128}, z:to("int8"):totable())
    assert.same({true, true}, z:to("bool"):totable())
    assert.same({false, true}, tensor({{0, 0}, {0, 1}}, "complex64"):to("bool"):totable())
    assert.same({{1.75, 9.0}, {-300.0, 1.0}}, z:to("complex128"):totable())
  end)

  it("are made by creation functions", function()
    assert.same({{0.0, 0.0}, {0.0, 0.0}}, lt.zeros(2, {dtype = "complex64"}):totable())
    assert.same({{1.0, 0.0}}, lt.ones(1, {dtype = "complex128"}):totable())
    assert.same({{1.0, -2.0}, {1.0, -2.0}}, lt.full({2}, lt.complex(1, -2)):totable())
    assert.equal("complex64", lt.full({2}, lt.complex(1, -2)).dtype)
    assert.same({{1.0, 0.0}, {0.0, 0.0}}, lt.eye(2, {dtype = "complex64"})[1]:totable())
    assert.same({{0.0, 0.0}, {1.0, 0.0}}, lt.arange(0, 2, {dtype = "complex64"}):totable())
    assert.same({{0.0, 1.0}, {1.5, 2.0}, {3.0, 3.0}}, lt.linspace(lt.complex(0, 1), lt.complex(3, 3), 3):totable())
    assert.same({{1.0, 0.0}, {1.0, 1.0}}, lt.linspace(1, lt.complex(1, 2), 2, {endpoint = false, dtype = "complex128"}):totable())
    raises("linspace: a complex number does not fit float32", lt.linspace, 1, lt.complex(0, 1), 3, {dtype = "float32"})
    raises("full: a complex number does not fit float32", lt.full, {2}, lt.complex(1, 2), {dtype = "float32"})
    raises("fill_: a complex number does not fit float32", function() lt.zeros(2):fill_(lt.complex(1, 2)) end)
  end)

  it("keep their bytes: strings, files, DLPack", function()
    for _, d in ipairs(dtypes) do
      local t = tensor({{1, 2}, {3, -4}}, d)
      local format = d == "complex64" and "=ffff" or "=dddd"
      assert.same({1.0, 2.0, 3.0, -4.0}, {table.unpack({format:unpack(t:to_bytes())}, 1, 4)})
      assert.is_true(lt.from_bytes(t:to_bytes(), 2, {dtype = d}):equal_all(t))
      local path = os.tmpname()
      lt.save(path, t)
      assert.is_true(lt.load(path):equal_all(t))
      os.remove(path)
      assert.is_true(lt.from_dlpack(t:to_dlpack()):equal_all(t))
    end
  end)

  it("print both parts", function()
    local t = tensor({{1, -2.5}, {-10, 0.25}}, "complex64"):to("cpu")
    assert.equal("[  1.0-2.50i, -10.0+0.25i]  complex64 [2] cpu", tostring(t))
    assert.equal("nan+infi  complex128 cpu", tostring(lt.complex(0.0 / 0.0, math.huge)))
  end)
end)

describe("lt.complex", function()
  it("of numbers makes complex what it meets, and widens nothing", function()
    local i = lt.complex(0, 1)
    for from, to in pairs{float32 = "complex64", float64 = "complex128", complex64 = "complex64", float16 = "complex64",
                          complex128 = "complex128", int32 = "complex64", uint8 = "complex64"} do
      assert.equal(to, (lt.ones(2, {dtype = from}) * i).dtype, from)
      assert.equal(to, (i + lt.ones(2, {dtype = from})).dtype, from)
    end
    assert.equal("complex64", (lt.ones(1) * (2 * i + 1)).dtype)           -- promotion takes 2 * i + 1 as a number
    assert.equal("complex64", lt.result_type(i, "float32"))
    assert.equal("complex128", lt.result_type("float64", i))
    assert.same({-1.0, 0.0}, {(i * i):item()})
    assert.same({{0.1, 0.2}}, (lt.ones(1, {dtype = "float64"}) * lt.complex(0.1, 0.2)):totable())
  end)

  it("among numbers alone has its own dtype, wherever it stands", function()
    local z = lt.complex(1, 2)
    for _, n in ipairs {2, 0.5} do
      assert.same({"complex128", "complex128"}, {lt.add(n, z).dtype, lt.add(z, n).dtype})
      assert.same({"complex128", "complex128"}, {lt.result_type(n, z), lt.result_type(z, n)})
    end
    assert.equal("complex64", lt.result_type("float32", 2, z))
    assert.raises("maximum: not for complex128, to which the arguments promote", lt.maximum, z, 1)
  end)

  it("of tensors broadcasts them", function()
    local z = lt.complex(lt.tensor{{1.0}, {2.0}}, lt.tensor{3, 4})
    assert.equal("complex64", z.dtype)
    assert.same({{{1.0, 3.0}, {1.0, 4.0}}, {{2.0, 3.0}, {2.0, 4.0}}}, z:totable())
    assert.equal("complex128", lt.complex(lt.ones(1), lt.ones(1, {dtype = "float64"})).dtype)
    assert.same({{5.0, 1.0}}, lt.complex(5, lt.ones(1)):totable())
  end)

  it("names what is wrong", function()
    raises("complex: a real and an imaginary part expected, got 0 arguments", lt.complex)
    raises("complex: a real and an imaginary part expected, got 3 arguments", lt.complex, 1, 2, 3)
    raises("complex: argument 2: a real part cannot be complex", lt.complex, 1, lt.complex(1, 2))
    raises("complex: argument 1: tensor or number expected, got string", lt.complex, "1")
    raises("complex: shapes [2] and [3] do not broadcast (dim 1: 2 against 3)", lt.complex, lt.ones(2), lt.ones(3))
  end)
end)

describe("parts of complex tensors", function()
  it("are views", function()
    for _, d in ipairs(dtypes) do
      local z = tensor(values(12, 5), d):reshape(3, 4)
      for name, view in pairs{whole = z, transposed = z.T, stepped = z[{ {1, -1, 2}, {2, 4, 2} }]} do
        local want = flat(view)
        local re, im = {}, {}
        for i, v in ipairs(want) do re[i], im[i] = v[1], v[2] end
        assert.equal(part[d], view:real().dtype)
        assert.same(re, flat(view:real():contiguous()), name)
        assert.same(im, flat(view:imag():contiguous()), name)
      end
      z:real():fill_(7)
      z.T[2]:imag():fill_(-1)
      assert.same({7.0, -1.0}, z[{1, 2}]:totable())
      assert.equal(7.0, z[{1, 1}]:totable()[1])
    end
  end)

  it("of real tensors are the tensor, and zeros", function()
    local x = lt.tensor{1, 2}
    assert.equal(x, x:real())
    assert.same({0, 0}, x:imag():totable())
  end)

  it("can be seen as pairs, and pairs as complex numbers", function()
    local z = tensor({{1, 2}, {3, 4}}, "complex64")
    assert.same({{1.0, 2.0}, {3.0, 4.0}}, z:view_as_real():totable())
    local pairs_ = lt.tensor{{1.0, 2.0}, {3.0, 4.0}}
    local w = pairs_:view_as_complex()
    w[2] = lt.complex(-1, -2)
    assert.same({{1.0, 2.0}, {-1.0, -2.0}}, pairs_:totable())
    raises("view_as_real: a complex tensor expected, got float32", lt.view_as_real, lt.ones(2))
    raises("view_as_complex: float32 or float64 expected; got int64 [2]", lt.view_as_complex, lt.tensor{1, 2})
    raises("view_as_complex: the last dim must have length 2; got float32 [3]", lt.view_as_complex, lt.ones(3))
    raises("view_as_complex: real and imaginary parts must lie side by side; use x:contiguous(); got float32 [2, 2]",
           lt.view_as_complex, lt.ones(2, 2).T)
    raises("view_as_complex: the first pair must lie at an even place; use x:clone(); got float32 [2]",
           lt.view_as_complex, lt.ones(3)[{ {2, 3} }])
    raises("view_as_complex: pairs must lie at even distances; use x:contiguous(); got float32 [2, 2]",
           lt.view_as_complex, lt.ones(3, 3)[{ {1, 2}, {1, 2} }])
    -- the stride of a dim of length 1 may be anything
    assert.equal("[1]", tostring(lt.ones(3, 3)[{ {1, 1}, {1, 2} }]:view_as_complex().shape))
  end)
end)

describe("complex ops", function()
  local drawn_it = helpers.drawn_it(it)
  for name, f in pairs(ops) do
    drawn_it(name .. " agrees with complex arithmetic over layouts", function()
      for _, d in ipairs(dtypes) do
        for label, view in pairs(layouts) do
          local x, y = view(tensor(values(24, 3), d)), view(tensor(values(24, 4), d))
          if name == "divide" or name == "reciprocal" or name == "log" then
            y, x = y + lt.complex(3, 0), name == "divide" and x or x + lt.complex(3, 0)
          end
          local a, b, want = flat(x), flat(y), {}
          for i = 1, #a do want[i] = f(a[i], b[i]) end
          local got = binary[name] and lt[name](x, y) or lt[name](x)
          assert.same({table.unpack(x.shape)}, {table.unpack(got.shape)})
          check(name .. " " .. d .. " " .. label, flat(got), want, 8 * eps[d])
          if type(want[1]) == "number" then assert.equal(part[d], got.dtype) end
        end
      end
    end)
  end

  it("round and interpolate parts", function()
    for _, d in ipairs(dtypes) do
      local z = tensor({{1.5, -2.5}, {0.25, 3.75}}, d)
      assert.same({{2.0, -2.0}, {0.0, 4.0}}, z:round():totable())
      assert.same({{1.75, -1.5}, {0.5, 4.75}}, z:lerp(z + lt.complex(1, 4), 0.25):totable())
    end
  end)

  it("take weak and real numbers, other dtypes, targets and themselves", function()
    for _, d in ipairs(dtypes) do
      local z, x = tensor({{1, 2}, {3, -4}}, d), lt.tensor({2.0, 0.5})
      assert.same({{3.0, 2.0}, {5.0, -4.0}}, (z + 2):totable())
      assert.same({{2.0, 4.0}, {6.0, -8.0}}, (2 * z):totable())
      assert.same({{-2.0, 1.0}, {4.0, 3.0}}, (z * lt.complex(0, 1)):totable())
      assert.same({{2.0, 4.0}, {1.5, -2.0}}, (x * z):totable())
      assert.same({{2.0, 2.0}, {4.0, -4.0}}, (z + lt.tensor{1, 1}):totable())
      local out = lt.zeros(2, {dtype = d})
      assert.equal(out, z:abs{out = out})
      check("abs", flat(out), {{math.sqrt(5), 0.0}, {5.0, 0.0}}, 4 * eps[d])
      z:multiply_(z)
      assert.same({{-3.0, 4.0}, {-7.0, -24.0}}, z:totable())
      raises("add: result " .. d .. " does not fit float32", lt.add, z, 1, {out = lt.zeros(2)})
    end
  end)

  it("select, index, join and move elements of every layout", function()
    for _, d in ipairs(dtypes) do
      local z = tensor(values(24, 9), d):reshape(4, 6)
      local list = flat(z)
      assert.same({list[1], list[14]}, flat(lt.stack{z[{1, 1}], z[{3, 2}]}))
      assert.same({list[13], list[19], list[13]}, flat(z[{ lt.tensor{3, 4, 3}, 1 }]))
      local mask, want = z:real():greater(0.5), {}
      for _, v in ipairs(list) do if v[1] > 0.5 then want[#want + 1] = v end end
      assert.same(want, flat(z[mask]))
      assert.same(list, flat(lt.concat({z[{ {1, 2} }], z[{ {3, 4} }]}, 1)))
      assert.same(flat(z.T:contiguous()), flat(z:permute_dims(2, 1)))
      local w = lt.zeros(4, 6, {dtype = d})
      w[{ {}, {1, 3} }] = z[{ {}, {4, 6} }]
      w[{ lt.tensor{2}, lt.tensor{6} }] = lt.complex(1, -1)
      assert.same(list[4], w[{1, 1}]:totable())
      assert.same({1.0, -1.0}, w[{2, 6}]:totable())
      w[1] = lt.complex(5, 6)
      assert.same({5.0, 6.0}, w[{1, 4}]:totable())
      local sums = lt.zeros(2, {dtype = d}):index_add(1, lt.tensor{1, 2, 1}, tensor({{1, 1}, {2, 2}, {3, -3}}, d))
      assert.same({{4.0, -2.0}, {2.0, 2.0}}, sums:totable())
    end
  end)

  it("are told apart from ops that need an order", function()
    local z = tensor({{1, 2}, {3, 4}}, "complex64")
    for _, name in ipairs{"less", "greater_equal", "maximum", "floor_divide", "remainder", "atan2", "hypot"} do
      raises(name .. ": not for complex64", lt[name], z, z)
    end
    for _, name in ipairs{"floor", "ceil", "erf", "relu", "signbit", "max", "min", "argmax", "logsumexp"} do
      raises(name .. ": not for complex64", lt[name], z)
    end
    raises("softmax: not for complex64", lt.softmax, z, 1)
    raises("cumulative_max: not for complex64", lt.cumulative_max, z, 1)
  end)
end)

describe("complex reductions", function()
  local function sum_of(list)
    local s = pair(0, 0)
    for _, v in ipairs(list) do s = ops.add(s, v) end
    return s
  end

  it("agree with complex arithmetic over layouts and dims", function()
    for _, d in ipairs(dtypes) do
      for label, view in pairs(layouts) do
        local x = view(tensor(values(24, 6), d))
        local list, product, count = flat(x), pair(1, 0), 0
        for _, v in ipairs(list) do
          product = times(product, v)
          count = count + (truth(v) and 1 or 0)
        end
        local sum = sum_of(list)
        check("sum " .. label, {x:sum():totable()}, {sum}, 16 * eps[d])
        check("prod " .. label, {x:prod():totable()}, {product}, 64 * eps[d])
        if #list > 0 then
          check("mean " .. label, {x:mean():totable()}, {pair(sum[1] / #list, sum[2] / #list)}, 16 * eps[d])
        end
        assert.equal(count, x:count_nonzero():item())
        assert.equal(count > 0, x:any():item())
        assert.equal(count == #list, x:all():item())
        if x.ndim == 2 then
          local rows = {}
          for r = 1, x.shape[1] do rows[r] = sum_of(flat(x[r])) end
          check("sum of rows " .. label, flat(x:sum(2)), rows, 16 * eps[d])
          check("sum of columns " .. label, flat(x:sum(1)), flat(x.T:sum(2)), 16 * eps[d])
        end
      end
    end
  end)

  it("run along dims", function()
    for _, d in ipairs(dtypes) do
      local x = tensor({{1, 1}, {2, -1}, {0, 3}}, d)
      assert.same({{1.0, 1.0}, {3.0, 0.0}, {3.0, 3.0}}, x:cumulative_sum():totable())
      assert.same({{1.0, 1.0}, {3.0, 1.0}, {-3.0, 9.0}}, x:cumulative_prod():totable())
    end
  end)

  it("are exact for many elements, whatever the number of threads", function()
    for _, d in ipairs(dtypes) do
      local n = 300000
      local x = lt.arange(1, n + 1, {dtype = "float64"}):remainder(17)
      local z = lt.complex(x, -x):to(d)
      local want = x:sum():item()
      assert.same({want, -want}, {z:sum{dtype = "complex128"}:item()})
      assert.same({{want, -want}}, z:reshape(1, n):sum(2, {dtype = "complex128"}):totable())
      local last = z:to("complex128"):cumulative_sum()[n]
      assert.same({want, -want}, {last:item()})
      assert.is_true((z + z):equal_all(2 * z))
    end
  end)

  it("have norms of real dtypes", function()
    for _, d in ipairs(dtypes) do
      local z = tensor({{3, 4}, {0, 0}, {-6, 8}}, d)
      assert.equal(part[d], z:norm().dtype)
      for p, want in pairs{[1] = 15.0, [2] = math.sqrt(125), [math.huge] = 10.0, [-math.huge] = 0.0, [0] = 2.0} do
        assert.is_true(close(z:norm(p):item(), want, 8 * eps[d]), "norm " .. p)
      end
    end
  end)

  it("refuse a real result", function()
    raises("sum: a result of dtype float32 is not possible", lt.sum, lt.ones(2, {dtype = "complex64"}), {dtype = "float32"})
  end)
end)

describe("complex products", function()
  local function product(a, b, m, k, n)
    local c = {}
    for i = 1, m do
      for j = 1, n do
        local s = pair(0, 0)
        for l = 1, k do s = ops.add(s, times(a[(i - 1) * k + l], b[(l - 1) * n + j])) end
        c[#c + 1] = s
      end
    end
    return c
  end

  it("agree with complex arithmetic over layouts", function()
    for _, d in ipairs(dtypes) do
      local a, b = tensor(values(12, 1), d):reshape(3, 4), tensor(values(20, 2), d):reshape(4, 5)
      local want = product(flat(a), flat(b), 3, 4, 5)
      local wide = tensor(values(48, 1), d):reshape(6, 8)
      wide[{ {1, -1, 2}, {1, -1, 2} }] = a
      local stepped = wide[{ {1, -1, 2}, {1, -1, 2} }]
      for label, x in pairs{plain = a, transposed = a.T:contiguous().T, stepped = stepped} do
        for other, y in pairs{plain = b, transposed = b.T:contiguous().T} do
          check(label .. " " .. other, flat(x:matmul(y)), want, 16 * eps[d])
        end
      end
      local out = lt.zeros(6, 10, {dtype = d})[{ {1, -1, 2}, {1, -1, 2} }]
      a:matmul(b, {out = out})
      check("into a stepped view", flat(out), want, 16 * eps[d])
      check("a batch", flat(lt.stack{a, a}:matmul(b)[2]), want, 16 * eps[d])
      check("a vector", flat(a[1]:matmul(b)), {table.unpack(want, 1, 5)}, 16 * eps[d])
      check("by a vector", flat(a:matmul(b[{ {}, 1 }])), {want[1], want[6], want[11]}, 16 * eps[d])
      check("of nothing", flat(lt.zeros(2, 0, {dtype = d}):matmul(lt.zeros(0, 1, {dtype = d}))), {{0, 0}, {0, 0}}, 0)
    end
  end)

  it("vecdot conjugates its left side", function()
    for _, d in ipairs(dtypes) do
      local x, y = tensor({{1, 2}, {3, -1}}, d), tensor({{2, 0}, {0, 1}}, d)
      assert.same({1.0, -1.0}, lt.vecdot(x, y):totable())          -- (1-2i) 2 + (3+i) i
    end
  end)
end)
