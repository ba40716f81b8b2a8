--- Compares two runs, and separates changes from noise.

local args = require "luatensor.base.args"
local circumstances = require "luatensor.bench.circumstances"
local document = require "luatensor.page.document"
local figures = require "luatensor.bench.figures"
local format = require "luatensor.page.format"
local notes = require "luatensor.bench.notes"
local result = require "luatensor.bench.result"
local statistics = require "luatensor.bench.statistics"

local diff = {}

--- The verdict is "small" if the ratio of two medians differs from 1 by at most FLOOR.
diff.FLOOR = 0.05

--- The largest distance between quartiles, as a share of the median, that still allows a decision.
diff.SPREAD = 0.5

local FEW <const> = 5              -- with fewer rounds a note warns that quartiles say little
local MOST <const> = 8             -- the largest number of names or notes in a list

-- ---- the page -----------------------------------------------------------------------------------

local methods = {}

local columns = {
  {name = "", unit = "text"}, {name = "before", unit = "s"}, {name = "between", unit = "s"}, {name = "and", unit = "s"},
  {name = "after", unit = "s"}, {name = "between", unit = "s"}, {name = "and", unit = "s"},
  {name = "speed-up", unit = "ratio"}, {name = "", unit = "text"},
}

local function row_of(row)
  local cells = {format.marked(row.name, row.before.emulated)}
  for _, side in ipairs{row.before, row.after} do
    for _, name in ipairs{"median", "q1", "q3"} do
      cells[#cells + 1] = side[name] and {side[name], row.unit} or false
    end
  end
  cells[8], cells[9] = row.why ~= "busy" and row.ratio or false, row.verdict or ""
  return cells
end

-- Returns the table of the emulated rows if `emulated` is true, otherwise the table of the real rows. Emulated and
-- real figures never share a table.
local function table_of(self, emulated, title)
  local rows = {}
  for _, row in ipairs(self.rows) do
    if (row.before.emulated or false) == emulated then rows[#rows + 1] = row_of(row) end
  end
  return rows[1] and document.table{title = title, columns = columns, rows = rows}
end

local function differences_table(self)
  local rows = {}
  for i, item in ipairs(self.differences) do
    local cells = {item.what}
    for c, value in ipairs{item.before, item.after} do cells[c + 1] = {value, item.unit} end
    rows[i] = cells
  end
  return rows[1] and document.table{
    title = "In what the runs differ", rows = rows,
    columns = {{name = "", unit = "text"}, {name = "before", unit = "text"}, {name = "after", unit = "text"}},
  }
end

-- Returns a note with the first MOST names and the number of the other names, or nil if there are no names.
local function list_note(text, names, limit)
  if #names == 0 then return nil end
  local rest = #names - MOST
  local values = {names = {table.concat(names, "; ", 1, math.min(#names, MOST)), "text"},
    limit = limit and {limit, "share"} or nil}
  if rest > 0 then
    text, values.rest = text .. " And {rest} more.", {rest, "count"}
  end
  return document.note(text, values)
end

-- Adds the notes on the figures of one run. side: "before" or "after".
local function add_own_notes(self, side, add)
  local said = self[side].notes or {}
  for i = 1, math.min(#said, MOST) do
    local values = {side = {side, "text"}, name = {said[i].name, "text"}}
    for name, value in pairs(said[i].note.values or {}) do values["its_" .. name] = value end
    local words = said[i].note.text:gsub("{([%w_]+)}", "{its_%1}")
    add(document.note("{name}, {side}: " .. words, values))
  end
  if #said > MOST then
    add(document.note("{side}: {rest} notes more.", {side = {side, "text"}, rest = {#said - MOST, "count"}}))
  end
end

local reasons = {
  {"single", "Undecided, because without quartiles nobody knows how much a figure varies by itself: {names}."},
  {"busy", "Undecided, because others used more than {limit} of the processor in one of the runs: {names}.",
    notes.OTHERS},
  {"spread", "Undecided, because the quartiles are more than {limit} of the median apart: {names}.", diff.SPREAD},
}

local function add_reasons(self, add)
  for _, reason in ipairs(reasons) do
    local names = {}
    for _, row in ipairs(self.rows) do
      if row.why == reason[1] then names[#names + 1] = format.marked(row.name, row.before.emulated) end
    end
    add(list_note(reason[2], names, reason[3]))
  end
end

local function add_notes(self, blocks)
  local function add(block) blocks[#blocks + 1] = block end
  if not self.same_machine then
    add(document.note("Two machines: figures side by side, no ratios and no verdicts."))
  end
  add(list_note("Left out, since only one side is emulated, the other real: {names}.", self.mixed))
  add_reasons(self, add)
  add(list_note("Not compared, because the options of their experiments differ: {names}.", self.other_work))
  add(list_note("Of fewer than five rounds, so that quartiles say little: {names}.", self.few))
  add(list_note("Only before: {names}.", self.only_before))
  add(list_note("Only after: {names}.", self.only_after))
  for _, side in ipairs{"before", "after"} do
    local run = self[side]
    if run.incomplete then
      add(document.note("{side}: {why}", {side = {side, "text"}, why = {run.incomplete, "text"}}))
    end
    if run.others then
      add(document.note("Others used {share} of the processor {side}.",
        {share = {run.others, "share"}, side = {side, "text"}}))
    end
    add_own_notes(self, side, add)
  end
end

local function count_words(self)
  local counts = {faster = 0, slower = 0, undecided = 0}
  for _, row in ipairs(self.rows) do
    if counts[row.verdict] then counts[row.verdict] = counts[row.verdict] + 1 end
  end
  return document.text("Of {all} figures {faster} became faster and {slower} slower, {undecided} are undecided. A "
    .. "change is one where the ranges between the quartiles do not touch and the medians differ by more than {floor}; "
    .. "the rest may be noise.", {
      all = {#self.rows, "count"}, faster = {counts.faster, "count"}, slower = {counts.slower, "count"},
      floor = {self.floor, "share"}, undecided = {counts.undecided, "count"},
    })
end

-- Returns the blocks of the result's page. Every class of results has this method.
function methods:blocks()
  local blocks = {document.text("Before: {before}. After: {after}.",
    {before = {self.before.made, "text"}, after = {self.after.made, "text"}})}
  blocks[#blocks + 1] = table_of(self, false)
  blocks[#blocks + 1] = table_of(self, true, notes.ON_EMULATED)
  if self.same_machine then blocks[#blocks + 1] = count_words(self) end
  blocks[#blocks + 1] = differences_table(self)
  add_notes(self, blocks)
  return blocks
end

local head = {
  made = "string", kind = "string?", name = "string?", incomplete = "string?", others = "number?",
  notes = {{name = "string", note = "block"}},
}

local side = {median = "number", q1 = "number?", q3 = "number?", emulated = "boolean?", others = "number?"}

diff.class = result.class("diff", methods, {
  before = head, after = head, same_machine = "boolean", floor = "number", emulated = "boolean?",
  only_before = {"string"}, only_after = {"string"}, few = {"string"}, other_work = {"string"}, mixed = {"string"},
  rows = {{
    name = "string", unit = "string", before = side, after = side, ratio = "number?", verdict = "string?",
    why = "string?",
  }},
  differences = {{what = "string", before = "any", after = "any", unit = "string"}},
})

-- ---- comparing ----------------------------------------------------------------------------------

-- Returns the names of a result's figures in order, and the figures by name. Repeated names get numbers.
local function figures_of(measured)
  local list, by_name = {}, {}
  for _, timing in ipairs(figures.of(measured)) do
    local name, n = timing.name, 1
    while by_name[name] do
      n = n + 1
      name = ("%s (%d)"):format(timing.name, n)
    end
    by_name[name] = timing
    list[#list + 1] = name
  end
  return list, by_name
end

local function side_of(timing)
  return {median = timing.median, q1 = timing.q1, q3 = timing.q3, emulated = timing.emulated, others = timing.others}
end

-- Returns the speed-up, which is above 1 if the second run is faster, for rates as well as for times.
local function speed_up(row)
  if row.unit == "s" then return row.before.median / row.after.median end
  return row.after.median / row.before.median
end

-- Returns the reason why no verdict on the two figures is possible, or nil: "single" (a figure lacks quartiles),
-- "busy" (other processes used the processor) or "spread" (quartiles are too far apart).
local function doubt(before, after)
  if not (before.q1 and before.q3 and after.q1 and after.q3) then return "single" end
  if math.max(before.others or 0, after.others or 0) > notes.OTHERS then return "busy" end
  if statistics.overlap(before, after) then return nil end
  if math.max(statistics.spread(before), statistics.spread(after)) > diff.SPREAD then return "spread" end
end

local function verdict(row)
  local before, after = row.before, row.after
  if row.why then return "undecided" end
  if statistics.overlap(before, after) then return "noise" end
  if math.abs(row.ratio - 1) <= diff.FLOOR then return "small" end
  return row.ratio > 1 and "faster" or "slower"
end

local function compare_row(name, before, after, same_machine)
  local row = {name = name, unit = before.unit or "s", before = side_of(before), after = side_of(after)}
  if same_machine and before.median > 0 and after.median > 0 then
    row.ratio, row.why = speed_up(row), doubt(before, after)
    row.verdict = verdict(row)
  end
  return row
end

local function is_few(timing) return timing.samples and #timing.samples < FEW end

-- Returns {name, figure before, figure after} for each figure in both runs. The names of the other figures are stored
-- in `fields`.
local function pair_up(fields, before, after)
  local names, first = figures_of(before)
  local others, second = figures_of(after)
  local list, paired = {}, {}
  -- Two results of kind "time" are paired even if their names differ: a function's name contains its line number, which
  -- may have changed.
  if before.kind == "time" and after.kind == "time" then
    return {{before.name, first[before.name], second[after.name]}}
  end
  for _, name in ipairs(names) do
    local a, b = first[name], second[name]
    if b and a.work ~= b.work then
      paired[name] = true
      table.insert(fields.other_work, format.marked(name, a.emulated))
    elseif b and (a.unit or "s") == (b.unit or "s") then
      list[#list + 1], paired[name] = {name, a, b}, true
    else
      table.insert(fields.only_before, format.marked(name, a.emulated))
    end
  end
  for _, name in ipairs(others) do
    if not paired[name] then table.insert(fields.only_after, format.marked(name, second[name].emulated)) end
  end
  return list
end

-- Leaves out the pairs of an emulated and a real figure, which are never compared, and notes their names.
local function same_kind(fields, pairs_of)
  local list = {}
  for _, pair in ipairs(pairs_of) do
    local both = (pair[2].emulated or false) == (pair[3].emulated or false)
    table.insert(both and list or fields.mixed, both and pair or pair[1])
  end
  return list
end

local function add_notes_of(run, name, timing)
  for _, note in ipairs(timing.notes or {}) do table.insert(run.notes, {name = name, note = note}) end
end

local function compare_rows(fields, before, after)
  local list = same_kind(fields, pair_up(fields, before, after))
  for i, pair in ipairs(list) do
    local name, a, b = table.unpack(pair)
    fields.rows[i] = compare_row(name, a, b, fields.same_machine)
    fields.emulated = fields.emulated or a.emulated
    add_notes_of(fields.before, format.marked(name, a.emulated), a)
    add_notes_of(fields.after, format.marked(name, b.emulated), b)
    if is_few(a) or is_few(b) then table.insert(fields.few, format.marked(name, a.emulated)) end
  end
  circumstances.of_rows(fields.differences, list)
end

-- ---- arguments ----------------------------------------------------------------------------------

local function check_result(i, value)
  local meta = getmetatable(value)
  if type(value) ~= "table" or value.format ~= "luatensor" or type(meta) ~= "table" then
    args.fail("bench.diff", "argument %d: result expected, got %s", i, type(value))
  elseif #figures.of(value) == 0 then
    args.fail("bench.diff", "argument %d: a result of kind \"%s\" has no times to compare", i, value.kind)
  end
end

local function check_common(fields, before, after)
  if #fields.rows > 0 or #fields.other_work > 0 then return end
  if #fields.mixed > 0 then
    args.fail("bench.diff", "emulated and real times say nothing of each other: %s",
      table.concat(fields.mixed, ", "))
  end
  local function list(names) return #names > 0 and table.concat(names, ", ") or "nothing" end
  args.fail("bench.diff", "nothing of the same name in both: %s (%s) and %s (%s)", list(fields.only_before),
    before.kind, list(fields.only_after), after.kind)
end

local function head_of(measured)
  -- A result of kind "time" has its own note on other processes, so the field `others` would repeat the note.
  local others = measured.kind ~= "time" and measured.others
  return {
    made = measured.made, kind = measured.kind, name = measured.name, incomplete = measured.incomplete,
    others = others and others > notes.OTHERS and others or nil, notes = {},
  }
end

--- Compares two results, row by row of the same name. A difference counts as a change if the quartile ranges do not
-- touch and the medians differ by more than 5 %; otherwise it may be noise. Nothing is decided if other processes used
-- more than a tenth of the processor in one of the runs, or if the quartiles are half a median apart. Results of two
-- machines are listed without ratios and verdicts. Emulated figures are not compared with real ones. Figures
-- of experiments are compared if their options are equal, apart from the time of a measurement.
-- @function bench.diff
-- @tab before a result of time, compare, crossover, machine, a suite of these, an experiment or a report
-- @tab after another
-- @treturn table a result of kind "diff": `rows` of {name, unit, before and after {median, q1, q3}, ratio (above 1:
--   the second run is faster), verdict, why}; the verdict is "faster", "slower", "small" (below the `floor`), "noise"
--   or "undecided"; `why` it is undecided is "single" (no quartiles), "busy" or "spread"; `only_before`,
--   `only_after`: names; `mixed`: names of figures that are emulated on one side only; `other_work`: names of figures
--   of experiments whose options differ; `differences` {{what, before, after}, …}: between the runs; `same_machine`
-- @raise if a result has no times, if no two rows have the same name, or if only one result is emulated
function diff.diff(before, after)
  check_result(1, before)
  check_result(2, after)
  local differences, same_machine = circumstances.of_runs(before, after)
  local fields = {
    before = head_of(before), after = head_of(after), rows = {}, only_before = {}, only_after = {}, few = {},
    other_work = {}, mixed = {},
    differences = differences, same_machine = same_machine, floor = diff.FLOOR, machine = after.machine,
  }
  compare_rows(fields, before, after)
  check_common(fields, before, after)
  return result.new(diff.class, fields)
end

return diff
