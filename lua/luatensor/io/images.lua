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

local QUALITY <const> = 75         -- the default of most programs that write JPEG files

--- Returns an image as the bytes of a JPEG file.
-- @tparam tensor x uint8 with 1 or 3 channels
-- @int[opt=75] quality from 1 to 100
-- @treturn string
function images.to_jpeg(x, quality) return blame.call(core.encode_jpeg, pixels_of(x), quality or QUALITY) end

-- Returns the bytes of a contiguous tensor as Netpbm's formats store them: uint16 has its high byte first.
local function big_endian(x)
  if x.dtype == "uint16" and ("=I2"):pack(1) == "\1\0" then
    x = x:bitwise_left_shift(8):bitwise_or(x:bitwise_right_shift(8))
  end
  return x:to_bytes()
end

-- Returns the pixels, the number of their channels, and the maximum of a sample.
local function netpbm_parts(x)
  x = pixels_of(x):contiguous()
  return x, x.shape[3], x.dtype == "uint8" and 255 or 65535
end

--- Returns an image as the bytes of a Netpbm file: PGM with one channel, PPM with three.
-- @treturn string
function images.to_netpbm(x)
  local pixels, channels, most = netpbm_parts(x)
  if channels % 2 == 0 then blame.fail("save", "this format has no alpha; use the ending .pam or .png") end
  local kind = channels == 1 and "P5" or "P6"
  return ("%s\n%d %d\n%d\n"):format(kind, pixels.shape[2], pixels.shape[1], most) .. big_endian(pixels)
end

local TUPLES <const> = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"}

--- Returns an image as the bytes of a PAM file.
-- @treturn string
function images.to_pam(x)
  local pixels, channels, most = netpbm_parts(x)
  return ("P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n"):format(
    pixels.shape[2], pixels.shape[1], channels, most, TUPLES[channels]) .. big_endian(pixels)
end

-- ---- reading ----

--- The numbers of channels of option `mode` of lt.load.
images.modes = {gray = 1, gray_alpha = 2, rgb = 3, rgba = 4}

--- Returns the image in a file. Its parameters are those of a format's `read` (luatensor.io.formats).
function images.read(path, file, size, options)
  local channels = images.modes[options.mode] or 0
  return core.decode_image(core.read_text(file, path, 0, size), path, channels, options.device)
end

return images
