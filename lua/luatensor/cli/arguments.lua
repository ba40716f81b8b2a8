--- Reads command-line options, for scripts and for the command `luatensor`. The module defines the kinds of option
-- values, with their checks and error texts. The module argparse splits the command line. A script needs one call:
--
--     local arguments = require "luatensor.cli.arguments"
--     local options = arguments.read({...}, "What the script does.", {"device", {"rows", 7000}, "threads"})
--
-- The command builds its parsers from the same rows, with `add`.
-- @module luatensor.cli.arguments

local lt = require "luatensor"
local cures = require "luatensor.cli.cures"
local files = require "luatensor.bench.files"
local interrupt = require "luatensor.bench.interrupt"
local core = require "luatensor.core"

local arguments = {}

-- ---- wrong usage --------------------------------------------------------------------------------

local mistake = {__tostring = function(self) return self.text end}
local shown = {__tostring = function(self) return self.text end}

--- Raises an error for wrong usage. The text becomes one line on the standard error, and the process ends with exit
-- code 2.
-- @string message for string.format
function arguments.fail(message, ...)
  error(setmetatable({text = message:format(...)}, mistake), 0)
end

--- True if this error value reports wrong usage.
function arguments.is_mistake(problem) return getmetatable(problem) == mistake end

--- Raises a text, such as the text of --help or --version, as an error. The text is printed, and the process ends
-- successfully.
-- @string text
function arguments.show(text) error(setmetatable({text = text}, shown), 0) end

--- True if this error value is a text from `show`.
function arguments.is_shown(problem) return getmetatable(problem) == shown end

--- If true, wrong usage and --help raise errors instead of ending the process. The command `luatensor` sets this
-- field and catches these errors.
arguments.raising = false

--- The name of the script in --help, if it differs from the file's name.
arguments.program = nil

-- ---- kinds --------------------------------------------------------------------------------------

-- Checks that the output file can be written, before the command measures for minutes.
local function output(path)
  if path == "" then return nil, "takes the name of a file" end
  local checked, problem = files.check(path)
  if not checked then error(problem, 0) end
  return path
end

