--- Reads and writes text files.

local core = require "luatensor.core"
local json = require "luatensor.io.json"

local files = {}

local function reason(path, problem) return ("%s: %s"):format(path, tostring(problem):gsub("^.*: ", "")) end

--- Checks, without writing, that a file can be written at `path`. Commands call this function before they measure for
-- minutes.
-- @string path
-- @treturn[1] string the path
-- @treturn[2] nil
-- @treturn[2] string the reason
function files.check(path)
  local target, problem = core.output_file(path)
  if not target then return nil, reason(path, problem) end
  return path
end

--- Writes a text file. A symbolic link is followed. The file is written completely or not at all, except for devices,
-- pipes, and files in folders that accept no new file, which are overwritten in place.
-- @string path
-- @string text
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string the reason, with the path
function files.write(path, text)
  local done, problem = core.write_file(path, text)
  if not done then return nil, reason(path, problem) end
  return true
end

--- Reads a regular file of JSON. Fails if there is too little free memory for the decoded values, which take many times
-- the file's size.
-- @string path
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string the reason, with the path
function files.read(path)
  local text, problem = core.read_file(path, json.TAKES)
  if not text then return nil, ("%s: %s"):format(path, problem) end
  return text
end

return files
