--- The command `luatensor info`: lists the devices and libraries, and says why a GPU is not used.

local lt = require "luatensor"
local core = require "luatensor.core"
local cures = require "luatensor.cli.cures"
local document = require "luatensor.page.document"
local engines = require "luatensor.distributed.engines"
local format = require "luatensor.page.format"
local interrupt = require "luatensor.bench.interrupt"
local machine = require "luatensor.bench.machine"
local notes = require "luatensor.bench.notes"
local terminal = require "luatensor.page.terminal"

local info = {
  summary = "lists devices and libraries, and says why a GPU is not used",
  description = "Lists what luatensor finds on this machine: devices, libraries, versions, threads, engines that " ..
    "connect several processes, and the folder of compiled kernels and measured limits. If no GPU can be used, the " ..
    "command says why and what to do.",
  example = "luatensor info",
}

function info.define() end

local function devices()
  local rows = {}
  for i, device in ipairs(lt.devices()) do
    rows[i] = {format.device(device), device.name, device.cores or false, device.isa or false, device.memory or false}
  end
  return document.table{
    columns = {{name = "device", unit = "text"}, {name = "name", unit = "text"}, {name = "cores", unit = "count"},
      {name = "kernels", unit = "text"}, {name = "memory", unit = "B"}},
    rows = rows,
  }
end

-- Returns the set of the kinds of emulated devices: {cuda = true}.
local function emulated_kinds()
  local kinds = {}
  for _, device in ipairs(lt.devices()) do
    if device.emulated then kinds[device.device:match "^%a+"] = true end
  end
  return kinds
end

-- Calls add(line) for the versions, each computing library, the number of threads, and the folder of stored files.
local function facts(add)
  local emulated = emulated_kinds()
  add(("%s, %s"):format(lt._VERSION, _VERSION))
  for part in (lt.config() .. "; "):gmatch("(.-); ") do
    add(format.marked(part, emulated[part:match "^(%a+):"]))
  end
  add(("threads: %d of the CPU (--threads of the commands, OMP_NUM_THREADS)"):format(lt.get_num_threads()))
  local folder, problem = core.cache_folder()
  add("kept from run to run (compiled kernels, measured limits): " .. (folder or "nothing: " .. problem))
end

-- Returns a text with the stored limits of a device. If no limits are stored, the text says that they are not
-- measured yet.
local function limits(device)
  local read, entry = pcall(machine.known, device)
  local name = {device, "text"}
  if not (read and entry and entry.read and entry.copy and entry.products[1]) then
    return document.text("{device}: its limits are not measured yet; luatensor bench does.", {device = name})
  end
  local product = entry.products[1]
  return document.text("{device}, measured limits: reads {read}, copies {copy} (bytes read and written), products "
    .. "of {dtype} {flops}.", {device = name, read = {entry.read, "B/s"}, copy = {entry.copy, "B/s"},
    dtype = {product.dtype, "text"}, flops = {product.flops, "FLOP/s"}})
end

-- Groups of functions, each with a test that calls one function of the group. On a GPU, each group needs a different
-- CUDA library, so one group can fail while the other groups work.
local trials = {
  {"element-wise functions", function(x) return x + x end},
  {"matrix products", function(x) return x:matmul(x) end},
  {"lt.fft", function(x) return lt.fft.fft(x) end},
  {"lt.linalg", function(x) return lt.linalg.inv(x) end},
}

-- Returns how many calls the CPU has computed for a device that lacks kernels.
local function host_calls(device)
  local sum = 0
  for _, calls in pairs(core.host_calls(device)) do sum = sum + calls end
  return sum
end

local function try_out(device, add)
  local x = lt.eye(2, {device = device})
  for _, trial in ipairs(trials) do
    local before = host_calls(device)
    local ok, problem = pcall(function() return trial[2](x):totable() end)
    if interrupt.is(problem) then error(problem, 0) end
    local works = host_calls(device) == before and "work" or "work: the CPU computes them"
    add(("  %s: %s"):format(trial[1], ok and works or problem:gsub("\n.*", ""):gsub("^%S+:%d+: ", "")))
  end
end

-- Calls add(line) for each engine that connects several processes, and for what to do if there is none.
local function connections(add)
  local found, missing = engines.lines()
  for _, line in ipairs(found) do add(line) end
  for _, line in ipairs(missing) do add(line) end
  if #found == 0 then add("  what to do, to use several processes: " .. engines.CURE) end
end

local function accelerators(add)
  local missing, unused = core.no_accelerator()
  if missing then
    add(missing)
    add("  what to do: " .. cures.find(missing))
  end
  for _, device in ipairs(lt.devices()) do
    if device.kind == "gpu" or device.kind == "pjrt" then
      add(("%s is used where scripts say so: {device = %q}"):format(format.device(device), device.device))
      if device.emulated then add("  " .. notes.EMULATOR) end
      try_out(device.device, add)
    end
  end
  if not missing and unused ~= "" then add("Not used: " .. unused) end
end

function info.run()
  local lines = {}
  local function add(line) lines[#lines + 1] = line end
  facts(add)
  add("\n" .. terminal.page{devices()} .. "\n")
  for _, device in ipairs(lt.devices()) do
    if not device.emulated then add(terminal.page{limits(device.device)}) end
  end
  accelerators(add)
  connections(add)
  print(table.concat(lines, "\n"))
end

return info
