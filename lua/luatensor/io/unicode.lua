--- Returns Lua's library utf8, which lt.save and lt.load need for tables. If the host left out the library, the
-- returned table raises an error when one of its fields is read.

local function missing()
  error("this Lua has no library utf8, which saving and loading of tables need", 0)
end

return utf8 or setmetatable({}, {__index = missing})
