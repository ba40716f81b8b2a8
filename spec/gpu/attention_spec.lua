-- tags: unplugged
-- Attention and recurrent layers raise errors for tensors on several devices, before any memory is accessed.
local core = require "luatensor.core"
local lt = require "luatensor"
local nn = require "luatensor.nn"
local gpu = require "spec.support.gpu"
require "spec.support.helpers"

local attend = nn.functional.scaled_dot_product_attention

gpu.describe("tensors on two devices", {{}}, function()
  local here, there = {device = "cpu"}, {device = gpu.kind .. ":0"}

  local function refused(words, f, ...)
    local list = table.pack(...)
    assert.error_matches(function() return f(table.unpack(list, 1, list.n)) end, words)
  end

  it("attention says which", function()
    local x, y = lt.ones(2, 3, 4, here), lt.ones(2, 3, 4, there)
    refused("the keys are on " .. gpu.kind .. ":0, the queries on cpu", attend, x, y, x)
    refused("the values are on " .. gpu.kind .. ":0, the queries on cpu", attend, x, x, y)
    refused("the keys are on cpu, the queries on " .. gpu.kind .. ":0", attend, y, x, y)
    refused("attn_mask is on " .. gpu.kind .. ":0, the queries on cpu", attend, x, x, x, {attn_mask = lt.ones(3, 3, there)})
  end)

  it("so does the op itself", function()
    local function ones(options, ...) return lt.ones(1, 1, 3, ..., options) end
    local x, y, out = ones(here, 4), ones(there, 4), ones(here, 4)
    refused("#2 .*no operand", core.attention, x, y, x, 1, false, nil, out)
    refused("#3 .*no operand", core.attention, x, x, y, 1, false, nil, out)
    refused("no mask", core.attention, x, x, x, 1, false, ones(there, 3), out)
    refused("no operand", core.attention, x, x, x, 1, false, nil, y)
    refused("no sums", core.attention, x, x, x, 1, false, nil, out, lt.ones(1, 1, 3, there))
  end)

  it("MultiheadAttention says which", function()
    local mha = nn.MultiheadAttention(4, 2, here)
    local x, y = lt.ones(3, 2, 4, here), lt.ones(3, 2, 4, there)
    refused("the key is on " .. gpu.kind .. ":0, the query on cpu", mha, x, y, x)
    refused("the value is on " .. gpu.kind .. ":0, the query on cpu", mha, x, x, y)
    refused("attn_mask is on " .. gpu.kind .. ":0, the query on cpu", mha, x, {attn_mask = lt.ones(3, 3, there)})
    refused("key_padding_mask is on " .. gpu.kind .. ":0", mha, x, {key_padding_mask = lt.ones(2, 3, there), need_weights = false})
  end)

  it("recurrent layers and cells say which", function()
    local x, h = lt.ones(5, 2, 3, here), lt.ones(1, 2, 4, there)
    local mine = lt.ones(1, 2, 4, here)
    for _, class in ipairs {"RNN", "LSTM", "GRU"} do
      refused(class .. "%(3, 4%): h0 is on " .. gpu.kind .. ":0, the input on cpu", nn[class](3, 4, here), x, h)
      refused("h is on " .. gpu.kind .. ":0, the input on cpu", nn[class .. "Cell"](3, 4, here), x[1], h[1])
    end
    refused("c0 is on " .. gpu.kind .. ":0, the input on cpu", nn.LSTM(3, 4, here), x, mine, h)
    refused("c is on " .. gpu.kind .. ":0, the input on cpu", nn.LSTMCell(3, 4, here), x[1], mine[1], h[1])
  end)
end)
