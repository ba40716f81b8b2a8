--- Optimisers: what training changes parameters by.
-- @module luatensor.optim

local names = require "luatensor.names"
local Optimizer = require "luatensor.optim.optimizer"

local optim = {Optimizer = Optimizer, is_optimizer = Optimizer.is}

--- Each file gives classes by name.
local files = {"sgd", "adam", "adaptive", "adam_variants", "lbfgs", "grad_scaler"}
for _, file in ipairs(files) do
  for name, class in pairs(require("luatensor.optim." .. file)) do optim[name] = class end
end

optim.scheduler = require "luatensor.optim.scheduler"

return names.guard(optim, "optim.")
