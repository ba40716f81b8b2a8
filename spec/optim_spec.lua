--- Optimisers: what they refuse, what they do to parameters.

local busted = require "busted"
local lt = require "luatensor"
local nn = require "luatensor.nn"
local optim = require "luatensor.optim"
local helpers = require "spec.support.helpers"

local known = dofile "spec/data/optim.lua"
local on_cpu = helpers.device == "cpu"

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

-- ---- what PyTorch gives ----

local function options_of(text) return load("return " .. text)() end

-- Ten steps by the gradients of the file; the second parameter's is missing once.
local function run(class, options, dtype, between)
  local function tensor(list) return lt.tensor(list, {dtype = dtype}) end
  local p, q = tensor(known.start[1]):requires_grad_(), tensor(known.start[2]):requires_grad_()
  local opt, first = optim[class]({p, q}, options_of(options)), nil
  local function all()
    local list = p:detach():totable()
    return table.move(q:detach():totable(), 1, 2, 4, list)
  end
  for k, g in ipairs(known.gradients) do
    opt:zero_grad()
    p.grad = tensor(g[1])
    if k ~= 4 then q.grad = tensor(g[2]) end
    opt:step()
    first = first or all()
    if between then opt = between(opt, {p, q}, k) or opt end
  end
  return first, all()
end

local function near(want, got, tolerance)
  for i, w in ipairs(want) do
    if not (math.abs(w - got[i]) <= tolerance * math.max(1, math.abs(w))) then        -- luacheck: ignore 581
      error(("parameter %d is %.17g, not %.17g"):format(i, got[i], w), 0)
    end
  end
end

describe("ten steps of PyTorch's", function()
  for _, row in ipairs(known.optimisers) do
    local class, options, want_first, want_last = table.unpack(row)
    local few = class == "SGD" or class == "Adam" or class == "AdamW"
    local double = class == "NAdam" and 1e-7 or 1e-12           -- PyTorch has NAdam's product of momenta in float32
    for dtype, tolerance in pairs(on_cpu and {float64 = double, float32 = 1e-4} or few and {float32 = 1e-4} or {}) do
      it(("%s(params, %s) in %s"):format(class, options, dtype), function()
        local first, last = run(class, options, dtype)
        near(want_first, first, tolerance)
        near(want_last, last, tolerance)
      end)
    end
  end
end)

