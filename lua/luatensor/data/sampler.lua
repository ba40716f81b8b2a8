--- data.DistributedSampler, which divides the samples of each epoch among processes.
-- @submodule luatensor.data

local args = require "luatensor.base.args"
local arity = require "luatensor.base.arity"
local check = require "luatensor.data.check"
local device_of = require "luatensor.data.device_of"
local distributed = require "luatensor.distributed"
local lt = require "luatensor"

local DistributedSampler = {class_name = "DistributedSampler", __name = "sampler"}
DistributedSampler.__index = DistributedSampler

local known = {group = "group", shuffle = {"boolean", default = true}, seed = {"integer", default = 0},
               drop_last = {"boolean", default = false}}

--- Divides the samples of a data set among the processes of a group. The order of an epoch depends only on the seed
-- and the epoch's number, and the processes take its samples in turn. So the batches that n processes see at one time
-- are together one batch of a single process with n times the batch size:
--
--     local group = distributed.init()
--     local sampler = data.DistributedSampler(train, {seed = 1})
--     local loader = data.Loader(train, {batch_size = 64 // group:size(), sampler = sampler})
--     for epoch = 1, 10 do
--       sampler:set_epoch(epoch)
--       for x, y in loader:batches() do … end
--     end
--
-- All processes get the same number of samples, because each batch needs all of them. `#sampler` is this number.
-- @function data.DistributedSampler
-- @tparam Dataset ds
-- @tparam[opt] table options `group`: the processes (default: all processes, from distributed.init()); `shuffle`
--   (true): a new order for each epoch; `seed` (0): the same in all processes; `drop_last` (false): leaves out the
--   samples that remain when all processes have the same number; otherwise the first samples of the epoch are
--   repeated
-- @treturn DistributedSampler
local function new(_, ds, options)
  local self = args.read("DistributedSampler", options, known)
  self.dataset, self.epoch = check("DistributedSampler", ds), 1
  local group = self.group or distributed.init()
  self.rank, self.processes = group:rank(), group:size()
  return setmetatable(self, DistributedSampler)
end

function DistributedSampler:__len()
  local n = self.dataset.size
  return (self.drop_last and n or n + self.processes - 1) // self.processes
end

function DistributedSampler:__tostring()
  return ("DistributedSampler: %d samples of %d for rank %d of %d"):format(#self, self.dataset.size, self.rank,
                                                                          self.processes)
end

--- Sets the number of the epoch, from which the order of the samples is drawn.
-- @int epoch from 0 on
function DistributedSampler:set_epoch(epoch) self.epoch = args.integer("set_epoch", "epoch", epoch, 0, 1 << 20) end

--- Returns the numbers of this process's samples in the order of the epoch.
-- @treturn tensor int64 [#sampler]
function DistributedSampler:indices()
  local n, device = self.dataset.size, device_of(self.dataset)
  local order = lt.arange(1, n + 1, {dtype = "int64", device = device})
  if n == 0 then return order end
  if self.shuffle then                     -- each epoch has 2^40 draws of the generator for itself
    local generator = lt.generator{seed = self.seed}
    generator:set_state{seed = self.seed, offset = self.epoch << 40}
    order = lt.permutation(n, {device = device, generator = generator})
  end
  local mine = lt.arange(0, #self, {dtype = "int64", device = device}) * self.processes + self.rank
  return order[mine % n + 1]
end

return {DistributedSampler = setmetatable(DistributedSampler, {
  __call = arity.method("DistributedSampler", new), __name = "class"})}
