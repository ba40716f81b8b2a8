--- Options of optimisers and schedulers as text.

local clocale = require "luatensor.base.clocale"

local options = {}

--- A value of an option as text.
function options.text(value)
  return type(value) == "table" and "{" .. table.concat(value, ", ") .. "}" or clocale.tostring(value)
end

--- "name = value, …" in the order of names.
function options.list_text(all)
  local parts = {}
  for name, value in pairs(all) do parts[#parts + 1] = name .. " = " .. options.text(value) end
  clocale.sort(parts)
  return table.concat(parts, ", ")
end

return options
