--- Texts of options, for tostring of optimisers, schedulers and scalers.

local clocale = require "luatensor.base.clocale"

local options = {}

--- Returns the text of an option's value, a list or a single value.
function options.text(value)
  return type(value) == "table" and "{" .. table.concat(value, ", ") .. "}" or clocale.tostring(value)
end

--- Returns "name = value, …" for all entries of a table, sorted by name.
function options.list_text(all)
  local parts = {}
  for name, value in pairs(all) do parts[#parts + 1] = name .. " = " .. options.text(value) end
  clocale.sort(parts)
  return table.concat(parts, ", ")
end

return options
