--- Tells the parent process what a stage of `luatensor doctor` finds. Each message is JSON between two control
-- characters, which JSON never contains, so that the parent tells messages from other output of the child.

local core = require "luatensor.core"
local interrupt = require "luatensor.bench.interrupt"
local json = require "luatensor.io.json"

local report = {}
report.__index = report

--- The control characters around a message.
report.FIRST, report.LAST = "\30", "\31"

--- Makes the report of a stage.
-- @tab options `device` (its name), `info` (its entry of lt.devices), `seconds` (for the whole stage), `out` (a file)
function report.new(options)
  local self = setmetatable({}, report)
  self.device, self.info, self.out = options.device, options.info, options.out
  self.seconds, self.ends = options.seconds, core.clock() + options.seconds
  return self
end

--- Sends a message: a table with one of the fields that luatensor.doctor.row reads.
function report:send(message)
  self.out:write(report.FIRST, json.encode(message), report.LAST, "\n")
  self.out:flush()
end

--- Returns the seconds that the stage may still take; less than 0 if it should have ended.
function report:left() return self.ends - core.clock() end

--- Returns an error's text on one line, without positions in this library.
function report.plain(problem)
  local text = tostring(problem):gsub("\nstack traceback:.*", ""):gsub("^[^\n]-%.lua:%d+: ", "")
  return (text:gsub("%s*\n%s*", "; "))
end

--- Runs a check, and counts it.
-- @string name
-- @tparam function f returns true, or a text that says what is wrong; an error counts as wrong
-- @treturn boolean
function report:check(name, f)
  self:send{doing = name}
  local ok, found = pcall(f)
  if interrupt.is(found) then error(found, 0) end
  if ok and found == true then
    self:send{passed = 1}
    return true
  end
  self:send{problem = ("%s: %s"):format(name, report.plain(found))}
  return false
end

--- Says that a part of the stage was left out, for lack of time or for another reason.
function report:leave_out(what) self:send{left_out = what} end

--- Says that the whole stage does not apply.
function report:skip(why) self:send{skipped = why} end

--- Adds a figure. If a projected value is given, and the measured value is twice as bad, the stage is flagged.
-- @tab figure name, value, unit, projected (optional)
function report:figure(figure) self:send{figure = figure} end

return report
