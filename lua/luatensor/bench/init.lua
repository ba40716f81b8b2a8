--- Measures times, and says how reliable they are.
-- @module luatensor.bench

require "luatensor.base.outside".check_measuring "lt.bench"
local arity = require "luatensor.base.arity"
local comparison = require "luatensor.bench.comparison"
local crossover = require "luatensor.bench.crossover"
local diff = require "luatensor.bench.diff"
local machine = require "luatensor.bench.machine"
local result = require "luatensor.bench.result"
local split = require "luatensor.bench.split"
local timing = require "luatensor.bench.timing"

local bench = {}

bench.compare = comparison.compare
bench.crossover = crossover.crossover
bench.diff = diff.diff
bench.load = result.load
bench.machine = machine.machine
bench.sizes = crossover.sizes
bench.split = split.split
bench.time = timing.time

return arity.library(bench)
