--- The table lt, which `require "luatensor"` returns. This file fills the table with core's public functions; the files
-- that luatensor/init.lua loads add more.

local core = require "luatensor.core"

local lt = {_VERSION = require "luatensor.base.version"}
for name, value in pairs(core) do
  if not core.internals[name] then lt[name] = value end
end
return lt
