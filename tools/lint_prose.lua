-- Measures the prose of comments, docs and error texts, and compares the counts with limits that may only fall:
--
--   tools/lua tools/lint_prose.lua            the counts that differ from their limits
--   tools/lua tools/lint_prose.lua --list     every line that was counted
--
-- A count above its limit is an error. A count below its limit is an error, too, so that the limit is lowered.

local limits = {
  -- Lines of comments that ask a question. A predicate's comment says "True if …".
  questions = 0,
  -- Comments that begin with "What", "Where", "Of" or "Those", which have no subject.
  beginnings = 0,
  -- Phrases that replace a noun or a technical term.
  phrases = 0,
  -- Sentences of comments and pages with more than 35 words.
  sentences = 0,
}

local list = arg[1] == "--list"

local function lines_of(command)
  local lines, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do lines[#lines + 1] = line end
  assert(pipe:close(), command)
  return lines
end

-- Returns the text of a line of a comment. Returns nil if the line has none. In Lua, a comment after code that contains
-- a quoted text does not count.
local function comment_of(line)
  return line:match "^%s*/%*+%s*(.-)%s*%*?/?$" or line:match "^%s*%*%*%s*(.-)%s*%*?/?$"
         or line:match "^%s*%-%-+%s*(.*)$" or line:match "%s/%*%s(.-)%s*%*/$" or line:match "^[^\"']*%s%-%-%s(.*)$"
end

-- True if a comment begins in this line, so that its first word begins a sentence.
local function begins(line, before)
  return (line:find "^%s*/%*" or line:find "^%s*%-%-") and not before:find "^%s*%-%-"
end

local BAD_BEGINNINGS <const> = {What = true, Where = true, Of = true, Those = true}
local BAD_PHRASES <const> = {"of before", "what lies", "on its way"}

local MOST_WORDS <const> = 35

local KINDS <const> = {"questions", "beginnings", "phrases", "sentences"}
local counted = {}
for _, kind in ipairs(KINDS) do counted[kind] = {} end

local function note(kind, path, number, line)
  table.insert(counted[kind], ("%s:%d: %s"):format(path, number, line))
end

local function has_bad_phrase(prose)
  for _, phrase in ipairs(BAD_PHRASES) do
    if prose:find("%f[%a]" .. phrase .. "%f[%A]") then return true end
  end
  return false
end

local function asks(text)
  for mark in (text .. " "):gsub('"[^"]*"', ""):gsub("`[^`]*`", ""):gmatch "%w%)?(%?)%s" do
    if mark then return true end
  end
  return false
end

-- Counts the long sentences of a paragraph that begins at line `number`. In a tag, each option of a list counts.
local function count_words(path, number, paragraph)
  local ends = paragraph:find "^@" and "([%w%)%]\"'`…}][.!?;])%s" or "([%w%)%]\"'`…][.!?])%s"
  for sentence in (paragraph .. " "):gsub(ends, "%1\0"):gmatch "%Z+" do
    local _, words = sentence:gsub("%S+", "")
    if words > MOST_WORDS then note("sentences", path, number, ("(%d words) %s"):format(words, sentence)) end
  end
end

-- Returns the line as a part of a paragraph; nil for code, rows of tables and headings. The second result is true if
-- a paragraph begins in this line, as an item of a list or a tag does.
local function prose_of(text, page)
  if not text or text == "" or text:find "^[|#<]" or text:find "^%s%s%s%s" or text:find "%S%s%s%s%S" then return nil end
  return text, text:find "^%s*[@*%-+]%s?" or text:find "^%s*%d+%. " or not page and text:find "^%s%s+%S"
end

-- Returns a function add(number, text, page, starts), which collects paragraphs and calls count_words for each.
-- `text` is nil where a comment ends. `starts` is true if a comment begins in this line.
local function paragraphs(path)
  local first, parts = 0, {}
  local function finish()
    if #parts > 0 then count_words(path, first, table.concat(parts, " ")) end
    parts = {}
  end
  return function(number, text, page, starts)
    local prose, begin = prose_of(text, page)
    if not prose or begin or starts then finish() end
    if prose then
      if #parts == 0 then first = number end
      parts[#parts + 1] = prose
    end
  end
end

-- True if a comment follows code in this line.
local function is_trailing(line) return not line:find "^%s*%-%-" and not line:find "^%s*[/%*]%*" end

local function look_at(path)
  local number, before, page, code = 0, "", path:find "%.md$", false
  local add = paragraphs(path)
  for line in io.lines(path) do
    number = number + 1
    local text = not page and comment_of(line)
    if text and asks(text) then note("questions", path, number, line) end
    local first = text and begins(line, before) and text:match "^%a+"
    if BAD_BEGINNINGS[first or ""] then note("beginnings", path, number, line) end
    if has_bad_phrase(page and line or text or "") then note("phrases", path, number, line) end
    if page and line:find "^%s*```" then code = not code end
    if page then text = not code and not line:find "^%s*```" and line or nil end
    local is_code = line:find "^%s*%-%-+%s%s%s%s" or line:find "^%s*[/%*]%*%s%s%s%s"
    add(number, not (is_code and not page) and text, page, not page and (begins(line, before) or is_trailing(line)))
    before = line
  end
  add(number)
end

local ENDINGS <const> = {c = true, h = true, cuh = true, def = true, lua = true, md = true}

for _, path in ipairs(lines_of "find src lua tools bench examples spec docs *.md -type f | sort") do
  if path ~= "tools/lint_prose.lua" and ENDINGS[path:match "%.(%a+)$" or ""] then look_at(path) end
end

local broken = false
for _, name in ipairs(KINDS) do
  local count, limit = #counted[name], limits[name]
  if count ~= limit then
    broken = true
    io.stderr:write(("%s: %d, the limit is %d%s\n"):format(name, count, limit,
      count < limit and ": lower it in tools/lint_prose.lua" or ""))
  end
  if list or count > limit then for _, line in ipairs(counted[name]) do print(line) end end
end
os.exit(not broken)
