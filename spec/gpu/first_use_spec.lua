-- tags: process leaking divided
-- Tests the list of used kernels (LUATENSOR_KERNELS_LOG) and `luatensor kernels`, which compiles such a list without a GPU.
-- Tests the size of the cache of compiled kernels. All tests run in processes that use the emulator.
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"
local luatensor = require "spec.support.command"
local shell = require "spec.support.shell"

if not shell.exists(gpu.folder .. "/libcuda.so.1") then
  describe("the first use of kernels", function() pending "make emulator builds what this needs" end)
  return
end

local folder = shell.folder()
local made = 0

teardown(function() shell.passes("rm -r " .. folder) end)

-- Returns the path of a file or folder that does not exist yet.
local function new(name)
  made = made + 1
  return ("%s/%s%d"):format(folder, name, made)
end

-- arch: the architecture of the emulated GPUs, as `luatensor kernels` takes it; another: one whose code they do not take.
local vendors = {
  {device = "cuda", module = "emulator", arch = "sm_90", another = "sm_80", failure = "map.cuh(1): error: injected failure",
    unknown = "sm_35", refusal = "NVRTC 13.0 does not compile for sm_35, but for sm_75, sm_80, "},
  {device = "rocm", module = "emulator_hip", arch = "gfx90a:sramecc+:xnack-", another = "gfx1030",
    failure = "/tmp/comgr-emulated/input/CompileSource:1:1: error: injected failure",
    unknown = "gfx1", refusal = "hipRTC of ROCm 5.2 does not compile for gfx1"},
}

-- Returns shell assignments. cache: the cache's folder; settings: LUATENSOR_EMULATOR, besides the vendor's own; more: further
-- assignments.
local function environment(vendor, cache, settings, more)
  local all = (vendor.device == "rocm" and "lanes=64," or "") .. (settings or "")
  return ("%s LUATENSOR_CACHE='%s' %s"):format(gpu.only(vendor.device, all), cache, more or "")
end

-- Runs a script in which x is a tensor on the GPU. Returns the number of kernels that the process has compiled, and the
-- script's output.
local function use(vendor, script, cache, more)
  local program = ([[lt = require "luatensor" x = lt.tensor({1, 2, 3}, {dtype = "float32", device = "%s"}) %s
    package.cpath = "%s/?.so" print("\n" .. require("%s").counts().compiles)]]):format(vendor.device, script, gpu.folder,
    vendor.module)
  local output = shell.passes(("%s tools/lua - <<'END'\n%s\nEND"):format(environment(vendor, cache, nil, more), program))
  local said, compiles = output:match "^(.-)\n+(%d+)\n$"
  return tonumber(compiles), said
end

