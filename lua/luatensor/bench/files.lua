--- Text files, written whole or not at all.

local core = require "luatensor.core"
local json = require "luatensor.io.json"

local files = {}

local function reason(path, problem) return ("%s: %s"):format(path, tostring(problem):gsub("^.*: ", "")) end

--- Checks, without writing, that a file can be written at `path`. Commands call it before they measure for minutes.
-- @string path
-- @treturn[1] string it
-- @treturn[2] nil
-- @treturn[2] string why not
function files.check(path)
  local target, problem = core.output_file(path)
  if not target then return nil, reason(path, problem) end
  return path
end

--- Writes a text file whole or not at all. What a link leads to is written, not the link; devices, pipes, and files in
-- folders that take no other, are written in place.
-- @string path
-- @string text
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string why not, with the path
function files.write(path, text)
  local done, problem = core.write_file(path, text)
  if not done then return nil, reason(path, problem) end
  return true
end

--- Reads a plain file of JSON, whose values take many times its size.
-- @string path
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string why not, with the path
function files.read(path)
  local text, problem = core.read_file(path, json.TAKES)
  if not text then return nil, ("%s: %s"):format(path, problem) end
  return text
end

return files
