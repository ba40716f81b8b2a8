-- tags: uncollected many-kernels kernels
-- Tests the special cases of the array API standard (spec/support/special_real.lua, special_complex.lua) in every
-- layout of the operands. An element-wise function without rows in these files fails here.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local special = require "spec.support.special"
local real_rows = require "spec.support.special_real"
local complex_rows = require "spec.support.special_complex"
local reduce_rows = require "spec.support.special_reduce"

local floats = {"float16", "bfloat16", "float32", "float64"}
local COPIES = 40                                -- enough for several blocks of a kernel and a last partial block

-- Functions without special cases, because they refuse floats or only move them.
local without = {}
for name in ("bitwise_and bitwise_or bitwise_xor bitwise_invert bitwise_left_shift bitwise_right_shift where"):gmatch "%S+" do
  without[name] = true
end

-- Returns a message about the first wrong element, or nil. indices[i]: the number of the case that element i tests.
local function first_problem(result, dtype, cases, indices)
  local got = special.elements(result)
  assert(#got == #indices, "the result has another length")
  for i, at in ipairs(indices) do
    local case = cases[at]
    if not special.fits(case, got[i], dtype) then
      local words = {}
      for k, operand in ipairs(case.operands) do words[k] = special.show(operand) end
      return ("%s: of (%s) it is (%s), not (%s)"):format(
        case.row, table.concat(words, "; "), special.show(got[i]), special.show(case.parts))
    end
  end
end

local function check(about, ...)
  local problem = first_problem(...)
  assert.is_nil(problem, problem and about .. ": " .. problem)
end

local function upward(n)
  local list = {}
  for i = 1, n do list[i] = i end
  return list
end

-- Returns operand k of the cases with these indices as a tensor.
local function operand(cases, indices, k, dtype)
  local data = {}
  for i, at in ipairs(indices) do
    local parts = cases[at].operands[k]
    data[i] = #parts == 1 and parts[1] or parts
  end
  return lt.tensor(data, {dtype = dtype})
end

-- ---- layouts ----

-- Returns a view of every second element of a new tensor. The view has the elements of t; the elements between them
-- are 0.75.
local function stretched(t)
  local other = lt.full({t.size}, 0.75, {dtype = t.dtype})
  return lt.stack({t, other}, 2):reshape(-1)[{{1, -1, 2}}]
end

local function downward(n)
  local list = {}
  for i = 1, n do list[i] = n + 1 - i end
  return list
end

-- Repeats the cases COPIES times, so that each case is computed in full vectors and blocks, and in the partial ones
-- at the end.
local function repeated(t) return t:reshape(1, -1):broadcast_to(COPIES, t.size):reshape(-1) end

local function repeated_upward(n)
  local list = {}
  for i = 1, n * COPIES do list[i] = (i - 1) % n + 1 end
  return list
end

local layouts = {
  contiguous = {of = function(t) return t end, indices = upward},
  ["with steps"] = {of = stretched, indices = upward},
  backward = {of = function(t) return t[{{-1, 1, -1}}] end, indices = downward},
  ["many times over"] = {of = repeated, indices = repeated_upward},
}

local function check_layouts(name, op, dtype, cases)
  local inputs = {}
  for k = 1, op.arity do inputs[k] = operand(cases, upward(#cases), k, dtype) end
  for about, layout in pairs(layouts) do
    local laid_out = {}
    for k, t in ipairs(inputs) do laid_out[k] = layout.of(t) end
    check(about, lt[name](table.unpack(laid_out)), dtype, cases, layout.indices(#cases))
  end
  local same_dtype = lt[name](table.unpack(inputs)).dtype == dtype
  if op.in_place and same_dtype then
    check("in place", inputs[1][name .. "_"](table.unpack(inputs)), dtype, cases, upward(#cases))
  end
end

-- ---- scalars ----

-- Groups the cases by the bits of operand k. Returns a list of groups {parts =, indices =}: the parts of the operand,
-- and the indices of the cases with this operand.
local function groups(cases, k)
  local list, by_bits = {}, {}
  for i, case in ipairs(cases) do
    local parts = case.operands[k]
    local bits = string.pack("<d", parts[1]) .. string.pack("<d", parts[2] or 0)
    if not by_bits[bits] then
      by_bits[bits] = {parts = parts, indices = {}}
      list[#list + 1] = by_bits[bits]
    end
    table.insert(by_bits[bits].indices, i)
  end
  return list
end

local function weak(parts) return #parts == 1 and parts[1] or lt.complex(parts[1], parts[2]) end

-- Checks each operand k in turn as a scalar, first as a Lua number or a number of lt.complex, then as a 0-d tensor.
-- The other operands are 1-d tensors.
local function check_scalars(name, op, dtype, cases)
  for k = 1, op.arity do
    for _, group in ipairs(groups(cases, k)) do
      local arguments = {}
      for j = 1, op.arity do arguments[j] = operand(cases, group.indices, j, dtype) end
      arguments[k] = weak(group.parts)
      check("a number", lt[name](table.unpack(arguments)), dtype, cases, group.indices)
      arguments[k] = operand(cases, {group.indices[1]}, k, dtype):reshape({})
      check("0-d", lt[name](table.unpack(arguments)), dtype, cases, group.indices)
    end
  end
end

-- ---- every function ----

local kinds = {unary = true, binary = true, ternary = true, quaternary = true}

local function takes(op, dtype)
  for _, d in ipairs(op.dtypes) do if d == dtype then return true end end
end

local function describe_cases(name, op, dtype, cases)
  it("in " .. dtype, function()
    assert(cases, "no rows in spec/support/special_real.lua or special_complex.lua")
    check_layouts(name, op, dtype, cases)
  end)
  if op.arity > 1 and cases then
    it("with a scalar in " .. dtype, function() check_scalars(name, op, dtype, cases) end)
  end
end

local names, ops = {}, lt.ops()
for name, op in pairs(ops) do if kinds[op.kind] and not without[name] then names[#names + 1] = name end end
table.sort(names)
for _, name in ipairs(names) do
  describe("special cases of " .. name, function()
    local op = ops[name]
    for _, dtype in ipairs(helpers.drawn(floats, name)) do
      describe_cases(name, op, dtype, real_rows[name] and special.real(real_rows[name], dtype))
    end
    for _, dtype in ipairs {"complex64", "complex128"} do
      if takes(op, dtype) then describe_cases(name, op, dtype, special.complex(complex_rows, name, dtype)) end
    end
  end)
end

-- ---- reductions ----

-- Returns the results of all cases, by layout. Each pair of operands is reduced along a dim, as a pair or as many
-- copies of the pair, contiguous or not. For a scan, only the last element of each line is returned.
local function reduced(name, kind, dtype, cases)
  local a, b = operand(cases, upward(#cases), 1, dtype), operand(cases, upward(#cases), 2, dtype)
  local x = lt.stack({a, b}, 2)
  local long = x:expand_dims(2):broadcast_to(#cases, COPIES, 2):reshape(#cases, -1)
  local function apply(t, dim)
    local y = lt[name](t, {dim = dim})
    return kind == "scan" and y:narrow(dim, t.shape[dim], 1):reshape(-1) or y
  end
  return {pairs = apply(x, 2), ["pairs side by side"] = apply(lt.stack({a, b}, 1), 1), long = apply(long, 2),
          ["long, side by side"] = apply(long.T:contiguous(), 1), ["with steps"] = apply(long.T, 1)}
end

-- Checks a reduction. Each case has one expected value. Results of dtype int64 are converted to `dtype` before the
-- comparison.
local function check_reduction(name, kind, dtype)
  local cases = special.real(reduce_rows[name], dtype)
  for about, result in pairs(reduced(name, kind, dtype, cases)) do
    local as_float = result.dtype == "int64" and result:to(dtype) or result
    check(about, as_float, dtype, cases, upward(#cases))
  end
end

describe("special cases of reductions:", function()
  local reductions = {norm = "reduction"}
  for name, op in pairs(ops) do
    if op.kind == "reduction" or op.kind == "scan" then reductions[name] = op.kind end
  end
  reductions.count_nonzero = nil                     -- its result depends on the number of elements
  for name, kind in pairs(reductions) do
    it(name, function()
      assert(reduce_rows[name], "no rows in spec/support/special_reduce.lua")
      for _, dtype in ipairs(helpers.drawn(floats, name)) do check_reduction(name, kind, dtype) end
    end)
  end

  it("NaN and infinities are not 0", function()
    local inf, nan = math.huge, 0.0 / 0.0
    assert.equal(4, lt.tensor({nan, 0.0, inf, -0.0, -inf, 1.0}):count_nonzero():item())
    assert.equal(2, lt.complex(lt.tensor {0.0, 0.0, nan}, lt.tensor {inf, -0.0, 0.0}):count_nonzero():item())
  end)

  it("the parts of a complex mean are means", function()
    local mean = lt.complex(lt.tensor {0.0 / 0.0, 1.0}, lt.tensor {1.0, 2.0}):mean()
    assert.is_true(lt.isnan(lt.real(mean)):item())
    assert.equal(1.5, lt.imag(mean):item())
  end)
end)
