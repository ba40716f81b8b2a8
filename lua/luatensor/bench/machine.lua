--- Describes this machine: its devices and their measured limits.

local lt = require "luatensor"
local args = require "luatensor.base.args"
local caches = require "luatensor.bench.machine.caches"
local described = require "luatensor.bench.fields"
local identify = require "luatensor.bench.machine.identity"
local idle = require "luatensor.bench.idle"
local interrupt = require "luatensor.bench.interrupt"
local limits_file = require "luatensor.bench.machine.limits_file"
local meters = require "luatensor.bench.machine.meters"
local page = require "luatensor.bench.machine.page"
local progress = require "luatensor.bench.progress"
local result = require "luatensor.bench.result"
local share = require "luatensor.bench.machine.share"
local state = require "luatensor.bench.state"

local machine = {}

-- ---- measurements -------------------------------------------------------------------------------

--- The dtypes whose arithmetic and whose products are measured.
local ARITHMETIC <const> = {"float32", "float64"}
local PRODUCTS <const> = {"float32", "float64", "float16", "bfloat16"}

local function larger(a, b) return math.max(a or 0, b) end

local function arithmetic_step(entry, dtype)
  return {"arithmetic of " .. dtype, 2, function()
    local limits = meters.limits(entry.device, dtype)
    table.insert(entry.arithmetic, {dtype = dtype, flops = limits.flops})
    entry.read, entry.copy = larger(entry.read, limits.read), larger(entry.copy, limits.copy)
  end}
end

local LOOKS <const> = 3

-- Compares the measured rate of matrix products with the measured rate of arithmetic. If products are more than 5 %
-- (share.OVER) faster, the measurement of arithmetic was disturbed, and is repeated up to LOOKS times.
local function look_again(entry, product)
  local plain = share.row_of(entry.arithmetic, product.dtype)
  for _ = 1, LOOKS do
    if not plain or product.flops <= share.OVER * plain.flops then return end
    plain.flops = larger(plain.flops, meters.limits(entry.device, product.dtype).flops)
  end
end

local function product_step(entry, dtype, seconds)
  return {"products of " .. dtype, 0.5 + 3 * seconds, function()
    local row = meters.gemm(entry.device, dtype, seconds)
    row.dtype = dtype
    table.insert(entry.products, row)
    if entry.kind == "cpu" then look_again(entry, row) end
  end}
end

local MEMORY <const> = 256 << 20     -- bytes, more than any cache has

-- True if reading a working set is less than 1.25 times as fast as reading memory. Such a working set is in no cache.
local function is_memory(entry, point)
  return entry.read ~= nil and point.read < 1.25 * entry.read
end

