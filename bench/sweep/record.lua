-- The file of measured cells: one JSON object in each line, {cell = name, ours = seconds, torch = seconds} or
-- {cell = name, problem = text}. The last line of a cell counts. `again` marks cells that were measured twice.

local json = require "luatensor.io.json"

local record = {}

--- Reads a file. Returns the measured cells by name; none if the file does not exist. A last line that was not written
-- completely is ignored.
function record.read(path)
  local known, file = {}, io.open(path)
  if not file then return known end
  local text = file:read("a")
  file:close()
  for line in text:gmatch("([^\n]*)\n") do
    local measured = assert(json.decode(line))
    known[measured.cell] = measured
  end
  return known
end

--- Appends a measured cell to a file, and returns the cell.
function record.append(path, measured)
  local file <close> = assert(io.open(path, "a"))
  local line = json.encode(measured):gsub("\n *", "")          -- line breaks inside of strings are escaped
  assert(file:write(line, "\n"))
  return measured
end

--- Returns PyTorch's time divided by luatensor's time, or nil if the cell has no times.
function record.ratio(measured) return measured and measured.ours and measured.torch / measured.ours end

--- Sums up the measured cells of a list. Returns the `count` of cells with a ratio, the geometric `mean` of the ratios
-- and the `share` of ratios of at least 1. It also returns how many ratios are `below` 0.7, and how many cells are
-- `without` a ratio.
function record.summary(list, known)
  local count, sum, good, below, without = 0, 0, 0, 0, 0
  for _, cell in ipairs(list) do
    local measured = known[cell[1]]
    local ratio = record.ratio(measured)
    if ratio then
      count, sum = count + 1, sum + math.log(ratio)
      if ratio >= 1 then good = good + 1 end
      if ratio < 0.7 then below = below + 1 end
    elseif measured then
      without = without + 1
    end
  end
  local some = math.max(count, 1)
  return {count = count, mean = math.exp(sum / some), share = good / some, below = below, without = without}
end

return record
