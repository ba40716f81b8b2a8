--- Renders the items of a report (luatensor.report.outline) as Markdown.

local blocks = require "luatensor.page.markdown"
local outline = require "luatensor.report.outline"

local renderers = {
  heading = function(item) return ("#"):rep(item.level) .. " " .. blocks.escape(item.text) end,
  lead = function(item) return blocks.escape(item.text) end,
  source = function(item) return "*" .. blocks.escape(item.text) .. "*" end,
  warning = function(item) return "> **" .. blocks.escape(item.text) .. "**" end,
}

return function(items)
  local parts = {}
  for _, item in ipairs(items) do
    local render, block = renderers[item.kind], outline.block(item)
    parts[#parts + 1] = render and render(item) or block and blocks.block(block) or nil
  end
  return table.concat(parts, "\n\n") .. "\n"
end
