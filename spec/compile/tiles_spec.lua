-- tags: unplugged
-- Random programs on tensors so large that luatensor computes their operations tile by tile (src/op/deferral/tile.c). The
-- results are those of the function itself, to the last bit.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local PROGRAMS = helpers.device == "cpu" and 480 // helpers.share or 4
local shapes = {{300, 128}, {64, 3, 200}, {40000, 1}, {9, 5000}, {2000, 17}, {8, 70, 60}}
local dtypes = {"float32", "float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8"}
local reductions = {"sum", "mean", "max", "min", "argmax", "var", "prod", "any"}
local lines = {"softmax", "log_softmax", "cumulative_sum", "cumulative_max"}
local unary = {"negative", "exp", "square", "abs", "sqrt", "reciprocal"}
local binary = {"add", "subtract", "multiply", "maximum", "less", "divide"}

local function generator(state)
  return function(n)
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 33) % n + 1
  end
end

-- The kinds of statements. x and y are random values of the program, all of which broadcast to the program's shape.
local kinds = {
  function(draw, x) return lt[unary[draw(#unary)]](x) end,
  function(draw, x, y) return lt[binary[draw(#binary)]](x, y) end,
  function(draw, x, y) return lt[binary[draw(#binary)]](x, y) end,
  function(draw, x) return lt[binary[draw(#binary)]](x, draw(5)) end,
  function(draw, x)
    local first = draw(x.ndim)
    local dims = {}
    for d = first, draw(3) == 1 and first or x.ndim do dims[#dims + 1] = d end
    local name = reductions[draw(#reductions)]
    return lt[name](x, name == "argmax" and dims[1] or dims, {keepdim = true})
  end,
  function(draw, x)                     -- without keepdim, and with a new dim in its place
    local y = x:sum(x.ndim)
    return draw(2) == 1 and y:expand_dims(x.ndim) or y:reshape(y.shape[1], table.unpack(x:sum(x.ndim, {keepdim = true}).shape, 2))
  end,
  function(draw, x) return lt[lines[draw(#lines)]](x, draw(2) == 1 and x.ndim or draw(x.ndim)) end,
  function(draw, x) return x:to(dtypes[draw(#dtypes)]) end,
  function(draw, x, y) x:add_(draw(2) == 1 and 1 or y) end,
  function(_, x) return x:flatten():reshape(x.shape) * 2 end,
  function(_, x) return x:flip(1) + 1 end,
}

local function program(seed, inputs, errors)
  local draw, values = generator(seed), {table.unpack(inputs)}
  for _ = 1, 3 + draw(12) do
    local function pick() return values[draw(4) == 1 and draw(#values) or #values] end
    local ok, made = pcall(kinds[draw(#kinds)], draw, pick(), pick())
    errors[#errors + 1] = not ok and tostring(made)
    if ok and made then values[#values < 6 and #values + 1 or draw(#values)] = made end
  end
  return table.unpack(values, math.max(1, #values - draw(3)))
end

local function inputs_of(seed)
  local draw, inputs = generator(31 * seed + 7), {}
  lt.manual_seed(seed)
  local shape = shapes[draw(#shapes)]
  for i = 1, 3 do
    local own = {table.unpack(shape)}
    if i > 1 and draw(3) == 1 then own[draw(#own)] = 1 end
    inputs[i] = (lt.rand(table.unpack(own)) * 9):to(dtypes[draw(#dtypes)])
  end
  return inputs
end

local function bytes_of(x) return x.dtype .. " " .. table.concat(x.shape, "×") .. x:to("cpu"):to_bytes() end

describe("programs computed tile by tile", function()
  for seed = 1, PROGRAMS do
    it("equal eager ones, program " .. seed, function()
      local plain, compiled = {errors = {}, inputs = inputs_of(seed)}, {errors = {}, inputs = inputs_of(seed)}
      plain.results = {program(seed, plain.inputs, plain.errors)}
      compiled.results = {lt.compile(function() return program(seed, compiled.inputs, compiled.errors) end)()}
      assert.same(plain.errors, compiled.errors)
      assert.equal(#plain.results, #compiled.results)
      for _, list in ipairs{"inputs", "results"} do
        for i, x in ipairs(plain[list]) do
          assert.is_true(bytes_of(x) == bytes_of(compiled[list][i]), ("%s %d: %s seed %d"):format(list, i, x.dtype, seed))
        end
      end
    end)
  end

  it("add the exponentials of a softmax in the same order, however few lines a tile has", function()
    for _, name in ipairs{"softmax", "log_softmax"} do
      local x = (lt.rand(5000, 9, {dtype = "float64"}) * 9):t()
      local function f()
        local y = lt[name](x, 2)
        return (y * 3):sum(2, {keepdim = true}) * y
      end
      local expected = bytes_of(f())
      local made = lt.compile(function()
        local z = f()
        collectgarbage()
        return z
      end)()
      assert.is_true(expected == bytes_of(made), name)
    end
  end)
end)
