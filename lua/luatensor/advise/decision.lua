--- Decides which device is the fastest at which size. The functions are pure: they compute costs, choices and
-- predictions from measured points.

local figures = require "luatensor.bench.public_figures"
local grid = require "luatensor.bench.crossover.grid"
local measured = require "luatensor.bench.crossover.measured"
local noise = require "luatensor.bench.noise"

local decision = {}

local entry_of <const> = measured.entry_of
local NAMES <const> = {"min", "q1", "median", "q3", "max"}

--- Returns the cost of a call on a device if the data are sent once for `calls` calls.
-- @tab entry a measured point's entry of the device
-- @number calls
-- @treturn table {min =, q1 =, median =, q3 =, max = seconds; seconds = the figure to compare: the median, or the
--   minimum if other processes used the processor; transfers = the share of the transfers in these seconds; others =
--   the share of the processor that other processes used; hidden = true if noise hides the time}
function decision.cost(entry, calls)
  local there, sent = entry.in_place, entry.with_transfers or entry.in_place
  local cost = {others = math.max(there.others or 0, sent.others or 0)}
  for _, name in ipairs(NAMES) do cost[name] = there[name] + (sent[name] - there[name]) / calls end
  local name = noise.busy(cost) and "min" or "median"
  cost.seconds = cost[name]
  cost.transfers = math.max(0, sent[name] - there[name]) / calls / cost.seconds
  cost.hidden = noise.hides(there) or noise.hides(sent) or nil
  return cost
end

