--- Compares several functions that should compute the same results, by timing them in turn.

local core = require "luatensor.core"
local lt = require "luatensor"
local agree = require "luatensor.bench.comparison.agree"
local args = require "luatensor.base.args"
local described = require "luatensor.bench.fields"
local idle = require "luatensor.bench.idle"
local interrupt = require "luatensor.bench.interrupt"
local noise = require "luatensor.bench.noise"
local page = require "luatensor.bench.comparison.page"
local progress = require "luatensor.bench.progress"
local result = require "luatensor.bench.result"
local sample = require "luatensor.bench.sample"
local state = require "luatensor.bench.state"
local statistics = require "luatensor.bench.statistics"
local timing = require "luatensor.bench.timing"

local comparison = {}

--- The significance level of a verdict, which is a sign test. If two functions are equally fast, the probability is at
-- most LEVEL that so many pairs of rounds favour one of them by chance.
comparison.LEVEL = 0.001

comparison.class = result.class("compare", page, {
  name = "string?", base = "string", incomplete = "string?", gc = "string?", threads = "number?", others = "number?",
  emulated = "boolean?", options = described.map "any",
  entries = {described.with(described.maybe(described.sampled), {
    name = "string", error = "string?", agreement = "string?", difference = "string?", ratio = "number?",
    verdict = "string?",
    pairs = described.optional{
      count = "number", faster = "number", floor = "number", q1 = "number", median = "number", q3 = "number",
    },
  })},
})

-- ---- entries ------------------------------------------------------------------------------------

local function check_entry(i, entry, names)
  if type(entry) ~= "table" then
    args.fail("bench.compare", "entry %d: {\"name\", function} expected, got %s", i, core.type_name(entry))
  end
  for key in pairs(entry) do
    if key ~= 1 and key ~= 2 and key ~= "device" then
      args.fail("bench.compare", "entry %d: unknown field %q; known: 1 (name), 2 (function), device", i,
        tostring(key))
    end
  end
  if type(entry[1]) ~= "string" then
    args.fail("bench.compare", "entry %d: name expected first, got %s", i, core.type_name(entry[1]))
  elseif names[entry[1]] then
    args.fail("bench.compare", "entries %d and %d are both named %q", names[entry[1]], i, entry[1])
  end
  names[entry[1]] = i
  args.check("bench.compare", ("entry %d (%s)"):format(i, entry[1]), entry[2], "callable")
end

