local annotate = dofile("tools/annotate.lua")

describe("documentation comments", function()
  it("cover every public name", function()
    assert.are.same({}, annotate.missing())
  end)

  it("make annotations that are Lua", function()
    assert(load(annotate.luals()))
  end)

  it("make annotations that name every function and method", function()
    local text = annotate.luals()
    for _, line in ipairs{"function lt.zeros(", "function Tensor:reshape(", "---@operator add("} do
      assert.truthy(text:find(line, 1, true), line)
    end
  end)
end)
