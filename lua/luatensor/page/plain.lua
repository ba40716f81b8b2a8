--- Prepares text from any source (a user's names, a loaded file) for display: valid UTF-8 without control characters.
-- Also measures the width of text on a terminal.

local format = require "luatensor.page.format"

local plain = {}

--- Returns a text as one line of valid UTF-8. Control characters and line ends become spaces, and invalid bytes
-- become "?".
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

--- Returns the number of characters in a text, which is its width if each character takes one column.
function plain.width(text) return utf8.len(text) or #text end

--- Pads a text with spaces to a width in characters. If `to_the_right` is true, the spaces come before the text.
function plain.pad(text, width, to_the_right)
  local space = (" "):rep(width - plain.width(text))
  return to_the_right and space .. text or text .. space
end

--- Formats a number with its unit, separated by no-break spaces. A string keeps its own spaces.
function plain.figure(value, unit)
  local text = plain.line(format.show(value, unit))
  return type(value) == "string" and text or (text:gsub(" ", "\u{A0}"))
end

--- Wraps a text into lines of at most `width` characters. A longer word has a line of its own.
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
