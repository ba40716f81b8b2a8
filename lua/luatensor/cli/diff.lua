--- The command `luatensor diff`: compares two saved results of measurements.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"
local figures = require "luatensor.bench.figures"

local diff = {
  summary = "shows what changed between two results, and what is noise",
  description = "Compares the figures of the same name in two results that were saved as JSON. The command shows " ..
    "what changed, what is noise, and in what the runs differ. Figures of two machines are shown without a verdict.",
  example = "luatensor diff before.json after.json",
}

function diff.define(parser)
  parser:argument("before", "the first result, a JSON file"):argname "<before>"
  parser:argument("after", "the second result, a JSON file"):argname "<after>"
  arguments.add_all(parser, {"json"})
end

function diff.run(options)
  local before, after = lt.bench.load(options.before), lt.bench.load(options.after)
  for _, each in ipairs{{options.before, before}, {options.after, after}} do
    if #figures.of(each[2]) == 0 then
      error(("%s: a result of kind %s has no times to compare"):format(each[1], each[2].kind), 0)
    end
  end
  return lt.bench.diff(before, after)
end

return diff
