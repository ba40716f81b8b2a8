--- Measuring: figures that can be believed.
-- @module luatensor.bench

local result = require "luatensor.bench.result"

local bench = {}

bench.load = result.load

return bench
