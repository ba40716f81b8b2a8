-- tags: unsanitized uncollected unplugged
-- Tests what happens if a GPU's memory is full of cached memory or of tensors, and the driver or a library needs some.
-- Tests products that cuBLAS or rocBLAS does not support.
local core = require "luatensor.core"
local lt = require "luatensor"
local F = require "luatensor.nn.functional"
local gpu = require "spec.support.gpu"

local float = {device = gpu.kind, dtype = "float32"}
local function cached() return lt.memory(gpu.kind).cached end

local FILLED = 16 << 20

-- Puts at least FILLED bytes into the cache, whose bytes are returned.
local function fill_cache()
  lt.empty(FILLED // 4, float):free()
  return cached()
end

local kernels = 0

-- Functions that make objects of the driver. The first call of a function compiles what later calls need.
local objects = {
  ["an event"] = function() return lt.event{device = gpu.kind} end,
  ["a stream"] = function() return lt.stream(gpu.kind) end,
  ["a graph"] = function()
    local x = lt.ones(3, float)
    x:add_(1)
    return lt.graph(function() x:add_(1) end, {device = gpu.kind})
  end,
  ["a kernel of a script"] = function()
    kernels = kernels + 1
    local name = "full_" .. kernels
    return lt.kernel(("__global__ void %s(float *x) { x[0] = 1; }"):format(name), name, {device = gpu.kind})
  end,
}

-- Calls of libraries, as {function of a tensor, setting that makes the next call of the library fail}.
local ops = {
  matmul = {function(x) return x:matmul(x) end, "fail_blas"},
  inv = {function(x) return lt.linalg.inv(x) end, "fail_solver"},
  fft = {function(x) return lt.fft.ifft(lt.fft.fft(x)):real() end, "fail_fft"},
  conv2d = {function(x) return F.conv2d(x:reshape(1, 8, 8, -1), lt.ones(8, 8, 1, 1, float)) end, "fail_dnn"},
}

gpu.describe("a full device", {{}, {LUATENSOR_EMULATOR = "order=lazy,leaks=1"}}, function()
  for name, make in pairs(objects) do
    gpu.it_emulated("empties its cache for " .. name, function()
      local kept = make()
      local filled = fill_cache()
      gpu.emulator.configure "fail_object=1"
      local other = make()
      gpu.emulator.configure "fail_object=0"
      assert.is_true(cached() <= filled - FILLED)
      assert.is_false(rawequal(kept, other))
      assert.equal(3, lt.ones(3, float):sum():item())
    end)
  end

  gpu.it_emulated("empties its cache for a kernel of luatensor", function()
    local x = lt.ones(3, float)
    lt.synchronize()
    gpu.api.reopen(gpu.kind)
    x = lt.ones(3, float)
    fill_cache()
    gpu.emulator.configure "fail_object=1"
    local y = x + x
    gpu.emulator.configure "fail_object=0"
    assert.same({2, 2, 2}, y:totable())
  end)

  for name, op in pairs(ops) do
    gpu.it_emulated("frees memory if a call of a library fails: " .. name, function()
      local run, setting = op[1], op[2]
      local x = lt.eye(160, float):mul_(2)
      local expected = run(x):to("cpu")                       -- starts the library, and compiles kernels
      collectgarbage()
      local filled = fill_cache()
      local little = 1 << 16                                    -- enough for the emulator's libraries themselves
      local used = (512 << 20) - (core.available_memory(gpu.kind) - cached())
      gpu.emulator.configure(("memory=%d,%s=1"):format(used + little, setting))
      local ok, got = pcall(run, x)
      gpu.emulator.configure("memory=512M," .. setting .. "=0")
      assert.is_true(ok, got)
      assert.is_true(cached() <= filled - FILLED)
      assert.equal(expected:to_bytes(), got:to("cpu"):to_bytes())
    end)
  end
end)

-- Products whose sums are exact in each order, as {dtype, a, b, input or nil}.
local function small(dtype, ...) return (lt.arange(lt.tensor({...}):prod():item()) % 7):reshape(...):to("cpu", dtype) end
local products = {}
for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16", "complex64"} do
  products[dtype] = {small(dtype, 140, 20), small(dtype, 20, 9)}
end
products["a batch"] = {small("float32", 5, 2, 140, 3), small("float32", 5, 1, 3, 4)}
products["a transposed factor"] = {small("float32", 20, 140).T, small("float32", 20, 9)}
products["an addition"] = {small("float32", 140, 20), small("float32", 20, 9), small("float32", 140, 9)}

gpu.describe("a product that the library does not support", {{LUATENSOR_BLAS = "always"}}, function()
  for name, p in pairs(products) do
    gpu.it_emulated("is computed by luatensor's own kernels: " .. name, function()
      local function product(device)
        local a, b, c = p[1]:to(device), p[2]:to(device), p[3] and p[3]:to(device)
        return c and c:addmm(a, b) or a:matmul(b)
      end
      local before = gpu.emulator.counts().products
      gpu.emulator.configure "blas=unsupported"
      local got = product(gpu.kind)
      gpu.emulator.configure "blas=supported"
      assert.equal(before, gpu.emulator.counts().products)
      assert.equal(product("cpu"):to_bytes(), got:to("cpu"):to_bytes())
      product(gpu.kind)
      assert.is_true(gpu.emulator.counts().products > before)
    end)
  end
end)
