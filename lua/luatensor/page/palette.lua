--- The colours of pages and charts.

local palette = {}

--- Colours by name: {on a light page, on a dark page}. "paper" is the background. The contrast ratio of text and
-- series with the background is at least 4.5. Series also differ in dashes and marks, for people who do not
-- distinguish the colours.
palette.colours = {
  paper = {"#ffffff", "#14171c"}, text = {"#3d434d", "#c3cad4"}, grid = {"#dfe3e8", "#30363f"},
  axis = {"#8a929e", "#7a828e"},
  ["series-1"] = {"#1f5fd0", "#7cb0ff"}, ["series-2"] = {"#b04708", "#ff9f5e"}, ["series-3"] = {"#0b7d61", "#3fd0a6"},
  ["series-4"] = {"#9a35ad", "#df96f2"}, ["series-5"] = {"#7d6200", "#dcbc4e"}, ["series-6"] = {"#bb2d4e", "#ff8aa0"},
}

--- The number of colours for series. Series SERIES + 1 has the first colour again.
palette.SERIES = 6

--- Returns the name of the colour of series number s.
function palette.series(s) return ("series-%d"):format((s - 1) % palette.SERIES + 1) end

--- Returns the declarations of the CSS variables of all colours.
-- @int which 1 for a light page, 2 for a dark page
-- @string separator
function palette.variables(which, separator)
  local lines = {}
  for name, pair in pairs(palette.colours) do lines[#lines + 1] = ("--%s: %s;"):format(name, pair[which]) end
  table.sort(lines)
  return table.concat(lines, separator)
end

return palette
