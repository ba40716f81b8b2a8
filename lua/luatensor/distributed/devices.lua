--- Sums of tensors over several devices of this process.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local engine = require "luatensor.autograd.engine"
local replays = require "luatensor.base.replays"

local NAME <const> = "all_sum_devices"

local devices = {}

local function describe(x) return ("%s %s"):format(x.dtype, args.shape_text(x.shape)) end

-- Raises an error unless x, tensor i of device k, is like `first`, tensor i of device 1, and on the device `device`.
local function check_tensor(x, i, k, first, device)
  args.tensor(NAME, i, x)
  if core.autograd.mode() and x.requires_grad then
    args.fail(NAME, "gradients do not pass to other devices; use x:detach()")
  end
  if x.dtype ~= first.dtype or args.shape_text(x.shape) ~= args.shape_text(first.shape) then
    args.fail(NAME, "tensor %d of device %d is %s, that of device 1 is %s", i, k, describe(x), describe(first))
  end
  if x.device ~= device then args.fail(NAME, "the tensors of device %d are on %s and %s", k, device, x.device) end
end

local function check(lists)
  for k = 1, #lists do               -- not ipairs, which would end at a hole
    local list = lists[k]
    if core.type_name(list) ~= "table" then
      args.fail(NAME, "device %d: list of tensors expected, got %s", k, core.type_name(list))
    end
    if #list ~= #lists[1] then
      args.fail(NAME, "the number of tensors is %d on device %d and %d on device 1", #list, k, #lists[1])
    end
    for i = 1, #list do check_tensor(list[i], i, k, lists[1][i], core.is_tensor(list[1]) and list[1].device) end
  end
end

-- True if all tensors are on different devices of one kind.
local function are_of_one_kind(lists)
  local seen, kind = {}, lists[1][1].device:match "^[^:]*"
  for _, list in ipairs(lists) do
    local device = list[1].device
    if seen[device] or device:match "^[^:]*" ~= kind then return false end
    seen[device] = true
  end
  return true
end

-- Adds tensors of one kind of devices in one call. Returns the lists of sums, or false if the devices cannot do that.
local function add_together(lists)
  local from, to, sums = {}, {}, {}
  for k, list in ipairs(lists) do
    sums[k] = {}
    for i, x in ipairs(list) do
      sums[k][i] = core.empty(x.shape, {dtype = x.dtype, device = x.device})
      if x.size > 0 then from[#from + 1], to[#to + 1] = x:contiguous(), sums[k][i] end
    end
  end
  return (#from == 0 or core.distributed_sum(from, to, #lists)) and sums
end

-- Adds the tensors i of all lists on the first device. Half floats are added in float32.
local function add_on_first(lists, i)
  local first = lists[1][i]
  local sum = core.floats[first.dtype] and first.dtype:find "16$" and first:to "float32" or first
  for k = 2, #lists do
    local x = lists[k][i]:to(first.device)
    if first.dtype == "bool" then sum = sum:logical_or(x) else sum = sum + x end
  end
  return sum:to(first.dtype)
end

local function add_copies(lists)
  local sums = {}
  for k in ipairs(lists) do sums[k] = {} end
  for i in ipairs(lists[1]) do
    local sum = add_on_first(lists, i)
    for k, list in ipairs(lists) do sums[k][i] = sum:to(list[i].device, {copy = true}) end
  end
  return sums
end

--- Adds the tensors of several devices. The function distributed.all_sum_devices of the library.
function devices.all_sum(tensors)
  local kind = core.type_name(tensors)
  if kind ~= "table" or #tensors == 0 then
    args.fail(NAME, "list of tensors expected, got %s", kind == "table" and "an empty list" or kind)
  end
  local single, lists = core.is_tensor(tensors[1]), tensors
  if single then
    lists = {}
    for k = 1, #tensors do
      args.tensor(NAME, k, tensors[k])
      lists[k] = {tensors[k]}
    end
  end
  check(lists)
  replays.refuse(NAME .. " adds tensors of several devices")
  local _ <close> = engine.recording(false)
  local sums = #lists[1] > 0 and are_of_one_kind(lists) and add_together(lists) or add_copies(lists)
  if single then for k, list in ipairs(sums) do sums[k] = list[1] end end
  return sums
end

return devices
