-- Is this Lua 5.4, and is the C module built? Plain words instead of a syntax error or a missing symbol: this file is
-- loaded first, and is Lua 5.1, 5.2, 5.3 and LuaJIT, too.

local version = rawget(_G, "_VERSION")

if version ~= "Lua 5.4" then
  local jit = rawget(_G, "jit")
  local name = jit and ("%s (%s)"):format(jit.version, version) or tostring(version)
  error("luatensor needs Lua 5.4, this is " .. name, 0)
end

-- True if this file stands in a checkout; false elsewhere, and where a host left out debug or io.
local function in_checkout()
  local source = debug and io and debug.getinfo(1, "S").source
  local root = source and source:match "^@(.*)[/\\]lua[/\\]luatensor[/\\]requirements%.lua$"
  local file = root and io.open(root .. "/src/lua_core.c")
  return file and file:close()
end

local name, modules = "luatensor.core", package or {loaded = {}, preload = {}}
local known = modules.loaded[name] or modules.preload[name] or not modules.searchpath
if not known and not modules.searchpath(name, modules.cpath) and in_checkout() then
  error("luatensor is not built: run make", 0)
end

return true
