--- Transformers of lt.nn: encoder and decoder layers, each with attention and a feed-forward network, and stacks of
-- such layers.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local container = require "luatensor.nn.container"
local dropout = require "luatensor.nn.dropout"
local fields = require "luatensor.nn.module.fields"
local functional = require "luatensor.nn.functional"
local layer = require "luatensor.nn.layer"
local linear = require "luatensor.nn.linear"
local Module = require "luatensor.nn.module"
local attention = require "luatensor.nn.attention"
local normalization = require "luatensor.nn.normalization"

local known = {dim_feedforward = true, dropout = "number", activation = true, layer_norm_eps = "number",
               batch_first = "boolean", norm_first = "boolean", bias = "boolean"}

local activations = {relu = functional.relu, gelu = functional.gelu}

local function check_activation(name, activation)
  if activation == nil then return activations.relu end
  local found = activations[activation] or activation
  if type(found) == "string" or type(found) == "number" then
    blame.fail(name, "activation: \"relu\", \"gelu\" or a function expected, got %s", activation)
  end
  blame.check_function(name, found)
  return found
end

--- The common constructor of encoder and decoder layers. norms: 2 for an encoder layer, 3 for a decoder layer.
local function init(self, name, d_model, nhead, options, norms)
  options = layer.options(name, options, known)
  local made = {dtype = options.dtype, device = options.device, generator = options.generator}
  local function with(more) for key, value in pairs(made) do more[key] = value end return more end
  local p, inner = options.dropout or 0.1, layer.count(name, "dim_feedforward", options.dim_feedforward or 2048)
  local bias = options.bias ~= false
  self.activation, self.norm_first = check_activation(name, options.activation), options.norm_first == true
  local function heads()
    local more = with {dropout = p, bias = bias, batch_first = options.batch_first}
    return attention.MultiheadAttention(d_model, nhead, more)
  end
  self.self_attn = heads()
  if norms == 3 then self.multihead_attn = heads() end
  self.linear1 = linear.Linear(d_model, inner, with {bias = bias})
  self.dropout = dropout.Dropout(p)
  self.linear2 = linear.Linear(inner, d_model, with {bias = bias})
  for i = 1, norms do
    self["norm" .. i] = normalization.LayerNorm(d_model, {eps = options.layer_norm_eps or 1e-5, bias = bias,
                                                          dtype = options.dtype, device = options.device})
  end
  for i = 1, norms do self["dropout" .. i] = dropout.Dropout(p) end
end

--- Returns norm(x + drop(f(x))), or x + drop(f(norm(x))) if norm_first is true, with norm and dropout number i.
local function block(self, i, x, f)
  local norm, drop = self["norm" .. i], self["dropout" .. i]
  if self.norm_first then return x + drop(f(norm(x))) end
  return norm(x + drop(f(x)))
end

local function feed_forward(self)
  return function(x) return self.linear2(self.dropout(blame.call_back(self.activation, self.linear1(x)))) end
end

--- Makes a layer of an encoder: self-attention, then two linear layers. Each of these two parts adds its
-- result to its input. The sum is normalised; with `norm_first`, the input is normalised instead. In the call
-- `y = layer(x, {src_mask =, src_key_padding_mask =, is_causal =})` the options are passed to nn.MultiheadAttention as
-- attn_mask, key_padding_mask and is_causal. State: self_attn, linear1, linear2, norm1, norm2.
-- @function nn.TransformerEncoderLayer
-- @int d_model width, the length of x's last dim
-- @int nhead the number of heads of attention
-- @tparam[opt] table options `dim_feedforward` (2048), `dropout` (0.1), `activation` ("relu"; "gelu"; a function),
--   `layer_norm_eps` (1e-5), `batch_first` (false: x is [times, batch, width]), `norm_first` (false), `bias` (true),
--   `dtype`, `device`, `generator`
-- @treturn Module takes x, and returns a tensor of x's shape
local TransformerEncoderLayer = Module:extend "TransformerEncoderLayer"

function TransformerEncoderLayer:init(d_model, nhead, options)
  init(self, "TransformerEncoderLayer", d_model, nhead, options, 2)
end

local known_encoder = {src_mask = true, src_key_padding_mask = true, is_causal = "boolean"}

function TransformerEncoderLayer:forward(x, o)
  o = args.options("TransformerEncoderLayer", o, known_encoder)
  local call = {attn_mask = o.src_mask, key_padding_mask = o.src_key_padding_mask, is_causal = o.is_causal,
                need_weights = false}
  x = block(self, 1, x, function(y) return (self.self_attn(y, call)) end)
  return (block(self, 2, x, feed_forward(self)))
end

