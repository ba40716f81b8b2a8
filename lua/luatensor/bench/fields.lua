--- Checks the fields of results that were read from files. Each class of results has a table that describes its
-- fields.
--
-- A description is one of
--
-- - "number" (finite), "string", "boolean", "block" (luatensor.page.document), "result", "any"; with "?" at the end,
--   the value may be nil;
-- - {description}: a list whose items have this description;
-- - fields.map(description): a table with any names, whose values have this description;
-- - a table of descriptions by name: a table with these fields; other fields are not checked;
-- - fields.optional(description): the value may be nil.

local document = require "luatensor.page.document"

local fields = {}

local map, optional = {}, {}

function fields.map(item) return setmetatable({item = item}, map) end

function fields.optional(item) return setmetatable({item = item}, optional) end

-- ---- descriptions that several classes have -----------------------------------------------------

--- Returns a table with the fields of both tables. Fields of `more` replace fields of `base`.
function fields.with(base, more)
  local all = {}
  for _, part in ipairs{base, more} do
    for name, item in pairs(part) do all[name] = item end
  end
  return all
end

--- Returns the fields of `base`, all made optional.
function fields.maybe(base)
  local all = {}
  for name, item in pairs(base) do
    all[name] = type(item) ~= "string" and fields.optional(item) or item:gsub("%?*$", "?")
  end
  return all
end

--- The minimum, the quartiles and the maximum of measured seconds.
fields.quartiles = {min = "number", q1 = "number", median = "number", q3 = "number", max = "number"}

--- The fields that luatensor.bench.sample measures if nothing fails.
fields.sampled = fields.with(fields.quartiles, {
  samples = {"number"}, calls = "number", threads = "number", gc = "string", device = "string?", dtype = "string?",
  emulated = "boolean?", single = "number?", queue_seconds = "number?", wait_seconds = "number?",
  device_seconds = "number?", call_seconds = "number?", first = "number?", others = "number?", notes = {"block"},
})

local figure = fields.optional(fields.with(fields.quartiles, {
  ratio = "number?", verdict = "string?", others = "number?",
}))

--- The fields that luatensor.bench.crossover.grid measures.
fields.grid = {
  name = "string", incomplete = "string?", emulated = "boolean?", options = fields.map "any",
  devices = {{device = "string", name = "string?", kind = "string?", emulated = "boolean?"}},
  points = {{
    n = "number", dtype = "string?",
    work = fields.optional{rows = {{family = "string", dtype = "string?"}}},
    measured = {{
      device = "string", emulated = "boolean?", agreement = "string?", bytes = "number?",
      in_place = figure.item, with_transfers = figure,
    }},
  }},
  skipped = {{
    n = "number", device = "string", why = "string", needs = "number?", available = "number?", seconds = "number?",
  }},
}

--- A text, and the values for the names in braces in the text.
fields.phrase = {text = "string", values = fields.optional(fields.map{"any"})}

--- The fields of every result.
local common = {
  made = "string", name = "string?", emulated = "boolean?", incomplete = "string?", others = "number?",
  options = fields.optional(fields.map "any"),
  machine = {
    config = "string?", lua = "string?", luatensor = "string?", system = "string?", threads = "number?",
    processors = "number?", quota = "number?",
    devices = {{
      device = "string", name = "string?", kind = "string?", cores = "number?", isa = "string?", memory = "number?",
      software = "string?", emulated = "boolean?",
    }},
  },
}

-- ---- checking -----------------------------------------------------------------------------------

local function name_of_type(value)
  if value == nil then return "nothing" end
  return value ~= value and "NaN" or (value == math.huge or value == -math.huge) and "an infinity" or type(value)
end

local function is_list(value)
  local count = 0
  for key in pairs(value) do
    if math.type(key) ~= "integer" then return false end
    count = count + 1
  end
  return count == #value
end

local special = {
  any = function(value) return value ~= nil end,
  block = function(value) return type(value) == "table" and (document.check(value)) end,
  number = function(value) return type(value) == "number" and value == value and math.abs(value) < math.huge end,
  result = function(value) return type(value) == "table" and type(value.blocks) == "function" end,
}

local check

local function check_word(value, word, path)
  local plain = word:gsub("%?$", "")
  if value == nil and plain ~= word then return nil end
  local is = special[plain]
  if is and is(value) or not is and type(value) == plain then return nil end
  return ("%s: %s expected, got %s"):format(path, plain, name_of_type(value))
end

local function check_all(value, item, path)
  for key, each in pairs(value) do
    local problem = check(each, item, path .. "." .. tostring(key))
    if problem then return problem end
  end
end

-- Checks the fields of a table in alphabetical order, so that the same file is always refused with the same message.
-- Returns the first error, or nil.
local function check_named(value, item, path)
  local names = {}
  for name in pairs(item) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local problem = check(value[name], item[name], path .. "." .. name)
    if problem then return problem end
  end
end

-- Returns the error in a value, or nil. path: the place of the value in the result, for the error text.
function check(value, item, path)
  if type(item) == "string" then return check_word(value, item, path) end
  local kind = getmetatable(item)
  if kind == optional then return value ~= nil and check(value, item.item, path) or nil end
  if type(value) ~= "table" then return ("%s: table expected, got %s"):format(path, name_of_type(value)) end
  if kind == map then
    if value[1] ~= nil then return path .. ": table by names expected, got a list" end
    return check_all(value, item.item, path)
  end
  if item[1] then
    if not is_list(value) then return path .. ": list expected" end
    return check_all(value, item[1], path)
  end
  return check_named(value, item, path)
end

--- Finds the error in a result.
-- @tab value
-- @tab described the fields of its class
-- @treturn ?string "time.median: number expected, got string"; or nil if there is none
function fields.problem(value, described)
  return check(value, common, value.kind) or check(value, described, value.kind)
end

return fields
