-- tags: uncollected many-kernels
-- Compares gradients of sorting, scans, softmax and statistics with central differences, and gradients at ties with
-- results that were worked out by hand.
local lt = require "luatensor"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"

local it = helpers.drawn_it(it)

local make = gradient.tensor

-- Checks gradients in all layouts. Also checks gradients of gradients unless options.once is set.
local function check(name, fn, inputs, options)
  options = options or {}
  for label, layout in pairs(gradient.layouts) do
    it(("%s, %s"):format(name, label), function() gradient.check(name, fn, inputs, {layout = layout, tolerance = 1e-6}) end)
  end
  if options.once then return end
  it(name .. ", twice", function() gradient.check(name, gradient.of(fn), inputs, {tolerance = 1e-5}) end)
end

local function of_sum(fn, values)
  local x = lt.tensor(values, {dtype = "float64", requires_grad = true})
  fn(x):sum():backward()
  return x.grad:totable()
end

describe("the gradient of", function()
  local x = make({2, 3, 4}, 0.3, 2)

  for _, d in ipairs {1, 2, -1} do
    check("sort, dim " .. d, function(t) return t:sort(d):square() end, {x})
    check("sort down, dim " .. d, function(t) return t:sort(d, {descending = true}):square() end, {x})
    check("topk, dim " .. d, function(t) return (t:topk(2, d)):square() end, {x})
    check("the smallest, dim " .. d, function(t) return (t:topk(1, d, {largest = false})):square() end, {x})
    for _, name in ipairs {"cumulative_sum", "cumulative_prod", "cumulative_max", "cumulative_min", "softmax",
                           "log_softmax"} do
      check(("%s, dim %d"):format(name, d), function(t) return t[name](t, d) * t end, {x})
    end
    for _, name in ipairs {"cumulative_sum", "cumulative_prod", "cumulative_max"} do
      local scan = name
      if name ~= "cumulative_max" then
        check(("%s from the start, dim %d"):format(name, d), function(t)
          return t[scan](t, d, {include_initial = true})
        end, {x}, {once = true})
      end
    end
  end

  for _, name in ipairs {"prod", "var", "std", "logsumexp", "norm", "median", "quantile"} do
    for label, dim in pairs {["dim 2"] = 2, ["dims 1 and 3"] = {1, 3}, ["dim -1"] = -1} do
      for _, keepdim in ipairs {false, true} do
        check(("%s, %s%s"):format(name, label, keepdim and ", kept" or ""), function(t)
          local options = {dim = dim, keepdim = keepdim}
          if name == "quantile" then return t:quantile(0.3, options):square() end
          return t[name](t, options):square()
        end, {x}, {once = keepdim})
      end
    end
    it(name .. " of all", function()
      gradient.check(name, function(t) return name == "quantile" and t:quantile(0.3) or t[name](t) end, {x})
    end)
  end
  check("var, corrected", function(t) return t:var(2, {correction = 1}) + t:std(2, {correction = 1}) end, {x})
  for _, p in ipairs {1, 2, 3, 0.5, -1, math.huge, -math.huge} do
    check("norm " .. p, function(t) return t:norm(p, 2) end, {make({2, 3, 4}, 0.3, 2)}, {once = true})
    check("vector_norm " .. p, function(t) return lt.linalg.vector_norm(t, p) end, {make({2, 3}, -2, 2, 3, true)}, {once = true})
  end
  for _, name in ipairs {"angle", "abs"} do
    check(name .. " of complex numbers", lt[name], {make({3, 4}, 0.3, 2, 1, true)})
  end
  for _, name in ipairs {"cumulative_sum", "cumulative_prod", "prod"} do
    check(name .. " of complex numbers", function(t) return lt[name](t, 2) end, {make({3, 4}, 0.3, 2, 1, true)})
  end
  for _, name in ipairs {"atan2", "hypot", "logaddexp", "remainder", "copysign", "floor_divide"} do
    check(name, lt[name], {make({3, 4}, 3.1, 3.9), make({4}, 2, 2.5, 2)})
    it(name .. " with a number", function()
      gradient.check(name, function(t) return lt[name](t, 1.5) end, {make({3}, 1.6, 2.9)})
      gradient.check(name, function(t) return lt[name](2.5, t) end, {make({3}, 1.3, 2.4)})
    end)
  end
  check("angle of real numbers", lt.angle, {make({3}, 0.3, 2)})
  for name, fn in pairs {
    roll = function(t) return t:roll(1, 2) end,
    tile = function(t) return t:tile({2, 1, 1}) end, diff = function(t) return t:diff(2, {n = 2}) end,
    tril = function(t) return t:tril() end, triu = function(t) return t:triu(1) end,
  } do
    check(name, fn, {x})
  end

  it("products with zeros", function()
    assert.same({0, 6, 0}, of_sum(lt.prod, {2, 0, 3}))
    assert.same({0, 0, 0}, of_sum(lt.prod, {0, 0, 3}))
    -- The cumulative products of {2, 0, 3} are 2, 2 · 0 and 2 · 0 · 3.
    assert.same({1, 8, 0}, of_sum(lt.cumulative_prod, {2, 0, 3}))
    for _, values in ipairs {{2, 0, 3, 5}, {2, 0, 3, 0}, {0, 0, 1, 2}, {1, 2, 3, 0}} do
      local t = lt.tensor(values, {dtype = "float64"})
      gradient.check("prod", lt.prod, {t})
      gradient.check("prod", gradient.of(lt.prod), {t}, {tolerance = 1e-6})
      gradient.check("cumulative_prod", lt.cumulative_prod, {t})
      gradient.check("cumulative_prod", gradient.of(lt.cumulative_prod), {t}, {tolerance = 1e-6})
    end
  end)

  it("cumulative products with zeros, twice and three times", function()
    -- The function x1 + x1 x2 + x1 x2 x3 at (2, 0, 3) has the mixed second derivatives 1 + x3, x2 and x1, and the
    -- third derivative 1.
    local line = lt.tensor({2, 0, 3}, {dtype = "float64"})
    local function f(t) return t:cumulative_prod(1):sum() end
    local function df(t) return lt.grad(f)(t):sum() end
    assert.same({4, 6, 2}, lt.grad(df)(line):totable())
    assert.same({2, 2, 2}, lt.grad(function(t) return lt.grad(df)(t):sum() end)(line):totable())
    gradient.check("cumulative_prod", gradient.of(gradient.of(lt.cumulative_prod)), {line}, {tolerance = 1e-6})
    local lines = lt.tensor({{1, 0, 2, 0, 3}, {0, 0, 1, 4, 2}}, {dtype = "float64"})
    for _, initial in ipairs {true, false} do
      local function scan(t) return t:cumulative_prod(2, {include_initial = initial}) end
      gradient.check("cumulative_prod", gradient.of(scan), {lines}, {tolerance = 1e-6})
      gradient.check("cumulative_prod", gradient.of(scan), {lines:to("complex128") * lt.complex(1, 2)}, {tolerance = 1e-5})
    end
  end)

  it("ties", function()
    assert.same({1, 0, 1}, of_sum(function(t) return (t:topk(1)) + t:narrow(1, 3, 1) end, {5, 1, 5}))
    assert.same({2, 0, 1}, of_sum(lt.cumulative_max, {5, 1, 5}))
    assert.same({1.5, 1.5}, of_sum(function(t) return t:norm(math.huge) * 3 end, {2, 2}))
  end)

  it("clip, on its limits", function()
    local y = lt.tensor({0, 1, 2, 3, 4, 9}, {dtype = "float64", requires_grad = true})
    local low = lt.tensor({1, 1, 1, 1, 1, 3}, {dtype = "float64", requires_grad = true})
    local high = lt.tensor({3, 3, 3, 3, 3, 1}, {dtype = "float64", requires_grad = true})
    y:clip(low, high):sum():backward()
    assert.same({{0, 0.5, 1, 0.5, 0, 0}, {1, 0.5, 0, 0, 0, 0}, {0, 0, 0, 0.5, 1, 1}},
                {y.grad:totable(), low.grad:totable(), high.grad:totable()})
    assert.same({0, 0, 1, 0, 0}, of_sum(function(t) return t:clip(1, 3) end, {0, 1, 2, 3, 4}))
  end)

  it("what has a corner at 0 is 0 there", function()
    for _, p in ipairs {1, 2, 3, 0.5, math.huge} do
      assert.same({0, 0}, of_sum(function(t) return t:norm(p) end, {0, 0}))
    end
    for _, p in ipairs {1, 2, 3, 0.5, math.huge} do
      local t = lt.tensor({0, 2}, {dtype = "float64", requires_grad = true})
      t:norm(p):backward()
      assert.near(0, t.grad[1]:item(), 0)
      assert.near(1, t.grad[2]:item(), 1e-12)
    end
    assert.same({0, 0}, of_sum(lt.std, {3, 3}))
    assert.same({0, 0}, of_sum(lt.logsumexp, {-math.huge, -math.huge}))
    local z = lt.zeros(2, {dtype = "complex128", requires_grad = true})
    z:angle():sum():backward()
    assert.same({0, 0}, z.grad:real():totable())
  end)

  it("empty ones", function()
    local empty = make({0, 3})
    for _, name in ipairs {"prod", "var", "logsumexp", "cumulative_sum", "cumulative_prod", "softmax", "sort"} do
      local y = empty:clone():requires_grad_()
      lt[name](y, 2):sum():backward()
      assert.same({0, 3}, y.grad.shape)
    end
  end)
end)
