-- tags: unplugged
-- Schedules: a list of deferred operations that is equal to an earlier one runs without being planned again
-- (src/op/deferral/schedule.c). Expected values are those of the functions themselves, which are not compiled.
local lt = require "luatensor"
local compiling = require "spec.support.compiled"
local helpers = require "spec.support.helpers"

local bits, all_bits, generator = helpers.bits, compiling.all_bits, compiling.generator

-- Calls the compiled function, and returns how many of its lists reused a schedule, and the number of its lists.
local function reused(compiled, ...)
  local found, all = compiled:explain(...):match "(%d+) of (%d+) schedules? reused"
  return tonumber(found), tonumber(all)
end

-- Asserts that a further call reuses schedules. Garbage of a call may be collected before or after its list runs, which
-- changes what is wanted, so several calls may be necessary.
local function is_kept(compiled, ...)
  for _ = 1, 20 do
    local found, all = reused(compiled, ...)
    if found == all then return end
  end
  error("no schedule is reused", 2)
end

-- Asserts that a call with arguments of a new kind reuses nothing, that later calls do, and that all calls have the results
-- of f.
local function is_new(f, compiled, ...)
  local expected = bits(f(...))
  assert.same({0, 1}, {reused(compiled, ...)})
  is_kept(compiled, ...)
  for _ = 1, 3 do assert.equal(expected, bits(compiled(...))) end
end

