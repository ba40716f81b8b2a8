-- Tests changes in place in a graph: the gradients equal those of the functions out of place, and an operand is
-- copied only if the gradient needs its elements.
local lt = require "luatensor"
local ag = require("luatensor.core").autograd
local helpers = require "spec.support.helpers"

local device = helpers.device
local float64 = {dtype = "float64", device = device}

local few = os.getenv "LUATENSOR_GCSTRESS" and 16 or 1

-- Returns operand k: numbers in the domain of every op except acosh, for which `moved` is added. The numbers differ
-- for each k.
local function operand(k) return lt.tensor({0.25 + k / 16, 0.5 - k / 32, 0.75}, float64) end
local moved = {acosh = 1}

local function gradients(leaves, compute)
  for _, x in ipairs(leaves) do x.grad = nil end
  compute():sum():real():backward()
  local list = {}
  for i, x in ipairs(leaves) do list[i] = x.grad and x.grad:totable() or false end
  return list
end

-- Checks that a function has the same gradients out of place and in place on a copy of the first leaf.
local function same_gradients(name, leaves, others)
  local function operands()
    local list = {}
    for i, x in ipairs(leaves) do list[i] = x.requires_grad and x * 1 or x:clone() end
    return table.unpack(table.move(others or {}, 1, others and #others or 0, #list + 1, list))
  end
  local want = gradients(leaves, function() return lt[name](operands()) end)
  local got = gradients(leaves, function()
    local first = operands()
    local list = {first, select(2, operands())}
    return first[name .. "_"](table.unpack(list))
  end)
  assert.same(want, got, name)
end

describe("in place", function()
  for name, info in pairs(lt.ops()) do
    if info.in_place and ag.rules[name] then
      it(name .. "_ has the gradient of " .. name, function()
        local n = info.arity
        for mask = 1, (1 << n) - 1 do
          local leaves = {}
          for i = 1, n do
            leaves[i] = (operand(i) + (moved[name] or 0)):requires_grad_(mask >> (i - 1) & 1 == 1)
          end
          same_gradients(name, leaves)
        end
      end)
    end
  end

  it("clip_, masked_fill_ and addmm_ have those of clip, masked_fill and addmm", function()
    local x = operand(1):requires_grad_()
    for _, limits in ipairs {{0.3, 0.6}, {0.3}, { {max = 0.6} }, {operand(3), operand(4)}} do
      same_gradients("clip", {x}, limits)
    end
    same_gradients("masked_fill", {x}, {lt.tensor({true, false, true}, {device = device}), 3})
    local m = lt.tensor({{1, 2}, {3, 4}}, float64):requires_grad_()
    local a = lt.tensor({{0.5, 2}, {-3, 1}}, float64):requires_grad_()
    local b = lt.tensor({{5, 7}, {1, -2}}, float64):requires_grad_()
    same_gradients("addmm", {m, a, b})
  end)

  it("of complex numbers too", function()
    local z = lt.complex(operand(1), operand(2)):requires_grad_()
    local w = lt.complex(operand(3), operand(4)):requires_grad_()
    local function parts(fn)
      z.grad, w.grad = nil, nil
      local y = fn();
      (y:real() + y:imag()):sum():backward()
      return {lt.view_as_real(z.grad):totable(), w.grad and lt.view_as_real(w.grad):totable()}
    end
    for _, name in ipairs {"sin", "square", "log", "abs", "sign"} do
      if name ~= "abs" then
        assert.same(parts(function() return (z * 1)[name](z * 1) end), parts(function()
          local y = z * 1
          return y[name .. "_"](y)
        end), name)
      end
    end
    for _, name in ipairs {"multiply", "divide", "pow"} do
      assert.same(parts(function() return lt[name](z * 1, w) end), parts(function() return (z * 1)[name .. "_"](z * 1, w) end))
    end
  end)

  -- Functions for which PyTorch's formula of the gradient (tools/autograd/derivatives.yaml) needs the overwritten
  -- result. For pow, only the formula of the exponent's gradient needs it.
  local of_result = {copysign = true, exp = true, expm1 = true, hypot = true, reciprocal = true, relu = true, rsqrt = true,
                     sigmoid = true, sqrt = true, tan = true, tanh = true}

  for name, info in pairs(lt.ops()) do
    if info.in_place and ag.rules[name] then
      it(name .. "_ may be followed by another change, unless its gradient is one of the result", function()
        local x = (operand(1) + (moved[name] or 0)):requires_grad_()
        local others = {table.unpack({operand(2), operand(3)}, 1, info.arity - 1)}
        local want = gradients({x}, function() return lt[name](x * 1, table.unpack(others)) * 2 end)
        local ok, got = pcall(gradients, {x}, function()
          local y = x * 1
          return y[name .. "_"](y, table.unpack(others)):multiply_(2)
        end)
        assert.equal(not of_result[name], ok, got)
        if ok then assert.same(want, got)
        else assert.truthy(got:find "changed in place afterwards") end
      end)
    end
  end

  it("takes the tensor itself as another operand", function()
    local x = operand(1):requires_grad_()
    for _, name in ipairs {"multiply", "pow", "divide", "atan2", "add"} do
      local want = gradients({x}, function() return lt[name](x, x) end)
      local got = gradients({x}, function()
        local y = x * 1
        return y[name .. "_"](y, y)
      end)
      assert.same(want, got, name)
    end
  end)

  it("goes on, change after change, and can be differentiated twice", function()
    local x = operand(1):requires_grad_()
    local function f(t) return (t * 1):sin_():multiply_(t):square_():add_(1):log_():sum() end
    local function g(t) return ((t:sin() * t):square() + 1):log():sum() end
    assert.is_true(lt.grad(f)(x):allclose(lt.grad(g)(x), {rtol = 1e-13}))
    local function of(h) return lt.grad(function(t) return lt.grad(h)(t):sum() end)(x) end
    assert.is_true(of(f):allclose(of(g), {rtol = 1e-12}))
  end)
end)

describe("memory of a change in place", function()
  local bytes = 8 * 4096 // few
  local function live() return lt.memory(device).live end
  local function cost(change, needs)
    local x, w = lt.ones(bytes // 8, float64), lt.ones(bytes // 8, float64)
    x:requires_grad_(needs ~= "other")
    w:requires_grad_(needs == "other")
    local y = x * 1
    collectgarbage()
    local before = live()
    change(y, w)
    collectgarbage()
    local kept = live() - before
    if y.requires_grad then y:sum():backward() end
    return kept / bytes
  end

  it("is that of a copy where the gradient needs what is overwritten, else nothing", function()
    for _, change in ipairs {function(y) y:sin_() end, function(y) y:square_() end, function(y, w) y:atan2_(w) end} do
      assert.equal(1, cost(change))
    end
    for _, change in ipairs {function(y) y:exp_() end, function(y) y:add_(1) end, function(y, w) y:multiply_(w) end,
                             function(y) y:tanh_() end, function(y) y:zero_() end,
                             function(y) lt.no_grad(function() y:sin_() end) end} do
      assert.equal(0, cost(change))
    end
    assert.equal(1, cost(function(y, w) y:multiply_(w) end, "other"))
    assert.equal(0, cost(function(y, w) y:add_(w) end, "other"))
    assert.equal(0, cost(function(y) y:sin_() end, "other"))
  end)

  it("goes as soon as backward has used it", function()
    local x = lt.ones(bytes // 8, float64):requires_grad_()
    collectgarbage()
    collectgarbage("stop")
    local before = live()
    local y = (x * 1):sin_()
    y:sum():backward()
    local left = live() - before
    collectgarbage("restart")
    assert.equal(2, left // bytes)                       -- y and the gradient are live
  end)
end)
