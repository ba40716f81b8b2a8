--- Names of options that scripts give by position, in the order of PyTorch and NumPy. Errors suggest these names.

local clocale = require "luatensor.base.clocale"

local positions = {}

local KEEPDIM <const> = {"keepdim:boolean"}
local SCAN <const> = {"dtype:string"}
local CONV <const> = {"stride", "padding", "dilation", "groups:number", "bias:boolean"}
local MOVES <const> = {"stride", "padding", "dilation", "groups:number"}
local TRANSPOSED <const> = {"stride", "padding", "output_padding", "groups:number", "bias:boolean", "dilation"}
local MAX_POOL <const> = {"stride", "padding", "dilation"}
local AVERAGE_POOL <const> = {"stride", "padding", "ceil_mode:boolean"}
local BATCH_NORM <const> = {"eps:number", "momentum:number", "affine:boolean", "track_running_stats:boolean"}
local RECURRENT <const> = {"num_layers:number", "nonlinearity:string", "bias:boolean", "batch_first:boolean",
                           "dropout:number", "bidirectional:boolean"}
local GATED <const> = {"num_layers:number", "bias:boolean", "batch_first:boolean", "dropout:number",
                       "bidirectional:boolean"}
local REDUCTION <const> = {"reduction:string"}
local WEIGHTED <const> = {"weight:tensor", "reduction:string"}
local RATE <const> = {"lr:number"}
local ADAM <const> = {"lr:number", "betas:table", "eps:number", "weight_decay:number"}
local CREATE <const> = {"dtype:string"}
local DROPOUT <const> = {"p:number", "training:boolean"}
local MOVES_TRANSPOSED <const> = {"stride", "padding", "output_padding", "groups:number", "dilation"}
local RETURN_INDICES <const> = {"return_indices:boolean"}
local RESPONSE <const> = {"alpha:number", "beta:number", "k:number"}
local TRIANGLE <const> = {"upper:boolean"}
local TOLERANCE <const> = {"rtol:number"}
local NORM <const> = {"norm:string"}
local KAIMING <const> = {"a:number", "mode:string", "nonlinearity:string"}
local GAIN <const> = {"gain:number"}
local AVERAGE <const> = {"average:string"}

