-- fault_host runs this script while allocations fail. The script calls functions that set modes, such as no_grad and
-- autocast.
local lt = require "luatensor"
local nn = require "luatensor.nn"

assert(not lt.no_grad(function() return w * 2 end).requires_grad)
do
  local _ <close> = lt.no_grad()
  assert(not (w * 3).requires_grad)
  local _ <close> = lt.enable_grad()
  assert((w * 4).requires_grad)
end
coroutine.wrap(function()
  local _ <close> = lt.no_grad()
  coroutine.yield(w * 5)
end)()
nn.autocast(function()
  local _ <close> = lt.no_grad()
  return layer(rows)
end);
(w:exp():sum() * 2):backward()
assert(lt.grad(function(x) return (x * x):sum() end)(w).size == 3)
