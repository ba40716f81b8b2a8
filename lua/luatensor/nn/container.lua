--- Modules that contain modules or parameters, such as Sequential, and modules that only call functions, such as
-- Flatten.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lists = require "luatensor.base.lists"
local blame = require "luatensor.base.blame"
local clocale = require "luatensor.base.clocale"
local fields = require "luatensor.nn.module.fields"
local layer = require "luatensor.nn.layer"
local Module = require "luatensor.nn.module"

local function check(name, i, module)
  if Module.is(module) then return end
  local kind = core.type_name(module)
  local class = kind == "class" and rawget(module, "class_name")
  blame.fail(name, "argument %s: module expected, got %s%s", i, kind,
             class and ("; make a module of it: %s(…)"):format(class) or "")
end

-- ---- Sequential, ModuleList ----

-- Returns the number of modules in the list.
local function count_of(self) return rawget(self, "_count") or 0 end

local list = {}

-- Raises an error unless the value at place i is a module. The script may have overwritten a module with another
-- value, and Lua does not call __newindex for existing fields.
local function check_place(self, i)
  local module = rawget(self, i)
  if Module.is(module) then return end
  if module == nil then
    blame.fail(self.class_name, "place %d is empty; modules are taken out by :remove(%d)", i, i)
  end
  blame.fail(self.class_name, "place %d: module expected, got %s", i, core.type_name(module))
end

local function check_places(self)
  for i = 1, count_of(self) do check_place(self, i) end
end

function list:_check()
  fields.check(self)
  check_places(self)
end

-- The metamethod __newindex: assigns a module to the next place, or any value to a field that does not exist yet.
local function assign(self, name, value)
  if type(name) ~= "number" then
    if Module.is(value) and layer.is_chain[self.forward] then
      blame.fail(self.class_name, "field %q would never be called; use :append(module), or a class of your own with a "
                 .. "forward", tostring(name))
    end
    return fields.assign(self, name, value)
  end
  local n = count_of(self)
  if value == nil then blame.fail(self.class_name, "there is no place %s of %d", name, n) end
  if not Module.is(value) then
    blame.fail(self.class_name, "place %s: module expected, got %s", name, core.type_name(value))
  end
  local i = math.tointeger(name)
  if not i or i < 1 or i > n + 1 then
    blame.fail(self.class_name, "place %s: only 1 … %d can be assigned", name, n + 1)
  end
  fields.assign(self, i, value)
  rawset(self, "_count", math.max(i, n))
end

--- Adds a module at the end, and returns the container.
-- @function Sequential:append
-- @tparam Module module
-- @treturn Module the container
function list:append(module)
  check(self.class_name, 1, module)
  self[count_of(self) + 1] = module
  return self
end

--- Inserts a module at place i, and returns the container. The places of the modules from place i on, and their names
-- in the state, increase by 1.
-- @function Sequential:insert
-- @int i the place, from 1 to the number of modules + 1
-- @tparam Module module
-- @treturn Module the container
function list:insert(i, module)
  local n = count_of(self)
  i = args.integer(self.class_name, "insert: place", i, 1, n + 1)
  check(self.class_name, 2, module)
  for k = n, i, -1 do self[k + 1] = self[k] end
  self[i] = module
  return self
end

--- Removes the module at place i. The places of all later modules decrease by 1.
-- @function Sequential:remove
-- @int[opt] i the place; the last place unless given
-- @treturn Module the removed module
function list:remove(i)
  local n = count_of(self)
  i = args.integer(self.class_name, "remove: place", i or n, 1, n)
  local module = self[i]
  for k = i, n - 1 do self[k] = self[k + 1] end
  self[n] = nil
  self._count = n - 1
  return module
end

local function list_class(name)
  local class = Module:extend(name)
  for key, f in pairs(list) do class[key] = f end
  class.__len, class.__newindex = count_of, assign
  return class
end

--- Makes a module that calls modules in sequence: each module receives the result of the previous module. `model[2]`
-- is the second module, and `#model` is the number of modules.
-- @function nn.Sequential
-- @tparam Module ... the modules, or one list of modules
-- @treturn Module
local Sequential = list_class "Sequential"

