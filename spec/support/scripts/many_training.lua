-- Trains models on several processes, and compares the results with those that each process computes alone. Prints a
-- line for each case that passed. Run by spec/distributed/training_spec.lua: lua many_training.lua cpu|gpu FOLDER

local lt = require "luatensor"
local nn, optim, data = require "luatensor.nn", require "luatensor.optim", require "luatensor.data"
local distributed = require "luatensor.distributed"

local group = distributed.init()
local device, folder = arg[1] == "cpu" and "cpu" or distributed.device(), arg[2]
lt.set_default_device(device)
local rank, size = group:rank(), group:size()

local function near(want, got, tolerance, what)
  local error = (want:to("cpu", "float64") - got:to("cpu", "float64")):abs():max():item()
  assert(error <= tolerance, ("%s: %g apart"):format(what or "values", error))
end

local function fails(pattern, fn, ...)
  local ok, problem = pcall(fn, ...)
  assert(not ok and tostring(problem):find(pattern), tostring(problem))
end

-- Returns a list of tensors in which tensor k contains the values of all processes' k-th tensors along a new first dim.
local function gathered(list)
  local all = {}
  for k, x in ipairs(list) do all[k] = group:all_gather(x:detach():reshape(1, -1)):reshape(size, -1) end
  return all
end

local function mlp(dtype)
  lt.manual_seed(5)
  return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 3)):to(dtype or "float32")
end

-- Returns a batch that differs between the processes.
local function batch(rows, dtype)
  return lt.randn(rows or 8, 6, {generator = lt.generator{seed = 100 + rank}, dtype = "float32"}):to(dtype or "float32")
end

local function loss_of(model, x) return model(x):square():mean() end

local function gradients(model)
  local list = {}
  for i, p in ipairs(model:parameters()) do list[i] = p.grad end
  return list
end

-- Checks that the gradients of `model` are the means of the gradients of the processes' own models.
local function check_means(model, own, tolerance)
  local means = gathered(gradients(own))
  for i, g in ipairs(gradients(model)) do near(means[i]:to("float64"):mean(1), g:reshape(-1), tolerance, "gradient " .. i) end
end

local cases, names = {}, {}
local function case(name, fn) names[#names + 1], cases[name] = name, fn end

case("gradients are means", function()
  for _, bytes in ipairs{1, 500, 25 << 20} do
    local model, own = nn.parallel.DataParallel(mlp(), {bucket_bytes = bytes}), mlp()
    for _ = 1, 2 do
      loss_of(model, batch()):backward()
      loss_of(own, batch()):backward()
    end
    check_means(model, own, 1e-7)
  end
end)

-- Adds hooks that change a model's arguments, an activation and a gradient. Returns the list of the numbers of calls, and
-- the gradients that the backward hook has seen.
local function hook(model, after)
  local seen = {pre = 0, forward = 0, backward = 0, root = 0}
  model:register_forward_pre_hook(function(_, inputs)
    seen.pre = seen.pre + 1
    return inputs[1] * 2
  end)
  model[2]:register_forward_hook(function(_, _, y)
    seen.forward = seen.forward + 1
    return y * 3
  end)
  model = after(model)
  model[3]:register_full_backward_hook(function(_, grad_inputs)
    seen.backward = seen.backward + 1
    seen.gradient = grad_inputs[1]:detach():clone()
    return {grad_inputs[1] * 5}
  end)
  model:register_full_backward_hook(function() seen.root = seen.root + 1 end)
  return model, seen
end

case("hooks see the tensors of their process, and change its gradients before the mean", function()
  local model, seen = hook(mlp(), function(m) return nn.parallel.DataParallel(m, {bucket_bytes = 500}) end)
  local own, alone = hook(mlp(), function(m) return m end)
  local plain = mlp()
  for step = 1, 2 do
    for _, each in ipairs{model, own, plain} do
      each:zero_grad()
      loss_of(each, batch()):backward()
    end
    check_means(model, own, 1e-6)
    near(alone.gradient, seen.gradient, 0, "gradient of an activation")
    for _, name in ipairs{"pre", "forward", "backward", "root"} do assert(seen[name] == step and alone[name] == step, name) end
  end
  local first, unchanged = gradients(model)[1], gathered{gradients(plain)[1]}[1]:to("float64"):mean(1)
  assert((first:reshape(-1):to("float64") - unchanged):abs():max():item() > 1e-3, "the hooks changed no gradient")
end)

case("an error in a backward hook is raised, and the next pass says why it fails", function()
  local model = nn.parallel.DataParallel(mlp())
  local handle = model[3]:register_full_backward_hook(function() error "the hook fails" end)
  local loss = loss_of(model, batch())
  fails("many_training.lua:%d+: the hook fails", loss.backward, loss)
  handle:remove()
  if size == 1 then return end
  loss = loss_of(model, batch())
  fails("an earlier backward pass failed in this process", loss.backward, loss)
end)

case("parameters and buffers are those of rank 0", function()
  lt.manual_seed(rank)
  local model = nn.parallel.DataParallel(nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4)))
  for _, all in ipairs(gathered(model:parameters())) do near(all[1]:broadcast_to(all.shape), all, 0) end
  local alone = nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4))
  alone:load_state_dict(model:state_dict())
  loss_of(model, batch()):backward()
  loss_of(alone, batch()):backward()
  local mean = gathered{model[2].running_mean}[1]
  near(mean[1]:broadcast_to(mean.shape), mean, 0)
  near(gathered{alone[2].running_mean}[1][1], mean[1], 0)
  assert(mean:abs():max():item() > 0)
