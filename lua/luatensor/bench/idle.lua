--- Finds out whether other processes use the processor. Figures that are measured on a busy machine are less reliable.

local core = require "luatensor.core"
local first_line = require "luatensor.bench.first_line"

local idle = {}

--- The largest share of the processor's time that other processes may use while the machine counts as idle.
idle.BUSY = 0.05

local function whole_file(path)
  local file <close> = io.open(path)
  return file and file:read("a")
end

-- Returns the cores that the process may use, {[number] = true, …}, from "Cpus_allowed_list: 0-3,8". Returns nil if
-- the system does not list them.
local function own_cores()
  local list = (whole_file("/proc/self/status") or ""):match("\nCpus_allowed_list:%s*([%d,%-]+)")
  if not list then return nil end
  local cores = {}
  for first, last in list:gmatch("(%d+)%-?(%d*)") do
    for number = tonumber(first), tonumber(last) or tonumber(first) do cores[number] = true end
  end
  return cores
end

-- Returns the busy and the total time of a core since boot in jiffies (hundredths of a second), from its line in
-- /proc/stat. Returns nil if the line has too few fields.
local function jiffies(line)
  local fields, total = {}, 0
  for number in line:gmatch("%d+") do fields[#fields + 1] = tonumber(number) end
  if #fields < 5 then return nil end
  for i = 1, math.min(#fields, 8) do total = total + fields[i] end   -- fields 9 and 10 (guests) are part of 1 and 2
  return total - fields[4] - fields[5], total                        -- field 4: idle; field 5: waiting for a disk
end

-- Returns the busy and the total jiffies of the cores in the set `cores`, or of all cores if `cores` is nil. The
-- other cores do not count, because processes on them do not disturb measurements. Returns nil if /proc/stat does not
-- list the cores.
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

-- Returns the jiffies that this process has used. The fields are read after the last bracket, because the process's
-- name, in brackets, may contain any character.
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

--- Returns the share of the time since the start that other processes used on the cores that this process may use.
-- Returns nil if there is no /proc/stat, or if these cores together counted fewer than ten jiffies (a tenth of a
-- second).
function watch:others()
  local busy, total = read_all(self.cores)
  if not (busy and self.busy) or total - self.total < 10 then return nil end
  local others = (busy - self.busy - (read_own() - self.own)) / (total - self.total)
  return math.floor(1000 * math.min(1, math.max(0, others)) + 0.5) / 1000
end

--- Pauses, so that the threads of an ended parallel loop stop spinning.
function idle.pause() core.sleep(0.02) end

--- Waits until other processes use at most the share idle.BUSY of the processor.
-- @number seconds the longest time to wait
-- @treturn boolean false if the processor stayed busy; true also if the share is unknown
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
