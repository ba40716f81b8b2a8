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

--- nn.Dropout, Module:eval
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
local function make() return require("luatensor.data").digits() end
local parallel <close> = data.Loader(make, {batch_size = 64, workers = 1})
parallel:batches()().shape  --> [64, 64]

--- detach
local x = lt.ones(1, {requires_grad = true})
x:multiply(2):detach().requires_grad  --> false

--- enable_grad
local x = lt.ones(1, {requires_grad = true})
lt.no_grad(function() return lt.enable_grad(function() return x * 2 end) end).requires_grad  --> true

--- is_grad_enabled
lt.no_grad(lt.is_grad_enabled)  --> false

--- autograd.grad
local x = lt.tensor({3.0}, {requires_grad = true})
lt.autograd.grad((x * x):sum(), x)  --> [6.0]

--- value_and_grad
local value, gradient = lt.value_and_grad(function(x) return (x * x):sum() end)(lt.tensor{3.0})
value     --> 9.0
gradient  --> [6.0]

--- autograd_function
local double = lt.autograd_function{
  forward = function(ctx, x) return x * 2 end,
  backward = function(ctx, gradient) return gradient * 2 end,
}
double(lt.tensor{3.0})  --> [6.0]

--- detect_anomaly
local x = lt.zeros(1, {requires_grad = true})
pcall(lt.detect_anomaly, function() (x / x):sum():backward() end)  --> false

--- nn.Module, Module:extend, Module:init, Module:forward
local Scale = nn.Module:extend "Scale"
function Scale:init(n) self.weight = nn.Parameter(lt.ones(n)) end
function Scale:forward(x) return x * self.weight end
Scale(2)(lt.tensor{3.0, 4.0}):detach()  --> [3.0, 4.0]

--- nn.Parameter
nn.Parameter(lt.ones(2)).requires_grad  --> true

--- nn.is_module
nn.is_module(nn.ReLU())  --> true

--- Module:parameters
#nn.Linear(3, 2):parameters()  --> 2

--- Module:named_parameters
for name, p in nn.Linear(3, 2):named_parameters() do print(name, p.shape) end

--- Module:apply
local count = 0
nn.Sequential(nn.Linear(3, 2), nn.ReLU()):apply(function() count = count + 1 end)
count  --> 3

--- Module:state_dict, Module:load_state_dict
local a, b = nn.Linear(3, 2), nn.Linear(3, 2)
b:load_state_dict(a:state_dict())
b.weight:equal(a.weight):all()  --> true

--- Module:to
nn.Linear(3, 2):to("float64").weight.dtype  --> float64

--- Module:train
nn.Dropout(0.5):train(false)(lt.ones(2))  --> [1.0, 1.0]

--- Module:requires_grad_
nn.Linear(3, 2):requires_grad_(false).weight.requires_grad  --> false

--- Module:zero_grad
local m = nn.Linear(1, 1)
m(lt.ones(1)):sum():backward()
m:zero_grad()
m.weight.grad  --> nil

--- Module:register_buffer
local m = nn.ReLU()
m:register_buffer("seen", lt.zeros(1))
m:state_dict().seen  --> [0.0]

--- Module:register_parameter
local m = nn.ReLU()
m:register_parameter("scale", nn.Parameter(lt.ones(1)))
#m:parameters()  --> 1

--- Module:register_forward_hook, HookHandle:remove
local model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
local shape
local handle = model[2]:register_forward_hook(function(_, _, y) shape = y.shape end)
model(lt.ones(2, 4))
handle:remove()
shape  --> [2, 8]

--- Module:register_forward_pre_hook
local layer = nn.ReLU()
layer:register_forward_pre_hook(function(_, inputs) return inputs[1] - 1 end)
layer(lt.tensor{0.5, 3.0})  --> [0.0, 2.0]

--- Module:register_full_backward_hook
local layer = nn.ReLU()
layer:register_full_backward_hook(function(_, grad_inputs) return grad_inputs[1] * 10 end)
local x = lt.tensor({-1.0, 2.0}, {requires_grad = true})
layer(x):sum():backward()
x.grad  --> [0.0, 10.0]

--- nn.metrics.accuracy
nn.metrics.accuracy(lt.tensor{1, 2, 2, 3}, lt.tensor{1, 2, 3, 3})  --> 0.75

--- nn.metrics.confusion_matrix
nn.metrics.confusion_matrix(lt.tensor{1, 2, 2}, lt.tensor{1, 2, 1})  --> [[1, 1], [0, 1]]

