---@meta luatensor.nn
-- Made by `make annotations` from the sources' comments and the op table. Do not edit.

---@class luatensor.Module
---@overload fun(...): any
local Module = {}

---Makes a subclass. The subclass may define these functions: `init(self, …)`, the constructor; `forward(self, …)`,
---which a call of the module runs; `extra(self)`, which returns the text that printing shows between parentheses.
---```lua
---local Scale = nn.Module:extend "Scale"
---function Scale:init(n) self.weight = nn.Parameter(lt.ones(n)) end
---function Scale:forward(x) return x * self.weight end
---Scale(2)(lt.tensor{3.0, 4.0}):detach()  --> [3.0, 4.0]
---```
---@param name string of the class, for printing and messages
---@return table # the class; a call of the class makes a module
function Module:extend(name) end

---Makes x a parameter in field `name`, even if x does not (yet) require gradients.
---```lua
---local m = nn.ReLU()
---m:register_parameter("scale", nn.Parameter(lt.ones(1)))
---#m:parameters()  --> 1
---```
---@param name string of the field
---@param x any nil for no parameter, as in a layer without bias; the field is then false
function Module:register_parameter(name, x) end

---Makes x part of the state in field `name`: x is moved, saved and loaded with the module, but not trained.
---```lua
---local m = nn.ReLU()
---m:register_buffer("seen", lt.zeros(1))
---m:state_dict().seen  --> [0.0]
---```
---@param name string of the field
---@param x any nil for no buffer; the field is then false
---@param options? luatensor.Module.register_buffer.options
function Module:register_buffer(name, x, options) end

---Iterates over this module and all modules inside of it, each module once: `for name, module in
---model:named_modules() do`.
---```lua
---local count = 0
---for name, module in nn.Sequential(nn.ReLU(), nn.Tanh()):named_modules() do count = count + 1 end
---count  --> 3
---```
---@return function # an iterator of names and modules. The name of this module is ""; the name of an inner module is its path of fields, such as "encoder.1"
function Module:named_modules() end

---Iterates over the modules that are fields of this module, with their names.
---```lua
---local names = {}
---for name in nn.Sequential(nn.ReLU(), nn.Tanh()):named_children() do names[#names + 1] = name end
---table.concat(names, " ")  --> 1 2
---```
---@return function # an iterator of names and modules
function Module:named_children() end

---Iterates over the parameters with their names, each parameter once: `for name, p in model:named_parameters() do`.
---```lua
---for name, p in nn.Linear(3, 2):named_parameters() do print(name, p.shape) end
---```
---@return function # an iterator of names and tensors
function Module:named_parameters() end

---Iterates over the buffers with their names, each buffer once.
---```lua
---local names = {}
---for name in nn.BatchNorm1d(3):named_buffers() do names[#names + 1] = name end
---names[1]  --> running_mean
---```
---@return function # an iterator of names and tensors
function Module:named_buffers() end

---Returns all parameters, each parameter once, in the order in which the fields were assigned.
---```lua
---#nn.Linear(3, 2):parameters()  --> 2
---```
---@return table # a list of tensors
function Module:parameters() end

---Calls fn with every module inside of this module, and then with this module. fn gets inner modules before the
---modules that contain them.
---```lua
---local count = 0
---nn.Sequential(nn.Linear(3, 2), nn.ReLU()):apply(function() count = count + 1 end)
---count  --> 3
---```
---@param fn function takes a module
---@return luatensor.Module # the module itself
function Module:apply(fn) end

---Switches between training and evaluation. Some layers, such as dropout, compute differently in training.
---```lua
---nn.Dropout(0.5):train(false)(lt.ones(2))  --> [1.0, 1.0]
---```
---@param flag? boolean true for training, false for evaluation; default true
---@return luatensor.Module # the module itself
function Module:train(flag) end

---Switches to evaluation, as train(false).
---```lua
---local layer = nn.Dropout(0.5)
---layer:eval()
---layer(lt.ones(3))  --> [1.0, 1.0, 1.0]
---```
---@return luatensor.Module # the module itself
function Module:eval() end

---Sets whether gradients of the parameters are computed. Parameters without gradients are not trained.
---```lua
---nn.Linear(3, 2):requires_grad_(false).weight.requires_grad  --> false
---```
---@param flag? boolean true if gradients are computed; default true
---@return luatensor.Module # the module itself
function Module:requires_grad_(flag) end

---Sets the gradients of all parameters to nil.
---```lua
---local m = nn.Linear(1, 1)
---m(lt.ones(1)):sum():backward()
---m:zero_grad()
---m.weight.grad  --> nil
---```
function Module:zero_grad() end

---The constructor, which does nothing in this class. Subclasses override it.
---```lua
---local Scale = nn.Module:extend "Scale"
---function Scale:init(n) self.weight = nn.Parameter(lt.ones(n)) end
---function Scale:forward(x) return x * self.weight end
---Scale(2)(lt.tensor{3.0, 4.0}):detach()  --> [3.0, 4.0]
---```
function Module:init() end

---The function that a call of the module runs. Subclasses override it.
---```lua
---local Scale = nn.Module:extend "Scale"
---function Scale:init(n) self.weight = nn.Parameter(lt.ones(n)) end
---function Scale:forward(x) return x * self.weight end
---Scale(2)(lt.tensor{3.0, 4.0}):detach()  --> [3.0, 4.0]
---```
function Module:forward() end

---Returns the text that printing shows between parentheses, here "". Subclasses override it.
---```lua
---local Scale = nn.Module:extend "Scale"
---function Scale:extra() return "factor = 2" end
---Scale()  --> Scale(factor = 2)
---```
---@return string #
function Module:extra() end

---Raises the error "train.lua:12: Linear(64, 128): message" for an unsuitable input of a layer. For a layer inside
---of another module, the layer's name in the outermost module comes first: "2.2 (Linear(64, 128)): message".
---```lua
---local Even = nn.Module:extend "Even"
---function Even:forward(x) if x.size % 2 == 1 then self:fail("an even size expected, got %d", x.size) end return x end
---pcall(Even(), lt.ones(3))  --> false
---```
---@param message string a format for string.format, whose values follow
function Module:fail(message) end

---Makes each call of the module call `fn(module, inputs)` before its forward. `inputs` is the list of the arguments,
---and `inputs.n` is their number. What fn returns replaces the arguments, unless fn returns nothing or nil.
---
---Hooks run only in calls of the module, `layer(x)`, and not in `layer:forward(x)`. An error in a hook is raised by the
---call. Replays of lt.compile call no hooks: they repeat the operations of the recorded call, with those of its hooks.
---Hooks belong to one module: they are not saved, and copies of the module have none.
---```lua
---local layer = nn.ReLU()
---layer:register_forward_pre_hook(function(_, inputs) return inputs[1] - 1 end)
---layer(lt.tensor{0.5, 3.0})  --> [0.0, 2.0]
---```
---@param fn function
---@return luatensor.HookHandle # with the method `remove`, which removes the hook
function Module:register_forward_pre_hook(fn) end

---Makes each call of the module call `fn(module, inputs, output, …)` after its forward. `inputs` is the list of the
---arguments, and the results of the forward follow. What fn returns replaces the results, unless fn returns nothing or
---nil. Calls and hooks are as in Module:register_forward_pre_hook.
---
---    local activation
---    local handle = model[2]:register_forward_hook(function(_, _, y) activation = y:detach() end)
---    model(x)
---    handle:remove()
---```lua
---local model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
---local shape
---local handle = model[2]:register_forward_hook(function(_, _, y) shape = y.shape end)
---model(lt.ones(2, 4))
---handle:remove()
---shape  --> [2, 8]
---```
---@param fn function
---@return luatensor.HookHandle # with the method `remove`
function Module:register_forward_hook(fn) end

---Makes each backward pass through a call of the module call `fn(module, grad_inputs, grad_outputs)`. The two lists
---hold the gradients of the arguments and of the results, with nil for those without gradients. If fn returns a list,
---its gradients replace grad_inputs. For a module of one argument fn may return a tensor. fn must not change the
---gradients in place.
---
---The hook applies to calls while gradients are recorded. If no argument requires gradients, as for the first layer of
---a network, fn runs when the gradients of the results are known, and grad_inputs is empty. The results of the module
---are then views, which no operation may change in place. A call raises an error if a result is a table of
---tensors that require gradients.
---```lua
---local layer = nn.ReLU()
---layer:register_full_backward_hook(function(_, grad_inputs) return grad_inputs[1] * 10 end)
---local x = lt.tensor({-1.0, 2.0}, {requires_grad = true})
---layer(x):sum():backward()
---x.grad  --> [0.0, 10.0]
---```
---@param fn function
---@return luatensor.HookHandle # with the method `remove`
function Module:register_full_backward_hook(fn) end

---Moves parameters and buffers to a device, or converts floating-point parameters and buffers to a dtype, or does
---both. Gradients are moved and converted together with their parameters. The tensors stay the same objects, so that
---optimisers still refer to them. If an error is raised, nothing has changed.
---```lua
---nn.Linear(3, 2):to("float64").weight.dtype  --> float64
---```
---@param where string the name of a device or a dtype: "cuda", "cpu", "float64" …
---@param also? string a dtype after a device, or a device after a dtype
---@return luatensor.Module # the module itself
function Module:to(where, also) end

---Returns the tensors of the network's state by name, such as "1.weight". The tensors share the module's memory.
---```lua
---local a, b = nn.Linear(3, 2), nn.Linear(3, 2)
---b:load_state_dict(a:state_dict())
---b.weight:equal(a.weight):all()  --> true
---```
---@return table # tensors by name
function Module:state_dict() end

---Copies the values of a state_dict into this module. If a value does not fit, nothing changes.
---Errors: if names are missing or unexpected, unless `strict` is false; if shapes differ; if complex numbers would become real.
---```lua
---local a, b = nn.Linear(3, 2), nn.Linear(3, 2)
---b:load_state_dict(a:state_dict())
---b.weight:equal(a.weight):all()  --> true
---```
---@param state table tensors by name; dtypes and devices are converted
---@param options? luatensor.Module.load_state_dict.options
---@return table # the list of the module's names that were missing in state
---@return table # the list of names in state that the module lacks
function Module:load_state_dict(state, options) end

---Runs the network on zeros, and returns a table of its modules with the shapes of their results and the numbers of
---their parameters: `print(model:summary(1, 3, 32, 32))`.
---
---The pass runs in evaluation mode without recording gradients. Afterwards the modes, the buffers and the random
---numbers are as before. The result has the totals `parameters`, `trained` and `bytes`, which includes buffers. Its
---field `layers` is the list of the rows. A row has the fields `name`, `class`, `depth`, `called` and `parameters`. Its
---field `output` is the list of the shapes of the results, as texts.
---Errors: if the network raises an error for this input.
---```lua
---local model = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
---local summary = model:summary(1, 4)
---summary.layers[2].output[1]  --> [1, 8]
---summary.parameters  --> 40
---```
---@param ... any the shape of the input; or a shape {1, 3, 32, 32} or a tensor for each input. Networks of integers, such as tokens, need a tensor
---@return table # whose text is the table
function Module:summary(...) end

---@class luatensor.HookHandle
local HookHandle = {}

---Removes the hook. A second call does nothing. While the module runs, its hooks stay the same until the call ends.
---```lua
---local model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
---local shape
---local handle = model[2]:register_forward_hook(function(_, _, y) shape = y.shape end)
---model(lt.ones(2, 4))
---handle:remove()
---shape  --> [2, 8]
---```
function HookHandle:remove() end

---@class luatensor.ConfusionMatrix
---@field matrix luatensor.Tensor
local ConfusionMatrix = {}

---Adds the samples of a batch.
---```lua
---local confusion = nn.metrics.ConfusionMatrix(2)
---confusion:add(lt.tensor{1, 2}, lt.tensor{1, 2}):add(lt.tensor{2, 2}, lt.tensor{1, 2})
---confusion:f1()  --> 0.8
---confusion:accuracy()  --> 0.75
---```
---@param target luatensor.Tensor the right classes, from 1 on
---@return luatensor.ConfusionMatrix # the object itself
function ConfusionMatrix:add(target) end

---Returns the share of right predictions.
---```lua
---local confusion = nn.metrics.ConfusionMatrix(2)
---confusion:add(lt.tensor{1, 2}, lt.tensor{1, 2}):add(lt.tensor{2, 2}, lt.tensor{1, 2})
---confusion:f1()  --> 0.8
---confusion:accuracy()  --> 0.75
---```
---@return number #
function ConfusionMatrix:accuracy() end

---Returns the precision, as nn.metrics.precision does.
---```lua
---local confusion = nn.metrics.ConfusionMatrix(2):add(lt.tensor{1, 2, 2, 1}, lt.tensor{1, 2, 1, 1})
---confusion:precision()  --> 0.5
---confusion:recall()  --> 1.0
---```
---@param options? luatensor.options.average
---@return number # or a list
function ConfusionMatrix:precision(options) end

---Returns the recall, as nn.metrics.recall does.
---```lua
---local confusion = nn.metrics.ConfusionMatrix(2):add(lt.tensor{1, 2, 2, 1}, lt.tensor{1, 2, 1, 1})
---confusion:precision()  --> 0.5
---confusion:recall()  --> 1.0
---```
---@param options? luatensor.options.average
---@return number # or a list
function ConfusionMatrix:recall(options) end

