-- tags: host
--- Tests schedulers of learning rates: PyTorch's numbers, states, and refused arguments.

local lt = require "luatensor"
local optim = require "luatensor.optim"

local pytorch = require("spec.support.data").read "optim"
local S = optim.scheduler

-- Returns an optimiser like the one whose rates are in spec/data/optim.json: it has two groups, and the second group
-- has its own rate.
local function optimiser()
  local p, q = lt.zeros(1, {requires_grad = true}), lt.zeros(1, {requires_grad = true})
  return optim.SGD({{params = {p}}, {params = {q}, lr = 0.1}}, {lr = 0.5, momentum = 0.9})
end

local function make(text, o) return load("local S, o = ... return S." .. text)(S, o) end

local function near(want, got, t)
  assert(math.abs(want - got) <= 1e-12 * math.max(1, math.abs(want)), ("step %d: %.17g, not %.17g"):format(t, got, want))
end

describe("a scheduler's rates are PyTorch's:", function()
  for _, row in ipairs(pytorch.schedulers) do
    local text, first, second, momentum = table.unpack(row)
    it(text, function()
      local o = optimiser()
      local s = make(text, o)
      for t = 1, #first do
        near(first[t], s:get_last_lr()[1], t - 1)
        near(second[t], o.param_groups[2].lr, t - 1)
        near(momentum[t], o.param_groups[1].momentum, t - 1)
        if t < #first then s:step() end
      end
    end)
  end

  for _, row in ipairs(pytorch.plateaus) do
    it(("ReduceLROnPlateau(o, %s)"):format(row[1]), function()
      local o = optimiser()
      local s = make(("ReduceLROnPlateau(o, %s)"):format(row[1]), o)
      for t, metric in ipairs(pytorch.metrics) do
        s:step(t % 2 == 0 and metric or lt.tensor(metric, {dtype = "float64"}))
        near(row[2][t], o.param_groups[1].lr, t)
        near(row[3][t], o.param_groups[2].lr, t)
      end
    end)
  end
end)

