--- The engine of all measuring: repeated calls of a function, timed in rounds.
--
--     local sampler = sample.new(fn, options)     who calls it keeps the state (state.lua) and checks the options
--     sampler:warm_up()                           first call, warm-up, how many calls make a round
--     while not sampler:done() do sampler:round() end      rounds of several samplers may go in turn
--     local figures = sampler:finish()
--
-- What the function raises passes through untouched.

local lt = require "luatensor"
local core = require "luatensor.core"
local agree = require "luatensor.bench.comparison.agree"
local args = require "luatensor.base.args"
local idle = require "luatensor.bench.idle"
local notes = require "luatensor.bench.notes"
local state = require "luatensor.bench.state"
local statistics = require "luatensor.bench.statistics"

local sample = {}

local ROUNDS <const> = 20             -- that share the seconds: enough for quartiles
local LONGEST_ROUND <const> = 0.1     -- seconds, where a call takes less
local MOST_ROUNDS <const> = 1000
local MOST_CALLS <const> = 2 ^ 30 // 1 | 0
local TRIES <const> = 1 << 20         -- calls that take time on any clock: an empty one takes 20 ns
local STEADY <const> = 0.05           -- two rounds that differ by less are warm
local LONGEST_WARM_UP <const> = 1     -- seconds, where a call takes less
local PATIENCE <const> = 30           -- seconds after which two rounds have to do
local SLOW <const> = 1                -- seconds a call: no cache is cold for long, no call is made for nothing
local MOST_GARBAGE <const> = 32 << 20 -- bytes a round without collections
local MOST_CORRECTIONS <const> = 3
local SINGLES <const> = 5
local SHORT <const> = 1e-6            -- seconds a call, of which the call itself may be a part that counts
local EMPTY_CALLS <const> = 10000

local sampler = {}
sampler.__index = sampler

function sampler:reset()
  self.samples, self.queued, self.spans, self.spent, self.dropped = {}, {}, {}, 0, 0
  self.around, self.longest, self.corrections, self.most_calls = 0, 1, 0, MOST_CALLS      -- around: seconds of all
  self.a_call, self.watch = nil, nil                                                      -- that rounds do
end

-- ---- devices ------------------------------------------------------------------------------------

-- Calls fn once. What it returned, packed, and the devices that worked for it: {cpu = true, ["cuda:0"] = true}; nil
-- where that cannot be told, because a profile runs already.
local function watched_call(fn)
  local _ <close> = state.profile_end()
  if not state.start_profile() then return table.pack(fn()), nil end
  local results, worked = table.pack(fn()), {}
  for _, device in ipairs(core.profile_stop().devices) do worked[device] = true end
  return results, worked
end

-- True if an emulated device took part in the work, else nil. If the profile cannot tell, the named device decides, or,
-- if none is named, any emulated device of this process counts.
local function emulation(named, worked)
  for _, info in ipairs(lt.devices()) do
    local took_part = worked and worked[info.device] or not worked and not named
    if info.emulated and (took_part or info.device == named) then return true end
  end
end

-- The first device that is not the CPU and worked; nil: none.
local function accelerator_of(worked)
  for _, info in ipairs(lt.devices()) do
    if info.kind ~= "cpu" and worked and worked[info.device] then return info.device end
  end
end

-- ---- calls --------------------------------------------------------------------------------------

local function call(fn, times)
  for _ = 1, times do fn() end
end

-- Seconds of so many calls in sequence, and until a clock without synchronisation would have been read.
function sampler:time_calls(calls)
  local fn, clock, device, events = self.fn, self.clock, self.sync, self.events
  lt.synchronize(device)
  if events then events[1]:record() end
  local start = clock()
  call(fn, calls)
  local queued = clock()
  if events then events[2]:record() end
  lt.synchronize(device)
  return clock() - start, queued - start
end

local function is_time(seconds) return seconds > 0 and seconds < math.huge end

