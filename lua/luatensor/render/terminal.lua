--- Blocks as text on a terminal.

local format = require "luatensor.bench.format"

local terminal = {}

-- utf8.len, because "×" is one character of three bytes.
local function pad(text, width, to_the_right)
  local space = (" "):rep(width - utf8.len(text))
  return to_the_right and space .. text or text .. space
end

local function line_of(cells, widths, columns)
  local padded = {}
  for i, cell in ipairs(cells) do padded[i] = pad(cell, widths[i], columns[i].unit ~= "text") end
  return (table.concat(padded, "  "):gsub("%s+$", ""))
end

-- Every cell in words: the head, then the rows.
local function cells_of(block)
  local lines = {{}}
  for c, column in ipairs(block.columns) do lines[1][c] = column.name end
  for r, row in ipairs(block.rows) do
    lines[r + 1] = {}
    for c, column in ipairs(block.columns) do
      local cell, unit = row[c], column.unit
      if type(cell) == "table" then cell, unit = cell[1], cell[2] end
      lines[r + 1][c] = format.show(cell, unit)
    end
  end
  return lines
end

local renderers = {}

function renderers.text(block) return format.fill(block.text, block.values) end

function renderers.note(block) return "! " .. format.fill(block.text, block.values) end

function renderers.table(block)
  local lines, widths, rule = cells_of(block), {}, {}
  for _, cells in ipairs(lines) do
    for c, cell in ipairs(cells) do widths[c] = math.max(widths[c] or 0, utf8.len(cell)) end
  end
  for c, width in ipairs(widths) do rule[c] = ("-"):rep(width) end
  local text = {block.title}
  for i, cells in ipairs(lines) do
    text[#text + 1] = line_of(cells, widths, block.columns)
    if i == 1 then text[#text + 1] = table.concat(rule, "  ") end
  end
  return table.concat(text, "\n")
end

function renderers.chart(block) return block.title end

--- One block as text, without a line end.
-- @tab block
-- @treturn string
function terminal.block(block) return renderers[block.kind](block) end

--- Blocks as text, one below the other.
-- @tab blocks
-- @treturn string
function terminal.page(blocks)
  local parts = {}
  for i, block in ipairs(blocks) do parts[i] = terminal.block(block) end
  return table.concat(parts, "\n")
end

return terminal