---Returns the F1 score, as nn.metrics.f1 does.
---```lua
---local confusion = nn.metrics.ConfusionMatrix(2)
---confusion:add(lt.tensor{1, 2}, lt.tensor{1, 2}):add(lt.tensor{2, 2}, lt.tensor{1, 2})
---confusion:f1()  --> 0.8
---confusion:accuracy()  --> 0.75
---```
---@param options? luatensor.options.average
---@return number # or a list
function ConfusionMatrix:f1(options) end

---@class luatensor.Collector
local Collector = {}

---Adds the tensors of a batch. All batches have the same number of tensors, whose shapes differ at most in dim 1.
---```lua
---local all = nn.metrics.Collector()
---all:add(lt.tensor{1.0, 2.0}):add(lt.tensor{3.0})
---all:get()  --> [1.0, 2.0, 3.0]
---```
---@return luatensor.Collector # the object itself
function Collector:add() end

---Returns the collected tensors, each joined along dim 1.
---```lua
---local all = nn.metrics.Collector()
---all:add(lt.tensor{1.0, 2.0}):add(lt.tensor{3.0})
---all:get()  --> [1.0, 2.0, 3.0]
---```
---@return luatensor.Tensor # ... one for each argument of `add`
function Collector:get() end

---@class luatensor.Sequential: luatensor.Module
local Sequential = {}

---Adds a module at the end, and returns the container.
---```lua
---#nn.Sequential(nn.ReLU()):append(nn.Tanh())  --> 2
---```
---@param module luatensor.Module
---@return luatensor.Module # the container
function Sequential:append(module) end

---Inserts a module at place i, and returns the container. The places of the modules from place i on, and their names
---in the state, increase by 1.
---```lua
---nn.Sequential(nn.ReLU()):insert(1, nn.Tanh())[1]  --> Tanh()
---```
---@param i integer the place, from 1 to the number of modules + 1
---@param module luatensor.Module
---@return luatensor.Module # the container
function Sequential:insert(i, module) end

---Removes the module at place i. The places of all later modules decrease by 1.
---```lua
---local model = nn.Sequential(nn.ReLU(), nn.Tanh())
---model:remove(1)
---#model  --> 1
---```
---@param i? integer the place; the last place unless given
---@return luatensor.Module # the removed module
function Sequential:remove(i) end

---@class luatensor.ParameterList: luatensor.Module
local ParameterList = {}

---Adds a parameter at the end, and returns the list.
---```lua
---#nn.ParameterList():append(nn.Parameter(lt.ones(1)))  --> 1
---```
---@return luatensor.Module # the list
function ParameterList:append() end

---@class luatensor.Replicas: luatensor.Module
local Replicas = {}

---Computes the gradients of all replicas. Each replica gets a part of the samples: every tensor among the arguments is
---divided along dim 1 into as many equal parts as there are devices. Other arguments are passed on. Then the gradients
---of all replicas are replaced by their means, so that equal steps follow.
---Errors: if dim 1 of a tensor cannot be divided; if a loss has no gradient.
---```lua
---local replicas = nn.parallel.Replicas(function() return nn.Linear(2, 1) end, {"cpu", "cpu"})
---local loss = replicas:backward(function(model, x) return model(x):sum() end, lt.ones(4, 2))
---replicas[2].bias.grad  --> [2.0]
---```
---@param loss function is called with a replica and its parts, and returns the mean loss of these samples
---@param ... any arguments, such as inputs and classes
---@return luatensor.Tensor # the mean of the losses, on the first device
function Replicas:backward(loss, ...) end

---@class luatensor.nn
local nn = {}

nn.functional = {}

nn.init = {}

nn.metrics = {}

nn.parallel = {}

nn.utils = {}

---A layer that computes max(x, 0) for each element x.
---```lua
---nn.ReLU()(lt.tensor{-1, 2})  --> [0, 2]
---```
---@return luatensor.Module #
function nn.ReLU() end

---A layer that computes min(max(x, 0), 6) for each element x.
---```lua
---nn.ReLU6()(lt.tensor{-1.0, 3.0, 9.0})  --> [0.0, 3.0, 6.0]
---```
---@return luatensor.Module #
function nn.ReLU6() end

---A layer that computes functional.selu(x).
---```lua
---nn.SELU()(lt.tensor{-1.0, 3.0})  --> [-1.1113, 3.1521]
---```
---@return luatensor.Module #
function nn.SELU() end

---A layer that computes x · sigmoid(x) for each element x.
---```lua
---nn.SiLU()(lt.tensor{-1.0, 3.0})  --> [-0.2689, 2.8577]
---```
---@return luatensor.Module #
function nn.SiLU() end

---A layer that computes x · tanh(softplus(x)) for each element x.
---```lua
---nn.Mish()(lt.tensor{-1.0, 3.0})  --> [-0.3034, 2.9865]
---```
---@return luatensor.Module #
function nn.Mish() end

---A layer that computes 1 / (1 + exp(-x)) for each element x.
---```lua
---nn.Sigmoid()(lt.tensor{0.0})  --> [0.5]
---```
---@return luatensor.Module #
function nn.Sigmoid() end

---A layer that computes the hyperbolic tangent of each element.
---```lua
---nn.Tanh()(lt.tensor{0.0, 1.0})  --> [0.0000, 0.7616]
---```
---@return luatensor.Module #
function nn.Tanh() end

---A layer that computes relu6(x + 3) / 6 for each element x.
---```lua
---nn.Hardsigmoid()(lt.tensor{-4.0, 0.0})  --> [0.0, 0.5]
---```
---@return luatensor.Module #
function nn.Hardsigmoid() end

---A layer that computes x · hardsigmoid(x) for each element x.
---```lua
---nn.Hardswish()(lt.tensor{-4.0, 4.0})  --> [-0.0, 4.0]
---```
---@return luatensor.Module #
function nn.Hardswish() end

---A layer that computes x / (1 + |x|) for each element x.
---```lua
---nn.Softsign()(lt.tensor{1.0, -3.0})  --> [0.50, -0.75]
---```
---@return luatensor.Module #
function nn.Softsign() end

---A layer that computes log(sigmoid(x)) for each element x.
---```lua
---nn.LogSigmoid()(lt.tensor{0.0})  --> [-0.6931]
---```
---@return luatensor.Module #
function nn.LogSigmoid() end

---A layer that computes x for elements of at least 0, and negative_slope · x for negative elements.
---```lua
---nn.LeakyReLU{negative_slope = 0.1}(lt.tensor{-1.0, 3.0})  --> [-0.1, 3.0]
---```
---@param options? luatensor.options.negative_slope
---@return luatensor.Module #
function nn.LeakyReLU(options) end

---A layer that limits each element to at least min_val and at most max_val.
---```lua
---nn.Hardtanh()(lt.tensor{-4.0, 0.5})  --> [-1.0, 0.5]
---```
---@param options? luatensor.nn.Hardtanh.options
---@return luatensor.Module #
function nn.Hardtanh(options) end

---A layer that computes x for elements of at least 0, and alpha (exp(x) - 1) for negative elements.
---```lua
---nn.ELU()(lt.tensor{-1.0, 3.0})  --> [-0.6321, 3.0000]
---```
---@param options? luatensor.options.alpha
---@return luatensor.Module #
function nn.ELU(options) end

---A layer that computes x for elements of at least 0, and alpha (exp(x / alpha) - 1) for negative elements.
---```lua
---nn.CELU()(lt.tensor{-1.0, 3.0})  --> [-0.6321, 3.0000]
---```
---@param options? luatensor.options.alpha
---@return luatensor.Module #
function nn.CELU(options) end

---A layer that computes log(1 + exp(beta x)) / beta for each element x.
---```lua
---nn.Softplus()(lt.tensor{0.0})  --> [0.6931]
---```
---@param options? luatensor.options.beta_threshold
---@return luatensor.Module #
function nn.Softplus(options) end

---A layer that computes softmax, exp(x) / Σ exp(x), along a dim.
---```lua
---nn.Softmax(1)(lt.tensor{0.0, 0.0})  --> [0.5, 0.5]
---```
---@param dim? integer|table|luatensor.nn.Softmax.options also option `dim`; default -1
---@return luatensor.Module #
function nn.Softmax(dim) end

---A layer that computes log(softmax(x)) along a dim.
---```lua
---nn.LogSoftmax(1)(lt.tensor{0.0, 0.0})  --> [-0.6931, -0.6931]
---```
---@param dim? integer|table|luatensor.nn.Softmax.options also option `dim`; default -1
---@return luatensor.Module #
function nn.LogSoftmax(dim) end

---A layer that computes softmax(-x) along a dim.
---```lua
---nn.Softmin(1)(lt.tensor{0.0, 0.0})  --> [0.5, 0.5]
---```
---@param dim? integer|table|luatensor.nn.Softmax.options also option `dim`; default -1
---@return luatensor.Module #
function nn.Softmin(dim) end

---A layer that computes a · sigmoid(b), where a and b are the two halves of x along a dim.
---```lua
---nn.GLU()(lt.tensor{1.0, 0.0})  --> [0.5]
---```
---@param dim? integer|table|luatensor.nn.Softmax.options also option `dim`; default -1
---@return luatensor.Module #
function nn.GLU(dim) end

---A layer that computes x Φ(x) for each element x, where Φ is the cumulative normal distribution.
---```lua
---nn.GELU()(lt.tensor{-1.0, 3.0})  --> [-0.1587, 2.9960]
---```
---@param options? luatensor.nn.GELU.options
---@return luatensor.Module #
function nn.GELU(options) end

---A layer that keeps elements above a limit, and replaces all other elements by a value.
---```lua
---nn.Threshold(0, 7)(lt.tensor{-1.0, 3.0})  --> [7.0, 3.0]
---```
---@param limit number elements above this number are kept
---@param value number the result for all other elements
---@return luatensor.Module #
function nn.Threshold(limit, value) end

---A layer that computes x for elements of at least 0, and weight · x for negative elements, with learned weights.
---Weight [num_parameters] is initialised to `init`.
---```lua
---nn.PReLU()(lt.tensor{-1.0, 3.0}):detach()  --> [-0.25, 3.00]
---```
---@param options? luatensor.nn.PReLU.options
---@return luatensor.Module #
function nn.PReLU(options) end

---Makes multi-head attention ("Attention is all you need", Vaswani et al.). Each head projects queries, keys and
---values by its own weights, and computes attention of the queries to the keys and values.
---
---    local y, weights = attention(query, key, value, {attn_mask = …})
---    local y = attention(x, {need_weights = false})          -- self-attention of x
---
---As in PyTorch, tensors have shape [times, batch, width], or [batch, times, width] with `batch_first`. Without a
---batch, tensors have 2 dims. Options of a call: `key_padding_mask` [batch, keys] and `attn_mask` [queries, keys] or
---[batch heads, queries, keys] are masks, either bool or float. In a bool mask, true marks a key that is NOT seen, the
---opposite of scaled_dot_product_attention. A float mask is added to the scores. With `is_causal` (false), query i sees
---keys 1 … i. With `need_weights` (true), the call also returns the weights, and all scores must be in memory. With
---`average_attn_weights` (true), the call returns the mean of the weights over the heads. In training, dropout sets
---some of the returned weights to 0. Queries that see no key give 0 before the last projection (NaN in PyTorch if
---weights are needed). The state has in_proj_weight [3 width, width], in_proj_bias, out_proj.weight and out_proj.bias.
---If keys or values have another width, q_proj_weight, k_proj_weight and v_proj_weight take the place of
---in_proj_weight.
---```lua
---local x = lt.rand(2, 7, 8)
---nn.MultiheadAttention(8, 2, {batch_first = true})(x, x, x).shape  --> [2, 7, 8]
---```
---@param embed_dim integer width of queries and results
---@param num_heads integer number of heads; must divide embed_dim
---@param options? luatensor.nn.MultiheadAttention.options
---@return luatensor.Module #
function nn.MultiheadAttention(embed_dim, num_heads, options) end

---Calls fn with mixed precision. Inside fn, linear and convolutional layers, recurrent cells and the products of
---attention convert their inputs to a half float and compute in it. Norms, softmax and losses compute in float32.
---Parameters stay float32, and optimisers update them; gradients flow back through the recorded conversions.
---Recurrent layers convert only the products with inputs; the products with the state stay float32. Call
---`loss:backward()` outside of fn. Functions such as lt.matmul convert nothing; float64 stays float64.
---
---    opt:zero_grad()
---    local loss = nn.autocast(function() return nn.functional.cross_entropy(model(x), y) end, {dtype = "bfloat16"})
---    loss:backward()
---    opt:step()
---
---Without a function, the result is a guard, which switches mixed precision on until the block of its variable ends:
---`local _ <close> = nn.autocast{dtype = "bfloat16"}`.
---
---Mixed precision is faster on GPUs with tensor cores for half floats (NVIDIA's since compute capability 7.0;
---bfloat16 since 8.0), and activations take half the memory. Processors gain no speed, because their products convert
---half floats to float32. The largest float16 is 65504, so use optim.GradScaler with float16; bfloat16 has float32's
---range.
---```lua
---nn.autocast(function() return nn.Linear(3, 2)(lt.rand(1, 3)).dtype end)  --> bfloat16
---```
---@param fn? function|luatensor.nn.autocast.options
---@param options? luatensor.nn.autocast.options
---@param ... luatensor.nn.autocast.options the arguments of fn
---@return any # what fn returns, or the guard
function nn.autocast(fn, options, ...) end

