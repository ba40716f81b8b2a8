-- The notebook's check: is there a GPU? Prints this machine's devices, then the best accelerator,
-- or "GPU not found: <reason>".

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local options = experiment.options({...}, "Prints this machine's devices and its best accelerator.", {
  {"device", kind = "device", help = "the one to look for (default: the best accelerator)"},
})

for _, info in ipairs(lt.devices()) do
  print(experiment.describe(info.device))
end

local found, reason = lt.cuda.is_available()
local device = options.device or (found and lt.accelerator()) or nil
print(device or "GPU not found: " .. reason)
return device
