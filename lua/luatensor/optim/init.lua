--- Optimisers, which change parameters in training.
-- @module luatensor.optim

require "luatensor.base.requirements"
local arity = require "luatensor.base.arity"
local names = require "luatensor.base.names"
local Optimizer = require "luatensor.optim.optimizer"

local optim = {Optimizer = Optimizer, is_optimizer = Optimizer.is}

-- Methods for scripts. The other methods are called by the optimisers themselves.
local public = {add_param_group = true, step = true, zero_grad = true, state_dict = true, load_state_dict = true}

--- Each file returns classes by name.
local files = {"sgd", "adam", "adaptive", "adam_variants", "lbfgs"}
for _, file in ipairs(files) do
  for name, class in pairs(require("luatensor.optim." .. file)) do optim[name] = arity.class(class, public) end
end
arity.class(Optimizer, public)
optim.GradScaler = arity.class(require("luatensor.optim.grad_scaler").GradScaler)

optim.scheduler = require "luatensor.optim.scheduler"

return names.guard(arity.library(optim), "optim.")
