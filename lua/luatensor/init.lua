--- Tensors for Lua: n-dimensional arrays on the CPU and on GPUs.
-- @module luatensor

local core = require "luatensor.core"
local names = require "luatensor.names"

--- What the files below need, and scripts do not.
local internal = {methods = true, properties = true, metatable = true, excerpt = true, gone = true, dtype_of = true, nearest = true,
                  reductions = true, composition = true, expression = true, expression_apply = true,
                  expression_cast = true, expression_finish = true, user_kernel = true, linalg_parts = true,
                  linear = true, cells = true, attention = true, attention_back = true,
                  sleep = true, terminal = true, cache_folder = true, output_file = true, make_beside = true,
                  available_memory = true,
                  system_memory = true, processors = true, profile_start = true, profile_stop = true,
                  profile_running = true, working_set = true, autograd = true, updates = true, capturing = true,
                  read_idx = true, csv_fields = true, csv_numbers = true, save_npy = true, load_npy = true,
                  write_tensors = true, open_tensors = true, read_text = true, read_tensor = true,
                  close_tensors = true,
                  cross_entropy = true, cross_entropy_gradient = true}
for name in ([[conv conv_input conv_weight max_pool max_pool_back average_pool average_pool_back
                norm_rows norm_channels norm_back softmax_back hidden is_overlapping update_misfit]]):gmatch "%S+" do
  internal[name] = true
end

local lt = {_VERSION = "luatensor scm"}
for name, value in pairs(core) do
  if not internal[name] then lt[name] = value end
end

--- Each file adds functions to lt, and those whose first argument is a tensor to the methods.
local parts = {
  "print",
  "compare",
  "manip",
  "linear",
  "einsum",
  "stats",
  "order",
  "linalg",
  "random",
  "elementwise",
  "sets",
  "kernel",
  "info",
  "fft",
  "autograd",
  "checkpoint",
}

--- Scripts call the functions written in Lua by way of core.composition, which words their errors. Those that parts
-- return call functions of the script, whose errors pass untouched.
local compositions = {}
for _, part in ipairs(parts) do
  for _, f in ipairs(require("luatensor." .. part)(lt, core.methods, core) or {}) do compositions[f] = f end
end

local function compose(functions)
  for name, f in pairs(functions) do
    if type(f) == "function" then
      compositions[f] = compositions[f] or core.composition(name, f)
      functions[name] = compositions[f]
    end
  end
end
compose(lt)
compose(core.methods)
require("luatensor.alias").install(lt, core.methods)
compose(core.methods)

--- Loaded when a script first names them: most scripts measure nothing, and many train nothing. They call functions of
-- the script, whose errors are not theirs to word: no compositions.
local late = {bench = "luatensor.bench", advise = "luatensor.advise", nn = "luatensor.nn",
              optim = "luatensor.optim", data = "luatensor.data"}

local function load_late(name)
  if not late[name] then return nil end
  local loaded = require(late[name])
  if type(loaded) == "table" then names.guard(loaded, name .. ".") end
  lt[name] = loaded
  return loaded
end

for name, library in pairs(lt) do
  if type(library) == "table" then                -- lt.linalg, lt.fft …
    compose(library)
    names.guard(library, name .. ".")
  end
end
return names.guard(lt, "", load_late)
