--- The colours of pages and charts.

local palette = {}

--- Colours by name: {on a light page, on a dark page}. "paper" is the background. The series have the hues of Okabe and
-- Ito ("Color Universal Design", 2008: blue, vermillion, green, purple, orange, black), which colour-blind readers tell
-- apart. They are darker here, or lighter on a dark page, because the contrast ratio of text and series with the
-- background must be at least 4.5. Series also differ in dashes and marks.
palette.colours = {
  paper = {"#ffffff", "#14171c"}, text = {"#3d434d", "#c3cad4"}, grid = {"#dfe3e8", "#30363f"},
  axis = {"#8a929e", "#7a828e"},
  ["series-1"] = {"#0069a6", "#56b4e9"}, ["series-2"] = {"#b84f00", "#f0803c"}, ["series-3"] = {"#00765a", "#2bc598"},
  ["series-4"] = {"#a5487c", "#dd96bd"}, ["series-5"] = {"#8a6100", "#e6b422"}, ["series-6"] = {"#111418", "#ffffff"},
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
