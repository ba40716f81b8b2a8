-- Compares median, quantile, histogram and bincount with the oracle and with results of NumPy 2.4.
local lt = require "luatensor"
local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local array, info, order = reference.array, reference.dtype.info, reference.order
local methods = {"linear", "lower", "higher", "midpoint", "nearest"}

-- Applies f to each line along dim of an array of reals. The results have the dtype of the array, or float32 for
-- integers.
local function along(a, dim, f)
  local name = info[a.dtype].is_float and a.dtype or "float32"
  local outer, each = array.fibres(array.to(a, "float64"), dim)
  local data = {}
  for i, line in each do data[i] = info[name].round(f(line)) end
  return array.new(outer, name, data)
end

local nan, inf = 0.0 / 0.0, math.huge

-- Returns the elements as texts: all NaNs are equal, and zeros of both signs are not.
local function bits(x)
  local list = x:detach():to("float64"):totable()
  for k, v in ipairs(list) do list[k] = v ~= v and "nan" or ("%a"):format(v) end
  return list
end

-- The tolerance for values that are interpolated in double or float: one rounding.
local tolerance = {ulp = 1, atol = 1e-15}

-- The example for which this file has NumPy's results.
local numbers = {{7.5, -2, 3.25}, {0.5, 11, -6.125}, {4, 4, 9.75}, {1, 2.5, -0.5}}
local function example() return lt.tensor(numbers, {dtype = "float64"}) end

local function near(expected, t)
  local wrong = t:subtract(lt.tensor(expected, {dtype = "float64"})):abs():max():item()
  assert.equal(tostring(lt.tensor(expected).shape), tostring(t.shape))
  assert.is_true(wrong < 1e-14, "off by " .. wrong)
end