--- nn.metrics.precision
nn.metrics.precision(lt.tensor{1, 1, 0, 1}, lt.tensor{1, 0, 0, 1})  --> 0.66666666666667

--- nn.metrics.recall
nn.metrics.recall(lt.tensor{1, 1, 0, 0}, lt.tensor{1, 0, 0, 1})  --> 0.5

--- nn.metrics.f1
nn.metrics.f1(lt.tensor{1, 2, 2, 3}, lt.tensor{1, 2, 3, 3}, {average = "micro"})  --> 0.75

--- nn.metrics.auc
nn.metrics.auc(lt.tensor{0.1, 0.4, 0.35, 0.8}, lt.tensor{0, 0, 1, 1})  --> 0.75

--- nn.metrics.r2
nn.metrics.r2(lt.tensor{1.0, 2.0, 4.0}, lt.tensor{1.0, 2.0, 3.0})  --> 0.5

--- nn.metrics.mean_squared_error
nn.metrics.mean_squared_error(lt.tensor{1.0, 4.0}, lt.tensor{1.0, 2.0})  --> 2.0

--- nn.metrics.mean_absolute_error
nn.metrics.mean_absolute_error(lt.tensor{1.0, 4.0}, lt.tensor{1.0, 2.0})  --> 1.0

--- nn.metrics.ConfusionMatrix, ConfusionMatrix:add, ConfusionMatrix:accuracy, ConfusionMatrix:f1
local confusion = nn.metrics.ConfusionMatrix(2)
confusion:add(lt.tensor{1, 2}, lt.tensor{1, 2}):add(lt.tensor{2, 2}, lt.tensor{1, 2})
confusion:f1()  --> 0.8
confusion:accuracy()  --> 0.75

--- ConfusionMatrix:precision, ConfusionMatrix:recall
local confusion = nn.metrics.ConfusionMatrix(2):add(lt.tensor{1, 2, 2, 1}, lt.tensor{1, 2, 1, 1})
confusion:precision()  --> 0.5
confusion:recall()  --> 1.0

--- nn.metrics.Collector, Collector:add, Collector:get
local all = nn.metrics.Collector()
all:add(lt.tensor{1.0, 2.0}):add(lt.tensor{3.0})
all:get()  --> [1.0, 2.0, 3.0]

--- train.progress, Progress:batches, Progress:set
local bar, sum = train.progress(3, {title = "epoch 1"}), 0
for i in bar:batches() do
  sum = sum + i
  bar:set{loss = 1 / i}
end
sum  --> 6

--- train.EarlyStopping, EarlyStopping:step
local stopping = train.EarlyStopping{patience = 2}
for _, loss in ipairs{3, 1, 2, 4, 5} do
  if stopping:step(loss) then break end
end
stopping.best  --> 1

--- EarlyStopping:state_dict, EarlyStopping:load_state_dict
local first, second = train.EarlyStopping(), train.EarlyStopping()
first:step(0.5)
second:load_state_dict(first:state_dict())
second.best  --> 0.5

--- EarlyStopping:restore
local model = nn.Linear(1, 1)
local stopping = train.EarlyStopping{model = model}
stopping:step(0.5)
stopping:restore() == model  --> true

--- train.Log, Log:add
local path = os.tmpname()
os.remove(path)
local log = train.Log(path, {"epoch", "loss"})
log:add{epoch = 1, loss = 0.5}
os.remove(path)
#log  --> 1

--- Log:plot
local path = os.tmpname()
os.remove(path)
local log = train.Log(path, {"epoch", "loss"})
for epoch = 1, 3 do log:add{epoch = epoch, loss = 1 / epoch} end
tostring(log:plot()):find("epoch", 1, true) ~= nil  --> true
os.remove(path)

--- Module:summary
local model = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
local summary = model:summary(1, 4)
summary.layers[2].output[1]  --> [1, 8]
summary.parameters  --> 40

--- Sequential:append
#nn.Sequential(nn.ReLU()):append(nn.Tanh())  --> 2

--- Sequential:insert
nn.Sequential(nn.ReLU()):insert(1, nn.Tanh())[1]  --> Tanh()

--- Sequential:remove
local model = nn.Sequential(nn.ReLU(), nn.Tanh())
model:remove(1)
#model  --> 1

--- ParameterList:append
#nn.ParameterList():append(nn.Parameter(lt.ones(1)))  --> 1

--- nn.ModuleList
#nn.ModuleList{nn.ReLU(), nn.Tanh()}  --> 2

--- nn.ModuleDict
nn.ModuleDict{act = nn.ReLU()}.act(lt.tensor{-1.0})  --> [0.0]

