--- Random programs for specs of lt.compile: kinds of statements, and inputs. A statement is a function (draw, x, y, z,
-- state, call), where draw is a generator of integers and x, y and z are random values of the program. It returns a new
-- value, or nil.

local generator = require("spec.support.compiled").generator
local lt = require "luatensor"

local programs = {}

local dtypes = {"float32", "float64", "float16", "bfloat16", "int32", "int8", "uint8", "bool", "complex64", "int64"}
local unary = {"negative", "abs", "square", "exp", "tanh", "sqrt", "sin", "floor", "sign", "logical_not", "isnan",
               "positive", "reciprocal"}
local binary = {"add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "equal", "pow", "remainder",
                "floor_divide", "logical_and", "atan2"}
local in_place = {"add_", "multiply_", "maximum_", "exp_", "copy_"}

--- Shapes of small inputs that can be broadcast to each other.
programs.shapes = {{4, 5}, {5}, {4, 1}, {1, 5}, {}, {3, 4, 5}, {20}, {4, 5}}

--- Simple kinds of statements.
programs.simple = {
  function(draw, x) return lt[unary[draw(#unary)]](x) end,
  function(draw, x, y) return lt[binary[draw(#binary)]](x, draw(4) == 1 and draw(7) - 3 or y) end,
  function(draw, x, y) return lt[binary[draw(#binary)]](x, y) end,
  function(draw, x, y) return lt[binary[draw(#binary)]](y, x) end,
  function(draw, x) return x[{{draw(#x), #x}}] end,
  function(draw, x) if draw(2) == 1 then return x.mT else return x:broadcast_to(4, 5) end end,
  function(draw, x, y)
    local name = in_place[draw(#in_place)]
    if name == "exp_" then return x:exp_() else return x[name](x, draw(2) == 1 and draw(5) or y) end
  end,
  function(draw, x) return x:sum(draw(x.ndim), {keepdim = true}) end,
  function(draw, x) return x:to(dtypes[draw(#dtypes)]) end,
  function(_, x, y, z) return lt.where(x:not_equal(0), y, z) end,
  function(draw, x, y) return coroutine.wrap(function() return lt[binary[draw(#binary)]](x, y) * 2 end)() end,
}

--- Returns four random tensors, each of a shape of the list and of a random dtype. If `common` is a dtype, two of the tensors
-- have this dtype.
function programs.inputs(seed, list, common)
  local draw, inputs = generator(31 * seed + 7), {}
  lt.manual_seed(seed)
  for i = 1, 4 do
    local x, dtype = lt.randn(list[draw(#list)]) * 2, dtypes[draw(#dtypes)]
    inputs[i] = x:to(i > 2 and common or dtype)
  end
  return inputs
end

-- Dims that a reduction may have: all of them, the first ones or the last ones.
local function random_dims(draw, x)
  local kind = draw(4)
  if kind == 1 then return nil end
  if kind == 2 then return {draw(2) == 1 and 1 or -1} end
  local dims = {}
  for k = 1, draw(math.max(1, x.ndim)) do dims[k] = kind == 3 and k or -k end
  return dims
end

local reductions = {"sum", "mean", "max", "var", "argmax", "min", "prod", "std", "all", "logsumexp"}
local along_dim = {"softmax", "log_softmax", "cumulative_sum", "cumulative_max", "flip"}

local function reduce(draw, x)
  local dims = random_dims(draw, x)
  local name, keepdim = reductions[draw(#reductions)], draw(2) == 1
  if name == "argmax" then return x:argmax(dims and dims[1], {keepdim = dims and keepdim}) end
  return lt[name](x, {dim = dims, keepdim = dims and keepdim})
end

-- Calls a reduction, a scan or a softmax that writes to `into` or to a part of it.
local function write_out(draw, x, into)
  local kind = draw(4)
  if kind == 1 then return lt.cumulative_sum(x, -1, {out = into}) end
  if kind == 2 then return lt.softmax(x, -1, {out = into}) end
  local out = into:select(draw(into.ndim), draw(2))
  return x[kind == 3 and "max" or "sum"](x, draw(2) == 1 and 1 or -1, {out = out})
end

local function normalize(x) return lt.nn.functional.layer_norm(x, x.shape[x.ndim]) end

local function product(x, y) return x:matmul(y.ndim > 1 and y.mT or y) end

-- Functions of which `backward` computes gradients.
local differentiable = {
  function(x, y) return lt.tanh(x) * y + x end,
  function(x) return lt.softmax(x, -1) * x end,
  function(x) return x - x:mean(-1, {keepdim = true}) end,
  function(x) return normalize(x) * 2 end,
  product,
  function(x, y) return lt.where(x:greater(0), x * y, lt.exp(x)) end,
  function(x) return x:roll(1, -1) * x end,
}

--- Further kinds of statements, for functions that are called several times. `state` is the table that the function keeps from
-- call to call, and `call` the number of the call.
programs.further = {
  reduce, reduce, reduce,
  function(draw, x) return lt[along_dim[draw(#along_dim)]](x, draw(2) == 1 and 1 or -1) end,
  function(draw, x) return x:roll(draw(7) - 4, draw(2) == 1 and 1 or -1) end,
  function(draw, x)                                                  -- a stencil
    local dim = draw(2) == 1 and 1 or -1
    return x:roll(1, dim) + x:roll(-1, dim) - 2 * x
  end,
  function(draw, x, y) return lt.concat({x, y}, draw(2) == 1 and 1 or -1) end,
  function(draw, x) return lt.concat({x, x * 2, x}, draw(2) == 1 and 1 or -1) end,
  function(draw, x, y) return lt.stack({x, y + 0 * x}, draw(2) == 1 and 1 or -1) end,
  function(draw, x)
    return x:pad({draw(2), draw(2) - 1}, draw(2) == 1 and {value = draw(5)} or {mode = "replicate"})
  end,
  function(draw, x, y)                                               -- assigns to slices and elements
    local from = draw(#x)
    if draw(2) == 1 then x = x * 1 end
    if draw(3) == 1 then x[from] = draw(9) else x[{{from, #x}}] = draw(2) == 1 and draw(9) or y end
    return x
  end,
  function(_, x, y) return product(x, y) end,
  function(draw, x, y) return write_out(draw, x, y) end,
  function(draw, x, y)
    local kind = draw(3)
    if kind == 1 then return lt.complex(x, y):abs() end
    return kind == 2 and lt.fft.rfft(x):real() or lt.searchsorted(x:flatten():sort(1), y)
  end,
  function(_, x) return normalize(x) end,
  function(draw, x)                                                  -- a norm by hand
    return x * lt.rsqrt((x * x):mean(-1, {keepdim = draw(4) > 1}) + 1e-6)
  end,
  function(draw, x, y)                                               -- gradients
    local leaf = x:to("float32"):detach():clone():requires_grad_()
    local z = differentiable[draw(#differentiable)](leaf, y:to "float32")
    local total = draw(2) == 1 and (z * z):sum() or z:mean()
    total:backward()
    return leaf.grad + total:detach()
  end,
  function(draw, x, _, _, state)                                     -- a parameter that learns from call to call
    if not state.weight then
      state.weight = lt.full({5}, 0.5):requires_grad_()
      state.optimizer = lt.optim[draw(2) == 1 and "SGD" or "Adam"]({state.weight}, {lr = 0.1})
    end
    state.optimizer:zero_grad()
    local loss = ((x:to "float32" * state.weight):sum(-1) - 1):square():mean()
    loss:backward()
    state.optimizer:step()
    return loss:detach() + state.weight:detach()
  end,
  function(draw, x, y)                                               -- a coroutine that computes step by step
    local n, values = draw(4), {}
    for z in coroutine.wrap(function()
      for i = 1, n do
        x = x + y * i
        coroutine.yield(x)
      end
    end) do
      values[#values + 1] = z:sum(-1)
      if #values == 3 then break end
    end
    return lt.stack(values)
  end,
  function(draw, x, _, _, state)                                     -- a state that the first call makes
    local key = draw(3)
    if not state[key] then state[key] = x * 1 end
    return state[key]:add_(x)
  end,
}

--- Kinds whose operations depend on elements, on the number of the call, or on tensors that an earlier call has put into
-- the state, and kinds that wait for checks of matrices. Replays cannot repeat them.
programs.changing = {
  function(_, x) if x:flatten()[1]:not_equal(0):item() then return x + 1 else return x:zeros_like() end end,
  function(draw, x, y)                                               -- assigns where a condition holds
    x[x:greater(y)] = draw(5)
    return x + 0
  end,
  function(draw, x, _, _, state)                                     -- a state that calls replace
    local key = draw(3)
    if key == 3 and state[key] then return state[key]:add_(x) end
    state[key] = state[key] and state[key] * 0.5 + x or x * 1
    return state[key]
  end,
  function(draw, x, y, _, _, call)                                   -- a loop whose length changes
    for i = 1, (call * draw(5)) % 7 do x = x * 0.5 + y - i end
    return x
  end,
  function(_, x, y)                                                  -- a branch on a value
    if x:to("float32"):sum():item() > 0 then return (x + y):mean(-1) else return x * y end
  end,
  function(_, x)
    local z = x:to "float32"
    return lt.linalg.solve(z.mT:matmul(z) + lt.eye(x.shape[x.ndim]) * 9, z.mT)
  end,
}

return programs
