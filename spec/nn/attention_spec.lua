-- Tests the documented properties of attention. nn/pytorch_spec.lua compares its numbers with PyTorch's.
local lt = require "luatensor"
local nn = require "luatensor.nn"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"

local attend = nn.functional.scaled_dot_product_attention

local function values(x) return x:detach():to("float64"):flatten():totable() end

local function near(expected, got, tolerance)
  local a, b = values(expected), values(got)
  assert.equal(#a, #b)
  for i, v in ipairs(a) do
    local fits = math.abs(v - b[i]) <= (tolerance or 1e-10)
    if not fits then error(("number %d: %.17g, not %.17g"):format(i, b[i], v), 2) end
  end
end

-- The oracle: computes softmax(q kᵀ / √width + mask) v without dividing the matrices into blocks.
local function plainly(q, k, v, mask)
  local scores = q:matmul(k.mT) / math.sqrt(q.shape[q.ndim])
  return (scores + mask):softmax(-1):matmul(v)
end

local function causal(n, m)
  return lt.where(lt.arange(1, n + 1):expand_dims(-1):less(lt.arange(1, m + 1)), -math.huge, 0.0)
end

local function leaf(...) return gradient.tensor({...}, -1, 1, (select(3, ...))):requires_grad_() end

-- ---- sizes and masks of the fused op ----

local host = {device = "cpu", dtype = "float64"}

-- The oracle for all masks, in float64 on the CPU. `seen` [..., queries, keys] is false for hidden keys. `added` is added to
-- the scores. Queries that see no key give 0.
local function by_definition(q, k, v, seen, added)
  local scores = lt.where(seen, q:matmul(k.mT) * 0.3 + added, -1e300)
  return (scores:softmax(-1) * seen:to("float64")):matmul(v)
end

-- Each function returns an attn_mask for b batches, h heads, n queries and m keys, or nil, and is_causal.
local masks = {
  none = function() end,
  causal = function() return nil, true end,
  bool = function(_, _, n, m) return gradient.tensor({n, m}, -1, 2, 5):greater(0) end,
  padding = function(b, _, _, m) return gradient.tensor({b, 1, 1, m}, -1, 1, 5):greater(0) end,
  added = function(b, h, n, m) return gradient.tensor({b, h, n, m}, -3, 3, 5) end,
  ["added to all heads, causal"] = function(_, _, n, m) return gradient.tensor({m, n}, -3, 3, 5).mT, true end,
  ["added, infinite"] = function(_, h, n, m)
    local x = gradient.tensor({h, n, m}, -3, 3, 5)
    return lt.where(x:less(0), -math.huge, x)
  end,
  ["added, so low that weights vanish"] = function(_, _, n, m)
    return lt.where(gradient.tensor({n, m}, -1, 1, 5):greater(0), 0, -95 - 20 * gradient.tensor({n, m}, 0, 1, 6))
  end,
  ["all hidden"] = function(_, _, n, m) return lt.zeros(n, m, {dtype = "bool"}) end,
}

-- Returns what by_definition needs for a mask.
local function definition_of(mask, is_causal, n, m)
  local seen, added = lt.ones(n, m, {dtype = "bool", device = "cpu"}), lt.zeros(1, host)
  if is_causal then seen = lt.arange(1, n + 1, host):expand_dims(-1):greater_equal(lt.arange(1, m + 1, host)) end
  if mask and mask.dtype == "bool" then seen = seen:logical_and(mask:to "cpu") end
  if mask and mask.dtype ~= "bool" then
    local x = mask:to("cpu"):to("float64")
    seen, added = seen:logical_and(x:greater(-math.huge)), lt.where(x:equal(-math.huge), 0, x)
  end
  return seen, added
end

-- Returns [b, h, n, width] in memory as [b, n, h, width], as projections are.
local function heads(seed, b, h, n, width, dtype)
  return gradient.tensor({b, n, h, width}, -1, 1, seed):to(dtype):transpose(2, 3)
end

local function largest(x) return x.size > 0 and x:abs():max():item() or 0 end

-- Compares attention and its gradients with by_definition. `size` has queries, keys, width and the width of values.
local function check_size(size, dtype, make_mask, tolerance)
  local b, h, n, m, d, e = 2, 3, table.unpack(size)
  local mask, is_causal = make_mask(b, h, n, m)
  if mask and mask.dtype ~= "bool" then mask = mask:to(dtype) end
  local list = {heads(1, b, h, n, d, dtype), heads(2, b, h, m, d, dtype), heads(3, b, h, m, e, dtype)}
  local there, here = {}, {}
  for i, x in ipairs(list) do
    there[i], here[i] = x:detach():requires_grad_(), x:detach():to("cpu"):to("float64"):requires_grad_()
  end
  local g = heads(4, b, h, n, e, dtype)
  local y = attend(there[1], there[2], there[3], {attn_mask = mask, is_causal = is_causal, scale = 0.3})
  local seen, added = definition_of(mask, is_causal, n, m)
  local want = by_definition(here[1], here[2], here[3], seen, added)
  y:backward(g)
  want:backward(g:to("cpu"):to("float64"))
  near(want, y, tolerance * (1 + largest(want)))
  for i, x in ipairs(there) do near(here[i].grad, x.grad, tolerance * (1 + largest(here[i].grad))) end
end

describe("attention of", function()
  local sizes = {{1, 1, 1, 1}, {1, 130, 8, 8}, {63, 65, 33, 20}, {65, 63, 64, 64}, {130, 130, 8, 5}, {66, 40, 128, 96},
                 {300, 40, 20, 140}, {140, 290, 24, 20}}
  local tolerances = {float32 = 3e-6, float64 = 1e-13, float16 = 2e-3, bfloat16 = 2e-2}

  for name, mask in pairs(masks) do
    it("rows that do not fill tiles, mask: " .. name, function()
      for _, size in ipairs(sizes) do check_size(size, "float32", mask, tolerances.float32) end
    end)
  end

  for dtype, tolerance in pairs(tolerances) do
    it(dtype .. ", with rows of every length", function()
      for _, width in ipairs {1, 7, 16, 32, 60, 64, 128, 130} do
        check_size({17, 35, width, math.max(1, width - 3)}, dtype, masks.added, tolerance)
        check_size({35, 17, math.max(1, width - 3), width}, dtype, masks.causal, tolerance)
      end
      check_size({65, 66, 64, 64}, dtype, masks.bool, tolerance)
    end)
  end
end)

describe("attention", function()
  for _, case in ipairs {{70, 70, true}, {130, 90, true}, {65, 200, true}, {130, 70, false}} do
    it(("as one op is as by its parts: %d queries, %d keys%s"):format(case[1], case[2], case[3] and ", causal" or ""), function()
      local n, m = case[1], case[2]
      local q, k, v = leaf(2, 3, n, 4), leaf(2, 3, m, 4), leaf(2, 3, m, 5)
      local a = attend(q, k, v, {is_causal = case[3]})
      local weights = gradient.tensor(a.shape, -1, 1, 9)
      a:backward(weights)
      local grads = {q.grad, k.grad, v.grad}
      q.grad, k.grad, v.grad = nil, nil, nil
      local b = plainly(q, k, v, case[3] and causal(n, m) or 0)
      b:backward(weights)
      near(b, a)
      for i, x in ipairs {q, k, v} do near(x.grad, grads[i]) end
    end)
  end

  it("gradients are those of differences, in every layout", function()
    local q, k, v = gradient.tensor({1, 2, 3, 2}), gradient.tensor({1, 2, 4, 2}), gradient.tensor({1, 2, 4, 3})
    for name, layout in pairs(gradient.layouts) do
      gradient.check(name, attend, {q, k, v}, {layout = layout})
      gradient.check(name, function(x) return attend(x, x, x, {is_causal = true}) end, {q}, {layout = layout})
    end
  end)

  it("can be differentiated twice", function()
    local q, k, v = gradient.tensor({1, 1, 2, 2}), gradient.tensor({1, 1, 3, 2}), gradient.tensor({1, 1, 3, 1})
    gradient.check("attention", gradient.of(attend), {q, k, v}, {tolerance = 1e-6})
    local mha = nn.MultiheadAttention(2, 1, {dtype = "float64", generator = lt.generator{seed = 1}})
    gradient.check("heads", gradient.of(function(x) return (mha(x, {need_weights = false})) end),
                   {gradient.tensor({3, 1, 2})}, {tolerance = 1e-6})
  end)

  it("does not overflow, and rows that see nothing are 0", function()
    local q = lt.full({1, 1, 2, 4}, 1e4, {dtype = "float32"}):requires_grad_()
    local y = attend(q, q, lt.ones(1, 1, 2, 3))
    near(lt.ones(1, 1, 2, 3), y, 1e-6)
    local mask = lt.tensor({{false, false}, {true, true}})
    y = attend(q, q, q, {attn_mask = mask})
    near(lt.zeros(4), y[1][1][1], 0)
    y:sum():backward()
    assert.is_false(q.grad:isnan():any():item())
  end)

  it("ignores keys with NaN that are not seen, by every way", function()
    for _, dtype in ipairs {"float32", "bfloat16"} do
      local q = lt.ones(1, 2, 3, 4, {dtype = dtype, device = helpers.device})
      local k, v = q:clone(), lt.arange(1, 4, {device = helpers.device}):to(dtype):expand_dims(-1):broadcast_to {1, 2, 3, 4}
      k[{{}, {}, 3}] = 0 / 0
      for _, p in ipairs {0, 1e-300} do
        local y = attend(q, k, v, {attn_mask = lt.tensor({true, true, false}, {device = helpers.device}), dropout_p = p})
        near(lt.full({1, 2, 3, 4}, 1.5), y:to("cpu"), 1e-6)
        y = attend(q, k, v, {is_causal = true, dropout_p = p})
        near(lt.tensor{1, 1.5}, y[{1, 2, {1, 2}, 4}]:to("cpu"), 1e-6)
      end
    end
  end)

  it("without queries, without a batch", function()
    assert.same({2, 0, 3}, {table.unpack(attend(lt.zeros(2, 0, 4), lt.zeros(2, 5, 4), lt.zeros(2, 5, 3)).shape)})
    assert.same({0, 1, 3}, {table.unpack(attend(lt.zeros(0, 1, 4), lt.zeros(0, 5, 4), lt.zeros(0, 5, 3)).shape)})
  end)

  it("without keys, without width, without values, without heads", function()
    for _, causal_too in ipairs {false, true} do
      local o = {is_causal = causal_too}
      near(lt.zeros(2, 3, 5), attend(lt.ones(2, 3, 4), lt.ones(2, 0, 4), lt.ones(2, 0, 5), o))
      near(lt.ones(2, 3, 5), attend(lt.ones(2, 3, 0), lt.ones(2, 4, 0), lt.ones(2, 4, 5), o))
      assert.same({2, 3, 0}, {table.unpack(attend(lt.ones(2, 3, 4), lt.ones(2, 4, 4), lt.ones(2, 4, 0), o).shape)})
      local none = lt.ones(2, 0, 3, 4)
      assert.same({2, 0, 3, 4}, {table.unpack(attend(none, none, none, o).shape)})
    end
  end)

  it("of one row, one key, one number, whatever their strides are", function()
    local q, k = gradient.tensor({2, 3, 8}), gradient.tensor({2, 3, 8}, -1, 1, 2)
    local function check(a, b, c)
      local fused = {a:clone():requires_grad_(), b:clone():requires_grad_(), c:clone():requires_grad_()}
      local x, y, z = a:detach():requires_grad_(), b:detach():requires_grad_(), c:detach():requires_grad_()
      local want, got = plainly(fused[1], fused[2], fused[3], 0), attend(x, y, z)
      near(want, got, 1e-12);
      (want * want):sum():backward();
      (got * got):sum():backward()
      for i, t in ipairs {x, y, z} do near(fused[i].grad, t.grad, 1e-12) end
    end
    -- [2, 3, 1, 8]: one row for each head
    check(q:expand_dims(3), k:expand_dims(3), k:expand_dims(3))
    check(q:expand_dims(3), k:expand_dims(2), k:expand_dims(2):broadcast_to {2, 3, 3, 8})
    check(q:transpose(2, 3):expand_dims(3), k:transpose(2, 3):expand_dims(3), q:transpose(2, 3):expand_dims(3))
    -- [2, 1, 3, 1]; its rows are 8 elements apart
    local one = q:narrow(3, 2, 1):expand_dims(2)
    check(one, one, one)
    check(one:broadcast_to {2, 4, 3, 1}, q:flip {3}:narrow(3, 1, 1):expand_dims(2):broadcast_to {2, 4, 3, 1},
          lt.ones(1, 1, 1, 1, {dtype = "float64"}):broadcast_to {2, 4, 3, 1})
  end)

  it("needs scores of some rows in memory, once", function()
    if helpers.device ~= lt.device "cpu" then return end
    local q, k = lt.randn(1, 1, 64, 4), lt.randn(1, 1, 2 ^ 15, 4)                    -- all scores take 8 MiB
    attend(q, k, k)
    collectgarbage()
    local before = lt.memory("cpu").live
    lt.reset_peak_memory()
    attend(q, k, k)
    assert.is_true(lt.memory("cpu").peak - before < 10 * 2 ^ 20, lt.memory("cpu").peak - before)
  end)

  it("dropout drops weights: what is left is scaled", function()
    local v = lt.eye(200):expand_dims(1)
    local y = attend(lt.zeros(1, 200, 4), lt.zeros(1, 200, 4), v, {dropout_p = 0.25, generator = lt.generator{seed = 3}})
    local kept = y:greater(0)
    assert.near(0.75, kept:to("float64"):mean():item(), 0.02)
    near(kept:to("float32") * (1 / (200 * 0.75)), y, 1e-7)
  end)

  it("half floats, and on the device", function()
    local q = gradient.tensor({2, 2, 5, 4}, -1, 1)
    local want = attend(q, q, q, {is_causal = true})
    near(want, attend(q:to("bfloat16"), q:to("bfloat16"), q:to("bfloat16"), {is_causal = true}), 0.05)
    local mine, there = q:clone():requires_grad_(), q:to("float32"):to(helpers.device):requires_grad_();
    (attend(mine, mine, mine, {is_causal = true})):sum():backward()
    local y = attend(there, there, there, {is_causal = true})
    y:sum():backward()
    near(want, y:to("cpu"), 1e-5)
    near(mine.grad, there.grad:to("cpu"), 1e-5)
  end)

  it("says what does not fit", function()
    local function refused(words, ...)
      local list = table.pack(...)
      assert.error_matches(function() attend(table.unpack(list, 1, list.n)) end, words)
    end
    local x = lt.zeros(2, 5, 4)
    refused("queries %[2, 5, 3%] and keys %[2, 5, 4%] differ in their last dim", lt.zeros(2, 5, 3), x, x)
    refused("there are 5 keys, %[2, 5, 4%], but 6 values, %[2, 6, 4%]", x, x, lt.zeros(2, 6, 4))
    refused("attn_mask: %[4, 5%] does not broadcast to the scores, %[2, 5, 5%]", x, x, x, {attn_mask = lt.zeros(4, 5)})
    refused("attn_mask: bool or float expected, got int64", x, x, x, {attn_mask = lt.zeros(5, 5, {dtype = "int64"})})
    refused("argument 2: tensor expected, got nil", x)
    refused("scale: number expected, got string", x, x, x, {scale = "x"})
    refused("dropout_p: a number from 0 to 1 expected, got x", x, x, x, {dropout_p = "x"})
    refused("dropout_p: a number from 0 to 1 expected, got 2", x, x, x, {dropout_p = 2})
    local integers = lt.zeros(2, 5, 4, {dtype = "int64"})
    refused("argument 1: floats expected, got int64", integers, x, x)
    refused("argument 3: floats expected, got int64", x, x, integers)
  end)
end)

describe("MultiheadAttention", function()
  it("gives the weights by which values were multiplied: in training with those that dropout made 0", function()
    local mha = nn.MultiheadAttention(1, 1, {bias = false, dropout = 0.5, dtype = "float64", batch_first = true,
                                            generator = lt.generator{seed = 5}})
    lt.no_grad(function()
      -- all keys have the same weight, and values are the input
      mha.in_proj_weight:copy_(lt.tensor{{0}, {0}, {1}})
      mha.out_proj.weight:fill_(1)
    end)
    local x = lt.ones(1, 400, 1, {dtype = "float64"})
    local y, weights = mha(x)
    near(weights:sum(-1):expand_dims(-1), y, 1e-12)
    assert.near(0.5, weights:equal(0):to("float64"):mean():item(), 0.02)
    weights = select(2, mha:eval()(x))
    assert.near(1 / 400, weights:min():item(), 1e-12)
  end)

  it("of nothing: no times, no batch", function()
    local mha = nn.MultiheadAttention(4, 2)
    for _, need in ipairs {true, false} do
      for _, shape in ipairs {{0, 3, 4}, {3, 0, 4}} do
        assert.same(shape, {table.unpack((mha(lt.zeros(shape), {need_weights = need})).shape)})
      end
    end
  end)

  local function make(options)
    options.dtype, options.generator = "float64", lt.generator{seed = 5}
    return nn.MultiheadAttention(4, 2, options)
  end

  it("gives the same with and without weights, of one tensor and of three", function()
    for _, first in ipairs {true, false} do
      local mha, x = make{batch_first = first}, gradient.tensor({3, 5, 4}):requires_grad_()
      local a = mha(x, {need_weights = false, is_causal = true})
      local b, weights = mha(x, {is_causal = true})
      local c = mha(x, x:clone(), x:clone(), {is_causal = true, need_weights = false})
      near(b, a)
      near(c, a)
      local rows = weights:sum(-1)
      near(lt.ones_like(rows), rows)
      local grads = {}
      for i, y in ipairs {a, b, c} do
        x.grad = nil;
        (y * y):sum():backward()
        grads[i] = x.grad
      end
      near(grads[2], grads[1])
      near(grads[3], grads[1])
    end
  end)

  it("takes a float mask of another dtype", function()
    local mha, x = make{batch_first = true}, gradient.tensor({3, 5, 4})
    local mask = gradient.tensor({5, 5}, -1, 1, 7):to("float32")
    local want = mha(x, {need_weights = false, attn_mask = mask:to("float64")})
    near(want, mha(x, {need_weights = false, attn_mask = mask}))
    assert.is_true((want - mha(x, {need_weights = false})):abs():max():item() > 1e-3)
  end)

  it("says what does not fit", function()
    local mha = make{}
    assert.error_matches(function() nn.MultiheadAttention(5, 2) end, "2 heads do not divide a width of 5")
    assert.error_matches(function() mha(lt.zeros(2, 3, 5)) end,
                         "MultiheadAttention%(4, 2%): the query's last dim must be 4, its shape is %[2, 3, 5%]")
    assert.error_matches(function() mha(gradient.tensor({2, 3, 4}), gradient.tensor({2, 2, 4})) end, "of different batches")
    assert.error_matches(function() mha(gradient.tensor({2, 3, 4}), {key_padding_mask = lt.zeros(2, 2)}) end,
                         "key_padding_mask must be of shape %[3, 2%], its shape is %[2, 2%]")
  end)
end)
