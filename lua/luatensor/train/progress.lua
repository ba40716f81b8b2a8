--- train.progress, a loop with a line that shows how far it is.
-- @submodule luatensor.train

local args = require "luatensor.base.args"
local arity = require "luatensor.base.arity"
local blame = require "luatensor.base.blame"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local status_line = require "luatensor.base.status_line"

local Progress = {class_name = "Progress", __name = "progress"}
Progress.__index = Progress

local PAUSE <const> = 0.1            -- seconds between two drawings, because reading a value waits for a GPU
local NOTEBOOK <const> = 79          -- columns of the line in a notebook

--- The stream and the clock. Specs replace them.
Progress._stream, Progress._clock = io and io.stderr, core.clock

-- Returns the stream of the line. A notebook shows the standard error on red, as errors.
local function stream_of(self)
  return self.in_notebook and self._stream == io.stderr and io.stdout or self._stream
end

-- ---- sources ----

local function counter(n)
  local i = 0
  return function()
    i = i + 1
    if i <= n then return i end
  end
end

-- Returns the function that starts an iterator, and the number of its steps, which is nil if it is unknown.
local function start_of(source, total)
  if math.type(source) == "integer" and source >= 0 then return function() return counter(source) end, source end
  if type(source) == "function" then return function() return source end, total end
  local kind = core.type_name(source)
  if type(source) == "table" and kind ~= "library" and kind ~= "class" and type(source.batches) == "function" then
    return function() return source:batches() end, #source
  end
  blame.fail("progress", "loader, number of steps or iterator expected, got %s",
             math.type(source) == "integer" and source or kind)
end

local known = {title = {"string", default = ""}, total = "count", every = {"positive", default = 30}}

--- Makes a loop that shows its progress in a line: the number of steps, the values of `set`, and the remaining time.
-- The line is on the standard error, in a notebook on the standard output. On a terminal and in a notebook the line
-- rewrites itself. In a file there is a line from time to time.
--
--     local bar = train.progress(loader, {title = "epoch 1"})
--     for x, y in bar:batches() do
--       local loss = step(x, y)
--       bar:set{loss = loss}
--     end
--
-- @function train.progress
-- @param source a loader; the number n of steps, for the numbers 1 … n; or an iterator function, such as
--   io.lines(path)
-- @tparam[opt] table options `title` (""): the beginning of the line; `total`: the number of steps of an iterator;
--   `every` (30): seconds between two lines in a file
-- @treturn Progress
local function progress(source, options)
  local self = args.read("progress", options, known)
  self.start, self.total = start_of(source, self.total)
  self.values = {}
  return setmetatable(self, Progress)
end

-- ---- the line ----

local function value_text(value)
  if core.is_tensor(value) then value = core.gone(value) and "freed" or value:item() end
  if type(value) ~= "number" then return tostring(value) end
  if value ~= value then return "nan" end
  return clocale.format(math.type(value) == "integer" and "%d" or "%.4g", value)
end

-- Returns ", accuracy 0.98, loss 0.02", with the names sorted.
local function values_text(values)
  local list = {}
  for name in pairs(values) do list[#list + 1] = name end
  clocale.sort(list)
  for i, name in ipairs(list) do list[i] = (", %s %s"):format(name, value_text(values[name])) end
  return table.concat(list)
end

-- Returns the line: "epoch 1: 12 of 40, loss 0.5"; after the loop "epoch 1: 40 of 40 in 3.2 s, loss 0.5".
local function line_of(self, seconds)
  local title = self.title == "" and "" or self.title .. ": "
  local total = self.total and (" of %d"):format(self.total) or ""
  local time = seconds and clocale.format(" in %.1f s", seconds) or ""
  return ("%s%d%s%s%s"):format(title, self.done, total, time, values_text(self.values))
end

local function left_of(self, now)
  if not self.total or self.done == 0 or self.done >= self.total then return "" end
  return status_line.in_words((now - self.started) / self.done * (self.total - self.done))
end

-- Shows the line at time `now`. A notebook does not know the terminal's command that erases the rest of a line.
local function show(self, now)
  local text, left, stream = line_of(self), left_of(self, now), stream_of(self)
  self.next = now + (self.columns and PAUSE or self.every)
  if not self.columns then
    stream:write(text, left, "\n")
  elseif self.in_notebook then
    stream:write("\r", text, left, (" "):rep(self.columns - utf8.len(text .. left)))
  else
    status_line.draw(stream, text, left, self.columns)
  end
  stream:flush()
end

local function finish(self)
  if not self.running then return end
  self.running = false
  local _ <close> = self.ending              -- the iterator's closing value, which gives a loader its workers back
  local stream = stream_of(self)
  if not stream then return end
  if self.columns and not self.in_notebook then status_line.clear(stream) end
  local text = line_of(self, self._clock() - self.started)
  if self.in_notebook then text = "\r" .. text .. (" "):rep(self.columns - utf8.len(text)) end
  stream:write(text, "\n")
  stream:flush()
end

-- ---- the loop ----

--- Starts the loop: `for x, y in bar:batches() do`. Each call starts again. When the loop ends, also by `break` or an
-- error, the line is completed with the time that the loop took.
-- @function Progress:batches
-- @treturn function an iterator of the values of the source
function Progress:batches()
  finish(self)
  local iterator, _, _, ending = self.start()
  self.iterator, self.ending, self.done, self.started, self.running = iterator, ending, -1, self._clock(), true
  self.in_notebook = package.loaded["luatensor.notebook"] ~= nil
  self.columns = self.in_notebook and NOTEBOOK or status_line.columns()
  self.next = self.started + (self.columns and PAUSE or self.every)
  return self, nil, nil, self
end

local function pass_on(self, value, ...)
  if value == nil then
    finish(self)
    return nil
  end
  return value, ...
end

function Progress.__call(self)
  if not self.iterator then blame.fail("progress", "is not called: `for x, y in bar:batches() do`") end
  self.done = self.done + 1
  local now = self._clock()
  if self.running and self._stream and now >= self.next then show(self, now) end
  return pass_on(self, self.iterator())
end

Progress.__close = finish

--- Sets values that the line shows: `bar:set{loss = loss}`. Tensors are read only when the line is drawn, so the loop
-- does not wait for a GPU in each step.
-- @function Progress:set
-- @tab values numbers, strings and tensors of one element, by name; other values stay
function Progress:set(values)
  if core.type_name(values) ~= "table" then blame.fail("set", "table expected, got %s", core.type_name(values)) end
  for name, value in pairs(values) do
    if core.is_tensor(value) then
      if value.size ~= 1 then
        blame.fail("set", "%s: a tensor of one element expected, the shape is %s", tostring(name),
                   args.shape_text(value.shape))
      end
      value = value:detach()
    end
    self.values[name] = value
  end
end

arity.class(Progress, {set = true, batches = true}, "bar")

return {progress = progress}
