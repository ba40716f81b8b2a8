-- Compares pooling and its gradients with nested loops in plain Lua: windows, strides, paddings, dilations, dtypes,
-- layouts.
local lt = require "luatensor"
local nn = require "luatensor.nn"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"
local planes = require "spec.support.planes"

local F, on_cpu = nn.functional, helpers.device == "cpu"
local halves, each = planes.halves, planes.each

local here = planes.available(function() return F.max_pool2d(lt.zeros({1, 1, 1, 1}), 1) end)
local it = here and it or function(name) pending(name .. " (no pooling on " .. helpers.device .. ")") end

-- ---- the oracle ----

local function pair(v, otherwise)
  if v == nil then v = otherwise end
  return type(v) == "table" and v or {v, v}
end

-- Returns a list of the windows along dim d. A window is {list of 0-based positions in x, divisor of the average}.
local function windows(case, d, length)
  local list, kernel = {}, pair(case.kernel)[d]
  if case.size then
    local n = pair(case.size)[d]
    for p = 0, n - 1 do
      local w = {}
      for i = p * length // n, -(-(p + 1) * length // n) - 1 do w[#w + 1] = i end
      list[#list + 1] = {w, #w}
    end
    return list
  end
  local s, pad, dilation = pair(case.stride, case.kernel)[d], pair(case.padding, 0)[d], pair(case.dilation, 1)[d]
  local room = length + 2 * pad - dilation * (kernel - 1) - 1
  local n = (case.ceil_mode and -(-room // s) or room // s) + 1
  if case.ceil_mode and (n - 1) * s >= length + pad then n = n - 1 end
  for p = 0, n - 1 do
    local w, counted = {}, 0
    for k = 0, kernel - 1 do
      local i = p * s - pad + k * dilation
      if i >= 0 and i < length then w[#w + 1] = i end
      if i < length + pad then counted = counted + 1 end
    end
    list[#list + 1] = {w, case.count_include_pad == false and #w or counted}
  end
  return list
end

-- Calls visit(index in the result, list of indices in x, divisor of an average) for each window. The indices are
-- 1-based. Returns the result's shape.
local function each_window(case, visit)
  local x = case.x
  local rows, columns = windows(case, 1, x[3]), windows(case, 2, x[4])
  local y, at = {x[1], x[2], #rows, #columns}, 0
  each(y, function(b, c, p, q)
    local list = {}
    for _, i in ipairs(rows[p + 1][1]) do
      for _, j in ipairs(columns[q + 1][1]) do list[#list + 1] = ((b * x[2] + c) * x[3] + i) * x[4] + j + 1 end
    end
    at = at + 1
    visit(at, list, case.divisor_override or rows[p + 1][2] * columns[q + 1][2])
  end)
  return y
end

local function max_oracle(case, x, g)
  local y, places, gx = {}, {}, {}
  for i = 1, #x do gx[i] = 0.0 end
  local shape = each_window(case, function(at, list)
    local best = list[1]
    for _, i in ipairs(list) do
      if x[i] > x[best] then best = i end
    end
    y[at], places[at] = x[best], (best - 1) % (case.x[3] * case.x[4]) + 1
    gx[best] = gx[best] + g(at)
  end)
  return shape, y, places, gx
end

local function average_oracle(case, x, g)
  local y, gx = {}, {}
  for i = 1, #x do gx[i] = 0.0 end
  local shape = each_window(case, function(at, list, count)
    local sum = 0.0
    for _, i in ipairs(list) do
      sum = sum + x[i]
      gx[i] = gx[i] + g(at) / count
    end
    y[at] = sum / count
  end)
  return shape, y, gx
end

-- ---- cases ----

local cases = {
  {"2 × 2", x = {2, 3, 4, 6}, kernel = 2},
  {"2 × 2 of odd lengths", x = {1, 2, 5, 7}, kernel = 2},
  {"4 × 4 of long rows", x = {1, 1, 8, 70}, kernel = 4},
  {"overlapping windows with padding", x = {2, 2, 7, 9}, kernel = 4, stride = 2, padding = 1},
  {"different lengths", x = {1, 2, 6, 9}, kernel = {1, 4}, stride = {2, 1}, padding = {0, 2}},
  {"windows behind the end", x = {1, 1, 6, 7}, kernel = 2, stride = 3, ceil_mode = true},
  {"stride 1", x = {1, 2, 5, 6}, kernel = 2, stride = 1},
  {"rows of several vectors and a rest", x = {1, 2, 4, 86}, kernel = 2},
  {"long rows with stride 1", x = {1, 1, 3, 41}, kernel = 2, stride = 1},
  {"long rows with stride 3", x = {1, 1, 2, 80}, kernel = 2, stride = 3},
  {"many small planes", x = {9, 7, 4, 4}, kernel = 2},
  {"a window longer than the image", x = {1, 2, 2, 3}, kernel = {3, 4}, stride = 2, ceil_mode = true},
}
if not on_cpu then cases = {cases[1], cases[4], cases[6], cases[#cases]} end
local dilated = {"dilation", x = {1, 2, 9, 8}, kernel = 2, stride = 2, dilation = {3, 2}, padding = {1, 0}}
local averaged = {
  {"without the padding", x = {1, 2, 4, 4}, kernel = 2, padding = 1, count_include_pad = false},
  {"with a divisor", x = {1, 2, 4, 6}, kernel = 2, divisor_override = 2},
  {"behind the end with padding", x = {1, 1, 6, 6}, kernel = 4, stride = 4, padding = 1, ceil_mode = true},
}
local adaptive = {
  {"to one", x = {2, 3, 4, 8}, size = 1},
  {"to windows of different lengths", x = {1, 2, 7, 5}, size = {4, 3}},
  {"to more than there are", x = {1, 1, 3, 2}, size = 4},
}
local dtypes = on_cpu and {"float32", "float64", "float16", "bfloat16"} or {"float32"}

local function options_of(case)
  local options = {}
  for _, name in ipairs {"stride", "padding", "dilation", "ceil_mode", "count_include_pad", "divisor_override"} do
    options[name] = case[name]
  end
  return options
end

local function seeds(case, dtype)
  local shape = each_window(case, function() end)
  return halves(shape, dtype, 4)
end

local function run_max(case, dtype, layout)
  local x, x_list = halves(case.x, dtype, 1)
  local g, g_list = seeds(case, dtype)
  local options = options_of(case)
  options.return_indices = true
  x, g = layout(x):requires_grad_(), layout(g)
  local y, places
  if case.size then y, places = F.adaptive_max_pool2d(x, case.size, {return_indices = true})
  else y, places = F.max_pool2d(x, case.kernel, options) end
  y:backward(g)
  local shape, want, want_places, gx = max_oracle(case, x_list, function(at) return g_list[at] end)
  planes.check("y", shape, want, y)
  planes.check("places", shape, want_places, places)
  local alone = case.size and F.adaptive_max_pool2d(x:detach(), case.size)
                or F.max_pool2d(x:detach(), case.kernel, options_of(case))
  planes.check("y without places", shape, want, alone)
  planes.check("x's gradient", case.x, gx, x.grad)
  assert.equal("int64", places.dtype)
end

local function same(x) return x end

describe("max_pool2d", function()
  for _, case in ipairs {dilated, table.unpack(cases)} do
    for _, dtype in ipairs(dtypes) do
      it(("takes the maximum of %s, %s"):format(case[1], dtype), function() run_max(case, dtype, same) end)
    end
  end
  for _, case in ipairs(adaptive) do
    it("takes maxima " .. case[1], function() run_max(case, "float32", same) end)
  end
  for name, layout in pairs(gradient.layouts) do
    it("takes " .. name .. " tensors", function()
      run_max(cases[1], "float32", function(x) return layout(x):detach() end)
    end)
  end

  it("gives the same without gradients, and of -inf that", function()
    local x = halves({1, 2, 7, 9}, "float32", 1)
    local y = F.max_pool2d(x, 3, {stride = 2, padding = 1})
    x:requires_grad_()
    assert.is_true(y:equal((F.max_pool2d(x, 3, {stride = 2, padding = 1}))):all():item())
    local low = lt.full({1, 1, 2, 2}, -math.huge, {dtype = "float32", device = helpers.device})
    local most, places = F.max_pool2d(low, 2, {return_indices = true})
    assert.equal(-math.huge, most:item())
    assert.equal(1, places:item())
  end)

  it("passes NaN on", function()
    local x = lt.zeros({1, 1, 4, 4}, {dtype = "float32", device = helpers.device})
    x[{1, 1, 2, 3}] = 0 / 0
    assert.equal(1, lt.isnan((F.max_pool2d(x, 2))):sum():item())
    assert.equal(1, lt.isnan((F.max_pool2d(x, 2, {return_indices = true}))):sum():item())
  end)

  it("takes the last of several NaN", function()
    local x = lt.zeros({1, 2, 5}, {dtype = "float32", device = helpers.device})
    x[{1, 1, 2}], x[{1, 1, 4}], x[{1, 2, 1}], x[{1, 2, 2}] = 0 / 0, 0 / 0, 0 / 0, 7
    for _, f in ipairs {function() return F.max_pool1d(x, 5, {return_indices = true}) end,
                        function() return F.adaptive_max_pool1d(x, 1, {return_indices = true}) end} do
      local y, places = f()
      assert.equal(2, lt.isnan(y):sum():item())
      assert.same({{{4}, {1}}}, places:totable())
    end
  end)

  it("takes an image without a batch, and an empty batch", function()
    local y, places = F.max_pool2d(halves({2, 4, 6}, "float32", 1), 2, {return_indices = true})
    assert.equal("[2, 2, 3]", tostring(y.shape))
    assert.equal("[2, 2, 3]", tostring(places.shape))
    local x = lt.zeros({0, 2, 4, 6}, {dtype = "float32", device = helpers.device}):requires_grad_()
    y = F.max_pool2d(x, 2)
    assert.equal("[0, 2, 2, 3]", tostring(y.shape))
    y:sum():backward()
    assert.equal("[0, 2, 4, 6]", tostring(x.grad.shape))
  end)
end)

local function run_average(case, dtype, layout)
  local x, x_list = halves(case.x, dtype, 1)
  local g, g_list = seeds(case, dtype)
  x, g = layout(x):requires_grad_(), layout(g)
  local y = case.size and F.adaptive_avg_pool2d(x, case.size) or F.avg_pool2d(x, case.kernel, options_of(case))
  y:backward(g)
  local shape, want, gx = average_oracle(case, x_list, function(at) return g_list[at] end)
  planes.check("y", shape, want, y)
  planes.check("x's gradient", case.x, gx, x.grad)
end

local function is_exact(case)
  local exact = true
  each_window(case, function(_, _, count) exact = exact and count & (count - 1) == 0 end)
  return exact
end

describe("avg_pool2d", function()
  for _, list in ipairs {cases, averaged} do
    for _, case in ipairs(list) do
      for _, dtype in ipairs(is_exact(case) and dtypes or on_cpu and {"float64"} or {}) do
        it(("takes the mean of %s, %s"):format(case[1], dtype), function() run_average(case, dtype, same) end)
      end
    end
  end
  it("takes means to one", function() run_average(adaptive[1], "float32", same) end)
  if on_cpu then
    it("takes means of whole rows, which are several vectors and a rest", function()
      run_average({x = {1, 2, 4, 85}, size = {2, 1}}, "float64", same)
      run_average({x = {9, 7, 3, 3}, size = 1}, "float64", same)
    end)
  end
  for name, layout in pairs(gradient.layouts) do
    it("takes " .. name .. " tensors", function()
      run_average(cases[1], "float32", function(x) return layout(x):detach() end)
    end)
  end
end)

describe("pooling of signals", function()
  it("goes along the last dim", function()
    local x = lt.tensor({{1, 5, 2, 4, 3}}, {dtype = "float32", device = helpers.device})
    assert.same({{5, 4}}, F.max_pool1d(x, 2):totable())
    assert.same({{3, 3}}, F.avg_pool1d(x, 2):totable())
    assert.same({{5, 5, 4, 4}}, F.max_pool1d(x, 2, {stride = 1}):totable())
    assert.same({{3}}, F.adaptive_avg_pool1d(x, 1):totable())
    assert.same({{5, 4}}, F.adaptive_max_pool1d(x, 2):totable())
    assert.same({{{1, 5, 2, 4, 3}}}, F.adaptive_avg_pool2d(x:expand_dims(1), {1, false}):totable())
  end)
end)

if on_cpu then
  describe("the gradient of", function()
    local function check(name, fn, shape)
      local x = gradient.tensor(shape, -2, 2, 5)
      it(name, function() gradient.check(name, fn, {x}, {tolerance = 1e-6}) end)
      it(name .. ", twice", function()
        gradient.check(name, gradient.of(function(y) return fn(y):square() end), {x}, {tolerance = 1e-5})
      end)
    end
    check("max_pool2d", function(x) return F.max_pool2d(x, 3, {stride = 2, padding = 1}) end, {1, 2, 4, 5})
    check("avg_pool2d", function(x) return F.avg_pool2d(x, 3, {stride = 2, padding = 1}) end, {1, 2, 4, 5})
    check("adaptive_avg_pool2d", function(x) return F.adaptive_avg_pool2d(x, {3, 2}) end, {1, 2, 4, 5})
    check("adaptive_max_pool1d", function(x) return F.adaptive_max_pool1d(x, 3) end, {2, 7})
  end)
end

describe("pooling layers", function()
  it("print what was asked for", function()
    assert.truthy(tostring(nn.MaxPool2d(3, {stride = 2, padding = {1, 0}})):find(
      "MaxPool2d(3, stride = 2, padding = {1, 0})", 1, true))
    assert.truthy(tostring(nn.AdaptiveAvgPool2d {7, false}):find("AdaptiveAvgPool2d({7, false})", 1, true))
  end)

  for words, fn in pairs {
    ["MaxPool2d(3): a kernel of 3 × 3 finds no place in [1, 2, 2, 9]: with its dilation it is 3 long, the padded input 2"] =
      function() nn.MaxPool2d(3)((halves({1, 2, 2, 9}, "float32", 1))) end,
    ["max_pool1d: a kernel of 4 finds no place in [1, 1, 2]: with its dilation it is 4 long, the padded input 2"] =
      function() F.max_pool1d(halves({1, 1, 2}, "float32", 1), 4, {stride = 2, ceil_mode = true}) end,
    ["AvgPool1d(2): the input must be [batch, channels, length] or [channels, length], its shape is [4]"] =
      function() nn.AvgPool1d(2)((halves({4}, "float32", 1))) end,
    ["MaxPool2d: padding must be at most half the kernel_size, got 2 and 3"] =
      function() nn.MaxPool2d(3, {padding = 2}) end,
    ["AvgPool2d: unknown option \"dilation\""] = function() nn.AvgPool2d(3, {dilation = 2}) end,
    ["AdaptiveAvgPool2d: output_size: 0 is out of range"] = function() nn.AdaptiveAvgPool2d(0) end,
    ["max_pool2d: not for int64; use x:to(\"float32\")"] =
      function() F.max_pool2d(halves({1, 1, 2, 2}, "float32", 1):to("int64"), 2) end,
  } do
    it("say " .. words, function()
      local ok, message = pcall(fn)
      assert.is_false(ok)
      assert.truthy(message:find("pool_spec.lua:%d+: "), message)
      assert.truthy(message:find(words, 1, true), message)
    end)
  end
end)
