-- Passes 0-d tensors and tensors without elements to every public function. The expected results are the rows in
-- spec/support/special_empty.lua. This spec fails for a function of tensors that has no row there and is not in the
-- op table.
local lt = require "luatensor"
local alias = require "luatensor.base.alias"
local methods = require("luatensor.core").methods
local helpers = require "spec.support.helpers"
local empty = require "spec.support.special_empty"

local unary = {unary = 1, binary = 2, ternary = 3, quaternary = 4}

-- Returns the names of all functions of lt, lt.linalg and lt.fft, without aliases. An in-place method that belongs to
-- no op of the op table, such as "copy_", is listed as "x:copy_" if lt has no function of this name.
local function public_names()
  local names = {}
  local function walk(functions, prefix)
    for name, value in pairs(functions) do
      local other = prefix == "" and alias.functions[name]
      if type(value) == "function" and not (other and rawget(lt, other) == value) then names[#names + 1] = prefix .. name end
    end
  end
  walk(lt, "")
  for _, name in ipairs {"linalg", "fft"} do walk(rawget(lt, name) or {}, name .. ".") end
  local ops = lt.ops()
  for name in pairs(methods) do
    local base = name:match "^(.*)_$"
    if base and not rawget(lt, name) and not ops[base] and not alias.functions[base] then names[#names + 1] = "x:" .. name end
  end
  table.sort(names)
  return names
end

local function find(name)
  local library, member = name:match "^(%w+)%.(.*)$"
  return library and lt[library][member] or lt[name]
end

-- ---- results as text ----

local function shown(x)
  if type(x) ~= "number" then return tostring(x) end
  if x ~= x then return "NaN" end
  return math.tointeger(x) and tostring(math.tointeger(x)) or tostring(x)
end

-- Returns the shape of t and, if with_value is true, the value that all elements of t have: "[3] 0".
local function describe_tensor(t, with_value)
  local text = tostring(t.shape)
  if not with_value or t.size == 0 then return text end
  local value = shown(t:flatten()[1]:item())
  for i = 2, t.size do assert.equal(value, shown(t:flatten()[i]:item())) end
  return text .. " " .. value
end

local describe_value
local function describe_table(list)
  local words = {}
  for i, x in ipairs(list) do words[i] = describe_value(x) end
  return "{" .. table.concat(words, ", ") .. "}"
end

describe_value = function(x, with_value)
  if lt.is_tensor(x) then return describe_tensor(x, with_value) end
  return type(x) == "table" and describe_table(x) or shown(x)
end

local function split(text)
  local words = {}
  for word in (text .. "|"):gmatch "%s*(.-)%s*|" do words[#words + 1] = word end
  return words
end

-- Returns the results in the notation of spec/support/special_empty.lua, with values where `expected` has values.
local function describe_results(expected, ...)
  local words, wanted = {}, split(expected)
  for i = 1, select("#", ...) do
    words[i] = describe_value((select(i, ...)), (wanted[i] or ""):find "%] %S" ~= nil)
  end
  return table.concat(words, " | ")
end

-- ---- calls ----

local function takes(op, dtype)
  for _, d in ipairs(op.dtypes) do if d == dtype then return true end end
  return false
end

-- Returns the row of a function: its own row, the common row of an element-wise op, or nil.
local function row_of(name)
  local op = lt.ops()[name]
  if empty.rows[name] or not op or not unary[op.kind] then return empty.rows[name] end
  local function call(x)
    local inputs = {}
    for i = 1, op.arity do inputs[i] = x end
    return lt[name](table.unpack(inputs))
  end
  return {expected = {"same", "same", "same", "same", "same"}, call = call, dtype = takes(op, "float32") and "float32" or "int64"}
end

local function input(shape, dtype) return lt.full(shape, 2, {dtype = "int64"}):to(dtype) end

local function check_row(name, row, dtype)
  local call, shapes = row.call or find(name), row.matrices and empty.matrices or empty.shapes
  for i, shape in ipairs(shapes) do
    local x = input(shape, dtype)
    local expected = row.expected[i]:gsub("same", tostring(x.shape))
    local results = table.pack(pcall(call, x))
    if expected == "error" then
      assert.is_false(results[1], tostring(x.shape) .. " is no error")
    else
      assert.is_true(results[1], tostring(x.shape) .. ": " .. tostring(results[2]))
      assert.equal(expected, describe_results(expected, table.unpack(results, 2, results.n)), tostring(x.shape))
    end
  end
end

-- Removes the values from an expected text, because only shapes are the same for all dtypes that a function takes.
local function without_values(text) return (text:gsub("(%]) [^%s|]+", "%1")) end

local function check_dtype(name, row, dtype)
  local call, shapes = row.call or find(name), row.matrices and empty.matrices or empty.shapes
  for i, shape in ipairs(shapes) do
    local x = input(shape, dtype)
    local expected = without_values(row.expected[i]:gsub("same", tostring(x.shape)))
    local results = table.pack(pcall(call, x))
    if results[1] and expected:find "^%[" then
      assert.equal(expected, describe_results("", table.unpack(results, 2, results.n)), dtype .. tostring(x.shape))
    elseif not results[1] then
      assert.equal("string", type(results[2]))
    end
  end
end

-- Checks that a function gives the same bytes for a 0-d tensor as for a 1-d tensor of one element.
local function check_0d(name)
  local call = row_of(name).call or find(name)
  local ok, of_0d = pcall(call, input({}, "float32"))
  if not ok or not lt.is_tensor(of_0d) then return end
  local also, of_1d = pcall(call, input({1}, "float32"))
  if not also or not lt.is_tensor(of_1d) or of_1d.size ~= of_0d.size or lt.ops()[name] == nil then return end
  assert.equal(of_1d:to_bytes(), of_0d:to_bytes())
end

for _, name in ipairs(helpers.drawn(public_names(), "functions")) do
  if not empty.without[name] then
    describe("tensors without elements and 0-d tensors: " .. name, function()
      local row = row_of(name)
      it("has the shapes and values of its row", function()
        assert(row, "no row in spec/support/special_empty.lua")
        check_row(name, row, row.dtype or "float32")
      end)
      if row then
        it("has the same shapes for other dtypes", function()
          for _, dtype in ipairs {"bool", "int64", "float16", "float64", "complex64"} do check_dtype(name, row, dtype) end
        end)
        it("has a number's value for a 0-d tensor", function() check_0d(name) end)
      end
    end)
  end
end

-- The results of reductions of no elements. The functions in `none` raise an error instead, so their entries are not
-- used.
local identities = {
  sum = 0, prod = 1, mean = 0 / 0, var = 0 / 0, std = 0 / 0, any = false, all = true, count_nonzero = 0,
  logsumexp = -math.huge, norm = 0, max = false, min = false, argmax = false, argmin = false,
}
local none = {max = true, min = true, argmax = true, argmin = true}

describe("in place", function()
  local it = helpers.drawn_it(it)
  for name, op in pairs(lt.ops()) do
    if op.in_place then
      it(name .. "_ keeps a tensor without elements, and one that is 0-d", function()
        for _, shape in ipairs(empty.shapes) do
          local x = input(shape, takes(op, "float32") and "float32" or "int64")
          local others = {}
          for i = 2, op.arity do others[i - 1] = x:clone() end
          assert.equal(x, x[name .. "_"](x, table.unpack(others)))
          assert.equal(tostring(lt.zeros(shape).shape), tostring(x.shape))
        end
      end)
    end
  end
end)

describe("along a dim without elements", function()
  local x = lt.zeros(2, 0, 3)
  for name, identity in pairs(identities) do
    it(name .. (none[name] and " has no result" or " is " .. shown(identity)), function()
      assert.equal("[0, 3]", tostring(lt[name](x, {dim = 1}).shape))       -- an empty result needs no maximum
      if none[name] then
        assert.error_matches(function() lt[name](x, {dim = 2}) end, "^" .. name .. ": ")
        return
      end
      local expected = " " .. shown(identity)
      assert.equal("[2, 3]" .. expected, describe_tensor(lt[name](x, {dim = 2}), true))
      assert.equal("[2, 1, 3]" .. expected, describe_tensor(lt[name](x, {dim = 2, keepdim = true}), true))
      assert.equal("[2]" .. expected, describe_tensor(lt[name](x, {dim = {2, 3}}), true))
      assert.equal("[1, 1, 1]" .. expected, describe_tensor(lt[name](x, {keepdim = true}), true))
    end)
  end

  it("covers every reduction of the op table", function()
    for name, op in pairs(lt.ops()) do
      if op.kind == "reduction" then assert(identities[name] ~= nil, name) end
    end
  end)
end)