describe("schedules of compiled functions", function()
  it("are reused for other elements and other numbers", function()
    local function f(x, a, b) return (x * a + b) * a - 1, x:sum() * b end
    local compiled = lt.compile(f)
    is_kept(compiled, lt.ones(9), 2, 3)
    for i = 1, 9 do
      local x = lt.linspace(-i, i, 9)
      local y, total = f(x, i + 0.5, -i)
      local got, sum = compiled(x, i + 0.5, -i)
      assert.same({bits(y), bits(total)}, {bits(got), bits(sum)})
    end
    is_kept(compiled, lt.zeros(9), 0.25, -1)
  end)

  it("keep numbers apart that happened to be equal", function()
    local function f(x, a, b) return (x + a) * (x + b) - (x - a) * b end
    local compiled, x = lt.compile(f), lt.linspace(-2, 2, 33)
    for _ = 1, 3 do
      for _, numbers in ipairs {{2, 2}, {2, 3}, {3, 2}, {0.0, -0.0}, {-0.0, -0.0}, {0 / 0, 1}, {5, 5}} do
        assert.equal(bits(f(x, table.unpack(numbers))), bits(compiled(x, table.unpack(numbers))))
      end
    end
    is_kept(compiled, x, 7, 7)
    is_kept(compiled, x, 7, 8)
  end)

  it("depend on shapes, dtypes, layouts and places in memory", function()
    local function f(x, y) return (x * 2 + y) * x + (y - 1) end
    local compiled = lt.compile(f)
    local x, y = lt.linspace(0, 1, 36):reshape(6, 6), lt.linspace(2, 3, 36):reshape(6, 6)
    is_new(f, compiled, x, y)
    is_new(f, compiled, x:reshape(4, 9), y:reshape(4, 9))
    is_new(f, compiled, x:to "float64", y)
    is_new(f, compiled, x, y:to "float64")
    is_new(f, compiled, x.mT, y)
    is_new(f, compiled, x, y[{{1, 1}}])
    is_new(f, compiled, x[{{2, 5}}], y[{{2, 5}}])
    is_new(f, compiled, x[{{1, 4}}], y[{{2, 5}}])
    is_new(f, compiled, x:flip(1), y)
    is_new(f, compiled, x[1], y)
    is_kept(compiled, x, y)
  end)

  it("depend on which arguments share memory", function()
    local function f(x, y)
      x:multiply_(2)
      y:add_(x)
      return x * y
    end
    local compiled = lt.compile(f)
    local function arguments(kind)
      local x, y = lt.linspace(0, 1, 8), lt.linspace(2, 3, 8)
      if kind == "same" then y = x end
      if kind == "part" then x, y = y[{{1, 4}}], y[{{5, 8}}] end
      if kind == "view" then y = x:reshape(8) end
      return x, y
    end
    for _ = 1, 4 do
      for _, kind in ipairs {"apart", "same", "part", "view"} do
        local x, y = arguments(kind)
        local a, b = arguments(kind)
        assert.equal(bits(f(x, y)), bits(compiled(a, b)))
        assert.same({bits(x), bits(y)}, {bits(a), bits(b)})
      end
    end
    is_kept(compiled, arguments "apart")
    is_kept(compiled, arguments "same")
  end)

  it("depend on operations and on all their arguments", function()
    local x = lt.linspace(-3, 4, 64):reshape(4, 4, 4)
    local y, whole = x * x, {signed = lt.tensor({-1, 2}, {dtype = "int32"}), unsigned = lt.tensor({0xffffffff, 8}, {dtype = "uint32"})}
    local variants = {
      function() return (x + y) * x end, function() return (x + y) * y end, function() return (x + y) / (y + x) end,
      function() return whole.signed:to "float64" end, function() return whole.unsigned:to "float64" end,
      function() return x + 1 end, function() return x - 1 end, function() return x ^ 2 end, function() return x ^ 3 end,
      function() return x:sum(1) end, function() return x:sum(2) end, function() return x:sum{1, 2} end, function() return x:sum{1, 3} end,
      function() return x:sum(3, {keepdim = true}) end, function() return x:max(3) end, function() return x:argmax(3) end,
      function() return x:var(1) end, function() return x:var(1, {correction = 0}) end,
      function() return x:var(1, {correction = 0.5}) end, function() return x:cumulative_sum(1) end,
      function() return x:cumulative_sum(1, {include_initial = true}) end, function() return lt.softmax(x, 1) end,
      function() return lt.softmax(x, 2) end, function() return lt.log_softmax(x, 2) end, function() return lt.exp(x) end,
      function() return lt.where(x:greater(0), x, 1) end, function() return lt.where(x:greater(0), 1, x) end,
      function() return x:to "float64" end, function() return x:sum{dtype = "float64"} end,
    }
    local chosen
    local compiled = lt.compile(function() return variants[chosen]() * 1 end)
    for _ = 1, 3 do
      for i, f in ipairs(variants) do
        chosen = i
        assert.equal(bits(f() * 1), bits(compiled()), "variant " .. i)
      end
    end
    for i = 1, #variants do
      chosen = i
      is_kept(compiled)
    end
  end)

  it("depend on which results are wanted", function()
    local keep, kept = false, nil
    local compiled = lt.compile(function(x)
      local y = x * 2
      local z = y + 1
      kept = keep and y
      y = nil                                              -- luacheck: ignore
      collectgarbage()
      return z
    end)
    local x = lt.tensor {1.0, 2.0}
    assert.same({0, 1}, {reused(compiled, x)})
    assert.same({1, 1}, {reused(compiled, x)})
    keep = true
    assert.same({0, 1}, {reused(compiled, x)})
    helpers.holds(kept, "[2]", {2.0, 4.0})
    for i = 1, 6 do
      keep = i % 2 == 0
      helpers.holds(compiled(x + i), "[2]", {3.0 + 2 * i, 5.0 + 2 * i})
      if keep then helpers.holds(kept, "[2]", {2.0 + 2 * i, 4.0 + 2 * i}) end
    end
    assert.same({1, 1}, {reused(compiled, x)})
  end)

  it("are right after an error in the middle of a call", function()
    local failing = false
    local function f(x)
      local y = x * 3
      x:add_(1)
      if failing then error("stop") end
      return y + x
    end
    local compiled = lt.compile(f)
    local x, plain = lt.zeros(5), lt.zeros(5)
    for call = 1, 8 do
      failing = call == 3 or call == 6
      local ok, y = pcall(f, plain)
      local also_ok, z = pcall(compiled, x)
      assert.same({ok, bits(plain)}, {also_ok, bits(x)})
      if ok then assert.equal(bits(y), bits(z)) end
    end
    failing = false
    is_kept(compiled, x)
  end)

  it("are bounded in number, and the oldest are dropped first", function()
    local compiled = lt.compile(function(n) return lt.ones(n) + 1 end)
    assert.same({0, 1}, {reused(compiled, 1)})
    for n = 2, 64 do
      assert.same({0, 1}, {reused(compiled, n)})
      assert.same({1, 1}, {reused(compiled, 1)})
    end
    for n = 100, 150 do reused(compiled, n) end
    assert.same({1, 1}, {reused(compiled, 1)})
    assert.same({1, 1}, {reused(compiled, 150)})
    assert.same({0, 1}, {reused(compiled, 2)})
  end)

  it("are shared by the compiled functions of a state", function()
    local x = lt.ones(77)
    is_kept(lt.compile(function() return x / 3 end))
    assert.same({1, 1}, {reused(lt.compile(function() return x / 4 end))})
  end)

  it("do without memory that is exhausted", function()
    local function f(x) return x + 1, (x * 2):sum(), lt.concat{x, x * 3} end
    local compiled, x = lt.compile(f), lt.linspace(0, 1, 50)
    local expected = {f(x)}
    is_kept(compiled, x)
    for n = 1, 12 do
      lt._fail_after(n, 3)
      local got = table.pack(pcall(compiled, x))
      lt._fail_after(0)
      if got[1] then
        for i = 1, 3 do assert.equal(bits(expected[i]), bits(got[i + 1])) end
      else
        assert.truthy(tostring(got[2]):find "memory", got[2])
      end
      for i, y in ipairs {compiled(x)} do assert.equal(bits(expected[i]), bits(y)) end
    end
    is_kept(compiled, x)
  end)
end)

