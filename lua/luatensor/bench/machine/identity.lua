--- Describes the machine on which figures are measured.

local core = require "luatensor.core"
local lt = require "luatensor"
local first_line = require "luatensor.bench.first_line"

-- Returns the name of the distribution, such as "Debian GNU/Linux 12 (bookworm)", or nil if the system does not name
-- it.
local function distribution()
  local file <close> = io.open("/etc/os-release")
  return file and ("\n" .. file:read("a")):match("\nPRETTY_NAME=\"?([^\"\n]+)") or nil
end

local function system_name()
  local kind, release = first_line("/proc/sys/kernel/ostype"), first_line("/proc/sys/kernel/osrelease")
  local words = {distribution()}
  words[#words + 1] = kind and release and kind .. " " .. release
  return words[1] and table.concat(words, ", ") or nil
end

local function describe_devices()
  local devices = {}
  for i, info in ipairs(lt.devices()) do
    devices[i] = {
      device = info.device, name = info.name, kind = info.kind, cores = info.cores, isa = info.isa,
      memory = info.memory, software = info.software, emulated = info.emulated or nil,
    }
  end
  return devices
end

local fixed                      -- facts that do not change while the process runs

--- Describes the machine. Every result contains this description.
-- @treturn table devices (name, kind, cores, isa, memory, software), threads, processors (that the process may use),
--   quota (the limit of the process's processor time, as a number of processors; nil: no limit), system, config (the
--   computing libraries, with versions), luatensor, lua
return function()
  fixed = fixed or {devices = describe_devices(), system = system_name()}
  local processors, quota = core.processors()
  return {
    devices = fixed.devices, system = fixed.system, processors = processors, quota = quota,
    threads = lt.get_num_threads(), config = lt.config(), luatensor = lt._VERSION, lua = _VERSION,
  }
end
