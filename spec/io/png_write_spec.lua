-- tags: process
-- lt.save writes PNG files, which Python decodes with zlib alone.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local fails = helpers.fails

-- Checks a PNG file without interlacing, and prints its header and the pixels of its first 32 rows.
local DECODER = [==[
import struct, sys, zlib
b = open(sys.argv[1], "rb").read()
assert b[:8] == b"\x89PNG\r\n\x1a\n"
at, data, names = 8, b"", []
while at < len(b):
    n, name = struct.unpack(">I4s", b[at:at + 8])
    body = b[at + 8:at + 8 + n]
    assert struct.unpack(">I", b[at + 8 + n:at + 12 + n])[0] == zlib.crc32(name + body)
    names.append(name.decode())
    if name == b"IHDR": header = struct.unpack(">IIBBBBB", body)
    if name == b"IDAT": data += body
    at += 12 + n
w, h, depth, colour = header[:4]
size = {0: 1, 2: 3, 4: 2, 6: 4}[colour] * depth // 8
row, before, raw = w * size, bytearray(w * size), zlib.decompress(data)
assert len(raw) == h * (row + 1)
print(names[0], names[-1], *header)
for y in range(min(h, 32)):
    line = bytearray(raw[y * (row + 1) + 1:(y + 1) * (row + 1)])
    for i in range(row):
        a, b, c = (line[i - size] if i >= size else 0), before[i], (before[i - size] if i >= size else 0)
        p = a + b - c
        best = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        line[i] = line[i] + (0, a, b, (a + b) // 2, best)[raw[y * (row + 1)]] & 255
    print(line.hex())
    before = line
]==]

local folder, script, path
setup(function()
  folder = shell.folder()
  script, path = folder .. "/decode.py", folder .. "/a.png"
  shell.write(script, DECODER)
end)
teardown(function() shell.passes("rm -r " .. folder) end)

-- Returns the header of the file `path`, and its pixels as big-endian hexadecimal text.
local function decode()
  local output = shell.passes(("%s %s %s"):format(os.getenv "PYTHON" or "python3", script, path))
  local header, pixels = output:match "^(.-)\n(.*)$"
  return header, (pixels:gsub("\n", ""))
end

-- Returns the elements of the image x [channels, height, width], pixel by pixel, as big-endian hexadecimal text.
local function hex(x)
  local form = x.dtype == "uint8" and "%02x" or "%04x"
  local words = {}
  for i, value in ipairs(x:permute(2, 3, 1):flatten():totable()) do words[i] = form:format(value) end
  return table.concat(words)
end

-- Returns an image with smooth, striped and random parts, for which different filters are best.
local function image(channels, height, width, dtype)
  local most = dtype == "uint8" and 255 or 65535
  local x = lt.randint(0, most, {channels, height, width}, {dtype = "int64"})
  local ramp = lt.arange(width, {dtype = "int64"}):broadcast_to(channels, height, width)
  local third = lt.arange(height):expand_dims(2):broadcast_to(channels, height, width)
  x = lt.where(third:less(height // 3), ramp * 3, x)
  return lt.where(third:greater(2 * height // 3), ramp.mT:sum() + third:to "int64" * 2 + ramp, x):bitwise_and(most):to(dtype)
end

describe("lt.save writes a PNG", function()
  local colours = {0, 4, 2, 6}
  for _, dtype in ipairs {"uint8", "uint16"} do
    for channels = 1, 4 do
      it(("of %d channels of %s"):format(channels, dtype), function()
        local x = image(channels, 31, 17, dtype)
        lt.save(path, x)
        local header, pixels = decode()
        assert.equal(("IHDR IEND 17 31 %d %d 0 0 0"):format(dtype == "uint8" and 8 or 16, colours[channels]), header)
        assert.equal(hex(x), pixels)
      end)
    end
  end

  it("of a gray image [height, width] and of views", function()
    local x = image(1, 5, 9, "uint8")
    lt.save(path, x[1])
    assert.equal(hex(x), (select(2, decode())))
    lt.save(path, x:flip(3).mT)
    assert.equal(hex(x:flip(3).mT), (select(2, decode())))
  end)

  it("of one pixel, and of several chunks", function()
    lt.save(path, lt.tensor({{7}}, {dtype = "uint8"}))
    assert.equal("07", (select(2, decode())))
    local x = lt.randint(0, 255, {3, 700, 700}, {dtype = "uint8"})         -- 1.47 MB, which cannot be compressed
    lt.save(path, x)
    local header, pixels = decode()
    assert.equal("IHDR IEND 700 700 8 2 0 0 0", header)
    assert.equal(hex(x:narrow(2, 1, 32)), pixels)
    assert.equal(2, select(2, shell.read(path):gsub("IDAT", "")))
  end)

  it("and compresses it by filters", function()
    local ramp = lt.arange(1, 257):broadcast_to(256, 256)
    lt.save(path, (ramp + ramp.T):to "uint8")
    assert.is_true(#shell.read(path) < 256 * 256 // 50)
  end)
end)

describe("lt.save of a PNG refuses", function()
  local bytes = lt.zeros(2, 3, {dtype = "uint8"})
  it("what is no image", function()
    fails("save: " .. path .. ": an image is a tensor, this is a table", lt.save, path, {bytes})
    fails("save: the pixels of an image are uint8 or uint16, these are float32; from 0 to 1: "
          .. 'use (x * 255):round():clip(0, 255):to("uint8")', lt.save, path, lt.zeros(2, 3))
    fails("save: an image is [channels, height, width] with 1 to 4 channels, or [height, width], this is [5, 2, 3]; "
          .. "use x:permute(3, 1, 2)", lt.save, path, lt.zeros(5, 2, 3, {dtype = "uint8"}))
    fails("save: an image is [channels, height, width] with 1 to 4 channels, or [height, width], this is [3]",
          lt.save, path, bytes[1])
    fails("save: an image is [channels, height, width] with 1 to 4 channels, or [height, width], this is [0, 3]",
          lt.save, path, lt.zeros(0, 3, {dtype = "uint8"}))
  end)
  it("metadata, and a path that cannot be written", function()
    fails("save: " .. path .. ": only .safetensors files have metadata", lt.save, path, bytes, {metadata = {a = "b"}})
    fails("save: /nowhere/a.png: No such file or directory", lt.save, "/nowhere/a.png", bytes)
  end)
  it("an image that does not fit into memory", function()
    local x = lt.zeros(1, {dtype = "uint8"}):expand_dims(2):broadcast_to((1 << 31) - 1, (1 << 31) - 1)
    local ok, message = pcall(lt.save, path, x)
    assert.is_false(ok)
    assert.truthy(message:find("save: this takes about 12.0 EiB of memory, ", 1, true), message)
  end)
end)
