-- fault_host runs this script while allocations fail. The script makes two steps of training on batches from a loader.
local lt = require "luatensor"
local nn, optim, data = require "luatensor.nn", require "luatensor.optim", require "luatensor.data"

local adam = optim.Adam(net:parameters(), {lr = 0.01})
local schedule = optim.scheduler.StepLR(adam, 1)
local loader = data.Loader(data.TensorDataset(images, labels), {batch_size = 4, shuffle = true})
for x, y in loader:batches() do
  adam:zero_grad()
  local loss = nn.functional.cross_entropy(net(x), y)
  loss:backward()
  nn.utils.clip_grad_norm_(net:parameters(), 1)
  adam:step()
end
schedule:step()
net:eval()
lt.no_grad(function() return net(images):argmax(2) end)
net:train()
nn.LSTM(2, 3)(lt.ones(2, 2, 2))[1]:sum():backward()
