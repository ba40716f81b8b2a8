-- Tests the title of the notebook (docs/notebook.md): how many times as fast a GPU trains a neural network. The example
-- times steps of training (forward, loss, backward, update) of small to large MLPs with small to large batches, on the
-- CPU and on the GPU. Both devices must compute the same losses, so the example compares them. Without a GPU, the
-- example shows the times that a GPU would have to beat.

local lt = require "luatensor"
local nn, optim = require "luatensor.nn", require "luatensor.optim"
local experiment = require "luatensor.experiment"

local run <close> = experiment.start({...}, {
  name = "09_speedup", title = "Training on the CPU and on the GPU", claims = {1, 8, 10, 16},
  question = "How many times as fast does a GPU train a network: up to 10 times?",
  options = {
    "device", {"most", 1024, kind = "count", help = "width of the widest network"},
    {"batch", 2048, kind = "count", help = "images of the largest step"}, {"seconds", 0.2},
    {"steps", 20, kind = "count", help = "losses that are compared"}, "threads", "compile",
  },
})
local options = run.options
local device = options.device

-- Returns a list of sizes: first, 4 × first, 16 × first, …, as long as they are below `last`, and then `last`.
local function sizes(first, last)
  local list, n = {}, first
  while n < last do
    list[#list + 1] = n
    n = 4 * n
  end
  list[#list + 1] = last
  return list
end

-- Returns a function that makes one step of training of a network of three layers. Weights and data are the same on
-- every device.
local function network(width, batch, where)
  lt.manual_seed(1)
  local layer = {device = where}
  local model = nn.Sequential(
    nn.Linear(width, width, layer), nn.ReLU(), nn.Linear(width, width, layer), nn.ReLU(), nn.Linear(width, 10, layer))
  local optimizer = optim.SGD(model:parameters(), {lr = 0.01, momentum = 0.9})
  local x, y = lt.randn(batch, width, layer), lt.randint(1, 10, batch, layer)
  local function step()
    optimizer:zero_grad()
    local loss = nn.functional.cross_entropy(model(x), y)
    loss:backward()
    optimizer:step()
    return loss:detach()
  end
  return run:compiled(step)
end

local function losses(width, batch, where)
  local step, list = network(width, batch, where), {}
  for i = 1, options.steps do list[i] = step() end
  return lt.stack(list):to("cpu")
end

-- Returns the largest difference between losses, as a share of the largest loss.
local function difference(a, b) return ((a - b):abs():max() / a:abs():max()):item() end

local function time(width, batch, where)
  local name = ("width %d, batch %d"):format(width, batch)
  return run:time(name, network(width, batch, where), {device = where}).median
end

local function weights(width) return 2 * (width * width + width) + 10 * width + 10 end

local widths = sizes(math.min(16, options.most), options.most)
local batches = sizes(math.min(32, options.batch), options.batch)
local on_gpu, emulated = device ~= "cpu", experiment.is_emulated(device)
run:expect(#widths * #batches * (on_gpu and 2 or 1))

local rows, gpu_rows, series, best = {}, {}, {}, nil
for _, width in ipairs(widths) do
  local points = {}
  for _, batch in ipairs(batches) do
    local cpu = time(width, batch, "cpu")
    local gpu = on_gpu and time(width, batch, device)
    local ratio = gpu and not emulated and cpu / gpu
    local of_cpu = losses(width, batch, "cpu")
    local off = gpu and difference(of_cpu, losses(width, batch, device))
    local row = {weights(width), batch, of_cpu[-1]:item(), cpu}
    if gpu and not emulated then
      row[5], row[6], row[7] = gpu, ratio, off
    elseif gpu then
      gpu_rows[#gpu_rows + 1] = {weights(width), batch, gpu, off}
    end
    rows[#rows + 1] = row
    points[#points + 1] = {batch, ratio or batch / cpu}
    if ratio and ratio > (best and best.ratio or 0) then
      best = {ratio = ratio, weights = weights(width), batch = batch}
    end
    run:value(("cpu_seconds_%d_%d"):format(width, batch), cpu, "s", "cpu")
    if gpu then run:value(("gpu_seconds_%d_%d"):format(width, batch), gpu, "s") end
  end
  series[#series + 1] = {name = ("width %d"):format(width), points = points}
end

local columns = {
  {name = "weights", unit = "count"}, {name = "batch", unit = "count"},
  {name = ("loss of step %d"):format(options.steps), unit = "number"}, {name = "cpu", unit = "s"},
}
local of_gpu = {{name = experiment.name_of(device), unit = "s"}, {name = "losses differ by", unit = "share"}}
if on_gpu and not emulated then
  columns[5], columns[6], columns[7] = of_gpu[1], {name = "times as fast", unit = "ratio"}, of_gpu[2]
end
run:table{title = "A step of training", columns = columns, rows = rows}
if #gpu_rows > 0 then
  run:table{title = "The same, emulated", columns = {columns[1], columns[2], table.unpack(of_gpu)}, rows = gpu_rows}
end
if #batches > 1 then
  run:chart{
    title = best and "How many times as fast the GPU trains" or "Images a second on the CPU", series = series,
    x = {name = "batch", unit = "count", log = true},
    y = {name = best and "times as fast" or "images a second", unit = best and "ratio" or "count", log = true},
  }
end

if best then
  run:value("best_ratio", best.ratio, "ratio")
  run:text("Up to {best_ratio}: {weights} weights, {batch} images a step."
    .. (best.ratio >= 10 and " The notebook's \"up to 10 times\" holds here, and more." or
        best.ratio > 1 and " The notebook says up to 10 times." or " This GPU trains none of these faster."),
    {weights = {best.weights, "count"}, batch = {best.batch, "count"}})
else
  local last = rows[#rows]
  run:text("Nothing to compare: no real GPU here. One that trains the largest of these 10 times as fast takes {goal} a "
    .. "step instead of {cpu}. The smallest takes {small} here: a GPU needs some microseconds to start each of the "
    .. "twenty or so kernels of a step.",
    {goal = {last[4] / 10, "s"}, cpu = {last[4], "s"}, small = {rows[1][4], "s"}})
end
return run:finish()