--- nn.ParameterList
#nn.ParameterList{nn.Parameter(lt.ones(1))}  --> 1

--- nn.Identity
nn.Identity()(lt.tensor{1, 2})  --> [1, 2]

--- nn.Lambda
nn.Lambda(function(x) return x * 2 end)(lt.tensor{1, 2})  --> [2, 4]

--- nn.Residual
nn.Residual(nn.ReLU())(lt.tensor{-1.0, 1.0})  --> [-1.0, 2.0]

--- nn.Flatten
nn.Flatten()(lt.ones(5, 2, 3)).shape  --> [5, 6]

--- nn.Unflatten
nn.Unflatten(2, {2, 3})(lt.ones(5, 6)).shape  --> [5, 2, 3]

--- nn.Conv1d
nn.Conv1d(3, 8, 5)(lt.rand(2, 3, 20)).shape  --> [2, 8, 16]

--- nn.ConvTranspose1d
nn.ConvTranspose1d(8, 3, 5)(lt.rand(2, 8, 16)).shape  --> [2, 3, 20]

--- nn.ConvTranspose2d
nn.ConvTranspose2d(8, 3, 2, {stride = 2})(lt.rand(2, 8, 4, 4)).shape  --> [2, 3, 8, 8]

--- nn.MaxPool1d
nn.MaxPool1d(2)(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}})  --> [[[3.0, 2.0]]]

--- nn.AvgPool1d
nn.AvgPool1d(2)(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}})  --> [[[2.0, 1.0]]]

--- nn.AvgPool2d
nn.AvgPool2d(2)(lt.rand(1, 3, 8, 8)).shape  --> [1, 3, 4, 4]

--- nn.AdaptiveAvgPool1d
nn.AdaptiveAvgPool1d(2)(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}})  --> [[[2.0, 1.0]]]

--- nn.AdaptiveAvgPool2d
nn.AdaptiveAvgPool2d(1)(lt.rand(1, 3, 8, 8)).shape  --> [1, 3, 1, 1]

--- nn.AdaptiveMaxPool1d
nn.AdaptiveMaxPool1d(2)(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}})  --> [[[3.0, 2.0]]]

--- nn.AdaptiveMaxPool2d
nn.AdaptiveMaxPool2d(1)(lt.rand(1, 3, 8, 8)).shape  --> [1, 3, 1, 1]

--- nn.BatchNorm2d
nn.BatchNorm2d(3)(lt.rand(4, 3, 8, 8)).shape  --> [4, 3, 8, 8]

--- nn.BatchNorm3d
nn.BatchNorm3d(3)(lt.rand(4, 3, 2, 2, 2)).shape  --> [4, 3, 2, 2, 2]

--- nn.GroupNorm
nn.GroupNorm(2, 4)(lt.rand(3, 4, 5)).shape  --> [3, 4, 5]

--- nn.InstanceNorm1d
nn.InstanceNorm1d(3)(lt.rand(4, 3, 8)).shape  --> [4, 3, 8]

--- nn.InstanceNorm2d
nn.InstanceNorm2d(3)(lt.rand(4, 3, 8, 8)).shape  --> [4, 3, 8, 8]

--- nn.InstanceNorm3d
nn.InstanceNorm3d(3)(lt.rand(4, 3, 2, 2, 2)).shape  --> [4, 3, 2, 2, 2]

--- nn.RMSNorm
nn.RMSNorm(2)(lt.tensor{5.0, 5.0}):detach():round()  --> [1.0, 1.0]

--- nn.LocalResponseNorm
nn.LocalResponseNorm(2)(lt.rand(1, 4, 8, 8)).shape  --> [1, 4, 8, 8]

--- nn.GRU
nn.GRU(3, 5)(lt.rand(7, 2, 3)).shape  --> [7, 2, 5]

--- nn.RNN
nn.RNN(3, 5)(lt.rand(7, 2, 3)).shape  --> [7, 2, 5]

--- nn.GRUCell
nn.GRUCell(3, 5)(lt.rand(2, 3)).shape  --> [2, 5]

--- nn.RNNCell
nn.RNNCell(3, 5)(lt.rand(2, 3)).shape  --> [2, 5]

--- nn.LSTMCell
local h, c = nn.LSTMCell(3, 5)(lt.rand(2, 3))
c.shape  --> [2, 5]

--- nn.MultiheadAttention
local x = lt.rand(2, 7, 8)
nn.MultiheadAttention(8, 2, {batch_first = true})(x, x, x).shape  --> [2, 7, 8]

