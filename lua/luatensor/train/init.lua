--- lt.train: aids for the training loop of a script: progress, early stopping, and a log.
-- @module luatensor.train

require "luatensor.base.requirements"
local arity = require "luatensor.base.arity"
local names = require "luatensor.base.names"

local train = {}

for _, file in ipairs {"progress", "stopping", "log"} do
  for name, value in pairs(require("luatensor.train." .. file)) do train[name] = value end
end

return names.guard(arity.library(train), "train.")
