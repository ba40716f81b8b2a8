-- tags: no-cudnn
-- Compares convolutions with nested loops in plain Lua, for many shapes, strides, paddings, dilations, groups, dtypes
-- and layouts. Gradients are compared with nested loops and with finite differences. The weight's gradient in bfloat16
-- is not compared with nested loops. The inputs are multiples of 1/2, so that every dtype can represent the sums
-- exactly.
local lt = require "luatensor"
local nn = require "luatensor.nn"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"
local planes = require "spec.support.planes"

local F, on_cpu = nn.functional, helpers.device == "cpu"
local halves, each = planes.halves, planes.each

local here = planes.available(function() return F.conv2d(lt.zeros({1, 1, 1, 1}), lt.zeros({1, 1, 1, 1})) end)
local it = here and it or function(name) pending(name .. " (no convolutions on " .. helpers.device .. ")") end

-- ---- the oracle ----

local function pair(v, otherwise)
  if v == nil then v = otherwise end
  return type(v) == "table" and v or {v, v}
end

-- Calls visit(b, o, p, q, c, channel, i, j, k, l) for each product x[b, channel, i, j] · w[o, c, k, l] in the sum
-- y[b, o, p, q]. b: image; o: output channel; c: index of input channel `channel` in its group; p, i: rows; q,
-- j: columns; k, l: row and column of the kernel. All are 0-based. Position (i, j) may lie outside of x.
local function products(case, visit)
  local x, w, y = case.x, case.w, case.y
  local s, d, a = pair(case.stride, 1), pair(case.dilation, 1), pair(case.padding, 0)
  local inner, per_group = w[2], w[1] // (case.groups or 1)
  each(y, function(b, o, p, q)
    local first = o // per_group * inner
    for c = 0, inner - 1 do
      for k = 0, w[3] - 1 do
        for l = 0, w[4] - 1 do
          visit(b, o, p, q, c, first + c, p * s[1] + k * d[1] - a[1], q * s[2] + l * d[2] - a[2], k, l)
        end
      end
    end
  end)
  return x
end

local function index(shape, b, c, i, j) return ((b * shape[2] + c) * shape[3] + i) * shape[4] + j + 1 end

local function result_shape(case)
  local s, d, a = pair(case.stride, 1), pair(case.dilation, 1), pair(case.padding, 0)
  local y = {case.x[1], case.w[1]}
  for k = 1, 2 do
    y[k + 2] = (case.x[k + 2] + 2 * a[k] - d[k] * (case.w[k + 2] - 1) - 1) // s[k] + 1
  end
  return y
end

local function zeros(shape)
  local list = {}
  for i = 1, shape[1] * shape[2] * shape[3] * shape[4] do list[i] = 0.0 end
  return list
end

-- Returns lists of the elements of y, and of the gradients of x and w for the gradient g of y.
local function oracle(case, x, w, bias, g)
  local y, gx, gw = zeros(case.y), zeros(case.x), zeros(case.w)
  local read = planes.reader(x, case.x)
  each(case.y, function(b, o, p, q) y[index(case.y, b, o, p, q)] = bias and bias[o + 1] or 0.0 end)
  products(case, function(b, o, p, q, c, channel, i, j, k, l)
    local at, tap = index(case.y, b, o, p, q), index(case.w, o, c, k, l)
    local v = read(b, channel, i, j)
    y[at] = y[at] + v * w[tap]
    gw[tap] = gw[tap] + v * g[at]
    if i >= 0 and j >= 0 and i < case.x[3] and j < case.x[4] then
      local from = index(case.x, b, channel, i, j)
      gx[from] = gx[from] + g[at] * w[tap]
    end
  end)
  return y, gx, gw
end

-- ---- cases ----

