-- tags: smoke
-- Tests recording and the backward pass: accumulation, graphs, modes, views, changes in place, memory. All expected
-- numbers are worked out by hand.
local core = require "luatensor.core"
local lt = require "luatensor"
local gpu = require "spec.support.gpu"
local help = require "luatensor.gradients.help"
local helpers = require "spec.support.helpers"

local fails = helpers.fails
local leaf = {requires_grad = true}

-- The tests divide their numbers of repetitions by this number. With LUATENSOR_GCSTRESS, a full
-- garbage collection runs before many new tensors, which is slow.
local few = os.getenv "LUATENSOR_GCSTRESS" and 100 or 1

local used_already = "backward: the graph was used already; give {retain_graph = true} to what used it first: backward, "
                     .. "lt.grad, lt.value_and_grad or lt.autograd.grad"

-- Returns the result of an op that has no rule for its gradient.
local function without_rule(x)
  local y = lt.ones(1)
  core.autograd.new_node("no_rule", nil, {x}, {y})
  return y
end

local function live() return lt.memory().live end
local function numbers(x) return x:totable() end

describe("a tensor that requires gradients", function()
  it("says so, is a leaf, and has no gradient at first", function()
    local x = lt.ones(2, leaf)
    assert.same({true, true}, {x.requires_grad, x.is_leaf})
    assert.is_nil(x.grad)
    assert.is_nil(x.grad_fn)
    local y = x * 2
    assert.same({true, false, "multiply"}, {y.requires_grad, y.is_leaf, y.grad_fn})
    local z = lt.ones(2)
    assert.same({false, true}, {z.requires_grad, z.is_leaf})
  end)

  it("is made by every function that makes tensors", function()
    for name, arguments in pairs {zeros = {2}, ones = {2}, empty = {2}, full = {{2}, 1.5}, tensor = {{1.5}}, asarray = {{1.5}},
                                  arange = {0.0, 4}, range = {1.0, 3}, linspace = {0, 1, 3}, rand = {2}, randn = {2},
                                  uniform = {0, 1, 2}, normal = {0, 1, 2}, zeros_like = {lt.ones(2)},
                                  full_like = {lt.ones(2), 3}, rand_like = {lt.ones(2)}} do
      arguments[#arguments + 1] = leaf
      assert.is_true(lt[name](table.unpack(arguments)).requires_grad, name)
    end
  end)

  it("is of a float or complex dtype", function()
    fails("requires_grad_: only float and complex tensors can require gradients, this is int64; "
          .. "write 1.0 instead of 1, or {dtype = \"float32\"}",
          function() lt.tensor({1}):requires_grad_() end)
    fails("zeros: only float and complex tensors can require gradients, this is bool; "
          .. "write 1.0 instead of 1, or {dtype = \"float32\"}",
          lt.zeros, 2, {dtype = "bool", requires_grad = true})
    fails("zeros: option requires_grad: boolean expected, got number", lt.zeros, 2, {requires_grad = 1})
    assert.is_true(lt.zeros(2, {dtype = "complex64", requires_grad = true}).requires_grad)
  end)

  it("can be set and unset", function()
    local x = lt.ones(2)
    assert.equal(x, x:requires_grad_())
    x.requires_grad = false
    assert.is_false((x * 2).requires_grad)
    x:requires_grad_(true)
    local y = x * 2
    fails("requires_grad: only leaves can stop requiring gradients; use x:detach()", function() y.requires_grad = false end)
    fails("requires_grad: boolean expected, got number", function() x.requires_grad = 1 end)
  end)

  it("gives no gradient to comparisons and positions", function()
    local x = lt.ones(2, leaf)
    for _, y in ipairs {x:less(1), x:argmax(), x:to("int64"), x:isnan()} do assert.is_false(y.requires_grad) end
  end)

  it("prints that", function()
    local x = lt.ones(2, leaf)
    assert.equal("[1.0, 1.0]  float32 [2] " .. x.device .. " requires_grad=true", tostring(x))
    assert.equal("[2.0, 2.0]  float32 [2] " .. x.device .. " grad_fn=multiply", tostring(x * 2))
  end)
end)

describe("backward", function()
  it("adds up in leaves", function()
    local x = lt.tensor({1., 2.}, leaf)
    for _ = 1, 2 do (x * x):sum():backward() end
    assert.same({4, 8}, numbers(x.grad))
    x.grad = nil
    assert.is_nil(x.grad)
    x:sum():backward()
    assert.same({1, 1}, numbers(x.grad))
  end)

  it("adds in place, where nobody else has the gradient's memory", function()
    local x = lt.tensor({1., 2.}, leaf)
    x:sum():backward()
    local first = x.grad
    x:sum():backward()
    assert.equal(first, x.grad)
    local part = x.grad[1]
    x:sum():backward()
    assert.equal(2, part:item())
    assert.same({3, 3}, numbers(x.grad))
  end)

  it("gives each leaf memory of its own", function()
    local x, y = lt.ones(2, leaf), lt.ones(2, leaf)
    local g = lt.tensor({3., 4.});
    (x + y):backward(g)
    x.grad:zero_()
    assert.same({{3, 4}, {3, 4}}, {numbers(y.grad), numbers(g)})
    local z = lt.ones(3, leaf)
    z:sum():backward()
    z.grad[1] = 5
    assert.same({5, 1, 1}, numbers(z.grad))
  end)

  it("takes a gradient of the shape of y", function()
    local x = lt.tensor({1., 2., 3.}, leaf);
    (x * x):backward(lt.tensor({1., 10., 100.}))
    assert.same({2, 40, 600}, numbers(x.grad))
    fails("backward: the gradient has shape [2], the tensor [3]", function() (x * x):backward(lt.ones(2)) end)
    fails("backward: a tensor of one element expected, the shape is [3]; sum it up, or give a gradient of that shape",
          function() (x * x):backward() end)
  end)

  it("says where there is nothing to do", function()
    fails("backward: this tensor does not depend on one that requires gradients; make that with {requires_grad = true}",
          function() lt.ones(1):backward() end)
    fails('backward: unknown option "retain"; known: create_graph, retain_graph',
          function() lt.ones(1, leaf):backward(nil, {retain = true}) end)
  end)

  it("of a leaf is that gradient", function()
    local x = lt.tensor(3., leaf)
    x:backward()
    assert.equal(1, x.grad:item())
  end)

  it("goes each way of a diamond once", function()
    local x = lt.tensor(3., leaf)
    local a = x * x                          -- derivative of a: 6
    local b, c = a * 2, a * 5
    (b * c):backward()                       -- 10 a^2; derivative: 20 a a' = 20 * 9 * 6
    assert.equal(1080, x.grad:item())
  end)

  it("takes shared parts and repeated arguments", function()
    local x = lt.tensor(2., leaf)
    local y = x * x * x + x / x - x
    y:backward()                             -- derivative: 3 x^2 - 1
    assert.equal(11, x.grad:item())
  end)

  it("happens once, unless the graph is kept", function()
    local x = lt.tensor(2., leaf)
    local y = x * x
    y:backward(nil, {retain_graph = true})
    y:backward()
    assert.equal(8, x.grad:item())
    fails(used_already, function() y:backward() end)
    assert.equal(8, x.grad:item())
  end)

  it("keeps gradients of results where it is asked to", function()
    local x = lt.tensor(2., leaf)
    local y = x * 3
    assert.is_nil(y.grad)
    y:retain_grad();
    (y * y):backward()
    assert.equal(12, y.grad:item())
    fails("grad: only leaves have a gradient that can be set; use retain_grad to see it", function() y.grad = nil end)
    fails("retain_grad: this tensor needs no gradient", function() lt.ones(1):retain_grad() end)
  end)

  it("walks 100000 ops", function()
    local x, n = lt.tensor(1., leaf), 100000 // few
    local y = x
    for _ = 1, n do y = y + x end
    y:backward()
    assert.equal(n + 1, x.grad:item())
  end)

  it("converts gradients to the dtype of each argument", function()
    local x, y = lt.ones(2, {dtype = "float32", requires_grad = true}), lt.ones(2, {dtype = "float64", requires_grad = true});
    (x * y):sum():backward()
    assert.same({"float32", "float64"}, {x.grad.dtype, y.grad.dtype})
    local z = lt.ones(2, leaf)
    z:to("float64"):sum():backward()
    assert.equal("float32", z.grad.dtype)
  end)

  it("takes the real part for real arguments", function()
    local x = lt.tensor({2.}, {dtype = "float64", requires_grad = true})
    local y = x * lt.complex(3, 4)
    lt.real(y):sum():backward()
    assert.same({3}, numbers(x.grad))
    assert.equal("float64", x.grad.dtype)
  end)

  it("says which op has no gradient", function()
    local y = without_rule(lt.ones(1, leaf))
    fails("backward: no_rule has no gradient yet", function() y:backward() end)
  end)

  it("leaves recording as it was, after an error too", function()
    pcall(function() lt.ones(1):backward() end)
    assert.is_true(lt.is_grad_enabled())
    local y = without_rule(lt.ones(1, leaf))
    pcall(y.backward, y)
    assert.is_true(lt.is_grad_enabled())
  end)
end)

describe("x.grad", function()
  it("can be set to a tensor like x", function()
    local x = lt.ones(2, leaf)
    x.grad = lt.tensor({5., 6.})
    x:sum():backward()
    assert.same({6, 7}, numbers(x.grad))
    fails("grad: a gradient of float32 [3] on cpu is not one of a tensor of float32 [2] on cpu",
          function() x:to("cpu"):detach().grad = lt.ones(3, {device = "cpu"}) end)
    fails("grad: a tensor or nil expected, got number", function() x.grad = 1 end)
  end)
end)

describe("recording", function()
  it("stops in no_grad and goes on in enable_grad", function()
    local x = lt.ones(2, leaf)
    local y, z = lt.no_grad(function(t) return t * 2, lt.enable_grad(function() return t * 3 end) end, x)
    assert.same({false, true}, {y.requires_grad, z.requires_grad})
    assert.is_false(lt.no_grad(lt.is_grad_enabled))
    assert.is_true(lt.is_grad_enabled())
  end)

  it("is as before after an error, which passes untouched", function()
    local words = {}
    local ok, err = pcall(lt.no_grad, function() error(words) end)
    assert.is_false(ok)
    assert.equal(words, err)
    assert.is_true(lt.is_grad_enabled())
    local _, line = pcall(lt.no_grad, function() error("mine") end)
    assert.truthy(line:find("backward_spec.lua:%d+: mine"))
    assert.truthy(select(2, pcall(lt.no_grad, 1)):find("no_grad: function expected, got number", 1, true))
  end)

  it("stops for what can be called, too", function()
    local module = setmetatable({}, {__call = function(_, x) return x * 2 end})
    assert.is_false(lt.no_grad(module, lt.ones(1, leaf)).requires_grad)
    assert.equal(2, lt.grad(module)(lt.ones(1)):item())
  end)

  it("ends at detach", function()
    local x = lt.tensor({1., 2.}, leaf)
    local d = x:detach()
    assert.same({false, true}, {d.requires_grad, d.is_leaf});
    (x * d):sum():backward()
    assert.same({1, 2}, numbers(x.grad))
    d[1] = 7
    assert.same({7, 2}, numbers(x))
    local y = x * 2
    assert.equal(y, y:detach_())
    assert.same({false, true}, {y.requires_grad, y.is_leaf})
    assert.is_nil(y.grad_fn)
  end)

  it("keeps what the gradient needs, and nothing else", function()
    local x, y = lt.ones(1024, leaf), lt.ones(1024)
    collectgarbage()
    local before = live()
    local function cost(fn, fresh)
      local z = fn()
      collectgarbage()
      local bytes = live() - before
      assert(z.requires_grad)
      return bytes == 4096 * fresh
    end
    assert(cost(function() return (x + y) + y end, 1), "x + y keeps nothing")
    assert(cost(function() return (x * y) * y end, 1), "x * y keeps y, which is there anyway")
    assert(cost(function() return (x + y):exp() end, 1), "exp keeps its result")
    assert(cost(function() return (x + y):square() end, 2), "square keeps its argument")
    assert(cost(function() return (x + y):relu():sum() end, 1) == false, "sum is small")
  end)
end)

describe("memory", function()
  it("of the graph goes as soon as backward has used it", function()
    local x = lt.ones(1024, leaf)
    local y = x:exp():exp():exp():sum()
    collectgarbage()
    local before = live()
    y:backward()
    collectgarbage()
    assert.equal(before - 3 * 4096 + 4096, live())         -- three results were freed, and the gradient was allocated
    assert.equal("sum", y.grad_fn)
  end)

  it("goes without a collection", function()
    local x = lt.ones(1024, leaf)
    collectgarbage()
    collectgarbage("stop")
    local before = live()
    local y = x
    for _ = 1, 50 do
      local z = y:exp()
      if y ~= x then y:free() end
      y = z
    end
    local kept = live() - before
    y:sum():backward()
    local left = live() - before
    collectgarbage("restart")
    assert.equal(50 * 4096, kept)
    assert(left < 40 * 4096, left)
  end)

  it("stays the same over 10000 steps", function()
    local w = lt.ones(64, leaf)
    local function steps(n)
      for _ = 1, n do
        (w * w):sum():backward()
        lt.no_grad(function() w:subtract_(w.grad * 1e-6) end)
        w.grad = nil
      end
      collectgarbage()
      collectgarbage()
      return live(), collectgarbage "count"
    end
    local bytes, heap = steps(100)
    local bytes_after, heap_after = steps(10000 // few)
    assert.equal(bytes, bytes_after)
    assert(heap_after < heap + 64, heap_after - heap)
  end)

  it("is not held by a result that was kept for its own gradient", function()
    collectgarbage()
    local before = live()
    do
      local y = lt.ones(1024, leaf):exp()
      assert(y.requires_grad)
    end
    collectgarbage()
    collectgarbage()
    assert.equal(before, live())
  end)
end)

describe("a change in place", function()
  it("of a leaf is refused, and nothing happened", function()
    local x = lt.ones(2, leaf)
    for name, call in pairs {
      add_ = function() x:add_(1) end, copy_ = function() x:copy_(lt.zeros(2)) end, fill_ = function() x:fill_(3) end,
      zero_ = function() x:zero_() end, clip_ = function() x:clip_(2, 3) end, masked_fill_ = function()
        x:masked_fill_(lt.tensor {true, false}, 1)
      end,
      assignment = function() x[1] = 5 end, scatter_ = function() x:scatter_(1, lt.tensor {1}, 3) end,
      index_add_ = function() x:index_add_(1, lt.tensor {1}, lt.ones(1)) end, normal_ = function() x:normal_() end,
    } do
      fails(name .. ": a leaf that requires gradients cannot change in place; use lt.no_grad(fn)", call)
      assert.same({1, 1}, numbers(x), name)
    end
    lt.no_grad(function() x:add_(1) end)
    assert.same({2, 2}, numbers(x))
    assert.same({true, true}, {x.requires_grad, x.is_leaf})
  end)

  it("of a result is recorded", function()
    local x = lt.tensor({1., 2.}, leaf)
    local y = x * 3
    y:add_(1):multiply_(2)                     -- y = 6 x + 2
    assert.equal("multiply", y.grad_fn)
    y[1] = 10
    y:square():sum():backward()                -- 2 (6 x + 2) 6, or 0 for the overwritten element
    assert.same({0, 168}, numbers(x.grad))
  end)

  it("makes a constant part of the graph", function()
    local x, list = lt.tensor({1., 2.}, leaf), lt.zeros(3)
    list[{ {1, 2} }] = x * 5
    list[3] = 4
    assert.is_true(list.requires_grad);
    (list * lt.tensor {1., 2., 3.}):sum():backward()
    assert.same({5, 10}, numbers(x.grad))
  end)

  it("may make a result a constant", function()
    local x = lt.ones(2, leaf)
    local y = x * 2
    y:copy_(lt.ones(2))
    assert.is_false(y.requires_grad)
  end)

  it("of what a gradient needs is an error there", function()
    local x = lt.ones(2, leaf)
    local y = x:exp()
    y:add_(1)
    fails("backward: exp needs a tensor that was changed in place afterwards; change a :clone(), or write the change "
          .. "without _", function() y:sum():backward() end)
    local a, b = lt.ones(2, leaf), lt.ones(2)
    local z = a * b
    b:add_(1)
    fails("backward: multiply needs a tensor that was changed in place afterwards; change a :clone(), or write the change "
          .. "without _", function() z:sum():backward() end)
  end)

  it("beside views is refused, and nothing happened", function()
    local x = lt.ones(2, leaf)
    local y = x * 2
    local v = y[1]
    fails("add_: views or a base of this tensor share its memory, and gradients would pass by them; change a :clone(), "
          .. "or use lt.no_grad(fn)", function() y:add_(1) end)
    assert.same({2, 2}, numbers(y))
    assert.equal(2, v:item())
    local list = lt.zeros(2)
    fails("copy_: views or a base of this tensor share its memory, and gradients would pass by them; change a :clone(), "
          .. "or use lt.no_grad(fn)", function() list:narrow(1, 1, 1):copy_(x[{ {1, 1} }]) end)
    local z = x * 2
    local d = z:detach()
    z:add_(1)
    assert.same({3, 3}, numbers(d))
  end)

  it("through option out is refused", function()
    local x, out = lt.ones(2, leaf), lt.zeros(2)
    fails("add: option out: gradients do not pass through it; leave it out, or use lt.no_grad(fn)",
          function() lt.add(x, 1, {out = out}) end)
    fails("concat: option out: gradients do not pass through it; leave it out, or use lt.no_grad(fn)",
          function() lt.concat({x}, 1, {out = out}) end)
    assert.same({0, 0}, numbers(out))
    assert.same({2, 2}, numbers(lt.no_grad(lt.add, x, 1, {out = out})))
    assert.same({1, 1}, numbers(lt.add(out, -1, {out = lt.zeros(2)})))
  end)

  it("of keys and indices afterwards does not matter, or is noticed", function()
    local x, key = lt.tensor({1., 2., 3.}, leaf), {{1, 2}}
    local y = x[key]
    key[1][2] = 3
    y:sum():backward()
    assert.same({1, 1, 0}, numbers(x.grad))
    local index = lt.tensor {1, 1}
    local z = x[index]
    index[1] = 3
    fails("backward: index needs a tensor that was changed in place afterwards; change a :clone(), or write the change "
          .. "without _", function() z:sum():backward() end)
  end)
end)

describe("grad", function()
  it("gives the gradients of a function", function()
    local df = lt.grad(function(x, y) return (x * x * y):sum() end)
    local gx, gy = df(lt.tensor {1., 2.}, lt.tensor {3., 4.})
    assert.same({{6, 16}, {1, 4}}, {numbers(gx), numbers(gy)})
    local only = lt.grad(function(x, y) return (x * x * y):sum() end, {argnums = 2})
    assert.same({1, 4}, numbers((only(lt.tensor {1., 2.}, lt.tensor {3., 4.}))))
  end)

  it("of grad gives the second and third derivative", function()
    local function f(x) return x ^ 4 end
    local x = lt.tensor(2., {dtype = "float64"})
    assert.equal(32, lt.grad(f)(x):item())
    assert.equal(48, lt.grad(lt.grad(f))(x):item())
    assert.equal(48, lt.grad(lt.grad(lt.grad(f)))(x):item())
  end)

  it("touches no leaf's gradient, nor a graph outside of it", function()
    local w, x = lt.tensor(3., leaf), lt.tensor(2., leaf)
    local h = w * x
    local g = lt.grad(function(t) return t * h * w end)(x)       -- h w = w^2 x
    assert.equal(18, g:item())
    assert.is_nil(w.grad)
    assert.is_nil(x.grad)
    g:backward()                                                 -- derivatives of w^2 x: 2 w x and w^2
    assert.same({12, 9}, {w.grad:item(), x.grad:item()})
  end)

  it("is 0 where the result does not depend on an argument", function()
    assert.same({0, 0}, numbers((lt.grad(function() return lt.ones(1) end)(lt.ones(2)))))
  end)

  it("says what is wrong", function()
    local function message(f, ...) return select(2, pcall(f, ...)) end
    assert.truthy(message(lt.grad, 1):find("grad: function expected, got number", 1, true))
    assert.truthy(message(lt.grad(function(x) return x end), lt.ones(2)):find("a tensor of one element expected", 1, true))
    assert.truthy(message(lt.grad(function() return 1 end), lt.ones(2)):find("grad: the function gave number, a tensor expected", 1, true))
    assert.truthy(message(lt.grad(function(x) return x end, {argnums = 1}), 5):find("argument 1 is no float", 1, true))
  end)
end)

describe("create_graph", function()
  it("gives gradients that can be differentiated", function()
    local x = lt.tensor(3., leaf)
    local y = x * x * x
    y:backward(nil, {create_graph = true})
    local g = x.grad
    assert.equal(27, g:item())
    x.grad = nil
    g:backward()
    assert.equal(18, x.grad:item())
  end)

  it("of a rule that is not made of functions with gradients gives what cannot be differentiated", function()
    local x = lt.tensor(3., leaf)
    local function double()
      local y = lt.tensor(6.)
      help.attach("double", {x}, {y}, help.once("double", function(g) return {g * 2} end, "use another"))
      return y
    end
    double():backward()
    assert.equal(2, x.grad:item())
    x.grad = nil
    double():backward(lt.tensor(1., leaf), {create_graph = true})
    local g = x.grad
    assert.equal(2, g:item())
    x.grad = nil
    assert.is_true(g.requires_grad)
    fails("backward: double: no gradient of its gradient; use another", function() g:backward() end)
  end)
end)

describe("a function with a gradient of its own", function()
  local cube = lt.autograd_function {
    name = "cube",
    forward = function(ctx, x, scale)
      ctx:save(x)
      ctx.scale = scale
      return x * x * x * scale
    end,
    backward = function(ctx, g) return g * ctx:saved() ^ 2 * (3 * ctx.scale) end,
  }

  it("is called on the way back", function()
    local x = lt.tensor({1., 2.}, leaf)
    local y = cube(x, 2)
    assert.same({2, 16}, numbers(y))
    assert.equal("cube", y.grad_fn)
    y:sum():backward()
    assert.same({6, 24}, numbers(x.grad))
    assert.is_false(cube(lt.ones(1), 1).requires_grad)
  end)

  it("can be differentiated twice where its backward is made of tensor functions", function()
    assert.equal(12, lt.grad(lt.grad(function(x) return cube(x, 1) end))(lt.tensor(2.)):item())
  end)

  it("may have several results and arguments without a gradient", function()
    local asked
    local both = lt.autograd_function {
      forward = function(ctx, x, y)
        asked = ctx.needs
        return x + y, x - y
      end,
      backward = function(_, g, h) return g + h, g - h end,
    }
    local x, y = lt.ones(2, leaf), lt.ones(2)
    local sum, difference = both(x, y)
    assert.same({true, false}, asked);
    (sum * 3):sum():backward(nil, {retain_graph = true})
    assert.same({3, 3}, numbers(x.grad))
    difference:sum():backward()
    assert.same({4, 4}, numbers(x.grad))
  end)

  it("may keep what it returns", function()
    local two = lt.full({2}, 2.0)
    local double = lt.autograd_function {forward = function(_, x) return x * 2 end, backward = function() return two end}
    local x = lt.ones(2, leaf)
    for _ = 1, 2 do (double(x * 1) + double(x)):sum():backward() end
    assert.same({8, 8}, numbers(x.grad))
    assert.same({2, 2}, numbers(two))
  end)

  it("keeps its functions, also where the table that it was made of is weak", function()
    local weak = setmetatable({forward = function(ctx, x) ctx:save(x) return x * x end,
                               backward = function(ctx, g) return g * 2 * ctx:saved() end}, {__mode = "kv"})
    local square = lt.autograd_function(weak)
    collectgarbage()
    collectgarbage()
    assert.is_nil(weak.name)
    local x = lt.full({2}, 3.0, leaf)
    square(x):sum():backward()
    assert.same({6, 6}, numbers(x.grad))
  end)

  it("gives tensors of their own", function()
    local same = lt.autograd_function {forward = function(_, a) return a end, backward = function(_, g) return g end}
    local x = lt.ones(3, leaf)
    local h = x * 2
    local y = same(h)
    fails("multiply_: views or a base of this tensor share its memory, and gradients would pass by them; change a "
          .. ":clone(), or use lt.no_grad(fn)", function() h:mul_(5) end)
    y:sum():backward()
    assert.same({2, 2, 2}, numbers(x.grad))
    local kept = lt.ones(3)
    local stored = lt.autograd_function {forward = function() return kept end, backward = function(_, g) return g end}
    local z = stored(x)
    assert.same({true, false, true}, {z.requires_grad, kept.requires_grad, kept.is_leaf})
    z:mul_(2)
    local w = lt.ones(3, leaf)
    local other = lt.autograd_function {forward = function() return w end, backward = function(_, g) return g end}
    assert.is_false(other(x).is_leaf)
    assert.is_true(w.is_leaf)
  end)

  it("may save its result, for gradients of gradients", function()
    local exp = lt.autograd_function {
      forward = function(ctx, x) local y = x:exp() ctx:save(y) return y end,
      backward = function(ctx, g) return g * ctx:saved() end,
    }
    local f = lt.grad(lt.grad(function(x) return exp(x) end))
    assert.near(math.exp(0.5), f(lt.tensor(0.5, {dtype = "float64"})):item(), 1e-12)
  end)

  it("takes no tensors that need gradients inside of tables", function()
    local first = lt.autograd_function {name = "first", forward = function(_, t) return t[1] * 2 end,
                                        backward = function() end}
    local x = lt.ones(2, leaf)
    fails("first: argument 1: gradients do not pass through tables; give each tensor as an argument",
          function() first {x} end)
    assert.same({2, 2}, numbers(first {x:detach()}))
    assert.same({2, 2}, numbers(lt.no_grad(first, {x})))
  end)

  it("is named where its backward gives what is no gradient", function()
    local freed = lt.ones(3)
    freed:free()
    for message, give in pairs {
      ["backward: odd gave a number for argument 1, tensor or nil expected"] = function() return 3 end,
      ["backward: odd gave a string for argument 1, tensor or nil expected"] = function() return "x" end,
      ["backward: odd, for argument 1: this tensor was freed"] = function() return freed end,
      ["backward: odd gave shape [2] for argument 1, which has shape [3]"] = function() return lt.ones(2) end,
      ["backward: odd gave 2 gradients, it has 1 arguments"] = function(_, g) return g, g end,
    } do
      local odd = lt.autograd_function {name = "odd", forward = function(_, x) return x * 2 end, backward = give}
      fails(message, function() odd(lt.ones(3, leaf)):sum():backward() end)
    end
    local scalar = lt.autograd_function {forward = function(_, x) return x * 2 end,
                                         backward = function() return lt.full({}, 7.0), nil end}
    local x = lt.ones(3, leaf)
    scalar(x):sum():backward()
    assert.same({7, 7, 7}, numbers(x.grad))
  end)

  it("notices what changed since it was saved", function()
    local x = lt.tensor({1., 2.}, leaf)
    local h = x * 1
    local y = cube(h, 1)
    h:detach():add_(1)
    fails("backward: cube needs a tensor that was changed in place afterwards", function() y:sum():backward() end)
  end)
end)

describe("the ends of autograd", function()
  it("see what changes the memory of a leaf", function()
    local h = lt.ones(3, leaf) * 2
    local d = h:detach()
    d.requires_grad = true
    fails("multiply_: views or a base of this tensor share its memory, and gradients would pass by them; change a "
          .. ":clone(), or use lt.no_grad(fn)", function() h:mul_(5) end)
    assert.same({2, 2, 2}, numbers(d))
  end)

  it("refuse argnums that name no arguments", function()
    local function f(x, y) return (x * y):sum() end
    fails("grad: argnums: 1 is named twice", function() lt.grad(f, {argnums = {1, 1}}) end)
    for got, bad in pairs {string = "x", ["1.5"] = {1.5}, boolean = true, table = {{}}} do
      fails("grad: argnums: integer expected, got " .. got, function() lt.grad(f, {argnums = bad}) end)
    end
    fails("grad: argnums: the number of an argument expected, or a list of them",
          function() lt.grad(f, {argnums = {}}) end)
    assert.is_false(pcall(lt.grad, f, {argnums = 0}))
    fails("grad: argnums: the function was called with 2 arguments",
          function() lt.grad(f, {argnums = 5})(lt.ones(2), lt.ones(2)) end)
  end)

  it("hand no tensor that needs gradients to other libraries", function()
    local x = lt.ones(3, leaf)
    fails("to_dlpack: gradients do not pass to other libraries; use x:detach()", function() (x * 2):to_dlpack() end)
    fails("from_dlpack: gradients do not pass to other libraries; use x:detach()", function() lt.from_dlpack(x) end)
    assert.same({1, 1, 1}, numbers(lt.from_dlpack(x:detach())))
  end)

  it("keep what was overwritten in the graph, with a gradient of 0", function()
    for _, overwrite in ipairs {function(q) q:fill_(0.5) end, function(q) q:zero_() end,
                                 function(q) q:uniform_(0, 1) end} do
      local x = lt.ones(3, leaf)
      local q = x * 1.5
      overwrite(q)
      assert.is_true(q.requires_grad);
      (q * 4):sum():backward()
      assert.same({0, 0, 0}, numbers(x.grad))
    end
  end)

  it("take no userdata but their own", function()
    local ag = core.autograd
    assert.is_false(pcall(ag.edge, io.stdout, 1))
    assert.is_false(pcall(ag.order, io.stdout))
    assert.is_false(pcall(ag.call))
    local node = ag.source(lt.ones(2, leaf) * 2)
    assert.is_nil(ag.edge(node, 99))
    assert.is_nil(ag.edge(node, -1 << 40))
    assert.is_false(pcall(ag.walk, {}, {}, {}, io.stdout, 1, lt.ones(2)))
    assert.is_false(pcall(ag.result, node, 99))
  end)

  it("name a leaf that is none any more", function()
    local x = lt.ones(2, leaf)
    local y = (x * 3):sum()
    x:free()
    fails("backward: a tensor that the graph needs, a leaf: this tensor was freed", function() y:backward() end)
    x = lt.ones(2, leaf)
    y = (x * 3):sum()
    x.requires_grad = false
    x:mul_(lt.ones(2, leaf))
    fails("backward: a leaf of the graph was changed in place after requires_grad = false, and is now the "
          .. "result of multiply",
          function() y:backward() end)
  end)

  it("say that a backward failed before", function()
    local broken = lt.autograd_function {forward = function(_, x) return x * 2 end,
                                         backward = function() error "no" end}
    local y = broken(lt.ones(2, leaf)):sum()
    assert.is_false(pcall(y.backward, y))
    fails("backward: an earlier backward of this graph failed, and let go of a part of it; compute it again",
          function() y:backward() end)
  end)

  it("say which properties can be set", function()
    fails('cannot set "is_leaf": the properties of a tensor are read-only, but for grad and requires_grad',
          function() lt.ones(2).is_leaf = false end)
  end)
end)

describe("a script's own kernel", function()
  gpu.it_emulated("takes nothing that needs gradients", function()
    local double = lt.kernel([[
      __global__ void twice(float *out, const float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = 2 * x[i];
      }
    ]], "twice", {device = gpu.kind})
    local x, out = lt.ones(4, {device = gpu.kind, requires_grad = true}), lt.zeros(4, {device = gpu.kind})
    fails("twice: gradients do not pass through kernels; use lt.no_grad(fn), or lt.autograd_function to give it one",
          function() double({grid = 1, block = 4}, out, x, 4) end)
    assert.same({0, 0, 0, 0}, numbers(out))
    lt.no_grad(double, {grid = 1, block = 4}, out, x, 4)
    assert.same({2, 2, 2, 2}, numbers(out))
  end)
end)

describe("detect_anomaly", function()
  it("names the op that made NaN, and its line", function()
    local x = lt.tensor({-1.}, leaf)
    local message = select(2, pcall(lt.detect_anomaly, function() return (x * 2):log():sum() end))
    assert.truthy(message:find("backward_spec.lua:%d+: detect_anomaly: log made NaN"), message)
  end)

  it("says of an op that NaN was in its inputs", function()
    local x, nan = lt.tensor({1.}, leaf), lt.tensor({0 / 0})
    local function refuses(words, f)
      local message = select(2, pcall(lt.detect_anomaly, f))
      assert.truthy(message:find("backward_spec.lua:%d+: detect_anomaly: " .. words .. "$"), message)
    end
    refuses("multiply got NaN", function() return x * nan end)
    refuses("linear got NaN", function() return lt.nn.functional.linear(nan:reshape(1, 1), x:reshape(1, 1)) end)
    refuses("concat got NaN", function() return lt.concat{x, nan} end)
    refuses("sqrt made NaN", function() return (x - 2):sqrt() end)
    local double = lt.autograd_function{name = "double", forward = function(_, a, b) return a + b end, backward = function(_, g) return g, g end}
    refuses("double got NaN", function() return double(x, nan) end)
  end)

  it("names the op whose gradient is NaN", function()
    local x = lt.tensor({0.}, leaf)
    local message = select(2, pcall(lt.detect_anomaly, function() ((x * 0):sqrt() * 0):sum():backward() end))
    assert.truthy(message:find("the gradient of sqrt at .*backward_spec.lua:%d+ is NaN"), message)
    assert.equal(1, lt.detect_anomaly(function() return 1 end))
  end)
end)
