-- tags: process
-- Tests tools/gpu_day, which does all that is worth doing on a borrowed GPU, on the emulated GPU.
local shell = require "spec.support.shell"

local folder

setup(function() folder = shell.folder() end)
teardown(function() shell.passes("LD_PRELOAD= rm -r " .. folder) end)

-- Rehearses steps on the emulated GPU, with logs in the folder `name`. Returns the exit status and the output.
local function rehearse(name, options)
  return shell.run(("LUATENSOR_CUDA_PATH=build/spec/emulator LUATENSOR_CACHE=build/spec/kernels tools/gpu_day --rehearse --to %s/%s %s")
    :format(folder, name, options))
end

local function read(path)
  local file <close> = assert(io.open(folder .. "/" .. path))
  return file:read "a"
end

-- Returns the names of the steps in steps.txt and their exit statuses.
local function steps_of(name)
  local list = {}
  for step, status in read(name .. "/steps.txt"):gmatch "([^\t\n]+)\t(%d+)\t%d+ s\t[^\n]*\n" do list[#list + 1] = step .. " " .. status end
  return list
end

describe("tools/gpu_day", function()
  it("runs the steps in turn, keeps their output, and packs it", function()
    local status, output = rehearse("whole", "--steps 'info loops specs bench memcheck profiles'")
    assert.equal(0, status, output)
    assert.same({"info 0", "loops 0", "specs 0", "bench 0", "memcheck 0", "profiles 0"}, steps_of "whole")
    assert.truthy(read "whole/info.log":find("cuda:0 (emulated)", 1, true))
    assert.truthy(read "whole/specs.log":find("%d+ passed, 0 failed"))
    assert.truthy(read "whole/bench.log":find("add 10³", 1, true))
    assert.truthy(read "whole/bench.json":find("performance table", 1, true))
    assert.truthy(shell.passes(("tar tzf %s/whole.tar.gz"):format(folder)):find("whole/specs.log", 1, true))
  end)

  it("continues where it ended", function()
    local status, output = rehearse("again", "--steps info --minutes 0")
    assert.equal(1, status, output)
    assert.truthy(output:find("info: no time left", 1, true), output)
    assert.same({}, steps_of "again")
    shell.passes(("printf 'info\\t0\\t9 s\\tdone by an earlier run\\n' > %s/again/steps.txt"):format(folder))
    status, output = rehearse("again", "--steps 'info loops'")
    assert.equal(0, status, output)
    assert.truthy(output:find("info: done before", 1, true), output)
    assert.same({"info 0", "loops 0"}, steps_of "again")
  end)

  it("goes on after a step that fails, and says so in the end", function()
    local status, output = rehearse("failing", "--device rocm --steps 'loops memcheck'")
    assert.equal(1, status, output)
    assert.truthy(output:find("failed: loops\n", 1, true), output)
    assert.truthy(read "failing/loops.log":find("GPU not found", 1, true))
    assert.same({"loops 1", "memcheck 0"}, steps_of "failing")
  end)

  it("refuses options and steps that it does not know", function()
    local status, output = rehearse("bad", "--steps nothing")
    assert.equal(2, status)
    assert.truthy(output:find("gpu_day: unknown step: nothing", 1, true), output)
    status, output = rehearse("bad", "--minutes soon")
    assert.equal(2, status)
    assert.truthy(output:find("gpu_day: --minutes takes a whole number, not soon", 1, true), output)
    status, output = rehearse("bad", "--fast")
    assert.equal(2, status)
    assert.truthy(output:find("gpu_day: unknown option: --fast", 1, true), output)
  end)
end)
