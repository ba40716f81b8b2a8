-- host/garbage_spec.lua runs this script in a new process. The script allocates like the loop in docs/notebook.md.
-- Prints the peak live bytes of tensors, the growth of the process's peak resident memory in KiB, and the number of
-- tables in the ballast.
--
--     lua5.4 memory_loop.lua MODE ITERATIONS ROWS COLS WINDOW HEAP_MB
--
-- MODE is "incremental" or "generational", a mode of the garbage collector, or "default".
local lt = require "luatensor"
local mode, iterations, rows, cols, window, heap = table.unpack(arg)
iterations, rows, cols = tonumber(iterations), tonumber(rows), tonumber(cols)
window, heap = tonumber(window), tonumber(heap)

if mode ~= "default" then collectgarbage(mode) end

-- Returns the resident memory of the process in KiB. name: "VmRSS" for the current value, "VmHWM" for the peak.
local function resident_set(name)
  for line in io.lines("/proc/self/status") do
    local size = line:match("^" .. name .. ":%s+(%d+)")
    if size then return tonumber(size) end
  end
  return 0
end

lt.empty(1)                               -- loads the device's libraries, whose memory does not count
local before = resident_set "VmRSS"
local ballast = {}                        -- a Lua table of about `heap` MB
for i = 1, heap * 16384 do ballast[i] = {i} end

local live = {}                           -- the last `window` results stay alive
lt.reset_peak_memory()
for i = 1, iterations do
  local x = lt.empty(rows, cols)
  local y = lt.empty(rows, cols)
  local r = lt.empty(rows, rows)
  if window > 0 then live[i % window + 1] = r end
  x, y = y, x
end
print(lt.memory().peak, resident_set "VmHWM" - before, #ballast)
