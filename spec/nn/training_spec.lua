-- tags: smoke
--- Tests whole training runs: the same numbers in every run and on every device, no memory growth, mixed precision.

local lt = require "luatensor"
local nn = require "luatensor.nn"
local optim = require "luatensor.optim"
local helpers = require "spec.support.helpers"

local device = helpers.device

-- Returns a small network and its data from a seed, the same on every device.
local function problem(where)
  local generator = lt.generator{seed = 7}
  local function linear(inputs, outputs)
    return nn.Linear(inputs, outputs, {generator = generator, dtype = "float32", device = "cpu"})
  end
  local model = nn.Sequential(linear(8, 32), nn.ReLU(), linear(32, 4)):to(where)
  local x = lt.randn(64, 8, {generator = generator, device = "cpu", dtype = "float32"})
  local y = (x:narrow(2, 1, 4) - x:narrow(2, 5, 4)):square()
  return model, x:to(where), y:to(where)
end

local function loss_of(model, x, y) return (model(x) - y):square():mean() end

-- Returns the losses of `steps` steps. make(parameters) returns the optimiser. If `step` is given, step(opt, model, x,
-- y) makes a whole step and returns the loss.
local function train(where, steps, make, step)
  local model, x, y = problem(where)
  local opt, losses = make(model:parameters()), {}
  for i = 1, steps do
    opt:zero_grad()
    if step then
      losses[i] = step(opt, model, x, y)
    else
      local loss = loss_of(model, x, y)
      loss:backward()
      opt:step()
      losses[i] = loss
    end
  end
  for i, loss in ipairs(losses) do losses[i] = loss:item() end
  return losses
end

local function adam(params) return optim.Adam(params, {lr = 1e-2}) end

local function near(want, got, tolerance)
  for i, w in ipairs(want) do
    assert(math.abs(got[i] - w) <= tolerance * math.abs(w), ("step %d: %.9g, not %.9g"):format(i, got[i], w))
  end
end

describe("training", function()
  it("gives the same losses, bit for bit, when it is run again", function()
    local first = train(device, 20, adam)
    assert.same(first, train(device, 20, adam))
    assert.is_true(first[20] < 0.8 * first[1])
  end)

  it("gives the same losses with one thread and with two", function()
    local threads = lt.get_num_threads()
    lt.set_num_threads(1)
    local one = train("cpu", 20, adam)
    lt.set_num_threads(2)
    local two = train("cpu", 20, adam)
    lt.set_num_threads(threads)
    near(one, two, 1e-5)
  end)

  it("gives the CPU's losses on a device, but for rounding", function()
    near(train("cpu", 10, adam), train(device, 10, adam), 1e-4)
  end)

  it("needs no more memory as it goes on", function()
    local model, x, y = problem(device)
    local opt = adam(model:parameters())
    local function steps(n)
      for _ = 1, n do
        opt:zero_grad()
        loss_of(model, x, y):backward()
        nn.utils.clip_grad_norm_(model:parameters(), 1)
        opt:step()
      end
      return helpers.live(device)
    end
    local before = steps(5)
    assert.equal(before, steps(device == "cpu" and 200 or 10))
  end)
end)

describe("mixed precision", function()
  local function half(dtype)
    return function(opt, model, x, y)
      local loss = nn.autocast(function() return (model(x):to("float32") - y):square():mean() end, {dtype = dtype})
      loss:backward()
      opt:step()
      return loss
    end
  end

  it("trains as float32 does, but for bfloat16's rounding", function()
    local want = train(device, 20, adam)
    local got = train(device, 20, adam, half "bfloat16")
    near(want, got, 0.02)
    assert.are_not.same(want, got)
  end)

  it("trains in float16 with a scaler, which finds its scale", function()
    local scaler = optim.GradScaler {init_scale = 2 ^ 30, growth_interval = 8}
    local skipped = 0
    local losses = train(device, 40, adam, function(opt, model, x, y)
      local loss = nn.autocast(function() return (model(x):to("float32") - y):square():mean() end, {dtype = "float16"})
      scaler:scale(loss):backward()
      local scale = scaler:get_scale()
      scaler:step(opt)
      scaler:update()
      if scaler:get_scale() < scale then skipped = skipped + 1 end
      return loss
    end)
    assert.is_true(skipped > 0 and skipped < 25)
    near({train(device, 40 - skipped, adam)[40 - skipped]}, {losses[40]}, 0.1)
  end)
end)
