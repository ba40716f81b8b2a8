-- Does what a program should not do, in several processes. The first argument or DISTRIBUTED_FAULT selects the fault. Run
-- by spec/distributed/faults_spec.lua.
local lt = require "luatensor"
local distributed = require "luatensor.distributed"

local fault, at = ...
local x = lt.ones(1000)
local last = distributed.size() - 1

local function refuses(words, f, ...)
  local ok, problem = pcall(f, ...)
  if ok or not tostring(problem):find(words, 1, true) then error(("%q expected, got: %s"):format(words, problem), 0) end
end

local faults = {}

-- The last process raises an error, and the others wait for it.
function faults.raises()
  if distributed.rank() == last then error "the wheel is broken" end
  distributed.all_sum(x)
end

-- The last process writes a text that stays in the buffer of its output, and raises an error.
function faults.writes()
  if distributed.rank() == last then
    io.write "written before the error"
    error "the wheel is broken"
  end
  distributed.all_sum(x)
end

-- The last process ends without an error, and the others wait for it.
function faults.ends()
  if distributed.rank() < last then refuses(("rank %d has ended"):format(last), distributed.all_sum, x) end
end

-- The process of rank `at` is killed in the middle of many sums.
function faults.killed()
  for i = 1, 1e6 do
    if distributed.rank() == tonumber(at) and i == 20 then os.execute "kill -9 $PPID" end
    distributed.all_sum(x, {out = x})
  end
end

-- A hook interrupts a process that waits. Afterwards the group refuses calls.
function faults.interrupted()
  if distributed.rank() == last then return end
  debug.sethook(function() error("stopped by the hook", 0) end, "", 1 << 30)
  local ok, problem = pcall(distributed.all_sum, x)
  debug.sethook()
  assert(not ok and problem == "stopped by the hook", problem)
  refuses("an earlier call of this group failed (it was interrupted), so", distributed.barrier)
end

-- The processes call different functions, or the same function with different tensors.
function faults.differs()
  local group = distributed.init()
  local odd = distributed.rank() == last
  refuses("rank 0: all_sum of float32 [1000]; rank 1: all_sum of float32 [2]", group.all_sum, group, odd and lt.ones(2) or x)
  refuses("rank 0: all_sum of float32 [1000]; rank 1: all_sum of int64 [1000]", group.all_sum, group, odd and x:to("int64") or x)
  refuses("rank 0: broadcast of float32 [1000] from root 0; rank 1: broadcast of float32 [1000] from root 1", group.broadcast,
    group, x, {root = odd and 1 or 0})
  refuses("rank 0: all_sum of float32 [1000]; rank 1: barrier", odd and group.barrier or group.all_sum, group, not odd and x or nil)
  assert(distributed.all_sum(x)[1]:item() == 2)
end

-- The processes give tensors of different sizes. Without the checking mode, the error does not name the ranks.
function faults.sizes()
  refuses("give tensors of different sizes", distributed.all_sum, distributed.rank() == last and lt.ones(3000000) or x)
end

-- The last process expects other elements than the first sends.
function faults.message()
  local like = ({more = lt.ones(2000), fewer = lt.ones(2), other = x:to("int32"), half = x:to("float16"), none = lt.ones(0)})[at]
  if distributed.rank() == 0 then return distributed.send(x, last) end
  refuses(("rank 0 sends 1000 elements of float32, but this process expects %d of %s"):format(like.size, like.dtype),
    distributed.recv, like, 0)
end

-- The dtypes of the processes differ, but the engine gets the same elements from all.
function faults.dtypes()
  local odd = distributed.rank() == last
  refuses("or give tensors of different sizes or dtypes", distributed.all_sum, odd and x:to(at) or lt.ones(at == "complex64" and 2000 or 1000))
end

-- One process divides the group, and the others do not.
function faults.split()
  local group = distributed.init()
  refuses("the processes call different functions", distributed.rank() == last and group.split or group.barrier, group)
end

-- Returns a model of two layers, whose gradients are summed in buckets of `at` bytes.
local function parallel_model()
  local nn = require "luatensor.nn"
  return nn.parallel.DataParallel(nn.Sequential(nn.Linear(40, 40), nn.Linear(40, 4)), {bucket_bytes = math.tointeger(at)})
end

-- One process does not train a parameter that the others train. Afterwards all of them train it.
function faults.frozen()
  local model, ones = parallel_model(), lt.ones(2, 40)
  model[1].weight.requires_grad = distributed.rank() < last
  local loss = model(ones):sum()
  refuses("the processes train different parameters: requires_grad differs", loss.backward, loss)
  model[1].weight.requires_grad = true
  model:zero_grad()
  model(ones * (distributed.rank() + 1)):sum():backward()
  -- Each of the two rows gives the weights of the second layer, times the mean of the numbers 1 … size.
  local mean = model[2].weight:detach():sum(1):reshape(40, 1) * (distributed.size() + 1)
  assert((model[1].weight.grad - mean):abs():max():item() < 1e-4)
end

-- A backward pass of one process fails. Later passes would add gradients to those of other passes.
function faults.half_pass()
  local model, fails = parallel_model(), distributed.rank() == last
  local broken = lt.autograd_function {
    name = "broken",
    forward = function(_, y) return y * 1 end,
    backward = function(_, g) if fails then error("broken", 0) end return g end,
  }
  local loss = model[2](broken(model[1](lt.ones(2, 40)))):sum()
  refuses(fails and "broken" or ("rank %d has ended"):format(last), loss.backward, loss)
  local again = model(lt.ones(2, 40)):sum()
  refuses("an earlier backward pass failed in this process", again.backward, again)
end

-- The process ends without closing the Lua state.
function faults.leaves()
  distributed.all_sum(x)
  os.exit(0)
end

-- states_host runs this file again in a forked child, which must not use MPI.
function faults.forked()
  parent = parent or io.open("/proc/self/stat"):read "n"
  if io.open("/proc/self/stat"):read "n" == parent then distributed.all_sum(x)
  else refuses("not in a forked child", distributed.all_sum, x) end
end

-- states_host runs this file in several Lua states of one process.
function faults.states() assert(distributed.all_sum(x)[1]:item() == distributed.size()) end

faults[fault or os.getenv "DISTRIBUTED_FAULT"]()
print(("rank %d of %d is done"):format(distributed.rank(), distributed.size()))
