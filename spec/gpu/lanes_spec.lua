-- tags: unplugged
-- Warps of 64 threads, as on AMD's GCN and CDNA, give the results of warps of 32 threads. Scans of floats add in an
-- order that depends on the size of the warp, so the last bits of their results may differ.
local lt = require "luatensor"
local gpu = require "spec.support.gpu"

local F = require "luatensor.nn.functional"

local usual = (os.getenv "LUATENSOR_EMULATOR" or ""):match "lanes=%d+" or "lanes=32"

-- Opens the device again with warps of this many threads.
local function open_with(lanes)
  collectgarbage()
  gpu.emulator.configure(lanes)
  gpu.api.reopen(gpu.kind)
end

-- Calls f(made) with 32 and with 64 threads in a warp, and returns both results on the CPU. `made` is a list of tensors
-- on the device with the elements of `inputs`.
local function with_both(inputs, f)
  local results = {}
  for i, lanes in ipairs {"lanes=32", "lanes=64"} do
    open_with(lanes)
    local made = {}
    for k, x in ipairs(inputs) do made[k] = x:to(gpu.kind) end
    results[i] = f(table.unpack(made)):to("cpu")
  end
  return results[1], results[2]
end

local function same(name, inputs, f)
  local narrow, wide = with_both(inputs, f)
  assert.is_true(narrow:to_bytes() == wide:to_bytes(), name .. ": other elements")
end

local function near(name, inputs, f)
  local narrow, wide = with_both(inputs, f)
  assert.is_true((narrow - wide):abs():max():item() <= 1e-12 * narrow:abs():max():item(), name .. ": other elements")
end

local host = {device = "cpu", dtype = "float64"}
local function random(...) return lt.randn({...}, host) end
local function numbers(n, ...) return lt.randint(-n, n, {...}, {device = "cpu"}) end

describe("warps of 64 threads:", function()
  if not gpu.emulator then
    pending("only the emulated GPU has them")
    return
  end
  teardown(function() open_with(usual) end)

  it("reductions have the same bits", function()
    for _, n in ipairs {7, 33, 65, 1000, 70000} do
      same("sum of " .. n, {random(3, n)}, function(x) return x:sum(2) end)
    end
    same("argmax", {random(50, 70)}, function(x) return x:argmax(1) end)
    same("var", {random(2, 3000)}, function(x) return x:var(2) end)
  end)

  it("attention has the same bits, and so have its gradients", function()
    for _, is_causal in ipairs {false, true} do
      same("attention", {random(2, 70, 40), random(2, 90, 40), random(2, 90, 30)}, function(q, k, v)
        for _, x in ipairs {q, k, v} do x:requires_grad_() end
        local y = F.scaled_dot_product_attention(q, k, v, {is_causal = is_causal});
        (y * y):sum():backward()
        return lt.concat({y:flatten(), q.grad:flatten(), k.grad:flatten(), v.grad:flatten()}, 1)
      end)
    end
  end)

  it("softmax has the same bits", function()
    for _, n in ipairs {5, 130, 500, 3000, 20000} do
      same("softmax of " .. n, {random(3, n)}, function(x) return x:softmax(2) end)
    end
  end)

  it("normalisation and cross entropy have the same bits", function()
    for _, n in ipairs {20, 1500} do
      same("layer_norm of " .. n, {random(5, n)}, function(x) return F.layer_norm(x, {n}) end)
      same("cross_entropy of " .. n, {random(5, n), numbers(9, 5):abs() + 1}, function(x, classes)
        return F.cross_entropy(x, classes)
      end)
    end
  end)

  it("scans of integers are equal, of floats near", function()
    for _, n in ipairs {40, 900, 5000} do
      same("cumsum of " .. n, {numbers(100, 5, n)}, function(x) return x:cumsum(2) end)
      near("cumsum of " .. n, {random(5, n)}, function(x) return x:cumsum(2) end)
    end
  end)

  it("sorts are equal and stable", function()
    for _, n in ipairs {100, 3000, 9000} do
      same("argsort of " .. n, {numbers(20, 2, n)}, function(x) return x:argsort(2) end)
    end
    same("topk", {numbers(1000, 9000)}, function(x) return (x:topk(10)) end)
  end)

  it("indices and searches are equal", function()
    for _, n in ipairs {60, 3000} do
      same("assignment through " .. n, {numbers(1000, n), numbers(20, n):abs() + 1}, function(values, at)
        local x = lt.zeros(30, {device = gpu.kind, dtype = "int64"})
        x[at] = values
        return x
      end)
      same("sums through " .. n, {random(n), numbers(20, n):abs() + 1}, function(values, at)
        return lt.zeros(30, {device = gpu.kind, dtype = "float64"}):index_add(1, at, values)
      end)
    end
    same("nonzero", {numbers(2, 10000)}, function(x) return x:nonzero() end)
  end)

  it("scripts' kernels that include luatensor's files get their number", function()
    for _, lanes in ipairs {32, 64} do
      open_with("lanes=" .. lanes)
      local k = lt.kernel([[
        #include "gpu/kernels/groups.cuh"
        extern "C" __global__ void sizes(int *out) {
          int last = shuffle_from((int)threadIdx.x, WARP - 1);
          if (threadIdx.x == 0) out[0] = WARP, out[1] = last;
        }]], "sizes")
      local out = lt.zeros(2, {device = gpu.kind, dtype = "int32"})
      k({grid = 1, block = 64}, out)
      assert.same({lanes, lanes - 1}, out:totable())
    end
  end)

  it("products of integers with a vector are equal", function()
    same("integers", {numbers(1000, 9, 300), numbers(1000, 300)}, function(a, b) return a:matmul(b) end)
  end)
end)