-- Returns {{device =, cost =}, …}, the least cost first. Emulated devices are left out, and so are devices whose
-- results differ from the results of the first device.
local function candidates(point, calls)
  local list = {}
  for _, entry in ipairs(point.measured) do
    if not entry.emulated and entry.agreement ~= "differ" then
      list[#list + 1] = {device = entry.device, cost = decision.cost(entry, calls)}
    end
  end
  table.sort(list, function(a, b) return a.cost.seconds < b.cost.seconds end)
  return list
end

-- True if the measurements cannot tell the two costs apart. If noise hides one of the costs, even the fastest round of
-- `other` must be slower than the upper quartile of `best` for a decision.
local function alike(best, other)
  if best.hidden or other.hidden then return other.min <= best.q3 end
  return not noise.faster(best, other)
end

--- Chooses a device at one size.
-- @tab point
-- @number calls
-- @treturn ?table {n =, device =, cost =, either = two or more devices that the measurements cannot tell apart, or
--   nil, second = the next best device's cost, second_device =}; nil if there is nothing to choose from
function decision.at(point, calls)
  local list = candidates(point, calls)
  local best = list[1]
  if not best then return nil end
  local choice = {n = point.n, device = best.device, cost = best.cost}
  for i = 2, #list do
    if not choice.second then choice.second, choice.second_device = list[i].cost, list[i].device end
    if alike(best.cost, list[i].cost) then
      choice.either = choice.either or {best.device}
      choice.either[#choice.either + 1] = list[i].device
    end
  end
  return choice
end

--- Returns the list of the choices (decision.at) at all measured sizes. Sizes that were measured on emulated devices
-- only are left out.
function decision.all(points, calls)
  local list = {}
  for _, point in ipairs(points) do list[#list + 1] = decision.at(point, calls) end
  return list
end

-- ---- predictions and lower bounds ---------------------------------------------------------------

-- Returns the points {{n, value}, …} of a device at the measured sizes. value(entry, point) computes the value of a
-- point. Values that are missing or not positive are left out.
local function series(points, device, value)
  local list = {}
  for _, point in ipairs(points) do
    local entry = entry_of(point, device)
    local v = entry and value(entry, point)
    if v and v > 0 then list[#list + 1] = {point.n, v} end
  end
  return list
end

-- Returns the first entry of `skipped` for this device whose size is at most n, or nil.
local function skipped_at(skipped, device, n)
  for _, item in ipairs(skipped) do
    if item.device == device and item.n <= n then return item end
  end
end

--- Predicts the times of this machine's devices at skipped sizes, by the trend of the measured sizes.
-- @treturn table {{n =, device =, why = the reason for skipping, seconds = the extrapolated time (nil if the reason is
--   not "takes too long"), bytes = the extrapolated size of the data}, …}
function decision.predictions(found, sizes, calls)
  local list = {}
  for _, n in ipairs(sizes) do
    for _, device in ipairs(measured.devices(found.devices, false)) do
      local item = skipped_at(found.skipped, device.device, n)
      if item then
        local costs = series(found.points, device.device, function(entry)
          return decision.cost(entry, calls).seconds
        end)
        local bytes = series(found.points, device.device, function(entry) return entry.bytes end)
        list[#list + 1] = {n = n, device = device.device, why = item.why, bytes = grid.extrapolate(bytes, n),
          seconds = item.why == "takes too long" and grid.extrapolate(costs, n, grid.steepest(bytes)) or nil}
      end
    end
  end
  return list
end

local function row_of(point, like)
  for _, row in ipairs(point and point.work and point.work.rows or {}) do
    if row.family == like.family and row.dtype == like.dtype then return row end
  end
end

local function trend(before, last, name, n)
  local points = {}
  for _, point in ipairs{before or false, last} do
    if point and (point[2] or 0) > 0 then points[#points + 1] = point end
  end
  return name ~= "calls" and grid.extrapolate(points, n) or last[2] or 0
end

-- Returns the work at size n: for each kind of operation the calls, arithmetic operations and bytes, and the bytes
-- sent and fetched. The figures of the last measured point are extrapolated by the trend of the last two points,
-- except for the number of calls, which stays the same.
local function work_at(points, n)
  local last, before = points[#points], points[#points - 1]
  local work = {rows = {}}
  for i, row in ipairs(last.work.rows) do
    local other = row_of(before, row)
    work.rows[i] = {family = row.family, dtype = row.dtype}
    for _, name in ipairs{"calls", "flops", "bytes"} do
      work.rows[i][name] = trend(other and {before.n, other[name]}, {last.n, row[name]}, name, n)
    end
  end
  for _, name in ipairs{"sent", "fetched"} do
    work[name] = trend(before and {before.n, before[name]}, {last.n, last[name]}, name, n)
  end
  return work
end

local function counted(points)
  local list = {}
  for _, point in ipairs(points) do
    if point.work then list[#list + 1] = point end
  end
  return list
end

-- Returns a lower bound of the seconds of a call if the data are sent once for `calls` calls, and the part of the
-- work that takes longest. Sending is left out if the bandwidth of the device's link is unpublished. Returns nil if
-- the published figures give no bound.
local function bound(figure, work, calls)
  local there, takes = figures.bound(figure, work, "in_place")
  local sent, sent_takes = figures.bound(figure, work, "with_transfers")
  if not there then return nil end
  if not sent then return there, takes end
  local all = there + (sent - there) / calls
  return all, all - there > there and sent_takes or takes
end

-- Returns the bytes of memory that the work needs at size n, extrapolated from the first real device.
local function bytes_at(found, n)
  local device = measured.devices(found.devices, false)[1]
  return device and grid.extrapolate(series(found.points, device.device, function(entry) return entry.bytes end), n)
end

local function bounds_of(found, figure, sizes, calls)
  local points, list = counted(found.points), {}
  for _, n in ipairs(sizes) do
    local exact
    for _, point in ipairs(points) do exact = point.n == n and point or exact end
    local work = exact and {rows = exact.work.rows, sent = exact.sent, fetched = exact.fetched} or work_at(points, n)
    local seconds, takes = bound(figure, work, calls)
    if not seconds then return list end
    local bytes = bytes_at(found, n)
    list[#list + 1] = {n = n, seconds = seconds, takes = takes, extrapolated = not exact or nil,
      needed = bytes and figures.needed(figure, bytes)}
  end
  return list
end

--- Returns lower bounds of the times of devices that are not in this machine, from the counted work and published
-- figures.
-- @tab found the measurements of a grid: `points` and `devices`
-- @tab sizes
-- @number calls
-- @treturn table {{id =, name =, kind =, source =, points = {{n =, seconds =, takes =, extrapolated =, needed = the
--   number of these devices that the data need}, …}}, …}
function decision.bounds(found, sizes, calls)
  local list = {}
  if #counted(found.points) == 0 or #measured.devices(found.devices, false) == 0 then return list end
  for _, figure in ipairs(figures.devices()) do
    local points = figures.is_here(figure, found.devices) and {} or bounds_of(found, figure, sizes, calls)
    if #points > 0 then
      list[#list + 1] = {id = figure.id, name = figure.name, kind = figure.kind, source = figure.source,
        points = points}
    end
  end
  return list
end

return decision
