--- nn.Module, the base class of layers and networks: tables with parameters that can be called.

local args = require "luatensor.base.args"
local arity = require "luatensor.base.arity"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local describe = require "luatensor.nn.module.describe"
local fields = require "luatensor.nn.module.fields"
local missing = require "luatensor.base.missing_methods"
local place = require "luatensor.nn.module.place"
local state = require "luatensor.nn.module.state"
local walking = require "luatensor.nn.module.walk"

--- The base class of all layers. To make a class of your own, write a constructor and a forward:
--
--     local Residual = nn.Module:extend "Residual"
--
--     function Residual:init(width)
--       self.first = nn.Linear(width, width)
--     end
--
--     function Residual:forward(x) return x + self.first(x):relu() end
--
--     local layer = Residual(64)
--     local y = layer(x)
--
-- A module that is assigned to a field becomes a child; a tensor that requires gradients becomes a parameter. Other
-- tensors become part of the state by `register_buffer`.
-- @function nn.Module
-- @treturn Module without fields
local Module = {}
Module.__index = Module
Module.class_name = "Module"

-- ---- classes ----

-- Does nothing if ok is true. Otherwise raises `why`, the error of a constructor. If the error comes from a file of
-- luatensor/nn, such as lack of memory, the raised message names the class instead of a function. Other errors are
-- raised without change.
local function check_made(class, ok, why)
  if ok then return end
  local rest = type(why) == "string" and why:match("^[^\n:]*luatensor[/\\]nn[/\\][^\n:]*:%d+: (.*)$")
  if not rest then error(why, 0) end
  blame.fail(class.class_name, "%s", (rest:gsub("^%l[%w_]*: ", "")))
end

local function new(class, ...)
  local module = setmetatable(fields.new(), class)
  rawset(module, "_making", true)
  if arity.is_bounded(module.init) then
    if core.type_name((...)) == "library" then
      blame.fail(class.class_name, "a class is called with a dot: nn.%s(…)", class.class_name)
    end
    arity.check(class.class_name, module.init, 1, ...)
  end
  if rawget(class, "_ours") then
    check_made(class, pcall(module.init, module, ...))
  else
    module:init(...)
  end
  module._making = nil
  return module
end

-- Raises an error if a script assigns a module or a parameter to a class: all modules of the class would share the
-- value, and no traversal of a module would find it.
local function assign_to_class(class, name, value)
  if Module.is(value) or core.is_tensor(value) and not core.gone(value) and value.requires_grad then
    blame.fail(class.class_name, "%q is a field of the class, which nobody would find; make it in init: self.%s = …",
               tostring(name), tostring(name))
  end
  rawset(class, name, value)
end

--- Makes a parameter: a leaf tensor that requires gradients, with the numbers of x.
-- @function nn.Parameter
-- @tparam tensor x a tensor of floats
-- @treturn tensor a new tensor that shares x's memory
function Module.parameter(x)
  if not core.is_tensor(x) then blame.fail("Parameter", "tensor expected, got %s", core.type_name(x)) end
  if core.gone(x) then blame.fail("Parameter", "%s", core.gone(x)) end
  if not x.dtype:find("float") then blame.fail("Parameter", "a tensor of floats expected, got %s", x.dtype) end
  return x:detach():requires_grad_()
end

--- True if value is a module.
-- @function nn.is_module
-- @param value any value
-- @treturn boolean
Module.is = fields.is_module

--- Makes a subclass. The subclass may define these functions: `init(self, …)`, the constructor; `forward(self, …)`,
-- which a call of the module runs; `extra(self)`, which returns the text that printing shows between parentheses.
-- @string name of the class, for printing and messages
-- @treturn table the class; a call of the class makes a module
function Module:extend(name)
  if type(self) ~= "table" then blame.fail("extend", "is there a colon, as in nn.Module:extend \"Net\"?") end
  if type(name) ~= "string" then blame.fail("extend", "name expected, got %s", core.type_name(name)) end
  local class = {class_name = name, base = self}
  for key, value in pairs(self) do
    if type(key) == "string" and key:find("^__") then class[key] = value end
  end
  class.__index = class
  return setmetatable(class, {__index = self, __call = new, __newindex = assign_to_class, __name = "class"})
