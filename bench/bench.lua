-- Prints the performance table, which compares luatensor with PyTorch and NumPy (if `PYTHON` has them) and with the
-- measured limits of the machine. A second table compares lt.compile with torch.compile. The libraries are timed in
-- turn (A B A B) in one run, on the same number of threads. With --device cuda, luatensor and PyTorch run on this
-- device, and each round ends when the device has finished its work.
-- `make bench` calls this script from the repository's root; --help lists the options.

local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"
local experiment = require "luatensor.experiment"
local document = require "luatensor.page.document"
local format = require "luatensor.page.format"
local idle = require "luatensor.bench.idle"
local markdown = require "luatensor.page.markdown"
local progress = require "luatensor.bench.progress"
local files = require "luatensor.bench.files"
local result = require "luatensor.bench.result"
local statistics = require "luatensor.bench.statistics"
local terminal = require "luatensor.page.terminal"
local rows = require "bench.rows"
local contender = require "bench.contender"

local options = arguments.read({...}, "Times luatensor beside PyTorch and NumPy.", {
  {"rows", "", kind = "text", help = "only rows whose name contains this Lua pattern"},
  {"gates", "no", kind = "text", help = "yes: only rows that have a gate"},
  {"rounds", 7, kind = "count", help = "rounds of each library; slow rows have 3"},
  {"round", 0.1, kind = "seconds", help = "time of a round of each library"},
  {"budget", 86400, kind = "seconds", help = "time after which no further row is measured"},
  {"threads"},
  {"device", "cpu"},
  {"wait", 60, kind = "count", help = "seconds to wait for an idle machine"},
  {"noisy", "no", kind = "text", help = "yes: measure on a busy machine too, without verdicts"},
  {"json", "", kind = "text", help = "file to write the figures to"},
  {"markdown", "no", kind = "text", help = "yes: the table as in the README"},
  {"iterations", 100, kind = "count", help = "large iterations of the memory check"},
})

-- ---- measuring ----------------------------------------------------------------------------------

