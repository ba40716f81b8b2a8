-- Raises an error without a position if this is neither Lua 5.4 nor 5.5, or if the C module cannot be found or loaded,
-- or has another version than the Lua files. Also raises an error if a limit leaves too little address space for the C
-- module. This file is loaded first, so it must also be valid Lua 5.1, 5.2, 5.3 and LuaJIT.

local version = rawget(_G, "_VERSION")

if version ~= "Lua 5.4" and version ~= "Lua 5.5" then
  -- Lua 5.1 and LuaJIT mark the modules that are being loaded, and keep the marks after an error. The second `require`
  -- would then say only "loop or previous error loading module".
  local marks = package and package.loaded or {}
  for key in pairs(marks) do
    if tostring(key):find "^luatensor" then marks[key] = nil end
  end
  local jit = rawget(_G, "jit")
  local name = jit and ("%s (%s)"):format(jit.version, version) or tostring(version)
  error("luatensor needs Lua 5.4 or 5.5, this is " .. name, 0)
end

local name, modules = "luatensor.core", package or {loaded = {}, preload = {}}
local loading = require "luatensor.base.loading"

if not (modules.loaded[name] or modules.preload[name] or not modules.searchpath) then
  local path = modules.searchpath(name, modules.cpath)
  local problem = path and loading.damage(path) or require "luatensor.base.address_space".misfit ""
  if problem then error(problem, 0) end
end

local loaded, core, path = pcall(require, name)
local problem = not loaded and loading.explain(core) or loaded and loading.mismatch(core, path)
if problem then error(problem, 0) end

return true
