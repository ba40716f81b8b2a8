--- Lua's functions of text and numbers as they are in the C locale. In other locales string.format writes "1,5",
-- tonumber reads "1,5", `<` compares strings by a language's rules, and %a matches letters beyond ASCII. Files,
-- expressions and messages must not depend on that.

local core = require "luatensor.core"

local plainly = core.plainly
local clocale = {}

--- f(…), which cannot yield.
clocale.call = plainly

--- string.format
function clocale.format(...) return plainly(string.format, ...) end

--- tostring
function clocale.tostring(value) return plainly(tostring, value) end

--- tonumber
function clocale.number(...) return plainly(tonumber, ...) end

--- table.sort: strings byte by byte. `before` may compare strings by `<`; it cannot yield.
function clocale.sort(list, before) plainly(table.sort, list, before) end

return clocale
