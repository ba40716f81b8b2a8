-- tags: no-cudnn unplugged
-- Tests convolutions on a GPU: the vendor's library (cuDNN or MIOpen) and our own kernels give the CPU's numbers. Also
-- tests precision, failures, graphs, streams and memory.
local lt = require "luatensor"
local nn = require "luatensor.nn"
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"

local F = nn.functional
local late = "order=lazy,threads=reverse,guard=1"

gpu.describe("a convolution", {
  {}, {LUATENSOR_CUDNN = "off"}, {LUATENSOR_EMULATOR = late}, {LUATENSOR_EMULATOR = "dnn=unsupported"},
  {LUATENSOR_EMULATOR = "dnn=broken"}, {LUATENSOR_EMULATOR = late, LUATENSOR_CUDNN = "off", LUATENSOR_CONV_MEMORY = "2000"},
}, function()
  local device = gpu.kind .. ":0"
  local setting = os.getenv "LUATENSOR_EMULATOR" or ""
  local library = gpu.kind == "rocm" and "MIOpen" or "cuDNN"
  local by_dnn = lt.devices()[2].software:find("[^o] " .. library) and not setting:find "dnn="

  local function drawn(shape, seed, where)
    return lt.randn(shape, {generator = lt.generator{seed = seed}, device = "cpu"}):to(where)
  end

  -- Returns y, and the gradients of x, w and bias.
  local function all(where, x, w, options)
    x, w = drawn(x, 1, where):requires_grad_(), drawn(w, 2, where):requires_grad_()
    local bias = drawn({w.shape[1]}, 3, where):requires_grad_()
    local y = F.conv2d(x, w, bias, options)
    y:backward(drawn(y.shape, 4, where))
    return {y:detach(), x.grad, w.grad, bias.grad}
  end

  local function near(want, got, tolerance)
    assert.equal(tostring(want.shape), tostring(got.shape))
    local off = (got:to("cpu") - want):abs():max():item()
    assert.is_true(off <= (tolerance or 1e-5) * math.max(1, want:abs():max():item()), "off by " .. off)
  end

  for name, case in pairs {
    ["of several images"] = {{5, 3, 9, 8}, {4, 3, 3, 3}, {padding = 1}},
    ["with a stride and a dilation"] = {{3, 4, 11, 12}, {6, 4, 3, 2}, {stride = {2, 3}, dilation = {2, 1}, padding = {2, 0}}},
    ["of one tap"] = {{3, 5, 4, 6}, {7, 5, 1, 1}, {}},
    ["of groups"] = {{2, 10, 6, 5}, {16, 5, 3, 3}, {groups = 2, padding = 1}},
    ["of few channels a group"] = {{2, 6, 7, 6}, {9, 2, 3, 3}, {groups = 3, stride = 2, padding = 1}},
    ["with more padding behind than before"] = {{2, 3, 6, 7}, {4, 3, 2, 4}, {padding = "same"}},
  } do
    it(name .. " is the CPU's", function()
      local want, got = all("cpu", table.unpack(case)), all(device, table.unpack(case))
      for i, v in ipairs(want) do near(v, got[i]) end
    end)
  end

  it("gives the same bits at every run", function()
    local one = all(device, {4, 5, 9, 9}, {6, 5, 3, 3}, {padding = 1})
    for _ = 1, 3 do
      for i, v in ipairs(all(device, {4, 5, 9, 9}, {6, 5, 3, 3}, {padding = 1})) do
        assert.equal(one[i]:to_bytes(), v:to_bytes())
      end
    end
  end)

  it("multiplies float32 as float32 unless less will do", function()
    local x, w = lt.full({1, 8, 4, 4}, 1 + 2^-20, {device = device}), lt.ones({8, 8, 1, 1}, {device = device})
    assert.equal(8 * (1 + 2^-20), F.conv2d(x, w)[{1, 1, 1, 1}]:item())
    if not gpu.emulator then return end
    lt.set_matmul_precision "tf32"
    local y = F.conv2d(x, w)
    lt.set_matmul_precision "ieee"
    assert.equal(by_dnn and library == "cuDNN" and 8.0 or 8 * (1 + 2^-20), y[{1, 1, 1, 1}]:item())
  end)

  it("is part of a graph, its gradients too", function()
    local x, w = drawn({2, 5, 6, 6}, 1, device), drawn({6, 5, 3, 3}, 2, device):requires_grad_()
    local function step()
      w.grad = nil
      local y = F.conv2d(x, w, {padding = 1})
      y:sum():backward()
      return y:detach(), w.grad
    end
    step()                                               -- loads the library before the graph is captured
    local graph <close> = lt.graph(step, {device = device})
    x:copy_(drawn({2, 5, 6, 6}, 7, device))
    local y, grad = graph:replay()
    local wide = w:detach():to("cpu"):requires_grad_()
    local want = F.conv2d(drawn({2, 5, 6, 6}, 7, "cpu"), wide, {padding = 1})
    want:sum():backward()
    near(want:detach(), y)
    near(wide.grad, grad)
  end)

  it("runs on another stream", function()
    local side <close> = lt.stream(device)
    local x, w = drawn({2, 5, 6, 6}, 1, device), drawn({6, 5, 3, 3}, 2, device)
    local y = lt.with_stream(side, function() return F.conv2d(x, w) end)
    near(F.conv2d(x:to("cpu"), w:to("cpu")), y + 0)
  end)

  it("of ever new shapes keeps nothing of them", function()
    for width = 3, 400 do F.conv2d(lt.ones({1, 1, 1, width}, {device = device}), lt.ones({1, 1, 1, 3}, {device = device})) end
    lt.synchronize(device)
    local before = helpers.live(device)
    for width = 401, 500 do F.conv2d(lt.ones({1, 1, 1, width}, {device = device}), lt.ones({1, 1, 1, 3}, {device = device})) end
    assert.equal(before, helpers.live(device))
  end)

  gpu.it_emulated("is by the vendor's library where that is, but for few channels a group", function()
    local function asked(...)
      local before = gpu.emulator.counts().convolutions
      all(device, ...)
      return gpu.emulator.counts().convolutions - before
    end
    assert.equal(by_dnn and 3 or 0, asked({2, 5, 6, 6}, {6, 5, 3, 3}, {padding = 1}))
    assert.equal(0, asked({2, 6, 6, 6}, {6, 1, 3, 3}, {groups = 6}))
  end)

  gpu.it_emulated("that fails is an error in the library's words, and the next one works", function()
    if not by_dnn then return end
    local x, w = drawn({2, 5, 6, 6}, 1, device), drawn({6, 5, 3, 3}, 2, device)
    gpu.emulator.configure "fail_dnn=1"
    local ok, said = pcall(F.conv2d, x, w)
    assert.is_false(ok)
    local words = library == "cuDNN" and "cuDNN: CUDNN_STATUS_EXECUTION_FAILED (5000)" or "MIOpen: miopenStatusUnknownError (7)"
    assert.is_truthy(said:find(words, 1, true), said)
    near(F.conv2d(x:to("cpu"), w:to("cpu")), F.conv2d(x, w))
  end)

  gpu.it_emulated("says why the library does not start", function()
    if not setting:find "dnn=broken" then return end
    all(device, {2, 5, 6, 6}, {6, 5, 3, 3}, {padding = 1})
    local words = library .. " does not start on " .. device .. ": "
      .. (library == "cuDNN" and "CUDNN_STATUS_NOT_INITIALIZED" or "miopenStatusNotInitialized")
    assert.is_truthy(lt.config():find(words, 1, true), lt.config())
  end)
end)
