-- Random programs: a compiled function has the same results, to the last bit, the same effects on its arguments and the
-- same errors as the function itself.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local dtypes = {"float32", "float64", "float16", "bfloat16", "int32", "int8", "uint8", "bool", "complex64", "int64"}
local unary = {"negative", "abs", "square", "exp", "tanh", "sqrt", "sin", "floor", "sign", "logical_not", "isnan",
               "positive", "reciprocal"}
local binary = {"add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "equal", "pow", "remainder",
                "floor_divide", "logical_and", "atan2"}
local in_place = {"add_", "multiply_", "maximum_", "exp_", "copy_"}
local shapes = {{4, 5}, {5}, {4, 1}, {1, 5}, {}, {3, 4, 5}, {20}, {4, 5}}

local PROGRAMS = helpers.device == "cpu" and 1000 // helpers.share or 8
local MOST = 400          -- elements; larger results of broadcasting are dropped

-- Returns a function draw(n), which returns a random integer from 1 to n. The program draws with this generator, so that
-- random numbers of luatensor stay out of it.
local function generator(state)
  return function(n)
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 33) % n + 1
  end
end

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

local function inputs_of(seed)
  local draw, inputs = generator(31 * seed + 7), {}
  lt.manual_seed(seed)
  for i = 1, 4 do inputs[i] = (lt.randn(shapes[draw(#shapes)]) * 2):to(dtypes[draw(#dtypes)]) end
  return inputs
end

local function all_bits(list)
  local all = {}
  for i, x in ipairs(list) do all[i] = helpers.bits(x) end
  return all
end

describe("random programs", function()
  local compiled = lt.compile(program)

  it("compute the same when they are compiled", function()
    local some = helpers.device == "cpu" and 1 or 2           -- other programs on a GPU
    for k = 1, PROGRAMS do
      local seed = k * some
      local plain, later, errors, late_errors = inputs_of(seed), inputs_of(seed), {}, {}
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