--- Makes a layer of a decoder: self-attention, then attention to the encoder's results, then two linear layers. A
-- call is `y = layer(x, memory, {tgt_mask =, memory_mask =, tgt_key_padding_mask =, memory_key_padding_mask =,
-- tgt_is_causal =, memory_is_causal =})`. State: self_attn, multihead_attn, linear1, linear2, norm1 to norm3.
-- @function nn.TransformerDecoderLayer
-- @int d_model width, the length of x's last dim
-- @int nhead the number of heads of attention
-- @tparam[opt] table options those of nn.TransformerEncoderLayer
-- @treturn Module takes x and the encoder's result, and returns a tensor of x's shape
local TransformerDecoderLayer = Module:extend "TransformerDecoderLayer"

function TransformerDecoderLayer:init(d_model, nhead, options)
  init(self, "TransformerDecoderLayer", d_model, nhead, options, 3)
end

local known_decoder = {tgt_mask = true, memory_mask = true, tgt_key_padding_mask = true, memory_key_padding_mask = true,
                       tgt_is_causal = "boolean", memory_is_causal = "boolean"}

function TransformerDecoderLayer:forward(x, memory, o)
  o = args.options("TransformerDecoderLayer", o, known_decoder)
  local own = {attn_mask = o.tgt_mask, key_padding_mask = o.tgt_key_padding_mask, is_causal = o.tgt_is_causal,
               need_weights = false}
  local other = {attn_mask = o.memory_mask, key_padding_mask = o.memory_key_padding_mask,
                 is_causal = o.memory_is_causal, need_weights = false}
  x = block(self, 1, x, function(y) return (self.self_attn(y, own)) end)
  x = block(self, 2, x, function(y) return (self.multihead_attn(y, memory, memory, other)) end)
  return (block(self, 3, x, feed_forward(self)))
end

-- ---- stacks ----

--- Returns a deep copy of a module, with copied tensors. `seen` maps values that were already copied to their copies.
local function copy(value, seen)
  if core.is_tensor(value) then
    seen[value] = seen[value] or value:detach():clone():requires_grad_(value.requires_grad)
    return seen[value]
  elseif type(value) ~= "table" then return value
  elseif not seen[value] then
    local made = setmetatable({}, fields.class_of(value))
    seen[value] = made
    for key, each in next, value do rawset(made, copy(key, seen), copy(each, seen)) end
    fields.note_children(made)
  end
  return seen[value]
end

local function init_stack(self, name, first, count, options)
  options = args.options(name, options, {norm = "module"})
  if not Module.is(first) then blame.fail(name, "argument 1: a layer expected, got %s", core.type_name(first)) end
  local list = {}
  for i = 1, layer.count(name, "num_layers", count) do list[i] = copy(first, {}) end
  self.layers = container.ModuleList(list)
  if options.norm then self.norm = options.norm end
end

local function finish(self, x)
  local norm = rawget(self, "norm")
  return norm and norm(x) or x
end

--- Makes a sequence of copies of an encoder layer: `y = encoder(x, {mask =, src_key_padding_mask =, is_causal =})`.
-- All copies start with the same parameters, as in PyTorch. State: layers.1.self_attn.in_proj_weight …
-- @function nn.TransformerEncoder
-- @tparam Module encoder_layer the layer to copy
-- @int num_layers the number of copies
-- @tparam[opt] table options `norm`: a module that is applied to the last layer's result
-- @treturn Module takes x, and returns a tensor of x's shape
local TransformerEncoder = Module:extend "TransformerEncoder"

function TransformerEncoder:init(encoder_layer, num_layers, options)
  init_stack(self, "TransformerEncoder", encoder_layer, num_layers, options)
end

local known_stack = {mask = true, src_key_padding_mask = true, is_causal = "boolean"}

function TransformerEncoder:forward(x, o)
  o = args.options("TransformerEncoder", o, known_stack)
  o = {src_mask = o.mask, src_key_padding_mask = o.src_key_padding_mask, is_causal = o.is_causal}
  for _, each in ipairs(self.layers) do x = each(x, o) end
  return finish(self, x)
end

--- Makes a sequence of copies of a decoder layer: `y = decoder(x, memory, options)` with the options of the layer.
-- @function nn.TransformerDecoder
-- @tparam Module decoder_layer the layer to copy
-- @int num_layers the number of copies
-- @tparam[opt] table options `norm`: a module that is applied to the last layer's result
-- @treturn Module takes x and the encoder's result, and returns a tensor of x's shape
local TransformerDecoder = Module:extend "TransformerDecoder"

function TransformerDecoder:init(decoder_layer, num_layers, options)
  init_stack(self, "TransformerDecoder", decoder_layer, num_layers, options)
end

function TransformerDecoder:forward(x, memory, o)
  for _, each in ipairs(self.layers) do x = each(x, memory, o) end
  return finish(self, x)
end

return {TransformerEncoderLayer = TransformerEncoderLayer, TransformerEncoder = TransformerEncoder,
        TransformerDecoderLayer = TransformerDecoderLayer, TransformerDecoder = TransformerDecoder}
