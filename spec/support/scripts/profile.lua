-- Starts a profile and leaves it: closing the state ends it, and the next state starts its own.
local lt = require "luatensor"
local core = require "luatensor.core"
core.profile_start "counting"
local x = lt.rand(10) + 1
assert(x.size == 10)
