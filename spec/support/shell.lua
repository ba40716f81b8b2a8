-- Runs shell commands, for specs that start processes.
local shell = {}

--- Runs a command. Returns its exit status, and the text of both output streams.
function shell.run(command)
  local pipe = assert(io.popen("(" .. command .. "\n) 2>&1; echo \"status $?\""))
  local output = pipe:read "a"
  pipe:close()
  local body, status = output:match "^(.*)status (%d+)\n$"
  return tonumber(status), body
end

--- Runs a command and returns its output. Raises an error if the command's exit status is not 0.
function shell.passes(command)
  local status, output = shell.run(command)
  assert(status == 0, ("%s ended with status %s\n%s"):format(command, status, output))
  return output
end

--- Makes a temporary folder, which the caller removes, and returns its path.
function shell.folder() return (shell.passes("LD_PRELOAD= mktemp -d"):gsub("\n", "")) end

--- Runs a command on a new terminal whose TERM is `kind`. Returns the exit status and the output, or nil if no terminal
-- can be made, because the command script or /dev/pts is missing.
function shell.on_terminal(kind, command)
  if not os.execute("script -qec true /dev/null </dev/null >/dev/null 2>&1") then return nil end
  return shell.run(("TERM=%s script -qec '%s' /dev/null </dev/null"):format(kind, command))
end

--- True if the file exists and can be read.
function shell.exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

--- Writes `text` to the file `path`, whose old contents are lost. Raises an error if the file cannot be opened.
function shell.write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

--- Returns the contents of the file `path` as a string. Raises an error if the file cannot be read.
function shell.read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

return shell
