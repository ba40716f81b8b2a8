-- tags: unplugged
-- Tests the device "rocm" on the emulated HIP: what luatensor says if libraries or devices are missing, both vendors in
-- one process, and the differences of AMD's compiler and driver. The specs of tensors run on the device, too (make
-- test-emulated).
local gpu = require "spec.support.gpu"
local shell = require "spec.support.shell"

local run = gpu.run_on_amd

local function prints(want, code, settings, more)
  local status, output = run(code, settings or "", nil, more)
  assert.equal(want, output)
  assert.equal(0, status, output)
end

describe("rocm", function()
  if not gpu.amd_is_emulated then return pending("make emulator builds what stands in for AMD's libraries") end

  it("loads programs that are not listed for the real compilers, because they contain the emulated compiler's defines", function()
    local list = shell.folder() .. "/units"
    local function listed(device)
      local code = ("print((lt.ones(3, {device = [[%s]]}) + 1):sum():item())"):format(device)
      local only = "LUATENSOR_CUDA_PATH=" .. gpu.folder .. " LUATENSOR_EMULATOR_UNITS=" .. list
      local _, output = gpu.run_on_amd(code, nil, nil, only)
      assert.equal("6.0", output)
      local file = io.open(list)
      local text = file and file:read "a" or ""
      if file then file:close() end
      return text:find(".cuh\t", 1, true) ~= nil
    end
    assert.is_false(listed "rocm")
    assert.is_true(listed "cuda")
  end)

  it("computes, with 32 and with 64 threads in a wavefront", function()
    for _, lanes in ipairs {"lanes=32", "lanes=64"} do
      prints("rocm:0\t4950.0\t99.0\t50", [[
        local x = lt.arange(100, {device = "rocm"}):to("float64")
        print(x.device, x:cumsum(1)[100]:item(), x:sort{descending = true}[1]:item(), (x:gt(49)):nonzero()[1]:item() - 1)]], lanes)
    end
  end)

  it("is described by its processor and libraries", function()
    local code = [[for _, d in ipairs(lt.devices()) do if d.kind == "gpu" then print(d.device, d.isa, d.emulated, d.software) end end]]
    prints("rocm:0\tgfx90a\ttrue\tHIP 5.2, hipRTC 9.0, rocBLAS 2.44, MIOpen 2.20", code, "lanes=64")
    prints("rocm:0\tgfx1030\ttrue\tHIP 5.2, hipRTC 9.0, rocBLAS 2.44, MIOpen 2.20\nrocm:1\tgfx1030\ttrue\t"
      .. "HIP 5.2, hipRTC 9.0, rocBLAS 2.44, MIOpen 2.20", code, "devices=2")
  end)

  it("is the accelerator if there is no other", function()
    prints("rocm:0\trocm:0\ttrue\tfalse", [[print(lt.accelerator(), lt.zeros(1, {device = "auto"}).device,
      lt.rocm.is_available(), (lt.cuda.is_available()))]])
  end)

  it("works beside cuda, and copies pass the host", function()
    prints("cuda:0\trocm:0\t6\t6", [[
      local a = lt.tensor({1, 2, 3}, {device = "cuda"})
      local b = a:to("rocm")
      print(lt.accelerator(), b.device, b:sum():item(), b:to("cuda"):sum():item())]], "", "LUATENSOR_CUDA_PATH=" .. gpu.folder)
  end)

  it("copies between two devices", function()
    prints("rocm:1\t10", [[local x = lt.tensor({1, 2, 3, 4}, {device = "rocm:0"}):to("rocm:1") print(x.device, x:sum():item())]],
      "devices=2")
  end)

  it("names the script's lines in a message of the compiler", function()
    for text, message in pairs {
      ["// 1\nfloat f() { return q; }"] = "k:2:1: error:", ["// 1\n\nvoid f() { __shfl_sync(0, 1, 2); }"] = "k:3:1: error:"
    } do
      local status, output = run(("lt.kernel([[%s __global__ void k(int *x) {}]], [[k]], {device = [[rocm]]})"):format(text), "")
      assert.equal(1, status)
      assert.truthy(output:find("kernel: k does not compile:\n" .. message, 1, true), output)
    end
  end)

  it("refuses launches with more threads than the kernel's bounds", function()
    prints("false\tf: a block of 65 × 1 × 1 threads; f takes 64, at most 1024 × 1024 × 64\ntrue\t192", [=[
      local k = lt.kernel([[__global__ void __launch_bounds__(32 * 2, 1) f(int *x) { x[threadIdx.x] = 3; }]], "f", {device = "rocm"})
      local x = lt.zeros({128}, {dtype = "int32", device = "rocm"})
      print(pcall(k, {grid = 1, block = 65}, x))
      print(pcall(k, {grid = 1, block = 64}, x), x:sum():item())]=])
  end)

  it("is reopened, and tensors from before are lost", function()
    prints("false\t3.0", [[
      local x = lt.ones(3, {device = "rocm"})
      lt.rocm.reopen("rocm")
      print((pcall(x.sum, x)), lt.ones(3, {device = "rocm"}):sum():item())]])
  end)
end)

