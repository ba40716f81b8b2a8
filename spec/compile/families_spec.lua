-- tags: unplugged
-- Pooling, norms, attention, losses, cells, access by index tensors, sorting, random numbers, expressions and updates of
-- parameters wait in compiled functions, and give the same bits as outside. Errors of their elements name their lines.
local lt = require "luatensor"
local compiling = require "spec.support.compiled"
local helpers = require "spec.support.helpers"

local all_bits, check, with_gradients = compiling.all_bits, compiling.check, compiling.with_gradients
local on_cpu = helpers.device == "cpu"
local nn, optim = lt.nn, lt.optim
local functional = nn.functional
local integers = {device = helpers.device, dtype = "int64"}

local function random(shape, dtype) return (lt.randn(shape) * 2):to(dtype) end
local function numbers(list) return lt.tensor(list, integers) end

local networks = {
  {"pooling", {{2, 3, 6, 7}}, function(x)
    return functional.max_pool2d(x, 2):sum() + functional.avg_pool2d(x, 3, {stride = 2, padding = 1})
           + functional.adaptive_avg_pool2d(x, {3, 4})
  end},
  {"layer norm", {{4, 6}, {6}, {6}}, function(x, w, b) return functional.layer_norm(x, {6}, {weight = w, bias = b}) end},
  {"RMS norm", {{4, 6}, {6}}, function(x, w) return functional.rms_norm(x, {6}, {weight = w}) end},
  {"group norm", {{3, 4, 5}, {4}, {4}}, function(x, w, b) return functional.group_norm(x, 2, {weight = w, bias = b}) end},
  {"batch norm", {{5, 4, 3}, {4}, {4}}, function(x, w, b)
    local mean, var = lt.zeros(4), lt.ones(4)
    local y = functional.batch_norm(x, mean, var, {weight = w, bias = b, training = true})
    return y * (mean + var):reshape(4, 1)
  end},
  {"softmax", {{4, 6}}, function(x) return lt.softmax(x, 2) + lt.log_softmax(x, 2) end},
  {"attention", {{2, 3, 8, 4}, {2, 3, 8, 4}, {2, 3, 8, 4}}, function(q, k, v)
    return functional.scaled_dot_product_attention(q, k, v, {is_causal = true})
  end},
  {"cross entropy", {{5, 4}}, function(x)
    local classes = numbers {1, 4, 2, 2, 3}
    return functional.cross_entropy(x, classes) + functional.cross_entropy(x, classes, {label_smoothing = 0.1})
           + functional.nll_loss(lt.log_softmax(x, 2), classes, {reduction = "none", ignore_index = 2})
  end},
  {"an embedding", {{6, 3}}, function(w) return functional.embedding(numbers {{1, 6}, {2, 2}}, w) end},
  {"dropout", {{4, 6}}, function(x) return functional.dropout(x, {p = 0.4}) + lt.rand_like(x) end},
  {"index tensors", {{5, 4}}, function(x)
    local rows = numbers {5, 1, 1}
    return lt.take(x, rows, 1):sum() + lt.gather(x, 1, numbers {{1, 5, 2, 3}}) + lt.take_along_axis(x, x:argsort(1), 1)
           + x[{rows, {}}]:sum()
  end},
}

