--- Compiles Lua code from the command line: expressions in which `lt` is luatensor.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"

local code = {}

--- The metatable of the code's environment. An unknown name is an error, because on the command line it is a typing
-- error.
local globals = {
  __index = function(_, name)
    local value = _G[name]
    if value == nil then error(("%s is nothing here"):format(name), 2) end
    return value
  end,
}

--- Makes the environment of the code. The environment contains Lua's global names, `lt`, and the variables that the
-- code assigns.
-- @treturn table
function code.environment() return setmetatable({lt = lt}, globals) end

--- Compiles a text as an expression, or as statements if the text is not a complete expression.
-- @string text
-- @tab environment
-- @string[opt] names of the function's arguments: "x, y"
-- @treturn function
-- @raise wrong usage, if the text is not valid Lua
function code.compile(text, environment, names)
  if not text:find("%S") then arguments.fail("%q is no code", text) end
  local head = names and ("local %s = ...; "):format(names) or ""
  local f, problem = load(("%sreturn %s"):format(head, text), "=" .. text, "t", environment)
  if not f then
    local other
    f, other = load(head .. text, "=" .. text, "t", environment)
    -- the text begins with a complete expression and goes on, so its author meant statements: report the error of
    -- the statements
    if problem:find("<eof> expected", 1, true) then problem = other end
  end
  if not f then arguments.fail("%s: not Lua: %s", text, (problem:gsub("^.-:%d+: ", ""))) end
  return f
end

-- ---- work of growing size -----------------------------------------------------------------------

--- Adds the options --inputs, --first and --last of commands that time work at several sizes.
-- @tab parser
-- @int first the default of --first
-- @int last the default of --last
function code.add_options(parser, first, last)
  arguments.add_all(parser, {
    {name = "inputs", kind = "text", help = "Lua code that makes the inputs of size n (lt.rand(n, n), lt.rand(n, n))"},
    {name = "first", kind = "count", help = ("the smallest size (%d)"):format(first)},
    {name = "last", kind = "count", help = ("the largest size (%d)"):format(last)},
  })
end

--- Returns the list of sizes from --first to --last. `first` and `last` are the defaults of these options.
function code.sizes(options, first, last)
  first, last = options.first or first, options.last or math.max(options.first or 0, last)
  if last < first then arguments.fail("--last %d is less than --first %d", last, first) end
  return lt.bench.sizes(first, last)
end

--- Compiles the work and its inputs to functions. Both can use the name `n`.
-- @string text an expression of x, y, z
-- @string[opt] inputs an expression of n
-- @treturn function the work, a function of x, y, z
-- @treturn function the inputs: takes n, and returns x, y, z
function code.work(text, inputs)
  local environment = code.environment()
  local of_size = code.compile(inputs or "lt.rand(n, n), lt.rand(n, n)", environment, "n")
  return code.compile(text, environment, "x, y, z"), function(n)
    environment.n = n
    return of_size(n)
  end
end

-- ---- setup --------------------------------------------------------------------------------------

--- Runs the code of option --setup in the environment. `text` is nil if the option is not given.
function code.run(text, environment)
  if text then code.compile(text, environment)() end
end

return code
