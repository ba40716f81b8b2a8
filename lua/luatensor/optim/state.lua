--- Checks of the states that scripts give to load_state_dict, and of self in methods. Optimisers, schedulers and
-- scalers share these checks.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lists = require "luatensor.base.lists"
local blame = require "luatensor.base.blame"

local state = {}

local function copy(value)
  return type(value) == "table" and table.move(value, 1, #value, 1, {}) or value
end
state.copy = copy

--- Raises an error if self lacks `field`. All objects with the method `name` have this field, so the script has called
-- the method with a dot in place of a colon. `call` is the object's name in the example of the error.
function state.check_self(self, field, name, call)
  if type(self) ~= "table" or rawget(self, field) == nil then
    blame.fail(name, "a method is called with a colon: %s:%s(…)", call, name)
  end
end

--- Raises an error if a state names another class than the object's class.
function state.check_class(self, dict)
  if dict.class ~= nil and dict.class ~= self.name then
    self:fail("load_state_dict: this is the state of %s", tostring(dict.class))
  end
end

-- ---- groups of an optimiser ----

-- True for a list of integers.
local function is_shape(value)
  if type(value) ~= "table" then return false end
  for _, length in ipairs(value) do
    if math.type(length) ~= "integer" then return false end
  end
  return true
end

-- Raises an error if a shape in a state differs from the parameter's shape. States of other programs may have no
-- shapes.
local function check_shapes(self, k, group, saved)
  for i, p in ipairs(group.params) do
    local shape = type(saved.shapes) == "table" and saved.shapes[i]
    if shape and not is_shape(shape) then
      self:fail("load_state_dict: the shape of parameter %d in group %d is no list of integers", i, k)
    elseif shape and not lists.same(shape, p.shape) then
      self:fail("load_state_dict: parameter %d has shape %s, that of the state %s", self.index[p],
                args.shape_text(p.shape), args.shape_text(shape))
    end
  end
end

local function check_count(self, k, group, saved)
  local n = type(saved) == "table" and type(saved.params) == "table" and #saved.params
  if n ~= #group.params then
    self:fail("load_state_dict: group %d has %d parameters, that of the state %s", k, #group.params, n or "none")
  end
end

-- Raises an error unless the numbers of parameters in a state's groups are distinct, and each number that has an
-- entry in dict.state occurs in a group.
local function check_numbers(self, dict)
  local seen = {}
  for _, saved in ipairs(dict.param_groups) do
    for _, i in ipairs(saved.params) do
      if not math.tointeger(i) then
        self:fail("load_state_dict: the state's groups have %s, which is no number of a parameter", tostring(i))
      end
      if seen[i] then self:fail("load_state_dict: the state's groups have parameter %s twice", tostring(i)) end
      seen[i] = true
    end
  end
  for i in pairs(dict.state) do
    if not seen[i] then self:fail("load_state_dict: no group of the state has its parameter %s", tostring(i)) end
  end
end

--- Raises an error unless the groups and parameters of a state match the groups and parameters of the optimiser.
function state.check_groups(self, dict)
  local groups = type(dict) == "table" and type(dict.state) == "table" and dict.param_groups
  if type(groups) ~= "table" then self:fail("load_state_dict: this is not the state of an optimiser") end
  state.check_class(self, dict)
  if #groups ~= #self.param_groups then
    self:fail("load_state_dict: the state has %d groups, the optimiser %d", #groups, #self.param_groups)
  end
  for k, group in ipairs(self.param_groups) do
    check_count(self, k, group, groups[k])
    check_shapes(self, k, group, groups[k])
  end
  check_numbers(self, dict)
end

local others = {params = true, shapes = true, initial_lr = true}

--- Returns the options of group k in the state, checked like options of the constructor.
function state.options_of(self, k, dict)
  local saved, given, made = dict.param_groups[k], {}, {}
  for key, value in pairs(saved) do
    if not self.rows[key] and not others[key] then
      if dict.class == nil then self:fail("load_state_dict: %s has no option %s", self.name, tostring(key)) end
      made[key] = copy(value)                                           -- an option that the script added
    end
  end
  for key in pairs(self.rows) do
    given[key] = saved[key]
    if given[key] == nil then given[key] = self.param_groups[k][key] end
  end
  local name = self.name .. ": load_state_dict"
  for key, value in pairs(args.read(name, given, self.rows)) do made[key] = value end
  if saved.initial_lr ~= nil then
    made.initial_lr = args.check(name, "initial_lr", saved.initial_lr, "nonnegative")
  end
  self:check(made, k)
  return made
end

-- ---- state of a parameter ----

--- Returns the state that the class makes at the first step of a parameter, as an example of the required entries. The
-- function takes the smallest parameter, to use little memory.
function state.first_of(self)
  local smallest = self.index[1]
  for _, p in ipairs(self.index) do if p.size < smallest.size then smallest = p end end
  return self:start(smallest, args.read(self.name, nil, self.rows))
end

local kind_of = core.type_name

local function check_number(self, i, name, x)
  if x ~= x or x < 0 and (name == "step" or name == "mu_product") or name == "step" and not math.tointeger(x) then
    self:fail("load_state_dict: %s of parameter %s cannot be %s", name, tostring(i), tostring(blame.plain(x)))
  end
end

--- Raises an error unless the state of parameter i has the entries of `first`, which the class needs, and contains
-- only tensors and numbers.
function state.check_entries(self, i, saved, first)
  for name, value in pairs(first) do
    local want, got = kind_of(value), kind_of(saved[name])
    if got == "nil" then self:fail("load_state_dict: %s of parameter %s is missing", name, tostring(i)) end
    if got ~= want then
      self:fail("load_state_dict: %s of parameter %s: %s expected, got %s", name, tostring(i), want, got)
    end
  end
  for name, value in pairs(saved) do
    local kind = kind_of(value)
    if kind ~= "tensor" and kind ~= "number" then
      self:fail("load_state_dict: %s of parameter %s: tensor or number expected, got %s", tostring(name), tostring(i),
                kind)
    end
    local gone = kind == "tensor" and core.gone(value)
    if gone then self:fail("load_state_dict: %s of parameter %s: %s", name, tostring(i), gone) end
    if kind == "number" then check_number(self, i, name, value) end
  end
end

return state
