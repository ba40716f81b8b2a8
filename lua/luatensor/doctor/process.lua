--- Runs the child processes of `luatensor doctor` and reads their messages.

local core = require "luatensor.core"
local how_ended = require "luatensor.base.how_ended"
local interpreter = require "luatensor.base.interpreter"
local json = require "luatensor.io.json"
local report = require "luatensor.doctor.report"

local process = {}

local SLICE <const> = 0.05           -- seconds between two looks at Ctrl-C and the time limit
local ALONE <const> = 60             -- seconds after which a child ends without its parent, beyond its time limit

-- Returns the words of the child's command line. log: a file for the list of loaded kernels, or nil.
local function words_of(stage, seconds, device, log)
  local code = ("package.path, package.cpath = %q, %q; require('luatensor.doctor.child')(%q, %q, %q)")
    :format(package.path, package.cpath, stage.name, seconds, device)
  if log then return {"env", "LUATENSOR_KERNELS_LOADED=" .. log, interpreter(arg) or "lua5.4", "-e", code} end
  return {interpreter(arg) or "lua5.4", "-e", code}
end

-- A temporary file that ends with its <close> variable.
local temporary = {__close = function(self) os.remove(self.path) end}

local function new_file() return setmetatable({path = os.tmpname()}, temporary) end

-- Splits off the complete messages of `text`, and passes each to `take`. Other output goes to the list `noise`. Returns
-- the rest, which may be the start of a message.
local function parse(text, take, noise)
  local at = 1
  while true do
    local first = text:find(report.FIRST, at, true)
    local last = first and text:find(report.LAST, first, true)
    if not last then return text:sub(at) end
    noise[#noise + 1] = text:sub(at, first - 1)
    local message, problem = json.decode(text:sub(first + 1, last - 1))
    take(message or {problem = "a message that is no JSON: " .. problem})
    at = last + 1
  end
end

local function last_line(noise)
  return table.concat(noise):gsub("%s+$", ""):match "[^\n]*$"
end

--- Runs a stage in a child process.
-- @tab stage a row of luatensor.doctor.stages
-- @number seconds that the stage should take
-- @int limit seconds after which the child is killed
-- @string device
-- @tparam function take gets each message of the child
-- @treturn ?string how the stage ended, if the child did not complete it
-- @treturn string the last line of the child's other output
function process.run(stage, seconds, limit, device, take)
  local log <close> = stage.logs and new_file() or nil
  local words = words_of(stage, seconds, device, log and log.path)
  local child <close>, problem = core.child(words, math.ceil(limit) + ALONE)
  if not child then return "cannot be started: " .. problem, "" end
  local done, rest, noise, stop = false, "", {}, core.clock() + limit
  local function note(message)
    done = done or message.done == true
    take(message)
  end
  while true do
    local text = child:read(SLICE)
    if not text then break end
    if text ~= "" then rest = parse(rest .. text, note, noise) end
    if core.clock() > stop then return ("no answer in %.0f s"):format(limit), last_line(noise) end
  end
  noise[#noise + 1] = rest
  local how, code = child:finish()
  if done and (how ~= "exit" or code == 0) and how ~= "signal" then return nil, last_line(noise) end
  return how_ended(how, code), last_line(noise)
end

return process
