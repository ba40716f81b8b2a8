-- Tests the memory of training: the memory that is freed at once, measured while the collector is stopped, and the
-- peak of a loop while the collector runs.
local lt = require "luatensor"
local nn = require "luatensor.nn"

local MIB = 2 ^ 20
local MILLION = 2 ^ 18          -- the number of float32 elements in 1 MiB
local leaf = {requires_grad = true}

-- Numbers of repetitions are divided by this number. With LUATENSOR_GCSTRESS, many allocations of tensors collect
-- garbage, which takes long.
local few = os.getenv "LUATENSOR_GCSTRESS" and 100 or 1

local function live() return lt.memory("cpu").live / MIB end
local function peak() return lt.memory("cpu").peak / MIB end

-- Calls f with the collector stopped; f itself may collect garbage.
local function stopped(f)
  collectgarbage()
  collectgarbage "stop"
  local ok, message = pcall(f)
  collectgarbage "restart"
  collectgarbage()
  assert(ok, message)
end

describe("a gradient", function()
  it("ends when it is set to nil and no script has seen it", function()
    stopped(function()
      local x = lt.ones(MILLION, leaf)
      x:sum():backward()
      local with = live()
      x.grad = nil
      assert.near(with - 1, live(), 0.01)
    end)
  end)

  it("ends with zero_grad of a module and of an optimiser", function()
    local layer = nn.Linear(512, 512, {bias = false})
    local opt = lt.optim.SGD(layer:parameters(), {lr = 0})
    for _, way in ipairs {layer, opt} do
      stopped(function()
        layer(lt.ones(1, 512)):sum():backward()
        opt:step()
        local with = live()
        way:zero_grad()
        assert.near(with - 1, live(), 0.01)
      end)
    end
  end)

  it("stays as long as a script that has seen it", function()
    local x = lt.ones(3, leaf)
    x:sum():backward()
    local g = x.grad
    x.grad = nil
    assert.same({1, 1, 1}, g:totable())
    x.grad = g
    x.grad = nil
    assert.same({1, 1, 1}, g:totable())
    x:sum():backward()
    x.grad = x.grad
    assert.same({1, 1, 1}, x.grad:totable())
  end)

  it("that was freed is as none", function()
    local x = lt.ones(3, leaf)
    x:sum():backward()
    x.grad:free()
    x:sum():backward()
    assert.same({1, 1, 1}, x.grad:totable())
  end)
end)

describe("on the way back", function()
  it("each gradient ends with its use, and what rules make with them", function()
    stopped(function()
      local x, ys = lt.rand(MILLION, leaf), {}
      ys[0] = x
      for i, f in ipairs {"sin", "exp", "tanh", "log1p", "square", "relu", "sqrt", "negative", "abs", "sigmoid"} do
        ys[i] = ys[i - 1][f](ys[i - 1])
      end
      local y = ys[10] + ys[10] * ys[5] / 3
      local g = lt.ones(MILLION)
      collectgarbage()                     -- frees garbage, which would live on while the collector is stopped
      local before = live()
      lt.reset_peak_memory()
      y:backward(g)
      assert.is_true(peak() - before < 7, ("%.1f MiB"):format(peak() - before))
      assert.near(before + 1, live(), 0.01)
    end)
  end)

  it("what only the graph keeps ends with its node", function()
    stopped(function()
      local x = lt.ones(MILLION, leaf)
      local before, y = live(), x
      for _ = 1, 10 do
        local z = y * y
        if y ~= x then y:free() end
        y = z
      end
      local loss = y:sum()
      y:free()
      assert.near(before + 9, live(), 0.01)
      loss:backward()
      assert.near(before + 1, live(), 0.01)
    end)
  end)

  it("gradients that are one tensor do not stay one", function()
    local x, y = lt.ones(2, leaf), lt.ones(2, leaf);
    (x + y):sum():backward()
    x.grad:add_(1)
    assert.same({1, 1}, y.grad:totable())
    local gx, gy = lt.grad(function(a, b) return (a + b):sum() end)(lt.ones(2), lt.ones(2))
    gx:add_(1)
    assert.same({1, 1}, gy:totable())
    local kept
    local both = lt.autograd_function {
      forward = function(_, a, b) return a + b end,
      backward = function(_, g)
        kept = g * 2
        return kept, kept
      end,
    }
    x, y = lt.ones(2, leaf), lt.ones(2, leaf)
    both(x, y):sum():backward()
    x.grad:add_(1)
    assert.same({{3, 3}, {2, 2}, {2, 2}}, {x.grad:totable(), y.grad:totable(), kept:totable()})
    local h = lt.ones(2, leaf) * 3
    h:retain_grad()
    local z = h + lt.ones(2, leaf)
    z:retain_grad()
    z:backward(lt.ones(2))
    h.grad:add_(1)
    assert.same({1, 1}, z.grad:totable())
  end)
end)

