-- tags: uncollected many-kernels
-- Every function of the library gives the same inside of a compiled function, where its arguments are results of
-- operations that have not run yet.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local gradient_cases = require "spec.support.gradient_cases"

-- Returns the bits of a tensor or of a list of tensors, and other values as text without addresses.
local function bits(x)
  if type(x) == "table" and not getmetatable(x) then
    local all = {}
    for i, y in ipairs(x) do all[i] = bits(y) end
    return table.concat(all, ", ")
  end
  if not lt.is_tensor(x) then return (tostring(x):gsub("0x%x+", "")) end
  return helpers.bits(x)
end

local function all_bits(values)
  local all = {}
  for i = 1, values.n do all[i] = bits(values[i]) end
  return all
end

-- Calls f in a protected call. Returns bits of its results, or the error without its position.
local function outcome(f, ...)
  local results = table.pack(pcall(f, ...))
  if not results[1] then return (tostring(results[2]):gsub("^[^:]+:%d+: ", ""):gsub("0x%x+", "")) end
  return all_bits(results)
end

describe("gradients in compiled functions", function()
  -- Calls the case's function on results of operations, and backward. Returns the results and the gradients.
  local function differentiate(case)
    local leaves, inputs = {}, {}
    lt.manual_seed(11)
    for k, input in ipairs(case.inputs) do
      local low, high = input.low, input.high
      leaves[k] = (lt.rand(input.shape) * (high - low) + low):requires_grad_()
      inputs[k] = leaves[k] * 1
    end
    local results, total = table.pack(case.fn(table.unpack(inputs))), nil
    for _, y in ipairs(results) do
      if lt.is_tensor(y) and y.requires_grad then
        local sum = (y * y):abs():sum()
        total = total and total + sum or sum
      end
    end
    total:backward()
    for _, leaf in ipairs(leaves) do results[#results + 1] = leaf.grad or false end
    results.n = #results
    return table.unpack(results, 1, results.n)
  end

  local compiled, it = lt.compile(differentiate), helpers.drawn_it(it)
  for number, case in ipairs(gradient_cases) do
    it(("of %s are those of the function (case %d)"):format(case.name, number), function()
      assert.same(outcome(differentiate, case), outcome(compiled, case))
    end)
  end
end)

describe("methods in compiled functions", function()
  local names = {}
  -- what differs from call to call
  local differ = {data_ptr = true, to_dlpack = true, free = true, empty_like = true, new_empty = true}
  for line in io.lines "spec/data/public_surface.txt" do
    local name = line:match "^Tensor:([%w_]+) method"
    if name and not differ[name] then names[#names + 1] = name end
  end

  -- Arguments after x for the first and second call of each method.
  local arguments = {{}, {1}, {lt.tensor {{2.0, 1.0}, {1.0, 3.0}}}, {1, lt.tensor {{1, 2}, {2, 1}}}}

  local function run(name, given, dtype)
    lt.manual_seed(5)
    local x = lt.tensor({{4, 1}, {1, 3}}, {dtype = dtype})
    local y = x * 1
    local result = y[name](y, table.unpack(given))
    return result, x, y
  end
  local compiled = lt.compile(run)

  for _, name in ipairs(names) do
    it(("such as %s are those of the function"):format(name), function()
      for _, given in ipairs(arguments) do
        for _, dtype in ipairs {"float32", "int64", "bool"} do
          assert.same(outcome(run, name, given, dtype), outcome(compiled, name, given, dtype))
        end
      end
    end)
  end

  it("are all tried", function() assert.truthy(#names > 200, #names) end)
end)
