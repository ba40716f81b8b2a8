--- Finds the crossover of two devices: the size above which one device is faster than the other.

local core = require "luatensor.core"
local args = require "luatensor.base.args"
local crossing = require "luatensor.bench.crossover.crossing"
local described = require "luatensor.bench.fields"
local figures = require "luatensor.bench.public_figures"
local grid = require "luatensor.bench.crossover.grid"
local interrupt = require "luatensor.bench.interrupt"
local measured = require "luatensor.bench.crossover.measured"
local page = require "luatensor.bench.crossover.page"
local files = require "luatensor.bench.files"
local result = require "luatensor.bench.result"

local crossover = {}

local MODES <const>, entry_of <const> = measured.MODES, measured.entry_of

-- ---- sizes --------------------------------------------------------------------------------------

--- Returns sizes from first to last in geometric progression.
-- @function bench.sizes
-- @int first smallest
-- @int last largest
-- @int[opt=1] per_doubling sizes for each doubling
-- @treturn {int,...} ascending; the first and the last are among them
-- @raise if `first` or `last` is no integer of at least 1, or if `first` is greater than `last`
function crossover.sizes(first, last, per_doubling)
  first = args.integer("bench.sizes", "first", first, 1)
  last = args.integer("bench.sizes", "last", last, first)
  local each = per_doubling == nil and 1 or args.integer("bench.sizes", "per_doubling", per_doubling, 1, 100)
  local sizes, i = {first}, 1
  while true do
    local n = (first * 2 ^ (i / each) + 0.5) // 1
    if n >= last then break end
    if n > sizes[#sizes] then sizes[#sizes + 1] = math.tointeger(n) end
    i = i + 1
  end
  if last > first then sizes[#sizes + 1] = last end
  return sizes
end

--- Checks the list of sizes of function `what`. Returns the sizes in ascending order, without duplicates.
function crossover.check_sizes(what, sizes)
  if type(sizes) ~= "table" or #sizes == 0 then
    args.fail(what, "sizes: a list of integers expected (bench.sizes makes one), got %s",
      type(sizes) == "table" and "an empty one" or core.type_name(sizes))
  end
  local list = {}
  for i, n in ipairs(sizes) do list[i] = args.integer(what, ("sizes[%d]"):format(i), n, 1) end
  table.sort(list)
  for i = #list, 2, -1 do
    if list[i] == list[i - 1] then table.remove(list, i) end
  end
  return list
end

-- ---- options ------------------------------------------------------------------------------------

--- The kinds of the options that crossover.settings takes.
crossover.options = {
  inputs = "callable", devices = true, seconds = {"number", 1e-6, 1e6}, name = "string", transfers = "boolean",
  patience = {"number", 1e-3, 1e6}, refine = {"integer", 0, 100},
}

local function named(what, name, infos)
  for _, info in ipairs(infos) do
    if info.device == name then return info end
  end
  local full = args.check(what, "devices", name, "device")
  for _, info in ipairs(infos) do
    if info.device == full then return info end
  end
end

-- Sorts the devices so that the base of comparisons is first: the CPU if it is in the list, otherwise a device that
-- is not emulated, if there is one.
local function base_first(list)
  table.sort(list, function(a, b)
    local rank_a = a.device == core.host_device and 0 or a.emulated and 2 or 1
    local rank_b = b.device == core.host_device and 0 or b.emulated and 2 or 1
    if rank_a ~= rank_b then return rank_a < rank_b end
    return a.device < b.device
  end)
  return list
end

local function devices_of(what, wanted, place)
  local infos, list, seen = place.devices(), {}, {}
  if wanted == nil then
    wanted = {}
    for i, info in ipairs(infos) do wanted[i] = info.device end
  elseif type(wanted) == "string" then
    wanted = {wanted}
  elseif type(wanted) ~= "table" or #wanted == 0 then
    args.fail(what, "devices: a list of names expected, got %s", core.type_name(wanted))
  end
  for _, name in ipairs(wanted) do
    local info = named(what, name, infos)
    if not seen[info.device] then
      seen[info.device] = true
      list[#list + 1] = {device = info.device, name = info.name, kind = info.kind, emulated = info.emulated}
    end
  end
  return base_first(list)
end

-- Returns two random n × n matrices: the inputs of fn if the script does not give option `inputs`.
local function two_matrices(n)
  local lt = require "luatensor"
  return lt.rand(n, n), lt.rand(n, n)
end

--- Makes the settings of a grid from a script's options. what: the function's name in errors. place: access to the
-- machine.
function crossover.settings(what, options, place)
  return {
    what = what, name = options.name or "function", inputs = options.inputs or two_matrices,
    devices = devices_of(what, options.devices, place), seconds = options.seconds or 0.2,
    patience = options.patience or 60, transfers = options.transfers ~= false, refine = options.refine or 0,
  }
end

-- ---- ratios, verdicts, crossings and bounds -----------------------------------------------------

-- Compares each device's times with those of the base, the first device, and stores `ratio` and `verdict` in the
-- device's entry at each point. Emulated devices, and devices whose results differ from the base's results, get
-- neither.
local function compare(points, base)
  for _, point in ipairs(points) do
    local ours = entry_of(point, base.device)
    for _, entry in ipairs(point.measured) do
      local comparable = ours and entry ~= ours and not entry.emulated and not ours.emulated
        and entry.agreement ~= "differ"
      for _, mode in ipairs(MODES) do
        if comparable and entry[mode] then
          entry[mode].ratio = ours.in_place.median / entry[mode].median
          entry[mode].verdict = crossing.verdict(ours.in_place, entry[mode])
        end
      end
    end
  end
end

local function verdicts(points, device, mode)
  local list = {}
  for _, point in ipairs(points) do
    local entry = entry_of(point, device)
    local figure = entry and entry[mode]
    if figure and figure.verdict then list[#list + 1] = {n = point.n, verdict = figure.verdict} end
  end
  return list
end

local function any_differs(points, device)
  for _, point in ipairs(points) do
    local entry = entry_of(point, device)
    if entry and entry.agreement == "differ" then return true end
  end
  return false
end

-- Compares each device with the first one, with the data in place and with transfers. Returns {{device =, mode =, and
-- the fields from crossing.find}, …}. Emulated devices, and devices whose results differ from those of the first
-- device, are left out.
local function crossings(points, devices)
  local list = {}
  compare(points, devices[1])
  for i = 2, #devices do
    local device = devices[i].device
    for _, mode in ipairs(MODES) do
      local decided = verdicts(points, device, mode)
      if #decided > 0 and not any_differs(points, device) then
        local found = crossing.find(decided)
        found.device, found.mode = device, mode
        list[#list + 1] = found
      end
    end
  end
  return list
end

-- Returns the setting `next_size` of grid.run: a function that returns the next size to measure, or nil if no more
-- sizes are needed. The size lies in the widest gap of all intervals in which a crossing was found.
local function next_size(devices)
  return function(points)
    local sizes = {}
    for i, point in ipairs(points) do sizes[i] = point.n end
    local best, widest = nil, 0
    for _, found in ipairs(crossings(points, devices)) do
      local n, width = crossing.next_size(found, sizes)
      if n and width > widest then best, widest = n, width end
    end
    return best
  end
end

--- Returns lower bounds at the measured points, from published figures. The result is {{id =, name =, points = {{n =,
-- in_place =, with_transfers = seconds, takes = {in_place =, with_transfers = "products" | "memory" | "transfers"}},
-- …}}, …}.
-- @tab points of a grid, with counted work
-- @tab ids of published figures; devices that are in this machine are left out
-- @tab devices of this machine
function crossover.bounds(points, ids, devices)
  local list = {}
  for _, id in ipairs(ids) do
    local figure, row = figures.find(id), {id = id, points = {}}
    row.name = figure.name
    for _, point in ipairs(figures.is_here(figure, devices) and {} or points) do
      local bound = point.work and {n = point.n, takes = {}}
      for _, mode in ipairs(bound and MODES or {}) do
        local work = {rows = point.work.rows, sent = point.sent, fetched = point.fetched}
        bound[mode], bound.takes[mode] = figures.bound(figure, work, mode)
      end
      if bound and bound.in_place then row.points[#row.points + 1] = bound end
    end
    if #row.points > 0 then list[#list + 1] = row end
  end
  return list
end

-- ---- the result ---------------------------------------------------------------------------------

local methods = {}

--- Returns the blocks of the result's page. Every class of results has this method.
methods.blocks = page.blocks

methods.timings = measured.timings

--- Returns the chart of seconds by size as a figure of lt.plot.
-- @treturn[1] Figure
-- @treturn[2] nil
-- @treturn[2] string the reason: nothing was measured
function methods:plot()
  local emulated = #measured.devices(self.devices, false) == 0
  local shown = measured.devices(self.devices, emulated)
  local chart = page.chart(self, shown, (emulated and "Emulated: " or "") .. self.name)
  if not chart then return nil, "nothing was measured: no chart" end
  return require("luatensor.plot.figure").of_block(chart)
end

--- Writes the chart of seconds by size as an SVG file.
-- @string path
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string the reason: the file cannot be written, or nothing was measured
function methods:svg(path)
  local figure, problem = self:plot()
  if not figure then return nil, problem end
  return files.write(path, figure:svg())
end

crossover.class = result.class("crossover", methods, described.with(described.grid, {
  sizes = {"number"},
  crossings = {{
    device = "string", mode = "string", least = "number", most = "number", undecided = "number?", first = "string?",
    last = "string?", decided_from = "number?", decided_to = "number?",
    changes = {{from = "number", to = "number", becomes = "string"}},
  }},
  bounds = described.optional{{
    id = "string?", name = "string", points = {{n = "number", in_place = "number", with_transfers = "number?"}},
  }},
}))

--- Implements bench.crossover. `place` has the functions that query and time this machine; specs pass simulated ones.
function crossover.run(fn, sizes, options, place)
  args.check("bench.crossover", "argument 1", fn, "callable")
  sizes = crossover.check_sizes("bench.crossover", sizes)
  options = args.read("bench.crossover", options, crossover.options)
  local settings = crossover.settings("bench.crossover", options, place)
  settings.refine = options.refine == nil and 2 or settings.refine
  settings.next_size = next_size(settings.devices)
  local found = grid.run(fn, sizes, settings, place)
  found.name, found.devices, found.sizes = settings.name, settings.devices, sizes
  found.options = {seconds = settings.seconds, transfers = settings.transfers, patience = settings.patience}
  found.crossings = crossings(found.points, found.devices)
  if #measured.devices(found.devices, false) == 1 then
    found.bounds = crossover.bounds(found.points, figures.GPUS, found.devices)
  end
  for _, device in ipairs(found.devices) do found.emulated = found.emulated or device.emulated end
  local made = result.new(crossover.class, found)
  if found.incomplete then interrupt.raise(made) end
  return made
end

--- Measures fn at each size on each device, and finds the crossover: the size above which one device is faster than the
-- other.
--
--     local r = lt.bench.crossover(function(x, y) return x:matmul(y.T) end, lt.bench.sizes(16, 4096))
--     print(r)
--
-- The answer is an interval between two sizes. There are two answers: with the data in place (the inputs are already on
-- the device), and with transfers (the inputs start on the CPU, and the results are copied to the CPU). One device is
-- faster if the quartiles of both devices are 5 % apart, or 25 % if other processes used more than a tenth of the
-- processor; otherwise the verdict is "undecided". A crossing is only reported if the results agree. Emulated devices
-- are measured but not compared. With only one device, published figures give bounds for other devices.
-- @function bench.crossover
-- @tparam function fn takes the results of inputs(n), with tensors moved to the device, which is the default device
--   during the call
-- @tparam {int,...} sizes
-- @tparam[opt] table options `inputs`: function(n) that returns every tensor that fn uses, also in tables (two n × n
--   matrices of random numbers); `devices`: names (all of this machine); `seconds` of a measurement (0.2); `name` of
--   the measured work; `transfers` (true); `refine`: the number of additional sizes inside the interval (2; 0 if fn
--   takes only the given sizes); `patience`: the seconds that a size may take on a device (60)
-- @treturn table a result of kind "crossover": `points` with all figures, `crossings`, `skipped` sizes, `bounds`
-- @raise errors of fn, unchanged
function crossover.crossover(fn, sizes, options)
  return crossover.run(fn, sizes, options, require "luatensor.bench.crossover.place")
end

return crossover
