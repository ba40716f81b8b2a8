-- tags: unsanitized unplugged
-- Attention by the GPU's kernels: which calls take them, streams, graphs and mixed precision. nn/attention_spec.lua
-- compares their numbers with an oracle.
local core = require "luatensor.core"
local lt = require "luatensor"
local nn = require "luatensor.nn"
local gpu = require "spec.support.gpu"
require "spec.support.helpers"

local attend = nn.functional.scaled_dot_product_attention
local device = {device = gpu.kind}
local fused, parts = os.getenv "LUATENSOR_ATTENTION" == "fused", os.getenv "LUATENSOR_ATTENTION" == "parts"

-- Returns whether attention of these sizes was one launch of a kernel. more: causal = true, and recorded = true if
-- gradients are recorded.
local function is_one_launch(heads, queries, keys, width, dtype, more)
  more = more or {}
  local options = {dtype = dtype, device = gpu.kind}
  local q, k = lt.ones(1, heads, queries, width, options), lt.ones(1, heads, keys, width, options)
  q:requires_grad_(more.recorded == true)
  local function call() attend(q, k, k, {is_causal = more.causal}) end
  call()                                             -- compiles the kernels
  local before = gpu.emulator.counts()
  call()
  local after = gpu.emulator.counts()
  return after.launches + after.products - before.launches - before.products == 1
end

local function near(want, got, tolerance)
  local difference = (want:to("cpu"):to("float64") - got:to("cpu"):to("float64")):abs():max():item()
  assert.is_true(difference <= tolerance, ("%.3g more than %.3g"):format(difference, tolerance))
end

gpu.describe("attention", {{LUATENSOR_EMULATOR = "order=lazy,guard=1"}, {LUATENSOR_EMULATOR = "threads=reverse"},
                           {LUATENSOR_ATTENTION = "fused"}, {LUATENSOR_ATTENTION = "parts"}}, function()
  gpu.it_emulated("of few scores is one launch; LUATENSOR_ATTENTION decides otherwise", function()
    for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16"} do
      assert.equal(not parts, is_one_launch(2, 20, 30, 8, dtype))
      assert.equal(not parts, is_one_launch(2, 1, 30, 128, dtype))
      assert.is_false(is_one_launch(2, 20, 30, 129, dtype))
    end
  end)

  it("has no kernel for rows of more than 128 elements, or integers", function()
    for _, x in ipairs {lt.ones(1, 1, 3, 129, device), lt.ones(1, 1, 3, 4, {device = gpu.kind, dtype = "int32"})} do
      assert.is_false(core.has_attention(x, false, false, 1, 1, 3, 3, x.shape[4], x.shape[4]))
      assert.error_matches(function() core.attention(x, x, x, 1, false, nil, lt.zeros_like(x)) end, "not available on " .. gpu.kind)
    end
  end)

  gpu.it_emulated("of many scores is one launch if it is causal, in float32, and no backward pass follows", function()
    local heads = 1100                                        -- of 64 × 64 scores each
    assert.equal(not parts, is_one_launch(heads, 16, 2, 1, "float32", {causal = true}))
    assert.equal(fused, is_one_launch(heads, 16, 2, 1, "float32"))
    assert.equal(fused, is_one_launch(heads, 15, 2, 1, "float32", {causal = true}))
    assert.equal(fused, is_one_launch(heads, 16, 2, 1, "float32", {causal = true, recorded = true}))
    assert.equal(fused, is_one_launch(heads, 16, 2, 1, "bfloat16", {causal = true}))
  end)

  gpu.it_emulated("of so many scores that they fill the memory is one launch", function()
    gpu.emulator.configure "memory=64M"
    local one = is_one_launch(1, 1500, 1500, 1, "float32")                  -- 9 MB, more than an eighth
    gpu.emulator.configure "memory=512M"
    assert.equal(not parts, one)
  end)

  gpu.it_emulated("has two launches in the backward pass", function()
    local function leaf(rows) return lt.ones(2, rows, 3, 4, device):requires_grad_() end
    local q, k, v, g = leaf(70), leaf(50), leaf(50), lt.ones(2, 3, 70, 4, device)
    local function forward() return attend(q:transpose(2, 3), k:transpose(2, 3), v:transpose(2, 3)) end
    forward():backward(g)
    q.grad, k.grad, v.grad = nil, nil, nil
    local y, before = forward(), gpu.emulator.counts()
    y:backward(g)
    local after = gpu.emulator.counts()
    assert.equal(not parts, after.launches + after.products - before.launches - before.products == 2)
  end)

  gpu.it_emulated("of a projection needs no product beside the projections", function()
    local mha = nn.MultiheadAttention(8, 2, {batch_first = true, device = gpu.kind})
    local x = lt.ones(2, 200, 8, device)
    mha(x, {need_weights = false})
    local before = gpu.emulator.counts()
    mha(x, {need_weights = false})
    local after = gpu.emulator.counts()
    -- one launch beside two projections, each a product and the addition of a bias
    local most = parts and math.huge or 5
    assert.is_true(after.launches + after.products - before.launches - before.products <= most)
  end)

  it("waits for the streams that write its operands", function()
    local generator = lt.generator{seed = 1}
    local function random() return lt.randn(1, 2, 40, 8, {device = gpu.kind, generator = generator}) end
    local q, k, v, g = random(), random(), random(), random()
    local mask = lt.arange(40, device):greater(3):broadcast_to {40, 40}
    local function run(scale)
      local a, b, c = (q * scale):requires_grad_(), (k * scale):requires_grad_(), (v * scale):requires_grad_()
      return {a, b, c}, mask:logical_or(mask), g * scale
    end
    local function both(list, m, dy)
      local y = attend(list[1], list[2], list[3], {attn_mask = m})
      y:backward(dy)
      return {y:detach():to "cpu", list[1].grad:to "cpu", list[2].grad:to "cpu", list[3].grad:to "cpu"}
    end
    local want = both(run(3))
    local list, m, dy = run(3)                                -- queued in the current stream
    local got = lt.with_stream(lt.stream(gpu.kind), both, list, m, dy)
    for i, x in ipairs(got) do near(want[i], x, 0) end
  end)

  it("is a part of a graph", function()
    local q = lt.randn(1, 2, 40, 8, device)
    local function f()
      local x = q:detach():requires_grad_()
      local y = attend(x, x, x, {is_causal = true})
      y:sum():backward()
      return y:detach(), x.grad
    end
    local g = lt.graph(f, device)
    q:copy_(lt.randn(1, 2, 40, 8, device))
    local want, got = table.pack(f()), table.pack(g:replay())
    for i = 1, 2 do near(want[i], got[i], 0) end
  end)

  it("takes half floats from autocast", function()
    local mha = nn.MultiheadAttention(16, 2, {batch_first = true, device = gpu.kind, generator = lt.generator{seed = 2}})
    local x = lt.randn(2, 9, 16, {device = gpu.kind, generator = lt.generator{seed = 3}})
    local want = mha(x, {need_weights = false})
    for _, dtype in ipairs {"bfloat16", "float16"} do
      local y = nn.autocast(function() return (mha(x, {need_weights = false})) end, {dtype = dtype})
      assert.equal(dtype, y.dtype)
      near(want, y, 0.02)
    end
  end)
end)
