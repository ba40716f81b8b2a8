-- tags: kernels smoke
-- Tests the accuracy of the math functions in the table of kernels that LUATENSOR_CPU selects: errors of at most 2
-- ulp. float32 is compared with Lua's math library in double, float64 with exact values (spec/data/make_math.py).
local lt = require "luatensor"
local vectors = require("spec.support.data").read "math"

local inf, nan = math.huge, 0.0 / 0.0
local abs, max = math.abs, math.max
local LIMIT = 2

local function expm1(x)
  if abs(x) > 0.5 then return math.exp(x) - 1 end
  local sum, term = 0.0, x
  for k = 2, 20 do sum, term = sum + term, term * x / k end
  return sum
end

-- Returns log(1 + x) by Kahan's formula, which is accurate even for tiny x.
local function log1p(x)
  local u = 1 + x
  if u == 1 or u == inf then return x end
  return math.log(u) * (x / (u - 1))
end

local function even(f) return function(x) return f(abs(x)) end end
local function odd(f) return function(x) return x < 0 and -f(-x) or x == 0 and x or f(x) end end

-- The oracle of float32 functions: Lua's functions of doubles, whose results are exact to a fraction of a float32
-- ulp.
local oracle = {
  exp = math.exp, expm1 = expm1, log1p = log1p, log = math.log,
  log2 = function(x) return math.log(x, 2) end,
  log10 = function(x) return math.log(x, 10) end,
  sin = math.sin, cos = math.cos, tan = math.tan, asin = math.asin, acos = math.acos, atan = math.atan,
  sinh = odd(function(x) return x < 0.5 and (expm1(x) - expm1(-x)) / 2 or (math.exp(x) - math.exp(-x)) / 2 end),
  cosh = even(function(x) return (math.exp(x) + math.exp(-x)) / 2 end),
  tanh = odd(function(x) local e = expm1(-2 * x) return -e / (e + 2) end),
  asinh = odd(function(x) return log1p(x + x * x / (1 + math.sqrt(1 + x * x))) end),
  acosh = function(x)
    local t = x - 1
    return t < 0 and nan or log1p(t + math.sqrt(t * (t + 2)))
  end,
  atanh = odd(function(x) return log1p(2 * x / (1 - x)) / 2 end),
  sigmoid = function(x) return x < 0 and math.exp(x) / (1 + math.exp(x)) or 1 / (1 + math.exp(-x)) end,
  sqrt = math.sqrt,
}

local function exponent(x)
  local e = (string.unpack("<i8", string.pack("<d", x)) >> 52) & 0x7ff
  return e - 1023
end

-- Returns the error of got, in units of the last place of a format with `bits` significant bits. The exact result is
-- want + rest. least: the exponent of the format's least normal number.
local function ulps(got, want, rest, bits, least)
  if want ~= want or got ~= got then return want ~= want and got ~= got and 0 or inf end
  local unit = 2.0 ^ (max(want == 0 and least or exponent(want), least) - bits + 1)
  if abs(got) == inf or abs(want) == inf then
    local max_value = (2 - 2.0 ^ (1 - bits)) * 2.0 ^ (1 - least)
    return (got == want or abs(want) > max_value and got * want > 0) and 0 or inf
  end
  return abs((got - want) - rest) / unit
end

-- Returns every `step`-th float of both signs, including subnormals.
local function floats(step)
  local bytes, n = {}, 0
  for bits = 0, 0xffffffff, step do
    n = n + 1
    bytes[n] = string.pack("<I4", bits)
  end
  return lt.from_bytes(table.concat(bytes), {n}, {dtype = "float32"})
end

local function worst_float32(name, x)
  local values, results, worst, at = x:totable(), lt[name](x):totable(), 0, nil
  local f = oracle[name]
  for i = 1, #values do
    local want = f(values[i])
    local e = ulps(results[i], want, 0, 24, -126)
    if e > worst then worst, at = e, values[i] end
  end
  return worst, at
end

describe("float32 functions", function()
  local x = floats(209987)     -- about 20 000 floats
  for name in pairs(oracle) do
    it(name .. " is within 2 ulp of every float", function()
      local worst, at = worst_float32(name, x)
      assert.is_true(worst <= LIMIT, ("%s: %.2f ulp at %a"):format(name, worst, at or nan))
    end)
  end
end)

