--- Tensors for Lua: n-dimensional arrays on the CPU and on GPUs.
-- @module luatensor

local core = require "luatensor.core"

--- What the files below need, and scripts do not.
local internal = {methods = true, properties = true, metatable = true, excerpt = true, gone = true, nearest = true,
                  reductions = true, composition = true, expression = true, expression_apply = true,
                  expression_cast = true, expression_finish = true, user_kernel = true, linalg_parts = true,
                  default_generator = true,
                  sleep = true, terminal = true, cache_folder = true, output_file = true, make_beside = true,
                  available_memory = true,
                  system_memory = true, processors = true, profile_start = true, profile_stop = true,
                  profile_running = true, working_set = true, autograd = true}

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

--- Loaded when a script first names them: most scripts measure nothing. They call functions of the script, whose errors
-- are not theirs to word: no compositions.
local late = {bench = "luatensor.bench", advise = "luatensor.advise"}

--- A name that is not there is a slip, not a nil.
local guard
local function load_late(functions, name)
  local loaded = require(late[name])
  if type(loaded) == "table" then guard(loaded, name .. ".") end
  functions[name] = loaded
  return loaded
end

function guard(functions, prefix)
  local meta = getmetatable(functions) or {}
  return setmetatable(functions, {
    __call = meta.__call,                              -- lt.advise is a function, too
    __index = function(_, name)
      if functions == lt and late[name] then return load_late(functions, name) end
      local nearest = type(name) == "string" and core.nearest(functions, name)
      local help = nearest and ("; did you mean %q?"):format(prefix .. nearest) or ""
      error(("luatensor has no \"%s%s\"%s"):format(prefix, tostring(name), help), 2)
    end,
  })
end

for name, library in pairs(lt) do
  if type(library) == "table" then                -- lt.linalg, lt.fft …
    compose(library)
    guard(library, name .. ".")
  end
end
return guard(lt, "")
