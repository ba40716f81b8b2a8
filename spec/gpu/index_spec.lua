-- tags: lanes unplugged
-- Indices, masks, searches and random numbers on the device under test give the CPU's bits. The default device
-- is the CPU, so temporary tensors must be on the device of their operands. On a GPU, an index out of range is
-- found only after the call.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local device = helpers.device

local function moved(x)
  if not lt.is_tensor(x) then return x end
  return x:to(device)
end

-- Checks that f gives the same for CPU tensors and for copies on the device.
local function same(name, f, ...)
  local here, there = {...}, {}
  for i = 1, select("#", ...) do there[i] = moved(here[i]) end
  local want, got = table.pack(f(table.unpack(here))), table.pack(f(table.unpack(there)))
  assert.equal(want.n, got.n, name)
  for i = 1, want.n do
    assert.equal(device, got[i].device, name)
    assert.equal(want[i].dtype, got[i].dtype, name)
    assert.same(want[i].shape, got[i].shape, name)
    assert.is_true(want[i]:to_bytes() == got[i]:to_bytes(), name .. ": other elements")
  end
end

-- Returns random values. The sum of floats depends on the order of additions.
local function values(dtype, ...)
  if not dtype:find "float" then return lt.randint(-100, 100, ...):to(dtype) end
  return lt.randn({...}, {dtype = "float64"}):multiply(lt.randint(0, 4, ...):exp()):to(dtype)
end

local dtypes = {"bool", "uint8", "int16", "uint32", "int64", "float16", "bfloat16", "float32", "float64"}
local added = {"int8", "int32", "uint64", "float16", "float32", "float64"}

local function get(x, ...) return x[{...}] end
local function put(x, v, ...)
  x = x:clone()
  x[{...}] = v
  return x
end

before_each(function()
  lt.set_default_device("cpu")
  lt.manual_seed(11)
end)
after_each(function() lt.set_default_device(device) end)

describe("reading through indices", function()
  for _, d in ipairs(dtypes) do
    it("takes rows, columns and elements of " .. d, function()
      local x = values(d, 300, 8)
      same("rows", get, x, lt.randint(1, 300, 1500))
      same("a few rows from the end", get, x, lt.randint(-300, -1, 7))
      same("rows of a part", function(y, i) return y[{{2, -1}, {2, 7}}][i] end, x, lt.randint(1, 299, 50))
      same("columns", function(y, i) return y:take(i, 2) end, x, lt.randint(1, 8, 20))
      same("elements", get, x, lt.randint(1, 300, 900), lt.randint(-8, -1, 900))
      same("reversed", function(y, i) return y:flip(1)[i] end, x, lt.randint(1, 300, 40))
    end)
  end

  it("takes indices that broadcast, in many dims", function()
    local x = values("float32", 3, 4, 5, 2, 6)
    same("two", get, x, lt.randint(1, 3, 7, 1), {}, lt.randint(1, 5, 9))
    same("three apart", get, x, lt.randint(1, 3, 2, 1, 3), {}, lt.randint(1, 5, 4, 1), {}, lt.randint(1, 6, 3))
    same("transposed", function(y, i) return y:permute_dims(5, 1, 3, 2, 4)[{{}, i, {}, i}] end, x, lt.randint(1, 3, 6))
    same("of a stretched tensor", function(y, i) return y:broadcast_to(7, 4, 6)[{i, {}, i}] end, values("int16", 4, 1),
         lt.randint(1, 6, 30))
  end)

  it("gathers along every dim", function()
    local x = values("float32", 40, 30, 7)
    same("1", function(y, i) return y:gather(1, i) end, x, lt.randint(1, 40, 90, 30, 5))
    same("2", function(y, i) return y:gather(2, i) end, x, lt.randint(-30, -1, 33, 50, 7))
    same("3", function(y, i) return y:gather(3, i) end, x, lt.randint(1, 7, 40, 30, 1))
    same("along an axis", function(y, i) return y:take_along_axis(i, 2) end, x, lt.randint(1, 30, 1, 3, 7))
  end)
end)

