-- tags: kernels blas no-cublas lanes
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"
local cases = require "spec.support.cases"

local array, info = reference.array, reference.dtype.info
local numeric = {"uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "bfloat16",
                 "float32", "float64"}

local function make(shape, name, seed)
  return array.new(shape, name, cases.values(name, array.count(shape), seed))
end

-- Returns bounds for the errors of sums of products: 8 eps of the dtype times the sums of magnitudes, and 0 for
-- integers. eps is taken as at least 2^-52.
local function bounds(name, sizes)
  local t, list = info[name], {}
  for i, size in ipairs(sizes) do
    list[i] = t.is_float and size * 8 * math.max(t.eps, 2.0 ^ -52) or 0
  end
  return list
end

-- Checks the product of the tensors x and y, which have the elements of the arrays a and b.
local function check(a, b, x, y, out)
  local want, sizes = reference.linalg.matmul(a, b)
  local got = out and x:matmul(y, {out = out}) or x:matmul(y)
  assert.agrees(want, got, {atol = bounds(want.dtype, sizes)})
  if out then assert.equal(out, got) end
end

-- Returns the same matrix, stored by columns.
local function by_columns(a)
  return helpers.tensor(a).mT:clone().mT
end
describe("matmul", function()
  local shapes = {{3, 4, 5}, {1, 1, 1}, {1, 9, 6}, {7, 9, 1}, {14, 32, 32}, {29, 70, 67}, {5, 600, 3}, {1, 2500, 3}, {3, 2500, 1}, {2, 0, 3}, {0, 2, 3}}

  for _, name in ipairs(numeric) do
    it("multiplies " .. name .. " matrices of every order in memory", function()
      for _, s in ipairs(shapes) do
        local a, b = make({s[1], s[2]}, name, 1), make({s[2], s[3]}, name, 2)
        local plain = {helpers.tensor(a), helpers.tensor(b)}
        check(a, b, plain[1], plain[2])
        if s[2] > 0 and s[1] > 0 then
          local turned = {by_columns(a), by_columns(b)}
          check(a, b, turned[1], plain[2])
          check(a, b, plain[1], turned[2])
          check(a, b, turned[1], turned[2], lt.empty(s[3], s[1], {dtype = name, device = helpers.device}).T)
        end
      end
    end)
  end

  it("takes strides that BLAS does not", function()
    for _, name in ipairs {"float32", "float64", "int32", "bfloat16"} do
      local a, b = make({6, 10}, name, 3), make({10, 8}, name, 4)
      local wide_a = array.build({6, 20}, name, function(i) return i[2] % 2 == 1 and a.data[(i[1] - 1) * 10 + (i[2] + 1) // 2] or a.data[1] end)
      local x = helpers.tensor(wide_a)[{{}, {1, 19, 2}}]
      local y = helpers.tensor(b)
      check(a, b, x, y)
      check(a, b, x, by_columns(b))
      local out = lt.zeros(6, 16, {dtype = name, device = helpers.device})[{{}, {1, 15, 2}}]
      check(a, b, x, y, out)
      local row = helpers.tensor(make({1, 10}, name, 5))
      check(array.broadcast_to(make({1, 10}, name, 5), {6, 10}), b, row:broadcast_to(6, 10), y)
    end
  end)

  it("takes 1-d tensors and batches", function()
    local pairs_of_shapes = {
      {{4}, {4}}, {{4}, {4, 3}}, {{3, 4}, {4}}, {{2, 3, 4}, {4}}, {{4}, {2, 4, 3}}, {{2, 3, 4}, {4, 5}},
      {{3, 4}, {2, 4, 5}}, {{2, 1, 3, 4}, {6, 4, 5}}, {{0, 3, 4}, {4, 5}}, {{2, 1, 4}, {2, 4, 5}}, {{5, 1, 4}, {4, 2}},
    }
    for _, name in ipairs {"float32", "float64", "float16", "int8", "int64"} do
      for _, s in ipairs(pairs_of_shapes) do
        local a, b = make(s[1], name, 6), make(s[2], name, 7)
        check(a, b, helpers.tensor(a), helpers.tensor(b))
      end
    end
  end)

  it("takes batches whose dims are not adjacent in memory", function()
    local orders = {{1, 3, 2, 4}, {3, 1, 2, 4}, {1, 3, 4, 2}}
    for _, name in ipairs {"float32", "float64", "bfloat16", "int32"} do
      for i, order in ipairs(orders) do
        -- the batch is [3, 4]
        local a, b = make(({{3, 5, 4, 6}, {4, 5, 3, 6}, {3, 6, 4, 5}})[i], name, 8), make({3, 6, 4, 2}, name, 9)
        local x, y = helpers.tensor(a):permute_dims(order), helpers.tensor(b):transpose(2, 3)
        local left, right = array.permute(a, order), array.permute(b, {1, 3, 2, 4})
        check(left, right, x, y)
        check(left, right, x, y, lt.empty(4, 5, 3, 2, {dtype = name, device = helpers.device}):permute_dims(3, 1, 2, 4))
        local turned = array.build(left.shape, name, function(at) return (array.at(left, {4 - at[1], 5 - at[2], at[3], at[4]})) end)
        check(turned, right, x:flip {1, 2}, y)
      end
    end
  end)

  it("shares a large batch among threads, and large integers too", function()
    local x, y = lt.randint(-9, 9, 300, 20, 20), lt.randint(-9, 9, 300, 20, 20)
    local exact = x:matmul(y)
    assert.is_true(exact:equal(x:to("float32"):matmul(y:to("float32"))):all():item())
    local a, b = lt.randint(-9, 9, 300, 700), lt.randint(-9, 9, 700, 260)
    exact = a:matmul(b)
    for _, name in ipairs {"int16", "int32", "uint64", "float32", "float64"} do
      local got = a:to(name):matmul(b:to(name))
      assert.is_true(got:equal(exact:to(name)):all():item(), name)
    end
  end)

  it("promotes", function()
    local names = {{"int8", "uint8"}, {"int32", "float32"}, {"float16", "bfloat16"}, {"float32", "float64"}, {"uint64", "int64"}}
    for _, pair in ipairs(names) do
      local a, b = make({3, 4}, pair[1], 8), make({4, 2}, pair[2], 9)
      check(a, b, helpers.tensor(a), helpers.tensor(b))
    end
  end)

  it("multiplies half floats with integers that do not fit them", function()
    local a = lt.tensor({{0.5, 0.25}}, {dtype = "float16"})
    local b = lt.tensor {{100000, 70000}, {-100000, 4}}      -- the products are 25000 and 35001 before they are rounded
    helpers.holds(a:matmul(b), "[1, 2]", {{24992.0, 35008.0}})
    helpers.holds(a:to("bfloat16"):matmul(b), "[1, 2]", {{24960.0, 35072.0}})
    assert.equal("float16", a:matmul(b).dtype)
  end)

  -- Products of small integers are exact, so they do not depend on how the result is divided.
  it("cuts results into blocks for threads", function()
    local before = lt.get_num_threads()
    for _, size in ipairs {{129, 130, 131}, {260, 250, 270}, {7, 300, 2500}, {2500, 300, 7}, {17, 60000, 3}} do
      local m, k, n = table.unpack(size)
      local x, y = lt.randint(-4, 5, {m, k}), lt.randint(-4, 5, {k, n})
      local want = x:matmul(y)
      for _, threads in ipairs {1, 2, 3, 4} do
        lt.set_num_threads(threads)
        for _, name in ipairs {"float32", "float64"} do
          local a, b, columns = x:to(name), y:to(name), lt.zeros({n, m}, {dtype = name}).T
          assert.is_true(a:matmul(b):equal(want):all():item())
          lt.matmul(a.T:contiguous().T, b, {out = columns})
          assert.is_true(columns:equal(want):all():item())
        end
      end
      lt.set_num_threads(before)
    end
  end)

  it("wraps integers", function()
    local x = lt.tensor({{100, 100}}, {dtype = "int8"})
    assert.same({{32}}, x:matmul(x.T):totable())
    local big = lt.tensor {math.maxinteger, 2}
    assert.equal(1 + 4, big:dot(big):item())
  end)

  it("keeps NaN and infinities", function()
    local x = lt.tensor {{1.0, math.huge}, {0.0 / 0.0, 2.0}}
    local r = x:matmul(lt.tensor {{1.0, 0.0}, {0.0, 1.0}})
    assert.same({true, true, true, true}, {r:isnan()[{1, 1}]:item(), not r:isfinite()[{1, 2}]:item(), r:isnan()[{2, 1}]:item(), r:isnan()[{2, 2}]:item()})
  end)

  it("gives zeros for an inner dim of 0", function()
    assert.same({{0, 0}, {0, 0}}, lt.zeros(2, 0):matmul(lt.zeros(0, 2)):totable())
    assert.equal(0, lt.zeros(0):dot(lt.zeros(0)):item())
  end)

  it("writes to out of another dtype of the kind", function()
    local x = lt.tensor {{1, 2}, {3, 4}}
    local out = lt.zeros(2, 2, {dtype = "int8"})
    assert.same({{7, 10}, {15, 22}}, x:matmul(x, {out = out}):totable())
    assert.same({{7, 10}, {15, 22}}, x:matmul(x, {out = lt.zeros(2, 2)}):totable())
  end)

  it("says what does not fit", function()
    local x, v, cube = lt.zeros(2, 3), lt.zeros(3), lt.zeros(2, 3, 4)
    assert.raises("matmul: inner dims differ: [7000, 3000] × [7000, 3000]; did you mean y.T?",
                  lt.matmul, lt.zeros(1):broadcast_to(7000, 3000), lt.zeros(1):broadcast_to(7000, 3000))
    assert.raises("matmul: inner dims differ: [2, 3] × [4, 5]", lt.matmul, x, lt.zeros(4, 5))
    assert.raises("matmul: inner dims differ: [3] × [2]", lt.matmul, v, lt.zeros(2))
    assert.raises("matmul: the batch dims of [2, 3, 4] and [5, 4, 2] do not broadcast", lt.matmul, cube, lt.zeros(5, 4, 2))
    assert.raises("matmul: a 0-d tensor has no rows or columns; use x:multiply(y)", lt.matmul, x, lt.tensor(2.0))
    assert.raises('matmul: not for bool; use x:to("int64")', lt.matmul, x:to("bool"), x.T)
    assert.raises("matmul: argument 2: tensor expected, got number", lt.matmul, x, 3)
    assert.raises("matmul: 2 arguments expected, got 1", lt.matmul, x)
    assert.raises('matmul: unknown option "dim"; known: out', lt.matmul, x, x.T, {dim = 1})
    assert.raises("matmul: out has shape [3, 3], the result [2, 2]", lt.matmul, x, x.T, {out = lt.zeros(3, 3)})
    assert.raises("^matmul: the result does not fit the target's dtype int8", lt.matmul, x, x.T, {out = lt.zeros(2, 2, {dtype = "int8"})})
    local square = lt.ones(3, 3)
    assert.raises("^matmul: the target shares memory with an input", lt.matmul, square, square, {out = square})
    assert.raises("^matmul: the target shares memory with an input", lt.matmul, square, square, {out = square.T})
    assert.is_true(square:equal(1):all():item())
    assert.raises("^matmul: the target is a broadcast view", lt.matmul, x, x.T, {out = lt.zeros(1):broadcast_to(2, 2)})
  end)
end)

describe("strict products", function()
  it("take one rank", function()
    local x, v, cube = lt.ones(3, 3), lt.ones(3), lt.ones(2, 3, 3)
    assert.same({{3, 3, 3}, {3, 3, 3}, {3, 3, 3}}, x:mm(x):totable())
    assert.same({3, 3, 3}, x:mv(v):totable())
    assert.equal(3, v:dot(v):item())
    assert.equal(3, cube:bmm(cube)[{2, 3, 1}]:item())
    assert.raises("mm: argument 1: 2-d tensor expected, got 1-d; matmul takes any", lt.mm, v, x)
    assert.raises("bmm: argument 2: 3-d tensor expected, got 2-d; matmul takes any", lt.bmm, cube, x)
    assert.raises("mv: argument 2: 1-d tensor expected, got 2-d; matmul takes any", lt.mv, x, x)
    assert.raises("dot: argument 1: 1-d tensor expected, got 2-d; matmul takes any", lt.dot, x, v)
  end)
end)

describe("vecdot", function()
  it("sums products along a dim, the others broadcast", function()
    local x = lt.tensor {{1, 2, 3}, {4, 5, 6}}
    assert.same({14, 77}, x:vecdot(x):totable())
    assert.same({17, 29, 45}, x:vecdot(x, 1):totable())
    assert.same({17, 29, 45}, x:vecdot(x, {dim = -2}):totable())
    assert.same({6, 15}, x:vecdot(lt.tensor {1, 1, 1}):totable())
  end)
  it("says what does not fit", function()
    assert.raises("vecdot: inner dims differ: [2] × [3]", lt.vecdot, lt.zeros(2), lt.zeros(3))
    assert.raises("^vecdot: dim 3 is out of range", lt.vecdot, lt.zeros(2, 2), lt.zeros(2, 2), 3)
    assert.raises("vecdot: dim -2 is out of range for 1 dims", lt.vecdot, lt.zeros(2, 2), lt.zeros(2), -2)
  end)
end)

describe("tensordot", function()
  local x, y = lt.arange(24):reshape(2, 3, 4), lt.arange(24):reshape(4, 3, 2)
  it("contracts pairs of dims", function()
    assert.same({{880, 946}, {2464, 2674}}, lt.tensordot(x, y, {{3, 2}, {1, 2}}):totable())
    assert.same({{506, 1298}, {1298, 3818}}, lt.tensordot(x, x, {dims = {{2, 3}, {2, 3}}}):totable())
    assert.equal(4324, lt.tensordot(x, x, 3):item())
    assert.same({2, 3, 4, 4, 3, 2}, {table.unpack(lt.tensordot(x, y, 0).shape, 1, 6)})
  end)
  it("says what does not fit", function()
    assert.raises("tensordot: dim 2 of [2, 3, 4] and dim 1 of [4, 3, 2] differ", lt.tensordot, x, y)
    assert.raises("tensordot: dim 1 is named twice", lt.tensordot, x, x, {{1, 1}, {1, 1}})
    assert.raises("tensordot: dims: 4 is out of range", lt.tensordot, x, y, 4)
  end)
end)

describe("addmm", function()
  local x = lt.tensor {{1.0, 2.0}, {3.0, 4.0}}
  it("adds a broadcast tensor to a product", function()
    assert.same({{8, 12}, {16, 24}}, lt.tensor {1.0, 2.0}:addmm(x, x):totable())
    assert.same({{14.5, 21}, {30.5, 45}}, lt.tensor {1.0, 2.0}:addmm(x, x, {alpha = 2, beta = 0.5}):totable())
    local i = lt.tensor {{1, 2}, {3, 4}}
    assert.same({{-6, -8}, {-12, -18}}, i:addmm(i, i, {alpha = -1}):totable())
  end)
  it("does not read x where beta is 0", function()
    local nan = lt.full({2, 2}, 0.0 / 0.0)
    assert.same({{7, 10}, {15, 22}}, nan:addmm(x, x, {beta = 0}):totable())
  end)
  it("works in place", function()
    local y = lt.ones(2, 2)
    assert.equal(y, y:addmm_(x, x))
    assert.same({{8, 11}, {16, 23}}, y:totable())
  end)
  it("says what does not fit", function()
    assert.raises("addmm: [3] does not broadcast to [2, 2]", lt.addmm, lt.zeros(3), x, x)
    assert.raises("addmm: 2-d matrices expected, got [2] and [2, 2]", lt.addmm, x, lt.zeros(2), x)
    local i = x:to("int64")
    assert.raises("addmm: alpha and beta must be integers for int64", lt.addmm, i, i, i, {alpha = 0.5})
    assert.raises("^addmm_: the target shares memory", x.addmm_, x, x, x)
  end)
end)

describe("outer and matrix_transpose", function()
  it("give all products and a view", function()
    assert.same({{3, 4, 5}, {6, 8, 10}}, lt.outer(lt.tensor {1, 2}, lt.tensor {3, 4, 5}):totable())
    local x = lt.zeros(2, 3, 4)
    x:matrix_transpose()[{2, 4, 3}] = 7
    assert.equal(7, x[{2, 3, 4}]:item())
    assert.raises("outer: argument 2: 1-d tensor expected, got 3-d", lt.outer, lt.zeros(2), x)
    assert.raises("matrix_transpose: 2 dims or more expected, got 1", lt.matrix_transpose, lt.zeros(2))
  end)
end)

-- Tests matrices that are large enough for a GPU's largest tiles. The sums are exact in every dtype, so the results
-- must equal the CPU's.
describe("large matmul", function()
  for _, name in ipairs {"int8", "int32", "float32", "bfloat16"} do
    it("is exact in " .. name, function()
      local x = lt.randint(-3, 3, 521, 19, {device = "cpu"}):to(name)
      local y = lt.randint(-3, 3, 19, 530, {device = "cpu"}):to(name)
      local want = x:matmul(y):to_bytes()
      local a, b = x:to(helpers.device), y:to(helpers.device)
      assert.is_true(a:matmul(b):to_bytes() == want)
      local apart = lt.zeros({521, 1060}, {dtype = name, device = helpers.device})[{{}, {1, 1059, 2}}]
      lt.matmul(a.T:contiguous().T, b, {out = apart})
      assert.is_true(apart:to_bytes() == want)
    end)
  end
end)

-- These tests run on the emulated GPU. The emulator's Lua module, emulator.so, is in the same folder as the emulated
-- libraries.
local folder = os.getenv "LUATENSOR_CUDA_PATH"
local load_emulator = folder and package.loadlib(folder .. "/emulator.so", "luaopen_emulator")

if load_emulator and helpers.device ~= "cpu" then
  describe("matmul whose cuBLAS fails", function()
    it("says so, and goes on", function()
      local emulator = load_emulator()
      local x, y = lt.ones(3, 65), lt.ones(65, 5)
      x:matmul(y)
      emulator.configure "fail_blas=1"
      helpers.fails("matmul: cuBLAS: CUBLAS_STATUS_EXECUTION_FAILED", lt.matmul, x, y)
      assert.equal(65.0, x:matmul(y)[{3, 5}]:item())
    end)
  end)

  describe("matmul of small matrices", function()
    it("takes luatensor's own kernels, unless LUATENSOR_BLAS=always", function()
      local emulator = load_emulator()
      local function products(m, k, n)
        local x, y, before = lt.ones(m, k), lt.ones(k, n), emulator.counts().products
        assert.equal(k + 0.0, x:matmul(y)[{m, n}]:item())
        return emulator.counts().products - before
      end
      local has_blas = products(200, 65, 3) == 1              -- not in the run without cuBLAS
      local always = os.getenv "LUATENSOR_BLAS" == "always"
      assert.equal(has_blas and always and 1 or 0, products(70, 30, 70))
      assert.equal(has_blas and always and 1 or 0, products(128, 64, 128))
      assert.equal(has_blas and 1 or 0, products(129, 30, 70))
      assert.equal(has_blas and 1 or 0, products(70, 30, 129))
    end)
  end)

  describe("matmul of a batch of several dims", function()
    it("is one call of the library, or one launch", function()
      local emulator = load_emulator()
      local function calls(b, h, width, dtype)
        local x = lt.ones(b, 2, h, width, {dtype = dtype}):transpose(2, 3)
        x:matmul(x.mT)
        local before = emulator.counts()
        local y = x:matmul(x.mT)
        local after = emulator.counts()
        assert.equal(width, y[{b, h, 2, 1}]:item())
        return {after.products - before.products, after.launches - before.launches}
      end
      local has_blas = calls(1, 70, 4, "float32")[1] == 1        -- not in the run without cuBLAS
      assert.same(has_blas and {1, 1} or {0, 1}, calls(5, 7, 4, "float32"))
      assert.same(has_blas and {5, 0} or {0, 1}, calls(5, 7, 3, "float32"))      -- the addresses are no multiples of 16
      assert.same(has_blas and {2, 0} or {0, 1}, calls(2, 70, 4, "float32"))
      assert.same({0, 1}, calls(5, 7, 4, "int32"))
    end)
  end)
end

describe("matmul precision", function()
  it("is ieee unless a script says otherwise", function()
    assert.equal("ieee", lt.get_matmul_precision())
    lt.set_matmul_precision("tf32")
    assert.equal("tf32", lt.get_matmul_precision())
    local x = lt.tensor({{1, 2}, {3, 4}}, {dtype = "float32"})
    helpers.holds(x:matmul(x), "[2, 2]", {{7.0, 10.0}, {15.0, 22.0}})      -- TF32 represents small integers exactly
    lt.set_matmul_precision("ieee")
    for _, bad in ipairs {"fp32", "high", ""} do
      assert.raises(('set_matmul_precision: "ieee", "tf32" or "bf16x9" expected, got "%s"'):format(bad), lt.set_matmul_precision, bad)
    end
    assert.raises('set_matmul_precision: "ieee", "tf32" or "bf16x9" expected, got no value', lt.set_matmul_precision)
    assert.raises('set_matmul_precision: "ieee", "tf32" or "bf16x9" expected, got number', lt.set_matmul_precision, 1)
    assert.equal("ieee", lt.get_matmul_precision())
  end)
end)
