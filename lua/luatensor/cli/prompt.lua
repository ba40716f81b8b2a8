--- The command `luatensor -i`: starts Lua's own prompt with luatensor loaded.

local interpreter = require "luatensor.base.interpreter"

local prompt = {}

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- Starts the prompt, and waits for its end.
-- @tab argv of the process; the words after -i are arguments of Lua, such as a script
-- @treturn int the exit code
function prompt.run(argv)
  local setup = ("package.path, package.cpath = %q, %q; require 'luatensor.prompt'"):format(package.path, package.cpath)
  local words = {quote(interpreter(argv) or "lua5.4"), "-W", "-e", quote(setup), "-i"}
  for i = 2, #argv do words[#words + 1] = quote(argv[i]) end
  local _, how, code = os.execute(table.concat(words, " "))
  return how == "exit" and code or 1
end

return prompt