describe("writing through indices", function()
  for _, d in ipairs(dtypes) do
    it("puts, and the last stays, into " .. d, function()
      local x, rows = values(d, 300, 8), values(d, 3000, 8)
      same("many rows", put, x, rows, lt.randint(1, 300, 3000))
      same("a few rows", put, x, rows[{{1, 100}}], lt.randint(1, 10, 100))
      same("rows of a part", function(y, v, i)
        y = y:clone()
        y[{{2, -1}, {2, 7}}][i] = v
        return y
      end, x, rows[{{1, 90}, {1, 6}}], lt.randint(1, 299, 90))
      same("columns", put, x, values(d, 300, 20), {}, lt.randint(1, 8, 20))
      same("one value", put, x, values(d, 1)[1], lt.randint(1, 300, 2000))
      same("elements", put, x, values(d, 2500), lt.randint(1, 300, 2500), lt.randint(1, 8, 2500))
    end)
  end

  it("puts few of very many, where room for each would be too much", function()
    same("sorted", put, lt.zeros(90000), lt.rand(3000), lt.randint(1, 90000, 3000):bitwise_and(~7):add(1))
  end)

  for _, d in ipairs(added) do
    it("scatters and adds in order " .. d, function()
      local x, v = values(d, 60, 9), values(d, 400, 9)
      local i = lt.randint(1, 60, 400, 9)
      same("scatter", function(y, k, w) return y:scatter(1, k, w) end, x, i, v)
      same("scatter_add 1", function(y, k, w) return y:scatter_add(1, k, w) end, x, i, v)
      same("scatter_add 2", function(y, k, w) return y:scatter_add(2, k, w) end, x, lt.randint(1, 9, 60, 30),
           values(d, 60, 30))
      same("few", function(y, k, w) return y:scatter_add(1, k, w) end, x, lt.randint(1, 3, 20, 4), values(d, 20, 4))
      same("rows", function(y, k, w) return y:index_add(1, k, w) end, x, lt.randint(1, 60, 400), v)
      same("many rows", function(y, k, w) return y:index_add(1, k, w) end, x, lt.randint(-60, -1, 1500),
           values(d, 1500, 9))
      same("one row", function(y, k, w) return y:index_add(1, k, w) end, x, lt.full(500, 5), values(d, 500, 9))
      same("columns", function(y, k, w) return y:index_add(2, k, w) end, x, lt.randint(1, 9, 50), values(d, 60, 50))
      same("a number", function(y, k) return y:scatter_add(1, k, 3) end, x, i)
    end)
  end

  -- A GPU adds the parts of a long run of equal indices separately. The sums of small integers are exact in any order.
  for _, d in ipairs(added) do
    it("adds long runs in parts " .. d, function()
      local function whole(...) return lt.randint(-3, 3, ...):to(d) end
      local function add(y, k, w) return y:index_add(1, k, w) end
      local half = lt.cat({lt.full(1500, 5), lt.randint(1, 60, 1500)})
      for _, n in ipairs {511, 512, 513, 1024, 1025, 1200, 3000} do
        same("one row " .. n, add, whole(60, 9), lt.full(n, 5), whole(n, 9))
      end
      same("half of the rows", add, whole(60, 9), half, whole(3000, 9))
      same("half of the elements", function(y, k, w) return y:scatter_add(1, k, w) end, whole(60),
           half:flip(1), whole(3000))
      same("two runs beside each other", add, whole(8), lt.cat({lt.full(700, 2), lt.full(1900, 3)}), whole(2600))
    end)
  end

  it("adds many integers to few elements", function()
    for _, d in ipairs {"int32", "uint32", "int64", "uint64"} do
      for _, n in ipairs {1, 2, 33, 1250, 4096, 4097} do
        local i, v = lt.randint(1, n, 20000), lt.randint(-(1 << 62), 1 << 62, 20000):to(d)
        local x = lt.randint(-(1 << 62), 1 << 62, n):to(d)
        local function add(y, k, w) return y:index_add(1, k, w) end
        same("any", add, x, i, v)
        same("from the end, through strides", function(y, k, w) return y:index_add(1, k[{{1, -1, 2}}], w[{{-1, 1, -2}}]) end, x,
             i:subtract(n + 1), v)
        same("scatter_add", function(y, k, w) return y:scatter_add(1, k, w) end, x, i, v)
        same("to every second element", function(y, k, w)
          y = lt.stack({y, y}, 2):flatten()
          y[{{1, -1, 2}}]:index_add_(1, k, w)
          return y
        end, x, i, v)
        same("rows", function(y, k, w) return y:reshape(n, 1):broadcast_to(n, 3):index_add(1, k, w:reshape(20000, 1)) end, x,
             i, v)
      end
    end
  end)

  it("adds many integers to few elements in several streams", function()
    local a, b, i = lt.stream(device), lt.stream(device), lt.randint(1, 50, 20000):to(device)
    local x = lt.zeros(50, {dtype = "int64", device = device})
    lt.with_stream(a, function() x:index_add_(1, i, 1) end)
    lt.with_stream(b, function() x:index_add_(1, i, 2) end)
    assert.same(lt.zeros(50, {dtype = "int64"}):index_add_(1, i:to "cpu", 3):totable(), x:totable())
  end)

  it("adds along the middle of many dims", function()
    local x, i = values("float32", 2, 3, 50, 2, 3), lt.randint(1, 50, 2000)
    same("index_add", function(y, k, w) return y:permute_dims(4, 1, 3, 5, 2):index_add(3, k, w) end, x, i,
         values("float32", 2, 2, 2000, 3, 3))
  end)
end)

