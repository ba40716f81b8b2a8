--- Computes attention for nn.MultiheadAttention and functional.scaled_dot_product_attention: as one fused op if the
-- device prefers it, otherwise as several ops.
--
-- The fields of options o:
--
--     scale        the factor of the scores
--     causal       true if query i sees only keys 1 … i
--     mask         bool, true if a key is seen; or float, added to the scores; or nil
--     p            the probability of dropout
--     generator    the generator of dropout, or nil for the default generator

local core = require "luatensor.core"
local autocast = require "luatensor.nn.autocast"
local dropping = require "luatensor.nn.functional.dropout"
local engine = require "luatensor.autograd.engine"

local ag = core.autograd
local compute = {}

-- ---- masks ----

--- Returns a mask as numbers that are added to scores: 0 for true, -infinity for false. A float mask is only
-- converted to dtype.
function compute.as_added(mask, dtype)
  if mask.dtype ~= "bool" then return mask:to(dtype) end
  local options = {dtype = dtype, device = mask.device}
  return core.where(mask, core.zeros({}, options), core.full({}, -math.huge, options))
end

local function causal_mask(queries, keys, device)
  local options = {dtype = "int64", device = device}
  return core.arange(1, queries + 1, options):expand_dims(-1):greater_equal(core.arange(1, keys + 1, options))
end

--- Returns scores that are -infinity where a key is not seen, also if the score is NaN.
local function only_seen(scores, seen) return core.where(seen, scores, -math.huge) end

local function masked(scores, o)
  local n, m = scores.shape[scores.ndim - 1], scores.shape[scores.ndim]
  if o.causal then scores = only_seen(scores, causal_mask(n, m, scores.device)) end
  if not o.mask then return scores end
  if o.mask.dtype == "bool" then return only_seen(scores, o.mask) end
  return scores + o.mask:to(scores.dtype)
end

-- ---- by several ops ----

--- Returns the softmax of scores. With a mask, rows that are entirely -infinity get weights 0 instead of NaN.
local function softmax(scores, is_masked)
  if not is_masked or scores.shape[scores.ndim] == 0 then return scores:softmax(-1) end
  local none = scores:detach():max(-1, {keepdim = true}):equal(-math.huge)
  return core.where(none, 0, core.where(none, 0, scores):softmax(-1))
end

--- Computes attention by several recorded ops, on every device. Also returns the weights, after dropout.
-- @treturn tensor the result, [..., queries, width]
-- @treturn tensor the weights, [..., queries, keys]
function compute.by_parts(q, k, v, o)
  local scores = (q * o.scale):matmul(k.mT)
  local wide = autocast.wide(scores)
  wide = masked(wide, o)
  local weights = softmax(wide, o.mask ~= nil)
  local kept = o.p > 0 and dropping.dropout(weights, {p = o.p, generator = o.generator}) or weights
  return autocast.cast(kept):matmul(v), kept
end

-- ---- as one op ----

local function empty(shape, like) return core.unwritten(shape, like.dtype, like) end

--- Returns a tensor [batch, heads, rows, width] that is stored as [batch, rows, heads, width], so that heads and
-- width can be merged into one dim without a copy.
local function heads_inside(b, h, n, width, like) return empty({b, n, h, width}, like):transpose(2, 3) end

--- Returns an unwritten tensor of x's shape for the gradient of x, stored like x: with heads inside of rows, or
-- row-major. If x is a part of a projection, the gradient of the projection needs no other order.
local function gradient_of(x)
  local b, h, n, width = table.unpack(x.shape)
  local stride = x.strides
  if stride[2] < stride[3] then return heads_inside(b, h, n, width, x) end
  return empty({b, h, n, width}, x)
end

--- True if each row of x is contiguous and no two rows of a head share memory. The stride of a dim of length 1 is not
-- used.
local function is_plain(x)
  local stride, rows, width = x.strides, x.shape[3], x.shape[4]
  return (stride[4] == 1 or width == 1) and (stride[3] >= width or rows == 1)
end

--- Returns x if x is contiguous (row-major, without gaps), else a contiguous copy.
local function plain_rows(x) return x:is_contiguous() and x or x:contiguous() end

local function plain(x) return is_plain(x) and x or x:contiguous() end

