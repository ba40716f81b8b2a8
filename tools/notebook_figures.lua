-- Writes the generated parts of docs/notebook.md, between the comments that name them:
--
--   tools/lua tools/notebook_figures.lua                the claims, and the experiments that test them
--   tools/lua tools/notebook_figures.lua results.json   the same, and the measured figures from results.json
--
-- results.json is the result of `luatensor experiment all` on an idle machine, or a report in JSON.
--
-- Run this script from the repository's root. With dofile, it returns functions for bench/experiment_spec.lua.

local lt = require "luatensor"
local document = require "luatensor.page.document"
local experiment = require "luatensor.experiment"
local markdown = require "luatensor.page.markdown"
local notebook = require "luatensor.experiment.notebook"
local files = require "luatensor.bench.files"

local figures = {page = "docs/notebook.md"}

-- ---- the claims ---------------------------------------------------------------------------------

--- Lists the claims in Markdown.
-- @treturn string Markdown: for each claim, the experiments that test it
function figures.claims()
  local tested, rows = {}, {}
  for _, each in ipairs(experiment.list()) do
    for _, claim in ipairs(each.claims) do
      tested[claim] = tested[claim] or {}
      table.insert(tested[claim], each.name)
    end
  end
  for i, row in ipairs(notebook.claims) do
    rows[i] = {row.number, row.claim, tested[i] and table.concat(tested[i], ", ") or row.elsewhere}
  end
  return markdown.block(document.table{
    columns = {
      {name = "#", unit = "count"}, {name = "what the notebook says", unit = "text"},
      {name = "tested by", unit = "text"},
    },
    rows = rows,
  })
end

-- ---- the figures --------------------------------------------------------------------------------

-- Rows {number of the claim, experiment, name of the value in the experiment's result, description}.
local wanted = {
  {4, "04_cores", "product_ratio", "x @ y.T: speed on all threads / speed on one thread"},
  {4, "04_cores", "add_ratio", "x + y: speed on all threads / speed on one thread"},
  {4, "05_memory", "add_memory", "x + y: share of the memory's limit"},
  {4, "05_memory", "add_arithmetic", "x + y: share of the arithmetic units' limit"},
  {4, "05_memory", "sum_memory", "sum: share of the memory's limit"},
  {4, "05_memory", "product_memory", "x @ y.T: share of the memory's limit"},
  {4, "05_memory", "product_arithmetic", "x @ y.T: share of the arithmetic units' limit"},
  {8, "03_small", "round_seconds", "time of a round of the small loop"},
  {9, "06_transfer", "add_seconds", "time of x + y"},
  {9, "06_transfer", "product_seconds", "time of x @ y.T"},
  {9, "06_transfer", "rtx-4090_send_seconds",
    "lower bound, from published figures, of the time to send two matrices to an RTX 4090"},
  {9, "06_transfer", "h100-sxm_send_seconds",
    "lower bound, from published figures, of the time to send two matrices to an H100"},
  {9, "06_transfer", "send_seconds", "time to send one matrix to the GPU"},
  {9, "06_transfer", "fetch_seconds", "time to fetch one matrix from the GPU"},
  {9, "06_transfer", "sent_share",
    "two matrices sent and multiplied, the sum fetched: share of the time for transfers"},
}

--- Collects the experiments that ran on real devices from a result of any kind.
-- @tab value a result, or a table that contains results
-- @tab[opt] found the list to add to
-- @treturn table list
function figures.experiments(value, found)
  found = found or {}
  if value.kind == "experiment" then
    if not value.emulated then found[#found + 1] = value end
    return found
  end
  for _, item in pairs(value) do
    if type(item) == "table" then figures.experiments(item, found) end
  end
  return found
end

local function named(list, name)
  local found = {}
  for _, each in ipairs(list) do
    if each.name == name then found[#found + 1] = each end
  end
  return found
end

local function value_table(list)
  local rows = {}
  for _, want in ipairs(wanted) do
    for _, each in ipairs(named(list, want[2])) do
      local value = each.values[want[3]]
      if value then rows[#rows + 1] = {want[1], want[4], {value.value, value.unit}, value.device, each.name} end
    end
  end
  return document.table{
    columns = {
      {name = "claim", unit = "count"}, {name = "quantity", unit = "text"}, {name = "figure", unit = "number"},
      {name = "on", unit = "text"}, {name = "experiment", unit = "text"},
    },
    rows = rows,
  }
end

-- Returns a paragraph about the measurement: the machine, the version, the date, and how much of the processor other
-- programs used.
local function circumstances(made, list)
  local where, most
  for _, each in ipairs(list) do
    where = where or each.device == "cpu" and each.where
    most = math.max(most or 0, each.others or 0)
  end
  local blocks = {document.text("{where}. {version}, {made}. Other programs used up to {others} of the "
    .. "processor during the measurements.", {
    where = {where or "?", "text"}, version = {made.machine.luatensor, "text"}, made = {made.made, "text"},
    others = {most, "share"},
  })}
  if made.incomplete then
    blocks[2] = document.note("Incomplete: {incomplete}.", {incomplete = {made.incomplete, "text"}})
  end
  return blocks
end

--- Makes the table of measured figures in Markdown.
-- @tab made a result that contains experiments
-- @treturn string Markdown
function figures.measured(made)
  local list = figures.experiments(made)
  if #list == 0 then error("no experiment of a real device in it", 0) end
  local blocks = circumstances(made, list)
  blocks[#blocks + 1] = notebook.beside(12, named(list, "02_large"))
  blocks[#blocks + 1] = notebook.beside(13, named(list, "03_small"))
  blocks[#blocks + 1] = value_table(list)
  for _, each in ipairs(named(list, "07_crossover")) do
    for _, crossover in ipairs(each.results) do
      for _, block in ipairs(crossover:blocks()) do
        if block.kind ~= "chart" then blocks[#blocks + 1] = block end
      end
    end
  end
  return markdown.page(blocks)
end

-- ---- the page -----------------------------------------------------------------------------------

--- Replaces the text between "<!-- name: … -->" and "<!-- end of name -->".
-- @string page
-- @string name
-- @string text
-- @treturn string the page
function figures.fill(page, name, text)
  local _, first = page:find("<!%-%- " .. name .. ":.-%-%->\n")
  local last = first and page:find("<!-- end of " .. name .. " -->", first, true)
  if not last then error(("%s has no part %q"):format(figures.page, name), 0) end
  return page:sub(1, first) .. text .. "\n" .. page:sub(last)
end

if not (arg and arg[0] and arg[0]:find("notebook_figures.lua$")) then return figures end

local file = assert(io.open(figures.page))
local page = figures.fill(file:read("a"), "claims", figures.claims())
file:close()
if arg[1] then page = figures.fill(page, "figures", figures.measured(lt.bench.load(arg[1]))) end
assert(files.write(figures.page, page))
