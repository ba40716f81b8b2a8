--- Figures: what the functions of lt.plot return. A figure draws itself as text, as SVG and as PNG.
-- @submodule luatensor.plot

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local chart_svg = require "luatensor.page.chart_svg"
local chart_text = require "luatensor.page.chart_text"
local colormap = require "luatensor.page.colormap"
local outside = require "luatensor.base.outside"
local panel = require "luatensor.page.panel"
local plain = require "luatensor.page.plain"
local png = require "luatensor.plot.png"
local terminal = require "luatensor.page.terminal"

local Figure = {}

local class = {__index = Figure, __name = "figure"}

--- Makes a figure.
-- @tab panels a list of {panel, left, top, width, height}: panels of luatensor.page.panel and their boxes in pixels
-- @tab options width, height, title, theme
function class.new(panels, options)
  return setmetatable({panels = panels, width = options.width, height = options.height, title = options.title,
    theme = options.theme or "auto"}, class)
end

--- The default size of a figure in pixels.
class.WIDTH, class.HEIGHT = 720, 420

--- Makes a figure of one panel.
-- @tab drawn the panel
-- @tab options of the script: title, legend, width, height, theme
-- @int[opt] height instead of the option
-- @int[opt] width instead of the option
function class.of_panel(drawn, options, height, width)
  width = width or options.width or class.WIDTH
  height = height or options.height or class.HEIGHT
  drawn.title, drawn.legend = options.title, options.legend
  return class.new({{drawn, 0, 0, width, height}}, {width = width, height = height, theme = options.theme})
end

--- Makes the figure of a chart's block (luatensor.page.document).
-- @tab block
function class.of_block(block)
  local drawn = panel.of_block(block)
  return class.of_panel(drawn, {title = block.title}, (drawn.bars and chart_svg.bars_height(drawn) or 380) + 60)
end

-- ---- text ---------------------------------------------------------------------------------------

-- True if the locale of the environment has UTF-8.
local function has_utf8()
  if not rawget(_G, "os") then return true end
  for _, name in ipairs {"LC_ALL", "LC_CTYPE", "LANG"} do
    local value = os.getenv(name)
    if value and value ~= "" then return value:lower():find "utf%-?8" ~= nil end
  end
  return false
end

-- The colours of series in a terminal, whose background is not known: those of Okabe and Ito that differ enough from
-- black and from white.
local SERIES <const> = {0x0080C0, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9}

