--- Helpers for the scripts of the notebook's experiments (`examples/`), and functions that find and run the scripts.
-- @module luatensor.experiment

require "luatensor.base.outside".check_measuring "luatensor.experiment"
local lt = require "luatensor"
local arguments = require "luatensor.cli.arguments"
local core = require "luatensor.core"
local described = require "luatensor.bench.fields"
local document = require "luatensor.page.document"
local format = require "luatensor.page.format"
local idle = require "luatensor.bench.idle"
local interrupt = require "luatensor.bench.interrupt"
local notes = require "luatensor.bench.notes"
local notebook = require "luatensor.experiment.notebook"
local progress = require "luatensor.bench.progress"
local result = require "luatensor.bench.result"
local scripts = require "luatensor.experiment.find"
local statistics = require "luatensor.bench.statistics"
local terminal = require "luatensor.page.terminal"

local experiment = {}

--- True if experiments return their results without printing them.
experiment.quiet = false

-- ---- devices in words ---------------------------------------------------------------------------

local function info_of(device)
  for _, info in ipairs(lt.devices()) do
    if info.device == device then return info end
  end
end

--- Describes a device in words: name, cores, instruction set or compute capability, threads in use (only for a CPU),
-- memory, software. Returns the name of an unknown device unchanged.
-- @string device
-- @treturn string
function experiment.describe(device)
  local info = info_of(device)
  if not info then return device end
  local words = {info.name}
  if info.cores then
    words[2] = info.cores .. " " .. format.noun(info.cores, info.kind == "cpu" and "core" or "multiprocessor")
  end
  if info.isa then      -- a number only for NVIDIA
    words[#words + 1] = info.isa:find "^%d" and "compute capability " .. info.isa or info.isa
  end
  if info.kind == "cpu" then
    local threads = lt.get_num_threads()
    words[#words + 1] = ("%d %s in use"):format(threads, format.noun(threads, "thread"))
  end
  if info.memory then words[#words + 1] = format.show(info.memory, "B") end
  words[#words + 1] = info.software
  return ("%s: %s"):format(format.device(info), table.concat(words, ", "))
end

--- True if a device is an emulator, whose times say nothing about a GPU.
-- @string device
-- @treturn boolean
function experiment.is_emulated(device)
  local info = info_of(device)
  return info ~= nil and info.emulated == true
end

--- Returns a device's name, followed by "(emulated)" if the device is emulated.
-- @string device
-- @treturn string
function experiment.name_of(device) return format.marked(device, experiment.is_emulated(device)) end

--- Returns caveats about the figures of a device: the reason why no GPU was found, or the warning that an emulator is
-- not a GPU.
-- @string device
-- @treturn table list of notes, which may be empty
function experiment.caveats(device)
  local missing = core.no_accelerator()
  if missing then return {document.note("{missing}", {missing = {missing, "text"}})} end
  if not experiment.is_emulated(device) then return {} end
  return {document.note(notes.EMULATOR)}
end

-- ---- results ------------------------------------------------------------------------------------

-- Returns the blocks above an experiment's figures: title, question, device, and the reason why there is no GPU.
local function head_of(self)
  local blocks = {
    document.text("{name}: {title}", {name = {self.name, "text"}, title = {self.title, "text"}}),
    document.text("{question}", {question = {self.question, "text"}}),
  }
  if self.where then blocks[#blocks + 1] = document.text("{where}", {where = {self.where, "text"}}) end
  if self.without then blocks[#blocks + 1] = document.note("{without}", {without = {self.without, "text"}}) end
  return blocks
end

-- The fields of the result:
--
--     name, title, question
--     options      the values of the options in this run
--     claims       the numbers of the notebook's claims that the experiment tests
--     device       the value of option device; nil if the script has no such option
--     emulated     true if the device, or a device of `results` or `values`, is emulated
--     incomplete   after Ctrl-C, the point at which the run stopped
--     where        the device in words
--     without      the reason why there is no GPU
--     values       {name = {value =, unit =, device =, emulated =}}
--     body         the list of the blocks of the page
--     results      results of lt.bench or lt.advise that the script showed
--     others       the share of the processor that other processes used (0 … 1)
local class = result.class("experiment", {
  head = head_of,
  blocks = function(self) return self.body end,
}, {
  name = "string", title = "string", question = "string", claims = {"number"}, options = described.map "any",
  device = "string?", where = "string?", without = "string?", emulated = "boolean?", body = {"block"},
  values = described.map{value = "number", unit = "string", device = "string?", emulated = "boolean?"},
  results = {"result"}, others = "number?", incomplete = "string?",
})

function class.__tostring(self)
  return terminal.page(self:head()) .. "\n" .. terminal.page(self:blocks())
end

-- ---- a run --------------------------------------------------------------------------------------

local run = {}
run.__index = run

local function show(self, block)
  if experiment.quiet then return end
  progress.clear()
  print((terminal.is_apart(block, self.shown) and "\n" or "") .. terminal.block(block))
  io.stdout:flush()                    -- flushed so that a reader at the end of a pipe gets each figure at once
  self.shown = block
end

local function say(self, block)
  table.insert(self.fields.body, block)
  show(self, block)
end

-- Returns the values for the names in braces in `text`. A given value takes precedence over a value of the run, and a
-- value of the run over an option.
local function values_in(self, text, given)
  local values, found = {}, false
  for name in text:gmatch("{([%w_]+)}") do
    local value, option = self.fields.values[name], self.options[name]
    if given and given[name] then
      values[name] = given[name]
    elseif value then
      values[name] = {value.value, value.unit}
    elseif option ~= nil then
      option = name == "device" and experiment.name_of(option) or option
      values[name] = {option, type(option) == "number" and "count" or "text"}
    end
    found = true
  end
  return found and values or nil
end

--- Adds a paragraph. `{name}` in the text stands for one of `values`, for a value stored by run:value, or for an
-- option.
-- @string text
-- @tab[opt] values by name, each {value, unit}
function run:text(text, values) say(self, document.text(text, values_in(self, text, values))) end

--- Adds a caveat.
-- @string text
-- @tab[opt] values by name, each {value, unit}
function run:note(text, values) say(self, document.note(text, values_in(self, text, values))) end

--- Adds a table with the fields of luatensor.page.document.table.
-- @tab fields title, columns, rows
function run:table(fields) say(self, document.table(fields)) end

--- Adds a chart with the fields of luatensor.page.document.chart.
-- @tab fields title, x, y, series, bars
function run:chart(fields) say(self, document.chart(fields)) end

--- Announces the number of parts that run:time will measure, for the progress line on the terminal.
-- @int total
function run:expect(total) self.task = progress.task(self.fields.title, total) end

--- Times a part of the experiment by lt.bench.time, with the run's options `seconds` and `rounds`. If the rounds of a
-- part differ much, a note at the end of the result names the part.
-- @string name of the timed work
-- @tparam function work
-- @tab[opt] options of lt.bench.time; `device`: by default that of the run
-- @treturn table the result of lt.bench.time
function run:time(name, work, options)
  if self.task then self.task:step(name) end
  local own = self.options
  local wanted = {name = name, device = own.device, seconds = own.seconds, rounds = own.rounds}
  for option, value in pairs(options or {}) do wanted[option] = value end
  local timed = lt.bench.time(work, wanted)
  table.insert(self.timed, {name, experiment.name_of(timed.device), timed.threads, timed.median})
  if statistics.spread(timed) > notes.SPREAD and not self.unsteady[name] then
    self.unsteady[name] = true
    table.insert(self.unsteady, name)
  end
  return timed
end

--- Compiles a training step by lt.compile if the script was called with `--compile`. The result then ends with the
-- counts of the last compiled step.
-- @tparam function step
-- @treturn function the compiled step, or `step`
function run:compiled(step)
  if not self.options.compile then return step end
  self.step = lt.compile(step)
  return self.step
end

--- Adds the blocks of a result of lt.bench or lt.advise to this run's page, and the result itself to the field
-- `results`.
-- @tab shown
-- @treturn table the same result
function run:show(shown)
  for _, block in ipairs(shown:blocks()) do say(self, block) end
  table.insert(self.fields.results, shown)
  self.fields.emulated = self.fields.emulated or shown.emulated
  return shown
end

--- Shows the notebook's figures for a claim beside the values "seconds" and "queue_seconds" of this run. Shows
-- nothing if the run used other sizes, another dtype than float32, or an emulated device.
-- @int claim
function run:beside_notebook(claim)
  local block = notebook.beside(claim, {self.fields})
  if block then say(self, block) end
end

--- Stores a figure under a name in the field `values` of the result, which reports and scripts read.
-- @string name
-- @number value in SI units
-- @string unit known to luatensor.page.format
-- @string[opt] device the device of the measurement, if not that of option `device`
-- @treturn number the value
function run:value(name, value, unit, device)
  if type(value) ~= "number" or value ~= value or math.abs(value) == math.huge then
    error(("value %q: a finite number expected, got %s"):format(name, value ~= value and "nan" or tostring(value)), 2)
  end
  document.text("{x}", {x = {value, unit}})                             -- raises an error for an unknown unit
  device = device or self.fields.device
  local emulated = experiment.is_emulated(device) or nil
  self.fields.values[name] = {value = value, unit = unit, device = device, emulated = emulated}
  self.fields.emulated = self.fields.emulated or emulated
  return value
end

--- Iterates from 1 to `total`, and shows the progress on a terminal. Because rounds may be short, the iterator reads
-- the clock about ten times a second instead of in every round, and draws nothing in the first 0.5 seconds.
-- @int total
-- @treturn function for a `for` loop
function run:rounds(total)
  local start, look = lt.clock(), 1
  self.done, self.total, self.started = 0, total, start
  return function()
    local done = self.done
    if done >= total then
      self:end_rounds()
      return nil
    elseif done >= look then
      local seconds = lt.clock() - start
      look = done + 1 + done // (10 * seconds + 1)
      if seconds > 0.5 then
        self.task = self.task or progress.task(self.fields.title, total)
        self.task:reach(done, ("round %d of %d"):format(done + 1, total))
      end
    end
    self.done = done + 1
    return done + 1
  end
end

function run:end_rounds()
  if self.task then self.task:finish() end
  self.task, self.done = nil, nil
end

local function restore(self)
  self.over = true
  self:end_rounds()
  lt.set_num_threads(self.threads_before)
end

-- Adds notes to the result: on timings whose rounds differ, on other processes that used the processor, and on an
-- emulated device.
local function caveats(self)
  local fields = self.fields
  if #self.unsteady > 0 then
    self:note("Rounds of {names} differ: the quartiles are more than {spread} of the median apart.",
      {names = {table.concat(self.unsteady, ", "), "text"}, spread = {notes.SPREAD, "share"}})
  end
  fields.others = self.watch:others()
  if fields.others and fields.others > idle.BUSY then
    self:note("Others used {share} of the processor meanwhile: measure again when the machine is idle.",
      {share = {fields.others, "share"}})
  end
  if fields.emulated then self:note(notes.EMULATOR) end
end

local function conclude(self)
  if self.step then self:text("The training step is a {compiled}.", {compiled = {tostring(self.step), "text"}}) end
  caveats(self)
  local finished = result.new(class, self.fields)
  restore(self)
  return finished
end

--- Ends the experiment, and restores the number of threads.
-- @treturn table its result, of kind "experiment"
function run:finish() return conclude(self) end

-- Shows a table of all timings of run:time so far, because an interrupted script has not shown all of them itself.
local function say_timed(self)
  if #self.timed == 0 then return end
  self:table{
    title = "Measured so far",
    columns = {
      {name = "what", unit = "text"}, {name = "on", unit = "text"}, {name = "threads", unit = "count"},
      {name = "a call", unit = "s"},
    },
    rows = self.timed,
  }
end

-- Ends a run after Ctrl-C. The raised interruption contains the measurements so far as a result.
local function stop(self, problem)
  local partial = interrupt.partial(problem)
  local incomplete = partial and partial.incomplete or "stopped"
  say_timed(self)
  if partial then
    for _, block in ipairs(partial:blocks()) do say(self, block) end
  end
  if self.done then
    incomplete = ("stopped in round %d of %d"):format(self.done, self.total)
    self:text("The rounds so far took {seconds}.", {seconds = {lt.clock() - self.started, "s"}})
    self:end_rounds()
  end
  self.fields.incomplete = incomplete
  self:note("Ctrl-C: {incomplete}. What stands above was measured before.", {incomplete = {incomplete, "text"}})
  interrupt.raise(conclude(self))
end

-- Called when the script's `<close>` variable goes out of scope. After an error the run has no result, but the number
-- of threads is restored. After Ctrl-C the result contains the measurements so far.
function run:__close(problem)
  if self.over then return end
  if interrupt.is(problem) then stop(self, problem) end
  restore(self)
end

local function fields_of(spec, options)
  local fields = {
    name = spec.name, title = spec.title, question = spec.question, claims = spec.claims, options = options,
    device = options.device, values = {}, body = {}, results = {},
  }
  if fields.device then
    fields.where = experiment.describe(fields.device)
    fields.without = core.no_accelerator()
    fields.emulated = experiment.is_emulated(fields.device) or nil
  end
  return fields
end

--- Starts an experiment: reads the script's options, and prints title and question. Scripts keep the returned run in
-- a `<close>` variable: even if an error or Ctrl-C ends the script, the run then restores the number of threads. After
-- Ctrl-C the result contains the measurements so far.
-- @tab argv the script's arguments: `{...}`
-- @tab spec name (of the script), title, question, claims (their numbers in docs/notebook.md), options and check (as
--   in luatensor.cli.arguments.read)
-- @treturn table with the field options and the methods above; the script calls the method `finish` last
function experiment.start(argv, spec)
  scripts.answer(spec)
  local threads = lt.get_num_threads()
  local options = arguments.read(argv, spec.title .. ": " .. spec.question, spec.options, spec.check)
  local self = setmetatable({
    options = options, fields = fields_of(spec, options), threads_before = threads, timed = {}, unsteady = {},
    watch = idle.watch(),
  }, run)
  for _, block in ipairs(head_of(self.fields)) do show(self, block) end
  return self
end

-- ---- finding and running ------------------------------------------------------------------------

--- Finds an experiment's script: in luatensor/examples/ if luatensor is installed, in examples/ of a checkout.
-- @string name "02_large", "2" or "large"
-- @treturn[1] string path
-- @treturn[2] nil
-- @treturn[2] string the reason; for an unknown name, with the most similar name or with all names
experiment.find = scripts.find

--- Lists the experiments.
-- @treturn {table,...} each {name =, title =, question =, claims =, options = as for experiment.start}
experiment.list = scripts.list

local loud = {__close = function(self) experiment.quiet = self.before end}

--- Runs an experiment.
-- @string name
-- @tab[opt] argv arguments of the script, such as {"--device", "cpu"}
-- @bool[opt] quiet if true, the experiment prints nothing
-- @treturn[1] table its result
-- @treturn[2] nil
-- @treturn[2] string the reason, if there is no such experiment or its script is not installed
-- @raise the errors of the script
function experiment.run(name, argv, quiet)
  local script, problem = scripts.load(name)
  if not script then return nil, problem end
  local _ <close> = setmetatable({before = experiment.quiet}, loud)
  experiment.quiet = quiet or experiment.quiet
  return script(table.unpack(argv or {}))
end

return experiment