describe("rocm that cannot be used", function()
  if not gpu.amd_is_emulated then return pending("make emulator builds what stands in for AMD's libraries") end
  local ask = "print(lt.rocm.is_available())"

  it("has no device", function()
    for _, case in ipairs {{"no_device"}, {"", "HIP_VISIBLE_DEVICES="}, {"", "HIP_VISIBLE_DEVICES=-1"}} do
      prints("false\thipGetDeviceCount: no ROCm-capable device is detected", ask, table.unpack(case))
    end
  end)

  it("is too old", function()
    prints("false\tlibamdhip64.so is of HIP 4.3; luatensor needs 5.0 or newer", ask, "hip=40300000")
  end)

  it("is half there, and so is cuda", function()
    gpu.without("hiprtcCompileProgram", function(path)
      shell.passes(("LD_PRELOAD= rm %s/libnvrtc.so"):format(path))
      local _, output = run([[print(select(2, pcall(lt.accelerator))) print(lt.zeros(2, {device = "auto"}).device)]], "", path,
        "LUATENSOR_CUDA_PATH=" .. path)
      assert.truthy(output:find("^GPU not found: cuda: %S*libnvrtc.so.13: cannot open shared object file %(NVRTC compiles the kernels"
        .. "[^\n]*; rocm: libhiprtc.so has no function hiprtcCompileProgram; a newer ROCm does\ncpu$"), output)
    end)
  end)

  it("does not start", function()
    prints("false\tHIP does not start: hipErrorUnknown", ask, "no_start")
  end)

  it("lacks a function", function()
    gpu.without("hipGraphLaunch", function(path)
      local _, output = run(ask, "", path)
      assert.equal("false\tlibamdhip64.so has no function hipGraphLaunch; a newer ROCm does", output)
    end)
  end)

  it("is loaded from the first place that has it, even if another place has a newer version", function()
    gpu.without("hipMalloc", function(bad)
      gpu.without("", function(good)
        shell.passes(("LD_PRELOAD= mv %s/libamdhip64.so %s/libamdhip64.so.7"):format(bad, bad))
        shell.passes(("LD_PRELOAD= mv %s/libamdhip64.so %s/libamdhip64.so.6"):format(good, good))
        shell.passes(("LD_PRELOAD= ln -s %s %s/lib && ln -s %s %s/lib"):format(good, good, bad, bad))
        local status, output = run(ask, "", good .. ":" .. bad)
        assert.equal("true", output)
        assert.equal(0, status)
        local _, other = run(ask, "", bad .. ":" .. good)
        assert.equal("false\tlibamdhip64.so has no function hipMalloc; a newer ROCm does", other)
        local packages = bad .. "/lib/python3.12/site-packages"
        shell.passes(("LD_PRELOAD= mkdir -p %s && ln -s %s %s/_rocm_sdk_core"):format(packages, bad, packages))
        local _, named = run(ask, "", "/nowhere", ("ROCM_PATH=%s VIRTUAL_ENV=%s"):format(good, bad))
        assert.equal("true", named)
      end)
    end)
  end)

  it("has no library in the folder that LUATENSOR_ROCM_PATH names, and ROCM_PATH leads nowhere", function()
    local _, output = run(ask, "", nil, "LUATENSOR_ROCM_PATH=/nowhere ROCM_PATH=/nowhere")
    assert.truthy(output:find "^false\tlibamdhip64[^\n]* %(no AMD driver on this machine%)$"
      or output:find "^false\thipGetDeviceCount: no ROCm", output)
  end)
end)

