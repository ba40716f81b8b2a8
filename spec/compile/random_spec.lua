-- Random programs: a compiled function has the same results, to the last bit, the same effects on its arguments and the
-- same errors as the function itself. The first kind of programs has element-wise statements. The second kind has
-- statements of all kinds and a state, and is called several times.
local lt = require "luatensor"
local generator = require("spec.support.compiled").generator
local helpers = require "spec.support.helpers"

local dtypes = {"float32", "float64", "float16", "bfloat16", "int32", "int8", "uint8", "bool", "complex64", "int64"}
local unary = {"negative", "abs", "square", "exp", "tanh", "sqrt", "sin", "floor", "sign", "logical_not", "isnan",
               "positive", "reciprocal"}
local binary = {"add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "equal", "pow", "remainder",
                "floor_divide", "logical_and", "atan2"}
local in_place = {"add_", "multiply_", "maximum_", "exp_", "copy_"}
local shapes = {{4, 5}, {5}, {4, 1}, {1, 5}, {}, {3, 4, 5}, {20}, {4, 5}}

local on_cpu = helpers.device == "cpu"
local PROGRAMS = on_cpu and 1000 // helpers.share or 8
local MOST = 400          -- elements; larger results of broadcasting are dropped

-- The kinds of statements of a program. x, y and z are random values of the program. Each returns a new value, or nil.
local kinds = {
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
  function(_, x) if x:flatten()[1]:not_equal(0):item() then return x + 1 else return x:zeros_like() end end,
  function(draw, x, y) return coroutine.wrap(function() return lt[binary[draw(#binary)]](x, y) * 2 end)() end,
}

-- Runs the program of a seed. Appends the error of each statement, or false, to `errors`. Returns up to four values.
local function program(seed, inputs, errors)
  local draw, values = generator(seed), {table.unpack(inputs)}
  for _ = 1, draw(30) do
    local function pick() return values[draw(#values)] end
    local ok, made = pcall(kinds[draw(#kinds)], draw, pick(), pick(), pick())
    errors[#errors + 1] = not ok and tostring(made)
    if ok and made and made.size <= MOST then values[#values < 12 and #values + 1 or draw(#values)] = made end
    if draw(10) == 1 then collectgarbage() end
  end
  return table.unpack(values, math.max(1, #values - 3))
end

-- Returns four random tensors, each of a shape of the list and of a random dtype. If `common` is a dtype, two of the tensors have this dtype.
local function inputs_of(seed, list, common)
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

-- The kinds of statements of a function that is called several times. `state` is the table that the function keeps from
-- call to call, and `call` the number of the call.
local further_kinds = {
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
  function(draw, x, y)                                               -- assigns where a condition holds
    x[x:greater(y)] = draw(5)
    return x + 0
  end,
  function(_, x, y) return product(x, y) end,
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
  function(draw, x, _, _, state)                                     -- a state that the first call makes
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
}

-- Runs the program of a seed, which is one function in call number `call`. Returns up to four values. In call 3, some
-- programs raise an error at a random statement.
local function function_of(seed, call, inputs, state, errors)
  local draw, values = generator(seed * 77 + 5), {table.unpack(inputs)}
  local count = 8 + draw(16)
  local failing = draw(3) == 1 and draw(count)
  for i = 1, count do
    if i == failing and call == 3 then error(state.problem) end
    local list = draw(5) < 3 and kinds or further_kinds
    local function pick() return values[draw(#values)] end
    local ok, made = pcall(list[draw(#list)], draw, pick(), pick(), pick(), state, call)
    errors[#errors + 1] = not ok and tostring(made)
    if ok and made and made.size <= state.most then values[#values < 10 and #values + 1 or draw(#values)] = made end
    if draw(12) == 1 then collectgarbage() end
  end
  return table.unpack(values, math.max(1, #values - 3))
end

local function all_bits(list)
  local all = {}
  for i, x in ipairs(list) do all[i] = x and helpers.bits(x) end
  return all
end

describe("random programs", function()
  local compiled = lt.compile(program)

  it("compute the same when they are compiled", function()
    local some = on_cpu and 1 or 2           -- other programs on a GPU
    for k = 1, PROGRAMS do
      local seed = k * some
      local plain, later, errors, late_errors = inputs_of(seed, shapes), inputs_of(seed, shapes), {}, {}
      local expected, got = {program(seed, plain, errors)}, {compiled(seed, later, late_errors)}
      assert.same(errors, late_errors, ("program %d"):format(seed))
      assert.same(all_bits(expected), all_bits(got), ("results of program %d"):format(seed))
      assert.same(all_bits(plain), all_bits(later), ("inputs of program %d"):format(seed))
    end
  end)

  it("run most operations in common passes", function()
    local deferred, passes = tostring(compiled):match "(%d+) operations in (%d+) passes"
    assert.truthy(tonumber(deferred) > 3 * PROGRAMS, tostring(compiled))
    assert.truthy(tonumber(passes) < 0.8 * deferred, tostring(compiled))
  end)
end)

describe("random functions", function()
  local CALLS = 5
  local functions = on_cpu and math.max(1, 200 // helpers.share) or 4
  -- Small tensors, rows that are computed in several blocks, and tensors that several threads share. `most` is
  -- the limit in place of MOST.
  local sizes = {
    {shapes = shapes, most = MOST},
    {shapes = {{9, 1100}, {1100}, {9, 1}, {}, {9, 1100}, {2, 9, 1100}}, most = 40000},
    {shapes = {{130, 700}, {700}, {130, 1}, {130, 700}, {1, 700}}, most = 200000},
  }

  -- Calls the function of a seed several times with the same inputs and the same state. Returns the bits of the results,
  -- inputs and state after each call, and the errors. Further results are three numbers: of calls that ended with an
  -- error, of statements without an error, and of operations that waited.
  local function history(seed, compile)
    local size = sizes[seed % 16 == 0 and 3 or seed % 4 == 0 and 2 or 1]
    local inputs, state, list = inputs_of(seed, size.shapes, "float32"), {problem = {}, most = size.most}, {}
    local failed, done = 0, 0
    local f = compile and lt.compile(function_of) or function_of
    for call = 1, CALLS do
      local errors = {}
      local results = table.pack(pcall(f, seed, call, inputs, state, errors))
      if not results[1] then
        assert.equal(state.problem, results[2])
        failed = failed + 1
      end
      local kept = {state[1] or false, state[2] or false, state[3] or false, state.weight or false}
      list[call] = {errors, results[1] and all_bits {table.unpack(results, 2)}, all_bits(inputs), all_bits(kept)}
      for _, problem in ipairs(errors) do done = done + (problem and 0 or 1) end
    end
    return list, failed, done, compile and tonumber(tostring(f):match "(%d+) operations? in ")
  end

  it("compute the same in every call when they are compiled", function()
    local failures, done, deferred = 0, 0, 0
    for seed = 1, functions do
      local expected, failed, succeeded = history(seed, false)
      local got, _, _, waited = history(seed, true)
      for call = 1, CALLS do assert.same(expected[call], got[call], ("function %d, call %d"):format(seed, call)) end
      failures, done, deferred = failures + failed, done + succeeded, deferred + waited
    end
    assert.truthy(failures > 0 or functions < 10)
    assert.truthy(done > 50 * functions and deferred > 50 * functions, ("%d, %d"):format(done, deferred))
  end)
end)
