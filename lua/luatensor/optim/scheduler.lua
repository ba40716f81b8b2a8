--- optim.scheduler, the schedulers of learning rates. Their classes are in the folder scheduler.

local arity = require "luatensor.base.arity"
local names = require "luatensor.base.names"
local Scheduler = require "luatensor.optim.scheduler.base"

local scheduler = {}

-- Names of the methods that scripts call. Only the schedulers themselves call the other methods.
local public = {step = true, get_last_lr = true, state_dict = true, load_state_dict = true}

for _, file in ipairs {"decay", "cosine", "cycle", "sequence", "plateau"} do
  for name, class in pairs(require("luatensor.optim.scheduler." .. file)) do
    scheduler[name] = arity.class(class, public)
  end
end
arity.class(Scheduler, public)

return names.guard(scheduler, "optim.scheduler.")
