-- data.transforms makes functions of images and of batches of images.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local transforms, fails = lt.data.transforms, helpers.fails
local x = lt.arange(24, {dtype = "float32"}):reshape(2, 3, 4)          -- two channels of 3 × 4

describe("data.transforms", function()
  it("takes the middle of an image", function()
    assert.same({{{5, 6}}, {{17, 18}}}, transforms.center_crop {1, 2}(x):totable())
    assert.same(x:totable(), transforms.center_crop {3, 4}(x):totable())
    assert.equal("[5, 2, 2, 2]", tostring(transforms.center_crop(2)(x:broadcast_to(5, 2, 3, 4)).shape))
  end)

  it("takes every part of an image, and no other", function()
    local crop, seen = transforms.random_crop({2, 3}, {generator = lt.generator {seed = 3}}), {}
    for _ = 1, 60 do
      local part = crop(x)
      local first = part[1][1][1]:item()
      assert.is_true(lt.equal_all(part, x[{ {}, {first // 4 + 1, first // 4 + 2}, {first % 4 + 1, first % 4 + 3} }]))
      seen[first] = true
    end
    for _, first in ipairs {0, 1, 4, 5} do assert.is_true(seen[first]) end
  end)

  it("puts zeros around an image before a random part is taken", function()
    local crop, zeros = transforms.random_crop({3, 4}, {padding = 1, generator = lt.generator {seed = 1}}), 0
    for _ = 1, 20 do
      local part = crop(x + 1)
      assert.equal("[2, 3, 4]", tostring(part.shape))
      if part:min():item() == 0 then zeros = zeros + 1 end
    end
    assert.is_true(zeros > 5)
  end)

  it("mirrors about half of the images", function()
    local flip, mirrored = transforms.random_flip {generator = lt.generator {seed = 2}}, 0
    for _ = 1, 100 do
      local y = flip(x)
      local is_mirrored = y[1][1][1]:item() == 3
      assert.is_true(lt.equal_all(y, is_mirrored and x:flip(3) or x))
      if is_mirrored then mirrored = mirrored + 1 end
    end
    assert.is_true(30 <= mirrored and mirrored <= 70, mirrored)
    assert.is_true(lt.equal_all(transforms.random_flip {p = 1}(x), x:flip(3)))
    assert.is_true(lt.equal_all(transforms.random_flip {p = 0}(x), x))
  end)

  it("repeats its choices with a generator", function()
    local function draw() return transforms.random_crop(2, {generator = lt.generator {seed = 7}})(x):totable() end
    assert.same(draw(), draw())
  end)

  it("makes floats of bytes, and normalises channels", function()
    local bytes = lt.tensor({{{0, 51, 255}}}, {dtype = "uint8"})
    local function near(expected, y) assert.is_true(lt.allclose(y, expected, {rtol = 1e-6}), tostring(y)) end
    near(lt.tensor {{{0, 0.2, 1}}}, transforms.to_float()(bytes))
    assert.equal("float64", transforms.to_float {dtype = "float64"}(bytes).dtype)
    near(lt.tensor {{{0, 0.2, 1}}}, transforms.to_float()(bytes:to "uint16" * 257))
    local y = transforms.normalise({1, 12}, {2, 4})(x)
    near((x[1] - 1) / 2, y[1])
    near((x[2] - 12) / 4, y[2])
    near((x - 1) / 2, transforms.normalise(1, 2)(x))
  end)

  it("resizes images of bytes and floats", function()
    local y = transforms.resize {2, 6}(x)
    local expected = lt.nn.functional.interpolate(x:expand_dims(1), {size = {2, 6}, mode = "bilinear", antialias = true})[1]
    assert.is_true(lt.equal_all(expected, y))
    local bytes = (x * 10):to "uint8"
    local whole = transforms.resize({6, 3}, {mode = "bicubic", antialias = false})(bytes)
    expected = lt.nn.functional.interpolate(bytes:to("float32"):expand_dims(1), {size = {6, 3}, mode = "bicubic"})[1]
    assert.is_true(lt.equal_all(expected:round():clip(0, 255):to "uint8", whole))
    assert.equal("[5, 2, 4, 4]", tostring(transforms.resize(4, {mode = "nearest"})(x:broadcast_to(5, 2, 3, 4)).shape))
    assert.equal("[3, 3]", tostring(transforms.resize(3)(x[1]).shape))
  end)

  it("calls functions in order", function()
    local f = transforms.compose {function(v) return v + 1 end, function(v) return v * 2 end}
    assert.equal(8, f(3))
  end)

  it("refuses what does not fit", function()
    fails("center_crop: 4 × 4 is more than the image has: [2, 3, 4]", transforms.center_crop(4), x)
    fails("random_crop: 6 × 6 is more than the image has: [2, 5, 6]", transforms.random_crop(6, {padding = 1}), x)
    fails("center_crop: size: 0 is out of range", transforms.center_crop, 0)
    fails("normalise: 3 numbers do not fit 2 channels: [2, 3, 4]", transforms.normalise({1, 2, 3}, 1), x)
    fails("normalise: std: a deviation is 0", transforms.normalise, 0, {1, 0})
    fails("normalise: a float image expected, got uint8; call to_float before", transforms.normalise(0, 1), x:to "uint8")
    fails("to_float: uint8, uint16 or a float expected, got int64", transforms.to_float(), x:to "int64")
    fails("random_flip: an image [channels, height, width] or a batch of them expected, got [4]", transforms.random_flip(), x[1][1])
    fails("compose: list[2]: function expected, got number", transforms.compose, {print, 1})
  end)
end)
