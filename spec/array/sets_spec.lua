-- Compares functions of distinct elements and membership with an oracle that compares all elements one by one.
local lt = require "luatensor"
local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local array = reference.array
local nan, inf = 0.0 / 0.0, math.huge
local functions = {"unique_values", "unique_counts", "unique_inverse", "unique_all"}

-- ---- the oracle ----

local function less(name, x, y)
  if type(x) == "boolean" then return not x and y end
  if name == "uint64" then return math.ult(x, y) end
  return x < y or (y ~= y and x == x)
end

-- Returns the distinct elements in ascending order, each {value =, index = (its first position), count =}. Also
-- returns a list with the number of the distinct element for each element of `list`.
local function distinct(name, list)
  local found, entry, inverse = {}, {}, {}
  for i, x in ipairs(list) do
    entry[i] = x == x and found[x] or {value = x, index = i, count = 0}
    entry[i].count = entry[i].count + 1
    if x == x then found[x] = entry[i] end
  end
  local order = {}
  for i, e in ipairs(entry) do if e.index == i then order[#order + 1] = e end end
  table.sort(order, function(a, b)
    if less(name, a.value, b.value) then return true end
    return not less(name, b.value, a.value) and a.index < b.index
  end)
  for k, e in ipairs(order) do e.number = k end
  for i, e in ipairs(entry) do inverse[i] = e.number end
  return order, inverse
end

-- Returns the expected results of the four functions for an oracle array.
local function expected(a)
  local order, inverse = distinct(a.dtype, a.data)
  local function list(field, dtype)
    local values = {}
    for k, e in ipairs(order) do values[k] = e[field] end
    return array.new({#order}, dtype, values)
  end
  return {values = list("value", a.dtype), indices = list("index", "int64"), counts = list("count", "int64"),
          inverse = array.new(a.shape, "int64", inverse)}
end

local results = {unique_values = {"values"}, unique_counts = {"values", "counts"}, unique_inverse = {"values", "inverse"},
                 unique_all = {"values", "indices", "inverse", "counts"}}

local function check(x, a)
  local want = expected(a)
  for _, name in ipairs(functions) do
    local got = table.pack(lt[name](x))
    assert.equal(#results[name], got.n, name)
    for i, field in ipairs(results[name]) do assert.agrees(want[field], got[i]) end
  end
end

local function from(name, shape, values) return array.new(shape, name, values) end

-- Returns n elements that repeat the special values of the dtype at random.
local function specials(name, n, seed)
  local list, random, values = cases.specials(name), cases.random(seed), {}
  for i = 1, n do values[i] = list[random(#list) + 1] end
  return values
end

-- ---- distinct elements ----

for _, name in ipairs(reference.dtype.names) do
  describe("unique of " .. name, function()
    it("has every layout", function()
      for _, l in ipairs(cases.layouts) do check(helpers.laid_out(l, name, 5)) end
    end)

    helpers.unplugged(it)("tells special values apart", function()
      for _, n in ipairs {1, 2, 60, 500} do
        local a = from(name, {n}, specials(name, n, n))
        check(helpers.tensor(a), a)
      end
    end)
  end)
end

describe("unique", function()
  it("keeps the first of zeros of both signs, and all NaNs", function()
    local values, indices, inverse, counts = lt.tensor({3.0, nan, -0.0, 0.0, nan, -inf}):unique_all()
    local list = values:totable()
    assert.same({-inf, 0, 3}, {table.unpack(list, 1, 3)})
    assert.equal(-inf, 1 / list[2])
    assert.is_true(#list == 5 and list[4] ~= list[4] and list[5] ~= list[5])
    assert.same({6, 3, 1, 2, 5}, indices:totable())
    assert.same({3, 4, 2, 2, 5, 1}, inverse:totable())
    assert.same({1, 2, 1, 1, 1}, counts:totable())
  end)

  it("has empty results of empty tensors, and a 0-d inverse of a 0-d tensor", function()
    local values, indices, inverse, counts = lt.zeros({0, 3}, {dtype = "int8"}):unique_all()
    assert.equal("int8", values.dtype)
    assert.equal("[0] [0] [0, 3] [0]",
      ("%s %s %s %s"):format(values.shape, indices.shape, inverse.shape, counts.shape))
    assert.same({}, lt.zeros(0):unique_values():totable())
    local one, at = lt.unique_inverse(lt.full({}, 7))
    helpers.holds(one, "[1]", {7})
    assert.equal(0, at.ndim)
    assert.equal(1, at:item())
  end)

  it("gives x back by its inverse, its counts and its first elements, for random tensors", function()
    for seed = 1, 12 do
      lt.manual_seed(seed)
      local x = lt.randint(-10 ^ (seed // 3), 10 ^ (seed // 3), 7, 11, 5 + seed):to(seed % 2 == 0 and "float64" or "int32")
      x = x:permute_dims(3, 1, 2)
      local values, indices, inverse, counts = x:unique_all()
      local message = "seed " .. seed
      assert.is_true(lt.equal_all(values[inverse], x), message)
      assert.is_true(lt.equal_all(x:flatten()[indices], values), message)
      assert.equal(x.size, counts:sum():item(), message)
      assert.is_true(values:narrow(1, 2, #values - 1):greater(values:narrow(1, 1, #values - 1)):all():item(), message)
      assert.is_true(lt.equal_all(inverse:flatten():take(indices), lt.range(1, #values)), message)
    end
  end)

  it("is also of long tensors", function()
    local n = 30011
    local x = lt.arange(0, n, 1, {dtype = "int64"}):multiply(7919):remainder(5000)
    local values, indices, inverse, counts = x:unique_all()
    assert.is_true(lt.equal_all(values, lt.arange(0, 5000)))
    assert.is_true(lt.equal_all(x[indices], values))
    assert.is_true(lt.equal_all(inverse, x + 1))
    assert.is_true(lt.equal_all(counts, lt.where(lt.isin(values, x:narrow(1, 30001, 11)), 7, 6)))
  end)

  it("of many integers is that of their sorted list, in near and far ranges", function()
    local n = 100000
    for dtype, step in pairs {int64 = 1, int32 = 1 << 20, uint8 = 1} do
      local numbers = lt.arange(n):multiply(7919):remainder(99):subtract(dtype == "uint8" and 0 or 50)
      local x = numbers:multiply(step):to(dtype)
      local values, indices, inverse, counts = x:unique_all()
      assert.same(x:narrow(1, 1, 99):sort():totable(), values:totable())
      assert.same(values:totable(), x:take(indices):totable())
      assert.is_true(indices:less_equal(99):all():item())
      assert.is_true(values:take(inverse):equal(x):all():item())
      assert.is_true(counts:subtract(n // 99):less_equal(1):all():item())
      assert.equal(n, counts:sum():item())
      assert.same(values:totable(), x:unique_values():totable())
    end
    assert.same({-3}, lt.full({n}, -3):unique_values():totable())
    assert.equal(n, lt.arange(n):unique_values().size)
  end)

  it("is of complex numbers by their real parts, then by their imaginary parts", function()
    for _, dtype in ipairs {"complex64", "complex128"} do
      local re, im = {2, 1, 1, nan, 0, -0.0, 2, 1}, {0, 1, -1, 0, 0, -0.0, 0, nan}
      local x = lt.complex(lt.tensor(re), lt.tensor(im)):to(dtype)
      local values, indices, inverse, counts = x:unique_all()
      assert.equal(dtype, values.dtype)
      assert.same({0, 1, 1, 1, 2}, values:real():narrow(1, 1, 5):totable())
      assert.same({0, -1, 1}, values:imag():narrow(1, 1, 3):totable())
      assert.same({5, 3, 2, 8, 1, 4}, indices:totable())
      assert.same({5, 3, 2, 6, 1, 1, 5, 4}, inverse:totable())
      assert.same({2, 1, 1, 1, 2, 1}, counts:totable())
      for _, name in ipairs(functions) do assert.equal(6, #lt[name](x)) end
    end
  end)

  it("is unique_values by its other name", function()
    assert.same({1, 2, 3}, lt.tensor({3, 1, 2, 3}):unique():totable())
  end)

  it("explains what is wrong", function()
    for _, name in ipairs(functions) do
      assert.raises(name .. ": argument 1: tensor expected, got number; is there a colon? x:" .. name .. "(…)", lt[name], 3)
      assert.raises(name .. ": argument 1: tensor expected, got nil", lt[name], nil)
      assert.raises(name .. ": argument 1: tensor expected, got no value; is there a colon? x:" .. name .. "(…)", lt[name])
    end
    local gone = lt.zeros(3)
    gone:free()
    assert.raises("unique_all: argument 1: this tensor was freed", lt.unique_all, gone)
  end)
end)

describe("sets", function()
  after_each(function() lt.set_default_device(helpers.device) end)

  it("are where their tensors are, whatever the default device", function()
    for _, home in ipairs(lt.devices()) do
      for _, dtype in ipairs {"int64", "float32", "complex64"} do
        local x = lt.tensor({3, 1, 2, 3}, {device = home.device}):to(dtype)
        local many = lt.arange(1, 40, 1, {device = home.device}):to(dtype)
        for _, other in ipairs(lt.devices()) do
          lt.set_default_device(other.device)
          local made = {x:unique_values(), lt.isin(x, 3), lt.isin(3, x), lt.isin(x, x), lt.isin(x, many),
                        lt.isin(many, many), lt.isin(x, many:narrow(1, 1, 0))}
          for _, name in ipairs(functions) do table.move({lt[name](x)}, 1, 4, #made + 1, made) end
          for i, t in ipairs(made) do assert.equal(home.device, t.device, ("%s, number %d"):format(dtype, i)) end
        end
      end
    end
  end)
end)

-- ---- membership ----

local function is_member(x, list)
  for _, y in ipairs(list) do if x == y then return true end end
  return false
end

local function check_isin(x, a, y, b)
  local found, missing = {}, {}
  for i, e in ipairs(a.data) do
    found[i] = is_member(e, b.data)
    missing[i] = not found[i]
  end
  assert.agrees(array.new(a.shape, "bool", found), lt.isin(x, y))
  assert.agrees(array.new(a.shape, "bool", missing), x:isin(y, {invert = true}))
end

describe("isin", function()
  for _, name in ipairs(reference.dtype.names) do
    helpers.unplugged(it)("looks among few and many values of " .. name, function()
      for _, n in ipairs {0, 1, 2, 6, 7, 12, 13, 40, 300} do
        local b = from(name, {n}, specials(name, n, n + 1))
        local y = helpers.tensor(b)
        for _, m in ipairs {0, 1, 50} do
          local a = from(name, {m}, specials(name, m, m))
          check_isin(helpers.tensor(a), a, y, b)
        end
      end
    end)

    it("has every layout of " .. name, function()
      local few = from(name, {2, 3}, cases.values(name, 6, 9))
      local many = from(name, {20, 3}, cases.values(name, 60, 9))
      for _, l in ipairs(cases.layouts) do
        local x, a = helpers.laid_out(l, name, 5)
        check_isin(x, a, helpers.tensor(few), few)
        check_isin(helpers.tensor(many), many, x, a)
      end
    end)
  end

  it("finds no NaN, and zeros of both signs", function()
    local x = lt.tensor {nan, 0.0, -0.0, 1.0}
    local many = lt.concat {lt.linspace(5, 6, 100), lt.tensor {nan, -0.0}}
    assert.same({false, true, true, false}, lt.isin(x, lt.tensor {-0.0, nan}):totable())
    assert.same({false, true, true, false}, lt.isin(x, many):totable())
    assert.same({true, false, false, true}, lt.isin(x, many, {invert = true}):totable())
  end)

  it("compares complex numbers, with real ones, too", function()
    local x = lt.complex(lt.tensor {1.0, 2.0, nan, 0.0}, lt.tensor {1.0, 0.0, 1.0, -0.0})
    assert.same({true, false, false, false}, lt.isin(x, lt.complex(1, 1)):totable())
    assert.same({false, true, false, true}, lt.isin(x, lt.tensor {2, 0}):totable())
    assert.same({false, true, false, true}, lt.isin(x, lt.arange(0, 50)):totable())
    assert.same({false, true}, lt.isin(lt.tensor {1.0, 2.0}, x):totable())
    local many = lt.concat {lt.arange(100, 140):to("complex64"), x}
    assert.same({true, true, false, true}, lt.isin(x, many):totable())
    assert.same({false, false, true, false}, lt.isin(x, many, {invert = true}):totable())
  end)

  it("takes a number for either", function()
    local x = lt.tensor {{1, 2}, {3, 2}}
    assert.same({{false, true}, {false, true}}, lt.isin(x, 2):totable())
    assert.same({{false, false}, {false, false}}, lt.isin(x, 2.5):totable())
    assert.equal(0, lt.isin(2, x).ndim)
    assert.is_true(lt.isin(2, x):item())
    assert.is_true(lt.isin(4, x, {invert = true}):item())
    assert.is_true(lt.isin(true, lt.tensor {false, true}):item())
  end)

  it("promotes", function()
    assert.same({true, false}, lt.isin(lt.tensor({1, 2}, {dtype = "int8"}), lt.tensor {1.0, 2.5}):totable())
    assert.same({false, true}, lt.isin(lt.tensor({-1, 2}, {dtype = "int8"}), lt.tensor({255, 2}, {dtype = "uint8"})):totable())
  end)

  it("finds the same by comparing as by searching", function()
    local few = lt.linspace(0, 1, 101)
    local many = lt.concat {few, lt.linspace(2, 3, 200)}
    for _, n in ipairs {600, 5000, 20000} do
      local x = lt.arange(0, n, 1):remainder(250):divide(100):to("float32")
      x = lt.where(lt.arange(0, n, 1):remainder(3):equal(0), few[50], x)
      assert.is_true(lt.equal_all(lt.isin(x, few), lt.isin(x, many):logical_and(x:less(1.5))), "of " .. n)
    end
  end)

  it("takes values that are known to be distinct, with the same result", function()
    assert.same({true, false}, lt.isin(lt.tensor {1, 2}, lt.tensor {3, 1}, {assume_unique = true}):totable())
  end)

  it("looks among far and near integers, in long tensors", function()
    for _, step in ipairs {1, 3, 1 << 20, 1 << 40} do
      local x = lt.arange(0, 20000, 1, {dtype = "int64"}):multiply(step):add(math.mininteger)
      local y = x:reshape(-1, 4):narrow(2, 2, 1)
      local want = lt.arange(0, 20000, 1, {dtype = "int64"}):remainder(4):equal(1)
      assert.is_true(lt.equal_all(lt.isin(x, y), want), "step " .. step)
    end
  end)

  it("explains what is wrong", function()
    local x = lt.tensor {1, 2}
    assert.raises("isin: one of the two must be a tensor", lt.isin, 1, 2)
    assert.raises("isin: argument 2: tensor or number expected, got string", lt.isin, x, "a")
    assert.raises("isin: argument 2: tensor or number expected, got nil", lt.isin, x)
    assert.raises("isin: 300 does not fit uint8", lt.isin, x:to("uint8"), 300)
    assert.raises("isin: unknown option \"inverse\"; known: assume_unique, invert; did you mean \"invert\"?", lt.isin, x, x, {inverse = true})
    assert.raises("isin: invert: boolean expected, got number", lt.isin, x, x, {invert = 1})
  end)
end)
