--- data.Loader, which returns a data set in batches.
-- @submodule luatensor.data

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local arity = require "luatensor.base.arity"
local blame = require "luatensor.base.blame"
local check = require "luatensor.data.check"
local device_of = require "luatensor.data.device_of"
local engine = require "luatensor.autograd.engine"
local fetch = require "luatensor.data.fetch"
local workers = require "luatensor.data.workers"

local Loader = {class_name = "Loader", __name = "loader"}

-- Raises an error for ipairs and pairs. Without the error their loops would end at once, without any training.
local function refuse_loop()
  blame.fail("Loader", "its batches are not numbered: `for x, y in loader:batches() do`")
end

function Loader.__index(_, key)
  if math.type(key) == "integer" then refuse_loop() end
  return Loader[key]
end

function Loader.__pairs() refuse_loop() end

local known = {
  batch_size = {"integer", 1, default = 1}, shuffle = {"boolean", default = false}, generator = "generator",
  drop_last = {"boolean", default = false}, map = "callable", device = "device", sampler = true,
  workers = {"integer", 0, 1000}, interpreter = "string",
}

-- Raises an error unless the value can be option `sampler`.
local function check_sampler(sampler, shuffle)
  if type(sampler) ~= "table" or type(sampler.indices) ~= "function" then
    blame.fail("Loader", "sampler: sampler expected, got %s", core.type_name(sampler))
  elseif shuffle then
    blame.fail("Loader", "the order is the sampler's; give shuffle to the sampler")
  end
end

-- Returns the data set's description, which the first worker gives, in place of the data set.
local function describe(pool)
  local answer = pool:describe()
  local function refuse() blame.fail("Loader", "the data set is in the workers, not in this process") end
  return setmetatable({size = answer.size, get = refuse}, {__tostring = function() return answer.text end})
end

--- Makes a loader, which returns a data set in batches: `for x, y in data.Loader(ds, {batch_size = 64, shuffle =
-- true}):batches() do`. `#loader` is the number of batches.
--
-- With option `workers`, other processes fetch the batches, which come in the same order. Each process gets a copy of
-- ds, or calls ds if ds is a function that returns the data set. Upvalues of functions are copied, too. The loader
-- copies ds once, so workers do not see later changes. Globals of the script are missing in workers. Each batch has a
-- seed, from which its data set draws random numbers. So the batches are the same for any number of workers, including
-- 0.
--
-- A sampler is a table. Its method `indices` returns the numbers of the samples of an epoch as a tensor [n], and its
-- metamethod `__len` returns n.
-- @function data.Loader
-- @tparam Dataset|function ds a data set, or a function that returns one
-- @tparam[opt] table options `batch_size` (1); `shuffle` (false): draws a new order for each epoch; `generator`: for
--   these orders (default: the default generator); `drop_last` (false): leaves out a last batch that is smaller;
--   `sampler`: chooses the samples and their order, such as data.DistributedSampler;
--   `device`: the tensors of batches are moved to this device; `map`: a function that takes a batch on that device
--   and returns the values to use in place of the batch; `workers`: the number of processes that fetch batches while
--   the script works; `interpreter`: the Lua program that they run (default: the program that runs the script)
-- @treturn Loader which may be a `<close>` variable, with which the workers end; otherwise they end when the loader is
--   collected
-- @raise if the batch size is below 1, or ds is no data set, or if ds cannot be sent to a worker
local function new(_, ds, options)
  local self = args.read("Loader", options, known)
  local makes = type(ds) == "function"
  if makes and not self.workers then self.workers = 0 end
  if self.sampler ~= nil then check_sampler(self.sampler, self.shuffle) end
  if (self.workers or 0) > 0 then
    self.pool = workers(self.workers, makes and ds or check("Loader", ds), self.interpreter)
    if makes then ds = describe(self.pool) end
  elseif makes then
    ds = blame.call_script(ds)
  end
  self.dataset = check("Loader", ds)
  return setmetatable(self, Loader)
end

-- Ends the workers if the loader is a `<close>` variable. Otherwise they end when the loader is collected, or with the
-- process.
function Loader:__close() if self.pool then self.pool:close() end end

-- Returns the number of samples of an epoch, and the number of processes that share the sampler's epoch.
local function counts(self)
  if not self.sampler then return self.dataset.size, 1 end
  return #self.sampler, self.sampler.processes or 1
end

function Loader:__len()
  local n, size = counts(self), self.batch_size
  return self.drop_last and n // size or (n + size - 1) // size
end

