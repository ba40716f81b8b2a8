-- Reads the cases of spec/data/pytorch/*.json: calls of layers and functions of networks, with PyTorch's results.
-- spec/data/pytorch/make.py explains the fields of a case.
local lt = require "luatensor"
local nn = require "luatensor.nn"
local data = require "spec.support.data"
local helpers = require "spec.support.helpers"

local pytorch = {}

local scope = setmetatable({lt = lt, nn = nn, functional = nn.functional}, {__index = _G})

local function evaluate(text) return assert(load("return " .. text, text, "t", scope))() end

-- Returns the tensor that entry e of the JSON file describes. Tensors of floats get the dtype of the case.
local function tensor(e, dtype)
  local is_float = e.dtype:find("float") ~= nil
  local options = {dtype = is_float and dtype or e.dtype, device = helpers.device}
  if #e.data == 0 then return lt.zeros(e.shape, options) end
  return lt.tensor(e.data, options):reshape(e.shape)
end

-- Appends the tensors among the first n items of `list` to `into`, also the tensors in nested tables. Returns `into`.
local function flatten(list, n, into)
  for i = 1, n do
    local x = list[i]
    if lt.is_tensor(x) then into[#into + 1] = x elseif type(x) == "table" then flatten(x, #x, into) end
  end
  return into
end

--- Returns the entries of a state by our names of parameters. names: the names that differ otherwise than by counting
-- from 1.
function pytorch.by_our_names(entries, names)
  local renamed = {}
  for name, e in pairs(nn.rename_pytorch(entries)) do renamed[names and names[name] or name] = e end
  return renamed
end

-- Returns the function of a case, or its module with the parameters of the case.
local function build(row, dtype)
  local subject = evaluate(row.lua)
  if not row.state then return subject end
  subject:to(dtype):to(helpers.device)
  local state = {}
  for name, e in pairs(pytorch.by_our_names(row.state, row.names)) do state[name] = tensor(e, dtype) end
  subject:load_state_dict(state)
  return subject:train(not row.eval)
end

-- Returns the inputs of a case. Inputs that the case differentiates are leaves that require gradients.
local function make_inputs(row, dtype)
  local inputs = {}
  for i, e in ipairs(row.inputs) do
    inputs[i] = tensor(e, dtype)
    if row.weights and e.dtype:find("float") and not e.fixed then inputs[i]:requires_grad_() end
  end
  return inputs
end

--- Makes what a case calls. Returns its function or module, and its inputs.
function pytorch.make(row, dtype) return build(row, dtype), make_inputs(row, dtype) end

--- Calls the function or module of a case. Returns the list of the result's tensors.
function pytorch.call(row, subject, inputs)
  local results
  if row.call then
    results = table.pack(evaluate(row.call)(subject, table.unpack(inputs)))
  else
    results = table.pack(subject(table.unpack(inputs)))
  end
  return flatten(results, results.n, {})
end

--- Returns the weights of a case that has gradients: one or false for each result of the case. Other cases have no
-- weights.
function pytorch.weights(row, dtype)
  local weights = {}
  for k, e in ipairs(row.weights or {}) do weights[k] = e and tensor(e, dtype) end
  return weights
end

--- Calls backward on the results of a case, with its weights.
function pytorch.backward(outputs, weights)
  for k, weight in ipairs(weights) do
    if weight then outputs[k]:backward(weight, {retain_graph = k < #weights}) end
  end
end

--- Returns an iterator over the groups of cases: the group's name and the list of its cases.
function pytorch.groups()
  local files <close> = assert(io.popen("ls spec/data/pytorch/*.json"))
  local names = {}
  for path in files:lines() do names[#names + 1] = path:match "(%w+)%.json$" end
  return coroutine.wrap(function()
    for _, name in ipairs(names) do coroutine.yield(name, data.read("pytorch/" .. name)) end
  end)
end

--- Returns the name of a case: our expression, and the shapes of the inputs.
function pytorch.name(row)
  local list = {}
  for i, e in ipairs(row.inputs) do list[i] = "[" .. table.concat(e.shape, ", ") .. "]" end
  return ("%s of %s%s"):format(row.lua, table.concat(list, ", "), row.eval and ", evaluating" or "")
end

return pytorch
