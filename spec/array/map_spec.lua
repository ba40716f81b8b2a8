-- tags: kernels smoke sanitize-emulated
-- Tests element-wise functions in cases that the op table does not cover: functions that call one of several ops,
-- options, and errors for unsuitable operands.
local lt = require "luatensor"
require "spec.support.helpers"

local nan, inf = 0.0 / 0.0, math.huge

describe("where", function()
  local mask = lt.tensor{true, false, true}

  it("takes tensors and Lua values", function()
    local x, y = lt.tensor{1.5, 2.5, 3.5}, lt.tensor{-1.0, -2.0, -3.0}
    assert.same({1.5, -2.0, 3.5}, lt.where(mask, x, y):totable())
    assert.same({1.5, 0.0, 3.5}, lt.where(mask, x, 0):totable())
    assert.same({7, 8, 7}, lt.where(mask, 7, 8):totable())
    assert.same({true, false, true}, lt.where(mask, true, false):totable())
    assert.equal("float32", lt.where(mask, 7, 8.0).dtype)
    assert.equal("float64", lt.where(mask, x, lt.ones(1, {dtype = "float64"})).dtype)
  end)

  it("broadcasts all three", function()
    local z = lt.where(mask, lt.tensor{{1}, {2}}, lt.tensor(0))
    assert.same({{1, 0, 1}, {2, 0, 2}}, z:totable())
  end)

  it("takes a condition by its truth, whatever its dtype", function()
    local condition = lt.tensor({256, 0, -1}, {dtype = "int64"})        -- in 8 bits, 256 would be 0
    assert.same({1, 0, 1}, lt.where(condition, lt.ones(3, {dtype = "int8"}), 0):totable())
    assert.same({1, 0, 1}, lt.where(lt.tensor{0.25, 0.0, nan}, 1, 0):totable())
  end)
end)

describe("clip", function()
  local x = lt.tensor{-2.0, 0.5, 3.0, nan}
  local function check(expected, got)
    got = got:totable()
    assert.is_true(got[4] ~= got[4])
    assert.same(expected, {got[1], got[2], got[3]})
  end

  it("limits from one side, both or none", function()
    check({-1.0, 0.5, 1.0}, x:clip(-1, 1))
    check({-1.0, 0.5, 3.0}, x:clip(-1))
    check({-2.0, 0.5, 1.0}, x:clip(nil, 1))
    check({-2.0, 0.5, 3.0}, x:clip(nil, nil))
    check({-2.0, 0.0, 1.0}, x:clip(lt.tensor{-5.0, 0.0, 0.0, 0.0}, lt.tensor{1.0, 0.0, 1.0, 1.0}))
  end)

  it("takes the limits as options, too", function()
    check({-1.0, 0.5, 1.0}, x:clip {min = -1, max = 1})
    check({-1.0, 0.5, 3.0}, lt.clip(x, {min = -1}))
    check({-2.0, 0.5, 1.0}, x:clamp {max = 1})
    check({-1.0, 0.5, 1.0}, x:clip(-1, {max = lt.tensor(1.0)}))
    check({-1.0, 0.5, 1.0}, x:clone():clip_ {min = -1, max = 1})
    local y = lt.tensor({-2., 0.5}, {requires_grad = true})
    local low = lt.tensor({-1., -1.}, {requires_grad = true})
    y:clip({min = low}):sum():backward()
    assert.same({{0, 1}, {1, 0}}, {y.grad:totable(), low.grad:totable()})
    assert.raises("clip: min is given twice", lt.clip, x, 0, {min = 1})
    assert.raises("clip: option max: tensor or number expected, got string", lt.clip, x, {max = "1"})
    assert.raises('clip_: unknown option "out"; known: max, min', x.clip_, x:clone(), 0, {out = x})
    assert.raises("clip: option out: gradients do not pass through it; leave it out, or use lt.no_grad(fn)", lt.clip, y,
                  {min = low, out = lt.zeros(2)})
  end)

  it("works in place and into a target", function()
    local y, out = x:clone(), lt.zeros(4)
    assert.equal(y, y:clip_(nil, 1))
    check({-2.0, 0.5, 1.0}, y)
    assert.equal(out, x:clip(-1, nil, {out = out}))
    check({-1.0, 0.5, 3.0}, out)
  end)

  it("names what is wrong", function()
    assert.raises("clip: 1 to 3 arguments expected, got 4", lt.clip, x, 1, 2, 3)
    assert.raises("clip: min, max or both expected; nil, nil stands for no limit", lt.clip, x)
    assert.raises("clip_: min, max or both expected; nil, nil stands for no limit", x.clip_, x:clone())
    assert.raises("clip: argument 2: tensor or number expected, got string", lt.clip, x, "1", 2)
    assert.raises("clip: 300 does not fit uint8", lt.clip, lt.ones(2, {dtype = "uint8"}), 0, 300)
  end)
end)

