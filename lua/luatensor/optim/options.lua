--- Options of optimisers and schedulers: what each may be.

local args = require "luatensor.base.args"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"

local options = {}

local function number(what, x)
  if type(x) ~= "number" then args.fail(what, "number expected, got %s", core.type_name(x)) end
  if x ~= x then args.fail(what, "a number expected, got nan") end
  return x
end

--- A number that is not below 0 (nor NaN).
function options.nonnegative(what, x)
  if number(what, x) < 0 then args.fail(what, "%s is below 0", x) end
  return x
end

--- A finite number above 0.
function options.positive(what, x)
  if not (number(what, x) > 0 and x < math.huge) then args.fail(what, "a number above 0 expected, got %s", x) end
  return x
end

function options.number(what, x) return number(what, x) end

--- 0 ≤ x < 1
function options.fraction(what, x)
  if not (number(what, x) >= 0 and x < 1) then args.fail(what, "%s is not in 0 … 1 (without 1)", x) end
  return x
end

--- 0 ≤ x ≤ 1
function options.share(what, x)
  if not (number(what, x) >= 0 and x <= 1) then args.fail(what, "%s is not in 0 … 1", x) end
  return x
end

--- A table that is a list and has no other keys.
function options.list(what, x)
  if type(x) ~= "table" then args.fail(what, "a list expected, got %s", core.type_name(x)) end
  local n = #x
  for key in pairs(x) do
    if math.type(key) ~= "integer" or key < 1 or key > n then
      args.fail(what, "a list expected, but it has %s", tostring(key))
    end
  end
  return x
end

--- Two fractions.
function options.fractions(what, x)
  if type(x) ~= "table" or #x ~= 2 then args.fail(what, "a list of two numbers expected") end
  options.list(what, x)
  return {options.fraction(what .. "[1]", x[1]), options.fraction(what .. "[2]", x[2])}
end

function options.boolean(what, x)
  if type(x) ~= "boolean" then args.fail(what, "boolean expected, got %s", core.type_name(x)) end
  return x
end

function options.count(what, x)
  local n = math.tointeger(number(what, x))
  if not n or n < 1 then args.fail(what, "an integer above 0 expected, got %s", x) end
  return n
end

--- One of these words.
function options.choice(...)
  local words = {...}
  return function(what, x)
    for _, word in ipairs(words) do if x == word then return x end end
    args.fail(what, "%s expected, got %s", table.concat(words, " or "), tostring(x))
  end
end

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

--- The given options where there are such, checked, the defaults elsewhere.
-- @string name of the function, for messages
-- @tab given by name
-- @tab rows by name: {default, check}; a default of nil (an option that has none) is not checked
function options.read(name, given, rows)
  local all = {}
  for key, row in pairs(rows) do
    local value = given[key]
    if value == nil then value = row[1] end
    if value ~= nil then value = row[2](name .. ": " .. key, value) end
    all[key] = value
  end
  return all
end

return options
