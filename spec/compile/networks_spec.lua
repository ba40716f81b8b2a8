-- tags: uncollected many-kernels
-- Layers, losses and optimisers: forward pass, backward pass and update give the same bits inside of a compiled
-- function, in several steps, with and without replays.
local lt = require "luatensor"
local data = require "spec.support.data"
local helpers = require "spec.support.helpers"
local pytorch = require "spec.support.pytorch_cases"

local nn, optim = lt.nn, lt.optim
local functional = nn.functional
local drawn_it = helpers.drawn_it(it)
local on_cpu = helpers.device == "cpu"
local STEPS = 5

-- Appends the bits of a value to a list: of a tensor, or of the values of a table in the order of their keys. Numbers are
-- appended as text.
local function append_bits(list, x)
  if lt.is_tensor(x) then
    list[#list + 1] = helpers.bits(x)
  elseif type(x) == "table" then
    local keys = {}
    for key in pairs(x) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    for _, key in ipairs(keys) do
      list[#list + 1] = tostring(key)
      append_bits(list, x[key])
    end
  else
    list[#list + 1] = tostring(x)
  end
end

-- Returns x, or a copy of it that waits for its computation in a compiled function.
local function late(x) return x.dtype:find "float" and x * 1 or x end

-- Makes a function of no arguments by make(), compiles it if there are options, and calls it STEPS times. make returns the
-- function and a table whose tensors belong to the outcome, such as parameters, or a function that returns the table. Returns
-- the bits of all results and of this table after each call, and the function.
local function outcome(make, options)
  lt.manual_seed(17)
  local step, state = make()
  if options then step = lt.compile(step, options) end
  local list = {}
  for _ = 1, STEPS do
    append_bits(list, table.pack(step()))
    append_bits(list, type(state) == "function" and state() or state)
  end
  return list, step
end

-- Compares the compiled function of make() with the function itself.
local function check_deferred(make)
  local expected = outcome(make)
  assert.truthy(#expected > STEPS)
  assert.same(expected, (outcome(make, {})))
  return expected
end

-- Compares calls with replays, too. On a GPU, where calls take longer, only these: the first two of them are not replayed.
local function check(make)
  local list, step = outcome(make, {replay = true})
  assert.same(on_cpu and check_deferred(make) or outcome(make), list)
  assert.truthy(tostring(step):find "; [123] of 5 calls replayed$", tostring(step))
end

local function gradients_of(list)
  local gradients = {}
  for i, p in ipairs(list) do gradients[i] = p.grad or false end
  return gradients
end

-- ---- layers and losses --------------------------------------------------------------------------

local layers_seen = {}

-- Returns the step and the state of a case of PyTorch's numbers: the call, backward, and an update of the parameters.
local function case_step(row, dtype)
  local subject, leaves = pytorch.make(row, dtype)
  local is_module = nn.is_module(subject)
  local parameters = is_module and subject:parameters() or {}
  local optimizer = row.weights and #parameters > 0 and optim.SGD(parameters, {lr = 0.05, momentum = 0.9})
  local weights = pytorch.weights(row, dtype)
  local function step()
    local inputs = {}
    for i, x in ipairs(leaves) do inputs[i] = late(x) end
    local outputs = pytorch.call(row, subject, inputs)
    pytorch.backward(outputs, weights)
    if optimizer then optimizer:step() end
    for i, y in ipairs(outputs) do outputs[i] = y:detach() end
    return table.unpack(outputs)
  end
  return step, function()
    return {gradients_of(leaves), gradients_of(parameters), is_module and subject:state_dict() or {}}
  end
end

-- Cases that read a value or make a tensor of Lua numbers, which a replay cannot repeat.
local function is_replayable(row)
  return not (row.lua:find "one_hot$" or row.lua:find "momentum = false" or row.call and row.call:find "lt.tensor")
end

for group, rows in pytorch.groups() do
  describe("compiled steps of " .. group, function()
    for _, row in ipairs(rows) do
      for name in row.lua:gmatch "nn%.(%u%w*)" do layers_seen[name] = true end
      if on_cpu or row.device ~= false then
        for _, dtype in ipairs {"float32", "bfloat16"} do
          if dtype == "float32" or on_cpu and row.state and not row.float64 then
            drawn_it(("such as %s in %s"):format(pytorch.name(row), dtype), function()
              (is_replayable(row) and check or check_deferred)(function() return case_step(row, dtype) end)
            end)
          end
        end
      end
    end
  end)
end

-- Layers that PyTorch's numbers leave out, because the layers draw random numbers or are no layers of PyTorch. Each entry
-- makes a network of the layer and the shape of its input.
local further = {
  Dropout = function() return nn.Sequential(nn.Linear(4, 6), nn.Dropout(0.3), nn.Linear(6, 2)), {5, 4} end,
  AlphaDropout = function() return nn.Sequential(nn.SELU(), nn.AlphaDropout(0.4), nn.Linear(4, 2)), {5, 4} end,
  Dropout1d = function() return nn.Sequential(nn.Conv1d(2, 3, 2), nn.Dropout1d(0.4), nn.Flatten()), {2, 2, 5} end,
  Dropout2d = function() return nn.Sequential(nn.Conv2d(2, 3, 2), nn.Dropout2d(0.4), nn.Flatten()), {2, 2, 4, 4} end,
  Dropout3d = function() return nn.Sequential(nn.Linear(3, 3), nn.Dropout3d(0.4), nn.Flatten()), {2, 4, 2, 2, 3} end,
  AdaptiveAvgPool1d = function() return nn.Sequential(nn.Conv1d(2, 3, 2), nn.AdaptiveAvgPool1d(2)), {2, 2, 6} end,
  Residual = function() return nn.Residual(nn.Sequential(nn.Linear(4, 4), nn.Tanh())), {3, 4} end,
  Lambda = function() return nn.Sequential(nn.Linear(4, 4), nn.Lambda(function(x) return x * x + 1 end)), {3, 4} end,
}
further.ModuleList = function()
  local Net = nn.Module:extend "Net"
  function Net:init() self.list = nn.ModuleList {nn.Linear(4, 4), nn.Linear(4, 4)} end
  function Net:forward(x)
    for i = 1, 2 do x = lt.tanh(self.list[i](x)) + x end
    return x
  end
  return Net(), {3, 4}
end
further.ModuleDict = function()
  local Net = nn.Module:extend "Net"
  function Net:init() self.map = nn.ModuleDict {a = nn.Linear(4, 4), b = nn.Sigmoid()} end
  function Net:forward(x) return self.map.b(self.map.a(x)) * x end
  return Net(), {3, 4}
end
further.ParameterList = function()
  local Net = nn.Module:extend "Net"
  function Net:init() self.list = nn.ParameterList {nn.Parameter(lt.rand(4)), nn.Parameter(lt.rand(3, 1))} end
  function Net:forward(x) return x * self.list[1] + self.list[2] end
  return Net(), {3, 4}
end

-- Returns a step that draws an input for a network of this dtype, and calls backward and the optimiser.
local function training(make, rule, options, dtype)
  local model, shape = make()
  model:to(dtype)
  local optimizer = optim[rule](model:parameters(), options)
  local function step()
    optimizer:zero_grad()
    local loss = (model((lt.rand(shape) - 0.5):to(dtype)):square() * 0.5):mean()
    loss:backward()
    optimizer:step()
    return loss
  end
  return step, function() return {gradients_of(model:parameters()), model:state_dict(), optimizer:state_dict()} end
end

describe("compiled steps of further layers", function()
  for name, make in pairs(further) do
    layers_seen[name] = true
    it("such as " .. name, function() check(function() return training(make, "Adam", {lr = 0.01}, "float32") end) end)
  end

  it("are those of all layers", function()
    local none = {Module = true, Parameter = true}
    for line in io.lines "spec/data/public_surface.txt" do
      local name = line:match "^lt%.nn%.(%u%w*)"
      assert.truthy(not name or layers_seen[name] or none[name], name)
    end
  end)
end)

-- ---- whole networks -----------------------------------------------------------------------------

describe("compiled steps of a network", function()
  local Last = nn.Module:extend "Last"
  function Last:init(recurrent) self.recurrent = recurrent end
  function Last:forward(x) return (self.recurrent(x))[-1] end

  local networks = {
    ["of linear layers"] = function()
      return nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Dropout(0.3), nn.Linear(8, 3)), {4, 6}
    end,
    ["with batch norm"] = function()
      return nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 3)), {4, 6}
    end,
    ["of convolutions"] = function()
      return nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3)), {4, 1, 6, 6}
    end,
    ["with an LSTM"] = function() return nn.Sequential(Last(nn.LSTM(5, 4)), nn.Linear(4, 3)), {3, 4, 5} end,
    ["with attention"] = function()
      local layer = nn.TransformerEncoderLayer(4, 2, {dim_feedforward = 8, dropout = 0.2, activation = "gelu", norm_first = true})
      return nn.Sequential(Last(nn.TransformerEncoder(layer, 2)), nn.Linear(4, 3)), {3, 4, 4}
    end,
  }

  for name, make in pairs(networks) do
    it(name .. " classify, with a penalty of the parameters", function()
      check(function()
        local model, shape = make()
        local x, classes, list = lt.randn(shape), lt.tensor {1, 3, 2, 1}, model:parameters()
        local optimizer = optim.AdamW(list, {lr = 0.01})
        return function()
          optimizer:zero_grad()
          local loss = functional.cross_entropy(model(x), classes)
          for _, p in ipairs(list) do loss = loss + 0.002 * (p * p + p):mean() end
          loss:backward()
          optimizer:step()
          return loss
        end, function() return {model:state_dict(), gradients_of(list)} end
      end)
    end)
  end
