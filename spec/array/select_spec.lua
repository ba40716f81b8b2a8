-- tags: host uncollected kernels
-- Tests the selection that median and quantile use, on short lines, long lines, and lines that mislead its samples and
-- pivots. The oracle counts: an element has rank k of the sorted line if at most k - 1 elements are less, and at
-- least k are less or equal.
local lt = require "luatensor"
local core = require "luatensor.core"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local it = helpers.drawn_it(it)

-- Lengths around the sizes at which the kernels change: registers, splits, samples (2^14), parts (2^17) and threads.
local lengths = {1, 2, 3, 8, 31, 33, 64, 65, 127, 129, 1000, 16383, 16384, 40001, 140001}

local nan, inf = 0.0 / 0.0, math.huge

-- Asserts that `value` has the 1-based rank k in the 1-d tensor x without NaN.
local function has_rank(value, x, k)
  local less = lt.count_nonzero(x:less(value)):item()
  local up_to = lt.count_nonzero(x:less_equal(value)):item()
  assert.is_true(less < k and k <= up_to, ("rank %d of %d: %d less, %d up to %s"):format(k, x.size, less, up_to, value))
end

-- Asserts that the elements of x at the ranks near its ends and its middle are found.
local function selects(x)
  local n = x.size
  for _, k in ipairs {1, (n + 2) // 3, (n + 1) // 2, n} do
    local q = n > 1 and (k - 1) / (n - 1) or 0.5
    has_rank(x:quantile(q, {method = "nearest"}):item(), x, k)
  end
end

-- Makes n elements whose values fit into every dtype.
local function numbers(n, dtype, g)
  if dtype == "bool" then return lt.rand({n}, {generator = g, dtype = "float64"}):less(0.4) end
  local low = dtype:find "^u" and 0 or -100
  return lt.randint(low, 100, n, {generator = g}):to(dtype)
end

describe("median and quantile select", function()
  for _, dtype in ipairs(reference.dtype.names) do
    it(dtype .. " of every length", function()
      local g = lt.generator {seed = 7}
      for _, n in ipairs(lengths) do selects(numbers(n, dtype, g)) end
    end)
  end

  for _, dtype in ipairs {"float32", "float64", "int64", "int32"} do
    it(dtype .. " with all bits", function()
      local g = lt.generator {seed = 8}
      for _, n in ipairs {100, 5000, 40001} do
        local x = lt.randint(math.mininteger, math.maxinteger, n, {generator = g}):to(dtype)
        if dtype:find "^float" then x = x * (dtype == "float32" and 1e10 or 1e280) end
        local k = n // 3
        has_rank(core.select_ranks(x, 1, k, 1):item(), x, k)
      end
    end)
  end

  it("from lines that are sorted, reversed, periodic, or the same in all places but few", function()
    for _, n in ipairs {1000, 20000, 140000} do
      local i = lt.arange(n, {dtype = "float64"})
      for _, x in ipairs {i, -i, (i % 61), (i % 61):equal(0):to("float64") * i, (i - n / 2):abs(), i * 0, (i % 7):to("int8")} do
        selects(x)
      end
    end
  end)

  it("NaN from a line with one NaN, and infinities", function()
    for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64"} do
      for _, n in ipairs {2, 31, 200, 16384, 140001} do
        local x = lt.full({n}, inf, {dtype = dtype})
        assert.equal(inf, x:median():item())
        for _, at in ipairs {1, n // 2 + 1, n} do
          local y = x:clone()
          y[at] = nan
          local got, low = y:median():item(), y:quantile(0, {method = "lower"}):item()
          assert.is_true(got ~= got and low ~= low, dtype .. " " .. n)
          y[at] = -inf
          assert.equal(-inf, y:quantile(0, {method = "lower"}):item())
        end
        assert.equal(-inf, (-x):median():item())
      end
    end
  end)

  it("zero from zeros of both signs", function()
    for _, n in ipairs {3, 300, 20001} do
      assert.equal(0.0, lt.where(lt.arange(n):less(n // 3), 0.0, -lt.zeros {n}):median():item())
    end
  end)

  it("the same from lines of every layout as from contiguous lines", function()
    local g = lt.generator {seed = 9}
    local x = lt.rand({60, 7, 50}, {generator = g})
    local views = {x, x:permute_dims {3, 1, 2}, x[{ {1, -1, 2}, {}, {2, -2, 3} }], x:flip(3), x[{ {}, {1, 1} }]:broadcast_to(60, 4, 50)}
    for _, view in ipairs(views) do
      for d = 1, 3 do
        local lines = view:moveaxis(d, 3):clone()
        for _, q in ipairs {0, 0.3, 1} do
          local got = view:quantile(q, d):reshape {-1}
          for k = 1, got.size, 29 do
            local line = lines:reshape {-1, lines.shape[3]}[k]
            assert.equal(line:quantile(q):item(), got[k]:item())
          end
        end
      end
    end
  end)

  it("the same with every number of threads", function()
    local g = lt.generator {seed = 10}
    local x, before = lt.rand({300000}, {generator = g}), lt.get_num_threads()
    finally(function() lt.set_num_threads(before) end)
    lt.set_num_threads(1)
    local one = x:median():item()
    lt.set_num_threads(3)
    assert.equal(one, x:median():item())
  end)
end)
