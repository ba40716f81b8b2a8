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

  it("has a processor that the compiler does not know, at which hipRTC would end the process", function()
    local status, output = run("lt.ones(2, {device = [[rocm]]})", "gcn=gfx1100")
    assert.equal(1, status)
    assert.truthy(output:find("hipRTC of ROCm 5.2 does not compile for gfx1100", 1, true), output)
  end)

  it("lacks a function", function()
    gpu.without("hipGraphLaunch", function(path)
      local _, output = run(ask, "", path)
      assert.equal("false\tlibamdhip64.so has no function hipGraphLaunch; a newer ROCm does", output)
    end)
  end)

  it("has no library in the folder that LUATENSOR_ROCM_PATH names, and ROCM_PATH leads nowhere", function()
    local _, output = run(ask, "", nil, "LUATENSOR_ROCM_PATH=/nowhere ROCM_PATH=/nowhere")
    assert.truthy(output:find "^false\tlibamdhip64[^\n]* %(no AMD driver on this machine%)$"
      or output:find "^false\thipGetDeviceCount: no ROCm", output)
  end)
end)
