-- Tests lt.grad, lt.value_and_grad and lt.autograd.grad: functions that capture tensors, gradients with respect to
-- intermediate results, and functions with several results. All expected numbers are worked out by hand.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local fails = helpers.fails
local leaf = {requires_grad = true}
local double = {dtype = "float64", requires_grad = true}

local function numbers(...)
  local list = table.pack(...)
  for i = 1, list.n do list[i] = list[i]:totable() end
  return table.unpack(list, 1, list.n)
end

local function message_of(f, ...) return select(2, pcall(f, ...)) end

describe("lt.grad of a function that uses other tensors", function()
  it("can be differentiated by those", function()
    local w, x = lt.tensor({2.}, leaf), lt.tensor {1.5}
    local function f(t) return (w * t ^ 2):sum() end
    local g = lt.grad(f)(x)                            -- derivative by x: 2 w x = 6
    assert.same({6}, numbers(g));
    ((g ^ 2):sum() + f(x)):backward()                  -- derivative by w: 8 w x² + x² = 36 + 2.25
    assert.same({38.25}, numbers(w.grad))
    assert.is_nil(x.grad)
  end)

  it("can be differentiated by arguments of functions around it", function()
    local function of_product(a)
      return lt.grad(function(x) return (a * a * x):sum() end)(lt.ones(1)):sum()       -- the derivative is a²
    end
    assert.same({6}, numbers((lt.grad(of_product)(lt.tensor {3.}))))
    -- d/da d/dx d/dx (a x³) = 6 x
    local function twice(a)
      local df = lt.grad(function(x) return (a * x ^ 3):sum() end)
      return lt.grad(function(x) return df(x):sum() end)(lt.tensor {2.}):sum()
    end
    assert.same({12}, numbers((lt.grad(twice)(lt.tensor {5.}))))
  end)

  it("reaches leaves by results that were computed before", function()
    local w = lt.tensor({3.}, leaf)
    local h = w * w
    local g = lt.grad(function(x) return (h * x):sum() end)(lt.ones(1))
    g:sum():backward()
    assert.same({6}, numbers(w.grad))
  end)

  it("is a constant where nothing is recorded, or nothing else needs gradients", function()
    local w, x = lt.tensor({2.}, leaf), lt.tensor {1.5}
    local function f(t) return (w * t ^ 2):sum() end
    assert.is_false(lt.no_grad(lt.grad(f), x).requires_grad)
    assert.is_false(lt.grad(function(t) return (w:detach() * t ^ 2):sum() end)(x).requires_grad)
    assert.is_false(lt.grad(function(t) return (lt.no_grad(function() return w * 2 end) * t):sum() end)(x).requires_grad)
  end)

  it("frees what it recorded, as soon as nothing needs it", function()
    local x = lt.ones(1024)
    local slope = lt.grad(function(t) return (t:exp():exp():exp()):sum() end)
    collectgarbage()
    collectgarbage("stop")
    local before = lt.memory().live
    local g = slope(x)
    collectgarbage("restart")
    assert.is_false(g.requires_grad)
    collectgarbage()
    assert.equal(before + 4096, lt.memory().live)
    g = nil
    local w = lt.ones(1024, leaf)
    collectgarbage()
    before = lt.memory().live
    for _ = 1, 20 do lt.grad(function(t) return (w * t:exp()):sum() end)(x) end
    collectgarbage()
    collectgarbage()
    assert.equal(before, lt.memory().live)
    assert.is_nil(g)
  end)

  it("gives tensors of their own", function()
    local w = lt.tensor({2.}, leaf)
    local ga, gb = lt.grad(function(a, b) return ((a + b) * w):sum() end)(lt.ones(1), lt.ones(1))
    lt.no_grad(function() ga:add_(1) end)
    assert.same({{3}, {2}}, {numbers(ga, gb)})
  end)

  it("keeps results that the function hands out", function()
    local w, h = lt.tensor({2.}, leaf), nil
    lt.grad(function(a)
      h = (a * w):square()
      return h:sum()
    end)(lt.ones(1))
    h:sum():backward()
    assert.same({4}, numbers(w.grad))
  end)

  it("says how to keep the graph of what nothing else needs", function()
    local function f(options)
      local inner, h
      lt.grad(function(a)
        inner, h = a, a * a
        return (h * h):sum()
      end, options)(lt.tensor {3.})
      return lt.autograd.grad(h, inner)
    end
    fails("autograd.grad: the graph was used already; give {retain_graph = true} to what used it first: backward, lt.grad, "
          .. "lt.value_and_grad or lt.autograd.grad", f)
    assert.same({6}, numbers((f({retain_graph = true}))))
  end)

  it("trains a network on the norm of its gradient", function()
    -- D(x) = w₂ tanh(w₁ x), D' = w₂ w₁ (1 - t²), t = tanh(w₁ x); the penalty is (|D'| - 1)²
    local w1, w2, x = lt.tensor({0.5}, double), lt.tensor({2.}, double), lt.tensor({0.7}, {dtype = "float64"})
    local g = lt.grad(function(a) return (w2 * (w1 * a):tanh()):sum() end)(x);
    (g:abs() - 1):square():sum():backward()
    local t = (math.exp(0.7) - 1) / (math.exp(0.7) + 1)                      -- tanh(0.35)
    local slope = 2 * 0.5 * (1 - t * t)
    assert.near(2 * (slope - 1) * 0.5 * (1 - t * t), w2.grad:item(), 1e-12)
    local by_w1 = 2 * (1 - t * t) - 2 * 2 * 0.5 * t * (1 - t * t) * 0.7
    assert.near(2 * (slope - 1) * by_w1, w1.grad:item(), 1e-12)
  end)