--- The kinds of option values. Each function converts an option's text to a value. For invalid text, the function
-- returns nil and the error text.
arguments.kinds = {
  count = function(text)
    local n = math.tointeger(tonumber(text))
    if n and n >= 1 then return n end
    return nil, ("takes a whole number from 1 on, not %q"):format(text)
  end,
  bytes = function(text)
    local number, unit = text:match "^(%d+%.?%d*)([KMGT]?)$"
    local bytes = number and math.tointeger(tonumber(number) * 1024 ^ ("KMGT"):find(unit, 1, true) // 1)
    if unit == "" then bytes = math.tointeger(tonumber(number)) end
    if bytes then return bytes end
    return nil, ("takes a number of bytes, with K, M, G or T behind it: 512M, 1.5G, not %q"):format(text)
  end,
  threads = function(text)
    local n = math.tointeger(tonumber(text))
    if n and pcall(lt.set_num_threads, n) then return n end
    return nil, ("takes a whole number from 1 to 1024, not %q"):format(text)
  end,
  seconds = function(text)
    local n = tonumber(text)
    if n and n > 0 and n <= 86400 then return n + 0.0 end
    return nil, ("takes seconds, more than 0, not %q"):format(text)
  end,
  device = function(text)
    local ok, device = pcall(lt.device, text)
    if ok then return device end
    local reason = device:match("^[%w_]+ not found: (.*)")
    if reason then error(("%s; what to do: %s"):format(device, cures.find(reason)), 0) end
    return nil, ("%s: %s"):format(text, device)
  end,
  dtype = function(text)
    if pcall(lt.finfo, text) then return text end
    return nil, ("takes a floating-point dtype such as float32, not %q"):format(text)
  end,
  output = function(text) return text == "-" and text or output(text) end,
  text = function(text) return text end,
}

-- ---- options ------------------------------------------------------------------------------------

-- Returns the name of the accelerator, or of the CPU if this machine has no accelerator.
local function best_device()
  local ok, device = pcall(lt.accelerator)
  return ok and device or core.host_device
end

--- The options that many scripts share. The key is the option's name; the value has the other fields of a row for
-- `add`.
arguments.common = {
  device     = {kind = "device", help = "device of the tensors", default = best_device},
  iterations = {kind = "count", help = "number of rounds of the loop"},
  rows       = {kind = "count", help = "number of rows of each matrix"},
  cols       = {kind = "count", help = "number of columns of each matrix"},
  dtype      = {kind = "dtype", help = "dtype of the elements", default = "float32"},
  threads    = {kind = "threads", help = "number of CPU threads", default = lt.get_num_threads},
  compile    = {kind = "flag", help = "compiles the training step by lt.compile; the losses stay the same"},
  seconds    = {kind = "seconds", help = "seconds for each measurement"},
  latency    = {kind = "seconds", help = "seconds of a message between hosts, such as 2e-6"},
  bandwidth  = {kind = "bytes", help = "bytes a second between hosts, such as 12G"},
  json       = {kind = "output", help = "writes the raw figures to this file, or to the standard output for -"},
  svg        = {kind = "output", help = "writes the chart to this file"},
}

-- The placeholder in --help for a value of each kind.
local placeholders = {
  count = "<n>", bytes = "<size>", threads = "<n>", seconds = "<seconds>", device = "<device>", dtype = "<dtype>",
  output = "<file>", text = "<text>",
}

-- Returns a function that converts an option's text to its value for argparse. The error for invalid text begins with
-- the option's name.
local function converter(name, kind)
  local read = arguments.kinds[kind]
  return function(text)
    local value, wrong = read(text)
    if value == nil then arguments.fail("%s %s", name, wrong) end
    return value
  end
end

--- Adds an option `--name VALUE` to a parser.
-- @tab parser of argparse
-- @tab row name, kind (a name of `kinds`, or "flag" for an option without a value), help, default (only shown by
--   --help; the caller applies the default), short (a letter)
function arguments.add(parser, row)
  local name = "--" .. row.name
  local words = row.default ~= nil and ("%s (%s)"):format(row.help, row.default) or row.help
  local names = row.short and ("-%s %s"):format(row.short, name) or name
  if row.kind == "flag" then return parser:flag(names, words):target(row.name) end
  parser:option(names, words):target(row.name):argname(placeholders[row.kind]):convert(converter(name, row.kind))
end

--- Adds several options. Each is given as a row, or as the name of an option of `common`.
function arguments.add_all(parser, rows)
  for _, row in ipairs(rows) do
    if type(row) == "string" then
      local known = arguments.common[row]
      row = {name = row, kind = known.kind, help = known.help}
    end
    arguments.add(parser, row)
  end
end

-- ---- parsers ------------------------------------------------------------------------------------

-- Patterns of argparse's error texts, each with the format of the text that replaces it. The first pattern that
-- matches is used.
local phrases = {
  {"^unknown option '(%-[^-])'", "unknown option: %s"},
  {"^unknown option '(.-)'(.*)$", "unknown option: %s%s"},
  {"^unknown command '(.-)'(.*)$", "unknown command: %s%s"},
  {"^option '(.-)' requires an argument$", "%s needs a value"},
  {"^option '(.-)' requires at least 1 argument$", "%s needs a value"},
  {"^option '(.-)' does not take arguments$", "%s takes no value"},
  {"^argument for option '(.-)' must be one of (.*)$", "%s takes one of %s"},
  {"^missing argument '(.-)'$", "missing: %s"},
  {"^a command is required$", "a command is needed"},
}

local function without_quotes(names) return (names:gsub("' ?,? ?'", ", "):gsub("'", "")) end

local function reworded(text)
  text = text:gsub("\nDid you mean '(.-)'%?$", "; did you mean %1?"):gsub("\nDid you mean one of these: (.*)%?$",
    function(names) return "; did you mean one of " .. without_quotes(names) .. "?" end)
  for _, pair in ipairs(phrases) do
    local first, second = text:match(pair[1])
    if first then return pair[2]:format(first, without_quotes(second or "")) end
  end
  return text
end

-- Adds the option --help, which raises the help text as an error. The code that catches the error prints the text.
local function add_help(parser)
  parser:add_help(false)
  parser:flag("-h --help", "prints this text"):action(function() arguments.show(parser:get_help()) end)
end

--- Makes a parser of argparse with our settings, or adds a command with these settings to a parser.
-- @string name of the script or command
-- @string description
-- @tab[opt] parent a parser, to which the command is added
-- @treturn table
function arguments.parser(name, description, parent)
  local found, argparse = pcall(require, "argparse")
  if not found then
    if interrupt.is(argparse) then error(argparse, 0) end
    error("needs argparse: install the package lua-argparse (Debian, Ubuntu) or the rock argparse", 0)
  end
  local parser = parent and parent:command(name, description) or argparse(name, description)
  parser:help_max_width(100):help_description_margin(28)
  add_help(parser)
  return parser
end

--- Refuses positional arguments that the parser does not define.
-- @tab parser
-- @string[opt] message the text of the error, in which the surplus argument replaces %s
function arguments.no_more(parser, message)
  parser:argument("surplus"):args("*"):hidden(true):convert(function(text)
    arguments.fail(message or "one argument too many: %s", text)
  end)
end

--- Parses the arguments of a command line. Wrong usage and --help raise errors, which `is_mistake` and `is_shown`
-- recognise.
-- @tab parser
-- @tab argv
-- @treturn table values by name
function arguments.parse(parser, argv)
  function parser.error(_, text) arguments.fail("%s", reworded(text)) end
  return parser:parse(argv)
end

-- ---- scripts ------------------------------------------------------------------------------------

-- Returns the complete row of an option. `item` is a name of `common` ("rows"), a name with a default ({"rows",
-- 7000}), or a complete row.
local function complete(item)
  if type(item) == "string" then item = {item} end
  local option = {name = item[1]}
  for key, value in pairs(item.kind and item or arguments.common[option.name]) do option[key] = value end
  if item[2] ~= nil then option.default = item[2] end
  if type(option.default) == "function" then option.default = option.default() end
  return option
end

-- Calls f, and returns its result. If f raises an error and `raising` is false, ends the process: with exit code 2
-- after wrong usage, and with 0 after --help. If the error is a text, for example because a GPU is missing, the exit
-- code is 1.
local function ending(f, ...)
  local ok, value = pcall(f, ...)
  if ok then return value end
  if not arguments.raising and arguments.is_mistake(value) then
    io.stderr:write(("%s: %s (--help lists the options)\n"):format(arg and arg[0] or "script", value))
    os.exit(2, true)
  elseif not arguments.raising and arguments.is_shown(value) then
    print(value)
    os.exit(0, true)
  elseif not arguments.raising and type(value) == "string" and not interrupt.is(value) then
    io.stderr:write(("%s: %s\n"):format(arg and arg[0] or "script", value))
    os.exit(1, true)
  end
  error(value, 0)
end

--- Reads a script's options. A wrong option is reported on the standard error and ends the script with exit code 2;
-- `--help` prints the description and the options. If the command `luatensor` runs the script, the command reports
-- wrong options and prints the help.
-- @tparam table argv the script's arguments: `{...}`
-- @string description what the script does
-- @tparam table wanted the options: names of `common` ones, `{"name", default}`, or
--   `{"name", default, kind = a name of `kinds`, help = "…"}`
-- @tparam[opt] function check takes the values, and returns an error text if they do not fit together
-- @treturn table values by name; the number of CPU threads is already set to `threads`
function arguments.read(argv, description, wanted, check)
  local values = ending(function()
    local parser = arguments.parser(arguments.program or arg and arg[0] or "script", description)
    local defaults = {}
    for _, item in ipairs(wanted) do
      local option = complete(item)
      defaults[option.name] = option.default
      arguments.add(parser, option)
    end
    arguments.no_more(parser, "unknown option: %s")
    local given = arguments.parse(parser, argv)
    for key, value in pairs(defaults) do
      if given[key] == nil then given[key] = value end
    end
    given.surplus = nil
    local wrong = check and check(given)
    if wrong then arguments.fail("%s", wrong) end
    return given
  end)
  if values.threads then lt.set_num_threads(values.threads) end
  return values
end

return arguments
