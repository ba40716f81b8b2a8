-- Measures rough speed limits of this machine and of the emulated GPU, and stores them in LUATENSOR_CACHE. Otherwise
-- each process of a spec that reports a speed relative to these limits would measure them again, for ten seconds.
local lt = require "luatensor"
local idle = require "luatensor.bench.idle"
local machine = require "luatensor.bench.machine"

idle.BUSY, machine.SECONDS = math.huge, 0.001
local made = lt.bench.machine()
assert(not made.not_stored, made.not_stored)