--- nn.TransformerEncoderLayer
nn.TransformerEncoderLayer(8, 2, {batch_first = true})(lt.rand(2, 7, 8)).shape  --> [2, 7, 8]

--- nn.TransformerEncoder
local layer = nn.TransformerEncoderLayer(8, 2, {batch_first = true})
nn.TransformerEncoder(layer, 2)(lt.rand(2, 7, 8)).shape  --> [2, 7, 8]

--- nn.TransformerDecoderLayer
nn.TransformerDecoderLayer(8, 2, {batch_first = true})(lt.rand(2, 7, 8), lt.rand(2, 5, 8)).shape  --> [2, 7, 8]

--- nn.TransformerDecoder
local layer = nn.TransformerDecoderLayer(8, 2, {batch_first = true})
nn.TransformerDecoder(layer, 2)(lt.rand(2, 7, 8), lt.rand(2, 5, 8)).shape  --> [2, 7, 8]

--- nn.Embedding.from_pretrained
nn.Embedding.from_pretrained(lt.tensor{{1.0, 2.0}, {3.0, 4.0}})(lt.tensor{2})  --> [[3.0, 4.0]]

--- nn.Sigmoid
nn.Sigmoid()(lt.tensor{0.0})  --> [0.5]

--- nn.Tanh
nn.Tanh()(lt.tensor{0.0, 1.0})  --> [0.0000, 0.7616]

--- nn.Softmax
nn.Softmax(1)(lt.tensor{0.0, 0.0})  --> [0.5, 0.5]

--- nn.Softmin
nn.Softmin(1)(lt.tensor{0.0, 0.0})  --> [0.5, 0.5]

--- nn.LogSoftmax
nn.LogSoftmax(1)(lt.tensor{0.0, 0.0})  --> [-0.6931, -0.6931]

--- nn.ReLU6
nn.ReLU6()(lt.tensor{-1.0, 3.0, 9.0})  --> [0.0, 3.0, 6.0]

--- nn.LeakyReLU
nn.LeakyReLU{negative_slope = 0.1}(lt.tensor{-1.0, 3.0})  --> [-0.1, 3.0]

--- nn.PReLU
nn.PReLU()(lt.tensor{-1.0, 3.0}):detach()  --> [-0.25, 3.00]

--- nn.ELU
nn.ELU()(lt.tensor{-1.0, 3.0})  --> [-0.6321, 3.0000]

--- nn.SELU
nn.SELU()(lt.tensor{-1.0, 3.0})  --> [-1.1113, 3.1521]

--- nn.CELU
nn.CELU()(lt.tensor{-1.0, 3.0})  --> [-0.6321, 3.0000]

--- nn.GELU
nn.GELU()(lt.tensor{-1.0, 3.0})  --> [-0.1587, 2.9960]

--- nn.SiLU
nn.SiLU()(lt.tensor{-1.0, 3.0})  --> [-0.2689, 2.8577]

--- nn.Mish
nn.Mish()(lt.tensor{-1.0, 3.0})  --> [-0.3034, 2.9865]

--- nn.Hardsigmoid
nn.Hardsigmoid()(lt.tensor{-4.0, 0.0})  --> [0.0, 0.5]

--- nn.Hardswish
nn.Hardswish()(lt.tensor{-4.0, 4.0})  --> [-0.0, 4.0]

--- nn.Hardtanh
nn.Hardtanh()(lt.tensor{-4.0, 0.5})  --> [-1.0, 0.5]

--- nn.LogSigmoid
nn.LogSigmoid()(lt.tensor{0.0})  --> [-0.6931]

--- nn.Softplus
nn.Softplus()(lt.tensor{0.0})  --> [0.6931]

--- nn.Softsign
nn.Softsign()(lt.tensor{1.0, -3.0})  --> [0.50, -0.75]

--- nn.Threshold
nn.Threshold(0, 7)(lt.tensor{-1.0, 3.0})  --> [7.0, 3.0]

--- nn.GLU
nn.GLU()(lt.tensor{1.0, 0.0})  --> [0.5]

--- nn.AlphaDropout
nn.AlphaDropout(0.5):eval()(lt.ones(2))  --> [1.0, 1.0]

--- nn.Dropout1d
nn.Dropout1d(0.5):eval()(lt.ones(1, 2, 3)).shape  --> [1, 2, 3]

--- nn.Dropout2d
nn.Dropout2d(0.5)(lt.ones(1, 2, 3, 3)).shape  --> [1, 2, 3, 3]