--- For each function: its options in the order in which PyTorch or NumPy take them. "name:type" is an option that has
-- only this type.
positions.options = {
  sum = KEEPDIM, prod = KEEPDIM, mean = KEEPDIM, max = KEEPDIM, min = KEEPDIM, all = KEEPDIM, any = KEEPDIM,
  argmax = KEEPDIM, argmin = KEEPDIM, count_nonzero = KEEPDIM, median = KEEPDIM, logsumexp = KEEPDIM, norm = KEEPDIM,
  quantile = {"dim:number", "keepdim:boolean"}, vector_norm = KEEPDIM, matrix_norm = KEEPDIM,
  nansum = KEEPDIM, nanmean = KEEPDIM, nanmin = KEEPDIM, nanmax = KEEPDIM, nanmedian = KEEPDIM,
  nanquantile = {"dim:number", "keepdim:boolean"}, nanvar = {"correction:number", "keepdim:boolean"},
  nanstd = {"correction:number", "keepdim:boolean"},
  std = {"correction:number", "keepdim:boolean"}, var = {"correction:number", "keepdim:boolean"},
  cumulative_sum = SCAN, cumulative_prod = SCAN,
  sort = {"descending:boolean", "stable:boolean"}, argsort = {"descending:boolean", "stable:boolean"},
  topk = {"largest:boolean", "sorted:boolean"}, svd = {"full_matrices:boolean"},
  backward = {"retain_graph:boolean", "create_graph:boolean"}, histogram = {"range:table", "weights:tensor"},
  zeros = CREATE, ones = CREATE, empty = CREATE, rand = CREATE, randn = CREATE, uniform = CREATE, normal = CREATE,
  randint = CREATE, arange = CREATE, range = CREATE, full = CREATE, from_bytes = CREATE,
  asarray = CREATE, tensor = CREATE, zeros_like = CREATE, ones_like = CREATE, empty_like = CREATE, full_like = CREATE,
  eye = {"k:number", "dtype:string"}, linspace = {"endpoint:boolean", "dtype:string"}, astype = {"copy:boolean"},
  addmm = {"beta:number", "alpha:number"}, bincount = {"weights:tensor", "minlength:number"},
  cumulative_max = {"include_initial:boolean"}, cumulative_min = {"include_initial:boolean"},
  cross = {"dim:number"},
  diagonal = {"dim1:number", "dim2:number"}, isin = {"assume_unique:boolean", "invert:boolean"},
  isclose = {"equal_nan:boolean"}, allclose = {"equal_nan:boolean"}, multinomial = {"replacement:boolean"},
  searchsorted = {"side:string", "sorter:tensor", "right:boolean"}, pad = {"mode:string", "value:number"},
  ImageFolder = {"transform:function"}, random_crop = {"padding:number"}, random_flip = {"p:number"},
  to_float = {"dtype:string"}, interpolate = {"size", "scale_factor", "mode:string"},
  Upsample = {"size", "scale_factor", "mode:string"}, resize = {"mode:string"},
  meshgrid = {"indexing:string"}, load = {"device:string"}, save = {"metadata:table"},
  set_printoptions = {"precision:number", "threshold:number", "edgeitems:number", "linewidth:number"},
  cholesky = TRIANGLE, eigh = TRIANGLE, eigvalsh = TRIANGLE, lstsq = TOLERANCE, matrix_rank = TOLERANCE,
  pinv = TOLERANCE, qr = {"mode:string"}, trace = {"offset:number"}, fft = NORM, fft2 = NORM, fftn = NORM, ifft = NORM,
  ifft2 = NORM, ifftn = NORM, rfft = NORM, rfft2 = NORM, rfftn = NORM, irfft = NORM, irfft2 = NORM, irfftn = NORM,
  hfft = NORM, ihfft = NORM, generator = {"seed:number"}, from_dlpack = {"device:string"},
  to_dlpack = {"versioned:boolean"},
  ["autograd.grad"] = {"grad_outputs:tensor", "retain_graph:boolean", "create_graph:boolean"},

  Linear = {"bias:boolean"}, Conv1d = CONV, Conv2d = CONV, ConvTranspose1d = TRANSPOSED, ConvTranspose2d = TRANSPOSED,
  MaxPool1d = MAX_POOL, MaxPool2d = MAX_POOL, AvgPool1d = AVERAGE_POOL, AvgPool2d = AVERAGE_POOL,
  LeakyReLU = {"negative_slope:number"}, ELU = {"alpha:number"}, CELU = {"alpha:number"}, GELU = {"approximate:string"},
  Softplus = {"beta:number", "threshold:number"}, BatchNorm1d = BATCH_NORM, BatchNorm2d = BATCH_NORM,
  BatchNorm3d = BATCH_NORM, InstanceNorm1d = {"eps:number"}, InstanceNorm2d = {"eps:number"},
  InstanceNorm3d = {"eps:number"},
  LayerNorm = {"eps:number", "elementwise_affine:boolean", "bias:boolean"},
  GroupNorm = {"eps:number", "affine:boolean"},
  RMSNorm = {"eps:number", "elementwise_affine:boolean"}, Embedding = {"padding_idx:number"}, RNN = RECURRENT,
  LSTM = GATED, GRU = GATED, RNNCell = {"bias:boolean", "nonlinearity:string"}, LSTMCell = {"bias:boolean"},
  GRUCell = {"bias:boolean"}, MultiheadAttention = {"dropout:number", "bias:boolean"},
  TransformerEncoderLayer = {"dim_feedforward:number", "dropout:number"},
  TransformerDecoderLayer = {"dim_feedforward:number", "dropout:number"},
  Flatten = {"start_dim:number", "end_dim:number"}, Hardtanh = {"min_val:number", "max_val:number"},
  PReLU = {"num_parameters:number", "init:number"}, AdaptiveMaxPool1d = RETURN_INDICES,
  AdaptiveMaxPool2d = RETURN_INDICES, LocalResponseNorm = RESPONSE, TransformerEncoder = {"norm:module"},
  TransformerDecoder = {"norm:module"}, from_pretrained = {"freeze:boolean", "padding_idx:number"},
  accuracy = {"top_k:number"}, confusion_matrix = {"classes:number"}, precision = AVERAGE, recall = AVERAGE,
  f1 = AVERAGE, progress = {"title:string"}, EarlyStopping = {"patience:number"},
  register_buffer = {"persistent:boolean"},
  CrossEntropyLoss = WEIGHTED, NLLLoss = WEIGHTED, BCELoss = WEIGHTED, BCEWithLogitsLoss = WEIGHTED,
  MSELoss = REDUCTION, L1Loss = REDUCTION, KLDivLoss = REDUCTION, HuberLoss = {"delta:number", "reduction:string"},
  SmoothL1Loss = {"beta:number", "reduction:string"},

  conv1d = MOVES, conv2d = MOVES, max_pool1d = MAX_POOL, max_pool2d = MAX_POOL, avg_pool1d = AVERAGE_POOL,
  avg_pool2d = AVERAGE_POOL, leaky_relu = {"negative_slope:number"}, elu = {"alpha:number"}, celu = {"alpha:number"},
  dropout = DROPOUT, dropout1d = DROPOUT, dropout2d = DROPOUT, dropout3d = DROPOUT, alpha_dropout = DROPOUT,
  conv_transpose1d = MOVES_TRANSPOSED, conv_transpose2d = MOVES_TRANSPOSED, adaptive_max_pool1d = RETURN_INDICES,
  adaptive_max_pool2d = RETURN_INDICES, local_response_norm = RESPONSE,
  hardtanh = {"min_val:number", "max_val:number"}, embedding = {"padding_idx:number"},
  normalize = {"p:number", "dim:number", "eps:number"}, layer_norm = {"weight:tensor", "bias:tensor", "eps:number"},
  group_norm = {"weight:tensor", "bias:tensor", "eps:number"}, rms_norm = {"weight:tensor", "eps:number"},
  instance_norm = {"weight:tensor", "bias:tensor", "eps:number"},
  batch_norm = {"weight:tensor", "bias:tensor", "training:boolean", "momentum:number", "eps:number"},
  cross_entropy = WEIGHTED, nll_loss = WEIGHTED, mse_loss = REDUCTION,
  l1_loss = REDUCTION, smooth_l1_loss = {"beta:number", "reduction:string"},
  huber_loss = {"delta:number", "reduction:string"}, gelu = {"approximate:string"},
  softplus = {"beta:number", "threshold:number"}, kl_div = REDUCTION, binary_cross_entropy = WEIGHTED,
  binary_cross_entropy_with_logits = WEIGHTED,
  scaled_dot_product_attention = {"attn_mask:tensor", "dropout_p:number", "is_causal:boolean"},

  kaiming_normal_ = KAIMING, kaiming_uniform_ = KAIMING, xavier_normal_ = GAIN, xavier_uniform_ = GAIN,
  orthogonal_ = GAIN, dirac_ = {"groups:number"}, sparse_ = {"std:number"},
  trunc_normal_ = {"a:number", "b:number"},
  clip_grad_norm_ = {"norm_type:number", "error_if_nonfinite:boolean"},

  SGD = {"lr:number", "momentum:number", "dampening:number", "weight_decay:number", "nesterov:boolean"},
  Adam = ADAM, AdamW = ADAM, Adagrad = RATE, Adadelta = RATE, Adamax = RATE,
  NAdam = RATE, RAdam = RATE, RMSprop = RATE, LBFGS = RATE, StepLR = {"gamma:number"}, MultiStepLR = {"gamma:number"},
  ConstantLR = {"factor:number", "total_iters:number"}, CosineAnnealingLR = {"eta_min:number"},
  CosineAnnealingWarmRestarts = {"T_mult:number", "eta_min:number"},
  CyclicLR = {"step_size_up:number", "step_size_down:number", "mode:string", "gamma:number"},
  LinearLR = {"start_factor:number", "end_factor:number", "total_iters:number"},
  PolynomialLR = {"total_iters:number", "power:number"},
  OneCycleLR = {"total_steps:number", "epochs:number", "steps_per_epoch:number", "pct_start:number",
                "anneal_strategy:string"},
  ReduceLROnPlateau = {"mode:string", "factor:number", "patience:number", "threshold:number"},
  GradScaler = {"init_scale:number", "growth_factor:number", "backoff_factor:number", "growth_interval:number",
                "enabled:boolean"},
  zero_grad = {"set_to_none:boolean"}, read_csv = {"delimiter:string"},
  write_csv = {"delimiter:string"},
  digits = CREATE, mnist = CREATE,
  Loader = {"batch_size:number", "shuffle:boolean"}, load_state_dict = {"strict:boolean"},
}

