--- Shows the current step and the remaining time of a run: one line on the terminal, which appears after a second and
-- is removed at the end. The line goes to the standard error, never into results. In a pipe nothing is shown, or a
-- line for each step if the task has option `lines`.
--
--    local task <close> = progress.task("crossover", #sizes)
--    for _, n in ipairs(sizes) do
--      task:step(n .. " × " .. n, weight)     -- before each step
--      measure(n)
--    end                                      -- the end of the block, also by an error, removes the line
--
-- Code that prints while a task runs calls progress.clear() first. The line is drawn only at the start of a step, so
-- it does not disturb measurements. A long first step shows from its start only if at_once is set, or if the task's
-- duration is known beforehand.

local lt = require "luatensor"
local status_line = require "luatensor.base.status_line"

local progress = {}

local task = {}
task.__index = task

-- The running tasks, the outermost first. The current step of each task contains the whole next task.
local tasks = {}

local SHOWN_AFTER = 1                -- seconds from the start until the line appears; shorter runs need no line
local KNOWN = 0.1                    -- the share of the work that must be done before the remaining time is shown
local PAUSE = 0.1                    -- seconds between two drawings, because writing costs some microseconds

local state = {drawn = false, next = 0}

-- ---- the text of the line -----------------------------------------------------------------------

-- Returns the share of all the work that is done (0 … 1).
local function share_done()
  local done, width = 0, 1
  for _, t in ipairs(tasks) do
    done = done + width * math.min(t.done / t.total, 1)
    width = width * math.max(0, math.min(t.current, t.total - t.done)) / t.total
  end
  return done
end

-- Returns the remaining seconds, or nil if they are unknown. `elapsed` is the seconds so far, `done` the share of the
-- work that is done. `told` is the task's own estimate of all seconds, or nil. The weight of this estimate falls from 1
-- at the start to 0 when a fifth of the work is done.
local function seconds_left(elapsed, done, told)
  local measured = done > 0 and elapsed / done * (1 - done)
  if not told then return done >= KNOWN and measured or nil end
  local trust = math.min(1, 5 * done)
  return trust * (measured or 0) + (1 - trust) * math.max(0, told - elapsed)
end

-- Returns the number of the step, such as " (2 of 12)"; "" for a single step or if the steps have different weights.
local function position(t)
  return t.alike and t.total >= 2 and t.steps <= t.total and (" (%d of %d)"):format(t.steps, t.total) or ""
end

-- Returns the text of the line, such as "crossover: 256 × 256 (2 of 12) · cuda:0", and ", about 20 s left".
local function describe(now)
  local first, parts = tasks[1], {}
  for i, t in ipairs(tasks) do
    if t.text then parts[#parts + 1] = t.text .. (i == 1 and position(t) or "") end
  end
  local left = status_line.in_words(seconds_left(now - first.start, share_done(), first.seconds))
  return ("%s%s%s"):format(first.title, #parts > 0 and ": " or "", table.concat(parts, " · ")), left
end

-- ---- output -------------------------------------------------------------------------------------

--- True if the progress line appears at the first step instead of after a second. The command `luatensor` sets this
-- field.
progress.at_once = false

--- The stream to which the line is written. Specs replace this stream.
progress.stream = io.stderr
progress.clock = lt.clock

progress.columns = status_line.columns

--- Removes the line. Called before other output, and at the end of the outermost task.
function progress.clear()
  if not state.drawn then return end
  status_line.clear(progress.stream)
  state.drawn, state.next = false, 0
end

local function draw(now)
  local text, left = describe(now)
  status_line.draw(progress.stream, text, left, state.columns)
  state.drawn, state.next = true, now + PAUSE
end

-- Prints a line for a step if the output is not a terminal. Only steps of the outermost task with option `lines`
-- print.
local function print_step(t)
  if t ~= tasks[1] or not t.lines then return end
  progress.stream:write(("%s: %s%s\n"):format(t.title, t.text, position(t)))
  progress.stream:flush()
end

local function show(t)
  if not state.columns then return print_step(t) end
  local first, now = tasks[1], progress.clock()
  local long = progress.at_once or now - first.start >= SHOWN_AFTER or (first.seconds or 0) > SHOWN_AFTER
  if long and now >= state.next then draw(now) end
end

-- ---- tasks --------------------------------------------------------------------------------------

--- Starts a task. Tasks nest: an inner task divides the current step of the outer task.
-- @string title
-- @number total the sum of the weights of all steps
-- @tab[opt] options seconds: the expected duration; if it is above a second, the line appears at the start; lines:
--   if true and the standard error is no terminal, the task prints a line for each step
-- @treturn table with the methods step, reach and finish; a `<close>` variable with this table finishes the task
function progress.task(title, total, options)
  options = options or {}
  if #tasks == 0 then state.columns, state.next = progress.columns(), 0 end
  tasks[#tasks + 1] = setmetatable({
    title = title, total = math.max(total, 1e-9), seconds = options.seconds, lines = options.lines,
    start = progress.clock(), done = 0, current = 0, steps = 0, alike = math.type(total) == "integer",
  }, task)
  return tasks[#tasks]
end

local function place_of(t)
  for i = 1, #tasks do
    if tasks[i] == t then return i end
  end
end

--- Announces the next step.
-- @string text
-- @number[opt=1] weight the step's part of the total
function task:step(text, weight)
  if not place_of(self) then return end
  self.done, self.current = self.done + self.current, weight or 1
  self.steps, self.text, self.alike = self.steps + 1, text, self.alike and self.current == 1
  if self == tasks[1] then state.next = 0 end
  show(self)
end

--- Reports that `done` of the total is done, for loops that do not report every round.
-- @number done
-- @string text
function task:reach(done, text)
  self.done, self.current, self.alike = done, 0, false
  self:step(text, 0)
end

--- Ends the task, and the tasks within it that an error left open.
function task:finish()
  local i = place_of(self)
  if not i then return end
  for k = #tasks, i, -1 do tasks[k] = nil end
  if i == 1 then progress.clear() end
end

task.__close = task.finish

return progress
