-- tags: texts
local lt = require "luatensor"
local annotate = dofile("tools/annotate.lua")

describe("documentation comments", function()
  it("cover every public name", function()
    assert.are.same({}, annotate.missing())
  end)

  it("make annotations that are Lua", function()
    assert(load(annotate.luals()))
  end)

  it("are those of the committed annotations: make annotations", function()
    local file <close> = assert(io.open("library/luatensor.lua", "rb"))
    assert(file:read "a" == annotate.luals(), "library/luatensor.lua is stale: make annotations writes it")
  end)

  it("make annotations that name every function and method", function()
    local text = annotate.luals()
    for _, library in ipairs{"linalg", "fft"} do
      for name in pairs(lt[library]) do
        assert.truthy(text:find(("function lt.%s.%s("):format(library, name), 1, true), name)
      end
    end
    assert.is_nil(text:find("function Tensor:matmul(x, y", 1, true))      -- a method's first parameter is the tensor
    for _, line in ipairs{"function lt.zeros(", "function Tensor:reshape(", "---@operator add("} do
      assert.truthy(text:find(line, 1, true), line)
    end
  end)
end)
