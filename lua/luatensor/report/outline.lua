--- Converts a report to a list of items, which all renderers of reports read. An item is a block or one of
--
--     {kind = "heading", level =, text =, id =}
--     {kind = "lead", text =}    {kind = "warning", text =}    {kind = "source", text =}
--     {kind = "contents"}
--     {kind = "box"}             begins a box, which {kind = "end"} ends

local document = require "luatensor.page.document"
local format = require "luatensor.page.format"
local notes = require "luatensor.bench.notes"
local versions = require "luatensor.report.versions"

local outline = {}

local function machine_name(report)
  local first = report.machine.devices[1]
  return first and first.name or "this machine"
end

-- ---- caveats before any figure ------------------------------------------------------------------

local SIZES <const> = {
  quick = "Quick: fewer and shorter measurements than the notebook's. The figures are coarser than those of a full "
    .. "report.",
  tiny = "Tiny: this report only shows that everything works. Its figures say nothing about the machine.",
}

local EMULATED <const> = "Emulated: the GPU of this report is a program on the CPU. What is measured on it is marked, "
  .. "says nothing about any GPU, and stands beside no real figure."

local function warnings(report)
  local items = {}
  local function add(text) items[#items + 1] = {kind = "warning", text = text} end
  if report.incomplete then add("Incomplete: " .. report.incomplete .. ". What follows was measured before.") end
  if report.emulated then add(EMULATED) end
  if SIZES[report.sizes] then add(SIZES[report.sizes]) end
  if (report.others or 0) > notes.OTHERS then
    items[#items + 1] = document.note("Other programs used up to {others} of the processor meanwhile: this machine is "
      .. "faster than these figures. Measure again when it is idle.", {others = {report.others, "share"}})
  end
  return items
end

-- ---- sections -----------------------------------------------------------------------------------

local function append(list, more)
  table.move(more, 1, #more, #list + 1, list)
end

local function claims_text(claims)
  if not claims or #claims == 0 then return nil end
  return (#claims == 1 and "Claim " or "Claims ") .. table.concat(claims, ", ") .. " of the notebook"
end

-- Returns the items of an experiment's run on a device. A heading names the device if the section has several runs.
local function run_items(run, section, level)
  local items = {}
  if #section.runs > 1 then
    local text = "On " .. format.marked(tostring(run.device), run.emulated)
    local id = section.id .. "-" .. tostring(run.device):gsub("%W", "-")
    items[1] = {kind = "heading", level = level, text = text, id = id}
  end
  if run.where then items[#items + 1] = {kind = "lead", text = run.where} end
  if run.emulated then
    items[#items + 1] = {kind = "warning", text = tostring(run.device)
      .. " is emulated: its times, marked so, say nothing about a GPU."}
  end
  append(items, run.body or {})
  return items
end

local function section_items(section)
  local items = {{kind = "heading", level = 2, text = section.title, id = section.id}}
  if section.question then items[#items + 1] = {kind = "lead", text = section.question} end
  for _, run in ipairs(section.runs) do append(items, run_items(run, section, 3)) end
  append(items, section.blocks)
  for _, problem in ipairs(section.problems) do
    items[#items + 1] = document.note("This part failed: {problem}", {problem = {problem, "text"}})
  end
  if claims_text(section.claims) then items[#items + 1] = {kind = "source", text = claims_text(section.claims)} end
  return items
end

-- ---- the notebook, claim by claim ---------------------------------------------------------------

-- Returns the titles of the sections that test claim `number`, separated by "; ". Returns nil if no section tests it.
local function tested_in(report, number)
  local titles = {}
  for _, section in ipairs(report.sections) do
    for _, claim in ipairs(section.claims or {}) do
      if claim == number then titles[#titles + 1] = section.title end
    end
  end
  return #titles > 0 and table.concat(titles, "; ") or nil
end

local function claims_items(report)
  local rows = {}
  local notebook = report.notebook
  for i, row in ipairs(notebook.claims) do
    rows[i] = {row.number, row.claim, tested_in(report, row.number) or row.elsewhere or false}
  end
  return {
    {kind = "heading", level = 2, text = "The notebook, claim by claim", id = "claims"},
    {kind = "lead", text = ("“%s”: %s."):format(notebook.title, notebook.where)},
    document.table{
      columns = {
        {name = "claim", unit = "count"}, {name = "the notebook says", unit = "text"},
        {name = "on this page", unit = "text"},
      },
      rows = rows,
    },
  }
end

-- ---- how it was measured ------------------------------------------------------------------------

local HOW <const> = {
  "Every time is read from the clock after the device has finished its work, unless it is said otherwise.",
  "Where a figure stands for several calls it is their median or their least, as its table says; the spread beside it "
    .. "says how far to trust it.",
  "Shares of a limit compare with limits that were measured on this machine, by loops that do nothing else.",
  "What is said of devices that are not in this machine follows from their makers' published figures: a bound, not a "
    .. "measurement.",
}

local function method_items(report)
  local items = {{kind = "heading", level = 2, text = "How it was measured", id = "method"}}
  for _, text in ipairs(HOW) do items[#items + 1] = document.text(text) end
  items[#items + 1] = document.text("Measured on {started} in {seconds}, with {threads} "
    .. format.noun(report.machine.threads, "thread") .. ".", {
    started = {report.started, "text"}, seconds = {report.seconds, "s"}, threads = {report.machine.threads, "count"},
  })
  items[#items + 1] = versions(report)
  return items
end

-- ---- all of it ----------------------------------------------------------------------------------

local function summary_items(report)
  local items = {{kind = "box"}, {kind = "heading", level = 2, text = "In short", id = "summary"}}
  for _, answer in ipairs(report.summary or {}) do
    items[#items + 1] = {kind = "heading", level = 3, text = answer.title}
    append(items, answer.blocks)
  end
  items[#items + 1] = {kind = "end"}
  return items
end

--- Returns the title of a report's page.
function outline.title(report) return "CPU or GPU? " .. machine_name(report) end

--- Converts a report to its list of items.
-- @tab report
-- @treturn table
function outline.of(report)
  local items = {{kind = "heading", level = 1, text = outline.title(report)},
    {kind = "lead", text = "What this machine does, what a GPU would have to beat, and from which size on. Measured "
      .. report.started:sub(1, 10) .. " with luatensor."}}
  append(items, warnings(report))
  append(items, summary_items(report))
  items[#items + 1] = {kind = "contents"}
  for _, section in ipairs(report.sections) do append(items, section_items(section)) end
  append(items, claims_items(report))
  append(items, method_items(report))
  return items
end

-- Converts items that are not blocks to blocks.
local as_block = {
  heading = function(item) return document.text("{text}", {text = {item.text, "text"}}) end,
  lead = function(item) return document.text("{text}", {text = {item.text, "text"}}) end,
  source = function(item) return document.text("({text})", {text = {item.text, "text"}}) end,
  warning = function(item) return document.note("{text}", {text = {item.text, "text"}}) end,
}

--- Returns an item as a block, or nil for an item without text, such as the beginning of a box.
function outline.block(item)
  if as_block[item.kind] then return as_block[item.kind](item) end
  return (item.kind == "text" or item.kind == "note" or item.kind == "table" or item.kind == "chart") and item or nil
end

--- Converts a report to a list of blocks.
function outline.blocks(report)
  local blocks = {}
  for _, item in ipairs(outline.of(report)) do blocks[#blocks + 1] = outline.block(item) end
  return blocks
end

return outline
