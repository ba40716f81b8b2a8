-- Lists every public name on a line of its own, with its kind (such as "function" or "method") and the names of the
-- options in its documentation.
--
--   tools/lua spec/support/surface.lua > spec/data/public_surface.txt     accepts what was added or removed

local core = require "luatensor.core"
local lt = require "luatensor"
local public = require "spec.support.public"

local surface = {}

local function is_public(name) return type(name) == "string" and not name:find "^_" end

local function kind_of(value)
  local meta = type(value) == "table" and getmetatable(value)
  return meta and rawget(meta, "__call") and "class" or type(value)
end

local function options_of(doc)
  local names = {}
  for name in pairs(doc and public.options_of(doc) or {}) do names[#names + 1] = name end
  table.sort(names)
  return #names > 0 and ": " .. table.concat(names, ", ") or ""
end

-- Adds the names in a library, and in the libraries that the library contains. The documentation names functions
-- without the prefix "lt.".
local function add_library(lines, library, prefix)
  for name, value in next, library do
    if is_public(name) then
      local kind, reference = kind_of(value), prefix:gsub("^lt%.", "")
      local doc = kind ~= "table" and public.doc_of(reference, name, library)
      lines[#lines + 1] = ("%s%s %s%s"):format(prefix, name, kind, options_of(doc))
      if public.libraries[reference .. name .. "."] then add_library(lines, value, prefix .. name .. ".") end
    end
  end
end

local function add_tensor(lines)
  for name in pairs(core.methods) do
    if is_public(name) then lines[#lines + 1] = ("Tensor:%s method"):format(name) end
  end
  for name in pairs(core.properties) do lines[#lines + 1] = ("Tensor.%s property"):format(name) end
  for name in pairs(debug.getmetatable(lt.ones(1))) do lines[#lines + 1] = ("Tensor.%s metamethod"):format(name) end
end

-- Returns an object of each class whose methods the documentation lists, by the name of the class. Classes that need
-- a GPU are left out.
local function objects()
  local nn, optim, data = lt.nn, lt.optim, lt.data
  local parameters, rows = {lt.ones(2, {requires_grad = true})}, data.TensorDataset(lt.ones(2))
  local optimizer = optim.SGD(parameters, {lr = 1})
  return {
    Module = nn.Linear(1, 1),
    HookHandle = nn.ReLU():register_forward_hook(print),
    Progress = lt.train.progress(1), EarlyStopping = lt.train.EarlyStopping(),
    ConfusionMatrix = nn.metrics.ConfusionMatrix(2), Collector = nn.metrics.Collector(),
    Sequential = nn.Sequential(nn.ReLU()), ParameterList = nn.ParameterList(),
    Optimizer = optimizer, LBFGS = optim.LBFGS(parameters), Scheduler = optim.scheduler.StepLR(optimizer, 1),
    ReduceLROnPlateau = optim.scheduler.ReduceLROnPlateau(optimizer), GradScaler = optim.GradScaler {},
    Group = lt.distributed.init(), Dataset = rows, Loader = data.Loader(rows),
    DistributedSampler = data.DistributedSampler(rows), Figure = lt.plot.line {1}, generator = lt.generator {seed = 1},
  }
end

local function add_methods_of_objects(lines)
  local made = objects()
  for name, doc in pairs(public.docs) do
    local class, method = name:match "^(%a+):([%w_]+)$"
    local object = made[class]
    if class and (not object or type(object[method]) == "function") then
      lines[#lines + 1] = ("%s method%s"):format(name, options_of(doc))
    end
  end
end

--- Returns all lines, sorted.
function surface.lines()
  local lines = {}
  assert(lt.help)                        -- is loaded at its first use, which must not be in the traversal of lt
  add_library(lines, lt, "lt.")
  add_library(lines, require "luatensor.report", "report.")
  add_tensor(lines)
  add_methods_of_objects(lines)
  table.sort(lines)
  return lines
end

if arg and (arg[0] or ""):find "surface%.lua$" then print(table.concat(surface.lines(), "\n")) end

return surface
