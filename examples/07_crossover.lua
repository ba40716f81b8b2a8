-- From which size on is the GPU faster than the CPU? Found by bisection, for two kinds of work: the product of two
-- n × n matrices, which computes more for each element the larger n is, and the sum of their elements, which does
-- not. Once with the matrices already on the GPU, once with sending them there and fetching the result.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local options = experiment.options({...}, "The size from which on the GPU overtakes the CPU.", {
  "device", {"least", 4, kind = "count", help = "smallest n"}, {"most", 4096, kind = "count", help = "largest n"},
  {"milliseconds", 10, kind = "count", help = "how long a measurement lasts at least"}, "dtype", "threads",
})
local device = options.device

local kinds = {
  {"x @ y.T", function(x, y) return x:matmul(y.T) end},
  {"x + y", function(x, y) return x + y end},
}

-- Seconds of one call at size n. where: the device; sent: the matrices start on the host, where the result ends.
local function measure(kind, n, where, sent)
  local start = {device = sent and "cpu" or where, dtype = options.dtype}
  local x, y = lt.rand(n, n, start), lt.rand(n, n, start)
  local function work() return kind(x, y) end
  if sent then
    work = function() return kind(x:to(where), y:to(where)):to("cpu") end
  end
  return experiment.seconds_a_call(work, where, options.milliseconds / 1e3)
end

local sizes = {}
do
  local n = options.least
  while n < options.most do
    sizes[#sizes + 1] = n
    n = 2 * n
  end
  sizes[#sizes + 1] = options.most
end

-- ---- without a GPU: what the CPU does ----------------------------------------------------------

local function print_cpu()
  local lines = {{"n", "x @ y.T", "GFLOP/s", "x + y", "GB/s"}}
  local width = lt.finfo(options.dtype).bits // 8
  for i, n in ipairs(sizes) do
    local product, sum = measure(kinds[1][2], n, "cpu"), measure(kinds[2][2], n, "cpu")
    lines[i + 1] = {tostring(n), experiment.show_time(product), ("%.1f"):format(2 * n ^ 3 / product / 1e9),
      experiment.show_time(sum), ("%.1f"):format(3 * n * n * width / sum / 1e9)}
  end
  print(("No GPU to compare with. The CPU on %d threads, %s:"):format(lt.get_num_threads(), options.dtype))
  experiment.print_table(lines)
end

-- ---- with one ----------------------------------------------------------------------------------

-- How many times as fast as the CPU; each size is measured once.
local function ratios(kind, sent)
  local known = {}
  return function(n)
    known[n] = known[n] or measure(kind, n, "cpu") / measure(kind, n, device, sent)
    return known[n]
  end
end

-- The size from which on the GPU is faster, within a tenth; nil: at none of them.
local function crossover(ratio)
  local slower, faster = options.least, options.most
  if ratio(faster) < 1 then return nil end
  if ratio(slower) >= 1 then return slower end
  while faster - slower > 1 and faster / slower > 1.1 do
    local middle = (math.sqrt(slower * faster) + 0.5) // 1 | 0
    middle = math.max(slower + 1, math.min(faster - 1, middle))
    if ratio(middle) < 1 then slower = middle else faster = middle end
  end
  return faster
end

local HALF <const> = 24        -- columns on either side of the chart's axis: two for each doubling

-- A line of the chart: marks at the ratios, on a logarithmic axis from 1/4096 to 4096.
local function chart_line(marks)
  local cells = {}
  for i = -HALF, HALF do cells[i] = i == 0 and "|" or " " end
  for mark, ratio in pairs(marks) do
    local at = (2 * math.log(ratio, 2) + 0.5) // 1 | 0
    at = math.max(-HALF, math.min(HALF, at))
    cells[at] = cells[at]:find("[○●]") and "◉" or mark
  end
  return (table.concat(cells, "", -HALF, HALF):gsub(" +$", ""))
end

local function print_chart(name, there, sent)
  print(("\n%s, n × n %s: ● matrices already on %s, ○ sent there and the result back, ◉ both"):format(
    name, options.dtype, device))
  local head = ("%%6s  %%-%ds|%%%ds"):format(HALF + 2, HALF + 2)           -- an arrow is a character of 3 bytes
  print(head:format("n", "← CPU faster", "GPU faster →"))
  for _, n in ipairs(sizes) do
    local marks = {["●"] = there(n), ["○"] = sent(n)}
    print(("%6d  %s"):format(n, chart_line(marks)))
  end
end

local function in_words(n)
  if not n then return ("at no n up to %d"):format(options.most) end
  return ("from n = %d on"):format(n)
end

if device == "cpu" then
  print_cpu()
else
  for _, kind in ipairs(kinds) do
    local there, sent = ratios(kind[2], false), ratios(kind[2], true)
    local first, second = crossover(there), crossover(sent)
    print_chart(kind[1], there, sent)
    print(("The GPU is faster %s; with sending, %s."):format(in_words(first), in_words(second)))
  end
end
experiment.print_caveats(device)
