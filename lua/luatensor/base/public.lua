--- The table lt, which `require "luatensor"` returns. It starts with core's public functions; the files in init.lua's
-- list add more.

local core = require "luatensor.core"

local lt = {_VERSION = require "luatensor.base.version"}
for name, value in pairs(core) do
  if not core.internals[name] then lt[name] = value end
end
return lt
