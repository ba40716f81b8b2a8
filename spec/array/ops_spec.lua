-- tags: uncollected kernels unplugged
-- Compares every op of the op table with the oracle: dtypes × layouts × special values, forms of the call, promotion.
-- An op without a row in spec/support/reference/map.lua fails here.
local lt = require "luatensor"
local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local array, info, rows = reference.array, reference.dtype.info, reference.map
local tensor = helpers.tensor
local arity = {unary = 1, binary = 2, ternary = 3, quaternary = 4}
local kinds = {bool = 1, uint = 2, int = 3, float = 4}

local ops = {}
for name, op in pairs(lt.ops()) do
  if arity[op.kind] then ops[#ops + 1] = {name = name, nin = arity[op.kind], kind = op.kind} end
end
table.sort(ops, function(a, b) return a.name < b.name end)

local function tolerance(name, dtype)
  local ulp, t = rows[name].ulp, info[dtype]
  if ulp == 0 or not t.is_float then return nil end
  return {ulp = t.bits < 24 and math.min(ulp, 1) or ulp, atol = rows[name].tiny * t.smallest}
end

-- Returns the bounds of errors for ops whose terms cancel: one ULP of the largest operand of each element.
local function cancellation(arrays, expected)
  local bounds, t = {}, info[expected.dtype]
  for i = 1, #expected.data do
    bounds[i] = 0.0
    for _, a in ipairs(arrays) do
      local x = array.to(array.broadcast_to(a, expected.shape), expected.dtype).data[i]
      bounds[i] = math.max(bounds[i], t.ulp(x))
    end
  end
  return bounds
end

-- Returns the dtypes of tensors that the op takes.
local function dtypes_of(name)
  local list = {}
  for _, d in ipairs(reference.dtype.names) do
    if reference.promotion.compute(rows[name].class, d) then list[#list + 1] = d end
  end
  return list
end

-- Returns operands in different layouts: operand k of test i has layout i + 3 (k - 1). After the last layout, the
-- numbers begin again with the first one.
local function operands(op, dtype, layouts, i)
  local tensors, arrays = {}, {}
  for k = 1, op.nin do
    local l = layouts[(i + 3 * (k - 1) - 1) % #layouts + 1]
    tensors[k], arrays[k] = helpers.laid_out(l, dtype, 31 * k)
  end
  return tensors, arrays
end

local function same_layout(op, dtype, l)
  local tensors, arrays = {}, {}
  for k = 1, op.nin do tensors[k], arrays[k] = helpers.laid_out(l, dtype, 31 * k) end
  return tensors, arrays
end

local function expect(op, arrays) return reference.elementwise(op.name, table.unpack(arrays)) end

-- Returns special values for all operands: all pairs for two operands, and a sample of the combinations for more.
local function special_operands(op, dtype)
  local values, lists = cases.specials(dtype), {}
  if op.nin == 1 then
    lists = {values}
  elseif op.nin == 2 then
    lists = {cases.pairs(values, values)}
  else
    local random = cases.random(7)
    for k = 1, op.nin do
      lists[k] = {}
      for i = 1, 600 do lists[k][i] = values[random(#values) + 1] end
    end
  end
  for k, list in ipairs(lists) do lists[k] = array.new({#list}, dtype, list) end
  return lists
end

local function tensors_of(arrays)
  local list = {}
  for k, a in ipairs(arrays) do list[k] = tensor(a) end
  return list
end

local function explain(problem, op, dtype, label, arrays, at)
  if not problem then return end
  local inputs = {}
  for k, a in ipairs(arrays) do
    inputs[k] = at and #a.data > 0 and tostring(a.data[(at - 1) % #a.data + 1]) or "?"
  end
  error(("%s(%s) of %s, %s: %s"):format(op.name, table.concat(inputs, ", "), dtype, label, problem), 3)
end

local function check(op, dtype, label, arrays, got, expected)
  expected = expected or expect(op, arrays)
  local options = tolerance(op.name, expected.dtype)
  local problem, at = helpers.compare(expected, got, options)
  if problem and rows[op.name].cancels then
    options.atol = cancellation(arrays, expected)
    problem, at = helpers.compare(expected, got, options)
  end
  explain(problem, op, dtype, label, arrays, at)
end

-- Returns the position in `got` of the first element that differs from a repetition of `small`, or nil. `got` and
-- `small` are strings that contain the bytes of elements. All NaNs count as equal.
local function first_difference(got, small, dtype)
  if got == small:rep(#got // #small) then return nil end
  local size = info[dtype].bytes
  for start = 1, #got, #small do
    if got:sub(start, start + #small - 1) ~= small then
      for i = 1, #small, size do
        local x = reference.dtype.unpack(dtype, got, start + i - 1)
        local y = reference.dtype.unpack(dtype, small, i)
        if x ~= y and (x == x or y == y) then return start + i - 1 end
      end
    end
  end
end

-- Repeats the special values until threads share the work. The result must be the repeated small result, byte for
-- byte.
local function check_large(op, dtype, arrays)
  local small = lt[op.name](table.unpack(tensors_of(arrays)))
  local times, large = helpers.size(120000) // #arrays[1].data + 1, {}
  for k, a in ipairs(arrays) do
    large[k] = lt.from_bytes(tensor(a):to_bytes():rep(times), {#a.data * times}, {dtype = a.dtype})
  end
  local got = lt[op.name](table.unpack(large)):to_bytes()
  local at = first_difference(got, small:to_bytes(), small.dtype)
  if at then error(("%s of %s: large and small differ at byte %d"):format(op.name, dtype, at)) end
end

describe("the op table", function()
  it("has a row in the oracle for each op, and the other way round", function()
    local known = {}
    for _, op in ipairs(ops) do
      assert.is_truthy(rows[op.name], op.name .. " has no row in spec/support/reference/map.lua")
      known[op.name] = true
    end
    for name in pairs(rows) do assert.is_true(known[name], name .. " is in the oracle only") end
  end)

  it("gives each op a function and a method", function()
    local x = lt.ones(2)
    for _, op in ipairs(ops) do
      assert.is_function(lt[op.name])
      assert.is_function(x[op.name])
    end
  end)
end)

for _, op in ipairs(ops) do
  local name = op.name
  if rows[name] then describe(name, function()
    local drawn = helpers.drawn(dtypes_of(name), name)
    for _, dtype in ipairs(drawn) do
      it("of " .. dtype .. " on every layout", function()
        for i, l in ipairs(cases.matrix_layouts) do
          local tensors, arrays = operands(op, dtype, cases.matrix_layouts, i)
          check(op, dtype, l.label, arrays, lt[name](table.unpack(tensors)))
        end
        for _, l in ipairs(cases.shape_layouts) do
          local tensors, arrays = same_layout(op, dtype, l)
          check(op, dtype, l.label, arrays, lt[name](table.unpack(tensors)))
        end
      end)

      it("of special values of " .. dtype, function()
        local arrays = special_operands(op, dtype)
        check(op, dtype, "special values", arrays, lt[name](table.unpack(tensors_of(arrays))))
        check_large(op, dtype, arrays)
      end)

      it("of " .. dtype .. " into a given target", function()
        for _, l in ipairs {cases.matrix_layouts[2], cases.matrix_layouts[3], cases.matrix_layouts[4]} do
          local tensors, arrays = same_layout(op, dtype, cases.matrix_layouts[1])
          local expected = expect(op, arrays)
          local out = helpers.laid_out(l, expected.dtype, 5)
          tensors[#tensors + 1] = {out = out}
          assert.equal(out, lt[name](table.unpack(tensors)))
          check(op, dtype, "out " .. l.label, arrays, out)
        end
      end)

      if rows[name].result ~= "BOOL" then
        it("of " .. dtype .. " in place", function()
          for _, l in ipairs {cases.matrix_layouts[1], cases.matrix_layouts[2], cases.shape_layouts[6]} do
            local tensors, arrays = same_layout(op, dtype, l)
            local expected = expect(op, arrays)
            local f = function() return tensors[1][name .. "_"](table.unpack(tensors)) end
            if kinds[info[expected.dtype].kind] > kinds[info[dtype].kind] then
              assert.raises(("%s_: result %s does not fit %s"):format(name, expected.dtype, dtype), f)
              check(op, dtype, "target of a failed call", arrays, tensors[1], arrays[1])
            else
              assert.equal(tensors[1], f())
              check(op, dtype, "in place " .. l.label, arrays, tensors[1], array.to(expected, dtype))
            end
          end
        end)
      end
    end

    for _, dtype in ipairs(reference.dtype.names) do
      if not reference.promotion.compute(rows[name].class, dtype) then
        it("refuses " .. dtype, function()
          local tensors = same_layout(op, dtype, cases.matrix_layouts[1])
          assert.raises("^" .. name .. ": not for " .. dtype, lt[name], table.unpack(tensors))
        end)
      end
    end

    if op.nin == 2 then
      it("with a Lua number on either side", function()
        for _, dtype in ipairs(drawn) do
          local x, a = helpers.laid_out(cases.matrix_layouts[3], dtype, 3)
          for _, number in ipairs {2, 2.5, 0} do
            if reference.dtypes_of(name, a, number) then
              check(op, dtype, "number right", {a}, lt[name](x, number), reference.elementwise(name, a, number))
              check(op, dtype, "number left", {a}, lt[name](number, x), reference.elementwise(name, number, a))
            end
          end
        end
      end)

      it("of mixed dtypes", function()
        local computed = {}                              -- the dtypes in which the op computes for the drawn dtypes
        for _, dtype in ipairs(drawn) do computed[reference.promotion.compute(rows[name].class, dtype)] = true end
        for _, left in ipairs(reference.dtype.names) do
          for _, right in ipairs(reference.dtype.names) do
            local x, a = helpers.laid_out(cases.matrix_layouts[2], left, 3)
            local y, b = helpers.laid_out(cases.matrix_layouts[5], right, 4)
            local compute, expected = reference.dtypes_of(name, a, b), reference.elementwise(name, a, b)
            if computed[compute] then
              check(op, left .. " and " .. right, "mixed", {a, b}, lt[name](x, y), expected)
            elseif not compute then
              assert.raises("^" .. name .. ": not for ", lt[name], x, y)
            end
          end
        end
      end)
    end
  end) end
end

describe("operators", function()
  local function each(pairs_of)
    for name, f in pairs(pairs_of) do
      local dtype = rows[name].class == "REALS" and "float64" or rows[name].class == "FLOAT" and "float32" or "int32"
      local x, a = helpers.laid_out(cases.matrix_layouts[2], dtype, 3)
      local y, b = helpers.laid_out(cases.matrix_layouts[3], dtype, 4)
      local options = tolerance(name, dtype)
      assert.agrees(reference.elementwise(name, a, b), f(x, y), options)
      assert.agrees(reference.elementwise(name, a, 3), f(x, 3), options)
      assert.agrees(reference.elementwise(name, 3, b), f(3, y), options)
    end
  end

  it("are element-wise, with tensors and numbers", function()
    each {
      add = function(x, y) return x + y end, subtract = function(x, y) return x - y end,
      multiply = function(x, y) return x * y end, divide = function(x, y) return x / y end,
      floor_divide = function(x, y) return x // y end, remainder = function(x, y) return x % y end,
      pow = function(x, y) return x ^ y end,
      bitwise_and = function(x, y) return x & y end, bitwise_or = function(x, y) return x | y end,
      bitwise_xor = function(x, y) return x ~ y end,
      bitwise_left_shift = function(x, y) return x << y end,
      bitwise_right_shift = function(x, y) return x >> y end,
    }
  end)

  it("negate and invert", function()
    local x, a = helpers.laid_out(cases.matrix_layouts[2], "int16", 3)
    assert.agrees(reference.elementwise("negative", a), -x)
    assert.agrees(reference.elementwise("bitwise_invert", a), ~x)
  end)

  it("do not order or equate tensors", function()
    local x, y = lt.ones(2), lt.ones(2)
    assert.is_false(x == y)
    assert.is_true(x == x)
    assert.raises("^.*use x:less%(y%)", function() return x < y end)
    assert.raises("^.*use x:less%(y%)", function() return x <= y end)
  end)
end)
