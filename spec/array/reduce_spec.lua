-- tags: kernels lanes
-- Compares reductions with the oracle, over dtypes, layouts, dims, special values and options. Tests their errors.
local lt = require "luatensor"
local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local reduce, info = reference.reduce, reference.dtype.info
local names = {}
for name in pairs(reduce.names) do names[#names + 1] = name end
table.sort(names)

-- Returns the tolerance of reductions of few elements: 1 or 4 units in the last place of the result's dtype, and a
-- small absolute error. Returns nil for results that must be exact.
local function tolerance(name, dtype)
  if name == "logsumexp" then return {ulp = 4, atol = 4 * (info[dtype].eps or 0)} end
  if name == "var" or name == "std" or name == "prod" then return {ulp = 4, atol = info[dtype].is_float and 1e-12 or 0} end
  return info[dtype].is_float and {ulp = 1, atol = dtype == "float64" and 1e-13 or 1e-12} or nil
end

local function dims_of(ndim, one)
  local list = {false}
  for d = 1, ndim do list[#list + 1] = {d} end
  if one then return list end
  list[#list + 1] = {}
  if ndim >= 2 then list[#list + 1] = {1, ndim} end
  if ndim >= 3 then list[#list + 1] = {-1, 2} end
  return list
end

local function has_elements(a, dims)
  for d, n in ipairs(a.shape) do
    local reduced = not dims
    for _, k in ipairs(dims or {}) do reduced = reduced or d == (k < 0 and k + #a.shape + 1 or k) end
    if reduced and n == 0 then return false end
  end
  return true
end

local function check(name, x, a, dims)
  local one = name == "argmax" or name == "argmin"
  local dim = dims
  if one then dim = dims and dims[1] end
  if not has_elements(a, dims) and reduce.needs_elements(name) then
    assert.raises("^" .. name .. ": shape .* has no elements$", x[name], x, dim or nil)
    return
  end
  local expected = reduce.reduce(name, a, dims or nil, false)
  assert.agrees(expected, x[name](x, dim or nil), tolerance(name, expected.dtype))
end

for _, name in ipairs(names) do
  describe(name, function()
    for _, dtype in ipairs(helpers.drawn(reference.dtype.names, name)) do
      it("of every layout, along every dim: " .. dtype, function()
        for _, l in ipairs(cases.layouts) do
          local x, a = helpers.laid_out(l, dtype, 5)
          for _, dims in ipairs(dims_of(#a.shape, name:find "^arg")) do check(name, x, a, dims) end
        end
      end)
    end
  end)
end

-- Tests arrays with known results. The arrays are large enough for many lanes, blocks, chunks and threads.
describe("large reductions", function()
  local rows, columns = 517, 1031
  local list, row_sums, column_sums, total = {}, {}, {}, 0
  for i = 1, rows do
    for j = 1, columns do
      local v = (i * 31 + j * 17) % 101 - 50
      list[#list + 1] = v
      row_sums[i] = (row_sums[i] or 0) + v
      column_sums[j] = (column_sums[j] or 0) + v
      total = total + v
    end
  end
  local x = lt.tensor(list):reshape(rows, columns)

  for _, dtype in ipairs {"int64", "int16", "float32", "float64"} do
    it("add up exactly: " .. dtype, function()
      local y = x:to(dtype)
      assert.equal(total, y:sum():item())
      assert.same(row_sums, y:sum(2):totable())
      assert.same(column_sums, y:sum(1):totable())
      assert.same(column_sums, y.T:sum(2):totable())
      assert.same(row_sums, y.T:sum(1):totable())
      assert.equal(total, y:reshape(11, 47, 1031):sum({1, 2, 3}):item())
      assert.same(column_sums, y:reshape(11, 47, 1031):sum({1, 2}):totable())
      assert.equal(50, y:max():item())
      assert.equal(-50, y:min(2):max():item())
    end)
  end

  it("do not depend on the number of threads", function()
    local y = lt.rand(1200, 1100)
    local function results()
      local found = {}
      for _, name in ipairs {"sum", "var", "logsumexp", "argmax", "max"} do
        found[#found + 1] = y[name](y):item()
        found[#found + 1] = y[name](y, 1):sum():item()
        found[#found + 1] = y[name](y, 2):sum():item()
      end
      found[#found + 1] = y:reshape(1320000):cumulative_sum():sum({dtype = "float64"}):item()
      return found
    end
    local threads = lt.get_num_threads()
    local expected = results()
    for _, n in ipairs {1, 2, 3} do
      lt.set_num_threads(n)
      assert.same(expected, results())
    end
    lt.set_num_threads(threads)
  end)

  it("of float32 are rounded once", function()
    local n, values = 200000, {}
    local random = cases.random(11)
    for i = 1, n do values[i] = random(1 << 24) / (1 << 24) end
    local want = 0.0
    for i = 1, n do want = want + values[i] end
    local got = lt.tensor(values, {dtype = "float32"}):sum():item()
    assert.is_true(math.abs(got - want) / want <= 2.0 ^ -24)
    local wide = lt.tensor(values, {dtype = "float32"}):sum({dtype = "float64"}):item()
    assert.is_true(math.abs(wide - want) / want < 1e-13)
  end)

  it("find the first extreme and the first NaN wherever it is", function()
    for _, n in ipairs {1, 15, 64, 4097, 70001} do
      for _, at in ipairs {1, n // 2 + 1, n} do
        local y = lt.zeros(n)
        y[at] = 2.0
        if at < n then y[n] = 2.0 end
        assert.equal(at, y:argmax():item())
        assert.equal(at, y:reshape(n, 1):broadcast_to(n, 3):argmax(1)[2]:item())
        y[at] = 0 / 0
        assert.equal(at, y:argmin():item())
        assert.equal(at, y:argmax():item())
        local m = y:max():item()
        assert.is_true(m ~= m)
      end
    end
  end)
end)

describe("special values", function()
  for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64"} do
    helpers.unplugged(it)("spread as in the oracle: " .. dtype, function()
      local values = cases.specials(dtype)
      for _, pair in ipairs {{0, 0}, {1, 2}, {2, 3}, {4, 5}, {6, 9}, {1, #values}, {2, #values}} do
        local part = pair[1] == 0 and {} or table.move(values, pair[1], pair[2], 1, {})
        local a = reference.array.new({#part}, dtype, part)
        local x = helpers.tensor(a)
        for _, name in ipairs {"max", "min", "argmax", "argmin", "any", "all", "count_nonzero", "sum", "mean"} do
          if #part > 0 or not reduce.needs_elements(name) then
            assert.agrees(reduce.reduce(name, a), x[name](x), {ulp = 4, atol = 1e-12})
          end
        end
      end
    end)
  end

  it("overflow in no intermediate result", function()
    local x = lt.tensor({300.0, 300.0, -300.0}, {dtype = "float16"})
    assert.equal(30000, lt.full({1000}, 60000, {dtype = "float16"}):mean():item() / 2)
    assert.equal(300, x:sum():item())
    assert.is_true(math.abs(lt.tensor {1000.0, 1000.0}:logsumexp():item() - 1000.6931) < 1e-3)
    assert.equal(-math.huge, lt.tensor {-math.huge, -math.huge}:logsumexp():item())
    assert.equal(math.huge, lt.tensor {1.0, math.huge}:logsumexp():item())
  end)

  it("of no elements", function()
    local x = lt.zeros(0, 3)
    assert.same({0, 0, 0}, x:sum(1):totable())
    assert.same({1, 1, 1}, x:prod(1):totable())
    assert.same({true, true, true}, x:all(1):totable())
    assert.is_false(x:any():item())
    for _, name in ipairs {"mean", "var", "std"} do
      local got = x[name](x):item()
      assert.is_true(got ~= got)
    end
    assert.same({}, x:max(2):totable())
    assert.same({}, lt.zeros(3, 0):argmax(1):totable())
  end)
end)

describe("options of reductions", function()
  local x = lt.tensor {{1, 2, 3}, {4, 5, 6}}

  it("keep dims", function()
    assert.same({{6}, {15}}, x:sum(2, {keepdim = true}):totable())
    assert.same({{21}}, x:sum({keepdim = true}):totable())
    assert.same({{6}}, x:argmax({keepdim = true}):totable())
    assert.same({1, 1, 4}, {lt.zeros(2, 3, 4):sum({1, 2}, {keepdim = true}).shape[1],
      lt.zeros(2, 3, 4):sum({1, 2}, {keepdim = true}).shape[2], lt.zeros(2, 3, 4):sum({-2, 1}, {keepdim = true}).shape[3]})
  end)

  it("name the dims", function()
    assert.same({5, 7, 9}, x:sum({dim = 1}):totable())
    assert.same({5, 7, 9}, lt.sum(x, {dim = -2}):totable())
    assert.equal(21, x:sum({dim = {1, 2}}):item())
    assert.same(x:totable(), x:sum({}):totable())
    assert.equal(21, x:sum(nil, nil):item())
  end)

  it("say the dtype of the result", function()
    assert.equal("float64", x:sum({dtype = "float64"}).dtype)
    assert.equal(309 - 256, lt.full({3}, 103, {dtype = "uint8"}):sum({dtype = "uint8"}):item())
    assert.equal(6, lt.tensor {1.9, 2.9, 3.9}:sum({dtype = "int64"}):item())
    assert.equal("float16", x:mean({dtype = "float16"}).dtype)
  end)

  it("correct variances", function()
    assert.equal(1, lt.tensor {1.0, 2.0, 3.0}:var({correction = 1}):item())
    assert.equal(1, lt.tensor {1.0, 2.0, 3.0}:std({correction = 1}):item())
    for n, correction in pairs {1, 2, 3.5} do                   -- the divisor n - correction is 0 or negative
      local none = lt.arange(n + 0.0):var({correction = correction}):item()
      assert.is_true(none ~= none)
    end
    local far = lt.tensor({1e9, 1e9 + 1, 1e9 + 2}, {dtype = "float64"}):var({correction = 1}):item()
    assert.equal(1, far)
  end)

  it("write into out", function()
    local out = lt.zeros(3, {dtype = "int64"})
    assert.equal(out, x:sum(1, {out = out}))
    assert.same({5, 7, 9}, out:totable())
    local strided = lt.zeros(3, 2)
    x:mean(1, {out = strided[{{}, 2}]})
    assert.same({{0, 2.5}, {0, 3.5}, {0, 4.5}}, strided:totable())
  end)
end)

describe("norm", function()
  local x = lt.tensor {{3, -4}, {0, 12}}

  it("of every order", function()
    assert.equal(13, x:norm():item())
    assert.same({5, 12}, x:norm(2, 2):totable())
    assert.same({7, 12}, x:norm(1, 2):totable())
    assert.same({4, 12}, x:norm(math.huge, 2):totable())
    assert.same({{0, 4}}, x:norm(-math.huge, {dim = 1, keepdim = true}):totable())
    assert.same({2, 1}, x:norm(0, 2):totable())
    assert.is_true(math.abs(x:norm(3):item() - (27 + 64 + 1728) ^ (1 / 3)) < 1e-5)
    assert.equal("float32", x:norm().dtype)
    assert.equal("float64", x:norm({dtype = "float64"}).dtype)
    assert.equal(0, lt.zeros(0):norm():item())
  end)

  it("explains what is wrong", function()
    assert.raises("norm: dim 3 is out of range for shape [2, 2]", x.norm, x, 2, 3)
    assert.raises("norm: p: number expected, got string", x.norm, x, "fro")
    assert.raises("norm: dim is given twice", x.norm, x, 2, 1, {dim = 1})
  end)
end)

describe("diff", function()
  local x = lt.tensor {{1, 4, 9, 16}, {1, 2, 3, 4}}

  it("takes neighbours from each other", function()
    assert.same({{3, 5, 7}, {1, 1, 1}}, x:diff():totable())
    assert.same({{0, -2, -6, -12}}, x:diff(1):totable())
    assert.same({{2, 2}, {0, 0}}, x:diff({n = 2}):totable())
    assert.same({{}, {}}, x:diff({n = 9}):totable())
    assert.same(x:totable(), x:diff({n = 0}):totable())
  end)

  it("with something before and after", function()
    local zero = lt.zeros(2, 1, {dtype = "int64"})
    assert.same({{1, 3, 5, 7}, {1, 1, 1, 1}}, x:diff({prepend = zero}):totable())
    assert.same({{1, 3, 5, 7, -16}, {1, 1, 1, 1, -4}}, x:diff({prepend = zero, append = zero}):totable())
  end)

  it("explains what is wrong", function()
    assert.raises("diff: not for bool", lt.diff, lt.zeros(2, {dtype = "bool"}))
    assert.raises("diff: not for a 0-d tensor", lt.diff, lt.zeros())
    assert.raises("diff: dim 3 is out of range for 2 dims", lt.diff, x, 3)
    assert.raises("diff: option append: tensor expected, got number", lt.diff, x, {append = 1})
  end)
end)

describe("errors of reductions", function()
  local x = lt.zeros(2, 3)

  it("name the function, the dim and the shape", function()
    assert.raises("sum: dim 3 is out of range for shape [2, 3]", x.sum, x, 3)
    assert.raises("sum: dim -3 is out of range for shape [2, 3]", x.sum, x, {1, -3})
    assert.raises("max: dim 0: Lua tensors start at 1; the larger of x and 0 is lt.maximum(x, 0)", x.max, x, 0)
    assert.raises("min: dim 0: Lua tensors start at 1; the smaller of x and 0 is lt.minimum(x, 0)", x.min, x, 0)
    assert.raises("max: dim -1 is named twice", x.max, x, {2, -1})
    assert.raises("mean: dim: number or table expected, got string", x.mean, x, "2")
    assert.raises("mean: dim: 1.5 is not an integer", x.mean, x, 1.5)
    assert.raises("sum: dim is given twice", x.sum, x, 1, {dim = 1})
    assert.raises("sum: at most 2 arguments and options expected, got 3", x.sum, x, 1, 2)
    assert.raises("argmax: dim: one number expected, got a table", x.argmax, x, {1})
    assert.raises("max: shape [0, 3] has no elements", lt.max, lt.zeros(0, 3))
    assert.raises("argmin: shape [2, 0] has no elements", lt.argmin, lt.zeros(2, 0), 2)
  end)

  it("list the options", function()
    assert.raises('sum: unknown option "keepdims"; known: dim, keepdim, out, dtype; did you mean "keepdim"?', x.sum, x, {keepdims = true})
    assert.raises('max: unknown option "dtype"; known: dim, keepdim, out', x.max, x, {dtype = "int8"})
    assert.raises("var: option correction: number expected, got string", x.var, x, {correction = "1"})
    assert.raises("sum: option keepdim: boolean expected, got number", x.sum, x, {keepdim = 1})
  end)

  it("check the target", function()
    assert.raises("sum: the target has shape [2], the result [3]", x.sum, x, 1, {out = lt.zeros(2)})
    assert.raises("sum: result float32 does not fit int64", x.sum, x, 1, {out = lt.zeros(3, {dtype = "int64"})})
    assert.raises("^sum: the target shares memory", x.sum, x, 1, {out = x[1]})
    assert.raises("sum: a result of dtype bool is not possible", x.sum, x, {dtype = "bool"})
    assert.raises("mean: a result of dtype int32 is not possible", x.mean, x, {dtype = "int32"})
    assert.raises("sum: argument 1: tensor expected, got no value; is there a colon? x:sum(…)", lt.sum)
  end)
end)
