--- Times one function.

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

--- The options that all measuring functions of lt.bench share, each with the kind and the limits of its value.
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
  if self.device == core.host_device then where = where .. " with {threads} " .. format.noun(self.threads, "thread") end
  return document.text(where .. ", {dtype}, {gc}", {
    device = {format.device(self), "text"}, threads = {self.threads, "count"}, gc = {collections[self.gc], "text"},
    dtype = {self.dtype or "no tensor came back", "text"},
  })
end

-- Returns a text with three times of a call on a GPU: the time with a wait for its end, the time of queuing the call,
-- and the time on the device's queue. Returns nil if these times were not measured, as on the CPU.
local function device_times(self)
  if not (self.device_seconds and self.single) then return nil end
  return document.text("waited for after each call {single}, queued in {queued}; on the device's queue {span} a call",
    {single = {self.single, "s"}, queued = {self.queue_seconds, "s"}, span = {self.device_seconds, "s"}})
end

-- Returns the blocks of the result's page. Every class of results has this method.
function methods:blocks()
  local blocks = {headline(self), circumstances(self)}
  blocks[3] = device_times(self)
  if self.incomplete then blocks[#blocks + 1] = document.note(self.incomplete) end
  for _, note in ipairs(self.notes) do blocks[#blocks + 1] = note end
  return blocks
end

-- Returns the named figures that bench.diff compares.
function methods:timings() return {self} end

timing.class = result.class("time", methods, described.with(described.sampled, {
  name = "string", incomplete = "string?", options = described.map "any",
  -- only the results of a suite have these fields
  work = described.optional{name = "string", size = "string", bytes = "number", flops = "number?"},
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

-- Returns the full name of a device, for which `device` may be the beginning of the name. Returns nil for nil.
local function full_name(what, device) return device and args.check(what, "device", device, "device") end

--- Makes a sampler's options from a script's options, of the kinds in timing.options. Missing options get their
-- defaults.
function timing.check(what, options)
  return {
    what = what, device = full_name(what, options.device),
    seconds = options.seconds or 0.5, rounds = options.rounds or 5,
    warmup = options.warmup or 0.1, gc = options.gc or "count",
    clock = options.clock and check_clock(what, options.clock) or lt.clock, seed = options.seed or 0,
    threads = options.threads,
  }
end

--- Returns checked options with another device. If `device` is nil, the options keep their device.
function timing.with_device(checked, device)
  return setmetatable({device = full_name(checked.what, device)}, {__index = checked})
end

--- Returns the options that a result shows.
function timing.kept(checked)
  return {seconds = checked.seconds, rounds = checked.rounds, warmup = checked.warmup, seed = checked.seed}
end

--- Sets threads and seed as the options request. The caller has stored the settings before (state.keep).
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

-- Returns the file and the line of the function's definition, such as "script.lua:12"; "function" if they are unknown.
local function default_name(fn)
  local info = type(fn) == "function" and debug.getinfo(fn, "S")
  return info and info.what ~= "C" and ("%s:%d"):format(info.short_src, info.linedefined) or "function"
end

--- Returns the name of a result: option `name`, or the file and the line of the function's definition.
function timing.name_of(fn, options) return options.name or default_name(fn) end

--- Times calls of a function in rounds. At the start and at the end of a round, waits for the devices and then reads
-- the clock.
-- @function bench.time
-- @tparam function fn called without arguments; its results are only read once, for their dtype and device
-- @tparam[opt] table options `name` of the work (default: the place of the function's definition); `seconds` to
--   measure (0.5); `rounds` (5): the minimum number of rounds. A round makes as many calls as fit into its share of
--   the seconds. If calls take many seconds, two rounds suffice; `warmup` (0.1): the minimum seconds of calls before
--   the first round. At least one call is made, and calls are repeated until two successive times agree; `device`: the
--   device to wait for, which is also the default device while fn runs (default: the call waits for all devices in
--   use); `gc`: "count" (default) lets collections happen, "out" stops the collector within a round. Garbage is always
--   collected before a round; `threads`; `seed` (0): of the default generator, whose state is restored afterwards;
--   `clock`: a function that returns seconds (default: lt.clock)
-- @treturn table a result of kind "time". All times are seconds per call: `samples` (one for each round), `min`,
--   `q1`, `median`, `q3`, `max` of the samples; `single`: a call with a wait for its end; `queue_seconds`: the part
--   of `single` before this wait; `device_seconds`: from the first to the last call on the device's queue, with gaps
--   (not on the CPU); `first`: the first call of the warm-up. Also `calls` (per round), `device`, `dtype` of the
--   result, `threads`, `gc`, `emulated`, `others` (share of the processor that other processes used) and `notes`
-- @raise errors of fn, unchanged; if the clock does not advance
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
