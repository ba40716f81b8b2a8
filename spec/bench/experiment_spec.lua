-- tags: texts
-- Tests the helpers of experiment scripts. The examples themselves are tested in cli/examples_spec.lua.

local experiment = require "luatensor.experiment"
local interrupt = require "luatensor.bench.interrupt"
local lt = require "luatensor"
local result = require "luatensor.bench.result"
local shell = require "spec.support.shell"

local function spec_of(options)
  return {name = "99_spec", title = "A spec", question = "Does it work?", claims = {4}, options = options or {}}
end

describe("an experiment", function()
  local quiet
  before_each(function() quiet, experiment.quiet = experiment.quiet, true end)
  after_each(function() experiment.quiet = quiet end)

  it("returns what it said, its options and its figures", function()
    local run <close> = experiment.start({"--device", "cpu", "--rows=5"}, spec_of{"device", {"rows", 7}, {"cols", 3}})
    assert.same({device = "cpu", rows = 5, cols = 3}, run.options)
    run:value("seconds", 0.25, "s")
    run:text("{rows} rows on {device} took {seconds}, {share} of all", {share = {0.5, "share"}})
    run:note("beware")
    run:table{columns = {{name = "n", unit = "count"}}, rows = {{1}}}
    run:chart{x = {name = "n", unit = "count"}, y = {name = "t", unit = "s"}, series = {{name = "a", points = {{1, 2}}}}}
    local made = run:finish()

    assert.same({"text", "note", "table", "chart"}, {made.body[1].kind, made.body[2].kind, made.body[3].kind, made.body[4].kind})
    assert.same({rows = {5, "count"}, device = {"cpu", "text"}, seconds = {0.25, "s"}, share = {0.5, "share"}}, made.body[1].values)
    assert.same({seconds = {value = 0.25, unit = "s", device = "cpu"}}, made.values)
    assert.same({"99_spec", "A spec", "Does it work?", {4}, "cpu", "experiment"},
      {made.name, made.title, made.question, made.claims, made.device, made.kind})
    assert.same({device = "cpu", rows = 5, cols = 3}, made.options)
    assert.equal(made.body, made:blocks())
    assert.is_nil(made.emulated)
    assert.truthy(tostring(made):find("5 rows on cpu took 250 ms, 50.0 % of all\n! beware\n", 1, true), tostring(made))
  end)

  it("survives JSON", function()
    local run <close> = experiment.start({}, spec_of{{"rows", 7}})
    run:value("seconds", 0.1, "s")
    run:text("{seconds}")
    local made = run:finish()
    local again = assert(result.decode(result.encode(made), "text"))
    assert.same(made, again)
    assert.equal(tostring(made), tostring(again))
  end)

  it("refuses a name without a value, an unknown unit and what is no figure", function()
    local run <close> = experiment.start({}, spec_of())
    assert.error_matches(function() run:text("{seconds}") end, 'no value "seconds"')
    assert.error_matches(function() run:value("seconds", 1, "fortnights") end, 'unknown unit "fortnights"')
    assert.error_matches(function() run:value("seconds", 0 / 0, "s") end, 'value "seconds": a finite number expected')
    assert.error_matches(function() run:value("seconds", "1", "s") end, 'value "seconds": a finite number expected')
    assert.error_matches(function() run:table{columns = {}, rows = {}} end, "a table needs columns")
    assert.same({}, run:finish().body)
  end)

  it("counts rounds as a for does", function()
    local run <close> = experiment.start({}, spec_of())
    local seen = {}
    for i in run:rounds(4) do seen[#seen + 1] = i end
    assert.same({1, 2, 3, 4}, seen)
    run:finish()
  end)

  it("leaves the number of threads as it was, whichever way it ends", function()
    local threads = lt.get_num_threads()
    local function start() return experiment.start({"--threads", tostring(threads + 1)}, spec_of{"threads"}) end
    local run = start()
    assert.equal(threads + 1, lt.get_num_threads())
    assert.equal(threads + 1, run:finish().machine.threads)
    assert.equal(threads, lt.get_num_threads())
    local ok, problem = pcall(function()
      local _ <close> = start()
      error("a mistake", 0)
    end)
    assert.same({false, "a mistake"}, {ok, problem})
    assert.equal(threads, lt.get_num_threads())
  end)

  it("keeps what was measured before a Ctrl-C", function()
    local problem = select(2, pcall(function()
      local run <close> = experiment.start({}, spec_of())
      run:value("seconds", 2, "s")
      run:text("{seconds}")
      for i in run:rounds(7) do
        if i == 3 then error("script.lua:7: interrupted!", 0) end
      end
    end))
    assert.is_true(interrupt.is(problem))
    local partial = interrupt.partial(problem)
    assert.equal("stopped in round 3 of 7", partial.incomplete)
    assert.equal(2, partial.values.seconds.value)
    assert.equal("{seconds}", partial.body[1].text)
    assert.equal("note", partial.body[#partial.body].kind)
  end)

  it("shows what it timed before a Ctrl-C", function()
    local problem = select(2, pcall(function()
      local run <close> = experiment.start({}, spec_of())
      run:time("sleep", function() lt.clock() end, {seconds = 0.001, device = "cpu", threads = 1})
      error("interrupted!", 0)
    end))
    local row = interrupt.partial(problem).body[1].rows[1]
    assert.same({"sleep", "cpu", 1}, {row[1], row[2], row[3]})
    assert.truthy(row[4] > 0)
  end)

  it("shows the partial result of a measurement that Ctrl-C ended", function()
    local class = result.class("spec", {blocks = function() return {{kind = "text", text = "half"}} end})
    local problem = select(2, pcall(function()
      local _ <close> = experiment.start({}, spec_of())
      interrupt.raise(result.new(class, {incomplete = "stopped after 3 of 12 sizes"}))
    end))
    local partial = interrupt.partial(problem)
    assert.equal("experiment", partial.kind)
    assert.equal("stopped after 3 of 12 sizes", partial.incomplete)
    assert.equal("half", partial.body[1].text)
  end)
end)

describe("Ctrl-C", function()
  it("is known with the traceback that the interpreter adds, and by its words alone is not", function()
    assert.is_true(interrupt.is("a.lua:1: interrupted!"))
    assert.is_true(interrupt.is("a.lua:1: interrupted!\nstack traceback:\n\t[C]: in ?"))
    assert.is_false(interrupt.is("the talk was interrupted! Then it went on"))
    assert.is_false(interrupt.is(nil))
  end)

  it("in a script prints what is there and ends as the interpreter does", function()
    local status, output = shell.run("timeout --foreground --preserve-status -s INT 3 tools/lua examples/02_large.lua --rows 300 --cols 300 " ..
      "--iterations 100000000")
    assert.equal(1, status, output)
    assert.truthy(output:find("\nThe rounds so far took %S+ s%.\n! Ctrl%-C: stopped in round %d+ of 100000000%."), output)
    assert.truthy(output:find("interrupted!\n$"), output)
    assert.falsy(output:find("traceback", 1, true), output)
  end)
end)

-- The interpreter converts the error to a text before the experiment sees it.
describe("Ctrl-C in a measurement", function()
  it("leaves what it measured on the page of the script", function()
    local script = [[
      local experiment, lt = require "luatensor.experiment", require "luatensor"
      local run <close> = experiment.start({}, {name = "a", title = "b", question = "c?", claims = {}, options = {}})
      local calls = 0
      run:show(lt.bench.crossover(function(x)
        calls = calls + 1
        if x.size > 16 then error("interrupted!") end
        return x
      end, {4, 5}, {seconds = 0.001, devices = {"cpu"}, inputs = function(n) return lt.rand(n, n) end}))]]
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(script)
    file:close()
    local status, output = shell.run("tools/lua " .. path)
    os.remove(path)
    assert.equal(1, status, output)
    assert.truthy(output:find("\nfunction: 1 sizes?\n"), output)
    assert.truthy(output:find("! Ctrl-C: stopped after 1 of 2 sizes.", 1, true), output)
    assert.truthy(output:find("interrupted!\n$"), output)
  end)
end)

describe("experiments", function()
  local names = {}
  for path in shell.passes("ls examples/[0-9]*.lua"):gmatch("[^\n]+") do
    local name = path:match("([^/]+)%.lua$")
    local plain = name == "11_images" or name == "12_table" or name == "13_many"           -- scripts that are no experiments
    if not plain then names[#names + 1] = name end
  end

  it("are found by name, number and word", function()
    for _, name in ipairs(names) do
      local number, word = name:match("^(%d+)_(.*)$")
      local path = assert(experiment.find(name))
      assert.truthy(shell.exists(path), path)
      assert.truthy(path:find("examples/" .. name .. ".lua", 1, true), path)
      assert.equal(path, experiment.find(number))
      assert.equal(path, experiment.find(tostring(tonumber(number))))
      assert.equal(path, experiment.find(word))
    end
  end)

  it("that are not there have a nearest name, or the known ones", function()
    assert.same({nil, 'no experiment "larg"; did you mean "large"?'}, {experiment.find("larg")})
    assert.same({nil, 'no experiment "02_lage"; did you mean "02_large"?'}, {experiment.find("02_lage")})
    local _, problem = experiment.find("a completely different thing")
    assert.truthy(problem:find("known: 01_device, 02_large, ", 1, true), problem)
    assert.same({nil, problem}, {experiment.run("a completely different thing")})
    assert.error_matches(function() experiment.find(nil) end, "experiment.find: string expected, got nil")
  end)

  it("say of themselves what they are, under the names of their files", function()
    local list = experiment.list()
    assert.equal(#names, #list)
    for i, item in ipairs(list) do
      assert.equal(names[i], item.name)
      assert.truthy(#item.title > 0 and item.question:find("?", 1, true), item.name)
      assert.truthy(#item.claims > 0, item.name)
      for _, claim in ipairs(item.claims) do assert.truthy(math.type(claim) == "integer" and claim >= 1 and claim <= 17) end
    end
  end)

  it("run quietly print nothing, and are loud again after an error", function()
    local script = [[
      local experiment = require "luatensor.experiment"
      local made = experiment.run("03", {"--iterations", "2"}, true)
      io.stderr:write(made.kind, " ", made.name, "\n")
      assert(not experiment.quiet)
      assert(not pcall(experiment.run, "03", {"--iterations", "2", "--device", "cpu", "--rows", "9223372036854775807"}, true))
      assert(not experiment.quiet)]]
    assert.equal("experiment 03_small\n", shell.passes(("tools/lua -e '%s'"):format(script)))
  end)
end)

describe("the notebook", function()
  local notebook = require "luatensor.experiment.notebook"

  local function large(fields)
    local made = {
      device = "cpu", options = {iterations = 50, rows = 7000, cols = 3000, dtype = "float32"},
      values = {seconds = {value = 100, unit = "s"}, queue_seconds = {value = 25, unit = "s"}},
    }
    for name, value in pairs(fields or {}) do made[name] = value end
    return made
  end

  it("has 17 claims; each is tested by an experiment or answered elsewhere", function()
    assert.equal(17, #notebook.claims)
    local tested = {}
    for _, item in ipairs(experiment.list()) do
      for _, claim in ipairs(item.claims) do tested[claim] = true end
    end
    for i, row in ipairs(notebook.claims) do assert.truthy(tested[i] or row.elsewhere, row.claim) end
  end)

  it("stands beside experiments that made its loop, a round by itself", function()
    local block = notebook.beside(12, {large(), large{device = "cuda:0"}})
    assert.same({
      {"notebook's laptop, CPU", 100, 53.21, false, 53.21 / 100}, {"notebook's laptop, GPU", 100, 33.03, false, 33.03 / 100},
      {"here, cpu", 50, 25, 100, 2}, {"here, cuda:0", 50, 25, 100, 2},
    }, block.rows)
  end)

  it("does not stand beside other sizes, other dtypes, or an emulated device", function()
    assert.is_nil(notebook.beside(12, {large{emulated = true}}))
    assert.is_nil(notebook.beside(13, {large()}))
    assert.is_nil(notebook.beside(12, {large{options = {iterations = 100, rows = 7000, cols = 3000, dtype = "float64"}}}))
    assert.equal(3, #notebook.beside(12, {large(), large{device = "cuda:0", emulated = true}}).rows)
  end)
end)

describe("docs/notebook.md", function()
  local figures = dofile "tools/notebook_figures.lua"

  local function read()
    local file = assert(io.open(figures.page))
    local page = file:read("a")
    file:close()
    return page
  end

  it("has the claims as they are in the library (tools/lua tools/notebook_figures.lua writes them)", function()
    local page = read()
    assert.equal(page, figures.fill(page, "claims", figures.claims()))
  end)

  it("says something of every claim", function()
    local said = {}
    for first, rest in read():gmatch("\n%*%*(%d+)([^:]*): ") do
      for number in (first .. rest):gmatch("%d+") do said[tonumber(number)] = true end
    end
    for number = 1, 17 do assert.is_true(said[number], number) end
  end)

  it("is filled between the comments that name a part, and nowhere else", function()
    local page = "a\n<!-- figures: how -->\nold\n<!-- end of figures -->\nb\n"
    assert.equal("a\n<!-- figures: how -->\nnew %1\n<!-- end of figures -->\nb\n", figures.fill(page, "figures", "new %1"))
    assert.error_matches(function() figures.fill(page, "claims", "new") end, 'no part "claims"')
  end)

  it("shows figures of real devices only", function()
    local function made(device, emulated)
      return {
        kind = "experiment", name = "04_cores", device = device, where = device .. ": a machine", emulated = emulated, others = 0,
        values = {product_ratio = {value = 1.5, unit = "ratio", device = device}}, options = {},
      }
    end
    local all = {kind = "suite", results = {made("cpu"), {runs = {made("cuda:0", true)}}}, machine = {luatensor = "luatensor x"},
                 made = "2026-01-02T03:04:05Z"}
    assert.equal(1, #figures.experiments(all))
    local text = figures.measured(all)
    assert.truthy(text:find("| 4 | x @ y.T: speed on all threads / speed on one thread | 1.50× | cpu | 04_cores |", 1, true), text)
    assert.falsy(text:find("cuda", 1, true), text)
    assert.error_matches(function() figures.measured(made("cuda:0", true)) end, "no experiment of a real device in it")
  end)
end)
