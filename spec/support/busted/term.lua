--- Replaces the C module lua-term: no stream is a terminal. `make test-lua` adds this file to the package path.
return {isatty = function() return false end}
