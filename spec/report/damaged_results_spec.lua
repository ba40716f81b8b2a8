-- tags: unsanitized uncollected host
-- Tests damaged files of results. A function that reads a damaged file must refuse it by an error message or show the
-- damaged values. It must not raise another Lua error.
local lt = require "luatensor"
local distributed = require "luatensor.bench.distributed"
local experiment = require "luatensor.experiment"
local json = require "dkjson"
local markdown = require "luatensor.page.markdown"
local report = require "luatensor.report"
local result = require "luatensor.bench.result"
local suite = require "luatensor.bench.suite"

local QUICK <const> = {seconds = 1e-3, warmup = 0}
local MOST <const> = 150               -- about this many changed files are read for each kind of result

local x = lt.rand(8, 8)
local function sum() return x:sum() end
local function twice() return x + x end

local entry = {
  device = "cpu", name = "a processor", kind = "cpu", made = "2026-01-01", cores = 2, threads = 2, read = 1e10, copy = 1e10,
  arithmetic = {{dtype = "float32", flops = 1e11}}, caches = {{name = "L1", bytes = 32768, shared = 1}},
  products = {{dtype = "float32", n = 64, flops = 1e11, min = 1, q1 = 1, median = 1, q3 = 1}},
  levels = {{bytes = 1024, read = 1e11, latency = 1e-9}, {bytes = 2 ^ 30, read = 1e10, latency = 1e-7}},
  transfers = {{pinned = false, out = true, latency = 1e-5, bandwidth = 1e9, bytes = 4}},
  problems = {{what = "products", problem = "no memory"}},
}

-- Functions that make a result of each kind.
local makers = {
  time = function() return lt.bench.time(sum, QUICK) end,
  compare = function()
    return lt.bench.compare({{"a", sum}, {"b", sum}, {"c", twice}, {"d", function() error "no" end}}, QUICK)
  end,
  split = function() return lt.bench.split(twice, QUICK) end,
  crossover = function() return lt.bench.crossover(function(a, b) return a + b end, {2, 4, 10 ^ 7}, {seconds = 1e-3}) end,
  advice = function() return lt.advise(function(a, b) return a + b end, {sizes = {2, 4, 10 ^ 7}, seconds = 1e-3}) end,
  choices = function() return lt.advise.choices{seconds = 1e-3, patience = 1e-3} end,
  machine = function()
    local made = lt.bench.time(sum, QUICK)
    made.kind, made.devices = "machine", {entry}
    return made
  end,
  diff = function() return lt.bench.diff(lt.bench.time(sum, QUICK), lt.bench.time(twice, QUICK)) end,
  suite = function() return suite.new("all", {lt.bench.time(sum, QUICK)}, {"one failed"}) end,
  experiment = function()
    return experiment.run("2", {"--rows", "7", "--cols", "3", "--iterations", "2", "--device", "cpu"}, true)
  end,
  distributed = function() return distributed.run{largest = distributed.LEAST} end,
  report = function()
    local part = {id = "x", title = "a part", weight = 1, measure = function(_, section)
      section.result = lt.bench.time(sum, QUICK)
      section.blocks = section.result:blocks()
    end}
    return report.make{device = "cpu", parts = {part}}
  end,
}

-- Returns all places in a table, each as the list of keys that lead from the table to the place.
local function places(value, prefix, list)
  for key, item in pairs(value) do
    local place = table.move(prefix, 1, #prefix, 1, {})
    place[#place + 1] = key
    list[#list + 1] = place
    if type(item) == "table" then places(item, place, list) end
  end
  return list
end

local deep = {}
for _ = 1, 20 do deep = {deep} end
local others = {{"evil {x}"}, {7}, {false}, {{}}, {deep}, {-1e308}, {nil}}

-- Returns the JSON text with `other` instead of the value at one place.
local function changed(text, place, other)
  local value = json.decode(text)
  local at = value
  for i = 1, #place - 1 do at = at[place[i]] end
  at[place[#place]] = other
  return json.encode(value)
end

-- Calls all functions that use a loaded result.
local function use(loaded, good)
  assert(type(tostring(loaded)) == "string")
  for _, block in ipairs(loaded:blocks()) do markdown.block(block) end
  if loaded.kind == "report" then report.render(loaded, "html") end
  result.encode(loaded)
  for _, pair in ipairs{{loaded, good}, {good, loaded}} do
    local ok, found = pcall(lt.bench.diff, pair[1], pair[2])
    if ok then tostring(found) else assert(tostring(found):find("bench.diff: ", 1, true), found) end
  end
end

local function is_in_words(problem)
  return problem:find("^x%.json: ") and not problem:find("attempt to", 1, true) and not problem:find("\n")
    and not problem:find("%.lua:%d")
end

describe("a changed file", function()
  for kind, make in pairs(makers) do
    it("of a result of kind " .. kind .. " is refused in words, or can be used", function()
      local text = result.encode(make())
      local good = assert(result.decode(text, "x.json"))
      local list = places(json.decode(text), {}, {})
      table.sort(list, function(a, b) return table.concat(a, "\0") < table.concat(b, "\0") end)
      local step, refused = math.max(1, #list * #others // MOST), 0
      for i = 0, #list * #others - 1, step do
        local place, other = list[i // #others + 1], others[i % #others + 1][1]
        local loaded, problem = result.decode(changed(text, place, other), "x.json")
        if not loaded then
          refused = refused + 1
          assert.truthy(is_in_words(problem), problem)
        else
          local ok, why = pcall(use, loaded, good)
          assert.is_true(ok, ("%s = %s: %s"):format(table.concat(place, "."), tostring(other), tostring(why)))
        end
      end
      assert.is_true(refused > 20)
    end)
  end

  it("says which field, what is expected, and what is there", function()
    local text = result.encode(makers.time())
    for _, case in ipairs{
      {{"median"}, "evil", "time.median: number expected, got string"},
      {{"median"}, nil, "time.median: number expected, got nothing"},
      {{"samples", 1}, {}, "time.samples.1: number expected, got table"},
      {{"samples"}, {a = 1}, "time.samples: list expected"},
      {{"notes"}, {{kind = "note", text = "{n}"}}, "time.notes.1: block expected, got table"},
      {{"machine"}, 7, "time.machine: table expected, got number"},
      {{"machine", "devices", 1, "device"}, false, "time.machine.devices.1.device: string expected, got boolean"},
      {{"options"}, {1}, "time.options: table by names expected, got a list"},
    } do
      local loaded, problem = result.decode(changed(text, case[1], case[2]), "x.json")
      assert.same({nil, "x.json: damaged: " .. case[3]}, {loaded, problem})
    end
    local infinite = text:gsub('"median":[^,]*,', '"median":1e999,')
    assert.equal("x.json: damaged: time.median: number expected, got an infinity",
      select(2, result.decode(infinite, "x.json")))
  end)

  it("of nothing but brackets says so", function()
    for _, depth in ipairs{200, 10 ^ 6} do
      local text = '{"format":"luatensor","version":1,"kind":"time","x":' .. ("["):rep(depth) .. ("]"):rep(depth) .. "}"
      local _, problem = result.decode(text, "x.json")
      assert.truthy(problem:find("^x%.json: no JSON: more than 100 levels at byte %d+$"), problem)
    end
  end)
end)
