--- Writes one line of progress that rewrites itself, for luatensor.bench.progress and luatensor.train.

local core = require "luatensor.core"

local status_line = {}

--- Returns the number of columns of the terminal on the standard error, or nil if the standard error is no terminal.
function status_line.columns()
  return os.getenv("TERM") ~= "dumb" and core.terminal(2) or nil
end

--- Returns the text of the remaining time, such as ", about 20 s left"; "" if `seconds` is nil.
function status_line.in_words(seconds)
  if not seconds then return "" end
  if seconds < 90 then return (", about %d s left"):format(math.ceil(seconds)) end
  return (", about %d min left"):format(math.floor(seconds / 60 + 0.5))
end

-- Shortens a text to `columns` characters, so that it stays on one line.
local function cut(text, columns)
  if utf8.len(text) <= columns then return text end
  return text:sub(1, utf8.offset(text, columns) - 1) .. "…"
end

local LEAST <const> = 12               -- the least columns for the text beside the remaining time

-- Shortens the line for a narrow terminal. The remaining time is kept if at least LEAST columns remain for the text.
local function fitted(text, left, columns)
  local rest = columns - #left
  if rest < LEAST then return cut(text .. left, columns) end
  return cut(text, rest) .. left
end

--- Writes the line over the line that was drawn before.
-- @param stream with the methods write and flush
-- @string text
-- @string left the remaining time, which a narrow terminal shows in full
-- @int columns of the terminal
function status_line.draw(stream, text, left, columns)
  stream:write("\r", fitted(text, left, columns - 1), "\27[K")
  stream:flush()
end

--- Removes the line.
function status_line.clear(stream)
  stream:write("\r\27[K")
  stream:flush()
end

return status_line
