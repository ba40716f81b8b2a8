--- What the system tells in files of a line: /proc, /sys.

--- The first line of a file.
-- @string path
-- @treturn ?string nil: there is no such file
return function(path)
  local file = io.open(path)
  local line = file and file:read("l")
  if file then file:close() end
  return line
end
