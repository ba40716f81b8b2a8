-- tags: uncollected many-kernels
-- Tests properties of layers' functions that known results cannot test: random numbers, gradients of gradients, half
-- floats, memory, misuse.
local lt = require "luatensor"
local F = require "luatensor.nn".functional
local nn = require "luatensor.nn"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"

local make = gradient.tensor
-- A range of inputs in which no activation's derivative jumps. The derivatives do not jump in the range from 2.1 to 2.9
-- either.
local away = {-2.9, -2.1}

describe("activations", function()
  local names = {"relu", "relu6", "leaky_relu", "elu", "celu", "selu", "silu", "mish", "sigmoid", "tanh", "hardsigmoid", "hardswish",
                 "softplus", "softsign", "logsigmoid", "gelu", "hardtanh"}
  for _, name in ipairs(names) do
    it(name .. " has gradients of gradients, in every layout", function()
      for _, range in ipairs {away, {0.2, 0.9}} do
        local x = make({2, 3}, range[1], range[2])
        for _, layout in pairs(gradient.layouts) do gradient.check(name, F[name], {x}, {layout = layout}) end
        gradient.check(name, gradient.of(F[name]), {x}, {tolerance = 1e-6})
      end
    end)
  end

  it("pass NaN on, and the gradient there", function()
    local x = lt.tensor{0 / 0, 1, -1}:to("float32"):requires_grad_()
    local function limits(y) return F.threshold(y, 0, 5) end
    for f, expected in pairs {[F.relu] = 0, [limits] = 5, [F.relu6] = 0} do
      x.grad = nil
      local y = f(x)
      y:sum():backward()
      assert.is_true(lt.isnan(y:detach()[1]):item())
      assert.same({1, expected}, y:detach()[{{2, 3}}]:totable())
      assert.same({1, 1, 0}, x.grad:totable())
    end
    x.grad = nil
    limits(x):sum():backward(nil, {create_graph = true})
    assert.same({1, 1, 0}, x.grad:detach():totable())
  end)

  it("hardtanh refuses limits that cross", function()
    assert.raises("hardtanh: min_val is above max_val: 2 and 1", F.hardtanh, lt.zeros(2), {min_val = 2})
    assert.raises("Hardtanh: min_val is above max_val: 1 and -1", nn.Hardtanh, {min_val = 1, max_val = -1})
    assert.same({3, 3}, F.hardtanh(lt.zeros(2), {min_val = 3, max_val = 3}):totable())
  end)

  it("gelu by tanh has gradients of gradients", function()
    local function f(x) return F.gelu(x, {approximate = "tanh"}) end
    gradient.check("gelu", f, {make({4}, -2, 2)})
    gradient.check("gelu", gradient.of(f), {make({4}, -2, 2)}, {tolerance = 1e-6})
  end)

  it("round half floats once", function()
    local x = lt.tensor{-2.5, -0.3, 0.7, 3.1}
    for _, dtype in ipairs {"float16", "bfloat16"} do
      local h = x:to(dtype):requires_grad_()
      local y = F.mish(h)
      assert.equal(dtype, y.dtype)
      assert.truthy(y:equal_all(F.mish(h:detach():to("float32")):to(dtype)))
      y:sum():backward()
      assert.equal(dtype, h.grad.dtype)
    end
  end)

  it("say what they cannot take", function()
    assert.raises("elu: tensor expected, got number", F.elu, 3)
    assert.raises("mish: a tensor of floats expected, got int64", F.mish, lt.tensor{1})
    assert.raises("relu: tensor expected, got nil", F.relu)
    assert.raises("elu: unknown option \"a\"; known: alpha", F.elu, lt.ones(2), {a = 1})
    assert.raises("elu: option alpha: number expected, got string", F.elu, lt.ones(2), {alpha = "1"})
    assert.raises("gelu: approximate: \"none\" or \"tanh\" expected, got \"erf\"", F.gelu, lt.ones(2), {approximate = "erf"})
    assert.raises("glu: dim 1 has length 3, an even one expected", F.glu, lt.ones(3))
    assert.raises("glu: a 0-d tensor has no halves", F.glu, lt.tensor(1.0))
    assert.raises("softmax: unknown option \"out\"; known: dim, dtype", F.softmax, lt.ones(3), 1, {out = lt.ones(3)})
    assert.raises("softmin: dim is given twice", F.softmin, lt.ones(3), 1, {dim = 1})
    for _, name in ipairs {"relu", "mish", "sigmoid", "softsign", "relu6", "selu", "silu", "tanh", "hardswish"} do
      assert.raises(name .. ": at most 1 argument expected, got 2", F[name], lt.ones(2), {nonsense = true})
    end
    assert.raises("threshold: at most 3 arguments expected, got 4", F.threshold, lt.ones(2), 0, 1, {nonsense = true})
    assert.raises("prelu: at most 2 arguments expected, got 3", F.prelu, lt.ones(2), lt.ones(1), {nonsense = true})
    assert.raises("glu: unknown option \"nonsense\"; known: dim", F.glu, lt.ones(2), {nonsense = true})
    assert.raises("one_hot: count: integer expected, got table", F.one_hot, lt.tensor {1}, {nonsense = true})
    assert.raises("softmax: dim 3 is out of range for 2 dims", F.softmax, lt.ones(2, 2), 3)
    assert.raises("ReLU: no arguments expected, got 1", nn.ReLU, {inplace = true})
    assert.raises("LeakyReLU: negative_slope: number expected, got boolean", nn.LeakyReLU, {negative_slope = true})
    assert.raises("prelu: one weight expected, or one for each of 2 channels, got shape [3]", F.prelu, lt.ones(1, 2), lt.ones(3))
  end)
end)

