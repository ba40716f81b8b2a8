-- tags: many-kernels kernels
-- Compares functions of complex numbers with exact values and with C's special cases (spec/data/make_complex.py).
-- Errors are |got - exact| / |exact|, in units of the dtype's eps.
require "spec.support.helpers"
local lt = require "luatensor"
local data = require("spec.support.data").read "complex"

local inf = math.huge
local LIMIT = 3            -- the largest error that is allowed, in eps of complex128
local NARROW_LIMIT = 1.2   -- the same limit in eps of complex64; the reference is a rounded result of complex128

local function column(rows, i)
  local list = {}
  for k, row in ipairs(rows) do list[k] = row[i] end
  return lt.tensor(list, {dtype = "float64"})
end

local function parts(z)
  local re, im = lt.real(z):totable(), lt.imag(z):totable()
  return function(i) return re[i], im[i] end
end

-- Returns |(x, y)| without overflow or underflow.
local function length(x, y)
  local high = math.max(math.abs(x), math.abs(y))
  if high == 0 or high == inf then return high end
  return high * math.sqrt((x / high) ^ 2 + (y / high) ^ 2)
end

local function difference(got, want)
  return (got == want or (got ~= got and want ~= want)) and 0 or got - want
end

-- Returns the distance of (re, im) from (want_re, want_im), relative to the length of (want_re, want_im), in units of
-- eps. A length below `least`, the least normal number, is replaced by `least`.
local function distance(re, im, want_re, want_im, eps, least)
  local off = length(difference(re, want_re), difference(im, want_im))
  return off == 0 and 0 or off / math.max(length(want_re, want_im), least) / eps
end

local function worst_of(rows, get, first, eps, least)
  local worst, at = -1, nil
  for i, row in ipairs(rows) do
    local re, im = get(i)
    local e = distance(re, im, row[first], row[first + 1], eps, least) - (row[first + 2] or 0)
    if e > worst or e ~= e then worst, at = e == e and e or inf, i end
  end
  local row, re, im = rows[at], get(at)
  return worst, ("f(%a + %a i) = %a + %a i, not %a + %a i: %.2f eps"):format(
    row[1], row[2], re, im, row[first], row[first + 1], worst)
end

describe("complex128", function()
  for name, rows in pairs(data.exact) do
    it(name .. " is within " .. LIMIT .. " eps of exact values", function()
      local z = lt.complex(column(rows, 1), column(rows, 2))
      local worst, where = worst_of(rows, parts(lt[name](z)), 3, 2^-52, 2^-1022)
      assert.is_true(worst <= LIMIT, where)
    end)
  end

  -- A row of a function of z and w is {re z, im z, re w, im w, re of the result, im of the result, …}.
  for name, rows in pairs(data.binary) do
    it(name .. " too", function()
      local z, w = lt.complex(column(rows, 1), column(rows, 2)), lt.complex(column(rows, 3), column(rows, 4))
      local worst, where = worst_of(rows, parts(lt[name](z, w)), 5, 2^-52, 2^-1022)
      assert.is_true(worst <= LIMIT, where)
    end)
  end
end)

-- The exact values of complex64 are the results of complex128 at the same point.
describe("complex64", function()
  local function compare(name, ...)
    local narrow, wide = {}, {}
    for i, z in ipairs {...} do
      z = z:to("complex64")
      narrow[i] = lt.where(lt.isfinite(z), z, 1)
      wide[i] = narrow[i]:to("complex128")
    end
    local got, exact = lt[name](table.unpack(narrow)), parts(lt[name](table.unpack(wide)):to("complex64"))
    assert.equal("complex64", got.dtype)
    local re, im = lt.real(narrow[1]):totable(), lt.imag(narrow[1]):totable()
    local rows = {}
    for i = 1, #re do
      local x, y = exact(i)
      rows[i] = {re[i], im[i], x, y}
    end
    local worst, where = worst_of(rows, parts(got), 3, 2^-23, 2^-126)
    assert.is_true(worst <= NARROW_LIMIT, where)
  end

  for name, rows in pairs(data.exact) do
    it(name .. " is complex128's, rounded", function() compare(name, lt.complex(column(rows, 1), column(rows, 2))) end)
  end
  for name, rows in pairs(data.binary) do
    it(name .. " is complex128's, rounded", function()
      compare(name, lt.complex(column(rows, 1), column(rows, 2)), lt.complex(column(rows, 3), column(rows, 4)))
    end)
  end
end)

-- True if got, one part of f(z) with z = x + y i, is as wanted. C's standard leaves signs open if a part of z is NaN,
-- or if both parts are infinite.
local function as_wanted(got, want, x, y, eps)
  if want ~= want then return got ~= got end
  local open = x ~= x or y ~= y or (math.abs(x) == inf and math.abs(y) == inf)
  if got == want then return got ~= 0 or open or 1 / got == 1 / want end
  return open and math.abs(got) == math.abs(want) or math.abs(got - want) <= 4 * eps * math.abs(want)
end

describe("special cases and branch cuts", function()
  for dtype, eps in pairs {complex64 = 2^-23, complex128 = 2^-52} do
    for name, rows in pairs(data.special) do
      it(("of %s of %s are C's"):format(name, dtype), function()
        local get = parts(lt[name](lt.complex(column(rows, 1), column(rows, 2)):to(dtype)))
        for i, row in ipairs(rows) do
          local x, y, want_re, want_im = table.unpack(row)
          local re, im = get(i)
          assert.is_true(as_wanted(re, want_re, x, y, eps) and as_wanted(im, want_im, x, y, eps),
                         ("%s(%s + %s i) = %s + %s i, not %s + %s i"):format(name, x, y, re, im, want_re, want_im))
        end
      end)
    end
  end
end)

