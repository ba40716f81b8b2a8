--- Records which fields of a module of nn are modules, parameters or buffers, in the order of their first assignment,
-- and checks the values of these fields.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"

local fields = {}

function fields.is_module(value)
  if type(value) ~= "table" or not rawget(value, "_known") then return false end
  local class = getmetatable(value)
  return type(class) == "table" and class.class_name ~= nil
end

--- Returns the class of a value, which is not its metatable if the value is a module with hooks.
function fields.class_of(value)
  local class = getmetatable(value)
  return type(class) == "table" and rawget(class, "_without_hooks") or class
end

-- Records a field in the order of first assignments. A field that was nil in between keeps its position.
function fields.note(self, name)
  if self._known[name] then return end
  self._known[name] = true
  self._names[#self._names + 1] = name
end

-- Returns the tables of a new module in which its fields are recorded. _names.of refers to _known, so that
-- fields.check notices if a script's field has replaced one of the two tables.
function fields.new()
  local known = {}
  return {training = true, _names = {of = known}, _known = known, _parameters = {}, _buffers = {}}
end

-- Raises an error unless name can be a name in the state: an integer, or a string without dots, because dots join
-- names in the state.
function fields.check_name(self, name, what)
  local is_name = type(name) == "string" and name ~= "" and not name:find(".", 1, true)
  if is_name or math.type(name) == "integer" then return end
  blame.fail(self.class_name, "%s cannot have the name %s: a string without dots expected, or an integer", what,
             type(name) == "string" and ("%q"):format(name) or tostring(name))
end

local function is_leaf(x) return core.is_tensor(x) and not core.gone(x) and x.requires_grad and x.is_leaf end

-- ---- plain tables ----

local MOST_DEPTH <const>, MOST_ENTRIES <const> = 8, 1000       -- the search of plain tables stops at these bounds

-- Searches `value`, and plain tables inside of it, for a module or a parameter x for which is_known(x) is false.
-- Returns x, or nil if the search finds none. `seen` is the set of the tables that were searched, and seen.count the
-- number of their entries.
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

--- Raises an error if a field is a plain table with modules or parameters, because no traversal would find them.
-- @tparam Module self
-- @param name name of the field
-- @param value value of the field
-- @tparam[opt] function is_known is_known(x) is true if the traversal finds x elsewhere
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

fields.methods = {}         -- set of the names of nn.Module's methods; fields of these names may only contain functions

-- Raises an error if a field with a method's name gets a value other than a function. A function may replace a
-- method, such as forward, in one module.
local function check_method(self, name, value)
  if fields.methods[name] and value ~= nil and type(value) ~= "function" then
    blame.fail(self.class_name, "%q is a method of modules: no field can have this name", name)
  end
end

-- Raises an error if a constructor assigns a result of ops to a field. After construction, a field may contain a
-- result of the forward.
local function check_made(self, name, value)
  if rawget(self, "_making") and core.is_tensor(value) and not core.gone(value) and not value.is_leaf then
    blame.fail(self.class_name, "field %q is the result of %s: only leaves are trained; use "
               .. ":detach():requires_grad_(), or nn.Parameter", tostring(name), value.grad_fn)
  end
end

--- Maps a module to its parent, a module that contains it in a field. Only error messages use this table. A module that
-- was assigned to an existing field is not in the table until a traversal finds it.
fields.parents = setmetatable({}, {__mode = "kv"})

--- Records a module as the parent of the modules in its fields. Does nothing if the argument is no module.
function fields.note_children(module)
  if not fields.is_module(module) then return end
  for _, value in next, module do
    if fields.is_module(value) then fields.parents[value] = module end
  end
end

-- Assigns the value to a field that does not exist yet. Records the field's position in the order of the fields, and
-- whether the value is a parameter. Raises an error for a name or a value that a field cannot have.
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

-- Checks a field that may have been reassigned. Lua does not call __newindex for assignments to existing fields, so
-- each traversal checks the fields again. A new leaf that requires gradients becomes the parameter.
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

--- Raises an error if a field has an unsuitable value, which a script assigned without a call of __newindex.
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

-- True if the field `name`, whose value is `value`, is a parameter.
function fields.is_parameter(self, name, value)
  return self._parameters[name] ~= nil and not self._buffers[name] and core.is_tensor(value)
end

function fields.is_buffer(module, name) return module._buffers[name] ~= nil end

function fields.is_state(module, name, x)
  return fields.is_buffer(module, name) or fields.is_parameter(module, name, x)
end

--- True if the tensor x in field `name` belongs to the saved state: a parameter, or a buffer that is saved.
function fields.is_saved(module, name, x)
  local buffer = module._buffers[name]
  if buffer then return buffer == "saved" end
  return fields.is_parameter(module, name, x)
end

return fields
