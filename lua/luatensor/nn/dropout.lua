--- Dropout as layers of lt.nn, which change their input only in training. The functions are in
-- functional/dropout.lua.

local args = require "luatensor.base.args"
local clocale = require "luatensor.base.clocale"
local functional = require "luatensor.nn.functional"
local layer = require "luatensor.nn.layer"
local Module = require "luatensor.nn.module"

--- A layer that, in training, sets each element to 0 with probability p, and divides the other elements by 1 - p.
-- @function nn.Dropout
-- @tparam[opt=0.5] number p probability that an element becomes 0
-- @tparam[opt] table options `p`, `generator`
-- @treturn Module

--- A layer that, in training, drops whole channels of tensors [rows, channels, length], as nn.functional.dropout1d.
-- @function nn.Dropout1d
-- @tparam[opt=0.5] number p probability that a channel becomes 0
-- @tparam[opt] table options `p`, `generator`
-- @treturn Module

--- A layer that, in training, drops whole channels of tensors [rows, channels, height, width], as
-- nn.functional.dropout2d.
-- @function nn.Dropout2d
-- @tparam[opt=0.5] number p probability that a channel becomes 0
-- @tparam[opt] table options `p`, `generator`
-- @treturn Module

--- A layer that, in training, drops whole channels of tensors [rows, channels, depth, height, width], as
-- nn.functional.dropout3d.
-- @function nn.Dropout3d
-- @tparam[opt=0.5] number p probability that a channel becomes 0
-- @tparam[opt] table options `p`, `generator`
-- @treturn Module

--- A layer for dropout after nn.SELU. Unlike nn.Dropout, the layer preserves the mean and the variance of selu's
-- results.
-- @function nn.AlphaDropout
-- @tparam[opt=0.5] number p probability that an element is dropped
-- @tparam[opt] table options `p`, `generator`
-- @treturn Module
local names = {Dropout = "dropout", Dropout1d = "dropout1d", Dropout2d = "dropout2d", Dropout3d = "dropout3d",
               AlphaDropout = "alpha_dropout"}
local classes = {}

for name, fn in pairs(names) do
  local class, f = Module:extend(name), functional[fn]

  function class:init(p, options)
    if type(p) == "table" and options == nil then p, options = p.p, p end
    options = args.options(name, options, {p = true, generator = "generator"})
    self.p = layer.between(name, "p", p == nil and 0.5 or p, 0, 1)
    self.generator = options.generator
  end

  function class:forward(x) return (f(x, {p = self.p, training = self.training, generator = self.generator})) end

  function class:extra() return clocale.format("p = %.14g", self.p) end

  classes[name] = class
end

return classes