-- Checks a result that follows from the definition of the function. row: the real and imaginary parts of the
-- arguments and of the result, in this order; "any" instead of a part means any number.
local function check(name, dtype, row)
  local arguments = {}
  for i = 1, #row - 2, 2 do
    arguments[#arguments + 1] = lt.complex(lt.tensor {row[i]}, lt.tensor {row[i + 1]}):to(dtype)
  end
  local re, im = parts(lt[name](table.unpack(arguments)))(1)
  local want_re, want_im = row[#row - 1], row[#row]
  local eps = dtype == "complex64" and 2^-23 or 2^-52
  local function fits(got, want) return want == "any" or as_wanted(got, want, 0, 0, eps / 4) end
  local ok = fits(re, want_re) and fits(im, want_im)
  assert.is_true(ok, ("%s: %s + %s i, not %s + %s i"):format(name, re, im, want_re, want_im))
end

local nan = 0.0 / 0.0
local cases = {
  sign = {{0.0, 0.0, 0.0, 0.0}, {3, 4, 3 / 5, 4 / 5}, {-inf, 2, -1, 0.0}, {2, -inf, 0.0, -1}, {inf, inf, nan, nan},
          {nan, 0, nan, nan}, {1, nan, nan, nan}},
  reciprocal = {{4, 0.0, 0.25, 0.0}, {0.0, -2, "any", 0.5}, {inf, 1, 0.0, "any"}},
  sigmoid = {{0.0, 0.0, 0.5, 0.0}, {inf, nan, 1, 0.0}, {-inf, inf, 0.0, 0.0}, {nan, 1, nan, nan}},
  expm1 = {{0.0, 0.0, 0.0, 0.0}, {inf, 0.0, inf, 0.0}, {-inf, inf, -1, 0.0}, {inf, nan, inf, nan}, {1, inf, nan, nan}},
  log1p = {{-1, 0.0, -inf, 0.0}, {inf, nan, inf, nan}, {0.0, 0.0, 0.0, 0.0}},
  log2 = {{8, 0.0, 3, 0.0}, {0.0, -0.25, -2, "any"}},
  log10 = {{1000, 0.0, 3, 0.0}},
  acosh = {{0.0, nan, nan, "any"}}, tanh = {{0.0, inf, 0.0, nan}, {0.0, nan, 0.0, nan}},
  pow = {{nan, nan, 0, 0, 1, 0.0}, {0, 0, 2, 1, 0.0, 0.0}, {0, 0, -1, 0, inf, nan}, {0, 0, 0, 1, nan, nan},
         {3, -2, 1, 0, 3, -2}, {1, 2, 2, 0, -3, 4}, {1, 1, 4, 0, -4, 0.0}, {0.0, 1, -1, 0, 0.0, -1},
         {2, 0.0, 0.5, 0, 2 ^ 0.5, 0.0}, {-2, 0.0, 3, 0, -8, 0.0}, {inf, 0.0, 2, 0, inf, 0.0}},
  divide = {{1, 2, 0, 0, inf, inf}, {0, 0, 0, 0, nan, nan}, {-1, 2, -0.0, 0, inf, -inf}, {inf, 1, 1, 1, inf, -inf},
            {1, -1, inf, inf, 0.0, -0.0}, {inf, 1, inf, 1, nan, "any"}, {7, -7, 2, 0, 3.5, -3.5}, {6, 3, 0, 3, 1, -2}},
}
describe("values by definition", function()
  for dtype in pairs {complex64 = true, complex128 = true} do
    for name, rows in pairs(cases) do
      it(("%s of %s"):format(name, dtype), function()
        for _, row in ipairs(rows) do check(name, dtype, row) end
      end)
    end
  end

  local function doubles(list) return lt.tensor(list, {dtype = "float64"}) end

  it("a real divisor divides both parts as reals", function()
    local x, y = lt.arange(1, 300, {dtype = "float64"}), lt.arange(-299, 0, {dtype = "float64"})
    local r = lt.divide(lt.complex(x, y), lt.complex(doubles {7}, doubles {0}))
    assert.same((x / 7):totable(), lt.real(r):totable())
    assert.same((y / 7):totable(), lt.imag(r):totable())
  end)

  it("abs neither overflows nor loses small parts", function()
    local r = lt.abs(lt.complex(doubles {3e300, 3e-300, inf}, doubles {4e300, 4e-300, nan}))
    assert.equal("float64", r.dtype)
    local list = r:totable()
    assert.is_true(math.abs(list[1] / 5e300 - 1) < 1e-15 and math.abs(list[2] / 5e-300 - 1) < 1e-15 and list[3] == inf)
  end)

  it("isclose compares distances in the plane", function()
    local z = lt.complex(lt.tensor {1, 1, inf, inf}, lt.tensor {1, 1, 1, 1})
    local w = lt.complex(lt.tensor {1.05, 1, inf, 3}, lt.tensor {1, 1.5, 1, 1})
    assert.same({true, false, true, false}, lt.isclose(z, w, {rtol = 0.04, atol = 0}):totable())
  end)
end)