--- nn.Dropout3d
nn.Dropout3d(0.5)(lt.ones(1, 2, 3, 3, 3)).shape  --> [1, 2, 3, 3, 3]

--- nn.L1Loss
nn.L1Loss()(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 1.0

--- nn.HuberLoss
nn.HuberLoss()(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 0.75

--- nn.SmoothL1Loss
nn.SmoothL1Loss()(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 0.75

--- nn.BCELoss
nn.BCELoss()(lt.tensor{0.5, 0.5}, lt.tensor{0.0, 1.0})  --> 0.6931

--- nn.BCEWithLogitsLoss
nn.BCEWithLogitsLoss()(lt.tensor{0.0, 0.0}, lt.tensor{0.0, 1.0})  --> 0.6931

--- nn.NLLLoss
nn.NLLLoss()(lt.tensor{{-1.0, -2.0}}, lt.tensor{2})  --> 2.0

--- nn.KLDivLoss
nn.KLDivLoss{reduction = "batchmean"}(lt.tensor{{0.5, 0.5}}:log(), lt.tensor{{0.5, 0.5}})  --> 0.0

--- nn.rename_pytorch
next(nn.rename_pytorch{["0.weight"] = lt.ones(2)})  --> 1.weight

--- nn.utils.clip_grad_norm_
local p = nn.Parameter(lt.tensor{3.0, 4.0})
p:square():sum():backward()
nn.utils.clip_grad_norm_({p}, 1.0)  --> 10.0
p.grad                              --> [0.6, 0.8]

--- nn.utils.clip_grad_value_
local p = nn.Parameter(lt.tensor{3.0, -0.1})
p:square():sum():backward()
nn.utils.clip_grad_value_({p}, 1.0)
p.grad  --> [1.0, -0.2]

--- nn.autocast
nn.autocast(function() return nn.Linear(3, 2)(lt.rand(1, 3)).dtype end)  --> bfloat16

--- nn.init.constant_
nn.init.constant_(lt.zeros(2), 3)  --> [3.0, 3.0]

--- nn.init.zeros_
nn.init.zeros_(lt.ones(2))  --> [0.0, 0.0]

--- nn.init.ones_
nn.init.ones_(lt.zeros(2))  --> [1.0, 1.0]

--- nn.init.eye_
nn.init.eye_(lt.zeros(2, 2))  --> [[1.0, 0.0], [0.0, 1.0]]

--- nn.init.uniform_
nn.init.uniform_(lt.zeros(100), 2, 3):min():item() >= 2  --> true

--- nn.init.normal_
nn.init.normal_(lt.zeros(2, 3)).shape  --> [2, 3]

--- nn.init.trunc_normal_
nn.init.trunc_normal_(lt.zeros(100)):abs():max():item() <= 2  --> true

--- nn.init.xavier_uniform_
nn.init.xavier_uniform_(lt.zeros(3, 3)):abs():max():item() <= 1  --> true

--- nn.init.xavier_normal_
nn.init.xavier_normal_(lt.zeros(3, 5)).shape  --> [3, 5]

--- nn.init.kaiming_uniform_
nn.init.kaiming_uniform_(lt.zeros(3, 6), {nonlinearity = "relu"}):abs():max():item() <= 1  --> true

--- nn.init.kaiming_normal_
nn.init.kaiming_normal_(lt.zeros(3, 5)).shape  --> [3, 5]

--- nn.init.orthogonal_
local w = nn.init.orthogonal_(lt.zeros(3, 3))
w:matmul(w.T):allclose(lt.eye(3), 0, 1e-5)  --> true

--- nn.init.sparse_
(nn.init.sparse_(lt.zeros(4, 2), 0.5)):equal(0):sum():item()  --> 4

--- nn.init.dirac_
nn.init.dirac_(lt.zeros(1, 1, 3))  --> [[[0.0, 1.0, 0.0]]]

--- nn.init.calculate_gain
nn.init.calculate_gain("tanh")  --> 1.6666666666667

--- optim.AdamW
optim.AdamW({nn.Parameter(lt.ones(1))}, {lr = 0.01}).param_groups[1].weight_decay  --> 0.01

--- optim.RMSprop, Optimizer:step
local p = nn.Parameter(lt.tensor{1.0})
local opt = optim.RMSprop({p}, {lr = 0.1})
p:square():sum():backward()
opt:step()
p:item() < 1  --> true

--- optim.Adagrad
local p = nn.Parameter(lt.tensor{1.0})
local opt = optim.Adagrad({p}, {lr = 0.5})
p:square():sum():backward()
opt:step()
p:detach()  --> [0.5]

--- optim.Adadelta, Optimizer:zero_grad
local p = nn.Parameter(lt.tensor{1.0})
local opt = optim.Adadelta{p}
p:square():sum():backward()
opt:zero_grad()
p.grad  --> nil

--- optim.Adamax
local p = nn.Parameter(lt.tensor{1.0})
local opt = optim.Adamax({p}, {lr = 0.5})
p:square():sum():backward()
opt:step()
p:detach()  --> [0.5]

--- optim.NAdam
optim.NAdam({nn.Parameter(lt.ones(1))}, {lr = 0.5}).param_groups[1].lr  --> 0.5

--- optim.RAdam
optim.RAdam({nn.Parameter(lt.ones(1))}, {lr = 0.5}).param_groups[1].lr  --> 0.5

--- optim.LBFGS, LBFGS:step
local p = nn.Parameter(lt.tensor{5.0})
local opt = optim.LBFGS({p}, {lr = 0.5})
local function closure() opt:zero_grad() local loss = ((p - 1) ^ 2):sum() loss:backward() return loss end
opt:step(closure)
(p - 1):abs():item() < 0.1  --> true

--- optim.is_optimizer
optim.is_optimizer(optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 0.1}))  --> true

--- Optimizer:add_param_group
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 0.1})
opt:add_param_group{params = {nn.Parameter(lt.ones(1))}, lr = 0.01}
#opt.param_groups  --> 2

