-- tags: lanes sanitize-emulated
--- Tests that a step updates all parameters in one call of the device, with the values of updates one after another.

local busted = require "busted"
local lt = require "luatensor"
local core = require "luatensor.core"
local optim = require "luatensor.optim"
local helpers = require "spec.support.helpers"
local gpu = require "spec.support.gpu"

local kind = helpers.device:match "^%a+"
local on_cpu = kind == "cpu"

local function parameter(values, dtype)
  local p = lt.tensor(values, {dtype = dtype or "float64"})
  p.requires_grad = true
  return p
end

-- Returns the values of p as a list.
local function values(p) return p:detach():to("float64", "cpu"):reshape(-1):totable() end

-- Profiles f. Returns the number of its calls of `update` by "device dtype", and the number of elements of all calls.
local function calls(f)
  core.profile_start "serialised"
  local ok, problem = pcall(f)
  local p = core.profile_stop()
  assert(ok, problem)
  local made, elements = {}, 0
  for _, row in ipairs(p.rows) do
    if row.family == "update" then
      made[row.device .. " " .. row.dtype] = row.calls
      elements = elements + row.elements
    end
  end
  return made, elements
end

-- Returns element i of the gradient of parameter k at a step: multiples of 1/8 from -1 to 1.
local function slope(k, i, step) return ((7 * k + 3 * i + 5 * step) % 17 - 8) / 8 end

local function set_gradient(p, k, step)
  local list = {}
  for i = 1, p.size do list[i] = slope(k, i, step) end
  p.grad = lt.tensor(list, {dtype = p.dtype, device = p.device}):reshape(p.shape)
end

-- 66 parameters: small ones around the sizes of blocks and of vectors, and a large one.
local function sizes()
  local list = {1, 2, 63, 64, 65, 127, 129, 70001}
  for k = #list + 1, 66 do list[k] = k % 9 + 1 end
  return list
end

local function start_value(k, i) return ((5 * k + i) % 13 - 6) / 4 end

-- Makes five steps of the optimiser `class`, with a rate for each parameter; parameter k has a gradient only in the steps
-- after step k % 3. step(x, t, rate, g) makes the same step for an element x = {p = …} in Lua's numbers.
local function follows(class, options, step)
  local params, groups, want, count = {}, {}, {}, {}
  for k, n in ipairs(sizes()) do
    local list = {}
    want[k], count[k] = {}, 0
    for i = 1, n do
      list[i] = start_value(k, i)
      want[k][i] = {p = list[i]}
    end
    params[k] = parameter(list)
    groups[k] = {params = {params[k]}, lr = 1 / (8 + k)}
  end
  local opt = optim[class](groups, options)
  for t = 1, 5 do
    for k, p in ipairs(params) do
      if t > k % 3 then
        set_gradient(p, k, t)
        count[k] = count[k] + 1
        for i, x in ipairs(want[k]) do step(x, count[k], groups[k].lr, slope(k, i, t)) end
      end
    end
    opt:step()
    opt:zero_grad()
  end
  for k, p in ipairs(params) do
    for i, x in ipairs(values(p)) do
      if not (math.abs(x - want[k][i].p) <= 1e-13) then                   -- luacheck: ignore 581
        error(("parameter %d, element %d: %.17g, not %.17g"):format(k, i, x, want[k][i].p), 0)
      end
    end
  end
end

