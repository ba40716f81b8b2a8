--- Makes lt, nn, optim, data and help global, for prompts and notebooks.

local lt = require "luatensor"

local globals = {lt = lt, nn = lt.nn, optim = lt.optim, data = lt.data, help = lt.help}
for name, value in pairs(globals) do rawset(_G, name, value) end
