-- Trains two networks, an MLP and a small convolutional network, to read handwritten digits. Each network is trained
-- five times, each time from different initial weights. A neuron adds up its weighted inputs. Training changes the
-- weights after each batch by a small step against the gradient of the loss.

local lt = require "luatensor"
local data, nn, optim = require "luatensor.data", require "luatensor.nn", require "luatensor.optim"
local experiment = require "luatensor.experiment"
local files = require "luatensor.bench.files"
local format = require "luatensor.page.format"

local run <close> = experiment.start({...}, {
  name = "08_training", title = "Training two networks", claims = {2},
  question = "How well do an MLP and a small convolutional network learn to read handwritten digits?",
  options = {
    "device", {"epochs", 40, kind = "count", help = "how often each training image is seen"},
    {"seeds", 5, kind = "count", help = "how often each network is trained, from other weights"},
    {"batch", 32, kind = "count", help = "images a step"},
    {"images", 1797, kind = "count", help = "how many of the 1797 to use"}, "threads", "compile",
    {"curve", "", kind = "output", help = "file for the learning curves, a line an epoch: .csv"},
  },
})
local options = run.options
local device = options.device

local networks = {
  {
    name = "MLP", key = "mlp", image = false,
    make = function()
      return nn.Sequential(
        nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))
    end,
  },
  {
    name = "CNN", key = "cnn", image = true,
    make = function()
      return nn.Sequential(
        nn.Conv2d(1, 16, 3, {padding = 1}), nn.ReLU(),
        nn.Conv2d(16, 32, 3, {padding = 1}), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(32 * 4 * 4, 10))
    end,
  },
}

-- Returns the training set (80 % of the images) and the test set. Each digit has the same share in both sets, and
-- every run has the same split.
local function split(image)
  local fair = {stratify = true, generator = lt.generator{seed = 1}}
  local digits = data.digits{device = device, image = image}
  if options.images < digits.size then
    digits = data.TensorDataset(data.split(digits, {options.images, digits.size - options.images}, fair):all())
  end
  return data.split(digits, {0.8, 0.2}, fair)
end

-- Returns the share of the test images that the model classifies correctly.
local function accuracy(model, test)
  local x, y = test:all()
  model:eval()
  local right = lt.no_grad(function() return model(x):argmax(2):equal(y):sum():item() end)
  model:train()
  return right / test.size
end

-- Returns a function that makes one step of training with a batch, and returns the loss.
local function step_of(model, optimizer)
  local function step(x, y)
    optimizer:zero_grad()
    local loss = nn.functional.cross_entropy(model(x), y)
    loss:backward()
    optimizer:step()
    return loss:detach()
  end
  return run:compiled(step)
end

-- Trains one epoch. Returns the mean loss of its batches. The sum of the losses stays on the device until the end,
-- because reading a loss would wait for the device.
local function epoch(step, loader)
  local total = lt.zeros({}, {device = device})
  for x, y in loader:batches() do total:add_(step(x, y)) end
  return total:item() / #loader
end

-- True if the script prints a line after this epoch: 1, 2, 5, 10, 20, … and the last one.
local function is_told(i)
  local power = 10 ^ math.floor(math.log(i, 10))
  return i == options.epochs or i == power or i == 2 * power or i == 5 * power
end

-- Trains one network, and calls round() before each epoch. Returns a list of {epoch, loss, accuracy}, the seconds of
-- the training, and the network.
local function train(network, seed, round)
  lt.manual_seed(seed)
  local train_set, test = split(network.image)
  local model = network.make():to(device)
  local optimizer = optim.Adam(model:parameters(), {lr = 2e-3, weight_decay = 1e-4})
  local schedule = optim.scheduler.CosineAnnealingLR(optimizer, options.epochs)
  local loader = data.Loader(train_set, {batch_size = options.batch, shuffle = true})
  local step, curve, start = step_of(model, optimizer), {}, lt.clock()
  for i = 1, options.epochs do
    round()
    local loss = epoch(step, loader)
    schedule:step()
    local share = accuracy(model, test)
    curve[i] = {i, loss, share}
    if seed == 1 and is_told(i) then
      run:text("{name}, epoch {epoch}: loss {loss}, test images read right {share}", {
        name = {network.name, "text"}, epoch = {i, "count"}, loss = {loss, "number"}, share = {share, "share"},
      })
    end
  end
  return curve, lt.clock() - start, model
end

local function number_of_weights(model)
  local count = 0
  for _, p in ipairs(model:parameters()) do count = count + p.size end
  return count
end

local function mean(list)
  local total = 0
  for _, value in ipairs(list) do total = total + value end
  return total / #list
end

-- Prints the accuracies for all seeds in one line.
local function say_shares(network, shares)
  local words, values = {}, {name = {network.name, "text"}}
  for i, share in ipairs(shares) do
    words[i], values["share" .. i] = ("{share%d}"):format(i), {share, "share"}
  end
  run:text("{name}, test images read right, each time from other weights: " .. table.concat(words, ", "), values)
end

local round = run:rounds(#networks * options.seeds * options.epochs)
local rows, curves = {}, {}
for i, network in ipairs(networks) do
  local seconds, shares, model = {}, {}, nil
  for seed = 1, options.seeds do
    local curve
    curve, seconds[seed], model = train(network, seed, round)
    shares[seed] = curve[#curve][3]
    curves[i] = curves[i] or curve
  end
  say_shares(network, shares)
  local weights = run:value(network.key .. "_weights", number_of_weights(model), "count")
  rows[i] = {
    network.name, weights, run:value(network.key .. "_accuracy", mean(shares), "share"), math.min(table.unpack(shares)),
    run:value(network.key .. "_seconds", mean(seconds), "s"),
  }
end
round()

run:table{
  title = ("After %d %s, the mean of %d, on %s"):format(options.epochs, format.noun(options.epochs, "epoch"),
    options.seeds, experiment.name_of(device)),
  columns = {
    {name = "network", unit = "text"}, {name = "weights", unit = "count"}, {name = "read right, mean", unit = "share"},
    {name = "least", unit = "share"}, {name = "time to train", unit = "s"},
  },
  rows = rows,
}

-- Returns the series of a chart, one for each network: the points {epoch, value}, where the value is the loss (k = 2)
-- or the accuracy (k = 3).
local function series_of(k)
  local series = {}
  for i, network in ipairs(networks) do
    local points = {}
    for e, row in ipairs(curves[i]) do points[e] = {row[1], row[k]} end
    series[i] = {name = network.name, points = points}
  end
  return series
end

if options.epochs > 1 then
  run:chart{
    title = "Learning: the mean loss of each epoch", series = series_of(2),
    x = {name = "epoch", unit = "count"}, y = {name = "loss", unit = "number", log = true},
  }
end

local function save_curves(path)
  local lines = {"network,epoch,loss,accuracy\n"}
  for i, network in ipairs(networks) do
    for _, row in ipairs(curves[i]) do
      lines[#lines + 1] = ("%s,%d,%.6g,%.6g\n"):format(network.name, table.unpack(row))
    end
  end
  local text = table.concat(lines)
  if path == "-" then return io.write(text) end
  local written, problem = files.write(path, text)
  if not written then error(problem, 0) end
  run:text("The learning curves are in {curve}.")
end

if options.curve ~= "" then save_curves(options.curve) end
return run:finish()