-- A clock that stands still or steps back: three times is no accident.
function sampler:moved(seconds)
  if is_time(seconds) then return true end
  self.dropped = self.dropped + 1
  if self.dropped >= 3 then
    args.fail(self.what, "the clock did not move forward in %d of %d rounds: it stands still or was set back",
      self.dropped, self.dropped + #self.samples)
  end
  return false
end

-- ---- before the rounds --------------------------------------------------------------------------

-- The first call: what it takes alone (kernels are compiled, memory is found), and what came back.
function sampler:first_call()
  lt.synchronize(self.sync)
  local start = self.clock()
  local results, worked = watched_call(self.fn)
  lt.synchronize(self.sync)
  self.first = math.max(0, self.clock() - start)
  local tensor = agree.first_tensor(results)
  self.dtype = tensor and tensor.dtype
  self.device = self.device or accelerator_of(worked) or tensor and tensor.device or lt.get_default_device()
  self.emulated = emulation(self.sync, worked)
  if self.device ~= "cpu" then
    self.events = {lt.event{device = self.device}, lt.event{device = self.device}}
  end
end

-- Twice as many calls as long as they are too short to be read from the clock.
local function longer(calls, seconds, round)
  if seconds >= round / 2 then return calls end
  return math.min(2 * calls, MOST_CALLS)
end

-- Until two rounds agree, and at least self.warmup seconds.
function sampler:settle()
  local spent, calls, last, steady, began = self.first, 1, nil, false, lt.clock()
  while not self.a_call or spent < self.warmup or not steady and spent < LONGEST_WARM_UP do
    local seconds = self:time_calls(calls)
    if is_time(seconds) then
      spent = spent + seconds
      self.a_call = seconds / calls
      steady = last ~= nil and math.abs(self.a_call / last - 1) <= STEADY
      last = self.a_call
    elseif calls >= TRIES or lt.clock() - began > LONGEST_WARM_UP then
      self:moved(seconds)
    end
    calls = seconds > 0 and longer(calls, seconds, self.round_seconds) or math.min(2 * calls, TRIES)
  end
end

local function bytes_in_use()
  local bytes = 1024 * collectgarbage("count")
  for _, info in ipairs(lt.devices()) do bytes = bytes + lt.memory(info.device).live end
  return bytes
end

-- Bytes that a call leaves behind.
local function garbage_a_call(fn)
  collectgarbage()
  local _ <close> = state.stop_collector()
  local before = bytes_in_use()
  fn()
  local growth = bytes_in_use() - before
  if growth > MOST_GARBAGE / 8 then return growth end
  call(fn, 7)
  return math.max(growth, (bytes_in_use() - before) / 8)
end

-- The number of calls in a round.
function sampler:calibrate()
  local calls = math.min(self.most_calls, self.round_seconds / self.a_call)
  self.calls = math.max(1, calls // 1 | 0)
end

-- A first round that was much shorter than the warm-up had promised (something else ran then) belongs to the warm-up.
function sampler:corrected(seconds)
  if #self.samples > 0 or self.corrections >= MOST_CORRECTIONS or not is_time(seconds) then return false end
  local before = self.calls
  self.a_call = seconds / before
  self:calibrate()
  if self.calls < 2 * before then
    self.calls = before
    return false
  end
  self.corrections = self.corrections + 1
  return true
end

-- Later rounds all count, or the fastest would be lost; only how many calls the next one has follows them.
function sampler:adapt(seconds)
  if seconds > 4 * self.round_seconds then
    self.calls = math.max(1, self.calls // 2)
  elseif seconds < self.round_seconds / 4 then
    self.calls = math.max(1, math.min(2 * self.calls, self.most_calls) // 1 | 0)
  end
end

-- Handles a slow first call: a second call shows whether only the first was slow. If the second is slow, too, it counts
-- as a round.
function sampler:is_slow()
  if self.first < SLOW then return false end
  self.a_call, self.calls, self.most_calls = self.first, 1, 1
  self:round()
  if self.spent >= SLOW then return true end
  self:reset()
  return false
end

--- The first call, then calls until their time is steady; how many of them make a round.
function sampler:warm_up()
  local _ <close> = state.use_device(self.default_device)
  self:first_call()
  if self:is_slow() then return end
  self:settle()
  if self.gc == "out" then self.most_calls = MOST_GARBAGE / math.max(1, garbage_a_call(self.fn)) end
  self:calibrate()
  self.dropped = 0
end

--- The number of planned rounds, and the seconds that they take, approximately.
function sampler:planned()
  local round = self.a_call * self.calls
  local wanted = math.max(self.rounds, math.ceil(self.seconds / round))
  local rounds = math.min(MOST_ROUNDS, wanted, math.max(2, math.ceil(self.patience / round)))
  return rounds, rounds * round
end

-- ---- rounds -------------------------------------------------------------------------------------

function sampler:add(seconds, queued)
  if self:corrected(seconds) or not self:moved(seconds) then return end
  local n = #self.samples + 1
  self.samples[n], self.queued[n] = seconds / self.calls, queued
  self.spent, self.longest = self.spent + seconds, math.max(self.longest, self.calls)
  if self.events then self.spans[n] = self.events[1]:elapsed(self.events[2]) / 1000 / self.calls end
  self:adapt(seconds)
end

--- One round: a full collection, a call that is not timed, and the timed calls.
function sampler:round()
  local _ <close> = state.use_device(self.default_device)
  if not self.part then self.watch = self.watch or idle.watch() end
  local start = self.clock()
  collectgarbage()
  if self.a_call < SLOW then self.fn() end
  local _ <close> = self.gc == "out" and state.stop_collector() or nil
  self:add(self:time_calls(self.calls))
  self.around = self.around + self.clock() - start
end

--- True if there are enough rounds.
function sampler:done()
  local n = #self.samples
  if n >= MOST_ROUNDS or n >= 2 and self.spent >= self.patience then return true end
  if n < self.rounds then return false end
  return self.spent >= self.seconds or self.around >= 4 * self.seconds
end

-- ---- what was measured --------------------------------------------------------------------------

-- Calls that are waited for one by one. Rounds of one call have shown it already.
function sampler:single_calls()
  local _ <close> = state.use_device(self.default_device)
  local single, queued = self.samples, self.queued
  if self.longest > 1 then
    single, queued = {}, {}
    for i = 1, SINGLES do single[i], queued[i] = self:time_calls(1) end
  end
  return statistics.median(single), statistics.median(queued)
end

-- What waiting for devices takes where nothing is queued.
function sampler:wait_seconds()
  local waits = {}
  for i = 1, SINGLES do waits[i] = self:time_nothing() end
  return statistics.median(waits)
end

function sampler:time_nothing()
  local start = self.clock()
  lt.synchronize(self.sync)
  return self.clock() - start
end

-- What the call of a function takes that does nothing.
function sampler:call_seconds()
  local nothing, times = function() end, {}
  for i = 1, SINGLES do
    local start = self.clock()
    call(nothing, EMPTY_CALLS)
    times[i] = (self.clock() - start) / EMPTY_CALLS
  end
  return statistics.median(times)
end

--- The figures; there must have been a round.
-- @tparam[opt] boolean partial no more calls: the run was stopped
-- @treturn table figures: samples, min, q1, median, q3, max, single, queue_seconds, device_seconds, first (all seconds
--   a call), calls, device, dtype, threads, gc, emulated, others (a share), notes; wait_seconds: what waiting takes
--   where nothing is queued; call_seconds: what the call of a function takes that does nothing, where that counts
function sampler:finish(partial)
  local figures = statistics.summary(self.samples)
  figures.samples, figures.calls, figures.first = self.samples, self.calls, self.first
  figures.device, figures.dtype, figures.gc, figures.threads = self.device, self.dtype, self.gc, lt.get_num_threads()
  figures.device_seconds = self.spans[1] and statistics.median(self.spans)
  figures.others = self.watch and self.watch:others()
  if not partial then
    figures.single, figures.queue_seconds = self:single_calls()
    figures.wait_seconds = self:wait_seconds()
    figures.call_seconds = figures.median < SHORT and self:call_seconds() or nil
  end
  figures.emulated = self.emulated
  figures.notes = notes.of(figures, {dropped = self.dropped, rounds = self.rounds, part = self.part})
  return figures
end

--- True if it has a round to show.
function sampler:has_samples() return #self.samples > 0 end

--- A sampler.
-- @func fn what is timed
-- @tab options what: the function's name in errors; seconds to measure; rounds at least; warmup seconds; gc: "count"
--   or "out"; clock: a function; device: to wait for, the default device while fn runs (nil: all in use); part: the
--   figures are part of a larger result, which says itself what is emulated and what others did
function sample.new(fn, options)
  local self = setmetatable({
    fn = fn, what = options.what, clock = options.clock, gc = options.gc, rounds = options.rounds,
    seconds = options.seconds, warmup = options.warmup, patience = math.max(PATIENCE, options.seconds),
    round_seconds = math.min(LONGEST_ROUND, options.seconds / ROUNDS), device = options.device, sync = options.device,
    default_device = options.device, part = options.part,
  }, sampler)
  self:reset()
  return self
end

return sample
