-- Times every op × dtype × size × layout × number of threads beside PyTorch, in turn, and writes a heat map of the
-- ratios. Each measured cell is one line of a file. If the sweep is stopped and called again, it continues.
-- At the end, the cells with the least ratios are measured again, because one short measurement can be disturbed.
-- `make sweep` calls this script from the repository's root; --help lists the options.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"
local document = require "luatensor.page.document"
local experiment = require "luatensor.experiment"
local files = require "luatensor.bench.files"
local format = require "luatensor.page.format"
local idle = require "luatensor.bench.idle"
local progress = require "luatensor.bench.progress"
local terminal = require "luatensor.page.terminal"
local cells = require "bench.sweep.cells"
local contender = require "bench.contender"
local page = require "bench.sweep.page"
local record = require "bench.sweep.record"

local options = arguments.read({...}, "Times every op beside PyTorch, and writes a heat map.", {
  {"sample", 0, kind = "text", help = "measure this many cells, drawn by the seed; 0: all cells"},
  {"seed", 1, kind = "count", help = "seed of the sample"},
  {"only", "", kind = "text", help = "only cells whose name contains this Lua pattern: 'add float32 .* sliced 2'"},
  {"counts", "1 2", kind = "text", help = "the numbers of threads"},
  {"round", 0.01, kind = "seconds", help = "time of a round of each library"},
  {"budget", 86400, kind = "seconds", help = "time after which no further cell is measured"},
  {"worst", 50, kind = "count", help = "how many of the worst cells are measured again"},
  {"file", "build/sweep.jsonl", kind = "text", help = "file of the measured cells"},
  {"page", "build/sweep.html", kind = "output", help = "file of the heat map"},
})

local CELL <const> = 0.3            -- seconds of all rounds of a cell
local AGAIN <const> = 9             -- rounds in which each of the worst cells is measured again

-- ---- measuring ----------------------------------------------------------------------------------

local threads = {}
for n in options.counts:gmatch("%d+") do threads[#threads + 1] = math.tointeger(n) end

-- Starts PyTorch once for each number of threads. Returns luatensor, and the peers by number of threads.
local function start()
  local ours, peers = nil, {}
  for _, n in ipairs(threads) do
    ours, peers[n] = contender.pair(options.round, n)
    if not peers[n] then
      print(("sweep: PyTorch is not installed (PYTHON=%s); make deps-peers installs it"):format(
        os.getenv("PYTHON") or "python3"))
      os.exit(1, true)
    end
  end
  return ours, peers
end

local ours, peers = start()

-- Times a cell in rounds, in turn. Returns the least seconds of a call of each library, or nil and the reason. Stops
-- after `rounds` rounds, or after 2 rounds if they took longer than `limit` seconds.
local function time(cell, rounds, limit)
  lt.set_num_threads(cell.threads)
  local runners, best, spent = {ours, peers[cell.threads]}, {math.huge, math.huge}, 0
  for _, runner in ipairs(runners) do
    local ok, problem = runner:prepare(cell)
    if not ok then return nil, ("%s: %s"):format(runner.name, problem) end
  end
  for round = 1, rounds do
    for i, runner in ipairs(runners) do
      idle.pause()
      local seconds = runner:run()
      best[i], spent = math.min(best[i], seconds), spent + math.max(seconds, options.round)
    end
    if round > 1 and spent > limit then break end
  end
  return best
end

-- Measures the cells that the file does not have yet.
local function measure(chosen, known)
  local missing = {}
  for _, cell in ipairs(chosen) do
    if not known[cell[1]] then missing[#missing + 1] = cell end
  end
  local give_up = lt.clock() + options.budget
  local task <close> = progress.task("sweep", #missing)
  for _, cell in ipairs(missing) do
    if lt.clock() > give_up then return false end
    task:step(cell[1])
    local best, problem = time(cell, 5, CELL)
    known[cell[1]] = record.append(options.file, {
      cell = cell[1], ours = best and best[1], torch = best and best[2], problem = problem,
    })
  end
  return true
end

-- Returns the cells with the least ratios, among those below 1, the worst first.
local function worst_of(chosen, known)
  local slow = {}
  for _, cell in ipairs(chosen) do
    local ratio = record.ratio(known[cell[1]])
    if ratio and ratio < 1 then slow[#slow + 1] = cell end
  end
  table.sort(slow, function(a, b)
    local x, y = record.ratio(known[a[1]]), record.ratio(known[b[1]])
    return x < y or (x == y and a[1] < b[1])
  end)
  return table.move(slow, 1, math.min(#slow, options.worst), 1, {})
end

-- Measures the worst cells again, with more rounds, until each of the worst cells has been measured twice. A cell keeps
-- the better ratio of both measurements.
local function measure_again(chosen, known)
  local task <close> = progress.task("worst cells again", options.worst)
  local again = true
  while again do
    again = false
    for _, cell in ipairs(worst_of(chosen, known)) do
      local first = known[cell[1]]
      if not first.again then
        again = true
        task:step(cell[1])
        local best, problem = time(cell, AGAIN, 3)
        if not best then error(("%s: %s"):format(cell[1], problem)) end
        local better = best[2] / best[1] > record.ratio(first)
        known[cell[1]] = record.append(options.file, {
          cell = cell[1], again = true,
          ours = better and best[1] or first.ours, torch = better and best[2] or first.torch,
        })
      end
    end
  end
end

-- ---- the result ---------------------------------------------------------------------------------

local columns = {
  {name = "op, dtype, size, layout, threads", unit = "text"}, {name = "luatensor", unit = "s"},
  {name = "PyTorch", unit = "s"}, {name = "PyTorch/ours", unit = "ratio"},
}

local function print_worst(worst, known)
  local lines = {}
  for i, cell in ipairs(worst) do
    local measured = known[cell[1]]
    lines[i] = {cell[1], measured.ours, measured.torch, record.ratio(measured)}
  end
  print(terminal.block(document.table{columns = columns, rows = lines}, 200))
end

local function print_summary(summary)
  print(("%d cells: geometric mean %s, %s at least 1, %d below 0.7; %d are not in both libraries"):format(
    summary.count, format.show(summary.mean, "ratio"), format.show(summary.share, "share"), summary.below,
    summary.without))
end

local wanted = {}
for _, cell in ipairs(cells.all(threads)) do
  if cell[1]:find(options.only) then wanted[#wanted + 1] = cell end
end
local count = math.tointeger(tonumber(options.sample)) or arguments.fail("--sample takes a whole number")
local chosen = cells.sample(wanted, count > 0 and count or nil, options.seed)
local known = record.read(options.file)
print(experiment.describe("cpu"))
print(peers[threads[1]].version)
local complete = measure(chosen, known)
if complete then measure_again(chosen, known) end
local list = {ours}
for _, peer in pairs(peers) do list[#list + 1] = peer end
contender.close(list)

print_summary(record.summary(chosen, known))
print_worst(worst_of(chosen, known), known)
assert(files.write(options.page, page.new(chosen, known, experiment.describe("cpu"), peers[threads[1]].version)))
print("heat map: " .. options.page)