describe("a recurrent layer", function()
  for _, class in ipairs {"RNN", "LSTM", "GRU"} do
    it(class .. ": the turned copy of its weight ends with the last step", function()
      local layer, x = nn[class](4, 512), lt.rand(6, 1, 4)          -- the weight takes 1 MiB or more
      stopped(function()
        local before = live()
        local y = layer(x)
        assert.is_true(live() - before < 0.6, ("%.1f MiB"):format(live() - before))
        assert.is_true(y.requires_grad)
      end)
    end)
  end
end)

describe("Sequential", function()
  it("ends what stands between its layers", function()
    stopped(function()
      local model = nn.Sequential(nn.Linear(4, 256), nn.ReLU(), nn.Dropout(0), nn.Flatten(), nn.Linear(256, 4))
      local x, before = lt.rand(1024, 4), live()
      local y = model(x)
      assert.near(before + 1, live(), 0.1)              -- the graph keeps the result of relu
      y:sum():backward()
      assert.near(before, live(), 0.1)
      assert.equal("[1024, 4]", tostring(x:sin().shape))
    end)
  end)

  it("leaves what its layers may keep", function()
    local seen = {}
    local Keeper = nn.Module:extend "Keeper"
    function Keeper:forward(x)
      seen[#seen + 1] = x
      seen[#seen + 1] = x * 2
      return self.same and x or seen[#seen]
    end
    local same = Keeper()
    same.same = true
    nn.Sequential(nn.Linear(2, 2), Keeper(), nn.ReLU(), same, nn.ReLU(), nn.Linear(2, 2))(lt.ones(1, 2))
    assert.equal(4, #seen)
    for _, x in ipairs(seen) do assert.equal(2, x.size) end
    local Sub = nn.Linear:extend "Sub"
    function Sub:forward(x)
      self.last = nn.Linear.forward(self, x)
      return self.last
    end
    local sub = Sub(2, 2)
    nn.Sequential(sub, nn.ReLU(), nn.ReLU())(lt.ones(1, 2))
    assert.equal(2, sub.last.size)
  end)

  it("gives every layer's gradient", function()
    local made = {Softmax = {1}, LogSoftmax = {1}, Softmin = {1}, GLU = {1}, Threshold = {0.1, 0}, MaxPool2d = {2},
                  AvgPool2d = {2}, AdaptiveAvgPool2d = {2}, AdaptiveMaxPool2d = {2}, Conv2d = {4, 4, 3},
                  ConvTranspose2d = {4, 4, 3}}
    local shapes, count = {Dropout1d = {2, 4, 4}, Dropout3d = {2, 4, 4, 4, 4}}, 0
    for _, file in ipairs {"activation", "dropout", "pooling", "convolution"} do
      for name, class in pairs(require("luatensor.nn." .. file)) do
        if made[name] or file == "activation" or file == "dropout" then
          local x = lt.rand(shapes[name] or {2, 4, 4, 4}, leaf)
          nn.Sequential(nn.Linear(4, 4), nn.ReLU(), class(table.unpack(made[name] or {})), nn.ReLU())(x):sum():backward()
          assert.same(x.shape, x.grad.shape, name)
          count = count + 1
        end
      end
    end
    assert.is_true(count > 25, count)
  end)
end)

describe("a loop", function()
  -- Returns the peak memory during 30 steps, minus the live memory before them, in MiB.
  local function growth(step)
    step()
    collectgarbage()
    collectgarbage()
    lt.reset_peak_memory()
    local before = live()
    for _ = 1, 30 do step() end
    return peak() - before
  end

  it("of training needs its gradients and little more", function()
    local layer = nn.Linear(1024, 1024)
    local opt = lt.optim.SGD(layer:parameters(), {lr = 0.01})
    local x = lt.rand(1, 1024)
    local most = growth(function()
      opt:zero_grad()
      layer(x):square():sum():backward()
      opt:step()
    end)
    -- the gradients of one step take 4 MiB, those of 30 steps 120 MiB
    assert.is_true(most < 10, ("%.1f MiB"):format(most))
  end)

  it("of small steps leaves no garbage in Lua's heap", function()
    local keep, x = {}, lt.ones(MILLION // 32)
    collectgarbage()
    local before, most = collectgarbage "count", 0
    for i = 1, 60000 // few do
      local _ = x * 2
      -- each text is reachable for 40 steps, so the collector treats the text as old
      keep[i % 40] = ("%d"):format(i):rep(100)
      if i % 100 == 0 then most = math.max(most, collectgarbage "count" - before) end
    end
    -- with the collector's default pause the heap may double before a collection begins
    assert.is_true(most < before + 2048, ("%.0f KiB"):format(most))
  end)

  it("of layers without gradients needs two results and a little garbage", function()
    local most = growth(function()
      lt.no_grad(function()
        local h = lt.ones(4 * MILLION)
        for _ = 1, 5 do h = (h * 0.5):relu() end
      end)
    end)
    assert.is_true(most < 40, ("%.1f MiB"):format(most))          -- a result takes 4 MiB
  end)
end)