end)

case("no_sync adds up", function()
  local model, own = nn.parallel.DataParallel(mlp()), mlp()
  model:no_sync(function() loss_of(model, batch()):backward() end)
  loss_of(own, batch()):backward()
  for i, g in ipairs(gradients(own)) do near(g, model:parameters()[i].grad, 0) end
  loss_of(model, batch(4)):backward()
  loss_of(own, batch(4)):backward()
  check_means(model, own, 1e-7)
end)

case("parameters without gradient", function()
  local model = nn.Module:extend "Branches"()
  model.first, model.second, model.never = nn.Linear(6, 2), nn.Linear(6, 2), nn.Linear(6, 2)
  function model:forward(x) return rank == 0 and self.first(x) or self.second(x) end
  nn.parallel.DataParallel(model)
  model(lt.ones(1, 6)):sum():backward()
  if size == 1 then return end
  near(lt.full({2}, 1 / size), model.first.bias.grad, 1e-7)
  near(lt.full({2}, 1 - 1 / size), model.second.bias.grad, 1e-7)
  assert(model.never.bias.grad == nil)
end)

case("several models", function()
  local a, b = nn.parallel.DataParallel(nn.Linear(6, 6)), nn.parallel.DataParallel(nn.Linear(6, 2))
  local own_a, own_b = nn.Linear(6, 6), nn.Linear(6, 2)
  own_a:load_state_dict(a:state_dict())
  own_b:load_state_dict(b:state_dict())
  b(a(batch())):square():mean():backward()
  own_b(own_a(batch())):square():mean():backward()
  check_means(a, own_a, 1e-7)
  check_means(b, own_b, 1e-7)
end)

case("half floats", function()
  local model, own = nn.parallel.DataParallel(mlp "float16"), mlp "float16"
  loss_of(model, batch(8, "float16")):backward()
  loss_of(own, batch(8, "float16")):backward()
  check_means(model, own, 1e-3)
end)

case("random numbers", function()
  local model = nn.parallel.DataParallel(nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.5)))
  local x = lt.ones(64, 6)
  lt.manual_seed(9)
  local mask = model(x):equal(0):to("float32")
  local masks = gathered{mask}[1]
  lt.manual_seed(9)
  near(model[2](x):equal(0):to("float32"):reshape(-1), masks[1], 0, "rank 0's mask")
  for r = 2, size do assert((masks[1] - masks[r]):abs():sum():item() > 50, "two ranks drop alike") end
  local after = gathered{lt.rand(4)}[1]
  near(after[1]:broadcast_to(after.shape), after, 0)
  model:eval()
  near(model[1](x), model(x), 0)
end)

-- Makes steps with an optimiser, and returns the model.
local function train(make, steps, step)
  local model = nn.parallel.DataParallel(mlp())
  local opt = make(model:parameters())
  for _ = 1, steps do step(model, opt) end
  return model, opt
end

local function plain_step(model, opt)
  opt:zero_grad()
  loss_of(model, batch()):backward()
  opt:step()
end

local function check_equal(want, got)
  for i, p in ipairs(want:parameters()) do near(p, got:parameters()[i], 0, "parameter " .. i) end
end

local function adam(params) return optim.Adam(params, {lr = 0.01}) end
local function sharded(params) return optim.Sharded(optim.Adam(params, {lr = 0.01})) end

local function elements(opt)
  local n = 0
  for _, state in pairs(opt.state) do n = n + state.exp_avg.size end
  return n
end

case("sharded states", function()
  local want, plain = train(adam, 3, plain_step)
  local got, opt = train(sharded, 3, plain_step)
  check_equal(want, got)
  local counts = group:all_gather(lt.tensor{{elements(opt)}}):reshape(-1)
  assert(counts:sum():item() == elements(plain), "each state is in one process")
  assert(counts:max():item() <= elements(plain) / size + 16 * 16, "the states are divided evenly")
  local state, path = opt:state_dict(), folder .. "/sharded.safetensors"
  for i, entry in pairs(rank == 0 and plain:state_dict().state or {}) do
    near(entry.exp_avg:to("cpu"), state.state[i].exp_avg, 0)
    near(entry.exp_avg_sq:to("cpu"), state.state[i].exp_avg_sq, 0)
    assert(math.type(state.state[i].step) == "integer" and state.state[i].step == entry.step)
  end
  if rank > 0 then fails("not the state of an optimiser", opt.load_state_dict, opt, state) end
  lt.save(path, {model = got, optimizer = opt}, {group = group})
  local loaded = lt.load(path)
  for _, make in ipairs{adam, sharded} do
    local again = nn.parallel.DataParallel(mlp())
    again:load_state_dict(loaded.model)
    local other = make(again:parameters())
    other:load_state_dict(loaded.optimizer)
    plain_step(again, other)
    local expected = train(adam, 4, plain_step)
    check_equal(expected, again)
  end
end)

