--- One or two calls of each family of kernels, which the stages of `luatensor doctor` run on the tested device.

local core = require "luatensor.core"
local lt = require "luatensor"
local nn = require "luatensor.nn"
local optim = require "luatensor.optim"

local functional = nn.functional
local cases = {}

-- ---- inputs ----

local function vectors(count)
  return function(n)
    local list = {}
    for i = 1, count do list[i] = lt.rand(n) end
    return list
  end
end

local function rows(columns)
  return function(n) return {lt.rand(n, columns)} end
end

local function whole(n) return lt.randint(1, 100, {n}) end

-- Returns a tensor of float32 on the device.
local function floats(values, device) return lt.tensor(values, {dtype = "float32", device = device}) end

-- ---- calls that need several lines ----

-- Makes a step of gradient descent on a copy of p.
local function descend(p, gradient)
  local leaf = p:clone()
  leaf.requires_grad, leaf.grad = true, gradient
  optim.SGD({leaf}, {lr = 0.1, momentum = 0.9}):step()
  return leaf:detach()
end

-- Makes a layer with the same weights on each device.
local function recurrent(device)
  lt.manual_seed(1)
  return nn.LSTM(3, 5):to(device)
end

-- The state after a step of a cell whose weights and input are 0: c = 2 / 2 and h = tanh(1) / 2.
local function step_of_zeros(device)
  local layer = nn.LSTM(1, 1):to(device)
  for _, p in ipairs(layer:parameters()) do lt.no_grad(function() p:fill_(0) end) end
  local h, c = floats({{{0}}}, device), floats({{{2}}}, device)
  return lt.no_grad(function() return (layer(floats({{{0}}}, device), h, c)) end)
end

local TWICE <const> = [[
__global__ void twice(const float *x, float *y, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}]]

