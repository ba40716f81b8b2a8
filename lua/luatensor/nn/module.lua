--- Layers and networks: tables with parameters, which can be called.

local args = require "luatensor.args"
local core = require "luatensor.core"
local blame = require "luatensor.autograd.blame"
local engine = require "luatensor.autograd.engine"

local ag = core.autograd

--- The class that all layers are of. A class of your own, with a constructor and a forward:
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
-- What is assigned to a field and is a module becomes a child; a tensor that requires gradients, a parameter. Other
-- tensors become part of the state by `register_buffer`.
-- @type Module
local Module = {}
Module.__index = Module
Module.class_name = "Module"

-- ---- classes ----

local function new(class, ...)
  local module = setmetatable({training = true, _names = {}, _parameters = {}, _buffers = {}}, class)
  module:init(...)
  return module
end

--- Is value a module?
-- @function nn.is_module
-- @param value
-- @treturn boolean
function Module.is(value)
  return type(value) == "table" and rawget(value, "_names") ~= nil and getmetatable(value).class_name ~= nil
end

--- A class like this one, whose functions may be replaced: `init(self, …)`, what the constructor does;
-- `forward(self, …)`, what a call does; `extra(self)`, what printing shows between parentheses.
-- @string name
-- @treturn table the class; a call of it makes a module
function Module:extend(name)
  if type(name) ~= "string" then blame.fail("extend", "name expected, got %s", type(name)) end
  local class = {class_name = name, base = self}
  for key, value in pairs(self) do
    if type(key) == "string" and key:find("^__") then class[key] = value end
  end
  class.__index = class
  return setmetatable(class, {__index = self, __call = new})
end

-- ---- fields ----

