-- Tests searching and indexing functions in the corner cases of the Python array API standard: numbers in place of
-- tensors, complex numbers, 0-d and empty tensors, special values, and errors.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local holds = helpers.holds
local nan, inf = 0.0 / 0.0, math.huge
local x = lt.tensor {1, 2, 3}
local m = lt.tensor {{1, 5, 2}, {7, 0, 7}}
local mask = lt.tensor {true, false, true}
local some = lt.complex(lt.tensor {0.0, 0.0, 1.0}, lt.tensor {0.0, 1.0, 0.0})

local function is(dtype, shape, values, t)
  assert.equal(dtype, t.dtype)
  holds(t, shape, values)
end

describe("where", function()
  it("takes numbers for either or both", function()
    is("int64", "[3]", {1, 2, 1}, lt.where(mask, 1, 2))
    is("float32", "[3]", {1.5, 2, 1.5}, lt.where(mask, 1.5, 2))
    is("bool", "[3]", {true, false, true}, lt.where(mask, true, false))
    is("float32", "[3]", {1, 0.5, 3}, lt.where(mask, x, 0.5))
    is("int8", "[3]", {5, 2, 5}, lt.where(mask, 5, x:to "int8"))
    is("complex64", "[3]", {{1, 0}, {1, 2}, {3, 0}}, lt.where(mask, x:to "float32", lt.complex(1, 2)))
  end)

  it("promotes and broadcasts", function()
    is("float64", "[3]", {1, 2, 3}, lt.where(mask, x:to "int8", x:to "float64"))
    is("int64", "[2, 3]", {{1, 2, 3}, {0, 0, 0}}, lt.where(lt.tensor {{true}, {false}}, x, 0))
    is("int64", "[3]", {1, 2, 3}, lt.where(lt.tensor(true), x, 0))
    is("int64", "[0, 3]", {}, lt.where(lt.zeros({0, 3}, {dtype = "bool"}), x, 0))
  end)

  it("keeps what was not chosen out of the result", function()
    is("float32", "[2]", {1, 2}, lt.where(lt.tensor {true, false}, lt.tensor {1, nan}, lt.tensor {inf, 2}))
  end)

  it("explains what is wrong", function()
    assert.raises("where: 3 arguments expected, got 2", lt.where, mask, x)
    assert.raises("^where: shapes .* do not broadcast", lt.where, mask, lt.zeros(2), 0)
  end)
end)

describe("argmax and argmin", function()
  it("count positions from 1, in row-major order or along a dim", function()
    is("int64", "[]", 4, m:argmax())
    is("int64", "[]", 5, m:argmin())
    is("int64", "[2]", {2, 1}, m:argmax(2))
    is("int64", "[1, 1]", {{4}}, m:argmax({keepdim = true}))
    is("int64", "[1, 3]", {{2, 1, 2}}, m:argmax(1, {keepdim = true}))
    is("int64", "[]", 1, lt.argmax(lt.tensor(3)))
  end)

  it("take the first of equal ones, and NaN before all else", function()
    is("int64", "[]", 2, lt.tensor {false, true, true}:argmax())
    is("int64", "[]", 1, lt.tensor {0.0, -0.0}:argmin())
    is("int64", "[]", 1, lt.tensor {inf, inf}:argmin())
    is("int64", "[]", 2, lt.tensor {1.0, nan, 3.0, nan}:argmax())
    is("int64", "[]", 2, lt.tensor {1.0, nan, -3.0}:argmin())
    is("int64", "[]", 2, lt.tensor {1, -1}:to "uint64":argmax())
  end)

  it("explain what is wrong", function()
    is("int64", "[0]", {}, lt.zeros(0, 3):argmax(2))
    assert.raises("argmax: shape [0] has no elements", lt.argmax, lt.zeros(0))
    assert.raises("argmin: shape [0, 3] has no elements", lt.argmin, lt.zeros(0, 3), 1)
    assert.raises("argmax: not for complex64", lt.argmax, some)
    assert.raises("argmax: dim: one number expected, got a table", lt.argmax, m, {1, 2})
  end)
end)

