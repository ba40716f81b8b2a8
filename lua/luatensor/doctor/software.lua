--- The stage of `luatensor doctor` that looks for the device, and lists the versions of the software.

local lt = require "luatensor"
local core = require "luatensor.core"
local cures = require "luatensor.cli.cures"
local engines = require "luatensor.distributed.engines"
local identity = require "luatensor.bench.machine.identity"

local software = {}

-- Reasons of machines that have no GPU. Other reasons mean that a GPU or its software does not work.
local NONE <const> = {
  "no NVIDIA driver on this machine", "no AMD driver on this machine", "finds no device on this machine",
  "no ROCm%-capable device", "hipErrorNoDevice", "this machine has no TPU",
}

local function is_about_no_gpu(reason)
  for _, pattern in ipairs(NONE) do
    if reason:find(pattern) then return true end
  end
  return false
end

-- Returns the first of the reasons "cuda: …; rocm: …" that tells of software that does not work, or nil.
local function broken_software(reasons)
  for part in (reasons .. "; "):gmatch "(.-); %f[%l\0]" do
    if part ~= "" and not is_about_no_gpu(part) then return part end
  end
end

local function unusable(reason)
  return ("the device cannot be used: %s; what to do: %s"):format(reason, cures.find(reason))
end

-- Returns the name of the device to test; or nil and the reason. `wanted` is the name that the user gave, or nil.
local function choose(wanted)
  if wanted then
    local ok, found = pcall(lt.device, wanted)
    if ok then return found end
    return nil, found:find "^[%w_]+ not found: " and unusable(found) or found
  end
  local missing, reasons = core.no_accelerator()
  if not missing then return lt.accelerator() end
  local broken = broken_software(reasons)
  if broken then return nil, unusable(broken) end
  return core.host_device, missing
end

local function info_of(device)
  for _, info in ipairs(lt.devices()) do
    if info.device == device then return info end
  end
end

-- Returns the engines that connect several processes, or why there is none.
local function connections()
  local found, missing = engines.lines()
  return table.concat(#found > 0 and found or missing, "; ")
end

--- Chooses the device, and computes on it. Sends the description of the machine, the device, and why there is no GPU.
function software.versions(r)
  r:send{doing = "looking for the device"}                -- the driver may crash or hang
  local device, why = choose(r.device)
  r:send{machine = identity()}
  if not device then return r:send{problem = why} end
  local info = info_of(device)
  r:send{device = device, name = info.name, emulated = info.emulated, without = why,
    about = ("%s; %s"):format(info.software or lt.config(), connections())}
  r:check("computing 1 + 1", function()
    local found = lt.ones(1, {device = device}):add(1):item()
    return found == 2 or ("1 + 1 is %s"):format(found)
  end)
end

--- Returns the entry of lt.devices for a device.
software.info_of = info_of

return software
