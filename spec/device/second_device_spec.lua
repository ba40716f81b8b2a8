-- tags: host unsanitized built
-- Tests a device kind that is added while the process runs, and whose memory the host must not access. Code that
-- names devices, moves tensors or reads their elements must learn about the kind from the list of devices alone.

local lt = require "luatensor"
local nn = require "luatensor.nn"
local helpers = require "spec.support.helpers"

local fails = helpers.fails

os.execute "make -s build/spec/second_device.so"
local add = assert(package.loadlib("build/spec/second_device.so", "luaopen_second_device"))()
local core = require "luatensor.core"
local core_path = assert(package.searchpath("luatensor.core", package.cpath))
local number = add(core_path)

local dtypes = {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16",
                "float32", "float64", "complex64", "complex128"}

local function temporary() return os.tmpname() end

describe("a device that was added", function()
  it("is taken once", function()
    assert.is_true(number >= 2)
    assert.equal(-1, add(core_path))
  end)
  it("is listed", function()
    local found = {}
    for _, info in ipairs(lt.devices()) do found[info.device] = info.name end
    assert.equal("the other device 0", found["other:0"])
    assert.equal("the other device 1", found["other:1"])
  end)
  it("is known by name", function()
    assert.equal("other:0", lt.device "other")
    assert.equal("other:1", lt.device "other:1")
    fails('device: no device "other:2"; the last is other:1', lt.device, "other:2")
    fails('device: unknown device "third"; known: cpu, cuda, rocm, other, auto', lt.device, "third")
  end)
  it("is an accelerator", function()
    assert.truthy(lt.accelerator():find "^other" or lt.accelerator():find "^cuda")
  end)
  it("is in the configuration", function() assert.truthy(lt.config():find("other: for specs", 1, true)) end)
end)

describe("tensors there", function()
  it("move in every dtype", function()
    for _, dtype in ipairs(dtypes) do
      local x = lt.tensor({{0, 1, 2}, {3, 4, 5}}, {device = "cpu"}):to(dtype)
      local there = x:to "other:1"
      assert.equal("other:1", there.device)
      assert.equal(dtype, there.dtype)
      assert.same(x:totable(), there:to("cpu"):totable())
      assert.same(x.T:totable(), there.T:totable())
    end
  end)
  it("move with a change of dtype, between two devices, and into views", function()
    local x = lt.arange(6, {device = "cpu"}):reshape(2, 3)
    assert.same({{0, 1, 2}, {3, 4, 5}}, x:to("other", "float64"):to("other:1"):to("int32", "cpu"):totable())
    local y = lt.zeros(3, 2, {device = "other"})
    y.T:copy_(x)
    assert.same({{0, 3}, {1, 4}, {2, 5}}, y:totable())
  end)
  it("are read by the host", function()
    local x = lt.tensor({{1.5, 2}, {3, 4}}, {device = "other"})
    assert.equal(1.5, x[{1, 1}]:item())
    assert.truthy(tostring(x):find "1.5")
    assert.equal(string.pack("ffff", 1.5, 2, 3, 4), x:to_bytes())
    assert.equal(4, #x:flatten():totable())
    assert.is_true(lt.equal_all(x, x:clone()))
  end)
  it("are written by the host", function()
    local x = lt.zeros(2, 2, {device = "other"})
    x[1] = 7
    x[{2, 2}] = 3
    assert.same({{7, 7}, {0, 3}}, x:totable())
    assert.same({1, 2}, lt.from_bytes(string.pack("ff", 1, 2), {2}, {dtype = "float32"}):to("other"):totable())
  end)
  it("compute as on the CPU", function()
    local a, b = lt.rand(7, 5, {device = "cpu"}), lt.rand(5, 3, {device = "cpu"})
    local x, y = a:to "other", b:to "other"
    local function same(there, here) assert.same(here:totable(), there:totable()) end
    same(x:matmul(y), a:matmul(b))
    same(x + 1, a + 1)
    same(x:sum(1), a:sum(1))
    same((x:sort(2)), (a:sort(2)))
    same(x[lt.tensor({3, 1}, {device = "other"})], a[lt.tensor({3, 1}, {device = "cpu"})])
    same(x[x:gt(0.5)], a[a:gt(0.5)])
    same(lt.real(lt.fft.rfft(x)), lt.real(lt.fft.rfft(a)))
    same(lt.linalg.inv(y.T:matmul(y)), lt.linalg.inv(b.T:matmul(b)))
  end)
  it("say where they are when they meet others", function()
    local x, y = lt.ones(2, {device = "other"}), lt.ones(2, {device = "other:1"})
    fails('add: tensors on different devices: other:0 and cpu; move one with :to("other:0")', function() return x + lt.ones(2, {device = "cpu"}) end)
    fails('add: tensors on different devices: other:0 and other:1; move one with :to("other:1")', function() return x + y end)
  end)
  it("go through DLPack as the kind's number", function()
    local open = assert(package.loadlib("build/spec/dlpack_peer.so", "luaopen_dlpack_peer"))
    local peer = open()
    local info, address = peer.take(lt.ones(3, {device = "other:1"}):to_dlpack())
    assert.equal(12, info.device)
    peer.release(address)
  end)
  it("are saved and loaded", function()
    local path = temporary() .. ".safetensors"
    lt.save(path, {w = lt.tensor({1, 2, 3}, {device = "other"})})
    local back = lt.load(path, {device = "other:1"})
    assert.equal("other:1", back.w.device)
    assert.same({1, 2, 3}, back.w:totable())
    os.remove(path)
  end)
  it("count as memory of their device", function()
    local before = helpers.live "other:1"
    local x = lt.zeros(1000, {dtype = "float64", device = "other:1"})
    assert.equal(before + 8000, lt.memory("other:1").live)
    x:free()
    assert.equal(before, lt.memory("other:1").live)
  end)
  it("have no pinned memory, graphs or kernels", function()
    assert.is_false(lt.ones(2, {device = "other"}):is_pinned())
    fails("graph: not available on other; call the function itself there", lt.graph, function() end, {device = "other"})
    fails(
      'kernel: CUDA C++ does not run on other; use device "cuda", or lt.elementwise, which runs everywhere',
      lt.kernel, "__global__ void f() {}", "f", {device = "other"})
  end)
end)

describe("the default device", function()
  it("may be one that was added", function()
    local before = lt.get_default_device()
    lt.set_default_device "other:1"
    local x, random = lt.zeros(2), lt.rand(3)
    lt.set_default_device(before)
    assert.equal("other:1", x.device)
    assert.equal("other:1", random.device)
  end)
end)

describe("gradients there", function()
  it("train a network as on the CPU", function()
    local function trained(device)
      lt.manual_seed(3)
      local model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)):to(device)
      local optimizer = lt.optim.SGD(model:parameters(), {lr = 0.1})
      local x = lt.arange(20, {device = "cpu"}):reshape(5, 4):mul(0.05):to(device)
      local y = x:sum(2, {keepdim = true})
      local loss
      for _ = 1, 5 do
        optimizer:zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss:backward()
        optimizer:step()
      end
      return loss:item()
    end
    assert.equal(trained "cpu", trained "other")
  end)
end)

describe("a profile", function()
  it("has rows of the device", function()
    local x = lt.rand(10, 10, {device = "other"})
    core.profile_start "counting"
    x:matmul(x)
    local profile = core.profile_stop()
    local found = false
    for _, row in ipairs(profile.rows) do found = found or row.device:find "^other" and row.family == "gemm" end
    assert.truthy(found)
  end)
end)
