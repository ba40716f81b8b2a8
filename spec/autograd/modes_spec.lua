-- tags: host
-- Tests modes (recording of gradients, autocast, detect_anomaly): to which code a guard applies, and for how long.
local core = require "luatensor.core"
local data = require "luatensor.data"
local helpers = require "spec.support.helpers"
local lt = require "luatensor"
local nn = require "luatensor.nn"
local optim = require "luatensor.optim"
local torture = require "spec.support.torture.hooks"

local leaf = {requires_grad = true}

local function records()
  local recorded = (lt.ones(1, leaf) * 2).requires_grad
  assert.equal(recorded, lt.is_grad_enabled())
  return recorded
end

local function dtype_of_layer() return nn.Linear(2, 2)(lt.ones(1, 2)).dtype end

-- Starts a coroutine that f suspends or ends by an error. No code closes the coroutine. Returns the coroutine and the
-- results of coroutine.resume.
local function start(f, ...)
  local co = coroutine.create(f)
  return co, coroutine.resume(co, ...)
end

describe("a guard", function()
  it("holds until its block ends", function()
    do
      local _ <close> = lt.no_grad()
      assert.is_false(records())
      do
        local _ <close> = lt.enable_grad()
        assert.is_true(records())
      end
      assert.is_false(records())
    end
    assert.is_true(records())
    do
      local _ <close> = nn.autocast {dtype = "float16"}
      assert.equal("float16", dtype_of_layer())
      do
        local _ <close> = nn.autocast {enabled = false}
        assert.equal("float32", dtype_of_layer())
      end
      do
        local _ <close> = nn.autocast()
        assert.equal("bfloat16", dtype_of_layer())
      end
    end
    assert.equal("float32", dtype_of_layer())
    assert.is_false(pcall(function()
      local _ <close> = lt.detect_anomaly()
      return lt.tensor({-1.}, leaf):sqrt()
    end))
    assert.is_true(lt.tensor({-1.}, leaf):sqrt():isnan():item())
  end)

  it("of a coroutine that resumed others holds for these, however many other guards are suspended", function()
    local suspended = {}
    for i = 1, 300 do
      suspended[i] = coroutine.wrap(function()
        local _ <close> = lt.no_grad()
        coroutine.yield()
        return records()
      end)
      suspended[i]()
    end
    assert.is_true(records())
    local function nest(resume)
      local seen = {}
      resume(function()
        local _ <close> = lt.no_grad()
        resume(function()
          seen[1] = records()
          resume(function()
            local _ <close> = lt.enable_grad()
            seen[2] = records()
            resume(function() seen[3] = records() end)
          end)
          seen[4] = records()
        end)
      end)
      return seen
    end
    local want = {false, true, true, false}
    assert.same(want, nest(function(f) return coroutine.wrap(f)() end))
    assert.same(want, nest(function(f) assert(coroutine.resume(coroutine.create(f))) end))
    -- Here no Lua function calls f. When the coroutine is closed, Lua calls f as the __close metamethod of a variable.
    assert.same(want, nest(function(f)
      local co = coroutine.create(function()
        local _ <close> = setmetatable({}, {__close = f})
        coroutine.yield()
      end)
      assert(coroutine.resume(co))
      assert(coroutine.close(co))
    end))
    for i = 1, 300 do assert.is_false(suspended[i]()) end
    assert.is_true(records())
  end)

  it("holds for a call, with its arguments and results", function()
    local list = table.pack(lt.no_grad(function(...) return records(), ... end, 1, nil, 3, nil))
    assert.same({false, 1, nil, 3, nil, n = 5}, list)
    assert.same({true, 7, n = 2}, table.pack(lt.no_grad(lt.enable_grad, function(x) return records(), x end, 7)))
    local layer = nn.Linear(2, 2)
    assert.equal("bfloat16", nn.autocast(layer, nil, lt.ones(1, 2)).dtype)
    for name, f in pairs {no_grad = lt.no_grad, enable_grad = lt.enable_grad, detect_anomaly = lt.detect_anomaly,
                          autocast = nn.autocast} do
      assert.truthy(helpers.message_of(f, nil):find(name .. ": function expected, got nil", 1, true))
      assert.truthy(helpers.message_of(f, 3):find(name .. ": function expected, got number", 1, true))
    end
  end)

  it("passes through functions that return it, and through tables", function()
    local function evaluating() return lt.no_grad() end
    do
      local _ <close> = evaluating()
      for _ = 1, 3 do assert.is_false(records()) end
    end
    assert.is_true(records())
    do
      local _ <close> = setmetatable({evaluating()}, {__close = function(t) getmetatable(t).closed = true end})
      for _ = 1, 3 do assert.is_false(records()) end
      collectgarbage()
      assert.is_false(records())
    end
    collectgarbage()
    assert.is_true(records())
  end)

  it("that nothing refers to counts no more", function()
    local function lose() lt.no_grad() end
    lose()
    assert.is_true(records())
    local kept = {lt.no_grad()}
    assert.is_false(records())
    kept[1] = nil
    collectgarbage()
    assert.is_true(records())
  end)

  it("is found below deep recursion", function()
    local function deep(n) if n == 0 then return records() end return (deep(n - 1)) end
    local _ <close> = lt.no_grad()
    for _, n in ipairs {1, 10, 14, 15, 16, 17, 100, 5000} do
      assert.is_false(deep(n))
      assert.is_false(deep(n))
    end
  end)

  it("closes in any order", function()
    local a, b, c = lt.no_grad(), lt.enable_grad(), lt.no_grad()
    local close = debug.getmetatable(a).__close
    close(b)
    assert.is_false(records())
    close(c)
    close(c)
    assert.is_false(records())
    close(a)
    assert.is_true(records())
  end)
end)