end)

describe("lt.grad and lt.value_and_grad", function()
  local function f(x, y) return (x * y):sum(), x + y, "more" end

  it("give further results, too", function()
    local x, y = lt.tensor {1., 2.}, lt.tensor {3., 4.}
    local gx, gy, sum, more, rest = lt.grad(f)(x, y)
    assert.same({{3, 4}, {1, 2}, {4, 6}}, {numbers(gx, gy, sum)})
    assert.same({"more"}, {more, rest})
    local value, vx, vy, vsum, vmore = lt.value_and_grad(f)(x, y)
    assert.same({{3, 4}, {1, 2}, {4, 6}}, {numbers(vx, vy, vsum)})
    assert.equal(11, value:item())
    assert.equal("more", vmore)
    for _, t in ipairs {value, vx, vsum, sum} do assert.is_false(t.requires_grad) end
    local only, by_y, also = lt.value_and_grad(f, {argnums = 2})(x, y)
    assert.same({11, {1, 2}, {4, 6}}, {only:item(), numbers(by_y, also)})
    assert.equal(2, select("#", lt.value_and_grad(function(a) return a:sum() end)(x)))
    assert.equal(3, select("#", lt.grad(function(a) return a:sum(), nil, nil end)(x)))
  end)

  it("keep the value's graph where others need gradients", function()
    local w = lt.tensor({2.}, leaf)
    local value, gx, more = lt.value_and_grad(function(x) return (w * x):sum(), w * 3 end)(lt.ones(1))
    value:backward()
    gx:sum():backward()
    more:sum():backward()
    assert.same({5}, numbers(w.grad))
  end)

  it("say where there is nothing to differentiate by", function()
    for _, name in ipairs {"grad", "value_and_grad"} do
      local fn = lt[name](function(t) return (t.a ^ 2):sum() end)
      local text = message_of(fn, {a = lt.ones(2)})
      assert.matches("grad_spec.lua:%d+: " .. name .. ": argument 1 is a table: gradients do not pass through "
                     .. "tables; give each tensor as an argument, or say in option argnums which arguments are wanted$", text)
      local beside = lt[name](function(p, x) return (p.w * x):sum() end)
      assert.matches(name .. ": argument 1 is a table", message_of(beside, {w = lt.ones(1)}, lt.ones(1)))
      assert.same({2}, numbers((select(name == "grad" and 1 or 2,
                                       lt[name](function(p, x) return (p.w * x):sum() end, {argnums = 2})({w = lt.tensor {2.0}}, lt.ones(1))))))
      assert.matches(name .. ": no float or complex tensor is among the 2 arguments", message_of(fn, 1, lt.tensor {1}))
      assert.matches(name .. ": no float or complex tensor is among the 0 arguments", message_of(fn))
      fails(name .. ': unknown option "depth"; known: argnums, retain_graph', lt[name], f, {depth = 1})
      fails(name .. ": function expected, got number", lt[name], 1)
      assert.matches(name .. ": the function gave nil, a tensor expected", message_of(lt[name](function() end), lt.ones(1)))
      assert.matches(name .. ": complex64: take real parts first",
                     message_of(lt[name](function(x) return x end), lt.ones({}, {dtype = "complex64"})))
    end
  end)

  it("pass the function's own errors on", function()
    local words = {}
    local ok, err = pcall(lt.value_and_grad(function() error(words) end), lt.ones(1))
    assert.same({false, words}, {ok, err})
    assert.is_true(rawequal(words, err))
    assert.is_true(lt.is_grad_enabled())
  end)
end)

