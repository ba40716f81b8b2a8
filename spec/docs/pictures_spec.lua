-- tags: texts
-- Tests that the pictures in docs/static are those that the code of docs/plotting.md draws.

local plots = dofile "tools/plots.lua"
local shell = require "spec.support.shell"

describe("the pictures of docs/plotting.md", function()
  local pictures = plots.pictures()

  it("are those of the page's code: make plots", function()
    for path, text in pairs(pictures) do
      assert(shell.read(path) == text, path .. " is stale: make plots writes it")
    end
  end)

  it("are all in docs/static, which has no other pictures", function()
    local count = 0
    for path in shell.passes("ls docs/static/*.svg"):gmatch "%S+" do
      assert(pictures[path], path .. " is on no page")
      count = count + 1
    end
    assert.is_true(count > 0)
    for _ in pairs(pictures) do count = count - 1 end
    assert.equal(0, count)
  end)
end)
