--- The base class of the schedulers of learning rates.

local args = require "luatensor.base.args"
local arity = require "luatensor.base.arity"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local Optimizer = require "luatensor.optim.optimizer"
local options = require "luatensor.optim.options"
local saving = require "luatensor.optim.state"

local copy = saving.copy

--- A scheduler sets the learning rates of an optimiser's groups. The rates depend on the number of the scheduler's
-- steps:
--
--     local schedule = optim.scheduler.CosineAnnealingLR(opt, epochs)
--     for epoch = 1, epochs do
--       train(model, opt)
--       schedule:step()
--     end
--
-- The rate after t steps is a function of t and of `base`, the group's rate when the group got its first
-- scheduler (`initial_lr`), like PyTorch's closed forms. The next step overwrites a rate that the script or another
-- scheduler has set. To run several schedulers in sequence, use SequentialLR.
-- @type Scheduler
local Scheduler = {}
Scheduler.__index = Scheduler

function Scheduler:fail(message, ...) blame.fail(self.name, message, ...) end

local function check_self(self, name) saving.check_self(self, "optimizer", name, "schedule") end
Scheduler.check_self = check_self

-- Returns a list with a value for each group, from a list or from one value for all groups. `kind` is the kind of
-- value, as for args.check.
function Scheduler:each_group(what, value, kind)
  local groups, list = self.optimizer.param_groups, {}
  if args.is_options(value) then
    self:fail("%s: a value, or a list of one for each group, expected before the options", what)
  end
  if type(value) == "table" and #value ~= #groups then
    self:fail("%s: %d groups, but %d values", what, #groups, #value)
  end
  for k = 1, #groups do
    list[k] = args.check(self.name, what, type(value) == "table" and value[k] or value, kind)
  end
  return list
end

local function new(class, optimizer, ...)
  arity.check(class.name, class.init, 0, optimizer, ...)       -- `optimizer` takes the place of init's parameter self
  local self = setmetatable({optimizer = optimizer, last_epoch = 0, base_lrs = {}}, class)
  if not Optimizer.is(optimizer) then self:fail("optimiser expected, got %s", core.type_name(optimizer)) end
  for k, group in ipairs(optimizer.param_groups) do
    group.initial_lr = group.initial_lr or group.lr
    self.base_lrs[k] = group.initial_lr
  end
  self:init(...)
  self:apply(0)
  return self
end

local function is_saved(value)
  local kind = type(value)
  return kind == "number" or kind == "string" or kind == "boolean" or kind == "table" and type(value[1]) == "number"
end

local function fields_of(self)
  local all = {}
  for name, value in pairs(self) do if is_saved(value) then all[name] = copy(value) end end
  return all
end

-- Returns the text of a scheduler: "StepLR(base_lrs = {0.1}, gamma = 0.5, last_epoch = 0, step_size = 3)".
function Scheduler:text()
  local parts = {}
  for i, s in ipairs(self.schedulers or {}) do parts[i] = "\n  " .. tostring(s):gsub("\n", "\n  ") end
  return ("%s(%s)%s"):format(self.name, options.list_text(fields_of(self)), table.concat(parts))
end

--- Makes a class of schedulers. `rows` are its options, as for args.read; each option becomes a field. `arguments` maps
-- the names of the other fields in the state to their kinds; for a list, to the kind of its elements. Methods of the
-- class: `init(…, options)`, which checks the constructor's arguments and calls `self:read(options)`; `rate(base, t,
-- k)`, which returns the learning rate of group k after t steps.
function Scheduler.class(name, rows, arguments)
  local class = {name = name, rows = rows or {}, arguments = arguments or {}, __tostring = Scheduler.text}
  class.__index = class
  class.__name = "scheduler"
  return setmetatable(class, {__index = Scheduler, __call = new, __name = "class"})
end

-- Checks options, and copies them to fields of the scheduler.
function Scheduler:read(given)
  for key, value in pairs(args.read(self.name, given, self.rows)) do self[key] = value end
end

-- Returns an argument of a constructor, checked by args.check.
function Scheduler:argument(what, value, kind) return args.check(self.name, what, value, kind) end

Scheduler.init = Scheduler.read

-- Sets the learning rates of all groups to the rates after t steps.
function Scheduler:apply(t)
  for k, group in ipairs(self.optimizer.param_groups) do
    local base = self.base_lrs[k]
    if base == nil then                                   -- the group was added after the scheduler
      group.initial_lr = group.initial_lr or group.lr
      base = group.initial_lr
      self.base_lrs[k] = base
    end
    group.lr = self:rate(base, t, k)
  end
end

--- Proceeds to the next learning rate. Scripts call this method after each epoch, or, with OneCycleLR and CyclicLR,
-- after each batch.
function Scheduler:step()
  check_self(self, "step")
  self.last_epoch = self.last_epoch + 1
  self:apply(self.last_epoch)
end

--- Returns the current learning rates of the groups.
-- @treturn table a list of numbers
function Scheduler:get_last_lr()
  check_self(self, "get_last_lr")
  local list = {}
  for k, group in ipairs(self.optimizer.param_groups) do list[k] = group.lr end
  return list
end

--- Returns the state of the scheduler, without the optimiser and without functions. Field `class` is the scheduler's
-- name.
-- @treturn table the state
function Scheduler:state_dict()
  check_self(self, "state_dict")
  local dict = fields_of(self)
  dict.class = self.name
  return dict
end

local shared = {last_epoch = "natural", base_lrs = "nonnegative", max_lrs = "nonnegative"}

-- Returns a checked field of a state. Lists are checked element by element. A list with a number for each group,
-- whose name ends in "_lrs", must be neither empty nor longer than the list of groups.
local function checked(self, name, value)
  local fn, kind = self.name .. ": load_state_dict", shared[name] or self.arguments[name]
  if self.rows[name] then return args.check(fn, name, value, self.rows[name]) end
  if not kind then self:fail("load_state_dict: %s has no %s", self.name, tostring(name)) end
  if type(value) ~= type(self[name]) then
    self:fail("load_state_dict: %s: %s expected, got %s", name, core.type_name(self[name]), core.type_name(value))
  end
  if type(value) ~= "table" then return args.check(fn, name, value, kind) end
  local list, most = {}, name:find("_lrs$") and #self.optimizer.param_groups
  if most and (#value > most or #value == 0) then
    self:fail("load_state_dict: %s: %d groups, but %d values", name, most, #value)
  end
  for i, x in ipairs(args.check(fn, name, value, "list")) do
    list[i] = args.check(fn, ("%s[%d]"):format(name, i), x, kind)
  end
  return list
end

-- Returns the fields of a state after checking them.
function Scheduler:checked_state(dict)
  if type(dict) ~= "table" or math.type(dict.last_epoch) ~= "integer" then
    self:fail("load_state_dict: this is not the state of a scheduler")
  end
  saving.check_class(self, dict)
  local made = {}
  for name, value in pairs(dict) do
    if name ~= "class" and name ~= "schedulers" then made[name] = checked(self, name, value) end
  end
  for name in pairs(fields_of(self)) do
    local row = self.rows[name]
    if made[name] == nil and not (row and args.default(row) == nil) then
      self:fail("load_state_dict: %s is missing", name)
    end
  end
  return made
end

-- Updates values that depend on restored fields. Classes override this method.
function Scheduler:follow() end                                         -- luacheck: ignore 212

function Scheduler:take(made)
  for name, value in pairs(made) do self[name] = value end
  self:follow()
end

--- Restores the state from state_dict. If a value does not fit, nothing changes. The rates themselves are in the
-- optimiser's state.
-- @tab dict a result of state_dict
-- @raise if the state is of another class, or has values that the constructor refuses
function Scheduler:load_state_dict(dict)
  check_self(self, "load_state_dict")
  self:take(self:checked_state(dict))
end

return Scheduler
