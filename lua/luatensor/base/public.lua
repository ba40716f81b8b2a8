--- The table lt, which luatensor returns. It starts with the functions that core registers for scripts; the files that
-- init.lua lists add more.

local core = require "luatensor.core"

local lt = {_VERSION = require "luatensor.base.version"}
for name, value in pairs(core) do
  if not core.internals[name] then lt[name] = value end
end
return lt