-- Measures one row of the performance table in rounds; in each round every contender runs once. Returns
-- {<contender> = seconds {min, q1, median, q3, max}, errors = {<contender> = message}, first = …}. The table `first`
-- has the seconds of each peer's first call.
local function measure(row, contenders)
  local times, errors, first, runners = {}, {}, {}, {}
  for _, who in ipairs(contenders) do
    local ok, problem = who:prepare(row)
    if ok then
      runners[#runners + 1], times[who.name], first[who.name] = who, {}, who.first
    elseif problem then
      errors[who.name] = problem
    end
  end
  local spent, round = 0, 0
  while round < 3 or (round < options.rounds and spent < 30) do     -- at least three rounds, even if a row is slow
    for _, who in ipairs(runners) do
      idle.pause()                              -- lets the threads of the other libraries stop spinning
      local seconds = who:run()
      table.insert(times[who.name], seconds)
      spent = spent + seconds
    end
    round = round + 1
  end
  local figures = {errors = errors, first = first}
  for name, list in pairs(times) do figures[name] = statistics.summary(list) end
  return figures
end

-- ---- the table ----------------------------------------------------------------------------------

local function show_time(time)
  if not time then return false end
  return ("%s (%s)"):format(format.show(time.min, "s"), format.show(time.median, "s"))
end

-- Returns the largest share that the row's work reaches of one of the machine's measured limits (bytes read, bytes
-- copied, or arithmetic operations in a second). Returns nil if the row names no limit.
local function share_of_limit(row, seconds, limits)
  local share
  for _, limit in ipairs{"read", "copy", "flops"} do
    if row[limit] then share = math.max(share or 0, row[limit] / seconds / limits[limit]) end
  end
  return share
end

-- Compares a value with its gate, the least value that passes. Returns "met", "missed" or, on a busy machine,
-- "noisy". Returns nil if the value or the gate is missing.
local function verdict(value, gate, quiet)
  if not (value and gate) then return nil end
  if not quiet then return "noisy" end
  return value >= gate and "met" or "missed"
end

-- Returns the least and the wanted ratio of PyTorch's time to luatensor's time on the device. On the CPU, also
-- returns the least and the wanted share of the machine's limit. Missing figures are nil.
local function wanted(row)
  if options.device == "cpu" then return row.gate, row.aim, row.share_gate, row.share_aim end
  return row.gpu_gate, row.gpu_aim
end

local function judge(row, figures, limits, quiet)
  local ours, torch, numpy = figures.luatensor, figures.torch, figures.numpy
  local entry = {name = row[1], quiet = quiet, errors = figures.errors, ours = ours, torch = torch, numpy = numpy}
  if not ours then return entry end
  entry.torch_ratio = torch and torch.min / ours.min
  entry.numpy_ratio = numpy and numpy.min / ours.min
  entry.share = share_of_limit(row, ours.min, limits)
  local gate, aim, share_gate, share_aim = wanted(row)
  entry.gate, entry.aim = gate or share_gate, aim or share_aim
  entry.verdict = verdict(gate and entry.torch_ratio or share_gate and entry.share, entry.gate, quiet)
  entry.unit = share_gate and "share" or "ratio"
  return entry
end

-- Judges the figures of a row that has the field `compiled`.
local function judge_compiled(row, figures, quiet)
  local ours, torch, kernel = figures.compiled, figures.torch_compiled, figures.kernel
  local entry = {name = row[1], quiet = quiet, errors = figures.errors, unit = "ratio", eager = figures.luatensor,
    ours = ours, torch = torch, torch_first = figures.first.torch_compiled, kernel = kernel}
  if not ours then return entry end
  entry.eager_ratio = figures.luatensor and figures.luatensor.min / ours.min
  entry.torch_ratio = torch and torch.min / ours.min
  entry.kernel_ratio = kernel and kernel.min / ours.min
  if options.device == "cpu" then entry.gate, entry.aim = row.compiled_gate, row.compiled_aim end
  entry.verdict = verdict(entry.torch_ratio, entry.gate, quiet)
  return entry
end

local function show_name(entry) return entry.name .. (entry.quiet and "" or " ~") end

local function show_gate(entry)
  if not entry.gate then return "" end
  return ("%s / %s"):format(format.show(entry.gate, entry.unit), format.show(entry.aim, entry.unit))
end

-- Returns the cell of torch.compile: the time, or a short reason why there is none. The whole reason of a failure is
-- printed below the tables.
local function show_torch_compiled(entry)
  local problem = entry.errors.torch_compiled
  if not problem then return show_time(entry.torch) end
  return #problem <= 20 and problem or "failed"
end

local function line_of(entry)
  return {
    show_name(entry), show_time(entry.ours), show_time(entry.torch), show_time(entry.numpy),
    entry.torch_ratio or false, entry.numpy_ratio or false, entry.share or false, show_gate(entry), entry.verdict or "",
  }
end

local function compiled_line_of(entry)
  return {
    show_name(entry), show_time(entry.ours), show_torch_compiled(entry), entry.torch_first or false,
    show_time(entry.kernel), entry.eager_ratio or false, entry.torch_ratio or false, entry.kernel_ratio or false,
    show_gate(entry), entry.verdict or "",
  }
end

local columns = {
  {name = "row: min (median) of a call", unit = "text"}, {name = "luatensor", unit = "text"},
  {name = "PyTorch", unit = "text"}, {name = "NumPy", unit = "text"}, {name = "PyTorch/ours", unit = "ratio"},
  {name = "NumPy/ours", unit = "ratio"}, {name = "of limit", unit = "share"}, {name = "gate / aim", unit = "text"},
  {name = "", unit = "text"},
}
local compiled_columns = {
  {name = "row, compiled", unit = "text"}, {name = "lt.compile", unit = "text"},
  {name = "torch.compile", unit = "text"}, {name = "its first call", unit = "s"},
  {name = "lt.elementwise", unit = "text"}, {name = "eager/ours", unit = "ratio"},
  {name = "torch.compile/ours", unit = "ratio"}, {name = "elementwise/ours", unit = "ratio"},
  {name = "gate / aim", unit = "text"}, {name = "", unit = "text"},
}

local function table_of(entries, names, line)
  local lines = {}
  for i, entry in ipairs(entries) do lines[i] = line(entry) end
  return document.table{columns = names, rows = lines}
end

-- ---- checks other than times --------------------------------------------------------------------

-- Checks that the relative error of a float32 sum of 49 million numbers is at most 6e-8, one rounding of float32
-- (2^-24). The exact sum is computed in float64.
local function check_sum_error()
  local x = lt.rand(7000, 7000)
  local exact = x:to("float64"):sum():item()
  local off = math.abs(x:sum():item() - exact) / exact
  return {name = "sum 7000×7000, relative error", value = format.show(off, "number"), gate = "6e-8 / 1e-8",
    verdict = off <= 6e-8 and "met" or "missed"}
end

-- Checks that the second half of the iterations does not raise the peak of live memory, so no iteration leaks. One
-- iteration multiplies two matrices of 7000 × 3000 and sums the product.
local function check_memory()
  collectgarbage()
  lt.empty_cache()
  lt.reset_peak_memory(options.device)
  local before = lt.memory(options.device).live
  local peaks = {}
  for i = 1, options.iterations do
    lt.rand(7000, 3000):matmul(lt.rand(7000, 3000).T):sum()
    peaks[i] = lt.memory(options.device).peak
  end
  local half, last = peaks[(#peaks + 1) // 2], peaks[#peaks]
  return {name = ("memory over %d large iterations"):format(options.iterations),
    value = ("peak %s, %s after half of them"):format(format.show(last - before, "B"), format.show(half - before, "B")),
    gate = "flat", verdict = last == half and "met" or "missed"}
end

local checks = {{"sum 7000×7000, relative error", check_sum_error}, {"memory, large iterations", check_memory}}

-- ---- the run ------------------------------------------------------------------------------------

local function selected(name) return name:find(options.rows) ~= nil end

local function wants(row)
  local gate, _, share_gate = wanted(row)
  local compiled_gate = options.device == "cpu" and row.compiled_gate
  return selected(row[1]) and (gate or share_gate or compiled_gate or options.gates ~= "yes")
    and (not row.gpu or options.device ~= "cpu")
end

-- Returns the list of the rows to measure. The second result is true if one of the rows is compiled.
local function choose_rows()
  local chosen, compiled = {}, false
  for _, row in ipairs(rows) do
    if wants(row) then chosen[#chosen + 1], compiled = row, compiled or row.compiled end
  end
  return chosen, compiled
end

-- Waits for an idle machine. Returns false if the machine stays busy.
local function await_idle()
  local task <close> = progress.task("bench", 1)
  task:step(("waiting up to %d s for an idle machine"):format(options.wait))
  return idle.await(options.wait)
end

-- Measures the rows until the time of --budget is over. Returns the entries of the performance table and of the table
-- of compiled functions.
local function run_rows(chosen, contenders, limits)
  local entries, compiled = {}, {}
  local give_up = lt.clock() + options.budget
  local task <close> = progress.task("bench", #chosen)
  for i, row in ipairs(chosen) do
    if lt.clock() > give_up then break end
    task:step(row[1])
    local quiet = idle.await(options.wait)
    local figures = measure(row, contenders)
    entries[i] = judge(row, figures, limits, quiet)
    if row.compiled then compiled[#compiled + 1] = judge_compiled(row, figures, quiet) end
  end
  return entries, compiled
end

local function print_errors(entries)
  for _, entry in ipairs(entries) do
    for who, problem in pairs(entry.errors) do print(("%s: %s: %s"):format(entry.name, who, problem)) end
  end
end

if not await_idle() and options.noisy ~= "yes" then
  print(("bench: not measured, the machine stayed busy for %d s (--noisy yes measures all the same)"):format(
    options.wait))
  os.exit(0, true)
end

lt.set_default_device(options.device)
local chosen, any_compiled = choose_rows()
local contenders = contender.all(options, any_compiled)
local limits = lt.limits(options.device)
print(experiment.describe(options.device))
for _, note in ipairs(experiment.caveats(options.device)) do print(terminal.block(note)) end
for _, who in ipairs(contenders) do print(("  %-14s %s"):format(who.name, who.version)) end
print(terminal.block(document.text("measured limits: read {read}, copy {copy}, {flops}", {
  read = {limits.read, "B/s"}, copy = {limits.copy, "B/s"}, flops = {limits.flops, "FLOP/s"},
})) .. "\n")

local entries, compiled_entries = run_rows(chosen, contenders, limits)
contender.close(contenders)
local render = options.markdown == "yes" and markdown or terminal
-- Each row stays on one line, whatever the width of the terminal.
if #entries > 0 then print(render.block(table_of(entries, columns, line_of), 200)) end
if #compiled_entries > 0 then
  print("\n" .. render.block(table_of(compiled_entries, compiled_columns, compiled_line_of), 200))
end

print()
local outcomes = {}
for _, check in ipairs(checks) do
  if selected(check[1]) then
    local outcome = check[2]()
    outcomes[#outcomes + 1] = outcome
    print(("%s: %s (gate %s): %s"):format(outcome.name, outcome.value, outcome.gate, outcome.verdict))
  end
end
if #entries < #chosen then
  print(("%d of %d rows were not measured, because the time of --budget was over"):format(#chosen - #entries, #chosen))
end
if #chosen + #outcomes == 0 then print(("no row matches %q"):format(options.rows)) end
print_errors(entries)
for _, entry in ipairs(entries) do
  if not entry.quiet then
    print("~ measured while the machine was busy: no verdict")
    break
  end
end

if options.json ~= "" then
  assert(files.write(options.json, result.encode{
    kind = "performance table",
    machine = experiment.describe(options.device), threads = options.threads, limits = limits, rows = entries,
    compiled = compiled_entries, checks = outcomes,
  }))
end
