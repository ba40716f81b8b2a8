--- Walks over nested modules, and over their tensors.

local core = require "luatensor.core"
local fields = require "luatensor.nn.module.fields"

local walking = {}

-- Calls visit(prefix, module) for self and all modules inside of it, each once. every: once for each of their names;
-- only cycles are left out. all: receives each module as a key.
local function step(self, prefix, seen, visit, every, all)
  if seen[self] then return end
  seen[self], all[self] = true, true
  visit(prefix, self)
  for _, name in ipairs(self._names) do
    local child = rawget(self, name)
    if fields.is_module(child) then
      fields.parents[child] = self
      step(child, prefix .. (prefix == "" and "" or ".") .. name, seen, visit, every, all)
    end
  end
  if every then seen[self] = nil end
end

-- True if x is a field of one of these modules.
local function is_field(all, x)
  for module in pairs(all) do
    for _, name in ipairs(module._names) do
      if rawequal(rawget(module, name), x) then return true end
    end
  end
  return false
end

-- Checks that modules and parameters in plain tables are also found elsewhere, because assignments to plain tables are
-- not seen.
local function check_plain(all)
  local function is_known(x) return all[x] or core.is_tensor(x) and is_field(all, x) end
  for module in pairs(all) do
    for _, name in ipairs(module._names) do
      local value = rawget(module, name)
      if type(value) == "table" and not getmetatable(value) then fields.check_plain(module, name, value, is_known) end
    end
  end
end

-- Visits modules after checking all their fields, including fields whose assignment __newindex did not see.
local function walk(self, prefix, visit, every)
  local all = {}
  step(self, prefix, {}, function(_, module) module:_check() end, false, all)
  check_plain(all)
  step(self, prefix, {}, visit, every, all)
end

-- Calls visit(full name, tensor, module, field) for the tensors for which `select` is true, each once unless `every`.
function walking.each_tensor(self, select, visit, every)
  local seen = {}
  walk(self, "", function(prefix, module)
    for _, name in ipairs(module._names) do
      local value = rawget(module, name)
      if core.is_tensor(value) and select(module, name, value) and (every or not seen[value]) then
        seen[value] = true
        visit(prefix .. (prefix == "" and "" or ".") .. name, value, module, name)
      end
    end
  end, every)
end

local MOST_DEPTH <const> = 64        -- of nested modules: a module may contain itself

-- The name of the field in which a module holds another module.
local function name_in(parent, child)
  for _, name in ipairs(parent and parent._names or {}) do
    if rawequal(rawget(parent, name), child) then return name end
  end
end

--- The name of a module in the outermost module that contains it, such as "2" for the module of "2.weight"; "" if no
-- module contains it.
function walking.path(self)
  local parts = {}
  for _ = 1, MOST_DEPTH do
    local parent = fields.parents[self]
    local name = name_in(parent, self)
    if not name then break end
    table.insert(parts, 1, name)
    self = parent
  end
  return table.concat(parts, ".")
end

walking.walk = walk

return walking
