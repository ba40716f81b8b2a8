-- tags: process, unsanitized, built
-- Tests how the processes of a machine divide its processors and GPUs, and luatensor run.
local many = require "spec.support.many"
local core = require "luatensor.core"
local luatensor = require "spec.support.command"
local shell = require "spec.support.shell"

teardown(luatensor.clean)

-- Runs code in n processes, each of which prints a word in angle brackets. Returns the words, sorted. A process must
-- print its word by one call, because the output of several processes may mix.
local function words_of(launcher, n, code, environment)
  local status, output = many.run(launcher, n, ("env -u OMP_NUM_THREADS lua5.4 -e '%s'"):format(code), environment)
  assert.equal(0, status, output)
  local words = {}
  for word in output:gmatch "<(.-)>" do words[#words + 1] = word end
  table.sort(words)
  assert.equal(n, #words, output)
  return words
end

local threads = [[local lt = require "luatensor"
  require("luatensor.distributed").init()
  io.write("<" .. lt.get_num_threads() .. ">\n")]]

local device = [[io.write("<" .. require("luatensor.distributed").device() .. ">\n")]]

many.each(function(launcher)
  describe("processes of " .. launcher.name, function()
    it("divide the processors", function()
      local processors = tonumber(shell.passes "getconf _NPROCESSORS_ONLN")
      for _, count in ipairs(words_of(launcher, 2, threads)) do
        assert(tonumber(count) >= 1 and tonumber(count) <= math.max(1, processors // 2), count)
      end
    end)

    it("take the GPUs by turns", function()
      local emulated = "LUATENSOR_CUDA_PATH=build/spec/emulator LUATENSOR_EMULATOR=devices=2"
      assert.same({"cuda:0", "cuda:0", "cuda:1"}, words_of(launcher, 3, device, emulated))
      assert.same({core.host_device, core.host_device}, words_of(launcher, 2, device, "LUATENSOR_CUDA_PATH=/nowhere"))
    end)

    it("run a script with its arguments, and print only in rank 0 with --quiet", function()
      local path = luatensor.write("script.lua", [[local distributed = require "luatensor.distributed"
        local first, second = ...
        assert(first == "--epochs" and second == "3" and arg[0]:find "script.lua" and arg[2] == second)
        print("rank " .. distributed.rank())]])
      local status, output = many.run(launcher, 2, ("lua5.4 bin/luatensor run --quiet %s --epochs 3"):format(path))
      assert.equal(0, status, output)
      assert.equal("rank 0\n", output)
    end)
  end)
end)

describe("luatensor run", function()
  it("runs a script in one process, and reports its error", function()
    luatensor.complains(1, "cannot open /nowhere.lua", "run /nowhere.lua")
    local path = luatensor.write("broken.lua", "print 'begin'\nerror 'broken'")
    local status, output = luatensor.run("run " .. path)
    assert.equal(1, status)
    assert.truthy(output:find("broken.lua:2: broken", 1, true), output)
  end)
end)
