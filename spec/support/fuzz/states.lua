--- Makes objects that take a state, such as networks, optimisers and schedulers, for the target `state`. Converts
-- states from and to JSON. In JSON, {"shape": [2], "dtype": "float32"} stands for a tensor of this shape and dtype,
-- null for NaN and "inf" for infinity.
local lt = require "luatensor"
local json = require "luatensor.io.json"
local nn, optim, data = require "luatensor.nn", require "luatensor.optim", require "luatensor.data"

local states = {}

local function parameters()
  local list = {lt.ones(2), lt.ones(2, 2)}
  for _, p in ipairs(list) do
    p:requires_grad_()
    p.grad = p:detach():clone()
  end
  return list
end

-- Returns an optimiser after one step, so that it has a state.
local function optimizer(name, options)
  return function()
    local list = parameters()
    local o = optim[name](list, options or {lr = 0.1})
    local function loss() return list[1]:sum() end
    local function step() o:step(name == "LBFGS" and loss or nil) end
    step()
    return o, step
  end
end

local function scheduler(name, ...)
  local arguments = table.pack(...)
  return function()
    local s = optim.scheduler[name](optim.SGD(parameters(), {lr = 0.1}), table.unpack(arguments))
    return s, function() s:step(name == "ReduceLROnPlateau" and 1 or nil) end
  end
end

local function network()
  local net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.LayerNorm(2))
  return net, function() net:forward(lt.ones(3, 2)) end
end

local function loader()
  local l = data.Loader(data.TensorDataset(lt.arange(0, 5)), {batch_size = 2, shuffle = true})
  return l, function()
    local next_batch = l:batches()
    next_batch()
  end
end

-- Returns an object that wraps a generator of random numbers. The object has the methods load_state_dict and
-- state_dict, like all other objects here; lt.generator has set_state and state instead. Also returns a function that
-- uses the generator.
local function generator()
  local g = lt.generator {seed = 1}
  return {load_state_dict = function(_, state) g:set_state(state) end, state_dict = function() return g:state() end},
         function() lt.rand(2, {generator = g}) end
end

local function scaler()
  local s = optim.GradScaler()
  return s, function()
    local p = lt.ones(2):requires_grad_()
    s:scale(p:sum()):backward()
    s:step(optim.SGD({p}, {lr = 0.1}))
    s:update()
  end
end

--- A list of functions. Each returns an object that loads states, and a function that uses the object afterwards.
states.makers = {
  network, generator, scaler, loader, optimizer "SGD", optimizer "Adam", optimizer "RMSprop", optimizer("LBFGS", {max_iter = 2, history_size = 2}),
  scheduler("StepLR", 2), scheduler("CosineAnnealingLR", 4), scheduler "ReduceLROnPlateau",
  scheduler("OneCycleLR", 1, {total_steps = 8}),
}

-- Converts a decoded JSON value to a value of a state.
local function restore(value)
  if value == "inf" then return math.huge end
  if type(value) ~= "table" then return value end
  if value == json.null then return 0 / 0 end
  if type(value.dtype) == "string" and type(value.shape) == "table" then
    local ok, x = pcall(lt.ones, value.shape, {dtype = value.dtype})
    return ok and x.size <= 64 and x or 1
  end
  local copy = {}
  for key, item in pairs(value) do copy[math.tointeger(tonumber(key)) or key] = restore(item) end
  return copy
end

--- Returns the state in a JSON text, or nil if the text is no JSON.
function states.read(text)
  local value = json.decode(text)
  return value ~= nil and restore(value) or nil
end

--- Returns the JSON text of a state. Seeds of the corpus are made with this function.
function states.write(value)
  if lt.is_tensor(value) then return ('{"shape":%s,"dtype":"%s"}'):format(states.write(value.shape), value.dtype) end
  if value == math.huge then return '"inf"' end
  if type(value) ~= "table" then return type(value) == "string" and json.quote(value) or tostring(value) end
  local parts = {}
  for _, item in ipairs(value) do parts[#parts + 1] = states.write(item) end
  if #parts > 0 then return "[" .. table.concat(parts, ",") .. "]" end
  for key, item in pairs(value) do parts[#parts + 1] = json.quote(tostring(key)) .. ":" .. states.write(item) end
  return "{" .. table.concat(parts, ",") .. "}"
end

return states
