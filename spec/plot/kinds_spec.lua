-- tags: host
-- plot.scatter, plot.bar, plot.hist, plot.image, plot.heatmap and plot.subplots. Expected pictures are written by hand,
-- and expected positions are computed from the positions of the ticks' texts. Histograms are compared with NumPy's.

local lt = require "luatensor"
local plot = require "luatensor.plot"
local reader = require "spec.support.html"

local NAN <const> = 0 / 0

local function picture(...) return table.concat({...}, "\n") end

local function ascii(figure, width, height) return figure:text {width = width, height = height, unicode = false} end

local function parse(figure)
  local elements = reader.parse(figure:svg())
  assert.same({}, reader.faults(elements))
  return elements
end

-- Returns the rectangles of a class as {left, top, width, height}.
local function rectangles(elements, class)
  local list = {}
  for _, element in ipairs(reader.all(elements, "rect")) do
    local at = element.attributes
    if at.class == class then
      list[#list + 1] = {tonumber(at.x), tonumber(at.y), tonumber(at.width), tonumber(at.height)}
    end
  end
  return list
end

local function refuses(message, fn, ...)
  local ok, problem = pcall(fn, ...)
  assert.is_false(ok)
  assert.truthy(problem:find(message, 1, true), problem)
end

describe("plot.scatter", function()
  it("marks points", function()
    assert.equal(picture(
      "2 +                   o",
      "  |",
      "1 +*         o",
      "  |",
      "0 +*                  *",
      "  +--------------------",
      "* a o b"
    ), (ascii(plot.scatter({{{0, 2, 0}, {0, 0, 1}, label = "a"}, {{1, 2}, {1, 2}, label = "b"}},
      {xlim = {0, 2}, ylim = {0, 2}}), 23, 5):gsub("\n  %+[-+]+\n[^\n]*\n", "\n  +--------------------\n")))
  end)

  it("draws each position of many equal points once", function()
    assert.truthy(#plot.scatter(lt.zeros(20000), lt.zeros(20000)):svg() < 5000)
  end)
end)

describe("plot.bar", function()
  it("draws bars whose lengths are in proportion", function()
    assert.equal(picture(
      "Bars",
      "a   ######## 4",
      "bb  ### 1.5",
      "c   #### -2",
      "d    0"
    ), ascii(plot.bar({"a", "bb", "c", "d"}, {4, 1.5, -2, 0}, {title = "Bars"}), 28))      -- 12 characters for -2 … 4
  end)

  it("draws columns of groups in SVG", function()
    local columns = rectangles(parse(plot.bar {{{4, 2}, label = "one"}, {{1, 3}, label = "two"}, names = {"a", "b"}}), "column")
    assert.equal(4, #columns)                        -- the first series, then the second
    for i, height in ipairs {4, 2, 1, 3} do assert.near(height / 4, columns[i][4] / columns[1][4], 1e-3) end
    assert.near(columns[1][1] + columns[1][3], columns[3][1], 0.05)        -- bars of a group are neighbours
    assert.truthy(columns[2][1] > columns[3][1] + columns[3][3] + 5)       -- groups are apart
  end)

  it("turns to horizontal bars for long names", function()
    local names = {("a long name "):rep(5), ("another "):rep(8)}
    assert.equal(2, #rectangles(parse(plot.bar(names, {1, 2})), "bar"))
    assert.equal(0, #rectangles(parse(plot.bar({"a", "b"}, {1, 2})), "bar"))
    assert.equal(2, #rectangles(parse(plot.bar({"a", "b"}, {1, 2}, {horizontal = true})), "bar"))
  end)

  it("refuses what does not fit", function()
    refuses("3 names for 2 bars", plot.bar, {"a", "b", "c"}, {1, 2})
    refuses('names: "a" is twice in the list', plot.bar, {"a", "a"}, {1, 2})
    refuses("series 2 has 1 heights, but series 1 has 2", plot.bar, {{1, 2}, {1}})
    refuses("at most 1000 can be drawn", plot.bar, lt.ones(1001))
  end)
end)

describe("plot.hist", function()
  -- Returns the heights of the columns, divided by the least height that is not 0.
  local function heights(figure)
    local list, least = {}, math.huge
    for i, column in ipairs(rectangles(parse(figure), "column")) do
      list[i] = column[4]
      if column[4] > 0.01 then least = math.min(least, column[4]) end
    end
    for i, height in ipairs(list) do list[i] = (height / least + 0.5) // 1 | 0 end
    return list
  end

  it("counts as NumPy does", function()
    -- np.histogram([0, .1, .1, .25, .5, .5, .99, 1], bins=4)[0]
    assert.same({3, 1, 2, 2}, heights(plot.hist({0, 0.1, 0.1, 0.25, 0.5, 0.5, 0.99, 1}, {bins = 4})))
    -- np.histogram([1, 2, 2, 3, 3, 3, 9], bins=[1, 2, 3, 4])[0]
    assert.same({1, 2, 3}, heights(plot.hist({1, 2, 2, 3, 3, 3, 9}, {bins = {1, 2, 3, 4}})))
    -- np.histogram([1, 2, 2, 3, 3, 3, 9], bins=2, range=(0, 4))[0]
    assert.same({1, 5}, heights(plot.hist(lt.tensor {{1, 2, 2, 3, 3, 3, 9}}, {bins = 2, range = {0, 4}})))
    assert.same({1, 1}, heights(plot.hist({NAN, 1, math.huge, 2}, {bins = 2})))
  end)

  it("has the area 1 as a density", function()
    local elements = parse(plot.hist({0, 0, 0, 1}, {bins = {0, 0.5, 1}, density = true}))
    local texts = {}
    for _, element in ipairs(reader.all(elements, "text")) do
      if element.attributes["text-anchor"] == "end" then texts[element.text] = tonumber(element.attributes.y) end
    end
    local columns = rectangles(elements, "column")
    local unit = (texts["0"] - texts["1"])                   -- pixels of 1 on the y axis
    assert.near(1.5, columns[1][4] / unit, 0.01)             -- 3 of 4 values in a bin of width 0.5
    assert.near(0.5, columns[2][4] / unit, 0.01)
  end)

  it("has a picture without values, and for equal values", function()
    for _, values in ipairs {{}, {NAN}, {5, 5, 5}, {0}} do parse(plot.hist(values)) end
    refuses("bins: edge 2 is not above the last", plot.hist, {1}, {bins = {2, 1}})
    refuses("bins: 0 is out of range", plot.hist, {1}, {bins = 0})
  end)
end)

describe("plot.heatmap", function()
  local matrix = {{50, 2}, {3, NAN}}
  local options = {row_labels = {"cat", "dog"}, column_labels = {"cat", "dog"}, annotate = "%.0f", ylabel = "true"}

  it("is a table in the terminal", function()
    assert.equal(picture("true", "     cat dog", "cat   50   2", "dog    3 nan"), ascii(plot.heatmap(matrix, options), 40))
  end)

  it("shades cells by their numbers without texts", function()
    assert.equal(picture("    @@", " ++ @@"), ascii(plot.heatmap {{0, 1}, {0.5, 0.9}}, 40))
  end)

  it("colours cells in a terminal, with a readable ink", function()
    local text = plot.heatmap({{0, 1}}, {annotate = true}):text {colors = "24bit"}
    assert.equal("\27[38;2;255;255;255m\27[48;2;68;1;84m  0\27[0m\27[38;2;0;0;0m\27[48;2;253;231;37m  1\27[0m", text)
  end)

  it("has labels and numbers in SVG", function()
    local texts = {}
    for _, element in ipairs(reader.all(parse(plot.heatmap(matrix, options)), "text")) do texts[element.text] = true end
    for _, text in ipairs {"cat", "dog", "50", "2", "3", "nan", "true"} do assert.truthy(texts[text], text) end
  end)

  it("refuses what does not fit", function()
    refuses("row_labels: 1 names for 2", plot.heatmap, matrix, {row_labels = {"a"}})
    refuses("row 2 has 1 numbers, but row 1 has 2", plot.heatmap, {{1, 2}, {3}})
    refuses("a tensor of two dims expected, got shape [3]", plot.heatmap, lt.ones(3))
    refuses("a picture of 0 × 0 cells has nothing to show", plot.heatmap, {})
    refuses('annotate: true or a format such as "%.2f" expected, got %s', plot.heatmap, matrix, {annotate = "%s"})
    refuses("colormap: one of cividis, coolwarm, gray, magma, viridis expected, got jet", plot.heatmap, matrix, {colormap = "jet"})
    refuses("vmin 2 is above vmax 1", plot.heatmap, matrix, {vmin = 2, vmax = 1})
  end)
end)

describe("plot.image", function()
  it("shows brightness by characters", function()
    assert.equal(picture("  @@", "@@  "), ascii(plot.image {{0, 1}, {1, 0}}, 20))
  end)

  it("shows two pixels in a character with colours", function()
    -- [3, 2, 20]: a row of red pixels above a row of blue ones; 20 characters are as wide, so that a pixel is one of them
    local red_and_blue = lt.zeros({3, 2, 20}, {dtype = "uint8"})
    red_and_blue[{1, 1}], red_and_blue[{3, 2}] = 255, 255
    local cell = "\27[38;2;255;0;0m\27[48;2;0;0;255m▀\27[0m"
    assert.equal(cell:rep(20), plot.image(red_and_blue):text {colors = "24bit", width = 20})
    assert.equal(cell:rep(20), plot.image(red_and_blue:permute(2, 3, 1)):text {colors = "24bit", width = 20})
    assert.equal(("\27[38;5;196m\27[48;5;21m▀\27[0m"):rep(20), plot.image(red_and_blue):text {colors = "256", width = 20})
  end)

  it("has an embedded PNG in SVG", function()
    local data = parse(plot.image(lt.ones(4, 4))) and plot.image(lt.ones(4, 4)):svg():match 'href="data:image/png;base64,([^"]+)"'
    assert.equal("iVBORw0KGgo", data:sub(1, 11))                             -- a PNG's signature in base64
    assert.equal(0, #data % 4)
  end)

  it("refuses other shapes, and absurd sizes", function()
    refuses("with 1, 3 or 4 channels expected, got shape [5, 5, 5]", plot.image, lt.ones(5, 5, 5))
    refuses("at most 4194304 can be drawn", plot.image, lt.zeros(5000, 1000))
  end)
end)

describe("plot.subplots", function()
  local one, two = plot.line({1, 2}, {title = "one"}), plot.line({2, 1}, {title = "two"})

  it("puts figures beside and below each other", function()
    local at = {}
    for _, element in ipairs(reader.all(parse(plot.subplots({{one, two}, {two}}, {width = 800, height = 600})), "text")) do
      if element.text == "one" or element.text == "two" then
        at[#at + 1] = {tonumber(element.attributes.x), tonumber(element.attributes.y)}
      end
    end
    assert.equal(3, #at)
    assert.near(400, at[2][1] - at[1][1], 0.02)
    assert.near(0, at[2][2] - at[1][2], 0.02)
    assert.near(300, at[3][2] - at[1][2], 0.02)
    assert.equal("All\n\n" .. one:text() .. "\n\n" .. two:text(), plot.subplots({one, two}, {title = "All"}):text())
  end)

  it("refuses what is no figure", function()
    refuses("entry 1: figure or row of figures expected, got number", plot.subplots, {1})
    refuses("figures expected, got none", plot.subplots, {})
    refuses("subplots cannot contain subplots", plot.subplots, {plot.subplots {one, two}})
  end)
end)

describe("Figure:png", function()
  local function size_of(png)
    assert.equal("\x89PNG\r\n\26\n", png:sub(1, 8))
    return {(">I4I4"):unpack(png, 17)}
  end

  it("has the size of the figure, times the scale", function()
    if not os.execute "command -v rsvg-convert >/dev/null 2>&1" then return pending "rsvg-convert is not installed" end
    local figure = plot.heatmap({{1, 2}}, {width = 300, height = 200})
    assert.same({300, 200, 25}, size_of(figure:png()))
    assert.same({600, 400, 25}, size_of(figure:png {scale = 2}))
  end)

  it("names the package without the program", function()
    local shell = require "spec.support.shell"
    local interpreter = shell.passes("command -v lua5.4 || command -v lua"):match "%S+"
    local output = shell.passes(("PATH=/nowhere %s -e 'print(pcall(function() require(\"luatensor.plot\").line({1}):png() end))'")
      :format(interpreter))
    assert.truthy(output:find("Figure:png: the program rsvg-convert is not installed (Debian and Ubuntu: apt install librsvg2-bin)", 1, true), output)
  end)
end)