end

-- ---- fields ----

Module.__newindex = fields.assign
Module._check = fields.check

local function register(self, fn, name, x)
  fields.check_name(self, name, fn == "register_buffer" and "a buffer" or "a parameter")
  if x and not core.is_tensor(x) then
    blame.fail(fn, "%s: tensor or nil expected, got %s", tostring(name), core.type_name(x))
  end
  if Module[name] ~= nil then blame.fail(fn, "%q is a method of modules", name) end
  fields.note(self, name)
  rawset(self, name, x or false)
end

--- Makes x a parameter in field `name`, even if x does not (yet) require gradients.
-- @string name of the field
-- @tparam ?tensor x nil for no parameter, as in a layer without bias; the field is then false
function Module:register_parameter(name, x)
  register(self, "register_parameter", name, x)
  self._parameters[name], self._buffers[name] = x or false, nil
end

--- Makes x part of the state in field `name`: x is moved, saved and loaded with the module, but not trained.
-- @string name of the field
-- @tparam ?tensor x nil for no buffer; the field is then false
-- @tparam[opt] table options `persistent` (true): x is saved with the state
function Module:register_buffer(name, x, options)
  options = args.options("register_buffer", options, {persistent = "boolean"})
  register(self, "register_buffer", name, x)
  self._buffers[name], self._parameters[name] = options.persistent ~= false and "saved" or "kept", nil
end

-- ---- iterators ----

