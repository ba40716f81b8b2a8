-- Compares the results of luatensor.distributed with values that plain Lua computes: each process knows the elements of
-- all processes. Run by spec/distributed/values_spec.lua in several processes.
local core = require "luatensor.core"
local lt = require "luatensor"
local distributed = require "luatensor.distributed"

local device = os.getenv "LUATENSOR_TEST_DEVICE" or "cpu"
local group = distributed.init {backend = "mpi"}
local rank, size = group:rank(), group:size()
assert(distributed.init() == group and distributed.rank() == rank and distributed.size() == size)

-- Element i of process r: a small integer, so that sums are exact in every dtype.
local function element(r, i) return (i * 7 + r * 3) % 11 end

local function list(n, f)
  local values = {}
  for i = 1, n do values[i] = f(i) end
  return values
end

-- Returns this process's tensor of n elements.
local function own(n, dtype) return lt.tensor(list(n, function(i) return element(rank, i) end)):to(dtype):to(device) end

local function add(a, b) return a + b end
local either = math.max                                      -- of 0 and 1

-- Combines the elements i of all processes; convert is applied to each of them.
local function fold(f, i, convert)
  local value
  for r = 0, size - 1 do
    local e = convert and convert(element(r, i)) or element(r, i)
    value = value and f(value, e) or e
  end
  return value
end

