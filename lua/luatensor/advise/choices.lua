--- Makes the table "When to choose CPU, GPU, TPU" (lt.advise.choices) from measurements of this machine and from
-- published figures of other devices.

local args = require "luatensor.base.args"
local crossover_page = require "luatensor.bench.crossover.page"
local described = require "luatensor.bench.fields"
local decision = require "luatensor.advise.decision"
local core = require "luatensor.core"
local document = require "luatensor.page.document"
local figures = require "luatensor.bench.public_figures"
local format = require "luatensor.page.format"
local grid = require "luatensor.bench.crossover.grid"
local hosts = require "luatensor.advise.hosts"
local interrupt = require "luatensor.bench.interrupt"
local measured = require "luatensor.bench.crossover.measured"
local network = require "luatensor.advise.network"
local noise = require "luatensor.bench.noise"
local notes = require "luatensor.bench.notes"
local prediction = require "luatensor.bench.distributed.prediction"
local result = require "luatensor.bench.result"

local choices = {}

local BATCH <const>, LAYERS <const> = 64, 4
local STEPS <const> = 10000           -- the number of steps of the training run whose time the table shows
-- The limit of the ratio between the upper quartile of a step's measured times and the time that the devices are
-- compared by (the median or the minimum). Above this limit noise would decide, so the choice is "not known".
local MOST <const> = 4
-- Thresholds in seconds for the time of STEPS steps. If this machine takes at most SHORT seconds, no other device is
-- needed. More than LONG seconds is too long.
local SHORT <const>, LONG <const> = 60, 3600

-- The bytes for each parameter: the float32 parameter, its gradient, and the two moments of Adam.
local BYTES_A_PARAMETER <const> = 4 * 4

-- The kinds of models that the notebook (docs/notebook.md) names, each with a number of parameters.
local models = {
  {name = "small model, prototype", parameters = 100000},
  {name = "medium network", parameters = 10000000},
  {name = "large network", parameters = 1000000000},
  {name = "language model", parameters = 70000000000},
}


-- ---- figures ------------------------------------------------------------------------------------

-- Returns the number of multiplications and additions in a training step.
local function flops(parameters)
  return network.flops(network.width(parameters, LAYERS), LAYERS, BATCH, true)
end

local function point_of(advice, parameters)
  for _, point in ipairs(advice.points) do
    if point.n == parameters then return point end
  end
end

-- Returns the measured seconds of a training step on a device at one size (a point of the grid), or nil if the device
-- was not measured there. pick(times) selects a statistic of the rounds, such as the median.
local function seconds_at(point, device, pick)
  local entry = measured.entry_of(point, device)
  return entry and pick(entry.with_transfers or entry.in_place)
end

