-- tags: unplugged
--- Tests optimisers: the arguments that they refuse, and their changes of parameters.

local busted = require "busted"
local lt = require "luatensor"
local nn = require "luatensor.nn"
local optim = require "luatensor.optim"
local helpers = require "spec.support.helpers"

local pytorch = require("spec.support.data").read "optim"
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

  it("changes no parameter where one cannot be updated", function()
    local function refused(words, spoil)
      local p, q = parameter(1), parameter(2)
      p.grad, q.grad = p:detach():clone(), q:detach():clone()
      local opt = optim.SGD({{params = {p}}, {params = {q}}}, {lr = 1})
      spoil(q)
      assert.matches("SGD: parameter 2: " .. words, message(opt.step, opt))
      assert.equal(1, p:item())
    end
    refused("this tensor was freed", function(q) q:free() end)
    refused("its gradient: this tensor was freed", function(q) q.grad:free() end)
    local p = parameter(1)
    local wide = lt.ones({1}, {dtype = "float64"}):expand({3}):requires_grad_()
    p.grad, wide.grad = lt.ones({1}, {dtype = "float64"}), lt.ones({3}, {dtype = "float64"})
    local opt = optim.SGD({p, wide}, {lr = 1})
    assert.matches("SGD: parameter 2: it is a broadcast view", message(opt.step, opt))
    assert.equal(1, p:item())
  end)

  it("starts its momentum with the first gradient that it gets through with", function()
    local p, q = parameter(1), parameter(1)
    local opt = optim.SGD({p, q}, {lr = 1, momentum = 0.9, dampening = 0.5})
    local function gradients() for _, x in ipairs {p, q} do x.grad = lt.ones({1}, {dtype = "float64"}) end end
    gradients()
    q.grad:free()
    for _ = 1, 2 do assert.is_false(pcall(opt.step, opt)) end
    gradients()
    opt:step()
    assert.equal(0, p:item())
    opt:step()                                                          -- 0 - (0.9 * 1 + 0.5 * 1)
    assert.equal(-1.4, p:item())
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
      assert.matches("optimizers_spec.lua:%d+: ", text)
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
    says("SGD: this is a module; use model:parameters()", function() optim.SGD(nn.Sequential(nn.Linear(1, 1))) end)
    says("SGD: this is a module; use model:parameters()", function() optim.SGD(nn.Linear(2, 2)) end)
    says("SGD: this is a module; use model:parameters()", function() optim.SGD({nn.Linear(2, 2), nn.Linear(2, 2)}) end)
    says("SGD: this is a module; use model:parameters()", function() optim.SGD({{params = nn.Linear(2, 2)}}) end)
    says("SGD: parameters expected, such as model:parameters()", function() optim.SGD({{lr = 1}}) end)
    says("Adam: parameters: a list expected, but it has foo", function() optim.Adam({a, foo = parameter(2)}) end)
    says("Adam: parameters: a list expected, but it has 3", function() optim.Adam({a, [3] = parameter(2)}) end)
    says("Adam: groups: a list expected, but it has foo", function() optim.Adam({{params = {a}}, foo = 1}) end)
    says("SGD: lr: a number expected, got nan", function() optim.SGD({a}, {lr = 0 / 0}) end)
    says("SGD: nesterov needs a momentum, and no dampening", function() optim.SGD({a}, {nesterov = true}) end)
    says("SGD: parameter 1 is of dtype int64: floats are trained", function() optim.SGD({lt.zeros(3, {dtype = "int64"})}) end)
  end)
end)