describe("compiled functions with", function()
  for _, row in ipairs(networks) do
    local name, shapes, forward = table.unpack(row)
    for _, dtype in ipairs(on_cpu and {"float32", "float64", "float16", "bfloat16"} or {"float32"}) do
      it(("%s keep their bits, forward and backward, of %s"):format(name, dtype), function()
        local tensors = {}
        for i, shape in ipairs(shapes) do tensors[i] = random(shape, dtype) end
        check(with_gradients(forward), tensors)
      end)
    end
  end

  for _, dtype in ipairs(on_cpu and {"float32", "float16", "int32", "uint8", "complex64"} or {"float32"}) do
    it("writes by index tensors keep their bits, of " .. dtype, function()
      check(function(x, y)
        local rows, z = numbers {4, 1, 4}, x * 1
        z:index_add_(1, rows, y + 1)
        z[{{}, numbers {2, -1}}] = z[{{}, numbers {1, 2}}]
        z:scatter_add_(1, numbers {{1, 2, 3}, {3, 3, 3}}, y)
        x:scatter_(2, numbers {{3}, {1}}, 5)
        x[numbers {2}] = y[1]
        return z, x:index_add(2, numbers {1, 1, 2}, z), x * 2
      end, {random({4, 3}, dtype), random({3, 3}, dtype)})
    end)
  end

  it("many index tensors keep their bits", function()
    local x, i = lt.arange(128, {dtype = "float32"}):reshape(2, 2, 2, 2, 2, 2, 2), numbers {1, 2}
    local function f(y) return (y * 2)[{i, i, i, i, i, i}], (y + 1)[{i, i, i, i, i, i, i}] + 1 end
    assert.same(all_bits(f(x)), all_bits(lt.compile(f)(x)))
  end)

  it("sorts keep their bits", function()
    check(function(x)
      local values, places = (x + 1):topk(2, 1)
      return (x * 2):sort(1, {descending = true}), (x * 2):argsort(), values * 2, places + 1
    end, {random({4, 5}, "float32")})
  end)

  it("random numbers keep their bits, also of other generators and in place", function()
    check(function(x)
      local own = lt.generator {seed = 3}
      local a, b = lt.rand(3, 2), lt.randint(1, 9, 4)
      x.T:normal_(1, 2)
      return a * 2, b, x:uniform_(0, 2, {generator = own}) + lt.randn(4, 3, {generator = own}), lt.permutation(5), lt.rand(2)
    end, {random({4, 3}, "float32")})
  end)

  it("expressions keep their bits, even if a function drops them", function()
    check(function(x)
      local y = lt.elementwise("float32 x, float32 a", "x * a + 2")(x + 1, 3) * 2
      local out = lt.zeros(4, 3)
      lt.elementwise("float32 x", "x + 0.5")(y, {out = out})
      collectgarbage()
      return y, out
    end, {random({4, 3}, "float32")})
  end)
end)

describe("compiled training steps run as one list", function()
  local Last = nn.Module:extend "Last"
  function Last:init(layer) self.layer = layer end
  function Last:forward(x) return functional.embedding(numbers {1, 2, 1, 3}, (self.layer(x))) end

  local models = {
    ["of linear layers"] = function()
      return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.LayerNorm(8), nn.Dropout(0.2), nn.Linear(8, 3)), {4, 6}
    end,
    ["of convolutions"] = function()
      return nn.Sequential(nn.Conv2d(1, 2, 3, {padding = 1}), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                           nn.Linear(18, 3)), {4, 1, 6, 6}
    end,
    ["with embedded rows"] = function() return nn.Sequential(nn.Linear(5, 3), nn.Tanh(), Last(nn.Linear(3, 3))), {3, 5} end,
  }

  for name, make in pairs(models) do
    for rule, options in pairs {SGD = {lr = 0.1, momentum = 0.9}, AdamW = {lr = 0.01}} do
      it(("%s with %s"):format(name, rule), function()
        local model, shape = make()
        local x, classes = lt.randn(shape), numbers {1, 3, 2, 1}
        local optimizer = optim[rule](model:parameters(), options)
        local step = lt.compile(function()
          optimizer:zero_grad()
          local loss = functional.cross_entropy(model(x), classes)
          loss:backward()
          optimizer:step()
          return loss
        end)
        step()                           -- makes the optimiser's state
        step()
        local text = step:explain()
        assert.truthy(text:find "1 of 1 schedule reused", text)
        assert.falsy(text:find "run early", text)
      end)
    end
  end

  it("with two optimisers of the same parameters, in the order of their steps", function()
    local function losses(wrap)
      lt.manual_seed(3)
      local p = lt.ones(3):requires_grad_()
      local first, second = optim.SGD({p}, {lr = 0.1}), optim.SGD({p}, {lr = 0.5, momentum = 0.5})
      local step = wrap(function()
        first:zero_grad()
        local loss = (p * p):sum()
        loss:backward()
        first:step()
        second:step()
        return loss, p * 2
      end)
      local list = {}
      for _ = 1, 3 do list[#list + 1] = all_bits(step()) end
      return list
    end
    assert.same(losses(function(f) return f end), losses(lt.compile))
  end)
end)

