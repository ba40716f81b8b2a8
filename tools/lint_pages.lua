-- Checks the pages: README.md, CONTRIBUTING.md, CHANGELOG.md and everything in docs/.
--
--   tools/lua tools/lint_pages.lua [page …]
--
-- A line of prose or code has at most 120 columns; tables, printed lines and what a tool writes may be longer. A link
-- leads to a file and a heading that exist. tools/lint_prose.lua counts long sentences.

local COLUMNS <const> = 120

-- Pages that a tool writes.
local GENERATED <const> = {["docs/coverage.md"] = true}
local problems = 0

local function report(path, number, text)
  problems = problems + 1
  io.stderr:write(("%s:%d: %s\n"):format(path, number, text))
end

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

-- GitHub's name of a heading in a link: small letters, digits, hyphens for spaces.
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

local function exists(path)
  local file <close> = io.open(path)
  return file ~= nil
end

-- "docs/gpu.md" from the page "docs/tour.md" and the link "gpu.md".
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
      if not exists(where) then report(path, number, "no file: " .. target)
      elseif anchor ~= "" and not anchors(where)[anchor] then report(path, number, "no heading: " .. target) end
    end
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
    if not fenced and not generated then check_links(path, number, line) end
  end
end

local paths = {table.unpack(arg)}
if #paths == 0 then
  local pipe <close> = assert(io.popen "find docs *.md -name '*.md' | sort")
  for path in pipe:lines() do if not GENERATED[path] then paths[#paths + 1] = path end end
end
for _, path in ipairs(paths) do check(path) end
os.exit(problems == 0)
