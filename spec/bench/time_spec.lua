-- tags: unplugged
-- Tests lt.bench.time with a fake clock, which advances by the seconds that the timed function requests, so every
-- figure is known.
local lt = require "luatensor"
local arguments = {seconds = 1, warmup = 0.1}
local clocks = require "spec.support.fake_clock"
local interrupt = require "luatensor.bench.interrupt"

local function options(clock, more)
  local all = {clock = clock, seconds = arguments.seconds, warmup = arguments.warmup}
  for name, value in pairs(more or {}) do all[name] = value end
  return all
end

local function time(seconds, more)
  local clock = clocks.new()
  return lt.bench.time(clock:work(seconds), options(clock, more)), clock
end

-- About a thousandth of a second. Sums of this number are exact.
local SHORT <const> = 1 / 1024
local CALLS <const> = 1024 // 20      -- the number of calls in a round, which takes a twentieth of a second

local function close(expected, got) assert.near(expected, got, 1e-9 * math.abs(expected)) end

-- Returns the texts of the notes as lines.
local function notes_of(result)
  local texts = {}
  for i, note in ipairs(result.notes) do texts[i] = note.text end
  return table.concat(texts, "\n")
end

-- Returns the notes without those that depend on the machine on which the spec runs.
local function own_notes(result)
  return (notes_of(result):gsub("Others used[^\n]*", ""):gsub("Measured on an emulated[^\n]*", ""):gsub("^%s+", ""))
end

