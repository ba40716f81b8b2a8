-- tags: kernels
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local fails, holds = helpers.fails, helpers.holds

-- Checks that two tensors have the same bits.
local function same(x, y)
  assert.equal(x.dtype, y.dtype)
  assert.equal(tostring(x.shape), tostring(y.shape))
  assert.is_true(x:to_bytes() == y:to_bytes())
end

describe("elementwise", function()
  it("computes an expression", function()
    local f = lt.elementwise("float32 x, float32 y", "x * y + 1")
    holds(f(lt.tensor {1.0, 2.0, 3.0}, lt.tensor {4.0, 5.0, 6.0}), "[3]", {5.0, 11.0, 19.0})
    assert.equal("float32", f(lt.tensor {1.0}, 2).dtype)
    assert.equal(helpers.device, f(lt.tensor {1.0}, 2).device)
  end)

  it("broadcasts, and takes numbers", function()
    local f = lt.elementwise("float32 x, float32 y", "x - 10 * y")
    holds(f(lt.tensor {{1.0}, {2.0}}, lt.tensor {0.5, 1.0, 2.0}), "[2, 3]", {{-4.0, -9.0, -19.0}, {-3.0, -8.0, -18.0}})
    holds(f(lt.tensor {1.0, 2.0}, 3), "[2]", {-29.0, -28.0})
    holds(f(1, 0.5), "[]", -4.0)
    holds(f(lt.zeros(0, 3), lt.zeros(3)), "[0, 3]", {})
  end)

  it("reads operators by their precedence", function()
    local x = lt.tensor {7, -3}
    for expression, want in pairs {
      ["1 + x * 2"] = {15, -5}, ["(1 + x) * 2"] = {16, -4}, ["x - 1 - 2"] = {4, -6}, ["-x + 1"] = {-6, 4}, ["x // 2"] = {3, -2},
      ["x % 4"] = {3, 1}, ["x / 2"] = {3.5, -1.5}, ["x & 3"] = {3, 1}, ["x | 8"] = {15, -3}, ["~x"] = {-8, 2},
      ["x << 1 + 1"] = {28, -12}, ["x >> 1"] = {3, -2}, ["x & 1 == 1"] = {true, true}, ["x > 0 ? 1 : x < -5 ? 2 : 3"] = {1, 3},
      ["x > 0 && x < 5 || x == -3"] = {false, true}, ["!x"] = {false, false}, ["not (x ~= 7)"] = {true, false},
      ["x >= 7 and x <= 7"] = {true, false}, ["x != 7 or false"] = {false, true}, ["- -x"] = {7, -3}, ["+x"] = {7, -3},
    } do
      local got = lt.elementwise("int64 x", expression)(x)
      assert.same(want, got:totable(), expression)
    end
  end)

  it("calls the functions of the op table, under C's short names too", function()
    local x, y = lt.tensor {0.25, 4.0, -1.5}, lt.tensor {2.0, 0.5, 3.0}
    for expression, want in pairs {
      ["exp(x)"] = x:exp(), ["maximum(x, y)"] = x:maximum(y), ["max(x, 1)"] = x:maximum(1), ["where(x < y, x, 0)"] = lt.where(x:less(y), x, 0),
      ["clip(x, -1, 1)"] = x:clip(-1, 1), ["pow(y, 2)"] = y ^ 2, ["sqrt(abs(x))"] = x:abs():sqrt(), ["isnan(sqrt(x))"] = x:sqrt():isnan(),
      ["atan2(x, y)"] = lt.atan2(x, y), ["hypot(x, y) * pi"] = lt.hypot(x, y) * math.pi,
    } do
      same(want, lt.elementwise("float32 x, float32 y", expression)(x, y))
    end
  end)
end)

