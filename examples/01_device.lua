-- Looks for a GPU, as the notebook (docs/notebook.md) does. Shows a table of this machine's devices and of the devices
-- that the notebook cites, then the best accelerator, or "GPU not found: <reason>".

local lt = require "luatensor"
local experiment = require "luatensor.experiment"
local notebook = require "luatensor.experiment.notebook"
local public_figures = require "luatensor.bench.public_figures"

local run <close> = experiment.start({...}, {
  name = "01_device", title = "The devices", claims = {7, 11},
  question = "Is there a GPU?", options = {},
})

local rows = {}
for i, info in ipairs(lt.devices()) do
  rows[i] = {experiment.name_of(info.device), info.name, info.cores or false, info.isa or false, info.memory or false}
end
local cited = {}
for i, id in ipairs(notebook.claims[7].cited) do
  local published = public_figures.find(id)
  cited[i] = published.name
  local memory = published.kind == "gpu" and published.memory       -- the memory of a CPU depends on the computer
  rows[#rows + 1] = {"cited", published.name, published.cores, "", memory}
end
run:table{
  columns = {
    {name = "device", unit = "text"}, {name = "name", unit = "text"}, {name = "cores, multiprocessors", unit = "count"},
    {name = "instructions, capability", unit = "text"}, {name = "memory", unit = "B"},
  },
  rows = rows,
}

run:text("Cited by the notebook for their cores: {names}. It ran on neither, but on an Apple laptop and its GPU.",
  {names = {table.concat(cited, ", "), "text"}})

local found, accelerator = pcall(lt.accelerator)       -- if there is none, the second result is "GPU not found: …"
if found then
  run:text("Found: {device}", {device = {experiment.name_of(accelerator), "text"}})
else
  run:note("{reason}", {reason = {accelerator, "text"}})
end
return run:finish()
