local lt = require "luatensor"

describe("rand", function()
  it("gives the same numbers after the same seed", function()
    lt.manual_seed(7)
    local x = lt.rand(3, 5):totable()
    lt.manual_seed(7)
    assert.same(x, lt.rand(3, 5):totable())
  end)
end)
