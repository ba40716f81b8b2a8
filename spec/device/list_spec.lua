-- tags: smoke two-gpus unplugged
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
    assert.equal(lt.get_default_device(), lt.device())
    assert.equal("cpu", lt.device("cpu"))
    assert.equal("cpu", lt.device("cpu:0"))
    assert.equal("cpu", lt.zeros(1, {device = "cpu:0"}).device)
  end)
  it("that are not here are errors", function()
    fails('device: unknown device "gpu"; known: cpu, cuda, rocm, auto', lt.device, "gpu")
    fails('device: no device "cpu:1"; there is only cpu:0', lt.device, "cpu:1")
    fails('device: device "cpu:x": a number expected after the colon', lt.device, "cpu:x")
    fails('device: device "cpu:": a number expected after the colon', lt.device, "cpu:")
    fails("device: name of a device expected, got number", lt.device, 0)
    fails('device: unknown device "cpu"; known: cpu, cuda, rocm, auto', lt.device, "cpu\0x")
    fails('zeros: unknown device ""; known: cpu, cuda, rocm, auto', lt.zeros, 1, {device = ""})
  end)
end)

describe("device auto", function()
  local best = accelerator and lt.accelerator() or "cpu"
  it("is the best accelerator, else the CPU", function()
    assert.equal(best, lt.device("auto"))
    assert.equal(best, lt.zeros(1, {device = "auto"}).device)
    assert.equal(best, lt.ones(1, {device = "cpu"}):to("auto").device)
    lt.synchronize("auto")
  end)
  it("can be the default device", function()
    local before = lt.get_default_device()
    lt.set_default_device("auto")
    local now = lt.get_default_device()
    lt.set_default_device(before)
    assert.equal(best, now)
  end)
  it("has no number", function()
    fails('device: unknown device "auto:0"; known: cpu, cuda, rocm, auto', lt.device, "auto:0")
  end)
end)

describe("emulated", function()
  it("marks the devices of an emulator, which are called so", function()
    for _, info in ipairs(lt.devices()) do
      assert.equal(info.name:find("^Emulated") and true or nil, info.emulated)
    end
  end)
end)

describe("the GPU that is not there", function()
  if accelerator then return pending("there is one") end
  it("is told with the reason", function()
    local available, reason = lt.cuda.is_available()
    assert.is_false(available)
    assert.is_true(#reason > 0)
    local _, reason_of_amd = lt.rocm.is_available()
    fails("GPU not found: cuda: " .. reason .. "; rocm: " .. reason_of_amd, lt.accelerator)
    fails("GPU not found: " .. reason_of_amd, lt.device, "rocm")
    fails("GPU not found: " .. reason, lt.device, "cuda")
    fails("GPU not found: " .. reason, lt.zeros, 2, {device = "cuda:1"})
  end)
  it("is told in the loader's words without a driver", function()
    local _, reason = lt.cuda.is_available()
    if not reason:find("^libcuda") then return pending("there is a driver") end
    assert.equal("libcuda.so.1: cannot open shared object file (no NVIDIA driver on this machine)", reason)
  end)
end)

describe("the default device", function()
  local before = lt.get_default_device()
  after_each(function() lt.set_default_device(before) end)
  it("is where tensors are made when nothing says otherwise", function()
    for _, info in ipairs(lt.devices()) do
      local d = info.device
      lt.set_default_device(d)
      assert.equal(d, lt.get_default_device())
      assert.equal(d, lt.device())
      local path = os.tmpname()
      local x = lt.tensor{{1, 2}, {3, 4}}
      lt.save(path, x)
      local made = {x, lt.zeros(2), lt.full({2}, 1), lt.arange(3), lt.linspace(0, 1, 3), lt.eye(2), lt.rand(2), lt.randint(1, 6, 2),
                    lt.permutation(3), lt.bernoulli(0.5, 2), lt.from_bytes("12345678", 2), lt.asarray{1}, lt.load(path),
                    lt.from_dlpack(x:to_dlpack()), lt.add(1, 2), lt.tensor(1)}
      os.remove(path)
      for i, t in ipairs(made) do assert.equal(d, t.device, "number " .. i) end
      assert.same({{1, 2}, {3, 4}}, made[13]:totable())
      assert.same({{1, 2}, {3, 4}}, made[14]:totable())
      assert.equal("cpu", lt.zeros(1, {device = "cpu"}).device)
    end
  end)
  it("is not that of what is made from a tensor", function()
    local x = lt.tensor({{3, 1}, {2, 2}}, {device = "cpu"})
    local mask = lt.tensor({true, false}, {device = "cpu"})
    for _, info in ipairs(lt.devices()) do
      lt.set_default_device(info.device)
      local made = {x + 1, lt.zeros_like(x), lt.rand_like(x, {dtype = "float32"}), lt.full_like(x, 3), x[1], x:tril(), x:pad({1, 1}),
                    x:diag(), x:flatten():diag(), x:tile(2), x:roll(1), x:repeat_interleave(2), x:where(1, 0), x[mask], x:shuffle(),
                    x:to("float64"), lt.tensor(x), lt.asarray(x), x:norm(), x:diff(), x:nonzero(), lt.bernoulli(x:clip(0, 1)), x:clone(),
                    x:repeat_interleave(lt.tensor({1, 2}, {device = "cpu"}), 1), lt.searchsorted(x[2], 2),
                    x:to("float32"):multinomial(1), x:pad({1, 1}, {mode = "replicate"}), x:masked_fill(mask, 0)}
      for i, t in ipairs(made) do assert.equal("cpu", t.device, "number " .. i) end
      x[1] = {3, 1}
      x[mask] = 3
      x[mask] = {{3, 1}}
    end
  end)
  it("is one that is here", function()
    fails('set_default_device: unknown device "gpu"; known: cpu, cuda, rocm, auto', lt.set_default_device, "gpu")
    fails("set_default_device: name of a device expected, got no value", lt.set_default_device)
    if not accelerator then
      local _, reason = lt.cuda.is_available()
      fails("GPU not found: " .. reason, lt.set_default_device, "cuda")
    end
    assert.equal(before, lt.get_default_device())
  end)
end)

describe("synchronize", function()
  it("waits for one device or all", function()
    lt.synchronize()
    lt.synchronize("cpu")
    fails('synchronize: unknown device "x"; known: cpu, cuda, rocm, auto', lt.synchronize, "x")
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
