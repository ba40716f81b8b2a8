--- Images in files. An image is a tensor [channels, height, width] of dtype uint8 or uint16, as nn's convolutions take
-- images: 1 channel is gray, 2 are gray and alpha, 3 are RGB, 4 are RGB and alpha.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"

local images = {}

local MOST_CHANNELS <const> = 4

-- Returns the pixels as the core takes them, [height, width, channels]. x: an image, or a gray image [height, width].
local function pixels_of(x)
  if core.gone(x) then blame.fail("save", "the image: %s", core.gone(x)) end
  local shape = x.shape
  local last = x.ndim == 3 and shape[3] or MOST_CHANNELS + 1
  if x.ndim == 2 then x = x:expand_dims(1) end
  local channels = x.ndim == 3 and x.shape[1] or 0
  if channels < 1 or channels > MOST_CHANNELS or x.size == 0 then
    blame.fail("save", "an image is [channels, height, width] with 1 to 4 channels, or [height, width], this is %s%s",
               tostring(shape), last <= MOST_CHANNELS and "; use x:permute(3, 1, 2)" or "")
  end
  if x.dtype ~= "uint8" and x.dtype ~= "uint16" then
    blame.fail("save", "the pixels of an image are uint8 or uint16, these are %s%s", x.dtype,
               x.dtype:find "float" and "; from 0 to 1: use (x * 255):round():clip(0, 255):to(\"uint8\")" or "")
  end
  return x:detach():permute(2, 3, 1)
end

--- Returns an image as the bytes of a PNG file.
-- @tparam tensor x uint8 or uint16, [channels, height, width] or [height, width]
-- @treturn string
function images.to_png(x) return blame.call(core.encode_png, pixels_of(x)) end

return images
