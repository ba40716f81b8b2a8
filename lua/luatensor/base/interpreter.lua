--- Finds the Lua interpreter that started this process, for child processes.

--- Returns the interpreter's name or path, which has the smallest index in argv. Returns nil if the smallest index is 0
-- and the name does not begin with "lua": a host program may run the script.
-- @tab[opt] argv of the process
-- @treturn ?string
return function(argv)
  if type(argv) ~= "table" then return nil end
  local first = 0
  while argv[first - 1] do first = first - 1 end
  local name = argv[first]
  return (first < 0 or type(name) == "string" and name:match "[^/]*$":find "^lua") and name or nil
end
