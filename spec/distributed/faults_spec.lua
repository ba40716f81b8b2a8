-- tags: process, unsanitized, built
-- Tests that a job of several processes ends within seconds, with an error that says why, whatever one of the processes
-- does.
local many = require "spec.support.many"
local core = require "luatensor.core"
local shell = require "spec.support.shell"

local script = "spec/support/scripts/distributed_faults.lua "

-- Asserts that all processes with this word in their arguments end soon: the launcher may end before they do. On a busy
-- machine they take seconds.
local function no_process_is_left(mark)
  local status
  for _ = 1, 200 do
    status = shell.run("pgrep -f '[l]ua.*" .. mark .. "'")
    if status == 1 then return end
    shell.run "sleep 0.1"
  end
  error(("pgrep ended with status %d: a process is left"):format(status))
end

-- Starts processes that a fault ends early. Asserts that the job fails within half a minute, and that no process is left.
-- Returns the output.
local function fails(launcher, n, command)
  local begin, mark = core.clock(), ("luatensor_orphan_%d"):format(math.random(1 << 40))
  local status, output = many.run(launcher, n, command .. " " .. mark)
  assert.not_equal(0, status, output)
  assert(core.clock() - begin < 30, output)
  no_process_is_left(mark)
  return output
end

local function has(words, output) assert(output:find(words, 1, true), output) end

many.each(function(launcher)
  describe("a job of " .. launcher.name, function()
    it("ends with the rank and the error of a process under luatensor run", function()
      local output = fails(launcher, 2, "lua5.4 bin/luatensor run " .. script .. "raises")
      has("luatensor: rank 1: " .. script:sub(1, -2) .. ":", output)
      has("the wheel is broken", output)
    end)

    it("prints under luatensor run what a process has written before its error", function()
      has("written before the error", fails(launcher, 2, "lua5.4 bin/luatensor run " .. script .. "writes"))
    end)

    it("reports under luatensor run the script's line if there is no MPI", function()
      local status, output = many.run(launcher, 2, "lua5.4 bin/luatensor run " .. script .. "states", "LUATENSOR_MPI_PATH=/nowhere")
      assert.not_equal(0, status, output)
      has("luatensor: " .. script:sub(1, -2) .. ":8: size: MPI not found: ", output)
    end)

    it("ends if a process raises an error, and the others name its rank", function()
      local output = fails(launcher, 3, "lua5.4 " .. script .. "raises")
      has("the wheel is broken", output)
      has("all_sum: rank 0: rank 2 has ended", output)
      has("all_sum: rank 1: rank 2 has ended", output)
    end)

    it("goes on if a process has ended that the others do not need", function()
      many.passes(launcher, 2, "distributed_faults.lua ends")
    end)

    for _ = 1, many.kills do
      local rank = math.random(0, 2)
      it("ends if a process is killed", function() fails(launcher, 3, ("lua5.4 %s killed %d"):format(script, rank)) end)
    end

    it("can be interrupted while it waits", function() many.passes(launcher, 2, "distributed_faults.lua interrupted") end)

    it("finds different calls", function() many.passes(launcher, 2, "distributed_faults.lua sizes") end)

    for _, like in ipairs {"more", "fewer", "other", "half", "none"} do
      it("finds a receiver that expects other elements than it gets: " .. like, function()
        many.passes(launcher, 2, "distributed_faults.lua message " .. like)
      end)
    end

    it("finds dtypes that differ although the engine adds the same elements", function()
      many.passes(launcher, 2, "distributed_faults.lua dtypes float16")
      many.passes(launcher, 2, "distributed_faults.lua dtypes complex64")
    end)

    it("finds that only one process divides the group", function() many.passes(launcher, 2, "distributed_faults.lua split") end)

    for _, bytes in ipairs {1, 1 << 20} do
      it("finds that the processes train different parameters, in buckets of bytes: " .. bytes, function()
        many.passes(launcher, 2, "distributed_faults.lua frozen " .. bytes)
      end)

      it("does not go on after a backward pass that failed, in buckets of bytes: " .. bytes, function()
        many.passes(launcher, 2, "distributed_faults.lua half_pass " .. bytes)
      end)
    end

    it("is told which calls differ", function()
      many.passes(launcher, 2, "distributed_faults.lua differs", "LUATENSOR_DISTRIBUTED_CHECK=1")
    end)

    it("ends without an error if the Lua states are not closed", function()
      local status, output = many.run(launcher, 2, "lua5.4 " .. script .. "leaves")
      assert.equal(0, status, output)
    end)

    it("does not use MPI in a forked child", function()
      local status, output = many.run(launcher, 2, "build/spec/states_host fork " .. script, "DISTRIBUTED_FAULT=forked")
      assert.equal(0, status, output)
    end)

    it("serves several Lua states of a process", function()
      local status, output = many.run(launcher, 2, "build/spec/states_host sequence " .. script, "DISTRIBUTED_FAULT=states")
      assert.equal(0, status, output)
    end)

    it("may be started by a host program that uses MPI itself", function()
      local command = ("build/spec/mpi_host %s %s"):format(launcher.library, script)
      local status, output = many.run(launcher, 2, command, "DISTRIBUTED_FAULT=states")
      assert.equal(0, status, output)
    end)

    it("says if the library is missing, is not the launcher's, or lacks a function", function()
      local start = [[lua5.4 -e 'print(select(2, pcall(require("luatensor.distributed").init)))']]
      has("init: MPI not found: ", select(2, many.run(launcher, 2, start, "LUATENSOR_MPI_PATH=/nowhere")))
      has("has no function MPI_", select(2, many.run(launcher, 2, start, "LUATENSOR_MPI_PATH=build/luatensor/core.so")))
    end)
  end)
end)

describe("distributed", function()
  it("is a group of one process without a launcher", function()
    local output = shell.passes [[tools/lua -e 'local d = require "luatensor.distributed"
      local group = d.init()
      assert(group:size() == 1 and group:rank() == 0 and d.all_sum(require("luatensor").ones(2)):sum():item() == 2)
      print(pcall(d.init, {backend = "mpi"}))']]
    has("init: this process has started with no engine already", output)
  end)

  it("says that MPI is missing", function()
    has("init: MPI not found: /nowhere/libmpi.so.40: cannot open shared object file",
      shell.passes [[LUATENSOR_MPI_PATH=/nowhere tools/lua -e 'print(pcall(require("luatensor.distributed").init, {backend = "mpi"}))']])
  end)
end)
