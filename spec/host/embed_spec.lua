-- tags: process
-- Tests the promises that docs/embedding.md makes to host programs. The C program spec/support/hosts/embed_host.c acts
-- as the host.
local collector = require "spec.support.collector"
local lt = require "luatensor"
local shell = require "spec.support.shell"

local scripts = "spec/support/scripts/"

local function host(arguments, environment)
  if not shell.exists "build/spec/embed_host" then return pending "make test-hosts builds the host" end
  return shell.passes((environment or "") .. " build/spec/embed_host " .. arguments)
end

describe("a host", function()
  it("deletes DLPack structs in any thread", function() host "drop 30000" end)

  it("has states with memory, limits and garbage of their own", function()
    host("memory", "LUATENSOR_MEMORY_LIMIT=100M")
  end)

  it("ends operations of hours, by a flag and by hooks", function() host "cancel" end)

  it("forks: a child draws the parent's numbers until it sets a seed", function() host "fork" end)

  for _, libraries in ipairs {"base,package,string,table,math,coroutine,utf8", "base,package,string,table,math,coroutine"} do
    it("leaves out libraries: all in memory works with " .. libraries, function()
      host(("run %ssandbox.lua %s"):format(scripts, libraries), "env -u LUATENSOR_FAULTS")
    end)
  end

  it("opens a sandbox, which has no way to files, addresses or other states", function()
    host(("run %ssandbox_closed.lua base,package,string,table,math,coroutine,utf8 sandbox"):format(scripts))
  end)

  it("opens a sandbox, in which no arguments of internal functions end the process", function()
    host(("run %ssandbox_junk.lua base,package,string,table,math,coroutine,utf8 sandbox"):format(scripts))
  end)

  it("opens a sandbox, in which rows of the rooms that know files are closed or known to be harmless", function()
    local open = {}
    for _, path in ipairs {"io/file", "io/read", "io/safetensors", "device/system"} do
      for name in shell.read(("src/lua/%s.c"):format(path)):gmatch '{"([%w_]+)", l_[%w_]+, INTERNAL}' do
        open[#open + 1] = name
      end
    end
    table.sort(open)
    -- These functions take no path: they work on open files, or return facts about memory, processors and the
    -- terminal.
    assert.equal("available_memory no_room processors read_tensor read_text system_memory terminal", table.concat(open, " "))
  end)

  it("bundles the Lua files: what needs their names works or says so", function()
    shell.passes("lua5.4 " .. scripts .. "bundled.lua")
  end)

  it("loads every Lua file from package.preload, without paths, names and lines", function()
    shell.passes("lua5.4 " .. scripts .. "bundled_all.lua")
  end)

  it("sees no switch that breaks other states, unless LUATENSOR_FAULTS is set", function()
    assert.equal("nil", shell.passes [[env -u LUATENSOR_FAULTS lua5.4 -e 'io.write(type(require("luatensor.core")._fail_after))']])
  end)
end)

describe("Lua's collector", function()
  -- Creates `garbage` tables with finalizers while Lua's heap holds some MB, then `allocations` tensors of `bytes`
  -- bytes. Returns the largest number of finalizers that ran during one allocation, and the total number of finalizers
  -- that ran.
  local function finalizers(mode, garbage, allocations, bytes)
    local before = collectgarbage(mode)
    collectgarbage()
    local ballast, ended, most = {}, 0, 0
    for i = 1, 50000 do ballast[i] = {i} end
    local meta = {__gc = function() ended = ended + 1 end}
    for _ = 1, garbage do setmetatable({}, meta) end
    for _ = 1, allocations do
      local was = ended
      lt.empty(bytes, {dtype = "uint8"})
      most = math.max(most, ended - was)
    end
    collectgarbage(before)
    assert(#ballast == 50000)
    return most, ended
  end

  it("in incremental mode works in small steps: no allocation collects everything", function()
    local most, ended = finalizers("incremental", 4000, 3000, 1 << 17)
    assert.equal(4000, ended)
    assert.is_true(most < 1000, most .. " finalizers at one allocation")
  end)

  it("keeps its mode, whatever is computed", function()
    for _, mode in ipairs {"incremental", "generational"} do
      local before = collectgarbage(mode)
      local pause, multiplier = collector.set_pace(152, 120)
      for _ = 1, 200 do lt.empty(1 << 18):add(1) end
      assert.same({152, 120}, {collector.set_pace(pause, multiplier)})
      assert.equal(mode, collectgarbage(before))
    end
  end)

  it("collects everything when memory is out, in incremental mode, too", function()
    shell.passes [[LUATENSOR_MEMORY_LIMIT=100M lua5.4 -e 'collectgarbage "incremental"
      local lt = require "luatensor"
      for _ = 1, 20 do lt.zeros(10000000) end']]
  end)
end)
