-- tags: uncollected many-kernels exhaustive
-- Tests the gradient of every rule and function, and the gradient of the gradient, over options and dtypes. The slope
-- along a direction is compared with central differences. Gradients of less precise dtypes are compared with those of
-- float64. LUATENSOR_EXHAUSTIVE=1 checks every element, in every layout.
local lt = require "luatensor"
local ag = require("luatensor.core").autograd
local cases = require "spec.support.gradient_cases"
local gpu = require "spec.support.gpu"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"
local none = require "luatensor.gradients.without"
local coverage = dofile "tools/coverage.lua"

local exhaustive = os.getenv "LUATENSOR_EXHAUSTIVE"

-- ---- rules that the cases reach ----

-- reached[rule][k] is true if a case has a gradient of the rule's argument k. reached[rule].all is true if a case
-- reaches a rule that returns the gradients of all arguments.
local reached = {}

local function see(node, seen)
  if seen[node] then return end
  seen[node] = true
  local row, name, count = ag.rule(node)
  if not name then return end
  reached[name] = reached[name] or {}
  if row and row.all then reached[name].all = true end
  for k = 1, count do
    local target = ag.edge(node, k)
    if target then
      reached[name][k] = true
      if not lt.is_tensor(target) then see(target, seen) end
    end
  end
end

local function see_results(results)
  for _, y in ipairs(results) do
    if lt.is_tensor(y) and y.requires_grad and not y.is_leaf then see((ag.source(y)), {}) end
  end
end

-- ---- a case ----

local function inputs_of(case, complex)
  local list = {}
  for k, input in ipairs(case.inputs) do
    list[k] = gradient.tensor(input.shape, input.low, input.high, k + 2, complex)
  end
  return list
end

local function leaves_of(inputs)
  local list = {}
  for k, x in ipairs(inputs) do list[k] = x:clone():requires_grad_() end
  return list
end

-- Checks that recording does not change the values of the gradient.
local function check_recorded(name, slopes, inputs)
  local plain, recorded = {slopes(table.unpack(inputs))}, {slopes(table.unpack(leaves_of(inputs)))}
  see_results(recorded)
  for k, g in ipairs(plain) do
    assert(g:allclose(recorded[k]:detach(), {rtol = 1e-9, atol = 1e-9}), ("%s: gradient %d, recorded, is another one"):format(name, k))
  end
end

-- Returns a function that returns y + y² for each float64 or complex128 result y of fn. So the gradients that fn's
-- rules receive also depend on the inputs.
local function bent(fn)
  return function(...)
    local results = table.pack(fn(...))
    for k = 1, results.n do
      local y = results[k]
      if lt.is_tensor(y) and (y.dtype == "float64" or y.dtype == "complex128") then results[k] = y + y * y end
    end
    return table.unpack(results, 1, results.n)
  end
end

local function check_fully(case, fn, inputs)
  for label, layout in pairs(gradient.layouts) do
    gradient.check(case.name .. ", " .. label, fn, inputs, {layout = layout, tolerance = 1e-7 * case.tolerance})
  end
  gradient.check(case.name .. ", twice", gradient.of(bent(fn)), inputs, {tolerance = 2e-6 * case.tolerance})
end

local function check(case, complex)
  local fn, inputs = case.fn, inputs_of(case, complex)
  if complex and not pcall(fn, table.unpack(inputs)) then return end
  see_results {fn(table.unpack(leaves_of(inputs)))}
  if case.not_by_differences then return end
  gradient.check_along(case.name, fn, inputs, {tolerance = 1e-7 * case.tolerance})
  local slopes = gradient.of(bent(fn))
  check_recorded(case.name, slopes, inputs)
  gradient.check_along(case.name .. ", twice", slopes, inputs, {tolerance = 2e-6 * case.tolerance})
  if exhaustive then check_fully(case, fn, inputs) end
end

local by_name, names = {}, {}
for _, case in ipairs(cases) do
  if not by_name[case.name] then
    by_name[case.name] = {}
    if not gpu.lacks[case.name] then names[#names + 1] = case.name end
  end
  table.insert(by_name[case.name], case)
end
table.sort(names)

local epsilons = {float32 = 2 ^ -23, complex64 = 2 ^ -23, float16 = 2 ^ -10, bfloat16 = 2 ^ -7}

describe("the gradient, once and twice, of", function()
  for _, name in ipairs(names) do
    it(name, function()
      for _, case in ipairs(by_name[name]) do
        check(case, false)
        check(case, true)
      end
    end)
  end
end)

describe("the gradient in dtypes of less precision, of", function()
  for _, name in ipairs(names) do
    it(name, function()
      for dtype, epsilon in pairs(epsilons) do
        for _, case in ipairs(by_name[name]) do
          if not case.not_by_differences then
            gradient.check_dtype(name, case.fn, inputs_of(case, dtype == "complex64"), dtype, 40 * epsilon * case.tolerance)
          end
        end
      end
    end)
  end
end)

-- ---- completeness ----

describe("cases", function()
  for name, row in pairs(ag.rules) do
    if not gpu.lacks["linalg." .. name] then it("reach the rule of " .. name, function()
      local seen = assert(reached[name], "no case in spec/support/gradient_cases.lua has " .. name)
      if row.all then assert(seen.all) return end
      for k, rule in ipairs(row) do
        if rule then assert(seen[k], ("no case differentiates argument %d of %s"):format(k, name)) end
      end
    end) end
  end

  local function connects(...)
    for _, value in ipairs {...} do
      if lt.is_tensor(value) and value.requires_grad then return true end
      if type(value) == "table" and not lt.is_tensor(value) and connects(table.unpack(value)) then return true end
    end
    return false
  end

  it("are there for every function that passes a gradient on", function()
    for _, group in ipairs(coverage.functions()) do
      for _, name in ipairs(group.names) do
        local x, s = coverage.sample("float64", helpers.device)
        x = (x / 8):requires_grad_()
        local results = {pcall(coverage.call_of(name), coverage.function_of(name), x, s)}
        if results[1] and connects(table.unpack(results, 2)) then
          assert(by_name[name] or none[name], name .. ": a case in spec/support/gradient_cases.lua")
        end
      end
    end
  end)

  it("are there for every function of layers", function()
    for name in pairs(lt.nn.functional) do
      assert(by_name["nn." .. name] or name == "one_hot", "nn." .. name .. ": a case in spec/support/gradient_cases.lua")
    end
  end)
end)
