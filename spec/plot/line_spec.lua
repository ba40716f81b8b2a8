-- tags: host
-- plot.line as text and as SVG. Expected pictures are written by hand. The expected positions in an SVG file are
-- computed from the positions of the texts of two ticks.

local lt = require "luatensor"
local plot = require "luatensor.plot"
local reader = require "spec.support.html"
local shell = require "spec.support.shell"

local INF <const>, NAN <const> = math.huge, 0 / 0

local function picture(...) return table.concat({...}, "\n") end

local function ascii(figure, width, height) return figure:text{width = width, height = height, unicode = false} end

-- Returns the elements of a figure's SVG file, which must be XML.
local function parse(figure)
  local svg = figure:svg()
  local elements = reader.parse(svg)
  assert.same({}, reader.faults(elements))
  return elements, svg
end

-- Returns the lines of an SVG file: each is a list of parts {{x, y}, …}.
local function lines_of(elements)
  local lines = {}
  for _, element in ipairs(reader.all(elements, "path")) do
    if element.attributes.class == "line" then
      local parts = {}
      for part in element.attributes.d:gmatch "M[^M]+" do
        local points = {}
        for x, y in part:gmatch "([%d.-]+) ([%d.-]+)" do points[#points + 1] = {tonumber(x), tonumber(y)} end
        parts[#parts + 1] = points
      end
      lines[#lines + 1] = parts
    end
  end
  return lines
end

-- Returns a function that computes the position of a value on the axis `name` ("x" or "y") from the positions of the
-- texts `low` and `high` of two ticks.
local function scale_of(elements, name, low, high, of)
  of = of or function(value) return value end
  local at = {}
  for _, element in ipairs(reader.all(elements, "text")) do
    local anchor = element.attributes["text-anchor"]
    if anchor == (name == "x" and "middle" or "end") then at[element.text] = tonumber(element.attributes[name]) end
  end
  local shift = name == "y" and 0.35 * 13 or 0            -- the text's base line is below the middle of its letters
  local first, last = at[low] - shift, at[high] - shift
  local from, to = of(tonumber(low)), of(tonumber(high))
  return function(value) return first + (of(value) - from) / (to - from) * (last - first) end
end

describe("plot.line as text", function()
  it("draws lines with dots and marks in ASCII", function()
    assert.equal(picture(
      "Steps",
      "y",
      "2 +               .*",
      "  |           ....",
      "  |      ..*..",
      "  |  ....",
      "0 +*.",
      "  ++-------+-------+",
      "   0       1       2",
      "                   x"
    ), ascii(plot.line({0, 1, 2}, {0, 1, 2}, {title = "Steps", ylabel = "y", xlabel = "x", marks = true}), 20, 5))
  end)

  -- The line has 30 × 8 dots: dot x is in row 7 - 7 x / 29, rounded. A character has 2 × 4 dots.
  it("draws lines with braille dots in Unicode", function()
    assert.equal(picture(
      "  3 ┤       ⢀⣀⡠⠤⠔⠒⠊⠉",
      "2.5 ┤⣀⡠⠤⠔⠒⠊⠉⠁",
      "    └┬──────┬──────┬",
      "     2     2.5     3"
    ), plot.line({2, 3}, {2, 3}, {xlim = {2, 3}, ylim = {2, 3}, marks = false}):text {width = 20, height = 2})
  end)

  it("names the series in a legend", function()
    assert.equal(picture(
      "  |o.               .*",
      "  |  .....     .....",
      "2 +       ..o..",
      "  |  .....     .....",
      "  |*.               .o",
      "  ++--------+--------+",
      "   1        2        3",
      "* up o down"
    ), ascii(plot.line{{{1, 2, 3}, label = "up"}, {{3, 2, 1}, label = "down"}}, 22, 5))
  end)

  it("has gaps for NaN and infinities", function()
    assert.equal(picture(
      "1 +*..*",
      "  |",
      "0 +        *    *",
      "  +-----------+-----",
      "              5"
    ), ascii(plot.line({1, 1, NAN, 0, INF, 0, -INF}, {xlim = {1, 7}}), 20, 3))
  end)
end)

describe("plot.line as SVG", function()
  it("puts points in proportion", function()
    local elements = parse(plot.line({1, 2, 4}, {10, 40, 20}))
    local x, y = scale_of(elements, "x", "1", "4"), scale_of(elements, "y", "10", "40")
    local points = lines_of(elements)[1][1]
    assert.equal(3, #points)
    for i, point in ipairs {{1, 10}, {2, 40}, {4, 20}} do
      assert.near(x(point[1]), points[i][1], 0.02)
      assert.near(y(point[2]), points[i][2], 0.02)
    end
  end)

  it("puts points on a logarithmic axis by their logarithms", function()
    local elements = parse(plot.line({1, 2, 3, 4}, {1, 50, 0, 1000}, {yscale = "log"}))
    local y = scale_of(elements, "y", "1", "1000", math.log)
    local parts = lines_of(elements)[1]
    assert.equal(2, #parts)                                                       -- 0 has no logarithm
    assert.near(y(50), parts[1][2][2], 0.02)
    assert.near(y(1000), parts[2][1][2], 0.02)
  end)

  it("cuts lines at the limits", function()
    local elements = parse(plot.line({0, 10}, {0, 100}, {xlim = {2, 8}, ylim = {0, 60}}))
    local x, y = scale_of(elements, "x", "2", "8"), scale_of(elements, "y", "0", "60")
    local points = lines_of(elements)[1][1]
    assert.near(x(2), points[1][1], 0.02)                                         -- the line y = 10 x from x = 2 …
    assert.near(y(20), points[1][2], 0.02)
    assert.near(x(6), points[2][1], 0.02)                                         -- … to y = 60
    assert.near(y(60), points[2][2], 0.02)
  end)

  it("breaks lines at NaN and infinities", function()
    local parts = lines_of(parse(plot.line {1, 2, NAN, 3, INF, 4, 5}))[1]
    assert.same({2, 1, 2}, {#parts[1], #parts[2], #parts[3]})
  end)

  it("thins long lines, but keeps their extremes", function()
    local values = lt.zeros(1000000)
    values[{123456}], values[{777777}] = 5, -3
    local elements, svg = parse(plot.line(values))
    local y = scale_of(elements, "y", "-2", "4")
    local low, high = INF, -INF
    for _, point in ipairs(lines_of(elements)[1][1]) do low, high = math.min(low, point[2]), math.max(high, point[2]) end
    assert.near(y(5), low, 0.02)
    assert.near(y(-3), high, 0.02)
    assert.truthy(#svg < 60000, #svg)
  end)

  it("draws the columns of a tensor of two dims, and tensors of each dtype", function()
    local lines = lines_of(parse(plot.line(lt.tensor {{1, 2}, {3, 4}, {5, 6}}, {labels = {"a", "b"}})))
    assert.same({3, 3}, {#lines[1][1], #lines[2][1]})
    for _, dtype in ipairs {"bool", "uint8", "int64", "float16", "bfloat16", "float64"} do
      local elements = parse(plot.line(lt.tensor({0, 1, 1}, {dtype = dtype})))
      assert.near(scale_of(elements, "y", "0", "1")(1), lines_of(elements)[1][1][3][2], 0.02)
    end
  end)

  it("escapes texts, and follows the theme of the viewer", function()
    local elements, svg = parse(plot.line({1, 2}, {title = "<a> & b\0\u{FFFE}", xlabel = "<x>", label = "]]>", legend = true}))
    assert.truthy(svg:find("<svg", 1, true) and svg:find("prefers-color-scheme:dark", 1, true))
    local texts = {}
    for _, element in ipairs(reader.all(elements, "text")) do texts[reader.unescape(element.text)] = true end
    assert.truthy(texts["<a> & b ?"] and texts["<x>"] and texts["]]>"])
    assert.falsy(plot.line({1, 2}, {theme = "dark"}):svg():find("prefers", 1, true))
  end)

  it("has a picture for no points, one point, and numbers of any size", function()
    for _, values in ipairs {{}, {5}, {NAN}, {1, 1, 1}, {-1.7e308, 1.7e308}, {5e-324, 1e-323}, {1, 1 + 2 ^ -52}, {0}, {1e300}} do
      for _, scale in ipairs {"linear", "log"} do
        local figure = plot.line(values, {yscale = scale})
        local _, svg = parse(figure)
        assert.falsy(svg:lower():find "[%s\"](-?nan)" or svg:lower():find "[%s\"](-?inf)", svg)
        assert.truthy(#figure:text() > 0)
      end
    end
  end)
end)

describe("plot.line refuses", function()
  local function refuses(message, ...)
    local ok, problem = pcall(plot.line, ...)
    assert.is_false(ok)
    assert.truthy(problem:find(message, 1, true), problem)
    assert.truthy(problem:find("line_spec.lua:", 1, true), problem)
  end

  it("what is no data", function()
    refuses("argument 1: tensor, list of numbers or list of series expected, got string", "x")
    refuses("argument 1: tensor, list of numbers or list of series expected, got nothing")
    refuses("y[2]: number expected, got string", {1, "a"})
    refuses("x has 2 numbers, but y has 1", {1, 2}, {1})
    refuses("a tensor of one dim expected, got shape [2, 2, 2]", lt.ones(2, 2, 2))
    refuses("real numbers expected, got complex64", lt.ones(2, {dtype = "complex64"}))
    refuses("series 1: {x, y, label = …} expected, got 3 lists", {{{1}, {2}, {3}}})
    refuses("at most 2 arguments and options expected, got 3", {1}, {2}, {3})
  end)

  it("options that do not fit", function()
    refuses('unknown option "titel"', {1}, {titel = "x"})
    refuses("ylim: 1 is not below 1", {1}, {ylim = {1, 1}})
    refuses("ylim: -1 is not above 0, as a logarithmic axis needs", {1}, {ylim = {-1, 1}, yscale = "log"})
    refuses("labels: 1 names for 2 series", {{1}, {2}}, {labels = {"a"}})
    refuses("label: one name for 2 series", {{1}, {2}, label = "a"})
    refuses("width: 1000000 is out of range", {1}, {width = 1000000})
    refuses('color: "#rrggbb" expected, got reddish', {1}, {color = "reddish"})
  end)
end)

describe("plots of unusual data", function()
  it("have logarithmic axes of any range", function()
    local text = plot.line({1e200, 1e-200, 1}, {yscale = "log"}):text()
    assert.truthy(text:find("1e72", 1, true) and text:find("1e-70", 1, true), text)
  end)

  it("have paths that readers of SVG take", function()
    local _, marks = plot.scatter((lt.range(1, 50000) * 7919) % 1000):svg():gsub('class="marks"', "")
    assert.equal(3, marks)
  end)

  it("have bars whose names are whole integers", function()
    local text = plot.bar({12345, 12346.0, 0.5}, {1, 2, 3}):text()
    for _, name in ipairs {"12345 ", "12346 ", "0.5 "} do assert.truthy(text:find(name, 1, true), text) end
    local ok, problem = pcall(plot.bar, lt.ones(10001))
    assert.is_false(ok)
    assert.truthy(problem:find("10001 bars; at most 1000 can be drawn", 1, true), problem)
  end)
end)

describe("a figure", function()
  it("saves itself in the format of the file's name", function()
    local path = os.tmpname()
    local figure = plot.line {1, 2}
    for ending, text in pairs {svg = figure:svg(), txt = figure:text() .. "\n"} do
      assert.equal(figure, figure:save(path .. "." .. ending))
      assert.equal(text, shell.read(path .. "." .. ending))
      os.remove(path .. "." .. ending)
    end
    figure:save(path .. ".txt", {width = 40})
    assert.equal(figure:text {width = 40} .. "\n", shell.read(path .. ".txt"))
    os.remove(path .. ".txt")
    os.remove(path)
    for _, wrong in ipairs {{"x.svg", {scale = 4}, "an SVG has no options"}, {"x.png", {scale = 40}, "scale"}, {"x.txt", {scale = 4}, "scale"}} do
      local saved, why = pcall(figure.save, figure, wrong[1], wrong[2])
      assert.is_false(saved)
      assert.truthy(why:find(wrong[3], 1, true), why)
    end
    local ok, problem = pcall(figure.save, figure, "/nowhere/x.svg")
    assert.is_false(ok)
    assert.truthy(problem:find("Figure:save: /nowhere/x.svg: ", 1, true), problem)
    ok, problem = pcall(figure.save, figure, "x.gif")
    assert.is_false(ok)
    assert.truthy(problem:find("x.gif: a name that ends in", 1, true), problem)
  end)

  it("has representations for notebooks", function()
    local figure = plot.line {1, 2}
    assert.same({["image/svg+xml"] = figure:svg(), ["text/plain"] = figure:text()}, getmetatable(figure).__mime(figure))
  end)
end)

describe("a line of characters", function()
  local canvas = require "luatensor.page.text_canvas"

  it("passes through the same cells after rounding errors", function()
    for _, e in ipairs {-1e-13, 0, 1e-13} do
      local grid = canvas.new(9, 2)
      grid:dotted({0, 1 + e, 8, 0}, "x", 1)
      local function row(k) return grid:row(k, function(text) return text end) end
      assert.same({"     xxxx", "xxxxx"}, {row(0), row(1)})
    end
  end)
end)
