-- tags: process
-- Reasons for which a plugin of PJRT gives no device. Each plugin is loaded by a process of its own.

local shell = require "spec.support.shell"

shell.passes "make -s build/spec/fake_pjrt.so"

-- Runs a line of a script with the plugin as device "xla". Returns the exit status and both output streams.
local function run(plugin, line, variables)
  return shell.run(("%s LUATENSOR_PJRT_XLA='%s' tools/lua -e '%s'"):format(variables or "", plugin, line))
end

local available = [[print(require("luatensor").xla.is_available())]]

-- Asserts that the plugin is refused for a reason.
local function refused(reason, plugin, variables)
  local status, output = run(plugin, available, variables)
  assert.equal(0, status)
  assert.equal("false\t" .. reason .. "\n", output)
end

describe("a plugin of PJRT", function()
  it("is refused if there is no file", function()
    refused("/nowhere/plugin.so: cannot open shared object file: No such file or directory", "/nowhere/plugin.so")
  end)
  it("is refused if the file is no library", function()
    local status, output = run("README.md", available)
    assert.equal(0, status)
    assert.truthy(output:find("^false\t.*README.md"))
  end)
  it("is refused if the library is no plugin", function()
    refused("build/spec/second_device.so: no plugin of PJRT: it has no function GetPjrtApi", "build/spec/second_device.so")
  end)
  it("is refused if it ends too early", function()
    local folder = shell.folder()
    shell.passes(("head -c 9000 build/spec/fake_pjrt.so >%s/cut.so"):format(folder))
    refused(folder .. "/cut.so: the file is not whole", folder .. "/cut.so")
    shell.passes("rm -r " .. folder)
  end)
  it("is refused if it has another major version", function()
    refused("build/spec/fake_pjrt.so: the plugin has version 1.7 of PJRT's interface; luatensor knows versions 0.x",
      "build/spec/fake_pjrt.so", "FAKE_PJRT=major")
  end)
  it("is refused if its interface is too old", function()
    refused("build/spec/fake_pjrt.so: the plugin's version of PJRT's interface is too old", "build/spec/fake_pjrt.so", "FAKE_PJRT=old")
  end)
  it("is refused with the first line of its error, and without what it prints", function()
    refused("build/spec/fake_pjrt.so: the chip is on fire", "build/spec/fake_pjrt.so", "FAKE_PJRT=fails")
  end)
  it("is refused if a function fails that it needs, but not without the names of its devices", function()
    for _, name in ipairs {"initialize", "list"} do
      refused("build/spec/fake_pjrt.so: the chip is on fire", "build/spec/fake_pjrt.so", "FAKE_PJRT=" .. name)
    end
    for _, name in ipairs {"platform", "version", "description", "kind"} do
      local status, output = run("build/spec/fake_pjrt.so", [[for _, info in ipairs(require "luatensor".devices()) do
        if info.kind == "pjrt" then print(info.device, info.name, info.software) end end]], "FAKE_PJRT=" .. name)
      assert.equal(0, status)
      assert.matches("^xla:0\t\tPJRT 0%.7, +\n$", output)
    end
  end)
  it("is refused if it has no device", function()
    refused("build/spec/fake_pjrt.so: the plugin finds no device", "build/spec/fake_pjrt.so", "FAKE_PJRT=empty")
  end)
  it("is refused if it ends the process: a child process tries each plugin once", function()
    local cache = shell.folder()
    local variables, ends = "LUATENSOR_CACHE=" .. cache .. " FAKE_PJRT=", "build/spec/fake_pjrt.so: the plugin ends the process that loads it"
    refused(ends .. ": last words of the plugin", "build/spec/fake_pjrt.so", variables .. "aborts")
    refused(ends, "build/spec/fake_pjrt.so", variables .. "exits")
    assert.equal("", shell.passes("ls " .. cache))
    local status, output = shell.run(variables .. "aborts LUATENSOR_PJRT_XLA=build/spec/fake_pjrt.so bin/luatensor doctor --seconds 2 --out /dev/null")
    assert.not_equal(0, status)
    assert.truthy(output:gsub("%s+", " "):find(ends .. ": last words of the plugin", 1, true), output)
    assert.equal("true\n", select(2, run("build/spec/fake_pjrt.so", available, variables .. "upload")))
    assert.truthy(shell.passes("ls " .. cache):find "^plugin%-%x+%-%x+%-%x+\n$")
    assert.equal(134, (run("build/spec/fake_pjrt.so", available, variables .. "aborts")))     -- no child tries it again
    if shell.passes("id -u") == "0\n" then
      shell.passes(("chown 12345 %s/plugin-*"):format(cache))       -- the note of another user says nothing
      refused(ends .. ": last words of the plugin", "build/spec/fake_pjrt.so", variables .. "aborts")
    end
    shell.passes("rm -r " .. cache)
  end)
  it("is tried by a process without standard files", function()
    local cache = shell.folder()
    local line = [[os.exit(require("luatensor").xla.is_available() and 7 or 1)]]
    for _, closed in ipairs {"<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"} do
      assert.equal(7, (shell.run(("sh -c 'LUATENSOR_CACHE=%s FAKE_PJRT=upload LUATENSOR_PJRT_XLA=build/spec/fake_pjrt.so tools/lua -e \"%s\" %s'")
        :format(cache, line:gsub('"', '\\"'), closed))), closed)
      shell.passes(("rm %s/plugin-*"):format(cache))
    end
    shell.passes("rm -r " .. cache)
  end)
  it("names its reason if a script uses the device", function()
    local status, output = run("/nowhere/plugin.so", [[require("luatensor").ones(2, {device = "xla"})]])
    assert.equal(1, status)
    assert.truthy(output:find("xla not found: /nowhere/plugin.so: cannot open shared object file", 1, true))
    assert.falsy(output:find("GPU", 1, true))
    status, output = shell.run "LUATENSOR_PJRT_XLA=/nowhere bin/luatensor doctor --device xla --out /dev/null"
    assert.not_equal(0, status)
    assert.truthy(output:gsub("%s+", " "):find("xla not found: /nowhere: cannot open shared object file", 1, true), output)
  end)
  it("does not end commands and automatic choices if it is broken", function()
    local status, output = run("README.md", [[local lt = require "luatensor" print(lt.device "auto", #lt.devices(), pcall(lt.accelerator))]])
    assert.equal(0, status)
    assert.truthy(output:find "^cpu\t%d+\tfalse\taccelerator not found: .*; xla: [^\n]*README.md")
    status, output = shell.run "LUATENSOR_PJRT_XLA=README.md bin/luatensor doctor --seconds 2 --out /dev/null"
    assert.not_equal(0, status)
    assert.truthy(output:gsub("%s+", " "):find("the device cannot be used: xla: ./README.md: ", 1, true), output)
    status, output = shell.run "LUATENSOR_PJRT_XLA=README.md bin/luatensor info"
    assert.equal(0, status)
    assert.truthy(output:find "; xla: [^\n]*README.md")
  end)
  for _, fails in ipairs {"compile", "execute"} do
    it(("loses only the results of a program, if it fails to %s it"):format(fails), function()
      local status, output = run("build/spec/fake_pjrt.so", [[
        local lt = require "luatensor"
        local x = lt.tensor({1, 2}, {device = "xla"})
        local y = lt.zeros(2, {device = "xla"}) + 1
        for _ = 1, 2 do print(select(2, pcall(y.totable, y))) end
        print(select(2, pcall(function() return (y + 1):item() end)))
        print(table.concat(x:totable(), " "))]], "FAKE_PJRT=" .. fails)
      assert.equal(0, status)
      output = output:gsub("%(command line%):%d+: ", "")
      local lost = "xla: the elements are lost, because a program failed"
      assert.equal(("totable: xla: the chip is on fire\ntotable: %s\nadd: %s\n1 2\n"):format(lost, lost), output)
    end)
  end
  it("names the op and the plugin, and loses nothing, if a device has no memory", function()
    local status, output = run("build/spec/fake_pjrt.so", [[
      local x = require "luatensor".tensor({1, 2}, {device = "xla"})
      for _ = 1, 2 do print(select(2, pcall(function() return (x + 1):totable() end))) end
      print(table.concat(x:totable(), " "))]], "FAKE_PJRT=upload")
    assert.equal(0, status)
    output = output:gsub("%(command line%):%d+: ", "")
    assert.equal("add: xla: the chip is on fire\nadd: xla: the chip is on fire\n1 2\n", output)
  end)
  it("gives its device the variable's name, with small letters", function()
    local status, output = shell.run("LUATENSOR_PJRT_MY_TPU=/nowhere tools/lua -e 'print(require(\"luatensor\").my_tpu.is_available())'")
    assert.equal(0, status)
    assert.truthy(output:find "^false\t/nowhere")
  end)
  it("may be a file of the current folder", function()
    assert.equal("true\n", shell.passes("cd build/spec && FAKE_PJRT=upload LUATENSOR_PJRT_XLA=fake_pjrt.so ../../tools/lua -e '" .. available .. "'"))
  end)
  it("does not replace a function of the module, and needs a word as name", function()
    local status, output = shell.run [[LUATENSOR_PJRT_XLA= \
      LUATENSOR_PJRT_LINALG=/nowhere LUATENSOR_PJRT_ADD=/nowhere LUATENSOR_PJRT_AUTO=/nowhere tools/lua -e '
      local lt = require "luatensor"
      print(type(lt.add), type(lt.linalg.inv), lt.device "auto")']]
    assert.equal(0, status)
    assert.equal("function\tfunction\tcpu\n", output)
    status, output = shell.run [[env LUATENSOR_PJRT_XLA= 'LUATENSOR_PJRT_A:B=/nowhere' tools/lua -e 'print(pcall(require("luatensor").device, "none"))']]
    assert.equal(0, status)
    assert.equal("false\tdevice: unknown device \"none\"; known: cpu, cuda, rocm, auto\n", output)
  end)
  it("is found in the active virtual environment, unless a variable replaces it", function()
    local root = shell.folder()
    local folder = root .. "/v[1]"
    local packages = folder .. "/lib/python3.11/site-packages"
    shell.passes(("mkdir -p '%s/xla_plugins/xla_cpu_pjrt' '%s/libtpu'"):format(packages, packages))
    shell.passes(("cp build/spec/fake_pjrt.so '%s/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so'"):format(packages))
    shell.passes(("cp build/spec/fake_pjrt.so '%s/libtpu/libtpu.so'"):format(packages))
    local function inside(variables, line)
      return shell.passes(("env -u LUATENSOR_PJRT_XLA VIRTUAL_ENV='%s' FAKE_PJRT=upload %s tools/lua -e 'local lt = require [[luatensor]] %s'"):format(
        folder, variables, line))
    end
    -- The device is no CPU, so it is an accelerator.
    assert.equal("true\txla:0\txla:0\n",
      inside("LUATENSOR_PJRT_TPU= LUATENSOR_CUDA_PATH=/nowhere LUATENSOR_ROCM_PATH=/nowhere",
        "print(lt.xla.is_available(), lt.accelerator(), lt.device [[auto]])"))
    assert.equal("false\tfalse\n",
      inside("LUATENSOR_PJRT_XLA= LUATENSOR_PJRT_TPU=", "print((lt.xla.is_available()), (lt.tpu.is_available()))"))
    assert.truthy(inside("LUATENSOR_PJRT_XLA=/nowhere", "print(lt.xla.is_available())"):find "^false\t/nowhere: ")
    if shell.passes "ls /dev/accel[0-9]* /dev/vfio/[0-9]* 2>/dev/null || true" == "" then
      assert.equal(("false\t%s/libtpu/libtpu.so: this machine has no TPU: there is neither /dev/accel0 nor /dev/vfio/0\n"):format(
        packages), inside("", "print(lt.tpu.is_available())"))
    end
    shell.passes("rm -r " .. root)
  end)
  it("is missing with a reason, if a script names a device that a plugin could be", function()
    local status, output = shell.run [[env -u VIRTUAL_ENV LUATENSOR_PJRT_XLA= tools/lua -W -e '
      local lt = require "luatensor"
      print(lt.tpu.is_available())
      for _, name in ipairs {"tpu:1", "xla"} do print(select(2, pcall(lt.ones, 2, {device = name}))) end']]
    local reason = "no plugin: neither LUATENSOR_PJRT_<NAME> nor Python's active virtual environment has one"
    assert.equal(0, status)
    assert.equal(("false\t%s\ntpu not found: %s\nxla not found: %s\n"):format(reason, reason, reason), output)
  end)
  it("is named by a warning, if its variable adds no device", function()
    local status, output = shell.run [[env -u VIRTUAL_ENV LUATENSOR_PJRT_XLA= LUATENSOR_PJRT_CUDA=/nowhere LUATENSOR_PJRT_AUTO=/nowhere \
      LUATENSOR_PJRT_ABCDEFGHIJKLMNOP=/nowhere tools/lua -W -e 'require "luatensor"' 2>&1]]
    assert.equal(0, status)
    local lines = {}
    for line in output:gmatch "[^\n]+" do lines[#lines + 1] = line end
    table.sort(lines)
    assert.same({"Lua warning: LUATENSOR_PJRT_ABCDEFGHIJKLMNOP adds no device: the name or the path is too long",
      "Lua warning: LUATENSOR_PJRT_AUTO adds no device: the name is taken",
      "Lua warning: LUATENSOR_PJRT_CUDA adds no device: the name is taken"}, lines)
    status, output = shell.run [[LUATENSOR_PJRT_XLA= LUATENSOR_PJRT_A=/1 LUATENSOR_PJRT_B=/2 LUATENSOR_PJRT_C=/3 LUATENSOR_PJRT_D=/4 tools/lua -e '
      local lt, missing = require "luatensor", 0
      for _, name in ipairs {"a", "b", "c", "d"} do
        local why = select(2, pcall(lt.ones, 2, {device = name}))
        if why == name .. " not found: a process has at most three plugins of PJRT" then missing = missing + 1 end
      end
      print(missing)']]
    assert.equal(0, status)
    assert.equal("1\n", output)
  end)
  it("does not replace a device", function()
    local status, output = shell.run("LUATENSOR_PJRT_CPU=/nowhere tools/lua -e 'print(require(\"luatensor\").ones(2))'")
    assert.equal(0, status)
    assert.equal("[1.0, 1.0]  float32 [2] cpu\n", output)
  end)
end)
