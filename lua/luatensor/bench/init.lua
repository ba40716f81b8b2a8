--- Measuring: figures that can be believed.
-- @module luatensor.bench

local result = require "luatensor.bench.result"
local timing = require "luatensor.bench.timing"

local bench = {}

bench.load = result.load
bench.time = timing.time

return bench
