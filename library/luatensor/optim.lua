---@meta luatensor.optim
-- Made by `make annotations` from the sources' comments and the op table. Do not edit.

---@class luatensor.Optimizer
---@field param_groups table[]
---@field state table
local Optimizer = {}

---Adds a group: its parameters, and the options that differ from the optimiser's options.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 0.1})
---opt:add_param_group{params = {nn.Parameter(lt.ones(1))}, lr = 0.01}
---#opt.param_groups  --> 2
---```
---@param group table `params`: a list of tensors; options by name
function Optimizer:add_param_group(group) end

---Clears the gradients of all parameters.
---```lua
---local p = nn.Parameter(lt.tensor{1.0})
---local opt = optim.Adadelta{p}
---p:square():sum():backward()
---opt:zero_grad()
---p.grad  --> nil
---```
---@param given? table `set_to_none` (true): the gradients become nil; false: they become 0
function Optimizer:zero_grad(given) end

---Updates all parameters that have a gradient. If a parameter was freed or does not fit its gradient, an error is
---raised, and no parameter is updated.
---```lua
---local p = nn.Parameter(lt.tensor{1.0})
---local opt = optim.RMSprop({p}, {lr = 0.1})
---p:square():sum():backward()
---opt:step()
---p:item() < 1  --> true
---```
---@param closure? function computes the loss and its gradients again, and returns the loss
---@return any # the closure's result
function Optimizer:step(closure) end

---Returns the state of the optimiser, without parameters and gradients. `class`: the optimiser's name. `state`: for
---each parameter's number a table of tensors (which share the optimiser's memory) and numbers; empty before the first
---step. `param_groups`: the options, the numbers of the parameters as `params`, and their shapes as `shapes`.
---```lua
---local p = nn.Parameter(lt.ones(1))
---local a, b = optim.SGD({p}, {lr = 0.1}), optim.SGD({p}, {lr = 0.5})
---b:load_state_dict(a:state_dict())
---b.param_groups[1].lr  --> 0.1
---```
---@return table # the state
function Optimizer:state_dict() end

---Restores a copy of the state from state_dict. If a value does not fit, nothing changes.
---Errors: if the state is of another class, if groups, parameters or shapes differ, or if the constructor refuses a value.
---```lua
---local p = nn.Parameter(lt.ones(1))
---local a, b = optim.SGD({p}, {lr = 0.1}), optim.SGD({p}, {lr = 0.5})
---b:load_state_dict(a:state_dict())
---b.param_groups[1].lr  --> 0.1
---```
---@param dict table a result of state_dict
function Optimizer:load_state_dict(dict) end

---Returns the optimiser as text: for each group, its number of parameters and its options.
---```lua
---local p = lt.ones(1, {requires_grad = true})
---tostring(optim.SGD({p}, {lr = 0.5})):match "lr = [%d.]+"  --> lr = 0.5
---```
function Optimizer:__tostring() end

---@class luatensor.LBFGS: luatensor.Optimizer
local LBFGS = {}

---Makes a step: iterates until max_iter iterations or max_eval calls of the closure were made, or a tolerance is
---reached. A line search may call the closure once more than max_eval.
---```lua
---local p = nn.Parameter(lt.tensor{5.0})
---local opt = optim.LBFGS({p}, {lr = 0.5})
---local function closure() opt:zero_grad() local loss = ((p - 1) ^ 2):sum() loss:backward() return loss end
---opt:step(closure)
---(p - 1):abs():item() < 0.1  --> true
---```
---@param closure function clears the gradients, computes the loss and its gradients, and returns the loss
---@return any # the loss before the step, as the closure returned it
function LBFGS:step(closure) end

---@class luatensor.GradScaler
local GradScaler = {}

---Multiplies the loss, or each of several losses, by the scale.
---```lua
---local scaler = optim.GradScaler{init_scale = 8}
---scaler:scale(lt.tensor(2.0))  --> 16.0
---scaler:get_scale()            --> 8
---```
---@param loss any a tensor, or a list of tensors
---@return any # the scaled loss, or a list of the scaled losses
function GradScaler:scale(loss) end

---Divides the gradients of an optimiser's parameters by the scale, so that scripts can read or clip the gradients.
---Without this call, `step` divides the gradients.
---```lua
---local p = nn.Parameter(lt.tensor{1.0})
---local opt, scaler = optim.SGD({p}, {lr = 0.1}), optim.GradScaler{init_scale = 8}
---scaler:scale((p * p):sum()):backward()
---scaler:unscale_(opt)
---p.grad  --> [2.0]
---```
---@param opt luatensor.Optimizer the optimiser
function GradScaler:unscale_(opt) end

---Runs the optimiser's step, unless a gradient is infinite or NaN. First divides the gradients by the scale, unless
---unscale_ has divided them since the last update. The call waits for a GPU to check the gradients.
---A compiled function that calls this method is not replayed.
---```lua
---local p = nn.Parameter(lt.tensor{1.0})
---local opt, scaler = optim.SGD({p}, {lr = 0.1}), optim.GradScaler{init_scale = 8}
---scaler:scale((p * p):sum()):backward()
---scaler:step(opt)
---scaler:update()
---p:detach()  --> [0.8]
---```
---@param opt luatensor.Optimizer the optimiser
---@return any # what opt:step() returns; nothing if the step was skipped
function GradScaler:step(opt) end

---Adapts the scale. Scripts call this method after the steps of all optimisers.
---```lua
---local p = nn.Parameter(lt.tensor{1.0})
---local opt, scaler = optim.SGD({p}, {lr = 0.1}), optim.GradScaler{init_scale = 8}
---scaler:scale((p * p):sum()):backward()
---scaler:step(opt)
---scaler:update()
---p:detach()  --> [0.8]
---```
---@param scale? number the new scale, in place of the adapted scale
function GradScaler:update(scale) end

---Returns the scale, or 1 if the scaler is disabled.
---```lua
---local scaler = optim.GradScaler{init_scale = 8}
---scaler:scale(lt.tensor(2.0))  --> 16.0
---scaler:get_scale()            --> 8
---```
---@return number # the scale
function GradScaler:get_scale() end

---Returns a table with the fields scale, growth_factor, backoff_factor, growth_interval, growth_tracker (the number
---of updates since the last growth or skipped step), and class ("GradScaler").
---```lua
---local a, b = optim.GradScaler{init_scale = 8}, optim.GradScaler()
---b:load_state_dict(a:state_dict())
---b:get_scale()  --> 8
---```
---@return table # the state
function GradScaler:state_dict() end

---Restores the state from state_dict. If a value does not fit, nothing changes.
---Errors: if the state is of another class, or has values that the constructor refuses.
---```lua
---local a, b = optim.GradScaler{init_scale = 8}, optim.GradScaler()
---b:load_state_dict(a:state_dict())
---b:get_scale()  --> 8
---```
---@param dict table a result of state_dict
function GradScaler:load_state_dict(dict) end

---@class luatensor.Scheduler
---@field last_epoch integer
local Scheduler = {}

---Proceeds to the next learning rate. Scripts call this method after each epoch, or, with OneCycleLR and CyclicLR,
---after each batch.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.StepLR(opt, 2, {gamma = 0.5})
---for _ = 1, 4 do schedule:step() end
---schedule:get_last_lr()[1]  --> 0.25
---```
function Scheduler:step() end

