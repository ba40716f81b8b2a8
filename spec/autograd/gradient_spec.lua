-- tags: uncollected many-kernels
-- Compares the gradient of every op with central differences, for several layouts, with broadcasting, and for real and
-- complex numbers. Also tests gradients of gradients. Inputs lie in the domain of each op, away from points without a
-- derivative.
local lt = require "luatensor"
local ag = require("luatensor.core").autograd
local none = require "luatensor.gradients.without"
local gradient = require "spec.support.gradient"
local coverage = dofile "tools/coverage.lua"

local make, layouts = gradient.tensor, gradient.layouts

local function each_layout(name, fn, inputs, options)
  for label, layout in pairs(layouts) do
    it(("%s, %s"):format(name, label), function()
      options = options or {}
      gradient.check(name, fn, inputs, {layout = layout, tolerance = options.tolerance})
    end)
  end
end

local function twice(name, fn, inputs, options)
  it(name .. ", twice", function() gradient.check(name, gradient.of(fn), inputs, options) end)
end

-- ---- one argument ----

local unary = {        -- name = {low, high} of real numbers, and of both parts of complex numbers
  positive = {-2, 2}, negative = {-2, 2}, abs = {0.3, 2}, square = {-2, 2}, conj = {-2, 2}, reciprocal = {0.5, 2},
  exp = {-2, 2}, expm1 = {-2, 2}, log = {0.3, 3}, log1p = {0.3, 3}, log2 = {0.3, 3}, log10 = {0.3, 3}, sqrt = {0.3, 3},
  rsqrt = {0.3, 3}, sin = {-2, 2}, cos = {-2, 2}, tan = {-1, 1}, asin = {-0.8, 0.8}, acos = {-0.8, 0.8}, atan = {-0.7, 0.7},
  sinh = {-2, 2}, cosh = {-2, 2}, tanh = {-1, 1}, asinh = {-0.7, 0.7}, acosh = {1.2, 3}, atanh = {-0.8, 0.8}, erf = {-2, 2},
  erfc = {-2, 2}, sigmoid = {-2, 2}, relu = {0.2, 2}, gelu = {-2, 2}, silu = {-2, 2}, softplus = {-2, 2},
  sign = {0.2, 2}, floor = {0.2, 0.8}, ceil = {0.2, 0.8}, round = {0.1, 0.4}, trunc = {0.2, 0.8},
}
-- Ops without a complex derivative.
local only_real = {erf = true, erfc = true, relu = true, gelu = true, silu = true, softplus = true, sign = true,
                   floor = true, ceil = true, round = true, trunc = true}

describe("the gradient of", function()
  for name, range in pairs(unary) do
    local low, high = range[1], range[2]
    each_layout(name, lt[name], {make({3, 4}, low, high)})
    it(name .. ", 0-d and empty", function()
      gradient.check(name, lt[name], {make({}, low, high)})
      gradient.check(name, lt[name], {make({0, 3}, low, high)})
    end)
    twice(name, lt[name], {make({3}, low, high)}, {tolerance = 1e-6})
    if not only_real[name] then
      it(name .. ", complex", function() gradient.check(name, lt[name], {make({2, 3}, low, high, 5, true)}) end)
    end
  end

  it("abs, relu and sign, of negative numbers", function()
    for _, name in ipairs {"abs", "relu", "sign"} do gradient.check(name, lt[name], {make({5}, -2, -0.2)}) end
  end)
end)

-- ---- several arguments ----

local binary = {add = {-2, 2}, subtract = {-2, 2}, multiply = {-2, 2}, divide = {0.5, 2}, pow = {0.5, 2}, maximum = {-2, 2},
                minimum = {-2, 2}}
local pairs_of_shapes = {{{3, 4}, {3, 4}}, {{3, 4}, {4}}, {{3, 1}, {1, 4}}, {{}, {3}}, {{2, 1, 3}, {4, 1}}, {{0, 3}, {3}}}

