--- lt.plot: charts and images of tensors, in the terminal, as SVG and in notebooks.
--
--     local plot = require "luatensor.plot"
--
--     local figure = plot.line(losses, {title = "Loss", xlabel = "step", yscale = "log"})
--     print(figure)
--     figure:save("loss.svg")
--
-- @module luatensor.plot

local arity = require "luatensor.base.arity"
local outside = require "luatensor.base.outside"

outside.check_libraries("plot", "utf8")

local plot = {}

for _, file in ipairs {"xy", "bars", "cells", "subplots"} do
  for name, value in pairs(require("luatensor.plot." .. file)) do plot[name] = value end
end

return arity.library(plot)
