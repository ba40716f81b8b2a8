local lt = require "luatensor"

describe("matmul", function()
  it("multiplies matrices", function()
    local x = lt.tensor{{1, 2, 3}, {4, 5, 6.0}}
    local y = lt.tensor{{1, 0}, {0, 1}, {1, 1.0}}
    assert.same({{4, 5}, {10, 11}}, x:matmul(y):totable())
  end)

  it("says which inner dims differ, and what would fit", function()
    local x = lt.zeros(2, 3)
    assert.has_error(function() x:matmul(x) end, "matmul: inner dims differ: [2, 3] × [2, 3]; did you mean y.T?")
    assert.has_error(function() x:matmul(lt.zeros(4, 5)) end, "matmul: inner dims differ: [2, 3] × [4, 5]")
  end)
end)
