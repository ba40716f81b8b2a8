--- Gradients as return values: gradients of functions (lt.grad, lt.value_and_grad) and of results (lt.autograd.grad).
-- These functions do not change `x.grad` of leaves.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local engine = require "luatensor.autograd.engine"
local help = require "luatensor.gradients.help"
local lt = require "luatensor.base.public"

local ag = core.autograd

local function is_differentiable(x)
  return core.is_tensor(x) and (x.dtype:find("^complex") or x.dtype:find("float")) ~= nil
end

-- ---- captured gradients ----

--- Returns the gradient of x from run.captured, in which engine.walk stores gradients; nil if x was not reached.
local function gradient_at(x, run)
  local source, output = ag.source(x)
  local g = run.captured[source]
  if g and output then return g[output] end
  return g
end

--- Like gradient_at, but the result shares no memory with other gradients. `seen` is the set of the gradients that
-- this function has found for other inputs of the same pass.
local function gradient_of(x, run, seen)
  local g = gradient_at(x, run)
  if not g then return nil end
  local alone = run.graph and not seen[g] or not run.graph and ag.sole(g)
  seen[g] = true
  return alone and g or g:clone()
end

--- Returns the set of the leaves and nodes at which the gradients of a list of tensors are captured.
local function sources_of(list)
  local set = {}
  for _, x in ipairs(list) do set[ag.source(x)] = true end
  return set
end

-- ---- functions ----

--- True for a plain table (not a module) that contains float or complex tensors.
local function holds_tensors(x)
  if type(x) ~= "table" or getmetatable(x) ~= nil then return false end
  for _, value in next, x do
    if is_differentiable(value) then return true end
  end
  return false
end

--- Raises an error if an argument is a table that contains tensors, because their gradients would be missing from the
-- results.
local function check_tables(name, list)
  for i = 1, list.n do
    if holds_tensors(list[i]) then
      args.fail(name, "argument %d is a table: gradients do not pass through tables; give each tensor as an argument, "
                .. "or say in option argnums which arguments are wanted", i)
    end
  end
end

