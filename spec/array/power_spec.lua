-- tags: kernels unplugged
-- Powers of real numbers with the constant exponents 1, 2, 3, 4, 0.5, -0.5, -1 and -2, which have kernels of their own.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local inf, nan = math.huge, 0.0 / 0.0
local exponents = {1, 2, 3, 4, 0.5, -0.5, -1, -2}

-- ---- exact numbers: {digits in base 2^24, least first; exponent = of the factor 2} ----

local BASE <const> = 1 << 24

local function exact(digits, exponent) return {digits = digits, exponent = exponent} end

local function product(a, b)
  local digits = {}
  for k = 1, #a.digits + #b.digits do digits[k] = 0 end
  for i, x in ipairs(a.digits) do
    local carry = 0
    for j, y in ipairs(b.digits) do
      local sum = digits[i + j - 1] + x * y + carry
      digits[i + j - 1], carry = sum % BASE, sum // BASE
    end
    digits[i + #b.digits] = carry
  end
  return exact(digits, a.exponent + b.exponent)
end

local function power(a, n)
  local result = exact({1}, 0)
  for _ = 1, n do result = product(result, a) end
  return result
end

-- Returns the number n * 2^exponent of an integer n.
local function integer(n, exponent)
  local digits = {}
  while n > 0 do digits[#digits + 1], n = n % BASE, n // BASE end
  return exact(digits, exponent)
end

-- Returns the digits of a as a multiple of 2^exponent, which divides a.
local function multiple_of(a, exponent)
  local shift, digits = a.exponent - exponent, {}
  for k = 1, shift // 24 do digits[k] = 0 end
  for _, digit in ipairs(product(a, integer(1 << shift % 24, 0)).digits) do digits[#digits + 1] = digit end
  return digits
end

local function is_at_most(a, b)
  local exponent = math.min(a.exponent, b.exponent)
  local x, y = multiple_of(a, exponent), multiple_of(b, exponent)
  for k = math.max(#x, #y), 1, -1 do
    local p, q = x[k] or 0, y[k] or 0
    if p ~= q then return p < q end
  end
  return true
end

-- Returns integers n and e with x = n * 2^e. n has 53 bits, unless x is subnormal.
local function parts(x)
  local bits = ("<i8"):unpack(("<d"):pack(x))
  local e = bits >> 52 & 0x7ff
  return (bits & (1 << 52) - 1) + (e > 0 and 1 << 52 or 0), math.max(e, 1) - 1075
end

-- True if the normal number `got` differs from x^y by at most limit / 64 units in its last place. x is positive. The
-- function compares the squares of the ends of this interval with x^2y.
local function is_near(got, x, y, bits, limit)
  local n, e = parts(got)
  local unit = limit << 53 - bits
  local low, high = power(integer(64 * n - unit, e - 6), 2), power(integer(64 * n + unit, e - 6), 2)
  local of_x, one = power(integer(parts(x)), math.tointeger(2 * math.abs(y))), integer(1, 0)
  if y > 0 then return is_at_most(low, of_x) and is_at_most(of_x, high) end
  return is_at_most(product(low, of_x), one) and is_at_most(one, product(high, of_x))
end

-- ---- specs ----

-- The ways to compute x ^ y, which must all use the same kernels.
local ways = {
  operator = function(x, y) return x ^ y end,
  ["function"] = function(x, y) return lt.pow(x, y, {out = x:empty_like()}) end,
  in_place = function(x, y) return x:clone():pow_(y) end,
  strided = function(x, y) return lt.stack({x, x}, 2)[{{}, 2}] ^ y end,
  compiled = function(x, y) return lt.compile(function() return (x * 1) ^ y * 1 end)() end,
  expression = function(x, y) return lt.elementwise(x.dtype .. " x", ("pow(x, %s) * 1"):format(y))(x) end,
}

describe("a power with a constant exponent", function()
  local has_fma = helpers.device ~= "cpu" or lt.devices()[1].isa ~= "baseline"
  local count = 150

  for dtype, bits in pairs {float32 = 24, float64 = 53} do
    local limit = (bits == 24 or has_fma) and 33 or 72
    local x = (lt.rand(count, {dtype = dtype, generator = lt.generator {seed = 7}}) + 0.5) * 2
    local values = x:totable()
    for name, way in pairs(ways) do
      it(("of %s is rounded well (%s)"):format(dtype, name), function()
        for _, y in ipairs(exponents) do
          for i, got in ipairs(way(x, y):totable()) do
            assert.is_true(is_near(got, values[i], y, bits, limit), ("%a ^ %s = %a"):format(values[i], y, got))
          end
        end
      end)
    end
  end

  it("is as accurate at the ends of the range of float64", function()
    for _, case in ipairs {{0x1.a3p-341, 3}, {0x1.9fp340, 3}, {0x1.8a7p-256, 4}, {0x1.7f3p255, 4}, {0x1.2fa1356468996p-512, -2},
                           {0x1.3f845e522c7cp510, -2}, {0x1.d5p-1050, -0.5}, {0x1.fp1023, -0.5}, {0x1.31p-1030, 0.5}} do
      local x, y = table.unpack(case)
      local got = (lt.full({9}, x, {dtype = "float64"}) ^ y):totable()
      for i = 1, 9 do assert.is_true(is_near(got[i], x, y, 53, 80), ("%a ^ %s = %a"):format(x, y, got[i])) end
    end
  end)

  -- the results of C's pow (annex F of C99)
  local special = {0.0, -0.0, inf, -inf, nan, -2.0}
  local results = {
    [1] = special, [2] = {0.0, 0.0, inf, inf, nan, 4.0}, [3] = {0.0, -0.0, inf, -inf, nan, -8.0},
    [4] = {0.0, 0.0, inf, inf, nan, 16.0}, [0.5] = {0.0, 0.0, inf, inf, nan, nan}, [-0.5] = {inf, inf, 0.0, 0.0, nan, nan},
    [-1] = {inf, -inf, 0.0, -0.0, nan, -0.5}, [-2] = {inf, inf, 0.0, 0.0, nan, 0.25},
  }
  local function show(x) return x ~= x and "nan" or ("%a"):format(x) end

  for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64"} do
    it("of special values of " .. dtype .. " is C's", function()
      local x = lt.tile(lt.tensor(special, {dtype = dtype}), {7})
      for y, want in pairs(results) do
        local got = x ^ y
        assert.equal(dtype, got.dtype)
        for i, value in ipairs(got:totable()) do
          assert.equal(show(want[(i - 1) % 6 + 1]), show(value), ("%s ^ %s"):format(special[(i - 1) % 6 + 1], y))
        end
      end
    end)
  end

  it("overflows and underflows with the sign of the product", function()
    for dtype, sizes in pairs {float32 = {1e30, 1e-30}, float64 = {1e200, 1e-200}} do
      local x = lt.tensor({sizes[1], -sizes[1], sizes[2], -sizes[2]}, {dtype = dtype})
      for y, want in pairs {[3] = {inf, -inf, 0.0, -0.0}, [4] = {inf, inf, 0.0, 0.0}, [-2] = {0.0, 0.0, inf, inf}} do
        for i, value in ipairs((x ^ y):totable()) do assert.equal(show(want[i]), show(value), dtype .. " ^ " .. y) end
      end
    end
  end)

  it("wraps in integers, and keeps the dtype", function()
    for _, name in ipairs {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"} do
      local bits = math.tointeger(name:match "%d+")
      local values = {0, 1, 2, 3, 7, 100, 127, (1 << bits - 1) - 5}
      if name:find "^int" then table.move({-1, -2, -3, -128}, 1, 4, #values + 1, values) end
      local x = lt.tensor(values, {dtype = name})
      for y = 1, 4 do
        local want = {}
        for i, value in ipairs(values) do
          local wanted = 1
          for _ = 1, y do wanted = wanted * value end
          wanted = wanted << 64 - bits
          want[i] = name:find "^u" and wanted >> 64 - bits or wanted // (1 << 64 - bits)
          if bits == 64 then want[i] = wanted end
        end
        assert.equal(name, (x ^ y).dtype)
        assert.same(want, (x ^ y):totable(), name .. " ^ " .. y)
      end
    end
    assert.same({0, 1, -1, 0}, (lt.tensor({2, 1, -1, -7}, {dtype = "int32"}) ^ -1):totable())
    assert.same({0, 1, 1, 0}, (lt.tensor({2, 1, -1, -7}, {dtype = "int32"}) ^ -2):totable())
  end)

  it("promotes as every power", function()
    local integers, flags = lt.tensor {4, 9}, lt.tensor {true, false}
    helpers.holds(integers ^ 0.5, "[2]", {2.0, 3.0})
    assert.equal("float32", (integers ^ 3.0).dtype)
    helpers.holds(flags ^ 3, "[2]", {1, 0})
    assert.equal("int64", (flags ^ 3).dtype)
    helpers.holds(lt.complex(lt.tensor {3.0}, lt.tensor {4.0}) ^ 2, "[1]", {{-7.0, 24.0}})
    helpers.holds(lt.pow(3, 3), "[]", 27)
    for y = 1, 2 do           -- the result is rounded to float32 before it is written to a float64 target
      local out = lt.pow(lt.tensor({(1 << 24) + 1}, {dtype = "int32"}), y + 0.0, {out = lt.zeros(1, {dtype = "float64"})})
      helpers.holds(out, "[1]", {2.0 ^ (24 * y)})
    end
  end)

  it("has the first and second derivative of every power", function()
    for y, want in pairs {[1] = {1, 0}, [2] = {8, 2}, [3] = {48, 24}, [4] = {256, 192}, [0.5] = {0.25, -0.03125},
                          [-0.5] = {-0.0625, 0.0234375}, [-1] = {-0.0625, 0.03125}, [-2] = {-0.03125, 0.0234375}} do
      local first = lt.grad(function(x) return (x ^ y):sum() end)
      local second = lt.grad(function(x) return first(x):sum() end)
      local x = lt.tensor({4.0}, {dtype = "float64"})
      assert.near(want[1], first(x):item(), 1e-15)
      assert.near(want[2], second(x):item(), 1e-15)
    end
  end)

  it("is called pow in errors", function()
    local x = lt.ones(2)
    helpers.fails("pow: the target has shape [3], the result [2]", lt.pow, x, 3, {out = lt.ones(3)})
    helpers.fails("pow_: result float32 does not fit int64", lt.ones(2, {dtype = "int64"}).pow_, lt.ones(2, {dtype = "int64"}), 0.5)
  end)
end)
