--- The version of the library, here and nowhere else: the Makefile reads the number from this line.
return "luatensor 1.0"
