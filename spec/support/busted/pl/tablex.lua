--- Penlight's tablex, whose older versions assign to the variable of a for, which Lua 5.5 refuses: the file that comes
-- next on the path, with that loop mended. `make test-lua` puts it on a Lua's path.
local own = debug.getinfo(1, "S").source:match "^@(.*)pl/tablex%.lua$"
local rest = package.path:gsub("[^;]*", function(path) if path == own .. "?.lua" then return "" end end)
local path = assert(package.searchpath("pl.tablex", rest))
local file <close> = assert(io.open(path))
local source = file:read("a"):gsub("for k,v in pairs%(t%) do(%s+)k = cycle_aware_copy%(k, cache%)",
  "for key, v in pairs(t) do%1local k = cycle_aware_copy(key, cache)")
return assert(load(source, "@" .. path))(...)
