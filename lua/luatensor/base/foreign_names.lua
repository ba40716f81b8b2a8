--- Names of NumPy, PyTorch, Torch7, MATLAB and Julia that luatensor lacks, and the replacements that errors suggest.
-- The value of a name is a list of functions, a text, or false. The error suggests the first function of the list that
-- exists in the table in which the script looked up the name. If none exists, the error shows the list's field
-- `otherwise`. A text is shown as it is. With false, the error suggests nothing; without this entry, the error would
-- suggest the most similar name, which would mislead.

local foreign = {}

local NAN <const> = "leave NaN out with an index: x[x:isnan():logical_not()]"
local JOIN <const> = "use lt.concat({x, y}, dim) or lt.stack({x, y}, dim)"
local RANDOM <const> = "use lt.rand, lt.randn, lt.uniform, lt.normal or lt.randint"
local INDEX <const> = "use an index: x[i] or x[{ {}, i }]"
local ASSIGN <const> = "assign to an index: x[index] = value"
local EXPRESSION <const> = "lt.elementwise compiles an expression"
local COMPLEX <const> = 'use lt.isdtype(x.dtype, "complex floating")'
local NO_HOOKS <const> = "modules have hooks; x:retain_grad() keeps the gradient of a tensor"

--- Names that scripts use as functions of lt and as methods of tensors.
local of_tensors = {
  -- arithmetic
  fabs = {"abs"}, mod = {"remainder"}, fmod = "use x:remainder(y), which has the sign of y", fix = {"trunc"},
  rint = {"round"}, around = {"round"}, exp2 = "use lt.pow(2, x)", cbrt = "use x:sign() * x:abs() ^ (1 / 3)",
  deg2rad = "use x * (lt.pi / 180)", rad2deg = "use x * (180 / lt.pi)", heaviside = "use x:greater(0):to(x.dtype)",
  nan_to_num = "use lt.where(x:isnan(), 0, x)", cmul = {"multiply"}, cdiv = {"divide"}, csub = {"subtract"},
  cadd = {"add"}, addcmul = "use x + value * y * z", addcdiv = "use x + value * y / z",
  cmax = {"maximum"}, cmin = {"minimum"}, cpow = {"pow"}, cinv = {"reciprocal"}, cfmod = {"remainder"},
  cremainder = {"remainder"}, frac = "use x - x:trunc()",
  fmax = {"maximum"}, fmin = {"minimum"}, conjugate = {"conj"}, signum = {"sign"},
  ldexp = "use x * lt.pow(2, n)", rsub = "use y - x",

  -- statistics
  percentile = {"quantile"}, average = {"mean"}, ptp = "use x:max() - x:min()",
  cov = "with c = x - x:mean(1, {keepdim = true}), use c.T:matmul(c) / (#x - 1)",
  corrcoef = "with z = (x - x:mean(1, {keepdim = true})) / x:std(1, {keepdim = true}), use z.T:matmul(z) / #x",
  nanprod = NAN, nanpercentile = {"nanquantile"}, nanargmax = NAN, nanargmin = NAN,
  cummax = {"cumulative_max"}, cummin = {"cumulative_min"},
  logcumsumexp = false, histc = {"histogram"}, digitize = {"searchsorted"}, bucketize = {"searchsorted"},
  trapz = "use ((y[{ {2, -1} }] + y[{ {1, -2} }]) / 2 * x:diff()):sum()",
  trapezoid = "use ((y[{ {2, -1} }] + y[{ {1, -2} }]) / 2 * x:diff()):sum()",
  gradient = "differences are x:diff(), derivatives lt.grad(f)", interp = "use lt.searchsorted and lt.lerp",
  argpartition = {"topk"}, partition = {"topk"}, msort = {"sort"}, mode = false,

  -- products and linear algebra
  kron = 'use lt.einsum("ij,kl->ikjl", x, y), and reshape the result', inner = {"vecdot"}, ger = {"outer"},
  cdist = "for squares of distances use x:square():sum(2, {keepdim = true}) + y:square():sum(2) - 2 * x:matmul(y.T)",
  dist = "use (x - y):norm()",
  baddbmm = "use z + x:bmm(y)", addmv = "use z + a:matmul(x)", addr = "use z + x:outer(y)",
  addbmm = "use z + x:bmm(y):sum(1)", pinverse = "use lt.linalg.pinv", inverse = "use lt.linalg.inv",
  gesv = "use lt.linalg.solve", gels = "use lt.linalg.lstsq", symeig = "use lt.linalg.eigh",
  potrf = "use lt.linalg.cholesky", logdet = "use lt.linalg.slogdet", renorm = false,
  adjoint = "use x.mT:conj()", H = "use x.mT:conj()",
  convolve = "use lt.nn.functional.conv1d",

  -- shapes
  hstack = JOIN, vstack = JOIN, dstack = JOIN, column_stack = JOIN, row_stack = JOIN, append = JOIN,
  hcat = JOIN, vcat = JOIN, horzcat = JOIN, vertcat = JOIN, rollaxis = {"moveaxis"}, flipud = {"flip"},
  fliplr = {"flip"}, circshift = {"roll"}, repeatTensor = {"tile"}, tensor_split = {"chunk"},
  repmat = {"tile"}, dropdims = {"squeeze"}, swap_axes = {"swapaxes"},
  view_as = "use x:reshape(y.shape)", viewAs = "use x:reshape(y.shape)", reshape_as = "use x:reshape(y.shape)",
  expand_as = "use x:broadcast_to(y.shape)", expandAs = "use x:broadcast_to(y.shape)",
  resize = {"reshape"}, resize_ = {"reshape"}, resizeAs = {"reshape"}, len = "use #x, or x.shape",
  length = "use #x, or x.shape", ndims = "use x.ndim", eltype = "use x.dtype",

  -- indexing
  select = INDEX, index_select = {"take"}, indexSelect = {"take"},
  index_fill_ = ASSIGN, index_copy_ = ASSIGN, index_put_ = ASSIGN, masked_scatter_ = {"masked_scatter"},
  maskedSelect = {"masked_select"}, maskedFill = {"masked_fill_", "masked_fill"}, find = {"nonzero"},
  flatnonzero = {"nonzero"}, array_equal = {"equal_all"}, isequal = {"equal_all"}, isSameSizeAs = false,
  indexCopy = ASSIGN, indexFill = ASSIGN, put = ASSIGN, maskedCopy = {"masked_scatter"}, loc = INDEX, iloc = INDEX,
  head = "use an index: x[{ {1, n} }]", tail = "use an index: x[{ {-n, -1} }]",
  kthvalue = "use x:sort(dim), and an index", isempty = "use x.size == 0", is_nonzero = "use x:item() ~= 0",
  isreal = COMPLEX, iscomplex = COMPLEX, apply = EXPRESSION, map = EXPRESSION, map2 = EXPRESSION, apply_ = EXPRESSION,
  map_ = EXPRESSION, apply_along_axis = EXPRESSION,
}

