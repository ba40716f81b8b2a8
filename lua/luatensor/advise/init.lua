--- Advises which device to use for which work. The advice follows from measurements of this machine and, for devices
-- and sizes that were not measured, from published figures and trends.
-- @module luatensor.advise

require "luatensor.base.outside".check_measuring "lt.advise"
local arity = require "luatensor.base.arity"
local advice = require "luatensor.advise.advice"
local choices = require "luatensor.advise.choices"
local network = require "luatensor.advise.network"

local advise = {network = network.network, choices = choices.choices}

--- Recommends a device for fn: measures the time of its calls on each device of this machine, and explains the choice.
--
--     local r = lt.advise(function(x, y) return x:matmul(y.T) end, {sizes = {256, 1024}, calls = 100})
--     print(r)
--     local x = lt.rand(1024, 1024, {device = r.device})
--
-- The times are measured as in bench.crossover. The result names the largest measured size. Larger sizes that do not
-- fit into memory or take too long are extrapolated from the trend. Devices that are not in this machine get lower
-- bounds ("at least") from the counted work and published figures. An emulated device only shows that the work runs on
-- it; it is never recommended.
-- @function advise
-- @tparam function fn gets what inputs(n) returned, its tensors moved to the device
-- @tparam[opt] table options `sizes` (64 to 1024, doubling); `inputs`: function(n) that returns every tensor that fn
--   uses (two n × n matrices of random numbers); `calls`: how often fn is called with the same data, which are sent
--   once (1: data are sent, and results fetched, in every call); `devices`: names (all of this machine); `seconds` a
--   measurement (0.2); `name` of the work; `patience`: seconds that a size may take on a device (60)
-- @treturn table a result of kind "advice": `device`, the recommendation for the largest measured size (nil: there is
--   none); `either`, the devices that the measurements cannot tell apart; `why`, `sizes` (the choice at each size),
--   `points` (all figures), `predictions`, `bounds`, `skipped`
-- @raise errors of fn, unchanged
local function call(_, fn, options)
  return advice.run(fn, options, require "luatensor.bench.crossover.place")
end

return setmetatable(arity.library(advise), {__call = arity.method("advise", call)})
