--- Tests a device and its software for `luatensor doctor`. This process never uses the device, which may crash or hang:
-- each stage runs in a child process with a time limit. The result is written to the file after each stage.

require "luatensor.base.outside".check_measuring "luatensor.doctor"
local core = require "luatensor.core"
local files = require "luatensor.bench.files"
local interrupt = require "luatensor.bench.interrupt"
local page = require "luatensor.doctor.page"
local process = require "luatensor.doctor.process"
local progress = require "luatensor.bench.progress"
local result = require "luatensor.bench.result"
local row = require "luatensor.doctor.row"
local stages = require "luatensor.doctor.stages"

local doctor = {}

-- A child is killed if it takes three times its share of the time, but not before PATIENCE seconds: starting a driver
-- and compiling a kernel may take seconds on a slow machine. An emulated GPU compiles each kernel by gcc.
local PATIENCE <const>, EMULATED <const>, TIMES <const> = 20, 120, 3

-- Saves the result so far. The file is replaced as a whole, so that it is readable at every moment.
local function save(run, incomplete)
  local made = page.new{
    device = run.device, name = run.name, emulated = run.emulated, without = run.without, seconds = run.seconds,
    stages = run.stages, machine = run.machine, incomplete = incomplete,
  }
  local ok, problem = files.write(run.path, result.encode(made))
  if not ok then error(problem, 0) end
  return made
end

-- Reads the messages of the first stage, which is about the whole run.
local function note(run, message)
  run.machine = message.machine or run.machine
  if message.device then
    run.device, run.name, run.emulated, run.without = message.device, message.name, message.emulated, message.without
  end
end

-- Runs a stage, and adds its row. Returns true after Ctrl-C.
local function run_stage(run, stage, seconds)
  local this, start = row.new(stage), core.clock()
  local device, patience = run.device or run.wanted or "", run.emulated and EMULATED or PATIENCE
  local ok, ended, output = pcall(process.run, stage, seconds, math.max(patience, TIMES * seconds), device,
    function(message)
      note(run, message)
      this:take(message)
    end)
  local stopped = not ok and interrupt.is(ended)
  if not ok and not stopped then error(ended, 0) end
  this:finish(core.clock() - start, stopped and "interrupted by Ctrl-C" or ended, output)
  run.stages[#run.stages + 1] = setmetatable(this, nil)
  return stopped
end

-- Returns the seconds of a stage: its share of the time that is left, by the weights of the stages from i on.
local function share_of(run, list, i)
  local weights = 0
  for k = i, #list do weights = weights + list[k].weight end
  return math.max(0.1, (run.stop - core.clock()) * list[i].weight / weights)
end

-- Runs the list of stages. Returns the reason if the run ended early.
local function run_all(run, list)
  local task <close> = progress.task("doctor", #list, {seconds = run.seconds, lines = true})
  for i, stage in ipairs(list) do
    task:step(stage.title)
    local seconds = share_of(run, list, i)
    local stopped = run_stage(run, stage, seconds)
    local incomplete = i < #list and ("%d of %d stages were run"):format(i, #list) or nil
    if stopped then return ("interrupted by Ctrl-C in stage %d of %d, %s"):format(i, #list, stage.title) end
    if not run.device then return "no device" end
    save(run, incomplete)
  end
end

--- Runs the stages.
-- @tab options `device` (the best accelerator, or the CPU), `path` of the file, `seconds`, `stages` (names; {}: all)
-- @treturn table a result of kind "doctor"
function doctor.run(options)
  local run = {
    wanted = options.device, path = options.path, seconds = options.seconds, stop = core.clock() + options.seconds,
    stages = {}, machine = {devices = {}},
  }
  local list = stages.select(options.stages)
  if list[1] ~= stages.list[1] then table.insert(list, 1, stages.list[1]) end
  return save(run, run_all(run, list))
end

return doctor