describe("the gradient of", function()
  for name, range in pairs(binary) do
    for _, shapes in ipairs(pairs_of_shapes) do
      local x, y = make(shapes[1], range[1], range[2], 1), make(shapes[2], range[1], range[2], 2)
      each_layout(("%s of %s and %s"):format(name, tostring(x.shape), tostring(y.shape)), lt[name], {x, y})
    end
    local x, y = make({3}, range[1], range[2], 3), make({2, 1}, range[1], range[2], 4)
    twice(name, lt[name], {x, y}, {tolerance = 1e-6})
    it(name .. " with a number", function()
      gradient.check(name, function(a) return lt[name](a, 1.5) end, {x})
      gradient.check(name, function(a) return lt[name](1.5, a) end, {x})
    end)
    it(name .. " with one argument that needs none", function()
      local a = x:clone():requires_grad_()
      lt[name](a, y):sum():backward()
      assert.is_nil(y.grad)
      assert.same(x.shape, a.grad.shape)
    end)
    if name ~= "maximum" and name ~= "minimum" then
      it(name .. ", complex", function()
        gradient.check(name, lt[name], {make({3}, 0.5, 2, 3, true), make({2, 1}, 0.5, 2, 4, true)})
        gradient.check(name, lt[name], {make({3}, 0.5, 2, 3), make({2, 1}, 0.5, 2, 4, true)})
        gradient.check(name, lt[name], {make({3}, 0.5, 2, 3, true), make({2, 1}, 0.5, 2, 4)})
      end)
    end
  end

  each_layout("clip", lt.clip, {make({3, 4}, -2, 2), make({4}, -1, -0.5, 2), make({3, 1}, 0.5, 1, 3)})
  it("clip is 0 at limits that are numbers, as PyTorch's", function()
    local x = lt.tensor({-1., 0., 1.}, {requires_grad = true});
    (x:clip(0) + x:clip(nil, 0) * 10 + x:clip(0, 1) * 100):sum():backward()
    assert.same({10, 0, 1}, x.grad:totable())
  end)
  each_layout("clip from above", function(x, y) return lt.clip(x, nil, y) end, {make({3, 4}), make({4}, -1, 1, 2)})
  each_layout("clip from below", function(x) return lt.clip(x, -0.5) end, {make({3, 4}, -2, 2)})
  each_layout("lerp", lt.lerp, {make({3, 4}), make({4}, -2, 2, 2), make({3, 1}, 0, 1, 3)})
  each_layout("where", lt.where, {lt.tensor{{true}, {false}, {true}}, make({3, 4}), make({4}, -2, 2, 2)})
  each_layout("masked_fill", function(x) return x:masked_fill(lt.tensor{true, false, true, false}, 3) end, {make({3, 4})})

  it("nextafter is that of a step away from x", function()
    local x = lt.tensor({1., -2., 0.}, {requires_grad = true})
    local y = lt.tensor({2., 2., 0.}, {requires_grad = true})
    lt.nextafter(x, y):sum():backward()
    assert.same({{1, 1, 1}, {0, 0, 0}}, {x.grad:totable(), y.grad:totable()})
  end)

  it("results that do not depend on the elements is 0", function()
    for name, fn in pairs {
      ["pinv of an empty matrix"] = function(t) return lt.linalg.pinv(t:narrow(1, 1, 0)) end,
      ["matrix_power 0"] = function(t) return lt.linalg.matrix_power(t, 0) end,
      ["norm 0"] = function(t) return t:norm(0) end,
      ["norm 0 of rows"] = function(t) return t:norm(0, 2, {keepdim = true}) end,
      ["vector_norm 0"] = function(t) return lt.linalg.vector_norm(t, 0) end,
    } do
      for _, dtype in ipairs {"float32", "float64", "complex128"} do
        local x = lt.ones({2, 2}, {dtype = dtype, requires_grad = true})
        local y = fn(x)
        assert.is_true(y.requires_grad, name)
        y:backward(y:ones_like())
        assert.equal(0, x.grad:count_nonzero():item(), name)
        assert.same({{2, 2}, dtype}, {x.grad.shape, x.grad.dtype}, name)
        assert.is_false(lt.no_grad(fn, x).requires_grad, name)
        assert.is_false(fn(x:detach()).requires_grad, name)
      end
    end
  end)

  it("a power of 0 is 0 where the exponent is 0", function()
    local options = {dtype = "float64", requires_grad = true}
    local x, y = lt.tensor({0., 2.}, options), lt.tensor({0., 0.}, options)
    x:pow(y):sum():backward()
    assert.same({0, 0}, x.grad:totable())
    assert.same({0, math.log(2)}, y.grad:totable())
    local z = lt.tensor({0.}, {requires_grad = true})
    z:pow(0):sum():backward()
    assert.same({0}, z.grad:totable())
    local w = lt.complex(lt.tensor {1., -1.}, lt.tensor {2., 0.}):requires_grad_()
    lt.pow(0, w):abs():sum():backward()
    assert.same({{0, 0}, {0, 0}}, lt.view_as_real(w.grad):totable())
  end)

  it("equal maxima share it", function()
    local x, y = lt.tensor({1., 5.}, {requires_grad = true}), lt.tensor({1., 2.}, {requires_grad = true})
    x:maximum(y):sum():backward()
    assert.same({{0.5, 1}, {0.5, 0}}, {x.grad:totable(), y.grad:totable()})
    local z = lt.tensor({3., 1., 3.}, {requires_grad = true})
    z:max():backward()
    assert.same({0.5, 0, 0.5}, z.grad:totable())
  end)
end)

