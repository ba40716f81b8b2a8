--- nn.MultiheadAttention. attention/compute.lua computes the attention itself.

local core = require "luatensor.core"
local lists = require "luatensor.base.lists"
local compute = require "luatensor.nn.attention.compute"
local functional = require "luatensor.nn.functional"
local layer = require "luatensor.nn.layer"
local linear = require "luatensor.nn.linear"
local args = require "luatensor.base.args"
local autocast = require "luatensor.nn.autocast"
local blame = require "luatensor.base.blame"
local Module = require "luatensor.nn.module"

--- Makes multi-head attention ("Attention is all you need", Vaswani et al.). Each head projects queries, keys and
-- values by its own weights, and computes attention of the queries to the keys and values.
--
--     local y, weights = attention(query, key, value, {attn_mask = …})
--     local y = attention(x, {need_weights = false})          -- self-attention of x
--
-- As in PyTorch, tensors have shape [times, batch, width], or [batch, times, width] with `batch_first`. Without a
-- batch, tensors have 2 dims. Options of a call: `key_padding_mask` [batch, keys] and `attn_mask` [queries, keys] or
-- [batch heads, queries, keys] are masks, either bool or float. In a bool mask, true marks a key that is NOT seen, the
-- opposite of scaled_dot_product_attention. A float mask is added to the scores. With `is_causal` (false), query i sees
-- keys 1 … i. With `need_weights` (true), the call also returns the weights, and all scores must be in memory. With
-- `average_attn_weights` (true), the call returns the mean of the weights over the heads. In training, dropout sets
-- some of the returned weights to 0. Queries that see no key give 0 before the last projection (NaN in PyTorch if
-- weights are needed). The state has in_proj_weight [3 width, width], in_proj_bias, out_proj.weight and out_proj.bias.
-- If keys or values have another width, q_proj_weight, k_proj_weight and v_proj_weight take the place of
-- in_proj_weight.
-- @function nn.MultiheadAttention
-- @int embed_dim width of queries and results
-- @int num_heads number of heads; must divide embed_dim
-- @tparam[opt] table options `dropout` (0), probability that a weight becomes 0 in training; `bias` (true); `kdim` and
--   `vdim` (embed_dim): widths of keys and values; `batch_first` (false); `dtype`, `device`, `generator`
-- @treturn Module
local MultiheadAttention = Module:extend "MultiheadAttention"

local known = {dropout = "number", bias = "boolean", kdim = true, vdim = true, batch_first = "boolean"}
local known_call = {key_padding_mask = true, attn_mask = true, is_causal = "boolean", need_weights = "boolean",
                    average_attn_weights = "boolean"}

--- Returns a weight [rows, columns] from Xavier's uniform distribution, whose bound is √(6 / (rows + columns)).
local function xavier(rows, columns, options)
  return layer.uniform({rows, columns}, math.sqrt(6 / (rows + columns)), options)
end

local function add_projections(self, options)
  local e = self.embed_dim
  if self.kdim == e and self.vdim == e then
    self.in_proj_weight = xavier(3 * e, e, options)
  else
    self.q_proj_weight = xavier(e, e, options)
    self.k_proj_weight = xavier(e, self.kdim, options)
    self.v_proj_weight = xavier(e, self.vdim, options)
  end
  local has_bias = options.bias ~= false
  self:register_parameter("in_proj_bias", has_bias and core.zeros({3 * e}, {
    dtype = layer.made(options).dtype, device = options.device}):requires_grad_() or nil)
  self.out_proj = linear.Linear(e, e, {bias = has_bias, dtype = options.dtype, device = options.device,
                                       generator = options.generator})
  if has_bias then self.out_proj.bias:detach():fill_(0) end
end