-- These functions are computed by sums of two floats, or in double.
describe("float32 functions with more digits", function()
  local more, x = 1.2, floats(104729)
  for _, name in ipairs {"erfc", "gelu", "softplus", "tan"} do
    it(name .. " is within 1.2 ulp of float64", function()
      local want, got, values = lt[name](x:to("float64")):totable(), lt[name](x):totable(), x:totable()
      for i, v in ipairs(values) do
        local e = ulps(got[i], want[i], 0, 24, -126)
        assert.is_true(e <= more, ("%s(%a) = %a, not %a: %.2f ulp"):format(name, v, got[i], want[i], e))
      end
    end)
  end

  it("pow is within 1.2 ulp of Lua's power", function()
    local bases = lt.cat({lt.rand(10000):add(0.5), lt.rand(10000):subtract(0.5):multiply(250):exp()})
    local limits = bases:log():abs():reciprocal():multiply(104)
    local powers = lt.rand(20000):subtract(0.5):multiply(2):multiply(limits)
    local list, y, got = bases:totable(), powers:totable(), bases:pow(powers):totable()
    for i, base in ipairs(list) do
      local e = ulps(got[i], base ^ y[i], 0, 24, -126)
      assert.is_true(e <= more, ("%a ^ %a = %a: %.2f ulp"):format(base, y[i], got[i], e))
    end
  end)
end)

-- Digits of these functions may cancel, so errors are in units of the last place of the largest number involved.
describe("logaddexp and softplus", function()
  local function worst_of(got, want, sizes, bits, least)
    local worst = 0
    for i, size in ipairs(sizes) do
      local unit = 2.0 ^ (max(exponent(size), least) - bits + 1)
      worst = max(worst, abs(got[i] - want[i]) / unit)
    end
    return worst
  end

  local x = lt.cat({lt.linspace(-3, 3, 4001), lt.linspace(-120, 120, 4000)}):to("float32")
  for _, shift in ipairs {0.0, 0.3, -1.7, 25.0, -110.0} do
    it(("logaddexp of float32 is within 1 ulp at a distance of %g"):format(shift), function()
      local y = (x + shift):to("float32")
      local wide = lt.logaddexp(x:to("float64"), y:to("float64"))
      local sizes = wide:abs():maximum(x:abs()):maximum(y:abs()):totable()
      assert.is_true(worst_of(lt.logaddexp(x, y):totable(), wide:totable(), sizes, 24, -126) <= 1)
    end)
  end

  it("are within 4 ulp of Lua's functions in float64", function()
    local v = lt.cat({lt.linspace(-3, 3, 4001, {dtype = "float64"}), lt.linspace(-700, 700, 4000, {dtype = "float64"})})
    local values, want, sizes = v:totable(), {}, {}
    for i, value in ipairs(values) do
      want[i] = max(value, 0) + log1p(math.exp(-abs(value)))
      sizes[i] = want[i]
    end
    assert.is_true(worst_of(v:softplus():totable(), want, sizes, 53, -1022) <= 4)
    local y = v * 0.5 - 0.4
    for i, value in ipairs(values) do
      local other = value * 0.5 - 0.4
      local high = max(value, other)
      want[i] = high + log1p(math.exp(-abs(value - other)))
      sizes[i] = max(abs(value), abs(other), abs(want[i]))
    end
    assert.is_true(worst_of(lt.logaddexp(v, y):totable(), want, sizes, 53, -1022) <= 4)
  end)
end)

-- In these ranges 1 + exp(x) has few of the digits of 1 or of exp(x).
it("sigmoid is within 2 ulp where a term of its sum is small", function()
  for _, range in ipairs {{-18, -15}, {15, 18}, {-0.01, 0.01}, {-104, -86}} do
    local worst, at = worst_float32("sigmoid", lt.linspace(range[1], range[2], 5000):to("float32"))
    assert.is_true(worst <= LIMIT, ("%.2f ulp at %a"):format(worst, at or nan))
  end
end)

describe("float64 functions", function()
  for name, rows in pairs(vectors) do
    it(name .. " is within 2 ulp of exact values", function()
      local inputs = {}
      for i, row in ipairs(rows) do inputs[i] = row[1] end
      local results = lt[name](lt.tensor(inputs, {dtype = "float64"})):totable()
      for i, row in ipairs(rows) do
        local e = ulps(results[i], row[2], row[3], 53, -1022)
        assert.is_true(e <= LIMIT, ("%s(%a) = %a: %.2f ulp"):format(name, row[1], results[i], e))
      end
    end)

    it(name .. " of float32 too", function()
      local inputs = {}
      for i, row in ipairs(rows) do inputs[i] = row[1] end
      local narrow = lt.tensor(inputs, {dtype = "float64"}):to("float32")
      local wide = lt[name](narrow:to("float64")):totable()
      local results = lt[name](narrow):totable()
      for i = 1, #results do
        local e = ulps(results[i], wide[i], 0, 24, -126)
        assert.is_true(e <= LIMIT, ("%s: %a, not %a: %.2f ulp"):format(name, results[i], wide[i], e))
      end
    end)
  end
end)

