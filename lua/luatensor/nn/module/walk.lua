--- Walks over modules inside of modules, and over their tensors.

local core = require "luatensor.core"
local fields = require "luatensor.nn.module.fields"

local walking = {}

-- Calls visit(prefix, module) for self and all modules inside, each once. every: by each of their names; only what a
-- module has of itself in turn (a cycle) is left out. all: gets each module as a key.
local function step(self, prefix, seen, visit, every, all)
  if seen[self] then return end
  seen[self], all[self] = true, true
  visit(prefix, self)
  for _, name in ipairs(self._names) do
    local child = rawget(self, name)
    if fields.is_module(child) then
      step(child, prefix .. (prefix == "" and "" or ".") .. name, seen, visit, every, all)
    end
  end
  if every then seen[self] = nil end
end

-- Is x a field of one of these modules?
local function is_field(all, x)
  for module in pairs(all) do
    for _, name in ipairs(module._names) do
      if rawequal(rawget(module, name), x) then return true end
    end
  end
  return false
end

-- What plain tables have must be found elsewhere, too: they are filled without anybody seeing it.
local function check_plain(all)
  local function is_known(x) return all[x] or core.is_tensor(x) and is_field(all, x) end
  for module in pairs(all) do
    for _, name in ipairs(module._names) do
      local value = rawget(module, name)
      if type(value) == "table" and not getmetatable(value) then fields.check_plain(module, name, value, is_known) end
    end
  end
end

-- visit sees what was checked: nothing that __newindex did not see is wrong.
local function walk(self, prefix, visit, every)
  local all = {}
  step(self, prefix, {}, function(_, module) module:_check() end, false, all)
  check_plain(all)
  step(self, prefix, {}, visit, every, all)
end

-- Calls visit(full name, tensor, module, field) for the tensors that `select` takes, each once unless `every`.
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

walking.walk = walk

return walking
