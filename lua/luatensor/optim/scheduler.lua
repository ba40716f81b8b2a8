--- Schedulers of learning rates: optim.scheduler.

local names = require "luatensor.names"

local scheduler = {}

for _, file in ipairs {"decay", "cosine", "cycle", "sequence", "plateau"} do
  for name, class in pairs(require("luatensor.optim.scheduler." .. file)) do scheduler[name] = class end
end

return names.guard(scheduler, "optim.scheduler.")
