local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local fails = helpers.fails

local accelerator = #lt.devices() > 1

describe("devices", function()
  it("are listed, the CPU first", function()
    local cpu = lt.devices()[1]
    assert.equal("cpu", cpu.device)
    assert.equal("cpu", cpu.kind)
    assert.is_true(#cpu.name > 0 and #cpu.isa > 0)
    assert.is_true(cpu.cores >= 1 and cpu.memory > 2 ^ 20)
    assert.equal("integer", math.type(cpu.memory))
  end)
  it("have names", function()
    assert.equal("cpu", lt.device())
    assert.equal("cpu", lt.device("cpu"))
    assert.equal("cpu", lt.device("cpu:0"))
    assert.equal("cpu", lt.zeros(1, {device = "cpu:0"}).device)
  end)
  it("that are not here are errors", function()
    fails('device: unknown device "gpu"; known: cpu, cuda', lt.device, "gpu")
    fails('device: no device "cpu:1"; there is only cpu:0', lt.device, "cpu:1")
    fails('device: device "cpu:x": a number expected after the colon', lt.device, "cpu:x")
    fails('device: device "cpu:": a number expected after the colon', lt.device, "cpu:")
    fails("device: device: name expected, got number", lt.device, 0)
    fails('zeros: unknown device ""; known: cpu, cuda', lt.zeros, 1, {device = ""})
  end)
end)

describe("the GPU that is not there", function()
  if accelerator then return pending("there is one") end
  it("is told with the reason", function()
    local available, reason = lt.cuda.is_available()
    assert.is_false(available)
    assert.is_true(#reason > 0)
    fails("GPU not found: " .. reason, lt.accelerator)
    fails("GPU not found: " .. reason, lt.device, "cuda")
    fails("GPU not found: " .. reason, lt.zeros, 2, {device = "cuda:1"})
  end)
  it("is told in the loader's words without a driver", function()
    local _, reason = lt.cuda.is_available()
    if not reason:find("^libcuda") then return pending("there is a driver") end
    assert.equal("libcuda.so.1: cannot open shared object file (no NVIDIA driver on this machine)", reason)
  end)
end)

describe("synchronize", function()
  it("waits for one device or all", function()
    lt.synchronize()
    lt.synchronize("cpu")
    fails('synchronize: unknown device "x"; known: cpu, cuda', lt.synchronize, "x")
  end)
end)

describe("clock", function()
  it("goes forward", function()
    local before = lt.clock()
    for _ = 1, 100 do
      local now = lt.clock()
      assert.is_true(now >= before)
      before = now
    end
  end)
end)