local cases = {
  {"one tap", x = {2, 3, 4, 5}, w = {4, 3, 1, 1}},
  {"a 3 × 3 kernel", x = {2, 2, 6, 7}, w = {3, 2, 3, 3}, padding = 1},
  {"no padding", x = {1, 1, 5, 5}, w = {2, 1, 3, 2}},
  {"more rows than a tile has", x = {1, 2, 5, 6}, w = {13, 2, 3, 3}, padding = 1},
  {"rows as wide as several vectors", x = {1, 1, 3, 75}, w = {9, 1, 3, 3}, padding = 1},
  {"many narrow images", x = {19, 2, 3, 3}, w = {2, 2, 2, 2}},
  {"stride 2", x = {2, 2, 7, 9}, w = {3, 2, 3, 3}, stride = 2, padding = 1},
  {"stride 2 of several images", x = {3, 2, 9, 40}, w = {8, 2, 3, 3}, stride = 2, padding = 1},
  {"stride 2 of more kernels than a tile has rows", x = {1, 2, 5, 30}, w = {49, 2, 3, 3}, stride = 2, padding = 1},
  {"stride 2 along columns, no padding", x = {2, 3, 8, 6}, w = {9, 3, 3, 2}, stride = {2, 1}},
  {"two groups, different strides", x = {2, 4, 11, 25}, w = {6, 2, 4, 4}, groups = 2, stride = {3, 2}, padding = {2, 1}},
  {"stride 3 beyond a kernel of 2", x = {1, 2, 8, 10}, w = {2, 2, 2, 2}, stride = 3},
  {"stride 2 of one tap", x = {2, 3, 5, 6}, w = {2, 3, 1, 1}, stride = 2},
  {"different lengths, strides, paddings", x = {1, 2, 7, 10}, w = {2, 2, 2, 4}, stride = {1, 2}, padding = {0, 2}},
  {"dilation", x = {1, 2, 9, 8}, w = {2, 2, 3, 2}, dilation = {2, 3}, padding = {2, 1}},
  {"dilation and stride", x = {1, 1, 11, 12}, w = {2, 1, 3, 3}, dilation = 2, stride = 3, padding = 2},
  {"padding wider than the kernel", x = {1, 1, 2, 3}, w = {1, 1, 2, 2}, padding = 3},
  {"two groups", x = {2, 4, 5, 5}, w = {6, 2, 3, 3}, groups = 2, padding = 1},
  {"a group a channel", x = {2, 5, 6, 20}, w = {5, 1, 3, 3}, groups = 5, padding = 1},
  {"a group a channel, two kernels each", x = {1, 3, 6, 6}, w = {6, 1, 2, 2}, groups = 3, stride = 2},
  {"a group a channel, long rows", x = {1, 8, 2, 75}, w = {8, 1, 2, 3}, groups = 8, padding = {0, 1}},
  {"a group a channel, blocks of rows", x = {1, 8, 13, 18}, w = {8, 1, 2, 2}, groups = 8},
  {"a group a channel, stride 2", x = {2, 5, 7, 38}, w = {5, 1, 3, 3}, groups = 5, stride = 2, padding = 1},
  {"a group a channel, stride 2 along rows", x = {2, 4, 3, 9}, w = {4, 1, 3, 4}, groups = 4, stride = {1, 2}},
  {"a group a channel, stride 2 along columns", x = {2, 4, 9, 3}, w = {4, 1, 4, 3}, groups = 4, stride = {2, 1}},
  {"a group a channel, stride 3 beyond a kernel of 2", x = {2, 4, 8, 10}, w = {4, 1, 2, 2}, groups = 4, stride = 3},
  {"a group a channel, dilation and stride", x = {1, 8, 11, 12}, w = {8, 1, 3, 3}, groups = 8, dilation = 2, stride = 3,
   padding = 2},
  {"groups of two channels, one kernel each", x = {2, 8, 5, 6}, w = {4, 2, 3, 3}, groups = 4, padding = 1},
  {"a kernel as large as the image", x = {3, 2, 4, 5}, w = {3, 2, 4, 5}},
  {"an image that is not read to its end", x = {1, 1, 6, 6}, w = {2, 1, 2, 2}, stride = 4},
  {"strides longer than the image", x = {1, 2, 3, 5}, w = {2, 2, 1, 2}, stride = 1 << 20, padding = {0, 1}},
  {"dilation beyond the stride", x = {1, 1, 9, 11}, w = {1, 1, 2, 3}, stride = 3, dilation = {5, 4}, padding = 2},
  {"one channel, planes of several bands", x = {1, 1, 130, 71}, w = {1, 1, 2, 2}, padding = {1, 0}},
  {"one channel, stride 2, planes of several bands", x = {1, 1, 131, 71}, w = {1, 1, 3, 2}, stride = 2, padding = 1},
  {"one channel, stride 3 beyond a kernel of 2, planes of several bands", x = {1, 1, 100, 93}, w = {1, 1, 2, 2}, stride = 3},
  {"one channel, rows longer than a band", x = {1, 1, 8, 4201}, w = {1, 1, 3, 2}, stride = {3, 2}},
}
if not on_cpu then cases = {cases[2], cases[7], cases[12], cases[14], cases[15]} end

