--- The formats that lt.save and lt.load know, besides .npy and .safetensors. A row describes one format:
--
--     endings      the endings of paths for which lt.save writes the format
--     write        function(path, value, options): writes a file
--     saving       the options of lt.save that are for this format alone, as args.options takes them
--     begins       function(first): true if a file begins like this format; first: its first 300 bytes, or fewer
--     read         function(path, file, size, options): returns the value of a file; file, size: the results of
--                  core.open_tensors
--     loading      the options of lt.load that are for this format alone
--     called       the format's name in errors about options, if it is not "files that end in …"
--
-- A row has `write` or `read`, or both.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local images = require "luatensor.io.images"
local npz = require "luatensor.io.npz"

-- Writes the text to the path. The old file remains until the new one is complete.
local function write_text(path, text)
  local ok, why = core.write_file(path, text)
  if not ok then blame.fail("save", "%s: %s", path, why) end
end

-- Returns the row of a format of images. encode: a function that returns the bytes of a file.
local function image(endings, encode, saving)
  return {endings = endings, saving = saving, write = function(path, x, options)
    if not core.is_tensor(x) then
      blame.fail("save", "%s: an image is a tensor, this is a %s", path, core.type_name(x))
    end
    write_text(path, encode(x, options.quality))
  end}
end

return {
  image({"png"}, images.to_png),
  image({"jpg", "jpeg"}, images.to_jpeg, {quality = {"integer", 1, 100}}),
  image({"pgm", "ppm", "pnm"}, images.to_netpbm),
  image({"pam"}, images.to_pam),
  {endings = {}, called = "images", begins = core.is_image, read = images.read,
   loading = {mode = {"choice", "gray", "gray_alpha", "rgb", "rgba"}}},
  {endings = {"npz"}, write = npz.write, saving = {compress = "boolean"}, begins = npz.begins, read = npz.read},
}
