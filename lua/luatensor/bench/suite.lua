--- Combines several results into one, and runs the suite of `luatensor bench`: the suite times the functions that
-- scripts use most, each at a small and at a large size, on every device.

local lt = require "luatensor"
local args = require "luatensor.base.args"
local document = require "luatensor.page.document"
local format = require "luatensor.page.format"
local interrupt = require "luatensor.bench.interrupt"
local caveats = require "luatensor.bench.notes"
local machine = require "luatensor.bench.machine"
local progress = require "luatensor.bench.progress"
local result = require "luatensor.bench.result"
local statistics = require "luatensor.bench.statistics"
local timing = require "luatensor.bench.timing"

local suite = {}

-- ---- the page -----------------------------------------------------------------------------------

local function append(blocks, more)
  for _, block in ipairs(more) do blocks[#blocks + 1] = block end
end

local columns = {
  {name = "function", unit = "text"}, {name = "size", unit = "text"}, {name = "median", unit = "s"},
  {name = "spread", unit = "share"}, {name = "memory", unit = "B/s"}, {name = "arithmetic", unit = "FLOP/s"},
  {name = "of limit", unit = "share"}, {name = "limit", unit = "text"},
}

local function row_of(timed)
  local work, share = timed.work, timed.share or {}
  return {
    work.name, work.size, timed.median, statistics.spread(timed), work.bytes / timed.median,
    work.flops and work.flops / timed.median or false, share.value or false, share.limit or "",
  }
end

-- Makes a table for each device that the suite timed. Results of other kinds are shown by their own blocks.
local function tables(self)
  local blocks, rows_of = {}, {}
  for _, each in ipairs(self.results) do
    if not each.work then
      append(blocks, each:blocks())
    else
      local rows = rows_of[each.device]
      if not rows then
        rows = {}
        rows_of[each.device] = rows
        local title = format.device(each) .. ", " .. (each.dtype or self.dtype)
        if each.emulated then title = title .. ": " .. caveats.NOTHING end
        blocks[#blocks + 1] = document.table{title = title, columns = columns, rows = rows}
      end
      rows[#rows + 1] = row_of(each)
    end
  end
  return blocks
end

-- Returns a note for each result that was faster than the measured limit of its device, and one note on the largest
-- share of the processor that other processes used.
local function notes(results)
  local blocks, most = {}, 0
  for _, each in ipairs(results) do
    local note = each.share and each.share.note
    if note then
      local values = {who = {each.name, "text"}}
      for name, value in pairs(note.values) do values[name] = value end
      blocks[#blocks + 1] = document.note("{who}: " .. note.text, values)
    end
    most = math.max(most, each.work and each.others or 0)
  end
  if most > caveats.OTHERS then
    blocks[#blocks + 1] = document.note("Others used up to {share} of the processor meanwhile: measure again when the "
      .. "machine is idle.", {share = {most, "share"}})
  end
  return blocks
end

local methods = {}

--- Returns the blocks of the result's page. Every class of results has this method.
function methods:blocks()
  local blocks = tables(self)
  append(blocks, notes(self.results))
  for _, problem in ipairs(self.problems) do blocks[#blocks + 1] = document.note("{it}", {it = {problem, "text"}}) end
  if self.incomplete then blocks[#blocks + 1] = document.note("{it}", {it = {self.incomplete, "text"}}) end
  return blocks
end

--- Returns the named figures that bench.diff compares.
function methods:timings()
  local list = {}
  for _, each in ipairs(self.results) do
    if each.timings then append(list, each:timings()) end
  end
  return list
end

-- Fields of the class: name, results (a list), problems (texts about failures), incomplete, emulated (true if a result
-- is). Each result that the suite timed itself has the fields work {name =, n =, size =, bytes =, flops =} and share.
local class = result.class("suite", methods, {
  name = "string", results = {"result"}, problems = {"string"}, incomplete = "string?", emulated = "boolean?",
})

--- Combines several results into one result.
-- @string name of the combined result
-- @tab results
-- @tab[opt] problems texts about the failures
-- @string[opt] incomplete for an interrupted run: a text that says how much of the work is done
-- @treturn table a result of kind "suite"
function suite.new(name, results, problems, incomplete)
  local emulated
  for _, each in ipairs(results) do emulated = emulated or each.emulated end
  return result.new(class, {
    name = name, results = results, problems = problems or {}, incomplete = incomplete, emulated = emulated,
  })
end

-- ---- the suite of `luatensor bench` -------------------------------------------------------------

local function vector(n, kind) return lt.rand(n, kind) end
local function square(n, kind) return lt.rand(n, n, kind) end

local LIMITS <const> = 8             -- cost of measuring unknown limits, in steps of the progress bar

local function all(times) return function(n) return times * n end end
local function squares(times) return function(n) return times * n * n end end

-- sizes: the small and the large n. square: true if the operands are n × n matrices. make(n, kind) returns the function
-- to time, for size n and options kind = {dtype =, device =}. elements(n): the number of elements that a call reads or
-- writes. flops(n): the number of additions and multiplications, if arithmetic limits the speed. limit: the kind of
-- limit, as for machine.share; nil if none is known.
local functions = {
  {name = "rand", sizes = {1000, 30000000}, elements = all(1),     -- no limit: the write-only bandwidth is not measured
    make = function(n, kind) return function() return lt.rand(n, kind) end end},
  {name = "x + y", sizes = {1000, 30000000}, elements = all(3), limit = "copy",
    make = function(n, kind)
      local x, y = vector(n, kind), vector(n, kind)
      return function() return x + y end
    end},
  {name = "exp", sizes = {1000, 30000000}, elements = all(2), limit = "copy",
    make = function(n, kind)
      local x = vector(n, kind)
      return function() return x:exp() end
    end},
  {name = "sum", sizes = {1000, 30000000}, elements = all(1), limit = "read",
    make = function(n, kind)
      local x = vector(n, kind)
      return function() return x:sum() end
    end},
  {name = "x.T, copied", sizes = {32, 3000}, square = true, elements = squares(2), limit = "copy",
    make = function(n, kind)
      local x = square(n, kind)
      return function() return x.T:contiguous() end
    end},
  {name = "softmax", sizes = {32, 3000}, square = true, elements = squares(2), limit = "copy",
    make = function(n, kind)
      local x = square(n, kind)
      return function() return x:softmax(2) end
    end},
  {name = "x @ y", sizes = {32, 2000}, square = true, elements = squares(3), limit = "flops",
    flops = function(n) return 2 * n ^ 3 end,
    make = function(n, kind)
      local x, y = square(n, kind), square(n, kind)
      return function() return x:matmul(y) end
    end},
  {name = "sort", sizes = {1000, 1000000}, elements = all(2),
    make = function(n, kind)
      local x = vector(n, kind)
      return function() return (x:sort()) end
    end},
}

--- Returns the name, the size, the bytes and the flops of a row's function at size n.
local function work_of(row, n, dtype)
  return {
    name = row.name, n = n, size = row.square and ("%d × %d"):format(n, n) or tostring(n),
    bytes = row.elements(n) * (lt.finfo(dtype).bits // 8), flops = row.flops and row.flops(n) or nil,
  }
end

-- Returns {value = the reached share of the device's measured limit, limit = the limit's name, note =}. If the share
-- is unknown, `value` is nil, and `limit` is the reason. Returns nil for functions without a known limit and for
-- emulated devices.
local function share_of(timed, work, kind, settings)
  if not kind or timed.emulated then return nil end
  local rate = (kind == "flops" and work.flops or work.bytes) / timed.median
  local value, name, note = machine.share(rate, kind, settings.device, settings.dtype, work.bytes)
  return {value = value, limit = name, note = note}
end

local function measure(row, n, settings)
  local fn = row.make(n, {device = settings.device, dtype = settings.dtype})
  local work = work_of(row, n, settings.dtype)
  local timed = timing.time(fn, {name = ("%s, %s, %s"):format(row.name, work.size, settings.device),
    seconds = settings.seconds, device = settings.device})
  timed.work, timed.share = work, share_of(timed, work, row.limit, settings)
  return timed
end

-- Returns the functions whose names contain the text `only`, or all functions if `only` is nil.
local function named(only)
  local found, names = {}, {}
  for i, row in ipairs(functions) do
    names[i] = row.name
    if not only or row.name:find(only, 1, true) then found[#found + 1] = row end
  end
  if #found == 0 then args.fail("bench", "no function has %q in its name: %s", only, table.concat(names, "; ")) end
  return found
end

-- Returns the steps of the suite, each {row, n, device}: every function at its small and its large size n, on every
-- device. On an emulator only the small sizes are run, to show that the functions work.
local function plan(devices, only)
  local steps = {}
  for _, device in ipairs(devices) do
    for _, row in ipairs(named(only)) do
      for i = 1, device.emulated and 1 or #row.sizes do steps[#steps + 1] = {row, row.sizes[i], device} end
    end
  end
  return steps
end

-- Returns the devices to measure, as lt.devices describes them, and the names of the real devices.
local function devices_of(wanted)
  local list, real = {}, {}
  for _, info in ipairs(lt.devices()) do
    if not wanted or info.device == wanted then
      list[#list + 1] = info
      real[#real + 1] = not info.emulated and info.device or nil
    end
  end
  return list, real
end

-- Runs a step. A failure, such as a lack of memory, is added to the problems. Returns true after Ctrl-C.
local function try(step, settings, results, problems)
  settings.device = step[3].device
  local ok, timed = pcall(measure, step[1], step[2], settings)
  if ok then
    results[#results + 1] = timed
  elseif interrupt.is(timed) then
    return true
  else
    problems[#problems + 1] = ("%s, %d, %s: %s"):format(step[1].name, step[2],
      format.device(step[3]), timed)
  end
  lt.empty_cache()
end

--- Runs the suite.
-- @tab options `device` (default: all devices of this machine), `dtype` ("float32"), `seconds` of a measurement
--   (0.2), `only`: a text; only functions with this text in their names are timed
-- @treturn table a result of kind "suite"
function suite.run(options)
  options = args.options("bench", options, {device = true, dtype = true, seconds = true, only = true})
  local settings = {dtype = options.dtype or "float32", seconds = options.seconds or 0.2}
  local devices, real = devices_of(options.device)
  local steps, results, problems = plan(devices, options.only), {}, {}
  local task <close> = progress.task("bench", #steps + LIMITS, {seconds = 3 * settings.seconds * (#steps + LIMITS)})
  task:step("this machine's limits", LIMITS)
  if #real > 0 then
    machine.machine{devices = real, seconds = settings.seconds < 0.2 and settings.seconds or machine.SECONDS}
  end
  for i, step in ipairs(steps) do
    task:step(("%s, %d, %s"):format(step[1].name, step[2], step[3].device))
    if try(step, settings, results, problems) then
      interrupt.raise(suite.new("bench", results, problems, ("stopped after %d of %d functions"):format(i - 1, #steps)))
    end
  end
  return suite.new("bench", results, problems)
end

return suite
