-- tags: texts
-- Tests how blocks are rendered as text, Markdown, HTML and charts.

local axis = require "luatensor.page.axis"
local chart = require "luatensor.page.chart_text"
local document = require "luatensor.page.document"
local html = require "luatensor.page.html"
local markdown = require "luatensor.page.markdown"
local page = require "luatensor.page.html_page"
local plain = require "luatensor.page.plain"
local plot = require "luatensor.page.chart_svg"
local figure = require "luatensor.plot.figure"
local reader = require "spec.support.html"
local terminal = require "luatensor.page.terminal"

local EVIL = [["; system("touch /tmp/luatensor-evil") `touch /tmp/luatensor-evil` ' <b>&|{/Bold x}]]

local function timing_table(name)
  return document.table{title = "Times", columns = {{name = name or "n", unit = "count"}, {name = "what", unit = "text"},
    {name = "time", unit = "s"}}, rows = {{16, "x + y", 2e-6}, {1024, "x @ y.T", {0.5, "share"}}, {4096, "none", false}}}
end

local function crossing(name)
  return document.chart{title = "Time of a product", x = {name = "n", unit = "count", log = true},
    y = {name = "time", unit = "s", log = true}, series = {
      {name = name or "cpu", points = {{16, 1e-6}, {64, 1e-5}, {1024, 1e-2}}},
      {name = "cuda:0", emulated = true, points = {{16, 1e-4}, {64, 1e-4}, {1024, 1e-3}}},
    }}
end

local function bars(name)
  return document.chart{title = "Parts", bars = true, x = {name = "part", unit = "text"}, y = {name = "time", unit = "s"},
    series = {{name = "all", points = {{name or "rand", 0.5}, {"sum", 1}}}}}
end

local function widest(text)
  local most = 0
  for line in text:gmatch("[^\n]+") do most = math.max(most, utf8.len(line)) end
  return most
end

describe("plain text", function()
  it("has no control characters and is valid UTF-8", function()
    assert.equal("a b c ?", plain.line("a\nb\27\7c \xff"))
    assert.equal("µ", plain.line("µ"))
  end)

  it("is wrapped between words", function()
    assert.same({"one two", "three", "fourteen"}, plain.wrap("one two three fourteen", 7))
    assert.same({""}, plain.wrap("", 7))
  end)
end)

describe("on a terminal", function()
  it("a table is aligned, figures to the right", function()
    assert.equal(table.concat({
      "Times",
      "   n  what        time",
      "────  ───────  ───────",
      "  16  x + y    2.00 µs",
      "1024  x @ y.T   50.0 %",
      "4096  none           –",
    }, "\n"), terminal.block(timing_table(), 80))
  end)

  it("a table that is too wide wraps its text, and becomes lists where that is not enough", function()
    local wide = document.table{columns = {{name = "n", unit = "count"}, {name = "what", unit = "text"}, {name = "time", unit = "s"}},
      rows = {{16, "a product of two matrices, sent and fetched", 1.5}}}
    local wrapped = terminal.block(wide, 40)
    assert.truthy(widest(wrapped) <= 40, wrapped)
    assert.truthy(wrapped:find("1.50 s", 1, true) and wrapped:find("matrices,", 1, true), wrapped)
    assert.equal("n: 16\n  what  a product of two\n        matrices, sent and\n        fetched\n  time  1.50 s",
      (terminal.block(wide, 16)))
  end)

  it("paragraphs keep to the width, and a figure beside its unit", function()
    local text = terminal.block(document.text("It took {t} or so.", {t = {1.5, "s"}}), 20)
    assert.equal("It took 1.50 s or\nso.", text)
    assert.equal("! busy", terminal.block(document.note("busy"), 20))
  end)

  it("a chart shows where its points are", function()
    local text = terminal.block(crossing(), 60)
    assert.truthy(widest(text) <= 60, text)
    local lines = {}
    for line in text:gmatch("[^\n]*") do lines[#lines + 1] = line end
    assert.equal("Time of a product", lines[1])
    assert.truthy(lines[3]:find("^ *10 ms ┤.*●$"), text)                     -- the largest value is at the top right
    assert.truthy(lines[16]:find("^ *1 µs ┤●"), text)                        -- the smallest value is at the bottom left
    assert.truthy(text:find("○ cuda:0 (emulated)", 1, true), text)
  end)

  it("a bar is as long as its value", function()
    local text = terminal.block(bars(), 60)
    local half, full = text:match("rand  (█*)%S* 500 ms\nsum   (█+)%S* 1.00 s")
    assert.truthy(half, text)
    assert.truthy(math.abs(utf8.len(half) * 2 - utf8.len(full)) <= 2, text)
  end)

  it("nothing to show is said", function()
    local empty = document.chart{x = {name = "n", unit = "count"}, y = {name = "t", unit = "s"}, series = {{name = "a", points = {}}}}
    assert.equal("(nothing to show)", chart.draw(empty, 60))
  end)
end)

describe("an axis", function()
  local function ticks(spec, values, options)
    local list = {}
    for i, tick in ipairs(axis.new(spec, values, options or {}).ticks) do list[i] = tick[2] end
    return list
  end

  it("has round ticks", function()
    assert.same({"0", "0.5×", "1×", "1.5×", "2×"}, ticks({unit = "ratio"}, {1, 2.2}, {from_zero = true}))
    assert.same({"1 µs", "10 µs", "100 µs", "1 ms"}, ticks({unit = "s", log = true}, {1e-6, 1.5e-3}))
    assert.same({"20 µs", "50 µs"}, ticks({unit = "s", log = true}, {2e-5, 8e-5}))
    assert.same({"200 GB/s", "300 GB/s", "400 GB/s"}, ticks({unit = "B/s", log = true}, {1.96e11, 4.05e11}, {most = 3}))
    assert.same({"16", "64", "256"}, ticks({unit = "count", log = true}, {16, 32, 256}, {most = 3}))
    assert.same({"1 KiB", "64 KiB"}, ticks({unit = "B", log = true}, {1024, 2 ^ 20}, {most = 2}))
  end)

  it("puts values in proportion", function()
    assert.equal(0.5, axis.new({unit = "s", log = true}, {1, 100}, {}):at(10))
    assert.equal(0.25, axis.new({unit = "s"}, {0, 100}, {}):at(25))
    assert.equal(0.5, axis.new({unit = "s"}, {7}, {}):at(7))
  end)

  it("is logarithmic where the quotient of its ends would overflow", function()
    local wide = axis.new({unit = "s", log = true}, {1e-200, 1e200}, {})
    assert.equal(10, wide.log)
    assert.equal(1, wide:at(1e200))
    assert.is_true(math.abs(wide:at(1) - 0.5) < 1e-12)
    assert.truthy(axis.new({unit = "s", log = true}, {1e300, 1.7e308}, {from_zero = true}).high < math.huge)
    assert.truthy(axis.new({unit = "s", log = true}, {5e-324, 1e-323}, {from_zero = true}).low > 0)
  end)

  it("leaves out what a logarithm has no place for", function()
    local block = crossing()
    block.series[1].points[1][2] = 0
    local shown = axis.points(block)
    assert.equal(2, #shown[1])
    assert.equal(3, #shown[2])
  end)

  it("has its figures as a table", function()
    local block = crossing()
    table.remove(block.series[2].points, 1)
    local rows = axis.table(block).rows
    assert.same({{16, 1e-6, false}, {64, 1e-5, 1e-4}, {1024, 1e-2, 1e-3}}, rows)
  end)
end)

-- Returns the number of cells in a line of a Markdown table. Escaped bars do not separate cells.
local function cell_count(line) return select(2, line:gsub("\\.", ""):gsub("|", "")) - 1 end

describe("Markdown", function()
  it("has a cell for each column whatever a name holds", function()
    local counted = 0
    for line in markdown.block(timing_table("a|b`c<d")):gmatch("|[^\n]+") do
      counted = counted + 1
      assert.equal(3, cell_count(line), line)
    end
    assert.equal(5, counted)
  end)

  it("shows text as it is", function()
    assert.equal("\\*a\\* a\\_ b_c \\<b\\> \\&amp; & \\|", markdown.escape("*a* a_ b_c <b> &amp; & |"))
    assert.equal("\\# 1.50\u{A0}s", markdown.block(document.text("# {t}", {t = {1.5, "s"}})))
    assert.equal("> **Note:** x", markdown.block(document.note("x")))
  end)

  it("fences charts", function()
    local text = markdown.block(crossing("```"))
    assert.equal(2, select(2, ("\n" .. text):gsub("\n```", "")))
  end)
end)

describe("HTML", function()
  local function all_blocks(name)
    return {document.text("It took {t}, " .. name:gsub("[{}]", ""), {t = {0.00139, "s"}}), document.note("busy"), timing_table(name),
      crossing(name), bars(name)}
  end

  it("is balanced, with unique ids and nothing loaded", function()
    local text = page.new(EVIL, "<h1>Test</h1>" .. html.blocks(all_blocks(EVIL), "a") .. html.blocks(all_blocks("x"), "b"))
    local elements = reader.parse(text)
    assert.same({}, reader.faults(elements))
    assert.equal("en", elements[1].attributes.lang)
    assert.equal(EVIL, reader.unescape(reader.all(elements, "title")[1].text))
    assert.same({}, reader.all(elements, "b"))
  end)

  it("has each figure raw and shown", function()
    local elements = reader.parse(html.block(document.text("took {t} for {n}", {t = {0.00139, "s"}, n = {21000000, "count"}}), "a"))
    assert.equal("0.00139", elements[2].attributes.value)
    assert.equal("1.39\u{A0}ms", elements[2].text)
    assert.equal("21000000", elements[3].attributes.value)
    assert.equal("21\u{A0}000\u{A0}000", elements[3].text)
  end)

  it("has charts with a description, a legend and their figures", function()
    local elements = reader.parse(html.block(crossing(), "a"))
    assert.equal("cuda:0 (emulated)", reader.all(elements, "li")[2].text)
    assert.equal(9, #reader.all(elements, "data"))
    assert.truthy(html.describe(crossing()):find("cpu: 1.00 µs at 16 to 10.0 ms at 1024", 1, true))
  end)
end)

describe("plots", function()
  it("escape every text", function()
    for _, block in ipairs{crossing(EVIL), bars(EVIL)} do
      block.y.name, block.title = EVIL, EVIL
      local file = figure.of_block(block):svg()
      local shown = false
      for _, element in ipairs(reader.all(reader.parse(file), "text")) do
        shown = shown or reader.unescape(element.text):find(EVIL, 1, true)
      end
      assert.truthy(shown, file)
    end
  end)

  it("have no ids, and the page's colours", function()
    local svg = plot.element(crossing(), {width = 400, height = 300})
    assert.falsy(svg:find("%sid="))
    assert.truthy(svg:find("stroke:var(--series-1)", 1, true) and svg:find("fill:var(--text)", 1, true))
    assert.same({}, reader.faults(reader.parse(svg)))
    assert.truthy(svg:find(">1 µs<", 1, true), "ticks in words")
  end)
end)

-- The relative luminance of a colour "#rrggbb", and the contrast of two colours, as WCAG 2 defines them.
local function luminance(colour)
  local weights, sum = {0.2126, 0.7152, 0.0722}, 0
  for i, weight in ipairs(weights) do
    local c = tonumber(colour:sub(2 * i, 2 * i + 1), 16) / 255
    sum = sum + weight * (c <= 0.03928 and c / 12.92 or ((c + 0.055) / 1.055) ^ 2.4)
  end
  return sum
end

local function contrast(one, other)
  local a, b = luminance(one), luminance(other)
  return (math.max(a, b) + 0.05) / (math.min(a, b) + 0.05)
end

describe("a page's colours", function()
  -- Returns the colour variables of each theme: the light page, the dark page, and print.
  local function themes()
    local list = {}
    for block in page.new("x", ""):gmatch(":root {(.-)}") do
      local theme = {}
      for name, value in block:gmatch("%-%-([%w-]+):%s*(#%x%x%x%x?%x?%x?)%f[^%x]") do
        theme[name] = #value == 4 and value:gsub("%x", "%0%0") or value
      end
      list[#list + 1] = theme
    end
    return list
  end

  it("have a contrast of 4.5 and more, text and series", function()
    local found = themes()
    assert.equal(3, #found)
    for i, theme in ipairs(found) do
      for _, name in ipairs{"text", "strong", "soft", "link", "series-1", "series-2", "series-3", "series-4", "series-5", "series-6"} do
        for _, ground in ipairs{"paper", "panel"} do
          local ratio = contrast(theme[name], theme[ground])
          assert.truthy(ratio >= 4.5, ("theme %d: %s on %s: %.2f"):format(i, name, ground, ratio))
        end
      end
      assert.truthy(contrast(theme.text, theme.note) >= 4.5)
    end
  end)
end)
