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
  it("is refused if it has no device", function()
    refused("build/spec/fake_pjrt.so: the plugin finds no device", "build/spec/fake_pjrt.so", "FAKE_PJRT=empty")
  end)
  it("names its reason if a script uses the device", function()
    local status, output = run("/nowhere/plugin.so", [[require("luatensor").ones(2, {device = "xla"})]])
    assert.equal(1, status)
    assert.truthy(output:find("not found: /nowhere/plugin.so: cannot open shared object file", 1, true))
  end)
  it("gives its device the variable's name, with small letters", function()
    local status, output = shell.run("LUATENSOR_PJRT_MY_TPU=/nowhere tools/lua -e 'print(require(\"luatensor\").my_tpu.is_available())'")
    assert.equal(0, status)
    assert.truthy(output:find "^false\t/nowhere")
  end)
  it("does not replace a device", function()
    local status, output = shell.run("LUATENSOR_PJRT_CPU=/nowhere tools/lua -e 'print(require(\"luatensor\").ones(2))'")
    assert.equal(0, status)
    assert.equal("[1.0, 1.0]  float32 [2] cpu\n", output)
  end)
end)
