-- tags: kernels smoke late lanes sanitize-emulated
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local indexing = require "spec.support.indexing"

local fails, holds = helpers.fails, helpers.holds

local T = lt.tensor

local function x23() return T{{1, 2, 3}, {4, 5, 6}} end

describe("x[…]", function()
  local x = x23()
  it("reads as the manual says", function()
    holds(x[2], "[3]", {4, 5, 6})
    holds(x[-1], "[3]", {4, 5, 6})
    holds(x[2.0], "[3]", {4, 5, 6})
    holds(x[{2, -1}], "[]", 6)
    holds(x[{{1, 2}, {}}], "[2, 3]", {{1, 2, 3}, {4, 5, 6}})
    holds(x[{{1, -1, 2}, 3}], "[1]", {3})
    holds(x[{{-1, 1, -1}}], "[2, 3]", {{4, 5, 6}, {1, 2, 3}})
    holds(x[{{}, {-1.0, 1, -2}}], "[2, 2]", {{3, 1}, {6, 4}})
    holds(x[{lt.newaxis, {}}], "[1, 2, 3]", {{{1, 2, 3}, {4, 5, 6}}})
    holds(x[{lt.ellipsis, 1}], "[2]", {1, 4})
    holds(x[lt.newaxis], "[1, 2, 3]", {{{1, 2, 3}, {4, 5, 6}}})
    holds(x[{}], "[2, 3]", {{1, 2, 3}, {4, 5, 6}})
    holds(x[{{2}}], "[1, 3]", {{4, 5, 6}})
    holds(x[{{2, 1}}], "[0, 3]", {})
    holds(x[{{1, 0}}], "[0, 3]", {})
    holds(x[{{3, 2}}], "[0, 3]", {})
    holds(x[{{1, 2, -1}}], "[0, 3]", {})
    holds(lt.zeros(0)[{{1, -1}}], "[0]", {})
    holds(x[x:greater(3)], "[3]", {4, 5, 6})
    holds(x[T{1, 2, 2}], "[3, 3]", {{1, 2, 3}, {4, 5, 6}, {4, 5, 6}})
    holds(x[{T{1, 2}, 2}], "[2]", {2, 5})
    holds(x[T(2)], "[3]", {4, 5, 6})
    holds(x[T{true, false}], "[1, 3]", {{1, 2, 3}})
    holds(T(5)[{}], "[]", 5)
    holds(T(5)[T(true)], "[1]", {5})
    holds(x[T(false)], "[0, 2, 3]", {})
  end)

  it("shares memory, except with index tensors", function()
    local y = x23()
    y[1]:add_(10)
    y[{{}, {1, 2}}]:add_(100)
    y[T{1}]:add_(1000)
    y[y:greater(0)]:add_(1000)
    holds(y, "[2, 3]", {{111, 112, 13}, {104, 105, 6}})
  end)

  it("takes index tensors of every integer dtype and layout", function()
    for _, d in ipairs{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"} do
      holds(x[{{}, T({3, 1}, {dtype = d})}], "[2, 2]", {{3, 1}, {6, 4}})
    end
    holds(x[{{}, T{{1, 9}, {3, 9}}[{{}, 1}]}], "[2, 2]", {{1, 3}, {4, 6}})
    holds(x.T[{T(3), T{1, 2}}], "[2]", {3, 6})
  end)
end)

describe("x[…] = value", function()
  it("writes numbers, booleans, tensors and tables", function()
    local x = x23()
    x[1] = 0
    holds(x, "[2, 3]", {{0, 0, 0}, {4, 5, 6}})
    x[{{}, 2}] = T{7, 8}
    holds(x, "[2, 3]", {{0, 7, 0}, {4, 8, 6}})
    x[x:greater(5)] = -1
    holds(x, "[2, 3]", {{0, -1, 0}, {4, -1, -1}})
    x[{}] = {{1, 2, 3}, {4, 5, 6}}
    x[T{true, false}] = 9
    holds(x, "[2, 3]", {{9, 9, 9}, {4, 5, 6}})
    x[{{}, T{1, 3}}] = {{1, 3}, {5, 7}}
    holds(x, "[2, 3]", {{1, 9, 3}, {5, 5, 7}})
    x[x:less(4)] = T{-1, -3}
    holds(x, "[2, 3]", {{-1, 9, -3}, {5, 5, 7}})
    x[{{1, 0}}] = 5
    x[{{}, {1}}] = lt.ones(1, 2, 1, {dtype = "int64"})
    holds(x, "[2, 3]", {{1, 9, -3}, {1, 5, 7}})
    local mask = T{true, false, true}
    mask[1] = false
    mask[mask] = false
    holds(mask, "[3]", {false, false, false})
    local f = lt.zeros(2)
    f[1] = 3
    f[{{2}}] = T{2.5}
    holds(f, "[2]", {3.0, 2.5})
  end)

  it("keeps the last of several values for one place", function()
    local x = x23()
    x[T{1, 1}] = {{1, 1, 1}, {7, 8, 9}}
    holds(x, "[2, 3]", {{7, 8, 9}, {4, 5, 6}})
  end)

  it("copies a source that overlaps", function()
    local x = T{1, 2, 3, 4, 5}
    x[{{2, 5}}] = x[{{1, 4}}]
    holds(x, "[5]", {1, 1, 2, 3, 4})
    x[{}] = x:flip()
    holds(x, "[5]", {4, 3, 2, 1, 1})
    x[x] = 1
    holds(x, "[5]", {1, 1, 1, 1, 1})
    x[{}] = {5, 4, 3, 2, 1}
    x[x] = x
    holds(x, "[5]", {1, 2, 3, 4, 5})
  end)
end)

describe("a range from the front to the back", function()
  -- Returns the expected rows of a range that cuts off both ends: n rows without the first a - 1 and the last b - 1.
  local function left(n, a, b)
    local rows = {}
    for i = a, n - b + 1 do rows[#rows + 1] = i end
    return rows
  end

  it("is empty where the rows that it leaves out are all that there are", function()
    for n = 0, 5 do
      local x = lt.arange(1, n + 1)
      for a = 1, 6 do
        for b = 1, 6 do
          local want = left(n, a, b)
          holds(x[{{a, -b}}], ("[%d]"):format(#want), want)
          local back = table.move(want, 1, #want, 1, {})
          table.sort(back, function(i, j) return i > j end)
          holds(x[{{-b, a, -1}}], ("[%d]"):format(#want), back)
        end
      end
    end
  end)

  it("takes nothing when it is empty and written to", function()
    local x = lt.arange(1, 3)
    x[{{2, -2}}] = 7
    x[{{9, -9}}] = 7
    holds(x, "[2]", {1, 2})
    assert.same({0, 3}, {lt.zeros(0, 3)[{{2, -1}}].shape[1], lt.zeros(1, 3)[{{2, -2}}].shape[2]})
  end)

  it("is an error where only one end lies outside and rows are left", function()
    local x = lt.arange(1, 4)
    fails("index 4 in dim 1: out of range for length 3", function() return x[{{1, 4}}] end)
    fails("index 5 in dim 1: out of range for length 3", function() return x[{{5, 4}}] end)
    fails("index -4 in dim 1: out of range for length 3", function() return x[{{-4, -1}}] end)
    fails("range {-1, 1} in dim 1 runs backwards; give a step of -1 (a list of positions is lt.tensor{-1, 1})",
          function() return x[{{-1, 1}}] end)
  end)
end)

describe("errors of indexing", function()
  local x = x23()
  local function get(key) return function() return x[key] end end
  local function set(key, value) return function() x[key] = value end end

  it("name the index, the dim and the length", function()
    fails("index 0 in dim 1: Lua tensors start at 1", get(0))
    fails("index 0 in dim 2: Lua tensors start at 1", get{1, 0})
    fails("index 3 in dim 1: out of range for length 2", get{3})
    fails("index -4 in dim 2: out of range for length 3", get{1, -4})
    fails("index 1.5 in dim 1: not an integer", get(1.5))
    fails("index 4 in dim 2: out of range for length 3", get{{}, {1, 4}})
    fails("index 0 in dim 2: Lua tensors start at 1", get{{}, {0, 2}})
    fails("index 4 in dim 2: out of range for length 3", get{{}, T{1, 4}})
    fails("index 0 in dim 2: Lua tensors start at 1; a mask is a tensor of bool", get{{}, T{1, 0}})
    fails("index -3 in dim 1: out of range for length 2", get(T{1, -3}))
    fails("index 2 in dim 1: out of range for length 0", function() return lt.zeros(0)[2] end)
  end)

  it("say what is wrong with the key", function()
    fails("too many indices for shape [2, 3]", get{1, 2, 3})
    fails("too many indices for shape [2, 3]", get{lt.ellipsis, 1, 2, 3})
    fails("too many indices for shape []", function() return T(1)[1] end)
    fails("index: more than one ellipsis", get{lt.ellipsis, lt.ellipsis})
    fails("index for dim 1 is nil (a misspelt name?)", get{nil, 1})
    fails("index for dim 2 is nil (a misspelt name?)", get{1, nil, 2})
    fails("index: unexpected key \"a\"", get{a = 1})
    fails("index for dim 1: number, range, mask, tensor, lt.newaxis or lt.ellipsis expected, got boolean", get(true))
    fails("index for dim 2: number, range, mask, tensor, lt.newaxis or lt.ellipsis expected, got string", get{1, "2"})
    fails("range for dim 1: step 0", get{{1, 2, 0}})
    fails("range for dim 1: {first, last, step} expected, got 4 values; a list of positions is lt.tensor{1, 2, 3, 4}",
          get{{1, 2, 3, 4}})
    fails("range for dim 1: number expected, got string", get{{1, "2"}})
    fails("range {3, 1} in dim 2 runs backwards; give a step of -1 (a list of positions is lt.tensor{3, 1})",
          get{{}, {3, 1}})
    fails("range {3, 1, 2} in dim 2 runs backwards; give a step of -1 (a list of positions is lt.tensor{3, 1, 2})",
          get{{}, {3, 1, 2}})
    fails("range {-1, 1} in dim 2 runs backwards; give a step of -1 (a list of positions is lt.tensor{-1, 1})",
          get{{}, {-1, 1}})
    fails("range {1, 3, -1} in dim 2 runs backwards; give a step of 1 (a list of positions is lt.tensor{1, 3, -1})",
          get{{}, {1, 3, -1}})
    fails("index for dim 1: integers or a bool mask expected, got float32", get(T{1.0}))
    fails("mask of shape [3] does not fit shape [2, 3] in dim 1", get(T{true, false, true}))
    fails("index: shapes [2] and [3] do not broadcast (dim 1: 2 against 3)", get{T{1, 2}, T{1, 2, 3}})
  end)

  it("say how a list of positions is written where a range looks like one", function()
    local y = lt.arange(0, 12):reshape(4, 3)
    local list = "range {1, 2, 4} in dim 1: a step of 4 leaves it after one element; a list of positions is lt.tensor{1, 2, 4}"
    fails(list, function() return y[{{1, 2, 4}}] end)
    fails(list, function() y[{{1, 2, 4}}] = 0 end)
    fails("range {1, 3, 5} in dim 2: a step of 5 leaves it after one element; a list of positions is lt.tensor{1, 3, 5}",
          function() return y[{2, {1, 3, 5}}] end)
    fails("range for dim 1: {first, last, step} expected, got 9 values; "
          .. "a list of positions is lt.tensor{1, 2, 3, 4, 5, 6, 7, 8, …}",
          function() return y[{{1, 2, 3, 4, 5, 6, 7, 8, 9}}] end)
    holds(y, "[4, 3]", {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}})
  end)

  it("leave every other range with a step alone", function()
    local y = lt.arange(1, 5)
    for _, case in ipairs {
      {{1, 2, 2}, {1}}, {{1, 4, 4}, {1}}, {{1, 3, 2}, {1, 3}}, {{2, 2, 2}, {2}}, {{4, 4, 9}, {4}}, {{1, -1, 9}, {1}},
      {{-4, 4, 9}, {1}}, {{-2, -1, 7}, {3}}, {{1, -1, 2}, {1, 3}}, {{4, 1, -9}, {4}}, {{3, 2, 2}, {}}, {{1, 0, 5}, {}},
    } do
      local range, want = case[1], case[2]
      holds(y[{range}], ("[%d]"):format(#want), want)
      local z = lt.zeros(4)
      z[{range}] = y[{range}]
      local sum = 0
      for _, v in ipairs(want) do sum = sum + v end
      assert.equal(sum, z:sum():item())
    end
    for rows = 1, 2 do holds(lt.ones(rows)[{{1, -1, 2}}], "[1]", {1}) end
    holds(lt.zeros(0)[{{1, -1, 2}}], "[0]", {})
  end)

  it("of assignment leave everything as it was", function()
    fails("assignment: 1.5 does not fit int64", set(1, 1.5))
    fails("assignment: float32 does not fit int64", set(1, T{1.5}))
    fails("assignment: value of shape [2] does not fit shape [3]", set(1, T{1, 2}))
    fails("assignment: value of shape [2] does not fit shape [2, 3]", set(T{1, 2}, T{1, 2}))
    fails("assignment: number, boolean, tensor or table expected, got nil", set(1, nil))
    fails("index 3 in dim 2: out of range for length 2", function() local y = x.T; y[{{}, T{1, 3}}] = 0 end)
    fails("index 9 in dim 1: out of range for length 2", set(T{1, 9}, 0))
    fails("assignment: 300 does not fit uint8", function() T({1}, {dtype = "uint8"})[1] = 300 end)
    fails("assignment: the target is a broadcast view (several elements share one place); use :clone()",
          function() x:broadcast_to(2, 2, 3)[{1, 1, 1}] = 0 end)
    fails("cannot set \"shape\": the properties of a tensor are read-only, but for grad and requires_grad",
          function() x.shape = {6} end)
    holds(x, "[2, 3]", {{1, 2, 3}, {4, 5, 6}})
  end)
end)

describe("every dtype", function()
  for _, d in ipairs{"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16",
                     "bfloat16", "float32", "float64"} do
    it("is read and written: " .. d, function()
      local is_bool = d == "bool"
      local function value(v) return is_bool and v % 3 == 0 or not is_bool and v end
      local x = T({{value(1), value(2), value(3)}, {value(4), value(5), value(6)}}, {dtype = d})
      local list = x:totable()
      local function at(i, j) return list[i][j] end
      holds(x[{T{2, 1}, T{3, 1}}], "[2]", {at(2, 3), at(1, 1)})
      holds(x[{{}, {-1, 1, -2}}], "[2, 2]", {{at(1, 3), at(1, 1)}, {at(2, 3), at(2, 1)}})
      holds(x[{{}, T{true, false, true}}], "[2, 2]", {{at(1, 1), at(1, 3)}, {at(2, 1), at(2, 3)}})
      x[{{}, T{2, 3}}] = x[{{}, T{3, 2}}]
      holds(x, "[2, 3]", {{at(1, 1), at(1, 3), at(1, 2)}, {at(2, 1), at(2, 3), at(2, 2)}})
      x[{1, T{1, 2}}] = value(3)
      x[T{false, true}] = value(6)
      holds(x, "[2, 3]", {{value(3), value(3), at(1, 2)}, {value(6), value(6), value(6)}})
    end)
  end
end)

-- These cases have enough positions for several threads, with one index and with two, along rows and across rows.
describe("large indexing", function()
  local m, n = 300, 401
  local x = lt.arange(1, m * n + 1, 1, {dtype = "int64"}):reshape(m, n)
  local function spread(count, length)       -- scattered 1-based positions, some of them repeated
    return lt.arange(0, count, 1, {dtype = "int64"}):multiply(7919):remainder(length):add(1)
  end
  local function number(k, length) return k * 7919 % length + 1 end

  it("reads", function()
    local rows, columns = spread(500, m), spread(600, n)
    local a, b, c = x[rows]:totable(), x[{{}, columns}]:totable(), x[{rows:expand_dims(2), columns}]:totable()
    for i = 1, 500, 13 do
      for j = 1, n, 7 do assert.equal((number(i - 1, m) - 1) * n + j, a[i][j]) end
      for j = 1, 600, 7 do assert.equal((number(i - 1, m) - 1) * n + number(j - 1, n), c[i][j]) end
    end
    for i = 1, m, 13 do
      for j = 1, 600, 7 do assert.equal((i - 1) * n + number(j - 1, n), b[i][j]) end
    end
  end)

  it("writes, and the last value for a place stays", function()
    local y = lt.zeros({10, 5000}, {dtype = "int64"})
    local places = lt.arange(0, 40, 1, {dtype = "int64"}):remainder(10):add(1)
    y[places] = lt.arange(1, 41, 1, {dtype = "int64"}):expand_dims(2)
    for i = 1, 10 do
      assert.equal(30 + i, y[{i, 1}]:item())
      assert.equal(30 + i, y[{i, -1}]:item())
    end
    local z = lt.zeros({10}, {dtype = "int64"})
    z[lt.arange(0, 100000, 1, {dtype = "int64"}):remainder(10):add(1)] = lt.arange(1, 100001, 1, {dtype = "int64"})
    holds(z, "[10]", {99991, 99992, 99993, 99994, 99995, 99996, 99997, 99998, 99999, 100000})
  end)

  it("finds one bad value among many", function()
    local places = spread(100000, n)
    places[77777] = n + 1
    fails("index 402 in dim 2: out of range for length 401", function() return x[{1, places}] end)
  end)

  it("takes masks of any layout", function()
    local mask = x:remainder(5):equal(0)
    local want = {}
    for v = 5, m * n, 5 do want[#want + 1] = v end
    assert.same(want, x[mask]:totable())
    local sum = 0
    for _, v in ipairs(want) do sum = sum + v end
    assert.equal(sum, x.T[mask.T]:sum():item())
    assert.equal(#want, #x:flip(1)[mask:flip(1)])
  end)
end)

-- Compares random keys on random views with the oracle.
describe("random indexing", function()
  local state = 20
  local function random(n)                    -- returns an integer from 1 to n
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 33) % n + 1
  end

  local function nested(shape, value, d)
    if d > #shape then return value() end
    local t = {}
    for i = 1, shape[d] do t[i] = nested(shape, value, d + 1) end
    return t
  end

  local function signed(n) local i = random(n); return random(2) == 1 and i or i - n - 1 end

  local function random_range(n)
    if random(4) == 1 then local first = random(n); return {first, first - 1} end
    local first, last = random(n), random(n)
    local step = first <= last and random(2) or -random(2)
    return {random(2) == 1 and first or first - n - 1, last, step}
  end

  -- Returns a random item of a key in the oracle's form, for the dims from d on, and the number of dims that the item
  -- takes. b: the shape of index tensors.
  local function random_item(shape, d, b, allow_mask)
    local kind = random(9)
    if kind <= 2 then return {}, 1 end
    if kind <= 4 then return random_range(shape[d]), 1 end
    if kind == 5 then return "new", 0 end
    if kind == 6 then return signed(shape[d]), 1 end
    if kind <= 8 or not allow_mask then return {index = nested(b, function() return signed(shape[d]) end, 1)}, 1 end
    local dims = random(#shape - d + 1)
    return {mask = nested(table.move(shape, d, d + dims - 1, 1, {}), function() return random(2) == 1 end, 1)}, dims
  end

  local function random_key(shape)
    local b = ({{}, {2}, {2, 2}, {1, 2}})[random(4)]
    local items, d, masks = {}, 1, false
    local wanted = random(#shape + 1) - 1
    local front = random(4) == 1 and wanted < #shape
    if front then items[1], d, wanted = "...", #shape - wanted + 1, #shape end
    while d <= wanted do
      local item, dims = random_item(shape, d, b, #b == 0 and not masks)
      masks = masks or (type(item) == "table" and item.mask ~= nil)
      items[#items + 1], d = item, d + dims
    end
    if not front and random(4) == 1 then items[#items + 1] = "..." end
    return items
  end

  local function key_of(items)
    local key = {}
    for i, item in ipairs(items) do
      if item == "new" then key[i] = lt.newaxis
      elseif item == "..." then key[i] = lt.ellipsis
      elseif type(item) == "table" and (item.index or item.mask) then key[i] = T(item.index or item.mask)
      else key[i] = item end
    end
    return key
  end

  -- Returns a tensor of this shape in one of several layouts. Each element is its own 1-based position in row-major
  -- order.
  local function make(shape)
    local count = 0
    local x = T(nested(shape, function() count = count + 1; return count end, 1))
    local layout = random(4)
    if layout == 1 then return x:flip():reshape(shape, {copy = true}):flip() end
    if layout == 2 and #shape > 1 then
      local order, back = {}, {}
      for d = 1, #shape do order[d] = #shape + 1 - d; back[#shape + 1 - d] = d end
      local y = x:permute_dims(order)
      return y:reshape(y.shape, {copy = true}):permute_dims(back)
    end
    if layout == 3 then
      local wide = {table.unpack(shape)}
      wide[#wide] = wide[#wide] * 2
      local y = lt.zeros(wide, {dtype = "int64"})
      local view = y[{lt.ellipsis, {1, -1, 2}}]
      view[{}] = x
      return view
    end
    return x
  end

  local function flat(t) return t:reshape(-1):totable() end

  it("reads what the oracle reads, and writes where it writes", function()
    for _ = 1, 1500 do
      local shape = {}
      for d = 1, random(4) do shape[d] = random(4) end
      local items = random_key(shape)
      local x, key = make(shape), key_of(items)
      local result, source = indexing.select(shape, items)
      local want, after, n = {}, flat(x), 0
      indexing.each(result, function(c)
        local p = indexing.position(shape, source(c))
        n = n + 1
        want[n], after[p] = p, -n
      end)
      local got = x[key]
      assert.is_true(got.shape == result)
      assert.same(want, got.size == 0 and {} or flat(got))
      local values, k = nil, 0
      if n > 0 then
        values = T(nested(result, function() k = k + 1; return -k end, 1))
        x[key] = values
        assert.same(after, flat(x))
      end
    end
  end)
end)
