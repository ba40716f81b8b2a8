-- Compares exchanges between emulated GPUs with plain Lua. Each process computes the tensors of all processes by itself.
-- Run by spec/distributed/nccl_spec.lua in several processes: distributed_gpu.lua DEVICE CASE.
local lt = require "luatensor"
local distributed = require "luatensor.distributed"
local exchange = require "luatensor.distributed.exchange"

local backends = {pair = "any", shared = "any"}
local group = distributed.init {backend = backends[arg[2]] or "nccl"}
local rank, size = group:rank(), group:size()
local device = ("%s:%d"):format(arg[1], arg[2] == "shared" and 0 or rank)

local function list(n, f)
  local values = {}
  for i = 1, n do values[i] = f(i) end
  return values
end

local function same(expected, x, what)
  local got = x:reshape(-1):tolist()
  assert(#got == #expected, ("%s: %d elements, %d expected"):format(what, #got, #expected))
  for i, value in ipairs(expected) do
    assert(got[i] == value, ("%s: element %d is %s, %s expected"):format(what, i, got[i], value))
  end
  assert(tostring(x.device) == device, ("%s: on %s"):format(what, x.device))
end

-- Element i of the tensor of process r.
local function number(r, i) return (i * 7 + r * 3) % 11 end
local function truth(r, i) return (i + r) % 3 == 0 end

local function sum(r, i) return r < 0 and 0 or number(r, i) + sum(r - 1, i) end
local function any(r, i) return r >= 0 and (truth(r, i) or any(r - 1, i)) end
local function most(r, i) return r == 0 and number(0, i) or math.max(number(r, i), most(r - 1, i)) end

local function tensor_of(r, n, dtype)
  local element = dtype == "bool" and truth or number
  return lt.tensor(list(n, function(i) return element(r, i) end), {device = device}):to(dtype)
end

local cases = {}

-- All functions for all dtypes; n elements are divisible by the number of processes.
function cases.values()
  local n = 3 * size
  for _, dtype in ipairs {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16",
                          "float32", "float64", "complex64", "complex128"} do
    local complex = dtype:find "complex"
    local function check(expected, x, what)
      assert(tostring(x.dtype) == dtype, what .. ": dtype " .. tostring(x.dtype))
      same(expected, complex and x:real() or x, what .. " of " .. dtype)
    end
    local x, element = tensor_of(rank, n, dtype), dtype == "bool" and truth or number
    local all = dtype == "bool" and any or sum
    check(list(n, function(i) return all(size - 1, i) end), distributed.all_sum(x), "all_sum")
    check(list(3, function(i) return all(size - 1, 3 * rank + i) end), distributed.reduce_scatter(x), "reduce_scatter")
    if not complex and dtype ~= "bool" then
      check(list(n, function(i) return most(size - 1, i) end), distributed.all_max(x), "all_max")
    end
    check(list(n, function(i) return element(1, i) end), distributed.broadcast(x, {root = 1}), "broadcast")
    check(list(n * size, function(i) return element((i - 1) // n, (i - 1) % n + 1) end), distributed.all_gather(x), "all_gather")
    if rank == 0 then
      distributed.send(x, size - 1)
    elseif rank == size - 1 then
      check(list(n, function(i) return element(0, i) end), distributed.recv(x:zeros_like(), 0), "recv")
    end
  end
  distributed.barrier()
end

-- Views, no elements, results in place, tensors of the host, and gradients.
function cases.layouts()
  local x = tensor_of(rank, 6, "float32"):reshape(2, 3)
  same(list(6, function(i) return sum(size - 1, ({1, 4, 2, 5, 3, 6})[i]) end), distributed.all_sum(x:t()), "a transposed view")
  same({}, distributed.all_sum(lt.zeros({0}, {device = device})), "no elements")
  local y = tensor_of(rank, 6, "float32")
  assert(distributed.all_sum(y, {out = y}) == y)
  same(list(6, function(i) return sum(size - 1, i) end), y, "in place")
  local host = distributed.all_sum(tensor_of(rank, 6, "float32"):to("cpu"))
  assert(tostring(host.device) == "cpu")
  same(list(6, function(i) return sum(size - 1, i) end), host:to(device), "on the host")
  same({40000 * size % 65536}, distributed.all_sum(lt.full({1}, 40000, {dtype = "uint16", device = device})), "a sum that wraps")
  local w = tensor_of(rank, 2, "float32"):requires_grad_()
  distributed.all_sum(w * (rank + 1)):sum():backward()
  same({(rank + 1) * size, (rank + 1) * size}, w.grad, "gradient")
end

-- Groups of the even and of the odd processes, in the reverse order of their ranks.
function cases.split()
  local half = group:split(rank % 2, -rank)
  assert(half:size() == (size + 1 - rank % 2) // 2, "size")
  assert(half:rank() == (size - 1 - rank) // 2, "rank")
  local total = 0
  for r = rank % 2, size - 1, 2 do total = total + number(r, 1) end
  same({total}, half:all_sum(tensor_of(rank, 1, "float32")), "sum of half")
  local ranks = {}
  for r = size - 2 + rank % 2, 0, -2 do ranks[#ranks + 1] = r end
  same(ranks, half:all_gather(lt.tensor({rank}, {device = device})), "order of half")
  local nobody = group:split(rank == 0 and 0 or nil)
  assert((nobody ~= nil) == (rank == 0), "no group")
end

-- Exchanges run while the process computes, and the host waits for nothing before it reads.
function cases.later()
  package.cpath = (os.getenv "BUILD" or "build") .. "/spec/emulator/?.so;" .. package.cpath
  local emulator = require(arg[1] == "cuda" and "emulator" or "emulator_hip")
  local x, works, parts = tensor_of(rank, 1000, "float32"), {}, {}
  distributed.barrier()
  x:clone():mul_(2)                    -- compiles the kernel
  local waits = emulator.counts().waits
  for k = 1, 5 do
    parts[k] = x * k
    works[k] = exchange.begin(group, "all_sum", parts[k], x.shape, 0, true, true)
  end
  local apart = exchange.begin(group, "all_sum", x, x.shape, 0, false, true)
  local twice = apart.to * 2           -- must wait for the stream of the exchange
  exchange.finish(apart, "all_sum")
  local now = distributed.all_sum(x)
  for k = 1, 5 do exchange.finish(works[k], "all_sum"):mul_(2) end
  assert(emulator.counts().waits == waits, "the host has waited")
  for k = 1, 5 do same(list(1000, function(i) return 2 * k * sum(size - 1, i) end), parts[k], "sum " .. k) end
  same(list(1000, function(i) return sum(size - 1, i) end), now, "a sum of the current stream")
  same(list(1000, function(i) return 2 * sum(size - 1, i) end), twice, "twice the sum")
end

-- Exchanges in graphs and in compiled functions, and between their replays.
function cases.capture()
  local x, out = tensor_of(rank, 4, "float32"), lt.zeros({4}, {device = device})
  local graph = lt.graph(function() out:copy_(distributed.all_sum(x * 2)) end, {device = device})
  local compiled = lt.compile(function(y) return distributed.all_max(y) + 1 end, {replay = true})
  for k = 1, 5 do
    graph:replay()
    same(list(4, function(i) return 2 * (sum(size - 1, i) + (k - 1) * size) end), out, "graph")
    same(list(4, function(i) return k * most(size - 1, i) + 1 end), compiled(tensor_of(rank, 4, "float32") * k), "compiled")
    same(list(4, function(i) return sum(size - 1, i) end), distributed.all_sum(tensor_of(rank, 4, "float32")), "between")
    x:add_(1)
  end
end

local function fails(pattern, f)
  local ok, message = pcall(f)
  assert(not ok and tostring(message):find(pattern), tostring(message))
end

-- Process 1 ends by a signal. The others learn its rank within seconds, and the group stays unusable.
function cases.death()
  local x = tensor_of(rank, 4, "float32")
  same(list(4, function(i) return sum(size - 1, i) end), distributed.all_sum(x), "before")
  if rank == 1 then os.execute "kill -9 $PPID" end
  local start = os.time()
  fails(("rank 1 of %d has ended"):format(size), function() return distributed.all_sum(x):tolist() end)
  assert(os.time() - start < 30, "took too long")
  fails(("rank 1 of %d has ended"):format(size), function() return distributed.all_sum(x) end)
  same(list(4, function(i) return number(rank, i) end), x, "the device works on")
end

-- Process 1 raises an error, and process 0 waits for it.
function cases.raises()
  if rank == 1 then error "the wheel is broken" end
  distributed.barrier()
end

-- The dtypes of the processes differ, which the emulated library finds. The process that finds it later may only find that
-- the other has given up.
function cases.difference()
  local x = tensor_of(rank, 4, rank == 0 and "float32" or "int32")
  local y = distributed.all_sum(x)
  local ok, message = pcall(y.tolist, y)
  assert(not ok)
  print(message)
end

-- The checking mode finds the difference before the library is called.
function cases.checked()
  same(list(4, function(i) return sum(size - 1, i) end), distributed.all_sum(tensor_of(rank, 4, "float32")), "the same call")
  fails("rank 0: all_sum of float32 %[4%]; rank 1: all_sum of int32 %[4%]", function()
    return distributed.all_sum(tensor_of(rank, 4, rank == 0 and "float32" or "int32"))
  end)
end

-- DataParallel on parts of a batch gives the weights of a model that one process trains on the whole batch.
function cases.training()
  local nn, results = lt.nn, {}
  lt.manual_seed(1)
  local x, y = lt.rand({8, 4}):to(device), lt.rand({8, 2}):to(device)
  for k, parallel in ipairs {false, true} do
    lt.manual_seed(2)
    local model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)):to(device)
    local f = parallel and nn.parallel.DataParallel(model, {group = group}) or model
    local n, optimizer = 8 // size, lt.optim.SGD(model:parameters(), {lr = 0.5})
    local function mine(t) return parallel and t:narrow(1, rank * n + 1, n) or t end
    for _ = 1, 4 do
      optimizer:zero_grad()
      local loss = (f(mine(x)) - mine(y)):pow(2):mean()
      loss:backward()
      optimizer:step()
    end
    results[k] = model(x):detach()
  end
  local difference = (results[1] - results[2]):abs():max():item()
  assert(difference < 1e-5, difference)
end

-- Process 1 ends while its exchange waits for process 0, which has ended.
function cases.exit()
  if rank > 0 then distributed.all_sum(tensor_of(rank, 4, "float32")) end
end

-- Process 0 waits for process 1 until its hook raises an error.
function cases.interrupt()
  local x = tensor_of(rank, 4, "float32")
  if rank == 0 then
    local y, asked = distributed.all_sum(x), 0
    debug.sethook(function()
      asked = asked + 1
      if asked > 3 then error "stop" end
    end, "", 1000)
    fails("stop", function() return y:tolist() end)
    debug.sethook()
    fails("an exchange was interrupted", function() return distributed.all_sum(x) end)
  end
end

-- The number of the exchanges of MPI does not matter to those of NCCL.
function cases.pair()
  package.cpath = (os.getenv "BUILD" or "build") .. "/spec/emulator/?.so;" .. package.cpath
  local emulator = require "emulator"
  local x = tensor_of(rank, 4, "float32")
  for k = 1, 3 do
    local copies = emulator.counts().copies
    local sums = distributed.all_sum(x * k)
    assert(k == 1 or emulator.counts().copies == copies, "the sum passed through the host")
    same(list(4, function(i) return k * sum(size - 1, i) end), sums, "GPU")
    local host = distributed.all_sum(x:to("cpu"))
    same(list(4, function(i) return sum(size - 1, i) end), host:to(device), "host")
  end
  local half = group:split(0, -rank)
  same(list(size, function(i) return size - i end), half:all_gather(lt.tensor({rank}, {device = device})), "split")
end

-- Several processes share a GPU, which NCCL does not support.
function cases.shared()
  same(list(4, function(i) return sum(size - 1, i) end), distributed.all_sum(tensor_of(rank, 4, "float32")), "all_sum")
end

cases[arg[2]]()
print(("rank %d of %d is done"):format(rank, size))
