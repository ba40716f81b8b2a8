--- nn.functional.interpolate.

local interpolation = require "luatensor.nn.functional.interpolation"

local functional = {}

--- Changes the size of signals, images or volumes, as PyTorch's function does.
--
-- `mode` is "nearest", "nearest-exact", "linear" (signals), "bilinear" or "bicubic" (images), "trilinear" (volumes) or
-- "area" (means of windows). The modes nearest take any dtype, the others floats.
-- @function nn.functional.interpolate
-- @tparam tensor x [batch, channels, length], [batch, channels, height, width] or [batch, channels, depth, height,
--   width]
-- @tparam table options `size`: the lengths of the result, a number or a list; or `scale_factor`: their ratio to the
--   lengths of x, a number or a list; `mode` ("nearest"); `align_corners` (false): the first and the last elements of x
--   and of the result have the same positions; `antialias` (false): a smaller image is a mean of all pixels of x
--   (bilinear and bicubic)
-- @treturn tensor of the dtype of x
-- @raise if the options or the number of dims do not fit the mode
function functional.interpolate(x, options)
  return interpolation.run("interpolate", x, interpolation.read_options("interpolate", options))
end

return functional
