-- Tests that layers and functions of networks give PyTorch's numbers, forward and backward. spec/data/pytorch/make.py
-- explains how the numbers were made, and how to add a case.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local pytorch = require "spec.support.pytorch_cases"

local function number(x)
  if type(x) == "boolean" then return x and 1 or 0 end
  return x
end

-- Returns a text that describes the difference between tensor x and entry e of the JSON file, or nil if they agree. The
-- tolerance is relative to the entry's largest magnitude.
local function problem(e, x, tolerance)
  if not lt.is_tensor(x) then return ("tensor expected, got %s"):format(type(x)) end
  local shape, largest = "[" .. table.concat(e.shape, ", ") .. "]", 1e-3
  if tostring(x.shape) ~= shape then return ("shape %s, not %s"):format(tostring(x.shape), shape) end
  for i, v in ipairs(e.data) do
    v = number(v)
    e.data[i] = v
    if v == v and math.abs(v) < math.huge then largest = math.max(largest, math.abs(v)) end
  end
  for i, v in ipairs(x.size > 0 and x:detach():flatten():totable() or {}) do
    local want = e.data[i]
    v = number(v)
    local same = v == want or v ~= v and want ~= want
    local off = math.abs(v - want)
    if not same and (off ~= off or off > tolerance * largest) then
      return ("number %d is %.17g, not %.17g"):format(i, v, want)
    end
  end
end

local function check(what, e, x, tolerance)
  local found = problem(e, x, tolerance)
  if found then error(what .. ": " .. found, 0) end
end

local function check_gradients(row, inputs, subject, tolerance)
  for i, e in ipairs(row.gradients) do
    if e then check("the gradient of input " .. i, e, inputs[i].grad, tolerance) end
  end
  if not row.parameters then return end
  local parameters = {}
  for name, p in subject:named_parameters() do parameters[name] = p end
  for name, e in pairs(pytorch.by_our_names(row.parameters, row.names)) do
    check("the gradient of " .. name, e, parameters[name].grad, tolerance)
  end
end

local function run(row, dtype, tolerance)
  local subject, inputs = pytorch.make(row, dtype)
  local outputs = pytorch.call(row, subject, inputs)
  for k, e in ipairs(row.outputs) do check("result " .. k, e, outputs[k], tolerance) end
  if row.after then
    local state = subject:state_dict()
    for name, e in pairs(pytorch.by_our_names(row.after, row.names)) do
      check(name .. " afterwards", e, state[name], tolerance)
    end
  end
  if row.weights then
    pytorch.backward(outputs, pytorch.weights(row, dtype))
    check_gradients(row, inputs, subject, tolerance)
  end
end

-- With LUATENSOR_GCSTRESS, many allocations of tensors collect garbage, which takes long. Then only one case in six
-- runs.
local few = os.getenv "LUATENSOR_GCSTRESS" and 6 or 1

for group, rows in pytorch.groups() do
  describe("PyTorch's numbers: " .. group, function()
    for i = few, #rows, few do
      local row = rows[i]
      local name = pytorch.name(row)
      local on_cpu = tostring(helpers.device) == "cpu"
      if on_cpu then
        it(name, function() run(row, "float64", row.tol64 or 1e-10) end)
      end
      if not row.float64 and (on_cpu or row.device ~= false) then
        it(name .. ", float32", function() run(row, "float32", row.tol32 or 1e-5) end)
      end
    end
  end)
end
