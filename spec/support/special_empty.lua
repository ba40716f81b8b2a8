-- The results of each function for 0-d tensors and for tensors without elements. A row has a name and the result for
-- each shape. If the call is not lt.name(x), the row also has a function that makes the call. The numbers in x are 2.
--
-- A result is written as the shape of a tensor; "[3] 0" also has the value of all its elements. "same" is x's shape.
-- Several results are separated by "|". A Lua value is written as in Lua. "error" is an error whose message begins with
-- the function's name.
local lt = require "luatensor"

local empty = {shapes = {{}, {0}, {0, 3}, {3, 0}, {2, 0, 3}}, matrices = {{0, 0}, {2, 0, 0}, {0, 2, 2}}, rows = {}}

local function positions(...) return lt.zeros({...}, {dtype = "int64"}) end
local function mask(x) return lt.ones_like(x, {dtype = "bool"}) end
local function turned(x) return x.ndim >= 2 and x.mT or x end
local function letters(x) return ("abcd"):sub(1, x.ndim) end

local function row(name, of_0d, of_0, of_0_3, of_3_0, of_2_0_3, call)
  empty.rows[name] = {expected = {of_0d, of_0, of_0_3, of_3_0, of_2_0_3}, call = call}
end
local function same(name, call) row(name, "same", "same", "same", "same", "same", call) end

-- ---- creation, copies, conversions ----

for name in ("zeros_like ones_like empty_like rand_like randn_like contiguous clone asarray"):gmatch "%S+" do
  same(name)
