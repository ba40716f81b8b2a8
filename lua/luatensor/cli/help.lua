--- The command `luatensor help`: shows the entry of a name in the reference.

local arguments = require "luatensor.cli.arguments"
local help = require "luatensor.help"

local command = {
  summary = "shows what a function does, its options and an example",
  description = "Shows the entry of a name in the reference: the calls, the options with their defaults, the " ..
    "results and an example. Words that are not a name are searched for in all names and texts.",
  example = "luatensor help conv2d",
}

function command.define(parser)
  parser:argument("words", "a name, or words to search for"):args "*":argname "<name>"
end

function command.run(options)
  local words = table.concat(options.words, " ")
  if words == "" then arguments.fail "help needs a name or words: luatensor help conv2d" end
  local text, problem = help.find(words)
  if not text then error(problem, 0) end
  return text
end

return command
