--- Reads one-line files of the system, in /proc and /sys.

--- Returns the first line of a file.
-- @string path
-- @treturn ?string nil if there is no such file
return function(path)
  local file = io.open(path)
  local line = file and file:read("l")
  if file then file:close() end
  return line
end
