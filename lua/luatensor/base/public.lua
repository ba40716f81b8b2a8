--- The table lt, which luatensor returns. It begins with the functions that core registers for scripts; the files that
-- init.lua names add theirs.

local core = require "luatensor.core"

local lt = {_VERSION = "luatensor scm"}
for name, value in pairs(core) do
  if not core.internals[name] then lt[name] = value end
end
return lt
