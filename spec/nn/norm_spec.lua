-- tags: smoke
-- Compares normalisation with loops over elements in plain Lua. nn/pytorch_spec.lua compares normalisation with
-- PyTorch.
local core = require "luatensor.core"
local lt = require "luatensor"
local nn = require "luatensor.nn"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"

local F = nn.functional
local on_gpu = helpers.device ~= "cpu"

-- ---- the oracle ----

-- `parts` describes how a flat list x is divided into rows. A row has n elements: `segments` segments of `run` elements
-- each. Each segment of a row has one weight and one bias. The rows are in `groups` groups by turns: row r (0-based)
-- has the parameters of group r % groups.

local function row_of(parts, e) return (e // parts.n) + 1 end
local function segment_of(parts, e) return e // parts.run % parts.segments end
local function parameter_of(parts, e)
  return (row_of(parts, e) - 1) % parts.groups * parts.segments + segment_of(parts, e) + 1
end

-- Computes normalisation by its formulas. Returns y, and the gradients of x, w and b if g is the gradient of y. All are
-- lists. set_of(e) returns the key of the set of elements whose statistics normalise element e (0-based). If `rms` is
-- true, the mean is taken as 0.
local function oracle(x, w, b, g, parts, set_of, eps, rms)
  local sets = {}
  local function set(e)
    local k = set_of(e)
    sets[k] = sets[k] or {n = 0, sum = 0.0, squares = 0.0, along = 0.0, total = 0.0}
    return sets[k]
  end
  for e = 0, #x - 1 do
    local s = set(e)
    s.n, s.sum = s.n + 1, s.sum + x[e + 1]
  end
  for _, s in pairs(sets) do s.mean = rms and 0 or s.sum / s.n end
  for e = 0, #x - 1 do set(e).squares = set(e).squares + (x[e + 1] - set(e).mean) ^ 2 end
  local y, dx, dw, db = {}, {}, {}, {}
  for k = 1, #w do dw[k], db[k] = 0.0, 0.0 end
  for e = 0, #x - 1 do
    local s, k = set(e), parameter_of(parts, e)
    local xh, ge = (x[e + 1] - s.mean) / math.sqrt(s.squares / s.n + eps), g[e + 1]
    y[e + 1] = xh * w[k] + b[k]
    dw[k], db[k] = dw[k] + ge * xh, db[k] + ge
    s.along, s.total = s.along + ge * w[k] * xh, s.total + ge * w[k]
  end
  for e = 0, #x - 1 do
    local s, k = set(e), parameter_of(parts, e)
    local rstd = 1 / math.sqrt(s.squares / s.n + eps)
    local xh = (x[e + 1] - s.mean) * rstd
    dx[e + 1] = rstd * (g[e + 1] * w[k] - (rms and 0 or s.total / s.n) - xh * s.along / s.n)
  end
  return y, dx, dw, db
end

local function flat(t) return t.size == 0 and {} or t:detach():to("float64"):to("cpu"):flatten():totable() end

local function near(what, expected, got, tolerance)
  local largest = 1e-3
  got = flat(got)
  assert.equal(#expected, #got, what)
  for _, v in ipairs(expected) do largest = math.max(largest, math.abs(v)) end
  for i, v in ipairs(expected) do
    if got[i] ~= got[i] or math.abs(v - got[i]) > tolerance * largest then
      error(("%s, number %d: %.9g expected, got %.9g"):format(what, i, v, got[i]), 2)
    end
  end
end

local function made(shape, seed, dtype, low, high)
  local n = 1
  for _, length in ipairs(shape) do n = n * length end
  local x = lt.tensor(gradient.values(n, low or -2, high or 3, seed), {dtype = dtype})
  return x:reshape(shape)
end

local tolerance = {float32 = 4e-6, float64 = 1e-12, float16 = 3e-3, bfloat16 = 2e-2}

-- Compares fn(x, w, b) with the oracle, forward and backward.
local function check(what, dtype, shape, parts, set_of, fn, rms, low, high)
  local x = made(shape, 1, dtype, low, high)
  local params = {parts.groups * parts.segments}
  local w, b, g = made(params, 2, dtype), made(params, 3, dtype), made(shape, 4, dtype)
  local y, dx, dw, db = oracle(flat(x), flat(w), flat(b), flat(g), parts, set_of, 1e-5, rms)
  for _, t in ipairs {x, w, b} do t:requires_grad_() end
  local result = fn(x, w, b)
  assert.equal(dtype, result.dtype)
  near(what, y, result, tolerance[dtype])
  result:backward(g)
  near(what .. ", gradient of x", dx, x.grad, tolerance[dtype])
  near(what .. ", gradient of weight", dw, w.grad, tolerance[dtype])
  near(what .. ", gradient of bias", db, b.grad, tolerance[dtype])
end

local function check_rows(dtype, shape, segments, run, groups, rms, low, high)
  local parts = {n = segments * run, segments = segments, run = run, groups = groups}
  check(("rows of %s"):format(table.concat(shape, " ")), dtype, shape, parts, function(e) return row_of(parts, e) end,
        function(x, w, b) return core.norm_rows(x, w, b, segments, run, groups, 1e-5, rms) end, rms, low, high)
end

local function check_channels(dtype, shape, low, high)
  local run = 1
  for d = 3, #shape do run = run * shape[d] end
  local parts = {n = shape[2] * run, segments = shape[2], run = run, groups = 1}
  check(("channels of %s"):format(table.concat(shape, " ")), dtype, shape, parts, function(e) return segment_of(parts, e) end,
        function(x, w, b) return core.norm_channels(x, w, b, nil, nil, true, 0, 1e-5) end, false, low, high)
end

describe("normalisation", function()
  for _, dtype in ipairs(on_gpu and {"float32", "float16"} or {"float32", "float64", "float16", "bfloat16"}) do
    it("of rows: " .. dtype, function()
      for _, rms in ipairs {false, true} do
        check_rows(dtype, {3, 5}, 5, 1, 1, rms)
        check_rows(dtype, {70, 33}, 33, 1, 1, rms)
        check_rows(dtype, {2, 1100}, 1100, 1, 1, rms)
        check_rows(dtype, {2, 4, 3}, 2, 3, 2, rms)
        check_rows(dtype, {2, 4, 40}, 1, 40, 4, rms)
        check_rows(dtype, {3, 1024}, 1024, 1, 1, rms)
        check_rows(dtype, {4, 3, 2, 64}, 6, 64, 2, rms)
      end
    end)

    it("of channels: " .. dtype, function()
      for _, shape in ipairs {{6, 3}, {130, 5}, {4, 3, 2}, {3, 20, 17}, {40, 2, 5, 7}, {1, 2, 600}, {70, 5, 16}, {3, 2, 40, 56}} do
        check_channels(dtype, shape)
      end
    end)
  end

  -- On a GPU the threads of a row keep 8192 elements at most (float64: 4096). Longer rows are read several times.
  it("of rows of thousands of elements", function()
    for _, n in ipairs {4100, 9000, 9001} do
      for _, dtype in ipairs {"float32", "float64"} do check_rows(dtype, {1, n}, n, 1, 1, false) end
    end
    check_rows("float32", {2, 17000}, 2, 8500, 1, true)
  end)

  it("loses nothing far from 0", function()
    check_rows("float32", {4, 100}, 100, 1, 1, false, 1e4, 1e4 + 1)
    check_rows("float32", {4, 2, 50}, 2, 50, 1, false, -1e5, -1e5 + 1)
    check_channels("float32", {50, 3}, 1e4, 1e4 + 1)
    check_channels("float32", {4, 3, 50}, -1e5, -1e5 + 1)
  end)

  it("of any layout", function()
    local x = made({4, 6}, 5, "float32")
    for name, layout in pairs(gradient.layouts) do
      local t = layout(x)
      near(name, flat(F.layer_norm(x, 6)), F.layer_norm(t, 6), 1e-6)
      near(name, flat(F.batch_norm(x, nil, nil, {training = true})), F.batch_norm(t, nil, nil, {training = true}), 1e-6)
      local leaf, other = t:detach():requires_grad_(), x:clone():requires_grad_()
      F.layer_norm(leaf, 6):backward(layout(x))
      F.layer_norm(other, 6):backward(x)
      near(name, flat(other.grad), leaf.grad, 1e-6)
    end
  end)

  it("of nothing is nothing, and gradients of parameters are 0", function()
    local w = lt.ones({3}, {requires_grad = true})
    local x = lt.zeros({0, 3}, {requires_grad = true})
    F.layer_norm(x, 3, {weight = w}):sum():backward()
    assert.same({0, 3}, {table.unpack(x.grad.shape)})
    assert.same({0, 0, 0}, w.grad:totable())
    w.grad = nil
    F.batch_norm(x, lt.zeros(3), lt.ones(3), {weight = w}):sum():backward()
    assert.same({0, 0, 0}, w.grad:totable())
    assert.same({}, F.group_norm(lt.zeros(0, 4, 2), 2):flatten():totable())
  end)

  it("follows the running statistics, whose versions rise", function()
    local x = lt.tensor({{1, 10}, {2, 30}, {6, 20}}, {dtype = "float32"})
    local mean, var = lt.tensor({1, 2}, {dtype = "float64"}), lt.tensor({1, 1}, {dtype = "float32"})
    F.batch_norm(x, mean, var, {training = true, momentum = 0.25})
    near("mean", {0.75 * 1 + 0.25 * 3, 0.75 * 2 + 0.25 * 20}, mean, 1e-6)
    near("variance", {0.75 + 0.25 * 7, 0.75 + 0.25 * 100}, var, 1e-6)
    near("evaluation", {-0.30, -1.19, -0.15, 0.79, 1.0, 0.5 / 100}, F.batch_norm(x, lt.tensor {1.9, 19.2}, lt.tensor {9, 59.5}), 10)
    local leaf = mean:to("float32"):requires_grad_()
    local y = leaf * leaf
    lt.no_grad(function() F.batch_norm(x, leaf, var, {training = true}) end)
    assert.error_matches(function() y:sum():backward() end, "changed in place", nil, true)
  end)

  it("has gradients where only some are wanted", function()
    if on_gpu then return end
    local x, w = made({4, 3}, 1, "float64"), made({3}, 2, "float64")
    gradient.check("x", function(a) return F.layer_norm(a, 3, {weight = w}) end, {x})
    gradient.check("weight", function(a) return F.layer_norm(x, 3, {weight = a}) end, {w})
    gradient.check("bias", function(a) return F.layer_norm(x, 3, {bias = a}) end, {w})
    gradient.check("bias of channels", function(a) return F.batch_norm(x, nil, nil, {bias = a, training = true}) end, {w})
    gradient.check("two dims", function(a, b) return F.layer_norm(a, {2, 3}, {weight = b}) end,
                   {made({2, 2, 3}, 3, "float64"), made({2, 3}, 4, "float64")})
  end)

  it("can be differentiated twice", function()
    if on_gpu then return end
    local x, w, b = made({3, 4, 2}, 1, "float64"), made({4}, 2, "float64"), made({4}, 3, "float64")
    local functions = {
      group = function(a, v, u) return F.group_norm(a, 2, {weight = v, bias = u}) end,
      batch = function(a, v, u) return F.batch_norm(a, nil, nil, {weight = v, bias = u, training = true}) end,
      evaluation = function(a, v, u) return F.batch_norm(a, b * 2, w * w + 1, {weight = v, bias = u}) end,
      layer = function(a, v, u) return F.layer_norm(a.mT, 4, {weight = v, bias = u}) end,
      rms = function(a, v) return F.rms_norm(a.mT, 4, {weight = v, eps = 0.1}) end,
      plain = function(a) return F.layer_norm(a, {4, 2}) end,
    }
    for name, fn in pairs(functions) do
      gradient.check(name, fn, {x, w, b})
      gradient.check(name .. ", twice", gradient.of(fn), {x, w, b}, {tolerance = 1e-6})
    end
  end)

  it("does not depend on the number of threads", function()
    if on_gpu then return end
    local x, before, results = made({2000, 64}, 1, "float32"), lt.get_num_threads(), {}
    local images = x:reshape(20, 8, 800)
    for threads = 1, 3 do
      lt.set_num_threads(threads)
      local list = {}
      for _, layer in ipairs {nn.LayerNorm(64), nn.BatchNorm1d(64)} do
        local leaf = x:clone():requires_grad_()
        layer(leaf):square():mean():backward()
        for _, t in ipairs {leaf.grad, layer.weight.grad, layer.bias.grad} do list[#list + 1] = t:sum():item() end
      end
      local layer, leaf = nn.BatchNorm1d(8), images:clone():requires_grad_()
      layer(leaf):square():mean():backward()
      list[#list + 1], list[#list + 2] = leaf.grad:sum():item(), layer.weight.grad:sum():item()
      results[threads] = list
    end
    lt.set_num_threads(before)
    assert.same(results[1], results[2])
    assert.same(results[1], results[3])
  end)

  it("counts the batches that went through", function()
    local layer = nn.BatchNorm1d(4, {momentum = false})
    assert.is_false(pcall(layer, made({1, 4}, 1, "float32")))
    assert.equal(0, layer.num_batches_tracked:item())
    local x, y = made({8, 4}, 1, "float32"), made({8, 4}, 2, "float32")
    layer(x)
    layer(y)
    assert.equal(2, layer.num_batches_tracked:item())
    local mean = (x:mean(1) + y:mean(1)) / 2
    assert.is_true((layer.running_mean - mean:detach()):abs():max():item() < 1e-6)
  end)

  it("leaves input, statistics and memory as they are", function()
    local x, layer = made({8, 4}, 1, "float32"), nn.BatchNorm1d(4)
    local function step()
      local y = layer(x)
      y:sum():backward()
      y:free()
      layer:zero_grad()
    end
    for _ = 1, 3 do step() end
    local before = helpers.live(helpers.device)
    for _ = 1, 20 do step() end
    assert.equal(before, helpers.live(helpers.device))
    assert.is_false(layer.running_mean.requires_grad)
    assert.equal(23, layer.num_batches_tracked:item())
    assert.equal(32, x:to("float64"):isfinite():sum():item())
    layer:eval()
    step()
    assert.equal(32, x:to("float64"):isfinite():sum():item())
  end)

  it("says what does not fit, with the script's line", function()
    local x = lt.ones(3, 4)
    local function refuses(message, f)
      local ok, err = pcall(f)
      assert.is_false(ok)
      assert.matches("norm_spec%.lua:%d+: ", err)
      assert.is_truthy(err:find(message, 1, true), err)
    end
    refuses("layer_norm: the input's last dims must be [5], its shape is [3, 4]", function() F.layer_norm(x, 5) end)
    refuses("layer_norm: weight has shape [3], [4] expected", function() F.layer_norm(x, 4, {weight = lt.ones(3)}) end)
    refuses("layer_norm: the input: a tensor of floats expected, got int64", function() F.layer_norm(x:to "int64", 4) end)
    refuses("group_norm: 4 channels are no multiple of 3 groups", function() F.group_norm(x, 3) end)
    refuses("LayerNorm(5): the input's last dims must be [5]", function() nn.LayerNorm(5)(x) end)
    refuses("BatchNorm1d(5): the input must have 5 channels, its shape is [3, 4]", function() nn.BatchNorm1d(5)(x) end)
    refuses("BatchNorm2d(4): an input of 4 dims expected, its shape is [3, 4]", function() nn.BatchNorm2d(4)(x) end)
    refuses("expected more than 1 value per channel when training, the input's shape is [1, 4]", function()
      nn.BatchNorm1d(4)(lt.ones(1, 4))
    end)
    refuses("batch_norm: without training running_mean and running_var are needed", function() F.batch_norm(x) end)
    refuses("GroupNorm: 6 channels are no multiple of 4 groups", function() nn.GroupNorm(4, 6) end)
    refuses("LayerNorm: normalized_shape", function() nn.LayerNorm() end)
    refuses("InstanceNorm1d(4): an input of 3 dims expected", function() nn.InstanceNorm1d(4)(x) end)
  end)
end)

describe("gradients of softmax", function()
  for _, dtype in ipairs(on_gpu and {"float32"} or {"float32", "float64", "float16"}) do
    it("along the last dim are the loop's: " .. dtype, function()
      for _, n in ipairs {1, 5, 16, 37, 1100} do
        local x, g = made({3, n}, n, dtype), made({3, n}, n + 1, dtype)
        for _, name in ipairs {"softmax", "log_softmax"} do
          local leaf = x:clone():requires_grad_()
          local y = leaf[name](leaf, 2)
          y:backward(g)
          local o, list, expected = flat(y), flat(g), {}
          for r = 0, 2 do
            local sum = 0
            for i = r * n + 1, r * n + n do sum = sum + list[i] * (name == "softmax" and o[i] or 1) end
            for i = r * n + 1, r * n + n do
              expected[i] = name == "softmax" and o[i] * (list[i] - sum) or list[i] - math.exp(o[i]) * sum
            end
          end
          near(name .. " of " .. n, expected, leaf.grad, 4 * tolerance[dtype])
        end
      end
    end)
  end
end)

describe("gradients of activations in one pass", function()
  local slopes = {
    relu = function(x) return x > 0 and 1 or 0 end,
    sigmoid = function(x) return 1 / (2 + math.exp(-x) + math.exp(x)) end,
    tanh = function(x) return 4 / (math.exp(x) + math.exp(-x)) ^ 2 end,
    silu = function(x) local s = 1 / (1 + math.exp(-x)) return s * (1 + x * (1 - s)) end,
    gelu = function(x)
      local phi, sum, term = math.exp(-x * x / 2) / math.sqrt(2 * math.pi), 0, x
      for k = 1, 400 do                       -- Phi(x) - 1/2 = phi(x) (x + x^3 / 3 + x^5 / 15 + …)
        sum = sum + term
        term = term * x * x / (2 * k + 1)
      end
      return 0.5 + phi * sum + x * phi
    end,
  }
  local bound = {float32 = 1e-6, float64 = 1e-13}
  for name, slope in pairs(slopes) do
    for _, dtype in ipairs(on_gpu and {"float32"} or {"float32", "float64"}) do
      it(("%s, %s"):format(name, dtype), function()
        local x = lt.linspace(-12, 12, 97, {dtype = dtype}):requires_grad_()
        local expected = {}
        for i, v in ipairs(flat(x)) do expected[i] = 2 * slope(v) end
        x[name](x):backward(lt.full_like(x, 2))
        for i, v in ipairs(flat(x.grad)) do
          if v ~= v or math.abs(v - expected[i]) > bound[dtype] * math.max(1, math.abs(expected[i])) then
            error(("%d: %.9g expected, got %.9g"):format(i, expected[i], v))
          end
        end
      end)
    end
  end
end)
