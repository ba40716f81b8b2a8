-- Finds the public names, and the docs that describe them.

local lt = require "luatensor"

local names = {}

-- Returns the sorted keys of a table that are public names.
function names.of(t)
  local list = {}
  for name in pairs(t) do
    if type(name) == "string" and not name:find("^_") then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

-- Returns the doc of a name or, for an in-place form without a doc, the doc of the name without the underscore.
-- Returns nil if neither doc exists.
function names.has_doc(name, by_name) return by_name[name] or name:find("_$") and by_name[name:sub(1, -2)] end

-- Returns another name in the table `space` for the function `name`, or nil. The other name must be documented.
function names.alias_of(name, space, by_name)
  for _, other in ipairs(names.of(space)) do
    if other ~= name and rawequal(rawget(space, other), rawget(space, name)) and names.has_doc(other, by_name) then
      return other
    end
  end
end

-- True for a function, and for a table that can be called, such as a class.
function names.is_callable(value)
  local meta = type(value) == "table" and getmetatable(value)
  return type(value) == "function" or meta and meta.__call ~= nil
end

function names.is_constant(value) return type(value) ~= "function" and type(value) ~= "table" end

-- Returns the value of lt.a.b.c for the name "a.b.c". Returns nil if there is no such name.
function names.value_of(name)
  local value = lt
  for part in name:gmatch("[^.]+") do
    value = type(value) == "table" and rawget(value, part) or nil
  end
  return value
end

--- Properties of a tensor: name → {type, meaning}.
names.properties = {
  shape   = {"integer[]", "sizes; can be indexed, compared with == and printed"},
  strides = {"integer[]", "distance of neighbours in each dim, in elements"},
  ndim    = {"integer", "number of dims"},
  size    = {"integer", "number of elements"},
  dtype   = {"string", '"float32" …'},
  device  = {"string", '"cpu" …'},
  T       = {"luatensor.Tensor", "transpose of a 2-d tensor, a view"},
  mT      = {"luatensor.Tensor", "the last two dims swapped, a view"},
  grad    = {"luatensor.Tensor?", "what backward added up for a leaf; can be set"},
  requires_grad = {"boolean", "are gradients for it wanted? Can be set"},
  is_leaf = {"boolean", "was it made by the script, not computed from what requires gradients?"},
  grad_fn = {"string?", "the op that a gradient passes next"},
}

--- Classes with methods for scripts: the module of each class, its parent, and its lines in the annotations.
names.classes = {
  {name = "Module", of = "nn", lines = "---@overload fun(...): any"},
  {name = "HookHandle", of = "nn"},
  {name = "ConfusionMatrix", of = "nn", lines = "---@field matrix luatensor.Tensor"}, {name = "Collector", of = "nn"},
  {name = "Sequential", of = "nn", parent = "Module"},
  {name = "ParameterList", of = "nn", parent = "Module"}, {name = "Replicas", of = "nn", parent = "Module"},
  {name = "Optimizer", of = "optim", lines = "---@field param_groups table[]\n---@field state table"},
  {name = "LBFGS", of = "optim", parent = "Optimizer"}, {name = "GradScaler", of = "optim"},
  {name = "Scheduler", of = "optim", lines = "---@field last_epoch integer"},
  {name = "ReduceLROnPlateau", of = "optim", parent = "Scheduler"},
  {name = "Dataset", of = "data", lines = "---@field size integer"}, {name = "Loader", of = "data"},
  {name = "ImageFolder", of = "data", parent = "Dataset", lines = "---@field classes string[]\n" ..
    "---@field paths string[]\n---@field labels integer[]"},
  {name = "DistributedSampler", of = "data"},
  {name = "Figure", of = "plot"},
  {name = "Progress", of = "train"}, {name = "Log", of = "train", lines = "---@field rows table[]"},
  {name = "EarlyStopping", of = "train", lines = "---@field best number?\n---@field best_step integer?\n" ..
    "---@field improved boolean"},
  {name = "Group", of = "distributed"},
  {name = "compiled"}, {name = "generator"}, {name = "graph"}, {name = "stream"}, {name = "event"},
}

return names
