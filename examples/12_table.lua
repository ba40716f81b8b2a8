-- Predicts the weight of penguins from a CSV file with columns of text and gaps. examples/penguins.txt states the
-- source and the licence of the data.
local lt = require "luatensor"
local data, nn, optim = require "luatensor.data", require "luatensor.nn", require "luatensor.optim"

lt.manual_seed(1)
local path = (arg and arg[0] or "examples/"):gsub("[^/]*$", "") .. "penguins.csv"
local birds = data.read_csv(path)                    -- "NA" means a missing value by default
print(birds)
birds = birds:rows(birds.body_mass_g:isnan():logical_not())

-- Numbers: gaps get the mean of their column, then each column gets mean 0 and deviation 1. Texts: a column a level.
local x = birds:tensor{"bill_length_mm", "bill_depth_mm", "flipper_length_mm"}
local mean = x:nanmean(1, {keepdim = true})
x = (lt.where(x:isnan(), mean, x) - mean) / x:nanstd(1, {keepdim = true})
x = lt.concat({x, birds:one_hot "species", birds:one_hot "island", birds:one_hot "sex"}, 2)
local y = birds:tensor{"body_mass_g"} / 1000           -- in kg

local train, test = data.split(data.TensorDataset(x, y), {0.8, 0.2})
local model = nn.Sequential(nn.Linear(x.shape[2], 16), nn.ReLU(), nn.Linear(16, 1))
local optimizer = optim.Adam(model:parameters(), {lr = 0.01})
for _ = 1, 60 do
  for inputs, weights in data.Loader(train, {batch_size = 32, shuffle = true}):batches() do
    optimizer:zero_grad()
    nn.functional.mse_loss(model(inputs), weights):backward()
    optimizer:step()
  end
end

local inputs, weights = test:all()
local errors = lt.no_grad(function() return model(inputs) - weights end)
local r2 = 1 - errors:square():mean():item() / weights:var():item()
print(("%d test birds: R² %.3f, mean error %.0f g"):format(test.size, r2, errors:abs():mean():item() * 1000))
