-- tags: kernels sanitize-emulated
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local fails = helpers.fails

describe("item", function()
  it("gives the Lua value of one element", function()
    assert.equal("float", math.type(lt.tensor(2.0):item()))
    assert.equal("integer", math.type(lt.tensor{{7}}:item()))
    assert.equal(true, lt.tensor(true):item())
    assert.equal(-1, lt.full({}, -1, {dtype = "uint64"}):item())
    assert.equal(65504.0, lt.full({}, 65504, {dtype = "float16"}):item())
  end)
  it("refuses more and fewer", function()
    fails("item: one element expected, shape [2, 3] has 6; use totable()", lt.zeros(2, 3).item, lt.zeros(2, 3))
    fails("item: one element expected, shape [0] has 0; use totable()", lt.item, lt.zeros(0))
    fails("item: argument 1: tensor expected, got no value; is there a colon? x:item(…)", lt.item)
  end)
end)

describe("totable", function()
  it("follows any layout", function()
    local x = lt.arange(6):reshape(2, 3)
    assert.same({{0, 1, 2}, {3, 4, 5}}, x:totable())
    assert.same({{0, 3}, {1, 4}, {2, 5}}, x.T:totable())
    assert.same({{1, 1}, {4, 4}}, x:narrow(2, 2, 1):broadcast_to(2, 2):totable())
  end)
  it("reads every dtype", function()
    for _, dtype in ipairs{"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"} do
      assert.same({0, 1, 100}, lt.tensor({0, 1, 100}, {dtype = dtype}):totable())
    end
    for _, dtype in ipairs{"float16", "bfloat16", "float32", "float64"} do
      assert.same({0.0, 1.5, -100.0}, lt.tensor({0, 1.5, -100}, {dtype = dtype}):totable())
    end
  end)
  it("reads more than fits the small buffer", function()
    local t = lt.arange(1000):totable()
    assert.equal(1000, #t)
    for i = 1, 1000 do assert.equal(i - 1, t[i]) end
  end)
  it("refuses a freed tensor", function()
    local x = lt.zeros(2)
    x:free()
    fails("totable: argument 1: this tensor was freed", x.totable, x)
  end)
end)

describe("bytes", function()
  it("are the elements, row-major", function()
    assert.equal(string.pack("=i2i2i2", 1, -2, 300), lt.tensor({1, -2, 300}, {dtype = "int16"}):to_bytes())
    assert.equal(string.pack("=ffff", 0, 2, 1, 3), lt.tensor{{0, 1.0}, {2, 3}}.T:to_bytes())
    assert.equal("", lt.zeros(0):to_bytes())
    assert.equal("\0\60", lt.ones{dtype = "float16"}:to_bytes())
    assert.equal("\128\63", lt.ones{dtype = "bfloat16"}:to_bytes())
  end)
  it("make tensors", function()
    assert.same({{1, -2}}, lt.from_bytes(string.pack("=i4i4", 1, -2), {1, 2}, {dtype = "int32"}):totable())
    assert.same({1.5, -2.5}, lt.from_bytes(string.pack("=ff", 1.5, -2.5), 2):totable())
    assert.same({true, false, true}, lt.from_bytes("\1\0\7", {3}, {dtype = "bool"}):totable())
    assert.same({}, lt.from_bytes("", {0}):totable())
  end)
  it("must be as many as the shape takes", function()
    fails("from_bytes: shape [2] of int16 takes 4 bytes, the string has 3",
          lt.from_bytes, "abc", {2}, {dtype = "int16"})
    fails("from_bytes: the size in bytes does not fit", lt.from_bytes, "", {2 ^ 40, 2 ^ 40})
    fails("from_bytes: string expected, got number", lt.from_bytes, 12, {1})
    fails("from_bytes: string and shape expected, got 1 arguments", lt.from_bytes, "abcd")
  end)
end)

describe("data_ptr", function()
  it("is the address of the first element", function()
    local x = lt.zeros(4, {dtype = "float64"})
    assert.equal(x:data_ptr() + 16, x:narrow(1, 3, 2):data_ptr())
    assert.equal(0, x:data_ptr() % 64)
  end)
end)