-- Kernels of a file, of generated source and of a script.
local several = [[
  local soften = lt.elementwise("float32 x", "x / (1 + abs(x))")
  local twice = lt.kernel("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }\t// \\ \r", "twice")
  twice({grid = 1, block = 3}, x)
  print(x:sum():item(), (x + 1):exp():max():item() // 1, soften(x):sum():item() > 2)]]
local answer = "12.0\t1096.0\ttrue"

-- Returns the path of a list of the kernels of script `several`. The same file is returned to all callers.
local function listed(vendor)
  if not vendor.list then
    vendor.list = new "list"
    use(vendor, several, new "cache", "LUATENSOR_KERNELS_LOG=" .. vendor.list)
  end
  return vendor.list
end

local function fill(vendor, arguments, cache, settings, before)
  return luatensor.run("kernels " .. arguments, (before or "") .. environment(vendor, cache, settings))
end

local function files(cache) return tonumber(shell.passes(("ls %s | grep -cx '[0-9a-f]*' || true"):format(cache))) end

-- Like describe(name .. " on cuda", body) and describe(name .. " on rocm", body), or one of them in turn.
local function describe_both(name, body)
  for _, vendor in ipairs(helpers.in_turn(vendors)) do describe(name .. " on " .. vendor.device, function() body(vendor) end) end
end

describe_both("the list of used kernels", function(vendor)
  it("has a line for each kernel, also if the cache has the kernel", function()
    local cache, path = new "cache", new "list"
    local script = "for i = 1, 3 do print((x + i):exp():sum():item() > 0) end"
    assert.is_true(use(vendor, script, cache) > 0)
    assert.equal(0, use(vendor, script, cache, "LUATENSOR_KERNELS_LOG=" .. path))
    local lines, found = {}, {}
    for line in io.lines(path) do lines[#lines + 1] = line end
    assert.equal("luatensor kernels 1", lines[1])
    for i = 2, #lines do found[lines[i]:match "\t(OP=%S+)"] = lines[i]:match "\town\t(%S+)\t" end
    assert.equal(4, #lines)
    assert.same({["OP=op_add"] = "map.cuh", ["OP=op_exp"] = "map.cuh", ["OP=row_sum"] = "reduce.cuh"}, found)
  end)

  it("is written by several processes at once", function()
    local path, cache = new "list", new "cache"
    shell.write(path, shell.read(listed(vendor)))
    local before = select(2, shell.read(path):gsub("\n", ""))
    local one = ([[%s tools/lua -e 'local x = require("luatensor").ones(3, {device = "%s"}) for _, f in ipairs{"exp", "sin", "cos",
      "tan", "log"} do x[f](x) end']]):format(environment(vendor, cache, nil, "LUATENSOR_KERNELS_LOG=" .. path), vendor.device)
    shell.passes(("for i in 1 2 3 4; do %s & p=\"$p $!\"; done; for i in $p; do wait $i || exit 1; done"):format(one))
    assert.equal(before + 20, select(2, shell.read(path):gsub("\n", "")))
    local status, output = fill(vendor, ("--arch '%s' %s"):format(vendor.arch, path), new "cache")
    assert.equal(0, status, output)
  end)

  it("is an error where it cannot be written, and the device stays usable", function()
    local other = new "notes"
    shell.write(other, "my notes\n")
    for path, why in pairs {["/proc/nowhere"] = "No such file or directory", ["/dev/full"] = "no regular file",
      [folder] = "Is a directory", [other] = "the file is no list of kernels of this version of luatensor"} do
      local _, said = use(vendor, ([[print(select(2, pcall(lt.exp, x)))
        print(x:to("cpu"):sum():item())]]), new "cache", "LUATENSOR_KERNELS_LOG=" .. path)
      assert.equal(("exp: LUATENSOR_KERNELS_LOG=%s: %s\n6.0"):format(path, why), said)
    end
    assert.equal("my notes\n", shell.read(other))
  end)

  it("has no part of a line after a full disk", function()
    local path, text = new "list", "luatensor kernels 1\n" .. ("\n"):rep(4 << 20)
    shell.write(path, text)
    local _, said = use(vendor, "print(select(2, pcall(lt.exp, x)))", new "cache",
      ("LUATENSOR_KERNELS_LOG=%s prlimit --fsize=%d"):format(path, #text + 20))
    assert.equal(("exp: LUATENSOR_KERNELS_LOG=%s: File too large"):format(path), said)
    assert.is_true(shell.read(path) == text)
  end)
end)

describe_both("luatensor kernels", function(vendor)
  it("compiles a list without a GPU, and a script compiles nothing after it", function()
    local path, cache = listed(vendor), new "cache"
    local status, output = fill(vendor, ("--arch '%s' %s %s"):format(vendor.arch, path, path), cache, "no_device")
    assert.equal(0, status, output)
    local compiled = tonumber(output:match "(%d+) compiled,")
    assert.equal(files(cache), compiled, output)
    local compiles, said = use(vendor, several, cache)
    assert.same({0, answer}, {compiles, said})
    assert.equal(compiled, (use(vendor, several, new "cache")))
    assert.truthy(select(2, fill(vendor, ("--arch '%s' %s"):format(vendor.arch, path), cache)):find(": 0 compiled, ", 1, true))
  end)

  it("compiles for the named architecture only", function()
    local path, cache = listed(vendor), new "cache"
    local status, output = fill(vendor, ("--arch %s %s"):format(vendor.another, path), cache)
    assert.equal(0, status, output)
    assert.equal(vendor.device == "rocm", output:find("GPUs whose names have features, such as gfx1030:xnack-, do not find ", 1, true) ~= nil)
    assert.equal(files(cache), (use(vendor, several, cache)))
  end)

  it("goes on after a kernel that does not compile", function()
    local path, cache = new "list", new "cache"
    use(vendor, "x:exp() x:sin() x:cos()", new "cache", "LUATENSOR_KERNELS_LOG=" .. path)
    local status, output = fill(vendor, ("--arch '%s' %s"):format(vendor.arch, path), cache, "fail_compile=1")
    assert.equal(1, status)
    assert.truthy(output:find("FAILED compiling exp float32 (map.cuh): " .. vendor.failure, 1, true), output)
    assert.truthy(output:find(vendor.arch .. ": 2 compiled, 0 already in the cache, 1 failed", 1, true), output)
  end)

  it("refuses damaged lists and lists of other versions before it compiles", function()
    local text, cache, path = shell.read(listed(vendor)), new "cache", new "list"
    local rest = text:match "\n(.*)"
    local function is_refused(content, why)
      shell.write(path, content)
      luatensor.complains(1, path .. why, ("kernels --arch '%s' %s"):format(vendor.arch, path), environment(vendor, cache))
      assert.equal(0, files(cache))
    end
    local head = '; the first line of a list is "luatensor kernels 1"'
    is_refused("", ": no list of kernels" .. head)
    is_refused("luatensor kernels 1", ": no list of kernels" .. head)
    is_refused(rest, ": no list of kernels" .. head)
    is_refused("luatensor kernels 2\n" .. rest, ": a list of version 2" .. head)
    is_refused(text:sub(1, -3), (":%d: damaged line"):format(select(2, text:gsub("\n", ""))))
    is_refused(text:gsub("\tscript\t", "\town\t", 1), ":2: damaged line")
    is_refused(text .. "hello\n", (":%d: damaged line"):format(select(2, text:gsub("\n", "")) + 1))
    is_refused(text:gsub("^(.-\n)(.)", "%1\0%2", 1), ":2: damaged line")
    luatensor.complains(1, path .. "x: No such file or directory", ("kernels --arch '%s' %sx"):format(vendor.arch, path))
  end)

  it("names an unknown architecture", function()
    local path = listed(vendor)
    luatensor.complains(1, vendor.refusal, ("kernels --arch %s %s"):format(vendor.unknown, path), environment(vendor, new "cache"))
  end)

  it("names a cache that cannot be written", function()
    local path, cache = new "list", new "cache"
    local arguments = ("--arch '%s' %s"):format(vendor.arch, path)
    use(vendor, "x:exp()", cache, "LUATENSOR_KERNELS_LOG=" .. path)
    luatensor.complains(1, "/proc/nowhere: No such file or directory", "kernels " .. arguments, environment(vendor, "/proc/nowhere"))
    shell.passes(("for f in %s/*; do rm $f; mkdir $f; done"):format(cache))
    luatensor.complains(1, cache .. ": Is a directory", "kernels " .. arguments, environment(vendor, cache))
    shell.passes("chmod o+w " .. cache)
    luatensor.complains(1, cache .. ": the folder is not used, because another user owns it or may write to it",
      "kernels " .. arguments, environment(vendor, cache))
  end)
end)

describe("luatensor kernels", function()
  it("names a compiler that is missing", function()
    local path = listed(vendors[1])
    gpu.without_library("libnvrtc.so", function(copy)
      luatensor.complains(1, copy .. "/libnvrtc.so.13: cannot open shared object file (NVRTC compiles the kernels: install ",
        "kernels --arch sm_90 " .. path, "LUATENSOR_CUDA_PATH=" .. copy)
    end)
  end)

  it("compiles machine code by NVIDIA's own compiler, without a driver", function()
    if not gpu.nvrtc then return pending "needs NVRTC" end
    local path, cache = listed(vendors[1]), new "cache"
    local own = ("LUATENSOR_CUDA_PATH=%s LUATENSOR_CACHE=%s"):format(gpu.nvrtc:match "^(.*)/", cache)
    local status, output = luatensor.run("kernels --arch sm_75 " .. path, own)
    assert.equal(0, status, output)
    local kernels = select(2, shell.read(path):gsub("\n", "")) - 1
    assert.truthy(output:find(("sm_75: %d compiled, 0 already in the cache, 0 failed"):format(kernels), 1, true), output)
    for name in shell.passes("ls " .. cache):gmatch "%S+" do
      local image = shell.read(cache .. "/" .. name):match "\127ELF.*"
      assert.equal(190, ("<I2"):unpack(image, 19), "the machine EM_CUDA")
    end
    output = select(2, luatensor.run("kernels --arch sm_75 " .. path, own))
    assert.truthy(output:find(("sm_75: 0 compiled, %d already"):format(kernels), 1, true), output)
  end)

  for arguments, why in pairs {
    ["--arch sm_9 list"] = '--arch takes an architecture such as sm_90 or gfx90a, not "sm_9"',
    ["--arch hopper list"] = '--arch takes an architecture such as sm_90 or gfx90a, not "hopper"',
    ["--arch"] = "--arch needs a value", ["list"] = "a list of kernels needs --arch",
    ["--arch sm_90"] = "--arch needs a list of kernels: LUATENSOR_KERNELS_LOG=<list> lua script.lua writes one",
    ["--arch sm_90 --trim 0 list"] = "--arch and --trim exclude each other",
    ["--trim 1X"] = '--trim takes a number of bytes, with K, M, G or T behind it: 512M, 1.5G, not "1X"',
    ["--trim -1"] = "unknown option: -1",
  } do
    it(("%q is wrong usage"):format(arguments), function() luatensor.complains(2, why, "kernels " .. arguments) end)
  end
end)

describe("the cache of compiled kernels", function()
  local vendor = vendors[1]

  -- Returns a cache with kernels of exp, sin and cos, which were last used 3, 2 and 1 days ago, their names, and their bytes.
  local function aged()
    local cache, names, bytes = new "cache", {}, 0
    for i, name in ipairs {"exp", "sin", "cos"} do
      assert.equal(1, (use(vendor, ("x:%s()"):format(name), cache)))
      for file in shell.passes("ls -t " .. cache):gmatch "[^\n]+" do
        if not names[file] then
          names[name], names[file] = file, true
          shell.passes(("touch -d '%d days ago' %s/%s"):format(4 - i, cache, file))
        end
      end
      bytes = bytes + #shell.read(cache .. "/" .. names[name])
    end
    return cache, names, bytes
  end

  it("is trimmed after a write: the kernels that were not used for the longest time go", function()
    local cache, names, bytes = aged()
    shell.passes(("touch -d '9 days ago' %s/%s"):format(cache, ("0"):rep(32)))
    assert.equal(0, (use(vendor, "x:exp()", cache, "LUATENSOR_CACHE_SIZE=1")))
    assert.equal(4, files(cache))                -- nothing was written
    assert.equal(1, (use(vendor, "x:tan()", cache, "LUATENSOR_CACHE_SIZE=" .. bytes * 8 // 7)))
    local left = shell.passes("ls " .. cache)
    for name, there in pairs {exp = true, sin = false, cos = true} do
      assert.equal(there, left:find(names[name], 1, true) ~= nil, name)
    end
    assert.truthy(left:find(("0"):rep(32), 1, true), "a file that is no kernel is not removed")
    assert.equal(0, (use(vendor, "x:tan() x:exp() x:cos()", cache)))
  end)

  it("is trimmed to a size by the command", function()
    local cache, names, bytes = aged()
    local own = environment(vendor, cache)
    local status, output = luatensor.run("kernels", own .. "LUATENSOR_CACHE_SIZE=2M")
    assert.equal(0, status)
    assert.truthy(output:find(("%s: 3 compiled kernels, %.1f KiB of at most 2.00 MiB"):format(cache, bytes / 1024), 1, true), output)
    assert.truthy(select(2, luatensor.run("kernels --trim " .. bytes, own)):find "^removed: 0 compiled kernels")
    assert.truthy(select(2, luatensor.run("kernels --trim " .. bytes - 1, own)):find "^removed: 1 compiled kernel,")
    assert.is_nil(shell.passes("ls " .. cache):find(names.exp, 1, true))
    assert.truthy(select(2, luatensor.run("kernels --trim 0", own)):find "^removed: 2 compiled kernels")
    assert.equal(0, files(cache))
  end)

  it("is trimmed by several processes at once", function()
    local cache = new "cache"
    local one = ([[%s tools/lua -e 'local x = require("luatensor").ones(3, {device = "cuda"})
      for _, f in ipairs{"exp", "sin", "cos"} do assert(x[f](x):sum():item() == x:to("cpu")[f](x:to("cpu")):sum():item()) end']]):format(
      environment(vendor, cache, nil, "LUATENSOR_CACHE_SIZE=1"))
    shell.passes(("for i in 1 2 3 4; do %s & p=\"$p $!\"; done; for i in $p; do wait $i || exit 1; done"):format(one))
  end)

  it("keeps its size if several processes trim it at once", function()
    local cache, kernels, kept, processes = new "cache", 4000, 1000, 4
    use(vendor, "x:exp()", cache)
    local name = shell.passes("ls " .. cache):match "%x+"
    local content = shell.read(cache .. "/" .. name)
    for i = 2, kernels do shell.write(("%s/%032x"):format(cache, i), content) end
    local go, ready = new "go", new "ready"
    local one = ([[LUATENSOR_CACHE=%s tools/lua -e 'local core, go = require "luatensor.core", nil
      io.open("%s" .. arg[1], "w"):close()
      repeat go = io.open "%s" until go
      core.trim_kernels(%d)' /dev/null]]):format(cache, ready, go, kept * #content)
    shell.passes(([[for i in %s; do %s $i & p="$p $!"; done
      until [ "$(ls %s* 2> /dev/null | wc -l)" = %d ]; do sleep 0.1; done
      : > %s; for i in $p; do wait $i || exit 1; done]]):format("1 2 3 4", one, ready, processes, go))
    assert.equal(kept, files(cache))
  end)

  it("has a size that can be read", function()
    for _, size in ipairs {"", "much", "-1", "1Q"} do
      local status, output = shell.run(("LUATENSOR_CACHE_SIZE='%s' tools/lua -e 'require [[luatensor]]'"):format(size))
      assert.equal(1, status)
      assert.truthy(output:find(('luatensor: LUATENSOR_CACHE_SIZE is "%s"; a number of bytes expected'):format(size), 1, true), output)
    end
  end)
end)
