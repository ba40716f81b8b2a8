-- tags: process divided
-- Tests that a failed allocation causes no crash and no leak, and changes no tensor. spec/support/hosts/fault_host.c
-- makes the allocations fail: with LUATENSOR_TEST_SHARE, a share of them.
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local scripts = "spec/support/scripts/"

local function host(mode, stride, setup, script, environment)
  if not shell.exists "build/spec/fault_host" then return pending "make test-hosts builds the host" end
  shell.passes(("%s build/spec/fault_host %s %d %s%s %s%s %d"):format(environment or "", mode, stride * helpers.share,
    scripts, setup, scripts, script, 1 + stride * (helpers.offset % helpers.share)))
end

describe("an allocation that fails", function()
  it("in Lua, while a script computes", function() host("lua", 1, "fault_setup.lua", "fault_script.lua") end)

  it("in the module, while a script computes", function() host("module", 1, "fault_setup.lua", "fault_script.lua") end)

  it("in Lua, while a script sorts, transforms and factors", function()
    host("lua", 11, "fault_setup.lua", "fault_numeric.lua")
  end)

  it("in the module, while a script sorts, transforms and factors", function()
    host("module", 3, "fault_setup.lua", "fault_numeric.lua")
  end)

  it("in Lua, while a script sets modes", function() host("lua", 2, "fault_modes_setup.lua", "fault_modes.lua") end)

  it("in Lua and in the module, while a script reads and writes files", function()
    host("lua", 31, "fault_files_setup.lua", "fault_files.lua")
    host("module", 3, "fault_files_setup.lua", "fault_files.lua")
  end)

  it("in Lua and in the module, while a script trains", function()
    host("lua", 211, "fault_train_setup.lua", "fault_train.lua")
    host("module", 37, "fault_train_setup.lua", "fault_train.lua")
  end)

  it("in the module, while two streams of a GPU use the same memory", function()
    local environment = gpu.environment {LUATENSOR_EMULATOR = "order=lazy"}
    if not environment then return pending "make emulator builds what stands in for a GPU" end
    host("module", 1, "fault_streams_setup.lua", "fault_streams.lua", environment)
  end)

  it("in Lua, while the module is loaded", function() host("lua", 37, "fault_nothing.lua", "fault_load.lua") end)

  it("in the module, while it is loaded", function() host("module", 1, "fault_nothing.lua", "fault_load.lua") end)
end)