-- Programs of random statements. Each program is called with several kinds of arguments in turn, and with other numbers in
-- each call.
local on_cpu = helpers.device == "cpu"
local PROGRAMS = on_cpu and math.max(1, 160 // helpers.share) or 3
local unary = {"negative", "exp", "square", "abs", "sigmoid", "floor"}
local binary = {"add", "subtract", "multiply", "maximum", "less", "divide", "remainder"}
local dtypes = {"float32", "float64", "int32", "float16"}

local kinds = {
  function(draw, x) return lt[unary[draw(#unary)]](x) end,
  function(draw, x, y) return lt[binary[draw(#binary)]](x, y) end,
  function(draw, x, y) return lt[binary[draw(#binary)]](x, y) end,
  function(draw, x, _, number) return lt[binary[draw(#binary)]](x, number) end,
  function(draw, x, _, number) return lt[binary[draw(#binary)]](number, x) end,
  function(_, x, y, number) return lt.where(x:greater(number), y, number) end,
  function(draw, x) return x * x:mean(draw(x.ndim), {keepdim = true}) end,
  function(draw, x) return lt.softmax(x:to "float32", draw(x.ndim)) end,
  function(draw, x) return x:roll(draw(3) - 2, draw(x.ndim)) + x:roll(1, draw(x.ndim)) end,
  function(draw, x) return lt.concat({x, x * 2}, 1)[{{1, #x}}] + draw(2) end,
  function(draw, x, y, number) return x:add_(draw(2) == 1 and number or y) end,
}

-- The values of a program in one call. `numbers` draws numbers that differ from call to call.
local function program(seed, inputs, numbers)
  local draw, values = generator(seed), {table.unpack(inputs)}
  for _ = 1, 4 + draw(12) do
    local function pick() return values[draw(#values)] end
    local ok, made = pcall(kinds[draw(#kinds)], draw, pick(), pick(), numbers(4) / 2)
    if ok and made then values[#values < 6 and #values + 1 or draw(#values)] = made end
  end
  return table.unpack(values, math.max(1, #values - 2))
end

-- The arguments of a call: of four kinds, which differ in shapes, dtypes and layouts.
local function inputs_of(seed, call)
  local draw = generator(call % 4 + 10 * seed)
  local rows, columns = draw(5), draw(40)
  local x = lt.linspace(-3, call, rows * columns):reshape(rows, columns):to(dtypes[draw(#dtypes)])
  local y = lt.linspace(1, 2 + call, rows * columns):reshape(columns, rows):to(dtypes[draw(#dtypes)]).mT
  return {x, draw(3) == 1 and x or y, draw(2) == 1 and y or x[{{1, 1}}]}
end

describe("random programs that are repeated", function()
  it("compute the same as without lt.compile", function()
    local found, all = 0, 0
    for seed = 1, PROGRAMS do
      local results
      local compiled = lt.compile(function(...) results = table.pack(program(...)) end)
      for call = 1, 12 do
        local plain, given = inputs_of(seed, call), inputs_of(seed, call)
        local expected = all_bits(program(seed, plain, generator(100 * seed + call)))
        local n, of = reused(compiled, seed, given, generator(100 * seed + call))
        found, all = found + n, all + of
        local at = ("program %d, call %d"):format(seed, call)
        assert.same(expected, all_bits(table.unpack(results, 1, results.n)), at)
        assert.same(all_bits(table.unpack(plain)), all_bits(table.unpack(given)), at)
      end
    end
    -- Which results are garbage is a part of a schedule's key, so collections at every few tensors make other keys.
    if not os.getenv "LUATENSOR_GCSTRESS" then assert.truthy(found > 0.3 * all, ("%d of %d"):format(found, all)) end
  end)
end)
