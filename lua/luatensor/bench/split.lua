--- Splits the time of a function into Lua, transfers, kernels and waiting.
--
-- The function runs normally, and then with a wait after each device call, because only the wait shows how long the
-- call took. Both times are shown: a GPU that works while the script goes on hides a part of its time.

local lt = require "luatensor"
local core = require "luatensor.core"
local args = require "luatensor.base.args"
local described = require "luatensor.bench.fields"
local idle = require "luatensor.bench.idle"
local page = require "luatensor.bench.split.page"
local progress = require "luatensor.bench.progress"
local result = require "luatensor.bench.result"
local sample = require "luatensor.bench.sample"
local share = require "luatensor.bench.split.share"
local state = require "luatensor.bench.state"
local timing = require "luatensor.bench.timing"

local split = {}

local RUNS <const> = 5                -- serialised runs; the run with the median time is shown
local LEAST_RUNS <const> = 3          -- fewer runs are made if they take four times the requested seconds

local known = {limits = true}
for name, kind in pairs(timing.options) do known[name] = kind end

--- The names of the parts into which the time of a serialised run is divided.
split.PARTS = {"lua", "to_device", "kernels", "to_host", "waiting", "measuring"}

local part_of = {copy_in = "to_device", copy_out = "to_host", wait = "waiting"}

-- ---- from a profile to parts and rows -----------------------------------------------------------

local function emulated_kinds()
  local emulated = {}
  for _, info in ipairs(lt.devices()) do
    local kind = info.device:match("^%a+")
    emulated[kind] = emulated[kind] or info.emulated or nil
  end
  return emulated
end

-- Returns the seconds of a profile's row without the overhead of profiling, which is `inside` seconds for each call.
local function own_seconds(row, inside) return math.max(0, row.seconds - row.calls * inside) end

-- Converts a row of a profile of `calls` calls to the figures of one call. `seconds` is the row's time without the
-- overhead of profiling. `emulated` is the set of the emulated kinds of devices.
local function row_of(row, seconds, calls, emulated)
  local bytes = (row.read + row.written) / calls
  local per_call = seconds / calls
  return {
    device = row.device, family = row.family, dtype = row.dtype, part = part_of[row.family] or "kernels",
    emulated = emulated[row.device],
    calls = row.calls / calls, seconds = per_call, elements = row.elements / calls, flops = row.flops / calls,
    read = row.read / calls, written = row.written / calls, bytes = bytes,
    bandwidth = bytes > 0 and per_call > 0 and bytes / per_call or nil,
    rate = row.flops > 0 and per_call > 0 and row.flops / seconds or nil,
  }
end

local function no_parts()
  local parts = {}
  for _, name in ipairs(split.PARTS) do parts[name] = 0 end
  return parts
end

--- Computes the parts and rows of one call from a profile of several calls.
-- @tab profile the result of core.profile_stop
-- @int calls
-- @tab emulated the set of the kinds of devices that are emulated
-- @treturn table parts, whose sum is the profile's seconds / calls
-- @treturn table rows, the longest first
function split.parts(profile, calls, emulated)
  local parts, rows, counted, left = no_parts(), {}, 0, profile.seconds
  for i, row in ipairs(profile.rows) do
    local seconds = own_seconds(row, profile.inside)
    rows[i] = row_of(row, seconds, calls, emulated)
    parts[rows[i].part] = parts[rows[i].part] + rows[i].seconds
    counted, left = counted + row.calls, left - row.seconds
    parts.measuring = parts.measuring + (row.seconds - seconds) / calls
  end
  local outside = math.min(left, counted * profile.outside)
  parts.measuring = parts.measuring + outside / calls
  parts.lua = (left - outside) / calls
  table.sort(rows, function(a, b) return a.seconds > b.seconds end)
  return parts, rows
end

-- ---- running ------------------------------------------------------------------------------------

local function start_profile()
  local ok, problem = state.start_profile("serialised")
  if ok then return end
  if not tostring(problem):find("a profile is running", 1, true) then error(problem, 0) end
  args.fail("bench.split", "another split is running: one at a time")
end

local function serialised_run(fn, calls, checked)
  local _ <close> = state.use_device(checked.device)
  collectgarbage()
  local _ <close> = checked.gc == "out" and state.stop_collector() or nil
  local _ <close> = state.profile_end()
  start_profile()
  for _ = 1, calls do fn() end
  return core.profile_stop()
end

