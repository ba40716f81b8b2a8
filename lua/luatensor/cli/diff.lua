--- luatensor diff: what changed between two results.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"

local diff = {
  summary = "what changed between two results, and what is noise",
  description = "Compares two results of the same kind that were saved as JSON: what changed, what is noise, " ..
    "and in what the runs differ. Results of two machines stand side by side without a verdict.",
  example = "luatensor diff before.json after.json",
}

function diff.define(parser)
  parser:argument("before", "a result"):argname "<before>"
  parser:argument("after", "another"):argname "<after>"
  arguments.add_all(parser, {"json"})
end

function diff.run(options)
  return lt.bench.diff(lt.bench.load(options.before), lt.bench.load(options.after))
end

return diff