describe("softmax and its kin", function()
  it("compute in the dtype that they are asked for", function()
    local x, e = lt.tensor({1.0, 2.0}, {dtype = "float32"}), math.exp(1)
    for name, first in pairs {softmax = 1 / (1 + e), softmin = e / (1 + e), log_softmax = -math.log(1 + e)} do
      for _, y in ipairs {F[name](x, 1, {dtype = "float64"}), F[name](x, {dim = -1, dtype = "float64"})} do
        assert.equal("float64", y.dtype)
        assert.is_true(math.abs(y[1]:item() - first) < 1e-15)
      end
      assert.equal("float32", F[name](x).dtype)
    end
  end)
end)

describe("dropout", function()
  local function seeded() return lt.generator{seed = 3} end

  it("drops a share p, scales the rest, and its gradient goes the same way", function()
    local x = lt.full({10000}, 3.):requires_grad_()
    local y = F.dropout(x, {p = 0.25, generator = seeded()})
    local kept = y:detach():not_equal(0)
    assert.near(0.75, kept:to("float32"):mean():item(), 5 * math.sqrt(0.75 * 0.25 / 10000))
    assert.truthy(y:detach():allclose(kept:to "float32" * 4))
    y:sum():backward()
    assert.truthy(x.grad:allclose(kept:to "float32" / 0.75))
  end)

  it("repeats with its generator, and does nothing in evaluation", function()
    local x = lt.ones(50)
    assert.truthy(F.dropout(x, {generator = seeded()}):equal_all(F.dropout(x, {generator = seeded()})))
    assert.equal(x, F.dropout(x, {training = false}))
    assert.equal(x, nn.Dropout(0.9):eval()(x))
    assert.equal(x, F.dropout(x, {p = 0}))
    assert.truthy(nn.Dropout(0.5, {generator = seeded()})(x):equal_all(F.dropout(x, {generator = seeded()})))
  end)

  it("drops whole channels", function()
    local y = F.dropout2d(lt.ones(8, 16, 3, 3), {generator = seeded()})
    local sums = y:sum({3, 4})
    assert.truthy(sums:equal(0):logical_or(sums:equal(18)):all())
    assert.truthy(sums:equal(0):any() and sums:equal(18):any())
    assert.raises("dropout1d: 2 or 3 dims expected, the shape is [3]", F.dropout1d, lt.ones(3))
  end)

  it("leaves mean and variance where it is alpha_dropout", function()
    local y = F.alpha_dropout(lt.randn({40000}, {generator = seeded()}), {p = 0.3, generator = lt.generator{seed = 4}})
    assert.near(0, y:mean():item(), 0.04)
    assert.near(1, y:std():item(), 0.04)
  end)

  it("has gradients of gradients, and takes what is empty", function()
    gradient.check("dropout", gradient.of(function(x) return F.dropout(x, {generator = seeded()}):square() end), {make({6})})
    assert.equal("[0, 3]", tostring(F.dropout(lt.ones(0, 3)).shape))
  end)

  it("says what it cannot take", function()
    assert.raises("dropout: p: a number from 0 to 1 expected, got 2", F.dropout, lt.ones(2), {p = 2})
    assert.raises("Dropout: p: -1 is not from 0 to 1", nn.Dropout, -1)
    assert.raises("dropout: tensor expected, got nil", F.dropout)
  end)
end)