describe("isclose", function()
  it("refuses tolerances below 0", function()
    local x = lt.ones(2)
    assert.raises("isclose: rtol: a number that is not negative expected, got -1", lt.isclose, x, x, -1)
    assert.raises("isclose: atol: a number that is not negative expected, got -0.5", lt.isclose, x, x, {atol = -0.5})
    assert.raises("allclose: rtol: a number that is not negative expected, got -1", lt.allclose, x, x, {rtol = -1})
    assert.same({true, true}, lt.isclose(x, x, 0, 0):totable())
  end)

  it("has tolerances by position, by name and by default", function()
    local x = lt.tensor{1.0, 1.0, 100.0}
    local y = lt.tensor{1.000001, 1.1, 101.0}
    assert.same({true, false, false}, x:isclose(y):totable())
    assert.same({true, false, true}, x:isclose(y, 0.02):totable())
    assert.same({true, true, false}, x:isclose(y, {rtol = 0, atol = 0.2}):totable())
    assert.same({true, true, true}, x:isclose(y, 0.02, 0.2):totable())
  end)

  it("compares NaN on request, infinities always", function()
    local x = lt.tensor{nan, inf, inf, -inf}
    local y = lt.tensor{nan, inf, 1e30, inf}
    assert.same({false, true, false, false}, x:isclose(y):totable())
    assert.same({true, true, false, false}, x:isclose(y, {equal_nan = true}):totable())
  end)

  it("is exact for integers that float32 cannot tell apart", function()
    local x = lt.tensor{16777216, 16777217}
    assert.same({true, false}, x:isclose(16777216, {rtol = 0, atol = 0}):totable())
  end)

  it("names unknown options", function()
    assert.raises('isclose: unknown option "tol"; known: rtol, atol, equal_nan, out; did you mean "atol"?',
                  lt.isclose, lt.ones(1), 1, {tol = 1})
  end)
end)

describe("allclose and equal_all", function()
  it("answer with a Lua boolean", function()
    local x = lt.tensor{1.0, 2.0}
    assert.is_true(x:allclose(x + 1e-7))
    assert.is_false(x:allclose(x + 1e-3))
    assert.is_true(x:allclose(x + 1e-3, {atol = 0.01}))
    assert.is_true(x:equal_all(lt.tensor{1, 2}))
    assert.is_false(x:equal_all(lt.tensor{1.0, 3.0}))
    assert.is_false(x:equal_all(lt.tensor{{1.0, 2.0}}))
    assert.is_true(lt.zeros(0):equal_all(lt.zeros(0)))
    assert.raises("equal_all: argument 2: tensor expected, got number", lt.equal_all, x, 1)
  end)
end)

describe("masked_fill", function()
  it("replaces where the mask is true", function()
    local x = lt.tensor{{1, 2}, {3, 4}}
    assert.same({{1, 0}, {3, 0}}, x:masked_fill(lt.tensor{false, true}, 0):totable())
    assert.same({{1, 2}, {3, 4}}, x:totable())
    assert.equal(x, x:masked_fill_(x:greater(2), -1))
    assert.same({{1, 2}, {-1, -1}}, x:totable())
  end)

  it("keeps the dtype or says that it cannot", function()
    local x = lt.tensor{1, 2}
    assert.raises("masked_fill: 0.5 does not fit int64", lt.masked_fill, x, x:greater(1), 0.5)
    assert.raises("masked_fill: result float32 does not fit int64", lt.masked_fill, x, x:greater(1), lt.tensor(0.5))
    assert.same({1, 9}, x:masked_fill(x:greater(1), 9.0):totable())
    assert.raises("masked_fill: a bool mask expected, got int64; use mask:not_equal(0)", lt.masked_fill, x, x, 0)
    assert.raises("masked_fill_: the target has shape [2], the result [3, 2]",
                  x.masked_fill_, x, lt.ones(3, 2, {dtype = "bool"}), 0)
  end)
end)

describe("numbers", function()
  it("among themselves make a 0-d tensor", function()
    local z = lt.add(1, 2)
    assert.equal(0, z.ndim)
    assert.equal("int64", z.dtype)
    assert.equal(3, z:item())
    assert.equal("float32", lt.add(1, 2.0).dtype)
    assert.equal("bool", lt.logical_and(true, false).dtype)
  end)

  it("lift a kind but no width", function()
    assert.equal("float32", (lt.ones(2, {dtype = "int16"}) * 0.5).dtype)
    assert.same({0.5, 0.5}, (lt.ones(2, {dtype = "int16"}) * 0.5):totable())
    assert.equal("int8", (lt.ones(2, {dtype = "int8"}) + 100).dtype)
  end)
end)

describe("a wrong operand", function()
  local x = lt.ones(2)
  it("is named", function()
    assert.raises("add: argument 2: tensor or number expected, got string", function() return x + "3" end)
    assert.raises("add: argument 1: tensor or number expected, got nil", function() return nil + x end)
    assert.raises("multiply: argument 2: tensor or number expected, got table", function() return x * {} end)
    assert.raises("..: tensors do not join; use lt.concat{x, y}, or tostring(x) for text",
                  function() return x .. "text" end)
    assert.raises("bitwise_and: not for float32", function() return x & 1 end)
    assert.raises('add: not for bool; use x:to("int64")', function() return x:greater(0) + x:greater(1) end)
    assert.raises("add: 2 arguments expected, got 1", lt.add, x)
    assert.raises("exp: 1 argument expected, got 2", lt.exp, x, 1)
    assert.raises('add: unknown option "into"; known: out', lt.add, x, x, {into = x})
    assert.raises("add: shapes [2] and [3] do not broadcast (dim 1: 2 against 3)", function() return x + lt.ones(3) end)
  end)
end)

