--- lt.distributed: exchanges tensors between the processes of a job, on one machine or on many.
--
--     local distributed = require "luatensor.distributed"
--
--     distributed.init()
--     local mean = distributed.all_sum(x) / distributed.size()
--
-- A function that takes a group is also a method of groups: `group:all_sum(x)`. All processes of the group must call
-- the function, in the same order and with tensors of the same shape and dtype.
-- @module luatensor.distributed

require "luatensor.base.requirements"
local args = require "luatensor.base.args"
local core = require "luatensor.core"
local devices = require "luatensor.distributed.devices"
local groups = require "luatensor.distributed.group"

local distributed = {}

-- The group of all processes, and the rank of this process among the processes of this machine.
local world, local_rank

-- Divides the processors of the machine among its processes. Nothing changes if the launcher has bound the processes to
-- processors of their own, or if the user has set a number of threads.
local function divide_threads(processes, processors)
  local threads = core.get_num_threads()
  if os.getenv "OMP_NUM_THREADS" or threads * processes <= processors then return end
  core.set_num_threads(math.max(1, processors // processes))
end

local known = {backend = {"choice", "any", "mpi", "nccl", default = "any"}, check = "boolean"}

--- Connects the processes that a launcher such as `mpirun` has started. Further calls return the same group. The other
-- functions call `init` if the script has not. The processes of a machine divide its processors among each other,
-- unless `OMP_NUM_THREADS` is set.
-- @function distributed.init
-- @tparam[opt] table options `backend` ("any"): the engine. "mpi": Open MPI or MPICH. "nccl": NVIDIA's NCCL or
--   AMD's RCCL. "any": MPI, with NCCL for tensors of GPUs, if MPI started the processes; NCCL if the variables RANK and
--   WORLD_SIZE are set; otherwise a group of one process; `check`: the checking mode, in which the processes
--   first compare the function, dtype and shape of each call, and raise an error if these differ (default: true if
--   LUATENSOR_DISTRIBUTED_CHECK is 1)
-- @treturn Group the group of all processes
-- @raise if the engine is not found or connects other processes than the launcher started
function distributed.init(options)
  local read = args.read("init", options, known)
  local backend = read.backend
  if backend == "any" then backend = nil end
  local handle, rank, size, place, processes, processors = core.distributed_start(backend)
  if not world then
    world, local_rank = groups.new(handle, rank, size, size > 1, os.getenv "LUATENSOR_DISTRIBUTED_CHECK" == "1"), place
    divide_threads(processes, processors)
  end
  if read.check ~= nil then world.checked = read.check end
  return world
end

-- Returns the group of all processes.
local function all() return world or distributed.init() end

--- Returns the number of this process among all processes, from 0.
-- @function distributed.rank
-- @treturn integer
function distributed.rank() return all():rank() end

--- Returns the number of all processes.
-- @function distributed.size
-- @treturn integer
function distributed.size() return all():size() end

--- Returns the device of this process: the processes of a machine share its GPUs by turns.
-- @function distributed.device
-- @treturn string such as "cuda:1"; "cpu" if this machine has no GPU
function distributed.device()
  local names = {}
  all()
  for _, device in ipairs(core.devices()) do
    if device.kind == "gpu" then names[#names + 1] = device.device end
  end
  return names[local_rank % math.max(#names, 1) + 1] or core.host_device
end

--- Adds the tensors of all processes. Half floats are added in float32 and rounded once; on GPUs, NCCL rounds each
-- addition. The sum of bools is true if one of them is true. Differentiable.
-- @function distributed.all_sum
-- @tparam tensor x
-- @tparam[opt] table options `group` (all processes); `out`: tensor for the result, which may be x
-- @treturn tensor of x's shape, dtype and device

--- Returns the largest elements of the tensors of all processes. Differentiable.
-- @function distributed.all_max
-- @tparam tensor x of a real dtype. The result for nan is unspecified
-- @tparam[opt] table options `group` (all processes); `out`: tensor for the result, which may be x
-- @treturn tensor of x's shape, dtype and device

--- Joins the tensors of all processes along dim 1, in the order of the ranks. 0-d tensors become a 1-d tensor.
-- Differentiable.
-- @function distributed.all_gather
-- @tparam tensor x
-- @tparam[opt] table options `group` (all processes); `out`: tensor for the result
-- @treturn tensor of x's dtype and device

--- Adds the tensors of all processes, and divides the sum along dim 1 into as many parts as there are processes. Each
-- process gets the part of its rank. Differentiable.
-- @function distributed.reduce_scatter
-- @tparam tensor x
-- @tparam[opt] table options `group` (all processes); `out`: tensor for the result
-- @treturn tensor of x's dtype and device
-- @raise if dim 1 cannot be divided

--- Returns the tensor of one process in all processes. Differentiable.
-- @function distributed.broadcast
-- @tparam tensor x the tensor of the root. Other processes give a tensor of the same shape and dtype
-- @tparam[opt] table options `group` (all processes); `root` (0): rank of the process whose x is returned; `out`:
--   tensor for the result, which may be x
-- @treturn tensor of x's shape, dtype and device

for _, name in ipairs {"all_sum", "all_max", "all_gather", "reduce_scatter", "broadcast"} do
  local method = groups.Group[name]
  distributed[name] = function(x, options) return method(all(), x, options) end
end

--- Sends a tensor to another process, which must call `recv`.
-- @function distributed.send
-- @tparam tensor x
-- @tparam integer rank of the receiver
-- @tparam[opt] table options `group` (all processes)
function distributed.send(x, rank, options) all():send(x, rank, options) end

--- Receives a tensor from another process, which must call `send`.
-- @function distributed.recv
-- @tparam tensor like a tensor of the shape and dtype of the tensor that is sent
-- @tparam integer rank of the sender
-- @tparam[opt] table options `group` (all processes); `out`: tensor for the result
-- @treturn tensor of the shape, dtype and device of the given tensor
function distributed.recv(like, rank, options) return all():recv(like, rank, options) end

--- Waits until all processes call this function.
-- @function distributed.barrier
-- @tparam[opt] table options `group` (all processes)
function distributed.barrier(options) all():barrier(options) end

--- Adds tensors of several devices of this process. On devices of one plugin of PJRT, the sum becomes a part of the
-- program that computes the tensors, if all devices have the same operations queued. Elsewhere the tensors are copied.
-- Half floats are added in float32 and rounded once. The sum of bools is true if one of them is true.
--
--     distributed.all_sum_devices{a, b}                 -- a and b are on two devices; so are the two sums
--     distributed.all_sum_devices{{a1, a2}, {b1, b2}}   -- a1 + b1 and a2 + b2 on both devices
-- @function distributed.all_sum_devices
-- @tparam table tensors a list with a tensor, or a list of tensors, for each device. Dtypes and shapes are the same on
--   all devices
-- @treturn table new tensors on the same devices, in lists like the given ones
-- @raise if the dtypes or shapes differ between devices; if a tensor requires gradients outside of lt.no_grad
distributed.all_sum_devices = devices.all_sum

-- Errors name the line of the script.
for name, f in pairs(distributed) do distributed[name] = core.composition(name, f) end

return distributed
