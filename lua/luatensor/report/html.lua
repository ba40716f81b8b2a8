--- Renders the items of a report (luatensor.report.outline) as one HTML page.

local blocks = require "luatensor.page.html"
local page = require "luatensor.page.html_page"

local function contents(items)
  local links = {}
  for _, item in ipairs(items) do
    if item.kind == "heading" and item.level == 2 and item.id and item.id ~= "summary" then
      links[#links + 1] = ("<li><a href=\"#%s\">%s</a></li>"):format(blocks.escape(item.id), blocks.escape(item.text))
    end
  end
  return "<nav aria-label=\"Contents\"><ul>" .. table.concat(links) .. "</ul></nav>"
end

local function paragraph(class)
  return function(item) return ("<p class=\"%s\">%s</p>"):format(class, blocks.escape(item.text)) end
end

local renderers = {
  heading = function(item)
    local id = item.id and (" id=\"%s\""):format(blocks.escape(item.id)) or ""
    return ("<h%d%s>%s</h%d>"):format(item.level, id, blocks.escape(item.text), item.level)
  end,
  lead = paragraph "lead", warning = paragraph "warning",
  source = function(item)
    return ("<p class=\"source\"><a href=\"#claims\">%s</a></p>"):format(blocks.escape(item.text))
  end,
  box = function() return "<section class=\"summary\" aria-labelledby=\"summary\">" end,
  ["end"] = function() return "</section>" end,
  contents = function(_, items) return contents(items) end,
}

return function(items)
  local parts = {"<main>"}
  for i, item in ipairs(items) do
    local render = renderers[item.kind]
    parts[i + 1] = render and render(item, items) or blocks.block(item, "item-" .. i)
  end
  parts[#parts + 1] = "</main>"
  return page.new(items[1].text, table.concat(parts, "\n"))
end
