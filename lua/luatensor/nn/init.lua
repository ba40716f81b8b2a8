--- Networks: layers, losses, initialisers.
-- @module luatensor.nn

local Module = require "luatensor.nn.module"

local nn = {Module = Module, is_module = Module.is}

--- Each file gives classes by name.
local files = {"linear", "container"}
for _, file in ipairs(files) do
  for name, class in pairs(require("luatensor.nn." .. file)) do nn[name] = class end
end

nn.functional = require "luatensor.nn.functional"

return nn