describe("a mode", function()
  it("is that of the running coroutine", function()
    local co = coroutine.wrap(function()
      local _ <close> = lt.no_grad()
      for _ = 1, 3 do coroutine.yield(records()) end
    end)
    for _ = 1, 3 do
      assert.is_false(co())
      assert.is_true(records())
    end
    local inside = coroutine.wrap(function()
      return lt.no_grad(function(x)
        local y = coroutine.yield(records(), x)
        return records(), y
      end, 7)
    end)
    assert.same({false, 7}, {inside()})
    assert.is_true(records())
    assert.same({false, 9}, {inside(9)})
    assert.is_true(records())
  end)

  it("is that of the coroutines that resumed it, directly or through others", function()
    local function through() return coroutine.wrap(records)() end
    local inner = coroutine.create(function() while true do coroutine.yield(through()) end end)
    local function resume() return select(2, coroutine.resume(inner)) end
    assert.is_true(resume())
    assert.is_false(lt.no_grad(resume))
    assert.is_true(resume())
    assert.is_false(coroutine.wrap(function()
      local _ <close> = lt.no_grad()
      return coroutine.wrap(resume)()
    end)())
    assert.is_true(resume())
  end)

  it("is not that of a coroutine that waits or is dead, for all modes", function()
    local function open(how)
      return start(function()
        local _ <close> = lt.no_grad()
        local _ <close> = nn.autocast()
        local _ <close> = lt.detect_anomaly()
        how("x")
      end)
    end
    local waiting = {open(coroutine.yield), open(error)}
    for _ = 1, 2 do
      assert.is_true(records())
      assert.equal("float32", dtype_of_layer())
      assert.is_true(lt.tensor({-1.}, leaf):sqrt():isnan():item())
      -- the new coroutines may reuse the memory of the collected coroutines
      waiting[1], waiting[2] = nil, nil
      collectgarbage()
      for _ = 1, 20 do assert.is_true(coroutine.wrap(records)()) end
    end
    assert.is_nil(core.modes.recording.value())
  end)

  it("of a coroutine that is kept alive by nothing else ends with that coroutine", function()
    local weak, kept = setmetatable({}, {__mode = "v"}), {}
    weak[1] = start(function()
      kept[1] = lt.no_grad()
      coroutine.yield()
    end)
    assert.is_true(records())
    kept[1] = nil
    collectgarbage()
    assert.is_nil(weak[1])
    for _ = 1, 20 do assert.is_true(coroutine.wrap(records)()) end
  end)

  -- The collector clears weak tables before it calls finalizers. Code that runs between these two steps can still
  -- find a mode whose guard is garbage.
  it("of a guard that is garbage is the default one, also before its finalizer ran", function()
    local function deeper(n)                                              -- leaves other values on the stack
      local a, b, c, d, e, f, g, h = 1, 2, 3, 4, 5, 6, 7, 8
      if n > 0 then deeper(n - 1) end
      return a + b + c + d + e + f + g + h
    end
    local w = lt.ones(1, leaf)
    for _, make in ipairs {lt.detect_anomaly, function() return lt.nn.autocast {dtype = "bfloat16"} end} do
      local holder, ran, mode, y = {guard = make()}, false, nil, nil
      y = w * 2
      assert.is_userdata(holder.guard)
      setmetatable({}, {__gc = function()
        deeper(10)
        y, mode = w * 3, core.modes.autocast.value()
        ran = true
      end})
      holder.guard = nil
      collectgarbage()
      assert.is_true(ran)
      assert.same({3}, y:totable())
      assert.is_nil(mode)
    end
  end)

  it("is open to each function of a script: all may yield", function()
    local double = lt.autograd_function {
      forward = function(_, x) coroutine.yield(records()) return x * 2 end, backward = function(_, g) return g * 2 end,
    }
    local function asked() coroutine.yield(records()) end
    for i, f in ipairs {function() lt.no_grad(asked) end, function() double(lt.ones(2, leaf)) end,
                        function() lt.enable_grad(asked) end, function() lt.detect_anomaly(asked) end,
                        function() nn.autocast(asked) end} do
      local co, ok, recorded = start(f)
      assert.is_true(ok)
      assert.equal(i > 2, recorded)
      assert.is_true(records())
      assert.is_true(coroutine.resume(co))
      assert.equal("dead", coroutine.status(co))
      assert.is_true(records())
    end
  end)
end)

