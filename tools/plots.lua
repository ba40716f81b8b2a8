-- Draws the pictures of docs/plotting.md from the code of the page:
--
--   tools/lua tools/plots.lua
--
-- A picture is a line ![…](static/NAME.svg). Its figure is the global variable `figure` after the code before the line.
-- Run this script from the repository's root.

local lt = require "luatensor"

local space = setmetatable({lt = lt, print = function() end}, {__index = _G})
local code

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
    space.figure:save("docs/" .. picture)
  end
end