function Sequential:init(...)
  local first = ...
  local modules = table.pack(...)
  if modules.n == 1 and type(first) == "table" and not getmetatable(first) then
    for key in next, first do
      if math.type(key) ~= "integer" then
        blame.fail("Sequential", "a list of modules expected, got the key %q; modules with names are fields of a class "
                   .. "of your own, or of nn.ModuleDict", tostring(key))
      end
    end
    modules = table.move(first, 1, #first, 1, {n = #first})
  end
  for i = 1, modules.n do
    check("Sequential", i, modules[i])
    self[i] = modules[i]
  end
end

-- Calls the modules in sequence. An intermediate result is freed as soon as the module that reads it has returned, if
-- neither this module nor the module that made the result keeps tensors. Only this loop refers to such a result. If the
-- graph needs the tensor, the graph keeps the tensor's memory.
function Sequential:forward(x)
  local ours = false
  for i = 1, rawget(self, "_count") or 0 do
    local module = rawget(self, i)
    if type(module) ~= "table" then check_place(self, i) end
    local y, keeps_nothing = module(x), layer.keeps_nothing[module.forward]
    if not rawequal(x, y) then
      if ours and keeps_nothing then x:free() end
      ours = keeps_nothing
    else
      ours = ours and keeps_nothing
    end
    x = y
  end
  return x
end

--- Makes a list of modules, which the forward of your own module calls: `for i, layer in ipairs(self.layers) do`.
-- @function nn.ModuleList
-- @tparam[opt] table list of modules
-- @treturn Module
local ModuleList = list_class "ModuleList"

function ModuleList:init(modules)
  if modules ~= nil and type(modules) ~= "table" or Module.is(modules) then
    blame.fail("ModuleList", "a list of modules expected, got %s", core.type_name(modules))
  end
  for i, module in ipairs(modules or {}) do
    check("ModuleList", i, module)
    self[i] = module
  end
end

-- ---- modules by name, parameters in a list ----

--- Makes a container of modules by name: `self.heads.left`, or `self.heads["left"]`.
-- @function nn.ModuleDict
-- @tparam[opt] table modules by name; they are added in alphabetical order of the names
-- @treturn Module
local ModuleDict = Module:extend "ModuleDict"

function ModuleDict:init(modules)
  if modules ~= nil and type(modules) ~= "table" or Module.is(modules) then
    blame.fail("ModuleDict", "a table of modules by name expected, got %s", core.type_name(modules))
  end
  local names = {}
  for name in pairs(modules or {}) do names[#names + 1] = name end
  clocale.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  for _, name in ipairs(names) do
    check("ModuleDict", tostring(name), modules[name])
    if Module[name] ~= nil or name == "training" then
      blame.fail("ModuleDict", "%q is a name that modules need themselves", name)
    end
    self[name] = modules[name]
  end
end

--- Makes a list of parameters: `self.scales[i]`.
-- @function nn.ParameterList
-- @tparam[opt] table list of tensors of floats
-- @treturn Module
local ParameterList = Module:extend "ParameterList"

-- Returns the number of parameters 1 … n before the first gap.
function ParameterList:__len()
  local n = 0
  while rawget(self, n + 1) do n = n + 1 end
  return n
end

function ParameterList:init(tensors)
  if tensors ~= nil and (type(tensors) ~= "table" or Module.is(tensors)) then
    blame.fail("ParameterList", "a list of tensors expected, got %s",
               core.is_tensor(tensors) and "tensor; use {x}" or core.type_name(tensors))
  end
  for _, x in ipairs(tensors or {}) do self:append(x) end
end

--- Adds a parameter at the end, and returns the list.
-- @function ParameterList:append
-- @tparam tensor x
-- @treturn Module the list
function ParameterList:append(x)
  local i = #self + 1
  if not core.is_tensor(x) then
    blame.fail("ParameterList", "argument %d: tensor expected, got %s", i, core.type_name(x))
  end
  if core.gone(x) then blame.fail("ParameterList", "argument %d: %s", i, core.gone(x)) end
  if not x.dtype:find("float") then
    blame.fail("ParameterList", "argument %d: a tensor of floats expected, got %s", i, x.dtype)
  end
  if not x.is_leaf then
    blame.fail("ParameterList", "argument %d: a parameter cannot be the result of %s; use x:detach()", i, x.grad_fn)
  end
  self:register_parameter(i, x:requires_grad_())
  return self
end

-- ---- residual connections, functions, shapes ----

--- Makes a residual connection (He et al.): x + f(x), where f is a sequence of modules.
-- @function nn.Residual
-- @tparam Module ... the modules of f, whose result has x's shape
-- @treturn Module
local Residual = Sequential:extend "Residual"

function Residual:forward(x)
  local y = Sequential.forward(self, x)
  if core.is_tensor(x) and core.is_tensor(y) and not lists.same(x.shape, y.shape) then
    self:fail("the modules make shape %s of %s; both must be the same", args.shape_text(y.shape),
              args.shape_text(x.shape))
  end
  return x + y
end

--- Makes a layer that calls a function: `nn.Lambda(function(x) return x:square() end)`.
-- @function nn.Lambda
-- @tparam function fn takes the arguments of the layer's call
-- @string[opt] name of the function, for printing
-- @treturn Module
local Lambda = Module:extend "Lambda"

function Lambda:init(fn, name)
  blame.check_function("Lambda", fn)
  self.fn, self.name = fn, name
end

local function all_of(...) return ... end

-- all_of prevents a tail call, so that this method stays on the stack, where blame.lua finds the layer for messages.
function Lambda:forward(...) return all_of(blame.call_back(self.fn, ...)) end
function Lambda:extra() return self.name and tostring(self.name) or "" end

--- Makes a layer that returns its arguments unchanged.
-- @function nn.Identity
-- @param ... any arguments, which are ignored
-- @treturn Module
local Identity = Module:extend "Identity"
function Identity:init(...) end                                          -- luacheck: ignore 212
function Identity:forward(...) return ... end                            -- luacheck: ignore 212

--- Makes a layer that merges the dims from `start_dim` to `end_dim` into one dim.
-- @function nn.Flatten
-- @tparam[opt] table options `start_dim` (2), `end_dim` (-1)
-- @treturn Module
local Flatten = Module:extend "Flatten"

function Flatten:init(options)
  options = args.options("Flatten", options, {start_dim = true, end_dim = true})
  self.start_dim = args.integer("Flatten", "start_dim", options.start_dim or 2)
  self.end_dim = args.integer("Flatten", "end_dim", options.end_dim or -1)
end

function Flatten:forward(x)
  layer.input(self, "the input", x)
  local n = x.ndim
  local first = self.start_dim > 0 and self.start_dim or self.start_dim + n + 1
  local last = self.end_dim > 0 and self.end_dim or self.end_dim + n + 1
  if first < 1 or last > n or first > last then
    self:fail("not for the shape %s", args.shape_text(x.shape))
  end
  return (x:flatten(first, last))
end

function Flatten:extra()
  if self.start_dim == 2 and self.end_dim == -1 then return "" end
  return ("start_dim = %d, end_dim = %d"):format(self.start_dim, self.end_dim)
end

--- Makes a layer that splits a dim into several dims.
-- @function nn.Unflatten
-- @int dim the dim to split; negative dims count from the last dim
-- @tab sizes lengths of the new dims; one length may be -1, which stands for the remaining length
-- @treturn Module
local Unflatten = Module:extend "Unflatten"

function Unflatten:init(dim, sizes)
  self.dim = args.integer("Unflatten", "dim", dim)
  local kind = core.type_name(sizes)
  if kind ~= "table" then blame.fail("Unflatten", "sizes: a list expected, got %s", kind) end
  for i = 1, #sizes do args.integer("Unflatten", "sizes", sizes[i], -1) end
  self.sizes = sizes
end

function Unflatten:forward(x)
  layer.input(self, "the input", x)
  local dim = self.dim > 0 and self.dim or self.dim + x.ndim + 1
  if dim < 1 or dim > x.ndim then self:fail("not for the shape %s", args.shape_text(x.shape)) end
  local known = 1
  for _, n in ipairs(self.sizes) do known = known * (n > 0 and n or 1) end
  local has_rest = table.concat(self.sizes, " "):find("-", 1, true)
  if has_rest and x.shape[dim] % known ~= 0 or not has_rest and x.shape[dim] ~= known then
    self:fail("dim %d of the shape %s does not divide so", dim, args.shape_text(x.shape))
  end
  return (x:unflatten(dim, self.sizes))
end

function Unflatten:extra() return ("%d, %s"):format(self.dim, args.shape_text(self.sizes)) end

return {Sequential = Sequential, ModuleList = ModuleList, ModuleDict = ModuleDict, ParameterList = ParameterList,
        Residual = Residual, Lambda = Lambda, Identity = Identity, Flatten = Flatten, Unflatten = Unflatten}
