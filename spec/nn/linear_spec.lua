-- Tests nn.functional.linear, which computes x Wᵀ + b as one op. Its results are compared with values that were worked
-- out by hand and with the results of separate ops. Its gradients are tested, too.
local lt = require "luatensor"
local F = require("luatensor.nn").functional
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"

local layouts, make, fails = gradient.layouts, gradient.tensor, helpers.fails
local here = {device = helpers.device}

describe("linear", function()
  local x = lt.tensor({{1., 2.}, {3., 4.}, {5., 6.}}, here)
  local weight = lt.tensor({{1., 10.}, {100., 1000.}}, here)
  local bias = lt.tensor({0.5, 0.25}, here)

  it("is x Wᵀ + b", function()
    helpers.holds(F.linear(x, weight), "[3, 2]", {{21, 2100}, {43, 4300}, {65, 6500}})
    helpers.holds(F.linear(x, weight, bias), "[3, 2]", {{21.5, 2100.25}, {43.5, 4300.25}, {65.5, 6500.25}})
  end)

  it("takes a vector, and any dims before the last", function()
    helpers.holds(F.linear(x[2], weight, bias), "[2]", {43.5, 4300.25})
    helpers.holds(F.linear(x:reshape(1, 3, 1, 2), weight, bias), "[1, 3, 1, 2]",
                  {{{{21.5, 2100.25}}, {{43.5, 4300.25}}, {{65.5, 6500.25}}}})
  end)

  it("leaves its arguments as they are", function()
    F.linear(x, weight, bias)
    assert.same({0.5, 0.25}, bias:totable())
    assert.same({{1, 2}, {3, 4}, {5, 6}}, x:totable())
  end)

  it("reads any strides", function()
    for _, layout in pairs(layouts) do
      helpers.holds(F.linear(layout(x), layout(weight), layout(bias)), "[3, 2]",
                    {{21.5, 2100.25}, {43.5, 4300.25}, {65.5, 6500.25}})
    end
  end)

  it("takes tensors without elements", function()
    assert.equal("[0, 2]", tostring(F.linear(lt.zeros(0, 2, here), weight, bias).shape))
    assert.equal("[3, 0]", tostring(F.linear(x, lt.zeros(0, 2, here), lt.zeros(0, here)).shape))
    helpers.holds(F.linear(lt.zeros(2, 0, here), lt.zeros(2, 0, here), bias), "[2, 2]", {{0.5, 0.25}, {0.5, 0.25}})
  end)

  it("computes in any dtype but bool", function()
    for _, dtype in ipairs {"float16", "bfloat16", "float32", "int64"} do
      local y = F.linear(x:to(dtype), weight:to(dtype), lt.tensor({1, 2}, here):to(dtype))
      assert.equal(dtype, y.dtype)
      helpers.holds(y:to("float32"), "[3, 2]", {{22, dtype == "bfloat16" and 2096 or 2102}, {44, dtype == "bfloat16" and 4288 or
                    dtype == "float16" and 4304 or 4302}, {66, dtype == "bfloat16" and 6496 or dtype == "float16" and 6504 or 6502}})
    end
  end)

  it("says what does not fit", function()
    fails("linear: the input's last dim must be 2, its shape is [2, 3]", F.linear, x.T, weight)
    fails("linear: the input's last dim must be 2, its shape is []", F.linear, lt.tensor(1., here), weight)
    fails("linear: the weight: [outputs, inputs] expected, its shape is [2]", F.linear, x, bias)
    fails("linear: the bias: [2] expected, its shape is [3]", F.linear, x, weight, lt.zeros(3, here))
    fails("linear: the bias: tensor expected, got number", F.linear, x, weight, 1)
    fails("linear: the input: tensor expected, got nil", F.linear)
    fails("linear: the input: not for bool", F.linear, x:greater(1), weight:greater(1))
    fails("linear: the input is int64, the weight float32; use :to(\"float32\")", F.linear, x:to "int64", weight)
    local gone = lt.zeros(2, here)
    gone:free()
    fails("linear: the bias: this tensor was freed", F.linear, x, weight, gone)
  end)
end)

describe("the gradient of linear", function()
  for name, shape in pairs {["of a matrix"] = {4, 3}, ["of a vector"] = {3}, ["of a batch"] = {2, 1, 3}} do
    for label, layout in pairs(layouts) do
      it(name .. ", " .. label, function()
        gradient.check("linear", F.linear, {make(shape, -2, 2, 1), make({2, 3}, -2, 2, 2), make({2}, -2, 2, 3)},
                       {layout = layout})
      end)
    end
  end

  it("of complex numbers", function()
    gradient.check("linear", F.linear, {make({4, 3}, -2, 2, 1, true), make({2, 3}, -2, 2, 2, true), make({2}, -2, 2, 3, true)})
  end)

  it("twice", function()
    gradient.check("linear", gradient.of(F.linear), {make({4, 3}, -2, 2, 1), make({2, 3}, -2, 2, 2), make({2}, -2, 2, 3)})
  end)

  it("is 0, or none, where there are no elements", function()
    for _, sizes in ipairs {{0, 3, 2}, {4, 0, 2}, {4, 3, 0}} do
      local rows, inputs, outputs = table.unpack(sizes)
      local options = {device = helpers.device, requires_grad = true}
      local x, w, b = lt.ones(1, rows, inputs, options), lt.ones(outputs, inputs, options), lt.ones(outputs, options)
      F.linear(x, w, b):sum():backward()
      assert.same({x.shape[2], w.shape[1], b.shape[1]}, {x.grad.shape[2], w.grad.shape[1], b.grad.shape[1]})
      assert.is_true(rows > 0 or lt.all(b.grad:equal(0)):item())
    end
  end)

  it("is one node", function()
    local x = lt.ones(2, 3, {requires_grad = true})
    assert.equal("linear", F.linear(x, lt.ones(4, 3), lt.ones(4)).grad_fn)
  end)
end)
