-- A little of everything, large enough to be threaded, for the hosts that open states.
local lt = require "luatensor"

local x = lt.ones(300, 400)
local y = x * 2 + 1
assert(y:sum():item() == 3 * 300 * 400)
assert(y:matmul(y.T):max():item() == 3 * 3 * 400)
assert(lt.rand(100, 1000):less(1):all():item())
local kept = {}
for i = 1, 50 do kept[i % 7] = y + i end
collectgarbage()
