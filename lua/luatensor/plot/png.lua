--- Draws SVG files as PNG by rsvg-convert, the program of librsvg, which runs as a child process.

local core = require "luatensor.core"

local png = {}

local SECONDS <const> = 60           -- after which a drawing is given up

-- A temporary file that ends with its <close> variable.
local temporary = {__close = function(self) os.remove(self.path) end}

local function new_file() return setmetatable({path = os.tmpname()}, temporary) end

-- Runs a program. Returns its output and how it ended ("exit" or "signal") with the code, or nil and the reason.
local function run(words)
  local child <close>, problem = core.child(words, SECONDS)
  if not child then return nil, problem end
  local parts, stop = {}, core.clock() + SECONDS
  while true do
    local text = child:read(0.05)
    if not text then break end
    parts[#parts + 1] = text
    if core.clock() > stop then return nil, ("no answer in %d s"):format(SECONDS) end
  end
  local how, code = child:finish()
  return table.concat(parts), how, code
end

--- Returns the PNG of an SVG file.
-- @string svg
-- @number scale pixels of the PNG for a pixel of the SVG
-- @treturn[1] string the bytes of the PNG
-- @treturn[2] nil
-- @treturn[2] string the reason why there is none
function png.of_svg(svg, scale)
  local from <close> = new_file()
  local to <close> = new_file()
  local done, problem = core.write_file(from.path, svg)
  if not done then return nil, tostring(problem) end
  local output, how, code = run {"rsvg-convert", "--zoom", ("%.3f"):format(scale), "-o", to.path, from.path}
  if output and how == "exit" and code == 127 or not output then
    return nil, "the program rsvg-convert is not installed (Debian and Ubuntu: apt install librsvg2-bin)"
  end
  local file <close> = io.open(to.path, "rb")
  local bytes = file and file:read "a"
  if bytes and bytes:find "^\x89PNG" then return bytes end
  return nil, "rsvg-convert failed: " .. (output:match "%S[^\n]*" or "no reason given")
end

return png
