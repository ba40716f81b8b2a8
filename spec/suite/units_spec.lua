-- tags: process
-- Tests spec/support/units/units.c, by which make test-hiprtc and make test-nvrtc compile kernels: a kernel fails if a processor
-- cannot run its largest block.
local gpu = require "spec.support.gpu"
local shell = require "spec.support.shell"

local units = "build/spec/units"

-- Compiles one kernel by a library for the targets. `lines` are put before the kernel in the list of units. Returns the exit
-- status and the output.
local function compile_by(library, targets, text, lines)
  local folder = shell.folder()
  shell.write(folder .. "/kernel.cu", text)
  shell.write(folder .. "/list", ("%s@%s/kernel.cu\t--gpu-architecture=sm_90\t--fmad=false\t-DX\n"):format(lines or "", folder))
  local status, output = shell.run(("%s %s %s < %s/list"):format(units, library, targets, folder))
  shell.passes("LD_PRELOAD= rm -r " .. folder)
  return status, output
end

-- A kernel with 40000 bytes of static shared memory, and dynamic shared memory.
local shared_memory = [=[extern "C" __global__ void f(int *x) {
  __shared__ int s[10000];
  extern __shared__ int d[];
  s[threadIdx.x] = x[0], d[threadIdx.x] = x[1];
  __syncthreads();
  x[2] = s[x[3]] + d[x[4]];
}]=]

-- A kernel whose threads need 4000 bytes of local memory each.
local local_memory = [=[extern "C" __global__ void f(int *x) {
  int s[1000];
  for (int i = 0; i < 1000; i++) s[i] = x[i];
  for (int i = 0; i < 1000; i++) x[i] = s[x[1000 + s[i]]];
}]=]

describe("AMD's compiler and a kernel", function()
  local library = shell.passes("ls /usr/lib/*/libamdhip64.so.5 2>/dev/null || true"):match "[^\n]+"
  local function compile(...) return compile_by(library, "gfx90a gfx1030", ...) end
  if not library or not shell.exists(units) then return pending "needs libamdhip64-5, and make test-hosts builds units" end

  it("whose static and dynamic LDS fit, or do not", function()
    assert.equal(0, (compile(shared_memory, "#shared\t25536\tf\n")))
    local status, output = compile(shared_memory, "#shared\t25537\tf\n")
    assert.equal(1, status)
    assert.truthy(output:find("of 1024 registers of a lane, 65537 bytes of LDS, and 0 bytes of scratch memory", 1, true), output)
    assert.equal(0, (compile(shared_memory, "#shared\t25537\tg\n")))
  end)

  it("that does not compile is named with AMD's options", function()
    local status, output = compile "nonsense"
    assert.equal(1, status)
    assert.truthy(output:find "FAILED @%S+%s%-DX for gfx90a:\n", output)
  end)

  it("whose threads need much scratch memory", function()
    local status, output = compile(local_memory)
    assert.equal(1, status)
    assert.truthy(output:find("a block of 1024 threads of f needs", 1, true), output)
    assert.truthy(output:find "0 bytes of LDS, and 40%d%d bytes of scratch memory for each thread", output)
  end)
end)

describe("NVIDIA's compiler and a kernel", function()
  local library = gpu.nvrtc
  local function compile(...) return compile_by(library, "90 86", ...) end
  if not library or not shell.exists(units) then return pending "needs NVRTC, and make test-hosts builds units" end

  it("whose registers and shared memory are those of its code", function()
    local status, output = compile [=[extern "C" __global__ void __launch_bounds__(256) f(int *x) {
      __shared__ int s[1000];
      s[threadIdx.x] = x[40];
      __syncthreads();
      x[2] = s[x[3]];
    }]=]
    assert.equal(0, status, output)
    for _, target in ipairs {"90", "86"} do
      local registers, shared = output:match(target .. ": 1 units compile, 0 do not\n  at most (%d+) registers: .-\n  at most 0 "
        .. "spilled bytes\n  at most (%d+) bytes of static shared memory: .-\n  at most 0 bytes of stack\n")
      assert.is_true(tonumber(registers) >= 4 and tonumber(registers) <= 255, output)
      assert.equal("4000", shared)
    end
  end)

  it("whose static and dynamic shared memory fit, or do not", function()
    assert.equal(0, (compile(shared_memory, "#shared\t61376\tf\n")))
    local status, output = compile(shared_memory, "#shared\t61377\tf\n")
    assert.equal(1, status)
    assert.truthy(output:find("%-DX for 86: a block of 1024 threads of f needs %d+ of 65536 registers, 40000 %+ 61377 of 101376 bytes"), output)
    assert.is_nil(output:find("%-DX for 90"))
    assert.equal(0, (compile(shared_memory, "#shared\t61377\tg\n")))
    assert.equal(0, (compile(shared_memory, "#shared\t192448\tf\n")))                    -- such a launch is not for an 86
    assert.equal(1, (compile(shared_memory, "#shared\t192449\tf\n")))
  end)

  it("whose threads spill registers or need much local memory", function()
    local status, output = compile [=[extern "C" __global__ void __launch_bounds__(1024) f(double *x) {
      double a[200];
      for (int i = 0; i < 200; i++) a[i] = x[i * 1024 + threadIdx.x];
      for (int k = 0; k < 100; k++)
        #pragma unroll
        for (int i = 0; i < 200; i++) a[i] = a[i] * a[(i + 17) % 200] + x[k];
      for (int i = 0; i < 200; i++) x[i * 1024 + threadIdx.x] = a[i];
    }]=]
    assert.equal(1, status)
    local spilled = tonumber(output:match "for 90: a block of 1024 threads of f needs .- (%d+) of spilled registers for each thread")
    assert.is_true(spilled > 768, output)
    status, output = compile(local_memory)
    assert.equal(1, status)
    assert.truthy(output:find("4000 bytes of stack and 0 of spilled registers", 1, true), output)
  end)

  it("that does not compile is named with its options", function()
    local status, output = compile "nonsense"
    assert.equal(1, status)
    assert.truthy(output:find "FAILED @%S+%s%-DX for 90:\n", output)
  end)
end)
