--- backward
local x = lt.tensor({1.0, 2.0}, {requires_grad = true})
x:square():sum():backward()
x.grad  --> [2.0, 4.0]

--- grad
local slope = lt.grad(function(x) return (x * x):sum() end)
slope(lt.tensor{3.0})  --> [6.0]

--- no_grad
local x = lt.ones(2, {requires_grad = true})
lt.no_grad(function() return (x * 2).requires_grad end)  --> false

--- nn.Linear
local layer = nn.Linear(3, 2)
layer(lt.ones(5, 3)).shape  --> [5, 2]

--- nn.Sequential
local model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
model(lt.ones(2, 4)).shape  --> [2, 1]

--- nn.ReLU
nn.ReLU()(lt.tensor{-1, 2})  --> [0, 2]

--- nn.Conv2d
local layer = nn.Conv2d(1, 8, 3, {padding = 1})
layer(lt.ones(2, 1, 28, 28)).shape  --> [2, 8, 28, 28]

--- nn.MaxPool2d
nn.MaxPool2d(2)(lt.ones(1, 1, 8, 8)).shape  --> [1, 1, 4, 4]

--- nn.functional.conv2d
nn.functional.conv2d(lt.ones(1, 1, 4, 4), lt.ones(1, 1, 3, 3)).shape  --> [1, 1, 2, 2]

--- nn.Dropout
local layer = nn.Dropout(0.5)
layer:eval()
layer(lt.ones(3))  --> [1.0, 1.0, 1.0]

--- nn.Embedding
nn.Embedding(10, 4)(lt.tensor{1, 7}).shape  --> [2, 4]

--- nn.LSTM
local y = nn.LSTM(3, 5)(lt.ones(7, 2, 3))
y.shape  --> [7, 2, 5]

--- nn.BatchNorm1d
nn.BatchNorm1d(3)(lt.randn(8, 3)).shape  --> [8, 3]

--- nn.LayerNorm
nn.LayerNorm(4)(lt.randn(2, 4)).shape  --> [2, 4]

--- nn.MSELoss
nn.MSELoss()(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 2.0

--- nn.CrossEntropyLoss
local loss = nn.CrossEntropyLoss()(lt.zeros(1, 2), lt.tensor{1})
loss  --> 0.6931

--- optim.SGD
local w = lt.tensor({1.0}, {requires_grad = true})
local opt = optim.SGD({w}, {lr = 0.1})
w:square():sum():backward()
opt:step()
w:detach()  --> [0.8]

--- optim.Adam
local layer = nn.Linear(1, 1)
local opt = optim.Adam(layer:parameters(), {lr = 0.01})
layer(lt.ones(4, 1)):square():mean():backward()
opt:step()
opt:zero_grad()

--- data.TensorDataset
data.TensorDataset(lt.ones(10, 3), lt.zeros(10)).size  --> 10

--- data.Loader
local loader = data.Loader(data.TensorDataset(lt.ones(10, 3)), {batch_size = 4})
#loader  --> 3
