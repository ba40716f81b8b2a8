-- Runs every experiment at full size and ends with the notebook's figures beside this machine's.
-- `make demo` calls it.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"
local experiment = require "luatensor.experiment"
local interrupt = require "luatensor.bench.interrupt"

local options = arguments.read({...}, "Every experiment, and the notebook's figures beside this machine's.", {
  {"iterations", 100}, {"rows", 7000}, {"cols", 3000}, "threads",
})
local iterations, threads = tostring(options.iterations), tostring(options.threads)

-- Arguments, and after them the size of the large matrices.
local function large(...)
  local list = {...}
  table.move({"--rows", tostring(options.rows), "--cols", tostring(options.cols)}, 1, 4, #list + 1, list)
  return table.unpack(list)
end

-- Runs an experiment with the given arguments; its seconds, where it has some.
local function run(name, ...)
  print("\n== " .. table.concat({name, ...}, " "))
  local ok, result = pcall(experiment.run, name, {...})
  if not ok then
    if interrupt.is(result) then error(result, 0) end
    print(result)
  end
  return ok and result and result.values.seconds and result.values.seconds.value
end

run("01_device")
local accelerator = lt.cuda.is_available() and lt.accelerator() or nil
local devices, seconds = {"cpu", accelerator}, {}
for _, device in ipairs(devices) do
  seconds[device] = {
    large = run("02_large", large("--device", device, "--iterations", iterations)),
    small = run("03_small", "--device", device, "--iterations", iterations),
  }
end
run("04_cores", large("--threads", threads))
for _, device in ipairs(devices) do run("05_memory", large("--device", device)) end
run("06_transfer", large())
run("07_crossover", "--most", tostring(math.min(4096, options.rows)))

-- The notebook's seconds for 100 iterations: docs/notebook.md, claims 12 and 13.
local notebook = {
  {"7000 × 3000", "large", gpu = 33.03, cpu = 53.21},
  {"70 × 30", "small", gpu = 0.0965, cpu = 0.00588},
}

local function show(value) return value and ("%.4g s"):format(value) or "-" end

-- Fewer iterations than the notebook's are no figures to compare: the column says how many.
local here = options.iterations == 100 and "" or (" (× %d)"):format(options.iterations)
local head = {"matrices", "notebook, CPU", "notebook, GPU", "CPU here" .. here}
if accelerator then head[#head + 1] = accelerator .. " here" .. here end
local lines = {head}
for _, row in ipairs(notebook) do
  local name, key = row[1], row[2]
  local line = {name, show(row.cpu), show(row.gpu), show(seconds.cpu[key])}
  if accelerator then line[#line + 1] = show(seconds[accelerator][key]) end
  lines[#lines + 1] = line
end

print("\n== The notebook's figures (100 iterations, PyTorch on an Apple laptop) beside this machine's")
print(("here: %s × {two random matrices, x @ y.T, sum}"):format(iterations))
if options.rows ~= 7000 or options.cols ~= 3000 then
  print(("the large ones here are %d × %d: not the notebook's loop"):format(options.rows, options.cols))
end
for _, device in ipairs(devices) do print(experiment.describe(device)) end
experiment.print_table(lines)
experiment.print_caveats(devices[#devices])