describe("embedding", function()
  it("begins as zeros at padding_idx, and never trains it", function()
    local e = nn.Embedding(4, 2, {padding_idx = 2})
    assert.same({0, 0}, e.weight:detach()[2]:totable())
    e(lt.tensor{1, 2, 2, 1}):sum():backward()
    assert.same({{2, 2}, {0, 0}, {0, 0}, {0, 0}}, e.weight.grad:totable())
  end)

  it("needs no more memory for padding_idx", function()
    local weight, indices = lt.ones({4, 1 << 16}):requires_grad_(), lt.tensor{1, 2, 2, 1}
    local function growth(options)
      collectgarbage()
      collectgarbage "stop"
      local before = lt.memory().live
      local y = F.embedding(indices, weight, options)
      local grown = lt.memory().live - before
      y:free()
      collectgarbage "restart"
      return grown
    end
    growth()
    assert.near(growth(), growth {padding_idx = 2}, 1 << 16)
  end)

  it("gives padding_idx no gradient of gradients", function()
    local weight = make({3, 2}, -2, 2):requires_grad_()
    local indices = lt.tensor{1, 2, 2, 3}
    F.embedding(indices, weight, {padding_idx = 2}):square():sum():backward(nil, {create_graph = true})
    local g = weight.grad
    weight.grad = nil
    assert.same({0, 0}, g:detach()[2]:totable())
    g:sum():backward()
    assert.same({{2, 2}, {0, 0}, {2, 2}}, weight.grad:totable())
  end)

  it("takes rows that are there", function()
    local e = nn.Embedding.from_pretrained(lt.tensor{{1., 2}, {3, 4}})
    assert.same({{3, 4}, {1, 2}}, e(lt.tensor{2, 1}):totable())
    assert.falsy(e.weight.requires_grad)
  end)

  it("never wraps indices, on a GPU neither", function()
    if tostring(helpers.device) == "cpu" then return end
    local weight = lt.ones({4, 2}, {device = helpers.device})
    for index, words in pairs {[-1] = "index 0 in dim 1", [0] = "index 0 in dim 1", [5] = "index 5 in dim 1"} do
      local _, why = pcall(function()
        return F.embedding(lt.tensor({1, index}, {device = helpers.device}), weight):totable()
      end)
      assert.truthy(tostring(why):find(words, 1, true), tostring(why))
    end
  end)

  it("says what it cannot take", function()
    local e = nn.Embedding(4, 2)
    if lt.get_default_device() == "cpu" then
      assert.raises("Embedding(4, 2): index 0 is out of range: 1 … 4", e, lt.tensor{1, 0})
      assert.raises("Embedding(4, 2): index -1 is out of range: 1 … 4", e, lt.tensor{1, -1})
      assert.raises("one_hot: class 4 is out of range: 1 … 3", F.one_hot, lt.tensor{4}, 3)
    end
    assert.raises("Embedding(4, 2): tensor of integers expected, got float32", e, lt.tensor{1.})
    assert.raises("embedding: a weight of 2 dims expected, got [2]", F.embedding, lt.tensor{1}, lt.ones(2))
  end)
end)

