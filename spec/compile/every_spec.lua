-- tags: uncollected many-kernels
-- Every function of the library gives the same inside of a compiled function, where its arguments are results of
-- operations that have not run yet.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local gradient_cases = require "spec.support.gradient_cases"

local nn, optim = lt.nn, lt.optim

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

describe("training in compiled functions", function()
  local layers = {
    linear = function() return nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Dropout(0.3), nn.Linear(8, 3)), {4, 6} end,
    ["batch norm"] = function() return nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 3)), {4, 6} end,
    convolution = function()
      return nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3)), {4, 1, 6, 6}
    end,
    recurrent = function()
      local lstm, head = nn.LSTM(5, 4), nn.Linear(4, 3)
      local model = nn.Sequential(lstm, head)
      return setmetatable({parameters = function() return model:parameters() end},
                          {__call = function(_, x) return head((lstm(x))[-1]) end}), {3, 4, 5}
    end,
  }
  local rules = {SGD = {lr = 0.1, momentum = 0.9, weight_decay = 0.01}, Adam = {lr = 0.01}, AdamW = {lr = 0.01}, RMSprop = {lr = 0.01},
                 Adagrad = {lr = 0.01}, Adadelta = {}, Adamax = {lr = 0.01}, NAdam = {lr = 0.01}, RAdam = {lr = 0.01}}

  -- Returns the losses of five steps and the final parameters.
  local function train(make, rule, compile)
    lt.manual_seed(3)
    local model, shape = make()
    local optimizer = optim[rule](model:parameters(), rules[rule])
    local x, classes = lt.randn(shape), lt.tensor {1, 3, 2, 1}
    local function step(penalty)
      optimizer:zero_grad()
      local loss = nn.functional.cross_entropy(model(x), classes)
      for _, p in ipairs(model:parameters()) do loss = loss + penalty * (p * p + p):mean() end
      loss:backward()
      if penalty > 0.002 then nn.utils.clip_grad_norm_(model:parameters(), 1) end
      optimizer:step()
      return loss
    end
    local f, values = compile and lt.compile(step) or step, {n = 0}
    for i = 1, 5 do values[i] = f(i / 1000) end
    for _, p in ipairs(model:parameters()) do values[#values + 1] = p end
    values.n = #values
    return all_bits(values)
  end

  for name, make in pairs(layers) do
    for rule in pairs(rules) do
      helpers.drawn_it(it)(("of a %s network by %s is that of the function"):format(name, rule), function()
        assert.same(train(make, rule, false), train(make, rule, true))
      end)
    end
  end

  it("is tried with every rule", function()
    for name in pairs(optim) do
      local is_rule = name:match "^[A-Z]" and name ~= "Optimizer" and name ~= "GradScaler" and name ~= "LBFGS"
      assert.truthy(not is_rule or rules[name], name)
    end
  end)
end)
