--- Makes the page of a crossover: sentences, tables, charts and caveats.

local crossing = require "luatensor.bench.crossover.crossing"
local document = require "luatensor.page.document"
local figures = require "luatensor.bench.public_figures"
local format = require "luatensor.page.format"
local measured = require "luatensor.bench.crossover.measured"
local noise = require "luatensor.bench.noise"
local notes = require "luatensor.bench.notes"
local statistics = require "luatensor.bench.statistics"

local page = {}

local MODES <const>, entry_of <const> = measured.MODES, measured.entry_of

-- ---- sentences ----------------------------------------------------------------------------------

local function add(blocks, block) blocks[#blocks + 1] = block end

local function say_crossings(self, blocks)
  for _, found in ipairs(self.crossings) do
    local text, values = crossing.sentence(found, found.device, self.devices[1].device, found.mode)
    add(blocks, document.text(text, values))
  end
end

-- Returns the largest size up to which a device that is not in this machine cannot be faster than this machine's
-- first device, usually the CPU; nil if there is no such size. At each size up to this one, the first device's lower
-- quartile is below the absent device's bound, or below the time of a launch.
local function beaten_up_to(self, row, mode)
  local last
  for _, bound in ipairs(row.points) do
    for _, point in ipairs(self.points) do
      if point.n == bound.n then
        local ours = entry_of(point, self.devices[1].device)
        local least = bound[mode] and math.max(bound[mode], figures.VISIBLE)
        if not (ours and least and not ours.in_place.out_of_line and ours.in_place.q1 < least) then return last end
        last = point.n
      end
    end
  end
  return last
end

-- Returns a text with the lower bounds of the times of a device that is not in this machine, at the largest size.
-- Returns nil if the published figures give no bound.
local function say_bound(self, row)
  local bound = row.points[#row.points]
  local values = {name = {row.name, "text"}, base = {self.devices[1].device, "text"}, n = {bound.n, "count"},
    least = {bound.in_place, "s"}, sent = {bound.with_transfers or false, "s"}}
  local parts = {}
  if figures.visible(bound.in_place) then parts[1] = "at least {least} with the data in place" end
  if figures.visible(bound.with_transfers) then parts[#parts + 1] = "at least {sent} with transfers" end
  if #parts == 0 then return nil end
  local text = "{name} (computed from published figures, not measured): a call at n = {n} takes " ..
    table.concat(parts, " and ")
  local limit = beaten_up_to(self, row, "with_transfers")
  if limit then
    text = text .. ". Up to n = {limit}, a call with transfers cannot be faster than a call on {base}"
    values.limit = {limit, "count"}
  end
  return document.text(text .. ".", values)
end

local function say_bounds(self, blocks)
  if #measured.devices(self.devices, false) ~= 1 or #self.points == 0 then return end
  add(blocks, document.text("Only {base} was measured, {name}. The table shows the times that another device would "
    .. "have to beat.",
    {base = {self.devices[1].device, "text"}, name = {self.devices[1].name or "", "text"}}))
  local said = #blocks
  for _, row in ipairs(self.bounds or {}) do add(blocks, say_bound(self, row)) end
  if #blocks > said then
    add(blocks, document.note("The lower bounds are computed from peak rates. The bounds do not include launching, "
      .. "which takes a few microseconds for each call on a GPU, or anything else that keeps a device from its peak. "
      .. "Bounds below {least} are not shown, because launching takes longer.",
      {least = {figures.VISIBLE, "s"}}))
  end
end

-- ---- tables and charts --------------------------------------------------------------------------

local function cell(figure, name) return figure and figure[name] or false end

-- Appends the columns of a device and a mode (measured.MODES) to `columns`. Returns a function(cells, point) that
-- appends the cells of a point to a row.
local function device_columns(self, columns, device, mode)
  local suffix = mode == "with_transfers" and ", with transfers" or ""
  local compared = device ~= self.devices[1] and not device.emulated
  columns[#columns + 1] = {name = format.device(device) .. suffix, unit = "s"}
  columns[#columns + 1] = {name = "spread", unit = "share"}
  if compared then
    columns[#columns + 1] = {name = "ratio", unit = "ratio"}
    columns[#columns + 1] = {name = "it is", unit = "text"}
  end
  return function(cells, point)
    local entry = entry_of(point, device.device)
    local figure = entry and entry[mode]
    cells[#cells + 1] = cell(figure, "median")
    cells[#cells + 1] = figure and statistics.spread(figure) or false
    if not compared then return end
    cells[#cells + 1] = cell(figure, "ratio")
    cells[#cells + 1] = cell(figure, "verdict")
  end
end

local function has_mode(self, device, mode)
  for _, point in ipairs(self.points) do
    local entry = entry_of(point, device.device)
    if entry and entry[mode] then return true end
  end
  return false
end

-- Returns a mark if figures of a point are doubtful: "out of line" (a time is an outlier among the times of all sizes)
-- or "rounds differ" (the quartiles are far apart). Otherwise returns "".
local function mark_of(point, devices)
  local mark = ""
  for _, device in ipairs(devices) do
    local entry = entry_of(point, device.device)
    for _, mode in ipairs(entry and MODES or {}) do
      local figure = entry[mode]
      if figure and figure.out_of_line then return "out of line" end
      if figure and noise.wide(figure) then mark = "rounds differ" end
    end
  end
  return mark
end

-- Adds a last column with the marks of doubtful figures (mark_of) if any point has a mark.
local function add_marks(self, devices, columns, rows)
  local marks, any = {}, false
  for i, point in ipairs(self.points) do
    marks[i] = mark_of(point, devices)
    any = any or marks[i] ~= ""
  end
  if not any then return end
  columns[#columns + 1] = {name = "noise", unit = "text"}
  for i, row in ipairs(rows) do row[#columns] = marks[i] end
end

local function times_table(self, devices, title)
  local columns, fill, rows = {{name = "n", unit = "count"}}, {}, {}
  for _, device in ipairs(devices) do
    for _, mode in ipairs(MODES) do
      if has_mode(self, device, mode) then fill[#fill + 1] = device_columns(self, columns, device, mode) end
    end
  end
  for i, point in ipairs(self.points) do
    rows[i] = {point.n}
    for _, f in ipairs(fill) do f(rows[i], point) end
  end
  add_marks(self, devices, columns, rows)
  return document.table{title = title, columns = columns, rows = rows}
end

local function series_of(self, device, mode)
  local points = {}
  for _, point in ipairs(self.points) do
    local entry = entry_of(point, device.device)
    if entry and entry[mode] then points[#points + 1] = {point.n, entry[mode].median} end
  end
  local name = device.device .. (mode == "with_transfers" and ", with transfers" or "")
  return {name = name, points = points, emulated = device.emulated}
end

local function bound_series(self, series)
  for _, row in ipairs(self.bounds or {}) do
    for _, mode in ipairs(MODES) do
      local points = {}
      for _, bound in ipairs(row.points) do
        if figures.visible(bound[mode]) then points[#points + 1] = {bound.n, bound[mode]} end
      end
      local name = row.name .. (mode == "with_transfers" and ", with transfers" or "") .. ": at least"
      if #points > 1 then series[#series + 1] = {name = name, points = points} end
    end
  end
end

--- Returns the chart of seconds by size, or nil if nothing was measured.
function page.chart(self, devices, title)
  local series = {}
  for _, device in ipairs(devices) do
    for _, mode in ipairs(MODES) do
      if has_mode(self, device, mode) then series[#series + 1] = series_of(self, device, mode) end
    end
  end
  if not devices[1].emulated then bound_series(self, series) end
  if #series == 0 then return nil end
  return document.chart{title = title, x = {name = "n", unit = "count", log = true},
    y = {name = "a call", unit = "s", log = true}, series = series}
end

local function any_visible(self)
  for _, row in ipairs(self.bounds or {}) do
    for _, bound in ipairs(row.points) do
      if figures.visible(bound.in_place) or figures.visible(bound.with_transfers) then return true end
    end
  end
  return false
end

local function bounds_table(self)
  if not any_visible(self) then return nil end
  local columns, by_n, rows = {{name = "n", unit = "count"}}, {}, {}
  for _, point in ipairs(self.points) do
    if point.work then
      rows[#rows + 1] = {point.n}
      by_n[point.n] = rows[#rows]
    end
  end
  for _, row in ipairs(self.bounds) do
    columns[#columns + 1] = {name = row.name, unit = "s"}
    columns[#columns + 1] = {name = "with transfers", unit = "s"}
    for _, bound in ipairs(row.points) do
      local cells = by_n[bound.n]
      cells[#columns - 1], cells[#columns] = figures.visible(bound.in_place), figures.visible(bound.with_transfers)
    end
  end
  return document.table{title = "Lower bounds for devices that this machine does not have, from published figures",
    columns = columns, rows = rows}
end

-- ---- caveats ------------------------------------------------------------------------------------

local reasons = {
  ["does not fit"] = "n = {n} and larger left out on {device}: it would need {needs}, and {available} are available.",
  ["takes too long"] = "n = {n} and larger left out on {device}: a call would take about {seconds}.",
  ["out of memory"] = "n = {n} and larger left out on {device}: out of memory.",
}

-- Returns the name of a device, followed by "(emulated)" if the device is emulated.
local function called(devices, name)
  for _, device in ipairs(devices) do
    if device.device == name then return format.device(device) end
  end
  return name
end

-- Adds a note for each size that was skipped on a device, with the reason.
local function say_skipped(self, blocks)
  for _, item in ipairs(self.skipped) do
    add(blocks, document.note(reasons[item.why], {
      n = {item.n, "count"}, device = {called(self.devices, item.device), "text"}, needs = {item.needs or false, "B"},
      available = {item.available or false, "B"}, seconds = {item.seconds or false, "s"},
    }))
  end
end

local doubts = {
  differ = "The results of {device} differ from those of {base} at n = {n}: no ratio, no crossing. A speed-up of "
    .. "something else is none.",
  ["not checked"] = "Nothing came back that could be compared: whether {device} computes the same as {base} was not "
    .. "checked.",
  ["does not repeat"] = "{base} gives other results each time: whether {device} computes the same was not checked.",
}

--- Adds a note for each device whose results were not shown to agree with those of the base.
function page.say_doubts(points, devices, blocks)
  for i = 2, #devices do
    local said = {}
    for _, point in ipairs(points) do
      local entry = entry_of(point, devices[i].device)
      local doubt = entry and entry.agreement
      if doubts[doubt] and not said[doubt] then
        said[doubt] = true
        add(blocks, document.note(doubts[doubt], {device = {format.device(devices[i]), "text"}, n = {point.n, "count"},
          base = {devices[1].device, "text"}}))
      end
    end
  end
end

-- Adds a note that names the sizes whose times are outliers even after repeated measurements.
local function say_out_of_line(self, blocks)
  local sizes, seen = {}, {}
  for _, point in ipairs(self.points) do
    for _, entry in ipairs(point.measured) do
      for _, mode in ipairs(MODES) do
        if entry[mode] and entry[mode].out_of_line and not seen[point.n] then
          seen[point.n], sizes[#sizes + 1] = true, tostring(point.n)
        end
      end
    end
  end
  if #sizes == 0 then return end
  add(blocks, document.note("Times that do not fit to those of other sizes, though they were measured again; nothing "
    .. "follows from them: n = {sizes}.", {sizes = {table.concat(sizes, ", "), "text"}}))
end

--- Adds the caveats about the figures of a grid: an early end, skipped sizes, results that differ, and noise.
function page.say_caveats(self, blocks)
  if self.incomplete then add(blocks, document.note("Not complete: {what}.", {what = {self.incomplete, "text"}})) end
  say_skipped(self, blocks)
  page.say_doubts(self.points, self.devices, blocks)
  say_out_of_line(self, blocks)
  local most = 0
  for _, point in ipairs(self.points) do
    for _, entry in ipairs(point.measured) do most = math.max(most, entry.in_place.others or 0) end
  end
  if most > notes.OTHERS then
    add(blocks, document.note("Other programs used up to {share} of the processor during the measurements.",
      {share = {most, "share"}}))
  end
end

--- Adds a table and a chart of the times of emulated devices.
function page.say_emulated(self, blocks)
  local emulated = measured.devices(self.devices, true)
  if #emulated == 0 or #self.points == 0 then return end
  add(blocks, document.note("An emulated device shows that this work runs there. Its times say nothing about a GPU and "
    .. "are not compared with real ones."))
  add(blocks, times_table(self, emulated, "Emulated: seconds a call"))
  add(blocks, page.chart(self, emulated, "Emulated: seconds a call"))
end

--- Returns the blocks of a crossover's page.
function page.blocks(self)
  local blocks = {}
  add(blocks, document.text("{name}: {count} size" .. (#self.points == 1 and "" or "s"),
    {name = {self.name, "text"}, count = {#self.points, "count"}}))
  say_crossings(self, blocks)
  say_bounds(self, blocks)
  page.say_caveats(self, blocks)
  local real = measured.devices(self.devices, false)
  if #real > 0 and #self.points > 0 then
    add(blocks, times_table(self, real, self.name .. ": a call"))
    add(blocks, bounds_table(self))
    add(blocks, page.chart(self, real, self.name .. ": a call"))
  end
  page.say_emulated(self, blocks)
  return blocks
end

return page
