-- Starts a profile and does not stop it. Closing the state ends the profile, and the next state starts its own.
local lt = require "luatensor"
local core = require "luatensor.core"
core.profile_start "counting"
local x = lt.rand(10) + 1
assert(x.size == 10)
