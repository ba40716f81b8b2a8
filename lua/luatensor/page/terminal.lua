--- Renders blocks as text on a terminal.

local chart = require "luatensor.page.chart_text"
local core = require "luatensor.core"
local document = require "luatensor.page.document"
local format = require "luatensor.page.format"
local plain = require "luatensor.page.plain"

local terminal = {}

local PIPE = 100           -- the number of columns for a file or a pipe, which have no width
local READABLE = 100       -- the longest line of prose, in characters; longer lines are hard to read
local LEAST = 20

--- Returns the number of columns: the variable COLUMNS, else the terminal's width, else 100. The result is at least
-- 20.
-- @treturn int
function terminal.width()
  local given = math.tointeger(tonumber(os.getenv("COLUMNS")))
  return math.max(LEAST, given or core.terminal(1) or PIPE)
end

-- ---- tables -------------------------------------------------------------------------------------

-- Returns the texts of all cells as {head, row, …}, each a list with one text for each column.
local function cells_of(block)
  local rows = {{}}
  for c, column in ipairs(block.columns) do rows[1][c] = plain.line(column.name) end
  for r, row in ipairs(block.rows) do
    rows[r + 1] = {}
    for c, column in ipairs(block.columns) do
      rows[r + 1][c] = plain.figure(document.cell(row[c], column))
    end
  end
  return rows
end

-- Returns two lists with a number for each column. The first list has the width of the column's widest cell. The second
-- list has the width of the column's longest word, which is the smallest width of the column.
local function widths_of(rows)
  local wanted, least = {}, {}
  for _, cells in ipairs(rows) do
    for c, cell in ipairs(cells) do
      wanted[c] = math.max(wanted[c] or 1, plain.width(cell))
      for word in cell:gmatch("[^ ]+") do least[c] = math.max(least[c] or 1, plain.width(word)) end
    end
  end
  return wanted, least
end

local function total_of(widths)
  local total = 2 * (#widths - 1)
  for _, width in ipairs(widths) do total = total + width end
  return total
end

-- Narrows columns until the table is at most `width` characters wide. Each step takes one character from the widest
-- column that is wider than its `least`. Returns the new widths, or nil if the table cannot become narrow enough.
local function squeeze(wanted, least, width)
  local widths = table.move(wanted, 1, #wanted, 1, {})
  for _ = 1, total_of(widths) - width do
    local widest
    for c, size in ipairs(widths) do
      if size > (least[c] or 1) and size > (widest and widths[widest] or 0) then widest = c end
    end
    if not widest then return nil end
    widths[widest] = widths[widest] - 1
  end
  return widths
end

-- Returns the lines of one row as a text. Each cell is wrapped to the width of its column.
local function row_lines(cells, widths, columns)
  local wrapped, height, lines = {}, 1, {}
  for c, cell in ipairs(cells) do
    wrapped[c] = plain.wrap(cell, widths[c])
    height = math.max(height, #wrapped[c])
  end
  for i = 1, height do
    local padded = {}
    for c, width in ipairs(widths) do padded[c] = plain.pad(wrapped[c][i] or "", width, columns[c].unit ~= "text") end
    lines[i] = table.concat(padded, "  "):gsub("%s+$", "")
  end
  return table.concat(lines, "\n")
end

local function grid(rows, widths, columns)
  local lines, rule = {}, {}
  for c, width in ipairs(widths) do rule[c] = ("─"):rep(width) end
  for r, cells in ipairs(rows) do
    lines[#lines + 1] = row_lines(cells, widths, columns)
    if r == 1 then lines[#lines + 1] = table.concat(rule, "  ") end
  end
  return lines
end

-- Renders a table for a terminal that is too narrow for columns. Each row becomes a group of lines, with a line for
-- each cell.
local function records(rows, width)
  local head, lines, widest = rows[1], {}, 0
  for c = 2, #head do widest = math.max(widest, plain.width(head[c])) end
  for r = 2, #rows do
    lines[#lines + 1] = ("%s: %s"):format(head[1], rows[r][1])
    for c = 2, #head do
      local value = plain.wrap(rows[r][c], math.max(LEAST, width - widest - 4))
      lines[#lines + 1] = "  " .. plain.pad(head[c], widest) .. "  " ..
        table.concat(value, "\n" .. (" "):rep(widest + 4))
    end
  end
  return lines
end

local renderers = {}

function renderers.text(block, width)
  local text = plain.line(format.fill(block.text, block.values, plain.figure))
  return table.concat(plain.wrap(text, math.min(width, READABLE)), "\n")
end

function renderers.note(block, width)
  local text = plain.line(format.fill(block.text, block.values, plain.figure))
  return "! " .. table.concat(plain.wrap(text, math.min(width, READABLE) - 2), "\n  ")
end

function renderers.table(block, width)
  local rows = cells_of(block)
  local widths = squeeze(widths_of(rows), select(2, widths_of(rows)), width)
  local lines = widths and grid(rows, widths, block.columns) or records(rows, width)
  if block.title then table.insert(lines, 1, plain.line(block.title)) end
  return table.concat(lines, "\n")
end

function renderers.chart(block, width)
  local title = block.title and plain.line(block.title) .. "\n" or ""
  return title .. chart.draw(block, math.min(width, 84))
end

--- Renders one block as text, without a line end.
-- @tab block
-- @int[opt] width in characters; the terminal's by default
-- @treturn string
function terminal.block(block, width)
  return (renderers[block.kind](block, width or terminal.width()):gsub("\u{A0}", " "))
end

local function is_prose(block) return block ~= nil and (block.kind == "text" or block.kind == "note") end

--- True if an empty line must separate a block from the previous block.
-- @tab block
-- @tab[opt] before nil for the first block
-- @treturn boolean
function terminal.is_apart(block, before)
  return before ~= nil and not (is_prose(block) and is_prose(before))
end

--- Renders blocks as text, one below the other. An empty line separates tables and charts from other blocks.
-- @tab blocks
-- @int[opt] width in characters; the terminal's by default
-- @treturn string
function terminal.page(blocks, width)
  local parts = {}
  for i, block in ipairs(blocks) do
    parts[i] = (terminal.is_apart(block, blocks[i - 1]) and "\n" or "") .. terminal.block(block, width)
  end
  return table.concat(parts, "\n")
end

return terminal