describe("an optimiser's methods", function()
  local function says(words, ...)
    local text = message(...)
    assert.matches("^spec/optim/optimizers_spec.lua:%d+: ", text)
    assert.matches(words, text, 1, true)
  end

  it("add a group wholly, or not at all", function()
    local a, q = parameter(1), parameter(2)
    local opt = optim.Adam({a})
    says("parameter 3 is parameter 1, too", function() opt:add_param_group {params = {q, a}} end)
    says("parameter 3 is parameter 2, too", function() opt:add_param_group {params = {q, q}} end)
    assert.equal(1, #opt:state_dict().state)
    opt:add_param_group {params = {q}}
    assert.equal(2, #opt:state_dict().state)
  end)

  it("are called with a colon", function()
    local opt = optim.SGD({parameter(1)})
    says("step: a method is called with a colon: optimizer:step(…)", function() opt.step() end)
    says("step: a method is called with a colon", function() opt.step(print) end)
    says("zero_grad: a method is called with a colon", function() opt.zero_grad() end)
    says("load_state_dict: a method is called with a colon", function() opt.load_state_dict(opt:state_dict()) end)
    says("step: a method is called with a colon", function() optim.LBFGS({parameter(1)}).step(print) end)
  end)

  it("name a parameter that was freed", function()
    local a, b = parameter(1), parameter(2)
    local opt = optim.Adam({a, b})
    b:free()
    says("Adam: parameter 2: this tensor was freed", function() opt:step() end)
    says("Adam: parameter 2: this tensor was freed", function() opt:zero_grad() end)
  end)

  it("name an option that was set to what it cannot be", function()
    local a = parameter(1)
    a.grad = lt.ones(1, {dtype = "float64"})
    local function set(class, name, value)
      local opt = optim[class]({a})
      opt.param_groups[1][name] = value
      return function() opt:step(class == "LBFGS" and function() return 0 end or nil) end
    end
    says("SGD: lr: number expected, got string", set("SGD", "lr", "a"))
    says("Adam: lr: number expected, got nil", set("Adam", "lr", nil))
    says("Adam: betas: a list of two numbers expected", set("Adam", "betas", 3))
    says("Adam: betas[2]: number expected, got string", set("Adam", "betas", {0.5, "x"}))
    says("Adam: amsgrad: boolean expected, got number", set("Adam", "amsgrad", 1))
    says("LBFGS: lr: number expected, got nil", set("LBFGS", "lr", nil))
    assert.equal(1, a:item())
  end)

  it("need one number as the loss of LBFGS", function()
    local opt = optim.LBFGS({parameter(1)})
    says("LBFGS: the closure must return the loss, one number: its shape is [2]",
         function() opt:step(function() return lt.ones(2) end) end)
  end)
end)

-- ---- PyTorch's results ----

local function options_of(text) return load("return " .. text)() end

-- Makes ten steps with the gradients of spec/data/optim.json; the second parameter lacks a gradient in one step.
-- between(opt, parameters, k), if given, is called after step k and may return another optimiser. Returns the values
-- of the parameters after the first and after the last step.
local function run(class, options, dtype, between)
  local function tensor(list) return lt.tensor(list, {dtype = dtype}) end
  local p, q = tensor(pytorch.start[1]):requires_grad_(), tensor(pytorch.start[2]):requires_grad_()
  local opt, first = optim[class]({p, q}, options_of(options)), nil
  local function all()
    local list = p:detach():totable()
    return table.move(q:detach():totable(), 1, 2, 4, list)
  end
  for k, g in ipairs(pytorch.gradients) do
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
  for _, row in ipairs(pytorch.optimisers) do
    local class, options, want_first, want_last = table.unpack(row)
    local few = class == "SGD" or class == "Adam" or class == "AdamW"
    local double = class == "NAdam" and 1e-7 or 1e-12           -- PyTorch stores NAdam's product of momenta in float32
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
  for _, row in ipairs(on_cpu and pytorch.lbfgs or {}) do
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

  it("a step calls the closure at most max_eval times, and once more in a line search", function()
    for most = 1, 12 do
      local x, calls = parameter(-1.2, 1), 0
      local opt = optim.LBFGS({x}, {line_search_fn = "strong_wolfe", max_eval = most})
      opt:step(function()
        calls = calls + 1
        opt:zero_grad()
        local f = (1 - x[1]) ^ 2 + (x[2] - x[1] ^ 2) ^ 2 * 100
        f:backward()
        return f
      end)
      assert.is_true(calls <= most + 1, ("%d of %d calls"):format(calls, most))
    end
  end)

  it("a search whose closure raises leaves parameters as they were", function()
    local function closure(opt, x, last)
      local calls = 0
      return function()
        calls = calls + 1
        if calls > last then error("enough", 0) end
        opt:zero_grad()
        local f = ((x - 1) ^ 4):sum()
        f:backward()
        return f
      end
    end
    local x, y = parameter(5, 3), parameter(5, 3)
    local a, b = optim.LBFGS({x}, {line_search_fn = "strong_wolfe", max_iter = 3}),
                 optim.LBFGS({y}, {line_search_fn = "strong_wolfe", max_iter = 3})
    assert.equal("enough", message(a.step, a, closure(a, x, 1)))
    assert.same({5, 3}, x:detach():totable())
    a:step(closure(a, x, 100))                              -- the result is as if the failed step had not been made
    b:step(closure(b, y, 100))
    assert.same(y:detach():totable(), x:detach():totable())
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
  for _, row in ipairs(on_cpu and pytorch.optimisers or {}) do
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

  it("takes lists of integers as shapes alone", function()
    local a = optim.SGD({parameter(1, 2)})
    for _, shape in ipairs {7, {{}}, {"2"}, {2.0}, {a}} do
      local dict = a:state_dict()
      dict.param_groups[1].shapes = {shape}
      assert.matches("SGD: load_state_dict: the shape of parameter 1 in group 1 is no list of integers",
                     message(a.load_state_dict, a, dict), 1, true)
    end
  end)

  it("that does not fit changes nothing", function()
    local a, b = parameter(1, 2), parameter(3)
    local opt = optim.Adam({a}, {lr = 0.25})
    a.grad = lt.ones(2, {dtype = "float64"})
    opt:step()
    local dict = opt:state_dict()
    local two, other = optim.Adam({a, b}), optim.Adam({b}, {lr = 0.125})
    assert.matches("Adam: load_state_dict: group 1 has 2 parameters, that of the state 1", message(two.load_state_dict, two, dict))
    dict.param_groups[1].shapes = nil                                   -- like a state from another program
    assert.matches("load_state_dict: %a+_%a+_?%a* of parameter 1 has shape %[2%], the parameter %[1%]",
                   message(other.load_state_dict, other, dict))
    assert.equal(0.125, other.param_groups[1].lr)
    assert.is_nil(next(other.state))
    assert.matches("this is not the state of an optimiser", message(other.load_state_dict, other, {}))
  end)
end)

describe("a state of no sense", function()
  local function stepped(class, options)
    local a = parameter(1, 2)
    a.grad = lt.ones(2, {dtype = "float64"})
    local opt = optim[class]({a}, options)
    if class == "LBFGS" then opt:step(function() return 1 end) else opt:step() end
    return opt
  end

  -- Checks that b refuses a changed state of a with this error, and that b stays unchanged.
  local function refuses(words, a, b, change)
    local dict, before, kept = a:state_dict(), tostring(b), b.state
    if change then change(dict) end
    local text = message(b.load_state_dict, b, dict)
    assert.matches(words, text, 1, true)
    assert.matches("^spec/optim/optimizers_spec.lua:%d+: ", text)
    assert.equal(before, tostring(b))
    assert.equal(kept, b.state)
  end

  it("is one of another class", function()
    local sgd, adam = stepped("SGD"), stepped("Adam", {lr = 0.5})
    refuses("SGD: load_state_dict: this is the state of Adam", adam, sgd)
    refuses("Adam: load_state_dict: this is the state of SGD", sgd, adam)
    local function unnamed(dict) dict.class = nil end                   -- like a state from another program
    refuses("SGD: load_state_dict: SGD has no option ", adam, sgd, unnamed)
    refuses("Adam: load_state_dict: Adam has no option ", sgd, adam, unnamed)
  end)

  it("has options that the constructor refuses", function()
    local a, b = stepped("Adam", {lr = 0.5}), stepped("Adam")
    local function with(name, value) return function(dict) dict.param_groups[1][name] = value end end
    refuses("Adam: load_state_dict: lr: number expected, got string", a, b, with("lr", "x"))
    refuses("Adam: load_state_dict: betas[1]: 2 is not in 0", a, b, with("betas", {2, 3}))
    refuses("Adam: load_state_dict: initial_lr: -1 is below 0", a, b, with("initial_lr", -1))
    local sgd = stepped("SGD")
    refuses("nesterov needs a momentum", sgd, sgd, with("nesterov", true))
  end)

  it("has other parameters, or lacks what the class needs", function()
    local a, b = stepped("Adam", {lr = 0.5}), stepped("Adam")
    local function with(name, value) return function(dict) dict.state[1][name] = value end end
    refuses("no group of the state has its parameter 1", a, b, function(d) d.param_groups[1].params = {7} end)
    refuses("exp_avg of parameter 1 is missing", a, b, with("exp_avg", nil))
    refuses("exp_avg of parameter 1: tensor expected, got string", a, b, with("exp_avg", "x"))
    refuses("exp_avg_sq of parameter 1: tensor expected, got number", a, b, with("exp_avg_sq", 3))
    refuses("step of parameter 1 cannot be -1", a, b, with("step", -1))
    refuses("step of parameter 1 cannot be nan", a, b, with("step", 0 / 0))
    refuses("the state of parameter 1: table expected, got number", a, b, function(d) d.state[1] = 3 end)
    refuses("LBFGS: load_state_dict: old_dirs is missing", stepped("LBFGS"), stepped("LBFGS"), with("old_dirs", nil))
    local two = optim.Adam({parameter(1, 2), parameter(1, 2)})
    refuses("have parameter 1 twice", two, two, function(d) d.param_groups[1].params = {1, 1} end)
    for _, bad in ipairs {0 / 0, 1.5, "one", {}} do
      refuses("which is no number of a parameter", two, two, function(d) d.param_groups[1].params = {1, bad} end)
    end
  end)

  it("is not one whose options were changed by hand", function()
    local a, b = stepped("Adam"), stepped("Adam")
    a.param_groups[1].amsgrad, a.param_groups[1].note = true, "mine"
    b:load_state_dict(a:state_dict())
    assert.is_true(b.param_groups[1].amsgrad)
    assert.equal("mine", b.param_groups[1].note)
    b:step()
  end)
end)

describe("a step in a captured graph", function()
  local captures = not on_cpu and busted.it or function(name) busted.pending(name .. " (on a GPU)") end

  local function sgd()
    local p = lt.ones(3, {dtype = "float32", device = helpers.device, requires_grad = true})
    p.grad = lt.ones(3, {dtype = "float32", device = helpers.device})
    return p, optim.SGD({p}, {lr = 0.25, momentum = 0.5})
  end

  captures("is repeated", function()
    local p, opt = sgd()
    local g = lt.graph(function() opt:step() end)                       -- makes one step, and captures one
    g:replay()
    assert.same({0.375, 0.375, 0.375}, p:detach():totable())            -- 1 - 0.25 - 0.25 * 1.5
    g:free()
  end)

  -- Two parameters of 5 and 70 elements whose gradients depend on them, an empty one and one without a gradient; and a
  -- function that makes an optimiser's step and returns the bytes of all parameters. The second parameter has a rate of
  -- its own.
  local function problem(name, options)
    local made = {dtype = "float32", device = helpers.device}
    local a, b, none, empty = lt.linspace(-1, 1, 5, made), lt.linspace(2, 3, 70, made), lt.ones(2, made), lt.zeros(0, made)
    local all = {a, b, none, empty}
    for _, p in ipairs(all) do p.requires_grad = true end
    local opt = optim[name]({{params = {a, none, empty}}, {params = {b}, lr = 0.25}}, options)
    local function step()
      opt:zero_grad()
      local loss = (a * a * a):sum() + (b:sin() * 3):sum() + empty:sum()
      loss:backward()
      opt:step()
    end
    local function bytes()
      local texts = {}
      for k, p in ipairs(all) do texts[k] = p:detach():to_bytes() end
      return table.concat(texts, "|")
    end
    return opt, step, bytes
  end

  local cases = {
    {"SGD", {lr = 0.1}}, {"SGD", {lr = 0.1, momentum = 0.9, nesterov = true}}, {"Adam", {}}, {"Adam", {amsgrad = true}},
    {"AdamW", {}}, {"Adamax", {}}, {"NAdam", {}}, {"RAdam", {}}, {"RMSprop", {centered = true, momentum = 0.5}},
    {"Adagrad", {lr_decay = 0.1}}, {"Adadelta", {}},
  }
  for _, case in ipairs(cases) do
    local name, options = case[1], case[2]
    captures("has the bits of a step that is not captured, with rates that change: " .. name, function()
      local plain_opt, plain, want = problem(name, options)
      local opt, step, got = problem(name, options)
      local g = lt.graph(step)
      plain()
      assert.equal(want(), got())
      for k = 1, 8 do
        for _, o in ipairs {plain_opt, opt} do o.param_groups[2].lr = 0.25 / k end
        plain()
        g:replay()
        assert.equal(want(), got(), ("step %d"):format(k + 1))
      end
      assert.same(plain_opt:state_dict().state[1].step, opt:state_dict().state[1].step)
      step()                                                            -- and on without the graph
      plain()
      assert.equal(want(), got())
      g:free()
    end)
  end

  -- make() returns a function that makes a step, and a function that returns the bytes of all parameters. Compares a step
  -- and `times` replays of a graph with steps that are not captured.
  local function follows(make, times)
    local plain, want = make()
    local step, got = make()
    local g = lt.graph(step)
    plain()
    for _ = 1, times do
      plain()
      g:replay()
      assert.equal(want(), got())
    end
  end

  captures("is a step of two optimisers, and of more than 64 parameters of two dtypes", function()
    local function make()
      local list, other = {}, lt.ones(3, {dtype = "float32", device = helpers.device, requires_grad = true})
      for k = 1, 130 do
        list[k] = lt.full({2}, k, {dtype = k % 3 == 1 and "float64" or "float32", device = helpers.device})
        list[k].requires_grad = true
      end
      local first, second = optim.Adam(list), optim.RAdam({other})
      local function step()
        for k = 1, #list do list[k].grad = lt.full({2}, k % 7 - 3, {dtype = list[k].dtype, device = helpers.device}) end
        other.grad = other:detach() * 2
        first:step()
        second:step()
      end
      return step, function() return lt.concat(list, 1):detach():to_bytes() .. other:detach():to_bytes() end
    end
    follows(make, 7)
  end)

  captures("is an error if the optimiser was changed since, and changes nothing", function()
    local opt, step, bytes = problem("Adam", {})
    local g = lt.graph(step)
    local before = bytes()
    opt.param_groups[1].amsgrad = true
    assert.matches("Adam: parameter 1: its update rule, its memory or that of its state has changed since the graph was captured; capture it again",
                   message(g.replay, g))
    opt.param_groups[1].amsgrad = false
    opt.param_groups[1].lr = "fast"
    assert.matches("Adam: ", message(g.replay, g))
    opt.param_groups[1].lr = 0.1
    assert.equal(before, bytes())
    opt:load_state_dict(opt:state_dict())
    assert.matches("Adam: parameter 1: its state was replaced since the graph was captured; capture it again",
                   message(g.replay, g))
    assert.equal(before, bytes())
  end)

  captures("is an error if the parameters or the state were moved", function()
    local p, q = lt.ones(2), lt.ones(2)
    for _, x in ipairs {p, q} do x.requires_grad = true end
    local m = require("luatensor.nn").Linear(2, 2):to(helpers.device)
    local opt = optim.Adam(m:parameters())
    local function step()
      opt:zero_grad()
      m(lt.ones(1, 2, {dtype = m.weight.dtype, device = helpers.device})):sum():backward()
      opt:step()
    end
    local g = lt.graph(step)
    g:replay()
    m:to("float64")
    assert.matches("Adam: parameter %d: its update rule, its memory or that of its state has changed since", message(g.replay, g))
    assert.equal(2, opt.state[m.weight].step)
    step()                                                              -- converts the state
    assert.matches("capture it again", message(g.replay, g))
    assert.equal(3, opt.state[m.weight].step)
    g = lt.graph(step)
    g:replay()
    assert.equal(5, opt.state[m.weight].step)
    m.weight:free()
    assert.matches("capture it again", message(g.replay, g))
  end)

  captures("does not count if the replay fails", function()
    local made = {dtype = "float32", device = helpers.device}
    local function make()
      local p, q = lt.ones(2, made), lt.ones(2, made)
      for _, x in ipairs {p, q} do x.requires_grad = true end
      local first, second = optim.Adam {{params = {p}}, {params = {q}}}, optim.NAdam {p}
      return first, second, function()
        for _, x in ipairs {p, q} do x.grad = x:detach() * 3 end
        first:step()
        second:step()
      end, function() return p:detach():to_bytes() .. q:detach():to_bytes() end
    end
    local _, _, plain, want = make()
    local first, second, step, got = make()
    local g = lt.graph(step)
    plain()
    first.param_groups[2].amsgrad = true
    for _ = 1, 2 do assert.matches("capture it again", message(g.replay, g)) end
    first.param_groups[2].amsgrad = false
    second.param_groups[1].lr = "fast"
    assert.matches("NAdam: ", message(g.replay, g))
    second.param_groups[1].lr = 2e-3
    local emulator = require("spec.support.gpu").emulator
    for _, failure in ipairs(emulator and {"fail_graph=1", "fail_copy=1"} or {}) do
      emulator.configure(failure)
      assert.is_false(pcall(g.replay, g))
    end
    for _ = 1, 4 do
      plain()
      g:replay()
      assert.equal(want(), got())
    end
  end)

  captures("may clear the gradients in place at its end", function()
    local made = {dtype = "float32", device = helpers.device}
    local function make()
      local p = lt.ones(2, made)
      p.requires_grad = true
      local opt = optim.SGD({p}, {lr = 0.01})
      return function()
        (p * p):sum():backward()
        opt:step()
        opt:zero_grad {set_to_none = false}
      end, function() return p:detach():to_bytes() end
    end
    follows(make, 3)
  end)

  captures("needs a step before it", function()
    local q, opt = sgd()
    assert.matches("SGD: make a step before the one that is captured",
                   message(lt.graph, function() opt.state = {} opt:step() end))
    assert.is_true(q:detach()[1]:item() == 0.75)
  end)
end)
