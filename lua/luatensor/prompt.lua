--- The prompts of `luatensor -i` and `tools/lua -i` load this file first. The file makes lt, nn, optim, data and help
-- global, and turns Lua's warnings on.

local lt = require "luatensor"
require "luatensor.globals"

warn "@on"
print(("%s: lt, nn, optim, data; help \"conv2d\""):format(lt._VERSION))
