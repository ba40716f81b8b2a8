-- tags: process
-- Convolutions, pooling, normalisation, cross entropy and updates on a device of a plugin of PJRT, which LUATENSOR_PJRT_XLA
-- names. The results of the CPU, forward and backward, are the oracle. The geometry is random with a fixed seed.

local beside = require "spec.pjrt.beside"
local lt = require "luatensor"
local nn, optim = require "luatensor.nn", require "luatensor.optim"
local F = nn.functional

if not beside.plugin "networks on a device of PJRT" then return end

local dtypes = {"float16", "bfloat16", "float32", "float64"}
local tolerance = {float16 = 2 ^ -9, bfloat16 = 2 ^ -6, float32 = 2e-6, float64 = 1e-13}

-- Calls f with copies of the given tensors on a device. Returns the result, f's other results, and the gradients.
local function results(device, f, given)
  local inputs = {}
  for k, x in ipairs(given) do
    inputs[k] = x:clone():to(device)
    if x.dtype:find "float" then inputs[k]:requires_grad_() end
  end
  local out = {f(table.unpack(inputs))}
  local factors = lt.linspace(-1, 2, out[1]:flatten().shape[1]):reshape(out[1].shape):to(out[1].dtype):to(device)
  ;(out[1] * factors):sum():backward()
  out[1] = out[1]:detach()
  for _, x in ipairs(inputs) do if x.dtype:find "float" then out[#out + 1] = x.grad end end
  return out
end

-- Queues a comparison of the results on the CPU and on the device.
local function compare(name, f, ...)
  local here, there = results("cpu", f, {...}), results("xla", f, {...})
  for k, want in ipairs(here) do beside.queue(name .. ", result " .. k, want, there[k]) end
end

-- Asserts that the results agree, and that the CPU has computed no call of a family for the device. Errors are counted in
-- relation to the largest number of a result, or to 0.1, because sums lose digits.
local function check(family)
  beside.check(function(got, want)
    local most = tolerance[want.dtype]
    if not most then return got:equal(want):all():item() end
    local largest = lt.where(want:isfinite(), want:abs(), 0):max():to("float64"):item()
    local options = {rtol = most, atol = most * math.max(largest, 0.1), equal_nan = true}
    return lt.isclose(got:to "float64", want:to "float64", options):all():item()
  end, family)
end

describe("a device of PJRT", function()
  before_each(function() lt.manual_seed(7) math.randomseed(7) end)

  it("convolves", function()
    for _, dtype in ipairs(dtypes) do
      for dims = 1, 2 do
        local groups, x, w = math.random(3), {2}, {}
        local options = {groups = groups, stride = {}, padding = {}, dilation = {}}
        w[1], w[2] = groups * math.random(2), math.random(2)
        x[2] = groups * w[2]
        for d = 1, dims do
          x[2 + d], w[2 + d] = math.random(6, 9), math.random(3)
          options.stride[d], options.padding[d], options.dilation[d] = math.random(3), math.random(0, 3), math.random(2)
        end
        compare(("conv%dd %s"):format(dims, dtype), function(a, b, bias) return F["conv" .. dims .. "d"](a, b, bias, options) end,
                lt.randn(x):to(dtype), lt.randn(w):to(dtype), lt.randn({w[1]}):to(dtype))
      end
    end
    compare("conv_transpose2d", function(a, b) return F.conv_transpose2d(a, b, {stride = 2, padding = 1}) end,
            lt.randn(2, 3, 4, 5), lt.randn(3, 2, 3, 3))
    compare("strides that leave the end out", function(a, b) return F.conv2d(a, b, {stride = 3}) end, lt.randn(1, 2, 7, 8), lt.randn(3, 2, 2, 2))
    check "conv"
  end)

  it("pools", function()
    for _, dtype in ipairs(dtypes) do
      local x = lt.randn(2, 3, 7, 8):to(dtype)
      compare("avg_pool2d " .. dtype, function(a) return F.avg_pool2d(a, 3, {stride = 2, padding = 1, ceil_mode = true}) end, x)
      x[{1, 1, 2, {2, 3}}], x[{1, 2, {1, 4}, {1, 4}}], x[{2, 1}] = 0 / 0, -1 / 0, 1
      compare("max_pool2d " .. dtype, function(a) return F.max_pool2d(a, 3, {stride = 2, padding = 1, return_indices = true}) end, x)
    end
    local x = lt.randn(2, 3, 7, 8)
    compare("dilated max_pool2d", function(a) return F.max_pool2d(a, 2, {stride = 3, padding = 1, dilation = 2, ceil_mode = true}) end, x)
    compare("averages without the padding", function(a) return F.avg_pool2d(a, 3, {stride = 2, padding = 1, count_include_pad = false}) end, x)
    compare("averages by a divisor", function(a) return F.avg_pool2d(a, {2, 3}, {divisor_override = 5}) end, x)
    compare("adaptive_avg_pool2d", function(a) return F.adaptive_avg_pool2d(a, {1, 2}) end, x)
    compare("adaptive_max_pool2d", function(a) return F.adaptive_max_pool2d(a, {7, 4}) end, x)
    check "pool"
  end)

  it("computes the cross entropy", function()
    local classes = lt.tensor({1, 5, 3, 2, 2, 4}, {dtype = "int64"})
    for _, dtype in ipairs(dtypes) do
      for _, options in ipairs {{}, {reduction = "none"}, {reduction = "sum", ignore_index = 2}} do
        compare("cross_entropy " .. dtype, function(x, c) return F.cross_entropy(x, c, options) end, lt.randn(6, 5):multiply(3):to(dtype), classes)
      end
    end
    local special = lt.tensor {{1, 2, 0 / 0, 1, 1}, {1, 1 / 0, 2, 1, 1}, {1, 2, -1 / 0, 0, 3}}
    for _, list in ipairs {{1, 2, 3}, {3, 3, 5}} do
      compare("special values", function(x, c) return F.cross_entropy(x, c, {reduction = "none"}) end, special, lt.tensor(list))
    end
    compare("without rows that count", function(x, c) return F.cross_entropy(x, c, {ignore_index = 1}) end, special, lt.tensor {1, 1, 1})
    check "cross_entropy"
  end)

  it("says that a class is out of range", function()
    local x = lt.ones(2, 3, {device = "xla"})
    for _, class in ipairs {0, 4} do
      local classes = lt.full({2}, class - 1, {dtype = "int64", device = "xla"}) + 1
      assert.error_matches(function() F.cross_entropy(x, classes) end, ("cross_entropy: class %d is out of range: classes are 1 … 3"):format(class))
    end
  end)

  it("normalises", function()
    for _, dtype in ipairs(dtypes) do
      local x, six, five = lt.randn(4, 6, 5):multiply(3):add(2):to(dtype), lt.rand(6):to(dtype), lt.rand(5):to(dtype)
      for _, training in ipairs {true, false} do
        compare(("batch_norm %s %s"):format(training, dtype), function(a, w, b)
          local mean, var = lt.linspace(-1, 1, 6):to(a.device), lt.linspace(0.5, 1, 6):to(a.device)
          return F.batch_norm(a, mean, var, {weight = w, bias = b, training = training}), mean, var
        end, x, six, six:flip(1))
      end
      compare("layer_norm " .. dtype, function(a, w, b) return F.layer_norm(a, {5}, {weight = w, bias = b}) end, x, five, five:flip(1))
      compare("group_norm " .. dtype, function(a, w, b) return F.group_norm(a, 3, {weight = w, bias = b}) end, x, six, six:flip(1))
      compare("rms_norm " .. dtype, function(a, w) return F.rms_norm(a, {5}, {weight = w}) end, x, five)
    end
    local x = lt.randn(4, 6, 5)
    compare("layer_norm of two dims", function(a) return F.layer_norm(a, {6, 5}) end, x)
    compare("softmax", function(a) return a:softmax(3) end, x)
    compare("log_softmax", function(a) return a:log_softmax(2) end, x)
    check "norm"
  end)

  it("updates parameters in half precision", function()
    for _, dtype in ipairs {"float16", "bfloat16"} do
      for _, name in ipairs {"SGD", "Adam", "Adadelta"} do
        local function updated(device)
          local p = lt.linspace(-2, 3, 12):reshape(3, 4):to(dtype):to(device):requires_grad_()
          local opt = optim[name]({p}, {weight_decay = 0.1})
          p.grad = lt.linspace(1, -2, 12):reshape(4, 3):to(dtype):to(device).mT
          opt:step()
          opt:step()
          return p:detach()
        end
        beside.queue(name .. " " .. dtype, updated "cpu", updated "xla")
      end
    end
    check "update"
  end)
end)
