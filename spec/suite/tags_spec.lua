-- tags: texts
-- Tests the tags of specs (spec/support/tags.lua): some suite uses each tag, and some spec has each tag.

local shell = require "spec.support.shell"
local tags = require "spec.support.tags"

local paths = {}
for path in shell.passes("find spec -name '*_spec.lua'"):gmatch "[^\n]+" do paths[#paths + 1] = path end

describe("a tag", function()
  for tag in pairs(tags.meanings) do
    it(tag .. " is one that specs have and that a suite asks for", function()
      assert.truthy(#tags.select(paths, tag, "") > 0)
      assert.truthy(shell.read "spec/spec.mk":find("[ ,)]" .. tag:gsub("%-", "%%-") .. "[%s,\")]"))
    end)
  end

  it("that nothing means is an error, in a spec and in a suite", function()
    local path = os.tmpname()
    shell.write(path, "-- tags: process proces\n")
    assert.error(function() tags.select({path}, "", "") end, path .. ': no tag "proces"; spec/support/tags.lua has them all')
    os.remove(path)
    assert.error(function() tags.select({}, "kernel", "") end, '--with: no tag "kernel"; spec/support/tags.lua has them all')
  end)

  it("leaves out and chooses", function()
    local few = {"spec/host/process_spec.lua", "spec/host/thread_spec.lua", "spec/suite/shares_spec.lua"}
    assert.same({few[1], few[2]}, tags.select(few, "blas", ""))
    assert.same({few[2]}, tags.select(few, "blas", "process,texts"))
    assert.same({few[3]}, tags.select(few, "", "process,host"))
    assert.same(few, tags.select(few, "", ""))
  end)
end)
