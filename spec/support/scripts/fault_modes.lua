-- As fault_script.lua, of what sets modes.
local lt = require "luatensor"
local nn = require "luatensor.nn"

local y = lt.no_grad(function() return w * 2 end)
do
  local _ <close> = lt.no_grad()
  y = w * 3
  local _ <close> = lt.enable_grad()
  y = w * 4
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
y = lt.grad(function(x) return (x * x):sum() end)(w)