-- ---- reductions and products ----

describe("the gradient of", function()
  local x = make({2, 3, 4})
  for _, name in ipairs {"sum", "mean", "max", "min"} do
    for label, arguments in pairs {["all dims"] = {}, ["dim 2"] = {2}, ["dims 1 and 3"] = {{1, 3}}, ["no dim"] = {{}},
                                   ["dim -1, kept"] = {-1, {keepdim = true}}} do
      each_layout(name .. " over " .. label, function(t) return t[name](t, table.unpack(arguments)) end, {x})
    end
    it(name .. ", 0-d", function() gradient.check(name, lt[name], {make({})}) end)
  end
  twice("mean", function(t) return t:square():mean(1) end, {x})
  it("sum and mean, complex and empty", function()
    gradient.check("sum", function(t) return t:sum(1) end, {make({2, 3}, -2, 2, 1, true)})
    gradient.check("mean", function(t) return t:mean() end, {make({2, 3}, -2, 2, 1, true)})
    gradient.check("sum", function(t) return t:sum(1) end, {make({0, 3})})
  end)

  local products = {{{3, 4}, {4, 2}}, {{4}, {4}}, {{3, 4}, {4}}, {{4}, {4, 2}}, {{2, 3, 4}, {4, 2}}, {{2, 3, 4}, {2, 4, 2}},
                    {{2, 1, 3, 4}, {3, 4, 2}}, {{3, 4}, {2, 4, 2}}, {{2, 3, 4}, {4}}, {{4}, {2, 4, 3}}, {{0, 4}, {4, 2}},
                    {{3, 0}, {0, 2}}, {{0, 3, 4}, {4, 2}}}
  for _, shapes in ipairs(products) do
    local a, b = make(shapes[1], -2, 2, 1), make(shapes[2], -2, 2, 2)
    each_layout(("matmul of %s and %s"):format(tostring(a.shape), tostring(b.shape)), lt.matmul, {a, b})
    it(("matmul of complex %s and %s"):format(tostring(a.shape), tostring(b.shape)), function()
      gradient.check("matmul", lt.matmul, {make(shapes[1], -2, 2, 1, true), make(shapes[2], -2, 2, 2, true)})
    end)
  end
  twice("matmul", lt.matmul, {make({2, 3}), make({3, 2}, -2, 2, 2)})
  for _, shapes in ipairs {{{3, 4}, {3, 4}}, {{4}, {3, 4}}, {{2, 1, 4}, {3, 4}}} do
    local a, b = make(shapes[1], -2, 2, 1), make(shapes[2], -2, 2, 2)
    local ca, cb = make(shapes[1], -2, 2, 1, true), make(shapes[2], -2, 2, 2, true)
    for _, pair in ipairs {{a, b}, {ca, cb}, {a, cb}, {ca, b}} do
      it(("vecdot of %s %s and %s %s"):format(pair[1].dtype, tostring(a.shape), pair[2].dtype, tostring(b.shape)), function()
        gradient.check("vecdot", lt.vecdot, pair)
        gradient.check("vecdot", gradient.of(lt.linalg.vecdot), pair, {tolerance = 1e-6})
      end)
    end
  end
  it("vecdot along another dim", function()
    gradient.check("vecdot", function(a, b) return lt.vecdot(a, b, {dim = -2}) end,
                   {make({2, 3, 4}, -2, 2, 1, true), make({3, 1}, -2, 2, 2, true)})
  end)
  each_layout("addmm", function(c, a, b) return c:addmm(a, b, {alpha = 0.5, beta = 2}) end,
              {make({2}), make({3, 4}, -2, 2, 2), make({4, 2}, -2, 2, 3)})
end)

