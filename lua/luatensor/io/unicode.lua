--- Lua's library utf8, which files of tables need. A host may have left the library out.

local function missing()
  error("this Lua has no library utf8, which saving and loading of tables need", 0)
end

return utf8 or setmetatable({}, {__index = missing})
