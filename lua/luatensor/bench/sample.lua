--- Times repeated calls of a function in rounds. All measurements of lt.bench use this module.
--
--     local sampler = sample.new(fn, options)     the caller stores the settings (state.lua) and checks the options
--     sampler:warm_up()                           the first call, the warm-up, and the number of calls in a round
--     while not sampler:done() do sampler:round() end      rounds of several samplers may alternate
--     local figures = sampler:finish()
--
-- Errors of the function pass through unchanged.

local lt = require "luatensor"
local core = require "luatensor.core"
local agree = require "luatensor.bench.comparison.agree"
local args = require "luatensor.base.args"
local idle = require "luatensor.bench.idle"
local notes = require "luatensor.bench.notes"
local state = require "luatensor.bench.state"
local statistics = require "luatensor.bench.statistics"

local sample = {}

local ROUNDS <const> = 20             -- the planned number of rounds in the given seconds: enough for quartiles
local LONGEST_ROUND <const> = 0.1     -- the maximum seconds of a round, unless a single call takes longer
local MOST_ROUNDS <const> = 1000
local MOST_CALLS <const> = 2 ^ 30 // 1 | 0
local TRIES <const> = 1 << 20         -- so many empty calls, of 20 ns each, take 20 ms: measurable with any clock
local STEADY <const> = 0.05           -- the warm-up ends when two successive rounds differ by at most this share
local LONGEST_WARM_UP <const> = 1     -- the maximum seconds of a warm-up that makes several calls
local PATIENCE <const> = 30           -- seconds after which measuring ends if there are at least two rounds
-- The number of seconds at which a call counts as slow. Cold caches hardly change the time of a slow call, so no call
-- is made only to warm the caches.
local SLOW <const> = 1
local MOST_GARBAGE <const> = 32 << 20 -- the maximum bytes of garbage in a round without collections
local MOST_CORRECTIONS <const> = 3
local SINGLES <const> = 5
local SHORT <const> = 1e-6            -- in calls of fewer seconds, the function call itself may take a relevant part
local EMPTY_CALLS <const> = 10000

local sampler = {}
sampler.__index = sampler

function sampler:reset()
  self.samples, self.queued, self.spans, self.spent, self.dropped = {}, {}, {}, 0, 0
  -- around: the seconds of all rounds with their untimed parts; longest: the most calls in a round so far.
  -- corrections: how often the number of calls was corrected; most_calls: the most calls allowed in a round.
  self.around, self.longest, self.corrections, self.most_calls = 0, 1, 0, MOST_CALLS
  -- a_call, the seconds of a call, is set by the warm-up; watch (idle.watch) by the first round
  self.a_call, self.watch = nil, nil
end

-- ---- devices ------------------------------------------------------------------------------------

-- Calls fn once. Returns its results, packed, and the devices that worked for the call: {cpu = true, ["cuda:0"] =
-- true}. Returns nil instead of the devices if another profile is already running.
local function watched_call(fn)
  local _ <close> = state.profile_end()
  if not state.start_profile() then return table.pack(fn()), nil end
  local results, worked = table.pack(fn()), {}
  for _, device in ipairs(core.profile_stop().devices) do worked[device] = true end
  return results, worked
end

-- True if an emulated device did a part of the work, else nil. `worked` is the set of the devices that worked. The
-- device `named` counts as one of them. If both are nil, any emulated device of this process counts.
local function emulation(named, worked)
  for _, info in ipairs(lt.devices()) do
    local took_part = worked and worked[info.device] or not worked and not named
    if info.emulated and (took_part or info.device == named) then return true end
  end
end

-- Returns the first device other than the CPU that worked, or nil.
local function accelerator_of(worked)
  for _, info in ipairs(lt.devices()) do
    if info.kind ~= "cpu" and worked and worked[info.device] then return info.device end
  end
end

local function kind_of(device)
  for _, info in ipairs(lt.devices()) do
    if info.device == device then return info.kind end
  end
end

-- ---- calls --------------------------------------------------------------------------------------

local function call(fn, times)
  for _ = 1, times do fn() end
end

-- Waits for the device after each call. The results are alive until then, because a device of PJRT computes no
-- garbage. Returns the seconds of the calls without the waits.
local function call_and_wait(fn, times, device, clock)
  local seconds = 0
  for _ = 1, times do
    local start = clock()
    local _ = table.pack(fn())
    seconds = seconds + clock() - start
    lt.synchronize(device)
  end
  return seconds
end

-- Calls the function `calls` times. Returns two times in seconds: until the device has finished the work of all calls,
-- and until the last call has returned. A call only queues the work of a GPU, so the second time is shorter.
function sampler:time_calls(calls)
  local fn, clock, device, events = self.fn, self.clock, self.sync, self.events
  lt.synchronize(device)
  if events then events[1]:record() end
  local start = clock()
  local queued = self.waits and call_and_wait(fn, calls, device, clock)
  if not queued then
    call(fn, calls)
    queued = clock() - start
  end
  if events then events[2]:record() end
  lt.synchronize(device)
  return clock() - start, queued
end

local function is_time(seconds) return seconds > 0 and seconds < math.huge end

