-- Finds the parts of a page that show emulated figures without a mark. The module examines blocks, or the tables of an
-- HTML page. The raw figures of the result are the oracle: they say which figures come from an emulated device.

local document = require "luatensor.page.document"
local format = require "luatensor.page.format"
local html = require "spec.support.html"

local marks = {}

local function is_marked(text) return (text or ""):find("mulat") ~= nil end

-- True if a text names an emulated device without marking it.
local function names(text)
  return type(text) == "string" and (text:find "cuda:%d" or text:find "rocm:%d" or text == "cuda" or text == "rocm") and not is_marked(text)
end

-- ---- figures by device --------------------------------------------------------------------------

-- Adds the figures in a table to a set. Whole numbers are left out, because they are sizes and counts, which belong
-- to no device.
local function collect(value, set)
  if math.type(value) == "float" and value % 1 ~= 0 then set[value] = true end
  if type(value) == "table" then
    for _, item in pairs(value) do collect(item, set) end
  end
end

-- Adds the y values of a series to a set. The x values may belong to any device.
local function collect_series(series, set)
  for _, point in ipairs(series.points) do collect(point[2], set) end
end

local function walk(value, emulated, real)
  if type(value) ~= "table" or value.kind == "table" then return end
  if value.kind == "chart" then
    for _, series in ipairs(value.series) do
      if series.emulated then collect_series(series, emulated) end
    end
    return
  end
  local holds_others = value.format == "luatensor" and value.kind ~= "time"
  if value.emulated and not holds_others then return collect(value, emulated) end
  if value.device == "cpu" and not holds_others then return collect(value, real) end
  for _, item in pairs(value) do walk(item, emulated, real) end
end

--- Returns the raw figures of a result as two sets: the figures of emulated devices, and the figures of the CPU. A
--- figure that would be in both sets is in neither.
function marks.figures(result)
  local emulated, real = {}, {}
  walk(result, emulated, real)
  for value in pairs(emulated) do
    if real[value] then emulated[value], real[value] = nil, nil end
  end
  return emulated, real
end

-- ---- faults -------------------------------------------------------------------------------------

local function row_is_marked(row)
  for _, cell in ipairs(row) do
    local text = type(cell) == "table" and cell[1] or cell
    if type(text) == "string" and is_marked(text) then return true end
  end
  return false
end

local function table_faults(block, emulated, real, fault)
  local whole, kinds, ratios = is_marked(block.title), {}, false
  if names(block.title) then fault("title: %s", block.title) end
  for _, column in ipairs(block.columns) do
    if names(column.name) then fault("column: %s", column.name) end
  end
  for _, row in ipairs(block.rows) do
    for c, column in ipairs(block.columns) do
      local value, unit = document.cell(row[c], column)
      if names(value) then fault("cell: %s", value) end
      if emulated[value] then
        kinds.emulated = true
        if not (whole or is_marked(column.name) or row_is_marked(row)) then fault("figure %s, %s", value, column.name) end
      elseif real[value] then
        kinds.real = true
        if whole then fault("real figure %s in %q", value, block.title) end
      end
      ratios = ratios or type(value) == "number" and (unit == "ratio" or unit == "share")
    end
  end
  if kinds.emulated and kinds.real and ratios then fault("ratios of both kinds: %s", block.title or "") end
end

local function chart_faults(block, emulated, _, fault)
  if names(block.title) then fault("title: %s", block.title) end
  for _, series in ipairs(block.series) do
    local mark = series.emulated or false
    if mark ~= (block.series[1].emulated or false) then fault("both kinds in %q", block.title or "") end
    if names(series.name) and not mark then fault("series: %s", series.name) end
    for _, point in ipairs(series.points) do
      if emulated[point[2]] and not mark then fault("point %s of %s", point[2], series.name) end
    end
  end
end

local function text_faults(block, _, _, fault)
  local text = format.fill(block.text, block.values)
  if names(text) then fault("text: %s", text) end
end

local by_kind = {table = table_faults, chart = chart_faults, text = text_faults, note = text_faults}

--- Returns a list of texts that describe mistakes in blocks: emulated devices or figures that are not marked as
--- emulated, real figures that are marked, and ratios or charts that mix emulated and real figures.
function marks.faults(blocks, emulated, real)
  local faults = {}
  local function fault(...) faults[#faults + 1] = string.format(...) end
  for _, block in ipairs(blocks) do by_kind[block.kind](block, emulated, real, fault) end
  return faults
end

-- ---- pages --------------------------------------------------------------------------------------

local function cell_of(inner)
  local value = tonumber(inner:match("<data value=\"([^\"]+)\""))
  return value and value + 0.0 or html.unescape((inner:gsub("<[^<>]*>", "")))
end

-- Returns the tables of a page as blocks.
local function tables_of(page)
  local blocks = {}
  for head, inner in page:gmatch("<table ([^<>]*)>(.-)</table>") do
    local id = head:match("aria%-labelledby=\"([^\"]+)\"")
    local title = id and page:match("id=\"" .. id:gsub("%W", "%%%0") .. "\">([^<]*)<") or head:match("aria%-label=\"([^\"]*)\"")
    local block = {kind = "table", title = title and html.unescape(title), columns = {}, rows = {}}
    for row in inner:gmatch("<tr>(.-)</tr>") do
      local cells = {}
      for cell in row:gmatch("<t[hd][^<>]*>(.-)</t[hd]>") do cells[#cells + 1] = cell_of(cell) end
      if #block.columns == 0 then
        for i, name in ipairs(cells) do block.columns[i] = {name = name, unit = "text"} end
      else
        block.rows[#block.rows + 1] = cells
      end
    end
    blocks[#blocks + 1] = block
  end
  return blocks
end

local SHOWN = {"p", "li", "h1", "h2", "h3", "th", "td", "figcaption", "summary", "text"}

-- Returns the mistakes in an HTML page as marks.faults does, and the page's tables as blocks. The page shows figures
-- with 14 digits, so `emulated` and `real` are rounded to 14 digits before they are compared.
function marks.page_faults(page, emulated, real)
  local function shortened(set)
    local short = {}
    for value in pairs(set) do short[tonumber(("%.14g"):format(value)) + 0.0] = true end
    return short
  end
  local blocks = tables_of(page)
  local faults = marks.faults(blocks, shortened(emulated), shortened(real))
  local elements = html.parse(page)
  for _, name in ipairs(SHOWN) do
    for _, element in ipairs(html.all(elements, name)) do
      if names(element.text) then faults[#faults + 1] = ("<%s>: %s"):format(name, element.text) end
    end
  end
  for _, element in ipairs(elements) do
    if names(element.attributes["aria-label"]) then faults[#faults + 1] = element.attributes["aria-label"] end
  end
  return faults, blocks
end

return marks