--- Names that scripts use as methods of tensors, but not as functions of lt.
local methods = {
  tofile = "use lt.save(path, x), or x:to_bytes()", sum_ = "x:sum() gives a new tensor", cuda_ = 'use x:to("cuda")',
  rocm_ = 'use x:to("rocm")',
  float16 = 'use x:to("float16")', float32 = 'use x:to("float32")', float64 = 'use x:to("float64")',
  int32 = 'use x:to("int32")', int64 = 'use x:to("int64")', aminmax = "use x:min() and x:max()", isSize = false,
  std_mean = "use x:std() and x:mean()", var_mean = "use x:var() and x:mean()", argmin_ = false,
  copy = "use x:clone(), or x:copy_(y) to write into x", fill = {"fill_"}, zero = {"zero_"}, data = {"detach"},
  numpy = "lt.save(path, x) writes .npy, x:to_dlpack() shares memory", numpy_ = false, value = {"item"},
  is_cuda = "use x.device", type = 'x.dtype is the dtype, x:to("float64") converts', type_as = "use x:to(y.dtype)",
  typeAs = "use x:to(y.dtype)", stride = {"strides"}, storage = false, is_floating_point =
  'use lt.isdtype(x.dtype, "real floating")', bfloat16 = 'use x:to("bfloat16")', nbytes = false, itemsize = false,
  register_hook = NO_HOOKS, new = {"empty_like"}, new_zeros = {"zeros_like"}, new_ones = {"ones_like"},
  new_empty = {"empty_like"}, new_full = {"full_like"}, new_tensor = "use lt.tensor(data, {dtype = x.dtype})",
  fill_diagonal_ = false, ndimension = {"ndim"}, isContiguous = {"is_contiguous"}, rand = {"uniform_"},
  random = {"random_"}, randn = {"normal_"}, requiresGrad = {"requires_grad"}, tensor = false,
}

