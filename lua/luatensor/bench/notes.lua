--- Makes the caveats about a measured time. Each caveat is a note.

local document = require "luatensor.page.document"
local statistics = require "luatensor.bench.statistics"

local notes = {}

--- If the quartiles are further apart than this share of the median, a note says so.
notes.SPREAD = 0.1

--- If others used more than this share of the processor, a note says so.
notes.OTHERS = 0.1

--- Texts of caveats about emulated figures: the end of a sentence, the title of a table, and a sentence.
notes.NOTHING = "these times say nothing about a real one"
notes.ON_EMULATED = "On an emulated device: " .. notes.NOTHING
notes.EMULATOR = "An emulator of a GPU on the CPU: its times say nothing about a GPU."

local TREND <const> = 0.1        -- a note says if later rounds took 10 % more or less time than earlier rounds
local CALL <const> = 0.1         -- a note says if the call of a function takes more than 10 % of the median

--- Returns the note on the share of the processor that others used, or nil if this share is negligible.
function notes.others(share)
  if (share or 0) <= notes.OTHERS then return nil end
  return document.note("Others used {share} of the processor meanwhile.", {share = {share, "share"}})
end

-- Each rule is a function of a sampler's figures and of `run` (see notes.of). It returns a note, or nil if the note
-- does not apply.
local rules = {}

rules[1] = function(figures, run)
  if not figures.emulated or run.part then return end
  return document.note("Measured on an emulated device: " .. notes.NOTHING .. ".")
end

rules[2] = function(figures)
  local spread = statistics.spread(figures)
  if spread <= notes.SPREAD then return end
  return document.note("The rounds differ: half of them lie within {low} … {high}, which is {spread} of the median.",
    {low = {figures.q1, "s"}, high = {figures.q3, "s"}, spread = {spread, "share"}})
end

rules[3] = function(figures)
  local trend = statistics.trend(figures.samples)
  if not trend or math.abs(trend - 1) <= TREND then return end
  return document.note("Later rounds took {trend} the time of earlier ones: the machine or the function changed "
    .. "while it was measured.", {trend = {trend, "ratio"}})
end

rules[4] = function(figures, run)
  if #figures.samples >= run.rounds then return end
  return document.note("Only {n} rounds of {t} each: quartiles say little.",
    {n = {#figures.samples, "count"}, t = {figures.median * figures.calls, "s"}})
end

rules[5] = function(figures)
  return notes.others(figures.others)
end

-- The note on clocks that are read before the device has finished. The cost of the wait itself (wait_seconds) is
-- subtracted from the time of a call, because this cost is not work that such a clock would miss.
rules[6] = function(figures)
  if not figures.single or figures.queue_seconds >= (figures.single - figures.wait_seconds) / 2 then return end
  return document.note("A clock that does not wait for the device would have shown {queued} instead of {single} for "
    .. "one call: only the time to queue it.", {queued = {figures.queue_seconds, "s"}, single = {figures.single, "s"}})
end

rules[7] = function(figures)
  if (figures.call_seconds or 0) <= CALL * figures.median then return end
  return document.note("About {call} of it is the call of a function, whatever it does.",
    {call = {math.min(figures.call_seconds, figures.median), "s"}})
end

rules[8] = function(_, run)
  if run.dropped == 0 then return end
  return document.note("Rounds left out because the clock did not move forward: {n}.", {n = {run.dropped, "count"}})
end

--- Returns the notes on a sampler's figures.
-- @tab figures
-- @tab run dropped: the number of rounds left out; rounds: the required number of rounds; part: true if the figures
--   are part of a larger result, which itself has the notes on emulation and on other processes
-- @treturn table list of blocks
function notes.of(figures, run)
  local list = {}
  for _, rule in ipairs(rules) do list[#list + 1] = rule(figures, run) end
  return list
end

return notes
