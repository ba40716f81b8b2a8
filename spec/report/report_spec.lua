-- tags: texts
-- Tests the report: all measurements become one result, and its pages show only figures and texts that its JSON
-- contains.

local bench = require "luatensor.bench"
local dkjson = require "dkjson"
local document = require "luatensor.page.document"
local format = require "luatensor.page.format"
local interrupt = require "luatensor.bench.interrupt"
local reader = require "spec.support.html"
local report = require "luatensor.report"
local shell = require "spec.support.shell"

-- ---- parts without measurements -----------------------------------------------------------------

local function part(id, measure)
  return {id = id, title = "Part " .. id, weight = 1, measure = measure}
end

-- Returns an invented run of an experiment, in the form that an experiment's script returns.
local function fake_run(device, emulated)
  return {
    format = "luatensor", version = 1, kind = "experiment", name = "fake", device = device, emulated = emulated, values = {},
    where = device .. ": a <fast> one & more", options = {}, title = "Fake", question = "How fast?", claims = {}, results = {},
    made = "2026-01-01T00:00:00Z", machine = require "luatensor.bench.machine.identity"(),
    body = {
      document.text("It took {t}.", {t = {0.00139, "s"}}), document.note("busy"),
      document.table{title = "T", columns = {{name = "a|b", unit = "text"}, {name = "time", unit = "s"}}, rows = {{"x < y", 2.5e-6}}},
      document.chart{title = "C", x = {name = "n", unit = "count", log = true}, y = {name = "time", unit = "s", log = true},
        series = {{name = device, emulated = emulated, points = {{16, 1e-5}, {64, 1e-3}}}}},
    },
  }
end

local good = part("good", function(_, section)
  section.question, section.claims = "How fast?", {12}
  section.runs[1] = fake_run("cpu")
end)

local function stopped(result_or_problem)
  return part("stopped", function(_, section)
    section.runs[1] = fake_run("cpu")
    error(result_or_problem, 0)
  end)
end

local function fakes(...) return {sizes = "tiny", device = "cpu", parts = {...}} end

-- ---- contents of pages --------------------------------------------------------------------------