local function enough(runs, spent, seconds)
  return runs >= RUNS or spent >= seconds and (runs >= LEAST_RUNS or spent >= 4 * seconds)
end

-- Makes serialised runs, which wait after each device call, until `enough` returns true. Returns the run with the
-- median time.
local function serialised_runs(fn, calls, checked, task)
  local runs, spent = {}, 0
  repeat
    task:step("each device call waited for")
    local run = serialised_run(fn, calls, checked)
    runs[#runs + 1], spent = run, spent + run.seconds
  until enough(#runs, spent, checked.seconds)
  table.sort(runs, function(a, b) return a.seconds < b.seconds end)
  return runs[(#runs + 1) // 2]
end

local function normal_run(sampler, task)
  repeat
    task:step("as it runs")
    sampler:round()
  until sampler:done()
  return sampler:finish()
end

--- Returns a function that finds the whole name of a device by its kind. The name is nil if two devices of this kind
-- had calls, because both share one row.
-- @tab devices the names of the devices that had calls
-- @treturn func takes a kind and returns a name or nil
function split.names(devices)
  local names = {}
  for _, device in ipairs(devices) do
    local kind = device:match("^%a+")
    if names[kind] == nil then names[kind] = device else names[kind] = false end
  end
  return function(kind) return names[kind] or nil end
end

local function fields_of(name, figures, run, checked, limits)
  local parts, rows = split.parts(run, figures.calls, emulated_kinds())
  local fields = {
    name = name, parts = parts, rows = rows, wall = run.seconds / figures.calls, calls = figures.calls,
    normal = figures, device = figures.device, threads = figures.threads, options = timing.kept(checked),
  }
  figures.name = name
  fields.notes = limits and share.add(rows, limits, split.names(run.devices)) or {}
  for _, row in ipairs(rows) do fields.emulated = fields.emulated or row.emulated end
  return fields
end

split.class = result.class("split", page, {
  name = "string", device = "string?", threads = "number?", calls = "number?", wall = "number", emulated = "boolean?",
  options = described.map "any", notes = {"block"}, normal = described.with(described.sampled, {name = "string"}),
  parts = {
    lua = "number", to_device = "number", kernels = "number", to_host = "number", waiting = "number",
    measuring = "number",
  },
  rows = {{
    family = "string", part = "string", device = "string", dtype = "string?", emulated = "boolean?", calls = "number",
    seconds = "number", bytes = "number", flops = "number", bandwidth = "number?", rate = "number?", share = "number?",
    limit = "string?",
  }},
})

--- Splits the time of a function into parts.
-- @function bench.split
-- @tparam function fn called without arguments, many times
-- @tparam[opt] table options those of bench.time; `clock` of normal runs (the parts are always measured with
--   lt.clock); `limits`: a function that takes a row and its device's name, and returns the share of a limit and the
--   limit's name; false: no shares (default: shares of the limits that bench.machine measured before, if any)
-- @treturn table a result of kind "split". Figures are those of one call of fn. `parts`: seconds of `lua` (Lua,
--   dispatch, memory, and everything else), `to_device` (transfers), `kernels`, `to_host`, `waiting` (the script's
--   additional waiting) and `measuring` (reading the clock). `wall`: the sum of the parts, the time of a run that
--   waits after each device call; on the CPU a call's time is its kernel's. `normal`: the figures of `bench.time` for
--   normal runs of fn. `rows`: for each device, family and dtype `calls`, `seconds`, `elements`, `read`, `written`,
--   `bytes` (both), `flops` (matrix products only, else 0), `bandwidth` (bytes/s), `rate` (FLOP/s), `share` (of the
--   limit named in `limit`), `part`, `emulated`
-- @raise errors of fn, unchanged; also an error if fn itself runs a split
function split.split(fn, options)
  args.check("bench.split", "argument 1", fn, "callable")
  options = args.read("bench.split", options, known)
  local name = timing.name_of(fn, options)
  local limits = options.limits
  if limits == nil then limits = share.known end
  if limits then args.check("bench.split", "limits", limits, "callable") end
  local checked = timing.check("bench.split", options)
  local _ <close> = state.keep()
  timing.prepare(checked)
  local sampler = sample.new(fn, checked)
  sampler:warm_up()
  local task <close> = progress.task(name, sampler:planned() + RUNS)
  local figures = normal_run(sampler, task)
  idle.pause()
  local run = serialised_runs(fn, figures.calls, checked, task)
  return result.new(split.class, fields_of(name, figures, run, checked, limits))
end

return split