end)

-- ---- optimisers ---------------------------------------------------------------------------------

local function options_of(text) return assert(load("return " .. text))() end

local function small_network() return nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)), {5, 4} end

describe("compiled steps of optimisers", function()
  local rules_seen = {}
  for _, row in ipairs(data.read("optim").optimisers) do
    local rule, text = row[1], row[2]
    rules_seen[rule] = true
    for _, dtype in ipairs(on_cpu and {"float32", "float64", "float16", "bfloat16"} or {"float32", "bfloat16"}) do
      drawn_it(("such as %s with %s in %s"):format(rule, text, dtype), function()
        check(function() return training(small_network, rule, options_of(text), dtype) end)
      end)
    end
  end

  it("are those of all optimisers", function()
    for line in io.lines "spec/data/public_surface.txt" do
      local name = line:match "^lt%.optim%.(%u%w*)"
      local other = {Optimizer = true, GradScaler = true, LBFGS = true, Sharded = true}
      assert.truthy(not name or rules_seen[name] or other[name], name)
    end
  end)

  for _, text in ipairs {"{max_iter = 4, lr = 0.5}", "{max_iter = 4, line_search_fn = 'strong_wolfe', history_size = 2}"} do
    it("such as LBFGS with " .. text, function()
      check_deferred(function()
        local model, shape = small_network()
        local x, optimizer = lt.rand(shape), optim.LBFGS(model:parameters(), options_of(text))
        return function()
          return optimizer:step(function()
            optimizer:zero_grad()
            local loss = (model(x) - 0.5):square():mean()
            loss:backward()
            return loss
          end)
        end, function() return {model:state_dict(), gradients_of(model:parameters())} end
      end)
    end)
  end

  it("such as Adam in Sharded, in one process", function()
    check(function()
      local model, shape = small_network()
      local optimizer = optim.Sharded(optim.Adam(model:parameters(), {lr = 0.01}))
      return function()
        optimizer:zero_grad()
        local loss = model(lt.rand(shape)):square():mean()
        loss:backward()
        optimizer:step()
        return loss
      end, function() return {model:state_dict(), optimizer:state_dict()} end
    end)
  end)

  it("may have groups, schedules, frozen parameters and gradients that are kept", function()
    check_deferred(function()
      local model, shape = small_network()
      local list = model:parameters()
      local optimizer = optim.AdamW {{params = {list[1], list[2]}, lr = 0.1}, {params = {list[3], list[4]}, weight_decay = 0.3}}
      local schedule, count = optim.scheduler.StepLR(optimizer, 1, {gamma = 0.5}), 0
      return function()
        count = count + 1
        optimizer:zero_grad {set_to_none = count % 2 == 0}
        list[2]:requires_grad_(count ~= 2)
        local loss = model(lt.rand(shape)):exp():sum()
        loss:backward()
        optimizer:step()
        schedule:step()
        return loss, list[1] * 2
      end, function() return {model:state_dict(), gradients_of(list), optimizer:state_dict()} end
    end)
  end)
end)

