--- Text files, written whole or not at all.

local core = require "luatensor.core"

local files = {}

local function reason(path, problem) return ("%s: %s"):format(path, tostring(problem):gsub("^.*: ", "")) end

--- Can a file be written there, as far as can be told without doing it? To be asked before minutes of measuring.
-- @string path
-- @treturn[1] string it
-- @treturn[2] nil
-- @treturn[2] string why not
function files.check(path)
  local target, problem = core.output_file(path)
  if not target then return nil, reason(path, problem) end
  return path
end

-- Writes and closes; nil and why not.
local function put(path, text)
  local file, problem = io.open(path, "wb")
  if not file then return nil, problem end
  local written, why = file:write(text)
  local closed, late = file:close()
  return written and closed, why or late
end

local removes = {__close = function(self) if self.name then os.remove(self.name) end end}

-- What was there stays until the new one is complete, whatever ends it.
local function replace(target, text)
  local name, problem = core.make_beside(target)
  if not name then return nil, problem end
  local new <close> = setmetatable({name = name}, removes)
  local done, why = put(name, text)
  if done then done, why = os.rename(name, target) end
  if done then new.name = nil end
  return done, why
end

--- Writes a text file whole or not at all. What a link leads to is written, not the link; devices, pipes, and files in
-- folders that take no other, are written in place.
-- @string path
-- @string text
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string why not, with the path
function files.write(path, text)
  local target, in_place = core.output_file(path)
  if not target then return nil, reason(path, in_place) end
  local done, problem = (in_place and put or replace)(target, text)
  if not done then return nil, reason(path, problem) end
  return true
end

return files
