-- tags: host uncollected kernels
-- Tests topk of few elements of lines of lengths around the limits of the kernels, with elements in random, ascending
-- and descending order. The oracle is reference.sort, in plain Lua.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local it = helpers.drawn_it(it)

local nan, inf = 0.0 / 0.0, math.huge

-- Returns the elements of the list that sort first, or last if `largest` is set, and their positions.
local function best(list, dtype, k, largest)
  local order, values, positions = reference.sort.order(list, dtype, largest), {}, {}
  for i = 1, k do values[i], positions[i] = tostring(list[order[i]]), order[i] end
  return values, positions
end

local function texts(list)
  local all = {}
  for i, v in ipairs(list) do all[i] = tostring(v) end
  return all
end

-- Makes n numbers with equal ones among them. Of floats, some are NaN, infinite or -0.
local function numbers(n, dtype, g)
  if dtype == "bool" then return lt.rand({n}, {generator = g}):less(0.5) end
  local x = lt.randint(dtype:find "^u" and 0 or -60, 60, n, {generator = g}):to(dtype)
  if not dtype:find "float" then return x end
  local draw = lt.rand({n}, {generator = g})
  x = lt.where(draw:less(0.03), nan, lt.where(draw:greater(0.97), -inf, lt.where(draw:greater(0.94), inf, x)))
  return lt.where(x:equal(0):logical_and(draw:less(0.5)), -0.0, x):to(dtype)
end

-- The text of NaN has the sign that the processor gave it.
local function same(want, got) assert.same(want, (table.concat(texts(got), " "):gsub("-nan", "nan"))) end

local function check(x, k, largest)
  local values, positions = x:topk(k, {largest = largest})
  local list, dtype = x:totable(), x.dtype
  if dtype == "bool" then
    for i, v in ipairs(list) do list[i] = v and 1 or 0 end
    values, dtype = values:to("int64"), "int64"
  end
  local want, at = best(list, dtype, k, largest)
  same((table.concat(want, " "):gsub("-nan", "nan")), values:totable())
  assert.same(at, positions:totable())
end

describe("topk of few elements", function()
  for _, dtype in ipairs(reference.dtype.names) do
    it("of " .. dtype .. " in lines of every length", function()
      local g = lt.generator {seed = 3}
      for _, n in ipairs {2, 5, 16, 17, 18, 63, 64, 65, 128, 200, 1000} do
        local x = numbers(n, dtype, g)
        for _, k in ipairs {1, 2, 3, 15, 16, 17} do
          if k <= n then
            for _, largest in ipairs {true, false} do check(x, k, largest) end
          end
        end
      end
    end)
  end

  it("of sorted lines, in which each element is better than all before it", function()
    for _, n in ipairs {20, 100, 400, 5000} do
      local up = lt.arange(1, n)
      for _, k in ipairs {1, 3, 16} do
        check(up, k, true)
        check(up, k, false)
        check(up:flip(1), k, true)
        check(up:flip(1), k, false)
      end
    end
  end)

  it("of rows and columns of a matrix", function()
    local x = numbers(7 * 90, "float32", lt.generator {seed = 4}):reshape(7, 90)
    local rows, at = x:topk(4, 2)
    local columns, at_columns = x.T:topk(4, 1)
    for i = 1, 7 do
      local want, positions = best(x[i]:totable(), "float32", 4, true)
      want = (table.concat(want, " "):gsub("-nan", "nan"))
      same(want, rows[i]:totable())
      same(want, columns[{ {}, i }]:totable())
      assert.same(positions, at[i]:totable())
      assert.same(positions, at_columns[{ {}, i }]:totable())
    end
  end)

  it("of a line that is longer than a stretch between two checks for cancellation", function()
    local n = 300000
    local x = lt.arange(n):remainder(1000):to("float32")
    local values, positions = x:topk(3)
    assert.same({999.0, 999.0, 999.0}, values:totable())
    assert.same({1000, 2000, 3000}, lt.where(positions:less(1), 0, positions):totable())
  end)
end)
