-- tags: kernels lanes
-- Compares sort, argsort and topk with the oracle.
local lt = require "luatensor"
local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local array, info, sort = reference.array, reference.dtype.info, reference.sort

-- Returns n random elements of a dtype; about a quarter of them are special values.
local function wild(name, n, seed)
  local random, specials, list = cases.random(seed), cases.specials(name), {}
  for i = 1, n do
    if random(4) == 0 then
      list[i] = specials[random(#specials) + 1]
    elseif info[name].is_bool then
      list[i] = random(2) == 1
    elseif info[name].is_integer then
      list[i] = info[name].wrap(random(1 << 31) << 33 ~ random(1 << 31))
    else
      list[i] = info[name].round((random(1 << 31) - 2.0 ^ 30) * 2.0 ^ (random(41) - 35))
    end
  end
  return list
end

-- Lengths around the numbers of elements in one or several vector registers, and around the longest line that a GPU
-- sorts in shared memory.
local lengths = {1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 63, 65, 127, 129, 257, 1025, 2500}

local function check(a, x, dim, options)
  local descending = options and options.descending
  local values, positions = sort.lines(a, dim, descending)
  assert.agrees(values, x:sort(dim, options))
  assert.agrees(positions, x:argsort(dim, options))
end

describe("sort and argsort", function()
  for _, dtype in ipairs(helpers.drawn(reference.dtype.names, "sort")) do
    it("of every layout, along every dim: " .. dtype, function()
      for _, l in ipairs(cases.layouts) do
        local x, a = helpers.laid_out(l, dtype, 3)
        for d = 1, #a.shape do
          check(a, x, d)
          check(a, x, d, {descending = true})
        end
        if #a.shape > 0 then
          assert.agrees((sort.lines(a, #a.shape)), x:sort())
          assert.agrees((sort.lines(a, #a.shape)), x:sort({dim = -1, stable = true}))
        end
      end
    end)

    it("of special values: " .. dtype, function()
      local list = cases.specials(dtype)
      local twice = table.move(list, 1, #list, #list + 1, table.move(list, 1, #list, 1, {}))
      local a = array.new({2 * #list}, dtype, twice)
      check(a, helpers.tensor(a), 1)
      check(a, helpers.tensor(a), 1, {descending = true})
    end)

    it("of lines of many lengths: " .. dtype, function()
      for k, n in ipairs(lengths) do
        local a = array.new({n}, dtype, wild(dtype, n, 100 + k))
        check(a, helpers.tensor(a), 1, k % 2 == 0 and {descending = true} or nil)
      end
    end)

    it("of rows and columns: " .. dtype, function()
      local a = array.new({37, 83}, dtype, wild(dtype, 37 * 83, 5))
      for dim = 1, 2 do
        check(a, helpers.tensor(a), dim, {descending = true})
        local turned = array.permute(a, {2, 1})
        check(turned, helpers.tensor(a).T, dim)
      end
    end)
  end

  -- True if all neighbours in t are in order. This check replaces the oracle, which is too slow for lines that are
  -- long enough for several threads.
  local function in_order(name, t, descending)
    local n = t.size
    if info[name].is_bool then t = t:to("int8") end
    local before, after = t[{{1, n - 1}}], t[{{2, n}}]
    if descending then before, after = after, before end
    local fits = before:less_equal(after)
    if not info[name].is_integer and not info[name].is_bool then fits = fits:logical_or(after:isnan()) end
    return fits:all():item()
  end

  local long = {"bool", "int8", "uint16", "float16", "int32", "float32", "int64", "uint64", "float64"}
  for _, dtype in ipairs(helpers.drawn(long, "long lines")) do
    it("of a line that is worth threads: " .. dtype, function()
      local n = helpers.size(200003)
      local some = lt.randint(-1000, 1000, n, {dtype = "int64", generator = lt.generator {seed = 3}})
      for _, x in ipairs {some:to(dtype), some:multiply(8191 * 65537):to(dtype), lt.randn(n):multiply(1e6):to(dtype)} do
        for _, descending in ipairs {false, true} do
          local at = x:argsort({descending = descending})
          local values = x:sort({descending = descending})
          assert.is_true(in_order(dtype, values, descending))
          assert.is_true(x:take(at):equal(values):logical_or(values:not_equal(values)):all():item())
          -- `at` is a permutation in which the positions of equal elements ascend.
          assert.is_true(lt.zeros(n, {dtype = "int64"}):scatter(1, at, 1):all():item())
          local same = values[{{1, n - 1}}]:equal(values[{{2, n}}])
          assert.is_true(at[{{1, n - 1}}]:less(at[{{2, n}}]):logical_or(same:logical_not()):all():item())
        end
      end
    end)
  end

  it("of ramps, whose evenly spaced elements are no sample, in the time of any line", function()
    local before, n = lt.get_num_threads(), 1 << 19
    lt.set_num_threads(2)
    local function time(x)
      local start = os.clock()
      assert.is_true(in_order(x.dtype, x:sort(), false))
      return os.clock() - start
    end
    local cpu = {device = "cpu"}
    time(lt.rand({n}, cpu))
    local usual = time(lt.rand({n}, cpu))
    for _, ramps in ipairs {4, 8, 16} do
      local x = lt.arange(0, n, 1, cpu):add(n // (2 * ramps)):remainder(n // ramps):to("float32")
      assert.is_true(time(x) < 20 * usual)
    end
    lt.set_num_threads(before)
  end)

  it("keep -0 and 0 in their order, and NaN last", function()
    local function zeros(n, descending)
      local list = {}
      for i = 1, n do list[i] = i % 3 == 0 and -0.0 or i % 3 == 1 and 0.0 or (i % 5 == 0 and 0 / 0 or i % 7 - 3.0) end
      local a = array.new({n}, "float32", list)
      check(a, helpers.tensor(a), 1, {descending = descending})
    end
    for _, n in ipairs {5, 20, 100, 3000} do
      zeros(n, false)
      zeros(n, true)
    end
  end)

  it("of 0-d tensors and of none", function()
    assert.equal(7, lt.tensor(7):sort():item())
    assert.equal(1, lt.tensor(7.5):argsort():item())
    assert.equal("[0]", tostring(lt.zeros(0):sort().shape))
    assert.equal("[3, 0]", tostring(lt.zeros(3, 0):argsort(1).shape))
  end)

  it("explain what is wrong", function()
    local x = lt.zeros(2, 3)
    assert.raises("sort: dim 3 is out of range for shape [2, 3]", x.sort, x, 3)
    assert.raises("argsort: dim 0: Lua tensors start at 1", x.argsort, x, 0)
    assert.raises("sort: dim: one number expected, got a table", x.sort, x, {1, 2})
    assert.raises("sort: dim is given twice", x.sort, x, 1, {dim = 2})
    assert.raises("sort: at most 2 arguments and options expected, got 3", x.sort, x, 1, 2)
    assert.raises("^argsort: unknown option \"keepdim\"", x.argsort, x, {keepdim = true})
    assert.raises("^sort: option descending", x.sort, x, {descending = 1})
  end)
end)

describe("complex numbers", function()
  it("have no order", function()
    local z = lt.zeros(3, {dtype = "complex64"})
    for _, name in ipairs {"sort", "argsort"} do
      assert.raises(name .. ": not for complex64: complex numbers have no order; sort z:abs() or z:real()", lt[name], z)
    end
    assert.raises("topk: not for complex64: complex numbers have no order; sort z:abs() or z:real()", lt.topk, z, 1)
    assert.raises("searchsorted: not for complex64: complex numbers have no order", z.searchsorted, z, z)
    for _, name in ipairs {"median", "quantile", "histogram"} do
      assert.raises(name .. ": not for complex64: complex numbers have no order", lt[name], z, 1)
    end
  end)
end)

describe("topk", function()
  it("says how long a line may be", function()
    local line = lt.ones({1}, {dtype = "int8", device = "cpu"}):broadcast_to((1 << 32) + 1)
    assert.raises("topk: not for lines of more than 2^32 elements", lt.topk, line, 3)
  end)

  for _, dtype in ipairs(helpers.drawn(reference.dtype.names, "topk")) do
    it("of every layout, along every dim: " .. dtype, function()
      for _, l in ipairs(cases.layouts) do
        local x, a = helpers.laid_out(l, dtype, 3)
        for d = 1, #a.shape do
          for k = 0, math.min(a.shape[d], 3) do
            local values, positions = sort.lines(a, d, true, k)
            local got, at = x:topk(k, d)
            assert.agrees(values, got)
            assert.agrees(positions, at)
          end
        end
      end
    end)

    it("of long lines: " .. dtype, function()
      for _, n in ipairs {100, 2000} do
        local a = array.new({n}, dtype, wild(dtype, n, n))
        local x = helpers.tensor(a)
        for _, largest in ipairs {true, false} do
          local values, positions = sort.lines(a, 1, largest)
          for _, k in ipairs {1, 10, 33, n // 2, n} do
            local got, at = x:topk(k, {largest = largest, sorted = true})
            assert.agrees(array.slice(values, {{1, k}}), got)
            assert.agrees(array.slice(positions, {{1, k}}), at)
          end
        end
      end
    end)
  end

  it("of lines of equal elements, in order, and reversed", function()
    for _, k in ipairs {1, 10, 2000} do
      local list = {}
      for i = 1, k do list[i] = i end
      local same = lt.ones(4000)
      local _, at = same:topk(k)
      assert.same(list, at:totable())
      local up = lt.arange(4000)
      assert.same(list, select(2, up:topk(k, {largest = false})):totable())
      for i = 1, k do list[i] = 4001 - i end
      assert.same(list, select(2, up:topk(k)):totable())
    end
  end)

  it("explains what is wrong", function()
    local x = lt.zeros(2, 3)
    assert.raises("topk: k = 4 is out of range for dim 2 of shape [2, 3]", x.topk, x, 4)
    assert.raises("topk: k = -1 is out of range for dim 1 of shape [2, 3]", x.topk, x, -1, 1)
    assert.raises("topk: dim 3 is out of range for shape [2, 3]", x.topk, x, 1, 3)
    assert.raises("^topk: unknown option \"k\"", x.topk, x, 1, {k = 2})
  end)
end)

describe("searchsorted", function()
  for _, dtype in ipairs(helpers.drawn(reference.dtype.names, "searchsorted")) do
    it("in lines of many lengths, on either side: " .. dtype, function()
      for k, n in ipairs {0, 1, 2, 7, 100} do
        local a = array.new({n}, dtype, wild(dtype, n, 20 + k))
        local sorted, values = sort.lines(a, 1), array.new({4, 10}, dtype, wild(dtype, 40, k))
        table.move(sorted.data, 1, math.min(n, 10), 11, values.data)
        for _, right in ipairs {false, true} do
          local expected = {}
          for i, x in ipairs(values.data) do expected[i] = sort.place(sorted.data, dtype, x, right) end
          expected = array.new({4, 10}, "int64", expected)
          local x, v = helpers.tensor(a), helpers.tensor(values)
          assert.agrees(expected, x:sort():searchsorted(v, {right = right}))
          assert.agrees(expected, x:searchsorted(v, {side = right and "right" or "left", sorter = x:argsort()}))
        end
      end
    end)
  end

  it("in rows, also with a sorter", function()
    local x = lt.tensor {{3, 1, 2}, {30, 10, 20}}
    local v = lt.tensor {{2, 9}, {5, 25}}
    helpers.holds(x:sort():searchsorted(v), "[2, 2]", {{2, 4}, {1, 3}})
    helpers.holds(x:searchsorted(v, {sorter = x:argsort(), right = true}), "[2, 2]", {{3, 4}, {1, 3}})
  end)

  it("explains what is wrong", function()
    local x = lt.arange(3)
    assert.raises("searchsorted: options side = \"left\" and right = true contradict each other", x.searchsorted, x, 1,
      {side = "left", right = true})
    assert.raises("searchsorted: a sorter of shape [2] does not go with [3]", x.searchsorted, x, 1, {sorter = lt.arange(1, 3)})
    assert.raises("searchsorted: option sorter: tensor expected, got boolean", x.searchsorted, x, 1, {sorter = true})
  end)
end)