if on_cpu then
  describe("compiled functions find wrong elements when the list runs:", function()
    local x = lt.arange(12, {dtype = "float32"}):reshape(4, 3)

    -- Each case: the message behind the line, and a function that makes the wrong call.
    local cases = {
      {"cross_entropy: class 4 is out of range: classes are 1 … 3", function(y, mark)
        mark()
        return (functional.cross_entropy(y, numbers {1, 4, 2, 2}))
      end},
      {"nll_loss: class 0 is out of range: classes are 1 … 3", function(y, mark)
        mark()
        return (functional.nll_loss(y, numbers {1, 0, 2, 2}))
      end},
      {"take: index 5 in dim 1: out of range for length 4", function(y, mark)
        mark()
        return (lt.take(y, numbers {1, 5}, 1))
      end},
      {"index 0 in dim 2: Lua tensors start at 1; a mask is a tensor of bool", function(y, mark)
        mark()
        return y[{{}, numbers {1, 0}}]
      end},
      {"index -5 in dim 1: out of range for length 4", function(y, mark)
        mark()
        y[numbers {-5}] = 1
        return y
      end},
      {"index_add_: index 9 in dim 1: out of range for length 4", function(y, mark)
        mark()
        return (y:index_add_(1, numbers {9}, 1))
      end},
    }

    for _, case in ipairs(cases) do
      local message, wrong = table.unpack(case)
      for _, replay in ipairs {false, true} do
        it(message .. (replay and ", in the first calls of replays" or ""), function()
          compiling.check_late(x, message, wrong, {replay = replay})
        end)
      end
    end

    it("an error that is caught in the middle leaves the rest of the function right", function()
      local failed
      local f = lt.compile(function(y)
        local z = lt.take(y * 2, numbers {7}, 1)
        failed = {pcall(z.sum, z)}
        failed.item = {pcall(function() return z:sum():item() end)}
        return y + 1
      end)
      assert.same((x + 1):totable(), f(x):totable())
      assert.falsy(failed.item[1])
      assert.truthy(failed.item[2]:find "families_spec.lua:%d+: take: index 7 in dim 1: out of range for length 4")
    end)
  end)
end

describe("compiled functions whose memory fails", function()
  it("raise an error that names the operation, and their next call is right", function()
    local model = nn.Sequential(nn.Conv1d(2, 3, 2), nn.MaxPool1d(2), nn.Flatten(), nn.LayerNorm(6), nn.Linear(6, 3))
    local x, classes = lt.randn(4, 2, 5), numbers {1, 2, 3, 1}
    local optimizer = optim.Adam(model:parameters(), {lr = 0.01})
    local function run()
      optimizer:zero_grad()
      local loss = functional.cross_entropy(model(x), classes)
      loss:backward()
      optimizer:step()
      return loss
    end
    local step = lt.compile(run)
    step()
    local saved, state = model:state_dict(), optimizer:state_dict()
    for name, t in pairs(saved) do saved[name] = t:clone() end
    local names, n = {}, 0
    repeat
      n = n + 1
      lt._fail_after(n, 1 << 20)
      local ok, why = pcall(step)
      lt._fail_after(0)
      if not ok then
        assert.truthy(why:find "memory", why)
        names[#names + 1] = why:match "scratch of ([%w_]+)"
      end
    until ok or n > 200
    assert.truthy(n > 3 and n <= 200, n)
    model:load_state_dict(saved)
    optimizer:load_state_dict(state)
    local expected = all_bits(step())
    model:load_state_dict(saved)
    optimizer:load_state_dict(state)
    assert.same(all_bits(run()), expected)
  end)
end)