function Loader:__tostring()
  return ("Loader: %d batches of %d from %s"):format(#self, self.batch_size, tostring(self.sampler or self.dataset))
end

-- ---- one epoch ----

-- Returns a random seed.
local function draw_seed(generator)
  return lt.randint(1, math.maxinteger, {1}, {device = core.host_device, generator = generator}):item()
end

-- Returns the state from which a generator draws the order of an epoch: the state of the loader's generator, or a new
-- state with a seed from the default generator. Returns the number of the epoch if the loader has a sampler, and an
-- empty table if the loader does not shuffle.
local function draw_start(self)
  if self.sampler then return {epoch = self.sampler.epoch} end
  if not self.shuffle then return {} end
  if self.generator then return self.generator:state() end
  return {seed = draw_seed(), offset = 0}
end

-- Returns the sampler's indices of an epoch.
local function order_of(sampler)
  local order = blame.call_script(sampler.indices, sampler)
  if not core.is_tensor(order) or order.ndim ~= 1 then
    blame.fail("Loader", "sampler: indices returned no tensor of shape [n]")
  elseif #order ~= #sampler then
    blame.fail("Loader", "sampler: indices returned %d samples, but #sampler is %d; the metamethod __len returns the "
               .. "number of samples of an epoch", #order, #sampler)
  end
  return order
end

-- Returns the numbers of all samples in the order of an epoch: the sampler's; or 1, 2, 3, … without option `shuffle`;
-- otherwise a random permutation, which a generator in state `start` draws. If `generator` is given, it is already in
-- this state.
local function draw_order(self, start, generator)
  if self.sampler then return order_of(self.sampler) end
  local n, device = self.dataset.size, device_of(self.dataset)
  if not self.shuffle then return lt.arange(1, n + 1, {dtype = "int64", device = device}) end
  return lt.permutation(n, {device = device, generator = generator or lt.generator{seed = 0}:set_state(start)})
end

-- Returns the state of the epoch that load_state_dict set, or of a new epoch, and the order of its samples.
local function begin(self)
  local epoch = self.resumed
  self.resumed = nil
  if epoch then return epoch, draw_order(self, epoch) end
  epoch = draw_start(self)
  epoch.position = 0
  local order = draw_order(self, epoch, self.generator)
  if self.workers then epoch.batch_seed = draw_seed(self.generator) end
  return epoch, order
end

local function move(device, value, ...)
  if core.is_tensor(value) then value = value:to(device) end
  if select("#", ...) == 0 then return value end
  return value, move(device, ...)
end

-- Returns the values with all tensors on the loader's device, copied without recording.
local function moved(self, ...)
  if not self.device then return ... end
  return engine.record(false, move, self.device, ...)
end

-- Returns the values of a batch for the loop, and notes that the loop has had the samples up to `position`.
local function deliver(self, epoch, position, ...)
  epoch.position = position
  if not self.map then return moved(self, ...) end
  return fetch.check("map", blame.call_script(self.map, moved(self, ...)))
end

--- Starts an epoch: returns an iterator of batches, each with the values that the data set returns for its samples.
-- With `shuffle`, one permutation is drawn at the start from the loader's generator. Without a generator, the loader
-- draws a seed from the default generator instead. Loops may end early, and may be nested.
-- @treturn function an iterator
function Loader:batches()
  local ds, size = self.dataset, self.batch_size
  local epoch, order = begin(self)
  local last, processes = counts(self)
  local rank = self.sampler and self.sampler.rank or 0
  if self.drop_last then last = last // size * size end
  self.epoch = epoch
  -- Returns the request for the batch after the first `at` samples: their indices, and the seed of the batch.
  local function request(at)
    local seed = epoch.batch_seed and epoch.batch_seed + at * processes + rank
    return {indices = order:narrow(1, at + 1, math.min(size, last - at)), seed = seed}
  end
  local team = self.pool and self.pool:team((last + size - 1) // size, function()
    local ahead = epoch.position - size
    return function()
      ahead = ahead + size
      return ahead < last and request(ahead) or nil
    end
  end)
  local function next_batch()
    local at = epoch.position
    if at >= last then
      if self.epoch == epoch then self.epoch = nil end
      if team then team:close() end
      return nil
    end
    local after = math.min(at + size, last)
    if team then return deliver(self, epoch, after, team:next()) end
    local wanted = request(at)
    return deliver(self, epoch, after, fetch.batch(ds, wanted.indices, wanted.seed, blame.call_script))
  end
  if team then return next_batch, nil, nil, team end
  return next_batch
end

--- Raises an error for a call of the loader, as in `for x, y in loader do`. The error names the method `batches`.
function Loader.__call()
  blame.fail("Loader", "is not called: `for x, y in loader:batches() do`")
end

-- ---- state ----

--- Returns the position of the last loop over batches, for lt.save: after loading, a run continues with the next
-- batch. The loader's generator has a state of its own, which must be saved, too. With a data.DistributedSampler the
-- state of one process serves any number of processes.
-- @treturn table `position`, the number of samples that all processes have had; with shuffle `seed` and `offset`; with
--   a sampler `epoch`; with workers `batch_seed`; empty between two epochs
function Loader:state_dict()
  local state, _, processes = {}, counts(self)
  for name, value in pairs(self.epoch or {}) do state[name] = name == "position" and value * processes or value end
  return state
end

--- Makes the next call of `batches` continue at the position in the epoch that the state contains.
-- @tab state a result of state_dict
-- @raise if the state is no result of state_dict, or if its position is beyond the samples of the data set
function Loader:load_state_dict(state)
  if type(state) ~= "table" then blame.fail("load_state_dict", "table expected, got %s", core.type_name(state)) end
  self.epoch, self.resumed = nil, nil
  if next(state) == nil then return end
  local size, processes = counts(self)
  local position = args.integer("load_state_dict", "position", state.position, 0, size * processes)
  local resumed = {position = position // processes}
  if self.sampler and state.epoch ~= nil then
    resumed.epoch = args.integer("load_state_dict", "epoch", state.epoch)
    self.sampler:set_epoch(resumed.epoch)
  end
  if self.shuffle then
    resumed.seed = args.integer("load_state_dict", "seed", state.seed)
    resumed.offset = args.integer("load_state_dict", "offset", state.offset, 0)
  end
  if self.workers then resumed.batch_seed = args.integer("load_state_dict", "batch_seed", state.batch_seed) end
  self.epoch, self.resumed = resumed, resumed
end

return {Loader = setmetatable(Loader, {__call = arity.method("Loader", new), __name = "class"})}
