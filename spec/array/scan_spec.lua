-- tags: kernels lanes
-- Compares cumulative sums and products with the oracle, and cumulative maxima and minima with known results.
local lt = require "luatensor"
local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local reduce, info = reference.reduce, reference.dtype.info

-- Returns the tolerance, or nil for integers, which must be exact. A GPU multiplies doubles in another order, which
-- costs half a ULP for each of at most 67 factors.
local function tolerance(name, dtype)
  if name == "cumulative_prod" and dtype == "float64" and helpers.device ~= "cpu" then return {ulp = 34, atol = 1e-13} end
  return info[dtype].is_float and {ulp = 2, atol = dtype == "float64" and 1e-13 or 1e-12} or nil
end

for _, name in ipairs {"cumulative_sum", "cumulative_prod"} do
  describe(name, function()
    for _, dtype in ipairs(reference.dtype.names) do
      it("of every layout, along every dim: " .. dtype, function()
        for _, l in ipairs(cases.layouts) do
          local x, a = helpers.laid_out(l, dtype, 3)
          for d = 1, #a.shape do
            local expected = reduce[name](a, d)
            assert.agrees(expected, x[name](x, d), tolerance(name, expected.dtype))
            assert.agrees(expected, x[name](x, {dim = d - 1 - #a.shape}), tolerance(name, expected.dtype))
          end
        end
      end)
    end
  end)
end

describe("scans", function()
  it("begin with the value of no elements on demand", function()
    local x = lt.tensor {{1, 2, 3}, {4, 5, 6}}
    assert.same({{0, 1, 3, 6}, {0, 4, 9, 15}}, x:cumulative_sum(2, {include_initial = true}):totable())
    assert.same({{1, 1, 1}, {1, 2, 3}, {4, 10, 18}}, x:cumulative_prod(1, {include_initial = true}):totable())
    assert.same({0}, lt.zeros(0, {dtype = "int64"}):cumulative_sum({include_initial = true}):totable())
    assert.same({{0, 0}}, lt.zeros(0, 2, {dtype = "int64"}):cumulative_sum(1, {include_initial = true}):totable())
  end)

  it("keep the largest and the smallest so far, and NaN from the first on", function()
    local x = lt.tensor {1, 3, 2, 5, 4}
    assert.same({1, 3, 3, 5, 5}, x:cumulative_max():totable())
    assert.same({-1, -1, -3}, lt.tensor {-1, 2, -3}:cumulative_min():totable())
    local y = lt.tensor({1.0, 0 / 0, 2.0}):cumulative_max():totable()
    assert.is_true(y[1] == 1 and y[2] ~= y[2] and y[3] ~= y[3])
  end)

  it("take a dtype, and an out of it", function()
    local x = lt.tensor {100, 100, 100}
    assert.equal("float32", x:cumulative_sum({dtype = "float32"}).dtype)
    assert.same({100, 200, 44}, x:cumulative_sum({dtype = "uint8"}):totable())
    local out = lt.zeros(3, {dtype = "int64"})
    assert.equal(out, x:cumulative_sum({out = out}))
    assert.same({100, 200, 300}, out:totable())
  end)

  it("are the same in long lines as in short ones", function()
    local n, list, sum = 100003, {}, 0
    for i = 1, n do list[i] = i * 7919 % 1009 - 500 end
    local got = lt.tensor(list):cumulative_sum():totable()
    local floats = lt.tensor(list, {dtype = "float64"}):cumulative_sum():totable()
    for i = 1, n do
      sum = sum + list[i]
      if got[i] ~= sum or floats[i] ~= sum then error(("element %d is %s, not %d"):format(i, got[i], sum)) end
    end
  end)

  it("explain what is wrong", function()
    local x = lt.zeros(2, 3)
    assert.raises("cumulative_sum: say which dim of shape [2, 3]", x.cumulative_sum, x)
    assert.raises("cumulative_sum: dim 3 is out of range for shape [2, 3]", x.cumulative_sum, x, 3)
    assert.raises("cumulative_sum: dim 0: Lua tensors start at 1", x.cumulative_sum, x, 0)
    assert.raises("cumulative_prod: dim: one number expected, got a table", x.cumulative_prod, x, {1, 2})
    assert.raises("cumulative_sum: a result of dtype bool is not possible", x.cumulative_sum, x, 1, {dtype = "bool"})
    assert.raises("cumulative_sum: the target has shape [2, 2], the result [2, 3]", x.cumulative_sum, x, 1,
      {out = lt.zeros(2, 2)})
    assert.raises("^cumulative_sum: unknown option \"keepdim\"", x.cumulative_sum, x, 1, {keepdim = true})
  end)
end)
