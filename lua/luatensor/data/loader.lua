--- Batches of a data set.

local args = require "luatensor.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local blame = require "luatensor.autograd.blame"
local dataset = require "luatensor.data.dataset"

local Loader = {class_name = "Loader"}
Loader.__index = Loader

local known = {batch_size = true, shuffle = true, generator = true, drop_last = true, map = true, device = true}

local function check_flag(options, name)
  local flag = options[name]
  if flag ~= nil and type(flag) ~= "boolean" then
    blame.fail("Loader", "%s: true or false expected, got %s", name, type(flag))
  end
  return flag or false
end

local generator_class = debug.getmetatable(core.default_generator())

local function is_generator(value) return debug.getmetatable(value) == generator_class end

--- Gives a data set in batches: `for x, y in data.Loader(ds, {batch_size = 64, shuffle = true}):batches() do`.
-- `#loader` is the number of batches.
-- @function Loader
-- @tparam Dataset ds
-- @tparam[opt] table options `batch_size` (1); `shuffle` (false): another order each time; `generator` of the orders
-- (default: the default generator); `drop_last` (false): no last batch that is smaller; `device`: where the batches'
-- tensors go; `map`: a function of what the data set gives for a batch, on that device, whose results are given instead
-- @treturn Loader
-- @raise a batch size below 1; no data set
local function new(_, ds, options)
  options = blame.call(args.options, "Loader", options, known)
  local self = {dataset = dataset.is_dataset("Loader", ds), generator = options.generator, map = options.map}
  self.batch_size = blame.call(args.integer, "Loader", "batch_size", options.batch_size or 1, 1)
  self.shuffle, self.drop_last = check_flag(options, "shuffle"), check_flag(options, "drop_last")
  if self.map ~= nil then blame.check_function("Loader", self.map) end
  if options.device then self.device = blame.call(core.device, options.device) end
  if self.generator ~= nil and not is_generator(self.generator) then
    blame.fail("Loader", "generator: generator expected, got %s", type(self.generator))
  end
  return setmetatable(self, Loader)
end

function Loader:__len()
  local n, size = self.dataset.size, self.batch_size
  return self.drop_last and n // size or (n + size - 1) // size
end

function Loader:__tostring()
  return ("Loader: %d batches of %d from %s"):format(#self, self.batch_size, tostring(self.dataset))
end

-- The numbers of all samples, in the order of one epoch.
local function draw_order(self)
  local n, device = self.dataset.size, self.dataset.device or "cpu"
  if not self.shuffle then return lt.arange(1, n + 1, {dtype = "int64", device = device}) end
  return lt.permutation(n, {device = device, generator = self.generator})
end

local function move(device, value, ...)
  if core.is_tensor(value) then value = value:to(device) end
  if select("#", ...) == 0 then return value end
  return value, move(device, ...)
end

-- A batch without a first value would end the loop.
local function check_batch(who, value, ...)
  if value == nil then blame.fail("Loader", "%s gave nothing for a batch", who) end
  return value, ...
end

local function on_its_way(self)
  local device, map = self.device, self.map
  if device and map then
    return function(...) return check_batch("map", map(move(device, check_batch("the data set", ...)))) end
  elseif map then
    return function(...) return check_batch("map", map(check_batch("the data set", ...))) end
  elseif device then
    return function(...) return move(device, check_batch("the data set", ...)) end
  end
  return function(...) return check_batch("the data set", ...) end
end

--- One epoch: an iterator of batches, each what the data set gives for its samples. The order is drawn at once: with
-- `shuffle` one permutation from the generator, which goes on from there in the next epoch. Loops may be left early and
-- stand within each other.
-- @treturn function an iterator
function Loader:batches()
  local ds, size, at = self.dataset, self.batch_size, 1
  local last = self.drop_last and ds.size // size * size or ds.size
  local order, pass = draw_order(self), on_its_way(self)
  return function()
    if at > last then return nil end
    local n = at + size - 1 > last and last - at + 1 or size
    local indices = order:narrow(1, at, n)
    at = at + n
    return pass(ds:get(indices))
  end
end

return {Loader = setmetatable(Loader, {__call = new})}