function MultiheadAttention:init(embed_dim, num_heads, options)
  local name = "MultiheadAttention"
  options = layer.options(name, options, known)
  self.embed_dim, self.num_heads = layer.count(name, "embed_dim", embed_dim), layer.count(name, "num_heads", num_heads)
  if embed_dim % num_heads ~= 0 then blame.fail(name, "%d heads do not divide a width of %d", num_heads, embed_dim) end
  self.kdim = layer.count(name, "kdim", options.kdim or embed_dim)
  self.vdim = layer.count(name, "vdim", options.vdim or embed_dim)
  self.dropout = layer.between(name, "dropout", options.dropout or 0, 0, 1)
  self.batch_first, self.generator = options.batch_first == true, options.generator
  add_projections(self, options)
end

-- ---- masks ----

local function check_mask(self, what, mask, shape, device)
  if not core.is_tensor(mask) then self:fail("%s: tensor expected, got %s", what, core.type_name(mask)) end
  if mask.dtype ~= "bool" and not mask.dtype:find("float") then
    self:fail("%s: bool or float expected, got %s", what, mask.dtype)
  end
  if not lists.same(mask.shape, shape) then
    self:fail("%s must be of shape %s, its shape is %s", what, args.shape_text(shape), tostring(mask.shape))
  elseif mask.device ~= device then
    self:fail("%s is on %s, the query on %s", what, mask.device, device)
  end
end

--- Converts a mask to the convention of scaled_dot_product_attention, in which true means that a key is seen.
local function turned(mask) return mask.dtype == "bool" and mask:logical_not() or mask end

local function both(a, b, dtype)
  if not a or not b then return a or b end
  if a.dtype == "bool" and b.dtype == "bool" then return a:logical_and(b) end
  return compute.as_added(a, dtype) + compute.as_added(b, dtype)
end

--- Combines the two masks in o, the options of a call, into one mask [batch or 1, heads or 1, queries or 1, keys].
-- Returns nil if there is no mask. b is the size of the batch; n and m are the numbers of queries and keys.
local function mask_of(self, o, b, n, m, query)
  local padding, mask, h = o.key_padding_mask, o.attn_mask, self.num_heads
  if padding then
    if core.is_tensor(padding) and padding.ndim == 1 and b == 1 then padding = padding:expand_dims(1) end
    check_mask(self, "key_padding_mask", padding, {b, m}, query.device)
    padding = turned(padding):reshape(b, 1, 1, m)
  end
  if mask then
    local each = core.is_tensor(mask) and mask.ndim == 3
    check_mask(self, "attn_mask", mask, each and {b * h, n, m} or {n, m}, query.device)
    mask = turned(mask):reshape(each and b or 1, each and h or 1, n, m)
  end
  return both(mask, padding, query.dtype)
end

-- ---- projections ----

--- Returns the weight and the bias (or nil) that project the query (i = 1), the key (2) or the value (3).
local function projection(self, i)
  local e, bias = self.embed_dim, self.in_proj_bias or nil
  local weight = rawget(self, "in_proj_weight")
  if weight then weight = weight:narrow(1, (i - 1) * e + 1, e)
  else weight = self[({"q_proj_weight", "k_proj_weight", "v_proj_weight"})[i]] end
  return weight, bias and bias:narrow(1, (i - 1) * e + 1, e)
end

