-- The notebook's check: is there a GPU? Prints this machine's devices, then the best accelerator,
-- or raises "GPU not found: <reason>".

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local options = experiment.options({...}, "Prints this machine's devices and its best accelerator.", {
  {"device", kind = "device", help = "the one to look for (default: the best accelerator)"},
})

for _, info in ipairs(lt.devices()) do
  print(experiment.describe(info.device))
end

local device = options.device or lt.accelerator()
print(device)
return device
