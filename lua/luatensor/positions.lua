--- Options that scripts give by position, as PyTorch and NumPy take them: errors tell their names.

local clocale = require "luatensor.clocale"

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

--- By function: its options in the order in which others take them, some with the only type that they may have.
positions.options = {
  sum = KEEPDIM, prod = KEEPDIM, mean = KEEPDIM, max = KEEPDIM, min = KEEPDIM, all = KEEPDIM, any = KEEPDIM,
  argmax = KEEPDIM, argmin = KEEPDIM, count_nonzero = KEEPDIM, median = KEEPDIM, logsumexp = KEEPDIM, norm = KEEPDIM,
  quantile = {"dim:number", "keepdim:boolean"}, vector_norm = KEEPDIM, matrix_norm = KEEPDIM,
  std = {"correction:number", "keepdim:boolean"}, var = {"correction:number", "keepdim:boolean"},
  cumulative_sum = SCAN, cumulative_prod = SCAN,
  sort = {"descending:boolean", "stable:boolean"}, argsort = {"descending:boolean", "stable:boolean"},
  topk = {"largest:boolean", "sorted:boolean"}, svd = {"full_matrices:boolean"},
  backward = {"retain_graph:boolean", "create_graph:boolean"}, histogram = {"range", "weights:tensor"},

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
  Flatten = {"start_dim:number", "end_dim:number"},
  CrossEntropyLoss = WEIGHTED, NLLLoss = WEIGHTED, BCELoss = WEIGHTED, BCEWithLogitsLoss = WEIGHTED,
  MSELoss = REDUCTION, L1Loss = REDUCTION, KLDivLoss = REDUCTION, HuberLoss = {"delta:number", "reduction:string"},
  SmoothL1Loss = {"beta:number", "reduction:string"},

  conv1d = MOVES, conv2d = MOVES, max_pool1d = MAX_POOL, max_pool2d = MAX_POOL, avg_pool1d = AVERAGE_POOL,
  avg_pool2d = AVERAGE_POOL, leaky_relu = {"negative_slope:number"}, elu = {"alpha:number"}, celu = {"alpha:number"},
  dropout = {"p:number", "training:boolean"}, cross_entropy = WEIGHTED, nll_loss = WEIGHTED, mse_loss = REDUCTION,
  l1_loss = REDUCTION, smooth_l1_loss = {"beta:number", "reduction:string"},
  huber_loss = {"delta:number", "reduction:string"}, gelu = {"approximate:string"},
  softplus = {"beta:number", "threshold:number"}, kl_div = REDUCTION, binary_cross_entropy = WEIGHTED,
  binary_cross_entropy_with_logits = WEIGHTED,
  scaled_dot_product_attention = {"attn_mask:tensor", "dropout_p:number", "is_causal:boolean"},

  SGD = {"lr:number", "momentum:number"}, Adam = RATE, AdamW = RATE, Adagrad = RATE, Adadelta = RATE, Adamax = RATE,
  NAdam = RATE, RAdam = RATE, RMSprop = RATE, LBFGS = RATE, StepLR = {"gamma:number"}, MultiStepLR = {"gamma:number"},
  Loader = {"batch_size:number", "shuffle:boolean"}, load_state_dict = {"strict:boolean"},
}

--- By module: the options of its calls.
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

-- An option of no given type takes numbers, texts and lists.
local function fits(wanted, kind) return wanted == kind or wanted == "" and plain[kind] end

--- The names of the options that a table may have: those of a module's calls where `known` has them.
-- @string fn
-- @tab known a set of names
-- @treturn table nil where no names are known
function positions.of(fn, known)
  local call = positions.calls[fn]
  local name = call and call[1]:match "^[%w_]+"
  return name and known[name] and call or positions.options[fn]
end

--- Says how values are named that a script gave by position.
-- @tab names of options, in their order; nil: none is known
-- @tab values with their number in n
-- @tparam function kind_of names the type of a value
-- @treturn string "; options have names: {keepdim = true}", or "" where no name is known for the first value
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
