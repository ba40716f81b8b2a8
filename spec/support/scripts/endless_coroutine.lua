-- Runs an operation that would take hours in a coroutine. The error of Ctrl-C is then raised in the main thread.
local lt = require "luatensor"
local x = lt.ones(1):expand(1 << 40)
io.stdout:setvbuf "no"
print "ready"
print(coroutine.wrap(function() return select(2, pcall(x.sum, x)) end)())
