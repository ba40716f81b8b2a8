-- Tests that layers and functions of networks give PyTorch's numbers, forward and backward. spec/data/pytorch/make.py
-- explains how the numbers were made, and how to add a case.
local lt = require "luatensor"
local nn = require "luatensor.nn"
local data = require "spec.support.data"
local helpers = require "spec.support.helpers"

local scope = setmetatable({lt = lt, nn = nn, functional = nn.functional}, {__index = _G})

local function evaluate(text) return assert(load("return " .. text, text, "t", scope))() end

-- Returns the tensor that entry e of the JSON file describes. Tensors of floats get the dtype of the case.
local function tensor(e, dtype)
  local is_float = e.dtype:find("float") ~= nil
  local options = {dtype = is_float and dtype or e.dtype, device = helpers.device}
  if #e.data == 0 then return lt.zeros(e.shape, options) end
  return lt.tensor(e.data, options):reshape(e.shape)
end

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

-- Appends the tensors among the first n items of `list` to `into`, also the tensors in nested tables. Returns `into`.
local function flatten(list, n, into)
  for i = 1, n do
    local x = list[i]
    if lt.is_tensor(x) then into[#into + 1] = x elseif type(x) == "table" then flatten(x, #x, into) end
  end
  return into
end

local function by_our_names(entries, names)
  local renamed = {}
  for name, e in pairs(nn.rename_pytorch(entries)) do renamed[names and names[name] or name] = e end
  return renamed
end

local function build(row, dtype)
  local subject = evaluate(row.lua)
  if not row.state then return subject end
  subject:to(dtype):to(helpers.device)
  local state = {}
  for name, e in pairs(by_our_names(row.state, row.names)) do state[name] = tensor(e, dtype) end
  subject:load_state_dict(state)
  return subject:train(not row.eval)
end

local function make_inputs(row, dtype)
  local inputs = {}
  for i, e in ipairs(row.inputs) do
    inputs[i] = tensor(e, dtype)
    if row.weights and e.dtype:find("float") and not e.fixed then inputs[i]:requires_grad_() end
  end
  return inputs
end

local function backward(row, outputs, dtype)
  for k, e in ipairs(row.weights) do
    if e then outputs[k]:backward(tensor(e, dtype), {retain_graph = k < #row.weights}) end
  end
end

local function check_gradients(row, inputs, subject, tolerance)
  for i, e in ipairs(row.gradients) do
    if e then check("the gradient of input " .. i, e, inputs[i].grad, tolerance) end
  end
  if not row.parameters then return end
  local parameters = {}
  for name, p in subject:named_parameters() do parameters[name] = p end
  for name, e in pairs(by_our_names(row.parameters, row.names)) do
    check("the gradient of " .. name, e, parameters[name].grad, tolerance)
  end
end

local function run(row, dtype, tolerance)
  local subject, inputs = build(row, dtype), make_inputs(row, dtype)
  local results
  if row.call then
    results = table.pack(evaluate(row.call)(subject, table.unpack(inputs)))
  else
    results = table.pack(subject(table.unpack(inputs)))
  end
  local outputs = flatten(results, results.n, {})
  for k, e in ipairs(row.outputs) do check("result " .. k, e, outputs[k], tolerance) end
  if row.after then
    local state = subject:state_dict()
    for name, e in pairs(by_our_names(row.after, row.names)) do
      check(name .. " afterwards", e, state[name], tolerance)
    end
  end
  if row.weights then
    backward(row, outputs, dtype)
    check_gradients(row, inputs, subject, tolerance)
  end
end

local function shapes(row)
  local list = {}
  for i, e in ipairs(row.inputs) do list[i] = "[" .. table.concat(e.shape, ", ") .. "]" end
  return table.concat(list, ", ")
end

-- With LUATENSOR_GCSTRESS, many allocations of tensors collect garbage, which takes long. Then only one case in six
-- runs.
local few = os.getenv "LUATENSOR_GCSTRESS" and 6 or 1

local files = assert(io.popen("ls spec/data/pytorch/*.json"))
for path in files:lines() do
  local group = path:match "(%w+)%.json$"
  local rows = data.read("pytorch/" .. group)
  describe("PyTorch's numbers: " .. group, function()
    for i = few, #rows, few do
      local row = rows[i]
      local name = ("%s of %s"):format(row.lua, shapes(row))
      if row.eval then name = name .. ", evaluating" end
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
files:close()
