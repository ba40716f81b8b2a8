--- Makes the page of an advice: the paragraph with the reason, tables and caveats.

local crossover_page = require "luatensor.bench.crossover.page"
local decision = require "luatensor.advise.decision"
local document = require "luatensor.page.document"
local figures = require "luatensor.bench.public_figures"
local measured = require "luatensor.bench.crossover.measured"
local noise = require "luatensor.bench.noise"

local page = {}

-- ---- a paragraph of several sentences -----------------------------------------------------------

local paragraph = {}
paragraph.__index = paragraph

-- Adds a sentence to the paragraph. The text names values as in "{device}". The sentence's number is appended to
-- these names, so that sentences with equal names do not overwrite each other's values.
function paragraph:say(text, values)
  self.count = self.count + 1
  self.parts[self.count] = text:gsub("{([%w_]+)}", function(name)
    local own = name .. self.count
    self.values[own] = values[name]
    return "{" .. own .. "}"
  end)
end

local function new_paragraph() return setmetatable({count = 0, parts = {}, values = {}}, paragraph) end

-- ---- the reason of the advice -------------------------------------------------------------------

local function last(list) return list[#list] end

local function in_all(calls)
  if calls == 1 then return ", sent and fetched each time" end
  return ", sent and fetched once in {calls} calls"
end

local function say_hidden(p, choice)
  local cost = choice.cost
  p:say("How long a call takes at n = {n} this machine was too busy to say: half of the rounds took {q1} … {q3}, the "
    .. "least {min}, while others used {others} of the processor.", {
      n = {choice.n, "count"}, q1 = {cost.q1, "s"}, q3 = {cost.q3, "s"}, min = {cost.min, "s"},
      others = {cost.others, "share"},
    })
end

local function say_choice(p, self, choice)
  local values = {device = {choice.device, "text"}, n = {choice.n, "count"}, t = {choice.cost.seconds, "s"},
    calls = {self.calls, "count"}, share = {choice.cost.transfers, "share"}}
  values.others = {choice.cost.others, "share"}
  local busy = noise.busy(choice.cost) and ", the least of its rounds, while others used {others} of the processor"
    or ""
  if not choice.second and choice.cost.hidden then
    p:say("Use {device}.", values)
    return say_hidden(p, choice)
  elseif not choice.second then
    return p:say("Use {device}: at n = {n} a call takes {t}" .. busy .. ".", values)
  end
  values.other, values.u = {choice.second_device, "text"}, {choice.second.seconds, "s"}
  values.ratio = {choice.second.seconds / choice.cost.seconds, "ratio"}
  if choice.either then
    p:say("At n = {n}, " .. table.concat(choice.either, " or ") .. ", either: {t} a call on {device}, {u} on {other}"
      .. in_all(self.calls) .. "; the measurements do not tell them apart.", values)
  else
    p:say("Use {device}: at n = {n} a call takes {t} there and {u} on {other}, {ratio} the time"
      .. in_all(self.calls) .. ".", values)
    if noise.busy(choice.cost) then
      p:say("These are the least of the rounds: others used {others} of the processor.", values)
    end
    if choice.cost.transfers > 0.05 then p:say("Of the time on {device} transfers are {share}.", values) end
  end
end

-- Groups adjacent sizes with the same choice: {{device = text, from =, to =}, …}, where `from` and `to` are sizes.
local function runs(sizes)
  local list = {}
  for _, choice in ipairs(sizes) do
    local device = choice.either and "either" or choice.device
    if #list == 0 or last(list).device ~= device then list[#list + 1] = {device = device, from = choice.n} end
    last(list).to = choice.n
  end
  return list
end

local function say_runs(p, sizes)
  local list = runs(sizes)
  if #list < 2 then return end
  local words, values = {}, {}
  for i, run in ipairs(list) do
    values["from" .. i], values["to" .. i] = {run.from, "count"}, {run.to, "count"}
    local range = run.from == run.to and "n = {from%d}" or "n = {from%d} to {to%d}"
    words[i] = range:format(i, i) .. ": " .. run.device
  end
  p:say("By size: " .. table.concat(words, "; ") .. ".", values)
end

-- Returns the first GPU in the list of the lower bounds of devices that are not in this machine, or nil. GPUs are the
-- only devices in this list that luatensor supports.
local function first_gpu(bounds)
  for _, row in ipairs(bounds) do
    if row.kind == "gpu" then return row end
  end
end

local function bound_at(row, n)
  for _, point in ipairs(row and row.points or {}) do
    if point.n == n then return point end
  end
end

local function say_absent(p, self, choice)
  local row = first_gpu(self.bounds)
  local point = bound_at(row, choice.n)
  if not point then return end
  if choice.cost.hidden then
    return p:say("Nothing follows for devices that are not here.", {})
  end
  local values = {name = {row.name, "text"}, t = {point.seconds, "s"}, device = {choice.device, "text"},
    ratio = {choice.cost.seconds / point.seconds, "ratio"}}
  if not figures.visible(point.seconds) then
    p:say("So little work says nothing about an {name}: launching it takes longer than its published peaks.", values)
  elseif point.seconds >= choice.cost.seconds then
    p:say("An {name} would take at least {t} by published figures: it could not be faster.", values)
  else
    p:say("An {name} would take at least {t} by published figures, so it could be up to {ratio} as fast as {device}; "
      .. "how much of that it reaches only a measurement there can tell.", values)
  end
end

local function say_only_one(p, self)
  if #measured.devices(self.devices, false) ~= 1 then return end
  p:say(self.no_gpu and "No other device is here: {reason}." or "No other real device was measured.",
    {reason = {self.no_gpu or "", "text"}})
end

local function say_end(p, self, choice)
  local largest = last(self.wanted)
  if largest > choice.n then
    p:say("Measured up to n = {n}; what is said of n = {most} follows from the trend.",
      {n = {choice.n, "count"}, most = {largest, "count"}})
  end
end

--- Returns the paragraph that explains the advice `self`: {text =, values =}, the fields of a text block.
function page.why(self)
  local p = new_paragraph()
  local choice = last(self.sizes)
  if choice then
    say_choice(p, self, choice)
    say_runs(p, self.sizes)
    say_only_one(p, self)
    say_absent(p, self, choice)
    say_end(p, self, choice)
  elseif #self.points > 0 then
    p:say("No recommendation: only an emulated device was measured.", {})
  else
    p:say("No recommendation: nothing could be measured.", {})
  end
  return {text = table.concat(p.parts, " "), values = p.values}
end

-- ---- tables -------------------------------------------------------------------------------------

local function choice_at(self, n)
  for _, choice in ipairs(self.sizes) do
    if choice.n == n then return choice end
  end
end

local function costs_table(self)
  local devices = measured.devices(self.devices, false)
  if #devices == 0 or #self.points == 0 then return nil end
  local columns, rows = {{name = "n", unit = "count"}}, {}
  for _, device in ipairs(devices) do columns[#columns + 1] = {name = device.device, unit = "s"} end
  columns[#columns + 1] = {name = "use", unit = "text"}
  for i, point in ipairs(self.points) do
    rows[i] = {point.n}
    for _, device in ipairs(devices) do
      local entry = measured.entry_of(point, device.device)
      rows[i][#rows[i] + 1] = entry and decision.cost(entry, self.calls).seconds or false
    end
    local choice = choice_at(self, point.n)
    rows[i][#columns] = choice and (choice.either and "either" or choice.device) or false
  end
  local title = self.name .. ": a call, its data " .. (self.calls == 1 and "sent each time" or "used several times")
  return document.table{title = title, columns = columns, rows = rows}
end

local function predictions_table(self)
  if #self.predictions == 0 then return nil end
  local rows = {}
  for i, item in ipairs(self.predictions) do
    rows[i] = {item.n, item.device, item.seconds or false, item.bytes or false,
      item.seconds and "extrapolated, not measured" or item.why}
  end
  return document.table{title = "Not measured", rows = rows, columns = {
    {name = "n", unit = "count"}, {name = "device", unit = "text"}, {name = "a call", unit = "s"},
    {name = "memory", unit = "B"}, {name = "how", unit = "text"}}}
end

local function bounds_table(self)
  if #self.bounds == 0 then return nil end
  local rows, n = {}, last(self.wanted)
  for i, row in ipairs(self.bounds) do
    local point = last(row.points)
    rows[i] = {row.name, figures.visible(point.seconds), point.takes, point.needed or false}
  end
  return document.table{title = "Devices that are not here, by published figures: not measured", rows = rows,
    columns = {{name = "device", unit = "text"}, {name = ("at least, n = %d"):format(n), unit = "s"},
      {name = "mostly", unit = "text"}, {name = "how many hold the data", unit = "count"}}}
end

local function sources(self)
  local words = {}
  for i, row in ipairs(self.bounds) do words[i] = row.name .. ": " .. row.source end
  return document.note("Published by: " .. table.concat(words, "; ") .. ". " .. figures.TPU_NOTE)
end

--- Returns the blocks of an advice's page.
function page.blocks(self)
  local blocks = {document.text(self.why.text, self.why.values)}
  local function add(block) blocks[#blocks + 1] = block end
  crossover_page.say_caveats(self, blocks)
  add(costs_table(self))
  add(predictions_table(self))
  add(bounds_table(self))
  if #self.bounds > 0 then add(sources(self)) end
  crossover_page.say_emulated(self, blocks)
  return blocks
end

return page
