-- tags: process
-- Tests spec/support/units.c, by which make test-hiprtc compiles kernels: a kernel fails if a processor of AMD cannot run its
-- largest block.
local shell = require "spec.support.shell"

local units = "build/spec/units"
local library = shell.passes("ls /usr/lib/*/libamdhip64.so.5 2>/dev/null || true"):match "[^\n]+"

-- Compiles one kernel for gfx90a and gfx1030. `lines` are put before the kernel in the list of units. Returns the exit status
-- and the output.
local function compile(text, lines)
  local folder = shell.folder()
  shell.write(folder .. "/kernel.cu", text)
  shell.write(folder .. "/list", ("%s@%s/kernel.cu\t--gpu-architecture=sm_90\t--fmad=false\t-DX\n"):format(lines or "", folder))
  local status, output = shell.run(("%s %s gfx90a gfx1030 < %s/list"):format(units, library, folder))
  shell.passes("LD_PRELOAD= rm -r " .. folder)
  return status, output
end

describe("AMD's compiler and a kernel", function()
  if not library or not shell.exists(units) then return pending "needs libamdhip64-5, and make test-hosts builds units" end

  it("whose static and dynamic LDS fit, or do not", function()
    local text = [=[extern "C" __global__ void f(int *x) {
      __shared__ int s[10000];
      extern __shared__ int d[];
      s[threadIdx.x] = x[0], d[threadIdx.x] = x[1];
      __syncthreads();
      x[2] = s[x[3]] + d[x[4]];
    }]=]
    assert.equal(0, (compile(text, "#shared\t25536\tf\n")))
    local status, output = compile(text, "#shared\t25537\tf\n")
    assert.equal(1, status)
    assert.truthy(output:find("of 1024 registers of a lane, 65537 bytes of LDS, and 0 bytes of scratch memory", 1, true), output)
    assert.equal(0, (compile(text, "#shared\t25537\tg\n")))
  end)

  it("that does not compile is named with AMD's options", function()
    local status, output = compile "nonsense"
    assert.equal(1, status)
    assert.truthy(output:find "FAILED @%S+%s%-DX for gfx90a:\n", output)
  end)

  it("whose threads need much scratch memory", function()
    local status, output = compile [=[extern "C" __global__ void f(int *x) {
      int s[1000];
      for (int i = 0; i < 1000; i++) s[i] = x[i];
      for (int i = 0; i < 1000; i++) x[i] = s[x[1000 + s[i]]];
    }]=]
    assert.equal(1, status)
    assert.truthy(output:find("a block of 1024 threads of f needs", 1, true), output)
    assert.truthy(output:find "0 bytes of LDS, and 40%d%d bytes of scratch memory for each thread", output)
  end)
end)