--- Optimizer:state_dict, Optimizer:load_state_dict
local p = nn.Parameter(lt.ones(1))
local a, b = optim.SGD({p}, {lr = 0.1}), optim.SGD({p}, {lr = 0.5})
b:load_state_dict(a:state_dict())
b.param_groups[1].lr  --> 0.1

--- optim.scheduler.StepLR, Scheduler:step, Scheduler:get_last_lr
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
local schedule = optim.scheduler.StepLR(opt, 2, {gamma = 0.5})
for _ = 1, 4 do schedule:step() end
schedule:get_last_lr()[1]  --> 0.25

--- optim.scheduler.MultiStepLR
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
local schedule = optim.scheduler.MultiStepLR(opt, {2, 3}, {gamma = 0.5})
for _ = 1, 3 do schedule:step() end
opt.param_groups[1].lr  --> 0.25

--- optim.scheduler.ExponentialLR
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
local schedule = optim.scheduler.ExponentialLR(opt, 0.5)
schedule:step()
opt.param_groups[1].lr  --> 0.5

--- optim.scheduler.ConstantLR
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
local schedule = optim.scheduler.ConstantLR(opt, {factor = 0.5, total_iters = 2})
opt.param_groups[1].lr  --> 0.5

--- optim.scheduler.LinearLR
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
local schedule = optim.scheduler.LinearLR(opt, {start_factor = 0.5, total_iters = 2})
schedule:step()
opt.param_groups[1].lr  --> 0.75

--- optim.scheduler.PolynomialLR
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
local schedule = optim.scheduler.PolynomialLR(opt, {total_iters = 4})
schedule:step()
opt.param_groups[1].lr  --> 0.75

--- optim.scheduler.LambdaLR
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
local schedule = optim.scheduler.LambdaLR(opt, function(step) return 1 / (step + 1) end)
schedule:step()
opt.param_groups[1].lr  --> 0.5

--- optim.scheduler.CosineAnnealingLR
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
local schedule = optim.scheduler.CosineAnnealingLR(opt, 10)
for _ = 1, 5 do schedule:step() end
("%.3f"):format(opt.param_groups[1].lr)  --> 0.500

--- optim.scheduler.CosineAnnealingWarmRestarts
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
local schedule = optim.scheduler.CosineAnnealingWarmRestarts(opt, 5)
for _ = 1, 5 do schedule:step() end
opt.param_groups[1].lr  --> 1.0

--- optim.scheduler.OneCycleLR
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1, momentum = 0.9})
local schedule = optim.scheduler.OneCycleLR(opt, 1, {total_steps = 10})
opt.param_groups[1].lr  --> 0.04

--- optim.scheduler.CyclicLR
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1, momentum = 0.9})
local schedule = optim.scheduler.CyclicLR(opt, 0.1, 1, {step_size_up = 2})
for _ = 1, 2 do schedule:step() end
opt.param_groups[1].lr  --> 1.0

--- optim.scheduler.ReduceLROnPlateau, ReduceLROnPlateau:step
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
local schedule = optim.scheduler.ReduceLROnPlateau(opt, {factor = 0.5, patience = 1})
for _ = 1, 4 do schedule:step(1.0) end          -- the loss does not fall
opt.param_groups[1].lr  --> 0.5

