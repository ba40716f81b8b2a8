--- Formats numbers with their units. No other file of the library formats a measured figure, so that the same number
-- looks the same on the terminal, in Markdown and on a page.

local clocale = require "luatensor.base.clocale"

local format = {}

-- Formats a number with three significant digits, or as a whole number if it rounds to 100 or more. Numbers below
-- 0.0001 have an exponent. The bounds are the least numbers that round to 100, to 10 and to 1.
local function three_digits(value)
  local size = math.abs(value)
  if size == 0 then return "0" end
  if size >= 99.95 then return clocale.format("%.0f", value) end
  if size >= 9.995 then return clocale.format("%.1f", value) end
  if size >= 0.9995 then return clocale.format("%.2f", value) end
  return (clocale.format("%.3g", value))
end

-- Formats a value in the first scale whose `least` is at most the value's magnitude. If no scale is that small, the
-- function takes the last scale. scales: {{least, name of the unit, factor by which the value is multiplied}, …}, the
-- largest first.
local function scaled(value, scales)
  for _, scale in ipairs(scales) do
    if math.abs(value) >= scale[1] then return three_digits(value * scale[3]) .. " " .. scale[2] end
  end
  local last = scales[#scales]
  return three_digits(value * last[3]) .. " " .. last[2]
end

local function by_scales(scales)
  return function(value) return scaled(value, scales) end
end

-- Formats a whole number in groups of three digits: 21000000 becomes "21 000 000", with no-break spaces. Numbers
-- below 100000 are not grouped.
local function grouped(value)
  local text = clocale.format("%.0f", value)
  if #text < 6 then return text end
  local sign, digits = text:match("^(%-?)(%d+)$")
  local rest = #digits % 3
  local groups = rest > 0 and {digits:sub(1, rest)} or {}
  for at = rest + 1, #digits, 3 do groups[#groups + 1] = digits:sub(at, at + 2) end
  return sign .. table.concat(groups, "\u{A0}")
end

local function decimal_scales(unit)
  local scales = {}
  for i, prefix in ipairs{"P", "T", "G", "M", "k", ""} do
    local factor = 1000 ^ (6 - i)
    scales[i] = {0.9995 * factor, prefix .. unit, 1 / factor}
  end
  return scales
end

--- For each unit, a function that formats a value as stored in JSON, for example seconds for "s". The bounds 0.9995
-- are the least numbers that round to 1.00.
local units = {
  s = by_scales{
    {9995, "h", 1 / 3600}, {0.9995, "s", 1}, {0.9995e-3, "ms", 1e3}, {0.9995e-6, "µs", 1e6}, {0, "ns", 1e9},
  },
  B = by_scales{{2 ^ 30, "GiB", 2 ^ -30}, {2 ^ 20, "MiB", 2 ^ -20}, {2 ^ 10, "KiB", 2 ^ -10}, {0, "bytes", 1}},
  ["B/s"] = by_scales(decimal_scales("B/s")),
  FLOP = by_scales(decimal_scales("FLOP")),
  ["FLOP/s"] = by_scales(decimal_scales("FLOP/s")),
  ["FLOP/B"] = function(value) return three_digits(value) end,
  ratio = function(value) return three_digits(value) .. "×" end,
  share = function(value) return three_digits(100 * value) .. " %" end,
  count = grouped,
  number = function(value) return clocale.format("%.4g", value) end,
  text = tostring,
}

--- Formats a value with its unit: show(0.00139, "s") is "1.39 ms".
-- @tparam number|string|boolean|nil value nil and false, for a missing value, are "–"
-- @string unit one of s, B, B/s, FLOP, FLOP/s, FLOP/B, ratio, share (0 … 1), count, number, text
-- @treturn string
function format.show(value, unit)
  if value == nil or value == false then return "–" end
  if type(value) == "string" then return value end
  return (units[unit] or error(("format: unknown unit %q"):format(tostring(unit)), 2))(value)
end

--- Formats the value of an axis tick without trailing zeros: "1 ms" instead of "1.00 ms".
function format.tick(value, unit)
  if value == 0 then return "0" end
  return (format.show(value, unit):gsub("(%.%d-)0+%f[%D]", "%1"):gsub("%.(%D)", "%1"):gsub("%.$", ""))
end

-- True if the text stands for the value, with an error that cannot be seen between two ticks.
local function is_exact(text, value, step) return math.abs(clocale.number(text) - value) <= 1e-6 * step end

-- Formats a number with so many significant digits: "0.25", or "2.5e6" if `exponent` is true.
local function digits_of(value, digits, exponent)
  if not exponent then return (clocale.format("%." .. digits .. "g", value)) end
  local mantissa, power = clocale.format("%." .. digits - 1 .. "e", value):match("^(.-)e(.*)$")
  if mantissa:find(".", 1, true) then mantissa = mantissa:gsub("0+$", ""):gsub("%.$", "") end
  return ("%se%d"):format(mantissa, clocale.number(power))
end

-- Returns the texts of all ticks with so many significant digits, and true if the texts are exact.
local function with_digits(ticks, digits, exponent, step)
  local texts, exact = {}, true
  for i, tick in ipairs(ticks) do
    local value = tick[1]
    texts[i] = value == 0 and "0" or digits_of(value, digits, exponent or math.abs(value) < 1e-4)
    exact = exact and is_exact(texts[i], value, step) and (exponent or not texts[i]:find("e+", 1, true))
  end
  return texts, exact
end

-- Formats numbers with the same number of significant digits, which is the least that tells the numbers apart. Numbers
-- from 1e6 on have exponents if at most four digits are needed. Numbers below 1e-4 have exponents, too.
local function number_ticks(ticks)
  local largest, step = 0, math.huge
  for i, tick in ipairs(ticks) do
    largest = math.max(largest, math.abs(tick[1]))
    if i > 1 then step = math.min(step, tick[1] / 2 - ticks[i - 1][1] / 2) end
  end
  if step == math.huge then step = largest end
  local texts, exact
  for digits = 1, 17 do
    local exponent = largest >= 1e15 or largest >= 1e6 and digits <= 4 or largest < 1e-4
    texts, exact = with_digits(ticks, digits, exponent, step)
    if exact then break end
  end
  return texts
end

--- Formats the values of the ticks of an axis.
-- @tab ticks each has its value in field 1
-- @string unit
-- @param log true or a base for a logarithmic axis, whose ticks have digits and exponents of their own
-- @treturn table the texts
function format.ticks(ticks, unit, log)
  if unit == "number" and not log then return number_ticks(ticks) end
  local texts = {}
  for i, tick in ipairs(ticks) do
    texts[i] = unit == "number" and number_ticks{tick}[1] or format.tick(tick[1], unit)
  end
  return texts
end

--- Returns a name, followed by "(emulated)" if `emulated` is true.
-- @string name
-- @tparam ?boolean emulated
-- @treturn string
function format.marked(name, emulated) return name .. (emulated and " (emulated)" or "") end

--- Returns the name of the device in a table's field `device`, followed by "(emulated)" if the device is emulated.
-- @tab of a device, or a figure that was measured on a device, with the fields `device` and `emulated`
-- @treturn string|boolean false if `of` has no field `device`
function format.device(of) return of.device and format.marked(of.device, of.emulated) or false end

--- Returns the noun for a count: "thread" for 1, otherwise "threads".
function format.noun(count, word) return count == 1 and word or word .. "s" end

--- True if `show` can format this unit.
function format.is_unit(unit) return units[unit] ~= nil end

--- Replaces `{name}` in a text by values: "{n} calls took {t}" with values {n = {100, "count"}, t = {1.2, "s"}}.
-- @string text
-- @tab[opt] values by name, each {value, unit}
-- @func[opt] show formats a value with its unit; format.show by default
-- @treturn string
function format.fill(text, values, show)
  return (text:gsub("{([%w_]+)}", function(name)
    local value = values and values[name]
    if not value then error(("text %q: no value %q"):format(text, name), 3) end
    return (show or format.show)(value[1], value[2])
  end))
end

return format
