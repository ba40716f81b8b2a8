--- The fields of modules: modules, parameters and buffers, in the order of their assignment.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"

local fields = {}

function fields.is_module(value)
  if type(value) ~= "table" or not rawget(value, "_known") then return false end
  local class = getmetatable(value)
  return type(class) == "table" and class.class_name ~= nil
end

-- Notes a field, in the order of first assignments. The order remains if the field was nil in between.
function fields.note(self, name)
  if self._known[name] then return end
  self._known[name] = true
  self._names[#self._names + 1] = name
end

-- The tables in which a module keeps the facts about its fields. The tables refer to each other, so that a script's
-- field that replaces one is noticed.
function fields.new()
  local known = {}
  return {training = true, _names = {of = known}, _known = known, _parameters = {}, _buffers = {}}
end

-- Checks a name. Names in the state are joined by dots, so a name must not contain one.
function fields.check_name(self, name, what)
  local is_name = type(name) == "string" and name ~= "" and not name:find(".", 1, true)
  if is_name or math.type(name) == "integer" then return end
  blame.fail(self.class_name, "%s cannot have the name %s: a string without dots expected, or an integer", what,
             type(name) == "string" and ("%q"):format(name) or tostring(name))
end

local function is_leaf(x) return core.is_tensor(x) and not core.gone(x) and x.requires_grad and x.is_leaf end

-- ---- plain tables ----

local MOST_DEPTH <const>, MOST_ENTRIES <const> = 8, 1000       -- bounds of the search in plain tables

-- A module or a parameter in plain tables that `is_known` does not know, or nil.
local function find_hidden(value, is_known, seen, depth)
  if fields.is_module(value) or is_leaf(value) then return not is_known(value) and value or nil end
  if type(value) ~= "table" or getmetatable(value) or seen[value] or depth > MOST_DEPTH then return nil end
  seen[value] = true
  for _, item in next, value do
    seen.count = seen.count + 1
    if seen.count > MOST_ENTRIES then return nil end
    local kind = type(item)
    local found = (kind == "table" or kind == "userdata") and find_hidden(item, is_known, seen, depth + 1)
    if found then return found end
  end
end

local function nobody() return false end

--- Raises an error if a field is a plain table with modules or parameters, because walks would not find them.
-- @tparam Module self
-- @param name
-- @param value
-- @tparam[opt] function is_known (x): true if the walk finds x elsewhere
function fields.check_plain(self, name, value, is_known)
  if type(value) ~= "table" or getmetatable(value) then return end
  local found = find_hidden(value, is_known or nobody, {count = 0}, 1)
  if not found then return end
  local modules = fields.is_module(found)
  blame.fail(self.class_name, "field %q is a plain table of %s, whose parameters nobody would find; use %s",
             tostring(name), modules and "modules" or "parameters",
             modules and "nn.ModuleList or nn.ModuleDict" or "nn.ParameterList")
end

-- ---- assignment ----

fields.methods = {}         -- names of methods that modules themselves need: the functions of nn.Module

-- A method may be replaced in one module, as its own forward, but only by a function.
local function check_method(self, name, value)
  if fields.methods[name] and value ~= nil and type(value) ~= "function" then
    blame.fail(self.class_name, "%q is a method of modules: no field can have this name", name)
  end
end

-- Checks a field while a constructor runs. Later, a field may well hold a result of the forward.
local function check_made(self, name, value)
  if rawget(self, "_making") and core.is_tensor(value) and not core.gone(value) and not value.is_leaf then
    blame.fail(self.class_name, "field %q is the result of %s: only leaves are trained; use "
               .. ":detach():requires_grad_(), or nn.Parameter", tostring(name), value.grad_fn)
  end
end

--- For each module: the module of which it is a field, if known. Only errors read it.
fields.parents = setmetatable({}, {__mode = "kv"})

--- Notes a module as the parent of the modules in its fields. Other tables are no parents.
function fields.note_children(module)
  if not fields.is_module(module) then return end
  for _, value in next, module do
    if fields.is_module(value) then fields.parents[value] = module end
  end
end

-- Assigns a field. The value stays as it is; its place in the order, and whether it is a parameter, are noted.
function fields.assign(self, name, value)
  check_method(self, name, value)
  local is_parameter = is_leaf(value)
  if is_parameter or fields.is_module(value) then
    fields.check_name(self, name, is_parameter and "a parameter" or "a module")
  else
    check_made(self, name, value)
    fields.check_plain(self, name, value)
  end
  if fields.is_module(value) then fields.parents[value] = self end
  if is_parameter and not self._buffers[name] then self._parameters[name] = value end
  fields.note(self, name)
  rawset(self, name, value)
end

-- Checks a field that may have been reassigned: __newindex does not see assignments to existing fields, so walks check
-- them again.
local function check_parameter(self, name, value)
  local known = self._parameters[name]
  if core.gone(value) then
    if known then blame.fail(self.class_name, "%s: %s", tostring(name), core.gone(value)) end
    return
  end
  if rawequal(known, value) or self._buffers[name] then return end
  if is_leaf(value) or known == false and value.is_leaf then
    self._parameters[name] = value
  elseif known ~= nil then
    blame.fail(self.class_name, "parameter %q was replaced by %s: it would not be trained; use nn.Parameter(x)",
               tostring(name), value.is_leaf and "a tensor that does not require gradients"
               or ("the result of %s"):format(value.grad_fn))
  end
end

--- Checks all fields: raises an error for values that __newindex could not see.
function fields.check(self)
  local names = self._names
  if type(names) ~= "table" or names.of ~= self._known or type(self._parameters) ~= "table"
     or type(self._buffers) ~= "table" then
    blame.fail(self.class_name, "fields _names, _known, _parameters and _buffers are the module's own")
  end
  if type(self.training) ~= "boolean" then
    blame.fail(self.class_name, "field \"training\" must be true or false, it is a %s; use :train() and :eval()",
               core.type_name(self.training))
  end
  for _, name in ipairs(names) do
    local value = rawget(self, name)
    if core.is_tensor(value) then check_parameter(self, name, value) end
    check_method(self, name, value)
  end
end

-- True if this field is a parameter.
function fields.is_parameter(self, name, value)
  return self._parameters[name] ~= nil and not self._buffers[name] and core.is_tensor(value)
end

function fields.is_buffer(module, name) return module._buffers[name] ~= nil end

function fields.is_state(module, name, x)
  return fields.is_buffer(module, name) or fields.is_parameter(module, name, x)
end

--- True if the tensor belongs to the saved state.
function fields.is_saved(module, name, x)
  local buffer = module._buffers[name]
  if buffer then return buffer == "saved" end
  return fields.is_parameter(module, name, x)
end

return fields
