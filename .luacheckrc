std = "lua54"
max_line_length = 120
files["bench/rows.lua"].max_line_length = false
files["spec"].std = "lua54+busted"
exclude_files = { "build", "doc" }