describe("elementwise, dtypes", function()
  it("promotes as tensors do", function()
    local i, h, u, b = lt.tensor {1, 2, 3}, lt.tensor({1, 2, 3}, {dtype = "float16"}), lt.tensor({1, 200, 3}, {dtype = "uint8"}), lt.tensor {true, false, true}
    local cases = {
      {"i + 1", i + 1}, {"i * 0.5", i * 0.5}, {"i / 2", i / 2}, {"h + i", h + i}, {"u + u", u + u}, {"u + i", u + i}, {"b + i", i + b:to("int64")},
      {"exp(i)", i:exp()}, {"b ? h : i", lt.where(b, h, i)}, {"u < i", u:less(i)}, {"i ? u : 7", lt.where(i:to("bool"), u, 7)},
      {"float64(u) / 3", u:to("float64") / 3}, {"int8(u)", u:to("int8")}, {"float32(h) * 2", h:to("float32") * 2},
      {"2 * 3", lt.full({3}, 6)}, {"1 / 4", lt.full({3}, 0.25)}, {"true", lt.full({3}, true)},
    }
    for _, case in ipairs(cases) do
      local f = lt.elementwise("int64 i, float16 h, uint8 u, bool b", case[1])
      same(case[2], f(i, h, u, b))
    end
  end)

  it("rounds half floats once, at the end, and where a conversion says so", function()
    local x = lt.tensor({2048}, {dtype = "float16"})
    assert.equal(2050.0, lt.elementwise("float16 x", "x + 1 + 1")(x)[1]:item())
    assert.equal(2048.0, lt.elementwise("float16 x", "float16(float16(x + 1) + 1)")(x)[1]:item())
    assert.equal(2048.0, lt.elementwise("float32 x", "float16(x + 1)")(x)[1]:item())
  end)

  it("takes the dtype of the result", function()
    local f = lt.elementwise("float32 x", "x * 100", "uint8")
    holds(f(lt.tensor {0.5, 1.25, 3.0, -1.0}), "[4]", {50, 125, 255, 0})
    assert.equal("float64", lt.elementwise("float32 x", "x > 1", "float64")(lt.ones(2)).dtype)
  end)

  it("takes what promotes to a parameter's dtype, and no more", function()
    local f = lt.elementwise("float32 x, int16 n", "x + n")
    holds(f(lt.tensor({1, 2}, {dtype = "int8"}), lt.tensor({3, 4}, {dtype = "uint8"})), "[2]", {4.0, 6.0})
    fails("elementwise: argument 1 (x): float64 does not go into float32; use :to(\"float32\")", f, lt.zeros(2, {dtype = "float64"}), 1)
    fails("elementwise: argument 2 (n): int32 does not go into int16; use :to(\"int16\")", f, 1, lt.zeros(2, {dtype = "int32"}))
    fails("elementwise: argument 2 (n): 100000 does not fit int16", f, lt.zeros(2), 100000)
    fails("elementwise: argument 2 (n): 0.5 does not fit int16", f, lt.zeros(2), 0.5)
    holds(f(lt.tensor {1.0}, 2.0), "[1]", {3.0})
  end)
end)

describe("elementwise, layouts", function()
  it("reads every layout", function()
    local x = lt.arange(0, 60, {dtype = "float32"}):reshape(5, 12)
    local y = lt.arange(0, 60, {dtype = "int32"}):reshape(12, 5)
    local f = lt.elementwise("float32 x, float64 y", "x * x - y")
    same(x * x - y:to("float64").T, f(x, y.T))
    same((x * x - y.T:to("float64"))[{{5, 1, -2}, {2, 12, 3}}], f(x[{{5, 1, -2}, {2, 12, 3}}], y.T[{{5, 1, -2}, {2, 12, 3}}]))
    local out = lt.zeros({24, 5}, {dtype = "float64"})[{{1, 24, 2}}].T
    assert.equal(out, f(x, y.T, {out = out}))
    same(x * x - y.T:to("float64"), out:contiguous())
  end)

  it("stretches rows and columns", function()
    local x, row, column = lt.randn(6, 32), lt.randn(32), lt.randn(6, 1)
    local f = lt.elementwise("float32 x, float32 y, float64 z", "x * y - z")
    same((x * row):to("float64") - column:to("float64"), f(x, row, column:to("float64")))
    same((row * column):to("float64") - x:to("float64"), f(row, column, x:to("float64")))
    local shifted = lt.randn(6, 33)[{{}, {2, 33}}]            -- rows that do not begin at the boundary of a vector
    same((shifted * row):to("float64") - 2, f(shifted, row, 2))
    same((x.T:contiguous().T * row):to("float64") - column:to("float64"), f(x.T:contiguous().T, row, column:to("float64")))
  end)

  it("takes large tensors, odd lengths and all threads", function()
    local x, y = lt.randn(3, 33331), lt.randn(33331)
    same((x * y):sin() + (x * y):exp() / 3, lt.elementwise("float32 a, float32 b", "sin(a * b) + exp(a * b) / 3")(x, y))
  end)

  it("writes to out, in place too", function()
    local f = lt.elementwise("float32 x, float32 y", "x + 2 * y")
    local x, y = lt.tensor {1.0, 2.0}, lt.tensor {10.0, 20.0}
    assert.equal(x, f(x, y, {out = x}))
    holds(x, "[2]", {21.0, 42.0})
    fails("elementwise: the target has shape [3], the result [2]", f, x, y, {out = lt.zeros(3)})
    fails("elementwise: result float32 does not fit int8", f, x, y, {out = lt.zeros(2, {dtype = "int8"})})
    local wide = lt.zeros(4)
    fails("elementwise: the target shares memory with an input; use :clone() on one of them", f, wide[{{1, 2}}], y, {out = wide[{{2, 3}}]})
    fails("elementwise: unknown option \"into\"; known: out", f, x, y, {into = x})
  end)

  it("takes 8 parameters, and long expressions", function()
    local f = lt.elementwise("int64 a, int64 b, int64 c, int64 d, int64 e, int64 f, int64 g, int64 h",
                             "a + 2 * (b + 3 * (c + 4 * (d + 5 * (e + 6 * (f + 7 * (g + 8 * h))))))")
    assert.equal(86553, f(1, 1, 1, 1, 1, 1, 1, 2):item())
    local sum = lt.elementwise("int64 x", ("x + "):rep(60) .. "x")
    holds(sum(lt.tensor {1, 2}), "[2]", {61, 122})
    fails("elementwise: at most 8 parameters, got 9", lt.elementwise,
          "bool a, bool b, bool c, bool d, bool e, bool f, bool g, bool h, bool i", "a")
  end)
end)

