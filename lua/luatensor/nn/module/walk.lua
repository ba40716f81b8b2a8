--- Walks over modules inside of modules, and over their tensors.

local core = require "luatensor.core"
local fields = require "luatensor.nn.module.fields"

local walking = {}

-- Calls visit(prefix, module) for self and all modules inside, each once. every: by each of their names; only what a
-- module has of itself in turn (a cycle) is left out.
local function walk(self, prefix, seen, visit, every)
  if seen[self] then return end
  seen[self] = true
  visit(prefix, self)
  for _, name in ipairs(self._names) do
    local child = rawget(self, name)
    if fields.is_module(child) then walk(child, prefix .. (prefix == "" and "" or ".") .. name, seen, visit, every) end
  end
  if every then seen[self] = nil end
end

-- Calls visit(full name, tensor, module, field) for the tensors that `select` takes, each once unless `every`.
function walking.each_tensor(self, select, visit, every)
  local seen = {}
  walk(self, "", {}, function(prefix, module)
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
