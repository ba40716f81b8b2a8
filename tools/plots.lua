-- Draws the pictures of docs/plotting.md from the code of the page:
--
--   tools/lua tools/plots.lua
--
-- A picture is a line ![…](static/NAME.svg). Its figure is the global variable `figure` after the code before the line.
-- Run this script from the repository's root. spec/docs/pictures_spec.lua compares the pictures with the files.

local lt = require "luatensor"

local plots = {}

-- Returns the pictures: the text of each file by its path.
function plots.pictures()
  local space = setmetatable({lt = lt, print = function() end}, {__index = _G})
  local code, files = nil, {}
  for line in io.lines "docs/plotting.md" do
    local picture = line:match "^!%[.*%]%((static/[%w-]+%.svg)%)$"
    if line == "```lua" then
      code = {}
    elseif line == "```" and code then
      assert(load(table.concat(code, "\n"), "=docs/plotting.md", "t", space))()
      code = nil
    elseif code then
      code[#code + 1] = line
    elseif picture then
      files["docs/" .. picture] = space.figure:svg()
    end
  end
  return files
end

if arg and arg[0] and arg[0]:find "plots.lua$" then
  for path, text in pairs(plots.pictures()) do
    local file <close> = assert(io.open(path, "wb"))
    file:write(text)
  end
end

return plots
