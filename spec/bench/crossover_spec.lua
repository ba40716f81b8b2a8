-- tags: host
-- Tests the search for crossings with given costs, for which the crossings are known, and real measurements at small
-- sizes.

local crossing = require "luatensor.bench.crossover.crossing"
local crossover = require "luatensor.bench.crossover"
local fake = require "spec.support.fake_place"
local format = require "luatensor.page.format"
local grid = require "luatensor.bench.crossover.grid"
local interrupt = require "luatensor.bench.interrupt"
local noise = require "luatensor.bench.noise"
local result = require "luatensor.bench.result"
local terminal = require "luatensor.page.terminal"

local CPU, GPU, EMULATED = {device = "cpu", name = "A CPU"}, {device = "cuda:0", name = "A GPU"},
  {device = "cuda:0", name = "Emulated GPU", emulated = true}

-- The CPU takes n³ ns. The GPU takes 10 µs and a hundredth of n³ ns, and 100 µs more with transfers. The times are
-- equal where 0.99 n³ = 10⁴ in place (n = 21.6), and where 0.99 n³ = 11 · 10⁴ with transfers (n = 48.1).
local function cost(device, n, mode)
  if device == "cpu" then return 1e-9 * n ^ 3 end
  return 1e-5 + 1e-11 * n ^ 3 + (mode == "with_transfers" and 1e-4 or 0)
end

local function inputs(n) return fake.tensor(4 * n * n), fake.tensor(4 * n * n) end

local function fn(x, y) return fake.tensor(x.bytes, x.device, x.value + y.value) end

local function place(want)
  want.devices, want.cost = want.devices or {CPU, GPU}, want.cost or cost
  return fake.place(want)
end

local function run(want, sizes, options, f)
  options = options or {}
  options.inputs = options.inputs or inputs
  return crossover.run(f or fn, sizes or {4, 8, 16, 32, 64, 128}, options, place(want or {}))
end

local function page(r) return terminal.page(r:blocks()) end

local function find(r, mode)
  for _, found in ipairs(r.crossings) do
    if found.mode == mode then return found end
  end
end

