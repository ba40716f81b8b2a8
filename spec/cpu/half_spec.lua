-- tags: host uncollected kernels
-- Tests the CPU's kernels for half floats: element-wise functions, conversions, products of matrices and vectors, and
-- reductions. The oracle is the same function of float32 or float64, rounded to the half float. The activations have
-- kernels for all floats.
local lt = require "luatensor"

local halves = {"float16", "bfloat16"}

-- Random bits: numbers of every size, among them subnormals, infinities and NaN, with some values that are close to 1.
local function random_halves(dtype, shape, seed)
  local generator = lt.generator {seed = seed}
  local count = 1
  for _, n in ipairs(shape) do count = count * n end
  local bits = lt.randint(-32768, 32767, {count}, {dtype = "int16", generator = generator})
  local wild = lt.from_bytes(bits:to_bytes(), {count}, {dtype = dtype})
  local tame = lt.randn({count}, {generator = generator}):to(dtype)
  return lt.where(lt.rand({count}, {generator = generator}):less(0.5), wild, tame):reshape(shape)
end

-- Fails unless both tensors have the same bits, where all NaN count as equal.
local function assert_same_bits(want, got, label)
  assert.equal(want.dtype, got.dtype, label)
  assert.same(want.shape, got.shape, label)
  local nan = want:isnan()
  assert.is_true(nan:equal(got:isnan()):all():item(), label .. ": NaN")
  assert.is_true(lt.where(nan, 0, want):to_bytes() == lt.where(nan, 0, got):to_bytes(), label)
end

local unary = {"square", "exp", "sqrt", "sigmoid", "tanh", "relu", "gelu", "silu", "negative", "abs",
  "reciprocal", "rsqrt"}
local binary = {"add", "subtract", "multiply", "divide", "maximum", "minimum", "copysign"}

local function wide(x) return type(x) == "number" and x or x:to("float32") end

-- Compares lt[name](…) with the function of float32, rounded once.
local function compare(name, label, ...)
  local inputs, floats = {...}, {}
  for i, x in ipairs(inputs) do floats[i] = wide(x) end
  assert_same_bits(lt[name](table.unpack(floats)):to(inputs[1].dtype), lt[name](...), name .. " " .. label)
end