-- Fields are kept as they are; what is noted is the order in which they were first assigned.
function Module:__newindex(name, value)
  if type(value) == "table" and not getmetatable(value) and Module.is(value[1]) then
    blame.fail(self.class_name, "field %q is a plain table of modules, whose parameters nobody would find; use "
                                .. "nn.ModuleList", name)
  end
  self._names[#self._names + 1] = name
  rawset(self, name, value)
end

local function is_parameter(self, name, value)
  if self._buffers[name] ~= nil or not core.is_tensor(value) then return false end
  if not self._parameters[name] and value.requires_grad and value.is_leaf then self._parameters[name] = true end
  return self._parameters[name] or false
end

--- Makes x a parameter, also where it does not require gradients (yet).
-- @string name
-- @tparam ?tensor x nil: there is none, as in a layer without bias
function Module:register_parameter(name, x)
  self._parameters[name] = true
  if rawget(self, name) == nil then self._names[#self._names + 1] = name end
  rawset(self, name, x or false)
end

--- Makes x part of the state: it is moved, saved and loaded with the module, but not trained.
-- @string name
-- @tparam ?tensor x
-- @tparam[opt] table options `persistent` (true): is it saved?
function Module:register_buffer(name, x, options)
  options = blame.call(args.options, "register_buffer", options, {persistent = true})
  self._buffers[name] = options.persistent ~= false and "saved" or "kept"
  if rawget(self, name) == nil then self._names[#self._names + 1] = name end
  rawset(self, name, x or false)
end

-- ---- walking ----

local function walk(self, prefix, seen, visit)
  if seen[self] then return end
  seen[self] = true
  visit(prefix, self)
  for _, name in ipairs(self._names) do
    local child = rawget(self, name)
    if Module.is(child) then walk(child, prefix .. (prefix == "" and "" or ".") .. name, seen, visit) end
  end
end

--- This module and all inside of it, each once: `for name, module in model:named_modules() do`.
-- @treturn function an iterator of names ("" is this one, then such as "1.weight" has before its last dot) and modules
function Module:named_modules()
  local list, i = {}, 0
  walk(self, "", {}, function(prefix, module) list[#list + 1] = {prefix, module} end)
  return function()
    i = i + 1
    if list[i] then return list[i][1], list[i][2] end
  end
end

--- The modules that are fields of this one, by name.
-- @treturn function an iterator
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

-- Calls visit(full name, tensor, module, field) for the tensors that `select` takes, each once unless `every`.
local function each_tensor(self, select, visit, every)
  local seen = {}
  for prefix, module in self:named_modules() do
    for _, name in ipairs(module._names) do
      local value = rawget(module, name)
      if core.is_tensor(value) and select(module, name, value) and (every or not seen[value]) then
        seen[value] = true
        visit(prefix .. (prefix == "" and "" or ".") .. name, value, module, name)
      end
    end
  end
end

local function named(self, select)
  local list, i = {}, 0
  each_tensor(self, select, function(name, x) list[#list + 1] = {name, x} end)
  return function()
    i = i + 1
    if list[i] then return list[i][1], list[i][2] end
  end
end

--- Parameters with their names, each once: `for name, p in model:named_parameters() do`.
-- @treturn function an iterator
function Module:named_parameters() return named(self, is_parameter) end

local function is_buffer(module, name) return module._buffers[name] ~= nil end

--- Buffers with their names.
-- @treturn function an iterator
function Module:named_buffers() return named(self, is_buffer) end

--- All parameters, each once, in the order in which the fields were assigned.
-- @treturn table a list of tensors
function Module:parameters()
  local list = {}
  each_tensor(self, is_parameter, function(_, x) list[#list + 1] = x end)
  return list
end

--- Calls fn with every module inside of this one, the innermost first, and then with this one.
-- @tparam function fn
-- @treturn Module this one
function Module:apply(fn)
  blame.check_function("apply", fn)
  local list = {}
  for _, module in self:named_modules() do list[#list + 1] = module end
  for i = #list, 1, -1 do fn(list[i]) end
  return self
end

-- ---- modes, places ----

--- Switches what differs in training, such as dropout.
-- @tparam[opt=true] boolean flag
-- @treturn Module this one
function Module:train(flag)
  for _, module in self:named_modules() do module.training = flag ~= false end
  return self
end

--- The same as train(false).
-- @treturn Module this one
function Module:eval() return self:train(false) end

--- Should gradients of the parameters be computed? Those that are off are not trained.
-- @tparam[opt=true] boolean flag
-- @treturn Module this one
function Module:requires_grad_(flag)
  for _, x in ipairs(self:parameters()) do x:requires_grad_(flag ~= false) end
  return self
end

--- Forgets the gradients of all parameters.
function Module:zero_grad()
  for _, x in ipairs(self:parameters()) do x.grad = nil end
end

local function is_state(module, name, x) return is_buffer(module, name) or is_parameter(module, name, x) end

local function is_float(x) return x.dtype:find("float") ~= nil end

-- x is y's elements from now on, and its gradient those of its own.
local function convert(x, target)
  local y, g = x:detach():to(target), x.grad
  x.grad = nil
  ag.become(x, y)
  x.grad = g and g:to(target)
end

--- Moves parameters and buffers to a device, or converts those of floats to a dtype, or both. They stay the tensors
-- that they are, so that optimisers know them.
-- @string where "cuda", "cpu", "float64" …
-- @string[opt] also the other of the two
-- @treturn Module this one
function Module:to(where, also)
  for _, target in ipairs {where, also} do
    local is_dtype = pcall(core.finfo, target)
    each_tensor(self, is_state, function(_, x)
      if not is_dtype or is_float(x) then convert(x, target) end
    end)
  end
  return self
end

-- ---- state ----

local function is_saved(module, name, x)
  local buffer = module._buffers[name]
  if buffer then return buffer == "saved" end
  return is_parameter(module, name, x)
end

--- The tensors that make this network what it is, by name, such as "1.weight". They share the module's memory.
-- @treturn table
function Module:state_dict()
  local state = {}
  each_tensor(self, is_saved, function(name, x) state[name] = x:detach() end, true)
  return state
end

local function sorted(set)
  local names = {}
  for name in pairs(set) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- What keeps state from being loaded, a line each.
local function problems_of(own, state, strict)
  local lines = {}
  for _, name in ipairs(sorted(own)) do
    local x, new_value = own[name], state[name]
    if new_value == nil then
      if strict then lines[#lines + 1] = ("missing: %s %s"):format(name, args.shape_text(x.shape)) end
    elseif not core.is_tensor(new_value) then
      lines[#lines + 1] = ("%s: tensor expected, got %s"):format(name, type(new_value))
    elseif args.shape_text(new_value.shape) ~= args.shape_text(x.shape) then
      lines[#lines + 1] = ("%s: shape %s expected, got %s"):format(name, args.shape_text(x.shape),
                                                                    args.shape_text(new_value.shape))
    end
  end
  for _, name in ipairs(strict and sorted(state) or {}) do
    if own[name] == nil then lines[#lines + 1] = "unexpected: " .. name end
  end
  return lines
end

--- Takes over what state_dict gave. Where something does not fit nothing changes.
-- @tab state tensors by name; dtypes and devices are converted
-- @tparam[opt] table options `strict` (true): every name must be on both sides
-- @raise names that are missing or unexpected; shapes that differ
function Module:load_state_dict(state, options)
  options = blame.call(args.options, "load_state_dict", options, {strict = true})
  if type(state) ~= "table" then blame.fail("load_state_dict", "table expected, got %s", type(state)) end
  local own = {}
  each_tensor(self, is_saved, function(name, x) own[name] = x end, true)
  local problems = problems_of(own, state, options.strict ~= false)
  if #problems > 0 then
    blame.fail("load_state_dict", "this is not the state of such a %s:\n  %s", self.class_name,
               table.concat(problems, "\n  "))
  end
  local _ <close> = engine.recording(false)
  for name, x in pairs(own) do
    if state[name] then x:copy_(state[name]) end
  end
end

-- ---- calls, printing ----

--- What the constructor does with its arguments.
function Module:init() end                                               -- luacheck: ignore 212

--- What a call of the module does.
function Module:forward()
  blame.fail(self.class_name, "this class has no forward")
end

function Module.__call(self, ...) return self:forward(...) end

--- What printing shows between parentheses: a class's own.
-- @treturn string
function Module:extra() return "" end                                   -- luacheck: ignore 212

local function count_text(n)
  local text = ("%d"):format(n):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
  return text
end

-- weight [128, 64], bias [128]
local function shapes_text(self)
  local parts, count = {}, 0
  for _, name in ipairs(self._names) do
    local x = rawget(self, name)
    if is_parameter(self, name, x) then
      parts[#parts + 1] = name .. " " .. args.shape_text(x.shape)
      count = count + x.size
    end
  end
  if count == 0 then return "" end
  return ("  %s: %s parameters"):format(table.concat(parts, ", "), count_text(count))
end

local function describe(self, indent, lines, label)
  local own = ("%s%s%s(%s"):format(indent, label, self.class_name, self:extra())
  local children = {}
  for name, child in self:named_children() do children[#children + 1] = {name, child} end
  lines[#lines + 1] = own .. (#children == 0 and ")" or "") .. shapes_text(self)
  for _, child in ipairs(children) do describe(child[2], indent .. "  ", lines, ("(%s): "):format(child[1])) end
  if #children > 0 then lines[#lines + 1] = indent .. ")" end
end

--- The network as text: each module with its parameters' shapes, and how many numbers they are.
function Module:__tostring()
  local lines, count, trained = {}, 0, 0
  describe(self, "", lines, "")
  for _, x in ipairs(self:parameters()) do
    count = count + x.size
    if x.requires_grad then trained = trained + x.size end
  end
  local frozen = trained < count and (", %s of them trained"):format(count_text(trained)) or ""
  if #lines > 1 then lines[#lines + 1] = ("%s parameters%s"):format(count_text(count), frozen) end
  return table.concat(lines, "\n")
end

--- Raises "train.lua:12: Linear(64, 128): message": for what a layer was given and cannot take.
-- @string message for string.format
function Module:fail(message, ...)
  blame.fail(("%s(%s)"):format(self.class_name, self:extra()):gsub("%%", "%%%%"), message, ...)
end

return setmetatable(Module, {__call = new})
