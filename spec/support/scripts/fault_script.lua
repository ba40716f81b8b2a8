-- fault_host runs this script while allocations fail. The script calls each kind of function that allocates memory, and
-- writes that must be complete or have no effect.
local lt = require "luatensor"

local y = x + 1
y = y:matmul(x.T)
y = (x:to("float64") * 2):sum(2, {keepdim = true})
y = x:to("float16") + lt.tensor{1, 2, 3}
y = x[index]
y = x[x:greater(2)]
y = large.T:contiguous():cumulative_sum(1)
y = large.T:matmul(large)
y = large:to("int64"):matmul(lt.ones(190, 2, {dtype = "int64"}))
y = lt.concat({x, x}, 1):reshape(3, 4):flip(1)
y = lt.rand(3, 4):softmax(2):argmax(1):totable()
y = lt.tensor{{1, 2}, {3, 4}}
y = tostring(x)
y = x:to_bytes()
y = x:clone()
y:add_(x:sum(1))
y[{{}, 1}] = {7, 8}
y = lt.nonzero(x)
y = x:take(index, 1)
y = x:gather(1, lt.ones(1, 3, {dtype = "int64"}))
y = x:clone():scatter(2, lt.ones(2, 1, {dtype = "int64"}), lt.zeros(2, 1))
y = lt.stack({x, x}):moveaxis(1, 3):tile{2, 1, 1}
y = lt.meshgrid(lt.arange(3), lt.linspace(0, 1, 4))
y = x:std(1):maximum(x:logsumexp(2):sum())
y = lt.permutation(10)
y = lt.randint(1, 6, 20)
y = x:norm()
y = lt.tensordot(x, x, 2)
y = lt.from_dlpack(x:to_dlpack())
lt.save("build/spec/fault.npy", large)
y = lt.load "build/spec/fault.npy"
for _, row in x:rows() do y = row end
y = lt.where(x:less(3), x, 0)
