-- tags: process leaking
-- Tests the emulated GPU itself by C programs that call it as src/gpu does: spec/support/hosts/emulator_*.
local shell = require "spec.support.shell"

local build = os.getenv "BUILD" or "build"
local folder = build .. "/spec/emulator"

local function passes(command) shell.passes("LUATENSOR_CUDA_PATH=" .. folder .. " " .. command) end

for _, about in ipairs {"kernel", "queue", "failure", "blas"} do
  local host = "build/spec/emulator_" .. about .. "_host"
  describe("the emulated GPU, " .. about .. ":", function()
    if not shell.exists(host) or not shell.exists(folder .. "/libcuda.so.1") then
      pending("make test-hosts emulator builds what this needs")
      return
    end
    local names = io.popen(host)
    for name in names:lines() do
      it(name:gsub("_", " "), function() passes(host .. " " .. name) end)
    end
    names:close()
  end)
end

describe("the emulated GPU's settings", function()
  if not shell.exists(folder .. "/emulator.so") then return end
  local host = "build/spec/emulator_kernel_host"

  local function fails(settings, words)
    local status, output = shell.run(("LUATENSOR_CUDA_PATH=%s LUATENSOR_EMULATOR=%s %s dims"):format(folder, settings, host))
    assert.equal(1, status)
    assert.is_truthy(output:find(words, 1, true), output)
  end

  it("come from the environment", function()
    fails("no_device", "CUDA_ERROR_NO_DEVICE")
    fails("fail_alloc=1", "CUDA_ERROR_OUT_OF_MEMORY")
    fails("memory=4K", "CUDA_ERROR_OUT_OF_MEMORY")
    fails("capability=8.0", "CUDA_ERROR_NO_BINARY_FOR_GPU")
  end)

  it("come from a spec, which asks for what was called, too", function()
    passes(("lua5.4 -e '%s'"):format(([[
      local emulator = package.loadlib("%s/emulator.so", "luaopen_emulator")()
      emulator.configure("order=lazy,fail_alloc=3")
      assert(not pcall(emulator.configure, "nonsense=1"))
      assert(emulator.counts().launches == 0 and emulator.counts().compiles == 0)
    ]]):format(folder)))
  end)

  it("of the emulated HIP are apart from them", function()
    passes(("lua5.4 -e '%s'"):format(([[
      local cuda = package.loadlib("%s/emulator.so", "luaopen_emulator")()
      local hip = package.loadlib("%s/emulator_hip.so", "luaopen_emulator_hip")()
      hip.configure("gcn=gfx1100,hip=60032831")
      assert(cuda.configure ~= hip.configure and hip.counts().launches == 0)
    ]]):format(folder, folder)))
  end)

  it("may be in a process with NVIDIA's own compiler, whose kernels it refuses", function()
    if not shell.exists("/usr/local/cuda/lib64/libnvrtc.so") then return pending("needs NVIDIA's NVRTC") end
    local status, output = shell.run(("LUATENSOR_CUDA_PATH=/nonexistent LUATENSOR_CACHE= lua5.4 -e '%s'"):format(([[
      package.loadlib("%s/emulator.so", "luaopen_emulator")()
      local lt = require "luatensor"
      print(pcall(lt.kernel, "extern \"C\" __global__ void f() {}", "f"))
    ]]):format(folder)))
    assert.equal(0, status, output)
    assert.is_truthy(output:find("kernel: loading f: device kernel image is invalid", 1, true), output)
  end)

  it("can list the loaded programs, also those of the disk cache", function()
    local path = shell.folder()
    local script = ([[%s tools/lua -e 'local lt = require "luatensor"
      local x = lt.ones(3, {device = "cuda"}):exp()
      lt.kernel("__global__ void f(int *x) {}", "f")']]):format(("LUATENSOR_CUDA_PATH=%s LUATENSOR_CACHE=%s "
        .. "LUATENSOR_EMULATOR_UNITS=%s/list"):format(folder, path, path))
    local function list()
      shell.passes(script)
      local lines = {}
      for line in io.lines(path .. "/list") do lines[#lines + 1] = line end
      table.sort(lines)
      os.remove(path .. "/list")
      return lines
    end
    local first = list()
    assert.truthy(#first == 2 and first[2]:find("map.cuh\t--gpu-architecture=sm_90", 1, true))
    assert.truthy(shell.read(first[1]:match "^@([^\t]+)"):find("__global__ void f", 1, true))
    assert.same(first, list())
    shell.passes("LD_PRELOAD= rm -r " .. path)
  end)

  it("can take functions away", function()
    local without = os.tmpname()
    os.remove(without)
    passes(("EMULATOR=%s spec/support/emulator/without %s cuGraphLaunch"):format(folder, without))
    local status, output = shell.run(("LUATENSOR_CUDA_PATH=%s %s dims"):format(without, host))
    os.execute("rm -r " .. without)
    assert.equal(1, status)
    assert.is_truthy(output:find("no cuGraphLaunch", 1, true), output)
  end)
end)
