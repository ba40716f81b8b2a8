-- Runs every experiment at full size, on the CPU and, if there is one, on the accelerator. At the end, prints the
-- figures of the notebook (docs/notebook.md) beside the figures of this machine. `make demo` calls this script;
-- DEMO="--iterations 2" makes the run short.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"
local experiment = require "luatensor.experiment"
local document = require "luatensor.page.document"
local interrupt = require "luatensor.bench.interrupt"
local notebook = require "luatensor.experiment.notebook"
local terminal = require "luatensor.page.terminal"

local options = arguments.read({...}, "Every experiment, and the notebook's figures beside this machine's.", {
  {"iterations", 100}, {"rows", 7000}, {"cols", 3000}, {"seconds", 0.2}, "threads",
})
local threads = ("--threads %d"):format(options.threads)
local loop = ("--iterations %d %s"):format(options.iterations, threads)
local large = ("--rows %d --cols %d"):format(options.rows, options.cols)
-- at most 3 rounds for each measurement, fewer if there are fewer iterations
local seconds = ("--seconds %g %s"):format(options.seconds, threads)
local rounds = ("--rounds %d %s %s"):format(math.min(3, options.iterations), large, seconds)

-- Runs an experiment. An error is printed, and the next experiments still run.
local function run(name, line)
  local words = {}
  for word in line:gmatch("%S+") do words[#words + 1] = word end
  print("\n== " .. table.concat({name, table.unpack(words)}, " "))
  local ok, result = pcall(experiment.run, name, words)
  if ok then return result end
  if interrupt.is(result) then error(result, 0) end
  print(terminal.block(document.note("{problem}", {problem = {tostring(result), "text"}})))
end

local found, accelerator = pcall(lt.accelerator)
accelerator = found and accelerator or nil
local devices, results = {"cpu", accelerator}, {}
local function on_each(name, line)
  local made = {}
  for _, device in ipairs(devices) do made[#made + 1] = run(name, ("--device %s %s"):format(device, line)) end
  return made
end

run("01_device", "")
results.large = on_each("02_large", ("%s %s"):format(large, loop))
results.small = on_each("03_small", loop)
run("04_cores", rounds)                          -- 04, 06, 07 and 09 measure the CPU and the GPU in one run
on_each("05_memory", rounds)
run("06_transfer", rounds)
run("07_crossover", ("--most %d %s"):format(math.min(4096, options.rows), seconds))
on_each("08_training", ("--epochs %d --seeds %d --images %d %s"):format(math.min(40, options.iterations),
  math.min(5, options.iterations), math.max(60, math.min(1797, options.rows)), threads))
run("09_speedup", ("--most %d --batch %d %s"):format(math.min(1024, options.rows), math.min(2048, options.rows),
  seconds))
on_each("10_transformer", ("--steps %d --width %d --times %d %s"):format(15 * options.iterations,
  math.min(128, 8 * (options.cols // 8) + 8), math.min(64, options.rows), threads))

print("\n== The notebook's figures beside this machine's")
local blocks = {}
for claim, made in pairs{[12] = results.large, [13] = results.small} do
  blocks[claim - 11] = notebook.beside(claim, made) or document.note("Claim {claim}: not the notebook's loop, or on an "
    .. "emulated device only: nothing compares.", {claim = {claim, "count"}})
end
print(terminal.page(blocks))
