--- Advises which device to use for which work. The advice rests on measurements of this machine and, beyond them, on
-- published figures.
-- @module luatensor.advise

local arity = require "luatensor.base.arity"
local advice = require "luatensor.advise.advice"
local choices = require "luatensor.advise.choices"
local network = require "luatensor.advise.network"

local advise = {network = network.network, choices = choices.choices}

--- Recommends a device for fn by what its calls cost on each device of this machine, with a paragraph that says why.
--
--     local r = lt.advise(function(x, y) return x:matmul(y.T) end, {sizes = {256, 1024}, calls = 100})
--     print(r)
--     local x = lt.rand(1024, 1024, {device = r.device})
--
-- Costs are measured as by bench.crossover. Where measuring ends it says so: sizes that do not fit or take too long
-- are carried on by the trend; devices that are not here are bounded by the counted work and published figures ("at
-- least"). An emulated device shows that the work runs there and is never recommended.
-- @function advise
-- @tparam function fn gets what inputs(n) returned, its tensors moved to the device
-- @tparam[opt] table options
--   `sizes` (64 to 1024, doubling); `inputs`: function(n) that returns every tensor that fn uses (two n × n matrices of
--   random numbers); `calls`: how often fn is called with the same data, which are sent once (1: they are sent, and
--   results fetched, each time); `devices`: names (all of this machine); `seconds` a measurement (0.2); `name` of the
--   work; `patience`: seconds that a size may take on a device (60)
-- @treturn table a result of kind "advice": `device`, the recommendation for the largest size that was measured (nil:
--   there is none), `either` where others are as fast as far as can be told, `why`, `sizes` (the choice at each size),
--   `points` (all figures), `predictions`, `bounds`, `skipped`
-- @raise what fn raises, as it is
local function call(_, fn, options)
  return advice.run(fn, options, require "luatensor.bench.crossover.place")
end

return setmetatable(arity.library(advise), {__call = arity.method("advise", call)})
