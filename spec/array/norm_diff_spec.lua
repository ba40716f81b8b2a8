-- Tests norm and diff, which are written in Lua as compositions of other functions.

local lt = require "luatensor"
require "spec.support.helpers"

local inf = math.huge

--- Returns the norm of a list of numbers, by its definition.
local function norm_of(list, p)
  local sum, most, least, count = 0, 0, inf, 0
  for _, v in ipairs(list) do
    local a = math.abs(v)
    sum, most, least = sum + a ^ p, math.max(most, a), math.min(least, a)
    if v ~= 0 then count = count + 1 end
  end
  return p == inf and most or p == -inf and least or p == 0 and count or sum ^ (1 / p)
end

describe("norm", function()
  local rows = {{3.0, -4.0, 0.0}, {-1.0, 2.0, 2.0}}
  local columns = {{3.0, -1.0}, {-4.0, 2.0}, {0.0, 2.0}}

  local function check(x, p, dim, lists, tolerance)
    local result = x:norm(p, dim):to("float64"):totable()
    for i, list in ipairs(lists) do
      local want = norm_of(list, p)
      assert.is_true(math.abs(result[i] - want) <= tolerance * want, ("order %s: %s, not %s"):format(p, result[i], want))
    end
  end

  for dtype, tolerance in pairs {float16 = 0x1p-11, bfloat16 = 0x1p-8, float32 = 0x1p-21, float64 = 0x1p-49} do
    it("of every order, along a dim: " .. dtype, function()
      local x = lt.tensor(rows, {dtype = dtype})
      for _, p in ipairs {0, 1, 2, 3, 0.5, inf, -inf} do
        check(x, p, 2, rows, tolerance)
        check(x, p, 1, columns, tolerance)
        check(x, p, -1, rows, tolerance)
      end
      assert.equal(dtype, x:norm(3).dtype)
    end)
  end

  it("of all elements is of order 2 unless said", function()
    assert.equal(5, lt.tensor({3.0, -4.0}):norm():item())
    assert.equal(5, lt.tensor({{3}, {4}}):norm():item())
    assert.equal("float32", lt.tensor({3, 4}):norm().dtype)
    assert.equal("[1, 1]", tostring(lt.tensor({{3, 4}}):norm({keepdim = true}).shape))
  end)

  it("of halves neither overflows nor underflows on the way", function()
    assert.equal(50, lt.tensor({50.0, 0.0}, {dtype = "float16"}):norm(3):item())
    assert.equal(0x1p-12, lt.tensor({0x1p-12, 0.0}, {dtype = "float16"}):norm(4):item())
    local out = lt.zeros({}, {dtype = "float16"})
    assert.equal(out, lt.tensor({-60.0}, {dtype = "float16"}):norm({p = 5, out = out}))
    assert.equal(60, out:item())
  end)

  it("explains what is wrong", function()
    local x = lt.ones(2, 3)
    assert.raises("norm: p: number expected, got string", x.norm, x, "fro")
    assert.raises("norm: p: number expected, got nan", x.norm, x, 0 / 0)
    assert.raises("norm: p is given twice", x.norm, x, 1, {p = 2})
  end)
end)

describe("diff", function()
  it("with n = 0 gives x itself, whatever is joined with it", function()
    local x = lt.tensor {1, 2, 3}
    local y = x:diff(1, {n = 0, prepend = lt.tensor {9}, append = lt.tensor {9}})
    assert.same({1, 2, 3}, y:totable())
    y:fill_(0)
    assert.same({1, 2, 3}, x:totable())
  end)

  it("of neighbours along a dim, n times over", function()
    local x = lt.tensor {{1, 4, 9}, {16, 25, 36}}
    assert.same({{3, 5}, {9, 11}}, x:diff():totable())
    assert.same({{15, 21, 27}}, x:diff(1):totable())
    assert.same({{2}, {2}}, x:diff({n = 2}):totable())
    assert.same({{1, 3, 5}, {16, 9, 11}}, x:diff({prepend = lt.tensor {{0}, {0}}}):totable())
    assert.equal("[2, 0]", tostring(x:diff({n = 5}).shape))
    assert.equal("[2, 0]", tostring(x:diff({n = 1 << 62}).shape))
  end)
end)
