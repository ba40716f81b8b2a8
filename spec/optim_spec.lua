--- Optimisers: what they refuse, what they do to parameters.

local lt = require "luatensor"
local nn = require "luatensor.nn"
local optim = require "luatensor.optim"

local function parameter(...) return lt.tensor({...}, {dtype = "float64", requires_grad = true}) end

local function message(fn, ...)
  local ok, err = pcall(fn, ...)
  assert.is_false(ok)
  return err
end

describe("an optimiser", function()
  it("takes a list of tensors, or groups with options of their own", function()
    local a, b = parameter(1), parameter(2)
    local opt = optim.SGD({{params = {a}}, {params = {b}, lr = 0.5}}, {lr = 0.25})
    a.grad, b.grad = lt.tensor({1}, {dtype = "float64"}), lt.tensor({1}, {dtype = "float64"})
    opt:step()
    assert.equal(0.75, a:item())
    assert.equal(1.5, b:item())
    opt.param_groups[1].lr = 1
    opt:step()
    assert.equal(-0.25, a:item())
  end)

  it("leaves parameters without gradient as they are", function()
    local a = parameter(1, 2)
    optim.Adam({a}, {lr = 1}):step()
    assert.same({1, 2}, a:totable())
  end)

  it("forgets gradients, or makes them 0", function()
    local a = parameter(3)
    a.grad = lt.tensor({math.huge}, {dtype = "float64"})
    local opt = optim.SGD({a})
    opt:zero_grad {set_to_none = false}
    assert.equal(0, a.grad:item())
    opt:zero_grad()
    assert.is_nil(a.grad)
  end)

  it("says what it cannot take, with the script's line", function()
    local a = parameter(1)
    local function says(words, ...)
      local text = message(...)
      assert.matches("optim_spec.lua:%d+: ", text)
      assert.matches(words, text, 1, true)
    end
    says("Adam: the list of parameters is empty", function() optim.Adam({}) end)
    says("Adam: lr: -1 is below 0", function() optim.Adam({a}, {lr = -1}) end)
    says("Adam: unknown option \"rate\"; known: amsgrad, betas, eps, lr, maximize, weight_decay",
         function() optim.Adam({a}, {rate = 1}) end)
    says("Adam: betas[2]: 1 is not in 0", function() optim.Adam({a}, {betas = {0.9, 1}}) end)
    says("SGD: parameter 2 is parameter 1, too", function() optim.SGD({a, a}) end)
    says("SGD: parameter 1 is the result of multiply: only leaves", function() optim.SGD({a * 2}) end)
    says("SGD: parameter 1: tensor expected, got number", function() optim.SGD({1}) end)
    says("SGD: parameters expected, such as model:parameters()", function() optim.SGD(nn.Sequential(nn.Linear(1, 1))) end)
    says("SGD: nesterov needs a momentum, and no dampening", function() optim.SGD({a}, {nesterov = true}) end)
    says("SGD: parameter 1 is of dtype int64: floats are trained", function() optim.SGD({lt.zeros(3, {dtype = "int64"})}) end)
  end)
end)