-- ---- views and parts ----

local views = {
  reshape = function(x) return x:reshape(3, -1) end,
  flatten = function(x) return x:flatten(1, 2) end,
  unflatten = function(x) return x:unflatten(3, {2, 2}) end,
  squeeze = function(x) return x:expand_dims({1, 3}):squeeze(1) end,
  broadcast_to = function(x) return x:expand_dims(2):broadcast_to(5, 2, 6, 3, 4) end,
  permute_dims = function(x) return x:permute_dims(3, 1, 2) end,
  moveaxis = function(x) return x:moveaxis(1, 3) end,
  swapaxes = function(x) return x:swapaxes(1, -1) end,
  T = function(x) return x[1].T end,
  mT = function(x) return x.mT end,
  narrow = function(x) return x:narrow(2, 2, 2) end,
  flip = function(x) return x:flip({1, 3}) end,
  diagonal = function(x) return x:diagonal({offset = 1, dim1 = 1, dim2 = 3}) end,
  rows = function(x)
    local total
    for i, row in x:rows() do total = total and total + row * i or row end
    return total
  end,
  index = function(x) return x[2] end,
  slices = function(x) return x[{ {1, 2}, {-1, 1, -2}, 3 }] end,
  ["new dims"] = function(x) return x[{ lt.ellipsis, {1, 2}, lt.newaxis }] end,
  mask = function(x) return x[lt.tensor{{true, false, true}, {false, false, true}}] end,
  positions = function(x) return x[lt.tensor{2, 1, 2, -1}] end,
  ["positions inside"] = function(x) return x[{ {}, lt.tensor{3, 3}, lt.tensor{{1, -1}} }] end,
  take = function(x) return x:take(lt.tensor{{1, 3}, {3, 3}}, 2) end,
  gather = function(x) return x:gather(2, lt.tensor{{{1, 2, 3, 1}}, {{3, 3, 1, 1}}}) end,
  take_along_axis = function(x) return x:take_along_axis(lt.tensor{{{1}, {1}, {2}}}, 2) end,
  scatter = function(x) return x:scatter(1, lt.tensor{{{1, 2, 2, 1}}}, 7) end,
  concat = function(x) return lt.concat({x, x * 2, lt.ones(2, 1, 4)}, 2) end,
  stack = function(x) return lt.stack({x, lt.ones_like(x), x * 3}, -1) end,
  contiguous = function(x) return x.mT:contiguous() end,
  clone = function(x) return x:clone() end,
  assignment = function(x)
    local y = x * 2
    y[{ {}, 2 }] = x[{ {}, 1 }] * 3
    y[y:detach():greater(3)] = 1
    return y
  end,
}