-- ---- scaling, clipping, and gradients of gradients ----------------------------------------------

describe("compiled steps", function()
  for _, size in ipairs {1, 1e30} do
    it(("scale losses by GradScaler, with losses of about %g"):format(size), function()
      check_deferred(function()
        local model, shape = small_network()
        local optimizer = optim.SGD(model:parameters(), {lr = 0.1, momentum = 0.9})
        local scaler = optim.GradScaler {init_scale = 2 ^ 15, growth_interval = 2}
        local call = 0
        return function()
          call = call + 1
          optimizer:zero_grad()
          local loss = nn.autocast(function()
            local y = model(lt.rand(shape))
            return functional.mse_loss(y, lt.zeros_like(y))
          end, {dtype = "float16"})
          if call == 2 then loss = loss * size end
          scaler:scale(loss):backward()
          scaler:unscale_(optimizer)
          local norm = nn.utils.clip_grad_norm_(model:parameters(), 0.25)
          scaler:step(optimizer)
          scaler:update()
          return loss, norm, scaler:get_scale()
        end, function() return {model:state_dict(), gradients_of(model:parameters())} end
      end)
    end)
  end

  for name, clip in pairs {
    ["the norm"] = function(list) return nn.utils.clip_grad_norm_(list, 0.1) end,
    ["the largest value"] = function(list) return nn.utils.clip_grad_norm_(list, 0.1, {norm_type = math.huge}) end,
    ["each value"] = function(list) nn.utils.clip_grad_value_(list, 0.01) end,
  } do
    it("clip gradients by " .. name, function()
      check(function()
        local model, shape = small_network()
        local list = model:parameters()
        local optimizer = optim.RMSprop(list, {lr = 0.01})
        return function()
          optimizer:zero_grad()
          model(lt.rand(shape)):square():sum():backward()
          local norm = clip(list)
          optimizer:step()
          return norm
        end, function() return {model:state_dict(), gradients_of(list)} end
      end)
    end)
  end

  it("differentiate gradients", function()
    check(function()
      local model, shape = small_network()
      local list = model:parameters()
      local optimizer = optim.SGD(list, {lr = 0.1})
      return function()
        optimizer:zero_grad()
        local x = (lt.rand(shape) * 2):requires_grad_()
        local slope = lt.autograd.grad(model(x):sum(), x, {create_graph = true})
        local penalty = (slope:square():sum(2):sqrt() - 1):square():mean()
        penalty:backward()
        optimizer:step()
        return penalty, slope, x.grad
      end, function() return {model:state_dict(), gradients_of(list)} end
    end)
  end)

  it("return their state to a file and from it", function()
    check_deferred(function()
      local model, shape = small_network()
      local optimizer = optim.Adam(model:parameters(), {lr = 0.1})
      return function()
        optimizer:zero_grad()
        model(lt.rand(shape)):square():sum():backward()
        optimizer:step()
        local path = os.tmpname()
        lt.save(path, {model = model:state_dict(), optimizer = optimizer:state_dict()})
        local saved = lt.load(path)
        os.remove(path)
        for _, p in ipairs(model:parameters()) do lt.no_grad(function() p:multiply_(0) end) end
        model:load_state_dict(saved.model)
        optimizer:load_state_dict(saved.optimizer)
        return model:parameters()[1] + 1
      end, function() return {model:state_dict(), optimizer:state_dict()} end
    end)
  end)
end)
