--- Makes element-wise functions of a tensor and a few numbers from expressions, so that the result takes one pass
-- over memory, and the gradient another pass.

local lt = require "luatensor"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"

local ag, dtype_of = core.autograd, core.dtype_of

--- The module. The field with_options has an entry for each function with options, by the function's name. The entry
-- has these fields: `keys`, a list of {option, default}; `f`, the function of x and the options' values; `check`, which
-- checks these values. Layers use these entries to check their options only once, when the layer is made.
local pointwise = {with_options = {}}

--- For each float dtype, the dtype of the computation: float32 for half floats, whose results are rounded at the end.
local floats = core.floats

--- Raises an error unless x is a tensor of real floats that was not freed.
function pointwise.check(name, x)
  if not core.is_tensor(x) then blame.fail(name, "tensor expected, got %s", core.type_name(x)) end
  if core.gone(x) then blame.fail(name, "%s", core.gone(x)) end
  if not floats[x.dtype] then blame.fail(name, "a tensor of floats expected, got %s", x.dtype) end
end

--- Returns the set of dtypes that a function takes: all dtypes whose kind is not in the text `refused`, such as
-- "bool, complex".
function pointwise.accepted(refused)
  local set = {}
  for _, name in ipairs(core.dtypes) do
    set[name] = not refused:find((name:gsub("%d+$", "")), 1, true) or nil
  end
  return set
end

local function parameters_of(dtype, names)
  local list = {}
  for i, name in ipairs(names) do list[i] = ("%s %s"):format(i == 1 and dtype or floats[dtype], name) end
  return table.concat(list, ", ")
end

--- Returns the functions forward and backward for a dtype: f.rows, or the two expressions, compiled.
local function compile(f, dtype)
  if f.rows then return f.rows end
  local names = {"x", table.unpack(f.numbers)}
  local both = {lt.elementwise(parameters_of(dtype, names), f.forward, dtype)}
  both[2] = lt.elementwise(dtype .. " g, " .. parameters_of(dtype, names), f.backward, dtype)
  return both
end

--- Makes a function of a tensor x and of up to two numbers.
-- @string name of the function, for messages
-- @tab f `numbers`: list of the names of the numbers; `forward`: an expression of x and the numbers; `backward`: the
--   gradient, an expression that also has g, the gradient of the result; `rows`: instead of both expressions, the two
--   functions of rows of the op table; `plain(g, x, …)`: the gradient by functions of tensors, for gradients of
--   gradients
-- @treturn function of x and the numbers
function pointwise.define(name, f)
  f.numbers = f.numbers or {}
  local by_dtype = {}
  local function of(dtype)
    local both = by_dtype[dtype] or compile(f, dtype)
    by_dtype[dtype] = both
    return both
  end
  local function gradient(g, x, ...)
    if ag.mode() or g.dtype ~= x.dtype then return f.plain(g, x, ...) end
    return of(x.dtype)[2](g, x, ...)
  end
  local rule = ag.new_rule {name = name, {("xyz"):sub(1, 1 + #f.numbers), gradient}}
  local n = #f.numbers
  local function forward(both, x, a, b)
    if n == 0 then return both[1](x) end
    if n == 1 then return both[1](x, a) end
    return both[1](x, a, b)
  end
  local function apply(x, a, b)
    local both = by_dtype[dtype_of(x)]
    if not both then
      pointwise.check(name, x)
      both = of(x.dtype)
    end
    if not x.requires_grad or not ag.mode() then return forward(both, x, a, b) end
    local y = forward(both, x:detach(), a, b)
    ag.new_node(name, rule, {x, a, b}, {y})
    return y
  end
  return n > 0 and apply or function(x) return apply(x) end
end

return pointwise