describe("a scheduler", function()
  it("continues from its state, with its optimiser's", function()
    for _, row in ipairs(pytorch.schedulers) do
      local o, p = optimiser(), optimiser()
      local a, b = make(row[1], o), make(row[1], p)
      for _ = 1, 3 do a:step() end
      p:load_state_dict(o:state_dict())
      b:load_state_dict(a:state_dict())
      for _ = 1, 2 do
        assert.same(a:get_last_lr(), b:get_last_lr(), row[1])
        a:step()
        b:step()
      end
    end
  end)

  it("ReduceLROnPlateau does, too", function()
    local o, p = optimiser(), optimiser()
    local a, b = S.ReduceLROnPlateau(o, {patience = 1}), S.ReduceLROnPlateau(p)
    a:step(1) a:step(1)
    b:load_state_dict(a:state_dict())
    b:step(1)
    assert.equal(0.05, p.param_groups[1].lr)
  end)

  it("goes by Adam's first beta", function()
    local adam = optim.Adam({lt.zeros(1, {requires_grad = true})})
    local s = S.OneCycleLR(adam, 1, {total_steps = 10})
    assert.same({0.95, 0.999}, adam.param_groups[1].betas)
    for _ = 1, 2 do s:step() end
    assert.same({0.85, 0.999}, adam.param_groups[1].betas)
  end)

  it("by a metric does not mind a first one that is NaN or infinite", function()
    local nan, inf = 0 / 0, math.huge
    local function check(best, rates, metrics, options)
      local o = optimiser()
      o.param_groups[1].lr = 1
      options.patience = 0
      local s = S.ReduceLROnPlateau(o, options)
      for t, metric in ipairs(metrics) do
        s:step(metric)
        near(rates[t], o.param_groups[1].lr, t)
      end
      assert.equal(best, s.best)
    end
    -- The expected rates are PyTorch's.
    for _, first in ipairs {nan, inf} do
      check(5, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, {first, 9, 8, 7, 6, 5}, {})
      check(5, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, {first, 9, 8, 7, 6, 5}, {threshold_mode = "abs", threshold = 0.5})
      check(5, {0.1, 0.1, 0.01, 0.01, 1e-3, 1e-3}, {first, 9, 8.5, 7, 6.5, 5}, {threshold = 0.1})
      check(5, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, {-first, 1, 2, 3, 4, 5}, {mode = "max"})
    end
    check(inf, {1, 0.1, 0.01, 1e-3, 1e-4, 1e-5}, {inf, 1, 2, 3, 4, 5}, {mode = "max"})
  end)

  it("of one cycle begins at its peak where the way up has no length", function()
    local o, p = optimiser(), optimiser()
    local a = S.OneCycleLR(o, 1, {total_steps = 10, pct_start = 0.1})
    local b = S.OneCycleLR(p, 1, {total_steps = 10, pct_start = 0.1 + 1e-13})
    near(1, a:get_last_lr()[1], 0)
    near(0.85, o.param_groups[1].momentum, 0)
    for t = 1, 9 do                        -- the first phase of b has almost no length
      a:step()
      b:step()
      assert.is_true(math.abs(a:get_last_lr()[1] - b:get_last_lr()[1]) < 1e-9, t)
    end
    local c = S.OneCycleLR(optimiser(), 1, {total_steps = 10, pct_start = 1})
    for _ = 1, 10 do c:step() end
    near(4e-6, c:get_last_lr()[1], 10)
  end)

  it("says what it cannot take", function()
    local o = optimiser()
    local function says(words, fn, ...)
      local ok, text = pcall(fn, ...)
      assert.is_false(ok)
      assert.matches(words, text, 1, true)
    end
    says("StepLR: optimiser expected, got nil", function() S.StepLR(nil, 3) end)
    says("StepLR: step_size: an integer above 0 expected, got 0", function() S.StepLR(o, 0) end)
    says("StepLR: step_size: number expected, got nil", function() S.StepLR(o) end)
    says("StepLR: unknown option \"rate\"; known: gamma", function() S.StepLR(o, 1, {rate = 1}) end)
    says("LambdaLR: fn: function expected, got number", function() S.LambdaLR(o, 3) end)
    says("OneCycleLR: option total_steps expected, or epochs and steps_per_epoch", function() S.OneCycleLR(o, 1) end)
    says("OneCycleLR: max_lr: 2 groups, but 3 values", function() S.OneCycleLR(o, {1, 2, 3}, {total_steps = 2}) end)
    says("OneCycleLR: LBFGS has no momentum", function()
      S.OneCycleLR(optim.LBFGS({lt.zeros(1, {requires_grad = true})}), 1, {total_steps = 2})
    end)
    says("SequentialLR: a list of schedulers and one of milestones expected", function() S.SequentialLR(o, {}, {1}) end)
    says("SequentialLR: schedulers[1] is not one of this optimiser", function()
      S.SequentialLR(o, {S.StepLR(optimiser(), 1), S.StepLR(o, 1)}, {1})
    end)
    says("luatensor has no \"optim.scheduler.StepLr\"; did you mean \"optim.scheduler.StepLR\"?", function() return S.StepLr end)
    says("OneCycleLR: max_lr: a value, or a list of one for each group, expected before the options",
         function() S.OneCycleLR(o, {max_lr = 1, total_steps = 3}) end)
    says("CyclicLR: max_lr: a value, or a list of one for each group, expected before the options",
         function() S.CyclicLR(o, 0.1, {max_lr = 1}) end)
    says("MultiStepLR: milestones: a list expected, but it has zzz", function() S.MultiStepLR(o, {zzz = 1}) end)
    says("MultiStepLR: milestones: a list expected, but it has gamma", function() S.MultiStepLR(o, {2, gamma = 1}) end)
    says("MultiStepLR: milestones: a list expected, got number", function() S.MultiStepLR(o, 3) end)
    says("StepLR: gamma: a number expected, got nan", function() S.StepLR(o, 3, {gamma = 0 / 0}) end)
    says("LambdaLR: fn(0): a number expected, got string", function() S.LambdaLR(o, function() return "x" end) end)
    says("LambdaLR: fn(0): a number expected, got nil", function() S.LambdaLR(o, function() end) end)
    says("ReduceLROnPlateau: step: one number expected, its shape is [2]",
         function() S.ReduceLROnPlateau(o):step(lt.ones(2)) end)
    says("schedulers_spec.lua", function() S.StepLR(o, 1).step() end)
    says(": step: a method is called with a colon: schedule:step(…)", function() S.StepLR(o, 1).step() end)
    says(": step: a method is called with a colon", function() S.ReduceLROnPlateau(o).step(1) end)
    local s = S.OneCycleLR(o, 1, {total_steps = 2})
    s:step() s:step()
    says("OneCycleLR: this is step 3, there are 2 in all", s.step, s)
  end)
end)