local function check_entries(entries)
  if type(entries) ~= "table" then
    args.fail("bench.compare", "argument 1: list of entries expected, got %s", core.type_name(entries))
  elseif #entries < 2 then
    args.fail("bench.compare", "two entries or more expected, got %d", #entries)
  end
  local names = {}
  for i, entry in ipairs(entries) do check_entry(i, entry, names) end
end

-- Calls f, and returns true and its results. After an error other than Ctrl-C, stores the error in the entry and
-- returns false.
local function attempt(entry, f, ...)
  local returned = table.pack(pcall(f, ...))
  if returned[1] then return true, table.unpack(returned, 2, returned.n) end
  if interrupt.is(returned[2]) then error(returned[2], 0) end
  entry.error = tostring(returned[2])
  return false
end

-- ---- agreement ----------------------------------------------------------------------------------

-- Calls an entry's function once, after seeding the default generator with `seed`. Returns its results (table.pack),
-- or nil if the function raised an error, which is stored in the entry.
local function results_of(entry, seed)
  local _ <close> = state.use_device(entry.sampler.default_device)
  lt.manual_seed(seed)
  local ok, results = attempt(entry, function()
    local packed = table.pack(entry.sampler.fn())
    lt.synchronize()                       -- wait for errors that are reported late
    return packed
  end)
  return ok and results or nil
end

local function outcome(expected, got, same)
  if not same then return agree.results(expected, got) end
  if same(expected[1], got[1]) then return "agree" end
  return "differ", "are not the same to the function that was given"
end

local function why_unchecked(expected, got)
  if expected and got and (expected.n == 0) ~= (got.n == 0) then
    return (expected.n == 0 and "the base" or "it") .. " returns nothing, the other does"
  end
  return "no results to compare"
end

-- Sets `agreement` of each entry by comparing its results with those of the base, the first entry. The base runs
-- twice: if its two results differ, no entry can be compared with the base.
local function check_agreement(entries, checked, same)
  local base = entries[1]
  local expected = results_of(base, checked.seed)
  local again = expected and results_of(base, checked.seed)
  local repeats = again and outcome(expected, again, same)
  if repeats == "differ" then base.agreement = "does not repeat" end
  for i = 2, #entries do
    local entry = entries[i]
    local got = results_of(entry, checked.seed)
    if repeats == "agree" and got then
      entry.agreement, entry.difference = outcome(expected, got, same)
    else
      entry.agreement = repeats == "differ" and "does not repeat" or "not checked"
    end
    if entry.agreement == "not checked" then entry.difference = why_unchecked(expected, got) end
  end
end

-- ---- rounds in turn -----------------------------------------------------------------------------

local function warm_up(entries, checked)
  for _, entry in ipairs(entries) do
    if not entry.error then
      idle.pause()
      lt.manual_seed(checked.seed)
      attempt(entry, entry.sampler.warm_up, entry.sampler)
    end
  end
end

-- Returns the sum of the planned numbers of rounds of all entries that did not fail, and the approximate seconds that
-- these rounds take.
local function planned(entries)
  local rounds, seconds = 0, 0
  for _, entry in ipairs(entries) do
    if not entry.error then
      local own_rounds, own_seconds = entry.sampler:planned()
      rounds, seconds = rounds + own_rounds, seconds + own_seconds
    end
  end
  return rounds, seconds
end

-- Runs a round of an entry in turn `number`. Stores the time per call in entry.turns[number], so that pairs_between
-- can compare it with the base's time in the same turn.
local function round(entry, number)
  local sampler = entry.sampler
  local before = #sampler.samples
  attempt(entry, sampler.round, sampler)
  if #sampler.samples > before then entry.turns[number] = sampler.samples[#sampler.samples] end
end

-- Runs a round of each entry that needs more rounds. Returns false if no entry needs more.
local function turn(entries, task, number)
  local active = false
  for i = 1, #entries do
    -- the order alternates, so that no entry is always the first
    local entry = entries[number % 2 == 1 and i or #entries + 1 - i]
    if not entry.error and not entry.sampler:done() then
      active = true
      task:step(entry.name)
      idle.pause()                         -- lets the threads of the previous entry stop spinning
      round(entry, number)
    end
  end
  return active
end

local function measure(entries, checked, options)
  if options.check == false then
    for i = 2, #entries do entries[i].agreement, entries[i].difference = "not checked", "as asked" end
  else
    check_agreement(entries, checked, options.same)
  end
  warm_up(entries, checked)
  local rounds, seconds = planned(entries)
  local task <close> = progress.task(options.name or "comparing", rounds, {seconds = seconds})
  local number = 1
  while turn(entries, task, number) do number = number + 1 end
end

-- ---- the result ---------------------------------------------------------------------------------

-- Compares the times of the base and of an entry in the same turn, because a disturbance of both times cancels in
-- their ratio. Returns the number of turns, the number of turns in which the entry was faster, and the quartiles of
-- the ratios base / entry. Returns nil if no turn has both times.
local function pairs_between(base, entry)
  local ratios, faster = {}, 0
  for number, seconds in pairs(entry.turns) do
    local ratio = base.turns[number] and base.turns[number] / seconds
    ratios[#ratios + 1] = ratio
    if ratio and ratio > 1 then faster = faster + 1 end
  end
  if #ratios == 0 then return nil end
  local summary = statistics.summary(ratios)
  return {count = #ratios, faster = faster, q1 = summary.q1, median = summary.median, q3 = summary.q3}
end

-- Returns the verdict on `found`, a result of pairs_between. For "faster" or "slower", nearly all pairs must agree
-- (see LEVEL), and the quartiles of the ratios must differ from 1 by more than found.floor (see noise.floor).
local function verdict(found)
  local least = statistics.majority(found.count, comparison.LEVEL)
  if not least then return "undecided" end
  if found.faster >= least and found.q1 > 1 + found.floor then return "faster" end
  if found.count - found.faster >= least and found.q3 < 1 / (1 + found.floor) then return "slower" end
  return "undecided"
end

local function compare_with(base, entry, made_base, made, others)
  if not (base.median and entry.median) or entry.agreement == "differ" then return end
  if base.emulated ~= entry.emulated then return end
  entry.pairs = pairs_between(made_base, made)
  entry.ratio, entry.verdict = base.median / entry.median, "undecided"
  if not entry.pairs then return end
  entry.pairs.floor = noise.floor(others)
  entry.ratio, entry.verdict = entry.pairs.median, verdict(entry.pairs)
end

-- Returns the fields of an entry that the result stores. `partial` is true if the run was stopped by Ctrl-C.
local function figures_of(entry, partial)
  local fields = {}
  if not entry.error and entry.sampler:has_samples() then fields = entry.sampler:finish(partial) end
  fields.name, fields.error, fields.agreement, fields.difference =
    entry.name, entry.error, entry.agreement, entry.difference
  -- the field `first` is removed, because the checks have already made the first call
  fields.device, fields.first = fields.device or entry.sampler.default_device, nil
  return fields
end

local function complete(entries, checked, options, watch, incomplete)
  local fields = {name = options.name, base = entries[1].name, entries = {}, others = watch:others(),
    gc = checked.gc, threads = lt.get_num_threads(), incomplete = incomplete, options = timing.kept(checked)}
  for i, entry in ipairs(entries) do
    fields.entries[i] = figures_of(entry, incomplete ~= nil)
    fields.emulated = fields.emulated or fields.entries[i].emulated
    if i > 1 then compare_with(fields.entries[1], fields.entries[i], entries[1], entries[i], fields.others) end
  end
  return result.new(comparison.class, fields)
end

local function stopped(entries, checked, options, watch)
  local rounds = 0
  for _, entry in ipairs(entries) do rounds = math.max(rounds, #entry.sampler.samples) end
  if rounds == 0 then interrupt.raise() end
  interrupt.raise(complete(entries, checked, options, watch, ("stopped after %d rounds"):format(rounds)))
end

local known_options = {check = "boolean", same = "callable"}
for name, kind in pairs(timing.options) do known_options[name] = kind end

local function make_entries(list, checked)
  local entries = {}
  for i, entry in ipairs(list) do
    local own = timing.with_device(checked, entry.device)
    entries[i] = {name = entry[1], sampler = sample.new(entry[2], own), turns = {}}
  end
  return entries
end

--- Times several functions that should do the same work, and shows how much faster each function is than the first one.
-- The functions run in turn, one round each, in alternating order (A B B A). A ratio is only shown if the results
-- agree. For this check each function is called with the same seed. Floats may differ by the tolerance of their dtype,
-- relative to the largest magnitude.
-- @function bench.compare
-- @tab entries `{{"name", function, device = "cuda"}, …}`: the first is the base; while a function with a device
--   runs, this device is the default device
-- @tparam[opt] table options those of bench.time; `seconds` to measure each entry (0.5); `rounds` of each entry (12);
--   `check` (true; false: results are not compared);
--   `same`: a function that takes the first result of the base and that of another entry, and returns true if they
--   agree
-- @treturn table a result of kind "compare". Each of its `entries` has the figures of bench.time, and
--   `pairs`: adjacent rounds of the base and the entry, with their `count`, how many of them were `faster`, and the
--   quartiles of their ratios;
--   `ratio`: the median of these ratios, if the results agree and both devices are real or both emulated;
--   `verdict`: "faster", "slower" or "undecided";
--   `agreement`: "agree", "differ", "not checked" or "does not repeat", and `difference`, the reason;
--   `error`: the message if the entry failed, which does not stop the other entries.
--   A verdict other than "undecided" needs two things. So many pairs must favour one function that chance would do this
--   with a probability of at most 1/1000. The quartiles of the ratios must differ from 1 by at least 5 %, or by 25 % if
--   other processes used more than a tenth of the processor
function comparison.compare(entries, options)
  options = args.read("bench.compare", options, known_options)
  check_entries(entries)
  local checked = timing.check("bench.compare", options)
  checked.part, checked.rounds = true, options.rounds and checked.rounds or page.ROUNDS
  local _ <close> = state.keep()
  timing.prepare(checked)
  local made, watch = make_entries(entries, checked), idle.watch()
  local ok, problem = pcall(measure, made, checked, options)
  if ok then return complete(made, checked, options, watch) end
  if not interrupt.is(problem) then error(problem, 0) end
  return stopped(made, checked, options, watch)
end

return comparison
