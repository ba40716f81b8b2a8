-- A small transformer learns to write: it reads a text letter by letter and learns to predict the next letter. The
-- text is the GPL, which every Debian system has, or any other file. At the end the network continues the first words
-- of the text.

local lt = require "luatensor"
local nn = require "luatensor.nn"
local experiment = require "luatensor.experiment"

-- ---- the text ----

local text

local function read_text(path)
  local file, problem = io.open(path, "rb")
  if not file then return nil, problem end
  local content, why = file:read("a")
  file:close()
  return content, why and path .. ": " .. why
end

local function find_text(given)
  if given ~= "" then return read_text(given) end
  local readme = package.searchpath("luatensor", package.path):gsub("lua/luatensor/init%.lua$", "") .. "README.md"
  for _, path in ipairs{"/usr/share/common-licenses/GPL-3", "README.md", readme} do
    local content = read_text(path)
    if content then return content end
  end
  return nil, "no text found; name one: --path <file>"
end

-- Checks the options and reads the text. Returns an error message, or nil if the options are right.
local function check(options)
  if options.width % options.heads ~= 0 then
    return ("--heads %d does not divide --width %d"):format(options.heads, options.width)
  end
  local problem
  text, problem = find_text(options.path)
  if not text then return problem end
  if #text - 2 < options.times then
    return ("--times %d: the text has %d letters, and a piece must be at least 2 shorter"):format(options.times, #text)
  end
end

local run <close> = experiment.start({...}, {
  name = "10_transformer", title = "A transformer that writes", claims = {1},
  check = check,
  question = "How fast does a small transformer learn the letters of a text, and what does it write?",
  options = {
    "device", {"path", "", kind = "text", help = "the text (default: the GPL, or the readme of luatensor)"},
    {"steps", 1500, kind = "count", help = "batches to learn from"},
    {"batch", 16, kind = "count", help = "pieces of text in a batch"},
    {"times", 64, kind = "count", help = "letters of a piece"},
    {"width", 128, kind = "count", help = "numbers that stand for a letter"},
    {"layers", 2, kind = "count", help = "layers of the network"},
    {"heads", 4, kind = "count", help = "heads of attention; they divide the width"},
    {"letters", 200, kind = "count", help = "letters to write in the end"},
    {"seed", 1, kind = "count", help = "of all random numbers"}, "dtype", "threads", "compile",
  },
})
local options = run.options
local device, times = options.device, options.times

-- ---- letters as numbers from 1 on ----

local letters, number_of = {}, {}
for byte = 0, 255 do
  local letter = string.char(byte)
  if text:find(letter, 1, true) then
    letters[#letters + 1] = letter
    number_of[byte] = #letters
  end
end

local function numbers_of(words)
  local list = {}
  for i = 1, #words do list[i] = number_of[words:byte(i)] end
  return lt.tensor(list, {dtype = "int64"})
end

local numbers = numbers_of(text)

-- ---- the network ----

local generator = lt.generator {seed = options.seed}
local kind = {device = device, dtype = options.dtype, generator = generator}

local function with(more)
  for key, value in pairs(kind) do more[key] = value end
  return more
end

local Writer = nn.Module:extend "Writer"

function Writer:init()
  local width = options.width
  self.letter = nn.Embedding(#letters, width, with {})
  self.place = nn.Embedding(times, width, with {})
  self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, options.heads, with {
    dim_feedforward = 4 * width, dropout = 0, activation = "gelu", batch_first = true, norm_first = true,
  }), options.layers, {norm = nn.LayerNorm(width, {device = device, dtype = options.dtype})})
  self.next = nn.Linear(width, #letters, with {})
end

function Writer:forward(x)
  local places = lt.arange(1, x.shape[2] + 1, {dtype = "int64", device = device})
  return self.next(self.encoder(self.letter(x) + self.place(places), {is_causal = true}))
end

local model = Writer()
local optimiser = lt.optim.AdamW(model:parameters(), {lr = 2e-3, weight_decay = 0.01})

-- ---- learning ----

-- Returns a batch of random pieces of the text, and the same pieces shifted by one letter, which the network must
-- predict.
local function draw_batch()
  local starts = lt.randint(1, #text - times, {options.batch, 1}, {generator = generator})
  local at = starts + lt.arange(0, times, {dtype = "int64"})
  return numbers:take(at):to(device), numbers:take(at + 1):to(device)
end

local learn = run:compiled(function()
  local x, y = draw_batch()
  optimiser:zero_grad()
  local logits = model(x)
  local loss = nn.functional.cross_entropy(logits:reshape(-1, #letters), y:reshape(-1))
  loss:backward()
  optimiser:step()
  return loss
end)

local points, sum, from, every = {}, nil, 1, math.max(1, options.steps // 15)
local start, warm = lt.clock(), nil
for step in run:rounds(options.steps) do
  local loss = learn():detach()
  sum = sum and sum + loss or loss
  if step == 1 then lt.synchronize(device) warm = lt.clock() end
  if step % every == 0 or step == options.steps then
    points[#points + 1] = {step, (sum / (step - from + 1)):item()}
    sum, from = nil, step + 1
  end
end
lt.synchronize(device)
local seconds = options.steps > 1 and (lt.clock() - warm) / (options.steps - 1) or lt.clock() - start

-- ---- writing ----

-- Returns `words` and `count` more letters, each drawn from the probabilities that the network returns.
local function write(words, count)
  local list = {}
  for i = 1, #words do list[i] = number_of[words:byte(i)] end
  for _ = 1, count do
    local first = math.max(1, #list - times + 1)
    local x = lt.tensor({table.unpack(list, first)}, {dtype = "int64", device = device}):expand_dims(1)
    local chances = model(x)[1][-1]:to("float64"):softmax():cumulative_sum():to("cpu")
    local drawn = lt.rand(1, {dtype = "float64", generator = generator}) * chances[-1]
    list[#list + 1] = math.min(#letters, lt.searchsorted(chances, drawn):item())
  end
  for i, number in ipairs(list) do list[i] = letters[number] end
  return table.concat(list)
end

-- Replaces characters that a terminal cannot show by dots: control characters except line breaks, and bytes that are
-- not valid UTF-8.
local function printable(words)
  words = words:gsub("%c", function(c) return c == "\n" and c or "·" end)
  for _ = 1, #words do
    local length, at = utf8.len(words)
    if length then break end
    words = words:sub(1, at - 1) .. "·" .. words:sub(at + 1)
  end
  return (words:gsub("\xc2[\x80-\x9f]", "·"))
end

model:eval()
local beginning = text:sub(1, math.min(#text, times)):match("%S.-%S%s") or text:sub(1, 4)
local sample = lt.no_grad(write, beginning, options.letters)

-- ---- results ----

local count = 0
for _, p in ipairs(model:parameters()) do count = count + p.size end
run:value("loss", points[#points][2], "number")
run:value("step", seconds, "s")
run:value("tokens", options.batch * times / seconds, "count")
run:value("peak", lt.memory(device).peak, "B")
run:value("parameters", count, "count")
run:text("The text has {n} letters, {kinds} of them different; the network {parameters} numbers to learn.",
         {n = {#text, "count"}, kinds = {#letters, "count"}})
run:chart{
  title = "loss: the mean of -log(the probability of the right letter)", x = {name = "step", unit = "count"},
  y = {name = "loss", unit = "number"}, series = {{name = "loss", points = points}},
}
run:text("Guessing blindly has a loss of {blind}. In the end it is {loss}. A step took {step}, which is {tokens} "
         .. "letters a second; at most {peak} were in use.", {blind = {math.log(#letters), "number"}})
run:text("What it writes: {sample}", {sample = {printable(sample), "text"}})
return run:finish()
