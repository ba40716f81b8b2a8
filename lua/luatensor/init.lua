--- Tensors for Lua: n-dimensional arrays on the CPU and on GPUs.
-- @module luatensor

require "luatensor.base.requirements"
local arity = require "luatensor.base.arity"
local core = require "luatensor.core"
local names = require "luatensor.base.names"
local lt = require "luatensor.base.public"

core.set_home()

--- Each file adds functions to lt, and those whose first argument is a tensor to the methods.
local parts = {
  "array.print",
  "array.compare",
  "array.manipulation",
  "array.products",
  "array.einsum",
  "array.stats",
  "array.order",
  "array.linalg",
  "array.random",
  "array.elementwise",
  "array.sets",
  "device.user_kernel",
  "array.info",
  "array.fft",
  "autograd",
  "io.checkpoint",
}

--- Scripts call the functions written in Lua by way of core.composition, which words their errors. Those that parts
-- return call functions of the script, whose errors pass untouched.
local compositions, plain = {}, {}
for _, part in ipairs(parts) do
  local functions = require("luatensor." .. part)
  for _, f in ipairs(type(functions) == "table" and functions or {}) do plain[f] = true end
end

local function compose(functions)
  for name, f in pairs(functions) do
    if type(f) == "function" then
      local made = compositions[f] or (plain[f] and arity.bounded or core.composition)(name, f)
      compositions[f], compositions[made] = made, made
      functions[name] = compositions[f]
    end
  end
end
compose(lt)
compose(core.methods)
require("luatensor.base.alias").install(lt, core.methods)
compose(core.methods)

--- Loaded when a script first names them: most scripts measure nothing, and many train nothing. They call functions of
-- the script, whose errors are not theirs to word: no compositions.
local late = {bench = "luatensor.bench", advise = "luatensor.advise", nn = "luatensor.nn",
              optim = "luatensor.optim", data = "luatensor.data"}

--- Those that measure need libraries of Lua that hosts leave out of sandboxes.
local needed = {bench = {"debug", "io", "os"}, advise = {"debug", "io", "os"}}

local function load_late(name)
  if not late[name] then return nil end
  for _, library in ipairs(needed[name] or {}) do
    if not _G[library] then error(("lt.%s needs Lua's library %s, which this state lacks"):format(name, library), 3) end
  end
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
return names.guard(lt, "", load_late, late)
