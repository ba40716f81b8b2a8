--- Makes the report: all measurements of a machine as one result, and as one page.
-- @module luatensor.report

require "luatensor.base.outside".check_measuring "luatensor.report"
local lt = require "luatensor"
local args = require "luatensor.base.args"
local interrupt = require "luatensor.bench.interrupt"
local core = require "luatensor.core"
local notebook = require "luatensor.experiment.notebook"
local outline = require "luatensor.report.outline"
local parts = require "luatensor.report.parts"
local progress = require "luatensor.bench.progress"
local result = require "luatensor.bench.result"
local experiment = require "luatensor.experiment"
local summary = require "luatensor.report.summary"

local report = {}

-- The fields of the result:
--
--     sizes        "full", "quick" or "tiny"
--     started      the time (UTC) at which the run began
--     emulated     true if the GPU is emulated
--     incomplete   after Ctrl-C, the part in which the run stopped
--     seconds      the duration of the run
--     accelerator  the measured GPU, or nil
--     without      the reason why there is no GPU
--     sections     {{id =, title =, question =, claims =, runs = {experiments}, result =, blocks =,
--                  problems = {text}, seconds =}, …}
--     summary      {{title =, blocks =}, …}
--     notebook     {title =, where =, claims =}
--     others       the largest share of the processor that other programs used (0 … 1)
local class = result.class("report", {
  blocks = function(self) return outline.blocks(self) end,
}, {
  sizes = "string", started = "string", seconds = "number", accelerator = "string?", without = "string?",
  others = "number?", emulated = "boolean?", incomplete = "string?",
  sections = {{
    id = "string", title = "string", question = "string?", claims = {"number"}, runs = {"result"}, result = "result?",
    blocks = {"block"}, problems = {"string"}, seconds = "number?",
  }},
  summary = {{title = "string", blocks = {"block"}}},
  notebook = {
    title = "string", where = "string", claims = {{number = "number", claim = "string", elsewhere = "string?"}},
  },
})

-- ---- measuring ----------------------------------------------------------------------------------

-- Returns the GPU to measure beside the CPU, or nil and the reason why there is none.
local function accelerator_of(wanted)
  if wanted then
    local ok, device = pcall(lt.device, wanted)
    if not ok then args.fail("report.make", "%s", device) end
    if device == core.host_device then return nil, "GPUs were left out: the CPU alone was asked for" end
    return device
  end
  local missing = core.no_accelerator()
  if missing then return nil, missing end
  return lt.accelerator()
end

-- Runs a part of the report. If the part fails, its error is stored in section.problems, and the report goes on with
-- the next part. Returns true after Ctrl-C.
local function measure(part, settings, section)
  local start = lt.clock()
  local ok, problem = pcall(part.measure, settings, section)
  section.seconds = lt.clock() - start
  if ok then return false end
  if interrupt.is(problem) then
    local partial = interrupt.partial(problem)
    if partial and partial.kind ~= "experiment" then
      section.result, section.blocks = partial, partial:blocks()
    end
    return true
  end
  section.problems[#section.problems + 1] = tostring(problem):match("^[^\n]*")
  return false
end

local function measure_all(list, settings, fields, lines)
  local total = 0
  for _, part in ipairs(list) do total = total + part.weight end
  local task = progress.task("report", total, {lines = lines})
  for i, part in ipairs(list) do
    task:step(part.title, part.weight)
    local section = {id = part.id, title = part.title, claims = {}, runs = {}, problems = {}, blocks = {}}
    fields.sections[i] = section
    if measure(part, settings, section) then
      fields.incomplete = ("stopped in part %d of %d (%s)"):format(i, #list, part.title)
      break
    end
  end
  task:finish()
end

local known = {sizes = {"choice", table.unpack(parts.sizes)}, device = true, lines = true, parts = true}

--- Measures everything: the machine's limits, every experiment on the CPU and on the accelerator, and the conclusions
-- for the choice of a device. The error of a failed part takes the place of its results. Full size takes minutes.
-- @tab[opt] options sizes: "full" (the notebook's), "quick" (fewer and shorter measurements) or "tiny" (a test that
--   everything works; the figures say nothing about the machine); device: an accelerator, or "cpu" for none; lines:
--   true prints a line for each part if the standard error is no terminal; parts: a list as from
--   luatensor.report.parts.all(), which is the default
-- @treturn table a result of kind "report"
-- @raise Ctrl-C, with the measurements so far (luatensor.bench.interrupt)
function report.make(options)
  options = args.read("report.make", options, known)
  local settings = {sizes = options.sizes or parts.sizes[1]}
  local fields = {sizes = settings.sizes, sections = {}, started = os.date("!%Y-%m-%dT%H:%M:%SZ")}
  fields.notebook = {title = notebook.title, where = notebook.where, claims = notebook.claims}
  settings.accelerator, fields.without = accelerator_of(options.device)
  fields.accelerator, fields.emulated = settings.accelerator, experiment.is_emulated(settings.accelerator) or nil
  local start = lt.clock()
  measure_all(options.parts or parts.all(), settings, fields, options.lines)
  fields.seconds = lt.clock() - start
  local made = result.new(class, fields)
  made.summary, made.others = summary.of(made), summary.others(made.sections)
  if made.incomplete then interrupt.raise(made) end
  return made
end

-- ---- rendering ----------------------------------------------------------------------------------

local renderers = {
  html = function(self) return require("luatensor.report.html")(outline.of(self)) end,
  md = function(self) return require("luatensor.report.markdown")(outline.of(self)) end,
  json = result.encode,
  text = function(self) return require("luatensor.report.text")(outline.of(self)) end,
}

function class.__tostring(self) return renderers.text(self) end

--- Renders a report as a page. The page depends on the result alone, so a saved and loaded report gives the same
-- page.
-- @tab self a result of kind "report"
-- @string kind "html" (one page that needs nothing else), "md", "json" or "text" (for a terminal, without a line end)
-- @treturn string
function report.render(self, kind)
  if type(self) ~= "table" or self.kind ~= "report" then
    args.fail("report.render", "a result of kind report expected, got %s", type(self) == "table" and
      tostring(self.kind) or type(self))
  end
  if not renderers[kind] then
    args.fail("report.render", "html, md, json or text expected, got %s", tostring(kind))
  end
  return renderers[kind](self)
end

return report
