-- Tests nn.init: the bounds and moments of the numbers that initialisers draw, and the exact values that the other
-- initialisers write.
local lt = require "luatensor"
require "spec.support.helpers"

local init = lt.nn.init

local function seeded() return lt.generator{seed = 7} end

local function moments(x)
  local y = x:detach():to("float64")
  return y:mean():item(), y:std():item(), y:min():item(), y:max():item()
end

-- Checks numbers that were drawn with a mean and a standard deviation. With n numbers, their mean may be off by 5 std
-- / √n, and their standard deviation by 5 std / √(2 n). If `low` is given, all numbers lie in low … high.
local function check_draw(x, mean, std, low, high)
  local got_mean, got_std, got_low, got_high = moments(x)
  assert.near(mean, got_mean, 5 * std / math.sqrt(x.size))
  assert.near(std, got_std, 5 * std / math.sqrt(2 * x.size))
  if low then assert.truthy(low <= got_low and got_high <= high) end
end

local function weight() return lt.zeros(40, 25, 2):requires_grad_() end      -- fan in 50, fan out 80

describe("nn.init", function()
  it("draws uniform and normal numbers", function()
    check_draw(init.uniform_(weight(), {generator = seeded()}), 0.5, math.sqrt(1 / 12), 0, 1)
    check_draw(init.uniform_(weight(), -1, 3, {generator = seeded()}), 1, math.sqrt(16 / 12), -1, 3)
    check_draw(init.normal_(weight(), {generator = seeded()}), 0, 1)
    check_draw(init.normal_(weight(), 3, 0.5, {generator = seeded()}), 3, 0.5)
  end)

  it("scales by fan in and fan out", function()
    local bound = math.sqrt(6 / 50)
    check_draw(init.kaiming_uniform_(weight(), {generator = seeded()}), 0, bound / math.sqrt(3), -bound, bound)
    check_draw(init.kaiming_normal_(weight(), {mode = "fan_out", nonlinearity = "relu", generator = seeded()}), 0, math.sqrt(2 / 80))
    check_draw(init.kaiming_normal_(weight(), {a = 1, generator = seeded()}), 0, math.sqrt(1 / 50))
    local wide = 2 * math.sqrt(6 / 130)
    check_draw(init.xavier_uniform_(weight(), {gain = 2, generator = seeded()}), 0, wide / math.sqrt(3), -wide, wide)
    check_draw(init.xavier_normal_(weight(), {generator = seeded()}), 0, math.sqrt(2 / 130))
  end)

  it("knows the gains of activations", function()
    assert.near(math.sqrt(2), init.calculate_gain "relu", 1e-15)
    assert.near(5 / 3, init.calculate_gain "tanh", 1e-15)
    assert.near(math.sqrt(2 / 1.04), init.calculate_gain("leaky_relu", 0.2), 1e-15)
    assert.equal(1, init.calculate_gain "conv2d")
  end)

  it("truncates the normal distribution", function()
    -- The standard deviation of a normal distribution that is cut off at ±2 is 0.8796.
    check_draw(init.trunc_normal_(weight(), {generator = seeded()}), 0, 0.8796, -2, 2)
    check_draw(init.trunc_normal_(weight(), 1, 0.5, {a = 0, b = 2, generator = seeded()}), 1, 0.4398, 0, 2)
    -- The median of a normal distribution that is cut off at 0 and 1 is 0.4418; 49.6 % of the numbers are below 0.4380.
    local x = init.trunc_normal_(weight(), 0, 1, {a = 0, b = 1, generator = seeded()})
    assert.near(0.5, x:detach():less(0.4380):to("float32"):mean():item(), 0.05)
  end)

  it("makes orthogonal rows or columns", function()
    for _, shape in ipairs {{5, 3}, {3, 5}, {4, 4}, {3, 2, 2}} do
      local x = init.orthogonal_(lt.zeros(shape, {dtype = "float64", device = "cpu"}), {gain = 2}):reshape(shape[1], -1)
      local product = x.shape[1] <= x.shape[2] and x:matmul(x.mT) or x.mT:matmul(x)
      assert.truthy(product:allclose(lt.eye(product.shape[1], {dtype = "float64", device = "cpu"}) * 4, {atol = 1e-12}))
    end
  end)

  it("sets patterns", function()
    assert.same({{1, 0, 0}, {0, 1, 0}}, init.eye_(lt.ones(2, 3)):totable())
    assert.same({3, 3}, init.constant_(lt.ones(2), 3):totable())
    assert.same({0, 0}, init.zeros_(lt.ones(2)):totable())
    assert.same({1, 1}, init.ones_(lt.zeros(2)):totable())
    assert.same({{{0, 1, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {0, 0, 0}}},
                init.dirac_(lt.ones(3, 2, 3)):totable())
    assert.same({{{0, 1}, {0, 0}}, {{0, 1}, {0, 0}}}, init.dirac_(lt.ones(2, 2, 2), {groups = 2}):totable())
  end)

  it("leaves a share of each column 0", function()
    local x = init.sparse_(lt.ones(10, 4), 0.25, {generator = seeded()})
    assert.same({3, 3, 3, 3}, x:equal(0):sum(1):totable())
  end)

  it("does not record, and draws the same numbers again", function()
    local x, y = weight(), weight()
    for _, name in ipairs {"uniform_", "normal_", "kaiming_normal_", "xavier_uniform_", "trunc_normal_", "orthogonal_"} do
      assert.equal(x, init[name](x, {generator = seeded()}))
      init[name](y, {generator = seeded()})
      assert.truthy(x.is_leaf and x.requires_grad)
      assert.truthy(x:equal_all(y), name)
    end
  end)

  it("rounds half floats once, and takes what is empty", function()
    local x, y = lt.zeros(6, 5), lt.zeros({6, 5}, {dtype = "float16"})
    init.kaiming_uniform_(x, {generator = seeded()})
    init.kaiming_uniform_(y, {generator = seeded()})
    assert.truthy(x:to("float16"):equal_all(y))
    for _, name in ipairs {"uniform_", "kaiming_normal_", "orthogonal_", "zeros_"} do init[name](lt.zeros(0, 3)) end
  end)

  it("says what it cannot take", function()
    assert.raises("kaiming_uniform_: at least 2 dims expected, the shape is [3]", init.kaiming_uniform_, lt.zeros(3))
    assert.raises("normal_: tensor expected, got number", init.normal_, 3)
    assert.raises("ones_: a tensor of floats expected, got int64", init.ones_, lt.tensor{1})
    assert.raises("eye_: 2 dims expected, the shape is [3]", init.eye_, lt.zeros(3))
    assert.raises("calculate_gain: unknown nonlinearity \"gelu\"", init.calculate_gain, "gelu")
    assert.raises("dirac_: groups: 2 does not divide 3 outputs", init.dirac_, lt.zeros(3, 1, 1), {groups = 2})
    assert.raises("normal_: generator: generator expected, got number", init.normal_, lt.zeros(2), 0, 1, {generator = 5})
    assert.raises("xavier_uniform_: generator: generator expected, got number", init.xavier_uniform_, lt.zeros(2, 2),
                  {generator = 5})
    assert.equal(0, init.dirac_(lt.zeros(4, 2, 0)).size)
    assert.raises("luatensor has no \"nn.init.normal\"; did you mean \"nn.init.normal_\"?", function() return init.normal end)
  end)
end)