-- Returns all numbers and all strings of a JSON text.
local function contents_of(json)
  local numbers, strings = {}, {}
  local function walk(value)
    if type(value) == "number" then numbers[value + 0.0] = true
    elseif type(value) == "string" then strings[#strings + 1] = value
    elseif type(value) == "table" then
      for _, item in pairs(value) do walk(item) end
    end
  end
  walk((dkjson.decode(json)))
  return numbers, table.concat(strings, "\n")
end

local UNITS = {"s", "B", "B/s", "FLOP", "FLOP/s", "FLOP/B", "ratio", "share", "count", "number"}

local function shown_as(value, text)
  for _, unit in ipairs(UNITS) do
    if format.show(value, unit):gsub(" ", "\u{A0}") == text then return true end
  end
end

-- Returns a message for each figure or number that the page shows but the JSON does not contain.
local function strangers(page, json)
  local numbers, strings = contents_of(json)
  local found, elements = {}, reader.parse(page)
  for _, element in ipairs(reader.all(elements, "data")) do
    local value = tonumber(element.attributes.value)
    if not (value and numbers[value + 0.0]) then found[#found + 1] = "not in the JSON: " .. tostring(element.attributes.value) end
    if not shown_as(value, element.text) then found[#found + 1] = ("%s shown as %s"):format(value, element.text) end
  end
  local text = page:gsub("<style>.-</style>", ""):gsub("<svg.-</svg>", ""):gsub("<data.-</data>", ""):gsub("<[^<>]*>", "\n")
  for piece in reader.unescape(text):gmatch("[%w.,:×-]*%d[%w.,:×-]*") do
    local word = piece:gsub("[.,:]+$", "")
    local known = strings:find(word, 1, true) or numbers[tonumber(word) or false]
    if not known then found[#found + 1] = "number in the text: " .. word end
  end
  return found
end

describe("a report", function()
  it("goes on where a part fails, and says so in its place", function()
    local made = report.make(fakes(part("bad", function() error("no such <device>") end), good))
    assert.equal(2, #made.sections)
    assert.truthy(made.sections[1].problems[1]:find("no such <device>", 1, true))
    assert.equal(1, #made.sections[2].runs)
    assert.truthy(report.render(made, "html"):find("no such &lt;device&gt;", 1, true))
    assert.truthy(report.render(made, "md"):find("no such \\<device\\>", 1, true))
    assert.truthy(tostring(made):find("<device>", 1, true))
  end)

  it("is kept as far as it got at Ctrl-C, and says so at the top", function()
    for _, problem in ipairs{"interrupted!", setmetatable({}, getmetatable(select(2, pcall(interrupt.raise))))} do
      local ok, raised = pcall(report.make, fakes(good, stopped(problem), good))
      assert.False(ok)
      assert.True(interrupt.is(raised))
      local partial = interrupt.partial(raised)
      assert.equal("stopped in part 2 of 3 (Part stopped)", partial.incomplete)
      assert.equal(2, #partial.sections)
      local elements = reader.parse(report.render(partial, "html"))
      for _, element in ipairs(elements) do
        if element.attributes.class == "warning" then
          assert.truthy(element.text:find("^Incomplete: stopped in part 2 of 3"))
          return
        end
      end
      error("no warning")
    end
  end)

  it("keeps what a part had measured at Ctrl-C", function()
    local partial = setmetatable({kind = "machine", incomplete = "stopped after 1 of 2"}, {__index = {
      blocks = function() return {document.text("so far")} end}})
    local raised = select(2, pcall(interrupt.raise, partial))
    local _, problem = pcall(report.make, fakes(part("limits", function() error(raised, 0) end)))
    assert.truthy(report.render(interrupt.partial(problem), "md"):find("so far", 1, true))
  end)

  it("marks whatever was emulated", function()
    local emulated = part("both", function(_, section)
      section.runs = {fake_run("cpu"), fake_run("cuda:0", true)}
    end)
    local made = report.make(fakes(emulated))
    made.emulated = true
    local page = report.render(made, "html")
    assert.truthy(page:find("<h3 id=\"both-cuda-0\">On cuda:0 (emulated)</h3>", 1, true), page)
    assert.truthy(page:find("<p class=\"warning\">Emulated: the GPU of this report", 1, true))
    assert.truthy(page:find("<p class=\"warning\">cuda:0 is emulated: its times, marked so, say nothing", 1, true))
    assert.truthy(page:find("cuda:0 (emulated)</li>", 1, true) or page:find("cuda:0 (emulated)</th>", 1, true))
  end)

  it("says that it is not of full size", function()
    assert.truthy(report.render(report.make(fakes(good)), "md"):find("> **Tiny: this report only shows that everything works", 1, true))
  end)

  it("begins with it where the machine was busy", function()
    local busy = part("busy", function(_, section)
      section.runs[1] = fake_run("cpu")
      section.runs[1].others = 0.42
    end)
    assert.truthy(report.render(report.make(fakes(busy)), "md"):find("used up to 42.0\u{A0}%% of the processor meanwhile.-## In short"))
    assert.falsy(report.render(report.make(fakes(good)), "md"):find("of the processor", 1, true))
  end)

  it("refuses wrong arguments", function()
    assert.error_matches(function() report.make{sizes = "huge"} end, "report.make: sizes: one of full, quick, tiny")
    assert.error_matches(function() report.make{size = "full"} end, "report.make: unknown option")
    assert.error_matches(function() report.make{device = "abacus"} end, "report.make: ")
    assert.error_matches(function() report.render({}, "html") end, "report.render: a result of kind report expected")
    assert.error_matches(function() report.render(report.make(fakes(good)), "pdf") end, "html, md, json or text expected, got pdf")
  end)

  it("is the same page from its JSON", function()
    local path = os.tmpname()
    local made = report.make(fakes(good))
    made:save(path)
    local loaded = bench.load(path)
    for _, kind in ipairs{"html", "md", "json", "text"} do
      assert.equal(report.render(made, kind), report.render(loaded, kind))
    end
    os.remove(path)
  end)

  it("of another version is refused in words, and an unwritable place, too", function()
    local path = os.tmpname()
    local made = report.make(fakes(good))
    local file = assert(io.open(path, "w"))
    file:write((report.render(made, "json"):gsub('"version":1', '"version":99')))
    file:close()
    assert.error_matches(function() bench.load(path) end, "its format is version 99; this luatensor reads version 1")
    os.remove(path)
    assert.error_matches(function() made:save("/nowhere/report.json") end, "/nowhere/report.json")
  end)
end)

-- ---- a real report ------------------------------------------------------------------------------

local REAL = [[
local report = require "luatensor.report"
local made = report.make{sizes = "tiny"}
for _, kind in ipairs{"html", "md", "json"} do
  local file = assert(io.open(arg[1] .. "." .. kind, "wb"))
  file:write(report.render(made, kind))
  file:close()
end]]

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

-- Makes a report with all measurements in a new process. Returns its pages by kind: html, md and json.
local function real_pages(environment)
  local base, pages = os.tmpname(), {}
  local file = assert(io.open(base, "w"))
  file:write(REAL)
  file:close()
  shell.passes(("%s tools/lua %s %s"):format(environment, base, base))
  for _, kind in ipairs{"html", "md", "json"} do
    pages[kind] = read(base .. "." .. kind)
    os.remove(base .. "." .. kind)
  end
  os.remove(base)
  return pages
end

local function cell_count(line) return select(2, line:gsub("\\.", ""):gsub("|", "")) - 1 end

-- Returns the rows of Markdown tables that have more or fewer cells than the first row of their table.
local function ragged(markdown)
  local faults, columns = {}, nil
  for line in markdown:gmatch("[^\n]*") do
    if not line:find("^|") then columns = nil
    elseif not columns then columns = cell_count(line)
    elseif cell_count(line) ~= columns then faults[#faults + 1] = line end
  end
  return faults
end

local function check_pages(pages)
  local elements = reader.parse(pages.html)
  assert.same({}, reader.faults(elements))
  assert.same({}, strangers(pages.html, pages.json))
  assert.same({}, ragged(pages.md))
  assert.equal(1, #reader.all(elements, "h1"))
  assert.truthy(#reader.all(elements, "data") > 50)
  for _, name in ipairs{"title", "main", "nav", "figure"} do assert.truthy(#reader.all(elements, name) > 0, name) end
  for _, word in ipairs{"attempt to", "stack traceback", "table: 0x", "This part failed"} do
    assert.falsy(pages.html:find(word, 1, true), word)
    assert.falsy(pages.md:find(word, 1, true), word)
  end
end

-- Checks that the series of a chart are all emulated or all real.
local function check_chart(block)
  for _, series in ipairs(block.series) do
    assert.equal(block.series[1].emulated, series.emulated, series.name)
    if not series.emulated then assert.falsy(series.name:find("cuda", 1, true), series.name) end
  end
end

describe("what a report was made with", function()
  local versions = require "luatensor.report.versions"
  local machine = {
    luatensor = "luatensor 1", lua = "Lua 5.4", system = "Debian, Linux 6",
    config = "avx2 kernels, 4 threads; OpenBLAS 0.3.21, its own threads; cuda: driver 13.0; rocm: HIP 6.1", devices = {{device = "cpu"}},
  }

  it("is named part by part", function()
    assert.same({
      {"luatensor", "luatensor 1"}, {"Lua", "Lua 5.4"}, {"operating system", "Debian, Linux 6"},
      {"kernels", "avx2 kernels, 4 threads"}, {"BLAS", "OpenBLAS 0.3.21, its own threads"},
      {"GPU driver and libraries", "GPU not found: none"},
    }, versions{machine = machine, without = "GPU not found: none"}.rows)
    machine.devices[2] = {device = "cuda:0", software = "driver 13.0, cuBLAS", emulated = true}
    local rows = versions{machine = machine}.rows
    assert.same({"cuda:0 (emulated): driver and libraries", "driver 13.0, cuBLAS"}, rows[6])
    assert.is_nil(rows[7])
  end)
end)

describe("a report of everything", function()
  it("shows nothing that is not in its JSON", function()
    local pages = real_pages("LUATENSOR_CUDA_PATH=/nowhere")
    check_pages(pages)
    assert.truthy(pages.html:find("GPU not found", 1, true))
    assert.falsy(pages.html:find("(emulated)", 1, true))
  end)

  -- The series of a chart must all belong to the CPU, or all to the emulated device.
  it("of an emulated GPU marks it wherever it is shown, and never beside real figures", function()
    local build = os.getenv "BUILD" or "build"
    if not shell.exists(build .. "/spec/emulator/libcuda.so.1") then return pending("make emulator") end
    local pages = real_pages(("LUATENSOR_CUDA_PATH=%s/spec/emulator LUATENSOR_CACHE=%s/spec/kernels"):format(build, build))
    check_pages(pages)
    local made = assert(dkjson.decode(pages.json))
    assert.True(made.emulated)
    for _, section in ipairs(made.sections) do
      for _, run in ipairs(section.runs) do
        for _, block in ipairs(run.body) do
          if block.kind == "chart" then check_chart(block) end
        end
      end
    end
    assert.falsy(made.summary[2].title:find("GPU bring", 1, true))
  end)
end)
