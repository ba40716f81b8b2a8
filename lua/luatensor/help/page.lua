--- Formats the topics of lt.help as text for a terminal. A topic is a public name with its description.

local topics = require "luatensor.help.topics"

local page = {}

local WIDTH <const> = 88

-- ---- words --------------------------------------------------------------------------------------

local words = {
  ["luatensor.Tensor"] = "tensor", ["integer[]"] = "list of integers", ["number[]"] = "list of numbers", any = "",
  ["table<string,string>"] = "table", ["(string|integer)[]"] = "list", ["integer[][]"] = "two lists of integers",
  ["string[]"] = "list of strings", ["table[]"] = "list of tables",
}

--- Converts a type to words: "luatensor.Tensor|number" becomes "tensor or number". Classes of options are left out,
-- because their options are listed separately.
function page.type_words(type)
  local parts = {}
  for word in type:gsub("%(string|integer%)", "(string,integer)"):gmatch "[^|]+" do
    local part = word:gsub("%(string,integer%)", "(string|integer)")
    if not part:find "options" then parts[#parts + 1] = words[part] or (part:gsub("^luatensor%.", ""):lower()) end
  end
  local last = table.remove(parts)
  return #parts == 0 and (last or "") or table.concat(parts, ", ") .. " or " .. last
end

--- Joins a type and a text: "tensor: of shape [m, n]". The type or the text may be empty.
function page.described(type, text)
  local kind = page.type_words(type)
  return kind .. (kind ~= "" and text ~= "" and ": " or "") .. text
end

local function width_of(text) return utf8 and utf8.len(text) or #text end

-- Breaks a text into lines of at most WIDTH characters. The first line begins with the text `first`, all later lines
-- begin with `indent`.
local function wrap(text, first, indent)
  local lines, line = {}, first
  for word in text:gmatch "%S+" do
    if width_of(line) + width_of(word) + 1 > WIDTH and line:find "%S" then
      lines[#lines + 1] = line
      line = indent
    end
    line = line .. (line:find "%S$" and " " or "") .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

-- Formats rows {name, text} in two columns.
local function columns(rows)
  local width, lines = 0, {}
  for _, row in ipairs(rows) do width = math.max(width, #row[1]) end
  width = math.min(width, 24)
  for i, row in ipairs(rows) do
    local head = "  " .. row[1] .. (" "):rep(width - #row[1]) .. "  "
    lines[i] = wrap(row[2], head, (" "):rep(width + 4))
  end
  return table.concat(lines, "\n")
end

-- ---- parts --------------------------------------------------------------------------------------

--- Returns the class that lists the options of a doc, or nil if the doc has no options.
function page.options_of(doc)
  for _, param in ipairs(doc.params) do
    for part in param.type:gmatch "[^|]+" do
      if part:find "%.options" then return topics.index().classes[part] end
    end
  end
end

-- Returns the list of parameters, such as "x, dim [, options]", with brackets around optional parameters.
local function parameter_list(doc)
  local text, open = "", 0
  for _, param in ipairs(doc.params) do
    local comma = text ~= "" and ", " or ""
    if param.optional then
      text, open = text .. " [" .. comma .. param.name, open + 1
    else
      text = text .. comma .. param.name
    end
  end
  return ((text .. ("]"):rep(open)):gsub("^ ", ""):gsub("%[, ", "[, "))
end

--- Returns the call syntax of a topic: one line for the function, and one line for the method, if they exist.
function page.heads(topic, doc)
  local lines = {}
  if topic.as_function then
    local call = doc.kind == "function" and ("(%s)"):format(parameter_list(topics.doc_of {as_function = doc})) or ""
    lines[1] = "lt." .. topic.name .. call
  end
  if topic.as_method then
    local method = topics.doc_of {as_method = topic.as_method}
    local object = topic.name:match "^(%u%w+):"
    object = object and object ~= "Tensor" and object:lower() or "x"
    lines[#lines + 1] = ("%s:%s(%s)"):format(object, topic.name:match "[^.:]+$", parameter_list(method))
  end
  return table.concat(lines, "\n")
end

local function parameters(doc)
  local rows = {}
  for _, param in ipairs(doc.params) do
    if param.name ~= "options" then
      rows[#rows + 1] = {param.name, page.described(param.type, param.text)}
    end
  end
  return #rows > 0 and columns(rows) or nil
end

local function options(doc)
  local class, rows = page.options_of(doc), {}
  for i, field in ipairs(class and class.fields or {}) do
    local text = page.type_words(field.type)
    if field.default then text = ("%s (%s)"):format(text, field.default) end
    rows[i] = {field.name, text .. (field.text ~= "" and ": " .. field.text or "")}
  end
  return #rows > 0 and "Options, in a table at the end, with their defaults:\n" .. columns(rows) or nil
end

local function results(doc)
  local lines = {}
  for i, result in ipairs(doc.returns) do
    lines[i] = wrap(page.described(result.type, result.text), "Returns ", "  ")
  end
  return #lines > 0 and table.concat(lines, "\n") or nil
end

-- Returns a doc's text, wrapped, and with a capital first letter if the first word has at least three letters. A line
-- of the doc that ends with a full stop also ends a line of the result. Lines of code stay unchanged.
local function prose(doc)
  local lines, text = {}, ""
  local function flush()
    if text ~= "" then lines[#lines + 1] = wrap(text, "", "") end
    text = ""
  end
  for _, line in ipairs(doc.text) do
    local is_code = line:find "^  "
    if is_code or line == "" then
      flush()
      lines[#lines + 1] = line
    else
      text = text .. (text ~= "" and " " or "") .. line
      if line:find "%.$" then flush() end
    end
  end
  flush()
  local all = table.concat(lines, "\n"):gsub("\n+$", "")
  return (all:gsub("^%l%l%l+ ", function(word) return word:gsub("^%l", string.upper) end))
end

local function example(doc)
  return doc.example and "Example:\n  " .. table.concat(doc.example, "\n  ") or nil
end

local function others(topic, same)
  local list = {}
  for _, other in ipairs(same) do if other ~= topic then list[#list + 1] = other.name end end
  return #list > 0 and wrap(table.concat(list, ", "), "See also: ", "  ") or nil
end

-- ---- pages --------------------------------------------------------------------------------------

--- Returns the page of a topic: calls, text, parameters, options, results, example and related names. The page of a
-- property has its name, type and text.
-- @tab topic
-- @tab same the topics with the same last part of the name
-- @treturn string
function page.topic(topic, same)
  local doc, other = topics.doc_of(topic)
  if not doc then
    local field, class = topic.field, topic.name:match "^%w+"
    local object = class == "Tensor" and "x" or class:lower()
    return ("%s.%s\n\n%s"):format(object, field.name, page.described(field.type, field.text))
  end
  local parts = {page.heads(topic, doc)}
  if other then parts[1] = ("%s is another name for %s.\n\n%s"):format(topic.name, other, parts[1]) end
  if doc.kind == "constant" then parts[1] = ("%s: a constant, a %s"):format(parts[1], doc.type) end
  for _, part in ipairs {prose, parameters, options, results, example} do
    local text = part(doc)
    if text and text ~= "" then parts[#parts + 1] = text end
  end
  parts[#parts + 1] = others(topic, same)
  return table.concat(parts, "\n\n")
end

--- Lists topics, one on each line.
-- @tab list
-- @string head the line above
-- @tparam[opt] int most the largest number of topics to show; by default all
-- @treturn string
function page.list(list, head, most)
  local rows = {}
  for i = 1, math.min(#list, most or #list) do
    rows[i] = {list[i].name, topics.summary(list[i])}
  end
  local left = #list - #rows
  return head .. "\n" .. columns(rows) .. (left > 0 and ("\n  … and %d more"):format(left) or "")
end

return page
