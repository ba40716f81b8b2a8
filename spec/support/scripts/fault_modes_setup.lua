-- The setup of fault_modes.lua for fault_host. check() fails if a mode differs from its default after an allocation
-- failed.
local lt = require "luatensor"
local nn = require "luatensor.nn"

w = lt.tensor({1., 2., 3.}, {requires_grad = true})
layer = nn.Linear(2, 2)
rows = lt.ones(1, 2)

function check()
  local y = (w * w):sum()
  assert(y.requires_grad and lt.is_grad_enabled(), "nothing is recorded")
  assert(layer(rows).dtype == "float32", "autocast is on")
  w.grad = nil
  y:backward()
  local g = w.grad:totable()
  assert(g[1] == 2 and g[2] == 4 and g[3] == 6, "the gradient is wrong")
  w.grad = nil
  lt.empty_cache()
end
