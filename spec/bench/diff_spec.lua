-- tags: host
-- Tests lt.bench.diff with results whose times are made by hand or by a fake clock.
local lt = require "luatensor"
local clocks = require "spec.support.fake_clock"
local idle = require "luatensor.bench.idle"
local result = require "luatensor.bench.result"

-- Ignores other processes on the machine.
local watch = idle.watch
setup(function() idle.watch = function() return {others = function() return 0 end} end end)
teardown(function() idle.watch = watch end)

-- A class of results for this spec: a list of named figures.
local class = result.class("spec", {
  blocks = function() return {} end,
  timings = function(self) return self.figures end,
})
local without = result.class("no times", {blocks = function() return {} end})

local function machine(more)
  local cpu = {device = "cpu", name = "Abacus", kind = "cpu", cores = 4, isa = "beads", memory = 2 ^ 30}
  for name, value in pairs(more or {}) do cpu[name] = value end
  return {devices = {cpu}, threads = 4, luatensor = "scm", lua = "Lua 5.4"}
end

local function run(figures, more)
  local fields = {figures = figures, machine = machine()}
  for name, value in pairs(more or {}) do fields[name] = value end
  return result.new(class, fields)
end

local function figure(name, q1, median, q3, more)
  local fields = {name = name, q1 = q1, median = median, q3 = q3}
  for key, value in pairs(more or {}) do fields[key] = value end
  return fields
end

local function diff_of(before, after) return lt.bench.diff(run{before}, run{after}).rows[1] end

-- Returns the differences as lines "what: before after".
local function differences(before, after)
  local lines = {}
  for i, item in ipairs(lt.bench.diff(before, after).differences) do
    lines[i] = ("%s: %s %s"):format(item.what, item.before, item.after)
  end
  return table.concat(lines, "\n")
end

