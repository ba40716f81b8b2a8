--- Measures a function at several sizes on several devices, for bench.crossover and lt.advise. A place
-- (luatensor.bench.crossover.place, or the place of a spec) gives access to the machine, so that specs can test the
-- decisions without measuring.
--
-- Sizes are measured in ascending order. At each size, all devices are measured in turn, with the data in place and
-- with transfers. A size is skipped on a device if it would not fit into the device's memory, or would take longer
-- than the setting `patience`. All larger sizes are then skipped on this device, too.

local interrupt = require "luatensor.bench.interrupt"
local noise = require "luatensor.bench.noise"
local progress = require "luatensor.bench.progress"
local core = require "luatensor.core"

local grid = {}

local SEED <const> = 20260         -- the seed of the calls whose results are compared
local CALLS <const> = 15           -- the minimum number of calls for one size: checks, warm-up and rounds
--- The share of a device's memory that may be used. The rest is for memory that the estimates do not include.
grid.HEADROOM = 0.9

-- ---- tensors in tables ---------------------------------------------------------------------------

-- Returns a copy of a value in which replace(tensor) replaces each tensor, also in nested plain tables.
local function mapped(value, replace, place, seen)
  if place.is_tensor(value) then return replace(value) end
  if type(value) ~= "table" or getmetatable(value) then return value end
  seen = seen or {}
  if seen[value] then return seen[value] end
  local copy = {}
  seen[value] = copy
  for key, item in pairs(value) do copy[key] = mapped(item, replace, place, seen) end
  return copy
end

local function moved(values, device, place)
  return mapped(values, function(x) return place.move(x, device) end, place)
end

local function bytes_in(values, place)
  local bytes = 0
  mapped(values, function(x) bytes = bytes + place.bytes(x) end, place)
  return bytes
end

-- ---- estimates ----------------------------------------------------------------------------------

local STEEPEST <const> = 4         -- the largest power of n that extrapolation uses; noise may suggest larger powers