--- Returns the gradients of q, k and v from g, the gradient of the result. The attention weights are computed again
-- from q and k. All ops can be differentiated, for gradients of gradients.
local function back_by_parts(g, q, k, v, o)
  local scores = masked((q * o.scale):matmul(k.mT), o)
  local p = softmax(scores, o.mask ~= nil)
  local dp = g:matmul(v.mT)
  local ds = p * (dp - (p * dp):sum(-1, {keepdim = true}))
  return {ds:matmul(k) * o.scale, ds.mT:matmul(q) * o.scale, p.mT:matmul(g)}
end

--- Frees tensors that a gradient rule made, because otherwise their memory would stay in use until the next garbage
-- collection.
local function free(...)
  for _, x in ipairs {...} do x:free() end
end

--- Returns the gradient rule for attention with this scale and causal option. The graph's node keeps the tensors that
-- the rule needs: q, k, v, the mask, the result and, for each query, the logarithm of the softmax's sum of
-- exponentials.
local function make_rule(scale, causal)
  return ag.new_rule {name = "attention", all = {"xyzw12", function(g, q, k, v, mask, out, sums)
    g, mask = g[1], mask or nil
    if ag.mode() then return back_by_parts(g, q, k, v, {scale = scale, causal = causal, mask = mask}) end
    local dq, dk, dv = gradient_of(q), gradient_of(k), gradient_of(v)
    core.attention_back(q, k, v, scale, causal, mask, out, sums, plain(g), dq, dk, dv)
    free(q, k, v, out, sums)
    return {dq, dk, dv}
  end}}
end

--- Returns a tensor for the logarithms of the sums of exponentials, which are no half floats.
local function empty_sums(b, h, n, like)
  return core.unwritten({b, h, n}, core.floats[like.dtype], like)
end

local function run(q, k, v, o, mask)
  local b, h, n = table.unpack(q.shape)
  local recorded = ag.mode() and (q.requires_grad or k.requires_grad or v.requires_grad)
  local y, sums
  do
    local _ <close> = engine.recording(false)
    y = heads_inside(b, h, n, v.shape[4], q)
    sums = recorded and empty_sums(b, h, n, q) or nil
    core.attention(q, k, v, o.scale, o.causal, mask, y, sums)
  end
  if recorded then ag.new_node("attention", make_rule(o.scale, o.causal), {q, k, v, mask or false}, {y, sums}) end
  return y
end

--- True if one fused op could compute the attention. The op needs q, k and v with elements, with 3 or 4 dims, and of
-- one dtype. It supports neither dropout nor a mask that needs a gradient or has another float dtype.
local function is_fusable(q, k, v, o)
  local dtype, mask = q.dtype, o.mask
  return core.attention and k.dtype == dtype and v.dtype == dtype and o.p == 0
         and (q.ndim == 3 or q.ndim == 4) and k.ndim == q.ndim and v.ndim == q.ndim
         and q.size > 0 and k.size > 0 and v.size > 0
         and (not mask or (mask.dtype == "bool" or mask.dtype == dtype and not (mask.requires_grad and ag.mode())))
end

--- True if q's device prefers the fused op for attention of these tensors.
local function is_preferred(q, k, v, o)
  local a, b, c = q.shape, k.shape, v.shape
  local n, recorded = #a, ag.mode() and (q.requires_grad or k.requires_grad or v.requires_grad)
  return core.has_attention(q, recorded, o.causal, a[1], n == 3 and 1 or a[2], a[n - 1], b[n - 1], a[n], c[n])
end

--- True if q and k agree in all dims except the last two, so that neither tensor must be broadcast.
local function same_batch(q, k)
  for d = 1, q.ndim - 2 do if q.shape[d] ~= k.shape[d] then return false end end
  return true
end

--- Returns softmax(scale q kᵀ + mask) v. The fused op computes the result if is_fusable is true, nothing must be
-- broadcast, and the device prefers the op.
function compute.attend(q, k, v, o)
  q, k, v = autocast.cast(q), autocast.cast(k), autocast.cast(v)
  if not (is_fusable(q, k, v, o) and same_batch(q, k) and same_batch(q, v) and is_preferred(q, k, v, o)) then
    return (compute.by_parts(q, k, v, o))
  end
  local single, mask = q.ndim == 3, o.mask
  local shape = {q.shape[1], single and 1 or q.shape[2], q.shape[q.ndim - 1], k.shape[k.ndim - 1]}
  if mask and single and mask.ndim == 3 then mask = mask:expand_dims(2) end
  if mask then mask = mask:detach():broadcast_to(shape) end
  if single then q, k, v = q:expand_dims(2), k:expand_dims(2), v:expand_dims(2) end
  local y = run(plain(q), plain(k), plain(v), o, mask)
  return single and y:squeeze(2) or y
