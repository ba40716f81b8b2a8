-- Tests the documented properties of recurrent layers. nn/pytorch_spec.lua compares their numbers with PyTorch's.
local lt = require "luatensor"
local nn = require "luatensor.nn"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"

local function values(x) return x:detach():flatten():totable() end

local function make(class, inputs, hidden, options)
  options.dtype, options.generator = "float64", lt.generator{seed = 7}
  return nn[class](inputs, hidden, options)
end

-- Returns a layer with the same parameters and other options.
local function twin(layer, class, inputs, hidden, options)
  local other = make(class, inputs, hidden, options)
  other:load_state_dict(layer:state_dict())
  return other
end

local function same(a, b)
  for i, v in ipairs(values(b)) do assert.near(v, values(a)[i], 1e-12) end
end

describe("recurrent layers", function()
  for _, class in ipairs {"RNN", "LSTM", "GRU"} do
    it(class .. ": one op for all steps is what step by step is, forward and back", function()
      local options = {bidirectional = true, num_layers = 2}
      local a = make(class, 3, 4, options)
      local b = twin(a, class, 3, 4, {bidirectional = true, num_layers = 2, fused = false})
      local x = gradient.tensor({5, 2, 3})
      local u, v = x:clone():requires_grad_(), x:clone():requires_grad_()
      local y, h = a(u)
      local z, k = b(v)
      same(y, z)
      same(h, k);
      (y * y):sum():backward();
      (z * z):sum():backward()
      same(u.grad, v.grad)
      local theirs = {}
      for name, p in b:named_parameters() do theirs[name] = p.grad end
      for name, p in a:named_parameters() do same(p.grad, theirs[name]) end
    end)

    it(class .. ": gradients are those of differences, where only a part of the results is used", function()
      local layer = make(class, 2, 3, {})
      gradient.check(class, function(x) return (select(2, layer(x))) end, {gradient.tensor({3, 2, 2})})
      gradient.check(class, function(x, h) return layer(x, h, class == "LSTM" and h * 0.5 or nil)[2] end,
                     {gradient.tensor({3, 2, 2}), gradient.tensor({1, 2, 3})})
    end)

    it(class .. ": any layout of the state before", function()
      local layer, cell = make(class, 3, 4, {}), make(class .. "Cell", 3, 4, {})
      local x, h = gradient.tensor({5, 2, 3}), gradient.tensor({1, 2, 4})
      local broad = gradient.tensor({1, 2, 1}):broadcast_to {1, 2, 4}
      for _, odd in ipairs {h:transpose(2, 3):clone():transpose(2, 3), broad, h:flip {3}} do
        local u, v = odd:detach():requires_grad_(), odd:clone():requires_grad_()
        local plainly, oddly = {layer(x, v, class == "LSTM" and v or nil)}, {layer(x, u, class == "LSTM" and u or nil)}
        for i, y in ipairs(plainly) do same(oddly[i], y) end
        (plainly[1] * plainly[1]):sum():backward();
        (oddly[1] * oddly[1]):sum():backward()
        same(u.grad, v.grad)
        u, v = odd[1], odd[1]:clone()
        local a, b = {cell(x[1], u, class == "LSTM" and u or nil)}, {cell(x[1], v, class == "LSTM" and v or nil)}
        for i, y in ipairs(b) do same(a[i], y) end
      end
    end)

    it(class .. ": a gradient of the last state in any layout", function()
      local layer, x = make(class, 3, 4, {}), gradient.tensor({5, 2, 3})
      local weights = gradient.tensor({1, 4, 2}):transpose(2, 3)
      for k = 2, class == "LSTM" and 3 or 2 do
        local u, v = x:clone():requires_grad_(), x:clone():requires_grad_()
        select(k, layer(u)):backward(weights)
        select(k, layer(v)):backward(weights:clone():contiguous())
        same(u.grad, v.grad);
        (select(k, layer(x:clone():requires_grad_()))):sum():backward()
      end
    end)

    it(class .. ": dropout between layers in training: other numbers, the same mean", function()
      local layer = make(class, 3, 4, {num_layers = 2, dropout = 0.25})
      -- The weights are small, so that the second layer is almost linear in the dropped values.
      local x = gradient.tensor({1, 1, 3}):broadcast_to {1, 20000, 3}
      lt.no_grad(function() layer.weight_ih_l2:mul_(0.01) end)
      local y = layer(x)
      local z = layer:eval()(x)
      assert.is_true((y - z):abs():max():item() > 1e-5)
      local off = (y:mean(2) - z:mean(2)):abs():max():item()
      assert.is_true(off < 1e-4, off)
      layer:train()
      local a, b = layer(x), layer(x)
      assert.is_true((a - b):abs():max():item() > 1e-5)
      layer.generator = lt.generator{seed = 2}
      a = layer(x)
      layer.generator = lt.generator{seed = 2}
      assert.equal(0, (layer(x) - a):abs():max():item())
    end)

    it(class .. ": gradients of gradients step by step, and words where all steps are one op", function()
      local layer = make(class, 2, 2, {fused = false})
      gradient.check(class, gradient.of(function(x) return (layer(x)) end), {gradient.tensor({2, 1, 2})}, {tolerance = 1e-6})
      local fused = make(class, 2, 2, {})
      local x = gradient.tensor({2, 1, 2}):requires_grad_()
      local slope = lt.grad(function(t) return (fused(t)):sum() end)
      assert.is_true(slope(x):allclose(lt.no_grad(slope, x)))
      assert.error_matches(function() slope(x):sum():backward() end,
                           "backward: fused " .. class .. ": no gradient of its gradient; make the layer with {fused = false}")
      assert.is_true(fused.weight_hh_l1:isfinite():all():item())
    end)

    it(class .. ": works without recording, without a batch, without times", function()
      local layer = make(class, 3, 4, {batch_first = true})
      local x = gradient.tensor({2, 5, 3})
      local y = layer(x)
      same(lt.no_grad(layer, x), y)
      same((layer(x[1])), y[1])
      assert.same({2, 0, 4}, {table.unpack((layer(x:narrow(2, 1, 0))).shape)})
      assert.same({0, 5, 4}, {table.unpack((layer(x:narrow(1, 1, 0))).shape)})
    end)

    it(class .. ": half floats go step by step", function()
      local layer = make(class, 3, 4, {}):to("bfloat16")
      local y = layer(lt.ones(2, 1, 3, {dtype = "bfloat16"}))
      assert.equal("bfloat16", y.dtype)
    end)

    it(class .. ": what is kept for backward is seen to change", function()
      local layer = make(class, 3, 4, {})
      local y = layer(gradient.tensor({2, 1, 3}))
      lt.no_grad(function() layer.weight_hh_l1:add_(1) end)
      assert.error_matches(function() y:sum():backward() end, "changed in place")
    end)

    it(class .. ": on the device", function()
      local a = make(class, 3, 4, {})
      local b = twin(a, class, 3, 4, {}):to("float32"):to(helpers.device)
      local x = gradient.tensor({3, 2, 3})
      local u, v = x:clone():requires_grad_(), x:to("float32"):to(helpers.device):requires_grad_()
      local y, z = a(u), b(v)
      y:sum():backward()
      z:sum():backward()
      for i, g in ipairs(values(u.grad)) do assert.near(g, values(v.grad)[i], 1e-5) end
    end)
  end

  it("the same bits for any number of threads", function()
    local layer = nn.LSTM(8, 64, {generator = lt.generator{seed = 1}})
    local x, threads = lt.randn(4, 64, 8), lt.get_num_threads()
    local function gradients(n)
      lt.set_num_threads(n)
      local u = x:clone():requires_grad_();
      (layer(u)):sum():backward()
      lt.set_num_threads(threads)
      return values(u.grad)
    end
    assert.same(gradients(1), gradients(threads))
  end)

  it("say what does not fit", function()
    local layer = nn.LSTM(3, 4, {num_layers = 2})
    for words, list in pairs {
      ["LSTM%(3, 4, num_layers = 2%): the input's last dim must be 3, its shape is %[5, 2, 4%]"] = {lt.zeros(5, 2, 4)},
      ["must be %[times, batch, 3%]"] = {lt.zeros(5)},
      ["tensor expected, got number"] = {3},
      ["h0 must be of shape %[2, 2, 4%], its shape is %[1, 2, 4%]"] = {lt.zeros(5, 2, 3), lt.zeros(1, 2, 4)},
    } do
      assert.error_matches(function() return layer(table.unpack(list)) end, words)
    end
    assert.error_matches(function() nn.RNN(3, 4, {nonlinearity = "sine"}) end, "\"tanh\" or \"relu\"")
    assert.error_matches(function() nn.LSTM(3, 4, {proj_size = 4}) end, "smaller than hidden_size")
    assert.error_matches(function() nn.GRUCell(3, 4)(lt.zeros(2, 5)) end, "GRUCell%(3, 4%)")
  end)
end)
