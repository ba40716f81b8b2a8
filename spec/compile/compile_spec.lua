-- tags: uncollected
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local fails, holds = helpers.fails, helpers.holds
local LARGE = 1 << 15         -- elements of float32: enough that garbage is collected before results are stored

local function same(x, y) assert.is_true(x:to_bytes() == y:to_bytes()) end

-- Returns the numbers of deferred operations of all calls so far.
local function deferred(compiled) return tonumber(tostring(compiled):match "(%d+) operations? in ") end

-- Calls the compiled function ten times. Returns the numbers of the call that stored least: garbage that survives a
-- collection in the middle of a call is stored.
local function counts(compiled, ...)
  local best
  for _ = 1, 10 do
    local operations, passes, dropped, stored =
      compiled:explain(...):match "(%d+) operations? in (%d+) pass%w* over memory, (%d+) dropped, (%d+) results? stored"
    local now = {deferred = tonumber(operations), dropped = tonumber(dropped), passes = tonumber(passes), stored = tonumber(stored)}
    if not best or now.stored < best.stored then best = now end
  end
  return best
end

describe("lt.compile", function()
  it("keeps the old elements for all ops before a write in place that computes what an earlier op computed", function()
    local function f(x, y)
      local squares = (x - y) ^ 2
      local tanh = x:tanh()
      x:subtract_(y)
      return squares, tanh, x
    end
    local function inputs() return lt.linspace(-2, 2, LARGE), lt.linspace(0.5, 1, LARGE) end
    local want, got = table.pack(f(inputs())), table.pack(lt.compile(f)(inputs()))
    for k = 1, 3 do same(want[k], got[k]) end
    assert.is_true(math.abs(got[2][LARGE]:item() - 0.96402758) < 1e-6)       -- tanh(2)
  end)

  it("computes what the function computes", function()
    local f = lt.compile(function(x, y) return (x * 2 + y):clip(0, 10), x - y end)
    local a, b = f(lt.tensor {1.0, 2.0, 7.0}, lt.tensor {-4.0, 0.5, 1.0})
    holds(a, "[3]", {0.0, 4.5, 10.0})
    holds(b, "[3]", {5.0, 1.5, 6.0})
  end)

  it("passes arguments and results of any kind", function()
    local f = lt.compile(function(...) return select("#", ...), ... end)
    assert.same({n = 4, 3, "a", nil, nil}, table.pack(f("a", nil, nil)))
    assert.same({n = 0}, table.pack(lt.compile(function() end)()))
  end)

  it("computes a chain in one pass, which stores its result alone", function()
    local f = lt.compile(function(x) return 1 / (1 + lt.exp(-(x * 3 - 1))) end)
    local x = lt.linspace(-2, 2, LARGE)
    local y = f(x)
    assert.same({deferred = 6, dropped = 0, passes = 1, stored = 1}, counts(f, x))
    assert.near(1 / (1 + math.exp(7)), y[1]:item(), 1e-9)
  end)

  it("takes no memory for temporary results", function()
    local x = lt.ones(LARGE)
    local f = lt.compile(function() return ((x + 1) * 2 - 3):square() end)
    f()
    local y, least = nil, math.huge
    for _ = 1, 10 do                                     -- as in `counts`
      y = nil
      collectgarbage()
      lt.reset_peak_memory(helpers.device)
      local before = lt.memory(helpers.device).state_peak
      y = f()
      least = math.min(least, lt.memory(helpers.device).state_peak - before)
    end
    assert.equal(4 * LARGE, least)
    holds(y[{{1, 2}}], "[2]", {1.0, 1.0})
  end)

  it("frees the results of earlier calls without full collections", function()
    local mode = collectgarbage "generational"
    local n = 1 << 20
    local x = lt.ones(n)
    local f = lt.compile(function() return (x + 1) * 2 end)
    local before = helpers.live(helpers.device)
    lt.reset_peak_memory(helpers.device)
    for _ = 1, 20 do local _ = f() end
    local peak = lt.memory(helpers.device).state_peak
    collectgarbage(mode)
    assert.truthy(peak <= before + 2 * 4 * n, (peak - before) / (4 * n))
  end)

  it("does not compute what nobody can read", function()
    local f = lt.compile(function(x)
      local _ = lt.exp(x) * 2
      return x + 1
    end)
    holds(f(lt.ones(LARGE))[{{1, 1}}], "[1]", {2.0})
    assert.same({deferred = 3, dropped = 2, passes = 1, stored = 1}, counts(f, lt.ones(LARGE)))
  end)

  it("computes equal operations once", function()
    local f = lt.compile(function(x) return (x + 1) * (x + 1), x + 1 end)
    local a, b = f(lt.tensor {1.0, 3.0})
    holds(a, "[2]", {4.0, 16.0})
    holds(b, "[2]", {2.0, 4.0})
  end)

  it("keeps what a closure stores", function()
    local kept, count = nil, 0
    local f = lt.compile(function(x)
      count = count + 1
      kept = kept and kept * 0.5 + x or lt.zeros(3)
      return kept + count
    end)
    for _ = 1, 3 do f(lt.tensor {1.0, 2.0, 4.0}) end
    holds(kept, "[3]", {1.5, 3.0, 6.0})
    assert.equal(3, count)
  end)

  it("reads values in the middle", function()
    local f = lt.compile(function(x)
      local n = 0
      while x:less(100):all():item() do x, n = x * 2, n + 1 end
      return x, n
    end)
    local x, n = f(lt.tensor {1.0, 3.0})
    holds(x, "[2]", {64.0, 192.0})
    assert.equal(6, n)
  end)

  it("writes in place, in the order of the script", function()
    local x, y = lt.tensor {1.0, 2.0}, lt.tensor {10.0, 20.0}
    local f = lt.compile(function(a, b)
      local before = a + b
      a:multiply_(b)
      b:add_(a)
      a[1] = -1
      return before, a * 1
    end)
    local before, after = f(x, y)
    holds(before, "[2]", {11.0, 22.0})
    holds(after, "[2]", {-1.0, 40.0})
    holds(x, "[2]", {-1.0, 40.0})
    holds(y, "[2]", {20.0, 60.0})
    before, after = f(x, x)                              -- both arguments are one tensor
    holds(before, "[2]", {-2.0, 80.0})
    holds(after, "[2]", {-1.0, 3200.0})
  end)

  it("writes to views and reads through others", function()
    local f = lt.compile(function(x)
      local y = x * 1
      y[{1}]:add_(10)
      y.mT[{1}]:multiply_(2)
      return y, y.mT + 0, y[{{2, 2}}]:broadcast_to(2, 2) + y
    end)
    local y, turned, sum = f(lt.tensor {{1.0, 2.0}, {3.0, 4.0}})
    holds(y, "[2, 2]", {{22.0, 12.0}, {6.0, 4.0}})
    holds(turned, "[2, 2]", {{22.0, 6.0}, {12.0, 4.0}})
    holds(sum, "[2, 2]", {{28.0, 16.0}, {12.0, 8.0}})
  end)

  it("rounds every operation, as without it", function()
    for _, dtype in ipairs {"float16", "bfloat16", "float32", "int8", "uint8"} do
      local x, y = lt.arange(1, 200):to(dtype), lt.arange(200, 1, -1):to(dtype)
      local function f(a, b) return (a * b + a) * b - a, lt.maximum(a * 3, b):to("float64") / 7 end
      local a, b = f(x, y)
      local c, d = lt.compile(f)(x, y)
      same(a, c)
      same(b, d)
    end
  end)

  it("has no limit of operations, inputs or results", function()
    local inputs = {}
    for i = 1, 40 do inputs[i] = lt.full(5, i / 8) end
    local function f()
      local sum, all = lt.zeros(5), {}
      for round = 1, 20 do
        for i, x in ipairs(inputs) do
          sum = sum * 0.5 + x * round
          if round == 1 then all[i] = sum end
        end
      end
      return sum, table.unpack(all)
    end
    local expected, got = {f()}, {lt.compile(f)()}
    assert.equal(41, #got)
    for i = 1, 41 do same(expected[i], got[i]) end
  end)

  it("gives the gradients of the function", function()
    local x = lt.tensor({0.5, -1.0, 2.0}, {requires_grad = true})
    local f = lt.compile(function()
      local y = (x * x * x):sum()
      y:backward()
      return y
    end)
    holds(f(), "[]", 7.125)
    holds(x.grad, "[3]", {0.75, 3.0, 12.0})
    local y = lt.compile(function() return (x * x).square end)
    assert.is_function(y())
    local z = lt.compile(function() return lt.exp(x) * 2 end)()
    x.grad = nil
    z:sum():backward()                                   -- the graph was recorded inside
    assert.near(2 * math.exp(2), x.grad[3]:item(), 1e-5)
  end)

  it("refuses to differentiate what was changed in place", function()
    local x = lt.ones(3, {requires_grad = true})
    local y = lt.compile(function()
      local e = lt.exp(x)
      lt.no_grad(function() e:add_(1) end)
      return e
    end)()
    assert.has_error(function() y:sum():backward() end)
  end)

  it("runs inside of compiled functions and coroutines", function()
    local inner = lt.compile(function(x) return x * 2 + 1 end)
    local outer = lt.compile(function(x)
      local parts = coroutine.wrap(function()
        for i = 1, 3 do coroutine.yield(inner(x) * i) end
      end)
      return parts() + parts() + parts()
    end)
    holds(outer(lt.tensor {1.0, 2.0}), "[2]", {18.0, 30.0})
    assert.equal(0, deferred(inner))              -- the outer function deferred them
    local whole = coroutine.wrap(function() coroutine.yield(inner(lt.ones(2))) end)
    holds(whole(), "[2]", {3.0, 3.0})
  end)

  it("explains which lines had to wait for results", function()
    local f = lt.compile(function(x)
      local y = x * 2
      local n = y:sum():item()
      for _ = 1, 3 do y = y - select("#", lt.nonzero(y)) end
      return y * n
    end)
    local text = f:explain(lt.ones(2, 2))
    local line = debug.getinfo(1, "l").currentline - 7
    assert.truthy(text:find("spec.lua:" .. line + 2 .. ": item", 1, true), text)
    assert.truthy(text:find("spec.lua:" .. line + 3 .. ": nonzero, 2 times", 1, true), text)
    assert.truthy(text:find("^1 call, 6 operations in "), text)
  end)

  it("does not defer operations on memory that others may use", function()
    local x = lt.tensor {1.0, 2.0}
    x:data_ptr()
    local f = lt.compile(function() return x * 2 + 1 end)
    holds(f(), "[2]", {3.0, 5.0})
    assert.equal(1, deferred(f))                  -- + 1, on memory of its own
  end)
end)

describe("errors in compiled functions", function()
  it("are those of the function, and earlier writes happen", function()
    local x, problem = lt.ones(2), {}
    local f = lt.compile(function()
      x:add_(1)
      error(problem)
    end)
    local ok, why = pcall(f)
    assert.is_false(ok)
    assert.equal(problem, why)
    holds(x, "[2]", {2.0, 2.0})
    holds(lt.compile(function() return x * 2 end)(), "[2]", {4.0, 4.0})
    fails("add: shapes [2] and [3] do not broadcast (dim 1: 2 against 3)", lt.compile(function() return x + lt.ones(3) end))
  end)

  it("name freed tensors and wrong arguments", function()
    fails("compile: argument 1: function expected, got nil", lt.compile)
    fails("compile: argument 1: function expected, got number", lt.compile, 3)
    local f = lt.compile(function(x)
      local y = x + 1
      x:free()
      return y * x
    end)
    fails("multiply: argument 2: this tensor was freed", f, lt.ones(2))
    local y
    lt.compile(function(x) y = x * 2 x:free() end)(lt.ones(2))
    holds(y, "[2]", {2.0, 2.0})
  end)

  it("refuse to yield, to explain and to reopen a device inside", function()
    local f = lt.compile(function() coroutine.yield() end)
    local ok, why = coroutine.resume(coroutine.create(function() f() end))
    assert.is_false(ok)
    assert.truthy(tostring(why):find "yield")
    local g = lt.compile(function() end)
    fails("explain: not inside of a compiled function", lt.compile(function() g:explain() end))
    holds(lt.compile(function() return lt.ones(2) + 1 end)(), "[2]", {2.0, 2.0})
  end)

  it("do not run a script's finalizer or hook between operations of a list", function()
    local x, seen = lt.ones(LARGE), nil
    local f = lt.compile(function()
      local y = x + 1
      setmetatable({}, {__gc = function() seen = (y * 2)[1]:item() x:add_(1) end})
      collectgarbage()
      return y * x
    end)
    holds(f()[{{1, 1}}], "[1]", {4.0})
    assert.equal(4.0, seen)
  end)

  it("of exhausted memory lose nothing", function()
    local device = helpers.device
    local x = lt.ones(LARGE, {device = device})
    local function f() local y = x * 2 return y + 1, lt.exp(y), (y - 1):reshape(-1, 2).mT + 0 end
    local compiled = lt.compile(f)
    local expected = {f()}
    compiled()
    for n = 1, 12 do
      local live = helpers.live(device)
      lt._fail_after(n, 9)
      local got = table.pack(pcall(compiled))
      lt._fail_after(0)
      if got[1] then
        for i = 1, 3 do same(expected[i], got[i + 1]) end
      else
        assert.truthy(tostring(got[2]):find "memory", got[2])
      end
      got = nil                                          -- luacheck: ignore
      assert.equal(live, helpers.live(device), ("allocation %d"):format(n))
    end
    same(expected[1], (compiled()))
  end)

  it("of exhausted memory mark what could not be computed", function()
    local x, kept = lt.ones(LARGE), nil
    local f = lt.compile(function()
      kept = x * 2
      lt._fail_after(1, 100)
    end)
    assert.has_error(f)
    lt._fail_after(0)
    fails("sum: argument 1: the operation that computes this tensor failed", kept.sum, kept)
  end)

  it("respect the limit of the state's memory", function()
    local x = lt.ones(LARGE)
    local f = lt.compile(function() return x + 1, x + 2, x + 3 end)
    lt.set_memory_limit(helpers.live(helpers.device) + 8 * LARGE, helpers.device)
    assert.has_error(f)
    lt.set_memory_limit(nil, helpers.device)
    local a, _, c = f()
    holds(a[{{1, 1}}], "[1]", {2.0})
    holds(c[{{1, 1}}], "[1]", {4.0})
  end)

  it("of exhausted memory name the function, also if another op computes its result", function()
    local x = lt.ones(LARGE)
    local message = helpers.message_of(lt.compile(function()
      local y = x ^ 3
      lt._fail_after(1, 100)
      return y
    end))
    lt._fail_after(0)
    assert.truthy(message:find "scratch of pow;", message)
  end)

  it("of exhausted memory do not take back writes of earlier operations", function()
    local device, kept = helpers.device, nil
    local function f(x, y) x:add_(1) local t = x * 2 x:add_(t) kept = {x * 3, x * 4} y:add_(1) end
    for _, limited in ipairs {true, false} do
      local x, y = lt.ones(LARGE), lt.ones(LARGE)
      kept = nil
      collectgarbage()
      if limited then lt.set_memory_limit(helpers.live(device) + 7 * LARGE, device) end     -- 4 for t
      local ok = pcall(lt.compile(function(...)
        f(...)
        if not limited then lt._fail_after(2, 100) end
      end), x, y)
      lt._fail_after(0)
      lt.set_memory_limit(nil, device)
      assert.is_false(ok)
      same(lt.full_like(x, limited and 6 or 2), x)         -- without a limit, the memory of t cannot be allocated
      same(lt.ones(LARGE), y)                              -- what comes after the error does not happen
      fails("sum: argument 1: the operation that computes this tensor failed", kept[2].sum, kept[2])
    end
  end)

  it("respect the limit of the state's memory when the list is full, and do not count garbage", function()
    local x, device = lt.ones(1000), helpers.device
    local kept
    local many = lt.compile(function() kept = {} for i = 1, 300 do kept[i] = x + i end end)
    local few = lt.compile(function() local list = {} for i = 1, 200 do list[i] = x + i end return #list end)
    collectgarbage()
    lt.set_memory_limit(helpers.live(device) + 100 * 4000, device)
    local ok, message = pcall(many)
    local results = #kept
    kept = nil                                             -- luacheck: ignore
    local garbage_ok, n = pcall(few)
    lt.set_memory_limit(nil, device)
    assert.is_false(ok)
    assert.truthy(message:find "limit", message)
    assert.truthy(results < 300, results)                  -- the error is raised in f
    assert.same({true, 200}, {garbage_ok, n})
  end)

  it("of too many results end the call", function()
    local x, many = lt.ones(3), {}
    for n = 999900, 1000000 do
      local ok = pcall(lt.compile(function() x:add_(1) return table.unpack(many, 1, n) end))
      if not ok then break end
    end
    local f = lt.compile(function(y) return y + 1 end)
    f(x)
    assert.equal(1, deferred(f))                    -- f is no part of another compiled function
  end)
end)