---Makes a module that calls modules in sequence: each module receives the result of the previous module. `model[2]`
---is the second module, and `#model` is the number of modules.
---```lua
---local model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
---model(lt.ones(2, 4)).shape  --> [2, 1]
---```
---@param ... luatensor.Module the modules, or one list of modules
---@return luatensor.Sequential #
function nn.Sequential(...) end

---Makes a list of modules, which the forward of your own module calls: `for i, layer in ipairs(self.layers) do`.
---```lua
---#nn.ModuleList{nn.ReLU(), nn.Tanh()}  --> 2
---```
---@param list? table of modules
---@return luatensor.Module #
function nn.ModuleList(list) end

---Makes a container of modules by name: `self.heads.left`, or `self.heads["left"]`.
---```lua
---nn.ModuleDict{act = nn.ReLU()}.act(lt.tensor{-1.0})  --> [0.0]
---```
---@param modules? table by name; they are added in alphabetical order of the names
---@return luatensor.Module #
function nn.ModuleDict(modules) end

---Makes a list of parameters: `self.scales[i]`.
---```lua
---#nn.ParameterList{nn.Parameter(lt.ones(1))}  --> 1
---```
---@param list? table of tensors of floats
---@return luatensor.ParameterList #
function nn.ParameterList(list) end

---Makes a residual connection (He et al.): x + f(x), where f is a sequence of modules.
---```lua
---nn.Residual(nn.ReLU())(lt.tensor{-1.0, 1.0})  --> [-1.0, 2.0]
---```
---@param ... luatensor.Module the modules of f, whose result has x's shape
---@return luatensor.Module #
function nn.Residual(...) end

---Makes a layer that calls a function: `nn.Lambda(function(x) return x:square() end)`.
---```lua
---nn.Lambda(function(x) return x * 2 end)(lt.tensor{1, 2})  --> [2, 4]
---```
---@param fn function takes the arguments of the layer's call
---@param name? string of the function, for printing
---@return luatensor.Module #
function nn.Lambda(fn, name) end

---Makes a layer that returns its arguments unchanged.
---```lua
---nn.Identity()(lt.tensor{1, 2})  --> [1, 2]
---```
---@param ... any any arguments, which are ignored
---@return luatensor.Module #
function nn.Identity(...) end

---Makes a layer that merges the dims from `start_dim` to `end_dim` into one dim.
---```lua
---nn.Flatten()(lt.ones(5, 2, 3)).shape  --> [5, 6]
---```
---@param options? luatensor.nn.Flatten.options
---@return luatensor.Module #
function nn.Flatten(options) end

---Makes a layer that splits a dim into several dims.
---```lua
---nn.Unflatten(2, {2, 3})(lt.ones(5, 6)).shape  --> [5, 2, 3]
---```
---@param dim integer the dim to split; negative dims count from the last dim
---@param sizes table lengths of the new dims; one length may be -1, which stands for the remaining length
---@return luatensor.Module #
function nn.Unflatten(dim, sizes) end

---Makes a layer that slides `outputs` kernels over a signal, as nn.functional.conv1d. Weight [outputs, inputs /
---groups, kernel_size] and bias [outputs] are drawn uniformly between -b and b, where b = 1/√(inputs / groups ·
---kernel_size).
---```lua
---nn.Conv1d(3, 8, 5)(lt.rand(2, 3, 20)).shape  --> [2, 8, 16]
---```
---@param inputs integer the number of channels of x
---@param outputs integer the number of channels of the result
---@param kernel_size integer the number of elements of a kernel in a channel
---@param options? luatensor.options.stride_padding_dilation_groups_bias_dtype_device_generator
---@return luatensor.Module # takes x [batch, inputs, length] or [inputs, length]
function nn.Conv1d(inputs, outputs, kernel_size, options) end

---Makes a layer that slides `outputs` kernels over images, as nn.functional.conv2d. Kernel size and options are
---numbers, or lists {height, width}.
---```lua
---local layer = nn.Conv2d(1, 8, 3, {padding = 1})
---layer(lt.ones(2, 1, 28, 28)).shape  --> [2, 8, 28, 28]
---```
---@param inputs integer the number of channels of x
---@param outputs integer the number of channels of the result
---@param kernel_size any a number, or a list {height, width}
---@param options? luatensor.options.stride_padding_dilation_groups_bias_dtype_device_generator
---@return luatensor.Module # takes x [batch, inputs, height, width] or [inputs, height, width]
function nn.Conv2d(inputs, outputs, kernel_size, options) end

---Makes a layer that calls nn.functional.conv_transpose1d, a transposed convolution of signals. The layer undoes the
---change of length by a Conv1d with the same options. The weight has shape [inputs, outputs / groups, kernel_size].
---```lua
---nn.ConvTranspose1d(8, 3, 5)(lt.rand(2, 8, 16)).shape  --> [2, 3, 20]
---```
---@param inputs integer the number of channels of x
---@param outputs integer the number of channels of the result
---@param kernel_size integer the number of elements of a kernel in a channel
---@param options? luatensor.options.stride_padding_output_padding_dilation_groups_bias_dtype_device_generator
---@return luatensor.Module # takes x [batch, inputs, length] or [inputs, length]
function nn.ConvTranspose1d(inputs, outputs, kernel_size, options) end

---Makes a layer that calls nn.functional.conv_transpose2d, a transposed convolution of images.
---```lua
---nn.ConvTranspose2d(8, 3, 2, {stride = 2})(lt.rand(2, 8, 4, 4)).shape  --> [2, 3, 8, 8]
---```
---@param inputs integer the number of channels of x
---@param outputs integer the number of channels of the result
---@param kernel_size any a number, or a list {height, width}
---@param options? luatensor.options.stride_padding_output_padding_dilation_groups_bias_dtype_device_generator
---@return luatensor.Module # takes x [batch, inputs, height, width] or [inputs, height, width]
function nn.ConvTranspose2d(inputs, outputs, kernel_size, options) end

---A layer that, in training, sets each element to 0 with probability p, and divides the other elements by 1 - p.
---```lua
---local layer = nn.Dropout(0.5)
---layer:eval()
---layer(lt.ones(3))  --> [1.0, 1.0, 1.0]
---```
---@param p? number|luatensor.nn.Dropout.options probability that an element becomes 0; default 0.5
---@param options? luatensor.nn.Dropout.options
---@return luatensor.Module #
function nn.Dropout(p, options) end

---A layer that, in training, drops whole channels of tensors [rows, channels, length], as nn.functional.dropout1d.
---```lua
---nn.Dropout1d(0.5):eval()(lt.ones(1, 2, 3)).shape  --> [1, 2, 3]
---```
---@param p? number|luatensor.options.p_generator probability that a channel becomes 0; default 0.5
---@param options? luatensor.options.p_generator
---@return luatensor.Module #
function nn.Dropout1d(p, options) end

---A layer that, in training, drops whole channels of tensors [rows, channels, height, width], as
---nn.functional.dropout2d.
---```lua
---nn.Dropout2d(0.5)(lt.ones(1, 2, 3, 3)).shape  --> [1, 2, 3, 3]
---```
---@param p? number|luatensor.options.p_generator probability that a channel becomes 0; default 0.5
---@param options? luatensor.options.p_generator
---@return luatensor.Module #
function nn.Dropout2d(p, options) end

---A layer that, in training, drops whole channels of tensors [rows, channels, depth, height, width], as
---nn.functional.dropout3d.
---```lua
---nn.Dropout3d(0.5)(lt.ones(1, 2, 3, 3, 3)).shape  --> [1, 2, 3, 3, 3]
---```
---@param p? number|luatensor.options.p_generator probability that a channel becomes 0; default 0.5
---@param options? luatensor.options.p_generator
---@return luatensor.Module #
function nn.Dropout3d(p, options) end

---A layer for dropout after nn.SELU. Unlike nn.Dropout, the layer preserves the mean and the variance of selu's
---results.
---```lua
---nn.AlphaDropout(0.5):eval()(lt.ones(2))  --> [1.0, 1.0]
---```
---@param p? number|luatensor.nn.AlphaDropout.options probability that an element is dropped; default 0.5
---@param options? luatensor.nn.AlphaDropout.options
---@return luatensor.Module #
function nn.AlphaDropout(p, options) end

---Makes a learned table with a row of `width` numbers for each of `count` words. Weight [count, width] is drawn from
---the standard normal distribution.
---```lua
---nn.Embedding(10, 4)(lt.tensor{1, 7}).shape  --> [2, 4]
---```
---@param count integer the number of rows
---@param width integer the number of elements of a row
---@param options? luatensor.nn.Embedding.options
---@return luatensor.Module # takes row numbers from 1 to count, of any shape, and returns the rows [..., width]
function nn.Embedding(count, width, options) end

---Makes an Embedding with the rows of a tensor, which are copied.
---```lua
---nn.Embedding.from_pretrained(lt.tensor{{1.0, 2.0}, {3.0, 4.0}})(lt.tensor{2})  --> [[3.0, 4.0]]
---```
---@param weight luatensor.Tensor [count, width]
---@param options? luatensor.nn.Embedding.from_pretrained.options
---@return luatensor.Module #
function nn.Embedding.from_pretrained(weight, options) end

---Returns max(x, 0) for each element x.
---```lua
---nn.functional.relu(lt.tensor{-1.0, 1.0})  --> [0.0, 1.0]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function nn.functional.relu(x) end

---Returns x · sigmoid(x) for each element x.
---```lua
---nn.functional.silu(lt.tensor{-1.0, 1.0})  --> [-0.2689, 0.7311]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function nn.functional.silu(x) end

---Returns 1 / (1 + exp(-x)) for each element x.
---```lua
---nn.functional.sigmoid(lt.tensor{0.0})  --> [0.5]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function nn.functional.sigmoid(x) end

---Returns the hyperbolic tangent of each element.
---```lua
---nn.functional.tanh(lt.tensor{0.0, 1.0})  --> [0.0000, 0.7616]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function nn.functional.tanh(x) end

---Returns x for elements of at least 0, and negative_slope · x for negative elements.
---```lua
---nn.functional.leaky_relu(lt.tensor{-1.0, 1.0})  --> [-0.01, 1.00]
---```
---@param x luatensor.Tensor
---@param options? luatensor.options.negative_slope
---@return luatensor.Tensor #
function nn.functional.leaky_relu(x, options) end

---Returns each element limited to at least min_val and at most max_val.
---```lua
---nn.functional.hardtanh(lt.tensor{-4.0, 0.5})  --> [-1.0, 0.5]
---```
---@param x luatensor.Tensor
---@param options? luatensor.nn.functional.hardtanh.options
---@return luatensor.Tensor #
function nn.functional.hardtanh(x, options) end

---Returns min(max(x, 0), 6) for each element x.
---```lua
---nn.functional.relu6(lt.tensor{-1.0, 9.0})  --> [0.0, 6.0]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function nn.functional.relu6(x) end

---Returns x for elements of at least 0, and alpha (exp(x) - 1) for negative elements.
---```lua
---nn.functional.elu(lt.tensor{-1.0, 1.0})  --> [-0.6321, 1.0000]
---```
---@param x luatensor.Tensor
---@param options? luatensor.options.alpha
---@return luatensor.Tensor #
function nn.functional.elu(x, options) end

---Returns x for elements of at least 0, and alpha (exp(x / alpha) - 1) for negative elements.
---```lua
---nn.functional.celu(lt.tensor{-1.0, 1.0})  --> [-0.6321, 1.0000]
---```
---@param x luatensor.Tensor
---@param options? luatensor.options.alpha
---@return luatensor.Tensor #
function nn.functional.celu(x, options) end

---Returns scale · x for elements of at least 0, and scale · alpha (exp(x) - 1) for negative elements, with the
---constants of self-normalising networks (Klambauer et al.).
---```lua
---nn.functional.selu(lt.tensor{-1.0, 1.0})  --> [-1.1113, 1.0507]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function nn.functional.selu(x) end

---Returns x Φ(x) for each element x, where Φ is the cumulative normal distribution: x (1 + erf(x / √2)) / 2.
---```lua
---nn.functional.gelu(lt.tensor{-1.0, 1.0})  --> [-0.1587, 0.8413]
---```
---@param x luatensor.Tensor
---@param options? luatensor.nn.functional.gelu.options
---@return luatensor.Tensor #
function nn.functional.gelu(x, options) end

---Returns x · tanh(softplus(x)) for each element x.
---```lua
---nn.functional.mish(lt.tensor{1.0})  --> [0.8651]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function nn.functional.mish(x) end

---Returns relu6(x + 3) / 6 for each element x, a piecewise linear sigmoid.
---```lua
---nn.functional.hardsigmoid(lt.tensor{-4.0, 0.0})  --> [0.0, 0.5]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function nn.functional.hardsigmoid(x) end

