-- Loads the module while allocations fail.
local lt = require "luatensor"
lt.ones(3)
