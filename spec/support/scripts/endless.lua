-- Runs an operation that would take hours. Ctrl-C ends the operation, and the script continues.
local lt = require "luatensor"
local x = lt.ones(1):expand(1 << 40)
io.stdout:setvbuf "no"
print "ready"
print(select(2, pcall(x.sum, x)))
print(lt.ones(4):sum():item())
