-- tags: kernels
-- Tests dtypes: names, promotion, conversion of special values, limits, and the dtypes that lt.tensor chooses for data.
local lt = require "luatensor"
local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local array, info, names = reference.array, reference.dtype.info, reference.dtype.names
local nan, inf = 0.0 / 0.0, math.huge

describe("dtypes", function()
  it("are strings, also as fields of the module", function()
    for _, name in ipairs(names) do
      assert.equal(name, lt[name])
      assert.equal(name, lt.zeros(2, {dtype = name}).dtype)
    end
  end)

  it("have the element size of the standard", function()
    for _, name in ipairs(names) do
      assert.equal(3 * info[name].bytes, #lt.zeros(3, {dtype = name}):to_bytes())
    end
  end)

  it("of data follow the Lua types in it", function()
    assert.equal("int64", lt.tensor{1, 2}.dtype)
    assert.equal("float32", lt.tensor{1.0, 2.0}.dtype)
    assert.equal("float32", lt.tensor{1, 2.5}.dtype)
    assert.equal("bool", lt.tensor{true, false}.dtype)
    assert.equal("int64", lt.tensor(3).dtype)
    assert.equal("float32", lt.tensor(3.0).dtype)
    assert.equal("float32", lt.tensor{}.dtype)
  end)

  it("default to what set_default_dtype says", function()
    finally(function() lt.set_default_dtype "float32" end)
    lt.set_default_dtype "float64"
    assert.equal("float64", lt.zeros(2).dtype)
    assert.equal("float64", lt.tensor{1.5}.dtype)
    assert.equal("float64", (lt.tensor{1} / 2).dtype)
    assert.equal("float64", lt.tensor{1}:sqrt().dtype)
    lt.set_default_dtype "float32"
    assert.equal("float32", lt.zeros(2).dtype)
    assert.has_error(function() lt.set_default_dtype "int64" end)
    assert.has_error(function() lt.set_default_dtype "float" end)
  end)
end)

describe("promotion", function()
  it("of two dtypes is the table's, by result_type and by an op", function()
    for _, a in ipairs(names) do
      for _, b in ipairs(names) do
        local expected = reference.promotion.pair(a, b)
        assert.equal(expected, lt.result_type(a, b), a .. " with " .. b)
        local x, y = lt.zeros(2, {dtype = a}), lt.zeros(2, {dtype = b})
        assert.equal(expected, lt.result_type(x, y))
        if expected ~= "bool" then assert.equal(expected, lt.add(x, y).dtype, a .. " + " .. b) end
      end
    end
  end)

  it("does not care for 0-d", function()
    assert.equal("float64", (lt.ones(2) + lt.ones({}, {dtype = "float64"})).dtype)
    assert.equal("int64", (lt.ones(2, {dtype = "int8"}) + lt.tensor(1)).dtype)
  end)

  it("with a Lua number is by kind, by the number's subtype", function()
    for _, name in ipairs(names) do
      local x, kind = lt.ones(2, {dtype = name}), info[name].kind
      assert.equal(kind == "bool" and "int64" or name, (x + 1).dtype)
      assert.equal(kind == "float" and name or "float32", (x + 1.0).dtype)
      assert.equal(kind == "bool" and "int64" or name, (1 + x).dtype)
      assert.equal(kind == "float" and name or "float32", (x / 2).dtype)
    end
  end)

  it("keeps bool for bool with a Lua boolean", function()
    local x = lt.tensor{true, false}
    assert.same({true, false}, x:logical_and(true):totable())
    assert.same({false, true}, x:bitwise_xor(true):totable())
    assert.equal("bool", x:bitwise_and(true).dtype)
  end)

  it("takes an integer that fits, refuses one that does not", function()
    local x = lt.ones(2, {dtype = "uint8"})
    assert.same({256 - 1, 256 - 1}, (x * 255):totable())
    assert.raises("add: 300 does not fit uint8", function() return x + 300 end)
    assert.raises("add: -1 does not fit uint8", function() return x + -1 end)
    assert.raises("multiply: 128 does not fit int8", function() return lt.ones(1, {dtype = "int8"}) * 128 end)
    local wide = lt.ones(1, {dtype = "uint64"})
    assert.equal(-1, (wide * -1):item())
  end)
end)

describe("conversion", function()
  -- Returns all special values of dtype `from`, and values for which the conversion to dtype `to` is critical: near
  -- the limits of `to`, or at and near midpoints of two values of `to`.
  local function values_for(from, to)
    local values = cases.specials(from)
    if info[from].is_float and info[to].is_integer then
      for _, limit in ipairs {info[to].min, info[to].max} do
        local x = reference.dtype.convert(limit, to, "float64")
        for _, d in ipairs {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5} do
          values[#values + 1] = info[from].round(x + d)
          values[#values + 1] = info[from].round(x * (1 + d * 2.0 ^ -11))
        end
      end
    elseif info[from].is_integer and info[to].is_float then
      for bit = 8, 62 do                      -- midpoints of two floats, and their neighbours
        for _, d in ipairs {-1, 0, 1} do
          values[#values + 1] = info[from].wrap((3 << bit) + d)
          values[#values + 1] = info[from].wrap((1 << bit) + (1 << (bit // 2)) + d)
          values[#values + 1] = info[from].wrap(-(1 << bit) + d)
        end
      end
    elseif info[from].is_float then           -- midpoints of two values of the narrower format
      local t = info[to]
      if t.is_float then
        for _, x in ipairs {1.0, 1.5, 3.0, t.smallest, t.smallest_normal, t.max, 0.1, 1000.0} do
          local u = t.ulp(t.round(x))
          for _, d in ipairs {0.5, 1.5, 0.5 * (1 + 2.0 ^ -20), 0.5 * (1 - 2.0 ^ -20), 0.5 + 2.0 ^ -30, 0.25, 0.75} do
            values[#values + 1] = info[from].round(x + d * u)
            values[#values + 1] = info[from].round(-x - d * u)
          end
        end
      end
    end
    return values
  end

  for _, from in ipairs(names) do
    helpers.unplugged(it)("of " .. from .. " to each dtype", function()
      for _, to in ipairs(helpers.drawn(names, from)) do
        local values = values_for(from, to)
        local a = array.new({#values}, from, values)
        local got = helpers.tensor(a):to(to)
        local problem, at = helpers.compare(array.to(a, to), got)
        assert.is_nil(problem, at and ("%s to %s: %s: %s"):format(from, to, values[at], problem) or problem)
      end
    end)
  end

  it("works on every layout", function()
    for _, l in ipairs(cases.layouts) do
      local x, a = helpers.laid_out(l, "float64", 3)
      assert.agrees(array.to(a, "int8"), x:to "int8")
      assert.agrees(array.to(a, "float16"), x:to "float16")
      assert.agrees(array.to(a, "bool"), x:astype "bool")
    end
  end)

  helpers.unplugged(it)("keeps all 65536 patterns of the half floats", function()
    for _, name in ipairs {"float16", "bfloat16"} do
      local patterns = {}
      for i = 0, 65535 do patterns[#patterns + 1] = string.pack("<I2", i) end
      local bytes = table.concat(patterns)
      local x = lt.from_bytes(bytes, {65536}, {dtype = name})
      for _, through in ipairs {"float32", "float64"} do
        local back, wide = x:to(through):to(name):to_bytes(), helpers.array(x:to(through)).data
        for i = 0, 65535 do
          local at = 2 * i + 1
          local want = reference.dtype.unpack(name, bytes, at)
          local got = wide[i + 1]
          if not (got == want or (got ~= got and want ~= want)) then
            error(("%s %#x is %s as %s, not %s"):format(name, i, got, through, want))
          end
          if want == want and back:sub(at, at + 1) ~= bytes:sub(at, at + 1) then
            error(("%s %#x does not survive %s"):format(name, i, through))
          end
          if want ~= want then
            local y = reference.dtype.unpack(name, back, at)
            assert(y ~= y, "a NaN became a number")
          end
        end
      end
    end
  end)

  it("to the same dtype gives the same values", function()
    local x = lt.tensor{1.5, nan, -inf}
    assert.agrees(helpers.array(x), x:to "float32")
    assert.agrees(helpers.array(x), x:astype "float32")
  end)

  it("refuses names it does not know", function()
    local x = lt.ones(1)
    assert.raises("^to: unknown", function() x:to "float23" end)
    assert.raises("^astype: ", function() x:astype "int" end)
  end)
end)

describe("uint64", function()
  it("enters and leaves as the integer with the same bits", function()
    local x = lt.tensor({math.maxinteger, -1, math.mininteger}, {dtype = "uint64"})
    assert.same({math.maxinteger, -1, math.mininteger}, x:totable())
    assert.equal(-1, x[2]:item())
    assert.same({false, true, true}, x:greater(lt.tensor({math.maxinteger}, {dtype = "uint64"})):totable())
    assert.equal(2.0 ^ 64, x[2]:to("float64"):item())
  end)
end)

describe("float16", function()
  it("with bfloat16 gives float32", function()
    local x = lt.tensor({1.5}, {dtype = "float16"}) + lt.tensor({2.0}, {dtype = "bfloat16"})
    assert.equal("float32", x.dtype)
    assert.equal(3.5, x:item())
  end)
end)

describe("limits", function()
  it("of integers by iinfo", function()
    for _, name in ipairs(reference.dtype.classes.INTEGER) do
      local i = lt.iinfo(name)
      assert.equal(info[name].bits, i.bits)
      assert.equal(info[name].min, i.min)
      assert.equal(info[name].max, i.max)
      assert.equal(name, i.dtype)
    end
    assert.raises("^iinfo: ", lt.iinfo, "float32")
  end)

  it("of floats by finfo", function()
    local bits = {float16 = 16, bfloat16 = 16, float32 = 32, float64 = 64}
    for _, name in ipairs(reference.dtype.classes.FLOAT) do
      local f = lt.finfo(name)
      assert.equal(bits[name], f.bits)
      assert.equal(info[name].eps, f.eps)
      assert.equal(info[name].max, f.max)
      assert.equal(-info[name].max, f.min)
      assert.equal(info[name].smallest_normal, f.smallest_normal)
      assert.equal(name, f.dtype)
    end
    assert.raises("^finfo: ", lt.finfo, "int32")
  end)
end)

describe("can_cast", function()
  it("is true exactly where promotion keeps the target", function()
    for _, from in ipairs(names) do
      for _, to in ipairs(names) do
        local kind_from, kind_to = info[from].kind, info[to].kind
        local across = (kind_from ~= "float" and kind_to == "float") or (kind_from == "bool" and kind_to ~= "bool")
        if not across then                     -- the array API standard leaves this promotion open
          assert.equal(reference.promotion.pair(from, to) == to, lt.can_cast(from, to), from .. " to " .. to)
        end
      end
    end
  end)
end)

describe("isdtype", function()
  local kinds = {
    bool = {bool = true}, ["signed integer"] = {int = true}, ["unsigned integer"] = {uint = true},
    integral = {int = true, uint = true}, ["real floating"] = {float = true}, ["complex floating"] = {},
    numeric = {int = true, uint = true, float = true},
  }

  it("knows the standard's kinds", function()
    for _, name in ipairs(names) do
      for kind, members in pairs(kinds) do
        assert.equal(members[info[name].kind] == true, lt.isdtype(name, kind), name .. " " .. kind)
      end
    end
  end)

  it("takes a dtype and a list", function()
    assert.is_true(lt.isdtype("int8", "int8"))
    assert.is_false(lt.isdtype("int8", "int16"))
    assert.is_true(lt.isdtype("int8", {"bool", "signed integer"}))
    assert.has_error(function() lt.isdtype("int8", "whole") end)
  end)
end)
