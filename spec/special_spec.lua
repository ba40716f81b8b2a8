-- The special cases of the array API standard (spec/support/special_real.lua), whatever the layout of the operands.
-- An element-wise function without a row there fails here.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local special = require "spec.support.special"
local real = require "spec.support.special_real"

local FLOATS = {"float16", "bfloat16", "float32", "float64"}
local COPIES = 40                                -- enough for several blocks of a kernel and the rest of one

-- What special cases are not about: floats are refused, or only moved.
local without = {}
for name in ("bitwise_and bitwise_or bitwise_xor bitwise_invert bitwise_left_shift bitwise_right_shift where"):gmatch "%S+" do
  without[name] = true
end

-- Row and operands of the first case that is not as it should be, or nil. indices[i]: the case at element i.
local function first_problem(result, dtype, operands, checks, indices)
  local got = helpers.array(result).data
  assert(#got == #indices, "the result has another length")
  for i, at in ipairs(indices) do
    if not special.fits(checks[at], got[i], dtype) then
      local words = {}
      for k, list in ipairs(operands) do words[k] = special.show(list[at]) end
      return ("%s: of (%s) it is %s, not %s"):format(
        checks[at].row, table.concat(words, ", "), special.show(got[i]), special.show(checks[at].want))
    end
  end
end

local function upward(n)
  local list = {}
  for i = 1, n do list[i] = i end
  return list
end

local function tensors(operands, dtype)
  local list = {}
  for k, values in ipairs(operands) do list[k] = lt.tensor(values, {dtype = dtype}) end
  return list
end

local function each(list, f)
  local out = {}
  for k, t in ipairs(list) do out[k] = f(t) end
  return out
end

-- Every second element of a tensor that holds each twice.
local function stretched(t)
  local twice = lt.stack({t, lt.full({t.size}, 0.75, {dtype = t.dtype})}, 2)
  return twice:reshape(-1)[{{1, -1, 2}}]
end

local function reversed(t) return t[{{-1, 1, -1}}] end

-- Many times over, so that vectors, blocks and their rests all have them.
local function repeated(t) return t:reshape(1, -1):broadcast_to(COPIES, t.size):reshape(-1) end

local layouts = {
  contiguous = {of = function(t) return t end, indices = upward},
  ["with steps"] = {of = stretched, indices = upward},
  backward = {of = reversed, indices = function(n)
    local list = {}
    for i = 1, n do list[i] = n + 1 - i end
    return list
  end},
  ["many times over"] = {of = repeated, indices = function(n)
    local list = {}
    for i = 1, n * COPIES do list[i] = (i - 1) % n + 1 end
    return list
  end},
}

-- Cases by the value of operand k: {value, indices of its cases}, told apart by their bits.
local function groups(values)
  local list, by_bits = {}, {}
  for i, x in ipairs(values) do
    local bits = string.pack("<d", x)
    if not by_bits[bits] then
      by_bits[bits] = {value = x, indices = {}}
      list[#list + 1] = by_bits[bits]
    end
    table.insert(by_bits[bits].indices, i)
  end
  return list
end

local function pick(values, indices)
  local out = {}
  for i, at in ipairs(indices) do out[i] = values[at] end
  return out
end

-- Operand k as `scalar` makes it of a Lua number, the others as tensors.
local function check_scalars(f, dtype, operands, checks, k, scalar)
  for _, group in ipairs(groups(operands[k])) do
    local arguments = {}
    for j, values in ipairs(operands) do
      arguments[j] = j == k and scalar(group.value) or lt.tensor(pick(values, group.indices), {dtype = dtype})
    end
    assert.is_nil(first_problem(f(table.unpack(arguments)), dtype, operands, checks, group.indices))
  end
end

local function zero_dim(dtype) return function(x) return lt.tensor(x, {dtype = dtype}) end end

local function describe_function(name, op, text)
  describe("special cases of " .. name, function()
    for _, dtype in ipairs(FLOATS) do
      it("in " .. dtype, function()
        local operands, checks = special.expand(text, dtype)
        local inputs = tensors(operands, dtype)
        for about, layout in pairs(layouts) do
          local problem = first_problem(lt[name](table.unpack(each(inputs, layout.of))), dtype, operands, checks,
                                        layout.indices(#checks))
          assert.is_nil(problem, problem and about .. ": " .. problem)
        end
        if op.in_place then
          inputs[1][name .. "_"](table.unpack(inputs))
          assert.is_nil(first_problem(inputs[1], dtype, operands, checks, upward(#checks)))
        end
      end)

      if op.arity > 1 then
        it("with a scalar in " .. dtype, function()
          local operands, checks = special.expand(text, dtype)
          for k = 1, op.arity do
            check_scalars(lt[name], dtype, operands, checks, k, function(x) return x end)
            check_scalars(lt[name], dtype, operands, checks, k, zero_dim(dtype))
          end
        end)
      end
    end
  end)
end

local kinds = {unary = true, binary = true, ternary = true, quaternary = true}
local names, ops = {}, lt.ops()
for name, op in pairs(ops) do if kinds[op.kind] and not without[name] then names[#names + 1] = name end end
table.sort(names)
for _, name in ipairs(names) do
  if real[name] then
    describe_function(name, ops[name], real[name])
  else
    it("special cases of " .. name .. " are in spec/support/special_real.lua", function() assert(real[name]) end)
  end
end
