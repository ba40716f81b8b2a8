--- Tensors for Lua: n-dimensional arrays on the CPU and on GPUs.
-- @module luatensor

local core = require "luatensor.core"

local lt = {}
for name, value in pairs(core) do lt[name] = value end

return lt
