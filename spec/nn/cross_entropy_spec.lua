-- Tests the C function that nn.functional.cross_entropy calls for classes. Its results are compared with a loop over
-- rows in plain Lua.
local core = require "luatensor.core"
local lt = require "luatensor"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"

local on_gpu = helpers.device ~= "cpu"
local abs, exp, log = math.abs, math.exp, math.log

-- Returns the loss of each row, and the gradients of the sum over r of g[r] · losses[r] (g[r] is 1 if g is nil). rows:
-- lists of logits; classes: the 1-based class of each row. Rows of class `ignored` have loss 0.
local function oracle(rows, classes, ignored, g)
  local losses, gradients = {}, {}
  for r, row in ipairs(rows) do
    local sum, most, counts = 0, math.max(table.unpack(row)), classes[r] ~= ignored
    for _, x in ipairs(row) do sum = sum + exp(x - most) end
    losses[r] = counts and log(sum) + most - row[classes[r]] or 0.0
    gradients[r] = {}
    for j, x in ipairs(row) do
      local p = exp(x - most) / sum - (j == classes[r] and 1 or 0)
      gradients[r][j] = counts and p * (g and g[r] or 1) or 0.0
    end
  end
  return losses, gradients
end

local function near(expected, got, tolerance, at)
  at = at or ""
  if type(expected) == "table" then
    assert.equal(#expected, #got, at)
    for i, e in ipairs(expected) do near(e, got[i], tolerance, at .. "/" .. i) end
  elseif got ~= got or abs(expected - got) > tolerance * math.max(1, abs(expected)) then
    error(("at %s: %.17g expected, got %.17g"):format(at, expected, got), 0)
  end
end

local function sum_of(list)
  local sum = 0
  for _, v in ipairs(list) do sum = sum + v end
  return sum
end

local function made(n, c, dtype)
  local x = lt.tensor(gradient.values(n * c, -4, 4, c), {dtype = dtype}):reshape(n, c)
  local list = {}
  for r = 1, n do list[r] = r * 7 % c + 1 end
  return x, list, lt.tensor(list, {dtype = "int64"})
end

local tolerance = {float32 = 2e-6, float64 = 1e-13, float16 = 4e-3, bfloat16 = 3e-2}

describe("cross_entropy", function()
  for _, dtype in ipairs(on_gpu and {"float32", "float16"} or {"float32", "float64", "float16", "bfloat16"}) do
    it("is the loop's, as are its gradients: " .. dtype, function()
      for _, size in ipairs {{1, 1}, {5, 3}, {4, 16}, {3, 37}, {2, 700}, {300, 20}} do
        local n, c = size[1], size[2]
        local x, list, classes = made(n, c, dtype)
        local ignored = list[n] ~= list[1] and list[n] or nil
        local counted = 0
        for _, class in ipairs(list) do counted = counted + (class ~= ignored and 1 or 0) end
        local losses, gradients = oracle(x:totable(), list, ignored)
        for _, reduction in ipairs {"none", "sum", "mean"} do
          local leaf = x:clone():requires_grad_()
          local y = core.cross_entropy(leaf, classes, reduction, ignored)
          local scale = reduction == "mean" and 1 / counted or 1
          assert.equal(dtype, y.dtype)
          if reduction == "none" then near(losses, y:totable(), tolerance[dtype])
          else near(sum_of(losses) * scale, y:item(), tolerance[dtype] * 4) end
          y:sum():backward()
          local expected = lt.tensor(gradients, {dtype = "float64", device = "cpu"}):multiply(scale):totable()
          near(expected, leaf.grad:totable(), tolerance[dtype])
        end
      end
    end)
  end

  it("of rows of every length, also with elements of -infinity and NaN", function()
    for c = 2, 70 do
      local n = 3
      local x, list, classes = made(n, c, "float32")
      local rows = x:totable()
      rows[2][list[2] % c + 1] = -math.huge
      rows[3][list[3] % c + 1] = 0.0 / 0.0
      local leaf = lt.tensor(rows):requires_grad_()
      local y = core.cross_entropy(leaf, classes, "none")
      y:sum():backward()
      local losses, gradients = oracle({rows[1], rows[2]}, list)
      local got, back = y:totable(), leaf.grad:totable()
      near(losses, {got[1], got[2]}, 2e-6, "length " .. c)
      near(gradients, {back[1], back[2]}, 2e-6, "length " .. c)
      assert.is_true(got[3] ~= got[3])
      for j = 1, c do assert.is_true(back[3][j] ~= back[3][j]) end
    end
  end)

  it("keeps its digits far from 0, and where a class is nearly sure", function()
    local x = lt.tensor({{30000, 30001, 29990}, {-80, 0, -90}}, {dtype = "float32", requires_grad = true})
    local losses, gradients = oracle(x:totable(), {1, 2}, nil)
    local y = core.cross_entropy(x, lt.tensor {1, 2}, "none")
    near(losses, y:totable(), 1e-6)
    y:sum():backward()
    near(gradients, x.grad:totable(), 1e-6)
  end)

  it("of logits and classes of any layout and integer dtype", function()
    local x, list, classes = made(6, 5, "float32")
    local losses, gradients = oracle(x:totable(), list)
    local leaf = x.mT:contiguous():requires_grad_()
    local twice = lt.stack({classes, classes}, 2):flatten()[{{1, -1, 2}}]
    local y = core.cross_entropy(leaf.mT, twice:to("int32"), "none")
    near(losses, y:totable(), 1e-6)
    y:sum():backward()
    near(gradients, leaf.grad.mT:totable(), 1e-6)
  end)

  it("of gradients that differ by row", function()
    local x, list, classes = made(3, 4, "float32")
    local g = {0.5, -2, 3}
    local _, gradients = oracle(x:totable(), list, nil, g)
    local leaf = x:clone():requires_grad_()
    core.cross_entropy(leaf, classes, "none"):backward(lt.tensor(g, {dtype = "float32"}))
    near(gradients, leaf.grad:totable(), 1e-6)
  end)

  it("can be differentiated twice", function()
    if on_gpu then return end
    local x, _, classes = made(3, 4, "float64")
    for _, reduction in ipairs {"none", "sum", "mean"} do
      local function fn(a) return core.cross_entropy(a, classes, reduction, 3) end
      gradient.check(reduction, fn, {x})
      gradient.check(reduction .. ", twice", gradient.of(fn), {x})
    end
  end)

  it("of no rows is NaN, as every mean of nothing, and its sum 0", function()
    local x, classes = lt.zeros({0, 3}, {requires_grad = true}), lt.zeros({0}, {dtype = "int64"})
    local y = core.cross_entropy(x, classes, "mean")
    assert.is_true(y:isnan():item())
    y:backward()
    assert.same({0, 3}, {table.unpack(x.grad.shape)})
    assert.equal(0, core.cross_entropy(x, classes, "sum"):item())
    assert.same({}, core.cross_entropy(x, classes, "none"):totable())
  end)

  it("ignores any number, and rows that are all ignored", function()
    local x = lt.zeros({2, 3}, {requires_grad = true})
    local y = core.cross_entropy(x, lt.tensor({-100, -100}, {dtype = "int64"}), "mean", -100)
    assert.is_true(y:isnan():item())
    y = core.cross_entropy(x, lt.tensor({math.maxinteger, 2}, {dtype = "int64"}), "mean", math.maxinteger)
    near(log(3), y:item(), 1e-6)
    y:backward()
    near({{0, 0, 0}, {1 / 3, -2 / 3, 1 / 3}}, x.grad:totable(), 1e-6)
  end)

  helpers.unplugged(it)("says which class there is not", function()
    local x = lt.zeros({2, 3})
    for _, class in ipairs {0, 4, -1} do
      local classes = lt.tensor({1, class}, {dtype = "int64"})
      if not on_gpu then
        local y, message = core.cross_entropy(x, classes, "mean")
        assert.is_nil(y)
        assert.equal(("class %d is out of range: classes are 1 … 3"):format(class), message)
      else
        assert.error_matches(function() core.cross_entropy(x, classes, "mean"):item() end,
                             ("cross_entropy: class %d is out of range: classes are 1 … 3"):format(class), nil, true)
      end
    end
  end)

  it("does not depend on the number of threads", function()
    local x, _, classes = made(3000, 40, "float32")
    if on_gpu then return end
    local before, results = lt.get_num_threads(), {}
    for threads = 1, 3 do
      lt.set_num_threads(threads)
      local leaf = x:clone():requires_grad_()
      local y = core.cross_entropy(leaf, classes, "mean")
      y:backward()
      results[threads] = {y:item(), leaf.grad:sum():item()}
    end
    lt.set_num_threads(before)
    assert.same(results[1], results[2])
    assert.same(results[1], results[3])
  end)
end)
