-- Lists calls of every function that has a gradient, with its options, for autograd/gradient_every_spec.lua. Inputs lie
-- inside of each function's domain, away from ties and from points without a derivative.
local lt = require "luatensor"
require "spec.support.helpers"               -- selects the device under test
local ag = require("luatensor.core").autograd
local F = lt.nn.functional

local cases = {}

-- Describes an input that is differentiated: its shape and the range of its numbers.
local function f(shape, low, high) return {shape = shape, low = low or -2, high = high or 2} end

-- Adds a case: the call fn(inputs …). name: the name of the function, as in docs/coverage.md; "nn." stands for
-- lt.nn.functional. options.tolerance (default 1) multiplies the tolerances of the spec.
local function case(name, fn, inputs, options)
  options = options or {}
  cases[#cases + 1] = {name = name, fn = fn, inputs = inputs, tolerance = options.tolerance or 1}
end

-- ---- element-wise ops, from the op table (ops.def) ----

local ranges = {
  abs = {0.3, 2}, reciprocal = {0.5, 2}, log = {0.3, 3}, log1p = {0.3, 3}, log2 = {0.3, 3}, log10 = {0.3, 3},
  sqrt = {0.3, 3}, rsqrt = {0.3, 3}, tan = {-1, 1}, asin = {-0.8, 0.8}, acos = {-0.8, 0.8}, atan = {-0.7, 0.7},
  tanh = {-1, 1}, asinh = {-0.7, 0.7}, acosh = {1.2, 3}, atanh = {-0.8, 0.8}, relu = {0.2, 2}, sign = {0.2, 2},
  floor = {0.2, 0.8}, ceil = {0.2, 0.8}, round = {0.1, 0.4}, trunc = {0.2, 0.8}, angle = {0.3, 2},
  divide = {0.5, 2}, pow = {0.5, 2}, atan2 = {0.5, 2}, hypot = {0.5, 2}, copysign = {0.5, 2}, logaddexp = {-2, 2},
}
local seconds = {remainder = {3.1, 3.9, 2, 2.5}, floor_divide = {3.1, 3.9, 2, 2.5}}

local not_by_differences = {nextafter = "a step of one unit in the last place is lost in differences"}

for name, info in pairs(lt.ops()) do
  if ag.rules[name] and (info.kind == "unary" or info.kind == "binary" or info.kind == "ternary") then
    local range, pair, inputs = ranges[name] or {-2, 2}, seconds[name], {}
    for k = 1, info.arity do
      local low, high = range[1], range[2]
      if pair then low, high = pair[2 * k - 1], pair[2 * k] end
      inputs[k] = f(k == 1 and {2, 3} or {3}, low, high)
    end
    if name == "where" then
      local mask = lt.tensor{true, false, true}
      case(name, function(x, y) return lt.where(mask, x, y) end, {f{2, 3}, f{3}})
      case(name, function(c, x, y) return lt.where(c, x, y) end, {f({3}, 0.5, 1), f{2, 3}, f{3}})
    elseif name == "clip" then
      case(name, lt.clip, {f{2, 3}, f({3}, -1, -0.5), f({2, 1}, 0.5, 1)})
    elseif name == "nextafter" then
      cases[#cases + 1] = {name = name, not_by_differences = not_by_differences[name], fn = lt.nextafter,
                           inputs = inputs, tolerance = 1}
    else
      case(name, lt[name], inputs)
    end
    if info.arity == 2 and not not_by_differences[name] then
      case(name, function(x) return lt[name](x, 1.75) end, {inputs[1]})
      case(name, function(x) return lt[name](3.25, x) end, {inputs[2]})
    end
  end
end
case("abs", lt.abs, {f({5}, -2, -0.3)})
case("pow", function(x) return x ^ 3 end, {f{3}})
case("pow", function(x) return x ^ -0.5 end, {f({3}, 0.5, 2)})
case("relu", lt.relu, {f({3}, -2, -0.3)})
case("remainder", lt.remainder, {f({3}, -3.9, -3.1), f({3}, 2.0, 2.5)})
case("clip", function(x) return x:clip {min = -0.7} end, {f{5}})
case("clip", function(x) return x:clip {max = 0.7} end, {f{5}})
case("masked_fill", function(x, v) return x:masked_fill(lt.tensor{true, false, true}, v) end, {f{2, 3}, f{}})

local lines = f({2, 3, 2}, 0.3, 2.3)
for _, name in ipairs {"sum", "mean", "prod", "var", "std", "logsumexp", "norm", "median"} do
  case(name, function(x) return x[name](x) end, {lines})
  case(name, function(x) return x[name](x, {dim = 2}) end, {lines})
  case(name, function(x) return x[name](x, {dim = {1, -1}, keepdim = true}) end, {lines})
end
for _, name in ipairs {"max", "min"} do
  case(name, function(x) return x[name](x) end, {lines})
  case(name, function(x) return x[name](x, 2) end, {lines})
  case(name, function(x) return x[name](x, {1, 3}, {keepdim = true}) end, {lines})
end
for _, name in ipairs {"var", "std"} do
  case(name, function(x) return x[name](x, 2, {correction = 1}) end, {lines})
end
for _, p in ipairs {0, 0.5, 1, 3, -1, math.huge, -math.huge} do
  case("norm", function(x) return x:norm(p, 2) end, {lines})
  case("linalg.vector_norm", function(x) return lt.linalg.vector_norm(x, p, {1, 3}, {keepdim = true}) end, {lines})
end
case("quantile", function(x) return x:quantile(lt.tensor({0.1, 0.6}, {dtype = "float64"})) end, {lines})
for _, method in ipairs {"linear", "lower", "higher", "nearest", "midpoint"} do
  case("quantile", function(x) return x:quantile(0.3, {dim = 2, method = method}) end, {lines})
end

-- Returns x with a NaN in each line of the last dim but one, and a line of NaN.
local function with_gaps(x)
  return lt.where(lt.tensor{{{true, false}, {false, true}, {false, false}}, {{false, true}, {false, true}, {false, true}}}, lt.nan, x)
end

for _, name in ipairs {"nansum", "nanmean", "nanvar", "nanstd", "nanmin", "nanmax", "nanmedian"} do
  case(name, function(x) return with_gaps(x)[name](with_gaps(x)) end, {lines})
  case(name, function(x) return with_gaps(x)[name](with_gaps(x), {1, 2}, {keepdim = true}) end, {lines})
  case(name, function(x) return lt.where(lt.tensor{true, false}, with_gaps(x)[name](with_gaps(x), 2), 0) end, {lines})
end
for _, name in ipairs {"nanvar", "nanstd"} do
  case(name, function(x) return with_gaps(x)[name](with_gaps(x), {1, 2}, {correction = 1}) end, {lines})
end
case("nanquantile", function(x) return with_gaps(x):nanquantile(lt.tensor({0.1, 0.6}, {dtype = "float64"}), {1, 3}) end, {lines})
case("nanquantile", function(x) return with_gaps(x):nanquantile(0.3, 3) end, {f({2, 3, 2}, 0.3, 2.3)})
for _, name in ipairs {"cumulative_sum", "cumulative_prod", "cumulative_max", "cumulative_min"} do
  for _, d in ipairs {1, 2} do
    case(name, function(x) return x[name](x, d) end, {lines})
    if name:find "sum" or name:find "prod" then
      case(name, function(x) return x[name](x, d, {include_initial = true}) end, {lines})
    end
  end
end
for _, name in ipairs {"cumulative_prod", "prod"} do
  local zero = f({1}, 0, 0)
  case(name, function(x, z, y) return lt[name](lt.concat{x, z, y}, 1) end, {f{2}, zero, f{2}})
  case(name, function(x, z, y) return lt[name](lt.concat{x, z, y, z}, 1) end, {f{2}, zero, f{2}})
end
for _, name in ipairs {"softmax", "log_softmax"} do
  for _, d in ipairs {1, -1} do case(name, function(x) return x[name](x, d) end, {lines}) end
end
case("diff", function(x) return x:diff(2, {n = 2}) end, {lines})
case("diff", function(x, y) return x:diff(2, {prepend = y, append = y}) end, {lines, f{2, 1, 2}})

-- ---- complex numbers ----

case("complex", lt.complex, {f{3}, f{2, 1}})
case("complex", function(x) return lt.complex(1.5, x) end, {f{3}})
for _, name in ipairs {"real", "imag", "view_as_real"} do
  case(name, function(x) return lt[name](x + lt.complex(0, 1) * x * x) end, {f{2, 3}})
end
case("view_as_complex", function(x) return x:contiguous():view_as_complex() end, {f{3, 2}})

-- ---- shapes, joining, indexing ----

local block = f{2, 3, 4}
local shapes = {
  reshape = {function(x) return x:reshape(3, -1) end}, flatten = {function(x) return x:flatten(1, 2) end},
  unflatten = {function(x) return x:unflatten(3, {2, 2}) end},
  squeeze = {function(x) return x:expand_dims({1, 3}):squeeze(1) end}, expand_dims = {function(x) return x:expand_dims(2) end},
  broadcast_to = {function(x) return x:expand_dims(2):broadcast_to(2, 2, 3, 4) end},
  broadcast_arrays = {function(x) return lt.broadcast_arrays(x, x[1], x[2][1]) end},
  permute_dims = {function(x) return x:permute_dims(3, 1, 2) end}, moveaxis = {function(x) return x:moveaxis(1, 3) end},
  swapaxes = {function(x) return x:swapaxes(1, -1) end}, matrix_transpose = {function(x) return x.mT end},
  ["linalg.matrix_transpose"] = {function(x) return lt.linalg.matrix_transpose(x) end},
  narrow = {function(x) return x:narrow(2, 2, 2) end}, flip = {function(x) return x:flip({1, 3}) end},
  diagonal = {function(x) return x:diagonal({offset = 1, dim1 = 1, dim2 = 3}) end},
  ["linalg.diagonal"] = {function(x) return lt.linalg.diagonal(x) end},
  split = {function(x) return table.unpack(x:split({1, 3}, 3)) end}, chunk = {function(x) return table.unpack(x:chunk(2, 2)) end},
  unstack = {function(x) return table.unpack(x:unstack(2)) end}, clone = {function(x) return x:clone() end},
  contiguous = {function(x) return x.mT:contiguous() end}, astype = {function(x) return x:astype(x.dtype, {copy = true}) end},
  to = {function(x) return x:to(x.dtype, {copy = true}) end},
  diag = {function(x) return x[1]:diag(1) end, function(x) return x[1][1]:diag(-1) end},
  tril = {function(x) return x:tril(-1) end}, triu = {function(x) return x:triu(1) end},
  pad = {function(x) return x:pad({1, 2, -1, 1}, {value = 3}) end, function(x) return x:pad({1, 2}, {mode = "reflect"}) end,
         function(x) return x:pad({1, 2, 2, 0}, {mode = "replicate"}) end, function(x) return x:pad({2, 1}, {mode = "circular"}) end},
  ["repeat"] = {function(x) return x:repeat_interleave(2, 2) end, function(x) return x:repeat_interleave({1, 0, 2}, 2) end,
                function(x) return x:repeat_interleave(2) end},
  tile = {function(x) return x:tile({2, 1, 1}) end},
  roll = {function(x) return x:roll(1, 2) end, function(x) return x:roll({1, -1}, {1, 3}) end, function(x) return x:roll(5) end},
  concat = {function(x) return lt.concat({x, x * 2, lt.ones(2, 1, 4)}, 2) end, function(x) return lt.concat({x}, 1) end},
  stack = {function(x) return lt.stack({x, lt.ones_like(x), x * 3}, -1) end},
  meshgrid = {function(x) return lt.meshgrid(x[1][1], x[2][1]) end, function(x) return lt.meshgrid(x[1][1], x[2][1], {indexing = "ij"}) end},
  sort = {function(x) return x:sort(2) end, function(x) return x:sort(-1, {descending = true}) end},
  topk = {function(x) return (x:topk(2, 3)) end, function(x) return (x:topk(1, 2, {largest = false})) end},
  take = {function(x) return x:take(lt.tensor{{1, 3}, {3, 3}}, 2) end},
  gather = {function(x) return x:gather(2, lt.tensor{{{1, 2, 3, 1}}, {{3, 3, 1, 1}}}) end},
  take_along_axis = {function(x) return x:take_along_axis(lt.tensor{{{1}, {1}, {2}}}, 2) end},
  masked_select = {function(x) return x:masked_select(x:detach():greater(0)) end},
  unique_values = {function(x) return lt.unique_values(x) end},
  unique_all = {function(x) return (lt.unique_all(x)) end}, unique_counts = {function(x) return (lt.unique_counts(x)) end},
  unique_inverse = {function(x) return (lt.unique_inverse(x)) end},
  index = {function(x) return x[{ {1, 2}, {-1, 1, -2}, 3 }] end, function(x) return x[lt.tensor{2, 1, 2, -1}] end,
           function(x) return x[{ {}, lt.tensor{3, 3}, lt.tensor{{1, -1}} }] end,
           function(x) return x[lt.tensor{{true, false, true}, {false, false, true}}] end},
  ["fft.fftshift"] = {function(x) return lt.fft.fftshift(x) end}, ["fft.ifftshift"] = {function(x) return lt.fft.ifftshift(x) end},
  shuffle = {function(x)
    lt.manual_seed(3)
    return lt.shuffle(x)
  end},
}
for name, list in pairs(shapes) do
  for _, fn in ipairs(list) do case(name, fn, {block}) end
end

local function two(name, fn, a, b) case(name, fn, {a, b}) end
two("scatter", function(x, y) return x:scatter(1, lt.tensor{{1, 2}}, y) end, f{2, 2}, f{2, 3})
case("scatter", function(x) return x:scatter(1, lt.tensor{{1, 2}}, 7) end, {f{2, 2}})
two("scatter_add", function(x, y) return x:scatter_add(1, lt.tensor{{1, 2, 2, 1}}, y) end, f{2, 4}, f{3, 4})
two("index_add", function(x, y) return x:index_add(1, lt.tensor{1, 1, 3}, y) end, f{3, 2}, f{2})
two("masked_scatter", function(x, y) return x:masked_scatter(lt.tensor{true, false, true}, y) end, f{2, 3}, f{5})
two("assignment", function(x, y)
  local z = x * 1
  z[{ {1, 2} }] = y
  z[{ 3, lt.tensor{1} }] = 2
  return z
end, f{3, 2}, f{1, 1, 2})
case("fill_", function(x)
  local z = x * 2
  z:fill_(3)
  return z + x
end, {f{3}})

-- ---- products ----

for _, name in ipairs {"matmul", "linalg.matmul"} do
  local product = name == "matmul" and lt.matmul or lt.linalg.matmul
  for _, pair in ipairs {{{3, 2}, {2, 3}}, {{4}, {4}}, {{3, 4}, {4}}, {{4}, {2, 4, 3}}, {{2, 1, 3, 2}, {3, 2, 2}}, {{2, 3, 2}, {2, 2}}} do
    two(name, product, f(pair[1]), f(pair[2]))
  end
end
for name, product in pairs {vecdot = lt.vecdot, ["linalg.vecdot"] = lt.linalg.vecdot} do
  two(name, product, f{2, 3}, f{3})
  two(name, function(x, y) return product(x, y, {dim = -2}) end, f{2, 3, 2}, f{3, 1})
end
two("mm", lt.mm, f{2, 3}, f{3, 2})
two("bmm", lt.bmm, f{2, 2, 3}, f{2, 3, 2})
two("mv", lt.mv, f{2, 3}, f{3})
two("dot", lt.dot, f{3}, f{3})
for name, product in pairs {outer = lt.outer, ["linalg.outer"] = lt.linalg.outer} do two(name, product, f{2}, f{3}) end
for name, product in pairs {tensordot = lt.tensordot, ["linalg.tensordot"] = lt.linalg.tensordot} do
  two(name, product, f{2, 3, 2}, f{3, 2, 2})
  two(name, function(x, y) return product(x, y, {dims = 1}) end, f{2, 3}, f{3, 2})
end
two("einsum", function(x, y) return lt.einsum("ij,jk->ik", x, y) end, f{2, 3}, f{3, 2})
two("einsum", function(x, y) return lt.einsum("bii,b...->...i", x, y) end, f{2, 3, 3}, f{2, 2})
case("addmm", function(x, a, b) return x:addmm(a, b, {alpha = 0.5, beta = 2}) end, {f{2}, f{3, 4}, f{4, 2}})
case("addmm", lt.addmm, {f{3, 2}, f{3, 4}, f{4, 2}})
two("linalg.cross", lt.linalg.cross, f{2, 3}, f{3})

-- ---- linear algebra ----
-- Functions that read only one triangle of a matrix get Hermitian matrices. Eigenvectors and singular vectors are
-- determined only up to a factor of magnitude 1, so the squares of their elements' magnitudes are compared.

local linalg = lt.linalg
local function is_complex(x) return x.dtype:find "^complex" ~= nil end
local function adjoint(x) return is_complex(x) and x.mT:conj() or x.mT end
local function hermitian(x) return (x + adjoint(x)) / 2 end
local function positive(x) return x:matmul(adjoint(x)) + lt.eye(x.shape[x.ndim], {dtype = x.dtype}) end
local function lengths(x) return is_complex(x) and x:real():square() + x:imag():square() or x:square() end

local function factor(name, fn, shape) case("linalg." .. name, fn, {f(shape or {3, 3})}, {tolerance = 30}) end
for _, name in ipairs {"inv", "det", "slogdet", "trace", "pinv", "svdvals", "eigvals"} do factor(name, linalg[name]) end
factor("pinv", linalg.pinv, {2, 4, 2})
factor("matrix_power", function(x) return linalg.matrix_power(x, 3) end)
factor("matrix_power", function(x) return linalg.matrix_power(x, -2) end)
factor("matrix_power", function(x) return linalg.matrix_power(x, 0) end)
factor("cholesky", function(x) return linalg.cholesky(positive(x)) end)
factor("cholesky", function(x) return linalg.cholesky(positive(x), {upper = true}) end)
factor("eigvalsh", function(x) return linalg.eigvalsh(hermitian(x)) end)
factor("eigh", function(x)
  local values, v = linalg.eigh(hermitian(x))
  return values, lengths(v)
end)
factor("eig", function(x)
  local values, v = linalg.eig(x)
  return values, lengths(v)
end)
for _, shape in ipairs {{3, 3}, {4, 3}, {2, 2, 3}} do
  factor("svd", function(x)
    local u, s, vh = linalg.svd(x, {full_matrices = false})
    return lengths(u), s, lengths(vh)
  end, shape)
  factor("qr", linalg.qr, shape)
  factor("lu", function(x) return select(2, linalg.lu(x)) end, shape)
  factor("lu_factor", function(x) return (linalg.lu_factor(x)) end, shape)
end
for _, ord in ipairs {"fro", "nuc", 2, -2, 1, -1, math.huge, -math.huge} do
  factor("matrix_norm", function(x) return linalg.matrix_norm(x, ord, {keepdim = true}) end)
  factor("cond", function(x) return linalg.cond(x, ord) end)
end
for _, shape in ipairs {{3}, {3, 2}} do
  case("linalg.solve", linalg.solve, {f{3, 3}, f(shape)}, {tolerance = 30})
  case("linalg.lstsq", function(a, b)
    local x, residuals, _, values = linalg.lstsq(a, b)
    return x, residuals, values
  end, {f{4, 2}, f(shape[2] and {4, 2} or {4})}, {tolerance = 30})
  case("linalg.lu_solve", function(a, b)
    local lu, pivots = linalg.lu_factor(a)
    return linalg.lu_solve(lu, pivots, b)
  end, {f{3, 3}, f(shape)}, {tolerance = 30})
end

-- ---- Fourier transforms ----

for _, norm in ipairs {"backward", "ortho", "forward"} do
  for _, name in ipairs {"fft", "ifft", "rfft", "irfft", "hfft", "ihfft"} do
    case("fft." .. name, function(x) return lt.fft[name](x, nil, 1, {norm = norm}) end, {f{4, 2}})
    case("fft." .. name, function(x) return lt.fft[name](x, 5, -1, {norm = norm}) end, {f{2, 4}})
  end
end
for _, name in ipairs {"fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"} do
  case("fft." .. name, function(x) return lt.fft[name](x) end, {f{2, 3, 4}})
  case("fft." .. name, function(x) return lt.fft[name](x, {4, 3}, {1, 3}) end, {f{2, 3, 4}})
end

-- ---- functions of lt.nn.functional ----

local function nn(name, fn, inputs, options) case("nn." .. name, fn, inputs, options) end
for _, name in ipairs {"relu", "relu6", "leaky_relu", "elu", "celu", "selu", "silu", "mish", "sigmoid", "tanh", "hardsigmoid",
                       "hardswish", "softplus", "softsign", "logsigmoid", "gelu", "hardtanh"} do
  nn(name, F[name], {f({3}, 0.2, 0.9)})
  nn(name, F[name], {f({3}, -2.9, -2.1)})
end
nn("gelu", function(x) return F.gelu(x, {approximate = "tanh"}) end, {f{3}})
nn("leaky_relu", function(x) return F.leaky_relu(x, {negative_slope = 0.3}) end, {f({3}, -2, -0.2)})
nn("elu", function(x) return F.elu(x, {alpha = 0.7}) end, {f({3}, -2, -0.2)})
nn("celu", function(x) return F.celu(x, {alpha = 0.7}) end, {f({3}, -2, -0.2)})
nn("softplus", function(x) return F.softplus(x, {beta = 2}) end, {f{3}})
nn("hardtanh", function(x) return F.hardtanh(x, {min_val = -2.5, max_val = 3}) end, {f{5}})
nn("threshold", function(x) return F.threshold(x, 0.1, 5) end, {f{5}})
nn("prelu", F.prelu, {f{2, 3, 2}, f({3}, 0.1, 0.5)})
nn("prelu", F.prelu, {f{5}, f({1}, 0.1, 0.5)})
nn("glu", function(x) return F.glu(x, 2) end, {f{2, 4}})
for _, name in ipairs {"softmax", "log_softmax", "softmin"} do
  nn(name, function(x) return F[name](x, 1) end, {f{2, 3}})
  nn(name, function(x) return F[name](x, 2) end, {f{2, 3}})
end
nn("linear", F.linear, {f{2, 2, 3}, f{4, 3}, f{4}})
nn("linear", F.linear, {f{2, 3}, f{4, 3}})
nn("embedding", function(w) return F.embedding(lt.tensor{{1, 3}, {3, 2}}, w) end, {f{3, 2}})
for _, reduction in ipairs {"mean", "sum", "none"} do
  local options = {reduction = reduction}
  for _, name in ipairs {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"} do
    nn(name, function(x, y) return F[name](x, y, options) end, {f({2, 3}, 0, 0.8), f({2, 3}, 2.5, 3)})
    nn(name, function(x, y) return F[name](x, y, options) end, {f({2, 3}, 0, 0.3), f({2, 3}, 0.5, 0.9)})
  end
  nn("binary_cross_entropy", function(x, y) return F.binary_cross_entropy(x, y, options) end, {f({2, 3}, 0.2, 0.8), f({2, 3}, 0.1, 0.9)})
  nn("binary_cross_entropy_with_logits", function(x, y)
    return F.binary_cross_entropy_with_logits(x, y, {reduction = reduction, pos_weight = lt.tensor({2., 1., 3.}):to(x.dtype)})
  end, {f{2, 3}, f({2, 3}, 0.1, 0.9)})
  nn("kl_div", function(x, y) return F.kl_div(x, y, options) end, {f{2, 3}, f({2, 3}, 0.1, 0.9)})
  nn("kl_div", function(x, y) return F.kl_div(x, y, {reduction = reduction, log_target = true}) end, {f{2, 3}, f{2, 3}})
  local classes = lt.tensor{2, 1, 3}
  nn("nll_loss", function(x) return F.nll_loss(x, classes, options) end, {f{3, 3}})
  nn("nll_loss", function(x)
    return F.nll_loss(x, classes, {reduction = reduction, ignore_index = 1, weight = lt.tensor({1., 2., 3.}):to(x.dtype)})
  end, {f{3, 3}})
  nn("cross_entropy", function(x) return F.cross_entropy(x, classes, options) end, {f{3, 3}})
  nn("cross_entropy", function(x) return F.cross_entropy(x, classes, {reduction = reduction, ignore_index = 1}) end, {f{3, 3}})
  nn("cross_entropy", function(x)
    return F.cross_entropy(x, classes, {reduction = reduction, label_smoothing = 0.2, weight = lt.tensor({1., 2., 3.}):to(x.dtype)})
  end, {f{3, 3}})
  nn("cross_entropy", function(x, y) return F.cross_entropy(x, y, options) end, {f{2, 3}, f({2, 3}, 0.1, 0.9)})
end

local convolution = {{}, {stride = 2, padding = 1}, {dilation = 2, padding = 2}}
for _, options in ipairs(convolution) do
  nn("conv1d", function(x, w, b) return F.conv1d(x, w, b, options) end, {f{2, 2, 5}, f{3, 2, 2}, f{3}}, {tolerance = 5})
  nn("conv2d", function(x, w, b) return F.conv2d(x, w, b, options) end, {f{1, 2, 4, 3}, f{2, 2, 2, 2}, f{2}}, {tolerance = 5})
  nn("conv_transpose1d", function(x, w, b) return F.conv_transpose1d(x, w, b, options) end, {f{2, 2, 4}, f{2, 3, 3}, f{3}}, {tolerance = 5})
  nn("conv_transpose2d", function(x, w, b) return F.conv_transpose2d(x, w, b, options) end, {f{1, 2, 3, 3}, f{2, 2, 2, 3}, f{2}}, {tolerance = 5})
end
nn("conv1d", function(x, w) return F.conv1d(x, w, nil, {groups = 2, padding = "same"}) end, {f{1, 4, 4}, f{2, 2, 3}})
nn("conv2d", function(x, w) return F.conv2d(x, w, nil, {groups = 2}) end, {f{1, 2, 3, 3}, f{2, 1, 2, 2}})
nn("conv_transpose1d", function(x, w) return F.conv_transpose1d(x, w, nil, {groups = 2, stride = 2, output_padding = 1}) end,
   {f{1, 4, 3}, f{4, 1, 3}})

for dims = 1, 2 do
  local shape = dims == 1 and {2, 2, 5} or {1, 2, 4, 4}
  for _, kind in ipairs {"max", "avg"} do
    local pool, adaptive = ("%s_pool%dd"):format(kind, dims), ("adaptive_%s_pool%dd"):format(kind, dims)
    nn(pool, function(x) return (F[pool](x, 2)) end, {f(shape)})
    nn(pool, function(x) return (F[pool](x, 3, {stride = 2, padding = 1, ceil_mode = true})) end, {f(shape)})
    nn(adaptive, function(x) return (F[adaptive](x, 2)) end, {f(shape)})
  end
end
for _, row in ipairs {{"nearest", {1, 2, 3}}, {"nearest", {1, 2, 2, 3}}, {"nearest-exact", {1, 2, 2, 3}}, {"linear", {1, 2, 3}},
                      {"bilinear", {1, 2, 2, 3}}, {"bicubic", {1, 2, 2, 3}}, {"trilinear", {1, 1, 2, 3, 2}}, {"area", {1, 1, 3, 5}}} do
  local mode, shape = table.unpack(row)
  nn("interpolate", function(x) return F.interpolate(x, {scale_factor = 1.6, mode = mode}) end, {f(shape)})
  nn("interpolate", function(x) return F.interpolate(x, {size = 2, mode = mode}) end, {f(shape)})
end
for _, mode in ipairs {"bilinear", "bicubic"} do
  nn("interpolate", function(x) return F.interpolate(x, {size = {3, 5}, mode = mode, align_corners = true}) end, {f{1, 2, 2, 3}})
  nn("interpolate", function(x) return F.interpolate(x, {size = {2, 3}, mode = mode, antialias = true}) end, {f{1, 1, 5, 7}})
end

local function norm(name, fn) nn(name, fn, {f{2, 4, 3}, f({4}, 0.5, 2), f{4}}, {tolerance = 20}) end
norm("group_norm", function(x, w, b) return F.group_norm(x, 2, {weight = w, bias = b}) end)
norm("instance_norm", function(x, w, b) return F.instance_norm(x, {weight = w, bias = b}) end)
norm("batch_norm", function(x, w, b) return F.batch_norm(x, nil, nil, {weight = w, bias = b, training = true}) end)
norm("batch_norm", function(x, w, b)
  local mean, var = lt.full({4}, 0.3, {dtype = x.dtype}), lt.full({4}, 1.2, {dtype = x.dtype})
  return F.batch_norm(x, mean, var, {weight = w, bias = b})
end)
norm("layer_norm", function(x, w, b) return F.layer_norm(x.mT, {4}, {weight = w, bias = b}) end)
norm("rms_norm", function(x, w) return F.rms_norm(x.mT, {4}, {weight = w}) end)
nn("normalize", function(x) return F.normalize(x) end, {f{2, 3}})
nn("normalize", function(x) return F.normalize(x, {p = 1, dim = 1}) end, {f{2, 3}})
nn("local_response_norm", function(x) return F.local_response_norm(x, 3, {alpha = 0.5}) end, {f{2, 4, 3}})

local function attention(options)
  nn("scaled_dot_product_attention", function(q, k, v, m)
    local given = {attn_mask = m}
    for key, value in pairs(options) do given[key] = value end
    return F.scaled_dot_product_attention(q, k, v, given)
  end, {f{2, 3, 2}, f{2, 3, 2}, f{2, 3, 2}, not options.is_causal and f{3, 3} or nil}, {tolerance = 5})
end
attention {}
attention {is_causal = true}
attention {scale = 0.3}

for _, name in ipairs {"dropout", "alpha_dropout", "dropout1d", "dropout2d", "dropout3d"} do
  local extra = tonumber(name:match "%d") or 1
  local shape = {2, 3, 2, 2, 2}
  nn(name, function(x) return F[name](x, {p = 0.4, generator = lt.generator{seed = 5}}) end, {f(table.move(shape, 1, 2 + extra, 1, {}))})
end

return cases
