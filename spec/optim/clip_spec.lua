--- Tests the clipping of gradients and the scaling of losses.

local lt = require "luatensor"
local nn = require "luatensor.nn"
local optim = require "luatensor.optim"
local helpers = require "spec.support.helpers"

local device = helpers.device

local function parameter(values, gradient, dtype)
  local p = lt.tensor(values, {dtype = dtype or "float32", device = device, requires_grad = true})
  p.grad = gradient and lt.tensor(gradient, {dtype = dtype or "float32", device = device})
  return p
end

local function near(want, got) assert(math.abs(want - got) < 1e-6, ("%.9g, not %.9g"):format(got, want)) end

local function says(words, fn, ...)
  local ok, text = pcall(fn, ...)
  assert.is_false(ok)
  assert.matches("clip_spec.lua:%d+: ", text)
  assert.matches(words, text, 1, true)
end

describe("clip_grad_norm_", function()
  it("scales all gradients by one factor, as one vector", function()
    local p, q, none = parameter({0, 0}, {3, 0}), parameter({{0}}, {{-4}}), parameter({1})
    local norm = nn.utils.clip_grad_norm_({p, q, none}, 1)
    assert.equal(0, norm.ndim)
    near(5, norm:item())
    near(0.6, p.grad[1]:item())
    near(-0.8, q.grad[1][1]:item())
    assert.is_nil(none.grad)
  end)

  it("leaves small gradients as they are", function()
    local p = parameter({0, 0}, {3, 4})
    near(5, nn.utils.clip_grad_norm_(p, 10):item())
    assert.same({3, 4}, p.grad:totable())
  end)

  it("has other norms", function()
    local p = parameter({0, 0}, {3, -4})
    near(4, nn.utils.clip_grad_norm_({p}, 2, {norm_type = math.huge}):item())
    near(-2, p.grad[2]:item())
    near(3.5, nn.utils.clip_grad_norm_({p}, 7, {norm_type = 1}):item())
  end)

  it("of no gradients is 0, and says what it cannot take", function()
    near(0, nn.utils.clip_grad_norm_({parameter({1})}, 1):item())
    local p = parameter({0}, {math.huge})
    says("clip_grad_norm_: the norm of the gradients is inf", function()
      nn.utils.clip_grad_norm_({p}, 1, {error_if_nonfinite = true})
    end)
    says("clip_grad_norm_: max_norm: a number that is not below 0 expected, got -1", function()
      nn.utils.clip_grad_norm_({p}, -1)
    end)
    says("clip_grad_norm_: a list of parameters expected, such as model:parameters()", function()
      nn.utils.clip_grad_norm_(nn.Linear(1, 1), 1)
    end)
  end)

  it("clip_grad_value_ limits each element", function()
    local p = parameter({0, 0, 0}, {3, -4, 0.5})
    nn.utils.clip_grad_value_({p}, 1)
    assert.same({1, -1, 0.5}, p.grad:totable())
    says("clip_grad_value_: clip_value: a number that is not below 0 expected, got nil", function()
      nn.utils.clip_grad_value_({p})
    end)
  end)
end)

