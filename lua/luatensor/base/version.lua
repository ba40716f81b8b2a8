--- The version of the library. This is its only place: the Makefile reads the number from this line.
return "luatensor 1.0"