--- Reshapes [batch, rows, heads · width] to [batch, heads, rows, width].
local function split_heads(x, heads)
  local b, n, e = table.unpack(x.shape)
  return x:reshape(b, n, heads, e // heads):transpose(2, 3)
end

local function merge_heads(x)
  local b, h, n, d = table.unpack(x.shape)
  return x:transpose(2, 3):reshape(b, n, h * d)
end

local function check_input(self, what, x, width, like)
  layer.input(self, what, x)
  local shape = x.shape
  if #shape ~= 2 and #shape ~= 3 or like and #shape ~= #like.shape then
    self:fail("%s must be %s, its shape is %s", what, like and like.ndim .. "-d as the query is"
              or self.batch_first and "[batch, times, width]" or "[times, batch, width]", tostring(shape))
  elseif shape[#shape] ~= width then
    self:fail("%s's last dim must be %d, its shape is %s", what, width, tostring(shape))
  elseif like and x.device ~= like.device then
    self:fail("%s is on %s, the query on %s", what, x.device, like.device)
  end
  layer.input(self, what, x, self.out_proj.weight)
end

local function check_keys(self, key, value, query)
  local a, b, q = key.shape, value.shape, query.shape
  local dim = self.batch_first and 1 or 2
  if a[1] ~= b[1] or #a == 3 and a[2] ~= b[2] then
    self:fail("keys %s and values %s do not go together", tostring(a), tostring(b))
  elseif #a == 3 and a[dim] ~= q[dim] then
    self:fail("queries %s and keys %s are of different batches", tostring(q), tostring(a))
  end
end

-- ---- calls ----

--- Returns queries, keys and values after the projections, as [batch, heads, rows, width].
local function project(self, query, key, value, times_first)
  local list = {}
  for i, x in ipairs {query, key, value} do
    if times_first then x = x:transpose(1, 2) end
    list[i] = split_heads(functional.linear(x, projection(self, i)), self.num_heads)
  end
  return table.unpack(list)
end

local function settings(self, o, b, n, m, query)
  return {
    scale = 1 / math.sqrt(self.embed_dim // self.num_heads), causal = o.is_causal == true, heads = self.num_heads,
    mask = mask_of(self, o, b, n, m, query), p = self.training and self.dropout or 0, generator = self.generator,
  }
end

--- Computes self-attention of `query` by one fused op. Returns nil if weights are wanted, if there is dropout, if the
-- mask requires gradients, or if nn.autocast is on. Also returns nil if keys or values have another width than queries,
-- or if the device prefers several ops. o: the options of the call; s: a result of settings.
local function attend_packed(self, query, o, times_first, s)
  local needs = s.mask and s.mask.requires_grad
  if o.need_weights ~= false or s.p > 0 or needs or autocast.is_on() then return nil end
  if not rawget(self, "in_proj_weight") then return nil end
  s.times_first = times_first
  if not compute.prefers_packed(query, s) then return nil end
  return compute.packed(functional.linear(query, self.in_proj_weight, self.in_proj_bias or nil), s)
end

local function attend(self, query, key, value, o, times_first, s)
  local q, k, v = project(self, query, key, value, times_first)
  local y, weights
  if o.need_weights == false then y = compute.attend(q, k, v, s) else y, weights = compute.by_parts(q, k, v, s) end
  y = merge_heads(y)
  if times_first then y = y:transpose(1, 2) end
  return y, weights and (o.average_attn_weights == false and weights or weights:mean(2))
end

local function is_call_options(x) return type(x) == "table" and not core.is_tensor(x) end

function MultiheadAttention:forward(query, key, value, o)
  if is_call_options(key) and value == nil and o == nil then
    key, o = nil, key
  elseif is_call_options(value) and o == nil then
    value, o = nil, value
  end
  o = args.options("MultiheadAttention", o, known_call)
  key = key == nil and query or key
  value = value == nil and key or value
  check_input(self, "the query", query, self.embed_dim)
  check_input(self, "the key", key, self.kdim, query)
  check_input(self, "the value", value, self.vdim, query)
  check_keys(self, key, value, query)
  local single, same = query.ndim == 2, rawequal(query, key) and rawequal(key, value)
  if single then query, key, value = query:expand_dims(1), key:expand_dims(1), value:expand_dims(1) end
  local times_first = not self.batch_first and not single
  local rows, batch = times_first and 1 or 2, times_first and 2 or 1
  local s = settings(self, o, query.shape[batch], query.shape[rows], key.shape[rows], query)
  local y, weights = same and attend_packed(self, query, o, times_first, s) or nil, nil
  if not y then y, weights = attend(self, query, key, value, o, times_first, s) end
  y = self.out_proj(y)
  if single then return y:squeeze(1), weights and weights:squeeze(1) end
  return y, weights
end

function MultiheadAttention:extra() return ("%d, %d"):format(self.embed_dim, self.num_heads) end

return {MultiheadAttention = MultiheadAttention}
