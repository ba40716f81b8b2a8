--- The command `luatensor -i`: starts Lua's own prompt with luatensor loaded.

local prompt = {}

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Returns the Lua interpreter that started this process. The interpreter has the smallest index in argv.
local function interpreter(argv)
  local first = 0
  while argv[first - 1] do first = first - 1 end
  return first < 0 and argv[first] or "lua5.4"
end

--- Starts the prompt, and waits for its end.
-- @tab argv of the process; the words after -i are arguments of Lua, such as a script
-- @treturn int the exit code
function prompt.run(argv)
  local setup = ("package.path, package.cpath = %q, %q; require 'luatensor.prompt'"):format(package.path, package.cpath)
  local words = {quote(interpreter(argv)), "-W", "-e", quote(setup), "-i"}
  for i = 2, #argv do words[#words + 1] = quote(argv[i]) end
  local _, how, code = os.execute(table.concat(words, " "))
  return how == "exit" and code or 1
end

return prompt