--- Iterates over this module and all modules inside of it, each module once: `for name, module in
-- model:named_modules() do`.
-- @treturn function an iterator of names and modules. The name of this module is ""; the name of an inner module is
--   its path of fields, such as "encoder.1"
function Module:named_modules()
  local list, i = {}, 0
  walking.walk(self, "", function(prefix, module) list[#list + 1] = {prefix, module} end)
  return function()
    i = i + 1
    if list[i] then return list[i][1], list[i][2] end
  end
end

--- Iterates over the modules that are fields of this module, with their names.
-- @treturn function an iterator of names and modules
function Module:named_children()
  local i = 0
  return function()
    local name
    repeat
      i = i + 1
      name = self._names[i]
    until name == nil or Module.is(rawget(self, name))
    if name ~= nil then return tostring(name), rawget(self, name) end
  end
end

local function named(self, select)
  local list, i = {}, 0
  walking.each_tensor(self, select, function(name, x) list[#list + 1] = {name, x} end)
  return function()
    i = i + 1
    if list[i] then return list[i][1], list[i][2] end
  end
end

--- Iterates over the parameters with their names, each parameter once: `for name, p in model:named_parameters() do`.
-- @treturn function an iterator of names and tensors
function Module:named_parameters() return named(self, fields.is_parameter) end

--- Iterates over the buffers with their names, each buffer once.
-- @treturn function an iterator of names and tensors
function Module:named_buffers() return named(self, fields.is_buffer) end

--- Returns all parameters, each parameter once, in the order in which the fields were assigned.
-- @treturn table a list of tensors
function Module:parameters()
  local list = {}
  walking.each_tensor(self, fields.is_parameter, function(_, x) list[#list + 1] = x end)
  return list
end

--- Calls fn with every module inside of this module, and then with this module. fn gets inner modules before the
-- modules that contain them.
-- @tparam function fn takes a module
-- @treturn Module the module itself
function Module:apply(fn)
  blame.check_function("apply", fn)
  local list = {}
  for _, module in self:named_modules() do list[#list + 1] = module end
  for i = #list, 1, -1 do fn(list[i]) end
  return self
end

-- ---- training, gradients ----

local function check_flag(name, flag)
  if flag ~= nil and type(flag) ~= "boolean" then
    blame.fail(name, "boolean expected, got %s", core.type_name(flag))
  end
  return flag ~= false
end

--- Switches between training and evaluation. Some layers, such as dropout, compute differently in training.
-- @tparam[opt=true] boolean flag true for training, false for evaluation
-- @treturn Module the module itself
function Module:train(flag)
  flag = check_flag("train", flag)
  for _, module in self:named_modules() do module.training = flag end
  return self
end

--- Switches to evaluation, as train(false).
-- @treturn Module the module itself
function Module:eval() return self:train(false) end

--- Sets whether gradients of the parameters are computed. Parameters without gradients are not trained.
-- @tparam[opt=true] boolean flag true if gradients are computed
-- @treturn Module the module itself
function Module:requires_grad_(flag)
  flag = check_flag("requires_grad_", flag)
  for _, x in ipairs(self:parameters()) do x:requires_grad_(flag) end
  return self
end

--- Sets the gradients of all parameters to nil.
function Module:zero_grad()
  for _, x in ipairs(self:parameters()) do x.grad = nil end
end

Module.to, Module.state_dict, Module.load_state_dict = place.to, state.state_dict, state.load_state_dict

-- Methods whose files are loaded at the first call: loaded code takes time in each collection of garbage, and most
-- scripts do not call these methods.
for name, file in pairs {register_forward_pre_hook = "hooks", register_forward_hook = "hooks",
                         register_full_backward_hook = "hooks", summary = "summary"} do
  Module[name] = function(self, ...) return require("luatensor.nn.module." .. file)[name](self, ...) end
end

-- ---- calls, printing ----

--- The constructor, which does nothing in this class. Subclasses override it.
function Module:init() end                                               -- luacheck: ignore 212

--- The function that a call of the module runs. Subclasses override it.
function Module:forward(...)                                             -- luacheck: ignore 212
  blame.fail(self.class_name, "this class has no forward")
end

function Module.__call(self, ...) return self:forward(...) end

--- Returns the text that printing shows between parentheses, here "". Subclasses override it.
-- @treturn string
function Module:extra() return "" end                                   -- luacheck: ignore 212

Module.__tostring = describe.text

-- Returns the module's label in errors: "Linear(64, 128)". A module inside of another module has its name in the
-- outermost module first: "2.2 (Linear(64, 128))".
function Module:_label()
  local path, own = walking.path(self), ("%s(%s)"):format(self.class_name, self:extra())
  return path == "" and own or ("%s (%s)"):format(path, own)
end

--- Raises the error "train.lua:12: Linear(64, 128): message" for an unsuitable input of a layer. For a layer inside
-- of another module, the layer's name in the outermost module comes first: "2.2 (Linear(64, 128)): message".
-- @string message a format for string.format, whose values follow
function Module:fail(message, ...)
  blame.raise(self:_label(), message, ...)
end

-- Raises an error for a method that was called with a dot in place of the colon, or on a class.
local function check_self(name, self)
  if Module.is(self) then return end
  local what = type(self) == "table" and rawget(self, "class_name")
  if what then
    blame.fail(name, "%s is a class; call it of a module: %s(…):%s()", what, what, name)
  end
  blame.fail(name, "module expected, got %s; is there a colon, as in model:%s()?", core.type_name(self), name)
end

for _, name in ipairs {"register_parameter", "register_buffer", "named_modules", "named_children", "named_parameters",
                       "named_buffers", "parameters", "apply", "train", "eval", "requires_grad_", "zero_grad", "to",
                       "state_dict", "load_state_dict", "register_forward_pre_hook", "register_forward_hook",
                       "register_full_backward_hook", "summary"} do
  local f = arity.method(name, Module[name])
  Module[name] = function(self, ...)
    check_self(name, self)
    return f(self, ...)
  end
end

for name in pairs(Module) do fields.methods[name] = not name:find("^_") or nil end

-- Names that errors may suggest for unknown methods. The methods of nn.Sequential and nn.ModuleList are among these
-- names, because scripts may try the names that other libraries use for them.
local known = {append = true, insert = true, remove = true, extra = true, forward = true}
for name in pairs(fields.methods) do known[name] = true end

return setmetatable(Module, {__call = new, __index = missing.finder("module", known)})
