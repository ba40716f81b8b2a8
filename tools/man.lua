-- Writes the man page of the command luatensor from its own --help: tools/lua tools/man.lua >bin/luatensor.1
local commands = require("luatensor.cli").commands
local version = require "luatensor"._VERSION:match "[%d.]+$"

local function run(arguments)
  local pipe <close> = assert(io.popen("tools/lua bin/luatensor " .. arguments))
  return pipe:read "a"
end

-- Escapes a text, so that roff prints every character unchanged.
local function verbatim(text)
  text = text:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("%f[^\n\0]([.'])", "\\&%1")
  return ".nf\n" .. text:gsub("\n*$", "\n") .. ".fi\n"
end

local parts = {
  ('.TH LUATENSOR 1 "" "luatensor %s" "User Commands"\n'):format(version),
  ".SH NAME\nluatensor \\- measures what this machine can do with tensors in Lua\n",
  ".SH SYNOPSIS\n.B luatensor\n[\\-h] [\\-\\-version] [\\-i] <command> ...\n",
  ".SH DESCRIPTION\n", verbatim(run "--help"),
}
for _, name in ipairs(commands) do
  parts[#parts + 1] = (".SH LUATENSOR %s\n"):format(name:upper())
  parts[#parts + 1] = verbatim(run(name .. " --help"))
end
parts[#parts + 1] = ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 130 interrupted.\n"
io.write(table.concat(parts))
