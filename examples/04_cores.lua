-- Serial against parallel: the parts of the large loop on 1, 2, … all of the CPU's threads.

local lt = require "luatensor"
local experiment = require "luatensor.experiment"

local options = experiment.options({...}, "The large loop's parts on 1, 2, … threads of the CPU.", {
  {"iterations", 2}, {"rows", 7000}, {"cols", 3000}, "dtype", "threads",
})
local rows, cols = options.rows, options.cols
local kind = {device = "cpu", dtype = options.dtype}

local x, y = lt.rand(rows, cols, kind), lt.rand(rows, cols, kind)
local r = x:matmul(y.T)
local parts = {
  {"rand", function() lt.rand(rows, cols, kind) end},
  {"x + y", function() return x + y end},
  {"exp", function() return x:exp() end},
  {"x @ y.T", function() return x:matmul(y.T) end},
  {"sum", function() return r:sum() end},
}

-- 1, 2, 3 … or, from 8 threads on, 1, 2, 4, 8 … and all of them.
local function thread_counts(most)
  local counts, n = {}, 1
  while n < most do
    counts[#counts + 1] = n
    n = most > 8 and 2 * n or n + 1
  end
  counts[#counts + 1] = most
  return counts
end

local head = {"threads"}
for _, part in ipairs(parts) do head[#head + 1] = part[1] end
local lines, alone = {head}, {}
for _, threads in ipairs(thread_counts(options.threads)) do
  lt.set_num_threads(threads)
  local line = {tostring(threads)}
  for i, part in ipairs(parts) do
    local seconds = experiment.seconds(part[2], "cpu", options.iterations)
    alone[i] = alone[i] or seconds
    line[#line + 1] = ("%s %.1f×"):format(experiment.show_time(seconds), alone[i] / seconds)
  end
  lines[#lines + 1] = line
end
lt.set_num_threads(options.threads)

print(("%d × %d %s, least of %d, and how many times as fast as on one thread:"):format(
  rows, cols, options.dtype, options.iterations))
experiment.print_table(lines)
