--- Renders blocks as GitHub's Markdown, and escapes text for it.

local chart = require "luatensor.page.chart_text"
local document = require "luatensor.page.document"
local plain = require "luatensor.page.plain"

local markdown = {}

--- Escapes text so that Markdown shows it unchanged.
-- @string text
-- @treturn string one line
function markdown.escape(text)
  text = plain.line(text):gsub("[\\`*%[%]<>|~]", "\\%0"):gsub("&(#?%w+;)", "\\&%1")
  return (text:gsub("%f[%w_]_", "\\_"):gsub("_%f[^%w_]", "\\_"))           -- underscores within a word are no emphasis
end

local function figure(value, unit) return markdown.escape(plain.figure(value, unit)) end

-- Returns the text of a block with its values inserted.
local function prose(block)
  local text = markdown.escape(block.text):gsub("^([#+-])", "\\%1"):gsub("^(%d+)([.)]%s)", "%1\\%2")
  return (text:gsub("{([%w_]+)}", function(name)
    local value = block.values and block.values[name]
    return value and figure(value[1], value[2]) or nil
  end))
end

local function row_line(cells) return "| " .. table.concat(cells, " | ") .. " |" end

local renderers = {}

function renderers.text(block) return prose(block) end

function renderers.note(block) return "> **Note:** " .. prose(block) end

function renderers.table(block)
  local head, rule, lines = {}, {}, {}
  for c, column in ipairs(block.columns) do
    head[c] = markdown.escape(column.name)
    rule[c] = column.unit == "text" and "---" or "---:"
  end
  if block.title then lines = {"**" .. markdown.escape(block.title) .. "**", ""} end
  lines[#lines + 1] = row_line(head)
  lines[#lines + 1] = "|" .. table.concat(rule, "|") .. "|"
  for _, row in ipairs(block.rows) do
    local cells = {}
    for c, column in ipairs(block.columns) do cells[c] = figure(document.cell(row[c], column)) end
    lines[#lines + 1] = row_line(cells)
  end
  return table.concat(lines, "\n")
end

function renderers.chart(block)
  local title = block.title and "**" .. markdown.escape(block.title) .. "**\n\n" or ""
  return title .. "```text\n" .. chart.draw(block, 76):gsub("\u{A0}", " ") .. "\n```"
end

--- Renders one block as Markdown, without a line end.
-- @tab block
-- @treturn string
function markdown.block(block) return renderers[block.kind](block) end

--- Renders blocks as Markdown, with an empty line between two blocks.
-- @tab blocks
-- @treturn string
function markdown.page(blocks)
  local parts = {}
  for i, block in ipairs(blocks) do parts[i] = markdown.block(block) end
  return table.concat(parts, "\n\n")
end

return markdown
