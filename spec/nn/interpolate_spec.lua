-- tags: lanes
-- nn.functional.interpolate: dtypes, gradients and errors. spec/nn/pytorch_spec.lua compares its numbers with PyTorch's.
local lt = require "luatensor"
local nn = require "luatensor.nn"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"

local fails, interpolate = helpers.fails, nn.functional.interpolate

describe("interpolate", function()
  it("copies elements of any dtype", function()
    for _, dtype in ipairs {"bool", "uint8", "int64", "float16", "float64"} do
      local x = lt.tensor({{{{1, 0}, {0, 1}}}}, {dtype = dtype})
      local y = interpolate(x, {scale_factor = 2})
      assert.equal(dtype, y.dtype)
      assert.same(lt.tensor({{{{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 1, 1}}}}, {dtype = dtype}):totable(), y:totable())
    end
  end)

  it("rounds half floats once", function()
    local x = lt.randn(1, 2, 9, 7)
    for _, dtype in ipairs {"float16", "bfloat16"} do
      for _, options in ipairs {{size = {5, 11}, mode = "bicubic"}, {size = 4, mode = "bilinear", antialias = true}} do
        local half = x:to(dtype)
        local expected = interpolate(half:to "float32", options):to(dtype)
        local y = interpolate(half, options)
        assert.equal(dtype, y.dtype)
        assert.is_true(lt.equal_all(expected, y))
      end
    end
  end)

  it("gives a new tensor even if nothing changes, and keeps the device", function()
    local x = lt.rand(1, 1, 3, 3)
    local y = interpolate(x, {size = 3, mode = "bilinear"})
    y:zero_()
    assert.is_true(x:max():item() > 0)
    assert.equal(x.device, y.device)
  end)

  it("keeps the mean of an image with option antialias, and constants in every mode", function()
    for _, mode in ipairs {"nearest", "nearest-exact", "bilinear", "bicubic", "area"} do
      local y = interpolate(lt.full({1, 1, 7, 9}, 2.5), {size = {4, 20}, mode = mode})
      assert.is_true(lt.allclose(y, lt.full({1, 1, 4, 20}, 2.5)))
    end
    local x = lt.rand(1, 1, 64, 64)
    local y = interpolate(x, {size = 8, mode = "bilinear", antialias = true})
    assert.is_true(math.abs(y:mean():item() - x:mean():item()) < 0.02)
  end)

  it("keeps at most 16 MiB of weights, and gives the same result after they were dropped", function()
    local x = lt.rand(1, 1, 1024, 1)
    local options = {size = {700, 1}, mode = "bicubic", antialias = true}
    local first = interpolate(x, options)
    collectgarbage()
    local before = lt.memory(x.device).live
    for length = 701, 707 do interpolate(x, {size = {length, 1}, mode = "bicubic", antialias = true}) end
    collectgarbage()
    local more = lt.memory(x.device).live - before
    assert.is_true(more < 16 * 2 ^ 20, more)
    assert.is_true(lt.equal_all(first, interpolate(x, options)))
  end)

  it("refuses what does not fit", function()
    local x = lt.rand(1, 2, 3, 4)
    local cases = {
      ["interpolate: either size or scale_factor must be given"] = {x, {}},
      ["interpolate: size: 0 is out of range"] = {x, {size = 0}},
      ["interpolate: the length that scale_factor gives: 0 is out of range"] = {x, {scale_factor = 0.1}},
      ["interpolate: scale_factor: a number above 0 expected, got -1"] = {x, {scale_factor = -1}},
      ["interpolate: size: 2 numbers expected, got 3"] = {x, {size = {1, 2, 3}}},
      ["interpolate: align_corners is not for mode \"nearest\""] = {x, {size = 2, align_corners = true}},
      ["interpolate: antialias is for the modes bilinear and bicubic, not for \"area\""] = {x, {size = 2, mode = "area", antialias = true}},
      ["interpolate: mode \"bilinear\" takes [batch, channels, height, width], the shape of x is [2, 3, 4]"] = {x[1], {size = 2, mode = "bilinear"}},
      ["interpolate: a float expected for mode \"bilinear\", got uint8; use data.transforms.to_float"] = {x:to "uint8", {size = 2, mode = "bilinear"}},
      ["interpolate: x has no elements along dim 3: [1, 2, 0, 4]"] = {lt.zeros(1, 2, 0, 4), {size = 2}},
    }
    for message, given in pairs(cases) do fails(message, interpolate, given[1], given[2]) end
    fails("Upsample: either size or scale_factor must be given", nn.Upsample)
  end)
end)

describe("nn.Upsample", function()
  it("prints its options, and is a layer", function()
    assert.equal('Upsample({5, 7}, mode = "bilinear")', tostring(nn.Upsample {size = {5, 7}, mode = "bilinear"}))
    local net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Upsample {scale_factor = 2}):to(helpers.device)
    assert.equal("[1, 2, 6, 6]", tostring(net(lt.rand(1, 1, 5, 5)).shape))
  end)
end)

if tostring(helpers.device) == "cpu" then
  describe("the gradient of interpolate", function()
    for _, options in ipairs {
      {size = {3, 7}}, {size = {7, 3}, mode = "bilinear"}, {size = {6, 2}, mode = "bicubic"}, {size = {2, 3}, mode = "area"},
      {size = {2, 3}, mode = "bicubic", antialias = true},
    } do
      it(("of mode %s agrees with differences"):format(options.mode or "nearest"), function()
        gradient.check("interpolate", function(x) return interpolate(x, options) end, {gradient.tensor({1, 2, 4, 5}, -1, 1)})
      end)
    end
  end)
end
