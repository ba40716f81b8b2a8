-- Runs the command luatensor in processes of its own, with a folder for its output files.
local assert = require "luassert"
local shell = require "spec.support.shell"

local command = {name = "bin/luatensor "}

-- Runs the command with these arguments. Returns its exit status, and the text of both output streams.
function command.run(arguments, environment)
  return shell.run(("%s %s%s"):format(environment or "", command.name, arguments))
end

-- Asserts that the command ends with this status and with one line of output that contains the message.
function command.complains(status, message, arguments, environment)
  local got, output = command.run(arguments, environment)
  assert.equal(status, got, output)
  assert.truthy(output:find("luatensor: " .. message, 1, true), output)
  assert.equal(1, select(2, output:gsub("\n", "")), output)
end

local folder

-- Returns the path of a file in the folder for output files. The first call makes this folder.
function command.file(name)
  folder = folder or shell.folder()
  return folder .. "/" .. name
end

-- Removes the folder for output files; specs call this function in teardown.
function command.clean()
  if folder then os.execute("rm -r " .. folder) end
  folder = nil
end

function command.read(name)
  local handle = assert(io.open(command.file(name)))
  local text = handle:read "a"
  handle:close()
  return text
end

function command.write(name, text)
  local handle = assert(io.open(command.file(name), "w"))
  handle:write(text)
  handle:close()
  return command.file(name)
end

-- Returns the result that was saved in file `name`, as the plain table that its JSON describes.
function command.saved(name) return (require("dkjson").decode(command.read(name))) end

return command