describe("L-BFGS in Rosenbrock's valley, as PyTorch's:", function()
  for _, row in ipairs(on_cpu and known.lbfgs or {}) do
    local options, want, calls = table.unpack(row)
    it(options, function()
      local sign = options:find "maximize" and -1 or 1
      local x, got = parameter(-1.2, 1), {}
      local opt = optim.LBFGS({x}, options_of(options))
      for _ = 1, #want // 3 do
        local loss = opt:step(function()
          opt:zero_grad()
          local f = ((1 - x[1]) ^ 2 + (x[2] - x[1] ^ 2) ^ 2 * 100) * sign
          f:backward()
          return f
        end)
        table.move({loss:item(), x[1]:item(), x[2]:item()}, 1, 3, #got + 1, got)
      end
      near(want, got, 1e-9)
      assert.equal(calls, opt.state[x].func_evals)
    end)
  end

  it("its state can be saved and loaded", function()
    local function loss_of(opt, x)
      return opt:step(function()
        opt:zero_grad()
        local f = (x * x * lt.tensor({1, 10, 100}, {dtype = "float64"})):sum()
        f:backward()
        return f
      end):item()
    end
    local x, y = parameter(1, 2, 3), parameter(1, 2, 3)
    local a, b = optim.LBFGS({x}, {max_iter = 2}), optim.LBFGS({y}, {max_iter = 2})
    loss_of(a, x)
    lt.no_grad(function() y:copy_(x) end)
    b:load_state_dict(a:state_dict())
    assert.equal(loss_of(a, x), loss_of(b, y))
    assert.same(x:detach():totable(), y:detach():totable())
  end)

  it("says what it cannot take", function()
    local a, b = parameter(1), parameter(2)
    assert.matches("LBFGS: all parameters are one group", message(optim.LBFGS, {{params = {a}}, {params = {b}}}))
    local opt = optim.LBFGS({a})
    assert.matches("LBFGS: step: function expected, got nil", message(opt.step, opt))
    assert.matches("LBFGS: the closure must return the loss, it gave nil", message(opt.step, opt, function() end))
  end)
end)

describe("an optimiser's state", function()
  for _, row in ipairs(on_cpu and known.optimisers or {}) do
    local class, options = row[1], row[2]
    it(("continues exactly: %s(params, %s)"):format(class, options), function()
      local _, want = run(class, options, "float64")
      local _, got = run(class, options, "float64", function(opt, params, k)
        if k ~= 5 then return nil end
        local other = optim[class](params)
        other:load_state_dict(opt:state_dict())
        return other
      end)
      assert.same(want, got)
    end)
  end

  it("follows the parameters' dtype", function()
    local model = nn.Linear(3, 2)
    local opt = optim.Adam(model:parameters())
    local function step()
      local dtype = model.weight.dtype
      opt:zero_grad()
      model(lt.ones(4, 3, {dtype = dtype})):sum():backward()
      opt:step()
      return opt.state[model.weight].exp_avg
    end
    assert.equal("float32", step().dtype)
    model:to("float64")
    local mean = step()
    assert.equal("float64", mean.dtype)
    assert.is_true(math.abs(mean[1][1]:item() - 0.76) < 1e-6)        -- 0.9 * 0.4 + 0.1 * 4
  end)

  it("has names and numbers as PyTorch's, parameters by number", function()
    local a, b = parameter(1, 2), parameter(3)
    local opt = optim.Adam({{params = {a}}, {params = {b}, lr = 0.5}})
    a.grad = lt.ones(2, {dtype = "float64"})
    opt:step()
    local dict = opt:state_dict()
    assert.same({1}, dict.param_groups[1].params)
    assert.same({2}, dict.param_groups[2].params)
    assert.equal(0.5, dict.param_groups[2].lr)
    assert.same({0.9, 0.999}, dict.param_groups[1].betas)
    assert.equal(1, dict.state[1].step)
    assert.equal("[2]", tostring(dict.state[1].exp_avg.shape))
    assert.same({}, dict.state[2])
  end)

  it("knows the parameters' shapes, before the first step, too", function()
    local a, b = optim.SGD({parameter(1, 2)}), optim.SGD({parameter(3)})
    assert.same({{2}}, a:state_dict().param_groups[1].shapes)
    assert.matches("SGD: load_state_dict: parameter 1 has shape [1], that of the state [2]",
                   message(b.load_state_dict, b, a:state_dict()), 1, true)
  end)

  it("that does not fit changes nothing", function()
    local a, b = parameter(1, 2), parameter(3)
    local opt = optim.Adam({a}, {lr = 0.25})
    a.grad = lt.ones(2, {dtype = "float64"})
    opt:step()
    local dict = opt:state_dict()
    local two, other = optim.Adam({a, b}), optim.Adam({b}, {lr = 0.125})
    assert.matches("Adam: load_state_dict: group 1 has 2 parameters, that of the state 1", message(two.load_state_dict, two, dict))
    dict.param_groups[1].shapes = nil                                   -- as from elsewhere
    assert.matches("load_state_dict: %a+_%a+_?%a* of parameter 1 has shape %[2%], the parameter %[1%]",
                   message(other.load_state_dict, other, dict))
    assert.equal(0.125, other.param_groups[1].lr)
    assert.is_nil(next(other.state))
    assert.matches("this is not the state of an optimiser", message(other.load_state_dict, other, {}))
  end)
end)

describe("a step in a captured graph", function()
  local captures = not on_cpu and busted.it or function(name) busted.pending(name .. " (on a GPU)") end

  local function sgd()
    local p = lt.ones(3, {dtype = "float32", device = helpers.device, requires_grad = true})
    p.grad = lt.ones(3, {dtype = "float32", device = helpers.device})
    return p, optim.SGD({p}, {lr = 0.25, momentum = 0.5})
  end

  captures("is repeated by those that go by the same numbers each time", function()
    local p, opt = sgd()
    local g = lt.graph(function() opt:step() end)                       -- one step, and one that is captured
    g:replay()
    assert.same({0.375, 0.375, 0.375}, p:detach():totable())            -- 1 - 0.25 - 0.25 * 1.5
    g:free()
  end)

  captures("is an error of those that go by its number", function()
    local p = sgd()
    assert.matches("Adam: a step goes by its number", message(lt.graph, function() optim.Adam({p}):step() end))
    local q, opt = sgd()
    assert.matches("SGD: make a step before the one that is captured",
                   message(lt.graph, function() opt.state = {} opt:step() end))
    assert.is_true(q:detach()[1]:item() == 0.75)
  end)
end)