local function points(text)
  local verdicts = {F = "faster", S = "slower", ["?"] = "undecided"}
  local list = {}
  for c in text:gmatch("%S") do list[#list + 1] = {n = 2 ^ (#list + 1) // 1 | 0, verdict = verdicts[c]} end
  return list
end

local function sentence(text)
  local words, values = crossing.sentence(crossing.find(points(text)), "cuda:0", "cpu", "in_place")
  return (format.fill(words, values):gsub("With the data in place, cuda:0 ", ""):gsub("\u{A0}", " "))
end

describe("bench.sizes", function()
  it("doubles from the first to the last, which is among them", function()
    assert.same({4, 8, 16, 32}, crossover.sizes(4, 32))
    assert.same({4, 8, 16, 20}, crossover.sizes(4, 20))
    assert.same({7}, crossover.sizes(7, 7))
  end)

  it("has as many for each doubling as wished, none twice", function()
    assert.same({16, 23, 32, 45, 64}, crossover.sizes(16, 64, 2))
    assert.same({1, 2, 3, 4}, crossover.sizes(1, 4, 3))          -- 1, 1.26, 1.59, 2, 2.52, 3.17 and 4, rounded
  end)

  for _, case in ipairs{
    {{}, "first: integer expected, got nil"}, {{0, 4}, "first: 0 is out of range"}, {{8, 4}, "last: 4 is out of range"},
    {{4, 8.5}, "last: integer expected, got 8.5"}, {{4, 8, 0}, "per_doubling: 0 is out of range"},
  } do
    it("refuses: " .. case[2], function()
      local ok, problem = pcall(crossover.sizes, table.unpack(case[1]))
      assert.falsy(ok)
      assert.truthy(problem:find("bench.sizes: " .. case[2], 1, true), problem)
    end)
  end
end)

describe("a crossing", function()
  it("is decided where quartiles are 5 % apart, or 25 % on a busy machine", function()
    local base = {q1 = 10, q3 = 12}
    assert.equal("faster", crossing.verdict(base, {q1 = 8, q3 = 9.5}))
    assert.equal("undecided", crossing.verdict(base, {q1 = 8, q3 = 9.6}))
    assert.equal("undecided", crossing.verdict(base, {q1 = 11, q3 = 11.5}))
    assert.equal("undecided", crossing.verdict(base, {q1 = 12.5, q3 = 20}))
    assert.equal("slower", crossing.verdict(base, {q1 = 12.7, q3 = 20}))
    assert.equal("undecided", crossing.verdict(base, {q1 = 14.9, q3 = 20, others = 0.2}))
    assert.equal("slower", crossing.verdict({q1 = 10, q3 = 12, others = 0.2}, {q1 = 15.1, q3 = 20}))
  end)

  for text, words in pairs{
    ["S S F F"] = "overtakes cpu between n = 4 and n = 8.",
    ["S ? ? F"] = "overtakes cpu between n = 2 and n = 16.",
    ["F F F"] = "is faster than cpu from the smallest size measured on, n = 2.",
    ["? F F"] = "is faster than cpu from n = 4 on; below n = 4 it is undecided.",
    ["F ? ?"] = "is faster than cpu from the smallest size measured on, n = 2; above n = 2 it is undecided.",
    ["? S F ?"] = "overtakes cpu between n = 4 and n = 8; below n = 4 and above n = 8 it is undecided.",
    ["S S S"] = "is faster than cpu at none of the sizes measured, n = 2 to 8.",
    ["S S ?"] = "is faster than cpu at none of the sizes measured, n = 2 to 8; above n = 4 it is undecided.",
    ["? ? ?"] = "is neither faster nor slower than cpu beyond doubt at any size from n = 2 to 8.",
    ["?"] = "is neither faster nor slower than cpu at n = 2.",
    ["S F S"] = "overtakes cpu between n = 2 and n = 4, falls behind cpu between n = 4 and n = 8.",
    ["F ? S"] = "falls behind cpu between n = 2 and n = 8.",
  } do
    it(text .. " in words", function() assert.equal(words, sentence(text)) end)
  end

  it("is looked at more closely in the middle of its widest gap only", function()
    local found = crossing.find(points "S S F F")                     -- the crossing is between 4 and 8
    assert.equal(6, crossing.next_size(found, {2, 4, 8, 16}))         -- √(4 · 8) = 5.66
    assert.equal(5, crossing.next_size(found, {2, 4, 6, 8, 16}))      -- 4…6 is wider than 6…8: √(4 · 6) = 4.9
    assert.equal(7, crossing.next_size(found, {2, 4, 5, 6, 8, 16}))   -- 4…5 and 5…6 have no size between
    assert.is_nil(crossing.next_size(found, {2, 4, 5, 6, 7, 8, 16}))
    assert.is_nil(crossing.next_size(crossing.find(points "S S S"), {2, 4, 8}))
    local near = crossing.find{{n = 100, verdict = "slower"}, {n = 109, verdict = "faster"}}
    assert.is_nil(crossing.next_size(near, {100, 109}))               -- 109 is less than a tenth above 100
  end)
end)

describe("bench.crossover", function()
  it("finds the interval, in place and with transfers", function()
    local r = run({}, nil, {refine = 0})
    local there, sent = find(r, "in_place"), find(r, "with_transfers")
    assert.same({{from = 16, to = 32, becomes = "faster"}}, there.changes)
    assert.same({{from = 32, to = 64, becomes = "faster"}}, sent.changes)
    local text = page(r)
    assert.truthy(text:find("With the data in place, cuda:0 overtakes cpu between n = 16 and n = 32.", 1, true), text)
    assert.truthy(text:find("With transfers, cuda:0 overtakes cpu between n = 32 and n = 64.", 1, true), text)
  end)

  it("makes the interval smaller, inside it only", function()
    local r = run({}, nil, {refine = 6})
    local there = find(r, "in_place").changes[1]
    assert.truthy(there.from <= 21 and there.to >= 22 and there.to / there.from < 1.2, there.from .. " " .. there.to)
    local outside = 0
    for _, point in ipairs(r.points) do
      if point.n < 16 or point.n > 64 then outside = outside + 1 end
    end
    assert.equal(3, outside)                                          -- the sizes 4, 8 and 128 are outside
  end)

  it("has ratios of the base's median to the device's", function()
    local r = run({}, {128}, {refine = 0})
    local entry = r.points[1].measured[2]
    assert.near(cost("cpu", 128) / cost("cuda:0", 128, "in_place"), entry.in_place.ratio, 1e-9)
    assert.near(cost("cpu", 128) / cost("cuda:0", 128, "with_transfers"), entry.with_transfers.ratio, 1e-9)
    assert.equal("faster", entry.in_place.verdict)
    assert.is_nil(r.points[1].measured[1].in_place.ratio)
  end)

  it("measures every device at a size before it goes on, and gives memory back between sizes", function()
    local where = place{}
    crossover.run(fn, {8, 4, 8}, {inputs = inputs, refine = 0}, where)
    assert.same({"release", "cpu in_place 4", "cuda:0 in_place 4", "cuda:0 with_transfers 4",
      "release", "cpu in_place 8", "cuda:0 in_place 8", "cuda:0 with_transfers 8", "release"}, where.log)
  end)

  it("gives fn tensors of the device that works, also in tables, and its results to the CPU with transfers", function()
    local where, seen = place{}, {}
    local function nested(n) return {w = {fake.tensor(n)}}, "name", fake.tensor(n) end
    local function look(weights, name, x)
      assert.equal("name", name)
      assert.equal(where.now, weights.w[1].device)
      assert.equal(where.now, x.device)
      seen[where.now] = true
      return {x}
    end
    local r = crossover.run(look, {4}, {inputs = nested}, where)
    assert.same({cpu = true, ["cuda:0"] = true}, seen)
    assert.equal(8, r.points[1].sent)
    assert.equal(4, r.points[1].fetched)
  end)

  it("shows how far apart quartiles are, and marks what is far", function()
    local text = page(run({devices = {CPU}, spread = 0.02}, {8, 16}))
    assert.truthy(text:find("n +cpu +spread"), text)
    assert.truthy(text:find("8 +512 ns +4.00 %%"), text)
    assert.falsy(text:find("rounds differ", 1, true))
    text = page(run({devices = {CPU}, spread = 0.3}, {8, 16}))
    assert.truthy(text:find("8 +512 ns +60.0 %% +rounds differ"), text)
  end)

  it("says nothing of transfers where it is told not to", function()
    local r = run({}, nil, {transfers = false, refine = 0})
    assert.is_nil(find(r, "with_transfers"))
    assert.falsy(page(r):find("ransfers"))
  end)

  it("says so where quartiles overlap at every size", function()
    local r = run({spread = 0.5, cost = function(device) return device == "cpu" and 1 or 1.1 end}, {4, 8},
      {patience = 1000})
    assert.equal(2, find(r, "in_place").undecided)
    assert.truthy(page(r):find("neither faster nor slower than cpu beyond doubt", 1, true))
  end)

  it("extrapolates by the power law of the last two sizes, by n² from one", function()
    assert.is_nil(grid.extrapolate({}, 8))
    assert.near(4 * 7, grid.extrapolate({{8, 7}}, 16), 1e-9)
    -- each doubling of n takes 10 times as long
    assert.near(1000, grid.extrapolate({{1, 99}, {2, 1}, {4, 10}}, 16), 1e-9)
    -- the power is limited to n⁴, because two noisy points may suggest any power
    assert.near(1600, grid.extrapolate({{2, 1}, {4, 100}}, 8), 1e-9)
    assert.near(5, grid.extrapolate({{2, 9}, {4, 5}}, 16), 1e-9)    -- extrapolated times never decrease
  end)

  it("keeps what was measured before a Ctrl-C", function()
    local ok, problem = pcall(run, {}, nil, {inputs = function(n)
      if n == 16 then error("interrupted!") end
      return inputs(n)
    end})
    assert.falsy(ok)
    assert.truthy(interrupt.is(problem))
    local partial = interrupt.partial(problem)
    assert.equal(2, #partial.points)
    assert.equal("stopped after 2 of 6 sizes", partial.incomplete)
    assert.truthy(page(partial):find("! Not complete: stopped after 2 of 6 sizes.", 1, true))
    assert.truthy(page(partial):find("at none of the sizes measured, n = 4 to 8", 1, true), page(partial))
  end)

  it("keeps all sizes where Ctrl-C ends the search between them", function()
    local ok, problem = pcall(run, {}, {4, 64}, {inputs = function(n)
      if n == 16 then error("interrupted!") end
      return inputs(n)
    end})
    assert.falsy(ok)
    assert.equal("stopped while more sizes were tried", interrupt.partial(problem).incomplete)
    assert.equal(2, #interrupt.partial(problem).points)
  end)

  it("becomes JSON and comes back the same", function()
    local r = run({available = {["cuda:0"] = 20000}, agree = function() return "not checked" end})
    local copy = assert(result.decode(result.encode(r), "text"))
    assert.equal(page(r), page(copy))
    assert.equal(result.encode(r), result.encode(copy))
  end)

  for _, case in ipairs{
    {{"f", {4}}, "argument 1: function expected, got string"},
    {{fn}, "sizes: a list of integers expected (bench.sizes makes one), got nil"},
    {{fn, {}}, "sizes: a list of integers expected (bench.sizes makes one), got an empty one"},
    {{fn, {4, 0}}, "sizes[2]: 0 is out of range"},
    {{fn, {4, 8.5}}, "sizes[2]: integer expected, got 8.5"},
    {{fn, {4}, {speed = 3}}, "unknown option \"speed\"; known: "},
    {{fn, {4}, {seconds = "1"}}, "seconds: number expected, got string"},
    {{fn, {4}, {seconds = 0 / 0}}, "seconds: "},
    {{fn, {4}, {name = 3}}, "name: string expected, got number"},
    {{fn, {4}, {inputs = 3}}, "inputs: function expected, got number"},
    {{fn, {4}, {devices = {}}}, "devices: a list of names expected, got table"},
    {{fn, {4}, {devices = {"abacus"}}}, "devices: "},
    {{fn, {4}, {transfers = 1}}, "transfers: boolean expected, got number"},
    {{fn, {4}, {refine = -1}}, "refine: -1 is out of range"},
  } do
    it("refuses: " .. case[2], function()
      local arguments = {case[1][1], case[1][2], case[1][3], place{}}
      local ok, problem = pcall(crossover.run, table.unpack(arguments, 1, 4))
      assert.falsy(ok)
      assert.truthy(problem:find("crossover_spec.lua:%d+: bench.crossover: ") or problem:find("^bench.crossover: "), problem)
      assert.truthy(problem:find("bench.crossover: " .. case[2], 1, true), problem)
    end)
  end
end)

describe("bench.crossover, times that do not fit to those of other sizes", function()
  -- The CPU takes n µs, but the first `bad` measurements of n = 32 take 30 ms. others: the share of the processor
  -- that other processes use.
  local function look(bad, others, more)
    local looks = 0
    local where = place{devices = {CPU}, others = others, work = more and more.work, cost = function(_, n)
      if n ~= 32 then return 1e-6 * n end
      looks = looks + 1
      return looks <= bad and 3e-2 or 1e-6 * n
    end}
    local r = crossover.run(fn, {8, 16, 32, 64, 128}, {inputs = inputs, refine = 0}, where)
    return r, r.points[3].measured[1].in_place, looks
  end

  it("are measured again where others used the processor", function()
    local r, figures, looks = look(2, 0.6)
    assert.equal(3, looks)
    assert.near(32e-6, figures.median, 1e-12)
    assert.is_nil(figures.out_of_line)
    assert.falsy(page(r):find("do not fit", 1, true))
  end)

  it("are marked, and decide nothing, where they stay", function()
    local r, figures, looks = look(99, 0.6)
    assert.equal(3, looks)
    assert.is_true(figures.out_of_line)
    local text = page(r)
    assert.truthy(text:find("32 +30.0 ms +2.00 %% +out of line"), text)
    assert.truthy(text:gsub("%s+", " "):find("nothing follows from them: n = 32.", 1, true), text)
  end)

  it("are what they are on a machine that nobody else used", function()
    local _, figures, looks = look(99, 0.05)
    assert.equal(1, looks)
    assert.is_nil(figures.out_of_line)
  end)

  it("give no crossing there", function()
    local r = run({others = 0.6, cost = function(device, n, mode)
      if device == "cpu" and n == 8 then return 0.1 end                 -- a size at which the CPU is faster
      return cost(device, n, mode)
    end}, nil, {refine = 0})
    assert.equal("undecided", r.points[2].measured[2].in_place.verdict)
    assert.same({{from = 16, to = 32, becomes = "faster"}}, find(r, "in_place").changes)
  end)

  it("are known by larger sizes that took less, and by a growth that no work has", function()
    local out = noise.out_of_line
    assert.same({}, out{{16, 1e-6}, {32, 8e-6}, {64, 64e-6}})         -- proportional to n³
    assert.same({}, out{{16, 5e-6}, {32, 4e-6}, {64, 1e-4}})
    assert.same({[16] = true}, out{{16, 5e-4}, {32, 4e-6}, {64, 1e-4}})
    assert.same({[256] = true}, out{{128, 6.65e-6}, {256, 26.2e-3}})
    assert.same({}, out{{128, 6.65e-6}, {256, 2e-4}})                 -- limit for twice the n: 2 · 2⁴ = 32 times
  end)
end)

describe("bench.crossover, results", function()
  local function agree(a, b) return a[1].value == b[1].value and "agree" or "differ" end

  it("that differ give no ratio there and no crossing", function()
    local function wrong(x) return fake.tensor(1, x.device, x.device == "cuda:0" and x.bytes == 4 * 16 ^ 2 and 2 or 1) end
    local r = run({agree = agree}, nil, {refine = 0}, wrong)
    assert.same({}, r.crossings)
    local text = page(r)
    assert.truthy(text:find("The results of cuda:0 differ from those of cpu at n = 16", 1, true), text)
    assert.falsy(text:find("overtakes", 1, true))
    assert.is_nil(r.points[3].measured[2].in_place.ratio)
  end)

  it("that were not compared leave a note", function()
    local r = run({agree = function() return "not checked" end}, nil, {refine = 0})
    assert.truthy(page(r):find("! Nothing came back that could be compared", 1, true), page(r))
    assert.equal(2, #r.crossings)
  end)

  it("that do not repeat leave a note", function()
    local r = run({agree = function() return "differ" end}, nil, {refine = 0})      -- the base also differs from itself
    assert.equal("does not repeat", r.points[1].measured[2].agreement)
    assert.truthy(page(r):find("cpu gives other results each time", 1, true), page(r))
  end)

  it("that fn writes into its inputs do not repeat, and every device starts from the same", function()
    local seen = {}
    local function count(x)
      seen[x.device] = seen[x.device] or x.value
      x.value = x.value + 1
      return x
    end
    assert.equal("does not repeat", run({agree = agree}, {4}, nil, count).points[1].measured[2].agreement)
    assert.same({cpu = 1, ["cuda:0"] = 1}, seen)
  end)

  it("are compared with the values that each device had", function()
    local function wrong(x) return fake.tensor(1, x.device, x.device == "cpu" and 1 or 2) end
    assert.equal("differ", run({agree = agree}, {4}, nil, wrong).points[1].measured[2].agreement)
    assert.equal("agree", run({agree = agree}, {4}).points[1].measured[2].agreement)
  end)
end)

describe("bench.crossover, leaves out, with a line,", function()
  it("what would not fit, and all larger sizes, on that device only", function()
    -- A call needs 16 n² bytes: two tensors of 4 n² bytes in place, and the same again for transfers. So n ≤ 33 fits in
    -- 90 % of 20000 bytes.
    local r = run({available = {["cuda:0"] = 20000}}, nil, {refine = 0})
    assert.equal(1, #r.skipped)
    local item = r.skipped[1]
    assert.same({64, "cuda:0", "does not fit", 20000}, {item.n, item.device, item.why, item.available})
    assert.near(16 * 64 ^ 2, item.needs, 1)
    assert.equal(6, #r.points)
    assert.equal(1, #r.points[6].measured)
    local text = page(r)
    assert.truthy(text:find("! n = 64 and larger left out on cuda:0: it would need 64.0 KiB, and 19.5 KiB", 1, true), text)
    assert.truthy(text:find("overtakes cpu between n = 16 and n = 32", 1, true))
  end)

  it("what would take too long", function()
    -- 15 calls take 31 ms at 128³ ns a call, and 3.9 ms at 64³ ns
    local r = run({devices = {CPU}, spread = 0}, nil, {patience = 0.01})
    assert.same({128, "cpu", "takes too long"}, {r.skipped[1].n, r.skipped[1].device, r.skipped[1].why})
    assert.near(1e-9 * 128 ^ 3, r.skipped[1].seconds, 1e-4)
    assert.truthy(page(r):find("n = 128 and larger left out on cpu: a call would take about 2.10 ms", 1, true), page(r))
  end)

  it("what would not fit before its inputs are made", function()
    local made = {}
    run({devices = {CPU}, available = {cpu = 20000}}, nil, {inputs = function(n)
      made[#made + 1] = n
      return inputs(n)
    end})
    -- 8 · 64² bytes are more than 90 % of the available bytes
    assert.same({4, 8, 16, 32}, made)
  end)

  it("what runs out of memory all the same", function()
    local r = run({fails = {["cuda:0"] = 32}}, nil, {refine = 0})
    assert.same({{32, "out of memory"}}, {{r.skipped[1].n, r.skipped[1].why}})
    assert.equal(6, #r.points)
  end)

  it("everything, where nothing fits at all", function()
    local r = run({fails = {cpu = 1, ["cuda:0"] = 1}})
    assert.equal(0, #r.points)
    assert.equal(2, #r.skipped)
    assert.truthy(page(r):find("0 sizes", 1, true))
    assert.same({nil, "nothing was measured: no chart"}, {r:svg("/tmp/never.svg")})
  end)
end)

describe("bench.crossover, errors", function()
  it("of fn pass through as they are", function()
    local thing = {}
    local ok, problem = pcall(run, {}, nil, nil, function() error(thing) end)
    assert.falsy(ok)
    assert.equal(thing, problem)
    local count = 0
    ok, problem = pcall(run, {}, nil, nil, function(x)
      count = count + 1
      if count > 7 then error("the eighth call") end
      return x
    end)
    assert.falsy(ok)
    assert.truthy(problem:find("crossover_spec.lua:%d+: the eighth call$"), problem)
  end)

  it("of tensors on another device say what to do", function()
    local ok, problem = pcall(run, {}, nil, nil, function(x)
      if x.device ~= "cpu" then error("add: tensors on different devices: cuda:0 and cpu") end
      return x
    end)
    assert.falsy(ok)
    assert.truthy(problem:find("and cpu\nbench.crossover: return every tensor that fn uses from inputs(n)", 1, true), problem)
  end)

  it("of inputs pass through", function()
    local ok, problem = pcall(run, {}, nil, {inputs = function() error("no inputs", 0) end})
    assert.same({false, "no inputs"}, {ok, problem})
  end)
end)

describe("bench.crossover, an emulated device", function()
  local r
  before_each(function() r = run({devices = {CPU, EMULATED}}) end)

  it("is measured, but never compared", function()
    assert.same({}, r.crossings)
    assert.is_true(r.emulated)
    for _, point in ipairs(r.points) do
      local entry = point.measured[2]
      assert.is_true(entry.emulated)
      assert.is_nil(entry.in_place.ratio)
      assert.is_nil(entry.with_transfers.verdict)
    end
    assert.falsy(page(r):find("overtakes", 1, true))
  end)

  it("has a table and a chart of its own", function()
    local kinds = {}
    for _, block in ipairs(r:blocks()) do
      if block.kind == "table" then
        kinds[#kinds + 1] = block.title
        local names = {}
        for _, column in ipairs(block.columns) do names[column.name] = true end
        assert.falsy(names.cpu and names["cuda:0"])
      elseif block.kind == "chart" then
        for _, series in ipairs(block.series) do
          assert.equal(block.title:find("^Emulated") ~= nil, series.emulated or false)
        end
      end
    end
    assert.same({"function: a call", "Emulated: seconds a call"}, kinds)
  end)

  it("does not become the base, whatever the order", function()
    local list = run({devices = {CPU, EMULATED}}, {4}, {devices = {"cuda:0", "cpu"}}).devices
    assert.equal("cpu", list[1].device)
  end)

  it("alone says nothing about real devices", function()
    local alone = run({devices = {EMULATED}, work = function() return {{calls = 1, flops = 1e9, dtype = "float32"}} end})
    assert.is_nil(alone.bounds)
    assert.falsy(page(alone):find("NVIDIA", 1, true))
  end)
end)

describe("bench.crossover, one device alone", function()
  -- products of 2 n³ flops; an RTX 4090 reaches 82.6 TFLOP/s and 31.5 GB/s
  local function work(n) return {{calls = 1, flops = 2 * n ^ 3, bytes = 12 * n * n, dtype = "float32"}} end
  local r
  before_each(function() r = run({devices = {CPU}, work = work}, {16, 64, 256, 1024}, {patience = 1e6}) end)

  it("has the bounds that follow from published figures", function()
    assert.equal("rtx-4090", r.bounds[1].id)
    local bound = r.bounds[1].points[4]
    assert.near(2 * 1024 ^ 3 / 82.6e12, bound.in_place, 1e-9)
    assert.equal("products", bound.takes.in_place)
    local sent, fetched = 8 * 1024 ^ 2, 4 * 1024 ^ 2
    assert.near(2 * 1024 ^ 3 / 82.6e12 + (sent + fetched) / 31.508e9, bound.with_transfers, 1e-7)
    assert.equal("transfers", bound.takes.with_transfers)
  end)

  it("says from which size on another device could be faster at all", function()
    -- the CPU's n³ ns are less than (3 · 4 n²) / 31.5e9 s only for n < 0.38, so the CPU is made ten thousand times as
    -- fast
    local fast = run({devices = {CPU}, work = work, cost = function(_, n) return 1e-13 * n ^ 3 end}, {16, 64, 256, 1024, 4096, 16384},
      {patience = 1e6})
    -- 1e-13 n³ < 12 n² / 31.5e9 + 2 n³ / 82.6e12 up to n = 5026
    local text = page(fast):gsub("%s+", " ")
    assert.truthy(text:find("Up to n = 4096, a call with transfers cannot be faster than a call on cpu", 1, true), text)
    assert.falsy(page(r):find("cannot be faster", 1, true))
  end)

  it("has no bound of the very device that was measured", function()
    local own = run({devices = {{device = "cuda:0", name = "NVIDIA H100 80GB HBM3"}}, work = work}, {16})
    assert.equal(1, #own.bounds)
    assert.equal("rtx-4090", own.bounds[1].id)
  end)

  it("takes launching into account, which no published figure has", function()
    -- at n = 2 the bound of 48 B / 31.5e9 B/s is far less than the CPU's 20 ns, but a launch alone takes a microsecond
    local small = run({devices = {CPU}, work = work, cost = function(_, n) return n < 1024 and 2e-8 or 1e-13 * n ^ 3 end},
      {2, 64, 4096, 16384}, {patience = 1e6})
    local text = page(small):gsub("%s+", " ")
    assert.truthy(text:find("Up to n = 4096, a call with transfers cannot be faster than a call on cpu", 1, true), text)
  end)

  it("shows them in a table, marked as not measured", function()
    local text = page(r)
    assert.truthy(text:find("Only cpu was measured, A CPU", 1, true), text)
    assert.truthy(text:find("Lower bounds for devices that this machine does not have, from published figures", 1, true))
    assert.truthy(text:find("published figures, not measured", 1, true))
  end)

  it("does without where the work was not counted", function()
    local plain = run({devices = {CPU}})
    assert.same({}, plain.bounds)
    assert.truthy(page(plain):find("Only cpu was measured", 1, true))
    local none = page(run({devices = {CPU}, fails = {cpu = 1}}))
    assert.falsy(none:find("Only cpu", 1, true), none)
  end)
end)

describe("lt.bench.crossover", function()
  local lt = require "luatensor"

  it("measures on this machine", function()
    local calls = 0
    local r = lt.bench.crossover(function(x, y)
      calls = calls + 1
      assert.equal(lt.get_default_device(), x.device)
      return x:matmul(y)
    end, {4, 16}, {devices = "cpu", seconds = 0.005, name = "product"})
    assert.equal("crossover", r.kind)
    assert.equal("product", r.name)
    assert.truthy(calls > 20)
    assert.equal(2, #r.points)
    for i, n in ipairs{4, 16} do
      local point = r.points[i]
      local entry = point.measured[1]
      assert.same({n, "float32", 8 * n * n, 4 * n * n, "cpu"}, {point.n, point.dtype, point.sent, point.fetched, entry.device})
      local figure = entry.in_place
      assert.truthy(0 < figure.min and figure.min <= figure.q1 and figure.q1 <= figure.median and figure.median <= figure.q3)
      assert.is_nil(entry.with_transfers)
      assert.truthy(entry.bytes >= 12 * n * n)
    end
    assert.equal(page(r), page(assert(result.decode(result.encode(r), "text"))))
  end)

  it("counts the bytes of every dtype", function()
    local bytes = require("luatensor.bench.crossover.place").bytes
    for dtype, width in pairs{bool = 1, int8 = 1, uint16 = 2, int64 = 8, float16 = 2, bfloat16 = 2, float64 = 8, complex64 = 8, complex128 = 16} do
      assert.equal(6 * width, bytes(lt.zeros(2, 3, {dtype = dtype})), dtype)
    end
  end)

  it("leaves the process as it was", function()
    lt.manual_seed(7)
    local expected = lt.rand(3):totable()
    lt.manual_seed(7)
    collectgarbage("stop")
    lt.bench.crossover(function(x) return x + lt.rand(x.shape[1], 1) end, {4}, {devices = {"cpu"}, seconds = 0.001})
    assert.falsy(collectgarbage("isrunning"))
    collectgarbage("restart")
    assert.same(expected, lt.rand(3):totable())
    local before = lt.get_default_device()
    pcall(lt.bench.crossover, function() error("no") end, {4})
    assert.equal(before, lt.get_default_device())
  end)

  it("counts the work of a call, and bounds what is not here by it", function()
    local r = lt.bench.crossover(function(x, y) return x:matmul(y.T):exp() end, {32, 64}, {devices = "cpu", seconds = 0.002})
    local flops, bytes = 0, 0
    for _, row in ipairs(r.points[2].work.rows) do flops, bytes = flops + row.flops, bytes + row.bytes end
    assert.equal(2 * 64 ^ 3, flops)
    -- The product reads two matrices and writes one; exp reads one and writes one.
    assert.equal(4 * 64 ^ 2 * (3 + 2), bytes)
    -- an RTX 4090 with transfers: 2 matrices are sent, 1 is fetched; the memory traffic fits its cache
    local bound = r.bounds[1].points[2]
    assert.near(2 * 64 ^ 3 / 82.6e12 + 12 * 64 ^ 2 / 31.508e9, bound.with_transfers, 1e-10)
  end)

  it("bounds products that may be made in TF32 by its rate", function()
    local before = lt.get_matmul_precision()
    lt.set_matmul_precision("tf32")
    local r = lt.bench.crossover(function(x, y) return x:matmul(y) end, {32}, {devices = "cpu", seconds = 0.001})
    lt.set_matmul_precision(before)
    assert.near(2 * 32 ^ 3 / 494.5e12, r.bounds[2].points[1].in_place, 1e-14)       -- the TF32 rate of an H100
  end)

  it("draws an SVG file, or says why it cannot be written", function()
    local r = lt.bench.crossover(function(x) return x + 1 end, {8, 16}, {devices = "cpu", seconds = 0.002})
    local path = os.tmpname()
    assert(r:svg(path))
    assert.truthy(r:plot():text():find("a call", 1, true))
    local file = io.open(path)
    local text = file and file:read "a"
    if file then file:close() end
    os.remove(path)
    assert.truthy(text:find("<svg", 1, true))
    assert.truthy(text:find("</svg>%s*$"))
    local no, why = r:svg("/nowhere/x.svg")
    assert.is_nil(no)
    assert.truthy(why:find("/nowhere/x.svg", 1, true), why)
  end)
end)
