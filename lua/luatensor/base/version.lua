--- The version of the library, which only this file contains. tools/version reads the number from the next line.
return "luatensor 1.0"
