-- tags: uncollected
-- Tests round trips, identities and invariants of tensors with random shapes, strides and dtypes. A failure's message
-- has the seed. If the environment variable LUATENSOR_SEED has this value, the spec repeats the failure.

local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local cases = require "spec.support.cases"

local SEED = tonumber(os.getenv "LUATENSOR_SEED") or os.time()
local ROUNDS = math.max(1, 12 // helpers.share)

local integers = {"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"}
local real_floats = {"float16", "bfloat16", "float32", "float64"}
local signed = {"int8", "int16", "int32", "int64", table.unpack(real_floats)}
local reals = {table.unpack(integers)}
for _, name in ipairs(real_floats) do reals[#reals + 1] = name end
local numbers = {"complex64", "complex128", table.unpack(reals)}
local all = {"bool", table.unpack(numbers)}
local blas = {"float32", "float64", "complex64", "complex128"}

-- ---- random tensors ------------------------------------------------------------------------------

-- Returns a table of functions that draw random values for a property.
local function new_source(seed)
  local source = {random = cases.random(seed)}

  -- Returns a random integer from low to high, both included.
  function source.integer(low, high) return low + source.random(high - low + 1) end

  function source.choice(list) return list[source.integer(1, #list)] end

  function source.order(n)
    local order = {}
    for i = 1, n do table.insert(order, source.integer(1, i), i) end
    return order
  end

  -- Returns a shape of `least` (default 1) to 4 dims of length 0 to 5; length 0 is rare.
  function source.shape(least)
    local shape = {}
    for d = 1, source.integer(least or 1, 4) do shape[d] = source.random(20) == 0 and 0 or source.integer(1, 5) end
    return shape
  end

  -- Returns small integers of a dtype, so that sums and products are exact.
  function source.values(shape, dtype)
    local negative = dtype:find "^int" or dtype:find "^float" or dtype:find "^bfloat" or dtype:find "^complex"
    local low, high = negative and -3 or 0, dtype == "bool" and 1 or 3
    local n, data, imaginary = 1, {}, {}
    for _, size in ipairs(shape) do n = n * size end
    for i = 1, n do data[i], imaginary[i] = source.integer(low, high), source.integer(low, high) end
    local function make(list) return n > 0 and lt.tensor(list):reshape(shape) or lt.zeros(shape, {dtype = "int64"}) end
    if not dtype:find "^complex" then return make(data):to(dtype) end
    return lt.complex(make(data):to("float64"), make(imaginary):to("float64")):to(dtype)
  end

  -- Returns x or, in three of four cases, a tensor with the same elements and other strides.
  function source.laid_out(x)
    local way = source.integer(1, 4)
    if way == 1 then return x end
    if way == 2 then return x:flip():contiguous():flip() end
    if way == 3 then
      local order, back = source.order(x.ndim), {}
      for d, from in ipairs(order) do back[from] = d end
      return x:permute_dims(order):contiguous():permute_dims(back)
    end
    local wide, key = table.move(x.shape, 1, x.ndim, 1, {}), {}
    for d = 1, x.ndim do key[d] = {} end
    wide[x.ndim], key[x.ndim] = 2 * wide[x.ndim], {1, math.max(0, 2 * wide[x.ndim] - 1), 2}
    local holes = lt.zeros(wide, {dtype = x.dtype})
    if x.size > 0 then holes[key] = x end
    return x.size > 0 and holes[key] or x
  end

  function source.tensor(dtypes, shape) return source.laid_out(source.values(shape or source.shape(), source.choice(dtypes))) end

  return source
end

-- ---- assertions ----------------------------------------------------------------------------------

local function describe_tensor(x) return ("%s %s"):format(x.dtype, x.shape) end

local function same(want, got)
  assert(want.dtype == got.dtype and want.shape == got.shape,
         ("%s expected, got %s"):format(describe_tensor(want), describe_tensor(got)))
  assert(want.size == 0 or want:equal(got):all():item(), ("expected %s\ngot %s"):format(want, got))
end

-- Checks that two tensors are equal except for rounding errors. The bound of an error is 1000 eps times the largest
-- magnitude, or 1000 eps if all magnitudes are below 1.
local function close(want, got)
  assert(want.dtype == got.dtype and want.shape == got.shape,
         ("%s expected, got %s"):format(describe_tensor(want), describe_tensor(got)))
  if want.size == 0 then return end
  local wide = want:subtract(got):abs():to("float64"):max():item()
  local bound = 1e3 * lt.finfo(want:abs().dtype).eps * math.max(1, want:abs():to("float64"):max():item())
  assert(wide <= bound, ("off by %g:\nexpected %s\ngot %s"):format(wide, want, got))
end

-- Runs f(source) ROUNDS times, each time with a seed of its own.
local function property(name, f)
  it(name, function()
    for round = 1, ROUNDS do
      local seed = SEED * 1000 + round
      local ok, message = pcall(f, new_source(seed))
      assert(ok, ("round %d, LUATENSOR_SEED=%d: %s"):format(round, SEED, tostring(message)))
    end
  end)
end

-- ---- properties ----------------------------------------------------------------------------------

describe("shapes:", function()
  property("stack and unstack", function(s)
    local shape, dtype, list = s.shape(), s.choice(all), {}
    for i = 1, s.integer(1, 4) do list[i] = s.laid_out(s.values(shape, dtype)) end
    local dim = s.integer(1, #shape + 1)
    local back = lt.stack(list, dim):unstack(dim)
    assert(#back == #list)
    for i, x in ipairs(list) do same(x, back[i]) end
  end)

  property("split and concat", function(s)
    local x = s.tensor(all)
    local dim = s.integer(1, x.ndim)
    same(x, lt.concat(x:split(s.integer(1, 3), dim), dim))
    same(x, lt.concat(x:chunk(s.integer(1, 3), dim), dim))
    local cut = s.integer(0, x.shape[dim])
    same(x, lt.concat(x:split({cut, x.shape[dim] - cut}, dim), dim))
  end)

  property("permute_dims and back, moveaxis and back", function(s)
    local x = s.tensor(all)
    local order, back = s.order(x.ndim), {}
    for d, from in ipairs(order) do back[from] = d end
    same(x, x:permute_dims(order):permute_dims(back))
    local a, b = s.integer(1, x.ndim), s.integer(1, x.ndim)
    same(x, x:moveaxis(a, b):moveaxis(b, a))
    same(x, x:swapaxes(a, b):swapaxes(a, b))
  end)

  property("reshape and back, flatten, expand_dims and squeeze", function(s)
    local x = s.tensor(all)
    same(x, x:reshape(x.size):reshape(x.shape))
    same(x:contiguous():reshape(x.size), x:flatten())
    local dim = s.integer(1, x.ndim + 1)
    same(x, x:expand_dims(dim):squeeze(dim))
    same(x, x:expand_dims {1, -1}:squeeze {1, -1})
  end)

  property("flip twice, one dim after the other", function(s)
    local x = s.tensor(all)
    same(x, x:flip():flip())
    local y = x
    for d = 1, x.ndim do y = y:flip(d) end
    same(x:flip(), y)
  end)

  property("roll and back, all the way round", function(s)
    local x = s.tensor(all)
    local dim, shift = s.integer(1, x.ndim), s.integer(-9, 9)
    same(x, x:roll(shift, dim):roll(-shift, dim))
    same(x, x:roll(shift):roll(-shift))
    same(x, x:roll(x.shape[dim], dim))
    same(x:roll(1, dim):roll(shift, dim), x:roll(shift + 1, dim))
  end)

  property("tile is concat of copies, repeat is stack and flatten", function(s)
    local x = s.tensor(all, s.shape(2))
    local n, dim, times = s.integer(1, 3), s.integer(1, x.ndim), {}
    local copies = {}
    for i = 1, n do copies[i] = x end
    for d = 1, x.ndim do times[d] = d == dim and n or 1 end
    same(lt.concat(copies, dim), x:tile(times))
    same(lt.stack(copies, dim + 1):flatten(dim, dim + 1), x:repeat_interleave(n, dim))
    same(x:repeat_interleave(n, dim), x:repeat_interleave(lt.full({x.shape[dim]}, n), dim))
  end)

  property("pad and cut off", function(s)
    local x = s.tensor(all)
    local widths, back = {}, {}
    for k = 1, 2 * x.ndim do
      widths[k] = s.integer(0, 2)
      back[k] = -widths[k]
    end
    same(x, x:pad(widths):pad(back))
    if x.size > 0 then same(x, x:pad(widths, {mode = "replicate"}):pad(back)) end
  end)

  property("broadcast_to repeats", function(s)
    local x, n = s.tensor(all), s.integer(1, 3)
    local shape = {n, table.unpack(x.shape)}
    for _, row in x:broadcast_to(shape):rows() do same(x, row) end
    local a, b = lt.broadcast_arrays(x, x:broadcast_to(shape))
    same(a, b)
  end)

  property("meshgrid of ij and of xy are each other's transposes", function(s)
    local list, n = {}, s.integer(2, 3)
    for i = 1, n do list[i] = s.tensor(all, {s.integer(1, 4)}) end
    local xy = {lt.meshgrid(table.unpack(list))}
    list[n + 1] = {indexing = "ij"}
    local ij = {lt.meshgrid(table.unpack(list))}
    for i = 1, n do
      same(ij[i], xy[i]:swapaxes(1, 2))
      same(list[i], ij[i]:moveaxis(i, 1):flatten(2, -1)[{ {}, 1 }])
    end
  end)

  property("tril and triu part a matrix", function(s)
    local x, k = s.tensor(numbers, {s.integer(0, 4), s.integer(0, 4)}), s.integer(-4, 4)
    same(x, x:tril(k):add(x:triu(k + 1)))
    same(x:tril(k), x.T:triu(-k).T)
    same(x:diagonal(), x:tril():triu():diagonal())
  end)
end)

describe("elements:", function()
  property("bytes, copies, conversions and back", function(s)
    local x = s.tensor(all)
    same(x, lt.from_bytes(x:to_bytes(), x.shape, {dtype = x.dtype}))
    same(x, x:clone())
    same(x, lt.from_dlpack(x, {copy = true}))
    if not x.dtype:find "complex" then same(x, x:to("complex128"):real():to(x.dtype)) end
    if x.size > 0 then same(x, lt.tensor(x:totable(), {dtype = x.dtype})) end
  end)

  property("take of all, of none, gather and scatter by a permutation", function(s)
    local x = s.tensor(all)
    local dim = s.integer(1, x.ndim)
    local n, shape = x.shape[dim], {}
    same(x, x:take(lt.range(1, n), dim))
    if n == 0 then return end
    local order = lt.tensor(s.order(n))
    for d = 1, x.ndim do shape[d] = d == dim and n or 1 end
    local at = order:reshape(shape):broadcast_to(x.shape)
    same(x:take(order, dim), x:take_along_axis(at, dim))
    same(x, lt.zeros_like(x):scatter(dim, at, x:take(order, dim)))
  end)

  property("where and masks", function(s)
    local x = s.tensor(all)
    local y, mask = s.laid_out(s.values(x.shape, x.dtype)), s.values(x.shape, "bool")
    local mixed = lt.where(mask, x, y)
    same(mixed, lt.where(mask:logical_not(), y, x))
    same(mixed, y:masked_scatter(mask, x:masked_select(mask)))
    same(x:flatten(), x:masked_select(lt.ones(x.shape, {dtype = "bool"})))
    assert(mask:count_nonzero():item() == x:masked_select(mask).size)
  end)

  property("nonzero finds what is there", function(s)
    local mask = s.tensor({"bool"})
    local key, back = {mask:nonzero()}, lt.zeros(mask.shape, {dtype = "bool"})
    back[key] = true
    same(mask:contiguous(), back)
  end)

  property("not not, xor twice, de Morgan", function(s)
    local x = s.tensor({"bool", table.unpack(integers)})
    local y = s.laid_out(s.values(x.shape, x.dtype))
    same(x, x:bitwise_invert():bitwise_invert())
    same(x, x:bitwise_xor(y):bitwise_xor(y))
    same(x:bitwise_and(y):bitwise_invert(), x:bitwise_invert():bitwise_or(y:bitwise_invert()))
    same(x:logical_and(y):logical_not(), x:logical_not():logical_or(y:logical_not()))
    if x.dtype ~= "bool" then same(x, x:bitwise_left_shift(2):bitwise_right_shift(2)) end
  end)

  property("quotient and remainder", function(s)
    local x = s.tensor(reals)
    local y = s.values(x.shape, x.dtype)
    y = lt.where(y:equal(0), lt.ones_like(y), y)
    same(x, x:floor_divide(y):multiply(y):add(x:remainder(y)))
  end)

  property("largest and smallest", function(s)
    local x = s.tensor(signed)
    local y = s.laid_out(s.values(x.shape, x.dtype))
    same(x:maximum(y), x:negative():minimum(y:negative()):negative())
    same(x:add(y), x:maximum(y):add(x:minimum(y)))
    if x.size > 0 then same(x:max(), x:negative():min():negative()) end
  end)

  property("parts of complex numbers", function(s)
    local z = s.tensor({"complex64", "complex128"})
    same(z, lt.complex(z:real(), z:imag()))
    same(z, z:conj():conj())
    same(z:real():square():add(z:imag():square()), z:multiply(z:conj()):real())
    close(z:abs():square(), z:multiply(z:conj()):real())
    same(z, lt.view_as_complex(lt.view_as_real(z:contiguous())))
  end)
end)

describe("reductions:", function()
  property("in one go and dim by dim", function(s)
    local x = s.tensor(numbers)
    local one = x
    for _ = 1, x.ndim do one = one:sum(1, {dtype = x.dtype}) end
    -- bfloat16 rounds integers above 256, float16 above 2048
    if not x.dtype:find "float16" then same(x:sum({dtype = x.dtype}), one) end
    local b = x:not_equal(0)
    same(b:any(), b:logical_not():all():logical_not())
    same(b:count_nonzero(), b:sum())
  end)

  property("running sums and differences", function(s)
    local x = s.tensor(numbers)
    local dim = s.integer(1, x.ndim)
    local sums = x:cumulative_sum(dim, {dtype = x.dtype, include_initial = true})
    same(x, sums:diff(dim))
    if x.shape[dim] > 0 then same(x:sum(dim, {dtype = x.dtype}), sums:narrow(dim, -1, 1):squeeze(dim)) end
    same(x:cumulative_sum(dim, {dtype = x.dtype}), sums:narrow(dim, 2, x.shape[dim]))
  end)

  property("argmax and argmin point at them", function(s)
    local x = s.tensor(reals, {s.integer(1, 5), s.integer(1, 5), s.integer(1, 5)})
    local dim = s.integer(1, 3)
    for _, pair in ipairs {{x.argmax, x.max}, {x.argmin, x.min}} do
      local at = pair[1](x, dim, {keepdim = true})
      same(pair[2](x, dim, {keepdim = true}), x:take_along_axis(at, dim))
    end
  end)

  property("mean, var, std", function(s)
    local x = s.tensor({"float32", "float64"}, {s.integer(2, 6), s.integer(1, 4)})
    close(x:mean(1):multiply(x.shape[1]), x:sum(1))
    close(x:std(1):square(), x:var(1))
    close(x:square():mean(1):subtract(x:mean(1):square()), x:var(1))
  end)
end)

describe("order:", function()
  property("sort and argsort", function(s)
    local x = s.tensor({"bool", table.unpack(reals)})
    local dim = s.integer(1, x.ndim)
    local sorted, at = x:sort(dim), x:argsort(dim)
    if x.size == 0 then return end
    same(sorted, x:take_along_axis(at, dim))
    same(sorted, (sorted:sort(dim)))
    same(sorted:flip(dim), (x:sort(dim, {descending = true})))
    same(at, at:argsort(dim):argsort(dim))
    same(lt.range(1, x.shape[dim]), (at:sort(dim)):moveaxis(dim, -1):reshape(-1, x.shape[dim])[1])
  end)

  property("searchsorted finds what was sorted", function(s)
    local x = s.tensor(reals, {s.integer(1, 9)})
    local sorted = x:sort()
    same(x, sorted:take(sorted:searchsorted(x), 1))
    same(x, sorted:take(sorted:searchsorted(x, {side = "right"}):subtract(1), 1))
  end)

  property("sets", function(s)
    local x = s.tensor({"bool", table.unpack(reals)})
    local values, at = lt.unique_inverse(x)
    same(x, values:take(at:flatten(), 1):reshape(x.shape))
    local _, counts = lt.unique_counts(x)
    if x.size > 0 then assert(counts:sum():item() == x.size) end
    assert(x.size == 0 or lt.isin(x, values):all():item())
    same(lt.isin(x, x:flatten()[{ {1, math.min(1, x.size)} }]),
         lt.isin(x, x:flatten()[{ {1, math.min(1, x.size)} }], {invert = true}):logical_not())
  end)
end)

describe("products:", function()
  property("transposes, distribution, the ways to say it", function(s)
    local m, k, n, dtype = s.integer(0, 5), s.integer(0, 5), s.integer(0, 5), s.choice(numbers)
    local x, y = s.tensor({dtype}, {m, k}), s.tensor({dtype}, {k, n})
    local z = s.tensor({dtype}, {k, n})
    local product = x:matmul(y)
    same(product, y.T:matmul(x.T).T)
    same(x:matmul(y:add(z)), product:add(x:matmul(z)))
    same(product, lt.tensordot(x, y, 1))
    same(product, lt.einsum("ij,jk->ik", x, y))
    same(product, x:expand_dims(3):multiply(y):sum(2, {dtype = dtype}))
    same(lt.einsum("ij,ij->i", x, x), lt.einsum("ij,ij->ji", x, x):sum(1, {dtype = dtype}))
  end)

  property("batches are products one by one", function(s)
    local dtype, b, n = s.choice(numbers), s.integer(1, 4), s.integer(1, 5)
    local x, y = s.tensor({dtype}, {b, n, 3}), s.tensor({dtype}, {b, 3, n})
    local product = x:matmul(y)
    for i = 1, b do same(x[i]:matmul(y[i]), product[i]) end
    same(product, lt.einsum("bij,bjk->bik", x, y))
    same(x:matmul(y[1]), lt.einsum("bij,jk", x, y[1]):reshape(b, n, n))
  end)
end)

describe("linear algebra:", function()
  -- Returns a batch of invertible matrices.
  local function matrices(s, n)
    local x = s.tensor(blas, {s.integer(1, 3), n, n})
    return x:add(lt.eye(n):multiply(24):to(x.dtype))
  end

  property("inverses and solutions", function(s)
    local n = s.integer(1, 5)
    local a, one = matrices(s, n), nil
    one = lt.eye(n):to(a.dtype):broadcast_to(a.shape)
    close(one, a:matmul(lt.linalg.inv(a)))
    local x = s.tensor({a.dtype}, {a.shape[1], n, 2})
    close(x, lt.linalg.solve(a, a:matmul(x)))
    close(lt.linalg.det(a), lt.linalg.det(a.mT))
    close(lt.linalg.matrix_power(a, 2), a:matmul(a))
  end)

  property("factors", function(s)
    local x = s.tensor(blas, {s.integer(1, 2), s.integer(1, 5), s.integer(1, 5)})
    local q, r = lt.linalg.qr(x)
    close(x, q:matmul(r))
    local u, sigma, vh = lt.linalg.svd(x, {full_matrices = false})
    close(x, u:multiply(sigma:expand_dims(2):to(x.dtype)):matmul(vh))
    close(lt.linalg.svdvals(x), sigma)
    local a = matrices(s, 3)
    local positive = a:matmul(a.mT:conj())
    local l = lt.linalg.cholesky(positive)
    close(positive, l:matmul(l.mT:conj()))
    local w, v = lt.linalg.eigh(positive)
    close(positive:matmul(v), v:multiply(w:expand_dims(2):to(v.dtype)))
  end)
end)

describe("Fourier transforms:", function()
  property("there and back", function(s)
    local z = s.tensor({"complex64", "complex128"}, {s.integer(1, 3), s.integer(1, 12)})
    for _, norm in ipairs {"backward", "ortho", "forward"} do
      close(z, lt.fft.ifft(lt.fft.fft(z, {norm = norm}), {norm = norm}))
      close(z, lt.fft.ifftn(lt.fft.fftn(z, {norm = norm}), {norm = norm}))
    end
    local x = z:real()
    close(x, lt.fft.irfft(lt.fft.rfft(x), {n = x.shape[2]}))
    close(lt.fft.fft(x:to(z.dtype))[{ {}, {1, x.shape[2] // 2 + 1} }], lt.fft.rfft(x))
    same(x, lt.fft.ifftshift(lt.fft.fftshift(x)))
  end)

  property("Parseval's identity", function(s)
    local z = s.tensor({"complex64", "complex128"}, {s.integer(1, 30)})
    close(z:abs():square():sum(), lt.fft.fft(z, {norm = "ortho"}):abs():square():sum())
  end)
end)