--- Names that scripts use as functions of lt, but not as methods of tensors.
local functions = {
  randperm = {"permutation"}, array = {"tensor"}, ndarray = {"tensor"}, as_tensor = {"asarray"},
  Tensor = "use lt.tensor(data), or lt.zeros(2, 3) for a shape", FloatTensor = "use lt.tensor(data), or lt.zeros(2, 3)",
  DoubleTensor = 'use lt.tensor(data, {dtype = "float64"})', IntTensor = 'use lt.tensor(data, {dtype = "int32"})',
  LongTensor = "use lt.tensor(data), which makes int64 of integers",
  ByteTensor = 'use lt.tensor(data, {dtype = "uint8"})',
  CudaTensor = 'use lt.tensor(data, {device = "cuda"})', BoolTensor = "use lt.tensor(data) of booleans",
  from_numpy = 'lt.load "x.npy" reads NumPy\'s files, lt.from_dlpack shares memory', frombuffer = {"from_bytes"},
  fromfile = {"from_bytes"}, loadtxt = "use lt.data.read_csv", genfromtxt = "use lt.data.read_csv",
  random = RANDOM, randi = {"randint"}, choice = {"multinomial"}, choices = {"multinomial"}, seed = {"manual_seed"},
  rng = {"manual_seed"}, default_rng = {"generator"}, Generator = {"generator"}, RandomState = {"generator"},
  logspace = "use lt.pow(10, lt.linspace(a, b, n))", geomspace = "use lt.pow(10, lt.linspace(a, b, n))",
  set_grad_enabled = "use lt.no_grad(f) or lt.enable_grad(f)", inference_mode = {"no_grad"},
  autocast = "use lt.nn.autocast",
  set_default_tensor_type = {"set_default_dtype"}, setdefaulttensortype = {"set_default_dtype"},
  setnumthreads = {"set_num_threads"}, jit = {"compile"},
  image = false, sparse = false, vmap = false, fill = {"full"}, similar = {"empty_like"}, collect = "use x:totable()",
  size = "use x.shape, or x.size for the number of elements", shape = "use x.shape", ndim = "use x.ndim",
  numel = "use x.size", dtype = "use x.dtype", Timer = {"clock"}, tic = {"clock"}, toc = {"clock"}, time = {"clock"},
  DataLoader = "use lt.data.Loader", optimizer = "use lt.optim", lr_scheduler = "use lt.optim.scheduler",
  mldivide = "use lt.linalg.solve", polyfit = "use lt.linalg.lstsq",
}

local cuda = {
  synchronize = "use lt.synchronize()", device_count = "use #lt.devices()", empty_cache = "use lt.empty_cache()",
  memory_allocated = 'use lt.memory("cuda")', max_memory_allocated = 'use lt.memory("cuda")',
  manual_seed = "use lt.manual_seed(n)", manual_seed_all = "use lt.manual_seed(n)", amp = "use lt.nn.autocast",
  set_device = 'use lt.set_default_device("cuda:1")', Stream = "use lt.stream()", Event = "use lt.event()",
}

