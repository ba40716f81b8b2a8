-- tags: host uncollected
-- Tests finalizers and debug hooks that run in the middle of an operation. They must not change the memory that the
-- operation uses, but their other changes must take effect.
local collector = require "spec.support.collector"
local helpers = require "spec.support.helpers"
local lt = require "luatensor"
local nn = require "luatensor.nn"
local optim = require "luatensor.optim"

local REFUSED = "to: not from a finalizer or a debug hook that interrupted an operation"

local rounds = 4

-- Makes garbage of varying size, so that the collector's cycles end at different places of the following code.
local function shift(i) return ("x"):rep(i * 37 % 1009) end

-- Calls f. Meanwhile finalizers call act again and again. The collector's pace is set so that a collection cycle takes
-- only a few allocations.
local function storm(f, act)
  local active, mode = true, collectgarbage("incremental")
  local function arm()
    setmetatable({}, {__gc = function()
      if not active then return end
      act()
      arm()
    end})
  end
  arm()
  local pause, multiplier = collector.set_pace(1, 1000)
  local ok, problem = pcall(f)
  active = false
  collector.set_pace(pause, multiplier)
  collectgarbage(mode)
  collectgarbage()
  if not ok then error(problem, 0) end
end

local function random(...) return lt.rand({...}, {generator = lt.generator{seed = 3}}) end

-- Operations of all families on a 16 × 16 float32 tensor.
local families = {
  add = function(w) return w + w.mT end, exp = function(w) return w:exp() end, clip = function(w) return lt.clip(w, 0, 1) end,
  where = function(w) return lt.where(w:greater(0), w, 0) end, sum = function(w) return w:sum(1) end,
  mean = function(w) return w:mean() end, argmax = function(w) return w:argmax(1) end, var = function(w) return w:var(2) end,
  cumsum = function(w) return w:cumulative_sum(1) end, softmax = function(w) return w:softmax(1) end,
  sort = function(w) return (w:sort()) end, argsort = function(w) return w:argsort() end, topk = function(w) return (w:topk(3)) end,
  matmul = function(w) return w:matmul(w) end, linear = function(w) return nn.functional.linear(w, w) end,
  inv = function(w) return lt.linalg.inv(w + lt.eye(16)) end, svd = function(w) return lt.linalg.svdvals(w) end,
  qr = function(w) return (lt.linalg.qr(w)) end, solve = function(w) return lt.linalg.solve(w + lt.eye(16), w) end,
  fft = function(w) return lt.fft.rfft(w) end, ifft2 = function(w) return lt.fft.fft2(w):real() end,
  mask = function(w) return w[w:greater(0.5)] end, picked = function(w) return w[{lt.tensor{1, 3, 5}, {2, 9}}] end,
  take = function(w) return w:take(lt.tensor{16, 1, 2}, 1) end, gather = function(w) return w:take_along_axis(w:argsort(), 2) end,
  concat = function(w) return lt.concat({w, w, w}, 2) end, stack = function(w) return lt.stack {w, w} end,
  einsum = function(w) return lt.einsum("ij,jk->ki", w, w) end, clone = function(w) return w:clone() end,
  to = function(w) return w:to("float64"):to("float32") end, contiguous = function(w) return w.mT:contiguous() end,
  conv = function(w) return nn.functional.conv1d(w:reshape(1, 16, 16), w[{ {}, {1, 15} }]:reshape(16, 5, 3):tile {1, 1, 1}
    [{ {}, {1, 4} }]:contiguous(), {groups = 4}) end,
  pool = function(w) return nn.functional.max_pool2d(w:reshape(1, 1, 16, 16), 2) end,
  norm = function(w) return nn.functional.layer_norm(w, {16}) end, unique = function(w) return lt.unique((w * 4):floor()) end,
  nonzero = function(w) return lt.nonzero(w:greater(0.5)) end, table = function(w) return lt.tensor(w:totable()) end,
  fill = function(w) return w:masked_fill(w:less(0.5), 2) end, search = function(w) return lt.searchsorted(w[1]:sort(), w) end,
  cross = function(w) return nn.functional.cross_entropy(w, w:argmax(2)) end,
  elementwise = function(w) return lt.elementwise("float64 x, float64 y", "x * y + 1")(w, w) end,
}

local function values(x) return x:to("cpu"):to_bytes() end

