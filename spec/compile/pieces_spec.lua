-- tags: unplugged
-- Tensors that lt.concat, x:roll, lt.pad and assignments join from pieces, and that a compiled function need not make
-- (src/op/deferral/pieces.c).
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

-- The elements are whole numbers, so that the expected values are exact.
local function numbers(first, rows) return (lt.arange(first, first + 3 * rows):reshape(rows, 3)):to("float32") end

local support = require "spec.support.compiled"

local drop, holds = support.collecting, helpers.holds

-- Checks that the compiled f returns the bits that f returns, and that it needs this number of passes over memory.
local function agrees(passes, f, ...)
  local compiled = drop(f)
  assert.same(support.all_bits(f(...)), support.all_bits(compiled(...)))
  local text = compiled:explain(...)
  assert.equal(passes, tonumber(text:match "in (%d+) pass"), text)
end

-- Returns a function that draws a random slice of n positions, of at least `least` positions.
local function slices(draw)
  return function(n, least)
    local length = least + draw(n - least + 1) - 1
    local first = draw(n - length + 1)
    return {first, first + length - 1}
  end
end

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

  it("may be padded by a number, and read at several places", function()
    local x = lt.randn(6, 7)
    agrees(1, function(u)
      local p = u:pad({1, 1, 1, 1}, {value = 0.1})
      return p[{{1, -3}, {2, -2}}] + p[{{3, -1}, {2, -2}}] + p[{{2, -2}, {1, -3}}] + p[{{2, -2}, {3, -1}}] - 4 * u
    end, x)
    holds(drop(function(u) return u:pad({1, 2}, {value = 7}) * 2 end)(numbers(1, 2)), "[2, 6]",
          {{14.0, 2.0, 4.0, 6.0, 14.0, 14.0}, {14.0, 8.0, 10.0, 12.0, 14.0, 14.0}})
  end)

  for _, mode in ipairs {"circular", "reflect", "replicate"} do
    it("may be padded by elements of the tensor, mode " .. mode, function()
      agrees(1, function(u) return u:pad({2, 1}, {mode = mode}) * 2 + 1 end, lt.randn(4, 5))
      agrees(1, function(u) return u:pad({0, 0, 0, 3}, {mode = mode}) * 2 + 1 end, lt.randn(4, 5))
    end)
  end

  it("may be padded in each dtype, and converted", function()
    for _, dtype in ipairs {"float64", "int8", "int64", "uint64", "bool", "complex64"} do
      local x = lt.tensor {{false, true}, {true, true}}:to(dtype)
      local value = dtype == "bool" and true or dtype:find "int" and 77 or 0.1
      agrees(1, function(u) return u:pad({3, 2}, {value = value}):equal(u[{1, {2, 2}}]) end, x)
      if dtype ~= "complex64" then agrees(1, function(u) return u:pad({3, 2}, {value = value}):to "float32" end, x) end
    end
    for _, dtype in ipairs {"float16", "bfloat16"} do          -- the number is rounded when it is stored
      agrees(3, function(u) return u:pad({3, 2}, {value = 0.1}):to "float32" * 2 end, lt.ones({2, 2}, {dtype = dtype}))
    end
  end)

  it("may get numbers and tensors by assignments to slices, rows and elements", function()
    local x = lt.randn(5, 6, 2)
    agrees(1, function(u)
      local v = u:clone()
      v[1], v[-1], v[{2, {2, 4}}], v[{{}, 3, 1}] = 0, u[2], -1, 7.5
      v[{4, 5, 2}] = u[{1, 1, 1}]
      return v * 2 + u
    end, x)
    agrees(1, function(u) return u:clone():fill_(3) * u end, x)
  end)

  it("are made if a reader needs them, or if an assignment reads them or covers parts of two pieces", function()
    local x = lt.randn(4, 6)
    agrees(2, function(u)
      local v = u:clone()
      v[1] = 0
      return v
    end, x)
    agrees(4, function(u)
      local v = u:clone()
      v[1] = v[2]
      v[2] = 0
      return v * 2
    end, x)
    agrees(4, function(u)
      local v = lt.concat {u, u}
      v[{{3, 6}, {1, 2}}] = 0
      return v * 2
    end, x)
  end)

  it("may be made later than a joined tensor of which they are pieces", function()
    agrees(4, function(u)
      local outer = lt.zeros(2, 9)
      local inner = lt.concat({u, u + 1}, 2)
      outer[{{}, {2, 7}}] = inner
      return outer * 2, inner + 1
    end, numbers(1, 2))
  end)

  it("repeat their passes with other numbers", function()
    local f = drop(function(u, a, b)
      local v = u:pad({1, 1}, {value = a})
      v[{{}, 2}] = b
      return v + 1
    end)
    for a = 1, 3 do
      holds(f(numbers(1, 1), a, 10 * a), "[1, 5]", {{a + 1.0, 10.0 * a + 1, 3.0, 4.0, a + 1.0}})
    end
    assert.truthy(tostring(f):find "2 of 3 schedules reused", tostring(f))
  end)

  it("are right for random assignments and readers", function()
    for seed = 1, 40 do
      local draw = support.generator(seed)
      local slice = slices(draw)
      local x, rows, columns = lt.randn(5, 6), slice(5, 3), slice(6, 2)
      local kinds, boxes, values = {}, {}, {}
      for k = 1, draw(5) do
        kinds[k], boxes[k], values[k] = draw(3), {slice(5, 1), slice(6, 1)}, draw(9)
        if draw(3) == 1 then boxes[k][draw(2)] = draw(5) end
      end
      local function f(u)
        local v = u:clone()
        for k, box in ipairs(boxes) do
          if kinds[k] == 1 then v[box] = values[k] elseif kinds[k] == 2 then v[box] = u[box] * 2 else v[box] = u[{1, values[k] % 6 + 1}] end
        end
        return v * 2, v[{rows, columns}] + u[{rows, columns}]
      end
      assert.same(support.all_bits(f(x)), support.all_bits(drop(f)(x)), "seed " .. seed)
    end
  end)
end)