local rocm = {}
for name, cure in pairs(cuda) do rocm[name] = cure:gsub("cuda", "rocm") end

local nn = {
  -- Torch7
  SpatialConvolution = {"Conv2d"}, SpatialConvolutionMM = {"Conv2d"}, TemporalConvolution = {"Conv1d"},
  SpatialFullConvolution = {"ConvTranspose2d"}, SpatialMaxPooling = {"MaxPool2d"},
  SpatialAveragePooling = {"AvgPool2d"},
  SpatialAdaptiveMaxPooling = {"AdaptiveMaxPool2d"}, SpatialAdaptiveAveragePooling = {"AdaptiveAvgPool2d"},
  BatchNormalization = {"BatchNorm1d"}, SpatialBatchNormalization = {"BatchNorm2d"}, SpatialDropout = {"Dropout2d"},
  LookupTable = {"Embedding"}, Reshape = {"Unflatten"}, View = {"Flatten"}, ClassNLLCriterion = {"NLLLoss"},
  CrossEntropyCriterion = {"CrossEntropyLoss"}, MSECriterion = {"MSELoss"}, BCECriterion = {"BCELoss"},
  AbsCriterion = {"L1Loss"}, SmoothL1Criterion = {"SmoothL1Loss"}, DistKLDivCriterion = {"KLDivLoss"},
  CAddTable = {"Residual"},

  -- names of Keras and Flax, and names that resemble a name of luatensor but mean something else
  Dense = {"Linear"}, Swish = {"SiLU"}, Conv = {"Conv2d"}, Conv3d = false, ConvTranspose3d = false, MaxPool3d = false,
  AvgPool3d = false, AdaptiveAvgPool3d = false, AdaptiveMaxPool3d = false, RReLU = false, LPPool2d = false,
  Transformer = {"TransformerEncoder"}, Fold = false, Unfold = false, Bilinear = false, Hardshrink = false,
  FeatureAlphaDropout = {"AlphaDropout"}, DataParallel = "use nn.parallel.DataParallel(model)",
  DistributedDataParallel = "use nn.parallel.DataParallel(model)", F = {"functional"},
}

local nn_functional = {
  conv3d = false, conv_transpose3d = false, max_pool3d = false, avg_pool3d = false, adaptive_avg_pool3d = false,
  adaptive_max_pool3d = false, rrelu = false, pad = "use x:pad(…)", swish = {"silu"},
  bce_loss = {"binary_cross_entropy"},
  unfold = false, fold = false, bilinear = false,
}

local nn_init = {
  uniform = {"uniform_"}, normal = {"normal_"}, zeros = {"zeros_"}, ones = {"ones_"}, eye = {"eye_"},
  constant = {"constant_"}, sparse = {"sparse_"}, xavier = {"xavier_uniform_"}, kaiming = {"kaiming_uniform_"},
  he_normal_ = {"kaiming_normal_"}, glorot_uniform_ = {"xavier_uniform_"},
}

local optim = {
  lr_scheduler = {"scheduler"}, ZeroRedundancyOptimizer = {"Sharded"}, ASGD = false, Rprop = false, sparse = false,
}
local schedulers = {MultiplicativeLR = {"LambdaLR"}, ChainedScheduler = {"SequentialLR"},
  ReduceOnPlateau = {"ReduceLROnPlateau"}}
local data = {DataLoader = {"Loader"}, random_split = {"split"}, loadtxt = {"read_csv"}, CSV = {"read_csv"},
  DataFrame = {"Table"}, to_csv = {"write_csv"},
              Dataset = "a data set is a table with a field size and a function get(self, indices)"}
local linalg = {norm = {"vector_norm", "matrix_norm"}, inverse = {"inv"}, multi_dot = false, gesv = {"solve"},
                gels = {"lstsq"}, symeig = {"eigh"}, expm = false, matrix_exp = false, solve_triangular = {"solve"}}