local function same(got, want)
  if want ~= want then return got ~= got end
  return got == want and (want ~= 0 or 1 / got == 1 / want)
end

-- The special cases that the array API standard requires: {x, f(x)}
local pi = math.pi
local unary_cases = {
  exp = {{nan, nan}, {0.0, 1}, {-0.0, 1}, {inf, inf}, {-inf, 0.0}, {1000, inf}, {-1000, 0.0}},
  expm1 = {{nan, nan}, {0.0, 0.0}, {-0.0, -0.0}, {inf, inf}, {-inf, -1}},
  log = {{nan, nan}, {-1, nan}, {0.0, -inf}, {-0.0, -inf}, {1, 0.0}, {inf, inf}},
  log1p = {{nan, nan}, {-2, nan}, {-1, -inf}, {0.0, 0.0}, {-0.0, -0.0}, {inf, inf}},
  log2 = {{nan, nan}, {-1, nan}, {0.0, -inf}, {8, 3}, {0.125, -3}, {inf, inf}},
  log10 = {{nan, nan}, {-1, nan}, {0.0, -inf}, {1, 0.0}, {inf, inf}},
  sin = {{nan, nan}, {0.0, 0.0}, {-0.0, -0.0}, {inf, nan}, {-inf, nan}},
  cos = {{nan, nan}, {0.0, 1}, {-0.0, 1}, {inf, nan}, {-inf, nan}},
  tan = {{nan, nan}, {0.0, 0.0}, {-0.0, -0.0}, {inf, nan}},
  asin = {{nan, nan}, {2, nan}, {-2, nan}, {0.0, 0.0}, {-0.0, -0.0}},
  acos = {{nan, nan}, {2, nan}, {-2, nan}, {1, 0.0}},
  atan = {{nan, nan}, {0.0, 0.0}, {-0.0, -0.0}},
  sinh = {{nan, nan}, {0.0, 0.0}, {-0.0, -0.0}, {inf, inf}, {-inf, -inf}},
  cosh = {{nan, nan}, {0.0, 1}, {-0.0, 1}, {inf, inf}, {-inf, inf}},
  tanh = {{nan, nan}, {0.0, 0.0}, {-0.0, -0.0}, {inf, 1}, {-inf, -1}},
  asinh = {{nan, nan}, {0.0, 0.0}, {-0.0, -0.0}, {inf, inf}, {-inf, -inf}},
  acosh = {{nan, nan}, {0.5, nan}, {1, 0.0}, {inf, inf}},
  atanh = {{nan, nan}, {2, nan}, {1, inf}, {-1, -inf}, {0.0, 0.0}, {-0.0, -0.0}},
  erf = {{nan, nan}, {0.0, 0.0}, {-0.0, -0.0}, {inf, 1}, {-inf, -1}},
  erfc = {{nan, nan}, {0.0, 1}, {inf, 0.0}, {-inf, 2}},
  sigmoid = {{nan, nan}, {0.0, 0.5}, {inf, 1}, {-inf, 0.0}},
  gelu = {{nan, nan}, {0.0, 0.0}, {-0.0, -0.0}, {inf, inf}, {-inf, -0.0}},
  round = {{nan, nan}, {0.5, 0.0}, {1.5, 2}, {2.5, 2}, {-0.5, -0.0}, {-0.0, -0.0}, {inf, inf}, {8388609, 8388609}},
  floor = {{nan, nan}, {-0.0, -0.0}, {0.5, 0.0}, {-0.5, -1}, {-inf, -inf}, {8388607.5, 8388607}},
  ceil = {{nan, nan}, {-0.0, -0.0}, {-0.5, -0.0}, {0.5, 1}, {inf, inf}, {8388607.5, 8388608}},
  trunc = {{nan, nan}, {-0.5, -0.0}, {0.5, 0.0}, {-1.5, -1}, {inf, inf}},
}