for _, dtype in ipairs(halves) do
  describe("functions of " .. dtype, function()
    it("have the bits of the functions of float32, for every length", function()
      for n = 0, 70 do
        local x, y = random_halves(dtype, {n}, n + 1), random_halves(dtype, {n}, n + 100)
        for _, name in ipairs(unary) do compare(name, "of " .. n, x) end
        for _, name in ipairs(binary) do compare(name, "of " .. n, x, y) end
      end
    end)

    it("have these bits for views, numbers and results in place", function()
      local x, y = random_halves(dtype, {37, 53}, 1), random_halves(dtype, {37, 53}, 2)
      for _, name in ipairs(binary) do
        compare(name, "of a row", x, y[1])
        compare(name, "of a column", x, y[{{}, {1, 1}}])
        compare(name, "of columns", x.T, y.T)
        compare(name, "of every second column", x[{{}, {1, -1, 2}}], y[{{}, {1, -1, 2}}])
        compare(name, "from the second element on", x:flatten()[{{2, -1}}], y:flatten()[{{2, -1}}])
        compare(name, "of a half float", x, 0.5)
        compare(name, "of a number that is no half float", x, 0.1)
        compare(name, "of a large number", x, 1e30)
        local own = x:clone()
        lt[name](own, y, {out = own})
        assert_same_bits(lt[name](x, y), own, name .. " in place")
      end
      for _, name in ipairs(unary) do
        compare(name, "of columns", x.T)
        compare(name, "of every second column", x[{{}, {1, -1, 2}}])
      end
    end)

    it("keep a result of another dtype", function()
      local x, y = random_halves(dtype, {100}, 1), random_halves(dtype, {100}, 2)
      local out = lt.zeros({100}, {dtype = "float32"})
      lt.add(x, y, {out = out})
      assert_same_bits(x:to("float32") + y:to("float32"), out, "float32")
      assert_same_bits((x:to("float32") + y:to("float64"):to("float32")), x + y:to("float32"), "mixed dtypes")
    end)
  end)

  describe("conversions of " .. dtype, function()
    it("convert vectors and single elements alike", function()
      local generator = lt.generator {seed = 3}
      local bits = lt.randint(-2147483648, 2147483647, {500}, {dtype = "int32", generator = generator})
      local close = random_halves(dtype, {500}, 4):to("float32")
      for _, from in ipairs {"float32", "float64"} do
        local x = lt.cat({lt.from_bytes(bits:to_bytes(), {500}, {dtype = "float32"}), close, close * 1.001953125}):to(from)
        if from == "float64" then x = lt.cat({x, x * (1 + 2.0 ^ -50), x * (1 - 2.0 ^ -50)}) end
        local parts = {}
        for i = 1, x.size do parts[i] = x[{{i, i}}]:to(dtype) end
        assert_same_bits(lt.cat(parts), x:to(dtype), "from " .. from)
      end
    end)

    it("convert every half float to float32 and back", function()
      local every = lt.from_bytes(lt.arange(-32768, 32768, {dtype = "int16"}):to_bytes(), {65536}, {dtype = dtype})
      local floats = every:to("float32")
      assert_same_bits(every, floats:to(dtype), "back")
      assert_same_bits(every, every:to("float64"):to(dtype), "back from float64")
      assert.equal(1.5, lt.tensor({1.5}, {dtype = dtype}):to("float32"):item())
      assert.is_true(floats:to("float64"):equal(every:to("float64")):logical_or(floats:isnan()):all():item())
    end)
  end)

  describe("products of a matrix and a vector of " .. dtype, function()
    local unit = dtype == "float16" and 2.0 ^ -11 or 2.0 ^ -8     -- the relative error of rounding

    local function check(label, a, b)
      local want, sizes = a:to("float64"):matmul(b:to("float64")), a:to("float64"):abs():matmul(b:to("float64"):abs())
      local bound = want:abs() * unit + sizes * (a.shape[a.ndim] + 2) * 2.0 ^ -24 + 1e-7
      assert.is_true((a:matmul(b):to("float64") - want):abs():less_equal(bound):all():item(), label)
    end

    it("are within the error of float32 and one rounding, for all layouts", function()
      local generator = lt.generator {seed = 5}
      local function random(...) return lt.randn({...}, {generator = generator}):to(dtype) end
      for _, k in ipairs {1, 2, 7, 8, 15, 16, 17, 63, 64, 65, 129, 700} do
        for _, m in ipairs {2, 5, 17, 600} do
          local a, v = random(m, k), random(k)
          check(("%d × %d"):format(m, k), a, v)
          check(("transposed %d × %d"):format(m, k), random(k, m).T, v)
          check(("row times %d × %d"):format(k, m), v, random(k, m))
          check("strided", random(m, 2 * k)[{{}, {1, -1, 2}}], v)
          check("strided vector", a, random(2 * k)[{{1, -1, 2}}])
        end
      end
    end)

    it("have the same bits for any number of threads", function()
      local generator, threads = lt.generator {seed = 6}, lt.get_num_threads()
      local a, v = lt.randn({700, 603}, {generator = generator}):to(dtype), lt.randn({700}, {generator = generator}):to(dtype)
      local function results() return v:matmul(a):to_bytes() .. a:matmul(v[{{1, 603}}]):to_bytes() end
      lt.set_num_threads(1)
      local want = results()
      lt.set_num_threads(4)
      local got = results()
      lt.set_num_threads(threads)
      assert.is_true(want == got)
    end)

    it("of no terms are 0, and NaN stays in its row", function()
      assert.same({0, 0, 0}, lt.zeros({3, 0}, {dtype = dtype}):matmul(lt.zeros({0}, {dtype = dtype})):totable())
      local a, v = lt.ones({20, 37}, {dtype = dtype}), lt.ones({37}, {dtype = dtype})
      a[{3, 36}] = 0 / 0
      local nan = a:matmul(v):isnan():totable()
      for i = 1, 20 do assert.equal(i == 3, nan[i]) end
    end)
  end)

  describe("sums of columns of " .. dtype, function()
    it("are rounded once, for contiguous and for sliced rows", function()
      for _, n in ipairs {1, 5, 63, 64, 65, 200} do
        for _, rows in ipairs {1, 3, 70} do
          local x = lt.randint(-100, 100, {rows, n + 3}, {generator = lt.generator {seed = n}}):to(dtype) * 0.25
          for label, part in pairs {whole = x, sliced = x[{{}, {2, -3}}], one = x[{{}, {1, 1}}]} do
            local want = part:to("float64"):sum(1):to(dtype)
            assert_same_bits(want, part:sum(1), ("%s %d × %d"):format(label, rows, n))
            assert_same_bits(part:to("float64"):amax(1):to(dtype), part:amax(1), "amax")
          end
        end
      end
    end)
  end)

  describe("reductions of " .. dtype, function()
    local names = {"sum", "mean", "max", "min"}
    local function check(x, label, dim)
      for _, name in ipairs(names) do
        assert_same_bits(lt[name](x:to("float64"), dim):to(dtype), lt[name](x, dim), name .. " " .. label)
      end
      local norm = dim and lt.linalg.vector_norm(x, {dim = dim}) or lt.linalg.vector_norm(x)
      assert_same_bits(lt.sqrt((x:to("float64") ^ 2):sum(dim)):to(dtype), norm, "norm " .. label)
    end

    -- Multiples of 1/4, whose sums are exact in float64.
    local function quarters(shape, seed)
      return (lt.randint(-100, 100, shape, {generator = lt.generator {seed = seed}}) * 0.25):to(dtype)
    end

    it("are rounded once, for rows of every length and alignment", function()
      for _, n in ipairs {1, 15, 63, 64, 127, 255, 256, 257, 271, 272, 287, 320, 1000, 8191, 8193, 20000, 140001} do
        local x = quarters({n + 1}, n)
        check(x[{{1, n}}], "of " .. n)
        check(x[{{2, n + 1}}], "from the second of " .. n)
        check(x:flip(1), "backward of " .. n)
      end
      check(quarters({7, 500}, 1), "of rows", 2)
      check(quarters({7, 1000}, 2)[{{}, {1, -1, 2}}], "of every second column", 2)
      check(quarters({1, 600}, 3):broadcast_to(5, 600), "of repeated rows", 2)
    end)

    it("are rounded once, for columns and for several dims", function()
      for _, rows in ipairs {1, 7, 8, 9, 16, 300} do
        for _, n in ipairs {1, 15, 16, 17, 100, 2049} do
          local x = quarters({rows, n + 2}, n)
          check(x, ("of %d × %d"):format(rows, n), 1)
          check(x[{{}, {2, -2}}], ("of the middle of %d × %d"):format(rows, n), 1)
          check(x:flip(1), ("backward of %d × %d"):format(rows, n), 1)
        end
      end
      local x = quarters({6, 5, 20, 30}, 4)
      for _, name in ipairs(names) do
        assert_same_bits(lt[name](x:to("float64"), {1, 3, 4}):to(dtype), lt[name](x, {1, 3, 4}), name)
      end
    end)

    it("keep NaN and infinities", function()
      for _, at in ipairs {1, 17, 256, 300, 5000} do
        for _, value in ipairs {0 / 0, 1 / 0, -1 / 0} do
          local x = quarters({5000}, 5)
          x[at] = value
          check(x, ("with %g at %d"):format(value, at))
          check(x:reshape(50, 100), ("with %g at %d"):format(value, at), 1)
        end
      end
    end)
  end)