describe("a finalizer", function()
  for name, f in pairs(families) do
    it("moves no parameter under " .. name, function()
      local layer, wide, moved, refused = nn.Linear(16, 16), false, 0, 0
      local w = layer.weight
      w.requires_grad = false
      w:copy_(random(16, 16))
      local known = {float32 = values(f(w)), float64 = values(f(w:to("float64")))}
      storm(function()
        for i = 1, 2000 do
          if i > rounds and refused > 0 then break end
          local before = shift(i) and w.dtype
          local ok, y = pcall(f, w)
          if ok and before == w.dtype then
            local got = values(y)
            assert.is_true(got == known.float32 or got == known.float64)
          end
        end
      end, function()
        wide = not wide
        local ok, problem = pcall(layer.to, layer, wide and "float64" or "float32")
        if ok then moved = moved + 1 else refused = refused + 1 end
        assert(ok or problem:find(REFUSED, 1, true), problem)
      end)
      assert.is_true(refused > 0)
      assert.is_true(w.dtype == "float32" or w.dtype == "float64")
    end)

    it("frees nothing that " .. name .. " works on", function()
      local w
      storm(function()
        for i = 1, rounds do
          w = shift(i) and random(16, 16)
          local mine <const> = w
          pcall(f, mine)
        end
      end, function() if w then w:free() end end)
    end)
  end

  it("that changes a mask between the count and the positions is noticed", function()
    local mask, told = lt.zeros(100000, {dtype = "bool"}), nil
    storm(function()
      for i = 1, 20000 do
        mask:fill_(false)
        local ok, found = pcall(lt.nonzero, shift(i) and mask)
        if not ok then
          told = found
          break
        end
        assert.is_true(found.size == 0 or found.size == 100000)
      end
    end, function() mask:fill_(true) end)
    assert.equal("nonzero: a finalizer, a debug hook or the host changed the tensor in the middle of the operation", told)
  end)

  -- Functions during which a finalizer runs. Each function collects garbage, or makes garbage until done() is true.
  -- done() is true after the finalizer has run.
  local interrupted = {
    ["collectgarbage"] = function() collectgarbage() end,
    ["Lua code that allocates"] = function(done) while not done() do local _ = {} end end,
    ["functions of Lua's libraries"] = function(done) while not done() do local _ = ("x"):rep(1000) end end,
    ["a coroutine"] = function(done)
      coroutine.wrap(function() while not done() do local _ = {} end end)()
    end,
    ["a function in lt.no_grad"] = function(done) lt.no_grad(function() while not done() do local _ = {} end end) end,
    ["a script's backward"] = function(done)
      local f = lt.autograd_function {forward = function(_, x) return x * 1 end, backward = function(_, g)
        while not done() do local _ = {} end
        return g
      end}
      f(lt.ones(1, {requires_grad = true})):backward()
    end,
  }
  local how = {
    directly = function(f) f() end,
    ["in coroutine.wrap"] = function(f) coroutine.wrap(f)() end,
    ["in coroutine.resume"] = function(f) assert(coroutine.resume(coroutine.create(f))) end,
    ["in two coroutines"] = function(f) coroutine.wrap(function() coroutine.wrap(f)() end)() end,
  }
  for name, run in pairs(interrupted) do
    for way, call in pairs(how) do
      it(("that interrupts %s frees and moves %s"):format(name, way), function()
        local x, layer, ran = lt.ones(3), nn.Linear(2, 2), false
        setmetatable({}, {__gc = function()
          call(function()
            x:free()
            layer:to "float64"
          end)
          ran = true
        end})
        run(function() return ran end)
        assert.is_true(ran)
        assert.truthy(helpers.message_of(lt.sum, x):find("this tensor was freed", 1, true))
        assert.equal("float64", layer.weight.dtype)
      end)
    end
  end

  for way, call in pairs(how) do
    it("that interrupts an operation is refused " .. way, function()
      local layer, problem, freed = nn.Linear(16, 16), nil, lt.ones(3)
      layer(lt.ones(1, 16)):sum():backward()
      local gradient = layer.weight.grad
      storm(function()
        for i = 1, 2000 do
          shift(i)
          lt.exp(layer.weight)
          if problem then break end
        end
      end, function()
        if problem then return end
        local ok, message = pcall(call, function() layer:to "float64" end)
        if ok then
          layer:to "float32"
          gradient = layer.weight.grad
        else
          problem = message
          freed:free()
        end
      end)
      assert.truthy(tostring(problem):find(REFUSED, 1, true), tostring(problem))
      assert.equal("float32", layer.weight.dtype)
      assert.is_true(rawequal(gradient, layer.weight.grad))
      assert.equal(3, freed:sum():item())
    end)
  end

  it("drops no gradient that an optimiser reads", function()
    local layer = nn.Linear(64, 64)
    local opt = optim.Adam(layer:parameters(), {lr = 0.01})
    storm(function()
      for i = 1, 10 * rounds do
        shift(i)
        layer(lt.ones(2, 64)):square():sum():backward()
        opt:step()
      end
    end, function()
      layer.weight.grad = nil
      layer.bias.grad = nil
    end)
    assert.is_true(layer.weight:isfinite():all():item())
  end)

  it("changes no list, key or option under an operation", function()
    local n = 0
    local list, key, options
    local function spoil()
      n = n + 1
      for i = 1, list and #list or 0 do list[i] = i % 2 == 0 and io.stdout or nil end
      if key then key[1], key[2] = nil, nil end
      if options then options.out = n % 2 == 0 and io.stdout or nil end
    end
    local x = random(16, 16)
    local joined, picked = values(lt.concat {x, x, x}), values(x[{lt.tensor{1, 3, 5}, lt.tensor{2, 2, 9}}])
    local sums, stacked = values(x:sum(1)), values(lt.stack {x, x, x})
    local function same(want, f, ...)
      local ok, y = pcall(f, ...)
      if ok and lt.is_tensor(y) and y.size * 4 == #want then assert.is_true(values(y) == want) end
    end
    storm(function()
      for i = 1, 20 * rounds do
        list = shift(i) and {x:clone(), x:clone(), x:clone()}
        same(joined, lt.concat, list)
        list = {x:clone(), x:clone(), x:clone()}
        same(stacked, lt.stack, list)
        list = {x:clone():requires_grad_(), x:clone(), x:clone()}
        same(joined, lt.concat, list)
        list = nil
        key = {lt.tensor{1, 3, 5}, lt.tensor{2, 2, 9}}
        same(picked, function(k) return x[k] end, key)
        key = nil
        options = {out = lt.zeros(16, 16)}
        same(joined, lt.add, x, x, options)
        options = {out = lt.zeros(16)}
        same(sums, lt.sum, x, 1, options)
        options = {out = lt.zeros(16, 16)}
        same(joined, lt.matmul, x, x, options)
        options = nil
      end
    end, spoil)
    assert.is_true(n > rounds)
  end)

  it("takes no DLPack struct twice", function()
    if helpers.device ~= "cpu" then return end
    local taken, capsule = {}, nil
    storm(function()
      for i = 1, 20 * rounds do
        shift(i)
        for _, copy in ipairs {false, true} do
          local x = random(16)
          local known = values(x)
          capsule = x:to_dlpack()
          local ok, y = pcall(lt.from_dlpack, capsule, copy and {copy = true} or nil)
          capsule = nil
          if ok then assert.is_true(values(y) == known) end
          for _, z in ipairs(taken) do assert.is_true(values(z) == known) end
          taken = {}
        end
      end
    end, function()
      local ok, y = pcall(lt.from_dlpack, capsule)
      if ok then taken[#taken + 1] = y end
    end)
  end)
end)

describe("a debug hook", function()
  -- Calls f(n) for n = 1, 1 + by, 1 + 2 · by, … (by is 1 unless given) with a hook that calls act(n) once, at the
  -- n-th instruction. Returns the first n for which f ended before its n-th instruction.
  local function at_each(f, act, by)
    for n = 1, math.huge, by or 1 do
      local fired = false
      debug.sethook(function()
        debug.sethook()
        fired = true
        act(n)
      end, "", n)
      f(n)
      debug.sethook()
      if not fired then return n end
    end
  end

  local x = lt.rand(4, 4, {generator = lt.generator{seed = 1}})
  local function work(layer)
    layer:zero_grad()
    local y = lt.linalg.matrix_norm(layer(x):softmax(1)) + layer(x):tile{2, 1}:std()
    y:backward()
    return y
  end

  it("moves no parameter inside of an operation", function()
    local layer = nn.Linear(4, 4)
    local known = work(layer):item()
    local gradient, refused, moved = layer.weight.grad:clone(), 0, 0
    at_each(function()
      local ok, y = pcall(work, layer)
      layer:to "float32"
      if not ok then return end
      assert.near(known, y:item(), 1e-5)
    end, function(n)
      local ok, problem = pcall(n % 2 == 0 and layer.to or coroutine.wrap(layer.to), layer, "float64")
      if ok then moved = moved + 1 else refused = refused + 1 end
      assert(ok or problem:find(REFUSED, 1, true), problem)
    end, 7)
    assert.is_true(refused > 20 and moved > 5)
    work(layer)
    assert.is_true(lt.allclose(gradient, layer.weight.grad))
  end)

  it("frees nothing inside of an operation", function()
    local layer = nn.Linear(4, 4)
    local known = work(layer):item()
    at_each(function()
      local ok, y = pcall(work, layer)
      debug.sethook()
      if not ok then
        assert.truthy(y:find("freed", 1, true), y)
        layer = nn.Linear(4, 4)
        known = work(layer):item()
      else
        assert.near(known, y:item(), 1e-6)
      end
    end, function() layer.weight:free() end, 7)
  end)

  it("frees in a script's own code", function()
    local y = lt.ones(3)
    debug.sethook(function()
      debug.sethook()
      y:free()
    end, "l")
    local z = 1
    z = z + 1
    debug.sethook()
    assert.equal(2, z)
    assert.truthy(helpers.message_of(lt.sum, y):find("this tensor was freed", 1, true))
  end)

  it("keeps the tensors that it makes while a rule runs", function()
    local made = {}
    for _, cleared in ipairs {false, true} do
      at_each(function()
        local w = lt.ones(3, {requires_grad = true});
        (w:softmax() * w:sin():cumulative_sum(1)):sum():backward()
      end, function()
        if cleared then debug.sethook() end
        made[#made + 1] = lt.full({2}, 7.)
        made[#made + 1] = coroutine.wrap(function() return made[#made] + 0 end)()
      end)
    end
    assert.is_true(#made > 100)
    for _, t in ipairs(made) do assert.equal(14, t:sum():item()) end
  end)
end)
