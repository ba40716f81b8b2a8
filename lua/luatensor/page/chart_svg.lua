--- Draws charts as SVG with gnuplot, if gnuplot is installed. gnuplot reads numbers and quoted texts from one file,
-- and writes the drawing to another file. The module then replaces gnuplot's colours by CSS variables of the
-- page. The colours of a light page are the fallback for programs without CSS variables.

local clocale = require "luatensor.base.clocale"
local axis = require "luatensor.page.axis"
local format = require "luatensor.page.format"
local plain = require "luatensor.page.plain"

local plot = {}

--- Colours by name: {on a light page, on a dark page}. "paper" is the background. The contrast ratio of text and
-- series with the background is at least 4.5. Series also differ in dashes and marks, for people who do not
-- distinguish the colours.
plot.colours = {
  paper = {"#ffffff", "#14171c"}, text = {"#3d434d", "#c3cad4"}, grid = {"#dfe3e8", "#30363f"},
  axis = {"#8a929e", "#7a828e"},
  ["series-1"] = {"#1f5fd0", "#7cb0ff"}, ["series-2"] = {"#b04708", "#ff9f5e"}, ["series-3"] = {"#0b7d61", "#3fd0a6"},
  ["series-4"] = {"#9a35ad", "#df96f2"}, ["series-5"] = {"#7d6200", "#dcbc4e"}, ["series-6"] = {"#bb2d4e", "#ff8aa0"},
}

--- The number of colours for series. Series SERIES + 1 has the first colour again.
plot.SERIES = 6

-- The RGB values that gnuplot draws with, by the names of the colours. swap_colours replaces each value by the CSS
-- variable of its name.
local MARKED = {text = {1, 1, 1}, axis = {2, 2, 2}, grid = {3, 3, 3}}
for s = 1, plot.SERIES do MARKED["series-" .. s] = {10, 10, s} end

local names_of = {}
for name, rgb in pairs(MARKED) do names_of[table.concat(rgb, ",")] = name end

local function colour(name) return ("rgb '#%02x%02x%02x'"):format(table.unpack(MARKED[name])) end

local function series_colour(s) return colour("series-" .. (s - 1) % plot.SERIES + 1) end

-- Quotes a text for gnuplot in single quotes, inside which gnuplot neither expands nor runs anything. A quote in the
-- text is doubled.
local function quote(text) return "'" .. plain.line(text):gsub("'", "''") .. "'" end

-- ---- gnuplot's files ----------------------------------------------------------------------------

local function tick_list(ticks)
  local list = {}
  for i, tick in ipairs(ticks) do list[i] = clocale.format("%s %.17g", quote(tick[2]), tick[1]) end
  return "(" .. table.concat(list, ", ") .. ")"
end

