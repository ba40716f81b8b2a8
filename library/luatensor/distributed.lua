---@meta luatensor.distributed
-- Made by `make annotations` from the sources' comments and the op table. Do not edit.

---@class luatensor.Group
local Group = {}

---Returns the number of this process in the group.
---```lua
---local part = distributed.init():split(0)
---part:rank()  --> 0
---part:size()  --> 1
---```
---@return integer # from 0
function Group:rank() end

---Returns the number of processes in the group.
---```lua
---local part = distributed.init():split(0)
---part:rank()  --> 0
---part:size()  --> 1
---```
---@return integer #
function Group:size() end

---Divides the group. All processes of the group must call this function. Those that give the same colour form a new
---group.
---```lua
---local part = distributed.init():split(0)
---part:rank()  --> 0
---part:size()  --> 1
---```
---@param colour any from 0 on; nil: the process belongs to no new group
---@param key? integer the ranks in the new group have the order of the keys (default: the rank in this group)
---@return any #
function Group:split(colour, key) end

---@class luatensor.distributed
local distributed = {}

---Connects the processes that a launcher such as `mpirun` has started. Further calls return the same group. The other
---functions call `init` if the script has not. The processes of a machine divide its processors among each other,
---unless `OMP_NUM_THREADS` is set.
---Errors: if the engine is not found or connects other processes than the launcher started.
---```lua
---local group = distributed.init()
---distributed.rank()  --> 0
---distributed.size()  --> 1
---```
---@param options? luatensor.distributed.init.options
---@return luatensor.Group # the group of all processes
function distributed.init(options) end

---Returns the number of this process among all processes, from 0.
---```lua
---local group = distributed.init()
---distributed.rank()  --> 0
---distributed.size()  --> 1
---```
---@return integer #
function distributed.rank() end

---Returns the number of all processes.
---```lua
---local group = distributed.init()
---distributed.rank()  --> 0
---distributed.size()  --> 1
---```
---@return integer #
function distributed.size() end

---Returns the device of this process: the processes of a machine share its GPUs by turns.
---```lua
---local x = lt.ones(3, {device = distributed.device()})
---```
---@return string # such as "cuda:1"; "cpu" if this machine has no GPU
function distributed.device() end

---Adds the tensors of all processes. Half floats are added in float32 and rounded once; on GPUs, NCCL rounds each
---addition. The sum of bools is true if one of them is true. Differentiable.
---```lua
---distributed.all_sum(lt.tensor{1.0, 2.0})  --> [1.0, 2.0]
---distributed.all_max(lt.tensor{1.0, 2.0})  --> [1.0, 2.0]
---distributed.broadcast(lt.tensor{1.0, 2.0})  --> [1.0, 2.0]
---```
---@param x luatensor.Tensor
---@param options? luatensor.options.group_out
---@return luatensor.Tensor # of x's shape, dtype and device
function distributed.all_sum(x, options) end

---Returns the largest elements of the tensors of all processes. Differentiable.
---```lua
---distributed.all_sum(lt.tensor{1.0, 2.0})  --> [1.0, 2.0]
---distributed.all_max(lt.tensor{1.0, 2.0})  --> [1.0, 2.0]
---distributed.broadcast(lt.tensor{1.0, 2.0})  --> [1.0, 2.0]
---```
---@param x luatensor.Tensor of a real dtype. The result for nan is unspecified
---@param options? luatensor.options.group_out
---@return luatensor.Tensor # of x's shape, dtype and device
function distributed.all_max(x, options) end

---Joins the tensors of all processes along dim 1, in the order of the ranks. 0-d tensors become a 1-d tensor.
---Differentiable.
---```lua
---distributed.all_gather(lt.ones(2, 3)).shape  --> [2, 3]
---distributed.reduce_scatter(lt.ones(2, 3)).shape  --> [2, 3]
---```
---@param x luatensor.Tensor
---@param options? luatensor.distributed.all_gather.options
---@return luatensor.Tensor # of x's dtype and device
function distributed.all_gather(x, options) end

---Adds the tensors of all processes, and divides the sum along dim 1 into as many parts as there are processes. Each
---process gets the part of its rank. Differentiable.
---Errors: if dim 1 cannot be divided.
---```lua
---distributed.all_gather(lt.ones(2, 3)).shape  --> [2, 3]
---distributed.reduce_scatter(lt.ones(2, 3)).shape  --> [2, 3]
---```
---@param x luatensor.Tensor
---@param options? luatensor.distributed.all_gather.options
---@return luatensor.Tensor # of x's dtype and device
function distributed.reduce_scatter(x, options) end

---Returns the tensor of one process in all processes. Differentiable.
---```lua
---distributed.all_sum(lt.tensor{1.0, 2.0})  --> [1.0, 2.0]
---distributed.all_max(lt.tensor{1.0, 2.0})  --> [1.0, 2.0]
---distributed.broadcast(lt.tensor{1.0, 2.0})  --> [1.0, 2.0]
---```
---@param x luatensor.Tensor the tensor of the root. Other processes give a tensor of the same shape and dtype
---@param options? luatensor.distributed.broadcast.options
---@return luatensor.Tensor # of x's shape, dtype and device
function distributed.broadcast(x, options) end

---Sends a tensor to another process, which must call `recv`.
---```lua
---if distributed.size() > 1 and distributed.rank() == 0 then distributed.send(lt.ones(3), 1) end
---if distributed.rank() == 1 then print(distributed.recv(lt.zeros(3), 0)) end
---```
---@param x luatensor.Tensor
---@param rank integer of the receiver
---@param options? luatensor.options.group
function distributed.send(x, rank, options) end

---Receives a tensor from another process, which must call `send`.
---```lua
---if distributed.size() > 1 and distributed.rank() == 0 then distributed.send(lt.ones(3), 1) end
---if distributed.rank() == 1 then print(distributed.recv(lt.zeros(3), 0)) end
---```
---@param like luatensor.Tensor a tensor of the shape and dtype of the tensor that is sent
---@param rank integer of the sender
---@param options? luatensor.distributed.all_gather.options
---@return luatensor.Tensor # of the shape, dtype and device of the given tensor
function distributed.recv(like, rank, options) end

---Waits until all processes call this function.
---```lua
---distributed.barrier()
---```
---@param options? luatensor.options.group
function distributed.barrier(options) end

---Adds tensors of several devices of this process. On devices of one plugin of PJRT, the sum becomes a part of the
---program that computes the tensors, if all devices have the same operations queued. Elsewhere the tensors are copied.
---Half floats are added in float32 and rounded once. The sum of bools is true if one of them is true.
---
---    distributed.all_sum_devices{a, b}                 -- a and b are on two devices; so are the two sums
---    distributed.all_sum_devices{{a1, a2}, {b1, b2}}   -- a1 + b1 and a2 + b2 on both devices
---Errors: if the dtypes or shapes differ between devices; if a tensor requires gradients outside of lt.no_grad.
---```lua
---local sums = distributed.all_sum_devices{lt.tensor{1.0, 2.0}, lt.tensor({3.0, 4.0}, {device = distributed.device()})}
---sums[1]  --> [4.0, 6.0]
---```
---@param tensors table a list with a tensor, or a list of tensors, for each device. Dtypes and shapes are the same on all devices
---@return table # new tensors on the same devices, in lists like the given ones
function distributed.all_sum_devices(tensors) end

return distributed
