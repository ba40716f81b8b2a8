-- tags: host uncollected kernels
-- Tests searchsorted on rows of lengths around the limit up to which a value is compared with all elements, and on
-- numbers of values around the length of the kernels' blocks. The oracle, reference.sort, counts in plain Lua.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local it = helpers.drawn_it(it)

local nan, inf = 0.0 / 0.0, math.huge

-- Returns the insertion points of the tensor's values in a sorted row, whose elements float64 represents.
local function insertion_points(row, values, right)
  local elements, points = row:to("float64"):totable(), values:to("float64"):totable()
  for i, v in ipairs(points) do points[i] = reference.sort.place(elements, "float64", v, right) end
  return points
end

-- Makes n random numbers with equal ones among them. Of floats, some are NaN or infinite.
local function numbers(n, dtype, g)
  if dtype == "bool" then return lt.rand({n}, {generator = g}):less(0.5) end
  local x = lt.randint(dtype:find "^u" and 0 or -30, 30, n, {generator = g}):to(dtype)
  if not dtype:find "float" then return x end
  local draw = lt.rand({n}, {generator = g})
  return lt.where(draw:less(0.1), nan, lt.where(draw:greater(0.95), -inf, lt.where(draw:greater(0.9), inf, x)))
end

describe("searchsorted", function()
  for _, dtype in ipairs(reference.dtype.names) do
    it("finds " .. dtype .. " in rows of every length, before and after equal elements", function()
      local g = lt.generator {seed = 11}
      for _, n in ipairs {0, 1, 2, 7, 31, 32, 33, 40} do
        for _, m in ipairs(n == 31 and {1, 15, 16, 17, 64, 65, 1030} or {17}) do
          local row, values = numbers(n, dtype, g):sort(), numbers(m, dtype, g)
          for _, side in ipairs {"left", "right"} do
            local got = lt.searchsorted(row, values, {side = side})
            assert.same(insertion_points(row, values, side == "right"), got:totable())
          end
        end
      end
    end)
  end

  it("finds values in their own rows", function()
    local g = lt.generator {seed = 12}
    local rows, values = lt.rand({5, 20}, {generator = g}):sort(2), lt.rand({5, 70}, {generator = g})
    local got = lt.searchsorted(rows, values)
    for i = 1, 5 do
      assert.same(insertion_points(rows[i], values[i], false), got[i]:totable())
    end
  end)

  it("finds values in rows that are nearly evenly spaced, and in rows that are not", function()
    local g = lt.generator {seed = 13}
    for _, dtype in ipairs {"float32", "float64"} do
      local even = lt.linspace(-1, 2, 41, {dtype = dtype})
      local rows = {
        even, (even + lt.uniform(-0.03, 0.03, 41, {generator = g, dtype = dtype})):sort(), even * 1e-300, even ^ 3,
        lt.where(lt.arange(41):greater(38), inf, even):to(dtype), lt.where(lt.arange(41):greater(40), nan, even):to(dtype),
        lt.zeros({41}, {dtype = dtype}), lt.linspace(-3e38, 3e38, 41, {dtype = dtype}), even:round(),
      }
      for _, row in ipairs(rows) do
        local values = lt.concat {row, row, numbers(50, dtype, g), lt.uniform(-2, 3, 1100, {generator = g, dtype = dtype}),
                                  lt.tensor({-0.0, inf, -inf, nan, 1e30}, {dtype = dtype})}
        for _, side in ipairs {"left", "right"} do
          local got = lt.searchsorted(row, values, {side = side})
          assert.same(insertion_points(row, values, side == "right"), got:totable())
        end
      end
    end
  end)
end)
