--- Collects the named figures of a result, so that bench.diff can compare two runs.

local public_figures = require "luatensor.bench.public_figures"

local figures = {}

-- The units of an experiment's values (run:value) that were measured. Values in other units are counts, or are
-- derived from measurements.
local measured = {s = true, ["B/s"] = true, ["FLOP/s"] = true}

local collect

local function sorted_names(t)
  local names = {}
  for name in pairs(t) do
    if type(name) == "string" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- Collects the figures of all results within a table, at every depth: first those in its list part, then those in its
-- fields in alphabetical order.
local function collect_within(value, prefix, list)
  for _, item in ipairs(value) do
    if type(item) == "table" then collect(item, prefix, list) end
  end
  for _, name in ipairs(sorted_names(value)) do
    if type(value[name]) == "table" then collect(value[name], prefix, list) end
  end
end

-- Returns the prefix of an experiment's figures, such as "02_large, cuda:0: ".
local function prefix_of(result)
  if result.kind ~= "experiment" then return "" end
  return result.name .. (result.device and ", " .. result.device or "") .. ": "
end

-- Options that do not change the work: the time and the rounds of a measurement, and the number of threads.
local no_work <const> = {seconds = true, rounds = true, threads = true}

-- Returns the options of an experiment that determine its work, as one text, or nil for other results.
local function work_of(result)
  if result.kind ~= "experiment" or type(result.options) ~= "table" then return nil end
  local words = {}
  for _, name in ipairs(sorted_names(result.options)) do
    local value = result.options[name]
    if not no_work[name] and type(value) ~= "table" then words[#words + 1] = name .. " " .. tostring(value) end
  end
  return table.concat(words, ", ")
end

-- True if the value was measured. A published figure of a device that is not in this machine does not change from run
-- to run.
local function is_measured(item)
  return type(item) == "table" and type(item.value) == "number" and measured[item.unit]
    and not public_figures.find(item.device)
end

local function add_values(result, prefix, list)
  if type(result.values) ~= "table" then return end
  for _, name in ipairs(sorted_names(result.values)) do
    local item = result.values[name]
    if is_measured(item) then
      list[#list + 1] = {name = prefix .. name, median = item.value, unit = item.unit, device = item.device,
        emulated = item.emulated}
    end
  end
end

-- Completes the figures from index `first` on: a figure without the field `work` or `others` gets the value of the
-- surrounding result.
local function add_context(list, first, result)
  local work = work_of(result)
  for i = first, #list do
    local own = list[i]
    list[i] = setmetatable({work = own.work or work, others = own.others or result.others}, {__index = own})
  end
end

function collect(value, prefix, list)
  if value.format ~= "luatensor" then return collect_within(value, prefix, list) end
  prefix = prefix .. prefix_of(value)
  local first = #list + 1
  if value.timings then
    for _, timing in ipairs(value:timings()) do
      list[#list + 1] = setmetatable({name = prefix .. timing.name}, {__index = timing})
    end
  else
    add_values(value, prefix, list)
    collect_within(value, prefix, list)
  end
  add_context(list, first, value)
end

--- Returns the figures of a result's method `timings`. Without this method, returns the result's own values and the
-- figures of the results inside: a report contains experiments, and an experiment contains measurements.
-- @tab result
-- @treturn table list of {name, median, and if known q1, q3, unit ("s"), device, dtype, samples, emulated, notes,
--   others (share of the processor that other processes used), work (the experiment's options as a text)}
function figures.of(result)
  local list = {}
  collect(result, "", list)
  return list
end

return figures
