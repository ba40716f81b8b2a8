--- Tests mixed precision (nn.autocast).

local lt = require "luatensor"
local gpu = require "spec.support.gpu"
local nn = require "luatensor.nn"
local autocast = require "luatensor.nn.autocast"

describe("autocast", function()
  it("has linear layers compute in a half float, with float32 parameters and gradients", function()
    local layer, x = nn.Linear(3, 2), lt.randn(4, 3)
    local y = nn.autocast(function() return layer(x) end, {dtype = "bfloat16"})
    assert.equal("bfloat16", y.dtype)
    assert.is_true(lt.allclose(y:to("float32"), layer(x), {rtol = 0.05, atol = 0.05}))
    y:to("float32"):sum():backward()
    assert.equal("float32", layer.weight.dtype)
    assert.equal("float32", layer.weight.grad.dtype)
    assert.is_true(lt.allclose(layer.weight.grad, x:sum(1):broadcast_to(2, 3), {rtol = 0.05, atol = 0.05}))
  end)

  it("is over when the function returns or raises, and can be nested", function()
    local layer, x = nn.Linear(3, 2), lt.randn(4, 3)
    assert.equal("float32", layer(x).dtype)
    assert.is_false(pcall(nn.autocast, error, nil, "x"))
    assert.equal("float32", layer(x).dtype)
    nn.autocast(function()
      assert.equal("float16", layer(x).dtype)
      assert.equal("float32", nn.autocast(layer, {enabled = false}, x).dtype)
      assert.equal("bfloat16", nn.autocast(layer, nil, x).dtype)
      assert.equal("float16", layer(x).dtype)
      assert.equal("float32", autocast.wide(layer(x)).dtype)
    end, {dtype = "float16"})
  end)

  it("leaves float64, integers, and tensors of other devices as they are", function()
    local x, n = lt.randn(2, 2, {dtype = "float64"}), lt.ones(2, {dtype = "int64"})
    nn.autocast(function()
      assert.equal(x, autocast.cast(x))
      assert.equal(n, autocast.cast(n))
      assert.is_nil(autocast.cast(nil))
    end)
    local y = lt.randn(2, {device = "cpu"})
    nn.autocast(function() assert.equal("float32", autocast.cast(y).dtype) end, {device = gpu.kind})
  end)

  it("says what it cannot take", function()
    local function says(words, ...) assert.matches(words, select(2, pcall(...)), 1, true) end
    says("autocast: function expected, got number", nn.autocast, 3)
    says("autocast: dtype: float16 or bfloat16 expected, got float32", nn.autocast, print, {dtype = "float32"})
    says("autocast: unknown option \"type\"; known: device, dtype, enabled", nn.autocast, print, {type = 1})
  end)
end)