-- Returns the points {operations, seconds} of a device, one for each size that was measured on the device. The
-- operations are the multiplications and additions of a step.
local function series(advice, device, pick)
  local list = {}
  for _, point in ipairs(advice.points) do
    local seconds = seconds_at(point, device, pick)
    if seconds then list[#list + 1] = {flops(point.n), seconds} end
  end
  return list
end

-- Extrapolates the seconds to `at` multiplications and additions, by a line through the last two points. If there is
-- only one point, or if the line does not ascend, the seconds grow in proportion to the operations. Returns nil if
-- there is no point.
local function extrapolated(points, at)
  local last, before = points[#points], points[#points - 1]
  if not last then return nil end
  local slope = before and (last[2] - before[2]) / (last[1] - before[1]) or 0
  if slope <= 0 then slope = last[2] / last[1] end
  return last[2] + slope * (at - last[1])
end

-- Returns the seconds of a step on a device of this machine, and "measured" or "extrapolated". Returns nil if nothing
-- was measured.
local function step_here(advice, device, parameters, pick)
  local exact = point_of(advice, parameters)
  local seconds = exact and seconds_at(exact, device, pick)
  if seconds then return seconds, "measured" end
  seconds = extrapolated(series(advice, device, pick), flops(parameters))
  if seconds and seconds > 0 then return seconds, "extrapolated" end
end

-- True if a device's results differed from those of the first device at any size.
local function differs(advice, device)
  for _, point in ipairs(advice.points) do
    local entry = measured.entry_of(point, device)
    if entry and entry.agreement == "differ" then return true end
  end
end

local function here(advice, device, model, room, pick)
  local cell = {device = device.device, emulated = device.emulated, differs = differs(advice, device.device)}
  if room and model.bytes > room then
    cell.how = "does not fit"
  else
    cell.seconds, cell.how = step_here(advice, device.device, model.parameters, pick)
    cell.how = cell.how or "not measured"
  end
  return cell
end

local function absent(id, model, devices)
  local figure = figures.find(id)
  -- each step reads the parameters at least three times: in the forward pass, the backward pass and the update
  local work = {rows = {{calls = 3 * LAYERS, flops = flops(model.parameters), bytes = 3 * 4 * model.parameters,
    dtype = "float32"}}}
  return {id = id, name = figure.name, kind = figure.kind, seconds = figures.bound(figure, work, "in_place"),
    needed = figures.needed(figure, model.bytes), is_here = figures.is_here(figure, devices) or nil}
end

-- ---- the choice ---------------------------------------------------------------------------------

local function fastest(cells)
  local best
  for _, cell in ipairs(cells) do
    local real = cell.seconds and not cell.emulated and not cell.differs
    if real and (not best or cell.seconds < best.seconds) then best = cell end
  end
  return best
end

local NAMES <const> = {"min", "q1", "median", "q3", "max"}

-- Returns the quartiles of a step's time on the device of `cell`, in the form of an entry of a grid's point (see
-- grid.run), so that decision.at can compare them. Returns nil if a quartile is unknown.
local function entry_at(advice, cell, parameters)
  local list, there = {}, {others = noise.of_points(advice.points, cell.device).most}
  for i, name in ipairs(NAMES) do
    list[i] = step_here(advice, cell.device, parameters, function(times) return times[name] end)
  end
  if #list < #NAMES then return nil end
  table.sort(list)             -- each quartile is extrapolated on its own, so they may be out of order
  for i, name in ipairs(NAMES) do there[name] = list[i] end
  return {device = cell.device, emulated = cell.emulated, agreement = cell.differs and "differ", in_place = there}
end

-- Returns a list of the fastest device and the devices whose times the measurements cannot distinguish from its time.
-- Returns nil if no other device is that close.
local function alike(advice, row)
  local point = {n = row.parameters, measured = {}}
  for _, cell in ipairs(row.here) do
    table.insert(point.measured, cell.seconds and entry_at(advice, cell, row.parameters) or nil)
  end
  local choice = decision.at(point, 1)
  return choice and choice.either
end

local function smallest_fit(cells)
  for _, cell in ipairs(cells) do
    if cell.kind == "gpu" and cell.needed == 1 and not cell.is_here then return cell end
  end
end

local function has_gpu(cells)
  for _, cell in ipairs(cells) do
    if cell.device ~= core.host_device and not cell.emulated then return true end
  end
  return false
end

local function most_needed(cells)
  local gpu, tpu
  for _, cell in ipairs(cells) do
    if cell.kind == "gpu" then gpu = cell else tpu = cell end
  end
  return gpu, tpu
end

-- True if at least one real device was considered, and the model fits into the memory of none.
local function fits_nowhere(cells)
  local real = 0
  for _, cell in ipairs(cells) do
    if not cell.emulated and cell.how ~= "does not fit" then return false end
    real = real + (cell.emulated and 0 or 1)
  end
  return real > 0
end

-- Maps the origin of a step's time ("measured" or "extrapolated") to the text that says how the time of a whole
-- training run was computed. A whole run is never timed.
local reckoned = {
  measured = "reckoned from a step that was measured", extrapolated = "reckoned from the trend of smaller networks",
}

local function too_long(cell) return STEPS * cell.seconds > LONG end

-- Returns the least seconds of STEPS steps on a device that is not in this machine. Returns nil if the lower bound of
-- a step is too small to be meaningful.
local function least_of(one)
  return one and figures.visible(one.seconds) and STEPS * one.seconds or nil
end

-- Returns the choice as a text, the sentence that gives the reason, and the values that the sentence names. `row`
-- describes a model; `cells` has the times of a step on the devices of this machine.
local function choose(row, cells)
  local best, one = fastest(cells), smallest_fit(row.absent)
  local values = {bytes = {row.bytes, "B"}, steps = {STEPS, "count"}}
  if best then
    values.device, values.t, values.all = {best.device, "text"}, {best.seconds, "s"}, {STEPS * best.seconds, "s"}
    values.how = {reckoned[best.how], "text"}
  end
  if best and STEPS * best.seconds <= SHORT then
    return best.device, "{steps} steps take {all} on {device} ({how}): nothing else is needed.", values
  end
  local least = least_of(one)
  if one then values.name, values.least = {one.name, "text"}, {least or false, "s"} end
  if best and row.either and not too_long(best) then
    return table.concat(row.either, " or ") .. ", either", "{steps} steps take {all} on {device} ({how}); the "
      .. "measurements do not tell these devices apart.", values
  elseif best and best.device ~= core.host_device and not too_long(best) then
    return best.device, "{steps} steps take {all} on {device} ({how}), the fastest device here.", values
  elseif best and STEPS * best.seconds <= LONG and one then
    return "cpu, or a GPU for daily work", "{steps} steps take {all} on {device} ({how})"
      .. (least and ", at least {least} on an {name}" or "") .. ": worth a GPU where it is done often.", values
  elseif one and best then
    return has_gpu(cells) and "a larger GPU" or "GPU", "{steps} steps would take {all} on {device} ({how})"
      .. (least and ", at least {least} on an {name}, whose memory holds the {bytes}." or "; the memory of an {name} "
        .. "holds the {bytes}."), values
  elseif one and not fits_nowhere(cells) then
    return "not known", "It was not measured here.", values
  elseif one then
    return "GPU", "{bytes} do not fit here; one {name} holds them"
      .. (least and ": at least {least} for {steps} steps." or "."), values
  end
  local gpu, tpu = most_needed(row.absent)
  values.gpus, values.gpu = {gpu.needed, "count"}, {gpu.name, "text"}
  values.tpus, values.tpu = {tpu.needed, "count"}, {tpu.name, "text"}
  return "several GPUs, or TPUs", "{bytes} take the memory of {gpus} × {gpu} or {tpus} × {tpu}, with a library that "
    .. "spreads a model over them. " .. figures.TPU_NOTE, values
end

local function cells_of(advice, model, rooms, pick)
  local cells = {}
  for i, device in ipairs(advice.devices) do
    cells[i] = here(advice, device, model, rooms[device.device], pick)
  end
  return cells
end

local function upper_quartile(times) return times.q3 end

-- Returns the largest share of the processor that other processes used while real devices were measured, or nil if it
-- is negligible. The second result is true if noise hides the time of a size on a real device.
local function noise_in(advice)
  local most, hidden = nil, false
  for _, device in ipairs(measured.devices(advice.devices, false)) do
    local found = noise.of_points(advice.points, device.device)
    most = found.most and math.max(most or 0, found.most) or most
    hidden = hidden or #found.sizes > 0
  end
  return most, hidden
end

-- Returns the choice for a row of the table, its sentence and its values. If other processes used the processor during
-- the measurement, the choice may be "not known". There are three such cases. (1) The upper quartiles of the times lead
-- to another choice. (2) Noise hides a time, and an upper quartile exceeds the limit MOST. (3) noise.drowns is true.
local function decide(row, advice, rooms)
  local choice, text, values = choose(row, row.here)
  local others, hidden = noise_in(advice)
  if not others then return choice, text, values end
  local high = cells_of(advice, row, rooms, upper_quartile)
  local best, other = fastest(row.here), fastest(high)
  local far = hidden and other and other.seconds > MOST * best.seconds
  if not best or choose(row, high) == choice and not far and not noise.drowns(others) then
    return choice, text, values
  end
  values.least, values.high = {STEPS * best.seconds, "s"}, {STEPS * other.seconds, "s"}
  values.others = {others, "share"}
  return "not known", "This machine was too busy to say: by the least of the rounds {steps} steps take {least} on "
    .. "{device}, by others {high}, while others used up to {others} of the processor.", values
end

-- Returns the numbers of hosts that pay off for a row, or nil if no time of a step is known.
local function hosts_of(row, network_between)
  local best, width = fastest(row.here), network.width(row.parameters, LAYERS)
  local share = 1 - network.flops(width, LAYERS, BATCH, false) / flops(row.parameters)
  return best and hosts.range(best.seconds, share, row.parameters, network_between)
end

local function row_of(advice, model, rooms, network_between)
  local row = {name = model.name, parameters = model.parameters, bytes = model.parameters * BYTES_A_PARAMETER,
    absent = {}}
  row.here = cells_of(advice, row, rooms, noise.seconds)
  for i, id in ipairs(figures.FOR_TRAINING) do row.absent[i] = absent(id, row, advice.devices) end
  row.either, row.hosts = alike(advice, row), hosts_of(row, network_between)
  row.choice, row.text, row.values = decide(row, advice, rooms)
  row.values.name_of_row, row.values.choice_of_row = {row.name, "text"}, {row.choice, "text"}
  return row
end

-- ---- the page -----------------------------------------------------------------------------------

local function add_devices(columns, devices, emulated)
  for _, device in ipairs(measured.devices(devices, emulated)) do
    columns[#columns + 1] = {name = format.device(device) .. ", a step", unit = "s"}
    columns[#columns + 1] = {name = "how", unit = "text"}
  end
end

local function add_cells(cells, row, emulated)
  for _, cell in ipairs(row.here) do
    if (cell.emulated or false) == emulated then
      cells[#cells + 1] = cell.seconds or false
      cells[#cells + 1] = cell.how
    end
  end
end

local function here_table(self)
  local columns, rows = {{name = "model", unit = "text"}, {name = "parameters", unit = "count"}}, {}
  columns[3] = {name = "memory", unit = "B"}
  add_devices(columns, self.devices, false)
  columns[#columns + 1] = {name = "choose", unit = "text"}
  for i, row in ipairs(self.rows) do
    rows[i] = {row.name, row.parameters, row.bytes}
    add_cells(rows[i], row, false)
    rows[i][#rows[i] + 1] = row.choice
  end
  return document.table{title = "When to choose CPU, GPU, TPU", columns = columns, rows = rows}
end

local function absent_table(self)
  local columns, rows = {{name = "model", unit = "text"}}, {}
  for _, cell in ipairs(self.rows[1].absent) do
    if not cell.is_here then
      columns[#columns + 1] = {name = cell.name, unit = "s"}
      columns[#columns + 1] = {name = "needed", unit = "count"}
    end
  end
  for i, row in ipairs(self.rows) do
    rows[i] = {row.name}
    for _, cell in ipairs(row.absent) do
      if not cell.is_here then
        rows[i][#rows[i] + 1] = figures.visible(cell.seconds)
        rows[i][#rows[i] + 1] = cell.needed
      end
    end
  end
  return document.table{title = "Devices that are not here: a step takes at least, by published figures; how many hold "
    .. "the model", columns = columns, rows = rows}
end

local function emulated_table(self)
  if #measured.devices(self.devices, true) == 0 then return nil end
  local columns, rows = {{name = "model", unit = "text"}}, {}
  add_devices(columns, self.devices, true)
  for i, row in ipairs(self.rows) do
    rows[i] = {row.name}
    add_cells(rows[i], row, true)
  end
  return document.table{title = "Emulated: it works there; " .. notes.NOTHING, columns = columns,
    rows = rows}
end

local methods = {}

--- Returns the blocks of the result's page. Every class of results has this method.
function methods:blocks()
  local blocks = {document.text("A training step of a multilayer perceptron, batch {batch}, float32. Memory: "
    .. "parameters, their gradients and Adam's two moments, {each} a parameter.",
    {batch = {self.batch, "count"}, each = {self.bytes_a_parameter, "B"}})}
  crossover_page.say_caveats(self.advice, blocks)
  blocks[#blocks + 1] = here_table(self)
  for _, row in ipairs(self.rows) do
    blocks[#blocks + 1] = document.text("{name_of_row}: {choice_of_row}. " .. row.text, row.values)
  end
  table.move(hosts.blocks(self), 1, 2, #blocks + 1, blocks)
  blocks[#blocks + 1] = absent_table(self)
  blocks[#blocks + 1] = emulated_table(self)
  return blocks
end

choices.class = result.class("choices", methods, {
  advice = "result", batch = "number", bytes_a_parameter = "number", steps = "number", emulated = "boolean?",
  devices = described.grid.devices, network = described.optional(prediction.fields),
  rows = {described.with(described.phrase, {
    name = "string", parameters = "number", bytes = "number", choice = "string",
    here = {{device = "string", how = "string", seconds = "number?", emulated = "boolean?"}},
    hosts = described.optional{from = "number?", to = "number?"},
    absent = {{id = "string", name = "string", kind = "string", seconds = "number", needed = "number?"}},
  })},
})

-- ---- measuring ----------------------------------------------------------------------------------

-- Returns {<device> = bytes that a model may take}: the share HEADROOM of the device's total memory (not of its
-- free memory). If a device does not tell its memory, as a device of PJRT, no tensor may be larger than the host's.
local function rooms_of(place)
  local rooms, host = {}, nil
  for _, device in ipairs(place.devices()) do
    if device.device == core.host_device then host = device.memory end
  end
  for _, device in ipairs(place.devices()) do
    local memory = device.memory or host
    rooms[device.device] = memory and grid.HEADROOM * memory
  end
  return rooms
end

local function complete(advice, place, options)
  local fields = {batch = BATCH, steps = STEPS, bytes_a_parameter = BYTES_A_PARAMETER, devices = advice.devices,
    advice = advice, rows = {}, emulated = advice.emulated, incomplete = advice.incomplete,
    network = prediction.given(options, prediction.ETHERNET)}
  local rooms = rooms_of(place)
  for i, model in ipairs(models) do fields.rows[i] = row_of(advice, model, rooms, fields.network) end
  return result.new(choices.class, fields)
end

local known = {seconds = true, devices = true, patience = true, largest = {"integer", 1000},
  latency = {"number", 1e-9, 10}, bandwidth = {"number", 1, 1e15}}

--- Implements advise.choices. `place` has the functions that query and time this machine; specs pass simulated ones.
function choices.run(options, place)
  options = args.read("advise.choices", options, known)
  local largest = options.largest or 10000000
  local sizes, n = {}, 100000
  while n < largest do
    sizes[#sizes + 1] = n
    n = 10 * n
  end
  sizes[#sizes + 1] = largest
  local ok, advice = pcall(network.run, {training = true, batch = BATCH, layers = LAYERS, seconds = options.seconds,
    devices = options.devices, patience = options.patience}, place, sizes)
  if ok then return complete(advice, place, options) end
  local partial = interrupt.is(advice) and interrupt.partial(advice)
  if not partial then error(advice, 0) end
  interrupt.raise(complete(partial, place, options))
end

--- Makes the notebook's table "When to choose CPU, GPU, TPU" for this machine. The table shows the time of a training
-- step of models with 100 000 to 70 thousand million parameters. Models with up to `largest` parameters are measured.
-- The times of larger models are extrapolated from their matrix products. Devices that are not in this machine get
-- lower bounds from published figures.
-- @function advise.choices
-- @tparam[opt] table options `largest`: parameters of the largest network that is measured (10000000); `seconds`,
--   `devices`, `patience` as lt.advise has them; `latency` (5e-5): seconds of a message between hosts; `bandwidth`
--   (1.25e9): bytes that a host sends in a second; both are for the prediction of how many hosts pay off
-- @treturn table a result of kind "choices"
function choices.choices(options)
  return choices.run(options, require "luatensor.bench.crossover.place")
end

return choices