describe("a target", function()
  it("may be any layout and a wider dtype", function()
    local out = lt.zeros(3, 2, {dtype = "float64"})
    lt.add(lt.ones(2, 3), lt.tensor{1.0, 2.0, 3.0}, {out = out.T})
    assert.same({{2.0, 2.0}, {3.0, 3.0}, {4.0, 4.0}}, out:totable())
  end)

  it("of another shape or kind is refused and keeps its values", function()
    local x, i = lt.ones(2), lt.tensor{5, 6}
    assert.raises("add: the target has shape [2], the result [3]", lt.add, lt.ones(3), 1, {out = x})
    assert.raises("add_: result float32 does not fit int64", function() i:add_(0.5) end)
    assert.raises("^add_: the target is a broadcast view", function() lt.ones(1):broadcast_to(3):add_(1) end)
    assert.same({1.0, 1.0}, x:totable())
    assert.same({5, 6}, i:totable())
  end)
end)

describe("ops", function()
  it("tells what each op is", function()
    local ops = lt.ops()
    assert.same("binary", ops.add.kind)
    assert.equal(2, ops.add.arity)
    assert.is_true(ops.add.in_place)
    assert.is_false(ops.less.in_place)
    assert.equal("bool", ops.less.result)
    assert.equal("reduction", ops.sum.kind)
    assert.equal("x + y", ops.add.doc)
    for name, op in pairs(ops) do
      assert.is_function(lt[name], name)
      assert.is_true(#op.dtypes > 0)
    end
  end)
end)

describe("a result's layout", function()
  local x = lt.arange(24, {dtype = "float32"}):reshape(2, 3, 4)
  local row_major = lt.arange(24, {dtype = "float32"}):reshape(4, 3, 2)

  -- Checks the strides of y, and that y has the elements that `of` computes from the elements of z.
  local function check(strides, y, z, of)
    assert.same(strides, y.strides)
    assert.same({z.shape, z.dtype}, {y.shape, y.dtype})
    for i, plane in ipairs(z:totable()) do
      for j, row in ipairs(plane) do
        for k, value in ipairs(row) do assert.equal(of(value), y[{i, j, k}]:item()) end
      end
    end
  end
  local function double(v) return 2 * v end
  local function same(v) return v end

  it("has the order of the dims of all inputs of its shape", function()
    local z = x:permute_dims(3, 1, 2)
    check({1, 12, 4}, z + z, z, double)
    check({1, 12, 4}, z * 2, z, double)
    check({1, 12, 4}, lt.elementwise("float32 x", "2 * x")(z), z, double)
    check({1, 12, 4}, lt.compile(function(v) return (v + v):abs() end)(z), z, double)
    check({1, 12, 4}, z + (z[{ {}, {1, 1}, {} }] * 0):add_(z:max()), z, function(v) return v + 23 end)
    check({1, 12, 4}, lt.where(z:less(0), 1, z * 2), z, double)
    check({1, 12, 4}, z:astype("float32"), z, same)
    assert.same({1, 12, 4}, z:to("int64").strides)
  end)

  it("has no gaps, and ascends", function()
    local z = x[{ {}, {-1, 1, -2}, {1, 3, 2} }]:permute_dims(3, 2, 1)
    check({1, 2, 4}, z + z, z, double)
    z = x[{ {}, {2, 2}, {} }]:permute_dims(3, 2, 1)
    check({1, 8, 4}, z + z, z, double)
    check({4, 4, 1}, x[{ {}, {2, 2}, {} }] * 2, x[{ {}, {2, 2}, {} }], double)
  end)

  it("is row-major if the inputs have different orders, or an input repeats elements", function()
    local z = x:permute_dims(3, 2, 1)
    check({6, 2, 1}, z + row_major * 0, z, same)
    check({6, 2, 1}, row_major * 0 + z, z, same)
    check({6, 2, 1}, z + x:permute_dims(3, 2, 1):contiguous(), z, double)
    check({6, 2, 1}, x:reshape(24)[1]:broadcast_to(4, 3, 2) + 1, z * 0, function(v) return v + 1 end)
    check({6, 2, 1}, x:permute_dims(3, 2, 1)[{ {}, {1, 1}, {} }]:broadcast_to(4, 3, 2) * 2,
          x:permute_dims(3, 2, 1)[{ {}, {1, 1}, {} }]:broadcast_to(4, 3, 2), double)
  end)

  it("is the target's, and a clone is row-major", function()
    local z = x:permute_dims(3, 2, 1)
    local out = lt.empty(4, 3, 2)
    check({6, 2, 1}, lt.add(z, z, {out = out}), z, double)
    check({6, 2, 1}, z:clone(), z, same)
    check({6, 2, 1}, z:contiguous(), z, same)
  end)
end)
