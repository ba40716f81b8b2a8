-- tags: unplugged
-- Tests lt.compile(f, {replay = true, check = true}): each replay is compared with f, and an error names the first line that
-- does other work.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local nn, optim = require "luatensor.nn", require "luatensor.optim"

local there = {device = helpers.device}
local checked = {replay = true, check = true}

local function bits(x) return helpers.bits(x:to("cpu")) end
local function line_here() return debug.getinfo(2, "l").currentline end

-- Calls f(...) until it is captured, and once more.
local function settle(f, ...)
  for _ = 1, 6 do f(...) end
  assert.truthy(tostring(f):find "[1-9]%d* of %d+ calls replayed", tostring(f))
end

-- Asserts that f(...) raises an error with this text.
local function raises(text, f, ...)
  local message = helpers.message_of(f, ...)
  assert.truthy(message:find(text, 1, true), message)
end

-- Makes a training step, and lists the bits of all losses and of the state after some steps.
local function train(options)
  lt.manual_seed(3)
  local model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3)):to(helpers.device)
  local opt = optim.Adam(model:parameters(), {lr = 0.05})
  local function step(x, y)
    opt:zero_grad()
    local loss = nn.functional.cross_entropy(model(x), y)
    loss:backward()
    opt:step()
    return loss
  end
  if options then step = lt.compile(step, options) end
  local list = {}
  for i = 1, 9 do list[i] = bits(step(lt.randn(16, 4, there), lt.randint(1, 3, 16, there))) end
  for _, p in ipairs(model:parameters()) do list[#list + 1] = bits(p) .. bits(p.grad) end
  for _, state in ipairs(opt:state_dict().state) do list[#list + 1] = state.step .. bits(state.exp_avg_sq) end
  return list, model, step
end

describe("checked replays", function()
  it("make one step, draw once, and give the results of the function", function()
    local expected, list, _, step = train(), train(checked)
    assert.same(expected, list)
    assert.truthy(tostring(step):find "6 of 9 calls replayed", tostring(step))
  end)

  it("name the line where a module does other work", function()
    local _, model = train()
    local line
    local f = lt.compile(function(x)
      line = line_here() + 1
      return model(x):sum()
    end, checked)
    local x = lt.randn(16, 4, there)
    lt.no_grad(function()
      settle(f, x)
      model:eval()
      raises((":%d: "):format(line), f, x)
      f:reset()
      settle(f, x)
    end)
  end)

  it("name the line of a number that has changed", function()
    local k, line = 2, nil
    local f = lt.compile(function(x)
      local y = x + 1
      line = line_here() + 1
      y = y * k
      return y:sum()
    end, checked)
    local x = lt.ones(3, there)
    settle(f, x)
    k = 3
    raises(("check_spec.lua:%d: multiply: a replay does not repeat this operation, because the captured call had other numbers"):format(line),
           f, x)
  end)

  it("name the line of a product whose factors have changed", function()
    local options, line = {alpha = 2, beta = 3}, nil
    local f = lt.compile(function(x)
      line = line_here() + 1
      return lt.addmm(x, x, x, options)
    end, checked)
    local x = lt.eye(3, there)
    settle(f, x)
    for name, number in pairs {alpha = 4, beta = 5} do
      local old = options[name]
      options[name] = number
      raises(("check_spec.lua:%d: addmm: a replay does not repeat this operation, because the captured call had other numbers"):format(line),
             f, x)
      options[name] = old
    end
  end)

  it("name operations that are new or missing", function()
    local n = 2
    local f = lt.compile(function(x)
      for _ = 1, n do x = lt.exp(x) end
      return x
    end, checked)
    local x = lt.zeros(3, there)
    settle(f, x)
    n = 3
    raises("exp: a replay does not repeat this operation, because the captured call had no more there", f, x)
    n = 1
    raises("exp: this operation of the captured call is missing in this call", f, x)
    n = 2
    assert.near(math.exp(1), f(x)[1]:item(), 1e-6)
  end)

  it("find tensors that were replaced, results, and changed arguments", function()
    local weight, count = lt.ones(3, there), 0
    local f = lt.compile(function(x)
      count = count + 1
      x:add_(1)
      return x * weight
    end, checked)
    for _ = 1, 6 do f(lt.ones(3, there)) end
    local x = lt.ones(3, there)
    assert.same({2.0, 2.0, 2.0}, f(x):totable())
    assert.same({2.0, 2.0, 2.0}, x:totable())
    weight = lt.full({3}, 5.0, there)
    raises("check: the elements of result 1 differ", f, lt.ones(3, there))
    local g = lt.compile(function(y)
      count = count + 1
      return y + 1, count
    end, checked)
    for _ = 1, 3 do g(lt.ones(2, there)) end
    raises("check: result 2 was", g, lt.ones(2, there))
  end)

  it("take several steps of an optimiser back, and accept leaves and sums that each call makes", function()
    local function history(options)
      local w, list = lt.ones(3, there):requires_grad_(), {}
      local opt = optim.Adam({w}, {lr = 0.1})
      local function f(x)
        for _ = 1, 3 do
          opt:zero_grad();
          (w * x):exp():sum():backward()
          opt:step()
        end
        local leaf = (x + 1):detach():requires_grad_()
        for _ = 1, 2 do (leaf * leaf):sum():backward() end
        return leaf.grad + w:detach(), (x * 2):add_(w:detach())
      end
      if options then f = lt.compile(f, options) end
      for i = 1, 6 do
        local a, b = f(lt.full({3}, i / 10, there))
        list[i] = bits(a) .. bits(b) .. bits(w)
      end
      return list, f
    end
    local list, f = history(checked)
    assert.same(history(), list)
    assert.truthy(tostring(f):find "[34] of 6 calls replayed", tostring(f))
  end)

  it("are an option of replays", function()
    helpers.fails("compile: option check: only with option replay = true", lt.compile, print, {check = true})
    helpers.fails("compile: option check: boolean expected, got number", lt.compile, print, {replay = true, check = 1})
  end)
end)
