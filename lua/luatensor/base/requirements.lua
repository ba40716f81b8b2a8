-- Raises an error without a position if this is neither Lua 5.4 nor 5.5, if the C module is not built, or if a limit
-- leaves too little address space to load the C module. This file is loaded first, so it must also be valid Lua 5.1,
-- 5.2, 5.3 and LuaJIT.

local version = rawget(_G, "_VERSION")

if version ~= "Lua 5.4" and version ~= "Lua 5.5" then
  local jit = rawget(_G, "jit")
  local name = jit and ("%s (%s)"):format(jit.version, version) or tostring(version)
  error("luatensor needs Lua 5.4 or 5.5, this is " .. name, 0)
end

-- True if this file is in a checkout of the sources. Not true if the host left out debug or io.
local function in_checkout()
  local source = debug and io and debug.getinfo(1, "S").source
  local root = source and source:match "^@(.*)[/\\]lua[/\\]luatensor[/\\]base[/\\]requirements%.lua$"
  local file = root and io.open(root .. "/src/core.c")
  return file and file:close()
end

local name, modules = "luatensor.core", package or {loaded = {}, preload = {}}
local known = modules.loaded[name] or modules.preload[name] or not modules.searchpath
if not known and not modules.searchpath(name, modules.cpath) and in_checkout() then
  error("luatensor is not built: run make", 0)
end

if not known then
  local misfit = require "luatensor.base.address_space".misfit ""
  if misfit then error(misfit, 0) end
end

local loaded, problem = pcall(require, name)
if not loaded then
  local meaning = require("luatensor.base.loading").meaning(problem)
  error(meaning and ("luatensor: %s (%s)"):format(meaning, tostring(problem):match "%s*([^\n]*)$") or problem, 0)
end

return true