local function same(what, expected, x, like)
  assert(x.device == like.device and x.dtype == like.dtype, what)
  if x.dtype == "bool" then x = x:to("int32") end
  local got = x:to("cpu"):reshape(-1):tolist()
  assert(#got == #expected, ("%s: %d elements, %d expected"):format(what, #got, #expected))
  for i, value in ipairs(expected) do
    assert(got[i] == value, ("%s: element %d is %s, %s expected"):format(what, i, got[i], value))
  end
end

-- ---- every function in one dtype ----

local function truth(e) return e ~= 0 and 1 or 0 end

local function check(dtype, n, x)
  local bool = dtype == "bool"
  local convert, sum = bool and truth or function(e) return e end, bool and either or add
  local function of(r, i) return convert(element(r, i)) end
  local at = " of " .. dtype
  same("all_sum" .. at, list(n, function(i) return fold(sum, i, convert) end), distributed.all_sum(x), x)
  same("all_max" .. at, list(n, function(i) return fold(math.max, i, convert) end), group:all_max(x), x)
  same("all_gather" .. at, list(n * size, function(i) return of((i - 1) // n, (i - 1) % n + 1) end), group:all_gather(x), x)
  for root = 0, size - 1, size - 1 do
    same("broadcast" .. at, list(n, function(i) return of(root, i) end), group:broadcast(x, {root = root}), x)
  end
  local part = n // size
  same("reduce_scatter" .. at, list(part, function(i) return fold(sum, rank * part + i, convert) end), group:reduce_scatter(x), x)
  same("x" .. at, list(n, function(i) return of(rank, i) end), x, x)                       -- is unchanged
end

local dtypes = device == "cpu" and core.dtypes or {"float32", "float16"}
for _, dtype in ipairs(dtypes) do
  if not dtype:find "complex" then check(dtype, 4 * size, own(4 * size, dtype)) end
end
check("float32", 0, own(0, "float32"))

for _, dtype in ipairs(device == "cpu" and {"complex64", "complex128"} or {}) do
  local x = lt.complex(own(size, "float64"), own(size, "float64") * 2):to(dtype)
  local z = distributed.all_sum(x)
  same("real part", list(size, function(i) return fold(add, i) end), lt.real(z), lt.real(x))
  same("imaginary part", list(size, function(i) return 2 * fold(add, i) end), lt.imag(z), lt.imag(x))
  assert(not pcall(distributed.all_max, x))
end

-- ---- layouts, option out ----

local n = 2 * size
local x = own(n * 2, "float32"):reshape(n, 2)
local sums = list(n * 2, function(i) return fold(add, i) end)
local transposed = lt.zeros(2, n, {device = device}).T:copy_(x)
assert(not transposed:is_contiguous())
same("a transposed tensor", sums, distributed.all_sum(transposed), x)
same("a 0-d tensor", {fold(add, 1)}, distributed.all_sum(x[1][1]), x)
same("gathered 0-d tensors", list(size, function(i) return element(i - 1, 1) end), distributed.all_gather(x[1][1]), x)
local out = lt.zeros(n, 2, {device = device})
assert(distributed.all_sum(x, {out = out}) == out)
same("out", sums, out, x)
local strided = lt.zeros(2, n, {device = device}).T
distributed.all_sum(x, {out = strided})
same("a strided out", sums, strided, x)
local again = x:clone()
distributed.all_sum(again, {out = again})
same("in place", sums, again, x)
distributed.all_sum(transposed, {out = transposed})
same("a transposed tensor in place", sums, transposed, x)
local all = own(n, "float32")
distributed.broadcast(all, {root = 1, out = all})
same("a broadcast in place", list(n, function(i) return element(1, i) end), all, x)

-- ---- sums while the process computes ----

local exchange = require "luatensor.distributed.exchange"
local first, second = x:clone(), own(n, "float16")
local one = exchange.begin(group, "all_sum", first, first.shape, 0, true, true)
if rank == 0 then                    -- advances the first sum before it starts the second one, unlike the others
  for _ = 1, 5000 do exchange.advance(one) end
end
local two = exchange.begin(group, "all_sum", second, second.shape, 0, true, true)
same("the second started sum", list(n, function(i) return fold(add, i) end), exchange.finish(two, "all_sum"), second)
repeat until exchange.advance(one)
same("the first started sum", sums, exchange.finish(one, "all_sum"), x)

-- The memory of an exchange that is given up stays until the exchange is complete.
local helpers = require "spec.support.helpers"
local before = helpers.live(one.to.device)
exchange.begin(group, "all_sum", x:clone(), x.shape, 0, true, true)
assert(helpers.live(one.to.device) > before)

-- ---- groups ----

local half = group:split(rank % 2, -rank)                       -- the ranks are in reverse order
assert(half:size() == (size + 1 - rank % 2) // 2)
assert(half:rank() == (size - 1 - rank) // 2)
local expected = 0
for r = rank % 2, size - 1, 2 do expected = expected + element(r, 1) end
same("the sum of a half", {expected}, half:all_sum(x[1][1]), x)
same("the sum of option group", {expected}, distributed.all_sum(x[1][1], {group = half}), x)
local only = group:split(rank == 0 and 0 or nil)
assert((only ~= nil) == (rank == 0))

-- ---- messages ----

local to, from = (rank + 1) % size, (rank - 1) % size
if rank == 0 then distributed.send(x, to) end
same("a message", list(n * 2, function(i) return element(from, i) end), distributed.recv(x, from), x)
if rank > 0 then distributed.send(x, to) end
distributed.barrier()

-- ---- gradients ----

-- Returns the gradient of the sum over all processes of f(x) * w, where w is this process's tensor of weights.
local function gradient(f)
  local y = own(n, "float32"):requires_grad_()
  local z = f(y)
  local weights = lt.tensor(list(z.size, function(i) return element(rank, i + 1) end)):to("float32"):to(device)
  ;(z:reshape(-1) * weights):sum():backward()
  return y.grad
end

local function weight(r, i) return element(r, i + 1) end
local function all_weights(i) return fold(add, i + 1) end
same("the gradient of all_sum", list(n, all_weights), gradient(distributed.all_sum), x)
same("the gradient of broadcast", list(n, function(i) return rank == 1 and all_weights(i) or 0 end),
  gradient(function(y) return distributed.broadcast(y, {root = 1}) end), x)
same("the gradient of all_gather", list(n, function(i) return all_weights(rank * n + i) end), gradient(distributed.all_gather), x)
same("the gradient of reduce_scatter", list(n, function(i) return weight((i - 1) // 2, (i - 1) % 2 + 1) end), gradient(distributed.reduce_scatter), x)
same("the gradient of all_max", list(n, function(i)
  local most, ties = fold(math.max, i), 0
  for r = 0, size - 1 do if element(r, i) == most then ties = ties + 1 end end
  return element(rank, i) == most and all_weights(i) / ties or 0
end), gradient(distributed.all_max), x)

-- ---- errors ----

local function refuses(words, f, ...)
  local ok, problem = pcall(f, ...)
  assert(not ok and problem:find(words, 1, true), problem)
end
refuses("broadcast: root " .. size .. " is not in 0", distributed.broadcast, x, {root = size})
refuses("is not another process", distributed.send, x, rank)
refuses("gradients do not pass to another process", distributed.send, lt.ones(2, {requires_grad = true}), to)
refuses("option out has no gradient", distributed.all_sum, lt.ones(2, {requires_grad = true}), {out = out})
refuses("cannot be divided among", distributed.reduce_scatter, lt.ones(n + 1))
refuses("out has shape [1], the result has [" .. n .. ", 2]", distributed.all_sum, x, {out = lt.ones(1)})
refuses("out: tensor expected, got number", distributed.all_sum, x, {out = 1})
refuses("group expected, got number", distributed.all_sum, x, {group = 1})

print(("rank %d of %d is done"):format(rank, size))
