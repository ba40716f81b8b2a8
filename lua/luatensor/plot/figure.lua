--- Figures: what the functions of lt.plot return. A figure draws itself as text, as SVG and as PNG.
-- @submodule luatensor.plot

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local chart_svg = require "luatensor.page.chart_svg"
local chart_text = require "luatensor.page.chart_text"
local outside = require "luatensor.base.outside"
local plain = require "luatensor.page.plain"
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

local function text_of(self, options)
  local width = options.width or 80
  local parts = {}
  for i, place in ipairs(self.panels) do
    local title = place[1].title and plain.line(place[1].title) .. "\n" or ""
    parts[i] = title .. chart_text.panel(place[1], {width = width, height = options.height,
      ascii = options.unicode == false})
  end
  return table.concat(parts, "\n\n")
end

--- Draws a figure with characters.
-- @function Figure:text
-- @tparam[opt] table options `width` (80): of the picture in characters; `height` (14): of a panel's grid in lines;
--   `unicode` (true): draws with braille and block characters. Without them the picture is ASCII.
-- @treturn string without a line end
function Figure:text(options)
  return text_of(self, args.options("Figure:text", options, {
    width = {"integer", 20, 1000}, height = {"integer", 2, 1000}, unicode = "boolean",
  }))
end

function class:__tostring() return text_of(self, {width = math.min(terminal.width(), 100), unicode = has_utf8()}) end

-- ---- SVG and PNG --------------------------------------------------------------------------------

--- Draws a figure as SVG.
-- @function Figure:svg
-- @treturn string an SVG file
function Figure:svg() return chart_svg.file(self) end

--- The representations of a figure for notebooks, by MIME type.
function class.__mime(self)
  return {["image/svg+xml"] = self:svg(), ["text/plain"] = self:text()}
end

-- The functions that make the contents of a file, by the ending of its name.
local endings <const> = {
  svg = function(self) return self:svg() end,
  txt = function(self) return self:text() .. "\n" end,
}

--- Writes a figure to a file. The ending of the file's name decides on the format: .svg or .txt.
-- @function Figure:save
-- @string path
-- @treturn Figure the figure
-- @raise if the file cannot be written, or if its ending is another one
function Figure:save(path)
  outside.check "Figure:save"
  args.check("Figure:save", "argument 1", path, "string")
  local ending = path:match "%.(%w+)$"
  local make = endings[ending and ending:lower()]
  if not make then
    blame.fail("Figure:save", "%s: a name that ends in .svg or .txt expected", path)
  end
  local done, problem = core.write_file(path, make(self))
  if not done then blame.fail("Figure:save", "%s: %s", path, (tostring(problem):gsub("^.*: ", ""))) end
  return self
end

return class