describe("a scheduler's state of no sense", function()
  -- Checks that b refuses a changed state of a with this error, and that b stays unchanged.
  local function refuses(words, a, b, change)
    local dict, before = a:state_dict(), tostring(b)
    if change then change(dict) end
    local ok, text = pcall(function() b:load_state_dict(dict) end)
    assert.is_false(ok)
    assert.matches(words, text, 1, true)
    assert.matches("^spec/optim/schedulers_spec.lua:%d+: ", text)
    assert.equal(before, tostring(b))
  end

  local function with(name, value) return function(dict) dict[name] = value end end

  it("is refused, and nothing changes", function()
    local o = optimiser()
    local step, cosine = S.StepLR(o, 3), S.CosineAnnealingLR(o, 5)
    refuses("CosineAnnealingLR: load_state_dict: this is the state of StepLR", step, cosine)
    refuses("CosineAnnealingLR: load_state_dict: CosineAnnealingLR has no ", step, cosine, with("class", nil))
    refuses("StepLR: load_state_dict: step_size is missing", step, step, with("step_size", nil))
    refuses("StepLR: load_state_dict: step_size: an integer above 0 expected, got 0", step, step, with("step_size", 0))
    refuses("StepLR: load_state_dict: gamma: -1 is below 0", step, step, with("gamma", -1))
    refuses("StepLR: load_state_dict: base_lrs: 2 groups, but 3 values", step, step, with("base_lrs", {1, 2, 3}))
    refuses("StepLR: load_state_dict: base_lrs: 2 groups, but 0 values", step, step, with("base_lrs", {}))
    refuses("StepLR: load_state_dict: base_lrs: table expected, got number", step, step, with("base_lrs", 1))
    refuses("StepLR: load_state_dict: base_lrs[2]: number expected, got string", step, step, with("base_lrs", {1, "x"}))
    refuses("StepLR: load_state_dict: last_epoch: an integer from 0 on expected, got -1", step, step, with("last_epoch", -1))
    refuses("this is not the state of a scheduler", step, step, with("last_epoch", "x"))
  end)

  it("is refused by all of a sequence, or by none", function()
    local function sequence()
      local o = optimiser()
      return S.SequentialLR(o, {S.LinearLR(o), S.StepLR(o, 3)}, {2})
    end
    local a, b = sequence(), sequence()
    for _ = 1, 4 do a:step() end
    refuses("StepLR: load_state_dict: step_size is missing", a, b, function(d) d.schedulers[2].step_size = nil end)
    refuses("SequentialLR: load_state_dict: the state has 1 schedulers, this 2", a, b, function(d) d.schedulers[2] = nil end)
    b:load_state_dict(a:state_dict())
    assert.equal(tostring(a), tostring(b))
    assert.equal(2, b.schedulers[2].last_epoch)
  end)
end)

describe("a scheduler as text", function()
  it("gives its class, options and state", function()
    local o = optimiser()
    assert.equal("StepLR(base_lrs = {0.5, 0.1}, gamma = 0.1, last_epoch = 0, step_size = 3)", tostring(S.StepLR(o, 3)))
    local s = S.SequentialLR(o, {S.StepLR(o, 3), S.ExponentialLR(o, 0.5)}, {2})
    assert.equal("SequentialLR(base_lrs = {0.5, 0.1}, last_epoch = 0, milestones = {2})\n"
                 .. "  StepLR(base_lrs = {0.5, 0.1}, gamma = 0.1, last_epoch = 0, step_size = 3)\n"
                 .. "  ExponentialLR(base_lrs = {0.5, 0.1}, gamma = 0.5, last_epoch = 0)", tostring(s))
    assert.matches("^LambdaLR%(base_lrs", tostring(S.LambdaLR(o, function() return 1 end)))
  end)

  it("OneCycleLR goes on by the phases of a state's total_steps", function()
    local o, p = optimiser(), optimiser()
    local a, b = S.OneCycleLR(o, 1, {total_steps = 8}), S.OneCycleLR(p, 1, {total_steps = 20})
    b:load_state_dict(a:state_dict())
    for _ = 1, 4 do a:step() b:step() end
    assert.same(a:get_last_lr(), b:get_last_lr())
  end)
end)
