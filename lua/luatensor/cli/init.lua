--- The command `luatensor`. Each file of luatensor/cli/ named below is a subcommand: a table with
-- summary and description (for --help), example (a command line), define(parser) (its options), and run(options), which
-- gives a result: it is saved as JSON where option json says so, and shown, if the command did not show it itself
-- (prints = true). One that has more to save has save(result, options), which returns true where the result need not be
-- shown then.

require "luatensor.base.requirements"
local arguments = require "luatensor.cli.arguments"
local files = require "luatensor.bench.files"
local interrupt = require "luatensor.bench.interrupt"
local progress = require "luatensor.bench.progress"

local cli = {}

--- The subcommands, in the order of --help.
cli.commands = {"info", "experiment", "bench", "crossover", "advise", "report", "diff"}

--- Exit codes.
cli.codes = {done = 0, failed = 1, usage = 2, interrupted = 130}

-- ---- arguments ----------------------------------------------------------------------------------

-- The parser of all, and the subcommands by name.
local function make_parser()
  local parser = arguments.parser("luatensor", "Tensors for Lua: what this machine can do, measured.")
  parser:flag("--version", "the version"):action(function() arguments.show(require("luatensor")._VERSION) end)
  parser:flag("-i", "a Lua prompt with lt, nn, optim and data"):action(function() arguments.fail("-i stands first") end)
  parser:command_target("command")
  parser:epilog("luatensor <command> --help says more, with an example.")
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

-- "expriment" is likely to be "experiment".
local function check_name(argv, commands)
  local name = argv[1]
  if not name or name:find("^%-") or commands[name] then return end
  local nearest = require("luatensor.core").nearest(commands, name)
  arguments.fail("unknown command: %s%s", name, nearest and ("; did you mean %s?"):format(nearest) or "")
end

--- Makes a function that reads a command line: from arguments to options and the subcommand. Wrong usage is an error,
-- as luatensor.cli.arguments has it.
function cli.reader()
  local parser, commands = make_parser()
  return function(argv)
    check_name(argv, commands)
    local options = arguments.parse(parser, argv)
    return options, commands[options.command]
  end
end

-- ---- output -------------------------------------------------------------------------------------

-- What cannot be written, a full disk say, is no success.
local function check(ok, problem)
  if not ok then error("standard output: " .. problem, 0) end
end

local function write(text)
  progress.clear()
  check(io.stdout:write(text))
  check(io.stdout:flush())
end

-- What is printed, by experiments say, takes the same way.
local function print_checked(...)
  local words = table.pack(...)
  for i = 1, words.n do words[i] = tostring(words[i]) end
  write(table.concat(words, "\t") .. "\n")
end

-- true: where it went, it need not be shown.
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

-- Saved before it is shown: a reader that goes away must not cost the figures, nor a file that cannot be written.
local function deliver(command, result, options)
  if not result then return end
  local saved, kept = pcall(save, command, result, options)
  local shown = command.prints or options.json == "-" or saved and kept
  if not shown then write(tostring(result) .. "\n") end
  if not saved then error(kept, 0) end
end

-- ---- the end ------------------------------------------------------------------------------------

-- The message in a line, without the command's own place: only a bug of the library has a file and a line.
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

-- Ctrl-C: what was measured so far is saved and shown.
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
