-- tags: kernels lanes
-- Compares softmax and log_softmax with the oracle, also for inputs whose exponentials overflow.
local lt = require "luatensor"
local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local reduce, info = reference.reduce, reference.dtype.info
local inf, nan = math.huge, 0.0 / 0.0

for _, name in ipairs {"softmax", "log_softmax"} do
  describe(name, function()
    for _, dtype in ipairs(reference.dtype.names) do
      it("of every layout, along every dim: " .. dtype, function()
        for _, l in ipairs(cases.layouts) do
          local x, a = helpers.laid_out(l, dtype, 3)
          for d = 1, #a.shape do
            local expected = reduce[name](a, d)
            local eps = info[expected.dtype].eps
            assert.agrees(expected, x[name](x, d), {ulp = 4, atol = 8 * eps})
            if d == #a.shape then assert.agrees(expected, x[name](x), {ulp = 4, atol = 8 * eps}) end
          end
        end
      end)
    end

    it("is one element's or nothing", function()
      assert.same(name == "softmax" and {1} or {0}, lt.tensor {7.5}[name](lt.tensor {7.5}):totable())
      assert.same({}, lt.zeros(0)[name](lt.zeros(0)):totable())
    end)

    it("of every length around a vector, in place too", function()
      for n = 1, 50 do
        local list = {}
        for i = 1, n do list[i] = (i * 37 % 101) / 8 end
        local x = lt.tensor({list}, {dtype = "float32"})
        assert.agrees(reduce[name](reference.array.new({1, n}, "float32", list), 2), x[name](x, 2), {ulp = 8})
        local expected = x[name](x, 2):totable()
        assert.same(expected, x[name](x, 2, {out = x}):totable())
      end
    end)

    it("of long lines", function()
      local n, list = 70001, {}
      for i = 1, n do list[i] = (i * 7919 % 1009) / 100 - 5.0 end
      local a = reference.array.new({n}, "float32", list)
      for i = 1, n do list[i] = reference.dtype.store(list[i], "float32") end
      assert.agrees(reduce[name](a, 1), lt.tensor(list)[name](lt.tensor(list)), {ulp = 16})
      assert.agrees(reduce[name](a, 1), lt[name](lt.tensor(list):reshape(n, 1), 1):reshape(n), {ulp = 16})
    end)
  end)
end

describe("softmax", function()
  local function rows(x) return lt.tensor(x, {dtype = "float32"}) end

  it("does not overflow", function()
    assert.same({{1, 0}, {0.5, 0.5}}, rows {{1e30, -1e30}, {3e38, 3e38}}:softmax(2):totable())
    assert.same({{1, 0.5}, {0, 0.5}}, rows {{1e30, 3e38}, {-1e30, 3e38}}:softmax(1):totable())
    assert.same({{0, -2000}}, rows {{1000, -1000}}:log_softmax(2):totable())
  end)

  it("gives masked elements no weight, and NaN where all are masked", function()
    assert.same({{0.5, 0, 0.5}}, rows {{2, -inf, 2}}:softmax(2):totable())
    local all = rows {{-inf, -inf}, {0, 0}}:softmax(2):totable()
    assert.is_true(all[1][1] ~= all[1][1] and all[1][2] ~= all[1][2])
    assert.same({0.5, 0.5}, all[2])
    local some = rows {{nan, 1}, {inf, 1}}:log_softmax(2):totable()
    assert.is_true(some[1][2] ~= some[1][2] and some[2][1] ~= some[2][1])
  end)

  it("computes in float32 what is stored as half", function()
    local x = lt.tensor({10.0, 11.0, 12.0}, {dtype = "float16"})
    assert.equal("float16", x:softmax().dtype)
    assert.equal("float32", x:softmax({dtype = "float32"}).dtype)
  end)

  it("can be done in place", function()
    local x = rows {{1, 1}, {2, 2}}
    assert.equal(x, x:softmax(2, {out = x}))
    assert.same({{0.5, 0.5}, {0.5, 0.5}}, x:totable())
  end)

  it("explains what is wrong", function()
    local x = lt.zeros(2, 3)
    assert.raises("softmax: dim -3 is out of range for shape [2, 3]", x.softmax, x, -3)
    local z = lt.complex(x, x)
    for _, options in ipairs {{}, {dtype = "float64"}, {dtype = "complex64"}} do
      assert.raises("softmax: not for complex64", lt.softmax, z, 1, next(options) and options)
      assert.raises("log_softmax: not for complex64", lt.log_softmax, z, 1, next(options) and options)
    end
    assert.raises("log_softmax: dim is given twice", x.log_softmax, x, 1, {dim = 2})
    assert.raises("log_softmax: a result of dtype int32 is not possible", x.log_softmax, x, 1, {dtype = "int32"})
    assert.raises("softmax: result float32 does not fit int64", x.softmax, x, 1, {out = lt.zeros(2, 3, {dtype = "int64"})})
  end)
end)