describe("a GradScaler", function()
  it("multiplies the loss and divides the gradients", function()
    local p = parameter({2, 3})
    local opt, scaler = optim.SGD({p}, {lr = 1}), optim.GradScaler {init_scale = 8}
    scaler:scale(p:sum()):backward()
    assert.same({8, 8}, p.grad:totable())
    scaler:unscale_(opt)
    assert.same({1, 1}, p.grad:totable())
    scaler:step(opt)
    assert.same({1, 2}, p:detach():totable())
    scaler:update()
    assert.equal(8, scaler:get_scale())
  end)

  it("leaves out steps with gradients that are not finite, and makes the scale smaller", function()
    for _, bad in ipairs {math.huge, 0 / 0} do
      local p, q = parameter({2, 3}, {1, 1}), parameter({1}, {bad})
      local opt, scaler = optim.SGD({p, q}, {lr = 1}), optim.GradScaler {init_scale = 8}
      assert.is_nil(scaler:step(opt))
      assert.same({2, 3}, p:detach():totable())
      scaler:update()
      assert.equal(4, scaler:get_scale())
    end
  end)

  it("makes the scale larger after steps that went well", function()
    local p = parameter({2})
    local opt, scaler = optim.SGD({p}), optim.GradScaler {init_scale = 8, growth_interval = 2, growth_factor = 4}
    local seen = {}
    for i = 1, 5 do
      p.grad = lt.tensor({1}, {dtype = "float32", device = device})
      scaler:step(opt)
      scaler:update()
      seen[i] = scaler:get_scale()
    end
    assert.same({8, 32, 32, 128, 128}, seen)
    local other = optim.GradScaler()
    other:load_state_dict(scaler:state_dict())
    assert.same(scaler:state_dict(), other:state_dict())
    assert.same({class = "GradScaler", scale = 128, growth_factor = 4, backoff_factor = 0.5, growth_interval = 2, growth_tracker = 1},
                other:state_dict())
  end)

  it("refuses a state of no sense, and changes nothing", function()
    local scaler = optim.GradScaler {init_scale = 64}
    local before = scaler:state_dict()
    for words, change in pairs {
      ["GradScaler: load_state_dict: scale: a number above 0 expected, got -3"] = {scale = -3},
      ["GradScaler: load_state_dict: scale: a number expected, got nan"] = {scale = 0 / 0},
      ["GradScaler: load_state_dict: scale: number expected, got string"] = {scale = "x"},
      ["GradScaler: load_state_dict: growth_tracker: an integer from 0 on expected, got -1"] = {growth_tracker = -1},
      ["GradScaler: load_state_dict: growth_interval: an integer above 0"] = {growth_interval = 0},
      ["GradScaler: load_state_dict: this is the state of SGD"] = {class = "SGD"},
    } do
      local dict = scaler:state_dict()
      for name, value in pairs(change) do dict[name] = value end
      local ok, text = pcall(scaler.load_state_dict, scaler, dict)
      assert.is_false(ok)
      assert.matches(words, text, 1, true)
      assert.same(before, scaler:state_dict())
    end
    before.growth_factor = nil
    assert.has_error(function() scaler:load_state_dict(before) end)
  end)

  it("prints its numbers; its methods are called with a colon", function()
    local scaler = optim.GradScaler {init_scale = 64}
    assert.equal("GradScaler(backoff_factor = 0.5, enabled = true, growth_factor = 2, growth_interval = 2000, "
                 .. "growth_tracker = 0, scale = 64)", tostring(scaler))
    local _, text = pcall(function() scaler.update() end)
    assert.matches("^spec/optim/clip_spec.lua:%d+: update: a method is called with a colon: scaler:update%(", text)
    _, text = pcall(function() scaler.step(optim.SGD(lt.ones(1, {requires_grad = true}))) end)
    assert.matches("step: a method is called with a colon", text)
  end)

  it("can be off", function()
    local p = parameter({2}, {1})
    local opt, scaler = optim.SGD({p}, {lr = 1}), optim.GradScaler {enabled = false}
    assert.equal(p, scaler:scale(p))
    scaler:step(opt)
    scaler:update()
    assert.equal(1, p:item())
    assert.equal(1, scaler:get_scale())
  end)

  it("divides no gradient where one cannot be", function()
    local p, q = parameter({2}, {8}), parameter({2}, {8}, "float16")
    local scaler = optim.GradScaler {init_scale = 8}
    says("GradScaler: parameters must stay float32", function() scaler:unscale_(optim.SGD({p, q})) end)
    assert.same({8}, p.grad:totable())
    local r = parameter({2, 3}, {8, 8})
    r.grad = lt.full({1}, 8, {dtype = r.dtype, device = device}):expand({2})
    says("GradScaler: unscale_: parameter 2: its gradient is a broadcast view", function()
      scaler:unscale_(optim.SGD({p, r}))
    end)
    r.grad:free()
    says("GradScaler: unscale_: parameter 2: its gradient: this tensor was freed", function()
      scaler:unscale_(optim.SGD({p, r}))
    end)
    assert.same({8}, p.grad:totable())
  end)

  it("says what it cannot take", function()
    local p = parameter({2}, {1})
    local opt, scaler = optim.SGD({p}), optim.GradScaler()
    says("GradScaler: update: no step was made since the last one", function() scaler:update() end)
    scaler:unscale_(opt)
    says("GradScaler: unscale_: the gradients were divided since the last update", function() scaler:unscale_(opt) end)
    scaler:step(opt)
    says("GradScaler: step: it was called since the last update", function() scaler:step(opt) end)
    says("GradScaler: step: optimiser expected, got nil", function() scaler:step() end)
    says("GradScaler: init_scale: a number above 0 expected, got 0", function() optim.GradScaler {init_scale = 0} end)
    says("GradScaler: parameters must stay float32", function()
      optim.GradScaler():unscale_(optim.SGD({parameter({2}, {1}, "float16")}))
    end)
  end)
end)
