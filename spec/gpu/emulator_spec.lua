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

  it("takes the headers of luatensor's own kernels precompiled", function()
    local path = shell.folder()
    -- g++ -H prints "! path" for a precompiled header that g++ takes, and "x path" for one that g++ refuses.
    shell.write(path .. "/g++", ('#!/bin/sh\nexec g++ -H "$@" 2>>%s/used\n'):format(path))
    shell.passes(([[chmod +x %s/g++; LUATENSOR_CUDA_PATH=%s LUATENSOR_CACHE=%s LUATENSOR_EMULATOR_CXX=%s/g++ tools/lua -e '
      local lt = require "luatensor"
      assert(math.abs(lt.ones(3, {device = "cuda"}):exp():sum():item() - 3 * math.exp(1)) < 1e-5)']]):format(path, folder, path, path))
    local used = shell.read(path .. "/used")
    assert.is_truthy(used:find "\n! [^\n]*/headers/", used)
    assert.is_nil(used:find "\nx [^\n]*/headers/", used)
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

-- Runs a script in which x is a tensor of four elements on the emulated GPU, with these settings. Returns the output.
local function run(script, settings, variables)
  local status, output = shell.run(([[LUATENSOR_CUDA_PATH=%s LUATENSOR_CACHE=%s/spec/kernels LUATENSOR_EMULATOR=%s %s tools/lua - <<'END'
    lt = require "luatensor" x = lt.tensor({3, 1, 4, 2}, {dtype = "float32", device = "cuda"}) %s
END]]):format(folder, build, settings, variables or "", script))
  assert.equal(0, status, output)
  return output
end

describe("the emulated GPU's table of kernels", function()
  if not shell.exists(folder .. "/emulator.so") then return end

  it("has luatensor's own kernels", function()
    local own, listed = {}, {}
    for line in shell.passes("cat $(find src/gpu/kernels -name '*.cuh')"):gmatch "[^\n]+" do
      local name = line:match "^KERNEL%((.-)%)" or line:match "^KERNEL_COOPERATIVE%((.-)%)"
      if name then own[name] = true end
    end
    for line in io.lines "spec/data/nvidia_kernels.txt" do
      local name, threads, registers, shared = line:match "^(%l[%w_]*) (%d+) (%d+) (%d+)$"
      if name then listed[name] = threads * registers <= 65536 and tonumber(shared) <= 48 << 10 end
    end
    assert.same(own, listed)
  end)

  it("limits the threads of a launch by the registers, and its shared memory by that of the kernel", function()
    local table = os.tmpname()
    local script = "print((select(2, pcall(lt.sort, lt.rand({4096}):to 'cuda'))))"
    shell.write(table, "# a comment\nsort_short 1024 64 0\n")
    assert.matches("^%[.* %[4096%] cuda:0\n$", run(script, "table=" .. table))
    shell.write(table, "sort_short 1024 136 0\n")
    assert.equal("sort: launch of sort float32: 1024 threads in a block; the compiled kernel takes at most 480\n",
      run(script, "table=" .. table))
    shell.write(table, ("sort_short 1024 32 %d\n"):format(227 << 10))
    assert.matches("^sort: launch of sort float32: invalid argument", run(script, "table=" .. table))
    os.remove(table)
  end)

  it("is not for the kernels of scripts", function()
    local table = os.tmpname()
    shell.write(table, "f 1024 255 1000000\n")
    assert.equal("10.0\n", run([[
      lt.kernel("__global__ void f(float *x) { x[threadIdx.x] += threadIdx.x % 1024 == 1023; }", "f")({grid = 1, block = 1024},
        lt.zeros(1024, {device = "cuda"}))
      print(x:sum():item())]], "table=" .. table))
    os.remove(table)
  end)
end)

describe("threads that take turns", function()
  if not shell.exists(folder .. "/emulator.so") then return end

  -- 1024 threads of four blocks report an index that is out of range.
  local script = [[
    local index = lt.arange(1, 1025, {device = "cuda", dtype = "int64"}) + 4
    local function said(index) return (select(2, pcall(function() return x:take(index):sum():item() end)):gsub("^.-: ", "")) end
    print(said(index))
    print(said(index:flip(1)))]]
  local want = "take: index 5 in dim 1: out of range for length 4\ntake: index 1028 in dim 1: out of range for length 4\n"

  -- Returns the output if the text of a file of kernels is changed.
  local function changed(from, to, settings)
    local path = shell.folder()
    local text = shell.read "src/gpu/kernels/late.cuh"
    local at, last = text:find(from, 1, true)
    shell.write(path .. "/late.cuh", text:sub(1, at - 1) .. to .. text:sub(last + 1))
    local output = run(script, settings, ("LUATENSOR_KERNELS=%s LUATENSOR_CACHE=%s"):format(path, path))
    shell.passes("rm -r " .. path)
    return output
  end

  it("wait for the lock of a late error for few rounds", function()
    assert.equal(want, run(script, "contend=8"))
    assert.equal(want, run(script, "contend=2048,threads=reverse"))
  end)

  it("show a lock that is not given back, and threads that do not ask whether they still need it", function()
    local waits = "waits for a lock for too many rounds"
    assert.truthy(changed("atomicExch(&late->lock, 0);", "", "contend=5000,threads=reverse"):find(waits, 1, true))
    assert.truthy(changed("told = is_beaten(now, what, position);\n      continue;", "continue;", "contend=8"):find(waits, 1, true))
  end)
end)
