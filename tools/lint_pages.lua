-- Checks the pages: README.md, CONTRIBUTING.md, CHANGELOG.md and everything in docs/.
--
--   tools/lua tools/lint_pages.lua [page …]
--
-- A line of prose or code has at most 120 columns; tables, printed lines and generated text may be longer. A link
-- leads to a file and a heading that exist. Paths of files in backticks and targets of make must exist, too.
-- tools/lint_prose.lua counts long sentences.

local COLUMNS <const> = 120

-- Pages that a tool writes. The pages of the reference exist only on the site.
local GENERATED <const> = {["docs/coverage.md"] = true, ["docs/reference/index.md"] = true}
local problems = 0

local function report(path, number, text)
  problems = problems + 1
  io.stderr:write(("%s:%d: %s\n"):format(path, number, text))
end

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

-- Returns the name of a heading in links on GitHub: small letters, digits, hyphens for spaces.
local function anchor_of(heading)
  local plain = heading:gsub("%[([^%]]*)%]%b()", "%1"):lower()
  return (plain:gsub("[\x21-\x2c\x2e\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7e]", ""):gsub("·", ""):gsub(" ", "-"))
end

local anchors_of_path = {}
local function anchors(path)
  if not anchors_of_path[path] then
    local set = {}
    local text = ("\n" .. read(path)):gsub("\n```.-\n```", "")
    for heading in text:gmatch "\n#+ ([^\n]+)" do set[anchor_of(heading)] = true end
    anchors_of_path[path] = set
  end
  return anchors_of_path[path]
end

local function lines_of(command)
  local lines, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

local function exists(path)
  local file <close> = io.open(path)
  return file ~= nil
end

-- Resolves a link: "docs/gpu.md" for the link "gpu.md" on the page "docs/tour.md".
local function resolve(page, link)
  local path = (page:match "^(.*/)" or "") .. link
  local changed
  repeat path, changed = path:gsub("[^/]+/%.%./", "", 1) until changed == 0
  return path
end

local function check_links(path, number, line)
  for target in line:gsub("`[^`]*`", ""):gmatch "%]%(([^)%s]+)%)" do
    if not target:find "^%a+:" then
      local file, anchor = target:match "^([^#]*)#?(.*)$"
      local where = file == "" and path or resolve(path, file)
      if not exists(where) and not GENERATED[where] then report(path, number, "no file: " .. target)
      elseif anchor ~= "" and not anchors(where)[anchor] then report(path, number, "no heading: " .. target) end
    end
  end
end

local ROOMS <const> = {src = true, lua = true, spec = true, tools = true, examples = true, bench = true, docs = true}

-- True if the path, or the path with the ending `.lua`, exists below the root or below a folder that pages leave out.
local function is_there(path)
  for _, folder in ipairs {"", "src/", "lua/luatensor/", "spec/"} do
    for _, ending in ipairs {"", ".lua"} do
      if exists(folder .. path .. ending) then return true end
    end
  end
end

-- Checks that code such as `src/base/shape.h` names a file of the checkout. Names with capitals are not checked,
-- because they are examples.
local function check_paths(path, number, line)
  for code in line:gmatch "`([%l%d_%-/.]+)`" do
    if ROOMS[code:match "^(%a+)/"] and not is_there(code) then report(path, number, "no file: " .. code) end
  end
end

local targets = {}
for _, makefile in ipairs(lines_of "find Makefile spec -name Makefile -o -name '*.mk'") do
  for line in io.lines(makefile) do
    for word in (line:match "^([%w%-. ]+):" or ""):gmatch "[%w%-]+" do targets[word] = true end
  end
end

-- Checks that the targets of a command `make` exist.
local function check_targets(path, number, line)
  local words = line:match "^make ([^#]*)"
  if not words then return end
  for word in words:gsub('%u[%u_]*=%b""', ""):gmatch "%S+" do
    if word:find "^%l[%l%-]*$" and not targets[word] then report(path, number, "no target: " .. word) end
  end
end

local function check(path)
  local number, fenced, generated = 0, false, false
  for line in io.lines(path) do
    number = number + 1
    if line:find "^<!%-%- end of" then generated = false
    elseif line:find "^<!%-%- %l+: " then generated = true end
    if line:find "^%s*```" then fenced = not fenced end
    local may_be_long = line:find "^%s*|" or generated or fenced and line:find "^%-%->"
    if not may_be_long and utf8.len(line) > COLUMNS then
      report(path, number, ("%d columns"):format(utf8.len(line)))
    end
    if fenced then check_targets(path, number, line)
    elseif not generated then
      check_links(path, number, line)
      check_paths(path, number, line)
    end
  end
end

local paths = {table.unpack(arg)}
if #paths == 0 then paths = lines_of "find docs *.md -name '*.md' | sort" end
for _, path in ipairs(paths) do
  if not GENERATED[path] then check(path) end
end
os.exit(problems == 0)
