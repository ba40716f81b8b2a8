--- The command `luatensor report`: shows all measurements of this machine on a page.

local arguments = require "luatensor.cli.arguments"
local files = require "luatensor.bench.files"

local command = {
  summary = "everything measured about this machine, as a page",
  description = "Measures this machine's limits and every experiment on every device, and writes a page that needs " ..
    "nothing else: HTML, Markdown, JSON. The ending of each file says which. Without files it prints the page. At " ..
    "full size it takes minutes; Ctrl-C keeps what was measured so far.",
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
  parser:option("-o --output", "files to write"):argname("<file>"):args("+"):convert(output)
  parser:option("--from", "a report that was saved as JSON: nothing is measured"):argname("<file>")
  parser:option("--sizes", "full: the notebook's; quick: fewer, shorter; tiny: only to see that all works (full)")
    :argname("<sizes>"):choices{"full", "quick", "tiny"}
  arguments.add_all(parser, {{name = "device", kind = "device", help = "cpu: no accelerator; or which one"}, "threads"})
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
