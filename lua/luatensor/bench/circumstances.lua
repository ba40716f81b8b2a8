--- Lists how the circumstances of two runs differ: devices, versions, options and so on, but not the measured figures.
-- bench.diff shows this list.

local format = require "luatensor.page.format"

local circumstances = {}

-- The largest relative difference of two memory sizes that may come from the same machine. The system reserves some of
-- the memory, so the reported size varies.
local MEMORY <const> = 0.05

-- The fields that identify a device, and the fields that may differ for the same device.
local hardware = {"name", "cores", "isa", "memory"}
local software = {"kind", "software", "emulated"}

local function text(value)
  if value == nil then return "–" end
  return type(value) == "number" and value or tostring(value)
end

-- Appends a difference to `list` if the values a (first run) and b (second run) differ. `what` names the compared
-- field; `unit` is the unit of a and b if both are numbers. Returns true if they differ.
local function add(list, what, a, b, unit)
  if a == b then return false end
  local numbers = type(a) == "number" and type(b) == "number"
  list[#list + 1] = {what = what, before = text(a), after = text(b), unit = numbers and unit or "number"}
  return true
end

local function devices_of(run)
  local names, by_name = {}, {}
  for _, device in ipairs(run.machine and run.machine.devices or {}) do
    names[#names + 1] = device.device
    by_name[device.device] = device
  end
  return names, by_name
end

local function near(a, b)
  return type(a) == "number" and type(b) == "number" and math.abs(a - b) <= MEMORY * math.max(a, b)
end

-- Appends the differences between the devices a (first run) and b (second run) to `list`. Returns true if their
-- hardware is the same.
local function compare_device(list, name, a, b)
  local same = true
  for _, field in ipairs(hardware) do
    local close = field == "memory" and near(a[field], b[field])
    if not close and add(list, name .. ", " .. field, a[field], b[field], field == "memory" and "B" or "number") then
      same = false
    end
  end
  for _, field in ipairs(software) do add(list, name .. ", " .. field, a[field], b[field]) end
  return same
end

local function compare_devices(list, before, after)
  local names, first = devices_of(before)
  local others, second = devices_of(after)
  local same = true
  for _, name in ipairs(names) do
    if second[name] then
      same = compare_device(list, format.device(second[name]), first[name], second[name]) and same
    else
      add(list, format.device(first[name]), first[name].name, nil)
    end
  end
  for _, name in ipairs(others) do
    if not first[name] then add(list, format.device(second[name]), nil, second[name].name) end
  end
  return same
end

local function union_of_names(a, b)
  local names, seen = {}, {}
  for _, t in ipairs{a, b} do
    for name in pairs(t) do
      if not seen[name] then names[#names + 1] = name end
      seen[name] = true
    end
  end
  table.sort(names)
  return names
end

-- Adds a row for each field that differs between two tables of plain values, such as versions or options.
local function compare_fields(list, prefix, a, b, unit)
  for _, name in ipairs(union_of_names(a or {}, b or {})) do
    local x, y = a and a[name], b and b[name]
    if type(x) ~= "table" and type(y) ~= "table" then add(list, prefix .. name, x, y, unit) end
  end
end

-- The compared fields of a figure. The number of threads is missing, because compare_fields compares it for the whole
-- machine.
local ROW <const> = {"name", "device", "dtype", "gc", "emulated"}

-- Merges the differences of several figures that have the same field and the same two values into one difference,
-- whose text names the figures.
local function merged(items, pairs_of)
  local list, by_key = {}, {}
  for _, item in ipairs(items) do
    local key = table.concat({item.what, tostring(item.before), tostring(item.after)}, "\0")
    if not by_key[key] then
      list[#list + 1], by_key[key] = item, item
      item.rows = {}
    end
    table.insert(by_key[key].rows, item.row)
  end
  for _, item in ipairs(list) do
    if #item.rows < #pairs_of then item.what = item.what .. " of " .. table.concat(item.rows, ", ") end
    item.rows, item.row = nil, nil
  end
  return list
end

--- Appends the differences between figures of the same name to `list`.
-- @tab list of {what =, before =, after =, unit =}
-- @tab pairs_of {{name, figure before, figure after}, …}
function circumstances.of_rows(list, pairs_of)
  local items = {}
  for _, pair in ipairs(pairs_of) do
    for _, field in ipairs(ROW) do
      if add(items, field, pair[2][field], pair[3][field]) then items[#items].row = pair[1] end
    end
  end
  for _, item in ipairs(merged(items, pairs_of)) do list[#list + 1] = item end
end

-- Collects the experiments within a result into `found`, by name and device.
local function experiments_in(value, found)
  if type(value) ~= "table" then return found end
  if value.kind == "experiment" and value.name then
    local name = value.name .. (value.device and ", " .. value.device or "")
    found[name] = found[name] or value
    return found
  end
  for _, section in ipairs(value.sections or {}) do
    for _, run in ipairs(section.runs or {}) do experiments_in(run, found) end
  end
  return found
end

-- Compares the options of the experiments that are in both reports.
local function compare_experiments(list, before, after)
  local first, second = experiments_in(before, {}), experiments_in(after, {})
  for _, name in ipairs(union_of_names(first, second)) do
    if first[name] and second[name] then
      compare_fields(list, name .. ": option ", first[name].options, second[name].options)
    end
  end
end

--- Lists the differences between the runs of two results.
-- @treturn table list of {what =, before =, after =, unit =}, with "–" for a missing value
-- @treturn boolean true if both ran on the same machine
function circumstances.of_runs(before, after)
  local list = {}
  add(list, "kind of result", before.kind, after.kind)
  local same = compare_devices(list, before, after)
  compare_fields(list, "", before.machine, after.machine)
  if before.kind == "experiment" and after.kind == "experiment" then
    compare_fields(list, "option ", before.options, after.options)
    return list, same
  end
  compare_fields(list, "", {sizes = before.sizes}, {sizes = after.sizes})
  compare_fields(list, "option ", before.options, after.options)
  compare_experiments(list, before, after)
  return list, same
end

return circumstances