describe("losses", function()
  it("count nothing of ignored rows, whatever is in them", function()
    local low = -math.huge
    local classes = lt.tensor{-100, 2}
    local function gives(expected, grad, f)
      local x = lt.tensor{{low, -1}, {-1, -2}}:to("float32"):requires_grad_()
      local y = f(x)
      y:backward()
      assert.near(expected, y:item(), 1e-6)
      for i, row in ipairs(x.grad:totable()) do
        for j, v in ipairs(row) do assert.near(grad[i][j], v, 1e-6) end
      end
    end
    local one, p = {{0, 0}, {0, -1}}, 1 / (1 + math.exp(-1))
    gives(2, one, function(x) return F.nll_loss(x, classes) end)
    gives(2, one, function(x) return F.nll_loss(x, classes, {weight = lt.tensor{math.huge, 3}:to("float32")}) end)
    gives(1 - math.log(p), {{0, 0}, {p, -p}}, function(x)
      return F.cross_entropy(x:expand_dims(-1), classes:expand_dims(-1))
    end)
    gives(0.95 - math.log(p), {{0, 0}, {p - 0.05, 0.05 - p}}, function(x)
      return F.cross_entropy(x, classes, {label_smoothing = 0.1})
    end)
  end)

  local x, y = make({3, 4}, -0.4, 0.4), make({3, 4}, -2.9, -2.1, 2)
  for _, name in ipairs {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits"} do
    it(name .. " has gradients of gradients", function()
      gradient.check(name, F[name], {x, y})
      gradient.check(name, gradient.of(function(a, b) return F[name](a, b, {reduction = "none"}):square() end), {x, y},
                     {tolerance = 1e-5})
    end)
  end

  it("of probabilities have gradients of gradients", function()
    local p, q = make({3, 4}, 0.2, 0.8), make({3, 4}, 0.2, 0.8, 2)
    for _, name in ipairs {"binary_cross_entropy", "kl_div"} do
      gradient.check(name, F[name], {p, q})
      gradient.check(name, gradient.of(F[name]), {p, q}, {tolerance = 1e-5})
    end
    gradient.check("kl_div", gradient.of(function(a, b) return F.kl_div(a, b, {log_target = true}) end), {p, q}, {tolerance = 1e-5})
  end)

  it("of classes have gradients of gradients, in every layout", function()
    local classes, weight = lt.tensor{2, 4, 1}, make({4}, 0.5, 1.5)
    for label, options in pairs {plain = {}, weighed = {weight = weight}, smoothed = {label_smoothing = 0.2}} do
      local function f(scores) return F.cross_entropy(scores, classes, options) end
      for _, layout in pairs(gradient.layouts) do gradient.check(label, f, {x}, {layout = layout}) end
      gradient.check(label, gradient.of(f), {x}, {tolerance = 1e-6})
    end
  end)

  it("convert targets", function()
    assert.near(0.5, F.mse_loss(lt.tensor{1., 2}, lt.tensor{1, 3}):item(), 1e-7)
    assert.equal("float64", F.mse_loss(lt.ones(2), lt.ones({2}, {dtype = "float64"})).dtype)
    assert.near(math.log(2), F.cross_entropy(lt.zeros(1, 2), lt.tensor({1}, {dtype = "uint8"})):item(), 1e-6)
  end)

  it("take real targets and weights only", function()
    local p, z = lt.full({2}, 0.5), lt.complex(lt.ones(2), lt.full({2}, 3.0))
    for _, name in ipairs {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "binary_cross_entropy",
                           "binary_cross_entropy_with_logits"} do
      assert.raises(name .. ": argument 2: a real target expected, got complex64", F[name], p, z)
      assert.raises(name .. ": argument 2: a real target expected, got complex128", F[name], p, z:to("complex128"))
    end
    for _, name in ipairs {"binary_cross_entropy", "binary_cross_entropy_with_logits"} do
      assert.raises(name .. ": weight: a real tensor expected, got complex64", F[name], p, p, {weight = z})
    end
    local logits, scores = F.binary_cross_entropy_with_logits, lt.zeros(1, 2)
    assert.raises("binary_cross_entropy_with_logits: pos_weight: a real tensor expected, got complex64", logits, p, p,
                  {pos_weight = z})
    assert.raises("binary_cross_entropy_with_logits: pos_weight: tensor expected, got number", logits, p, p,
                  {pos_weight = 2})
    assert.raises("cross_entropy: weight: a real tensor expected, got complex64", F.cross_entropy, scores,
                  lt.tensor {1}, {weight = z})
    assert.raises("cross_entropy: classes are integers from 1, got complex64", F.cross_entropy, scores,
                  lt.complex(scores, scores))
  end)

  it("kl_div of negative targets is NaN, of 0 it is 0", function()
    for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16"} do
      local input = lt.tensor({-1.0, -1.0, -1.0, -1.0}, {dtype = dtype})
      local losses = F.kl_div(input, lt.tensor({0.0, -0.0, 0.5, -0.97}, {dtype = dtype}), {reduction = "none"}):totable()
      assert.equal(0, losses[1])
      assert.equal(0, losses[2])
      assert.near(0.5 * math.log(0.5) + 0.5, losses[3], 2e-3)
      assert.is_true(losses[4] ~= losses[4])
    end
  end)

  it("say what they cannot take", function()
    local scores = lt.zeros(2, 3)
    if lt.get_default_device() == "cpu" then
      for _, options in ipairs {{}, {weight = lt.ones(3)}, {ignore_index = 7}} do
        assert.raises("cross_entropy: class 0 is out of range: classes are 1 … 3", F.cross_entropy, scores, lt.tensor{0, 1}, options)
        assert.raises("cross_entropy: class 4 is out of range: classes are 1 … 3", F.cross_entropy, scores, lt.tensor{1, 4}, options)
      end
      assert.raises("nll_loss: class -1 is out of range: classes are 1 … 3", F.nll_loss, scores, lt.tensor{1, -1})
      assert.raises("^binary_cross_entropy: probabilities from 0 to 1 expected", F.binary_cross_entropy, lt.full({2}, 1.5), lt.ones(2))
    end
    assert.raises("cross_entropy: classes of shape [2] expected for scores of shape [2, 3], got [3]", F.cross_entropy, scores, lt.tensor{1, 1, 1})
    assert.raises("^cross_entropy: classes are integers; ", F.cross_entropy, scores, lt.tensor{1., 2})
    assert.raises("cross_entropy: argument 2: tensor expected, got number", F.cross_entropy, scores, 1)
    assert.raises("cross_entropy: weight: one for each of 3 classes expected, got shape [2]", F.cross_entropy, scores, lt.tensor{1, 2},
                  {weight = lt.ones(2)})
    assert.raises("cross_entropy: reduction: \"mean\", \"sum\" or \"none\" expected, got \"avg\"", F.cross_entropy, scores,
                  lt.tensor{1, 2}, {reduction = "avg"})
    assert.raises("kl_div: reduction: \"mean\", \"sum\", \"batchmean\" or \"none\" expected, got \"avg\"", F.kl_div, scores, scores,
                  {reduction = "avg"})
    assert.raises("mse_loss: the input has shape [2, 3], the target [2]; both must be the same", F.mse_loss, scores, lt.zeros(2))
    assert.raises("CrossEntropyLoss: weight: tensor expected, got number", nn.CrossEntropyLoss, {weight = 3})
    assert.raises("MSELoss: unknown option \"beta\"; known: reduction", nn.MSELoss, {beta = 1})
  end)
end)
