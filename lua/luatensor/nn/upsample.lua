--- The layer of lt.nn that changes the size of images. The function is in functional/interpolate.lua.

local Module = require "luatensor.nn.module"
local interpolation = require "luatensor.nn.functional.interpolation"
local window = require "luatensor.nn.window"

local Upsample = Module:extend "Upsample"

--- Makes a layer that calls nn.functional.interpolate.
-- @function nn.Upsample
-- @tparam table options those of nn.functional.interpolate
-- @treturn Module takes x [batch, channels, …]
function Upsample:init(options)
  self.options = interpolation.read_options("Upsample", options)
  self.shown = window.shown(options.size or options.scale_factor, options, {"mode", "align_corners", "antialias"})
end

function Upsample:forward(x)
  local y = interpolation.run("Upsample", x, self.options)
  return y
end

function Upsample:extra() return self.shown end

return {Upsample = Upsample}