describe("median", function()
  for _, dtype in ipairs(reference.dtype.names) do
    it("of every layout, along every dim: " .. dtype, function()
      for _, l in ipairs(cases.layouts) do
        local x, a = helpers.laid_out(l, dtype, 4)
        for d = 1, #a.shape do
          assert.agrees(along(a, d, order.median), x:median(d), tolerance)
        end
        local all = array.reshape(a, {#a.data})
        assert.agrees(along(all, 1, order.median), x:median(), tolerance)
      end
    end)
  end

  it("of several dims, with keepdim, and as NumPy's", function()
    local x = example()
    assert.equal(2.875, x:median():item())
    helpers.holds(x:median(1), "[3]", {2.5, 3.25, 1.375})
    helpers.holds(x:median(-1, {keepdim = true}), "[4, 1]", {{3.25}, {0.5}, {4.0}, {1.0}})
    helpers.holds(x:median({dim = {2, 1}, keepdim = true}), "[1, 1]", {{2.875}})
    helpers.holds(lt.arange(24):reshape(2, 3, 4):median({1, 3}), "[3]", {7.5, 11.5, 15.5})
  end)

  it("gives NaN where there is one, infinities otherwise", function()
    local got = lt.tensor {{1, nan, 3}, {1, 2, 3}, {inf, inf, -inf}, {inf, inf, inf}}:median(2):totable()
    assert.is_true(got[1] ~= got[1])
    assert.same({2.0, inf, inf}, {got[2], got[3], got[4]})
    assert.equal(inf, lt.tensor({inf, inf}):median():item())
  end)

  it("explains what is wrong", function()
    local x = lt.zeros(2, 3)
    assert.raises("median: dim 3 is out of range for 2 dims", x.median, x, 3)
    assert.raises("median: dim 0: Lua tensors start at 1", x.median, x, 0)
    assert.raises("median: dim 1 is given twice", x.median, x, {1, -2})
    assert.raises("median: dim is given twice", x.median, x, 1, {dim = 1})
    assert.raises("^median: unknown option \"out\"", x.median, x, {out = x})
  end)
end)

describe("quantile", function()
  for _, dtype in ipairs {"float32", "float64", "float16", "int32", "uint8", "bool"} do
    it("of every layout, along every dim: " .. dtype, function()
      for _, l in ipairs(cases.layouts) do
        local x, a = helpers.laid_out(l, dtype, 4)
        for d = 1, a.data[1] == nil and 0 or #a.shape do
          for k, q in ipairs {0, 0.3, 0.5, 1} do
            local method = methods[(k + d) % 5 + 1]
            local expected = along(a, d, function(line) return order.quantile(line, q, method) end)
            assert.agrees(expected, x:quantile(q, d, {method = method}), {ulp = 2, atol = 1e-6})
          end
        end
      end
    end)
  end

  it("by every method as NumPy's", function()
    local q = lt.tensor({0, 0.1, 0.37, 0.5, 0.81, 1}, {dtype = "float64"})
    local expected = {
      linear = {-6.125, -1.85, 1.105, 2.875, 7.185, 11}, lower = {-6.125, -2, 1, 2.5, 4, 11},
      higher = {-6.125, -0.5, 2.5, 3.25, 7.5, 11}, midpoint = {-6.125, -1.25, 1.75, 2.875, 5.75, 11},
      nearest = {-6.125, -2, 1, 3.25, 7.5, 11},
    }
    for method, want in pairs(expected) do near(want, example():quantile(q, {method = method})) end
  end)

  it("puts the dims of q first", function()
    local x, q = example(), lt.tensor({0.25, 0.6}, {dtype = "float64"})
    near({{0.875, 1.375, -1.90625}, {3.4, 3.7, 2.5}}, x:quantile(q, 1))
    near({{2.2}, {-0.825}, {4}, {0.7}}, x:quantile(0.4, 2, {keepdim = true}))
    assert.equal("[2, 1, 3]", tostring(x:quantile(q, 1, {keepdim = true}).shape))
    assert.equal("[1, 2, 4]", tostring(x:quantile(q:reshape(1, 2), 2).shape))
    assert.equal("[2, 1, 1]", tostring(x:quantile(q, {keepdim = true}).shape))
  end)

  it("gives NaN where there is one, and leaves infinities alone", function()
    local got = lt.tensor {{1, nan, 3}, {1, inf, inf}, {-inf, 1, inf}}:quantile(0.75, 2):totable()
    assert.is_true(got[1] ~= got[1])
    assert.same({inf, inf}, {got[2], got[3]})
    assert.equal(1.0, lt.tensor({1, inf}):quantile(0):item())
  end)

  it("has the same bits with and without gradients, and for a number and a tensor", function()
    for _, dtype in ipairs {"float16", "float32", "float64"} do
      local x = lt.randn(37, 5):to(dtype)
      x[{3, 1}], x[{4, 2}], x[{5, 2}], x[{6, 3}] = nan, inf, -inf, inf
      local z = x:clone()
      z.requires_grad = true
      for _, method in ipairs(methods) do
        for _, q in ipairs {0, 0.1, 1 / 3, 0.5, 0.875, 0.99, 1} do
          local options = {method = method}
          local y = x:quantile(q, 1, options)
          assert.same(bits(y), bits(z:quantile(q, 1, options)))
          assert.same(bits(y), bits(x:quantile(lt.tensor({q}, {dtype = "float64"}), 1, options):squeeze(1)))
        end
      end
    end
  end)

  it("explains what is wrong", function()
    local x = lt.zeros(2, 3)
    assert.raises("quantile: q: 1.5 is outside [0, 1]", x.quantile, x, 1.5)
    assert.raises("quantile: q: a value is outside [0, 1]", x.quantile, x, lt.tensor {0.5, -0.1})
    assert.raises("quantile: q: -nan is outside [0, 1]", function()
      local message = helpers.message_of(x.quantile, x, 0 / 0)
      error((message:gsub(": %-?nan ", ": -nan ")), 0)
    end)
    assert.raises("quantile: q: number or tensor expected, got nil", x.quantile, x)
    assert.raises("quantile: method best is none of linear, lower, higher, midpoint, nearest", x.quantile, x, 0.5,
      {method = "best"})
    assert.raises("quantile: shape [0] has no elements", lt.quantile, lt.zeros(0), 0.5)
    assert.raises("quantile: dim 3 is out of range for 2 dims", x.quantile, x, 0.5, 3)
  end)
end)

describe("histogram", function()
  for _, dtype in ipairs(reference.dtype.names) do
    it("counts between edges: " .. dtype, function()
      for _, l in ipairs(cases.layouts) do
        local x, a = helpers.laid_out(l, dtype, 4)
        local list = array.to(a, "float64").data
        for _, edges in ipairs {{-1.5, -0.5, 0.0, 0.0, 1.0, 2.5}, {0, 12}, {3, 4, 100}} do
          local counts = x:histogram(edges)
          assert.agrees(array.new({#edges - 1}, "int64", order.histogram(list, edges)), counts)
        end
      end
    end)
  end

  it("of bins of one width, as NumPy's", function()
    local counts, edges = example():histogram(5)
    assert.same({1, 3, 5, 1, 2}, counts:totable())
    near({-6.125, -2.7, 0.725, 4.15, 7.575, 11}, edges)
    assert.same({1, 2, 2, 2}, (example():histogram(4, {range = {-1, 5}})):totable())
    assert.equal(10, #example():histogram())
    assert.same({0, 0, 0, 0, 0, 3, 0, 0, 0, 0}, (lt.ones(3):histogram()):totable())
    assert.same({0, 0, 0}, (lt.zeros(0):histogram(3)):totable())
  end)

  it("between edges of a table, which are as exact as the elements", function()
    local x = lt.tensor({0.1, 0.2, 0.3, 0.7}, {dtype = "float64"})
    local counts, edges = x:histogram({0.0, 0.1, 0.2, 0.3, 1.0})
    assert.same({0, 1, 1, 2}, counts:totable())
    assert.equal("float64", edges.dtype)
  end)

  it("with weights and as a density, as NumPy's", function()
    local edges = {-10, 0, 1, 4, 12}
    local weights = lt.arange(12):reshape(4, 3)
    helpers.holds((example():histogram(edges, {weights = weights})), "[4]", {17, 3, 21, 25})
    local sums = example():histogram(edges, {weights = weights:to("float32")})
    assert.equal("float32", sums.dtype)
    assert.same({17.0, 3.0, 21.0, 25.0}, sums:totable())
    near({0.025, 0.25 / 3, 0.25 / 3, 0.625 / 12},
      (example():histogram(lt.tensor(edges, {dtype = "float64"}), {density = true})))
  end)

  it("counts the smallest and the largest element, and elements outside of option range never", function()
    for _, bins in ipairs {1, 2, 100, 5000} do
      local x = lt.arange(20000):remainder(1000):to("float32")
      local counts = x:histogram(bins)
      assert.equal(20000, counts:sum():item())
      assert.equal(bins > 999 and 20 or 20000 // bins, counts[bins]:item())
      assert.equal(20 * 101, (x:histogram(bins, {range = {100, 200}})):sum():item())
    end
    assert.same({1, 0, 1}, (lt.tensor({-5, 5}, {dtype = "int64"}):histogram(3)):totable())
  end)

  it("leaves NaN and what is outside out", function()
    local x = lt.tensor {0 / 0, math.huge, -math.huge, 0, 1, 2, 5}
    assert.same({1, 2}, (x:histogram({0, 1, 2})):totable())
  end)

  it("explains what is wrong", function()
    local x = lt.zeros(2, 3)
    assert.raises("histogram: bins: 0 is out of range", x.histogram, x, 0)
    assert.raises("histogram: edges: each must be the one before or greater", x.histogram, x, {1, 0})
    assert.raises("histogram: edges: 1 dim of 2 elements or more expected, got shape [1]", x.histogram, x, {1})
    assert.raises("histogram: range {2, 1}: the first is greater", x.histogram, x, 3, {range = {2, 1}})
    assert.raises("^histogram: range {.*nan, .*nan} is not finite", lt.histogram, lt.tensor {1, 0 / 0})
    assert.raises("histogram: weights of shape [3] do not fit [2, 3]", x.histogram, x, 3, {weights = lt.ones(3)})
    assert.raises("^histogram: unknown option \"bins\"", x.histogram, x, {bins = 3})
  end)
end)

describe("bincount", function()
  it("counts each value from 1 on", function()
    for _, dtype in ipairs {"int64", "uint8", "int16", "uint64"} do
      assert.same({1, 0, 2}, lt.tensor({3, 1, 3}, {dtype = dtype}):bincount():totable())
    end
    assert.same({0, 1, 0, 0}, lt.tensor({2}):bincount({minlength = 4}):totable())
    helpers.holds(lt.zeros(0, {dtype = "int64"}):bincount({minlength = 2}), "[2]", {0, 0})
    helpers.holds(lt.zeros(0, {dtype = "int64"}):bincount(), "[0]", {})
  end)

  it("counts many values, in few and in many places", function()
    local size = 20000
    for _, places in ipairs {1, 99, 1000, 4096, 4097} do
      local expected, values = {}, {}
      for k = 1, places do expected[k] = 0 end
      for i = 1, size do
        values[i] = (i * 7919) % places + 1
        expected[values[i]] = expected[values[i]] + 1
      end
      local x = lt.tensor(values, {dtype = "int64"})
      assert.same(expected, x:bincount():totable())
      for k = 1, places do expected[k] = expected[k] * (1 - (1 << 33)) end
      assert.same(expected, x:bincount({weights = lt.full({size}, 1 - (1 << 33), {dtype = "int64"})}):totable())
    end
  end)

  it("adds up weights", function()
    local x = lt.tensor {1, 3, 3}
    helpers.holds(x:bincount({weights = lt.tensor {0.5, 1, 2}}), "[3]", {0.5, 0.0, 3.0})
    helpers.holds(x:bincount({weights = lt.tensor {5, 6, 7}}), "[3]", {5, 0, 13})
    assert.equal("float32", x:bincount({weights = lt.ones(3)}).dtype)
  end)

  it("explains what is wrong", function()
    assert.raises("bincount: value 0: Lua tensors start at 1", lt.bincount, lt.tensor {0, 1})
    assert.raises("bincount: value -2: Lua tensors start at 1", lt.bincount, lt.tensor {1, -2})
    assert.raises("bincount: integers expected, got float32", lt.bincount, lt.tensor {1.5})
    assert.raises("bincount: 1 dim expected, got shape [1, 1]", lt.bincount, lt.tensor {{1}})
    assert.raises("bincount: weights of shape [2] do not fit [1]", lt.bincount, lt.tensor {1}, {weights = lt.ones(2)})
    assert.raises("bincount: the size in bytes does not fit", lt.bincount, lt.tensor({-1}, {dtype = "uint64"}))
    assert.raises("bincount: option minlength: -1 is out of range", lt.bincount, lt.tensor {1}, {minlength = -1})
  end)
end)