describe("bench.time", function()
  it("gives seconds a call", function()
    local r = time(SHORT)
    for _, name in ipairs{"min", "q1", "median", "q3", "max", "single", "queue_seconds", "first"} do
      assert.equal(SHORT, r[name])
    end
    assert.equal(CALLS, r.calls)
    assert.equal(21, #r.samples)                    -- rounds are slightly shorter than 1/20 s
    assert.equal("time", r.kind)
    assert.equal("", own_notes(r))
    assert.is_nil(r.device_seconds)
  end)

  it("makes as many rounds as the seconds hold, five at least", function()
    local r = time(0.5)                             -- one second would give two rounds
    assert.equal(5, #r.samples)
    assert.equal(1, r.calls)
    assert.equal(30, #time(SHORT, {rounds = 30}).samples)
  end)

  it("counts: rounds, a call before each, the first one", function()
    local r, clock = time(2)
    assert.equal(5, #r.samples)
    assert.equal(1 + 5, clock.calls)                -- a slow function: the first call, and one call for each round
    assert.equal(2, r.single)
  end)

  it("makes two rounds at least of what takes very long, and says so", function()
    local r, clock = time(31)
    assert.equal(2, #r.samples)
    assert.equal(3, clock.calls)
    assert.truthy(own_notes(r):find("^Only {n} rounds"))
  end)

  it("has fewer calls in a round where these take longer than the warm-up promised", function()
    local r, clock = time(function(n) return n <= 200 and SHORT or 0.5 end, {seconds = 0.25, warmup = 0, rounds = 40})
    assert.equal(1, r.calls)
    assert.equal(0.5, r.single)
    assert.equal(0.5, r.queue_seconds)
    assert.is_true(clock.calls < 400)
  end)

  it("has more calls in a round where these take less", function()
    local r = time(function(n) return n <= 8 and 0.0625 or SHORT end, {warmup = 0})
    assert.equal(16, r.calls)                        -- 16 is more than a quarter of CALLS, which is 51
    assert.equal(SHORT, r.q3)
    assert.equal(0.0625, r.max)
    assert.equal(SHORT, r.samples[3])                -- a round of one call counts
  end)

  it("a slow first call is not the measure", function()
    local r = time(function(n) return n == 1 and 5 or SHORT end)
    assert.equal(SHORT, r.median)
    assert.equal(5, r.first)
    assert.equal(CALLS, r.calls)
  end)

  it("warms up until two rounds agree", function()
    local r = time(function(n) return n <= 20 and SHORT * (21 - n) or SHORT end, {warmup = 0})
    assert.equal(SHORT, r.max)
  end)

  it("says when rounds differ", function()
    local r = time(function(n) return n % 7 < 3 and 0.6 or 0.9 end, {rounds = 9})
    assert.truthy(own_notes(r):find("The rounds differ", 1, true))
  end)

  it("says when later rounds take longer", function()
    local r = time(function(n) return 0.5 + 0.01 * n end, {rounds = 20, seconds = 1})
    assert.truthy(own_notes(r):find("Later rounds took {trend}", 1, true))
  end)

  it("says what a clock that does not wait would have shown", function()
    local clock, pending, synchronize = clocks.new(), 0, lt.synchronize
    finally(function() rawset(lt, "synchronize", synchronize) end)
    rawset(lt, "synchronize", function() clock.now, pending = clock.now + pending, 0 end)
    local r = lt.bench.time(function() clock.now, pending = clock.now + 0.001, pending + 0.009 end, options(clock))
    close(0.010, r.single)
    close(0.001, r.queue_seconds)
    close(0.010, r.median)
    assert.truthy(own_notes(r):find("A clock that does not wait", 1, true))
    assert.truthy(tostring(r):find("would have shown 1.00 ms instead of 10.0 ms", 1, true))
  end)

  it("takes the dtype and the device from what comes back", function()
    local clock = clocks.new()
    local work = clock:work(0.01)
    local r = lt.bench.time(function()
      work()
      return {1, {lt.zeros(2, {dtype = "int16", device = "cpu"})}}
    end, options(clock, {name = "zeros"}))
    assert.equal("int16", r.dtype)
    assert.equal("cpu", r.device)
    assert.equal("zeros", r.name)
    assert.is_nil(time(0.01).dtype)
  end)
end)

describe("bench.time, notes", function()
  local notes = require "luatensor.bench.notes"

  -- Returns the texts of the notes on figures without noise, changed by the fields of `more`.
  local function texts(more, run)
    local figures = {q1 = 1e-7, median = 1e-7, q3 = 1e-7, samples = {1, 1, 1, 1, 1, 1}, calls = 10}
    for name, value in pairs(more) do figures[name] = value end
    local list = notes.of(figures, run or {dropped = 0, rounds = 5})
    local found = {}
    for i, note in ipairs(list) do found[i] = note.text end
    return table.concat(found, "\n")
  end

  it("are none on a quiet machine", function()
    assert.equal("", texts{others = 0.05, call_seconds = 1e-8, single = 1e-7, queue_seconds = 6e-8, wait_seconds = 0})
  end)

  it("say what the call of a function takes", function()
    assert.truthy(texts{call_seconds = 2e-8}:find("^About {call} of it is the call of a function"))
  end)

  it("say what others used", function()
    assert.truthy(texts{others = 0.2}:find("^Others used {share} of the processor"))
  end)

  it("do not blame a clock for what waiting itself takes", function()
    local measured = {single = 1e-6, queue_seconds = 1e-7, wait_seconds = 0.85e-6}
    assert.equal("", texts(measured))
    measured.wait_seconds = 0
    assert.truthy(texts(measured):find("^A clock that does not wait"))
  end)

  it("leave to a larger result what it says itself", function()
    assert.truthy(texts{emulated = true}:find("^Measured on an emulated device"))
    assert.equal("", texts({emulated = true}, {dropped = 0, rounds = 5, part = true}))
  end)
end)

describe("bench.time, clocks", function()
  it("that stand still are an error", function()
    local calls = 0
    local ok, problem = pcall(lt.bench.time, function() calls = calls + 1 end, {clock = function() return 5 end})
    assert.is_false(ok)
    assert.truthy(problem:find("bench.time: the clock did not move forward in 3 of 3 rounds", 1, true), problem)
    assert.is_true(calls < 1e7)
  end)

  it("that step back once lose a round", function()
    local clock = clocks.new()
    local work = clock:work(0.5)
    local r = lt.bench.time(function()
      work()
      if clock.calls == 6 then clock.now = clock.now - 1000 end
    end, options(clock, {warmup = 0}))
    close(0.5, r.min)
    close(0.5, r.max)
    assert.truthy(own_notes(r):find("Rounds left out because the clock did not move forward: {n}", 1, true))
  end)

  it("that step back all the time are an error", function()
    local clock = clocks.new()
    local ok, problem = pcall(lt.bench.time, clock:work(function(n) return n < 20 and 0.01 or -0.01 end), options(clock))
    assert.is_false(ok)
    assert.truthy(problem:find("the clock did not move forward in 3 of", 1, true), problem)
  end)
end)

describe("bench.time, garbage", function()
  -- Times a function. Returns the states of the collector within its calls (seen[true] if it runs, seen[false] if it
  -- is stopped), and the result.
  local function running(more, make)
    local clock, seen, keep = clocks.new(), {}, {}
    local work = clock:work(SHORT)
    local r = lt.bench.time(function()
      work()
      seen[collectgarbage("isrunning")] = true
      keep[1] = make and make()
    end, options(clock, more))
    return seen, r
  end

  it("is collected before rounds only, where asked", function()
    local seen, r = running{gc = "out"}
    assert.is_true(seen[false])
    assert.equal("out", r.gc)
    assert.is_true(collectgarbage("isrunning"))
  end)

  it("is part of the time otherwise", function()
    local seen, r = running()
    assert.is_nil(seen[false])
    assert.equal("count", r.gc)
  end)

  it("bounds the calls of a round without collections", function()
    local make = function() return lt.empty(3 << 20, {dtype = "uint8", device = "cpu"}) end
    local _, r = running({gc = "out", rounds = 1, seconds = 0.5}, make)
    assert.is_true(r.calls >= 5 and r.calls <= 10, r.calls)
    _, r = running({gc = "count", rounds = 1, seconds = 0.5}, make)
    assert.equal(CALLS // 2, r.calls)
  end)

  it("leaves the collector in its mode, whatever the function makes of it", function()
    local before = collectgarbage "incremental"
    finally(function() collectgarbage(before) end)
    for _, modes in ipairs{{"incremental", "generational"}, {"generational", "incremental"}} do
      collectgarbage(modes[1])
      lt.bench.time(function() collectgarbage(modes[2]) end, {seconds = 1e-3, warmup = 0})
      assert.equal(modes[1], collectgarbage "incremental")
    end
  end)

  it("names NaN alike, whatever its sign", function()
    for _, nan in ipairs{0 / 0, -(0 / 0)} do
      assert.error_matches(function() lt.bench.time(print, {seconds = nan}) end, "seconds: nan is not in", nil, true)
      assert.error_matches(function() lt.bench.time(print, {rounds = nan}) end, "rounds: integer expected, got nan", nil, true)
    end
  end)

  it("stays where it was when the script had stopped the collector", function()
    collectgarbage "stop"
    finally(function() collectgarbage "restart" end)
    local seen = running()
    assert.is_nil(seen[true])
    assert.is_false(collectgarbage "isrunning")
    running{gc = "out"}
    assert.is_false(collectgarbage "isrunning")
  end)
end)

describe("bench.time, the process", function()
  local threads = lt.get_num_threads()
  after_each(function() lt.set_num_threads(threads) end)

  it("has its threads again, also after an error", function()
    lt.set_num_threads(2)
    local during
    local r = time(function() during = lt.get_num_threads() return 0.01 end, {threads = 1})
    assert.equal(1, during)
    assert.equal(1, r.threads)
    assert.equal(2, lt.get_num_threads())
    local fails = function() error("in the middle", 0) end
    assert.is_false(pcall(lt.bench.time, fails, {threads = 1, gc = "out"}))
    assert.equal(2, lt.get_num_threads())
    assert.is_true(collectgarbage "isrunning")
  end)

  it("draws the same numbers as if nothing had been timed, and the same ones each time", function()
    local clock = clocks.new()
    local work, first = clock:work(0.01), {}
    local function draw()
      work()
      first[#first + 1] = lt.randint(0, 1 << 40, 1)[1]:item()
    end
    lt.manual_seed(5)
    lt.rand(3)
    local expected = lt.rand(4):totable()
    lt.manual_seed(5)
    lt.rand(3)
    lt.bench.time(draw, options(clock, {seed = 7}))
    assert.same(expected, lt.rand(4):totable())
    local drawn = first[1]
    first = {}
    lt.bench.time(draw, options(clock, {seed = 7}))
    assert.equal(drawn, first[1])
  end)

  it("passes what the function raises on as it is", function()
    local line = debug.getinfo(1, "l").currentline + 1
    local ok, problem = pcall(lt.bench.time, function() error("boo") end)
    assert.is_false(ok)
    assert.truthy(problem:find(("time_spec.lua:%d: boo"):format(line), 1, true), problem)
    local value = {}
    local _, raised = pcall(lt.bench.time, time, {clock = function() error(value) end})
    assert.equal(value, raised)
  end)

  it("a Ctrl-C keeps the rounds that were made", function()
    local clock = clocks.new()
    local work = clock:work(0.5)
    local ok, problem = pcall(lt.bench.time, function()
      work()
      if clock.calls == 8 then error("interrupted!", 0) end
    end, options(clock, {warmup = 0}))
    assert.is_false(ok)
    assert.is_true(interrupt.is(problem))
    local partial = interrupt.partial(problem)
    assert.equal("time", partial.kind)
    assert.truthy(partial.incomplete:find("^stopped after %d of 5 rounds$"), partial.incomplete)
    assert.near(0.5, partial.median, 1e-9)
    assert.truthy(tostring(partial):find(partial.incomplete, 1, true))
  end)

  it("a Ctrl-C before the first round is passed on without figures", function()
    local ok, problem = pcall(lt.bench.time, function() error("interrupted!", 0) end)
    assert.is_false(ok)
    assert.is_true(interrupt.is(problem))
    assert.is_nil(interrupt.partial(problem))
  end)
end)

describe("bench.time, wrong arguments", function()
  local nothing = function() end
  local wrong = {
    {"argument 1: function expected, got nil"},
    {"argument 1: function expected, got number", 5},
    {"options expected, got number; known: clock, device, gc, name, rounds, seconds, seed, threads, warmup", nothing, 5},
    {"unknown option \"second\"; known: clock, device, gc, name, rounds, seconds, seed, threads, warmup; "
     .. "did you mean \"seconds\"?", nothing, {second = 1}},
    {"seconds: number expected, got string", nothing, {seconds = "1"}},
    {"seconds: 0.0 is not in 1e-06 … 1000000.0", nothing, {seconds = 0.0}},
    {"seconds: nan is not in 1e-06 … 1000000.0", nothing, {seconds = math.abs(0 / 0)}},
    {"rounds: 0 is out of range", nothing, {rounds = 0}},
    {"rounds: integer expected, got 2.5", nothing, {rounds = 2.5}},
    {"warmup: -1 is not in 0 … 1000000.0", nothing, {warmup = -1}},
    {"gc: one of count, out expected, got never", nothing, {gc = "never"}},
    {"threads: 0 is out of range", nothing, {threads = 0}},
    {"device: unknown device \"abacus\"; known: cpu, cuda, rocm, auto", nothing, {device = "abacus"}},
    {"clock: function expected, got number", nothing, {clock = 3}},
    {"clock: it has to give seconds, it gave a string", nothing, {clock = os.date}},
    {"name: string expected, got number", nothing, {name = 3}},
    {"seed: integer expected, got string", nothing, {seed = "x"}},
  }
  for _, case in ipairs(wrong) do
    it(case[1], function()
      local ok, problem = pcall(function() return (lt.bench.time(table.unpack(case, 2))) end)
      assert.is_false(ok)
      assert.equal("bench.time: " .. case[1], (problem:gsub("^[^\n:]*%.lua:%d+: ", "")))
      assert.truthy(problem:find("time_spec.lua:", 1, true))
    end)
  end
end)

describe("bench.time, files", function()
  it("come back as they were", function()
    local r, path = time(SHORT, {name = "work"}), os.tmpname()
    finally(function() os.remove(path) end)
    r:save(path)
    local loaded = lt.bench.load(path)
    assert.same(r, loaded)
    assert.equal(tostring(r), tostring(loaded))
    assert.equal(getmetatable(r), getmetatable(loaded))
  end)
end)