describe("elementwise, errors", function()
  it("names the character of what it cannot read", function()
    local long = ("x + "):rep(30) .. "z" .. (" + x"):rep(30)
    for expression, message in pairs {
      ["x +"] = 'character 4 of "x +": a value expected, got the end',
      [""] = 'character 1 of "": a value expected, got the end',
      ["x ^ 2"] = 'character 3 of "x ^ 2": an operator expected, got "^"; use pow(x, y), or bitwise_xor(x, y)',
      ["x ** 2"] = 'character 3 of "x ** 2": an operator expected, got "**"; use pow(x, y)',
      ["x = 2"] = 'character 3 of "x = 2": an operator expected, got "="; use == to compare',
      ["x * value"] = 'character 5 of "x * value": unknown name "value"',
      ["expp(x)"] = 'character 1 of "expp(x)": no function "expp"; did you mean "exp"?',
      ["sum(x)"] = 'character 1 of "sum(x)": no function "sum"',
      ["exp(x, 2)"] = 'character 1 of "exp(x, 2)": exp takes 1 argument, got 2',
      ["max(x)"] = 'character 1 of "max(x)": maximum takes 2 arguments, got 1',
      ["(x"] = 'character 3 of "(x": ")" expected, got the end',
      ["x)"] = 'character 2 of "x)": an operator expected, got ")"',
      ["x ? 1"] = 'character 6 of "x ? 1": ":" expected, got the end',
      ["1 + x & 1"] = 'character 7 of "1 + x & 1": bitwise_and: not for float32',
      ["x << 2"] = 'character 3 of "x << 2": bitwise_left_shift: not for float32',
      ["1.2.3"] = 'character 1 of "1.2.3": "1.2.3" is not a number',
      ["12ab"] = 'character 1 of "12ab": "12ab" is not a number',
      ["x + µ"] = 'character 5 of "x + µ": a value expected, got "µ"',
      ["x + \xff"] = 'character 5 of "x + \xff": a value expected, got "\xff"',
      ["int8(300) + x"] = 'character 1 of "int8(300) + x": 300 does not fit int8',
      ["int8(x) + 300"] = 'character 9 of "int8(x) + 300": add: a number does not fit the integers it meets',
      ["-(x > 1)"] = 'character 1 of "-(x > 1)": negative: not for bool',
      [long] = 'character 121 of "…+ x + x + x + x + x + x + x + z + x + x + x + x + x + x + x …": unknown name "z"',
      [("("):rep(150)] = '^elementwise: character 101 of ".*": nested too deeply$',
      [("x * 2 - "):rep(80) .. "x"] = '^elementwise: character %d+ of ".*": the expression is too long$',
    } do
      local pattern = message:sub(1, 1) == "^"
      assert.raises(pattern and message or "elementwise: " .. message, lt.elementwise, "float32 x", expression)
    end
    fails('elementwise: character 1 of "nextafter(x, 1)": nextafter: not for float16', lt.elementwise, "float16 x", "nextafter(x, 1)")
  end)

  it("names what is wrong with parameters and calls", function()
    fails('elementwise: parameters "float32": "dtype name" expected, got "float32"', lt.elementwise, "float32", "x")
    fails("elementwise: argument 3: dtype expected, got number", lt.elementwise, "float32 x", "x", 1)
    fails('elementwise: parameters "": "dtype name" expected, got ""', lt.elementwise, "", "1")
    fails('elementwise: parameters "float x": unknown dtype "float"', lt.elementwise, "float x", "x")
    fails('elementwise: parameters "bool x, bool x": "x" is there twice', lt.elementwise, "bool x, bool x", "x")
    fails('elementwise: parameters "bool pi": "pi" has a meaning of its own in expressions', lt.elementwise, "bool pi", "pi")
    fails("elementwise: argument 2: string expected, got nil", lt.elementwise, "bool x")
    fails("elementwise: argument 1: string expected, got number", lt.elementwise, 1, "x")
    assert.raises('^elementwise: argument 3: unknown dtype "float99"$', lt.elementwise, "bool x", "x", "float99")
    local f = lt.elementwise("float32 x, float32 y", "x + y")
    fails("elementwise: 2 arguments expected, got 1", f, lt.zeros(2))
    fails("elementwise: argument 2: tensor or number expected, got string", f, lt.zeros(2), "1")
    fails("elementwise: shapes [3] and [4] do not broadcast (dim 1: 3 against 4)", f, lt.zeros(3), lt.zeros(4))
    local x = lt.zeros(2)
    x:free()
    fails("elementwise: argument 1: this tensor was freed", f, x, 1)
  end)
end)
