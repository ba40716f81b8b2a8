--- distributed.init, distributed.rank, distributed.size
local group = distributed.init()
distributed.rank()  --> 0
distributed.size()  --> 1

--- distributed.device
local x = lt.ones(3, {device = distributed.device()})

--- distributed.all_sum, distributed.all_max, distributed.broadcast
distributed.all_sum(lt.tensor{1.0, 2.0})  --> [1.0, 2.0]
distributed.all_max(lt.tensor{1.0, 2.0})  --> [1.0, 2.0]
distributed.broadcast(lt.tensor{1.0, 2.0})  --> [1.0, 2.0]

--- distributed.all_sum_devices
local sums = distributed.all_sum_devices{lt.tensor{1.0, 2.0}, lt.tensor({3.0, 4.0}, {device = distributed.device()})}
sums[1]  --> [4.0, 6.0]

--- distributed.all_gather, distributed.reduce_scatter
distributed.all_gather(lt.ones(2, 3)).shape  --> [2, 3]
distributed.reduce_scatter(lt.ones(2, 3)).shape  --> [2, 3]

--- distributed.barrier
distributed.barrier()

--- distributed.send, distributed.recv
if distributed.size() > 1 and distributed.rank() == 0 then distributed.send(lt.ones(3), 1) end
if distributed.rank() == 1 then print(distributed.recv(lt.zeros(3), 0)) end

--- Group:split, Group:rank, Group:size
local part = distributed.init():split(0)
part:rank()  --> 0
part:size()  --> 1
