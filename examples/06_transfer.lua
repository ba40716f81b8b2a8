-- The price of sending data: a GPU computes on its own memory, so what it works on has to get there, and results
-- back. How long does that take, beside the work itself? Plain memory is copied by way of a buffer that the
-- driver pinned; memory that the script pinned itself (x:pin_memory()) goes straight.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local options = experiment.options({...}, "Sending matrices to the GPU and back, beside computing on them.", {
  "device", {"iterations", 5}, {"rows", 7000}, {"cols", 3000}, "dtype", "threads",
})
local device, rows, cols = options.device, options.rows, options.cols
local on_host, on_device = {device = "cpu", dtype = options.dtype}, {device = device, dtype = options.dtype}

local x = lt.rand(rows, cols, on_host)
local there, other = lt.rand(rows, cols, on_device), lt.rand(rows, cols, on_device)
local out, product = lt.empty(rows, cols, on_device), lt.empty(rows, rows, on_device)
local megabytes = rows * cols * lt.finfo(options.dtype).bits / 8e6

-- what, the work, megabytes that are sent
local steps = {}
local function add(name, work, sent) steps[#steps + 1] = {name, work, sent} end

if device == "cpu" then
  add("memory → memory", function() there:copy_(x) end, megabytes)
else
  local pinned = x:pin_memory()
  add("host → " .. device, function() there:copy_(x) end, megabytes)
  add("host, pinned → " .. device, function() there:copy_(pinned) end, megabytes)
  add(device .. " → host", function() x:copy_(there) end, megabytes)
  add(device .. " → host, pinned", function() pinned:copy_(there) end, megabytes)
end
add("x + y", function() lt.add(there, other, {out = out}) end)
add("x @ y.T", function() lt.matmul(there, other.T, {out = product}) end)

local lines, seconds = {{"step", "time", "GB/s", "in times of x + y"}}, {}
for i, step in ipairs(steps) do seconds[i] = experiment.seconds(step[2], device, options.iterations) end
for i, step in ipairs(steps) do
  local rate = step[3] and ("%.1f"):format(step[3] / 1e3 / seconds[i]) or ""
  local share = ("%.1f"):format(seconds[i] / seconds[#steps - 1])
  lines[#lines + 1] = {step[1], experiment.show_time(seconds[i]), rate, share}
end
print(("%d × %d %s, %.1f MB a matrix, computed on %s, least of %d:"):format(
  rows, cols, options.dtype, megabytes, device, options.iterations))
experiment.print_table(lines)
if device ~= "cpu" then
  local both = 2 * seconds[1] + seconds[#steps]
  print(("Two matrices sent and multiplied: %s, of which the sending is %.0f %%."):format(
    experiment.show_time(both), 100 * (both - seconds[#steps]) / both))
end
experiment.print_caveats(device)