--- Returns the numbers of the arguments to differentiate: those in option argnums, or all float and complex tensors.
local function chosen(name, list, argnums)
  local numbers = {}
  if not argnums then check_tables(name, list) end
  for i = 1, argnums and #argnums or list.n do
    local k = argnums and argnums[i] or i
    local fits = is_differentiable(list[k])
    if argnums and k > list.n then args.fail(name, "argnums: the function was called with %d arguments", list.n) end
    if argnums and not fits then args.fail(name, "argument %d is no float or complex tensor", k) end
    if fits then numbers[#numbers + 1] = k end
  end
  if #numbers == 0 then args.fail(name, "no float or complex tensor is among the %d arguments", list.n) end
  return numbers
end

--- Checks option argnums, and returns a list of numbers of arguments, or nil if the option is missing.
local function check_argnums(name, argnums)
  if argnums == nil then return nil end
  local list, seen = type(argnums) == "table" and argnums or {argnums}, {}
  if #list == 0 then args.fail(name, "argnums: the number of an argument expected, or a list of them") end
  local numbers = {}
  for i, k in ipairs(list) do
    numbers[i] = args.integer(name, "argnums", k, 1)
    if seen[numbers[i]] then args.fail(name, "argnums: %d is named twice", numbers[i]) end
    seen[numbers[i]] = true
  end
  return numbers
end

--- Returns the tensor that the differentiated function receives for x: a new leaf, or, if x requires gradients, a
-- recorded alias of x.
local function alias_of(x)
  if not x.requires_grad then return x:detach():requires_grad_() end
  return engine.record(true, x.reshape, x, x.shape)
end

--- Returns x, a result of the differentiated function, for the caller. The result is detached if its graph was
-- released.
local function as_value(x, run)
  if run.graph or run.retain or not core.is_tensor(x) or not x.requires_grad then return x end
  return x:detach()
end

--- Replaces the arguments list[k], for each k in `numbers`, by aliases (alias_of), and returns the list of the
-- aliases.
local function replace(list, numbers)
  local aliases = {}
  for i, k in ipairs(numbers) do
    aliases[i] = alias_of(list[k])
    list[k] = aliases[i]
  end
  return aliases
end

--- Returns the gradients of y with respect to the tensors `aliases`; zeros for aliases on which y does not depend.
-- `run` is the table of settings that engine.walk takes. Errors name the function `name`.
local function walk_to(name, y, aliases, run)
  run.captures = sources_of(aliases)
  run.barriers, run.captured = run.captures, {}
  if y.requires_grad then blame.call(engine.walk, y, blame.call(engine.first_gradient, name, y), run) end
  local gradients, seen = {}, {}
  for i, x in ipairs(aliases) do gradients[i] = gradient_of(x, run, seen) or core.zeros_like(x) end
  return gradients
end

--- Calls fn and differentiates its first result. Returns a list of the gradients and a list of all results of fn.
local function differentiate(name, fn, options, ...)
  local list = table.pack(...)
  local numbers = blame.call(chosen, name, list, options.argnums)
  local recording, outer = ag.mode(), false
  for _, k in ipairs(numbers) do outer = outer or list[k].requires_grad end
  local run = {graph = recording and outer, graph_for_others = recording, retain = options.retain_graph or false}
  local aliases = replace(list, numbers)
  local results = table.pack(engine.record(true, fn, table.unpack(list, 1, list.n)))
  local y = results[1]
  if not core.is_tensor(y) then blame.fail(name, "the function gave %s, a tensor expected", core.type_name(y)) end
  run.retain = run.retain or run.graph
  local gradients = walk_to(name, y, aliases, run)
  for i = 1, results.n do results[i] = as_value(results[i], run) end
  return gradients, results
end

local function_options = {argnums = true, retain_graph = true}

--- Checks the arguments of lt.grad and lt.value_and_grad, and returns the options.
local function check_function(name, fn, options)
  blame.check_function(name, fn)
  options = args.options(name, options, function_options)
  return {argnums = blame.call(check_argnums, name, options.argnums), retain_graph = options.retain_graph}
end

-- ---- results ----

--- Raises an error if a list has gaps, like {a, nil, b}, or a key that is no positive integer. `what` is the noun for
-- an element in the message.
local function check_gaps(what, list)
  local count, last = 0, 0
  for i in next, list do
    if math.type(i) ~= "integer" or i < 1 then
      args.fail("autograd.grad", "%ss: a list of tensors expected, got a table with the key %s", what, tostring(i))
    end
    count, last = count + 1, math.max(last, i)
  end
  for i = 1, count < last and last or 0 do
    if list[i] == nil then args.fail("autograd.grad", "%s %d: tensor expected, got nil", what, i) end
  end
end

--- Returns a list of tensors as it is, and a tensor as a list with one element. Raises an error if the list is empty or
-- has gaps, or if an element is no tensor, was freed or requires no gradient.
local function list_of(what, x)
  local list = core.is_tensor(x) and {x} or x
  local kind = core.type_name(list)
  if kind ~= "table" or next(list) == nil then
    args.fail("autograd.grad", "%ss: a tensor or a list of tensors expected, got %s", what,
              kind == "table" and "an empty table" or kind)
  end
  check_gaps(what, list)
  for i, t in ipairs(list) do
    if not core.is_tensor(t) then
      args.fail("autograd.grad", "%s %d: tensor expected, got %s", what, i, core.type_name(t))
    elseif core.gone(t) then
      args.fail("autograd.grad", "%s %d: %s", what, i, core.gone(t))
    elseif not t.requires_grad then
      args.fail("autograd.grad", "%s %d requires no gradient", what, i)
    end
  end
  return list
end

--- Returns a list of the gradients of the outputs: entries of option grad_outputs, or ones.
local function first_gradients(outputs, given)
  if given == nil then given = {} end
  if core.is_tensor(given) then given = {given} end
  if type(given) ~= "table" then
    args.fail("autograd.grad", "grad_outputs: a tensor or a list of tensors expected, got %s", core.type_name(given))
  end
  local list = {}
  for i, y in ipairs(outputs) do
    local g = given[i] or nil
    if g ~= nil and not core.is_tensor(g) then
      args.fail("autograd.grad", "grad_outputs %d: tensor expected, got %s", i, core.type_name(g))
    end
    list[i] = engine.first_gradient("autograd.grad", y, g)
  end
  for i in pairs(given) do
    if not list[i] then args.fail("autograd.grad", "grad_outputs has an entry %s; there are %d outputs", i, #list) end
  end
  return list
end

--- True if a set of inputs has at most one element. The pass can stop at a single input, because no other input's
-- gradient passes through this input.
local function is_single(set) return next(set, (next(set))) == nil end

--- Returns one tensor from which the pass starts, and its gradient. For several outputs, the tensor is a new node
-- with an edge to each output.
local function root_of(outputs, gradients, graph)
  if #outputs == 1 then return outputs[1], gradients[1] end
  local root = core.zeros({}, {dtype = "float32", device = core.host_device})
  help.attach("autograd.grad", outputs, {root}, function()
    local list = {}
    for i, g in ipairs(gradients) do list[i] = graph and g or ag.alias(g) end
    return list
  end)
  return root, ag.alias(root)
end

--- Raises an error for the first input for which is_used(input) is false, because the outputs do not depend on this
-- input.
local function fail_unused(inputs, is_used)
  for i, x in ipairs(inputs) do
    if not is_used(x) then
      args.fail("autograd.grad", "the outputs do not depend on input %d; {allow_unused = true} gives nil for it", i)
    end
  end
end

local grad_options = {create_graph = true, retain_graph = true, grad_outputs = true, allow_unused = true}

local function gradients_of(outputs, inputs, options)
  options = args.options("autograd.grad", options, grad_options)
  outputs, inputs = list_of("output", outputs), list_of("input", inputs)
  local run = {graph = options.create_graph or false, retain = options.retain_graph, captured = {},
               captures = sources_of(inputs)}
  if run.retain == nil then run.retain = run.graph end
  if is_single(run.captures) then run.barriers = run.captures end
  local root, g = root_of(outputs, first_gradients(outputs, options.grad_outputs), run.graph)
  local function check_used(is_used)
    if not options.allow_unused then fail_unused(inputs, is_used) end
  end
  function run.before(reached)
    check_used(function(x) return reached[ag.source(x)] end)
  end
  engine.walk(root, g, run)
  -- a script's backward function may return no gradient for an input
  check_used(function(x) return gradient_at(x, run) end)
  local gradients, seen = {}, {}
  for i, x in ipairs(inputs) do gradients[i] = gradient_of(x, run, seen) end
  return table.unpack(gradients, 1, #inputs)
end

--- Makes a function that returns the gradients of fn's first result, a tensor of one element, with respect to fn's
-- arguments. The new function can be differentiated itself, by lt.grad or by backward, with respect to everything
-- that fn uses. Examples are `lt.grad(lt.grad(f))`, or a penalty on the gradient of a network whose parameters
-- require gradients. Inside lt.no_grad the gradients cannot be differentiated, which is faster.
-- @function grad
-- @tparam function fn
-- @tparam[opt] table options `argnums`: the number of an argument, or a list of numbers; all float and complex
--   tensors unless given. `retain_graph` (false): keeps the graph that fn recorded, for a backward pass from tensors
--   that fn stored outside of its results
-- @treturn function that takes fn's arguments and returns one tensor for each differentiated argument, then fn's
--   further results
-- @raise if there is no such argument, or if a table among the arguments contains tensors
-- @usage local slope = lt.grad(function(x) return (x * x):sum() end)(lt.tensor {1., 2.})
function lt.grad(fn, options)
  options = check_function("grad", fn, options)
  return function(...)
    local gradients, results = differentiate("grad", fn, options, ...)
    local n = #gradients
    table.move(results, 2, results.n, n + 1, gradients)
    return table.unpack(gradients, 1, n + results.n - 1)
  end
end

--- Like lt.grad, but the new function returns fn's first result before the gradients.
-- @tparam function fn
-- @tparam[opt] table options those of lt.grad
-- @treturn function that takes fn's arguments and returns fn's first result, one gradient for each differentiated
--   argument, then fn's further results
-- @usage local loss, gw, gb, guess = lt.value_and_grad(function(w, b)
--     local y = x * w + b
--     return (y - target):square():mean(), y
--   end)(w, b)
function lt.value_and_grad(fn, options)
  options = check_function("value_and_grad", fn, options)
  return function(...)
    local gradients, results = differentiate("value_and_grad", fn, options, ...)
    local n = #gradients
    table.move(gradients, 1, n, 2)
    gradients[1] = results[1]
    table.move(results, 2, results.n, n + 2, gradients)
    return table.unpack(gradients, 1, n + results.n)
  end
end

lt.autograd = {}

--- Computes the gradients of outputs with respect to inputs. Inputs are leaves, or results from which the outputs
-- were computed. `x.grad` of leaves stays as it is. With several outputs, their gradients are summed.
-- @function autograd.grad
-- @tparam Tensor|{Tensor,...} outputs of one element each, unless grad_outputs is given
-- @tparam Tensor|{Tensor,...} inputs
-- @tparam[opt] table options `grad_outputs`: the gradients of the outputs, a tensor or a list; missing gradients, and
--   gradients that are false, are 1. `create_graph` (false): the gradients can be differentiated, too. `retain_graph`
--   (default create_graph): keeps the graph for another backward pass. `allow_unused` (false): returns nil for inputs
--   on which the outputs do not depend, instead of an error
-- @treturn Tensor ... the gradient of each input
-- @usage local gx, gy = lt.autograd.grad(loss, {x, y}, {create_graph = true})
lt.autograd.grad = core.composition("autograd.grad", gradients_of)
