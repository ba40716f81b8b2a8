--- The version of the library, which only this file contains. The Makefile reads the number from the next line.
return "luatensor 1.0"
