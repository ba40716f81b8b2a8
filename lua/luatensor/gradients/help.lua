--- Helpers of the gradient rules in this folder.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local engine = require "luatensor.autograd.engine"

local ag, help = core.autograd, {}

--- Returns the complex conjugate of a complex tensor; real tensors and numbers are returned unchanged.
function help.conj(x)
  return ag.is_complex(x) and x:conj() or x
end

--- The rule of an input whose gradient is 0.
help.zero = {"", function(g) return g:zeros_like() end}

--- The rule of an input whose gradient is the gradient of the result.
help.same = {"", function(g) return g end}

--- Returns a function for a rule. If gradients are not recorded, the function computes g times the derivative by one
-- lt.elementwise expression, which reads and writes memory once. Otherwise, or if g and x are not of one real float
-- dtype, it calls plain(g, x).
-- @string name "x" or "o": the name of the second argument in the expression
-- @string expression of g and that name, for lt.elementwise
-- @tparam function plain computes the same gradient by ops that can be differentiated
-- @treturn function
function help.fused(name, expression, plain)
  local by_dtype = {}
  return function(g, x)
    local dtype = x.dtype
    if ag.mode() or g.dtype ~= dtype then return plain(g, x) end
    local f = by_dtype[dtype]
    if f == nil then
      f = core.floats[dtype] and ag.elementwise(("%s g, %s %s"):format(dtype, dtype, name), expression) or plain
      by_dtype[dtype] = f
    end
    return f(g, x)
  end
end

--- Returns a tensor detached from its graph, or a copy of a table with its tensors detached; other values are
-- returned unchanged. Appends the original tensors to the list `tensors`.
local function cut_off(value, tensors)
  if core.is_tensor(value) then
    tensors[#tensors + 1] = value
    return value:detach()
  end
  if type(value) ~= "table" then return value end
  local copy = {}
  for k, v in pairs(value) do copy[k] = core.is_tensor(v) and cut_off(v, tensors) or v end
  return copy
end

--- Wraps a rule's function that cannot be differentiated. Its results can be used even if gradients are recorded; an
-- error is raised only if a backward pass reaches them.
-- @string name the name of the op
-- @tparam function f the function of a rule
-- @string[opt] advice text that the error adds
-- @treturn function
function help.once(name, f, advice)
  local function refuse()
    args.fail("backward", "%s: no gradient of its gradient%s", name, advice and "; " .. advice or "")
  end
  return function(...)
    if not ag.mode() then return f(...) end
    local list, tensors = table.pack(...), {}
    for i = 1, list.n do list[i] = cut_off(list[i], tensors) end
    local given, results = engine.record(false, f, table.unpack(list, 1, list.n)), {}
    for _, g in pairs(core.is_tensor(given) and {given} or given or {}) do results[#results + 1] = g end
    if #results > 0 then help.attach("gradient of " .. name, tensors, results, refuse) end
    return given
  end
end

local function put(t, key, value) t[key] = value end

local function put_in_zeros(g, shape, set)
  local result = core.unwritten(shape, g.dtype, g):zero_()
  set(result, g)
  return result
end

--- Returns a tensor of the given shape with g in the part that `part` selects, and 0 elsewhere. This tensor is the
-- gradient of x for a function that returns part(x). The tensor can be differentiated: the gradient of g is
-- part(gradient of the tensor).
-- @tparam tensor g
-- @tab shape of the result
-- @tparam function part part(x) returns the part of a tensor of that shape
-- @tparam function set set(zeros, g) writes g into the part
function help.embed(g, shape, part, set)
  local result = core.modes.recording.call(false, put_in_zeros, g, shape, set)
  if not ag.mode() or not g.requires_grad then return result end
  help.attach("embed", {g}, {result}, function(again) return {part(again)} end)
  return result
end

--- Records a node of the graph: the tensors `results` depend on `inputs`, and the function `gradient` differentiates
-- them.
-- @string name of the function, for messages
-- @tab inputs a list of tensors and other values
-- @tab results a list of tensors
-- @tparam function gradient gradient(g) returns the list of the inputs' gradients; g is the gradient of the result,
--   or a list for several results
-- @treturn table the rule's row
function help.attach(name, inputs, results, gradient)
  local row = {name = name, all = {"", gradient}}
  ag.new_node(name, ag.new_rule(row), inputs, results)
  return row
end

--- Records y as a function of x with gradient 0, because y depends only on x's shape, or is piecewise constant. Does
-- nothing unless gradients are recorded.
-- @string name the name of the function
-- @tparam tensor x
-- @tparam tensor y
-- @treturn tensor y
function help.constant(name, x, y)
  if ag.mode() and x.requires_grad then
    help.attach(name, {x}, {y}, function(g) return {core.zeros({}, {dtype = g.dtype, device = g.device})} end)
  end
  return y
end

--- Returns a tensor y of the given shape with y[key] = g, and 0 elsewhere. Like the result of help.embed, y can be
-- differentiated. The key must not select an element twice.
function help.embed_key(g, shape, key)
  return help.embed(g, shape, function(x) return x[key] end, function(zeros, value) put(zeros, key, value) end)
end

--- Returns a bool matrix [m, n] on a device that is true on the diagonal.
function help.on_diagonal(m, n, device)
  local options = {dtype = "int64", device = device}
  return core.arange(1, m + 1, 1, options):expand_dims(-1):equal(core.arange(1, n + 1, 1, options))
end

return help
