-- Training steps for the performance table: each function returns a function that makes a step and returns its loss.
-- peers/steps.py has the same networks.

local lt = require "luatensor"
local nn = require "luatensor.nn"
local optim = require "luatensor.optim"

local steps = {}

-- Returns a function that makes one training step: forward pass, cross-entropy loss, backward pass, update.
local function step_of(model, optimizer, x, y)
  return function()
    optimizer:zero_grad()
    local loss = nn.functional.cross_entropy(model(x), y)
    loss:backward()
    optimizer:step()
    return loss
  end
end

local function sgd(model) return optim.SGD(model:parameters(), {lr = 1e-3, momentum = 0.9}) end
local function adam(model) return optim.Adam(model:parameters(), {lr = 1e-4}) end

--- Makes the training step of a network of linear layers with ReLU between them, trained by SGD with momentum.
function steps.mlp(batch, widths)
  local layers = {}
  for i = 1, #widths - 1 do
    layers[#layers + 1] = nn.Linear(widths[i], widths[i + 1])
    if i < #widths - 1 then layers[#layers + 1] = nn.ReLU() end
  end
  local model = nn.Sequential(table.unpack(layers))
  return step_of(model, sgd(model), lt.randn(batch, widths[1]), lt.randint(1, widths[#widths], batch))
end

--- Makes the training step of a network of two convolutions with pooling, on 32 images of 28 × 28, trained by Adam.
function steps.cnn()
  local model = nn.Sequential(
    nn.Conv2d(1, 16, 3, {padding = 1}), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, {padding = 1}), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(32 * 7 * 7, 10))
  return step_of(model, adam(model), lt.randn(32, 1, 28, 28), lt.randint(1, 10, 32))
end

local Recurrent = nn.Module:extend "Recurrent"

function Recurrent:init(width, hidden, classes)
  self.lstm, self.head = nn.LSTM(width, hidden), nn.Linear(hidden, classes)
end

function Recurrent:forward(x) return self.head((self.lstm(x))[-1]) end

--- Makes the training step of an LSTM of width 128 whose last output is classified, on 32 sequences of 32 vectors of
-- 64 numbers, trained by Adam.
function steps.lstm()
  local model = Recurrent(64, 128, 10)
  return step_of(model, adam(model), lt.randn(32, 32, 64), lt.randint(1, 10, 32))
end

local Block = nn.Module:extend "Block"

function Block:init(width, heads)
  self.heads = heads
  self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
  self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
  self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
end

function Block:attend(x)
  local n, length, width = table.unpack(x.shape, 1, 3)
  local parts = self.qkv(x):reshape(n, length, 3, self.heads, width // self.heads)
  local q, k, v = table.unpack(parts:permute_dims(3, 1, 4, 2, 5):unstack())
  local y = nn.functional.scaled_dot_product_attention(q, k, v, {is_causal = true})
  return self.out(y:swapaxes(2, 3):reshape(n, length, width))
end

function Block:forward(x)
  x = x + self:attend(self.norm1(x))
  return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))
end

local Transformer = nn.Module:extend "Transformer"

function Transformer:init(vocabulary, length, width, heads, layers)
  self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
  local blocks = {}
  for i = 1, layers do blocks[i] = Block(width, heads) end
  self.blocks = nn.Sequential(table.unpack(blocks))
  self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)
end

function Transformer:forward(x)
  local h = self.token(x) + self.position(lt.range(1, x.shape[2], {device = x.device}))
  return self.head(self.norm(self.blocks(h))):flatten(1, 2)
end

--- Makes the training step of a transformer of width 128 with 4 heads and 2 layers, on 8 texts of 128 tokens (65
-- different tokens), trained by Adam.
function steps.transformer()
  local model = Transformer(65, 128, 128, 4, 2)
  return step_of(model, adam(model), lt.randint(1, 65, 8, 128), lt.randint(1, 65, 1024))
end

return steps
