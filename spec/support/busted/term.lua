--- Stands in for the C module lua-term: nothing is a terminal. `make test-lua` puts it on a Lua's path.
return {isatty = function() return false end}
