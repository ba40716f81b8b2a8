-- Runs on a system that has only Lua and LuaRocks (tools/test_empty_machine): installs the rock from the folder
-- /server, and does what README.md and docs/tour.md show. FULL=1 measures the report at full size.

local passed, failed = 0, 0

local function check(what, problem)
  if problem then
    failed = failed + 1
    print(("not ok: %s\n%s"):format(what, problem))
  else
    passed = passed + 1
    print("ok: " .. what)
  end
  io.stdout:flush()
end

-- Returns the exit code of a command, and its output.
local function run(command)
  local pipe = assert(io.popen("{ " .. command .. "; } 2>&1 </dev/null"))
  local text = pipe:read "a"
  local _, _, code = pipe:close()
  return code, text
end

local function passes(command)
  local code, text = run(command)
  check(command, code ~= 0 and text)
  return text
end

for _, tool in ipairs {"cc", "gcc", "clang", "make", "git", "pkg-config"} do
  check("there is no " .. tool, run("command -v " .. tool) == 0 and "it is there")
end
local _, libraries = run "find / -xdev '(' -name 'libopenblas*' -o -name 'libgomp*' -o -name 'libgfortran*' ')'"
check("there is no OpenBLAS", libraries ~= "" and libraries)

passes "luarocks --lua-version 5.4 --only-server /server install luatensor"
print(passes("luarocks --lua-version 5.4 show luatensor"):match "Needs[^.]*%d")
print((passes "luatensor --version"))
print((passes "luatensor info"))

local pages = require "spec.support.pages"

-- Returns the luatensor commands in a page, each once: lines of its shell blocks, and commands between backquotes in
-- its text. Leaves out `luatensor -i`, which reads from a prompt.
local function commands(text)
  local list, seen = {}, {["luatensor -i"] = true}
  local function add(command)
    command = command:gsub("%s+#.*", "")
    if not seen[command] then list[#list + 1] = command end
    seen[command] = true
  end
  for block in text:gmatch "```sh\n(.-)```" do
    for line in block:gmatch "[^\n]+" do
      if line:find "^luatensor " then add(line) end
    end
  end
  for command in text:gsub("```.-```", ""):gmatch "`(luatensor [^`]+)`" do add(command) end
  return list
end

for _, path in ipairs {"README.md", "docs/tour.md"} do
  local place = pages.place()
  for _, block in ipairs(pages.blocks(path)) do
    local ok, printed = pcall(pages.run, place, block.code)
    local problem = not ok and printed
    local expected = pages.expected(block.code)
    if ok and expected and table.concat(expected, "\n") ~= table.concat(printed, "\n") then
      problem = table.concat(printed, "\n")
    elseif ok and block.code:find "about 0.98 of the test images" then
      local share = tonumber(printed[#printed]:match "^[%d.]+")
      problem = not (share and share > 0.96) and printed[#printed]
    end
    check(("%s, line %d"):format(path, block.line), problem)
  end
  pages.leave(place)

  local text = pages.read(path)
  for _, command in ipairs(commands(text)) do
    local quick = not os.getenv "FULL" or os.getenv "FULL" == ""
    passes(quick and command:gsub("^luatensor report ", "luatensor report --sizes tiny ") or command)
  end
  for call in text:gsub("```.-```", ""):gmatch "`(lt%.help[^`]+)`" do
    check(call, not pcall(assert(load("local lt = require 'luatensor' return " .. call))) and "raises an error")
  end
end

-- Types the lines of the README's first block at the prompt. Lines of the output that begin with ">" are prompts.
local block = pages.blocks("README.md")[1].code
local file <close> = assert(io.open("typed", "w"))
file:write(block)
file:close()
local _, said = run "cat typed | luatensor -i"
local lines = {}
for line in said:gmatch "[^\n]+" do
  if not line:find "^>" then lines[#lines + 1] = line end
end
check("the prompt prints what README.md says",
  not table.concat(lines, "\n"):find(table.concat(pages.expected(block), "\n"), 1, true) and said)

local training = passes "lua5.4 /usr/local/share/lua/5.4/luatensor/examples/08_training.lua"
print(training)
for _, network in ipairs {"MLP", "CNN"} do
  local shares, least = 0, 100
  for share in (training:match(network .. ", test images read right, each[^:]*: ([^\n]*)") or ""):gmatch "([%d.]+) %%" do
    shares, least = shares + 1, math.min(least, tonumber(share))
  end
  check(("%s: five trainings, each reads at least 95 %% of the test images right"):format(network),
    not (shares == 5 and least >= 95) and ("%d trainings, the worst %g %%"):format(shares, least))
end

print(("%d passed, %d failed, 0 skipped"):format(passed, failed))
os.exit(failed == 0)
