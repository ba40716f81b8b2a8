--- The base class of optimisers: groups of parameters, their state, and how both are saved.

local args = require "luatensor.base.args"
local missing = require "luatensor.base.missing_methods"
local arity = require "luatensor.base.arity"
local core = require "luatensor.core"
local engine = require "luatensor.autograd.engine"
local lists = require "luatensor.base.lists"
local blame = require "luatensor.base.blame"
local options = require "luatensor.optim.options"
local saving = require "luatensor.optim.state"
local fields = require "luatensor.nn.module.fields"

local copy = saving.copy

local updates = core.updates
local add, misfit = updates.add, updates.misfit
-- gradient(p) returns p.grad, but does not mark this tensor as seen by scripts, so that zero_grad can free it.
local gradient = core.autograd.gradient

--- Optimisers change parameters so that a loss becomes smaller, by the gradients from `loss:backward()`:
--
--     local opt = optim.Adam(model:parameters(), {lr = 1e-3})
--     for x, y in loader:batches() do
--       opt:zero_grad()
--       nn.functional.cross_entropy(model(x), y):backward()
--       opt:step()
--     end
--
-- Parameters are a list of tensors, or a list of groups with options of their own, `{{params = list, lr = 0.1}, …}`.
-- All parameters are updated in place, in one call of each device; parameters without a gradient do not change.
-- `opt.param_groups[i].lr` may be set at any time. Formulas, names and defaults are PyTorch's. Steps do not wait for
-- a GPU. A step can be part of a captured graph (`lt.graph`): each replay is the optimiser's next step, with its
-- current rates, so that schedulers work as usual. L-BFGS reads values and cannot be captured.
-- @type Optimizer
local Optimizer = {}
Optimizer.__index = Optimizer

local function fail(self, message, ...) blame.fail(self.name, message, ...) end
local function check_self(self, name) saving.check_self(self, "index", name, "optimizer") end
Optimizer.fail = fail

--- True if value is an optimiser.
-- @function optim.is_optimizer
-- @param value any value
-- @treturn boolean
function Optimizer.is(value)
  local meta = type(value) == "table" and getmetatable(value)
  return type(meta) == "table" and rawget(meta, "is_optimizer") == true
end

-- ---- groups ----

-- Raises an error unless p, parameter i, is a leaf of floats that the optimiser does not have yet. `index` maps each
-- new parameter that was checked before p to its number.
local function check_parameter(self, i, p, index)
  if not core.is_tensor(p) then fail(self, "parameter %d: tensor expected, got %s", i, core.type_name(p)) end
  local gone = core.gone(p)
  if gone then fail(self, "parameter %d: %s", i, gone) end
  if not p.is_leaf then
    fail(self, "parameter %d is the result of %s: only leaves can be trained; use :detach()", i, p.grad_fn)
  end
  if not p.dtype:find("float") then fail(self, "parameter %d is of dtype %s: floats are trained", i, p.dtype) end
  local before = self.index[p] or index[p]
  if before then fail(self, "parameter %d is parameter %d, too: each is updated once", i, before) end
end

local function check_no_module(self, value)
  if fields.is_module(value) then fail(self, "this is a module; use model:parameters()") end
end