--- optim.scheduler.SequentialLR
local s = optim.scheduler
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
local schedule = s.SequentialLR(opt, {s.LinearLR(opt), s.ExponentialLR(opt, 0.5)}, {5})
for _ = 1, 6 do schedule:step() end
opt.param_groups[1].lr  --> 0.5

--- Scheduler:state_dict, Scheduler:load_state_dict
local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
local a, b = optim.scheduler.StepLR(opt, 2), optim.scheduler.StepLR(opt, 5)
b:load_state_dict(a:state_dict())
b.step_size  --> 2

--- optim.GradScaler, GradScaler:scale, GradScaler:get_scale
local scaler = optim.GradScaler{init_scale = 8}
scaler:scale(lt.tensor(2.0))  --> 16.0
scaler:get_scale()            --> 8

--- GradScaler:step, GradScaler:update
local p = nn.Parameter(lt.tensor{1.0})
local opt, scaler = optim.SGD({p}, {lr = 0.1}), optim.GradScaler{init_scale = 8}
scaler:scale((p * p):sum()):backward()
scaler:step(opt)
scaler:update()
p:detach()  --> [0.8]

--- GradScaler:unscale_
local p = nn.Parameter(lt.tensor{1.0})
local opt, scaler = optim.SGD({p}, {lr = 0.1}), optim.GradScaler{init_scale = 8}
scaler:scale((p * p):sum()):backward()
scaler:unscale_(opt)
p.grad  --> [2.0]

--- GradScaler:state_dict, GradScaler:load_state_dict
local a, b = optim.GradScaler{init_scale = 8}, optim.GradScaler()
b:load_state_dict(a:state_dict())
b:get_scale()  --> 8

--- optim.Sharded
local p = nn.Parameter(lt.tensor{1.0})
local opt = optim.Sharded(optim.SGD({p}, {lr = 0.1}))
p:square():sum():backward()
opt:step()
p:detach()  --> [0.8]

--- nn.parallel.DataParallel
local model = nn.parallel.DataParallel(nn.Linear(2, 1))
model:no_sync(function() model(lt.ones(1, 2)):sum():backward() end)  -- adds up gradients of this process
model(lt.ones(1, 2)):sum():backward()                                -- averages the sum over all processes
model.bias.grad  --> [2.0]

--- nn.parallel.Replicas, Replicas:backward
local replicas = nn.parallel.Replicas(function() return nn.Linear(2, 1) end, {"cpu", "cpu"})
local loss = replicas:backward(function(model, x) return model(x):sum() end, lt.ones(4, 2))
replicas[2].bias.grad  --> [2.0]

--- data.Subset
#data.Subset(data.TensorDataset(lt.arange(10)), {2, 4}):all()  --> 2

--- data.ConcatDataset
local a = data.TensorDataset(lt.arange(10))
data.ConcatDataset{a, a}.size  --> 20

--- data.DistributedSampler, DistributedSampler:set_epoch, DistributedSampler:indices
local sampler = data.DistributedSampler(data.TensorDataset(lt.arange(4)), {shuffle = false})
sampler:set_epoch(2)
sampler:indices()  --> [1, 2, 3, 4]

--- data.split
local a, b = data.split(data.TensorDataset(lt.arange(10)), {0.8, 0.2})
a.size  --> 8
b.size  --> 2

--- Dataset:all
data.TensorDataset(lt.arange(3), lt.ones(3)):all()  --> [0, 1, 2]

--- data.digits
data.digits().size  --> 1797

--- data.ImageFolder, ImageFolder:sample
local root = os.tmpname() .. ".images"
os.execute(("mkdir -p %s/rose"):format(root))
lt.save(root .. "/rose/1.png", lt.zeros(3, 4, 5, {dtype = "uint8"}))
local image, class = data.ImageFolder(root, {mode = "rgb"}):sample(1)
image.shape  --> [3, 4, 5]
os.execute("rm -r " .. root)

--- data.transforms.compose, data.transforms.to_float, data.transforms.normalise
local prepare = data.transforms.compose {data.transforms.to_float(), data.transforms.normalise(0.5, 0.5)}
prepare(lt.full({1, 1, 2}, 255, {dtype = "uint8"}))  --> [[[1.0, 1.0]]]

--- nn.functional.interpolate
local x = lt.tensor {{{{0.0, 4.0}}}}
nn.functional.interpolate(x, {size = {1, 4}, mode = "bilinear"})  --> [[[[0.0, 1.0, 3.0, 4.0]]]]