describe("lt.autograd.grad", function()
  it("gives gradients of leaves and of results, and adds to none", function()
    local a = lt.tensor({1., 2.}, leaf)
    local b = a * 3
    local c = (b * b + a):sum()                        -- dc/db = 2 b; dc/da = 18 a + 1
    assert.same({{19, 37}, {6, 12}}, {numbers(lt.autograd.grad(c, {a, b}, {retain_graph = true}))})
    assert.same({{6, 12}, {19, 37}}, {numbers(lt.autograd.grad(c, {b, a}, {retain_graph = true}))})
    assert.same({{6, 12}, {6, 12}}, {numbers(lt.autograd.grad(c, {b, b}, {retain_graph = true}))})
    assert.same({6, 12}, numbers((lt.autograd.grad({c}, b))))
    assert.is_nil(a.grad)
    assert.is_nil(b.grad)
  end)

  it("walks no further than one input", function()
    local a = lt.tensor(2., leaf)
    local b = a * a
    local d = b * 3
    b:backward()                                       -- the graph beyond b was released
    assert.equal(3, lt.autograd.grad(d, b):item())
  end)

  it("takes several outputs and their gradients", function()
    local x, y = lt.tensor({1., 2.}, leaf), lt.tensor({3., 4.}, leaf)
    local function outputs() return {x * y, (x * x):sum()} end
    local options = {grad_outputs = {lt.tensor {1., 10.}, false}}
    assert.same({{3 + 2, 40 + 4}, {1, 20}}, {numbers(lt.autograd.grad(outputs(), {x, y}, options))})
    assert.same({{1, 20}}, {numbers(lt.autograd.grad(x * y, y, {grad_outputs = lt.tensor {1., 10.}}))})
    local g = lt.tensor {1., 10.}
    lt.autograd.grad({x + y, x + y}, {x, y}, {grad_outputs = {g, g}})
    assert.same({1, 10}, numbers(g))
    local gx = lt.autograd.grad({x + y, x + y}, x, {grad_outputs = {g, g}})
    gx:zero_()
    assert.same({1, 10}, numbers(g))
    assert.same({1, 1}, numbers((lt.autograd.grad(x, x, {grad_outputs = lt.ones(2)}))))
  end)

  it("takes one of the results of a function", function()
    local x = lt.tensor({{3., 1.}, {2., 4.}}, leaf)
    local values, positions = (x * 2):topk(1, 2)
    assert.same({{1}, {1}}, positions:sub(lt.tensor {{0}, {1}}):totable())
    local g = lt.autograd.grad((values * values):sum(), {values, x})
    assert.same({{12}, {16}}, numbers(g))
    local q, r = lt.linalg.qr(x)
    local gq, gr, gx = lt.autograd.grad((q * 2):sum() + (r * 3):sum(), {q, r, x})
    assert.same({{{2, 2}, {2, 2}}, {{3, 3}, {3, 3}}}, {numbers(gq, gr)})
    q, r = lt.linalg.qr(x);
    ((q * 2):sum() + (r * 3):sum()):backward()
    assert.is_true(gx:allclose(x.grad))
  end)

  it("records gradients where create_graph asks for that", function()
    local x = lt.tensor({2.}, leaf)
    local y = x ^ 4
    local g = lt.autograd.grad(y:sum(), x, {create_graph = true})
    assert.same({32}, numbers(g))
    local h = lt.autograd.grad(g:sum(), x, {create_graph = true})
    assert.same({48}, numbers(h))
    assert.same({48}, numbers((lt.autograd.grad(h:sum(), x))))
    assert.is_nil(x.grad)
    local weight = lt.tensor({3.}, leaf)
    g = lt.autograd.grad({x * x, x}, x, {create_graph = true, grad_outputs = {weight, weight}})    -- (2 x + 1) weight
    g:backward(lt.ones(1))
    assert.same({{5}, {6}}, {numbers(weight.grad, x.grad)})
  end)

  it("gives u_xx of a differential equation", function()
    local w, x = lt.tensor(0.3, double), lt.tensor({0.1, 0.5}, double)
    local u = (w * x):sin()
    local ux = lt.autograd.grad(u:sum(), x, {create_graph = true})
    local uxx = lt.autograd.grad(ux:sum(), x, {create_graph = true})
    uxx:sum():backward()                               -- d/dw (- w² sin(w x)) = - 2 w sin(w x) - w² x cos(w x)
    local expected = 0
    for _, v in ipairs {0.1, 0.5} do
      expected = expected - 2 * 0.3 * math.sin(0.3 * v) - 0.09 * v * math.cos(0.3 * v)
    end
    assert.near(expected, w.grad:item(), 1e-12)
  end)

  it("frees the graph unless it is kept", function()
    local x = lt.tensor({2.}, leaf)
    local y = x:exp():sum()
    lt.autograd.grad(y, x, {retain_graph = true})
    lt.autograd.grad(y, x)
    assert.matches("the graph was used already; give {retain_graph = true} to what used it first",
                   message_of(lt.autograd.grad, y, x))
  end)

  it("gives nil for an unused input, where that is allowed", function()
    local x, y, z = lt.ones(1, leaf), lt.ones(1, leaf), lt.ones(1, leaf)
    local out = (x * z):sum()
    fails("autograd.grad: the outputs do not depend on input 2; {allow_unused = true} gives nil for it",
          lt.autograd.grad, out, {x, y, z})
    local list = table.pack(lt.autograd.grad(out, {x, y, z}, {allow_unused = true}))
    assert.equal(3, list.n)
    assert.same({1}, numbers(list[1]))
    assert.is_nil(list[2])
    assert.same({1}, numbers(list[3]))
    local none = lt.autograd_function {name = "none", forward = function(_, t) return t * 1 end, backward = function() end}
    fails("autograd.grad: the outputs do not depend on input 1; {allow_unused = true} gives nil for it",
          lt.autograd.grad, none(x):sum(), x)
    assert.is_nil((lt.autograd.grad(none(x):sum(), x, {allow_unused = true})))
  end)

  it("gives complex gradients as backward does", function()
    local z = lt.complex(lt.tensor {1., 2.}, lt.tensor {3., -1.}):requires_grad_()
    local y = (z * z):real():sum()
    local g = lt.autograd.grad(y, z, {retain_graph = true})
    y:backward()
    assert.is_true(lt.equal_all(g, z.grad))
    assert.same({2, 4}, lt.real(g):totable())
    assert.same({-6, 2}, lt.imag(g):totable())                        -- the gradient of z² is conj(2 z)
  end)

  it("says what is wrong", function()
    local x, c = lt.ones(2, leaf), lt.ones(2)
    local y = x * 2
    local freed = x * 3
    freed:free()
    for text, call in pairs {
      ["outputs: a tensor or a list of tensors expected, got number"] = {1, x},
      ["outputs: a tensor or a list of tensors expected, got an empty table"] = {{}, x},
      ["inputs: a tensor or a list of tensors expected, got nil"] = {y},
      ["input 2: tensor expected, got number"] = {y, {x, 1}},
      ["input 1: tensor expected, got nil"] = {y, {nil, x}},
      ["output 2: tensor expected, got nil"] = {{y, nil, y}, x},
      ["inputs: a list of tensors expected, got a table with the key w"] = {y, {w = x}},
      ["input 1 requires no gradient"] = {y, c},
      ["output 1 requires no gradient"] = {c, x},
      ["output 1: this tensor was freed"] = {freed, x},
      ["a tensor of one element expected, the shape is [2]; sum it up, or give option grad_outputs"] = {y, x},
      ["grad_outputs: a tensor or a list of tensors expected, got number"] = {y, x, {grad_outputs = 1}},
      ["grad_outputs 1: tensor expected, got number"] = {y, x, {grad_outputs = {1}}},
      ["the gradient has shape [3], the tensor [2]"] = {y, x, {grad_outputs = lt.ones(3)}},
      ["grad_outputs has an entry 2; there are 1 outputs"] = {y, x, {grad_outputs = {c, c}}},
      ['unknown option "create"; known: allow_unused, create_graph, grad_outputs, retain_graph'] = {y, x, {create = true}},
    } do
      fails("autograd.grad: " .. text, lt.autograd.grad, table.unpack(call, 1, 3))
    end
    assert.is_nil(x.grad)
    assert.same({2, 2}, numbers((lt.autograd.grad(y, x, {grad_outputs = c}))))    -- failed calls release no graph
  end)
end)