describe("the gradient of", function()
  local x = make({2, 3, 4})
  for name, fn in pairs(views) do
    each_layout(name, fn, {x})
    twice(name, function(t) return fn(t * t) end, {make({2, 3, 4}, 0.5, 1.1, 9)}, {tolerance = 1e-6})
  end

  for _, k in ipairs {0, 2, -1} do
    each_layout("diag of a line, k = " .. k, function(t) return t:diag(k) end, {make({3})})
    each_layout("diag of a matrix, k = " .. k, function(t) return t:diag(k) end, {make({3, 4})})
    twice("diag of a line, k = " .. k, function(t) return (t * t):diag(k) end, {make({3})})
  end
  it("diag of complex and of no elements", function()
    gradient.check("diag", lt.diag, {make({3}, -2, 2, 1, true)})
    gradient.check("diag", lt.diag, {make({0})})
  end)

  it("parts of complex numbers", function()
    local z = make({2, 3}, -2, 2, 1, true)
    for _, name in ipairs {"real", "imag", "view_as_real"} do gradient.check(name, lt[name], {z}) end
    gradient.check("complex", lt.complex, {make({2, 3}), make({3}, -2, 2, 2)})
    gradient.check("view_as_complex", lt.view_as_complex, {make({3, 2})})
  end)

  it("sources", function()
    local index = lt.tensor{{1, 2, 2, 1}}
    for _, name in ipairs {"scatter_add"} do
      gradient.check(name, function(a, b) return lt[name](a, 1, index, b) end, {make({2, 4}), make({3, 4}, -2, 2, 2)})
    end
    gradient.check("scatter", function(a, b) return a:scatter(1, lt.tensor{{1, 2}}, b) end, {make({2, 2}), make({2, 3}, -2, 2, 2)})
    gradient.check("index_add", function(a, b) return a:index_add(1, lt.tensor{1, 1, 3}, b) end,
                   {make({3, 2}), make({2}, -2, 2, 2)})
    gradient.check("assignment", function(a, b)
      local y = a * 1
      y[{ {1, 2} }] = b
      return y
    end, {make({3, 2}), make({1, 1, 2}, -2, 2, 2)})
  end)
end)

-- ---- completeness ----

describe("every op of the table", function()
  for name in pairs(lt.ops()) do
    it(name .. " has a gradient or says that it has none", function()
      assert(ag.rules[name] or none[name], name .. ": a rule in lua/luatensor/gradients, or a reason in without.lua")
      assert(not (ag.rules[name] and none[name]), name .. " has a rule, and a reason to have none")
    end)
  end
end)

local function tensors_of(...)
  local list = {}
  for _, value in ipairs {...} do
    if lt.is_tensor(value) then list[#list + 1] = value
    elseif type(value) == "table" then
      for _, t in ipairs(value) do if lt.is_tensor(t) then list[#list + 1] = t end end
    end
  end
  return list
end

-- Results that do not depend on the elements of the sample. The key "function n" names result n of a function. The
-- value is the reason.
local constant = {["imag 1"] = "0 of real numbers", ["linalg.lstsq 2"] = "empty unless there are more rows than columns",
                  ["linalg.lu 1"] = "a permutation"}

describe("every function", function()
  local functions = {}
  for _, group in ipairs(coverage.functions()) do
    for _, name in ipairs(group.names) do functions[#functions + 1] = name end
  end
  for _, name in ipairs(functions) do
    it(name .. " passes a gradient on or says that it does not", function()
      local x, s = coverage.sample("float64", "cpu")
      x = (x / 8):requires_grad_()
      local results = {pcall(coverage.call_of(name), coverage.function_of(name), x, s)}
      if not results[1] then                            -- the function refuses floats
        assert(not tostring(results[2]):find "gradient", results[2])
        return
      end
      for i, y in ipairs(tensors_of(table.unpack(results, 2))) do
        if y.dtype:find "float" or y.dtype:find "complex" then
          assert(y.requires_grad or none[name] or constant[name .. " " .. i], name .. ": result " .. i .. " is not connected with x")
          if y.requires_grad and not none[name] then y:backward(lt.ones_like(y), {retain_graph = true}) end
        end
      end
    end)
  end
end)
