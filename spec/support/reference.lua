-- The oracle: computes the expected results of functions in plain Lua, slow and obvious. It shares no code with the
-- module, and works on arrays {shape = {…}, dtype = "…", data = {row-major …}}; see reference/array.lua.
local array = require "spec.support.reference.array"
local dtype = require "spec.support.reference.dtype"
local promotion = require "spec.support.reference.promotion"

local reference = {
  map = require "spec.support.reference.map",
  reduce = require "spec.support.reference.reduce",
  linalg = require "spec.support.reference.linalg",
  index = require "spec.support.reference.index",
  sort = require "spec.support.reference.sort",
  order = require "spec.support.reference.order",
  array = array, dtype = dtype, promotion = promotion,
}

-- Returns a function that rounds to the dtype in which kernels compute for elements of dtype `name`: float32 for
-- float16 and bfloat16, else the dtype itself.
local function step_of(name)
  local t = dtype.info[name]
  return t.bits < 24 and dtype.info.float32.round or t.round
end

for _, name in ipairs(dtype.classes.FLOAT) do dtype.info[name].step = step_of(name) end

local function operand_dtype(x)
  if type(x) == "table" then return x.dtype end
  if type(x) == "boolean" then return "weak boolean" end
  return "weak " .. math.type(x)
end

-- Converts a Lua number or boolean to an element of dtype `name`.
local function weak(x, name)
  if type(x) == "boolean" then return dtype.convert(x, "bool", name) end
  if math.type(x) == "integer" then return dtype.convert(x, "int64", name) end
  return dtype.convert(x, "float64", name)
end

-- Returns the dtype in which op computes for these operands, and the dtype of the result. Returns nil if the op
-- refuses the operands.
function reference.dtypes_of(op, ...)
  local row, operands = reference.map[op], {}
  for i, x in ipairs {...} do operands[i] = operand_dtype(x) end
  local promoted = promotion.of(operands)
  local compute = promotion.compute(row.class, promoted)
  -- A predicate must not round operands that are not floats, so it computes in float64.
  if compute and compute ~= promoted and row.result == "BOOL" then compute = "float64" end
  return compute, compute and (row.result == "BOOL" and "bool" or compute)
end

-- Applies an element-wise op to arrays and Lua numbers after broadcasting and promotion. Returns nil if the op refuses
-- the dtypes.
function reference.elementwise(op, ...)
  local row, inputs, shapes = reference.map[op], {...}, {}
  local compute, result = reference.dtypes_of(op, ...)
  if not compute then return nil end
  for _, x in ipairs(inputs) do if type(x) == "table" then shapes[#shapes + 1] = x.shape end end
  local shape = array.broadcast_shapes(table.unpack(shapes))
  local lists, n = {}, array.count(shape)
  for k, x in ipairs(inputs) do
    if type(x) == "table" then
      lists[k] = array.to(array.broadcast_to(x, shape), compute).data
    else
      local list, value = {}, weak(x, compute)
      for i = 1, n do list[i] = value end
      lists[k] = list
    end
  end
  local data, t, f, arguments = {}, dtype.info[compute], row.f, #inputs
  local a, b, c, d = lists[1], lists[2], lists[3], lists[4]
  for i = 1, n do
    local y
    if arguments == 1 then y = f(a[i], t)
    elseif arguments == 2 then y = f(a[i], b[i], t)
    elseif arguments == 3 then y = f(a[i], b[i], c[i], t)
    else y = f(a[i], b[i], c[i], d[i], t) end
    if t.step and type(y) == "number" then y = t.step(y) end         -- kernels compute half floats in float32
    data[i] = dtype.store(y, result)
  end
  return array.new(shape, result, data)
end

return reference
