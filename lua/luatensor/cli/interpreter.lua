--- Finds the Lua interpreter that started this process, which the command starts again as a child process.

--- Returns the interpreter's name or path, which has the smallest index in argv.
-- @tab[opt] argv of the process
-- @treturn string
return function(argv)
  local first = 0
  while argv and argv[first - 1] do first = first - 1 end
  return first < 0 and argv[first] or "lua5.4"
end
