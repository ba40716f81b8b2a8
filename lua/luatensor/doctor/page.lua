--- The result of `luatensor doctor`: its class and its page.

local core = require "luatensor.core"
local document = require "luatensor.page.document"
local fields = require "luatensor.bench.fields"
local notes = require "luatensor.bench.notes"
local result = require "luatensor.bench.result"
local row = require "luatensor.doctor.row"

local methods = {}

local function stage_table(self)
  local rows = {}
  for i, stage in ipairs(self.stages) do rows[i] = {stage.title, stage.result, stage.seconds, row.remark(stage)} end
  return document.table{
    columns = {{name = "stage", unit = "text"}, {name = "result", unit = "text"}, {name = "time", unit = "s"},
      {name = "remark", unit = "text"}},
    rows = rows,
  }
end

local function figure_table(self)
  local rows = {}
  for _, stage in ipairs(self.stages) do
    for _, figure in ipairs(stage.figures) do
      rows[#rows + 1] = {figure.name, {figure.value, figure.unit},
        figure.projected and {figure.projected, figure.unit} or false, figure.ratio or false,
        figure.flagged and "off by more than two" or ""}
    end
  end
  if #rows == 0 then return nil end
  return document.table{
    columns = {{name = "figure", unit = "text"}, {name = "measured", unit = "text"},
      {name = "projected", unit = "text"}, {name = "speed (projected: 1)", unit = "ratio"}, {name = "", unit = "text"}},
    rows = rows,
  }
end

--- Returns the blocks of the result's page. Every class of results has this method.
function methods:blocks()
  local blocks = {stage_table(self)}
  blocks[#blocks + 1] = figure_table(self)
  if self.emulated then blocks[#blocks + 1] = document.note(notes.EMULATOR) end
  blocks[#blocks + 1] = document.text("{it}", {it = {self.verdict, "text"}})
  return blocks
end

-- Returns the titles of the stages for which `is` is true.
local function titles(self, is)
  local list = {}
  for _, stage in ipairs(self.stages) do
    if is(stage) then list[#list + 1] = stage.title end
  end
  return list
end

-- Returns "the CPU (AMD EPYC)" or "cuda:0 (NVIDIA H100)".
local function called(self)
  local name = self.device == core.host_device and "the CPU" or self.device
  return self.name and ("%s (%s)"):format(name, self.name) or name
end

--- Returns true if no stage failed and the run is complete.
function methods:is_sound()
  return not self.incomplete and #titles(self, function(stage) return row.bad[stage.result] end) == 0
end

-- Returns the sentence below the table.
local function judge(self)
  local wrong = titles(self, function(stage) return row.bad[stage.result] end)
  local flagged = titles(self, function(stage) return stage.result == "flagged" end)
  local first = self.stages[1]
  if not self.device and #wrong > 0 then return ("No device was tested: %s."):format(row.remark(first)) end
  if self.incomplete then return ("Not complete: %s."):format(self.incomplete) end
  local words = self.without and "There is no GPU on this machine, so the CPU was tested. " or ""
  if #wrong > 0 then return ("%sNot sound on %s: %s."):format(words, called(self), table.concat(wrong, ", ")) end
  words = ("%sAll that was tested is sound on %s."):format(words, called(self))
  return #flagged == 0 and words or ("%s Speeds are not as projected: %s."):format(words, table.concat(flagged, ", "))
end

-- Fields of the class: device (nil: none was found), name, emulated, without (the reason why the CPU was tested),
-- seconds (allowed), stages (see luatensor.doctor.row), verdict (a sentence), incomplete.
local class = result.class("doctor", methods, {
  device = "string?", name = "string?", without = "string?", seconds = "number", verdict = "string",
  stages = {{
    name = "string", title = "string", result = "string", seconds = "number", passed = "number", failed = "number",
    problems = {"string"}, left_out = {"string"}, skipped = "string?", ended = "string?", doing = "string?",
    output = "string?", about = "string?",
    kernels = fields.optional{{name = "string", registers = "number", ["local"] = "number", shared = "number",
      threads = "number"}},
    figures = {{name = "string", value = "number", unit = "string", projected = "number?", ratio = "number?",
      flagged = "boolean?"}},
  }},
})

local page = {}

--- Makes the result. `values` are the fields of the class without the verdict.
function page.new(values)
  local made = result.new(class, fields.with(values, {verdict = ""}))
  made.verdict = judge(made)
  return made
end

return page
