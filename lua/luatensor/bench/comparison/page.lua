--- Shows the result of bench.compare: the methods of results of kind "compare".

local document = require "luatensor.page.document"
local format = require "luatensor.page.format"
local notes = require "luatensor.bench.notes"

local page = {}

--- The default number of rounds of each function, and of the pairs of rounds of two functions. If a comparison is
-- undecided and has fewer pairs, the page says that the pairs are too few.
page.ROUNDS = 12

local columns = {
  {name = "function", unit = "text"}, {name = "device", unit = "text"}, {name = "median", unit = "s"},
  {name = "1st quartile", unit = "s"}, {name = "3rd quartile", unit = "s"}, {name = "least", unit = "s"},
  {name = "speed-up", unit = "ratio"}, {name = "", unit = "text"}, {name = "results", unit = "text"},
}

local function word_for(self, entry)
  if entry.error then return "failed" end
  if entry.name == self.base then return "base" end
  local word = entry.verdict or ""
  if entry.verdict and entry.agreement ~= "agree" then word = word .. ", if it does the same" end
  return word
end

local function row_of(self, entry)
  return {
    entry.name, format.device(entry), entry.median or false, entry.q1 or false, entry.q3 or false, entry.min or false,
    entry.ratio or false, word_for(self, entry), entry.agreement or false,
  }
end

-- Removes the device from columns and rows if all rows have the same device.
local function without_device(rows)
  local short = {}
  for i, row in ipairs(rows) do
    if row[2] ~= rows[1][2] then return columns, rows end
    short[i] = table.move(row, 3, #row, 2, {row[1]})
  end
  return table.move(columns, 3, #columns, 2, {columns[1]}), short
end

-- Makes a table of the real entries, or of the emulated ones if `emulated` is true. Both kinds never share a table.
local function table_of(self, emulated)
  local rows = {}
  for _, entry in ipairs(self.entries) do
    if (entry.emulated or false) == emulated then rows[#rows + 1] = row_of(self, entry) end
  end
  if #rows == 0 then return nil end
  local title = emulated and notes.ON_EMULATED or self.name
  local shown, cells = without_device(rows)
  return document.table{title = title, columns = shown, rows = cells}
end

-- Returns a note that begins with the entry's name.
local function named(entry, note)
  local values = {who = {entry.name, "text"}}
  for name, value in pairs(note.values or {}) do values[name] = value end
  return document.note("{who}: " .. note.text, values)
end

local remarks = {
  differ = function(entry, base)
    return document.note("{who} and {base}: their results {why}. No ratio: they do not do the same.",
      {who = {entry.name, "text"}, base = {base, "text"}, why = {entry.difference, "text"}})
  end,
  ["does not repeat"] = function(_, base)
    return document.note("{base} gives another result each time, with the same seed: whether the others do the same "
      .. "cannot be told.", {base = {base, "text"}})
  end,
  ["not checked"] = function(entry, base)
    return document.note("Whether {who} does the same as {base} was not checked: {why}.",
      {who = {entry.name, "text"}, base = {base, "text"}, why = {entry.difference, "text"}})
  end,
}

-- Returns a note with the reason why a comparison is undecided, or nil if it is decided.
local function doubt(entry)
  local pairs_of = entry.pairs
  if entry.verdict ~= "undecided" then return nil end
  if (pairs_of and pairs_of.count or 0) < page.ROUNDS then
    return document.note("{who}: undecided, {n} pairs of rounds are too few; {least} are needed (options rounds, "
      .. "seconds).",
      {who = {entry.name, "text"}, n = {pairs_of and pairs_of.count or 0, "count"}, least = {page.ROUNDS, "count"}})
  end
  return document.note("{who}: undecided. It was faster in {faster} of {n} pairs of rounds; the middle half of their "
    .. "ratios lies within {q1} … {q3}, and has to lie beyond 1 by {floor} and more.", {
      who = {entry.name, "text"}, faster = {pairs_of.faster, "count"}, n = {pairs_of.count, "count"},
      q1 = {pairs_of.q1, "ratio"}, q3 = {pairs_of.q3, "ratio"}, floor = {pairs_of.floor, "share"},
    })
end

local function add_remarks(self, blocks)
  local said = {}
  for _, entry in ipairs(self.entries) do
    local remark = not entry.error and remarks[entry.agreement]
    if remark and (entry.agreement ~= "does not repeat" or not said[entry.agreement]) then
      blocks[#blocks + 1] = remark(entry, self.base)
      said[entry.agreement] = true
    end
    blocks[#blocks + 1] = doubt(entry)
    if entry.error then blocks[#blocks + 1] = named(entry, {text = "{why}", values = {why = {entry.error, "text"}}}) end
    for _, note in ipairs(entry.notes or {}) do blocks[#blocks + 1] = named(entry, note) end
  end
end

local function has(self, emulated)
  for _, entry in ipairs(self.entries) do
    if entry.median and (entry.emulated or false) == emulated then return true end
  end
  return false
end

-- Returns the blocks of the result's page. Every class of results has this method.
function page:blocks()
  local blocks = {table_of(self, false)}
  blocks[#blocks + 1] = table_of(self, true)
  if has(self, true) and has(self, false) then
    blocks[#blocks + 1] = document.note("Emulated and real times are not compared with each other.")
  end
  add_remarks(self, blocks)
  blocks[#blocks + 1] = notes.others(self.others)
  if self.incomplete then blocks[#blocks + 1] = document.note(self.incomplete) end
  return blocks
end

--- Returns a figure of lt.plot with a bar for the median of each function. Emulated times have a bar only if there are
-- no real ones, because both kinds are not compared.
-- @treturn[1] Figure
-- @treturn[2] nil
-- @treturn[2] string the reason: nothing was measured
function page:plot()
  local emulated, points = not has(self, false), {}
  for _, entry in ipairs(self.entries) do
    if entry.median and (entry.emulated or false) == emulated then points[#points + 1] = {entry.name, entry.median} end
  end
  if #points == 0 then return nil, "nothing was measured: no chart" end
  return require("luatensor.plot.figure").of_block(document.chart{title = self.name, bars = true,
    x = {name = "function", unit = "text"}, y = {name = "median of a call", unit = "s"},
    series = {{name = "median", points = points, emulated = emulated or nil}}})
end

-- Returns the figures that bench.diff compares, with their names: those of the entries that did not fail.
function page:timings()
  local list = {}
  for _, entry in ipairs(self.entries) do
    if entry.median then list[#list + 1] = entry end
  end
  return list
end

return page
