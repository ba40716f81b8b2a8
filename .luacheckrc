std = "lua54"
max_line_length = 120
files["bench/rows.lua"].max_line_length = false
files["spec"] = {
  std = "lua54+busted",
  max_line_length = 160,                  -- each case is on one line
  ignore = { "241", "311" },              -- specs make values that become garbage at once
}
files["spec/support/scripts"] = { allow_defined = true, read_globals = { "x", "index", "large" }, ignore = { "131", "241", "31." } }
exclude_files = { "build", "doc", "library" }
