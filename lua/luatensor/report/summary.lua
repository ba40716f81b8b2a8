--- The short answers at the top of a report: what a stranger wants to know first.

local document = require "luatensor.bench.document"
local notebook = require "luatensor.notebook"

local summary = {}

local function section_of(report, id)
  for _, section in ipairs(report.sections) do
    if section.id == id then return section end
  end
end

-- The run of an experiment on the CPU, or on what is not it.
local function run_of(report, id, on_cpu)
  local section = section_of(report, id)
  for _, run in ipairs(section and section.runs or {}) do
    if (run.device == "cpu") == on_cpu and not run.incomplete then return run end
  end
end

function summary.of(report)
  local answers = {}
  local _ = notebook, document, run_of
  return answers
end

return summary