-- Doubles x by a kernel of CUDA C++; the CPU adds.
local function double(x)
  if x.device == core.host_device then return x + x end
  local y = lt.empty(x.shape, {dtype = x.dtype, device = x.device})
  local n = x.size
  if n > 0 then lt.kernel(TWICE, "twice", {device = x.device})({grid = (n + 255) // 256, block = 256}, x, y, n) end
  return y
end

local multiply_add = lt.elementwise("float32 x, float32 y", "x * y + sin(x)")
local scaled_softmax = lt.compile(function(x) return (x * 2 + 1):softmax(2) end)

-- ---- the list ----

-- An error bound as a share of the largest magnitude: rounding errors of long float32 sums grow about as the root of
-- their length.
local function of_length(n) return 1e-6 * math.max(1, n) ^ 0.5 end
local function always(bound)
  return function() return bound end
end

-- Returns a row for products of another dtype than float32.
local function product_of(dtype, bound)
  local function filled(value, device, ...) return lt.full({...}, value, {dtype = dtype, device = device}) end
  return {family = "gemm", name = "product of " .. dtype, bound = bound,
    make = function(n) return {(lt.rand(n, 64) * 9):to(dtype), (lt.rand(64, 48) * 9):to(dtype)} end,
    call = function(x) return x[1]:matmul(x[2]) end,
    known = function(device) return filled(2, device, 2, 64):matmul(filled(3, device, 64, 1)) end, answer = {384, 384}}
end

--- Rows with these fields:
--
--     family     the name in src/families.def
--     name       of the call
--     make(n)    returns the list of the inputs of size n, on the CPU. Random numbers are those of the current seed
--     call(inputs, n, device, state)   returns the results; `state` is the result of prepare(device), if there is one
--     bound(n)   the error bound as a share of the largest magnitude; nil: the bits are the same on all devices
--     least, most   sizes for which the call is made (0, no limit)
--     gpu        true if the CPU has no kernel of the family
--     known(device), answer   a small call, and the numbers that it returns
cases.list = {
  {family = "map", name = "exp(x) * y", make = vectors(2), call = function(x) return x[1]:exp() * x[2] end,
    known = function(device) return floats({1, 2, 3}, device) * floats({4, 5, 6}, device) end, answer = {4, 10, 18}},
  {family = "map", name = "exp(x) * y in float16",
    make = function(n) return {lt.rand(n):to "float16", lt.rand(n):to "float16"} end,
    call = function(x) return x[1]:exp() * x[2] end,
    known = function(device) return floats({1, 2, 3}, device):to "float16":square() end, answer = {1, 4, 9}},
  {family = "map", name = "square of complex numbers",
    make = function(n) return {lt.view_as_complex(lt.rand(n, 2))} end,
    call = function(x) return lt.view_as_real(x[1]:square()) end,
    known = function(device)
      return lt.view_as_real(lt.view_as_complex(floats({{1, 2}}, device)):square())
    end, answer = {-3, 4}},
  {family = "reduce", name = "sum", make = vectors(1), call = function(x) return x[1]:sum() end, bound = of_length,
    known = function(device) return floats({1, 2, 3, 4}, device):sum() end, answer = {10}},
  {family = "reduce", name = "argmax", make = vectors(1), least = 1,
    call = function(x) return x[1]:argmax() end,
    known = function(device) return floats({1, 7, 3}, device):argmax() end, answer = {2}},
  {family = "scan", name = "cumulative sum of integers", make = function(n) return {whole(n)} end,
    call = function(x) return x[1]:cumsum(1) end,
    known = function(device) return lt.tensor({1, 2, 3}, {device = device}):cumsum(1) end, answer = {1, 3, 6}},
  {family = "softmax", name = "softmax", make = rows(5), call = function(x) return x[1]:softmax(2) end,
    bound = always(1e-6),
    known = function(device) return floats({0, 0, 0, 0}, device):softmax(1) end, answer = {0.25, 0.25, 0.25, 0.25}},
  {family = "arange", name = "arange", make = vectors(0),
    call = function(_, n, device) return lt.arange(n, {device = device}) end,
    known = function(device) return lt.arange(3, 9, 2, {device = device}) end, answer = {3, 5, 7}},
  {family = "index", name = "take", least = 1, make = function(n) return {lt.rand(n), lt.randint(1, n, {n})} end,
    call = function(x) return x[1]:take(x[2]) end,
    known = function(device) return floats({10, 20, 30}, device):take(lt.tensor({3, 1}, {device = device})) end,
    answer = {30, 10}},
  {family = "nonzero", name = "nonzero", make = vectors(1), call = function(x) return x[1]:gt(0.5):nonzero() end,
    known = function(device) return floats({0, 5, 0, 7}, device):nonzero() end, answer = {2, 4}},
  {family = "sort", name = "sort", make = vectors(1), call = function(x) return (x[1]:sort()) end,
    known = function(device) return (floats({3, 1, 2}, device):sort()) end, answer = {1, 2, 3}},
  {family = "search", name = "searchsorted", make = function(n) return {lt.rand(n):sort(), lt.rand(n)} end,
    call = function(x) return lt.searchsorted(x[1], x[2]) end,
    known = function(device) return lt.searchsorted(floats({1, 3, 5}, device), floats({4}, device)) end, answer = {3}},
  {family = "gemm", name = "product", make = function(n) return {lt.rand(n, 17), lt.rand(17, 13)} end,
    call = function(x) return x[1]:matmul(x[2]) end, bound = always(1e-5),
    known = function(device) return floats({{1, 2}, {3, 4}}, device):matmul(floats({{5, 6}, {7, 8}}, device)) end,
    answer = {19, 22, 43, 50}},
  {family = "gemm", name = "product of long rows", make = function(n) return {lt.rand(3, n), lt.rand(2, n)} end,
    call = function(x) return x[1]:matmul(x[2].T) end, bound = of_length,
    known = function(device) return lt.ones(2, 300, {device = device}):matmul(lt.ones(300, 1, {device = device})) end,
    answer = {300, 300}},
  product_of("float16", always(2e-3)),
  product_of("bfloat16", always(2e-2)),
  product_of("float64", always(1e-13)),
  product_of("int32"),
  {family = "cell", name = "LSTM", least = 1, most = 4097, make = function(n) return {lt.rand(2, n, 3)} end,
    prepare = recurrent, bound = always(1e-5),
    call = function(x, _, _, layer) return lt.no_grad(function() return (layer(x[1])) end) end,
    known = step_of_zeros, answer = {0.380797}},
  {family = "attention", name = "attention", least = 1, most = 1023,
    make = function(n) return {lt.rand(1, 2, n, 8), lt.rand(1, 2, n, 8), lt.rand(1, 2, n, 8)} end,
    call = function(x) return functional.scaled_dot_product_attention(x[1], x[2], x[3]) end, bound = always(1e-5),
    known = function(device)
      local zero, v = lt.zeros(1, 1, 2, 1, {device = device}), floats({{{{1}, {3}}}}, device)
      return functional.scaled_dot_product_attention(zero, zero, v)
    end, answer = {2, 2}},
  {family = "linalg", name = "inverse", most = 1023,
    make = function(n) return {lt.rand(n, 3, 3) + 3 * lt.eye(3)} end,
    call = function(x) return lt.linalg.inv(x[1]) end, bound = always(1e-5),
    known = function(device) return lt.linalg.inv(floats({{2, 0}, {0, 4}}, device)) end, answer = {0.5, 0, 0, 0.25}},
  {family = "cross_entropy", name = "cross entropy", least = 1,
    make = function(n) return {lt.rand(n, 7), lt.randint(1, 7, {n})} end,
    call = function(x) return functional.cross_entropy(x[1], x[2]) end, bound = of_length,
    known = function(device)
      return functional.cross_entropy(floats({{0, 0}}, device), lt.tensor({1}, {device = device}))
    end, answer = {0.693147}},
  {family = "norm", name = "layer norm", make = rows(9),
    call = function(x) return functional.layer_norm(x[1], {9}) end, bound = always(1e-5),
    known = function(device) return functional.layer_norm(floats({{1, 3}}, device), {2}) end, answer = {-1, 1}},
  {family = "random", name = "rand", make = vectors(0),
    call = function(_, n, device)
      lt.manual_seed(7)
      return lt.rand(n, {device = device})
    end,
    known = function(device)
      lt.manual_seed(7)
      return lt.rand(100000, {device = device}):mean():mul(20):round()
    end, answer = {10}},
  {family = "elementwise", name = "lt.elementwise", make = vectors(2),
    call = function(x) return multiply_add(x[1], x[2]) end,
    known = function(device) return multiply_add(floats({0, 0}, device), floats({3, 4}, device)) end, answer = {0, 0}},
  {family = "tiled", name = "lt.compile", make = rows(5), call = function(x) return scaled_softmax(x[1]) end,
    bound = always(1e-6),
    known = function(device) return scaled_softmax(floats({{0, 0}}, device)) end, answer = {0.5, 0.5}},
  {family = "user_kernel", name = "lt.kernel", gpu = true, make = vectors(1),
    call = function(x) return double(x[1]) end,
    known = function(device) return double(floats({1, 2}, device)) end, answer = {2, 4}},
  {family = "fft", name = "transform", least = 1, make = vectors(1),
    call = function(x) return lt.view_as_real(lt.fft.fft(x[1])) end, bound = always(1e-5),
    known = function(device) return lt.view_as_real(lt.fft.fft(floats({1, 0, 0, 0}, device))) end,
    answer = {1, 0, 1, 0, 1, 0, 1, 0}},
  {family = "update", name = "step of an optimiser", make = vectors(2),
    call = function(x) return descend(x[1], x[2]) end, bound = always(1e-6),
    known = function(device) return descend(floats({1}, device), floats({2}, device)) end, answer = {0.8}},
  {family = "conv", name = "convolution", least = 1,
    make = function(n) return {lt.rand(1, 2, n), lt.rand(3, 2, 3)} end,
    call = function(x) return functional.conv1d(x[1], x[2], {padding = 1}) end, bound = always(1e-4),
    known = function(device) return functional.conv1d(floats({{{1, 2, 3}}}, device), floats({{{1, 1}}}, device)) end,
    answer = {3, 5}},
  {family = "pool", name = "pooling", least = 2, make = function(n) return {lt.rand(1, 2, n)} end,
    call = function(x) return functional.max_pool1d(x[1], 2) end,
    known = function(device) return functional.max_pool1d(floats({{{1, 3, 2, 4}}}, device), 2) end, answer = {3, 4}},
}

-- ---- running a case ----

--- Returns the rows whose families the device has.
-- @string device
function cases.of(device)
  local list = {}
  for _, row in ipairs(cases.list) do
    if not (row.gpu and device == core.host_device) then list[#list + 1] = row end
  end
  return list
end

--- Returns a copy of x on the device, whose first element is `offset` elements behind the start of an allocation.
-- @tensor x
-- @string device
-- @int offset
function cases.place(x, device, offset)
  local flat = lt.empty({x.size + offset}, {dtype = x.dtype, device = device})
  return flat:narrow(1, offset + 1, x.size):reshape(x.shape):copy_(x)
end

--- Returns the inputs of a row, which are the same at each call.
-- @tab row
-- @int n
function cases.inputs(row, n)
  lt.manual_seed(n + 11)
  return row.make(n)
end

--- Copies a row's inputs to the device. Returns a function that calls the row's function on the copies.
-- @tab row
-- @tab inputs on the CPU
-- @int n
-- @string device
-- @int offset see cases.place
-- @treturn function
function cases.bind(row, inputs, n, device, offset)
  local placed, state = {}, row.prepare and row.prepare(device)
  for i, x in ipairs(inputs) do placed[i] = cases.place(x, device, offset) end
  return function() return row.call(placed, n, device, state):detach() end
end

-- Returns a text about the first of the numbers that is wrong, or nil.
local function difference(found, wanted)
  if #found ~= #wanted then return ("%d numbers instead of %d"):format(#found, #wanted) end
  for i, v in ipairs(wanted) do
    if found[i] ~= found[i] or math.abs(found[i] - v) > 1e-4 then return ("%s instead of %s"):format(found[i], v) end
  end
end

--- Makes the small call of a row, whose answer is known.
-- @treturn[1] boolean true
-- @treturn[2] string what is wrong
function cases.knows(row, device)
  return difference(row.known(device):flatten():totable(), row.answer) or true
end

return cases
