--- Colour maps: colours for numbers from 0 to 1. viridis, magma (Smith and van der Walt, 2015) and cividis (Nuñez,
-- Anderton and Renslow, 2018) become steadily lighter, also for colour-blind readers and in print. coolwarm (Moreland,
-- 2009) is for numbers around a middle. Between the listed colours, which are evenly spaced, colours are interpolated.

local colormap = {}

local MAPS <const> = {
  viridis = "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
  magma = "000004 180f3d 440f76 721f81 9e2f7f cd4071 f1605d fd9668 feca8d fcfdbf",
  cividis = "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
  coolwarm = "3b4cc0 8db0fe dddcdc f4987a b40426",
  gray = "000000 ffffff",
}

--- The names of the maps, sorted.
colormap.names = {"cividis", "coolwarm", "gray", "magma", "viridis"}

-- Returns the channel of a colour 0xrrggbb at a shift of 0, 8 or 16 bits, between two colours.
local function mix(first, second, share, shift)
  local from, to = first >> shift & 255, second >> shift & 255
  return (from + (to - from) * share + 0.5) // 1 | 0
end

--- Returns the 256 colours of a map, as integers 0xrrggbb. Colour i is for the number (i - 1) / 255.
-- @string name
-- @treturn table
function colormap.colors(name)
  local stops, colors = {}, {}
  for text in MAPS[name]:gmatch "%x+" do stops[#stops + 1] = tonumber(text, 16) end
  for i = 0, 255 do
    local at = i / 255 * (#stops - 1)
    local stop = math.min(at // 1 | 0, #stops - 2)
    local first, second, share = stops[stop + 1], stops[stop + 2], at - stop
    local function channel(shift) return mix(first, second, share, shift) << shift end
    colors[i + 1] = channel(16) | channel(8) | channel(0)
  end
  return colors
end

--- Returns the relative luminance of a colour 0xrrggbb, from 0 to 1, as WCAG 2 defines it.
function colormap.luminance(color)
  local sum = 0
  for shift, weight in pairs {[16] = 0.2126, [8] = 0.7152, [0] = 0.0722} do
    local c = (color >> shift & 255) / 255
    sum = sum + weight * (c <= 0.03928 and c / 12.92 or ((c + 0.055) / 1.055) ^ 2.4)
  end
  return sum
end

return colormap
