-- tags: many-kernels
-- Reductions that take the elements of a program as the program computes them (fold_whole and fold_group in
-- src/op/deferral/tile.c). The results are those of the functions themselves, to the last bit.
local lt = require "luatensor"
local compiling = require "spec.support.compiled"
local helpers = require "spec.support.helpers"

local bits, on_cpu = helpers.bits, helpers.device == "cpu"
local compile, all_bits = compiling.collecting, compiling.all_bits

-- Asserts that f gives the same when it is compiled, in `passes` passes that store `stored` results. The numbers are those of
-- the CPU.
local function check(f, passes, stored, ...)
  local compiled = compile(f)
  local expected = all_bits(f(...))
  for _ = 1, 2 do assert.same(expected, all_bits(compiled(...))) end
  local text = compiled:explain(...)
  if on_cpu then assert.truthy(text:find(("in %d pass%%w* .* %d results? stored"):format(passes, stored)), text) end
end

local whole = {
  {200000}, {400, 500}, {3, 70000}, {5, 7, 6000}, {70, 90}
}

describe("reductions of programs", function()
  local threads = lt.get_num_threads()
  before_each(function() lt.set_num_threads(1) end)    -- with more threads than parts, the program has a pass of its own
  after_each(function() lt.set_num_threads(threads) end)

  for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16", "int32", "uint8", "int64", "bool", "complex64"} do
    it("over all elements store only their result, " .. dtype, function()
      for _, shape in ipairs(whole) do
        local x = (lt.rand(shape) * 9):to(dtype)
        local y = (lt.rand(shape) * 9):to(dtype)
        check(function(a, b) return lt.where(a:equal(b), a, b):any() end, 1, 1, x, y)
        if dtype ~= "bool" then
          check(function(a, b) return (a * b):sum() end, 1, 1, x, y)
          check(function(a, b) return ((a - b) ^ 2 + a):mean() end, 1, 1, x, y)
        end
        if dtype ~= "bool" and dtype ~= "complex64" then check(function(a, b) return lt.maximum(a, b):argmax() end, 1, 1, x, y) end
      end
    end)
  end

  for _, name in ipairs {"sum", "mean", "max", "min", "var", "std", "argmin", "prod"} do
    it("over rows store only their result, " .. name, function()
      for _, shape in ipairs {{300, 700}, {2, 70, 300}, {6, 9000}, {5000, 256}} do
        local x, row, column = lt.rand(shape), lt.rand(shape[#shape]), lt.rand(shape):sum(#shape, {keepdim = true})
        check(function() return lt[name](lt.exp(x), #shape) end, 1, 1)
        check(function() return lt[name](x * row - column, #shape, {keepdim = true}) end, 1, 1)
      end
    end)
  end

  it("may follow a program with further results", function()
    local x, y = lt.rand(400, 500), lt.rand(500)
    check(function() local z = x + y return z, (z * z):sum() end, 1, 2)
    check(function() local z = x + y return z * 3, (z * z):sum(2), z - 1 end, 1, 3)
  end)

  it("may be the first of several reductions of a program", function()
    local x, y = lt.rand(400, 500), lt.rand(400, 500)
    local f = compile(function() return (x * y):sum(), (x - y):max(2) end)
    assert.same(all_bits((x * y):sum(), (x - y):max(2)), all_bits(f()))
  end)

  it("belong to longer chains", function()
    local x, gain = lt.rand(600, 512), lt.rand(512)
    check(function()
      return x * lt.rsqrt((x * x):mean(2, {keepdim = true}) + 1e-6) * gain
    end, 1, 1)
    check(function()
      local d = x - x:mean(2, {keepdim = true})
      return d / lt.sqrt((d * d):mean(2, {keepdim = true}) + 1e-5) * gain
    end, 1, 1)
  end)

  -- other devices compute the program for each reduction, so one dtype is enough
  for _, dtype in ipairs(on_cpu and {"float32", "float64", "float16", "int32", "complex64"} or {"float32"}) do
    it("over the same dims take the elements of one pass together, " .. dtype, function()
      local real = dtype ~= "complex64"
      for _, shape in ipairs {{5000}, {300000}, {400, 500}} do
        local x, y = (lt.rand(shape) * 9):to(dtype), (lt.rand(shape) * 9):to(dtype)
        check(function() local z = x * y - x return z:sum(), z:prod() end, 1, 2)
        if real then check(function() local z = x * y - x return z:max(), z:argmax(), z:min(), z:sum() end, 1, 4) end
      end
      local x, y = (lt.rand(12, 700) * 9):to(dtype), (lt.rand(700) * 9):to(dtype)
      check(function() local z = x * y - x return z:sum(2), z:prod(2) end, 1, 2)
      check(function() local z = x * y - x return z:sum(), z:prod(2) end, 3, 3)
    end)
  end

  it("take elements together for results that share a tensor, and with more threads", function()
    local x, to = lt.rand(700000), lt.zeros(3)
    local f = compile(function()
      local z = lt.exp(x) - 1
      to[1], to[3] = z:mean(), z:var()
      return z:std(), z:mean(1, {keepdim = true})
    end)
    local z = lt.exp(x) - 1
    local expected = all_bits(z:std(), z:mean(1, {keepdim = true}), lt.stack {z:mean(), lt.zeros({}), z:var()})
    for n = 1, 3 do
      lt.set_num_threads(n)
      local deviation, mean = f()
      assert.same(expected, all_bits(deviation, mean, to))
    end
  end)

  it("may read inputs in other layouts", function()
    local x, y = lt.rand(300, 400), lt.rand(300, 400)
    check(function() return (x:flip(2) - y):sum(2) end, 1, 1)
    check(function() return (x[{{}, {1, 299}}] - y[{{}, {2, 300}}]):sum{1, 2} end, 1, 1)
  end)

  it("store what they reduce if they read transposed tensors, which blocks of a row would read slowly", function()
    local x, y = lt.rand(300, 400), lt.rand(400, 300)
    check(function() return (x.mT * x.mT):sum() end, 2, 2)
    check(function() return (x.mT - y):sum() end, 2, 2)
    check(function() return (x:reshape(3, 100, 400):transpose(1, 3) * 2):sum() end, 2, 2)
    check(function() return (x:reshape(300, 400, 1).mT * 2):sum() end, 1, 1)
    check(function() return (y[{{}, {1, 1}}]:expand(400, 300) - y):sum() end, 1, 1)
  end)

  it("store what they reduce if it is wanted, reduced by columns, or changed in place", function()
    local x, y = lt.rand(300, 400), lt.rand(300, 400)
    check(function() local z = x * y return z:sum(), z end, 2, 2)
    check(function() return (x * y):sum(1) end, 2, 2)
    for _, compiles in ipairs {false, true} do
      local a = y:clone()
      local function f() a:multiply_(x) return a:sum() end
      local total = (compiles and compile(f) or f)()
      assert.same(all_bits(y * x, (y * x):sum()), all_bits(a, total))
    end
  end)

  it("are repeated by replays", function()
    local function f(x) return ((x - 2) ^ 2):sum(), (x * x):mean(2) end
    local replayed = lt.compile(f, {replay = true})
    for i = 1, 6 do
      local x = lt.rand(300, 400) * i
      assert.same(all_bits(f(x)), all_bits(replayed(x)))
    end
    assert.truthy(tostring(replayed):find "4 of 6 calls replayed", tostring(replayed))
  end)

  it("have the same bits for any number of threads", function()
    local x, y = lt.rand(700000), lt.rand(700000)
    local compiled, expected = compile(function() return (lt.exp(x) * y):sum() end), bits((lt.exp(x) * y):sum())
    for n = 1, 3 do
      lt.set_num_threads(n)
      assert.equal(expected, bits(compiled()))
    end
  end)

  it("are left to more threads than they can use, also if they were computed before", function()
    local x, y = lt.rand(100000), lt.rand(100000)
    local compiled, expected = compile(function() return (lt.exp(x) * y):sum() end), bits((lt.exp(x) * y):sum())
    local function run(n, passes, reused)
      lt.set_num_threads(n)
      local text = compiled:explain()
      if on_cpu then assert.truthy(text:find(("in %d pass.* %d of 1 schedule reused"):format(passes, reused)), text) end
      assert.equal(expected, bits(compiled()))
    end
    run(1, 1, 0)
    run(1, 1, 1)
    run(4, 2, 0)
    run(4, 2, 1)
  end)
end)