end

describe("activations of straight pieces", function()
  local F = lt.nn.functional

  -- The results and the gradients by functions of tensors, for float32 and float64.
  local function limited(x, low, high) return x:maximum(low):minimum(high) end
  local cases = {
    hardsigmoid = {function(x) return limited(x + 3, 0, 6) / 6 end,
                   function(g, x) return lt.where(x:greater(-3):logical_and(x:less(3)), g / 6, 0) end},
    hardswish = {function(x) return x * limited(x + 3, 0, 6) / 6 end,
                 function(g, x)
                   return lt.where(x:less_equal(-3), 0, lt.where(x:less(3), g * (x / 3 + 0.5), g))
                 end},
    relu6 = {function(x) return limited(x, 0, 6) end,
             function(g, x) return lt.where(x:less_equal(0):logical_or(x:greater_equal(6)), 0, g) end},
    hardtanh = {function(x) return limited(x, -1, 1) end,
                function(g, x) return lt.where(x:less_equal(-1):logical_or(x:greater_equal(1)), 0, g) end},
  }

  for name, case in pairs(cases) do
    it(name .. " and its gradient are computed in float32 or float64 and rounded once", function()
      for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64"} do
        local special = lt.tensor {-3, 3, 6, -1, 1, -0.0, 0.0, 1 / 0, -1 / 0, 0 / 0, -2.99, 2.99, 5.99, 65504}
        local x = lt.cat({lt.linspace(-7, 7, 301), special}):to(dtype)
        local g = lt.linspace(-2, 2, x.size):to(dtype)
        local accurate = dtype == "float64" and dtype or "float32"
        local d = x:detach():to(accurate)
        x.requires_grad = true
        local y = F[name](x)
        assert_same_bits(case[1](d):to(dtype), y:detach(), name .. " of " .. dtype)
        y:backward(g)
        assert_same_bits(case[2](g:to(accurate), d):to(dtype), x.grad, "gradient of " .. name .. " of " .. dtype)
      end
    end)
  end
end)