-- Returns the parameters of the escape sequence for a colour 0xrrggbb, with 24 bits or from the palette of 256 colours.
local function escape_of(color, true_color)
  local r, g, b = color >> 16, color >> 8 & 255, color & 255
  if true_color then return ("2;%d;%d;%d"):format(r, g, b) end
  return ("5;%d"):format(16 + 36 * ((r * 5 + 127) // 255) + 6 * ((g * 5 + 127) // 255) + (b * 5 + 127) // 255)
end

-- Returns the functions that colour texts: paint(text, s, series) and cell(text, color, background).
local function painters(true_color)
  local function paint(text, s, series)
    local color = series and series.color and tonumber(series.color:sub(2), 16) or SERIES[(s - 1) % #SERIES + 1]
    return ("\27[38;%sm%s\27[0m"):format(escape_of(color, true_color), text)
  end
  local function cell(text, color, background)
    local ink = color or background and (colormap.luminance(background) > 0.18 and 0 or 0xffffff)
    local codes = {}
    if ink then codes[1] = "\27[38;" .. escape_of(ink, true_color) .. "m" end
    if background then codes[#codes + 1] = "\27[48;" .. escape_of(background, true_color) .. "m" end
    return table.concat(codes) .. text .. "\27[0m"
  end
  return paint, cell
end

-- Returns "24bit" or "256" if the standard output is a terminal with that many colours, otherwise nil.
local function terminal_colors()
  if not rawget(_G, "os") or not core.terminal(1) or (os.getenv "NO_COLOR" or "") ~= "" then return nil end
  local kind = os.getenv "COLORTERM"
  if kind == "truecolor" or kind == "24bit" then return "24bit" end
  return (os.getenv "TERM" or ""):find("256color", 1, true) and "256" or nil
end

local function text_of(self, options)
  local width = options.width or 80
  local paint, cell
  if options.colors and options.colors ~= "none" then paint, cell = painters(options.colors == "24bit") end
  local parts = {}
  if self.title then parts[1] = plain.line(self.title) end
  for _, place in ipairs(self.panels) do
    local title = place[1].title and plain.line(place[1].title) .. "\n" or ""
    parts[#parts + 1] = title .. chart_text.panel(place[1], {width = width, height = options.height,
      ascii = options.unicode == false, paint = paint, cell = cell})
  end
  return table.concat(parts, "\n\n")
end

--- Draws a figure with characters.
-- @function Figure:text
-- @tparam[opt] table options `width` (80): of the picture in characters; `height` (14): of a panel's grid in lines;
--   `unicode` (true): draws with braille and block characters. Without them the picture is ASCII. `colors` ("none"):
--   "256" or "24bit" adds the escape sequences of terminals for colours
-- @treturn string without a line end
function Figure:text(options)
  return text_of(self, args.options("Figure:text", options, {
    width = {"integer", 20, 1000}, height = {"integer", 2, 1000}, unicode = "boolean",
    colors = {"choice", "none", "256", "24bit"},
  }))
end

function class:__tostring()
  return text_of(self, {width = math.min(terminal.width(), 100), unicode = has_utf8(), colors = terminal_colors()})
end

-- ---- SVG and PNG --------------------------------------------------------------------------------

--- Draws a figure as SVG.
-- @function Figure:svg
-- @treturn string an SVG file
function Figure:svg() return chart_svg.file(self, self.theme) end

--- Draws a figure as PNG by the program rsvg-convert of librsvg. The theme is light unless the figure's is dark.
-- @function Figure:png
-- @tparam[opt] table options `scale` (1): pixels of the PNG for a pixel of the figure, up to 10
-- @treturn string the bytes of a PNG file
-- @raise if rsvg-convert is not installed
function Figure:png(options)
  local fn = "Figure:png"
  outside.check(fn, "io", "os")
  options = args.options(fn, options, {scale = {"number", 0.1, 10}})
  local bytes, problem = png.of_svg(chart_svg.file(self, self.theme == "dark" and "dark" or "light"),
    options.scale or 1)
  if not bytes then blame.fail(fn, "%s", problem) end
  return bytes
end

--- The representations of a figure for notebooks, by MIME type.
function class.__mime(self)
  return {["image/svg+xml"] = self:svg(), ["text/plain"] = self:text()}
end

-- The functions that make the contents of a file, by the ending of its name.
local endings <const> = {
  svg = function(self, options)
    if options ~= nil then blame.fail("Figure:save", "an SVG has no options") end
    return self:svg()
  end,
  png = function(self, options) return self:png(options or {scale = 2}) end,
  txt = function(self, options) return self:text(options) .. "\n" end,
}

--- Writes a figure to a file. The ending of the file's name decides on the format: .svg, .png or .txt. A PNG
-- has two pixels for each pixel of the figure.
-- @function Figure:save
-- @string path
-- @tparam[opt] table options `scale` (2): pixels of a .png for a pixel of the figure, up to 10; `width` (80): of a .txt
--   in characters; `height` (14): of a panel's grid in lines; `unicode` (true): draws a .txt with braille and block
--   characters; `colors` ("none"): "256" or "24bit" adds the escape sequences of terminals to a .txt
-- @treturn Figure the figure
-- @raise if the file cannot be written, or if its ending is another one
function Figure:save(path, options)
  outside.check "Figure:save"
  args.check("Figure:save", "argument 1", path, "string")
  local ending = path:match "%.(%w+)$"
  local make = endings[ending and ending:lower()]
  if not make then
    blame.fail("Figure:save", "%s: a name that ends in .svg, .png or .txt expected", path)
  end
  local done, problem = core.write_file(path, make(self, options))
  if not done then blame.fail("Figure:save", "%s: %s", path, (tostring(problem):gsub("^.*: ", ""))) end
  return self
end

return class