local dtypes = on_cpu and {"float32", "float64", "float16", "bfloat16"} or {"float32"}

local function options_of(case)
  return {stride = case.stride, padding = case.padding, dilation = case.dilation, groups = case.groups}
end

local function run_case(case, dtype, layout)
  case.y = result_shape(case)
  local x, x_list = halves(case.x, dtype, 1)
  local w, w_list = halves(case.w, dtype, 2)
  local bias, bias_list = halves({case.w[1]}, dtype, 3)
  local g, g_list = halves(case.y, dtype, 4)
  x, w, g = layout(x):requires_grad_(), layout(w):requires_grad_(), layout(g)
  bias:requires_grad_()
  local y = F.conv2d(x, w, bias, options_of(case))
  y:backward(g)
  local want, gx, gw = oracle(case, x_list, w_list, bias_list, g_list)
  planes.check("y", case.y, want, y)
  planes.check("x's gradient", case.x, gx, x.grad)
  if dtype ~= "bfloat16" then planes.check("w's gradient", case.w, gw, w.grad) end
  assert.equal(dtype, w.grad.dtype)
end

describe("conv2d", function()
  for _, case in ipairs(cases) do
    for _, dtype in ipairs(dtypes) do
      it(("gives the sums of products of %s, %s"):format(case[1], dtype), function()
        run_case(case, dtype, function(x) return x end)
      end)
    end
  end

  if on_cpu then
    it("needs little memory beyond a large result with one channel in each group", function()
      local threads = lt.get_num_threads()
      local _ <close> = setmetatable({}, {__close = function() lt.set_num_threads(threads) end})
      lt.set_num_threads(4)
      for dtype, result in pairs {float32 = 16 * 2 ^ 20, float16 = 8 * 2 ^ 20} do
        local x, w = lt.ones({1, 4, 128, 128}, {dtype = dtype}), lt.ones({4, 1, 8, 8}, {dtype = dtype})
        collectgarbage()
        local before = lt.memory("cpu").live
        lt.reset_peak_memory()
        local y = F.conv_transpose2d(x, w, nil, {stride = 8, groups = 4})
        assert.equal(result, y.size * (dtype == "float32" and 4 or 2))
        local beyond = lt.memory("cpu").peak - before - result
        assert.is_true(beyond < 2 ^ 20, ("%s: %d bytes"):format(dtype, beyond))
      end
    end)
  end

  for name, layout in pairs(gradient.layouts) do
    it("takes " .. name .. " tensors", function()
      run_case(cases[2], "float32", function(x) return layout(x):detach() end)
    end)
  end

  it("takes numbers, lists, options in place of a bias", function()
    local x, w = halves({1, 2, 5, 6}, "float32", 1), halves({3, 2, 3, 3}, "float32", 2)
    local y = F.conv2d(x, w, nil, {stride = {2, 2}, padding = {1, 1}})
    assert.is_true(y:equal(F.conv2d(x, w, {stride = 2, padding = 1})):all():item())
  end)

  it("keeps lengths with padding \"same\", of even kernels too, and has none with \"valid\"", function()
    local x, x_list = halves({1, 1, 5, 6}, "float32", 1)
    local w, w_list = halves({1, 1, 2, 4}, "float32", 2)
    local y = F.conv2d(x, w, {padding = "same", dilation = {3, 1}})
    assert.equal("[1, 1, 5, 6]", tostring(y.shape))
    local read, want = planes.reader(x_list, {1, 1, 5, 6}), {}
    each({1, 1, 5, 6}, function(b, c, i, j)
      local sum = 0.0
      for k = 0, 1 do
        for l = 0, 3 do sum = sum + read(b, c, i + 3 * k - 1, j + l - 1) * w_list[k * 4 + l + 1] end
      end
      want[#want + 1] = sum
    end)
    planes.check("y", {1, 1, 5, 6}, want, y)
    assert.equal("[1, 1, 4, 3]", tostring(F.conv2d(x, w, {padding = "valid"}).shape))
  end)

  it("takes an image without a batch", function()
    local x, w = halves({2, 5, 6}, "float32", 1), halves({3, 2, 3, 3}, "float32", 2)
    local y = F.conv2d(x, w)
    assert.equal("[3, 3, 4]", tostring(y.shape))
    assert.is_true(y:equal(F.conv2d(x:expand_dims(1), w)[1]):all():item())
  end)

  it("gives nothing for an empty batch, and zeros as gradients", function()
    local x = lt.zeros({0, 2, 5, 6}, {dtype = "float32", device = helpers.device}):requires_grad_()
    local w = halves({3, 2, 3, 3}, "float32", 2):requires_grad_()
    local y = F.conv2d(x, w, {padding = 1})
    assert.equal("[0, 3, 5, 6]", tostring(y.shape))
    y:sum():backward()
    assert.equal("[0, 2, 5, 6]", tostring(x.grad.shape))
    planes.check("w's gradient", {3, 2, 3, 3}, zeros({3, 2, 3, 3}), w.grad)
  end)

  it("keeps what is not finite to the pixels that read it", function()
    local x = lt.ones({1, 1, 6, 40}, {dtype = "float32", device = helpers.device})
    x[{1, 1, 1, 1}] = 0 / 0
    local w = lt.ones({1, 1, 3, 3}, {dtype = "float32", device = helpers.device}):requires_grad_()
    local y = F.conv2d(x, w)
    assert.equal(1, lt.isnan(y):sum():item())
    y:sum():backward()
    assert.equal(1, lt.isnan(w.grad):sum():item())        -- only the first tap reads the corner of x
  end)

  it("keeps what is not finite to the pixels that read it, with a group a channel", function()
    local x = lt.ones({1, 8, 6, 20}, {dtype = "float32", device = helpers.device})
    x[{1, 3, 3, 1}] = math.huge
    local w = lt.ones({8, 1, 3, 3}, {dtype = "float32", device = helpers.device}):requires_grad_()
    local y = F.conv2d(x, w, {groups = 8})
    assert.equal(3, lt.isinf(y):sum():item())             -- the first pixel of three rows
    y:backward(lt.ones_like(y))
    assert.equal(3, lt.isinf(w.grad):sum():item())        -- the first column of the third kernel
    assert.equal(0, lt.isnan(w.grad):sum():item())
  end)

  if on_cpu then
    it("gives the sums of products of several blocks of groups, float32", function()
      run_case({x = {2, 20, 18, 20}, w = {20, 1, 3, 3}, groups = 20, padding = 1}, "float32", function(x) return x end)
    end)
  end
end)

describe("conv1d", function()
  it("gives the sums of products along signals", function()
    local case = {x = {2, 3, 1, 41}, w = {4, 3, 1, 5}, stride = {1, 2}, padding = {0, 3}, dilation = {1, 2}}
    case.y = result_shape(case)
    local x, x_list = halves({2, 3, 41}, "float32", 1)
    local w, w_list = halves({4, 3, 5}, "float32", 2)
    local g, g_list = halves({case.y[1], case.y[2], case.y[4]}, "float32", 4)
    x:requires_grad_()
    w:requires_grad_()
    local y = F.conv1d(x, w, {stride = 2, padding = 3, dilation = 2})
    y:backward(g)
    local want, gx, gw = oracle(case, x_list, w_list, nil, g_list)
    planes.check("y", {2, 4, case.y[4]}, want, y)
    planes.check("x's gradient", {2, 3, 41}, gx, x.grad)
    planes.check("w's gradient", {4, 3, 5}, gw, w.grad)
    assert.equal("[4, " .. case.y[4] .. "]", tostring(F.conv1d(x[1], w, {stride = 2, padding = 3, dilation = 2}).shape))
  end)
end)

describe("a transposed convolution", function()
  it("is the gradient of the convolution", function()
    local case = {x = {2, 3, 9, 8}, w = {4, 3, 3, 2}, stride = 2, padding = 1}
    case.y = result_shape(case)
    local _, x_list = halves(case.x, "float32", 1)
    local w, w_list = halves(case.w, "float32", 2)
    local g, g_list = halves(case.y, "float32", 4)
    local _, gx = oracle(case, x_list, w_list, nil, g_list)
    planes.check("y", case.x, gx, F.conv_transpose2d(g, w, {stride = 2, padding = 1, output_padding = {0, 0}}))
  end)

  it("has as many elements as output_padding says", function()
    local x, w = halves({1, 2, 4}, "float32", 1), halves({2, 3, 3}, "float32", 2)
    assert.equal("[1, 3, 10]", tostring(F.conv_transpose1d(x, w, {stride = 2, output_padding = 1}).shape))
    assert.equal("[1, 6, 9]", tostring(F.conv_transpose1d(x, halves({2, 3, 3}, "float32", 2),
                                                          {stride = 2, groups = 2}).shape))
  end)
end)

-- ---- gradients ----

if on_cpu then
  describe("the gradient of", function()
    local function check(name, fn, shapes)
      local inputs = {}
      for k, shape in ipairs(shapes) do inputs[k] = gradient.tensor(shape, -1, 1, 10 + k) end
      it(name, function() gradient.check(name, fn, inputs) end)
      it(name .. ", twice", function() gradient.check(name, gradient.of(fn), inputs, {tolerance = 1e-5}) end)
    end
    check("conv2d", function(x, w, b) return F.conv2d(x, w, b, {padding = 1, stride = {1, 2}}) end,
          {{2, 2, 3, 4}, {2, 2, 2, 3}, {2}})
    check("conv2d in groups", function(x, w) return F.conv2d(x, w, {groups = 2, dilation = 2}) end,
          {{1, 2, 4, 3}, {4, 1, 2, 2}})
    check("conv1d", function(x, w, b) return F.conv1d(x, w, b, {padding = "same"}) end, {{2, 2, 5}, {1, 2, 4}, {1}})
    check("conv_transpose2d", function(x, w, b)
      return F.conv_transpose2d(x, w, b, {stride = 2, padding = 1, output_padding = {1, 0}})
    end, {{1, 2, 3, 2}, {2, 1, 3, 3}, {1}})
  end)
end

-- ---- layers ----

describe("Conv2d", function()
  it("draws weights and biases from ±1/√(channels · kernel) and prints what was asked for", function()
    local layer = nn.Conv2d(4, 6, {3, 2}, {padding = {1, 0}, groups = 2})
    assert.equal("[6, 2, 3, 2]", tostring(layer.weight.shape))
    local bound = 1 / math.sqrt(2 * 3 * 2)
    for _, p in ipairs(layer:parameters()) do assert.is_true(p:abs():less_equal(bound):all():item()) end
    assert.is_true(layer.weight:abs():greater(bound / 2):any():item())
    assert.truthy(tostring(layer):find("Conv2d(4, 6, {3, 2}, padding = {1, 0}, groups = 2)", 1, true))
    assert.is_false(nn.Conv2d(4, 6, 3, {bias = false}).bias)
    assert.equal("[4, 3, 5]", tostring(nn.ConvTranspose1d(4, 6, 5, {groups = 2}).weight.shape))
  end)

  it("computes in half floats under autocast", function()
    local layer = nn.Conv2d(1, 2, 3)
    local x = halves({1, 1, 5, 5}, "float32", 1)
    if on_cpu then assert.equal("bfloat16", nn.autocast(function() return layer(x).dtype end)) end
    assert.equal("float32", layer(x).dtype)
  end)

  local function fails(words, fn)
    local ok, message = pcall(fn)
    assert.is_false(ok)
    assert.truthy(message:find("conv_spec.lua:%d+: "), message)
    assert.truthy(message:find(words, 1, true), message)
  end

  local layer, x = nn.Conv2d(3, 4, 3), halves({2, 3, 5, 6}, "float32", 1)

  it("give the bias where there are no channels", function()
    local made = {dtype = "float32", device = helpers.device}
    local bias = lt.tensor({1, 2, 3}, made):requires_grad_()
    local y = F.conv1d(lt.zeros({1, 0, 2}, made), lt.zeros({3, 0, 1}, made), bias)
    assert.same({{{1, 1}, {2, 2}, {3, 3}}}, y:totable())
    y:sum():backward()
    assert.same({2, 2, 2}, bias.grad:totable())
    assert.same({{{0, 0}}}, F.conv1d(lt.zeros({1, 0, 2}, made), lt.zeros({1, 0, 1}, made)):totable())
  end)

  if not on_cpu then
    it("say that a tensor is elsewhere", function()
      local device = x.device
      fails(("Conv2d(3, 4, 3): the input is on cpu, the weight on %s; use :to(%q)"):format(device, device),
            function() layer(x:to("cpu")) end)
      fails(("conv2d: the input is on %s, the bias on cpu; use :to(\"cpu\")"):format(device),
            function() F.conv2d(x, layer.weight, layer.bias:detach():to("cpu")) end)
    end)
  end

  for words, fn in pairs {
    ["Conv2d(3, 4, 3): the input must have 3 channels, its shape is [2, 1, 5, 6]"] =
      function() layer((halves({2, 1, 5, 6}, "float32", 1))) end,
    ["Conv2d(3, 4, 3): the input must be [batch, 3, height, width] or [3, height, width], its shape is [3, 5]"] =
      function() layer((halves({3, 5}, "float32", 1))) end,
    ["Conv2d(3, 4, 3): a kernel of 3 × 3 finds no place in [2, 3, 2, 6]: with its dilation it is 3 long, the padded "
      .. "input 2"] = function() layer((halves({2, 3, 2, 6}, "float32", 1))) end,
    ["Conv2d(3, 4, 3): the input has no elements along dim 4: [2, 3, 5, 0]"] =
      function() layer((halves({2, 3, 5, 0}, "float32", 1))) end,
    ["Conv2d(3, 4, 3): the input is float16, the weight float32"] = function() layer(x:to("float16")) end,
    ["Conv2d(3, 4, 3): not for int64; use x:to(\"float32\")"] = function() layer(x:to("int64")) end,
    ["Conv2d(3, 4, 3): tensor expected, got number"] = function() layer(1) end,
    ["Conv2d: kernel_size: 2 numbers expected, got 3"] = function() nn.Conv2d(3, 4, {3, 3, 3}) end,
    ["Conv2d: kernel_size: 0 is out of range"] = function() nn.Conv2d(3, 4, 0) end,
    ["Conv2d: inputs: 3 channels cannot be divided into 2 groups"] = function() nn.Conv2d(3, 4, 3, {groups = 2}) end,
    ["Conv2d: padding \"same\" needs stride 1"] = function() nn.Conv2d(3, 4, 3, {padding = "same", stride = 2}) end,
    ["Conv2d: padding: numbers, \"same\" or \"valid\" expected, got \"full\""] =
      function() nn.Conv2d(3, 4, 3, {padding = "full"}) end,
    ["Conv2d: padding: -1 is out of range"] = function() nn.Conv2d(3, 4, 3, {padding = -1}) end,
    ["ConvTranspose2d: output_padding must be smaller than the stride, got 2 and 2"] =
      function() nn.ConvTranspose2d(3, 4, 3, {output_padding = 2, stride = 2}) end,
    ["conv2d: the weight must have 4 dims, its shape is [4, 3, 3]"] =
      function() F.conv2d(x, (halves({4, 3, 3}, "float32", 2))) end,
    ["conv2d: the bias must have shape [4], it has [3]"] =
      function() F.conv2d(x, layer.weight, (halves({3}, "float32", 2))) end,
    ["conv2d: the input must have 3 channels, its shape is [2, 4, 5, 6]"] =
      function() F.conv2d(halves({2, 4, 5, 6}, "float32", 1), layer.weight) end,
  } do
    it("says " .. words, function() fails(words, fn) end)
  end
end)

-- ---- threads ----

if on_cpu then
  describe("with any number of threads", function()
    local function train_once(threads)
      local before = lt.get_num_threads()
      lt.set_num_threads(threads)
      lt.manual_seed(3)
      local results = {}
      for _, shape in ipairs {{8, 1, 20, 20}, {3, 40, 9, 9}, {7, 40, 20, 20, groups = 40}} do
        local x = lt.randn(table.unpack(shape)):requires_grad_()
        local layer = nn.Conv2d(shape[2], shape.groups or 10, 3, {padding = 1, groups = shape.groups or 1})
        layer(x):square():sum():backward()
        for _, t in ipairs {x.grad, layer.weight.grad, layer.bias.grad} do results[#results + 1] = t:to_bytes() end
      end
      lt.set_num_threads(before)
      return table.concat(results)
    end
    it("gradients are the same bits", function()
      local one = train_once(1)
      for _, threads in ipairs {2, 3} do assert.is_true(one == train_once(threads)) end
    end)
  end)
end

describe("convolutions of sizes beyond reason", function()
  local x, w = lt.ones(1, 1, 4, 4), lt.ones(1, 1, 3, 3)

  it("say what is too large, in the script's line", function()
    local function refuses(words, f, ...)
      local ok, message = pcall(f, ...)
      assert.is_false(ok)
      assert.truthy(message:find("conv_spec.lua:%d+: ") and message:find(words, 1, true), message)
    end
    local function conv(options) F.conv2d(x, w, options) return nil end
    local function transposed(options) F.conv_transpose2d(x, w, options) return nil end
    refuses("conv2d: padding: 1099511627776 is too large: it must be below 1073741824", conv, {padding = 1 << 40})
    refuses("conv2d: dilation: 4611686018427387904 is too large", conv, {dilation = 1 << 62})
    refuses("conv2d: stride: 4611686018427387904 is too large", conv, {stride = 1 << 62})
    refuses("conv_transpose2d: stride: 1099511627776 is too large", transposed, {stride = 1 << 40})
    refuses("conv2d: the size in bytes does not fit", conv, {padding = (1 << 30) - 1})
    refuses("conv2d: the size in bytes does not fit", conv, {padding = (1 << 30) - 1, stride = (1 << 30) - 1})
    refuses("conv_transpose2d: the size in bytes does not fit", transposed, {stride = 1 << 29, dilation = 1 << 29})
    refuses("conv2d: a kernel without elements: 0 × 3", function() F.conv2d(x, lt.ones(1, 1, 0, 3)) end)
    if on_cpu then
      refuses("Conv2d(1, 1, 3, padding = 524288): out of memory on cpu", function()
        nn.Conv2d(1, 1, 3, {padding = 1 << 19})(x)
      end)
    end
  end)

  it("take strides longer than what they move over", function()
    local input = lt.ones({1, 1, 4, 4}, {requires_grad = true})
    local y = F.conv2d(input, w, {stride = (1 << 30) - 1, padding = 1})
    assert.same({{{{4}}}}, y:totable())
    y:sum():backward()
    assert.same({{{{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}}}, input.grad:totable())
  end)
end)

describe("option out", function()
  local on = {device = helpers.device}
  local function rand(...) return lt.rand(..., {device = helpers.device, generator = lt.generator{seed = 8}}) end

  it("takes the result of a filter: sums of neighbours", function()
    local x = lt.tensor({{{1, 2, 3, 4}}}, {dtype = "float32", device = helpers.device})
    local w, y = lt.ones(1, 1, 2, on), lt.zeros(1, 1, 3, on)
    assert.equal(y, F.conv1d(x, w, {out = y}))
    assert.same({{{3, 5, 7}}}, y:totable())
    local z = lt.zeros(1, 4, on)                              -- no batch dim; conv_transpose1d treats x as a gradient
    assert.equal(z, F.conv_transpose1d(y:squeeze(1), w, lt.tensor({10}, {dtype = "float32", device = helpers.device}), {out = z}))
    assert.same({{13, 18, 22, 17}}, z:totable())
  end)

  for name, case in pairs {
    conv1d = {{2, 4, 9}, {6, 2, 3}, 6, {groups = 2, stride = 2}}, conv2d = {{2, 4, 9, 7}, {6, 4, 3, 2}, 6, {padding = 1}},
    conv_transpose1d = {{2, 4, 9}, {4, 3, 3}, 3, {stride = 2, output_padding = 1}},
    conv_transpose2d = {{2, 4, 5, 4}, {4, 3, 3, 2}, 3, {padding = 1}}
  } do
    it("is what " .. name .. " gives, with and without bias and batch, in other layouts and dtypes", function()
      local x, w, bias = rand(case[1]), rand(case[2]), rand {case[3]}
      for _, input in ipairs {x, x[1]} do
        for _, b in ipairs {bias, false} do
          local want = F[name](input, w, b or nil, case[4])
          local shape = table.move(want.shape, 1, #want.shape, 1, {})
          local turned = lt.zeros({shape[#shape], table.unpack(shape, 1, #shape - 1)}, on)
          for _, out in ipairs {
            lt.zeros(shape, on), turned:moveaxis(1, -1), lt.zeros(shape, {dtype = "float64", device = helpers.device})
          } do
            local options = {out = out}
            for key, value in pairs(case[4]) do options[key] = value end
            assert.equal(out, F[name](input, w, b or nil, options))
            assert.is_true(lt.equal_all(want, out:to "float32"))
          end
        end
      end
    end)
  end

  it("takes empty sums and empty results", function()
    local out = lt.ones(2, 3, 4, on)
    F.conv1d(lt.zeros(2, 0, 6, on), lt.zeros(3, 0, 3, on), {out = out})
    assert.equal(0, out:sum():item())
    assert.equal(0, F.conv1d(lt.zeros(0, 2, 6, on), lt.zeros(3, 2, 3, on), {out = lt.zeros(0, 3, 4, on)}).size)
  end)

  it("refuses targets that do not fit, share memory, or would lose gradients", function()
    local x, w = lt.ones(1, 1, 4, on), lt.ones(1, 1, 1, on)
    local function refuses(text, f, options, bias)
      assert.raises("^" .. text:gsub("%p", "%%%0"), F[f], x, w, bias, options)
    end
    refuses("conv1d: the target has shape [1, 1, 3], the result [1, 1, 4]", "conv1d", {out = lt.zeros(1, 1, 3, on)})
    refuses("conv1d: result float32 does not fit int32", "conv1d", {out = lt.zeros(1, 1, 4, {dtype = "int32", device = helpers.device})})
    refuses("conv1d: the target shares memory with an input", "conv1d", {out = x})
    refuses("conv_transpose1d: the target is a broadcast view", "conv_transpose1d", {out = lt.zeros(1, 1, 1, on):expand(1, 1, 4)})
    refuses("conv1d: option out: tensor expected, got number", "conv1d", {out = 5})
    refuses("conv1d: option out: gradients do not pass through it", "conv1d", {out = lt.zeros(1, 1, 4, on)},
            lt.ones(1, {device = helpers.device, requires_grad = true}))
    refuses("conv_transpose1d: option out: gradients do not pass through it", "conv_transpose1d", {out = lt.zeros(1, 1, 4, on)},
            lt.ones(1, {device = helpers.device, requires_grad = true}))
    assert.raises("conv1d: the target has shape [1, 1, 4], the result 2 dims as the input", F.conv1d, x[1], w, {out = lt.zeros(1, 1, 4, on)})
  end)
end)
