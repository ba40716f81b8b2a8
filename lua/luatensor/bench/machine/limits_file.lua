--- Stores measured limits in the user's cache, in a file for each machine. The file contains a description of the
-- machine, and its name is a hash of this description. Damaged files, files of another machine and files of another
-- version are ignored.

local core = require "luatensor.core"
local files = require "luatensor.bench.files"
local result = require "luatensor.bench.result"

local limits_file = {}

--- The version number of the measuring methods. Figures that were stored under another number are measured again.
limits_file.VERSION = 1

-- Returns the 64-bit FNV-1a hash of a text in hexadecimal.
local function hash(text)
  local value = 0xcbf29ce484222325
  for i = 1, #text do value = (value ~ text:byte(i)) * 0x100000001b3 end
  return ("%016x"):format(value)
end

-- Returns the properties of a device on which its measured limits depend, as a text: name, cores, instruction set,
-- memory, software.
local function device_words(device)
  return table.concat({
    device.device, device.name or "", tostring(device.cores), device.isa or "", tostring(device.memory),
    device.software or "",
  }, "; ")
end

-- Returns the configuration (computing libraries and versions) without its parts on GPUs. limits_file.words describes
-- each GPU in a line of its own.
local function cpu_config(identity) return (identity.config:gsub("; %l+: .*", "")) end

--- Returns the properties that identify a machine: processor, cores, threads, instruction set, memory, versions,
-- GPUs.
-- @tab identity the result of luatensor.bench.machine.identity
-- @bool emulated true includes the emulated devices, which are no part of the real machine
-- @treturn string a line of versions, a line of threads and processors, and a line for each device
function limits_file.words(identity, emulated)
  local lines = {
    ("limits %d, %s, %s"):format(limits_file.VERSION, identity.luatensor, cpu_config(identity)),
    ("%d threads, %d processors, quota %s"):format(identity.threads, identity.processors, identity.quota or "none"),
  }
  for _, device in ipairs(identity.devices) do
    if emulated or not device.emulated then lines[#lines + 1] = device_words(device) end
  end
  return table.concat(lines, "\n") .. (emulated and "\nemulated" or "")
end

--- Returns the path of a machine's file, or nil and the reason why there is none.
function limits_file.path(words, emulated)
  local folder, problem = core.cache_folder()
  if not folder then return nil, problem end
  return ("%s/limits-%s%s.json"):format(folder, emulated and "emulated-" or "", hash(words))
end

-- The field "check" of a file contains a hash, so that changed or truncated files are recognised. The hash is computed
-- from the text of the file with EMPTY in this field.
local EMPTY <const> = ("0"):rep(16)

local function with_check(text, check) return (text:gsub('("check": *")%x+', "%1" .. check, 1)) end

local function seal(text) return with_check(text, hash(text)) end

local function is_sealed(text)
  local check = text:match('"check": *"(%x+)"')
  return check ~= nil and hash(with_check(text, EMPTY)) == check
end


--- Returns the devices of a stored result, or nil if there is no intact file for this machine.
-- @string words the result of limits_file.words
-- @bool emulated
-- @treturn ?table
function limits_file.load(words, emulated)
  local path = limits_file.path(words, emulated)
  local text = path and files.read(path)
  if not text or not is_sealed(text) then return nil end
  local stored = result.decode(text, path)
  return stored and stored.identity == words and stored.devices or nil
end

-- Returns a copy of the identity without emulated devices and without the configuration of GPUs.
local function real_part(identity)
  local part = {devices = {}, config = cpu_config(identity)}
  for name, value in pairs(identity) do part[name] = part[name] or value end
  for _, device in ipairs(identity.devices) do
    if not device.emulated then table.insert(part.devices, device) end
  end
  return part
end

--- Stores the limits of devices in the machine's file. Limits of other devices that the file already contains are kept.
-- @tab class of the result in the file
-- @tab identity
-- @bool emulated true for the emulated devices
-- @tab devices their entries in a result of bench.machine
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string the reason
function limits_file.save(class, identity, emulated, devices)
  local words = limits_file.words(identity, emulated)
  local path, problem = limits_file.path(words, emulated)
  if not path then return nil, problem end
  local all, names = {}, {}
  for _, device in ipairs(devices) do
    all[#all + 1], names[device.device] = device, true
  end
  for _, device in ipairs(limits_file.load(words, emulated) or {}) do
    if not names[device.device] then all[#all + 1] = device end
  end
  local fields = {
    devices = all, identity = words, check = EMPTY, emulated = emulated or nil,
    machine = emulated and identity or real_part(identity),
  }
  return files.write(path, seal(result.encode(result.new(class, fields))))
end

return limits_file