-- The special cases of functions of two arguments: {x, y, f(x, y)}
local binary_cases = {
  pow = {{nan, 0.0, 1}, {1, nan, 1}, {nan, 1, nan}, {2, nan, nan}, {-1, inf, 1}, {-1, -inf, 1}, {2, inf, inf}, {2, -inf, 0.0},
         {0.5, inf, 0.0}, {0.5, -inf, inf}, {inf, 2, inf}, {inf, -2, 0.0}, {-inf, 3, -inf}, {-inf, 2, inf},
         {-inf, -3, -0.0}, {-inf, -2, 0.0}, {0.0, 2, 0.0}, {0.0, -2, inf}, {-0.0, 3, -0.0}, {-0.0, 2, 0.0},
         {-0.0, -3, -inf}, {-0.0, -2, inf}, {-2, 0.5, nan}, {-2, 3, -8}, {-2, 2, 4}},
  atan2 = {{nan, 1, nan}, {1, nan, nan}, {0.0, 0.0, 0.0}, {-0.0, 0.0, -0.0}, {0.0, 1, 0.0},
           {1, inf, 0.0}, {-1, inf, -0.0}},
  hypot = {{inf, nan, inf}, {nan, -inf, inf}, {nan, 1, nan}, {3, 4, 5}, {0.0, -0.0, 0.0}},
  logaddexp = {{nan, 1, nan}, {1, nan, nan}, {inf, 1, inf}, {-inf, 1, 1}, {-inf, -inf, -inf}, {inf, -inf, inf}},
  floor_divide = {{nan, 1, nan}, {inf, inf, nan}, {0.0, 0.0, nan}, {1, 0.0, inf}, {1, -0.0, -inf}, {0.0, -1, -0.0},
                  {inf, 2, inf}, {1, inf, 0.0}, {-1, inf, -0.0}, {1, -inf, -0.0}, {-1, -inf, 0.0}, {-7, 2, -4}, {7, -2, -4}},
  remainder = {{nan, 1, nan}, {inf, 1, nan}, {1, 0.0, nan}, {0.0, 1, 0.0}, {-0.0, 1, 0.0}, {0.0, -1, -0.0}, {1, inf, 1},
               {1, -inf, -inf}, {-1, inf, inf}, {-1, -inf, -1}, {-7, 2, 1}, {7, -2, -1}, {6, -2, -0.0}, {2^100, 3, 1}},
  nextafter = {{0.0, 0.0, 0.0}, {0.0, -0.0, -0.0}, {nan, 1, nan}, {1, nan, nan}, {1, 1, 1}},
}

describe("special cases", function()
  for _, dtype in ipairs {"float32", "float64"} do
    for name, rows in pairs(unary_cases) do
      it(name .. " of " .. dtype, function()
        for _, row in ipairs(rows) do
          local got = lt[name](lt.full({3}, row[1], {dtype = dtype})):totable()[2]
          assert.is_true(same(got, row[2]), ("%s(%s) = %s, not %s"):format(name, row[1], got, row[2]))
        end
      end)
    end
    for name, rows in pairs(binary_cases) do
      it(name .. " of " .. dtype, function()
        for _, row in ipairs(rows) do
          local x, y = lt.full({3}, row[1], {dtype = dtype}), lt.full({3}, row[2], {dtype = dtype})
          local got = lt[name](x, y):totable()[2]
          assert.is_true(same(got, row[3]), ("%s(%s, %s) = %s, not %s"):format(name, row[1], row[2], got, row[3]))
        end
      end)
    end
  end

  it("atan2 knows all quadrants", function()
    local y = lt.tensor({0.0, -0.0, 1, -1, 1, -1, math.huge, -math.huge}, {dtype = "float64"})
    local x = lt.tensor({-1, -1, 0.0, 0.0, -inf, -inf, inf, -inf}, {dtype = "float64"})
    assert.same({pi, -pi, pi / 2, -pi / 2, pi, -pi, pi / 4, -3 * pi / 4}, lt.atan2(y, x):totable())
  end)
end)

describe("nextafter", function()
  it("steps in the dtype that is stored", function()
    local steps = {float16 = 2.0 ^ -10, bfloat16 = 2.0 ^ -7, float32 = 2.0 ^ -23, float64 = 2.0 ^ -52}
    for dtype, step in pairs(steps) do
      local one = lt.full({2}, 1, {dtype = dtype})
      assert.equal(1 + step, lt.nextafter(one, lt.full({2}, 2, {dtype = dtype})):totable()[1])
      assert.equal(1 - step / 2, lt.nextafter(one, lt.full({2}, 0, {dtype = dtype})):totable()[1])
    end
  end)
end)

describe("an element", function()
  it("has the same bits beside a huge element", function()
    for _, dtype in ipairs {"float32", "float64"} do
      local x = lt.linspace(-20, 20, 1000, {dtype = "float64"}):to(dtype)
      local far = lt.cat({x, lt.full({1}, 1e18, {dtype = dtype})}, 1)
      for _, name in ipairs {"sin", "cos", "tan"} do
        assert.is_true(lt.equal(x[name](x), far[name](far)[{{1, 1000}}]):all():item(), name .. " of " .. dtype)
      end
      assert.is_true(x:remainder(1e-3):equal(far:remainder(1e-3)[{{1, 1000}}]):all():item(), "remainder of " .. dtype)
    end
  end)
end)