-- hipRTC ends the process at a processor that it does not know.
describe("a processor that is not in luatensor's list", function()
  if not gpu.amd_is_emulated then return pending("make emulator builds what stands in for AMD's libraries") end
  local ask = "print(lt.rocm.is_available())"
  local cache

  before_each(function() cache = shell.folder() end)
  after_each(function() shell.passes("LD_PRELOAD= rm -r " .. cache) end)

  local function finds(want, code, settings, more)
    prints(want, code, settings, ("LUATENSOR_CACHE=%s %s"):format(cache, more or ""))
  end

  it("is used if hipRTC compiles for it in a child process, which the next process need not start", function()
    local code = "print(lt.rocm.is_available(), lt.ones(2, {device = [[auto]]}):sum():item())"
    local no_compiler = "LUATENSOR_EMULATOR_CXX=/nowhere"
    for _, settings in ipairs {"hip=50700000,gcn=gfx1100", "hip=70000000,gcn=gfx1201"} do
      finds("false\thipRTC of ROCm " .. (settings:match "gfx11" and "5.7" or "7.0") .. " does not compile for "
        .. settings:match "gfx%d+", ask, settings, no_compiler)
      finds("true\t2.0", code, settings)
      finds("true", ask, settings, no_compiler)
    end
  end)

  it("is not found if hipRTC does not know it, and everything goes on", function()
    for settings, reason in pairs {["gcn=gfx1100"] = "hipRTC of ROCm 5.2 does not compile for gfx1100",
        ["hip=60000000,gcn=gfx1201"] = "hipRTC of ROCm 6.0 does not compile for gfx1201"} do
      finds("false\t" .. reason .. "\ncpu\tfalse\nfalse\tGPU not found: " .. reason, ask .. [[
        print(lt.zeros(1, {device = "auto"}).device, (pcall(lt.accelerator)))
        print(pcall(lt.zeros, 1, {device = "rocm"}))]], settings)
    end
    finds("cuda:0\tfalse", "print(lt.accelerator(), (lt.rocm.is_available()))", "gcn=gfx1103",
      "LUATENSOR_CUDA_PATH=" .. gpu.folder)
  end)

  it("is left out beside others, which keep HIP's numbers in DLPack", function()
    shell.passes "LD_PRELOAD= make -s build/spec/dlpack_peer.so"
    finds("gfx1030 Emulated GPU 1,gfx90a Emulated GPU 2\tgfx1030\nrocm:1\t2\trocm:1\tfalse", [[
      local peer = package.loadlib("build/spec/dlpack_peer.so", "luaopen_dlpack_peer")()
      local names = {}
      for _, d in ipairs(lt.devices()) do if d.kind == "gpu" then names[#names + 1] = d.isa .. " " .. d.name end end
      print(table.concat(names, ","), lt.devices()[2].isa)
      local x = lt.ones(2, {device = "rocm:1"})
      local info, address = peer.take(x:to_dlpack())
      print(x.device, info.device_id, lt.from_dlpack(address).device, (pcall(lt.ones, 2, {device = "rocm:2"})))]],
      "devices=3,gcn=gfx1100/gfx1030/gfx90a")
  end)

  it("is tried also if the host ignores its children", function()
    local status, output = shell.run(([[(trap "" CHLD; %s LUATENSOR_CACHE=%s LUA_PATH="lua/?.lua;lua/?/init.lua" \
      LUA_CPATH="${BUILD:-build}/?.so" exec lua5.4 -e 'print(require "luatensor".rocm.is_available())')]]):format(
      gpu.only("rocm", "hip=50700000,gcn=gfx1100"), cache))
    assert.equal("true\n", output)
    assert.equal(0, status)
  end)

  it("is not used if there can be no child", function()
    shell.passes(([[echo "int fork(void) { return -1; }" | LD_PRELOAD= cc -shared -fPIC -x c -o %s/no_fork.so -]]):format(cache))
    local status, output = shell.run(([[%s LD_PRELOAD="$LD_PRELOAD:%s/no_fork.so" LUA_PATH="lua/?.lua;lua/?/init.lua" \
      LUA_CPATH="${BUILD:-build}/?.so" LUATENSOR_CACHE= lua5.4 -e 'print(require "luatensor".rocm.is_available())']]):format(
      gpu.only("rocm", "hip=60000000,gcn=gfx1100"), cache))
    assert.equal("false\thipRTC of ROCm 6.0 may not know gfx1100, and no child process could try it\n", output)
    assert.equal(0, status)
  end)
end)