local function levels_step(entry, seconds)
  return {"levels of the memory", 6, function()
    local sizes = meters.sizes(entry.device, seconds)
    local task <close> = progress.task("levels", #sizes)
    for i, bytes in ipairs(sizes) do
      task:step(("%d KiB"):format(bytes // 1024))
      local point = meters.working_set(entry.device, bytes)
      point.bytes = bytes
      entry.levels[i] = point
      if i > 1 and is_memory(entry, point) and is_memory(entry, entry.levels[i - 1]) then break end
    end
    local last = entry.levels[#entry.levels]
    if last and last.bytes * (entry.threads or 1) >= MEMORY then entry.read = larger(entry.read, last.read) end
  end}
end

local function call_step(entry, seconds)
  return {"the smallest call", 1 + seconds, function()
    local costs = meters.call(entry.device, seconds)
    entry.call, entry.single, entry.wait = costs.call, costs.single, costs.wait
  end}
end

local function transfer_step(entry, pinned, out, seconds)
  return {"transfers", 1 + seconds, function()
    local row = meters.transfer(entry.device, pinned, out, seconds)
    row.pinned, row.out = pinned, out
    table.insert(entry.transfers, row)
  end}
end

-- Returns the steps that fill a device's entry with measurements, each {text, approximate seconds, function}.
local function steps_of(entry, seconds)
  local steps = {}
  local function add(step) steps[#steps + 1] = step end
  local has_loops = entry.kind ~= "pjrt"           -- lt.limits and core.working_set run loops of our own
  for _, dtype in ipairs(has_loops and ARITHMETIC or {}) do add(arithmetic_step(entry, dtype)) end
  for _, dtype in ipairs(PRODUCTS) do add(product_step(entry, dtype, seconds)) end
  if has_loops then add(levels_step(entry, seconds)) end
  add(call_step(entry, seconds))
  if entry.kind ~= "gpu" then return steps end    -- a copy to a device of PJRT waits until the elements are used
  for i = 0, 3 do add(transfer_step(entry, i >= 2, i % 2 == 1, seconds)) end
  return steps
end

-- Runs a step. An error other than Ctrl-C is stored in entry.problems, so that the remaining steps are run.
local function attempt(entry, step)
  local ok, problem = pcall(step[3])
  if ok then return end
  if interrupt.is(problem) then error(problem, 0) end
  -- the message, without the position in this library
  table.insert(entry.problems, {what = step[1], problem = (tostring(problem):gsub("^[^\n]-%.lua:%d+: ", ""))})
end

local function entry_of(device)
  local cpu = device.kind == "cpu"
  return {
    device = device.device, name = device.name, kind = device.kind, emulated = device.emulated,
    threads = cpu and lt.get_num_threads() or nil, caches = cpu and caches.list() or {}, cores = device.cores,
    made = os.date("!%Y-%m-%dT%H:%M:%SZ"), arithmetic = {}, products = {}, levels = {}, transfers = {}, problems = {},
  }
end

-- The fields of the result:
--
--     devices      name, kind, device, emulated, made (the time of the measurement), threads, cores
--                  problems {what, problem}: the steps that failed, with the error messages
--                  arithmetic {dtype, flops}: operations per second
--                  products {dtype, n, flops, min, q1, median, q3}: of n × n matrices; min to q3 in seconds
--                  read, copy: bytes per second of memory; caches {name, bytes, shared}: see machine/caches.lua
--                  levels {bytes, read, latency}: working sets, bytes per second, and seconds of a load
--                  call, single, wait: seconds, see meters.call
--                  transfers {pinned, out, latency, bandwidth, bytes}: see meters.transfer
--     others       the share of the processor that other processes used (0 … 1)
--     not_stored   the reason why the limits were not stored
--     emulated     true if one of the devices is emulated
--     incomplete   how much was measured, if the measurement was interrupted; else nil
local class = result.class("machine", {blocks = page.blocks, timings = page.timings}, {
  others = "number?", not_stored = "string?", emulated = "boolean?", incomplete = "string?",
  devices = {{
    device = "string", name = "string", kind = "string", emulated = "boolean?", made = "string", cores = "number?",
    threads = "number?", read = "number?", copy = "number?", call = "number?", single = "number?", wait = "number?",
    arithmetic = {{dtype = "string", flops = "number"}},
    products = {described.with(described.quartiles, {
      max = "number?", dtype = "string", n = "number", flops = "number",
    })},
    caches = {{name = "string", bytes = "number", shared = "number"}},
    levels = {{bytes = "number", read = "number", latency = "number?"}},
    transfers = {{pinned = "boolean", out = "boolean", latency = "number", bandwidth = "number", bytes = "number?"}},
    problems = {{what = "string", problem = "string"}},
  }},
})

-- ---- stored measurements ------------------------------------------------------------------------

local measured = {}              -- the entries that this process measured: measured[limits_file.words(…)][device]

local function words_of(identity, emulated) return limits_file.words(identity, emulated or false) end

local function remember(identity, entry)
  local words = words_of(identity, entry.emulated)
  measured[words] = measured[words] or {}
  measured[words][entry.device] = entry
end

-- Returns the stored entry of a device, or nil if none is stored.
local function stored_entry(identity, device)
  local emulated = device.emulated or false
  for _, entry in ipairs(limits_file.load(words_of(identity, emulated), emulated) or {}) do
    if entry.device == device.device then return entry end
  end
end

local function keep(identity, entries)
  for _, emulated in ipairs{false, true} do
    local list = {}
    for _, entry in ipairs(entries) do
      if (entry.emulated or false) == emulated then list[#list + 1] = entry end
    end
    if #list > 0 then
      local ok, problem = limits_file.save(class, identity, emulated, list)
      if not ok then return problem end
    end
  end
end

-- Stores new entries in this process, and in the user's cache if they are reliable. `others` is the share of the
-- processor that other processes used; `seconds` is the time for a figure. Returns nil, or the reason why nothing was
-- written to the cache.
local function store(identity, entries, others, seconds)
  for _, entry in ipairs(entries) do remember(identity, entry) end
  if (others or 0) > idle.BUSY then return "others used the processor meanwhile" end
  if seconds < machine.SECONDS then return "less time was given than it takes to be sure" end
  return keep(identity, entries)
end

-- ---- bench.machine ------------------------------------------------------------------------------

--- The default seconds for the measurement of one figure.
machine.SECONDS = 0.25

local known = {fresh = "boolean", seconds = {"number", 1e-6, 60}, devices = true}

local function wanted_devices(devices, identity)
  if devices == nil then return identity.devices end
  if type(devices) ~= "table" or #devices == 0 then
    args.fail("bench.machine", "devices: a list of names expected, got %s", type(devices))
  end
  local list, seen = {}, {}
  for _, name in ipairs(devices) do
    local full = args.check("bench.machine", "devices", name, "device")
    for _, device in ipairs(identity.devices) do
      if device.device == full and not seen[full] then list[#list + 1] = device end
    end
    seen[full] = true
  end
  return list
end

-- Sets fields.devices to the stored entries of the wanted devices, or to new entries. Returns the steps that fill the
-- new entries, the new entries, and the approximate seconds of all steps.
local function prepare(fields, wanted, identity, options)
  local steps, new, weight = {}, {}, 0
  for i, device in ipairs(wanted) do
    local entry = not options.fresh and stored_entry(identity, device)
    fields.devices[i] = entry or entry_of(device)
    fields.emulated = fields.emulated or device.emulated
    if not entry then
      new[#new + 1] = fields.devices[i]
      for _, step in ipairs(steps_of(new[#new], options.seconds)) do
        steps[#steps + 1] = {fields.devices[i], step}
        weight = weight + step[2]
      end
    end
  end
  return steps, new, weight
end

local function measure(fields, steps, weight)
  local task <close> = progress.task("limits", weight, {seconds = weight})
  return result.collect(class, fields, "measurements", #steps, function(i)
    local entry, step = steps[i][1], steps[i][2]
    task:step(("%s, %s"):format(entry.device, step[1]), step[2])
    attempt(entry, step)
  end)
end

--- Measures the limits of this machine: the rates of arithmetic, matrix products, memory and transfers, and the time of
-- a call. The first measurement takes half a minute. The limits are kept in the user's cache. They are measured again
-- if the machine, the number of threads or a version of the software changes.
-- @function bench.machine
-- @tparam[opt] table options `fresh`: true measures again; `seconds` (0.25) for each figure, and limits that were
--   measured in fewer seconds are not kept; `devices`: names (all of this machine)
-- @treturn table a result of kind "machine": `devices`, each with `arithmetic` and `products` (FLOP/s by dtype);
--   `read` and `copy` (bytes per second); `levels` (reading working sets); `call` (seconds of the smallest call); for
--   a GPU also `wait` and `transfers`. A device of PJRT has only `products`, `call` and `wait`; each call is waited for
-- @raise Ctrl-C, with what was measured so far (luatensor.bench.interrupt)
function machine.machine(options)
  options = args.read("bench.machine", options, known)
  local settings = {fresh = options.fresh or false, seconds = options.seconds or machine.SECONDS}
  local identity = identify()
  local fields = {devices = {}, machine = identity}
  local steps, new, weight = prepare(fields, wanted_devices(options.devices, identity), identity, settings)
  if #new == 0 then return result.new(class, fields) end
  local _ <close> = state.keep()
  lt.set_matmul_precision("ieee")                -- the stored limits are for scripts that do not use TF32
  local watch = idle.watch()
  local made = measure(fields, steps, weight)
  made.others = watch:others()
  made.not_stored = store(identity, new, made.others, settings.seconds)
  return made
end

-- ---- shares -------------------------------------------------------------------------------------

--- Returns the limits of a device that were measured before, in this process or in the user's cache.
-- @string device
-- @treturn ?table an entry of a result's devices; nil if the limits were not measured
function machine.known(device)
  local there, name = pcall(lt.device, device)
  local identity = identify()
  for _, info in ipairs(identity.devices) do
    if there and info.device == name then
      local mine = measured[words_of(identity, info.emulated)]
      if mine and mine[name] then return mine[name] end
      local entry = stored_entry(identity, info)
      if entry then remember(identity, entry) end
      return entry
    end
  end
end

--- Returns a rate as a share of the measured limit.
-- @number rate FLOP/s or bytes per second
-- @string kind "flops", "read" or "copy" (bytes read and written)
-- @string device
-- @string[opt] dtype of the arithmetic
-- @int[opt] working_set total bytes that are accessed repeatedly; by default more than any cache
-- @treturn ?number share; nil if it is unknown
-- @treturn string the name of the limit, or the reason why the share is unknown
-- @treturn ?table a note to show beside a share above 105 %: something else limits the rate then
function machine.share(rate, kind, device, dtype, working_set)
  local entry = machine.known(device)
  if not entry then return nil, "the limits of " .. device .. " were not measured" end
  return share.of(entry, rate, kind, dtype, working_set)
end

--- Returns the measured limit for a row of bench.split.
-- @tab row
-- @treturn ?number rate; nil if it was not measured or is meaningless
-- @treturn ?string "flops" or "bytes"
function machine.limit(row)
  local entry = machine.known(row.device)
  if entry then return share.of_row(entry, row) end
end

return machine
