--- data.Loader, which returns a data set in batches.
-- @submodule luatensor.data

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local arity = require "luatensor.base.arity"
local blame = require "luatensor.base.blame"
local check = require "luatensor.data.check"
local engine = require "luatensor.autograd.engine"

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
}

-- Raises an error unless the value can be option `sampler`.
local function check_sampler(sampler, shuffle)
  if type(sampler) ~= "table" or type(sampler.indices) ~= "function" then
    blame.fail("Loader", "sampler: sampler expected, got %s", core.type_name(sampler))
  elseif shuffle then
    blame.fail("Loader", "the order is the sampler's; give shuffle to the sampler")
  end
end

--- Makes a loader, which returns a data set in batches: `for x, y in data.Loader(ds, {batch_size = 64, shuffle =
-- true}):batches() do`. `#loader` is the number of batches.
-- @function data.Loader
-- @tparam Dataset ds
-- @tparam[opt] table options `batch_size` (1); `shuffle` (false): draws a new order for each epoch; `generator`: for
--   these orders (default: the default generator); `drop_last` (false): leaves out a last batch that is smaller;
--   `sampler`: chooses the samples and their order, such as data.DistributedSampler;
--   `device`: the tensors of batches are moved to this device; `map`: a function that takes a batch on that device
--   and returns the values to use in place of the batch
-- @treturn Loader
-- @raise if the batch size is below 1, or ds is no data set
local function new(_, ds, options)
  local self = args.read("Loader", options, known)
  self.dataset = check("Loader", ds)
  if self.sampler ~= nil then check_sampler(self.sampler, self.shuffle) end
  return setmetatable(self, Loader)
end

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

-- Returns the state from which a generator draws the order of an epoch: the state of the loader's generator, or a new
-- state with a seed from the default generator. Returns the number of the epoch if the loader has a sampler, and an
-- empty table if the loader does not shuffle.
local function draw_start(self)
  if self.sampler then return {epoch = self.sampler.epoch} end
  if not self.shuffle then return {} end
  if self.generator then return self.generator:state() end
  return {seed = lt.randint(1, math.maxinteger, {1}, {device = core.host_device}):item(), offset = 0}
end

-- Returns the numbers of all samples in the order of an epoch: the sampler's; or 1, 2, 3, … without option `shuffle`;
-- otherwise a random permutation, which a generator in state `start` draws. If `generator` is given, it is already in
-- this state.
local function draw_order(self, start, generator)
  if self.sampler then return self.sampler:indices() end
  local n, device = self.dataset.size, self.dataset.device or core.host_device
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
  return epoch, draw_order(self, epoch, self.generator)
end

local function move(device, value, ...)
  if core.is_tensor(value) then value = value:to(device) end
  if select("#", ...) == 0 then return value end
  return value, move(device, ...)
end

-- Returns the values of a batch. Raises an error if the first value is nil, because nil would end the loop over
-- batches. `who` names the function that returned the batch.
local function check_batch(who, value, ...)
  if value == nil then blame.fail("Loader", "%s gave nothing for a batch", who) end
  return value, ...
end

-- Returns a batch, fetched without recording, because no gradient flows back into a data set.
local function fetch(ds, device, indices)
  local _ <close> = engine.recording(false)
  if device then return move(device, check_batch("the data set", blame.call_script(ds.get, ds, indices))) end
  return check_batch("the data set", blame.call_script(ds.get, ds, indices))
end

--- Starts an epoch: returns an iterator of batches, each with the values that the data set returns for its samples.
-- With `shuffle`, one permutation is drawn at the start from the loader's generator. Without a generator, the loader
-- draws a seed from the default generator instead. Loops may end early, and may be nested.
-- @treturn function an iterator
function Loader:batches()
  local ds, size, device, map = self.dataset, self.batch_size, self.device, self.map
  local epoch, order = begin(self)
  local last = counts(self)
  if self.drop_last then last = last // size * size end
  self.epoch = epoch
  return function()
    local at = epoch.position
    if at >= last then
      if self.epoch == epoch then self.epoch = nil end
      return nil
    end
    local n = last - at < size and last - at or size
    epoch.position = at + n
    if map then return check_batch("map", blame.call_script(map, fetch(ds, device, order:narrow(1, at + 1, n)))) end
    return fetch(ds, device, order:narrow(1, at + 1, n))
  end
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
--   a sampler `epoch`; empty between two epochs
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
  self.epoch, self.resumed = resumed, resumed
end

return {Loader = setmetatable(Loader, {__call = arity.method("Loader", new), __name = "class"})}
