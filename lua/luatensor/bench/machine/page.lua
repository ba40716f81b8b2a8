--- Makes the page of a machine's limits: the blocks of a result of kind "machine".

local caches = require "luatensor.bench.machine.caches"
local document = require "luatensor.page.document"
local format = require "luatensor.page.format"
local notes = require "luatensor.bench.notes"
local share = require "luatensor.bench.machine.share"

local page = {}

local function called(entry) return format.device(entry) end

-- Returns the number of threads or multiprocessors, or "" if it is unknown.
local function units(entry)
  local count = entry.threads or entry.cores
  if not count then return "" end
  return (", %d %s"):format(count, format.noun(count, entry.threads and "thread" or "multiprocessor"))
end

local function head(entry)
  return document.text("{device}: {name}{units}; measured {made}", {
    device = {called(entry), "text"}, name = {entry.name, "text"}, made = {entry.made, "text"},
    units = {units(entry), "text"},
  })
end

local function titled(entry, what) return called(entry) .. ": " .. what end

-- ---- tables -------------------------------------------------------------------------------------

local function arithmetic_table(entry)
  local rows = {}
  for _, dtype in ipairs{"float32", "float64", "float16", "bfloat16"} do
    local plain, product = share.row_of(entry.arithmetic, dtype), share.row_of(entry.products, dtype)
    if plain or product then
      rows[#rows + 1] = {dtype, plain and plain.flops or false, product and product.flops or false,
        product and product.n or false}
    end
  end
  if #rows == 0 then return nil end
  return document.table{
    title = titled(entry, "arithmetic"),
    columns = {{name = "dtype", unit = "text"}, {name = "multiply and add", unit = "FLOP/s"},
      {name = "matrix product", unit = "FLOP/s"}, {name = "rows of the matrices", unit = "count"}},
    rows = rows,
  }
end

local function costs_table(entry)
  local rows = {}
  local function add(name, value, unit)
    if value then rows[#rows + 1] = {name, {value, unit}} end
  end
  add("memory, reading", entry.read, "B/s")
  add("memory, copying (read and written)", entry.copy, "B/s")
  add(entry.kind == "gpu" and "launching the smallest call" or "the smallest call", entry.call, "s")
  if entry.kind ~= "cpu" then
    add("the smallest call until it is done", entry.single, "s")
    add("waiting for a device that is idle", entry.wait, "s")
  end
  if #rows == 0 then return nil end
  return document.table{
    title = titled(entry, "memory and calls"),
    columns = {{name = "what", unit = "text"}, {name = "measured", unit = "text"}}, rows = rows,
  }
end

local function transfers_table(entry)
  local rows = {}
  for i, row in ipairs(entry.transfers) do
    rows[i] = {row.out and "to the CPU" or "to " .. called(entry), row.pinned and "page-locked" or "ordinary",
      row.latency, row.bandwidth}
  end
  if #rows == 0 then return nil end
  return document.table{
    title = titled(entry, "transfers"),
    columns = {{name = "way", unit = "text"}, {name = "host memory", unit = "text"},
      {name = "four bytes", unit = "s"}, {name = "large", unit = "B/s"}},
    rows = rows,
  }
end

-- ---- the levels ---------------------------------------------------------------------------------

-- Returns the name of the smallest cache in entry.caches whose part for one thread has space for point.bytes. If
-- there is no such cache, returns "a cache" or "memory", whichever fits the measured speed.
local function level_name(entry, point)
  for _, cache in ipairs(entry.caches) do
    if point.bytes <= caches.part(cache, entry.threads, entry.cores) then return cache.name end
  end
  return share.in_cache(entry, point.bytes * (entry.threads or 1)) and "a cache" or "memory"
end

local function bytes_axis(entry) return entry.kind == "cpu" and "bytes of each thread" or "bytes" end

local function levels_table(entry)
  local rows, columns = {}, {{name = bytes_axis(entry), unit = "B"}, {name = "held by", unit = "text"},
    {name = "reading", unit = "B/s"}}
  for i, point in ipairs(entry.levels) do
    rows[i] = {point.bytes, level_name(entry, point), point.read, point.latency}
    if point.latency then columns[4] = {name = "a load", unit = "s"} end
  end
  return document.table{title = titled(entry, "levels of the memory"), columns = columns, rows = rows}
end

local function levels_chart(entry, field, title, unit)
  local points = {}
  for _, point in ipairs(entry.levels) do
    if point[field] then points[#points + 1] = {point.bytes, point[field]} end
  end
  if #points < 2 then return nil end
  return document.chart{
    title = titled(entry, title),
    x = {name = bytes_axis(entry), unit = "B", log = true},
    y = {name = title, unit = unit, log = true},
    series = {{name = entry.device, points = points, emulated = entry.emulated}},
  }
end

-- ---- the page -----------------------------------------------------------------------------------

local function say_device(entry, add)
  add(head(entry))
  if entry.emulated then add(document.note("An emulated device: its figures say nothing about a real one.")) end
  add(arithmetic_table(entry))
  add(costs_table(entry))
  add(transfers_table(entry))
  if #entry.levels > 0 then
    add(levels_table(entry))
    add(levels_chart(entry, "read", "reading", "B/s"))
    add(levels_chart(entry, "latency", "a load whose address the one before has fetched", "s"))
  end
  for _, row in ipairs(entry.problems) do
    add(document.note("{device}, {what}: not measured: {problem}", {
      device = {called(entry), "text"}, what = {row.what, "text"}, problem = {row.problem, "text"},
    }))
  end
end

--- Returns the blocks of the result's page. Every class of results has this method.
function page.blocks(self)
  local blocks = {}
  local function add(block) blocks[#blocks + 1] = block end
  for _, entry in ipairs(self.devices) do say_device(entry, add) end
  if self.incomplete then add(document.note("Not complete: {what}.", {what = {self.incomplete, "text"}})) end
  if self.not_stored then
    add(document.note("Not kept for other runs: {why}.", {why = {self.not_stored, "text"}}))
    add(notes.others(self.others))
  end
  return blocks
end

--- Returns the figures that bench.diff compares, with their names: the times of the matrix products.
function page.timings(self)
  local list = {}
  for _, entry in ipairs(self.devices) do
    for _, row in ipairs(entry.products) do
      list[#list + 1] = {
        name = ("%s: product of %d × %d, %s"):format(entry.device, row.n, row.n, row.dtype), dtype = row.dtype,
        device = entry.device, emulated = entry.emulated, min = row.min, q1 = row.q1, median = row.median, q3 = row.q3,
      }
    end
  end
  return list
end

return page
