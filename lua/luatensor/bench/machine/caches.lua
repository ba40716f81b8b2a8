--- Reads the sizes of the processor's caches from the system (Linux: /sys).

local read = require "luatensor.bench.first_line"

local caches = {}

-- Counts the numbers in a list: "0-3,8" is 5.
local function count_of(list)
  local n = 0
  for first, last in list:gmatch("(%d+)%-?(%d*)") do
    n = n + (math.tointeger(last) or math.tointeger(first)) - math.tointeger(first) + 1
  end
  return n
end

local units <const> = {K = 1 << 10, M = 1 << 20, G = 1 << 30}

local function bytes_of(text)
  local number, unit = text:match("^(%d+)([KMG]?)$")
  return number and math.tointeger(number) * (units[unit] or 1)
end

--- Lists the caches that contain data, the smallest first.
-- @string[opt=""] root the folder that contains /sys
-- @treturn table list of {name = "L1", bytes =, shared = the number of processors that share the cache}; empty if the
--   system does not list its caches
function caches.list(root)
  local list, i = {}, 0
  while true do
    local folder = ("%s/sys/devices/system/cpu/cpu0/cache/index%d/"):format(root or "", i)
    local level, kind, size = read(folder .. "level"), read(folder .. "type"), read(folder .. "size")
    if not (level and kind and size) then break end
    local bytes = bytes_of(size)
    if kind ~= "Instruction" and bytes then
      local shared = count_of(read(folder .. "shared_cpu_list") or "0")
      list[#list + 1] = {name = "L" .. level, bytes = bytes, shared = shared}
    end
    i = i + 1
  end
  table.sort(list, function(a, b) return a.bytes < b.bytes end)
  return list
end

--- Returns the part of a shared cache that one thread can use, in bytes.
-- @tab cache
-- @int threads in use
-- @int processors of the machine
-- @treturn int bytes
function caches.part(cache, threads, processors)
  local users = math.max(1, math.ceil(math.min(threads, cache.shared * threads / processors)))
  return cache.bytes // users
end

return caches
