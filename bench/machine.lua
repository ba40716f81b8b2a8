-- What the bench asks of the machine: is it idle, how to wait, how to write JSON.

local lt = require "luatensor"

local machine = {}

local BUSY <const> = 0.05      -- share of all cores' time that others may use

function machine.sleep(seconds) os.execute(("sleep %.3f"):format(seconds)) end

-- Jiffies of all cores since boot: working, and in all. nil where there is no /proc/stat.
local function read_jiffies()
  local file = io.open("/proc/stat")
  if not file then return nil end
  local fields, total = {}, 0
  for number in file:read("l"):gmatch("%d+") do fields[#fields + 1] = tonumber(number) end
  file:close()
  for i = 1, math.min(#fields, 8) do total = total + fields[i] end   -- the rest is counted in them
  return total - fields[4] - fields[5], total                         -- idle and waiting for a disk
end

local function is_idle()
  local busy, total = read_jiffies()
  if not busy then return true end
  machine.sleep(0.3)
  local busy_after, total_after = read_jiffies()
  return (busy_after - busy) / math.max(1, total_after - total) <= BUSY
end

--- Waits until nobody else uses the processor: false when it stays busy for `seconds`.
function machine.await_idle(seconds)
  local give_up = lt.clock() + seconds
  repeat
    if is_idle() then return true end
  until lt.clock() > give_up
  return false
end

-- ---- JSON ---------------------------------------------------------------------------------------

local encode

local function encode_table(value)
  local parts = {}
  if #value > 0 then
    for i, item in ipairs(value) do parts[i] = encode(item) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for key, item in pairs(value) do parts[#parts + 1] = encode(tostring(key)) .. ":" .. encode(item) end
  table.sort(parts)
  return "{" .. table.concat(parts, ",") .. "}"
end

function encode(value)
  local kind = type(value)
  if kind == "table" then return encode_table(value) end
  if kind == "number" then return ("%.9g"):format(value) end
  if kind == "boolean" then return tostring(value) end
  return '"' .. tostring(value):gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
end

function machine.write_json(path, value)
  local file = assert(io.open(path, "w"))
  file:write(encode(value), "\n")
  file:close()
end

return machine
