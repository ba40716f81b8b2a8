--- The command `luatensor bench`: times Lua expressions, Lua files or a built-in suite.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"
local code = require "luatensor.cli.code"
local progress = require "luatensor.bench.progress"

local bench = {
  summary = "times Lua expressions, several in turn, or a built-in suite",
  description = "Times one Lua expression, or times several in turn (A B A B) and compares them if their results " ..
    "agree. In an expression, lt is luatensor, and the code of --setup makes its variables. A file that ends in " ..
    ".lua returns a function, or a list of {\"name\", function}. Without code, a built-in suite of small and large " ..
    "sizes runs on every device, and its rates are shown as shares of this machine's limits. With --distributed, " ..
    "the processes that mpirun started measure their communication, and predict the speed on more hosts.",
  example = "luatensor bench --setup 'x = lt.rand(1000, 1000)' 'x:sum()' 'x:sum(1):sum()'",
}

function bench.define(parser)
  parser:argument("code", "Lua expressions or Lua files to time"):argname("<code>"):args("*")
  arguments.add_all(parser, {
    {name = "setup", kind = "text", help = "Lua code to run first, such as 'x = lt.rand(1000)'"},
    {name = "only", kind = "text", help = "runs only the functions of the suite with this text in their names"},
    {name = "device", kind = "device", help = "the default device of the code, or the only device of the suite"},
    {name = "distributed", kind = "flag", help = "measures the communication of the processes that mpirun started"},
    {name = "largest", kind = "bytes", help = "size of the largest message of --distributed (16M)"},
    "latency", "bandwidth",
    "dtype", "threads", "seconds", "json",
  })
end

-- Runs a Lua file, and returns its entries for bench.compare. The file returns one function, or a list of {name,
-- function}.
local function entries_of_file(path, environment)
  local chunk, problem = loadfile(path, "t", environment)
  if not chunk then error(problem, 0) end
  local value = chunk()
  if type(value) == "function" then return {{path, value}} end
  if type(value) == "table" and #value > 0 then return value end
  error(("%s: it has to return a function, or a list of {\"name\", function}"):format(path), 0)
end

local function entries_of(words, environment)
  local entries = {}
  for _, text in ipairs(words) do
    local more = text:find("%.lua$") and entries_of_file(text, environment) or {{text, code.compile(text, environment)}}
    table.move(more, 1, #more, #entries + 1, entries)
  end
  return entries
end

local function measure(entries, settings)
  if #entries > 1 then
    local compared, failed = lt.bench.compare(entries, settings), 0
    for _, entry in ipairs(compared.entries) do failed = entry.error and 1 or failed end
    return compared, failed
  end
  settings.name = entries[1][1]
  local task <close> = progress.task("bench", 1)
  task:step(settings.name)
  return lt.bench.time(entries[1][2], settings)
end

-- Measures the processes that run this command. The process of rank 0 alone returns a result.
local function measure_processes(options)
  if #options.code > 0 then arguments.fail("--distributed takes no code") end
  local distributed = require "luatensor.bench.distributed"
  if options.largest and options.largest < distributed.LEAST then
    arguments.fail("--largest takes at least %dK, not %d bytes", distributed.LEAST >> 10, options.largest)
  end
  if options.bandwidth == 0 then arguments.fail("--bandwidth takes at least 1 byte a second, not 0") end
  if options.device then lt.set_default_device(options.device) end
  return distributed.run{largest = options.largest, latency = options.latency, bandwidth = options.bandwidth}
end

function bench.run(options)
  if options.distributed then return measure_processes(options) end
  for _, name in ipairs{"largest", "latency", "bandwidth"} do
    if options[name] then arguments.fail("--%s is of --distributed", name) end
  end
  if #options.code == 0 then
    if options.setup then arguments.fail("--setup needs code that uses it") end
    return require("luatensor.bench.suite").run{
      device = options.device, dtype = options.dtype, seconds = options.seconds, only = options.only,
    }
  end
  if options.only then arguments.fail("--only is of the suite: without code") end
  if options.device then lt.set_default_device(options.device) end
  local environment = code.environment()
  local entries = entries_of(options.code, environment)
  code.run(options.setup, environment)
  return measure(entries, {seconds = options.seconds})
end

return bench
