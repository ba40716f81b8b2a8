--- The command `luatensor run`: runs a script, as one process of a distributed job if a launcher has started several.

local core = require "luatensor.core"
local interrupt = require "luatensor.bench.interrupt"

local run = {
  summary = "runs a script, on many processes under mpirun",
  description = "Runs a Lua script with luatensor. Under mpirun or srun, each process runs the script, which " ..
    "connects the processes by luatensor.distributed. If the script fails in one process, the command prints the " ..
    "rank and the error, and ends all processes.",
  example = "mpirun -n 4 luatensor run train.lua --epochs 3",
  prints = true,
}

function run.define(parser)
  parser:argument("script", "the script"):argname "<script>"
  parser:argument("arguments", "arguments of the script"):args "*":argname "<argument>"
  parser:flag("-q --quiet", "only the process of rank 0 prints")
end

--- Reads a command line that begins with "run". Words after the script are the script's own, even if they look like
-- options of the command. Returns nil if there is no script.
function run.read(argv)
  local quiet = argv[2] == "-q" or argv[2] == "--quiet"
  local at = quiet and 3 or 2
  if argv[1] ~= "run" or not argv[at] or argv[at]:find "^%-" then return nil end
  return {command = "run", quiet = quiet, script = argv[at], arguments = table.move(argv, at + 1, #argv, 1, {})}
end

-- Seconds in which a launcher passes on the output of a process, before the process ends the job.
local PASS_ON <const> = 0.1

-- Returns the distributed functions if several processes run, else nil. If the processes cannot be connected, `fail`
-- reports the error of the script, which has the reason.
local function job()
  local distributed = package.loaded["luatensor.distributed"]
  if not distributed then return nil end
  local connected, size = pcall(distributed.size)
  return connected and size > 1 and distributed
end

-- Raises an error, or for one of several processes prints it and ends the others. Then returns the exit code.
local function fail(problem)
  local distributed = job()
  if not distributed then error(problem, 0) end
  io.stdout:flush()
  io.stderr:write(("luatensor: rank %d: %s\n"):format(distributed.rank(), problem))
  core.sleep(PASS_ON)
  local code = interrupt.is(problem) and 130 or 1
  core.distributed_abort(code)
  return code
end

--- Runs the script. The second result is the exit code after an error in one of several processes.
function run.run(options)
  local chunk, problem = loadfile(options.script)
  if not chunk then error(problem, 0) end
  local words = options.arguments
  rawset(_G, "arg", table.move(words, 1, #words, 1, {[0] = options.script}))
  if options.quiet and require("luatensor.distributed").rank() > 0 then rawset(_G, "print", function() end) end
  local function trace(e) return type(e) == "string" and debug.traceback(e, 2) or e end
  local ok, wrong = xpcall(chunk, trace, table.unpack(words))
  if not ok then return nil, fail(wrong) end
end

return run
