--- Tensors for Lua: n-dimensional arrays on the CPU and on GPUs.
-- @module luatensor

require "luatensor.base.requirements"
local arity = require "luatensor.base.arity"
local core = require "luatensor.core"
local names = require "luatensor.base.names"
local lt = require "luatensor.base.public"

core.set_home()

--- The files that add functions to lt, as module names after "luatensor.". A function whose first argument is a
-- tensor also becomes a method of tensors.
local parts = {
  "array.print",
  "array.compare",
  "array.manipulation",
  "array.products",
  "array.einsum",
  "array.stats",
  "array.order",
  "array.nan",
  "array.linalg",
  "array.elementwise",
  "array.random",
  "array.sets",
  "device.user_kernel",
  "array.info",
  "array.fft",
  "autograd",
  "compile",
  "io.checkpoint",
}

--- Scripts call the functions that are written in Lua through core.composition, which rewords their errors. The
-- functions that a file of `parts` returns are exceptions: they call functions of the script, whose errors must not
-- be changed.
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

--- Modules that are loaded when a script first names them, because most scripts do not measure, and many do not
-- train. Their functions call functions of the script, whose errors must not be changed, so core.composition does not
-- wrap them.
local late = {bench = "luatensor.bench", advise = "luatensor.advise", nn = "luatensor.nn",
              optim = "luatensor.optim", data = "luatensor.data", help = "luatensor.help",
              distributed = "luatensor.distributed", train = "luatensor.train",
              plot = "luatensor.plot"}

local function load_late(name)
  if not late[name] then return nil end
  local loaded = require(late[name])
  if name == "help" then loaded = loaded.help end
  if type(loaded) == "table" then names.guard(loaded, name .. ".") end
  lt[name] = loaded
  return loaded
end

for name, library in pairs(lt) do
  if type(library) == "table" then                -- lt.linalg, lt.fft and similar tables
    compose(library)
    names.guard(library, name .. ".")
  end
end
return names.guard(lt, "", load_late, late)
