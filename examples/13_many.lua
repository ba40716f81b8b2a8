-- Trains a network to read handwritten digits on any number of processes:
--
--     luatensor run examples/13_many.lua
--     mpirun -n 4 luatensor run examples/13_many.lua --network cnn
--
-- Each process computes its part of every batch, so the losses are those of one process, except for rounding. After
-- each epoch the script can save its state. A later run, on the same or another number of processes, continues from
-- there.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"
local data, nn, optim = require "luatensor.data", require "luatensor.nn", require "luatensor.optim"
local distributed = require "luatensor.distributed"

-- Reads the eight rows of an image one after the other, as a text of eight words.
local Transformer = nn.Module:extend "Transformer"

function Transformer:init()
  self.word, self.place = nn.Linear(8, 32), lt.randn(8, 32, {requires_grad = true})
  self.encoder = nn.TransformerEncoder(
    nn.TransformerEncoderLayer(32, 4, {dim_feedforward = 64, dropout = 0, batch_first = true}), 1)
  self.class = nn.Linear(32, 10)
end

function Transformer:forward(x)
  return self.class(self.encoder(self.word(x:reshape(-1, 8, 8)) + self.place):mean(2))
end

local networks = {
  mlp = function() return nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)) end,
  cnn = function()
    return nn.Sequential(nn.Conv2d(1, 16, 3, {padding = 1}), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(256, 10))
  end,
  transformer = Transformer,
}

local group = distributed.init()
local rank, size = group:rank(), group:size()

local options = arguments.read({...}, "Reads digits, on any number of processes.", {
  {"device", distributed.device()}, {"network", "mlp", kind = "text", help = "mlp, cnn or transformer"},
  {"epochs", 5, kind = "count", help = "how often each training image is seen"},
  {"batch", 64, kind = "count", help = "images a step, in all processes together"},
  {"save", "", kind = "text", help = "file (.safetensors) for the state, which an earlier run may have written"},
  {"sharded", kind = "flag", help = "divides the optimiser's state among the processes"},
}, function(given)
  if not networks[given.network] then return "--network is mlp, cnn or transformer" end
  if given.batch % size ~= 0 then return ("--batch is no multiple of %d processes"):format(size) end
end)
local device = options.device

lt.manual_seed(1)
local train, test = data.split(data.digits{device = device, image = true}, {0.8, 0.2})
local sampler = data.DistributedSampler(train, {seed = 1, drop_last = true})
local loader = data.Loader(train, {batch_size = options.batch // size, sampler = sampler, drop_last = true})
local model = nn.parallel.DataParallel(networks[options.network]():to(device))
local optimizer = optim.Adam(model:parameters(), {lr = 2e-3})
if options.sharded then optimizer = optim.Sharded(optimizer) end

local first = 1
local file = options.save ~= "" and io.open(options.save, "rb")
if file then
  file:close()
  local state = lt.load(options.save, {device = "cpu"})
  model:load_state_dict(state.model)
  optimizer:load_state_dict(state.optimizer)
  lt.default_generator():set_state(state.generator)
  first = state.epoch + 1
end

-- Trains one epoch. Returns the mean loss of its batches over all processes.
local function train_epoch()
  local total = lt.zeros({}, {device = device})
  for x, y in loader:batches() do
    optimizer:zero_grad()
    local loss = nn.functional.cross_entropy(model(x), y)
    loss:backward()
    optimizer:step()
    total:add_(loss:detach())
  end
  return group:all_sum(total):item() / (#loader * size)
end

-- Returns the share of the test images that the model classifies correctly. All processes have the same model.
local function accuracy()
  local x, y = test:all()
  model:eval()
  local right = lt.no_grad(function() return model(x):argmax(2):equal(y):sum():item() end)
  model:train()
  return right / test.size
end

for epoch = first, options.epochs do
  sampler:set_epoch(epoch)
  local loss, share = train_epoch(), accuracy()
  if rank == 0 then print(("epoch %d: loss %.9g, test images read right %.4f"):format(epoch, loss, share)) end
  if options.save ~= "" then
    lt.save(options.save, {model = model, optimizer = optimizer, generator = lt.default_generator(), epoch = epoch},
            {group = group})
  end
end
