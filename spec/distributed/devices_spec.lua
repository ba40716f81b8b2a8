-- tags: two-gpus unplugged
-- Tests sums over several devices of one process, and training on them. The devices are those of the tests' kind; if there is
-- only one, it counts twice.
local distributed = require "luatensor.distributed"
local helpers = require "spec.support.helpers"
local lt = require "luatensor"
local nn, optim = require "luatensor.nn", require "luatensor.optim"

local first = lt.ones(1).device
local second = first
for _, info in ipairs(lt.devices()) do
  if info.device:match "^%a+" == first:match "^%a+" then second = info.device end
end

describe("all_sum_devices", function()
  it("adds a tensor of each device", function()
    local a, b, c = lt.tensor({1, 2.5}, {device = first}), lt.tensor({10, 20.0}, {device = second}), lt.tensor({100, 200.0}, {device = "cpu"})
    local sums = distributed.all_sum_devices{a, b, c}
    assert.equal(3, #sums)
    for k, x in ipairs {a, b, c} do
      assert.equal(x.device, sums[k].device)
      assert.same({111, 222.5}, sums[k]:totable())
    end
    assert.same({1, 2.5}, a:totable())
    sums[1]:fill_(0)
    assert.same({111, 222.5}, sums[2]:totable())
  end)
  it("adds lists of tensors of all dtypes, in any layout", function()
    local here, there = {}, {}
    for i, dtype in ipairs {"bool", "int8", "uint64", "float16", "bfloat16", "float64", "complex64"} do
      here[i] = lt.tensor({{0, 1, 2}, {3, 4, 5}}, {device = first}):to(dtype).T
      there[i] = lt.tensor({{0, 0, 7}, {-1, 4, 1}}, {device = second}):to(dtype).T
    end
    here[#here + 1], there[#there + 1] = lt.zeros({0, 2}, {device = first}), lt.zeros({0, 2}, {device = second})
    here[#here + 1], there[#there + 1] = lt.full({}, 1.5, {device = first}), lt.full({}, 2, {device = second, dtype = "float32"})
    local sums = distributed.all_sum_devices{here, there}
    for k, device in ipairs {first, second} do
      for i, sum in ipairs(sums[k]) do assert.same({here[i].dtype, device, here[i].shape}, {sum.dtype, sum.device, sum.shape}) end
      assert.same({{false, true}, {true, true}, {true, true}}, sums[k][1]:totable())
      for i = 2, 7 do
        local want = {{0, 2}, {1, 8}, {9, 6}}
        assert.same(want, (i == 7 and sums[k][i]:real() or sums[k][i]):to("int64"):totable())
      end
      assert.equal(3.5, sums[k][9]:item())
    end
  end)
  it("rounds half floats once", function()
    -- In float16, 2048 + 1 + 1 is 2048 if each sum is rounded.
    local sums = distributed.all_sum_devices{lt.full({1}, 2048, {dtype = "float16"}), lt.ones(1, {dtype = "float16"}), lt.ones(1, {dtype = "float16"})}
    assert.equal(2050, sums[3]:item())
  end)
  it("refuses other arguments", function()
    local a, b = lt.ones(2, {device = first}), lt.ones(2, {device = second})
    local function refused(message, ...) helpers.fails("all_sum_devices: " .. message, distributed.all_sum_devices, ...) end
    refused("list of tensors expected, got nil")
    refused("list of tensors expected, got tensor", a)
    refused("list of tensors expected, got an empty list", {})
    refused("device 2: list of tensors expected, got tensor", {{a}, b})
    refused("argument 1: tensor expected, got number", {{1}, {2}})
    refused("the number of tensors is 1 on device 2 and 2 on device 1", {{a, a}, {b}})
    refused("tensor 2 of device 2 is float32 [3], that of device 1 is float32 [2]", {{a, a}, {b, lt.ones(3, {device = second})}})
    refused("tensor 1 of device 2 is int64 [2], that of device 1 is float32 [2]", {a, b:to "int64"})
    refused("argument 2: tensor expected, got nil", {a, nil, b})
    refused("argument 2: tensor expected, got nil", {{a, nil, a}, {b, nil, b}})
    refused("gradients do not pass to other devices; use x:detach()", {a:clone():requires_grad_(), b})
    if first ~= second then refused(("the tensors of device 1 are on %s and %s"):format(first, second), {{a, b}, {b, b}}) end
  end)
end)

describe("nn.parallel.Replicas", function()
  local function make() return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)) end

  local function loss(model, x, y) return nn.functional.cross_entropy(model(x), y) end

  it("trains like one device with all samples", function()
    lt.manual_seed(5)
    local one = make()
    lt.manual_seed(5)
    local two = nn.parallel.Replicas(make, {first, second})
    local options = {lr = 0.1, momentum = 0.9}
    local opt, both = optim.SGD(one:parameters(), options), optim.SGD(two:parameters(), options)
    for _ = 1, 4 do
      local x, y = lt.randn(6, 4), lt.randint(1, 3, {6})
      opt:zero_grad()
      local want = loss(one, x, y)
      want:backward()
      opt:step()
      both:zero_grad()
      local got = two:backward(loss, x, y)
      both:step()
      assert.near(want:item(), got:item(), 1e-6)
      assert.is_false(got.requires_grad)
    end
    for k, device in ipairs {first, second} do
      local mine = two[k]:parameters()
      for i, p in ipairs(one:parameters()) do
        assert.equal(device, mine[i].device)
        assert.is_true(lt.allclose(mine[i]:to(first), p, {atol = 1e-6}))
      end
    end
  end)
  it("gives all models the numbers of the first, and draws the random numbers of one model", function()
    lt.manual_seed(5)
    local one = make()
    local want = lt.rand(1):item()
    lt.manual_seed(5)
    local three = nn.parallel.Replicas(make, {first, second, first})
    assert.equal(want, lt.rand(1):item())
    for k = 1, 3 do
      local mine = three[k]:parameters()
      for i, p in ipairs(one:parameters()) do assert.same(p:totable(), mine[i]:totable()) end
    end
  end)
  it("counts a gradient that one replica lacks as 0, and leaves out those that all lack", function()
    local two = nn.parallel.Replicas(make, {first, second})
    local calls = 0
    two:backward(function(model, x)
      calls = calls + 1
      return calls == 1 and model[1](x):sum() or model[3].bias:sum()
    end, lt.ones(4, 4))
    for k = 1, 2 do
      assert.is_nil(two[k][3].weight.grad)
      assert.same({0.5, 0.5, 0.5}, two[k][3].bias.grad:totable())
      assert.same(lt.ones(8):totable(), two[k][1].bias.grad:totable())
    end
  end)
  it("keeps its own list of devices", function()
    local devices = {first, second}
    local two = nn.parallel.Replicas(make, devices)
    devices[2] = nil
    two:backward(loss, lt.ones(4, 4), lt.ones(4, {dtype = "int64"}))
    assert.is_table(two[2]:parameters()[1].grad:totable())
  end)
  it("refuses what it cannot divide, and models that differ", function()
    local two = nn.parallel.Replicas(make, {first, second})
    local function refused(message, f, ...) helpers.fails(message, f, ...) end
    refused("backward: dim 1 of shape [3, 4] cannot be divided among 2 devices", two.backward, two, loss, lt.ones(3, 4))
    refused("backward: dim 1 of shape [] cannot be divided among 2 devices", two.backward, two, loss, lt.tensor(1))
    refused("backward: function expected, got number", two.backward, two, 1)
    refused("backward: the function must return a tensor, got number", two.backward, two, function() return 1 end)
    refused("Replicas: function expected, got nil", nn.parallel.Replicas, nil, {first})
    refused("Replicas: list of devices expected, got nil", nn.parallel.Replicas, make)
    refused("Replicas: list of devices expected, got an empty list", nn.parallel.Replicas, make, {})
    refused("Replicas: the function must return a module, got nil", nn.parallel.Replicas, function() end, {first})
    local model = make()
    refused("Replicas: the function must make a new model in each call", nn.parallel.Replicas, function() return model end, {first, second})
    local width = 1
    local function wider()
      width = width + 1
      return nn.Linear(1, width)
    end
    refused("Replicas: the models that the function returns have different parameters", nn.parallel.Replicas, wider, {first, second})
  end)
end)
