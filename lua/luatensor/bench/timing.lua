--- One function, timed.

local core = require "luatensor.core"
local lt = require "luatensor"
local args = require "luatensor.base.args"
local described = require "luatensor.bench.fields"
local document = require "luatensor.page.document"
local format = require "luatensor.page.format"
local idle = require "luatensor.bench.idle"
local interrupt = require "luatensor.bench.interrupt"
local progress = require "luatensor.bench.progress"
local result = require "luatensor.bench.result"
local sample = require "luatensor.bench.sample"
local state = require "luatensor.bench.state"

local timing = {}

--- Options of whatever takes samples.
timing.options = {
  name = "string", seconds = {"number", 1e-6, 1e6}, rounds = {"integer", 1, 1000}, warmup = {"number", 0, 1e6},
  device = "device", gc = {"choice", "count", "out"}, threads = {"integer", 1, 1024}, clock = "callable",
  seed = "integer",
}

-- ---- the result ---------------------------------------------------------------------------------

local methods = {}

local function headline(self)
  return document.text("{name}: {median} a call; half of {rounds} rounds lie within {q1} … {q3}, the least is "
    .. "{min}; calls a round: {calls}", {
      name = {self.name, "text"}, median = {self.median, "s"}, rounds = {#self.samples, "count"},
      calls = {self.calls, "count"}, q1 = {self.q1, "s"}, q3 = {self.q3, "s"}, min = {self.min, "s"},
    })
end

local collections = {count = "garbage collections counted", out = "garbage collections left out"}

local function circumstances(self)
  local where = "on {device}"
  if self.device == "cpu" then where = where .. " with {threads} " .. format.noun(self.threads, "thread") end
  return document.text(where .. ", {dtype}, {gc}", {
    device = {format.device(self), "text"}, threads = {self.threads, "count"}, gc = {collections[self.gc], "text"},
    dtype = {self.dtype or "no tensor came back", "text"},
  })
end

-- What a GPU adds: waiting for each call, and the time on its queue.
local function device_times(self)
  if not (self.device_seconds and self.single) then return nil end
  return document.text("waited for after each call {single}, queued in {queued}; on the device's queue {span} a call",
    {single = {self.single, "s"}, queued = {self.queue_seconds, "s"}, span = {self.device_seconds, "s"}})
end

-- The blocks of it, as every result has them.
function methods:blocks()
  local blocks = {headline(self), circumstances(self)}
  blocks[3] = device_times(self)
  if self.incomplete then blocks[#blocks + 1] = document.note(self.incomplete) end
  for _, note in ipairs(self.notes) do blocks[#blocks + 1] = note end
  return blocks
end

-- Named figures, for diff.
function methods:timings() return {self} end

timing.class = result.class("time", methods, described.with(described.sampled, {
  name = "string", incomplete = "string?", options = described.map "any",
  work = described.optional{name = "string", size = "string", bytes = "number", flops = "number?"},      -- of a suite
  share = described.optional{value = "number?", limit = "string?", note = "block?"},
}))

-- ---- measuring ----------------------------------------------------------------------------------

local function check_clock(what, clock)
  local now = clock()
  if type(now) ~= "number" then
    args.fail(what, "clock: it has to give seconds, it gave a %s", core.type_name(now))
  end
  return clock
end

-- A device's whole name; nil stays nil.
local function full_name(what, device) return device and args.check(what, "device", device, "device") end

--- A sampler's options from the script's, of kinds timing.options; nil options give the defaults.
function timing.check(what, options)
  return {
    what = what, device = full_name(what, options.device),
    seconds = options.seconds or 0.5, rounds = options.rounds or 5,
    warmup = options.warmup or 0.1, gc = options.gc or "count",
    clock = options.clock and check_clock(what, options.clock) or lt.clock, seed = options.seed or 0,
    threads = options.threads,
  }
end

--- The same options with another device, where one is given.
function timing.with_device(checked, device)
  return setmetatable({device = full_name(checked.what, device)}, {__index = checked})
end

--- What a result says of the options.
function timing.kept(checked)
  return {seconds = checked.seconds, rounds = checked.rounds, warmup = checked.warmup, seed = checked.seed}
end

--- The process as the options want it; the caller has kept its state.
function timing.prepare(checked)
  if checked.threads then lt.set_num_threads(checked.threads) end
  lt.manual_seed(checked.seed)
  idle.pause()
end

local function rounds_of(sampler, name)
  local planned, seconds = sampler:planned()
  local task <close> = progress.task(name, planned, {seconds = seconds})
  repeat
    task:step("round")
    sampler:round()
  until sampler:done()
end

local function complete(sampler, name, checked, incomplete)
  local fields = sampler:finish(incomplete ~= nil)
  fields.name, fields.incomplete = name, incomplete
  fields.options = timing.kept(checked)
  return result.new(timing.class, fields)
end

local function stopped(sampler, name, checked)
  if not sampler:has_samples() then interrupt.raise() end
  local text = ("stopped after %d of %d rounds"):format(#sampler.samples, (sampler:planned()))
  interrupt.raise(complete(sampler, name, checked, text))
end

-- Where the function stands: "script.lua:12".
local function default_name(fn)
  local info = type(fn) == "function" and debug.getinfo(fn, "S")
  return info and info.what ~= "C" and ("%s:%d"):format(info.short_src, info.linedefined) or "function"
end

--- What a result is called: option name, or where the function stands.
function timing.name_of(fn, options) return options.name or default_name(fn) end

--- Times calls of a function. Devices are waited for before the clock is read, both times.
-- @function bench.time
-- @tparam function fn called without arguments; what it returns is looked at once, for its dtype and device
-- @tparam[opt] table options
--   `name` of what is timed (where the function stands);
--   `seconds` to measure (0.5) and `rounds` to make at least (5): a round is as many calls in sequence as a share of
--   the seconds holds; functions whose calls take many seconds make two at least;
--   `warmup` seconds before (0.1), one call at least, and until two rounds agree;
--   `device` to wait for, the default device meanwhile (all in use are waited for);
--   `gc`: "count" (default) leaves collections where they fall, "out" stops the collector within a round; before a
--   round garbage is collected in both;
--   `threads`; `seed` of the default generator (0), whose state comes back afterwards;
--   `clock`, a function that gives seconds (lt.clock)
-- @treturn table a result of kind "time". All seconds are a call's: `samples` (one a round), `min`, `q1`, `median`,
--   `q3`, `max` of them; `single`: a call that is waited for; `queue_seconds`: what a clock that does not wait shows
--   for it; `device_seconds`: from the first to the last on the device's queue, gaps included (not on the CPU);
--   `first`: the very first call. Besides `calls` (a round), `device`, `dtype` of what came back, `threads`, `gc`,
--   `emulated`, `others` (share of the processor that others used) and `notes`
-- @raise what fn raises, as it is; a clock that stands still
function timing.time(fn, options)
  args.check("bench.time", "argument 1", fn, "callable")
  options = args.read("bench.time", options, timing.options)
  local name = timing.name_of(fn, options)
  local checked = timing.check("bench.time", options)
  local _ <close> = state.keep()
  timing.prepare(checked)
  local sampler = sample.new(fn, checked)
  local ok, problem = pcall(function()
    sampler:warm_up()
    rounds_of(sampler, name)
  end)
  if ok then return complete(sampler, name, checked) end
  if not interrupt.is(problem) then error(problem, 0) end
  return stopped(sampler, name, checked)
end

return timing
