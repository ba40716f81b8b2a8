--- Shows the result of bench.split: the methods of results of kind "split".

local core = require "luatensor.core"
local document = require "luatensor.page.document"
local format = require "luatensor.page.format"
local notes = require "luatensor.bench.notes"

local page = {}

local part_names = {
  {"lua", "Lua and dispatch"}, {"to_device", "host → device"}, {"kernels", "kernels"}, {"to_host", "device → host"},
  {"waiting", "waiting"}, {"measuring", "measuring"},
}

local families = {
  map = "element-wise", elementwise = "expressions", reduce = "reductions", scan = "scans", softmax = "softmax",
  norm = "normalisation", cross_entropy = "cross entropy",
  index = "indexing", nonzero = "true positions", search = "searches", sort = "sorting", fft = "Fourier transforms",
  linalg = "linear algebra", random = "random numbers", arange = "ranges", gemm = "matrix products",
  conv = "convolutions", pool = "pooling", cell = "recurrent cells", attention = "attention",
  update = "optimisers",
  user_kernel = "own kernels", graph = "graph replays", copy_across = "device → device", copy_in = "host → device",
  copy_out = "device → host", wait = "waiting",
}

-- ---- parts --------------------------------------------------------------------------------------

local function headline(self)
  return document.text("{name}: {normal} a call as it runs; {wall} where each call of a device is waited for", {
    name = {format.marked(self.name, self.emulated), "text"}, normal = {self.normal.median, "s"},
    wall = {self.wall, "s"},
  })
end

local function parts_title(self)
  return "Where the time of a call goes" .. (self.emulated and ", on an emulated device" or "")
end

-- Makes the table of the parts. If a device is emulated, the shares are left out, because its times cannot be compared
-- with times of the processor.
local function parts_table(self)
  local rows, columns = {}, {{name = "part", unit = "text"}, {name = "time", unit = "s"}}
  if not self.emulated then columns[3] = {name = "share", unit = "share"} end
  for i, part in ipairs(part_names) do
    local seconds = self.parts[part[1]]
    rows[i] = {part[2], seconds}
    if not self.emulated then rows[i][3] = self.wall > 0 and seconds / self.wall or false end
  end
  return document.table{title = parts_title(self), columns = columns, rows = rows}
end

local function parts_chart(self)
  local points = {}
  for _, part in ipairs(part_names) do points[#points + 1] = {part[2], self.parts[part[1]]} end
  return document.chart{
    title = parts_title(self), bars = true, x = {name = "part", unit = "text"},
    y = {name = "time", unit = "s"}, series = {{name = "time", points = points, emulated = self.emulated}},
  }
end

-- ---- device calls -------------------------------------------------------------------------------

-- The columns of the table of device calls: {name, unit, function that returns the value of a row, always}. `always`
-- is true if the column is shown even when no row has a value.
local columns = {
  {"device calls", "text", function(row)
    return row.dtype and ("%s, %s"):format(families[row.family], row.dtype) or families[row.family]
  end, true},
  {"device", "text", function(row) return format.device(row) end, true},
  {"calls", "number", function(row) return row.calls end, true},
  {"time", "s", function(row) return row.seconds end, true},
  {"bytes", "B", function(row) return row.bytes > 0 and row.bytes end},
  {"bytes/s", "B/s", function(row) return row.bandwidth end},
  {"operations", "FLOP", function(row) return row.flops > 0 and row.flops end},
  {"FLOP/s", "FLOP/s", function(row) return row.rate end},
  {"of the limit", "share", function(row) return row.share or row.limit == "in cache" and row.limit end},
}

local function is_shown(column, rows)
  if column[4] then return true end
  for _, row in ipairs(rows) do
    if column[3](row) then return true end
  end
  return false
end

local function calls_table(self, emulated)
  local rows, shown, cells = {}, {}, {}
  for _, row in ipairs(self.rows) do
    if (row.emulated or false) == emulated then rows[#rows + 1] = row end
  end
  if #rows == 0 then return nil end
  for _, column in ipairs(columns) do
    if is_shown(column, rows) then shown[#shown + 1] = column end
  end
  for i, row in ipairs(rows) do
    cells[i] = {}
    for c, column in ipairs(shown) do cells[i][c] = column[3](row) or false end
  end
  local heads = {}
  for c, column in ipairs(shown) do heads[c] = {name = column[1], unit = column[2]} end
  local title = emulated and notes.ON_EMULATED or "Calls of devices"
  return document.table{title = title, columns = heads, rows = cells}
end

-- ---- notes --------------------------------------------------------------------------------------

local function has(self, condition)
  for _, row in ipairs(self.rows) do
    if condition(row) then return true end
  end
  return false
end

local rules = {}

rules[1] = function(self)
  if not self.emulated then return end
  return document.note("A part ran on an emulated device: " .. notes.NOTHING .. ".")
end

-- Returns the note on how much of a device's work overlaps with the script's work: the time of a run that waits after
-- each device call, minus the time of a normal run. Returns nil if only the CPU worked, if a device is emulated, or
-- if the difference may be noise.
rules[2] = function(self)
  local waited = self.wall - self.parts.measuring
  local hidden = waited - self.normal.median
  if self.emulated or waited <= self.normal.q3 then return end
  if not has(self, function(row) return row.device ~= core.host_device end) then return end
  return document.text("As it runs, the script does not wait for each of the device's calls: that hides {hidden}.",
    {hidden = {hidden, "s"}})
end

rules[3] = function(self)
  if not has(self, function(row) return row.device ~= core.host_device and row.part == "kernels" end) then return end
  return document.text("The time of a GPU's call holds what launching it and waiting for it take, some microseconds.")
end

rules[4] = function(self)
  if not has(self, function(row) return row.flops > 0 end) then return end
  return document.text("Operations are counted for matrix products only: 2 m n k, of complex numbers 8 m n k.")
end

rules[5] = function(self)
  if not has(self, function(row) return row.limit and row.limit:find("were not measured", 1, true) end) then return end
  return document.text("Which share of the possible that is: lt.bench.machine() measures the limits, once.")
end

-- Appends to `blocks` the notes on limits, and the notes of the normal run, which also apply to the serialised runs.
-- Notes on emulation are left out.
local function add_notes(self, blocks)
  for _, note in ipairs(self.notes) do blocks[#blocks + 1] = note end
  for _, note in ipairs(self.normal.notes) do
    if not note.text:find("emulated") then blocks[#blocks + 1] = note end
  end
end

--- Returns the blocks of the result's page. Every class of results has this method.
function page:blocks()
  local blocks = {headline(self), parts_table(self), parts_chart(self)}
  blocks[#blocks + 1] = calls_table(self, false)
  blocks[#blocks + 1] = calls_table(self, true)
  for i = 1, #rules do blocks[#blocks + 1] = rules[i](self) end
  add_notes(self, blocks)
  return blocks
end

--- Returns the figures that bench.diff compares: the times of the normal run, without waits after each call.
function page:timings() return {self.normal} end

return page