case("a checkpoint of another number of processes", function()
  local path = folder .. "/other.safetensors"
  local make = function(params) return optim.Sharded(optim.Adam(params)) end
  local _, opt = train(make, 0, plain_step)
  local loader = data.Loader(data.TensorDataset(lt.arange(96)), {
    batch_size = 12 // size, sampler = data.DistributedSampler(data.TensorDataset(lt.arange(96)), {seed = 4}),
  })
  local file = io.open(path, "rb")
  if file then
    file:close()
    local run = lt.load(path)
    opt:load_state_dict(run.optimizer)
    loader:load_state_dict(run.loader)
    for i, p in ipairs(opt.index) do
      if opt.state[p] then near(lt.full(p.shape, i + 0.0), opt.state[p].exp_avg, 0) end
    end
  end
  -- The values of the next batch of all processes, which do not depend on the number of processes.
  local seen = group:all_gather(loader:batches()():reshape(1, -1)):reshape(-1):totable()
  table.sort(seen)
  if rank == 0 then print("batch " .. table.concat(seen, " ")) end
  for i, p in ipairs(opt.index) do
    opt.state[p] = opt.owned[p] and {step = 1, exp_avg = lt.full(p.shape, i + 0.0), exp_avg_sq = lt.full(p.shape, i + 0.0)} or nil
  end
  lt.save(path, {optimizer = opt, loader = loader}, {group = group})
end)

case("scaled losses", function()
  local scaler = optim.GradScaler{init_scale = 4}
  local model, opt = train(sharded, 1, function(model, opt)
    scaler:scale(loss_of(model, batch())):backward()
    scaler:step(opt)
    scaler:update()
  end)
  local want = train(sharded, 1, plain_step)
  check_equal(want, model)
  opt:zero_grad()
  scaler:scale(loss_of(model, batch()) * (rank == size - 1 and math.huge or 1)):backward()
  scaler:step(opt)
  scaler:update()
  assert(scaler:get_scale() == 2, "each process skips the step")
  check_equal(want, model)
end)

case("clipped gradients", function()
  local model, own = nn.parallel.DataParallel(mlp()), mlp()
  loss_of(model, batch()):backward()
  loss_of(own, batch()):backward()
  local sum = 0
  for _, g in ipairs(gathered(gradients(own))) do sum = sum + g:mean(1):square():sum():item() end
  near(lt.tensor{math.sqrt(sum)}, nn.utils.clip_grad_norm_(model:parameters(), 1e-3):reshape(1), 1e-6)
end)

case("compiled steps", function()
  local x = batch()
  local function whole_step(model, opt)
    opt:zero_grad()
    loss_of(model, x):backward()
    opt:step()
  end
  local want = train(adam, 5, whole_step)
  for _, options in ipairs{{}, {replay = true, device = device}} do
    local got = train(size > 1 and sharded or adam, 5, lt.compile(whole_step, options))
    for i, p in ipairs(want:parameters()) do near(p, got:parameters()[i], 1e-6) end
  end
  if size == 1 then return end
  local model = nn.parallel.DataParallel(mlp())
  fails("DataParallel: a step of several processes cannot be captured", function()
    lt.graph(function() model(x) end, {device = device})
  end)
end)

case("a checkpoint is written once", function()
  local path = ("%s/rank%d.safetensors"):format(folder, rank)
  lt.save(path, {rank = rank}, {group = group})
  local file = io.open(path, "rb")
  assert((file ~= nil) == (rank == 0))
  if file then file:close() end
  local where = rank == 0 and "/no/such/folder/x.safetensors" or path
  fails(rank == 0 and "No such file" or "rank 0 has not written", lt.save, where, {1}, {group = group})
end)

case("misuse", function()
  fails("DataParallel: module expected", nn.parallel.DataParallel, 1)
  fails("Sharded: optimiser expected", optim.Sharded, 1)
  fails("Sharded: LBFGS takes all", optim.Sharded, optim.LBFGS(mlp():parameters()))
  fails("group expected", nn.parallel.DataParallel, mlp(), {group = 1})
  fails("no_sync: function expected", function() nn.parallel.DataParallel(mlp()):no_sync(1) end)
  if size == 1 then return end
  local model = nn.parallel.DataParallel(mlp())
  fails("belongs to a DataParallel model already", nn.parallel.DataParallel, model)
  fails("create_graph are not averaged", function() loss_of(model, batch()):backward{create_graph = true} end)
  local other = nn.Linear(6, rank == size - 1 and 3 or 2)
  fails(("the model of rank %d has other parameters"):format(size - 1), nn.parallel.DataParallel, other)
end)

for _, name in ipairs(names) do
  local ok, problem = xpcall(cases[name], debug.traceback)
  if not ok then error(("rank %d of %d: %s: %s"):format(rank, size, name, problem), 0) end
  if rank == 0 then print("passed: " .. name) end
end
print(("rank %d of %d is done"):format(rank, size))
