--- Modules made of modules.

local blame = require "luatensor.autograd.blame"
local Module = require "luatensor.nn.module"

local function check(name, i, module)
  if not Module.is(module) then blame.fail(name, "argument %d: module expected, got %s", i, type(module)) end
end

--- Modules one after the other: what one gives the next takes. `model[2]` is the second, `#model` their number.
-- @function nn.Sequential
-- @tparam Module ...
-- @treturn Module
local Sequential = Module:extend "Sequential"

function Sequential:init(...)
  for i = 1, select("#", ...) do
    check("Sequential", i, (select(i, ...)))
    self[i] = select(i, ...)
  end
end

function Sequential:forward(x)
  for i = 1, #self do x = self[i](x) end
  return x
end

--- Modules in a list, for a forward of your own to call.
-- @function nn.ModuleList
-- @tparam table list of modules
-- @treturn Module
local ModuleList = Module:extend "ModuleList"

function ModuleList:init(list)
  for i, module in ipairs(list or {}) do
    check("ModuleList", i, module)
    self[i] = module
  end
end

return {Sequential = Sequential, ModuleList = ModuleList}
