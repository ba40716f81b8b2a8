--- Chooses how a notebook shows a value: tables of texts by mime type, such as {["text/plain"] = "1.5"}.

local core = require "luatensor.core"
local html = require "luatensor.notebook.html"
local literal = require "luatensor.notebook.literal"

local mime = {}

local MOST_TEXT <const> = 100000      -- bytes; a longer text would make the notebook slow

-- Replaces the end of a long text by a remark.
local function shorten(text)
  if #text <= MOST_TEXT then return text end
  return ("%s\n… %d bytes more"):format(text:sub(1, MOST_TEXT), #text - MOST_TEXT)
end

--- Returns the plain text of a value.
function mime.text(value) return shorten(literal.text(value)) end

-- Calls the script's function __mime, and checks its result.
local function ask(custom, value)
  local shown = custom(value)
  if type(shown) ~= "table" then error(("__mime: table expected, got %s"):format(core.type_name(shown)), 0) end
  local copy = {}
  for name, text in pairs(shown) do
    if type(name) ~= "string" or type(text) ~= "string" then
      error("__mime: a table of texts by mime type expected", 0)
    end
    copy[name] = text
  end
  return copy
end

-- Returns the HTML of a value, or nil if only its text is shown.
local function html_of(value)
  local kind = core.type_name(value)
  if kind == "tensor" then return html.tensor(value) end
  if kind == "module" then return html.module(value) end
  if type(value) == "table" and not literal.has_text(value) then return html.table(value) end
end

--- Returns the representations of a value by mime type. A function __mime in the metatable may return them.
-- @param value
-- @treturn table
function mime.of(value)
  local meta = getmetatable(value)
  local custom = type(meta) == "table" and rawget(meta, "__mime")
  local shown = custom and ask(custom, value) or {["text/html"] = html_of(value)}
  shown["text/plain"] = shown["text/plain"] or mime.text(value)
  return shown
end

-- Returns the HTML of one of several values.
local function inline(shown)
  return shown["text/html"] or shown["image/svg+xml"] or ("<pre>%s</pre>"):format(html.escape(shown["text/plain"]))
end

--- Returns the representations of all values of a cell together.
-- @tab values the result of table.pack
-- @treturn table
function mime.all(values)
  if values.n == 1 then return mime.of(values[1]) end
  local texts, parts, rich, separator = {}, {}, false, "\t"
  for i = 1, values.n do
    local shown = mime.of(values[i])
    texts[i], parts[i] = shown["text/plain"], inline(shown)
    rich = rich or shown["text/html"] ~= nil or shown["image/svg+xml"] ~= nil
    if texts[i]:find "\n" then separator = "\n" end
  end
  return {["text/plain"] = table.concat(texts, separator), ["text/html"] = rich and table.concat(parts) or nil}
end

return mime
