--- nn.parallel, training of one model by several processes or on several devices.

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local distributed = require "luatensor.distributed"
local engine = require "luatensor.autograd.engine"
local exchange = require "luatensor.distributed.exchange"
local lt = require "luatensor"
local names = require "luatensor.base.names"
local pack = require "luatensor.distributed.pack"
local Replicas = require "luatensor.nn.replicas"
local replays = require "luatensor.base.replays"

-- gradient(p) returns p.grad, but does not mark this tensor as seen by scripts, so that zero_grad can free it.
local gradient = core.autograd.gradient

local parallel = {}

local function fail(...) blame.fail("DataParallel", ...) end

-- ---- gradients ----

--- Averages the gradients of a model's parameters during backward. The methods begin, ready and finish are those of an
-- observer of backward passes (autograd/engine.lua). A bucket is a list of parameters whose gradients are summed
-- together. All processes start the sums of buckets in the same order, whatever the order of their gradients is.
local Averager = {made = 0}
Averager.__index = Averager

-- Starts to compare which parameters the processes train, because sums of different buckets return wrong gradients or
-- end the process. A group that reaches only GPUs compares nothing, because the host would wait for the GPU.
local function begin_comparison(self)
  local mask = 0
  for i, p in ipairs(self.parameters) do mask = (mask * 31 + (p.requires_grad and i or 0)) & 0xFFFFFFFFFF end
  local masks = core.tensor({mask, -mask}, {dtype = "int64", device = core.host_device})
  if core.distributed_native(self.group.handle, masks) then return nil end
  return exchange.begin(self.group, "all_max", masks, masks.shape, 0, true, true)
end

local function finish_comparison(self)
  local masks = exchange.finish(self.comparison, "all_max"):totable()
  self.comparison = nil
  if masks[1] == -masks[2] then return end
  self.running = false                                       -- all processes are here, so they are in step
  fail("the processes train different parameters: requires_grad differs")
end