describe("masks", function()
  it("find places, however long they are", function()
    for _, n in ipairs {1, 15, 4095, 4096, 4097, 10000} do
      local m = lt.rand(n):less(0.4)
      same("nonzero " .. n, function(y) return y:nonzero() end, m)
      same("unaligned " .. n, function(y) return y[{{2, -1}}]:nonzero() end, lt.concat({m, m}))
    end
    same("in three dims", function(y) return y:nonzero() end, lt.rand(17, 30, 11):less(0.5))
    same("none", function(y) return y:nonzero() end, lt.zeros(5000))
    same("all", function(y) return y:argwhere() end, lt.ones(70, 90))
  end)

  it("read and write", function()
    local x, m = lt.randn(70, 90), lt.rand(70, 90):greater(0.5)
    local n = m:sum():item()
    same("read", get, x, m)
    same("rows", get, x, lt.rand(70):greater(0.5))
    same("columns", get, x, {}, lt.rand(90):greater(0.5))
    same("0-d", get, x, lt.full({}, true))
    same("written", put, x, lt.randn(n), m)
    same("a number", put, x, 3, m)
    same("rows written", put, x, lt.randn(90), lt.rand(70):greater(0.5))
    same("select", lt.masked_select, x, lt.rand(90):greater(0.5))
    same("fill", function(y, k) return y:masked_fill(k, -1) end, x, m)
    same("scatter", lt.masked_scatter, x, m, lt.randn(70, 90))
  end)
end)

