--- Text from anywhere (names that a user gave, a loaded file) made fit to be shown: valid UTF-8 without control
-- characters, and its width on a terminal.

local format = require "luatensor.page.format"

local plain = {}

--- One line of valid UTF-8: control characters and line ends become spaces, bytes that are no UTF-8 "?".
-- @string text
-- @treturn string
function plain.line(text)
  text = tostring(text):gsub("[%c]+", " ")
  while true do
    local length, at = utf8.len(text)
    if length then return text end
    text = text:sub(1, at - 1) .. "?" .. text:sub(at + 1)
  end
end

--- Characters in a text, which is its width where each takes one column.
function plain.width(text) return utf8.len(text) or #text end

--- A text padded with spaces to a width, on the left where it is to stand to the right.
function plain.pad(text, width, to_the_right)
  local space = (" "):rep(width - plain.width(text))
  return to_the_right and space .. text or text .. space
end

--- A figure in words whose spaces do not break; text as it is.
function plain.figure(value, unit)
  local text = plain.line(format.show(value, unit))
  return type(value) == "string" and text or (text:gsub(" ", "\u{A0}"))
end

--- The lines of a text, none longer than `width` unless a single word is.
-- @string text
-- @int width in characters
-- @treturn table sequence of strings, at least one
function plain.wrap(text, width)
  local lines, line, length = {}, nil, 0
  for word in text:gmatch("[^ ]+") do
    local size = plain.width(word)
    if line and length + 1 + size <= width then
      line, length = line .. " " .. word, length + 1 + size
    else
      lines[#lines + 1] = line
      line, length = word, size
    end
  end
  lines[#lines + 1] = line or ""
  return lines
end

return plain