-- True if the seconds of a round are positive and finite. Otherwise the round is dropped, and the third dropped round
-- is an error.
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

-- Makes the first call, which compiles kernels and allocates memory. Stores its seconds, the dtype of its first result
-- tensor, the device that did the work, and whether an emulated device took part.
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
  -- A device of PJRT would compile all calls of a round as one program, and compute equal calls once.
  self.waits = kind_of(self.device) == "pjrt"
  if self.device ~= core.host_device and not self.waits then
    self.events = {lt.event{device = self.device}, lt.event{device = self.device}}
  end
end

-- Returns the number of calls to time next: unchanged if the calls took half a round, else doubled.
local function longer(calls, seconds, round)
  if seconds >= round / 2 then return calls end
  return math.min(2 * calls, MOST_CALLS)
end

-- Warms up for at least self.warmup seconds, and until the times of two successive rounds differ by at most STEADY,
-- or LONGEST_WARM_UP is over.
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

-- Returns the bytes of garbage that a call of fn leaves, on Lua's heap and on all devices together: the growth in one
-- call, or the mean of 8 calls if one call leaves little.
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

-- Sets the number of calls in a round from the time of a call.
function sampler:calibrate()
  local calls = math.min(self.most_calls, self.round_seconds / self.a_call)
  self.calls = math.max(1, calls // 1 | 0)
end

-- If the time of the first round shows that a round should have at least twice as many calls, the warm-up was
-- disturbed. Then the number of calls is corrected, the round is not counted, and the function returns true.
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

-- Halves or doubles the number of calls in the next round if a round took more than 4 times or less than a quarter of
-- the planned seconds. The round counts all the same, because dropping short rounds would lose the fastest times.
function sampler:adapt(seconds)
  if seconds > 4 * self.round_seconds then
    self.calls = math.max(1, self.calls // 2)
  elseif seconds < self.round_seconds / 4 then
    self.calls = math.max(1, math.min(2 * self.calls, self.most_calls) // 1 | 0)
  end
end

-- If the first call was slow (see SLOW), makes a second call. If the second call is slow, too, it counts as a round,
-- and the function returns true. No warm-up follows then (see SLOW).
function sampler:is_slow()
  if self.first < SLOW then return false end
  self.a_call, self.calls, self.most_calls = self.first, 1, 1
  self:round()
  if self.spent >= SLOW then return true end
  self:reset()
  return false
end

--- Makes the first call, then more calls until the time of a call is steady. Sets the number of calls in a round.
function sampler:warm_up()
  local _ <close> = state.use_device(self.default_device)
  self:first_call()
  if self:is_slow() then return end
  self:settle()
  if self.gc == "out" then self.most_calls = MOST_GARBAGE / math.max(1, garbage_a_call(self.fn)) end
  self:calibrate()
  self.dropped = 0
end

--- Returns the number of planned rounds, and their approximate seconds.
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

--- Makes one round: a full collection, a call that is not timed (left out if calls are slow), and the timed calls.
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

--- True if no more rounds are needed: the requested numbers of rounds and seconds are reached, or a limit of rounds or
-- seconds is reached.
function sampler:done()
  local n = #self.samples
  if n >= MOST_ROUNDS or n >= 2 and self.spent >= self.patience then return true end
  if n < self.rounds then return false end
  return self.spent >= self.seconds or self.around >= 4 * self.seconds
end

-- ---- figures ------------------------------------------------------------------------------------

-- Returns two median times of a single call in seconds: until the device has finished the call's work, and until the
-- call returns. If every round had one call, the times of the rounds are used; otherwise SINGLES calls are timed.
function sampler:single_calls()
  local _ <close> = state.use_device(self.default_device)
  local single, queued = self.samples, self.queued
  if self.longest > 1 then
    single, queued = {}, {}
    for i = 1, SINGLES do single[i], queued[i] = self:time_calls(1) end
  end
  return statistics.median(single), statistics.median(queued)
end

-- Returns the median seconds of waiting for devices with empty queues.
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

-- Returns the median seconds of calling a function that does nothing.
function sampler:call_seconds()
  local nothing, times = function() end, {}
  for i = 1, SINGLES do
    local start = self.clock()
    call(nothing, EMPTY_CALLS)
    times[i] = (self.clock() - start) / EMPTY_CALLS
  end
  return statistics.median(times)
end

--- Returns the figures. At least one round must have been made.
-- @tparam[opt] boolean partial makes no more calls, because the run was stopped
-- @treturn table figures: samples, min, q1, median, q3, max, single, queue_seconds, device_seconds, first (all in
--   seconds per call), calls, device, dtype, threads, gc, emulated, others (a share), notes; wait_seconds: the time of
--   waiting with empty queues; call_seconds: the time of calling an empty function, if it is relevant
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

--- True if at least one round was measured.
function sampler:has_samples() return #self.samples > 0 end

--- Makes a sampler.
-- @func fn the timed function
-- @tab options what: the function's name in errors; seconds to measure; least number of rounds; warmup seconds; gc:
--   "count" or "out"; clock: a function; device: the device to wait for, which is the default device while fn runs
--   (nil: all devices in use); part: true if the figures are part of a larger result, which itself has the notes on
--   emulation and on other processes
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