describe("leaky_relu", function()
  it("is x or a multiple of x, and so is its gradient", function()
    for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64"} do
      for _, slope in ipairs {0.01, 0, -0.5, 2} do
        local list = {-2, -0.0, 0.0, 3, 1 / 0, -1 / 0, 0 / 0, -1e-3}
        local x, g = lt.tensor(list, {dtype = dtype}), lt.tensor({1, 2, 3, 4, 5, 6, 7, 8}, {dtype = dtype})
        x.requires_grad = true
        local y = lt.nn.functional.leaky_relu(x, {negative_slope = slope})
        local d = x:detach()
        assert_same_bits(lt.where(d:greater(0), d, d * slope), y:detach(), dtype)
        y:backward(g)
        assert_same_bits(lt.where(d:greater(0), g, g * slope), x.grad, "gradient of " .. dtype)
      end
    end
  end)
end)

describe("softplus", function()
  it("is x above its threshold, and so is its gradient, in every dtype", function()
    for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64"} do
      local x = lt.cat({lt.linspace(-30, 30, 301), lt.tensor({19.99, 20, 20.01, 1 / 0, -1 / 0, 0 / 0})}):to(dtype)
      local g = lt.linspace(-2, 2, x.size):to(dtype)
      local d = x:detach()
      x.requires_grad = true
      for _, limit in ipairs {20, 25, 3} do
        x.grad = nil
        local y = lt.nn.functional.softplus(x, {threshold = limit})
        assert_same_bits(lt.where(d:greater(limit), d, lt.softplus(d)), y:detach(), dtype)
        y:backward(g)
        local slope = (g:to("float64") * d:to("float64"):sigmoid())
        slope = lt.where(d:greater(limit), g:to("float64"), slope)
        local far = (x.grad:to("float64") - slope):abs():greater(slope:abs() * 2.0 ^ -7 + 2.0 ^ -24)
        assert.is_false(far:any():item(), "gradient of " .. dtype)
      end
    end
  end)
end)