local function parameter_list(self, params)
  if core.is_tensor(params) then params = {params} end
  check_no_module(self, params)
  if core.type_name(params) ~= "table" then
    fail(self, "a list of parameters expected, such as model:parameters(), got %s", core.type_name(params))
  end
  local list = table.move(args.check(self.name, "parameters", params, "list"), 1, #params, 1, {})
  if #list == 0 then fail(self, "the list of parameters is empty") end
  return list
end

-- Returns a table that maps each of the new parameters to its number, and the number to the parameter. All parameters
-- are checked before any is added.
local function new_index(self, params)
  local index, n = {}, #self.index
  for k, p in ipairs(params) do
    check_parameter(self, n + k, p, index)
    index[n + k] = p
    index[p] = n + k
  end
  return index
end

--- Adds a group: its parameters, and the options that differ from the optimiser's options.
-- @tab group `params`: a list of tensors; options by name
function Optimizer:add_param_group(group)
  check_self(self, "add_param_group")
  check_no_module(self, group)
  if type(group) ~= "table" or core.is_tensor(group) then
    fail(self, "a group is a table with params, got %s", core.type_name(group))
  end
  if group.params == nil then fail(self, "parameters expected, such as model:parameters(), or groups with params") end
  local known, given = {params = true}, {}
  for key in pairs(self.rows) do known[key] = true end
  args.options(self.name, group, known)
  for key in pairs(self.rows) do
    given[key] = group[key]
    if given[key] == nil then given[key] = self.defaults[key] end
  end
  local made = args.read(self.name, given, self.rows)
  self:check(made, #self.param_groups + 1)
  made.params = parameter_list(self, group.params)
  for i, p in pairs(new_index(self, made.params)) do self.index[i] = p end
  self.param_groups[#self.param_groups + 1] = made
end

-- Raises an error if the options of a group do not fit together. Classes override this method, which does nothing
-- here.
function Optimizer:check() end                                          -- luacheck: ignore 212

-- Returns the state of a parameter before its first step: a table, here empty. Classes override this method.
function Optimizer:start() return {} end                                -- luacheck: ignore 212

-- Classes whose state has other numbers than `step` have a function advance(state), which is called after an update.
Optimizer.advance = false

local function is_groups(params)
  return core.type_name(params) == "table" and type(params[1]) == "table"
end

local function new(class, params, given)
  local self = setmetatable({param_groups = {}, state = {}, index = {}}, class)
  self.defaults = args.read(self.name, given, class.rows)
  if is_groups(params) then args.check(self.name, "groups", params, "list") end
  for _, group in ipairs(is_groups(params) and params or {{params = parameter_list(self, params)}}) do
    self:add_param_group(group)
  end
  return self
end

--- Makes a class of optimisers. `rows` are its options, as for args.read. The class must have the method `update(p,
-- state, group)`, which returns a rule of core.updates.rules and the numbers of p's next step. The class may override
-- `start(p, group)`, which makes the state of a parameter. Each update adds 1 to the state's number `step`, if there is
-- one, and then calls the class's function `advance(state)`, if there is one.
-- @string name of the class
-- @tab rows the kind of each option by its name
-- @treturn table the class
function Optimizer.class(name, rows)
  local class = {name = name, rows = rows, is_optimizer = true, __tostring = Optimizer.__tostring}
  class.__index = class
  class.__name = "optimizer"
  return setmetatable(class, {__index = Optimizer, __call = arity.method(name, new), __name = "class"})
end

-- ---- steps ----

local function check_there(self, p)
  local gone = core.gone(p)
  if gone then fail(self, "parameter %d: %s", self.index[p], gone) end
end

-- Sets a gradient to 0 in place.
local function clear(g)
  local _ <close> = engine.recording(false)
  g:zero_()
end

--- Clears the gradients of all parameters.
-- @tparam[opt] table given `set_to_none` (true): the gradients become nil; false: they become 0
function Optimizer:zero_grad(given)
  check_self(self, "zero_grad")
  local keeps = given and args.options("zero_grad", given, {set_to_none = true}).set_to_none == false
  for _, group in ipairs(self.param_groups) do
    for _, p in ipairs(group.params) do
      check_there(self, p)
      local g = keeps and gradient(p)
      if not keeps then
        p.grad = nil
      elseif g and core.capturing() then                     -- replays read and write the memory of the capture
        clear(g)
      elseif g then
        p.grad = core.zeros_like(g)
      end
    end
  end
end

-- Raises an error if the type of a group's option differs from the type of its default, because a script has changed
-- the option.
function Optimizer:check_types(group)
  for key, row in pairs(self.rows) do
    local first, value = args.default(row), group[key]
    if value ~= first and first ~= nil and (type(value) ~= type(first) or type(value) == "table"
                         and (type(value[1]) ~= type(first[1]) or type(value[2]) ~= type(first[2]))) then
      args.check(self.name, key, value, row)
    end
  end
end

-- Raises an error while a graph is captured: its replays would make new tensors of a state again.
function Optimizer:check_lasting()
  if core.capturing() then
    fail(self, "make a step before the one that is captured: it makes what the optimiser keeps")
  end
end

-- Makes the state of a parameter before its first step. Returns nil if the parameter has no gradient, or if another
-- process keeps its state (optim.Sharded).
local function first_state(self, p, group)
  if self.owned and not self.owned[p] then return nil end
  local problem = misfit(p)
  if problem then fail(self, "parameter %d: %s", self.index[p], problem) end
  if problem == false then return nil end
  self:check_lasting()
  self.state[p] = self:start(p, group)
  return self.state[p]
end

-- Adds the updates of a group's parameters to a batch of n updates. Returns the new n. While a graph is captured, adds
-- the parameters that the graph will update to the list `steps`; otherwise `steps` is false.
local function add_group(self, group, batch, n, steps)
  local states, params, update = self.state, group.params, self.update
  for k = 1, #params do
    local p = params[k]
    local state = states[p] or first_state(self, p, group)
    if state then
      n = n + 1
      add(batch, n, p, state, update(self, p, state, group))
      if steps and misfit(p) == nil and updates.captures(p) then
        steps[#steps + 1] = {p = p, state = state, group = group, numbers = {}}
      end
    end
  end
  return n
end

-- Corrects a state that prevents the update of parameter p. The state's tensors are converted to p's dtype and moved to
-- p's device, and tensors are added for options that the script set later, such as amsgrad.
local function mend(self, p, state, group)
  self:check_lasting()
  for name, x in pairs(state) do
    if core.is_tensor(x) then state[name] = x:to(p.dtype, p.device) end
  end
  for name, x in pairs(self:start(p, group)) do
    if state[name] == nil then state[name] = x end
  end
end

-- Returns the group of parameter p.
local function group_of(self, p)
  for _, group in ipairs(self.param_groups) do
    for _, q in ipairs(group.params) do if rawequal(p, q) then return group end end
  end
end

-- Makes the n updates of a batch, or raises an error.
local function run(self, batch, n)
  local problem, p, state = updates.run(batch, n, self.advance)
  while problem == "state" do
    local mended = state
    mend(self, p, state, group_of(self, p))
    problem, p, state = updates.run(batch, n, self.advance)
    if problem == "state" and state == mended then problem = "its state does not fit it" end
  end
  if problem then fail(self, "parameter %d: %s", self.index[p], problem) end
end

-- ---- replays of captured steps ----

-- Copies the numbers of a table, such as the number of the step in a state.
local function copy_numbers(to, from)
  for name, x in pairs(from) do
    if type(x) == "number" then to[name] = x end
  end
end

-- Restores the numbers of the states if a replay fails after its steps were counted.
local function undo_steps(steps)
  for k = 1, steps.counted and #steps or 0 do copy_numbers(steps[k].state, steps[k].numbers) end
end

-- Gives the graph the numbers of the next step, in the order of the capture.
local function replay_steps(self, steps)
  local batch = updates.new(nil, #steps)
  steps.counted = false
  for k = 1, #self.param_groups do self:check_types(self.param_groups[k]) end
  for k, step in ipairs(steps) do
    if self.state[step.p] ~= step.state then
      fail(self, "parameter %d: its state was replaced since the graph was captured; capture it again",
           self.index[step.p])
    end
    copy_numbers(step.numbers, step.state)
    add(batch, k, step.p, step.state, self:update(step.p, step.state, step.group))
  end
  local problem, p = updates.run(batch, #steps, self.advance)
  if problem then
    fail(self, "parameter %d: %s since the graph was captured; capture it again", self.index[p], problem)
  end
  steps.counted = true
end

--- Updates all parameters that have a gradient. If a parameter was freed or does not fit its gradient, an error is
-- raised, and no parameter is updated.
-- @tparam[opt] function closure computes the loss and its gradients again, and returns the loss
-- @return the closure's result
function Optimizer:step(closure)
  check_self(self, "step")
  local loss
  if closure then
    blame.check_function("step", closure)
    loss = closure()
  end
  local groups, most = self.param_groups, 0
  for k = 1, #groups do
    self:check_types(groups[k])
    most = most + #groups[k].params
  end
  local batch, n, steps = updates.new(self.spare, most), 0, core.capturing() and {}
  self.spare = nil                                           -- a finalizer may make a step in the middle of this one
  for k = 1, #groups do n = add_group(self, groups[k], batch, n, steps) end
  run(self, batch, n)
  self.spare = batch
  if steps then core.before_replay(function() replay_steps(self, steps) end, function() undo_steps(steps) end) end
  return loss
end

-- ---- state ----

--- Returns the state of the optimiser, without parameters and gradients. `class`: the optimiser's name. `state`: for
-- each parameter's number a table of tensors (which share the optimiser's memory) and numbers; empty before the first
-- step. `param_groups`: the options, the numbers of the parameters as `params`, and their shapes as `shapes`.
-- @treturn table the state
function Optimizer:state_dict()
  check_self(self, "state_dict")
  local dict = {class = self.name, state = {}, param_groups = {}}
  for i, p in ipairs(self.index) do
    dict.state[i] = {}
    for name, value in pairs(self.state[p] or {}) do dict.state[i][name] = copy(value) end
  end
  for k, group in ipairs(self.param_groups) do
    local saved = {params = {}, shapes = {}}
    for name, value in pairs(group) do if name ~= "params" then saved[name] = copy(value) end end
    for i, p in ipairs(group.params) do
      saved.params[i] = self.index[p]
      saved.shapes[i] = copy(p.shape)
    end
    dict.param_groups[k] = saved
  end
  return dict
end

-- Returns a copy of a state's value for parameter p, number i, with p's dtype and device.
function Optimizer:adapt(i, p, name, value)
  if not core.is_tensor(value) then return copy(value) end
  if not lists.same(value.shape, p.shape) then
    fail(self, "load_state_dict: %s of parameter %d has shape %s, the parameter %s", name, i,
         args.shape_text(value.shape), args.shape_text(p.shape))
  end
  return value:detach():to(p.dtype, p.device):clone()
end

Optimizer.check_first, Optimizer.check_state = saving.first_of, saving.check_entries

local function adapted_state(self, dict)
  local states, first = {}, self:check_first()
  for k, group in ipairs(self.param_groups) do
    for j, p in ipairs(group.params) do
      local i = dict.param_groups[k].params[j]
      local saved = dict.state[i]
      if saved ~= nil and type(saved) ~= "table" then
        fail(self, "load_state_dict: the state of parameter %s: table expected, got %s", tostring(i),
             core.type_name(saved))
      end
      if saved and next(saved) ~= nil then
        self:check_state(i, saved, first)
        states[p] = {}
        for name, value in pairs(saved) do states[p][name] = self:adapt(i, p, name, value) end
      end
    end
  end
  return states
end

--- Restores a copy of the state from state_dict. If a value does not fit, nothing changes.
-- @tab dict a result of state_dict
-- @raise if the state is of another class, if groups, parameters or shapes differ, or if the constructor refuses a
--   value
function Optimizer:load_state_dict(dict)
  check_self(self, "load_state_dict")
  saving.check_groups(self, dict)
  local made = {}
  for k in ipairs(self.param_groups) do made[k] = saving.options_of(self, k, dict) end
  self.state = adapted_state(self, dict)
  for k, group in ipairs(self.param_groups) do
    for name, value in pairs(made[k]) do group[name] = value end
  end
end

-- ---- printing ----

--- Returns the optimiser as text: for each group, its number of parameters and its options.
function Optimizer:__tostring()
  local lines = {}
  for _, group in ipairs(self.param_groups) do
    local all = {}
    for name, value in pairs(group) do if name ~= "params" then all[name] = value end end
    lines[#lines + 1] = ("%s(%d parameters: %s)"):format(self.name, #group.params, options.list_text(all))
  end
  return table.concat(lines, "\n")
end

local known = {step = true, zero_grad = true, state_dict = true, load_state_dict = true, add_param_group = true}

return setmetatable(Optimizer, {__index = missing.finder("optimiser", known)})
