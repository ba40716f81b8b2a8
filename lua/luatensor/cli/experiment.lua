--- The command `luatensor experiment`: lists the experiments of the teaching notebook, or runs one or all of them.

local arguments = require "luatensor.cli.arguments"
local document = require "luatensor.page.document"
local experiment = require "luatensor.experiment"
local interrupt = require "luatensor.bench.interrupt"
local progress = require "luatensor.bench.progress"
local suite = require "luatensor.bench.suite"
local terminal = require "luatensor.page.terminal"

local command = {
  summary = "runs the notebook's experiments, one or all",
  description = "Runs one experiment or all of them. The experiments test what a GPU does for neural networks, " ..
    "claim by claim (docs/notebook.md). Without a name, the command lists the experiments. Options after the name " ..
    "belong to the experiment, whose own --help lists them.",
  example = "luatensor experiment 02_large --iterations 10 --json large.json",
  prints = true,
}

-- argparse does not read the options here: they belong to the experiment.
function command.define(parser)
  command.parser = parser
  parser:handle_options(false)
  parser:argument("name", "an experiment, such as 02_large, 2 or large, or all for every experiment")
    :argname("<name>"):args("?")
  parser:argument("rest", "options of the experiment; --json <file> saves the result"):argname("<options>"):args("*")
end

-- Returns the words without "--json file" or "--json=file", and the path of this file, or nil if the option is not
-- given.
local function take_json(words)
  local rest, path = {}, nil
  local i = 1
  while i <= #words do
    local word = words[i]
    if word == "--json" then
      i = i + 1
      path = words[i] or arguments.fail("--json needs a value")
    elseif word:find("^%-%-json=") then
      path = word:sub(8)
    else
      rest[#rest + 1] = word
    end
    i = i + 1
  end
  return rest, path and arguments.kinds.output(path)
end

local function list()
  local rows = {}
  for i, each in ipairs(experiment.list()) do rows[i] = {each.name, each.title, each.question} end
  print(terminal.page{document.table{
    columns = {{name = "name", unit = "text"}, {name = "what", unit = "text"}, {name = "question", unit = "text"}},
    rows = rows,
  }})
end

-- Groups the words of a command line by option, and returns a list of {name, words}. The words of an option are
-- {"--name", "value"} or {"--name=value"}.
local function pairs_of(words)
  local found, i = {}, 1
  while i <= #words do
    local name, rest = words[i]:match("^%-%-([%w-]+)(=?)")
    if not name then arguments.fail("unknown option: %s", words[i]) end
    local both = rest == "=" and {words[i]} or {words[i], words[i + 1]}
    if rest == "" and not words[i + 1] then arguments.fail("--%s needs a value", name) end
    found[#found + 1] = {name, both}
    i = i + #both
  end
  return found
end

local function knows(each, name)
  for _, option in ipairs(each.options) do
    if option == name or option[1] == name then return true end
  end
  return false
end

-- Distributes the options of the command line: entry i of the result is the list of options that experiment i
-- accepts. Raises a usage error for an option that no experiment accepts.
local function deal(words, known)
  local dealt = {}
  for i in ipairs(known) do dealt[i] = {} end
  for _, pair in ipairs(pairs_of(words)) do
    local wanted = false
    for i, each in ipairs(known) do
      if knows(each, pair[1]) then
        wanted = true
        table.move(pair[2], 1, #pair[2], #dealt[i] + 1, dealt[i])
      end
    end
    if not wanted then arguments.fail("no experiment has an option --%s", pair[1]) end
  end
  return dealt
end

local function run_all(words, quiet)
  local known = experiment.list()
  local dealt, results, problems = deal(words, known), {}, {}
  local task <close> = progress.task("experiment", #known, {lines = true})
  for i, each in ipairs(known) do
    task:step(each.name)
    local ok, found = pcall(experiment.run, each.name, dealt[i], quiet)
    if ok then
      results[#results + 1] = found
      if not quiet then print() end
    elseif interrupt.is(found) then
      results[#results + 1] = interrupt.partial(found)
      interrupt.raise(suite.new("experiments", results, problems, ("stopped in %s"):format(each.name)))
    elseif arguments.is_mistake(found) then
      error(found, 0)
    else
      problems[#problems + 1] = ("%s: %s"):format(each.name, found)
      if not quiet then print(terminal.page{document.note("{it}", {it = {problems[#problems], "text"}})} .. "\n") end
    end
  end
  return suite.new("experiments", results, problems), #problems == 0 and 0 or 1
end

function command.run(options)
  local name = options.name
  if name == "-h" or name == "--help" then arguments.show(command.parser:get_help()) end
  if not name then return list() end
  if name:find("^%-") then arguments.fail("the experiment's name comes first, then its options: %s", name) end
  local words
  words, options.json = take_json(options.rest)
  local quiet = options.json == "-"                 -- the JSON goes to the standard output
  if name == "all" then return run_all(words, quiet) end
  local path, problem = experiment.find(name)
  if not path then arguments.fail("%s", problem) end
  arguments.program = "luatensor experiment " .. name
  return experiment.run(name, words, quiet)
end

return command
