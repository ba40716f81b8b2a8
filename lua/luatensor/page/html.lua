--- Renders blocks as HTML. Each figure becomes <data value="raw">shown</data>. All other text of the blocks is
-- escaped.

local axis = require "luatensor.page.axis"
local document = require "luatensor.page.document"
local format = require "luatensor.page.format"
local plain = require "luatensor.page.plain"
local chart = require "luatensor.page.chart_svg"

local html = {}

local ENTITIES = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;"}

--- Escapes text for HTML and for quoted attributes.
-- @string text
-- @treturn string one line
function html.escape(text) return (plain.line(text):gsub("[&<>\"']", ENTITIES)) end

--- Renders a number as an HTML element <data> with the formatted number as text, and a string as escaped text.
-- @tparam number|string|boolean value false for a missing value
-- @string unit
-- @treturn string
function html.figure(value, unit)
  if type(value) ~= "number" then return html.escape(format.show(value, unit)) end
  local raw = math.type(value) == "integer" and "%d" or "%.14g"
  local class = unit == "count" and " class=\"count\"" or ""
  return ("<data value=\"" .. raw .. "\"%s>%s</data>"):format(value, class, html.escape(plain.figure(value, unit)))
end

local function prose(block)
  local text = html.escape(block.text):gsub(" = {", "\u{A0}=\u{A0}{")         -- keeps "n = 16" on one line
  return (text:gsub("{([%w_]+)}", function(name)
    local value = block.values and block.values[name]
    return value and html.figure(value[1], value[2]) or nil
  end))
end

-- ---- tables -------------------------------------------------------------------------------------

local SHORT <const> = 20           -- rows' names up to this many characters stay on one line

local function alignment(unit) return unit == "text" and "" or " class=\"number\"" end

local function head_row(block)
  local cells = {}
  for c, column in ipairs(block.columns) do
    cells[c] = ("<th scope=\"col\"%s>%s</th>"):format(alignment(column.unit), html.escape(column.name))
  end
  return "<tr>" .. table.concat(cells) .. "</tr>"
end

local function body_row(block, row)
  local cells = {}
  for c, column in ipairs(block.columns) do
    local value, unit = document.cell(row[c], column)
    local tag = c == 1 and "th scope=\"row\"" or "td"
    local is_name = c == 1 and column.unit == "text" and type(value) == "string"
    if is_name and plain.width(value) <= SHORT then tag = tag .. " class=\"short\"" end
    local class = type(value) == "string" and column.unit == "text" and "" or alignment(column.unit)
    cells[c] = ("<%s%s>%s</%s>"):format(tag, class, html.figure(value, unit), tag:match("%a+"))
  end
  return "<tr>" .. table.concat(cells) .. "</tr>"
end

-- Makes a table. The title is outside of the box that scrolls.
local function table_of(block, id, label)
  local named, lines = ("aria-label=\"%s\""):format(html.escape(label or "Table")), {}
  if block.title then
    named = ("aria-labelledby=\"%s-title\""):format(id)
    lines[1] = ("<p class=\"title\" id=\"%s-title\">%s</p>"):format(id, html.escape(block.title))
  end
  lines[#lines + 1] = ("<div class=\"scroll\" tabindex=\"0\" role=\"region\" %s>\n<table %s>"):format(named, named)
  lines[#lines + 1] = "<thead>" .. head_row(block) .. "</thead>\n<tbody>"
  for _, row in ipairs(block.rows) do lines[#lines + 1] = body_row(block, row) end
  lines[#lines + 1] = "</tbody>\n</table>\n</div>"
  return table.concat(lines, "\n")
end

-- ---- charts -------------------------------------------------------------------------------------

local function describe_axis(spec) return spec.name .. (spec.log and " (logarithmic)" or "") end

--- Describes a chart in a sentence, for people who do not see it.
-- @tab block a chart
-- @treturn string
function html.describe(block)
  local words = {}
  for s, points in ipairs((axis.points(block))) do
    local first, last = points[1], points[#points]
    local x, y = block.x.unit, block.y.unit
    words[s] = axis.name(block.series[s]) .. (not first and ": nothing" or (": %s at %s to %s at %s"):format(
      format.show(first[2], y), format.show(first[1], x), format.show(last[2], y), format.show(last[1], x)))
  end
  return ("%s: %s against %s. %s."):format(block.bars and "Bar chart" or "Line chart", describe_axis(block.y),
    describe_axis(block.x), table.concat(words, "; "))
end

local function legend(block)
  if #block.series == 1 and not block.series[1].emulated then return "" end
  local items = {}
  for s, series in ipairs(block.series) do
    items[s] = ("<li>%s%s</li>"):format(chart.swatch(block, s), html.escape(axis.name(series)))
  end
  return "<ul class=\"legend\">" .. table.concat(items) .. "</ul>\n"
end

-- {class, width, height} of the two drawings of a chart, in pixels. The narrow drawing is for phones, on which the
-- text of the wide drawing would be too small.
local SIZES = {{"wide", 720, 360}, {"narrow", 360, 300}}

local function drawings(block)
  local parts, alt = {}, html.escape(html.describe(block))
  for i, size in ipairs(SIZES) do
    parts[i] = ("<div class=\"drawing %s\" role=\"img\" aria-label=\"%s\">%s</div>"):format(size[1], alt,
      chart.element(block, {width = size[2], height = size[3]}))
  end
  return table.concat(parts, "\n") .. "\n"
end

local function chart_of(block, id)
  local title = block.title and ("<figcaption>%s</figcaption>\n"):format(html.escape(block.title)) or ""
  local figures = table_of(axis.table(block), id, "Figures: " .. (block.title or block.y.name))
  return ("<figure>\n%s%s%s<details><summary>Figures</summary>\n%s\n</details>\n</figure>"):format(title, legend(block),
    drawings(block), figures)
end

-- ---- blocks -------------------------------------------------------------------------------------

local renderers = {}

function renderers.text(block) return "<p>" .. prose(block) .. "</p>" end

function renderers.note(block) return "<p class=\"note\"><strong>Note:</strong> " .. prose(block) .. "</p>" end

function renderers.table(block, id) return table_of(block, id) end

renderers.chart = chart_of

--- Renders one block as a fragment of HTML.
-- @tab block
-- @string id prefix of the ids in the fragment
-- @treturn string
function html.block(block, id) return renderers[block.kind](block, id) end

--- Renders blocks as a fragment of HTML.
-- @tab blocks
-- @string id prefix of the ids in the fragment
-- @treturn string
function html.blocks(blocks, id)
  local parts = {}
  for i, block in ipairs(blocks) do parts[i] = html.block(block, ("%s-%d"):format(id, i)) end
  return table.concat(parts, "\n")
end

return html