describe("a mode in a loop of training", function()
  local function loader(get) return data.Loader({size = 4, get = get}, {batch_size = 2}):batches() end
  local function fails() error "disk" end
  local variants = {
    ["a data set that raises"] = function() for _ in loader(fails) do error "unreachable" end end,
    ["a data set that yields"] = function() for _ in loader(coroutine.yield) do error "unreachable" end end,
    ["a closure of LBFGS that raises"] = function() optim.LBFGS(nn.Linear(1, 1):parameters(), {}):step(fails) end,
    ["a forward that raises"] = function() lt.autograd_function {forward = fails, backward = fails}(lt.ones(1, leaf)) end,
    ["a forward without a tensor"] = function()
      lt.autograd_function {forward = function() return 1 end, backward = fails}(lt.ones(1, leaf))
    end,
    ["a backward that raises"] = function()
      lt.autograd_function {forward = function(_, x) return x * 1 end, backward = fails}(lt.ones(1, leaf)):backward()
    end,
    ["a list that holds no tensors"] = function() nn.utils.clip_grad_norm_({1}, 1) end,
    ["lt.no_grad(error)"] = function() lt.no_grad(error) end,
    ["lt.grad of a function that raises"] = function() lt.grad(fails)(lt.ones(1)) end,
    ["a guard that is left"] = function() local _ = lt.no_grad() error "left" end,
    ["initialising what is no tensor"] = function() nn.init.normal_(3) end,
  }
  for name, f in pairs(variants) do
    it("is the default one after " .. name .. ", on any coroutine", function()
      local co, ok = start(f)
      assert.equal(name:find "yields" ~= nil, ok)
      assert.is_true(records())
      pcall(f)
      assert.is_true(records())
      assert.is_nil(core.modes.recording.value())
      coroutine.close(co)
      assert.is_true(records())
    end)
  end

  it("of a training step is not touched by a suspended loader", function()
    local batches = coroutine.wrap(function()
      for i = 1, 3 do
        local _ <close> = lt.no_grad()
        coroutine.yield(lt.full({2, 1}, i * 1.))
      end
    end)
    local w = lt.zeros(1, leaf)
    for x in batches do (x * w):sum():backward() end
    assert.equal(12, w.grad:item())
  end)

  -- With LUATENSOR_GCSTRESS this test is slow, because a garbage collection runs before many new tensors.
  local by = os.getenv "LUATENSOR_GCSTRESS" and 401 or 41
  it("survives hooks that raise at any point", function() assert.is_true(torture(by) > 12000 // by) end)
end)