--- For each class of modules: the options with which a script calls a module of this class, in PyTorch's order.
positions.calls = {
  MultiheadAttention = {"key_padding_mask:tensor", "need_weights:boolean", "attn_mask:tensor",
                        "average_attn_weights:boolean", "is_causal:boolean"},
  TransformerEncoderLayer = {"src_mask:tensor", "src_key_padding_mask:tensor", "is_causal:boolean"},
  TransformerEncoder = {"mask:tensor", "src_key_padding_mask:tensor", "is_causal:boolean"},
  TransformerDecoderLayer = {"tgt_mask:tensor", "memory_mask:tensor", "tgt_key_padding_mask:tensor",
                             "memory_key_padding_mask:tensor"},
}

local function text(value)
  local kind = type(value)
  if kind == "string" then return ("%q"):format(value) end
  return (kind == "number" or kind == "boolean") and clocale.tostring(value) or "…"
end

local plain = {number = true, string = true, boolean = true, table = true}

-- True if a value of type `kind` fits an option of type `wanted`. An option whose entry names no type (`wanted` is
-- "") takes numbers, strings, booleans and tables.
local function fits(wanted, kind) return wanted == kind or wanted == "" and plain[kind] end

--- Returns the options that a table may have: the options of a module's call if `known` contains the first of them,
-- otherwise the options of the function.
-- @string fn
-- @tab known a set of the names that the table may have
-- @treturn table nil if there are no options by this name
function positions.of(fn, known)
  local call = positions.calls[fn]
  local name = call and call[1]:match "^[%w_]+"
  return name and known[name] and call or positions.options[fn]
end

--- Says how to name the values that a script gave by position.
-- @tab names the options of the function in their order, each as in positions.options, or nil
-- @tab values a list, with the number of values in field n
-- @tparam function kind_of returns the type of a value
-- @treturn string "; options have names: {keepdim = true}", or "" if the first value has no known name
function positions.help(names, values, kind_of)
  local parts, at = {}, 0
  for i = 1, names and values.n or 0 do
    local name
    repeat
      at = at + 1
      local kind
      name, kind = (names[at] or ""):match "^([%w_]+):?(%a*)$"
    until not name or values[i] == nil or fits(kind, kind_of(values[i]))
    if not name then break end
    if values[i] ~= nil then parts[#parts + 1] = name .. " = " .. text(values[i]) end
  end
  if #parts == 0 then return "" end
  return ("; options have names: {%s}"):format(table.concat(parts, ", "))
end

return positions
