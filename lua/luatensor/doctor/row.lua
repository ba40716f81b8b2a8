--- The result of a stage of `luatensor doctor`, which collects the child's messages.

local row = {}
row.__index = row

--- The results of a stage. Stages with the results in `bad` fail the run.
row.bad = {wrong = true, crashed = true, ["no answer"] = true, interrupted = true}

local MOST <const> = 50              -- problems and omissions that are kept; more have the same cause
local OFF <const> = 2                -- a figure is flagged if it is this many times as bad as projected

--- Makes the row of a stage that was not run yet.
function row.new(stage)
  return setmetatable({
    name = stage.name, title = stage.title, result = "sound", seconds = 0.0, passed = 0, failed = 0, problems = {},
    left_out = {}, figures = {},
  }, row)
end

local function add(list, item)
  if #list < MOST then list[#list + 1] = item end
end

-- Sets figure.ratio: measured / projected for rates, projected / measured for seconds. Less than 1 is slower than
-- projected.
local function judge(figure)
  if not figure.projected then return end
  local ratio = figure.value / figure.projected
  figure.ratio = figure.unit == "s" and 1 / ratio or ratio
  figure.flagged = (figure.ratio < 1 / OFF or figure.ratio > OFF) or nil
end

--- Reads a message of the child.
function row:take(message)
  if message.doing then self.doing = message.doing end
  if message.passed then self.passed = self.passed + 1 end
  if message.problem then
    self.failed = self.failed + 1
    add(self.problems, message.problem)
  end
  if message.left_out then add(self.left_out, message.left_out) end
  if message.about then self.about = message.about end
  if message.kernels then self.kernels = message.kernels end
  if message.skipped then self.skipped = message.skipped end
  if message.figure then
    judge(message.figure)
    add(self.figures, message.figure)
  end
end

-- Returns the names of the flagged figures.
local function flagged(self)
  local names = {}
  for _, figure in ipairs(self.figures) do
    if figure.flagged then names[#names + 1] = figure.name end
  end
  return names
end

--- Sets the result of a stage that has ended.
-- @tab self
-- @number seconds that it took
-- @string[opt] ended how the child ended, if it did not complete the stage
-- @string[opt] output the last line of its other output
function row:finish(seconds, ended, output)
  self.seconds = seconds
  if ended then
    self.result = ended:find "^no answer" and "no answer" or ended:find "^interrupted" and "interrupted" or "crashed"
    self.ended, self.output = ended, output ~= "" and output or nil
  elseif self.failed > 0 then
    self.result = "wrong"
  elseif self.skipped then
    self.result = "skipped"
  elseif #flagged(self) > 0 then
    self.result = "flagged"
  end
  if not ended then self.doing = nil end
end

local function more(count) return count > 0 and (" (and %d more)"):format(count) or "" end

--- Returns the remark of the table: the most important of what is known about a stage.
function row.remark(self)
  local parts = {}
  local function put(text, ...) parts[#parts + 1] = text:format(...) end
  if self.ended then
    put("%s%s%s", self.ended, self.doing and " at: " .. self.doing or "", self.output and ": " .. self.output or "")
  end
  if self.skipped then put("skipped: %s", self.skipped) end
  if self.about then put("%s", self.about) end
  if self.failed > 0 then put("%s%s", self.problems[1], more(self.failed - 1)) end
  if self.passed > 0 then put("%d %s right", self.passed, self.passed == 1 and "check" or "checks") end
  local names = flagged(self)
  if #names > 0 then put("not as projected: %s", table.concat(names, ", ")) end
  if #self.left_out > 0 then put("left out: %s%s", self.left_out[1], more(#self.left_out - 1)) end
  return table.concat(parts, "; ")
end

return row
