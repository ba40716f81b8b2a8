-- Lists public functions, methods and classes with their documentation.

local core = require "luatensor.core"
local lt = require "luatensor"

-- The docs are read from the sources when a spec first needs them, because some specs need only the functions.
local public = setmetatable({}, {__index = function(self, key)
  if key ~= "docs" then return nil end
  local _, docs = dofile("tools/annotate.lua").collect()
  rawset(self, "docs", docs)
  return docs
end})

--- Returns the doc of a function in a table. An alias has the doc of the aliased function, and an in-place form has
-- the doc of its function.
-- @string prefix of the docs' names: "nn."
-- @string name
-- @tab functions
function public.doc_of(prefix, name, functions)
  local docs = public.docs
  if docs[prefix .. name] then return docs[prefix .. name] end
  for other, f in next, functions do
    if type(other) == "string" and docs[prefix .. other] and rawequal(f, functions[name]) then
      return docs[prefix .. other]
    end
  end
  if name:find("_$") then return public.doc_of(prefix, name:sub(1, -2), functions) end
end

--- Returns the number of arguments that a doc names, or nil if the function takes any number of arguments.
function public.most_of(doc)
  for _, param in ipairs(doc.params) do
    if param.name == "..." then return nil end
  end
  return #doc.params
end

--- Adds each name in backticks in a text to a set.
-- @string text
-- @tab names the set: a table whose keys are the names
function public.add_words(text, names)
  for name in text:gmatch "`([%a_][%w_]*)`" do names[name] = true end
end

-- Adds the options of other docs to which a text refers, as in "those of nn.RNN but `nonlinearity`", to a table whose
-- keys are names.
local function add_others(text, names)
  for other, rest in text:gmatch "those of ([%w_.:]+)(.*)" do
    local doc = public.docs[(other:gsub("%.$", ""):gsub("^lt%.", ""))]
    if doc then for name in pairs(public.options_of(doc)) do names[name] = true end end
    local without = rest:match "^ but `([%w_]+)`"
    if without then names[without] = nil end
  end
end

--- Returns a table whose keys are the names of a doc's options. The names are the words in backticks in the text of
-- the parameter `options`, and the words after "option" in the texts of other parameters ("also option `dim`").
-- @tab doc
-- @treturn table
function public.options_of(doc)
  local names = {}
  for _, param in ipairs(doc.params) do
    if param.name == "options" then
      public.add_words(param.text, names)
      add_others(param.text, names)
    else
      for list in param.text:gmatch "option (`[^;.]*)" do public.add_words(list, names) end
    end
  end
  return names
end

local function sorted_names(functions, is_one)
  local names = {}
  for name, value in next, functions do
    if type(name) == "string" and not name:find("^_") and is_one(value) then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function is_function(value) return type(value) == "function" end

local function is_class(value)
  local meta = type(value) == "table" and getmetatable(value)
  return meta and rawget(meta, "__call") ~= nil
end

--- functions_of returns the sorted names of the functions in a table, and classes_of the sorted names of the classes.
function public.functions_of(functions) return sorted_names(functions, is_function) end
function public.classes_of(functions) return sorted_names(functions, is_class) end

--- Tables of public functions, by the prefix of their names in the docs.
public.libraries = {
  [""] = lt, ["linalg."] = lt.linalg, ["fft."] = lt.fft, ["autograd."] = rawget(lt, "autograd"),
  ["cuda."] = lt.cuda, ["rocm."] = lt.rocm, ["tpu."] = lt.tpu, ["metal."] = lt.metal, ["xpu."] = lt.xpu,
  ["xla."] = lt.xla,
  ["nn."] = lt.nn, ["nn.init."] = lt.nn.init, ["nn.functional."] = lt.nn.functional, ["nn.utils."] = lt.nn.utils,
  ["nn.parallel."] = lt.nn.parallel, ["nn.metrics."] = lt.nn.metrics,
  ["optim."] = lt.optim, ["optim.scheduler."] = lt.optim.scheduler, ["data."] = lt.data,
  ["data.transforms."] = lt.data.transforms,
  ["train."] = lt.train, ["distributed."] = lt.distributed, ["bench."] = lt.bench, ["plot."] = lt.plot,
  ["advise."] = lt.advise, ["info."] = lt.info,
}

--- Returns the methods that only tensors have. Methods that are also functions of lt are listed with the libraries.
function public.own_methods()
  local own = {}
  for name, f in next, core.methods do if not rawget(lt, name) then own[name] = f end end
  return own
end

-- ---- modules ----

local nn = lt.nn

-- Arguments with which specs construct a module, by the name of its class. Classes without an entry need none.
local made_of = {
  Linear = {3, 4}, Embedding = {3, 4}, Threshold = {0, 1}, MultiheadAttention = {4, 2}, Unflatten = {1, {1}},
  Lambda = {print}, Conv1d = {1, 1, 1}, Conv2d = {1, 1, 1}, ConvTranspose1d = {1, 1, 1}, ConvTranspose2d = {1, 1, 1},
  LayerNorm = {2}, RMSNorm = {2}, GroupNorm = {1, 2}, BatchNorm1d = {2}, BatchNorm2d = {2}, BatchNorm3d = {2},
  InstanceNorm1d = {2}, InstanceNorm2d = {2}, InstanceNorm3d = {2}, LocalResponseNorm = {2}, MaxPool1d = {2},
  MaxPool2d = {2}, AvgPool1d = {2}, AvgPool2d = {2}, AdaptiveAvgPool1d = {2}, AdaptiveAvgPool2d = {2},
  AdaptiveMaxPool1d = {2}, AdaptiveMaxPool2d = {2}, RNN = {2, 3}, LSTM = {2, 3}, GRU = {2, 3}, RNNCell = {2, 3},
  LSTMCell = {2, 3}, GRUCell = {2, 3}, TransformerEncoderLayer = {4, 2}, TransformerDecoderLayer = {4, 2},
  TransformerEncoder = {nn.TransformerEncoderLayer(4, 2), 1}, TransformerDecoder = {nn.TransformerDecoderLayer(4, 2), 1},
  Upsample = {{size = 2}}, Sequential = {nn.ReLU()}, Residual = {nn.ReLU()},
}

-- Classes of modules that accept any arguments when they are called, or that cannot be called.
local takes_all = {Lambda = true, Identity = true, ModuleList = true, ModuleDict = true, ParameterList = true,
                   Module = true}

--- Makes a module of the class `name` of nn. Returns nil for classes whose modules accept any arguments or cannot be
-- called.
-- @string name
function public.make_module(name)
  return not takes_all[name] and nn[name](table.unpack(made_of[name] or {})) or nil
end

return public
