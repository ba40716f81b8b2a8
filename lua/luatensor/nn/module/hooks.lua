--- Hooks of modules: functions of a script that run before and after a module's forward, and in its backward pass.
--
-- A module with hooks gets another metatable, a variant of its class whose __call runs the hooks. Modules without hooks
-- keep their class, so they take no time for hooks.

local args = require "luatensor.base.args"
local arity = require "luatensor.base.arity"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local fields = require "luatensor.nn.module.fields"
local help = require "luatensor.gradients.help"
local layer = require "luatensor.nn.layer"
local lists = require "luatensor.base.lists"

local ag, hooks = core.autograd, {}

--- Maps a module to its hooks: three lists of {fn =}, by the kinds "pre", "forward" and "backward". The hooks are no
-- fields of the module, so neither its state nor its copies have them. The keys are weak.
local hooks_of = setmetatable({}, {__mode = "k"})

--- Maps a class to its variant with hooks. The keys are weak.
local variants = setmetatable({}, {__mode = "k"})

-- ---- backward ----

-- Returns the list of the gradients that a backward hook returned, which is a list, or a tensor for a module of one
-- argument.
local function check_gradients(pass, given)
  local inputs = pass.inputs
  local function fail(message, ...)
    args.fail("backward", "a hook of %s returned a " .. message, pass.module:_label(), ...)
  end
  if core.is_tensor(given) and inputs.n == 1 then given = {given} end
  if type(given) ~= "table" then
    fail("%s; a list of gradients expected, one for each argument, or nothing", core.type_name(given))
  end
  for i = 1, math.max(inputs.n, #given) do
    local g, x = given[i], inputs[i]
    if g ~= nil and not x then
      fail("gradient for argument %d, which has none", i)
    elseif g ~= nil and not core.is_tensor(g) then
      fail("%s for argument %d, tensor expected", core.type_name(g), i)
    elseif g ~= nil and not lists.same(g.shape, x.shape) then
      fail("gradient of shape %s for argument %d, which has shape %s", args.shape_text(g.shape), i,
           args.shape_text(x.shape))
    end
  end
  given.n = inputs.n
  return given
end

-- Calls the backward hooks, and returns the list of the gradients of the inputs. Does nothing if the pass has not
-- reached the results of the module.
local function call_backward_hooks(pass, gradients)
  local outputs = pass.gradients
  pass.gradients = nil
  if not outputs then return gradients end
  for _, hook in ipairs(pass.hooks) do
    local given = blame.call_back(hook.fn, pass.module, gradients, outputs)
    if given ~= nil then gradients = check_gradients(pass, given) end
  end
  return gradients
end

local function has_gradient(x) return core.is_tensor(x) and not core.gone(x) and x.requires_grad end

-- Returns copies of the handles of the tensors in `values` that require gradients. The copies belong to a node of the
-- graph with the function `gradient`, which takes and returns a list of gradients by position in `values`. Other values
-- stay the same. The second result maps positions to the shapes of these tensors, and is empty if there are none.
local function pass_through(values, gradient)
  local tensors, views, places, shapes = {}, {}, {}, {n = values.n}
  values = table.pack(table.unpack(values, 1, values.n))
  for i = 1, values.n do
    local x = values[i]
    if has_gradient(x) then
      tensors[#tensors + 1], views[#views + 1], places[#places + 1] = x, x:detach(), i
      values[i], shapes[i] = views[#views], {shape = x.shape}
    end
  end
  if #tensors == 0 then return values, shapes end
  local row = help.attach("BackwardHook", tensors, views, function(g)
    local all = {n = values.n}
    if #places == 1 then g = {g} end
    for k, i in ipairs(places) do all[i] = g[k] end
    all = gradient(all)
    local list = {}
    for k, i in ipairs(places) do list[k] = all[i] end
    return list
  end)
  function row.let_go() end                  -- the rule is a script's: the pass frees no tensor that a hook may keep
  return values, shapes
end

local function copied(list) return table.move(list, 1, #list, 1, {}) end

-- Starts to watch a call of a module with backward hooks. Returns the state of this call, and the arguments to use.
local function watch_inputs(module, list, inputs)
  local pass = {module = module, hooks = copied(list)}
  inputs, pass.inputs = pass_through(inputs, function(gradients) return call_backward_hooks(pass, gradients) end)
  return pass, inputs
end

-- True if no argument of the watched call requires gradients.
local function is_first(pass)
  for i = 1, pass.inputs.n do
    if pass.inputs[i] then return false end
  end
  return true
end

-- Makes the results of the call part of the state `pass`, and returns the results to use. A backward pass reaches the
-- gradients of the results first. They are kept for the hooks, which run as soon as the gradients of the inputs are
-- known, or at once if no input requires gradients.
local function watch_outputs(pass, outputs)
  local first = is_first(pass)
  return (pass_through(outputs, function(gradients)
    pass.gradients = gradients
    if first then call_backward_hooks(pass, {n = pass.inputs.n}) end
    return gradients
  end))
end

-- Raises an error if a result is a plain table with tensors that require gradients. The hooks would not see these
-- gradients.
local function check_results(module, outputs)
  for i = 1, outputs.n do
    for _, x in next, core.type_name(outputs[i]) == "table" and outputs[i] or {} do
      if has_gradient(x) then
        args.fail("register_full_backward_hook", "result %d of %s is a table of tensors; the hook sees only the "
                  .. "gradients of tensors that are results themselves", i, module:_label())
      end
    end
  end
end

-- ---- calls ----

-- Calls a hook with a module and more arguments. Returns the list of the hook's results, or `values` if the hook
-- returned nothing or nil.
local function replace(hook, values, module, ...)
  local made = table.pack(blame.call_back(hook.fn, module, ...))
  return made[1] ~= nil and made or values
end

-- Calls a module with the hooks `own`.
local function call_with(own, class, module, ...)
  local inputs, pass = table.pack(...), nil
  for _, hook in ipairs(copied(own.pre)) do inputs = replace(hook, inputs, module, inputs) end
  if own.backward[1] and ag.mode() then pass, inputs = watch_inputs(module, own.backward, inputs) end
  local outputs = table.pack(class.__call(module, table.unpack(inputs, 1, inputs.n)))
  for _, hook in ipairs(copied(own.forward)) do
    outputs = replace(hook, outputs, module, inputs, table.unpack(outputs, 1, outputs.n))
  end
  if pass then
    check_results(module, outputs)
    outputs = watch_outputs(pass, outputs)
  end
  return table.unpack(outputs, 1, outputs.n)
end

-- Returns the variant of a class for modules with hooks. Sequential frees the results of layers whose method `forward`
-- is in layer.keeps_nothing. A hook may keep these results, so the variant has another method `forward`.
local function variant_of(class)
  local made = variants[class]
  if made then return made end
  made = {class_name = class.class_name, base = class, _without_hooks = class}
  for key, value in pairs(class) do
    if type(key) == "string" and key:find "^__" then made[key] = value end
  end
  function made.__call(module, ...)
    local own = hooks_of[module]
    if not own then return class.__call(module, ...) end     -- a script gave the metatable to another table
    return call_with(own, class, module, ...)
  end
  made.__index = setmetatable({}, {__index = class})
  if layer.keeps_nothing[class.forward] then
    made.__index.forward = function(...) return class.forward(...) end
  end
  variants[class] = made
  return made
end

-- ---- handles ----

local Handle = {class_name = "HookHandle", __name = "hook"}
Handle.__index = Handle

--- Removes the hook. A second call does nothing. While the module runs, its hooks stay the same until the call ends.
-- @function HookHandle:remove
function Handle:remove()
  local own = hooks_of[self.module]
  for i, hook in ipairs(own and own[self.kind] or {}) do
    if hook == self.hook then table.remove(own[self.kind], i) end
  end
  if own and not (own.pre[1] or own.forward[1] or own.backward[1]) then
    hooks_of[self.module] = nil
    setmetatable(self.module, fields.class_of(self.module))
  end
end

arity.class(Handle, nil, "handle")

-- Adds a hook of a kind to a module.
local function add(name, kind, module, fn)
  blame.check_function(name, fn)
  local own = hooks_of[module]
  if not own then
    own = {pre = {}, forward = {}, backward = {}}
    hooks_of[module] = own
    setmetatable(module, variant_of(getmetatable(module)))
  end
  local hook = {fn = fn}
  table.insert(own[kind], hook)
  return setmetatable({module = module, kind = kind, hook = hook}, Handle)
end

--- Makes each call of the module call `fn(module, inputs)` before its forward. `inputs` is the list of the arguments,
-- and `inputs.n` is their number. What fn returns replaces the arguments, unless fn returns nothing or nil.
--
-- Hooks run only in calls of the module, `layer(x)`, and not in `layer:forward(x)`. An error in a hook is raised by the
-- call. Replays of lt.compile call no hooks: they repeat the operations of the recorded call, with those of its hooks.
-- Hooks belong to one module: they are not saved, and copies of the module have none.
-- @function Module:register_forward_pre_hook
-- @tparam function fn
-- @treturn HookHandle with the method `remove`, which removes the hook
function hooks.register_forward_pre_hook(self, fn) return add("register_forward_pre_hook", "pre", self, fn) end

--- Makes each call of the module call `fn(module, inputs, output, …)` after its forward. `inputs` is the list of the
-- arguments, and the results of the forward follow. What fn returns replaces the results, unless fn returns nothing or
-- nil. Calls and hooks are as in Module:register_forward_pre_hook.
--
--     local activation
--     local handle = model[2]:register_forward_hook(function(_, _, y) activation = y:detach() end)
--     model(x)
--     handle:remove()
--
-- @function Module:register_forward_hook
-- @tparam function fn
-- @treturn HookHandle with the method `remove`
function hooks.register_forward_hook(self, fn) return add("register_forward_hook", "forward", self, fn) end

--- Makes each backward pass through a call of the module call `fn(module, grad_inputs, grad_outputs)`. The two lists
-- hold the gradients of the arguments and of the results, with nil for those without gradients. If fn returns a list,
-- its gradients replace grad_inputs. For a module of one argument fn may return a tensor. fn must not change the
-- gradients in place.
--
-- The hook applies to calls while gradients are recorded. If no argument requires gradients, as for the first layer of
-- a network, fn runs when the gradients of the results are known, and grad_inputs is empty. The results of the module
-- are then views, which no operation may change in place. A call raises an error if a result is a table of
-- tensors that require gradients.
-- @function Module:register_full_backward_hook
-- @tparam function fn
-- @treturn HookHandle with the method `remove`
function hooks.register_full_backward_hook(self, fn)
  return add("register_full_backward_hook", "backward", self, fn)
end

return arity.class(hooks)
