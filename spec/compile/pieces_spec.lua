-- Tensors that lt.concat and x:roll join from pieces, and that a compiled function need not make (src/op/deferral/pieces.c).
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

-- The elements are whole numbers, so that the expected values are exact.
local function numbers(first, rows) return (lt.arange(first, first + 3 * rows):reshape(rows, 3)):to("float32") end

local drop, holds = require("spec.support.compiled").collecting, helpers.holds

describe("joined tensors in compiled functions", function()
  it("may consist of joined tensors", function()
    local f = drop(function(a, b, c) return lt.concat{lt.concat{a, b}, lt.concat{b, c}} * 2 end)
    holds(f(numbers(1, 1), numbers(4, 2), numbers(10, 1)), "[6, 3]",
          {{2.0, 4.0, 6.0}, {8.0, 10.0, 12.0}, {14.0, 16.0, 18.0}, {8.0, 10.0, 12.0}, {14.0, 16.0, 18.0}, {20.0, 22.0, 24.0}})
  end)

  it("may be read both themselves and as a piece of another one", function()
    local f = drop(function(a, b)
      local inner = lt.concat{a, b}
      return lt.concat{inner, a} * 2, inner + 1
    end)
    local outer, inner = f(numbers(1, 1), numbers(4, 1))
    holds(outer, "[3, 3]", {{2.0, 4.0, 6.0}, {8.0, 10.0, 12.0}, {2.0, 4.0, 6.0}})
    holds(inner, "[2, 3]", {{2.0, 3.0, 4.0}, {5.0, 6.0, 7.0}})
  end)
end)
