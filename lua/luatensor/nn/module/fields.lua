--- The fields of modules: which are modules, parameters, buffers, and in what order they came.

local core = require "luatensor.core"
local blame = require "luatensor.autograd.blame"

local fields = {}

function fields.is_module(value)
  if type(value) ~= "table" or not rawget(value, "_known") then return false end
  local class = getmetatable(value)
  return type(class) == "table" and class.class_name ~= nil
end

-- Notes a field in the order of first assignments; also one that was nil in between.
function fields.note(self, name)
  if self._known[name] then return end
  self._known[name] = true
  self._names[#self._names + 1] = name
end

-- Names of the state are joined by dots.
function fields.check_name(self, name, what)
  local is_name = type(name) == "string" and name ~= "" and not name:find(".", 1, true)
  if is_name or math.type(name) == "integer" then return end
  blame.fail(self.class_name, "%s cannot have the name %s: a string without dots expected, or an integer", what,
             type(name) == "string" and ("%q"):format(name) or tostring(name))
end

local function is_leaf(x) return core.is_tensor(x) and not core.gone(x) and x.requires_grad and x.is_leaf end

-- Nobody would find what a plain table has.
local function check_plain(self, name, value)
  if type(value) ~= "table" or getmetatable(value) then return end
  local _, first = next(value)
  if fields.is_module(first) or is_leaf(first) then
    local modules = fields.is_module(first)
    blame.fail(self.class_name, "field %q is a plain table of %s, whose parameters nobody would find; use %s",
               tostring(name), modules and "modules" or "parameters",
               modules and "nn.ModuleList or nn.ModuleDict" or "nn.ParameterList")
  end
end

-- Fields are kept as they are; what is noted is their order, and which are parameters.
function fields.assign(self, name, value)
  local is_parameter = is_leaf(value)
  if is_parameter or fields.is_module(value) then
    fields.check_name(self, name, is_parameter and "a parameter" or "a module")
  else
    check_plain(self, name, value)
  end
  if is_parameter and not self._buffers[name] then self._parameters[name] = true end
  fields.note(self, name)
  rawset(self, name, value)
end

-- Is this field a parameter? Of fields that have a value __newindex sees no other assignment.
function fields.is_parameter(self, name, value)
  if self._buffers[name] or not core.is_tensor(value) then return false end
  if not self._parameters[name] and is_leaf(value) then self._parameters[name] = true end
  return self._parameters[name] and value.is_leaf or false
end

function fields.is_buffer(module, name) return module._buffers[name] ~= nil end

function fields.is_state(module, name, x)
  return fields.is_buffer(module, name) or fields.is_parameter(module, name, x)
end

--- Is it part of what is saved?
function fields.is_saved(module, name, x)
  local buffer = module._buffers[name]
  if buffer then return buffer == "saved" end
  return fields.is_parameter(module, name, x)
end

return fields
