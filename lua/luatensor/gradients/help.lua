--- What rules share.

local args = require "luatensor.args"
local core = require "luatensor.core"

local ag, help = core.autograd, {}

--- The complex conjugate; real tensors and numbers are themselves.
function help.conj(x)
  return ag.is_complex(x) and x:conj() or x
end

--- A rule of an input whose gradient is 0 wherever there is one.
help.zero = {"", function(g) return g:zeros_like() end}

--- A rule that passes the gradient on.
help.same = {"", function(g) return g end}

local function is_real_float(dtype) return dtype:find("^float") or dtype == "bfloat16" end

--- plain(g, x), or, where the gradient itself is not recorded, the same as one expression: memory is read and written
-- once. Of real floats; others are left to plain.
-- @string name "x" or "o": what the expression calls its second argument
-- @string expression of g and that name, as lt.elementwise takes it
-- @tparam function plain
-- @treturn function
function help.fused(name, expression, plain)
  local by_dtype = {}
  return function(g, x)
    local dtype = x.dtype
    if ag.mode() or g.dtype ~= dtype then return plain(g, x) end
    local f = by_dtype[dtype]
    if f == nil then
      f = is_real_float(dtype) and ag.elementwise(("%s g, %s %s"):format(dtype, dtype, name), expression) or plain
      by_dtype[dtype] = f
    end
    return f(g, x)
  end
end

--- A rule's function that is not made of functions with gradients: it says so where its own gradient is asked for.
-- @string name the op's
-- @tparam function f as of a row
-- @treturn function
function help.once(name, f)
  return function(...)
    if ag.mode() then args.fail("backward", "%s: no gradient of its gradient (create_graph)", name) end
    return f(...)
  end
end

local function put(t, key, value) t[key] = value end

local function put_in_zeros(g, shape, set)
  local result = core.zeros(shape, {dtype = g.dtype, device = g.device})
  set(result, g)
  return result
end

--- Zeros of a shape with g in a part of them: what has part(x) for its result gives x this gradient. It can be
-- differentiated, too: the gradient of g is that part.
-- @tparam tensor g
-- @tab shape
-- @tparam function part the part of a tensor of that shape: its gradient
-- @tparam function set set(zeros, g)
function help.embed(g, shape, part, set)
  local result = core.modes.recording.call(false, put_in_zeros, g, shape, set)
  if not ag.mode() or not g.requires_grad then return result end
  help.attach("embed", {g}, {result}, function(again) return {part(again)} end)
  return result
end

--- Makes results known as those of a function of inputs, with a gradient of its own.
-- @string name
-- @tab inputs list of anything
-- @tab results list of tensors
-- @tparam function gradient gradient(g) gives the list of the inputs' gradients; g: the result's, or of several a list
-- @treturn table the rule's row
function help.attach(name, inputs, results, gradient)
  local row = {name = name, all = {"", gradient}}
  ag.new_node(name, ag.new_rule(row), inputs, results)
  return row
end

--- Makes y known as a function of x whose gradient is 0: of what x's shape alone determines, or of steps. Only where
-- gradients are recorded.
-- @string name the function's
-- @tparam tensor x
-- @tparam tensor y
-- @treturn tensor y
function help.constant(name, x, y)
  if ag.mode() and x.requires_grad then
    help.attach(name, {x}, {y}, function(g) return {core.zeros({}, {dtype = g.dtype, device = g.device})} end)
  end
  return y
end

--- Zeros of a shape with g at a key of x[key] that picks no element twice.
function help.embed_key(g, shape, key)
  return help.embed(g, shape, function(x) return x[key] end, function(zeros, value) put(zeros, key, value) end)
end

--- Where matrices [m, n] on a device have their diagonal: true there, else false.
function help.on_diagonal(m, n, device)
  local options = {dtype = "int64", device = device}
  return core.arange(1, m + 1, 1, options):expand_dims(-1):equal(core.arange(1, n + 1, 1, options))
end

return help