-- Returns the power of n with which a quantity grows between the last two points, or 2 for one point.
local function power_of(points)
  local last, before = points[#points], points[#points - 1]
  return before and math.log(last[2] / before[2]) / math.log(last[1] / before[1]) or 2
end

--- Extrapolates a quantity to size n by a power law through the last two points. From one point, the quantity grows
-- in proportion to n².
-- @tab points {{n, value}, …} of positive values, n ascending
-- @number n
-- @number[opt=4] steepest the largest credible power of n
-- @treturn ?number nil if there is no point
function grid.extrapolate(points, n, steepest)
  local last = points[#points]
  if not last then return nil end
  return last[2] * (n / last[1]) ^ math.max(0, math.min(steepest or STEEPEST, power_of(points)))
end

--- Returns the largest credible power of n for seconds: 1.5 times the power of the bytes, as for products of square
-- matrices, but at least 2. Returns 4 for fewer than two points.
-- @tab bytes {{n, bytes}, …}
function grid.steepest(bytes)
  if #bytes < 2 then return STEEPEST end
  return math.max(2, 1.5 * power_of(bytes))
end

-- ---- a device's track: the bytes and seconds that were measured so far --------------------------

local run = {}
run.__index = run

local function new_track(device)
  return {device = device.device, emulated = device.emulated, bytes = {}, seconds = {}}
end

-- If the device cannot run size n, returns a table with the reason in field `why` and the estimates that lead to it.
-- Returns nil if the device can run this size.
function run:obstacle(track, n)
  local bytes, available = grid.extrapolate(track.bytes, n), self.place.available(track.device)
  if bytes and available and bytes > grid.HEADROOM * available then
    return {why = "does not fit", needs = bytes, available = available}
  end
  local seconds = grid.extrapolate(track.seconds, n, grid.steepest(track.bytes))
  if seconds and CALLS * seconds > self.settings.patience then return {why = "takes too long", seconds = seconds} end
end

function run:skip(track, n, why)
  why.n, why.device = n, track.device
  self.found.skipped[#self.found.skipped + 1] = why
  track.over = n
end

-- Returns the tracks (each has the measurements of one device) that are measured at size n. A track ends at the first
-- size that was skipped on its device.
function run:tracks_at(n)
  local list = {}
  for _, track in ipairs(self.tracks) do
    if not track.over or n < track.over then list[#list + 1] = track end
  end
  return list
end

-- ---- calls of fn --------------------------------------------------------------------------------

local TOO_LARGE <const> = "the size in bytes does not fit"         -- error text: too many bytes for an integer
local FOREIGN <const> = "tensors on different devices"
local HELP <const> = "%s\n%s: return every tensor that fn uses from inputs(n)"

-- Calls work(), which calls functions of the script. Returns true and its result, or false and the error message if
-- the memory did not suffice. All other errors are raised again.
function run:guarded(work)
  local ok, result = pcall(work)
  if ok then return true, result end
  if interrupt.is(result) or type(result) ~= "string" then error(result, 0) end
  if result:find("out of memory", 1, true) or result:find(TOO_LARGE, 1, true) then return false, result end
  if result:find(FOREIGN, 1, true) then result = HELP:format(result, self.settings.what) end
  error(result, 0)
end

-- Returns two functions that call fn. `in_place` uses inputs that are on the device. `with_transfers` uses inputs that
-- start on the CPU, and copies the results to the CPU. The CPU has only `in_place`, and so has every device if the
-- setting `transfers` is false.
function run:calls_on(device, inputs)
  local fn, place = self.fn, self.place
  local there = device == core.host_device and inputs or moved(inputs, device, place)
  local calls = {in_place = function() return fn(table.unpack(there, 1, there.n)) end}
  if device == core.host_device or not self.settings.transfers then return calls end
  function calls.with_transfers()
    local sent = moved(inputs, device, place)
    local results = moved(table.pack(fn(table.unpack(sent, 1, sent.n))), core.host_device, place)
    return table.unpack(results, 1, results.n)
  end
  return calls
end

-- Calls fn once, with the same seed on each device. Returns true and the packed results, or false if the memory did
-- not suffice. With several devices, the results are copies on the CPU, because fn may write into its results. The
-- first call also stores the device's peak memory in row.bytes.
function run:checked_call(row)
  local place = self.place
  return self:guarded(function()
    local results = place.seeded(SEED, row.device, row.calls.in_place)
    row.bytes = row.bytes or place.peak(row.device)
    return #self.tracks > 1 and mapped(results, place.copy, place) or results
  end)
end

-- ---- one size -----------------------------------------------------------------------------------

-- Returns the tracks of the devices that can run size n by the estimates of bytes and seconds (run:obstacle). The
-- other devices skip this size.
function run:able(n)
  local list = {}
  for _, track in ipairs(self:tracks_at(n)) do
    local why = self:obstacle(track, n)
    if why then self:skip(track, n, why) else list[#list + 1] = track end
  end
  return list
end

function run:skip_all(tracks, n)
  for _, track in ipairs(tracks) do self:skip(track, n, {why = "out of memory"}) end
end

-- Returns a list of rows, one for each track whose device has memory for the inputs. A row has the calls to measure
-- (calls_on). A device whose memory does not suffice skips this size.
function run:prepare(tracks, n, inputs)
  local rows = {}
  for _, track in ipairs(tracks) do
    local ok, calls = self:guarded(function() return self:calls_on(track.device, inputs) end)
    if ok then rows[#rows + 1] = {track = track, device = track.device, calls = calls}
    else self:skip_all({track}, n) end
  end
  return rows
end

-- Calls fn once on each device, and returns the rows whose call succeeded. All devices already have their inputs,
-- because fn may change its inputs.
function run:try(rows, n)
  local left = {}
  for _, row in ipairs(rows) do
    local ok, results = self:checked_call(row)
    if ok then left[#left + 1], row.results = row, results
    else self:skip_all({row.track}, n) end
  end
  return left
end

-- row.bytes is the memory that a device needs at this size. So far, row.bytes is the measured peak; this function adds
-- the memory that the peak does not include. A device other than the CPU also needs `sent` bytes for the inputs of a
-- call with transfers. The CPU compares the results, so it also needs `fetched` bytes for the results of each device,
-- and once more for the second call on the base.
local function add_bytes(rows, sent, fetched)
  for _, row in ipairs(rows) do
    if row.bytes and row.calls.with_transfers then row.bytes = row.bytes + sent end
    if row.bytes and row.device == core.host_device and #rows > 1 then row.bytes = row.bytes + (#rows + 1) * fetched end
  end
end

-- Sets `agreement` of each row but the first one by comparing its results with those of the first row, the base. If
-- two calls on the base give different results, no results can be compared.
function run:compare(rows)
  if #rows < 2 then return end
  local base, agree = rows[1], self.place.agree
  local ok, again = self:checked_call(base)
  local repeats = not ok or agree(base.results, again) ~= "differ"
  for i = 2, #rows do
    rows[i].agreement = repeats and agree(base.results, rows[i].results) or "does not repeat"
  end
end

local function entries_of(rows)
  local entries = {}
  for _, row in ipairs(rows) do
    for _, mode in ipairs{"in_place", "with_transfers"} do
      local call = row.calls[mode]
      if call then entries[#entries + 1] = {device = row.device, mode = mode, call = call, row = row} end
    end
  end
  return entries
end

local function without(rows, device)
  local rest, gone = {}, nil
  for _, row in ipairs(rows) do
    if row.device == device then gone = row else rest[#rest + 1] = row end
  end
  return rest, gone
end

-- Times all rows in turn. If a device's memory does not suffice, its row is dropped, and the other rows are timed
-- again from the start. Returns the remaining rows.
function run:time(rows, n)
  while #rows > 0 do
    local entries = entries_of(rows)
    local ok, figures = self:guarded(function() return self.place.measure(entries, self.settings) end)
    if ok then
      for i, entry in ipairs(entries) do entry.row[entry.mode] = figures[i] end
      return rows
    end
    local rest, gone = without(rows, figures:match("out of memory on ([%w:]+)"))
    if not gone then error(figures, 0) end
    self:skip(gone.track, n, {why = "out of memory"})
    rows = rest
  end
  return rows
end

local function kept(figures)
  if not figures then return nil end
  return {min = figures.min, q1 = figures.q1, median = figures.median, q3 = figures.q3, max = figures.max,
    rounds = figures.samples and #figures.samples, others = figures.others}
end

-- Returns the fields of a row that the result stores as an entry of a point. The other fields of a row are only needed
-- for measuring.
local function entry_from(row)
  local track = row.track
  return {device = row.device, emulated = track.emulated, agreement = row.agreement, bytes = row.bytes,
    in_place = kept(row.in_place), with_transfers = kept(row.with_transfers)}
end

local function remember(row, n)
  local track = row.track
  track.seconds[#track.seconds + 1] = {n, (row.with_transfers or row.in_place).min}   -- the least disturbed round
  if row.bytes and row.bytes > 0 then track.bytes[#track.bytes + 1] = {n, row.bytes} end
end

function run:point(n, rows, sent)
  local point = {n = n, measured = {}, sent = sent, fetched = bytes_in(rows[1].results, self.place)}
  add_bytes(rows, sent, point.fetched)
  for _, row in ipairs(rows) do row.results = nil end
  rows = self:time(rows, n)
  if #rows == 0 then return nil end
  for i, row in ipairs(rows) do
    remember(row, n)
    point.measured[i] = entry_from(row)
    point.dtype = point.dtype or row.in_place.dtype
  end
  local ok, work = self:guarded(function() return self.place.count(rows[1].calls.in_place, rows[1].device) end)
  point.work = ok and work or nil
  return point
end

-- Measures the point of size n. Returns nil if no device can run this size.
function run:measure(n)
  local tracks = self:able(n)
  if #tracks == 0 then return nil end
  for _, track in ipairs(tracks) do self.place.reset_peak(track.device) end
  local ok, inputs = self:guarded(function() return self.place.made(self.settings.inputs, n) end)
  if not ok then return self:skip_all(tracks, n) end
  local sent = bytes_in(inputs, self.place)
  local rows = self:try(self:prepare(tracks, n, inputs), n)
  if #rows == 0 then return nil end
  self:compare(rows)
  return self:point(n, rows, sent)
end

-- ---- all sizes ----------------------------------------------------------------------------------

-- Inserts a point into the list `points`, which is ordered by ascending size.
local function insert(points, point)
  local at = #points + 1
  while at > 1 and points[at - 1].n > point.n do at = at - 1 end
  table.insert(points, at, point)
end

function run:visit(n)
  self.place.release()
  local point = self:measure(n)
  if point then insert(self.found.points, point) end
end

-- ---- outliers: times that do not fit the trend of the other sizes --------------------------------

local LOOKS <const> = 2            -- how often at most a size is measured again if its time is an outlier

function run:forget()
  -- The lists are emptied, because they contain figures of larger sizes than the next one.
  for _, track in ipairs(self.tracks) do track.bytes, track.seconds = {}, {} end
end

function run:look_again()
  for _ = 1, LOOKS do
    local again = {}
    noise.each(self.found.points, self.settings.devices, function(_, point, out) again[point] = again[point] or out end)
    for _, point in ipairs(self.found.points) do
      if again[point] then
        self:forget()
        self.place.release()
        local look = self:measure(point.n)
        if look then noise.take_better(point, look) end
      end
    end
  end
  noise.each(self.found.points, self.settings.devices, function(figures, _, out) figures.out_of_line = out end)
end

-- Measures up to `refine` sizes between the measured ones, until next_size returns nil.
function run:refine()
  for _ = 1, self.settings.refine or 0 do
    local n = self.settings.next_size(self.found.points)
    if not n then return end
    self:forget()
    self:visit(n)
  end
end

function run:all(sizes)
  local settings = self.settings
  local task <close> = progress.task(settings.name or settings.what, #sizes)
  for _, n in ipairs(sizes) do
    if #self:tracks_at(n) == 0 then break end
    task:step(("n = %d"):format(n))
    self:visit(n)
    self.done = self.done + 1
  end
  self:look_again()
  self:refine()
end

--- Measures fn at each size on each device.
-- @func fn takes the results of inputs(n)
-- @tab sizes integers, ascending
-- @tab settings what: the function's name in errors; name: of the work, for the progress line; inputs: function(n);
--   devices: {{device =, emulated =}, …}, the first is the base; seconds: of a measurement; patience: seconds that a
--   size may take on a device; transfers: boolean; refine: the number of additional sizes; next_size: function(points)
--   that returns an additional size, or nil
-- @tab place access to the machine: luatensor.bench.crossover.place
-- @treturn table {points = {{n =, sent =, fetched = bytes, dtype =, work =, measured = {entry, …}}, …}; skipped = {{n
--   =, device =, why =, needs =, available =, seconds =}, …}; incomplete = a text after Ctrl-C, else nil}. An entry
--   is {device =, emulated =, agreement =, bytes =, in_place = figures, with_transfers = figures}; figures are {min,
--   q1, median, q3, max, rounds, others, out_of_line = true if the time is an outlier among the times of all sizes}
function grid.run(fn, sizes, settings, place)
  local self = setmetatable({fn = fn, settings = settings, place = place, tracks = {}, done = 0,
    found = {points = {}, skipped = {}}}, run)
  for i, device in ipairs(settings.devices) do self.tracks[i] = new_track(device) end
  local _ <close> = place.keep()
  local ok, problem = pcall(run.all, self, sizes)
  place.release()
  if not ok then
    if not interrupt.is(problem) then error(problem, 0) end
    self.found.incomplete = self.done < #sizes and ("stopped after %d of %d sizes"):format(self.done, #sizes)
      or "stopped while more sizes were tried"
  end
  return self.found
end

return grid
