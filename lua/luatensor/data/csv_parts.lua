--- Functions that data.read_csv, data.read_table and data.write_csv share.

local blame = require "luatensor.base.blame"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local lt = require "luatensor"

local csv_parts = {}

--- Returns option `delimiter` of function `fn`, by default a comma.
function csv_parts.check_delimiter(fn, delimiter)
  if delimiter == nil then return "," end
  if type(delimiter) ~= "string" or #delimiter ~= 1 or delimiter:find '[A-Za-z0-9"\r\n.+-]' then
    blame.fail(fn, "delimiter: one character that is in no number expected, got %s", type(delimiter) == "string"
               and ("%q"):format(delimiter) or core.type_name(delimiter))
  end
  return delimiter
end

-- Returns names in order: by value if all names are numbers, else as strings.
local function in_order(names)
  local sorted, numbers, all = table.move(names, 1, #names, 1, {}), {}, true
  for _, name in ipairs(names) do
    numbers[name] = clocale.number(name)
    all = all and numbers[name] ~= nil
  end
  clocale.sort(sorted, all and function(a, b) return numbers[a] < numbers[b] end or nil)
  return sorted
end

--- Sorts the classes. y numbers the classes by first appearance; the returned tensor numbers them in sorted order. The
-- second result is the sorted list of their names.
function csv_parts.order(y, names)
  local sorted, rank, ranks = in_order(names), {}, {}
  for i, name in ipairs(sorted) do rank[name] = i end
  for i, name in ipairs(names) do ranks[i] = rank[name] end
  if #names == 0 then return y, sorted end
  return lt.tensor(ranks, {dtype = "int64", device = y.device}):take(y), sorted
end

return csv_parts
