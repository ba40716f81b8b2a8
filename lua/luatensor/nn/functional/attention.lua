--- functional.scaled_dot_product_attention. nn/attention/compute.lua computes the attention.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local compute = require "luatensor.nn.attention.compute"

local NAME = "scaled_dot_product_attention"

local known = {attn_mask = true, dropout_p = true, is_causal = true, scale = true, generator = true}

local function check_place(what, x, q)
  if x.device ~= q.device then blame.fail(NAME, "%s on %s, the queries on %s", what, x.device, q.device) end
end

local function check_tensors(q, k, v)
  for i = 1, 3 do
    local x = ({q, k, v})[i]
    if not core.is_tensor(x) then blame.fail(NAME, "argument %d: tensor expected, got %s", i, core.type_name(x)) end
    if x.ndim < 2 then
      blame.fail(NAME, "argument %d: [..., rows, width] expected, its shape is %s", i, tostring(x.shape))
    elseif not x.dtype:find "float" then
      blame.fail(NAME, "argument %d: floats expected, got %s", i, x.dtype)
    end
  end
  check_place("the keys are", k, q)
  check_place("the values are", v, q)
  local a, b, c = q.shape, k.shape, v.shape
  if a[#a] ~= b[#b] then
    blame.fail(NAME, "queries %s and keys %s differ in their last dim", tostring(a), tostring(b))
  elseif b[#b - 1] ~= c[#c - 1] then
    blame.fail(NAME, "there are %d keys, %s, but %d values, %s", b[#b - 1], tostring(b), c[#c - 1], tostring(c))
  end
end

local function check_mask(mask, q, k)
  if mask == nil then return end
  if not core.is_tensor(mask) then blame.fail(NAME, "attn_mask: tensor expected, got %s", core.type_name(mask)) end
  local wanted = {}
  for d = 1, q.ndim - 1 do wanted[d] = q.shape[d] end
  wanted[q.ndim] = k.shape[k.ndim - 1]
  local offset, ok = q.ndim - mask.ndim, mask.ndim <= q.ndim
  for d, n in ipairs(mask.shape) do ok = ok and (n == 1 or n == wanted[d + offset]) end
  if not ok then
    local shapes = {tostring(mask.shape), args.shape_text(wanted)}
    blame.fail(NAME, "attn_mask: %s does not broadcast to the scores, %s", shapes[1], shapes[2])
  elseif mask.dtype ~= "bool" and not mask.dtype:find("float") then
    blame.fail(NAME, "attn_mask: bool or float expected, got %s", mask.dtype)
  end
  check_place("attn_mask is", mask, q)
end

local function check_numbers(options)
  local scale, p = options.scale, options.dropout_p
  if scale ~= nil and type(scale) ~= "number" then
    blame.fail(NAME, "scale: number expected, got %s", core.type_name(scale))
  elseif p ~= nil and (type(p) ~= "number" or not (p >= 0 and p <= 1)) then
    blame.fail(NAME, "dropout_p: a number from 0 to 1 expected, got %s", p)
  end
end

local functional = {}

--- Returns softmax(scale q kᵀ + mask) v, with the softmax along the keys ("Attention is all you need", Vaswani et
-- al., eq. 1). Rows of queries that see no key are 0. Without dropout, one op computes the result on the CPU in float32
-- and float64, and on a GPU if rows have at most 128 elements and the op should be faster than several ops. Then the
-- scores are never all in memory (as in "FlashAttention", Dao et al.).
-- @function nn.functional.scaled_dot_product_attention
-- @tparam tensor q [..., queries, width]
-- @tparam tensor k [..., keys, width]
-- @tparam tensor v [..., keys, values]
-- @tparam[opt] table options `attn_mask`: broadcasts to [..., queries, keys]; a bool mask is true if a key is seen; a
--   float mask is added to the scores; `is_causal` (false): query i sees keys 1 … i; `dropout_p` (0): the probability
--   that a weight becomes 0, even in evaluation; `scale` (1 / √width); `generator`
-- @treturn tensor [..., queries, values]
-- @raise if shapes or devices do not fit together, or if a tensor contains integers
function functional.scaled_dot_product_attention(q, k, v, options)
  options = args.options(NAME, options, known)
  check_tensors(q, k, v)
  check_numbers(options)
  check_mask(options.attn_mask, q, k)
  local width = q.shape[q.ndim]
  return compute.attend(q, k, v, {
    scale = options.scale or 1 / math.sqrt(width), causal = options.is_causal == true, mask = options.attn_mask,
    p = options.dropout_p or 0, generator = options.generator,
  })
end

return functional