end

-- ---- self-attention of one projection ----

--- Returns x[{{}, {}, i}] of x [a, b, parts, heads, width] as a view [batch, heads, rows, width]. In a projection,
-- part 1 has the queries, part 2 the keys and part 3 the values. The batch is dim a, or dim b if times_first.
local function part(x, i, times_first)
  local y = x:narrow(3, i, 1):squeeze(3)
  return times_first and y:permute_dims(2, 3, 1, 4) or y:permute_dims(1, 3, 2, 4)
end

local function parts(x, heads, count, times_first)
  local a, b, n = table.unpack(x.shape)
  x = x:reshape(a, b, count, heads, n // (count * heads))
  local list = {}
  for i = 1, count do list[i] = part(x, i, times_first) end
  return table.unpack(list)
end

local function back_packed(g, qkv, mask, out, sums, o)
  local dout = parts(plain_rows(g[1]), o.heads, 1, o.times_first)
  local q, k, v = parts(qkv, o.heads, 3, o.times_first)
  if ag.mode() then
    local list = back_by_parts(dout, q, k, v, {scale = o.scale, causal = o.causal, mask = mask})
    for i, d in ipairs(list) do
      list[i] = o.times_first and d:permute_dims(3, 1, 2, 4) or d:permute_dims(1, 3, 2, 4)
    end
    return {core.stack(list, 3):reshape(qkv.shape)}
  end
  local result = empty(qkv.shape, qkv)
  local dq, dk, dv = parts(result, o.heads, 3, o.times_first)
  core.attention_back(q, k, v, o.scale, o.causal, mask, parts(out, o.heads, 1, o.times_first), sums, dout, dq, dk, dv)
  free(q, k, v, qkv, out, sums)
  return {result}
end

local function packed_rule(o)
  local few = {scale = o.scale, causal = o.causal, heads = o.heads, times_first = o.times_first}
  return ag.new_rule {name = "attention", all = {"xy12", function(g, qkv, mask, out, sums)
    return back_packed(g, qkv, mask or nil, out, sums, few)
  end}}
end

--- True if one fused op can compute self-attention of a projection of x, and x's device prefers this op.
-- @tparam tensor x [batch, times, width], or [times, batch, width] if o.times_first
-- @tab o as in compute.packed
function compute.prefers_packed(x, o)
  local a, b, n = table.unpack(x.shape)
  if o.times_first then a, b = b, a end
  local width, mask = n // o.heads, o.mask
  if mask and mask.dtype ~= "bool" and mask.dtype ~= x.dtype then return false end
  return core.attention and x.size > 0 and core.has_attention(x, ag.mode(), o.causal, a, o.heads, b, b, width, width)
end

--- Computes self-attention of a tensor that contains, in each row, the queries, the keys and the values of all heads.
-- The gradient has the same layout as this tensor.
-- @tparam tensor qkv [batch, times, 3 width], or [times, batch, 3 width] if o.times_first
-- @tab o the options that the file's header lists, and `heads` (their number) and `times_first`; p must be 0
-- @treturn tensor [batch, times, width] or [times, batch, width]
function compute.packed(qkv, o)
  qkv = plain_rows(qkv)
  local recorded = ag.mode() and qkv.requires_grad
  local a, b, n = table.unpack(qkv.shape)
  local y, sums, mask
  do
    local _ <close> = engine.recording(false)
    local q, k, v = parts(qkv, o.heads, 3, o.times_first)
    y = empty({a, b, n // 3}, qkv)
    sums = recorded and empty_sums(q.shape[1], o.heads, q.shape[3], qkv) or nil
    mask = o.mask and o.mask:detach():broadcast_to {q.shape[1], o.heads, q.shape[3], k.shape[3]}
    core.attention(q, k, v, o.scale, o.causal, mask, parts(y, o.heads, 1, o.times_first), sums)
  end
  if recorded then ag.new_node("attention", packed_rule(o), {qkv, mask or false}, {y, sums}) end
  return y
end

return compute
