--- Does anybody else use the processor? Figures that are measured beside other work are worth less.

local core = require "luatensor.core"
local first_line = require "luatensor.bench.first_line"

local idle = {}

--- Share of the processor's time from which on others disturb.
idle.BUSY = 0.05

-- Jiffies of all cores since boot: working, and in all.
local function read_all()
  local line = first_line("/proc/stat")
  if not line then return nil end
  local fields, total = {}, 0
  for number in line:gmatch("%d+") do fields[#fields + 1] = tonumber(number) end
  if #fields < 5 then return nil end
  for i = 1, math.min(#fields, 8) do total = total + fields[i] end   -- the rest is counted in them
  return total - fields[4] - fields[5], total                        -- idle and waiting for a disk
end

-- Jiffies of this process; its name, in brackets, may hold anything.
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
  local busy, total = read_all()
  return setmetatable({busy = busy, total = total, own = read_own()}, watch)
end

--- Share of all cores' time since the start that went to others; nil where it cannot be told: no /proc/stat, or too
-- short a time for its hundredths of a second.
function watch:others()
  local busy, total = read_all()
  if not (busy and self.busy) or total - self.total < 10 then return nil end
  local others = (busy - self.busy - (read_own() - self.own)) / (total - self.total)
  return math.floor(1000 * math.min(1, math.max(0, others)) + 0.5) / 1000
end

--- A pause, after which the threads of a parallel loop that ended sleep, too.
function idle.pause() core.sleep(0.02) end

--- Waits until nobody else uses the processor.
-- @number seconds how long at most
-- @treturn boolean false: it stayed busy
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