describe("bench.diff", function()
  local cases = {
    {"faster", {9, 10, 11}, {4, 5, 6}, 2},
    {"slower", {4, 5, 6}, {9, 10, 11}, 0.5},
    {"noise", {8, 10, 12}, {4, 5, 8}, 2},                  -- quartiles touch
    {"small", {99.9, 100, 100.1}, {95.9, 96, 96.1}, 100 / 96},
    {"faster", {99.9, 100, 100.1}, {94.9, 95, 95.1}, 100 / 95},
    {"slower", {9.9, 10, 10.1}, {10.9, 11, 11.1}, 10 / 11},
    {"noise", {1, 1, 1}, {1, 1, 1}, 1},
  }
  for i, case in ipairs(cases) do
    it(("%d: %s"):format(i, case[1]), function()
      local row = diff_of(figure("f", table.unpack(case[2])), figure("f", table.unpack(case[3])))
      assert.equal(case[1], row.verdict)
      assert.near(case[4], row.ratio, 1e-12)
    end)
  end

  it("takes rates the other way round", function()
    local row = diff_of(figure("read", 9, 10, 11, {unit = "B/s"}), figure("read", 19, 20, 21, {unit = "B/s"}))
    assert.equal(2, row.ratio)
    assert.equal("faster", row.verdict)
  end)

  it("has no verdict if a quartile is missing, as in a changed file", function()
    for k = 1, 3, 2 do
      local numbers = {9, 10, 11}
      numbers[k] = nil
      for _, pair in ipairs {{numbers, {4, 5, 6}}, {{4, 5, 6}, numbers}} do
        local row = diff_of(figure("f", pair[1][1], pair[1][2], pair[1][3]), figure("f", pair[2][1], pair[2][2], pair[2][3]))
        assert.equal("undecided", row.verdict)
        assert.equal("single", row.why)
      end
    end
  end)

  it("has no verdict on single figures", function()
    local row = diff_of({name = "f", median = 2}, {name = "f", median = 1})
    assert.equal("undecided", row.verdict)
    assert.equal(2, row.ratio)
    assert.truthy(tostring(lt.bench.diff(run{{name = "f", median = 2}}, run{{name = "f", median = 1}})):find("without quartiles nobody knows", 1, true))
  end)

  it("finds the figures of experiments, and of what holds results", function()
    local holder = result.class("holder", {blocks = function() return {} end})
    local function made(seconds)
      local inner = {
        format = "luatensor", kind = "experiment", name = "02_large", device = "cpu", results = {run{figure("f", 1, seconds, 3)}},
        values = {seconds = {value = seconds, unit = "s"}, rate = {value = 5, unit = "B/s"},
          sent = {value = 1, unit = "s", device = "rtx-4090"}, ratio = {value = 2, unit = "ratio"}},
      }
      return result.new(holder, {sections = {{runs = {inner}}, {}}, machine = machine()})
    end
    local d = lt.bench.diff(made(2), made(2))
    local names = {}
    for i, row in ipairs(d.rows) do names[i] = row.name end
    assert.same({"02_large, cpu: rate", "02_large, cpu: seconds", "02_large, cpu: f"}, names)
    assert.same({"B/s", "s", "s"}, {d.rows[1].unit, d.rows[2].unit, d.rows[3].unit})
    assert.equal("noise", d.rows[3].verdict)
  end)

  it("names the points of a crossover", function()
    local crossover = lt.bench.crossover(function(x) return x:sum() end, {4, 8},
      {seconds = 0.001, devices = {"cpu"}, name = "sum", inputs = function(n) return lt.ones(n, {device = "cpu"}) end})
    local d = lt.bench.diff(crossover, crossover)
    assert.equal("sum on cpu, n = 4, in place", d.rows[1].name)
    assert.equal(1, d.rows[#d.rows].ratio)
  end)

  it("decides nothing where others used the processor in either run, or where rounds are far apart", function()
    local slow, fast = figure("f", 99, 100, 101), figure("f", 9.9, 10, 10.1)
    local function other(share) return figure("f", 9.9, 10, 10.1, {others = share}) end
    assert.equal("faster", diff_of(slow, other(0.1)).verdict)
    local row = diff_of(slow, other(0.87))
    assert.same({"undecided", "busy", 10}, {row.verdict, row.why, row.ratio})
    assert.equal("busy", diff_of(other(0.87), slow).why)
    -- the share of other processes belongs to the whole run
    assert.equal("busy", lt.bench.diff(run({slow}, {others = 0.5}), run{fast}).rows[1].why)
    local page = tostring(lt.bench.diff(run{slow}, run{other(0.87)}))
    assert.truthy(page:gsub("%s+", " "):find("others used more than 10.0 % of the processor in one of the runs: f.", 1, true), page)
    assert.falsy(page:find("10.0×", 1, true))
    row = diff_of(slow, figure("f", 8, 10, 13.1))
    assert.same({"undecided", "spread"}, {row.verdict, row.why})
    assert.equal("faster", diff_of(slow, figure("f", 8, 10, 12.9)).verdict)
  end)

  it("shows the runs' own notes", function()
    local doubtful = figure("f", 1, 1, 1, {notes = {{kind = "note", text = "Later took {t}.", values = {t = {2, "ratio"}}}}})
    local page = tostring(lt.bench.diff(run{figure("f", 1, 1, 1)}, run{doubtful}))
    assert.truthy(page:find("! f, after: Later took 2.00×.", 1, true), page)
    local many = {}
    for i = 1, 11 do many[i] = figure("f" .. i, 1, 1, 1, {notes = doubtful.notes}) end
    page = tostring(lt.bench.diff(run(many), run(many)))
    assert.truthy(page:find("before: 3 notes more.", 1, true), page)
  end)

  it("cuts long lists of names, with a count", function()
    local many = {figure("a", 1, 1, 1)}
    for i = 1, 30 do many[i + 1] = figure("f" .. i, 1, 1, 1) end
    local page = tostring(lt.bench.diff(run(many), run{figure("a", 1, 1, 1)})):gsub("%s+", " ")
    assert.truthy(page:find("Only before: f1; f2; f3; f4; f5; f6; f7; f8. And 22 more.", 1, true), page)
  end)
end)

describe("bench.diff of runs that differ", function()
  it("names what only one of them has", function()
    local d = lt.bench.diff(run{figure("a", 1, 1, 1), figure("b", 1, 1, 1)}, run{figure("b", 2, 2, 2), figure("c", 1, 1, 1)})
    assert.same({"a"}, d.only_before)
    assert.same({"c"}, d.only_after)
    assert.equal("b", d.rows[1].name)
    assert.equal(1, #d.rows)
    local page = tostring(d)
    assert.truthy(page:find("Only before: a.", 1, true))
    assert.truthy(page:find("Only after: c.", 1, true))
    assert.truthy(page:find("0.50*× +slower"), page)
  end)

  it("does not compare emulated with real figures", function()
    local emulated = figure("f", 4, 5, 6, {emulated = true})
    for _, pair in ipairs{{run{figure("f", 9, 10, 11)}, run{emulated}}, {run{emulated}, run{figure("f", 9, 10, 11)}}} do
      local ok, problem = pcall(lt.bench.diff, table.unpack(pair))
      assert.is_false(ok)
      assert.truthy(problem:find("bench.diff: emulated and real times say nothing of each other: f", 1, true), problem)
    end
    local g = figure("g", 9, 10, 11)
    local d = lt.bench.diff(run{figure("f", 9, 10, 11), g}, run{emulated, g})
    assert.same({"g"}, {d.rows[1].name, d.rows[2]})
    assert.is_nil(d.emulated)
    assert.truthy(tostring(d):find("Left out, since only one side is emulated, the other real: f.", 1, true))
  end)

  it("marks what is emulated on both sides, apart from what is real", function()
    local f, g = figure("f", 8, 10, 11, {emulated = true}), figure("g", 9, 10, 11)
    local d = lt.bench.diff(run{f, g}, run{figure("f", 4, 5, 6, {emulated = true}), g})
    assert.same({2, true, 1, nil}, {d.rows[1].ratio, d.emulated, d.rows[2].ratio})
    local tables = {}
    for _, block in ipairs(d:blocks()) do
      if block.kind == "table" then tables[#tables + 1] = {block.title or false, block.rows[1][1], #block.rows} end
    end
    assert.same({false, "g", 1}, tables[1])
    assert.same({"On an emulated device: these times say nothing about a real one", "f (emulated)", 1}, tables[2])
  end)

  it("has no verdicts on two machines, only figures side by side", function()
    for field, value in pairs{name = "Slide rule", cores = 8, isa = "cursor", memory = 2 ^ 31} do
      local before, after = run{figure("f", 9, 10, 11)}, run({figure("f", 4, 5, 6)}, {machine = machine{[field] = value}})
      local d = lt.bench.diff(before, after)
      assert.is_false(d.same_machine, field)
      assert.is_nil(d.rows[1].ratio)
      assert.is_nil(d.rows[1].verdict)
      assert.equal(5, d.rows[1].after.median)
      assert.truthy(tostring(d):find("Two machines", 1, true))
      assert.truthy(differences(before, after):find("^cpu, " .. field .. ": "))
    end
  end)

  it("takes a machine that tells a little less memory for the same one", function()
    local d = lt.bench.diff(run{figure("f", 9, 10, 11)}, run({figure("f", 4, 5, 6)}, {machine = machine{memory = 0.98 * 2 ^ 30}}))
    assert.is_true(d.same_machine)
    assert.same({}, d.differences)
  end)
end)

describe("bench.diff, notes", function()
  it("lists in what the runs differ", function()
    local other = machine{software = "driver 2"}
    other.threads, other.luatensor = 2, "1.0"
    other.devices[2] = {device = "cuda:0", name = "Loom"}
    local before = run({figure("f", 1, 1, 1, {dtype = "float32", gc = "count"}), figure("g", 1, 1, 1)}, {options = {seconds = 1}})
    local after = run({figure("f", 1, 1, 1, {dtype = "float64", gc = "count"}), figure("g", 1, 1, 1)},
      {machine = other, options = {seconds = 2, rounds = 3}})
    assert.equal(table.concat({
      "cpu, software: – driver 2", "cuda:0: – Loom", "luatensor: scm 1.0", "threads: 4 2", "option rounds: – 3",
      "option seconds: 1 2", "dtype of f: float32 float64",
    }, "\n"), differences(before, after))
    assert.truthy(tostring(lt.bench.diff(before, after)):find("dtype of f +float32 +float64"))
  end)

  it("says once what all rows differ in", function()
    local function both(dtype) return run{figure("f", 1, 1, 1, {dtype = dtype}), figure("g", 1, 1, 1, {dtype = dtype})} end
    assert.equal("dtype: float32 int8", differences(both "float32", both "int8"))
  end)

  it("tells of few rounds, busy machines and runs that were stopped", function()
    local after = run({figure("f", 1, 1, 1, {samples = {1, 1}})}, {others = 0.5, incomplete = "stopped after 2 rounds"})
    local page = tostring(lt.bench.diff(run{figure("f", 1, 1, 1)}, after))
    assert.truthy(page:find("Of fewer than five rounds, so that quartiles say little: f.", 1, true))
    assert.truthy(page:find("Others used 50.0 % of the processor after.", 1, true))
    assert.truthy(page:find("after: stopped after 2 rounds", 1, true))
  end)

  it("compares what time and compare measured, also from files", function()
    local clock = clocks.new()
    local function time(seconds) return lt.bench.time(clock:work(seconds), {clock = clock, seconds = 1, warmup = 0}) end
    local d = lt.bench.diff(time(0.5), time(0.25))
    assert.equal(2, d.rows[1].ratio)
    assert.equal("faster", d.rows[1].verdict)

    local function named(name) return lt.bench.time(clock:work(0.5), {clock = clock, seconds = 1, warmup = 0, name = name}) end
    assert.equal("name: sum product", differences(named "sum", named "product"))

    local function compare(seconds)
      local entries = {{"a", clock:work(0.5)}, {"b", clock:work(seconds)}}
      return lt.bench.compare(entries, {clock = clock, seconds = 0.5, warmup = 0, check = false})
    end
    local before, after, path = compare(0.5), compare(1), os.tmpname()
    finally(function() os.remove(path) end)
    before:save(path)
    d = lt.bench.diff(lt.bench.load(path), after)
    assert.same({"noise", "slower"}, {d.rows[1].verdict, d.rows[2].verdict})
    d:save(path)
    assert.same(d, lt.bench.load(path))
  end)
end)

describe("bench.diff, of reports", function()
  local holder = result.class("spec report", {blocks = function() return {} end})
  local function report(sizes, options, seconds)
    local inner = {format = "luatensor", kind = "experiment", name = "02_large", device = "cpu", options = options, results = {},
      values = {seconds = {value = seconds, unit = "s"}}}
    local other = {format = "luatensor", kind = "experiment", name = "03_small", device = "cpu", options = {rows = 70}, values = {},
      results = {run{figure("f", 1, 1, 1)}}}
    return result.new(holder, {sections = {{runs = {inner, other}}}, sizes = sizes, machine = machine()})
  end

  it("pairs experiments of equal options only", function()
    local before, after = report("full", {iterations = 100, seconds = 1}, 24), report("tiny", {iterations = 2, seconds = 0.1}, 1e-4)
    local d = lt.bench.diff(before, after)
    assert.equal(1, #d.rows)
    assert.equal("03_small, cpu: f", d.rows[1].name)
    assert.same({"02_large, cpu: seconds"}, d.other_work)
    assert.same({{}, {}}, {d.only_before, d.only_after})
    assert.truthy(tostring(d):find("the options of their experiments differ: 02_large, cpu: seconds.", 1, true), tostring(d))
  end)

  it("says that their sizes and options differ", function()
    local before, after = report("full", {iterations = 100}, 24), report("tiny", {iterations = 2}, 1e-4)
    assert.equal("sizes: full tiny\n02_large, cpu: option iterations: 100 2", differences(before, after))
  end)

  it("pairs what was only measured for longer", function()
    local d = lt.bench.diff(report("full", {rows = 7, seconds = 1}, 2), report("full", {rows = 7, seconds = 0.1}, 1))
    assert.equal(2, #d.rows)
    assert.same({}, d.other_work)
  end)
end)

describe("bench.diff, what cannot be compared", function()
  local one = run{figure("f", 1, 1, 1)}
  local wrong = {
    {"argument 1: result expected, got nil"},
    {"argument 2: result expected, got table", one, {}},
    {"argument 2: result expected, got string", one, "before.json"},
    {"argument 2: a result of kind \"no times\" has no times to compare", one, result.new(without, {})},
    {"nothing of the same name in both: f (spec) and g (spec)", one, run{figure("g", 1, 1, 1)}},
    {"argument 2: a result of kind \"spec\" has no times to compare", one, run{}},
    {"nothing of the same name in both: f (spec) and f (spec)", one, run{figure("f", 1, 1, 1, {unit = "B/s"})}},
  }
  for _, case in ipairs(wrong) do
    it(case[1], function()
      local ok, problem = pcall(function() return (lt.bench.diff(table.unpack(case, 2))) end)
      assert.is_false(ok)
      assert.equal("bench.diff: " .. case[1], (problem:gsub("^[^\n:]*%.lua:%d+: ", "")))
    end)
  end

  it("files in which something is missing", function()
    local classes = {"time", "compare", "split", "crossover", "machine", "advice", "choices", "experiment", "suite", "diff", "report"}
    for _, kind in ipairs(classes) do
      local value, problem = result.decode(('{"format":"luatensor","version":1,"kind":"%s"}'):format(kind), "a.json")
      assert.is_nil(value, kind)
      assert.equal(("a.json: damaged: %s.machine: table expected, got nothing"):format(kind), problem)
    end
  end)

  it("files of other versions", function()
    local path = os.tmpname()
    finally(function() os.remove(path) end)
    local function load_text(text)
      local file = assert(io.open(path, "w"))
      file:write(text)
      file:close()
      local ok, problem = pcall(lt.bench.load, path)
      assert.is_false(ok)
      return problem
    end
    local text = result.encode(one)
    assert.truthy(load_text(text:gsub('"version":1', '"version":7')):find("its format is version 7; this luatensor reads version 1", 1, true))
    assert.truthy(load_text(text:gsub('"kind":"spec"', '"kind":"poem"')):find("unknown kind of result: poem", 1, true))
    assert.truthy(load_text("{"):find("no JSON", 1, true))
  end)
end)