---Returns the current learning rates of the groups.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.StepLR(opt, 2, {gamma = 0.5})
---for _ = 1, 4 do schedule:step() end
---schedule:get_last_lr()[1]  --> 0.25
---```
---@return table # a list of numbers
function Scheduler:get_last_lr() end

---Returns the state of the scheduler, without the optimiser and without functions. Field `class` is the scheduler's
---name.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local a, b = optim.scheduler.StepLR(opt, 2), optim.scheduler.StepLR(opt, 5)
---b:load_state_dict(a:state_dict())
---b.step_size  --> 2
---```
---@return table # the state
function Scheduler:state_dict() end

---Restores the state from state_dict. If a value does not fit, nothing changes. The rates themselves are in the
---optimiser's state.
---Errors: if the state is of another class, or has values that the constructor refuses.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local a, b = optim.scheduler.StepLR(opt, 2), optim.scheduler.StepLR(opt, 5)
---b:load_state_dict(a:state_dict())
---b.step_size  --> 2
---```
---@param dict table a result of state_dict
function Scheduler:load_state_dict(dict) end

---@class luatensor.ReduceLROnPlateau: luatensor.Scheduler
local ReduceLROnPlateau = {}

---Compares the next value of the metric with the best value, and reduces the rates if patience is exceeded.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.ReduceLROnPlateau(opt, {factor = 0.5, patience = 1})
---for _ = 1, 4 do schedule:step(1.0) end          -- the loss does not fall
---opt.param_groups[1].lr  --> 0.5
---```
---@param metric any a number, or a tensor of one element
function ReduceLROnPlateau:step(metric) end