function Averager:begin(run)
  self.buckets, self.bucket_of, self.started = {}, {}, 0
  if not self.enabled then return end
  if run.graph then fail("gradients with create_graph are not averaged; use model:no_sync()") end
  replays.refuse_exchange "DataParallel"
  if self.running then fail("an earlier backward pass failed in this process, so the processes may be out of step") end
  self.running = true
  local trained = {}
  for i = #self.parameters, 1, -1 do                         -- the last layers have their gradients first
    if self.parameters[i].requires_grad then trained[#trained + 1] = self.parameters[i] end
  end
  self.buckets = pack.divide(trained, self.bucket_bytes)
  for _, bucket in ipairs(self.buckets) do
    bucket.missing = #bucket
    for _, p in ipairs(bucket) do self.bucket_of[p] = bucket end
  end
  self.comparison = begin_comparison(self)
end

-- Starts the sum of the next bucket. After the gradients, the vector has a number for each parameter, which is not 0
-- in the sum if any process has a gradient.
local function start(self)
  if self.comparison then finish_comparison(self) end
  self.started = self.started + 1
  local bucket, parts, has, all = self.buckets[self.started], {}, {}, true
  for i, p in ipairs(bucket) do
    local g = gradient(p)
    if g and core.gone(g) then g = nil end
    parts[i], has[i], all = g or core.zeros_like(p), g and 1 or 0, all and g ~= nil
  end
  local options = {dtype = bucket[1].dtype, device = bucket[1].device}
  parts[#parts + 1] = all and core.ones({#has}, options) or lt.tensor(has, options)
  local vector = pack.join(parts):divide_(self.group:size())
  bucket.started = exchange.begin(self.group, "all_sum", vector, vector.shape, 0, true, true)
end

function Averager:ready(p)
  local bucket = self.bucket_of[p]
  if not bucket then return end
  bucket.missing = bucket.missing - 1
  if self.comparison then exchange.advance(self.comparison) end
  for i = 1, self.started do exchange.advance(self.buckets[i].started) end
  while self.started < #self.buckets and self.buckets[self.started + 1].missing == 0 do start(self) end
end

-- Gives zeros to the parameters of a bucket that have a gradient only in other processes, as a place for the mean.
local function add_missing(bucket)
  local has
  for i, p in ipairs(bucket) do
    if not gradient(p) then
      has = has or bucket.vector:narrow(1, bucket.vector.size - #bucket + 1, #bucket):totable()
      if has[i] > 0 then p.grad = core.zeros_like(p) end
    end
  end
end

function Averager:finish()
  local _ <close> = engine.recording(false)
  while self.started < #self.buckets do start(self) end
  for _, bucket in ipairs(self.buckets) do
    bucket.vector = exchange.finish(bucket.started, "all_sum")
    add_missing(bucket)
    pack.copy(bucket.vector, bucket, gradient)
  end
  if self.enabled then pack.broadcast(self.group, self.buffers, 0) end
  self.buckets, self.bucket_of, self.running = {}, {}, false
end

-- ---- random numbers ----

-- The difference between the seeds of two ranks: 2^64 divided by the golden ratio.
local SEED_STEP <const> = 0x9E3779B97F4A7C15

local stream = {__close = function(self)
  self.generator:set_state{seed = self.seed, offset = self.generator:state().offset}
end}

-- Makes the default generator draw the numbers of this rank, until the result is closed.
local function draw_as(rank)
  replays.refuse_exchange "DataParallel"
  local generator = lt.default_generator()
  local state = generator:state()
  generator:set_state{seed = state.seed + rank * SEED_STEP, offset = state.offset}
  return setmetatable({generator = generator, seed = state.seed}, stream)
end

-- ---- the model ----

-- Raises an error if the parameters of the group's models differ in their shapes or dtypes.
local function check_same(group, parameters)
  local sum = #parameters
  for _, p in ipairs(parameters) do
    local text = p.dtype .. args.shape_text(p.shape)
    for i = 1, #text do sum = (sum * 31 + text:byte(i)) & 0xFFFFFFFFFF end
  end
  local sums = group:all_gather(lt.tensor({sum}, {dtype = "int64", device = core.host_device})):reshape(-1):totable()
  for rank, other in ipairs(sums) do
    if other ~= sums[1] then fail("the model of rank %d has other parameters than the model of rank 0", rank - 1) end
  end
end

-- Returns the tensors of the model whose values are the same in all processes: parameters, then buffers. The third
-- result is the list of the float buffers, such as running means, which change in training.
local function tensors_of(model)
  local parameters, all, changing = model:parameters(), model:parameters(), {}
  for _, x in model:named_buffers() do
    all[#all + 1] = x
    if core.floats[x.dtype] then changing[#changing + 1] = x end
  end
  return parameters, all, changing
end

local function no_sync(averager, fn, ...)
  local before = averager.enabled
  averager.enabled = false
  local _ <close> = setmetatable({}, {__close = function() averager.enabled = before end})
  return fn(...)
end

local function watch(model, averager)
  for _, p in ipairs(averager.parameters) do
    if engine.observers[p] then fail("a parameter of the model belongs to a DataParallel model already") end
  end
  for _, p in ipairs(averager.parameters) do engine.observers[p] = averager end
  local forward, rank = model.forward, averager.group:rank()
  rawset(model, "forward", function(self, ...)
    if not self.training then return forward(self, ...) end
    local _ <close> = draw_as(rank)
    return forward(self, ...)
  end)
end

local known = {group = "group", bucket_bytes = {"count", default = 25 << 20}}

--- Makes the processes of a group train one model. Each process computes the gradients of its own batch, and backward
-- replaces them by their means over all processes. So all processes make the same step:
--
--     local model = nn.parallel.DataParallel(nn.Linear(64, 10))
--     local opt = optim.SGD(model:parameters(), {lr = 0.1})
--     for x, y in loader:batches() do                         -- each process has other samples
--       opt:zero_grad()
--       nn.functional.cross_entropy(model(x), y):backward()   -- the gradients are means over all processes
--       opt:step()
--     end
--
-- The call changes the model and returns it: its methods, names and state stay the same. All processes get the
-- parameters and buffers of rank 0 now, and its float buffers, such as running means, after each backward pass. Sums
-- of gradients begin while backward still computes. A parameter without gradient counts as a gradient of 0 unless no
-- process has one. In training, the default generator draws other numbers in each process while the model's forward
-- runs, but the same numbers elsewhere. `model:no_sync(fn, …)` calls fn(…), in which backward passes only add up
-- gradients; the next pass outside averages the whole sum. In a group of one process nothing of this happens.
-- @function nn.parallel.DataParallel
-- @tparam Module model with its parameters on their final devices
-- @tparam[opt] table options `group`: the processes (default: all processes, from distributed.init()); `bucket_bytes`
--   (25 MiB): the gradients of so many bytes are summed together
-- @treturn Module the model
-- @raise if the models of the processes have different parameters; if a parameter is in a DataParallel model already
function parallel.DataParallel(model, options)
  options = args.read("DataParallel", options, known)
  if core.type_name(model) ~= "module" then fail("module expected, got %s", core.type_name(model)) end
  local group = options.group or distributed.init()
  local averager = setmetatable({enabled = true, bucket_bytes = options.bucket_bytes}, Averager)
  rawset(model, "no_sync", function(_, fn, ...)
    blame.check_function("no_sync", fn)
    return no_sync(averager, fn, ...)
  end)
  if group:size() == 1 then return model end
  local all
  averager.parameters, all, averager.buffers = tensors_of(model)
  check_same(group, averager.parameters)
  pack.broadcast(group, all, 0)
  averager.group = group:split(0, group:rank())              -- apart from the script's own calls, and from other models
  Averager.made = Averager.made + 1
  averager.number = Averager.made                            -- the engine calls observers in this order
  watch(model, averager)
  return model
end

--- Makes a model for each of several devices of this process. Each of them computes the gradients of its part of the
-- samples, and `Replicas:backward` averages the gradients:
--
--     local replicas = nn.parallel.Replicas(function() return nn.Linear(64, 10) end, {"xla:0", "xla:1"})
--     local opt = optim.SGD(replicas:parameters(), {lr = 0.1})
--     for x, y in loader:batches() do
--       opt:zero_grad()
--       replicas:backward(function(model, inputs, classes)
--         return nn.functional.cross_entropy(model(inputs), classes)
--       end, x, y)
--       opt:step()
--     end
--
-- The result is a module, whose modules 1, 2, … are the models on the devices. All of them start with the numbers of
-- the first one, and stay the same, because equal steps follow equal gradients. Only buffers, such as running means,
-- differ: each model has those of its own samples. For evaluation and saving, use the first model, `replicas[1]`. Clip
-- the gradients of each model by itself, because the norm of all models' gradients is larger.
-- @function nn.parallel.Replicas
-- @tparam function make makes the model; it is called once for each device
-- @tparam {string,...} devices names of the devices, such as {"cuda:0", "cuda:1"}
-- @treturn Replicas
-- @raise if the function returns models with different parameters
function parallel.Replicas(make, devices) return Replicas(make, devices) end

return names.guard(parallel, "nn.parallel.")
