-- Tests Module:summary: shapes, parameters, bytes, and the state that it must not change.

local helpers = require "spec.support.helpers"
local lt = require "luatensor"
local nn = require "luatensor.nn"

local device = helpers.device

local function network()
  return nn.Sequential(nn.Conv2d(1, 4, 3, {padding = 1}), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                       nn.Dropout(0.5), nn.Sequential(nn.Linear(64, 10))):to(device)
end

describe("a summary", function()
  it("has the shapes and parameters of all modules", function()
    local model = network()
    model[1]:requires_grad_(false)
    local made = model:summary(2, 1, 8, 8)
    local names, shapes, counts = {}, {}, {}
    for i, row in ipairs(made.layers) do
      names[i], shapes[i], counts[i] = row.name .. row.class, table.concat(row.output, " "), row.parameters
    end
    assert.same({"Sequential", "1Conv2d", "2BatchNorm2d", "3ReLU", "4MaxPool2d", "5Flatten", "6Dropout", "7Sequential",
                 "7.1Linear"}, names)
    assert.same({"[2, 10]", "[2, 4, 8, 8]", "[2, 4, 8, 8]", "[2, 4, 8, 8]", "[2, 4, 4, 4]", "[2, 64]", "[2, 64]", "[2, 10]",
                 "[2, 10]"}, shapes)
    assert.same({0, 40, 8, 0, 0, 0, 0, 0, 650}, counts)
    assert.same({698, 658}, {made.parameters, made.trained})
    assert.equal(698 * 4 + 2 * 4 * 4 + 8, made.bytes)                     -- running mean and variance; batches counted, int64
  end)

  it("is printed as a table with the totals", function()
    local model = nn.Sequential(nn.Linear(4, 300), nn.ReLU(), nn.Sequential(nn.Linear(300, 2)))
    assert.equal([[
module             output    parameters
───────────────────────────────────────
Sequential         [1, 2]             –
  (1): Linear      [1, 300]       1,500
  (2): ReLU        [1, 300]           –
  (3): Sequential  [1, 2]             –
    (1): Linear    [1, 2]           602
───────────────────────────────────────
2,102 parameters, 2,102 trained, 8.2 KiB]], tostring(model:summary(1, 4)))
  end)

  it("changes neither modes, buffers, random numbers nor hooks", function()
    local model, count = network(), 0
    model[6]:eval()
    model[3]:register_forward_hook(function() count = count + 1 end)
    local state, generator, class = model:state_dict(), lt.default_generator():state(), getmetatable(model)
    for name, x in pairs(state) do state[name] = x:clone() end
    model:summary(2, 1, 8, 8)
    assert.falsy(pcall(model.summary, model, 2, 3, 8, 8))
    for name, x in pairs(model:state_dict()) do assert.is_true(lt.equal_all(state[name], x), name) end
    assert.same(generator, lt.default_generator():state())
    assert.same({true, true, false}, {model.training, model[2].training, model[6].training})
    assert.equal(1, count)
    assert.truthy(rawequal(class, getmetatable(model)))
    assert.is_true(model(lt.ones(2, 1, 8, 8, {device = device})).requires_grad)
  end)

  it("takes several inputs, tensors, and networks with several results", function()
    local tokens = nn.Sequential(nn.Embedding(10, 4), nn.LSTM(4, 3, {batch_first = true})):to(device)
    local x = lt.ones(2, 5, {dtype = "int64", device = device})
    assert.same({"[2, 5, 3]", "[1, 2, 3]", "[1, 2, 3]"}, tokens:summary(x).layers[3].output)
    local attention = nn.MultiheadAttention(4, 2, {dtype = "float64", device = device})
    local made = attention:summary({5, 1, 4}, {6, 1, 4}, {6, 1, 4})
    assert.same({"[5, 1, 4]", "[1, 5, 6]"}, made.layers[1].output)
  end)

  it("names modules that are not called", function()
    local Net = nn.Module:extend "Net"
    function Net:init()
      self.spare = nn.ReLU()
      self.used = nn.Linear(2, 2)
    end
    function Net:forward(x) return self.used(x) end
    local made = Net():summary(1, 2)
    assert.same({true, false, true}, {made.layers[1].called, made.layers[2].called, made.layers[3].called})
    assert.truthy(tostring(made):find "%(spare%): ReLU +not called")
  end)

  it("takes networks without parameters", function()
    for _, model in ipairs{nn.ReLU(), nn.Flatten(), nn.Dropout(), nn.Sequential(), nn.Sequential(nn.ReLU())} do
      local made = model:summary(1, 3)
      assert.same({"[1, 3]", 0, 0}, {made.layers[1].output[1], made.parameters, made.bytes})
    end
  end)

  it("counts shared parameters once", function()
    local inner = nn.Linear(3, 3)
    assert.equal(12, nn.Sequential(inner, nn.ReLU(), inner):summary(1, 3).parameters)
  end)

  it("refuses what is no input", function()
    local model = nn.Linear(2, 2)
    assert.raises("summary: the shape of the input expected, such as model:summary(1, 3, 32, 32), or a tensor",
      function() model:summary() end)
    assert.raises("summary: input 1: a shape or a tensor expected, got string", function() model:summary "x" end)
    assert.raises("summary: a length: -1 is out of range", function() model:summary(-1, 2) end)
  end)
end)
