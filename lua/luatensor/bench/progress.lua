--- What a run does and how long it will take.

local progress = {}

local task = {}
task.__index = task

--- Starts a task of `total` steps' weight. Tasks nest: an inner one divides the current step of the outer one.
-- @string title
-- @number total
-- @treturn table with the methods step and finish
function progress.task(title, total)
  return setmetatable({title = title, total = total, done = 0}, task)
end

--- Says what comes now.
-- @string text
-- @number[opt=1] weight share of the total
function task:step(text, weight)
  self.text, self.done = text, self.done + (weight or 1)
end

--- The task is over.
function task:finish() self.done = self.total end

return progress
