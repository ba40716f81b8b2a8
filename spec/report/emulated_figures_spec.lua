-- tags: process divided
-- Tests that figures of an emulated device are marked in all output, and are never shown beside real figures. The spec
-- examines the output of every command for an emulated GPU.

local bench = require "luatensor.bench"
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"
local marks = require "spec.support.emulated_figures"
local shell = require "spec.support.shell"

describe("the walk finds", function()
  local fake = {points = {{device = "cuda:0", emulated = true, median = 0.25}, {device = "cpu", median = 0.5}}}
  local emulated, real = marks.figures(fake)

  local function table_of(title, first, rows, unit)
    return {kind = "table", title = title, columns = {{name = "on", unit = "text"}, {name = first, unit = unit or "s"}}, rows = rows}
  end

  it("nothing where everything is marked", function()
    assert.same({}, marks.faults({
      table_of("Emulated", "time", {{"sum", 0.25}}), table_of(nil, "cuda:0 (emulated)", {{"sum", 0.25}}),
      table_of(nil, "time", {{"cuda:0 (emulated)", 0.25}, {"cpu", 0.5}}),
      {kind = "chart", series = {{name = "cuda:0", emulated = true, points = {{1, 0.25}}}}},
      {kind = "text", text = "Found: cuda:0 (emulated)"},
    }, emulated, real))
  end)

  local bad = {
    ["a device that is not marked"] = table_of("Emulated", "cuda:0", {}),
    ["a row that is not marked"] = table_of("sums", "time", {{"sum", 0.25}}),
    ["a device in a cell"] = table_of("Emulated", "time", {{"to cuda:0", 0.25}}),
    ["a title"] = table_of("cuda:0: transfers", "time", {}),
    ["a real row among emulated ones"] = table_of("Emulated", "time", {{"sum", 0.5}}),
    ["a ratio"] = {kind = "table", columns = {{name = "", unit = "text"}, {name = "time", unit = "s"}, {name = "ratio", unit = "ratio"}},
      rows = {{"cuda:0 (emulated)", 0.25, 2.0}, {"cpu", 0.5, 1.0}}},
    ["a series"] = {kind = "chart", series = {{name = "the GPU", points = {{1, 0.25}}}}},
    ["a chart of both kinds"] = {kind = "chart", series = {{name = "cuda:0", emulated = true, points = {}}, {name = "cpu", points = {}}}},
    ["a sentence"] = {kind = "text", text = "Found: {d}", values = {d = {"cuda:0", "text"}}},
  }
  for what, block in pairs(bad) do
    it(what, function() assert.equal(1, #marks.faults({block}, emulated, real)) end)
  end

  it("a page's faults", function()
    local page = [[<p class="title" id="a-title">Sums</p><table aria-labelledby="a-title"><thead><tr><th>on</th><th>time</th></tr></thead>
      <tbody><tr><th>cuda:0</th><td><data value="0.25">250 ms</data></td></tr></tbody></table>]]
    assert.same({"cell: cuda:0", "figure 0.25, time", "<th>: cuda:0"}, (marks.page_faults(page, emulated, real)))
  end)
end)

for _, kind in ipairs(helpers.in_turn {"cuda", "rocm"}) do describe("on an emulated GPU of the kind " .. kind, function()
  local environment = gpu.only(kind)
  if not shell.exists(gpu.folder .. "/libcuda.so.1") then return pending("make emulator builds it") end

  local function run(arguments, path)
    shell.passes(("%s bin/luatensor %s %s >/dev/null 2>&1"):format(environment, arguments, path))
  end

  -- Returns the result that a command writes. Each command is run only once.
  local texts = {}
  local function result_of(arguments)
    local path = os.tmpname()
    if texts[arguments] then
      shell.write(path, texts[arguments])
    else
      run(arguments .. " --json", path)
      local file <close> = assert(io.open(path))
      texts[arguments] = file:read "a"
    end
    local result = bench.load(path)
    os.remove(path)
    return result
  end

  local function check(result)
    local emulated, real = marks.figures(result)
    assert.truthy(next(emulated), "no figure of the emulated device")
    assert.same({}, marks.faults(result:blocks(), emulated, real))
  end

  local commands = {
    "bench --only exp --seconds 0.001", "bench --device " .. kind .. " 'lt.ones(5) + 1' --seconds 0.001",
    "bench --device " .. kind .. " 'lt.ones(5) + 1' '1 + lt.ones(5)' --seconds 0.001",
    "crossover 'x + y' --first 2 --last 4 --seconds 0.001", "advise 'x + y' --first 2 --last 4 --seconds 0.001",
    "advise --parameters 1000 --seconds 0.001",
  }
  for _, arguments in ipairs(commands) do
    it("luatensor " .. arguments, function() check(result_of(arguments)) end)
  end

  it("luatensor diff", function()
    local both, cpu = result_of "bench --only exp --seconds 0.001", result_of "bench --only exp --seconds 0.001 --device cpu"
    check(bench.diff(both, both))
    cpu.machine = {devices = {both.machine.devices[1]}}                       -- a machine without an emulator
    local emulated, real = marks.figures(both)
    assert.same({}, marks.faults(bench.diff(cpu, both):blocks(), emulated, real))
  end)

  it("luatensor info", function()
    local output = shell.passes(environment .. " bin/luatensor info")
    for line in output:gmatch("[^\n]+") do
      if line:find("^" .. kind) then assert.truthy(line:find "mulat", line) end
    end
  end)

  -- The report includes every experiment, the limits and the table of choices.
  it("luatensor report", function()
    local base = os.tmpname()
    run("report --sizes tiny -o", ("%s.html %s.json"):format(base, base))
    local result = bench.load(base .. ".json")
    local file = assert(io.open(base .. ".html"))
    local page = file:read "a"
    file:close()
    for _, ending in ipairs{"", ".html", ".json"} do os.remove(base .. ending) end
    local emulated, real = marks.figures(result)
    assert.truthy(next(emulated))
    assert.truthy(next(real))
    assert.same({}, marks.faults(result:blocks(), emulated, real))
    local faults, tables = marks.page_faults(page, emulated, real)
    assert.truthy(#tables > 20)
    assert.same({}, faults)
  end)
end) end