---@class luatensor.optim
local optim = {}

optim.scheduler = {}

---Makes an optimiser that steps by running means of the gradient and of its square. g is the gradient plus
---weight_decay · p; β₁ and β₂ are the betas. At step t, counted from 1,
---
---    m ← β₁ · m + (1 − β₁) · g
---    v ← β₂ · v + (1 − β₂) · g²
---    p ← p − lr / (1 − β₁ᵗ) · m / (√v / √(1 − β₂ᵗ) + eps)
---
---With amsgrad, the greatest v so far takes the place of v in the last line. Kingma, Ba: Adam: A Method for
---Stochastic Optimization (2015); Reddi, Kale, Kumar: On the Convergence of Adam and Beyond (2018).
---```lua
---local layer = nn.Linear(1, 1)
---local opt = optim.Adam(layer:parameters(), {lr = 0.01})
---layer(lt.ones(4, 1)):square():mean():backward()
---opt:step()
---opt:zero_grad()
---```
---@param params any a list of tensors, or of groups
---@param options? luatensor.optim.Adam.options
---@return luatensor.Optimizer #
function optim.Adam(params, options) end

---Makes an optimiser like Adam with decoupled weight decay: first p ← p · (1 − lr · weight_decay), then Adam's step.
---Loshchilov, Hutter: Decoupled Weight Decay Regularization (2019).
---```lua
---optim.AdamW({nn.Parameter(lt.ones(1))}, {lr = 0.01}).param_groups[1].weight_decay  --> 0.01
---```
---@param params any a list of tensors, or of groups
---@param options? luatensor.optim.AdamW.options
---@return luatensor.Optimizer #
function optim.AdamW(params, options) end

---Makes an optimiser like Adam, but with a decaying maximum of the gradient's magnitude instead of the mean of
---squares. g is the gradient plus weight_decay · p; β₁ and β₂ are the betas. At step t, counted from 1,
---
---    m ← β₁ · m + (1 − β₁) · g
---    u ← max(β₂ · u, |g| + eps)
---    p ← p − lr / (1 − β₁ᵗ) · m / u
---
---Kingma, Ba: Adam: A Method for Stochastic Optimization (2015), section 7.1.
---```lua
---local p = nn.Parameter(lt.tensor{1.0})
---local opt = optim.Adamax({p}, {lr = 0.5})
---p:square():sum():backward()
---opt:step()
---p:detach()  --> [0.5]
---```
---@param params any a list of tensors, or of groups
---@param options? luatensor.optim.Adamax.options
---@return luatensor.Optimizer #
function optim.Adamax(params, options) end

---Makes an optimiser like Adam with Nesterov's momentum. g, m, v, β₁ and β₂ are as in optim.Adam, and μ₁ … μₜ is a
---product. At step t, with d = √(v / (1 − β₂ᵗ)) + eps and μₜ = β₁ · (1 − 0.96^(t · momentum_decay) / 2),
---
---    p ← p − lr · (1 − μₜ) / (1 − μ₁ … μₜ) · g / d − lr · μₜ₊₁ / (1 − μ₁ … μₜ₊₁) · m / d
---
---Dozat: Incorporating Nesterov Momentum into Adam (2016).
---```lua
---optim.NAdam({nn.Parameter(lt.ones(1))}, {lr = 0.5}).param_groups[1].lr  --> 0.5
---```
---@param params any a list of tensors, or of groups
---@param options? luatensor.optim.NAdam.options
---@return luatensor.Optimizer #
function optim.NAdam(params, options) end

