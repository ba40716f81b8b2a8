-- Compares the results of luatensor.distributed with sums in plain Lua. Each process computes the tensors of all
-- processes by itself. Run by spec/distributed/values_spec.lua in several processes.
local lt = require "luatensor"
local distributed = require "luatensor.distributed"

local group = distributed.init {backend = "mpi"}
local rank, size = group:rank(), group:size()
assert(distributed.init() == group and distributed.rank() == rank and distributed.size() == size)

-- Element i of the tensor of process r: a small integer, which every dtype but bool and uint8 represents exactly.
local function element(r, i) return (i * 7 + r * 3) % 11 end

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
end

local function fold(f, i)
  local value = element(0, i)
  for r = 1, size - 1 do value = f(value, element(r, i)) end
  return value
end

local function add(a, b) return a + b end

local x = lt.tensor(list(12, function(i) return element(rank, i) end)):to("float32"):reshape(4, 3)
same(list(12, function(i) return fold(add, i) end), distributed.all_sum(x), "all_sum")
same(list(12, function(i) return element(size - 1, i) end), distributed.broadcast(x, {root = size - 1}), "broadcast")
distributed.barrier()
print(("rank %d of %d is done"):format(rank, size))
