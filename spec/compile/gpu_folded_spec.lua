-- tags: lanes sanitize-emulated unsanitized divided exhaustive
-- Reductions and softmax on a GPU that compute a chain of operations in place of reading its result (gpu/elementwise.c). The
-- results are those of the functions themselves on the same device, to the last bit.
local lt = require "luatensor"
local compiling = require "spec.support.compiled"
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"

local compile, all_bits, generator = compiling.collecting, compiling.all_bits, compiling.generator

-- Returns the numbers of launches of a call of f and of a call of the compiled f. Asserts that the results are the same.
local function launches(f)
  local compiled = compile(f)
  assert.same(all_bits(f()), all_bits(compiled()))
  local function count(call)
    local before = gpu.emulator.counts().launches
    call()
    return gpu.emulator.counts().launches - before
  end
  return count(f), count(compiled)
end

gpu.describe("a chain before a reduction or a softmax on a GPU", {{}}, function()
  local place = gpu.kind
  local function rand(...) return lt.rand(..., {device = place}) end

  gpu.it_emulated("needs no launch of its own", function()
    local x, y, gain = rand {300, 512}, rand {300, 512}, rand {512}
    local wide = rand {3, 20000}
    local cases = {
      {"mean of squares", 4, 2, function() return ((x - y) ^ 2):mean() end},
      {"products of columns", 3, 2, function() return (x * y):sum(1) end},
      {"products of rows", 2, 1, function() return (x * y):sum(2) end},
      {"RMS norm", 6, 3, function() return x * lt.rsqrt((x * x):mean(2, {keepdim = true}) + 1e-6) * gain end},
      {"biased softmax", 3, 1, function() return lt.softmax(x * 0.125 + gain, 2) end},
      {"log_softmax of columns", 4, 2, function() return lt.log_softmax(x * 0.125 + gain, 1) end},
      {"softmax of long lines", 3, 2, function() return lt.softmax(wide * 2, 2) end},
      {"argmax", 2, 1, function() return (x * gain):argmax(2) end},
      {"a result that is wanted, too", 2, 1, function() local z = x * y return z:sum(2), z end},
      {"a result of which further steps read", 4, 2, function() local z = x * y return z:sum(2), z:max(2), z + 1 end},
      {"further results", 4, 1, function() local z = x + y return z, (z * z):sum(2), z * 3 end},
    }
    for _, case in ipairs(cases) do
      local name, eager, compiled, f = table.unpack(case)
      local plain, folded = launches(f)
      assert.same({name, eager, compiled}, {name, plain, folded})
    end
  end)

  gpu.it_emulated("needs a launch if a scan or a product reads its result, or if the chain changes a tensor in place", function()
    local x, y = rand {30, 30}, rand {30, 30}
    local function of(f) return select(2, launches(f)) end
    assert.equal(2, of(function() return lt.cumulative_sum(x * y, 2) end))
    assert.equal(2, of(function() return lt.matmul(x * y, x) end))
    for _, compiles in ipairs {false, true} do
      local a = x:clone()
      local function f() return a:multiply_(y):sum(2) end
      assert.same(all_bits((x * y):sum(2), x * y), all_bits((compiles and compile(f) or f)(), a))
    end
  end)

  it("has the same results in replays", function()
    local function f(x) return ((x - 2) ^ 2):sum(), lt.softmax(x * x, 2) end
    local replayed = lt.compile(f, {replay = true})
    for i = 1, 6 do
      local x = rand {30, 400} * i
      assert.same(all_bits(f(x)), all_bits(replayed(x)))
    end
    assert.truthy(tostring(replayed):find "4 of 6 calls replayed", tostring(replayed))
  end)

  -- ---- random programs ----

  local dtypes = {"float32", "float16", "int32", "float64", "bfloat16", "uint8", "complex64", "int64", "bool", "int8", "complex128"}
  local shapes = {{7, 33}, {40, 96}, {5}, {3, 2, 257}, {3, 1500}, {2, 5000, 3}, {130, 40}, {20000}, {4, 6, 8, 5}, {1, 1}}
  local reductions = {"sum", "mean", "max", "min", "var", "argmax", "prod", "any", "std", "argmin", "logsumexp", "norm", "count_nonzero"}
  local steps = {
    function(a, b) return a * b end,
    function(a, b) return a - b end,
    function(a, _, n) return a + n end,
    function(a, b) return lt.where(a:equal(b), b, a) end,
    function(a) return lt.exp(a * 0.01) end,
    function(a) return a:square() end,
    function(a, _, n) return (a * n):to "float32" end,
    function(a, b) return lt.maximum(a, b) end,
    function(a) return a:to "float16" end,
    function(a) return a:abs() end,
  }

  -- Returns a tensor of elements of shape `shape`, or one that is broadcast to it, in some layout.
  local function operand(draw, shape, dtype)
    local n, kind = #shape, draw(7)
    local some = {table.unpack(shape)}
    if kind == 1 then some = {shape[n]} elseif kind == 2 then some[n] = 1 elseif kind == 3 then some[1] = 1 end
    if kind == 4 then some[1], some[n] = some[n], some[1] end
    if kind == 5 then some[n] = some[n] + 1 end
    local x = (rand(some) * 9 - 3):to(dtype)
    if kind == 4 then x = x:transpose(1, n) elseif kind == 5 then x = x:narrow(n, 2, shape[n]) end
    return kind == 6 and x:flip(n) or x
  end

  -- Returns the function of a seed: a chain of up to 4 operations, and a reduction or softmax of its result.
  local function function_of(seed)
    local draw = generator(97 * seed + 3)
    local dtype, shape = dtypes[seed % #dtypes + 1], shapes[draw(#shapes)]
    lt.manual_seed(seed)
    local x, y = operand(draw, shape, dtype), operand(draw, shape, draw(3) == 1 and dtypes[draw(#dtypes)] or dtype)
    x = x:broadcast_to(shape)
    local chain, numbers = {}, {}
    for i = 1, draw(4) do chain[i], numbers[i] = steps[draw(#steps)], draw(5) end
    local name, keepdim, wanted, kind = reductions[draw(#reductions)], draw(2) == 1, draw(4) == 1, draw(5)
    local dims, line = {}, draw(#shape)
    for d = 1, #shape do if draw(2) == 1 then dims[#dims + 1] = d end end
    return function()
      local z, before = x, nil
      for i, step in ipairs(chain) do
        local ok, made = pcall(step, z, y, numbers[i])
        if ok then before, z = z, made end
      end
      local ok, result
      if kind == 1 then ok, result = pcall(lt.softmax, z, line)
      elseif kind == 2 then ok, result = pcall(lt.log_softmax, z, line)
      elseif name:find "arg" then ok, result = pcall(lt[name], z, line, {keepdim = keepdim})
      else ok, result = pcall(lt[name], z, {dim = #dims > 0 and dims or nil, keepdim = keepdim}) end
      if not ok then result = z:sum(line) end
      return result, wanted and z or nil, wanted and before or nil
    end
  end

  it("gives the same results for random programs", function()
    local some = gpu.emulator and not os.getenv "LUATENSOR_EXHAUSTIVE"                      -- a program takes 0.6 s to compile
    local all = some and 22 or 132
    local count = some and math.max(4, all // helpers.share) or all
    local operations, passes = 0, 0
    for i = 0, count - 1 do
      local k = (helpers.offset * count + i) % all + 1
      local f = function_of(k)
      local compiled = compile(f)
      local expected, got = table.pack(f()), table.pack(compiled())
      for j = 1, expected.n do
        if expected[j] then assert.equal(helpers.bits(expected[j]), helpers.bits(got[j]), ("result %d of program %d"):format(j, k)) end
      end
      local n, m = tostring(compiled):match "(%d+) operations? in (%d+) pass"
      operations, passes = operations + n, passes + m
    end
    assert.truthy(passes < 0.6 * operations, ("%d passes of %d operations"):format(passes, operations))
  end)
end)
