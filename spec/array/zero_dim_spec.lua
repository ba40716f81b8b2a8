-- Functions that work along a dim treat a 0-d tensor as a 1-d tensor of one element, whose dim is 1 or -1.

local lt = require "luatensor"
require "spec.support.helpers"

local function scalar(value, options) return lt.full({}, value, options or {dtype = "float32"}) end

-- Checks that f(x, dim, …) has the 0-d result `value` for the 0-d tensor x = 3, for dim 1 and for dim -1.
local function gives(value, f, ...)
  local x = scalar(3.0)
  for _, dim in ipairs {1, -1} do
    local y = f(x, dim, ...)
    assert.equal(0, y.ndim)
    assert.equal(value, y:item())
  end
end

describe("a 0-d tensor", function()
  it("has one dim in reductions", function()
    for name, value in pairs {sum = 3.0, prod = 3.0, mean = 3.0, max = 3.0, min = 3.0, std = 0.0, var = 0.0,
                              logsumexp = 3.0, argmax = 1, argmin = 1, all = true, any = true, count_nonzero = 1,
                              median = 3.0} do
      gives(value, lt[name])
      gives(value, function(x, dim) return x[name](x, {dim = dim, keepdim = true}) end)
    end
    gives(3.0, function(x, dim) return x:sum({dim}) end)
    gives(3.0, function(x, dim) return x:norm(2, dim) end)
    gives(3.0, function(x, dim) return x:norm(3, dim, {keepdim = true}) end)
    gives(3.0, function(x, dim) return lt.linalg.vector_norm(x, 1, dim) end)
    gives(3.0, function(x, dim) return x:quantile(0.5, dim) end)
    assert.equal("[2]", tostring(scalar(3.0):quantile(lt.tensor {0.0, 1.0}, 1).shape))
  end)

  it("has one dim in running sums, softmax and sorting", function()
    for name, value in pairs {cumulative_sum = 3.0, cumulative_prod = 3.0, cumulative_max = 3.0, cumulative_min = 3.0,
                              softmax = 1.0, log_softmax = 0.0, sort = 3.0, argsort = 1} do
      gives(value, lt[name])
      gives(value, function(x, dim) return x[name](x, {dim = dim}) end)
    end
    gives(3.0, function(x) return x:cumulative_sum() end)
    gives(1.0, lt.nn.functional.softmax)
    gives(1.0, lt.nn.functional.softmin)
    gives(0.0, lt.nn.functional.log_softmax)
    gives(3.0, function(x, dim) return (x:topk(1, dim)) end)
    gives(1, function(x, dim) return select(2, x:topk(1, dim)) end)
    assert.same({0.0, 3.0}, scalar(3.0):cumulative_sum(1, {include_initial = true}):totable())
    assert.equal("float64", scalar(3.0):softmax(1, {dtype = "float64"}).dtype)
    assert.is_true(scalar(0 / 0):softmax(1):isnan():item())
    assert.equal(0, scalar(3.0):topk(0).size)
  end)

  it("has one dim in changes of shape", function()
    gives(3.0, lt.squeeze)
    gives(3.0, lt.flip)
    gives(3.0, function(x, dim) return x:transpose(dim, -dim) end)
  end)

  it("is indexed and written along its dim", function()
    local one, ones = lt.tensor(1), lt.tensor {1, 1}
    gives(3.0, function(x, dim) return x:gather(dim, one) end)
    gives(7.0, function(x, dim) return x:scatter(dim, one, 7.0) end)
    gives(7.0, function(x, dim) return x:scatter(dim, lt.tensor {1}, lt.tensor {7.0}) end)
    gives(6.0, function(x, dim) return x:scatter_add(dim, ones, lt.tensor {1.0, 2.0}) end)
    gives(6.0, function(x, dim) return x:index_add(dim, ones, lt.tensor {1.0, 2.0}) end)
    assert.same({3.0, 3.0}, scalar(3.0):gather(1, ones):totable())
    assert.equal(6.0, lt.tensor {5.0, 6.0}:gather(1, lt.tensor(2)):item())
    for name, value in pairs {scatter_ = 2.0, scatter_add_ = 5.0, index_add_ = 5.0} do
      local x = scalar(3.0)
      assert.is_true(rawequal(x, x[name](x, 1, lt.tensor {1}, lt.tensor {2.0})))
      assert.equal(value, x:item())
    end
  end)

  it("has gradients along its dim", function()
    for name, f in pairs {
      [1.0] = function(x) return x:sum(1) + 0 * x:std(-1) end,
      [2.0] = function(x) return x:gather(1, lt.tensor {1, 1}):sum() end,
      [6.0] = function(x) return x:cumulative_prod(1) * x:sort(-1) end,            -- the derivative of x²
      [3.0] = function(x) return x:topk(1) + x:cumulative_max(1) + x:cumulative_sum(1) end,
      [0.0] = function(x) return x:softmax(1) + x:log_softmax(-1) + x:scatter(1, lt.tensor(1), 7.0) end,
      [1.5] = function(x) return (x + 0.5 * x:index_add(1, lt.tensor {1}, lt.tensor {2.0})):flip(1):squeeze(1) end,
    } do
      local x = scalar(3.0, {requires_grad = true})
      f(x):backward()
      assert.equal(name, x.grad:item())
    end
  end)

  it("has gradients of what is written into it", function()
    for name, of_x in pairs {scatter = 0.0, scatter_add = 1.0, index_add = 1.0, scatter_ = 0.0, scatter_add_ = 1.0,
                             index_add_ = 1.0} do
      local x, src = scalar(3.0, {requires_grad = true}), lt.tensor({2.0}, {requires_grad = true})
      local y = x * 1
      y[name](y, 1, lt.tensor {1}, src):square():backward()
      local written = name:find "add" and 5.0 or 2.0
      assert.equal(2 * written, src.grad[1]:item())
      assert.equal(2 * written * of_x, x.grad:item())
    end
  end)

  it("has no other dims", function()
    local x, one = scalar(3.0), lt.tensor(1)
    for _, call in ipairs {
      {"sum", 2}, {"sum", -2}, {"cumulative_sum", 2}, {"softmax", -2}, {"sort", 2}, {"topk", 1, 2}, {"squeeze", 2},
      {"swapaxes", 1, 2}, {"flip", 2}, {"gather", 2, one}, {"scatter", 2, one, 1.0}, {"index_add", 2, one, 1.0},
    } do
      local dim = call[1] == "topk" and call[3] or call[1] == "swapaxes" and call[3] or call[2]
      assert.raises(("%s: dim %d is out of range for shape []"):format(call[1], dim), lt[call[1]], x,
                    table.unpack(call, 2))
    end
    assert.raises("median: dim 2 is out of range for 0 dims", lt.median, x, 2)
    assert.raises("sum: dim 0: Lua tensors start at 1", lt.sum, x, 0)
    assert.raises("sum: dim -1 is named twice", lt.sum, x, {1, -1})
    assert.raises("softmax: option out: not for a 0-d tensor", lt.softmax, x, 1, {out = scalar(1.0)})
    assert.raises("topk: k = 2 is out of range for dim 1 of shape [1]", lt.topk, x, 2)
    assert.raises("gather: index 2 in dim 1: out of range for length 1", function()
      return lt.gather(x, 1, lt.tensor(2)):item()                      -- a GPU raises at the next wait
    end)
  end)
end)

describe("gather without elements", function()
  it("has the shape of its index, whatever its dims", function()
    local x = lt.ones(2, 3, {requires_grad = true})
    local y = x:gather(1, lt.zeros(0, 3, 4, {dtype = "int64"}))
    assert.equal("[0, 3, 4]", tostring(y.shape))
    y:sum():backward()
    assert.same({{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, x.grad:totable())
    assert.raises("gather: index: integers expected, got float32", lt.gather, x, 1, lt.zeros(0, 3))
  end)
end)
