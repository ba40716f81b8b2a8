--- Checks that the process has address space for OpenBLAS, which maps a buffer for each processor when it is loaded.
-- Without enough address space OpenBLAS retries forever, so requirements.lua calls this check before it loads
-- OpenBLAS. The check refuses nothing if Linux's /proc or Lua's io is missing, because then the limits are unknown.

local address_space = {}

local MIB <const> = 1 << 20
-- BUFFER is the size in bytes of one buffer of OpenBLAS. OpenBLAS maps one buffer for each processor, or only
-- OMP_NUM_THREADS buffers if this number is lower.
local BUFFER <const> = 128 * MIB
-- REST is the space in bytes for the libraries of OpenBLAS and luatensor and luatensor's Lua files, which took 48 MiB
-- on Debian 12.
local REST <const> = 64 * MIB
local MOST <const> = 64  -- the largest number of processors for which Debian's build of OpenBLAS has buffers

--- Returns the text of a file, or "" if the file cannot be read.
local function read(path)
  local file <close> = io.open(path)
  return file and file:read "a" or ""
end

--- Returns the number after a name in a text, times a unit in bytes; nil if the text has no such number.
local function find(text, name, unit)
  local number = text:match(name .. "%s+(%d+)")
  return number and math.tointeger(tonumber(number) * unit)
end

--- The limits of the process. Each row has the command that sets the limit, the kind of memory, and a function. The
-- function returns the bytes that the limit allows (nil if the limit is not set) and the bytes in use.
local limits = {
  {"ulimit -v", "address space", function(root)
    return find(read(root .. "/proc/self/limits"), "Max address space", 1),
           find(read(root .. "/proc/self/status"), "VmSize:", 1024)
  end},
  {"ulimit -d", "memory", function(root)
    return find(read(root .. "/proc/self/limits"), "Max data size", 1),
           find(read(root .. "/proc/self/status"), "VmData:", 1024)
  end},
  {"vm.overcommit_memory = 2", "memory", function(root)
    if not read(root .. "/proc/sys/vm/overcommit_memory"):find "^2" then return nil end
    local memory = read(root .. "/proc/meminfo")
    return find(memory, "CommitLimit:", 1024), find(memory, "Committed_AS:", 1024)
  end},
}

--- Returns the number of processors that the machine may have. Processors on which the process may not run count, too,
-- because OpenBLAS counts them. The result may be above MOST, the limit of OpenBLAS.
local function count_processors(root)
  local last = read(root .. "/sys/devices/system/cpu/possible"):match "(%d+)\n$"
  if last then return math.min(tonumber(last), MOST) + 1 end
  local _, count = read(root .. "/proc/cpuinfo"):gsub("processor%s*:", "")
  return math.max(count, 1)
end

local function count_buffers(root)
  local asked = os and os.getenv and os.getenv "OMP_NUM_THREADS"
  local threads = asked and tonumber(asked:match "^%s*(%d+)") or 0
  local processors = math.min(count_processors(root), MOST)
  return threads > 0 and math.min(threads, processors) or processors
end

--- True if another Lua state of the host has already loaded OpenBLAS into the process.
local function is_loaded(root)
  local maps = read(root .. "/proc/self/maps")
  return maps:find("/libopenblas", 1, true) ~= nil or maps:find("/luatensor/core.so", 1, true) ~= nil
end

local function describe(needed, left, buffers, what, setting)
  local cure = left >= REST + BUFFER and "OMP_NUM_THREADS=1 needs less" or "raise the limit"
  local words = "luatensor needs about %d MiB of %s (%d × 128 MiB for OpenBLAS's threads); "
    .. "the limit (%s) leaves %d MiB: %s"
  return words:format(needed // MIB, what, buffers, setting, left // MIB, cure)
end

--- Returns the error message if a limit leaves fewer bytes than OpenBLAS needs, otherwise nil. root is "", or in
-- specs a folder with a copy of /proc and /sys.
function address_space.misfit(root)
  if not (io and io.open) then return nil end
  local buffers = count_buffers(root)
  local needed = REST + buffers * BUFFER
  for _, limit in ipairs(limits) do
    local setting, what, look = table.unpack(limit)
    local most, taken = look(root)
    local left = most and taken and math.max(most - taken, 0)
    if left and left < needed and not is_loaded(root) then return describe(needed, left, buffers, what, setting) end
  end
  return nil
end

return address_space
