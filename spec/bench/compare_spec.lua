-- tags: unsanitized unplugged
-- Tests lt.bench.compare with a fake clock, which advances by the seconds that the timed functions request, so every
-- ratio is known.
local lt = require "luatensor"
local clocks = require "spec.support.fake_clock"
local gpu = require "spec.support.gpu"
local idle = require "luatensor.bench.idle"
local interrupt = require "luatensor.bench.interrupt"

-- Pauses are skipped, because the time is not real.
local pause, watch = idle.pause, idle.watch
local function watching(share) return function() return {others = function() return share end} end end
setup(function() idle.pause, idle.watch = function() end, watching(0) end)
teardown(function() idle.pause, idle.watch = pause, watch end)

local LONG <const> = 1 / 16             -- seconds, exact in binary; a round is one call

local function compare(clock, entries, more)
  local options = {clock = clock, seconds = LONG, warmup = 0}
  for name, value in pairs(more or {}) do options[name] = value end
  return lt.bench.compare(entries, options)
end

-- Returns a function that advances the clock by `seconds` and returns the result of `make`.
local function returning(clock, seconds, make)
  local work = clock:work(seconds)
  return function()
    work()
    return make()
  end
end

local function two() return lt.full({2}, 2, {dtype = "float32"}) end

-- Compares a base, which returns the results of a, with another function, which returns the results of b. Returns the
-- agreement of their results, the entry of the other function, and the comparison.
local function agreement(a, b, more)
  local clock = clocks.new()
  local r = compare(clock, {{"a", returning(clock, LONG, a)}, {"b", returning(clock, LONG / 4, b)}}, more)
  return r.entries[2].agreement, r.entries[2], r
end

