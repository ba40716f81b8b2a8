--- Lua's functions of text and numbers, run in the C locale. In other locales string.format may write "1,5", tonumber
-- may read "1,5", `<` compares strings by a language's rules, and %a matches letters beyond ASCII. Files, expressions
-- and messages must not depend on the locale.

local core = require "luatensor.core"

local plainly = core.plainly
local clocale = {}

--- clocale.call(f, …) returns f(…), run in the C locale. f cannot yield.
clocale.call = plainly

--- Returns string.format(...), run in the C locale.
function clocale.format(...) return plainly(string.format, ...) end

--- Returns tostring(value), run in the C locale.
function clocale.tostring(value) return plainly(tostring, value) end

--- Returns tonumber(...), run in the C locale.
function clocale.number(...) return plainly(tonumber, ...) end

--- Sorts a list by table.sort, run in the C locale, which compares strings byte by byte. `before` is the comparison
-- function or nil; it may compare strings by `<`, but cannot yield.
function clocale.sort(list, before) plainly(table.sort, list, before) end

return clocale
