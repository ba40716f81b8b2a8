-- Learns to tell images apart: reads a folder of PNG files, trains a small convolutional network with a line that shows
-- its progress, plots the loss and the confusion matrix, and saves the best network. Option: the folder for all files.
local lt = require "luatensor"
local data, nn, optim = require "luatensor.data", require "luatensor.nn", require "luatensor.optim"
local plot, train = require "luatensor.plot", require "luatensor.train"

-- Write the library's handwritten digits as PNG files into images/0 … images/9. Your own images need no such part.
local folder = arg and arg[1] or os.tmpname() .. "-digits"
local pixels, digits = data.digits {image = true}:all()
for digit = 0, 9 do assert(os.execute(("mkdir -p '%s/images/%d'"):format(folder, digit))) end
for i, digit in ipairs(digits:totable()) do
  lt.save(("%s/images/%d/%04d.png"):format(folder, digit - 1, i), (pixels[i] * 255):to "uint8")
end

lt.manual_seed(1)
local images = data.ImageFolder(folder .. "/images", {mode = "gray", transform = data.transforms.to_float()})
print(images)
local learned, checked, tested = data.split(images, {0.6, 0.2, 0.2}, {stratify = true})
local model = nn.Sequential(nn.Conv2d(1, 16, 3, {padding = 1}), nn.ReLU(), nn.MaxPool2d(2),
                            nn.Conv2d(16, 32, 3, {padding = 1}), nn.ReLU(), nn.Flatten(),
                            nn.Linear(32 * 4 * 4, #images.classes))
local optimizer = optim.Adam(model:parameters(), {lr = 3e-3})
local function loss_of(x, y) return nn.functional.cross_entropy(model(x), y) end

local loader, losses, check_losses = data.Loader(learned, {batch_size = 64, shuffle = true}), {}, {}
local stopping = train.EarlyStopping {patience = 5, model = model, path = folder .. "/best.safetensors",
                                      overwrite = true}
local bar = train.progress(30, {title = "epochs"})
for epoch in bar:batches() do
  local sum = 0
  for x, y in loader:batches() do
    optimizer:zero_grad()
    local loss = loss_of(x, y)
    loss:backward()
    optimizer:step()
    sum = sum + loss:item() * #y
  end
  losses[epoch], check_losses[epoch] = sum / #learned, lt.no_grad(loss_of, checked:all()):item()
  bar:set {loss = losses[epoch], validation = check_losses[epoch]}
  if stopping:step(check_losses[epoch]) then break end
end

local x, y = tested:all()
local scores = lt.no_grad(stopping:restore(), x)                -- the network of the best epoch
local curves = plot.line {{losses, label = "training"}, {check_losses, label = "validation"},
                          title = "Loss", xlabel = "epoch", yscale = "log"}
local matrix = plot.heatmap(nn.metrics.confusion_matrix(scores, y), {
  title = "Confusion matrix", row_labels = images.classes, column_labels = images.classes, annotate = true,
  xlabel = "predicted", ylabel = "true digit",
})
for name, figure in pairs {loss = curves, confusion = matrix} do figure:save(("%s/%s.svg"):format(folder, name)) end
print(curves)
print(matrix)
print(("%d test images: accuracy %.3f; plots and network: %s"):format(#y, nn.metrics.accuracy(scores, y), folder))