end
same("pin_memory", function(x) return lt.cuda.is_available() and lt.pin_memory(x:to("cpu")) or x end)
same("full_like", function(x) return lt.full_like(x, 1) end)
same("astype", function(x) return lt.astype(x, "float64") end)
same("to", function(x) return lt.to(x, "float64") end)
same("from_dlpack", function(x) return lt.from_dlpack(x:to("cpu"):to_dlpack()) end)
same("to_dlpack", function(x) return lt.from_dlpack(lt.to_dlpack(x:to("cpu"))) end)
same("from_bytes", function(x) return lt.from_bytes(x:to_bytes(), x.shape, {dtype = x.dtype}) end)
row("to_bytes", "8 bytes", "0 bytes", "0 bytes", "0 bytes", "0 bytes",
    function(x) return #lt.to_bytes(x:to("float64")) .. " bytes" end)

local function through_file(x)
  local path = os.tmpname()
  lt.save(path, x)
  local y = lt.load(path)
  os.remove(path)
  return y
end
same("save", through_file)
same("load", through_file)

row("totable", "2", "{}", "{}", "{{}, {}, {}}", "{{}, {}}")
row("item", "2", "error", "error", "error", "error")
row("data_ptr", "integer", "integer", "integer", "integer", "integer", function(x) return math.type(lt.data_ptr(x)) end)
same "detach"
same("x:requires_grad_", function(x) return x:requires_grad_() end)
same("x:detach_", function(x) return x:detach_() end)
same("x:retain_grad", function(x)
  local y = x:requires_grad_():exp()
  y:retain_grad()
  y:sum():backward()
  return y.grad
end)
same("x:backward", function(x)
  x:requires_grad_():exp():sum():backward()
  return x.grad
end)
same("no_grad", function(x) return lt.no_grad(lt.positive, x) end)
same("enable_grad", function(x) return lt.enable_grad(lt.positive, x) end)
same("detect_anomaly", function(x) return lt.detect_anomaly(lt.positive, x) end)
row("free", "", "", "", "", "", function(x) return lt.free(x:clone()) end)
row("is_tensor", "true", "true", "true", "true", "true")
row("is_contiguous", "true", "true", "true", "true", "true")
row("is_pinned", "false", "false", "false", "false", "false", function(x) return lt.is_pinned(x:to("cpu")) end)
row("result_type", "float32", "float32", "float32", "float32", "float32", function(x) return lt.result_type(x:to("float32"), 1) end)
row("can_cast", "true", "true", "true", "true", "true", function(x) return lt.can_cast(x, x.dtype) end)

-- ---- element by element ----
-- The other ops of the op table have automatic rows.

same("where", function(x) return lt.where(mask(x), x, x) end)
same("compile", function(x) return lt.compile(function(y) return y * 2 + 1 end)(x) end)
same("elementwise", function(x) return lt.elementwise("float32 a, float32 b", "a * b + 1")(x, x) end)
same("complex", function(x) return lt.complex(x, x) end)
same("real")
same("imag", function(x) return lt.imag(lt.complex(x, x)) end)
row("view_as_real", "[2]", "[0, 2]", "[0, 3, 2]", "[3, 0, 2]", "[2, 0, 3, 2]",
    function(x) return lt.view_as_real(lt.complex(x, x)) end)
same("view_as_complex", function(x) return lt.view_as_complex(lt.view_as_real(lt.complex(x, x))) end)
row("allclose", "true", "true", "true", "true", "true", function(x) return lt.allclose(x, x) end)
row("equal_all", "true", "true", "true", "true", "true", function(x) return lt.equal_all(x, x) end)
same("masked_fill", function(x) return lt.masked_fill(x, mask(x), 1) end)
same("masked_scatter", function(x) return lt.masked_scatter(x, mask(x), x) end)
row("masked_select", "[1]", "[0]", "[0]", "[0]", "[0]", function(x) return lt.masked_select(x, mask(x)) end)
same("bernoulli", function(x) return lt.bernoulli(x * 0) end)

-- ---- reductions ----

row("sum", "[] 2", "[] 0", "[] 0", "[] 0", "[] 0")
row("prod", "[] 2", "[] 1", "[] 1", "[] 1", "[] 1")
row("mean", "[] 2", "[] NaN", "[] NaN", "[] NaN", "[] NaN")
row("var", "[] 0", "[] NaN", "[] NaN", "[] NaN", "[] NaN")
row("std", "[] 0", "[] NaN", "[] NaN", "[] NaN", "[] NaN")
row("max", "[] 2", "error", "error", "error", "error")
row("min", "[] 2", "error", "error", "error", "error")
row("argmax", "[] 1", "error", "error", "error", "error")
row("argmin", "[] 1", "error", "error", "error", "error")
row("any", "[] true", "[] false", "[] false", "[] false", "[] false")
row("all", "[] true", "[] true", "[] true", "[] true", "[] true")
row("count_nonzero", "[] 1", "[] 0", "[] 0", "[] 0", "[] 0")
row("logsumexp", "[] 2", "[] -inf", "[] -inf", "[] -inf", "[] -inf")
row("norm", "[] 2", "[] 0", "[] 0", "[] 0", "[] 0")
row("median", "[] 2", "[] NaN", "[] NaN", "[] NaN", "[] NaN")
row("quantile", "[] 2", "error", "error", "error", "error", function(x) return lt.quantile(x, 0.5) end)
row("nansum", "[] 2", "[] 0", "[] 0", "[] 0", "[] 0")
row("nanmean", "[] 2", "[] NaN", "[] NaN", "[] NaN", "[] NaN")
row("nanvar", "[] 0", "[] NaN", "[] NaN", "[] NaN", "[] NaN")
row("nanstd", "[] 0", "[] NaN", "[] NaN", "[] NaN", "[] NaN")
row("nanmin", "[] 2", "error", "error", "error", "error")
row("nanmax", "[] 2", "error", "error", "error", "error")
row("nanmedian", "[] 2", "[] NaN", "[] NaN", "[] NaN", "[] NaN")
row("nanquantile", "[] 2", "error", "error", "error", "error", function(x) return lt.nanquantile(x, 0.5) end)
row("histogram", "[4] | [5]", "[4] 0 | [5]", "[4] 0 | [5]", "[4] 0 | [5]", "[4] 0 | [5]", function(x) return lt.histogram(x, 4) end)
row("bincount", "error", "[0]", "error", "error", "error", function(x) return lt.bincount(x:to("int64")) end)

-- ---- along a dim ----

for name, of_two in pairs {cumulative_sum = 2, cumulative_prod = 2, cumulative_max = 2, cumulative_min = 2, softmax = 1,
                           log_softmax = 0, sort = 2, argsort = 1} do
  row(name, "[] " .. of_two, "same", "same", "same", "same", function(x) return lt[name](x, -1) end)
end
row("topk", "[0] | [0]", "[0] | [0]", "[0, 0] | [0, 0]", "[3, 0] | [3, 0]", "[2, 0, 0] | [2, 0, 0]",
    function(x) return lt.topk(x, 0) end)
row("diff", "error", "[0]", "[0, 2]", "[3, 0]", "[2, 0, 2]")
row("searchsorted", "[] 1", "[0]", "[0, 3]", "[3, 0]", "[2, 0, 3]",
    function(x) return lt.searchsorted(lt.zeros({0}, {dtype = x.dtype}), x) end)

-- ---- sets ----

row("isin", "[] true", "same", "same", "same", "same", function(x) return lt.isin(x, x) end)
row("unique_values", "[1] 2", "[0]", "[0]", "[0]", "[0]")
row("unique_counts", "[1] 2 | [1] 1", "[0] | [0]", "[0] | [0]", "[0] | [0]", "[0] | [0]")
row("unique_inverse", "[1] 2 | [] 1", "[0] | [0]", "[0] | [0, 3]", "[0] | [3, 0]", "[0] | [2, 0, 3]")
row("unique_all", "[1] 2 | [1] 1 | [] 1 | [1] 1", "[0] | [0] | [0] | [0]", "[0] | [0] | [0, 3] | [0]",
    "[0] | [0] | [3, 0] | [0]", "[0] | [0] | [2, 0, 3] | [0]")

-- ---- positions ----

row("nonzero", "error", "[0]", "[0] | [0]", "[0] | [0]", "[0] | [0] | [0]")
row("argwhere", "[1, 0]", "[0, 1]", "[0, 2]", "[0, 2]", "[0, 3]")
row("take", "error", "[0]", "[0, 3]", "[0, 0]", "[0, 0, 3]", function(x) return lt.take(x, positions(0), 1) end)
row("take_along_axis", "error", "same", "same", "same", "same",
    function(x) return lt.take_along_axis(x, lt.ones_like(x, {dtype = "int64"}), -1) end)
for name, of_two in pairs {gather = 2, scatter = 1, scatter_add = 3, index_add = 2} do
  row(name, "[] " .. of_two, "same", "same", "same", "same", function(x)
    local index = name == "index_add" and positions(0) or lt.ones_like(x, {dtype = "int64"})
    if name == "gather" then return lt.gather(x, 1, index) end
    return lt[name](x, 1, index, 1)
  end)
end

-- ---- shapes ----

row("reshape", "[1]", "[0]", "[0]", "[0]", "[0]", function(x) return lt.reshape(x, -1) end)
row("flatten", "[1]", "[0]", "[0]", "[0]", "[0]")
row("unflatten", "error", "[1, 0]", "[1, 0, 3]", "[1, 3, 0]", "[1, 2, 0, 3]", function(x) return lt.unflatten(x, 1, {1, -1}) end)
row("expand_dims", "[1]", "[1, 0]", "[1, 0, 3]", "[1, 3, 0]", "[1, 2, 0, 3]", function(x) return lt.expand_dims(x, 1) end)
same("squeeze")
same("broadcast_to", function(x) return lt.broadcast_to(x, x.shape) end)
row("broadcast_arrays", "[] | [1]", "[0] | [0]", "[0, 3] | [0, 3]", "[3, 0] | [3, 0]", "[2, 0, 3] | [2, 0, 3]",
    function(x)
      local y, one = lt.broadcast_arrays(x, lt.ones(1):reshape(x.ndim > 0 and {1} or {}))
      return y, x.ndim > 0 and one or one:reshape(1)
    end)
row("permute_dims", "[]", "[0]", "[3, 0]", "[0, 3]", "[3, 0, 2]", function(x)
  local order = {}
  for d = 1, x.ndim do order[d] = x.ndim + 1 - d end
  return lt.permute_dims(x, order)
end)
row("moveaxis", "error", "[0]", "[3, 0]", "[0, 3]", "[0, 3, 2]", function(x) return lt.moveaxis(x, 1, -1) end)
row("swapaxes", "[]", "[0]", "[3, 0]", "[0, 3]", "[3, 0, 2]", function(x) return lt.swapaxes(x, 1, -1) end)
row("matrix_transpose", "error", "error", "[3, 0]", "[0, 3]", "[2, 3, 0]")
row("narrow", "error", "[0]", "[0, 3]", "[0, 0]", "[0, 0, 3]", function(x) return lt.narrow(x, 1, 1, 0) end)
same("flip")
same("roll", function(x) return lt.roll(x, 1) end)
row("tile", "[2]", "[0]", "[0, 6]", "[3, 0]", "[2, 0, 6]", function(x) return lt.tile(x, 2) end)
row("repeat", "[2]", "[0]", "[0]", "[0]", "[0]", function(x) return lt["repeat"](x, 2) end)
row("pad", "error", "[2]", "[0, 5]", "[3, 2]", "[2, 0, 5]", function(x) return lt.pad(x, {1, 1}) end)
row("tril", "error", "error", "same", "same", "same")
row("triu", "error", "error", "same", "same", "same")
row("diag", "error", "[0, 0]", "[0]", "[0]", "error")
row("diagonal", "error", "error", "[0]", "[0]", "[2, 0]")
row("meshgrid", "[1, 1] 2 | [1, 1] 2", "[0, 0] | [0, 0]", "error", "error", "error", function(x) return lt.meshgrid(x, x) end)
row("concat", "error", "[0]", "[0, 3]", "[6, 0]", "[4, 0, 3]", function(x) return lt.concat({x, x}) end)
row("stack", "[2]", "[2, 0]", "[2, 0, 3]", "[2, 3, 0]", "[2, 2, 0, 3]", function(x) return lt.stack({x, x}) end)
row("split", "error", "{[0]}", "{[0, 3]}", "{[2, 0], [1, 0]}", "{[2, 0, 3]}", function(x) return lt.split(x, 2) end)
row("chunk", "error", "{[0]}", "{[0, 3]}", "{[2, 0], [1, 0]}", "{[1, 0, 3], [1, 0, 3]}", function(x) return lt.chunk(x, 2) end)
row("unstack", "error", "{}", "{}", "{[0], [0], [0]}", "{[0, 3], [0, 3]}")
row("rows", "error", "0", "0", "3", "2", function(x)
  local n = 0
  for i in lt.rows(x) do n = i end
  return n
end)
row("shuffle", "error", "same", "same", "same", "same")
row("multinomial", "error", "error", "error", "error", "error", function(x) return lt.multinomial(x, 1) end)

-- ---- products ----

row("matmul", "error", "[] 0", "[0, 0]", "[3, 3] 0", "[2, 0, 0]", function(x) return lt.matmul(x, turned(x)) end)
row("mm", "error", "error", "[0, 0]", "[3, 3] 0", "error", function(x) return lt.mm(x, turned(x)) end)
row("bmm", "error", "error", "error", "error", "[2, 0, 0]", function(x) return lt.bmm(x, turned(x)) end)
row("addmm", "error", "error", "[0, 0]", "[3, 3] 1", "error",
    function(x) return lt.addmm(lt.ones({1}, {dtype = x.dtype}), x, turned(x)) end)
row("mv", "error", "error", "[0]", "[3] 0", "error",
    function(x) return lt.mv(x, lt.ones({x.ndim > 1 and x.shape[2] or 0}, {dtype = x.dtype})) end)
row("dot", "error", "[] 0", "error", "error", "error", function(x) return lt.dot(x, x) end)
row("outer", "error", "[0, 0]", "error", "error", "error", function(x) return lt.outer(x, x) end)
row("vecdot", "error", "[] 0", "[0]", "[3] 0", "[2, 0]", function(x) return lt.vecdot(x, x) end)
row("tensordot", "[] 4", "[] 0", "[] 0", "[] 0", "[] 0", function(x) return lt.tensordot(x, x, x.ndim) end)
row("einsum", "[] 4", "[] 0", "[] 0", "[] 0", "[] 0",
    function(x) return lt.einsum(("%s,%s->"):format(letters(x), letters(x)), x, x) end)

-- ---- in-place methods that do not belong to an op of the op table ----

same("x:zero_", function(x) return x:zero_() end)
same("x:fill_", function(x) return x:fill_(1) end)
same("x:copy_", function(x) return x:copy_(x:clone()) end)
same("x:uniform_", function(x) return x:uniform_() end)
same("x:normal_", function(x) return x:normal_() end)
same("x:random_", function(x) return x:random_(1, 6) end)
same("x:bernoulli_", function(x) return x:bernoulli_(0.5) end)
same("x:masked_fill_", function(x) return x:masked_fill_(mask(x), 1) end)
row("x:shuffle_", "error", "same", "same", "same", "same", function(x) return x:shuffle_() end)
row("x:addmm_", "error", "error", "error", "error", "error", function(x) return x:addmm_(x, turned(x)) end)
for name, of_two in pairs {scatter_ = 1, scatter_add_ = 3, index_add_ = 2} do
  row("x:" .. name, "[] " .. of_two, "same", "same", "same", "same", function(x)
    return x[name](x, 1, name == "index_add_" and positions(0) or lt.ones_like(x, {dtype = "int64"}), 1)
  end)
end

-- ---- Fourier transforms ----
-- A dim without elements cannot be transformed.

for name in ("fft ifft"):gmatch "%S+" do row("fft." .. name, "error", "error", "same", "error", "same") end
row("fft.rfft", "error", "error", "[0, 2]", "error", "[2, 0, 2]")
row("fft.ihfft", "error", "error", "[0, 2]", "error", "[2, 0, 2]")
row("fft.irfft", "error", "error", "[0, 4]", "error", "[2, 0, 4]")
row("fft.hfft", "error", "error", "[0, 4]", "error", "[2, 0, 4]")
for name in ("fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2"):gmatch "%S+" do
  row("fft." .. name, "error", "error", "error", "error", "error")
end
same "fft.fftshift"
same "fft.ifftshift"

-- ---- square matrices ----
-- The shapes are [0, 0], [2, 0, 0], and an empty batch of 2 × 2 matrices.

local function square(name, of_0_0, of_2_0_0, of_0_2_2, call)
  empty.rows["linalg." .. name] = {matrices = true, expected = {of_0_0, of_2_0_0, of_0_2_2}, call = call}
end
local linalg = rawget(lt, "linalg")
local function by(name, ...)
  local more = {...}
  return function(x) return linalg[name](x, table.unpack(more)) end
end

square("det", "[] 1", "[2] 1", "[0]")
square("slogdet", "[] 1 | [] 0", "[2] 1 | [2] 0", "[0] | [0]")
square("inv", "same", "same", "same")
square("pinv", "same", "same", "same")
square("cholesky", "same", "same", "same")
square("qr", "[0, 0] | [0, 0]", "[2, 0, 0] | [2, 0, 0]", "[0, 2, 2] | [0, 2, 2]")
square("svd", "[0, 0] | [0] | [0, 0]", "[2, 0, 0] | [2, 0] | [2, 0, 0]", "[0, 2, 2] | [0, 2] | [0, 2, 2]")
square("svdvals", "[0]", "[2, 0]", "[0, 2]")
square("eigh", "[0] | [0, 0]", "[2, 0] | [2, 0, 0]", "[0, 2] | [0, 2, 2]")
square("eigvalsh", "[0]", "[2, 0]", "[0, 2]")
square("eig", "[0] | [0, 0]", "[2, 0] | [2, 0, 0]", "[0, 2] | [0, 2, 2]")
square("eigvals", "[0]", "[2, 0]", "[0, 2]")
square("solve", "same", "same", "same", function(x) return linalg.solve(x, x) end)
square("lstsq", "same", "same", "same", function(x) return (linalg.lstsq(x, x)) end)
square("lu", "[0, 0] | [0, 0] | [0, 0]", "[2, 0, 0] | [2, 0, 0] | [2, 0, 0]", "[0, 2, 2] | [0, 2, 2] | [0, 2, 2]")
square("lu_factor", "[0, 0] | [0]", "[2, 0, 0] | [2, 0]", "[0, 2, 2] | [0, 2]")
square("lu_solve", "same", "same", "same", function(x)
  local lu, pivots = linalg.lu_factor(x)
  return linalg.lu_solve(lu, pivots, x)
end)
square("matrix_power", "same", "same", "same", by("matrix_power", 3))
square("matrix_rank", "[] 0", "[2] 0", "[0]")
square("matrix_norm", "[] 0", "[2] 0", "[0]")
square("vector_norm", "[] 0", "[] 0", "[] 0")
square("cond", "error", "error", "[0]")
square("trace", "[] 0", "[2] 0", "[0]")
square("diagonal", "[0]", "[2, 0]", "[0, 2]")
square("matrix_transpose", "same", "same", "same")
square("matmul", "same", "same", "same", function(x) return linalg.matmul(x, x) end)
square("outer", "[0, 0]", "[0, 0]", "[0, 0]", function(x) return linalg.outer(x:flatten(), x:flatten()) end)
square("tensordot", "[] 0", "[] 0", "[] 0", function(x) return linalg.tensordot(x, x, x.ndim) end)
square("vecdot", "[0]", "[2, 0]", "[0, 2]", function(x) return linalg.vecdot(x, x) end)
square("cross", "error", "error", "error", function(x) return linalg.cross(x, x) end)

-- ---- functions without tensor arguments ----

empty.without = {}
for name in ([[_ask_always _fail_after accelerator arange broadcast_shapes clock config current_stream default_generator device devices empty
    empty_cache event eye finfo full generator get_default_device get_default_dtype get_matmul_precision get_num_threads
    graph iinfo isdtype kernel limits linspace manual_seed memory normal ones ops permutation rand randint randn range
    reset_peak_memory autograd_function grad value_and_grad is_grad_enabled set_default_device set_default_dtype set_matmul_precision set_num_threads
    set_printoptions stream set_memory_limit
    synchronize tensor uniform with_stream zeros fft.fftfreq fft.rfftfreq]]):gmatch "%S+" do
  empty.without[name] = true
end

return empty
