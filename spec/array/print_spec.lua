local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local fails = helpers.fails

local defaults = {precision = 4, threshold = 1000, edgeitems = 3, linewidth = 80, sci = "auto"}

-- Compares the printed text. The expected text is written for the CPU, whose name is replaced by the device's name.
local function prints(text, x)
  assert.equal(text:gsub("cpu$", helpers.device), tostring(x))
end

describe("tostring", function()
  it("shows elements, dtype, shape and device", function()
    prints("[[1.0, 2.5],\n [3.0, 4.0]]  float32 [2, 2] cpu", lt.tensor{{1, 2.5}, {3, 4}})
    prints("3.5  float64 cpu", lt.tensor(3.5, {dtype = "float64"}))
    prints("[1, 2]  int8 [2] cpu", lt.tensor({1, 2}, {dtype = "int8"}))
  end)
  it("aligns columns", function()
    prints("[  1,  -2, 300]  int64 [3] cpu", lt.tensor{1, -2, 300})
    prints("[ true, false]  bool [2] cpu", lt.tensor{true, false})
    prints("[[ 1.00],\n [-0.25]]  float32 [2, 1] cpu", lt.tensor{{1}, {-0.25}})
  end)
  it("shows as many digits as one of the elements needs", function()
    prints("[0.1000, 0.2500, 0.3333]  float64 [3] cpu", lt.tensor({0.1, 0.25, 1 / 3}, {dtype = "float64"}))
    prints("[1.0, 2.0]  float32 [2] cpu", lt.tensor{1, 2.0})
    prints("[-0.0]  float32 [1] cpu", lt.tensor{-0.0})
  end)
  it("shows what is not finite", function()
    prints("[ inf, -inf,  nan,  1.5]  float32 [4] cpu", lt.tensor{math.huge, -math.huge, 0 / 0, 1.5})
    prints("[nan, nan]  float32 [2] cpu", lt.tensor{0 / 0, -(0 / 0)})
  end)
  it("turns to scientific notation for the very large and small", function()
    prints("[1.0e-08, 1.0e+00, 2.5e+10]  float64 [3] cpu", lt.tensor({1e-8, 1, 2.5e10}, {dtype = "float64"}))
    prints("[99999999.0]  float64 [1] cpu", lt.tensor({99999999}, {dtype = "float64"}))
    prints("[1.0e+08]  float32 [1] cpu", lt.tensor{1e8})
  end)
  it("shows uint64 unsigned", function()
    prints("[18446744073709551615,  9223372036854775808,                    7]  uint64 [3] cpu",
           lt.tensor({-1, math.mininteger, 7}, {dtype = "uint64"}))
  end)
  it("shows empty tensors by their shape", function()
    prints("[]  float32 [0, 3] cpu", lt.zeros(0, 3))
    prints("[]  int64 [0] cpu", lt.arange(0))
  end)
  it("separates blocks", function()
    prints("[[[0, 1],\n  [2, 3]],\n\n [[4, 5],\n  [6, 7]]]  int64 [2, 2, 2] cpu", lt.arange(8):reshape(2, 2, 2))
  end)
  it("breaks long rows", function()
    lt.set_printoptions{linewidth = 20}
    prints("[0, 1, 2, 3, 4, 5,\n 6, 7, 8, 9]  int64 [10] cpu", lt.arange(10))
    lt.set_printoptions(defaults)
  end)
  it("shows no more than the threshold if edgeitems is huge", function()
    local x = lt.arange(0, 2000):reshape(2, 1000)
    lt.set_printoptions{threshold = 100, edgeitems = 25}
    local text = tostring(x)
    lt.set_printoptions{edgeitems = 1000000000}
    assert.equal(text, tostring(x))
    lt.set_printoptions(defaults)
  end)
  it("leaves out the middle of large tensors", function()
    prints("[   0,    1,    2, …, 9997, 9998, 9999]  int64 [10000] cpu", lt.arange(10000))
    lt.set_printoptions{threshold = 5, edgeitems = 1}
    prints("[[ 0, …,  3],\n …,\n [ 8, …, 11]]  int64 [3, 4] cpu", lt.arange(12):reshape(3, 4))
    prints("[0, 1, 2, 3, 4]  int64 [5] cpu", lt.arange(5))
    lt.set_printoptions(defaults)
  end)
  it("reads only what it shows", function()
    local x = lt.zeros(1):broadcast_to(2 ^ 20, 2 ^ 20, 2 ^ 20)
    assert.equal("[[[0.0, 0.0, 0.0, …, 0.0, 0.0, 0.0],", tostring(x):match("^[^\n]*"))
    local deep = lt.zeros(1):broadcast_to(8, 8, 8, 8, 8, 8, 8, 8, 8, 8)
    assert.is_true(#tostring(deep) < 60000)
  end)
  it("follows strides", function()
    prints("[[0, 3],\n [1, 4],\n [2, 5]]  int64 [3, 2] cpu", lt.arange(6):reshape(2, 3).T)
  end)
  it("works on a freed tensor", function()
    local x = lt.zeros(2)
    x:free()
    prints("tensor (freed)", x)
  end)
end)

describe("set_printoptions", function()
  it("changes what it names", function()
    lt.set_printoptions{precision = 2}
    prints("[0.33]  float32 [1] cpu", lt.tensor{1 / 3})
    lt.set_printoptions{sci = true}
    prints("[3.33e-01]  float32 [1] cpu", lt.tensor{1 / 3})
    lt.set_printoptions{sci = false, precision = 0}
    prints("[10,  0]  float32 [2] cpu", lt.tensor{10, 0.25})
    lt.set_printoptions(defaults)
  end)
  it("refuses what it does not know, and changes nothing then", function()
    fails('set_printoptions: unknown option "precison"; known: edgeitems, linewidth, precision, sci, threshold; did you mean "precision"?',
          lt.set_printoptions, {precison = 2})
    fails("set_printoptions: precision: -2 is out of range", lt.set_printoptions, {precision = -2})
    fails("set_printoptions: edgeitems: integer expected, got 1.5", lt.set_printoptions, {edgeitems = 1.5})
    fails('set_printoptions: sci: true, false or "auto" expected, got yes', lt.set_printoptions, {sci = "yes"})
    fails("set_printoptions: options expected, got number; options have names: {precision = 3}", lt.set_printoptions, 3)
    prints("[0.3333]  float32 [1] cpu", lt.tensor{1 / 3})
  end)
end)