local function set_axis(lines, name, ax)
  if ax.log then lines[#lines + 1] = ("set logscale %s %d"):format(name, ax.log) end
  local room = ax.log and 1 + 1e-6 or 1              -- without this margin, rounding may lose gnuplot's last tick
  lines[#lines + 1] = clocale.format("set %srange [%.17g:%.17g]", name, ax.low / room, ax.high * room)
  lines[#lines + 1] = #ax.ticks == 0 and ("unset %stics"):format(name) or
    ("set %stics %s nomirror scale 0 textcolor %s"):format(name, tick_list(ax.ticks), colour("text"))
end

local function head(options, font)
  return {
    "set encoding utf8",
    ("set terminal svg size %d,%d noenhanced font 'sans-serif,%d'"):format(options.width, options.height, font),
    "set output " .. quote(options.output),
    "unset key",
    "set tmargin 2.5",
    "set rmargin 3",
    "set style line 1 lt 1 lw 1 lc " .. colour("grid"),
    "set border 1 lt 1 lw 1 lc " .. colour("axis"),
    "set grid ytics back ls 1",
  }
end

-- Adds the names of the axes. The name of the y axis is above the axis, where it can be read horizontally.
local function names(block, lines)
  lines[#lines + 1] = ("set label 1 %s at screen 0.012, screen 1 offset 0, -0.8 left textcolor %s"):format(
    quote(block.y.name), colour("text"))
  lines[#lines + 1] = ("set xlabel %s textcolor %s"):format(quote(block.x.name), colour("text"))
end

local function data(lines, name, points)
  lines[#lines + 1] = ("$%s << END"):format(name)
  for _, point in ipairs(points) do
    lines[#lines + 1] = clocale.format("%.17g %.17g", point[1], point[2])
  end
  lines[#lines + 1] = "END"
end

-- The dash patterns of the series, and their marks. A mark is {gnuplot's number, the same mark as SVG for a legend}.
-- In a legend, marks are centred at (15, 5) of an element of 30 × 10.
local DASHES <const> = {"", "6,4", "2,3", "10,3,2,3"}
local MARKS <const> = {
  {7, '<circle cx="15" cy="5" r="2.7"/>'}, {5, '<path d="M12.5 2.5h5v5h-5z"/>'},
  {9, '<path d="M15 2l3 5.5h-6z"/>'}, {13, '<path d="M15 1.5l3.2 3.5-3.2 3.5-3.2-3.5z"/>'},
}

local function style(s) return (s - 1) % #DASHES + 1 end

-- Returns a style with a colour and its fallback: "stroke:#1f5fd0;stroke:var(--series-1)". Programs without CSS
-- variables keep the colour of a light page.
local function ink(property, name)
  return ("%s:%s;%s:var(--%s)"):format(property, plot.colours[name][1], property, name)
end

--- Returns the line and mark before a series' name in a legend: a small SVG element that uses the page's CSS
-- variables.
-- @int s number of the series
-- @bool bars true for a chart of bars
-- @string[opt] attributes of the element
-- @treturn string
function plot.swatch(s, bars, attributes)
  local name = ("series-%d"):format((s - 1) % plot.SERIES + 1)
  local dashes = DASHES[style(s)] == "" and "none" or DASHES[style(s)]
  local shape = bars and '<path d="M4 0h22v10h-22z"/>' or
    ('<path d="M0 5h30" style="%s;stroke-width:2" stroke-dasharray="%s"/>%s'):format(ink("stroke", name), dashes,
      MARKS[style(s)][2])
  return ('<svg %s viewBox="0 0 30 10" aria-hidden="true" style="%s">%s</svg>'):format(
    attributes or 'class="swatch"', ink("fill", name), shape)
end

local function draw_lines(block, lines, options)
  local series, xs, ys = axis.points(block)
  set_axis(lines, "x", axis.new(block.x, xs, {most = options.width // 75}))
  set_axis(lines, "y", axis.new(block.y, ys, {most = 7, from_zero = true}))
  names(block, lines)
  local drawn = {}
  for s, points in ipairs(series) do
    if #points > 0 then
      data(lines, "series" .. s, points)
      local dashes = DASHES[style(s)] == "" and "1" or "(" .. DASHES[style(s)] .. ")"
      drawn[#drawn + 1] = ("$series%d with linespoints lw 2 dt %s pt %d ps 0.55 lc %s title %s"):format(s,
        dashes, MARKS[style(s)][1], series_colour(s), quote(axis.name(block.series[s])))
    end
  end
  lines[#lines + 1] = "plot " .. table.concat(drawn, ", ")
end

-- Returns the y of each bar, from the top down, with a gap between bars of different names. Also returns a tick for
-- each name, at the middle of its bars.
local function bar_places(bars)
  local places, ticks, y, first = {}, {}, 0, 1
  for i, bar in ipairs(bars) do
    local new = not (bars[i - 1] and bars[i - 1][1] == bar[1])
    if new then first = i end
    y = y - (new and i > 1 and 1.5 or 1)
    places[i] = y
    if new then ticks[#ticks + 1] = {y, bar[1]} else ticks[#ticks][1] = (places[first] + y) / 2 end
  end
  return places, ticks
end

-- Draws horizontal bars, because long names can be read beside them. The value is written at the end of its bar.
local function draw_bars(block, lines)
  local bars, values, drawn = axis.bars(block), {}, {}
  local places, ticks = bar_places(bars)
  for i, bar in ipairs(bars) do values[i] = bar[3] end
  local scale = axis.new(block.y, values, {from_zero = true})
  scale.high = scale.log and scale.high * (scale.high / scale.low) ^ 0.25 or 1.25 * scale.high
  scale.ticks = {}
  set_axis(lines, "x", scale)
  lines[#lines + 1] = clocale.format("set yrange [%g:-0.2]\nunset grid\nset border 2", places[#places] - 0.8)
  lines[#lines + 1] = ("set ytics %s nomirror scale 0 textcolor %s"):format(tick_list(ticks), colour("text"))
  names({x = {name = ""}, y = block.y}, lines)
  for i, bar in ipairs(bars) do
    data(lines, "bar" .. i, {{bar[3], places[i]}})
    lines[#lines + 1] = clocale.format("set label %d %s at %.17g, %g left offset 0.6, 0 textcolor %s", i + 1,
      quote(format.show(bar[3], block.y.unit)), bar[3], places[i], colour("text"))
    drawn[i] = ("$bar%d using 1:2:(%.17g):1:($2-0.4):($2+0.4) with boxxyerror fs solid noborder lc %s notitle")
      :format(i, scale.log and scale.low or 0, series_colour(bar[2]))
  end
  lines[#lines + 1] = "plot " .. table.concat(drawn, ", ")
end

local function script(block, options)
  local lines = head(options, options.font or 13)
  if block.bars then draw_bars(block, lines) else draw_lines(block, lines, options) end
  return table.concat(lines, "\n") .. "\n"
end

-- ---- running it ---------------------------------------------------------------------------------

local function shell_quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function read_file(path)
  local file = io.open(path, "rb")
  local text = file and file:read("a")
  if file then file:close() end
  return text
end

local function write_file(path, text)
  local file, problem = io.open(path, "wb")
  if not file then return nil, problem end
  file:write(text)
  return file:close()
end

--- Returns the reason why charts cannot be drawn, or nil if gnuplot is installed.
-- @treturn string|nil
function plot.missing()
  if os.execute("command -v gnuplot >/dev/null 2>&1") then return nil end
  return "gnuplot is not installed (Debian and Ubuntu: apt install gnuplot-nox)"
end

--- Returns gnuplot's name and version, or nil if gnuplot is not installed.
-- @treturn string|nil
function plot.version()
  if plot.missing() then return nil end
  local pipe <close> = assert(io.popen("gnuplot --version 2>/dev/null </dev/null"))
  return pipe:read("l")
end

-- Raises "interrupted!", the error of lua on Ctrl-C, if signal 2 (Ctrl-C) ended the child process. The terminal sends
-- Ctrl-C to the child process, too.
local function pass_on(how, code)
  if how == "signal" and code == 2 then error("interrupted!", 0) end
end

local FILES <const> = {"chart", "chart.svg", "chart.log"}

local folder_guard = {__close = function(self)
  if not self.path then return end
  for _, name in ipairs(FILES) do os.remove(self.path .. "/" .. name) end
  os.remove(self.path)
end}

-- Makes a folder for temporary files. Only this user can enter the folder. Returns a table whose field `path` is the
-- folder's path. The folder is removed when the `<close>` variable with this table goes out of scope. Returns nil and
-- the reason on failure.
local function make_folder()
  local folder = setmetatable({}, folder_guard)
  local pipe = assert(io.popen("mktemp -d 2>&1 </dev/null"))
  local line = pipe:read("l")
  local done, how, code = pipe:close()
  pass_on(how, code)
  if not done then return nil, line or "mktemp failed" end
  folder.path = line
  return folder
end

-- Runs gnuplot on the script in file `base`. Returns the SVG, if gnuplot wrote one, and gnuplot's messages.
local function run_gnuplot(base)
  -- option -d ignores the user's settings, so that only the settings in the script count
  local ran, how, code = os.execute(("gnuplot -d %s >%s 2>&1 </dev/null"):format(shell_quote(base),
    shell_quote(base .. ".log")))
  pass_on(how, code)
  return ran and read_file(base .. ".svg"), read_file(base .. ".log") or ""
end

local function gnuplot(block, options)
  local folder <close>, unmade = make_folder()
  if not folder then return nil, "no folder for gnuplot's files: " .. unmade end
  local base = folder.path .. "/" .. FILES[1]
  options.output = base .. ".svg"
  local ok, problem = write_file(base, script(block, options))
  local svg, log
  if ok then svg, log = run_gnuplot(base) else log = "" end
  if svg and svg:find("</svg>", 1, true) then return svg end
  return nil, "gnuplot failed: " .. (problem or log:match(" line %d+: ([^\n]*)") or log:match("%S[^\n]*")
    or "no reason given")
end

-- ---- its SVG ------------------------------------------------------------------------------------

-- Replaces each colour attribute, such as stroke='rgb( 10, 10, 1)', by a style attribute with the page's CSS
-- variable, after a fallback colour for programs without CSS variables.
local function swap_colours(svg)
  return (svg:gsub("([%a-]+)%s*=%s*(['\"])rgb%(%s*(%d+),%s*(%d+),%s*(%d+)%)%2", function(attribute, _, r, g, b)
    local name = names_of[r .. "," .. g .. "," .. b]
    if not name then return nil end
    return ('style="%s"'):format(ink(attribute, name))
  end))
end

-- Adds the prefix `id` to all ids of the SVG and to the references to them, because ids must be unique on the page.
local function prefix_ids(svg, id)
  svg = svg:gsub("(%sid=['\"])([^'\"]+)", function(before, name) return before .. id .. "-" .. name end)
  return (svg:gsub("(href=['\"]#)([^'\"]+)", function(before, name) return before .. id .. "-" .. name end))
end

local function strip(svg)
  svg = svg:gsub("^.-(<svg)", "%1"):gsub("<title>.-</title>%s*", ""):gsub("<desc>.-</desc>%s*", "")
  svg = svg:gsub("<filter.-</filter>%s*", ""):gsub("<g [^<>]*>%s*</g>%s*", "")
  return (svg:gsub("[ \t]*\n%s*", "\n"))
end

--- Draws a chart as an SVG element for a page that defines the variables --series-1 … --series-6, --text, --axis and
-- --grid.
-- @tab block a chart
-- @tab options id (prefix of the element's ids), width (in pixels, default 720), height (in pixels, default 360; a
--   chart of bars ignores it), font (size of the text, default 13)
-- @treturn[1] string the element
-- @treturn[2] nil
-- @treturn[2] string the reason why there is none
function plot.svg(block, options)
  local reason = plot.missing()
  if reason then return nil, reason end
  local _, _, ys = axis.points(block)
  if #ys == 0 then return nil, "nothing to draw" end
  local height = block.bars and 64 + 34 * #ys or options.height or 360
  local svg, problem = gnuplot(block, {id = options.id, width = options.width or 720, height = height,
    font = options.font})
  if not svg then return nil, problem end
  return prefix_ids(swap_colours(strip(svg)), options.id)
end

local ENTITIES = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;"}

local function escape(text) return (plain.line(text):gsub("[&<>]", ENTITIES)) end

local function style_sheet()
  local light, dark = {}, {}
  for name, pair in pairs(plot.colours) do
    light[#light + 1] = ("--%s:%s"):format(name, pair[1])
    dark[#dark + 1] = ("--%s:%s"):format(name, pair[2])
  end
  table.sort(light)
  table.sort(dark)
  return ("<style>.page{%s;background:var(--paper)}@media(prefers-color-scheme:dark){.page{%s}}</style>"):format(
    table.concat(light, ";"), table.concat(dark, ";"))
end

local function text_at(x, y, size, text)
  return ('<text x="%d" y="%d" font-family="sans-serif" font-size="%d" style="%s">%s</text>'):format(x, y, size,
    ink("fill", "text"), escape(text))
end

-- Returns the title above a chart, and its height; "" and 0 if the chart has no title.
local function title_line(block)
  if not block.title then return "", 0 end
  return text_at(9, 21, 16, block.title), 30
end

-- Returns the legend below a chart, with a line for each series, and the legend's height. Returns "" and 0 if the only
-- series is not emulated, because such a chart has no legend.
local function legend(block, top)
  local lines = {}
  if #block.series == 1 and not block.series[1].emulated then return "", 0 end
  for s, series in ipairs(block.series) do
    local y = top + 20 * s - 10
    lines[s] = plot.swatch(s, block.bars, ('x="16" y="%d" width="30" height="10"'):format(y - 9)) ..
      text_at(56, y, 13, axis.name(series))
  end
  return table.concat(lines, "\n"), 20 * #block.series + 8
end

--- Draws a chart as a self-contained SVG file, for light and dark viewers.
-- @tab block a chart
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string the reason why there is none
function plot.file(block)
  local svg, problem = plot.svg(block, {id = "chart"})
  if not svg then return nil, problem end
  local width, height = svg:match('width="(%d+)" height="(%d+)"')
  local title, above = title_line(block)
  local names_below, below = legend(block, height + above)
  local whole = height + above + below
  return table.concat({
    '<?xml version="1.0" encoding="utf-8"?>',
    ('<svg xmlns="http://www.w3.org/2000/svg" class="page" width="%d" height="%d" viewBox="0 0 %d %d">'):format(width,
      whole, width, whole),
    "<title>" .. escape(block.title or block.y.name) .. "</title>", style_sheet(), title,
    (svg:gsub("^<svg", ('<svg y="%d"'):format(above))), names_below, "</svg>", "",
  }, "\n")
end

return plot