--- nn.Upsample
nn.Upsample {scale_factor = 2, mode = "nearest"}(lt.rand(1, 3, 8, 8)).shape  --> [1, 3, 16, 16]

--- data.transforms.resize
data.transforms.resize(4)(lt.zeros(3, 8, 9, {dtype = "uint8"})).shape  --> [3, 4, 4]

--- data.transforms.center_crop
data.transforms.center_crop(2)(lt.arange(9):reshape(1, 3, 3))  --> [[[0, 1], [3, 4]]]

--- data.transforms.random_crop, data.transforms.random_flip
local x = lt.rand(3, 32, 32)
data.transforms.random_flip {p = 0.5}(x).shape  --> [3, 32, 32]
data.transforms.random_crop(32, {padding = 4})(x).shape  --> [3, 32, 32]

--- Loader:batches
local loader = data.Loader(data.TensorDataset(lt.arange(6)), {batch_size = 4})
for x in loader:batches() do print(x.shape) end

--- Loader:state_dict, Loader:load_state_dict
local set = data.TensorDataset(lt.arange(6))
local a, b = data.Loader(set, {batch_size = 4}), data.Loader(set, {batch_size = 4})
b:load_state_dict(a:state_dict())

--- save, load
local path = os.tmpname() .. ".npy"
lt.save(path, lt.tensor{1, 2})
lt.load(path)  --> [1, 2]
os.remove(path)

--- Module:named_buffers
local names = {}
for name in nn.BatchNorm1d(3):named_buffers() do names[#names + 1] = name end
names[1]  --> running_mean

--- Module:named_children
local names = {}
for name in nn.Sequential(nn.ReLU(), nn.Tanh()):named_children() do names[#names + 1] = name end
table.concat(names, " ")  --> 1 2

--- Module:named_modules
local count = 0
for name, module in nn.Sequential(nn.ReLU(), nn.Tanh()):named_modules() do count = count + 1 end
count  --> 3

--- Module:extra
local Scale = nn.Module:extend "Scale"
function Scale:extra() return "factor = 2" end
Scale()  --> Scale(factor = 2)

--- Module:fail
local Even = nn.Module:extend "Even"
function Even:forward(x) if x.size % 2 == 1 then self:fail("an even size expected, got %d", x.size) end return x end
pcall(Even(), lt.ones(3))  --> false

--- data.Table
local t = data.Table({city = {"Bern", "Rome"}, size = lt.tensor{3, 5}}, {"city", "size"})
t:tensor{"size"}  --> [[3.0], [5.0]]

--- data.write_csv
local path = os.tmpname()
data.write_csv(path, lt.tensor{{1, 2}, {3, 4}}, {names = {"a", "b"}})
data.read_csv(path).b  --> [2, 4]

--- data.read_csv
local path = os.tmpname()
io.open(path, "w"):write("size,city\n1,Bern\nNA,Rome\n"):close()
local t = data.read_csv(path)
t.city.levels[2]  --> Rome
t:drop("city"):tensor():isnan():sum()  --> 1
os.remove(path)

--- bench.time
local result = lt.bench.time(function() return lt.ones(10):sum() end, {seconds = 0.01})
result.kind  --> time

--- current_stream
lt.current_stream("cpu").device  --> cpu

--- bench.sizes
table.concat(lt.bench.sizes(10, 1000), " ")  --> 10 20 40 80 160 320 640 1000

--- bench.compare
local x = lt.ones(10)
local ways = {{"sum", function() return x:sum() end}, {"mean", function() return x:mean() * 10 end}}
lt.bench.compare(ways, {seconds = 0.01}).entries[2].name  --> mean

--- bench.load, bench.diff
local path = os.tmpname() .. ".json"
local before = lt.bench.time(function() return lt.ones(10) end, {seconds = 0.01})
before:save(path)
lt.bench.diff(lt.bench.load(path), before).kind  --> diff
os.remove(path)

--- data.read_idx
local path = os.tmpname()
local file <close> = io.open(path, "wb")
file:write("\0\0\8\1\0\0\0\2", "\5\7"):flush()      -- unsigned bytes, one dim of length 2
lt.data.read_idx(path)  --> [5, 7]
os.remove(path)

--- data.mnist
local function load_mnist(folder)
  local train, test = lt.data.mnist(folder, {image = true})
  return train, test
end

--- Optimizer:__tostring
local p = lt.ones(1, {requires_grad = true})
tostring(optim.SGD({p}, {lr = 0.5})):match "lr = [%d.]+"  --> lr = 0.5
