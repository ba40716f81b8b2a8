--- Traversals of nested modules and of their tensors, for nn.Module.

local core = require "luatensor.core"
local fields = require "luatensor.nn.module.fields"

local walking = {}

-- Calls visit(prefix, module) for self and all modules inside of it. Each module is visited once. If `every` is true,
-- each module is visited once for each of its names, except names that pass through a cycle. `all` receives each module
-- as a key.
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

-- True if x is a field of a module that is a key of `all`.
local function is_field(all, x)
  for module in pairs(all) do
    for _, name in ipairs(module._names) do
      if rawequal(rawget(module, name), x) then return true end
    end
  end
  return false
end

-- Raises an error if a plain table contains a module or a parameter that is not also a field of a module. The
-- traversal repeats this check because Lua does not call __newindex for assignments inside plain tables.
local function check_plain(all)
  local function is_known(x) return all[x] or core.is_tensor(x) and is_field(all, x) end
  for module in pairs(all) do
    for _, name in ipairs(module._names) do
      local value = rawget(module, name)
      if type(value) == "table" and not getmetatable(value) then fields.check_plain(module, name, value, is_known) end
    end
  end
end

-- Visits modules after a check of all their fields, which may have been assigned without a call of __newindex.
local function walk(self, prefix, visit, every)
  local all = {}
  step(self, prefix, {}, function(_, module) module:_check() end, false, all)
  check_plain(all)
  step(self, prefix, {}, visit, every, all)
end

-- Calls visit(full name, tensor, module, field) for each tensor for which select(module, field, tensor) is true. Each
-- tensor is visited once, or, if `every` is true, once for each of its names.
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

local MOST_DEPTH <const> = 64        -- the most parents that walking.path follows, because a module may contain itself

-- Returns the name of the field of `parent` that contains `child`, or nil.
local function name_in(parent, child)
  for _, name in ipairs(parent and parent._names or {}) do
    if rawequal(rawget(parent, name), child) then return name end
  end
end

--- Returns the name of a module in the outermost module that contains it, such as "2" for the module of "2.weight".
-- Returns "" if no module contains it.
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