describe("a step of many parameters", function()
  for _, case in ipairs {{threads = 1}, {threads = 2}} do
    it(("has the values of Adam's formula for each parameter, on %d threads"):format(case.threads), function()
      local threads = lt.get_num_threads()
      lt.set_num_threads(case.threads)
      follows("Adam", {}, function(x, t, rate, g)
        x.m, x.v = 0.9 * (x.m or 0) + 0.1 * g, 0.999 * (x.v or 0) + 0.001 * g * g
        x.p = x.p - rate / (1 - 0.9 ^ t) * x.m / (math.sqrt(x.v) / math.sqrt(1 - 0.999 ^ t) + 1e-8)
      end)
      lt.set_num_threads(threads)
    end)
  end

  it("has the values of momentum, whose first step has another factor", function()
    follows("SGD", {momentum = 0.75, dampening = 0.5}, function(x, t, rate, g)
      x.b = t == 1 and g or 0.75 * x.b + 0.5 * g
      x.p = x.p - rate * x.b
    end)
  end)

  it("is one call of the device for each dtype", function()
    local list, elements = {}, 0
    for k = 1, 100 do
      list[k] = parameter({{k, 2}, {3, 4}, {5, 6}}, k % 3 == 0 and "float32" or "float64")
      if k % 10 == 7 then                                               -- operands of several layouts
        list[k] = lt.zeros(2, 3, {dtype = "float64"}).mT
        list[k].requires_grad = true
      end
      if k % 4 ~= 0 then
        set_gradient(list[k], k, 1)
        elements = elements + 6
      end
    end
    local opt = optim.Adam(list)
    local made, counted = calls(function() opt:step() end)
    assert.same({[kind .. " float32"] = 1, [kind .. " float64"] = 1}, made)
    assert.equal(elements, counted)
    assert.equal(1, opt.state[list[1]].step)
    assert.is_nil(opt.state[list[4]])
  end)

  it("updates every layout and dtype, next to each other", function()
    for _, dtype in ipairs {"float64", "float32", "bfloat16"} do
      local list = {}
      for k = 1, 12 do
        local x = lt.full({8, 6}, k, {dtype = dtype})
        list[k] = ({x, x.mT, x:narrow(2, 1, 4), x:flatten():narrow(1, 2, 40)})[k % 4 + 1]
        list[k] = list[k]:detach()
        list[k].requires_grad = true
        list[k].grad = lt.full(list[k].shape, 2, {dtype = dtype})
      end
      optim.SGD(list, {lr = 0.25}):step()
      for k, p in ipairs(list) do
        for _, v in ipairs(values(p)) do assert.equal(k - 0.5, v) end
      end
    end
  end)

  -- Each step is p - 0.5 * (gradient + 0.5 * p), which is 0.75 * p - 0.5 * gradient.
  local function shared_step(list)
    for _, x in ipairs(list) do x.requires_grad = true end
    return calls(function() optim.SGD(list, {lr = 0.5, weight_decay = 0.5}):step() end)
  end

  it("updates parameters that share memory one after another", function()
    local memory = lt.tensor({1, 2, 3, 4}, {dtype = "float64"})
    local p, q = memory[{{1, 3}}]:detach(), memory[{{2, 4}}]:detach()
    p.grad, q.grad = lt.ones({3}, {dtype = "float64"}), lt.ones({3}, {dtype = "float64"})
    assert.same({[kind .. " float64"] = 2}, (shared_step {p, q}))
    assert.same({0.25, 0.25, 0.8125, 2.5}, values(memory))
  end)

  it("updates a parameter before another parameter's update reads it as a gradient", function()
    local p, q = lt.tensor({1, 2}, {dtype = "float64"}), lt.tensor({4, 8}, {dtype = "float64"})
    p.grad, q.grad = lt.ones({2}, {dtype = "float64"}), p
    assert.same({[kind .. " float64"] = 2}, (shared_step {p, q}))
    assert.same({0.25, 1}, values(p))
    assert.same({2.875, 5.5}, values(q))
  end)

  it("updates all parameters, or none if a state was freed", function()
    local list = {parameter {1, 2}, parameter {3}, parameter {4}}
    local opt = optim.Adam(list, {lr = 0.5})
    for k, p in ipairs(list) do set_gradient(p, k, 1) end
    opt:step()
    local before, moment = {}, values(opt.state[list[1]].exp_avg)
    for k, p in ipairs(list) do before[k] = values(p) end
    opt.state[list[3]].exp_avg:free()
    assert.is_false(pcall(opt.step, opt))
    for k, p in ipairs(list) do assert.same(before[k], values(p)) end
    assert.same(moment, values(opt.state[list[1]].exp_avg))
    assert.equal(1, opt.state[list[1]].step)
  end)

  it("is a call of each device", function()
    local near, far = parameter {1, 2}, lt.tensor({3, 4}, {dtype = "float64", device = "cpu"})
    far.requires_grad = true
    near.grad, far.grad = near:detach() * 2, far:detach() * 2
    local made = calls(function() optim.SGD({near, far}, {lr = 0.25}):step() end)
    assert.same({["cpu float64"] = 1, [kind .. " float64"] = 1}, made)
    assert.same({0.5, 1}, values(near))
    assert.same({1.5, 2}, values(far))
  end)

  -- A launch has the parameters of 30 updates.
  local emulated = gpu.emulator and not on_cpu and busted.it or function(name) busted.pending(name .. " (on the emulator)") end

  emulated("needs 4 launches for 100 parameters, and one more for a parameter of another layout", function()
    local list = {}
    for k = 1, 100 do
      list[k] = parameter {k, k + 1, k + 2}
      set_gradient(list[k], k, 1)
    end
    list[101] = lt.ones(4, 4, {dtype = "float64"}).mT:narrow(1, 1, 2):detach()
    list[101].requires_grad = true
    set_gradient(list[101], 101, 1)
    local opt = optim.Adam(list)
    opt:step()
    local before = gpu.emulator.counts().launches
    opt:step()
    assert.equal(5, gpu.emulator.counts().launches - before)
  end)

  emulated("does not count, and writes nothing, if the launch fails", function()
    local list = {}
    for k = 1, 3 do
      list[k] = parameter {k}
      set_gradient(list[k], k, 1)
    end
    local opt = optim.NAdam(list)
    opt:step()
    local before, state = {}, opt.state[list[2]]
    for k, p in ipairs(list) do before[k] = values(p) end
    local product = state.mu_product
    gpu.emulator.configure "fail_launch=1"
    assert.matches("NAdam: parameter 1: ", select(2, pcall(opt.step, opt)))
    gpu.emulator.configure "fail_launch=0"
    assert.same({1, product}, {state.step, state.mu_product})
    for k, p in ipairs(list) do assert.same(before[k], values(p)) end
    opt:step()
    assert.equal(2, state.step)
    assert.is_true(state.mu_product < product)
  end)
end)