describe("searching", function()
  for _, d in ipairs {"bool", "uint8", "int16", "uint64", "float16", "float32", "float64"} do
    it("finds places among " .. d, function()
      local few = d == "bool" and 1 or 100
      local sorted = lt.arange(0, few + 1):to(d):repeat_interleave(3)
      local v = lt.randint(0, few, 700):to(d)
      same("left", function(s, y) return s:searchsorted(y) end, sorted, v)
      same("right", function(s, y) return s:searchsorted(y, {side = "right"}) end, sorted, v)
      same("a number", function(s) return s:searchsorted(1) end, sorted)
    end)
  end

  it("puts NaN last, and searches rows of their own", function()
    local nan = 0 / 0
    same("NaN", function(s, y) return s:searchsorted(y) end, lt.tensor {1, 2, 2, math.huge, nan, nan},
         lt.tensor {nan, 2, math.huge, -1})
    same("rows", function(s, y) return s:searchsorted(y) end, lt.rand(20, 50):cumulative_sum(2),
         lt.rand(20, 30):multiply(25))
    same("sorter", function(s, i, y) return s:searchsorted(y, {sorter = i}) end, lt.tensor {3, 1, 2},
         lt.tensor {2, 3, 1}, lt.rand(9):multiply(4))
  end)
end)

describe("random numbers", function()
  -- Checks that f draws the same numbers on the CPU and on the device.
  local function draws(name, f)
    lt.manual_seed(5)
    local want = f "cpu"
    lt.manual_seed(5)
    local got = f(device)
    assert.equal(device, got.device)
    assert.is_true(want:to_bytes() == got:to_bytes(), name)
  end

  for _, d in ipairs {"float16", "bfloat16", "float32", "float64"} do
    it("are the CPU's, in " .. d, function()
      for _, n in ipairs {1, 31, 64, 1000, 20011} do
        draws("uniform", function(place) return lt.rand(n, {dtype = d, device = place}) end)
        draws("range", function(place) return lt.uniform(-3, 5.5, n, {dtype = d, device = place}) end)
        draws("normal", function(place) return lt.normal(2, 0.3, n, {dtype = d, device = place}) end)
        draws("part", function(place) return lt.zeros(n + 3, {dtype = d, device = place})[{{2, -2}}]:normal_() end)
        draws("integers", function(place) return lt.zeros(n, {dtype = d, device = place}):random_(0, 1000) end)
      end
    end)
  end

  it("are the CPU's, in every integer dtype", function()
    for _, d in ipairs {"uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"} do
      draws(d, function(place) return lt.randint(3, 99, 5003, {dtype = d, device = place}) end)
      draws(d, function(place) return lt.zeros(77, {dtype = d, device = place})[{{2, -1}}]:random_() end)
    end
  end)

  it("permute", function()
    for _, n in ipairs {1, 2, 255, 4097, 70000} do
      draws("permutation", function(place) return lt.permutation(n, {device = place}) end)
    end
    draws("shuffle", function(place) return lt.arange(5000, {device = place}):shuffle() end)
  end)

  it("are made where the tensors are", function()
    draws("bernoulli", function(place) return lt.bernoulli(0.3, 50, {device = place}) end)
    draws("of probabilities", function(place) return lt.bernoulli(lt.full(50, 0.3, {device = place})) end)
    draws("in place", function(place) return lt.zeros(50, {device = place}):bernoulli_() end)
    draws("multinomial", function(place) return lt.multinomial(lt.arange(1, 9, {device = place}), 5) end)
    draws("again", function(place)
      return lt.multinomial(lt.arange(1, 9, {device = place}), 500, {replacement = true})
    end)
    draws("like", function(place) return lt.rand_like(lt.zeros(9, {device = place})) end)
  end)
end)

describe("functions that are compositions", function()
  it("work where their tensors are", function()
    local x = lt.randn(6, 7)
    same("tril", lt.tril, x)
    same("triu", function(y) return lt.triu(y, 2) end, x)
    same("diag", lt.diag, lt.randn(5))
    same("pad", function(y) return y:pad({2, 1, 1, 0}, {mode = "reflect"}) end, x)
    same("padded with a value", function(y) return y:pad({2, -1}, {value = 4}) end, x)
    same("repeat", function(y, times) return y:repeat_interleave(times, 1) end, x, lt.tensor {1, 0, 2, 3, 1, 1})
    same("tile", function(y) return y:tile(2, 3) end, x)
    same("roll", function(y) return y:roll({1, -2}, {1, 2}) end, x)
    same("norm", function(y) return y:norm(3, 1) end, x:to "float64":multiply(0))
    same("diff", function(y) return y:diff() end, x)
  end)
end)