---Makes an optimiser like Adam that ignores the second moment v as long as v is the mean of too few gradients. ρₜ
---and r are the names of the paper below: ρₜ is the length of a simple moving average that corresponds to v, and r
---corrects the variance. m, v and β₂ are as in optim.Adam. At step t, with ρ = 2 / (1 − β₂) − 1 and
---ρₜ = ρ − 2 t β₂ᵗ / (1 − β₂ᵗ),
---
---    p ← p − lr · m / (1 − β₁ᵗ) · r · √(1 − β₂ᵗ) / (√v + eps)    ρₜ > 5, r² = (ρₜ−4)(ρₜ−2)ρ / ((ρ−4)(ρ−2)ρₜ)
---    p ← p − lr · m / (1 − β₁ᵗ)                                   else
---
---Liu and others: On the Variance of the Adaptive Learning Rate and Beyond (2020).
---```lua
---optim.RAdam({nn.Parameter(lt.ones(1))}, {lr = 0.5}).param_groups[1].lr  --> 0.5
---```
---@param params any a list of tensors, or of groups
---@param options? luatensor.optim.RAdam.options
---@return luatensor.Optimizer #
function optim.RAdam(params, options) end

---Makes an optimiser whose steps are divided by the root of a running mean of squared gradients. g is the gradient
---plus weight_decay · p.
---
---    v ← alpha · v + (1 − alpha) · g²
---    s = √v + eps;  centered: a ← alpha · a + (1 − alpha) · g,  s = √(v − a²) + eps
---    p ← p − lr · g / s;  with momentum: b ← momentum · b + g / s,  p ← p − lr · b
---
---Hinton: Neural Networks for Machine Learning, lecture 6 (2012); centered: Graves: Generating Sequences With
---Recurrent Neural Networks (2013).
---```lua
---local p = nn.Parameter(lt.tensor{1.0})
---local opt = optim.RMSprop({p}, {lr = 0.1})
---p:square():sum():backward()
---opt:step()
---p:item() < 1  --> true
---```
---@param params any a list of tensors, or of groups
---@param options? luatensor.optim.RMSprop.options
---@return luatensor.Optimizer #
function optim.RMSprop(params, options) end

---Makes an optimiser whose steps are divided by the root of the sum of all squared gradients. g is the gradient plus
---weight_decay · p. At step t
---
---    s ← s + g²
---    p ← p − lr / (1 + (t − 1) · lr_decay) · g / (√s + eps)
---
---Duchi, Hazan, Singer: Adaptive Subgradient Methods for Online Learning and Stochastic Optimization (2011).
---```lua
---local p = nn.Parameter(lt.tensor{1.0})
---local opt = optim.Adagrad({p}, {lr = 0.5})
---p:square():sum():backward()
---opt:step()
---p:detach()  --> [0.5]
---```
---@param params any a list of tensors, or of groups
---@param options? luatensor.optim.Adagrad.options
---@return luatensor.Optimizer #
function optim.Adagrad(params, options) end

---Makes an optimiser whose steps are scaled by two root mean squares: the earlier changes of the parameter, divided by
---the earlier gradients. g is the gradient plus weight_decay · p.
---
---    v ← rho · v + (1 − rho) · g²
---    d = √(u + eps) / √(v + eps) · g
---    u ← rho · u + (1 − rho) · d²
---    p ← p − lr · d
---
---Zeiler: ADADELTA: An Adaptive Learning Rate Method (2012).
---```lua
---local p = nn.Parameter(lt.tensor{1.0})
---local opt = optim.Adadelta{p}
---p:square():sum():backward()
---opt:zero_grad()
---p.grad  --> nil
---```
---@param params any a list of tensors, or of groups
---@param options? luatensor.optim.Adadelta.options
---@return luatensor.Optimizer #
function optim.Adadelta(params, options) end