describe("bench.compare", function()
  it("gives ratios to the first", function()
    local clock = clocks.new()
    local r = compare(clock, {
      {"base", returning(clock, LONG, two)}, {"fast", returning(clock, LONG / 4, two)}, {"slow", returning(clock, 4 * LONG, two)},
    })
    assert.equal("base", r.base)
    assert.equal("compare", r.kind)
    assert.same({LONG, LONG / 4, 4 * LONG}, {r.entries[1].median, r.entries[2].median, r.entries[3].median})
    assert.is_nil(r.entries[1].ratio)
    assert.same({4, 0.25}, {r.entries[2].ratio, r.entries[3].ratio})
    assert.same({"faster", "slower"}, {r.entries[2].verdict, r.entries[3].verdict})
    assert.same({"agree", "agree"}, {r.entries[2].agreement, r.entries[3].agreement})
    assert.equal("float32", r.entries[2].dtype)
    local page = tostring(r)
    assert.truthy(page:find("fast +15.6 ms +15.6 ms +15.6 ms +15.6 ms +4.00× +faster +agree"), page)
  end)

  it("makes rounds in turn", function()
    local clock, order = clocks.new(), {}
    local function entry(name)
      local work = clock:work(LONG)
      return {name, function() work() order[#order + 1] = name end}
    end
    compare(clock, {entry "A", entry "B"}, {check = false})
    -- a round is an untimed call and a timed call
    assert.truthy(table.concat(order):find("AABBBBAAAABBBBAAAABBBBAA$"), table.concat(order))
  end)

  it("does not call what lies within the noise faster", function()
    local clock = clocks.new()
    local function varied(n) return LONG * (n % 2 == 0 and 1 or 2) end
    local r = compare(clock, {{"a", returning(clock, varied, two)}, {"b", returning(clock, varied, two)}}, {rounds = 8})
    assert.equal("undecided", r.entries[2].verdict)
  end)

  -- Compares two functions round by round. The i-th timed round takes LONG * base_of(i) and LONG * other_of(i) seconds.
  local function rounds(count, base_of, other_of, more)
    local clock = clocks.new()
    local function timed(of)
      local calls = 0
      return function()
        calls = calls + 1
        clock.now = clock.now + LONG * of(math.max(1, calls // 2))       -- one call precedes each timed call
      end
    end
    local options = {rounds = count, check = false}
    for name, value in pairs(more or {}) do options[name] = value end
    return compare(clock, {{"a", timed(base_of)}, {"b", timed(other_of)}}, options)
  end

  -- the factor by which other processes lengthen round i
  local function load_of(i) return i % 3 == 0 and 8 or 1 + i % 2 end

  it("sees through what disturbs both rounds of a pair", function()
    local r = rounds(24, load_of, function(i) return load_of(i) / 2 end)
    local entry = r.entries[2]
    assert.is_true(entry.q3 > r.entries[1].q1)                            -- all rounds together show no difference
    assert.equal("faster", entry.verdict)
    assert.near(2, entry.ratio, 1e-9)
    assert.same({entry.pairs.count, 2, 2}, {entry.pairs.faster, entry.pairs.q1, entry.pairs.q3})
  end)

  it("decides nothing where a fifth of the pairs is turned over", function()
    local r = rounds(20, function() return 2 end, function(i) return i % 5 == 0 and 4 or 1 end)
    assert.equal("undecided", r.entries[2].verdict)
    assert.truthy(tostring(r):gsub("%s+", " "):find("b: undecided. It was faster in", 1, true), tostring(r))
  end)

  it("decides nothing that is below five percent, however sure", function()
    local r = rounds(20, function() return 1 end, function() return 1.04 end)
    assert.equal("undecided", r.entries[2].verdict)
    assert.equal("slower", rounds(20, function() return 1 end, function() return 1.06 end).entries[2].verdict)
  end)

  it("asks for more where others used the processor", function()
    finally(function() idle.watch = watching(0) end)
    local function verdict(share, seconds)
      idle.watch = watching(share)
      return rounds(20, function() return 1 end, function() return seconds end).entries[2].verdict
    end
    assert.equal("slower", verdict(0.1, 1.2))
    assert.equal("undecided", verdict(0.5, 1.2))
    assert.equal("slower", verdict(0.5, 1.3))
    assert.equal("faster", verdict(0.5, 0.7))
  end)

  it("decides nothing by fewer pairs than chance can make agree", function()
    local r = rounds(5, function() return 4 end, function() return 1 end)
    assert.same({"undecided", 4}, {r.entries[2].verdict, r.entries[2].ratio})
    assert.truthy(tostring(r):find("pairs of rounds are too few; 12 are needed", 1, true), tostring(r))
    assert.equal("faster", rounds(nil, function() return 4 end, function() return 1 end).entries[2].verdict)
  end)

  it("marks a ratio whose results nobody compared", function()
    local clock = clocks.new()
    local r = compare(clock, {{"a", returning(clock, LONG, two)}, {"b", clock:work(LONG / 4)}})
    local page = tostring(r):gsub("%s+", " ")
    assert.truthy(page:find("4.00× faster, if", 1, true), page)
    assert.truthy(page:find("Whether b does the same as a was not checked: it returns nothing, the other does.", 1, true), page)
  end)
end)

describe("bench.compare, entries that fail or stop", function()
  it("keeps the error of an entry; the others go on", function()
    local clock = clocks.new()
    local calls = 0
    local r = compare(clock, {
      {"base", returning(clock, LONG, two)},
      {"first call", function() error("no such luck") end},
      {"later", function() calls = calls + 1; clock.now = clock.now + LONG; if calls > 4 then error({}) end return two() end},
      {"fine", returning(clock, LONG / 2, two)},
    })
    assert.truthy(r.entries[2].error:find("compare_spec.lua:%d+: no such luck"))
    assert.truthy(r.entries[3].error:find("^table: "))
    assert.is_nil(r.entries[3].median)
    assert.equal(2, r.entries[4].ratio)
    assert.is_nil(r.emulated)
    local page = tostring(r)
    assert.truthy(page:find("no such luck", 1, true))
    assert.truthy(page:find("failed", 1, true))
  end)

  it("has no ratios where the base fails", function()
    local clock = clocks.new()
    local r = compare(clock, {{"base", function() error("x") end}, {"b", returning(clock, LONG, two)}})
    assert.equal(LONG, r.entries[2].median)
    assert.is_nil(r.entries[2].ratio)
    assert.equal("not checked", r.entries[2].agreement)
  end)

  it("runs an entry on its device, and restores the state", function()
    local clock, seen = clocks.new(), nil
    local before, threads = lt.get_default_device(), lt.get_num_threads()
    lt.manual_seed(3)
    local expected = lt.rand(4):totable()
    lt.manual_seed(3)
    compare(clock, {
      {"a", returning(clock, LONG, two)},
      {"b", returning(clock, LONG, function() seen = lt.get_default_device() return two() end), device = "cpu"},
    }, {threads = 1})
    assert.equal("cpu", seen)
    assert.equal(before, lt.get_default_device())
    assert.equal(threads, lt.get_num_threads())
    assert.same(expected, lt.rand(4):totable())
  end)

  it("keeps what a Ctrl-C leaves", function()
    local clock = clocks.new()
    local work, calls = clock:work(LONG), 0
    local ok, problem = pcall(compare, clock, {
      {"a", returning(clock, LONG, two)},
      {"b", function() work() calls = calls + 1 if calls == 7 then error("interrupted!", 0) end return two() end},
    })
    assert.is_false(ok)
    local partial = interrupt.partial(problem)
    assert.equal("compare", partial.kind)
    assert.truthy(partial.incomplete:find("^stopped after %d rounds$"))
    assert.equal(LONG, partial.entries[1].median)
    assert.truthy(tostring(partial):find("stopped after", 1, true))
  end)

  it("comes back from a file as it was", function()
    local clock = clocks.new()
    local r = compare(clock, {{"a", returning(clock, LONG, two)}, {"b", returning(clock, LONG / 2, two)}}, {name = "both"})
    local path = os.tmpname()
    finally(function() os.remove(path) end)
    r:save(path)
    assert.same(r, lt.bench.load(path))
  end)
end)

describe("bench.compare, results", function()
  local function values(list, dtype) return function() return lt.tensor(list, {dtype = dtype or "float64"}) end end

  local nan, infinity = 0 / 0, math.huge
  local agreeing = {
    {"float32 in the fourth digit of the largest", values({1000, 0.0}, "float32"), values({1000.05, 0.05}, "float32")},
    {"NaN and infinities at the same places", values{nan, infinity, -infinity, 1}, values{nan, infinity, -infinity, 1}},
    {"float32 and float64", values({0.1}, "float32"), values({0.1}, "float64")},
    {"integers of two dtypes", values({3, 4}, "int32"), values({3, 4}, "int64")},
    {"booleans", values({true, false}, "bool"), values({true, false}, "bool")},
    {"several values", function() return 1, "x", two() end, function() return 1, "x", two() end},
    {"numbers", function() return 0.1 + 0.2 end, function() return 0.3 end},
    {"numbers beside float32", function() return 1.0, lt.ones(2, {dtype = "float32"}) end,
      function() return 1.00001, lt.ones(2, {dtype = "float32"}) end},
    {"tables", function() return {a = 1, b = {two()}} end, function() return {a = 1, b = {two()}} end},
    {"nothing in them", function() return lt.zeros(0) end, function() return lt.zeros(0) end},
    {"random numbers", function() return lt.rand(5) end, function() return lt.rand(5) end},
    {"a table in itself", function() local t = {5} t.t = t return t end, function() local t = {5} t.t = t return t end},
    {"complex", function() return lt.complex(1, 2) * two() end, function() return lt.complex(1, 2.00001) * two() end},
  }
  for _, case in ipairs(agreeing) do
    it("agree: " .. case[1], function()
      local outcome, entry = agreement(case[2], case[3])
      assert.equal("agree", outcome, entry.difference)
      assert.equal(4, entry.ratio)
    end)
  end

  local differing = {
    {"float64 in the fourth digit", values{1000, 0}, values{1000.05, 0}, "differ by 0.05 where the largest magnitude is 1e+03"},
    {"NaN at one place", values{1, nan}, values{1, 2}, "differ by"},
    {"infinity at one place", values{1, infinity}, values{1, 2}, "differ by inf"},
    {"infinities of two signs", values{infinity}, values{-infinity}, "differ by inf"},
    {"integers", values({3, 4}, "int64"), values({3, 5}, "int64"), "differ; they are integers"},
    {"shapes", values{1, 2}, values{1, 2, 3}, "have shapes [2] and [3]"},
    {"kinds", values{1}, function() return 1 end, "are a userdata and a number"},
    {"numbers", function() return 1 end, function() return 2 end, "are 1 and 2"},
    {"numbers beside float64", function() return 1.0, {lt.ones(2, {dtype = "float64"})} end,
      function() return 1.00001, {lt.ones(2, {dtype = "float64"})} end, "are 1.0 and 1.00001"},
    {"numbers and infinity", function() return 1.5 end, function() return infinity end, "are 1.5 and inf"},
    {"tables", function() return {1, 2} end, function() return {1, 2, 3} end, "have not the same fields: 3"},
    {"how many", function() return 1 end, function() return 1, 2 end, "are 1 and 2 values"},
    {"complex", function() return lt.complex(1, 2) * two() end, function() return lt.complex(1, -2) * two() end, "differ by 8"},
    {"beyond the first million", function() return lt.zeros(1100000) end,
      function() local x = lt.zeros(1100000) x[1100000] = 1 return x end, "differ by 1 "},
  }
  for _, case in ipairs(differing) do
    it("differ: " .. case[1], function()
      local outcome, entry, r = agreement(case[2], case[3])
      assert.equal("differ", outcome)
      assert.truthy(entry.difference:find(case[4], 1, true), entry.difference)
      assert.is_nil(entry.ratio)
      assert.is_nil(entry.verdict)
      assert.truthy(tostring(r):find("No ratio", 1, true))
    end)
  end

  it("that are nothing are not checked, and it says so", function()
    local outcome, entry, r = agreement(function() end, function() end)
    assert.equal("not checked", outcome)
    assert.equal(4, entry.ratio)
    assert.truthy(tostring(r):find("was not checked", 1, true))
    assert.equal("not checked", (agreement(two, function() end)))
    assert.equal("not checked", (agreement(function() return print end, function() return print end)))
    local function closed() local x <close> = two() return x end
    assert.equal("not checked", (agreement(closed, closed)))
    local function deep(leaf) return function() local t = {leaf} for _ = 1, 1e5 do t = {t} end return t end end
    assert.equal("not checked", (agreement(deep(1), deep(2))))
  end)

  it("that a base does not repeat tell nothing", function()
    local n = 0
    local outcome, _, r = agreement(function() n = n + 1 return n end, function() return 1 end)
    assert.equal("does not repeat", outcome)
    assert.truthy(tostring(r):find("another result each time", 1, true))
  end)

  it("are compared as the script wants, or not at all", function()
    local seen, calls = {}, 0
    local same = function(a, b) seen = {a, b} return true end
    assert.equal("agree", (agreement(function() return 1, 5 end, function() return 2, 6 end, {same = same})))
    assert.same({1, 2}, seen)
    assert.equal("differ", (agreement(two, two, {same = function() calls = calls + 1 return calls == 1 end})))
    calls = 0
    local outcome, entry = agreement(function() calls = calls + 1 return calls end, function() return -1 end, {check = false})
    assert.equal("not checked", outcome)
    assert.equal(4, entry.ratio)
  end)
end)

describe("bench.compare, wrong arguments", function()
  local f = function() end
  local wrong = {
    {"argument 1: list of entries expected, got nil"},
    {"two entries or more expected, got 1", {{"a", f}}},
    {"entry 2: {\"name\", function} expected, got function", {{"a", f}, f}},
    {"entry 1: name expected first, got function", {{f, "a"}, {"b", f}}},
    {"entries 1 and 2 are both named \"a\"", {{"a", f}, {"a", f}}},
    {"entry 2 (b): function expected, got nil", {{"a", f}, {"b"}}},
    {"entry 1: unknown field \"speed\"; known: 1 (name), 2 (function), device", {{"a", f, speed = 2}, {"b", f}}},
    {"device: unknown device \"abacus\"; known: cpu, cuda, rocm, auto", {{"a", f, device = "abacus"}, {"b", f}}},
    {"check: boolean expected, got number", {{"a", f}, {"b", f}}, {check = 0}},
    {"same: function expected, got boolean", {{"a", f}, {"b", f}}, {same = true}},
    {"unknown option \"sane\"; known: check, clock, device, gc, name, rounds, same, seconds, seed, threads, warmup; did you mean \"same\"?",
      {{"a", f}, {"b", f}}, {sane = true}},
  }
  for _, case in ipairs(wrong) do
    it(case[1], function()
      local ok, problem = pcall(function() return (lt.bench.compare(table.unpack(case, 2))) end)
      assert.is_false(ok)
      assert.equal("bench.compare: " .. case[1], (problem:gsub("^[^\n:]*%.lua:%d+: ", "")))
    end)
  end
end)

gpu.describe("bench on a GPU", {{}, {LUATENSOR_EMULATOR = "devices=2"}}, function()
  local real = not gpu.emulator

  local function on(device) return {device, function() return lt.ones(8):sum() end, device = device} end

  it("runs entries there and never mixes emulated with real times", function()
    local r = lt.bench.compare({on "cpu", on(gpu.kind)}, {seconds = 0.01, warmup = 0})
    local entry = r.entries[2]
    assert.equal(gpu.kind .. ":0", entry.device)
    assert.equal("agree", entry.agreement)
    assert.is_true(entry.device_seconds > 0)
    assert.equal(real, entry.ratio ~= nil)
    assert.equal(not real, entry.emulated or false)
    assert.equal(not real, r.emulated or false)
    assert.is_nil(r.entries[1].emulated)
    assert.equal(not real, tostring(r):find("Emulated and real times are not compared", 1, true) ~= nil)
  end)

  it("finds the device that works, whatever comes back", function()
    local x = lt.ones(8, {device = gpu.kind})
    local r = lt.bench.time(function() x:add_(1) end, {seconds = 0.01, warmup = 0})
    assert.equal(gpu.kind .. ":0", r.device)
    assert.is_true(r.device_seconds > 0)
    assert.equal(not real, r.emulated or false)
    local last = lt.devices()[#lt.devices()].device
    local far = lt.ones(8, {device = last})
    r = lt.bench.time(function() return (far + 1):sum():item() end, {seconds = 0.01, warmup = 0})
    assert.equal(last, r.device)
    local y = lt.ones(8, {device = "cpu"})
    r = lt.bench.time(function() y:add_(1) end, {seconds = 0.01, warmup = 0, device = "cpu"})
    assert.equal("cpu", r.device)
    assert.is_nil(r.emulated)
  end)

  it("marks what comes back to the CPU, too", function()
    local x = lt.ones(8, {device = gpu.kind})
    local r = lt.bench.time(function() return (x + x):to("cpu") end, {seconds = 0.01, warmup = 0})
    assert.equal(not real, r.emulated or false)
    assert.equal(not real, tostring(r):find("on an emulated device", 1, true) ~= nil)
  end)
end)

describe("a plot of a comparison", function()
  it("has a bar for each median, in proportion", function()
    local clock = clocks.new()
    local r = compare(clock, {{"slow", clock:work(LONG)}, {"fast", clock:work(LONG / 4)}})
    local slow, fast = r:plot():text({width = 60, unicode = false}):match "slow +(#+) 62.5 ms\nfast +(#+) 15.6 ms"
    assert.truthy(slow)
    assert.near(4, #slow / #fast, 0.4)
  end)

  it("is none if nothing was measured", function()
    local clock = clocks.new()
    local r = compare(clock, {{"a", error}, {"b", error}})
    local figure, why = r:plot()
    assert.is_nil(figure)
    assert.equal("nothing was measured: no chart", why)
  end)
end)