---Returns x · hardsigmoid(x) for each element x.
---```lua
---nn.functional.hardswish(lt.tensor{-4.0, 4.0})  --> [-0.0, 4.0]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function nn.functional.hardswish(x) end

---Returns log(1 + exp(beta x)) / beta for each element x, and x itself if beta x is above `threshold`.
---```lua
---nn.functional.softplus(lt.tensor{0.0})  --> [0.6931]
---```
---@param x luatensor.Tensor
---@param options? luatensor.options.beta_threshold
---@return luatensor.Tensor #
function nn.functional.softplus(x, options) end

---Returns x / (1 + |x|) for each element x.
---```lua
---nn.functional.softsign(lt.tensor{1.0, -3.0})  --> [0.50, -0.75]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function nn.functional.softsign(x) end

---Returns log(sigmoid(x)) for each element x. The result is accurate even if the sigmoid is nearly 0.
---```lua
---nn.functional.logsigmoid(lt.tensor{0.0})  --> [-0.6931]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor #
function nn.functional.logsigmoid(x) end

---Returns a copy of x in which `value` replaces each element that is at most `limit`. NaN stays unchanged.
---```lua
---nn.functional.threshold(lt.tensor{-1.0, 3.0}, 0, 7)  --> [7.0, 3.0]
---```
---@param x luatensor.Tensor
---@param limit number elements above this number are unchanged
---@param value number the result for all other elements
---@return luatensor.Tensor #
function nn.functional.threshold(x, limit, value) end

---Returns x for elements of at least 0, and weight · x for negative elements. The weight is learned.
---```lua
---nn.functional.prelu(lt.tensor{-1.0, 3.0}, lt.tensor{0.5})  --> [-0.5, 3.0]
---```
---@param x luatensor.Tensor [rows, channels, …]
---@param weight luatensor.Tensor with one element, or with one element for each channel (dim 2)
---@return luatensor.Tensor #
function nn.functional.prelu(x, weight) end

---Returns exp(x) / Σ exp(x) along a dim, without overflow.
---```lua
---nn.functional.softmax(lt.tensor{0.0, 0.0}, 1)  --> [0.5, 0.5]
---```
---@param x luatensor.Tensor
---@param dim? integer|luatensor.nn.functional.softmax.options the dim of the sum; default -1
---@param options? luatensor.nn.functional.softmax.options
---@return luatensor.Tensor #
function nn.functional.softmax(x, dim, options) end

---Returns log(softmax(x)) along a dim. The result is accurate even if softmax is nearly 0 or 1.
---```lua
---nn.functional.log_softmax(lt.tensor{0.0, 0.0}, 1)  --> [-0.6931, -0.6931]
---```
---@param x luatensor.Tensor
---@param dim? integer|luatensor.options.dim_dtype the dim of the sum; default -1
---@param options? luatensor.options.dim_dtype
---@return luatensor.Tensor #
function nn.functional.log_softmax(x, dim, options) end

---Returns softmax(-x) along a dim.
---```lua
---nn.functional.softmin(lt.tensor{0.0, 0.0}, 1)  --> [0.5, 0.5]
---```
---@param x luatensor.Tensor
---@param dim? integer|luatensor.options.dim_dtype the dim of the sum; default -1
---@param options? luatensor.options.dim_dtype
---@return luatensor.Tensor #
function nn.functional.softmin(x, dim, options) end

---Returns a · sigmoid(b), where a and b are the two halves of x along a dim.
---```lua
---nn.functional.glu(lt.tensor{1.0, 0.0})  --> [0.5]
---```
---@param x luatensor.Tensor has an even length in that dim
---@param dim? integer|luatensor.nn.functional.glu.options also option `dim`; default -1
---@return luatensor.Tensor # half as long as x in that dim
function nn.functional.glu(x, dim) end

---Returns softmax(scale q kᵀ + mask) v, with the softmax along the keys ("Attention is all you need", Vaswani et
---al., eq. 1). Rows of queries that see no key are 0. Without dropout, one op computes the result on the CPU in float32
---and float64, and on a GPU if rows have at most 128 elements and the op should be faster than several ops. Then the
---scores are never all in memory (as in "FlashAttention", Dao et al.).
---Errors: if shapes or devices do not fit together, or if a tensor contains integers.
---```lua
---local x = lt.rand(2, 4, 7, 8)
---nn.functional.scaled_dot_product_attention(x, x, x).shape  --> [2, 4, 7, 8]
---```
---@param q luatensor.Tensor [..., queries, width]
---@param k luatensor.Tensor [..., keys, width]
---@param v luatensor.Tensor [..., keys, values]
---@param options? luatensor.nn.functional.scaled_dot_product_attention.options
---@return luatensor.Tensor # [..., queries, values]
function nn.functional.scaled_dot_product_attention(q, k, v, options) end

---Computes a convolution of signals, as a cross-correlation like PyTorch's:
---
---    y[b, o, p] = bias[o] + Σ x[b, c, p · stride + k · dilation - padding] · weight[o, c, k]
---
---The sum is over the channels c of o's group and the places k of the kernel. Places p and k count from 0 here.
---```lua
---nn.functional.conv1d(lt.tensor{{{1.0, 2.0, 3.0}}}, lt.tensor{{{1.0, 1.0}}})  --> [[[3.0, 5.0]]]
---```
---@param x luatensor.Tensor [batch, channels, length] or [channels, length]
---@param weight luatensor.Tensor [outputs, channels / groups, kernel]
---@param bias? luatensor.Tensor|luatensor.nn.functional.conv1d.options [outputs]
---@param options? luatensor.nn.functional.conv1d.options
---@return luatensor.Tensor # [batch, outputs, ⌊(length + 2 padding - dilation (kernel - 1) - 1) / stride⌋ + 1]
function nn.functional.conv1d(x, weight, bias, options) end

---Computes a convolution of images: conv1d with two dims, so the kernel is not flipped (a cross-correlation, as in
---PyTorch). Options are numbers, or lists {height, width}. The padding "same" preserves height and width. It needs
---stride 1; if the total padding is odd, the end gets one element more than the beginning.
---```lua
---nn.functional.conv2d(lt.ones(1, 1, 4, 4), lt.ones(1, 1, 3, 3)).shape  --> [1, 1, 2, 2]
---```
---@param x luatensor.Tensor [batch, channels, height, width] or [channels, height, width]
---@param weight luatensor.Tensor [outputs, channels / groups, kernel height, kernel width]
---@param bias? luatensor.Tensor|luatensor.nn.functional.conv2d.options [outputs]
---@param options? luatensor.nn.functional.conv2d.options
---@return luatensor.Tensor # [batch, outputs, height, width]; height and width follow the formula of conv1d
function nn.functional.conv2d(x, weight, bias, options) end

---Computes a transposed convolution of signals, the gradient of conv1d: each element of x adds a multiple of a
---kernel to y.
---```lua
---nn.functional.conv_transpose1d(lt.tensor{{{1.0, 2.0}}}, lt.tensor{{{1.0, 1.0}}})  --> [[[1.0, 3.0, 2.0]]]
---```
---@param x luatensor.Tensor [batch, channels, length] or [channels, length]
---@param weight luatensor.Tensor [channels, outputs / groups, kernel]
---@param bias? luatensor.Tensor|luatensor.options.stride_padding_output_padding_dilation_groups_out [outputs]
---@param options? luatensor.options.stride_padding_output_padding_dilation_groups_out
---@return luatensor.Tensor # [batch, outputs, (length - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1]
function nn.functional.conv_transpose1d(x, weight, bias, options) end

---Computes a transposed convolution of images: conv_transpose1d with two dims.
---```lua
---nn.functional.conv_transpose2d(lt.rand(1, 8, 4, 4), lt.rand(8, 3, 2, 2), nil, {stride = 2}).shape  --> [1, 3, 8, 8]
---```
---@param x luatensor.Tensor [batch, channels, height, width] or [channels, height, width]
---@param weight luatensor.Tensor [channels, outputs / groups, kernel height, kernel width]
---@param bias? luatensor.Tensor|luatensor.options.stride_padding_output_padding_dilation_groups_out [outputs]
---@param options? luatensor.options.stride_padding_output_padding_dilation_groups_out
---@return luatensor.Tensor # [batch, outputs, height, width]; height and width follow the formula of conv_transpose1d
function nn.functional.conv_transpose2d(x, weight, bias, options) end

---Returns the loss -weight[class] · x[class], where x are log-probabilities. The mean is the sum divided by the sum
---of the weights of the rows' classes.
---Errors: if a class is out of range (on a GPU at the next wait).
---```lua
---nn.functional.nll_loss(lt.tensor{{-1.0, -2.0}}, lt.tensor{2})  --> 2.0
---```
---@param x luatensor.Tensor [N, C], [N, C, …] or [C]
---@param classes luatensor.Tensor integers 1 … C of shape [N], [N, …] or []
---@param options? luatensor.nn.functional.nll_loss.options
---@return luatensor.Tensor # 0-d, or with "none" the losses in the shape of classes
function nn.functional.nll_loss(x, classes, options) end

---Returns the loss -log softmax(x)[class], from logits x, without overflow.
---Errors: if a class is out of range (on a GPU at the next wait).
---```lua
---nn.functional.cross_entropy(lt.tensor{{0.0, 0.0}}, lt.tensor{2})  --> 0.6931
---```
---@param x luatensor.Tensor [N, C], [N, C, …] or [C]
---@param target luatensor.Tensor classes: integers 1 … C of shape [N], [N, …] or []; or their probabilities, of x's shape
---@param options? luatensor.nn.functional.cross_entropy.options
---@return luatensor.Tensor # 0-d, or with "none" the losses in the shape of classes
function nn.functional.cross_entropy(x, target, options) end

---Sets each element to 0 with probability p, and divides the other elements by 1 - p (Srivastava et al.).
---```lua
---nn.functional.dropout(lt.ones(2), {p = 0.5, training = false})  --> [1.0, 1.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.options.p_training_generator
---@return luatensor.Tensor #
function nn.functional.dropout(x, options) end

---Dropout that preserves the mean and the variance of selu's results. Dropped elements become -1.758…, then all
---elements are scaled and shifted (Klambauer et al.).
---```lua
---nn.functional.alpha_dropout(lt.ones(2), {p = 0.5, training = false})  --> [1.0, 1.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.options.p_training_generator
---@return luatensor.Tensor #
function nn.functional.alpha_dropout(x, options) end

---Sets whole channels of signals to 0 with probability p, and divides the other channels by 1 - p (Tompson et al.).
---```lua
---nn.functional.dropout1d(lt.ones(1, 2, 3), {p = 0.5}).shape  --> [1, 2, 3]
---```
---@param x luatensor.Tensor [rows, channels, length] or [channels, length]
---@param options? luatensor.options.p_training_generator
---@return luatensor.Tensor #
function nn.functional.dropout1d(x, options) end

---Sets whole channels of images to 0 with probability p, and divides the other channels by 1 - p.
---```lua
---nn.functional.dropout2d(lt.ones(1, 2, 3, 3), {p = 0.5}).shape  --> [1, 2, 3, 3]
---```
---@param x luatensor.Tensor [rows, channels, height, width] or [channels, height, width]
---@param options? luatensor.options.p_training_generator
---@return luatensor.Tensor #
function nn.functional.dropout2d(x, options) end

---Sets whole channels of volumes to 0 with probability p, and divides the other channels by 1 - p.
---```lua
---nn.functional.dropout3d(lt.ones(1, 2, 3, 3, 3), {p = 0.5}).shape  --> [1, 2, 3, 3, 3]
---```
---@param x luatensor.Tensor [rows, channels, depth, height, width] or [channels, depth, height, width]
---@param options? luatensor.options.p_training_generator
---@return luatensor.Tensor #
function nn.functional.dropout3d(x, options) end

---Returns weight[indices], rows of a weight. The gradient of a row is the sum of the gradients of all its uses.
---Errors: if an index is below 1 or above count (on a GPU at the next wait).
---```lua
---nn.functional.embedding(lt.tensor{2}, lt.tensor{{1.0, 2.0}, {3.0, 4.0}})  --> [[3.0, 4.0]]
---```
---@param indices luatensor.Tensor of integers from 1, of any shape
---@param weight luatensor.Tensor [count, width]
---@param options? luatensor.nn.functional.embedding.options
---@return luatensor.Tensor # [..., width]
function nn.functional.embedding(indices, weight, options) end

---Converts each class to a row of zeros with a 1 at the number of the class.
---```lua
---nn.functional.one_hot(lt.tensor{1, 3}, 3)  --> [[1, 0, 0], [0, 0, 1]]
---```
---@param classes luatensor.Tensor of integers from 1, of any shape
---@param count? integer the number of classes; by default the largest class; the call then waits for a GPU
---@return luatensor.Tensor # int64 [..., count]
function nn.functional.one_hot(classes, count) end

---Changes the size of signals, images or volumes, as PyTorch's function does.
---
---`mode` is "nearest", "nearest-exact", "linear" (signals), "bilinear" or "bicubic" (images), "trilinear" (volumes) or
---"area" (means of windows). The modes nearest take any dtype, the others floats.
---Errors: if the options or the number of dims do not fit the mode.
---```lua
---local x = lt.tensor {{{{0.0, 4.0}}}}
---nn.functional.interpolate(x, {size = {1, 4}, mode = "bilinear"})  --> [[[[0.0, 1.0, 3.0, 4.0]]]]
---```
---@param x luatensor.Tensor [batch, channels, length], [batch, channels, height, width] or [batch, channels, depth, height, width]
---@param options luatensor.options.size_scale_factor_mode_align_corners_antialias
---@return luatensor.Tensor # of the dtype of x
function nn.functional.interpolate(x, options) end

---Computes x Wᵀ + b in one op.
---Errors: if shapes do not fit, or if devices or dtypes differ.
---```lua
---nn.functional.linear(lt.tensor{{1.0, 2.0}}, lt.tensor{{3.0, 4.0}})  --> [[11.0]]
---```
---@param x luatensor.Tensor [..., inputs]
---@param weight luatensor.Tensor [outputs, inputs]
---@param bias? luatensor.Tensor [outputs]; nil or false for no bias
---@return luatensor.Tensor # [..., outputs]
function nn.functional.linear(x, weight, bias) end

---Computes the squared difference (x - y)² of each pair of elements, and reduces the results.
---```lua
---nn.functional.mse_loss(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 2.0
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor of the same shape
---@param options? luatensor.options.reduction
---@return luatensor.Tensor # 0-d; with "none" in x's shape
function nn.functional.mse_loss(x, y, options) end

---Computes the absolute difference |x - y| of each pair of elements, and reduces the results.
---```lua
---nn.functional.l1_loss(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 1.0
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor of the same shape
---@param options? luatensor.options.reduction
---@return luatensor.Tensor # 0-d; with "none" in x's shape
function nn.functional.l1_loss(x, y, options) end

---Computes (x - y)² / (2 beta) if |x - y| < beta, else |x - y| - beta / 2, and reduces the results.
---```lua
---nn.functional.smooth_l1_loss(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 0.75
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor of the same shape
---@param options? luatensor.options.beta_reduction
---@return luatensor.Tensor # 0-d; with "none" in x's shape
function nn.functional.smooth_l1_loss(x, y, options) end

---Computes (x - y)² / 2 if |x - y| ≤ delta, else delta (|x - y| - delta / 2), and reduces the results.
---```lua
---nn.functional.huber_loss(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 0.75
---```
---@param x luatensor.Tensor
---@param y luatensor.Tensor of the same shape
---@param options? luatensor.options.delta_reduction
---@return luatensor.Tensor # 0-d; with "none" in x's shape
function nn.functional.huber_loss(x, y, options) end

---Computes -(y log x + (1 - y) log(1 - x)), with logarithms limited to at least -100, and reduces the results.
---Errors: on the CPU, if an element of x is outside of [0, 1].
---```lua
---nn.functional.binary_cross_entropy(lt.tensor{0.5, 0.5}, lt.tensor{0.0, 1.0})  --> 0.6931
---```
---@param x luatensor.Tensor probabilities, from 0 to 1
---@param y luatensor.Tensor numbers from 0 to 1, of the same shape
---@param options? luatensor.nn.functional.binary_cross_entropy.options
---@return luatensor.Tensor # 0-d; with "none" in x's shape
function nn.functional.binary_cross_entropy(x, y, options) end

---Computes binary_cross_entropy of sigmoid(x), accurate for all x and without overflow.
---```lua
---nn.functional.binary_cross_entropy_with_logits(lt.tensor{0.0, 0.0}, lt.tensor{0.0, 1.0})  --> 0.6931
---```
---@param x luatensor.Tensor logits
---@param y luatensor.Tensor numbers from 0 to 1, of the same shape
---@param options? luatensor.nn.functional.binary_cross_entropy_with_logits.options
---@return luatensor.Tensor # 0-d; with "none" in x's shape
function nn.functional.binary_cross_entropy_with_logits(x, y, options) end

---Computes the Kullback–Leibler divergence y (log y - x) of each pair of elements, and reduces the results.
---```lua
---nn.functional.kl_div(lt.tensor{{0.5, 0.5}}:log(), lt.tensor{{0.5, 0.5}}, {reduction = "batchmean"})  --> 0.0
---```
---@param x luatensor.Tensor log-probabilities
---@param y luatensor.Tensor probabilities, of the same shape
---@param options? luatensor.nn.functional.kl_div.options
---@return luatensor.Tensor # 0-d; with "none" in x's shape
function nn.functional.kl_div(x, y, options) end

---Returns (x - mean) / √(variance + eps) · weight + bias over the last dims (Ba, Kiros, Hinton, "Layer
---normalization", 2016). The variance is the sum of squares divided by the number of elements.
---Errors: if shapes do not fit.
---```lua
---nn.functional.layer_norm(lt.tensor{{1.0, 3.0}}, {2})  --> [[-1.0, 1.0]]
---```
---@param x luatensor.Tensor [..., shape]
---@param shape any the lengths of the last dims: a list, or a number for the last dim
---@param options? luatensor.nn.functional.layer_norm.options
---@return luatensor.Tensor # of x's shape
function nn.functional.layer_norm(x, shape, options) end

---Returns x / √(mean of x² + eps) · weight over the last dims (Zhang, Sennrich, "Root mean square layer
---normalization", 2019).
---Errors: if shapes do not fit.
---```lua
---nn.functional.rms_norm(lt.tensor{{1.0, 1.0}}, {2})  --> [[1.0, 1.0]]
---```
---@param x luatensor.Tensor [..., shape]
---@param shape any the lengths of the last dims: a list, or a number for the last dim
---@param options? luatensor.nn.functional.rms_norm.options
---@return luatensor.Tensor # of x's shape
function nn.functional.rms_norm(x, shape, options) end

---Normalises each group of channels of each row by its mean and variance (Wu, He, "Group normalization", 2018).
---Errors: if shapes do not fit.
---```lua
---nn.functional.group_norm(lt.rand(3, 4, 5), 2).shape  --> [3, 4, 5]
---```
---@param x luatensor.Tensor [N, C, …]
---@param groups integer the number of groups, a divisor of C
---@param options? luatensor.options.weight_bias_eps
---@return luatensor.Tensor # of x's shape
function nn.functional.group_norm(x, groups, options) end

---Normalises each channel of each row by its mean and variance (Ulyanov, Vedaldi, Lempitsky, "Instance
---normalization", 2016).
---Errors: if shapes do not fit, or if channels have only one element.
---```lua
---nn.functional.instance_norm(lt.rand(4, 3, 8)).shape  --> [4, 3, 8]
---```
---@param x luatensor.Tensor [N, C, …]
---@param options? luatensor.options.weight_bias_eps
---@return luatensor.Tensor # of x's shape
function nn.functional.instance_norm(x, options) end

---Normalises each channel (Ioffe, Szegedy, "Batch normalization", 2015): in training by mean and variance of this
---batch, otherwise by running_mean and running_var. Training also updates the running statistics, if given, to
---running + momentum · (batch - running). For this update the variance of a batch with n elements in each channel is
---the sum of squared deviations, divided by n - 1.
---Errors: if shapes do not fit, or, in training, if channels have only one element.
---```lua
---nn.functional.batch_norm(lt.rand(4, 3), lt.zeros(3), lt.ones(3)).shape  --> [4, 3]
---```
---@param x luatensor.Tensor [N, C, …]
---@param running_mean any [C]; changed in training
---@param running_var any [C]; changed in training
---@param options? luatensor.nn.functional.batch_norm.options
---@return luatensor.Tensor # of x's shape
function nn.functional.batch_norm(x, running_mean, running_var, options) end

---Returns x / max(p-norm of x along a dim, eps).
---```lua
---nn.functional.normalize(lt.tensor{{3.0, 4.0}}, {dim = 2})  --> [[0.6, 0.8]]
---```
---@param x luatensor.Tensor
---@param options? luatensor.nn.functional.normalize.options
---@return luatensor.Tensor # of x's shape
function nn.functional.normalize(x, options) end

---Returns x / (k + alpha · mean of x² over `size` neighbouring channels)^beta (Krizhevsky, Sutskever, Hinton,
---"ImageNet classification with deep convolutional neural networks", 2012).
---```lua
---nn.functional.local_response_norm(lt.rand(1, 4, 8, 8), 2).shape  --> [1, 4, 8, 8]
---```
---@param x luatensor.Tensor [N, C, …]
---@param size integer the number of neighbouring channels, including the channel itself
---@param options? luatensor.options.alpha_beta_k
---@return luatensor.Tensor # of x's shape
function nn.functional.local_response_norm(x, size, options) end

---Returns the maximum of each window of signals.
---```lua
---nn.functional.max_pool1d(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}}, 2)  --> [[[3.0, 2.0]]]
---```
---@param x luatensor.Tensor [batch, channels, length] or [channels, length]
---@param kernel_size any the number of elements of a window
---@param options? luatensor.options.stride_padding_dilation_ceil_mode_return_indices
---@return luatensor.Tensor # [batch, channels, ⌊(length + 2 padding - dilation (kernel_size - 1) - 1) / stride⌋ + 1]
---@return any # with return_indices: the positions of the maxima in x, int64, counted from 1
function nn.functional.max_pool1d(x, kernel_size, options) end

---Returns the maximum of each window of images. Options are numbers, or lists {height, width}. Indices count row by
---row in each channel of an image.
---```lua
---nn.functional.max_pool2d(lt.rand(1, 3, 8, 8), 2).shape  --> [1, 3, 4, 4]
---```
---@param x luatensor.Tensor [batch, channels, height, width] or [channels, height, width]
---@param kernel_size any a number, or a list {height, width}
---@param options? luatensor.options.stride_padding_dilation_ceil_mode_return_indices
---@return luatensor.Tensor # [batch, channels, height, width]; height and width follow the formula of max_pool1d
---@return any # with return_indices: the positions of the maxima in a channel, int64, counted from 1
function nn.functional.max_pool2d(x, kernel_size, options) end

---Returns the mean of each window of signals.
---```lua
---nn.functional.avg_pool1d(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}}, 2)  --> [[[2.0, 1.0]]]
---```
---@param x luatensor.Tensor [batch, channels, length] or [channels, length]
---@param kernel_size any the number of elements of a window
---@param options? luatensor.options.stride_padding_ceil_mode_count_include_pad_divisor_override
---@return luatensor.Tensor # [batch, channels, length]; the length follows the formula of max_pool1d
function nn.functional.avg_pool1d(x, kernel_size, options) end

---Returns the mean of each window of images.
---```lua
---nn.functional.avg_pool2d(lt.rand(1, 3, 8, 8), 2).shape  --> [1, 3, 4, 4]
---```
---@param x luatensor.Tensor [batch, channels, height, width] or [channels, height, width]
---@param kernel_size any a number, or a list {height, width}
---@param options? luatensor.options.stride_padding_ceil_mode_count_include_pad_divisor_override
---@return luatensor.Tensor # [batch, channels, height, width]; height and width follow the formula of max_pool1d
function nn.functional.avg_pool2d(x, kernel_size, options) end

---Returns the means of output_size windows of signals. Window p, counted from 0, contains x's elements ⌊p · length /
---output_size⌋ + 1 to ⌈(p + 1) · length / output_size⌉.
---```lua
---nn.functional.adaptive_avg_pool1d(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}}, 1)  --> [[[1.5]]]
---```
---@param x luatensor.Tensor [batch, channels, length] or [channels, length]
---@param output_size integer the length of the result
---@return luatensor.Tensor # [batch, channels, output_size]
function nn.functional.adaptive_avg_pool1d(x, output_size) end

---Returns the means of windows of images, as adaptive_avg_pool1d along height and width.
---```lua
---nn.functional.adaptive_avg_pool2d(lt.rand(1, 3, 8, 8), 1).shape  --> [1, 3, 1, 1]
---```
---@param x luatensor.Tensor [batch, channels, height, width] or [channels, height, width]
---@param output_size any a number, or a list {height, width}, in which false keeps the length of x
---@return luatensor.Tensor # [batch, channels, height, width]
function nn.functional.adaptive_avg_pool2d(x, output_size) end

---Returns the maxima of output_size windows of signals. The windows are those of adaptive_avg_pool1d.
---```lua
---nn.functional.adaptive_max_pool1d(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}}, 1)  --> [[[3.0]]]
---```
---@param x luatensor.Tensor [batch, channels, length] or [channels, length]
---@param output_size integer the length of the result
---@param options? luatensor.options.return_indices
---@return luatensor.Tensor # [batch, channels, output_size]
---@return any # with return_indices: the positions of the maxima in x, int64, counted from 1
function nn.functional.adaptive_max_pool1d(x, output_size, options) end

---Returns the maxima of windows of images, as adaptive_max_pool1d along height and width.
---```lua
---nn.functional.adaptive_max_pool2d(lt.rand(1, 3, 8, 8), 1).shape  --> [1, 3, 1, 1]
---```
---@param x luatensor.Tensor [batch, channels, height, width] or [channels, height, width]
---@param output_size any a number, or a list {height, width}, in which false keeps the length of x
---@param options? luatensor.options.return_indices
---@return luatensor.Tensor # [batch, channels, height, width]
---@return any # with return_indices: the positions of the maxima in a channel, int64, counted from 1
function nn.functional.adaptive_max_pool2d(x, output_size, options) end

---Fills x with numbers from the uniform distribution between a and b.
---```lua
---nn.init.uniform_(lt.zeros(100), 2, 3):min():item() >= 2  --> true
---```
---@param x luatensor.Tensor
---@param a? number|luatensor.options.generator the lower limit; default 0
---@param b? number|luatensor.options.generator the upper limit; default 1
---@param options? luatensor.options.generator
---@return luatensor.Tensor # x
function nn.init.uniform_(x, a, b, options) end

---Fills x with numbers from the normal distribution.
---```lua
---nn.init.normal_(lt.zeros(2, 3)).shape  --> [2, 3]
---```
---@param x luatensor.Tensor
---@param mean? number|luatensor.options.generator of the distribution; default 0
---@param std? number|luatensor.options.generator standard deviation of the distribution; default 1
---@param options? luatensor.options.generator
---@return luatensor.Tensor # x
function nn.init.normal_(x, mean, std, options) end

---Sets all elements to one number.
---```lua
---nn.init.constant_(lt.zeros(2), 3)  --> [3.0, 3.0]
---```
---@param x luatensor.Tensor
---@param value number the number
---@return luatensor.Tensor # x
function nn.init.constant_(x, value) end

---Sets all elements to 0.
---```lua
---nn.init.zeros_(lt.ones(2))  --> [0.0, 0.0]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor # x
function nn.init.zeros_(x) end

---Sets all elements to 1.
---```lua
---nn.init.ones_(lt.zeros(2))  --> [1.0, 1.0]
---```
---@param x luatensor.Tensor
---@return luatensor.Tensor # x
function nn.init.ones_(x) end

---Makes x the identity matrix: ones on the main diagonal, zeros elsewhere.
---```lua
---nn.init.eye_(lt.zeros(2, 2))  --> [[1.0, 0.0], [0.0, 1.0]]
---```
---@param x luatensor.Tensor of 2 dims
---@return luatensor.Tensor # x
function nn.init.eye_(x) end

---Makes x the kernels of a convolution that copies the first input channels to the output channels.
---```lua
---nn.init.dirac_(lt.zeros(1, 1, 3))  --> [[[0.0, 1.0, 0.0]]]
---```
---@param x luatensor.Tensor [outputs, inputs, …] of 3 to 5 dims
---@param options? luatensor.nn.init.dirac_.options
---@return luatensor.Tensor # x
function nn.init.dirac_(x, options) end

---Returns the gain of an activation: the factor by which the standard deviation of weights is multiplied, because
---the activation shrinks its input.
---```lua
---nn.init.calculate_gain("tanh")  --> 1.6666666666667
---```
---@param nonlinearity string "linear", "sigmoid", "tanh", "relu", "leaky_relu", "selu", "conv1d" …
---@param slope? number of leaky_relu for negative numbers; default 0.01
---@return number # the gain
function nn.init.calculate_gain(nonlinearity, slope) end

---Fills x from the uniform distribution between -b and b, where b = √3 gain / √fan. This bound preserves variances
---through layers of rectifiers (He et al.). fan is the number of inputs of each output, or for mode "fan_out" the
---number of outputs of each input.
---```lua
---nn.init.kaiming_uniform_(lt.zeros(3, 6), {nonlinearity = "relu"}):abs():max():item() <= 1  --> true
---```
---@param x luatensor.Tensor of at least 2 dims
---@param options? luatensor.options.a_mode_nonlinearity_generator
---@return luatensor.Tensor # x
function nn.init.kaiming_uniform_(x, options) end

---Fills x from the normal distribution with mean 0 and the standard deviation gain / √fan (He et al.).
---```lua
---nn.init.kaiming_normal_(lt.zeros(3, 5)).shape  --> [3, 5]
---```
---@param x luatensor.Tensor of at least 2 dims
---@param options? luatensor.options.a_mode_nonlinearity_generator
---@return luatensor.Tensor # x
function nn.init.kaiming_normal_(x, options) end

---Fills x from the uniform distribution between -b and b, where b = gain √(6 / (fan_in + fan_out)) (Glorot and
---Bengio).
---```lua
---nn.init.xavier_uniform_(lt.zeros(3, 3)):abs():max():item() <= 1  --> true
---```
---@param x luatensor.Tensor of at least 2 dims
---@param options? luatensor.options.gain_generator
---@return luatensor.Tensor # x
function nn.init.xavier_uniform_(x, options) end

---Fills x from the normal distribution with mean 0 and the standard deviation gain √(2 / (fan_in + fan_out)) (Glorot
---and Bengio).
---```lua
---nn.init.xavier_normal_(lt.zeros(3, 5)).shape  --> [3, 5]
---```
---@param x luatensor.Tensor of at least 2 dims
---@param options? luatensor.options.gain_generator
---@return luatensor.Tensor # x
function nn.init.xavier_normal_(x, options) end

---Fills x from the normal distribution truncated to the limits a and b.
---```lua
---nn.init.trunc_normal_(lt.zeros(100)):abs():max():item() <= 2  --> true
---```
---@param x luatensor.Tensor
---@param mean? number|luatensor.nn.init.trunc_normal_.options of the distribution; default 0
---@param std? number|luatensor.nn.init.trunc_normal_.options standard deviation of the distribution; default 1
---@param options? luatensor.nn.init.trunc_normal_.options
---@return luatensor.Tensor # x
function nn.init.trunc_normal_(x, mean, std, options) end

---Makes x a matrix whose rows are orthogonal and of length gain (Saxe et al.). If x has fewer columns than rows, the
---columns are orthogonal instead.
---```lua
---local w = nn.init.orthogonal_(lt.zeros(3, 3))
---w:matmul(w.T):allclose(lt.eye(3), 0, 1e-5)  --> true
---```
---@param x luatensor.Tensor of at least 2 dims; the dims from the second on count as one dim
---@param options? luatensor.options.gain_generator
---@return luatensor.Tensor # x
function nn.init.orthogonal_(x, options) end

---Fills x from the normal distribution with mean 0, then sets a share of each column to 0 (Martens).
---```lua
---(nn.init.sparse_(lt.zeros(4, 2), 0.5)):equal(0):sum():item()  --> 4
---```
---@param x luatensor.Tensor of 2 dims
---@param sparsity number the share of zeros, from 0 to 1
---@param options? luatensor.nn.init.sparse_.options
---@return luatensor.Tensor # x
function nn.init.sparse_(x, sparsity, options) end

---Makes a layer that computes x Wᵀ + b. Weight [outputs, inputs] and bias [outputs] are drawn uniformly between
---1/√inputs and 1/√inputs.
---```lua
---local layer = nn.Linear(3, 2)
---layer(lt.ones(5, 3)).shape  --> [5, 2]
---```
---@param inputs integer length of x's last dim
---@param outputs integer length of the result's last dim
---@param options? luatensor.nn.Linear.options
---@return luatensor.Module # takes x [..., inputs] and returns [..., outputs]
function nn.Linear(inputs, outputs, options) end

---Makes a layer that computes nn.functional.mse_loss, by default the mean of (x - y)².
---```lua
---nn.MSELoss()(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 2.0
---```
---@param options? luatensor.options.reduction
---@return luatensor.Module # takes the input x and the target y
function nn.MSELoss(options) end

---Makes a layer that computes nn.functional.l1_loss, by default the mean of |x - y|.
---```lua
---nn.L1Loss()(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 1.0
---```
---@param options? luatensor.options.reduction
---@return luatensor.Module # takes the input x and the target y
function nn.L1Loss(options) end

---Makes a layer that computes nn.functional.smooth_l1_loss, which is quadratic near 0 and otherwise linear with
---slope 1.
---```lua
---nn.SmoothL1Loss()(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 0.75
---```
---@param options? luatensor.options.beta_reduction
---@return luatensor.Module # takes the input x and the target y
function nn.SmoothL1Loss(options) end

---Makes a layer that computes nn.functional.huber_loss, which is quadratic near 0 and otherwise linear with slope
---delta.
---```lua
---nn.HuberLoss()(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 0.75
---```
---@param options? luatensor.options.delta_reduction
---@return luatensor.Module # takes the input x and the target y
function nn.HuberLoss(options) end

---Makes a layer that computes nn.functional.binary_cross_entropy, the binary cross entropy of probabilities.
---```lua
---nn.BCELoss()(lt.tensor{0.5, 0.5}, lt.tensor{0.0, 1.0})  --> 0.6931
---```
---@param options? luatensor.nn.BCELoss.options
---@return luatensor.Module # takes probabilities and the target
function nn.BCELoss(options) end

---Makes a layer that computes nn.functional.binary_cross_entropy_with_logits, the binary cross entropy of logits.
---```lua
---nn.BCEWithLogitsLoss()(lt.tensor{0.0, 0.0}, lt.tensor{0.0, 1.0})  --> 0.6931
---```
---@param options? luatensor.nn.BCEWithLogitsLoss.options
---@return luatensor.Module # takes logits and the target
function nn.BCEWithLogitsLoss(options) end

---Makes a layer that computes nn.functional.kl_div, the Kullback–Leibler divergence of log-probabilities.
---```lua
---nn.KLDivLoss{reduction = "batchmean"}(lt.tensor{{0.5, 0.5}}:log(), lt.tensor{{0.5, 0.5}})  --> 0.0
---```
---@param options? luatensor.nn.KLDivLoss.options
---@return luatensor.Module # takes log-probabilities and the target
function nn.KLDivLoss(options) end

---Makes a layer that computes nn.functional.nll_loss, minus the log-probability of the target class.
---```lua
---nn.NLLLoss()(lt.tensor{{-1.0, -2.0}}, lt.tensor{2})  --> 2.0
---```
---@param options? luatensor.nn.NLLLoss.options
---@return luatensor.Module # takes log-probabilities and classes
function nn.NLLLoss(options) end

---Makes a layer that computes nn.functional.cross_entropy of logits and a target. The target is a class, counted
---from 1, or the probabilities of all classes.
---```lua
---local loss = nn.CrossEntropyLoss()(lt.zeros(1, 2), lt.tensor{1})
---loss  --> 0.6931
---```
---@param options? luatensor.nn.CrossEntropyLoss.options
---@return luatensor.Module # takes logits and the target
function nn.CrossEntropyLoss(options) end

---Returns the share of right predictions. Predictions are classes, or scores: floats with the classes in dim 2, such
---as the result [n, classes] of a network. Classes count from 1; booleans and other integers may be compared, too.
---Errors: if the shapes do not fit, if there are no samples, if a score is NaN, or if there are scores and a target is not the number of one of the classes.
---```lua
---nn.metrics.accuracy(lt.tensor{1, 2, 2, 3}, lt.tensor{1, 2, 3, 3})  --> 0.75
---```
---@param predicted luatensor.Tensor scores [n, classes], or classes [n]; more dims may follow
---@param target luatensor.Tensor the right classes
---@param options? luatensor.nn.metrics.accuracy.options
---@return number # from 0 to 1
function nn.metrics.accuracy(predicted, target, options) end

---Counts the pairs of right and predicted classes: element {i, j} of the result is the number of samples of class i
---that were predicted as class j.
---Errors: if a class is out of range, a score is NaN, the shapes do not fit, or there are no samples.
---```lua
---nn.metrics.confusion_matrix(lt.tensor{1, 2, 2}, lt.tensor{1, 2, 1})  --> [[1, 1], [0, 1]]
---```
---@param predicted luatensor.Tensor scores [n, classes], or classes [n] from 1 on
---@param target luatensor.Tensor the right classes, from 1 on
---@param options? luatensor.nn.metrics.confusion_matrix.options
---@return luatensor.Tensor # int64 [classes, classes]
function nn.metrics.confusion_matrix(predicted, target, options) end

---Returns the precision: the share of the predictions of a class that are right. The measure of a class is 0 if its
---denominator is 0.
---Errors: if a class is out of range, the shapes do not fit, or there are no samples.
---```lua
---nn.metrics.precision(lt.tensor{1, 1, 0, 1}, lt.tensor{1, 0, 0, 1})  --> 0.66666666666667
---```
---@param predicted luatensor.Tensor booleans, or numbers 0 and 1; scores [n, classes], or classes [n] from 1 on
---@param target luatensor.Tensor the right values
---@param options? luatensor.options.average_classes
---@return number # or a list
function nn.metrics.precision(predicted, target, options) end

---Returns the recall: the share of the samples of a class that are predicted as this class. The arguments are those of
---nn.metrics.precision.
---```lua
---nn.metrics.recall(lt.tensor{1, 1, 0, 0}, lt.tensor{1, 0, 0, 1})  --> 0.5
---```
---@param predicted luatensor.Tensor
---@param target luatensor.Tensor
---@param options? luatensor.options.average_classes
---@return number # or a list
function nn.metrics.recall(predicted, target, options) end

---Returns the F1 score, 2 · precision · recall / (precision + recall). The arguments are those of
---nn.metrics.precision.
---```lua
---nn.metrics.f1(lt.tensor{1, 2, 2, 3}, lt.tensor{1, 2, 3, 3}, {average = "micro"})  --> 0.75
---```
---@param predicted luatensor.Tensor
---@param target luatensor.Tensor
---@param options? luatensor.options.average_classes
---@return number # or a list
function nn.metrics.f1(predicted, target, options) end

---Returns the area under the ROC curve: the probability that a sample of class 1 has a higher score than a sample of
---class 0, where equal scores count as one half. It is computed from the sum of the ranks (Mann and Whitney 1947;
---Hanley and McNeil 1982), and equal scores get the mean of their ranks.
---Errors: if all targets are equal, if a score is NaN, or if the shapes differ.
---```lua
---nn.metrics.auc(lt.tensor{0.1, 0.4, 0.35, 0.8}, lt.tensor{0, 0, 1, 1})  --> 0.75
---```
---@param scores luatensor.Tensor [n], floats; any increasing function of the scores gives the same result
---@param target luatensor.Tensor [n], booleans, or numbers 0 and 1
---@return number # from 0 to 1
function nn.metrics.auc(scores, target) end

---Returns R², the coefficient of determination: 1 minus the sum of the squared errors divided by the sum of the
---squared deviations of the targets from their mean. 1 is exact, 0 is as good as the mean, and the value may be
---negative. If all targets are equal, the result is 1 for exact predictions and otherwise 0, as in scikit-learn.
---Errors: if the shapes differ, or if there are fewer than 2 samples.
---```lua
---nn.metrics.r2(lt.tensor{1.0, 2.0, 4.0}, lt.tensor{1.0, 2.0, 3.0})  --> 0.5
---```
---@param predicted luatensor.Tensor [n], or [n, k] for k values, whose R² are averaged
---@param target luatensor.Tensor of the same shape
---@return number #
function nn.metrics.r2(predicted, target) end

---Returns the mean of the squared errors, computed in float64.
---```lua
---nn.metrics.mean_squared_error(lt.tensor{1.0, 4.0}, lt.tensor{1.0, 2.0})  --> 2.0
---```
---@param predicted luatensor.Tensor
---@param target luatensor.Tensor of the same shape
---@return number #
function nn.metrics.mean_squared_error(predicted, target) end

---Returns the mean of the absolute errors, computed in float64.
---```lua
---nn.metrics.mean_absolute_error(lt.tensor{1.0, 4.0}, lt.tensor{1.0, 2.0})  --> 1.0
---```
---@param predicted luatensor.Tensor
---@param target luatensor.Tensor of the same shape
---@return number #
function nn.metrics.mean_absolute_error(predicted, target) end

---Adds up the confusion matrices of batches. Field `matrix` is the sum, an int64 tensor [classes, classes].
---
---    local confusion = nn.metrics.ConfusionMatrix(10)
---    for x, y in loader:batches() do confusion:add(lt.no_grad(model, x), y) end
---    print(confusion:accuracy(), confusion:f1{average = "macro"})
---```lua
---local confusion = nn.metrics.ConfusionMatrix(2)
---confusion:add(lt.tensor{1, 2}, lt.tensor{1, 2}):add(lt.tensor{2, 2}, lt.tensor{1, 2})
---confusion:f1()  --> 0.8
---confusion:accuracy()  --> 0.75
---```
---@param classes integer the number of classes
---@return luatensor.ConfusionMatrix #
function nn.metrics.ConfusionMatrix(classes) end

---Collects tensors of batches, for measures that need all samples at once, such as nn.metrics.auc.
---
---    local all = nn.metrics.Collector()
---    for x, y in loader:batches() do all:add(lt.no_grad(model, x), y) end
---    print(nn.metrics.r2(all:get()))
---```lua
---local all = nn.metrics.Collector()
---all:add(lt.tensor{1.0, 2.0}):add(lt.tensor{3.0})
---all:get()  --> [1.0, 2.0, 3.0]
---```
---@return luatensor.Collector #
function nn.metrics.Collector() end

---The base class of all layers. To make a class of your own, write a constructor and a forward:
---
---    local Residual = nn.Module:extend "Residual"
---
---    function Residual:init(width)
---      self.first = nn.Linear(width, width)
---    end
---
---    function Residual:forward(x) return x + self.first(x):relu() end
---
---    local layer = Residual(64)
---    local y = layer(x)
---
---A module that is assigned to a field becomes a child; a tensor that requires gradients becomes a parameter. Other
---tensors become part of the state by `register_buffer`.
---```lua
---local Scale = nn.Module:extend "Scale"
---function Scale:init(n) self.weight = nn.Parameter(lt.ones(n)) end
---function Scale:forward(x) return x * self.weight end
---Scale(2)(lt.tensor{3.0, 4.0}):detach()  --> [3.0, 4.0]
---```
---@return luatensor.Module # without fields
function nn.Module() end

---Makes a parameter: a leaf tensor that requires gradients, with the numbers of x.
---```lua
---nn.Parameter(lt.ones(2)).requires_grad  --> true
---```
---@param x luatensor.Tensor a tensor of floats
---@return luatensor.Tensor # a new tensor that shares x's memory
function nn.Parameter(x) end

---True if value is a module.
---```lua
---nn.is_module(nn.ReLU())  --> true
---```
---@param value any any value
---@return boolean #
function nn.is_module(value) end

---Makes a layer that calls `functional.layer_norm`: it normalises x over its last dims. Weight and bias have the
---shape of these dims, and are initially 1 and 0.
---```lua
---nn.LayerNorm(4)(lt.randn(2, 4)).shape  --> [2, 4]
---```
---@param normalized_shape any the lengths of the last dims: a list, or a number for the last dim
---@param options? luatensor.nn.LayerNorm.options
---@return luatensor.Module # takes x [..., shape], and returns a tensor of x's shape
function nn.LayerNorm(normalized_shape, options) end

---Makes a layer that calls `functional.rms_norm`: it divides x by the root of the mean of its squares over the last
---dims. The weight is initially 1.
---```lua
---nn.RMSNorm(2)(lt.tensor{5.0, 5.0}):detach():round()  --> [1.0, 1.0]
---```
---@param normalized_shape any the lengths of the last dims: a list, or a number for the last dim
---@param options? luatensor.nn.RMSNorm.options
---@return luatensor.Module # takes x [..., shape], and returns a tensor of x's shape
function nn.RMSNorm(normalized_shape, options) end

---Makes a layer that calls `functional.group_norm`: it normalises groups of channels. Weight and bias, [channels],
---are initially 1 and 0.
---```lua
---nn.GroupNorm(2, 4)(lt.rand(3, 4, 5)).shape  --> [3, 4, 5]
---```
---@param num_groups integer the number of groups
---@param num_channels integer a multiple of num_groups
---@param options? luatensor.nn.GroupNorm.options
---@return luatensor.Module # takes x [N, channels, …], and returns a tensor of x's shape
function nn.GroupNorm(num_groups, num_channels, options) end

---Makes a layer that calls `functional.batch_norm`: it normalises each channel of [N, channels] or [N, channels,
---length]. Weight and bias are initially 1 and 0. In evaluation the layer uses its buffers running_mean (initially 0)
---and running_var (initially 1). Buffer num_batches_tracked counts the batches in training.
---```lua
---nn.BatchNorm1d(3)(lt.randn(8, 3)).shape  --> [8, 3]
---```
---@param num_features integer the number of channels
---@param options? luatensor.options.eps_momentum_affine_track_running_stats_dtype_device
---@return luatensor.Module # takes x, and returns a tensor of x's shape
function nn.BatchNorm1d(num_features, options) end

---Makes a layer for batch normalisation of [N, channels, height, width].
---```lua
---nn.BatchNorm2d(3)(lt.rand(4, 3, 8, 8)).shape  --> [4, 3, 8, 8]
---```
---@param num_features integer the number of channels
---@param options? luatensor.options.eps_momentum_affine_track_running_stats_dtype_device
---@return luatensor.Module # takes x, and returns a tensor of x's shape
function nn.BatchNorm2d(num_features, options) end

---Makes a layer for batch normalisation of [N, channels, depth, height, width].
---```lua
---nn.BatchNorm3d(3)(lt.rand(4, 3, 2, 2, 2)).shape  --> [4, 3, 2, 2, 2]
---```
---@param num_features integer the number of channels
---@param options? luatensor.options.eps_momentum_affine_track_running_stats_dtype_device
---@return luatensor.Module # takes x, and returns a tensor of x's shape
function nn.BatchNorm3d(num_features, options) end

---Makes a layer that calls `functional.instance_norm`: it normalises each channel of each row of [N, channels,
---length].
---```lua
---nn.InstanceNorm1d(3)(lt.rand(4, 3, 8)).shape  --> [4, 3, 8]
---```
---@param num_features integer the number of channels
---@param options? luatensor.options.eps_affine_dtype_device
---@return luatensor.Module # takes x, and returns a tensor of x's shape
function nn.InstanceNorm1d(num_features, options) end

---Makes a layer that normalises each channel of each row of [N, channels, height, width].
---```lua
---nn.InstanceNorm2d(3)(lt.rand(4, 3, 8, 8)).shape  --> [4, 3, 8, 8]
---```
---@param num_features integer the number of channels
---@param options? luatensor.options.eps_affine_dtype_device
---@return luatensor.Module # takes x, and returns a tensor of x's shape
function nn.InstanceNorm2d(num_features, options) end

---Makes a layer that normalises each channel of each row of [N, channels, depth, height, width].
---```lua
---nn.InstanceNorm3d(3)(lt.rand(4, 3, 2, 2, 2)).shape  --> [4, 3, 2, 2, 2]
---```
---@param num_features integer the number of channels
---@param options? luatensor.options.eps_affine_dtype_device
---@return luatensor.Module # takes x, and returns a tensor of x's shape
function nn.InstanceNorm3d(num_features, options) end

---Makes a layer that computes functional.local_response_norm.
---```lua
---nn.LocalResponseNorm(2)(lt.rand(1, 4, 8, 8)).shape  --> [1, 4, 8, 8]
---```
---@param size integer the number of neighbouring channels, including the channel itself
---@param options? luatensor.options.alpha_beta_k
---@return luatensor.Module # takes x [N, channels, …], and returns a tensor of x's shape
function nn.LocalResponseNorm(size, options) end

---Makes the processes of a group train one model. Each process computes the gradients of its own batch, and backward
---replaces them by their means over all processes. So all processes make the same step:
---
---    local model = nn.parallel.DataParallel(nn.Linear(64, 10))
---    local opt = optim.SGD(model:parameters(), {lr = 0.1})
---    for x, y in loader:batches() do                         -- each process has other samples
---      opt:zero_grad()
---      nn.functional.cross_entropy(model(x), y):backward()   -- the gradients are means over all processes
---      opt:step()
---    end
---
---The call changes the model and returns it: its methods, names and state stay the same. All processes get the
---parameters and buffers of rank 0 now, and its float buffers, such as running means, after each backward pass. Sums
---of gradients begin while backward still computes. A parameter without gradient counts as a gradient of 0 unless no
---process has one. In training, the default generator draws other numbers in each process while the model's forward
---runs, but the same numbers elsewhere. `model:no_sync(fn, …)` calls fn(…), in which backward passes only add up
---gradients; the next pass outside averages the whole sum. In a group of one process nothing of this happens.
---Errors: if the models of the processes have different parameters; if a parameter is in a DataParallel model already.
---```lua
---local model = nn.parallel.DataParallel(nn.Linear(2, 1))
---model:no_sync(function() model(lt.ones(1, 2)):sum():backward() end)  -- adds up gradients of this process
---model(lt.ones(1, 2)):sum():backward()                                -- averages the sum over all processes
---model.bias.grad  --> [2.0]
---```
---@param model luatensor.Module with its parameters on their final devices
---@param options? luatensor.nn.parallel.DataParallel.options
---@return luatensor.Module # the model
function nn.parallel.DataParallel(model, options) end

---Makes a model for each of several devices of this process. Each of them computes the gradients of its part of the
---samples, and `Replicas:backward` averages the gradients:
---
---    local replicas = nn.parallel.Replicas(function() return nn.Linear(64, 10) end, {"xla:0", "xla:1"})
---    local opt = optim.SGD(replicas:parameters(), {lr = 0.1})
---    for x, y in loader:batches() do
---      opt:zero_grad()
---      replicas:backward(function(model, inputs, classes)
---        return nn.functional.cross_entropy(model(inputs), classes)
---      end, x, y)
---      opt:step()
---    end
---
---The result is a module, whose modules 1, 2, … are the models on the devices. All of them start with the numbers of
---the first one, and stay the same, because equal steps follow equal gradients. Only buffers, such as running means,
---differ: each model has those of its own samples. For evaluation and saving, use the first model, `replicas[1]`. Clip
---the gradients of each model by itself, because the norm of all models' gradients is larger.
---Errors: if the function returns models with different parameters.
---```lua
---local replicas = nn.parallel.Replicas(function() return nn.Linear(2, 1) end, {"cpu", "cpu"})
---local loss = replicas:backward(function(model, x) return model(x):sum() end, lt.ones(4, 2))
---replicas[2].bias.grad  --> [2.0]
---```
---@param make function makes the model; it is called once for each device
---@param devices table names of the devices, such as {"cuda:0", "cuda:1"}
---@return luatensor.Replicas #
function nn.parallel.Replicas(make, devices) end

---Makes a layer that calls nn.functional.max_pool1d: it returns the maximum of each window of a signal.
---```lua
---nn.MaxPool1d(2)(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}})  --> [[[3.0, 2.0]]]
---```
---@param kernel_size integer the number of elements of a window
---@param options? luatensor.nn.MaxPool1d.options
---@return luatensor.Module # takes x [batch, channels, length] or [channels, length]
function nn.MaxPool1d(kernel_size, options) end

---Makes a layer that calls nn.functional.max_pool2d: it returns the maximum of each window of an image. The kernel
---size and the options of sizes are numbers, or lists {height, width}.
---```lua
---nn.MaxPool2d(2)(lt.ones(1, 1, 8, 8)).shape  --> [1, 1, 4, 4]
---```
---@param kernel_size any a number, or a list {height, width}
---@param options? luatensor.nn.MaxPool1d.options
---@return luatensor.Module # takes x [batch, channels, height, width] or [channels, height, width]
function nn.MaxPool2d(kernel_size, options) end

---Makes a layer that calls nn.functional.avg_pool1d: it returns the mean of each window of a signal.
---```lua
---nn.AvgPool1d(2)(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}})  --> [[[2.0, 1.0]]]
---```
---@param kernel_size integer the number of elements of a window
---@param options? luatensor.nn.AvgPool1d.options
---@return luatensor.Module # takes x [batch, channels, length] or [channels, length]
function nn.AvgPool1d(kernel_size, options) end

---Makes a layer that calls nn.functional.avg_pool2d: it returns the mean of each window of an image.
---```lua
---nn.AvgPool2d(2)(lt.rand(1, 3, 8, 8)).shape  --> [1, 3, 4, 4]
---```
---@param kernel_size any a number, or a list {height, width}
---@param options? luatensor.nn.AvgPool1d.options
---@return luatensor.Module # takes x [batch, channels, height, width] or [channels, height, width]
function nn.AvgPool2d(kernel_size, options) end

---Makes a layer that calls nn.functional.adaptive_avg_pool1d: it divides a signal of any length into `output_size`
---windows, and returns their means.
---```lua
---nn.AdaptiveAvgPool1d(2)(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}})  --> [[[2.0, 1.0]]]
---```
---@param output_size integer the length of the result
---@return luatensor.Module # takes x [batch, channels, length] or [channels, length]
function nn.AdaptiveAvgPool1d(output_size) end

---Makes a layer that calls nn.functional.adaptive_avg_pool2d: it divides images of any size into as many windows as
---the result has elements, and returns the means of the windows.
---```lua
---nn.AdaptiveAvgPool2d(1)(lt.rand(1, 3, 8, 8)).shape  --> [1, 3, 1, 1]
---```
---@param output_size any a number, or a list {height, width}, in which false keeps the length of x
---@return luatensor.Module # takes x [batch, channels, height, width] or [channels, height, width]
function nn.AdaptiveAvgPool2d(output_size) end

---Makes a layer that calls nn.functional.adaptive_max_pool1d: it divides a signal of any length into `output_size`
---windows, and returns their maxima.
---```lua
---nn.AdaptiveMaxPool1d(2)(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}})  --> [[[3.0, 2.0]]]
---```
---@param output_size integer the length of the result
---@param options? luatensor.options.return_indices
---@return luatensor.Module # takes x [batch, channels, length] or [channels, length]
function nn.AdaptiveMaxPool1d(output_size, options) end

---Makes a layer that calls nn.functional.adaptive_max_pool2d: it divides images of any size into as many windows as
---the result has elements, and returns the maxima of the windows.
---```lua
---nn.AdaptiveMaxPool2d(1)(lt.rand(1, 3, 8, 8)).shape  --> [1, 3, 1, 1]
---```
---@param output_size any a number, or a list {height, width}, in which false keeps the length of x
---@param options? luatensor.options.return_indices
---@return luatensor.Module # takes x [batch, channels, height, width] or [channels, height, width]
function nn.AdaptiveMaxPool2d(output_size, options) end

---Renames the state of a PyTorch network: the numbers of layers in a Sequential, and of layers of recurrent
---networks, count from 1. Example: `model:load_state_dict(nn.rename_pytorch(lt.load "model.safetensors"))`.
---Errors: if two names would become one, such as "0.weight" and "00.weight".
---```lua
---next(nn.rename_pytorch{["0.weight"] = lt.ones(2)})  --> 1.weight
---```
---@param state table tensors by PyTorch's names
---@return table # the same tensors by luatensor's names
function nn.rename_pytorch(state) end

---Makes a recurrent layer, which computes h = tanh(W x + b + U h + d) in each step. W, U, b and d of layer 1 are the
---parameters weight_ih_l1, weight_hh_l1, bias_ih_l1 and bias_hh_l1. Names count layers from 1; names of the reverse
---direction end in "_reverse".
---
---    local y, h = rnn(x, h0)
---
---x is [times, batch, inputs], and y is [times, batch, hidden]. h0 and h [layers, batch, hidden] are the state before
---the first step (zeros unless given) and after the last step. With `bidirectional`, y contains the outputs of both
---directions side by side, and h has a row for each direction. If x has no batch dim, y, h0 and h have none either.
---Under nn.autocast, products with inputs compute in half floats; products with the state, and the gates, compute in
---float32.
---```lua
---nn.RNN(3, 5)(lt.rand(7, 2, 3)).shape  --> [7, 2, 5]
---```
---@param inputs integer length of x's last dim
---@param hidden integer length of the state h
---@param options? luatensor.nn.RNN.options
---@return luatensor.Module # takes x and h0, and returns y and h
function nn.RNN(inputs, hidden, options) end

---Makes a layer with long short-term memory. Weights and biases stack the gates i, f, g, o: c = σ(f) c + σ(i)
---tanh(g), h = σ(o) tanh(c).
---
---    local y, h, c = lstm(x, h0, c0)
---
---Shapes, options and names of the state are as in nn.RNN; c has the shape of h, or with `proj_size` [layers, batch,
---hidden].
---```lua
---local y = nn.LSTM(3, 5)(lt.ones(7, 2, 3))
---y.shape  --> [7, 2, 5]
---```
---@param inputs integer length of x's last dim
---@param hidden integer length of the state c, and of h without `proj_size`
---@param options? luatensor.nn.LSTM.options
---@return luatensor.Module # takes x, h0 and c0, and returns y, h and c
function nn.LSTM(inputs, hidden, options) end

---Makes a layer of gated recurrent units. Weights and biases stack the gates r, z, n. The gates r and z are σ(W x +
---b + U h + d), with W, b, U and d as in nn.RNN. n = tanh(W x + b + r (U h + d)), and the next h is (1 - z) n + z h.
---
---    local y, h = gru(x, h0)
---
---Shapes, options and names of the state are as in nn.RNN.
---```lua
---nn.GRU(3, 5)(lt.rand(7, 2, 3)).shape  --> [7, 2, 5]
---```
---@param inputs integer length of x's last dim
---@param hidden integer length of the state h
---@param options? luatensor.nn.GRU.options
---@return luatensor.Module # takes x and h0, and returns y and h
function nn.GRU(inputs, hidden, options) end

---Makes a cell that computes one step of nn.RNN: `h = cell(x, h)` with x [batch, inputs] and h [batch, hidden]. For
---a single row, both lack the batch dim. State: weight_ih, weight_hh, bias_ih, bias_hh.
---```lua
---nn.RNNCell(3, 5)(lt.rand(2, 3)).shape  --> [2, 5]
---```
---@param inputs integer length of x's last dim
---@param hidden integer length of the state h
---@param options? luatensor.nn.RNNCell.options
---@return luatensor.Module # takes x and h, and returns the next h
function nn.RNNCell(inputs, hidden, options) end

---Makes a cell that computes one step of nn.LSTM: `h, c = cell(x, h, c)`. Shapes are as in nn.RNNCell.
---```lua
---local h, c = nn.LSTMCell(3, 5)(lt.rand(2, 3))
---c.shape  --> [2, 5]
---```
---@param inputs integer length of x's last dim
---@param hidden integer length of the states h and c
---@param options? luatensor.options.bias_fused_dtype_device_generator
---@return luatensor.Module # takes x, h and c, and returns the next h and c
function nn.LSTMCell(inputs, hidden, options) end

---Makes a cell that computes one step of nn.GRU: `h = cell(x, h)`. Shapes are as in nn.RNNCell.
---```lua
---nn.GRUCell(3, 5)(lt.rand(2, 3)).shape  --> [2, 5]
---```
---@param inputs integer length of x's last dim
---@param hidden integer length of the state h
---@param options? luatensor.options.bias_fused_dtype_device_generator
---@return luatensor.Module # takes x and h, and returns the next h
function nn.GRUCell(inputs, hidden, options) end

---Makes a layer of an encoder: self-attention, then two linear layers. Each of these two parts adds its
---result to its input. The sum is normalised; with `norm_first`, the input is normalised instead. In the call
---`y = layer(x, {src_mask =, src_key_padding_mask =, is_causal =})` the options are passed to nn.MultiheadAttention as
---attn_mask, key_padding_mask and is_causal. State: self_attn, linear1, linear2, norm1, norm2.
---```lua
---nn.TransformerEncoderLayer(8, 2, {batch_first = true})(lt.rand(2, 7, 8)).shape  --> [2, 7, 8]
---```
---@param d_model integer width, the length of x's last dim
---@param nhead integer the number of heads of attention
---@param options? luatensor.options.dim_feedforward_dropout_activation_layer_norm_eps_batch_first_norm_first_bias_dtype_device_generator
---@return luatensor.Module # takes x, and returns a tensor of x's shape
function nn.TransformerEncoderLayer(d_model, nhead, options) end

---Makes a layer of a decoder: self-attention, then attention to the encoder's results, then two linear layers. A
---call is `y = layer(x, memory, {tgt_mask =, memory_mask =, tgt_key_padding_mask =, memory_key_padding_mask =,
---tgt_is_causal =, memory_is_causal =})`. State: self_attn, multihead_attn, linear1, linear2, norm1 to norm3.
---```lua
---nn.TransformerDecoderLayer(8, 2, {batch_first = true})(lt.rand(2, 7, 8), lt.rand(2, 5, 8)).shape  --> [2, 7, 8]
---```
---@param d_model integer width, the length of x's last dim
---@param nhead integer the number of heads of attention
---@param options? luatensor.options.dim_feedforward_dropout_activation_layer_norm_eps_batch_first_norm_first_bias_dtype_device_generator
---@return luatensor.Module # takes x and the encoder's result, and returns a tensor of x's shape
function nn.TransformerDecoderLayer(d_model, nhead, options) end

---Makes a sequence of copies of an encoder layer: `y = encoder(x, {mask =, src_key_padding_mask =, is_causal =})`.
---All copies start with the same parameters, as in PyTorch. State: layers.1.self_attn.in_proj_weight …
---```lua
---local layer = nn.TransformerEncoderLayer(8, 2, {batch_first = true})
---nn.TransformerEncoder(layer, 2)(lt.rand(2, 7, 8)).shape  --> [2, 7, 8]
---```
---@param encoder_layer luatensor.Module the layer to copy
---@param num_layers integer the number of copies
---@param options? luatensor.options.norm
---@return luatensor.Module # takes x, and returns a tensor of x's shape
function nn.TransformerEncoder(encoder_layer, num_layers, options) end

---Makes a sequence of copies of a decoder layer: `y = decoder(x, memory, options)` with the options of the layer.
---```lua
---local layer = nn.TransformerDecoderLayer(8, 2, {batch_first = true})
---nn.TransformerDecoder(layer, 2)(lt.rand(2, 7, 8), lt.rand(2, 5, 8)).shape  --> [2, 7, 8]
---```
---@param decoder_layer luatensor.Module the layer to copy
---@param num_layers integer the number of copies
---@param options? luatensor.options.norm
---@return luatensor.Module # takes x and the encoder's result, and returns a tensor of x's shape
function nn.TransformerDecoder(decoder_layer, num_layers, options) end

---Makes a layer that calls nn.functional.interpolate.
---```lua
---nn.Upsample {scale_factor = 2, mode = "nearest"}(lt.rand(1, 3, 8, 8)).shape  --> [1, 3, 16, 16]
---```
---@param options luatensor.options.size_scale_factor_mode_align_corners_antialias
---@return luatensor.Module # takes x [batch, channels, …]
function nn.Upsample(options) end

---Multiplies all gradients by min(max_norm / (norm + 1e-6), 1), where norm is the norm of the vector of all elements
---of all gradients. The call does not wait for a GPU, except with error_if_nonfinite.
---```lua
---local p = nn.Parameter(lt.tensor{3.0, 4.0})
---p:square():sum():backward()
---nn.utils.clip_grad_norm_({p}, 1.0)  --> 10.0
---p.grad                              --> [0.6, 0.8]
---```
---@param params any a list of tensors, such as model:parameters(), or one tensor
---@param max_norm number the largest norm after clipping
---@param options? luatensor.nn.utils.clip_grad_norm_.options
---@return luatensor.Tensor # the norm before clipping, 0-d
function nn.utils.clip_grad_norm_(params, max_norm, options) end

---Limits each element of all gradients to the range from -clip_value to clip_value.
---```lua
---local p = nn.Parameter(lt.tensor{3.0, -0.1})
---p:square():sum():backward()
---nn.utils.clip_grad_value_({p}, 1.0)
---p.grad  --> [1.0, -0.2]
---```
---@param params any a list of tensors, such as model:parameters(), or one tensor
---@param clip_value number the largest magnitude after clipping
function nn.utils.clip_grad_value_(params, clip_value) end

return nn
