--- The command `luatensor`. Each file of luatensor/cli/ that is named below is a subcommand: a table with
--
--     summary, description   for --help
--     example                a command line
--     define(parser)         defines its options
--     run(options)           returns a result or a text, and optionally the exit code. A result is saved as JSON if
--                            option json is given. Then the result or the text is shown
--     prints                 true if the command shows its result itself
--     save(result, options)  optional: writes further files; returns true if the result need not be shown

require "luatensor.base.requirements"
local arguments = require "luatensor.cli.arguments"
local files = require "luatensor.bench.files"
local interrupt = require "luatensor.bench.interrupt"
local progress = require "luatensor.bench.progress"

local cli = {}

--- The subcommands, in the order of --help.
cli.commands = {"run", "help", "info", "doctor", "experiment", "bench", "crossover", "advise", "report", "diff",
                "kernels"}

--- The exit codes of the command.
cli.codes = {done = 0, failed = 1, usage = 2, interrupted = 130}

-- ---- arguments ----------------------------------------------------------------------------------

-- Returns the parser of the command `luatensor`, and a table of the subcommands by name.
local function make_parser()
  local parser = arguments.parser("luatensor",
    "Measures what this machine can do with luatensor, the tensor library for Lua.")
  parser:flag("--version", "prints the version"):action(function() arguments.show(require("luatensor")._VERSION) end)
  parser:flag("-i", "starts a Lua prompt with lt, nn, optim and data")
    :action(function() arguments.fail("-i stands first") end)
  parser:command_target("command")
  parser:epilog("luatensor <command> --help describes the command, with an example.")
  local commands = {}
  for _, name in ipairs(cli.commands) do
    local command = require("luatensor.cli." .. name)
    local own = arguments.parser(name, command.description, parser)
    own:summary(command.summary):epilog("Example:\n   " .. command.example)
    command.define(own)
    arguments.no_more(own)
    commands[name] = command
  end
  return parser, commands
end

-- Raises a usage error if the first argument is an unknown command. The error suggests a similar name, such as
-- "experiment" for "expriment".
local function check_name(argv, commands)
  local name = argv[1]
  if not name or name:find("^%-") or commands[name] then return end
  local nearest = require("luatensor.core").nearest(commands, name)
  arguments.fail("unknown command: %s%s", name, nearest and ("; did you mean %s?"):format(nearest) or "")
end

--- Makes a function that reads a command line and returns the options and the subcommand. For wrong usage, the function
-- raises the errors of luatensor.cli.arguments.
function cli.reader()
  local parser, commands = make_parser()
  return function(argv)
    check_name(argv, commands)
    local options = commands.run.read(argv) or arguments.parse(parser, argv)
    return options, commands[options.command]
  end
end

-- ---- output -------------------------------------------------------------------------------------

-- Raises an error if the standard output cannot be written, for example because the disk is full.
local function check(ok, problem)
  if not ok then error("standard output: " .. problem, 0) end
end

local function write(text)
  progress.clear()
  check(io.stdout:write(text))
  check(io.stdout:flush())
end

-- Replaces print while the command runs. If the output of an experiment or a script cannot be written, this function
-- raises an error.
local function print_checked(...)
  local words = table.pack(...)
  for i = 1, words.n do words[i] = tostring(words[i]) end
  write(table.concat(words, "\t") .. "\n")
end

-- Saves a result. Returns true if the result need not be shown.
local function save(command, result, options)
  local encode = options.json and require("luatensor.bench.result").encode
  if options.json == "-" then
    write(encode(result))
  elseif options.json then
    local ok, problem = files.write(options.json, encode(result))
    if not ok then error(problem, 0) end
  end
  return command.save and command.save(result, options)
end

-- Saves the result before showing it, so that neither a closed pipe nor an unwritable file loses the figures.
local function deliver(command, result, options)
  if not result then return end
  local saved, kept = pcall(save, command, result, options)
  local shown = command.prints or options.json == "-" or saved and kept
  if not shown then write(tostring(result) .. "\n") end
  if not saved then error(kept, 0) end
end

-- ---- errors and exit codes ----------------------------------------------------------------------

-- Returns an error's text on one line, without the position in bin/luatensor, the prefix of lt.bench and the
-- traceback.
local function plain(problem)
  if problem == nil then return "an error without words" end
  local text = tostring(problem):gsub("^[^:\n]*bin/luatensor:%d+: ", "")
  text = text:gsub("^bench[%.%w_]*: ", "")
  return (text:gsub("\nstack traceback:.*", ""):gsub("%s*\n%s*", "; "))
end

local function complain(message)
  progress.clear()
  io.stderr:write("luatensor: ", message, "\n")
end

-- After Ctrl-C, saves and shows the results measured so far.
local function stop(command, options, measured)
  local ok, wrong = pcall(deliver, command, measured, options)
  if not ok then complain(plain(wrong)) end
  complain("interrupted: " .. (not measured and "nothing was measured yet" or measured.incomplete or "after measuring"))
  return cli.codes.interrupted
end

local function fail(problem)
  if arguments.is_shown(problem) then
    write(tostring(problem) .. "\n")
    return cli.codes.done
  end
  local mistake = arguments.is_mistake(problem)
  complain(plain(problem) .. (mistake and " (--help says more)" or ""))
  return mistake and cli.codes.usage or cli.codes.failed
end

local function run(argv)
  if argv[1] == "-i" then return require("luatensor.cli.prompt").run(argv) end
  local options, command = cli.reader()(argv)
  if options.dtype then require("luatensor").set_default_dtype(options.dtype) end
  local result, code
  local ok, problem = pcall(function()
    result, code = command.run(options)
    deliver(command, result, options)
  end)
  if ok then return code or cli.codes.done end
  if interrupt.is(problem) then return stop(command, options, interrupt.partial(problem) or result) end
  error(problem, 0)
end

local prints = {__close = function(self) rawset(_G, "print", self.before) end}

--- Runs the command.
-- @tab argv its arguments
-- @treturn int the exit code
function cli.main(argv)
  arguments.raising, progress.at_once = true, true
  local _ <close> = setmetatable({before = print}, prints)
  rawset(_G, "print", print_checked)
  local ok, code = pcall(run, argv)
  if ok then return code end
  if interrupt.is(code) then return stop({}, {}) end
  ok, code = pcall(fail, code)
  if ok then return code end
  complain(plain(code))
  return cli.codes.failed
end

return cli
