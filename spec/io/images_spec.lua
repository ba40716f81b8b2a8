-- tags: process
-- lt.load and lt.save of images. spec/data/make_images.py wrote the files and their pixels by Pillow.
local lt = require "luatensor"
local crc_of = require "spec.support.fuzz.crc"
local data = require "spec.support.data"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local fails = helpers.fails
local cases = data.read "images"

local path = os.tmpname()
teardown(function() os.remove(path) end)

local function bytes_of(hex) return (hex:gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end)) end

-- Returns the image whose pixels are in the row, [channels, height, width].
local function image_of(shape, size, hex)
  local values = {}
  for word in hex:gmatch(("%x"):rep(2 * size)) do values[#values + 1] = tonumber(word, 16) end
  return lt.tensor(values, {dtype = size == 1 and "uint8" or "uint16"}):reshape(shape[2], shape[3], shape[1]):permute(3, 1, 2)
end

local function is_equal(expected, x)
  assert.equal(expected.dtype, x.dtype)
  assert.equal(tostring(expected.shape), tostring(x.shape))
  assert.is_true(lt.equal_all(expected, x))
end

-- Returns true if the library for JPEG is missing.
local no_jpeg = (function()
  for _, row in ipairs(cases.files) do
    if row.name == "jpeg gray" then shell.write(path, bytes_of(row.file)) end
  end
  local ok, message = pcall(lt.load, path)
  return not ok and message:find("this needs libjpeg-turbo", 1, true) ~= nil
end)()

-- Like `it`, for a test that needs the library.
local function it_jpeg(name, body)
  it(name, function()
    if no_jpeg then return pending "no libturbojpeg here" end
    body()
  end)
end

-- Returns an image with smooth, striped and random parts, for which different filters are best.
local function mixed(channels, height, width, dtype)
  local most = dtype == "uint8" and 255 or 65535
  local x = lt.randint(0, most, {channels, height, width}, {dtype = "int64"})
  local ramp = lt.arange(width, {dtype = "int64"}):broadcast_to(channels, height, width)
  local y = lt.arange(height, {dtype = "int64"}):expand_dims(2):broadcast_to(channels, height, width)
  x = lt.where(y:less(height // 3), ramp * 3, x)
  return lt.where(y:greater(2 * height // 3), y * 2 + ramp, x):bitwise_and(most):to(dtype)
end

describe("lt.load reads", function()
  for _, row in ipairs(cases.files) do
    local jpeg = row.name:find "^jpeg"
    local define = jpeg and it_jpeg or it
    define(row.name, function()
      shell.write(path, bytes_of(row.file))
      local x, expected = lt.load(path), image_of(row.shape, row.size, row.pixels)
      if not jpeg then return is_equal(expected, x) end
      -- decoders may round differently by 1
      assert.equal(tostring(expected.shape), tostring(x.shape))
      assert.is_true((x:to "int64" - expected:to "int64"):abs():max():item() <= 1)
    end)
  end

  it("an image with other channels", function()
    for from in ("gray gray_alpha rgb rgba"):gmatch "%S+" do
      local channels = {gray = 1, gray_alpha = 2, rgb = 3, rgba = 4}
      lt.save(path .. ".png", image_of({channels[from], 3, 4}, 1, cases.modes[from]))
      is_equal(lt.load(path .. ".png"), lt.load(path .. ".png", {mode = from}))
      for to, hex in pairs(cases.modes) do
        local x = lt.load(path .. ".png", {mode = to})
        assert.equal(channels[to], x.shape[1])
        if from == "rgba" then is_equal(image_of({channels[to], 3, 4}, 1, hex), x) end
        if from == "gray" then is_equal(lt.load(path .. ".png")[1], x[1]) end
        if channels[to] % 2 == 0 and channels[from] % 2 == 1 then assert.equal(255, x[-1]:min():item()) end
      end
    end
    os.remove(path .. ".png")
  end)

  it("the first image of a Netpbm file with several", function()
    shell.write(path, "P5 1 1 255\nAP5 1 1 255\nB")
    is_equal(lt.tensor({{{65}}}, {dtype = "uint8"}), lt.load(path))
  end)

  it_jpeg("a JPEG with bytes between its parts", function()
    for _, row in ipairs(cases.files) do
      if row.name == "jpeg 4:2:0" then
        shell.write(path, (bytes_of(row.file):gsub("\xff\xd9$", "abc\xff\xd9")))
        is_equal(image_of(row.shape, row.size, row.pixels), lt.load(path))
      end
    end
  end)
end)

describe("lt.save writes", function()
  local function keeps(ending, x)
    local name = path .. ending
    lt.save(name, x)
    local y = lt.load(name)
    os.remove(name)
    is_equal(x.ndim == 2 and x:expand_dims(1) or x, y)
    return name
  end

  for _, dtype in ipairs {"uint8", "uint16"} do
    for channels = 1, 4 do
      it(("%d channels of %s as PNG and Netpbm"):format(channels, dtype), function()
        local x = mixed(channels, 31, 17, dtype)
        keeps(".png", x)
        keeps(".PAM", x)
        if channels % 2 == 1 then keeps(channels == 1 and ".pgm" or ".ppm", x) end
      end)
    end
  end

  it("a gray image [height, width], views, and one pixel", function()
    local x = mixed(3, 9, 5, "uint8")
    keeps(".png", x[2])
    keeps(".png", x:flip(3).mT)
    keeps(".pnm", x:flip(3).mT)
    keeps(".png", lt.tensor({{7}}, {dtype = "uint8"}))
  end)

  it("a PNG of several chunks, which filters make small", function()
    local x = lt.randint(0, 255, {3, 700, 700}, {dtype = "uint8"})         -- 1.47 MB, which cannot be compressed
    keeps(".png", x)
    local ramp = lt.arange(1, 257):broadcast_to(256, 256)
    lt.save(path .. ".png", (ramp + ramp.T):to "uint8")
    assert.is_true(#shell.read(path .. ".png") < 256 * 256 // 50)
    os.remove(path .. ".png")
  end)

  it("the header of a PGM and of a PPM as their formats say", function()
    lt.save(path .. ".pgm", lt.tensor({{258, 3}}, {dtype = "uint16"}))
    assert.equal("P5\n2 1\n65535\n\1\2\0\3", shell.read(path .. ".pgm"))
    lt.save(path .. ".ppm", lt.tensor({{{1}}, {{2}}, {{3}}}, {dtype = "uint8"}))
    assert.equal("P6\n1 1\n255\n\1\2\3", shell.read(path .. ".ppm"))
    os.remove(path .. ".pgm")
    os.remove(path .. ".ppm")
  end)

  it_jpeg("a JPEG, the better the higher its quality", function()
    local ramp = lt.arange(64, {dtype = "int64"})
    local gray = (ramp:expand_dims(1) * 2 + ramp:expand_dims(2)):to "uint8"
    local x = lt.stack {gray, gray:flip(1), gray:flip(2)}
    local before, sizes = math.huge, {}
    for _, quality in ipairs {10, 75, 100} do
      lt.save(path .. ".jpg", x, {quality = quality})
      local far = (lt.load(path .. ".jpg"):to "int64" - x:to "int64"):abs():max():item()
      assert.is_true(far <= before, far)
      before, sizes[#sizes + 1] = far, #shell.read(path .. ".jpg")
    end
    assert.is_true(before <= 10 and sizes[1] < sizes[2] and sizes[2] < sizes[3])
    lt.save(path .. ".jpg", x)
    assert.equal(sizes[2], #shell.read(path .. ".jpg"))
    os.rename(path .. ".jpg", path .. ".jpeg")
    lt.save(path .. ".jpeg", gray)
    assert.equal("[1, 64, 64]", tostring(lt.load(path .. ".jpeg").shape))
    os.remove(path .. ".jpeg")
  end)
end)

describe("lt.save of an image refuses", function()
  local bytes, png = lt.zeros(2, 3, {dtype = "uint8"}), path .. ".png"
  it("what is no image", function()
    local form = "save: an image is [channels, height, width] with 1 to 4 channels, or [height, width], this is "
    fails("save: " .. png .. ": an image is a tensor, this is a table", lt.save, png, {bytes})
    fails("save: the pixels of an image are uint8 or uint16, these are float32; from 0 to 1: "
          .. 'use (x * 255):round():clip(0, 255):to("uint8")', lt.save, png, lt.zeros(2, 3))
    fails(form .. "[5, 2, 3]; use x:permute(3, 1, 2)", lt.save, png, lt.zeros(5, 2, 3, {dtype = "uint8"}))
    fails(form .. "[3]", lt.save, png, bytes[1])
    fails(form .. "[0, 3]", lt.save, png, lt.zeros(0, 3, {dtype = "uint8"}))
    assert.is_false(shell.exists(png))
  end)
  it("what the format lacks", function()
    local rgba = lt.zeros(4, 2, 2, {dtype = "uint8"})
    fails("save: JPEG has gray and RGB images of uint8 alone", lt.save, path .. ".jpg", rgba)
    fails("save: JPEG has gray and RGB images of uint8 alone", lt.save, path .. ".jpg", bytes:to "uint16")
    fails("save: JPEG has at most 65500 pixels in a row or a column", lt.save, path .. ".jpg", bytes[1][1]:broadcast_to(1, 65501))
    fails("save: this format has no alpha; use the ending .pam or .png", lt.save, path .. ".ppm", rgba)
  end)
  it("options of other formats, and a path that cannot be written", function()
    fails("save: " .. png .. ": only .safetensors files have metadata", lt.save, png, bytes, {metadata = {a = "b"}})
    fails("save: " .. png .. ": option quality is for files that end in .jpg, .jpeg", lt.save, png, bytes, {quality = 3})
    fails("save: quality: 101 is out of range", lt.save, path .. ".jpg", bytes, {quality = 101})
    fails("save: /nowhere/a.png: No such file or directory", lt.save, "/nowhere/a.png", bytes)
    lt.save(path, bytes)
    fails("load: " .. path .. ": option mode is for images", lt.load, path, {mode = "rgb"})
    fails("load: mode: one of gray, gray_alpha, rgb, rgba expected, got cmyk", lt.load, path, {mode = "cmyk"})
  end)
  it("an image that does not fit into memory", function()
    local x = lt.zeros(1, {dtype = "uint8"}):expand_dims(2):broadcast_to((1 << 31) - 1, (1 << 31) - 1)
    local ok, message = pcall(lt.save, png, x)
    assert.is_false(ok)
    assert.truthy(message:find("save: this takes about 12.0 EiB of memory, ", 1, true), message)
  end)
end)

describe("lt.load refuses", function()
  local function refuses(words, bytes)
    shell.write(path, bytes)
    fails("load: " .. path .. ": " .. words, lt.load, path)
  end

  -- Returns a PNG's chunk with the checksum that Lua computes.
  local function chunk(name, body)
    return (">I4"):pack(#body) .. name .. body .. (">I4"):pack(crc_of(name .. body))
  end
  local START <const> = "\x89PNG\r\n\x1a\n"
  local function header(width, height, depth, kind, rest)
    return START .. chunk("IHDR", (">I4I4BB"):pack(width, height, depth, kind) .. (rest or "\0\0\0"))
  end
  local FINISH <const> = chunk("IEND", "")
  -- zlib data without compression
  local function stored(raw)
    local a, b = 1, 0
    for byte in raw:gmatch "." do
      a = (a + byte:byte()) % 65521
      b = (b + a) % 65521
    end
    return "\x78\1\1" .. ("<I2I2"):pack(#raw, 0xffff - #raw) .. raw .. (">I2I2"):pack(b, a)
  end

  it("every beginning of a file", function()
    for _, row in ipairs(cases.files) do
      local bytes = bytes_of(row.file)
      -- the text of the last sample may end early, and TurboJPEG adds a missing end to a JPEG
      local safe = row.name:find "P[123]" and 4 or row.name:find "jpeg" and 8 or 0
      local step = row.name:find "jpeg" and 37 or 1
      for n = 1, #bytes - 1 - safe, step do
        shell.write(path, bytes:sub(1, n))
        local ok, message = pcall(lt.load, path)
        assert.is_false(ok, row.name .. ": " .. n)
        assert.truthy(message:find "load: ", message)
      end
    end
  end)

  it("damaged PNGs", function()
    local good = header(2, 1, 8, 0) .. chunk("IDAT", stored "\0ab") .. FINISH
    shell.write(path, good)
    assert.same({{{97, 98}}}, lt.load(path):totable())
    refuses("PNG: truncated", START)
    refuses("PNG: damaged: a checksum is wrong", (good:gsub("IDAT", "IDAU")))
    refuses("PNG: damaged: no header", START .. chunk("IDAT", stored "\0ab") .. FINISH)
    refuses("PNG: damaged: its header has an unknown value", header(2, 1, 3, 0) .. FINISH)
    refuses("PNG: damaged: its header has an unknown value", header(2, 1, 8, 5) .. FINISH)
    refuses("PNG: damaged: its header has an unknown value", header(0, 1, 8, 0) .. FINISH)
    refuses("PNG: damaged: its header has an unknown value", header(1, 1 << 31, 8, 0) .. FINISH)
    refuses("PNG: damaged: its header has an unknown value", header(1, 1, 8, 0, "\0\0\2") .. FINISH)
    refuses("PNG: damaged: it has no pixels", header(2, 1, 8, 0) .. FINISH)
    refuses("PNG: its chunk ABCD is not supported", header(2, 1, 8, 0) .. chunk("ABCD", "") .. FINISH)
    refuses("PNG: damaged: it has no palette", header(2, 1, 8, 3) .. chunk("IDAT", stored "\0ab") .. FINISH)
    refuses("PNG: damaged: its palette is no list of colours", header(2, 1, 8, 3) .. chunk("PLTE", "ab") .. FINISH)
    refuses("PNG: damaged: its transparent colours do not fit", header(2, 1, 8, 0) .. chunk("tRNS", "a") .. FINISH)
    refuses("PNG: damaged: its transparent colours do not fit", header(2, 1, 8, 4) .. chunk("tRNS", "ab") .. FINISH)
    refuses("PNG: truncated: too few pixels", header(2, 1, 8, 0) .. chunk("IDAT", stored "\0a") .. FINISH)
    refuses("PNG: truncated: too few pixels", header(2, 2, 8, 0) .. chunk("IDAT", stored("\0ab"):sub(1, -5)) .. FINISH)
    refuses("PNG: damaged: its pixels: incorrect header check", header(2, 1, 8, 0) .. chunk("IDAT", "abcdefghij") .. FINISH)
    refuses("PNG: damaged: a row has an unknown filter", header(2, 1, 8, 0) .. chunk("IDAT", stored "\5ab") .. FINISH)
    refuses("PNG: damaged: its pixels: incorrect data check",
            header(2, 1, 8, 0) .. chunk("IDAT", (stored("\0ab"):gsub("....$", "abcd"))) .. FINISH)
  end)

  it("a PNG whose colours the palette lacks only by making them black", function()
    shell.write(path, header(2, 1, 8, 3) .. chunk("PLTE", "abc") .. chunk("IDAT", stored "\0\0\9") .. FINISH)
    assert.same({{{97, 0}}, {{98, 0}}, {{99, 0}}}, lt.load(path):totable())
  end)

  it("sizes beyond the file before it takes memory", function()
    local most = (1 << 31) - 1
    refuses("PNG: truncated: too short for its pixels", header(most, most, 16, 6) .. chunk("IDAT", stored "\0ab") .. FINISH)
    refuses("PNG: truncated: too short for its pixels", header(40000, 40000, 1, 0) .. chunk("IDAT", stored "\0ab") .. FINISH)
    refuses("Netpbm: truncated", "P5 2147483647 2147483647 65535\nabc")
    refuses("Netpbm: truncated", "P3 100000 100000 255\n1 2 3")
    refuses("Netpbm: truncated", "P7\nWIDTH 2147483647\nHEIGHT 2147483647\nDEPTH 4\nMAXVAL 65535\nENDHDR\nabc")
  end)

  it("damaged Netpbm files", function()
    refuses("Netpbm: damaged: its header lacks a size", "P5 ")
    refuses("Netpbm: damaged: its header lacks a size", "P5 0 3 255\n")
    refuses("Netpbm: damaged: its header lacks a size", "P5 3 3 65536\nabcdefghi")
    refuses("Netpbm: damaged: its header lacks a size", "P5 99999999999999999999999 3 255\nabcdefghi")
    refuses("Netpbm: damaged: no space after its header", "P5 1 1 255")
    refuses("Netpbm: damaged: a sample is missing, or above the maximum", "P5 1 1 3\n\4")
    refuses("Netpbm: damaged: a sample is missing, or above the maximum", "P2 2 1 3\n1 x")
    refuses("Netpbm: damaged: a sample is missing, or above the maximum", "P1 2 1\n1 2")
    refuses("Netpbm: damaged: its header has an unknown line", "P7\nFOO 1\nENDHDR\n")
    refuses("Netpbm: 5 channels are more than an image has", "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 1\nENDHDR\nabcde")
  end)

  it_jpeg("damaged and absurd JPEGs", function()
    for _, row in ipairs(cases.files) do
      if row.name == "jpeg 4:2:0" then
        local bytes = bytes_of(row.file)
        refuses("JPEG: Premature end of JPEG file", bytes:sub(1, -20))
        local large = bytes:gsub("(\xff\xc0..\8)....", "%1\xff\xdc\xff\xdc")
        assert.not_equal(bytes, large)
        refuses("JPEG: truncated: too short for its pixels", large)
        refuses("JPEG: Maximum supported image dimension is 65500 pixels", (bytes:gsub("(\xff\xc0..\8)....", "%1\xff\xff\xff\xff")))
      end
    end
    shell.write(path, "\xff\xd8\xff\xe0 and so on")
    assert.is_false((pcall(lt.load, path)))
  end)

  it("a JPEG if its library is missing", function()
    for _, row in ipairs(cases.files) do
      if row.name == "jpeg gray" then shell.write(path, bytes_of(row.file)) end
    end
    local output = shell.passes(("LUATENSOR_JPEG_PATH=/nowhere tools/lua -e 'print(pcall(require(\"luatensor\").load, \"%s\"))'"):format(path))
    assert.truthy(output:find("JPEG: this needs libjpeg-turbo's library libturbojpeg; install libturbojpeg0 (Debian)", 1, true), output)
  end)

  it("other formats", function()
    refuses("no file of a known format: .npy, .npz, .safetensors, PNG, JPEG, Netpbm", "GIF89a and so on")
    refuses("no file of a known format: .npy, .npz, .safetensors, PNG, JPEG, Netpbm", "P8 1 1 255\na")
  end)
end)
