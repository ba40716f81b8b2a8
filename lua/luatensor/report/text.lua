--- Renders the items of a report (luatensor.report.outline) for a terminal.

local outline = require "luatensor.report.outline"
local plain = require "luatensor.page.plain"
local terminal = require "luatensor.page.terminal"

local function heading(item)
  local text = plain.line(item.text)
  return item.level > 2 and text or text .. "\n" .. ("─"):rep(math.min(plain.width(text), terminal.width()))
end

-- True if an empty line belongs above an item: above headings, tables and charts, and above prose after a table or a
-- chart.
local function stands_apart(item, before)
  local function is_prose(it) return it.kind ~= "heading" and it.kind ~= "table" and it.kind ~= "chart" end
  return not is_prose(item) or not is_prose(before) and before.kind ~= "heading"
end

return function(items)
  local parts, before = {}, nil
  for _, item in ipairs(items) do
    local block = outline.block(item)
    if block then
      local text = item.kind == "heading" and heading(item) or terminal.block(block)
      parts[#parts + 1] = (before and stands_apart(item, before) and "\n" or "") .. text
      before = item
    end
  end
  return table.concat(parts, "\n")
end