describe("an index out of range", function()
  local fails = helpers.fails

  local function tensor(t) return lt.tensor(t, {device = device}) end

  it("is told in the words of the CPU", function()
    local x = lt.rand(3, 4, {device = device})
    fails("index 4 in dim 1: out of range for length 3", function() return x[tensor {1, 4, 3}] end)
    fails("index 0 in dim 2: Lua tensors start at 1; a mask is a tensor of bool", function() return x[{1, tensor {2, 0}}] end)
    fails("take: index -5 in dim 2: out of range for length 4", function() return x:take(tensor {-4, -5}, 2) end)
    fails("gather: index 5 in dim 2: out of range for length 4", function() return x:gather(2, tensor {{1, 5}}) end)
    fails("scatter: index 9 in dim 1: out of range for length 3", function() x:scatter(1, tensor {{9}}, 1) end)
    fails("scatter_add_: index 9 in dim 1: out of range for length 3", function() x:scatter_add_(1, tensor {{9}}, 1) end)
    fails("index_add: index 4 in dim 1: out of range for length 3", function() x:index_add(1, tensor {1, 4}, 1) end)
    local none = lt.zeros(2, 0, {device = device})
    fails("take: index 1 in dim 2: out of range for length 0", function() none:take(tensor {1}, 2) end)
  end)

  it("is the first one, of however many", function()
    local x, i = lt.rand(50, 60, {device = device}), lt.randint(1, 50, 20000)
    i[{{7000, -1}}] = 99
    i[7100], i[6999] = 51, -51
    local j = lt.full(20000, 61)
    i, j = i:to(device), j:to(device)
    local v, row = lt.rand(20000, {device = device}), lt.rand(60, {device = device})
    fails("index -51 in dim 1: out of range for length 50", function() return x[i] end)
    fails("index -51 in dim 1: out of range for length 50", function() return x[{i, j}] end)
    fails("index 61 in dim 1: out of range for length 60", function() return x.T[{j, i}] end)
    fails("index -51 in dim 1: out of range for length 50", function() x[i] = 0 end)
    fails("index -51 in dim 1: out of range for length 50", function() x[{i, j}] = v end)
    fails("index_add_: index -51 in dim 1: out of range for length 50", function() x:index_add_(1, i, row) end)
  end)

  for _, n in ipairs {3, 5000} do
    it("writes nothing, and all goes on: " .. n .. " indices", function()
      for _, d in ipairs {"float32", "int32", "int8"} do
        local x, i = values(d, 40, 16):to(device), lt.randint(1, 40, n)
        i[n - 1] = 41
        i = i:to(device)
        local before, v = x:to_bytes(), values(d, n, 16):to(device)
        assert.is_truthy(helpers.message_of(function() x[i] = v end))
        assert.is_truthy(helpers.message_of(function() x[i] = 1 end))
        assert.is_truthy(helpers.message_of(function() x:index_add_(1, i, v) end))
        assert.is_truthy(helpers.message_of(function()
          x:scatter_(1, i:expand_dims(2):broadcast_to(n, 16), v)
        end))
        assert.is_truthy(helpers.message_of(function() x[{{}, 1}]:index_add_(1, i, v[{{}, 1}]) end))
        assert.is_true(before == x:to_bytes())
        x[tensor {2, -1}] = 7
        assert.equal(7, x[{40, 16}]:item())
      end
    end)
  end

  it("is told once, and what is written before that is not", function()
    local x = lt.zeros(5, {device = device})
    local ok = pcall(function()
      local y = x[tensor {6}]
      x[tensor {1}] = 1
      return y:to "cpu"
    end)
    assert.is_false(ok)
    assert.equal(0, x:sum():item())
    lt.synchronize(device)
    x[tensor {1}] = 1
    assert.equal(1, x:sum():item())
  end)
end)
