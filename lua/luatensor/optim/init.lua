--- lt.optim: optimisers, which change parameters in training, and schedulers of learning rates.
-- @module luatensor.optim

require "luatensor.base.requirements"
local arity = require "luatensor.base.arity"
local names = require "luatensor.base.names"
local Optimizer = require "luatensor.optim.optimizer"

local optim = {Optimizer = Optimizer, is_optimizer = Optimizer.is}

-- Names of the methods that scripts call. Only the optimisers themselves call the other methods.
local public = {add_param_group = true, step = true, zero_grad = true, state_dict = true, load_state_dict = true}

--- Names of the files of luatensor/optim. Each file returns a table of classes by name.
local files = {"sgd", "adam", "adaptive", "adam_variants", "lbfgs", "sharded"}
for _, file in ipairs(files) do
  for name, class in pairs(require("luatensor.optim." .. file)) do optim[name] = arity.class(class, public) end
end
arity.class(Optimizer, public)
optim.GradScaler = arity.class(require("luatensor.optim.grad_scaler").GradScaler)

optim.scheduler = require "luatensor.optim.scheduler"

return names.guard(arity.library(optim), "optim.")
