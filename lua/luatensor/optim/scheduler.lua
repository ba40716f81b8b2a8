--- Schedulers of learning rates: optim.scheduler.

local arity = require "luatensor.base.arity"
local names = require "luatensor.base.names"
local Scheduler = require "luatensor.optim.scheduler.base"

local scheduler = {}

-- Methods for scripts. The other methods are called by the schedulers themselves.
local public = {step = true, get_last_lr = true, state_dict = true, load_state_dict = true}

for _, file in ipairs {"decay", "cosine", "cycle", "sequence", "plateau"} do
  for name, class in pairs(require("luatensor.optim.scheduler." .. file)) do
    scheduler[name] = arity.class(class, public)
  end
end
arity.class(Scheduler, public)

return names.guard(scheduler, "optim.scheduler.")
