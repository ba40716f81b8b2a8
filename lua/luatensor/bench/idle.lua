--- Finds out whether other processes use the processor. Figures that are measured on a busy machine are less reliable.

local core = require "luatensor.core"
local first_line = require "luatensor.bench.first_line"

local idle = {}

--- The share of the processor's time from which on other processes count as a disturbance.
idle.BUSY = 0.05

local function whole_file(path)
  local file <close> = io.open(path)
  return file and file:read("a")
end

-- The cores that the process may use, {[number] = true, …}, from "Cpus_allowed_list: 0-3,8"; nil if the system does not
-- say.
local function own_cores()
  local list = (whole_file("/proc/self/status") or ""):match("\nCpus_allowed_list:%s*([%d,%-]+)")
  if not list then return nil end
  local cores = {}
  for first, last in list:gmatch("(%d+)%-?(%d*)") do
    for number = tonumber(first), tonumber(last) or tonumber(first) do cores[number] = true end
  end
  return cores
end

-- The busy and the total jiffies of a core since boot, or nil if the line has none.
local function jiffies(line)
  local fields, total = {}, 0
  for number in line:gmatch("%d+") do fields[#fields + 1] = tonumber(number) end
  if #fields < 5 then return nil end
  for i = 1, math.min(#fields, 8) do total = total + fields[i] end   -- the other fields are already included in these
  return total - fields[4] - fields[5], total                        -- without idle time and waiting for a disk
end

-- The busy and total jiffies of these cores, or of all cores. Other processes on other cores do not disturb.
local function read_all(cores)
  local busy, total
  for number, numbers in (whole_file("/proc/stat") or ""):gmatch("cpu(%d*)([ %d]+)") do
    if cores and cores[tonumber(number)] or not cores and number == "" then
      local here, all = jiffies(numbers)
      if not here then return nil end
      busy, total = (busy or 0) + here, (total or 0) + all
    end
  end
  return busy, total
end

-- The jiffies of this process. Its name, in brackets, may contain any character.
local function read_own()
  local line = first_line("/proc/self/stat")
  local fields = {}
  for field in (line and line:match("^.*%)(.*)") or ""):gmatch("%S+") do fields[#fields + 1] = field end
  return (tonumber(fields[12]) or 0) + (tonumber(fields[13]) or 0)   -- user and system time
end

local watch = {}
watch.__index = watch

--- Starts to watch the processor.
-- @treturn table with the method others
function idle.watch()
  local cores = own_cores()
  local busy, total = read_all(cores)
  return setmetatable({cores = cores, busy = busy, total = total, own = read_own()}, watch)
end

--- The share of the time since the start that other processes used on the cores that this process may use. nil if it is
-- unknown: there is no /proc/stat, or the time is too short for its unit, a hundredth of a second.
function watch:others()
  local busy, total = read_all(self.cores)
  if not (busy and self.busy) or total - self.total < 10 then return nil end
  local others = (busy - self.busy - (read_own() - self.own)) / (total - self.total)
  return math.floor(1000 * math.min(1, math.max(0, others)) + 0.5) / 1000
end

--- Pauses, so that the threads of an ended parallel loop stop spinning.
function idle.pause() core.sleep(0.02) end

--- Waits until no other process uses the processor.
-- @number seconds the longest time to wait
-- @treturn boolean false if it stayed busy
function idle.await(seconds)
  local give_up = core.clock() + seconds
  repeat
    local since = idle.watch()
    core.sleep(0.3)
    if (since:others() or 0) <= idle.BUSY then return true end
  until core.clock() > give_up
  return false
end

return idle
