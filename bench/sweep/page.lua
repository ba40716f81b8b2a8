-- The heat map of the sweep as an HTML page: one table for each dtype, one line for each op, one column for each size,
-- layout and number of threads. Blue cells are faster than PyTorch, orange cells are slower.

local format = require "luatensor.page.format"
local html = require "luatensor.page.html"
local html_page = require "luatensor.page.html_page"
local record = require "bench.sweep.record"

local page = {}

-- The least ratio of each colour, and the colour. Colour-blind readers can tell orange from blue.
local colours = {
  {4, "#08519c", "#fff"}, {2, "#4292c6", "#fff"}, {1.2, "#9ecae1", "#000"}, {1, "#deebf7", "#000"},
  {0.9, "#fee6ce", "#000"}, {0.7, "#fdae6b", "#000"}, {0.5, "#e6550d", "#fff"}, {0, "#7f2704", "#fff"},
}

local function colour_of(ratio)
  for i, colour in ipairs(colours) do
    if ratio >= colour[1] then return i end
  end
end

local function style()
  local rules = {"body { max-width: none; } td.cell { padding: 0 .2em; text-align: right; font-size: .75em; }"}
  for i, colour in ipairs(colours) do
    rules[#rules + 1] = (".c%d { background: %s; color: %s; }"):format(i, colour[2], colour[3])
  end
  return "<style>" .. table.concat(rules, "\n") .. "</style>"
end

local function legend()
  local parts = {}
  for i, colour in ipairs(colours) do
    parts[i] = ('<span class="c%d">&nbsp;from %g&nbsp;</span>'):format(i, colour[1])
  end
  return "<p>PyTorch's time divided by luatensor's time: " .. table.concat(parts, " ") .. "</p>"
end

local function cell_of(measured)
  local ratio = record.ratio(measured)
  if not ratio then
    return ('<td class="cell" title="%s">%s</td>'):format(html.escape(measured and measured.problem or ""),
      measured and "–" or "")
  end
  local title = ("%s: luatensor %s, PyTorch %s"):format(measured.cell, format.show(measured.ours, "s"),
    format.show(measured.torch, "s"))
  return ('<td class="cell c%d" title="%s">%.2f</td>'):format(colour_of(ratio), html.escape(title), ratio)
end

-- Appends value to the list if the set `seen` lacks it.
local function add_once(list, seen, value)
  if not seen[value] then
    seen[value] = true
    list[#list + 1] = value
  end
end

-- Groups the cells: the sorted dtypes and ops, the columns by size, layout and threads, and the cells by place.
local function group(list)
  local groups = {dtypes = {}, ops = {}, columns = {}, by_place = {}}
  local seen = {{}, {}, {}}
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted, function(a, b)
    if a.size ~= b.size then return a.size < b.size end
    if a.layout ~= b.layout then return a.layout < b.layout end
    return a.threads < b.threads
  end)
  for _, cell in ipairs(sorted) do
    local column = ("%.0e %s %d"):format(cell.size, cell.layout, cell.threads)
    add_once(groups.dtypes, seen[1], cell.dtype)
    add_once(groups.ops, seen[2], cell.op)
    add_once(groups.columns, seen[3], column)
    groups.by_place[cell.dtype .. "\n" .. cell.op .. "\n" .. column] = cell
  end
  table.sort(groups.dtypes)
  table.sort(groups.ops)
  return groups
end

local function table_of(groups, dtype, known)
  local lines = {"<table><thead><tr><th>op</th>"}
  for _, column in ipairs(groups.columns) do
    lines[#lines + 1] = ('<th class="number">%s</th>'):format(html.escape(column))
  end
  lines[#lines + 1] = "</tr></thead><tbody>"
  for _, op in ipairs(groups.ops) do
    lines[#lines + 1] = ('<tr><th scope="row" class="short">%s</th>'):format(html.escape(op))
    for _, column in ipairs(groups.columns) do
      local cell = groups.by_place[dtype .. "\n" .. op .. "\n" .. column]
      lines[#lines + 1] = cell_of(cell and known[cell[1]])
    end
    lines[#lines + 1] = "</tr>"
  end
  lines[#lines + 1] = "</tbody></table>"
  return table.concat(lines, "\n")
end

--- Returns the page.
-- list: the cells; known: the measured cells by name; machine, peer: texts
function page.new(list, known, machine, peer)
  local groups, summary = group(list), record.summary(list, known)
  local parts = {
    style(), "<h1>Sweep beside PyTorch</h1>",
    ("<p>%s. %s.</p>"):format(html.escape(machine), html.escape(peer)),
    ("<p>%d cells have a geometric mean of %.2f. %.1f %% of them are at least 1, %d are below 0.7.</p>"):format(
      summary.count, summary.mean, 100 * summary.share, summary.below),
    legend(),
  }
  for _, dtype in ipairs(groups.dtypes) do
    parts[#parts + 1] = ("<h2>%s</h2><div class=\"scroll\">%s</div>"):format(dtype, table_of(groups, dtype, known))
  end
  return html_page.new("Sweep beside PyTorch", table.concat(parts, "\n"))
end

return page
