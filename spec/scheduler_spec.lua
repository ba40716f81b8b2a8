--- Schedulers of learning rates: PyTorch's numbers, states, what they refuse.

local lt = require "luatensor"
local optim = require "luatensor.optim"

local known = dofile "spec/data/optim.lua"
local S = optim.scheduler

-- As the file's numbers were made: two groups, one with a rate of its own.
local function optimiser()
  local p, q = lt.zeros(1, {requires_grad = true}), lt.zeros(1, {requires_grad = true})
  return optim.SGD({{params = {p}}, {params = {q}, lr = 0.1}}, {lr = 0.5, momentum = 0.9})
end

local function make(text, o) return load("local S, o = ... return S." .. text)(S, o) end

local function near(want, got, t)
  assert(math.abs(want - got) <= 1e-12 * math.max(1, math.abs(want)), ("step %d: %.17g, not %.17g"):format(t, got, want))
end

describe("a scheduler's rates are PyTorch's:", function()
  for _, row in ipairs(known.schedulers) do
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

  for _, row in ipairs(known.plateaus) do
    it(("ReduceLROnPlateau(o, %s)"):format(row[1]), function()
      local o = optimiser()
      local s = make(("ReduceLROnPlateau(o, %s)"):format(row[1]), o)
      for t, metric in ipairs(known.metrics) do
        s:step(t % 2 == 0 and metric or lt.tensor(metric, {dtype = "float64"}))
        near(row[2][t], o.param_groups[1].lr, t)
        near(row[3][t], o.param_groups[2].lr, t)
      end
    end)
  end
end)

describe("a scheduler", function()
  it("continues from its state, with its optimiser's", function()
    for _, row in ipairs(known.schedulers) do
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
    local s = S.OneCycleLR(o, 1, {total_steps = 2})
    s:step() s:step()
    says("OneCycleLR: this is step 3, there are 2 in all", s.step, s)
  end)
end)
