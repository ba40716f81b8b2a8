-- tags: host uncollected kernels
-- Tests vecdot and batched products of rows by columns on many short vectors. The elements are small integers, so that
-- sums are exact, and the oracle adds the products in plain Lua.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local it = helpers.drawn_it(it)

local nan, inf = 0.0 / 0.0, math.huge

-- Makes a tensor of small integers, and the list of its rows.
local function numbers(shape, dtype, g)
  local low = dtype:find "^u" and 0 or -2
  return lt.randint(low, 3, shape, {generator = g}):to(dtype)
end

-- Returns the sums of the products of the rows of two matrices, rounded once to the dtype.
local function oracle(x, y, dtype)
  local a, b, sums = x:to("float64"):totable(), y:to("float64"):totable(), {}
  for i, row in ipairs(a) do
    sums[i] = 0.0
    for j, value in ipairs(row) do sums[i] = sums[i] + value * b[i][j] end
  end
  return lt.tensor(sums, {dtype = "float64"}):to(dtype)
end

local function agrees(x, y)
  local expected = oracle(x, y, x.dtype)
  assert.equal(x.dtype, lt.vecdot(x, y).dtype)
  assert.same(expected:totable(), lt.vecdot(x, y):totable())
  assert.same(expected:totable(), lt.matmul(x:unsqueeze(2), y:unsqueeze(3)):reshape {-1}:totable())
end

describe("vecdot of many vectors", function()
  for _, dtype in ipairs(reference.dtype.names) do
    if dtype ~= "bool" then
      it("of " .. dtype, function()
        local g = lt.generator {seed = 13}
        for _, shape in ipairs {{2, 1}, {255, 2}, {256, 3}, {257, 7}, {5, 30}} do
          agrees(numbers(shape, dtype, g), numbers(shape, dtype, g))
        end
        -- rows that are not neighbours, equal rows, and rows whose elements are not neighbours
        local x, y = numbers({300, 8}, dtype, g), numbers({300, 9}, dtype, g)
        agrees(x[{ {2, -1, 2}, {2, 6} }], y[{ {1, -2, 2}, {3, 7} }])
        agrees(x[{ {}, {1, 5} }], y[{ {3, 3}, {2, 6} }]:broadcast_to(300, 5))
        agrees(x[{ {}, {1, -1, 2} }], y[{ {}, {1, -2, 2} }])
        agrees(x:flip(1), x)
      end)
    end
  end

  it("of lengths around the kernels' buffers", function()
    local g = lt.generator {seed = 14}
    for _, dtype in ipairs {"float32", "bfloat16", "int8", "int64"} do
      for _, k in ipairs {0, 31, 33, 511, 1024, 1025} do
        local x, y = numbers({3, k}, dtype, g):sign(), numbers({3, k}, dtype, g):sign()
        if dtype == "int8" then y[{ {}, {101, -1} }] = 0 end
        if dtype == "int8" and k == 0 then y = x end
        local expected, columns = oracle(x, y, dtype):totable(), x.T:clone()
        assert.same(expected, lt.vecdot(x, y):totable())
        assert.same(expected, lt.vecdot(columns, y.T:clone(), {dim = 1}):totable())
        assert.same(expected, lt.vecdot(columns.T, y):totable())
      end
    end
  end)

  it("keeps NaN and infinities in their rows", function()
    for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64"} do
      local x = lt.ones({600, 3}, {dtype = dtype})
      x[{2, 1}], x[{300, 3}] = nan, inf
      local got = lt.vecdot(x, x:ones_like()):totable()
      for i, v in ipairs(got) do
        if i == 2 then assert.is_true(v ~= v) else assert.equal(i == 300 and inf or 3.0, v) end
      end
    end
  end)

  it("gives the same with every number of threads", function()
    local g = lt.generator {seed = 15}
    local x, y, before = lt.rand({70000, 5}, {generator = g}), lt.rand({70000, 5}, {generator = g}), lt.get_num_threads()
    finally(function() lt.set_num_threads(before) end)
    lt.set_num_threads(1)
    local one = lt.vecdot(x, y)
    lt.set_num_threads(3)
    assert.is_true(one:equal(lt.vecdot(x, y)):all():item())
  end)
end)