---Makes a scaler.
---```lua
---local scaler = optim.GradScaler{init_scale = 8}
---scaler:scale(lt.tensor(2.0))  --> 16.0
---scaler:get_scale()            --> 8
---```
---@param options? luatensor.optim.GradScaler.options
---@return luatensor.GradScaler #
function optim.GradScaler(options) end

---Makes an optimiser that steps along −H g, where g is the gradient. H approximates the inverse of the Hessian (the
---matrix of second derivatives) by the last changes of parameters and gradients. A step calls the closure several
---times, and waits for a GPU before each decision. All parameters form one long vector on the first parameter's device.
---The method suits small problems without noise.
---
---    opt:step(function()
---      opt:zero_grad()
---      local loss = model(x):sub(y):square():mean()
---      loss:backward()
---      return loss
---    end)
---
---Liu, Nocedal: On the Limited Memory BFGS Method for Large Scale Optimization (1989). The optimiser works like
---PyTorch's LBFGS.
---```lua
---local p = nn.Parameter(lt.tensor{5.0})
---local opt = optim.LBFGS({p}, {lr = 0.5})
---local function closure() opt:zero_grad() local loss = ((p - 1) ^ 2):sum() loss:backward() return loss end
---opt:step(closure)
---(p - 1):abs():item() < 0.1  --> true
---```
---@param params any a list of tensors, which form one group
---@param options? luatensor.optim.LBFGS.options
---@return luatensor.LBFGS #
function optim.LBFGS(params, options) end

---True if value is an optimiser.
---```lua
---optim.is_optimizer(optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 0.1}))  --> true
---```
---@param value any any value
---@return boolean #
function optim.is_optimizer(value) end

---Makes a scheduler with the rate eta_min + (base − eta_min) · (1 + cos(π t / T_max)) / 2 after t steps, where
---`base` is a group's initial rate. Loshchilov, Hutter: SGDR: Stochastic Gradient Descent with Warm Restarts (2017),
---without the restarts.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.CosineAnnealingLR(opt, 10)
---for _ = 1, 5 do schedule:step() end
---("%.3f"):format(opt.param_groups[1].lr)  --> 0.500
---```
---@param optimizer luatensor.Optimizer
---@param T_max integer the number of steps from base to eta_min
---@param options? luatensor.optim.scheduler.CosineAnnealingLR.options
---@return luatensor.Scheduler #
function optim.scheduler.CosineAnnealingLR(optimizer, T_max, options) end

---Makes a scheduler whose rate follows half a cosine from a group's initial rate to eta_min over T_0 steps, then
---again from the initial rate over T_mult times as many steps, and so on. Loshchilov, Hutter: SGDR: Stochastic
---Gradient Descent with Warm Restarts (2017).
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.CosineAnnealingWarmRestarts(opt, 5)
---for _ = 1, 5 do schedule:step() end
---opt.param_groups[1].lr  --> 1.0
---```
---@param optimizer luatensor.Optimizer
---@param T_0 integer the number of steps before the first restart
---@param options? luatensor.optim.scheduler.CosineAnnealingWarmRestarts.options
---@return luatensor.Scheduler #
function optim.scheduler.CosineAnnealingWarmRestarts(optimizer, T_0, options) end

---Makes a scheduler for one cycle. The rate rises from max_lr / div_factor to max_lr in the first share pct_start of
---all steps, then falls to max_lr / div_factor / final_div_factor. With three_phase, the rate first falls to the
---initial rate, in as many steps as it rose, and then to the final rate. The momentum goes from max_momentum to
---base_momentum and back. Smith, Topin: Super-Convergence (2018).
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1, momentum = 0.9})
---local schedule = optim.scheduler.OneCycleLR(opt, 1, {total_steps = 10})
---opt.param_groups[1].lr  --> 0.04
---```
---@param optimizer luatensor.Optimizer
---@param max_lr any a number, or a list with a number for each group
---@param options luatensor.optim.scheduler.OneCycleLR.options
---@return luatensor.Scheduler #
function optim.scheduler.OneCycleLR(optimizer, max_lr, options) end

---Makes a scheduler that repeats cycles. The rate rises from base_lr to max_lr in step_size_up steps, then falls to
---base_lr in step_size_down steps. The height of cycles is constant ("triangular"), halved in each cycle
---("triangular2"), or multiplied by gammaᵗ ("exp_range"). The momentum goes from max_momentum to base_momentum and
---back. Smith: Cyclical Learning Rates for Training Neural Networks (2017).
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1, momentum = 0.9})
---local schedule = optim.scheduler.CyclicLR(opt, 0.1, 1, {step_size_up = 2})
---for _ = 1, 2 do schedule:step() end
---opt.param_groups[1].lr  --> 1.0
---```
---@param optimizer luatensor.Optimizer
---@param base_lr any a number, or a list with a number for each group
---@param max_lr any a number, or a list with a number for each group
---@param options? luatensor.optim.scheduler.CyclicLR.options
---@return luatensor.Scheduler #
function optim.scheduler.CyclicLR(optimizer, base_lr, max_lr, options) end

