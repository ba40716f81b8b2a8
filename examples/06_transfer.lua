-- Measures what sending data costs. A GPU computes on its own memory, so inputs must be sent there and results
-- fetched. This example compares the time of both transfers with the time of the work itself. Ordinary memory is copied
-- through page-locked buffers of luatensor; memory that the script page-locked itself (x:pin_memory()) is copied
-- directly.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"
local public_figures = require "luatensor.bench.public_figures"

local run <close> = experiment.start({...}, {
  name = "06_transfer", title = "The price of sending data", claims = {6, 9},
  question = "How long does it take to send matrices to the GPU and back, beside computing on them?",
  options = {
    "device", {"rows", 7000}, {"cols", 3000}, {"seconds", 0.2},
    {"rounds", 3, kind = "count", help = "of each measurement, at least"}, "dtype", "threads",
  },
})
local options = run.options
local device, rows, cols = options.device, options.rows, options.cols
local called = experiment.name_of(device)
local on_host, on_device = {device = "cpu", dtype = options.dtype}, {device = device, dtype = options.dtype}

local x = lt.rand(rows, cols, on_host)
local there, other = lt.rand(rows, cols, on_device), lt.rand(rows, cols, on_device)
local out, product = lt.empty(rows, cols, on_device), lt.empty(rows, rows, on_device)
local bytes = rows * cols * lt.finfo(options.dtype).bits // 8

local lines, seconds = {}, {}
local function add(key, name, work, sent)
  local median = run:time(name, work).median
  seconds[key] = run:value(key .. "_seconds", median, "s")
  lines[#lines + 1] = {name, median, sent and sent / median or false}
end

run:expect(device == "cpu" and 3 or 6)
add("add", "x + y", function() return lt.add(there, other, {out = out}) end)
add("product", "x @ y.T", function() return lt.matmul(there, other.T, {out = product}) end)
if device == "cpu" then
  add("copy", "memory → memory", function() there:copy_(x) end, bytes)
else
  local pinned = x:pin_memory()
  add("send", "host → " .. called, function() there:copy_(x) end, bytes)
  add("send_pinned", "host, pinned → " .. called, function() there:copy_(pinned) end, bytes)
  add("fetch", called .. " → host", function() x:copy_(there) end, bytes)
  add("fetch_pinned", called .. " → host, pinned", function() pinned:copy_(there) end, bytes)
end

for _, line in ipairs(lines) do line[4] = line[2] / seconds.add end
run:table{
  title = ("%d × %d %s%s"):format(rows, cols, options.dtype, experiment.is_emulated(device) and ", emulated" or ""),
  columns = {
    {name = "step", unit = "text"}, {name = "a call", unit = "s"}, {name = "bytes sent a second", unit = "B/s"},
    {name = "in times of x + y", unit = "ratio"},
  },
  rows = lines,
}

if device ~= "cpu" then
  local y = lt.rand(rows, cols, on_host)
  local split = run:show(lt.bench.split(function() return x:to(device):matmul(y:to(device).T):sum():item() end, {
    name = "two matrices sent, multiplied, summed, the sum fetched", device = device, seconds = options.seconds,
    rounds = options.rounds,
  }))
  run:value("sent_share", (split.parts.to_device + split.parts.to_host) / split.wall, "share")
else
  -- lower bound of the transfer time to GPUs that this machine lacks, from the published bandwidth of their links
  for _, id in ipairs{"rtx-4090", "h100-sxm"} do
    local gpu = public_figures.find(id)
    local least = run:value(id .. "_send_seconds", 2 * bytes / gpu.link, "s", id)
    run:text("{gpu} (published, not measured): sending two matrices takes {least} at least. The CPU adds them in "
      .. "{add_seconds} and multiplies them in {product_seconds}.", {gpu = {gpu.name, "text"}, least = {least, "s"}})
  end
end
return run:finish()