describe("nonzero", function()
  -- A GPU counts in tiles of 4096 elements. Up to 64 tiles need one kernel less.
  it("finds every seventh element of masks of one tile and of many", function()
    for _, n in ipairs {6, 7, 4095, 4096, 4097, 262144, 262145} do
      local found = lt.arange(1, n + 1):remainder(7):equal(0):nonzero()
      assert.equal(n // 7, found.size, n)
      assert.is_true(found:equal(lt.arange(7, n + 1, 7)):all():item(), n)
    end
  end)
end)

describe("count_nonzero", function()
  it("counts along dims", function()
    is("int64", "[]", 5, m:count_nonzero())
    is("int64", "[3]", {2, 1, 2}, m:count_nonzero(1))
    is("int64", "[1, 1]", {{5}}, m:count_nonzero({1, 2}, {keepdim = true}))
    is("int64", "[]", 0, lt.zeros(0, 3):count_nonzero())
    is("int64", "[3]", {0, 0, 0}, lt.zeros(0, 3):count_nonzero(1))
    is("int64", "[]", 1, lt.count_nonzero(lt.tensor(3)))
  end)

  helpers.unplugged(it)("counts NaN, the smallest numbers and complex ones, and no zero", function()
    is("int64", "[]", 2, lt.tensor {nan, -0.0, 0.0, inf}:count_nonzero())
    is("int64", "[]", 1, lt.tensor({6e-8}, {dtype = "float16"}):count_nonzero())
    is("int64", "[]", 1, lt.tensor({5e-324}, {dtype = "float64"}):count_nonzero())
    is("int64", "[]", 2, some:count_nonzero())
    is("int64", "[]", 2, mask:count_nonzero())
  end)
end)

describe("nonzero", function()
  it("has a result a dim", function()
    local rows, columns = m:nonzero()
    is("int64", "[5]", {1, 1, 1, 2, 2}, rows)
    is("int64", "[5]", {1, 2, 3, 1, 3}, columns)
    holds(lt.tensor {nan, -0.0, 0.0, 1.0}:nonzero(), "[2]", {1, 4})
    holds(some:nonzero(), "[2]", {2, 3})
    assert.equal(2, select("#", lt.zeros(0, 3):nonzero()))
    assert.raises("nonzero: at least 1 dim expected", lt.nonzero, lt.tensor(3))
  end)
end)

describe("searchsorted", function()
  local sorted = lt.tensor {1, 3, 3, 5}

  it("puts values before or after their equals", function()
    holds(sorted:searchsorted(lt.tensor {0, 1, 3, 6}), "[4]", {1, 1, 2, 5})
    holds(sorted:searchsorted(lt.tensor {0, 1, 3, 6}, {side = "right"}), "[4]", {1, 2, 4, 5})
    holds(sorted:searchsorted(lt.tensor {{1, 3}, {5, 9}}), "[2, 2]", {{1, 2}, {4, 5}})
    holds(sorted:searchsorted(3.5), "[]", 4)
    holds(sorted:searchsorted(lt.tensor {2.5}), "[1]", {2})
    holds(lt.zeros(0):searchsorted(lt.tensor {1.0}), "[1]", {1})
    holds(sorted:searchsorted(lt.zeros(0)), "[0]", {})
    holds(lt.tensor {1.0, 2.0, nan}:searchsorted(lt.tensor {nan, 3.0}), "[2]", {3, 3})
    holds(lt.tensor {1, -1}:to "uint64":searchsorted(lt.tensor({5}, {dtype = "uint64"})), "[1]", {2})
  end)

  it("takes the order of argsort", function()
    local y = lt.tensor {5, 1, 3}
    for _, dtype in ipairs {"int64", "int32", "uint8", "uint64"} do
      holds(y:searchsorted(lt.tensor {1, 4}, {sorter = y:argsort():to(dtype)}), "[2]", {1, 3})
    end
  end)

  it("explains what is wrong", function()
    local function fails(message, options) assert.raises("searchsorted: " .. message, lt.searchsorted, x, 2, options) end
    fails("a sorter of shape [2] does not go with [3]", {sorter = lt.tensor {1, 2}})
    fails("a sorter of shape [1, 3] does not go with [3]", {sorter = lt.tensor {{1, 2, 3}}})
    fails("sorter: integers expected, got float32", {sorter = lt.tensor {1.0, 2.0, 3.0}})
    fails("option sorter: tensor expected, got table", {sorter = {1, 2, 3}})
    fails("index 4 in dim 1: out of range for length 3", {sorter = lt.tensor {1, 2, 4}})
    fails("option side: \"left\" or \"right\" expected", {side = "middle"})
    assert.raises("searchsorted: at least 1 dim expected", lt.searchsorted, lt.tensor(1), 1)
    assert.raises("searchsorted: not for complex64: complex numbers have no order", lt.searchsorted, some, some)
    assert.raises("searchsorted: not for complex64: complex numbers have no order", lt.searchsorted, lt.zeros(2),
      lt.complex(1, 1))
  end)
end)

describe("take and take_along_axis", function()
  it("take positions of any shape, from either end", function()
    holds(x:take(lt.tensor {3, -3}), "[2]", {3, 1})
    holds(m:take(lt.tensor {{1, 2}, {2, 3}}, 2), "[2, 2, 2]", {{{1, 5}, {5, 2}}, {{7, 0}, {0, 7}}})
    holds(m:take(lt.tensor(2), 1), "[3]", {7, 0, 7})
    holds(m:take(lt.tensor({3}, {dtype = "uint8"}), -1), "[2, 1]", {{2}, {7}})
    is("float32", "[0]", {}, lt.zeros(0):take(lt.zeros({0}, {dtype = "int64"})))
    holds(some:take(lt.tensor {3, 2}), "[2]", {{1, 0}, {0, 1}})
  end)

  it("take positions line by line", function()
    holds(m:take_along_axis(lt.tensor {{3}, {1}}), "[2, 1]", {{2}, {7}})
    holds(m:take_along_axis(lt.tensor {{2, 1, 2}}, 1), "[1, 3]", {{7, 5, 7}})
    holds(m:take_along_axis(lt.tensor {{1, -1}}, 2), "[2, 2]", {{1, 2}, {7, 7}})
    holds(m:take_along_axis(m:argsort()), "[2, 3]", {{1, 2, 5}, {0, 7, 7}})
  end)

  it("explain what is wrong", function()
    assert.raises("take: a tensor of 2 dims needs a dim", lt.take, m, lt.tensor {1})
    assert.raises("take: a tensor of 0 dims needs a dim", lt.take, lt.tensor(3), lt.tensor {1})
    assert.raises("take: indices: integers expected, got bool", lt.take, x, mask)
    assert.raises("take: index 4 in dim 1: out of range for length 3", lt.take, x, lt.tensor {4})
    assert.raises("take: index 0 in dim 1: Lua tensors start at 1", lt.take, x, lt.tensor {0})
    assert.raises("take_along_axis: x has 2 dims, indices 1", lt.take_along_axis, m, lt.tensor {1})
    assert.raises("take_along_axis: shapes [2, 1] and [3, 1] do not broadcast (dim 1: 2 against 3)",
      lt.take_along_axis, m, lt.tensor {{1}, {2}, {3}})
  end)
end)