---Makes a scheduler with the rate base · gamma^⌊t / step_size⌋ after t steps, where `base` is a group's initial
---rate.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.StepLR(opt, 2, {gamma = 0.5})
---for _ = 1, 4 do schedule:step() end
---schedule:get_last_lr()[1]  --> 0.25
---```
---@param optimizer luatensor.Optimizer
---@param step_size integer the number of steps between two changes
---@param options? luatensor.options.gamma
---@return luatensor.Scheduler #
function optim.scheduler.StepLR(optimizer, step_size, options) end

---Makes a scheduler with the rate base · gamma^n, where `base` is a group's initial rate, and n the number of
---milestones that the number of steps has reached.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.MultiStepLR(opt, {2, 3}, {gamma = 0.5})
---for _ = 1, 3 do schedule:step() end
---opt.param_groups[1].lr  --> 0.25
---```
---@param optimizer luatensor.Optimizer
---@param milestones table a list of step numbers
---@param options? luatensor.options.gamma
---@return luatensor.Scheduler #
function optim.scheduler.MultiStepLR(optimizer, milestones, options) end

---Makes a scheduler with the rate base · gammaᵗ after t steps, where `base` is a group's initial rate.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.ExponentialLR(opt, 0.5)
---schedule:step()
---opt.param_groups[1].lr  --> 0.5
---```
---@param optimizer luatensor.Optimizer
---@param gamma number the factor of each step
---@return luatensor.Scheduler #
function optim.scheduler.ExponentialLR(optimizer, gamma) end

---Makes a scheduler with the rate base · factor for the first total_iters steps, and then `base`, a group's initial
---rate.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.ConstantLR(opt, {factor = 0.5, total_iters = 2})
---opt.param_groups[1].lr  --> 0.5
---```
---@param optimizer luatensor.Optimizer
---@param options? luatensor.optim.scheduler.ConstantLR.options
---@return luatensor.Scheduler #
function optim.scheduler.ConstantLR(optimizer, options) end

---Makes a scheduler for warm-up: the rate goes from base · start_factor to base · end_factor in total_iters equal
---steps, where `base` is a group's initial rate.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.LinearLR(opt, {start_factor = 0.5, total_iters = 2})
---schedule:step()
---opt.param_groups[1].lr  --> 0.75
---```
---@param optimizer luatensor.Optimizer
---@param options? luatensor.optim.scheduler.LinearLR.options
---@return luatensor.Scheduler #
function optim.scheduler.LinearLR(optimizer, options) end

---Makes a scheduler with the rate base · (1 − min(t, total_iters) / total_iters)^power after t steps, where `base`
---is a group's initial rate.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.PolynomialLR(opt, {total_iters = 4})
---schedule:step()
---opt.param_groups[1].lr  --> 0.75
---```
---@param optimizer luatensor.Optimizer
---@param options? luatensor.optim.scheduler.PolynomialLR.options
---@return luatensor.Scheduler #
function optim.scheduler.PolynomialLR(optimizer, options) end

