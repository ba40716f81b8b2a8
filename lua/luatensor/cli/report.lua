--- The command `luatensor report`: shows all measurements of this machine on a page.

local arguments = require "luatensor.cli.arguments"
local files = require "luatensor.bench.files"

local command = {
  summary = "writes a page with all measurements of this machine",
  description = "Measures this machine's limits, runs every experiment on every device, and writes a page with the " ..
    "results, which needs no other files. The ending of each file selects HTML, Markdown, JSON or text. Without " ..
    "files, the command prints the page. At full size it takes minutes. Ctrl-C keeps the measurements so far.",
  example = "luatensor report -o report.html report.json",
}

-- Returns the path of an output file and its kind, which the file's ending determines. A file that cannot be written
-- is reported here, before the measurements.
local function output(path)
  local ending = path:match("%.(%a+)$")
  local kind = ending and ({html = "html", htm = "html", md = "md", json = "json", txt = "text"})[ending:lower()]
  if not kind then arguments.fail("-o %s: a file that ends in .html, .md, .json or .txt expected", path) end
  return {path = arguments.kinds.output(path), kind = kind}
end

function command.define(parser)
  parser:option("-o --output", "files to write, which end in .html, .md, .json or .txt")
    :argname("<file>"):args("+"):convert(output)
  parser:option("--from", "shows a report that was saved as JSON, and measures nothing"):argname("<file>")
  parser:option("--sizes",
    "full: the notebook's sizes; quick: fewer and shorter measurements; tiny: a test that all works (full)")
    :argname("<sizes>"):choices{"full", "quick", "tiny"}
  arguments.add_all(parser, {
    {name = "device", kind = "device", help = "the accelerator to measure, or cpu for none"}, "threads",
  })
end

-- Writes the report to each file of option --output. Returns true if this option is given.
function command.save(made, options)
  local report = require "luatensor.report"
  for _, file in ipairs(options.output or {}) do
    local ok, problem = files.write(file.path, report.render(made, file.kind))
    if not ok then error(problem, 0) end
  end
  return options.output ~= nil
end

function command.run(options)
  local report = require "luatensor.report"
  for _, name in ipairs(options.from and {"sizes", "device", "threads"} or {}) do
    if options[name] then arguments.fail("--%s is of what is measured: with --from nothing is", name) end
  end
  if not options.from then return report.make{sizes = options.sizes, device = options.device, lines = true} end
  local loaded = require("luatensor").bench.load(options.from)
  if loaded.kind ~= "report" then
    error(("%s: a result of kind %s, not a report"):format(options.from, loaded.kind), 0)
  end
  return loaded
end

return command
