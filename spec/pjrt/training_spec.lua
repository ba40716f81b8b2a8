-- tags: process
-- The notebook's experiments and the training of an MLP, a CNN and a transformer on a device of a plugin of PJRT, which
-- LUATENSOR_PJRT_XLA names: make test-pjrt sets it. The same seeds on the CPU are the oracle.

local beside = require "spec.pjrt.beside"
local lt = require "luatensor"
local nn, optim = require "luatensor.nn", require "luatensor.optim"
local shell = require "spec.support.shell"

if not beside.plugin "training on a device of PJRT" then return end

local STEPS = 3

-- Each network has `make`, which returns the module, and `batch`, which returns inputs and classes on the CPU.
local networks = {
  MLP = {
    make = function() return nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 5)) end,
    batch = function() return lt.randn(16, 20), lt.randint(1, 5, {16}) end,
  },
  CNN = {
    make = function()
      return nn.Sequential(nn.Conv2d(1, 4, 3, {padding = 1}), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(4, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 5))
    end,
    batch = function() return lt.randn(8, 1, 8, 8), lt.randint(1, 5, {8}) end,
  },
  transformer = {
    make = function()
      local layer = nn.TransformerEncoderLayer(16, 2, {dim_feedforward = 32, dropout = 0, activation = "gelu", batch_first = true,
        norm_first = true})
      return nn.Sequential(nn.Embedding(9, 16), nn.TransformerEncoder(layer, 1), nn.Linear(16, 9), nn.Flatten{start_dim = 1, end_dim = 2})
    end,
    batch = function()
      local letters = lt.randint(1, 9, {4, 7})
      return letters[{{}, {1, 6}}], letters[{{}, {2, 7}}]:reshape(24)
    end,
  },
}

-- Returns the losses of all steps, and the parameters at the end.
local function train(network, device, optimizer)
  lt.manual_seed(4)
  local model = network.make():to(device)
  local opt, losses = optimizer(model:parameters()), {}
  for step = 1, STEPS do
    local inputs, classes = network.batch()
    opt:zero_grad()
    local loss = nn.functional.cross_entropy(model(inputs:to(device)), classes:to(device))
    loss:backward()
    opt:step()
    losses[step] = loss:item()
  end
  return losses, model:parameters()
end

local function near(want, got, tolerance, what)
  assert.is_true(math.abs(want - got) <= tolerance, ("%s: %.9g, on the CPU %.9g"):format(what, got, want))
end

describe("training on a device of PJRT", function()
  local optimizers = {
    MLP = function(p) return optim.Adam(p, {lr = 0.02, weight_decay = 1e-3}) end,
    CNN = function(p) return optim.SGD(p, {lr = 0.05, momentum = 0.9}) end,
    -- The gradient of the keys' bias is 0 but for rounding errors, which a smaller eps would make as large as lr.
    transformer = function(p) return optim.AdamW(p, {lr = 0.01, eps = 1e-3}) end,
  }
  for name, network in pairs(networks) do
    it("has the CPU's losses at each step, and its parameters at the end: " .. name, function()
      local want, parameters = train(network, "cpu", optimizers[name])
      local got, there = train(network, "xla", optimizers[name])
      for step = 1, STEPS do near(want[step], got[step], 2e-5 * step, ("loss of step %d"):format(step)) end
      for k, p in ipairs(there) do
        assert.equal("xla:0", p.device)
        near(0, (p:to "cpu" - parameters[k]):abs():max():item(), 1e-3, "largest difference of parameter " .. k)
      end
    end)
  end

  -- Runs an experiment on both devices. Returns both outputs.
  local function outputs(command)
    return shell.passes("tools/lua examples/" .. command .. " --device cpu"), shell.passes("tools/lua examples/" .. command .. " --device xla")
  end

  it("is what the experiments do: 08_training", function()
    local here, there = outputs "08_training.lua --epochs 1 --seeds 1 --batch 16 --images 40 --curve -"
    local losses = 0
    for network, epoch, loss in there:gmatch "\n(%u+),(%d),([%d.]+)," do
      local want = tonumber(here:match(("\n%s,%s,([%%d.]+),"):format(network, epoch)))
      near(want, tonumber(loss), 1e-4, network .. " " .. epoch)
      losses = losses + 1
    end
    assert.equal(2, losses)
  end)
  it("is what the experiments do: 10_transformer", function()
    local here, there = outputs "10_transformer.lua --steps 2 --batch 2 --times 4 --width 8 --layers 1 --heads 2 --letters 1"
    for _, pattern in ipairs {"In the end it is ([%d.]+)%.", "What it writes: ([^\n]+)\n"} do
      assert.equal(here:match(pattern), there:match(pattern))
    end
    assert.truthy(there:find "letters%s+a%s+second;%s+at%s+most")
  end)
  it("runs the notebook's loops", function()
    local large = shell.passes "tools/lua examples/02_large.lua --device xla --iterations 2 --rows 200 --cols 40"
    assert.truthy(large:find("\n2 × 200 × 40 float32 on xla:0: elapsed time ", 1, true), large)
    local small = shell.passes "tools/lua examples/03_small.lua --device xla --iterations 2"
    assert.truthy(small:find "\nhere, xla:0 +2 ", small)
  end)
end)