--- Names that scripts use as methods of modules.
local modules = {
  cuda = 'use m:to("cuda")', rocm = 'use m:to("rocm")', cpu = 'use m:to("cpu")',
  float = 'use m:to("float32")', double = 'use m:to("float64")',
  half = 'use m:to("float16")', bfloat16 = 'use m:to("bfloat16")', type = 'use m:to("float64")', add = {"append"},
  add_module = "assign it to a field: m.name = module", register_module = "assign it to a field: m.name = module",
  children = {"named_children"}, modules = {"named_modules"}, buffers = {"named_buffers"}, evaluate = {"eval"},
  get = "use m[i]", zeroGradParameters = {"zero_grad"}, getParameters = {"parameters"}, updateParameters =
  "use an optimiser of lt.optim", backward = "use loss:backward()", freeze = "use m:requires_grad_(false)",
  register_full_backward_pre_hook = {"register_full_backward_hook"},
  register_backward_hook = {"register_full_backward_hook"}, register_module_forward_hook = {"register_forward_hook"},
  save = "use lt.save(path, m:state_dict())",
  load = "use m:load_state_dict(lt.load(path))", get_submodule = {"named_modules"}, extra_repr = {"extra"},
  get_parameter = {"named_parameters"}, clearState = false, share_memory = false, size = "use #m",
}

--- Names that scripts use as methods of optimisers.
local optimisers = {
  zeroGrad = {"zero_grad"}, zero_gradients = {"zero_grad"}, add_group = {"add_param_group"}, update = {"step"},
  minimize = {"step"}, get_lr = "use optimiser.param_groups[1].lr",
}

local options = {
  axis = {"dim"}, axes = {"dim"}, dims = {"dim"}, keepdims = {"keepdim"}, keep_dims = {"keepdim"},
  ddof = {"correction"},
  unbiased = {"correction"}, type = {"dtype"}, place = {"device"}, gpu = {"device"}, learning_rate = {"lr"},
  learningRate = {"lr"}, step_size = {"lr"}, alpha = {"negative_slope", otherwise = "multiply instead: alpha * y"},
  slope = {"negative_slope"}, pad = {"padding"},
  strides = {"stride"}, epsilon = {"eps"}, size_average = {"reduction"}, reduce = {"reduction"}, rate = {"p"},
  momentum_decay = {"momentum"}, decay = {"weight_decay"}, seed = {"generator"}, rng = {"generator"},
  inplace = "results are new tensors; methods that end in _ change theirs", kernel = {"kernel_size"},
  beta1 = {"betas"}, beta2 = {"betas"}, min = false, max = false, n = false,
}

--- Names that scripts use as dtypes.
local dtypes = {
  float = {"float32"}, double = {"float64"}, half = {"float16"}, int = {"int64"}, long = {"int64"}, short = {"int16"},
  byte = {"uint8"}, char = {"int8"}, integer = {"int64"}, number = {"float64"}, boolean = {"bool"}, bool_ = {"bool"},
  complex = {"complex128"}, cfloat = {"complex64"}, cdouble = {"complex128"}, single = {"float32"},
  gpu = 'the GPU is "cuda" or "rocm"', GPU = 'the GPU is "cuda" or "rocm"',
}

local tables = {
  dtype = {dtypes},
  tensor = {methods, of_tensors}, [""] = {functions, of_tensors}, ["cuda."] = {cuda}, ["rocm."] = {rocm},
  ["nn."] = {nn},
  ["nn.functional."] = {nn_functional}, ["nn.init."] = {nn_init},
  ["optim."] = {optim}, ["optim.scheduler."] = {schedulers}, ["data."] = {data},
  ["linalg."] = {linalg}, module = {modules}, optimiser = {optimisers}, option = {options},
}

--- Finds the replacement of a name that luatensor lacks.
-- @string kind as for names.help
-- @string name
-- @return a list of names, a text, or false for no suggestion; nil if the name is in none of these libraries
function foreign.find(kind, name)
  for _, list in ipairs(tables[kind] or {}) do
    if list[name] ~= nil then return list[name] end
  end
end

foreign.tables = tables

return foreign