---Makes a scheduler with the rate base · fn(t) after t steps, where `base` is a group's initial rate.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.LambdaLR(opt, function(step) return 1 / (step + 1) end)
---schedule:step()
---opt.param_groups[1].lr  --> 0.5
---```
---@param optimizer luatensor.Optimizer
---@param fn any a function of the number of steps, from 0 on, or a list with a function for each group. The functions are not part of the state
---@return luatensor.Scheduler #
function optim.scheduler.LambdaLR(optimizer, fn) end

---Makes a scheduler that multiplies the rates by factor if a metric has not improved for more than patience steps:
---`schedule:step(loss)`. An improvement is a metric below best · (1 − threshold), or with mode "max" above
---best · (1 + threshold), where `best` is the best metric so far. With threshold_mode "abs" the limits are
---best − threshold and best + threshold.
---```lua
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = optim.scheduler.ReduceLROnPlateau(opt, {factor = 0.5, patience = 1})
---for _ = 1, 4 do schedule:step(1.0) end          -- the loss does not fall
---opt.param_groups[1].lr  --> 0.5
---```
---@param optimizer luatensor.Optimizer
---@param options? luatensor.optim.scheduler.ReduceLROnPlateau.options
---@return luatensor.Scheduler #
function optim.scheduler.ReduceLROnPlateau(optimizer, options) end

---Makes a scheduler that runs the first scheduler up to the first milestone, then the second scheduler from its step
---0, and so on. An example is LinearLR to warm up, followed by CosineAnnealingLR.
---```lua
---local s = optim.scheduler
---local opt = optim.SGD({nn.Parameter(lt.ones(1))}, {lr = 1})
---local schedule = s.SequentialLR(opt, {s.LinearLR(opt), s.ExponentialLR(opt, 0.5)}, {5})
---for _ = 1, 6 do schedule:step() end
---opt.param_groups[1].lr  --> 0.5
---```
---@param optimizer luatensor.Optimizer
---@param schedulers table a list of schedulers of this optimiser
---@param milestones table the steps at which the next scheduler begins, one milestone fewer than schedulers
---@return luatensor.Scheduler #
function optim.scheduler.SequentialLR(optimizer, schedulers, milestones) end

---Makes an optimiser for gradient descent. g is the gradient plus weight_decay · p. Each step is
---
---    p ← p − lr · g                                    without momentum
---    b ← momentum · b + (1 − dampening) · g            b is g at the first step
---    p ← p − lr · b;  with nesterov  p ← p − lr · (g + momentum · b)
---
---Sutskever, Martens, Dahl, Hinton: On the importance of initialization and momentum in deep learning (2013), in the
---form of PyTorch's SGD.
---```lua
---local w = lt.tensor({1.0}, {requires_grad = true})
---local opt = optim.SGD({w}, {lr = 0.1})
---w:square():sum():backward()
---opt:step()
---w:detach()  --> [0.8]
---```
---@param params any a list of tensors, or of groups
---@param options? luatensor.optim.SGD.options
---@return luatensor.Optimizer #
function optim.SGD(params, options) end

---Divides the states of an optimiser, such as Adam's running means, among the processes of a group. Each process
---keeps the states of about 1 / size of the elements, updates these parameters in `step`, and gets the other
---parameters from the processes that updated them. Parameters are not split, so one very large parameter limits what
---is saved. The gradients must be the same in all processes, as nn.parallel.DataParallel makes them:
---
---    local opt = optim.Sharded(optim.Adam(model:parameters(), {lr = 1e-3}))
---
---The result is used like the optimiser: with schedulers, optim.GradScaler and lt.save. All processes must call `step`
---and `state_dict`. `state_dict` gathers the whole state in rank 0, on the CPU; elsewhere it returns a table that
---cannot be loaded. Each process loads the whole state, and keeps its part: that of a plain optimiser, too, or of
---another number of processes.
---```lua
---local p = nn.Parameter(lt.tensor{1.0})
---local opt = optim.Sharded(optim.SGD({p}, {lr = 0.1}))
---p:square():sum():backward()
---opt:step()
---p:detach()  --> [0.8]
---```
---@param optimizer luatensor.Optimizer any class except LBFGS, which takes all parameters as one vector
---@param options? luatensor.optim.Sharded.options
---@return luatensor.Optimizer #
function optim.Sharded(optimizer, options) end

return optim
