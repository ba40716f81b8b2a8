-- tags: process leaking divided
-- Tests the loading of NVIDIA's libraries, the messages if they are missing, and for both vendors launches and the disk
-- cache of kernels, in processes that use the emulator. rocm_spec.lua tests the loading of AMD's libraries.
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local build = os.getenv "BUILD" or "build"
local emulator = build .. "/spec/emulator"

local folders = {}

-- Makes a new folder with copies of these libraries of the emulator, and returns its path.
local function folder(...)
  local path = shell.folder()
  folders[#folders + 1] = path
  for _, name in ipairs {...} do shell.passes(("cp %s/%s %s/*.h %s"):format(emulator, name, emulator, path)) end
  return path
end

-- Returns the output of a script in a new process. variables: environment variables in addition to those of a plain
-- emulator.
local function lua(script, variables)
  local environment = {LUATENSOR_CUDA_PATH = emulator, LUATENSOR_CACHE = build .. "/spec/kernels", LUATENSOR_TEST_DEVICE = "cpu"}
  for name, value in pairs(variables or {}) do environment[name] = value end
  local words = {"env -u LUATENSOR_KERNELS"}
  for name, value in pairs(environment) do words[#words + 1] = ("%s='%s'"):format(name, value) end
  script = 'local lt = require "luatensor"\n' .. script
  return (shell.passes(table.concat(words, " ") .. " lua5.4 - <<'END'\n" .. script .. "\nEND"):gsub("\n$", ""))
end

-- Like lua(script, variables) on AMD's emulated GPU, with the names of NVIDIA's device in the script replaced.
local function lua_of_amd(script, variables)
  local own = {LUATENSOR_CUDA_PATH = "/nowhere", LUATENSOR_ROCM_PATH = emulator}
  for name, value in pairs(variables or {}) do own[name] = value end
  script = script:gsub('"cuda', '"rocm'):gsub("lt%.cuda", "lt.rocm"):gsub('require "emulator"', 'require "emulator_hip"')
  return lua(script, own)
end

-- The differences between the vendors in these tests. shared: bytes of shared memory of a block; compiler and processor: settings of
-- another compiler and another processor; failure: the compiler's message with fail_compile.
local vendors = {
  {device = "cuda", folders = "LUATENSOR_CUDA_PATH", lua = lua, shared = 232448, compiler = "nvrtc=12.9",
    processor = "capability=8.0", failure = "map.cuh(1): error: injected failure"},
  {device = "rocm", folders = "LUATENSOR_ROCM_PATH", lua = lua_of_amd, shared = 65536, compiler = "hip=50300000",
    processor = "lanes=64", failure = "/tmp/comgr-emulated/input/CompileSource:1:1: error: injected failure"},
}

-- Like describe(name .. " on cuda", body) and describe(name .. " on rocm", body), or one of them in turn. body gets an
-- element of `vendors`.
local function describe_both(name, body)
  for _, vendor in ipairs(helpers.in_turn(vendors)) do
    describe(name .. " on " .. vendor.device, function() body(vendor) end)
  end
end

-- Returns the reason why there is no GPU in a process with these environment variables.
local function reason(variables)
  return lua("local there, why = lt.cuda.is_available() assert(not there) io.write(why)", variables)
end

-- Lua code that makes the emulator's counts available to a script.
local count = ('package.cpath = "%s/?.so;" .. package.cpath local emulator = require "emulator"\n'):format(emulator)
local add = [[
  local x = lt.tensor({1, 2, 3}, {dtype = "float32", device = "cuda"})
  assert((x + x):to_bytes() == lt.tensor({2, 4, 6}, {dtype = "float32"}):to_bytes())
]]
local compiled = count .. add .. "io.write(emulator.counts().compiles)"

if not shell.exists(emulator .. "/libcuda.so.1") then
  describe("the GPU's libraries", function() pending "make emulator builds what this needs" end)
  return
end

teardown(function()
  for _, path in ipairs(folders) do shell.passes("chmod -R u+w " .. path .. "; rm -r " .. path) end
end)

describe_both("a launch", function(vendor)
  local run = vendor.lua
  it("of more threads than the compiled kernel takes is refused in words", function()
    assert.equal("sort: launch of sort float32: 1024 threads in a block; the compiled kernel takes at most 512",
      run([[io.write((select(2, pcall(lt.sort, lt.rand({4096}):to "cuda"))))]], {LUATENSOR_EMULATOR = "block=512"}))
  end)

  it("of more threads than the kernel's bounds is refused", function()
    assert.equal("false\tf: a block of 65 × 1 × 1 threads; f takes 64, at most 1024 × 1024 × 64\ntrue\t192", run [[
      local k = lt.kernel("__global__ void __launch_bounds__(32 * 2, 1) f(int *x) { x[threadIdx.x] = 3; }", "f")
      local x = lt.zeros({128}, {dtype = "int32", device = "cuda"})
      print(pcall(k, {grid = 1, block = 65}, x))
      print(pcall(k, {grid = 1, block = 64}, x), x:sum():item())]])
  end)

  it("has shared memory of its own and of the kernel's declarations", function()
    local script = [[
      local x = lt.zeros(1, {device = "cuda"})
      local k = lt.kernel("__global__ void f(float *x) { extern __shared__ float s[]; s[0] = 2; x[0] = s[0]; }", "f")
      k({grid = 1, shared = 40 << 10}, x)
      print(x:item())
      print(pcall(k, {grid = 1, shared = 220 << 10}, x))]]
    assert.equal("2.0\nfalse\tf: shared: 225280 bytes, and f declares 20480; a block of this device has at most " .. vendor.shared,
      run(script, {LUATENSOR_EMULATOR = "shared=20K"}))
  end)
end)

describe("the module", function()
  it("is linked with no library of a GPU", function()
    local libraries = shell.passes("ldd " .. build .. "/luatensor/core.so")
    for _, name in ipairs {"cuda", "nvrtc", "cublas", "cufft", "nvidia"} do assert.is_nil(libraries:find(name, 1, true)) end
  end)

  it("asks for none before a script does", function()
    local loaded = lua [[
      local x = lt.ones(3) + 1
      lt.synchronize()
      for line in io.lines "/proc/self/maps" do
        if line:find("libcuda", 1, true) or line:find("libnvrtc", 1, true) then io.write(line) end
      end]]
    assert.equal("", loaded)
  end)
end)

describe("a GPU that cannot be used is told:", function()
  local nvrtc = " (NVRTC compiles the kernels: install the CUDA toolkit's nvrtc, or name its folder in LUATENSOR_CUDA_PATH)"

  it("no driver", function()
    local why = reason {LUATENSOR_CUDA_PATH = folder(), LD_LIBRARY_PATH = ""}
    assert.equal("libcuda.so.1: cannot open shared object file (no NVIDIA driver on this machine)", why)
  end)

  it("a file that is no library", function()
    local path = folder()
    shell.passes("echo nonsense > " .. path .. "/libcuda.so.1")
    assert.is_truthy(reason {LUATENSOR_CUDA_PATH = path}:find(path .. "/libcuda.so.1: file too short", 1, true))
  end)

  it("no NVRTC", function()
    local path = folder "libcuda.so.1"
    assert.equal(path .. "/libnvrtc.so.13: cannot open shared object file" .. nvrtc, reason {LUATENSOR_CUDA_PATH = path})
  end)

  it("an old driver", function()
    assert.equal("the driver is for CUDA 11.4; luatensor needs 12.0 or newer", reason {LUATENSOR_EMULATOR = "driver=11040"})
  end)

  it("a driver older than NVRTC", function()
    assert.equal("NVRTC 13.0 is newer than the driver, which is for CUDA 12.4: install NVRTC 12",
      reason {LUATENSOR_EMULATOR = "driver=12040"})
    assert.equal("true", lua("io.write(tostring(lt.cuda.is_available()))", {LUATENSOR_EMULATOR = "driver=12040,nvrtc=12.9"}))
  end)

  it("a function that a library lacks", function()
    local path = folder()
    local function without(symbol)
      shell.passes(("EMULATOR=%s spec/support/emulator/without %s %s"):format(emulator, path, symbol))
      return {LUATENSOR_CUDA_PATH = path}
    end
    assert.equal("libcuda.so has no function cuGraphLaunch; a newer driver does", reason(without "cuGraphLaunch"))
    assert.equal("libnvrtc.so has no function nvrtcGetCUBIN", reason(without "nvrtcGetCUBIN"))
  end)

  it("no device", function()
    assert.equal("the driver finds no device on this machine", reason {LUATENSOR_EMULATOR = "no_device"})
  end)

  it("a driver that does not start", function()
    assert.equal("driver for CUDA does not start: unknown error", reason {LUATENSOR_EMULATOR = "no_start"})
  end)

  it("an error names the reason", function()
    local said = lua("io.write(select(2, pcall(lt.zeros, 2, {device = 'cuda'})))", {LUATENSOR_EMULATOR = "no_device"})
    assert.equal("GPU not found: the driver finds no device on this machine", said)
  end)

  it("a device that the compiler does not know", function()
    local said = lua("io.write(select(2, pcall(lt.zeros, 2, {device = 'cuda'})))", {LUATENSOR_EMULATOR = "capability=5.0"})
    assert.equal("GPU not found: NVRTC 13.0 compiles for compute capability 7.5 and newer, not for the 5.0 of this device", said)
  end)
end)

describe("a GPU", function()
  it("works without cuBLAS, and says so", function()
    local path = folder("libcuda.so.1", "libnvrtc.so")
    local said = lua([[
      io.write(lt.devices()[2].software, "\n", lt.config())
      local x = lt.ones(2, 3, {device = "cuda"})
      assert(x:matmul(x.T):to_bytes() == lt.full({2, 2}, 3.0):to_bytes())]], {LUATENSOR_CUDA_PATH = path})
    assert.equal("driver for CUDA 13.0, NVRTC 13.0, no cuBLAS, no cuDNN", said:match "^[^\n]*")
    assert.is_truthy(said:find("matrix products take luatensor's own kernels", 1, true), said)
  end)

  describe("with float32 products from bfloat16 numbers", function()
    -- Prints the number of such products of cuBLAS, for a matrix product of each dtype and a convolution, and the largest
    -- error of the float32 product.
    local script = count .. [[
      lt.set_matmul_precision "bf16x9"
      assert(lt.get_matmul_precision() == "bf16x9")
      local split = {}
      local function counted(fn)
        local before = emulator.counts().split
        local result = fn()
        split[#split + 1] = emulator.counts().split - before
        return result
      end
      local x, y = lt.rand(130, 70, {device = "cpu"}), lt.rand(70, 130, {device = "cpu"})
      local product = counted(function() return x:to("cuda", "float32"):matmul(y:to("cuda", "float32")) end)
      local error = (product:to("cpu", "float64") - x:to("float64"):matmul(y:to("float64"))):abs():max():item()
      for _, dtype in ipairs {"float64", "float16", "complex64"} do
        counted(function() return x:to("cuda", dtype):matmul(y:to("cuda", dtype)) end)
      end
      counted(function()
        return require "luatensor.nn.functional".conv2d(lt.ones(1, 8, 9, 9, {device = "cuda", dtype = "float32"}),
          lt.ones(8, 8, 3, 3, {device = "cuda", dtype = "float32"}))
      end)
      io.write(table.concat(split, " "), " ", tostring(error < 1e-4))]]

    it("asks cuBLAS for them on compute capability 10 only", function()
      assert.equal("1 0 0 0 0 true", lua(script, {LUATENSOR_EMULATOR = "capability=10.0"}))
      assert.equal("1 0 0 0 0 true", lua(script, {LUATENSOR_EMULATOR = "capability=10.3,cublas=12.9"}))
      for _, capability in ipairs {"9.0", "12.0"} do
        assert.equal("0 0 0 0 0 true", lua(script, {LUATENSOR_EMULATOR = "capability=" .. capability}))
      end
    end)

    it("refuses them without a cuBLAS that has them", function()
      local refused = 'set_matmul_precision: "bf16x9" needs cuBLAS 12.9 or newer: '
      local tried = [[io.write(select(2, pcall(lt.set_matmul_precision, "bf16x9")), "|", lt.get_matmul_precision())]]
      assert.equal(refused .. "cuBLAS 12.8 is too old|ieee", lua(tried, {LUATENSOR_EMULATOR = "capability=10.0,cublas=12.8"}))
      assert.equal(refused .. "no NVIDIA GPU is available|ieee", lua_of_amd(tried))
      local path = folder("libcuda.so.1", "libnvrtc.so")
      assert.equal(refused .. path .. "/libcublas.so.13: cannot open shared object file (matrix products take " ..
        "luatensor's own kernels)|ieee", lua(tried, {LUATENSOR_CUDA_PATH = path}))
    end)
  end)

  it("has the libraries of Python's active virtual environment, but the driver of the system", function()
    local environment, driver = folder(), folder("libcuda.so.1")
    local packages = environment .. "/lib/python3.11/site-packages/nvidia"
    for name, files in pairs {cu13 = {"libnvrtc.so 13", "libcublas.so 13", "libcufft.so 12"}, cudnn = {"libcudnn.so 9"}} do
      shell.passes(("mkdir -p %s/%s/lib && cp %s/*.h %s/%s/lib"):format(packages, name, emulator, packages, name))
      for _, file in ipairs(files) do
        local library, major = file:match "(%S+) (%d+)"
        shell.passes(("cp %s/%s %s/%s/lib/%s.%s"):format(emulator, library, packages, name, library, major))
      end
    end
    local said = lua([[
      io.write(lt.devices()[2].software, "|", tostring(lt.fft.fft(lt.ones(2, {device = "cuda"}))[1]:real():item()))]],
      {LUATENSOR_CUDA_PATH = "", CUDA_HOME = "/nowhere", VIRTUAL_ENV = environment, LD_LIBRARY_PATH = driver})
    assert.equal("driver for CUDA 13.0, NVRTC 13.0, cuBLAS 13.0, cuDNN 9.19|2.0", said)
  end)

  it("works without cuDNN, and says why", function()
    local none = folder("libcuda.so.1", "libnvrtc.so", "libcublas.so")
    local function words(variables)
      return lua("io.write((lt.config():gsub('.*; cuda: ', '')))", variables)
    end
    assert.equal(none .. "/libcudnn.so.9: cannot open shared object file (convolutions take luatensor's own kernels: " ..
      "install cuDNN, or name its folder in LUATENSOR_CUDA_PATH)", words {LUATENSOR_CUDA_PATH = none})
    assert.equal("LUATENSOR_CUDNN=off: convolutions take luatensor's own kernels", words {LUATENSOR_CUDNN = "off"})
    assert.equal("cuDNN 9.19 is for CUDA 14.0, newer than the driver, which is for CUDA 13.0: install that for CUDA 13",
      words {LUATENSOR_EMULATOR = "dnn=new"})
    local old = shell.folder()
    folders[#folders + 1] = old
    shell.passes(("EMULATOR=%s spec/support/emulator/without %s cudnnSetFilterNdDescriptor"):format(emulator, old))
    assert.equal("libcudnn.so has no function cudnnSetFilterNdDescriptor", words {LUATENSOR_CUDA_PATH = old})
  end)

  it("works without cuFFT, but for lt.fft", function()
    local path = folder("libcuda.so.1", "libnvrtc.so")
    local said = lua([[
      local x = lt.ones(3, {device = "cuda"})
      io.write(select(2, pcall(lt.fft.fft, x)))
      assert((x + x):sum():item() == 6)]], {LUATENSOR_CUDA_PATH = path})
    assert.equal("fft: not available on cuda:0: " .. path .. "/libcufft.so.12: cannot open shared object file " ..
      "(install the CUDA toolkit's cufft, or name its folder in LUATENSOR_CUDA_PATH)", said)
  end)

  it("works without cuSOLVER, but for lt.linalg", function()
    local path = folder("libcuda.so.1", "libnvrtc.so")
    local said = lua([[io.write(select(2, pcall(lt.linalg.det, lt.eye(2, {device = "cuda"}))))]], {LUATENSOR_CUDA_PATH = path})
    assert.equal("det: not available on cuda:0: " .. path .. "/libcusolver.so.12: cannot open shared object file " ..
      "(install the CUDA toolkit's cusolver, or name its folder in LUATENSOR_CUDA_PATH)", said)
  end)

  it("works with a cuSOLVER that is too old for eig", function()
    local path = shell.folder()
    folders[#folders + 1] = path
    shell.passes(("EMULATOR=%s spec/support/emulator/without %s cusolverDnXgeev"):format(emulator, path))
    local said = lua([[
      local x = lt.eye(2, {device = "cuda"})
      io.write(select(2, pcall(lt.linalg.eig, x)), " ", tostring(lt.linalg.det(x):item()))]], {LUATENSOR_CUDA_PATH = path})
    assert.equal("eig: not available on cuda:0: libcusolver.so has no function cusolverDnXgeev; that of CUDA 12.6 does 1.0", said)
  end)

  it("tells what it is", function()
    local said = lua [[
      local gpu = lt.devices()[2]
      io.write(gpu.device, " ", gpu.name, " ", gpu.kind, " ", gpu.isa, " ", gpu.cores, " ", math.type(gpu.memory), " ", gpu.software)]]
    assert.equal("cuda:0 Emulated GPU 0 gpu 9.0 4 integer driver for CUDA 13.0, NVRTC 13.0, cuBLAS 13.0, cuDNN", (said:gsub(" %d+%.%d+$", "")))
  end)

  it("is one of several", function()
    assert.equal('device: no device "cuda:7"; there is only cuda:0', lua "io.write(select(2, pcall(lt.device, 'cuda:7')))")
    local said = lua([[
      local a, b = lt.ones(3, {device = "cuda:0"}), lt.ones(3, {device = "cuda:1"})
      io.write(#lt.devices(), "\n", select(2, pcall(lt.device, "cuda:2")), "\n", select(2, pcall(lt.add, a, b)), "\n")
      local c = b + a:to("cuda:1")
      assert(c.device == "cuda:1" and (b + b).device == "cuda:1" and (a + a).device == "cuda:0")
      assert(c:to("cuda:0"):to_bytes() == lt.full(3, 2.0):to_bytes())
      lt.synchronize()]], {LUATENSOR_EMULATOR = "devices=2"})
    local devices, unknown, differ = said:match "^(.-)\n(.-)\n(.-)\n*$"
    assert.equal("3", devices)
    assert.equal('device: no device "cuda:2"; the last is cuda:1', unknown)
    assert.is_truthy(differ:find("cuda:0 and cuda:1", 1, true), differ)
  end)

  it("newer than the compiler takes what the driver compiles", function()
    assert.equal("1", lua(compiled, {LUATENSOR_EMULATOR = "capability=13.0", LUATENSOR_CACHE = folder()}))
  end)

  it("is given back when the process ends", function()
    for _, exit in ipairs {"", "os.exit(0, true)", "os.exit(0, false)"} do
      lua([[
        local x = lt.rand(100, 100, {device = "cuda"})
        y = x:matmul(x):add(1):to("cpu")]] .. "\n" .. exit, {LUATENSOR_EMULATOR = "leaks=1"})
    end
  end)

  it("is not for a forked child", function()
    local host = "build/spec/states_host"
    if not shell.exists(host) then return pending "make test-hosts builds the host" end
    shell.passes(("LUATENSOR_CUDA_PATH=%s LUATENSOR_CACHE=%s/spec/kernels %s fork spec/support/scripts/gpu_fork.lua"):format(emulator, build, host))
  end)
end)

describe_both("kernels on disk", function(vendor)
  local run = vendor.lua
  -- Returns the path of a cache that contains the kernel of one addition.
  local function filled()
    local path = folder()
    assert.equal("1", run(compiled, {LUATENSOR_CACHE = path}))
    return path
  end

  it("are compiled once for all processes", function()
    local path = filled()
    assert.equal("0", run(compiled, {LUATENSOR_CACHE = path}))
    assert.equal("1", run(count .. add .. add .. "io.write(emulator.counts().compiles)", {LUATENSOR_CACHE = folder()}))
  end)

  it("are compiled again where others could have written them", function()
    for _, target in ipairs {"", "/*"} do
      for _, rights in ipairs {"g+w", "o+w"} do
        local path = filled()
        shell.passes(("chmod %s %s%s"):format(rights, path, target))
        assert.equal("1", run(compiled, {LUATENSOR_CACHE = path}), rights .. " " .. target)
      end
      if shell.passes "id -u" == "0\n" then
        local path = filled()
        shell.passes(("chown 65534 %s%s"):format(path, target))
        assert.equal("1", run(compiled, {LUATENSOR_CACHE = path}), "another's " .. target)
      end
    end
  end)

  it("are there alone: what a killed process left is removed", function()
    local path = folder()
    shell.passes(("touch %s/.luatensor-1-0"):format(path))
    assert.equal("1", run(compiled, {LUATENSOR_CACHE = path}))
    assert.matches("^%x+\n$", shell.passes("ls -A " .. path))
    assert.equal("600\n", shell.passes(("stat -c %%a %s/*"):format(path)))
  end)

  it("lie where other programs keep theirs, too", function()
    local path = folder()
    local home = {LUATENSOR_CACHE = "", XDG_CACHE_HOME = "", HOME = path}
    assert.equal("1", run(compiled, home))
    assert.equal("0", run(compiled, {LUATENSOR_CACHE = "", XDG_CACHE_HOME = path .. "/.cache"}))
    assert.equal("1\n", shell.passes("ls " .. path .. "/.cache/luatensor | wc -l"))
  end)

  it("are compiled again when a file is damaged, cut short, empty or something else", function()
    local path = filled()
    local file = shell.passes("ls " .. path .. "/*"):gsub("\n", "")
    local whole = io.open(file, "rb"):read("a")
    local function without_byte(at) return whole:sub(1, at - 1) .. string.char(whole:byte(at) ~ 1) .. whole:sub(at + 1) end
    for about, content in pairs {
      ["the image"] = without_byte(#whole - 1000), ["the name of the format"] = without_byte(1), ["the key"] = without_byte(20),
      ["the check"] = without_byte(70), half = whole:sub(1, #whole // 2), header = whole:sub(1, 40), empty = "",
      longer = whole .. "x", other = "hello\n",
    } do
      io.open(file, "wb"):write(content):close()
      assert.equal("1", run(compiled, {LUATENSOR_CACHE = path}), about)
      assert.equal("0", run(compiled, {LUATENSOR_CACHE = path}), about)
    end
    shell.passes(("rm %s; mkdir %s"):format(file, file))
    assert.equal("1", run(compiled, {LUATENSOR_CACHE = path}))
  end)

  it("of another file's name are not taken for this one's", function()
    local path, other = filled(), folder()
    run((add:gsub("x %+ x", "x + x * 2 - x")), {LUATENSOR_CACHE = other})
    local name = shell.passes("ls " .. path):gsub("\n", "")
    for file in shell.passes("ls " .. other):gmatch "[^\n]+" do
      if file ~= name then shell.passes(("cp %s/%s %s/%s"):format(other, file, path, name)) end
    end
    assert.equal("1", run(compiled, {LUATENSOR_CACHE = path}))
  end)

  it("of another compiler or another device are not taken", function()
    local path = filled()
    assert.equal("1", run(compiled, {LUATENSOR_CACHE = path, LUATENSOR_EMULATOR = vendor.compiler}))
    assert.equal("1", run(compiled, {LUATENSOR_CACHE = path, LUATENSOR_EMULATOR = vendor.processor}))
    assert.equal("0", run(compiled, {LUATENSOR_CACHE = path}))
  end)

  it("are not kept where nothing can be written", function()
    for _, path in ipairs {"/proc/nowhere", "/dev/null/x", "/dev/null"} do
      assert.equal("1", run(compiled, {LUATENSOR_CACHE = path}), path)
    end
    assert.equal("1", run(compiled, {LUATENSOR_CACHE = "", XDG_CACHE_HOME = "", HOME = ""}))
  end)

  it("are made by several processes at once", function()
    local path = folder()
    local one = ("%s=%s LUATENSOR_CACHE=%s lua5.4 -e 'local lt = require \"luatensor\" %s'"):format(
      vendor.folders, emulator, path, (add:gsub("\n", " "):gsub('"cuda', '"' .. vendor.device)))
    shell.passes(("for i in 1 2 3 4; do %s & p=\"$p $!\"; done; for i in $p; do wait $i || exit 1; done"):format(one))
    assert.equal("0", run(compiled, {LUATENSOR_CACHE = path}))
    assert.equal("1\n", shell.passes("ls " .. path .. " | wc -l"))
  end)
end)

describe_both("kernels that do not compile", function(vendor)
  local run = vendor.lua
  it("are an error with the compiler's first words", function()
    local said = run(count .. [[
      local x = lt.ones(3, {device = "cuda"})
      emulator.configure "fail_compile=1"
      local ok, message = pcall(lt.exp, x)
      assert(not ok)
      io.write(message)
      assert(lt.exp(x * 0):to_bytes() == lt.ones(3):to_bytes())]], {LUATENSOR_CACHE = folder()})
    assert.equal("exp: compiling exp float32 (map.cuh): " .. vendor.failure, said:match "^[^\n]*")
  end)

  it("can be edited in a folder, without a build", function()
    local path, cache = folder(), folder()
    shell.passes("cp src/ops.def " .. path)
    local variables = {LUATENSOR_KERNELS = path, LUATENSOR_CACHE = cache}
    assert.equal("1", run(compiled, variables))
    assert.equal("0", run(compiled, variables))
    assert.equal("0", run(compiled, {LUATENSOR_CACHE = cache}))
    shell.passes("sed -i 's/(C)(x + y)/(C)(x + y + 1)/' " .. path .. "/ops.def")
    local changed = (compiled:gsub("{2, 4, 6}", "{3, 5, 7}"))
    assert.equal("1", run(changed, variables))
    assert.equal("0", run(changed, variables))
    assert.equal("0", run(compiled, {LUATENSOR_CACHE = cache, LUATENSOR_KERNELS = "."}))
  end)

  it("is listed in LUATENSOR_KERNELS_LOADED when it is loaded, with its attributes", function()
    local log = folder() .. "/log"
    assert.equal("", run(add, {LUATENSOR_KERNELS_LOADED = log, LUATENSOR_EMULATOR = "block=512,shared=20K,table=/dev/null"}))
    assert.equal("add float32\t32\t0\t20480\t256\n", shell.read(log))
    assert.equal("", run(add, {LUATENSOR_KERNELS_LOADED = "/nowhere/log"}))
  end)
end)

describe_both("a launch that fails", function(vendor)
  local run = vendor.lua
  it("names the kernel; the next one works", function()
    local said = run(count .. add .. [[
      emulator.configure "fail_launch=1"
      io.write(select(2, pcall(lt.add, x, x)))
    ]] .. add)
    assert.is_truthy(said:find("^add: launch of add float32: "), said)
  end)

  it("for good says that the device is lost", function()
    local said = run(count .. add .. [[
      emulator.configure "sticky,fail_launch=1"
      local y = x + x
      io.write(select(2, pcall(y.to_bytes, y)), "\n", select(2, pcall(lt.add, x, x)), "\n")]])
    local first, later = said:match "([^\n]*)\n([^\n]*)$"
    for _, text in ipairs {first, later} do
      local advice = ('the device is lost: start the script anew, or try lt.%s.reopen("%s:0")'):format(vendor.device, vendor.device)
      assert.is_truthy(text:find(advice, 1, true), text)
      assert.is_truthy(text:find("add float32", 1, true), text)
    end
  end)
end)
